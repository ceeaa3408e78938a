"""Consensus of many non-negative factorisations of documents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._ensemble_consensus import (
    CONSENSUS,
    Consensus,
    check_pairs,
    chosen_runs,
    consensus_partition,
)
from moo_clustering.estimators._ensemble_runs import ensemble_runs
from moo_clustering.estimators._leading_terms import cluster_means, leading_terms
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.factorization import MAX_MEMORY, SOLVERS
from moo_clustering.features import NCWTransformer, PaperTfidfTransformer
from moo_clustering.features._rows import validated_rows
from moo_clustering.persistence import Checkpoint

Labels = NDArray[np.int32]


# The factors of one batch of runs; batches of this size cost little more than all runs at once.
_MAX_MEMORY = 512 * 2**20


class EnsembleNMF(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Clusters documents by the consensus of many non-negative matrix factorisations.

    Every run factorises the term weights from another random start and puts a document into the topic it
    has most of; a consensus function makes one partition of all runs. What a run finds depends on its
    start, and the consensus hardly does.

    Parameters
    ----------
    n_clusters : int
        Topics of every run, and clusters of the consensus.
    n_runs : int, default=50
    input : {"tfidf", "counts"}, default="tfidf"
        What ``X`` holds; counts are turned into weights by :class:`PaperTfidfTransformer`.
    weighting : {"ncw"} or None, default="ncw"
        Normalised-cut weighting of the documents (:class:`NCWTransformer`).
    solver : {"hals", "mu", "pg", "sklearn", "sklearn-mu"}, default="hals"
        See :func:`moo_clustering.factorization.nmf`.
    consensus : {"mcla", "cspa", "hgpa", "hbgf"} or callable, default="mcla"
        ``consensus(labels, n_clusters, random_state=...)`` gets labels of shape (n_runs, n_documents) and
        returns one label per document.
    selection : {"none", "best_half", "pareto"}, default="none"
        Which runs take part: all, the half that agrees most with the others, or a subset that an
        evolutionary search picks by agreement, diversity and loss. The gain is small and not reliable.
    choose : {"anmi", "i2"}, default="anmi"
        How ``"pareto"`` picks one of its front: agreement with all runs, or cohesion of the documents.
    normalise : bool, default=True
        Give topics unit length before documents are assigned; False as printed, where the answer depends
        on an arbitrary scaling.
    tol, max_iter : float, int, optional
        Of the solver.
    dtype : {"float32", "float64"}, default="float32"
        Of the factors.
    n_top_terms : int, default=10
        Terms in ``topics_``.
    random_state : int, Generator, RandomState or None, default=None
        Run t is the same whatever ``n_runs`` is.
    n_jobs : int, optional
        Workers for batches of runs, or whatever ``joblib.parallel_config`` says; no influence on results.
    max_memory : int, default=512 MiB
        Bytes for factors at a time, and for the pairs of documents that ``"cspa"`` compares.
    verbose : bool, default=False
        Progress bar.
    checkpoint : path, optional
        File to which finished runs are written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Runs between checkpoints.
    resume : bool, default=False
        Keep the runs of ``checkpoint`` if it exists; more may be asked for than it has.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), int32
        In the order of first appearance.
    n_clusters_ : int
        Clusters that have documents, at most ``n_clusters``.
    association_ : ndarray of shape (n_clusters_, n_documents), 0 to 1
        How often a document is in the members of a meta-cluster (``consensus="mcla"``); with other
        functions how often, over the members of a cluster and the runs, it is with them.
    confidence_ : ndarray of shape (n_documents,)
        The largest association as a share of all; 0 for documents without terms, as is their association.
    run_labels_ : ndarray of shape (n_runs, n_documents), int32
        -1 for documents without terms. :mod:`moo_clustering.consensus` takes the other columns,
        ``run_labels_[:, run_labels_[0] >= 0]``.
    run_losses_ : ndarray of shape (n_runs,)
    run_n_iter_ : ndarray of shape (n_runs,)
    n_iter_ : int
        Iterations of the longest run.
    selected_runs_ : ndarray
        Numbers of the runs in the consensus.
    components_of_best_run_ : ndarray of shape (n_clusters, n_terms)
    cluster_weights_ : ndarray of shape (n_clusters_, n_terms)
        Mean term weights of the clusters.
    topics_ : tuple of tuple
        Leading terms of every cluster: names where they are known, else columns.
    n_features_in_, feature_names_in_

    Warns
    -----
    UserWarning
        Documents without terms, which go to the largest cluster.

    Notes
    -----
    A run takes O(n_iter (n_values n_clusters + (n_documents + n_terms) n_clusters^2)); all runs of a batch
    go through the data together. MCLA takes O(n_documents n_runs^2).

    References
    ----------
    "Ensemble non-negative matrix factorization for clustering biomedical documents".

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import EnsembleNMF
    >>> X = np.kron(np.eye(3), np.ones((4, 2)))
    >>> EnsembleNMF(3, n_runs=5, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_runs": [Interval(Integral, 1, None, closed="left")],
        "input": [StrOptions({"tfidf", "counts"})],
        "weighting": [StrOptions({"ncw"}), None],
        "solver": [StrOptions(set(SOLVERS))],
        "consensus": [StrOptions(set(CONSENSUS)), callable],
        "selection": [StrOptions({"none", "best_half", "pareto"})],
        "choose": [StrOptions({"anmi", "i2"})],
        "normalise": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "dtype": [StrOptions({"float32", "float64"})],
        "n_top_terms": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "max_memory": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_runs: int = 50,
        input: Literal["tfidf", "counts"] = "tfidf",
        weighting: Literal["ncw"] | None = "ncw",
        solver: str = "hals",
        consensus: Literal["mcla", "cspa", "hgpa", "hbgf"] | Consensus = "mcla",
        selection: Literal["none", "best_half", "pareto"] = "none",
        choose: Literal["anmi", "i2"] = "anmi",
        normalise: bool = True,
        tol: float | None = None,
        max_iter: int | None = None,
        dtype: Literal["float32", "float64"] = "float32",
        n_top_terms: int = 10,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        max_memory: int = _MAX_MEMORY,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_runs = n_runs
        self.input = input
        self.weighting = weighting
        self.solver = solver
        self.consensus = consensus
        self.selection = selection
        self.choose = choose
        self.normalise = normalise
        self.tol = tol
        self.max_iter = max_iter
        self.dtype = dtype
        self.n_top_terms = n_top_terms
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, feature_names: Sequence[str] | None = None) -> Self:
        """Cluster documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)
            Term weights or counts, not negative.
        y : ignored
        feature_names : sequence of str, optional
            Names of the terms, for ``topics_``.

        Raises
        ------
        ValueError
            Parameters or data out of range, more clusters than documents with terms, or than terms.
        """
        matrix = self._validated(X, reset=True)
        checkpoint = self._checkpoint(matrix)
        run_seed, select_seed, consensus_seed = spawn_seeds(self.random_state, 3)
        names = self._names(feature_names)
        self._tfidf = PaperTfidfTransformer().fit(matrix) if self.input == "counts" else None
        weights = self._weights(matrix)
        seen = np.flatnonzero(np.diff(weights.indptr) > 0)
        self._check_sizes(len(seen), weights.shape)
        check_pairs(self.consensus, len(seen), int(self.max_memory))
        B = weights[seen]
        if self.weighting == "ncw":
            B = NCWTransformer().fit_transform(B)
        runs = ensemble_runs(
            B,
            self.n_clusters,
            run_seed.spawn(self.n_runs),
            normalise=self.normalise,
            checkpoint=checkpoint,
            verbose=bool(self.verbose),
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
            max_memory=int(self.max_memory),
        )
        self.selected_runs_ = chosen_runs(
            self.selection, runs.labels, runs.losses, self.n_clusters, B, self.choose, select_seed
        )
        taken = runs.labels[self.selected_runs_]
        found, associated = consensus_partition(
            self.consensus, taken, self.n_clusters, consensus_seed, int(self.max_memory)
        )
        self._set_labels(found, seen, matrix.shape[0])
        self.run_labels_ = np.full((self.n_runs, matrix.shape[0]), -1, dtype=np.int32)
        self.run_labels_[:, seen] = runs.labels
        self.run_losses_, self.run_n_iter_ = runs.losses, runs.n_iter
        self.n_iter_ = int(runs.n_iter.max())
        self.components_of_best_run_ = runs.topics
        self.association_ = np.zeros((self.n_clusters_, matrix.shape[0]))
        number = np.empty(len(associated), dtype=np.intp)
        number[found] = self.labels_[seen]
        self.association_[np.ix_(number, seen)] = associated
        totals = self.association_.sum(axis=0)
        self.confidence_ = self.association_.max(axis=0) / np.where(totals > 0, totals, 1.0)
        self.cluster_weights_ = cluster_means(weights, self.labels_, self.n_clusters_)
        self.topics_ = leading_terms(self.cluster_weights_, names, self.n_top_terms)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Cosine of every document with the mean term weights of every cluster.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)
            As for ``fit``; weighted by the document frequencies of the fit.

        Returns
        -------
        ndarray of shape (n_documents, n_clusters_)
            0 for documents without terms.
        """
        check_is_fitted(self)
        rows = normalize(self._weights(self._validated(X, reset=False)))
        return np.asarray(rows @ normalize(self.cluster_weights_).T)

    def predict(self, X: Any) -> Labels:
        """Cluster of the nearest mean term weights, by :meth:`transform`.

        Documents of the fit may get another label than in ``labels_``, which the runs decide.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)

        Returns
        -------
        ndarray of shape (n_documents,), int32
            The largest cluster for documents without terms.
        """
        similarity = self.transform(X)
        labels = similarity.argmax(axis=1).astype(np.int32)
        labels[~(similarity > 0).any(axis=1)] = np.bincount(self.labels_).argmax()
        return labels

    def _validated(self, X: Any, *, reset: bool) -> Any:
        return csr_array(validated_rows(self, X, reset=reset))

    def _weights(self, matrix: Any) -> Any:
        if self._tfidf is None:
            return matrix
        with warnings.catch_warnings():
            # said once, with what becomes of them
            warnings.simplefilter("ignore", UserWarning)
            return csr_array(self._tfidf.transform(matrix))

    def _names(self, given: Sequence[str] | None) -> Sequence[str] | None:
        if given is None:
            return getattr(self, "feature_names_in_", None)
        if len(given) != self.n_features_in_:
            raise ValueError(
                f"feature_names must have one name for each of {self.n_features_in_} terms, got {len(given)}"
            )
        return [str(name) for name in given]

    def _check_sizes(self, n_seen: int, shape: tuple[int, int]) -> None:
        n_documents, n_terms = shape
        if self.n_clusters > n_seen:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the number of documents with terms, {n_seen} of "
                f"n_samples={n_documents}."
            )
        if self.n_clusters > n_terms:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the number of terms, n_features={n_terms}."
            )
        if n_seen < n_documents:
            warnings.warn(
                f"{n_documents - n_seen} of {n_documents} documents have no terms; they go to the largest "
                "cluster",
                UserWarning,
                stacklevel=4,
            )

    def _set_labels(self, found: Labels, seen: NDArray[np.intp], n_documents: int) -> None:
        labels = np.full(n_documents, np.bincount(found).argmax(), dtype=np.int32)
        labels[seen] = found
        self.labels_ = relabel_by_first_appearance(labels[None])[0]
        self.n_clusters_ = int(found.max()) + 1

    def _checkpoint(self, matrix: Any) -> Checkpoint | None:
        # The runs do not depend on how many there are, nor on what is made of them.
        others = {"n_runs": 1, "consensus": "mcla", "selection": "none", "choose": "anmi", "n_top_terms": 1}
        same = type(self)(**{**self.get_params(deep=False), **others, "max_memory": MAX_MEMORY})
        return checkpoint_for(same, matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape))

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
