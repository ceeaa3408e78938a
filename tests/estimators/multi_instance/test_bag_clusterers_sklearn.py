"""scikit-learn's own checks of the estimators of bags, for which rows are bags of one instance."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.multi_instance._bamic import BAMIC
from moo_clustering.estimators.multi_instance._mi_kmeans import MIKMeans


@parametrize_with_checks(
    [
        BAMIC(n_clusters=3, random_state=0),
        MIKMeans(n_clusters=3, random_state=0),
        MIKMeans(n_clusters=3, empty="keep", random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore:only .* clusters have bags")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
