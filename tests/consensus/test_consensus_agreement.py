"""Where runs agree, every consensus is exact, with and without METIS; its balance is warned of elsewhere."""

from __future__ import annotations

import inspect
import itertools
import warnings

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from moo_clustering import consensus as public
from moo_clustering.consensus import diversity_graph, hypergraph, kernel_graph, mcla, reconstruction_graph
from moo_clustering.estimators.documents import consensus_partition
from moo_clustering.graphs import neighbor_lists, spectral_partition, symmetrize
from moo_clustering.validity import pairwise_ari

FUNCTIONS = {
    "cspa": [{"partitioner": one} for one in ("average", "metis", "spectral", "svd")],
    "hbgf": [{"partitioner": one} for one in ("auto", "metis", "spectral")],
    "hgpa": [{"approximation": one} for one in ("hbgf", "spectral")],
    "mcla": [
        {"partitioner": one, "vertex_weight": weight, "ties": ties}
        for one in ("auto", "metis", "matching") for weight in ("size", "unit")
        for ties in ("first", "random")
    ],
    "select_pareto": [{"partitioner": one, "n_gen": 2} for one in ("auto", "metis", "matching")],
}  # fmt: skip
FORMS = [(name, options) for name, several in FUNCTIONS.items() for options in several]
SIZES = ((97, 3), (80, 10, 5, 5), (40, 40, 40), (1, 1, 1, 30), (2, 3, 4, 5, 6, 7), (500, 2, 2))


def labels_of(name, runs, n_clusters, options, **more):
    found = getattr(public, name)(runs, n_clusters, random_state=0, **options, **more)
    return found.labels if name == "select_pareto" else found


def shuffled(sizes, rng):
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def renumbered(y, rng):
    return rng.permutation(y.max() + 1)[y]


def agrees(found, y):
    return pairwise_ari(found, y)[0, 0] == 1.0 and len(np.unique(found)) == len(np.unique(y))


def cases():
    """Runs, number of clusters, and the partition on which they agree."""
    rng = np.random.default_rng(0)
    for sizes in SIZES:
        y = shuffled(sizes, rng)
        yield f"identical, {sizes}", [renumbered(y, rng) for _ in range(6)], y
        yield f"alone, {sizes}", [y], y
        if len(sizes) > 2:
            # One run joins the last two clusters: no run separates the objects of a cluster.
            coarse = np.minimum(y, len(sizes) - 2)
            yield f"no run separates, {sizes}", [renumbered(one, rng) for one in (y, coarse, y, coarse)], y
            yield f"no run joins, {sizes}", [renumbered(one, rng) for one in (y, coarse, y, y)], coarse
    a, b = np.repeat([0, 1], 30), np.tile([0, 1], 30)
    yield "crossed halves", [a, b, a, b], 2 * a + b
    seen = np.where(np.arange(60) % 5 == 0, -1, shuffled((50, 10), rng))
    y = np.where(seen < 0, 0, seen)
    yield "objects that runs have not seen", [y, seen, np.where(np.arange(60) % 7 == 3, -1, y)], y


def test_every_public_function_is_a_form():
    functions = [name for name in public.__all__ if inspect.isfunction(getattr(public, name))]
    parameters = {name: {*inspect.signature(getattr(public, name)).parameters} for name in functions}
    assert {name for name in functions if {"labels", "n_clusters"} <= parameters[name]} == set(FUNCTIONS)


@pytest.mark.parametrize("installed", [True, False])
def test_runs_that_agree_are_returned(installed, monkeypatch):
    if not installed:
        monkeypatch.setattr(hypergraph, "_load", lambda: None)
    wrong = []
    for (name, options), (case, runs, y) in itertools.product(FORMS, cases()):
        if options.get("partitioner") == "metis" and not installed:
            continue
        if name == "select_pareto" and "identical" not in case:
            continue  # subsets of runs may agree on something else
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if not agrees(labels_of(name, np.array(runs), int(y.max()) + 1, options), y):
                wrong.append(f"{name}, {options}: {case}")
    assert not wrong


def test_objects_that_all_runs_join_are_not_parted_for_more_clusters():
    y = shuffled((60, 30, 10), np.random.default_rng(0))
    for name in ("hbgf", "hgpa", "mcla"):
        for options in FUNCTIONS[name]:
            assert agrees(labels_of(name, [y] * 4, 5, options), y), (name, options)


