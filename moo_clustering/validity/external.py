"""Measures of partitions and scores against known classes: accuracy, F1, NMI, ARI, entropy, AUC."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.stats import rankdata
from sklearn.metrics import normalized_mutual_info_score, roc_curve
from sklearn.metrics.cluster import contingency_matrix

from moo_clustering._arrays import FloatArray, Int64Array, IntpArray, Labels, choice, quoted, unit_rows
from moo_clustering._data import FLOATS, checked_array, checked_table, unmasked
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import pairs_in_common, pairs_together
from moo_clustering._kernels.threads import for_parts
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity.base import integer_rows

# Types that hold several classes of one sample.
SETS = (list, tuple, set, frozenset, np.ndarray)
# Largest contingency table that is made dense: 80 MB of integers.
DENSE_ENTRIES = 10_000_000
# Largest contingency table for which ties are broken exactly, by up to as many small assignments.
EXACT_TIE_ENTRIES = 4096
# Largest table of counters that stays in the fastest cache; a larger one costs more to clear than to fill.
CACHED_COUNTERS = 4096
NONE_DEFINED = (
    "y_true must have a class with both positive and negative labelled samples (-1 marks unlabelled samples)"
)


def clustering_accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Share of samples whose cluster is matched to their class, by the best one-to-one matching.

    Hungarian method on the sparse contingency table, neither greedy matching nor purity. O(n log n) time for
    n samples, plus O(min(C, K)^2 max(C, K)) for C classes and K clusters. Source: PESC.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Numbers, strings or other hashables; NaN is refused.

    Returns
    -------
    accuracy : float
        In (0, 1]. Samples of unmatched clusters or classes, which remain if their numbers differ, count as
        errors. Report it with the share of the largest class, which a single cluster reaches.

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
    """The "RI" of the multi-instance papers, which is :func:`clustering_accuracy`, not the Rand index.

    Source: Evolutionary multi-instance clustering, Eq. 18.

    Returns
    -------
    accuracy : float
        See :func:`clustering_accuracy`; :func:`sklearn.metrics.rand_score` is the Rand index.
    """
    return clustering_accuracy(labels_true, labels_pred)


@documented(clustering_accuracy)
def matched_f1(labels_true: Any, labels_pred: Any, pos_label: Hashable | None = None) -> float:
    """F1 of the positive class, predicted by the cluster that is matched to it.

    Source: Evolutionary multi-instance clustering, Eq. 20. Raises a ValueError if ``pos_label`` is no class,
    or is missing and the labels cannot be ordered.

    Parameters
    ----------
    pos_label : hashable, optional
        The positive class; the largest label by default.

    Returns
    -------
    f1 : float
        0 if no cluster is matched to the positive class.

    Notes
    -----
    Ties between matchings of equally many agreements go to most matched clusters, then to the
    lexicographically smallest (class of cluster 0, class of cluster 1, ...), for tables of up to 4096
    entries.

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
            raise ValueError("pos_label is required, because labels_true cannot be ordered") from None
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among labels_true")
    positive = classes.index(pos_label)
    cluster = np.flatnonzero(class_of_cluster(table) == positive)
    if len(cluster) == 0:
        return 0.0
    hits = int(table[positive, cluster[0]])
    in_class, in_cluster = int(table[[positive]].sum()), int(table[:, [cluster[0]]].sum())
    return 2 * hits / (in_class + in_cluster)  # Eq. 20


def most_agreements(table: csr_array) -> int:
    """Largest sum of entries of which no two are in the same row or column."""
    if np.prod(table.shape, dtype=np.int64) <= DENSE_ENTRIES:
        return _dense_optimum(table.toarray())
    rows, columns = _sparse_pairs(table)
    return int(np.asarray(table[rows, columns]).sum())


