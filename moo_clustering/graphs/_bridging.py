"""Weak links that make a graph connected, along a minimum spanning tree of its components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph
from sklearn.utils import check_array

from moo_clustering.graphs._bridge_search import LargeGraphBridges
from moo_clustering.graphs._neighbors import NeighborLists, check_distances
from moo_clustering.graphs._search import CHUNK, Metric, metric_space, point_search, round_distances
from moo_clustering.graphs._similarity import symmetrize

Ints = NDArray[np.int64]

# Up to this many samples all pairs are looked at.
_EXACT = 2000
_WEAKNESS = 1e-3


class Links(NamedTuple):
    """Possible links of sample i with sample j, for the part of i, with their lengths."""

    i: Ints
    j: Ints
    length: NDArray[np.float64]


Proposal = Callable[[NDArray[np.int32]], Links]


def bridge_components(
    S: Any,
    X: ArrayLike,
    *,
    metric: Metric = "euclidean",
    lists: NeighborLists | None = None,
    rng: np.random.Generator,
) -> sp.csr_array:
    """Link the components of a graph by the minimum spanning tree of their smallest distances.

    Links get the similarity 1e-3 min{s_ij > 0}: too weak to change the order within components, yet
    enough to make the eigenproblem well posed. A sample without edges is a component.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities; symmetrised first, not modified.
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) distances with ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
    lists : NeighborLists, optional
        Neighbours of every sample; above 2000 samples their links are used before any search is made.
    rng : numpy.random.Generator
        Draws the order of equally long links.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric, connected

    Notes
    -----
    Exact up to 2000 samples and for precomputed distances, O(N^2) per doubling of components. Above,
    first the links of the lists, then nearest samples outside of small components (exact) and
    between large ones (exact up to 4 features, otherwise among the 1024 members of each that face the
    other), O(N log N) on well-behaved data.

    References
    ----------
    PESC.
    """
    graph = symmetrize(S)
    n_parts, parts = csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    n_samples = graph.shape[0]
    keys = rng.permutation(np.arange(n_samples, dtype=np.int64))
    i, j = spanning_links(parts, _proposals(X, metric, lists, keys, n_samples), keys)
    weight = _WEAKNESS * float(graph.data.min(initial=np.inf))
    values = np.full(len(i), weight if np.isfinite(weight) else _WEAKNESS)
    bridges = sp.coo_array((values, (i, j)), shape=graph.shape).tocsr()
    bridged = (graph + bridges + bridges.T).tocsr()
    bridged.sort_indices()
    return bridged


def spanning_links(parts: NDArray[np.int32], proposals: list[Proposal], keys: Ints) -> tuple[Ints, Ints]:
    """Links that join all parts: Boruvka's algorithm on what the proposals offer, in turn.

    A proposal is asked again as long as its links join parts, then the next one is. The last must
    always be able to offer one.
    """
    chosen: list[tuple[Ints, Ints]] = []
    for propose in proposals:
        while (n_parts := int(parts.max()) + 1) > 1:
            i, j = _shortest_of_parts(propose(parts), parts, keys)
            if not len(i):
                break
            chosen.append((i, j))
            tree = sp.coo_array((np.ones(len(i)), (parts[i], parts[j])), shape=(n_parts, n_parts))
            parts = csgraph.connected_components(tree.tocsr(), directed=False)[1][parts]
    return np.concatenate([i for i, _ in chosen]), np.concatenate([j for _, j in chosen])


def _shortest_of_parts(links: Links, parts: NDArray[np.int32], keys: Ints) -> tuple[Ints, Ints]:
    """The shortest link out of every part, ties by the keys of the samples, without circles."""
    outward = np.flatnonzero(parts[links.i] != parts[links.j])
    i, j = links.i[outward], links.j[outward]
    order = np.lexsort((np.maximum(keys[i], keys[j]), np.minimum(keys[i], keys[j]), links.length[outward]))
    i, j = i[order], j[order]
    first = np.sort(np.unique(parts[i], return_index=True)[1])
    i, j = i[first], j[first]
    # Not every tied link need be on offer, so that three parts can each choose another of equal
    # length. The place in the order is a weight without ties; of two between the same parts the
    # first counts.
    n_parts = int(parts.max()) + 1
    p, q = np.minimum(parts[i], parts[j]).astype(np.int64), np.maximum(parts[i], parts[j])
    once = np.sort(np.unique(p * n_parts + q, return_index=True)[1])
    # SciPy's graph routines long took 32-bit indices only.
    between = p[once].astype(np.int32), q[once].astype(np.int32)
    graph = sp.coo_array((once + 1.0, between), shape=(n_parts, n_parts)).tocsr()
    kept = np.sort(csgraph.minimum_spanning_tree(graph).data.astype(np.int64) - 1)
    return i[kept], j[kept]


def _proposals(
    X: ArrayLike, metric: Metric, lists: NeighborLists | None, keys: Ints, n_samples: int
) -> list[Proposal]:
    if isinstance(metric, str) and metric == "precomputed":
        D = check_distances(X)
        return [_exact_links(lambda rows: np.minimum(D[rows], D[:, rows].T), keys)]
    space = metric_space(check_array(X, dtype=[np.float64, np.float32]), metric)
    search = point_search(space.points, space)
    if n_samples <= _EXACT:
        return [_exact_links(search.all_distances, keys)]
    large = LargeGraphBridges(search, space)
    offers: list[Proposal] = [
        lambda parts: Links(*large.from_small_parts(parts)),
        lambda parts: Links(*large.between_parts(parts)),
    ]
    if lists is not None:
        offers.insert(0, _listed_links(lists))
    return offers


def _listed_links(lists: NeighborLists) -> Proposal:
    """Listed links out of parts of which no sample can have a shorter one that is not listed."""
    row, rank = np.nonzero(lists.indices >= 0)
    listed = Links(
        row, lists.indices[row, rank].astype(np.int64), lists.distances[row, rank].astype(np.float64)
    )
    n_samples = len(lists.indices)
    reach = lists.distances[np.arange(n_samples), lists.n_admissible - 1]

    def propose(parts: NDArray[np.int32]) -> Links:
        n_parts = int(parts.max()) + 1
        known, best = np.full(n_parts, np.inf), np.full(n_parts, np.inf)
        np.minimum.at(known, parts, reach)
        outward = parts[listed.i] != parts[listed.j]
        np.minimum.at(best, parts[listed.i[outward]], listed.length[outward])
        certain = outward & (best <= known)[parts[listed.i]]
        return Links(*(column[certain] for column in listed))

    return propose


def _exact_links(distances: Callable[[Ints], NDArray[np.floating[Any]]], keys: Ints) -> Proposal:
    """Of every sample the nearest one of another part."""

    def propose(parts: NDArray[np.int32]) -> Links:
        n_samples = len(parts)
        by_key = np.argsort(keys)
        nearest, length = np.empty(n_samples, dtype=np.int64), np.empty(n_samples)
        step = max(1, CHUNK // n_samples)
        for lo in range(0, n_samples, step):
            rows = np.arange(lo, min(lo + step, n_samples))
            # With columns in the order of the keys the first minimum is the one of smallest key.
            block = round_distances(distances(rows)[:, by_key])
            block[parts[rows, None] == parts[by_key]] = np.inf
            place = block.argmin(axis=1)
            nearest[rows], length[rows] = by_key[place], block[np.arange(len(rows)), place]
        return Links(np.arange(n_samples), nearest, length)

    return propose
