"""What methods made for documents are given of them: weights of stems."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from moo_clustering.cli._features import TextFeatures
from moo_clustering.datasets import DataError, Documents
from moo_clustering.features import PaperTfidfTransformer, document_term_counts

StemmerName = Literal["porter", "english", "none"]
STEMMERS = get_args(StemmerName)
_MIN_DF = 2


def stem_features(
    documents: Documents,
    *,
    stemmer: StemmerName | None = None,
    min_df: float = _MIN_DF,
    max_df: float = 1.0,
) -> TextFeatures:
    """Tf-idf t ln(n / df) of the stems, rows of length one.

    Parameters
    ----------
    documents : Documents
    stemmer : {"porter", "english", "none"}, optional
        Default: Porter's, or with a warning none where snowballstemmer is not installed.
    min_df, max_df : int or float
        Stems in fewer or more documents, or shares of them, are left out.

    Raises
    ------
    DataError
        If no stem is left, or a stemmer is asked for that is not installed.
    """
    chosen = _available(stemmer)
    try:
        counts, terms = document_term_counts(
            documents.texts, min_df=min_df, stemmer=None if chosen == "none" else chosen
        )
    except ImportError as error:
        raise DataError(
            f"--stemmer {chosen} needs snowballstemmer, which is not installed: "
            "pip install moo_clustering[text], or give --stemmer none"
        ) from error
    except ValueError as error:
        raise DataError(str(error)) from error
    most = max_df * len(documents.texts) if isinstance(max_df, float) else max_df
    kept = np.flatnonzero(counts.getnnz(axis=0) <= most)
    if not len(kept):
        raise DataError(
            f"min_df={min_df} and max_df={max_df} leave no term of the {len(documents.texts)} documents"
        )
    with warnings.catch_warnings():
        # The estimators tell what becomes of documents without terms.
        warnings.simplefilter("ignore", UserWarning)
        weights = PaperTfidfTransformer().fit_transform(counts[:, kept])
    record: dict[str, Any] = {
        "features": "tf-idf of stems",
        "stemmer": chosen,
        "min_df": min_df,
        "max_df": max_df,
        "svd": None,
    }
    return TextFeatures(documents, weights, terms[kept], weights, record)


def _available(stemmer: StemmerName | None) -> StemmerName:
    if stemmer is not None:
        return stemmer
    if find_spec("snowballstemmer") is not None:
        return "porter"
    warnings.warn(
        "words are not stemmed, because snowballstemmer is not installed (pip install moo_clustering[text])",
        stacklevel=4,
    )
    return "none"
