"""The subspace clusterers by short name."""

from __future__ import annotations

from typing import Any

from moo_clustering.estimators._method import Method

_PAPER = "multi-label ASRS dataset classification using semi-supervised subspace clustering (SISC-ML)"
_COMMON: dict[str, Any] = {"supervision": ("labels", "label_sets"), "sparse": True, "presence": True}

SUBSPACE_METHODS: tuple[Method, ...] = (
    Method(
        name="sisc",
        class_name="SISC",
        paper=_PAPER,
        summary="fuzzy clusters with own weights of features, guided by labels or label sets",
        needs="presence of features, 0 and 1 (binarize=True makes it of counts and weights), dense or "
        "sparse; labels if there are any",
        aliases={"SISC-ML": {}, "SISC-ML-literal": {"aggregation": "sum", "n_neighbors": 5}},
        **_COMMON,
    ),
    Method(
        name="scad2",
        class_name="SCAD2",
        paper=f"Frigui & Nasraoui 2004, a baseline of SISC-ML; {_PAPER}",
        summary="fuzzy k-means with weights of features in every cluster",
        needs="numeric features, dense or sparse, and the number of clusters",
        **_COMMON,
    ),
    Method(
        name="entropy-weighted-kmeans",
        class_name="EntropyWeightedKMeans",
        paper=f"Jing, Ng & Huang 2007, a baseline of SISC-ML; {_PAPER}",
        summary="k-means with weights of features in every cluster, spread by their entropy",
        needs="numeric features, dense or sparse, and the number of clusters",
        aliases={"K-Means-Entropy": {}, "EWKM": {}, "EWKM-mean": {"dispersion": "mean"}},
        **_COMMON,
    ),
    Method(
        name="nsga2-sisc",
        class_name="NSGA2SISC",
        paper=f"SISC-ML with a search of its start, which is ours; {_PAPER}",
        summary="SISC from documents that NSGA-II finds, beside the best of as many random starts",
        needs="presence of features, 0 and 1 (binarize=True makes it of counts and weights), dense or "
        "sparse; labels if there are any",
        **_COMMON,
    ),
)
