import pytest

from moo_clustering.pool import k_grid


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
        ({"k_range": [1, 2]}, ValueError, "between 2 and 9"),
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
