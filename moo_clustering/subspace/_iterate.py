"""Sweeps until memberships stay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._targets import Targets
from moo_clustering.subspace._class_shares import labelled_shares
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._memberships import as_memberships
from moo_clustering.subspace._options import SubspaceOptions
from moo_clustering.subspace._sweep import Sweep, check_targets, sweep_from


class Iterated(NamedTuple):
    """What sweeps led to.

    Attributes
    ----------
    sweep : Sweep
        The last one.
    history : ndarray of shape (n_iter,)
        Objectives of all sweeps.
    n_iter : int
    converged : bool
        Whether memberships stayed.
    """

    sweep: Sweep
    history: NDArray[np.float64]
    n_iter: int
    converged: bool


def iterate(
    data: SubspaceData,
    targets: Targets,
    memberships: NDArray[np.floating[Any]],
    options: SubspaceOptions,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
) -> Iterated:
    """Sweep until no membership changes by ``tol`` or more, at most ``max_iter`` times.

    The objective may rise from sweep to sweep, since impurities and chi-square change with the memberships.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
    memberships : ndarray of shape (n_samples, n_clusters)
        Where to start; see :func:`start`.
    options : SubspaceOptions
    max_iter : int, default=15
        At least 1.
    tol : float, default=1e-4

    Returns
    -------
    Iterated

    Raises
    ------
    ValueError
        ``max_iter`` below 1 or ``tol`` below 0.
    """
    if max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter!r}")
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0, got {tol!r}")
    check_targets(targets, data)
    given, centers = as_memberships(memberships, data), None
    labelled = labelled_shares(given, targets)
    history: list[float] = []
    while True:
        state, labelled = sweep_from(data, targets, given, labelled, options, centers)
        history.append(state.objective)
        if state.change < tol or len(history) == max_iter:
            break
        # The rest of the old state is not kept alive while the new one is made.
        given, centers = state.memberships, state.centers
        del state
    return Iterated(state, np.array(history), len(history), state.change < tol)
