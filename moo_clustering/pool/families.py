"""The eight families of clustering algorithms that generate the partitions of a pool."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform
from sklearn.cluster import HDBSCAN
from sklearn.cluster._hdbscan._linkage import MST_edge_dtype
from sklearn.cluster._hdbscan._tree import tree_to_labels
from sklearn.cluster._hdbscan.hdbscan import _process_mst
from sklearn.neighbors import NearestNeighbors

from moo_clustering import graphs
from moo_clustering._arrays import FloatArray, Int64Array, IntArray, IntpArray, quoted, warn_caller
from moo_clustering.graphs.spectral import kmeans_labels
from moo_clustering.graphs.trees import square_distances

Partition = IntArray
Failures = dict[str, list[str]]
Range = Literal["auto"] | Iterable[int]
# The automatic range of the number of clusters extends at least to this number.
LEAST_TOP = 6
_STARTS = 3
# Sums are treated as equal if their relative difference is at most this number.
_ROUNDING = 1e-12


def k_grid(n_samples: int, *, k_range: Range = "auto", n_clusters: int | None = None) -> Int64Array:
    """Return the numbers of clusters for which candidates are generated, in ascending order.

    Source: ParetoClustering (agreement between algorithm families). Raises a ValueError or TypeError if
    ``k_range`` is empty, or if a number is not an integer in the valid range.

    Parameters
    ----------
    n_samples : int
    k_range : "auto" or iterable of int, default="auto"
        Numbers from 2 to n_samples-1. ``"auto"``: numbers from 2 to 20 and even numbers from 22 to 40, but
        none above max(6, ceil(sqrt(n_samples))).
    n_clusters : int, optional
        Number of clusters to add, from 1 to n_samples. 1 and n_samples are accepted but not added.

    Returns
    -------
    ks : ndarray of shape (n_numbers,), int64
        Numbers from 2 to n_samples-1. Empty if ``k_range="auto"`` and there are fewer than three samples.

    Examples
    --------
    >>> from moo_clustering.pool import k_grid
    >>> k_grid(50, n_clusters=12)
    array([ 2,  3,  4,  5,  6,  7,  8, 12])
    """
    if isinstance(k_range, str):
        if k_range != "auto":
            raise ValueError(f"k_range must be 'auto' or a sequence of integers, got {quoted(k_range)}")
        top = max(LEAST_TOP, math.isqrt(max(n_samples - 1, 0)) + 1)
        ks = {k for k in (*range(2, 21), *range(22, 41, 2)) if k <= top and k < n_samples}
    else:
        try:
            numbers = list(k_range)
        except TypeError:
            raise TypeError(
                f"k_range must be 'auto' or a sequence of integers, got {quoted(k_range)}"
            ) from None
        ks = {_checked("k_range", k, 2, n_samples - 1) for k in numbers}
        if not ks:
            raise ValueError("k_range must contain at least one number of clusters")
    if n_clusters is not None:
        wanted = _checked("n_clusters", n_clusters, 1, n_samples)
        ks |= {wanted} if 2 <= wanted < n_samples else set()
    return np.array(sorted(ks), dtype=np.int64)


def _checked(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must contain integers, got {quoted(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most} for these samples, got {value}")
    return int(value)


@dataclass(frozen=True, eq=False)
class PoolData:
    """Samples, and the graph and linkage shared by several families."""

    X: FloatArray  # shape (n_samples, n_features), or (n_samples, n_samples) distances
    precomputed: bool
    n_neighbors: int = 10
    given_graph: csr_array | None = None
    given_merges: FloatArray | None = None  # linkage matrix of SciPy, shape (n_samples - 1, 4)
    # labels of k-means by number of clusters, which also initialise mixtures
    found_means: dict[int, Partition] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def metric(self) -> Any:
        """Metric name for graph functions."""
        return "precomputed" if self.precomputed else "euclidean"

    def graph(self) -> csr_array:
        """Return the similarities between neighbours."""
        if self.given_graph is not None:
            return self.given_graph
        return graphs.self_tuning_graph(self.X, n_neighbors=self.n_neighbors, metric=self.metric)

    def merges(self) -> FloatArray:
        """Return the Ward linkage for features, or the average linkage for distances."""
        if self.given_merges is not None:
            return self.given_merges
        if self.precomputed:
            return linkage(squareform(self.X, checks=False), "average")
        return linkage(self.X, "ward")

    @cached_property
    def squares(self) -> FloatArray | None:
        """Squared distances between samples. None if X contains distances, or if storing saves no time."""
        return None if self.precomputed else square_distances(self.X)

    @cached_property
    def density_terms(self) -> tuple[FloatArray, tuple[IntpArray, ...], float]:
        """Terms of log densities (n_terms, n_samples), features in each product, and minimum variance."""
        # The terms are the products of two features, the features, and 1. With more than 12 features, the
        # only products are squares.
        rows = np.ascontiguousarray((self.X - self.X.mean(axis=0)).T)
        each = np.arange(len(rows))
        pairs = np.triu_indices(len(rows)) if len(rows) <= 12 else (each, each)
        terms = np.concatenate([rows[pairs[0]] * rows[pairs[1]], rows, np.ones((1, self.n_samples))])
        # The minimum variance is added to all variances to keep them positive despite rounding errors.
        return terms, pairs, max(1e-3, _ROUNDING * float(np.abs(rows).max()) ** 2)

    def own_order(self) -> IntpArray:
        """Return the samples sorted by distance from the mean, then by features, but never by row index."""
        # With precomputed distances, sort samples by the sum of squared distances to all others.
        rows = self.X if self.precomputed else self.X - self.X.mean(axis=0)
        rows = rows / (np.abs(rows).max() or 1.0)
        far = np.einsum("ij,ij->i", rows, rows)
        # Round the distances, because distances that differ only by rounding errors must be tied.
        far = np.round(far / (far.max() or 1.0), 9)
        return np.lexsort((far,) if self.precomputed else (*self.X.T[::-1], far))

    def ordered(self, order: IntpArray) -> PoolData:
        """Return the samples and the graph in the given order."""
        X = self.X[order]
        graph = None if self.given_graph is None else self.given_graph[order][:, order]
        return PoolData(X[:, order] if self.precomputed else X, self.precomputed, self.n_neighbors, graph)

    def nearest(self, samples: IntpArray, among: IntpArray) -> IntpArray:
        """Return, for each sample, the nearest sample in ``among``."""
        if self.precomputed:
            places = self.X[np.ix_(samples, among)].argmin(axis=1)
        else:
            search = NearestNeighbors(n_neighbors=1).fit(self.X[among])
            places = search.kneighbors(self.X[samples], return_distance=False)[:, 0]
        return among[places]


Builder = Callable[[PoolData, Sequence[int]], list[Partition]]
"""Function that returns one family's partitions for the given k; random choices depend on k only."""


