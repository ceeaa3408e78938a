"""Tables printed in "Multi-label ASRS dataset classification using semi-supervised subspace clustering"."""

from __future__ import annotations

# Sets by the names that they have here, with the names of the paper.
DATASETS = {"asrs": "ASRS", "reuters": "Reuters", "20news": "20 Newsgroups"}
FRACTIONS = (0.1, 0.25, 0.5, 0.75, 1.0)

# Area under the averaged ROC curve, all training documents labelled.
TABLE2: dict[str, tuple[float, ...]] = {
    "SISC-ML": (0.666, 0.815, 0.84),
    "k-NN": (0.552, 0.585, 0.698),
    "SCAD2": (0.482, 0.533, 0.643),
    "K-Means Entropy": (0.47, 0.538, 0.657),
    "MetaLabeler": (0.58, 0.762, 0.766),
    "Pruned Set": (0.469, 0.56, 0.60),
}

# SISC-ML by the share of training documents that are labelled.
TABLE3: dict[str, tuple[float, ...]] = {
    "asrs": (0.658, 0.662, 0.678, 0.675, 0.666),
    "reuters": (0.821, 0.818, 0.795, 0.808, 0.815),
    "20news": (0.836, 0.858, 0.838, 0.826, 0.84),
}


def published_table2(method: str, name: str) -> float | None:
    """What Table 2 has for one of its methods on a set; None for other methods."""
    row = TABLE2.get(method)
    return None if row is None else row[list(DATASETS).index(name)]


def published_table3(name: str, fraction: float) -> float:
    """What Table 3 has for a set and a share of labelled documents."""
    return TABLE3[name][FRACTIONS.index(fraction)]
