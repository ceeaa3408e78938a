"""Weights of documents as in the normalised cut."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from moo_clustering.features._rows import row_lengths, validated_rows


class NCWTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Documents divided by the root of their similarity to all documents (normalised-cut weighting).

    Document a_i becomes b_i = a_i / sqrt(z_i), z_i = sum_j <a_i, a_j> = <a_i, s> with the sum s of the
    documents of ``fit``, a_i itself among them; it stays zero where z_i = 0.

    Attributes
    ----------
    sum_ : ndarray of shape (n_features,), float64
        s: the sum of the documents of ``fit``.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(stored weights) time and memory: the matrix of similarities is never built. A document a that ``fit``
    has not seen has z = <a, s> with the same s, to which it does not add; so it is weighed by its
    similarity to the documents of ``fit``, whatever comes with it, and is zero if it shares no term with
    any of them. The output is sparse, so ``set_output`` takes ``"default"`` only.

    References
    ----------
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 2.1.
    W. Xu, X. Liu, Y. Gong, "Document clustering based on non-negative matrix factorization", SIGIR (2003).

    Examples
    --------
    >>> from moo_clustering.features import NCWTransformer
    >>> NCWTransformer().fit_transform([[1, 0], [1, 0], [0, 1], [0, 0]]).toarray().round(4)
    array([[0.7071, 0.    ],
           [0.7071, 0.    ],
           [0.    , 1.    ],
           [0.    , 0.    ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Add up the documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Weights, at least 0; rows of length one or zero in the method as published.
        y : None
            Ignored.

        Raises
        ------
        ValueError
            For values that are negative, infinite or missing.
        """
        weights = validated_rows(self, X, reset=True)
        self.sum_ = np.asarray(weights.sum(axis=0, dtype=np.float64)).ravel()
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Weigh documents by their similarity to those of ``fit``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Weights, at least 0.

        Returns
        -------
        weighted : sparse matrix of shape (n_documents, n_terms), CSR
            float32 for float32, else float64.

        Raises
        ------
        ValueError
            For values that are negative, infinite or missing, or another number of terms.
        """
        check_is_fitted(self)
        weights = validated_rows(self, X, reset=False)
        z = weights @ self.sum_
        scale = np.zeros_like(z)
        scale[z > 0] = 1 / np.sqrt(z[z > 0])
        weights.data *= np.repeat(scale, row_lengths(weights))
        weights.eliminate_zeros()
        return weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
