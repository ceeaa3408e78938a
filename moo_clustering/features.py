"""Document features: term counts, term weights, stems and information gain."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse
from scipy.special import xlogy
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from moo_clustering import _arrays
from moo_clustering._data import FLOATS, checked_array, checked_table, numeric_features, without_duplicates
from moo_clustering._messages import Advice, quoted
from moo_clustering._targets import Targets, partial_targets
from moo_clustering._types import FloatArray

__all__ = [
    "InformationGainSelector",
    "NCWTransformer",
    "PaperTfidfTransformer",
    "StemmingAnalyzer",
    "binary_unigrams",
    "document_term_counts",
    "information_gain",
    "prune_terms",
]

Stemmer = Literal["porter", "english"]
StopWords = Literal["english"] | Iterable[str] | None
ExpandTerms = Callable[[list[str]], Iterable[str]]
TextDocument = str | Mapping[str, Any]
_TOKENS = re.compile("[a-z][a-z]+")
_FIELDS = ("title", "abstract", "text")
_HEADINGS = "headings"


def document_term_counts(
    documents: Iterable[TextDocument],
    *,
    min_df: float = 2,
    stemmer: Stemmer | None = "porter",
    stop_words: StopWords = "english",
    expand_terms: ExpandTerms | None = None,
) -> tuple[csr_matrix, NDArray[Any]]:
    """Count the stems in each document.

    Takes O(total length) time and O(stored counts) memory. Raises a TypeError or ValueError if an argument is
    invalid or if no term is left, and an ImportError if snowballstemmer is required but not installed.

    Parameters
    ----------
    documents : iterable of str or of mappings
        Texts, or mappings with the fields ``title``, ``abstract``, ``text`` and ``headings``.
    min_df : int or float, default=2
        Minimum number (int) or fraction (float) of documents that must contain a term.
    stemmer, stop_words, expand_terms
        See :class:`StemmingAnalyzer`.

    Returns
    -------
    counts : csr_matrix of shape (n_documents, n_terms), int64
        Number of occurrences of each term in each document. Documents without terms have zero rows.
    terms : ndarray of shape (n_terms,)
        Term of each column, in alphabetical order.

    Examples
    --------
    >>> from moo_clustering.features import document_term_counts
    >>> counts, terms = document_term_counts(["a failing heart", "hearts fail", "lungs, lungs"], min_df=1)
    >>> terms.tolist(), counts.toarray().tolist()
    (['fail', 'heart', 'lung'], [[1, 1, 0], [1, 1, 0], [0, 0, 2]])
    """
    _least_documents(min_df, 1)
    if isinstance(documents, str | Mapping):
        raise TypeError("documents must be a sequence of documents, got a single document")
    documents = list(documents)
    if not documents:
        raise ValueError("documents must contain at least one document")
    analyzer = StemmingAnalyzer(stemmer=stemmer, stop_words=stop_words, expand_terms=expand_terms)
    counts, terms = _fit_terms(CountVectorizer(analyzer=analyzer, dtype=np.int64), documents)
    return prune_terms(counts, terms, min_df=min_df)


def word_forms(texts: Iterable[str], stems: Iterable[str], stemmer: Stemmer | None) -> list[str]:
    """Return each stem's most frequent word in the texts; ties are broken in favour of the shorter word."""
    counts = Counter(word for text in texts for word in _TOKENS.findall(text.lower()))
    ranked = sorted(counts, key=lambda word: (-counts[word], len(word), word))
    stem_of = StemmingAnalyzer(stemmer=stemmer)._stem_of
    # The most frequent word of a stem comes last, and therefore replaces the others.
    forms = {stem_of(word): word for word in reversed(ranked)}
    return [forms[stem] for stem in stems]


