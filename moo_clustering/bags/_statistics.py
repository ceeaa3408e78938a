"""Bags as vectors of fixed length: statistics of their instances, and distances to other bags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags._as_bags import as_bags

Floats = NDArray[np.float64]
Statistic = Literal["mean", "min", "max"]
Embedding = Literal["mean", "stats", "stats_pca", "prototypes"]

EMBEDDINGS: tuple[str, ...] = get_args(Embedding)
_MOST_COMPONENTS = 20


def bag_statistics(bags: Any, *, statistics: Sequence[Statistic] = ("mean", "min", "max")) -> Floats:
    """Statistics of the instances of every bag, feature by feature.

    Parameters
    ----------
    bags : Bags or anything :func:`as_bags` takes
    statistics : sequence of {"mean", "min", "max"}, default=("mean", "min", "max")

    Returns
    -------
    ndarray of shape (n_bags, len(statistics) * n_features), float64
        All features of the first statistic, then those of the next.

    Raises
    ------
    ValueError
        No statistic, or an unknown one.

    Notes
    -----
    O(n_instances n_features) time.

    Examples
    --------
    >>> from moo_clustering.bags import bag_statistics
    >>> bag_statistics([[[0, 5], [2, 7]], [[4, 4]]]).tolist()
    [[1.0, 6.0, 0.0, 5.0, 2.0, 7.0], [4.0, 4.0, 4.0, 4.0, 4.0, 4.0]]
    """
    data = as_bags(bags)
    if isinstance(statistics, str) or not len(statistics):
        raise ValueError(f"statistics must be a sequence of 'mean', 'min' and 'max', got {statistics!r}")
    reductions = {"min": np.minimum, "max": np.maximum}
    parts = []
    for name in statistics:
        if name not in get_args(Statistic):
            near = did_you_mean(str(name), get_args(Statistic))
            raise ValueError(f"statistics may be 'mean', 'min' and 'max', got {name!r}{near}")
        if name == "mean":
            parts.append(data.means())
        else:
            parts.append(reductions[name].reduceat(data.instances, data.offsets[:-1], axis=0))
    return np.concatenate(parts, axis=1, dtype=np.float64)


def bag_embedding(bags: Any, kind: Embedding, *, symmetric: Floats | None = None) -> Floats:
    """Bags as vectors for algorithms that need them.

    Parameters
    ----------
    bags : Bags or anything :func:`as_bags` takes
        In the scale in which distances are meant.
    kind : {"mean", "stats", "stats_pca", "prototypes"}
        - ``"mean"``: means of the instances.
        - ``"stats"``: mean, least and greatest value of every feature, each of mean 0 and variance 1
          over the bags; what is constant is 0.
        - ``"stats_pca"``: the first min(20, n_bags - 1, 3 n_features) principal components of those.
        - ``"prototypes"``: distances to all bags.
    symmetric : ndarray of shape (n_bags, n_bags), optional
        Symmetric Hausdorff distances; only, and always, for ``"prototypes"``.

    Returns
    -------
    ndarray of shape (n_bags, n_dimensions), float64

    Raises
    ------
    ValueError
        Unknown ``kind``, or no distances for ``"prototypes"``.
    """
    if kind not in EMBEDDINGS:
        allowed = ", ".join(map(repr, EMBEDDINGS))
        raise ValueError(f"kind must be one of {allowed}, got {kind!r}{did_you_mean(str(kind), EMBEDDINGS)}")
    if kind == "prototypes":
        if symmetric is None:
            raise ValueError('kind="prototypes" needs the distances: give symmetric')
        return symmetric
    if kind == "mean":
        return as_bags(bags).means()
    table: Floats = StandardScaler().fit_transform(bag_statistics(bags))
    if kind == "stats":
        return table
    n_components = min(_MOST_COMPONENTS, len(table) - 1, table.shape[1])
    if n_components < 1 or not table.any():
        return np.zeros((len(table), 1))
    components: Floats = PCA(n_components, svd_solver="full").fit_transform(table)
    return components
