"""A hundred thousand sparse documents in vector form, without an n x n array."""

from __future__ import annotations

import time

import numpy as np
from _harness import Row
from bench_end_to_end import peak_gib
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from moo_clustering import NSGA2Clus


def documents(n: int, n_terms: int = 20_000, n_topics: int = 20, length: int = 60) -> csr_matrix:
    """Rows of term weights, each topic with terms of its own among common ones."""
    rng = np.random.default_rng(0)
    topic = rng.integers(0, n_topics, size=n)
    own = rng.random((n, length)) < 0.4
    terms = np.where(
        own,
        topic[:, None] * 500 + rng.zipf(1.5, size=(n, length)) % 500,
        n_topics * 500 + rng.zipf(1.3, size=(n, length)) % (n_terms - n_topics * 500),
    )
    rows = np.repeat(np.arange(n), length)
    return normalize(csr_matrix((np.ones(n * length), (rows, terms.ravel())), shape=(n, n_terms)))


def run() -> list[Row]:
    """n = 100,000, pop 50, 50 generations."""
    n = 100_000
    X = documents(n)
    NSGA2Clus(pop_size=4, n_gen=1, form="vector", k_max=4, random_state=0).fit(X[:200])
    start = time.perf_counter()
    model = NSGA2Clus(
        pop_size=50, n_gen=50, form="vector", k_max=30, random_state=0, n_jobs=2, verbose=True
    ).fit(X)
    seconds = time.perf_counter() - start
    gib = peak_gib()
    start = time.perf_counter()
    KMeans(model.n_clusters_, n_init=1, random_state=0).fit(X)
    rival = time.perf_counter() - start
    return [
        Row(
            f"NSGA2Clus, cosine, vector form, n = {n:,} sparse documents, pop 50, 50 generations, k up to 30",
            f"{seconds:.0f} s, peak of the process {gib:.2f} GiB",
            f"k-means, one start, k = {model.n_clusters_}: {rival:.1f} s; an n x n float64 matrix: 75 GiB",
            f"k = {model.n_clusters_}",
        )
    ]
