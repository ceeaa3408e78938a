"""Multi-label sets of documents in a data folder, by the columns of the published tables."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.datasets._multilabel_npz import sparse_matrix
from moo_clustering.datasets._npz import load_arrays
from moo_clustering.experiments._document_files import data_folder, document_records, place_of
from moo_clustering.experiments._document_sources import SOURCES
from moo_clustering.experiments.sisc_ml._published import DATASETS
from moo_clustering.features import document_term_counts
from moo_clustering.persistence import fingerprint


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """Documents with any number of labels each.

    Parameters
    ----------
    name : str
    identity : str
        Digits that stand for words and labels.
    size : int
        Documents that are drawn in every repetition, if there are so many.
    Y : ndarray of shape (n_documents, n_labels), int8
        1 where a document has the label, else 0.
    n_words : int or None
        Number of different words; None where they are not counted yet.
    count : callable
        ``count()``: the words of all documents, which takes seconds where they are texts.
    """

    name: str
    identity: str
    size: int
    Y: NDArray[np.int8]
    n_words: int | None
    count: Callable[[], csr_matrix]

    @property
    def title(self) -> str:
        """Name in the paper."""
        return DATASETS[self.name]

    @property
    def n_drawn(self) -> int:
        """Documents of one repetition."""
        return min(self.size, len(self.Y))

    @cached_property
    def X(self) -> csr_matrix:
        """1.0 where a document has the word; shape (n_documents, n_words)."""
        counts = self.count()
        present = csr_matrix((counts != 0).astype(np.float64))
        present.sort_indices()
        return present


# Digits that stand for the set, its labels, number of words if known, and what counts them.
_Content = tuple[str, NDArray[np.int8], int | None, Callable[[], csr_matrix]]


# Documents of one repetition.
SIZES = {"asrs": 10_000, "reuters": 6000, "20news": 6000}


class _Set(NamedTuple):
    files: tuple[str, ...]
    n_labels: int
    read: Callable[[_Set, Sequence[Path]], _Content]


def load_labelled_sets(folder: Path | None, names: Sequence[str] = ()) -> list[LabelledSet]:
    """Sets of the paper that are in a folder, or those asked for.

    Of each the commonest labels count (ties: the first column or name); of texts, only documents with one
    of these.

    Parameters
    ----------
    folder : Path, optional
        Holds the files, itself or in its sub-folder ``text``; default: the folder named by the environment
        variable ``MOO_CLUSTERING_DATA``.
    names : sequence of str, default=()
        Among ``asrs``, ``reuters`` and ``20news``; default: all that are there.

    Returns
    -------
    list of LabelledSet
        In the order of the paper.

    Raises
    ------
    ValueError
        For an unknown name.
    DataError
        If there is no folder, no set in it, not one that is asked for, or one that is not as it should be.
    """
    for name in names:
        if name not in _SETS:
            raise ValueError(
                f"collections must be among {', '.join(_SETS)}; got {name!r}{did_you_mean(name, _SETS)}"
            )
    given = data_folder(folder)
    found = []
    for name, known in _SETS.items():
        places = [place_of(given, file) for file in known.files]
        paths = [place for place in places if place is not None]
        if name in names and len(paths) < len(places):
            absent = known.files[places.index(None)]
            raise DataError(f"there is no {absent} in {given} or its sub-folder text")
        if len(paths) == len(places) and name in (names or _SETS):
            found.append(_labelled_set(name, known, paths))
    if not found:
        files = ", ".join(known.files[0] for known in _SETS.values())
        raise DataError(f"there is none of {files} in {given} or its sub-folder text")
    return found


def _labelled_set(name: str, known: _Set, paths: Sequence[Path]) -> LabelledSet:
    identity, Y, n_words, count = known.read(known, paths)
    if len(Y) < 4 or Y.any(axis=0).sum() < 2:
        raise DataError(f"{paths[0]} must have four documents or more, with two labels or more")
    return LabelledSet(name, identity[:16], SIZES[name], Y, n_words, count)


def _read_matrices(known: _Set, paths: Sequence[Path]) -> _Content:
    words, labels = paths
    try:
        X = csr_matrix(sparse_matrix(load_arrays(words), str(words)))
        Y = load_arrays(labels)["Y"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"cannot read {words} and {labels}: {error}") from error
    if Y.ndim != 2 or len(Y) != X.shape[0] or not np.isin(Y, (0, 1)).all():
        raise DataError(f"{labels} must hold 0 or 1 in a row for each of the {X.shape[0]} rows of {words}")
    kept = np.sort(np.argsort(-Y.sum(axis=0, dtype=np.int64), kind="stable")[: known.n_labels])
    chosen = Y[:, kept].astype(np.int8)
    return fingerprint(X, chosen), chosen, X.shape[1], lambda: X


def _read_texts(known: _Set, paths: Sequence[Path]) -> _Content:
    (path,) = paths
    (source,) = (source for source in SOURCES.values() if source.file in known.files)
    records = document_records(path, source)
    sizes = Counter(label for _, labels in records for label in labels)
    names = sorted(sorted(sizes, key=lambda label: (-sizes[label], label))[: known.n_labels])
    kept = [(document, labels) for document, labels in records if not labels.isdisjoint(names)]
    documents = [document for document, _ in kept]
    Y = np.array([[name in labels for name in names] for _, labels in kept], dtype=np.int8)
    content = json.dumps([documents, names, Y.tolist()])
    identity = hashlib.sha256(content.encode()).hexdigest()
    return identity, Y, None, lambda: document_term_counts(documents, min_df=1, stemmer=None)[0]


_SETS = {
    "asrs": _Set(("asrs_tmc2007_500_X.npz", "asrs_tmc2007_500_Y.npz"), 21, _read_matrices),
    "reuters": _Set((SOURCES["reuters"].file,), 20, _read_texts),
    "20news": _Set((SOURCES["20news"].file,), 20, _read_texts),
}
