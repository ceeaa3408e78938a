"""k-means and k-medoids of bags: MIKMeans and BAMIC."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from deap import tools
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions

from moo_clustering._arrays import FloatArray, Int64Array, Labels, number_clusters, quoted
from moo_clustering._data import checked_table
from moo_clustering.bags import Bags, bag_distances
from moo_clustering.bags.distances import Kind
from moo_clustering.bags.geometry import Weighting
from moo_clustering.bags.repair import PartitionRepair, pair_rule
from moo_clustering.estimators import _base, bags_base
from moo_clustering.estimators._options import KW_ONLY, Count, ParallelOptions, estimator

History = list[tuple[float, int]]  # inertia and size of the smallest cluster in each step


@estimator
class BagKMeans(bags_base.BagClusterer):
    """Base class of clusterers that alternate between assigning bags to centres and updating the centres.

    Parameters
    ----------
    n_init, max_iter : int
        Number of runs and maximum updates per run. The run with the lowest penalised inertia is used.
    constraint_handling : {"repair", "penalty"}
        After each assignment, ``"repair"`` moves bags to satisfy labels and pairs, and ``"penalty"`` moves
        bags as long as this decreases the penalised inertia: the inertia times 1 + ``penalty`` * violation.

    Attributes
    ----------
    n_iter_ : int
        Number of centre updates in the best run.
    logbook_ : deap.tools.Logbook
        ``iter``, ``inertia`` and ``smallest`` (number of bags in the smallest cluster) for the best run.
    """

    _: KW_ONLY
    n_init: Count = 1
    max_iter: Count = 100
    constraint_handling: Literal["repair", "penalty"] = "repair"

    def _pair_rule(self, data: bags_base.BagData, least: int, *, power: int = 1) -> PartitionRepair | None:
        """Return the repair that enforces pairs and minimum cluster sizes, or None if none is required."""
        options: Any = {"handling": self.constraint_handling, "penalty": self.penalty, "power": power}
        return pair_rule(data.bags.n_bags, least, data.constraints, **options)

    def _best_run(self, data: bags_base.BagData, labels: Labels, runs: Sequence[Any], first: int) -> int:
        """Set the fitted attributes from the run with the lowest penalised inertia, and return its index."""
        # The logbook numbers the steps of this run from ``first``.
        inertia, n_iter, converged, history = runs
        violations = data.violation(labels)
        best = int((np.asarray(inertia) * (1.0 + self.penalty * violations)).argmin())
        self.violation_, self.inertia_ = float(violations[best]), float(inertia[best])
        self.n_iter_ = int(n_iter[best])
        self.logbook_ = tools.Logbook()
        self.logbook_.header = ["iter", "inertia", "smallest"]
        for number, (value, smallest) in enumerate(history[best], first):
            self.logbook_.record(iter=number, inertia=value, smallest=smallest)
        if not converged[best]:
            _base.warn_of_max_iter("clusters", self.max_iter)
        return best


@estimator
class BAMIC(bags_base.DistanceOptions, BagKMeans, ParallelOptions):
    """k-medoids of bags with Hausdorff distances.

    Each bag joins its nearest medoid. A cluster's medoid is the bag with the smallest sum of distances to the
    cluster's other bags. Source: Evolutionary multi-instance clustering, BAMIC and Eqs. 1, 2 and 11; M.-L.
    Zhang, Z.-H. Zhou, "Multi-instance clustering with applications to multi-instance prediction", Appl.
    Intell. 31 (2009).

    Parameters
    ----------
    init : "random" or array-like of shape (n_clusters,)
        Initial medoids: random bags, or the bags with the given indices. Given indices lead to a single run.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Bag indices of the medoids.
    medoid_bags_ : Bags
        Medoid bags in the units of the data.
    inertia_ : float
        Sum of the scaled distances of all bags to their medoids.

    Notes
    -----
    Each assignment satisfies the constraints if possible. Must-linked bags form groups, which are assigned in
    descending order of size; groups that are cannot-linked are assigned to different clusters. Small clusters
    are then filled with unconstrained bags. If the distance is asymmetric, updates can increase the inertia.
    A run stops when a set of medoids recurs. Its result is the best solution since this set first occurred.
    Computing the distances takes O(n_instances^2 n_features) time and 8 n_bags^2 bytes, and an update takes
    O(n_init n_clusters n_bags^2) time.

    Examples
    --------
    >>> from moo_clustering.estimators import BAMIC
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> model = BAMIC(2, init=[0, 4], normalize=False).fit(bags)
    >>> model.labels_, model.medoid_indices_
    (array([0, 0, 0, 1, 1], dtype=int32), array([1, 4]))
    """

    _: KW_ONLY
    kind: Kind = "directed"
    init: Annotated[Literal["random"] | ArrayLike, StrOptions({"random"}), "array-like"] = "random"

    def _fit(self, data: bags_base.BagData) -> None:
        n_bags = data.bags.n_bags
        starts = self._starts(n_bags, np.random.default_rng(data.seed))
        H = bag_distances(data.bags, kind=self.kind, n_jobs=self.n_jobs)
        repair = self._pair_rule(data, self.min_cluster_size)
        labels, medoids, *others = bamic(H, starts, self.max_iter, repair=repair)
        best = self._best_run(data, labels, others, first=0)
        self._set_medoids(data, medoids[best][self._set_labels(data, labels[best])], self.kind)

    def _starts(self, n_bags: int, rng: np.random.Generator) -> NDArray[np.int64]:
        if isinstance(self.init, str):
            return np.array([rng.permutation(n_bags)[: self.n_clusters] for _ in range(self.n_init)])
        given = np.asarray(self.init)
        if given.shape != (self.n_clusters,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"init must be 'random' or n_clusters={self.n_clusters} bag indices, got {quoted(self.init)}"
            )
        if given.min() < 0 or given.max() >= n_bags or len(np.unique(given)) < len(given):
            raise ValueError(
                f"init must be distinct bag indices from 0 to {n_bags - 1}, got {given.tolist()}"
            )
        return given[None].astype(np.int64)


class BagRuns(NamedTuple):
    """Result of one run (:func:`mi_kmeans`), or lists or arrays with one item per run (:func:`bamic`)."""

    labels: Labels
    centers: NDArray[Any]  # centres, or bag indices of medoids, in the order of the labels
    inertia: Any
    n_iter: Any
    converged: Any
    history: Any


def bamic(
    H: FloatArray,
    medoids: NDArray[np.integer[Any]],
    max_iter: int = 100,
    *,
    repair: PartitionRepair | None = None,
) -> BagRuns:
    """Alternate between assigning bags and updating medoids; H[i, j] is the distance from bag i to bag j."""
    current = np.array(np.atleast_2d(medoids), dtype=np.int64)
    labels, inertia, history = _assigned(H, current, repair)
    visited = [[pair] for pair in zip(current.copy(), labels.copy(), strict=True)]
    seen = [{frozenset(one.tolist()): 0} for one in current]
    n_iter = np.zeros(len(current), dtype=np.int64)
    converged = np.zeros(len(current), dtype=bool)
    traces = [[row] for row in history]
    active = np.arange(len(current))
    for _ in range(max_iter):
        n_iter[active] += 1
        updated = updated_medoids(H, labels[active], current[active])
        changed = (updated != current[active]).any(axis=1)
        converged[active[~changed]] = True
        active, updated = active[changed], updated[changed]
        if not len(active):
            break
        current[active] = updated
        labels[active], inertia[active], rows = _assigned(H, updated, repair)
        for start, one, row in zip(active, updated, rows, strict=True):
            first = seen[start].setdefault(frozenset(one.tolist()), len(visited[start]))
            if first < len(visited[start]):
                converged[start] = True
                best = first + int(np.argmin([value for value, _ in traces[start][first:]]))
                current[start], labels[start] = visited[start][best]
                inertia[start] = traces[start][best][0]
            else:
                visited[start].append((one, labels[start].copy()))
                traces[start].append(row)
        active = active[~converged[active]]
    return BagRuns(labels, current, inertia, n_iter, converged, traces)


def _assigned(
    H: FloatArray, medoids: Int64Array, repair: PartitionRepair | None
) -> tuple[Labels, FloatArray, History]:
    """Assign each bag to its nearest medoid, and each medoid to its own cluster, separately in each run."""
    # Returns the labels, the inertia and the entry of the history for each run.
    n_clusters = medoids.shape[1]
    distances = np.ascontiguousarray(H[:, medoids].transpose(1, 0, 2))
    labels = bags_base.least(distances)
    np.put_along_axis(labels, medoids, np.arange(n_clusters, dtype=np.int32)[None], axis=1)
    if repair is not None:
        labels = repair.apply(labels, distances)
    inertia = np.take_along_axis(distances, labels[..., None], axis=2)[..., 0].sum(axis=1)
    smallest = (labels[..., None] == np.arange(n_clusters)).sum(axis=1).min(axis=1)
    return labels, inertia, list(zip(inertia.tolist(), smallest.tolist(), strict=True))


def updated_medoids(H: FloatArray, labels: Labels, medoids: Int64Array) -> Int64Array:
    """Return the updated medoids (Eq. 2) of each run; ties are broken in favour of the current medoid."""
    n_starts, n_clusters = medoids.shape
    members = labels[..., None] == np.arange(n_clusters)
    one_hot = members.transpose(1, 0, 2).reshape(len(H), -1).astype(np.float64)
    # ``sums[run, i, c]`` is the sum of the distances from bag i to the members of cluster c.
    sums = (H @ one_hot).reshape(len(H), n_starts, n_clusters).transpose(1, 0, 2)
    costs = np.take_along_axis(sums, labels[..., None], axis=2)[..., 0]
    costs = np.maximum(costs - np.diag(H), 0.0)
    out = medoids.copy()
    for k in range(n_clusters):
        own = np.where(members[..., k], costs, np.inf)
        # Relative differences of up to 1e-12 are rounding errors, so such bags are tied.
        limit = own.min(axis=1, keepdims=True) * (1.0 + 1e-12)
        best = members[..., k] & (own <= limit)
        stays = best[np.arange(n_starts), medoids[:, k]] | ~best.any(axis=1)
        out[:, k] = np.where(stays, medoids[:, k], best.argmax(axis=1))
    return out


@estimator
class MIKMeans(BagKMeans):
    """k-means of bags (MIKM). A bag's distance to a centre is the distance of the bag's farthest instance.

    Constraints have the same effect as in :class:`BAMIC`. Updates can increase the inertia. A run stops when
    a partition recurs. Its result is the best partition since this partition first occurred. An iteration
    takes O(n_clusters n_instances n_features) time. With one instance per bag, this is Lloyd's k-means.
    Source: Evolutionary multi-instance clustering, MIKM and Eqs. 1, 3, 4 and 11.

    Parameters
    ----------
    init : {"instance", "bag_mean"} or array-like of shape (n_clusters, n_features), default="instance"
        Initial centres: random instances of random bags, means of random bags, or an array for a single run.
    empty : {"repair", "keep"}
        An empty cluster receives the bag farthest from its own centre, or stays empty and keeps its centre.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Cluster centres in the units of the data.
    inertia_ : float
        Sum of the squared scaled distances of all bags to their centres (Eq. 4).

    Examples
    --------
    >>> from moo_clustering.estimators import MIKMeans
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> model = MIKMeans(2, init=[[10, 2], [4, 10]], normalize=False).fit(bags)
    >>> model.labels_, model.cluster_centers_.round(2).tolist()
    (array([0, 1, 0, 0, 1], dtype=int32), [[5.67, 1.33], [2.0, 5.5]])
    """

    _: KW_ONLY
    init: Annotated[
        Literal["instance", "bag_mean"] | ArrayLike, StrOptions({"instance", "bag_mean"}), "array-like"
    ] = "instance"
    empty: Literal["repair", "keep"] = "repair"
    weighting: Weighting = "bag"

    def _fit(self, data: bags_base.BagData) -> None:
        if self.empty == "keep" and self.min_cluster_size > 1:
            raise ValueError(
                f"empty='keep' requires min_cluster_size=1, got min_cluster_size={self.min_cluster_size}"
            )
        least = 0 if self.empty == "keep" else self.min_cluster_size
        repair = self._pair_rule(data, least, power=2)
        options: Any = {"weighting": self.weighting, "empty": self.empty, "max_iter": self.max_iter}
        starts = self._starts(data.bags, np.random.default_rng(data.seed))
        runs = [mi_kmeans(data.bags, centers, repair=repair, **options) for centers in starts]
        labels, centers, *others = zip(*runs, strict=True)
        best = self._best_run(data, np.stack(labels), others, first=1)
        self._set_centers(centers[best][self._set_labels(data, labels[best])])

    def _starts(self, bags: Bags, rng: np.random.Generator) -> Iterator[FloatArray]:
        if not isinstance(self.init, str):
            given = checked_table(self.init, "init")
            expected = (self.n_clusters, bags.n_features)
            if given.shape != expected:
                raise ValueError(
                    f"init must have shape (n_clusters, n_features) = {expected}, got shape {given.shape}"
                )
            yield bags_base.scaled_rows(given, self.data_min_, self.data_range_)
            return
        for _ in range(self.n_init):
            chosen = rng.permutation(bags.n_bags)[: self.n_clusters]
            if self.init == "bag_mean":
                yield bags[chosen].means()
            else:
                rows = bags.offsets[chosen] + rng.integers(bags.sizes[chosen])
                yield bags.instances[rows].astype(np.float64)


def mi_kmeans(
    bags: Bags,
    centers: FloatArray,
    *,
    weighting: Weighting = "bag",
    empty: Literal["repair", "keep"] = "repair",
    max_iter: int = 100,
    repair: PartitionRepair | None = None,
) -> BagRuns:
    """Alternate between assignments, each followed by ``repair``, and updates of the centres."""
    means = bags.means()
    weights = np.ones(bags.n_bags) if weighting == "bag" else bags.sizes.astype(np.float64)
    filler = PartitionRepair(bags.n_bags, 0, None) if repair is None else repair
    rule = "farthest" if empty == "repair" else "keep"

    def assigned(distances: FloatArray) -> Labels:
        labels = filler.filled(bags_base.least(distances)[None], distances[None], rule)
        return (labels if repair is None else repair.apply(labels, distances[None]))[0]

    rows = np.arange(bags.n_bags)
    visited: list[tuple[Labels, FloatArray]] = []
    history: History = []
    seen: dict[bytes, int] = {}
    labels = assigned(bags_base.farthest_distances(bags, centers))
    best = 0
    converged = False
    while True:
        # Update the centroids (Eq. 3). Empty clusters keep their centres.
        shares = (labels == np.arange(len(centers))[:, None]) * weights
        masses = shares.sum(axis=1)
        live = masses > 0.0
        centers = np.array(centers, dtype=np.float64)
        centers[live] = (shares[live] @ means) / masses[live, None]
        sizes = np.bincount(labels, minlength=len(centers))
        # The state also contains the centres of empty clusters, because they affect the next assignment.
        state = number_clusters(labels)[0].tobytes() + centers[sizes == 0].tobytes()
        first = seen.setdefault(state, len(visited))
        if first < len(visited):
            best = first + int(np.argmin([value for value, _ in history[first:]]))
            converged = True
            break
        if len(visited) == max_iter:
            break
        distances = bags_base.farthest_distances(bags, centers)
        inertia = float((distances[rows, labels] ** 2).sum())
        best = len(visited)
        visited.append((labels, centers))
        history.append((inertia, int(sizes.min())))
        labels = assigned(distances)
    return BagRuns(*visited[best], history[best][0], len(visited), converged, history)
