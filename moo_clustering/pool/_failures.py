"""What was left out of a pool, and why."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

Failures = dict[str, list[str]]


def reason_of(error: Exception) -> str:
    """One line that says what went wrong."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def warn_of_failures(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> None:
    """One warning for all; families in ``partly`` have other candidates in the pool."""
    if failures:
        warnings.warn(f"left out of the pool: {told(failures, partly)}", UserWarning, stacklevel=3)


def told(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> str:
    """Families and the different reasons for each."""
    return (
        ", ".join(
            f"{family}{' (in part)' if family in partly else ''}: {'; '.join(dict.fromkeys(reasons))}"
            for family, reasons in failures.items()
        )
        or "none was asked for"
    )
