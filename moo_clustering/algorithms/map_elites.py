"""MAP-Elites: an archive that keeps the best partition in each cell of a descriptor grid."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.population import Population
from pymoo.core.survival import Survival
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import FloatRandomSampling
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.termination.default import DefaultMultiObjectiveTermination
from pymoo.util.display.multi import MultiObjectiveOutput
from scipy.special import xlogy

from moo_clustering._arrays import IntpArray, choice, integer, name_of, value_per_row, warn_caller
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._messages import quoted
from moo_clustering._types import FloatArray, Labels
from moo_clustering.algorithms.pymoo_search import ALGORITHM, checked_options
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity.base import ValidityIndex, check_population


def n_clusters(labels: Labels) -> FloatArray:
    """Number of clusters."""
    return labels.max(axis=1) + 1.0


def evenness(labels: Labels) -> FloatArray:
    """Entropy of the cluster sizes relative to the maximum entropy, or 1 for a single cluster."""
    n = labels.shape[1]
    sizes = check_population(labels, n).sizes
    # ``cumsum`` adds the terms in a fixed order, so a result does not depend on the other partitions.
    entropy = -np.cumsum(xlogy(sizes, sizes / n), axis=1)[:, -1] / n
    k = labels.max(axis=1) + 1
    return np.where(k > 1, np.clip(entropy / np.log(np.maximum(k, 2)), 0.0, 1.0), 1.0)


def singletons(labels: Labels) -> FloatArray:
    """Fraction of samples in clusters of size 1."""
    return (check_population(labels, labels.shape[1]).sizes == 1).sum(axis=1) / labels.shape[1]


_KNOWN = {"n_clusters": n_clusters, "evenness": evenness, "singletons": singletons}


class PartitionArchive(NamedTuple):
    """Feasible members of a :class:`MapElites` archive, one per cell, in cell order.

    Attributes
    ----------
    names, edges : tuple of str, tuple of ndarray
        Descriptor names and cell boundaries; the outermost cells include values outside the range.
    cells, descriptors : ndarray of shape (n_members, n_descriptors)
    quality : ndarray of shape (n_members,)
        First objective with its original sign, or the weighted sum of all minimised objectives.
    quality_name, greater_is_better : str, bool
        Name of the quality measure, and whether larger values are better.
    X, labels : ndarray of shape (n_members, n_var) or (n_members, n_samples)
        Genotypes and partitions.
    """

    names: tuple[str, ...]
    edges: tuple[FloatArray, ...]
    cells: IntpArray
    descriptors: FloatArray
    quality: FloatArray
    quality_name: str
    greater_is_better: bool
    X: Any
    labels: Labels

    @property
    def coverage(self) -> float:
        """Fraction of the cells that have a member."""
        return len(self.cells) / prod(len(each) - 1 for each in self.edges)

    def best(self, **values: float) -> int:
        """Return the row of the best member, for example ``archive.best(n_clusters=5)``.

        Considers only cells that contain the given descriptor values; raises a ValueError if these cells have
        no member, or if a descriptor is unknown.
        """
        inside = np.ones(len(self.cells), dtype=bool)
        for name, value in values.items():
            i = self.names.index(choice("the descriptor", name, self.names))
            number = checked_array([[value]], name, np.float64)
            inside &= self.cells[:, i] == _cells_of(number, self.edges[i : i + 1])[0, 0]
        if not inside.any():
            wanted = " and ".join(f"{name}={value:g}" for name, value in values.items())
            raise ValueError(f"the archive has no member{' with ' * bool(wanted)}{wanted}")
        rows = np.flatnonzero(inside)
        return int(rows[(-self.quality if self.greater_is_better else self.quality)[rows].argmin()])


def _cells_of(values: FloatArray, edges: Sequence[FloatArray]) -> IntpArray:
    pairs = zip(values.T, edges, strict=True)
    return np.column_stack([np.searchsorted(each[1:-1], column, side="right") for column, each in pairs])


@documented(ALGORITHM)
class MapElites(GeneticAlgorithm):
    """MAP-Elites: an archive that keeps the best partition in each cell of a descriptor grid.

    Parents are drawn at random from the archive. Each cell keeps the partition with the smallest constraint
    violation; ties are broken by quality, then in favour of the oldest. Values outside a descriptor's range
    belong to its outermost cells. The result contains all feasible members, even dominated ones. In addition
    to variation and evaluation, a generation takes O(n_offsprings n_samples) time and sorts the archive.
    Source: Mouret and Clune, "Illuminating search spaces by mapping elites", arXiv:1504.04909, 2015.

    Parameters
    ----------
    pop_size, n_offsprings : int, default=100
        Number of initial solutions, and number of offspring per generation (default: ``pop_size``).
    descriptors : sequence of str, ValidityIndex, callable or tuple, default=("n_clusters", "evenness")
        ``"n_clusters"``, ``"evenness"`` (entropy of cluster sizes / maximum entropy), ``"singletons"``
        (fraction of samples in clusters of size 1), fitted indices such as ``problem.indices[0]``, or
        functions of labels (n, n_samples), optionally as ("name", function).
    cells : mapping of str to int, optional
        Number of cells per descriptor. Default: one cell per number of clusters; 10 per other descriptor.
    ranges : mapping of str to (float, float), optional
        Range of each descriptor; required for indices and functions. Default: the encoding's range for
        ``"n_clusters"``; [0, 1] for evenness and singletons.
    weights : array-like of shape (n_obj,), optional
        The quality is the weighted sum of the minimised objectives. Default: only the first objective.
    reference : float, default=0.0
        Minimised quality at which a member adds 0 to the QD score, such as the worst possible value.
    sampling, crossover, mutation : pymoo operators, optional
        Default: NSGA-II's operators for real variables. For partitions, use ``problem.operators(MapElites)``.
    eliminate_duplicates : bool or DuplicateElimination, default=True

    Attributes
    ----------
    pop, opt : Population
        All members, and all feasible members.

    Examples
    --------
    >>> from moo_clustering.algorithms import evolve
    >>> from moo_clustering.encodings import LabelEncoding
    >>> from moo_clustering.problems import PartitionProblem
    >>> X = [[0.0], [1.0], [10.0], [11.0], [30.0]]
    >>> problem = PartitionProblem(X, LabelEncoding(5, k_max=3, k_min=2), "silhouette")
    >>> found = evolve(problem, MapElites(pop_size=20, **problem.operators(MapElites)), n_gen=10, seed=0)
    >>> archive = found.algorithm.archive_
    >>> archive.labels[archive.best(n_clusters=3)].tolist()
    [0, 0, 1, 1, 2]
    """

    def __init__(
        self,
        pop_size: int = 100,
        *,
        n_offsprings: int | None = None,
        descriptors: Sequence[Any] = ("n_clusters", "evenness"),
        cells: Mapping[str, int] | None = None,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        weights: Any = None,
        reference: float = 0.0,
        sampling: Any = None,
        crossover: Any = None,
        mutation: Any = None,
        repair: Any = None,
        eliminate_duplicates: Any = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        pop_size = integer("pop_size", pop_size)
        super().__init__(
            pop_size=pop_size,
            n_offsprings=pop_size if n_offsprings is None else integer("n_offsprings", n_offsprings),
            sampling=FloatRandomSampling() if sampling is None else sampling,
            selection=RandomSelection(),
            crossover=SBX(eta=15, prob=0.9) if crossover is None else crossover,
            mutation=PM(eta=20) if mutation is None else mutation,
            survival=CellSurvival(descriptors, cells or {}, ranges or {}, weights, reference),
            eliminate_duplicates=eliminate_duplicates,
            repair=repair,
            output=MultiObjectiveOutput() if output is None else output,
            advance_after_initial_infill=True,
            **checked_options(MapElites, options),
        )
        self.termination = DefaultMultiObjectiveTermination()

    def _setup(self, problem: Any, **options: Any) -> None:
        # A control run, which is a random baseline, may have replaced the survival operator.
        if isinstance(self.survival, CellSurvival):
            self.survival.set_up(problem)

    def _set_optimum(self) -> None:
        self.opt = self.pop[self.pop.get("FEAS")[:, 0]]
        if not len(self.opt):
            super()._set_optimum()

    @property
    def archive_(self) -> PartitionArchive:
        """Archive of feasible members; raises an AttributeError before the first generation."""
        if not self.is_initialized:
            raise AttributeError("MapElites has no archive before its first generation")
        return self.survival.archive(self.problem, self.pop)

    @property
    def course_(self) -> pd.DataFrame:
        """Course of the search, one row per generation.

        Columns are ``generation``, ``evaluations``, ``coverage`` (fraction of cells with a feasible member),
        and ``qd_score`` (sum over these cells of ``reference`` minus the minimised quality).
        """
        names = ["generation", "evaluations", "coverage", "qd_score"]
        return pd.DataFrame(getattr(self.survival, "course", []), columns=names)


class CellSurvival(Survival):
    """Select the best solution of each cell; archive members win ties against new solutions."""

    def __init__(self, descriptors: Any, cells: Any, ranges: Any, weights: Any, reference: float) -> None:
        super().__init__(filter_infeasible=False)
        given = [] if isinstance(descriptors, str) or not isinstance(descriptors, Sequence) else descriptors
        self.functions = dict(map(_named, given))
        self.names = tuple(self.functions)
        if not self.names or len(self.names) < len(given):
            raise ValueError(f"descriptors must be a list of unique descriptors, got {quoted(descriptors)}")
        for what, each in (("cells", cells), ("ranges", ranges)):
            if not isinstance(each, Mapping):
                raise TypeError(f"{what} must be a mapping with descriptor names as keys, got {quoted(each)}")
        for name in (*cells, *ranges):
            choice("names in cells and ranges", name, self.names)
        self.cells = {name: integer(f"cells[{name!r}]", n) for name, n in cells.items()}
        self.ranges = {name: np.asarray(pair, dtype=np.float64) for name, pair in ranges.items()}
        for name, pair in self.ranges.items():
            if pair.shape != (2,) or not (np.isfinite(pair).all() and pair[0] < pair[1]):
                got = quoted(ranges[name])
                raise ValueError(f"ranges[{name!r}] must be two ascending finite numbers, got {got}")
        self.weights = None if weights is None else checked_array(weights, "weights", np.float64)
        self.reference = float(checked_array([reference], "reference", np.float64)[0])

    def set_up(self, problem: Any) -> None:
        """Compute the cells for a problem, or raise an error if descriptors or weights do not fit it."""
        if not hasattr(problem, "decode"):
            raise TypeError(f"problem must have decode(X), as PartitionProblem, got {type(problem).__name__}")
        n, weights = problem.n_obj, self.weights
        if weights is not None and not (weights.shape == (n,) and np.isfinite(weights).all()):
            raise ValueError(
                f"weights must have one finite number per objective ({n}), got {quoted(weights)}"
            )
        self.edges = tuple(self._edges_of(problem, name) for name in self.names)
        self.values: FloatArray = np.empty((0, len(self.names)))
        self.course: list[tuple[float, ...]] = []
        self.n_seen = 0

    def _edges_of(self, problem: Any, name: str) -> FloatArray:
        counts, holder = self.functions[name] is n_clusters, getattr(problem, "encoding", problem)
        most = getattr(holder, "k_max", getattr(holder, "n_samples", None))
        pair = self.ranges.get(name, (0, 1) if name in _KNOWN and not counts else None)
        if pair is None and counts and most:
            pair = getattr(holder, "k_min", 1), most
        if pair is None:
            raise ValueError(f"ranges must contain the descriptor {name!r}, as in {{{name!r}: (0.0, 1.0)}}")
        low, high = np.array(pair) + np.array([-0.5, 0.5]) * counts
        return np.linspace(low, high, self.cells.get(name, int(high - low) if counts else 10) + 1)

    def _do(self, problem: Any, pop: Population, *args: Any, **kwargs: Any) -> Population:
        new = pop[len(self.values) :]
        values = np.concatenate([self.values, self._describe(problem, new)]) if len(new) else self.values
        if not self.n_seen:
            for name, column, each in zip(self.names, values.T, self.edges, strict=True):
                if ((column < each[0]) | (column > each[-1])).all():
                    warn_caller(
                        f"the descriptor {name!r} is outside its range, {each[0]:g} to {each[-1]:g}, for all "
                        "initial partitions, which therefore share the outer cells; change ranges"
                    )
        cells = _cells_of(values, self.edges)
        quality, violation = self._quality(pop.get("F")), pop.get("CV")[:, 0]
        order = np.lexsort((quality, violation, *cells.T[::-1]))
        rows = order[np.append(True, np.diff(cells[order], axis=0).any(axis=1))]
        self.values, members = values[rows], pop[rows]
        feasible = rows[members.get("FEAS")[:, 0]]
        self.n_seen += len(new)
        coverage = len(feasible) / prod(len(each) - 1 for each in self.edges)
        score = float((self.reference - quality[feasible]).sum())
        self.course.append((len(self.course), self.n_seen, coverage, score))
        return members

    def _describe(self, problem: Any, pop: Population) -> FloatArray:
        # Clusters are relabelled, because the values of descriptors must not depend on cluster numbers.
        labels = relabel_by_first_appearance(problem.decode(pop.get("X")))
        named = [(f"descriptor {name!r}", function) for name, function in self.functions.items()]
        return np.column_stack([value_per_row(call(labels), who, len(pop)) for who, call in named])

    def _quality(self, F: FloatArray) -> FloatArray:
        return F[:, 0] if self.weights is None else (F * self.weights).sum(axis=1)

    def archive(self, problem: Any, pop: Population) -> PartitionArchive:
        feasible = pop.get("FEAS")[:, 0]
        X = pop[feasible].get("X").reshape(-1, problem.n_var)
        F = pop[feasible].get("F").reshape(-1, problem.n_obj)
        name, sign, values = "weighted sum", 1.0, self.values[feasible]
        if self.weights is None:
            name = getattr(problem, "objective_names", ("f1",))[0]
            sign = problem.natural(np.ones(problem.n_obj))[0] if hasattr(problem, "natural") else 1.0
        own = _cells_of(values, self.edges), values, sign * self._quality(F), name, bool(sign < 0), X
        return PartitionArchive(self.names, self.edges, *own, relabel_by_first_appearance(problem.decode(X)))


def _named(descriptor: Any) -> tuple[str, Any]:
    if isinstance(descriptor, str) and descriptor in _KNOWN:
        return descriptor, _KNOWN[descriptor]
    if isinstance(descriptor, ValidityIndex):
        return descriptor.name, descriptor.evaluate
    if callable(descriptor):
        return name_of(descriptor), descriptor
    if isinstance(descriptor, tuple) and list(map(callable, descriptor)) == [False, True]:
        return str(descriptor[0]), descriptor[1]
    raise ValueError(
        f"each descriptor must be one of {tuple(_KNOWN)}, a fitted index, a function of labels or a tuple "
        f"(name, function); got {quoted(descriptor)}"
    )
