"""What the runs of a factorisation return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


class NMFRuns(NamedTuple):
    """Factors of every run, A ~ V U^T.

    Attributes
    ----------
    U : ndarray of shape (n_runs, n_terms, n_components)
        Topics.
    V : ndarray of shape (n_runs, n_documents, n_components)
        Document weights.
    losses : ndarray of shape (n_runs,)
        ||A - V U^T||^2.
    n_iter : ndarray of shape (n_runs,)
    histories : list of ndarray
        Losses after every iteration of a run; only the last where a solver does not tell the others.
    """

    U: Floats
    V: Floats
    losses: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    histories: list[NDArray[np.float64]]

    @property
    def best(self) -> int:
        """Number of the run with the least loss, the first of equal ones."""
        return int(np.argmin(self.losses))


def join_runs(parts: Sequence[NMFRuns]) -> NMFRuns:
    """All runs of the parts, in their order."""
    if len(parts) == 1:
        return parts[0]
    return NMFRuns(
        np.concatenate([part.U for part in parts]),
        np.concatenate([part.V for part in parts]),
        np.concatenate([part.losses for part in parts]),
        np.concatenate([part.n_iter for part in parts]),
        [history for part in parts for history in part.histories],
    )
