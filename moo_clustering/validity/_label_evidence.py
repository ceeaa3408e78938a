"""Evidence of a few labels for a partition."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln
from sklearn.utils import check_array

from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import (
    Population,
    check_option,
    check_population,
    require_fitted,
)
from moo_clustering.validity._shared_data_index import SharedDataIndex


class LabelEvidence(SharedDataIndex):
    """Log marginal likelihood of labels, drawn cluster by cluster; maximise.

    Every cluster has its own class probabilities, Dirichlet distributed with alpha / K for each of K
    classes. With N_cg labelled samples of class g in cluster c and N_c in all,

    E = sum_c { lnG(alpha) - lnG(alpha + N_c) + sum_g [ lnG(alpha/K + N_cg) - lnG(alpha/K) ] },

    lnG being the logarithm of the gamma function. Pure clusters are rewarded and needless splits
    punished.

    Parameters
    ----------
    alpha : float, default=0.5
        Total concentration; the smaller, the purer the clusters expected.
    unnamed : bool, default=False
        One more class that has no label yet: K + 1 outcomes.

    Attributes
    ----------
    n_samples_, n_classes_ : int

    Notes
    -----
    A cluster without labels adds exactly 0, so nothing depends on samples without labels. O(q L K) time
    for q partitions and L labelled samples.

    References
    ----------
    ParetoClustering: label evidence; Heckerman, Geiger & Chickering, Machine Learning 20, 1995, for the
    likelihood.

    Examples
    --------
    >>> counts = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> LabelEvidence().fit(counts).evaluate([[0, 0, 1, 1], [0, 1, 0, 1]]).round(6)
    array([-1.750937, -4.969813])
    """

    name: ClassVar[str] = "label_evidence"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    n_classes_: int
    _labelled: NDArray[np.intp]
    _counts: csr_array

    def __init__(self, alpha: float = 0.5, unnamed: bool = False) -> None:
        self.alpha = alpha
        self.unnamed = unnamed

    def fit(self, data: ArrayLike) -> Self:
        """Take the labels.

        Parameters
        ----------
        data : array-like or sparse matrix of shape (n_samples, n_classes)
            Labels of each class that a sample has: a row with one 1 for a labelled sample, zeros for
            the others; sums of such rows where a row stands for several samples.

        Raises
        ------
        ValueError
            Negative or infinite counts, no class, or an option out of range.
        """
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float | np.number):
            raise TypeError(f"alpha must be a number, got {self.alpha!r}")
        if not (np.isfinite(self.alpha) and self.alpha > 0):
            raise ValueError(f"alpha must be positive and finite, got {self.alpha!r}")
        check_option("unnamed", self.unnamed, (True, False))
        counts = csr_array(check_array(data, accept_sparse="csr", dtype=np.float64, input_name="counts"))
        lowest = float(counts.data.min(initial=0.0))
        if lowest < 0.0:
            raise ValueError(f"counts must not be negative, got {lowest:g}")
        self.n_samples_, self.n_classes_ = counts.shape
        self._labelled = np.flatnonzero(np.asarray(counts.sum(axis=1)) > 0.0)
        self._counts = counts[self._labelled]
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        values = np.zeros(len(population.labels))
        for rows, block in population.blocks(self.n_samples_ + len(self._labelled) * self.n_classes_):
            values[rows] = self._of_block(block)
        return values

    def _of_block(self, block: Population) -> FloatArray:
        n, width = block.sizes.shape
        cells = block.labels[:, self._labelled] + width * np.arange(n)[:, np.newaxis]
        sample = np.broadcast_to(np.arange(cells.shape[1]), cells.shape)
        members = csr_array(
            (np.ones(cells.size), (cells.ravel(), sample.ravel())), (n * width, cells.shape[1])
        )
        table = (members @ self._counts).tocsr()  # N_cg
        outcomes = self.n_classes_ + int(self.unnamed)
        terms = _rise(self.alpha / outcomes, table.data)
        owner = np.repeat(np.arange(n * width), np.diff(table.indptr)) // width
        gains = np.bincount(owner, weights=terms, minlength=n)
        sizes = np.asarray(table.sum(axis=1)).reshape(n, width)  # N_c
        evidence: FloatArray = gains - _rise(self.alpha, sizes).sum(axis=1)
        return evidence


def label_evidence(
    labels: IntArray, counts: ArrayLike, *, alpha: float = 0.5, unnamed: bool = False
) -> FloatArray:
    """:class:`LabelEvidence` of label counts for partitions of shape (n_individuals, n_samples).

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples)
    counts : array-like of shape (n_samples, n_classes)
        How often a class was said of a sample.
    alpha, unnamed
        As of the class.

    Returns
    -------
    ndarray of shape (n_individuals,)
    """
    return LabelEvidence(alpha, unnamed).fit(counts).evaluate(labels)


def _rise(concentration: float, counts: FloatArray) -> FloatArray:
    """Logarithm of the rising factorial, lnG(concentration + counts) - lnG(concentration)."""
    rise: FloatArray = gammaln(concentration + counts) - gammaln(concentration)
    return rise
