"""Collections of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Documents:
    """A collection of texts.

    Parameters
    ----------
    name : str
        Name of the file or folder it came from.
    texts : list of str
        One per document, possibly empty.
    row_ids : ndarray of shape (n_documents,)
        Identifiers as text, or the numbers 0, 1, ... where the documents have none.
    titles : list of str or None
        Titles, where there is a column of this name.
    y : ndarray of shape (n_documents,), int64, or None
        Known classes 0, 1, ..., for scoring; -1 where there is none. None for several classes a document.
    target_names : tuple of str
        Names of the classes in y or label_sets.
    label_sets : list of tuple of str or None
        Known classes of each document, in their order, where some document has several; else None.
    partial_y : ndarray of shape (n_documents,), int64, or None
        Partial labels 0, 1, ..., for ``fit``; -1 for unlabelled documents.
    partial_names : tuple of str
        Names of the classes in partial_y.
    labelled : ndarray of shape (n_documents,), bool, or None
        Which documents have their known classes stated, be it as an empty list (no class); the others
        have no such field, null or an empty cell. See :func:`label_indicators`.
    """

    name: str
    texts: list[str]
    row_ids: NDArray[Any]
    titles: list[str] | None = None
    y: NDArray[np.int64] | None = None
    target_names: tuple[str, ...] = ()
    label_sets: list[tuple[str, ...]] | None = None
    partial_y: NDArray[np.int64] | None = None
    partial_names: tuple[str, ...] = ()
    labelled: NDArray[np.bool_] | None = None

    @property
    def n_samples(self) -> int:
        """Number of documents."""
        return len(self.texts)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 without known classes."""
        return len(self.target_names)

    @property
    def has_row_ids(self) -> bool:
        """Whether the documents have identifiers of their own."""
        return bool(self.row_ids.dtype.kind == "U")
