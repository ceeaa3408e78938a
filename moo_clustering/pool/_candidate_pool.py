"""The pool of candidates from all families."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils import check_array

from moo_clustering._distances import MAX_MEMORY, distance_matrix
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering._suggest import did_you_mean
from moo_clustering.pool._build import BUILDERS, family_partitions
from moo_clustering.pool._data import PoolData
from moo_clustering.pool._extra import Extra, extra_parts
from moo_clustering.pool._failures import told, warn_of_failures
from moo_clustering.pool._grid import Range, k_grid
from moo_clustering.pool._partition_pool import PartitionPool

FAMILIES = tuple(BUILDERS)
"""Names of the families, in the order of a pool."""

_FEW_FAMILIES = 4
_LEAST_SAMPLES = 3


def candidate_pool(
    X: ArrayLike,
    *,
    families: Literal["auto"] | Sequence[str] = "auto",
    k_range: Range = "auto",
    n_clusters: int | None = None,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
    graph: Any = None,
    n_neighbors: int = 10,
    extra_candidates: Iterable[Extra] | None = None,
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> PartitionPool:
    """Partitions of the same samples from families of algorithms with different biases.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Scaled as the distances should count; or symmetric distances of shape (n_samples, n_samples) with
        ``metric="precomputed"``.
    families : "auto" or sequence of str, default="auto"
        Some of :data:`FAMILIES`: ``"km"`` (k-means++, three starts), ``"ward"``, ``"spec"`` (spectral cuts of
        the graph), ``"genie"`` (threshold .3 on the minimum spanning tree), ``"genie_mr"`` (threshold .5,
        mutual reachability), ``"hdbscan"``, ``"gmm"`` (Gaussian mixtures up to k = 20) and ``"graph_agg"``
        (fragments merged along the graph). Of distances, ``"km"`` is k-medoids, ``"ward"`` is average
        linkage, and there are no mixtures.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters, see :func:`k_grid`. HDBSCAN finds its own, up to 60.
    n_clusters : int, optional
        Added to ``k_range``.
    metric : {"euclidean", "precomputed"}, default="euclidean"
    graph : sparse or dense matrix of shape (n_samples, n_samples), optional
        Symmetric similarities >= 0 for ``"spec"`` and ``"graph_agg"``; made by
        :func:`~moo_clustering.graphs.self_tuning_graph` if not given.
    n_neighbors : int, default=10
        Of that graph.
    extra_candidates : sequence, optional
        Labels and clusterers of one's own, see :func:`extra_partitions`.
    random_state : int, Generator, RandomState or None, default=None
        Every family and number of clusters has its own seed: leaving one out changes no other.
    n_jobs : int, optional
        Of joblib, in threads unless a :func:`joblib.parallel_config` says otherwise; changes no result.

    Returns
    -------
    PartitionPool
        Families in the order of :data:`FAMILIES`, then the extra ones; k ascending in each. Equal
        partitions are kept, those with a single cluster are not.

    Raises
    ------
    ValueError, TypeError
        Bad data or parameters, fewer than three samples, or no candidate with two clusters at all.

    Warns
    -----
    UserWarning
        Families that failed or found nothing are left out; with fewer than four, agreement means little.

    Notes
    -----
    O(n^2) memory and O(n^2 n_features) time for linkage, O(n^3) for the eigenvectors of small graphs;
    a few seconds for 1500 samples of 10 features. Cluster landmarks of larger data.

    References
    ----------
    ParetoClustering: agreement of algorithm families.

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
    ks = k_grid(data.n_samples, k_range=k_range, n_clusters=n_clusters).tolist()
    seed, extra_seed = spawn_seeds(random_state, 2)
    candidates, failures = family_partitions(data, names, ks, seed, n_jobs=n_jobs)
    extra, extra_failures = extra_parts(
        extra_candidates,
        data.X,
        n_samples=data.n_samples,
        rng=np.random.default_rng(extra_seed),
        metric=metric,
    )
    candidates += _by_family(extra)
    for family, reasons in extra_failures.items():
        failures[family] = failures.get(family, []) + reasons
    present = frozenset(family for family, _ in candidates)
    if not present:
        raise ValueError(f"X: no family has found a partition with two clusters or more ({told(failures)}).")
    warn_of_failures(failures, present)
    if len(present) < _FEW_FAMILIES:
        warnings.warn(
            f"only {len(present)} families are in the pool ({', '.join(sorted(present))}): "
            f"agreement is weak evidence with fewer than {_FEW_FAMILIES}",
            UserWarning,
            stacklevel=2,
        )
    return PartitionPool.of(candidates)


def _checked_data(X: ArrayLike, metric: str, graph: Any, n_neighbors: int) -> PoolData:
    if metric not in ("euclidean", "precomputed"):
        raise ValueError(f"metric must be 'euclidean' or 'precomputed', got {metric!r}.")
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, int | np.integer):
        raise TypeError(f"n_neighbors must be a whole number, got {n_neighbors!r}.")
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    if metric == "precomputed":
        table = distance_matrix(X, metric, MAX_MEMORY, "candidate_pool")
    else:
        table = check_array(X, dtype=np.float64, order="C", input_name="X")
    if len(table) < _LEAST_SAMPLES:
        raise ValueError(f"X must have at least {_LEAST_SAMPLES} samples, got {len(table)}.")
    if graph is not None:
        graph = csr_array(graph, dtype=np.float64)
        if graph.shape != (len(table), len(table)):
            raise ValueError(
                f"graph must have a row and a column for each of {len(table)} samples, got {graph.shape}."
            )
        if not np.isfinite(graph.data).all() or graph.data.min(initial=0.0) < 0.0:
            raise ValueError("graph must hold similarities, finite and not negative.")
        if abs(graph - graph.T).max() > 1e-8 * graph.data.max(initial=0.0):
            raise ValueError("graph must be symmetric.")
    return PoolData(table, metric == "precomputed", int(n_neighbors), graph)


def _checked_families(families: Any, precomputed: bool) -> list[str]:
    if isinstance(families, str):
        if families != "auto":
            raise ValueError(f"families must be 'auto' or a list of names, got {families!r}.")
        return [family for family in FAMILIES if not (precomputed and family == "gmm")]
    names = list(families)
    for name in names:
        if name not in FAMILIES:
            near = did_you_mean(str(name), FAMILIES)
            raise ValueError(f"families must be among {', '.join(FAMILIES)}, got {name!r}{near}.")
    if precomputed and "gmm" in names:
        raise ValueError("families: 'gmm' needs features, leave it out with metric='precomputed'.")
    return names


def _by_family(candidates: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Families in the order in which they first appear, k ascending in each."""
    number: dict[str, int] = {}
    keys = [
        (number.setdefault(family, len(number)), len(np.unique(labels)), at)
        for at, (family, labels) in enumerate(candidates)
    ]
    return [candidates[at] for _, _, at in sorted(keys)]
