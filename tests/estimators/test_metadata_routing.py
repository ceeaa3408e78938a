"""Pairs reach the last step of a pipeline by scikit-learn's metadata routing."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import PESC, HMRFKMeans, NSGA2Clus, PCKMeans


@pytest.mark.parametrize(
    "model",
    [
        PESC(3, pop_size=12, n_gen=2, random_state=0),
        NSGA2Clus(pop_size=8, n_gen=2, metric="euclidean", random_state=0),
        PCKMeans(3, random_state=0),
        HMRFKMeans(3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_pairs_in_a_pipeline(model):
    X, y = make_blobs(60, centers=3, random_state=0)
    together = [np.flatnonzero(y == 0)[:2]]
    apart = [(np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0])]
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(must_link=True, cannot_link=True)
        routed = make_pipeline(StandardScaler(), model).fit(X, must_link=together, cannot_link=apart)
    direct = sklearn.clone(model).fit(
        StandardScaler().fit_transform(X), must_link=together, cannot_link=apart
    )
    np.testing.assert_array_equal(routed[-1].labels_, direct.labels_)
    with pytest.raises(ValueError, match="60"):
        sklearn.clone(model).fit(X, must_link=[(0, 60)])
