"""Collections of documents with topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.experiments._document_files import data_folder, document_records, find_file, place_of
from moo_clustering.experiments._document_sources import SOURCES

# Topics with fewer documents do not count.
MIN_DOCUMENTS = 10
COLLECTIONS = tuple(SOURCES)


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents that belong to one topic each.

    Parameters
    ----------
    name : str
    stand_in_for : str
        What of the published protocol it stands for, and how it differs.
    documents : list of dict
        Fields ``title``, ``text`` and ``headings`` of each, as
        :func:`~moo_clustering.features.document_term_counts` takes them.
    y : ndarray of shape (n_documents,), int64
        Topic of each: 0, 1, ...
    topics : tuple of str
        Names of the topics in y; each has at least ten documents.
    sizes : (int, int) or None
        Least and most documents of a topic in a drawn data set; None for all there are.
    """

    name: str
    stand_in_for: str
    documents: list[dict[str, Any]]
    y: NDArray[np.int64]
    topics: tuple[str, ...]
    sizes: tuple[int, int] | None = None

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.documents)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)


def load_collection(name: str, folder: str | PathLike[str] | None = None) -> Collection:
    """Read a collection and keep what the protocol of ensemble NMF keeps.

    Documents without any text are left out. Topics with fewer than ten documents are left out, then
    documents in several of the topics that are left, then topics that have fewer than ten documents now.

    Parameters
    ----------
    name : str
        One of ``COLLECTIONS``.
    folder : path-like, optional
        Folder of data sets, which hold the file themselves or in a sub-folder ``text``; default: the folder
        named by the environment variable ``MOO_CLUSTERING_DATA``.

    Raises
    ------
    ValueError
        If there is no collection of this name.
    DataError
        If there is no such file, or it is not what it should be.

    References
    ----------
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 3.1.
    """
    if name not in SOURCES:
        raise ValueError(
            f"there is no collection {name!r}{did_you_mean(name, COLLECTIONS)}; "
            f"there are {', '.join(COLLECTIONS)}"
        )
    source = SOURCES[name]
    path = find_file(source.file, folder)
    records = document_records(path, source)
    kept = _large(topics for _, topics in records)
    single = [(document, topics & kept) for document, topics in records if len(topics & kept) == 1]
    names = tuple(sorted(_large(topics for _, topics in single)))
    code = {topic: number for number, topic in enumerate(names)}
    pairs = [(document, code[topic]) for document, (topic,) in single if topic in code]
    if not pairs:
        raise DataError(f"{path} has no topic with {MIN_DOCUMENTS} documents of its own")
    return Collection(
        name=name,
        stand_in_for=source.stand_in_for,
        documents=[document for document, _ in pairs],
        y=np.array([number for _, number in pairs], dtype=np.int64),
        topics=names,
        sizes=source.sizes,
    )


def available_collections(folder: str | PathLike[str] | None = None) -> tuple[str, ...]:
    """Names of the collections whose files are in a folder.

    Parameters
    ----------
    folder : path-like, optional
        As for :func:`load_collection`.

    Raises
    ------
    DataError
        If there is no folder, or no collection in it.
    """
    given = data_folder(folder)
    found = tuple(name for name, source in SOURCES.items() if place_of(given, source.file) is not None)
    if not found:
        files = ", ".join(source.file for source in SOURCES.values())
        raise DataError(f"there is none of {files} in {given} or its sub-folder text")
    return found


def _large(topics: Iterable[frozenset[str]]) -> frozenset[str]:
    """Topics with enough documents."""
    counts = Counter(topic for document in topics for topic in document)
    return frozenset(topic for topic, count in counts.items() if count >= MIN_DOCUMENTS)
