"""Votes among partitions: matching, shares, the classifier, the reference."""

import numpy as np
import pytest

from moo_clustering.estimators.fuzzy_modes import majority_vote, reference_row

OPTIONS = {"metric": "euclidean", "beta": 0.5, "reference": "first"}


def test_worked_example():
    labels = np.array([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]], dtype=np.int32)
    data = np.arange(5.0)[:, None]
    for reference in ("first", "medoid"):
        vote = majority_vote(labels, data, **{**OPTIONS, "reference": reference})
        np.testing.assert_array_equal(vote, [0, 0, 0, 1, 1])


def test_names_of_clusters_do_not_matter():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (7, 40)).astype(np.int32)
    names = np.array([rng.permutation(3) for _ in range(7)])
    renamed = np.take_along_axis(names, labels, axis=1).astype(np.int32)
    renamed[0] = labels[0]
    data = rng.normal(size=(40, 2))
    np.testing.assert_array_equal(
        majority_vote(labels, data, **OPTIONS), majority_vote(renamed, data, **OPTIONS)
    )


def split(n_unsure=1):
    """Two far groups; one partition in three gives the last samples of the first to the second."""
    data = np.concatenate([np.arange(10.0), 100.0 + np.arange(10.0)])[:, None]
    truth = np.repeat([0, 1], 10)
    labels = np.tile(truth, (3, 1))
    labels[1:, 10 - n_unsure : 10] = 1
    return labels.astype(np.int32), data, truth


def test_neighbours_decide_where_too_few_agree():
    labels, data, truth = split()
    np.testing.assert_array_equal(
        majority_vote(labels, data, **OPTIONS), np.where(np.arange(20) == 9, 1, truth)
    )
    np.testing.assert_array_equal(majority_vote(labels, data, **{**OPTIONS, "beta": 0.7}), truth)
    # Two of three are exactly the share that is asked for.
    vote = majority_vote(labels, data, **{**OPTIONS, "beta": 2 / 3})
    assert vote[9] == 1


def test_neighbours_by_hamming_distance():
    labels, _, truth = split()
    # Euclidean distance would take the unsure sample to the second group.
    data = np.where(truth[:, None] == 0, [0, 0, 0], [5, 5, 9])
    data[9] = [0, 0, 9]
    vote = majority_vote(labels, data, metric="hamming", beta=0.7, reference="first")
    np.testing.assert_array_equal(vote, truth)
    assert majority_vote(labels, data, **{**OPTIONS, "beta": 0.7})[9] == 1


@pytest.mark.parametrize(
    ("labels", "beta"),
    [
        # Fewer than five sure samples.
        ([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1]], 1.0),
        # Cluster 2 has no sure sample.
        ([[0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 1]], 1.0),
    ],
)
def test_the_vote_alone_where_the_classifier_would_know_too_little(labels, beta):
    data = np.zeros((len(labels[0]), 1))
    vote = majority_vote(np.array(labels, dtype=np.int32), data, **{**OPTIONS, "beta": beta})
    np.testing.assert_array_equal(vote, labels[0])


def test_the_medoid_is_most_similar_to_the_others():
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 3
    noise = [0.9, 0.4, 0.05, 0.3]
    labels = np.array([np.where(rng.random(60) < p, rng.integers(0, 3, 60), truth) for p in noise])
    assert reference_row(labels.astype(np.int32), "medoid") == 2
    assert reference_row(labels.astype(np.int32), "first") == 0
    assert reference_row(np.zeros((3, 4), dtype=np.int32), "medoid") == 0
