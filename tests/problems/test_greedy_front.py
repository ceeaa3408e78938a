"""The front that MOCKProblem constructs, against naive merging, and the population made of it."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_moons

from moo_clustering import MOCK
from moo_clustering.operators import GreedyFrontSampling, MSTInterestingnessSampling
from moo_clustering.problems import MOCKProblem, graphs

KINDS = ("short", "split", "locus")


def objectives(problem, labels):
    """Variance and connectivity of a partition, from their definitions."""
    X, neighbors = problem.graph.X, problem.graph.neighbors
    variance = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels)) / len(X)
    apart = labels[neighbors] != labels[:, None]
    return variance, float((apart * problem.weights).sum())


def naive_groups(problem, near, n_pieces):
    """Join the smallest group to the linked one that it shares most neighbours with, sample by sample."""
    labels = problem.encoding.base.copy()  # ties go by the parts of the tree
    while len(np.unique(labels)) > n_pieces:
        names, sizes = np.unique(labels, return_counts=True)
        small = names[sizes.argmin()]
        ends = [{int(labels[i]), int(labels[j])} for i, j in near]
        shared = dict.fromkeys(sorted({c for two in ends if small in two for c in two} - {small}), 0.0)
        for i, row in enumerate(problem.graph.neighbors):
            for weight, j in zip(problem.weights, row, strict=True):
                ends = {int(labels[i]), int(labels[j])}
                if small in ends and len(ends) == 2:
                    shared[(ends - {small}).pop()] += weight
        labels[labels == small] = max(shared, key=shared.get)
    return labels


def naive_front(problem, n_weights, n_pieces):
    """Greedy merging that scores every allowed pair anew; non-dominated objectives, sorted."""
    n, tree = problem.n_samples, problem.graph.tree
    near = {(i, j) for i in range(n) for j in problem.graph.neighbors[i]} | {
        (i, int(tree.parent[i])) for i in range(n) if tree.parent[i] != i
    }
    start = naive_groups(problem, near, n_pieces)
    v0, c0 = objectives(problem, start)
    v1, c1 = objectives(problem, np.zeros(n, dtype=int))
    found = []
    for ratio in np.geomspace(0.01, 100, n_weights):
        weight = ratio / (1 + ratio)
        labels = start
        found.append(objectives(problem, labels))
        while labels.max() > labels.min():
            pairs = {tuple(sorted((labels[i], labels[j]))) for i, j in near if labels[i] != labels[j]}
            trials = [np.where(labels == b, a, labels) for a, b in sorted(pairs)]
            scores = [objectives(problem, trial) for trial in trials]
            cost = [weight * (v - v0) / (v1 - v0) + (1 - weight) * (c - c1) / (c0 - c1) for v, c in scores]
            labels = trials[int(np.argmin(cost))]
            found.append(scores[int(np.argmin(cost))])
    F = np.unique(np.round(found, 9), axis=0)
    dominated = [(np.all(f >= F, axis=1) & np.any(f > F, axis=1)).any() for f in F]
    return F[~np.array(dominated)]


# Sums of the weights 1 and 1/2 are exact, so that ties are ties whatever the order of the sums.
@pytest.mark.parametrize(("n_neighbors", "n_pieces"), [(2, 14), (2, 8), (2, 5)])
def test_it_is_what_naive_merging_finds(n_neighbors, n_pieces, monkeypatch, global_random_seed):
    monkeypatch.setattr(graphs, "MOST_PIECES", n_pieces)
    X = np.random.default_rng(global_random_seed).normal(size=(14, 2))
    problem = MOCKProblem(X, delta=0, n_neighbors=n_neighbors, random_state=0)
    F = problem.evaluate(problem.greedy_front(4))
    np.testing.assert_allclose(F, naive_front(problem, 4, n_pieces), atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most_grouped", [1000, 15])  # of the 30 parts all, or of a tree with fewer cuts
def test_many_pieces_are_grouped_first(kind, most_grouped, monkeypatch):
    monkeypatch.setattr(graphs, "MOST_PIECES", 9)
    monkeypatch.setattr(graphs, "_MOST_GROUPED", most_grouped)
    X, _ = make_moons(150, noise=0.1, random_state=0)
    problem = MOCKProblem(X, encoding=kind, random_state=0)
    assert problem.encoding.n_parts > 20
    genes = problem.greedy_front()
    assert problem.n_clusters(genes).max() == 9
    if kind == "split":  # clusters that hang together along the tree, so that genes lose nothing
        parent = problem.graph.tree.parent
        assert [(row != row[parent]).sum() + 1 for row in problem.decode(genes)] == [
            row.max() + 1 for row in problem.decode(genes)
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_partitions_are_distinct_and_none_dominates_another(kind):
    X, _ = make_moons(150, noise=0.1, random_state=0)
    problem = MOCKProblem(X, encoding=kind, random_state=0)
    genes = problem.greedy_front()
    assert genes.dtype == problem.encoding.dtype
    F = problem.evaluate(genes)
    assert (np.diff(F[:, 0]) > 0).all()
    assert (np.diff(F[:, 1]) < 0).all()
    assert problem.n_clusters(genes)[-1] == 1
    assert np.array_equal(genes, problem.greedy_front())


def test_samples_in_one_place_and_single_ones_have_a_front():
    assert MOCKProblem(np.ones((6, 2)), n_neighbors=2, random_state=0).greedy_front().shape[0] == 1
    assert MOCKProblem([[1.0]], encoding="locus", n_neighbors=1).greedy_front().shape == (1, 1)
    with pytest.raises(ValueError, match="n_weights must be an integer of at least 1, got 0"):
        MOCKProblem(np.eye(5), n_neighbors=2, random_state=0).greedy_front(0)


@pytest.mark.parametrize(("share", "n_built"), [(0.5, 5), (0.0, 0), (1.0, 10)])
def test_the_population_is_of_both_kinds(share, n_built):
    X, _ = make_moons(100, noise=0.1, random_state=0)
    problem = MOCKProblem(X, random_state=0)
    genes = GreedyFrontSampling(share)._do(problem, 10, random_state=1)
    front = {row.tobytes() for row in problem.greedy_front()}
    assert len(genes) == 10
    assert sum(row.tobytes() in front for row in genes[:n_built]) == n_built
    rest = MSTInterestingnessSampling()._do(problem, 10 - n_built, random_state=1) if n_built < 10 else []
    assert np.array_equal(genes[n_built:], np.reshape(rest, (-1, problem.n_var)))


def test_no_partition_of_the_constructed_front_is_lost():
    X, _ = make_moons(150, noise=0.1, random_state=0)
    model = MOCK(2, pop_size=10, n_gen=3, random_state=0).fit(X)
    built = model.result_.problem.evaluate(model.result_.problem.greedy_front())
    for point, other in itertools.product(built, model.pareto_front_):
        assert not ((point <= other).all() and (point < other - 1e-12).all())
