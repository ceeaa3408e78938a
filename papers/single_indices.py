"""Searches for the best value of one index: Davies-Bouldin of bags, and DBCV of cuts of a tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_rand_score

from moo_clustering._arrays import IntArray
from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.controls import EVOLUTION, ControlComparison, paired_difference
from moo_clustering.datasets import DataError, make_bags
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.graphs import LocusGraph, locus_graph
from moo_clustering.operators import (
    CanonicalDuplicates,
    EncodingMutation,
    MSTInterestingnessSampling,
    NeighborBiasedMutation,
)
from moo_clustering.problems import BagPartitionProblem, PartitionProblem
from moo_clustering.problems.partition import LeastClusterSize
from moo_clustering.stats import clear_differences, p_text
from papers.controlled import cells_of, comparisons_of, objectives_of, searched
from papers.flagship_sets import load_suite
from papers.multi_instance import EXTRAS, SETS, BagSet, k_means_of_means, load_bag_sets
from papers.runner import Key, ResultTable, Settings, seed_of

POP_SIZE = 50
# Kinds of generated bags, and number of sets of each; files of bags.
KINDS, N_SETS = ("overlapping", "unequal", "outlying", "noisy"), 12
REAL = (*SETS, *EXTRAS)
_SIZES = (40, 25, 12, 6)
# Number of rows of sets whose trees are cut, of links that may be cut, and smallest cluster sizes.
ROWS, LINKS, LEAST = 500, 70, 5
_ALONG = ("over the methods", "along the curves")


class Search(NamedTuple):
    """A search for the best value of an index, with partitions that require no search."""

    problem: PartitionProblem
    algorithm: Any
    y: IntArray  # -1 for unknown classes
    others: Mapping[str, IntArray]


class _OneIndex(ABC):
    """Plan of a block: a cell is a set and a seed."""

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, Any]]
    controls: ClassVar[Any] = "auto"
    cells: list[Key]

    @classmethod
    @abstractmethod
    def search(cls, key: Key, data: Any) -> Search:
        """Return the search of a cell."""

    @staticmethod
    @abstractmethod
    def setting(key: Key) -> str:
        """Return the name of the setting of a cell."""

    @classmethod
    def compute(cls, key: Key, data: Any) -> dict[str, Any]:
        """Return runs and curves, and the index of the known classes and of partitions without a search."""
        one = cls.search(key, data)
        value = searched(
            one.problem,
            one.algorithm,
            seed=int(key["seed"]),
            n_evals=cls.parameters["n_evals"],
            y=one.y,
            controls=cls.controls,
        )
        known, index = one.y >= 0, one.problem.indices[0]
        sign = -1.0 if index.greater_is_better else 1.0

        def objective(labels: IntArray) -> float:
            return sign * float(index.evaluate(labels)[0])

        value["runs"] += [
            {
                "method": name,
                f"best {index.name}": objective(labels),
                "ari": float(adjusted_rand_score(one.y[known], labels[known])),
            }
            for name, labels in one.others.items()
        ]
        # Classes are a partition only if all samples have a class.
        value["classes"] = objective(one.y) if known.all() else None
        return value

    def comparisons(self, values: Sequence[Any]) -> dict[str, ControlComparison]:
        """Return a comparison per setting."""
        return comparisons_of(
            (self.setting(key), key["set"], key["seed"], value)
            for key, value in zip(self.cells, values, strict=True)
        )

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return rank correlations of objective and adjusted Rand index, per setting and per set."""
        if not values:
            return []
        rows = [self._row(key, value) for key, value in zip(self.cells, values, strict=True)]
        columns = ["setting", "set", "seed", *_ALONG, "objective", "of the classes"]
        frame = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[3:], float))
        summary: list[list[Any]] = []
        notes = [_NOTE]
        for setting, own in frame.groupby("setting", sort=False):
            means = own.groupby("set", sort=False)[columns[3:]].mean()
            for name in _ALONG:
                if means[name].notna().any():
                    tested = paired_difference(means[name], np.zeros(len(means)))
                    summary.append([str(setting), name, *tested.values()])
                    notes.append(f"{setting}, {name}: {claim(tested)}")
            known = means.dropna(subset="of the classes")
            if len(known):
                ahead = int((clear_differences(known["of the classes"], known["objective"])[0] > 0).sum())
                notes.append(
                    f"{setting}: the evolution has a better objective than the known classes on {ahead} of "
                    f"{len(known)} sets."
                )
        title = "Rank correlation of the objective (higher is better) with the ARI"
        heads = ["setting", "correlation", "mean", *list(paired_difference([0], [0]))[1:]]
        stem, formats = f"{self.name}-objective-and-ari", {"p": ".2g"}
        return [
            ResultTable(stem, f"{title}, by setting", heads, summary, notes, formats),
            ResultTable(f"{self.name}-correlations", f"{title}, by set", columns, rows),
        ]

    def _row(self, key: Key, value: Mapping[str, Any]) -> list[Any]:
        """Return the correlations of a cell, and the objectives of the evolution and of the known classes."""
        runs, curves = pd.DataFrame(value["runs"]), pd.DataFrame(value["curves"])
        objective = objectives_of(runs)[0]
        along = [
            correlation(curve.drop_duplicates(objective), objective)
            for _, curve in curves.groupby("method", sort=False)
        ]
        # Only searches have a hypervolume; the others optimise another criterion.
        over = correlation(runs.dropna(subset="hypervolume"), objective)
        found = float(runs.loc[runs["method"] == EVOLUTION, objective].iloc[0])
        names = [self.setting(key), str(key["set"]), int(key["seed"])]
        return [*names, over, _mean(along), found, value["classes"]]


