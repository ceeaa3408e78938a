"""How well PESC clusters, compared with its controls: ``python benchmarks/quality.py [--seeds 5]``.

Accuracy (one-to-one matching of clusters and classes), mean and standard deviation over seeds; rows are
shuffled anew for every seed, the number of clusters is the number of classes, defaults everywhere.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from moo_clustering import PESC, SpectralGraphClustering
from moo_clustering.validity import clustering_accuracy

Cluster = Callable[[np.ndarray, int, int], np.ndarray]

METHODS: dict[str, Cluster] = {
    "PESC": lambda X, k, seed: PESC(k, random_state=seed).fit_predict(X),
    "generation 0": lambda X, k, seed: PESC(k, n_gen=0, random_state=seed).fit_predict(X),
    "kNN graph": lambda X, k, seed: SpectralGraphClustering(k, graph="knn", random_state=seed).fit_predict(X),
    "water-filling": lambda X, k, seed: SpectralGraphClustering(
        k, graph="waterfill", random_state=seed
    ).fit_predict(X),
    "k-means": lambda X, k, seed: KMeans(k, n_init=10, random_state=seed).fit_predict(minmax_scale(X)),
    "random labels": lambda X, k, seed: np.random.default_rng(seed).integers(0, k, len(X)),
}


def data_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Data that scikit-learn bundles, and Wisconsin where the data folder has it."""
    sets = {
        "wine": load_wine(return_X_y=True),
        "breast cancer (569)": load_breast_cancer(return_X_y=True),
        "iris": load_iris(return_X_y=True),
    }
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "uci" / "breast_cancer_wisconsin.npz"
    if file.exists():
        archive = np.load(file, allow_pickle=False)
        sets["breast cancer Wisconsin (683)"] = archive["X"], archive["y"]
    return sets


def scores(cluster: Cluster, X: np.ndarray, y: np.ndarray, seeds: int) -> list[float]:
    """Accuracy per seed on rows in an order of its own."""
    found = []
    for seed in range(seeds):
        rows = np.random.default_rng(seed).permutation(len(X))
        found.append(clustering_accuracy(y[rows], cluster(X[rows], len(np.unique(y)), seed)))
    return found


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    print(f"| accuracy, {seeds} seeds | {' | '.join(METHODS)} |")
    print("|---" * (len(METHODS) + 1) + "|")
    for name, (X, y) in data_sets().items():
        cells = []
        for cluster in METHODS.values():
            values = scores(cluster, X, y, seeds)
            cells.append(f"{np.mean(values):.3f} ± {np.std(values):.3f}")
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
