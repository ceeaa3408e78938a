"""Texts with one topic each: the four sets of the published protocol, and others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.datasets import DataError, read_documents, tfidf
from moo_clustering.datasets._document_records import json_objects
from moo_clustering.experiments._document_collections import MIN_DOCUMENTS, load_collection
from moo_clustering.experiments._document_sources import SOURCES

TOPIC_FIELDS = ("labels", "label", "class", "target", "topic", "category")
# Terms of fewer documents tell nothing about others.
_LEAST_DOCUMENTS = 2


class Corpus(NamedTuple):
    """Topics of a collection that make a set; "" for the given number of largest ones.

    Attributes
    ----------
    collection : str
    topics : tuple of str
    """

    collection: str
    topics: tuple[str, ...]


# Which groups and classes the published figures are about is not known; eight topics are those of R8.
CORPORA = {
    "newsgroups5": Corpus(
        "20news",
        ("comp.graphics", "rec.sport.hockey", "sci.space", "soc.religion.christian", "talk.politics.mideast"),
    ),
    "newsgroups10": Corpus(
        "20news",
        (
            "alt.atheism",
            "comp.graphics",
            "comp.sys.mac.hardware",
            "misc.forsale",
            "rec.autos",
            "rec.sport.hockey",
            "sci.crypt",
            "sci.med",
            "sci.space",
            "talk.politics.mideast",
        ),
    ),
    "ohsumed5": Corpus("ohsumed", ("C04", "C06", "C10", "C14", "C20")),
    "reuters8": Corpus("reuters", ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")),
}
FILES = {SOURCES[corpus.collection].file for corpus in CORPORA.values()}


class Texts(NamedTuple):
    """Texts and the topic of each, -1 where there is none or there are several."""

    texts: list[str]
    classes: NDArray[np.int64]
    note: str


def corpus_texts(name: str, path: Path) -> Texts:
    """Texts of one of :data:`CORPORA`.

    Raises
    ------
    DataError
        If the file is not as it should be, or lacks topics.
    """
    corpus = CORPORA[name]
    collection = load_collection(corpus.collection, path.parent)
    absent = [topic for topic in corpus.topics if topic not in collection.topics]
    if absent:
        raise DataError(f"no {MIN_DOCUMENTS} documents about {', '.join(absent)}")
    codes = [collection.topics.index(topic) for topic in corpus.topics]
    rows = np.flatnonzero(np.isin(collection.y, codes))
    documents = [collection.documents[row] for row in rows]
    texts = [f"{document['title']}\n{document['text']}" for document in documents]
    classes = np.array([codes.index(topic) for topic in collection.y[rows]], dtype=np.int64)
    return Texts(texts, classes, f"topics {', '.join(corpus.topics)}")


def json_texts(path: Path) -> Texts:
    """Texts of JSON lines with one label each; labels of fewer than ten texts do not count.

    Raises
    ------
    DataError
        If it cannot be read, or has no such field.
    """
    first = next((record for _, record in json_objects(path)), None)
    if first is None:
        raise DataError("no documents")
    field = next((name for name in TOPIC_FIELDS if name in first), None)
    if field is None:
        raise DataError(f"no field {' or '.join(TOPIC_FIELDS)}; there are {', '.join(first)}")
    documents = read_documents(path, labels=field)
    y = documents.y
    if y is None:
        sets = documents.label_sets or []
        codes = {name: number for number, name in enumerate(documents.target_names)}
        y = np.array([codes[names[0]] if len(names) == 1 else -1 for names in sets], dtype=np.int64)
    sizes = np.bincount(y[y >= 0], minlength=1)
    kept = np.flatnonzero((y >= 0) & (sizes[y] >= MIN_DOCUMENTS))
    if not len(kept):
        raise DataError(f"no label of {MIN_DOCUMENTS} texts with no other label")
    note = f"labels in field {field}"
    if len(kept) < len(y):
        note += f"; {len(y) - len(kept)} texts with several labels or a rare or none left out"
    return Texts([documents.texts[row] for row in kept], y[kept], note)


def term_weights(texts: Sequence[str]) -> sp.csr_array:
    """Tf-idf of the terms of two texts at least.

    Raises
    ------
    DataError
        If there are none.
    """
    weights, _ = tfidf(texts, min_df=_LEAST_DOCUMENTS if len(texts) > _LEAST_DOCUMENTS else 1)
    return sp.csr_array(weights)
