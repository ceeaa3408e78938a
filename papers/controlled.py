"""Cells of searches and their controls, and comparisons of all cells."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from moo_clustering.controls import ControlComparison, compare
from papers.runner import Key


def kept(found: ControlComparison) -> dict[str, Any]:
    """Return the runs and curves of one problem and seed, as stored in a cell."""
    return {
        part: frame.drop(columns=["problem", "seed"]).to_dict("records")
        for part, frame in found._asdict().items()
    }


def searched(problem: Any, algorithm: Any, *, seed: int, **options: Any) -> dict[str, Any]:
    """Run :func:`~moo_clustering.controls.compare` with one seed, and return its runs and curves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kept(compare(problem, algorithm, seeds=[seed], **options))


def comparisons_of(cells: Iterable[tuple[str, Any, Any, Mapping[str, Any]]]) -> dict[str, ControlComparison]:
    """Return one comparison per setting, from the setting, problem, seed and value of every cell."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for setting, problem, seed, value in cells:
        first = {"problem": str(problem), "seed": int(seed)}
        for part, rows in found.setdefault(setting, {"runs": [], "curves": []}).items():
            rows += [first | row for row in value[part]]
    return {setting: ControlComparison(*map(pd.DataFrame, own.values())) for setting, own in found.items()}


def objectives_of(runs: pd.DataFrame) -> list[str]:
    """Return the names of the columns with the best values of the objectives."""
    return [name for name in map(str, runs) if name.startswith("best ") and name != "best ari"]


def cells_of(sets: Mapping[str, Any], seeds: int) -> list[Key]:
    """Return a cell for every set, identified by its fingerprint, and seed."""
    return [
        {"set": name, "identity": one.identity, "seed": seed}
        for name, one in sets.items()
        for seed in range(seeds)
    ]
