"""ParetoClustering and its rivals: the experiment, its results, tables and published means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from moo_clustering.stats import average_ranks, friedman, shaffer_static
from papers.flagship import AMOUNTS, BLOCKS, EVOLUTION, FRACTIONS, MOST_ROWS, N_RUNS, Task, run_task
from papers.flagship_sets import (
    BOUNDS,
    CONSENSUS,
    CONSTRAINED,
    CONTROL,
    EVIDENCE,
    EVOLVED,
    FLAGSHIP,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
    FREE_SHARE,
    K_MEANS,
    KINDS,
    KNOWN,
    LOGISTIC,
    MINIMAX,
    MODULARITY,
    ORACLE,
    PLAIN_KNOWN,
    PLAIN_UNKNOWN,
    SELECT,
    SPREADING,
    UNKNOWN,
    ClassedSet,
    Skipped,
    load_suite,
)
from papers.flagship_sets import (
    MOST_ROWS as MOST_ROWS_OF_ALL,
)
from papers.runner import Key, ResultTable, Settings, Value, WithoutFigures, check_names

# Smaller differences count as ties.
_EQUAL = 1e-9
ALPHA = 0.05
NOTES = {
    "protocol": (
        "At most 1500 rows of every set are used, shuffled once (seed 0). Shapes are divided by one standard "
        "deviation, features of tables are standardised, and texts are 50 components of tf-idf in "
        "unit-length rows. Points that are noise in the reference are clustered, but not scored and never "
        "labelled."
    ),
    "topics": (
        "It is not known to which newsgroups and OHSUMED classes the published means refer. The five and ten "
        "groups and the five classes here are our choice; the eight topics of Reuters are those of R8."
    ),
    "published": (
        "published: means of the 39 development sets, on which the method was chosen. They are not "
        "comparable with the means over other sets."
    ),
    "means": (
        "flagship - it: mean paired difference over the common sets, ± its standard error over the sets. ± "
        "draws: standard deviation over the draws of the mean over the sets; without labels, draws are seeds "
        "of the clusterers. Seconds refer to one process; empty cells mean that the pool took most of the "
        "time."
    ),
    "kinds": (
        "Kinds: coordinates in two or three dimensions (shapes), tables, texts, digits, other files, and "
        "fourteen kinds of generated sets."
    ),
    "by-kind": (
        "The best other method is selected for each kind by its mean there, which favours it. others: the "
        "difference from the method that is best over all sets, without the sets of this kind; it shows "
        "whether the result depends on one kind."
    ),
    "unsupervised": (
        "Rivals select k from the grid of the flagship, on the partitions of their family in its pool. The "
        "oracle and random labels are bounds: the best by the classes, and chance."
    ),
    "known": "Rivals are members of the pool at the number of classes; k-means is the best of ten starts.",
    "labels": (
        "max(1, round(fraction n_c)) labels of every class c; samples without a label are scored. Spreading "
        "uses .9 instead of the usual .99, which is worse; spreading, propagation and constrained "
        "spectral clustering use the flagship's graph."
    ),
    "novel": (
        "Half of the classes, rounded down and drawn for every repetition, have no label, on sets with at "
        "least three classes. Constrained spectral clustering and k-means receive the true number of "
        "clusters."
    ),
    "pairs": (
        "At most 800 rows are used. Pairs are uniform among 70% of the samples, and the ARI refers to "
        "samples in no pair. All methods except flagship and unsupervised flagship, k unknown, receive the "
        "true number of clusters. Flipped pairs are passed as uncertain (pairs='soft'). The published sets "
        "were 18, two of them composites of shapes that are not included here."
    ),
    "evolution": (
        "evolved - control is the contribution of evolution. random survival: the same operators and "
        "evaluations with random survival. A benefit that this control also shows is not due to selection. "
        "Published: evolved - pool alone +.003 ± .006 with k unknown, .000 ± .014 with k known, over 39 "
        "sets."
    ),
    "families": (
        "Partitions of the other method (all valid partitions of a front) join the pool as a family and are "
        "selected like others. PESC and EnsembleNMF receive the number of clusters that the flagship found."
    ),
    "ranks": "Ranks refer to the sets on which all methods of the block have a score, without the bounds.",
    "losses": "Methods ahead of the flagship by more than .05 ARI, in the mean over several settings.",
    "confidence": (
        "confidence: the expected ARI of the result, by a model that was estimated on these and other sets; "
        "`python -m papers flagship-confidence` evaluates it on left-out sets."
    ),
}
Figures = Mapping[str, tuple[float, ...]]
# ARI; if published, also AMI and the ARI on shapes, UCI tables, texts and digits.
_UNKNOWN: Figures = {
    MINIMAX: (0.622,),
    MODULARITY: (0.606, 0.654, 0.872, 0.437, 0.376, 0.742),
    "Genie + minimax silhouette": (0.502, 0.572, 0.816, 0.287, 0.316, 0.619),
    "k-means + silhouette": (0.500, 0.571, 0.616, 0.448, 0.277, 0.649),
    "HDBSCAN": (0.486, 0.551, 0.828, 0.236, 0.322, 0.777),
    "Genie + silhouette": (0.481, 0.569, 0.654, 0.372, 0.269, 0.817),
    "Ward + silhouette": (0.479, 0.547, 0.637, 0.400, 0.203, 0.708),
    "GMM + silhouette": (0.476, 0.545, 0.618, 0.386, 0.337, 0.598),
    "spectral kNN + silhouette": (0.476, 0.566, 0.683, 0.353, 0.214, 0.758),
    "spectral kNN + eigengap": (0.380, 0.530, 0.420, 0.331, 0.344, 0.836),
    "agreement only": (0.555, 0.625, 0.807, 0.396, 0.314, 0.742),
    ORACLE: (0.724, 0.725, 0.978, 0.551, 0.565, 0.861),
}
_KNOWN: Figures = {
    CONSENSUS: (0.661, 0.685, 0.943, 0.461, 0.509, 0.832),
    SELECT: (0.646, 0.669, 0.941, 0.438, 0.504, 0.742),
    "graph agglomeration": (0.573, 0.619, 0.873, 0.370, 0.371, 0.742),
    "spectral kNN": (0.570, 0.619, 0.831, 0.385, 0.430, 0.758),
    "Genie": (0.559, 0.608, 0.832, 0.356, 0.440, 0.779),
    K_MEANS: (0.523, 0.557, 0.636, 0.434, 0.485, 0.667),
    "GMM": (0.517, 0.563, 0.623, 0.445, 0.442, 0.584),
    "Ward": (0.492, 0.543, 0.640, 0.403, 0.297, 0.732),
}
# ARI with 1, 2, 5, 10% labels.
_LABELS: Figures = {
    FLAGSHIP: (0.669, 0.713, 0.750, 0.772),
    "pool kernel alone": (0.670, 0.707, 0.738, 0.759),
    EVIDENCE: (0.591, 0.649, 0.661, 0.643),
    "best partition by evidence + 20 s": (0.635, 0.650, 0.663, 0.670),
    SPREADING: (0.621, 0.668, 0.722, 0.742),
    "label propagation": (0.577, 0.640, 0.706, 0.743),
    "1-NN": (0.514, 0.576, 0.660, 0.692),
    CONSTRAINED: (0.574, 0.590, 0.613, 0.633),
    "PCKMeans": (0.542, 0.560, 0.580, 0.592),
    "seeded k-means": (0.542, 0.560, 0.580, 0.592),
    LOGISTIC: (0.444, 0.516, 0.603, 0.640),
    K_MEANS: (0.523, 0.523, 0.522, 0.524),
}
# ARI with 2, 5, 10% labels of half of the classes.
_NOVEL: Figures = {
    FLAGSHIP_UNKNOWN: (0.694, 0.707, 0.713),
    FLAGSHIP_KNOWN: (0.719, 0.724, 0.740),
    PLAIN_UNKNOWN: (0.655, 0.655, 0.655),
    PLAIN_KNOWN: (0.703, 0.703, 0.705),
    CONSTRAINED: (0.658, 0.676, 0.695),
    K_MEANS: (0.619, 0.619, 0.619),
    EVIDENCE: (0.580, 0.594, 0.612),
    SPREADING: (0.408, 0.435, 0.440),
    LOGISTIC: (0.313, 0.347, 0.372),
}
# ARI of samples in no pair, with .1, .5, 1, 2 correct pairs per sample; then the means, correct and with 10%
# flipped.
_PAIRS: Figures = {
    FLAGSHIP_UNKNOWN: (0.717, 0.771, 0.795, 0.793, 0.769, 0.753),
    FLAGSHIP_KNOWN: (0.729, 0.803, 0.833, 0.842, 0.802, 0.773),
    PLAIN_UNKNOWN: (0.574, 0.563, 0.553, 0.557, 0.562, 0.570),
    "pairs propagated on the graph alone": (0.688, 0.781, 0.816, 0.840, 0.781, 0.706),
    CONSTRAINED: (0.629, 0.723, 0.750, 0.779, 0.720, 0.677),
    "HMRFKMeans": (0.515, 0.537, 0.571, 0.596, 0.555, 0.548),
    "PCKMeans": (0.516, 0.543, 0.569, 0.592, 0.555, 0.542),
    K_MEANS: (0.585, 0.572, 0.562, 0.560, 0.570, 0.585),
}
# Block, score, kind of sets ("" for all), setting, method.
Place = tuple[str, str, str, str, str]
# The method with which all others are compared, by block.
REFERENCE = {
    "unsupervised": FLAGSHIP,
    "known": CONSENSUS,
    "labels": FLAGSHIP,
    "novel": FLAGSHIP_UNKNOWN,
    "pairs": FLAGSHIP_KNOWN,
    "evolution": EVOLVED,
    "families": FLAGSHIP,
}
# A second reference method, for blocks with two results.
SECOND = {"novel": FLAGSHIP_KNOWN, "pairs": FLAGSHIP_UNKNOWN, "evolution": CONTROL}
# Parts and variants of the flagship, which are not rivals.
OWN = {
    *(FLAGSHIP, FLAGSHIP_UNKNOWN, FLAGSHIP_KNOWN, PLAIN_UNKNOWN, PLAIN_KNOWN, MODULARITY, CONSENSUS, SELECT),
    *("agreement only", "Genie + minimax silhouette", "pool kernel alone", EVIDENCE),
    *("best partition by evidence + 20 s", "pairs propagated on the graph alone"),
}
_SCORES = ("ari", "ami", "ari_all", "ami_all", "k", "seconds")
MEAN = "mean"
_LEVELS = ((0.0, 0.4), (0.4, 0.6), (0.6, 1.0))


class Flagship(WithoutFigures):
    """ParetoClustering and its rivals on every data set with classes in a folder.

    Raises a ValueError if a set or block is unknown, and a DataError if there is no set. Source:
    ParetoClustering: agreement of algorithm families.

    Parameters
    ----------
    settings : Settings
        ``seeds`` are repetitions: seeds of clusterers, and draws of labels and pairs. ``sets`` are names of
        sets, and ``blocks`` names of questions: "unsupervised", "known", "labels", "novel", "pairs",
        "evolution", "families".
    """

    def __init__(self, settings: Settings) -> None:
        check_names("blocks", settings.blocks, BLOCKS)
        suite = load_suite(settings.data, settings.sets)
        self._sets = {one.name: one for one in suite.sets}
        self._skipped = suite.skipped
        # Exclude the sets, blocks and draws, so that a run with more of them can use the same folder.
        self.parameters: dict[str, Any] = {
            "rows": [MOST_ROWS_OF_ALL, MOST_ROWS],
            "fractions": FRACTIONS,
            "pairs": AMOUNTS,
            "free": FREE_SHARE,
            "evolution": EVOLUTION,
            "nmf_runs": N_RUNS,
        }
        # The blocks of a set are adjacent, and share its fit within a process.
        self.cells: list[Key] = [
            {
                "set": one.name,
                "data": one.identity,
                "block": name,
                "draws": settings.seeds if block.has_draws else 1,
            }
            for one in suite.sets
            for name, block in BLOCKS.items()
            if name in (settings.blocks or BLOCKS) and one.n_classes >= block.least_classes
        ]

    def data(self, key: Key) -> Task:
        """Return the set and the question."""
        return Task(self._sets[str(key["set"])], str(key["block"]), int(key["draws"]))

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Return scores, costs and errors of all methods."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return all scores, then means, ranks, losses, confidence, sets, costs and failures."""
        results = Results(list(self._sets.values()), self._skipped, self.cells, values)
        runs = results.runs.astype(object)
        everything = ResultTable(
            "scores", "Scores", [*map(str, runs.columns)], runs.where(runs.notna(), None).values.tolist()
        )
        tables = [means(results, block) for block in results.blocks]
        tables.append(by_kind(results))
        if (ranks := ranks_table(results)) is not None:
            tables.append(ranks)
        if results.blocks:
            tables.append(losses(results))
        if "unsupervised" in results.blocks:
            tables += confidence(results)
        tables += [by_set(results, block) for block in results.blocks]
        tables += [costs(results), sets(results)]
        if results.skipped:
            tables.append(skipped(results))
        if results.errors:
            tables.append(failures(results))
        return [everything, *tables]


