"""SISC-ML and its rivals: multi-label data sets, splits, methods, and the cell of one method on one split."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from moo_clustering._arrays import FloatArray
from moo_clustering.datasets import DataError
from moo_clustering.datasets.multilabel import sparse_matrix
from moo_clustering.estimators import (
    SCAD2,
    SISC,
    EntropyWeightedKMeans,
    MetaLabeler,
    PrunedSetsEnsemble,
    SISCEnsemble,
    SISCStacked,
)
from moo_clustering.features import InformationGainSelector, document_term_counts
from moo_clustering.persistence import fingerprint, read_arrays
from moo_clustering.validity import class_aucs, mean_roc_curve
from papers.documents import SOURCES, data_folder, document_records, place_of
from papers.runner import Key, check_names, seed_of

N_POINTS = 101
# Parameters of each estimator that differ from its defaults. The paper specifies only gamma.
OPTIONS: dict[str, dict[str, Any]] = {
    "SISC": {"n_clusters": 60, "fuzziness": 1.5, "weight_exponent": 5.0, "chi_weight": 0.5, "max_iter": 15},
    "SCAD2": {"n_clusters": 60, "fuzziness": 1.5, "weight_exponent": 5.0, "max_iter": 15},
    "EntropyWeightedKMeans": {"n_clusters": 60, "gamma": 0.5},
    "SISCEnsemble": {},
    "SISCStacked": {},
}
Options = Mapping[str, Mapping[str, Any]]
SUM, ONE, ALL = "sum, kappa=5", "kappa=1", "normalised, kappa=k"
_VOTES: dict[str, tuple[int | None, str]] = {
    SUM: (5, "sum"),
    ONE: (1, "normalised"),
    ALL: (None, "normalised"),
    "kappa=5": (5, "normalised"),
}
Predict = Callable[[csr_matrix], FloatArray]
N_FEATURES, N_FOLDS = 1000, 2
# The documents whose labels select the features.
LABELLED: Final = "labelled"
ALL_TRAIN: Final = "all_train"
# Fingerprint of the set, its labels, number of words if known, and the function that counts them.
_Content = tuple[str, NDArray[np.int8], int | None, Callable[[], csr_matrix]]
# Number of documents of one repetition.
SIZES = {"asrs": 10_000, "reuters": 6000, "20news": 6000}
# Names of the sets in this module, and in the paper.
DATASETS = {"asrs": "ASRS", "reuters": "Reuters", "20news": "20 Newsgroups"}
FRACTIONS = (0.1, 0.25, 0.5, 0.75, 1.0)
# Area under the averaged ROC curve, with all training documents labelled.
TABLE2: dict[str, tuple[float, ...]] = {
    "SISC-ML": (0.666, 0.815, 0.84),
    "k-NN": (0.552, 0.585, 0.698),
    "SCAD2": (0.482, 0.533, 0.643),
    "K-Means Entropy": (0.47, 0.538, 0.657),
    "MetaLabeler": (0.58, 0.762, 0.766),
    "Pruned Set": (0.469, 0.56, 0.60),
}
# SISC-ML by the share of labelled training documents.
TABLE3: dict[str, tuple[float, ...]] = {
    "asrs": (0.658, 0.662, 0.678, 0.675, 0.666),
    "reuters": (0.821, 0.818, 0.795, 0.808, 0.815),
    "20news": (0.836, 0.858, 0.838, 0.826, 0.84),
}


class Task(NamedTuple):
    """The data of a cell."""

    split: Split
    method: str
    seed: tuple[str | int | float, ...]
    options: Options


class Split(NamedTuple):
    """Training and test documents of one fold."""

    X_train: csr_matrix  # shape (n, n_features): 0.0 or 1.0
    y_train: NDArray[np.int8]  # shape (n_train, n_labels): labels 0 or 1; rows of -1 are unlabelled
    X_test: csr_matrix  # as X_train
    y_test: NDArray[np.int8]  # shape (n_test, n_labels): labels, only used for scores

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Rows of the labelled training documents."""
        return np.flatnonzero(self.y_train[:, 0] >= 0)


