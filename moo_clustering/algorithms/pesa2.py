"""PESA-II for pymoo: parents are drawn by region of the objective space."""

from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from pymoo.core.algorithm import Algorithm
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.initialization import Initialization
from pymoo.core.population import Population
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import FloatRandomSampling
from pymoo.termination.default import DefaultMultiObjectiveTermination
from pymoo.util.display.multi import MultiObjectiveOutput

from moo_clustering._arrays import FloatArray, Int64Array, IntpArray, choice, integer
from moo_clustering._docs import documented
from moo_clustering.algorithms.pymoo_search import ALGORITHM, checked_options, finite_range

Selection = Literal["boxes", "tournament"]


@documented(ALGORITHM)
class PESA2(Algorithm):
    """PESA-II: selection of parents from the grid boxes of an archive of non-dominated solutions.

    Parents are drawn by box rather than by solution, so crowded regions contribute fewer parents. Each child
    enters the archive unless a member dominates or equals it. Of two solutions, the one with the smaller
    constraint violation dominates, whatever the objectives. In addition to evaluations, a generation takes
    O(pop_size archive_size n_obj) time. Source: Corne, Jerram, Knowles and Oates, "PESA-II: region-based
    selection in evolutionary multiobjective optimization", GECCO, 2001; Handl and Knowles, IEEE TEVC, 2007.

    Parameters
    ----------
    pop_size : int, default=10
        Number of children per generation.
    archive_size : int, default=1000
        Maximum number of members; if exceeded, a random member of the most crowded boxes is removed.
    n_bins : int, default=10
        Number of grid intervals per objective.
    selection : {"boxes", "tournament"}, default="boxes"
        How a parent's box is drawn: as a random occupied box, or as the less crowded of two such boxes.
    n_init : int, optional
        Number of initial solutions. Default: ``pop_size``.
    sampling, crossover, mutation : pymoo operators, optional
        Default: NSGA-II's operators for real variables, with crossover probability 0.7.

    Attributes
    ----------
    pop, opt : Population
        The archive.

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
        pop_size: int = 10,
        *,
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
        super().__init__(
            output=MultiObjectiveOutput() if output is None else output, **checked_options(PESA2, options)
        )
        self.pop_size = integer("pop_size", pop_size, 1)
        self.archive_size = integer("archive_size", archive_size, 1)
        self.n_bins = integer("n_bins", n_bins, 1)
        self.n_init = self.pop_size if n_init is None else integer("n_init", n_init, 1)
        self.selection: Selection = choice("selection", selection, ("boxes", "tournament"))
        self.crossover = SBX(prob=0.7, eta=15) if crossover is None else crossover
        self.mutation = PM(eta=20) if mutation is None else mutation
        self.repair = repair
        sampling = FloatRandomSampling() if sampling is None else sampling
        self.initialization = Initialization(sampling, repair, NoDuplicateElimination())
        self.termination = DefaultMultiObjectiveTermination()
        # ``_values`` caches the objectives and the constraint violations of the population ``_looked_up``.
        self._looked_up: Population | None = None
        self._values: tuple[FloatArray, FloatArray] | None = None

    def _initialize_infill(self) -> Population:
        options = {"algorithm": self, "random_state": self.random_state}
        return self.initialization.do(self.problem, self.n_init, **options)

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        self._keep(infills, *_values(infills), 0)

    def _infill(self) -> Population:
        n_parents = self.crossover.n_parents
        n_matings = -(-self.pop_size // self.crossover.n_offsprings)
        F, by_tournament = self._members()[0], self.selection == "tournament"
        selected = select_by_boxes(F, n_matings * n_parents, self.n_bins, by_tournament, self.random_state)
        parents = selected.reshape(n_matings, n_parents)
        options = {"algorithm": self, "random_state": self.random_state}
        children = self.crossover(self.problem, self.pop, parents=parents, **options)
        children = self.mutation(self.problem, children[: self.pop_size], **options)
        return children if self.repair is None else self.repair(self.problem, children, **options)

    def _advance(self, infills: Any = None, **options: Any) -> None:
        F, violation = map(np.concatenate, zip(self._members(), _values(infills), strict=True))
        self._keep(Population.merge(self.pop, infills), F, violation, len(self.pop))

    def _members(self) -> tuple[FloatArray, FloatArray]:
        """Return the objectives and the constraint violations of the archive."""
        if self._values is None or self._looked_up is not self.pop:
            self._looked_up, self._values = self.pop, _values(self.pop)
        return self._values

    def _keep(self, solutions: Population, F: FloatArray, violation: FloatArray, n_members: int) -> None:
        """Add solutions to the archive, whose current members are the first ``n_members`` solutions."""
        rows = archived(F, violation, n_members, self.archive_size, self.n_bins, self.random_state)
        self.pop = self._looked_up = solutions[rows]
        self._values = F[rows], violation[rows]

    def _set_optimum(self) -> None:
        self.opt = self.pop


def _values(solutions: Population) -> tuple[FloatArray, FloatArray]:
    F, violation = solutions.get("F", "CV")
    return F, violation[:, 0]


def grid_boxes(F: FloatArray, n_bins: int) -> Int64Array:
    """Return each objective's grid interval, 0..n_bins-1; infinite values are in the outermost intervals."""
    low, high = finite_range(F)
    span = high - low
    parts = n_bins * (np.clip(F, low, high) - low) / np.where(span > 0, span, 1.0)
    boxes = np.minimum(np.floor(parts).astype(np.int64), n_bins - 1)
    boxes[np.isposinf(F)] = n_bins - 1
    return boxes


def box_numbers(F: FloatArray, n_bins: int) -> Int64Array:
    """Return the index of each solution's box among all occupied boxes."""
    numbers = np.zeros(len(F), dtype=np.int64)
    for parts in grid_boxes(F, n_bins).T:
        numbers = np.unique(numbers * n_bins + parts, return_inverse=True)[1]
    return numbers


def select_by_boxes(F: FloatArray, count: int, n_bins: int, tournament: bool, rng: Generator) -> IntpArray:
    """Draw boxes, and return a random row from each box."""
    numbers = box_numbers(F, n_bins)
    sizes = np.bincount(numbers)
    boxes = rng.integers(0, len(sizes), size=count)
    if tournament:
        others = rng.integers(0, len(sizes), size=count)
        boxes = np.where(sizes[others] < sizes[boxes], others, boxes)
    members = np.argsort(numbers, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return members[starts[boxes] + rng.integers(0, sizes[boxes])]


def archived(
    F: FloatArray, violation: FloatArray, n_members: int, size: int, n_bins: int, rng: Any
) -> list[int]:
    """Offer rows one by one to an archive of the first ``n_members`` rows, and return the archive's rows."""
    # The members of the archive are non-dominated and have distinct objectives. If a new member exceeds
    # ``size``, a random member of one of the fullest boxes is removed.
    rows = list(range(n_members))
    for row in range(n_members, len(F)):
        others, equal = F[rows], violation[rows] == violation[row]
        if ((violation[rows] < violation[row]) | (equal & (F[row] >= others).all(axis=1))).any():
            continue
        beaten = (violation[rows] > violation[row]) | (equal & (F[row] <= others).all(axis=1))
        rows = [other for other, out in zip(rows, beaten, strict=True) if not out] + [row]
        if len(rows) > size:
            numbers = box_numbers(F[rows], n_bins)
            sizes = np.bincount(numbers)
            del rows[int(rng.choice(np.flatnonzero(sizes[numbers] == sizes.max())))]
    return rows