class Results:
    """Scores of all runs.

    Parameters
    ----------
    sets : sequence of ClassedSet
    skipped : sequence of Skipped
        Skipped files.
    cells, values : sequences of equal length
        Keys and values of the store.

    Attributes
    ----------
    runs : DataFrame
        A row per set, block, setting, draw and method; NaN if the method failed.
    errors : list of (set, block, run, text)
    facts : dict of (set, block) to mapping
    seconds : dict of (set, block) to float
        Seconds of the whole cells.
    """

    def __init__(
        self,
        sets: Sequence[ClassedSet],
        skipped: Sequence[Skipped],
        cells: Sequence[Key],
        values: Sequence[Mapping[str, Any]],
    ) -> None:
        self.sets, self.skipped = list(sets), list(skipped)
        self.kinds = {one.name: one.kind for one in self.sets}
        self.facts: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.errors: list[tuple[str, str, str, str]] = []
        self.seconds: dict[tuple[str, str], float] = {}
        rows: list[dict[str, Any]] = []
        for key, value in zip(cells, values, strict=True):
            name, block = str(key["set"]), str(key["block"])
            self.facts[name, block] = value["facts"]
            self.seconds[name, block] = value["seconds"]
            if "error" in value:
                self.errors.append((name, block, "all", value["error"]))
            for row in value["rows"]:
                if "error" in row:
                    where = f"{row['setting']}, draw {row['draw']}: {row['method']}"
                    self.errors.append((name, block, where, row["error"]))
                rows.append({"set": name, "kind": self.kinds[name], "block": block, **row})
        columns = ["set", "kind", "block", "setting", "draw", "method", *_SCORES]
        self.runs = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(_SCORES, float))
        # Mean over the draws that did not fail.
        keys = ["block", "setting", "method", "set"]
        self._means = self.runs.groupby(keys)[list(_SCORES)].mean().sort_index()

    @property
    def blocks(self) -> list[str]:
        """Blocks with runs."""
        return list(dict.fromkeys(self.runs["block"]))

    def settings(self, block: str) -> list[str]:
        """Settings of a block, and their mean if there are several."""
        found = list(dict.fromkeys(self.runs.loc[self.runs["block"] == block, "setting"]))
        if block == "pairs":
            kinds = list(dict.fromkeys(one.split(", ", 1)[1] for one in found))
            return [*found, *(f"{MEAN}, {kind}" for kind in kinds)]
        return [*found, MEAN] if block in ("labels", "novel") and len(found) > 1 else found

    def main_settings(self, block: str) -> list[str]:
        """Settings that represent a block: the mean if there is one, else all."""
        found = self.settings(block)
        return [setting for setting in found if setting.startswith(MEAN)] or found

    def methods(self, block: str, *, bounds: bool = True) -> list[str]:
        """Return the methods of a block, optionally without the bounds."""
        found = list(dict.fromkeys(self.runs.loc[self.runs["block"] == block, "method"]))
        return found if bounds else [name for name in found if name not in BOUNDS]

    def frame(self, block: str, setting: str, score: str = "ari") -> pd.DataFrame:
        """Return the scores of the methods (columns) on the sets (rows), NaN for missing scores."""
        if setting.startswith(MEAN):
            suffix = setting.removeprefix(MEAN)
            parts = [
                self.frame(block, one, score)
                for one in self.settings(block)
                if not one.startswith(MEAN) and one.endswith(suffix)
            ]
            # A set without a score in some setting has no mean.
            names = [one.name for one in self.sets if any(one.name in part.index for part in parts)]
            values = np.stack([part.reindex(index=names).to_numpy() for part in parts]).mean(axis=0)
            return pd.DataFrame(values, index=names, columns=self.methods(block))
        found: pd.DataFrame = self._means.xs((block, setting))[score].unstack("method")
        names = [one.name for one in self.sets if one.name in found.index]
        return found.reindex(index=names, columns=self.methods(block))

    def spread(self, block: str, setting: str, method: str) -> float | None:
        """Return the standard deviation over draws of the mean ARI over sets; None without repetitions."""
        runs = self.runs[(self.runs["block"] == block) & (self.runs["method"] == method)]
        if setting.startswith(MEAN):
            runs = runs[runs["setting"].str.endswith(setting.removeprefix(MEAN))]
        else:
            runs = runs[runs["setting"] == setting]
        # Only sets that have a score in all draws and settings.
        table = runs.pivot_table(index="set", columns=["draw", "setting"], values="ari").dropna()
        by_draw = table.T.groupby(level="draw").mean().mean(axis=1)
        return float(by_draw.std(ddof=1)) if len(by_draw) > 1 else None


