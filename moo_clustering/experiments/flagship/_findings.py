"""What the sets are, where the flagship loses, whether its confidence means anything, costs, failures."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.flagship._names import FLAGSHIP, ORACLE, UNKNOWN
from moo_clustering.experiments.flagship._notes import notes
from moo_clustering.experiments.flagship._results import REFERENCE, Results

_AHEAD = 0.05
_LEVELS = ((0.0, 0.62), (0.62, 0.9), (0.9, 1.0))


def sets(results: Results) -> ResultTable:
    """What the sets are."""
    rows: list[list[Value]] = [
        [one.name, one.kind, *one.table.shape, one.n_classes, one.n_noise, one.scale, one.note]
        for one in results.sets
    ]
    return ResultTable(
        "sets",
        "Sets",
        ["set", "kind", "rows", "features", "classes", "noise", "scale", "note"],
        rows,
        notes("protocol", *(["topics"] if "t" in results.kinds.values() else []), "kinds"),
    )


def skipped(results: Results) -> ResultTable:
    """Files that are no sets."""
    rows: list[list[Value]] = [[one.file, one.reason] for one in results.skipped]
    return ResultTable("skipped", "Files left out", ["file", "reason"], rows)


def losses(results: Results) -> ResultTable:
    """Sets on which another method is clearly ahead."""
    rows: list[list[Value]] = []
    for block in results.blocks:
        for setting in results.main_settings(block):
            frame = results.frame(block, setting)[results.methods(block, bounds=False)]
            reference = frame[REFERENCE[block]]
            for name in frame.index:
                ahead = (frame.loc[name] - reference[name]).drop(REFERENCE[block])
                ahead = ahead[ahead > _AHEAD].sort_values(ascending=False, kind="stable")
                if len(ahead):
                    rivals = ", ".join(f"{rival} +{value:.2f}" for rival, value in ahead.items())
                    rows.append([block, setting, str(name), float(reference[name]), rivals])
    return ResultTable(
        "losses",
        "Where the flagship is behind, and whom",
        ["block", "setting", "set", "ARI", "ahead of it"],
        rows,
        notes("losses"),
    )


def confidence(results: Results) -> list[ResultTable]:
    """Confidence against the ARI reached, by level and by set."""
    frame = results.frame("unsupervised", UNKNOWN)
    reached, best = (frame[name].to_dict() for name in (FLAGSHIP, ORACLE))
    found = [
        (name, float(facts["confidence"]), float(reached[name]))
        for (name, block), facts in results.facts.items()
        if block == "unsupervised" and not np.isnan(facts.get("confidence", np.nan))
    ]
    found.sort(key=lambda one: one[1])
    levels, scores = np.array([one[1] for one in found]), np.array([one[2] for one in found])
    rows: list[list[Value]] = []
    for low, high in _LEVELS:
        # The edges belong to the middle.
        here = scores[(levels > low if low == _LEVELS[2][0] else levels >= low) & _up_to(levels, high)]
        if len(here):
            quantiles = [float(value) for value in np.quantile(here, [0, 0.5, 1])]
            rows.append([f"{low:g} to {high:g}", len(here), *quantiles, float(here.mean())])
    correlated = len(set(levels)) > 1 and len(set(scores)) > 1
    correlation = float(spearmanr(levels, scores).statistic) if correlated else float("nan")
    listed: list[list[Value]] = []
    for name, level, score in found:
        numbers = sorted(set(results.facts[name, "unsupervised"]["n_clusters"]))
        classes = next(one.n_classes for one in results.sets if one.name == name)
        listed.append([name, level, score, float(best[name]), " ".join(map(str, numbers)), classes])
    return [
        ResultTable(
            "confidence",
            f"Confidence and ARI, k unknown: rank correlation {correlation:.2f} over {len(found)} sets",
            ["confidence", "sets", "least ARI", "median ARI", "greatest ARI", "mean ARI"],
            rows,
            notes("confidence"),
        ),
        ResultTable(
            "confidence-sets",
            "Confidence and ARI by set, k unknown",
            ["set", "confidence", "ARI", "ARI of the oracle", "clusters", "classes"],
            listed,
        ),
    ]


def _up_to(levels: NDArray[np.float64], high: float) -> NDArray[np.bool_]:
    below: NDArray[np.bool_] = levels < high if high == _LEVELS[0][1] else levels <= high
    return below


def costs(results: Results) -> ResultTable:
    """Seconds of the methods, over sets and draws."""
    runs = results.runs[results.runs["seconds"].notna()]
    groups = runs.groupby(["block", "method"], sort=False)["seconds"]
    rows: list[list[Value]] = [
        [str(block), str(method), len(times), float(times.median()), float(times.mean()), float(times.max())]
        for (block, method), times in groups
    ]
    for block in results.blocks:
        cells = pd.Series([value for (_, one), value in results.seconds.items() if one == block])
        row: list[Value] = [len(cells), float(cells.median()), float(cells.mean()), float(cells.max())]
        rows.append([block, "all methods and draws of a set", *row])
    return ResultTable(
        "seconds",
        "Seconds of one run",
        ["block", "method", "runs", "median", "mean", "greatest"],
        rows,
        ("In the first two blocks those of the flagship are of a whole fit or of a choice from the pool.",),
        dict.fromkeys(("median", "mean", "greatest"), ".3f"),
    )


def failures(results: Results) -> ResultTable:
    """What could not be run, and why."""
    rows: list[list[Value]] = [list(error) for error in results.errors]
    return ResultTable("failures", "Runs that failed", ["set", "block", "run", "error"], rows)
