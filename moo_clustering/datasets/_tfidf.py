"""Term weights of documents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets._table import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def tfidf(
    texts: Sequence[str],
    *,
    sublinear: bool = True,
    norm: Literal["l2"] | None = "l2",
    stop_words: str | Sequence[str] | None = "english",
    min_df: float = 1,
    max_df: float = 1.0,
) -> tuple[csr_matrix, NDArray[Any]]:
    """Tf-idf weights of texts, by scikit-learn's ``TfidfVectorizer``.

    Parameters
    ----------
    texts : sequence of str
        One per document. A document that has no term left gets a row of zeros, with one warning
        that says how many there are.
    sublinear : bool, default=True
        1 + ln(tf) in place of the count tf.
    norm : {"l2", None}, default="l2"
        Rows of length one, for the cosine; None leaves the weights as they are, for the Euclidean
        distance.
    stop_words : "english", sequence of str or None, default="english"
        Words to leave out.
    min_df, max_df : int or float, default=1 and 1.0
        Terms in fewer than ``min_df`` or more than ``max_df`` documents are left out; whole numbers
        count documents, fractions are shares of them.

    Returns
    -------
    X : csr_matrix of shape (n_documents, n_terms), float64
    vocabulary : ndarray of shape (n_terms,)
        Term of each column, in alphabetical order.

    Raises
    ------
    DataError
        If no document has a term left.
    TypeError, ValueError
        If texts is not a sequence of texts, or an option is out of range.

    Notes
    -----
    O(total length of the texts) time, O(stored weights) memory.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> from moo_clustering.datasets import tfidf
    >>> X, vocabulary = tfidf(["the heart", "a heart and a lung", "lung disease"])
    >>> X.shape, vocabulary.tolist()
    ((3, 3), ['disease', 'heart', 'lung'])
    """
    # scikit-learn takes a second to import, which reading a table should not.
    from sklearn.feature_extraction.text import TfidfVectorizer

    from moo_clustering.features._vocabulary import as_stop_words, fit_terms

    vectorizer = TfidfVectorizer(
        sublinear_tf=sublinear,
        norm=norm,
        stop_words=as_stop_words(stop_words),
        min_df=min_df,
        max_df=max_df,
    )
    try:
        X, vocabulary = fit_terms(vectorizer, texts)
    except ValueError as error:
        raise DataError(str(error)) from error
    empty = int(np.count_nonzero(np.diff(X.indptr) == 0))
    if empty:
        verb = "has" if empty == 1 else "have"
        warnings.warn(
            f"{empty} of {len(texts)} documents {verb} no terms: all weights are zero", stacklevel=2
        )
    return X, vocabulary
