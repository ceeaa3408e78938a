"""This package's own methods, the recommended one first."""

from __future__ import annotations

from moo_clustering.estimators._method import Method

RECOMMENDED = "pareto-clustering"
RECOMMENDED_FOR_BAGS = "pareto-bags"

FLAGSHIP_METHODS: tuple[Method, ...] = (
    Method(
        name=RECOMMENDED,
        class_name="ParetoClustering",
        paper="this package",
        summary="recommended: what algorithm families agree on, or what labels of a few samples say of it",
        needs="features, dense or sparse, or precomputed distances; labels or pairs if there are any",
        aliases={
            "pareto": {},
            "flagship": {},
            "pareto-evolved": {"n_gen": 30},
            "pareto-shapes": {"criterion": "minimax"},
            "pareto-new-classes": {"novel": "allow"},
        },
        supervision=("labels", "pairs"),
        sparse=True,
        prepares=True,
    ),
    Method(
        name=RECOMMENDED_FOR_BAGS,
        class_name="ParetoBagClustering",
        paper="this package",
        summary="recommended for bags: consensus over distances, embeddings and algorithms",
        needs="bags of numeric instances; labels or pairs of bags if there are any",
        supervision=("labels", "pairs"),
        bags=True,
    ),
    Method(
        name="memetic-kmeans",
        class_name="MemeticKMeans",
        paper="this package, after Gribel & Vidal 2019 and Fränti 2018",
        summary="k-means of a low sum of squares: evolution of local optima, for 50 and more clusters",
        needs="numeric features, and the number of clusters",
        aliases={
            "swap-kmeans": {"strategy": "swap"},
            "ward-kmeans": {"strategy": "ward"},
        },
    ),
)
