"""Error in the number of clusters; normalised mutual information."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from moo_clustering.validity import k_error, nmi


def test_k_error():
    assert k_error([1, 2, 3, 4], 2) == 1.5
    assert k_error([1, 2, 3], [1, 4, 2]) == pytest.approx(5 / 3)
    assert k_error([3], [3]) == 0.0


@pytest.mark.parametrize(
    ("targets", "predicted", "message"),
    [([], [], "non-empty"), ([1, 2], [1], "one per target"), ([1, np.nan], 2, "finite"), (3, 3, "non-empty")],
)
def test_k_error_refuses_wrong_input(targets, predicted, message):
    with pytest.raises(ValueError, match=message):
        k_error(targets, predicted)


def test_nmi_worked_values():
    assert nmi([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]) == pytest.approx(0.5295405781, abs=1e-10)
    assert nmi([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0.0, abs=1e-12)
    assert nmi(["x", "x", "y", None], [2, 2, 1, 0]) == pytest.approx(1.0)


@pytest.mark.parametrize("average_method", ["min", "geometric", "arithmetic", "max"])
def test_nmi_equals_scikit_learn(average_method):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 100), rng.integers(0, 7, 100)
    expected = normalized_mutual_info_score(a, b, average_method=average_method)
    assert nmi(a, b, average_method) == pytest.approx(expected, rel=1e-12)


def test_nmi_of_a_single_cluster_is_zero():
    assert nmi([0, 0, 0], [0, 0, 0]) == 0.0
    assert nmi([0, 1, 1], [0, 0, 0]) == 0.0
    assert normalized_mutual_info_score([0, 0, 0], [0, 0, 0]) == 1.0


def test_nmi_refuses_wrong_input():
    with pytest.raises(ValueError, match="equal lengths"):
        nmi([0, 1], [0])
    with pytest.raises(ValueError, match="average_method must be one of"):
        nmi([0, 1], [0, 1], "mean")
