"""Similarity graphs of a set, as runs of Fig. 5 of the PESC tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from moo_clustering.experiments.pesc._given import Found, Given, Graph, fitted
from moo_clustering.experiments.pesc._graphs import GRIDS, grid_model
from moo_clustering.experiments.pesc._searches import ENSEMBLES, pesc_model, srmosc_model

PICTURES = ("PESC", "SRMOSC", *GRIDS)


def picture(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Graphs of a method: of PESC one for every ensemble, of a conventional graph the best of its grid."""
    if setting == "PESC":
        model, seconds = fitted(pesc_model(given, reading), given)
        return {f"PESC_{one.upper()}": _shown([model.choose(one)], seconds) for one in ENSEMBLES}
    if setting == "SRMOSC":
        model, seconds = fitted(srmosc_model(given, reading), given)
        return {"SRMOSC": _shown([model], seconds)}
    models = [fitted(grid_model(given, reading, setting, value), given)[0] for value in GRIDS[setting]]
    return {f"{setting}, label-tuned": _shown(models, 0.0)}


def _shown(models: Sequence[Any], seconds: float) -> Found:
    labels = np.stack([model.labels_ for model in models])
    return Found(labels, seconds, graphs=[Graph.of(model) for model in models])
