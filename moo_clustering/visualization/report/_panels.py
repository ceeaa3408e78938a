"""Further figures of a report, as they fit the method and the data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._bag_distances import bag_distance_data
from moo_clustering.visualization._pool_similarity import pool_similarity
from moo_clustering.visualization._similarity import similarity_data
from moo_clustering.visualization.report._content import ClusterFacts, Panel
from moo_clustering.visualization.report._sampled_distances import SampledDistances
from moo_clustering.visualization.report._samples import Samples

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

# Rows and columns of a matrix; clusters whose terms are drawn; members of a pool that are counted.
_SIDE, _DRAWN = 300, 8


def panels(
    estimator: Any,
    samples: Samples | None,
    labels: Labels,
    distances: SampledDistances | None,
    facts: Sequence[ClusterFacts],
    *,
    features_title: str,
    sample_names: NDArray[np.str_],
    sample_kind: str = "sample",
) -> list[Panel]:
    """Figures of the chosen solution.

    Parameters
    ----------
    estimator : fitted clusterer
    samples : Samples or None
    labels : ndarray of shape (n_samples,)
        Of the chosen solution.
    distances : SampledDistances or None
    facts : sequence of ClusterFacts
        Of its clusters.
    features_title : str
    sample_names : ndarray of str
    sample_kind : str, default="sample"
        What a sample is called.
    """
    found = []
    if samples is not None and samples.bags is not None and distances is not None:
        found.append(_bag_distances(distances, labels, sample_names))
    found += similarity_panels(
        getattr(estimator, "similarity_", None), labels, getattr(estimator, "eigenvalues_", ())
    )
    pool = getattr(estimator, "pool_", None)
    if pool is not None:
        found.append(pool_panel(estimator))
    if samples is not None and samples.kind == "sparse":
        found += _term_panels(labels, facts, features_title, sample_kind)
    return found


def _bag_distances(distances: SampledDistances, labels: Labels, names: NDArray[np.str_]) -> Panel:
    data = bag_distance_data(distances.D, labels[distances.rows], max_bags=_SIDE)
    shown = distances.rows[data.order]
    places = [str(name) for name in names[shown]]
    note = "Bags in the order of their clusters, in each the most central first."
    if len(shown) < len(labels):
        note += f" {len(shown)} of {len(labels)} bags."
    return Panel(
        "matrix",
        "Hausdorff distances between bags",
        f"{note} {_spans(data.names, data.boundaries)}",
        x=places,
        y=places,
        matrix=data.distances,
    )


def similarity_panels(similarity: Any, labels: Labels, eigenvalues: Any = ()) -> list[Panel]:
    """A similarity matrix in the order of the clusters, and the smallest eigenvalues of its Laplacian."""
    if similarity is None or similarity.shape != (len(labels), len(labels)):
        return []
    data = similarity_data(similarity, labels, () if eigenvalues is None else eigenvalues, max_blocks=_SIDE)
    n_blocks = len(data.blocks)
    note = "Samples in the order of their clusters."
    if n_blocks < len(labels):
        note += f" Every dot is the mean of about {len(labels) / n_blocks:.0f} samples a side."
    found = [
        Panel(
            "matrix",
            "Similarity of samples",
            f"{note} {_spans(data.names, data.boundaries * n_blocks // len(labels))}",
            matrix=data.blocks,
        )
    ]
    if len(data.eigenvalues):
        numbers = np.arange(1, len(data.eigenvalues) + 1, dtype=np.float64)
        found.append(
            Panel(
                "lines",
                "Smallest eigenvalues of the Laplacian",
                "A gap after the number of clusters speaks for that number.",
                series={"eigenvalue": (numbers, data.eigenvalues)},
                axes=("number", "eigenvalue"),
            )
        )
    return found


def pool_panel(estimator: Any) -> Panel:
    """How much of the pool of the flagship has two samples together."""
    together, labels, n_all, what = pool_similarity(estimator, _SIDE)
    order = np.argsort(labels, kind="stable")
    names, starts = np.unique(labels[order], return_index=True)
    part = "" if len(labels) == n_all else f" {len(labels)} of {n_all} are shown."
    what = "Samples" if what == "samples" else "Landmarks, of many samples each,"
    return Panel(
        "matrix",
        "How much of the pool has two samples together",
        f"{what} in the order of their clusters.{part} "
        + _spans([str(name) for name in names], np.append(starts, len(labels))),
        matrix=together[np.ix_(order, order)],
    )


def roc_panel(curves: Any, aucs: Any = None) -> Panel:
    """ROC curves with the areas under them.

    Parameters
    ----------
    curves, aucs
        See :func:`~moo_clustering.visualization.roc_data`.
    """
    from moo_clustering.visualization._roc import roc_data

    data = roc_data(curves, aucs=aucs)
    chance = np.array([0.0, 1.0])
    series = {
        f"{name} (area {area:.3f})": curve
        for name, curve, area in zip(data.names, data.curves, data.aucs, strict=True)
    }
    return Panel(
        "lines",
        "ROC curves",
        "Of labels that the fit did not have, as it predicts them.",
        series={**series, "chance": (chance, chance)},
        axes=("false positive rate", "true positive rate"),
    )


def _term_panels(labels: Labels, facts: Sequence[ClusterFacts], title: str, kind: str) -> list[Panel]:
    sizes = np.bincount(labels[labels >= 0], minlength=len(facts))
    largest = np.sort(np.argsort(-sizes, kind="stable")[:_DRAWN])
    return [
        Panel(
            "bars",
            f"Cluster {cluster}: {title}",
            f"{sizes[cluster]} {kind}{'' if sizes[cluster] == 1 else 's'}",
            x=[name for name, _ in facts[cluster].features],
            y=[weight for _, weight in facts[cluster].features],
            axes=("", "weight"),
        )
        for cluster in largest
        if facts[cluster].features
    ]


def _spans(names: Sequence[str], boundaries: NDArray[Any]) -> str:
    """Where clusters begin and end, counted from 1; of few clusters."""
    if len(names) > 24:
        return ""
    spans = [
        f"{name}: {start + 1} to {stop}"
        for name, (start, stop) in zip(names, pairwise(boundaries.tolist()), strict=True)
        if stop > start
    ]
    return f"Clusters {', '.join(spans)}." if spans else ""
