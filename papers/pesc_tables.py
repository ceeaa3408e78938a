"""PESC and its rivals: the experiment, its results, and one view per table and figure of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.stats import average_ranks, cliques, friedman, sentences, shaffer_static
from moo_clustering.visualization import plot_critical_difference
from moo_clustering.visualization.figures import house_style, look_of, new_figure, save_figure
from moo_clustering.visualization.partitions import (
    _draw_eigenvalues,
    _draw_matrix,
    _draw_vectors,
    similarity_data,
)
from papers import pesc as parts
from papers.pesc import (
    COURSE_SIZES,
    EFFORT,
    GRIDS,
    PAIRS,
    READINGS,
    STARTS,
    FlatSet,
    Part,
    Task,
    load_flat_sets,
    run_task,
)
from papers.runner import Key, ResultFigure, ResultTable, Settings, Spread, Value

NOTES = {
    "absent": "The available text of the paper does not contain the numbers of its Tables 2 to 6, so the "
    "tables show whether its statements about them hold here.",
    "readings": "as in the paper: unnormalised Laplacian; PESC with SBX and polynomial mutation, on ranks of "
    "neighbours rather than sample indices, and a particle swarm for ES1; conventional graphs without "
    "bridges between components; SRMOSC evolved (its Laplacian is normalised in both); MOCK of 2007 in the "
    "paper's sizes. defaults: those of the estimators. Methods without readings are the same in both.",
    "shuffled": "Features are scaled to [0, 1], the reading of the paper that agrees with its statements. "
    "Rows are shuffled for every seed, in the same way for all methods. Accuracy is that of the best "
    "one-to-one matching of clusters and classes.",
    "srmosc": "Only the abstract of SRMOSC is known. Its operators are our own, so the quality of its "
    "evolved fronts is not evidence about the published program.",
    "mock": "MOCK receives the number of clusters, and selects the partition of the front with the least "
    "variance at this number. It suits mixed shapes, not tables of measurements such as these.",
    "moga": "MOGA(π,sep) is a method for categories: codes are categories (zoo, soybean_small, "
    "lung_cancer), and numbers are compared by Euclidean distance. The other kind (numbers in 5 bins, codes "
    "as numbers) is among all methods.",
    "cspa": "CSPA merges the front of MOGA(π,sep), by the spectrum of the co-association instead of METIS. "
    "CSPA of MOCK's front merges partitions with all numbers of clusters.",
    "controls": "Controls that are not in the paper: k-means (10 starts), PESC's initial population (ES2), "
    "the water-filling graph, Ward, HDBSCAN (clusters of 5 or more; noise is one more cluster), "
    "scikit-learn's spectral clustering (10 neighbours). HDBSCAN has no parameter for the number of "
    "clusters.",
    "tuned": "label-tuned: the value of sigma or epsilon, among those of the paper, that is best by the "
    "classes on average over the seeds. The paper selected it in this way, which requires the classes. "
    "eigengap: the value with the widest eigengap in every run, which does not require classes.",
    "labels": "Labels are drawn from every class in proportion, for every seed, and are equal for all "
    "methods. SRMOSC and PESC never link samples of different classes. PESC with must-links, among all "
    "methods, also links those of one class, as the conventional graphs do. Label-tuned values are the best "
    "on the samples without a label.",
    "semi": "Semi-MOCK has the adjusted Rand index of the labelled samples as a third objective. If labels "
    "only select, the search does not use them.",
    "bounds": "average of its grid: no value is selected, and all count. The best of MOCK's front, and "
    "label-tuned values, are selected by the classes, and therefore are upper bounds.",
    "seconds": "seconds: refer to one process. The three ensembles share a search, which counts for each. A "
    "conventional graph counts with its whole grid, and the average of its grid with one value. With "
    "several concurrent processes, seconds are longer.",
    "population": "generation 0, whole population: ES2 over all individuals of the initial population "
    "instead of its non-dominated ones. It shows what evolution adds beyond a denser graph.",
    "sets": "The paper has 11 sets of 150 to 5000 samples; its text names wine, balance and waveform. "
    "Larger sets are used only if requested by name. The accuracy of a single cluster is the share of the "
    "largest class.",
    "leakage": "index: crossover and mutation of sample indices, as printed. On rows sorted by class, nearby "
    "numbers are samples of the same class, so the classes leak into the search: a gain by sorting is not "
    "due to the features. ours: SBX on ranks of neighbours (as in the paper), "
    "uniform crossover (defaults). Sets of up to 1000 samples.",
    "ranks": "Ranks refer to mean accuracies, and sets are the observations. In the figures, missing bars "
    "are only indications if Friedman's test does not reject.",
    "claims": "A pair holds if the mean accuracy is higher on more than half of the sets (or on all, if the "
    "paper says so). A statement holds if all of its pairs hold.",
    "together": "Figure 1: p_c from 0.5 to 0.9 with p_m = 1 - p_c as in the paper, and each alone with the "
    "paper's value of the other.",
    "budget": "Every size has 20,000 evaluations, in at most 300 generations.",
    "coarse": "Populations are merged every 5 generations, every 25 above 1000 samples. All points of a "
    "curve belong to one search.",
    "starts": "Unnormalised Laplacian, rows shuffled. random: any other sample, as in the control of the "
    "paper; knn: near samples. index: printed operators, on sample indices.",
    "pictures": "One seed, unnormalised Laplacian (SRMOSC: normalised), samples by class. Conventional "
    "graphs use the value of their grid that is best by the classes.",
    "bars": "Bars are geometric means over the sets, and dots are the sets.",
}
_KEY = ("set", "method", "reading", "setting", "labels", "order", "seed")
PESC_ROWS = ("PESC_ES1", "PESC_ES2", "PESC_ES3")
CONTROL_ROWS = (
    "k-means",
    "generation 0",
    "water-filling graph",
    "Ward",
    "HDBSCAN",
    "spectral (scikit-learn)",
)
GRAPH_ROWS = tuple(f"{name}, {rule}" for name in GRIDS for rule in ("label-tuned", "eigengap"))
METHODS = {
    3: (*PESC_ROWS, "SRMOSC", "MOCK", "MOGA(π,sep)", "CSPA", "CSPA of MOCK's front"),
    4: (*PESC_ROWS, *GRAPH_ROWS),
    **dict.fromkeys(
        (5, 6),
        (*PESC_ROWS, "SRMOSC", "Semi-MOCK", "MOCK, picked by labels", *GRAPH_ROWS, "1-NN of the labels"),
    ),
}
LABELS = {3: 0, 4: 0, 5: 10, 6: 20}
TITLES = {
    3: "PESC and evolutionary methods",
    4: "PESC and conventional graphs",
    5: "10% labelled",
    6: "20% labelled",
}
# Scores shown in a table; the tests use the first.
SCORES = {
    "accuracy": "accuracy",
    "accuracy_unlabelled": "accuracy on the samples without label",
}
_LONG = ("accuracy", "ari", "nmi", "n_clusters", "seconds")
_LONG_UNLABELLED = (
    "accuracy",
    "accuracy_unlabelled",
    "ari_unlabelled",
    "nmi_unlabelled",
    "n_clusters",
    "seconds",
)
_FORMATS = {"n_clusters": ".1f", "seconds": ".2f", "largest class": ".3f"}
ALPHA = 0.05
# Width and height of a diagram in inches.
_WIDTH, _HEIGHT = 9.0, 4.2
HOLDS = {True: "holds", False: "does not hold"}
# Pairs of probabilities (p_c, p_m), by name.
_VARIED = {
    "p_m = 1 - p_c": [(pc, pm) for pc, pm in PAIRS],
    "p_m = 0.1": [(pc, 0.1) for pc, _ in PAIRS],
    "p_c = 0.9": [(0.9, pm) for _, pm in PAIRS],
}
AXES = {
    1: "probability that varies",
    2: "population size",
    3: "generation",
    4: "generation",
}
_TITLES = {
    1: "accuracy against the probabilities of crossover and mutation",
    2: "accuracy against the population size",
    3: "accuracy against the generation",
    4: "accuracy against the generation, by initial population and operators",
}
_NOTES = {1: ("together",), 2: ("budget",), 3: ("coarse",), 4: ("coarse", "starts")}
# Columns of courses; other stops are in the scores.
_SHOWN = (0, 1, 5, 10, 20, 25, 50, 75, 100, 150, 200, 250, 300)
_COLUMNS = {
    1: ("best at", "verdict"),
    2: ("change from 50", "verdict"),
    3: ("change from 20", "verdict"),
    4: ("within 0.02 of the last from",),
}
_STATEMENTS = {
    1: "The paper: with p_c = 0.9 the accuracy is relatively high. This holds for a curve that is highest "
    "there (of p_m alone, at 0.1), up to 0.01.",
    2: "The paper: insensitive once the population is large enough. This holds if sizes of 50 and 100 "
    "differ by less than 0.02.",
    3: "The paper: converged since generation 20. This holds if later generations differ from it by less "
    "than 0.02.",
    4: "The paper: random initial populations converge slowly, and near ones have high quality immediately.",
}
# A selection requires the whole grid; the average of a grid is over single values.
SHOWN = (
    *METHODS[3],
    *(f"{name}, {which}" for name in GRIDS for which in ("label-tuned", "average of its grid")),
    *CONTROL_ROWS,
)
# Statements of the paper: the methods that take longer, and the others.
_TIMES = (
    ("ES1 is the most time-consuming of the three", ("PESC_ES1",), ("PESC_ES2", "PESC_ES3")),
    ("SRMOSC and MOCK take longer than PESC", ("SRMOSC", "MOCK"), PESC_ROWS),
    (
        "conventional graphs, with one value of their parameter, take less time than PESC",
        PESC_ROWS,
        tuple(f"{name}, average of its grid" for name in GRIDS),
    ),
)
_ALIKE = ("PESC takes about as long as MOGA(π,sep) and CSPA", PESC_ROWS, ("MOGA(π,sep)", "CSPA"))


class Pesc:
    """PESC, its rivals and controls on every available set with classes.

    Source: PESC: "Pareto ensemble-based spectral clustering", Tables 2-6, Figs. 1-6.

    Parameters
    ----------
    settings : Settings
        ``sets`` are names of files in the folder ``uci`` or of scikit-learn's sets; default: those with at
        most 5000 samples.
    view : View
    """

    def __init__(self, settings: Settings, view: View) -> None:
        self._view = view
        found = load_flat_sets(settings.data, settings.sets)
        if view.sets and not settings.sets:
            found = [one for one in found if one.name in view.sets]
        self._sets = {one.name: one for one in found}
        self._effort = dict(EFFORT)
        # Exclude the sets, seeds and view, so that a run with more of them can use the same folder.
        self.parameters: dict[str, Any] = {"effort": self._effort, "grids": GRIDS}
        self.cells: list[Key] = [
            {"set": one.name, "data": one.identity, "seed": seed, **key}
            for one in found
            for seed in range(1 if view.one_seed else settings.seeds)
            for key in view.keys(one)
        ]

    def data(self, key: Key) -> Task:
        """Return the set, the part to run, and the sizes of its search."""
        return Task(self._sets[str(key["set"])], key, self._effort)

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Return scores and costs."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return a table of all scores, and the tables of the view."""
        results = self._results(values)
        return [everything(results, self._view.name), *self._view.tables(results)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Return the figures of the view."""
        return self._view.figures(self._results(values))

    def _results(self, values: Sequence[Any]) -> Results:
        return Results(list(self._sets.values()), self.cells, values)


@dataclass(frozen=True)
class View:
    """A table or a figure of the paper."""

    name: str
    parts: Sequence[Part]
    tables: Callable[[Results], list[ResultTable]]  # functions of the results
    figures: Callable[[Results], list[ResultFigure]]
    labels: int = 0  # percentage of labelled samples
    sets: Sequence[str] = ()  # sets of the view, if available; default: all
    one_seed: bool = False
    leakage: bool = False  # whether the view includes runs on sorted rows

    def keys(self, found: FlatSet) -> list[Key]:
        """Return the keys of the runs on a set with one seed."""
        keys = [key for part in self.parts for key in part.keys(self.labels)]
        return keys + (parts.leakage_keys() if self.leakage and parts.is_sorted_too(found) else [])


class Results:
    """Scores of all runs.

    Parameters
    ----------
    sets : sequence of FlatSet
    cells, values : sequences of equal length
        Keys and values of the store.
    """

    def __init__(self, sets: Sequence[FlatSet], cells: Sequence[Key], values: Sequence[Any]) -> None:
        self.sets = list(sets)
        self.values = list(zip(cells, values, strict=True))
        runs = [
            {
                **{name: key[name] for name in _KEY},
                "part": key["method"],
                "method": row,
                **{name: score for name, score in found.items() if name != "graph"},
            }
            for key, value in self.values
            for row, found in value.items()
        ]
        self.runs = pd.DataFrame(runs).astype({"gap": float})
        self.chosen = pd.concat([self.runs[~self.runs["method"].isin(list(GRIDS))], *self._choices()])
        self._groups = dict(
            list(self.chosen.groupby(["set", "method", "reading", "setting", "labels", "order"], sort=False))
        )

    @property
    def n_seeds(self) -> int:
        """Number of runs of every method on every set."""
        return int(self.runs["seed"].nunique())

    def of(
        self, found: FlatSet, method: str, reading: str, setting: str = "", labels: int = 0,
        order: str = "shuffled",
    ) -> pd.DataFrame | None:  # fmt: skip
        """Return the runs of a method by seed, or None; methods without readings count for every reading."""
        for one in (reading, ""):
            runs = self._groups.get((found.name, method, one, setting, labels, order))
            if runs is not None:
                return runs
        return None

    def spread(self, found: FlatSet, method: str, reading: str, score: str, **of: Any) -> Spread:
        """Return mean and deviation of a score over seeds, NaN without runs."""
        runs = self.of(found, method, reading, **of)
        values = pd.Series(dtype=float) if runs is None else runs[score].astype(float)
        return Spread(float(values.mean()), float(values.std()))

    def frame(self, methods: Sequence[str], reading: str, score: str, labels: int) -> pd.DataFrame:
        """Return the means of methods (columns) on all sets (rows)."""
        means = [
            [self.spread(one, method, reading, score, labels=labels).mean for method in methods]
            for one in self.sets
        ]
        return pd.DataFrame(means, index=[one.name for one in self.sets], columns=list(methods), dtype=float)

    def _choices(self) -> list[pd.DataFrame]:
        """Select from every grid by the classes and by the eigengap; also return all values, for averages."""
        # The value that is best by the classes is selected on average over the runs, and the value with the
        # widest eigengap in every run. Both have the seconds of the whole grid.
        grids = self.runs[self.runs["method"].isin(list(GRIDS))]
        rules: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
            "label-tuned": _label_tuned,
            "eigengap": _widest_gap,
        }
        chosen = []
        for (name, *_), runs in grids.groupby(["method", "set", "reading", "labels"], sort=False):
            seconds = runs.groupby("seed")["seconds"].sum()
            for rule, choose in rules.items():
                picked = choose(runs)
                chosen.append(
                    picked.assign(
                        method=f"{name}, {rule}",
                        seconds=picked["seed"].map(seconds),
                        chosen=picked["setting"],
                        setting="",
                    )
                )
            chosen.append(runs.assign(method=f"{name}, average of its grid", setting=""))
        return chosen


def sets(results: Results) -> ResultTable:
    """Return the data sets and their properties, as in Table 2 of the paper."""
    rows: list[list[Value]] = [
        [one.name, *one.X.shape, one.n_clusters, one.largest_share, "codes" if one.is_nominal else "numbers"]
        for one in results.sets
    ]
    return ResultTable(
        "table2",
        "Sets (Table 2)",
        ["set", "samples", "features", "classes", "largest class", "features are"],
        rows,
        notes("sets"),
        _FORMATS,
    )


def notes(*names: str) -> Sequence[str]:
    """Return notes below the tables, by name."""
    return tuple(NOTES[name] for name in names)


def _label_tuned(runs: pd.DataFrame) -> pd.DataFrame:
    means = runs.groupby("setting", sort=False)["accuracy_unlabelled"].mean()
    return runs[runs["setting"] == means.idxmax()]


def _widest_gap(runs: pd.DataFrame) -> pd.DataFrame:
    # Ties go to the largest value, as in the estimator; grids increase.
    value = runs["setting"].astype(float)
    ordered = runs.assign(value=value).sort_values(["gap", "value"], kind="stable")
    return ordered.drop_duplicates("seed", keep="last").drop(columns="value").sort_values("seed")


def everything(results: Results, name: str) -> ResultTable:
    """Return a row per run."""
    runs = results.runs
    rows = runs.astype(object).where(runs.notna(), None).values.tolist()
    return ResultTable(f"{name}-scores", "Scores", [*map(str, runs.columns)], rows)


def by_set(results: Results, number: int, score: str) -> ResultTable:
    """Return one score of the methods and controls on every set, in both readings."""
    columns, labels = [*METHODS[number], *CONTROL_ROWS], LABELS[number]
    rows: list[list[Value]] = []
    for found in results.sets:
        for reading, title in READINGS.items():
            spreads = [results.spread(found, name, reading, score, labels=labels) for name in columns]
            rows.append([found.name, title, *(spread.text() for spread in spreads)])
    for reading, title in READINGS.items():
        frame = results.frame(columns, reading, score, labels)
        rows.append(["mean of all", title, *(f"{mean:.3f}" for mean in frame.mean())])
    suffix = "" if number < 5 else ("-unlabelled" if score.endswith("unlabelled") else "-all")
    return ResultTable(
        f"table{number}{suffix}",
        f"Table {number}, {TITLES[number]}: {SCORES[score]}, {runs_of(results)}",
        ["set", "reading", *columns],
        rows,
        (*notes("absent", "readings", "shuffled"), *notes(*_notes_of(number))),
    )


def frame(results: Results, number: int, reading: str) -> pd.DataFrame:
    """Return the means of a table's methods and controls."""
    names = [*METHODS[number], *CONTROL_ROWS]
    return results.frame(names, reading, tested_score(number), LABELS[number])


def tested_score(number: int) -> str:
    """Return the score that the tests of a table use."""
    return "accuracy_unlabelled" if LABELS[number] else "accuracy"


def runs_of(results: Results) -> str:
    """Return the number of runs behind a table, in words."""
    return f"{results.n_seeds} seed{'' if results.n_seeds == 1 else 's'}"


def _notes_of(number: int) -> Sequence[str]:
    rivals = ("srmosc", "mock", "moga", "cspa")
    tuned = ("tuned", "controls")
    return {3: (*rivals, "controls"), 4: tuned}.get(number, ("labels", *rivals[:2], "semi", *tuned))


def all_methods(results: Results, number: int) -> ResultTable:
    """Return every row of the runs, with agreement, clusters and seconds."""
    labels = LABELS[number]
    scores = _LONG_UNLABELLED if labels else _LONG
    chosen = results.chosen
    here = chosen[(chosen["labels"] == labels) & (chosen["order"] == "shuffled") & (chosen["setting"] == "")]
    names = [*dict.fromkeys([*METHODS[number], *CONTROL_ROWS, *here["method"]])]
    rows: list[list[Value]] = []
    for found in results.sets:
        for reading, title in READINGS.items():
            for name in names:
                if results.of(found, name, reading, labels=labels) is None:
                    continue
                spreads = [results.spread(found, name, reading, score, labels=labels) for score in scores]
                rows.append(
                    [found.name, title, name, spreads[0].mean, spreads[0].std, *(s.mean for s in spreads[1:])]
                )
    return ResultTable(
        f"table{number}-methods",
        f"Table {number}, all methods: agreement with the classes and costs, {runs_of(results)}",
        ["set", "reading", "method", scores[0], "±", *scores[1:]],
        rows,
        notes("bounds", "seconds", "population"),
        _FORMATS,
    )


def leakage(results: Results, sorted_sets: Sequence[FlatSet]) -> ResultTable:
    """Compare ES2 on rows sorted by class with ES2 on shuffled rows, by operators."""
    rows: list[list[Value]] = []
    kinds = ("PESC_ES2, index operators", "PESC_ES2")
    for found in sorted_sets:
        for reading, title in READINGS.items():
            means = [
                results.spread(found, kind, reading, "accuracy", order=order)
                for kind in kinds
                for order in ("sorted", "shuffled")
            ]
            gains = [means[0].mean - means[1].mean, means[2].mean - means[3].mean]
            shown = [spread.text() for spread in means]
            rows.append([found.name, title, *shown[:2], gains[0], *shown[2:], gains[1]])
    titles = (
        "index, sorted",
        "index, shuffled",
        "index, gain",
        "ours, sorted",
        "ours, shuffled",
        "ours, gain",
    )
    means_of = [float(np.mean([row[i] for row in rows])) for i in (4, 7)] if rows else [None, None]
    if rows:
        rows.append(["mean of all", "both", "", "", means_of[0], "", "", means_of[1]])
    return ResultTable(
        "table3-leakage",
        f"ES2 on rows sorted by class and shuffled, by operators, {runs_of(results)}",
        ["set", "reading", *titles],
        rows,
        notes("leakage"),
        dict.fromkeys(("index, gain", "ours, gain"), "+.3f"),
    )


def tests(results: Results, number: int) -> list[ResultTable]:
    """Return average ranks, best first, with Friedman's tests, and conclusions about pairs."""
    frames = {reading: frame(results, number, reading) for reading in READINGS}
    averages = {one: average_ranks(table, greater_is_better=True) for one, table in frames.items()}
    friedmans = {one: friedman(table, greater_is_better=True) for one, table in frames.items()}
    order = averages["default"].sort_values(kind="stable").index
    rows: list[list[Value]] = [
        [str(name), *(float(averages[one][name]) for one in READINGS)] for name in order
    ]
    for title, attribute in (("p of Friedman's test", "p_value"), ("p of F", "iman_davenport_p_value")):
        rows.append([title, *(float(getattr(friedmans[one], attribute)) for one in READINGS)])
    claims: list[list[Value]] = []
    for reading, title in READINGS.items():
        pairs = shaffer_static(frames[reading], greater_is_better=True, alpha=ALPHA)
        found = sentences(friedmans[reading], pairs, cliques(pairs), "shaffer", ALPHA)
        claims += [[title, sentence] for sentence in found]
    return [
        ResultTable(
            f"table{number}-ranks",
            f"Average ranks (1 is best) over {len(results.sets)} sets, {TITLES[number]}",
            ["method", *READINGS.values()],
            rows,
            notes("ranks"),
            dict.fromkeys(READINGS.values(), ".4g"),
        ),
        ResultTable(
            f"table{number}-conclusions",
            f"Conclusions at {1 - ALPHA:.0%}, {TITLES[number]}",
            ["reading", "conclusion"],
            claims,
        ),
    ]


def diagram(results: Results, number: int) -> ResultFigure:
    """Return critical-difference diagrams, one per reading."""

    def draw(path: Path) -> None:
        with house_style():
            figure = new_figure(_WIDTH, _HEIGHT * len(READINGS))
            # The layout engine ignores names outside the axes.
            figure.set_layout_engine("constrained", h_pad=0.16, w_pad=0.1)
            axes = figure.subplots(len(READINGS), 1)
            for ax, (reading, title) in zip(axes, READINGS.items(), strict=True):
                table = frame(results, number, reading)
                plot_critical_difference(table, alpha=ALPHA, greater_is_better=True, ax=ax)
                ax.set_title(title, loc="left", pad=10, fontweight="bold")
            save_figure(figure, path)

    title = f"Critical differences at {1 - ALPHA:.0%}, {TITLES[number]}"
    return ResultFigure(f"table{number}-ranks", title, draw)


class Statement(NamedTuple):
    """A statement of the paper about pairs of methods."""

    text: str
    better: Sequence[str]
    worse: Sequence[str]
    on_all: bool = False  # whether the statement refers to all sets, or to most of them


def _tuned(*names: str) -> Sequence[str]:
    return tuple(f"{name}, label-tuned" for name in names)


_SEMI = Statement(
    "PESC, no matter which ensemble strategy, gains better performance than other multiobjective clustering "
    "algorithms on most data sets",
    PESC_ROWS,
    ("SRMOSC", "Semi-MOCK"),
)
STATEMENTS: dict[int, tuple[Statement, ...]] = {
    3: (
        Statement(
            "all three ensemble strategies outperform the other cluster ensembles",
            PESC_ROWS,
            ("MOGA(π,sep)", "CSPA"),
        ),
        Statement("PESC works better than SRMOSC on most data sets", PESC_ROWS, ("SRMOSC",)),
        Statement("PESC outperforms MOCK on most data sets", PESC_ROWS, ("MOCK",)),
    ),
    4: (
        Statement(
            "PESC outperforms the fully connected, mutual kNN and epsilon graphs on all data sets",
            PESC_ROWS,
            _tuned("full", "mutual kNN", "epsilon"),
            on_all=True,
        ),
        Statement("PESC performs better than kNN", PESC_ROWS, _tuned("kNN")),
    ),
    5: (_SEMI,),
    6: (_SEMI,),
}


def statements(results: Results, number: int) -> ResultTable:
    """Return the statements of the paper about pairs of methods, and whether they hold."""
    scores = ("accuracy_unlabelled", "accuracy") if LABELS[number] else ("accuracy",)
    rows: list[list[Value]] = []
    for statement in STATEMENTS[number]:
        for score in scores:
            for reading, title in READINGS.items():
                rows += _pairs(results, statement, score, reading, title, LABELS[number])
    return ResultTable(
        f"table{number}-statements",
        f"Statements of the paper about Table {number}, and results",
        ["statement", "score", "reading", "pair", "better on", "worse on", "mean difference", "verdict"],
        rows,
        notes("absent", "claims"),
        {"mean difference": "+.3f"},
    )


def _pairs(
    results: Results, statement: Statement, score: str, reading: str, title: str, labels: int
) -> list[list[Value]]:
    means = results.frame([*statement.better, *statement.worse], reading, score, labels)
    rows: list[list[Value]] = []
    verdicts: list[bool] = []
    score = score.replace("_", ", ")
    for better in statement.better:
        for worse in statement.worse:
            difference = (means[better] - means[worse]).round(12)
            wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
            verdicts.append(wins == len(means) if statement.on_all else 2 * wins > len(means))
            pair: list[Value] = [f"{better} > {worse}", wins, losses, float(difference.mean())]
            rows.append([statement.text, score, title, *pair, HOLDS[verdicts[-1]]])
    holding = f"{sum(verdicts)} of {len(verdicts)} pairs"
    summary: list[Value] = [statement.text, score, title, holding]
    summary += [None, None, None, HOLDS[all(verdicts)]]
    return [summary, *rows]


def _comparison(number: int, of: Sequence[Part]) -> Callable[[Settings], Pesc]:
    """Return the view of Table 3, 4, 5 or 6."""
    scores = ("accuracy_unlabelled", "accuracy") if LABELS[number] else ("accuracy",)

    def shown(results: Results) -> list[ResultTable]:
        found = [sets(results), *(by_set(results, number, score) for score in scores)]
        found.append(statements(results, number))
        # Tests require more than one set.
        if len(results.sets) > 1:
            found += tests(results, number)
        if number == 3:
            found.append(leakage(results, [one for one in results.sets if parts.is_sorted_too(one)]))
        return [*found, all_methods(results, number)]

    def drawn(results: Results) -> list[ResultFigure]:
        return [diagram(results, number)] if len(results.sets) > 1 else []

    view = View(f"table{number}", of, shown, drawn, LABELS[number], leakage=number == 3)
    return partial(Pesc, view=view)


table3, table4 = _comparison(3, parts.RIVALS), _comparison(4, parts.GRAPHS)
table5, table6 = _comparison(5, parts.SEMI_SUPERVISED), _comparison(6, parts.SEMI_SUPERVISED)


class Curve(NamedTuple):
    """Means and standard deviations over seeds along an axis."""

    name: str
    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]


