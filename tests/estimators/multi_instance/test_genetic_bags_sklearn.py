"""scikit-learn's own checks of the genetic estimators of bags, for which rows are bags of one instance."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.bags_genetic import CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC

SMALL = {"pop_size": 10, "n_gen": 8, "random_state": 0}


@parametrize_with_checks(
    [
        MIGKA(n_clusters=3, **SMALL),
        MIFGKA(n_clusters=3, **SMALL),
        MIGCUK(n_clusters=3, **SMALL),
        CHCMIC(n_clusters=3, **SMALL),
        CHCMIC(n_clusters=3, distance="aligned", constraint_handling="repair", **SMALL),
        MemeticCHCMIC(n_clusters=3, **SMALL),
    ]
)
@pytest.mark.filterwarnings("ignore:only .* of n_clusters")  # labels of two classes, repaired
def test_scikit_learn_checks(estimator, check):
    check(estimator)
