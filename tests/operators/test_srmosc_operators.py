"""Operators on rows of weights."""

import numpy as np
import pytest
from pymoo.core.population import Population
from sklearn.datasets import make_blobs

from moo_clustering.algorithms import RowTableEvaluator
from moo_clustering.operators import RowUniformCrossover, SparseRowSampling, SupportMutation
from moo_clustering.problems import SRMOSCProblem


@pytest.fixture(scope="module")
def problem():
    X = make_blobs(80, centers=3, n_features=4, random_state=0)[0]
    return SRMOSCProblem((X - X.min(axis=0)) / np.ptp(X, axis=0), n_candidates=9, random_state=0)


@pytest.fixture
def population(problem):
    return SparseRowSampling().do(problem, 10)


def consistent(problem, population):
    errors, sizes = problem.row_tables(population.get("X"))
    np.testing.assert_array_equal(population.get("row_errors"), errors)
    np.testing.assert_array_equal(population.get("row_sizes"), sizes)
    assert sizes.min() >= 1
    assert population.get("X").min() >= 0


def test_sampling_spreads_over_widths(problem, population):
    consistent(problem, population)
    weights = problem.weights(population.get("X"))
    for m, rows in enumerate(weights):
        width = 1 + round(8 * m / 9)
        assert not rows[:, width:].any()
    assert (weights[0, :, 0] > 0).all()
    F = np.column_stack([population.get("row_errors").sum(axis=1), population.get("row_sizes").sum(axis=1)])
    assert F[0, 1] == 80
    assert (np.diff(F[:, 1]) >= 0).all()
    assert F[0, 0] == F[:, 0].max()
    fitted = SparseRowSampling(n_sweeps=200).do(problem, 10).get("row_errors").sum(axis=1)
    assert (np.diff(fitted) < 1e-6).all()  # more candidates do not rebuild worse
    assert (fitted <= F[:, 0] + 1e-6).all()
    np.testing.assert_array_equal(SparseRowSampling()._do(problem, 10), population.get("X"))


def test_sampling_without_sweeps_has_equal_weights(problem):
    population = SparseRowSampling(n_sweeps=0).do(problem, 3)
    np.testing.assert_allclose(problem.weights(population.get("X"))[2], 1 / 9, rtol=1e-6)


def test_crossover_moves_whole_rows_and_their_tables(problem, population):
    parents = np.array([[0, 9], [1, 8], [2, 7]])
    children = RowUniformCrossover(prob=1.0).do(problem, population, parents, random_state=0)
    assert len(children) == 6
    consistent(problem, children)
    swaps = []
    for k, (a, b) in enumerate(parents):
        one, other = (problem.weights(population[p].X)[0] for p in (a, b))
        child, sibling = (problem.weights(children[c].X)[0] for c in (k, k + 3))
        swapped = (child == other).all(axis=1)
        np.testing.assert_array_equal(child, np.where(swapped[:, None], other, one))
        np.testing.assert_array_equal(sibling, np.where(swapped[:, None], one, other))
        swaps.append(swapped.mean())
    assert 0.35 < np.mean(swaps) < 0.65
    total = population[parents[0]].get("row_errors").sum()
    assert children[[0, 3]].get("row_errors").sum() == pytest.approx(total)


def test_pairs_that_are_not_crossed_are_copies(problem, population):
    children = RowUniformCrossover(prob=0.0).do(problem, population, np.array([[0, 9]]), random_state=0)
    np.testing.assert_array_equal(children.get("X"), population[[0, 9]].get("X"))
    before = population.get("X").copy()
    SupportMutation(prob=1.0, row_rate=1.0).do(problem, children, random_state=0)
    np.testing.assert_array_equal(population.get("X"), before)  # parents do not change with children
    consistent(problem, population)


@pytest.mark.parametrize("prob", [0.0, 0.4, 1.0])
def test_rate_of_crossed_pairs(problem, population, prob):
    pairs = np.tile([0, 9], (300, 1))
    children = RowUniformCrossover(prob=prob).do(problem, population, pairs, random_state=0)
    crossed = np.mean([not np.array_equal(child.X, population[0].X) for child in children[:300]])
    assert abs(crossed - prob) <= 4 * np.sqrt(prob * (1 - prob) / 300)


@pytest.mark.parametrize("prob", [0.0, 0.3, 1.0])
def test_mutation_rates(problem, prob):
    population = Population.create(*[SparseRowSampling().do(problem, 1)[0] for _ in range(200)])
    before = population.get("X").copy()
    mutated = SupportMutation(prob=prob, row_rate=0.1).do(problem, population, random_state=1)
    consistent(problem, mutated)
    rows = (mutated.get("X") != before).reshape(200, 80, 9).any(axis=2).sum(axis=1)
    assert rows.max() <= 8  # of 80; a row may stay as it was
    hit = rows > 0
    assert abs(hit.mean() - prob) <= 4 * np.sqrt(prob * (1 - prob) / 200)


def test_mutation_changes_sizes_by_one_or_loses_what_descent_loses(problem, population):
    before = population.get("row_sizes")
    mutated = SupportMutation(prob=1.0, row_rate=1.0).do(problem, population, inplace=False, random_state=0)
    after = mutated.get("row_sizes")
    np.testing.assert_array_equal(population.get("row_sizes"), before)
    assert (after - before).max() == 1
    assert (after < before).any()
    added = after > before
    assert (mutated.get("row_errors")[added] < population.get("row_errors")[added]).all()


def test_arrays_alone(problem, population):
    X = population.get("X")
    children = RowUniformCrossover()._do(problem, np.stack([X[:5], X[5:]]), random_state=0)
    assert children.shape == (2, 5, problem.n_var)
    np.testing.assert_allclose(children.sum(), X.sum(), rtol=1e-5)
    mutated = SupportMutation()._do(problem, X, random_state=0)
    assert mutated.shape == X.shape
    assert mutated.dtype == np.float32
    assert (mutated != X).any()


def test_individuals_without_tables(problem, population):
    bare = Population.new("X", population.get("X"))
    bare = RowUniformCrossover(prob=1.0).do(problem, bare, np.array([[0, 9], [1, 2]]), random_state=0)
    bare = SupportMutation(prob=1.0).do(problem, bare, random_state=0)
    assert not bare[0].has("row_errors")
    RowTableEvaluator().eval(problem, bare)
    consistent(problem, bare)
    np.testing.assert_allclose(bare.get("F"), problem.evaluate(bare.get("X"))[0], rtol=1e-12)
    assert (bare.get("CV") == 0).all()


def test_seeds(problem, population):
    def run(seed):
        children = RowUniformCrossover().do(problem, population, np.array([[0, 9]] * 4), random_state=seed)
        return SupportMutation().do(problem, children, random_state=seed).get("X")

    np.testing.assert_array_equal(run(0), run(0))
    assert (run(0) != run(1)).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SupportMutation(row_rate=0.0), "row_rate"),
        (lambda: SupportMutation(row_rate=1.5), "row_rate"),
        (lambda: SupportMutation(n_sweeps=-1), "n_sweeps"),
        (lambda: SparseRowSampling(n_sweeps=-1), "n_sweeps"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()