def curves(results: Results, number: int, found: FlatSet) -> list[Curve]:
    """Return the curves of a figure on one set."""
    if number == 1:
        return [
            _curve(results, found, f"{title}, {name}", reading, "PESC_ES2", _settings(name))
            for reading, title in READINGS.items()
            for name in _VARIED
        ]
    if number == 2:
        return [
            _curve(results, found, title, reading, "PESC_ES2", {float(size): size for size in COURSE_SIZES})
            for reading, title in READINGS.items()
        ]
    if number == 3:
        return [_curve_course(results, found, title, reading, "") for reading, title in READINGS.items()]
    return [_curve_course(results, found, start, "paper", start) for start in STARTS]


def _curve(
    results: Results, found: FlatSet, name: str, reading: str, method: str, settings: dict[float, str]
) -> Curve:
    spreads = [
        results.spread(found, method, reading, "accuracy", setting=setting) for setting in settings.values()
    ]
    return _made(name, list(settings), spreads)


def _made(name: str, x: Sequence[float], spreads: Sequence[tuple[float, float]]) -> Curve:
    mean, std = np.array([tuple(spread) for spread in spreads]).T
    return Curve(name, np.array(x, dtype=float), mean, np.nan_to_num(std))


def _settings(name: str) -> dict[float, str]:
    """Return the settings by the probability that varies (crossover, if both vary)."""
    place = 1 if name == "p_c = 0.9" else 0
    return {
        pair[place]: f"{pair[0]:.1f} {pair[1]:.1f}" for pair in sorted(_VARIED[name], key=lambda p: p[place])
    }


