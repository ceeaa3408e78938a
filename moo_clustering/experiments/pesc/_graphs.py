"""Conventional similarity graphs, as runs of the PESC tables: one value of the paper's grids at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.consensus import SIGMA_GRID
from moo_clustering.estimators import SpectralGraphClustering
from moo_clustering.experiments.pesc._given import Found, Given, Run, fitted
from moo_clustering.graphs import eigengap

EPSILONS = (0.2, 0.3, 0.4, 0.5, 0.6)
KINDS = {"kNN": "knn", "mutual kNN": "mutual_knn", "epsilon": "epsilon", "full": "full"}
# The values that are tried of a graph, by its name in the tables.
GRIDS: dict[str, tuple[str, ...]] = {
    name: tuple(f"{value:g}" for value in (EPSILONS if name == "epsilon" else SIGMA_GRID)) for name in KINDS
}


def graph_model(given: Given, reading: str, graph: str, **options: Any) -> SpectralGraphClustering:
    """Spectral clustering of a graph in a reading; without bridges in that of the paper."""
    literal: dict[str, Any] = {"laplacian": "unnormalized", "bridge": False} if reading == "paper" else {}
    chosen = {"graph": graph, "must_link": "clique", "random_state": given.seed, **literal, **options}
    return SpectralGraphClustering(given.n_clusters, **chosen)


def graph_run(name: str) -> Run:
    """Run of a graph; the setting is the value of its grid."""

    def run(given: Given, reading: str, setting: str) -> dict[str, Found]:
        model, seconds = fitted(grid_model(given, reading, name, setting), given)
        return {name: Found(model.labels_, seconds, gap=gap_of(model))}

    return run


def grid_model(given: Given, reading: str, name: str, value: str) -> SpectralGraphClustering:
    """The model of a graph with one value of its grid."""
    scale = {"epsilon" if name == "epsilon" else "sigma": float(value)}
    return graph_model(given, reading, KINDS[name], **scale)


def gap_of(model: SpectralGraphClustering) -> float:
    """Eigengap of the graph that was clustered, always of the normalised Laplacian."""
    K = model.n_clusters
    if model.laplacian == "sym" and len(model.eigenvalues_) > K:
        return float(model.eigenvalues_[K] - model.eigenvalues_[K - 1])
    return eigengap(model.similarity_, K, rng=np.random.default_rng(0))


def waterfill(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """The graph with as many neighbours as the local density asks for."""
    # Bridged in both readings: it is no graph of the paper.
    model, seconds = fitted(graph_model(given, reading, "waterfill", bridge=True), given)
    return {"water-filling graph": Found(model.labels_, seconds)}
