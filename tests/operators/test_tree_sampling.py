"""First populations from trees: who loses which links, and what these lead to instead."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import MSTInterestingnessSampling
from moo_clustering.operators import trees as module
from moo_clustering.operators.trees import draw_links
from moo_clustering.problems import MOCKProblem

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])
KINDS = ("locus", "short", "split")


def blobs(n=240, n_blobs=6, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n, 2))
        + 12 * np.array([[b % 3, b // 3] for b in range(n_blobs)])[np.arange(n) % n_blobs]
    )


def sample(problem, n, *options, seed=0, **more):
    operator = MSTInterestingnessSampling(*options, **more)
    return operator(problem, n, random_state=np.random.default_rng(seed)).get("X")


def removed(problem, X):
    """Genes that do not hold the link of the tree, by sample."""
    full = problem.encoding.to_full(X)
    return full != problem.graph.tree.parent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
def test_delta_takes_the_first_links_in_cycles_of_permutations(kind, n):
    problem = MOCKProblem(blobs(), encoding=kind, delta=80, random_state=0)
    X = sample(problem, n)
    assert X.shape == (n, problem.n_var)
    assert X.dtype == problem.encoding.dtype
    order = problem.graph.interest.order
    gone = removed(problem, X)
    counts = gone.sum(axis=1)
    assert counts[0] == 0
    for row, count in zip(gone, counts, strict=True):
        assert set(np.flatnonzero(row).tolist()) == set(order[:count].tolist())
    n_links = 239 if kind == "locus" else problem.n_var
    most = min(n, n_links + 1)
    for start in range(1, n, max(most - 1, 1)):
        cycle = counts[start : start + most - 1]
        assert len(set(cycle.tolist())) == len(cycle)
        assert set(cycle.tolist()) <= set(range(1, most))
    if n == 40:
        assert sorted(counts.tolist()) == list(range(40))
        assert counts.tolist() != sorted(counts.tolist())
    if kind == "split":
        assert_array_equal(problem.n_clusters(X), counts + 1)


@pytest.mark.parametrize("kind", ["locus", "short"])
def test_delta_draws_self_or_neighbours_but_not_the_parent(kind):
    problem = MOCKProblem(blobs(), encoding=kind, delta=80, n_neighbors=4, random_state=0)
    counts: dict[int, dict[int, int]] = {}
    for seed in range(60):
        X = sample(problem, 48, seed=seed)
        full = problem.encoding.to_full(X)
        for row in full:
            for i in np.flatnonzero(row != problem.graph.tree.parent):
                at = counts.setdefault(int(i), {})
                at[int(row[i])] = at.get(int(row[i]), 0) + 1
    parent = problem.graph.tree.parent
    for i in problem.graph.interest.order[:30]:
        allowed = {int(i), *problem.graph.neighbors[i].tolist()} - {int(parent[i])}
        drawn = counts[int(i)]
        assert set(drawn) == allowed
        total, share = sum(drawn.values()), 1 / len(allowed)
        for times in drawn.values():
            assert abs(times - total * share) < 5 * np.sqrt(total * share * (1 - share))


@pytest.mark.parametrize("kind", KINDS)
def test_2007_begins_with_trees_and_goes_on_with_k_means(kind, monkeypatch):
    asked = []

    class Recorded(KMeans):
        def __init__(self, n_clusters=8, **options):
            asked.append((n_clusters, options["init"], options["n_init"], options["max_iter"]))
            super().__init__(n_clusters, **options)

    monkeypatch.setattr(module, "KMeans", Recorded)
    problem = MOCKProblem(blobs(), encoding=kind, delta=80, random_state=0)
    interest = problem.graph.interest
    interesting = [i for i in interest.order if interest.degree[i] > 10]
    assert len(interesting) == 5
    fsize = 20
    X = sample(problem, fsize, "2007")
    assert len(X) == fsize
    n_mst = min(len(interesting), fsize // 2 - 1)
    gone = removed(problem, X)
    for n in range(n_mst + 1):
        # The new link may be the old one.
        assert set(np.flatnonzero(gone[n]).tolist()) <= set(interesting[:n])
    assert not gone[0].any()
    assert asked == [(k, "random", 1, 10) for k in range(2, fsize - n_mst + 1)]
    assert len(asked) == fsize - n_mst - 1 >= fsize / 2
    if kind == "split":
        for n in range(n_mst + 1):
            assert set(np.flatnonzero(gone[n]).tolist()) == set(interesting[:n])


def test_2007_with_many_interesting_links_is_half_k_means():
    problem = MOCKProblem(blobs(600, 9), encoding="split", delta=80, n_neighbors=3, random_state=0)
    n_interesting = int(problem.graph.interest.interesting(3).sum())
    assert n_interesting > 8
    counts = removed(problem, sample(problem, 12, "2007")).sum(axis=1)
    assert counts[:6].tolist() == [0, 1, 2, 3, 4, 5]


def test_2007_without_interesting_links():
    X = np.random.default_rng(0).normal(size=(60, 2))
    problem = MOCKProblem(X, encoding="split", delta=0, n_neighbors=30, random_state=0)
    assert not problem.graph.interest.interesting(30).any()
    G = sample(problem, 16, "2007")
    counts = removed(problem, G).sum(axis=1)
    assert counts[0] == 0
    assert (counts[1:] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fsize", [1, 2, 3, 30])
def test_2007_with_more_clusters_than_samples(kind, fsize):
    problem = line(kind)
    G = sample(problem, fsize, "2007")
    assert G.shape == (fsize, problem.n_var)
    assert problem.n_clusters(G)[0] == 1


def line(kind):
    return MOCKProblem(LINE, encoding=kind, delta=0, n_neighbors=2, root=0, ties="index")


def test_links_between_clusters_of_k_means_are_taken(monkeypatch):
    labels = np.array([0, 0, 1, 1, 1, 2], dtype=np.int32)
    monkeypatch.setattr(module, "few_means", lambda X, k, rng: labels)
    gone = removed(line("split"), sample(line("split"), 4, "2007"))
    # One interesting link, that of child 3; floor(4 / 2) - 1 = 1 tree without it.
    assert [np.flatnonzero(row).tolist() for row in gone] == [[], [3], [2, 5], [2, 5]]


@pytest.mark.parametrize("init", ["delta", "2007"])
@pytest.mark.parametrize("kind", ["locus", "short"])
def test_replaced_by_a_neighbour_or_by_itself(init, kind):
    problem = MOCKProblem(blobs(), encoding=kind, delta=80, n_neighbors=5, random_state=0)
    parent, neighbors = problem.graph.tree.parent, problem.graph.neighbors
    full = problem.encoding.to_full(sample(problem, 40, init))
    for row in full:
        for i in np.flatnonzero(row != parent):
            assert row[i] in neighbors[i] or (init == "delta" and row[i] == i)
    alone = problem.encoding.to_full(sample(problem, 40, init, replace="self"))
    rows, samples = np.nonzero(alone != parent)
    assert len(rows) > 100
    assert_array_equal(alone[rows, samples], samples)


@pytest.mark.parametrize("init", ["delta", "2007"])
def test_neighbours_in_conflict_are_not_drawn(init):
    X = blobs(60, 2)
    y = np.where(np.arange(60) < 20, np.arange(60) % 2, -1)
    graph = locus_graph(X, n_neighbors=6, groups=constraint_groups(60, y), rng=np.random.default_rng(0))
    problem = MOCKProblem(graph=graph, encoding="locus")
    full = sample(problem, 40, init)
    for row in full:
        for i in np.flatnonzero(row != graph.tree.parent):
            assert row[i] == i or row[i] in graph.neighbors[i]
            assert row[i] >= 0


def test_drawn_links_are_uniform():
    neighbors = np.array([[1, 2, 3], [0, 2, -1], [0, -1, -1], [2, 1, 0]], dtype=np.int32)
    rng = np.random.default_rng(0)
    samples = np.repeat([0, 1, 2, 3], 6000)
    cases = [
        (None, [{1, 2, 3}, {0, 2}, {0}, {0, 1, 2}]),
        ([2, 1, 0, 3], [{0, 1, 3}, {0, 2}, {2}, {0, 1, 2}]),
        # What is no choice leaves all of them.
        ([9, 3, 3, 0], [{0, 1, 2, 3}, {0, 1, 2}, {0, 2}, {1, 2, 3}]),
    ]
    for current, allowed in cases:
        drawn = draw_links(neighbors, samples, None if current is None else np.repeat(current, 6000), rng)
        for i in range(4):
            values, counts = np.unique(drawn[samples == i], return_counts=True)
            assert set(values.tolist()) == allowed[i]
            share = 1 / len(allowed[i])
            assert (abs(counts - 6000 * share) <= 4.5 * np.sqrt(6000 * share * (1 - share))).all()


@pytest.mark.parametrize("init", ["delta", "2007"])
@pytest.mark.parametrize("kind", KINDS)
def test_seeds_and_few_samples(init, kind):
    problem = MOCKProblem(blobs(), encoding=kind, random_state=0)
    one, two, other = (sample(problem, 30, init, seed=s) for s in (1, 1, 2))
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    alone = MOCKProblem([[1.0, 2.0]], encoding=kind)
    assert_array_equal(alone.decode(sample(alone, 5, init)), np.zeros((5, 1)))
    pair = MOCKProblem([[1.0], [2.0]], encoding=kind)
    assert set(pair.n_clusters(sample(pair, 5, init)).tolist()) <= {1, 2}


def test_permuted_rows_lose_the_same_links():
    X = np.random.default_rng(3).integers(0, 9, (80, 2)) / 3
    one = MOCKProblem(X, encoding="split", delta=50, root=0, random_state=0)
    by_key = np.argsort(one.graph.keys)
    two = MOCKProblem(X[by_key], encoding="split", delta=50, root=int(one.graph.keys[0]), ties="index")
    assert_array_equal(sample(one, 30), sample(two, 30))


def test_bad_options():
    with pytest.raises(ValueError, match="kind must be one of"):
        MSTInterestingnessSampling("2018")
    with pytest.raises(ValueError, match="replace must be one of"):
        MSTInterestingnessSampling(replace="parent")
    assert SimpleNamespace(**vars(MSTInterestingnessSampling("2007"))).kind == "2007"