class BagsByIndex(_OneIndex):
    """Partitions of bags by the Davies-Bouldin index of bags, with the known number of clusters.

    ``sets`` are names of kinds of generated sets, and of files of bags.
    """

    name = "bags"
    parameters: ClassVar[Mapping[str, Any]] = {"n_evals": 2_000, "n_sets": N_SETS}

    def __init__(self, settings: Settings) -> None:
        named = [name for name in settings.sets if name in REAL]
        self._real = {one.name: one for one in _bag_sets(settings, named)}
        self.cells = [
            {"set": f"{kind}/{number}", "identity": "generated", "seed": seed}
            for kind in KINDS
            if kind in (settings.sets or KINDS)
            for number in range(N_SETS)
            for seed in range(settings.seeds)
        ]
        self.cells += cells_of(self._real, settings.seeds)

    def data(self, key: Key) -> Any:
        """Return the bags and classes."""
        name = str(key["set"])
        if name in self._real:
            one = self._real[name]
            return BagTransformer().fit_transform(one.bags), one.classes
        kind, number = name.split("/")
        return generated(kind, int(number))

    @staticmethod
    def setting(key: Key) -> str:
        """Return one setting for all kinds of generated bags."""
        return f"{'generated' if '/' in str(key['set']) else 'real'} bags by Davies-Bouldin"

    @classmethod
    def search(cls, key: Key, data: Any) -> Search:
        """Return a search with random moves of bags, because mutations that try moves add evaluations."""
        bags, y = data
        k, seed = len(np.unique(y[y >= 0])), int(key["seed"])
        means = BagPartitionProblem(Bags(bags.means(), np.arange(bags.n_bags + 1)), k)
        found = minimize(means, _bag_search(means), ("n_evals", cls.parameters["n_evals"]), seed=seed)
        others = {
            "k-means of bag means": k_means_of_means(bags, k, seed),
            "evolution on bag means": means.decode(found.X)[0],
        }
        problem = BagPartitionProblem(bags, k)
        return Search(problem, _bag_search(problem), y, others)


def _bag_search(problem: BagPartitionProblem) -> GA:
    return GA(pop_size=POP_SIZE, **(problem.operators(GA) | {"mutation": EncodingMutation()}))


def _bag_sets(settings: Settings, named: Sequence[str]) -> list[BagSet]:
    """Return the named sets, or all sets of the folder."""
    found = []
    for name in named if settings.sets else REAL:
        try:
            found += load_bag_sets(settings.data, [name])
        except DataError:
            if named:
                raise
    return found


def generated(kind: str, number: int) -> tuple[Bags, IntArray]:
    """Generate bags in 3 to 5 clusters of the plane that are difficult to separate, and their classes.

    Bags of ``"overlapping"`` clusters have standard deviations of 3 to 4.5 instead of 1. ``"unequal"``
    clusters of 40, 25, 12 and 6 bags have a standard deviation of 2.5. A fifth of the instances of
    ``"outlying"`` bags is uniform in the plane, and the others deviate from their bag by 3. A sixth of the
    ``"noisy"`` bags is uniform in the plane, with class -1.
    """
    rng = np.random.default_rng(seed_of("bags", kind, number))
    k = len(_SIZES) if kind == "unequal" else 3 + number % 3
    options: dict[str, Any] = {
        "overlapping": {"bag_std": float(rng.uniform(3.0, 4.5))},
        "unequal": {"bag_std": 2.5},
        "outlying": {"bag_std": 2.0, "instance_std": 3.0, "outlying": 0.2},
        "noisy": {"bag_std": 2.0},
    }[kind]
    table = make_bags(max(_SIZES) * k if kind == "unequal" else 90, k, random_state=rng, **options)
    assert table.labels is not None
    if kind == "unequal":
        rows = np.concatenate([np.flatnonzero(table.labels == c)[:m] for c, m in enumerate(_SIZES)])
        return table.bags[rows], table.labels[rows]
    if kind != "noisy":
        return table.bags, table.labels
    noise = rng.random(table.n_bags) < 1 / 6
    shift = np.where(noise[:, None], rng.uniform(-15.0, 15.0, (table.n_bags, 2)) - table.bags.means(), 0.0)
    X = table.bags.instances + shift[table.bags.bag_of_instance]
    return Bags(X, table.bags.offsets), np.where(noise, -1, table.labels)