def prune_terms(
    counts: ArrayLike | csr_matrix, terms: ArrayLike, *, min_df: float = 2
) -> tuple[csr_matrix, NDArray[Any]]:
    """Drop terms that occur in too few documents, for example after a subset of documents has been selected.

    If ``counts`` come from all documents with ``min_df=1``, ``prune_terms(counts[rows], terms, min_df=2)``
    equals :func:`document_term_counts` of the selected documents. Takes O(stored counts) time and memory.
    Raises a ValueError if an argument is invalid or if no term is left.

    Parameters
    ----------
    counts : {array-like, sparse matrix} of shape (n_documents, n_terms)
    terms : array-like of shape (n_terms,)
        Term of each column.
    min_df : int or float, default=2
        Minimum number (int) or fraction (float) of documents with the term. Unused terms are always dropped.

    Returns
    -------
    counts : csr_matrix of shape (n_documents, n_terms_left)
    terms : ndarray of shape (n_terms_left,)
        Remaining terms, in their original order.
    """
    rows = csr_matrix(checked_table(counts, "counts", dtype="numeric", accept_sparse="csr"))
    names = checked_array(terms, "terms")
    if names.shape != (rows.shape[1],):
        n_terms = rows.shape[1]
        raise ValueError(f"terms must have one name per column, {n_terms} in all; got shape {names.shape}")
    n_documents = rows.shape[0]
    least = _least_documents(min_df, n_documents)
    df = np.bincount(rows.indices[rows.data != 0], minlength=rows.shape[1])
    kept = np.flatnonzero((df > 0) & (df >= least))
    if not len(kept):
        rest = f"{min_df} leaves no terms in the {n_documents} documents"
        raise ValueError(Advice("", f"min_df={rest}", f"--min-df {rest}"))
    return rows[:, kept], names[kept]


def _least_documents(min_df: Any, n_documents: int) -> float:
    if isinstance(min_df, int | np.integer) and not isinstance(min_df, bool) and min_df >= 1:
        return int(min_df)
    if isinstance(min_df, float | np.floating) and 0 <= min_df <= 1:
        return float(min_df) * n_documents
    allowed = "an integer of at least 1 (documents) or a float from 0.0 to 1.0 (share of documents)"
    raise ValueError(f"min_df must be {allowed}, got {quoted(min_df)}")


