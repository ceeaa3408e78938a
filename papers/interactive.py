"""Interactive clustering: agreement with classes by number of questions, beside its rivals.

All methods answer to one protocol and know no number of clusters. Wrong answers are the same for all methods
that ask the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from moo_clustering._arrays import FloatArray
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultFigure, ResultTable, Settings

POINTS = (0, 5, 10, 25, 50, 100, 200)
METHODS = ("pairs", "names", "COBRAS", "random pairs", "uncertain labels")
ERROR_RATES = (0.0, 0.05, 0.1)


class Interactive:
    """Plan of the experiment: a cell is a data set and a seed.

    Seeds vary the fit, the choice among candidates and the wrong answers.
    """

    def __init__(self, settings: Settings) -> None:
        suite = load_suite(settings.data, settings.sets)
        # Shapes, tables and digits.
        self._sets = {one.name: one for one in suite.sets if one.kind != "t"}
        self.parameters = {"points": list(POINTS), "error_rates": list(ERROR_RATES), "methods": list(METHODS)}
        self.cells: list[Key] = [
            {"set": name, "data": one.identity, "seed": seed}
            for name, one in self._sets.items()
            for seed in range(settings.seeds)
        ]

    def data(self, key: Key) -> Any:
        """The set."""
        return self._sets[str(key["set"])]

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Adjusted Rand indices at ``POINTS``, and milliseconds per answer, by method and error rate."""
        from moo_clustering import ParetoClustering
        from moo_clustering.interactive import COBRAS, RandomPairs, UncertainLabels, simulate

        seed, X = int(key["seed"]), data.features()
        model = ParetoClustering(scale="none", random_state=seed).fit(X)
        make: dict[str, Callable[[], Any]] = {
            "pairs": lambda: model.ask(),
            "names": lambda: model.ask("names"),
            "COBRAS": lambda: COBRAS(X, random_state=seed),
            "random pairs": lambda: RandomPairs(model, random_state=seed),
            "uncertain labels": lambda: UncertainLabels(X, random_state=seed),
        }
        rows = []
        for error_rate in ERROR_RATES:
            for method in METHODS:
                start = perf_counter()
                course = simulate(
                    make[method](), data.classes, POINTS[-1], error_rate, at=POINTS, random_state=seed
                )
                seconds = perf_counter() - start
                # Where nothing is left to ask the last partition stands.
                ari = course["ari"].reindex(range(POINTS[-1] + 1)).ffill().loc[list(POINTS)]
                rows.append(
                    {
                        "method": method,
                        "error_rate": error_rate,
                        "ari": ari.tolist(),
                        "milliseconds": 1e3 * seconds / max(int(course.index[-1]), 1),
                    }
                )
        return {"rows": rows}

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every course; means over the sets; areas of the pairs against those of the rivals."""
        points = [str(point) for point in POINTS]
        lines: list[list[Any]] = [
            [
                key["set"],
                key["seed"],
                row["method"],
                row["error_rate"],
                *row["ari"],
                _area(row["ari"]),
                row["milliseconds"],
            ]
            for key, value in zip(self.cells, values, strict=True)
            for row in value["rows"]
        ]
        columns = ["set", "seed", "method", "wrong", *points, "area", "ms"]
        formats = {"ms": ".1f", "wrong": ".2f"}
        tables = [ResultTable("courses", "All courses", columns, lines, formats=formats)]
        # Means over the seeds of a set first: sets are what repeats.
        areas: dict[tuple[str, float], FloatArray] = {}
        means: list[list[Any]] = []
        for error_rate in ERROR_RATES:
            for method in METHODS:
                of_method = [line for line in lines if line[2] == method and line[3] == error_rate]
                by_set = [
                    np.mean([line[4:] for line in of_method if line[0] == name], axis=0)
                    for name in dict.fromkeys(line[0] for line in of_method)
                ]
                areas[method, error_rate] = np.array([row[len(POINTS)] for row in by_set])
                means.append([method, error_rate, *np.mean(by_set, axis=0).tolist()])
        tables.append(
            ResultTable(
                "means",
                "Mean over sets, by number of questions",
                ["method", *columns[3:]],
                means,
                formats=formats,
            )
        )
        compared = [
            [error_rate, ours, rival, *_compared(areas[ours, error_rate], areas[rival, error_rate])]
            for error_rate in ERROR_RATES
            for ours in METHODS[:2]
            for rival in METHODS[2:]
        ]
        tables.append(
            ResultTable(
                "differences",
                "Area under the course against the rivals'",
                ["wrong", "method", "rival", "difference", "low", "high", "wins", "losses", "p"],
                compared,
                ["Intervals: 95 %, bootstrap; p: Wilcoxon, two-sided; wins and losses by more than .005."],
                {"wrong": ".2f", "p": ".1g"},
            )
        )
        return tables

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """No figures."""
        return []


def _area(ari: Sequence[float]) -> float:
    """Area under a course, divided by its length."""
    return float(np.trapezoid(ari, POINTS) / POINTS[-1])


def _compared(ours: FloatArray, theirs: FloatArray) -> list[Any]:
    """Mean difference, its interval, wins, losses and p-value."""
    away = ours - theirs
    rng = np.random.default_rng(0)
    drawn = away[rng.integers(0, len(away), (2000, len(away)))].mean(axis=1)
    p = float(wilcoxon(away).pvalue) if away.any() else 1.0
    low, high = np.quantile(drawn, (0.025, 0.975))
    return [
        float(away.mean()),
        float(low),
        float(high),
        int((away > 0.005).sum()),
        int((away < -0.005).sum()),
        p,
    ]
