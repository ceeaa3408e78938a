"""Feature subsets: scores by definition, the memory of subsets, their operators, and what is refused."""

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.controls import compare
from moo_clustering.operators import FeatureMutation
from moo_clustering.problems import FeatureSubsetEncoding, FeatureSubsetProblem, SubsetIndex

CLASSES = np.repeat([0, 1, 2], 20)


def data(d=12, seed=0):
    """Three classes in the first three features, noise in the others, labels of two samples per class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, d))
    X[:, :3] += 3 * np.eye(3)[CLASSES]
    y = np.full(60, -1)
    y[[0, 1, 20, 21, 40, 41]] = [0, 0, 1, 1, 2, 2]
    return X, y


def subset(*columns, d=12):
    return np.isin(np.arange(d), columns)


def test_share_of_two_pairs_of_points():
    # Column means 0: squares 4 * 25 = 100 in total, within the pairs 4 * .25 = 1.
    X = np.array([[-5.5, 0.0], [-4.5, 1.0], [4.5, 0.0], [5.5, 1.0]])
    labels, explained = FeatureSubsetEncoding(X, 2).clustered([[True, False], [False, True]])
    np.testing.assert_array_equal(labels[0] == labels[0][0], [True, True, False, False])
    np.testing.assert_allclose(explained, [1 - 1 / 101, 1.0])


def test_score_is_that_of_its_definition():
    X, y = data()
    names = ["labels", "separation"]
    problem = FeatureSubsetProblem(X, 3, names, partial_y=y, weights=[1.0, 0.5], n_init=2)
    genes = np.array([subset(0, 1, 2), subset(0, 5), subset(*range(12))])
    labels = problem.decode(genes)
    noise = problem.encoding.explained_by_noise(genes.sum(axis=1))
    for row, found, value, share in zip(genes, labels, problem.evaluate(genes)[:, 0], noise, strict=True):
        points = X[:, row] - X[:, row].mean(axis=0)
        means = np.array([points[found == c].mean(axis=0) for c in found])
        explained = (means**2).sum() / (points**2).sum()
        agreement = adjusted_rand_score(y[y >= 0], found[y >= 0])
        expected = agreement + 0.5 * np.sqrt(row.sum()) * (explained - share)
        assert value == pytest.approx(-expected, abs=1e-12)
    several = FeatureSubsetProblem(X, 3, names, partial_y=y, n_init=2)
    assert several.objective_names == ("labels", "separation")
    natural = several.natural(several.evaluate(genes))
    np.testing.assert_allclose(natural @ [1.0, 0.5], problem.natural(problem.evaluate(genes))[:, 0])


def test_noise_explains_less_of_more_features():
    encoding = FeatureSubsetEncoding(np.random.default_rng(0).normal(size=(80, 30)), 3)
    shares = encoding.explained_by_noise(np.arange(1, 31))
    assert (np.diff(shares) < 0).all()
    # Three optimal intervals explain .81 of a normal distribution (Dalenius 1950).
    assert 0.75 < shares[0] < 0.87
    # Features without clusters are no better than noise.
    problem = FeatureSubsetProblem(encoding.points, 3, "separation")
    found = problem.natural(problem.evaluate(encoding.random(60, np.random.default_rng(1))))
    assert abs(found.mean()) < 0.1


def test_subsets_are_clustered_once(monkeypatch):
    problem = FeatureSubsetProblem(*data()[:1], 3, "separation", n_init=1)
    calls = []
    kmeans = FeatureSubsetEncoding.kmeans
    monkeypatch.setattr(
        FeatureSubsetEncoding, "kmeans", lambda self, points: calls.append(1) or kmeans(self, points)
    )
    problem.encoding.explained_by_noise([1])
    calls.clear()
    genes = np.array([subset(0, 1), subset(0, 1), subset(2)])
    first = problem.evaluate(genes)
    np.testing.assert_array_equal(problem.evaluate(genes[::-1].astype(float)), first[::-1])
    assert len(calls) == 2


def test_pairs_and_own_indices_of_subsets():
    class Size(SubsetIndex):
        name, greater_is_better = "size", False

        def evaluate_subsets(self, encoding, X):
            return X.sum(axis=1)

    X, _ = data()
    pairs = PairwiseConstraints([(0, 1)], [(0, 20), (20, 40)], n_samples=60)
    genes = np.array([subset(0, 1, 2), subset(6, 7)])
    problem = FeatureSubsetProblem(X, 3, [Size()], constraints=pairs)
    assert problem.objective_names == ("size", "constraint_violation")
    F = problem.evaluate(genes)
    np.testing.assert_array_equal(F[:, 0], [3, 2])
    np.testing.assert_array_equal(F[:, 1], pairs.violation(problem.decode(genes)))
    # Both are minimised, so that the score falls by each.
    score = FeatureSubsetProblem(X, 3, [Size()], constraints=pairs, weights=[0.1, 2.0])
    np.testing.assert_allclose(score.evaluate(genes)[:, 0], F @ [0.1, 2.0])
    with pytest.raises(TypeError, match="'size' scores feature subsets"):
        Size().evaluate(CLASSES)


def test_labels_held_out_are_found_again_by_the_others():
    # Feature 0 separates two pairs of labelled samples; by feature 1 each is nearer to the other class.
    X = np.array([[-5.0, 0.0], [-5.5, 4.0], [5.0, 4.1], [5.5, 0.1], [-5.2, 2.0], [5.2, 2.1]])
    y = np.array([0, 0, 1, 1, -1, -1])
    problem = FeatureSubsetProblem(X, 2, "held_out_labels", partial_y=y)
    genes = np.array([[True, False], [False, True]])
    np.testing.assert_array_equal(problem.natural(problem.evaluate(genes))[:, 0], [1.0, 0.0])
    # They are the default where every class has two labels.
    assert FeatureSubsetProblem(X, 2, partial_y=y).objective_names[0] == "held_out_labels"
    y[0] = -1
    assert FeatureSubsetProblem(X, 2, partial_y=y).objective_names[0] == "labels"
    with pytest.raises(
        ValueError, match="'held_out_labels' requires at least two labelled samples per class"
    ):
        FeatureSubsetProblem(X, 2, "held_out_labels", partial_y=y)


def test_mutation_keeps_subsets_valid_and_near():
    problem = FeatureSubsetProblem(*data()[:1], 3, "separation", max_features=4)
    rng = np.random.default_rng(0)
    X = problem.encoding.random(300, rng)
    assert X.any(axis=1).all()
    assert X.sum(axis=1).max() == 4
    one = FeatureMutation(more=0.0)._do(problem, X, random_state=rng)
    change = (one != X).sum(axis=1)
    grown = one.sum(axis=1) - X.sum(axis=1)
    assert set(zip(change.tolist(), grown.tolist(), strict=True)) == {(1, 1), (1, -1), (2, 0)}
    problem.encoding.subsets(one)
    # All kinds are equally frequent where all are possible.
    free = (X.sum(axis=1) > 1) & (X.sum(axis=1) < 4)
    assert np.bincount(grown[free] + 1).min() > 0.2 * free.sum()
    many = FeatureMutation(more=0.8)._do(problem, X, random_state=rng)
    problem.encoding.subsets(many)
    assert (many != X).sum(axis=1).mean() > change.mean()
    with pytest.raises(ValueError, match="more must be less than 1"):
        FeatureMutation(more=1.0)


def test_searches_find_the_relevant_features():
    X, y = data()
    problem = FeatureSubsetProblem(X, 3, partial_y=y, weights=[1, 0.5], n_init=1)
    single = minimize(problem, GA(20, **problem.operators()), ("n_gen", 15), seed=0)
    assert single.X[:3].all()
    assert adjusted_rand_score(CLASSES, problem.decode(single.X)[0]) > 0.9
    front = FeatureSubsetProblem(X, 3, partial_y=y, n_init=1)
    several = minimize(front, NSGA2(12, **front.operators()), ("n_gen", 4), seed=0)
    front.encoding.subsets(several.X)
    found = compare(problem, GA(10, **problem.operators()), n_evals=60, seeds=[0], y=CLASSES)
    assert {"drift", "climbs", "annealing"} <= set(found.runs["method"])
    assert set(found.runs["evaluations"]) == {10, 60}


def test_repair_and_encode():
    X, _ = data()
    encoding = FeatureSubsetEncoding(X, 3, max_features=5)
    repaired = encoding.repair(np.array([subset(), subset(*range(12)), subset(3, 4)]))
    assert repaired.sum(axis=1).tolist() == [1, 5, 2]
    (found,) = encoding.encode(CLASSES[None])
    np.testing.assert_array_equal(np.flatnonzero(found), [0, 1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no sample is labelled"),
        ({"partial_y": np.full(60, -1)}, "no sample is labelled"),
        ({"objectives": ["labels"]}, "no sample is labelled"),
        ({"objectives": ["labls"]}, "unknown objective 'labls'; did you mean 'labels'"),
        ({"partial_y": [0, 1]}, r"y must have one row per sample \(60\), got 2"),
        ({"partial_y": np.ones((60, 2), dtype=int)}, "one class per sample, got label sets"),
        ({"objectives": ["separation"], "max_features": 13}, "max_features"),
        ({"objectives": ["separation"], "max_features": 0}, "max_features"),
        (
            {"objectives": ["separation"], "weights": [1, 2]},
            r"weights must have one finite number per objective \(separation\)",
        ),
        ({"objectives": ["separatio"]}, "separatio"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        FeatureSubsetProblem(data()[0], 3, **options)


@pytest.mark.parametrize("genes", [subset(), subset(*range(6)), np.full(12, 2)])
def test_genes_that_are_refused(genes):
    problem = FeatureSubsetProblem(data()[0], 3, "separation", max_features=5)
    with pytest.raises(ValueError, match=r"pass EncodingSampling"):
        problem.evaluate(genes[None])