def sets(results: Results) -> ResultTable:
    """Return the data sets and their properties."""
    rows: list[list[Value]] = [
        [one.name, KINDS[one.kind], *one.table.shape, one.n_classes, one.n_noise, one.scale, one.note]
        for one in results.sets
    ]
    return ResultTable(
        "sets",
        "Sets",
        ["set", "kind", "rows", "features", "classes", "noise", "scale", "note"],
        rows,
        notes("protocol", *(["topics"] if "t" in results.kinds.values() else []), "kinds"),
    )


def notes(*names: str) -> Sequence[str]:
    """Return notes below the tables, by name."""
    return tuple(NOTES[name] for name in names)


def skipped(results: Results) -> ResultTable:
    """Return the skipped files."""
    rows: list[list[Value]] = [[one.file, one.reason] for one in results.skipped]
    return ResultTable("skipped", "Skipped files", ["file", "reason"], rows)


def means(results: Results, block: str) -> ResultTable:
    """Return the means of every method over all sets and by kind, published means, and paired differences."""
    kinds = [kind for kind in KINDS if kind in results.kinds.values()]
    references = [REFERENCE[block], *([SECOND[block]] if block in SECOND else [])]
    rows: list[list[Value]] = []
    for setting in results.settings(block):
        frame, ami = (results.frame(block, setting, score) for score in ("ari", "ami"))
        whole = results.frame(block, setting, "ari_all") if block == "pairs" else None
        for method in frame.columns:
            scores = frame[method]
            if scores.isna().all():
                continue
            row: list[Value] = [setting, method, int(scores.notna().sum())]
            row += [
                _mean(scores),
                results.spread(block, setting, method),
                PUBLISHED.get((block, "ari", "", setting, method)),
                _mean(ami[method]),
            ]
            row.append(PUBLISHED.get((block, "ami", "", setting, method)))
            if whole is not None:
                row.append(_mean(whole[method]))
            of_kind = [results.kinds[str(name)] for name in frame.index]
            for kind in kinds:
                here = scores[[one == kind for one in of_kind]]
                row.append(_mean(here))
                row.append(PUBLISHED.get((block, "ari", kind, setting, method)))
            for reference in references:
                row += _paired(frame[reference] - scores) if method != reference else [None, None, None]
            seconds = results.frame(block, setting, "seconds")[method]
            rows.append([*row, _mean(seconds)])
    whole_column = ["ARI of all"] if block == "pairs" else []
    columns = [
        "setting",
        "method",
        "sets",
        "ARI",
        "± draws",
        "published",
        "AMI",
        "published AMI",
        *whole_column,
    ]
    for kind in kinds:
        columns += [f"ARI {KINDS[kind]}", f"published {KINDS[kind]}"]
    for reference in references:
        columns += [f"{reference} - it", f"± {reference}", f"better/equal/worse {reference}"]
    table = ResultTable(
        f"{block}-means",
        f"{BLOCKS[block].title}: means over the sets",
        [*columns, "seconds"],
        rows,
        notes(
            *(["published"] if any(place[0] == block for place in PUBLISHED) else []), "means", "kinds", block
        ),
        {f"{reference} - it": "+.3f" for reference in references} | {"seconds": ".2f"},
    )
    return _without_empty(table)