def class_of_cluster(table: csr_array) -> Int64Array:
    """Match a class (row) with every cluster (column), or -1.

    Maximises agreements, then matched clusters, then takes the lexicographically smallest matching. For
    tables of more than 4096 entries the solver breaks ties.
    """
    n_classes, n_clusters = table.shape
    size = n_classes * n_clusters
    if size <= EXACT_TIE_ENTRIES:
        return _smallest_optimum(table.toarray())
    rows, columns = (
        linear_sum_assignment(table.toarray(), maximize=True)
        if size <= DENSE_ENTRIES
        else _sparse_pairs(table)
    )
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    mapping[columns] = rows
    return mapping


def _dense_optimum(table: Int64Array) -> int:
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _smallest_optimum(table: Int64Array) -> Int64Array:
    """Match cluster by cluster with the smallest class that still allows the optimum."""
    n_clusters = table.shape[1]
    free = list(range(len(table)))
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    goal = _dense_optimum(table)
    for k in range(n_clusters):
        # -1 is the smallest, but is allowed only while the other clusters suffice for all free classes.
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
    """Optimal non-zero entries of a table that is too large to be dense.

    Every row gets an additional column of its own that costs as much as a zero entry, so that a full
    matching exists. Sums of whole numbers are exact in the float64 of the solver.
    """
    if table.shape[0] > table.shape[1]:
        columns, rows = _sparse_pairs(csr_array(table.T))
        return rows, columns
    n_rows, n_columns = table.shape
    entries = coo_array(table)
    empty = int(entries.data.max()) + 1
    own = np.arange(n_rows)
    cost = np.concatenate([empty - entries.data, np.full(n_rows, empty)]).astype(np.float64)
    # Older versions of SciPy only accept graphs with 32-bit indices.
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
    """Mutual information divided by an average of the two entropies.

    Source: Document NMF, Eq. 1; Strehl & Ghosh, JMLR 3, 2002.

    Parameters
    ----------
    average_method : {"min", "geometric", "arithmetic", "max"}, default="geometric"
        The average; the literature on clustering ensembles uses the geometric one, while scikit-learn
        defaults to the arithmetic one.

    Returns
    -------
    nmi : float
        In [0, 1]; 1 for equal partitions, and 0 if either side is a single cluster, even if both are, where
        scikit-learn returns 1.

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
    """Sparse table of the numbers of samples of class i in cluster k, and the classes of the rows."""
    true, classes = encode(labels_true, "labels_true")
    predicted, _ = encode(labels_pred, "labels_pred")
    require_same_length(len(true), len(predicted))
    return csr_array(contingency_matrix(true, predicted, sparse=True)), classes


def require_same_length(n_true: int, n_pred: int) -> None:
    """Raise ``ValueError`` unless both partitions label the same number of samples."""
    if n_true != n_pred:
        raise ValueError(f"labels_true and labels_pred must have equal lengths, got {n_true} and {n_pred}")


def encode(labels: Any, name: str) -> tuple[Int64Array, list[Any]]:
    """Encode labels as codes 0..k-1, and list the k distinct labels.

    Labels are sorted if they can be compared with each other, and otherwise in the order of appearance.
    """
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
    """Whether NumPy can hold the labels without converting types."""
    kinds = set(map(type, labels))
    return len(kinds) == 1 and next(iter(kinds)) in (int, str, float, bool)


def _encode_hashables(labels: list[Any], name: str) -> tuple[Int64Array, list[Any]]:
    try:
        seen: dict[Hashable, int] = dict.fromkeys(labels, 0)
    except TypeError as error:
        raise TypeError(f"{name} must be hashable labels, one per sample: {error}") from None
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
    """Entropy of the classes within clusters, weighted by cluster size; smaller is better.

    O(n log n) time. Decreases with the number of clusters and rewards singletons: report it with that number
    and with the entropy of random labels of the same number of clusters. Source: NSGA-II-clus; Evolutionary
    multi-instance clustering, Eq. 19. Raises a ValueError if lengths differ, a sample has no class, or
    ``"first"`` is used with a set, which has no order.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), or sequence of n_samples label sets
        Classes; entries that are lists, tuples, sets or arrays are the classes of one sample, at least
        one each, with repetitions ignored.
    labels_pred : array-like of shape (n_samples,)
        Clusters.
    base : float, default=2
        Base of the logarithm: 2 for bits, ``math.e`` for nats.
    multilabel : {"fractional", "count", "first"}, default="fractional"
        Weight of a sample with s classes: 1/s in each, or 1 in each, or 1 in the first listed class.

    Returns
    -------
    entropy : float
        ``sum_c (n_c / n) * -sum_g p_gc log p_gc`` with p_gc the share of class g in the weights of
        cluster c, and n_c its number of samples. 0 for pure clusters of samples with one class each.

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
    # The share of a pure cluster may round to just above 1, which must not give a negative sum.
    return max(0.0, float(sizes @ per_cluster) / len(clusters) / float(np.log(base)))


