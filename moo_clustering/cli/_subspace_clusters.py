"""What clusters in subspaces are about: leading features and classes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.cli._clusters import TERMS, cluster_frame, shortened
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._tables import aligned
from moo_clustering.datasets import Table

if TYPE_CHECKING:
    from moo_clustering.cli._job import Job

_FEATURES, _CLASSES = 10, 5
# Rows of the table on a terminal, and characters of its cells.
_SHOWN, _WIDTHS = 20, {"classes": 40, "features": 60}
_DRAWN = 24


def subspace_frame(job: Job) -> pd.DataFrame:
    """Number, size, impurity, leading features and leading classes of the clusters that have samples; of
    documents a typical one with its title too.

    Features have their weights beside them, in multiples of the mean weight; classes their shares.
    Leading features are those of large weights in tables, and elsewhere those that are also present.
    """
    estimator = job.estimator
    sizes = np.bincount(estimator.labels_)
    clusters = np.flatnonzero(sizes)
    frame = pd.DataFrame({"cluster": clusters, "size": sizes[clusters]})
    if isinstance(job.data, TextFeatures):
        documents = cluster_frame(job.data, estimator)
        frame[["document", "title"]] = documents[["document", "title"]].to_numpy()
    impurities = getattr(estimator, "impurities_", None)
    if impurities is not None:
        frame["impurity"] = np.asarray(impurities)[clusters]
    if job.labels is not None and job.labels.y is not None:
        shares = np.asarray(estimator.class_shares_)[clusters]
        frame["classes"] = [_classes(job.class_names, row) for row in shares]
    weights = np.asarray(estimator.feature_weights_)[clusters]
    weights *= weights.shape[1]
    if isinstance(job.data, Table):  # whose features need not be present to tell something
        leading = [np.argsort(-row, kind="stable")[:_FEATURES].tolist() for row in weights]
    else:
        found = estimator.leading_features(_FEATURES)
        leading = [found[cluster] for cluster in clusters]
    frame["features"] = [
        _listed((job.feature_names[column], row[column]) for column in columns)
        for columns, row in zip(leading, weights, strict=True)
    ]
    return frame


def subspace_table(frame: pd.DataFrame) -> str:
    """The largest clusters, for a terminal."""
    largest = frame.sort_values("size", ascending=False, kind="stable").head(_SHOWN)
    columns = [name for name in ("cluster", "size", "impurity", "classes", "features") if name in frame]
    rows = [[f"leading {name}" if name in _WIDTHS else name for name in columns]]
    rows += [[_cell(name, entry[name]) for name in columns] for entry in largest.to_dict("records")]
    text = aligned(rows, right=[place for place, name in enumerate(columns) if name not in _WIDTHS])
    if len(frame) > _SHOWN:
        text += f"\nand {len(frame) - _SHOWN} more in clusters.csv"
    return text


def draw_leading(folder: Path, job: Job) -> list[str]:
    """Bars of the leading features of every cluster, as long as they lead; name of the file."""
    # Loaded here because drawing takes a second to import.
    from moo_clustering.visualization._figures import save_figure
    from moo_clustering.visualization._terms import plot_terms

    estimator = job.estimator
    weights = np.asarray(estimator.feature_weights_)
    leading = estimator.leading_features(_FEATURES)
    rows = np.repeat(np.arange(len(leading)), [len(columns) for columns in leading])
    columns = np.array([column for found in leading for column in found], dtype=np.intp)
    X: Any = job.data.X
    means = np.asarray(X.mean(axis=0)).ravel()
    excess = np.asarray(estimator.cluster_centers_)[rows, columns] - means[columns]
    values = weights.shape[1] * weights[rows, columns] * excess
    sizes = np.bincount(estimator.labels_, minlength=len(weights))
    figure = plot_terms(
        sparse.csr_array((values, (rows, columns)), shape=weights.shape),
        job.feature_names,
        sizes=sizes,
        max_clusters=_DRAWN,
        label="weight (1: mean weight) times centre of the cluster above the mean of all",
    )
    n_clusters = int(np.count_nonzero(sizes))
    which = f"{_DRAWN} of {n_clusters} clusters" if n_clusters > _DRAWN else "the clusters"
    kind = "documents" if isinstance(job.data, TextFeatures) else "samples"
    figure.suptitle(
        f"{type(estimator).__name__}, {job.table.name}:\nleading features of {which} ({kind})",
        parse_math=False,
    )
    save_figure(figure, folder / TERMS)
    return [TERMS]


def _classes(names: list[str], shares: NDArray[Any]) -> str:
    order = np.argsort(-shares, kind="stable")[:_CLASSES]
    return _listed((names[place], shares[place]) for place in order if shares[place] > 0)


def _listed(entries: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name} ({value:.2f})" for name, value in entries)


def _cell(name: str, value: Any) -> str:
    if name == "features":  # without their weights, which say little at a glance
        value = " ".join(entry.rpartition(" (")[0] for entry in value.split("), "))
    if name in _WIDTHS:
        return shortened(value, _WIDTHS[name])
    return f"{value:.2f}" if name == "impurity" else str(value)
