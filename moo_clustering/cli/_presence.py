"""What methods of presence are given: words of documents as 0 and 1, and the most telling features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._label_use import LabelUse
from moo_clustering.datasets import DataError, Documents, MultiLabelTable, Table
from moo_clustering.features import InformationGainSelector, binary_unigrams


def presence_features(documents: Documents, *, min_df: float = 1, max_df: float = 1.0) -> TextFeatures:
    """Words that are no English stop words, 1 in the documents that hold them."""
    present, vocabulary = binary_unigrams(documents.texts, min_df=min_df, max_df=max_df)
    record = {"features": "presence of words", "min_df": min_df, "max_df": max_df, "svd": None}
    return TextFeatures(documents, present, vocabulary, present, record)


def most_telling(
    data: Table | TextFeatures | MultiLabelTable, labels: LabelUse | None, n_features: int
) -> TextFeatures | MultiLabelTable:
    """The features of the largest information gain about the labels that the fit is given.

    Raises
    ------
    DataError
        For tables, and without such labels.
    """
    if isinstance(data, Table):
        raise DataError(
            f"--features selects words of documents and features of multi-label files, and {data.name} is a "
            "table of numbers"
        )
    if labels is None or labels.y is None:
        raise DataError(
            "--features selects by the labels that the fit is given, and there are none"
            + ("" if labels is None else ": --hold-out withholds them all")
        )
    selector = InformationGainSelector(n_features).fit(data.X, labels.y)
    kept: Any = selector.get_support(indices=True)
    if isinstance(data, MultiLabelTable):
        names = tuple(np.asarray(data.feature_names)[kept].tolist())
        return replace(data, X=data.X[:, kept], feature_names=names)
    record = data.record | {"selected_by": "information gain", "n_terms_before": len(data.vocabulary)}
    X = data.X[:, kept]
    return TextFeatures(data.documents, X, data.vocabulary[kept], X, record)
