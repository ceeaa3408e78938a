"""Documents for the benchmarks: made ones of a known shape, and a stored collection."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from moo_clustering.datasets import DataError
from moo_clustering.features import NCWTransformer, PaperTfidfTransformer, document_term_counts
from papers.documents import load_collection

SHAPE = "1,176 x 5,460 with 226k values"


def abstracts() -> csr_array:
    """Weighted documents that mix topics, words by Zipf's law, with as many values as abstracts have."""
    n, m, n_topics = 1176, 5460, 10
    rng = np.random.default_rng(0)
    common = 1 / np.arange(1, m + 1)
    topics = np.zeros((n_topics, m))
    for topic in topics:
        topic[rng.choice(np.arange(100, m), 200, replace=False)] = 1 / np.arange(1, 201)
    mixture = rng.dirichlet(np.full(n_topics, 0.3), n)
    shares = 0.75 * common / common.sum() + 0.25 * mixture @ (topics / topics.sum(axis=1, keepdims=True))
    lengths = rng.lognormal(np.log(279), 0.35, n).astype(int)
    counts = np.array([rng.multinomial(length, share) for length, share in zip(lengths, shares, strict=True)])
    weights = NCWTransformer().fit_transform(PaperTfidfTransformer().fit_transform(counts))
    return csr_array(weights)


def newsgroup_counts() -> csr_array | None:
    """Counts of all posts to twenty newsgroups, or None where they are not stored."""
    folder = os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data")
    try:
        posts = load_collection("20news", folder)
    except DataError:
        return None
    counts, _ = document_term_counts(posts.documents)
    return csr_array(counts.astype(np.float32))


def noisy_runs(n: int, k: int, n_runs: int) -> NDArray[np.int32]:
    """Labels of runs that agree on two objects in three."""
    rng = np.random.default_rng(0)
    common = rng.integers(k, size=n)
    drawn = rng.integers(k, size=(n_runs, n))
    return np.where(rng.random((n_runs, n)) < 2 / 3, common, drawn).astype(np.int32)
