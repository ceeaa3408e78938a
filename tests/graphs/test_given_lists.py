"""Neighbour lists that come from elsewhere."""

import numpy as np
import pytest

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import lists_from_arrays

INDICES = np.array([[1, 2], [0, 2], [1, 0], [2, 1]])
DISTANCES = np.array([[1.0, 3.0], [1.0, 2.0], [2.0, 3.0], [4.0, 6.0]])


def test_lists_are_taken_over():
    lists = lists_from_arrays(INDICES, DISTANCES, n_samples=4)
    np.testing.assert_array_equal(lists.indices, INDICES)
    np.testing.assert_array_equal(lists.distances, DISTANCES.astype(np.float32))
    np.testing.assert_array_equal(lists.n_admissible, [2, 2, 2, 2])
    assert lists.indices.dtype == np.int32


def test_forbidden_neighbours_are_taken_out():
    groups = constraint_groups(4, [0, 1, 2, -1])
    with pytest.raises(ValueError, match="sample 0 has no admissible neighbour left; give wider lists"):
        lists_from_arrays(INDICES, DISTANCES, n_samples=4, groups=groups)
    groups = constraint_groups(4, [0, 1, -1, -1])
    lists = lists_from_arrays(INDICES, DISTANCES, n_samples=4, groups=groups)
    np.testing.assert_array_equal(lists.indices, [[2, -1], [2, -1], [1, 0], [2, 1]])
    np.testing.assert_array_equal(lists.distances[:2], [[3, np.inf], [2, np.inf]])
    np.testing.assert_array_equal(lists.n_admissible, [1, 1, 2, 2])


@pytest.mark.parametrize(
    ("indices", "distances", "message"),
    [
        (INDICES[:3], DISTANCES[:3], r"shape \(4, width\)"),
        (INDICES, DISTANCES[:, :1], "got shapes"),
        (INDICES + 0.5, DISTANCES, "integers from 0 to 3"),
        (INDICES + 2, DISTANCES, "integers from 0 to 3"),
        (np.array([[0, 2], [0, 2], [1, 0], [2, 1]]), DISTANCES, "own neighbour in row 0"),
        (np.array([[1, 2], [2, 2], [1, 0], [2, 1]]), DISTANCES, "listed twice in row 1"),
        (INDICES, -DISTANCES, "negative or not finite in row 0"),
        (INDICES, DISTANCES[:, ::-1], "do not increase along the row in row 0"),
    ],
)
def test_bad_lists_are_named(indices, distances, message):
    with pytest.raises(ValueError, match=message):
        lists_from_arrays(indices, distances, n_samples=4)
