"""Data sets of a few topics, drawn from a collection of documents."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.experiments._document_collections import Collection


@dataclass(frozen=True, eq=False)
class DocumentSet:
    """The documents of some topics, in random order.

    Parameters
    ----------
    collection : str
        Name of the collection.
    topics : tuple of str
        Names of the topics in y.
    rows : ndarray of shape (n_documents,), int64
        Numbers of the documents in the collection.
    documents : list of dict
        The collection's documents of these numbers.
    y : ndarray of shape (n_documents,), int64
        Topic of each: 0, ..., k - 1.
    """

    collection: str
    topics: tuple[str, ...]
    rows: NDArray[np.int64]
    documents: list[dict[str, Any]]
    y: NDArray[np.int64]

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.rows)

    @property
    def balance(self) -> float:
        """Size of the smallest topic over that of the largest."""
        sizes = np.bincount(self.y)
        return float(sizes.min() / sizes.max())


def draw_sets(collection: Collection, k: int, n_sets: int, rng: np.random.Generator) -> list[DocumentSet]:
    """Data sets of k topics each, drawn at random without replacement; no two of the same topics.

    Parameters
    ----------
    collection : Collection
        Its ``sizes`` say how many documents of a topic take part: all, or for each topic of each set a
        number drawn between two limits, at most as many as there are.
    k : int
        From 2 to the number of topics.
    n_sets : int
        How many data sets; fewer where there are fewer choices of k topics.
    rng : Generator

    Returns
    -------
    sets : list of DocumentSet
        The first sets are the same for any larger ``n_sets``.

    Raises
    ------
    ValueError
        If ``k`` or ``n_sets`` is out of range.

    References
    ----------
    Ensemble non-negative matrix factorization for clustering biomedical documents, section 3.1.
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