def _mean(values: pd.Series[float]) -> float | None:
    return float(values.mean()) if values.notna().any() else None


def _published() -> dict[Place, float]:
    found: dict[Place, float] = {}
    for block, setting, figures in (("unsupervised", UNKNOWN, _UNKNOWN), ("known", KNOWN, _KNOWN)):
        for method, values in figures.items():
            columns = [("ari", ""), ("ami", ""), *(("ari", kind) for kind in "sutd")]
            for (score, kind), value in zip(columns, values, strict=False):
                found[block, score, kind, setting, method] = value
    amounts = [f"{amount}, right" for amount in (".1 n", ".5 n", "1 n", "2 n")]
    for block, settings, figures in (
        ("labels", ["1 %", "2 %", "5 %", "10 %"], _LABELS),
        ("novel", ["2 %", "5 %", "10 %"], _NOVEL),
        ("pairs", [*amounts, "mean, right", "mean, 10 % flipped"], _PAIRS),
    ):
        for method, values in figures.items():
            for setting, value in zip(settings, values, strict=True):
                found[block, "ari", "", setting, method] = value
            if block != "pairs":
                found[block, "ari", "", "mean", method] = sum(values) / len(values)
    return found


PUBLISHED = _published()


def _paired(differences: pd.Series[float]) -> list[Value]:
    found = differences.dropna().to_numpy(dtype=float)
    if not len(found):
        return [None, None, None]
    error = float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None
    better, worse = int((found > _EQUAL).sum()), int((found < -_EQUAL).sum())
    return [float(found.mean()), error, f"{better}/{len(found) - better - worse}/{worse}"]


