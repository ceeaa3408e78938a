"""The eight families of algorithms that make the partitions of a pool."""

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

from moo_clustering._arrays import FloatArray, Int64Array, IntArray, IntpArray, quoted, warn_caller
from moo_clustering.graphs import (
    SpanningTree,
    euclidean_mst,
    genie_cuts,
    mutual_reachability_mst,
    self_tuning_graph,
    spectral_cuts,
)
from moo_clustering.graphs.spectral import kmeans_labels
from moo_clustering.graphs.trees import square_distances

Partition = IntArray
Failures = dict[str, list[str]]
# Neighbour whose distance is the core distance in mutual reachability.
_CORE_NEIGHBOR = 5
Range = Literal["auto"] | Iterable[int]
_AUTO = [*range(2, 21), *range(22, 41, 2)]
# The range of k reaches at least this far, however few samples there are.
LEAST_TOP = 6
# Random starts of k-means and k-medoids.
_STARTS = 3
# Turns of k-medoids.
_MAX_ITER = 100
# Sums that differ by less than this share are equal.
_ROUNDING = 1e-12
# Decimals of squared distances from the mean, relative to the greatest, that decide which sample comes first.
_TIE_DIGITS = 9
# Neighbours of a core sample of HDBSCAN, and limits for results of HDBSCAN and mixtures.
_MIN_SAMPLES = 5
_MOST_CLUSTERS = 60
_MOST_COMPONENTS = 20
# More features than these have too many covariances.
_MOST_FULL = 12
# Added to the variances of mixtures; turns, which end when the mean log density of samples gains less.
_LEAST_VARIANCE = 1e-3
_MOST_TURNS, _LEAST_GAIN = 60, 1e-3


def k_grid(n_samples: int, *, k_range: Range = "auto", n_clusters: int | None = None) -> Int64Array:
    """Numbers of clusters for which candidates are made, ascending.

    Parameters
    ----------
    n_samples : int
    k_range : "auto" or iterable of int, default="auto"
        2 to 20 and the even numbers up to 40, at most max(6, the root of n_samples rounded up).
    n_clusters : int, optional
        A number to add if it is missing. One cluster, or one for every sample, needs no candidates
        and adds nothing.

    Returns
    -------
    ks : ndarray of shape (n_numbers,), int64
        All from 2 to n_samples - 1; empty for fewer than three samples and ``k_range="auto"``.

    Raises
    ------
    ValueError, TypeError
        A number that is no whole number from 2 to n_samples - 1, or no number at all.

    References
    ----------
    ParetoClustering: agreement of algorithm families.

    Examples
    --------
    >>> from moo_clustering.pool import k_grid
    >>> k_grid(50, n_clusters=12)
    array([ 2,  3,  4,  5,  6,  7,  8, 12])
    """
    if isinstance(k_range, str):
        if k_range != "auto":
            raise ValueError(f"k_range must be 'auto' or whole numbers, got {quoted(k_range)}.")
        top = max(LEAST_TOP, math.isqrt(max(n_samples - 1, 0)) + 1)
        ks = {k for k in _AUTO if k <= top and k < n_samples}
    else:
        ks = {_checked("k_range", k, 2, n_samples - 1) for k in _listed_numbers(k_range)}
        if not ks:
            raise ValueError("k_range must hold at least one number of clusters.")
    if n_clusters is not None:
        wanted = _checked("n_clusters", n_clusters, 1, n_samples)
        ks |= {wanted} if 2 <= wanted < n_samples else set()
    return np.array(sorted(ks), dtype=np.int64)


