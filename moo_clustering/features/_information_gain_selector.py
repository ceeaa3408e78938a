"""Selection of the features that tell most about the labels."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering.features._information_gain import column_counts, information_gain, presence

# Equal gains differ in their last digits by the order in which entropies were added.
_DECIMALS = 12


class InformationGainSelector(SelectorMixin, BaseEstimator):
    """Keep the features of the largest :func:`information_gain`.

    Parameters
    ----------
    n_features : int, default=1000
        How many; all if there are fewer. Of equal gains the feature of the smaller column is kept.
    drop_constant : bool, default=True
        Never keep a feature that is in none or in all of the samples of ``fit``, labelled or not: to a
        clustering it says nothing, and a weight for it would grow without bound.

    Attributes
    ----------
    information_gains_ : ndarray of shape (n_features_in_,), float64
        In bits.
    support_ : ndarray of shape (n_features_in_,), bool
        Which features are kept.
    n_features_in_, feature_names_in_

    Warns
    -----
    UserWarning
        If all features are constant, so that none is kept.

    Notes
    -----
    Only labelled samples count for the gains. In a ``Pipeline`` that is fitted on training samples, with -1
    for those without labels, neither labels of test samples nor those of unlabelled ones are ever seen. The
    paper chose one set of features for all its experiments, from the labels of test and "unlabelled"
    samples too, which makes results with few labels look better than they are. To repeat that, fit a
    selector with all labels before anything is split or masked.

    ``transform`` keeps values as they are, also those other than 0 and 1. Costs are those of
    :func:`information_gain`.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.

    Examples
    --------
    >>> from moo_clustering.features import InformationGainSelector
    >>> X = [[1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> selector = InformationGainSelector(n_features=2).fit(X, [0, 0, 1, 1, -1])
    >>> selector.information_gains_.tolist(), selector.get_support(indices=True).tolist()
    ([2.0, 0.0, 2.0, 0.0], [0, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "drop_constant": ["boolean"],
    }

    def __init__(self, n_features: int = 1000, *, drop_constant: bool = True) -> None:
        self.n_features = n_features
        self.drop_constant = drop_constant

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Measure the gains and choose.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Finite numbers; a feature is present where it is not 0.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            One class a sample, -1 for unlabelled ones; or indicators 0 and 1 of labels, with rows of -1 for
            unlabelled samples.

        Raises
        ------
        ValueError
            If no sample is labelled, or ``X`` and ``y`` are not what they should be.
        """
        # y may hold rows of -1, which is checked with the gains; here only that it is given.
        X = validate_data(self, X, None if y is None else "no_validation", accept_sparse="csr")
        rows = presence(X)
        self.information_gains_ = information_gain(rows, y)
        allowed = np.ones(rows.shape[1], dtype=bool)
        if self.drop_constant:
            df = column_counts(rows)
            allowed = (df > 0) & (df < rows.shape[0])
            if not allowed.any():
                warnings.warn(
                    f"no feature is kept: each of {len(allowed)} is in none or in all of {rows.shape[0]} "
                    "samples (it is in a sample where its value is not 0)",
                    stacklevel=2,
                )
        order = np.argsort(-self.information_gains_.round(_DECIMALS), kind="stable")
        self.support_ = np.zeros(len(allowed), dtype=bool)
        self.support_[order[allowed[order]][: self.n_features]] = True
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