def _without_empty(table: ResultTable) -> ResultTable:
    """Return the table without empty columns."""
    kept = [
        i for i, name in enumerate(table.columns) if any(row[i] is not None for row in table.rows) or i < 4
    ]
    rows = [[row[i] for i in kept] for row in table.rows]
    columns = [table.columns[i] for i in kept]
    return ResultTable(table.name, table.title, columns, rows, table.notes, table.formats)


def ranks_table(results: Results) -> ResultTable | None:
    """Return mean ranks, Friedman's test and Shaffer's tests against the flagship; None for a single set."""
    rows: list[list[Value]] = []
    for block in results.blocks:
        for setting in results.main_settings(block):
            found = [kind for kind in KINDS if kind in results.kinds.values()]
            for kind in ("", *found) if len(found) > 1 else ("",):
                rows += _ranked(results, block, setting, kind)
    if not rows:
        return None
    return ResultTable(
        "ranks",
        "Mean ranks (1 is best), and tests against the flagship",
        [
            "block",
            "setting",
            "kind",
            "sets",
            "p of Friedman's test",
            "method",
            "mean rank",
            "adjusted p (Shaffer)",
        ],
        rows,
        notes("ranks"),
        {"p of Friedman's test": ".2g", "mean rank": ".2f", "adjusted p (Shaffer)": ".2g"},
    )


