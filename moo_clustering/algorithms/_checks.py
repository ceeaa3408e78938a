"""Checks of the options of search loops."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


def integer(name: str, value: Any, least: int) -> int:
    """An integer of at least ``least``; TypeError or ValueError naming the parameter otherwise."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer of at least {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value}")
    return int(value)


def probability(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number from 0 to 1, got {value!r}")
    if not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value}")
    return float(value)


def positive(name: str, value: Any) -> int | float:
    """A finite number above 0, integers as integers."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number above 0, got {value!r}")
    if not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value}")
    return int(value) if isinstance(value, Integral) else float(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """One of some words."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value