def test_runs_of_weight_0_do_not_disagree():
    rng = np.random.default_rng(0)
    y, other = shuffled((50, 8, 2), rng), rng.integers(0, 3, 60)
    for name in ("cspa", "hbgf", "hgpa", "mcla"):
        for options in FUNCTIONS[name]:
            assert agrees(labels_of(name, [y, other, y], 3, options, weights=[1, 0, 2]), y), (name, options)


def test_association_of_agreeing_runs():
    y = np.array([0, 0, 0, 0, 0, 1, 2])
    labels, association = mcla([y] * 5, 3, return_association=True)
    np.testing.assert_array_equal(labels, y)
    np.testing.assert_array_equal(association, np.eye(3)[:, y])
    # No run separates the objects of four groups; two of the groups are together in half of the runs.
    runs, groups = [[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 2, 3]
    labels, association = mcla(np.repeat(runs, 2, axis=1), 4, return_association=True, weights=[3, 1])
    np.testing.assert_array_equal(labels, np.repeat(groups, 2))
    expected = np.array([[4, 3, 1, 0], [3, 4, 0, 1], [1, 0, 4, 3], [0, 1, 3, 4]]) / 4
    np.testing.assert_array_equal(association, np.repeat(expected, 2, axis=1))


@pytest.mark.parametrize("consensus", ["mcla", "cspa", "hgpa", "hbgf"])
def test_consensus_of_an_estimator(consensus):
    y = shuffled((60, 6, 2), np.random.default_rng(3))
    seed = np.random.SeedSequence(0)
    found, association = consensus_partition(consensus, np.array([y] * 5, np.int32), 3, seed, 2**30)
    assert agrees(found, y)
    np.testing.assert_array_equal(association, np.eye(3)[:, found])


def noisy(sizes, rng, n_runs=8):
    y = shuffled(sizes, rng)
    wrong = rng.random((n_runs, len(y))) < 0.05
    return np.where(wrong, rng.integers(0, len(sizes), wrong.shape), y)


def test_the_balance_of_metis_is_warned_of():
    pytest.importorskip("pymetis")
    rng = np.random.default_rng(0)
    equal, unequal, skewed = noisy((40, 40, 40), rng), noisy((60, 30, 30), rng), noisy((96, 12, 12), rng)
    cut, merged = (
        "METIS creates 3 parts .* times that size and will be split",
        "and smaller ones may be merged",
    )
    for runs, name, options, said in (
        (equal, "hbgf", {}, None), (unequal, "hbgf", {}, f"{cut}; use hbgf.partitioner='spectral'."),
        (unequal, "hbgf", {"partitioner": "spectral"}, None),
        (unequal, "hgpa", {}, f"{cut}; use hgpa.approximation='spectral'."),
        (unequal, "hgpa", {"approximation": "spectral"}, None),
        (unequal, "cspa", {"partitioner": "metis"}, f"{cut}; use cspa with partitioner='average'"),
        (skewed, "cspa", {}, None), (unequal, "mcla", {}, None),
        (skewed, "mcla", {}, f"{merged}; use mcla with partitioner='matching' or vertex_weight='unit'"),
        (skewed, "mcla", {"partitioner": "matching"}, None),
        (skewed, "mcla", {"vertex_weight": "unit"}, None),
        (skewed, "select_pareto", {"n_gen": 1}, f"{merged}; use select_pareto with partitioner='matching'"),
    ):  # fmt: skip
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            labels_of(name, runs, 3, options)
        told = [str(one.message) for one in found]
        if said is None:
            assert not told, (name, options)
        else:
            with pytest.warns(UserWarning, match=said):
                labels_of(name, runs, 3, options)
            assert len(told) == 1


def test_equal_members_of_a_front_are_their_components():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    lists = neighbor_lists(X, 4, rng=rng)
    ranks = np.repeat(rng.integers(0, 4, (1, 60)), 6, axis=0)
    for graph in (
        reconstruction_graph(ranks, lists, X, min_weight=1e-3),
        diversity_graph(ranks, lists, weight="one_minus_div"),
        kernel_graph(ranks, lists, sigma="mean", n_clusters=3, laplacian="sym", rng=rng)[0],
    ):  # fmt: skip
        n_parts, parts = connected_components(graph, directed=False)
        assert n_parts > 2
        found = spectral_partition(symmetrize(graph), n_parts, bridge=False, rng=rng).labels
        assert agrees(found, parts)
