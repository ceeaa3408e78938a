"""Known classes against the labels of a finished fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets import Documents, Table

_SHUFFLES = 20


def scores(table: Table | Documents, labels: NDArray[np.integer[Any]]) -> dict[str, float]:
    """Agreement with the known classes, of the samples that have one; empty without classes.

    With partial labels also on the samples whose label the fit was not given. For several classes per
    document, the entropy of the classes within clusters in bits, beside that of the same labels in
    random order (mean of 20), without which it says little.
    """
    from sklearn.metrics import adjusted_rand_score

    from moo_clustering.validity import clustering_accuracy, nmi

    if isinstance(table, Documents) and table.label_sets is not None:
        return entropies(table.label_sets, labels)
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


def entropies(sets: list[tuple[str, ...]], labels: NDArray[np.integer[Any]]) -> dict[str, float]:
    """Entropy of the label sets within clusters, and that of random labels; empty without a label."""
    from moo_clustering.validity import cluster_entropy

    known = [row for row, classes in enumerate(sets) if classes]
    if not known:
        return {}
    gold, found = [sets[row] for row in known], labels[known]
    rng = np.random.default_rng(0)
    random = [cluster_entropy(gold, rng.permutation(found)) for _ in range(_SHUFFLES)]
    return {"entropy": cluster_entropy(gold, found), "entropy_random": float(np.mean(random))}
