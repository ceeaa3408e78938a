"""ICLClustering: a genetic algorithm on the exact integrated classification likelihood."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from scipy.special import gammaln
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import integer, number_clusters, spawn_seeds, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._messages import progress_bar
from moo_clustering._types import FloatArray, Labels
from moo_clustering.algorithms import search
from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import (
    KW_ONLY,
    Count,
    NonNegativeCount,
    Positive,
    Probability,
    SearchOptions,
    SeedOptions,
    Verbose,
    estimator,
)
from moo_clustering.operators import start_genes
from moo_clustering.validity.likelihood import (
    IntegratedClassificationLikelihood,
    LikelihoodModel,
    StochasticBlockModel,
)

# Share of the population that can become parents.
_PARENTS = 0.4


@documented(SearchOptions)
@estimator
class ICLClustering(_base.ReportMixin, SeedOptions, ClusterMixin, BaseEstimator):
    """Clusters and their number by a genetic algorithm that maximises the exact integrated likelihood.

    See :class:`~moo_clustering.validity.IntegratedClassificationLikelihood`. Greedy merges and moves of
    single samples improve initial partitions by k-means. A child starts from the intersections of the
    clusters of two parents. Intersections within a cluster of either parent are merged greedily; with
    probability ``pm``, a random cluster is split at random; then single samples are moved. The search stops
    when a generation finds no better partition. Greedy merges of the result form a hierarchy down to one
    cluster. Source: E. Côme, N. Jouvin, P. Latouche, C. Bouveyron, "Hierarchical clustering with discrete
    latent variable models and the integrated classification likelihood", Advances in Data Analysis and
    Classification 15 (2021): ``Hybrid`` of the R package greed, with its defaults, plus merges at the start.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Default: the number that maximises the likelihood.
    model : str or LikelihoodModel
        ``"auto"`` (Gaussian columns; columns of two values are categories), ``"gaussian"``, ``"diagonal"``,
        ``"categories"``, ``"counts"``, ``"sbm"`` (X is a graph), or a model with other priors.
    alpha : float
        Parameter of the Dirichlet prior of the proportions.
    k_max : int
        Number of clusters of the initial partitions, and largest number of clusters of the result.
    pm : float
        Probability that a cluster of a child is split.

    Attributes
    ----------
    icl_ : float
        Integrated classification likelihood of ``labels_``.
    hierarchy_ : DataFrame
        ``n_clusters`` and ``icl`` of the levels, and ``log_alpha``, the value of log(alpha) below which a
        level is better than the finer one if the ICL is linear in log(alpha) (section 4 of the paper).
    history_ : DataFrame
        ``generation``, ``n_clusters`` and ``icl`` of the best partition, and ``mean_icl`` of the population.
    n_iter_ : int
        Number of generations.
    interrupted_ : bool
        Whether Ctrl-C stopped the search; the result is then the best partition so far.

    Notes
    -----
    A sweep of moves takes O(n_samples k n_features) time, O(n_samples k n_features^3) with full covariance
    matrices, and O(n_links + n_samples k^2) for graphs. It uses O(n_samples (pop_size + n_features)) memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moo_clustering import ICLClustering
    >>> model = ICLClustering(random_state=0).fit(load_iris().data)
    >>> model.n_clusters_, model.relabel(n_clusters=1).n_clusters_
    (2, 1)
    """

    n_clusters: Count | None = None
    _: KW_ONLY
    model: Annotated[Any, str, LikelihoodModel] = "auto"
    alpha: Positive = 1.0
    k_max: Count = 20
    pop_size: Count = 20
    n_gen: NonNegativeCount = 10
    pm: Probability = 0.25
    start: Annotated[Any, object] = None
    verbose: Verbose = False

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Raises a ValueError if the model does not support the data, and issues an InterruptedSearchWarning
        after Ctrl-C.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, categories as integers, or counts; for ``"sbm"`` a dense or sparse matrix of 0 and 1 of
            shape (n_samples, n_samples).
        y : ignored
        """
        X = numeric_features(self, X, accept_sparse="csr" if self._is_graph else False)
        if self.n_clusters is not None:
            _base.check_n_clusters(self.n_clusters, X.shape[0])
        self._index = IntegratedClassificationLikelihood(self.model, alpha=self.alpha).fit(X)
        self._rng = np.random.default_rng(spawn_seeds(self.random_state, 1)[0])
        with search.InterruptGuard() as guard:
            best = self._best(guard)
        self._levels, icl = self._index.merge(best)
        self.hierarchy_ = self._described(icl)
        self.interrupted_ = guard.requested
        self.relabel()
        _base.warn_of_few(self.n_clusters_, self.n_clusters)
        if guard.requested:
            warn_caller(
                f"the search was interrupted after {self.n_iter_} generations; the best partition so far is "
                "returned",
                search.InterruptedSearchWarning,
            )
        return self

    def relabel(self, *, n_clusters: int | None = None) -> Self:
        """Select a level of the hierarchy, by its number of clusters, at most that of the fit (the default).

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
        """Predict the cluster with the largest predictive density times share.

        A sample of the fit is counted twice, so its cluster may differ from ``labels_``. Raises a ValueError
        for graphs.
        """
        X = numeric_features(self, X, accept_sparse="csr" if self._is_graph else False, reset=False)
        found: Labels = self._index.log_predictive(self.labels_, X).argmax(axis=1).astype(np.int32)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.sparse = self._is_graph
        return tags

    @property
    def _is_graph(self) -> bool:
        return isinstance(self.model, StochasticBlockModel) or self.model == "sbm"

    def _best(self, guard: search.InterruptGuard) -> Labels:
        """Run the search, and return its best partition."""
        k = max(self.k_max, self.n_clusters or 1)
        population = [self._settled(labels) for labels in self._started()][: self.pop_size]
        while len(population) < self.pop_size and not (population and guard.requested):
            started = self._index.start(k, random_state=self._rng)
            population.append(self._settled(self._level(*self._index.merge(started))))
        history: list[tuple[int, int, float, float]] = []
        bar = progress_bar(total=self.n_gen, desc="generations", disable=not self.verbose)
        with bar:
            for generation in range(self.n_gen + 1):
                values = self._index.evaluate(np.array(population))
                order = values.argsort(kind="stable")
                best, value = population[order[-1]], float(values[order[-1]])
                stale = bool(history) and value <= history[-1][2]
                history.append((generation, int(best.max()) + 1, value, float(values.mean())))
                if stale or generation == self.n_gen or guard.requested or np.ptp(values) <= 1.0:
                    break
                bar.set_postfix({"ICL": f"{value:.6g}", "clusters": best.max() + 1})
                parents = [population[row] for row in order[-max(2, round(_PARENTS * len(order)) + 1) :]]
                population = [best]
                while len(population) < self.pop_size and not guard.requested:
                    population.append(self._child(parents))
                bar.update()
        names = ["generation", "n_clusters", "icl", "mean_icl"]
        self.history_, self.n_iter_ = pd.DataFrame(history, columns=names), len(history) - 1
        return self._polished(best, value)

    def _started(self) -> Any:
        """Return the partitions of ``start``."""
        if self.start is None:
            return ()
        n = self._index.n_samples_
        k_max = min(n, max(self.k_max, self.n_clusters or 1))
        labels = start_genes(LabelEncoding(n, k_max), self.start)
        least = int(labels.max(axis=1).min()) + 1
        if self.n_clusters is not None and least < self.n_clusters:
            raise ValueError(f"start has {least} clusters, fewer than n_clusters={self.n_clusters}.")
        return labels

    def _child(self, parents: list[Labels]) -> Labels:
        """Cross two parents, drawn by rank; split a cluster with probability ``pm``; move samples."""
        ranks = np.arange(1.0, len(parents) + 1)
        one, other = self._rng.choice(len(parents), 2, replace=False, p=ranks / ranks.sum())
        a, b = parents[one], parents[other]
        cells, pieces = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        siblings = (cells[:, :, np.newaxis] == cells[:, np.newaxis]).any(axis=0)
        labels = self._level(*self._index.merge(pieces.reshape(-1), siblings=siblings))
        if self._rng.random() < self.pm:
            k = labels.max() + 1
            leaving = (labels == self._rng.integers(k)) & (self._rng.random(len(a)) < 0.5)
            labels = number_clusters(np.where(leaving, k, labels))[0]
        return self._settled(labels)

    def _settled(self, labels: Labels) -> Labels:
        """Merge down to the required or largest number of clusters, then move samples."""
        fixed = self.n_clusters is not None
        if fixed or labels.max() >= self.k_max:
            labels = self._level(*self._index.merge(labels))
        return self._index.swap(labels, keep=fixed, random_state=self._rng)

    def _polished(self, labels: Labels, value: float) -> Labels:
        """Merge clusters and move samples while this increases the index."""
        while True:
            found = self._settled(self._level(*self._index.merge(labels)))
            reached = float(self._index.evaluate(found)[0])
            if reached <= value:
                return labels
            labels, value = found, reached

    def _level(self, levels: Labels, icl: FloatArray) -> Labels:
        """Select the required or best number of clusters; if merges end early, the smallest one."""
        k = levels.max(axis=1) + 1
        if self.n_clusters is not None:
            return levels[np.flatnonzero(k >= min(self.n_clusters, k[0]))[-1]]
        return levels[np.where((k <= self.k_max) | (k == k[-1]), icl, -np.inf).argmax()]

    def _described(self, icl: FloatArray) -> pd.DataFrame:
        """Describe the hierarchy."""
        alpha, n = self.alpha, self._levels.shape[1]
        rows = [np.bincount(row) for row in self._levels]
        k = np.array([len(sizes) for sizes in rows])
        # For small alpha, the index is (k - 1) log(alpha) + limit.
        prior = gammaln(k * alpha) - gammaln(n + k * alpha)
        prior += [(gammaln(alpha + sizes) - gammaln(alpha) - gammaln(sizes)).sum() for sizes in rows]
        limit = icl - prior - np.log(k)
        log_alpha = np.append(np.nan, np.diff(limit))
        return pd.DataFrame({"n_clusters": k, "icl": icl, "log_alpha": log_alpha})
