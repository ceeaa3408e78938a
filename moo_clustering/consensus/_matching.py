"""Meta-clusters by one-to-one matching of the clusters of every run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from moo_clustering.validity._agreement import mean_agreement, nmi_table
from moo_clustering.validity._hyperedges import FloatArray, Hyperedges

_MAX_SWEEPS = 20


def matched_parts(
    edges: Hyperedges, jaccard: FloatArray, n_parts: int, weights: FloatArray
) -> NDArray[np.intp]:
    """Meta-cluster of every hyperedge, -1 for those that a run has too many of.

    The clusters of the run that agrees best with the others, among those with ``n_parts`` clusters, or
    with the most if there is none, are the first members. Then run by run its clusters are taken out and
    matched to different meta-clusters by their mean similarity to the members.

    Parameters
    ----------
    edges : Hyperedges
    jaccard : ndarray of shape (n_edges, n_edges)
    n_parts : int
    weights : ndarray of shape (n_runs,)
        Of the runs in the means.

    Notes
    -----
    O(E^2 n_parts) per sweep, at most 20 of them.
    """
    parts = np.full(edges.n_edges, -1, dtype=np.intp)
    member = np.zeros((edges.n_edges, n_parts))
    edge_weights = weights[edges.runs]
    first = _first_run(edges, n_parts, weights)
    clusters = np.arange(edges.starts[first], edges.starts[first + 1])
    largest = np.sort(clusters[np.argsort(-edges.sizes[clusters], kind="stable")[:n_parts]])
    parts[largest] = np.arange(len(largest))
    member[largest, parts[largest]] = edge_weights[largest]
    for _ in range(_MAX_SWEEPS):
        before = parts.copy()
        for run in range(edges.n_runs):
            own = slice(int(edges.starts[run]), int(edges.starts[run + 1]))
            kept = member[own].copy()
            member[own] = 0.0
            totals = member.sum(axis=0)
            if not totals.any():
                # Nothing to compare with: the run that the others are about to be matched to.
                member[own] = kept
                continue
            rows, columns = linear_sum_assignment(-_means(jaccard[own] @ member, totals))
            parts[own] = -1
            parts[own][rows] = columns
            member[own][rows, columns] = edge_weights[own][rows]
        if np.array_equal(parts, before):
            break
    return parts


def part_similarity(
    jaccard: FloatArray, parts: NDArray[np.intp], n_parts: int, edge_weights: FloatArray
) -> FloatArray:
    """Mean similarity of every hyperedge to the members of every part, 0 to those without any."""
    member = (parts[:, np.newaxis] == np.arange(n_parts)) * edge_weights[:, np.newaxis]
    return _means(jaccard @ member, member.sum(axis=0))


def _first_run(edges: Hyperedges, n_parts: int, weights: FloatArray) -> int:
    n_clusters = np.diff(edges.starts)
    wanted = n_parts if (n_clusters == n_parts).any() else n_clusters.max()
    among = np.flatnonzero(n_clusters == wanted)
    table = nmi_table(edges, edges)
    if np.ptp(weights) == 0:
        agreement = mean_agreement(table)
    else:
        agreement = (table @ weights - np.diag(table) * weights) / np.maximum(weights.sum() - weights, 1e-300)
    # Rounding must not decide between equals.
    return int(among[(agreement[among] >= agreement[among].max() - 1e-12).argmax()])


def _means(sums: FloatArray, totals: FloatArray) -> FloatArray:
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
