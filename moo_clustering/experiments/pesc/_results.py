"""Finished PESC cells as a table of runs, with the choices among grids made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from moo_clustering.experiments._spread import Spread
from moo_clustering.experiments._store import Key
from moo_clustering.experiments.pesc._graphs import GRIDS
from moo_clustering.experiments.pesc._sets import FlatSet

_KEY = ("set", "method", "reading", "setting", "labels", "order", "seed")


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
        """Runs of every method on every set."""
        return int(self.runs["seed"].nunique())

    def of(
        self, found: FlatSet, method: str, reading: str, setting: str = "", labels: int = 0,
        order: str = "shuffled",
    ) -> pd.DataFrame | None:  # fmt: skip
        """Runs of a method, by seed; one without readings counts for all. None if there are none."""
        for one in (reading, ""):
            runs = self._groups.get((found.name, method, one, setting, labels, order))
            if runs is not None:
                return runs
        return None

    def spread(self, found: FlatSet, method: str, reading: str, score: str, **of: Any) -> Spread:
        """Mean of a score over seeds, NaN without runs."""
        runs = self.of(found, method, reading, **of)
        values = pd.Series(dtype=float) if runs is None else runs[score].astype(float)
        return Spread(float(values.mean()), float(values.std()))

    def frame(self, methods: Sequence[str], reading: str, score: str, labels: int) -> pd.DataFrame:
        """Means of methods (columns) on all sets (rows), as the statistics take them."""
        means = [
            [self.spread(one, method, reading, score, labels=labels).mean for method in methods]
            for one in self.sets
        ]
        return pd.DataFrame(means, index=[one.name for one in self.sets], columns=list(methods), dtype=float)

    def _choices(self) -> list[pd.DataFrame]:
        """Of every grid the value that is best by the classes on average, in every run the one of the
        widest eigengap, both with the seconds of the whole grid; and all values, for their average."""
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


def _label_tuned(runs: pd.DataFrame) -> pd.DataFrame:
    means = runs.groupby("setting", sort=False)["accuracy_unlabelled"].mean()
    return runs[runs["setting"] == means.idxmax()]


def _widest_gap(runs: pd.DataFrame) -> pd.DataFrame:
    # Of equally wide ones the largest value, as the estimator does; grids increase.
    value = runs["setting"].astype(float)
    ordered = runs.assign(value=value).sort_values(["gap", "value"], kind="stable")
    return ordered.drop_duplicates("seed", keep="last").drop(columns="value").sort_values("seed")
