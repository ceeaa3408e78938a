"""Does evolution pay? MOCK beside its controls with equal evaluations, from both of its starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from moo_clustering._arrays import FloatArray
from moo_clustering.controls import CONTROLS, ControlComparison, paired_difference
from moo_clustering.fronts import front_box, hypervolume
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultFigure, ResultTable, Settings

N_EVALS = 10_000
# Controls of every start; those that no start changes, and those that take long, run once.
STARTS: dict[str, Sequence[str]] = {
    "delta": ("initial", "drift", "climbs", "construction"),
    "greedy": CONTROLS,
}
FITS = ("init=delta", "init=greedy", "greedy front alone")
MEASURES = ("hypervolume", "ari")
_NOTES = (
    "Positive differences: evolution is ahead. Intervals: 95 %, bootstrap over sets; p: Wilcoxon, two-sided.",
    "Hypervolumes are shares of a box per set and start, so that they compare within a start only.",
)


class Evolution:
    """Plan of the experiment: a cell is a data set, no text, and a seed; classes score and do not search."""

    def __init__(self, settings: Settings) -> None:
        self._sets = {
            one.name: one for one in load_suite(settings.data, settings.sets).sets if one.kind != "t"
        }
        self.parameters = {"seeds": settings.seeds, "n_evals": N_EVALS}
        self.cells = [
            {"set": name, "identity": one.identity, "seed": seed}
            for name, one in self._sets.items()
            for seed in range(settings.seeds)
        ]

    def data(self, key: Key) -> Any:
        """The set."""
        return self._sets[str(key["set"])]

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Runs and curves by start, and the fronts of both estimators and of the construction in one box."""
        from moo_clustering import MOCK

        seed, X, classes = int(key["seed"]), data.features(), data.classes
        value: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for start, controls in STARTS.items():
                kind: Any = start
                model = MOCK(data.n_classes, init=kind, random_state=seed)
                found = model.controls(X, y=classes, n_evals=N_EVALS, seeds=[seed], controls=controls)
                value[start] = {
                    "runs": found.runs.drop(columns=["problem", "seed"]).to_dict("records"),
                    "curves": found.curves.drop(columns=["problem", "seed"]).to_dict("records"),
                }
            value["fits"] = _fits(X, classes, data.n_classes, seed)
        return value

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """All runs; means and differences by start; the fits."""
        joined = {start: self._joined(values, start) for start in STARTS}
        every = pd.concat([one.runs.assign(start=start) for start, one in joined.items()])
        columns = [
            "start",
            "problem",
            "seed",
            "method",
            "hypervolume",
            "ari",
            "best ari",
            "evaluations",
            "seconds",
        ]
        tables = [ResultTable("runs", "All runs", columns, every[columns].to_numpy(dtype=object).tolist())]
        for start, found in joined.items():
            means = found.table()[["hypervolume", "ari", "best ari", "front", "evaluations", "seconds"]]
            tables.append(
                ResultTable(
                    f"means-{start}",
                    f"MOCK(init={start!r}), means over sets",
                    ["method", *means.columns],
                    [[name, *row] for name, row in zip(means.index, means.to_numpy().tolist(), strict=True)],
                    [found.claim(measure) for measure in MEASURES],
                    {"front": ".0f", "evaluations": ".0f", "seconds": ".2f"},
                )
            )
            rows = [
                [measure, name, *row]
                for measure in MEASURES
                for name, row in zip(
                    found.differences(measure).index,
                    found.differences(measure).itertuples(index=False, name=None),
                    strict=True,
                )
            ]
            tables.append(
                ResultTable(
                    f"differences-{start}",
                    f"MOCK(init={start!r}), evolution against its controls",
                    ["measure", "control", *found.differences().columns],
                    rows,
                    _NOTES,
                    {"p": ".2g"},
                )
            )
        return [*tables, self._starts(values)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Hypervolume by evaluations, for every start."""
        return [
            ResultFigure(
                f"curves-{start}",
                f"MOCK(init={start!r}) and its controls",
                _drawing(self._joined(values, start)),
            )
            for start in STARTS
        ]

    def _joined(self, values: Sequence[Any], start: str) -> ControlComparison:
        """One comparison of all cells."""

        def table(part: str) -> pd.DataFrame:
            frames = [
                pd.DataFrame(value[start][part]).assign(problem=str(key["set"]), seed=int(str(key["seed"])))
                for key, value in zip(self.cells, values, strict=True)
            ]
            return pd.concat(frames)

        runs, curves = table("runs"), table("curves")
        first = ["problem", "seed", "method"]
        return ControlComparison(runs[[*first, *runs.columns.difference(first, sort=False)]], curves)

    def _starts(self, values: Sequence[Any]) -> ResultTable:
        """The estimator from both starts and the constructed front, a set at a time."""
        frame = pd.DataFrame(
            [
                {
                    "set": str(key["set"]),
                    **{f"{name} {fit}": value["fits"][fit][name] for fit in FITS for name in MEASURES},
                }
                for key, value in zip(self.cells, values, strict=True)
            ]
        )
        means = frame.groupby("set", sort=False).mean()
        rows = []
        for measure in MEASURES:
            ours = means[f"{measure} {FITS[1]}"]
            for other in (FITS[0], FITS[2]):
                theirs = means[f"{measure} {other}"]
                least = float((ours / theirs).min()) if measure == "hypervolume" else None
                rows.append(
                    [
                        measure,
                        float(ours.mean()),
                        other,
                        float(theirs.mean()),
                        *paired_difference(ours, theirs).values(),
                        least,
                    ]
                )
        return ResultTable(
            "starts",
            "The front of MOCK() against its former start, and against the constructed front alone",
            ["measure", "init=greedy", "other", "mean", *paired_difference([0], [0]), "least ratio"],
            rows,
            [_NOTES[0]],
            {"p": ".2g"},
        )


def _fits(X: FloatArray, classes: Any, n_clusters: int, seed: int) -> dict[str, dict[str, float]]:
    """Hypervolume, adjusted Rand index of the chosen partition, and time, of fits and of the construction."""
    from moo_clustering import MOCK

    known, found = classes >= 0, {}
    kind: Any
    for kind in STARTS:
        begun = process_time()
        model = MOCK(n_clusters, init=kind, random_state=seed).fit(X)
        found[f"init={kind}"] = (model.pareto_front_, model.labels_, process_time() - begun)
    problem = model.result_.problem
    problem._built, begun = None, process_time()
    genes = problem.greedy_front()
    F, numbers = problem.evaluate(genes), problem.n_clusters(genes)
    row = int(np.lexsort([F[:, 0], numbers, np.abs(numbers - n_clusters)])[0])
    found[FITS[2]] = (F, problem.decode(genes[[row]])[0], process_time() - begun)
    box = front_box([front for front, _, _ in found.values()])
    return {
        name: {
            "hypervolume": hypervolume(front, box),
            "ari": float(adjusted_rand_score(classes[known], labels[known])),
            "seconds": seconds,
        }
        for name, (front, labels, seconds) in found.items()
    }


def _drawing(found: ControlComparison) -> Callable[[Path], None]:
    def draw(path: Path) -> None:
        found.plot(path=path)

    return draw
