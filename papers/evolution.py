"""Does evolution pay? Evolutionary searches and their controls with equal numbers of evaluations, by setting.

Every block is a separate plan with a method ``comparisons``, which compares its values by setting.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from moo_clustering._arrays import FloatArray
from moo_clustering.controls import CONTROLS, ControlComparison, paired_difference
from moo_clustering.fronts import front_box, hypervolume
from papers.controlled import cells_of, comparisons_of, kept, objectives_of
from papers.feature_subsets import GENERATED, REAL, FeatureSubsets
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultFigure, ResultTable, Settings, check_names
from papers.single_indices import KINDS, BagsByIndex, Cuts
from papers.single_indices import REAL as REAL_BAGS
from papers.subspaces import N_SETS, Subspaces

N_EVALS = 10_000
# Controls of every start. Slow controls, and controls that do not depend on the start, run only once.
STARTS: dict[str, Sequence[str]] = {
    "delta": ("initial", "drift", "climbs", "construction"),
    "greedy": CONTROLS,
}
FITS = ("init=delta", "init=greedy", "greedy front alone")
MEASURES = ("hypervolume", "ari")
_NOTES = (
    "A positive difference means that evolution is ahead. Intervals: 95%, bootstrap over sets; p: "
    "Wilcoxon, two-sided.",
    "Hypervolumes are shares of a box per problem, so they are comparable only within a setting. Objectives "
    "are minimised.",
)
_KEY, _SHOWN = ["problem", "seed", "method"], ["hypervolume", "ari", "best ari", "evaluations", "seconds"]


class Evolution:
    """Plan of the experiment: the cells of all blocks, and tables over all settings."""

    def __init__(self, settings: Settings) -> None:
        check_names("blocks", settings.blocks, BLOCKS)
        self._plans = {}
        for name in BLOCKS:
            # Sets that other blocks generate do not belong to this block.
            others = {one for other, names in _GENERATED.items() if other != name for one in names}
            sets = [one for one in settings.sets if one not in others]
            if name in (settings.blocks or BLOCKS) and (sets or not settings.sets):
                self._plans[name] = BLOCKS[name](replace(settings, sets=sets))
        # Parameters of all blocks, so that a run with more blocks can use the same folder.
        self.parameters = {name: dict(block.parameters) for name, block in BLOCKS.items()}
        self.cells: list[Key] = [
            {"block": name, **key} for name, plan in self._plans.items() for key in plan.cells
        ]
        if not self.cells:
            known = [*_GENERATED["features"], *REAL, *_GENERATED["subspaces"], *_GENERATED["bags"]]
            raise ValueError(
                f"no block has a set named {', '.join(settings.sets)}: name files of the data folder, or "
                f"{', '.join(known)}"
            )

    def data(self, key: Key) -> Any:
        """Return the data of the cell of a block."""
        return self._plans[str(key["block"])].data(_own(key))

    @staticmethod
    def compute(key: Key, data: Any) -> Any:
        """Return the value of the cell of a block."""
        return BLOCKS[str(key["block"])].compute(_own(key), data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return all runs, means with verdicts, differences, and further tables of blocks."""
        parts = self._parts(values)
        found = {
            setting: one
            for name, plan in self._plans.items()
            for setting, one in plan.comparisons(parts[name]).items()
        }
        further = [
            table
            for name, plan in self._plans.items()
            for table in plan.tables(parts[name])
            if table.name != "runs"
        ]
        return [*settings_tables(found), *further]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Return the hypervolume by evaluations, for every setting."""
        parts = self._parts(values)
        return [
            ResultFigure(f"curves-{_file(setting)}", f"{setting}: evolution and its controls", _drawing(one))
            for name, plan in self._plans.items()
            for setting, one in plan.comparisons(parts[name]).items()
            if len(one.curves)
        ]

    def _parts(self, values: Sequence[Any]) -> dict[str, list[Any]]:
        """Return the values by block."""
        pairs = list(zip(self.cells, values, strict=True))
        return {name: [value for key, value in pairs if key["block"] == name] for name in self._plans}


def _own(key: Key) -> Key:
    return {name: value for name, value in key.items() if name != "block"}


def _file(setting: str) -> str:
    """Return the name of a setting as part of a file name."""
    return "-".join("".join(c if c.isalnum() else " " for c in setting).split()).lower()


def settings_tables(found: Mapping[str, ControlComparison]) -> list[ResultTable]:
    """Return tables over settings: all runs, means per method with a verdict per setting, and differences."""
    runs = pd.concat([one.runs.assign(setting=setting) for setting, one in found.items()])
    columns = ["setting", *_KEY, *(name for name in _SHOWN if name in runs)]
    means, differences, verdicts = [], [], []
    for setting, one in found.items():
        # The measure is the best value of a single objective, or the hypervolume of several.
        best = objectives_of(one.runs)
        table = one.table().reindex(columns=[*best[:1], *_SHOWN])
        single = len(best) == 1
        means += [
            [setting, name, None if not single else row[0], *row[1:]]
            for name, row in zip(table.index, table.to_numpy().tolist(), strict=True)
        ]
        measures = [name for name in (best[0] if single else "hypervolume", "ari") if name in one.runs]
        verdicts += [f"{setting}. {one.claim(measure)}" for measure in measures]
        for measure in measures:
            pairs = one.differences(measure)
            differences += [
                [setting, measure, name, *row]
                for name, row in zip(pairs.index, pairs.itertuples(index=False, name=None), strict=True)
            ]
    return [
        ResultTable("runs", "All runs", columns, runs[columns].to_numpy(dtype=object).tolist()),
        ResultTable(
            "settings",
            "Means over problems, by setting",
            ["setting", "method", "objective", *_SHOWN],
            means,
            [*verdicts, _NOTES[1]],
            {"evaluations": ".0f", "seconds": ".2f"},
        ),
        ResultTable(
            "differences",
            "Evolution against its controls, by setting",
            ["setting", "measure", "control", *paired_difference([0], [0])],
            differences,
            _NOTES,
            {"p": ".2g"},
        ),
    ]


class Mock:
    """MOCK from both starts: a cell is a data set (no text) and a seed; classes are only used for scores."""

    parameters: Mapping[str, Any] = {"n_evals": N_EVALS}

    def __init__(self, settings: Settings) -> None:
        suite = load_suite(settings.data, settings.sets).sets
        self._sets = {one.name: one for one in suite if one.kind != "t"}
        self.cells = cells_of(self._sets, settings.seeds)

    def data(self, key: Key) -> Any:
        """Return the set."""
        return self._sets[str(key["set"])]

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Return runs and curves by start, and fronts of both estimators and the construction."""
        from moo_clustering import MOCK

        seed, X, classes = int(key["seed"]), data.features(), data.classes
        value: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for start, controls in STARTS.items():
                kind: Any = start
                model = MOCK(data.n_classes, init=kind, random_state=seed)
                found = model.controls(X, y=classes, n_evals=N_EVALS, seeds=[seed], controls=controls)
                value[start] = kept(found)
            value["fits"] = _fits(X, classes, data.n_classes, seed)
        return value

    def comparisons(self, values: Sequence[Any]) -> dict[str, ControlComparison]:
        """Return comparisons by start, over all cells."""
        return comparisons_of(
            (f"MOCK(init={start!r})", key["set"], key["seed"], value[start])
            for start in STARTS
            for key, value in zip(self.cells, values, strict=True)
        )

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return the fits."""
        return [self._starts(values)] if values else []

    def _starts(self, values: Sequence[Any]) -> ResultTable:
        """Compare the estimator from both starts with the constructed front, set by set."""
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
            "The front of MOCK() compared with its former start, and with the constructed front alone",
            ["measure", "init=greedy", "other", "mean", *paired_difference([0], [0]), "least ratio"],
            rows,
            [_NOTES[0]],
            {"p": ".2g"},
        )


def _fits(X: FloatArray, classes: Any, n_clusters: int, seed: int) -> dict[str, dict[str, float]]:
    """Return hypervolume, ARI of the selected partition and time of fits and the construction."""
    from moo_clustering import MOCK

    known, found = classes >= 0, {}
    kind: Any
    for kind in STARTS:
        begun = process_time()
        # Clusters of any size are permitted, as in the selection from the construction below.
        model = MOCK(n_clusters, init=kind, min_cluster_share=0, random_state=seed).fit(X)
        found[f"init={kind}"] = (model.pareto_front_, model.labels_, process_time() - begun)
    problem = model.result_.problem
    problem._built, begun = {}, process_time()
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


BLOCKS: dict[str, Any] = {
    "mock": Mock,
    "features": FeatureSubsets,
    "subspaces": Subspaces,
    "bags": BagsByIndex,
    "cuts": Cuts,
}
_GENERATED = {
    "features": [f"d={d}" for d in GENERATED],
    "subspaces": list(N_SETS),
    "bags": [*KINDS, *REAL_BAGS],
}
