"""The comparison of the flagship with common methods on all sets that there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moo_clustering._suggest import did_you_mean
from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.flagship import _comparison as comparison
from moo_clustering.experiments.flagship import _findings as findings
from moo_clustering.experiments.flagship._cells import BLOCKS, Task, run_task
from moo_clustering.experiments.flagship._draws import FREE_SHARE
from moo_clustering.experiments.flagship._evolved import EVOLUTION, N_RUNS
from moo_clustering.experiments.flagship._few_labels import FRACTIONS
from moo_clustering.experiments.flagship._given_pairs import AMOUNTS, MOST_ROWS
from moo_clustering.experiments.flagship._results import Results
from moo_clustering.experiments.flagship._sets import MOST_ROWS as MOST_ROWS_OF_ALL
from moo_clustering.experiments.flagship._suite import load_suite


class Flagship:
    """ParetoClustering and its rivals on every set with classes of a folder.

    Parameters
    ----------
    settings : Settings
        Its ``seeds`` are repetitions: seeds of clusterers, draws of labels and of pairs. ``sets`` are
        names of sets; ``blocks`` which questions are asked: "unsupervised", "known", "labels", "novel",
        "pairs", "evolution", "families".

    Raises
    ------
    ValueError
        For an unknown set or block.
    DataError
        If there is no set.

    References
    ----------
    ParetoClustering: agreement of algorithm families.
    """

    def __init__(self, settings: Settings) -> None:
        for name in settings.blocks:
            if name not in BLOCKS:
                raise ValueError(
                    f"blocks must be among {', '.join(BLOCKS)}; got {name!r}{did_you_mean(name, BLOCKS)}"
                )
        suite = load_suite(settings.data, settings.sets)
        self._sets = {one.name: one for one in suite.sets}
        self._skipped = suite.skipped
        # Not the sets, blocks and draws: more of them go on in the same folder.
        self.parameters: dict[str, Any] = {
            "rows": [MOST_ROWS_OF_ALL, MOST_ROWS],
            "fractions": FRACTIONS,
            "pairs": AMOUNTS,
            "free": FREE_SHARE,
            "evolution": EVOLUTION,
            "nmf_runs": N_RUNS,
        }
        # Blocks of a set come one after the other, and share its fit where one process does them all.
        self.cells: list[Key] = [
            {
                "set": one.name,
                "data": one.identity,
                "block": name,
                "draws": settings.seeds if block.has_draws else 1,
            }
            for one in suite.sets
            for name, block in BLOCKS.items()
            if name in (settings.blocks or BLOCKS) and one.n_classes >= block.least_classes
        ]

    def data(self, key: Key) -> Task:
        """The set and what is asked of it."""
        return Task(self._sets[str(key["set"])], str(key["block"]), int(key["draws"]))

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Scores, costs and errors of all methods."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score; then means, ranks, losses, confidence, sets, costs and failures."""
        results = Results(list(self._sets.values()), self._skipped, self.cells, values)
        runs = results.runs.astype(object)
        everything = ResultTable(
            "scores", "Scores", [*map(str, runs.columns)], runs.where(runs.notna(), None).values.tolist()
        )
        tables = [comparison.means(results, block) for block in results.blocks]
        if (ranks := comparison.ranks(results)) is not None:
            tables.append(ranks)
        if results.blocks:
            tables.append(findings.losses(results))
        if "unsupervised" in results.blocks:
            tables += findings.confidence(results)
        tables += [comparison.by_set(results, block) for block in results.blocks]
        tables += [findings.costs(results), findings.sets(results)]
        if results.skipped:
            tables.append(findings.skipped(results))
        if results.errors:
            tables.append(findings.failures(results))
        return [everything, *tables]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """None."""
        return []
