"""What the clusters of documents are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._tables import aligned
from moo_clustering.datasets import Documents

TERMS = "terms.png"
_TERMS = 10
_TITLE = 80  # characters of a text that stand for a missing title
_SHOWN = 20


def cluster_frame(text: TextFeatures, estimator: Any) -> pd.DataFrame:
    """Number, size, a typical document with its title, and leading terms of every cluster.

    The document is the medoid where the method has medoids (``medoid_indices_``), and else the one
    nearest to the mean by cosine, the first of equals. The terms are those of the largest mean weight.
    """
    labels = np.asarray(estimator.labels_)
    n_clusters = int(labels.max()) + 1
    totals = _totals(text, labels, n_clusters)
    medoids = _medoids(estimator, labels, n_clusters)
    rows: list[dict[str, Any]] = []
    for cluster in range(n_clusters):
        inside = np.flatnonzero(labels == cluster)
        if not len(inside):
            continue
        total = totals[[cluster]].toarray().ravel()
        typical = inside[np.argmax(text.weights[inside] @ total)] if medoids is None else medoids[cluster]
        leading = np.argsort(-total, kind="stable")[:_TERMS]
        rows.append(
            {
                "cluster": cluster,
                "size": len(inside),
                "document": text.documents.row_ids[typical],
                "title": _title(text.documents, typical),
                "terms": " ".join(text.vocabulary[leading[total[leading] > 0]]),
            }
        )
    return pd.DataFrame(rows)


def draw_terms(folder: Path, text: TextFeatures, estimator: Any, name: str) -> list[str]:
    """Bars of the mean weights of the leading terms of every cluster; name of the file."""
    # Loaded here because drawing takes a second to import.
    from moo_clustering.visualization._terms import plot_terms

    labels = np.asarray(estimator.labels_)
    sizes = np.bincount(labels)
    means = sparse.diags_array(1.0 / np.maximum(sizes, 1)) @ _totals(text, labels, len(sizes))
    plot_terms(
        means,
        text.vocabulary,
        sizes=sizes,
        title=f"{type(estimator).__name__}, {name}",
        label="mean tf-idf weight",
        path=folder / TERMS,
    )
    return [TERMS]


def cluster_table(frame: pd.DataFrame) -> str:
    """The largest clusters, for a terminal."""
    largest = frame.sort_values("size", ascending=False, kind="stable").head(_SHOWN)
    rows = [["cluster", "size", "document", "title", "leading terms"]]
    for cluster, size, document, title, terms in largest.itertuples(index=False):
        rows.append(
            [str(cluster), str(size), shortened(document, 20), shortened(title, 34), shortened(terms, 52)]
        )
    text = aligned(rows, right=(0, 1))
    if len(frame) > _SHOWN:
        text += f"\nand {len(frame) - _SHOWN} more in clusters.csv"
    return text


def _totals(text: TextFeatures, labels: NDArray[Any], n_clusters: int) -> Any:
    """Sums of the weights of the clusters, sparse."""
    member = (np.ones(len(labels)), (labels, np.arange(len(labels))))
    return sparse.csr_array(member, shape=(n_clusters, len(labels))) @ sparse.csr_array(text.weights)


def _medoids(estimator: Any, labels: NDArray[Any], n_clusters: int) -> NDArray[np.integer[Any]] | None:
    medoids = getattr(estimator, "medoid_indices_", None)
    if medoids is None or len(medoids) != n_clusters:
        return None
    found = np.asarray(medoids)
    return found if np.array_equal(labels[found], np.arange(n_clusters)) else None


def _title(documents: Documents, row: int) -> str:
    title = documents.titles[row] if documents.titles is not None else ""
    return _one_line(title) or shortened(documents.texts[row][: 4 * _TITLE], _TITLE)


def shortened(text: object, width: int) -> str:
    """The text on one line of at most so many characters."""
    line = _one_line(text)
    return line if len(line) <= width else f"{line[: width - 3].rstrip()}..."


def _one_line(text: object) -> str:
    """Without line breaks, and without anything that a terminal would obey."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(text)).split())
