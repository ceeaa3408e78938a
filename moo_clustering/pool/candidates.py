"""PartitionPool, and functions that build pools of candidate partitions for tables and bags."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import ClusterWarning
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from moo_clustering._arrays import choice, integer, number_clusters, spawn_seeds, warn_caller
from moo_clustering._data import checked_array, checked_graph, checked_table, require_same_samples
from moo_clustering._distances import MAX_MEMORY, distance_matrix
from moo_clustering._docs import documented
from moo_clustering._messages import did_you_mean, progress_bar, quoted
from moo_clustering._parallel import one_thread, run_calls
from moo_clustering._types import FloatArray, Int64Array, IntArray, Labels, SeedLike
from moo_clustering.bags import Bags, as_bags, bag_distance_kinds, bag_embedding
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.bags.embeddings import EMBEDDINGS, check_kinds
from moo_clustering.pool import families as clusterings
from moo_clustering.pool.extra import Extra, extra_partitions

# If there are fewer families, a warning is issued, because agreement between few families is weak evidence.
_FEW_FAMILIES = 4
# These families are also applied to distances. The values are their names in the pool.
_OF_DISTANCES = {"km": "kmed", "ward": "avg", "spec": "spec", "genie": "genie", "hdbscan": "hdbscan"}
BUILDERS: dict[str, clusterings.Builder] = {
    "km": clusterings.kmeans_partitions,
    "ward": clusterings.ward_partitions,
    "spec": clusterings.spectral_partitions,
    "genie": clusterings.genie_partitions,
    "genie_mr": clusterings.reachability_partitions,
    "hdbscan": clusterings.hdbscan_partitions,
    "gmm": clusterings.mixture_partitions,
    "graph_agg": clusterings.agglomerated_partitions,
}
# For these families, each number of clusters is a separate task.
_SPLIT = ("km", "gmm")
FAMILIES = tuple(BUILDERS)
"""Names of the families, in the order of a pool."""
FAMILY_WORDS = {
    "km": "k-means", "kmed": "k-medoids", "ward": "Ward", "avg": "average linkage",
    "spec": "spectral clustering", "genie": "Genie", "genie_mr": "Genie by reachability",
    "hdbscan": "HDBSCAN", "gmm": "Gaussian mixtures", "graph_agg": "graph agglomeration",
}  # fmt: skip
"""Names of the families for display."""


@dataclass(frozen=True, eq=False)
class PartitionPool:
    """Partitions of the same samples, each labelled with the algorithm family that created it.

    Raises a ValueError unless ``labels`` is a table of non-negative integers with one row per family name.
    Source: ParetoClustering (agreement between algorithm families).

    Attributes
    ----------
    labels : ndarray of shape (n_partitions, n_samples), int32
        Non-negative cluster numbers. The method :meth:`of` numbers clusters by first appearance.
    families : tuple of str, length n_partitions

    Examples
    --------
    >>> from moo_clustering.pool import PartitionPool
    >>> pool = PartitionPool.of([("mine", [2, 2, 0, 0]), ("other", [0, 1, 1, 5])])
    >>> pool.labels
    array([[0, 0, 1, 1],
           [0, 1, 1, 2]], dtype=int32)
    >>> pool.n_clusters
    array([2, 3])
    """

    labels: Labels
    families: tuple[str, ...]

    def __post_init__(self) -> None:
        labels = checked_array(self.labels, "labels")
        if labels.ndim != 2 or labels.dtype.kind not in "iu":
            raise ValueError(
                "labels must be integers of shape (n_partitions, n_samples), got shape "
                f"{labels.shape} and dtype {labels.dtype}"
            )
        if labels.size and labels.min() < 0:
            raise ValueError(f"labels must be non-negative, got {labels.min()}")
        if len(self.families) != len(labels):
            raise ValueError(
                f"families must contain {len(labels)} names, one per row, got {quoted(self.families)}"
            )
        object.__setattr__(self, "labels", np.ascontiguousarray(labels, dtype=np.int32))
        object.__setattr__(self, "families", tuple(self.families))

    @classmethod
    def of(cls, candidates: Iterable[tuple[str, ArrayLike]]) -> PartitionPool:
        """Create a pool from pairs (family, labels). Renumber clusters, and omit partitions with one cluster.

        Raises a ValueError if the lengths of labels differ, or if no partition has two or more clusters.
        """
        given = [(family, checked_array(labels, f"labels of {family!r}")) for family, labels in candidates]
        shapes = sorted({labels.shape for _, labels in given})
        if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
            raise ValueError(f"candidates must have labels for the same samples, got shapes {shapes}")
        kept = [(family, labels) for family, labels in given if len(labels) and (labels != labels[0]).any()]
        if not kept:
            raise ValueError("candidates must contain a partition with two or more clusters")
        numbered = np.stack([number_clusters(labels)[0] for _, labels in kept])
        return cls(numbered, tuple(family for family, _ in kept))

    @property
    def n_partitions(self) -> int:
        """Number of partitions."""
        return len(self.labels)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.labels.shape[1])

    @cached_property
    def n_clusters(self) -> Int64Array:
        """Number of clusters of each partition, shape (n_partitions,)."""
        return self.labels.max(axis=1, initial=-1).astype(np.int64) + 1

    @cached_property
    def family_names(self) -> tuple[str, ...]:
        """Family names in order of first appearance."""
        return tuple(dict.fromkeys(self.families))

    @cached_property
    def family_codes(self) -> Int64Array:
        """Index of each partition's family in ``family_names``, shape (n_partitions,)."""
        number = {name: code for code, name in enumerate(self.family_names)}
        return np.array([number[family] for family in self.families], dtype=np.int64)

    def subset(self, rows: Any) -> PartitionPool:
        """Return a pool of the partitions selected by a mask or by indices, in the order of the indices."""
        chosen = np.arange(self.n_partitions)[rows]
        return PartitionPool(self.labels[chosen], tuple(self.families[row] for row in np.atleast_1d(chosen)))

    def joined(self, other: PartitionPool) -> PartitionPool:
        """Return a pool that also contains the partitions of another pool for the same samples."""
        require_same_samples("pools", self.n_samples, other.n_samples)
        return PartitionPool(np.concatenate([self.labels, other.labels]), self.families + other.families)

    def lifted(self, index: IntArray) -> Labels:
        """Return the labels of samples with the landmarks ``index``, shape (n_partitions, len(index))."""
        return self.labels[:, index]

    def tagged(self, tag: str) -> PartitionPool:
        """Return a copy in which the families are renamed to ``family@tag``."""
        return PartitionPool(self.labels, tuple(f"{family}@{tag}" for family in self.families))


