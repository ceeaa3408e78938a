"""Control data: no clusters, in the place of the given data."""

import numpy as np
import pytest
from scipy.stats import kstest

from moo_clustering.fronts import control_data


def turned(n, seed=0):
    """A long flat cloud along the diagonal, away from the origin."""
    rng = np.random.default_rng(seed)
    flat = rng.normal(size=(n, 2)) * [10, 0.1]
    return flat @ (np.array([[1, 1], [-1, 1]]) / np.sqrt(2)) + [100, -50]


def axes_of(X):
    return np.linalg.eigh(np.cov(X.T))[1]


def test_box_is_the_range_of_the_principal_components():
    X = turned(400)
    control = control_data(X, rng=np.random.default_rng(1))
    assert control.shape == X.shape
    axes = axes_of(X)
    there, here = X @ axes, control @ axes
    span = np.ptp(there, axis=0)
    assert (here.min(axis=0) >= there.min(axis=0) - 1e-9).all()
    assert (here.max(axis=0) <= there.max(axis=0) + 1e-9).all()
    assert (np.ptp(here, axis=0) > 0.95 * span).all()
    for k in range(2):
        assert kstest((here[:, k] - there[:, k].min()) / span[k], "uniform").pvalue > 0.001
    # Axes of the features instead would fill the square around the diagonal.
    assert np.ptp(control @ axes, axis=0).min() < 1


def test_eigenvalue_box_has_variances_as_sides():
    X = turned(300)
    control = control_data(X, kind="eigenvalue", rng=np.random.default_rng(2))
    variances, axes = np.linalg.eigh(np.cov(X.T))
    here = (control - X.mean(axis=0)) @ axes
    assert (np.abs(here) <= variances / 2 + 1e-9).all()
    assert (np.ptp(here, axis=0) > 0.9 * variances).all()


@pytest.mark.parametrize("kind", ["box", "eigenvalue"])
@pytest.mark.parametrize("X", [np.full((5, 3), 7.0), [[1.0, 2.0]], np.outer(np.arange(6), [1.0, 2.0, 0.0])])
def test_flat_data_stay_flat(kind, X):
    control = control_data(X, kind=kind, rng=np.random.default_rng(0))
    assert control.shape == np.shape(X)
    assert np.linalg.matrix_rank(control - np.mean(X, axis=0), tol=1e-8) <= np.linalg.matrix_rank(
        X - np.mean(X, axis=0), tol=1e-8
    )


def test_drawn_from_the_generator():
    X = turned(20)
    first, same, other = (control_data(X, rng=np.random.default_rng(seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_refused():
    with pytest.raises(ValueError, match="kind must be one of"):
        control_data(turned(5), kind="cube", rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="NaN"):
        control_data([[np.nan]], rng=np.random.default_rng(0))
