"""Words of documents, as stems."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

Stemmer = Literal["porter", "english"]
StopWords = Literal["english"] | Iterable[str] | None
ExpandTerms = Callable[[list[str]], Iterable[str]]
TextDocument = str | Mapping[str, Any]

_TOKENS = re.compile("[a-z][a-z]+")
_FIELDS = ("title", "abstract", "text")
_HEADINGS = "headings"
_ALL_FIELDS = (*_FIELDS, _HEADINGS)
_STEMMERS = ("porter", "english")


class StemmingAnalyzer:
    """Stems of a document, for ``CountVectorizer(analyzer=StemmingAnalyzer())``.

    The text in lower case is cut into runs of at least two letters a to z; stop words are dropped, and
    what is left is stemmed, each distinct word once in the life of the analyzer.

    Parameters
    ----------
    stemmer : {"porter", "english", None}, default="porter"
        Porter's stemmer, its successor (Porter 2), or the words as they are. The stemmers need the
        package snowballstemmer.
    stop_words : "english", iterable of str or None, default="english"
        Words that are dropped, before stemming; "english" is scikit-learn's list.
    expand_terms : callable, optional
        ``expand_terms(headings) -> headings``: what stands for the subject headings of a document, such
        as the headings together with all their ancestors in a thesaurus. A document without headings
        is not passed to it.

    Raises
    ------
    ValueError, TypeError
        For options that do not exist.
    ImportError
        If the package snowballstemmer is missing.

    Notes
    -----
    O(length of the document) time, O(distinct words so far) memory. It pickles without the stems it knows.

    References
    ----------
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 3.1.
    M. Porter, "An algorithm for suffix stripping", Program 14 (1980).

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
            raise TypeError(f"expand_terms must be callable or None, got {expand_terms!r}")
        self.stemmer = stemmer
        self.stop_words = _stop_words(stop_words)
        self.expand_terms = expand_terms
        self._stems = _Stems(_stem_function(stemmer), self.stop_words)

    def __call__(self, document: TextDocument) -> list[str]:
        """Stems of a document, in order and with repetitions.

        Parameters
        ----------
        document : str or mapping
            A text; or its fields ``title``, ``abstract`` and ``text`` (texts or None) and ``headings`` (a
            sequence of texts or None), of which at least one is there. They are joined by blanks.

        Raises
        ------
        TypeError, ValueError
            If the document or a field is none of these.
        """
        text = document if isinstance(document, str) else self._joined(document)
        # An empty stem stands for a stop word.
        return [stem for stem in map(self._stems.__getitem__, _TOKENS.findall(text.lower())) if stem]

    def __getstate__(self) -> dict[str, Any]:
        return {"stemmer": self.stemmer, "stop_words": self.stop_words, "expand_terms": self.expand_terms}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"StemmingAnalyzer(stemmer={self.stemmer!r}, {len(self.stop_words)} stop words)"

    def _joined(self, document: Mapping[str, Any]) -> str:
        if not isinstance(document, Mapping):
            raise TypeError(f"a document must be a text or a mapping of its fields, got {document!r}")
        if not any(field in document for field in _ALL_FIELDS):
            raise ValueError(
                f"a document needs a field {', '.join(_FIELDS)} or {_HEADINGS}; this one has "
                f"{', '.join(map(repr, document)) or 'no fields'}"
            )
        headings = _texts(document.get(_HEADINGS), f"the field {_HEADINGS} of a document")
        if headings and self.expand_terms is not None:
            headings = _texts(self.expand_terms(headings), "what expand_terms returns")
        parts = [document.get(field) for field in _FIELDS]
        for field, part in zip(_FIELDS, parts, strict=True):
            if not (part is None or isinstance(part, str)):
                raise TypeError(f"the field {field} of a document must be a text, got {part!r}")
        return " ".join(part for part in [*parts, *headings] if part)


class _Stems(dict[str, str]):
    """Stem of every word so far; empty for stop words."""

    def __init__(self, stem: Callable[[str], str], stop_words: frozenset[str]) -> None:
        super().__init__(dict.fromkeys(stop_words, ""))
        self._stem = stem
        self._lock = threading.Lock()

    def __missing__(self, word: str) -> str:
        # Snowball's stemmers keep the word they are at.
        with self._lock:
            self[word] = self._stem(word)
        return self[word]


def _texts(given: Any, what: str) -> list[str]:
    if given is None:
        return []
    texts: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{what} must be a sequence of texts, got {given!r}")
    return texts


def _stop_words(stop_words: StopWords) -> frozenset[str]:
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f"stop_words must be 'english', a list of words or None, got {stop_words!r}")
        return frozenset(ENGLISH_STOP_WORDS)
    words = list(stop_words)
    if not all(isinstance(word, str) for word in words):
        raise TypeError("stop_words must be 'english', a list of words or None; not all given are words")
    return frozenset(word.lower() for word in words)


def _stem_function(stemmer: Stemmer | None) -> Callable[[str], str]:
    if stemmer is None:
        return str
    if stemmer not in _STEMMERS:
        raise ValueError(f"stemmer must be 'porter', 'english' or None, got {stemmer!r}")
    try:
        import snowballstemmer
    except ImportError as error:
        raise ImportError(
            f"stemmer={stemmer!r} needs snowballstemmer, which is not installed: "
            "pip install moo_clustering[text], or give stemmer=None"
        ) from error
    return snowballstemmer.stemmer(stemmer).stemWord
