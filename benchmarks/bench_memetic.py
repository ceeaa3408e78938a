"""Lloyd's iterations with Hamerly's bounds, and what searches over centres find at equal cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from _harness import Row, compare
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from moo_clustering import MemeticKMeans
from moo_clustering._kernels.kmeans import lloyd
from moo_clustering.problems.centers import CenterEncoding

GAPS: dict[str, dict[str, Any]] = {
    "multistart": {"strategy": "multistart"},
    "swap": {"strategy": "swap"},
    "memetic": {"ward_start": False},
    "memetic from Ward": {},
    "Ward and swap": {"strategy": "ward"},
}


def run() -> list[Row]:
    """8000 samples of 100 components in 16 and in 2 dimensions: time from the same seeds, and gaps."""
    rows = []
    for d, spread in ((16, 0.13), (2, 0.03)):
        X = components(d, spread)
        rows += speed(X, d)
        rows += gaps(X, d)
    return rows


def components(d: int, spread: float) -> NDArray[np.float64]:
    """Normal components of unlike size, centres uniform in the unit cube."""
    rng = np.random.default_rng(0)
    centers, shares = rng.random((100, d)), rng.dirichlet(np.full(100, 1.5))
    return centers[rng.choice(100, size=8000, p=shares)] + spread * rng.standard_normal((8000, d))


def speed(X: NDArray[np.float64], d: int) -> list[Row]:
    """Our local search compared with scikit-learn's, on one thread, until no label changes."""
    encoding = CenterEncoding(X, 100)
    seeds = encoding.seeds(np.random.default_rng(1))
    labels = np.empty(len(X), dtype=np.int32)

    def ours() -> float:
        centers = seeds.copy()
        return lloyd(encoding.points, centers, labels, 300, 0.0)[0]

    def theirs(algorithm: str) -> float:
        with threadpool_limits(1):
            model = KMeans(100, init=seeds, n_init=1, tol=0.0, algorithm=algorithm).fit(encoding.points)
        return float(model.inertia_)

    np.testing.assert_allclose(ours(), theirs("lloyd"), rtol=1e-9)
    return [
        compare(
            f"local search from given centres, 8000 x {d}, k = 100",
            ours,
            f"scikit-learn KMeans, {algorithm}",
            lambda algorithm=algorithm: theirs(algorithm),
            repeats=6,
        )
        for algorithm in ("lloyd", "elkan")
    ]


def gaps(X: NDArray[np.float64], d: int) -> list[Row]:
    """Sum of squares beyond the best of all strategies."""
    found = {
        name: MemeticKMeans(100, **options, max_distance_evaluations=2 * 10**8, random_state=0)
        .fit(X)
        .inertia_
        for name, options in GAPS.items()
    }
    best = min(found, key=lambda name: found[name])
    return [
        Row(
            f"sum of squares after 2e8 distances, {name}, 8000 x {d}, k = 100",
            f"{value:.6g}",
            f"best of these, {best}: {found[best]:.6g}",
            f"+{100 * (value / found[best] - 1):.3f}%",
        )
        for name, value in found.items()
    ]
