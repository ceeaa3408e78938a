"""Many groups: ``benchmarks/quality_many.py``.

Compares fits of ParetoClustering with the automatic numbers of clusters, which are extended if a large number
is selected, and with numbers up to the square root of the number of samples. The data are Gaussian groups,
groups of uneven sizes with heavier tails, and data without groups. None were used to choose the rule.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.stats import bootstrap, wilcoxon
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.pool import k_grid

# Groups, features, median distance to the nearest centre in standard deviations, samples.
EVEN = (45, 3, 6, 600), (55, 8, 7, 600), (42, 4, 7, 600), (60, 20, 9, 600), (35, 6, 6, 400), (48, 3, 8, 500)
UNEVEN = (45, 3, 7, 600), (50, 6, 8, 600), (40, 10, 9, 500)
NULLS = (1, 300), (3, 250), (10, 400)  # features, samples


def groups(k: int, d: int, distance: float, n: int, *, even: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Samples and their groups."""
    rng = np.random.default_rng([k, d, n, 11, int(10 * distance)] if even else [k, d, n, 5, 77])
    centers = rng.normal(size=(k, d))
    centers *= distance / np.median(cKDTree(centers).query(centers, 2)[0][:, 1])
    if even:
        classes = rng.permutation(np.arange(n) % k)
        return centers[classes] + rng.normal(size=(n, d)), classes
    classes = rng.choice(k, n, p=rng.dirichlet(np.full(k, 4.0)))
    noise = rng.standard_t(8, size=(n, d)) * rng.uniform(0.6, 1.2, k)[classes][:, None]
    return centers[classes] + noise, classes


def both(X: NDArray[Any]) -> list[ParetoClustering]:
    """Fit with numbers of clusters up to the square root of n_samples, and with the automatic ones."""
    return [ParetoClustering(k_range=ks, random_state=0).fit(X) for ks in (k_grid(len(X)), "auto")]


def main() -> None:
    """Print the indices and numbers of clusters of every set, and the mean difference."""
    warnings.simplefilter("ignore")
    gains = []
    for even, sets in ((True, EVEN), (False, UNEVEN)):
        for k, d, distance, n in sets:
            X, classes = groups(k, d, distance, n, even=even)
            fits = both(X)
            before, now = (adjusted_rand_score(classes, fit.labels_) for fit in fits)
            gains.append(now - before)
            numbers = " -> ".join(str(fit.n_clusters_) for fit in fits)
            print(f"{k} groups, {d} features, {n} samples: {numbers} clusters, ARI {before:.3f} -> {now:.3f}")
    low, high = bootstrap((gains,), np.mean, random_state=0).confidence_interval
    p_value = wilcoxon(gains).pvalue
    print(f"mean difference {np.mean(gains):+.3f} [{low:+.3f}, {high:+.3f}], p = {p_value:.3f}")
    for d, n in NULLS:
        rng = np.random.default_rng([d, n, 9])
        normal = rng.uniform(size=(n, d)), rng.normal(size=(n, d)), rng.lognormal(size=(n, d))
        for name, X in zip(("uniform", "normal", "log-normal"), normal, strict=True):
            found = " -> ".join(f"{fit.n_clusters_} clusters, {fit.verdict_}" for fit in both(X))
            print(f"{name}, {d} features, {n} samples: {found}")


if __name__ == "__main__":
    main()
