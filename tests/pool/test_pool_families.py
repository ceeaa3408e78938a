"""Families of a pool: merged fragments, k-medoids, numbers of clusters."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from moo_clustering.pool import k_grid
from moo_clustering.pool.families import k_medoids, merged_fragments, n_fragments


def naive(S, labels, ks):
    """Clusters as lists of samples, sums over pairs of samples, in fractions: ties are ties."""
    whole = [[Fraction(int(value)) for value in row] for row in S]
    clusters = [[i for i in range(len(S)) if labels[i] == c] for c in sorted(set(labels))]
    found = {}
    while True:
        if len(clusters) in ks:
            found[len(clusters)] = [sorted(c) for c in clusters]
        if len(clusters) <= min(ks):
            return [found[k] for k in sorted(found)]
        volumes = [sum(whole[i][j] for i in c for j in range(len(S))) for c in clusters]
        best, chosen = Fraction(0), None
        for a, b in itertools.combinations(range(len(clusters)), 2):
            between = sum(whole[i][j] for i in clusters[a] for j in clusters[b])
            if between and between / (volumes[a] * volumes[b]) > best:
                best, chosen = between / (volumes[a] * volumes[b]), (a, b)
        if chosen is None:
            chosen = sorted(sorted(range(len(clusters)), key=lambda c: (volumes[c], c))[:2])
        a, b = chosen
        clusters[a] += clusters.pop(b)


@st.composite
def graphs(draw):
    m = draw(st.integers(4, 9))
    above = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 7]), min_size=m * m, max_size=m * m))
    upper = np.triu(np.array(above).reshape(m, m), 1)
    labels = draw(st.lists(st.integers(0, 5), min_size=m, max_size=m))
    return upper + upper.T, labels


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sets(st.integers(2, 6), min_size=1))
def test_against_the_naive_twin(graph, ks):
    S, labels = graph
    found = merged_fragments(csr_array(S.astype(float)), np.array(labels), sorted(ks))
    expected = naive(S, labels, ks)
    assert len(found) == len(expected)
    for partition, clusters in zip(found, expected, strict=True):
        groups = [np.flatnonzero(partition == c).tolist() for c in np.unique(partition)]
        assert sorted(groups) == sorted(clusters)


def test_worked_by_hand():
    # Path 0-1-2-3 of weights 4, 1, 4 and a far pair 4-5: volumes 4, 5, 5, 4, 2, 2.
    # 4-5 first (2/4), then 0-1 and 2-3 (4/20 each, the lowest numbers first), then both (1/81).
    S = np.zeros((6, 6))
    for i, j, w in [(0, 1, 4), (1, 2, 1), (2, 3, 4), (4, 5, 2)]:
        S[i, j] = S[j, i] = w
    found = merged_fragments(csr_array(S), np.arange(6), [2, 3, 4, 5])
    assert [p.tolist() for p in found] == [
        [0, 0, 0, 0, 4, 4],
        [0, 0, 2, 2, 4, 4],
        [0, 0, 2, 3, 4, 4],
        [0, 1, 2, 3, 4, 4],
    ]


def test_unjoined_clusters_of_least_volume_are_merged():
    S = np.zeros((6, 6))
    for i, j, w in [(0, 1, 9), (2, 3, 1), (4, 5, 2)]:
        S[i, j] = S[j, i] = w
    (found,) = merged_fragments(csr_array(S), np.array([0, 0, 1, 1, 2, 2]), [2])
    assert adjusted_rand_score(found, [0, 0, 1, 1, 1, 1]) == 1.0


@pytest.mark.parametrize(
    ("n", "m"), [(4, 4), (10, 6), (30, 6), (100, 20), (200, 40), (500, 67), (1000, 94), (2000, 134)]
)
def test_number_of_fragments(n, m):
    # 3 sqrt(500) = 67.08, 3 sqrt(1000) = 94.87, 3 sqrt(2000) = 134.16
    assert n_fragments(n) == m


def test_separate_groups_are_found():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.1, size=(12, 2)) for c in (0, 5, 10, 15)])
    labels = k_medoids(cdist(X, X), 4, n_init=3, rng=rng)
    assert adjusted_rand_score(labels, np.repeat(range(4), 12)) == 1.0


@pytest.mark.parametrize("k", [2, 5, 9])
def test_no_medoid_and_no_sample_can_be_moved_alone(k):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(40, 3))
    D = cdist(X, X)
    labels = k_medoids(D, k, n_init=2, rng=rng)
    assert len(np.unique(labels)) == k
    medoids = []
    for c in range(k):
        members = np.flatnonzero(labels == c)
        sums = [sum(D[i, j] for j in members) for i in members]
        medoids.append(members[int(np.argmin(sums))])
    own = D[np.arange(40), np.array(medoids)[labels]]
    np.testing.assert_allclose(own, D[:, medoids].min(axis=1))


def test_more_starts_are_never_worse():
    X = np.random.default_rng(3).normal(size=(60, 2))
    D = cdist(X, X)

    def cost(labels):
        return sum(
            D[np.ix_(m, m)].sum(axis=0).min()
            for m in (np.flatnonzero(labels == c) for c in np.unique(labels))
        )

    one, many = (k_medoids(D, 8, n_init=n, rng=np.random.default_rng(5)) for n in (1, 20))
    assert cost(many) <= cost(one)


def test_copies_make_fewer_clusters():
    D = cdist([[0.0], [0.0], [3.0], [3.0]], [[0.0], [0.0], [3.0], [3.0]])
    labels = k_medoids(D, 3, n_init=2, rng=np.random.default_rng(0))
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert (k_medoids(np.zeros((4, 4)), 3, n_init=1, rng=np.random.default_rng(0)) == 0).all()


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (2, []),
        (3, [2]),
        (4, [2, 3]),
        (7, [2, 3, 4, 5, 6]),
        (36, [2, 3, 4, 5, 6]),
        (37, [2, 3, 4, 5, 6, 7]),
        (441, list(range(2, 21))),  # the root is 21, which is odd
        (442, [*range(2, 21), 22]),
        (100_000, [*range(2, 21), *range(22, 41, 2)]),
    ],
)
def test_grid_of_its_own(n, expected):
    assert k_grid(n).tolist() == expected


def test_wanted_number_is_added_once():
    assert k_grid(49, n_clusters=21).tolist() == [2, 3, 4, 5, 6, 7, 21]
    assert k_grid(49, n_clusters=3).tolist() == [2, 3, 4, 5, 6, 7]
    assert k_grid(20, k_range=[8, 5, 5], n_clusters=6).tolist() == [5, 6, 8]
    assert k_grid(5, n_clusters=1).tolist() == k_grid(5, n_clusters=5).tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"k_range": "all"}, ValueError, "k_range must be 'auto'"),
        ({"k_range": [1, 2]}, ValueError, "from 2 to 9"),
        ({"k_range": [10]}, ValueError, "got 10"),
        ({"k_range": []}, ValueError, "at least one"),
        ({"k_range": [2.5]}, TypeError, "k_range"),
        ({"k_range": [True]}, TypeError, "k_range"),
        ({"k_range": 3}, TypeError, "k_range"),
        ({"n_clusters": 0}, ValueError, "n_clusters"),
        ({"n_clusters": 11}, ValueError, "n_clusters"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters"),
    ],
)
def test_what_is_no_grid(arguments, error, message):
    with pytest.raises(error, match=message):
        k_grid(10, **arguments)
