"""Which words are in which documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from moo_clustering.features._vocabulary import as_stop_words, fit_terms


def binary_unigrams(
    texts: Sequence[str],
    *,
    stop_words: str | Sequence[str] | None = "english",
    min_df: float = 1,
    max_df: float = 1.0,
) -> tuple[csr_matrix, NDArray[Any]]:
    """1 for each word that is in a text, by scikit-learn's ``CountVectorizer(binary=True)``.

    Parameters
    ----------
    texts : sequence of str
        One per document. A document that has no word left gets a row of zeros.
    stop_words : "english", sequence of str or None, default="english"
        Words to leave out; "english" is scikit-learn's list, which has "fire" and "system" too.
    min_df, max_df : int or float, default=1 and 1.0
        Words in fewer than ``min_df`` or more than ``max_df`` documents are left out; whole numbers
        count documents, fractions are shares of them.

    Returns
    -------
    X : csr_matrix of shape (n_documents, n_words), float64
        0 and 1.
    vocabulary : ndarray of shape (n_words,)
        Word of each column, in alphabetical order.

    Raises
    ------
    TypeError, ValueError
        If texts is not a sequence of texts, an option is out of range, or no word is left.

    Notes
    -----
    O(total length of the texts) time, O(stored values) memory.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.

    Examples
    --------
    >>> from moo_clustering.features import binary_unigrams
    >>> X, vocabulary = binary_unigrams(["engine smoke, engine failed", "the smoke"])
    >>> X.toarray().tolist(), vocabulary.tolist()
    ([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]], ['engine', 'failed', 'smoke'])
    """
    vectorizer = CountVectorizer(
        binary=True, stop_words=as_stop_words(stop_words), min_df=min_df, max_df=max_df, dtype=np.float64
    )
    return fit_terms(vectorizer, texts)
