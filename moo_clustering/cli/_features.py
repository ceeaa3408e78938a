"""What an estimator is given of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets import DataError, Documents, tfidf

_COMPONENTS = 100


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Features of documents.

    Parameters
    ----------
    documents : Documents
    weights : csr_matrix of shape (n_documents, n_terms)
        Tf-idf, rows of length one or zero.
    vocabulary : ndarray of shape (n_terms,)
    X : csr_matrix or ndarray of shape (n_documents, n_features)
        What the estimator is given: the weights, or their leading components.
    record : dict
        How they were made.
    """

    documents: Documents
    weights: Any
    vocabulary: NDArray[Any]
    X: Any
    record: dict[str, Any]

    def __str__(self) -> str:
        terms, components = f"{len(self.vocabulary)} terms", self.record["svd"]
        return terms if components is None else f"{terms} as {components} components"


def text_features(
    documents: Documents,
    *,
    sparse: bool,
    seed: int,
    min_df: float = 1,
    max_df: float = 1.0,
    svd: int | None = None,
) -> TextFeatures:
    """Tf-idf, reduced by a truncated SVD where the method takes no sparse data or ``svd`` asks for it."""
    weights, vocabulary = tfidf(documents.texts, min_df=min_df, max_df=max_df)
    record: dict[str, Any] = {"features": "tf-idf", "min_df": min_df, "max_df": max_df, "svd": None}
    if sparse and svd is None:
        return TextFeatures(documents, weights, vocabulary, weights, record)
    most = min(weights.shape)
    if svd is not None and svd > most:
        raise DataError(
            f"--svd must be at most {most} for {weights.shape[0]} documents with {weights.shape[1]} terms, "
            f"got {svd}"
        )
    components = min(_COMPONENTS, most) if svd is None else svd
    X, share = _reduced(weights, components, seed)
    record |= {"svd": components, "svd_explained_variance": share}
    return TextFeatures(documents, weights, vocabulary, X, record)


def _reduced(weights: Any, n_components: int, seed: int) -> tuple[NDArray[np.float64], float]:
    """Leading components, in rows of length one, and their share of the variance."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    if weights.shape[1] == 1:  # which scikit-learn refuses to decompose
        return weights.toarray(), 1.0
    svd = TruncatedSVD(n_components, random_state=seed)
    with np.errstate(invalid="ignore"):  # equal documents have no variance to explain
        X = svd.fit_transform(weights)
        share = float(svd.explained_variance_ratio_.sum())
    # What the components leave out must not make a document look like an empty one.
    return normalize(X), share if np.isfinite(share) else 1.0