class StemmingAnalyzer:
    """Analyzer that returns the stems of a document, for ``CountVectorizer(analyzer=StemmingAnalyzer())``.

    Converts the text to lower case, splits it into runs of at least two letters a to z, drops stop words and
    stems the remaining words. Takes O(document length) time. The stems of all distinct words so far are
    cached, but not pickled. Raises an ImportError if snowballstemmer is required but not installed. Sources:
    Ensemble NMF, section 3.1; M. Porter, "An algorithm for suffix stripping", Program 14 (1980).

    Parameters
    ----------
    stemmer : {"porter", "english", None}, default="porter"
        Porter's stemmer, its successor (Porter 2), or no stemming. Both stemmers require snowballstemmer.
    stop_words : "english", iterable of str or None, default="english"
        Words to drop before stemming; "english" is scikit-learn's list.
    expand_terms : callable, optional
        ``expand_terms(headings) -> headings`` replaces a document's subject headings, for example by adding
        all their ancestors in a thesaurus. It is not called for documents without headings.

    Examples
    --------
    >>> from moo_clustering.features import StemmingAnalyzer
    >>> analyzer = StemmingAnalyzer()
    >>> analyzer("The clustering of documents")
    ['cluster', 'document']
    >>> analyzer({"title": "Failing hearts", "abstract": None, "headings": ["Heart Failure"]})
    ['fail', 'heart', 'heart', 'failur']
    """

    def __init__(
        self,
        *,
        stemmer: Stemmer | None = "porter",
        stop_words: StopWords = "english",
        expand_terms: ExpandTerms | None = None,
    ) -> None:
        if expand_terms is not None and not callable(expand_terms):
            raise TypeError(f"expand_terms must be callable or None, got {quoted(expand_terms)}")
        self.stemmer = stemmer
        self.stop_words = _stop_words(stop_words)
        self.expand_terms = expand_terms
        self._stem_of = _cached(_stem_function(stemmer), self.stop_words)

    def __call__(self, document: TextDocument) -> list[str]:
        """Return the stems of a document, in order and with repetitions.

        A document is a string, or a mapping with at least one of the fields ``title``, ``abstract``, ``text``
        (each a string or None) and ``headings`` (None or a sequence of strings). The fields are joined by
        spaces. Raises a TypeError or ValueError for an invalid document.
        """
        text = document if isinstance(document, str) else self._joined(document)
        return [stem for stem in map(self._stem_of, _TOKENS.findall(text.lower())) if stem]

    def __getstate__(self) -> dict[str, Any]:
        return {"stemmer": self.stemmer, "stop_words": self.stop_words, "expand_terms": self.expand_terms}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"StemmingAnalyzer(stemmer={self.stemmer!r}, {len(self.stop_words)} stop words)"

    def _joined(self, document: Mapping[str, Any]) -> str:
        if not isinstance(document, Mapping):
            raise TypeError(f"a document must be a string or a mapping of fields, got {quoted(document)}")
        if document.keys().isdisjoint((*_FIELDS, _HEADINGS)):
            held = ", ".join(map(repr, document)) or "no fields"
            raise ValueError(
                f"a document must have at least one field {', '.join(_FIELDS)} or {_HEADINGS}, got {held}"
            )
        headings = _texts(document.get(_HEADINGS), f"field {_HEADINGS} of a document")
        if headings and self.expand_terms is not None:
            headings = _texts(self.expand_terms(headings), "the result of expand_terms")
        parts = [document.get(field) for field in _FIELDS]
        for field, part in zip(_FIELDS, parts, strict=True):
            if not isinstance(part, str | None):
                raise TypeError(f"field {field} of a document must be a string, got {quoted(part)}")
        return " ".join(part for part in [*parts, *headings] if part)


def _cached(stem: Callable[[str], str], stop_words: frozenset[str]) -> Callable[[str], str]:
    lock = threading.Lock()

    @cache
    def stem_of(word: str) -> str:
        # Snowball's stemmers store the current word, so threads must not call them simultaneously.
        with lock:
            return "" if word in stop_words else stem(word)

    return stem_of


def _texts(given: Any, what: str) -> list[str]:
    if given is None:
        return []
    texts: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{what} must be a sequence of strings, got {quoted(given)}")
    return texts


def _stop_words(stop_words: StopWords) -> frozenset[str]:
    allowed = "stop_words must be 'english', a list of words or None"
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f"{allowed}, got {quoted(stop_words)}")
        return frozenset(ENGLISH_STOP_WORDS)
    words = [] if stop_words is None else list(stop_words)
    if others := [word for word in words if not isinstance(word, str)]:
        raise TypeError(f"{allowed}, got the non-string {quoted(others[0])} in a list")
    return frozenset(word.lower() for word in words)


def _stem_function(stemmer: Stemmer | None) -> Callable[[str], str]:
    if stemmer is None:
        return str
    _arrays.choice("stemmer", stemmer, ("porter", "english", None))
    otherwise = ", or set stemmer=None"
    snowballstemmer = _arrays.optional_package("snowballstemmer", "text", f"stemmer={stemmer!r}", otherwise)
    return snowballstemmer.stemmer(stemmer).stemWord