def candidate_pool(
    X: ArrayLike,
    *,
    families: Literal["auto"] | Sequence[str] = "auto",
    k_range: clusterings.Range = "auto",
    n_clusters: int | None = None,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
    graph: Any = None,
    n_neighbors: int = 10,
    extra_candidates: Iterable[Extra] | None = None,
    random_state: SeedLike = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PartitionPool:
    """Generate partitions of the same samples by algorithm families with different biases.

    For n samples, linkage takes O(n^2 n_features) time, the eigenvectors of small graphs take O(n^3) time,
    and memory is O(n^2). Use landmarks for large data. Raises a ValueError or TypeError if data or parameters
    are invalid, if there are fewer than three samples, or if no partition has two clusters. Issues a
    UserWarning if families fail or find no clusters, or if fewer than four families remain. Source:
    ParetoClustering.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Scaled features. If ``metric="precomputed"``, symmetric distances of shape (n_samples, n_samples).
    families : "auto" or sequence of str, default="auto"
        Names in :data:`FAMILIES`.

        - ``"km"``: k-means from three k-means++ starts and a Ward cut. For distances, k-medoids.
        - ``"ward"``: Ward linkage. For distances, average linkage.
        - ``"spec"``: spectral clustering of ``graph``.
        - ``"genie"``: Genie with the Gini threshold .3.
        - ``"genie_mr"``: Genie with the Gini threshold .5 and mutual reachability distances.
        - ``"hdbscan"``: HDBSCAN.
        - ``"gmm"``: Gaussian mixtures with up to 20 components, started from k-means. Not for distances.
        - ``"graph_agg"``: many small k-means clusters, merged according to ``graph``.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters; see :func:`k_grid`. HDBSCAN chooses its own numbers of clusters, up to 60.
    n_clusters : int, optional
        Number of clusters to add to those of ``k_range``.
    metric : {"euclidean", "precomputed"}, default="euclidean"
    graph : sparse or dense matrix of shape (n_samples, n_samples), optional
        Symmetric non-negative similarities for ``"spec"`` and ``"graph_agg"``. Default:
        :func:`~moo_clustering.graphs.self_tuning_graph`.
    n_neighbors : int, default=10
        Number of neighbours per sample in the default graph.
    extra_candidates : sequence, optional
        User-supplied labels and clusterers; see :func:`extra_partitions`.
    random_state : int, Generator, RandomState or None, default=None
        Seed for clusterers in ``extra_candidates``. The families are deterministic.
    n_jobs : int, optional
        Number of joblib workers, which are threads by default. It does not affect the result.
    verbose : bool, default=False
        Whether to show a progress bar with the current family.

    Returns
    -------
    PartitionPool
        Partitions sorted by family, in the order of :data:`FAMILIES`, and then by number of clusters. The
        extra candidates are last.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.pool import candidate_pool
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(8, 1, size=(40, 2))])
    >>> pool = candidate_pool(X, k_range=[2, 3], random_state=0)
    >>> pool.family_names
    ('km', 'ward', 'spec', 'genie', 'genie_mr', 'hdbscan', 'gmm', 'graph_agg')
    """
    data = _checked_data(X, metric, graph, n_neighbors)
    names = _checked_families(families, data.precomputed)
    ks = clusterings.k_grid(data.n_samples, k_range=k_range, n_clusters=n_clusters).tolist()
    rng = np.random.default_rng(spawn_seeds(random_state, 2)[1])
    candidates, failures = family_partitions(data, names, ks, n_jobs=n_jobs, verbose=verbose)
    extra = extra_partitions(
        extra_candidates, data.X, n_samples=data.n_samples, rng=rng, metric=metric, failures=failures
    )
    order = list(dict.fromkeys(family for family, _ in extra))
    candidates += sorted(extra, key=lambda each: (order.index(each[0]), len(np.unique(each[1]))))
    present = frozenset(family for family, _ in candidates)
    if not present:
        raise ValueError(
            f"no family found a partition of X with two or more clusters ({clusterings.told(failures)})"
        )
    clusterings.warn_of_failures(failures, present)
    _warn_of_few(sorted(present))
    return PartitionPool.of(candidates)


def _warn_of_few(families: Sequence[str]) -> None:
    if len(families) < _FEW_FAMILIES:
        warn_caller(
            f"the pool contains only {len(families)} famil{'y' if len(families) == 1 else 'ies'} "
            f"({', '.join(families)}); agreement among fewer than {_FEW_FAMILIES} is weak evidence"
        )


def _checked_data(X: ArrayLike, metric: str, graph: Any, n_neighbors: int) -> clusterings.PoolData:
    choice("metric", metric, ("euclidean", "precomputed"))
    integer("n_neighbors", n_neighbors)
    if metric == "precomputed":
        table = distance_matrix(X, metric, MAX_MEMORY, "candidate_pool")
    else:
        table = checked_table(X, order="C")
    if len(table) < 3:
        raise ValueError(f"X must have at least 3 samples, got {len(table)}")
    if graph is not None:
        graph = csr_array(checked_graph(graph, "graph"))
        if graph.shape != (len(table), len(table)):
            raise ValueError(
                f"graph must have one row and one column per sample, {len(table)} in all; got {graph.shape}"
            )
    return clusterings.PoolData(table, metric == "precomputed", int(n_neighbors), graph)


def _checked_families(families: Any, precomputed: bool) -> list[str]:
    if isinstance(families, str):
        if families != "auto":
            raise ValueError(f"families must be 'auto' or a list of names, got {quoted(families)}")
        return [family for family in FAMILIES if not (precomputed and family == "gmm")]
    names = list(families)
    for name in names:
        if name not in FAMILIES:
            near = did_you_mean(str(name), FAMILIES)
            raise ValueError(f"families must be among {', '.join(FAMILIES)}; got {quoted(name)}{near}")
    if precomputed and "gmm" in names:
        raise ValueError("families: 'gmm' requires features; omit it with metric='precomputed'")
    return names


@documented(candidate_pool)
def bag_candidate_pool(
    bags: Any,
    *,
    distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
    k_range: clusterings.Range = "auto",
    n_clusters: int | None = None,
    n_neighbors: int = 10,
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> tuple[PartitionPool, dict[str, FloatArray]]:
    """Generate partitions of bags: apply algorithm families to several distances and embeddings.

    Distances take O(n^2 n_features) time for n instances. Families take O(n_bags^3) time, and O(n_bags^2)
    memory. Raises a ValueError if parameters are invalid, if there are fewer than three bags, or if no
    partition has two clusters. Source: ParetoClustering (agreement between algorithm families).

    Parameters
    ----------
    bags : Bags or anything accepted by :func:`~moo_clustering.bags.as_bags`
        Scaled bags; :class:`~moo_clustering.bags.BagTransformer` scales each feature to 0..1.
    distances : sequence of {"symmetric", "average", "energy", "sliced"}, default=all
        See :func:`~moo_clustering.bags.bag_distance_kinds`. The families are ``kmed`` (k-medoids, three
        starts), ``avg`` (average linkage), ``spec`` (spectral), ``genie`` (threshold .3) and ``hdbscan``.
    embeddings : sequence of {"mean", "stats", "stats_pca", "prototypes"}, default=all
        See :func:`~moo_clustering.bags.bag_embedding`. Families: ``km`` (k-means, three starts) and ``ward``.
    random_state : int, Generator, RandomState or None, default=None
        Seed for the random directions of the distance "sliced". The families are deterministic.

    Returns
    -------
    pool : PartitionPool
        Families are named ``FAMILY@DISTANCE`` or ``FAMILY@EMBEDDING``, such as ``"kmed@energy"``.
    matrices : dict of str to ndarray of shape (n_bags, n_bags)
        Maps kinds of distances to distance matrices.
    """
    check_kinds(distances, name="distances", allowed=DISTANCE_KINDS)
    data = as_bags(bags)
    directions = spawn_seeds(random_state, 2)[0]
    kinds = [k for k in DISTANCE_KINDS if k in distances or (k == "symmetric" and "prototypes" in embeddings)]
    matrices = bag_distance_kinds(data, kinds=kinds, rng=np.random.default_rng(directions), n_jobs=n_jobs)
    pool = pool_of_bag_views(
        data, matrices, distances=distances, embeddings=embeddings,
        k_range=k_range, n_clusters=n_clusters, n_neighbors=n_neighbors, n_jobs=n_jobs,
    )  # fmt: skip
    return pool, {kind: matrices[kind] for kind in distances}


def pool_of_bag_views(
    bags: Bags,
    matrices: Mapping[str, FloatArray],
    *,
    distances: Sequence[str],
    embeddings: Sequence[str],
    graphs: Mapping[str, csr_array] | None = None,
    k_range: clusterings.Range = "auto",
    n_clusters: int | None = None,
    n_neighbors: int = 10,
    extra: Sequence[tuple[str, IntArray]] = (),
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PartitionPool:
    """Same as :func:`bag_candidate_pool`, but use given distances and graphs, and add extra candidates."""
    # ``matrices`` must contain all ``distances``, and ``"symmetric"`` for the embedding ``"prototypes"``.
    check_kinds(distances, name="distances", allowed=DISTANCE_KINDS)
    check_kinds(embeddings, name="embeddings", allowed=EMBEDDINGS)
    if bags.n_bags < 3:
        raise ValueError(f"a pool requires at least 3 bags, got {bags.n_bags}")
    if not len(distances) and not len(embeddings) and not extra:
        raise ValueError("distances and embeddings must contain at least one view in total")
    ks = clusterings.k_grid(bags.n_bags, k_range=k_range, n_clusters=n_clusters).tolist()
    views = [
        (kind, clusterings.PoolData(matrices[kind], True, n_neighbors, (graphs or {}).get(kind)))
        for kind in distances
    ]
    for kind in embeddings:
        vectors = bag_embedding(bags, kind, symmetric=matrices.get("symmetric"))  # type: ignore[arg-type]
        views.append((kind, clusterings.PoolData(np.ascontiguousarray(vectors), False, n_neighbors)))
    found: list[tuple[str, Any]] = []
    failures: clusterings.Failures = {}
    for kind, data in views:
        names = _OF_DISTANCES if data.precomputed else {"km": "km", "ward": "ward"}
        # Some embeddings consist of distances, so ignore SciPy's warning that they look like a distance
        # matrix.
        with warnings.catch_warnings(action="ignore", category=ClusterWarning):
            candidates, failed = family_partitions(data, tuple(names), ks, n_jobs=n_jobs, verbose=verbose)
        found += [(f"{names[family]}@{kind}", labels) for family, labels in candidates]
        # HDBSCAN finds only noise in many views, so this does not count as a failure.
        failures |= {f"{names[family]}@{kind}": failed[family] for family in failed if family != "hdbscan"}
    clusterings.warn_of_failures(failures, frozenset(family for family, _ in found))
    pool = PartitionPool.of([*found, *extra])
    _warn_of_few(pool.family_names)
    return pool


def family_partitions(
    data: clusterings.PoolData,
    families: Sequence[str],
    ks: Sequence[int],
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> tuple[list[tuple[str, clusterings.Partition]], clusterings.Failures]:
    """Return each family's partitions in ascending order of k >= 2, and the reasons for missing ones."""
    # Sort the rows, because random starts and ties must give the same partitions for any row order.
    positions = data.own_order()
    data = data.ordered(positions)
    # Use one thread, because the last digits of parallel sums vary, and results must be reproducible.
    with one_thread(), _without_warnings():
        shared = _shared(data, families)
        tasks = [
            (family, delayed(_attempt)(os.getpid(), family, shared, part))
            for family in BUILDERS
            if family in families
            for part in ([[k] for k in ks] if family in _SPLIT else [list(ks)])
        ]
        own = _OF_DISTANCES if data.precomputed else {}
        words = {family: FAMILY_WORDS[own.get(family, family)] for family in families}
        outcomes = run_calls(_shown(tasks, words, verbose), n_jobs=n_jobs, prefer="threads")
    found: dict[str, list[clusterings.Partition]] = {family: [] for family, _ in tasks}
    failures: clusterings.Failures = {}
    original = np.argsort(positions)
    for (family, _), (partitions, failure) in zip(tasks, outcomes, strict=True):
        found[family] += [labels[original] for labels in partitions]
        if failure is not None:
            failures.setdefault(family, []).append(failure)
    candidates = []
    for family, partitions in found.items():
        proper = [labels for labels in partitions if (labels != labels[0]).any()]
        candidates += [(family, labels) for labels in sorted(proper, key=lambda row: len(np.unique(row)))]
        if not proper:
            failures.setdefault(family, ["no partition with two or more clusters"])
    return candidates, failures


def family_words(family: str) -> str:
    """Return the display name of an algorithm family, followed by the distance or embedding, if any."""
    name, _, view = family.partition("@")
    return FAMILY_WORDS.get(name, name) + f" ({view})" * bool(view)


def _shown(tasks: Sequence[tuple[str, Any]], words: Mapping[str, str], verbose: bool) -> Iterator[Any]:
    with progress_bar(total=len(words), unit="family", leave=False, disable=not verbose or None) as bar:
        for family, group in groupby(tasks, key=lambda task: task[0]):
            bar.set_description(words[family])
            yield from (call for _, call in group)
            bar.update()


def _without_warnings() -> Any:
    # Ignore warnings about too few clusters or convergence, because such partitions are acceptable.
    return warnings.catch_warnings(action="ignore", category=ConvergenceWarning)


def _shared(data: clusterings.PoolData, families: Sequence[str]) -> clusterings.PoolData:
    if {"spec", "graph_agg"} & set(families):
        data = replace(data, given_graph=_unless_failing(data.graph))
    if "ward" in families or (not data.precomputed and {"km", "gmm"} & set(families)):
        data = replace(data, given_merges=_unless_failing(data.merges))
    return data


def _unless_failing(part: Callable[[], Any]) -> Any:
    # Ignore errors here, because the families that need the result fail too, and report the reason.
    try:
        return part()
    except Exception:
        return None


def _attempt(
    caller: int, family: str, data: clusterings.PoolData, ks: Sequence[int]
) -> tuple[list[clusterings.Partition], str | None]:
    elsewhere = os.getpid() != caller
    # Set the OpenMP limit in every thread, but warning filters and all other limits once per process.
    with one_thread(None if elsewhere else "openmp"), _without_warnings() if elsewhere else nullcontext():
        try:
            return BUILDERS[family](data, ks), None
        except Exception as error:
            return [], clusterings.reason_of(error)
