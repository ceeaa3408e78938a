"""Several runs on the same samples as one report."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.visualization.report._agreement import agreement
from moo_clustering.visualization.report._content import ClusterFacts, Pairs, PlaneMap, ReportContent
from moo_clustering.visualization.report._merge_columns import TO_RESULT, united_columns
from moo_clustering.visualization.report._same_samples import rows_in


def merge(contents: Sequence[ReportContent], names: Sequence[str]) -> ReportContent:
    """The solutions of several runs, to be compared with each other.

    Parameters
    ----------
    contents : sequence of ReportContent
        Runs on the same samples. Samples in another order are put in that of the first run, by their
        names.
    names : sequence of str
        Of the runs; equal ones are told apart by a number.

    Returns
    -------
    ReportContent
        Solutions one run after the other. The chosen one is that of the first run, with which agreement is
        given for all; the map is that of the first run that has one. Columns of the same name are one
        unless their directions differ, NaN in runs without it. Rules, numbers of generations and figures
        say which run they are of; the result of each run is a rule, too. Constraints are those of all
        runs. A single run is given back as it is.

    Raises
    ------
    ValueError
        When there is no run, or two of them are on different samples.

    Notes
    -----
    The agreement of all solutions is computed anew: O(n_solutions² n_samples) time, over a part of the
    samples where that is much.
    """
    if not contents or len(contents) != len(names):
        raise ValueError(f"merge needs runs and a name for each, got {len(contents)} and {len(names)}")
    if len(contents) == 1:
        return contents[0]
    first, runs = contents[0], _told_apart(names)
    starts = np.cumsum([0] + [content.n_solutions for content in contents]).tolist()
    rows = [rows_in(first, content, (runs[0], run)) for content, run in zip(contents, runs, strict=True)]
    parts = [_Part(*part) for part in zip(contents, runs, starts, rows, strict=False)]
    labels = np.vstack([part.labels() for part in parts])
    agreed = agreement(labels, first.chosen, np.random.default_rng(0))
    return ReportContent(
        title=" and ".join(dict.fromkeys(content.title for content in contents)),
        names=[name for content in contents for name in content.names],
        labels=labels,
        sample_names=first.sample_names,
        facts=_facts(parts),
        sample_kind=_common([content.sample_kind for content in contents], "sample"),
        sample_texts=next((texts for part in parts if (texts := part.texts()) is not None), None),
        columns=[
            dataclasses.replace(column, values=agreed.with_chosen) if column.name == TO_RESULT else column
            for column in united_columns(contents, runs)
        ],
        chosen=first.chosen,
        rules={name: row for part in parts for name, row in part.rules().items()},
        runs=[run for part in parts for run in part.runs()],
        cluster_names={row: known for part in parts for row, known in part.cluster_names().items()},
        map=next((plane for part in parts if (plane := part.map()) is not None), None),
        clusters={row: facts for part in parts for row, facts in part.clusters().items()},
        features_title=" or ".join(
            dict.fromkeys(content.features_title for content in contents if content.clusters)
        )
        or first.features_title,
        must_link=_united([part.pairs(part.content.must_link) for part in parts]),
        cannot_link=_united([part.pairs(part.content.cannot_link) for part in parts]),
        agreement=agreed.table,
        agreement_note=agreed.note,
        history=_histories(parts),
        panels=[
            dataclasses.replace(panel, title=f"{part.run}: {panel.title}")
            for part in parts
            for panel in part.content.panels
        ],
        missing=[f"{part.run}: {sentence}" for part in parts for sentence in part.content.missing],
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """A run among others.

    Parameters
    ----------
    content : ReportContent
    run : str
    start : int
        Number of its first solution.
    rows : ndarray of shape (n_samples,), int64
        Rows of its samples in the merged report.
    """

    content: ReportContent
    run: str
    start: int
    rows: NDArray[np.int64]

    def labels(self) -> NDArray[np.int32]:
        labels = np.empty_like(self.content.labels)
        labels[:, self.rows] = self.content.labels
        return labels

    def texts(self) -> list[str] | None:
        if self.content.sample_texts is None:
            return None
        return [self.content.sample_texts[place] for place in np.argsort(self.rows)]

    def runs(self) -> list[str]:
        """Name of the run of every solution, of a merged one with the names within."""
        if not self.content.runs:
            return [self.run] * self.content.n_solutions
        return [f"{self.run}: {run}" for run in self.content.runs]

    def rules(self) -> dict[str, int]:
        found = {"result": self.content.chosen, **self.content.rules}
        return {f"{self.run}: {rule}": self.start + row for rule, row in found.items()}

    def cluster_names(self) -> dict[int, Sequence[str]]:
        return {self.start + row: known for row, known in self.content.cluster_names.items()}

    def map(self) -> PlaneMap | None:
        plane = self.content.map
        if plane is None:
            return None
        rows = self.rows[plane.rows]
        order = np.argsort(rows)
        return dataclasses.replace(plane, positions=plane.positions[order], rows=rows[order])

    def clusters(self) -> dict[int, list[ClusterFacts]]:
        return {
            self.start + row: [self._moved(facts) for facts in found]
            for row, found in self.content.clusters.items()
        }

    def _moved(self, facts: ClusterFacts) -> ClusterFacts:
        return dataclasses.replace(facts, typical=tuple(int(self.rows[place]) for place in facts.typical))

    def pairs(self, pairs: Pairs) -> Pairs:
        return np.sort(self.rows[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)], axis=1)

    def history(self) -> pd.DataFrame | None:
        """By generation, of which repeated ones count once."""
        history = self.content.history
        if history is None or history.shape[1] < 2 or not len(history):
            return None
        by_generation = history.set_index(history.columns[0])
        by_generation = by_generation[~by_generation.index.duplicated(keep="last")]
        return by_generation.add_prefix(f"{self.run}: ")


def _told_apart(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in map(str, names):
        candidate, number = name, 1
        while candidate in found:
            number += 1
            candidate = f"{name} ({number})"
        found.append(candidate)
    return found


def _common(kinds: Sequence[str], otherwise: str) -> str:
    return kinds[0] if len(set(kinds)) == 1 else otherwise


def _facts(parts: Sequence[_Part]) -> list[tuple[str, str]]:
    """What is the same of all runs once, the rest for each run."""
    everywhere = set.intersection(*({tuple(fact) for fact in part.content.facts} for part in parts))
    shared = [fact for fact in parts[0].content.facts if tuple(fact) in everywhere]
    own = [
        (f"{part.run}: {what}", said)
        for part in parts
        for what, said in part.content.facts
        if (what, said) not in everywhere
    ]
    return [("runs", ", ".join(part.run for part in parts)), *shared, *own]


def _united(pairs: Sequence[Pairs]) -> Pairs:
    found: Pairs = np.unique(np.vstack(pairs), axis=0)
    return found


def _histories(parts: Sequence[_Part]) -> pd.DataFrame | None:
    histories = [history for part in parts if (history := part.history()) is not None]
    if not histories:
        return None
    name = _common([str(history.index.name) for history in histories], "generation")
    return pd.concat(histories, axis=1).sort_index().rename_axis(name).reset_index()
