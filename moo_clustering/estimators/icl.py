"""ICLClustering: genetic algorithm that maximises the exact integrated classification likelihood."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import gammaln
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import integer, number_clusters, spawn_seeds
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._types import FloatArray, Labels
from moo_clustering.algorithms import search
from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators import _base, _options
from moo_clustering.operators import start_genes
from moo_clustering.validity import likelihood


@_options.estimator
class ICLClustering(_base.ReportMixin, _options.SearchOptions, ClusterMixin, BaseEstimator):
    """Genetic algorithm that maximises the exact integrated classification likelihood (ICL) of a partition.

    See :class:`~moo_clustering.validity.IntegratedClassificationLikelihood`. Initial k-means partitions are
    improved by greedy merges and by moves of single samples. A child starts from the intersections of its
    parents' clusters. Intersections in the same cluster of a parent are merged greedily. With probability
    ``pm``, a cluster is split at random. Finally, single samples are moved. The search stops after a
    generation without improvement. Merges of the result form a hierarchy that ends with one cluster. Source:
    E. Côme, N. Jouvin, P. Latouche, C. Bouveyron, "Hierarchical clustering with discrete latent variable
    models and the integrated classification likelihood", Advances in Data Analysis and Classification 15
    (2021). This is ``Hybrid`` of the R package greed, except that clusters of initial partitions are also
    merged.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Default: the number with the highest likelihood.
    model : str or LikelihoodModel
        ``"auto"`` (Gaussian; columns with two values are categories), ``"gaussian"``, ``"diagonal"``,
        ``"categories"``, ``"counts"``, ``"sbm"`` (X is a graph), or a model with other priors.
    alpha : float
        Parameter of the Dirichlet prior for the cluster proportions.
    k_max : int
        Number of clusters in the initial partitions, and maximum number of clusters in the result.
    pm : float
        Probability that a random cluster of a child is split.

    Attributes
    ----------
    icl_ : float
        Integrated classification likelihood of ``labels_``.
    hierarchy_ : DataFrame
        ``n_clusters``, ``icl`` and ``log_alpha`` of each level. If log(alpha) is below about ``log_alpha``,
        the level has a higher ICL than the next finer level (section 4 of the source).
    history_ : DataFrame
        ``generation``, ``n_clusters`` and ``icl`` of the best partition, and ``mean_icl`` of the population.
    n_iter_ : int
        Number of generations.

    Notes
    -----
    Moving each sample once takes O(n_samples k n_features) time, where k is the number of clusters. It takes
    O(n_samples k n_features^3) time for full covariances, and O(n_links + n_samples k^2) time for graphs. A
    fit uses O(n_samples (pop_size + n_features)) memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moo_clustering import ICLClustering
    >>> model = ICLClustering(random_state=0).fit(load_iris().data)
    >>> model.n_clusters_, model.relabel(n_clusters=1).n_clusters_
    (2, 1)
    >>> import networkx as nx
    >>> ICLClustering(model="sbm", random_state=0).fit(nx.karate_club_graph()).n_clusters_
    4
    """

    n_clusters: _options.Count | None = None
    _: KW_ONLY
    model: Annotated[Any, str, likelihood.LikelihoodModel] = "auto"
    alpha: _options.Positive = 1.0
    k_max: _options.Count = 20
    pop_size: _options.Count = 20
    n_gen: _options.NonNegativeCount = 10
    pm: _options.Probability = 0.25
    checkpoint_every: _options.Count = 1
    n_jobs: ClassVar[None] = None  # type: ignore[misc]

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Raises a ValueError if the model does not support the data. Ctrl-C issues an InterruptedSearchWarning.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, integer categories, or counts. For ``"sbm"``, a networkx graph, or an adjacency matrix of
            shape (n_samples, n_samples) with entries 0 and 1. Weights of a networkx graph are ignored.
        y : ignored
        """
        if self._is_graph and hasattr(X, "adjacency"):
            import networkx as nx

            # Parallel edges count once.
            X = 1.0 * (nx.to_scipy_sparse_array(X, weight=None, format="csr") > 0)
        X = numeric_features(self, X, accept_sparse="csr" if self._is_graph else False)
        if self.n_clusters is not None:
            _base.check_n_clusters(self.n_clusters, X.shape[0])
        self._index = likelihood.IntegratedClassificationLikelihood(self.model, alpha=self.alpha).fit(X)
        rng = np.random.default_rng(spawn_seeds(self.random_state, 1)[0])
        checkpoint = _base.checkpoint_for(self, X, model=str(self.model))
        with search.InterruptGuard() as guard:
            found = LikelihoodSearch(self, self._index, rng, guard, self._started())
            shown: dict[str, Any] = {"verbose": self.verbose, "objective_names": ["ICL"], "signs": [-1.0]}
            self.interrupted_ = search.drive(found, n_gen=self.n_gen, checkpoint=checkpoint, **shown)
            best = found.polished()
        names = ["generation", "n_clusters", "icl", "mean_icl"]
        self.history_, self.n_iter_ = pd.DataFrame(found.history, columns=names), found.generation
        self._levels, icl = self._index.merge(best)
        self.hierarchy_ = self._described(icl)
        self.relabel()
        _base.warn_of_few(self.n_clusters_, self.n_clusters)
        return self

    def relabel(self, *, n_clusters: int | None = None) -> Self:
        """Select the level of ``hierarchy_`` with ``n_clusters`` clusters (default: the result of the fit).

        Raises a NotFittedError before ``fit``, and a ValueError if there is no such level.
        """
        check_is_fitted(self, "hierarchy_")
        most = len(self._levels)
        k = most if n_clusters is None else integer("n_clusters", n_clusters, 1, most)
        self.labels_, self.n_clusters_ = self._levels[most - k].copy(), k
        self.icl_ = float(self.hierarchy_["icl"].iloc[most - k])
        return self

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster with the highest product of predictive density and cluster proportion.

        Predictions for training samples can differ from ``labels_``, because training samples are scored as
        if they were additional samples. Raises a ValueError for graphs.
        """
        X = numeric_features(self, X, accept_sparse="csr" if self._is_graph else False, reset=False)
        return self._index.log_predictive(self.labels_, X).argmax(axis=1).astype(np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.sparse = self._is_graph
        return tags

    @property
    def _is_graph(self) -> bool:
        return isinstance(self.model, likelihood.StochasticBlockModel) or self.model == "sbm"

    def _started(self) -> Iterable[Labels]:
        """Return the partitions in ``start``, which join the initial population."""
        if self.start is None:
            return ()
        n = self._index.n_samples_
        k_max = min(n, max(self.k_max, self.n_clusters or 1))
        labels = start_genes(LabelEncoding(n, k_max), self.start)
        least = int(labels.max(axis=1).min()) + 1
        if least < (self.n_clusters or 1):
            raise ValueError(f"start has {least} clusters, fewer than n_clusters={self.n_clusters}")
        return labels

    def _described(self, icl: FloatArray) -> pd.DataFrame:
        alpha, n = self.alpha, self._levels.shape[1]
        rows = [np.bincount(row) for row in self._levels]
        k = np.array([len(sizes) for sizes in rows])
        # If alpha is small, the ICL of k clusters is about (k - 1) log(alpha) + icl - prior - log(k), up to a
        # constant. At ``log_alpha``, this value is equal for successive levels.
        prior = gammaln(k * alpha) - gammaln(n + k * alpha)
        prior += [(gammaln(alpha + sizes) - gammaln(alpha) - gammaln(sizes)).sum() for sizes in rows]
        log_alpha = np.append(np.nan, np.diff(icl - prior - np.log(k)))
        return pd.DataFrame({"n_clusters": k, "icl": icl, "log_alpha": log_alpha})


class LikelihoodSearch:
    """Genetic algorithm of :class:`ICLClustering`, for use with :func:`~moo_clustering.algorithms.drive`."""

    exhausted: ClassVar[bool] = False

    def __init__(
        self, options: ICLClustering, index: likelihood.IntegratedClassificationLikelihood,
        rng: np.random.Generator, guard: search.InterruptGuard, first: Iterable[Labels] = (),
    ) -> None:  # fmt: skip
        self.options, self.index, self.rng, self.guard, self.first = options, index, rng, guard, first
        self.history: list[tuple[int, int, float, float]] = []

    @property
    def generation(self) -> int:
        """Number of generations after the initial population."""
        return max(len(self.history) - 1, 0)

    @property
    def best(self) -> Labels:
        """Partition with the highest ICL (the last one if tied)."""
        return self.population[self.values.argsort(kind="stable")[-1]]

    @property
    def finished(self) -> bool:
        """Whether the last generation brought no improvement, or all partitions have similar likelihoods."""
        stale = len(self.history) > 1 and self.history[-1][2] <= self.history[-2][2]
        return bool(stale or np.ptp(self.values) <= 1.0)

    def start(self) -> None:
        k, size = max(self.options.k_max, self.options.n_clusters or 1), self.options.pop_size
        # With a checkpoint, ignore Ctrl-C until the initial population is complete, so that runs can resume.
        whole = self.options.checkpoint is not None
        self.population = [self._settled(labels) for labels in self.first][:size]
        while len(self.population) < size and (whole or not (self.population and self.guard.requested)):
            started = self.index.start(k, random_state=self.rng)
            self.population.append(self._settled(self._merged(started)))
        self._record()

    def advance(self) -> None:
        """Replace all partitions except the best with children. After Ctrl-C, keep all partitions."""
        order, before = self.values.argsort(kind="stable"), self.rng.bit_generator.state
        parents = [self.population[row] for row in order[-max(2, round(0.4 * len(order)) + 1) :]]
        children = [parents[-1]]
        while len(children) < self.options.pop_size:
            if self.guard.requested:
                self.rng.bit_generator.state = before
                return
            children.append(self._child(parents))
        self.population = children
        self._record()

    def objectives(self) -> FloatArray:
        """Return the negated ICL of each individual, shape (n_individuals, 1)."""
        return -self.values[:, np.newaxis]

    def state(self) -> search.State:
        arrays = {"population": np.array(self.population), "history": np.array(self.history)}
        return arrays, {"rng": search.rng_state(self.rng)}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.population = [*np.ascontiguousarray(arrays["population"], dtype=np.int32)]
        self.values = self.index.evaluate(np.array(self.population))
        self.history = [(int(i), int(k), float(v), float(mean)) for i, k, v, mean in arrays["history"]]
        search.set_rng_state(self.rng, meta["rng"])

    def _record(self) -> None:
        self.values = self.index.evaluate(np.array(self.population))
        figures = float(self.values.max()), float(self.values.mean())
        self.history.append((len(self.history), int(self.best.max()) + 1, *figures))

    def _child(self, parents: list[Labels]) -> Labels:
        """Cross two parents, split a random cluster with probability ``pm``, and then move samples."""
        # The probability of selecting a parent is proportional to its rank, which is highest for the best.
        ranks = np.arange(1.0, len(parents) + 1)
        one, other = self.rng.choice(len(parents), 2, replace=False, p=ranks / ranks.sum())
        a, b = parents[one], parents[other]
        cells, pieces = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        siblings = (cells[:, :, np.newaxis] == cells[:, np.newaxis]).any(axis=0)
        labels = self._merged(pieces.reshape(-1), siblings=siblings)
        if self.rng.random() < self.options.pm:
            k = labels.max() + 1
            leaving = (labels == self.rng.integers(k)) & (self.rng.random(len(a)) < 0.5)
            labels = number_clusters(np.where(leaving, k, labels))[0]
        return self._settled(labels)

    def _settled(self, labels: Labels) -> Labels:
        """Merge clusters if there are too many, and then move single samples between clusters."""
        fixed = self.options.n_clusters is not None
        if fixed or labels.max() >= self.options.k_max:
            labels = self._merged(labels)
        return self.index.swap(labels, keep=fixed, random_state=self.rng)

    def polished(self) -> Labels:
        """Merge clusters of the best partition and move samples as long as this increases the ICL."""
        labels, value = self.best, self.values.max()
        while True:
            found = self._settled(self._merged(labels))
            reached = self.index.evaluate(found)[0]
            if reached <= value:
                return labels
            labels, value = found, reached

    def _merged(self, labels: Any, **options: Any) -> Labels:
        """Merge clusters until ``n_clusters`` remain."""
        # By default, select the number of clusters with the highest ICL, up to ``k_max``.
        levels, icl = self.index.merge(labels, **options)
        k = levels.max(axis=1) + 1
        if (wanted := self.options.n_clusters) is not None:
            return levels[np.flatnonzero(k >= min(wanted, k[0]))[-1]]
        return levels[np.where((k <= self.options.k_max) | (k == k[-1]), icl, -np.inf).argmax()]
