"""MOCK's objectives: from parts, from links, and word for word; and the problem in searches."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from moo_clustering.algorithms import PESA2
from moo_clustering.constraints import PairwiseConstraints, constraint_groups
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation
from moo_clustering.problems import MOCKProblem

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])
KINDS = ("locus", "short", "split")
ALL = ("variance", "deviation", "connectivity")


def line(kind="split", **options):
    return MOCKProblem(
        LINE, **{"encoding": kind, "delta": 40, "n_neighbors": 2, "root": 0, "ties": "index"} | options
    )


def naive_lists(X, keys, width):
    D = np.round(cdist(X, X), 9)
    return [
        sorted((j for j in range(len(X)) if j != i), key=lambda j, i=i: (D[i, j], keys[j]))[:width]
        for i in range(len(X))
    ]


def naive(X, labels, lists, published=False):
    """Variance, deviation and connectivity of a partition."""
    n = len(X)
    squares = distances = 0.0
    for c in set(labels.tolist()):
        own = X[labels == c]
        for x in own:
            square = float(((x - own.mean(axis=0)) ** 2).sum())
            squares += square
            distances += square**0.5
    connectivity = 0.0
    for i in range(n):
        listed = [i, *lists[i][:-1]] if published else lists[i]
        for place, j in enumerate(listed, start=1):
            if labels[j] != labels[i]:
                connectivity += 1.0 / place
    return squares / n, distances, connectivity


def decoded(full):
    """Components by SciPy."""
    n = len(full)
    graph = coo_array((np.ones(n), (np.arange(n), full)), shape=(n, n))
    return connected_components(graph, directed=False)[1]


@pytest.mark.parametrize("connectivity", ["ranks", "published"])
@pytest.mark.parametrize("width", [2, 3])
def test_the_worked_partitions(connectivity, width):
    table = {
        "000000": (30, 26.055556, 0, 0, 0),
        "000111": (5.333333, 1.055556, 0, 2, 0),
        "001222": (3.666667, 0.611111, 2.5, 4.5, 1.5),
        "012345": (0, 0, 9, 11, 5),
    }
    problem = line("locus", objectives=ALL, connectivity=connectivity, n_neighbors=width)
    for text, (deviation, variance, at_2, at_3, published_3) in table.items():
        G = problem.encoding.encode(np.array([[int(c) for c in text]]))
        expected = {("ranks", 2): at_2, ("ranks", 3): at_3, ("published", 3): published_3}
        F = problem.evaluate(G)[0]
        assert_allclose(F[:2], [variance, deviation], atol=1e-6)
        if (connectivity, width) in expected:
            assert F[2] == pytest.approx(expected[connectivity, width], abs=1e-12)


def test_the_worked_bits():
    bits = np.array([[int(b) for b in f"{g:03b}"] for g in range(8)], dtype=np.uint8)
    problem = line(objectives=("variance", "connectivity", "ari"), y=[0, 0, -1, 1, -1, 1])
    F = problem.natural(problem.evaluate(bits))
    assert_allclose(
        F[:, 0], [0.166667, 0.611111, 0.611111, 1.055556, 7.277778, 10, 18.033333, 26.055556], atol=1e-6
    )
    assert F[:, 1].tolist() == [5, 2.5, 2.5, 0, 5, 2.5, 2.5, 0]
    assert problem.n_clusters(bits).tolist() == [4, 3, 3, 2, 3, 2, 2, 1]
    assert_allclose(F[[7, 3, 5, 0], 2], [0, 1, 1, 0.571429], atol=1e-6)
    # What is minimised is 1 - ARI but for the constant.
    assert_array_equal(problem.evaluate(bits)[:, 2], -F[:, 2])
    scores = problem._scores
    assert scores.sizes.tolist() == [2, 1, 2, 1]
    assert_allclose(scores.sums[:, 0] + scores.sizes * LINE.mean(), [1, 2.5, 21, 12.5])
    pairs = {(int(a), int(b)): w for a, b, w in zip(*scores.pairs, strict=True)}
    assert pairs == {(0, 1): 2.5, (2, 3): 2.5}


def any_data(rng):
    n, d = int(rng.integers(2, 45)), int(rng.integers(1, 4))
    kind = rng.integers(4)
    if kind == 0:
        return rng.normal(size=(n, d))
    if kind == 1:
        return rng.integers(0, 4, (n, d)).astype(float)
    if kind == 2:
        return rng.normal(size=(n, d)) + 1e3 * rng.integers(0, 3, (n, 1))
    return rng.normal(size=(3, d))[rng.integers(0, 3, n)] * 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("connectivity", ["ranks", "published"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_any_genotype_scores_as_its_partition(kind, connectivity, seed):
    rng = np.random.default_rng(seed)
    X = any_data(rng)
    n = len(X)
    problem = MOCKProblem(
        X,
        encoding=kind,
        delta=float(rng.choice([0, 30, 80, 99.9])),  # E = N - 1 to E = 1
        n_neighbors=int(rng.choice([1, 3, 10, 15, n + 5])),
        objectives=ALL,
        connectivity=connectivity,
        random_state=int(rng.integers(99)),
    )
    encoding, graph = problem.encoding, problem.graph
    anywhere = rng.integers(0, 2 if kind == "split" else n, (3, problem.n_var))
    G = np.vstack([encoding.random(4, rng), anywhere, np.ones_like(anywhere[:1])]).astype(encoding.dtype)
    lists = naive_lists(X, graph.keys, graph.n_neighbors)
    F = problem.evaluate(G)
    for row, full in zip(F, encoding.to_full(G), strict=True):
        expected = naive(X, decoded(full), lists, connectivity == "published")
        assert_allclose(row, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_all_kinds_agree_on_larger_data(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1200, 3)) + 9 * rng.integers(0, 4, (1200, 1))
    graph = locus_graph(X, n_neighbors=12, rng=rng)
    y = np.where(rng.random(1200) < 0.3, rng.integers(0, 4, 1200), -1)
    pairs = PairwiseConstraints.from_labels(y % 4, fraction=0.02, random_state=seed)
    more = {"objectives": (*ALL, "ari", "constraint_violation"), "y": y, "constraints": pairs}
    short, locus, split = (
        MOCKProblem(graph=graph, encoding=kind, **more) for kind in ("short", "locus", "split")
    )
    G = short.encoding.random(20, rng)
    assert_allclose(locus.evaluate(short.encoding.to_full(G)), short.evaluate(G), rtol=1e-10, atol=1e-12)
    bits = split.encoding.random(20, rng)
    as_links = short.encoding.from_full(split.encoding.to_full(bits))
    assert_allclose(short.evaluate(as_links), split.evaluate(bits), rtol=1e-12, atol=1e-12)
    assert_array_equal(short.decode(as_links), split.decode(bits))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_variance_is_zero_at_as_many_clusters_as_samples(kind, offset):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 2)) * 1024) / 1024 + 1000.0 * rng.integers(0, 2, (120, 1)) + offset
    problem = MOCKProblem(X, encoding=kind, delta=0, objectives=ALL, random_state=0)
    alone = problem.encoding.encode(np.arange(120)[None])
    together = problem.encoding.encode(np.zeros((1, 120), dtype=int))
    F = problem.evaluate(np.vstack([alone, together]))
    assert F[0, 0] == F[0, 1] == 0.0
    assert F[1, 2] == 0.0
    assert F[1, 0] == pytest.approx(X.var(axis=0).sum(), rel=1e-9)
    values = problem.evaluate(problem.encoding.random(200, rng))
    assert (values >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_variance_of_tight_clusters_far_apart(kind):
    # The sum of squares is 1e18 times what is within the clusters.
    rng = np.random.default_rng(1)
    X = np.repeat([[0.0], [2.0**30]], 40, axis=0) + rng.integers(0, 8, (80, 1)) / 8
    problem = MOCKProblem(X, encoding=kind, delta=0, random_state=0)
    G = problem.encoding.encode(np.repeat([0, 1], 40)[None])
    expected = (X[:40].var() + X[40:].var()) / 2
    assert problem.evaluate(G)[0, 0] == pytest.approx(expected, rel=1e-7)


def test_connectivity_is_zero_for_clusters_closed_under_neighbours_only():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 100])
    problem = MOCKProblem(X, encoding="locus", random_state=0)
    two = np.repeat([0, 1], 30)
    F = problem.evaluate(problem.encoding.encode(np.array([two, two * 0, np.arange(60) % 2])))
    assert F[0, 1] == F[1, 1] == 0
    assert F[2, 1] > 0
    smaller = MOCKProblem(X[:36], encoding="locus", random_state=0)
    # Six samples cannot have ten neighbours among themselves.
    assert smaller.evaluate(smaller.encoding.encode(two[:36][None]))[0, 1] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_rand_index_is_that_of_scikit_learn(kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    for classes in (np.zeros(80, dtype=int), rng.integers(0, 3, 80), np.arange(80) // 8):
        labelled = rng.random(80) < 0.4
        y = np.where(labelled, classes, -1)
        problem = MOCKProblem(X, encoding=kind, delta=0, objectives=("ari",), y=y, random_state=0)
        encoding = problem.encoding
        trivial = encoding.encode(np.array([np.zeros(80, dtype=int), np.arange(80)]))
        G = np.vstack([encoding.random(20, rng), trivial])
        found = problem.natural(problem.evaluate(G))[:, 0]
        expected = [adjusted_rand_score(classes[labelled], row[labelled]) for row in problem.decode(G)]
        assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_labelled", [0, 1, 2])
def test_few_labels(kind, n_labelled):
    y = np.full(6, -1)
    y[:n_labelled] = np.arange(n_labelled)
    problem = line(kind, objectives=("variance", "ari"), y=y)
    G = problem.encoding.random(9, np.random.default_rng(0))
    F = problem.natural(problem.evaluate(G))
    assert np.isfinite(F).all()
    if n_labelled < 2:
        assert (F[:, 1] == 1).all()
    else:
        labels = problem.decode(G)
        assert_array_equal(F[:, 1], (labels[:, 0] != labels[:, 1]).astype(float))


def test_names_of_classes_and_labels_of_the_unlabelled_do_not_matter():
    X = np.random.default_rng(4).normal(size=(30, 2))
    hidden = np.random.default_rng(5).integers(0, 3, 30)
    known = np.random.default_rng(6).random(30) < 0.5

    def values(y):
        problem = MOCKProblem(X, objectives=("variance", "ari"), y=y, random_state=0)
        return problem.evaluate(problem.encoding.random(10, np.random.default_rng(0)))

    first = values(np.where(known, hidden, -1))
    assert_array_equal(values(np.where(known, hidden + 7, -1)), first)
    assert_array_equal(values(np.where(known, hidden * 2.0, -1.0)), first)
    names = np.array(["a", "b", "c"], dtype=object)[hidden]
    names[~known] = -1
    assert_array_equal(values(names), first)
    assert_array_equal(values(np.where(known, hidden, np.nan)), first)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_violation_is_that_of_the_constraints(kind, weighted):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(50, 2))
    ends = np.array([rng.choice(50, 2, replace=False) for _ in range(40)])
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    must, cannot = ends[:15], ends[15:]
    weights = {
        "must_link_weights": rng.random(len(must)) + 0.1,
        "cannot_link_weights": rng.random(len(cannot)) + 0.1,
    }
    for m, c in ((must, cannot), (must, cannot[:0]), (must[:0], cannot)):
        chosen = {"must_link_weights": weights["must_link_weights"][: len(m)]}
        chosen["cannot_link_weights"] = weights["cannot_link_weights"][: len(c)]
        pairs = PairwiseConstraints(m, c, n_samples=50, **(chosen if weighted else {}))
        problem = MOCKProblem(
            X,
            encoding=kind,
            delta=70,
            objectives=("constraint_violation",),
            constraints=pairs,
            random_state=0,
        )
        encoding = problem.encoding
        G = np.vstack(
            [encoding.random(20, rng), encoding.encode(np.array([np.arange(50), np.zeros(50, int)]))]
        )
        found, expected = problem.evaluate(G)[:, 0], pairs.violation(problem.decode(G))
        assert_allclose(found, expected, atol=1e-12)
        # Exactly 0 where nothing is violated.
        assert_array_equal(found == 0, expected == 0)


def test_neighbours_in_conflict_do_not_count():
    groups = constraint_groups(6, [0, -1, 1, -1, -1, -1])
    graph = locus_graph(
        LINE, n_neighbors=5, ties="index", root=0, groups=groups, rng=np.random.default_rng(0)
    )
    for kind in KINDS:
        problem = MOCKProblem(graph=graph, encoding=kind, delta=0, objectives=ALL)
        G = problem.encoding.random(10, np.random.default_rng(0))
        lists = [[j for j in row if j >= 0] for row in graph.neighbors.tolist()]
        for row, labels in zip(problem.evaluate(G), problem.decode(G), strict=True):
            assert_allclose(row, naive(LINE, labels, lists), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
def test_other_metrics_are_about_neighbours_not_centroids(metric):
    X = np.random.default_rng(8).normal(size=(60, 3)) + 2
    problem = MOCKProblem(X, metric=metric, n_neighbors=4, delta=50, objectives=ALL, random_state=0)
    D = np.round(cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric)), 9)
    keys = problem.graph.keys
    lists = [
        sorted((j for j in range(60) if j != i), key=lambda j, i=i: (D[i, j], keys[j]))[:4] for i in range(60)
    ]
    G = problem.encoding.random(6, np.random.default_rng(0))
    for row, labels in zip(problem.evaluate(G), problem.decode(G), strict=True):
        assert_allclose(row, naive(X, labels, lists), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_another_order_score_the_same(kind):
    rng = np.random.default_rng(9)
    X = rng.integers(0, 7, (80, 2)) / 3
    one = MOCKProblem(X, encoding=kind, delta=60, objectives=ALL, root=0, random_state=0)
    by_key = np.argsort(one.graph.keys)
    two = MOCKProblem(
        X[by_key], encoding=kind, delta=60, objectives=ALL, ties="index", root=int(one.graph.keys[0])
    )
    G = one.encoding.random(15, rng)
    full = one.encoding.to_full(G)
    moved = one.graph.keys[full][:, by_key]
    if kind != "locus":
        assert_array_equal(by_key[two.encoding.relevant], one.encoding.relevant)
    assert_allclose(two.evaluate(two.encoding.from_full(moved)), one.evaluate(G), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_its_rows_for_any_number_of_threads(kind):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(4000, 2)) + 5 * rng.integers(0, 5, (4000, 1))
    y = np.where(rng.random(4000) < 0.2, rng.integers(0, 3, 4000), -1)
    pairs = PairwiseConstraints.from_labels(rng.integers(0, 3, 4000), fraction=0.01, random_state=0)
    graph = locus_graph(X, rng=rng)
    problems = [
        MOCKProblem(
            graph=graph,
            encoding=kind,
            delta=0,
            objectives=(*ALL, "ari", "constraint_violation"),
            y=y,
            constraints=pairs,
            n_jobs=n_jobs,
        )
        for n_jobs in (1, 2, 8)
    ]
    G = problems[0].encoding.random(400, rng)
    F = problems[0].evaluate(G)
    assert_array_equal(F, problems[1].evaluate(G))
    assert_array_equal(F, problems[2].evaluate(G))
    assert_array_equal(F[:9], np.vstack([problems[0].evaluate(row) for row in G[:9]]))
    assert_array_equal(F[::-1], problems[0].evaluate(G[::-1]))


@pytest.mark.parametrize("kind", KINDS)
def test_floats_and_other_orders_are_taken_but_wrong_genes_are_not(kind):
    problem = line(kind)
    G = problem.encoding.random(5, np.random.default_rng(0))
    F = problem.evaluate(G)
    assert_array_equal(problem.evaluate(G.astype(float)), F)
    assert_array_equal(problem.evaluate(np.asfortranarray(G)), F)
    for wrong in (np.full(G.shape, 6), np.full(G.shape, -1), G + 0.5):
        with pytest.raises(ValueError, match="Repair"):
            problem.evaluate(wrong)


def test_copies_share_and_pickles_agree():
    problem = MOCKProblem(np.random.default_rng(0).normal(size=(40, 2)), random_state=0)
    twin = copy.deepcopy(problem)
    assert twin is not problem
    assert twin.graph is problem.graph
    assert twin._scores.sums is problem._scores.sums
    again = pickle.loads(pickle.dumps(problem))
    assert again.graph is again.encoding.graph
    G = problem.encoding.random(5, np.random.default_rng(0))
    assert_array_equal(again.evaluate(G), problem.evaluate(G))
    assert_array_equal(again.decode(G), problem.decode(G))


def test_seeds_decide_ties_and_root():
    X = np.random.default_rng(0).integers(0, 4, (60, 2)).astype(float)
    one, two, other = (MOCKProblem(X, random_state=s) for s in (1, 1, 2))
    assert_array_equal(one.graph.neighbors, two.graph.neighbors)
    assert_array_equal(one.encoding.relevant, two.encoding.relevant)
    assert not np.array_equal(one.graph.neighbors, other.graph.neighbors)
    generator = np.random.default_rng(1)
    assert_array_equal(MOCKProblem(X, random_state=generator).graph.neighbors, one.graph.neighbors)


def operators():
    return {
        "sampling": MSTInterestingnessSampling(),
        "crossover": UniformCrossover(prob=1.0),
        "mutation": NeighborBiasedMutation(),
    }


ALGORITHMS = {
    "NSGA2": lambda: NSGA2(pop_size=24, eliminate_duplicates=False, **operators()),
    "NSGA2 without duplicates": lambda: NSGA2(pop_size=24, **operators()),
    "SMSEMOA": lambda: SMSEMOA(pop_size=24, eliminate_duplicates=False, **operators()),
    "AGEMOEA": lambda: AGEMOEA(pop_size=24, eliminate_duplicates=False, **operators()),
    "PESA2": lambda: PESA2(n_init=24, **operators()),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("AGEMOEA", "NSGA2 without duplicates")))
        for name in ALGORITHMS
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_searches_find_the_blobs(name, kind):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    problem = MOCKProblem(X, encoding=kind, delta=80, random_state=0)
    results = [minimize(problem, ALGORITHMS[name](), ("n_gen", 15), seed=4) for _ in range(2)]
    assert_array_equal(results[0].X, results[1].X)
    result = results[0]
    assert result.pop.get("X").dtype == problem.encoding.dtype
    labels = problem.decode(result.X)
    assert max(adjusted_rand_score(truth, row) for row in labels) > 0.9
    assert_allclose(result.F, problem.evaluate(result.X), rtol=1e-12)


def test_three_objectives_in_a_search():
    y = np.repeat([0, 1], 15)
    X = np.random.default_rng(1).normal(size=(30, 2))
    best = []
    for names in (("variance", "connectivity"), ("variance", "connectivity", "ari")):
        problem = MOCKProblem(X, objectives=names, y=y, delta=0, random_state=0)
        search = NSGA2(pop_size=40, eliminate_duplicates=False, **operators())
        result = minimize(problem, search, ("n_gen", 30), seed=1)
        assert result.F.shape[1] == len(names)
        best.append(max(adjusted_rand_score(y, row) for row in problem.decode(result.X)))
    assert best[1] > best[0] + 0.1


def test_one_and_two_samples():
    for kind in KINDS:
        one = MOCKProblem([[1.0, 2.0]], encoding=kind, objectives=ALL)
        G = one.encoding.random(3, np.random.default_rng(0))
        assert one.evaluate(G).tolist() == [[0, 0, 0]] * 3
        two = MOCKProblem([[1.0], [3.0]], encoding=kind, objectives=ALL, root=0)
        G = two.encoding.encode(np.array([[0, 0], [0, 1]]))
        assert two.evaluate(G).tolist() == [[1, 2, 0], [0, 0, 2]]


@pytest.mark.slow
def test_memory_at_a_hundred_thousand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 2)) + 30 * rng.integers(0, 6, (100_000, 2))
    MOCKProblem(X[:3000], random_state=0)
    tracemalloc.start()
    problem = MOCKProblem(X, random_state=0)
    G = problem.encoding.random(100, rng)
    F = problem.evaluate(G)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problem.n_var == 1999
    assert F.shape == (100, 2)
    assert peak < 300e6
    # What a partition costs does not depend on the samples: all is said by parts and pairs of them.
    assert len(problem._scores.pairs[0]) < 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "long"}, "kind must be one of"),
        ({"delta": 100}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"objectives": ()}, "objectives"),
        ({"objectives": ("variance", "variance")}, "objectives"),
        ({"objectives": ("variance", "compactness")}, "objectives"),
        ({"objectives": ("ari",)}, "'ari' requires y"),
        ({"objectives": ("constraint_violation",)}, "requires constraints"),
        ({"connectivity": "paper"}, "connectivity must be"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"rank_cap": 2}, "rank_cap"),
        ({"metric": "precomputed"}, "centroids"),
        ({"objectives": ("ari",), "y": [0, 1]}, r"\(6\), got 2"),
        ({"objectives": ("ari",), "y": [[0, 1]] * 6}, "one class per sample"),
        (
            {
                "objectives": ("constraint_violation",),
                "constraints": PairwiseConstraints([[0, 1]], [], n_samples=9),
            },
            "same number of samples, got 9 and 6",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        line(**options)


def test_data_graph_and_encoding_must_fit():
    graph, other = (locus_graph(LINE, rng=np.random.default_rng(s)) for s in (0, 1))
    with pytest.raises(ValueError, match="X or graph"):
        MOCKProblem()
    with pytest.raises(ValueError, match="must use the same graph"):
        MOCKProblem(graph=graph, encoding=LocusAdjacencyEncoding(graph=other, kind="short"))
    with pytest.raises(ValueError, match="X and graph must have the same number of samples, got 5 and 6"):
        MOCKProblem(LINE[:5], graph=graph)
    with pytest.raises(ValueError, match="same number of samples, got 9 and 6"):
        MOCKProblem(LINE, encoding=LocusAdjacencyEncoding(n_samples=9))
    with pytest.raises(ValueError, match="NaN"):
        MOCKProblem([[np.nan], [0.0]])
    own = LocusAdjacencyEncoding(graph=graph, kind="split", delta=0)
    assert MOCKProblem(encoding=own).graph is graph
    plain = MOCKProblem(LINE, encoding=LocusAdjacencyEncoding(n_samples=6), n_neighbors=2)
    assert plain.evaluate(np.array([[0, 1, 2, 3, 4, 5]]))[0].tolist() == [0, 9]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_numbers_of_repeated_rows(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2)) + 6 * rng.integers(2, size=(30, 1))
    weight, y = rng.integers(1, 6, size=30), np.where(np.arange(30) < 20, X[:, 0] > 3, -1)
    options = {"encoding": kind, "n_neighbors": 4, "objectives": [*ALL, "ari"], "y": y, "random_state": 0}
    problem = MOCKProblem(X, sample_weight=weight, **options)
    genes = np.concatenate([problem.encoding.random(5, rng), problem.greedy_front()])
    rows, known = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    for labels, found in zip(problem.decode(genes), problem.evaluate(genes), strict=True):
        own = np.repeat(labels, weight)
        means = np.array([rows[own == c].mean(axis=0) for c in range(own.max() + 1)])
        squares = ((rows - means[own]) ** 2).sum(axis=1)
        apart = labels[problem.graph.neighbors] != labels[:, None]
        links = (weight[:, None] * apart / np.arange(1, 5)).sum()
        ari = adjusted_rand_score(known[known >= 0], own[known >= 0])
        assert_allclose(found, [squares.mean(), np.sqrt(squares).sum(), links, -ari], atol=1e-12)
    ones = MOCKProblem(X, sample_weight=np.ones(30), **options)
    # Without weights, links of all samples are scored by another loop.
    assert_allclose(ones.evaluate(genes), MOCKProblem(X, **options).evaluate(genes), atol=1e-12)
    assert_array_equal(ones.greedy_front(), MOCKProblem(X, **options).greedy_front())
