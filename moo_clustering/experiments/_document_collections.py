"""Collections of documents with topics."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.datasets._document_records import json_objects
from moo_clustering.experiments._document_sources import SOURCES, Source

# Topics with fewer documents do not count.
MIN_DOCUMENTS = 10
COLLECTIONS = tuple(SOURCES)
_VARIABLE = "MOO_CLUSTERING_DATA"


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
    path = _find(source.file, folder)
    try:
        records = [
            (document, topics) for document, topics in _records(path, source) if any(document.values())
        ]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
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
    given = _folder(folder)
    found = tuple(name for name, source in SOURCES.items() if _place(given, source.file) is not None)
    if not found:
        files = ", ".join(source.file for source in SOURCES.values())
        raise DataError(f"there is none of {files} in {given} or its sub-folder text")
    return found


def _find(file: str, folder: str | PathLike[str] | None) -> Path:
    given = _folder(folder)
    place = _place(given, file)
    if place is None:
        raise DataError(f"there is no {file} in {given} or its sub-folder text")
    return place


def _folder(given: str | PathLike[str] | None) -> Path:
    folder = os.environ.get(_VARIABLE) if given is None else given
    if not folder:
        raise DataError(
            f"a collection of documents needs the folder of its file: give it, or set {_VARIABLE}"
        )
    return Path(folder)


def _place(folder: Path, file: str) -> Path | None:
    return next((path for path in (folder / file, folder / "text" / file) if path.is_file()), None)


def _records(path: Path, source: Source) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Documents and their topics."""
    for line, record in json_objects(path):
        labels: Any = record.get("labels")
        headings: Any = record.get("mesh") or []
        if not _are_texts(labels) or not _are_texts(headings):
            raise DataError(f"{path}, line {line}: labels and mesh must be lists of texts")
        title, text = (record.get(field) or "" for field in ("title", "text"))
        if not _are_texts([title, text]):
            raise DataError(f"{path}, line {line}: title and text must be texts")
        document = {
            "title": title.strip(),
            "text": text.strip(),
            "headings": [source.heading_of(heading) for heading in headings],
        }
        yield document, frozenset(map(source.topic_of, labels))


def _are_texts(cell: Any) -> bool:
    return isinstance(cell, list) and all(isinstance(item, str) for item in cell)


def _large(topics: Iterable[frozenset[str]]) -> frozenset[str]:
    """Topics with enough documents."""
    counts = Counter(topic for document in topics for topic in document)
    return frozenset(topic for topic, count in counts.items() if count >= MIN_DOCUMENTS)
