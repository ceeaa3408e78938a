"""The methods for documents by short name."""

from __future__ import annotations

from typing import Any

from moo_clustering.estimators._method import Method

_PAPER = "ensemble non-negative matrix factorization for clustering biomedical documents (EN-NCW-NMF)"
_COMMON: dict[str, Any] = {"sparse": True, "stems": True}

DOCUMENT_METHODS: tuple[Method, ...] = (
    Method(
        name="ensemble-nmf",
        class_name="EnsembleNMF",
        paper=_PAPER,
        summary="consensus of many factorisations of documents under normalised-cut weights",
        needs="documents, or term weights or counts that are not negative, and the number of clusters",
        aliases={
            "EN-NCW-NMF": {},
            "NCW-NMF-ensemble": {},
            "EN-NMF": {"weighting": None},
            "NCW-NMF": {"n_runs": 1},
        },
        **_COMMON,
    ),
    Method(
        name="nmf-clustering",
        class_name="NMFClustering",
        paper=f"Xu, Liu & Gong 2003, a baseline of ensemble NMF; {_PAPER}",
        summary="clusters of documents by the topics of one non-negative factorisation",
        needs="documents, or term weights that are not negative, and the number of clusters",
        aliases={"NMF": {}, "NMF-literal": {"normalise": False}},
        **_COMMON,
    ),
    Method(
        name="spherical-kmeans",
        class_name="SphericalKMeans",
        paper=f"Dhillon & Modha 2001 and CLUTO, baselines of ensemble NMF; {_PAPER}",
        summary="k-means by cosine, all clusters at once or by repeated bisection",
        needs="documents, or numeric features, dense or sparse, and the number of clusters",
        aliases={"bisecting": {"algorithm": "bisecting"}, "bisecting-kmeans": {"algorithm": "bisecting"}},
        **_COMMON,
    ),
)
