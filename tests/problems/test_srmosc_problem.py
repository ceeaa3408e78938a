"""The problem of SRMOSC, alone and in pymoo."""

import copy
import warnings

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.datasets import load_iris

from moo_clustering.algorithms import RowTableEvaluator
from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import lists_from_arrays
from moo_clustering.operators import RowUniformCrossover, SparseRowSampling, SupportMutation
from moo_clustering.problems import SRMOSCProblem
from moo_clustering.problems.graphs import default_n_candidates

CORNERS = np.array([[1.0, 1], [2, 1], [1, 2], [2, 2]])


@pytest.fixture(scope="module")
def X():
    data = load_iris().data
    return (data - data.min(axis=0)) / np.ptp(data, axis=0)


@pytest.fixture(scope="module")
def problem(X):
    return SRMOSCProblem(X, random_state=0)


def by_matrix(problem, x):
    """Objectives from the N x N matrix."""
    S = np.zeros((problem.n_samples, problem.n_samples))
    weights = np.asarray(x, dtype=np.float64).reshape(problem.lists.indices.shape)
    for i, row in enumerate(problem.lists.indices):
        S[i, row[row >= 0]] = weights[i, row >= 0]
    f1 = ((problem.X - S @ problem.X) ** 2).sum() + problem.rho * (S**2).sum()
    return f1, np.count_nonzero(S > 1e-6)


def test_four_corners():
    others = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    lists = lists_from_arrays(others, np.zeros((4, 3)), n_samples=4)
    problem = SRMOSCProblem(CORNERS, rho=0, lists=lists)
    x = np.array([[0, 0, 0.5], [1.5, 0, 0], [1.5, 0, 0], [2, 0, 0]])
    errors, sizes = problem.row_tables(x.ravel())
    np.testing.assert_allclose(errors, [[0, 0.5, 0.5, 0]], atol=1e-12)
    np.testing.assert_array_equal(sizes, [[1, 1, 1, 1]])
    np.testing.assert_allclose(problem.evaluate(x.reshape(1, -1))[0], [[1.0, 4]])
    ridged = SRMOSCProblem(CORNERS, rho=0.1, lists=lists)
    assert ridged.evaluate(x.reshape(1, -1))[0][0, 0] == pytest.approx(1.0 + 0.1 * (0.25 + 2.25 + 2.25 + 4))


def test_objectives_are_those_of_the_matrix(problem):
    rng = np.random.default_rng(0)
    population = rng.random((5, problem.n_var)) * (rng.random((5, problem.n_var)) < 0.3)
    F = problem.evaluate(population)[0]
    expected = [by_matrix(problem, x.astype(np.float32)) for x in population]
    np.testing.assert_allclose(F, expected, rtol=1e-9)


def test_a_row_without_link_is_infeasible(problem):
    x = np.ones((2, 150, problem.width), dtype=np.float32)
    x[1, 7] = 0
    x[1, 9] = 1e-8
    G = problem.evaluate(x.reshape(2, -1), return_values_of=["G"])
    np.testing.assert_array_equal(G, [[0], [2]])


def test_defaults(problem, X):
    assert [default_n_candidates(n) for n in (2, 3, 150, 178, 100_000)] == [1, 2, 12, 12, 24]
    assert problem.width == 12
    assert problem.rho == pytest.approx(0.025 * X.var(axis=0).mean())
    assert SRMOSCProblem(X, n_candidates="all").width == 149
    assert problem.n_var == 150 * 12
    assert (problem.xu >= 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"n_candidates": "all"}, {"n_candidates": 2000}])
def test_the_literal_form_is_refused_for_many_samples(options):
    X = np.random.default_rng(0).random((2001, 2))
    with pytest.raises(ValueError, match=r"not allowed above 2000 .* set n_candidates=None \(16"):
        SRMOSCProblem(X, **options)
    with pytest.raises(ValueError, match=r"2001 samples, which exceeds max_memory.* set n_candidates=None"):
        SRMOSCProblem(X, force=True, max_memory=2**30, **options)
    assert SRMOSCProblem(X, force=True, **options).width == 2000
    assert SRMOSCProblem(X, n_candidates=1999).width == 1999