def _memberships(labels_true: Any, multilabel: str) -> tuple[Int64Array, Int64Array, FloatArray]:
    """Samples, class codes and weights of all memberships."""
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
    """Distinct classes of one sample, in the order listed."""
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
    """Adjusted Rand index between every partition of A and every one of B.

    Pairs are counted in integers, so that neither cluster numbers nor the order of the samples changes a
    digit. O(n_partitions n_others n_samples) time for any number of clusters. Source: Hubert & Arabie,
    Journal of Classification 2, 1985. Raises a ValueError if partitions are about different samples or none,
    or labels are not whole numbers.

    Parameters
    ----------
    A : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Any integers that tell the clusters of a row apart.
    B : array-like of shape (n_others, n_samples) or (n_samples,), optional
        By default A itself, at half the cost.
    n_jobs : int or None, default=None
        Number of threads, as for joblib; does not affect the result.

    Returns
    -------
    ndarray of shape (n_partitions, n_others)
        Exactly 1 for equal partitions, even for two single clusters or two of singletons, and 0 between
        one of these and any other partition.

    Examples
    --------
    >>> pairwise_ari([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).round(4)
    array([[1.    , 0.2424],
           [0.2424, 1.    ]])
    """
    first = counted(_compact(A, "A"))
    if B is None:
        return ari_table(first, first, n_jobs)
    second = counted(_compact(B, "B"))
    if first.labels.shape[1] != second.labels.shape[1]:
        raise ValueError(
            "A and B must be partitions of the same samples, "
            f"got {first.labels.shape[1]} and {second.labels.shape[1]}"
        )
    return ari_table(first, second, n_jobs)


class CountedPartitions(NamedTuple):
    """Partitions with clusters 0..k-1 in every row, and counts that every comparison needs."""

    labels: Labels
    n_clusters: Int64Array
    # Number of pairs of samples in the same cluster.
    n_pairs: Int64Array


def counted(labels: Labels) -> CountedPartitions:
    """Count the clusters and pairs of partitions with clusters 0..k-1 without gaps."""
    n_clusters = labels.max(axis=1).astype(np.int64) + 1
    n_pairs = np.zeros(len(labels), dtype=np.int64)
    if len(labels):
        pairs_together(labels, n_clusters, n_pairs)
    return CountedPartitions(labels, n_clusters, n_pairs)


def ari_table(first: CountedPartitions, second: CountedPartitions, n_jobs: int | None = None) -> FloatArray:
    """Adjusted Rand indices, shape (n_first, n_second), at half the cost if both are the same object."""
    shape = len(first.labels), len(second.labels)
    common = np.zeros(shape, dtype=np.int64)
    same = first is second

    def fill(lo: int, hi: int) -> None:
        pairs_in_common(
            first.labels,
            first.n_clusters,
            second.labels,
            second.n_clusters,
            CACHED_COUNTERS,
            same,
            lo,
            hi,
            common,
        )

    if common.size:
        for_parts(fill, shape[0], common.size * first.labels.shape[1] / (1 + same), n_jobs)
    if same:
        common += np.triu(common, 1).T
    # Pairs in the same cluster of only one of the two partitions, and of neither.
    only_first = first.n_pairs[:, np.newaxis] - common
    only_second = second.n_pairs - common
    n_samples = first.labels.shape[1]
    neither = n_samples * (n_samples - 1) // 2 - common - only_first - only_second
    return _from_pairs(*(counts.astype(np.float64) for counts in (common, only_first, only_second, neither)))


