import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from moo_clustering.pool.families import merged_fragments, n_fragments


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
