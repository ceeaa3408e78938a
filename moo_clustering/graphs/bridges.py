"""Links that join the components of a similarity graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.sparse import csgraph
from scipy.spatial import cKDTree
from sklearn.metrics import pairwise_distances_argmin_min

from moo_clustering._arrays import AnyFloatArray, FloatArray, Int32Array, Int64Array, block_slices
from moo_clustering._data import FLOATS, checked_table
from moo_clustering._distances import checked_distances
from moo_clustering.graphs import neighbors
from moo_clustering.graphs.matrices import symmetrize
from moo_clustering.graphs.neighbors import Metric, NeighborLists

# The similarity of a bridge is the smallest similarity in the graph, multiplied by this factor.
WEAKNESS = 1e-3
ALL_PAIRS_UP_TO = 2000
# If a part is too large to compare all of its samples, only this number of samples is compared. These are the
# samples nearest to the centre of the other part.
FACING_SAMPLES = 1024
# If there are at most this many pairs of samples between two parts, all of the pairs are compared.
COMPARED_PAIRS = 1 << 22
_NAMES = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}


def bridge_components(
    S: Any, X: ArrayLike, *, metric: Metric = "euclidean", lists: NeighborLists | None = None, rng: Generator
) -> sp.csr_array:
    """Connect the components of a graph by the shortest links: a minimum spanning tree of the components.

    New links have a thousandth of the smallest positive similarity. This separates the components, but keeps
    the eigenproblem well posed. Each sample without edges is a component. Source: PESC.

    With precomputed distances or up to 2000 samples, the tree is exact, and takes O(N^2 log C) time, where C
    is the number of components. Otherwise, it takes O(N log N) time on well-behaved data, and can be
    approximate: a component of more than 64 samples is compared only with the 8 components that have the
    nearest centres. If two large components have more than 4 features, at most 1024 samples of each component
    are compared, namely those nearest to the centre of the other component.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities, which are copied and made symmetric.
    X : array-like of shape (n_samples, n_features)
        Features or, with ``metric="precomputed"``, distances of shape (n_samples, n_samples).
    metric : str or callable, default="euclidean"
    lists : NeighborLists, optional
        Neighbours of each sample, which save searches if there are more than 2000 samples.
    rng : numpy.random.Generator
        Generator that determines the order of links of equal length.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric, connected
    """
    graph = symmetrize(S)
    n_parts, parts = csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    keys = rng.permutation(len(parts))
    return link_parts(graph, parts, X, bridge_weight(graph), metric=metric, lists=lists, keys=keys)


def bridge_weight(graph: sp.csr_array) -> float:
    """Return the similarity of the links added by :func:`bridge_components`."""
    least = float(graph.data.min(initial=np.inf))
    return WEAKNESS * least if np.isfinite(least) else WEAKNESS


def link_parts(
    graph: sp.csr_array,
    parts: Int32Array,
    X: ArrayLike,
    weight: float,
    *,
    metric: Metric,
    lists: NeighborLists | None,
    keys: Int64Array,
) -> sp.csr_array:
    """Connect the parts of a graph by the shortest links, with similarity ``weight``; ``keys`` break ties."""
    i, j = spanning_links(parts, _proposals(X, metric, lists, keys), keys)
    # The bridges have the graph's index type, because SciPy would otherwise convert all indices of the sum.
    ends = i.astype(graph.indices.dtype), j.astype(graph.indices.dtype)
    bridges = sp.coo_array((np.full(len(i), weight), ends), shape=graph.shape).tocsr()
    linked = (graph + (bridges + bridges.T)).tocsr()
    linked.sort_indices()
    return linked


def spanning_links(
    parts: Int32Array, proposals: list[Proposal], keys: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Select links that connect all parts from the proposed links, using Boruvka's algorithm."""
    # Each function is called until it returns no link. The last function must return links until all parts
    # are joined.
    chosen: list[tuple[Int64Array, Int64Array]] = []
    for propose in proposals:
        while (n_parts := int(parts.max()) + 1) > 1:
            i, j = _shortest_of_parts(propose(parts), parts, keys)
            if not len(i):
                break
            chosen.append((i, j))
            tree = sp.coo_array((np.ones(len(i)), (parts[i], parts[j])), shape=(n_parts, n_parts))
            parts = csgraph.connected_components(tree.tocsr(), directed=False)[1][parts]
    return np.concatenate([i for i, _ in chosen]), np.concatenate([j for _, j in chosen])


