"""K-means within limits: time and sum of squares against k-means-constrained, gap of weights and shares."""

from __future__ import annotations

import importlib.util

import numpy as np
from _harness import Row, timed
from numpy.typing import NDArray
from sklearn.datasets import make_blobs

from moo_clustering import ConstrainedKMeans

# Samples, clusters, features and spread of the blobs, and restarts.
CASES = ((1_000, 10, 4, 1.0, 10), (10_000, 10, 4, 2.0, 2), (100_000, 10, 4, 2.0, 1))


def run() -> list[Row]:
    """Sizes within 20% of the mean, weights within 10%, and shares of groups within the default ratios."""
    return [row for case in CASES for row in sizes(*case)] + relaxed()


def blobs(n: int, k: int, d: int, spread: float) -> NDArray[np.float64]:
    """Blobs of very unequal sizes."""
    shares = np.random.default_rng(0).dirichlet(np.ones(k))
    counts = np.random.default_rng(1).multinomial(n, shares)
    return make_blobs(counts, n_features=d, cluster_std=spread, random_state=1)[0]


def sizes(n: int, k: int, d: int, spread: float, n_init: int) -> list[Row]:
    """Processor time and sum of squares with as many restarts."""
    X = blobs(n, k, d, spread)
    low, high = int(0.8 * n / k), int(1.2 * n / k) + 1
    model = ConstrainedKMeans(
        k, min_cluster_size=low, max_cluster_size=high, n_init=n_init, n_jobs=1, random_state=0
    )
    model.fit(X)  # compiles
    seconds, ours = timed(lambda: model.fit(X))
    what = f"sizes {low} to {high}, {n} x {d}, k = {k}, {n_init} starts"
    if importlib.util.find_spec("k_means_constrained") is None:
        return [Row(what, f"{seconds:.2f} s", "k-means-constrained is not installed", "")]
    from k_means_constrained import KMeansConstrained

    rival = KMeansConstrained(k, size_min=low, size_max=high, n_init=n_init, random_state=0)
    theirs, found = timed(lambda: rival.fit(X))
    name = "k-means-constrained"
    return [
        Row(what, f"{seconds:.2f} s", f"{name}: {theirs:.2f} s", f"{theirs / seconds:.1f} x"),
        Row(
            f"sum of squares, {what}",
            f"{ours.inertia_:.6g}",
            f"{name}: {found.inertia_:.6g}",
            f"{ours.inertia_ / found.inertia_:.3f}",
        ),
    ]


def relaxed() -> list[Row]:
    """Gap of weights and of shares to the linear programme, the lower bound of an assignment."""
    rows = []
    for n in (300, 1_000, 3_000):
        X, rng = blobs(n, 8, 4, 2.0), np.random.default_rng(2)
        weight = rng.lognormal(0, 0.6, n)
        groups = np.where(X[:, 0] > 0, rng.integers(0, 3, n), rng.integers(0, 2, n))
        mean = weight.sum() / 8
        bounds = {"min_cluster_weight": 0.9 * mean, "max_cluster_weight": 1.1 * mean}
        for what, options, given in (
            ("weights within 10%", bounds, {"weight": weight}),
            ("shares of three groups", {}, {"groups": groups}),
        ):
            model = ConstrainedKMeans(8, n_init=1, random_state=0, **options)
            seconds, _ = timed(lambda model=model, X=X, given=given: model.fit(X, **given))
            rows.append(
                Row(
                    f"{what}, {n} x 4, k = 8, 1 start, {model.n_iter_} assignments",
                    f"{seconds:.2f} s",
                    "gap to the linear programme",
                    f"{100 * model.gap_:.2f}%",
                )
            )
    return rows
