"""Terms of texts by scikit-learn's vectorizers, whose refusals are put in terms of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray


def fit_terms(vectorizer: Any, texts: Sequence[str]) -> tuple[Any, NDArray[Any]]:
    """Matrix of documents by terms, and the terms.

    Parameters
    ----------
    vectorizer : CountVectorizer or TfidfVectorizer
        Not fitted.
    texts : sequence of str
        At least one.

    Raises
    ------
    TypeError
        For anything but a sequence of texts.
    ValueError
        If there is no text, or no term is left.
    """
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError("texts must be a sequence of texts, one per document")
    if not len(texts):
        raise ValueError("texts must have at least one document, got none")
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError as error:
        problem = str(error)
        if "empty vocabulary" in problem:
            raise ValueError("all documents are empty after stop words") from error
        if "no terms remain" in problem or "max_df corresponds to" in problem:
            raise ValueError(
                f"min_df={vectorizer.min_df} and max_df={vectorizer.max_df} leave no term of the "
                f"{len(texts)} documents"
            ) from error
        raise
    return X, vectorizer.get_feature_names_out()


def as_stop_words(stop_words: str | Sequence[str] | None) -> str | list[str] | None:
    """Stop words as scikit-learn takes them."""
    return stop_words if stop_words is None or isinstance(stop_words, str) else list(stop_words)
