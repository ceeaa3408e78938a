"""Votes of neighbours and sums of links against plain NumPy."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering._kernels import partitions as partition_votes

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


def graph_of(rng, m):
    """Small whole weights, so that there are ties and no rounding; some samples without neighbours."""
    S = np.triu(rng.integers(0, 4, (m, m)) * (rng.random((m, m)) < 0.3), 1)
    return (S + S.T).astype(float)


def rows(S):
    graph = sp.csr_array(S)
    return graph.indptr, graph.indices, graph.data


def votes(S, labels, inertia, k):
    onehot = np.eye(k)[labels]
    return S @ onehot + inertia[:, None] * onehot


@given(SEEDS)
@FEW
def test_vote_once(seed):
    rng = np.random.default_rng(seed)
    m, k = 14, 4
    S, labels, inertia = graph_of(rng, m), rng.integers(0, k, m).astype(np.int32), rng.integers(0, 2, m) * 1.0
    tally, out = np.zeros(k), np.empty(m, dtype=np.int32)
    partition_votes.vote_once(*rows(S), inertia, labels, tally, out)
    expected = []
    for i, vote in enumerate(votes(S, labels, inertia, k)):
        tied = np.flatnonzero(vote == vote.max())
        order = [labels[i], *labels[np.flatnonzero(S[i])]]
        expected.append(next(c for c in order if c in tied))
    assert_array_equal(out, expected)
    assert not tally.any()


@given(SEEDS, st.integers(1, 4))
@FEW
def test_join_neighbors(seed, max_rounds):
    rng = np.random.default_rng(seed)
    m, k = 14, 3
    S = graph_of(rng, m)
    labels = np.where(rng.random(m) < 0.3, rng.integers(0, k, m), -1).astype(np.int32)
    expected = labels.copy()
    for _ in range(max_rounds):
        known = expected >= 0
        before = expected.copy()
        for i in np.flatnonzero(~known):
            near = np.flatnonzero((S[i] > 0) & known)
            if len(near):
                vote = np.bincount(before[near], weights=S[i, near], minlength=k)
                expected[i] = next(c for c in before[near] if vote[c] == vote.max())
    tally, got = np.zeros(k), labels.copy()
    left = partition_votes.join_neighbors(*rows(S), got, tally, max_rounds)
    assert_array_equal(got, expected)
    assert left == (expected < 0).sum()
    assert not tally.any()


@given(SEEDS)
@FEW
def test_sum_links(seed):
    rng = np.random.default_rng(seed)
    S, labels = graph_of(rng, 14), rng.integers(0, 4, 14).astype(np.int32)
    links = np.zeros((4, 4))
    partition_votes.sum_links(*rows(S), labels, links)
    onehot = np.eye(4)[labels]
    assert_allclose(links, onehot.T @ S @ onehot)
