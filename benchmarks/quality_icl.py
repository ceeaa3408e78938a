"""Compare ICLClustering with greedy merging alone, ParetoClustering, Gaussian mixtures by BIC, and MOCK.

``python benchmarks/quality_icl.py [SET ...]`` prints a Markdown table: mean ARI over three seeds, the
numbers of clusters, and mean seconds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale

from moo_clustering import MOCK, ICLClustering, ParetoClustering
from moo_clustering.validity import IntegratedClassificationLikelihood

SEEDS = range(3)
Table = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], str]


def categories(seed: int) -> Table:
    """400 samples, 10 columns of 4 categories, 4 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 400)
    shares = rng.dirichlet(np.full(4, 0.7), (4, 10))
    X = np.array([[rng.choice(4, p=shares[c, j]) for j in range(10)] for c in y], dtype=float)
    return X, y, "categories"


def words(seed: int) -> Table:
    """300 documents of 40 words, 5 topics."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, 300)
    shares = rng.dirichlet(np.full(60, 0.3), 5)
    return np.array([rng.multinomial(40, shares[c]) for c in y], dtype=float), y, "counts"


def mixed(seed: int) -> Table:
    """400 samples, 3 numbers and 5 answers, 4 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 400)
    numbers = rng.normal(0, 2, (4, 3))[y] + rng.normal(size=(400, 3))
    answers = rng.random((400, 5)) < rng.beta(0.7, 0.7, (4, 5))[y]
    return np.column_stack([numbers, answers]), y, "auto"


def stretched(seed: int) -> Table:
    """600 samples of five correlated Gaussians in four dimensions."""
    X, y = datasets.make_blobs(600, 4, centers=5, random_state=seed)
    turn = np.random.default_rng(seed).normal(size=(5, 4, 4))
    centers = np.array([X[y == c].mean(axis=0) for c in range(5)])
    return np.einsum("ij,ijk->ik", X - centers[y], turn[y]) + centers[y], y, "auto"


SETS: dict[str, Callable[[int], Table]] = {
    "iris": lambda seed: (*datasets.load_iris(return_X_y=True), "auto"),
    "wine": lambda seed: (*datasets.load_wine(return_X_y=True), "auto"),
    "breast cancer": lambda seed: (*datasets.load_breast_cancer(return_X_y=True), "auto"),
    "blobs, 8": lambda seed: (*datasets.make_blobs(600, 4, centers=8, random_state=seed), "auto"),
    "stretched, 5": stretched,
    "unequal, 3": lambda seed: (
        *datasets.make_blobs([300, 100, 30], 3, cluster_std=[2.0, 1.0, 0.5], random_state=seed),
        "auto",
    ),
    "one Gaussian": lambda seed: (np.random.default_rng(seed).normal(size=(300, 4)), np.zeros(300), "auto"),
    "moons": lambda seed: (*datasets.make_moons(300, noise=0.05, random_state=seed), "auto"),
    "circles": lambda seed: (*datasets.make_circles(300, noise=0.04, factor=0.5, random_state=seed), "auto"),
    "categories, 4": categories,
    "words, 5": words,
    "mixed, 4": mixed,
}


def merged(X: Any, model: str, seed: int) -> Any:
    """Greedy merging of one partition into 20 clusters by k-means."""
    index = IntegratedClassificationLikelihood(model).fit(X)
    levels, icl = index.merge(index.start(20, random_state=seed))
    return levels[icl.argmax()]


def mixture(X: Any, seed: int) -> Any:
    """The Gaussian mixture of 1 to 10 components with the smallest BIC."""
    models = [GaussianMixture(k, n_init=3, random_state=seed).fit(X) for k in range(1, 11)]
    return min(models, key=lambda model: model.bic(X)).predict(X)


METHODS: dict[str, Callable[[Any, str, int], Any]] = {
    "ICL": lambda X, model, seed: ICLClustering(model=model, random_state=seed).fit(X).labels_,
    "merging alone": merged,
    "ParetoClustering": lambda X, model, seed: ParetoClustering(random_state=seed).fit(X).labels_,
    "GMM, BIC": lambda X, model, seed: mixture(scale(X), seed),
    "MOCK": lambda X, model, seed: MOCK(random_state=seed).fit(scale(X)).labels_,
}


def main(names: list[str]) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print(f"| set (classes) | {' | '.join(METHODS)} |\n|---|{'---|' * len(METHODS)}")
    totals: dict[str, list[float]] = {name: [] for name in METHODS}
    for name in names or SETS:
        cells = []
        for method, run in METHODS.items():
            scores, numbers, seconds = [], [], []
            for seed in SEEDS:
                X, y, model = SETS[name](seed)
                if model == "categories" and method not in ("ICL", "merging alone"):
                    X = np.concatenate([np.eye(4)[column.astype(int)] for column in X.T], axis=1)
                start = time.perf_counter()
                labels = run(X, model, seed)
                seconds.append(time.perf_counter() - start)
                scores.append(adjusted_rand_score(y, labels))
                numbers.append(len(np.unique(labels)))
            totals[method].append(float(np.mean(scores)))
            cells.append(f"{np.mean(scores):.3f}; {', '.join(map(str, numbers))}; {np.mean(seconds):.1f} s")
        print(f"| {name} ({len(np.unique(y))}) | {' | '.join(cells)} |", flush=True)
    print("| mean | " + " | ".join(f"{np.mean(scores):.3f}" for scores in totals.values()) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
