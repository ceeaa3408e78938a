"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import ParetoBagClustering, ParetoClustering


@parametrize_with_checks(
    [
        ParetoClustering(families=("km", "ward", "genie", "gmm"), k_range=(2, 3, 4), random_state=0),
        ParetoClustering(n_clusters=2, k_range=(2, 3), n_landmarks=15, random_state=0),
        ParetoBagClustering(k_range=(2, 3), random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
