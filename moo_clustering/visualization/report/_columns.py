"""Numbers of every solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints._shares import satisfied_pairs
from moo_clustering.visualization.report._content import Column
from moo_clustering.visualization.report._solutions import Solution

Floats = NDArray[np.float64]

# Objectives of this package that are to be great; all others are to be small.
_GREATER = frozenset({"i_index", "sep"})


def greater_is_better(estimator: Any) -> list[bool]:
    """Of every objective of the front, whether it is to be great."""
    names = tuple(getattr(estimator, "objective_names_", ()))
    if any(each.__name__ == "ParetoPoolClusterer" for each in type(estimator).__mro__):
        return [True] * len(names)
    problem = getattr(getattr(estimator, "result_", None), "problem", None)
    natural = getattr(problem, "natural", None)
    if natural is not None:
        signs = np.asarray(natural(np.ones((1, len(names)))), dtype=np.float64).ravel()
        if signs.shape == (len(names),):
            return [bool(sign < 0) for sign in signs]
    return [name in _GREATER for name in names]


def objective_columns(estimator: Any, solutions: Sequence[Solution]) -> list[Column]:
    """Objectives in natural sign, NaN where they are not known."""
    names = tuple(getattr(estimator, "objective_names_", ()))
    found = np.full((len(solutions), len(names)), np.nan)
    for place, solution in enumerate(solutions):
        if solution.values is not None:
            found[place] = solution.values
    return [
        Column(str(name), values, is_objective=True, greater_is_better=greater)
        for name, values, greater in zip(names, found.T, greater_is_better(estimator), strict=True)
        if np.isfinite(values).any()
    ]


def size_columns(labels: NDArray[np.int32]) -> list[Column]:
    """Number of clusters, size of the smallest, and samples in none where there are such."""
    sizes = [np.bincount(row[row >= 0]) for row in labels]
    sizes = [each[each > 0] for each in sizes]
    columns = [
        Column("clusters", np.array([len(each) for each in sizes], dtype=np.float64)),
        Column(
            "smallest cluster",
            np.array([each.min(initial=labels.shape[1]) for each in sizes], dtype=np.float64),
        ),
    ]
    outside = (labels < 0).sum(axis=1)
    return [*columns, Column("in no cluster", outside.astype(np.float64))] if outside.any() else columns


def constraint_columns(labels: NDArray[np.int32], supervision: Mapping[str, Any]) -> list[Column]:
    """Shares of the satisfied constraints: all, must-links, cannot-links."""
    must, cannot = satisfied_pairs(labels, supervision)
    columns = []
    if must.n_pairs and cannot.n_pairs:
        both = (must.satisfied + cannot.satisfied) / (must.n_pairs + cannot.n_pairs)
        columns.append(Column("constraints satisfied", both, greater_is_better=True))
    for name, found in (("must-links satisfied", must), ("cannot-links satisfied", cannot)):
        if found.n_pairs:
            columns.append(Column(name, found.satisfied / found.n_pairs, greater_is_better=True))
    return columns


def score_columns(estimator: Any, solutions: Sequence[Solution]) -> list[Column]:
    """Scores of the method: of a pool, from agreement and modularity; attainment."""
    columns = []
    scoring = getattr(getattr(estimator, "_found", None), "scoring", None)
    if scoring is not None:
        values = np.stack([each.values for each in solutions if each.values is not None])
        columns.append(Column("score", scoring.score(values), greater_is_better=True))
    losses = getattr(estimator, "run_losses_", None)
    if losses is not None:
        of_runs = [_run_of(each) for each in solutions]
        shown = [np.nan if run is None else float(losses[run]) for run in of_runs]
        columns.append(Column("loss of the run", np.array(shown), greater_is_better=False))
    attainment = getattr(estimator, "attainment_scores_", None)
    if attainment is not None:
        shown = [np.nan if each.member is None else float(attainment[each.member]) for each in solutions]
        columns.append(Column("attainment", np.array(shown), greater_is_better=True))
    return columns


def _run_of(solution: Solution) -> int | None:
    runs = [role.removeprefix("run ") for role in solution.roles if role.startswith("run ")]
    return int(runs[0]) if runs else None


def known_columns(columns: Sequence[Column]) -> list[Column]:
    """Those with a number at all."""
    return [column for column in columns if np.isfinite(column.values).any()]
