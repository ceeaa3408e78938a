"""Decoding populations of medoids against plain NumPy, and whole runs against k-means and k-medoids."""

from __future__ import annotations

import importlib.util

import numpy as np
from _harness import Row, compare, timed
from bench_end_to_end import peak_gib
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering import NSGA2Clus
from moo_clustering.encodings.medoid_spaces import MedoidMemo
from moo_clustering.problems import MedoidProblem

N, POP = 5000, 100


def column_gather(D: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Nearest medoid of every sample, one individual at a time."""
    return np.array([D[:, medoids].argmin(axis=1) for medoids in population])


def one_hot_product(D: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Total distance of every sample to its own cluster as a matrix product, and the least of each."""
    medoids = np.empty((len(labels), k), dtype=np.intp)
    for q, row in enumerate(labels):
        own = (D @ np.eye(k)[row])[np.arange(len(row)), row]
        for c in range(k):
            members = np.flatnonzero(row == c)
            medoids[q, c] = members[own[members].argmin()]
    return medoids


def kernels() -> list[Row]:
    """Assignment and medoid update of 100 individuals, N = 5,000."""
    X = np.random.default_rng(0).normal(size=(N, 20))
    problem = MedoidProblem(X, k_max=70, metric="euclidean", n_jobs=2)
    space, D = problem.space, problem.space.distances
    rows = []
    for k in (5, 20, 70):
        rng = np.random.default_rng(k)
        population = np.array([rng.choice(N, k, replace=False) for _ in range(POP)])
        labels = space.nearest(population)[0]
        np.testing.assert_array_equal(labels, column_gather(D, population))
        what = f"nearest medoids of {POP} individuals, N = {N:,}, k = {k}"
        rows.append(
            compare(
                what,
                lambda p=population: space.nearest(p),
                "NumPy column gather",
                lambda p=population: column_gather(D, p),
                repeats=5,
            )
        )
        if k == 70:
            continue
        few = labels[:20]
        np.testing.assert_array_equal(space.medoids(few, k, MedoidMemo(N)), one_hot_product(D, few, k)[:, :k])
        rows.append(
            compare(
                f"medoid update of 20 individuals, N = {N:,}, k = {k}",
                lambda few=few, k=k: space.medoids(few, k, MedoidMemo(N)),
                "one-hot product",
                lambda few=few, k=k: one_hot_product(D, few, k),
                repeats=3,
            )
        )
    return rows


def within(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared distances to the cluster means."""
    return float(sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels)))


def whole_runs() -> list[Row]:
    """N = 5,000, pop 100, 100 generations, compared with the classical methods with the k it found."""
    X = make_blobs(N, n_features=10, centers=12, cluster_std=4.0, random_state=0)[0]
    rows = []
    for form in ("matrix", "vector"):
        metric = "euclidean" if form == "matrix" else "cosine"
        model = NSGA2Clus(pop_size=100, n_gen=100, metric=metric, form=form, random_state=0, n_jobs=2)
        seconds, labels = timed(lambda model=model: model.fit(X).labels_)
        k = len(np.unique(labels))
        rivals = {"k-means": lambda k=k: KMeans(k, n_init=10, random_state=0).fit_predict(X)}
        if importlib.util.find_spec("kmedoids"):
            import kmedoids
            from sklearn.metrics import pairwise_distances

            rivals["FasterPAM"] = lambda k=k: kmedoids.fasterpam(
                pairwise_distances(X), k, random_state=0
            ).labels.astype(int)
        others = []
        for name, rival in rivals.items():
            rival_seconds, rival_labels = timed(rival)
            others.append(f"{name}: {rival_seconds:.1f} s, {within(X, rival_labels):.4g}")
        rows.append(
            Row(
                f"NSGA2Clus, {metric}, {form} form, N = {N:,}, 100 x 100: processor time, within-cluster sum",
                f"{seconds:.1f} s, {within(X, labels):.4g} (k = {k}); "
                f"peak of the process {peak_gib():.2f} GiB",
                "; ".join(others),
                "",
            )
        )
    return rows


def run() -> list[Row]:
    """Kernels, then whole runs."""
    return kernels() + whole_runs()