def _curve_course(results: Results, found: FlatSet, name: str, reading: str, setting: str) -> Curve:
    stops = sorted(map(int, results.runs[results.runs["set"] == found.name]["method"].unique()))
    spreads = [results.spread(found, str(stop), reading, "accuracy", setting=setting) for stop in stops]
    return _made(name, stops, spreads)


def curve_table(results: Results, number: int) -> ResultTable:
    """Return the means of the curves, and the statements of the paper about them."""
    drawn = {found.name: curves(results, number, found) for found in results.sets}
    x = sorted({float(v) for all_curves in drawn.values() for curve in all_curves for v in curve.x})
    if number > 2:
        x = [v for v in x if v in _SHOWN or v == max(x)]
    rows: list[list[Value]] = []
    for name, all_curves in drawn.items():
        for curve in all_curves:
            at = dict(zip(curve.x.tolist(), curve.mean.tolist(), strict=True))
            rows.append([name, curve.name, *(at.get(v) for v in x), *_said(number, curve)])
    return ResultTable(
        f"figure{number}",
        f"Figure {number}: {_TITLES[number]}, {runs_of(results)}",
        ["set", "curve", *(f"{v:g}" for v in x), *_COLUMNS[number]],
        rows,
        (_STATEMENTS[number], *notes(*_NOTES[number])),
        {"change from 20": "+.3f", "change from 50": "+.3f"},
    )


