"""Counts may be integers of NumPy, of any width."""

import warnings
from numbers import Integral

import numpy as np
import pytest

from contract.estimators import ESTIMATORS
from contract.fits import fitted, public

CASES = pytest.mark.parametrize("name", ESTIMATORS)


def counts(model):
    """Options that are whole numbers, but for the seed."""
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if isinstance(value, Integral) and not isinstance(value, bool) and name != "random_state"
    }


@CASES
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(np.int8, marks=pytest.mark.slow),
        pytest.param(np.uint8, marks=pytest.mark.slow),
        np.uint64,
    ],
)
def test_counts_of_numpy_act_as_those_of_python(name, kind):
    case = ESTIMATORS[name]
    model = case.make()
    bounds = np.iinfo(kind)
    fitting = {key: kind(n) for key, n in counts(model).items() if bounds.min <= n <= bounds.max}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.set_params(**fitting).fit(*case.arguments(), **case.more)
    assert counts(model) == counts(case.make())
    for attribute in ("labels_", "pareto_front_", "n_clusters_"):
        if attribute in public(fitted(case)):
            np.testing.assert_array_equal(getattr(model, attribute), getattr(fitted(case), attribute))
