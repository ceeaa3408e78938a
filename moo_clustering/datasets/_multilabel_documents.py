"""Label sets of documents as indicators."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets._documents import Documents


def label_indicators(documents: Documents, *, empty_is_unlabelled: bool = False) -> NDArray[np.int8]:
    """Labels of documents as indicators, one column per name in ``documents.target_names``.

    Parameters
    ----------
    documents : Documents
        As :func:`read_documents` reads them with ``labels=...``.
    empty_is_unlabelled : bool, default=False
        Whether documents with an empty list of labels are unlabelled too. By default they have no
        label, and only those where the labels are missing (no such field, null, an empty cell of a table)
        are unlabelled. Some collections mark unlabelled documents by empty lists.

    Returns
    -------
    ndarray of shape (n_documents, n_labels), int8
        1 where the document has the label, 0 where it has not; rows of -1 are unlabelled documents.

    Raises
    ------
    ValueError
        If the documents were read without labels.

    Examples
    --------
    >>> from moo_clustering.datasets import Documents, label_indicators
    >>> import numpy as np
    >>> documents = Documents(
    ...     "demo", ["a", "b"], np.arange(2), target_names=("u", "v"), label_sets=[("v", "u"), ("v",)]
    ... )
    >>> label_indicators(documents).tolist()
    [[1, 1], [0, 1]]
    """
    if documents.label_sets is not None:
        codes = {name: code for code, name in enumerate(documents.target_names)}
        sets = [[codes[name] for name in names] for names in documents.label_sets]
        labelled = np.ones(len(sets), dtype=bool)
    elif documents.y is not None:
        sets = [[code] if code >= 0 else [] for code in documents.y.tolist()]
        labelled = documents.y >= 0
    else:
        raise ValueError(
            "documents have no known labels; name the column that holds them, as in "
            "read_documents(path, labels='labels')"
        )
    if documents.labelled is not None:
        labelled = documents.labelled
    Y = np.zeros((len(sets), documents.n_classes), dtype=np.int8)
    for row, chosen in enumerate(sets):
        Y[row, chosen] = 1
    empty = np.array([not chosen for chosen in sets], dtype=bool)
    Y[empty if empty_is_unlabelled else empty & ~labelled] = -1
    return Y
