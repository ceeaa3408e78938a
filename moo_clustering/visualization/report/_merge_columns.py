"""Numbers of the solutions of several runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moo_clustering.visualization.report._content import Column, ReportContent

# Adjusted Rand index with the chosen solution.
TO_RESULT = "agreement with the result"

_Key = tuple[str, bool | None]


def united_columns(contents: Sequence[ReportContent], runs: Sequence[str]) -> list[Column]:
    """A column for every name and direction, objectives first; NaN in runs that have none of it.

    Columns of the same name whose directions differ stay apart, and say which runs they are of. One
    whose direction is not known is taken to be that of the same name.
    """
    directions: dict[str, set[bool]] = {}
    for content in contents:
        for column in content.columns:
            found = directions.setdefault(column.name, set())
            found |= set() if column.greater_is_better is None else {column.greater_is_better}
    groups: dict[_Key, dict[int, Column]] = {}
    for place, content in enumerate(contents):
        for column in content.columns:
            direction, known = column.greater_is_better, directions[column.name]
            if direction is None and len(known) == 1:
                [direction] = known
            groups.setdefault((column.name, direction), {})[place] = column
    titles = [name for name, _ in groups]
    united = [
        Column(
            name if titles.count(name) == 1 else f"{name} ({', '.join(runs[place] for place in parts)})",
            np.concatenate(
                [
                    parts[place].values if place in parts else np.full(content.n_solutions, np.nan)
                    for place, content in enumerate(contents)
                ]
            ),
            any(column.is_objective for column in parts.values()),
            direction,
        )
        for (name, direction), parts in groups.items()
    ]
    return sorted(united, key=lambda column: not column.is_objective)
