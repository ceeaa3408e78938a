"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.srmosc import SRMOSC


@parametrize_with_checks(
    [
        SRMOSC(n_clusters=3, pop_size=8, random_state=0),
        SRMOSC(n_clusters=3, solver="nsga2", final="consensus", pop_size=8, n_gen=2, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* distinct rows")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
