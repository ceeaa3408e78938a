"""Document clustering by non-negative matrix factorisations and ensembles of factorisations."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from moo_clustering import factorization, results
from moo_clustering._arrays import number_clusters, row_sizes, spawn_seeds, unit_rows, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._messages import progress_bar
from moo_clustering._types import AnyFloatArray, FloatArray, Labels
from moo_clustering.consensus import best_half, cspa, hbgf, hgpa, mcla, select_pareto
from moo_clustering.consensus.hypergraph import check_memory
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators import _base, _options
from moo_clustering.features import NCWTransformer, PaperTfidfTransformer, validated_rows
from moo_clustering.persistence import START_OVER, ArchiveError, Checkpoint, load_checkpoint, save_checkpoint

Consensus = Callable[..., ArrayLike]


class DocumentClusterer(_base.TransformingClusterer):
    """Base class of clusterers for non-negative term weights, sparse or dense."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        return tags


@documented(factorization.nmf, factorization.labels_from_factors)
@_options.estimator
class EnsembleNMF(_options.CheckpointOptions, DocumentClusterer):
    """Document clustering by the consensus of many non-negative matrix factorisations.

    Each run starts from different random factors, and assigns each document to the topic with the largest
    weight. The consensus depends much less on the random starts than a single run. Documents without terms
    are assigned to the largest cluster, with a warning. A run takes O(n_iter (nnz(X) n_clusters +
    (n_documents + n_terms) n_clusters^2)) time, and MCLA takes O(n_documents n_runs^2) time. Source:
    "Ensemble non-negative matrix factorization for clustering biomedical documents".

    Parameters
    ----------
    n_clusters, n_runs : int
        Number of consensus clusters (equal to the number of topics per run), and number of runs.
    input : {"tfidf", "counts"}
        Whether X contains weights, or counts that :class:`PaperTfidfTransformer` converts to weights.
    document_weighting : {"ncw"} or None
        Normalised-cut weighting of documents, see :class:`NCWTransformer`.
    consensus : {"mcla", "cspa", "hgpa", "hbgf"} or callable
        A callable ``consensus(labels, n_clusters, random_state=...)`` receives labels of shape (n_runs,
        n_documents). If METIS is installed, all named functions except ``"cspa"`` use METIS, which balances
        cluster sizes.
    run_selection : {"none", "best_half", "pareto"}
        Runs in the consensus: all runs, the half that agrees best with all runs, or an evolved subset.
    select : {"anmi", "i2"}
        Selection criterion for ``run_selection="pareto"``: agreement with all runs, or cohesion of clusters.
    n_top_terms : int
        Number of terms listed per topic in ``topics_``.
    max_memory : int, default=512 MiB
        Maximum memory for the factors, and for the document pairs of ``"cspa"``, in bytes.
    checkpoint_every : int
        Number of runs between checkpoints. ``n_runs`` can be increased before a fit is resumed.

    Attributes
    ----------
    association_ : ndarray of shape (n_clusters_, n_documents), 0 to 1
        With ``"mcla"``, share of the runs' clusters merged into this cluster that contain the document.
        Otherwise, mean over runs of the share of the cluster's documents that have the same topic as the
        document.
    confidence_ : ndarray of shape (n_documents,)
        Largest association of each document divided by its total association; 0 for documents without terms.
    run_labels_ : ndarray of shape (n_runs, n_documents), int32
        Labels of each run; -1 for documents without terms. Consensus functions reject -1, so pass
        ``run_labels_[:, run_labels_[0] >= 0]`` to these functions.
    run_losses_, run_n_iter_ : ndarray of shape (n_runs,)
    n_iter_ : int
        Number of iterations in the longest run.
    selected_runs_ : ndarray
        Indices of the runs used in the consensus.
    components_of_best_run_ : ndarray of shape (n_clusters, n_terms)
    cluster_weights_ : ndarray of shape (n_clusters_, n_terms)
        Mean term weights of each cluster.
    topics_ : tuple of tuple
        Names, or column indices, of each cluster's leading terms.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import EnsembleNMF
    >>> X = np.kron(np.eye(3), np.ones((4, 2)))
    >>> EnsembleNMF(3, n_runs=5, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """

    n_clusters: _options.Count = 8
    _: KW_ONLY
    n_runs: _options.Count = 50
    input: Literal["tfidf", "counts"] = "tfidf"
    document_weighting: Literal["ncw"] | None = "ncw"
    solver: Literal["hals", "mu", "sklearn", "sklearn-mu"] = "hals"
    consensus: Literal["mcla", "cspa", "hgpa", "hbgf"] | Annotated[Consensus, callable] = "mcla"
    run_selection: Literal["none", "best_half", "pareto"] = "none"
    select: Literal["anmi", "i2"] = "anmi"
    unit_topics: bool = True
    tol: _options.NonNegative | None = None
    max_iter: _options.Count | None = None
    dtype: Literal["float32", "float64"] = "float32"
    n_top_terms: _options.Count = 10
    max_memory: _options.Positive = 512 * 2**20

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, feature_names: Sequence[str] | None = None) -> Self:
        """Cluster the documents.

        Raises a ValueError if there are more clusters than terms, or more clusters than documents with terms.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)
            Non-negative term weights or counts.
        y : ignored
        feature_names : sequence of str, optional
            Names of the terms, used in ``topics_``.
        """
        matrix = csr_array(validated_rows(self, X, reset=True))
        parts = matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape)
        # The checkpoint contains constants for parameters that do not affect the runs, so that these
        # parameters can be changed before a fit is resumed.
        checkpoint = _base.checkpoint_for(
            self, *parts, n_runs=1, consensus="mcla", run_selection="none", select="anmi", n_top_terms=1,
            max_memory=factorization.MAX_MEMORY,
        )  # fmt: skip
        run_seed, select_seed, consensus_seed = spawn_seeds(self.random_state, 3)
        given = None if feature_names is None else list(map(str, feature_names))
        names = checked_names(self, given, "term")
        self._tfidf = PaperTfidfTransformer().fit(matrix) if self.input == "counts" else None
        weights = self._weights(matrix)
        seen = np.flatnonzero(np.diff(weights.indptr) > 0)
        n_documents, n_terms = weights.shape
        n_seen = f"documents with terms, {{}} of n_samples={n_documents}"
        _base.check_n_clusters(self.n_clusters, len(seen), n_seen)
        _base.check_n_clusters(self.n_clusters, n_terms, "terms, n_features={}")
        if len(seen) < n_documents:
            _warn_of_largest(n_documents - len(seen), n_documents, "have no terms")
        if self.consensus == "cspa":
            check_memory(len(seen), "average", None, int(self.max_memory))
        B = weights[seen]
        if self.document_weighting == "ncw":
            B = NCWTransformer().fit_transform(B)
        factorization.check_scale(B, "X", self.dtype)
        runs = ensemble_runs(
            B,
            self.n_clusters,
            run_seed.spawn(self.n_runs),
            unit_topics=self.unit_topics,
            checkpoint=checkpoint,
            verbose=bool(self.verbose),
            **_solver_options(self),
        )
        # In a run, identical documents can have different weights and therefore different labels.
        equal = _base.equal_rows(weights[seen])
        run_labels = _base.united(runs.labels, equal)
        self.selected_runs_ = self._selected_runs(run_labels, runs.losses, B, select_seed)
        taken = run_labels[self.selected_runs_]
        found, associated = consensus_partition(
            self.consensus, taken, self.n_clusters, consensus_seed, int(self.max_memory)
        )
        found, kept = number_clusters(_base.united(found, equal))
        labels = np.full(n_documents, np.bincount(found).argmax(), dtype=np.int32)
        labels[seen] = found
        self.labels_ = relabel_by_first_appearance(labels)
        self.n_clusters_ = self._n_features_out = len(kept)
        if int(equal.max()) + 1 < self.n_clusters:
            _base.warn_of_few(self.n_clusters_, self.n_clusters)
        self.run_labels_ = np.full((self.n_runs, n_documents), -1, dtype=np.int32)
        self.run_labels_[:, seen] = run_labels
        self.run_losses_, self.run_n_iter_ = runs.losses, runs.n_iter
        self.n_iter_ = int(runs.n_iter.max())
        self.components_of_best_run_ = runs.topics
        self.association_ = np.zeros((self.n_clusters_, n_documents))
        number = np.empty(len(kept), dtype=np.intp)
        number[found] = self.labels_[seen]
        self.association_[np.ix_(number, seen)] = associated[kept]
        totals = self.association_.sum(axis=0)
        self.confidence_ = self.association_.max(axis=0) / np.where(totals > 0, totals, 1.0)
        sums = cluster_sums(weights.astype(np.float64, copy=False), self.labels_, self.n_clusters_)
        self.cluster_weights_ = sums / np.bincount(self.labels_)[:, None]
        self.topics_ = leading_terms(self.cluster_weights_, names, self.n_top_terms)
        return self

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> FloatArray:
        """Compute cosine similarities to the mean term weights of clusters; 0 for documents without terms.

        Counts are converted to weights using the document frequencies of the training data.
        """
        check_is_fitted(self)
        rows = unit_rows(self._weights(csr_array(validated_rows(self, X, reset=False))))
        return np.asarray(rows @ unit_rows(self.cluster_weights_).T)

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster with the highest similarity, or the largest cluster if all similarities are 0.

        Predictions for training documents can differ from ``labels_``, the consensus of the runs.
        """
        similarity = self.transform(X)
        labels = similarity.argmax(axis=1).astype(np.int32)
        labels[~(similarity > 0).any(axis=1)] = np.bincount(self.labels_).argmax()
        return labels

    def _clustering_result(self) -> results.ClusteringResult:
        return replace(
            super()._clustering_result(),
            runs=self.run_labels_,
            run_losses=self.run_losses_,
            arrays=lambda: {"association": self.association_, "confidence": self.confidence_},
        )

    def _selected_runs(
        self, labels: Labels, losses: FloatArray, B: Any, seed: np.random.SeedSequence
    ) -> NDArray[np.intp]:
        if self.run_selection == "none" or len(labels) < 2:
            return np.arange(len(labels))
        if self.run_selection == "best_half":
            return best_half(labels)
        return select_pareto(
            labels,
            self.n_clusters,
            losses=losses,
            min_runs=min(5, len(labels)),
            select=self.select,
            X=B if self.select == "i2" else None,
            random_state=np.random.default_rng(seed),
        ).runs

    def _weights(self, matrix: Any) -> Any:
        if self._tfidf is None:
            return matrix
        with warnings.catch_warnings():
            # Ignore the warning about documents without terms, because ``fit`` issues its own warning.
            warnings.simplefilter("ignore", UserWarning)
            return csr_array(self._tfidf.transform(matrix))


@documented(factorization.nmf, factorization.labels_from_factors)
@_options.estimator
class NMFClustering(_options.ParallelOptions, DocumentClusterer):
    """Document clustering by non-negative matrix factorisation, X ~ V U^T.

    The columns of U are topics, and the rows of V are the topic weights of documents. Each document is
    assigned to the topic with the largest weight, and documents without terms to the largest cluster.
    Identical documents share a cluster. An iteration takes O(nnz(X) n_clusters + (n_documents + n_terms)
    n_clusters^2) time, and each parallel run uses O((n_documents + n_terms) n_clusters) memory. Source: W.
    Xu, X. Liu, Y. Gong, "Document clustering based on non-negative matrix factorization", SIGIR (2003);
    "Ensemble non-negative matrix factorization for clustering biomedical documents".

    Parameters
    ----------
    n_clusters : int
        Number of topics, which must not exceed the number of documents or the number of terms.
    n_init : int
        Number of runs from random starts. The run with the lowest loss is used.
    dtype : {"float64", "float32"}
        Data type of the factors. Single precision halves the memory and, with many runs, also the time.
    max_memory : int, default=4 GiB
        Maximum memory for the factors of parallel runs, in bytes. Does not affect the result.

    Attributes
    ----------
    components_ : ndarray of shape (n_clusters, n_terms)
        Topics of unit length in cluster order, followed by topics without documents.
    document_weights_ : ndarray of shape (n_documents, n_clusters)
        Weights of ``components_`` in each document at the end of the run.
    loss_, losses_ : float, ndarray of shape (n_init,)
        ||X - V U^T||^2 of the best run, and of each run.
    n_iter_ : int
        Number of iterations in the best run.

    Examples
    --------
    >>> from moo_clustering.estimators import NMFClustering
    >>> X = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2]]
    >>> NMFClustering(2, random_state=0).fit_predict(X)
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: _options.Count
    _: KW_ONLY
    solver: Literal["hals", "mu", "sklearn", "sklearn-mu"] = "hals"
    n_init: _options.Count = 1
    tol: _options.NonNegative | None = None
    max_iter: _options.Count | None = None
    unit_topics: bool = True
    dtype: Literal["float64", "float32"] = "float64"
    max_memory: _options.Count = factorization.MAX_MEMORY

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of the non-negative matrix X, shape (n_documents, n_terms); ``y`` is ignored.

        Raises a ValueError if arguments are invalid, if there are more clusters than documents or than terms,
        if X contains only zeros, or if a run exceeds ``max_memory``.
        """
        X = self._checked(X, reset=True)
        _base.check_n_clusters(self.n_clusters, X.shape[0], "documents, n_samples={}")
        _base.check_n_clusters(self.n_clusters, X.shape[1], "terms, n_features={}")
        empty = row_sizes(X) == 0
        if empty.all():
            raise ValueError("X contains only zeros, so no document has a term")
        factorization.check_scale(X, "X", self.dtype)
        seeds = spawn_seeds(self.random_state, self.n_init)
        best = factorization.map_nmf(_best_run, X, self.n_clusters, seeds=seeds, **_solver_options(self))
        self.losses_ = np.concatenate([losses for losses, *_ in best])
        losses, U, V, self.n_iter_ = min(best, key=lambda part: part[0].min())
        self.loss_ = float(losses.min())
        self._set(U, V, empty, _base.equal_rows(X))
        if _base.count_distinct_rows(X, self.n_clusters) < self.n_clusters:
            _base.warn_of_few(self.n_clusters_, self.n_clusters)
        return self

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> AnyFloatArray:
        """Compute exact least-squares topic weights; ``document_weights_`` are only approximate."""
        check_is_fitted(self)
        X, topics = self._checked(X, reset=False), self.components_
        weights = factorization.document_weights(X, topics.T, n_jobs=self.n_jobs)
        return weights.astype(topics.dtype, copy=False)

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> NDArray[np.int32]:
        """Predict the topic with the largest weight, or the largest cluster if all weights are 0.

        Predictions for training documents can differ from ``labels_``, which use ``document_weights_``.
        """
        weights = self.transform(X)[:, : self.n_clusters_]
        if not self.unit_topics:
            weights = weights / self._lengths[: self.n_clusters_]
        labels = weights.argmax(axis=1).astype(np.int32)
        without = (weights == 0).all(axis=1)
        if without.any():
            labels[without] = self._largest
            _warn_of_largest(int(without.sum()), len(without), "have no weight in the topic of any cluster")
        return labels

    def _checked(self, X: Any, reset: bool) -> Any:
        return numeric_features(
            self, X, accept_sparse="csr", dtype=np.dtype(self.dtype), ensure_non_negative=True, reset=reset
        )

    def _set(
        self, U: AnyFloatArray, V: AnyFloatArray, empty: NDArray[np.bool_], equal: NDArray[np.intp]
    ) -> None:
        # Identical documents can have different weights, because the solver can stop early.
        topics = _base.united(factorization.labels_from_factors(U, V, self.unit_topics), equal)
        largest = int(np.bincount(topics[~empty]).argmax())
        if empty.any():
            topics[empty] = largest
            _warn_of_largest(int(empty.sum()), len(empty), "have no terms")
        self.labels_, used = number_clusters(topics)
        order = np.concatenate([used, np.setdiff1d(np.arange(self.n_clusters), used)])
        lengths = factorization.topic_lengths(U)
        self.components_ = np.ascontiguousarray((U / lengths).T[order])
        self._n_features_out = len(order)
        self.document_weights_ = np.ascontiguousarray((V * lengths)[:, order])
        self.document_weights_[empty] = 0.0
        self._lengths = lengths[order]
        self._largest = int(np.flatnonzero(used == largest)[0])
        self.n_clusters_ = len(used)


def _solver_options(model: Any) -> dict[str, Any]:
    options = {name: getattr(model, name) for name in ("solver", "tol", "max_iter", "dtype", "n_jobs")}
    return options | {"max_memory": int(model.max_memory)}


def _best_run(
    runs: factorization.NMFRuns,
) -> tuple[FloatArray, AnyFloatArray, AnyFloatArray, int]:
    best = runs.best
    return runs.losses, runs.U[best].copy(), runs.V[best].copy(), int(runs.n_iter[best])


def _warn_of_largest(n_moved: int, n_documents: int, why: str) -> None:
    warn_caller(f"{n_moved} of {n_documents} documents {why} and were assigned to the largest cluster")


def ensemble_runs(
    B: Any,
    n_clusters: int,
    seeds: Sequence[np.random.SeedSequence],
    *,
    unit_topics: bool,
    checkpoint: Checkpoint | None = None,
    verbose: bool = False,
    **options: Any,
) -> "EnsembleRuns":
    """Factorise B once per seed with :func:`map_nmf`, reading and writing the checkpoint."""

    def summary(runs: factorization.NMFRuns) -> EnsembleRuns:
        labels = [
            factorization.labels_from_factors(U, V, unit_topics) for U, V in zip(runs.U, runs.V, strict=True)
        ]
        topics = np.ascontiguousarray(runs.U[runs.best].T, dtype=np.float64)
        return EnsembleRuns(np.stack(labels).astype(np.int32), runs.losses, runs.n_iter, topics)

    done = _saved(checkpoint, len(seeds))
    n_done = n_saved = 0 if done is None else len(done.labels)
    step = len(seeds) if checkpoint is None else checkpoint.every
    with progress_bar(total=len(seeds), initial=n_done, disable=not verbose, unit="run") as bar:
        while done is None or n_done < len(seeds):
            batch = seeds[n_done : n_done + step]
            parts = factorization.map_nmf(summary, B, n_clusters, seeds=batch, **options)
            done = _joined(parts if done is None else [done, *parts])
            n_done += len(batch)
            bar.update(len(batch))
            if checkpoint is not None:
                n_saved = _save(checkpoint, done, n_saved)
    return done


class EnsembleRuns(NamedTuple):
    """Labels, losses and iterations of all runs, and topics (rows) of the run with the lowest loss."""

    labels: NDArray[np.int32]
    losses: FloatArray
    n_iter: NDArray[np.int64]
    topics: FloatArray


def _save(checkpoint: Checkpoint, done: EnsembleRuns, n_saved: int) -> int:
    """Save the runs, and return the number of runs that the checkpoint file then contains."""
    # If saving fails, the file still contains ``n_saved`` runs. If this number is 0, the error is raised.
    n_done = len(done.labels)
    try:
        save_checkpoint(checkpoint, done._asdict(), {"n_runs": n_done})
    except OSError as error:
        if not n_saved:
            raise
        warn_caller(
            f"checkpoint {checkpoint.path} could not be written after {n_done} runs ({error}); it "
            f"still contains {n_saved} runs",
            RuntimeWarning,
        )
        return n_saved
    return n_done


def _saved(checkpoint: Checkpoint | None, n_runs: int) -> EnsembleRuns | None:
    if checkpoint is None or not checkpoint.resume or (state := load_checkpoint(checkpoint)) is None:
        return None
    try:
        saved = EnsembleRuns(**state[0])
        n_saved = len(saved.labels)
        fits = saved.labels.ndim == saved.topics.ndim == 2 and (
            saved.losses.shape == saved.n_iter.shape == (n_saved,)
        )
    except (TypeError, AttributeError):
        fits = False
    if not fits:
        raise ArchiveError(
            f"{checkpoint.path} is a damaged checkpoint: its arrays are inconsistent; {START_OVER}"
        )
    if n_saved > n_runs:
        raise ValueError(
            f"n_runs must be at least {n_saved}, the number of runs in {checkpoint.path}; got {n_runs}"
        )
    return saved


def _joined(parts: Sequence[EnsembleRuns]) -> EnsembleRuns:
    best = min(parts, key=lambda part: part.losses.min())
    labels, losses, n_iter = (np.concatenate(arrays) for arrays in list(zip(*parts, strict=True))[:3])
    return EnsembleRuns(labels, losses, n_iter, best.topics)


def consensus_partition(
    consensus: str | Consensus, labels: Labels, n_clusters: int, seed: np.random.SeedSequence, max_memory: int
) -> tuple[Labels, FloatArray]:
    """Return consensus labels, numbered by first appearance, and associations of clusters with documents."""
    rng = np.random.default_rng(seed)
    if consensus == "mcla":
        found, rows = mcla(labels, n_clusters, random_state=rng, return_association=True)
        return found, rows[: int(found.max()) + 1]
    functions: dict[str, Consensus] = {"cspa": cspa, "hgpa": hgpa, "hbgf": hbgf}
    function = consensus if callable(consensus) else functions[consensus]
    options: dict[str, Any] = {"max_memory": max_memory} if consensus == "cspa" else {}
    returned = function(labels, n_clusters, random_state=rng, **options)
    try:
        result = np.asarray(returned)
        got = f"{result.dtype} of shape {result.shape}"
    except ValueError:
        # The callable did not return an array, but, for example, a tuple of labels and another value.
        result, got = np.empty(0), repr(type(returned).__name__)
    if result.shape != (labels.shape[1],) or result.dtype.kind not in "iu":
        raise ValueError(
            f"consensus must return one integer label per document ({labels.shape[1]}), got {got}"
        )
    if result.min() < 0:
        raise ValueError(f"consensus must return non-negative labels, got {result.min()}")
    found = relabel_by_first_appearance(result)
    return found, association(labels, found)


def association(labels: Labels, partition: Labels) -> FloatArray:
    """Average, over runs, the share of a cluster's documents (row) that have the topic of each document."""
    n_clusters = int(partition.max()) + 1
    sizes = np.bincount(partition)
    out = np.zeros((n_clusters, len(partition)))
    for run in labels:
        counts = np.zeros((n_clusters, int(run.max()) + 1))
        np.add.at(counts, (partition, run), 1.0)
        out += (counts / sizes[:, None])[:, run]
    return out / len(labels)


