"""Statistics of fitness values that may be infinite."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from deap import tools
from numpy.typing import NDArray


def finite_statistics() -> tools.Statistics:
    """``deap.tools.Statistics`` min, avg, std and max of the finite among the fitness values.

    For one objective, in natural values; NaN where no value is finite.

    Returns
    -------
    deap.tools.Statistics
    """
    statistics = tools.Statistics(_first_value)
    for name, function in (("min", np.min), ("avg", np.mean), ("std", np.std), ("max", np.max)):
        statistics.register(name, partial(_of_finite, function))
    return statistics


def finite_min_and_mean(values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Minimum and mean of the finite values in each column."""
    if np.isfinite(values).all():
        return values.min(axis=0).tolist(), values.mean(axis=0).tolist()
    return [_of_finite(np.min, column) for column in values.T], [
        _of_finite(np.mean, column) for column in values.T
    ]


def _first_value(individual: Any) -> float:
    return float(individual.fitness.values[0])


def _of_finite(function: Callable[[Any], Any], values: Any) -> float:
    values = np.asarray(values, dtype=np.float64)
    finite = values[np.isfinite(values)]
    # Penalties near the largest number have a mean and a spread beyond it.
    with np.errstate(over="ignore"):
        return float(function(finite)) if len(finite) else float("nan")
