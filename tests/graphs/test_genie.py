"""Genie against its process word for word, sizes sorted anew in every step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score

from moo_clustering.graphs import euclidean_mst, genie_cuts, genie_merges

# 0, 1, 2.1, 5, 6, 20 on a line.
LINE = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
GAPS = [1.0, 1.1, 2.9, 1.0, 14.0]


def naive_gini(sizes):
    s, q, n = sorted(sizes), len(sizes), sum(sizes)
    return sum((2 * t - q - 1) * s[t - 1] for t in range(1, q + 1)) / ((q - 1) * n) if q > 1 else 0.0


def naive_merges(links, lengths, threshold):
    cluster = list(range(len(links) + 1))
    unused = sorted(range(len(links)), key=lambda e: lengths[e])
    order = []
    while unused:
        sizes = {c: cluster.count(c) for c in set(cluster)}
        chosen = unused[0]
        if naive_gini(sizes.values()) > threshold:
            least = min(sizes.values())
            chosen = next(e for e in unused if least in [sizes[cluster[i]] for i in links[e]])
        unused.remove(chosen)
        order.append(chosen)
        a, b = (cluster[i] for i in links[chosen])
        cluster = [a if c == b else c for c in cluster]
    return order


def naive_cut(links, order, k):
    n = len(links) + 1
    cluster = list(range(n))
    for e in order[: max(n - k, 0)]:
        a, b = (cluster[i] for i in links[e])
        cluster = [a if c == b else c for c in cluster]
    seen = list(dict.fromkeys(cluster))
    return [seen.index(c) for c in cluster]


@st.composite
def trees(draw):
    """Random trees from paths to stars, few lengths so that many are tied."""
    n = draw(st.integers(1, 40))
    reach = draw(st.sampled_from([1, 2, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    links = [(int(rng.integers(max(0, i - reach), i)), i) for i in range(1, n)]
    names = rng.permutation(n)
    links = names[np.array(links, dtype=int).reshape(-1, 2)]
    most = draw(st.sampled_from([1, 5, 1000]))
    return rng.permutation(links), rng.integers(0, most, n - 1) / 2


def test_on_a_line_by_hand():
    order = genie_merges(LINE, GAPS)
    # By length the links are 0, 3, 1, 2, 4; then sizes 1, 2, 3 have g = 1/3, and 20 is attached first.
    assert_array_equal(order, [0, 3, 1, 4, 2])
    assert order.dtype == np.intp
    cuts = genie_cuts(LINE, GAPS, [2, 3, 1, 6, 9])
    assert_array_equal(
        cuts, [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0] * 6, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]
    )
    assert cuts.dtype == np.int32


def test_gini_equal_to_the_threshold_takes_the_shortest():
    # The index before the fourth merge is 4 / 12, in floating point just that of 1 / 3.
    assert_array_equal(genie_merges(LINE, GAPS, threshold=4 / 12), [0, 3, 1, 2, 4])
    assert_array_equal(genie_merges(LINE, GAPS, threshold=np.nextafter(4 / 12, 0)), [0, 3, 1, 4, 2])


@settings(max_examples=150, deadline=None)
@given(trees(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))
def test_naive_twin(tree, threshold):
    links, lengths = tree
    order = genie_merges(links, lengths, threshold=threshold)
    expected = naive_merges(links.tolist(), lengths.tolist(), threshold)
    assert order.tolist() == expected
    n = len(links) + 1
    ks = [k for k in (3, 1, n, 2, n + 2) if k >= 1]
    cuts = genie_cuts(links, lengths, ks, threshold=threshold)
    assert cuts.tolist() == [naive_cut(links.tolist(), expected, k) for k in ks]


@pytest.mark.parametrize("threshold", [0.3, 0.5])
def test_naive_twin_on_uneven_clusters(threshold, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = np.concatenate([rng.normal(size=(150, 2)), rng.normal(9, 0.3, (40, 2)), rng.normal(-30, 20, (9, 2))])
    tree = euclidean_mst(X, root=0, ties="index")
    links = tree.links()
    lengths = tree.lengths[links[:, 0]]
    order = genie_merges(links, lengths, threshold=threshold)
    assert order.tolist() == naive_merges(links.tolist(), lengths.tolist(), threshold)
    assert order.tolist() != genie_merges(links, lengths, threshold=1.0).tolist()


def test_threshold_one_is_single_linkage(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(80, 3))
    tree = euclidean_mst(X, root=0, ties="index")
    links = tree.links()
    cuts = genie_cuts(links, tree.lengths[links[:, 0]], [2, 5, 17], threshold=1.0)
    Z = linkage(X, "single")
    for k, labels in zip([2, 5, 17], cuts, strict=True):
        assert adjusted_rand_score(fcluster(Z, k, "maxclust"), labels) == 1.0


def test_rounding_noise_breaks_no_tie():
    lengths = np.array([0.3, 0.1 + 0.2, 0.3])
    assert lengths[1] > 0.3
    assert_array_equal(genie_merges([[0, 1], [1, 2], [2, 3]], lengths[[1, 0, 2]], threshold=1.0), [0, 1, 2])


def test_many_samples_with_very_uneven_sizes():
    # A caterpillar: chains of lengths 1, 2, 3, ... whose links are short; all sizes differ at once.
    sizes = np.arange(1, 300)
    n = int(sizes.sum())
    tops = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    links = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    lengths = np.ones(n - 1)
    lengths[tops[1:] - 1] = 1000.0 + np.arange(len(sizes) - 1)
    order = genie_merges(links, lengths, threshold=0.999)
    assert_array_equal(np.sort(order), np.arange(n - 1))
    labels = genie_cuts(links, lengths, [len(sizes)], threshold=0.999)[0]
    assert_array_equal(labels, np.repeat(np.arange(len(sizes)), sizes))


def test_few_samples():
    assert genie_merges(np.empty((0, 2)), []).shape == (0,)
    assert_array_equal(genie_cuts(np.empty((0, 2)), [], [1, 2]), [[0], [0]])
    assert_array_equal(genie_cuts([[1, 0]], [0.0], [2, 1]), [[0, 1], [0, 0]])
    assert genie_cuts(LINE, GAPS, []).shape == (0, 6)


@pytest.mark.parametrize(
    ("links", "lengths", "options", "message"),
    [
        ([[0, 1], [1, 0]], [1, 2], {}, "cycle"),
        ([[0, 1], [2, 2], [1, 3]], [1, 2, 3], {}, "cycle"),
        ([[0, 1], [2, 2], [1, 3]], [1, 2, 3], {"threshold": 0.0}, "cycle"),
        ([[0, 1], [1, 3]], [1, 2], {}, "samples 0 to 2"),
        ([[0, 1], [1, -1]], [1, 2], {}, "samples 0 to 2"),
        ([[0, 1], [1, 2]], [1], {}, "shapes"),
        ([[0.0, 1.5]], [1], {}, "integers"),
        ([[0, 1]], [np.nan], {}, "finite"),
        ([[0, 1]], [-1], {}, "negative"),
        ([[0, 1]], [1], {"threshold": 1.5}, "threshold"),
    ],
)
def test_bad_input(links, lengths, options, message):
    with pytest.raises(ValueError, match=message):
        genie_merges(links, lengths, **options)


@pytest.mark.parametrize("ks", [[0], [2, -1], [1.5], 3])
def test_bad_numbers_of_clusters(ks):
    with pytest.raises(ValueError, match="ks"):
        genie_cuts(LINE, GAPS, ks)