def run_task(task: Task) -> dict[str, Any]:
    """Return the value of a cell: areas and averaged curves of each kind of scores, and seconds.

    The labels of the test documents are only used after the predictions.
    """
    split, method = task.split, METHODS[task.method]
    seed = int(seed_of(*task.seed).generate_state(1)[0])
    # With one thread, sums are computed in the same order in all processes.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Labels without documents and runs that do not converge are part of the comparison.
        warnings.simplefilter("ignore")
        warm_up(task.method)
        start = perf_counter()
        predictors = method.fit(split, seed, task.options)
        fit_seconds = perf_counter() - start
        kinds = {kind: _scored(predictors[kind], split) for kind in method.kinds}
    return {"fit_seconds": fit_seconds, "kinds": kinds}


@cache
def warm_up(method: str) -> None:
    """Run a method on tiny data, so that the seconds of its first cell do not include compilation."""
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.integers(0, 2, (40, 12)).astype(np.float64))
    y = rng.integers(0, 2, (40, 3)).astype(np.int8)
    few: Mapping[str, Any] = {name: {"n_clusters": 6} for name in ("SISC", "SCAD2", "EntropyWeightedKMeans")}
    predictors = METHODS[method].fit(Split(X, y, X, y), 0, few)
    for predict in predictors.values():
        predict(X)


def _scored(predict: Any, split: Split) -> dict[str, Any]:
    start = perf_counter()
    scores = predict(split.X_test)
    seconds = perf_counter() - start
    aucs = class_aucs(split.y_test, scores)
    _, tpr = mean_roc_curve(split.y_test, scores, N_POINTS)
    return {
        "auc": float(np.nanmean(aucs)),
        "undefined": int(np.isnan(aucs).sum()),
        "predict_seconds": seconds,
        "tpr": tpr.round(6).tolist(),  # only drawn
    }


def _cluster_method(
    title: str, make: Any, kinds: tuple[str, ...], *, limited: bool = False, **changes: Any
) -> Method:
    return Method(title, partial(_clusters, make, make.__name__, changes, kinds), kinds, limited)


class Method(NamedTuple):
    """A method that scores documents."""

    name: str
    fit: Fit  # ``fit(split, seed, options)`` returns a function per kind of score that scores documents
    kinds: tuple[str, ...] = ("",)  # kinds of scores; ``("",)`` if there is only one kind
    limited: bool = False  # whether the method is also compared with fewer labelled documents


def _whole(make: Any) -> Fit:
    """Return an estimator's own scores, from labelled and unlabelled documents."""

    def fit(split: Split, seed: int, options: Options) -> dict[str, Predict]:
        own = options.get(make.__name__, {})
        model = make(**own, random_state=seed).fit(split.X_train, split.y_train)
        return {"": model.predict_proba}

    return fit


def _nearest(metric: str, numbers: tuple[int, ...]) -> Fit:
    return lambda split, seed, options: neighbors(split, metric, numbers)


def _meta(split: Split, seed: int, options: Options) -> dict[str, Predict]:
    model = MetaLabeler(random_state=seed).fit(split.X_train, split.y_train)

    def uncut(X: csr_matrix) -> FloatArray:
        scores: FloatArray = model.decision_function(X)
        return scores

    return {"cut": model.predict_proba, "uncut": uncut}


def _plain(make: Callable[[Split, int], Predict]) -> Fit:
    return lambda split, seed, options: {"": make(split, seed)}


def logistic_binary(split: Split, seed: int) -> Predict:
    """Fit one logistic regression per label to presence of words, C = 0.1."""
    # The solver liblinear also shrinks the intercept, and reaches a much smaller area with few labels.
    return _one_vs_rest(split, LogisticRegression(C=0.1, max_iter=1000, random_state=seed), "predict_proba")


