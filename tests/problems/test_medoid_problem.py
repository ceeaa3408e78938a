"""NSGA-II-clus: decoding with write-back, objectives, supervision, and both forms of the distances."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.optimize import minimize
from scipy.spatial.distance import cdist

from moo_clustering._kernels import threads as parts
from moo_clustering.constraints import PairwiseConstraints, satisfied_from_labels
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.encodings import medoid_spaces as _medoid_memo
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    EncodingSampling,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSwapMutation,
    PrefixUnionCrossover,
)
from moo_clustering.problems import MedoidProblem
from tests.validity.medoid_indices import i_index, xie_beni

X_LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
LINE = np.abs(X_LINE - X_LINE.T)
COSINE_MICRO = np.array([[1, 0], [1, 1], [0, 1], [0, 2], [0, 0]])


def line(**options):
    return MedoidProblem(LINE, **{"k_max": 3, "metric": "precomputed", **options})


def evaluated(problem, Z):
    return problem.evaluate(np.asarray(Z), return_as_dictionary=True)


# The definitions, one individual at a time.


def naive_assign(D, z):
    labels = [min(range(len(z)), key=lambda j: (D[i, z[j]], j)) for i in range(len(D))]
    for j, medoid in enumerate(z):
        labels[medoid] = j
    return labels


def naive_update(D, labels):
    clusters = [[i for i in range(len(D)) if labels[i] == c] for c in range(max(labels) + 1)]
    return [min(c, key=lambda i: (round(sum(D[i, j] for j in c), 9), i)) for c in clusters]


def naive_objectives(D, z, labels):
    n, k = len(D), len(z)
    e = [D[i, z[labels[i]]] for i in range(n)]
    if k < 2:
        return 1e12, 0.0
    apart = [D[a, b] for a in z for b in z if a < b]
    floor = 1e-12 * (D**2).mean()
    if floor == 0:
        return 0.0, 0.0
    e1 = D.sum(axis=1).min()
    xb = sum(d**2 for d in e) / (n * max(min(apart) ** 2, floor))
    return xb, (e1 / max(sum(e), 1e-12 * e1) * max(apart) / k) ** 2


def naive_decode(D, z, mode, n_local):
    labels = naive_assign(D, z)
    if mode == "literal":
        return naive_update(D, labels), labels
    for _ in range(n_local):
        z = naive_update(D, labels)
        labels = naive_assign(D, z)
    return z, labels


def padded(z, width):
    return [*z, *[-1] * (width - len(z))]


@pytest.mark.parametrize(
    ("start", "mode", "medoids", "labels", "xb", "i"),
    [
        ((0, 2), "literal", (0, 3), [0, 0, 1, 1, 1, 1], 0.125, 142.159763313609),
        ((0, 2), "reassign", (0, 3), [0, 0, 0, 1, 1, 1], 0.025, 490.306122448980),
        ((2, 5), "literal", (1, 4), [0, 0, 0, 1, 1, 1], 0.0116666666666667, 961),
        ((2, 5), "reassign", (1, 4), [0, 0, 0, 1, 1, 1], 0.0116666666666667, 961),
        ((3, 4), "literal", (1, 4), [0, 0, 0, 0, 1, 1], 0.145, 142.159763313609),
        ((3, 4), "reassign", (1, 4), [0, 0, 0, 1, 1, 1], 0.0116666666666667, 961),
        ((0, 1, 5), "literal", (0, 1, 4), [0, 1, 1, 2, 2, 2], 1.0, 807.506944444444),
        ((0, 1, 5), "reassign", (0, 1, 4), [0, 1, 1, 2, 2, 2], 1.0, 807.506944444444),
    ],
)
def test_worked_examples_on_a_line(start, mode, medoids, labels, xb, i):
    problem = line(decode=mode)
    out = evaluated(problem, [padded(start, 3)])
    assert out["X"].tolist() == [padded(medoids, 3)]
    assert_allclose(problem.natural(out["F"]), [[xb, i]], rtol=1e-13)
    assert problem.partitions(Population.new(**out)).tolist() == [labels]


@pytest.mark.parametrize("form", ["matrix", "vector"])
@pytest.mark.parametrize("container", [np.array, scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_worked_example_in_cosine(form, container):
    problem = MedoidProblem(container(COSINE_MICRO), k_max=2, form=form)
    out = evaluated(problem, [[0, 3]])
    assert out["X"].tolist() == [[0, 2]]
    assert problem.decode(out["X"]).tolist() == [[0, 0, 1, 1, 0]]
    assert_allclose(problem.natural(out["F"]), [[0.217157287525381, 0.527861707941832]], rtol=1e-12)


def test_worked_scores_of_constraints():
    constraints = PairwiseConstraints([(0, 1), (3, 5)], [(0, 3), (1, 2), (2, 4)], n_samples=6)
    problem = line(constraints=constraints, supervision="crowding")
    out = evaluated(problem, [[1, 4, -1]])
    assert (out["must"].tolist(), out["cannot"].tolist()) == ([2], [2])
    assert_allclose(out["constraint_bonus"], [5 / 3])
    assert [score.tolist() for score in problem.constraint_scores([1, 4, -1])] == [[2], [2]]
    assert_allclose(
        evaluated(line(constraints=constraints, supervision="objective"), [[1, 4, -1]])["F"][0, 2], 1 / 3
    )


def test_worked_constrained_assignment():
    constraints = PairwiseConstraints([(2, 4)], [(0, 1)], n_samples=6)
    problem = line(constraints=constraints)
    assert problem.constrained_labels([[0, 5, -1]]).tolist() == [[0, 1, 0, 1, 0, 1]]
    # A conflict may cost less than the way to the other cluster: 12 for document 1.
    assert problem.constrained_labels([[0, 5, -1]], penalty=10.9).tolist() == [[0, 0, 0, 1, 0, 1]]
    assert problem.constrained_labels([[0, 5, -1]], penalty=11.1).tolist() == [[0, 1, 0, 1, 0, 1]]


@given(
    seed=st.integers(0, 2**32 - 1), mode=st.sampled_from(["reassign", "literal"]), n_local=st.integers(1, 3)
)
@settings(max_examples=40, deadline=None)
def test_evaluation_is_the_definition(seed, mode, n_local):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    x = rng.integers(0, 5, size=(n, 2))
    D = cdist(x, x, "cityblock")
    n_local = 1 if mode == "literal" else n_local
    problem = MedoidProblem(
        D, k_max=int(rng.integers(2, n + 1)), metric="precomputed", decode=mode, n_local=n_local
    )
    Z = problem.encoding.random(6, rng)
    before = Z.copy()
    out = evaluated(problem, Z.astype(float))
    assert_array_equal(Z, before)
    partitions = problem.partitions(Population.new(**out))
    for q, row in enumerate(Z):
        z, labels = naive_decode(D, row[row >= 0].tolist(), mode, n_local)
        assert out["X"][q].tolist() == padded(z, problem.n_var)
        assert partitions[q].tolist() == labels
        assert_allclose(problem.natural(out["F"])[q], naive_objectives(D, z, labels), rtol=1e-12)


def blobs(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * rng.integers(0, 3, size=(n, 1)) + 1


@pytest.mark.parametrize("form", ["matrix", "vector"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean"])
def test_stored_medoids_labels_and_objectives_agree(form, metric):
    problem = MedoidProblem(blobs(), k_max=6, metric=metric, form=form)
    out = evaluated(problem, problem.encoding.random(20, np.random.default_rng(0)))
    labels = problem.decode(out["X"])
    assert_array_equal(problem.partitions(Population.new(**out)), labels)
    D = MedoidEncoding(blobs(), metric=metric).distances
    Z = problem.medoids(out["X"])
    assert Z.dtype.kind == "i"
    assert_allclose(out["F"][:, 0], xie_beni(D, Z, labels), rtol=1e-9)
    assert_allclose(-out["F"][:, 1], i_index(D, Z, labels), rtol=1e-9)


@pytest.mark.parametrize("form", ["matrix", "vector"])
def test_order_of_genes_and_of_samples_does_not_matter(form):
    X, rng = blobs(40), np.random.default_rng(3)
    problem = MedoidProblem(X, k_max=5, form=form)
    Z = problem.encoding.random(12, rng)
    F = problem.evaluate(Z)
    shuffled = np.full_like(Z, -1)
    for row, old in zip(shuffled, Z, strict=True):
        k = (old >= 0).sum()
        row[:k] = rng.permutation(old[:k])
    assert_array_equal(problem.evaluate(shuffled), F)
    to = rng.permutation(40)  # sample i moves to place to[i]
    moved = MedoidProblem(X[np.argsort(to)], k_max=5, form=form)
    # The two members of a pair are equally central: there the numbering of samples decides.
    untied = [np.bincount(partition).min() > 2 for partition in problem.decode(Z)]
    assert sum(untied) > 5
    assert_allclose(moved.evaluate(np.where(Z < 0, -1, to[Z]))[untied], F[untied], rtol=1e-9)


@pytest.mark.parametrize("decode", ["reassign", "literal"])
@pytest.mark.parametrize(
    ("form", "container"), [("matrix", np.array), ("vector", np.array), ("vector", scipy.sparse.csr_array)]
)
def test_duplicates_and_empty_documents(form, container, decode):
    X = np.random.default_rng(1).poisson(0.4, size=(25, 4))
    X[5:9], X[20:] = X[4], 0
    problem = MedoidProblem(container(X), k_max=6, form=form, decode=decode)
    Z = problem.encoding.random(50, np.random.default_rng(0))
    Z[:3] = [[4, 5, 6, 7, 8, -1], [20, 21, 22, 23, 24, -1], [4, 5, 20, 21, -1, -1]]
    out = evaluated(problem, Z)
    assert np.isfinite(out["F"]).all()
    assert (np.count_nonzero(out["X"] >= 0, axis=1) == np.count_nonzero(Z >= 0, axis=1)).all()
    for row, labels in zip(Z, problem.partitions(Population.new(**out)), strict=True):
        assert_array_equal(np.unique(labels), np.arange((row >= 0).sum()))


@pytest.mark.parametrize("X", [np.full((7, 3), 0.3), np.array([[0.1], [0.3], [0.7]])])
@pytest.mark.parametrize("form", ["matrix", "vector"])
def test_nothing_to_tell_samples_apart(X, form):
    problem = MedoidProblem(X, k_max=2, form=form)  # one direction only
    assert_array_equal(problem.natural(problem.evaluate(np.array([[0, 1], [2, 1]]))), [[0, 0], [0, 0]])


@given(seed=st.integers(0, 2**32 - 1), metric=st.sampled_from(["cosine", "sqeuclidean"]))
@settings(max_examples=30, deadline=None)
def test_forms_agree(seed, metric):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 40)), int(rng.integers(1, 6))
    # Few small counts: duplicates, equal directions and rows of zeros all occur.
    X = rng.poisson(0.6, size=(n, d)) * rng.integers(1, 4, size=(n, 1))
    options = {"k_max": int(rng.integers(2, min(n, 8) + 1)), "metric": metric}
    matrix = MedoidProblem(X, form="matrix", **options)
    Z = matrix.encoding.random(8, rng)
    expected = evaluated(matrix, Z)
    for data in (X, scipy.sparse.csr_array(X), scipy.sparse.coo_matrix(X)):
        vector = MedoidProblem(data, form="vector", **options)
        got = evaluated(vector, Z)
        assert_array_equal(got["X"], expected["X"])
        assert_array_equal(vector.decode(got["X"]), matrix.decode(expected["X"]))
        assert_allclose(got["F"], expected["F"], rtol=1e-6, atol=1e-12)


def test_euclidean_vectors_have_squared_medoids():
    X = np.array([[0.0], [4.0], [5.0], [6.0], [20.0], [100.0], [101.0]])
    Z = np.array([[0, 6]])
    out = evaluated(MedoidProblem(X, metric="euclidean", form="vector"), Z)
    # Of 0, 4, 5, 6, 20: mean 7 is nearest to 6, the least total of plain distances is at 5.
    assert out["X"].tolist() == [[3, 5]]
    assert evaluated(MedoidProblem(X, metric="euclidean"), Z)["X"].tolist() == [[2, 5]]
    assert_allclose(out["F"][0, 0], (36 + 4 + 1 + 196 + 1) / (7 * 94**2))


def test_sparse_features_are_never_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random_array((150, 2_000_000), density=2e-5, format="csr", rng=rng)
    X.indices %= 50_000  # documents that share words

    def refuse(*args, **kwargs):
        raise AssertionError("made dense")

    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array):
        for name in ("toarray", "todense", "__array__"):
            monkeypatch.setattr(kind, name, refuse, raising=False)
    given = X.copy()
    problem = MedoidProblem(X, form="vector")
    out = evaluated(problem, problem.encoding.random(5, rng))
    assert np.isfinite(out["F"]).all()
    assert_array_equal(X.data, given.data)


def test_form_is_chosen_by_metric_size_and_memory(monkeypatch):
    X = blobs(30)
    assert MedoidProblem(X).form == "matrix"
    assert MedoidProblem(X, max_memory=8 * 900 - 1).form == "vector"
    with pytest.raises(ValueError, match="max_memory"):
        MedoidProblem(X, metric="euclidean", max_memory=8 * 900 - 1)
    monkeypatch.setattr("moo_clustering.encodings.medoid_spaces._MANY", 29)
    assert MedoidProblem(X).form == "vector"
    assert MedoidProblem(X, form="matrix").form == "matrix"
    assert MedoidProblem(X, metric="euclidean").form == "matrix"


@pytest.mark.parametrize(
    ("form", "container", "exact"),
    [("matrix", np.array, True), ("vector", np.array, False), ("vector", scipy.sparse.csr_array, True)],
)
def test_batches_equal_single_rows(form, container, exact):
    problem = MedoidProblem(container(blobs(50)), k_max=6, form=form)
    Z = problem.encoding.random(15, np.random.default_rng(0))
    whole = evaluated(problem, Z)
    single = MedoidProblem(container(blobs(50)), k_max=6, form=form)
    rows = [evaluated(single, row[None]) for row in Z]
    assert_array_equal(whole["X"], np.concatenate([row["X"] for row in rows]))
    assert_allclose(whole["F"], np.concatenate([row["F"] for row in rows]), rtol=0 if exact else 1e-12)


@pytest.mark.parametrize("form", ["matrix", "vector"])
def test_neither_threads_nor_blocks_nor_memory_change_anything(form, monkeypatch):
    constraints = PairwiseConstraints([(0, 1), (1, 2)], [(0, 9), (4, 5)], n_samples=50)

    def run(n_jobs):
        problem = MedoidProblem(
            blobs(50), k_max=7, form=form, n_jobs=n_jobs, constraints=constraints, supervision="assignment"
        )
        rng = np.random.default_rng(0)
        outs = [evaluated(problem, problem.encoding.random(5, rng)) for _ in range(2)]
        return {key: np.concatenate([out[key] for out in outs]) for key in outs[0]}

    plain = run(None)
    monkeypatch.setattr(parts, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(_medoid_memo, "_CAPACITY", 3)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 400)
    for key, values in run(2).items():
        assert_allclose(values, plain[key], rtol=0 if form == "matrix" else 1e-12, err_msg=key)


def naive_constrained(D, z, constraints):
    """Assignment under constraints by the letter, for consistent constraints."""
    component = constraints.components()
    apart = {frozenset(component[pair]) for pair in constraints.cannot_link}
    members = [np.flatnonzero(component == c) for c in range(component.max() + 1)]
    labels, chosen = np.empty(len(D), dtype=int), {}
    for c in sorted(range(len(members)), key=lambda c: (-len(members[c]), c)):
        chosen[c] = min(
            range(len(z)),
            key=lambda j: (
                sum(chosen[o] == j for o in chosen if frozenset((c, o)) in apart),
                sum(D[i, z[j]] for i in members[c]),
                j,
            ),
        )
        labels[members[c]] = chosen[c]
    used = sorted(set(labels))
    return [used.index(c) for c in labels], [z[c] for c in used]


@given(seed=st.integers(0, 2**32 - 1), mode=st.sampled_from(["reassign", "literal"]))
@settings(max_examples=40, deadline=None)
def test_supervised_assignment_is_the_definition(seed, mode):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    x = rng.integers(0, 6, size=(n, 2))
    gold = rng.integers(0, 3, size=n)
    constraints = PairwiseConstraints.from_labels(gold, 0.3, random_state=seed)
    D = cdist(x, x, "cityblock")
    problem = MedoidProblem(
        D, k_max=4, metric="precomputed", decode=mode, constraints=constraints, supervision="assignment"
    )
    Z = problem.encoding.random(5, rng)
    out = evaluated(problem, Z)
    partitions = problem.partitions(Population.new(**out))
    assert_array_equal(problem.constrained_labels(Z), problem.decode(Z))
    for q, row in enumerate(Z):
        labels, _ = naive_constrained(D, row[row >= 0].tolist(), constraints)
        if mode == "reassign":
            labels, _ = naive_constrained(D, naive_update(D, labels), constraints)
        medoids = naive_update(D, labels)
        assert partitions[q].tolist() == labels
        assert_allclose(problem.natural(out["F"])[q], naive_objectives(D, medoids, labels), rtol=1e-12)
        assert out["must"][q] == sum(labels[a] == labels[b] for a, b in constraints.must_link)
        genes = out["X"][q]
        if len(medoids) > 1:
            assert genes.tolist() == padded(medoids, 4)
        else:
            assert genes[0] == medoids[0]
            assert (genes >= 0).sum() == 2
            assert genes[1] != genes[0]


def test_individuals_left_with_one_cluster_stay_usable():
    constraints = PairwiseConstraints([(i, i + 1) for i in range(5)], None, n_samples=6)
    problem = line(constraints=constraints, supervision="assignment")
    Z = np.array([[0, 2, -1], [0, 2, -1], [3, 4, 5], [5, 1, -1]])
    out = evaluated(problem, Z)
    assert_array_equal(problem.natural(out["F"]), [[1e12, 0]] * 4)
    genes = problem.medoids(out["X"])
    assert (genes[:, 0] == 2).all()  # 2 and 3 have the least total, 31
    assert (genes[:, 1] != 2).all()
    assert (genes[:, 1:2] >= 0).all()
    assert_array_equal(genes[0], genes[1])
    assert not problem.partitions(Population.new(**out)).any()
    for mutation in (MedoidSwapMutation(1.0), MedoidReplaceMutation("full", 1.0)):
        problem.medoids(mutation._do(problem, out["X"], random_state=np.random.default_rng(0)))


def test_contradictory_pairs_are_dropped_with_a_warning():
    constraints = PairwiseConstraints([(0, 1), (1, 2)], [(0, 2), (2, 5)], n_samples=6)
    with pytest.warns(UserWarning, match=r"cannot-links that contradict must-links \(1\)"):
        problem = line(constraints=constraints, supervision="assignment")
    assert problem.decode([[0, 5, -1]]).tolist() == [[0, 0, 0, 1, 1, 1]]


@pytest.mark.parametrize("supervision", ["none", "objective", "constraint", "crowding", "assignment"])
def test_what_supervision_stores(supervision):
    y = np.repeat([0, 1, 2], 20)
    constraints = PairwiseConstraints.from_labels(y, 0.2, scheme="docs", random_state=0)
    problem = MedoidProblem(blobs(60), constraints=constraints, supervision=supervision)
    out = evaluated(problem, problem.encoding.random(7, np.random.default_rng(0)))
    third = supervision == "objective"
    assert problem.n_obj == out["F"].shape[1] == len(problem.objective_names) == 2 + third
    assert problem.n_ieq_constr == (supervision == "constraint")
    assert ("constraint_bonus" in out) == (supervision == "crowding")
    assert ("assigned_by" in out) == (supervision == "assignment")
    assert ("must" in out) == ("cannot" in out) == (supervision != "none")
    labels = problem.partitions(Population.new(**out))
    violation = constraints.violation(labels)
    if supervision == "objective":
        assert_array_equal(out["F"][:, 2], violation)
        assert_array_equal(problem.natural(out["F"])[:, 2], violation)
    if supervision == "constraint":
        assert_array_equal(out["G"][:, 0], violation)
    if supervision == "crowding":
        assert_array_equal(out["constraint_bonus"], constraints.bonus(labels))
    if supervision != "none":
        assert_array_equal([out["must"], out["cannot"]], constraints.satisfied(labels))


def test_counts_of_pairs_are_those_of_the_contingency_formula():
    y = np.random.default_rng(0).integers(-1, 4, size=60)
    problem = MedoidProblem(blobs(60), constraints=PairwiseConstraints.from_partial_labels(y))
    Z = problem.encoding.random(9, np.random.default_rng(1))
    assert_array_equal(problem.constraint_scores(Z), satisfied_from_labels(problem.decode(Z), y))


def nsga2(problem, mutation=None, **survival):
    algorithm = NSGA2(
        pop_size=20,
        sampling=MedoidSampling(),
        crossover=PrefixUnionCrossover(),
        mutation=mutation or MedoidReplaceMutation(),
        survival=ConstraintCrowdingSurvival(**survival),
        eliminate_duplicates=False,
    )
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    return algorithm


@pytest.mark.parametrize("supervision", ["none", "objective", "constraint", "crowding", "assignment"])
def test_pymoo_runs_and_writes_medoids_back(supervision):
    y = np.repeat([0, 1, 2], 20)
    constraints = PairwiseConstraints.from_labels(y, 0.2, scheme="docs", random_state=0)
    problem = MedoidProblem(blobs(60), constraints=constraints, supervision=supervision)
    unique = CanonicalDuplicates(problem.encoding)
    result = minimize(problem, nsga2(problem, unique=unique), ("n_gen", 6), seed=1)
    pop = result.pop
    assert len(pop) == 20
    Z = problem.medoids(pop.get("X"))
    labels = problem.partitions(pop)
    for row, partition in zip(Z, labels, strict=True):
        k = (row >= 0).sum()
        assert 2 <= k <= problem.n_var == 7
        assert len(set(row[:k])) == k
        assert_array_equal(partition[row[:k]], np.arange(k))
    D = problem.space.distances
    assert_allclose(pop.get("F")[:, 0], xie_beni(D, Z, labels))
    assert_allclose(-pop.get("F")[:, 1], i_index(D, Z, labels))
    if supervision != "assignment":
        assert_array_equal(problem.decode(pop.get("X")), labels)
    again = minimize(problem, nsga2(problem, unique=unique), ("n_gen", 6), seed=1)
    assert_array_equal(again.pop.get("X"), pop.get("X"))


def test_gold_labels_beyond_the_given_pairs_have_no_influence():
    gold = np.random.default_rng(5).integers(0, 3, size=60)
    given = np.arange(12)
    other = gold.copy()
    other[12:] = np.random.default_rng(6).permutation(other[12:])
    fronts = []
    for labels in (gold, other):
        partial = np.full(60, -1)
        partial[given] = labels[given]
        constraints = PairwiseConstraints.from_partial_labels(partial)
        problem = MedoidProblem(blobs(60), constraints=constraints, supervision="objective")
        fronts.append(minimize(problem, nsga2(problem), ("n_gen", 4), seed=2).F)
    assert_array_equal(*fronts)


def test_generic_operators_take_the_problem():
    problem = MedoidProblem(blobs(30))
    Z = EncodingSampling()._do(problem, 5, random_state=np.random.default_rng(0))
    labels = problem.encoding.decode(Z)
    D = problem.encoding.distances
    reference = MedoidEncoding(D, k_max=problem.encoding.k_max, metric="precomputed")
    assert_array_equal(labels, reference.decode(Z))
    assert_array_equal(problem.encoding.encode(labels), reference.encode(labels))


def test_copies_share_and_pickles_work():
    problem = MedoidProblem(blobs(30), k_max=4)
    Z = problem.encoding.random(5, np.random.default_rng(0))
    F = problem.evaluate(Z)
    assert copy.deepcopy(problem).space is problem.space
    assert_array_equal(pickle.loads(pickle.dumps(problem)).evaluate(Z), F)


def test_few_samples():
    one = MedoidProblem([[1.0, 2.0]])
    assert evaluated(one, [[0]])["F"].tolist() == [[1e12, 0]]
    two = MedoidProblem([[1.0, 2.0], [2.0, 1.0]])
    assert (two.n_var, two.encoding.canonical(two.encoding.random(3, np.random.default_rng(0))).tolist()) == (
        2,
        [[0, 1]] * 3,
    )
    # Every sample a medoid: the total distance is floored.
    F = two.natural(two.evaluate(np.array([[0, 1]])))
    assert_allclose(F, [[0, (1e12 * 0.2 / 2) ** 2]], rtol=1e-9)


def test_precomputed_distances_stay_writeable():
    D = LINE.copy()
    problem = MedoidProblem(D, metric="precomputed")
    assert D.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        problem.space.distances[0, 0] = 1.0


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"decode": "lazy"}, ValueError, "decode"),
        ({"n_local": 0}, ValueError, "n_local"),
        ({"n_local": 2, "decode": "literal"}, ValueError, "n_local"),
        ({"n_local": 1.5}, TypeError, "n_local"),
        ({"supervision": "external"}, ValueError, "supervision"),
        ({"supervision": "objective"}, ValueError, "requires constraints"),
        ({"constraints": [(0, 1)]}, TypeError, "PairwiseConstraints"),
        ({"constraints": PairwiseConstraints([(0, 1)], n_samples=7)}, ValueError, "of samples, got 7 and"),
        ({"form": "tensor"}, ValueError, "form"),
        ({"form": "vector", "metric": "cityblock"}, ValueError, "form='vector'"),
        ({"k_max": 1}, ValueError, "k_max"),
        ({"k_max": 7}, ValueError, "k_max"),
        ({"metric": "nonsense"}, ValueError, "nonsense"),
    ],
)
def test_misuse(options, error, match):
    with pytest.raises(error, match=match):
        MedoidProblem(X_LINE, **options)


@pytest.mark.parametrize("form", ["vector", "matrix"])
def test_values_whose_squares_overflow_are_refused(form):
    with pytest.raises(ValueError, match=r"overflow.*rescale it"):
        MedoidProblem(X_LINE * 1e160, metric="euclidean", form=form)


def test_misuse_of_methods():
    problem = line()
    with pytest.raises(ValueError, match="found no feasible solution"):
        problem.decode(None)
    with pytest.raises(ValueError, match="row 0 of X"):
        problem.evaluate(np.array([[0, 0, -1]]))
    with pytest.raises(ValueError, match="this problem has no constraints"):
        problem.constraint_scores([[0, 1, -1]])
    with pytest.raises(ValueError, match="2 columns"):
        problem.natural([[1, 2, 3]])
    with_pairs = line(constraints=PairwiseConstraints([(0, 1)], n_samples=6))
    with pytest.raises(ValueError, match="penalty"):
        with_pairs.constrained_labels([[0, 1, -1]], penalty=-1.0)
