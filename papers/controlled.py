"""Cells of searches beside their controls: what a cell keeps of a comparison, and one comparison of all."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from moo_clustering.controls import ControlComparison, compare
from papers.runner import Key


def kept(found: ControlComparison) -> dict[str, Any]:
    """Runs and curves of one problem and seed, as the cell keeps them."""
    return {
        part: frame.drop(columns=["problem", "seed"]).to_dict("records")
        for part, frame in found._asdict().items()
    }


def searched(problem: Any, algorithm: Any, *, seed: int, **options: Any) -> dict[str, Any]:
    """Run :func:`~moo_clustering.controls.compare` with one seed, and keep what it finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kept(compare(problem, algorithm, seeds=[seed], **options))


def comparisons_of(cells: Iterable[tuple[str, Any, Any, Mapping[str, Any]]]) -> dict[str, ControlComparison]:
    """One comparison per setting, of cells by setting, problem, seed and what they kept."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for setting, problem, seed, value in cells:
        first = {"problem": str(problem), "seed": int(seed)}
        for part, rows in found.setdefault(setting, {"runs": [], "curves": []}).items():
            rows += [first | row for row in value[part]]
    return {setting: ControlComparison(*map(pd.DataFrame, own.values())) for setting, own in found.items()}


def objectives_of(runs: pd.DataFrame) -> list[str]:
    """Names of the columns with the best values of the objectives."""
    return [name for name in map(str, runs) if name.startswith("best ") and name != "best ari"]


def cells_of(sets: Mapping[str, Any], seeds: int) -> list[Key]:
    """A cell per set, with its fingerprint, and seed."""
    return [
        {"set": name, "identity": one.identity, "seed": seed}
        for name, one in sets.items()
        for seed in range(seeds)
    ]
