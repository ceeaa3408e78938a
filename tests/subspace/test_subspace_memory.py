"""Memory grows with non-zeros, samples and features, not with samples times features."""

import tracemalloc

import numpy as np
from scipy.sparse import csr_array

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    distances,
    entropy_weighted_kmeans,
    iterate,
    start,
    votes,
)


def test_nothing_of_samples_by_features():
    rng = np.random.default_rng(0)
    n, m, k, per_row = 20_000, 50_000, 6, 10
    indices = np.sort(rng.integers(0, m, (n, per_row)), axis=1).ravel()
    X = csr_array((np.ones(n * per_row), indices, np.arange(0, n * per_row + 1, per_row)), shape=(n, m))
    X.sum_duplicates()
    X.data[:] = 1.0
    targets = partial_targets((rng.random((n, 5)) < 0.3).astype(int), n)
    options = SubspaceOptions()
    tracemalloc.start()
    try:
        data = SubspaceData.of(X)
        W = start("labels", data, targets, k, options, rng)
        found = iterate(data, targets, W, options, max_iter=3).sweep
        d = distances(SubspaceData.of(X[:5000]), found.centers, found.log_weights, 5.0)
        scores = votes(d, found.shares, found.impurities, n_neighbors=3)
        entropy_weighted_kmeans(data, k, max_iter=2, rng=rng)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scores.shape == (5000, 5)
    # 8 bytes, k clusters, some arrays each by sample and by feature, and the data twice
    assert peak < 8 * k * (8 * n + 8 * m) + 60 * X.nnz
    assert peak < n * m / 20