def kmeans_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """For each k, return the best of several k-means partitions (for distances, k-medoids partitions)."""
    if data.precomputed:
        return [k_medoids(data.X, k, n_init=_STARTS, rng=np.random.default_rng(k)) for k in ks]
    return [_kmeans(data, k) for k in ks]


def _kmeans(data: PoolData, k: int) -> Partition:
    if k not in data.found_means:
        centers = None
        if data.given_merges is not None:
            # With many clusters, also start from a Ward cut, because random starts usually miss some
            # clusters.
            members = (tree_cut(data.given_merges, k) == np.arange(k)[:, None]).astype(np.float64)
            centers = members @ data.X / members.sum(axis=1, keepdims=True)
        data.found_means[k] = kmeans_labels(
            data.X, k, n_init=_STARTS, seed=k, centers=centers, squares=data.squares
        )
    return data.found_means[k]


def tree_cut(merges: FloatArray, k: int) -> Partition:
    """Cut a linkage into k clusters by undoing its last k - 1 merges."""
    n = len(merges) + 1
    parent = np.arange(2 * n - 1)
    done = np.arange(n - k)
    for side in (0, 1):
        parent[merges[: n - k, side].astype(np.intp)] = n + done
    while (parent != parent[parent]).any():
        parent = parent[parent]
    return np.unique(parent[:n], return_inverse=True)[1].reshape(-1)


