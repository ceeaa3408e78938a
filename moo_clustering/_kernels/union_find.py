"""Components that grow together: every member leads to a smaller one, the least of all to itself."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def root(parents: NDArray[Any], i: int) -> int:
    """The least member of a component; ways to it become shorter."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(cache=True, nogil=True)
def join(parents: NDArray[Any], a: int, b: int) -> bool:
    """Make one component of two; False if they were one."""
    a, b = root(parents, a), root(parents, b)
    if a < b:
        parents[b] = a
    else:
        parents[a] = b
    return a != b


@njit(cache=True, nogil=True)
def settle(parents: NDArray[Any]) -> None:
    """Let every member lead to the least of its component, after all joins."""
    for i in range(len(parents)):
        # What it leads to is smaller, and has been settled.
        parents[i] = parents[parents[i]]