def _said(number: int, curve: Curve) -> list[Value]:
    if number == 1:
        wanted = 0.1 if curve.name.endswith("p_c = 0.9") else 0.9
        reached = curve.mean[np.isclose(curve.x, wanted)][0]
        best = f"{curve.x[int(np.argmax(curve.mean))]:g}"
        return [best, "holds" if reached >= curve.mean.max() - 0.01 else "does not hold"]
    if number == 4:
        near = np.abs(curve.mean - curve.mean[-1]) < 0.02
        return [f"{curve.x[len(near) - int(np.argmin(near[::-1])) if not near.all() else 0]:g}"]
    start = 50 if number == 2 else 20
    later = curve.mean[curve.x >= min(start, curve.x[-1])]
    holds = np.abs(later - later[0]).max() < 0.02
    return [float(later[-1] - later[0]), "holds" if holds else "does not hold"]


def curve_drawing(results: Results, number: int) -> ResultFigure:
    """Draw one panel per set."""
    title = f"Figure {number}: {_TITLES[number]}"
    return ResultFigure(f"figure{number}", title, partial(_draw_curves, results, number))


def _draw_curves(results: Results, number: int, path: Path) -> None:
    with house_style():
        figure = new_figure(5.0 * len(results.sets), 4.4)
        axes = figure.subplots(1, len(results.sets), squeeze=False)[0]
        for ax, found in zip(axes, results.sets, strict=True):
            drawn = curves(results, number, found)
            for i, curve in enumerate(drawn):
                look = look_of(i)
                few = len(curve.x) < 15
                ax.plot(
                    curve.x, curve.mean, color=look.color, marker=look.marker if few else None, markersize=4.0
                )
                ax.fill_between(
                    curve.x,
                    curve.mean - curve.std,
                    curve.mean + curve.std,
                    color=look.color,
                    alpha=0.12,
                    lw=0,
                )
            ax.set_title(f"{found.name} ({len(found.X)})", loc="left")
            ax.set_xlabel(AXES[number])
        axes[0].set_ylabel("accuracy (mean and standard deviation)")
        names = [curve.name for curve in curves(results, number, results.sets[0])]
        lines = axes[0].get_lines()
        figure.legend(lines, names, loc="outside lower center", ncols=min(3, len(names)))
        save_figure(figure, path)


