"""Labels and pairs written into a similarity matrix."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs._similarity import symmetrize

# Up to this many members the medoid is exact; above, the member nearest to the mean.
_EXACT_MEDOID = 2048
_MAX_CLIQUE_PAIRS = 1_000_000


def write_constraints(
    S: Any,
    groups: ConstraintGroups,
    *,
    must_link: Literal["auto", "clique", "star"] = "clique",
    X: NDArray[np.floating[Any]] | None = None,
) -> sp.csr_array:
    """Similarity max(S) for pairs that belong together, 0 for pairs that belong apart.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetrised first; not modified.
    groups : ConstraintGroups
    must_link : {"auto", "clique", "star"}, default="clique"
        Every pair of a group, which is quadratic in its size; or each member with the medoid of the
        group only (neighbours on a ring if ``X`` is not given). ``"auto"``: the former up to a million
        pairs in all.
    X : ndarray of shape (n_samples, n_features), optional
        Features the medoid is taken in.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric

    Notes
    -----
    O(nnz + links) time and memory; a graph without any edge counts max(S) as 1.

    References
    ----------
    PESC, section on semi-supervised baselines.
    """
    if must_link not in ("auto", "clique", "star"):
        raise ValueError(f"must_link must be 'auto', 'clique' or 'star', got {must_link!r}.")
    if must_link == "auto":
        n_pairs = sum(len(members) * (len(members) - 1) // 2 for members in groups.members())
        must_link = "clique" if n_pairs <= _MAX_CLIQUE_PAIRS else "star"
    graph = symmetrize(S)
    if groups.n_samples != graph.shape[0]:
        raise ValueError(f"groups are about {groups.n_samples} samples, the graph has {graph.shape[0]}.")
    largest = float(graph.data.max(initial=0.0)) or 1.0
    if len(groups.conflicts):
        row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
        labelled = np.flatnonzero((groups.groups[row] >= 0) & (groups.groups[graph.indices] >= 0))
        apart = groups.forbidden(row[labelled], graph.indices[labelled])
        graph.data[labelled[apart]] = 0.0
        graph.eliminate_zeros()
    links = [_links(members, must_link, X) for members in groups.members()]
    if not links:
        return graph
    i, j = np.concatenate(links).T
    joined = sp.coo_array((np.full(len(i), largest), (i, j)), shape=graph.shape).tocsr()
    # A link listed twice (a ring of two) would count double.
    joined.data[:] = largest
    return symmetrize(graph.maximum(joined))


def _links(members: NDArray[np.int64], how: str, X: NDArray[np.floating[Any]] | None) -> NDArray[np.int64]:
    if how == "clique":
        a, b = np.triu_indices(len(members), 1)
        return np.column_stack([members[a], members[b]])
    if X is None:
        return np.column_stack([members, np.roll(members, -1)])
    hub = members[_medoid(np.asarray(X[members], dtype=np.float64))]
    others = members[members != hub]
    return np.column_stack([np.full(len(others), hub), others])


def _medoid(points: NDArray[np.float64]) -> int:
    if len(points) <= _EXACT_MEDOID:
        return int(cdist(points, points).sum(axis=1).argmin())
    return int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin())
