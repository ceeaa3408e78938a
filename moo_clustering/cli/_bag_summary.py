"""What ``fit`` says at the end of a run on bags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_INDICES = {
    "davies_bouldin_bag": "Davies-Bouldin",
    "silhouette_cluster": "silhouette",
    "sdbw_bag": "S_Dbw",
}
_SCORES = {
    "accuracy": "accuracy (RI)",
    "entropy": "entropy, bits",
    "f1": "F1",
    "adjusted_rand": "adjusted Rand",
    "largest_class": "largest class",
    "accuracy_unlabelled": "accuracy of unlabelled",
}
_SMALL = 0.05


def bag_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Clusters, indices and scores."""
    sizes = record["result"]["sizes"]
    ordered = sorted(sizes, reverse=True)
    shown = ", ".join(map(str, ordered[:10])) + (", ..." if len(sizes) > 10 else "")
    rows = [["clusters", f"{len(sizes)} of {shown} bags; {_smallest(sizes)}"]]
    for name, title in _INDICES.items():
        if name in record["indices"]:
            value = record["indices"][name]
            rows.append([title, "undefined" if value is None else f"{value:.4f}"])
    scores = record["scores"]
    return rows + [[title, f"{scores[name]:.4f}"] for name, title in _SCORES.items() if name in scores]


def bag_remark(record: Mapping[str, Any]) -> str | None:
    """A sentence about clusters that are hardly any."""
    sizes = record["result"]["sizes"]
    if "alternatives" in record:  # chosen by other than indices of separation
        return None
    if len(sizes) < 2 or (min(sizes) > 1 and min(sizes) >= _SMALL * sum(sizes)):
        return None
    return (
        f"A cluster holds only {_bags(min(sizes))} of {sum(sizes)}: indices of separation favour outlying "
        "bags against all others. --min-cluster-size N keeps N bags in every cluster."
    )


def _smallest(sizes: list[int]) -> str:
    return f"the smallest has {_bags(min(sizes))} ({min(sizes) / sum(sizes):.1%})"


def _bags(count: int) -> str:
    return f"{count} bag{'' if count == 1 else 's'}"