def information_gain(X: Any, y: Any) -> FloatArray:
    """For each feature, compute the information gain (in bits) that its presence provides about the labels.

    For feature i, this is the sum over labels t of H(y_t) - p(x_i) H(y_t | x_i) - p(not x_i) H(y_t | not
    x_i), where H is the entropy of a binary label. If ``y`` contains one class per sample, each class is a
    binary label. Takes O(stored values * n_labels) time. Memory is O(stored values) plus blocks of 32 MB.
    Raises a ValueError if no sample is labelled, or if ``X`` or ``y`` is invalid. Source: SISC-ML, section 5.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Finite numbers. A feature is present if its value is not 0.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), or Targets
        One class per sample, or one row of 0/1 label indicators per sample. For unlabelled samples, which are
        ignored, the class is -1 or the row contains only -1.

    Returns
    -------
    gains : ndarray of shape (n_features,), float64
        Information gains. They are 0 for features present in all or in none of the labelled samples.

    Examples
    --------
    >>> from moo_clustering.features import information_gain
    >>> information_gain([[1, 1], [1, 0], [0, 1], [0, 0]], [[1, 0], [1, 0], [0, 0], [0, 0]])
    array([1., 0.])
    """
    rows = presence(checked_table(X, dtype="numeric", accept_sparse="csr"))
    targets = y if isinstance(y, Targets) else partial_targets(y, rows.shape[0])
    if not targets.labelled.any() or not targets.n_classes:
        raise ValueError("information gain requires labelled samples, but y has none")
    rows = rows[targets.rows]
    n, m = rows.shape
    df = column_counts(rows)
    gains = np.zeros(m)
    for part in _arrays.block_slices(targets.n_classes, m):
        indicators = targets.indicators[targets.rows, part]
        together = rows.T @ indicators
        sizes = indicators.sum(axis=0)
        told = _bits(together, df[:, None]) + _bits(sizes - together, n - df[:, None])
        gains += (_bits(sizes, np.float64(n)) - told).sum(axis=1) / n
    return np.maximum(gains, 0.0)


def presence(X: Any) -> csr_matrix:
    """Return float64 indicators of the non-zero values of a validated ``X``, without duplicate entries."""
    if not issparse(X):
        return csr_matrix(X != 0, dtype=np.float64)
    rows = without_duplicates(csr_matrix(X))
    stored = (rows.data != 0).astype(np.float64)
    found = csr_matrix((stored, rows.indices, rows.indptr), shape=rows.shape, copy=not stored.all())
    if not stored.all():
        found.eliminate_zeros()
    return found


def column_counts(rows: csr_matrix) -> FloatArray:
    return np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)


def _bits(counts: FloatArray, totals: Any) -> FloatArray:
    """Return ``totals`` times the binary entropy of ``counts / totals`` in bits, or 0 if the total is 0."""
    rest = totals - counts
    nats: FloatArray = xlogy(totals, totals) - (xlogy(counts, counts) + xlogy(rest, rest))
    return nats / np.log(2.0)


class InformationGainSelector(_arrays.ShortMessages, SelectorMixin, BaseEstimator):
    """Select the features with the largest :func:`information_gain`.

    Takes as much time and memory as :func:`information_gain`. Issues a UserWarning if all features are
    constant. Unlabelled samples are ignored. The paper used the labels of all samples, even test samples, and
    thus overestimates results with few labels. To reproduce the paper, fit before splitting the data. Source:
    SISC-ML, section 5.

    Parameters
    ----------
    n_features : int, default=1000
        Maximum number of features to select. Ties are broken in favour of the lower column index.
    drop_constant : bool, default=True
        Drop features that are present in all or in none of the samples passed to ``fit``, labelled or not.

    Attributes
    ----------
    information_gains_ : ndarray of shape (n_features_in_,), float64
        Information gains in bits.
    support_ : ndarray of shape (n_features_in_,), bool
        Mask of the selected features.
    n_features_in_, feature_names_in_

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
        """Select the features with the largest gains. See :func:`information_gain` for ``X`` and ``y``."""
        # Check only that y is given, because information_gain checks its values.
        X = numeric_features(
            self, X, dtype="numeric", y=None if y is None else "no_validation", accept_sparse="csr"
        )
        rows = presence(X)
        self.information_gains_ = information_gain(rows, y)
        allowed = np.ones(rows.shape[1], dtype=bool)
        if self.drop_constant:
            df = column_counts(rows)
            allowed = (df > 0) & (df < rows.shape[0])
            if not allowed.any():
                _arrays.warn_caller(
                    f"no features remain: each of the {len(allowed)} features is zero in all samples or "
                    "nonzero in all samples"
                )
        # Round the gains, because gains that are equal in theory can differ by rounding errors.
        order = np.argsort(-self.information_gains_.round(12), kind="stable")
        self.support_ = np.zeros(len(allowed), dtype=bool)
        self.support_[order[allowed[order]][: self.n_features]] = True
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X, in the dense or sparse format of X."""
        check_is_fitted(self)
        numeric_features(self, X, dtype="numeric", accept_sparse="csr", reset=False)
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


