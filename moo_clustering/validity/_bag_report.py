"""Everything that is known about one partition of bags."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from moo_clustering.validity._bag_data import WEIGHTINGS, bags_of, check_bag_population, geometry_of
from moo_clustering.validity._bag_davies_bouldin import BagDaviesBouldin
from moo_clustering.validity._bag_sdbw import BagSDbw
from moo_clustering.validity._bag_silhouette import BagSilhouette
from moo_clustering.validity._base import ValidityIndex
from moo_clustering.validity._entropy import cluster_entropy
from moo_clustering.validity._matching import clustering_accuracy, matched_f1, matched_rand_index
from moo_clustering.validity._within_variation import FTWCV, TWCV


def bag_indices(bags: Any, *, n_jobs: int | None = None) -> dict[str, ValidityIndex]:
    """The internal indices that :func:`bag_report` reports, fitted.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        In the scale in which distances are meant.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Returns
    -------
    indices : dict of str to ValidityIndex
        Undefined values are inf, not 1e6.
    """
    from moo_clustering.bags import bag_distances

    data = bags_of(bags)
    given = getattr(bags, "weighting", None)
    by_bag, by_instance = (
        bags if weighting == given else geometry_of(data, weighting, "bag_indices")
        for weighting in WEIGHTINGS
    )
    distances = bag_distances(data, n_jobs=n_jobs)
    return {
        "davies_bouldin_bag": BagDaviesBouldin(undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "davies_bouldin_instance": BagDaviesBouldin("instance", undefined=np.inf, n_jobs=n_jobs).fit(
            by_instance
        ),
        "silhouette_cluster": BagSilhouette("precomputed", n_jobs=n_jobs).fit(distances),
        "silhouette_bag": BagSilhouette("precomputed", "bag", n_jobs=n_jobs).fit(distances),
        "sdbw_bag": BagSDbw(undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "sdbw_instance": BagSDbw(sigma="instance", undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "twcv_bag": TWCV(n_jobs=n_jobs).fit(by_bag),
        "twcv_instance": TWCV("instance", n_jobs=n_jobs).fit(by_instance),
        "ftwcv_bag": FTWCV(n_jobs=n_jobs).fit(by_bag),
        "ftwcv_instance": FTWCV(weighting="instance", n_jobs=n_jobs).fit(by_instance),
    }


def bag_report(
    bags: Any,
    labels: Any,
    y: Any = None,
    *,
    pos_label: Hashable | None = None,
    indices: Mapping[str, ValidityIndex] | None = None,
) -> dict[str, Any]:
    """Internal indices and cluster sizes of a partition of bags, and its agreement with classes.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        In the scale in which distances are meant; not needed with ``indices``, and may then be None.
    labels : array-like of shape (n_bags,)
        Clusters 0..k-1; empty ones do not count.
    y : array-like of shape (n_bags,), optional
        Classes.
    pos_label : hashable, optional
        Positive class for F1; the largest label by default.
    indices : mapping of str to fitted ValidityIndex, optional
        What to report; default :func:`bag_indices`. Make it once to report on many partitions.

    Returns
    -------
    report : dict
        ``n_clusters``, ``smallest_cluster`` and ``cluster_sizes`` (list); the values of the indices,
        which by default are ``davies_bouldin_bag`` and ``davies_bouldin_instance`` (weighting of
        centroids), ``silhouette_cluster`` and ``silhouette_bag`` (directed distances; what is averaged
        over), ``sdbw_bag`` and ``sdbw_instance`` (whose variances), ``twcv_*`` and ``ftwcv_*``, with inf
        where undefined. With ``y`` also ``matched_rand_index``, ``entropy`` (bits), ``f1``,
        ``adjusted_rand`` and ``accuracy`` (the first one under its usual name).

    References
    ----------
    Evolutionary multi-instance clustering, Tables III and VI.

    Examples
    --------
    >>> from moo_clustering.validity import bag_report
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> report = bag_report(bags, [0, 0, 1, 1, 1], y=[1, 1, 0, 0, 1])
    >>> report["cluster_sizes"], round(report["davies_bouldin_bag"], 4), report["accuracy"]
    ([2, 3], 0.8294, 0.8)
    """
    fitted = bag_indices(bags) if indices is None else indices
    found = np.asarray(labels)
    if found.ndim != 1:
        raise ValueError(f"labels must be one partition of shape (n_bags,), got shape {found.shape}")
    population = check_bag_population(found, len(found))
    sizes = population.sizes[0]
    report: dict[str, Any] = {
        "n_clusters": len(sizes),
        "smallest_cluster": int(sizes.min()),
        "cluster_sizes": sizes.tolist(),
    }
    for name, index in fitted.items():
        report[name] = float(index.evaluate(population.labels)[0])
    if y is not None:
        report["matched_rand_index"] = matched_rand_index(y, found)
        report["entropy"] = cluster_entropy(y, found)
        report["f1"] = matched_f1(y, found, pos_label)
        report["adjusted_rand"] = float(adjusted_rand_score(y, found))
        report["accuracy"] = clustering_accuracy(y, found)
    return report