def _curves(number: int, part: Part) -> Callable[[Settings], Pesc]:
    """Return the view of Figure 1, 2, 3 or 4."""
    view = View(
        f"figure{number}",
        [part],
        lambda results: [curve_table(results, number)],
        lambda results: [curve_drawing(results, number)],
        sets=("wine", "balance_scale", "waveform"),
    )
    return partial(Pesc, view=view)


figure1, figure2 = _curves(1, parts.PROBABILITIES), _curves(2, parts.SIZES)
figure3, figure4 = _curves(3, parts.COURSE), _curves(4, parts.LONG_COURSE)


def matrix_table(results: Results) -> ResultTable:
    """Return sparsity and weights of the graphs, and the share of their edges within classes."""
    rows: list[list[Value]] = []
    for found in results.sets:
        n = len(found.X)
        for name, row in pictures(results, found).items():
            graph = row["graph"]
            weights = np.array(graph["weights"])
            same = found.classes[graph["rows"]] == found.classes[graph["columns"]]
            within = float(same.mean()) if len(same) else None
            density = 2 * len(weights) / (n * (n - 1))
            inner = float(np.median(weights)) if len(weights) else None
            rows.append([found.name, name, row["accuracy"], density, within, inner])
        pairs = found.classes[:, None] == found.classes
        chance = float((pairs.sum() - n) / (n * (n - 1)))
        rows.append([found.name, "all pairs", None, 1.0, chance, None])
    return ResultTable(
        "figure5",
        "Figure 5: similarity graphs",
        ["set", "graph", "accuracy", "share of pairs linked", "links within classes", "median weight"],
        rows,
        (
            "The paper: the three ensembles yield sparse matrices that cluster well, with links mostly "
            "within classes. The weights of ES1 are lower than those of ES2 and ES3. Of the conventional "
            "graphs, only kNN separates the classes.",
            *notes("pictures"),
        ),
        {"median weight": ".3g"},
    )


