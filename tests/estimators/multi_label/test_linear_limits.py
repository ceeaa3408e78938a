"""What linear models cannot be fitted to is refused, since their solver would never end."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from moo_clustering import MetaLabeler, PrunedSetsEnsemble

X = np.random.default_rng(0).random((20, 3))
Y = np.arange(20) % 2
ESTIMATORS = pytest.mark.parametrize("estimator", [MetaLabeler, PrunedSetsEnsemble])


@ESTIMATORS
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("factor", [1e51, -1e300, 1e-200])
def test_values_beyond(estimator, kind, factor):
    with pytest.raises(ValueError, match=r"largest absolute value of X must be 0 or from 1e-60 to 1e\+50"):
        estimator(random_state=0).fit(kind(X * factor), Y)


@ESTIMATORS
@pytest.mark.parametrize("factor", [2e-60, 1e50, 0.0])
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_values_within(estimator, factor):
    assert set(estimator(random_state=0).fit(X * factor, Y).predict(X * factor)) <= {0, 1}
