"""Rows of the SISC-ML tables, and what is beside them here."""

from __future__ import annotations

from moo_clustering.experiments.sisc_ml._methods import ALL, METHODS, ONE, SUM
from moo_clustering.experiments.sisc_ml._splits import ALL_TRAIN, LABELLED

Scored = tuple[str, str]  # a method and a kind of its scores
SISC_ML: Scored = ("SISC-ML", ALL)
LITERAL: Scored = ("SISC-ML", SUM)
LOGISTIC: tuple[Scored, ...] = (
    ("logistic regression (binary, C=0.1)", ""),
    ("logistic regression (tf-idf, C=1)", ""),
)

# Rows of Table 2; of each the first is as the paper has it.
READINGS: dict[str, tuple[Scored, ...]] = {
    "SISC-ML": (LITERAL, ("SISC-ML", ONE), SISC_ML),
    "k-NN": (("k-NN (Euclidean)", "kappa=5"), ("k-NN (Euclidean)", "kappa=50")),
    "SCAD2": (("SCAD2", SUM), ("SCAD2", ALL)),
    "K-Means Entropy": (
        ("K-means entropy (sum D)", SUM),
        ("K-means entropy (sum D)", ONE),
        ("K-means entropy (sum D)", "kappa=5"),
    ),
    "MetaLabeler": (("MetaLabeler", "cut"), ("MetaLabeler", "uncut")),
    "Pruned Set": (("pruned sets", ""),),
}
PROTOCOLS = {
    LABELLED: "labelled documents",
    ALL_TRAIN: "leaky: features chosen with all training labels",
}


def title_of(scored: Scored) -> str:
    """Method and kind in one."""
    method, kind = scored
    return f"{method}, {kind}" if kind else method


def all_scored(*, limited: bool = False) -> list[Scored]:
    """Every method with every kind of its scores, or only those compared with fewer labelled documents."""
    return [
        (method.name, kind)
        for method in METHODS.values()
        for kind in method.kinds
        if method.limited or not limited
    ]