class _SparseWeighting(_arrays.ShortMessages, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NCWTransformer(_SparseWeighting):
    """Divide each document by the square root of its similarity to all documents (normalised-cut weighting).

    A document a_i becomes b_i = a_i / sqrt(z_i) with z_i = sum_j <a_i, a_j> = <a_i, s>, where s is the sum of
    all documents in ``fit``; if z_i = 0, b_i is zero. New documents are also weighted using this s. A new
    document becomes zero if it shares no term with the documents in ``fit``. Takes O(stored weights) time and
    memory. Raises a ValueError for negative, infinite or missing weights, and if the number of terms changes
    after ``fit``. The output is sparse, so ``set_output`` accepts only ``"default"``. Sources: Ensemble NMF,
    section 2.1; W. Xu, X. Liu, Y. Gong, SIGIR (2003).

    Attributes
    ----------
    sum_ : ndarray of shape (n_features,), float64
        Sum s of the documents in ``fit``.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from moo_clustering.features import NCWTransformer
    >>> NCWTransformer().fit_transform([[1, 0], [1, 0], [0, 1], [0, 0]]).toarray().round(4)
    array([[0.7071, 0.    ],
           [0.7071, 0.    ],
           [0.    , 1.    ],
           [0.    , 0.    ]])
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Sum the rows of X, shape (n_documents, n_terms); in the paper, each row has length 1 or 0."""
        weights = validated_rows(self, X, reset=True)
        with np.errstate(over="ignore"):
            self.sum_ = np.asarray(weights.sum(axis=0, dtype=np.float64)).ravel()
        if not np.isfinite(self.sum_).all():
            raise ValueError("X has values so large that their sums overflow; rescale it")
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the weighted documents as a CSR matrix, float32 for float32 input and float64 otherwise."""
        check_is_fitted(self)
        weights = validated_rows(self, X, reset=False)
        # Divide weights and sums by the same power of 2, which cancels out, to avoid overflow and underflow.
        size = int(np.frexp(self.sum_.max(initial=0.0))[1])
        weights.data = np.ldexp(weights.data, -size)
        z = weights @ np.ldexp(self.sum_, -size)
        scale = np.zeros_like(z)
        scale[z > 0] = 1 / np.sqrt(z[z > 0])
        weights.data *= np.repeat(scale, np.diff(weights.indptr))
        weights.eliminate_zeros()
        return weights


def validated_rows(estimator: Any, X: Any, *, reset: bool) -> csr_matrix:
    """Copy finite, non-negative values to CSR without duplicate entries or stored zeros."""
    kept: dict[str, Any] = {"copy": issparse(X), "ensure_non_negative": True, "reset": reset}
    X = numeric_features(estimator, X, accept_sparse="csr", dtype=FLOATS, **kept)
    rows = X if issparse(X) else csr_matrix(X)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


class PaperTfidfTransformer(_SparseWeighting):
    """Multiply term counts by ln(n / df_j), and scale rows to unit length (tf-idf weights).

    Here, df_j of the n documents contain term j. Terms in all documents have weight 0. Without smoothing,
    scikit-learn's ``TfidfTransformer`` multiplies by ln(n / df_j) + 1 instead. New documents are weighted
    using the ``idf_`` from ``fit``. Takes O(stored counts) time and memory. Raises a ValueError for negative,
    infinite or missing counts, and if the number of terms differs from that in ``fit``. The output is sparse,
    so ``set_output`` accepts only ``"default"``. Source: Ensemble NMF, section 2.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,), float64
        ln(n / df_j) for the documents in ``fit``; 0 for terms that occur in none of them.
    df_ : ndarray of shape (n_features,), int64
        Number of documents in ``fit`` that contain each term.
    n_features_in_, feature_names_in_

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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the documents that contain each term. X has term counts, shape (n_documents, n_terms)."""
        counts = validated_rows(self, X, reset=True)
        self.df_ = np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.int64)
        self.idf_ = np.zeros(counts.shape[1])
        used = self.df_ > 0
        self.idf_[used] = np.log(counts.shape[0] / self.df_[used])
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Multiply counts by the ``idf_`` from ``fit``, and scale rows to unit length.

        Returns a CSR matrix, float32 for float32 input and float64 otherwise. A document whose terms all have
        weight 0 has a zero row; a warning reports the number of such documents.
        """
        check_is_fitted(self)
        weights = _arrays.near_one(validated_rows(self, X, reset=False))
        weights.data *= self.idf_[weights.indices]
        weights.eliminate_zeros()
        empty = int(np.count_nonzero(np.diff(weights.indptr) == 0))
        if empty:
            verb = "has" if empty == 1 else "have"
            _arrays.warn_caller(
                f"{empty} of {weights.shape[0]} documents {verb} no weighted terms: all weights are zero"
            )
        return _arrays.unit_rows(weights)


