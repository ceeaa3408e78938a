"""No cluster with too few bags."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pymoo.core.repair import Repair

from moo_clustering.bags._objective import BagObjective
from moo_clustering.encodings._checks import rounded_genes
from moo_clustering.operators._problem_objective import objective_of


class MinSizeRepair(Repair):
    """Fill clusters up to the least size, with the bags that lose least by the move.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, whose ``min_cluster_size`` counts; where it
    repairs constraints too (``handling="repair"``), this does. Valid individuals stay as they are.
    Fractions are rounded, genes are integers afterwards.

    Parameters
    ----------
    objective : BagObjective, optional
        Instead of the problem's.
    **kwargs
        Of pymoo's ``Repair``.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can repair.

    Notes
    -----
    Individuals that need it take an evaluation each, and O(N) per bag moved.
    """

    def __init__(self, objective: BagObjective | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.objective = objective

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        objective = objective_of(problem, self.objective, "repair")
        return objective.repair(rounded_genes(X, problem.n_var))
