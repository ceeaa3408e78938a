"""Interactive clustering and its rivals: agreement with classes by number of questions.

All methods have the same protocol, and none receives the number of clusters. All methods that ask the same
question receive the same answer, right or wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import entropy
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import silhouette_score

from moo_clustering import ParetoClustering, PCKMeans
from moo_clustering._arrays import FloatArray
from moo_clustering.controls import paired_difference
from moo_clustering.interactive import Question, simulate
from moo_clustering.visualization.figures import house_style, new_figure, save_figure
from papers.cobras import COBRAS
from papers.flagship_sets import KINDS, load_suite
from papers.rivals import RandomPairs, UncertainLabels
from papers.runner import Key, ResultFigure, ResultTable, Settings, check_names

POINTS = (0, 5, 10, 25, 50, 100, 200)
METHODS = ("pairs", "names", "COBRAS", "NPU", "random pairs", "uncertain labels")
ERROR_RATES = (0.0, 0.05, 0.1)
# Methods of this package; largest difference of areas that is a tie; expected error below which a session may
# stop.
SESSIONS, _TIE, _LITTLE_TO_GAIN = ("pairs", "names"), 0.005, 0.02
# Number of trees of a forest, and of starts of k-means, per sample that NPU places.
_NPU_TREES, _NPU_STARTS = 50, 3


class NPU:
    """Constrained k-means, and questions about samples of which a forest of the clusters is least certain.

    Neighbourhoods are sets of samples with answers "together". The sample with the largest entropy over the
    neighbourhoods per expected question is compared with the neighbourhoods, the most probable first, until
    an answer is "together"; otherwise, it founds a neighbourhood. ``PCKMeans`` uses all pairs that follow
    from the neighbourhoods, and at least as many clusters as neighbourhoods. Source: S. Xiong, J. Azimi and
    X. Z. Fern: Active learning of constraints for semi-supervised clustering. IEEE TKDE 26, 2014, algorithms
    1 and 2.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters : int, optional
        Minimum number of clusters; default: that of k-means with the best silhouette.
    random_state : int, default=0
        Seed of the first sample, the forests and k-means.
    """

    mode = "pairs"

    def __init__(self, X: FloatArray, *, n_clusters: int | None = None, random_state: int = 0) -> None:
        self._X, self._seed = X, random_state
        self._k = n_clusters or silhouette_number(X, random_state)
        self._neighborhoods = [[int(np.random.default_rng(random_state).integers(len(X)))]]
        self.n_answers = 0
        self.labels_: Any = None
        self._refit()

    def _refit(self) -> None:
        """Cluster again, and select the next sample and the order of its comparisons."""
        y = np.full(len(self._X), -1)
        for number, members in enumerate(self._neighborhoods):
            y[members] = number
        k = max(self._k, len(self._neighborhoods))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = PCKMeans(k, n_init=_NPU_STARTS, random_state=self._seed).fit(self._X, y).labels_
        if self.labels_ is None or not np.array_equal(labels, self.labels_):
            # The forest takes most of the time, and does not change while the clusters stay the same.
            forest = RandomForestClassifier(_NPU_TREES, random_state=self._seed).fit(self._X, labels)
            self._leaves = forest.apply(self._X)
        self.labels_ = labels
        self._waiting: list[int] = []
        free = np.flatnonzero(y < 0)
        if not len(free):
            return
        leaves = self._leaves
        # Share of the trees in which two samples share a leaf, as a mean over a neighbourhood: Eqs. 1 and 2.
        near = np.column_stack(
            [
                np.mean([(leaves[free] == leaves[one]).mean(axis=1) for one in members], axis=0)
                for members in self._neighborhoods
            ]
        )
        p = (near + 1e-9) / (near + 1e-9).sum(axis=1, keepdims=True)
        # Eqs. 3 to 5: every neighbourhood before the right one requires one more question.
        expected = (-np.sort(-p, axis=1) * np.arange(1, p.shape[1] + 1)).sum(axis=1)
        best = int((entropy(p, axis=1) / expected).argmax())
        self._sample, self._waiting = int(free[best]), np.argsort(-p[best], kind="stable").tolist()

    @property
    def question(self) -> Question | None:
        """The next question, or None if every sample belongs to a neighbourhood."""
        if not self._waiting:
            return None
        pair = (self._sample, self._neighborhoods[self._waiting[0]][0])
        nothing = np.zeros(0, dtype=np.intp)
        return Question(pair, "sample", float("nan"), float("nan"), nothing, self.n_answers)

    def answer(self, answer: str) -> None:
        """Answer the question with "together", "apart" or "unknown", which counts as "apart"."""
        self.n_answers += 1
        number = self._waiting.pop(0)
        if answer == "together":
            self._neighborhoods[number].append(self._sample)
            self._refit()
        elif not self._waiting:
            self._neighborhoods.append([self._sample])
            self._refit()


def silhouette_number(X: FloatArray, seed: int) -> int:
    """Return the number of clusters of k-means with the best silhouette, from 2 to 30 or sqrt(n_samples)."""
    scores = {
        k: silhouette_score(X, KMeans(k, n_init=3, random_state=seed).fit_predict(X))
        for k in range(2, min(30, isqrt(len(X)), len(np.unique(X, axis=0)) - 1) + 1)
    }
    return max(scores, key=lambda k: float(scores[k]), default=1)


_last_fit: dict[tuple[str, int], ParetoClustering] = {}


def _fitted(identity: str, seed: int, data: Any) -> ParetoClustering:
    """Return the fit of a set. The methods of a set are adjacent, and share it within a process."""
    if (identity, seed) not in _last_fit:
        _last_fit.clear()
        _last_fit[identity, seed] = ParetoClustering(scale="none", random_state=seed).fit(data.features())
    return _last_fit[identity, seed]


class Interactive:
    """Plan of the experiment: a cell is a data set and a seed, a block is a method.

    Seeds vary the fit, the selection among candidates and the wrong answers.
    """

    def __init__(self, settings: Settings) -> None:
        check_names("blocks", settings.blocks, METHODS)
        suite = load_suite(settings.data, settings.sets)
        # By default, shapes and tables, because no features of texts suit all methods.
        left_out = "t" if settings.sets else "td"
        self._sets = {one.name: one for one in suite.sets if one.kind not in left_out}
        # Exclude the methods, so that a run with more of them can use the same folder.
        self.parameters = {"points": list(POINTS), "error_rates": list(ERROR_RATES)}
        self.methods = [method for method in METHODS if method in (settings.blocks or METHODS)]
        self.cells: list[Key] = [
            {"set": name, "data": one.identity, "seed": seed, "method": method}
            for name, one in self._sets.items()
            for seed in range(settings.seeds)
            for method in self.methods
        ]

    def data(self, key: Key) -> Any:
        """Return the set."""
        return self._sets[str(key["set"])]

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Return courses at ``POINTS``, and milliseconds of processor time per answer, by error rate."""
        seed, method, X = int(key["seed"]), str(key["method"]), data.features()
        start: Callable[[], Any]
        if method == "NPU":
            start = partial(NPU, X, n_clusters=silhouette_number(X, seed), random_state=seed)
        elif method == "COBRAS":
            start = partial(COBRAS, X, random_state=seed)
        elif method == "uncertain labels":
            start = partial(UncertainLabels, X, random_state=seed)
        elif method == "random pairs":
            start = partial(RandomPairs, _fitted(str(key["data"]), seed, data), random_state=seed)
        else:
            ask = _fitted(str(key["data"]), seed, data).ask
            start = partial(ask, "pairs" if method == "pairs" else "names")
        rows = []
        for error_rate in ERROR_RATES:
            begun = process_time()
            course = simulate(start(), data.classes, POINTS[-1], error_rate, at=POINTS, random_state=seed)
            milliseconds = 1e3 * (process_time() - begun) / max(int(course.index[-1]), 1)
            # If no question is left, the last partition remains.
            course = course.reindex(range(POINTS[-1] + 1)).ffill().loc[list(POINTS)]
            courses = {name: course[name].tolist() for name in ("ari", "error", "expected_error")}
            rows.append({"error_rate": error_rate, "milliseconds": milliseconds, **courses})
        return {"rows": rows}

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return courses, means by kind, comparisons of areas, areas by set, losses and expected errors."""
        runs = self._runs(values)
        points = [str(point) for point in POINTS]
        names = ["set", "kind", "seed", "method", "wrong", *points, "area", "ms"]
        # Average the seeds of a set first: the sets are the independent repetitions.
        by_set = runs.groupby(["wrong", "method", "kind", "set"], sort=False).mean(numeric_only=True)
        by_set = by_set.reset_index()
        tables = [_table("courses", "All courses", runs[names])]
        together = pd.concat([by_set.assign(kind="all"), by_set])
        kinds = ["kind", "wrong", "method"]
        means = together.groupby(kinds, sort=False)[[*points, "area", "ms"]].mean()
        sets = together.groupby(kinds, sort=False)["set"].nunique().rename("sets")
        tables.append(
            _table("means", "Means over sets, by number of questions", means.join(sets).reset_index())
        )
        ours, rivals = ([m for m in self.methods if (m in SESSIONS) == own] for own in (True, False))
        areas = by_set.pivot(index=["wrong", "kind", "set"], columns="method", values="area")
        compared = [
            [wrong, kind, mine, rival, *_compared(found[mine].to_numpy(), found[rival].to_numpy())]
            for wrong in ERROR_RATES
            for kind in ("all", *by_set["kind"].unique())
            for found in [areas.loc[wrong] if kind == "all" else areas.loc[wrong].loc[[kind]]]
            for mine in ours
            for rival in rivals
        ]
        if compared:
            columns = ["wrong", "kind", "method", "rival", "difference", "low", "high", "wins", "losses", "p"]
            note = "Intervals: 95%, bootstrap; p: Wilcoxon, two-sided; wins and losses by more than .005."
            found = pd.DataFrame(compared, columns=columns)
            tables.append(_table("differences", "Area under the course, compared with rivals", found, note))
        tables.append(_table("sets", "Area under the course, by set", areas[self.methods].reset_index()))
        lost = [
            [row["wrong"], row["kind"], row["set"], mine, rival, row[mine], row[rival]]
            for row in areas.reset_index().to_dict("records")
            for mine in ours
            for rival in rivals
            if row[rival] > row[mine] + _TIE
        ]
        if lost:
            columns = ["wrong", "kind", "set", "method", "rival", "area", "area of the rival"]
            tables.append(_table("losses", "Losses of the sessions", pd.DataFrame(lost, columns=columns)))
        if ours:
            tables.append(_errors(runs[runs["method"].isin(ours)]))
        return tables

    def _runs(self, values: Sequence[Any]) -> pd.DataFrame:
        """Return a row per course."""
        rows = []
        for key, value in zip(self.cells, values, strict=True):
            shown = {name: key[name] for name in ("set", "seed", "method")}
            shown["kind"] = KINDS[self._sets[str(key["set"])].kind]
            for row in value["rows"]:
                found = {**shown, "wrong": row["error_rate"], "ms": row["milliseconds"]}
                for prefix, course in (("", "ari"), ("true ", "error"), ("expected ", "expected_error")):
                    found |= {f"{prefix}{at}": one for at, one in zip(POINTS, row[course], strict=True)}
                rows.append({**found, "area": _area(row["ari"])})
        return pd.DataFrame(rows)

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Return the mean courses of all methods, one panel per share of wrong answers."""
        points = [str(point) for point in POINTS]
        runs = self._runs(values)
        means = runs.groupby(["wrong", "method", "set"])[points].mean().groupby(["wrong", "method"]).mean()
        title = "Mean adjusted Rand index by number of questions"
        return [ResultFigure("courses", title, partial(_draw_courses, means, self.methods))]


