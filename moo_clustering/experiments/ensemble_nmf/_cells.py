"""All methods of the ensemble NMF comparison on one data set, and their scores."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.cluster import AgglomerativeClustering

from moo_clustering.consensus import best_half, cspa, hbgf, mcla, select_pareto
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._ensemble_runs import ensemble_runs
from moo_clustering.estimators._spherical_core import bisecting_spherical_kmeans, spherical_kmeans
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.ensemble_nmf._scores import best_of
from moo_clustering.features import NCWTransformer, PaperTfidfTransformer
from moo_clustering.validity import pairwise_nmi

Labels = NDArray[np.int32]
Function = partial[Labels]

SOLVER, DTYPE = "hals", "float32"
TRIALS, MAX_ITER = 10, 100

CONSENSUS: dict[str, Function] = {
    "MCLA (size)": partial(mcla, partitioner="metis"),
    "MCLA (unit)": partial(mcla, partitioner="metis", vertex_weight="unit"),
    "MCLA (matching)": partial(mcla, partitioner="matching"),
    "CSPA (METIS)": partial(cspa, partitioner="metis"),
    "CSPA (average)": partial(cspa, partitioner="average"),
    "HBGF (METIS)": partial(hbgf, partitioner="metis"),
}
BEST_HALF, PARETO, PLAIN = "Best half, MCLA", "Pareto, MCLA", "NMF, MCLA"
RANDOM = "Random labels"


class Task(NamedTuple):
    """What a cell is computed from.

    Attributes
    ----------
    counts : csr_matrix of shape (n_documents, n_terms)
        Of the terms that count in these documents.
    y : ndarray of shape (n_documents,)
        Topics, for scoring only.
    n_clusters, n_runs : int
    metis : bool
        Whether pymetis is there.
    seed : tuple
        Parts of all seeds.
    """

    counts: csr_matrix
    y: NDArray[np.int64]
    n_clusters: int
    n_runs: int
    metis: bool
    seed: tuple[str | int | float, ...]

    def seeds(self, name: str) -> list[np.random.SeedSequence]:
        """One for every run of a method."""
        return seed_of(*self.seed, name).spawn(self.n_runs)

    def rng(self, name: str) -> np.random.Generator:
        """For what is drawn once."""
        return np.random.default_rng(seed_of(*self.seed, name))


def run_task(task: Task) -> dict[str, Any]:
    """Value of a cell: NMI of every run and of every consensus, and what the data set is like."""
    weights, seen = _weights(task.counts)
    sizes = np.bincount(task.y)
    labels, losses, best = _all_runs(task, weights)
    partitions = {"Hierarchical": hierarchical(weights, task.n_clusters)}
    partitions |= _consensus(task, labels["NCW-NMF"], losses, labels["NMF"])

    def scores(found: Labels) -> list[float]:
        return pairwise_nmi(task.y[np.newaxis], completed(found, seen, len(task.y)))[0].tolist()

    runs = {name: scores(found) for name, found in labels.items()}
    return {
        "documents": len(task.y),
        "without_terms": len(task.y) - len(seen),
        "terms": task.counts.shape[1],
        "balance": float(sizes.min() / sizes.max()),
        "runs": runs,
        "best_of": {name: best_of(runs[name], i2, min(TRIALS, task.n_runs)) for name, i2 in best.items()},
        "partitions": {name: scores(found[np.newaxis])[0] for name, found in partitions.items()},
    }


def consensus_functions(metis: bool) -> dict[str, Function]:
    """Those that there are, with METIS or without."""
    return {
        name: function
        for name, function in CONSENSUS.items()
        if metis or function.keywords["partitioner"] != "metis"
    }


def completed(labels: Labels, seen: NDArray[np.intp], n_documents: int) -> Labels:
    """Labels of shape (n_runs, n_documents): documents without terms are in the largest cluster of a run.

    Of equally large ones it is that of the first document.
    """
    out = np.empty((len(labels), n_documents), dtype=np.int32)
    for row, found in zip(out, relabel_by_first_appearance(labels), strict=True):
        row[:] = np.bincount(found).argmax()
        row[seen] = found
    return out


def hierarchical(weights: csr_matrix, n_clusters: int) -> Labels:
    """Average linkage of cosine distances; rows of unit length."""
    distances = np.maximum(1.0 - (weights @ weights.T).toarray(), 0.0)
    np.fill_diagonal(distances, 0.0)
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    return np.asarray(model.fit_predict(distances), dtype=np.int32)


def _weights(counts: csr_matrix) -> tuple[csr_matrix, NDArray[np.intp]]:
    """Rows of unit length, and which documents they are of; frequencies are of all documents."""
    with warnings.catch_warnings():
        # Documents without terms are counted in the table.
        warnings.simplefilter("ignore", UserWarning)
        weights = PaperTfidfTransformer().fit_transform(counts)
    seen = np.flatnonzero(np.diff(weights.indptr) > 0)
    return weights[seen], seen


def _all_runs(
    task: Task, weights: csr_matrix
) -> tuple[dict[str, Labels], NDArray[np.float64], dict[str, list[float]]]:
    """Labels of all runs by method, losses of NCW-NMF, and I2 of both kinds of k-means."""
    labels, i2 = {}, {}
    rows = weights.astype(np.float32)
    for name, algorithm in (("K-means", spherical_kmeans), ("Bisecting", bisecting_spherical_kmeans)):
        found = [
            algorithm(rows, task.n_clusters, max_iter=MAX_ITER, rng=np.random.default_rng(seed))
            for seed in task.seeds(name)
        ]
        labels[name] = np.stack([partition.labels for partition in found])
        i2[name] = [partition.i2 for partition in found]
    for name, matrix in (("NMF", weights), ("NCW-NMF", NCWTransformer().fit_transform(weights))):
        runs = ensemble_runs(
            matrix, task.n_clusters, task.seeds(name), normalise=True, solver=SOLVER, dtype=DTYPE, n_jobs=1
        )
        labels[name] = runs.labels
    rng = task.rng(RANDOM)
    labels[RANDOM] = rng.integers(task.n_clusters, size=labels["NMF"].shape, dtype=np.int32)
    return labels, runs.losses, i2


def _consensus(task: Task, weighted: Labels, losses: NDArray[np.float64], plain: Labels) -> dict[str, Labels]:
    """Consensus of the runs of NCW-NMF by every function and selection, and of those of NMF."""
    k = task.n_clusters
    functions = consensus_functions(task.metis)
    found = {name: function(weighted, k, random_state=task.rng(name)) for name, function in functions.items()}
    half = weighted[best_half(weighted)]
    found[BEST_HALF] = mcla(half, k, random_state=task.rng(BEST_HALF))
    found[PARETO] = select_pareto(
        weighted, k, losses=losses, min_runs=min(5, len(weighted)), random_state=task.rng(PARETO)
    ).labels
    found[PLAIN] = mcla(plain, k, random_state=task.rng(PLAIN))
    return found
