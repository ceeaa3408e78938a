"""Medoid slots: directed distances, empty slots anywhere, repair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.encodings import MedoidSlotEncoding, relabel_by_first_appearance
from moo_clustering.encodings.medoids import decode_slots, nearest_others, random_slots, repair_slots

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
