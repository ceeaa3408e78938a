"""Transformers of instances as transformers of bags."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from moo_clustering.bags import Bags, BagTransformer, as_bags

LISTS = [[[0, 5, -1], [2, 5, 1]], [[4, 5, 0]]]


@pytest.fixture
def bags():
    return Bags.from_list(LISTS, bag_ids=["p", "q"], feature_names=["x", "y", "z"])


def test_default_is_the_range_of_all_instances(bags):
    scaler = BagTransformer().fit(bags)
    scaled = scaler.transform(bags)
    # Eq. 11 by hand; the constant attribute becomes 0.
    assert_array_equal(scaled.instances, [[0, 0, 0], [0.5, 0, 1], [1, 0, 0.5]])
    assert_array_equal(scaled.offsets, bags.offsets)
    assert (scaled.bag_ids, scaled.feature_names) == (bags.bag_ids, bags.feature_names)
    # New bags are put on the same scale and not clipped.
    assert_array_equal(scaler.transform([[[8, 6, -3]]]).instances, [[2, 1, -1]])
    assert scaler.inverse_transform(scaled) == bags


def test_anything_that_makes_bags_is_taken():
    expected = BagTransformer().fit_transform(LISTS).instances
    flat = np.concatenate(LISTS)
    assert_array_equal(BagTransformer().fit_transform(flat).instances, expected)
    assert_array_equal(BagTransformer().fit_transform(as_bags(flat, groups=[1, 1, 0])).instances, expected)


def test_clone_and_parameters(bags):
    scaler = StandardScaler(with_std=False)
    lifted = BagTransformer(scaler)
    assert clone(lifted).set_params(transformer__with_mean=False).transformer.with_mean is False
    centred = lifted.fit(bags)
    assert centred is lifted
    assert not hasattr(scaler, "mean_")
    assert_allclose(centred.transformer_.mean_, [2, 5, 0])
    assert isinstance(BagTransformer().fit(bags).transformer_, MinMaxScaler)


def test_width_may_change(bags):
    lifted = BagTransformer(PCA(1, svd_solver="full")).fit(bags)
    low = lifted.transform(bags)
    assert (low.n_features, low.feature_names, low.bag_ids) == (1, ("pca0",), ("p", "q"))
    assert lifted.get_feature_names_out().tolist() == ["pca0"]
    back = lifted.inverse_transform(low)
    assert back.feature_names == bags.feature_names
    assert_allclose(back.instances, PCA(1).fit(bags.instances).inverse_transform(low.instances))


def test_names_are_dropped_where_the_transformer_has_none(bags):
    mixing = FunctionTransformer(lambda X: X[:, ::-1])
    assert BagTransformer(mixing).fit_transform(bags).feature_names is None
    assert BagTransformer(make_pipeline(StandardScaler(), mixing)).fit_transform(bags).feature_names is None
    assert not hasattr(BagTransformer(mixing).fit(bags), "get_feature_names_out")
    assert BagTransformer().fit_transform(LISTS).feature_names is None


def test_sparse_results_become_dense(bags):
    encoded = BagTransformer(OneHotEncoder()).fit_transform(bags)
    assert_array_equal(encoded.instances[:, :4], [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
    assert encoded.feature_names[:2] == ("x_0.0", "x_2.0")


def test_single_precision_stays(bags):
    single = bags.with_instances(bags.instances.astype(np.float32))
    assert BagTransformer().fit_transform(single).dtype == np.float32


def test_output_is_bags_whatever_scikit_learn_is_told(bags):
    with config_context(transform_output="pandas"):
        assert isinstance(BagTransformer().fit_transform(bags), Bags)
        assert BagTransformer(StandardScaler()).fit_transform(bags).feature_names == ("x", "y", "z")


def test_methods_the_transformer_lacks(bags):
    assert hasattr(BagTransformer(), "inverse_transform")
    assert not hasattr(BagTransformer(_NoInverse()), "inverse_transform")


class _NoInverse(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[::2]


def test_bad_use(bags):
    with pytest.raises(NotFittedError):
        BagTransformer().transform(bags)
    with pytest.raises(ValueError, match="X has 2 features, but BagTransformer is expecting 3"):
        BagTransformer().fit(bags).transform([[[1, 2]]])
    renamed = bags.with_instances(bags.instances, feature_names=["x", "z", "y"])
    with pytest.raises(ValueError, match="feature names of X must match those"):
        BagTransformer().fit(bags).transform(renamed)
    with pytest.raises(ValueError, match="transformer must return one row per instance, 3 in all; got 2"):
        BagTransformer(_NoInverse()).fit_transform(bags)


class _NearestOfTwo(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.labels_ = (as_bags(X).means()[:, 0] > 0.5).astype(int)
        return self


def test_in_a_pipeline(bags):
    pipeline = make_pipeline(BagTransformer(), BagTransformer(StandardScaler()), _NearestOfTwo())
    assert_array_equal(pipeline.fit(LISTS).steps[-1][1].labels_, [0, 1])
    assert pipeline[:-1].transform(bags).instances.std() > 0
    assert pipeline[:-1].get_feature_names_out(["x", "y", "z"]).tolist() == ["x", "y", "z"]


def test_fitting_again_forgets_names(bags):
    lifted = BagTransformer().fit(bags)
    assert lifted.feature_names_in_.tolist() == ["x", "y", "z"]
    assert not hasattr(lifted.fit(LISTS), "feature_names_in_")
    assert lifted.set_params(transformer=StandardScaler()).fit(LISTS).transformer_.mean_[0] == 2


def test_bags_stay_bags_in_a_pipeline_that_gives_frames(bags):
    pipeline = make_pipeline(BagTransformer(), BagTransformer(StandardScaler()))
    assert isinstance(pipeline.set_output(transform="pandas").fit_transform(bags), Bags)