def _checked(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be made of whole numbers, got {quoted(value)}.")
    if not least <= value <= most:
        raise ValueError(f"{name} must lie between {least} and {most} for these samples, got {value}.")
    return int(value)


def _listed_numbers(k_range: Any) -> list[Any]:
    try:
        return list(k_range)
    except TypeError:
        raise TypeError(f"k_range must be 'auto' or whole numbers, got {quoted(k_range)}.") from None


@dataclass(frozen=True, eq=False)
class PoolData:
    """Samples with the graph and the linkage that several families share."""

    X: FloatArray  # shape (n_samples, n_features), or (n_samples, n_samples) distances
    precomputed: bool  # whether X holds distances
    n_neighbors: int = 10  # neighbours per sample in the graph
    given_graph: csr_array | None = None  # shape (n_samples, n_samples)
    # shape (n_samples - 1, 4): as of scipy.cluster.hierarchy.linkage.
    given_merges: FloatArray | None = None
    # shape (n_samples,): results of k-means, which start the mixtures too.
    found_means: dict[int, Partition] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def metric(self) -> Any:
        """Name of the metric, as the graphs take it."""
        return "precomputed" if self.precomputed else "euclidean"

    def graph(self) -> csr_array:
        """Similarity of neighbours."""
        if self.given_graph is not None:
            return self.given_graph
        return self_tuning_graph(self.X, n_neighbors=self.n_neighbors, metric=self.metric)

    def merges(self) -> FloatArray:
        """Ward linkage of samples, average linkage of distances."""
        if self.given_merges is not None:
            return self.given_merges
        if self.precomputed:
            merges: FloatArray = linkage(squareform(self.X, checks=False), "average")
        else:
            merges = linkage(self.X, "ward")
        return merges

    @cached_property
    def squares(self) -> FloatArray | None:
        """Squares of all distances of samples of many features, (n_samples, n_samples); or None."""
        return None if self.precomputed else square_distances(self.X)

    @cached_property
    def density_terms(self) -> tuple[FloatArray, tuple[IntpArray, ...], float]:
        """Products, features and 1 of every sample (n_terms, n_samples), pairs of features, least variance.

        Products of all pairs of up to 12 features, squares of more.
        """
        rows = np.ascontiguousarray((self.X - self.X.mean(axis=0)).T)
        each = np.arange(len(rows))
        pairs = np.triu_indices(len(rows)) if len(rows) <= _MOST_FULL else (each, each)
        terms = np.concatenate([rows[pairs[0]] * rows[pairs[1]], rows, np.ones((1, self.n_samples))])
        # What rounding takes from differences of squares must not turn a variance negative.
        return terms, pairs, max(_LEAST_VARIANCE, _ROUNDING * float(np.abs(rows).max()) ** 2)

    def own_order(self) -> IntpArray:
        """Samples by their distance from the mean, then by their features: an order that the data decide.

        The sum of squared distances of a sample to all others is as good where there are no features.
        """
        rows = self.X if self.precomputed else self.X - self.X.mean(axis=0)
        rows = rows / (np.abs(rows).max() or 1.0)
        far = np.einsum("ij,ij->i", rows, rows)
        # A difference by rounding is a tie.
        far = np.round(far / (far.max() or 1.0), _TIE_DIGITS)
        return np.lexsort((far,) if self.precomputed else (*self.X.T[::-1], far))

    def ordered(self, order: IntpArray) -> PoolData:
        """Samples and graph in another order."""
        X = self.X[order]
        graph = None if self.given_graph is None else self.given_graph[order][:, order]
        return PoolData(X[:, order] if self.precomputed else X, self.precomputed, self.n_neighbors, graph)

    def nearest(self, samples: IntpArray, among: IntpArray) -> IntpArray:
        """For each of the samples the one that is nearest to it among others."""
        if self.precomputed:
            places = self.X[np.ix_(samples, among)].argmin(axis=1)
        else:
            search = NearestNeighbors(n_neighbors=1).fit(self.X[among])
            places = search.kneighbors(self.X[samples], return_distance=False)[:, 0]
        return among[places]


Builder = Callable[[PoolData, Sequence[int]], list[Partition]]
"""Partitions of one family for numbers of clusters; what is random follows from k alone."""


def kmeans_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """The best of three k-means++ starts and one from the Ward cut for every k; of distances, k-medoids."""
    if data.precomputed:
        return [k_medoids(data.X, k, n_init=_STARTS, rng=np.random.default_rng(k)) for k in ks]
    return [_kmeans(data, k) for k in ks]


def _kmeans(data: PoolData, k: int) -> Partition:
    if k not in data.found_means:
        # Random starts miss some of many clusters, and chance decides which.
        cut = None if data.given_merges is None else tree_cut(data.given_merges, k)
        centers = None if cut is None else _means(data.X, cut, k)
        data.found_means[k] = kmeans_labels(
            data.X, k, n_init=_STARTS, seed=k, centers=centers, squares=data.squares
        )
    return data.found_means[k]


def tree_cut(merges: FloatArray, k: int) -> Partition:
    """The k clusters of a linkage before its last k - 1 merges."""
    n = len(merges) + 1
    parent = np.arange(2 * n - 1)
    done = np.arange(n - k)
    for side in (0, 1):
        parent[merges[: n - k, side].astype(np.intp)] = n + done
    while (parent != parent[parent]).any():
        parent = parent[parent]
    return np.unique(parent[:n], return_inverse=True)[1].reshape(-1)


def _means(X: FloatArray, labels: NDArray[np.integer], k: int) -> FloatArray:
    members = np.zeros((k, len(X)))
    members[labels, np.arange(len(X))] = 1.0
    return members @ X / members.sum(axis=1, keepdims=True)


def ward_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Ward linkage, or average linkage of distances, cut at every k."""
    merges = data.merges()
    return [tree_cut(merges, k) for k in ks]


def spectral_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Spectral clustering for every k from one eigendecomposition."""
    return list(spectral_cuts(data.graph(), ks, n_init=_STARTS, rng=np.random.default_rng(0)))


def genie_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Genie with threshold .3 on the minimum spanning tree, cut at every k."""
    tree = euclidean_mst(data.X, metric=data.metric, root=0, ties="index")
    return list(genie_cuts(*sorted_links(tree), ks, threshold=0.3))


def sorted_links(tree: SpanningTree) -> tuple[NDArray[np.int32], FloatArray]:
    """Links of a tree with their lengths, in the order of their ends, which decides among equal ones."""
    links = np.sort(tree.links(), axis=1)
    lengths = tree.lengths[np.arange(tree.n_samples) != tree.root]
    order = np.lexsort((links[:, 1], links[:, 0]))
    return links[order], lengths[order]


def reachability_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """Genie with threshold .5 on the minimum spanning tree of mutual reachability, cut at every k."""
    neighbors = min(_CORE_NEIGHBOR, data.n_samples - 1)
    tree = mutual_reachability_mst(data.X, n_neighbors=neighbors, metric=data.metric)
    return list(genie_cuts(*sorted_links(tree), ks, threshold=0.5))


def hdbscan_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """HDBSCAN decides on k itself; noise gets the label of its nearest clustered sample.

    All partitions are cuts of one tree: neither the least size of a cluster nor the selection changes it.
    """
    tree = _density_tree(data, min(_MIN_SAMPLES, data.n_samples))
    found: list[Partition] = []
    for size in _sizes(data.n_samples):
        for method in ("eom", "leaf"):
            labels = tree_to_labels(tree, size, method)[0]
            if 1 <= labels.max() < _MOST_CLUSTERS:
                found.append(without_noise(data, labels))
    return found


def _density_tree(data: PoolData, min_samples: int) -> NDArray[Any]:
    """Single linkage of mutual reachability, equal to that of scikit-learn's HDBSCAN also in ties."""
    if data.squares is None:
        model = HDBSCAN(min_samples=min_samples, metric=data.metric, copy=True).fit(data.X)
        return model._single_linkage_tree_
    reach = np.sqrt(data.squares)
    core = np.partition(reach, min_samples - 1, axis=1)[:, min_samples - 1]
    np.maximum(reach, np.maximum(core, core[:, None]), out=reach)
    edges = np.empty(len(core) - 1, dtype=MST_edge_dtype)
    least, source = np.full(len(core), np.inf), np.zeros(len(core), dtype=np.intp)
    inside = np.zeros(len(core), dtype=bool)
    newest = 0
    for step in range(len(edges)):
        inside[newest] = True
        nearer = reach[newest] < least
        least[nearer], source[nearer] = reach[newest, nearer], newest
        least[inside] = np.inf
        # The first of equal ones, as there.
        newest = int(least.argmin())
        edges[step] = source[newest], newest, least[newest]
    return _process_mst(edges)


def _sizes(n_samples: int) -> list[int]:
    # Two clusters and some noise must find room.
    most = max(2, n_samples // 3)
    return sorted({min(size, most) for size in (5, 10, max(5, n_samples // 50), max(5, n_samples // 20))})


def mixture_partitions(data: PoolData, ks: Sequence[int]) -> list[Partition]:
    """A mixture for every k up to 20, from the clusters of k-means.

    Covariances are full up to 12 features, diagonal above.
    """
    return [_mixture(data, _kmeans(data, k)) for k in ks if k <= _MOST_COMPONENTS]


def _mixture(data: PoolData, start: Partition) -> Partition:
    """Clusters of a Gaussian mixture: expectation and maximisation in turns, from the clusters ``start``.

    The logarithm of a density is linear in squares, products and features of a sample: one product of
    matrices gives the densities of all components, another one their moments. O(n k p) time for a turn with
    p such terms.
    """
    terms, upper, least = data.density_terms
    # Where fewer samples differ than there are clusters, some are empty.
    numbers = np.unique(start, return_inverse=True)[1].reshape(-1)
    shares = (numbers == np.arange(numbers.max() + 1)[:, None]).astype(np.float64)
    bound = -np.inf
    for _ in range(_MOST_TURNS):
        weights = _density_weights(shares @ terms.T, upper, least)
        shares = weights @ terms
        top = shares.max(axis=0)
        np.exp(np.subtract(shares, top, out=shares), out=shares)
        total = shares.sum(axis=0)
        shares /= total
        previous, bound = bound, float((np.log(total) + top).mean())
        if abs(bound - previous) < _LEAST_GAIN:
            break
    return (_density_weights(shares @ terms.T, upper, least) @ terms).argmax(axis=0)


def _density_weights(moments: FloatArray, upper: tuple[IntpArray, ...], least: float) -> FloatArray:
    """Weights of the terms of a sample in the log density of each component, shape (k, n_terms).

    ``moments`` are sums of terms, weighted by the shares of a component; ``upper`` are the two features of
    every product, and ``least`` is added to variances.
    """
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
    """Small clusters of k-means, merged by the weight between them over their volumes, cut at every k."""
    return merged_fragments(data.graph(), fragments(data, n_fragments(data.n_samples)), ks)


def k_medoids(D: FloatArray, k: int, *, n_init: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Assign samples to the nearest of k medoids and choose medoids anew, in turns; the best of some starts.

    ``D`` holds symmetric distances. Starts are drawn as for k-means++, with probability proportional to the
    squared distance from those drawn before. There are fewer than k clusters where there are fewer different
    samples. O(n_samples k + n_samples^2 / k) time for a turn where clusters are of like size.
    """
    runs = [_run(D, _seeded(D, k, rng)) for _ in range(n_init)]
    return min(runs, key=lambda run: run[1])[0]


def _run(D: FloatArray, medoids: IntpArray) -> tuple[NDArray[np.int32], float]:
    for _ in range(_MAX_ITER):
        labels = _assigned(D, medoids)
        updated = _updated(D, labels, medoids)
        if (updated == medoids).all():
            break
        medoids = updated
    labels = _assigned(D, medoids)
    return labels, float(D[medoids[labels], np.arange(len(D))].sum())


def _assigned(D: FloatArray, medoids: IntpArray) -> NDArray[np.int32]:
    labels = D[medoids].argmin(axis=0).astype(np.int32)
    # A copy of another medoid keeps its own cluster, so that none is empty.
    labels[medoids] = np.arange(len(medoids))
    return labels


def _updated(D: FloatArray, labels: NDArray[np.int32], medoids: IntpArray) -> IntpArray:
    """The member with the least sum of distances to the others, the present one if it is as good."""
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
            # Copies of medoids are all that is left.
            break
        medoids.append(int(rng.choice(len(D), p=nearest / total)))
        nearest = np.minimum(nearest, D[medoids[-1]] ** 2)
    return np.array(medoids, dtype=np.intp)


def n_fragments(n_samples: int) -> int:
    """A fifth of the samples, at most 40 or three times their root."""
    wanted = min(n_samples // 5, max(40, math.isqrt(9 * n_samples)))
    # So few samples would leave nothing to merge.
    return max(wanted, min(n_samples, LEAST_TOP))


def merged_fragments(graph: csr_array, labels: IntArray, ks: Sequence[int]) -> list[Partition]:
    """Merge the two clusters with the greatest W_ab / (vol_a vol_b), down to the smallest number in ``ks``.

    W_ab is the sum of similarities between them, vol_a that of all from a; where no two clusters are joined,
    the two of least volume are merged. The lowest numbers count among equals. There is one partition per k,
    ascending; a k above the number of fragments is passed over. O(m^3) time in m fragments, but with an
    operation on a whole matrix per merging.
    """
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
        # A cluster that is gone has no room among those of least volume.
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
    """Many small clusters, from one start."""
    if data.precomputed:
        return k_medoids(data.X, k, n_init=1, rng=np.random.default_rng(k))
    return kmeans_labels(data.X, k, n_init=1, seed=k, squares=data.squares)


def without_noise(data: PoolData, labels: Partition) -> Partition:
    """Labels where every -1 has become the label of the nearest sample that had one."""
    noise, clustered = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
    labels = labels.copy()
    if len(noise) and len(clustered):
        labels[noise] = labels[data.nearest(noise, clustered)]
    return labels


def reason_of(error: Exception) -> str:
    """One line that says what went wrong."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def warn_of_failures(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> None:
    """One warning for all; families in ``partly`` have other candidates in the pool."""
    if failures:
        warn_caller(f"left out of the pool: {told(failures, partly)}")


def told(failures: Mapping[str, Sequence[str]], partly: frozenset[str] = frozenset()) -> str:
    """Families and the different reasons for each."""
    return (
        ", ".join(
            f"{family}{' (in part)' if family in partly else ''}: {'; '.join(dict.fromkeys(reasons))}"
            for family, reasons in failures.items()
        )
        or "none was asked for"
    )
