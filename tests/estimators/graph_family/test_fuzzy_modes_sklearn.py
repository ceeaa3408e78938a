"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.fuzzy_modes import FuzzyModesMOGA


@parametrize_with_checks(
    [
        FuzzyModesMOGA(n_clusters=3, pop_size=12, n_gen=4, random_state=0),
        FuzzyModesMOGA(n_clusters=3, metric="euclidean", pop_size=12, n_gen=4, random_state=0),
        FuzzyModesMOGA(n_clusters=3, metric="euclidean", final="cspa", pop_size=12, n_gen=4, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:found only .* non-empty clusters")
@pytest.mark.filterwarnings("ignore:column .* another value in every sample")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
