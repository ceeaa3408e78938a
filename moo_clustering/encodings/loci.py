"""Locus-based adjacency encoding: genes are links between samples; clusters are connected components."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from moo_clustering._arrays import BoolArray, Int64Array, IntArray, Labels, choice, integer, quoted
from moo_clustering._data import checked_array
from moo_clustering._kernels.loci import component_rows
from moo_clustering._kernels.threads import for_parts
from moo_clustering._kernels.trees import sample_labels, short_components, split_components
from moo_clustering.encodings import base as checks

if TYPE_CHECKING:
    from moo_clustering.graphs import LocusGraph

Kind = Literal["locus", "short", "split"]
Delta = float | Literal["auto", "sr5"]
Parts = NDArray[np.int32]
# Limits for delta="auto" (see :func:`relevant_links`). For large data sets, 5 sqrt(N) links would be too few,
# because the most interesting links mostly separate outliers. Therefore, 2 percent of the links have genes.
_SMALL, _SHARE, _ROOTS, _LARGE, _SHARE_OF_LARGE = 1000, 80.0, 5, 62_500, 98.0


class LocusAdjacencyEncoding(checks.Encoding):
    """Encoding by links: gene i is the sample to which sample i is linked, or i itself if i has no link.

    Clusters are the connected components of the graph {i - g_i}, numbered by first appearance. Any sample can
    be linked to any other. Decoding ``"locus"`` takes O(n_individuals n_samples log n_samples) time in the
    worst case, but is almost linear in practice. For other kinds, :meth:`parts` takes O(n_individuals n_var)
    time. Sources: Handl and Knowles, IEEE TEVC 11(1), 2007; Garza-Fabre, Handl and Knowles, IEEE TEVC,
    2018 (other kinds).

    Parameters
    ----------
    neighbors : array-like of shape (n_samples, n_neighbors), optional
        Nearest neighbours of every sample, nearest first, padded with -1. Random links lead to neighbours.
    n_samples : int, optional
        Number of samples; required if neither ``neighbors`` nor ``graph`` is given.
    kind : {"locus", "short", "split"}, default="locus"
        ``"locus"`` has one gene per sample. The other kinds have genes only for the most interesting links of
        a spanning tree (see :func:`~moo_clustering.graphs.mst_interestingness`): the sample to which the link
        leads (``"short"``), or 1 to keep the link and 0 to cut it (``"split"``).
    graph : LocusGraph, optional
        Spanning tree and neighbours of the samples; required for ``"short"`` and ``"split"``.
    delta : float, "auto" or "sr5", default="auto"
        For ``"short"`` and ``"split"``, percentage of tree links without genes. ``"sr5"``: 5 sqrt(n_samples)
        links have genes. ``"auto"``: 80 for up to 1000 samples, ``"sr5"`` up to 62,500, otherwise 98.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.

    Attributes
    ----------
    neighbors : ndarray of shape (n_samples, n_neighbors), int32, read-only, or None
    links : TreeLinks or None
        Tree links with genes, and the parts of the tree that they connect; None for ``"locus"``.

    Examples
    --------
    >>> LocusAdjacencyEncoding(n_samples=5).decode([[1, 0, 2, 4, 4]])
    array([[0, 0, 1, 2, 2]], dtype=int32)
    """

    def __init__(
        self,
        neighbors: ArrayLike | None = None,
        n_samples: int | None = None,
        *,
        kind: Kind = "locus",
        graph: LocusGraph | None = None,
        delta: Delta = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.kind: Kind = choice("kind", kind, get_args(Kind))
        if graph is None and kind != "locus":
            raise ValueError(f"kind={kind!r} requires graph, as created by graphs.locus_graph")
        if graph is not None:
            if neighbors is not None:
                raise ValueError("pass either neighbors or graph, not both")
            neighbors = graph.neighbors if graph.n_neighbors else None
            n_samples = graph.n_samples if n_samples is None else n_samples
        if neighbors is None and n_samples is None:
            raise ValueError("one of graph, neighbors or n_samples is required")
        self.neighbors = None if neighbors is None else _checked_neighbors(neighbors)
        if n_samples is None:
            n_samples = len(neighbors)  # type: ignore[arg-type]
        elif self.neighbors is not None and len(self.neighbors) != n_samples:
            raise ValueError(f"neighbors must have n_samples={n_samples} rows, got {len(self.neighbors)}")
        self.n_samples = self.n_var = integer("n_samples", n_samples)
        self.graph = graph
        self.n_jobs = n_jobs
        self.dtype = np.dtype(np.uint8 if kind == "split" else np.int32)
        self.links: TreeLinks | None = None
        if kind != "locus" and graph is not None:
            self.links = TreeLinks(graph, relevant_links(delta, self.n_samples))
            self.n_var = len(self.links.relevant)

    @property
    def relevant(self) -> Labels:
        """Sample whose link each gene controls."""
        return np.arange(self.n_samples, dtype=np.int32) if self.links is None else self.links.relevant

    @property
    def base(self) -> Labels:
        """Part of the tree (see ``links``) that contains each sample; without a tree, the sample itself."""
        return np.arange(self.n_samples, dtype=np.int32) if self.links is None else self.links.base

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return self.n_samples if self.links is None else self.links.n_parts

    def bounds(self) -> tuple[IntArray, IntArray]:
        lower = np.zeros(self.n_var, dtype=self.dtype)
        return lower, np.full(self.n_var, self._largest, dtype=self.dtype)

    @property
    def _largest(self) -> int:
        return 1 if self.kind == "split" else self.n_samples - 1

    def parts(self, X: IntArray) -> Parts:
        """Return each part's cluster as its lowest-numbered part, shape (n_individuals, n_parts)."""
        genes = np.ascontiguousarray(self._checked(X))
        if self.links is not None:
            return self.links.parts(genes, self.kind == "split", self.n_jobs)
        out = np.empty(genes.shape, dtype=np.int32)
        for_parts(lambda a, b: component_rows(genes, a, b, out), len(genes), 8 * out.size, self.n_jobs)
        return out

    def _checked(self, X: IntArray) -> IntArray:
        return checks.checked_within(checks.checked_genes(X, self.n_var), 0, self._largest)

    def decode(self, X: IntArray) -> Labels:
        """Return the connected components, numbered by first appearance."""
        parts = self.parts(X)
        if self.links is None:
            return checks.relabel_by_first_appearance(parts)
        return self.links.labels(parts, self.n_jobs)

    def n_clusters(self, X: IntArray) -> Int64Array:
        """Count the clusters of each individual."""
        parts = self.parts(X)
        return np.count_nonzero(parts == np.arange(parts.shape[1], dtype=parts.dtype), axis=1)

    def to_full(self, X: IntArray) -> IntArray:
        """Convert genotypes to kind "locus", int32 of shape (n_individuals, n_samples)."""
        genes = self._checked(X)
        if self.links is None:
            return genes.astype(np.int32)
        full, relevant = np.tile(self.links.parent, (len(genes), 1)), self.links.relevant
        if self.kind == "split":
            genes = np.where(genes != 0, self.links.parent[relevant], relevant)
        full[:, relevant] = genes
        return full

    def from_full(self, links: IntArray) -> IntArray:
        """Convert "locus" genotypes to this kind. Tree links without genes are never cut."""
        full = checks.checked_within(checks.checked_genes(links, self.n_samples), 0, self.n_samples - 1)
        genes = full[:, self.relevant]
        if self.links is not None and self.kind == "split":
            genes = genes == self.links.parent[self.links.relevant]
        return genes.astype(self.dtype)

    def encode(self, labels: IntArray) -> IntArray:
        """Encode partitions; with kind "locus", decoding always restores the partition.

        Kind "locus" links neighbours along a spanning tree of each cluster. If neighbours do not connect a
        cluster, the roots of the cluster's connected pieces are also linked. Without neighbours, successive
        samples of a cluster are linked. Kinds "short" and "split" cut tree links between different clusters;
        "short" then links each cut sample to the first part of its cluster. Decoding "short" restores
        partitions whose clusters are unions of parts. Decoding "split" restores them only if the parts of
        each cluster are also connected in the tree. With neighbours, "locus" takes O(n_samples (n_neighbors +
        log n_samples)) time per individual.
        """
        labels = checks.checked_labels(labels, self.n_samples)
        if self.links is not None:
            encoded = self.links.split_genes if self.kind == "split" else self.links.short_genes
            return encoded(labels).astype(self.dtype)
        X = np.empty(labels.shape, dtype=self.dtype)
        if self.neighbors is not None:
            for genes, row in zip(X, labels, strict=True):
                genes[:] = forest_links(self.neighbors, row)
            return X
        order = np.argsort(labels, axis=1, kind="stable")
        same = np.diff(np.take_along_axis(labels, order, axis=1), axis=1) == 0
        target = order.copy()
        target[:, :-1] = np.where(same, order[:, 1:], order[:, :-1])
        np.put_along_axis(X, order, target, axis=1)
        return X

    def repair(self, X: IntArray) -> IntArray:
        """Round the genes. If they are bits, clip them to 0 and 1; if they are links, replace invalid links.

        A replaced link leads to the sample's parent in the tree. Without a tree, it leads to the nearest
        neighbour, and without neighbours, to the sample itself.
        """
        genes = checks.rounded_genes(X, self.n_var)
        if self.kind == "split":
            return np.clip(genes, 0, 1).astype(self.dtype)
        fallback: IntArray = self.relevant
        if self.links is not None:
            fallback = self.links.parent[self.relevant]
        elif self.neighbors is not None:
            fallback = self.neighbors[:, 0]
        legal = (genes >= 0) & (genes < self.n_samples)
        return np.where(legal, genes, fallback).astype(self.dtype)

    def canonical(self, X: IntArray) -> IntArray:
        """Return :meth:`parts`, which are equal for individuals that encode the same partition."""
        return self.parts(X)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw bits or links. Links lead to the sample, a neighbour or, without neighbours, any sample."""
        shape = (n_individuals, self.n_var)
        if self.kind == "split":
            return rng.integers(0, 2, size=shape, dtype=np.uint8)
        if self.neighbors is None:
            return rng.integers(0, self.n_samples, size=shape, dtype=np.int32)
        samples = self.relevant
        choices = np.column_stack([samples, self.neighbors[samples]])
        picked: IntArray = choices[np.arange(self.n_var), rng.integers(0, choices.shape[1], size=shape)]
        return np.where(picked >= 0, picked, samples).astype(self.dtype)


def forest_links(neighbors: IntArray, labels: IntArray) -> IntArray:
    """Link every sample along a spanning forest of the neighbour graph within clusters."""
    # Forward links lead from a sample to one of its neighbours and are preferred to backward links. The root
    # of a piece, which is a connected component, is in a strongly connected component that no forward link
    # leaves. If a piece has only one such component, forward links suffice, because they lead to it from any
    # sample.
    n = len(labels)
    rows, columns = np.nonzero((neighbors >= 0) & (labels[neighbors] == labels[:, None]))
    links = csr_array((np.ones(len(rows)), (rows, neighbors[rows, columns])), shape=(n, n))
    links.data[:] = 1.0
    component = connected_components(links, directed=True, connection="strong")[1]
    piece = connected_components(links, directed=False)[1]
    ends = links.tocoo()
    left = ends.row[component[ends.row] != component[ends.col]]
    leaving = np.zeros(n, dtype=bool)
    leaving[component[left]] = True
    inner = np.flatnonzero(~leaving[component])
    roots = inner[np.unique(piece[inner], return_index=True)[1]]
    # Linking column to row costs 1 forward. Backward, it costs n + 1, which is more than any forward path.
    costs = (n + 1) * links.maximum(links.T) - n * links.T
    target: IntArray = dijkstra(costs, indices=roots, return_predecessors=True, min_only=True)[1]
    _, first, number = np.unique(labels[roots], return_index=True, return_inverse=True)
    target[roots] = roots[first[number]]
    return target


def _checked_neighbors(neighbors: ArrayLike) -> IntArray:
    nb = checked_array(neighbors, "neighbors")
    if nb.ndim != 2 or nb.dtype.kind not in "iu" or nb.shape[1] == 0:
        raise ValueError(
            "neighbors must be integers of shape (n_samples, n_neighbors) with n_neighbors >= 1, "
            f"got shape {nb.shape} and dtype {nb.dtype}"
        )
    if nb.size and (nb.min() < -1 or nb.max() >= len(nb) or nb[:, 0].min() < 0):
        raise ValueError(
            f"neighbors must be from 0 to {len(nb) - 1}, or -1 after the last neighbour of a row; "
            f"got {nb.min()} to {nb.max()}"
        )
    if (nb == np.arange(len(nb))[:, None]).any():
        raise ValueError("neighbors must not contain a sample as its own neighbour")
    if nb.dtype != np.int32 or nb.flags.writeable:
        nb = nb.astype(np.int32)
        nb.flags.writeable = False
    return nb


def relevant_links(delta: Delta, n_samples: int) -> int:
    """Return the number of tree links with genes: at least 1, or 0 if there is only one sample."""
    if delta == "auto":
        delta = _SHARE if n_samples <= _SMALL else "sr5" if n_samples <= _LARGE else _SHARE_OF_LARGE
    if delta == "sr5":
        return min(n_samples - 1, math.floor(_ROOTS * math.sqrt(n_samples)))
    given: Any = delta
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= float(given) < 100:
        raise ValueError(f"delta must be a percentage in [0, 100), 'auto' or 'sr5', got {quoted(delta)}")
    # The product is rounded first, because (1 - 0.8) 5 evaluates to 0.999... in floating point.
    return min(n_samples - 1, max(1, math.floor(round((1 - float(given) / 100) * (n_samples - 1), 9))))


class TreeLinks:
    """The ``n_relevant`` most interesting tree links, which have genes, and the parts that they connect."""

    # Gene e controls the link from sample ``relevant[e]`` to its parent. ``base`` contains the part of each
    # sample. Part 0 contains the root, and every part precedes the parts below it. Gene ``gene[p]`` controls
    # the link from ``top[p]``, the highest sample of part p, to part ``above[p]``. For the root's part,
    # ``gene[0]`` and ``above[0]`` are 0 and have no meaning.

    def __init__(self, graph: LocusGraph, n_relevant: int) -> None:
        tree = graph.tree
        self.relevant = graph.interest.order[:n_relevant]
        self.parent = tree.parent
        gene_of = np.full(tree.n_samples, -1, dtype=np.int32)
        gene_of[self.relevant] = np.arange(n_relevant)
        self.base = np.zeros(tree.n_samples, dtype=np.int32)
        self.above = np.zeros(n_relevant + 1, dtype=np.int32)
        self.gene = np.zeros(n_relevant + 1, dtype=np.int32)
        tops = gene_of[tree.order] >= 0
        number = np.cumsum(tops)
        parts = np.zeros(tree.n_samples, dtype=np.int32)
        parts[tree.order[tops]] = number[tops]
        # Parents precede children. A sample belongs to the part of its parent unless a gene controls their
        # link.
        for sample, is_top in zip(tree.order.tolist(), tops.tolist(), strict=True):
            self.base[sample] = parts[sample] if is_top else self.base[tree.parent[sample]]
        top = tree.order[tops]
        self.above[1:] = self.base[tree.parent[top]]
        self.gene[1:] = gene_of[top]
        self.top = np.concatenate([[tree.root], top]).astype(np.int32)

    @property
    def n_parts(self) -> int:
        return len(self.above)

    def parts(self, G: NDArray[Any], are_bits: bool, n_jobs: int | None = None) -> Parts:
        """Decode bits or link targets; label each part by the lowest-numbered part in its cluster."""
        out = np.empty((len(G), self.n_parts), dtype=np.int32)
        kernel, leads = (split_components, self.above) if are_bits else (short_components, self.base)
        cost = out.size if are_bits else 4 * out.size
        for_parts(lambda lo, hi: kernel(G, leads, self.gene, lo, hi, out), len(G), cost, n_jobs)
        return out

    def split_genes(self, labels: NDArray[Any]) -> BoolArray:
        """Return which links stay within a cluster, as a mask of shape (n_individuals, n_relevant)."""
        return labels[:, self.relevant] == labels[:, self.parent[self.relevant]]

    def short_genes(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """Return link targets: a parent in the same cluster, or else the top of the cluster's first part."""
        genes = np.where(self.split_genes(labels), self.parent[self.relevant], -1)
        for row, cluster in zip(genes, labels[:, self.top], strict=True):
            _, first, number = np.unique(cluster, return_index=True, return_inverse=True)
            leads = np.empty_like(row)
            leads[self.gene[1:]] = self.top[first[number.ravel()]][1:]
            row[row < 0] = leads[row < 0]
        return genes.astype(np.int32)

    def labels(self, parts: Parts, n_jobs: int | None = None) -> NDArray[np.int32]:
        out = np.empty((len(parts), len(self.base)), dtype=np.int32)

        def share(lo: int, hi: int) -> None:
            sample_labels(parts, self.base, np.empty(self.n_parts, dtype=np.int32), lo, hi, out)

        for_parts(share, len(parts), out.size, n_jobs)
        return out
