"""Two partitions with the cluster numbers of the one carried over to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from moo_clustering._kernels.partition_pairs import contingency_tables
from moo_clustering.encodings._base import IntArray

# Cells of the contingency tables held at once: 32 MiB.
_CELLS = 2**22


def hamming_distance(a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
    """Number of genes in which two chromosomes differ.

    Parameters
    ----------
    a, b : array-like of shape (n_var,) or (n_individuals, n_var)
        One chromosome is compared with every row of a population.

    Returns
    -------
    distance : ndarray of shape (n_individuals,), or a number for two single chromosomes
    """
    first, second = _same_width(np.asarray(a), np.asarray(b))
    distance: NDArray[np.int64] = np.count_nonzero(first != second, axis=-1)
    return distance


def align_labels(reference: ArrayLike, labels: ArrayLike, n_clusters: int | None = None) -> IntArray:
    """Renumber the clusters of every partition so that it agrees best with its reference.

    Parameters
    ----------
    reference, labels : array-like of shape (n_samples,) or (n_individuals, n_samples)
        Cluster codes 0..n_clusters-1; codes may be unused, in both rows different ones. A single
        row is paired with all rows of the other.
    n_clusters : int, optional
        Codes a row may use; more are refused. Default: whatever occurs.

    Returns
    -------
    labels : ndarray, of the dtype of ``labels``
        The same partitions: row by row the codes permuted such that they equal the reference in
        most samples. Of several such permutations one that leaves most codes as they are; so two
        clusters stay as they are when as many samples agree as disagree. Codes remain below the
        greatest of the two rows, and what becomes of a row depends on its reference only.

    Raises
    ------
    TypeError
        For labels that are no integers.
    ValueError
        For rows of different length, negative codes or codes of ``n_clusters`` and above.

    Notes
    -----
    O(n_samples) per row for two clusters, O(n_samples + K^3) for K: an assignment problem on the
    K x K contingency table.

    Examples
    --------
    >>> align_labels([0, 0, 1, 1], [1, 1, 0, 1], n_clusters=2)
    array([0, 0, 1, 0])
    """
    fixed, moving = _same_width(_checked(reference, n_clusters), _checked(labels, n_clusters))
    fixed, moving = np.broadcast_arrays(fixed, moving)
    # Copies: views of broadcast arrays warn where a kernel might write.
    rows, others = (np.array(np.atleast_2d(x), dtype=np.int32, order="C") for x in (fixed, moving))
    aligned = _flipped(rows, others) if _n_codes(rows, others) <= 2 else _assigned(rows, others)
    return aligned.reshape(moving.shape).astype(moving.dtype)


def aligned_distance(a: ArrayLike, b: ArrayLike, n_clusters: int | None = None) -> NDArray[np.int64]:
    """Number of samples in which two partitions differ after :func:`align_labels`.

    The least number of samples that must change cluster to turn one partition into the other: 0 for
    the same partition whatever the numbers of its clusters, and the same in both directions.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_individuals, n_samples)
    n_clusters : int, optional
        As in :func:`align_labels`.

    Returns
    -------
    distance : ndarray of shape (n_individuals,), or a number for two single partitions

    Examples
    --------
    >>> int(aligned_distance([0, 0, 1, 1], [1, 1, 0, 1]))
    1
    """
    return hamming_distance(a, align_labels(a, b, n_clusters))


def _n_codes(rows: IntArray, others: IntArray) -> int:
    return 1 + int(max(rows.max(initial=0), others.max(initial=0)))


def _flipped(rows: IntArray, others: IntArray) -> IntArray:
    """Two clusters: exchanged where more samples disagree than agree."""
    flip = 2 * np.count_nonzero(rows != others, axis=1) > rows.shape[1]
    return np.where(flip[:, None], 1 - others, others)


def _assigned(rows: IntArray, others: IntArray) -> IntArray:
    """Any number of clusters: the assignment with the most agreements."""
    k = _n_codes(rows, others)
    # A row's own number of codes, so that it is treated alike in any company.
    own = 1 + np.maximum(rows.max(axis=1), others.max(axis=1))
    number = np.zeros((len(rows), k), dtype=np.int32)
    step = max(1, _CELLS // k**2)
    for lo in range(0, len(rows), step):
        hi = min(lo + step, len(rows))
        tables = np.zeros((hi - lo, k, k), dtype=np.int64)
        contingency_tables(rows[lo:hi], others[lo:hi], tables)
        for q, (table, used) in enumerate(zip(tables, own[lo:hi].tolist(), strict=True), start=lo):
            # An agreement counts for more than all unchanged codes together; both are whole numbers.
            worth = table[:used, :used] * (used + 1) + np.eye(used, dtype=np.int64)
            number[q, :used] = linear_sum_assignment(worth, maximize=True)[1]
    return np.take_along_axis(number, others, axis=1)


def _same_width(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    shapes = first.shape, second.shape
    rows = {len(x) for x in (first, second) if x.ndim == 2}
    if not all(x.ndim in (1, 2) for x in (first, second)) or shapes[0][-1] != shapes[1][-1] or len(rows) > 1:
        raise ValueError(
            "two chromosomes or populations of the same shape are compared, or one chromosome with a "
            f"population; got shapes {shapes[0]} and {shapes[1]}."
        )
    return first, second


def _checked(labels: ArrayLike, n_clusters: int | None) -> IntArray:
    codes = np.asarray(labels)
    if codes.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got dtype {codes.dtype}.")
    if codes.size and codes.min() < 0:
        raise ValueError(f"labels must not be negative, got {codes.min()}.")
    if n_clusters is not None and codes.size and codes.max() >= n_clusters:
        raise ValueError(f"labels must be below n_clusters={n_clusters}, got {codes.max()}.")
    return codes
