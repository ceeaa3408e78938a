"""Normalised mutual information."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.metrics import normalized_mutual_info_score

from moo_clustering.validity._contingency import encode, require_same_length
from moo_clustering.validity._population import check_option


def nmi(
    labels_true: Any,
    labels_pred: Any,
    average_method: Literal["min", "geometric", "arithmetic", "max"] = "geometric",
) -> float:
    """Mutual information over an average of the two entropies.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Numbers, strings or other hashables; NaN is refused.
    average_method : {"min", "geometric", "arithmetic", "max"}, default="geometric"
        The average; the clustering-ensemble literature takes the geometric one, scikit-learn's
        default is the arithmetic one.

    Returns
    -------
    nmi : float
        In [0, 1]; 0 if either side is a single cluster, also where both are (scikit-learn then
        returns 1).

    References
    ----------
    Document NMF, Eq. 1; Strehl & Ghosh, JMLR 3, 2002.

    Examples
    --------
    >>> from moo_clustering.validity import nmi
    >>> round(nmi([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 10)
    0.5295405781
    """
    check_option("average_method", average_method, ("min", "geometric", "arithmetic", "max"))
    true, classes = encode(labels_true, "labels_true")
    predicted, clusters = encode(labels_pred, "labels_pred")
    require_same_length(len(true), len(predicted))
    if len(classes) == 1 or len(clusters) == 1:
        return 0.0
    return float(normalized_mutual_info_score(true, predicted, average_method=average_method))