def pictures(results: Results, found: FlatSet) -> dict[str, dict[str, Any]]:
    """Return the rows of a set's cells that contain a graph."""
    return {
        name: row
        for key, value in results.values
        if key["set"] == found.name
        for name, row in value.items()
        if "graph" in row
    }


def drawings(results: Results) -> list[ResultFigure]:
    """Return one figure per set."""
    return [
        ResultFigure(
            f"figure5-{found.name}",
            f"Figure 5: similarity matrices, eigenvalues and eigenvectors, {found.name}",
            partial(_draw_matrices, results, found),
        )
        for found in results.sets
    ]


def _draw_matrices(results: Results, found: FlatSet, path: Path) -> None:
    shown = pictures(results, found)
    with house_style():
        figure = new_figure(12.0, 3.1 * len(shown))
        grid = figure.add_gridspec(len(shown), 3, width_ratios=[1.0, 0.8, 1.4])
        for i, (name, row) in enumerate(shown.items()):
            graph = row["graph"]
            data = similarity_data(
                similarity(graph, len(found.X)), found.classes, graph["eigenvalues"], graph["vectors"]
            )
            axes = [figure.add_subplot(grid[i, j]) for j in range(3)]
            for ax, draw in zip(axes, (_draw_matrix, _draw_eigenvalues, _draw_vectors), strict=True):
                draw(ax, data)
                ax.set_xlabel("")
            legend = axes[2].get_legend()
            if legend is not None and i + 1 < len(shown):
                legend.remove()
            axes[0].set_title(f"{name}, accuracy {row['accuracy']:.3f}")
        save_figure(figure, path)


