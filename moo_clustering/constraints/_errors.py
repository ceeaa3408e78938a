"""The error for constraints that no partition can satisfy, and how it is explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# How many contradictions are spelled out; the others are counted.
_SPELLED_OUT = 3


class InconsistentConstraintsError(ValueError):
    """Constraints that contradict each other.

    Parameters
    ----------
    conflicts : array-like of shape (n_conflicts, 2)
        Pairs of samples that would have to be together and apart.
    reasons : sequence of str
        One sentence for each of the first conflicts; conflicts without a sentence are counted.

    Attributes
    ----------
    conflicts : ndarray of shape (n_conflicts, 2), int64
    """

    def __init__(self, conflicts: ArrayLike, reasons: Sequence[str]) -> None:
        self.conflicts: NDArray[np.int64] = np.asarray(conflicts, dtype=np.int64).reshape(-1, 2)
        self._reasons = tuple(reasons)
        shown = self._reasons[:_SPELLED_OUT]
        message = "contradictory constraints: " + "; ".join(shown)
        if (left := len(self.conflicts) - len(shown)) > 0:
            message += f"; and {left} more"
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the message alone, and fail on the way out of a worker.
        return type(self), (self.conflicts, self._reasons)


def first_conflicts(conflicts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The conflicts worth a sentence."""
    return [(int(i), int(j)) for i, j in conflicts[:_SPELLED_OUT]]


def show_chain(chain: Sequence[int]) -> str:
    """``3 - 5 - 9``, abridged in the middle when it is long."""
    names = [str(sample) for sample in chain]
    if len(names) > 8:
        names = [*names[:4], "...", *names[-3:]]
    return " - ".join(names)
