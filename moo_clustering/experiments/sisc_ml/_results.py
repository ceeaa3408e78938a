"""Finished SISC-ML cells as a table, and their means over repetitions and folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.experiments._spread import Spread
from moo_clustering.experiments._store import Key
from moo_clustering.experiments.sisc_ml._cells import N_POINTS
from moo_clustering.experiments.sisc_ml._readings import Scored
from moo_clustering.experiments.sisc_ml._sets import LabelledSet
from moo_clustering.experiments.sisc_ml._splits import LABELLED

_SPLIT = ["repeat", "fold"]
_COLUMNS = ("set", "fraction", "features", *_SPLIT, "method")


class Results:
    """Areas, costs and curves of all cells.

    Parameters
    ----------
    sets : sequence of LabelledSet
    cells, values : sequences of equal length
        Keys and values of the store.
    """

    def __init__(self, sets: Sequence[LabelledSet], cells: Sequence[Key], values: Sequence[Any]) -> None:
        self.sets = list(sets)
        rows, curves = [], []
        for key, value in zip(cells, values, strict=True):
            for kind, found in value["kinds"].items():
                row = {name: key[name] for name in _COLUMNS} | {"kind": kind}
                row |= {name: found[name] for name in ("auc", "undefined")}
                row |= {"fit_seconds": value["fit_seconds"], "predict_seconds": found["predict_seconds"]}
                rows.append(row)
                curves.append(found["tpr"])
        self.runs = pd.DataFrame(rows)
        self._curves = np.array(curves)
        names = ["set", "fraction", "features", "method", "kind"]
        self._groups = dict(list(self.runs.groupby(names, sort=False)))
        self.fractions = sorted({float(key["fraction"]) for key in cells})

    @property
    def size(self) -> str:
        """How many runs means are of, in words."""
        n = int(self.runs["repeat"].nunique())
        return f"2 folds, {n} repetition{'' if n == 1 else 's'}"

    def protocols(self, given: LabelledSet) -> list[str]:
        """Whose labels choose the features of a set, where that makes a difference."""
        return list(self.runs.loc[self.runs["set"] == given.name, "features"].unique())

    def of(self, given: LabelledSet, scored: Scored, fraction: float, features: str) -> pd.DataFrame:
        """Runs of a method; with all documents labelled it is the same who chooses the features."""
        chosen = LABELLED if fraction == 1.0 else features
        return self._groups[given.name, fraction, chosen, *scored]

    def mean(
        self, given: LabelledSet, scored: Scored, column: str = "auc", fraction: float = 1.0,
        features: str = LABELLED,
    ) -> Spread:  # fmt: skip
        """Mean and standard deviation over repetitions and folds."""
        values = self.of(given, scored, fraction, features)[column].astype(float)
        return Spread(float(values.mean()), float(values.std()))

    def difference(
        self, given: LabelledSet, first: Scored, second: Scored, fraction: float, features: str
    ) -> Spread:
        """Mean of the area of one method minus that of another on the same split, and its standard error."""
        areas = [
            self.of(given, scored, fraction, features).set_index(_SPLIT)["auc"] for scored in (first, second)
        ]
        differences = areas[0] - areas[1]
        return Spread(float(differences.mean()), float(differences.std()) / math.sqrt(len(differences)))

    def curve(
        self, given: LabelledSet, scored: Scored, fraction: float = 1.0, features: str = LABELLED
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """ROC curve averaged over classes, repetitions and folds: false and true positive rates."""
        rows = self.of(given, scored, fraction, features).index
        return np.linspace(0.0, 1.0, N_POINTS), self._curves[rows].mean(axis=0)
