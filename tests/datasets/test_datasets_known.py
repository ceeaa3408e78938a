"""Bundled and generated sets."""

import numpy as np
import pytest

from moo_clustering import datasets
from moo_clustering.datasets import load_bundled


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
