"""Seeds of clusters in subspaces: what is computed from them."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.util.ref_dirs import get_reference_directions
from scipy.sparse import csr_array

from moo_clustering._targets import partial_targets
from moo_clustering.algorithms import evolve
from moo_clustering.operators import (
    AlignedSeedCrossover,
    CanonicalDuplicates,
    DistantSeedMutation,
    EncodingRepair,
    EncodingSampling,
    MutationChoice,
    SeedSampling,
    SweepSeedMutation,
)
from moo_clustering.problems import SubspaceClusteringProblem
from moo_clustering.subspace import SubspaceData, SubspaceOptions

ALL = ("dispersion", "impurity", "n_clusters", "chi_square")
OPTIONS = SubspaceOptions(fuzziness=1.6, weight_exponent=3.0, chi_weight=0.4)
FEW = settings(max_examples=15, deadline=None)


def documents(seed=0, n=24, m=9, multilabel=True, labelled=0.5):
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 3, size=n)
    X = (rng.random((n, m)) < np.where(np.arange(m) % 3 == topic[:, None], 0.8, 0.2)).astype(float)
    X[0], X[1] = 0.0, 1.0  # no feature is constant
    known = rng.random(n) < labelled
    known[:3] = True
    y = np.where(known, topic, -1)
    if multilabel:
        Y = np.eye(3)[topic]
        Y[rng.random(Y.shape) < 0.2] = 1.0
        y = np.where(known[:, None], Y, -1)
    return X, y


def problem_of(seed=0, *, n_seeds=4, k_min=None, objectives=ALL, multilabel=True, **kwargs):
    X, y = documents(seed, multilabel=multilabel)
    kwargs.setdefault("options", OPTIONS)
    return SubspaceClusteringProblem(X, y, n_seeds=n_seeds, k_min=k_min, objectives=objectives, **kwargs)


def share(values):
    total = sum(values)
    return [value / total for value in values]


def naive_impurity(p, multilabel):
    if multilabel:
        gini = sum(2 * v * (1 - v) for v in p)
        return gini * sum(-u * np.log(u) for v in p for u in (v, 1 - v) if u > 0)
    return (1 - sum(v * v for v in p)) * sum(-v * np.log(v) for v in p if v > 0)


def naive_shares(W, Y, known):
    return [
        [sum(W[j][c] * Y[j][t] for j in known) / sum(W[j][c] for j in known) for t in range(len(Y[0]))]
        for c in range(len(W[0]))
    ]


def naive_memberships(d, imp, f):
    return [share([(v * (1 + i)) ** (-1 / (f - 1)) for v, i in zip(row, imp, strict=True)]) for row in d]


def naive_distances(X, Z, lam, q):
    m = len(X[0])
    return [
        [
            sum((m * w) ** q * (z - v) ** 2 for v, z, w in zip(x, Z[c], lam[c], strict=True))
            for c in range(len(Z))
        ]
        for x in X
    ]


def naive(X, y, seeds, n_sweeps, options, multilabel):
    """Objectives and labels of one individual, equation by equation."""
    (n, m), k = X.shape, len(seeds)
    f, q, gamma, floor = options.fuzziness, options.weight_exponent, options.chi_weight, options.floor
    if multilabel:
        known = [j for j in range(n) if y[j][0] >= 0]
        Y = np.maximum(y, 0)
    else:
        known = [j for j in range(n) if y[j] >= 0]
        Y = [[float(y[j] == t) for t in range(3)] for j in range(n)]
    overall = [sum(Y[j][t] for j in known) / len(known) for t in range(len(Y[0]))]
    whole = naive_impurity(overall, multilabel)
    mean = X.mean(axis=0)
    Z, lam = [X[s] / 2 + mean / 2 for s in seeds], [[1 / m] * m] * k
    W = naive_memberships(naive_distances(X, Z, lam, q), [0.0] * k, f)
    for _ in range(n_sweeps):
        S = [sum(W[j][c] ** f for j in range(n)) for c in range(k)]
        Z = [[sum(W[j][c] ** f * X[j][i] for j in range(n)) / S[c] for i in range(m)] for c in range(k)]
        imp = [naive_impurity(p, multilabel) / whole for p in naive_shares(W, Y, known)]
        chi, lam = [], []
        for c in range(k):
            size = sum(W[j][c] for j in range(n))
            chi.append([])
            for i in range(m):
                a = sum(W[j][c] * X[j][i] for j in range(n))
                b, e = X[:, i].sum() - a, size - a
                g = n - size - b
                chi[c].append(n * (a * g - b * e) ** 2 / ((a + e) * (b + g) * (a + b) * (e + g)))
            D = [sum(W[j][c] ** f * (Z[c][i] - X[j][i]) ** 2 for j in range(n)) for i in range(m)]
            M = [max(D[i] * (1 + imp[c]) + gamma * chi[c][i], floor) for i in range(m)]
            lam.append(share([v ** (-1 / (q - 1)) for v in M]))
        d = naive_distances(X, Z, lam, q)
        W = naive_memberships(d, imp, f)
    final = [naive_impurity(p, multilabel) / whole for p in naive_shares(W, Y, known)]
    return [
        sum(W[j][c] ** f * d[j][c] for j in range(n) for c in range(k)) / n,
        sum(W[j][c] * final[c] for j in known for c in range(k)) / len(known),
        k,
        sum((m * lam[c][i]) ** q * chi[c][i] for c in range(k) for i in range(m)),
    ], np.argmax(W, axis=1)


@pytest.mark.parametrize("n_sweeps", [1, 3])
@pytest.mark.parametrize("multilabel", [False, True])
def test_objectives_are_those_of_plain_loops(multilabel, n_sweeps):
    X, y = documents(2, multilabel=multilabel)
    for data in (X, csr_array(X)):
        problem = SubspaceClusteringProblem(
            data, y, n_seeds=4, k_min=2, n_sweeps=n_sweeps, objectives=ALL, options=OPTIONS
        )
        for row in ([5, 9, 2, 14], [3, -1, 20, -1]):
            F, labels = naive(X, y, [s for s in row if s >= 0], n_sweeps, OPTIONS, multilabel)
            assert_allclose(problem.evaluate(np.array([row]))[0], F, rtol=1e-8)
            used = np.unique(labels, return_inverse=True)[1]
            assert_array_equal(problem.decode(row)[0], used)


def test_only_the_objectives_asked_for():
    every = problem_of()
    row = np.array([[3, 8, 1, 20]])
    some = problem_of(objectives=["chi_square", "dispersion"])
    assert some.objective_names == ("chi_square", "dispersion")
    assert_array_equal(some.evaluate(row), every.evaluate(row)[:, [3, 0]])
    assert_array_equal(some.natural([1.0, 2.0]), [1.0, 2.0])


@given(seed=st.integers(0, 10**6))
@FEW
def test_the_order_of_the_seeds_means_nothing(seed):
    rng = np.random.default_rng(seed)
    problem = problem_of(k_min=2)
    X = problem.encoding.random(6, rng)
    shuffled = rng.permuted(X, axis=1)
    assert_array_equal(problem.evaluate(X), problem_of(k_min=2).evaluate(shuffled))
    for one, other in zip(problem.decode(X), problem.decode(shuffled), strict=True):
        # The same partition, numbered by the order of the seeds.
        pairs = np.unique(np.stack([one, other]), axis=1)
        assert pairs.shape[1] == one.max() + 1 == other.max() + 1


def test_labels_are_numbered_by_the_seeds_without_gaps():
    problem = problem_of(5)
    X = problem.encoding.random(30, np.random.default_rng(0))
    labels = problem.decode(X)
    assert labels.dtype == np.int32
    assert labels.shape == (30, problem.n_samples)
    for x, row in zip(X, labels, strict=True):
        assert_array_equal(np.unique(row), np.arange(row.max() + 1))
        done = problem.fit_individual(x)
        assert_array_equal(np.unique(done.memberships.argmax(axis=1), return_inverse=True)[1], row)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_population_is_its_individuals_on_any_number_of_threads(dtype):
    X = problem_of().encoding.random(12, np.random.default_rng(1))
    X = np.concatenate([X, X[:3]])
    together = problem_of(dtype=dtype).evaluate(X)
    one_by_one = np.concatenate([problem_of(dtype=dtype).evaluate(x[None]) for x in X])
    assert_array_equal(together, one_by_one)
    for n_jobs in (2, 8):
        problem = problem_of(dtype=dtype, n_jobs=n_jobs)
        assert_array_equal(problem.evaluate(X), together)
        assert_array_equal(problem.decode(X), problem_of(dtype=dtype).decode(X))


def test_unlabelled_documents_have_no_say():
    X, y = documents()
    targets = partial_targets(y, len(X))
    poisoned = copy.deepcopy(targets)
    poisoned.indicators[~targets.labelled] = 7.0
    rows = problem_of().encoding.random(8, np.random.default_rng(2))
    values = [
        SubspaceClusteringProblem(X, t, n_seeds=4, objectives=ALL).evaluate(rows)
        for t in (y, targets, poisoned)
    ]
    assert_array_equal(values[0], values[1])
    assert_array_equal(values[0], values[2])


def test_without_labels():
    X, _ = documents()
    with pytest.raises(ValueError, match="'impurity' requires labels"):
        SubspaceClusteringProblem(X, n_seeds=3)
    with pytest.raises(ValueError, match="'impurity' requires labels; label samples in y"):
        SubspaceClusteringProblem(X, np.full(len(X), -1), n_seeds=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem = SubspaceClusteringProblem(X, n_seeds=3, objectives=("dispersion", "chi_square"))
        assert np.isfinite(problem.evaluate(np.array([[0, 5, 9]]))).all()


def test_what_was_met_before_costs_nothing():
    problem = problem_of()
    X = problem.encoding.random(6, np.random.default_rng(3))
    F = problem.evaluate(X)
    assert problem.n_grown == 6
    assert_array_equal(problem.evaluate(X[::-1, ::-1]), F[::-1])
    problem.center_distances(X), problem.cluster_centers(X), problem.central_documents(X)
    assert problem.n_grown == 6
    forgetful = problem_of(memory=0)
    assert_array_equal(forgetful.evaluate(X), F)
    assert_array_equal(forgetful.center_distances(X), problem.center_distances(X))
    assert_array_equal(forgetful.central_documents(X), problem.central_documents(X))
    assert forgetful.n_grown > 6
    assert_array_equal(forgetful.evaluate(X), F)


def test_what_operators_ask_for_follows_the_seeds():
    problem = problem_of(4, k_min=2)
    for x in ([7, 2, 19, 11], [-1, 19, -1, 7]):
        done = problem.fit_individual(x)
        k = sum(s >= 0 for s in x)
        assert done.memberships.shape[1] == len(done.shares) == len(done.impurities) == k
        assert_allclose(problem.cluster_centers([x])[0], done.centers.T, rtol=1e-6)
        assert_allclose(problem.center_distances([x])[0], done.distances.min(axis=1), rtol=1e-6)
        (written,) = problem.central_documents([x])
        assert_array_equal(written < 0, np.array(x) < 0)
        chosen = written[written >= 0]
        assert len(set(chosen)) == k
        # No exchange of two documents, or for one that is free, makes the sum greater.
        w = done.memberships
        free = np.setdiff1d(np.arange(problem.n_samples), chosen)
        for c, j in enumerate(chosen):
            assert w[j, c] >= w[free, c].max() - 1e-12
            for e, i in enumerate(chosen):
                assert w[j, c] + w[i, e] >= w[i, c] + w[j, e] - 1e-12


def test_copies_share_the_data_and_pickles_compute_the_same():
    problem = problem_of()
    X = problem.encoding.random(4, np.random.default_rng(4))
    F = problem.evaluate(X)
    copied = copy.deepcopy(problem)
    assert copied.encoding is problem.encoding
    assert copied.targets is problem.targets
    assert_array_equal(copied.evaluate(X), F)
    assert copied.n_grown == 4
    loaded = pickle.loads(pickle.dumps(problem))
    before = loaded.n_grown
    assert_array_equal(loaded.evaluate(X), F)
    assert loaded.n_grown == before + 4


def test_ready_data_and_encoding_of_partitions():
    X, y = documents(labelled=1.0, multilabel=False)
    problem = SubspaceClusteringProblem(SubspaceData.of(X), y, n_seeds=5, k_min=2)
    encoding = problem.encoding
    (row,) = encoding.encode(y[None])
    assert_array_equal(y[row[:3]], [0, 1, 2])
    assert_array_equal(row[3:], -1)
    assert encoding.encode(np.zeros((1, len(X)), dtype=int)).max() > -1
    means = [X[y == c].mean(axis=0) for c in range(3)]
    for c in range(3):
        apart = ((X - means[c]) ** 2).sum(axis=1)
        assert_allclose(apart[row[c]], apart[y == c].min())


def test_the_fewest_and_the_most_clusters():
    X, y = documents()
    whole = SubspaceClusteringProblem(X, y, n_seeds=len(X))
    F = whole.evaluate(np.arange(len(X))[None])
    assert np.isfinite(F).all()
    assert_array_equal(
        np.unique(whole.decode(np.arange(len(X)))), np.arange(whole.decode(np.arange(24)).max() + 1)
    )
    one = SubspaceClusteringProblem(X, y, n_seeds=1, objectives=ALL)
    assert_array_equal(one.decode([[4]]), np.zeros((1, len(X))))
    # One cluster is as mixed as all labelled documents.
    assert_allclose(one.evaluate(np.array([[4]]))[0, 1], 1.0)


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"n_seeds": 25}, ValueError, "n_seeds=25"),
        ({"n_seeds": 3, "k_min": 4}, ValueError, "k_min=4"),
        ({"n_seeds": 2.5}, TypeError, "integer"),
        ({"n_sweeps": 0}, ValueError, "n_sweeps must be an integer from 1 to 3, got 0"),
        ({"n_sweeps": True}, TypeError, "n_sweeps must be an integer"),
        ({"objectives": ()}, ValueError, "one or more unique names"),
        ({"objectives": ("purity",)}, ValueError, "'purity'"),
        ({"objectives": ("impurity", "impurity")}, ValueError, "one or more unique names"),
    ],
)
def test_options_out_of_range(kwargs, error, text):
    X, y = documents()
    with pytest.raises(error, match=text):
        SubspaceClusteringProblem(X, y, **{"n_seeds": 4, **kwargs})


@pytest.mark.parametrize("row", [[0, 0, 1, 2], [-1, -1, -1, -1], [0, 1, 2, 24], [0, 1, 2, -2]])
def test_genotypes_that_are_none_are_refused(row):
    with pytest.raises(ValueError, match="EncodingRepair"):
        problem_of().evaluate(np.array([row]))


def test_targets_of_other_documents_are_refused():
    X, y = documents()
    with pytest.raises(ValueError, match="y and X must have the same number of samples, got 5 and 24"):
        SubspaceClusteringProblem(X, partial_targets(y, 24).subset(np.arange(5)), n_seeds=3)


def algorithms(n_obj):
    mutation = MutationChoice([DistantSeedMutation(), SweepSeedMutation()])
    parts = {"sampling": SeedSampling(), "crossover": AlignedSeedCrossover(), "mutation": mutation}
    if n_obj == 1:
        return [GA(pop_size=8, **parts)]
    dirs = get_reference_directions("das-dennis", n_obj, n_partitions=3)
    return [
        NSGA2(pop_size=8, **parts),
        NSGA3(dirs, pop_size=12, **parts),
        AGEMOEA(pop_size=8, **parts),
        SMSEMOA(pop_size=8, n_offsprings=8, **parts),
    ]


@pytest.mark.parametrize(
    "objectives", [("impurity",), pytest.param(("dispersion", "impurity"), marks=pytest.mark.slow), ALL[:3]]
)
def test_runs_in_pymoo(objectives):
    for algorithm in algorithms(len(objectives)):
        problem = problem_of(k_min=2, objectives=objectives)
        algorithm.eliminate_duplicates = CanonicalDuplicates(problem.encoding)
        algorithm.mating.eliminate_duplicates = algorithm.eliminate_duplicates
        result = evolve(problem, algorithm, n_gen=3, seed=1)
        X = problem.encoding.seeds(np.atleast_2d(result.pop.get("X")))
        assert_array_equal(problem.encoding.repair(X), X)
        assert_array_equal(
            problem_of(k_min=2, objectives=objectives).evaluate(X).reshape(len(X), -1), result.pop.get("F")
        )


def test_operators_for_any_encoding_fit():
    problem = problem_of(k_min=2)
    X = EncodingSampling().do(problem, 5, random_state=np.random.default_rng(0)).get("X")
    assert_array_equal(EncodingRepair()._do(problem, X), X)
    fixed = EncodingRepair()._do(problem, np.array([[3.2, 3.0, -1.0, 99.0]]))
    assert_array_equal(fixed, [[3, 0, -1, -1]])


def test_natural_objectives_are_those_of_the_search():
    problem = problem_of(objectives=("dispersion", "n_clusters"))
    assert_array_equal(problem.natural([[1, 2], [3, 4]]), [[1.0, 2.0], [3.0, 4.0]])
    for F, shape in (([[1, 2, 3]], r"\(1, 3\)"), (5.0, r"\(\)")):
        with pytest.raises(ValueError, match=f"F must have 2 columns, one per objective; got shape {shape}"):
            problem.natural(F)


def test_one_objective_need_not_be_in_a_list():
    assert problem_of(objectives="impurity").objective_names == ("impurity",)
    X = np.arange(4)[None]
    alone, listed = (problem_of(objectives=given).evaluate(X) for given in ("impurity", ["impurity"]))
    assert_array_equal(alone, listed)


def test_copies_of_the_encoding_share_the_data():
    encoding = problem_of().encoding
    assert copy.deepcopy(encoding) is encoding
