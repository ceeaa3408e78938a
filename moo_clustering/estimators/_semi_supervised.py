"""What the estimators that take labels and pairs share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.estimators._supervision import supervision_groups


class SemiSupervisedClusterMixin(ReportMixin, ClusterMixin):
    """A clusterer whose ``y`` are partial labels, which scikit-learn's ``fit_predict`` would drop."""

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **options: Any) -> NDArray[np.int32]:
        """Fit, and return ``labels_``.

        Parameters
        ----------
        X, y
            As for ``fit``.
        **options
            ``must_link`` and ``cannot_link``, as for ``fit``.
        """
        labels: NDArray[np.int32] = self.fit(X, y, **options).labels_
        return labels


class Supervision(NamedTuple):
    """Pairs that follow from partial labels and those given, and what must-links join.

    Attributes
    ----------
    pairs : PairwiseConstraints
    components : list of ndarray
        Samples that belong together: two and more, or with a label, in the order of the first.
    """

    pairs: PairwiseConstraints
    components: list[NDArray[np.intp]]


def supervision_pairs(
    n_samples: int,
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    conflicts: str = "raise",
) -> Supervision:
    """All pairs among labelled samples together with the given pairs.

    Parameters
    ----------
    n_samples : int
    y : array-like of shape (n_samples,) or None
        Partial labels, -1 for unlabelled samples.
    must_link, cannot_link : array-like of shape (n_pairs, 2) or None
    conflicts : {"raise", "keep"}, default="raise"
        Whether must-links that imply the opposite of a cannot-link or of labels are an error.

    Raises
    ------
    ValueError, TypeError
        Labels or pairs that are out of range, or labels that make more than 10 million pairs.
    InconsistentConstraintsError
        Contradictions, unless they are kept.
    """
    given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    labelled = np.zeros(n_samples, dtype=bool)
    if conflicts == "raise":
        supervision_groups(n_samples, y, given.must_link, given.cannot_link)
    if y is not None:
        known = PairwiseConstraints.from_partial_labels(y)
        if known.n_samples != n_samples:
            raise ValueError(f"y must have one value per sample: expected {n_samples}, got {known.n_samples}")
        labelled = np.asarray(y) >= 0
        given = PairwiseConstraints(
            np.concatenate([given.must_link, known.must_link]),
            np.concatenate([given.cannot_link, known.cannot_link]),
            n_samples=n_samples,
        )
    component = given.components()
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    return Supervision(given, [m for m in members if len(m) > 1 or labelled[m[0]]])
