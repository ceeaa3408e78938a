"""Calinski-Harabasz, Dunn, PBM, DBCV, CDbw and functions as indices."""

import itertools

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

from benchmarks._numpy_density import NumpyDBCV
from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import DBCV, FunctionIndex, IIndex, ValidityIndex, get_index

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)) + np.repeat([[0, 0], [5, 0], [0, 5]], 10, axis=0)
TRUE = np.repeat([0, 1, 2], 10)
POPULATION = np.stack([TRUE, np.arange(30) % 2, RNG.permutation(TRUE), np.minimum(np.arange(30), 1)])


def naive_dunn(X, labels):
    D = cdist(X, X)
    pairs = list(itertools.combinations(range(len(X)), 2))
    between = min(D[i, j] for i, j in pairs if labels[i] != labels[j])
    return between / max(D[i, j] for i, j in pairs if labels[i] == labels[j])


def naive_dbcv(X, labels):
    """Prim's algorithm and loops over pairs, as the definitions read."""
    n, d = X.shape
    D = cdist(X, X)
    clusters = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
    core = np.zeros(n)
    for rows in clusters:
        for o in rows:
            if len(rows) > 1:
                core[o] = (sum(D[o, i] ** -d for i in rows if i != o) / (len(rows) - 1)) ** (-1 / d)

    def reach(a, b):
        return max(core[a], core[b], D[a, b])

    sparseness, inner = {}, {}
    for c, rows in enumerate(clusters):
        if len(rows) == 1:
            continue
        reached, edges = [rows[0]], []
        while len(reached) < len(rows):
            rest = [b for b in rows if b not in reached]
            a, b = min(itertools.product(reached, rest), key=lambda pair: (reach(*pair), D[pair]))
            edges.append((a, b))
            reached.append(b)
        degree = {a: sum(a in edge for edge in edges) for a in rows}
        inner[c] = [a for a in rows if degree[a] > 1] or list(rows)
        inside = [edge for edge in edges if degree[edge[0]] > 1 and degree[edge[1]] > 1] or edges
        sparseness[c] = max(reach(*edge) for edge in inside)
    value = 0.0
    for c in inner:
        if len(inner) == 1:
            continue
        apart = min(reach(a, b) for e in inner if e != c for a in inner[c] for b in inner[e])
        value += len(clusters[c]) / n * (apart - sparseness[c]) / max(apart, sparseness[c])
    return value


def test_calinski_harabasz_equals_scikit_learns():
    values = get_index("calinski_harabasz").fit(X).evaluate(POPULATION)
    assert values == pytest.approx([calinski_harabasz_score(X, row) for row in POPULATION])


@pytest.mark.parametrize(("name", "naive"), [("dunn", naive_dunn), ("dbcv", naive_dbcv)])
def test_index_equals_its_definition(name, naive):
    values = get_index(name).fit(X).evaluate(POPULATION)
    assert values == pytest.approx([naive(X, row) for row in POPULATION])


@pytest.mark.parametrize("n_features", [2, 60, 900])
def test_dbcv_is_that_of_numpy_and_of_one_partition_alone(n_features):
    rng = np.random.default_rng(n_features)
    data = rng.normal(size=(60, n_features)) + np.repeat(rng.normal(size=(3, n_features)), 20, axis=0)
    data[7] = data[3]
    # A pair so close that, relative to it, powers of all other distances are zero.
    data[9] = data[8] + 1e-5
    rows = np.array([np.resize(rng.permutation(k), 60) for k in (2, 3, 5, 25, 60)])
    rows = np.vstack([rows, np.repeat([0, 1, 2], 20), np.arange(60) == 8, np.zeros(60, dtype=int)])
    index, plain = get_index("dbcv").fit(data), NumpyDBCV(data)
    values = index.evaluate(rows)
    assert values == pytest.approx([plain(row) for row in rows], rel=1e-9)
    np.testing.assert_array_equal(np.concatenate([index.evaluate(row) for row in rows]), values)


def published_dbcv(X, labels):
    """Squared distances and SciPy's spanning tree (Kruskal's), as in the program of F. Siqueira."""
    n, d = X.shape
    D, core, inner, sparseness = cdist(X, X, "sqeuclidean"), np.zeros(n), {}, {}
    for c in np.unique(labels):
        rows = np.flatnonzero(labels == c)
        own = D[np.ix_(rows, rows)]
        np.fill_diagonal(own, np.inf)
        core[rows] = ((own**-d).sum(axis=1) / (len(rows) - 1)) ** (-1 / d)
        reach = np.maximum(np.maximum(own, core[rows]), core[rows][:, np.newaxis])
        np.fill_diagonal(reach, 0)
        tree = minimum_spanning_tree(reach).toarray()
        inside = ((tree > 0).sum(axis=0) + (tree > 0).sum(axis=1)) > 1
        inner[c], sparseness[c] = rows[inside], tree[np.ix_(inside, inside)].max()
    value = 0.0
    for c, rows in inner.items():
        others = np.concatenate([inner[e] for e in inner if e != c])
        reach = np.maximum(np.maximum(D[np.ix_(rows, others)], core[others]), core[rows][:, np.newaxis])
        apart = reach.min()
        value += (labels == c).mean() * (apart - sparseness[c]) / max(apart, sparseness[c])
    return value