def _shortest_of_parts(links: Links, parts: Int32Array, keys: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Select the shortest candidate link out of each part such that the links form no cycle."""
    outward = np.flatnonzero(parts[links.i] != parts[links.j])
    i, j = links.i[outward], links.j[outward]
    order = np.lexsort((np.maximum(keys[i], keys[j]), np.minimum(keys[i], keys[j]), links.length[outward]))
    i, j = i[order], j[order]
    first = np.sort(np.unique(parts[i], return_index=True)[1])
    i, j = i[first], j[first]
    # If tied candidates are missing, three parts can select links of equal length that form a cycle. A
    # minimum spanning tree, weighted by the positions of the links, removes such cycles.
    n_parts = int(parts.max()) + 1
    p, q = np.minimum(parts[i], parts[j]).astype(np.int64), np.maximum(parts[i], parts[j])
    once = np.sort(np.unique(p * n_parts + q, return_index=True)[1])
    # Older versions of SciPy accept only 32-bit indices in graph routines.
    between = p[once].astype(np.int32), q[once].astype(np.int32)
    graph = sp.coo_array((once + 1.0, between), shape=(n_parts, n_parts)).tocsr()
    kept = np.sort(csgraph.minimum_spanning_tree(graph).data.astype(np.int64) - 1)
    return i[kept], j[kept]


def _proposals(X: ArrayLike, metric: Metric, lists: NeighborLists | None, keys: Int64Array) -> list[Proposal]:
    if metric == "precomputed":
        D = checked_distances(X)
        return [_exact_links(lambda rows: D[rows], keys)]
    space = neighbors.MetricSpace(checked_table(X, dtype=FLOATS), metric)
    search = neighbors.point_search(space.points, space)
    if len(keys) <= ALL_PAIRS_UP_TO:
        return [_exact_links(search.all_distances, keys)]
    large = LargeGraphBridges(search, space)
    listed = [] if lists is None else [_listed_links(lists)]
    return [*listed, large.from_small_parts, large.between_parts]


class Links(NamedTuple):
    """Candidate links from samples i to samples j in other parts, and their lengths."""

    i: Int64Array
    j: Int64Array
    length: FloatArray


Proposal = Callable[[Int32Array], Links]


def _listed_links(lists: NeighborLists) -> Proposal:
    """Return a function that proposes links from the neighbour lists.

    The links of a part are proposed only if they certainly include the shortest link from this part to
    another part.
    """
    n_samples, width = lists.indices.shape
    # Admissible samples that are missing from a list are at least as far away as the last listed sample.
    reach = lists.distances[np.arange(n_samples), lists.n_admissible - 1]

    def outward(part: slice, parts: Int32Array) -> Links:
        listed = lists.indices[part]
        row, rank = np.nonzero((listed >= 0) & (parts[listed] != parts[part, None]))
        length = lists.distances[part][row, rank].astype(np.float64)
        return Links(part.start + row, listed[row, rank].astype(np.int64), length)

    def propose(parts: Int32Array) -> Links:
        n_parts = int(parts.max()) + 1
        known, best = np.full(n_parts, np.inf), np.full(n_parts, np.inf)
        np.minimum.at(known, parts, reach)
        links = _joined([outward(part, parts) for part in block_slices(n_samples, width)])
        np.minimum.at(best, parts[links.i], links.length)
        certain = (best <= known)[parts[links.i]]
        return Links(links.i[certain], links.j[certain], links.length[certain])

    return propose


def _exact_links(distances: Callable[[Int64Array], AnyFloatArray], keys: Int64Array) -> Proposal:
    """Return a function that proposes a link from each sample to the nearest sample in another part."""

    def propose(parts: Int32Array) -> Links:
        n_samples = len(parts)
        by_key = np.argsort(keys)
        nearest, length = np.empty(n_samples, dtype=np.int64), np.empty(n_samples)
        for part in block_slices(n_samples, n_samples):
            rows = np.arange(n_samples)[part]
            # The columns are sorted by key, so that argmin selects the smallest key among tied samples.
            block = neighbors.round_distances(distances(rows)[:, by_key])
            block[parts[rows, None] == parts[by_key]] = np.inf
            place = block.argmin(axis=1)
            nearest[rows], length[rows] = by_key[place], block[np.arange(len(rows)), place]
        return Links(np.arange(n_samples), nearest, length)

    return propose


class LargeGraphBridges:
    """Search for candidate links between the parts of a large data set."""

    def __init__(self, search: neighbors.PointSearch, space: neighbors.MetricSpace) -> None:
        self.search, self.space = search, space
        self.points = space.points

    def from_small_parts(self, parts: Int32Array) -> Links:
        """Link each sample in a part of at most 64 samples to the nearest sample outside the part."""
        sizes = np.bincount(parts)
        # The largest part needs no links of its own, because other parts link to it. If a part has m samples,
        # the m + 1 samples nearest to each of them include at least one sample outside the part.
        small = (sizes <= 64) & (np.arange(len(sizes)) != sizes.argmax())
        offers: list[Links] = []
        for size in np.unique(sizes[small]).tolist():
            rows = np.flatnonzero(small[parts] & (sizes[parts] == size))
            n_found = min(size + 1, len(parts))
            step = self.search.chunk(n_found)
            for lo in range(0, len(rows), step):
                who = rows[lo : lo + step]
                found = self.search(who, n_found)
                place = (parts[found.points] != parts[who, None]).argmax(axis=1)
                line = np.arange(len(who))
                offers.append(Links(who, found.points[line, place], found.distances[line, place]))
        return _joined(offers)

    def between_parts(self, parts: Int32Array) -> Links:
        """Find the closest samples of each part and each of the 8 parts with the nearest centres."""
        members = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
        centres = np.stack([self.points[m].mean(axis=0, dtype=np.float64) for m in members])
        # Each query returns 9 centres, because they include the centre of the part itself.
        n_partners = min(9, len(members))
        near = cKDTree(centres).query(centres, k=n_partners)[1]
        pairs = {(min(p, int(q)), max(p, int(q))) for p in range(len(members)) for q in near[p] if q != p}
        trees: dict[int, Any] = {}
        i, j, length = _joined([self._closest(members, centres, p, q, trees) for p, q in sorted(pairs)])
        # Each link is returned in both directions, because it is a candidate for both of its parts.
        return Links(np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([length, length]))

    def _closest(
        self, members: list[Int64Array], centres: FloatArray, p: int, q: int, trees: dict[int, Any]
    ) -> Links:
        if len(members[p]) > len(members[q]):
            p, q = q, p
        a, b = members[p], members[q]
        if len(a) * len(b) > COMPARED_PAIRS:
            # With more than 4 features, a KD-tree query from a distant point visits almost the entire tree.
            if self.space.power is not None and self.points.shape[1] <= 4:
                if q not in trees:
                    trees[q] = cKDTree(self.points[b], balanced_tree=False)
                length, place = trees[q].query(self.points[a], p=self.space.power)
                return _shortest(a, b[place], length)
            a, b = self._facing(a, centres[q]), self._facing(b, centres[p])
        metric = self.space.metric if self.space.power is None else _NAMES[self.space.power]
        place, length = pairwise_distances_argmin_min(self.points[a], self.points[b], metric=metric)
        return _shortest(a, b[place], length)

    def _facing(self, members: Int64Array, target: FloatArray) -> Int64Array:
        if len(members) <= FACING_SAMPLES:
            return members
        parts = np.array_split(members, 1 + len(members) // neighbors.CHUNK)
        gaps = np.concatenate([((self.points[part] - target) ** 2).sum(axis=1) for part in parts])
        return members[np.sort(np.argsort(gaps, kind="stable")[:FACING_SAMPLES])]


def _joined(offers: list[Links]) -> Links:
    none = Links(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
    return Links(*(np.concatenate(column) for column in zip(none, *offers, strict=True)))


def _shortest(i: Int64Array, j: Int64Array, length: FloatArray) -> Links:
    least = length == length.min()
    return Links(i[least], j[least], length[least])
