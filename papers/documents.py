"""Collections of documents in files, and data sets of some of their topics.

:func:`load_collection` reads and filters a collection as in the protocol of ensemble NMF, and
:func:`draw_sets` draws data sets of k topics from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import comb
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.datasets.documents import json_objects
from papers.runner import DATA_VARIABLE, folder_of_data

# Topics with fewer documents are omitted.
MIN_DOCUMENTS = 10
_GENOMICS = "the relevance judgements of TREC Genomics 2004"


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents with one topic each."""

    name: str
    stand_in_for: str  # collection of the published protocol that it replaces, and the differences
    # fields ``title``, ``text`` and ``headings`` of each document, as for
    # :func:`~moo_clustering.features.document_term_counts`
    documents: list[dict[str, Any]]
    y: NDArray[np.int64]  # shape (n_documents,): topic of each document: 0, 1, ...
    topics: tuple[str, ...]  # names of the topics in y; each has at least ten documents
    # minimum and maximum number of documents of a topic in a drawn data set; None for all
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
    """Read a collection, and filter it as in the protocol of ensemble NMF.

    Documents without text are omitted, then topics with fewer than ten documents, then documents with several
    of the remaining topics, and finally topics that now have fewer than ten documents. Raises a ValueError if
    the name is unknown, and a DataError if there is no such file, or it is invalid. Source:
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 3.1.

    Parameters
    ----------
    name : str
        One of ``COLLECTIONS``.
    folder : path-like, optional
        Folder that contains the file, directly or in its subfolder ``text``. Default: the folder in the
        environment variable ``MOO_CLUSTERING_DATA``.
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
        raise DataError(f"{path} has no topic with {MIN_DOCUMENTS} documents of only this topic")
    return Collection(
        name=name,
        stand_in_for=source.stand_in_for,
        documents=[document for document, _ in pairs],
        y=np.array([number for _, number in pairs], dtype=np.int64),
        topics=names,
        sizes=source.sizes,
    )


class Source(NamedTuple):
    """A file of JSON lines with ``title``, ``text``, ``labels`` and, in some files, ``mesh``."""

    file: str
    stand_in_for: str
    sizes: tuple[int, int] | None = None
    topic_of: Callable[[str], str] = str
    heading_of: Callable[[str], str] = str


def _question(label: str) -> str:
    return label.split("/")[0]


def _main_heading(heading: str) -> str:
    # "LUNG: ra, pa" is a heading with the codes of its qualifiers.
    return heading.split(":")[0]


SOURCES = {
    "drug-reviews": Source(
        "drug_reviews.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings that experts included in reviews of drugs",
    ),
    "ebm-questions": Source(
        "ebm_documents.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings that answer clinical questions, 10 to 16 per question",
        topic_of=_question,
    ),
    "cystic-fibrosis": Source(
        "cystic_fibrosis.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings, relevant to one query; topics of one disease",
        heading_of=_main_heading,
    ),
    "ohsumed": Source(
        "ohsumed_single23.jsonl.gz",
        f"{_GENOMICS}: MEDLINE abstracts without headings, by group of diseases",
        sizes=(250, 250),
    ),
    "20news": Source(
        "20news_bydate.jsonl.gz",
        f"{_GENOMICS}: posts to newsgroups, classes of random size; not biomedical",
        sizes=(20, 250),
    ),
    "reuters": Source(
        "reuters21578.jsonl.gz",
        f"{_GENOMICS}: news by topic, classes of random size; not biomedical",
        sizes=(20, 250),
    ),
    "asrs": Source(
        "asrs_raw_text.jsonl.gz",
        f"{_GENOMICS}: flight safety reports, by type of problem; not biomedical",
    ),
}
COLLECTIONS = tuple(SOURCES)


def find_file(file: str, folder: str | PathLike[str] | None) -> Path:
    """Return the path of a file in the data folder or in its subfolder ``text``.

    Raises a DataError if there is no such file.
    """
    given = data_folder(folder)
    place = place_of(given, file)
    if place is None:
        raise DataError(f"there is no {file} in {given} or its subfolder text")
    return place


def data_folder(given: str | PathLike[str] | None) -> Path:
    """Return the given folder, or the one in the environment variable ``MOO_CLUSTERING_DATA``.

    Raises a DataError if neither is set.
    """
    folder = folder_of_data(given)
    if folder is None:
        raise DataError(
            f"a collection of documents requires the folder of its file: pass it, or set {DATA_VARIABLE}"
        )
    return folder


def place_of(folder: Path, file: str) -> Path | None:
    """Return the path of a file in a folder or in its subfolder ``text``; None if neither contains it."""
    return next((path for path in (folder / file, folder / "text" / file) if path.is_file()), None)


def document_records(path: Path, source: Source) -> list[tuple[dict[str, Any], frozenset[str]]]:
    """Return the documents with text, and their topics.

    Raises a DataError if the file cannot be read, or is invalid.
    """
    try:
        return [(document, topics) for document, topics in _records(path, source) if any(document.values())]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _records(path: Path, source: Source) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    for line, record in json_objects(path):
        labels: Any = record.get("labels")
        headings: Any = record.get("mesh") or []
        if not _are_texts(labels) or not _are_texts(headings):
            raise DataError(f"{path}, line {line}: labels and mesh must be lists of strings")
        title, text = (record.get(field) or "" for field in ("title", "text"))
        if not _are_texts([title, text]):
            raise DataError(f"{path}, line {line}: title and text must be strings")
        document = {
            "title": title.strip(),
            "text": text.strip(),
            "headings": [source.heading_of(heading) for heading in headings],
        }
        yield document, frozenset(map(source.topic_of, labels))


def _are_texts(cell: Any) -> bool:
    return isinstance(cell, list) and all(isinstance(item, str) for item in cell)


def _large(topics: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the topics with enough documents."""
    counts = Counter(topic for document in topics for topic in document)
    return frozenset(topic for topic, count in counts.items() if count >= MIN_DOCUMENTS)