def _ranked(results: Results, block: str, setting: str, kind: str) -> list[list[Value]]:
    """Return the ranks over the sets of a kind, or over all sets for ""."""
    frame = results.frame(block, setting)[results.methods(block, bounds=False)]
    frame = frame[[not kind or results.kinds[str(name)] == kind for name in frame.index]]
    # Omit methods that failed everywhere, and then sets on which a method failed.
    frame = frame.dropna(axis=1, how="all").dropna(axis=0)
    reference = REFERENCE[block]
    if len(frame) < 2 or frame.shape[1] < 3 or reference not in frame.columns:
        return []
    averages = average_ranks(frame, greater_is_better=True)
    test = friedman(frame, greater_is_better=True)
    pairs = shaffer_static(frame, greater_is_better=True, alpha=ALPHA)
    p_of = {frozenset((str(a), str(b))): float(p) for a, b, p in _adjusted(pairs)}
    rows: list[list[Value]] = []
    for name, rank in averages.sort_values(kind="stable").items():
        p = None if name == reference else p_of[frozenset((str(name), reference))]
        place = KINDS[kind] if kind else "all"
        rows.append([block, setting, place, len(frame), float(test.p_value), str(name), float(rank), p])
    return rows


def _adjusted(pairs: pd.DataFrame) -> list[tuple[str, str, float]]:
    return list(pairs[["method_1", "method_2", "p_adjusted"]].itertuples(index=False, name=None))


