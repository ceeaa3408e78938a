"""Counts of the terms of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_array

from moo_clustering._arrays import without_duplicates
from moo_clustering.features._stemming import ExpandTerms, Stemmer, StemmingAnalyzer, StopWords, TextDocument


def document_term_counts(
    documents: Iterable[TextDocument],
    *,
    min_df: float = 2,
    stemmer: Stemmer | None = "porter",
    stop_words: StopWords = "english",
    expand_terms: ExpandTerms | None = None,
) -> tuple[csr_matrix, NDArray[Any]]:
    """Count how often each stem is in each document.

    Parameters
    ----------
    documents : iterable of str or of mappings
        Texts, or fields ``title``, ``abstract``, ``text`` and ``headings``.
    min_df : int or float, default=2
        Terms in fewer documents are left out: a number of documents, or a share of them.
    stemmer, stop_words, expand_terms
        See :class:`StemmingAnalyzer`.

    Returns
    -------
    counts : csr_matrix of shape (n_documents, n_terms), int64
        A document without terms has a row of zeros.
    terms : ndarray of shape (n_terms,)
        Term of each column, in alphabetical order.

    Raises
    ------
    ValueError, TypeError
        If no term is left, or documents or options are not what they should be.
    ImportError
        If the package snowballstemmer, which the stemmers need, is missing.

    Notes
    -----
    O(total length) time, O(stored counts) memory.

    Examples
    --------
    >>> from moo_clustering.features import document_term_counts
    >>> counts, terms = document_term_counts(["a failing heart", "hearts fail", "lungs, lungs"], min_df=1)
    >>> terms.tolist(), counts.toarray().tolist()
    (['fail', 'heart', 'lung'], [[1, 1, 0], [1, 1, 0], [0, 0, 2]])
    """
    _least_documents(min_df, 1)
    if isinstance(documents, str | Mapping):
        raise TypeError("documents must be a sequence of documents, got a single one")
    documents = list(documents)
    if not documents:
        raise ValueError("documents must have at least one document, got none")
    analyzer = StemmingAnalyzer(stemmer=stemmer, stop_words=stop_words, expand_terms=expand_terms)
    vectorizer = CountVectorizer(analyzer=analyzer, dtype=np.int64)
    try:
        counts = vectorizer.fit_transform(documents)
    except ValueError as error:
        if "empty vocabulary" in str(error):
            raise ValueError("documents hold no word that is not a stop word") from error
        raise
    return prune_terms(counts, vectorizer.get_feature_names_out(), min_df=min_df)


def prune_terms(
    counts: ArrayLike | csr_matrix, terms: ArrayLike, *, min_df: float = 2
) -> tuple[csr_matrix, NDArray[Any]]:
    """Leave out terms in few documents, such as those of a subset of documents.

    Parameters
    ----------
    counts : {array-like, sparse matrix} of shape (n_documents, n_terms)
    terms : array-like of shape (n_terms,)
        Term of each column.
    min_df : int or float, default=2
        Terms in fewer of these documents are left out: a number of documents, or a share of them. Terms in
        none of them are always left out.

    Returns
    -------
    counts : csr_matrix of shape (n_documents, n_terms_left)
    terms : ndarray of shape (n_terms_left,)
        In the order given.

    Raises
    ------
    ValueError
        If no term is left, or arguments are not what they should be.

    Notes
    -----
    O(stored counts) time and memory. ``prune_terms(counts[rows], terms, min_df=2)`` of the counts of all
    documents with ``min_df=1`` gives what :func:`document_term_counts` gives for these documents.
    """
    rows = without_duplicates(csr_matrix(check_array(counts, accept_sparse="csr", input_name="counts")))
    names = np.asarray(terms)
    if names.shape != (rows.shape[1],):
        raise ValueError(
            f"terms must have one name for each of the {rows.shape[1]} columns, got the shape {names.shape}"
        )
    n_documents = rows.shape[0]
    least = _least_documents(min_df, n_documents)
    df = np.bincount(rows.indices[rows.data != 0], minlength=rows.shape[1])
    kept = np.flatnonzero((df > 0) & (df >= least))
    if not len(kept):
        raise ValueError(f"min_df={min_df} leaves no term of the {n_documents} documents")
    return rows[:, kept], names[kept]


def _least_documents(min_df: Any, n_documents: int) -> float:
    """Documents that a term must be in."""
    if isinstance(min_df, int | np.integer) and not isinstance(min_df, bool) and min_df >= 1:
        return int(min_df)
    if isinstance(min_df, float | np.floating) and 0 <= min_df <= 1:
        return float(min_df) * n_documents
    raise ValueError(
        f"min_df must be a number of documents (1, 2, ...) or a share from 0.0 to 1.0, got {min_df!r}"
    )