def _table(name: str, title: str, frame: pd.DataFrame, *notes: str) -> ResultTable:
    formats = {"ms": ".1f", "wrong": ".2f", "p": ".1g"}
    return ResultTable(name, title, list(frame.columns), frame.to_numpy(object).tolist(), notes, formats)


def _errors(runs: pd.DataFrame) -> ResultTable:
    """Return expected and true shares of misplaced samples, and results at the time of stopping."""
    rows = []
    for (wrong, method), found in runs.groupby(["wrong", "method"], sort=False):
        for at in POINTS:
            expected, true = found[f"expected {at}"], found[f"true {at}"]
            stopped = true[expected < _LITTLE_TO_GAIN]
            rows.append(
                [
                    *(wrong, method, at, expected.mean(), true.mean(), (expected - true).abs().mean()),
                    *(len(stopped) / len(true), stopped.mean()),
                ]
            )
    columns = ["wrong", "method", "answers", "expected", "true", "off by", "may stop", "true there"]
    note = "True: share of samples outside the cluster that is matched with their class."
    return _table("errors", "Expected and true errors", pd.DataFrame(rows, columns=columns), note)


def _draw_courses(means: pd.DataFrame, methods: Sequence[str], path: Path) -> None:
    with house_style():
        figure = new_figure(5.0 * len(ERROR_RATES), 4.4)
        panels = figure.subplots(1, len(ERROR_RATES), squeeze=False, sharey=True)[0]
        for axes, wrong in zip(panels, ERROR_RATES, strict=True):
            for method in methods:
                axes.plot(POINTS, means.xs((wrong, method)), marker="o", markersize=3, label=method)
            axes.set_xscale("symlog", linthresh=5)
            axes.set_xticks(POINTS, [str(point) for point in POINTS])
            axes.set(title=f"{wrong:.0%} of the answers wrong", xlabel="questions", ylim=(0, 1))
        panels[0].set_ylabel("adjusted Rand index, mean over sets")
        panels[-1].legend(loc="lower right")
        save_figure(figure, path)


def _area(ari: Sequence[float]) -> float:
    """Return the area under a course, divided by its length."""
    return float(np.trapezoid(ari, POINTS) / POINTS[-1])


def _compared(ours: FloatArray, theirs: FloatArray) -> list[Any]:
    """Return the mean difference, its interval, wins, losses and the p-value."""
    away, found = ours - theirs, paired_difference(ours, theirs)
    wins, losses = int((away > _TIE).sum()), int((away < -_TIE).sum())
    return [found["difference"], found["low"], found["high"], wins, losses, found["p"]]
