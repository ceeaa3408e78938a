"""Options that are numbers: no truth values, and counts as Python's integers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, InvalidParameterError


class NumericOptionsMixin:
    """An estimator that takes options that are numbers as ``fit`` needs them.

    Truth values are refused: ``n_clusters=True`` is no count, arrays cannot be made with it, and loops
    would be compiled anew. Integers of NumPy become equal ones of Python, whose arithmetic neither
    overflows nor forgets signs.
    """

    _parameter_constraints: ClassVar[dict[str, Any]]

    def _validate_params(self) -> None:
        for name, value in self.get_params(deep=False).items():  # type: ignore[attr-defined]
            if isinstance(value, bool):
                self._check_truth_value(name, value)
            elif isinstance(value, np.integer):
                setattr(self, name, int(value))
        super()._validate_params()  # type: ignore[misc]

    def _check_truth_value(self, name: str, value: bool) -> None:
        rules = self._parameter_constraints.get(name)
        if not isinstance(rules, list) or "boolean" in rules:
            return
        if any(isinstance(rule, Interval) for rule in rules):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(self).__name__} must be a number, not a truth value. "
                f"Got {value} instead."
            )
