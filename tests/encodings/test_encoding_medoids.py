"""Encodings whose genes are medoids."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.metrics import pairwise_distances

from moo_clustering.constraints import ClusterSizes
from moo_clustering.encodings import MedoidEncoding, MedoidSlotEncoding, relabel_by_first_appearance
from moo_clustering.encodings.medoids import (
    decode_slots,
    nearest_others,
    random_slots,
    repair_slots,
    resolve_k_max,
)
from moo_clustering.problems import PartitionProblem

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def assign(D: np.ndarray, row: np.ndarray) -> list[int]:
    """The definition: nearest medoid, ties to the lowest position, a medoid to itself."""
    medoids = [z for z in row if z >= 0]
    labels = [min(range(len(medoids)), key=lambda j: (D[i, medoids[j]], j)) for i in range(len(D))]
    for j, z in enumerate(medoids):
        labels[z] = j
    return labels


def test_decode_of_the_worked_examples():
    encoding = MedoidEncoding(LINE, k_max=3)
    X = np.array([[0, 2, -1], [0, 3, -1], [2, 5, -1], [1, 4, -1], [3, 4, -1], [0, 1, 5]])
    assert_array_equal(
        encoding.decode(X),
        [
            [0, 0, 1, 1, 1, 1],
            [0, 0, 0, 1, 1, 1],
            [0, 0, 0, 1, 1, 1],
            [0, 0, 0, 1, 1, 1],
            [0, 0, 0, 0, 1, 1],
            [0, 1, 1, 2, 2, 2],
        ],
    )


def test_encode_of_the_worked_examples():
    encoding = MedoidEncoding(LINE, k_max=3)
    labels = np.array([[0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 1, 1, 2, 2, 2]])
    assert_array_equal(encoding.encode(labels), [[0, 3, -1], [1, 4, -1], [0, 1, 4]])


def test_cosine_with_a_tie_a_duplicate_direction_and_a_row_of_zeros():
    encoding = MedoidEncoding([[1, 0], [1, 1], [0, 1], [0, 2], [0, 0]], k_max=2, metric="cosine")
    assert_allclose(encoding.distances[4], [1, 1, 1, 1, 0])
    assert_array_equal(encoding.decode(np.array([[0, 3]])), [[0, 0, 1, 1, 0]])


def test_two_rows_of_zeros_are_not_alike_in_cosine():
    encoding = MedoidEncoding(np.array([[0.0, 0], [0, 0], [1, 0]]), k_max=2, metric="cosine")
    assert_array_equal(encoding.distances, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def test_identical_samples_can_be_two_medoids_without_an_empty_cluster():
    encoding = MedoidEncoding(np.zeros((5, 2)), k_max=3)
    assert_array_equal(encoding.decode(np.array([[4, 1, 2]])), [[0, 1, 2, 0, 0]])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_decode_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    encoding = MedoidEncoding(rng.integers(0, 4, size=(n, 2)), k_max=n, k_min=1)
    X = encoding.random(6, rng)
    assert_array_equal(encoding.decode(X), [assign(encoding.distances, row) for row in X])


def test_decode_in_many_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    encoding = MedoidEncoding(rng.normal(size=(20, 2)), k_max=8)
    X = encoding.random(30, rng)
    whole = encoding.decode(X)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 70)
    assert_array_equal(encoding.decode(X), whole)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_encode_gives_the_medoid_of_every_cluster(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 15))
    x = rng.integers(0, 5, size=n)
    D = np.abs(x[:, None] - x)  # integers: ties are exact
    encoding = MedoidEncoding(x[:, None], k_max=n, k_min=1)
    labels = encoding.decode(encoding.random(3, rng))
    for row, partition in zip(encoding.encode(labels), labels, strict=True):
        for c in range(partition.max() + 1):
            members = [i for i in range(n) if partition[i] == c]
            assert row[c] == min(members, key=lambda i: (sum(D[i, j] for j in members), i))
        assert (row[partition.max() + 1 :] == -1).all()


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_reencoding_never_raises_the_total_distance(seed):
    rng = np.random.default_rng(seed)
    encoding = MedoidEncoding(rng.normal(size=(14, 2)), k_max=5)
    X = encoding.random(4, rng)

    def totals(X: np.ndarray) -> np.ndarray:
        labels = encoding.decode(X)
        return np.array(
            [
                sum(encoding.distances[i, row[c]] for i, c in enumerate(part))
                for row, part in zip(X, labels, strict=True)
            ]
        )

    for _ in range(15):
        again = encoding.encode(encoding.decode(X))
        assert (totals(again) <= totals(X) + 1e-9).all()
        if np.array_equal(again, X):
            break
        X = again
    # At the fixed point the partition survives encoding and decoding.
    assert_array_equal(encoding.decode(encoding.encode(encoding.decode(X))), encoding.decode(X))


def test_separated_groups_survive_encoding():
    encoding = MedoidEncoding(LINE, k_max=3)
    labels = np.array([[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    assert_array_equal(encoding.decode(encoding.encode(labels)), labels)


def test_encode_keeps_the_largest_clusters():
    encoding = MedoidEncoding(LINE, k_max=2)
    # Sizes 1, 2, 3: the first goes; the others keep their order.
    assert_array_equal(encoding.encode(np.array([[0, 1, 1, 2, 2, 2]])), [[1, 4]])


def test_encode_fills_up_to_k_min():
    encoding = MedoidEncoding(LINE, k_max=3, k_min=3)
    assert_array_equal(encoding.encode(np.zeros((1, 6), dtype=int)), [[2, 0, 1]])


@pytest.mark.parametrize(
    ("row", "repaired"),
    [
        ([4, 1, 3, -1], [4, 1, 3, -1]),
        ([-1, 4, -1, 1], [4, 1, -1, -1]),
        ([4, 4, 1, 4], [4, 1, -1, -1]),
        ([6, 2, -7, 5], [2, 5, -1, -1]),
        ([-1, -1, -1, -1], [0, 1, -1, -1]),
        ([0, -1, -1, 0], [0, 1, -1, -1]),
        ([1, 1, 1, 1], [1, 0, -1, -1]),
        ([4, 4, 4, 99], [4, 0, -1, -1]),
        ([0.4, 3.6, -0.6, -1.2], [0, 4, -1, -1]),
    ],
)
def test_repair(row, repaired):
    encoding = MedoidEncoding(LINE, k_max=4)
    assert_array_equal(encoding.repair(np.array([row])), [repaired])


def test_repair_fills_many_genes_with_the_lowest_absent_ids():
    encoding = MedoidEncoding(LINE, k_max=5, k_min=5)
    X = np.array([[3, 1, -1, -1, -1], [-1, -1, -1, -1, 5], [0, 1, 2, 3, 3]])
    assert_array_equal(encoding.repair(X), [[3, 1, 0, 2, 4], [5, 0, 1, 2, 3], [0, 1, 2, 3, 4]])


def test_repair_adds_the_medoids_that_repeated_additions_of_one_would_add():
    rng = np.random.default_rng(0)
    encoding = MedoidEncoding(rng.normal(size=(30, 2)), k_max=20, k_min=15)
    X = rng.integers(-1, 30, size=(200, 20))
    for genes, row in zip(X.copy(), encoding.repair(X), strict=True):
        expected = list(dict.fromkeys(genes[genes >= 0].tolist()))
        while len(expected) < 15:
            expected.append(min({*range(30)} - {*expected}))
        assert row[row >= 0].tolist() == expected


@pytest.mark.parametrize("row", [[-1, 0, 1], [0, 0, 1], [0, -1, 1], [-1, -1, -1], [6, 0, -1]])
def test_decode_refuses_what_is_no_set_of_medoids(row):
    with pytest.raises(ValueError, match="row 1 of X"):
        MedoidEncoding(LINE, k_max=3).decode(np.array([[0, 1, 2], row]))


def test_canonical_sorts_and_pads_last():
    encoding = MedoidEncoding(LINE, k_max=4)
    assert_array_equal(
        encoding.canonical(np.array([[5, 0, 3, -1], [2, 1, -1, -1]])), [[0, 3, 5, -1], [1, 2, -1, -1]]
    )


def test_random_is_uniform_over_sizes_and_samples():
    encoding = MedoidEncoding(LINE, k_max=4)
    X = encoding.random(12_000, np.random.default_rng(0))
    sizes = (X >= 0).sum(axis=1)
    assert_allclose(np.bincount(sizes)[2:] / len(X), 1 / 3, atol=0.02)
    # Every pair of samples equally often, in either order.
    pairs = X[sizes == 2][:, :2]
    counts = np.bincount(pairs[:, 0] * 6 + pairs[:, 1], minlength=36).reshape(6, 6)
    assert (counts.diagonal() == 0).all()
    assert_allclose(counts[~np.eye(6, dtype=bool)] / len(pairs), 1 / 30, atol=0.012)


@pytest.mark.parametrize(
    ("k_max", "n", "expected"),
    [
        ("sqrt", 1, 1),
        ("sqrt", 2, 2),
        ("sqrt", 3, 2),
        ("sqrt", 8, 2),
        ("sqrt", 9, 3),
        ("sqrt", 150, 12),
        ("ceil_sqrt", 2, 2),
        ("ceil_sqrt", 4, 2),
        ("ceil_sqrt", 5, 3),
        ("ceil_sqrt", 150, 13),
        (7, 5, 7),
    ],
)
def test_largest_number_of_clusters(k_max, n, expected):
    assert resolve_k_max(k_max, n) == expected


def test_one_sample_is_one_cluster():
    encoding = MedoidEncoding([[3.0, 4.0]])
    assert (encoding.k_min, encoding.k_max) == (1, 1)
    assert_array_equal(encoding.random(2, np.random.default_rng(0)), [[0], [0]])
    assert_array_equal(encoding.decode(np.array([[0]])), [[0]])


def test_two_samples_leave_one_chromosome():
    encoding = MedoidEncoding([[3.0], [4.0]])
    assert_array_equal(encoding.canonical(encoding.random(5, np.random.default_rng(0))), [[0, 1]] * 5)


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "euclidean", "correlation"])
def test_metrics_are_those_of_scikit_learn(metric):
    X = np.random.default_rng(0).normal(size=(9, 4)) + 3
    encoding = MedoidEncoding(X, metric=metric)
    assert_allclose(encoding.distances, pairwise_distances(X, metric=metric), atol=1e-12)
    assert_array_equal(encoding.distances, encoding.distances.T)


def test_precomputed_distances_give_the_same_and_stay_writeable_for_their_owner():
    X = np.random.default_rng(1).normal(size=(9, 3))
    D = MedoidEncoding(X).distances.copy()
    encoding = MedoidEncoding(D, metric="precomputed")
    Z = encoding.random(5, np.random.default_rng(0))
    assert_array_equal(encoding.decode(Z), MedoidEncoding(X).decode(Z))
    assert D.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        encoding.distances[0, 0] = 1


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_features(metric):
    X = np.random.default_rng(2).poisson(0.5, size=(12, 6)).astype(float)
    assert_allclose(
        MedoidEncoding(csr_matrix(X), metric=metric).distances,
        MedoidEncoding(X, metric=metric).distances,
        atol=1e-7,
    )


def test_whole_numbers_far_from_the_origin_keep_their_ties():
    X = np.random.default_rng(3).integers(0, 4, size=(40, 3)).astype(float)
    genes = MedoidEncoding(X, k_max=5).random(30, np.random.default_rng(0))
    expected = MedoidEncoding(X, k_max=5).decode(genes)
    assert_array_equal(MedoidEncoding(X + 2.0**40, k_max=5).decode(genes), expected)


def test_duplicates_far_from_the_origin_are_at_distance_zero():
    X = np.random.default_rng(3).normal(size=(6, 5)) + 1e7
    D = MedoidEncoding(np.vstack([X, X])).distances
    assert_array_equal(D[np.arange(6), np.arange(6) + 6], np.zeros(6))


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"k_max": "cube"}, ValueError, "k_max"),
        ({"k_max": 7}, ValueError, "k_max"),
        ({"k_max": 2, "k_min": 3}, ValueError, "k_min"),
        ({"k_min": 0}, ValueError, "k_min"),
        ({"k_max": 2.5}, TypeError, "k_max"),
        ({"metric": "precomputed"}, ValueError, "square"),
        ({"metric": "nonsense"}, ValueError, "nonsense"),
        ({"max_memory": 8 * 36 - 1}, ValueError, "max_memory"),
        ({"max_memory": float("nan")}, ValueError, "max_memory=nan"),
    ],
)
def test_misuse(kwargs, error, match):
    with pytest.raises(error, match=match):
        MedoidEncoding(LINE, **kwargs)


def test_memory_that_just_suffices():
    assert MedoidEncoding(LINE, max_memory=8 * 36).n_samples == 6


def test_distances_that_are_none_are_refused():
    D = np.array([[0, 1.0], [2.0, 0]])
    with pytest.raises(ValueError, match="symmetric"):
        MedoidEncoding(D, metric="precomputed")
    with pytest.raises(ValueError, match="negative"):
        MedoidEncoding(-D - D.T, metric="precomputed")
    with pytest.raises(ValueError, match="NaN"):
        MedoidEncoding(D * np.nan, metric="precomputed")


SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=40, deadline=None)

# Directed Hausdorff distances between five bags; row = from, column = to.
TOY = np.array(
    [
        [0, 2.2360679775, 8, 6.3245553203, 10.7703296143],
        [1, 0, 8.0622577483, 6.0827625303, 9.8488578018],
        [7.2111025509, 8.5440037453, 0, 2.8284271247, 10.7703296143],
        [8.2462112512, 10.0498756211, 2, 0, 10],
        [10.1980390272, 9.8488578018, 7.2111025509, 8.2462112512, 0],
    ]
)


def naive_labels(row, H):
    medoids = [m for m in row if m >= 0]
    labels = [min(range(len(medoids)), key=lambda k: (H[b][medoids[k]], k)) for b in range(len(H))]
    for k, m in enumerate(medoids):
        labels[m] = k
    return labels


def assert_legal(slots, n_samples, k_min):
    for row in slots:
        ids = row[row >= 0]
        assert len(set(ids.tolist())) == len(ids) >= k_min
        assert ids.max(initial=0) < n_samples
        assert row.min() >= -1


@pytest.mark.parametrize(
    ("medoids", "labels"), [((0, 1), (0, 1, 0, 0, 1)), ((0, 4), (0, 0, 0, 0, 1)), ((2, 3), (1, 1, 0, 1, 0))]
)
def test_assignment_of_the_toy_bags(medoids, labels):
    assert_array_equal(decode_slots(np.array([medoids]), TOY)[0], labels)
    spread = np.array([[-1, medoids[0], -1, medoids[1]]])
    assert_array_equal(decode_slots(spread, TOY)[0], labels)


def test_distances_lead_from_the_sample_to_the_medoid():
    H = np.array([[0, 9, 9.0], [9, 0, 9], [1, 5, 0]])
    assert_array_equal(decode_slots(np.array([[0, 1]]), H), [[0, 1, 0]])
    assert_array_equal(decode_slots(np.array([[0, 1]]), H.T), [[0, 1, 0]])
    H[2, :2] = 5, 1
    assert_array_equal(decode_slots(np.array([[0, 1]]), H), [[0, 1, 1]])
    assert_array_equal(decode_slots(np.array([[0, 1]]), H.T), [[0, 1, 0]])


@given(seed=SEEDS)
@FEW
def test_decoding_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    H = rng.integers(0, 4, size=(n, n)).astype(float)  # ties abound, the diagonal is not zero
    k_max = int(rng.integers(1, n + 1))
    X = random_slots(8, n, 1, k_max, rng)
    expected = [naive_labels(row, H) for row in X.tolist()]
    assert_array_equal(decode_slots(X, H), expected)
    assert_array_equal(decode_slots(X, np.asfortranarray(H, dtype=np.float32)), expected)


def test_decoding_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    H = rng.random((20, 20))
    X = random_slots(9, 20, 1, 6, rng)
    expected = decode_slots(X, H), nearest_others(H, 7)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 50)
    assert_array_equal(decode_slots(X, H), expected[0])
    assert_array_equal(nearest_others(H, 7), expected[1])


@pytest.mark.parametrize("row", [[-1, -1, -1], [1, 1, -1], [0, 5, -1], [0, -2, 1]])
def test_rows_to_repair_are_refused(row):
    with pytest.raises(ValueError, match="row 1 of X"):
        decode_slots(np.array([[0, 1, 2], row]), TOY)


def test_random_slots_are_uniform():
    X = random_slots(6000, 5, 1, 3, np.random.default_rng(0))
    assert_legal(X, 5, 1)
    sizes = (X >= 0).sum(axis=1)
    assert_allclose(np.bincount(sizes, minlength=4)[1:] / 6000, 1 / 3, atol=0.03)
    # Every slot and every sample alike, two thirds of the slots occupied on the average.
    assert_allclose((X >= 0).mean(axis=0), 2 / 3, atol=0.03)
    for column in X.T:
        assert_allclose(np.bincount(column[column >= 0], minlength=5) / (column >= 0).sum(), 0.2, atol=0.03)
    assert_legal(random_slots(20, 4, 4, 4, np.random.default_rng(1)), 4, 4)


def test_repair_by_hand():
    X = np.array([[3, 3, -1, 1], [-1, -1, -1, 0], [7, -1, -4, -1], [2.4, 2.0, 0.6, -1]])
    assert_array_equal(
        repair_slots(X, 5, 2), [[3, -1, -1, 1], [1, -1, -1, 0], [0, 1, -1, -1], [2, -1, 1, -1]]
    )
    # The first empty slot again, but with any sample not in the row.
    drawn = repair_slots(np.tile([3, 3, -1, -1], (3000, 1)), 5, 2, np.random.default_rng(0))
    assert (drawn[:, [0, 2, 3]] == [3, -1, -1]).all()
    assert_allclose(np.bincount(drawn[:, 1], minlength=5) / 3000, [0.25, 0.25, 0.25, 0, 0.25], atol=0.03)


@given(seed=SEEDS, draw=st.booleans())
@FEW
def test_repair_makes_anything_legal(seed, draw):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    width = int(rng.integers(1, 7))
    k_min = int(rng.integers(1, min(n, width) + 1))
    X = rng.integers(-3, n + 3, size=(12, width))
    before = X.copy()
    generator = np.random.default_rng(1) if draw else None
    repaired = repair_slots(X, n, k_min, generator)
    assert_array_equal(X, before)
    assert_legal(repaired, n, k_min)
    assert_array_equal(repair_slots(repaired, n, k_min, generator), repaired)
    # What was a sample for the first time stays where it is.
    for row, now in zip(X.tolist(), repaired.tolist(), strict=True):
        for j, g in enumerate(row):
            if 0 <= g < n and g not in row[:j]:
                assert now[j] == g
    if not draw:
        assert_array_equal(repaired, np.vstack([repair_slots(row[None], n, k_min) for row in X]))


def test_more_medoids_than_slots_cannot_be_had():
    with pytest.raises(ValueError, match="k_min=3"):
        repair_slots([[0, 1]], 5, 3)
    with pytest.raises(ValueError, match="k_min=3"):
        repair_slots([[0, 1, -1]], 2, 3)


def test_medoids_of_clusters_look_from_the_candidate():
    encoding = MedoidSlotEncoding(TOY, k_max=3)
    # Sums from the candidate: bag 2 13.6, bag 3 12, bag 4 15.5; to it: 9.2, 11.1, 20.8.
    assert_array_equal(encoding.encode([[0, 0, 1, 1, 1]]), [[1, 3, -1]])
    assert_array_equal(encoding.encode([[1, 1, 0, 0, 0]]), [[3, 1, -1]])
    # One cluster is filled up, of four the three largest stay.
    assert_array_equal(encoding.encode([[0, 0, 0, 0, 0]])[:, 1:], [[0, -1]])
    assert_array_equal(encoding.encode([[0, 1, 2, 3, 3]]), [[0, 1, 4]])


@pytest.mark.parametrize(
    ("start", "labels", "medoids"),
    [
        ((0, 1), (1, 1, 0, 0, 0), (3, 1)),
        ((0, 4), (0, 0, 0, 1, 1), (1, 4)),
        ((2, 3), (1, 1, 1, 0, 0), (4, 1)),
    ],
)
def test_assigning_and_updating_in_turn_is_k_medoids(start, labels, medoids):
    encoding = MedoidSlotEncoding(TOY, k_max=2)
    X = np.array([start])
    for _ in range(10):
        X = encoding.encode(encoding.decode(X))
    assert_array_equal(X, [medoids])
    assert_array_equal(encoding.decode(X), [labels])


def test_self_distances_do_not_choose_the_medoid():
    H = np.array([[9.0, 1, 1], [2, 0, 2], [3, 3, 0]])
    assert MedoidSlotEncoding(H, k_max=2, k_min=1).encode([[0, 0, 0]])[0, 0] == 0


@given(seed=SEEDS)
@FEW
def test_clusters_around_far_medoids_survive_encoding(seed):
    rng = np.random.default_rng(seed)
    x = np.repeat([0.0, 100, 200], 4) + rng.random(12)
    labels = relabel_by_first_appearance(np.repeat([[0, 1, 2]], 4, axis=1))
    encoding = MedoidSlotEncoding(np.abs(x - x[:, None]), k_max=5)
    assert_array_equal(encoding.decode(encoding.encode(labels)), labels)


def least_cost(D, medoids, low, high):
    """Least sum of distances of all assignments within the bounds, by enumeration."""
    best = np.inf
    for labels in itertools.product(range(len(medoids)), repeat=len(D)):
        sizes = np.bincount(labels, minlength=len(medoids))
        if sizes.min() >= low and sizes.max() <= high:
            best = min(best, sum(D[i, medoids[c]] for i, c in enumerate(labels)))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_sizes_are_within_the_bounds_at_the_least_cost(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(7, 2)).astype(float)
    encoding = MedoidEncoding(X, k_max=5, sizes=ClusterSizes(2, 4))
    assert (encoding.k_min, encoding.k_max) == (2, 3)  # 7 samples in clusters of 2 to 4
    genes = encoding.random(20, rng)
    for row, labels in zip(genes, encoding.decode(genes), strict=True):
        medoids = row[row >= 0]
        sizes = np.bincount(labels, minlength=len(medoids))
        assert len(sizes) == len(medoids)
        assert sizes.min() >= 2
        assert sizes.max() <= 4
        cost = encoding.distances[np.arange(7), medoids[labels]].sum()
        assert cost == pytest.approx(least_cost(encoding.distances, medoids, 2, 4))


def test_worked_sizes_and_bounds_per_cluster():
    exact = MedoidEncoding(LINE, k_max=2, sizes=ClusterSizes(3, 3))
    assert_array_equal(exact.decode([[0, 1]]), [[0, 0, 1, 1, 1, 0]])
    uneven = MedoidEncoding(LINE, k_max=4, sizes=ClusterSizes([1, 5], [1, 5]))
    assert_array_equal(uneven.decode([[3, 0]]), [[1, 1, 1, 0, 1, 1]])
    assert MedoidEncoding(LINE, k_max=3).sizes is None


def test_a_search_through_sizes_is_always_feasible():
    X = np.random.default_rng(0).normal(size=(40, 2))
    sizes = ClusterSizes(8, 12)
    encoding = MedoidEncoding(X, k_max=6, sizes=sizes)
    problem = PartitionProblem(X, encoding, ["silhouette", "deviation"], limits=[sizes])
    result = minimize(problem, NSGA2(12, **problem.operators()), ("n_gen", 4), seed=0)
    assert not result.pop.get("CV").any()
    assert not sizes.violations(problem.decode(result.pop.get("X"))).any()


def test_impossible_sizes_are_refused():
    with pytest.raises(
        ValueError, match=r"3 clusters of 4..5 samples contain 12..15 in total, but there are 6 samples"
    ):
        MedoidEncoding(LINE, k_max=3, sizes=ClusterSizes(4, 5))
    with pytest.raises(TypeError, match=r"sizes must be ClusterSizes.*got \(2, 3\)"):
        MedoidEncoding(LINE, k_max=3, sizes=(2, 3))


def test_canonical_form_is_the_set():
    encoding = MedoidSlotEncoding(TOY, k_max=4)
    X = np.array([[3, -1, 1, -1], [-1, 1, 3, -1], [3, 1, -1, 0]])
    assert_array_equal(encoding.canonical(X), [[1, 3, -1, -1], [1, 3, -1, -1], [0, 1, 3, -1]])


def test_nearest_others_read_rows():
    assert_array_equal(nearest_others(TOY, 2), [[1, 3], [0, 3], [3, 0], [2, 0], [2, 3]])
    ties = np.ones((4, 4))
    assert_array_equal(nearest_others(ties, 3), [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    encoding = MedoidSlotEncoding(TOY, k_max=2)
    assert_array_equal(encoding.nearest(4)[2], [3, 0, 1, 4])
    assert encoding.nearest(4) is encoding.nearest(4)
    for wrong in (0, 5):
        with pytest.raises(ValueError, match="n_neighbors"):
            encoding.nearest(wrong)


def test_distances_are_shared_and_checked():
    H = TOY.copy()
    encoding = MedoidSlotEncoding(H, k_max=2)
    assert np.shares_memory(encoding.distances, H)
    assert H.flags.writeable
    assert not encoding.distances.flags.writeable
    assert MedoidSlotEncoding(TOY.astype(np.float32), k_max=2).distances.dtype == np.float32
    for wrong, match in ((TOY[:4], "square"), (-TOY, "negative"), (TOY + np.nan, "NaN")):
        with pytest.raises(ValueError, match=match):
            MedoidSlotEncoding(wrong, k_max=2)
    with pytest.raises(ValueError, match="k_min=2, k_max=6"):
        MedoidSlotEncoding(TOY, k_max=6)