def available_collections(folder: str | PathLike[str] | None = None) -> tuple[str, ...]:
    """Return the names of the collections whose files are in a folder.

    Raises a DataError if there is no folder, or no collection in it.

    Parameters
    ----------
    folder : path-like, optional
        As for :func:`load_collection`.
    """
    given = data_folder(folder)
    found = tuple(name for name, source in SOURCES.items() if place_of(given, source.file) is not None)
    if not found:
        files = ", ".join(source.file for source in SOURCES.values())
        raise DataError(f"there is none of {files} in {given} or its subfolder text")
    return found


@dataclass(frozen=True, eq=False)
class DocumentSet:
    """The documents of some topics, in random order."""

    collection: str  # name of the collection
    topics: tuple[str, ...]  # names of the topics in y
    rows: NDArray[np.int64]  # shape (n_documents,): row indices of the documents in the collection
    documents: list[dict[str, Any]]  # these documents of the collection
    y: NDArray[np.int64]  # shape (n_documents,): topic of each document: 0, ..., k - 1

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.rows)

    @property
    def balance(self) -> float:
        """Size of the smallest topic relative to the largest."""
        sizes = np.bincount(self.y)
        return float(sizes.min() / sizes.max())


def draw_sets(collection: Collection, k: int, n_sets: int, rng: np.random.Generator) -> list[DocumentSet]:
    """Draw random data sets of k topics each; no two sets have the same topics.

    Raises a ValueError if ``k`` or ``n_sets`` is out of range. Source: Ensemble non-negative matrix
    factorization for clustering biomedical documents, section 3.1.

    Parameters
    ----------
    collection : Collection
        Its ``sizes`` determine the number of documents per topic: all, or a random number between two limits.
    k : int
        From 2 to the number of topics.
    n_sets : int
        Number of data sets; there are fewer if there are fewer combinations of k topics.
    rng : Generator

    Returns
    -------
    sets : list of DocumentSet
        A larger ``n_sets`` appends sets without changing the first sets.
    """
    if not 2 <= k <= collection.n_topics:
        raise ValueError(
            f"k must be from 2 to {collection.n_topics}, the topics of {collection.name!r}; got {k!r}"
        )
    if n_sets < 1:
        raise ValueError(f"n_sets must be at least 1, got {n_sets!r}")
    drawn: dict[tuple[int, ...], DocumentSet] = {}
    while len(drawn) < min(n_sets, comb(collection.n_topics, k)):
        topics = tuple(sorted(rng.choice(collection.n_topics, size=k, replace=False).tolist()))
        if topics not in drawn:
            drawn[topics] = _set(collection, topics, rng)
    return list(drawn.values())


def _set(collection: Collection, topics: tuple[int, ...], rng: np.random.Generator) -> DocumentSet:
    rows = rng.permutation(np.concatenate([_rows(collection, topic, rng) for topic in topics]))
    return DocumentSet(
        collection=collection.name,
        topics=tuple(collection.topics[topic] for topic in topics),
        rows=rows,
        documents=[collection.documents[row] for row in rows],
        y=np.searchsorted(topics, collection.y[rows]).astype(np.int64),
    )


def _rows(collection: Collection, topic: int, rng: np.random.Generator) -> NDArray[np.int64]:
    rows = np.flatnonzero(collection.y == topic)
    if collection.sizes is None:
        return rows
    least, most = collection.sizes
    return rng.choice(rows, size=min(len(rows), int(rng.integers(least, most + 1))), replace=False)
