"""Finished multi-instance cells as a table, and their means by rows of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from moo_clustering.experiments._spread import Spread
from moo_clustering.experiments._store import Key
from moo_clustering.experiments.multi_instance._published import METHODS
from moo_clustering.experiments.multi_instance._sets import BagSet, Row

# Names of the scores in cells, by reading.
INTERNAL = {
    "table": {"S": "silhouette_printed", "DB": "davies_bouldin_instance", "S_Dbw": "sdbw_printed"},
    "default": {"S": "silhouette_cluster", "DB": "davies_bouldin_bag", "S_Dbw": "sdbw_bag"},
}
EXTERNAL = {"RI": "matched_rand_index", "E": "entropy", "F1": "f1"}


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
        """Runs of every method on every set."""
        return int(self.runs["seed"].nunique())

    def of(self, bag_set: BagSet, method: str, reading: str) -> pd.DataFrame:
        """Runs of a method; one without readings counts for all."""
        found = self._groups.get((bag_set.name, method, reading))
        return self._groups[bag_set.name, method, ""] if found is None else found

    def spread(self, bag_set: BagSet, method: str, reading: str, score: str) -> Spread:
        """Mean of a score over seeds."""
        values = self.of(bag_set, method, reading)[score].astype(float)
        return Spread(float(values.mean()), float(values.std()))

    def metric(self, bag_set: BagSet, row: Row, method: str, reading: str, metric: str) -> Spread:
        """Mean of one of the paper's six metrics, as the reading defines it."""
        score = {**INTERNAL[reading], **EXTERNAL}[metric]
        if metric == "F1" and row.swapped:
            score = "f1_swapped"
        return self.spread(bag_set, method, reading, score)

    def tested(self) -> list[tuple[BagSet, Row]]:
        """Rows that are sets of the paper, each once."""
        return [(bag_set, row) for bag_set, row in self.rows if row.is_own_set]

    def frame(self, metric: str, reading: str) -> pd.DataFrame:
        """Means of the six methods on the rows for tests, as the statistics take them."""
        means = [
            [self.metric(bag_set, row, method, reading, metric).mean for method in METHODS]
            for bag_set, row in self.tested()
        ]
        names = [row.name for _, row in self.tested()]
        return pd.DataFrame(means, index=names, columns=list(METHODS), dtype=float)
