"""A report of some of its solutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from moo_clustering.visualization.report._content import ReportContent


def by_importance(content: ReportContent) -> NDArray[np.intp]:
    """Solutions from the one to keep last to the one to drop first.

    The chosen one leads, those of the rules follow, then the others by their mean rank over the
    objectives that have a better direction (ties in their order).
    """
    score = np.zeros(content.n_solutions)
    for column in content.columns:
        if column.is_objective and column.greater_is_better is not None:
            better = -column.values if column.greater_is_better else column.values
            score += rankdata(np.where(np.isnan(better), np.inf, better))
    leading = list(dict.fromkeys([content.chosen, *content.rules.values()]))
    others = np.argsort(score, kind="stable")
    return np.array([*leading, *others[~np.isin(others, leading)]], dtype=np.intp)


def keep_solutions(content: ReportContent, keep: NDArray[np.intp]) -> ReportContent:
    """The content with the solutions ``keep`` only, in their old order.

    Parameters
    ----------
    content : ReportContent
    keep : ndarray of shape (n_kept,)
        Distinct solutions, the chosen one among them. Rules that choose another one go.
    """
    rows = np.sort(keep)
    place = {int(old): new for new, old in enumerate(rows)}
    return replace(
        content,
        names=[content.names[row] for row in rows],
        labels=content.labels[rows],
        columns=[replace(column, values=np.asarray(column.values)[rows]) for column in content.columns],
        chosen=place[content.chosen],
        rules={rule: place[row] for rule, row in content.rules.items() if row in place},
        runs=[content.runs[row] for row in rows] if content.runs else (),
        cluster_names={place[row]: names for row, names in content.cluster_names.items() if row in place},
        clusters={place[row]: facts for row, facts in content.clusters.items() if row in place},
        agreement=None if content.agreement is None else content.agreement[np.ix_(rows, rows)],
    )
