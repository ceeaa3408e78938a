"""The methods that search graphs, and their peers, by short name."""

from __future__ import annotations

from moo_clustering.estimators._method import Method
from moo_clustering.estimators.graph_family._mock_presets import DELTA, PAPER_2007, PESC_PAPER

GRAPH_METHODS: tuple[Method, ...] = (
    Method(
        name="mock",
        class_name="MOCK",
        paper="Handl & Knowles 2007, Garza-Fabre, Handl & Knowles 2018, baselines of the PESC paper",
        summary="compact clusters of neighbours from links of a spanning tree; finds the number of clusters",
        needs="numeric features; labels or pairs if there are any",
        aliases={
            "MOCK-2007": PAPER_2007,
            "delta-MOCK": DELTA,
            "MOCK-PESC": PESC_PAPER,
            "Semi-MOCK": {"supervision": "objective"},
        },
        supervision=("labels", "pairs"),
    ),
    Method(
        name="srmosc",
        class_name="SRMOSC",
        paper="Luo, Jiao & Lozano 2016, a baseline of the PESC paper",
        summary="spectral clustering of graphs from a front of sparse representations of the samples",
        needs="numeric features, and the number of clusters; labels or pairs if there are any",
        aliases={"SRMOSC-evolved": {"solver": "nsga2"}},
        supervision=("labels", "pairs"),
        evolves_with={"solver": "nsga2"},
    ),
    Method(
        name="fuzzy-modes-moga",
        class_name="FuzzyModesMOGA",
        paper="Mukhopadhyay, Maulik & Bandyopadhyay 2009, a baseline of the PESC paper",
        summary="votes among a front of fuzzy clusterings around modes; categories or numbers",
        needs="categories, or numeric features with metric='euclidean', and the number of clusters",
        aliases={"MOGA(pi,sep)": {}, "MOGA-numeric": {"metric": "euclidean"}},
        categorical=True,
    ),
)
