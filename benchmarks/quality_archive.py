"""MAP-Elites compared with k-means over the same cells: ``python benchmarks/quality_archive.py [options]``.

Cells are numbers of clusters from 2 to 12 and ten intervals of evenness; each cell keeps its best silhouette.
Every method scores the same number of partitions: MAP-Elites over medoids, with and without one initial
k-means partition per number of clusters; random medoids; k-means with one start per evaluation, equally
often for each number of clusters; and a family of k-means and the cuts of four linkages. Steps inside k-means
do not count as evaluations, which favours it. ``better`` and ``worse`` count the numbers of clusters whose
best silhouette is above or below that of k-means; ``difference`` is the mean over all numbers of clusters.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from moo_clustering.algorithms import MapElites, PartitionArchive, evolve
from moo_clustering.encodings import LabelEncoding, MedoidEncoding, relabel_by_first_appearance
from moo_clustering.problems import PartitionProblem

NUMBERS = range(2, 13)
Table = NDArray[np.float64]


def _generated(name: str) -> Table:
    rng = np.random.default_rng(0)
    if name == "moons":
        X, _ = datasets.make_moons(300, noise=0.07, random_state=0)
    elif name == "circles":
        X, _ = datasets.make_circles(300, noise=0.06, factor=0.4, random_state=0)
    elif name == "uniform":
        X = rng.random((300, 2))
    elif name == "uneven":
        X, _ = datasets.make_blobs([200, 60, 30, 10], cluster_std=0.9, random_state=4)
    else:
        X, _ = datasets.make_blobs(300, centers=6, cluster_std=1.0, random_state=3)
        if name == "stretched":
            X = X @ np.array([[0.6, -0.6], [-0.4, 0.8]])
    return np.asarray(X, dtype=np.float64)


def tables() -> dict[str, Table]:
    """Tables of scikit-learn with standardised columns, and generated points."""
    read = {name: getattr(datasets, f"load_{name}")().data for name in ("iris", "wine", "breast_cancer")}
    read["digits"] = datasets.load_digits().data[:300]
    made = {
        name: _generated(name) for name in ("blobs", "stretched", "uneven", "moons", "circles", "uniform")
    }
    return {name: scale(X) for name, X in (read | made).items()}


def of_partitions(X: Table, labels: Any) -> PartitionArchive:
    """The archive of these partitions."""
    genes = relabel_by_first_appearance(np.array(labels))
    problem = PartitionProblem(X, LabelEncoding(len(X), max(NUMBERS), min(NUMBERS)), "silhouette")
    algorithm = MapElites(pop_size=len(genes), sampling=genes, eliminate_duplicates=False, reference=1.0)
    return evolve(problem, algorithm, n_gen=0).algorithm.archive_


def kmeans(X: Table, n_evals: int, seed: int) -> list[Any]:
    """Partitions of k-means with one start each."""
    numbers = np.resize(np.array(NUMBERS), n_evals)
    rng = np.random.RandomState(seed)
    return [KMeans(int(k), n_init=1, random_state=rng).fit_predict(X) for k in numbers]


def linkages(X: Table) -> list[Any]:
    """All cuts of four linkages."""
    kinds = ("ward", "average", "complete", "single")
    return [AgglomerativeClustering(k, linkage=kind).fit_predict(X) for kind in kinds for k in NUMBERS]


def by_elites(
    X: Table, n_evals: int, seed: int, *, first: Any = None, pop_size: int = 100
) -> PartitionArchive:
    """MAP-Elites over medoids."""
    problem = PartitionProblem(X, MedoidEncoding(X, max(NUMBERS), k_min=min(NUMBERS)), "silhouette")
    operators = problem.operators(MapElites, start=first)
    algorithm = MapElites(pop_size=pop_size, reference=1.0, **operators)
    return evolve(problem, algorithm, n_gen=n_evals // pop_size - 1, seed=seed).algorithm.archive_


def archives(X: Table, n_evals: int, seed: int) -> dict[str, PartitionArchive]:
    """The archive of every method after ``n_evals`` partitions."""
    runs, cuts = kmeans(X, n_evals, seed), linkages(X)
    return {
        "k-means": of_partitions(X, runs),
        "hard algorithms": of_partitions(X, cuts + runs[: n_evals - len(cuts)]),
        "random medoids": by_elites(X, n_evals, seed, pop_size=n_evals),
        "MAP-Elites": by_elites(X, n_evals, seed),
        "MAP-Elites from k-means": by_elites(X, n_evals, seed, first=runs[: len(NUMBERS)]),
    }


def best_per_number(archive: PartitionArchive) -> NDArray[np.float64]:
    """Best silhouette per number of clusters; NaN if no member has this number."""
    best = np.full(len(NUMBERS), np.nan)
    np.fmax.at(best, archive.cells[:, 0], archive.quality)
    return best


def main() -> None:
    """Measure all methods, and print one row per set and one per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evals", type=int, default=1000)
    parser.add_argument("--sets", nargs="*", default=list(tables()))
    given = parser.parse_args()
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        for name in given.sets:
            X = tables()[name]
            for seed in range(given.seeds):
                found = archives(X, given.evals, seed)
                control = best_per_number(found["k-means"])
                for method, archive in found.items():
                    away = best_per_number(archive) - control
                    rows.append(
                        {
                            "set": name, "seed": seed, "method": method, "coverage": archive.coverage,
                            "qd_score": float((archive.quality + 1).sum()), "difference": np.nanmean(away),
                            "better": (away > 1e-9).sum(), "worse": (away < -1e-9).sum(),
                        }
                    )  # fmt: skip
            print(name, flush=True)
    runs = pd.DataFrame(rows)
    means = runs.groupby(["set", "method"], sort=False).mean(numeric_only=True).drop(columns="seed")
    print(means.round(3).to_string())
    print(means.groupby("method", sort=False).mean().round(3).to_string())
    for measure in ("coverage", "difference"):
        wide = means[measure].unstack("method")
        away = np.sign((wide.sub(wide["k-means"], axis=0)).round(9)).T
        counts = pd.DataFrame({"above": (away > 0).sum(axis=1), "below": (away < 0).sum(axis=1)})
        print(f"sets with a mean {measure} above or below that of k-means:\n{counts.to_string()}")


if __name__ == "__main__":
    main()
