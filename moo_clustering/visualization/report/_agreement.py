"""Agreement of every two solutions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.validity import pairwise_ari

# Solutions times solutions times samples that are compared, and numbers that are kept.
_MOST_WORK, _FEWEST_ROWS, _MOST_SOLUTIONS = 2e9, 500, 2000


class Agreement(NamedTuple):
    """Adjusted Rand indices, and how they were found.

    Attributes
    ----------
    with_chosen : ndarray of shape (n_solutions,)
    table : ndarray of shape (n_solutions, n_solutions) or None
        None where there are too many solutions.
    note : str
    """

    with_chosen: NDArray[np.float64]
    table: NDArray[np.float64] | None
    note: str


def agreement(labels: NDArray[np.int32], chosen: int, rng: np.random.Generator) -> Agreement:
    """Adjusted Rand index of every two solutions, over all samples or so many as can be looked at.

    Samples in no cluster (-1) count as a cluster of their own.
    """
    n_solutions, n_samples = labels.shape
    note = "Adjusted Rand index: 1 for equal partitions, about 0 for unrelated ones."
    if n_solutions > _MOST_SOLUTIONS:
        note += f" Only agreement with the chosen solution is shown, as there are {n_solutions} solutions."
        return Agreement(pairwise_ari(labels, labels[[chosen]])[:, 0], None, note)
    most = max(_FEWEST_ROWS, int(_MOST_WORK / n_solutions**2))
    seen = labels
    if n_samples > most:
        seen = labels[:, np.sort(rng.choice(n_samples, most, replace=False))]
        note += f" Over {most} of {n_samples} samples, drawn at random."
    table = pairwise_ari(seen)
    return Agreement(table[chosen].copy(), table, note)
