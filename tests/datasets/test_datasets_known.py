"""Bundled and generated sets."""

import numpy as np
import pytest

from moo_clustering import datasets
from moo_clustering.datasets import load_bundled, make_balance, make_waveform


@pytest.mark.parametrize(
    ("name", "shape", "sizes"),
    [
        ("wine", (178, 13), [59, 71, 48]),
        ("iris", (150, 4), [50, 50, 50]),
        ("digits", (1797, 64), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
        ("breast_cancer", (569, 30), [212, 357]),
    ],
)
def test_bundled(name, shape, sizes):
    table = load_bundled(name)
    assert table.X.shape == shape
    assert len(table.feature_names) == shape[1]
    assert np.bincount(table.y).tolist() == sizes
    assert table.n_classes == len(sizes)
    assert table.name == name
    same = getattr(datasets, f"load_{name}")()
    assert np.array_equal(same.X, table.X)


def test_unknown_bundled_set():
    with pytest.raises(ValueError, match="did you mean 'wine'"):
        load_bundled("wines")


def test_shuffled_keeps_rows_together():
    table = load_bundled("iris")
    mixed = table.shuffled(3)
    assert not np.array_equal(mixed.row_ids, table.row_ids)
    assert np.array_equal(table.X[mixed.row_ids], mixed.X)
    assert np.array_equal(table.y[mixed.row_ids], mixed.y)
    assert np.array_equal(mixed.X, table.shuffled(3).X)


def test_balance_by_enumeration():
    table = make_balance()
    assert len(np.unique(table.X, axis=0)) == 625
    for (lw, ld, rw, rd), code in zip(table.X.tolist(), table.y.tolist(), strict=True):
        expected = "L" if lw * ld > rw * rd else "R" if lw * ld < rw * rd else "B"
        assert table.target_names[code] == expected
    assert np.bincount(table.y).tolist() == [288, 49, 288]


def test_waveform_means_are_those_of_the_triangles():
    table = make_waveform(30_000, random_state=0)

    def h1(i):
        return max(6 - abs(i - 11), 0)

    pairs = {
        0: (h1, lambda i: h1(i - 4)),
        1: (h1, lambda i: h1(i + 4)),
        2: (lambda i: h1(i - 4), lambda i: h1(i + 4)),
    }
    assert table.X.shape == (30_000, 21)
    for code, (one, other) in pairs.items():
        expected = [(one(i) + other(i)) / 2 for i in range(1, 22)]
        rows = table.X[table.y == code]
        assert abs(len(rows) / 30_000 - 1 / 3) < 0.02
        # standard deviation of a mean is below 0.03
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=0.12)
        # point 11: noise 1 and the uniform share times the difference of the triangles
        spread = abs(one(11) - other(11))
        assert rows[:, 10].var() == pytest.approx(1 + spread**2 / 12, rel=0.06)


def test_waveform_is_reproducible():
    assert np.array_equal(make_waveform(50, random_state=1).X, make_waveform(50, random_state=1).X)
    assert not np.array_equal(make_waveform(50, random_state=1).X, make_waveform(50, random_state=2).X)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        make_waveform(0)
