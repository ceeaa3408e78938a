"""scikit-learn's checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import MemeticKMeans


@parametrize_with_checks(
    [
        MemeticKMeans(3, max_distance_evaluations=20_000, random_state=0),
        MemeticKMeans(3, max_distance_evaluations=20_000, engine="deap", random_state=0),
        MemeticKMeans(3, max_distance_evaluations=20_000, strategy="ward", random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:found only .* non-empty clusters")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
