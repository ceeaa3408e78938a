"""The paper's literal operators: SBX and polynomial mutation on sample indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.operators._neighbor_repair import redraw_illegal
from moo_clustering.operators._rank_operators import RankPM, RankSBX

IntArray = NDArray[np.integer[Any]]


class IndexSBX(RankSBX):
    """Simulated binary crossover on sample indices 0..N-1, rounded and clipped.

    A gene that comes out as a self link or a forbidden neighbour is redrawn from the k nearest
    admissible ones.

    .. warning::
       A sample's index carries no distance. On rows in random order this injects random edges; on
       rows sorted by class, as many published files come, it injects edges within the class, and the
       result looks better than the data allow. For reproduction only; never compare methods on
       sorted rows.

    Parameters
    ----------
    prob, eta, prob_var
        As in :class:`RankSBX`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        children = super()._do(problem, X, *args, **kwargs)
        flat = children.reshape(-1, children.shape[-1])
        return redraw_illegal(problem, flat, kwargs.get("random_state")).reshape(children.shape)


class IndexPM(RankPM):
    """Polynomial mutation on sample indices 0..N-1, rounded and clipped.

    Illegal genes are redrawn, and the row order leaks, as described at :class:`IndexSBX`.

    Parameters
    ----------
    prob_var, eta, prob
        As in :class:`RankPM`.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return redraw_illegal(problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state"))
