"""The I2 criterion."""

import numpy as np
import pytest
import scipy.sparse as sp

from moo_clustering.validity import i2_criterion


def test_by_hand():
    # Unit rows (0.6, 0.8), (0.8, 0.6), (0, 1): |(1.4, 1.4)| + 1, and |(0.6, 1.8)| + 1.
    X = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 2.0]])
    assert i2_criterion(X, [0, 0, 1]) == pytest.approx(1.4 * np.sqrt(2) + 1)
    assert i2_criterion(X, ["b", "a", "b"]) == pytest.approx(np.sqrt(0.6**2 + 1.8**2) + 1)
    # |(7, 7)| + 2 as the rows are.
    assert i2_criterion(X, [0, 0, 1], normalize_rows=False) == pytest.approx(7 * np.sqrt(2) + 2)


def test_sparse_is_as_dense_and_zero_rows_add_nothing(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.random((30, 12)) * (rng.random((30, 12)) < 0.3)
    X[4] = 0.0
    labels = rng.integers(0, 4, 30)
    assert i2_criterion(sp.csr_matrix(X), labels) == pytest.approx(i2_criterion(X, labels))
    others = np.arange(30) != 4
    assert i2_criterion(X[others], labels[others]) == pytest.approx(i2_criterion(X, labels))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"one entry per row of X \(2\), got 3"):
        i2_criterion(np.eye(2), [0, 1, 1])
