"""Compiled functions that only borrow their arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def borrowed(**options: Any) -> Callable[[Any], Any]:
    """``numba.njit`` for functions that allocate nothing and keep nothing.

    Such a function need not count references to the arrays it reads from a named tuple, which costs
    more than a short loop over them, and makes threads wait for each other. The switch for it is
    private to numba, and is left out where a version does not know it.
    """
    try:
        decorator: Callable[[Any], Any] = njit(cache=True, nogil=True, _nrt=False, **options)
    except KeyError:
        decorator = njit(cache=True, nogil=True, **options)
    return decorator
