"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.mock import MOCK


@parametrize_with_checks(
    [
        MOCK(pop_size=12, n_gen=4, n_controls=1, random_state=0),
        MOCK(n_clusters=3, encoding="locus", engine="pesa2", init="2007", n_gen=4, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:no solution of the front has n_clusters")
@pytest.mark.filterwarnings("ignore:y has fewer than two labelled")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
