"""Comparison of partitions or class scores with known classes: accuracy, F1, NMI, ARI, entropy and AUC."""

import contextlib
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.stats import rankdata
from sklearn.metrics import normalized_mutual_info_score, roc_curve
from sklearn.metrics.cluster import contingency_matrix

from moo_clustering._arrays import choice, integer, quoted, unit_rows
from moo_clustering._data import FLOATS, checked_array, checked_table, require_same_samples, unmasked
from moo_clustering._docs import documented
from moo_clustering._kernels import caching
from moo_clustering._kernels.partitions import pairs_in_common
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import one_thread
from moo_clustering._targets import Targets, partial_targets
from moo_clustering._types import FloatArray, Int64Array, IntpArray, Labels
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity.base import integer_rows

# An entry of one of these types is the set of the classes of a sample.
SETS = (list, tuple, set, frozenset, np.ndarray)
# Contingency tables with at most this number of entries are converted to dense arrays of up to 80 MB.
DENSE_ENTRIES = 10_000_000
CACHED_COUNTERS = 4096
NONE_DEFINED = (
    "at least one class of y_true must have both positive and negative labelled samples (-1 means unlabelled)"
)


def clustering_accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Return the share of samples whose cluster matches their class in the best one-to-one matching.

    Takes O(n log n + min(C, K)^2 max(C, K)) time for n samples, C classes and K clusters. Source: PESC.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Numbers, strings or other hashables; NaN raises an error.

    Returns
    -------
    accuracy : float
        In (0, 1]. Samples in unmatched clusters or classes count as errors. Compare the accuracy with that of
        a single cluster, which is the share of the largest class.

    Examples
    --------
    >>> from moo_clustering.validity import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1, 2], [2, 2, 0, 0, 0])
    0.8
    """
    table, _ = contingency(labels_true, labels_pred)
    return most_agreements(table) / int(table.sum())


@documented(clustering_accuracy)
def matched_rand_index(labels_true: Any, labels_pred: Any) -> float:
    """Return :func:`clustering_accuracy`, which the multi-instance papers call "RI".

    For the Rand index, use :func:`sklearn.metrics.rand_score`. Source: Evolutionary multi-instance
    clustering, Eq. 18.
    """
    return clustering_accuracy(labels_true, labels_pred)


@documented(clustering_accuracy)
def matched_f1(labels_true: Any, labels_pred: Any, pos_label: Hashable | None = None) -> float:
    """Return the F1 score of the cluster that is matched to the positive class.

    Samples in this cluster are predicted to be positive. Of equally good matchings, one with the most matched
    clusters is used. In contingency tables of up to 4096 entries, further ties are broken in favour of the
    lowest class of cluster 0 (-1 if unmatched), then of cluster 1, and so on. Raises a ValueError if
    ``pos_label`` is not a class, or if it is None and the classes cannot be sorted. Source: Evolutionary
    multi-instance clustering, Eq. 20.

    Parameters
    ----------
    pos_label : hashable, optional
        Positive class. Default: the class that sorts last.

    Returns
    -------
    f1 : float
        0 if no cluster is matched to the positive class.

    Examples
    --------
    >>> from moo_clustering.validity import matched_f1
    >>> matched_f1([1, 1, 0, 0, 1], [0, 0, 1, 1, 1])
    0.8
    """
    table, classes = contingency(labels_true, labels_pred)
    if pos_label is None:
        try:
            pos_label = max(classes)
        except TypeError:
            raise ValueError("pos_label is required, because labels_true cannot be sorted") from None
    if pos_label not in classes:
        raise ValueError(f"pos_label must be a label in labels_true, got {quoted(pos_label)}")
    positive = classes.index(pos_label)
    clusters = np.flatnonzero(class_of_cluster(table) == positive)
    if len(clusters) == 0:
        return 0.0
    in_class, in_cluster = int(table[[positive]].sum()), int(table[:, clusters].sum())
    return 2 * int(table[positive, clusters[0]]) / (in_class + in_cluster)  # Eq. 20


def most_agreements(table: csr_array) -> int:
    """Return the largest sum of table entries with at most one entry from each row and column."""
    if np.prod(table.shape, dtype=np.int64) <= DENSE_ENTRIES:
        return _dense_optimum(table.toarray())
    rows, columns = _sparse_pairs(table)
    return int(np.asarray(table[rows, columns]).sum())


def class_of_cluster(table: csr_array) -> Int64Array:
    """Match each cluster (column) with a class (row) or -1. Ties are broken in favour of more matches."""
    n_classes, n_clusters = table.shape
    size = n_classes * n_clusters
    # In larger tables, ties are broken arbitrarily, because _smallest_optimum would solve too many matchings.
    if size <= 4096:
        return _smallest_optimum(table.toarray())
    is_small = size <= DENSE_ENTRIES
    pairs = linear_sum_assignment(table.toarray(), maximize=True) if is_small else _sparse_pairs(table)
    rows, columns = pairs
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    mapping[columns] = rows
    return mapping


def _dense_optimum(table: Int64Array) -> int:
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _smallest_optimum(table: Int64Array) -> Int64Array:
    """Match each cluster in turn with the lowest class number that permits an optimal matching.

    The number -1 stands for no class.
    """
    n_clusters = table.shape[1]
    free = list(range(len(table)))
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    goal = _dense_optimum(table)
    for k in range(n_clusters):
        # A cluster is left unmatched only if there are enough later clusters for all free classes.
        options = [-1, *free] if n_clusters - k > len(free) else free
        steps = (
            (option, 0 if option < 0 else int(table[option, k]), [c for c in free if c != option])
            for option in options
        )
        mapping[k], gain, free = next(
            (option, gain, left)
            for option, gain, left in steps
            if gain + _dense_optimum(table[left, k + 1 :]) == goal
        )
        goal -= gain
    return mapping


def _sparse_pairs(table: csr_array) -> tuple[IntpArray, IntpArray]:
    """Return the rows and columns of the non-zero entries in the optimal matching of a large table."""
    # A column is added for each row, so that every row can be matched.
    if table.shape[0] > table.shape[1]:
        columns, rows = _sparse_pairs(csr_array(table.T))
        return rows, columns
    n_rows, n_columns = table.shape
    entries = coo_array(table)
    empty = int(entries.data.max()) + 1
    own = np.arange(n_rows)
    cost = np.concatenate([empty - entries.data, np.full(n_rows, empty)]).astype(np.float64)
    # Older versions of SciPy require 32-bit indices.
    row = np.concatenate([entries.coords[0], own]).astype(np.int32)
    column = np.concatenate([entries.coords[1], n_columns + own]).astype(np.int32)
    graph = csr_array((cost, (row, column)), shape=(n_rows, n_columns + n_rows))
    rows, columns = min_weight_full_bipartite_matching(graph)
    real = columns < n_columns
    return rows[real], columns[real]


@documented(clustering_accuracy)
def nmi(
    labels_true: Any,
    labels_pred: Any,
    average_method: Literal["min", "geometric", "arithmetic", "max"] = "geometric",
) -> float:
    """Return the mutual information divided by an average of the two entropies.

    Source: Document NMF, Eq. 1; Strehl & Ghosh, JMLR 3, 2002.

    Parameters
    ----------
    average_method : {"min", "geometric", "arithmetic", "max"}, default="geometric"
        Type of average. The ensemble literature uses the geometric mean, scikit-learn the arithmetic mean.

    Returns
    -------
    nmi : float
        In [0, 1]. 0 if there is a single class or a single cluster (scikit-learn returns 1 if both are
        single). Otherwise 1 for identical partitions.

    Examples
    --------
    >>> from moo_clustering.validity import nmi
    >>> round(nmi([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 10)
    0.5295405781
    """
    choice("average_method", average_method, ("min", "geometric", "arithmetic", "max"))
    true, classes = encode(labels_true, "labels_true")
    predicted, clusters = encode(labels_pred, "labels_pred")
    require_same_length(len(true), len(predicted))
    if len(classes) == 1 or len(clusters) == 1:
        return 0.0
    if len(classes) == len(clusters) == len(np.unique(true * len(clusters) + predicted)):
        return 1.0
    found = normalized_mutual_info_score(true, predicted, average_method=average_method)
    return min(max(float(found), 0.0), 1.0)


def contingency(labels_true: Any, labels_pred: Any) -> tuple[csr_array, list[Any]]:
    """Return the sparse contingency table of classes (rows) and clusters (columns), and the classes."""
    true, classes = encode(labels_true, "labels_true")
    predicted, _ = encode(labels_pred, "labels_pred")
    require_same_length(len(true), len(predicted))
    return csr_array(contingency_matrix(true, predicted, sparse=True)), classes


def require_same_length(n_true: int, n_pred: int) -> None:
    if n_true != n_pred:
        raise ValueError(f"labels_true and labels_pred must have equal lengths, got {n_true} and {n_pred}")


def encode(labels: Any, name: str) -> tuple[Int64Array, list[Any]]:
    """Encode labels as 0..k-1, and return the k labels, sorted if possible, otherwise by appearance."""
    labels = unmasked(labels, name)
    if not isinstance(labels, list | tuple):
        labels = checked_array(labels, name)
        if labels.ndim != 1:
            raise ValueError(f"{name} must have one label per sample, got shape {labels.shape}")
    if len(labels) == 0:
        raise ValueError(f"{name} must contain at least one label")
    if not isinstance(labels, np.ndarray) and _plain(labels):
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        if labels.dtype.kind == "f" and np.any(np.isnan(labels)):
            raise ValueError(f"{name} must not contain NaN")
        values, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), values.tolist()
    return _encode_hashables(list(labels), name)


def _plain(labels: Sequence[Any]) -> bool:
    """Return whether all labels have the same type, which NumPy stores without conversion."""
    return set(map(type, labels)) in ({int}, {str}, {float}, {bool})


def _encode_hashables(labels: list[Any], name: str) -> tuple[Int64Array, list[Any]]:
    try:
        seen: dict[Hashable, int] = dict.fromkeys(labels, 0)
    except TypeError as error:
        raise TypeError(f"{name} must contain one hashable label per sample: {error}") from None
    if any(label != label for label in seen):
        raise ValueError(f"{name} must not contain NaN")
    values: list[Any] = list(seen)
    with contextlib.suppress(TypeError):
        values.sort()
    seen = {value: code for code, value in enumerate(values)}
    return np.fromiter((seen[label] for label in labels), dtype=np.int64, count=len(labels)), values


def cluster_entropy(
    labels_true: Any,
    labels_pred: Any,
    base: float = 2.0,
    multilabel: Literal["fractional", "count", "first"] = "fractional",
) -> float:
    """Return the entropy of the classes within clusters, weighted by cluster size; lower is better.

    Entropy decreases with the number of clusters, so compare it with the entropy of random labels with the
    same number of clusters. Takes O(n log n) time. Raises a ValueError if lengths differ, if a sample has no
    class, or if ``multilabel="first"`` and classes are given as an unordered set. Source: NSGA-II-clus;
    Evolutionary multi-instance clustering, Eq. 19.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), or sequence of n_samples label sets
        Classes. An entry can be a list, tuple, set or array of one or more classes; duplicates are ignored.
    labels_pred : array-like of shape (n_samples,)
    base : float, default=2
        Base of the logarithm, for example 2 for bits or ``math.e`` for nats.
    multilabel : {"fractional", "count", "first"}, default="fractional"
        A sample with s classes has weight 1/s in each class (``"fractional"``), 1 in each class
        (``"count"``), or 1 in only the first class (``"first"``).

    Returns
    -------
    entropy : float
        ``sum_c (n_c / n) * -sum_g p_gc log p_gc``, where cluster c has n_c samples, and p_gc is the share of
        class g in the total weight of cluster c. 0 if clusters are pure and samples have one class.

    Examples
    --------
    >>> from moo_clustering.validity import cluster_entropy
    >>> round(cluster_entropy(list("aabbbb"), [0, 0, 0, 1, 1, 1]), 6)
    0.459148
    """
    choice("multilabel", multilabel, ("fractional", "count", "first"))
    if not (np.isfinite(base) and base > 0 and base != 1):
        raise ValueError(f"base must be a positive number other than 1, got {quoted(base)}")
    clusters, names = encode(labels_pred, "labels_pred")
    labels_true = unmasked(labels_true, "labels_true")
    if not isinstance(labels_true, list | tuple):
        labels_true = np.atleast_1d(checked_array(labels_true, "labels_true"))
    require_same_length(len(labels_true), len(clusters))
    samples, classes, weights = _memberships(labels_true, multilabel)
    shape = (len(names), int(classes.max()) + 1)
    table = csr_array((weights, (clusters[samples], classes)), shape=shape)
    table.sum_duplicates()
    received = np.asarray(table.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(len(names)), np.diff(table.indptr))
    shares = table.data / received[rows]
    per_cluster = np.bincount(rows, weights=-shares * np.log(shares), minlength=len(names))
    sizes = np.bincount(clusters)
    # Rounding may raise the share in a pure cluster slightly above 1, which would make the sum negative.
    return max(0.0, float(sizes @ per_cluster) / len(clusters) / float(np.log(base)))


def _memberships(labels_true: Any, multilabel: str) -> tuple[Int64Array, Int64Array, FloatArray]:
    """Return the sample, class code and weight of every pair of a sample and one of its classes."""
    if isinstance(labels_true, np.ndarray) and labels_true.ndim > 1:
        raise ValueError(
            f"labels_true must have one entry per sample, got shape {labels_true.shape}; "
            "pass several classes per sample as a list of lists"
        )
    if not any(isinstance(entry, SETS) for entry in labels_true):
        codes, _ = encode(labels_true, "labels_true")
        return np.arange(len(codes)), codes, np.ones(len(codes))
    members = [_classes(entry, i, multilabel) for i, entry in enumerate(labels_true)]
    counts = np.array([len(entry) for entry in members])
    codes, _ = encode([label for entry in members for label in entry], "labels_true")
    weights = np.repeat(1.0 / counts if multilabel == "fractional" else np.ones(len(counts)), counts)
    return np.repeat(np.arange(len(members)), counts), codes, weights


def _classes(entry: Any, sample: int, multilabel: str) -> list[Any]:
    if not isinstance(entry, SETS):
        return [entry]
    classes = list(dict.fromkeys(entry.tolist() if isinstance(entry, np.ndarray) else entry))
    if not classes:
        raise ValueError(f"labels_true must assign a class to every sample, but sample {sample} has none")
    if multilabel == "first":
        if isinstance(entry, set | frozenset) and len(classes) > 1:
            raise ValueError(f'multilabel="first" requires ordered classes, but sample {sample} has a set')
        return classes[:1]
    return classes


def pairwise_ari(A: ArrayLike, B: ArrayLike | None = None, *, n_jobs: int | None = None) -> FloatArray:
    """Return the adjusted Rand index between each partition in A and each partition in B.

    Takes O(n_partitions n_others n_samples) time. Raises a ValueError if the numbers of samples differ or are
    0, or if labels are not integers. Source: Hubert & Arabie, Journal of Classification 2, 1985.

    Parameters
    ----------
    A : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Integer cluster labels, one partition per row.
    B : array-like of shape (n_others, n_samples) or (n_samples,), optional
        Partitions to compare with those in A. Default: A, which takes half the time.
    n_jobs : int or None, default=None
        Number of threads, as in joblib; does not affect the result.

    Returns
    -------
    ndarray of shape (n_partitions, n_others)
        1 for identical partitions. 0 if partitions differ and one is a single cluster or only singletons.

    Examples
    --------
    >>> pairwise_ari([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).round(4)
    array([[1.    , 0.2424],
           [0.2424, 1.    ]])
    """
    first = CountedPartitions(_compact(A, "A"))
    if B is None:
        return ari_table(first, first, n_jobs)
    second = CountedPartitions(_compact(B, "B"))
    require_same_samples("A and B", first.labels.shape[1], second.labels.shape[1])
    return ari_table(first, second, n_jobs)


class CountedPartitions:
    """Partitions with contiguous labels 0..k-1, and counts that are used in all comparisons."""

    def __init__(self, labels: Labels) -> None:
        self.labels, self.n_clusters = labels, labels.max(axis=1).astype(np.int64) + 1
        # ``n_pairs`` is the number of pairs of samples in the same cluster.
        sizes = map(np.bincount, labels)
        self.n_pairs = np.array([size @ (size - 1) // 2 for size in sizes], dtype=np.int64)


def ari_table(first: CountedPartitions, second: CountedPartitions, n_jobs: int | None = None) -> FloatArray:
    """Compute a table of adjusted Rand indices (n_first, n_second), faster if ``first is second``."""
    shape = len(first.labels), len(second.labels)
    common = np.zeros(shape, dtype=np.int64)
    same = first is second
    rows, columns = int(first.n_clusters.sum()), int(second.n_clusters.sum())
    n_cells = rows * columns + (rows + columns) * first.labels.shape[1]
    if common.size and caching.interpreted(pairs_in_common, n_cells / 50):
        common[:] = _pairs_by_product(first, second)
        same = False
    elif common.size:
        given = (first.labels, first.n_clusters, second.labels, second.n_clusters, CACHED_COUNTERS, same)
        fill = lambda lo, hi: pairs_in_common(*given, lo, hi, common)  # noqa: E731
        for_parts(fill, shape[0], common.size * first.labels.shape[1] / (1 + same), n_jobs)
    if same:
        common += np.triu(common, 1).T
    only_first = first.n_pairs[:, np.newaxis] - common
    only_second = second.n_pairs - common
    n_samples = first.labels.shape[1]
    neither = n_samples * (n_samples - 1) // 2 - common - only_first - only_second
    counts = (common, only_first, only_second, neither)
    in_both, in_first, in_second, in_none = (each.astype(np.float64) for each in counts)
    # In this form, the denominator avoids the subtraction of large numbers.
    top = 2.0 * (in_both * in_none - in_first * in_second)
    bottom = (in_both + in_first) * (in_first + in_none) + (in_both + in_second) * (in_second + in_none)
    return np.divide(top, bottom, out=np.ones_like(top), where=(in_first > 0.0) | (in_second > 0.0))


def _pairs_by_product(first: CountedPartitions, second: CountedPartitions) -> Int64Array:
    """Compute ``pairs_in_common`` with NumPy, from a table of all pairs of clusters."""
    tables, starts = [], []
    for each in (first, second):
        ends, columns = np.cumsum(each.n_clusters), np.arange(each.labels.shape[1])
        starts.append(ends - each.n_clusters)
        tables.append(np.zeros((ends[-1], len(columns))))
        tables[-1][each.labels + starts[-1][:, np.newaxis], columns] = 1.0
    with one_thread("blas"):  # more threads are slower for small tables
        counts = (tables[0] @ tables[1].T) ** 2
    squares = np.add.reduceat(np.add.reduceat(counts, starts[0], axis=0), starts[1], axis=1)
    return ((squares - first.labels.shape[1]) / 2).astype(np.int64)


def _compact(labels: Any, name: str) -> Labels:
    rows = integer_rows(labels, name)
    if rows.shape[1] == 0:
        raise ValueError(f"{name} must have at least one sample, got shape {rows.shape}")
    if rows.size and rows.min() < 0:
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    return relabel_by_first_appearance(rows)


def class_aucs(y_true: Any, y_score: ArrayLike, *, classes: ArrayLike | None = None) -> FloatArray:
    """Return the area under the ROC curve for each class or label.

    Each sample in the class is paired with each sample outside the class. The area is the share of pairs in
    which the sample in the class has the higher score; ties count as one half (Mann-Whitney). Takes
    O(n_classes n_samples log n_samples) time and O(n_classes n_samples) memory. Raises a ValueError if shapes
    do not match, if scores are not finite, or if a class has no column. Source: SISC-ML, section 5.3.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, or 0/1 indicators of label sets. Samples whose class or whole row is -1 are ignored.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples,)
        Finite scores, higher for more likely labels. Columns are in the order of the sorted classes, as in an
        estimator's ``classes_``. For two classes, scores of the second class are sufficient.
    classes : array-like of shape (n_classes,), optional
        Class of each column. Required if ``y_true`` does not contain all classes.

    Returns
    -------
    aucs : ndarray of shape (n_classes,), float64
        NaN if all or none of the labelled samples belong to the class. There is one value if scores are 1-d.

    Examples
    --------
    >>> from moo_clustering.validity import class_aucs
    >>> class_aucs([[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[0.9, 0.2, 0.5], [0.5, 0.2, 0.5], [0.1, 0.1, 0.5]])
    array([1.  , 0.75,  nan])
    """
    positive, scores = labelled_scores(y_true, y_score, classes)
    n_positive = positive.sum(axis=0)
    pairs = n_positive * (len(positive) - n_positive)
    ranks = rankdata(scores, axis=0) if len(scores) else scores
    won = np.einsum("ij,ij->j", ranks, positive) - n_positive * (n_positive + 1) / 2
    return np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


@documented(class_aucs)
def macro_auc(y_true: Any, y_score: ArrayLike, *, classes: ArrayLike | None = None) -> float:
    """Return the mean area under the ROC curves of all classes or labels.

    This is the area under :func:`mean_roc_curve` with ``n_points=None``. For cross-validation with partially
    labelled samples, use ``make_scorer(macro_auc, response_method="predict_proba")``; pass ``classes`` if a
    fold may lack a class. Raises a ValueError as in :func:`class_aucs`, or if all classes are ignored.
    Source: SISC-ML, section 5.3.

    Returns
    -------
    auc : float
        In [0, 1]; 0.5 corresponds to chance. Classes to which all or none of the labelled samples belong are
        ignored; ``np.isnan(class_aucs(y_true, y_score)).sum()`` counts them.

    Examples
    --------
    >>> from moo_clustering.validity import macro_auc
    >>> macro_auc([[1, 0], [0, 1], [0, 0], [-1, -1]], [[0.9, 0.2], [0.5, 0.2], [0.1, 0.1], [0.0, 0.8]])
    0.875
    """
    aucs = class_aucs(y_true, y_score, classes=classes)
    defined = aucs[~np.isnan(aucs)]
    if not len(defined):
        raise ValueError(NONE_DEFINED)
    return float(defined.mean())


@documented(class_aucs)
def mean_roc_curve(
    y_true: Any, y_score: ArrayLike, n_points: int | None = 101, *, classes: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the vertical average of the ROC curves of all classes or labels.

    Classes to which all or none of the labelled samples belong are ignored. The area under the exact average
    equals :func:`macro_auc`. Takes O(n_classes n_samples log n_samples) time, plus O(n_classes) per point of
    the exact average (at most n_classes n_samples points). Raises a ValueError as in :func:`macro_auc`, or if
    ``n_points`` is below 2. Sources: SISC-ML, 5.3; Fawcett, Pattern Recognition Letters 27, 2006, 9.1.

    Parameters
    ----------
    n_points : int or None, default=101
        Number of evenly spaced false positive rates from 0 to 1. If None, the exact average is returned.

    Returns
    -------
    fpr : ndarray of shape (n_points,), float64
        False positive rates in ascending order. The exact average uses the rates of all curves. It starts at
        (0, 0), and contains the rate of each vertical segment twice, for the lower and upper end.
    tpr : ndarray of shape (n_points,), float64
        Mean true positive rates, ascending to 1. On vertical segments, evenly spaced rates use the upper end.

    Examples
    --------
    >>> from moo_clustering.validity import mean_roc_curve
    >>> fpr, tpr = mean_roc_curve([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], n_points=None)
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    curves = _curves(*labelled_scores(y_true, y_score, classes))
    if n_points is not None:
        integer("n_points", n_points, 2)
        # Integers are divided, as in ``roc_curve``, so that equal rates are bitwise identical.
        grid = np.arange(n_points) / (n_points - 1)
        return grid, _ascending(np.mean([_limits(*curve, grid)[1] for curve in curves], axis=0))
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    both = np.zeros((len(grid), 2))
    for curve in curves:
        both += np.column_stack(_limits(*curve, grid))
    both /= len(curves)
    shown = np.column_stack([np.ones(len(grid), dtype=bool), both[:, 0] != both[:, 1]])
    return np.repeat(grid, 2)[shown.ravel()], _ascending(both[shown])


def _curves(positive: Int64Array, scores: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    n_positive = positive.sum(axis=0)
    defined = np.flatnonzero((n_positive > 0) & (n_positive < len(positive)))
    if not len(defined):
        raise ValueError(NONE_DEFINED)
    return [roc_curve(positive[:, each], scores[:, each])[:2] for each in defined]


def _limits(fpr: FloatArray, tpr: FloatArray, grid: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper end of a curve at each rate, which differ on vertical segments."""
    rates, first = np.unique(fpr, return_index=True)
    last = np.append(first[1:], len(fpr)) - 1
    reached, left = tpr[first], tpr[last]
    before = np.searchsorted(rates, grid, side="right") - 1
    after = np.searchsorted(rates, grid, side="left")
    width = rates[after] - rates[before]
    part = np.divide(grid - rates[before], width, out=np.zeros_like(grid), where=width > 0)
    between = left[before] + part * (reached[after] - left[before])
    bends = before == after
    return np.where(bends, reached[after], between), np.where(bends, left[before], between)


def _ascending(tpr: FloatArray) -> FloatArray:
    """Correct rounding errors that make rates descend or exceed 1."""
    return np.minimum(np.maximum.accumulate(tpr), 1.0)


def labelled_scores(
    y_true: Any, y_score: ArrayLike, classes: ArrayLike | None
) -> tuple[Int64Array, FloatArray]:
    """Return 0/1 indicators and scores of the labelled samples, both of shape (n_labelled, n_classes)."""
    scores: FloatArray = checked_table(y_score, "y_score", ensure_2d=False)
    if scores.ndim == 1:
        scores = scores[:, None]
    y = y_true.toarray() if issparse(y_true) else checked_array(y_true, "y_true")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    targets = partial_targets(y, len(scores))
    indicators = targets.indicators if targets.multilabel else _one_vs_rest(targets, scores.shape[1], classes)
    if indicators.shape[1] != scores.shape[1]:
        raise ValueError(
            f"y_score must have one column per label of y_true ({indicators.shape[1]}), got {scores.shape[1]}"
        )
    return indicators[targets.labelled].astype(np.int64), scores[targets.labelled]


def _one_vs_rest(targets: Targets, n_columns: int, classes: ArrayLike | None) -> FloatArray:
    names = targets.classes if classes is None else checked_array(classes, "classes").ravel()
    if len(unknown := targets.classes[~np.isin(targets.classes, names)]):
        raise ValueError(f"classes must contain all classes of y_true, but lacks {unknown.tolist()}")
    indicators = np.zeros((len(targets.labelled), len(names)))
    indicators[:, [names.tolist().index(name) for name in targets.classes.tolist()]] = targets.indicators
    if not len(names):
        return np.zeros((len(indicators), n_columns))
    if n_columns == 1 and len(names) <= 2:
        # If only one class is known, the AUC is undefined, no matter which class the column scores.
        return indicators[:, -1:]
    if n_columns != len(names):
        raise ValueError(
            f"y_score must have one column per class of y_true ({len(names)}), got "
            f"{n_columns}; if y_true lacks some classes, pass all class labels as classes"
        )
    return indicators


def k_error(targets: ArrayLike, predicted: ArrayLike) -> float:
    """Return the mean squared difference between the true and predicted number of clusters.

    Raises a ValueError if targets are empty, lengths differ, or values are not finite. Source: NSGA-II-clus.

    Parameters
    ----------
    targets : array-like of shape (n_data_sets,)
        True number of clusters of each data set.
    predicted : array-like of shape (n_data_sets,), or a number
        Predicted number of clusters of each data set. A number is used for all data sets, as a baseline.

    Returns
    -------
    error : float

    Examples
    --------
    >>> from moo_clustering.validity import k_error
    >>> k_error([1, 2, 3, 4], 2)
    1.5
    """
    true = checked_array(targets, "targets", np.float64)
    found = checked_array(predicted, "predicted", np.float64)
    if true.ndim != 1 or len(true) == 0:
        raise ValueError(f"targets must be a non-empty list of numbers, got shape {true.shape}")
    if found.ndim != 0 and found.shape != true.shape:
        raise ValueError(f"predicted must be one number or one per target ({len(true)}), got {found.shape}")
    return float(np.mean((true - found) ** 2))


@documented()
def i2_criterion(X: Any, labels: ArrayLike, *, normalize_rows: bool = True) -> float:
    """Return I2: the sum over clusters of the norm of the cluster's summed rows. Higher is better.

    Takes O(n_samples n_features) or O(nnz) time. Source: Zhao & Karypis, Machine Learning 55, 2004.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    normalize_rows : bool, default=True
        Whether to scale rows to unit norm, so that I2 is the sum of cosine similarities to centroids.

    Examples
    --------
    >>> from moo_clustering.validity import i2_criterion
    >>> i2_criterion([[3.0, 4.0], [6.0, 8.0], [0.0, 2.0]], [0, 0, 1])
    3.0
    """
    X = checked_table(X, dtype=FLOATS, accept_sparse="csr")
    codes, n = encode(labels, "labels")[0], X.shape[0]
    if len(codes) != n:
        raise ValueError(f"labels must have one entry per row of X ({n}), got {len(codes)}")
    sums = csr_array((np.ones(n), (codes, np.arange(n)))) @ (unit_rows(X) if normalize_rows else X)
    squared = sums.multiply(sums) if issparse(sums) else sums**2
    return float(np.sqrt(np.asarray(squared.sum(axis=1))).sum())
