"""Finished cells as a table of runs, averaged over draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.experiments._store import Key
from moo_clustering.experiments.flagship._names import (
    BOUNDS,
    CONSENSUS,
    CONTROL,
    EVOLVED,
    FLAGSHIP,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
)
from moo_clustering.experiments.flagship._set_sources import Skipped
from moo_clustering.experiments.flagship._sets import ClassedSet

# What others are compared with, in every block.
REFERENCE = {
    "unsupervised": FLAGSHIP,
    "known": CONSENSUS,
    "labels": FLAGSHIP,
    "novel": FLAGSHIP_UNKNOWN,
    "pairs": FLAGSHIP_KNOWN,
    "evolution": EVOLVED,
    "families": FLAGSHIP,
}
# A second one where there are two answers.
SECOND = {"novel": FLAGSHIP_KNOWN, "pairs": FLAGSHIP_UNKNOWN, "evolution": CONTROL}
_SCORES = ("ari", "ami", "ari_all", "ami_all", "k", "seconds")
MEAN = "mean"


class Results:
    """Scores of all runs.

    Parameters
    ----------
    sets : sequence of ClassedSet
    skipped : sequence of Skipped
        Files that are no sets.
    cells, values : sequences of equal length
        Keys and values of the store.

    Attributes
    ----------
    runs : DataFrame
        A row for every set, block, setting, draw and method; NaN where it failed.
    errors : list of (set, block, run, text)
    facts : dict of (set, block) to mapping
    seconds : dict of (set, block) to float
        Of the whole cells.
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
        # Of repeated draws the mean; where some failed, of the others.
        keys = ["block", "setting", "method", "set"]
        self._means = self.runs.groupby(keys)[list(_SCORES)].mean().sort_index()

    @property
    def blocks(self) -> list[str]:
        """Blocks that there are runs of."""
        return list(dict.fromkeys(self.runs["block"]))

    def settings(self, block: str) -> list[str]:
        """Settings of a block; of several their means too."""
        found = list(dict.fromkeys(self.runs.loc[self.runs["block"] == block, "setting"]))
        if block == "pairs":
            kinds = list(dict.fromkeys(one.split(", ", 1)[1] for one in found))
            return [*found, *(f"{MEAN}, {kind}" for kind in kinds)]
        return [*found, MEAN] if block in ("labels", "novel") and len(found) > 1 else found

    def main_settings(self, block: str) -> list[str]:
        """Settings that stand for all: means where there are any."""
        found = self.settings(block)
        return [setting for setting in found if setting.startswith(MEAN)] or found

    def methods(self, block: str, *, bounds: bool = True) -> list[str]:
        """Methods of a block, without those chosen by the classes or by nothing if asked for."""
        found = list(dict.fromkeys(self.runs.loc[self.runs["block"] == block, "method"]))
        return found if bounds else [name for name in found if name not in BOUNDS]

    def frame(self, block: str, setting: str, score: str = "ari") -> pd.DataFrame:
        """Scores of the methods (columns) on the sets (rows), NaN where there is none."""
        if setting.startswith(MEAN):
            suffix = setting.removeprefix(MEAN)
            parts = [
                self.frame(block, one, score)
                for one in self.settings(block)
                if not one.startswith(MEAN) and one.endswith(suffix)
            ]
            # A set that is missing in a setting has no mean.
            names = [one.name for one in self.sets if any(one.name in part.index for part in parts)]
            values = np.stack([part.reindex(index=names).to_numpy() for part in parts]).mean(axis=0)
            return pd.DataFrame(values, index=names, columns=self.methods(block))
        found: pd.DataFrame = self._means.xs((block, setting))[score].unstack("method")
        names = [one.name for one in self.sets if one.name in found.index]
        return found.reindex(index=names, columns=self.methods(block))

    def spread(self, block: str, setting: str, method: str) -> float | None:
        """Standard deviation over the draws of the mean ARI over sets; None without repetitions."""
        runs = self.runs[(self.runs["block"] == block) & (self.runs["method"] == method)]
        if setting.startswith(MEAN):
            runs = runs[runs["setting"].str.endswith(setting.removeprefix(MEAN))]
        else:
            runs = runs[runs["setting"] == setting]
        # Only sets that have a score in all draws and settings.
        table = runs.pivot_table(index="set", columns=["draw", "setting"], values="ari").dropna()
        by_draw = table.T.groupby(level="draw").mean().mean(axis=1)
        return float(by_draw.std(ddof=1)) if len(by_draw) > 1 else None
