"""Connected regions with even loads: directed walks and their controls, with equal CPU time on every map.

A second block divides a map again after a year, with changed weights, from last year's regions or from random
regions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import process_time
from typing import Any, NamedTuple, Self

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.survival import Survival
from pymoo.indicators.hv import HV
from pymoo.operators.selection.rnd import RandomSelection
from scipy.sparse import csr_array

from moo_clustering._arrays import FloatArray, IntArray, Labels, non_dominated
from moo_clustering.algorithms import DirectedWalks, PymooSearch
from moo_clustering.controls import paired_difference
from moo_clustering.encodings import RegionEncoding
from moo_clustering.estimators.regions import StartSampling
from moo_clustering.operators import BoundaryClimb
from moo_clustering.operators.regions import random_weights
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ChangedShare, CutEdges, LoadVariation, ValidityIndex
from moo_clustering.validity.internal import SumOfSquares
from papers.runner import Key, ResultTable, Settings, WithoutFigures, check_names, folder_of_data

SECONDS = 0.5
TOLERANCES = (0.15, 0.05)
OURS = "directed walks"
BLOCKS = ("search", "start")
# Number of proposed moves of a climb that is not continued, and of initial plans for the scales of its
# objectives.
_LONG_CLIMB, _SCALE = 300_000, 20
_NOTES = (
    "Objectives: sum of squares, cut edges, variation of loads. Hypervolume of all plans, between the ideal "
    "point and 1.1 times the nadir point of the fronts of all methods and seeds of a map.",
    "All methods have the same moves and CPU time, after compilation. Random parents are drawn from the "
    "archive, or without selection from all plans. A restart is a long climb from a new plan in a random "
    "direction. Differences: directed walks minus the other method, by map, tolerance and seed; p: Wilcoxon.",
)
_START_NOTES = (
    "Weights have changed since last year, and the share of areas that leave their region is a fourth "
    "objective. Hypervolumes as in the other table; all methods are directed walks with the same CPU time. "
    "Unguided: last year's regions are only used in the objective, and no move is directed towards them.",
)


class Areas(NamedTuple):
    """A map: a graph of neighbours, weights, features and a number of regions."""

    graph: csr_array
    weight: FloatArray
    X: FloatArray
    n_regions: int


def generated(side: int = 30, n_regions: int = 12, seed: int = 0) -> Areas:
    """Generate a grid of cells with smooth features and lognormal weights."""
    rng = np.random.default_rng(seed)
    place = np.arange(side * side).reshape(side, side)
    pairs = [(place[:, :-1], place[:, 1:]), (place[:-1], place[1:])]
    i, j = (np.concatenate([pair[end].ravel() for pair in pairs]) for end in (0, 1))
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    graph = csr_array((np.ones(len(ends[0])), ends), shape=(side * side,) * 2)
    waves = rng.normal(size=(4, 3, 2)) / side * 3.0
    xy = np.column_stack(np.divmod(np.arange(side * side), side))
    X = np.cos(np.tensordot(waves, xy, axes=(2, 1)) + rng.uniform(0, 6, (4, 3, 1))).sum(axis=0).T
    X += 0.5 * rng.normal(size=X.shape)
    return Areas(graph, rng.lognormal(sigma=0.6, size=len(X)), (X - X.mean(0)) / X.std(0), n_regions)


def read(path: Any) -> Areas:
    """Read a map from an ``.npz`` file: ``indptr``, ``indices``, ``weight``, ``X`` and ``p``."""
    with np.load(path) as found:
        n = len(found["weight"])
        edges = np.ones(len(found["indices"])), found["indices"], found["indptr"]
        weight, X = found["weight"].astype(np.float64), found["X"].astype(np.float64)
        return Areas(csr_array(edges, shape=(n, n)), weight, X, int(found["p"]))


class Regionalisation(WithoutFigures):
    """Plan of the experiment: a cell is a map, a tolerance and a seed.

    Maps are ``maps/*.npz`` in the data folder, and a generated one. ``sets`` are names of maps.
    """

    parameters: Mapping[str, Any] = {"seconds": SECONDS}

    def __init__(self, settings: Settings) -> None:
        folder = folder_of_data(settings.data)
        self._maps: dict[str, Any] = {"generated": generated}
        for path in sorted((folder / "maps").glob("*.npz")) if folder else ():
            self._maps[path.stem] = partial(read, path)
        check_names("sets", settings.sets, self._maps)
        check_names("blocks", settings.blocks, BLOCKS)
        self.cells: list[Key] = [
            {"block": block, "map": name, "tolerance": tolerance, "seed": seed}
            for block in BLOCKS
            if block in settings.blocks or not settings.blocks
            for name in self._maps
            if name in settings.sets or not settings.sets
            for tolerance in TOLERANCES
            for seed in range(settings.seeds)
        ]

    def data(self, key: Key) -> Areas:
        """Return the map."""
        found: Areas = self._maps[str(key["map"])]()
        return found

    @staticmethod
    def compute(key: Key, data: Areas) -> dict[str, Any]:
        """Return fronts, numbers of plans, and infeasible plans of every method."""
        tolerance, seed = float(key["tolerance"]), int(key["seed"])
        earlier = None
        if key["block"] == "start":
            rng = np.random.default_rng(seed)
            earlier = last_year(data, tolerance, seed)
            # Logarithms of weights change by a standard deviation of .15 in a year.
            data = data._replace(weight=data.weight * np.exp(0.15 * rng.normal(size=len(data.weight))))
        problem = problem_of(data, tolerance, earlier)
        encoding: Any = problem.encoding
        methods = METHODS if earlier is None else started(encoding.mend(earlier))
        value: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, search in methods.items():
                search(problem, 0, 0.01)  # compiles
                value[name] = _summary(problem, *search(problem, seed, SECONDS))
        return value

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return mean hypervolumes by map and method, and differences from the first method."""
        found: list[ResultTable] = []
        for block, title, notes in (
            ("search", "Regions", _NOTES),
            ("start", "This year's regions", _START_NOTES),
        ):
            cells = [
                ((str(key["map"]), float(key["tolerance"])), value)
                for key, value in zip(self.cells, values, strict=True)
                if key["block"] == block
            ]
            if cells:
                found += _tables(block, title, notes, cells)
        return found


def _tables(
    block: str, title: str, notes: Sequence[str], cells: Sequence[tuple[tuple[str, float], Any]]
) -> list[ResultTable]:
    names = list(cells[0][1])
    rows: list[list[Any]] = []
    scores: dict[str, list[float]] = {name: [] for name in names}
    for one in dict.fromkeys(setting for setting, _ in cells):
        runs = [value for setting, value in cells if setting == one]
        scored = hypervolumes([{name: np.array(run[name]["front"]) for name in names} for run in runs])
        for name in names:
            plans, infeasible = (sum(run[name][what] for run in runs) for what in ("plans", "infeasible"))
            rows.append([*one, name, float(np.mean(scored[name])), plans // len(runs), infeasible])
            scores[name] += scored[name]
    first, *others = names
    compared: list[list[Any]] = [
        [name, *paired_difference(scores[first], scores[name]).values()] for name in others
    ]
    columns = ["map", "tolerance", "method", "hypervolume", "plans", "infeasible"]
    heading = ["method", "difference", "low", "high", "p", "wins", "ties", "losses"]
    prefix = "" if block == "search" else f"{block}_"
    return [
        ResultTable(
            f"{prefix}hypervolumes", f"{title}: mean hypervolume", columns, rows, notes, {"tolerance": ".2f"}
        ),
        ResultTable(
            f"{prefix}differences", f"{title}: {first} minus other methods", heading, compared, notes[-1:]
        ),
    ]


def last_year(data: Areas, tolerance: float, seed: int) -> Labels:
    """Return the regions with the least sum of squares that a short search finds."""
    problem = problem_of(data, tolerance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        F, X = METHODS[OURS](problem, seed + 1_000, SECONDS / 4)
    found: Labels = X[F[:, 0].argmin()]
    return found


def started(plan: Labels) -> dict[str, Callable[[Any, int, float], tuple[Any, Any]]]:
    """Return walks from a plan and its recombinations, from random plans, and from random plans unguided."""

    def warm(problem: Any) -> DirectedWalks:
        operators = problem.operators(DirectedWalks)
        operators["sampling"] = StartSampling(plan, operators["sampling"])
        return DirectedWalks(**operators)

    def unguided(problem: Any, seed: int, seconds: float) -> tuple[Any, Any]:
        *others, changes = problem.indices
        same = PartitionProblem(None, problem.encoding, [*others, Unguided(changes)])
        return METHODS[OURS](same, seed, seconds)

    return {
        "from last year's regions": partial(_searched, warm),
        "from random regions": METHODS[OURS],
        "from random regions, unguided": unguided,
    }


class Unguided(ValidityIndex):
    """An index that does not direct moves."""

    name, greater_is_better = "changed", False

    def __init__(self, index: ValidityIndex) -> None:
        self.index = index

    def fit(self, data: Any) -> Self:
        """Do nothing, because the index is already fitted."""
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        """Evaluate the index."""
        return self.index.evaluate(labels)


def problem_of(data: Areas, tolerance: float, earlier: Labels | None = None) -> PartitionProblem:
    """Return the problem of regions with loads near the mean; earlier regions add a fourth objective."""
    mean = data.weight.sum() / data.n_regions
    bounds = {"low": (1 - tolerance) * mean, "high": (1 + tolerance) * mean}
    encoding = RegionEncoding(data.graph, data.n_regions, weight=data.weight, **bounds)
    indices = [SumOfSquares().fit(data.X), CutEdges().fit(data.graph), LoadVariation().fit(data.weight)]
    changes = [] if earlier is None else [ChangedShare().fit(earlier)]
    return PartitionProblem(None, encoding, [*indices, *changes])


def hypervolumes(cells: Sequence[Mapping[str, FloatArray]]) -> dict[str, list[float]]:
    """Return hypervolumes of fronts by method and cell, with one reference point for all cells."""
    together = np.concatenate([front for cell in cells for front in cell.values()])
    best = together[non_dominated(together)]
    low, span = best.min(axis=0), np.where(np.ptp(best, axis=0) > 0, np.ptp(best, axis=0), 1.0)
    volume = HV(ref_point=np.full(together.shape[1], 1.1))
    return {name: [float(volume((cell[name] - low) / span)) for cell in cells] for name in cells[0]}


def _summary(problem: Any, F: FloatArray, X: IntArray) -> dict[str, Any]:
    front = np.unique(F[non_dominated(F)], axis=0)
    infeasible = int(np.count_nonzero(~problem.encoding.is_feasible(X)))
    return {"front": front.tolist(), "plans": len(X), "infeasible": infeasible}


def _searched(make: Callable[[Any], Any], problem: Any, seed: int, seconds: float) -> tuple[Any, Any]:
    """Return objectives and genes of all plans of an algorithm."""
    start = process_time()
    plans: list[Any] = []
    values: list[Any] = []
    search = PymooSearch(problem, make(problem), seed=seed)
    # The first generation only evaluates the initial plans, so it does not compile the moves.
    while len(plans) < 2 or process_time() - start < seconds:
        search.advance()
        off = search.algorithm.pop if search.algorithm.off is None else search.algorithm.off
        plans.append(off.get("X"))
        values.append(off.get("F"))
    return np.concatenate(values), np.concatenate(plans).astype(np.int32)


def _restarts(problem: Any, seed: int, seconds: float) -> tuple[Any, Any]:
    """Climb in random directions, each time from a new plan."""
    start, rng = process_time(), np.random.default_rng(seed)
    plans: list[Any] = []
    climb = BoundaryClimb(_LONG_CLIMB, heat=1.0, recombine=0.0)
    F = problem.evaluate(problem.encoding.random(_SCALE, rng), return_values_of=["F"])
    span = np.ptp(F, axis=0)
    while not plans or process_time() - start < seconds:
        weights = random_weights(1, problem.n_obj, rng) / span
        plans.append(climb.toward(problem, problem.encoding.random(1, rng), weights, rng))
    X = np.concatenate(plans)
    return problem.evaluate(X, return_values_of=["F"]), X


class Everyone(Survival):
    """Survival of all plans."""

    def _do(self, problem: Any, pop: Any, *args: Any, **kwargs: Any) -> Any:
        return pop


def _unselected(problem: Any) -> DirectedWalks:
    walks = DirectedWalks(selection=RandomSelection(), **problem.operators(DirectedWalks))
    walks.survival = Everyone()
    return walks


METHODS: dict[str, Callable[[Any, int, float], tuple[Any, Any]]] = {
    OURS: partial(_searched, lambda problem: DirectedWalks(**problem.operators(DirectedWalks))),
    "random parents": partial(
        _searched,
        lambda problem: DirectedWalks(selection=RandomSelection(), **problem.operators(DirectedWalks)),
    ),
    "no selection": partial(_searched, _unselected),
    "restarts": _restarts,
    "NSGA-II": partial(_searched, lambda problem: NSGA2(pop_size=40, **problem.operators(NSGA2))),
}