def losses(results: Results) -> ResultTable:
    """Return the sets on which another method is clearly ahead."""
    rows: list[list[Value]] = []
    for block in results.blocks:
        for setting in results.main_settings(block):
            frame = results.frame(block, setting)[results.methods(block, bounds=False)]
            reference = frame[REFERENCE[block]]
            for name in frame.index:
                ahead = (frame.loc[name] - reference[name]).drop(REFERENCE[block])
                ahead = ahead[ahead > 0.05].sort_values(ascending=False, kind="stable")
                if len(ahead):
                    rivals = ", ".join(f"{rival} +{value:.2f}" for rival, value in ahead.items())
                    kind = KINDS[results.kinds[str(name)]]
                    rows.append([block, setting, kind, str(name), float(reference[name]), rivals])
    return ResultTable(
        "losses",
        "Sets on which another method is ahead of the flagship",
        ["block", "setting", "kind", "set", "ARI", "ahead of it"],
        rows,
        notes("losses"),
    )


def confidence(results: Results) -> list[ResultTable]:
    """Return confidence and ARI, by level of confidence and by set."""
    frame = results.frame("unsupervised", UNKNOWN)
    reached, best = (frame[name].to_dict() for name in (FLAGSHIP, ORACLE))
    found = [
        (name, float(facts["confidence"]), float(reached[name]))
        for (name, block), facts in results.facts.items()
        if block == "unsupervised" and not np.isnan(facts.get("confidence", np.nan))
    ]
    found.sort(key=lambda one: one[1])
    levels, scores = np.array([one[1] for one in found]), np.array([one[2] for one in found])
    rows: list[list[Value]] = []
    for low, high in _LEVELS:
        # The limits belong to the middle level.
        here = scores[(levels > low if low == _LEVELS[2][0] else levels >= low) & _up_to(levels, high)]
        if len(here):
            quantiles = [float(value) for value in np.quantile(here, [0, 0.5, 1])]
            rows.append([f"{low:g} to {high:g}", len(here), *quantiles, float(here.mean())])
    correlated = len(set(levels)) > 1 and len(set(scores)) > 1
    correlation = float(spearmanr(levels, scores).statistic) if correlated else float("nan")
    listed: list[list[Value]] = []
    for name, level, score in found:
        numbers = sorted(set(results.facts[name, "unsupervised"]["n_clusters"]))
        classes = next(one.n_classes for one in results.sets if one.name == name)
        kind = KINDS[results.kinds[name]]
        listed.append([name, kind, level, score, float(best[name]), " ".join(map(str, numbers)), classes])
    return [
        ResultTable(
            "confidence",
            f"Confidence and ARI, k unknown: rank correlation {correlation:.2f} over {len(found)} sets",
            ["confidence", "sets", "least ARI", "median ARI", "greatest ARI", "mean ARI"],
            rows,
            notes("confidence"),
        ),
        ResultTable(
            "confidence-sets",
            "Confidence and ARI by set, k unknown",
            ["set", "kind", "confidence", "ARI", "ARI of the oracle", "clusters", "classes"],
            listed,
        ),
    ]


