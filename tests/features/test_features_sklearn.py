"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.features import NCWTransformer, PaperTfidfTransformer


@parametrize_with_checks([PaperTfidfTransformer(), NCWTransformer()])
@pytest.mark.filterwarnings("ignore:.*no weighted terms")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