def test_dbcv_as_published():
    moons, moon = make_moons(n_samples=300, noise=0.05, random_state=1782)
    # The value that the program's documentation shows.
    assert DBCV(variant="published").fit(moons).evaluate(moon) == pytest.approx([0.8545358723390613])
    assert DBCV().fit(moons).evaluate(moon) == pytest.approx([naive_dbcv(moons, moon)])
    rng = np.random.default_rng(0)
    for n_features in (1, 2, 3, 5):
        data = rng.normal(size=(60, n_features))
        for k in (2, 3, 5):
            labels = rng.permutation(np.resize(np.arange(k), 60))
            found = DBCV(variant="published").fit(data).evaluate(labels)
            assert found == pytest.approx([published_dbcv(data, labels)])
    with pytest.raises(ValueError, match="variant must be"):
        DBCV(variant="squared").fit(moons)


def test_the_order_of_the_samples_matters_to_the_published_dbcv_alone():
    moons, moon = make_moons(n_samples=100, noise=0.05, random_state=0)
    order = np.random.default_rng(0).permutation(100)
    values = {
        variant: [DBCV(variant).fit(moons[rows]).evaluate(moon[rows])[0] for rows in (np.arange(100), order)]
        for variant in ("distance", "published")
    }
    assert values["distance"][0] == pytest.approx(values["distance"][1], rel=1e-9)
    assert abs(np.diff(values["published"])[0]) > 1e-3


def test_pbm_is_the_i_index():
    assert isinstance(get_index("pbm"), IIndex)


def test_cdbw_worked_by_hand():
    # Two clusters of two samples 2 apart. Every sample is a representative; the standard deviation is 1.
    # Shrunk by s, representatives are s and 2 - s from the samples, so half of the samples are near.
    data = [[0.0], [2.0], [10.0], [12.0]]
    compactness = 0.5
    # Facing are 2 and 10, 8 apart; no sample is within 1 of 6.
    assert get_index("cdbw").fit(data).evaluate([0, 0, 1, 1]) == pytest.approx(
        [compactness * 8 * compactness]
    )


def test_density_tells_moons_apart_where_centres_do_not():
    moons, moon = make_moons(100, noise=0.03, random_state=0)
    halves = (moons[:, 0] > 0.5).astype(int)
    by_density = get_index("dbcv").fit(moons).evaluate(np.stack([moon, halves]))
    by_centres = get_index("calinski_harabasz").fit(moons).evaluate(np.stack([moon, halves]))
    assert by_density[0] > 0.3 > by_density[1]
    assert by_centres[0] < by_centres[1]


@pytest.mark.parametrize("name", ["calinski_harabasz", "dunn", "dbcv", "cdbw"])
def test_degenerate_partitions_have_finite_values_and_do_not_win(name):
    rows = np.stack([TRUE, np.zeros(30, dtype=int), np.arange(30)])
    values = get_index(name).fit(X).evaluate(rows)
    assert np.isfinite(values).all()
    assert values.argmax() == 0
    assert np.isfinite(get_index(name).fit(np.ones((30, 2))).evaluate(POPULATION)).all()


def test_a_function_is_an_objective():
    problem = PartitionProblem(
        X, LabelEncoding(30, 4), [(calinski_harabasz_score, "max"), (davies_bouldin_score, "min")]
    )
    assert problem.objective_names == ("calinski_harabasz_score", "davies_bouldin_score")
    result = minimize(problem, NSGA2(pop_size=10, **problem.operators()), ("n_gen", 3), seed=1)
    labels, values = problem.decode(result.X), problem.natural(result.F)
    assert values[:, 0] == pytest.approx([calinski_harabasz_score(X, row) for row in labels])
    assert values[:, 1] == pytest.approx([davies_bouldin_score(X, row) for row in labels])


def test_a_function_alone_and_a_partition_for_which_it_is_undefined():
    problem = PartitionProblem(X, LabelEncoding(30, 4), (calinski_harabasz_score, "max"))
    out = problem.evaluate(np.zeros((1, 30)), return_as_dictionary=True)
    assert problem.constraint_names == ("undefined_index",)
    assert out["G"] == [[1.0]]
    assert problem.natural(out["F"]) == [[-1e12]]


class NoSelf(ValidityIndex):
    name, greater_is_better = "no_self", True

    def fit(self, data):
        pass

    def evaluate(self, labels):
        return np.zeros(len(labels))


class NoName(NoSelf):
    name = None


class NotANumber(NoSelf):
    def fit(self, data):
        return self

    def evaluate(self, labels):
        return np.full(len(labels), np.nan)


def test_mistakes_of_an_index_are_told_in_a_sentence():
    encoding = LabelEncoding(30, 4)
    with pytest.raises(TypeError, match=r"NoSelf\.fit must return self, but it returned None"):
        PartitionProblem(X, encoding, NoSelf())
    with pytest.raises(TypeError, match="NoName must have the class attributes name"):
        PartitionProblem(X, encoding, [NoName])
    with pytest.raises(TypeError, match=r"\(function, 'max'\)"):
        PartitionProblem(X, encoding, calinski_harabasz_score)
    with pytest.raises(ValueError, match="direction must be one of 'max', 'min'"):
        FunctionIndex(calinski_harabasz_score, "greater")
    problem = PartitionProblem(X, encoding, NotANumber())
    with pytest.raises(ValueError, match="a large finite value where the result is undefined"):
        problem.evaluate(np.zeros((2, 30)))
    problem = PartitionProblem(X, encoding, (lambda X, labels: X, "min"))
    with pytest.raises(ValueError, match="must return one number, got shape"):
        problem.evaluate(np.arange(30)[None] % 3)