def _from_pairs(both: FloatArray, first: FloatArray, second: FloatArray, neither: FloatArray) -> FloatArray:
    # No term of this denominator is a difference of large numbers.
    top = 2.0 * (both * neither - first * second)
    bottom = (both + first) * (first + neither) + (both + second) * (second + neither)
    ari = np.ones_like(top)
    np.divide(top, bottom, out=ari, where=(first > 0.0) | (second > 0.0))
    return ari


def _compact(labels: Any, name: str) -> Labels:
    rows = integer_rows(labels, name)
    if rows.shape[1] == 0:
        raise ValueError(f"{name} must have at least one sample, got shape {rows.shape}")
    if rows.size and rows.min() < 0:
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    return relabel_by_first_appearance(rows)


def class_aucs(y_true: Any, y_score: ArrayLike, *, classes: ArrayLike | None = None) -> FloatArray:
    """Area under the ROC curve of every class or label.

    This is the share of pairs of a sample of the class and another one in which the first has the larger
    score, where equal scores count half (Mann-Whitney). O(n_classes n_samples log n_samples) time,
    O(n_classes n_samples) memory. Source: Multi-label ASRS dataset classification using semi-supervised
    subspace clustering, section 5.3.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        One class per sample, -1 for unlabelled ones, or indicators 0 and 1 of label sets, with rows of -1
        for unlabelled samples. Unlabelled samples are ignored.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples,)
        Finite scores, larger for samples more likely to have the label of the column. With one class per
        sample the columns are the classes in sorted order, as in ``classes_`` of estimators; a single
        column, or one dimension, holds the scores of the second of two classes.
    classes : array-like of shape (n_classes,), optional
        Classes of the columns, for example ``classes_``, if ``y_true`` may lack some.

    Returns
    -------
    aucs : ndarray of shape (n_classes,), float64
        NaN for classes of all or none of the labelled samples; a single value for scores of one dimension.

    Raises
    ------
    ValueError
        If shapes do not match, scores are not finite, or classes have no column.

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
    """Mean area under the ROC curves of classes or labels.

    Source: Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.3.

    Returns
    -------
    auc : float
        In [0, 1], where 0.5 is chance. Classes of all or none of the samples are ignored;
        ``np.isnan(class_aucs(y_true, y_score)).sum()`` counts them.

    Raises
    ------
    ValueError
        As :func:`class_aucs`, and if all classes are ignored.

    Notes
    -----
    ``make_scorer(macro_auc, response_method="predict_proba")`` scores partly labelled samples in
    cross-validation; if a fold may lack a class, also give ``classes`` to ``make_scorer``. It is the area
    under :func:`mean_roc_curve` with ``n_points=None``.

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
    """Average the ROC curves of classes or labels vertically.

    Parameters
    ----------
    n_points : int or None, default=101
        Number of evenly spaced false positive rates from 0 to 1; None for the exact average, at all rates
        where a curve bends.

    Returns
    -------
    fpr : ndarray of shape (n_points,), float64
        False positive rates, ascending. The exact average starts at (0, 0) and repeats a rate where the
        curve is vertical.
    tpr : ndarray of shape (n_points,), float64
        Mean true positive rates, ascending up to 1; at evenly spaced rates the largest ones.

    Raises
    ------
    ValueError
        As :func:`macro_auc`, and if ``n_points`` is below 2.

    Notes
    -----
    Classes of all or none of the labelled samples are ignored. The area under the exact average, by the
    trapezoid rule, is :func:`macro_auc`; that of evenly spaced rates is near it.
    O(n_classes n_samples log n_samples) time; the exact average takes O(n_classes) time for each of up to
    n_classes n_samples points.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.3.
    T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27 (2006), section 9.1.

    Examples
    --------
    >>> from moo_clustering.validity import mean_roc_curve
    >>> fpr, tpr = mean_roc_curve([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], n_points=None)
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
    if n_points is not None and not (whole and n_points >= 2):
        raise ValueError(f"n_points must be an integer of at least 2, or None, got {quoted(n_points)}")
    curves = _curves(*labelled_scores(y_true, y_score, classes))
    if n_points is not None:
        # Quotients like the rates of the curves, so that equal rates are equal numbers.
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
    """Lower and upper end of a curve at each rate of the grid; they differ where it is vertical."""
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
    """Remove rounding errors from ascending rates."""
    return np.minimum(np.maximum.accumulate(tpr), 1.0)


def labelled_scores(
    y_true: Any, y_score: ArrayLike, classes: ArrayLike | None
) -> tuple[Int64Array, FloatArray]:
    """Indicators 0 and 1, and scores, of the labelled samples, each of shape (n_labelled, n_classes)."""
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
            f"y_score must have one column per label of y_true, {indicators.shape[1]} in all; got "
            f"{scores.shape[1]}"
        )
    return indicators[targets.labelled].astype(np.int64), scores[targets.labelled]


def _one_vs_rest(targets: Targets, n_columns: int, classes: ArrayLike | None) -> FloatArray:
    names = targets.classes if classes is None else checked_array(classes, "classes").ravel()
    unknown = targets.classes[~np.isin(targets.classes, names)]
    if len(unknown):
        raise ValueError(f"classes must contain all classes of y_true, but lacks {unknown.tolist()}")
    indicators = np.zeros((len(targets.labelled), len(names)))
    indicators[:, [names.tolist().index(name) for name in targets.classes.tolist()]] = targets.indicators
    if not len(names):
        return np.zeros((len(indicators), n_columns))
    if n_columns == 1 and len(names) <= 2:
        # A single class may be either of the two, but its area is undefined in any case.
        return indicators[:, -1:]
    if n_columns != len(names):
        raise ValueError(
            f"y_score must have one column per class of y_true, {len(names)} in all; got "
            f"{n_columns}; if y_true lacks some classes, pass all of them as classes"
        )
    return indicators


def k_error(targets: ArrayLike, predicted: ArrayLike) -> float:
    """Mean squared difference between true and predicted numbers of clusters.

    Source: NSGA-II-clus. Raises a ValueError if there are no targets, the lengths differ, or a value is not
    finite.

    Parameters
    ----------
    targets : array-like of shape (n_data_sets,)
        True numbers of clusters.
    predicted : array-like of shape (n_data_sets,), or a number
        Predicted numbers; a single number is a constant predictor, whose error should accompany every
        reported one.

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
        raise ValueError(
            f"predicted must be one number or one per target, got shapes {found.shape} and {true.shape}"
        )
    return float(np.mean((true - found) ** 2))