def similarity(graph: dict[str, Any], n_samples: int) -> sp.csr_array:
    """Return the symmetric matrix of a stored graph."""
    ends = (graph["rows"], graph["columns"])
    upper = sp.coo_array((graph["weights"], ends), shape=(n_samples, n_samples)).tocsr()
    return sp.csr_array(upper + upper.T)


figure5 = partial(
    Pesc,
    view=View(
        "figure5",
        [parts.PICTURE],
        lambda results: [matrix_table(results)],
        drawings,
        sets=("wine",),
        one_seed=True,
    ),
)


def times_table(results: Results) -> ResultTable:
    """Return mean seconds by set and reading."""
    rows: list[list[Value]] = [
        [found.name, title, *(results.spread(found, one, reading, "seconds").mean for one in SHOWN)]
        for found in results.sets
        for reading, title in READINGS.items()
    ]
    for reading, title in READINGS.items():
        rows.append(["geometric mean", title, *(seconds_of(results, one, reading) for one in SHOWN)])
    return ResultTable(
        "figure6",
        f"Figure 6: seconds of a fit, {runs_of(results)}",
        ["set", "reading", *SHOWN],
        rows,
        notes("seconds", "bars"),
    )


def seconds_of(results: Results, method: str, reading: str) -> float:
    """Return the geometric mean over the sets of the mean seconds of a method."""
    seconds = [results.spread(one, method, reading, "seconds").mean for one in results.sets]
    return float(np.exp(np.mean(np.log(np.maximum(seconds, 1e-9)))))


