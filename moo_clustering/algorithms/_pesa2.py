"""PESA-II: evolution from an archive, selected by boxes of a grid."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pymoo.core.algorithm import Algorithm
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.initialization import Initialization
from pymoo.core.population import Population
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import FloatRandomSampling
from pymoo.termination.default import DefaultMultiObjectiveTermination
from pymoo.util.display.multi import MultiObjectiveOutput

from moo_clustering.algorithms._grid_archive import FloatArray, GridArchive, select_by_boxes, whole_number

Selection = Literal["boxes", "tournament"]


class PESA2(Algorithm):
    """Parents are drawn from an archive of non-dominated solutions by the boxes of a grid over it.

    In a generation, ``pop_size`` parents give as many children by crossover and mutation, which enter the
    archive one after the other unless a member is as good or better. A box of the grid counts once,
    however many members are in it, so that crowded regions are drawn from less.

    Parameters
    ----------
    pop_size : int, default=10
        Children in a generation.
    archive_size : int, default=1000
        Largest number of members; beyond it one of a most crowded box leaves.
    n_bins : int, default=10
        Parts of the range of every objective.
    selection : {"boxes", "tournament"}, default="boxes"
        Any occupied box, each as likely as another; or the emptier of two such.
    n_init : int, optional
        Initial solutions; default ``pop_size``.
    sampling, crossover, mutation : pymoo operators, optional
        Default: those of NSGA-II for real variables, crossover with probability .7.
    repair : pymoo Repair, optional
    output : pymoo Output, optional
    **options
        Of :class:`pymoo.core.algorithm.Algorithm`.

    Attributes
    ----------
    pop, opt : Population
        The archive.

    Notes
    -----
    Solutions with equal objectives are kept once. Constraints come before objectives: the smaller
    violation dominates. O(pop_size archive_size n_obj) time in a generation besides evaluation.

    References
    ----------
    Corne, Jerram, Knowles and Oates, "PESA-II: region-based selection in evolutionary multiobjective
    optimization", GECCO, 2001; as used by Handl and Knowles, IEEE TEVC 11(1), 2007.

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> result = minimize(get_problem("zdt1", n_var=5), PESA2(n_init=50), ("n_gen", 200), seed=1)
    >>> len(result.F) > 20
    True
    """

    def __init__(
        self,
        *,
        pop_size: int = 10,
        archive_size: int = 1000,
        n_bins: int = 10,
        selection: Selection = "boxes",
        n_init: int | None = None,
        sampling: Any = None,
        crossover: Any = None,
        mutation: Any = None,
        repair: Any = None,
        output: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(output=MultiObjectiveOutput() if output is None else output, **options)
        self.pop_size = whole_number("pop_size", pop_size, 1)
        self.archive_size = whole_number("archive_size", archive_size, 1)
        self.n_bins = whole_number("n_bins", n_bins, 1)
        self.n_init = whole_number("n_init", self.pop_size if n_init is None else n_init, 1)
        if selection not in ("boxes", "tournament"):
            raise ValueError(f"selection must be 'boxes' or 'tournament', got {selection!r}")
        self.selection: Selection = selection
        self.crossover = SBX(prob=0.7, eta=15) if crossover is None else crossover
        self.mutation = PM(eta=20) if mutation is None else mutation
        self.repair = repair
        self.initialization = Initialization(
            FloatRandomSampling() if sampling is None else sampling,
            repair,
            eliminate_duplicates=NoDuplicateElimination(),
        )
        self.termination = DefaultMultiObjectiveTermination()
        # What the archive was when its objectives were looked up, one by one, and what they were.
        self._looked_up: Population | None = None
        self._values: tuple[FloatArray, FloatArray] | None = None

    def _initialize_infill(self) -> Population:
        return self.initialization.do(
            self.problem, self.n_init, algorithm=self, random_state=self.random_state
        )

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        self._keep(infills, *_values(infills), 0)

    def _infill(self) -> Population:
        n_parents = self.crossover.n_parents
        n_matings = -(-self.pop_size // self.crossover.n_offsprings)
        parents = select_by_boxes(
            self._members()[0],
            n_matings * n_parents,
            self.n_bins,
            self.selection == "tournament",
            self.random_state,
        ).reshape(n_matings, n_parents)
        options = {"algorithm": self, "random_state": self.random_state}
        children = self.crossover(self.problem, self.pop, parents=parents, **options)
        children = self.mutation(self.problem, children[: self.pop_size], **options)
        return children if self.repair is None else self.repair(self.problem, children, **options)

    def _advance(self, infills: Any = None, **options: Any) -> None:
        values = zip(self._members(), _values(infills), strict=True)
        merged = [np.concatenate(pair) for pair in values]
        self._keep(Population.merge(self.pop, infills), merged[0], merged[1], len(self.pop))

    def _members(self) -> tuple[FloatArray, FloatArray]:
        """Objectives and constraint violations of the archive."""
        if self._values is None or self._looked_up is not self.pop:
            self._looked_up, self._values = self.pop, _values(self.pop)
        return self._values

    def _keep(self, solutions: Population, F: FloatArray, violation: FloatArray, n_members: int) -> None:
        """Of the solutions, the first of which are members, those that are in the archive."""
        archive = GridArchive(F, violation, self.archive_size, self.n_bins, self.random_state)
        archive.rows = list(range(n_members))
        for row in range(n_members, len(solutions)):
            archive.offer(row)
        rows = np.array(archive.rows)
        self.pop = self._looked_up = solutions[rows]
        self._values = F[rows], violation[rows]

    def _set_optimum(self) -> None:
        self.opt = self.pop


def _values(solutions: Population) -> tuple[FloatArray, FloatArray]:
    F, violation = solutions.get("F", "CV")
    return F, violation[:, 0]
