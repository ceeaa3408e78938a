"""Contents of reports on made-up solutions."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from moo_clustering.visualization.report import ClusterFacts, Column, Panel, PlaneMap, ReportContent

SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "<": "triangle-left",
    ">": "triangle-right",
}
WORDS = ("kernel", "margin", "neural", "bayes", "gene", "protein", "graph", "walk")


def toy_content(n_solutions=12, n_samples=90, n_objectives=2, seed=0, **changes):
    """Solutions of 2, 3, ... 6, 2, ... clusters: nearest of random centres in the plane."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 4, n_samples)
    points = rng.normal(0, 5, (4, 2))[groups] + rng.normal(0, 0.8, (n_samples, 2))
    labels = np.stack([_nearest(points, 2 + place % 5, rng) for place in range(n_solutions)])
    content = ReportContent(
        title="Toy report",
        facts=[("method", "none"), ("seed", str(seed))],
        sample_kind="document",
        sample_names=np.array([f"paper {row}" for row in range(n_samples)]),
        sample_texts=[f"On {WORDS[row % len(WORDS)]} number {row}" for row in range(n_samples)],
        names=[f"solution {place}" for place in range(n_solutions)],
        labels=labels,
        columns=_columns(n_solutions, n_objectives, rng),
        chosen=n_solutions // 2,
        rules={"knee": n_solutions // 3, "most constraints": n_solutions - 1},
        map=PlaneMap(points, np.arange(n_samples), ("first", "second"), "As made."),
        clusters={place: _facts(labels[place], rng) for place in range(n_solutions)},
        features_title="leading terms",
        must_link=_pairs(groups, True, rng),
        cannot_link=_pairs(groups, False, rng),
        history=pd.DataFrame({"generation": [1, 2, 3], "hypervolume": [0.2, 0.5, 0.6], "size": [3, 5, 12]}),
        panels=[
            Panel(
                "matrix", "A matrix", x=["a", "b"], y=["c", "d"], matrix=np.array([[1.0, 2.0], [3.0, 4.0]])
            ),
            Panel("lines", "Some lines", series={"one": (np.arange(3.0), np.arange(3.0) ** 2)}),
            Panel("bars", "Some bars", x=["a", "a"], y=[1.0, 2.0]),
        ],
    )
    if "agreement" not in changes and len(changes.get("labels", labels)) == n_solutions:
        changes["agreement"] = np.array([[adjusted_rand_score(a, b) for b in labels] for a in labels])
    return replace(content, **changes)


def _nearest(points, n_clusters, rng):
    centres = points[rng.choice(len(points), n_clusters, replace=False)]
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    return distances.argmin(axis=1).astype(np.int32)


def _columns(n_solutions, n_objectives, rng):
    names = ("silhouette", "Davies-Bouldin", "compactness", "violated pairs")
    objectives = [
        Column(name, np.round(rng.random(n_solutions), 6), True, place == 0)
        for place, name in enumerate(names[:n_objectives])
    ]
    stability = np.where(np.arange(n_solutions) == 1, np.nan, rng.random(n_solutions))
    return [*objectives, Column("stability", stability, greater_is_better=True)]


def _facts(labels, rng):
    found = []
    for cluster in range(labels.max() + 1):
        rows = np.flatnonzero(labels == cluster)[:3]
        terms = rng.permutation(WORDS)[:3]
        weights = (0.9, 0.5, 0.1)
        found.append(
            ClusterFacts(0.25 * cluster, tuple(rows.tolist()), tuple(zip(terms, weights, strict=True)))
        )
    return found


def _pairs(groups, same, rng):
    pairs = rng.integers(0, len(groups), (40, 2))
    wanted = (groups[pairs[:, 0]] == groups[pairs[:, 1]]) == same
    return pairs[wanted & (pairs[:, 0] != pairs[:, 1])].astype(np.int64)
