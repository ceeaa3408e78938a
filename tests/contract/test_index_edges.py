"""What every index of samples or bags does with partitions at the edge, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import loggamma
from sklearn.exceptions import NotFittedError

from contract.indices import BAG_INDICES, INDICES
from moo_clustering.validity import Connectivity

EVERY = {name: case.make for name, case in (INDICES | BAG_INDICES).items()}
every_index = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY.keys())
every_index_of_samples = pytest.mark.parametrize(
    "make", [INDICES[name].make for name in INDICES], ids=list(INDICES)
)
every_index_of_bags = pytest.mark.parametrize(
    "make", [BAG_INDICES[name].make for name in BAG_INDICES], ids=list(BAG_INDICES)
)


def _integrated(diagonal):
    """Integrated likelihoods of 0, 1, 3, 7, by hand: the prior of the precision is a gamma distribution."""
    shape, rate = (1.0, 28.75 / 30) if diagonal else (0.5, 28.75 / 60)

    def marginal(n, squares):
        shrunk = 0.5 * np.log(0.01 / (0.01 + n)) - n / 2 * np.log(2 * np.pi) + shape * np.log(rate)
        return (
            shrunk + loggamma(shape + n / 2) - loggamma(shape) - (shape + n / 2) * np.log(rate + squares / 2)
        )

    squares = np.array([2.75, 1.75, 0.25, 4.25]) ** 2 * 0.01 / 1.01
    # Four clusters of one sample: 3! 1! 1! 1! 1! / 7!.
    return marginal(4, 28.75), marginal(1, squares).sum() + np.log(6 / 5040)


DEGENERATE = {
    # name: (one cluster, all singletons) on 0, 1, 3, 7
    "xie_beni": (1e12, 0.0),
    "xie_beni_medoid": (1e12, 0.0),
    "i_index": (0.0, (1e12 * 7 / 4) ** 2),
    "i_index_medoid": (0.0, (1e12 * 7 / 4) ** 2),
    "davies_bouldin": (1e12, 0.0),
    "calinski_harabasz": (0.0, 0.0),
    "dunn": (0.0, 0.0),
    "dbcv": (-1.0, 0.0),
    "cdbw": (0.0, 0.0),
    "silhouette": (-1.0, 0.0),
    "minimax_silhouette": (-1.0, 0.0),
    # Singletons: variances are half of the overall one, over 3/2; the penalty is of nine parameters.
    "likelihood_gain": (0.0, np.log(3.0) / 2 - np.log(4.0) - 9 * np.log(4.0) / 8),
    "deviation": (2.75 + 1.75 + 0.25 + 4.25, 0.0),
    "connectivity": (0.0, 4 * (1 + 1 / 2 + 1 / 3)),
    "icl": _integrated(False),
    "icl_diagonal": _integrated(True),
    "bag_davies_bouldin": (1e6, 0.0),
    "bag_sdbw": (1e6, 0.0),
    "bag_silhouette": (0.0, 0.0),
    "ftwcv": (2.75**2 + 1.75**2 + 0.25**2 + 4.25**2, 0.0),
    "twcv": (2.75**2 + 1.75**2 + 0.25**2 + 4.25**2, 0.0),
}


@pytest.mark.parametrize("name", EVERY)
def test_one_cluster_and_all_singletons(name):
    index = EVERY[name]()
    if name == "connectivity":
        index = Connectivity(n_neighbors=3)
    values = index.fit(np.array([[0.0], [1.0], [3.0], [7.0]])).evaluate([[0, 0, 0, 0], [0, 1, 2, 3]])
    np.testing.assert_allclose(values, DEGENERATE[name], rtol=1e-12)


EQUAL_SAMPLES = {
    "xie_beni": (1e12, 0.0),
    "xie_beni_medoid": (1e12, 0.0),
    "i_index": (0.0, 0.0),
    "i_index_medoid": (0.0, 0.0),
    "davies_bouldin": (1e12, 0.0),
    "calinski_harabasz": (0.0, 0.0),
    "dunn": (0.0, 0.0),
    "dbcv": (-1.0, 0.0),
    "cdbw": (0.0, 0.0),
    "silhouette": (-1.0, 0.0),
    "minimax_silhouette": (-1.0, 0.0),
    "likelihood_gain": (0.0, 0.0),
    "deviation": (0.0, 0.0),
    "bag_davies_bouldin": (1e6, 1e6),
    "bag_silhouette": (0.0, 0.0),
    "ftwcv": (0.0, 0.0),
    "twcv": (0.0, 0.0),
}


@pytest.mark.parametrize("name", EQUAL_SAMPLES)
def test_equal_samples(name):
    index = EVERY[name]().fit(np.full((7, 3), 0.1))
    values = index.evaluate([[0] * 7, [0, 0, 0, 1, 1, 1, 1]])
    np.testing.assert_array_equal(values, EQUAL_SAMPLES[name])
    np.testing.assert_array_equal(index.evaluate(np.arange(7)), EQUAL_SAMPLES[name][1])


@every_index
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_always_finite(make, data):
    n = data.draw(st.integers(6, 12))
    points = st.sampled_from([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1e-9, 0.0), (1e6, -1e6)])
    X = np.array(data.draw(st.lists(points, min_size=n, max_size=n)))
    raw = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    labels = np.unique(raw, return_inverse=True)[1]
    assert np.all(np.isfinite(make().fit(X).evaluate(labels)))


@every_index
@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_a_single_sample(make):
    assert np.isfinite(make().fit(np.array([[3.0, 4.0]])).evaluate([0])[0])


@every_index
def test_wrong_use_is_refused(make):
    index = make()
    with pytest.raises(NotFittedError, match="not fitted"):
        index.evaluate(np.zeros((1, 6), dtype=int))
    index.fit(np.arange(12.0).reshape(6, 2) ** 2)
    for labels, message in [
        ([0, 0, 1, 1, 0], r"one entry per fitted sample \(6\), got"),
        ([0, 0, -1, 1, 0, 0], "got -1"),
        ([0, 0, 6, 1, 0, 0], "got 6"),
        ([0, 0, np.nan, 1, 0, 0], "got nan"),
        ([0, 0, 0.5, 1, 0, 0], "0.5"),
        (np.zeros((1, 2, 6), dtype=int), "1 or 2 dimensions"),
    ]:
        with pytest.raises(ValueError, match=message):
            index.evaluate(labels)
    with pytest.raises(TypeError, match="integers"):
        index.evaluate(["a"] * 6)
    with pytest.raises(TypeError, match="integers"):
        index.evaluate(np.zeros((1, 6), dtype=bool))


@every_index_of_samples
def test_gaps_are_refused(make):
    index = make().fit(np.arange(12.0).reshape(6, 2) ** 2)
    with pytest.raises(ValueError, match="no sample in cluster 1"):
        index.evaluate([0, 0, 2, 2, 0, 0])
    with pytest.raises(ValueError, match="row 1 has k=3"):
        index.evaluate([[0, 0, 1, 1, 0, 0], [1, 1, 1, 1, 2, 2]])


@every_index_of_bags
def test_gaps_are_closed(make):
    index = make().fit(np.arange(12.0).reshape(6, 2) ** 2)
    closed = index.evaluate([[0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0]])
    for dtype in (np.uint8, np.int64, np.float64):
        labels = np.array([[1, 1, 4, 4, 1, 1], [0, 0, 3, 3, 5, 5], [5, 5, 5, 5, 5, 5]], dtype=dtype)
        np.testing.assert_array_equal(index.evaluate(labels), closed)
        np.testing.assert_array_equal(labels[0], [1, 1, 4, 4, 1, 1])


@every_index_of_samples
def test_bad_data_is_refused(make):
    with pytest.raises(ValueError, match="NaN"):
        make().fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(ValueError, match="2D"):
        make().fit([0.0, 1.0])


@every_index_of_bags
def test_bad_bags_are_refused(make):
    with pytest.raises(ValueError, match="bag 1, row 0, column 0 is nan"):
        make().fit([[[0.0], [2.0]], [[np.nan]]])
    with pytest.raises(ValueError, match="bag 1 must not be empty"):
        make().fit([[[0.0]], np.empty((0, 1))])
