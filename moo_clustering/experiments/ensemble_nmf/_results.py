"""Scores of the ensemble NMF comparison, a data set a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.experiments._store import Key
from moo_clustering.experiments.ensemble_nmf._scores import standardised, z_value

BEST_OF = {name: f"{name}, best of 10" for name in ("K-means", "Bisecting")}
MIN_RUN, MAX_RUN = "Min-NCW-NMF", "Max-NCW-NMF"
# Rivals of the ensemble, and where its Z values are.
Z_COLUMNS = {"Bisecting": "Z", BEST_OF["Bisecting"]: "Z, best of 10"}


def score_frame(cells: Sequence[Key], values: Sequence[Any], ensemble: str) -> pd.DataFrame:
    """NMI by method: means of the runs and their deviation, one value of the others.

    Parameters
    ----------
    cells, values
    ensemble : str
        Consensus that the column ``Ensemble`` and the Z values are of.
    """
    return pd.DataFrame([_row(key, value, ensemble) for key, value in zip(cells, values, strict=True)])


def _row(key: Key, value: Mapping[str, Any], ensemble: str) -> dict[str, Any]:
    row: dict[str, Any] = {name: key[name] for name in ("collection", "k", "seed", "set")}
    row |= {name: value[name] for name in ("documents", "without_terms", "terms", "balance")}
    partitions, runs = value["partitions"], value["runs"]
    score = partitions[ensemble]
    row["Hierarchical"] = partitions["Hierarchical"]
    for name, found in runs.items():
        row[name] = float(np.mean(found))
        row[f"{name}, deviation"] = float(np.std(found, ddof=1))
    row[MIN_RUN], row[MAX_RUN] = min(runs["NCW-NMF"]), max(runs["NCW-NMF"])
    row["Ensemble"] = score
    row |= {name: found for name, found in partitions.items() if name != "Hierarchical"}
    for name, (mean, deviation) in value["best_of"].items():
        row[BEST_OF[name]], row[f"{BEST_OF[name]}, deviation"] = mean, deviation
    row["Z"] = z_value(score, runs["Bisecting"])
    row["Z, best of 10"] = standardised(score, *value["best_of"]["Bisecting"])
    return row
