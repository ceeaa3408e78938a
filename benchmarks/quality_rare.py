"""Rare groups in three kinds of data: ``python benchmarks/quality_rare.py [--rows 1e5] [--seeds 10]``.

Every data set has ten clusters in ten dimensions, with random centres, axes and shares: Gaussian clusters,
heavy tails (Student's t with three degrees of freedom), or clusters whose scales differ by up to a factor of
20. It contains one Gaussian group of 20 to 60 rows, at least 10⁻⁴ of all, whose distance from every other row
is five times its radius; or no group; or no group and 1% uniform noise. Seed s generates the data and is
the ``random_state`` of the fit. ``--search`` omits the rest of the fit after the search for groups.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from _harness import timed
from numpy.typing import NDArray
from sklearn.neighbors import KDTree

from moo_clustering import ParetoClustering
from moo_clustering.estimators import _pareto_landmarks as landmarks

KINDS, CASES, D, K = ("gaussian", "heavy tails", "unequal"), ("group", "plain", "noise"), 10, 10


def data(kind: str, case: str, n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Shuffled rows, and a mask of the group."""
    rng = np.random.default_rng([2, seed])
    centers, shares = rng.uniform(-4, 4, (K, D)), rng.uniform(1, 6, K)
    y = rng.choice(K, n, p=shares / shares.sum())
    noise = rng.standard_t(3, (n, D)) if kind == "heavy tails" else rng.standard_normal((n, D))
    scales = 10 ** rng.uniform(-1, 0.3, K) if kind == "unequal" else np.ones(K)
    X, size = np.empty((n, D), dtype=np.float32), 0
    for k in range(K):
        axes = np.linalg.qr(rng.normal(size=(D, D)))[0] * rng.uniform(0.5, 1.5, D)
        X[y == k] = centers[k] + scales[k] * noise[y == k] @ axes.T
    if case == "noise":
        X = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), (n // 100, D)).astype(np.float32)])
    elif case == "group":
        size = int(rng.integers(max(20, -(-n // 10_000)), max(61, n // 10_000 + 1)))
        X = np.concatenate([X, group(X, size, rng).astype(np.float32)])
    order = rng.permutation(len(X))
    return X[order], order >= len(X) - size


def group(X: NDArray[np.float32], size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a group around one of the emptier of 50 places between the rows."""
    low, high = np.quantile(X, [0.001, 0.999], axis=0)
    places = rng.uniform(low, high, (50, D))
    reach = KDTree(X).query(places)[0][:, 0]
    at = np.argsort(reach)[rng.integers(25, 50)]
    rows = rng.standard_normal((size, D))
    rows -= rows.mean(axis=0)
    return places[at] + rows * reach[at] / 6 / np.sqrt((rows**2).sum(axis=1).max())


def fitted(X: NDArray[np.float32], seed: int) -> tuple[int, list[NDArray[np.intp]]]:
    """Number of clusters, and the rows of the clusters that are rare groups."""
    model = ParetoClustering(random_state=seed).fit(X)
    assert (model.predict(X) == model.labels_).all()
    return model.n_clusters_, [np.flatnonzero(model.labels_ == each) for each in model.rare_groups_.cluster]


def searched(X: NDArray[np.float32], seed: int) -> tuple[int, list[NDArray[np.intp]]]:
    """Return 0, and the rows of the groups that the search finds."""
    rows = landmarks.FeatureScaling.of(X, "standard", n_components=100).transform(X)
    found = landmarks.separate_groups(rows, landmarks.landmark_centers(rows, 2000, seed), len(rows))
    return 0, [members for members, _ in found]


def results(find: Any, kind: str, case: str, n: int, seeds: range) -> Iterator[tuple[bool, int, float]]:
    """Whether the result is correct, the number of clusters, and processor seconds, for every seed."""
    for seed in seeds:
        X, inside = data(kind, case, n, seed)
        seconds, (k, groups) = timed(lambda: find(X, seed))  # noqa: B023
        overlaps = [inside[each].sum() / (inside.sum() + (~inside[each]).sum()) for each in groups]
        correct = len(groups) == (case == "group") and min(overlaps, default=1.0) >= 0.9
        print(f"  {kind}, {case}, seed {seed}: {correct}, {inside.sum()} rows, {k} clusters, {overlaps}")
        yield correct, k, seconds


def main() -> None:
    """Print a line per kind and case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e5)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--cases", nargs="+", default=CASES, choices=CASES)
    parser.add_argument("--search", action="store_true")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    for kind in options.kinds:
        for case in options.cases:
            find = searched if options.search else fitted
            found = list(results(find, kind, case, int(options.rows), seeds))
            ks, seconds = [k for _, k, _ in found], sum(each for *_, each in found) / len(found)
            text = (
                f"{sum(each for each, *_ in found)} of {len(found)} correct, {min(ks)} to {max(ks)} clusters"
            )
            print(f"{kind}, {case}: {text}, {seconds:.1f} s per fit", flush=True)


if __name__ == "__main__":
    main()
