"""k-means of bags: centres are vectors, and a bag is as far as its farthest instance."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags
from moo_clustering.bags._geometry import Weighting
from moo_clustering.bags._repair import PartitionRepair
from moo_clustering.estimators._number_clusters import number_clusters
from moo_clustering.estimators.multi_instance._bag_centers import farthest_distances, least

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class BagPartition(NamedTuple):
    """Where a run ends.

    Attributes
    ----------
    labels : ndarray of shape (n_bags,), int32
        Numbered as the centres; a number without bags may be left out.
    centers : ndarray of shape (n_clusters, n_features)
        Of ``labels``; that of a cluster without bags is where it was last.
    inertia : float
        Sum of squared distances of all bags to the centres of their clusters (Eq. 4).
    n_iter : int
        Updates of the centres.
    converged : bool
        Whether further updates would lead nowhere new.
    history : list
        Inertia and size of the smallest cluster after every update.
    """

    labels: Labels
    centers: Floats
    inertia: float
    n_iter: int
    converged: bool
    history: list[tuple[float, int]]


def mi_kmeans(
    bags: Bags,
    centers: Floats,
    *,
    weighting: Weighting = "bag",
    empty: Literal["repair", "keep"] = "repair",
    max_iter: int = 100,
    repair: PartitionRepair | None = None,
) -> BagPartition:
    """Assign bags to centres and move centres to the means of their bags, in turns.

    Parameters
    ----------
    bags : Bags
    centers : ndarray of shape (n_clusters, n_features)
        Where the centres start.
    weighting : {"bag", "instance"}, default="bag"
        Centres as means of the bag means (Eq. 3), or of all instances.
    empty : {"repair", "keep"}, default="repair"
        A cluster without bags gets the bag farthest from its own centre, or its centre stays.
    max_iter : int, default=100
        Updates of the centres.
    repair : PartitionRepair, optional
        What every assignment is made to respect besides.

    Returns
    -------
    BagPartition

    Notes
    -----
    An update of the centres may raise the inertia, since the mean is not the point from which the
    farthest instances are nearest. When a partition comes back that was left before, the best of the
    cycle counts.

    O(n_clusters n_instances n_features) time for an iteration; memory besides the bags O(n_bags
    (n_clusters + n_features)) and a block of bounded size.

    References
    ----------
    Evolutionary multi-instance clustering, MIKM and Eqs. 1, 3 and 4.
    """
    means = bags.means()
    weights = np.ones(bags.n_bags) if weighting == "bag" else bags.sizes.astype(np.float64)
    filler = PartitionRepair(bags.n_bags, 0, None) if repair is None else repair
    rule = "farthest" if empty == "repair" else "keep"

    def assigned(distances: Floats) -> Labels:
        labels = filler.filled(least(distances)[None], distances[None], rule)
        return (labels if repair is None else repair.apply(labels, distances[None]))[0]

    rows = np.arange(bags.n_bags)
    visited: list[tuple[Labels, Floats]] = []
    history: list[tuple[float, int]] = []
    seen: dict[bytes, int] = {}
    labels = assigned(farthest_distances(bags, centers))
    best = 0
    converged = False
    while True:
        centers = moved_centers(means, weights, labels, centers)
        sizes = np.bincount(labels, minlength=len(centers))
        # Where centres of clusters without bags stay is part of what decides how it goes on.
        state = number_clusters(labels)[0].tobytes() + centers[sizes == 0].tobytes()
        first = seen.setdefault(state, len(visited))
        if first < len(visited):
            best = first + int(np.argmin([value for value, _ in history[first:]]))
            converged = True
            break
        if len(visited) == max_iter:
            break
        distances = farthest_distances(bags, centers)
        inertia = float((distances[rows, labels] ** 2).sum())
        best = len(visited)
        visited.append((labels, centers))
        history.append((inertia, int(sizes.min())))
        labels = assigned(distances)
    return BagPartition(*visited[best], history[best][0], len(visited), converged, history)


def moved_centers(means: Floats, weights: Floats, labels: Labels, centers: Floats) -> Floats:
    """Centroids, Eq. 3; a cluster without bags keeps its centre.

    Parameters
    ----------
    means : ndarray of shape (n_bags, n_features)
    weights : ndarray of shape (n_bags,)
    labels : ndarray of shape (n_bags,)
    centers : ndarray of shape (n_clusters, n_features)
    """
    shares = (labels == np.arange(len(centers))[:, None]) * weights
    masses = shares.sum(axis=1)
    live = masses > 0.0
    out = np.array(centers, dtype=np.float64)
    out[live] = (shares[live] @ means) / masses[live, None]
    return out
