"""Consensus clustering on the hypergraph of clusters: CSPA, HGPA, HBGF and MCLA (METIS is optional)."""

import functools
import importlib
import logging
from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import linkage
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans
from sklearn.utils.extmath import randomized_svd

from moo_clustering import _arrays
from moo_clustering._data import checked_array
from moo_clustering._distances import MAX_MEMORY
from moo_clustering._docs import documented
from moo_clustering._types import FloatArray, IntpArray, Labels, SeedLike
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.graphs import spectral_partition
from moo_clustering.pool.families import tree_cut
from moo_clustering.validity.ensembles import Hyperedges, hyperedges, mean_agreement, nmi_table

BLOCK_PAIRS = 1 << 18
RUNS_PER_BYTE = 255
BLOCK_ROWS = 2048
ZERO = 1e-10  # eigenvalues in [0, 1] below this value count as 0, because their eigenvectors are arbitrary
_SAMPLES = ", the number of samples"
LOG = logging.getLogger("moo_clustering.consensus")
LARGEST_SUM = 2**30  # maximum sum of weights, because METIS may have been compiled with 32-bit integers
MOST_DENSE_EDGES = 2000  # maximum number of hyperedges for which a dense eigensolver is used
VertexWeight = Literal["size", "unit"]
MetaPartitioner = Literal["auto", "metis", "matching"]
Ties = Literal["first", "random"]
TIE = 1e-12
MAX_SWEEPS = 20
# METIS parts have at most BALANCE times the mean size. If the largest cluster exceeds META_BALANCE times the
# mean size, MCLA may merge smaller clusters.
BALANCE, META_BALANCE = 1.03, 1.75


