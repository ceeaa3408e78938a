"""Tf-idf without smoothing."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from moo_clustering.features._rows import document_frequencies, row_lengths, validated_rows


class PaperTfidfTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Term counts to tf-idf weights t_ij ln(n / df_j), rows of length one.

    A term in every document has weight 0, unlike in scikit-learn's ``TfidfTransformer``, whose factor
    is ln(n / df_j) + 1 (without smoothing).

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,), float64
        ln(n / df_j) of the documents of ``fit``; 0 for terms that are in none of them.
    df_ : ndarray of shape (n_features,), int64
        Number of documents of ``fit`` with the term.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(stored counts) time and memory. Documents that ``fit`` has not seen are weighed with its ``idf_``. The
    output is sparse, so ``set_output`` takes ``"default"`` only.

    References
    ----------
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 2.

    Examples
    --------
    >>> from moo_clustering.features import PaperTfidfTransformer
    >>> counts = [[2, 1, 0, 0, 1], [1, 2, 0, 0, 1], [0, 0, 3, 1, 1], [0, 1, 1, 2, 1]]
    >>> PaperTfidfTransformer().fit_transform(counts).toarray().round(3)
    array([[0.979, 0.203, 0.   , 0.   , 0.   ],
           [0.769, 0.639, 0.   , 0.   , 0.   ],
           [0.   , 0.   , 0.949, 0.316, 0.   ],
           [0.   , 0.182, 0.44 , 0.879, 0.   ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the documents that have each term.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Counts, at least 0.
        y : None
            Ignored.

        Raises
        ------
        ValueError
            For values that are negative, infinite or missing.
        """
        counts = validated_rows(self, X, reset=True)
        self.df_ = document_frequencies(counts)
        self.idf_ = np.zeros(counts.shape[1])
        used = self.df_ > 0
        self.idf_[used] = np.log(counts.shape[0] / self.df_[used])
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Weigh counts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Counts, at least 0.

        Returns
        -------
        weights : sparse matrix of shape (n_documents, n_terms), CSR
            float32 for float32, else float64; no zero is stored. Documents without a weighted term have a
            row of zeros, with one warning that says how many there are.

        Raises
        ------
        ValueError
            For values that are negative, infinite or missing, or another number of terms.
        """
        check_is_fitted(self)
        weights = validated_rows(self, X, reset=False)
        weights.data *= self.idf_[weights.indices]
        weights.eliminate_zeros()
        empty = int(np.count_nonzero(row_lengths(weights) == 0))
        if empty:
            verb = "has" if empty == 1 else "have"
            warnings.warn(
                f"{empty} of {weights.shape[0]} documents {verb} no term with a weight: all zero",
                stacklevel=3,
            )
        return normalize(weights, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
