"""Entropy of the classes within clusters."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from moo_clustering.validity._contingency import encode, require_same_length
from moo_clustering.validity._population import check_option

_SETS = (list, tuple, set, frozenset, np.ndarray)


def cluster_entropy(
    labels_true: Any,
    labels_pred: Any,
    base: float = 2.0,
    multilabel: Literal["fractional", "count", "first"] = "fractional",
) -> float:
    """Entropy of the classes within clusters, weighted by cluster size; smaller is better.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), or sequence of n_samples label sets
        Classes; lists, tuples, sets or arrays as entries are the several classes of one sample,
        at least one each, repetitions ignored.
    labels_pred : array-like of shape (n_samples,)
        Clusters.
    base : float, default=2
        Base of the logarithm: 2 for bits, ``math.e`` for nats.
    multilabel : {"fractional", "count", "first"}, default="fractional"
        What a sample with s classes adds to each: 1/s, or 1, or 1 to the first listed class only.

    Returns
    -------
    entropy : float
        ``sum_c (n_c / n) * -sum_g p_gc log p_gc`` with p_gc the share of class g in what cluster c
        received; n_c counts samples. 0 for pure clusters of samples with one class each.

    Raises
    ------
    ValueError
        If lengths differ, a sample has no class, or ``"first"`` meets a set, which has no order.

    Notes
    -----
    O(n log n). Falls with the number of clusters and rewards singletons: quote it beside that
    number and the entropy of random labels with the same number.

    References
    ----------
    NSGA-II-clus; Evolutionary multi-instance clustering, Eq. 19.

    Examples
    --------
    >>> from moo_clustering.validity import cluster_entropy
    >>> round(cluster_entropy(list("aabbbb"), [0, 0, 0, 1, 1, 1]), 6)
    0.459148
    """
    check_option("multilabel", multilabel, ("fractional", "count", "first"))
    if not (np.isfinite(base) and base > 0 and base != 1):
        raise ValueError(f"base must be positive and not 1, got {base!r}")
    clusters, names = encode(labels_pred, "labels_pred")
    require_same_length(len(labels_true), len(clusters))
    samples, classes, weights = _memberships(labels_true, multilabel)
    shape = (len(names), int(classes.max()) + 1)
    table = csr_array((weights, (clusters[samples], classes)), shape=shape)
    table.sum_duplicates()
    received = np.asarray(table.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(len(names)), np.diff(table.indptr))
    shares = table.data / received[rows]
    per_cluster = np.bincount(rows, weights=-shares * np.log(shares), minlength=len(names))
    sizes = np.bincount(clusters)
    # A pure cluster whose share rounds to just above 1 must not make the sum negative.
    return max(0.0, float(sizes @ per_cluster) / len(clusters) / float(np.log(base)))


def _memberships(
    labels_true: Any, multilabel: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Sample, class code and weight of every membership."""
    if isinstance(labels_true, np.ndarray) and labels_true.ndim > 1:
        raise ValueError(
            f"labels_true must have one entry per sample, got shape {labels_true.shape}; "
            "pass several classes per sample as a list of lists"
        )
    if not any(isinstance(entry, _SETS) for entry in labels_true):
        codes, _ = encode(labels_true, "labels_true")
        return np.arange(len(codes)), codes, np.ones(len(codes))
    members = [_classes(entry, i, multilabel) for i, entry in enumerate(labels_true)]
    counts = np.array([len(entry) for entry in members])
    codes, _ = encode([label for entry in members for label in entry], "labels_true")
    weights = np.repeat(1.0 / counts if multilabel == "fractional" else np.ones(len(counts)), counts)
    return np.repeat(np.arange(len(members)), counts), codes, weights


def _classes(entry: Any, sample: int, multilabel: str) -> list[Any]:
    """Different classes of one sample, in the order listed."""
    if not isinstance(entry, _SETS):
        return [entry]
    classes = list(dict.fromkeys(entry.tolist() if isinstance(entry, np.ndarray) else entry))
    if not classes:
        raise ValueError(f"labels_true must give every sample a class, but sample {sample} has none")
    if multilabel == "first":
        if isinstance(entry, set | frozenset) and len(classes) > 1:
            raise ValueError(f'multilabel="first" needs ordered classes, but sample {sample} has a set')
        return classes[:1]
    return classes
