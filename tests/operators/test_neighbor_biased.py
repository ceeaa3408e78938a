"""Mutation biased to near neighbours: how often, and what comes instead."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import NeighborBiasedMutation
from moo_clustering.problems import MOCKProblem

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])
KINDS = ("locus", "short", "split")


def mutate(problem, X, seed=0, **options):
    operator = NeighborBiasedMutation(**options)
    return operator._do(problem, X, random_state=np.random.default_rng(seed))


def blobs(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 15 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(n) % 3]


def start(problem, rng):
    """One individual with parents, self links and neighbours of all ranks."""
    encoding, graph = problem.encoding, problem.graph
    if encoding.kind == "split":
        return rng.integers(0, 2, problem.n_var, dtype=np.uint8)
    X = encoding.random(1, rng)[0]
    held = rng.random(problem.n_var) < 0.5
    X[held] = graph.tree.parent[encoding.relevant[held]]
    return X


def expected_rates(problem, x, n):
    """min(1, 1/n + (l/n)^2), l counted in the sorted distances."""
    X, keys = problem.graph.X, problem.graph.keys
    rates = []
    for gene, i in enumerate(problem.encoding.relevant):
        j = x[gene]
        if problem.encoding.kind == "split":
            j = problem.graph.tree.parent[i] if x[gene] else i
        distance = np.round(np.linalg.norm(X - X[i], axis=1), 9)
        order = [h for h in np.lexsort((keys, distance)) if h != i]
        rank = 0 if j == i else 1 + order.index(j)
        rates.append(min(1.0, 1 / n + (rank / n) ** 2))
    return np.array(rates)


@pytest.mark.parametrize(
    ("kind", "delta", "length"),
    [
        ("locus", 0, "genotype"),
        *((kind, delta, n) for kind in ("short", "split") for delta in (0, 80) for n in ("genotype", "N")),
    ],
)
def test_how_often_genes_mutate(kind, delta, length):
    problem = MOCKProblem(blobs(), encoding=kind, delta=delta, n_neighbors=5, random_state=0)
    n = problem.n_var if length == "genotype" else 90
    rng = np.random.default_rng(2)
    for _ in range(2):
        x = start(problem, rng)
        rates = expected_rates(problem, x, n)
        count, times = 4000, np.zeros(problem.n_var)
        out = mutate(problem, np.tile(x, (count, 1)), length=length, new_value="different", seed=5)
        times = (out != x).sum(axis=0)
        noise = np.sqrt(count * rates * (1 - rates))
        assert (abs(times - count * rates) <= 4.5 * noise + 1e-9).all()
        # Independent from one individual to the next.
        total = (out != x).sum(axis=1)
        assert abs(total.var() - (rates * (1 - rates)).sum()) < 0.15 * total.var() + 1e-9
    if delta == 80 and length == "genotype":
        held = (
            np.ones(problem.n_var, np.uint8)
            if kind == "split"
            else problem.graph.tree.parent[problem.encoding.relevant]
        )
        hot = expected_rates(problem, held, n)
        assert (hot == 1).any()
        changed = mutate(problem, np.tile(held, (50, 1))) != held
        assert changed[:, hot == 1].all()
        assert not changed.all()


def test_the_worked_probabilities():
    problem = MOCKProblem(LINE, encoding="locus", n_neighbors=5, root=0, ties="index")
    x = np.array([0, 0, 1, 2, 4, 5])  # self, rank 1, rank 2 (of sample 2: 1, 0), rank 3, self, self
    assert expected_rates(problem, x, 6) == pytest.approx(
        [1 / 6, 0.194444, 0.194444, 0.416667, 1 / 6, 1 / 6], abs=1e-6
    )
    out = mutate(problem, np.tile(x, (20_000, 1)), new_value="different")
    assert (out != x).mean(axis=0) == pytest.approx(
        [1 / 6, 0.194444, 0.194444, 0.416667, 1 / 6, 1 / 6], abs=0.012
    )


@pytest.mark.parametrize("kind", ["locus", "short"])
def test_what_comes_instead(kind):
    problem = MOCKProblem(blobs(60), encoding=kind, delta=50, n_neighbors=4, random_state=0)
    samples, neighbors = problem.encoding.relevant, problem.graph.neighbors
    rng = np.random.default_rng(3)
    x = start(problem, rng)
    X = np.tile(x, (6000, 1))
    different = mutate(problem, X, new_value="different")
    anyone = mutate(problem, X, new_value="any")
    default = mutate(problem, X)
    assert_array_equal(default, anyone if kind == "locus" else different)
    for gene, i in enumerate(samples):
        changed = different[different[:, gene] != x[gene], gene]
        allowed = {int(i), *neighbors[i].tolist()} - {int(x[gene])}
        assert set(changed.tolist()) <= allowed
        if len(changed) > 300:
            values, counts = np.unique(changed, return_counts=True)
            assert len(values) == len(allowed)
            share = 1 / len(allowed)
            assert (
                abs(counts - len(changed) * share) < 5 * np.sqrt(len(changed) * share * (1 - share))
            ).all()
        listed = {*neighbors[i].tolist(), int(x[gene])}
        assert set(anyone[:, gene].tolist()) <= listed


def test_any_may_draw_the_same_again():
    problem = MOCKProblem(LINE, encoding="locus", n_neighbors=2, root=0, ties="index")
    x = np.array([1, 0, 1, 4, 3, 4])  # all of rank 1
    rate = 1 / 6 + 1 / 36
    out = mutate(problem, np.tile(x, (20_000, 1)), new_value="any")
    assert (out != x).mean(axis=0) == pytest.approx(np.full(6, rate / 2), abs=0.01)


def test_bits_that_are_0_mutate_at_the_base_rate():
    problem = MOCKProblem(blobs(), encoding="split", delta=80, random_state=0)
    n = problem.n_var
    out = mutate(problem, np.zeros((20_000, n), np.uint8))
    assert (abs(out.mean(axis=0) - 1 / n) < 4.5 * np.sqrt(1 / n / 20_000)).all()
    assert set(np.unique(out)) == {0, 1}
    assert out.dtype == np.uint8


@pytest.mark.parametrize("kind", KINDS)
def test_input_kept_types_kept_seeds_decide(kind):
    problem = MOCKProblem(blobs(), encoding=kind, delta=50, random_state=0)
    X = problem.encoding.random(30, np.random.default_rng(0))
    before = X.copy()
    one, two, other = (mutate(problem, X, seed=s) for s in (1, 1, 2))
    assert_array_equal(X, before)
    assert one.dtype == problem.encoding.dtype
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    assert_array_equal(mutate(problem, X.astype(float), seed=1), one)
    assert_array_equal(problem.encoding.repair(one), one)
    assert mutate(problem, X[:0]).shape == (0, problem.n_var)


@pytest.mark.parametrize("new_value", ["different", "any"])
def test_neighbours_in_conflict_are_not_drawn(new_value):
    y = np.where(np.arange(60) < 30, np.arange(60) % 2, -1)
    X = np.random.default_rng(0).normal(size=(60, 2))
    graph = locus_graph(X, n_neighbors=8, groups=constraint_groups(60, y), rng=np.random.default_rng(0))
    problem = MOCKProblem(graph=graph, encoding="locus")
    x = graph.tree.parent
    out = mutate(problem, np.tile(x, (400, 1)), new_value=new_value)
    rows, genes = np.nonzero(out != x)
    assert len(rows) > 200
    for i, j in zip(genes, out[rows, genes], strict=True):
        assert j == i or j in graph.neighbors[i]
        assert j >= 0


@pytest.mark.parametrize("kind", KINDS)
def test_one_and_two_samples(kind):
    one = MOCKProblem([[1.0, 2.0]], encoding=kind)
    X = one.encoding.random(4, np.random.default_rng(0))
    assert_array_equal(mutate(one, X), X)
    two = MOCKProblem([[1.0], [2.0]], encoding=kind)
    X = two.encoding.random(40, np.random.default_rng(0))
    assert set(two.n_clusters(mutate(two, X)).tolist()) <= {1, 2}


def test_links_neither_in_the_tree_nor_listed_count_as_the_first_beyond_the_list():
    problem = MOCKProblem(np.arange(40.0)[:, None], encoding="locus", n_neighbors=3, root=0, ties="index")
    x = np.arange(40)
    x[5] = 39
    rate = 1 / 40 + (4 / 40) ** 2
    out = mutate(problem, np.tile(x, (20_000, 1)), new_value="different")
    assert abs((out[:, 5] != 39).mean() - rate) < 4.5 * np.sqrt(rate / 20_000)


def test_bad_options():
    with pytest.raises(ValueError, match="length must be one of"):
        NeighborBiasedMutation("E")
    with pytest.raises(ValueError, match="new_value must be one of"):
        NeighborBiasedMutation(new_value="other")
