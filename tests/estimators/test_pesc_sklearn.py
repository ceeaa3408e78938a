"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import PESC


@parametrize_with_checks(
    [
        PESC(n_clusters=3, pop_size=12, n_gen=2, random_state=0),
        PESC(n_clusters=3, pop_size=12, n_gen=2, engine="deap", random_state=0),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "a sample is not a neighbour of its copies"
    },
)
@pytest.mark.filterwarnings("ignore:only .* distinct rows")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