def logistic_tfidf(split: Split, seed: int) -> Predict:
    """Fit one logistic regression per label to unit-length idf weights, C = 1."""
    model = LogisticRegression(C=1.0, max_iter=1000, random_state=seed)
    return _one_vs_rest(split, model, "predict_proba", weighted=True)


def linear_svm(split: Split, seed: int) -> Predict:
    """Fit one linear support vector machine per label to unit-length idf weights, C = 1."""
    return _one_vs_rest(split, LinearSVC(C=1.0, random_state=seed), "decision_function", weighted=True)


def class_shares(split: Split, seed: int) -> Predict:
    """Score by the share of every label among the labelled documents, equal for all documents."""
    shares = split.y_train[split.labelled].mean(axis=0)
    return lambda X: np.tile(shares, (X.shape[0], 1))


def random_scores(split: Split, seed: int) -> Predict:
    """Draw uniform random scores."""
    n_labels = split.y_train.shape[1]
    return lambda X: np.random.default_rng(seed).random((X.shape[0], n_labels))


def _clusters(
    make: Any, name: str, changes: Mapping[str, Any], kinds: tuple[str, ...], split: Split, seed: int,
    options: Options,
) -> dict[str, Predict]:  # fmt: skip
    """Score by the shares of the nearest clusters, in several ways from one fit."""
    model = make(**{**options[name], **changes}, random_state=seed).fit(split.X_train, split.y_train)

    def voted(kind: str) -> Predict:
        n_neighbors, aggregation = _VOTES[kind]

        def predict(X: csr_matrix) -> FloatArray:
            model.set_params(n_neighbors=n_neighbors, aggregation=aggregation)
            scores: FloatArray = model.decision_function(X)
            return scores

        return predict

    return {kind: voted(kind) for kind in kinds}


Fit = Callable[[Split, int, Options], Mapping[str, Predict]]


def neighbors(split: Split, metric: str, n_neighbors: tuple[int, ...]) -> dict[str, Predict]:
    """Score by the share of the nearest labelled documents with a label, by number of neighbours."""
    rows = split.labelled
    Y = split.y_train[rows].astype(np.float64)
    model = NearestNeighbors(metric=metric, algorithm="brute").fit(split.X_train[rows])

    def among(number: int) -> Predict:
        def predict(X: csr_matrix) -> FloatArray:
            nearest = model.kneighbors(X, min(number, len(rows)), return_distance=False)
            shares: FloatArray = Y[nearest].mean(axis=1)
            return shares

        return predict

    return {f"kappa={number}": among(number) for number in n_neighbors}


METHODS = {
    method.name: method
    for method in (
        _cluster_method("SISC-ML", SISC, (SUM, ONE, ALL), limited=True),
        _cluster_method("SISC-ML without impurity", SISC, (ALL,), limited=True, impurity=None),
        _cluster_method("SISC-ML with q=15", SISC, (ALL,), limited=True, weight_exponent=15.0),
        Method("SISCEnsemble", _whole(SISCEnsemble), limited=True),
        Method("SISCStacked", _whole(SISCStacked), limited=True),
        Method("k-NN (Euclidean)", _nearest("euclidean", (5, 50)), ("kappa=5", "kappa=50")),
        Method("k-NN (cosine)", _nearest("cosine", (50,)), ("kappa=50",), limited=True),
        _cluster_method("SCAD2", SCAD2, (SUM, ALL)),
        _cluster_method("K-means entropy (sum D)", EntropyWeightedKMeans, (SUM, ONE, "kappa=5")),
        _cluster_method("K-means entropy (mean D)", EntropyWeightedKMeans, ("kappa=5",), dispersion="mean"),
        Method("MetaLabeler", _meta, ("cut", "uncut")),
        Method("pruned sets", _whole(PrunedSetsEnsemble)),
        Method("logistic regression (binary, C=0.1)", _plain(logistic_binary), limited=True),
        Method("logistic regression (tf-idf, C=1)", _plain(logistic_tfidf), limited=True),
        Method("linear SVM (tf-idf, C=1)", _plain(linear_svm), limited=True),
        Method("class shares", _plain(class_shares)),
        Method("random scores", _plain(random_scores)),
    )
}


