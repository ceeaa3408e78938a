"""Whether the parts of a report speak of the same solutions and samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.visualization.report._content import ReportContent


def fits(content: ReportContent) -> bool:
    """Whether solutions and samples are as many everywhere, and numbers of them are of some that are there.

    Raises
    ------
    TypeError, ValueError, AttributeError
        For parts of other kinds than they should be.
    """
    if content.labels.ndim != 2 or len(content.names) != len(content.labels):
        return False
    n_solutions, n_samples = content.labels.shape
    counted = [len(column.values) for column in content.columns]
    counted += [len(content.runs)] if content.runs else []
    named = [len(content.sample_names)]
    named += [] if content.sample_texts is None else [len(content.sample_texts)]
    if {*counted, n_solutions} != {n_solutions} or {*named, n_samples} != {n_samples}:
        return False
    solutions = [content.chosen, *content.rules.values(), *content.cluster_names, *content.clusters]
    samples = [
        *([] if content.map is None else [content.map.rows]),
        *([content.must_link, content.cannot_link]),
        *(facts.typical for found in content.clusters.values() for facts in found),
    ]
    return (
        _within(solutions, n_solutions)
        and all(_within(rows, n_samples) for rows in samples)
        and (content.map is None or content.map.positions.shape == (len(content.map.rows), 2))
        and (content.agreement is None or content.agreement.shape == (n_solutions, n_solutions))
    )


def _within(places: Any, count: int) -> bool:
    found = np.asarray(places)
    if not found.size:
        return True
    return found.dtype.kind in "iu" and bool((found >= 0).all()) and bool((found < count).all())