def cspa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    partitioner: Literal["average", "metis", "spectral", "svd"] = "average",
    n_neighbors: int | None = None,
    max_memory: int = MAX_MEMORY,
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> Labels:
    """Compute a consensus from the co-association S_ij, the share of runs in which i and j share a cluster.

    S_ij is computed from the runs that contain both samples, and is 0 if there is no such run. Samples that
    share a cluster in all runs form a group. If there are ``n_clusters`` groups, they are the result.
    Otherwise, if the hypergraph whose edges are the clusters of all runs has ``n_clusters`` connected
    components, they are the result. Takes O(n_samples^2 n_runs) time, and O(n_samples^2) or O(n_samples
    n_neighbors) memory. ``"svd"`` allows any n_samples. For each two samples, it sums the weights of the runs
    in which they share a cluster. It normalises the matrix of these sums by row sums, and applies k-means to
    the rows of the leading eigenvectors, scaled to unit length. ``"svd"`` takes at most O(n_samples (n_runs +
    E^2)) time and O(n_samples n_runs) memory, where E is the total number of clusters over all distinct runs.

    Raises a ValueError or TypeError if a parameter is invalid, if a sample is missing from all runs, or if
    sample pairs require more than ``max_memory``. Raises an ImportError if METIS is required but pymetis
    (``moo_clustering[metis]``) is not installed. Issues a UserWarning if most runs have a cluster that is
    larger than the parts that METIS can create. Sources: A. Strehl, J. Ghosh, Journal of Machine Learning
    Research 3 (2002), section 3.2; A. Fred, A. Jain, IEEE TPAMI 27 (2005), for average linkage.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers; -1 marks samples missing from a run. The number of clusters may differ between runs.
    n_clusters : int
        From 1 to n_samples. With ``"svd"``, at most the total number of clusters in all runs. If ``labels``
        has fewer distinct columns, the result has fewer clusters.
    partitioner : {"average", "metis", "spectral", "svd"}, default="average"
        ``"average"``: average linkage on 1 - S. ``"metis"``: METIS as in the paper (parts of at most 1.03
        times the mean size). ``"spectral"``: spectral clustering of S. ``"svd"``: see above.
    n_neighbors : int, optional
        Number of entries to keep in each row of S, largest first. Only for ``"metis"`` and ``"spectral"``.
    max_memory : int, default=4 GiB
        Memory limit for sample pairs, in bytes.
    weights : array-like of shape (n_runs,), optional
        Weight of each run; runs with weight 0 are excluded.
    random_state : int, Generator, RandomState or None, default=None
        Seed; ``"average"`` is deterministic.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Clusters 0, 1, ..., numbered by first appearance.

    Examples
    --------
    >>> from moo_clustering.consensus import cspa
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> cspa(runs, 3)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    _arrays.choice("partitioner", partitioner, ("average", "metis", "spectral", "svd"))
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    if n_neighbors is not None:
        _arrays.integer("n_neighbors", n_neighbors, 1, edges.n_samples, _SAMPLES)
        if partitioner in ("average", "svd"):
            raise ValueError(
                f"n_neighbors requires partitioner='metis' or 'spectral'; {partitioner!r} uses no graph"
            )
    if partitioner == "svd" and n_clusters > edges.n_edges:
        raise ValueError(
            f"with partitioner='svd', n_clusters={n_clusters} must not exceed the total number of clusters "
            f"in all runs, {edges.n_edges}"
        )
    metis = use_metis(partitioner, "average", "cspa")
    if partitioner != "svd":
        check_memory(edges.n_samples, partitioner, n_neighbors, max_memory)
    if n_clusters == 1:
        return np.zeros(edges.n_samples, dtype=np.int32)
    if (agreed := agreed_parts(edges, n_clusters)) is not None:
        return relabel_by_first_appearance(agreed)
    if partitioner == "average":
        tree = linkage(condensed_distances(edges, run_weights), method="average")
        return relabel_by_first_appearance(tree_cut(tree, n_clusters))
    neighbor_seed, seed = _arrays.spawn_seeds(random_state, 2)
    if partitioner == "svd":
        return relabel_by_first_appearance(low_rank_parts(edges, run_weights, n_clusters, seed))
    neighbor_rng = np.random.default_rng(neighbor_seed)
    graph = coassociation_graph(edges, run_weights, n_clusters, n_neighbors, neighbor_rng)
    if metis:
        warn_of_balance(edges, run_weights, n_clusters, "cspa with partitioner='average' or 'spectral'")
        return relabel_by_first_appearance(metis_parts(graph, n_clusters, seed=_arrays.integer_seed(seed)))
    # If the graph has n_clusters components, these are the clusters. If there are more, any links between
    # them suffice, because samples in different components never share a cluster in a run.
    bridge = csgraph.connected_components(graph, directed=False)[0] > n_clusters
    X, rng = edges.codes.T.astype(np.float64), np.random.default_rng(seed)
    return spectral_partition(graph, n_clusters, bridge=bridge, X=X, metric="hamming", rng=rng).labels


def check_memory(n_samples: int, partitioner: str, n_neighbors: int | None, max_memory: int) -> None:
    """Raise a ValueError if the sample pairs require more than ``max_memory`` bytes."""
    width = n_samples if n_neighbors is None else min(2 * n_neighbors, n_samples)
    # Peak memory in bytes per pair of samples or, for sparse graphs, per stored entry.
    needed = {"average": 8, "metis": 40, "spectral": 64}[partitioner] * n_samples * width
    if needed > max_memory:
        graphs = "pass n_neighbors with partitioner='metis' or 'spectral'"
        advice = graphs if n_neighbors is None else "decrease n_neighbors"
        raise ValueError(
            f"cspa compares all pairs of {n_samples} samples and requires {needed / 2**30:.3g} GiB, which "
            f"exceeds max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); use partitioner='svd', "
            f"which does not compare pairs, {advice}, use mcla or hbgf, or increase max_memory"
        )


def coassociation_blocks(
    edges: Hyperedges, weights: FloatArray, *, upper: bool = False
) -> Iterator[tuple[int, FloatArray]]:
    """Yield blocks of rows of S with their first row index; ``upper`` omits the columns before this index."""
    # S_ij is the weighted share of runs that have i and j in one cluster, among the runs that contain both.
    # If no run contains both, S_ij is 0.
    n = edges.n_samples
    local = edges.codes - edges.starts[:-1, np.newaxis]
    columns = np.where(edges.seen, local, -1).astype(np.int16 if local.max() < 2**15 else np.int32)
    # Missing samples have different codes in rows and in columns, so that they never match.
    rows = np.where(edges.seen, columns, columns.dtype.type(-2))
    complete = bool(edges.seen.all())
    seen = edges.seen.astype(np.float64)
    step = max(1, BLOCK_PAIRS // n)
    for lo in range(0, n, step):
        here, there = slice(lo, min(lo + step, n)), slice(lo if upper else 0, n)
        together = _together(rows[:, here], columns[:, there], weights)
        if complete:
            together /= weights.sum()
        else:
            both = (seen[:, here] * weights[:, np.newaxis]).T @ seen[:, there]
            np.divide(together, both, out=together, where=both > 0)
        # Weights are added in different orders, so that a share may be rounded to more than 1.
        yield lo, np.minimum(together, 1.0, out=together)


def condensed_distances(edges: Hyperedges, weights: FloatArray) -> FloatArray:
    """Compute 1 - S in SciPy's condensed form, shape (n_samples (n_samples - 1) / 2,)."""
    n = edges.n_samples
    distances = np.empty(n * (n - 1) // 2)
    end = 0
    for lo, block in coassociation_blocks(edges, weights, upper=True):
        for offset, row in enumerate(block):
            start, end = end, end + n - lo - offset - 1
            np.subtract(1.0, row[offset + 1 :], out=distances[start:end])
    return distances


def coassociation_graph(
    edges: Hyperedges, weights: FloatArray, n_clusters: int, n_neighbors: int | None, rng: np.random.Generator
) -> sp.csr_array:
    """Compute S with zero diagonal, or a symmetric graph with the ``n_neighbors`` largest entries per row."""
    # If the graph has more components than clusters, the components are linked by the largest entries of S
    # between their first samples.
    graph = _largest_entries(edges, weights, n_neighbors, rng)
    while n_neighbors is not None:
        n_components, parts = csgraph.connected_components(graph, directed=False)
        if n_components <= n_clusters:
            break
        first = np.unique(parts, return_index=True)[1]
        among = _largest_entries(Hyperedges(edges.codes[:, first], edges.starts), weights, n_neighbors, rng)
        if among.nnz == 0:
            break
        links = among.tocoo()
        graph = graph + sp.csr_array((links.data, (first[links.row], first[links.col])), shape=graph.shape)
    return graph


def _largest_entries(
    edges: Hyperedges, weights: FloatArray, n_neighbors: int | None, rng: np.random.Generator
) -> sp.csr_array:
    n = edges.n_samples
    parts = []
    for lo, block in coassociation_blocks(edges, weights):
        rows = np.arange(len(block))
        block[rows, lo + rows] = 0.0
        if n_neighbors is not None and n_neighbors < n - 1:
            # Ties are broken at random, because whole clusters would otherwise be linked only to their first
            # samples. If weights are equal, distinct entries differ by more than the random terms.
            order = block + rng.random(block.shape) / (2.0 * edges.n_runs**2)
            dropped = np.argpartition(-order, n_neighbors - 1, axis=1)[:, n_neighbors:]
            np.put_along_axis(block, dropped, 0.0, axis=1)
        parts.append(sp.csr_array(block.astype(np.float32)))
    graph = sp.vstack(parts, format="csr")
    return graph if n_neighbors is None else graph.maximum(graph.T).tocsr()


def _together(rows: NDArray[Any], columns: NDArray[Any], weights: FloatArray) -> FloatArray:
    """For each row and column sample, return the total weight of the runs in which their labels are equal."""
    shape = rows.shape[1], columns.shape[1]
    total, equal, alike = np.zeros(shape), np.empty(shape, dtype=np.bool_), np.ptp(weights) == 0
    for lo in range(0, len(rows), RUNS_PER_BYTE):
        count = np.zeros(shape, dtype=np.uint8)
        for run in range(lo, min(lo + RUNS_PER_BYTE, len(rows))):
            np.equal(rows[run][:, np.newaxis], columns[run], out=equal)
            if alike:
                count += equal.view(np.uint8)
            else:
                total += weights[run] * equal
        if alike:
            total += weights[0] * count
    return total


def check_ensemble(
    labels: ArrayLike, n_clusters: int, weights: ArrayLike | None
) -> tuple[Hyperedges, FloatArray]:
    """Check the ensemble. Return its clusters as hyperedges, and its weights, without runs of weight 0."""
    edges = hyperedges(labels)
    _arrays.integer("n_clusters", n_clusters, 1, edges.n_samples, _SAMPLES)
    run_weights = _check_weights(weights, edges.n_runs)
    counted = np.flatnonzero((run_weights > 0) & edges.seen.any(axis=1))
    if len(counted) < edges.n_runs:
        edges, run_weights = edges.take(counted), run_weights[counted]
    lost = np.flatnonzero(~edges.seen.any(axis=0))
    if len(lost):
        shown = ", ".join(map(str, lost[:5])) + (", ..." if len(lost) > 5 else "")
        raise ValueError(
            "labels must assign every sample to a cluster in at least one run (of positive weight), but "
            f"{len(lost)} of {edges.n_samples} samples are -1 in all runs: {shown}. Remove these "
            "columns with labels[:, (labels >= 0).any(axis=0)]."
        )
    return edges, run_weights


def _check_weights(weights: ArrayLike | None, n_runs: int) -> FloatArray:
    if weights is None:
        return np.ones(n_runs)
    values = checked_array(weights, "weights", np.float64)
    if values.shape != (n_runs,):
        raise ValueError(f"weights must have one value per run ({n_runs}), got shape {values.shape}")
    if not np.isfinite(values).all() or values.min() < 0 or values.max() == 0:
        raise ValueError("weights must be finite and non-negative, and positive for at least one run")
    return values


def agreed_parts(edges: Hyperedges, n_parts: int, *, fewer: bool = False) -> IntpArray | None:
    """Return the ``n_parts`` parts on which all runs agree, or None. Takes O(n_samples n_runs) time."""
    # If all runs are complete, first try the groups of samples that share a cluster in every run. With
    # ``fewer``, there may be fewer than ``n_parts`` groups. Then try the connected components of the
    # hypergraph.
    first, inverse = distinct_rows(edges.codes.T)
    if edges.seen.all() and (len(first) == n_parts or (fewer and len(first) < n_parts)):
        return inverse
    if len(first) < n_parts:
        return None
    joined = components(edges)[0]
    return joined if joined.max() + 1 == n_parts else None


def components(edges: Hyperedges) -> tuple[IntpArray, IntpArray]:
    """Return the hypergraph's connected component of each sample and of each hyperedge."""
    graph = bipartite_graph(edges, np.ones(edges.n_runs))
    parts = np.asarray(csgraph.connected_components(graph, directed=False)[1], dtype=np.intp)
    return parts[: edges.n_samples], parts[edges.n_samples :]


def low_rank_parts(
    edges: Hyperedges, weights: FloatArray, n_parts: int, seed: np.random.SeedSequence
) -> IntpArray:
    """Cluster the rows of :func:`leading_vectors`, scaled to unit length, by k-means."""
    # If at most ``n_parts`` samples are distinct, each of them is a part. If the hypergraph has more
    # components than parts, some components are merged arbitrarily. For N distinct samples and E hyperedges
    # of distinct runs, the time is O(N E^2 + E^3).
    edges, weights = merge_equal_runs(edges, weights)
    first, inverse = distinct_rows(edges.codes.T)
    if len(first) <= n_parts:
        return inverse
    share = np.bincount(inverse).astype(np.float64)
    vector_seed, center_seed = (_arrays.integer_seed(part) for part in seed.spawn(2))
    few = Hyperedges(edges.codes[:, first], edges.starts)
    U, _ = leading_vectors(few, weights, n_parts, share=share, seed=vector_seed)
    length = np.linalg.norm(U, axis=1, keepdims=True)
    # If there are more components than parts, some components have rows of zeros.
    U = np.divide(U, length, out=np.zeros_like(U), where=length > ZERO)
    kmeans = KMeans(n_parts, n_init=10, random_state=center_seed)
    return kmeans.fit(U, sample_weight=share).labels_[inverse]


def merge_equal_runs(edges: Hyperedges, weights: FloatArray) -> tuple[Hyperedges, FloatArray]:
    """Merge runs with identical partitions into one run, whose weight is the sum of their weights."""
    local = np.where(edges.seen, edges.codes - edges.starts[:-1, np.newaxis], -1)
    first, inverse = distinct_rows(local)
    if len(first) == edges.n_runs:
        return edges, weights
    return edges.take(first), np.bincount(inverse, weights).astype(np.float64)


def leading_vectors(
    edges: Hyperedges, weights: FloatArray, n_vectors: int, *, share: FloatArray | None = None, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Compute the leading eigenvectors and eigenvalues (at most n_vectors) of Deg^(-1/2) C Deg^(-1/2)."""
    # Entry (i, j) of C = H W H^T is the total weight of the runs with i and j in one cluster. Deg contains
    # the row sums of C. The smaller matrix W^(1/2) H^T Deg^-1 H W^(1/2) has the same non-zero eigenvalues.
    # Each sample represents ``share`` identical samples. ``seed`` determines the initial vector of the sparse
    # solver.
    n_samples = edges.n_samples
    share = np.ones(n_samples) if share is None else share
    H = edges.matrix().T.tocsr()
    of_edge = weights[edges.runs]
    degree = H @ (of_edge * (H.T @ share))
    A = (sp.diags_array(np.sqrt(share / degree)) @ H @ sp.diags_array(np.sqrt(of_edge))).tocsr()
    n_vectors = min(n_vectors, edges.n_edges, n_samples)
    if edges.n_edges <= MOST_DENSE_EDGES or n_vectors >= edges.n_edges - 1:
        last = edges.n_edges - 1
        values, right = scipy.linalg.eigh(_gram(A), subset_by_index=(last + 1 - n_vectors, last))
    else:
        gram = LinearOperator((edges.n_edges,) * 2, matvec=lambda v: A.T @ (A @ v), dtype=np.float64)
        start = np.random.default_rng(seed).random(edges.n_edges)
        values, right = eigsh(gram, n_vectors, v0=start)
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > ZERO]
    values = values[order]
    vectors = np.asarray(A @ (right[:, order] / np.sqrt(values)))
    return vectors / np.sqrt(share)[:, np.newaxis], values


def _gram(A: sp.csr_array) -> FloatArray:
    """Compute A^T A from dense row blocks, which is faster than a sparse product."""
    gram = np.zeros((A.shape[1],) * 2)
    for lo in range(0, A.shape[0], BLOCK_ROWS):
        block = A[lo : lo + BLOCK_ROWS].toarray()
        gram += block.T @ block
    return gram


def use_metis(partitioner: str, fallback: str, function: str) -> bool:
    """Return whether to use METIS. If it is missing, "auto" returns False, and "metis" raises an error."""
    if partitioner not in ("auto", "metis"):
        return False
    available = _load() is not None
    if partitioner == "auto":
        used = "METIS" if available else f"{fallback!r}, because pymetis is not installed"
        _say_once(f"{function}(partitioner='auto') uses {used}")
    elif not available:
        raise _arrays.MissingPackageError(
            f"{function} with METIS requires pymetis; install moo_clustering[metis], or use {fallback!r} "
            "instead"
        )
    return available


def metis_parts(
    graph: sp.csr_array, n_parts: int, *, vertex_weights: FloatArray | None = None, seed: int
) -> IntpArray:
    """Use METIS to partition a symmetric graph into parts of similar weight with few edges between them."""
    # Edge weights are rounded to multiples of 1e-4 or, if their sum is large, of a larger unit. If there are
    # at most n_parts vertices, each vertex is a part.
    n_vertices = graph.shape[0]
    if n_parts == 1 or n_vertices <= n_parts:
        return np.zeros(n_vertices, dtype=np.intp) if n_parts == 1 else np.arange(n_vertices)
    edges = sp.csr_array(
        (_integers(graph.data, 10_000.0), graph.indices, graph.indptr), shape=graph.shape, copy=True
    )
    edges.eliminate_zeros()
    sizes = None if vertex_weights is None else np.maximum(_integers(vertex_weights, 1000.0), 1)
    pymetis = _load()
    adjacency = pymetis.CSRAdjacency(edges.indptr.astype(np.int64), edges.indices.astype(np.int64))
    weights, options = {"vweights": sizes, "eweights": edges.data}, pymetis.Options(seed=seed)
    _, parts = pymetis.part_graph(int(n_parts), adjacency, **weights, recursive=False, options=options)
    return np.asarray(parts, dtype=np.intp)


def warn_of_balance(
    edges: Hyperedges, weights: FloatArray, n_parts: int, instead: str, *, harm: str = " and will be split",
    balance: float = BALANCE,
) -> None:  # fmt: skip
    """Warn if, in most runs, the largest cluster has more than ``balance`` times the mean part size."""
    largest = np.maximum.reduceat(edges.sizes, edges.starts[:-1])
    mean = edges.seen.sum(axis=1) / n_parts
    unequal = largest > np.maximum(balance * mean, np.ceil(mean))
    if weights[unequal].sum() > weights.sum() / 2:
        _arrays.warn_caller(
            f"METIS creates {n_parts} parts of about equal size, but the largest cluster of most runs is "
            f"{np.median((largest / mean)[unequal]):.3g} times that size{harm}; use {instead}"
        )


def warn_of_meta_balance(edges: Hyperedges, weights: FloatArray, n_clusters: int, owner: str) -> None:
    """Warn if cluster sizes are so unequal that balancing meta-clusters may merge small clusters."""
    if agreed_parts(edges, n_clusters, fewer=True) is None:
        warn_of_balance(
            edges, weights, n_clusters, f"{owner} with partitioner='matching' or vertex_weight='unit'",
            harm=", and smaller ones may be merged", balance=META_BALANCE,
        )  # fmt: skip


def _integers(values: FloatArray, scale: float) -> NDArray[np.int64]:
    """Scale weights and round them to integers. If the sum would be too large, the scale is reduced."""
    total = max(float(values.sum()), 1e-300)
    if total <= LARGEST_SUM and np.array_equal(values, np.rint(values)):
        scale = 1.0
    return np.rint(values * min(scale, LARGEST_SUM / total)).astype(np.int64)


def _load() -> Any:
    try:
        return importlib.import_module("pymetis")
    except ImportError:
        return None


_say_once = functools.cache(LOG.info)


def bipartite_graph(edges: Hyperedges, weights: FloatArray) -> sp.csr_array:
    """Return the adjacency matrix of samples and then hyperedges; edges have the weights of their runs."""
    H = edges.matrix(weights)
    return sp.block_array([[None, H.T], [H, None]], format="csr")


def spectral_parts(
    edges: Hyperedges, weights: FloatArray, n_parts: int, *, with_edges: bool, seed: np.random.SeedSequence
) -> IntpArray:
    """Apply k-means to singular vectors of D_v^(-1/2) H^T D_e^(-1/2), with rows scaled to unit length."""
    # H is the incidence matrix. D_v and D_e contain the degrees of the samples and of the hyperedges. With
    # ``with_edges``, the hyperedges are clustered, too. The time is O(n_samples n_runs^2 + E^3) for at most
    # 2000 hyperedges, and O(n_samples n_runs n_parts) for more.
    first, inverse = distinct_rows(edges.codes.T)
    if len(first) <= n_parts:
        return inverse
    vector_seed, center_seed = (_arrays.integer_seed(part) for part in seed.spawn(2))
    samples, hyper = _singular_vectors(edges, weights, n_parts, vector_seed)
    rows, share = samples[first], np.bincount(inverse).astype(np.float64)
    if with_edges:
        rows, share = np.vstack([rows, hyper]), np.concatenate([share, np.ones(len(hyper))])
    kmeans = KMeans(n_parts, n_init=10, random_state=center_seed)
    return kmeans.fit(rows, sample_weight=share).labels_[: len(first)][inverse]


def _singular_vectors(
    edges: Hyperedges, weights: FloatArray, n_vectors: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    H = edges.matrix(weights)
    of_edge, of_object = np.sqrt(H.sum(axis=1)), np.sqrt(H.sum(axis=0))
    A = (sp.diags_array(1.0 / of_object) @ H.T @ sp.diags_array(1.0 / of_edge)).tocsr()
    n_vectors = min(n_vectors, *A.shape)
    if edges.n_edges > MOST_DENSE_EDGES:
        left, _, right = randomized_svd(A, n_vectors, n_iter=10, random_state=seed)
        return _unit(left), _unit(right.T)
    last = edges.n_edges - 1
    squares, right = scipy.linalg.eigh((A.T @ A).toarray(), subset_by_index=(last + 1 - n_vectors, last))
    # The singular vectors for the singular value 0 are arbitrary and are therefore dropped.
    defined = squares > ZERO
    right = right[:, defined]
    return _unit(A @ (right / np.sqrt(squares[defined]))), _unit(right)


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)


@documented(cspa)
def hbgf(
    labels: ArrayLike,
    n_clusters: int,
    *,
    partitioner: Literal["auto", "metis", "spectral"] = "auto",
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> Labels:
    """Compute a consensus by partitioning the bipartite graph of samples and clusters.

    Samples that share a cluster in all runs form a group. If there are at most ``n_clusters`` groups, they
    are the result. Otherwise, if the graph has ``n_clusters`` connected components, they are the result.
    METIS takes roughly O(n_samples n_runs) time. Spectral clustering takes O(n_samples n_runs^2 + E^3) time,
    where E is the total number of clusters over all runs, if E is at most 2000. Errors and warnings are those
    of :func:`cspa`. Source: X. Fern, C. Brodley, International Conference on Machine Learning (2004).

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples; the result may have fewer clusters.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        ``"metis"``: METIS, with parts of at most 1.03 times the mean size. ``"spectral"``: k-means on
        singular vectors, as in the paper. ``"auto"``: METIS if pymetis is installed, otherwise
        ``"spectral"``; the choice is logged.
    random_state : int, Generator, RandomState or None, default=None
        Seed for METIS or k-means.

    Examples
    --------
    >>> from moo_clustering.consensus import hbgf
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> hbgf(runs, 3, partitioner="spectral", random_state=0)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    _arrays.choice("partitioner", partitioner, ("auto", "metis", "spectral"))
    return _bipartite(labels, n_clusters, weights, random_state, partitioner, "hbgf(partitioner='spectral')")


def _bipartite(
    labels: Any, n_clusters: int, weights: Any, random_state: Any, partitioner: str, instead: str = ""
) -> Labels:
    """Compute HBGF.

    Warnings about METIS recommend ``instead``. If ``instead`` is "", k-means clusters only the samples.
    """
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    metis = use_metis(partitioner, "spectral", "hbgf")
    (seed,) = _arrays.spawn_seeds(random_state, 1)
    if n_clusters == 1:
        return np.zeros(edges.n_samples, dtype=np.int32)
    if (agreed := agreed_parts(edges, n_clusters, fewer=True)) is not None:
        parts = agreed
    elif metis:
        warn_of_balance(edges, run_weights, n_clusters, instead)
        graph = bipartite_graph(edges, run_weights)
        parts = metis_parts(graph, n_clusters, seed=_arrays.integer_seed(seed))[: edges.n_samples]
    else:
        parts = spectral_parts(edges, run_weights, n_clusters, with_edges=bool(instead), seed=seed)
    return relabel_by_first_appearance(parts)


@documented(hbgf)
def hgpa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    approximation: Literal["hbgf", "spectral"] = "hbgf",
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> Labels:
    """Compute a consensus by approximate hypergraph partitioning.

    The paper uses hMETIS to minimise the number of cut hyperedges (clusters of all runs). Because hMETIS
    cannot be redistributed, it is replaced by approximations that minimise other criteria. Costs and errors
    are the same as for :func:`hbgf`. If all runs agree, the results are also the same. Sources: A. Strehl, J.
    Ghosh, Journal of Machine Learning Research 3 (2002), section 3.3; D. Zhou, J. Huang, B. Schölkopf,
    NeurIPS 19 (2006), for the singular vectors.

    Parameters
    ----------
    approximation : {"hbgf", "spectral"}, default="hbgf"
        ``"hbgf"``: use :func:`hbgf`, with METIS if pymetis is installed. ``"spectral"``: scale the incidence
        matrix by its row and column sums, and apply k-means to its singular vectors for the samples.

    Examples
    --------
    >>> from moo_clustering.consensus import hgpa
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> hgpa(runs, 3, approximation="spectral", random_state=0)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    _arrays.choice("approximation", approximation, ("hbgf", "spectral"))
    if approximation == "hbgf":
        return _bipartite(labels, n_clusters, weights, random_state, "auto", "hgpa(approximation='spectral')")
    return _bipartite(labels, n_clusters, weights, random_state, "spectral")


@overload
def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = ...,
    partitioner: MetaPartitioner = ...,
    weights: ArrayLike | None = ...,
    ties: Ties = ...,
    random_state: SeedLike = ...,
    return_association: Literal[False] = ...,
) -> Labels: ...


@overload
def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = ...,
    partitioner: MetaPartitioner = ...,
    weights: ArrayLike | None = ...,
    ties: Ties = ...,
    random_state: SeedLike = ...,
    return_association: Literal[True],
) -> tuple[Labels, FloatArray]: ...


@documented(hbgf)
def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = "size",
    partitioner: MetaPartitioner = "auto",
    weights: ArrayLike | None = None,
    ties: Ties = "first",
    random_state: SeedLike = None,
    return_association: bool = False,
) -> Labels | tuple[Labels, FloatArray]:
    """Compute a consensus by the meta-clustering algorithm.

    The clusters of all runs are grouped into meta-clusters according to their pairwise Jaccard indices, which
    are computed on the samples that both runs contain. Each sample joins the meta-cluster in which the
    largest share of clusters contains the sample. If all runs agree, the results are the same as for
    :func:`hbgf`. Issues a UserWarning if METIS balances sizes, but most runs have a cluster with more than
    1.75 times the mean meta-cluster size. Takes O(n_samples n_runs^2 + E^2 n_clusters) time and O(n_runs
    n_samples + E^2) memory, where E is the total number of clusters over all runs. Source: A. Strehl, J.
    Ghosh, Journal of Machine Learning Research 3 (2002), section 3.4.

    Parameters
    ----------
    n_clusters : int
        Number of meta-clusters, from 1 to n_samples; empty meta-clusters are dropped from the result.
    vertex_weight : {"size", "unit"}, default="size"
        Quantity that METIS makes similar for all meta-clusters. ``"size"``: the total size of their clusters,
        as in the paper. ``"unit"``: the number of their clusters, for runs with clusters of unequal size.
    partitioner : {"auto", "metis", "matching"}, default="auto"
        ``"metis"``: METIS, as in the paper. ``"matching"``: the clusters of a run join different
        meta-clusters, by similarity regardless of size; if there are more than ``n_clusters``, some are
        omitted. ``"auto"``: METIS if pymetis is installed, otherwise matching; the choice is logged.
    ties : {"first", "random"}, default="first"
        Whether samples that are equally associated with several meta-clusters join the first or a random one.
    random_state : int, Generator, RandomState or None, default=None
        Seed for METIS and ``ties="random"``.
    return_association : bool, default=False
        Whether to also return ``association``.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ..., numbered by first appearance.
    association : ndarray of shape (n_clusters, n_samples)
        Returned only with ``return_association``. Entry (c, i) is the share of the clusters in meta-cluster c
        that contain sample i. Runs without this sample are ignored. Empty meta-clusters come last. The
        confidence of the labels is ``association.max(axis=0) / association.sum(axis=0)``.

    Examples
    --------
    >>> from moo_clustering.consensus import mcla
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> labels, association = mcla(runs, 3, partitioner="matching", return_association=True)
    >>> labels
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    >>> association[0]
    array([1.  , 1.  , 0.75, 0.25, 0.  , 0.  , 0.  ])
    """
    _arrays.choice("vertex_weight", vertex_weight, ("size", "unit"))
    _arrays.choice("partitioner", partitioner, ("auto", "metis", "matching"))
    _arrays.choice("ties", ties, ("first", "random"))
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    seed, tie_seed = _arrays.spawn_seeds(random_state, 2)
    metis = use_metis(partitioner, "matching", "mcla")
    if metis and vertex_weight == "size":
        warn_of_meta_balance(edges, run_weights, n_clusters, "mcla")
    consensus, association = meta_consensus(
        edges,
        n_clusters,
        run_weights,
        vertex_weight=vertex_weight if metis else None,
        seed=seed,
        tie_rng=np.random.default_rng(tie_seed) if ties == "random" else None,
    )
    return (consensus, association) if return_association else consensus


def meta_consensus(
    edges: Hyperedges,
    n_clusters: int,
    weights: FloatArray,
    *,
    vertex_weight: VertexWeight | None,
    seed: np.random.SeedSequence,
    tie_rng: np.random.Generator | None = None,
) -> tuple[Labels, FloatArray]:
    """Compute the results of :func:`mcla`. If ``vertex_weight`` is None, use matching instead of METIS."""
    groups = agreed_parts(edges, n_clusters, fewer=True)
    united = np.zeros(edges.n_edges, dtype=np.intp) if groups is None else components(edges)[1]
    if groups is not None and n_clusters > 1 and united.max() < groups.max():
        labels, _ = _arrays.number_clusters(groups)
        return labels, _shared_runs(edges, labels, n_clusters, weights)
    edge_weights = weights[edges.runs]
    similar = jaccard(edges)
    if n_clusters == 1:
        parts = np.zeros(edges.n_edges, dtype=np.intp)
    elif groups is not None:
        parts = united
    elif edges.n_edges <= n_clusters:
        parts = np.arange(edges.n_edges)
    elif vertex_weight is None:
        parts = matched_parts(edges, similar, n_clusters, weights)
    else:
        graph = sp.csr_array(similar * edge_weights * edge_weights[:, np.newaxis])
        sizes = edge_weights * (edges.sizes if vertex_weight == "size" else 1.0)
        parts = metis_parts(graph, n_clusters, vertex_weights=sizes, seed=_arrays.integer_seed(seed))
    association = collapse(edges, parts, n_clusters, weights)
    deciding = association.copy()
    left_out = np.flatnonzero(~association.any(axis=0))
    if len(left_out):
        # If matching omitted all clusters of a sample, the sample joins the most similar meta-cluster.
        likeness = part_similarity(similar, parts, n_clusters, edge_weights)
        codes = edges.codes[:, left_out]
        votes = np.where((codes >= 0)[..., np.newaxis], likeness[codes], 0.0)
        deciding[:, left_out] = np.einsum("t,tic->ci", weights, votes)
    best = deciding >= deciding.max(axis=0) - TIE
    ranks = best if tie_rng is None else np.where(best, tie_rng.random(best.shape), -1.0)
    labels, former = _arrays.number_clusters(ranks.argmax(axis=0))
    order = np.concatenate([former, np.setdiff1d(np.arange(len(deciding)), former)])
    return labels, association[order]


def _shared_runs(edges: Hyperedges, labels: Labels, n_parts: int, weights: FloatArray) -> FloatArray:
    """For each group, return the share of runs in which each sample shares a cluster with the group."""
    first = np.unique(labels, return_index=True)[1]
    shared = np.zeros((n_parts, edges.n_samples))
    for codes, weight in zip(edges.codes, weights, strict=True):
        shared[: len(first)] += weight * (codes[first][:, np.newaxis] == codes)
    return np.minimum(shared / weights.sum(), 1.0)


def jaccard(edges: Hyperedges) -> FloatArray:
    """Compute Jaccard indices of hyperedges on the samples that both runs contain; the diagonal is zero."""
    shared = edges.intersections
    # ``within[a, b]`` is the number of samples of hyperedge a that the run of b contains. The clusters of
    # this run are disjoint, so that the intersections of a with them can be added.
    sums = np.concatenate([np.zeros((edges.n_edges, 1), np.int64), shared.cumsum(axis=1)], axis=1)
    within = (sums[:, edges.starts[1:]] - sums[:, edges.starts[:-1]])[:, edges.runs]
    union = within + within.T - shared
    similar = np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)
    np.fill_diagonal(similar, 0.0)
    return similar


def collapse(edges: Hyperedges, parts: IntpArray, n_parts: int, weights: FloatArray) -> FloatArray:
    """Compute, for each meta-cluster, the share of its clusters that contain each sample."""
    n = edges.n_samples
    run, column = np.nonzero(edges.seen)
    part = parts[edges.codes[run, column]]
    used = part >= 0
    held = np.bincount(part[used] * n + column[used], weights=weights[run[used]], minlength=n_parts * n)
    # ``bincount`` returns integers if the array is empty.
    held = held.reshape(n_parts, n).astype(np.float64, copy=False)
    member = np.flatnonzero(parts >= 0)
    members = np.zeros((n_parts, edges.n_runs))
    np.add.at(members, (parts[member], edges.runs[member]), weights[edges.runs[member]])
    if edges.seen.all():
        totals = np.broadcast_to(members.sum(axis=1, keepdims=True), held.shape)
    else:
        totals = members @ edges.seen
    return np.minimum(np.divide(held, totals, out=np.zeros_like(held), where=totals > 0), 1.0)


def matched_parts(edges: Hyperedges, jaccard: FloatArray, n_parts: int, weights: FloatArray) -> IntpArray:
    """Return each cluster's meta-cluster. If a run has more than ``n_parts`` clusters, some get -1."""
    # The first meta-clusters are the clusters of one run. If some runs have n_parts clusters, this is the run
    # among them that agrees best with all others. Otherwise, the run is chosen from the runs with the most
    # clusters. Then each run is matched to the meta-clusters by the mean similarity of clusters to members,
    # in at most 20 sweeps of O(E^2 n_parts) time.
    parts = np.full(edges.n_edges, -1, dtype=np.intp)
    member = np.zeros((edges.n_edges, n_parts))
    edge_weights = weights[edges.runs]
    first = _first_run(edges, n_parts, weights)
    clusters = np.arange(edges.starts[first], edges.starts[first + 1])
    largest = np.sort(clusters[np.argsort(-edges.sizes[clusters], kind="stable")[:n_parts]])
    parts[largest] = np.arange(len(largest))
    member[largest, parts[largest]] = edge_weights[largest]
    for _ in range(MAX_SWEEPS):
        before = parts.copy()
        for run in range(edges.n_runs):
            own = slice(int(edges.starts[run]), int(edges.starts[run + 1]))
            previous = member[own].copy()
            member[own] = 0.0
            totals = member.sum(axis=0)
            if not totals.any():
                # If no other run has members yet, this run keeps its members, and the other runs are matched
                # to them.
                member[own] = previous
                continue
            rows, columns = linear_sum_assignment(-_means(jaccard[own] @ member, totals))
            parts[own] = -1
            parts[own][rows] = columns
            member[own][rows, columns] = edge_weights[own][rows]
        if np.array_equal(parts, before):
            break
    return parts


def part_similarity(
    jaccard: FloatArray, parts: IntpArray, n_parts: int, edge_weights: FloatArray
) -> FloatArray:
    """Compute the mean similarity of each hyperedge to the members of each part, or 0 for an empty part."""
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
    return int(among[(agreement[among] >= agreement[among].max() - 1e-12).argmax()])


def _means(sums: FloatArray, totals: FloatArray) -> FloatArray:
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