def cluster_sums(X: Any, labels: Labels, n_clusters: int) -> AnyFloatArray:
    """Return the sum of the rows of each cluster as a dense array."""
    n = len(labels)
    member = csr_array((np.ones(n, dtype=X.dtype), (labels, np.arange(n))), shape=(n_clusters, n))
    return dense(member @ X)


def dense(X: Any) -> AnyFloatArray:
    """Convert X to an ndarray if it is sparse."""
    return X.toarray() if issparse(X) else np.asarray(X)


def checked_names(model: Any, given: Sequence[str] | None, what: str) -> Sequence[str] | None:
    """Return ``given`` or, by default, ``feature_names_in_``, after checking the number of names."""
    names = getattr(model, "feature_names_in_", None) if given is None else given
    if names is not None and len(names) != model.n_features_in_:
        raise ValueError(
            f"feature_names must have one name per {what} ({model.n_features_in_}), got {len(names)}"
        )
    return names


def leading_terms(
    weights: NDArray[np.floating[Any]], names: Sequence[str] | None, n_terms: int
) -> tuple[tuple[Any, ...], ...]:
    """Return the names or column indices of the largest positive weights in each row, in descending order."""
    found = []
    for row in weights:
        order = np.argsort(-row, kind="stable")[:n_terms]
        kept = order[row[order] > 0]
        found.append(tuple(int(j) if names is None else names[j] for j in kept))
    return tuple(found)
