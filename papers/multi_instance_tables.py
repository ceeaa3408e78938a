"""Multi-instance clustering: the experiment, its published numbers, tables, tests and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from moo_clustering.stats import (
    FriedmanResult,
    average_ranks,
    cliques,
    friedman,
    pair_matrix,
    sentences,
    shaffer_static,
)
from moo_clustering.visualization import plot_critical_difference
from moo_clustering.visualization.figures import house_style, new_figure, save_figure
from papers.multi_instance import (
    EFFORT,
    ENTRIES,
    READINGS,
    BagSet,
    Row,
    Task,
    described,
    load_bag_sets,
    run_task,
)
from papers.runner import Key, ResultFigure, ResultTable, Settings, Spread, Value

INTERNAL_METRICS, EXTERNAL_METRICS = ("S", "DB", "S_Dbw"), ("RI", "E", "F1")
# Width and height of a diagram in inches.
_WIDTH, _HEIGHT = 5.4, 2.6
# Names of the scores in cells, by reading.
INTERNAL = {
    "table": {"S": "silhouette_printed", "DB": "davies_bouldin_instance", "S_Dbw": "sdbw_printed"},
    "default": {"S": "silhouette_cluster", "DB": "davies_bouldin_bag", "S_Dbw": "sdbw_bag"},
}
EXTERNAL = {"RI": "matched_rand_index", "E": "entropy", "F1": "f1"}
METHODS = ("BAMIC", "MIKM", "MIGKA", "MIFGKA", "MIGCUK", "CHCMIC")
DATASETS = ("Musk1", "Musk2", "MutA", "MutB", "MutC", "ImgE", "ImgT", "ImgF", "EastW", "WestE")
ERRATA = {
    "readings": "as in the tables: the reading that explains the printed figures best. Centroids and DB use "
    "all instances; mutation favours worse genes, as Eqs. 5 and 6 are printed (MIGKA, CHCMIC); Eq. 7 has "
    "squared means (MIFGKA); DB uses distances to centroids (MIGCUK); S is averaged over bags, and uses one "
    "of the two directed distances of a pair for both; S_Dbw uses variances of instances. defaults: those "
    "of the estimators, with S averaged over clusters (Eq. 12), and DB and S_Dbw of bag means (Eq. 3).",
    "order": "The printed S and DB depend on the order of the bags in the files: S uses the distance from "
    "the bag with the lower number, and DB counts the first bag of a cluster twice. Compare methods, not "
    "values.",
    "shuffled": "Bags are shuffled for every seed. MIGCUK moves medoids to bags with nearby numbers, which "
    "would reveal the classes in files that are sorted by class, and are not informative in random order. "
    "For the other methods, the order only affects ties and random draws.",
    "swapped": "The printed rows ImgT and ImgF are very likely swapped: compare results on Tiger with both.",
    "bold": "The bold print is wrong for S_Dbw of MutA and MutB (MIFGKA is best) and for F1 of ImgT "
    "(MIGCUK is best); the printed ranks are right.",
    "degenerate": "DB is degenerate: on these sets, its smallest values separate one outlying bag from all "
    "others, so consider the smallest cluster as well. MemeticCHCMIC keeps at least 5% of the bags in "
    "every cluster.",
    "seeds": "The paper states 15 seeds, but every printed RI except one (ImgE, BAMIC, 0.5522) is a "
    "multiple of 1/(5 N) for N bags, so the tables are means of 5 runs.",
    "trials": "Contrary to the paper, the genetic methods do not have equal numbers of evaluations: MIGKA "
    "and CHCMIC also try values of single genes (trials), about 0.6 N per individual for N bags.",
    "rand": "RI is the share of bags whose cluster is matched to their class, one to one. It is not the "
    "Rand index; ARI is the Rand index adjusted for chance. F1 refers to the positive class.",
    "log": "E is in bits: the logarithm in Eq. 19 has base 2, because printed values for two classes reach "
    "0.9995.",
    "west": "WestE is EastW with the classes swapped, from the same runs: only F1 differs.",
    "once": "In the tests, EastW and WestE count once, as EastW, because counting the same bags twice would "
    "overstate the significance. In all ten rows, both count, as in the paper.",
    "tiger": "ImgF for ImgT: uses the printed row ImgF for Tiger, in case the two rows are swapped.",
    "claims": "The tests of all ten printed rows confirm the text of the paper only in part. At 99%, DB "
    "separates CHCMIC from MIGCUK and MIFGKA, but not from BAMIC, and S_Dbw separates no methods. At 95%, "
    "RI separates CHCMIC from MIGCUK only, and E from MIKM only.",
    "bars": "In the figures, missing bars are only indications if Friedman's test does not reject.",
}
_BEST = "CHCMIC"
_TITLES = {
    "S": "Silhouette S, greater is better",
    "DB": "Davies-Bouldin DB, less is better",
    "S_Dbw": "S_Dbw, less is better",
    "RI": "RI (matched accuracy), greater is better",
    "E": "Entropy E, less is better",
    "F1": "F1 of the positive class, greater is better",
}
_NOTES = {
    "S": ("readings", "order", "swapped", "west"),
    "DB": ("degenerate",),
    "S_Dbw": ("bold",),
    "RI": ("readings", "rand", "seeds", "swapped", "west"),
    "E": ("log",),
    "F1": ("bold",),
}
_COSTS = ("smallest", "seconds", "evaluations", "trials")
_FORMATS = {"smallest": ".1f", "seconds": ".2f", "evaluations": ".0f", "trials": ".0f"}


class MultiInstance:
    """Six methods and their controls on every set of the paper that is in the data folder.

    Source: Evolutionary multi-instance clustering, Tables III-VIII, Figs. 1 and 2.

    Parameters
    ----------
    settings : Settings
        ``sets`` are names of npz files; default: all sets of the paper that are found.
    view : callable
        Function that returns tables of the results.
    kind : Kind
        Indices of the figure.
    figure : int, default=0
        Number of the figure; 0 for none.
    """

    def __init__(self, settings: Settings, view: View, kind: Kind, figure: int = 0) -> None:
        self._view, self._kind, self._figure = view, kind, figure
        self._sets = {found.name: found for found in load_bag_sets(settings.data, settings.sets)}
        self._effort = {size: dict(sizes) for size, sizes in EFFORT.items()}
        # Exclude the sets and seeds, so that a run with more of them can use the same folder.
        self.parameters: dict[str, Any] = {"effort": self._effort, "methods": described()}
        self.cells: list[Key] = [
            {"set": name, "data": found.identity, "method": method, "reading": reading, "seed": seed}
            for name, found in self._sets.items()
            for seed in range(settings.seeds)
            for method, reading in ENTRIES
        ]

    def data(self, key: Key) -> Task:
        """Return the set, the method and the sizes of its search."""
        given = self._sets[str(key["set"])]
        return Task(given, str(key["method"]), str(key["reading"]), int(key["seed"]), self._effort)

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Return the partition, scores and costs."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return a table of all scores, and the tables of the view."""
        results = self._results(values)
        return [everything(results), *self._view(results)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Return critical-difference diagrams, if the view has a figure."""
        if not self._figure:
            return []
        kind, name = self._kind, f"figure{self._figure}"
        title = f"Figure {self._figure}: critical differences at {1 - kind.alpha:.0%}, {kind.name} indices"
        results = self._results(values)

        def draw(path: Path) -> None:
            draw_diagram(results, kind.metrics, kind.alpha, path)

        return [ResultFigure(name, title, draw)]

    def _results(self, values: Sequence[Any]) -> Results:
        return Results(list(self._sets.values()), self.cells, values)


class Results:
    """Scores of all runs.

    Parameters
    ----------
    sets : sequence of BagSet
    cells, values : sequences of equal length
        Keys and values of the store.
    """

    def __init__(self, sets: Sequence[BagSet], cells: Sequence[Key], values: Sequence[Any]) -> None:
        self.sets = list(sets)
        self.rows = [(bag_set, row) for bag_set in sets for row in bag_set.rows]
        columns = ("set", "method", "reading", "seed")
        kept = [{name: key[name] for name in columns} for key in cells]
        scores = [
            {name: score for name, score in value.items() if not isinstance(score, list)} for value in values
        ]
        runs = [{**key, **score} for key, score in zip(kept, scores, strict=True)]
        self.runs = pd.DataFrame(runs)
        self._groups = dict(list(self.runs.groupby(["set", "method", "reading"], sort=False)))

    @property
    def n_seeds(self) -> int:
        """Number of runs of every method on every set."""
        return int(self.runs["seed"].nunique())

    def of(self, bag_set: BagSet, method: str, reading: str) -> pd.DataFrame:
        """Return the runs of a method; a method without readings counts for every reading."""
        found = self._groups.get((bag_set.name, method, reading))
        return self._groups[bag_set.name, method, ""] if found is None else found

    def spread(self, bag_set: BagSet, method: str, reading: str, score: str) -> Spread:
        """Return mean and deviation of a score over seeds."""
        values = self.of(bag_set, method, reading)[score].astype(float)
        return Spread(float(values.mean()), float(values.std()))

    def metric(self, bag_set: BagSet, row: Row, method: str, reading: str, metric: str) -> Spread:
        """Return mean and deviation of one of the six metrics of the paper, as defined by the reading."""
        score = {**INTERNAL[reading], **EXTERNAL}[metric]
        if metric == "F1" and row.swapped:
            score = "f1_swapped"
        return self.spread(bag_set, method, reading, score)

    def tested(self) -> list[tuple[BagSet, Row]]:
        """Return the rows that are sets of the paper, each once."""
        return [(bag_set, row) for bag_set, row in self.rows if row.is_own_set]

    def frame(self, metric: str, reading: str) -> pd.DataFrame:
        """Return the means of the six methods on the tested rows."""
        means = [
            [self.metric(bag_set, row, method, reading, metric).mean for method in METHODS]
            for bag_set, row in self.tested()
        ]
        names = [row.name for _, row in self.tested()]
        return pd.DataFrame(means, index=names, columns=list(METHODS), dtype=float)


View = Callable[[Results], list[ResultTable]]


class Kind(NamedTuple):
    """Internal or external indices, and the significance level of the paper."""

    name: str
    metrics: Sequence[str]
    alpha: float


def everything(results: Results) -> ResultTable:
    """Return a row per run."""
    runs = results.runs
    rows = runs.astype(object).where(runs.notna(), None).values.tolist()
    return ResultTable("scores", "Scores", [*map(str, runs.columns)], rows)


def draw_diagram(results: Results, metrics: Sequence[str], alpha: float, path: Path) -> None:
    """Draw one diagram for every source (rows) and index (columns)."""
    columns = [[source for source in sources(results, metric) if source.is_drawn] for metric in metrics]
    n_rows = len(columns[0])
    with house_style():
        figure = new_figure(_WIDTH * len(metrics), _HEIGHT * n_rows)
        # The layout engine ignores names outside the axes.
        figure.set_layout_engine("constrained", h_pad=0.16, w_pad=0.1)
        axes = np.atleast_2d(figure.subplots(n_rows, len(metrics), squeeze=False))
        for column, metric, found in zip(axes.T, metrics, columns, strict=True):
            for ax, source in zip(column, found, strict=True):
                plot_critical_difference(
                    source.values, alpha=alpha, greater_is_better=source.greater_is_better, ax=ax
                )
                ax.set_title(f"{metric}: {source.name}", loc="left", pad=10, fontweight="bold")
        save_figure(figure, path)


def sources(results: Results, metric: str) -> list[Source]:
    """Return the printed table, its rows with data, and our tables, each with at least two rows."""
    printed, better = PUBLISHED[metric].frame(), PUBLISHED[metric].greater_is_better
    names = [row.name for _, row in results.tested()]
    found = [Source(f"paper, {len(names)} rows found here", printed.loc[names], better)]
    if "ImgT" in names and "ImgF" not in names:
        taken = ["ImgF" if name == "ImgT" else name for name in names]
        found.append(Source("   the same, ImgF for ImgT", printed.loc[taken], better, is_drawn=False))
    for reading, title in READINGS.items():
        found.append(Source(f"here, {title}", results.frame(metric, reading), better))
    everything = Source("paper, all ten rows", printed, better)
    return [everything, *(source for source in found if len(source.values) > 1)]


class Source(NamedTuple):
    """A table of results of one metric."""

    name: str  # source of the numbers
    values: pd.DataFrame  # a row per data set, a column per method
    greater_is_better: bool
    is_drawn: bool = True  # whether figures show it

    @property
    def average_ranks(self) -> pd.Series[float]:
        """Average rank of every method, 1 = best."""
        return average_ranks(self.values, greater_is_better=self.greater_is_better)

    @property
    def friedman(self) -> FriedmanResult:
        """Friedman's test."""
        return friedman(self.values, greater_is_better=self.greater_is_better)

    def pairs(self, alpha: float) -> pd.DataFrame:
        """Test all pairs by Shaffer's procedure."""
        return shaffer_static(self.values, greater_is_better=self.greater_is_better, alpha=alpha)

    def conclusions(self, alpha: float) -> list[str]:
        """Return the conclusions that the tests support."""
        pairs = self.pairs(alpha)
        return sentences(self.friedman, pairs, cliques(pairs), "shaffer", alpha)


class Published(NamedTuple):
    """One metric: Tables III or VI (values), IV or VII (ranks), V or VIII (Friedman's test)."""

    greater_is_better: bool
    values: tuple[tuple[float, ...], ...]
    ranks: tuple[float, ...]
    statistic: float
    p_value: float

    def frame(self) -> pd.DataFrame:
        """Return the values: a row per data set, a column per method."""
        import pandas as pd

        return pd.DataFrame(self.values, list(DATASETS), list(METHODS), dtype=float)


# As printed, including errors; see ERRATA. S and DB cannot be reproduced exactly, because they depend on the
# order of the bags in the files.
PUBLISHED: dict[str, Published] = {
    "S": Published(
        greater_is_better=True,
        values=(
            (0.1656, 0.1519, 0.1597, 0.0381, 0.1156, 0.1715),
            (0.1545, 0.1754, 0.1717, 0.0239, 0.1081, 0.1448),
            (0.5610, 0.2114, 0.5678, 0.2226, 0.1677, 0.6043),
            (0.1085, 0.1326, 0.3003, 0.1743, 0.0956, 0.2912),
            (0.0938, 0.1301, 0.0636, -0.0355, 0.1265, 0.2484),
            (0.0208, 0.0103, 0.0178, 0.0083, 0.0271, 0.0139),
            (0.0091, 0.0283, 0.0372, 0.0418, 0.0467, 0.0280),
            (0.0353, 0.0510, 0.0296, 0.0550, 0.0789, 0.0339),
            (0.0160, 0.0829, 0.0468, 0.0661, 0.0111, 0.1189),
            (0.0160, 0.0829, 0.0469, 0.0661, 0.0280, 0.1122),
        ),
        ranks=(4.0, 3.2, 3.3, 4.1, 3.9, 2.5),
        statistic=5.4286,
        p_value=0.3658,
    ),
    "DB": Published(
        greater_is_better=False,
        values=(
            (2.4735, 2.0318, 2.5041, 4.4574, 2.9341, 2.0035),
            (3.3703, 2.1625, 2.5934, 5.0817, 3.9003, 2.0819),
            (10.9839, 18.8995, 10.4630, 12.7672, 21.5018, 8.6559),
            (21.2972, 22.2912, 15.2224, 21.9042, 20.7270, 8.7337),
            (6.7666, 6.6140, 8.6407, 6.8004, 19.9563, 4.6057),
            (9.0270, 9.1321, 9.5317, 12.1334, 10.6597, 6.9825),
            (13.1027, 6.4840, 6.2685, 5.2874, 7.2043, 4.8710),
            (6.7059, 6.1328, 6.6835, 7.2814, 6.2654, 5.5788),
            (5.3412, 4.8629, 6.7544, 3.2563, 6.6069, 3.7951),
            (5.3412, 4.8629, 6.7730, 3.2563, 6.9294, 3.8603),
        ),
        ranks=(3.8, 3.2, 3.8, 4.1, 4.9, 1.2),
        statistic=22.514,
        p_value=0.0004,
    ),
    "S_Dbw": Published(
        greater_is_better=False,
        values=(
            (0.8856, 0.7577, 0.8558, 0.9586, 0.8839, 0.8008),
            (0.8699, 0.8163, 0.8226, 0.9616, 0.8641, 0.8489),
            (0.9952, 1.0328, 0.9940, 0.9770, 0.9948, 1.0065),
            (1.0306, 1.0235, 1.0121, 0.9942, 0.9994, 0.9985),
            (0.9733, 1.0028, 0.9450, 0.9547, 1.0160, 0.9724),
            (1.0114, 0.9985, 0.9949, 1.0006, 1.0145, 0.9961),
            (1.0105, 0.9979, 0.9994, 0.9809, 1.0331, 0.9749),
            (1.0084, 1.0129, 1.0101, 1.0196, 1.1205, 1.0044),
            (1.0320, 0.9566, 0.9821, 0.8954, 1.0178, 0.9365),
            (1.0320, 0.9566, 0.9821, 0.8954, 1.0040, 0.9371),
        ),
        ranks=(4.8, 3.4, 2.8, 2.9, 4.8, 2.3),
        statistic=16.229,
        p_value=0.0062,
    ),
    "RI": Published(
        greater_is_better=True,
        values=(
            (0.5304, 0.5000, 0.5348, 0.5174, 0.5674, 0.5152),
            (0.5725, 0.5863, 0.5373, 0.5667, 0.5569, 0.6588),
            (0.6915, 0.6649, 0.6957, 0.5904, 0.5862, 0.6872),
            (0.6596, 0.6553, 0.6702, 0.6266, 0.6170, 0.6840),
            (0.6543, 0.6585, 0.6596, 0.6596, 0.6106, 0.6702),
            (0.5522, 0.5860, 0.5260, 0.5870, 0.5550, 0.6900),
            (0.5150, 0.5540, 0.5290, 0.5380, 0.5170, 0.5750),
            (0.6250, 0.6250, 0.6230, 0.6120, 0.5920, 0.7470),
            (0.6400, 0.5400, 0.5700, 0.5500, 0.6500, 0.6300),
            (0.6400, 0.5400, 0.5800, 0.5500, 0.5700, 0.6200),
        ),
        ranks=(3.25, 3.95, 3.45, 4.05, 4.4, 1.9),
        statistic=11.257,
        p_value=0.0465,
    ),
    "E": Published(
        greater_is_better=False,
        values=(
            (0.9942, 0.9995, 0.9941, 0.9965, 0.9704, 0.9957),
            (0.9503, 0.9572, 0.9585, 0.9361, 0.9219, 0.9243),
            (0.8901, 0.9123, 0.8859, 0.8741, 0.8703, 0.8962),
            (0.9169, 0.9165, 0.8880, 0.9070, 0.8451, 0.8892),
            (0.9138, 0.9163, 0.9182, 0.9169, 0.9121, 0.9116),
            (0.9918, 0.9570, 0.9974, 0.9679, 0.9832, 0.8870),
            (0.9993, 0.9880, 0.9959, 0.9926, 0.9978, 0.9789),
            (0.9540, 0.9459, 0.9545, 0.9599, 0.9453, 0.7775),
            (0.9221, 0.9885, 0.9822, 0.9481, 0.8825, 0.8553),
            (0.9221, 0.9885, 0.9749, 0.9481, 0.9797, 0.8798),
        ),
        ranks=(4.0, 4.5, 4.3, 3.8, 2.4, 2.0),
        statistic=15.543,
        p_value=0.0083,
    ),
    "F1": Published(
        greater_is_better=True,
        values=(
            (0.5057, 0.3658, 0.4279, 0.4448, 0.6453, 0.4373),
            (0.4179, 0.3259, 0.3625, 0.3438, 0.4080, 0.3828),
            (0.8027, 0.7953, 0.8060, 0.7425, 0.6196, 0.8051),
            (0.7949, 0.7915, 0.7669, 0.7666, 0.6460, 0.8081),
            (0.7910, 0.7941, 0.7895, 0.7949, 0.7154, 0.8013),
            (0.5283, 0.5430, 0.5218, 0.5065, 0.5956, 0.6555),
            (0.5611, 0.4750, 0.5133, 0.4474, 0.6012, 0.4473),
            (0.6073, 0.5929, 0.6066, 0.5548, 0.4155, 0.7854),
            (0.7063, 0.3747, 0.4935, 0.1818, 0.7156, 0.4103),
            (0.5238, 0.6619, 0.6249, 0.6898, 0.5219, 0.7205),
        ),
        ranks=(2.7, 4.1, 3.7, 4.4, 3.7, 2.4),
        statistic=8.8571,
        p_value=0.1149,
    ),
}
INTERNAL_MEASURES = Kind("internal", INTERNAL_METRICS, 0.01)
EXTERNAL_MEASURES = Kind("external", EXTERNAL_METRICS, 0.05)


def ranks(results: Results, metrics: Sequence[str], number: int) -> ResultTable:
    """Return average ranks."""
    rows: list[list[Value]] = []
    for metric in metrics:
        rows.append([metric, "paper, as printed", 10, *PUBLISHED[metric].ranks])
        for source in sources(results, metric):
            average = source.average_ranks[list(METHODS)].tolist()
            rows.append([metric, source.name, len(source.values), *average])
    return ResultTable(
        f"table{number}",
        f"Average ranks (1 is best): Table {number} of the paper and here",
        ["index", "whose", "rows", *METHODS],
        rows,
        (*absent(results), *errata("once", "tiger", "bold")),
        dict.fromkeys(METHODS, ".2f"),
    )


def absent(results: Results) -> Sequence[str]:
    """Return a sentence about the rows of the paper without data."""
    there = {row.name for _, row in results.rows}
    missing = [name for name in DATASETS if name not in there]
    return (f"No data were found for the paper's rows {', '.join(missing)}.",) if missing else ()


def errata(*names: str) -> Sequence[str]:
    """Return errata of the paper, as sentences."""
    return tuple(ERRATA[name] for name in names)


def _view(make: Callable[[Kind, int, Results], list[ResultTable]], kind: Kind, number: int) -> Any:
    return partial(MultiInstance, view=partial(make, kind, number), kind=kind)


def _values(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    beside = [beside_published(results, metric, number) for metric in kind.metrics]
    return [*beside, all_methods(results, kind.metrics, kind.name, number)]


table3, table6 = _view(_values, INTERNAL_MEASURES, 3), _view(_values, EXTERNAL_MEASURES, 6)


def beside_published(results: Results, metric: str, number: int) -> ResultTable:
    """Return one metric of the six methods: the paper, and both readings here."""
    printed = PUBLISHED[metric].frame()
    rows: list[list[Value]] = []
    for bag_set, row in results.rows:
        for name in row.published:
            whose = "paper" if name == row.name else f"paper, its row {name}"
            rows.append([row.name, whose, *(f"{value:.4f}" for value in printed.loc[name, list(METHODS)])])
        for reading, title in READINGS.items():
            spreads = [results.metric(bag_set, row, method, reading, metric) for method in METHODS]
            rows.append([row.name, f"here, {title}", *(spread.text() for spread in spreads)])
            if metric == "DB":
                sizes = [results.spread(bag_set, method, reading, "smallest_cluster") for method in METHODS]
                rows.append([row.name, "   smallest cluster", *(f"{size.mean:.1f}" for size in sizes)])
    return ResultTable(
        f"table{number}-{metric.lower().replace('_', '-')}",
        f"{_TITLES[metric]}: Table {number} of the paper and {_runs(results)}",
        ["set", "whose", *METHODS],
        rows,
        (*(absent(results) if metric in ("S", "RI") else ()), *errata(*_NOTES[metric])),
    )


def _runs(results: Results) -> str:
    return f"{results.n_seeds} seed{'' if results.n_seeds == 1 else 's'} here"


def all_methods(results: Results, metrics: Sequence[str], name: str, number: int) -> ResultTable:
    """Return every method and control in both readings: metrics, the smallest cluster, costs."""
    rows: list[list[Value]] = []
    for bag_set in results.sets:
        for reading in READINGS:
            rows += _methods(results, bag_set, reading, metrics)
    extra = ["ARI"] if "RI" in metrics else []
    spreads = [title for metric in metrics for title in (metric, f"{metric} ±")]
    return ResultTable(
        f"table{number}-methods",
        f"All methods and controls, {name} indices, {_runs(results)}",
        ["set", "reading", "method", *spreads, *extra, *_COSTS],
        rows,
        (
            "smallest: number of bags in the smallest cluster. evaluations: number of evaluated "
            "individuals; trials: number of additionally tried values of genes. Spectral clustering uses "
            "exp(-H²/s²) with the symmetric Hausdorff distances H and their median s; average linkage uses "
            "H.",
            *([_largest_classes(results)] if extra else errata("shuffled")),
            *errata("trials", "degenerate"),
        ),
        _FORMATS,
    )


def _methods(results: Results, bag_set: BagSet, reading: str, metrics: Sequence[str]) -> list[list[Value]]:
    row, rows = bag_set.rows[0], []
    for entry in ENTRIES.values():
        if entry.reading not in (reading, ""):
            continue
        title = f"{entry.name}, {entry.note}" if entry.note else entry.name
        spreads = [results.metric(bag_set, row, entry.name, reading, metric) for metric in metrics]
        scores = ["adjusted_rand"] if "RI" in metrics else []
        scores += ["smallest_cluster", "seconds", "evaluations", "trials"]
        means: list[Value] = [results.spread(bag_set, entry.name, reading, score).mean for score in scores]
        rows.append([row.name, READINGS[reading], title, *(v for s in spreads for v in s), *means])
    return rows


def _largest_classes(results: Results) -> str:
    shares = [f"{s.rows[0].name} {np.bincount(s.classes).max() / len(s.classes):.3f}" for s in results.sets]
    return f"RI of a single cluster (share of the largest class): {', '.join(shares)}."


def _ranks(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    return [ranks(results, kind.metrics, number)]


table4, table7 = _view(_ranks, INTERNAL_MEASURES, 4), _view(_ranks, EXTERNAL_MEASURES, 7)


def _tests(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    return [
        friedman_tests(results, kind.metrics, number),
        pair_tests(results, kind.metrics, kind.alpha, number),
        conclusions(results, kind.metrics, kind.alpha, number),
    ]


table5, table8 = _view(_tests, INTERNAL_MEASURES, 5), _view(_tests, EXTERNAL_MEASURES, 8)


def friedman_tests(results: Results, metrics: Sequence[str], number: int) -> ResultTable:
    """Return Friedman's test and the test of Iman and Davenport."""
    rows: list[list[Value]] = []
    for metric in metrics:
        printed = PUBLISHED[metric]
        rows.append([metric, "paper, as printed", 10, printed.statistic, printed.p_value, None, None])
        for source in sources(results, metric):
            test = source.friedman
            f_test = (test.iman_davenport_statistic, test.iman_davenport_p_value)
            rows.append([metric, source.name, test.n_datasets, test.statistic, test.p_value, *f_test])
    columns = ["χ²", "p", "F (Iman, Davenport)", "p of F"]
    return ResultTable(
        f"table{number}",
        f"Friedman's test of the six methods: Table {number} of the paper and here",
        ["index", "whose", "rows", *columns],
        rows,
        (*absent(results), *errata("once", "tiger")),
        dict.fromkeys(columns, ".4f") | {"p of F": ".2g"},
    )


def pair_tests(results: Results, metrics: Sequence[str], alpha: float, number: int) -> ResultTable:
    """Return adjusted p-values of CHCMIC against the others."""
    others = [method for method in METHODS if method != _BEST]
    rows: list[list[Value]] = []
    for metric in metrics:
        for source in sources(results, metric):
            p = pair_matrix(source.pairs(alpha)).loc[[_BEST], others].to_numpy(dtype=float)[0].tolist()
            best = str(source.average_ranks.idxmin())
            rows.append([metric, source.name, len(source.values), best, *p])
    return ResultTable(
        f"table{number}-pairs",
        f"{_BEST} against each other method, adjusted p (Shaffer, static)",
        ["index", "whose", "rows", "best rank", *others],
        rows,
        errata("claims"),
        dict.fromkeys(others, ".4f"),
    )


def conclusions(results: Results, metrics: Sequence[str], alpha: float, number: int) -> ResultTable:
    """Return the conclusions that the tests support, in sentences."""
    rows: list[list[Value]] = [
        [metric, source.name, sentence]
        for metric in metrics
        for source in sources(results, metric)
        for sentence in source.conclusions(alpha)
    ]
    return ResultTable(
        f"table{number}-conclusions",
        f"Conclusions at {1 - alpha:.0%}",
        ["index", "whose", "conclusion"],
        rows,
        errata("bars"),
    )


def _diagram(kind: Kind, ranks: int, tests: int, number: int) -> Any:
    def view(results: Results) -> list[ResultTable]:
        found = conclusions(results, kind.metrics, kind.alpha, tests)
        return [*_ranks(kind, ranks, results), found]

    return partial(MultiInstance, view=view, kind=kind, figure=number)


figure1, figure2 = _diagram(INTERNAL_MEASURES, 4, 5, 1), _diagram(EXTERNAL_MEASURES, 7, 8, 2)
