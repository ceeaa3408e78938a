"""Make neighbour choices feasible: no self link, no forbidden pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.repair import Repair

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem

IntArray = NDArray[np.integer[Any]]


def redraw_illegal(
    problem: NeighborGraphProblem, X: IntArray, random_state: np.random.Generator | None
) -> IntArray:
    """Replace genes that name no admissible neighbour by one of the k nearest that are."""
    illegal = np.argwhere(problem.ranks(X) >= problem.lists.n_admissible)
    if len(illegal) == 0:
        return X
    repaired = X.copy()
    rows, columns = illegal.T
    repaired[rows, columns] = problem.draw_neighbors(columns, np.random.default_rng(random_state))
    return repaired


class CannotLinkRepair(Repair):
    """Redraw self links and forbidden neighbours from the k nearest admissible ones.

    Needed for operators that can leave the feasible set in index encoding; in rank encoding every
    genotype within the bounds is feasible already. References: PESC, Eq. 3.
    """

    def _do(
        self,
        problem: NeighborGraphProblem,
        X: IntArray,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        return redraw_illegal(problem, X, random_state)