def binary_unigrams(
    texts: Sequence[str], *, stop_words: StopWords = "english", min_df: float = 1, max_df: float = 1.0
) -> tuple[csr_matrix, NDArray[Any]]:
    """Return binary indicators of the words in each text, using scikit-learn's ``CountVectorizer``.

    Takes O(total text length) time and O(stored values) memory. Source: SISC-ML, section 5. Raises a
    TypeError or ValueError if ``texts`` is no sequence of strings, an option is invalid or no word is left.

    Parameters
    ----------
    texts : sequence of str
        One text per document. If all words of a document are dropped, the row is zero.
    stop_words : "english", sequence of str or None, default="english"
        Words to drop. "english" is scikit-learn's list, which includes "fire" and "system".
    min_df, max_df : int or float, default=1 and 1.0
        Minimum and maximum number (int) or fraction (float) of documents that contain a word.

    Returns
    -------
    X : csr_matrix of shape (n_documents, n_words), float64
        0/1 indicators.
    vocabulary : ndarray of shape (n_words,)
        Word of each column, in alphabetical order.

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


def fit_terms(vectorizer: Any, texts: Sequence[str]) -> tuple[Any, NDArray[Any]]:
    """Fit a scikit-learn vectorizer, and return the document-term matrix and the terms."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError("texts must be a sequence of strings, one per document")
    if not len(texts):
        raise ValueError("texts must contain at least one document")
    return _fit_terms(vectorizer, texts)


def _fit_terms(vectorizer: Any, texts: Sequence[Any]) -> tuple[Any, NDArray[Any]]:
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError as error:
        if "empty vocabulary" in str(error):
            raise ValueError("all documents are empty after removing stop words") from error
        if "no terms remain" in str(error) or "max_df corresponds to" in str(error):
            least, most = vectorizer.min_df, vectorizer.max_df
            rest = f"{most} leave no terms in the {len(texts)} documents"
            python, command = f"min_df={least} and max_df={rest}", f"--min-df {least} and --max-df {rest}"
            raise ValueError(Advice("", python, command)) from error
        raise
    return X, vectorizer.get_feature_names_out()


def as_stop_words(stop_words: str | Iterable[str] | None) -> str | list[str] | None:
    return stop_words if stop_words is None or isinstance(stop_words, str) else list(stop_words)