def _one_vs_rest(split: Split, model: Any, scores: str, *, weighted: bool = False) -> Predict:
    # The idf includes unlabelled documents.
    weights = TfidfTransformer().fit(split.X_train) if weighted else None
    rows = split.labelled

    def weigh(X: csr_matrix) -> csr_matrix:
        return X if weights is None else weights.transform(X)

    fitted = OneVsRestClassifier(model).fit(weigh(split.X_train[rows]), split.y_train[rows])
    return lambda X: np.asarray(getattr(fitted, scores)(weigh(X)), dtype=np.float64)


def task_of(key: Key, split: Split, options: Options) -> Task:
    """Return the task of a cell, whose seed depends on the key without the data."""
    parts = tuple(part for name, part in key.items() if name != "data")
    return Task(split, str(key["method"]), parts, options)


def make_split(given: LabelledSet, fraction: float, features: str, repeat: int, fold: int) -> Split:
    """Return one fold of 2-fold cross-validation on documents that are drawn anew in every repetition.

    Parameters
    ----------
    given : LabelledSet
    fraction : float
        Share of labelled training documents. A larger share includes the labelled documents of a smaller one,
        and they are the same for all methods.
    features : {"labelled", "all_train"}
        Select the words with the largest information gain by the labels of the labelled training documents
        or, as in the paper, of all training documents. Words in all or in no training documents are omitted.
    repeat : int
    fold : {0, 1}
    """
    order = np.random.default_rng(seed_of(given.name, repeat, "documents")).permutation(len(given.Y))
    drawn = order[: given.n_drawn]
    halves = np.array_split(drawn, N_FOLDS)
    test, train = halves[fold], halves[1 - fold]
    y_train = given.Y[train]
    rng = np.random.default_rng(seed_of(given.name, repeat, fold, "labelled"))
    unlabelled = rng.permutation(len(train))[max(1, round(fraction * len(train))) :]
    partial = y_train.copy()
    partial[unlabelled] = -1
    X_train = given.X[train]
    selector = InformationGainSelector(N_FEATURES).fit(X_train, y_train if features == ALL_TRAIN else partial)
    words_of = selector.transform
    return Split(csr_matrix(words_of(X_train)), partial, csr_matrix(words_of(given.X[test])), given.Y[test])


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """Documents, each with any number of labels."""

    name: str
    identity: str  # fingerprint of words and labels
    size: int  # number of documents drawn in every repetition; all if there are fewer
    Y: NDArray[np.int8]  # shape (n_documents, n_labels): 1 if a document has the label, otherwise 0
    n_words: int | None  # number of different words; None if they are not counted yet
    # ``count()`` returns the words of all documents, which takes seconds for texts
    count: Callable[[], csr_matrix]

    @property
    def title(self) -> str:
        """Name in the paper."""
        return DATASETS[self.name]

    @property
    def n_drawn(self) -> int:
        """Number of documents of one repetition."""
        return min(self.size, len(self.Y))

    @cached_property
    def X(self) -> csr_matrix:
        """1.0 if a document contains the word; shape (n_documents, n_words)."""
        counts = self.count()
        present = csr_matrix((counts != 0).astype(np.float64))
        present.sort_indices()
        return present