def ward_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """For every k, cut the Ward linkage (for distances, the average linkage) into k clusters."""
    merges = data.merges()
    return [tree_cut(merges, k) for k in ks]


def spectral_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Compute spectral clusterings for every k from one eigendecomposition."""
    return list(graphs.spectral_cuts(data.graph(), ks, n_init=_STARTS, rng=np.random.default_rng(0)))


def genie_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Run Genie for every k, with Gini threshold 0.3, on the minimum spanning tree."""
    tree = graphs.euclidean_mst(data.X, metric=data.metric, root=0, ties="index")
    return list(graphs.genie_cuts(*sorted_links(tree), ks, threshold=0.3))


def sorted_links(tree: graphs.SpanningTree) -> tuple[NDArray[np.int32], FloatArray]:
    """Return a tree's links and their lengths, sorted by the ends of the links to make ties reproducible."""
    links = np.sort(tree.links(), axis=1)
    lengths = tree.lengths[np.arange(tree.n_samples) != tree.root]
    order = np.lexsort((links[:, 1], links[:, 0]))
    return links[order], lengths[order]


def reachability_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Run Genie for every k, with Gini threshold 0.5, on the mutual reachability spanning tree."""
    # The core distance of a sample is the distance to its neighbour of this rank.
    neighbors = min(5, data.n_samples - 1)
    tree = graphs.mutual_reachability_mst(data.X, n_neighbors=neighbors, metric=data.metric)
    return list(graphs.genie_cuts(*sorted_links(tree), ks, threshold=0.5))


def hdbscan_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Run HDBSCAN with several minimum sizes and both selection methods. Noise joins the nearest cluster."""
    tree = _density_tree(data, min_samples=min(5, data.n_samples))
    found: list[Partition] = []
    # A minimum cluster size above n / 3 would leave no room for two clusters and noise.
    n, most = data.n_samples, max(2, data.n_samples // 3)
    for size in sorted({min(size, most) for size in (5, 10, max(5, n // 50), max(5, n // 20))}):
        for method in ("eom", "leaf"):
            labels = tree_to_labels(tree, size, method)[0]
            if 1 <= labels.max() < 60:
                found.append(without_noise(data, labels))
    return found


def _density_tree(data: PoolData, min_samples: int) -> NDArray[Any]:
    """Return the single-linkage tree of mutual reachability distances, with ties broken as in HDBSCAN."""
    if data.squares is None:
        model = HDBSCAN(min_samples=min_samples, metric=data.metric, copy=True).fit(data.X)
        return model._single_linkage_tree_
    reach = np.sqrt(data.squares)
    core = np.partition(reach, min_samples - 1, axis=1)[:, min_samples - 1]
    np.maximum(reach, np.maximum(core, core[:, None]), out=reach)
    edges = np.empty(len(core) - 1, dtype=MST_edge_dtype)
    least, source = np.full(len(core), np.inf), np.zeros(len(core), dtype=np.intp)
    inside, newest = np.zeros(len(core), dtype=bool), 0
    for step in range(len(edges)):
        inside[newest] = True
        nearer = reach[newest] < least
        least[nearer], source[nearer] = reach[newest, nearer], newest
        least[inside] = np.inf
        # ``argmin`` breaks ties by the first sample, as in scikit-learn.
        newest = int(least.argmin())
        edges[step] = source[newest], newest, least[newest]
    return _process_mst(edges)


def mixture_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Fit Gaussian mixtures for k up to 20, started from k-means. Covariances are full up to 12 features."""
    return [_mixture(data, _kmeans(data, k)) for k in ks if k <= 20]


def _mixture(data: PoolData, start: Partition) -> Partition:
    """Return the clusters of a Gaussian mixture fitted by expectation-maximisation from a partition."""
    # Log densities are linear in the terms, so each iteration consists of matrix products. An iteration takes
    # O(n_samples k n_terms) time for k components.
    terms, upper, least = data.density_terms
    # If there are fewer distinct samples than clusters, some clusters are empty.
    numbers = np.unique(start, return_inverse=True)[1].reshape(-1)
    shares = (numbers == np.arange(numbers.max() + 1)[:, None]).astype(np.float64)
    bound = -np.inf
    for _ in range(60):
        weights = _density_weights(shares @ terms.T, upper, least)
        shares = weights @ terms
        top = shares.max(axis=0)
        np.exp(np.subtract(shares, top, out=shares), out=shares)
        total = shares.sum(axis=0)
        shares /= total
        previous, bound = bound, float((np.log(total) + top).mean())
        if abs(bound - previous) < 1e-3:
            break
    return (_density_weights(shares @ terms.T, upper, least) @ terms).argmax(axis=0)


def _density_weights(moments: FloatArray, upper: tuple[IntpArray, ...], least: float) -> FloatArray:
    """Return the coefficients of the terms in each component's log density, shape (k, n_terms)."""
    # ``moments`` contains each component's weighted sums of the terms over the samples. ``upper`` contains
    # the two features of each product. ``least`` is added to all variances.
    one, other = upper
    d = int(other[-1]) + 1
    sizes = moments[:, -1:] + 10.0 * np.finfo(float).eps
    second, means = moments[:, : -1 - d] / sizes, moments[:, -1 - d : -1] / sizes
    second = second - means[:, one] * means[:, other] + least * (one == other)
    if len(one) == d:
        precision, spread = 1.0 / second, np.log(second).sum(axis=1)
        linear = precision * means
    else:
        full = np.empty((len(means), d, d))
        full[:, one, other] = full[:, other, one] = second
        spread = np.linalg.slogdet(full)[1]
        inverse = np.linalg.inv(full)
        linear = (inverse @ means[:, :, None])[:, :, 0]
        precision = inverse[:, one, other] * np.where(one == other, 1.0, 2.0)
    constant = np.log(sizes[:, 0] / sizes.sum()) - 0.5 * (spread + (linear * means).sum(axis=1))
    return np.column_stack([-0.5 * precision, linear, constant])


def agglomerated_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Merge small k-means clusters until k remain, for every k; see :func:`merged_fragments`."""
    return merged_fragments(data.graph(), fragments(data, n_fragments(data.n_samples)), ks)


def k_medoids(D: FloatArray, k: int, *, n_init: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Cluster symmetric distances by alternating k-medoids. Keep the best of ``n_init`` k-means++ starts."""
    # If there are fewer than k distinct samples, there are fewer than k clusters.
    runs = [_run(D, _seeded(D, k, rng)) for _ in range(n_init)]
    return min(runs, key=lambda run: run[1])[0]


def _run(D: FloatArray, medoids: IntpArray) -> tuple[NDArray[np.int32], float]:
    for _ in range(100):
        labels = _assigned(D, medoids)
        updated = _updated(D, labels, medoids)
        if (updated == medoids).all():
            break
        medoids = updated
    labels = _assigned(D, medoids)
    return labels, float(D[medoids[labels], np.arange(len(D))].sum())


def _assigned(D: FloatArray, medoids: IntpArray) -> NDArray[np.int32]:
    labels = D[medoids].argmin(axis=0).astype(np.int32)
    # A medoid stays in its own cluster even if it equals another medoid, so that no cluster becomes empty.
    labels[medoids] = np.arange(len(medoids))
    return labels


def _updated(D: FloatArray, labels: NDArray[np.int32], medoids: IntpArray) -> IntpArray:
    """Return each cluster's member with the smallest sum of distances. The current medoid wins ties."""
    updated = medoids.copy()
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(len(medoids) + 1))
    for c, medoid in enumerate(medoids):
        members = order[bounds[c] : bounds[c + 1]]
        sums = D[np.ix_(members, members)].sum(axis=1)
        least = sums.min()
        if sums[np.searchsorted(members, medoid)] > least * (1.0 + _ROUNDING):
            updated[c] = members[sums.argmin()]
    return updated


def _seeded(D: FloatArray, k: int, rng: np.random.Generator) -> IntpArray:
    medoids = [int(rng.integers(len(D)))]
    nearest = D[medoids[0]] ** 2
    for _ in range(1, k):
        nearest[medoids[-1]] = 0.0
        total = nearest.sum()
        if total == 0.0:
            # All other samples are equal to a medoid, so none can be drawn.
            break
        medoids.append(int(rng.choice(len(D), p=nearest / total)))
        nearest = np.minimum(nearest, D[medoids[-1]] ** 2)
    return np.array(medoids, dtype=np.intp)


def n_fragments(n_samples: int) -> int:
    """Return how many fragments to form: about a fifth of the number of samples, up to max(40, 3 sqrt(n))."""
    # At least min(6, n) fragments are formed, because n_samples // 5 would be too few to merge in small data.
    return max(min(n_samples // 5, max(40, math.isqrt(9 * n_samples))), min(n_samples, LEAST_TOP))


def merged_fragments(graph: csr_array, labels: IntArray, ks: Sequence[int]) -> list[Partition]:
    """Repeatedly merge the clusters a and b with the largest W_ab / (vol_a vol_b), down to ``min(ks)``."""
    # W_ab is the total similarity between a and b. The volume vol_a is the total similarity between a and all
    # samples. If no links remain, the clusters with the smallest volumes are merged. Ties are broken by the
    # lowest labels. Returns one partition for each k in ``ks`` that does not exceed m, the number of given
    # clusters. Takes O(m^3) time.
    numbers, own = np.unique(labels, return_inverse=True)
    m = len(numbers)
    members = csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), m))
    W = (members.T @ csr_array(graph) @ members).toarray()
    volumes = W.sum(axis=1)
    np.fill_diagonal(W, 0.0)
    cluster = np.arange(m)
    wanted = {int(k) for k in ks}
    found: list[Partition] = []
    alive = m
    while True:
        if alive in wanted:
            found.append(cluster[own])
        if alive <= min(wanted, default=m):
            return found[::-1]
        a, b = _pair(W, volumes)
        W[a] += W[b]
        W[:, a] += W[:, b]
        W[b] = W[:, b] = W[a, a] = 0.0
        volumes[a] += volumes[b]
        # Cluster b is now part of a. Its infinite volume excludes it when the smallest clusters are merged.
        volumes[b] = np.inf
        cluster[cluster == b] = a
        alive -= 1


def _pair(W: FloatArray, volumes: FloatArray) -> tuple[int, int]:
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.where(W > 0.0, W / np.outer(volumes, volumes), 0.0)
    at = int(strength.argmax())
    if strength.flat[at] > 0.0:
        a, b = divmod(at, len(W))
    else:
        a, b = np.argsort(volumes, kind="stable")[:2].tolist()
    return min(a, b), max(a, b)


def fragments(data: PoolData, k: int) -> Partition:
    """Return k small clusters, found by k-means or k-medoids from a single start."""
    if data.precomputed:
        return k_medoids(data.X, k, n_init=1, rng=np.random.default_rng(k))
    return kmeans_labels(data.X, k, n_init=1, seed=k, squares=data.squares)


def without_noise(data: PoolData, labels: Partition) -> Partition:
    """Replace each label -1 by the label of the nearest clustered sample."""
    noise, clustered = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
    labels = labels.copy()
    if len(noise) and len(clustered):
        labels[noise] = labels[data.nearest(noise, clustered)]
    return labels


def reason_of(error: Exception) -> str:
    """Return the class and message of an error on one line."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def warn_of_failures(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> None:
    """Issue one warning for all failures. The families in ``partly`` failed only for some partitions."""
    if failures:
        warn_caller(f"omitted from the pool: {told(failures, partly)}")


def told(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> str:
    """Return the families and their distinct failure reasons as text."""
    texts = (
        f"{family}{' (in part)' * (family in partly)}: {'; '.join(dict.fromkeys(reasons))}"
        for family, reasons in failures.items()
    )
    return ", ".join(texts) or "no families were requested"
