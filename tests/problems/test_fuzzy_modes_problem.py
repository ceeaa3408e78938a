"""FuzzyModesProblem: what is scored is what the formulas say, for whole populations at once."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.operators.crossover.pntx import SinglePointCrossover
from pymoo.optimize import minimize

from moo_clustering.algorithms import PESA2
from moo_clustering.operators import ModesMutation, ModesSampling
from moo_clustering.problems import FuzzyModesProblem, categories
from moo_clustering.problems import categories as module
from moo_clustering.problems.categories import compactness, powered, separation
from moo_clustering.problems.centers import fuzzy_memberships

EXAMPLE = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [2, 1, 2], [2, 2, 2]])
TWO = np.array([[0, 0, 1, 2, 1, 2]])
THREE = np.array([[0, 0, 1, 2, 1, 2, 0, 1, 1]])
METRICS = pytest.mark.parametrize("metric", ["hamming", "euclidean"])


def distance(x, z, metric):
    return float(np.sum(x != z)) if metric == "hamming" else float(np.sqrt(np.sum((x - z) ** 2)))


def naive_memberships(points, modes, m, metric):
    u = np.zeros((len(modes), len(points)))
    for k, x in enumerate(points):
        d = [distance(x, z, metric) for z in modes]
        if 0.0 in d:
            u[:, k] = [1.0 / d.count(0.0) if value == 0.0 else 0.0 for value in d]
        else:
            u[:, k] = [1.0 / sum((own / other) ** (1 / (m - 1)) for other in d) for own in d]
    return u


def naive(X, modes, m, metric):
    """New modes, pi and sep, one number at a time."""
    u_m = naive_memberships(X, modes, m, metric) ** m
    new = np.array(modes, dtype=float)
    for i in range(len(modes)):
        if u_m[i].sum() == 0:
            continue
        for a in range(X.shape[1]):
            if metric == "euclidean":
                new[i, a] = (u_m[i] * X[:, a]).sum() / u_m[i].sum()
            else:
                sums = [round(u_m[i][X[:, a] == c].sum(), 9) for c in range(int(X[:, a].max()) + 1)]
                new[i, a] = sums.index(max(sums))
    u = naive_memberships(X, new, m, metric)
    pi = 0.0
    for i, z in enumerate(new):
        sigma = sum(u[i, k] ** m * distance(x, z, metric) for k, x in enumerate(X))
        pi += sigma / u[i].sum() if u[i].sum() > 0 else 0.0
    sep = 0.0
    for j in range(len(new)):
        others = [i for i in range(len(new)) if i != j]
        if others:
            mu = naive_memberships(new[[j]], new[others], m, metric)[:, 0]
            sep += sum(mu[r] ** m * distance(new[i], new[j], metric) for r, i in enumerate(others))
    return new, pi, sep


def test_worked_example_of_categories():
    problem = FuzzyModesProblem(EXAMPLE, 2)
    np.testing.assert_allclose(problem.memberships(TWO)[0, 0], [0.75, 1, 2 / 3, 0, 0.25])
    out = problem.evaluate(TWO, return_as_dictionary=True)
    np.testing.assert_array_equal(out["X"], TWO)
    np.testing.assert_allclose(problem.natural(out["F"]), [[0.8645833, 6.0]], atol=5e-8)
    np.testing.assert_array_equal(problem.decode(TWO), [[0, 0, 0, 1, 1]])
    three = FuzzyModesProblem(EXAMPLE, 3)
    out = three.evaluate(THREE, return_as_dictionary=True)
    np.testing.assert_allclose(three.natural(out["F"]), [[0.6793956, 2.6166667]], atol=5e-8)


def test_worked_example_of_numbers():
    X = np.array([[0.0], [1.0], [4.0], [6.0]])
    D = np.abs(np.array([[[0.5], [5.0]]]) - X.T)
    u = fuzzy_memberships(D, 2.0, axis=-2)
    np.testing.assert_allclose(u[0, 0], [0.909091, 0.888889, 0.222222, 0.153846], atol=5e-7)
    pi = compactness((powered(u, 2.0) * D).sum(axis=2), u.sum(axis=2))
    assert pi[0] == pytest.approx(1.2842541, abs=5e-8)
    assert separation(np.array([[[0, 4.5], [4.5, 0]]]), 2.0)[0] == 9.0
    np.testing.assert_allclose(FuzzyModesProblem(X, 2, metric="euclidean").memberships([[0.5, 5.0]]), u)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from([1.3, 2.0, 3.5]),
    st.sampled_from(["hamming", "euclidean"]),
    st.integers(0, 10**6),
)
def test_one_number_at_a_time(n, p, k, m, metric, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p))
    k = min(k, n)
    problem = FuzzyModesProblem(X, k, metric=metric, fuzziness=m)
    genes = X[rng.integers(0, n, (4, k))].reshape(4, -1)
    out = problem.evaluate(genes, return_as_dictionary=True)
    for row in range(4):
        modes, pi, sep = naive(X, genes[row].reshape(k, p), m, metric)
        np.testing.assert_allclose(out["X"][row].reshape(k, p), modes, atol=1e-9)
        np.testing.assert_allclose(problem.natural(out["F"])[row], [pi, sep], atol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
def test_hamming_products_are_loops(sparse, monkeypatch):
    if sparse:
        monkeypatch.setattr(categories, "SPARSE_CATEGORIES", 0)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, c, 700) for c in (2, 9, 1, 40)])
    problem = FuzzyModesProblem(X, 3)
    modes = problem.modes(X[rng.integers(0, 700, (5, 3))].reshape(5, -1))
    D = problem.space.distances(modes, slice(100, 600))
    expected = (X[None, None, 100:600] != modes[:, :, None]).sum(axis=3)
    np.testing.assert_array_equal(D, expected)
    weights = rng.random((5, 3, 700))
    sums = problem.space.sums(weights, slice(0, 700))
    for a, lo in enumerate(problem.space.starts[:-1]):
        for c in range(problem.space.categories[a]):
            np.testing.assert_allclose(sums[:, :, lo + c], weights[:, :, X[:, a] == c].sum(axis=2))


def test_ties_of_categories_go_to_the_smallest_code():
    X = np.array([[2], [1], [1], [2], [0]])
    problem = FuzzyModesProblem(X, 1)
    np.testing.assert_array_equal(problem.evaluate([[2]], return_as_dictionary=True)["X"], [[1]])


@METRICS
@pytest.mark.parametrize("m", [1.05, 2.0, 5.0])
def test_memberships_sum_to_one_with_zero_distances_and_equal_modes(metric, m):
    X = np.array([[0, 0], [0, 0], [1, 2], [3, 1]])
    problem = FuzzyModesProblem(X, 3, metric=metric, fuzziness=m)
    u = problem.memberships([[0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0], [0, 0, 1, 2, 3, 1]])
    np.testing.assert_allclose(u.sum(axis=1), 1.0)
    np.testing.assert_allclose(u[0, :, :3], [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    np.testing.assert_allclose(u[1], 1 / 3)
    np.testing.assert_allclose(u[2], [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    out = problem.evaluate(np.array([[0, 0, 0, 0, 0, 0]]), return_as_dictionary=True)
    assert np.isfinite(out["F"]).all()
    assert out["F"][0, 1] == 0.0


@METRICS
def test_modes_without_members_stay(metric):
    X = np.array([[0, 0], [0, 0], [3, 3], [3, 3]])
    problem = FuzzyModesProblem(X, 3, metric=metric)
    out = problem.evaluate(np.array([[0, 0, 3, 3, 1, 2]]), return_as_dictionary=True)
    np.testing.assert_array_equal(out["X"], [[0, 0, 3, 3, 1, 2]])
    assert out["F"][0, 0] == 0.0
    np.testing.assert_array_equal(problem.decode(out["X"]), [[0, 0, 1, 1]])


@METRICS
def test_a_single_mode(metric):
    problem = FuzzyModesProblem(EXAMPLE, 1, metric=metric)
    out = problem.evaluate(np.array([[0, 0, 0]]), return_as_dictionary=True)
    mode = [0, 0, 1] if metric == "hamming" else EXAMPLE.mean(axis=0)
    np.testing.assert_allclose(out["X"], [mode])
    np.testing.assert_allclose(
        out["F"], [[np.mean([distance(x, np.array(mode), metric) for x in EXAMPLE]), 0.0]]
    )


def crowd(metric, n=1300, k=3, pop=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 5)) if metric == "hamming" else rng.normal(size=(n, 5))
    problem = FuzzyModesProblem(X, k, metric=metric)
    return problem, problem.space.data[rng.integers(0, n, (pop, k))].reshape(pop, -1)


@METRICS
def test_company_blocks_and_threads_change_no_bit(metric, monkeypatch):
    problem, genes = crowd(metric)
    F, X = (problem.evaluate(genes, return_as_dictionary=True)[key] for key in "FX")
    for row in (0, 17, 39):
        alone = problem.evaluate(genes[[row]], return_as_dictionary=True)
        np.testing.assert_array_equal(alone["F"][0], F[row])
        np.testing.assert_array_equal(alone["X"][0], X[row])
    threads = FuzzyModesProblem(problem.space.data, 3, metric=metric, n_jobs=3)
    monkeypatch.setattr(module, "LEAST_PER_THREAD", 0)
    np.testing.assert_array_equal(threads.evaluate(genes), F)
    monkeypatch.setattr(module, "BLOCK_ITEMS", 1)
    np.testing.assert_array_equal(problem.evaluate(genes), F)
    np.testing.assert_array_equal(problem.decode(genes), problem.decode(genes[:40]))


@METRICS
def test_equal_genotypes_and_other_orders_of_modes_are_equal(metric):
    problem, genes = crowd(metric, n=200)
    order = np.array([2, 0, 1])
    permuted = genes.reshape(-1, 3, 5)[:, order].reshape(len(genes), -1)
    both = problem.evaluate(np.vstack([genes, permuted, genes]), return_as_dictionary=True)
    first, second, third = np.split(both["F"], 3)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)
    X = both["X"].reshape(3, -1, 3, 5)
    np.testing.assert_array_equal(X[0][:, order], X[1])
    np.testing.assert_array_equal(problem.canonical(genes), problem.canonical(permuted))


def test_names_of_categories_do_not_matter():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 4, (90, 6))
    names = np.array([rng.permutation(4) for _ in range(6)])
    renamed = names[np.arange(6), X]
    rows = rng.integers(0, 90, (20, 3))
    here, there = FuzzyModesProblem(X, 3), FuzzyModesProblem(renamed, 3)
    one = here.evaluate(X[rows].reshape(20, -1), return_as_dictionary=True)
    two = there.evaluate(renamed[rows].reshape(20, -1), return_as_dictionary=True)
    np.testing.assert_allclose(one["F"], two["F"], rtol=1e-12)
    np.testing.assert_array_equal(
        names[np.arange(6), one["X"].reshape(20, 3, 6).astype(int)].reshape(20, -1), two["X"]
    )


@METRICS
def test_order_of_samples_does_not_matter(metric):
    problem, genes = crowd(metric, n=150)
    order = np.random.default_rng(1).permutation(150)
    shuffled = FuzzyModesProblem(problem.space.data[order], 3, metric=metric)
    np.testing.assert_allclose(shuffled.evaluate(genes), problem.evaluate(genes), rtol=1e-10)
    np.testing.assert_array_equal(shuffled.nearest(genes), problem.nearest(genes)[:, order])


def test_an_offset_costs_no_digits():
    X = np.random.default_rng(0).integers(0, 50, (60, 3)).astype(float)
    near, far = (FuzzyModesProblem(X + shift, 3, metric="euclidean") for shift in (0.0, 2.0**30))
    genes = X[np.arange(12).reshape(4, 3)].reshape(4, -1)
    np.testing.assert_allclose(far.evaluate(genes + 2.0**30), near.evaluate(genes), rtol=1e-7)


@METRICS
def test_evaluation_writes_modes_back_through_pymoo(metric):
    problem, genes = crowd(metric, n=100)
    pop = Evaluator().eval(problem, Population.new(X=genes))
    written = problem.evaluate(genes, return_as_dictionary=True)["X"]
    np.testing.assert_array_equal(pop.get("X"), written)
    assert not np.array_equal(written, genes)
    assert problem.modes(pop.get("X")).dtype == problem.space.dtype
    # Objectives are those of the written modes: only another update would change them.
    for row in range(3):
        modes = problem.modes(pop.get("X")[[row]])
        D = problem.space.distances(modes, slice(0, 100))
        u = fuzzy_memberships(D, 2.0, axis=-2)
        pi = compactness((u**2 * D).sum(axis=2), u.sum(axis=2))
        np.testing.assert_allclose(pop[row].F, [pi[0], -separation(problem.space.between(modes), 2.0)[0]])


OPERATORS = {
    "sampling": ModesSampling(),
    "crossover": SinglePointCrossover(prob=0.8),
    "mutation": ModesMutation(0.2),
}


@METRICS
@pytest.mark.parametrize("algorithm", [NSGA2, SPEA2, SMSEMOA, PESA2])
def test_algorithms(algorithm, metric):
    problem, _ = crowd(metric, n=60)
    first = problem.evaluate(ModesSampling()(problem, 20, random_state=np.random.default_rng(0)).get("X"))
    options = {} if algorithm is PESA2 else {"eliminate_duplicates": False}
    runs = [
        minimize(problem, algorithm(pop_size=20, **OPERATORS, **options), ("n_gen", 15), seed=3)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0].X, runs[1].X)
    assert runs[0].F[:, 0].min() < first[:, 0].min()
    # What is stored scores as stored: the values are of modes that data have.
    modes = problem.modes(runs[0].X)
    assert (modes >= problem.space.lower).all()
    assert (modes <= problem.space.upper).all()
    assert problem.decode(runs[0].X).shape == (len(runs[0].X), 60)


def test_history_shares_the_data():
    problem, genes = crowd("hamming")
    again = copy.deepcopy(problem)
    assert again.space is problem.space
    loaded = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(loaded.evaluate(genes), problem.evaluate(genes))


def test_modes_of_a_partition():
    problem = FuzzyModesProblem(EXAMPLE, 2)
    np.testing.assert_array_equal(problem.modes_of([0, 0, 0, 1, 1]), [[0, 0, 1], [2, 1, 2]])
    numbers = FuzzyModesProblem(EXAMPLE, 2, metric="euclidean")
    np.testing.assert_allclose(numbers.modes_of([0, 0, 0, 1, 1]), [[0, 1 / 3, 2 / 3], [2, 1.5, 2]])


def test_nothing_to_evaluate():
    problem = FuzzyModesProblem(EXAMPLE, 2)
    assert problem.evaluate(np.empty((0, 6), dtype=int)).shape == (0, 2)


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (EXAMPLE, {"n_clusters": 6}, ValueError, "from 1 to 5, the number of samples, got 6"),
        (EXAMPLE, {"n_clusters": 2.0}, TypeError, "n_clusters must be an integer"),
        (EXAMPLE, {"fuzziness": 1.0}, ValueError, "fuzziness must be a finite number above 1"),
        (EXAMPLE, {"fuzziness": "2"}, TypeError, "fuzziness must be a number above 1"),
        (EXAMPLE, {"metric": "cosine"}, ValueError, "metric must be one of"),
        (EXAMPLE + 0.5, {}, ValueError, "X contains other values"),
        (EXAMPLE - 1, {}, ValueError, "X contains -1"),
        (EXAMPLE * 10**6, {}, ValueError, r"column 0 of X contains 2000000 for 5 samples"),
        (EXAMPLE * 1e200, {"metric": "euclidean"}, ValueError, "squared distances overflow"),
        (EXAMPLE * np.nan, {"metric": "euclidean"}, ValueError, "NaN"),
    ],
)
def test_bad_data_and_options_are_named(X, options, error, message):
    with pytest.raises(error, match=message):
        FuzzyModesProblem(X, **{"n_clusters": 2, **options})


@pytest.mark.parametrize(
    ("metric", "genes", "message"),
    [
        ("hamming", [[0, 0, 1, 2, 1, 3]], "categories that are not in the data"),
        ("hamming", [[0, 0, 1, 2, 1, np.nan]], "categories that are not in the data"),
        ("euclidean", [[0, 0, 1, 2, 1, np.inf]], "finite modes"),
        ("hamming", [[0, 0, 1]], "6 genes per individual"),
    ],
)
def test_bad_genes_are_refused(metric, genes, message):
    with pytest.raises(ValueError, match=message):
        FuzzyModesProblem(EXAMPLE, 2, metric=metric).modes(genes)


def test_natural_objectives_have_a_separation_that_is_maximised():
    problem = FuzzyModesProblem(EXAMPLE, 2)
    np.testing.assert_array_equal(problem.natural([[1, -2], [3, -4]]), [[1, 2], [3, 4]])
    for F in (5.0, [[1, 2, 3]]):
        with pytest.raises(ValueError, match="F must have 2 columns, one per objective; got shape"):
            problem.natural(F)


@METRICS
def test_distances_of_any_rows_from_modes(metric):
    rows, modes = np.array([[0, 0], [-1, 4], [3, 4]]), np.array([[0, 4], [3, 4]])
    expected = {"hamming": [[1, 1, 1], [2, 1, 0]], "euclidean": [[4, 1, 3], [5, 4, 0]]}[metric]
    np.testing.assert_array_equal(categories.mode_distances(rows, modes, metric), expected)
