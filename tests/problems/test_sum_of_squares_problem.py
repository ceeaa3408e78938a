"""Centres as genes: values, partitions, memory of local searches, pymoo's own algorithms."""

import copy

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.algorithms.soo.nonconvex.pso import PSO
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.optimize import minimize

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import (
    CanonicalDuplicates,
    CenterMatchingCrossover,
    EncodingRepair,
    EncodingSampling,
    LocalSearchRepair,
    RelocateCenter,
)
from moo_clustering.problems import CenterEncoding, PartitionProblem, SumOfSquaresProblem
from moo_clustering.problems import centers as module
from moo_clustering.problems.centers import shifted
from moo_clustering.validity.internal import SumOfSquares

SIX = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]


def blobs(k=6, n=240, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return 5.0 + rng.random((k, d))[rng.integers(k, size=n)] + 0.03 * rng.standard_normal((n, d))


def test_value_is_taken_to_the_centres():
    problem = SumOfSquaresProblem(SIX, 2)
    # Genes are relative to the mean, 6: centres at 0 and 12.
    genes = np.array([[-6.0, 6.0], [6.0, -6.0], [-6.0, 100.0]])
    # 2 (0 + 1 + 4); the last has all at centre 0.
    np.testing.assert_allclose(problem.evaluate(genes), [[10.0], [10.0], [0 + 1 + 4 + 100 + 121 + 144]])
    np.testing.assert_allclose(problem.centers(genes)[0], [[0.0], [12.0]])
    np.testing.assert_array_equal(problem.decode(genes)[0], [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(problem.decode(genes)[1], [1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(problem.decode(genes)[2], [0] * 6)


def test_individuals_carry_labels_and_equal_partitions_differ_in_value():
    problem = SumOfSquaresProblem(SIX, 2)
    pop = Population.new(X=np.array([[-5.0, 5.0], [-5.5, 5.0]]))
    Evaluator().eval(problem, pop)
    np.testing.assert_array_equal(np.array([ind.get("labels") for ind in pop]), [[0, 0, 0, 1, 1, 1]] * 2)
    np.testing.assert_allclose(pop.get("F"), [[4.0], [4.0 + 3 * 0.25]])


def test_means_have_the_value_of_the_index():
    X = blobs()
    problem = SumOfSquaresProblem(X, 6)
    labels = np.random.default_rng(0).integers(6, size=(3, len(X)))
    genes = problem.improve(problem.encoding.encode(labels))
    partitions = problem.decode(genes)
    np.testing.assert_allclose(problem.evaluate(genes)[:, 0], SumOfSquares().fit(X).evaluate(partitions))
    # The same objective for labels as genes.
    by_labels = PartitionProblem(X, LabelEncoding(len(X), k_max=6), [SumOfSquares])
    np.testing.assert_allclose(by_labels.evaluate(partitions), problem.evaluate(genes))


def test_index_by_hand():
    index = SumOfSquares().fit([[0.0, 0.0], [2.0, 0.0], [10.0, 1.0]])
    np.testing.assert_allclose(index.evaluate([[0, 0, 1], [0, 1, 2]]), [2.0, 0.0])
    one = ((np.array([0, 2, 10]) - 4) ** 2).sum() + 2 / 3
    np.testing.assert_allclose(index.evaluate([[0, 0, 0]]), [one])


def test_local_searches_are_not_evaluated_again():
    problem = SumOfSquaresProblem(blobs(), 6)
    genes = problem.improve(problem.encoding.random(5, np.random.default_rng(0)))
    assert problem.n_local_searches == 5
    used = problem.n_distances
    F = problem.evaluate(genes)
    problem.nearest_labels(genes)
    assert problem.n_distances == used
    fresh = problem.fresh()
    assert (fresh.n_distances, fresh.n_local_searches) == (0, 0)
    np.testing.assert_allclose(fresh.evaluate(genes), F, rtol=1e-12)
    assert fresh.n_distances == 5 * 240 * 6
    assert problem.n_distances == used


def test_too_few_passes_for_an_optimum(monkeypatch):
    monkeypatch.setattr(module, "MAX_PASSES", 1)
    problem = SumOfSquaresProblem(SIX, 2)
    found = problem.optimum(np.array([[0.0], [1.0]]) - 6.0)
    # One pass: 0 alone, the others around 7.2; 1 and 2 are nearer to 0 by then.
    np.testing.assert_allclose(found.centers.ravel() + 6.0, [0.0, 7.2])
    np.testing.assert_array_equal(found.labels, [0, 0, 0, 1, 1, 1])
    assert found.objective == pytest.approx(1 + 4 + 2.8**2 + 3.8**2 + 4.8**2)
    assert problem.evaluate(found.centers.reshape(1, -1))[0, 0] == found.objective


def test_memory_of_recent_individuals_is_bounded():
    problem = SumOfSquaresProblem(blobs(), 6)
    problem._n_known = 3
    problem.evaluate(problem.encoding.random(8, np.random.default_rng(0)))
    assert len(problem._known) == 3


def test_constraints_as_everywhere():
    links = PairwiseConstraints([(0, 5)], [(0, 1)], n_samples=6)
    problem = SumOfSquaresProblem(SIX, 2, constraints=links)
    assert problem.objective_names == ("sum_of_squares", "constraint_violation")
    np.testing.assert_allclose(problem.evaluate(np.array([[-5.0, 5.0]])), [[4.0, 2.0]])


def test_encoding():
    X = blobs()
    encoding = CenterEncoding(X, 6)
    rng = np.random.default_rng(0)
    genes = encoding.random(4, rng)
    assert genes.shape == (4, encoding.n_var)
    low, high = encoding.bounds()
    assert ((genes >= low) & (genes <= high)).all()
    shuffled = genes.reshape(4, 6, 3)[:, rng.permutation(6)].reshape(4, -1)
    np.testing.assert_array_equal(encoding.canonical(genes), encoding.canonical(shuffled))
    assert not np.array_equal(genes, shuffled)
    assert encoding.repair(genes) is not genes
    np.testing.assert_array_equal(encoding.repair(genes), genes)
    np.testing.assert_array_equal(shifted(X, encoding.offsets), encoding.points)
    np.testing.assert_allclose(encoding.in_data(encoding.points), X)
    assert copy.deepcopy(encoding) is encoding
    assert encoding.decode(np.empty((0, encoding.n_var))).shape == (0, len(X))
    # 3 clusters in 6 centres: each twice; 8 in 6: the largest.
    three = np.arange(len(X)) % 3
    np.testing.assert_allclose(
        encoding.relative_centers(encoding.encode([three]))[0][:3],
        [encoding.points[three == c].mean(axis=0) for c in range(3)],
    )
    assert np.isfinite(encoding.encode([np.arange(len(X)) % 8])).all()


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((SIX, 7), ValueError, "from 1 to 6, the number of samples, got 7"),
        ((SIX, 0), ValueError, "from 1"),
        ((SIX, 2.5), TypeError, "integer"),
        ((SIX, True), TypeError, "integer"),
        (([[np.nan]], 1), ValueError, "NaN"),
        (([[1e200], [-1e200]], 1), ValueError, "overflow"),
    ],
)
def test_refuses_wrong_input(arguments, error, match):
    with pytest.raises(error, match=match):
        SumOfSquaresProblem(*arguments)


def test_refuses_wrong_genes():
    problem = SumOfSquaresProblem(SIX, 2)
    with pytest.raises(ValueError, match="finite"):
        problem.evaluate(np.array([[np.nan, 0.0]]))
    with pytest.raises(ValueError, match="2 columns"):
        problem.improve(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="found no feasible solution"):
        problem.decode(None)


def optimum(X, k):
    problem = SumOfSquaresProblem(X, k)
    return problem.evaluate(problem.improve(problem.encoding.random(60, np.random.default_rng(1)))).min()


def test_operators_in_pymoos_ga():
    X = blobs()
    problem = SumOfSquaresProblem(X, 6)
    algorithm = GA(
        pop_size=8,
        sampling=EncodingSampling(),
        crossover=CenterMatchingCrossover(),
        mutation=RelocateCenter(prob=0.7),
        repair=LocalSearchRepair(),
        eliminate_duplicates=CanonicalDuplicates(problem.encoding),
    )
    result = minimize(problem, algorithm, ("n_gen", 6), seed=1)
    assert result.F[0] == pytest.approx(optimum(X, 6))
    assert result.pop[0].get("labels").shape == (len(X),)
    again = minimize(SumOfSquaresProblem(X, 6), copy.deepcopy(algorithm), ("n_gen", 6), seed=1)
    np.testing.assert_array_equal(again.X, result.X)


def test_operators_in_nsga2_with_links_as_the_second_objective():
    # No groups: many local optima.
    X = np.random.default_rng(0).random((120, 2))
    free = SumOfSquaresProblem(X, 4)
    together = free.decode(free.improve(free.encoding.random(1, np.random.default_rng(0))))[0]
    # Eight pairs of one cluster that should not be.
    group = np.flatnonzero(together == together[0])[:9]
    links = PairwiseConstraints([], [(group[0], other) for other in group[1:]], n_samples=120)
    problem = SumOfSquaresProblem(X, 4, constraints=links)
    algorithm = NSGA2(
        pop_size=12,
        sampling=EncodingSampling(),
        crossover=CenterMatchingCrossover(),
        mutation=RelocateCenter(),
        repair=LocalSearchRepair(),
        eliminate_duplicates=CanonicalDuplicates(problem.encoding),
    )
    result = minimize(problem, algorithm, ("n_gen", 8), seed=1)
    order = np.argsort(result.F[:, 0])
    # The optimum without regard to links, and what regard to them costs.
    assert result.F[order[0], 0] == pytest.approx(optimum(X, 4))
    assert len(order) > 1
    assert (np.diff(result.F[order, 1]) < 0).all()
    for genes, f in zip(result.X, result.F, strict=True):
        centers = problem.centers(genes)[0]
        assert f[0] == pytest.approx(((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum())
        labels = problem.decode(genes[None])[0]
        assert f[1] == pytest.approx(np.mean([labels[a] == labels[b] for a, b in links.cannot_link]))


def test_local_search_helps_differential_evolution():
    X = blobs()
    problem = SumOfSquaresProblem(X, 6)
    found = minimize(problem, DE(pop_size=10, repair=LocalSearchRepair()), ("n_gen", 6), seed=1)
    alone = minimize(SumOfSquaresProblem(X, 6), DE(pop_size=10), ("n_gen", 6), seed=1)
    assert found.F[0] < alone.F[0]
    np.testing.assert_allclose(problem.improve(found.X)[0], found.X, atol=1e-12)


@pytest.mark.parametrize("algorithm", [DE(pop_size=20), PSO(pop_size=20)])
def test_operators_on_real_numbers(algorithm):
    X = blobs(k=3, n=90, d=2)
    problem = SumOfSquaresProblem(X, 3)
    result = minimize(problem, algorithm, ("n_gen", 60), seed=1)
    first = SumOfSquares().fit(X).evaluate(np.zeros((1, 90), dtype=int))[0]
    assert optimum(X, 3) * (1 - 1e-9) <= result.F[0] < 0.2 * first


def test_repair_by_the_encoding_changes_nothing():
    problem = SumOfSquaresProblem(SIX, 2)
    genes = np.array([[-5.5, 5.0]])
    np.testing.assert_array_equal(EncodingRepair()._do(problem, genes), genes)