def i2_criterion(X: Any, labels: ArrayLike, *, normalize_rows: bool = True) -> float:
    """I2, the sum over clusters of the length of the sum of their rows; greater is better.

    O(n_samples n_features) time, or O(nnz) for sparse X. Source: Zhao & Karypis, Machine Learning 55, 2004.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    normalize_rows : bool, default=True
        Scale rows to unit length first, as for spherical k-means: I2 is then the sum of the cosine
        similarities of samples to their centroids. Rows of zeros add nothing.

    Returns
    -------
    float

    Examples
    --------
    >>> from moo_clustering.validity import i2_criterion
    >>> i2_criterion([[3.0, 4.0], [6.0, 8.0], [0.0, 2.0]], [0, 0, 1])
    3.0
    """
    X = checked_table(X, dtype=FLOATS, accept_sparse="csr")
    codes, clusters = encode(labels, "labels")
    n = X.shape[0]
    if len(codes) != n:
        raise ValueError(f"labels must have one entry per row of X, {n} in all; got {len(codes)}")
    if normalize_rows:
        X = unit_rows(X)
    member = sp.csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(clusters), n))
    sums = member @ X
    squared = sums.multiply(sums) if sp.issparse(sums) else sums**2
    return float(np.sqrt(np.asarray(squared.sum(axis=1))).sum())