def load_labelled_sets(folder: Path | None, names: Sequence[str] = ()) -> list[LabelledSet]:
    """Load the sets of the paper in a folder, or the named ones.

    Only the most frequent labels are used (ties: the first column or name), and only texts with at least one
    of them. Raises a ValueError if a name is unknown, and a DataError if the folder, all sets or a requested
    set are missing, or a set is invalid.

    Parameters
    ----------
    folder : Path, optional
        Folder that contains the files, directly or in its subfolder ``text``. Default: the folder in the
        environment variable ``MOO_CLUSTERING_DATA``.
    names : sequence of str, default=()
        Names among ``asrs``, ``reuters`` and ``20news``; default: all in the folder.

    Returns
    -------
    list of LabelledSet
        In the order of the paper.
    """
    check_names("collections", names, _SETS)
    given = data_folder(folder)
    found = []
    for name, known in _SETS.items():
        places = [place_of(given, file) for file in known.files]
        paths = [place for place in places if place is not None]
        if name in names and len(paths) < len(places):
            absent = known.files[places.index(None)]
            raise DataError(f"there is no {absent} in {given} or its subfolder text")
        if len(paths) == len(places) and name in (names or _SETS):
            found.append(_labelled_set(name, known, paths))
    if not found:
        files = ", ".join(known.files[0] for known in _SETS.values())
        raise DataError(f"there is none of {files} in {given} or its subfolder text")
    return found


class _Set(NamedTuple):
    files: tuple[str, ...]
    n_labels: int
    read: Callable[[_Set, Sequence[Path]], _Content]


def _read_matrices(known: _Set, paths: Sequence[Path]) -> _Content:
    words, labels = paths
    try:
        X = csr_matrix(sparse_matrix(read_arrays(words, DataError), str(words)))
        Y = read_arrays(labels, DataError)["Y"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"cannot read {words} and {labels}: {error}") from error
    if Y.ndim != 2 or len(Y) != X.shape[0] or not np.isin(Y, (0, 1)).all():
        raise DataError(f"{labels} must contain a row of 0 or 1 for each of the {X.shape[0]} rows of {words}")
    kept = np.sort(np.argsort(-Y.sum(axis=0, dtype=np.int64), kind="stable")[: known.n_labels])
    chosen = Y[:, kept].astype(np.int8)
    return fingerprint(X, chosen), chosen, X.shape[1], lambda: X


def _read_texts(known: _Set, paths: Sequence[Path]) -> _Content:
    (path,) = paths
    (source,) = (source for source in SOURCES.values() if source.file in known.files)
    records = document_records(path, source)
    sizes = Counter(label for _, labels in records for label in labels)
    names = sorted(sorted(sizes, key=lambda label: (-sizes[label], label))[: known.n_labels])
    kept = [(document, labels) for document, labels in records if not labels.isdisjoint(names)]
    documents = [document for document, _ in kept]
    Y = np.array([[name in labels for name in names] for _, labels in kept], dtype=np.int8)
    content = json.dumps([documents, names, Y.tolist()])
    identity = hashlib.sha256(content.encode()).hexdigest()
    return identity, Y, None, lambda: document_term_counts(documents, min_df=1, stemmer=None)[0]


_SETS = {
    "asrs": _Set(("asrs_tmc2007_500_X.npz", "asrs_tmc2007_500_Y.npz"), 21, _read_matrices),
    "reuters": _Set((SOURCES["reuters"].file,), 20, _read_texts),
    "20news": _Set((SOURCES["20news"].file,), 20, _read_texts),
}


def _labelled_set(name: str, known: _Set, paths: Sequence[Path]) -> LabelledSet:
    identity, Y, n_words, count = known.read(known, paths)
    if len(Y) < 4 or Y.any(axis=0).sum() < 2:
        raise DataError(f"{paths[0]} must have at least four documents and at least two labels")
    return LabelledSet(name, identity[:16], SIZES[name], Y, n_words, count)


def published_table2(method: str, name: str) -> float | None:
    """Return the published area of a method on a set, from Table 2; None for other methods."""
    row = TABLE2.get(method)
    return None if row is None else row[list(DATASETS).index(name)]


def published_table3(name: str, fraction: float) -> float:
    """Return the published area for a set and a share of labelled documents, from Table 3."""
    return TABLE3[name][FRACTIONS.index(fraction)]