def _up_to(levels: NDArray[np.float64], high: float) -> NDArray[np.bool_]:
    below: NDArray[np.bool_] = levels < high if high == _LEVELS[0][1] else levels <= high
    return below


def by_kind(results: Results) -> ResultTable:
    """Compare the flagship with the best other method on every kind of data."""
    rows: list[list[Value]] = []
    group_of = {one.name: one.note if one.kind == "g" else KINDS[one.kind] for one in results.sets}
    for block in (one for one in results.blocks if one not in ("evolution", "families")):
        for setting in results.main_settings(block):
            frame = results.frame(block, setting)[results.methods(block, bounds=False)]
            others = frame.drop(columns=[name for name in frame.columns if name in OWN])
            reference = frame[REFERENCE[block]]
            if others.shape[1] == 0 or others.isna().all(axis=None) or reference.isna().all():
                continue
            against = reference - others[others.mean().idxmax()]
            groups = pd.Series([group_of[str(name)] for name in frame.index], index=frame.index)
            for group in ["all", *dict.fromkeys(groups)]:
                here = groups == group if group != "all" else groups.notna()
                averages = others[here].mean()
                if averages.isna().all():
                    continue
                rival = str(averages.idxmax())
                row: list[Value] = [block, setting, group, int(here.sum()), _mean(reference[here])]
                row += [rival, float(averages[rival]), *_paired(reference[here] - others.loc[here, rival])]
                rows.append([*row, None if group == "all" else _mean(against[~here])])
    return ResultTable(
        "kinds",
        "By kind of data: the flagship and the best other method",
        [
            *("block", "setting", "kind", "sets", "ARI", "best other", "its ARI"),
            *("flagship - it", "±", "better/equal/worse", "others"),
        ],
        rows,
        notes("kinds", "by-kind"),
        {"flagship - it": "+.3f", "others": "+.3f"},
    )


def by_set(results: Results, block: str) -> ResultTable:
    """Return the ARI of every method on every set, as the mean over several settings."""
    names = results.methods(block)
    rows: list[list[Value]] = []
    for setting in results.main_settings(block):
        frame = results.frame(block, setting)
        for found in results.sets:
            if found.name in frame.index:
                values = frame.loc[found.name].to_numpy(dtype=float).tolist()
                rows.append([found.name, KINDS[found.kind], setting, *values])
    return ResultTable(
        f"{block}-sets", f"{BLOCKS[block].title}: ARI by set", ["set", "kind", "setting", *names], rows
    )


def costs(results: Results) -> ResultTable:
    """Return the seconds of the methods, over sets and draws."""
    runs = results.runs[results.runs["seconds"].notna()]
    groups = runs.groupby(["block", "method"], sort=False)["seconds"]
    rows: list[list[Value]] = [
        [str(block), str(method), len(times), float(times.median()), float(times.mean()), float(times.max())]
        for (block, method), times in groups
    ]
    for block in results.blocks:
        cells = pd.Series([value for (_, one), value in results.seconds.items() if one == block])
        row: list[Value] = [len(cells), float(cells.median()), float(cells.mean()), float(cells.max())]
        rows.append([block, "all methods and draws of a set", *row])
    return ResultTable(
        "seconds",
        "Seconds of one run",
        ["block", "method", "runs", "median", "mean", "greatest"],
        rows,
        (
            "In the first two blocks, the seconds of the flagship include the whole fit, or only the "
            "selection from the pool.",
        ),
        dict.fromkeys(("median", "mean", "greatest"), ".3f"),
    )


def failures(results: Results) -> ResultTable:
    """Return the failed runs, and the reasons."""
    rows: list[list[Value]] = [list(error) for error in results.errors]
    return ResultTable("failures", "Runs that failed", ["set", "block", "run", "error"], rows)
