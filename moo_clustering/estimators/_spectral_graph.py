"""Spectral clustering of conventional similarity graphs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import networkx as nx
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.consensus import SIGMA_GRID
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.estimators._distinct import fewer_distinct_rows
from moo_clustering.estimators._scaling import scale_features
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin
from moo_clustering.estimators._supervision import supervision_groups
from moo_clustering.graphs import (
    NeighborLists,
    SpectralPartition,
    bridge_components,
    eigengap,
    epsilon_graph,
    full_graph,
    knn_graph,
    mutual_knn_graph,
    neighbor_lists,
    pair_distances,
    resolve_sigma,
    spectral_partition,
    waterfill_graph,
    waterfill_lambda,
    waterfill_weights,
    write_constraints,
)

Features = NDArray[np.floating[Any]]

# Lists for water-filling start so wide and double, up to the second, while more than one row in a
# hundred would share its weight among more neighbours than it lists.
_WATERFILL_WIDTHS = (32, 128)
_WATERFILL_CUT = 0.01


class SpectralGraphClustering(SemiSupervisedClusterMixin, BaseEstimator):
    """Spectral clustering of a k-nearest-neighbour, mutual, epsilon, full or water-filling graph.

    The graphs that PESC is compared with. Labels and pairs, where given, are written into the
    similarity matrix: the largest similarity for samples that belong together, 0 for those apart.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to n_samples.
    graph : {"knn", "mutual_knn", "epsilon", "full", "waterfill"}, default="knn"
        Which pairs are linked: one lists the other among its nearest; both do; the distance is below
        ``epsilon``; all; or as many of the nearest as the local density asks for
        (:func:`~moo_clustering.graphs.waterfill_graph`).
    n_neighbors : int, optional
        Width of the neighbour lists; default floor(ln n_samples) + 1, and for ``"waterfill"`` as many
        as the rows need, up to 128.
    sigma : float or {"mean", "median", "eigengap"}, default="mean"
        Scale factor of the Gaussian similarity of ``"knn"``, ``"mutual_knn"`` and ``"full"``: a number,
        an average of the distances of the listed pairs (all pairs for ``"full"``), or, of the values
        in the paper's grid, the one with the largest gap between eigenvalues K and K + 1. Samples much
        farther from their neighbours than that are all but cut off, and on large data groups of a few
        such outliers may take up clusters: use a larger number then.
    epsilon : float, default=0.4
        For ``"epsilon"``, on the scaled data; the paper tries 0.2 to 0.6.
    lam : float, optional
        For ``"waterfill"``, the trade-off between near neighbours and many; default three times the
        mean distance of the 10 nearest neighbours.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
        The paper's is ``"unnormalized"``, which fails on some sets.
    bridge : bool, default=True
        Join the components of a disconnected graph by their shortest links, very weakly.
    scale : {"minmax", "zscore", "none"}, default="minmax"
        Not applied to ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`, or ``"precomputed"``
        (n_samples, n_samples) distances.
    ties : {"random", "index"}, default="random"
        Order of equally near neighbours; ``"index"`` leaks the order of the rows on gridded data.
    must_link : {"star", "clique"}, default="star"
        How samples that belong together are linked: through the medoid of their group, or every pair.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
        See :func:`~moo_clustering.graphs.spectral_embedding`.
    max_memory : int, default=4 GiB
        Largest size of an ``"epsilon"`` or ``"full"`` graph in bytes.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads of the neighbour search; the result does not depend on it.
    verbose : bool, default=False
        Progress bar over the steps.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Numbered by first appearance.
    n_clusters_ : int
    similarity_ : csr_array of shape (n_samples, n_samples)
        Symmetric, as clustered (constraints and bridges included).
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows that k-means was run on.
    eigenvalues_ : ndarray of shape (n_clusters + 1,), or (n_samples,) if that is less
        Smallest eigenvalues of the Laplacian.
    n_components_ : int
        Connected components before bridging.
    sigma_ : float or None
        Scale factor used, None for graphs without.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(N log N) time on low-dimensional data and O(N (n_neighbors + K)) memory, except for ``"full"`` and
    a large ``epsilon``, which are O(N^2) in both.

    References
    ----------
    PESC, section on conventional graphs, Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import SpectralGraphClustering
    >>> X, _ = load_wine(return_X_y=True)
    >>> SpectralGraphClustering(3, random_state=0).fit(X).n_clusters_
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "graph": [StrOptions({"knn", "mutual_knn", "epsilon", "full", "waterfill"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "sigma": [Interval(Real, 0, None, closed="left"), StrOptions({"mean", "median", "eigengap"})],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, None, closed="neither"), None],
        "laplacian": [StrOptions({"sym", "unnormalized", "rw"})],
        "bridge": ["boolean"],
        "scale": [StrOptions({"minmax", "zscore", "none"})],
        "metric": [str, callable],
        "ties": [StrOptions({"random", "index"})],
        "must_link": [StrOptions({"star", "clique"})],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "lobpcg", "pic"})],
        "max_memory": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        graph: str = "knn",
        n_neighbors: int | None = None,
        sigma: float | str = "mean",
        epsilon: float = 0.4,
        lam: float | None = None,
        laplacian: str = "sym",
        bridge: bool = True,
        scale: str = "minmax",
        metric: str | Callable[..., float] = "euclidean",
        ties: str = "random",
        must_link: str = "star",
        eigen_solver: str = "auto",
        max_memory: int = 4 * 2**30,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.epsilon = epsilon
        self.lam = lam
        self.laplacian = laplacian
        self.bridge = bridge
        self.scale = scale
        self.metric = metric
        self.ties = ties
        self.must_link = must_link
        self.eigen_solver = eigen_solver
        self.max_memory = max_memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Or (n_samples, n_samples) distances with ``metric="precomputed"``.
        y : array-like of shape (n_samples,), optional
            Partial labels: classes 0, 1, ... and -1 for unlabelled samples.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters or data out of range, or a graph beyond ``max_memory``.
        InconsistentConstraintsError
            Labels and pairs contradict each other.
        """
        data: Features = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        n_samples = data.shape[0]
        if self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of samples, {n_samples}.")
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        ties, choice, spectral = spawn_seeds(self.random_state, 3)
        if self.metric != "precomputed":
            data = scale_features(data, self.scale)
        with tqdm(total=3, desc=type(self).__name__, disable=not self.verbose) as progress:
            progress.set_postfix_str("neighbours")
            lists = self._lists(data, ties)
            progress.update()
            progress.set_postfix_str("graph")
            S, self.sigma_ = self._graph(data, lists, groups, choice)
            progress.update()
            progress.set_postfix_str("eigenvectors")
            partition = spectral_partition(
                S,
                self.n_clusters,
                laplacian=self.laplacian,  # type: ignore[arg-type]
                bridge=self.bridge,
                X=data,
                metric=self.metric,
                lists=lists,
                eigen_solver=self.eigen_solver,  # type: ignore[arg-type]
                rng=np.random.default_rng(spectral),
            )
            progress.update()
        self._set_partition(partition, fewer_distinct_rows(data, lists, self.n_clusters))
        return self

    def to_networkx(self) -> nx.Graph:
        """The similarity matrix as a weighted graph, clusters as node attribute ``cluster``."""
        check_is_fitted(self)
        graph = nx.from_scipy_sparse_array(self.similarity_)
        nx.set_node_attributes(graph, dict(enumerate(self.labels_.tolist())), "cluster")
        return graph

    def _lists(self, data: Features, seed: np.random.SeedSequence) -> NeighborLists:
        """Neighbours as the graph needs them; one each for graphs made without, to find duplicates."""
        n_samples = len(data)
        if self.graph in ("epsilon", "full"):
            return self._nearest(data, 1, seed)
        if self.n_neighbors is not None:
            return self._nearest(data, self.n_neighbors, seed)
        if self.graph != "waterfill":
            return self._nearest(data, math.floor(math.log(n_samples)) + 1, seed)
        width, widest = (min(w, n_samples - 1) for w in _WATERFILL_WIDTHS)
        while True:
            lists = self._nearest(data, width, seed)
            lam = waterfill_lambda(lists) if self.lam is None else self.lam
            # Whoever gives weight to the last it lists might give some to the next.
            cut = np.mean(waterfill_weights(lists.distances, lam)[:, -1] > 0)
            if width == widest or cut <= _WATERFILL_CUT:
                return lists
            width = min(2 * width, widest)

    def _nearest(self, data: Features, width: int, seed: np.random.SeedSequence) -> NeighborLists:
        return neighbor_lists(
            data,
            width,
            metric=self.metric,
            ties=self.ties,  # type: ignore[arg-type]
            rng=np.random.default_rng(seed),
            n_jobs=self.n_jobs,
        )

    def _graph(
        self, data: Features, lists: NeighborLists, groups: ConstraintGroups, seed: np.random.SeedSequence
    ) -> tuple[sp.csr_array, float | None]:
        """The graph with the constraints in it, and its scale factor."""

        def constrained(S: sp.csr_array) -> sp.csr_array:
            if groups.is_empty:
                return S
            features = None if self.metric == "precomputed" else data
            return write_constraints(S, groups, must_link=self.must_link, X=features)  # type: ignore[arg-type]

        if self.graph == "epsilon":
            S = epsilon_graph(data, self.epsilon, metric=self.metric, max_memory=self.max_memory)
            return constrained(S), None
        if self.graph == "waterfill":
            return constrained(waterfill_graph(lists, self.lam)), None
        distances, gaussian = self._gaussian(data, lists)
        if self.sigma != "eigengap":
            sigma = resolve_sigma(distances, self.sigma)
            return constrained(gaussian(sigma)), sigma
        return self._widest_gap(lambda sigma: constrained(gaussian(sigma)), data, lists, seed)

    def _gaussian(
        self, data: Features, lists: NeighborLists
    ) -> tuple[Features, Callable[[float], sp.csr_array]]:
        """Distances that a scale factor may be averaged from, and the graph for a scale factor."""
        if self.graph != "full":
            build = knn_graph if self.graph == "knn" else mutual_knn_graph
            return lists.distances[lists.indices >= 0], partial(build, lists)
        D = pair_distances(data, metric=self.metric, max_memory=self.max_memory)
        off_diagonal = ~np.eye(len(D), dtype=np.bool_)
        build_full = partial(full_graph, metric="precomputed", max_memory=self.max_memory)
        return D[off_diagonal], partial(build_full, D)

    def _widest_gap(
        self,
        build: Callable[[float], sp.csr_array],
        data: Features,
        lists: NeighborLists,
        seed: np.random.SeedSequence,
    ) -> tuple[sp.csr_array, float]:
        """The graph of the paper's grid that falls into K parts most clearly; the widest of equal ones."""
        gaps = []
        for sigma in tqdm(SIGMA_GRID, desc="sigma", leave=False, disable=not self.verbose):
            S, rng = build(sigma), np.random.default_rng(seed)
            if self.bridge:
                S = bridge_components(S, data, metric=self.metric, lists=lists, rng=rng)
            solver: Any = self.eigen_solver
            gaps.append((eigengap(S, self.n_clusters, eigen_solver=solver, rng=rng), sigma))
        widest = max(gaps)[1]
        return build(widest), widest

    def _set_partition(self, partition: SpectralPartition, distinct: NDArray[np.int32] | None) -> None:
        self.labels_ = partition.labels
        self.similarity_ = partition.similarity
        self.embedding_ = partition.embedding
        self.eigenvalues_ = partition.eigenvalues
        self.n_components_ = partition.n_components
        if distinct is not None:
            self.labels_ = distinct
            warnings.warn(
                f"only {distinct.max() + 1} distinct rows for n_clusters={self.n_clusters}; "
                "every distinct row is its own cluster.",
                UserWarning,
                stacklevel=3,
            )
        self.n_clusters_ = int(self.labels_.max()) + 1
