"""Agreement of a partition with classes after matching clusters to classes one to one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from moo_clustering.validity._assignment import class_of_cluster, most_agreements
from moo_clustering.validity._contingency import contingency


def clustering_accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Share of samples whose cluster is matched to their class, under the best one-to-one matching.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Numbers, strings or other hashables; NaN is refused.

    Returns
    -------
    accuracy : float
        In (0, 1]. Samples of clusters or classes left unmatched, where their numbers differ, count
        as errors. Quote it beside the share of the largest class, which one cluster for everything
        reaches.

    Notes
    -----
    Hungarian method on the sparse contingency table: neither greedy matching nor purity.
    O(n log n) for n samples, and O(min(C, K)^2 max(C, K)) for C classes and K clusters.

    References
    ----------
    PESC.

    Examples
    --------
    >>> from moo_clustering.validity import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1, 2], [2, 2, 0, 0, 0])
    0.8
    """
    table, _ = contingency(labels_true, labels_pred)
    return most_agreements(table) / int(table.sum())


def matched_rand_index(labels_true: Any, labels_pred: Any) -> float:
    """What the multi-instance papers print as "RI": :func:`clustering_accuracy`, not the Rand index.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        As for :func:`clustering_accuracy`.

    Returns
    -------
    accuracy : float
        See :func:`clustering_accuracy`; the Rand index proper is :func:`sklearn.metrics.rand_score`.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 18.
    """
    return clustering_accuracy(labels_true, labels_pred)


def matched_f1(labels_true: Any, labels_pred: Any, pos_label: Hashable | None = None) -> float:
    """F1 of the positive class, predicted by the cluster that is matched to it.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        As for :func:`clustering_accuracy`.
    pos_label : hashable, optional
        The positive class; the largest label by default.

    Returns
    -------
    f1 : float
        0 if no cluster is matched to the positive class.

    Raises
    ------
    ValueError
        If ``pos_label`` is no class, or is needed because the labels cannot be ordered.

    Notes
    -----
    Among matchings with equally many agreements the one with most clusters matched is used, then
    the lexicographically smallest (class of cluster 0, class of cluster 1, ...), for tables of up to
    4096 cells.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 20.

    Examples
    --------
    >>> from moo_clustering.validity import matched_f1
    >>> matched_f1([1, 1, 0, 0, 1], [0, 0, 1, 1, 1])
    0.8
    """
    table, classes = contingency(labels_true, labels_pred)
    if pos_label is None:
        try:
            pos_label = max(classes)
        except TypeError:
            raise ValueError("pos_label must be given: labels_true cannot be ordered") from None
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among labels_true")
    positive = classes.index(pos_label)
    cluster = np.flatnonzero(class_of_cluster(table) == positive)
    if len(cluster) == 0:
        return 0.0
    hits = int(table[positive, cluster[0]])
    in_class, in_cluster = int(table[[positive]].sum()), int(table[:, [cluster[0]]].sum())
    return 2 * hits / (in_class + in_cluster)  # Eq. 20
