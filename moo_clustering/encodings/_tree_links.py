"""Some links of a spanning tree may change, all others hold."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.parts import for_parts
from moo_clustering._kernels.tree_components import sample_labels, short_components, split_components

if TYPE_CHECKING:
    from moo_clustering.graphs._locus_graph import LocusGraph

Delta = float | Literal["auto", "sr5"]
Parts = NDArray[np.int32]

_SMALL, _SHARE, _ROOTS = 1000, 80.0, 5


def relevant_links(delta: Delta, n_samples: int) -> int:
    """How many links of a spanning tree get a gene.

    Parameters
    ----------
    delta : float, "auto" or "sr5"
        Percentage of the links that hold, from 0 to below 100; ``"sr5"``: all but 5 sqrt(N) links
        hold; ``"auto"``: 80 for up to 1000 samples, ``"sr5"`` for more.
    n_samples : int

    Returns
    -------
    int
        At least 1, except for a single sample.

    Raises
    ------
    ValueError
        For another delta.
    """
    if delta == "auto":
        delta = _SHARE if n_samples <= _SMALL else "sr5"
    if delta == "sr5":
        return min(n_samples - 1, math.floor(_ROOTS * math.sqrt(n_samples)))
    given: Any = delta
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= float(given) < 100:
        raise ValueError(f"delta must be a percentage from 0 to below 100, 'auto' or 'sr5', got {delta!r}.")
    # Rounded first: (1 - 0.8) 5 is 0.999... in floating point.
    return min(n_samples - 1, max(1, math.floor(round((1 - float(given) / 100) * (n_samples - 1), 9))))


class TreeLinks:
    """The relevant links of a tree, and the parts into which it falls without them.

    Parameters
    ----------
    graph : LocusGraph
    n_relevant : int
        How many links have a gene, the most interesting ones.

    Attributes
    ----------
    relevant : ndarray of shape (n_relevant,), int32
        Child ends of the links, most interesting first: gene e is that of ``relevant[e]``.
    parent : ndarray of shape (n_samples,), int32
    base : ndarray of shape (n_samples,), int32
        Part of every sample; that of the root is 0, and a part comes after the one it hangs from.
    above : ndarray of shape (n_relevant + 1,), int32
        Part that every part hangs from; 0 for part 0.
    gene : ndarray of shape (n_relevant + 1,), int32
        Gene of the link by which it hangs; 0 for part 0.
    top : ndarray of shape (n_relevant + 1,), int32
        Sample that is the child end of that link; the root for part 0.
    """

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
        _spread(tree.order, tree.parent, tops, self.base, parts)
        top = tree.order[tops]
        self.above[1:] = self.base[tree.parent[top]]
        self.gene[1:] = gene_of[top]
        self.top = np.concatenate([[tree.root], top]).astype(np.int32)

    @property
    def n_parts(self) -> int:
        """Parts without the relevant links."""
        return len(self.above)

    def split_parts(self, G: NDArray[Any], n_jobs: int | None = None) -> Parts:
        """Smallest part of the cluster of every part, shape (n_individuals, n_parts), of bits."""
        out = np.empty((len(G), self.n_parts), dtype=np.int32)
        for_parts(
            lambda lo, hi: split_components(G, self.above, self.gene, lo, hi, out), len(G), out.size, n_jobs
        )
        return out

    def short_parts(self, G: NDArray[Any], n_jobs: int | None = None) -> Parts:
        """The same of genes that name samples."""
        out = np.empty((len(G), self.n_parts), dtype=np.int32)
        for_parts(
            lambda lo, hi: short_components(G, self.base, self.gene, lo, hi, out),
            len(G),
            4 * out.size,
            n_jobs,
        )
        return out

    def split_genes(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Which relevant links are within the clusters of partitions, shape (n_individuals, n_relevant)."""
        holds: NDArray[np.bool_] = labels[:, self.relevant] == labels[:, self.parent[self.relevant]]
        return holds

    def short_genes(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """Where relevant links lead: to the parent, else to the first part of the cluster."""
        genes = np.where(self.split_genes(labels), self.parent[self.relevant], -1)
        for row, cluster in zip(genes, labels[:, self.top], strict=True):
            _, first, number = np.unique(cluster, return_index=True, return_inverse=True)
            leads = np.empty_like(row)
            leads[self.gene[1:]] = self.top[first[number.ravel()]][1:]
            row[row < 0] = leads[row < 0]
        return genes.astype(np.int32)

    def labels(self, parts: Parts, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Clusters of all samples, numbered by first appearance."""
        out = np.empty((len(parts), len(self.base)), dtype=np.int32)

        def share(lo: int, hi: int) -> None:
            sample_labels(parts, self.base, np.empty(self.n_parts, dtype=np.int32), lo, hi, out)

        for_parts(share, len(parts), out.size, n_jobs)
        return out


def _spread(
    order: NDArray[np.int32],
    parent: NDArray[np.int32],
    tops: NDArray[np.bool_],
    base: NDArray[np.int32],
    parts: NDArray[np.int32],
) -> None:
    """base of every sample: its own part if it is a top, else that of its parent."""
    for sample, is_top in zip(order.tolist(), tops.tolist(), strict=True):
        base[sample] = parts[sample] if is_top else base[parent[sample]]
