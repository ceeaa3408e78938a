"""Methods by short name; their classes are imported when asked for."""

from __future__ import annotations

from typing import Any

from moo_clustering._suggest import did_you_mean
from moo_clustering.estimators._bag_methods import BAG_METHODS
from moo_clustering.estimators._document_methods import DOCUMENT_METHODS
from moo_clustering.estimators._flagship_methods import FLAGSHIP_METHODS
from moo_clustering.estimators._graph_methods import GRAPH_METHODS
from moo_clustering.estimators._method import Method
from moo_clustering.estimators._subspace_methods import SUBSPACE_METHODS

__all__ = ["METHODS", "Method", "find_method", "get_method"]


_PESC_PAPER = "Pareto ensemble-based spectral clustering (PESC)"
_NSGA2_CLUS_PAPER = "semi-supervised clustering of medical documents with NSGA-II (NSGA-II-clus)"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *FLAGSHIP_METHODS,
        Method(
            name="pesc",
            class_name="PESC",
            paper=_PESC_PAPER,
            summary="spectral clustering of a graph merged from a Pareto front of neighbour graphs",
            needs="numeric features or precomputed distances, and the number of clusters",
            aliases={
                "PESC_ES1": {"ensemble": "es1"},
                "PESC_ES2": {"ensemble": "es2"},
                "PESC_ES3": {"ensemble": "es3"},
                "PESC-paper": {"operators": "rank", "laplacian": "unnormalized", "list_width": "full"},
            },
            supervision=("labels", "pairs"),
        ),
        Method(
            name="spectral-graph",
            class_name="SpectralGraphClustering",
            paper=f"the conventional similarity graphs that the PESC paper compares with; {_PESC_PAPER}",
            summary="spectral clustering of a k-nearest-neighbour, epsilon, full or water-filling graph",
            needs="numeric features or precomputed distances, and the number of clusters",
            aliases={
                "kNN": {"graph": "knn"},
                "mutual-kNN": {"graph": "mutual_knn"},
                "epsilon-neighborhood": {"graph": "epsilon"},
                "fully-connected": {"graph": "full"},
                "water-filling": {"graph": "waterfill"},
            },
            supervision=("labels", "pairs"),
        ),
        Method(
            name="nsga2-clus",
            class_name="NSGA2Clus",
            paper=_NSGA2_CLUS_PAPER,
            summary="NSGA-II over sets of medoids, guided by constraints; finds the number of clusters",
            needs="features, dense or sparse, or precomputed distances; labels or pairs if there are any",
            aliases={
                "Internal-NSGA-II-clus": {
                    "supervision": "crowding",
                    "post_repair": False,
                    "select": "constraints",
                    "mutation": "swap",
                    "length": "grow",
                    "search": "evolve",
                },
                "External-NSGA-II-clus": {
                    "supervision": "external",
                    "post_repair": False,
                    "select": "constraints",
                    "mutation": "swap",
                    "length": "grow",
                    "search": "evolve",
                },
            },
            supervision=("labels", "pairs"),
            sparse=True,
        ),
        Method(
            name="amosa-clus",
            class_name="AMOSAClus",
            paper=f"a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
            summary="archived simulated annealing over sets of medoids; finds the number of clusters",
            needs="features, dense or sparse, or precomputed distances; labels or pairs if there are any",
            aliases={"AMOSA-centre": {"encoding": "centre"}},
            supervision=("labels", "pairs"),
            sparse=True,
        ),
        Method(
            name="metric-kmeans",
            class_name="MetricKMeans",
            paper=f"Xing et al. 2002, a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
            summary="k-means in a Mahalanobis metric learned from pairs",
            needs="numeric features, the number of clusters, and labels or pairs",
            aliases={"KMDM": {}, "KMDM-full": {"metric": "full"}},
            supervision=("labels", "pairs"),
        ),
        Method(
            name="pckmeans",
            class_name="PCKMeans",
            paper=f"Basu, Banerjee & Mooney 2004; {_NSGA2_CLUS_PAPER}",
            summary="k-means with a price on violated pairs",
            needs="features, dense or sparse, the number of clusters, and labels or pairs",
            supervision=("labels", "pairs"),
            sparse=True,
        ),
        Method(
            name="hmrf-kmeans",
            class_name="HMRFKMeans",
            paper=f"Basu, Bilenko & Mooney 2004, a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
            summary="k-means in which the price of a violated pair depends on the distance of its samples",
            needs="features, dense or sparse, the number of clusters, and labels or pairs",
            aliases={"KMProb": {}},
            supervision=("labels", "pairs"),
            sparse=True,
        ),
        *BAG_METHODS,
        *DOCUMENT_METHODS,
        *SUBSPACE_METHODS,
        *GRAPH_METHODS,
    )
}


def get_method(name: str) -> Method:
    """The method of a name or alias; case, hyphens and underscores do not matter.

    Raises
    ------
    ValueError
        When there is none; the message names the nearest.
    """
    return find_method(name)[0]


def find_method(name: str) -> tuple[Method, dict[str, Any]]:
    """The method of a name or alias, and the options that the alias stands for."""
    wanted = _plain(name)
    for method in METHODS.values():
        if wanted in {_plain(method.name), _plain(method.class_name)}:
            return method, {}
        for alias, options in method.aliases.items():
            if wanted == _plain(alias):
                return method, dict(options)
    known = [*METHODS, *(alias for method in METHODS.values() for alias in method.aliases)]
    raise ValueError(
        f"unknown method {name!r}; known are {', '.join(METHODS)} and aliases{did_you_mean(name, known)}"
    )


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")