def test_memory_is_reckoned_for_the_population(X):
    with pytest.raises(ValueError, match="a population of 100 and its offspring require"):
        SRMOSCProblem(X, max_memory=10**6)
    SRMOSCProblem(X, max_memory=10**6, pop_size=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_candidates": 0}, "n_candidates must be an integer of at least 1, got 0"),
        ({"n_candidates": "most"}, "n_candidates must be an integer"),
        ({"rho": -1.0}, "rho must"),
        ({"rho": "big"}, "rho must"),
        ({"rho": np.nan}, "rho must"),
        ({"metric": "precomputed"}, "metric must not"),
        ({"ties": "none"}, "ties must"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        SRMOSCProblem(CORNERS, **options)


def test_one_sample_is_too_few():
    with pytest.raises(ValueError, match="at least 2 samples"):
        SRMOSCProblem([[1.0]])


def forbidden_lists(problem, y):
    rows = np.arange(len(y))[:, None]
    real = problem.lists.indices >= 0
    return (y[rows] >= 0) & (y[problem.lists.indices] >= 0) & (y[rows] != y[problem.lists.indices]) & real


def test_conflicts_are_taken_out_before_the_nearest(X):
    y = np.where(np.random.default_rng(0).random(150) < 0.5, load_iris().target, -1)
    problem = SRMOSCProblem(X, groups=constraint_groups(150, y), random_state=0)
    assert not forbidden_lists(problem, y).any()
    assert (problem.lists.n_admissible == problem.width).all()  # others take their place
    assert forbidden_lists(SRMOSCProblem(X, random_state=0), y).any()


def test_ragged_candidates():
    y = np.array([0, 1, 1, 1, -1])
    X = np.arange(10.0).reshape(5, 2)
    problem = SRMOSCProblem(X, n_candidates=3, groups=constraint_groups(5, y))
    np.testing.assert_array_equal(problem.lists.n_admissible, [1, 3, 3, 3, 3])
    algorithm = NSGA2(
        pop_size=8,
        sampling=SparseRowSampling(),
        crossover=RowUniformCrossover(),
        mutation=SupportMutation(prob=1.0),
        eliminate_duplicates=False,
    )
    result = minimize(problem, algorithm, ("n_gen", 10), seed=0)
    weights = problem.weights(result.pop.get("X"))
    assert not weights[:, problem.lists.indices < 0].any()
    F = [by_matrix(problem, x) for x in result.pop.get("X")]
    np.testing.assert_allclose(result.pop.get("F"), F, rtol=1e-6, atol=1e-9)


def operators(**options):
    return {
        "sampling": SparseRowSampling(),
        "crossover": RowUniformCrossover(),
        "mutation": SupportMutation(),
        "eliminate_duplicates": False,
        **options,
    }


@pytest.mark.parametrize("labelled", [False, True])
def test_tables_are_direct_objectives_after_fifty_generations(X, labelled):
    y = np.where(np.random.default_rng(1).random(150) < 0.4, load_iris().target, -1)
    groups = constraint_groups(150, y) if labelled else None
    problem = SRMOSCProblem(X, groups=groups, random_state=0)
    algorithm = NSGA2(pop_size=20, evaluator=RowTableEvaluator(), **operators())
    result = minimize(problem, algorithm, ("n_gen", 51), seed=3)
    assert result.algorithm.evaluator.n_eval == 51 * 20
    errors, sizes = problem.row_tables(result.pop.get("X"))
    np.testing.assert_array_equal(result.pop.get("row_errors"), errors)
    np.testing.assert_array_equal(result.pop.get("row_sizes"), sizes)
    np.testing.assert_allclose(result.pop.get("F"), problem.evaluate(result.pop.get("X"))[0], rtol=1e-12)
    expected = [by_matrix(problem, x) for x in result.pop.get("X")]
    np.testing.assert_allclose(result.pop.get("F"), expected, rtol=1e-9)
    assert sizes.min() >= 1
    assert result.pop.get("X").min() >= 0
    if labelled:
        for x in result.pop.get("X"):
            S = problem.graph(x).tocoo()
            known = (y[S.row] >= 0) & (y[S.col] >= 0)
            assert (y[S.row] == y[S.col])[known].all()
            assert (S.row != S.col).all()


def test_plain_evaluation_gives_the_same_run(problem):
    runs = []
    for evaluator in (None, RowTableEvaluator()):
        algorithm = NSGA2(pop_size=12, evaluator=evaluator, **operators())
        runs.append(minimize(problem, algorithm, ("n_gen", 8), seed=1).pop.get("X"))
    np.testing.assert_array_equal(*runs)


def test_pymoos_own_operators():
    data = np.random.default_rng(0).random((20, 2))
    problem = SRMOSCProblem(data, n_candidates=3, random_state=0)
    result = minimize(problem, NSGA2(pop_size=12), ("n_gen", 4), seed=1)
    expected = [by_matrix(problem, x.astype(np.float32)) for x in result.X]
    np.testing.assert_allclose(result.F, expected, rtol=1e-9)
    mixed = minimize(problem, NSGA2(pop_size=12, mutation=SupportMutation()), ("n_gen", 4), seed=1)
    expected = [by_matrix(problem, x.astype(np.float32)) for x in mixed.X]
    np.testing.assert_allclose(mixed.F, expected, rtol=1e-9)


def test_evolution_comes_nearer_to_the_hull(problem):
    from moo_clustering.fronts import srmosc_hull_front

    hull = srmosc_hull_front(problem).F
    ratios = []
    for n_gen in (1, 40):
        F = minimize(problem, NSGA2(pop_size=40, **operators()), ("n_gen", n_gen), seed=0).F
        ratios.append((F[:, 0] / np.interp(F[:, 1], hull[:, 1], hull[:, 0])).mean())
    assert ratios[1] < 0.95 * ratios[0]
    assert ratios[1] > 1


def test_components(problem):
    x = np.zeros((150, problem.width), dtype=np.float32)
    x[:, 0] = 1  # nearest neighbours alone
    labels = problem.decode(x.reshape(1, -1))
    assert labels.shape == (1, 150)
    assert labels[0, 0] == 0
    assert (labels[0] == labels[0, problem.lists.indices[:, 0]]).all()


def test_copies_share_data(problem):
    assert copy.deepcopy(problem).X is problem.X


@pytest.mark.parametrize(("given", "width"), [(1, 1), (3, 3), (99, 11), ("all", 11), (None, 6)])
def test_number_of_candidates(given, width):
    # 12 samples: 2 (floor(ln 12) + 1) = 6, at most the 11 others.
    assert SRMOSCProblem(np.arange(12.0)[:, None], n_candidates=given).width == width


def test_values_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match=r"values so large that squared distances overflow.*rescale it"):
        SRMOSCProblem(CORNERS * 1e160)


@pytest.mark.parametrize(("offset", "warns"), [(1e5, False), (1e7, True)])
def test_samples_far_from_the_origin_are_warned_about(offset, warns):
    # Variance 0.5 in all; squared lengths of 2e10 and 2e14.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SRMOSCProblem(CORNERS + offset, random_state=0)
    assert ["rounding errors would determine the links" in str(one.message) for one in caught] == [
        True
    ] * warns
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SRMOSCProblem(np.full((4, 2), offset), rho=0.0)  # equal samples lose nothing


def test_lists_of_other_samples_are_refused():
    lists = lists_from_arrays([[1], [0], [1]], np.ones((3, 1)), n_samples=3)
    with pytest.raises(ValueError, match="lists and X must have the same number of samples, got 3 and 4"):
        SRMOSCProblem(CORNERS, lists=lists)
