"""MCLA: meta-clusters, association, ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.consensus import hypergraph as _matching
from moo_clustering.consensus import mcla
from moo_clustering.consensus.hypergraph import collapse, jaccard, matched_parts, metis_parts, part_similarity
from moo_clustering.validity import average_nmi
from moo_clustering.validity.ensembles import hyperedges

RUNS = np.array([[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]])
ASSOCIATION = [[1, 1, 0.75, 0.25, 0, 0, 0], [0, 0, 0.25, 0.75, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1]]


def jaccard_pair_by_pair(labels):
    """Over the objects that both runs have seen."""
    edges = hyperedges(labels)
    H = edges.matrix().toarray() > 0
    table = np.zeros((len(H), len(H)))
    for a, one in enumerate(H):
        for b, other in enumerate(H):
            both = edges.seen[edges.runs[a]] & edges.seen[edges.runs[b]]
            union = ((one | other) & both).sum()
            if a != b and union:
                table[a, b] = (one & other).sum() / union
    return table


def test_weights_of_the_worked_example():
    J = jaccard(hyperedges(RUNS))
    assert J[0, 6] == pytest.approx(2 / 3)
    assert J[0, 7] == pytest.approx(0.2)
    assert J[0, 9] == pytest.approx(0.75)
    np.testing.assert_array_equal(J[:3, :3], 0.0)
    np.testing.assert_array_equal(np.diag(J[:3, 3:6]), 1.0)


@settings(max_examples=30, deadline=None)
@given(arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=st.integers(-1, 3)))
def test_weights_pair_by_pair(labels):
    np.testing.assert_allclose(jaccard(hyperedges(labels)), jaccard_pair_by_pair(labels), atol=1e-15)


def cut(J, parts):
    return J[parts[:, None] != parts].sum() / 2


def test_matching_finds_the_meta_clusters_of_the_worked_example():
    edges = hyperedges(RUNS)
    J = jaccard(edges)
    parts = matched_parts(edges, J, 3, np.ones(4))
    assert parts.tolist() == [0, 1, 2] * 4
    assert cut(J, parts) == pytest.approx(1.2)
    np.testing.assert_allclose(collapse(edges, parts, 3, np.ones(4)), ASSOCIATION)


def test_consensus_of_the_worked_example():
    labels, association = mcla(RUNS, 3, partitioner="matching", return_association=True)
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2]
    np.testing.assert_allclose(association, ASSOCIATION)
    assert average_nmi(RUNS, labels) == pytest.approx(0.8733224, abs=5e-8)


def test_metis_on_the_worked_example():
    pytest.importorskip("pymetis")
    labels, association = mcla(
        RUNS, 3, partitioner="metis", vertex_weight="unit", random_state=0, return_association=True
    )
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2]
    np.testing.assert_allclose(association, ASSOCIATION)


def test_metis_balances_what_it_is_told_to():
    pytest.importorskip("pymetis")
    from scipy.sparse import csr_array

    ring = np.roll(np.eye(40), 1, axis=1)
    graph = csr_array(ring + ring.T)
    assert np.bincount(metis_parts(graph, 4, seed=1)).tolist() == [10] * 4
    heavy = np.where(np.arange(40) < 4, 9.0, 1.0)
    parts = metis_parts(graph, 2, vertex_weights=heavy, seed=1)
    weights = np.bincount(parts, weights=heavy)
    assert abs(weights[0] - weights[1]) <= 9
    np.testing.assert_array_equal(parts, metis_parts(graph, 2, vertex_weights=heavy / 3, seed=1))
    np.testing.assert_array_equal(metis_parts(graph, 40, seed=1), np.arange(40))
    # The light edges of a path, here every fifth, are cut, also where all weights are below 1/2.
    weights = np.where(np.arange(1, 20) % 5, 0.4, 0.02)
    path = csr_array(np.diag(weights, 1) + np.diag(weights, -1))
    assert len(np.unique(metis_parts(path, 4, seed=1).reshape(4, 5), axis=1)[0]) == 1


@pytest.mark.parametrize("vertex_weight", ["size", "unit"])
def test_metis_divides_the_graph_of_weighted_runs(monkeypatch, vertex_weight):
    pytest.importorskip("pymetis")
    labels, weights = noisy_runs(6), np.array([3.0, 1.0, 2.0, 0.0, 1.0, 2.0])
    given = {}

    def recorded(graph, n_parts, *, vertex_weights, seed):
        given.update(graph=graph.toarray(), vertex_weights=vertex_weights)
        given["parts"] = metis_parts(graph, n_parts, vertex_weights=vertex_weights, seed=seed)
        return given["parts"]

    monkeypatch.setattr(_matching, "metis_parts", recorded)
    options = {"partitioner": "metis", "vertex_weight": vertex_weight, "random_state": 0}
    found, association = mcla(labels, 3, weights=weights, **options, return_association=True)
    # Clusters as sets of samples, a run at a time in order of appearance; the run of weight 0 has none.
    clusters = [
        (weight, {i for i, label in enumerate(run) if label == name})
        for run, weight in zip(labels.tolist(), weights, strict=True)
        if weight
        for name in dict.fromkeys(run)
    ]
    for a, (v, one) in enumerate(clusters):
        assert given["vertex_weights"][a] == v * (len(one) if vertex_weight == "size" else 1)
        for b, (w, other) in enumerate(clusters):
            similar = len(one & other) / len(one | other) if a != b else 0.0
            assert given["graph"][a, b] == pytest.approx(v * w * similar, abs=1e-15)
    share = np.zeros((3, labels.shape[1]))
    for c in range(3):
        members = [cluster for cluster, part in zip(clusters, given["parts"], strict=True) if part == c]
        for i in range(labels.shape[1]):
            share[c, i] = sum(w for w, one in members if i in one) / sum(w for w, _ in members)
    order = list(dict.fromkeys(share.argmax(axis=0).tolist()))
    np.testing.assert_allclose(association, share[order], atol=1e-12)
    assert found.tolist() == [order.index(c) for c in share.argmax(axis=0)]


def test_a_weight_counts_as_copies_of_the_run_with_metis():
    pytest.importorskip("pymetis")
    labels, weights = noisy_runs(5), np.array([3, 1, 2, 1, 2])
    options = {"partitioner": "metis", "random_state": 0, "return_association": True}
    found, association = mcla(labels, 3, weights=weights, **options)
    copied, of_copies = mcla(np.repeat(labels, weights, axis=0), 3, **options)
    assert found.tolist() == copied.tolist()
    np.testing.assert_allclose(association, of_copies, atol=1e-12)


def noisy_runs(n_runs):
    """Three clusters of 10 samples with other numbers in each run, and one sample in ten elsewhere."""
    rng = np.random.default_rng(3)
    runs = [rng.permutation(3)[np.repeat(np.arange(3), 10)] for _ in range(n_runs)]
    return np.array([np.where(rng.random(30) < 0.1, rng.integers(3, size=30), run) for run in runs])


@settings(max_examples=30, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(2, 12)), elements=st.integers(-1, 4)),
    st.integers(1, 5),
)
def test_matching_gives_every_cluster_of_a_run_its_own_part(labels, n_parts):
    edges = hyperedges(labels)
    if edges.n_edges <= n_parts:
        return
    weights = np.linspace(1.0, 2.0, edges.n_runs)
    parts = matched_parts(edges, jaccard(edges), n_parts, weights)
    for run in range(edges.n_runs):
        own = parts[edges.runs == run]
        used = own[own >= 0]
        assert len(used) == min(len(own), n_parts)
        assert len(np.unique(used)) == len(used)


@settings(max_examples=30, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=st.integers(-1, 3)),
    st.integers(0, 2**31),
)
def test_association_is_a_mean_over_members_that_saw_the_object(labels, seed):
    edges = hyperedges(labels)
    rng = np.random.default_rng(seed)
    parts, weights = rng.integers(-1, 3, edges.n_edges), rng.random(edges.n_runs)
    H = edges.matrix().toarray()
    expected = np.zeros((3, edges.n_samples))
    for c in range(3):
        for i in range(edges.n_samples):
            among = [e for e in np.flatnonzero(parts == c) if edges.seen[edges.runs[e], i]]
            total = sum(weights[edges.runs[e]] for e in among)
            if total:
                expected[c, i] = sum(weights[edges.runs[e]] * H[e, i] for e in among) / total
    np.testing.assert_allclose(collapse(edges, parts, 3, weights), expected, atol=1e-12)


def test_matching_starts_from_the_run_that_agrees_best():
    # The first run is at odds with all others, the third has no three clusters.
    runs = np.array(
        [[0, 1, 2, 0, 1, 2, 0], [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 2, 2]]
    )
    edges = hyperedges(runs)
    parts = matched_parts(edges, jaccard(edges), 3, np.ones(4))
    assert parts[edges.starts[1] : edges.starts[2]].tolist() == [0, 1, 2]
    assert parts[edges.starts[3] :].tolist() == [0, 1, 2]


def test_objects_of_clusters_left_out_follow_the_most_similar_part():
    # All runs have three clusters, two are wanted. Most of the third is with the second in the last run.
    fine = [0, 0, 0, 0, 1, 1, 1, 2, 2]
    runs = np.array([fine, fine, fine, [0, 0, 0, 0, 1, 1, 1, 1, 1]])
    labels, association = mcla(runs, 2, partitioner="matching", return_association=True)
    assert labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert association.shape == (2, 9)
    # Even where no run says so directly.
    np.testing.assert_array_equal(np.unique(mcla(runs[:3], 2, partitioner="matching")), [0, 1])


def test_part_similarity_is_a_mean():
    J = jaccard(hyperedges(RUNS))
    parts = np.array([0, 1, 2, 0, 1, 2, -1, -1, -1, -1, -1, -1])
    weights = np.repeat([1.0, 3.0, 1.0, 1.0], 3)
    s = part_similarity(J, parts, 4, weights)
    assert s[9, 0] == pytest.approx(0.75)
    assert s[0, 0] == pytest.approx(3 / 4)
    np.testing.assert_array_equal(s[:, 3], 0.0)


def test_rows_of_the_association_are_the_clusters_and_empty_ones_come_last():
    rng = np.random.default_rng(0)
    runs = rng.integers(0, 4, (9, 30))
    labels, association = mcla(runs, 4, partitioner="matching", return_association=True)
    np.testing.assert_allclose(association[labels, np.arange(30)], association.max(axis=0))
    labels, association = mcla([[0, 0, 0, 1, 1]], 4, return_association=True)
    assert labels.tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_array_equal(association, np.vstack([np.eye(2)[:, [0, 0, 0, 1, 1]], np.zeros((2, 5))]))


def test_ties_go_to_the_first_part_or_to_any():
    # Object 4 is with the first pair in one run, with the second in the other.
    runs = [[0, 0, 1, 1, 0], [0, 0, 1, 1, 1]]
    labels, association = mcla(runs, 2, partitioner="matching", return_association=True)
    assert labels.tolist() == [0, 0, 1, 1, 0]
    assert association[:, 4].tolist() == [0.5, 0.5]
    drawn = [mcla(runs, 2, partitioner="matching", ties="random", random_state=s)[4] for s in range(20)]
    assert set(drawn) == {0, 1}
    assert drawn[3] == mcla(runs, 2, partitioner="matching", ties="random", random_state=3)[4]


def test_a_thousand_clusters_of_many_objects():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 20, 5000)
    runs = np.where(rng.random((50, 5000)) < 0.5, rng.integers(0, 20, (50, 5000)), truth)
    labels = mcla(runs, 20, partitioner="matching")
    assert average_nmi(truth[None], labels) > 0.99


IN_CIRCLES = [[0, 1, 2, 2], [1, 0, 0, 0], [1, 1, 1, 1], [2, 2, 0, 1]]


def test_matching_that_goes_round_in_circles_ends_after_twenty_sweeps(monkeypatch):
    edges = hyperedges(IN_CIRCLES)
    J = jaccard(edges)

    def after(n_sweeps):
        monkeypatch.setattr(_matching, "MAX_SWEEPS", n_sweeps)
        return matched_parts(edges, J, 3, np.ones(4)).tolist()

    ends = [after(n) for n in range(20, 24)]
    assert ends[0] == ends[2] != ends[1] == ends[3]
    monkeypatch.undo()
    assert matched_parts(edges, J, 3, np.ones(4)).tolist() == ends[0]
