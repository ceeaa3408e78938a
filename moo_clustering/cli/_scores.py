"""Known classes against the labels of a finished fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets import Table


def scores(table: Table, labels: NDArray[np.integer[Any]]) -> dict[str, float]:
    """Agreement with the known classes, of the samples that have one; empty without classes.

    With partial labels also on the samples whose label the fit was not given.
    """
    from sklearn.metrics import adjusted_rand_score

    from moo_clustering.validity import clustering_accuracy, nmi

    if table.y is None:
        return {}
    known = table.y >= 0
    if not known.any():
        return {}
    y, found = table.y[known], labels[known]
    values = {
        "accuracy": clustering_accuracy(y, found),
        "nmi": nmi(y, found),
        "adjusted_rand": adjusted_rand_score(y, found),
    }
    if table.partial_y is not None:
        unlabelled = known & (table.partial_y < 0)
        if unlabelled.any():
            values["accuracy_unlabelled"] = clustering_accuracy(table.y[unlabelled], labels[unlabelled])
    return {name: float(value) for name, value in values.items()}
