"""Mutually non-dominated solutions, no more than a limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._kernels.domination import not_dominated
from moo_clustering.algorithms._known import distinct, is_known, remember
from moo_clustering.algorithms._solutions import Solution
from moo_clustering.algorithms._thinning import representatives


class BoundedArchive:
    """The archive of AMOSA: distinct solutions of which none dominates another.

    Parameters
    ----------
    n_obj : int
    soft_limit : int
        With more members than this, they are thinned.
    hard_limit : int
        How many are left then.
    duplicates : DuplicateElimination
        What is never put in twice.

    Attributes
    ----------
    members : list of Solution
    F : ndarray of shape (soft_limit + 1, n_obj)
    violations : ndarray of shape (soft_limit + 1,)
        Of the members, in the first rows.
    """

    def __init__(
        self, n_obj: int, soft_limit: int, hard_limit: int, duplicates: DuplicateElimination
    ) -> None:
        self.soft_limit = soft_limit
        self.hard_limit = hard_limit
        self.members: list[Solution] = []
        self.F = np.empty((soft_limit + 1, n_obj))
        self.violations = np.empty(soft_limit + 1)
        self._duplicates = duplicates

    def __len__(self) -> int:
        return len(self.members)

    def fill(self, solutions: Sequence[Solution]) -> None:
        """Put in the best of any solutions, no more than the hard limit."""
        least = min(solution.violation for solution in solutions)
        best = [solution for solution in solutions if solution.violation == least]
        front = NonDominatedSorting().do(_objectives(best), only_non_dominated_front=True)
        members = distinct(self._duplicates, [best[i] for i in np.sort(front)])
        self._set([members[i] for i in representatives(_objectives(members), self.hard_limit)])

    def restore(self, members: Sequence[Solution]) -> None:
        """Put in what was an archive before."""
        remember(self._duplicates, members)
        self._set(members)

    def add(self, solution: Solution) -> None:
        """Put in a solution that no member dominates, unless it is a duplicate of one.

        Members that it dominates are removed. O(n_members n_obj), and O(n_members^2) when that makes
        too many.
        """
        if is_known(self._duplicates, solution, self.members):
            return
        rows = not_dominated(self.F, self.violations, len(self), solution.f, solution.violation)
        if len(rows) < len(self):
            self._keep(rows)
        n = len(self)
        self.members.append(solution)
        self.F[n] = solution.f
        self.violations[n] = solution.violation
        if len(self) > self.soft_limit:
            self.thin()

    def thin(self) -> None:
        """Keep as many members as the hard limit allows, spread over the objectives."""
        if len(self) > self.hard_limit:
            self._keep(representatives(self.F[: len(self)], self.hard_limit))

    def _set(self, members: Sequence[Solution]) -> None:
        n = len(members)
        self.members = list(members)
        self.F[:n] = _objectives(members)
        self.violations[:n] = [member.violation for member in members]

    def _keep(self, rows: NDArray[np.int64]) -> None:
        n = len(rows)
        self.F[:n] = self.F[rows]
        self.violations[:n] = self.violations[rows]
        self.members = [self.members[i] for i in rows]


def _objectives(solutions: Sequence[Solution]) -> NDArray[np.float64]:
    return np.array([solution.f for solution in solutions])
