"""Must-links and cannot-links in the graph that MOCK searches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.graphs import LocusGraph


def put_conflicts_first(graph: LocusGraph, groups: ConstraintGroups) -> LocusGraph:
    """The graph with links of the tree between samples in conflict as its most interesting ones.

    These get genes, as far as there are any, and are cut first.
    """
    order = graph.interest.order
    apart = groups.forbidden(order, graph.tree.parent[order])
    return replace(
        graph, interest=replace(graph.interest, order=np.concatenate([order[apart], order[~apart]]))
    )


class JoinedEncoding(LocusAdjacencyEncoding):
    """Links of a tree as genes, where samples that belong together always are in one cluster.

    Parameters
    ----------
    graph : LocusGraph
    groups : ConstraintGroups
    **options
        Of :class:`LocusAdjacencyEncoding`.

    Raises
    ------
    ValueError
        Samples that belong together, and a gene for every sample.

    Notes
    -----
    :meth:`parts` takes O(n_individuals (n_parts + n_joined)).
    """

    def __init__(self, graph: LocusGraph, groups: ConstraintGroups, **options: Any) -> None:
        super().__init__(graph=graph, **options)
        chains = [np.column_stack([group[:-1], group[1:]]) for group in groups.members()]
        if chains and self.links is None:
            raise ValueError(
                'supervision="links" joins the parts of a tree, which encoding="locus" has not; with '
                'must-links or labels use encoding="short" or "split".'
            )
        pairs = self.base[np.concatenate(chains)] if chains else np.empty((0, 2), dtype=np.int32)
        self.joined = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)

    def parts(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Smallest part of the cluster of every part, shape (n_individuals, n_parts), int32."""
        parts = super().parts(X)
        if not len(self.joined):
            return parts
        n, width = parts.shape
        start = width * np.arange(n)[:, None]
        ends = [
            np.concatenate([own.ravel(), (start + joined).ravel()])
            for own, joined in (
                (np.arange(parts.size), self.joined[:, 0]),
                (start + parts, self.joined[:, 1]),
            )
        ]
        links = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(parts.size, parts.size))
        component = connected_components(links, directed=False)[1]
        least = np.unique(component, return_index=True)[1]
        return (least[component] % width).reshape(n, width).astype(np.int32)