class CutProblem(PartitionProblem):
    """Cuts of the links of a tree, with the graph for operators."""

    @property
    def graph(self) -> LocusGraph:
        """Return the tree and the neighbours of the samples."""
        encoding: Any = self.encoding
        return encoding.graph


class Cuts(_OneIndex):
    """Cuts of the most interesting links of a minimum spanning tree by DBCV, with any number of clusters.

    For every set, one cell permits clusters of any size, and another requires at least ``LEAST`` samples.
    """

    name = "cuts"
    parameters: ClassVar[Mapping[str, Any]] = {"n_evals": 2_500, "rows": ROWS, "links": LINKS}

    def __init__(self, settings: Settings) -> None:
        suite = load_suite(settings.data, settings.sets).sets
        self._sets = {one.name: one for one in suite if one.kind != "t"}
        free = cells_of(self._sets, settings.seeds)
        self.cells = [*free, *({**key, "least": LEAST} for key in free)]

    def data(self, key: Key) -> Any:
        """Return the first rows of the set, which are in random order."""
        return self._sets[str(key["set"])].head(ROWS)

    @staticmethod
    def setting(key: Key) -> str:
        """Return one setting for all sets, by the smallest size of clusters."""
        least = f", clusters of {LEAST} and more" if "least" in key else ""
        return f"cuts of a tree by DBCV{least}"

    @classmethod
    def search(cls, key: Key, data: Any) -> Search:
        """Return a search whose bits determine the remaining links, with the operators of MOCK."""
        X = data.features()
        rng = np.random.default_rng(seed_of("cuts", data.name, int(key["seed"])))
        unbitten = 100.0 * max(0.0, 1.0 - LINKS / (len(X) - 1))
        encoding = LocusAdjacencyEncoding(kind="split", graph=locus_graph(X, rng=rng), delta=unbitten)
        algorithm = GA(
            pop_size=POP_SIZE,
            sampling=MSTInterestingnessSampling(),
            crossover=UniformCrossover(prob=1.0),
            mutation=NeighborBiasedMutation(),
            eliminate_duplicates=CanonicalDuplicates(encoding),
        )
        limits = [LeastClusterSize(int(key["least"]), 1)] if "least" in key else []
        return Search(CutProblem(X, encoding, "dbcv", inequalities=limits), algorithm, data.classes, {})


def agglomeration(evaluate: Any, sample: Any, vary: Any, rng: np.random.Generator) -> None:
    """Cut every link, then restore the link that improves the objective most, until none is cut.

    Cluster sizes have no influence, but partitions with too small clusters are not archived.
    """
    genes = np.zeros_like(sample()[:1])
    evaluate(genes)
    while not genes.all():
        cut = np.flatnonzero(genes[0] == 0)
        trials = np.repeat(genes, len(cut), axis=0)
        trials[np.arange(len(cut)), cut] = 1
        genes = trials[[int(evaluate(trials)[:, 0].argmin())]]


Cuts.controls = ("initial", "random", "drift", "climbs", "local search", "annealing", agglomeration)
_NOTE = (
    "A negative correlation means that a better objective has a worse ARI. Over the methods: the results of "
    "all searches. Along the curves: the best values so far, for every search whose best value changes at "
    "least twice, then averaged."
)


def correlation(points: pd.DataFrame, objective: str) -> float:
    """Return Spearman's correlation of the minimised objective with the ARI; NaN if it is undefined."""
    both = points[[objective, "ari"]].dropna()
    if len(both) < 3 or (both.nunique() < 2).any():
        return float("nan")
    return float(spearmanr(-both[objective], both["ari"])[0])


def claim(tested: Mapping[str, float]) -> str:
    """Return a sentence that the correlations of many sets support."""
    mean, low, high = (tested[name] for name in ("difference", "low", "high"))
    change = f"mean {mean:+.2f} [{low:.2f}, {high:.2f}], p = {p_text(tested['p'])}"
    if tested["p"] >= 0.05:
        return f"no correlation of the objective with the ARI is shown ({change})."
    return f"the better the objective, the {'better' if mean > 0 else 'worse'} the ARI ({change})."


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
