"""Numbers of the solutions in a folder of a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.validity._registry import INDICES
from moo_clustering.visualization.report._columns import size_columns
from moo_clustering.visualization.report._content import Column

_NO_NUMBERS = {"member", "chosen", "n_clusters", "alternative", "family", "ari_to_labels"}
_TITLES = {
    "must_link_satisfied": "must-links satisfied",
    "cannot_link_satisfied": "cannot-links satisfied",
}
# Beside validity indices; what else a run optimises is to be small.
_GREATER = {"ari", "sep", "score", "attainment", "must_link_satisfied", "cannot_link_satisfied"}


def folder_columns(
    labels: NDArray[np.int32],
    front: pd.DataFrame | None,
    summary: pd.DataFrame | None,
    alternatives: Sequence[int],
    objectives: Collection[str],
) -> list[Column]:
    """Objectives, numbers of clusters and what else is in the tables.

    Parameters
    ----------
    labels : ndarray of shape (n_solutions, n_samples)
        Members of the front first.
    front : DataFrame or None
        A row for each of them.
    summary : DataFrame or None
        A row for every alternative.
    alternatives : sequence of int
        Solutions that they are.
    objectives : collection of str
        Names of columns that the run optimised.
    """
    values: dict[str, NDArray[np.float64]] = {}
    tables = [] if front is None else [(front, np.arange(len(front)))]
    if summary is not None and len(summary) == len(alternatives):
        tables.append((summary, np.asarray(alternatives, dtype=np.intp)))
    for table, rows in tables:
        for name in [name for name in table if name not in _NO_NUMBERS]:
            column = values.setdefault(str(name), np.full(len(labels), np.nan))
            found = pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
            # What the front says of a partition stands.
            column[rows] = np.where(np.isnan(column[rows]), found, column[rows])
    leading = [name for name in objectives if name in values]
    others = [name for name in values if name not in leading]
    return [
        *(Column(name, values[name], True, _is_greater_better(name) or False) for name in leading),
        *size_columns(labels),
        *(Column(_TITLES.get(name, name), values[name], False, _is_greater_better(name)) for name in others),
    ]


def _is_greater_better(name: str) -> bool | None:
    """None where the name does not tell."""
    if name in INDICES:
        return bool(INDICES[name].greater_is_better)
    return True if name in _GREATER else None
