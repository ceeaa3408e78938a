"""One step of k-means."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags._objective import BagObjective
from moo_clustering.encodings._checks import checked_genes
from moo_clustering.operators._chosen_mutation import ChosenMutation
from moo_clustering.operators._problem_objective import objective_of

Empty = Literal["farthest", "closest", "keep"]


class KMMutation(ChosenMutation):
    """Every bag goes to the nearest centroid of its partition (the KM operator).

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. It does not look at cluster sizes: follow it
    by :class:`MinSizeRepair` where they matter.

    Parameters
    ----------
    empty : {"farthest", "closest", "keep"}, default="farthest"
        What a cluster without bags gets: the bag farthest from its centroid, the one closest to it
        (as printed), or none.
    objective : BagObjective, optional
        Instead of the problem's.
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can reassign.

    Notes
    -----
    As an evaluation: O(n N) for N bags with n instances per mutated individual.

    References
    ----------
    Evolutionary multi-instance clustering (KM operator).
    """

    def __init__(
        self,
        empty: Empty = "farthest",
        objective: BagObjective | None = None,
        prob: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if empty not in get_args(Empty):
            raise ValueError(f"empty must be one of {get_args(Empty)}, got {empty!r}.")
        self.empty: Empty = empty
        self.objective = objective

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "reassign")
        return objective.reassign(checked_genes(X, problem.n_var), empty=self.empty)
