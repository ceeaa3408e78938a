"""Which sample of one run is which of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization.report._content import ReportContent


def rows_in(first: ReportContent, other: ReportContent, runs: tuple[str, str]) -> NDArray[np.int64]:
    """Row in the first run of every sample of the other, by the names of the samples.

    Parameters
    ----------
    first, other : ReportContent
    runs : tuple of two str
        What to call them.

    Returns
    -------
    ndarray of shape (n_samples,), int64

    Raises
    ------
    ValueError
        When they are on different samples, or their names don't tell which is which.
    """
    there, here = np.asarray(first.sample_names), np.asarray(other.sample_names)
    different = f"runs {runs[0]!r} and {runs[1]!r} are on different samples"
    if len(there) != len(here):
        raise ValueError(f"{different}: {len(there)} and {len(here)} of them")
    if np.array_equal(there, here):
        return np.arange(len(here))
    for whose, names, others in ((runs[0], there, here), (runs[1], here, there)):
        if not np.isin(names, others).all():
            lone = names[~np.isin(names, others)][0]
            raise ValueError(f"{different}: only {whose!r} has {str(lone)!r}")
    unique, counts = np.unique(there, return_counts=True)
    if len(unique) < len(there):
        raise ValueError(
            f"runs {runs[0]!r} and {runs[1]!r} have their samples in different orders, and names that are "
            f"there more than once, as {str(unique[counts > 1][0])!r}, do not tell which is which"
        )
    order = np.argsort(there)
    rows: NDArray[np.int64] = order[np.searchsorted(there[order], here)]
    return rows
