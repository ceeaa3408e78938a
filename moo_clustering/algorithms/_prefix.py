"""Several sets of named arrays in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def prefixed(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays under ``prefix/name``."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the arrays that :func:`prefixed` named, under their names of before."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
