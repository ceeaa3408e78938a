"""Options that are numbers, for which Python would take True and False."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, InvalidParameterError


class NumericOptionsMixin:
    """An estimator that refuses truth values where an option is a number.

    ``n_clusters=True`` is no count: arrays cannot be made with it, and loops would be compiled anew.
    """

    _parameter_constraints: ClassVar[dict[str, Any]]

    def _validate_params(self) -> None:
        for name, value in self.get_params(deep=False).items():  # type: ignore[attr-defined]
            rules = self._parameter_constraints.get(name) if isinstance(value, bool) else None
            if not isinstance(rules, list) or "boolean" in rules:
                continue
            if any(isinstance(rule, Interval) for rule in rules):
                raise InvalidParameterError(
                    f"The {name!r} parameter of {type(self).__name__} must be a number, not a truth value. "
                    f"Got {value} instead."
                )
        super()._validate_params()  # type: ignore[misc]