def times_drawing(results: Results) -> ResultFigure:
    """Draw bars on a logarithmic scale."""
    return ResultFigure("figure6", "Figure 6: seconds of a fit", partial(_draw_times, results))


def _draw_times(results: Results, path: Path) -> None:
    with house_style():
        figure = new_figure(10.0, 5.4)
        ax = figure.add_subplot()
        width = 0.4
        for i, (reading, title) in enumerate(READINGS.items()):
            places, look = np.arange(len(SHOWN)) + (i - 0.5) * width, look_of(i)
            means = [seconds_of(results, one, reading) for one in SHOWN]
            ax.bar(places, means, width, color=look.color, alpha=0.7, label=title)
            for found in results.sets:
                seconds = [results.spread(found, one, reading, "seconds").mean for one in SHOWN]
                ax.plot(places, seconds, ".", color="0.25", markersize=2.5)
        ax.set_yscale("log")
        ax.set_ylabel("seconds")
        ax.set_xticks(np.arange(len(SHOWN)), SHOWN, rotation=55, ha="right", rotation_mode="anchor")
        ax.legend(loc="upper right")
        save_figure(figure, path)


def times(results: Results) -> ResultTable:
    """Return the statements of the paper about times, as ratios of seconds."""
    rows: list[list[Value]] = []
    for reading, title in READINGS.items():
        for text, longer, shorter in (*_TIMES, _ALIKE):
            for one in longer:
                for other in shorter:
                    ratio = seconds_of(results, one, reading) / seconds_of(results, other, reading)
                    # Two methods are equally fast if neither takes more than three times as long.
                    holds = 1 / 3 <= ratio <= 3 if text == _ALIKE[0] else ratio > 1
                    rows.append([text, title, f"{one} : {other}", ratio, HOLDS[bool(holds)]])
    return ResultTable(
        "figure6-statements",
        "Statements of the paper about Figure 6, and results",
        ["statement", "reading", "seconds of", "ratio", "verdict"],
        rows,
        ("Ratios of geometric means over the sets. About as long: neither takes three times as long.",),
        {"ratio": ".2f"},
    )


figure6 = partial(
    Pesc,
    view=View(
        "figure6",
        [*parts.RIVALS, *(part for part in parts.GRAPHS if part not in parts.RIVALS)],
        lambda results: [times_table(results), times(results)],
        lambda results: [times_drawing(results)],
    ),
)
