"""SubspaceMixture: hard EM against NumPy with matrix products, and a fit of 100,000 samples."""

from __future__ import annotations

import time

import numpy as np
from _harness import Row, median_seconds
from _numpy_mixture import hard_em
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from moo_clustering import SubspaceMixture
from moo_clustering.estimators.subspace_mixture import MixtureSearch, samples_of, standardisation

K = 15


def run() -> list[Row]:
    """BLAS on one thread throughout."""
    with threadpool_limits(limits=1):
        return [em(500, 80), em(5_000, 80), fit(100_000, 100)]


def planted(n: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Clusters with three to five relevant features, whose centres are as far from zero as the noise is."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, K, n).astype(np.int32)
    X = rng.normal(size=(n, d))
    for c in range(K):
        members, m = np.flatnonzero(classes == c), int(rng.integers(3, 6))
        own = rng.normal(size=m) + rng.uniform(0.1, 0.3, m) * rng.normal(size=(len(members), m))
        X[np.ix_(members, rng.choice(d, m, replace=False))] = own
    return X, classes


def em(n: int, d: int) -> Row:
    """From a partition of which half is right, until no sample moves."""
    X, classes = planted(n, d)
    rng = np.random.default_rng(1)
    start = np.where(rng.random(n) < 0.5, classes, rng.integers(0, K, n)).astype(np.int32)
    search = MixtureSearch(samples_of(X, standardisation(X)), SubspaceMixture(), rng)
    found = search.converged(search.state(start, K))
    n_iter = search.n_iter
    labels, _ = hard_em(X, start, K)
    np.testing.assert_array_equal(found.labels, labels)
    ours = median_seconds(lambda: search.converged(search.state(start, K)), 20)
    theirs = median_seconds(lambda: hard_em(X, start, K), 5)
    return Row(
        f"hard EM of SubspaceMixture, {n:,} x {d}, k = {K}, {n_iter} iterations, one thread",
        f"{1e3 * ours:.1f} ms",
        f"NumPy, products with all features (the same labels): {1e3 * theirs:.1f} ms",
        f"{theirs / ours:.1f} x",
    )


def fit(n: int, d: int) -> Row:
    """All swaps."""
    X, classes = planted(n, d)
    begun = time.process_time()
    model = SubspaceMixture(K, random_state=0).fit(X)
    seconds = time.process_time() - begun
    ari = adjusted_rand_score(classes, model.labels_)
    return Row(
        f"SubspaceMixture({K}).fit, {n:,} x {d}, one thread, {model.n_iter_:,} iterations of EM",
        f"{seconds:.0f} s of the processor, ARI {ari:.2f}",
        "",
        "",
    )
