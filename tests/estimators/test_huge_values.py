"""Values near the ends of the floating-point numbers: one sentence, and no warning from inside."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from moo_clustering import (
    SCAD2,
    EntropyWeightedKMeans,
    FuzzyModesMOGA,
    HMRFKMeans,
    MemeticKMeans,
    MetricKMeans,
    ParetoClustering,
    PCKMeans,
)

X = np.random.default_rng(0).random((20, 3))
SQUARED = [MetricKMeans, PCKMeans, HMRFKMeans, MemeticKMeans]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("estimator", SQUARED)
@pytest.mark.parametrize("size", [1e154, 1e161, 1e300])
@pytest.mark.parametrize("rows", [slice(0, 1), slice(None)])
def test_squares_that_would_overflow(estimator, size, rows):
    huge = X.copy()
    huge[rows] *= size
    with pytest.raises(ValueError, match=r"squared distances overflow.*rescale it"):
        estimator(3, random_state=0).fit(huge)


@pytest.mark.parametrize("estimator", [MetricKMeans, PCKMeans, HMRFKMeans])
def test_squares_that_would_vanish(estimator):
    with pytest.raises(
        ValueError, match=r"squared distances vanish, up to .*e-161 in absolute value; rescale it"
    ):
        estimator(3, random_state=0).fit(X * 1e-160)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("estimator", SQUARED)
def test_large_values_that_fit(estimator):
    groups = (X + 9 * (np.arange(20) % 2)[:, None]) * 1e140
    model = estimator(2, random_state=0).fit(groups)
    assert len(set(model.labels_[::2])) == len(set(model.labels_[1::2])) == 1
    assert np.isfinite(model.inertia_)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_the_largest_number_there_is(kind):
    counts = (X > 0.5).astype(float)
    counts[3, 1] = np.finfo(float).max
    with pytest.raises(ValueError, match="squared distances overflow"):
        EntropyWeightedKMeans(2, random_state=0).fit(kind(counts), np.arange(20) % 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_categories_of_any_float(dtype):
    codes = np.random.default_rng(1).integers(0, 3, (20, 4))
    options = {"n_gen": 2, "pop_size": 6, "random_state": 0}
    expected = FuzzyModesMOGA(2, **options).fit(codes.astype(float)).labels_
    np.testing.assert_array_equal(FuzzyModesMOGA(2, **options).fit(codes.astype(dtype)).labels_, expected)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_a_unit_in_which_all_dispersions_are_below_the_floor(kind):
    with pytest.warns(
        UserWarning, match="all dispersions are below floor=1e-06.* rescale X, or decrease floor"
    ):
        SCAD2(2, random_state=0).fit(kind(X * 1e-4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SCAD2(2, floor=1e-14, random_state=0).fit(kind(X * 1e-4))
        SCAD2(2, random_state=0).fit(kind(X))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [1e160, -1e300])
def test_an_outlier_beyond_any_scale(value):
    huge = np.random.default_rng(0).normal(size=(30, 3))
    huge[:15] += 5
    huge[4, 1] = value
    with pytest.raises(ValueError, match="column 1 of X contains a value so far from the others"):
        ParetoClustering(prepare="none", random_state=0).fit(huge)
