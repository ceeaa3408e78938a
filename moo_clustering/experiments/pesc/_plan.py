"""The PESC comparison: one set of runs, of which every table and figure takes those it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.pesc import _curves as curves
from moo_clustering.experiments.pesc import _matrices as matrices
from moo_clustering.experiments.pesc import _parts as parts
from moo_clustering.experiments.pesc import _statistics as statistics
from moo_clustering.experiments.pesc import _tables as tables
from moo_clustering.experiments.pesc import _times as times
from moo_clustering.experiments.pesc._cells import Task, run_task
from moo_clustering.experiments.pesc._given import EFFORT
from moo_clustering.experiments.pesc._graphs import GRIDS
from moo_clustering.experiments.pesc._parts import Part
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._sets import FlatSet, load_flat_sets
from moo_clustering.experiments.pesc._statements import statements
from moo_clustering.experiments.pesc._statements import times as time_statements


@dataclass(frozen=True)
class View:
    """A table or a figure of the paper.

    Parameters
    ----------
    name : str
    parts : sequence of Part
    tables, figures : callable
        Made of the results.
    labels : int, default=0
        Percent of the samples that are labelled.
    sets : sequence of str, default=()
        Sets, unless others are asked for; those that are not found are left out. Default: all.
    one_seed : bool, default=False
    leakage : bool, default=False
        Whether with runs on sorted rows.
    """

    name: str
    parts: Sequence[Part]
    tables: Callable[[Results], list[ResultTable]]
    figures: Callable[[Results], list[ResultFigure]]
    labels: int = 0
    sets: Sequence[str] = ()
    one_seed: bool = False
    leakage: bool = False

    def keys(self, found: FlatSet) -> list[Key]:
        """What tells the runs on a set with one seed apart."""
        keys = [key for part in self.parts for key in part.keys(self.labels)]
        return keys + (parts.leakage_keys() if self.leakage and parts.is_sorted_too(found) else [])


class Pesc:
    """PESC, its rivals and controls on every set with classes that there is.

    Parameters
    ----------
    settings : Settings
        Its ``sets`` are names of files in the folder ``uci`` or of scikit-learn's sets; default: those with
        at most 5000 samples.
    view : View

    References
    ----------
    PESC: "Pareto ensemble-based spectral clustering", Tables 2-6, Figs. 1-6.
    """

    def __init__(self, settings: Settings, view: View) -> None:
        self._view = view
        found = load_flat_sets(settings.data, settings.sets)
        if view.sets and not settings.sets:
            found = [one for one in found if one.name in view.sets]
        self._sets = {one.name: one for one in found}
        self._effort = dict(EFFORT)
        # Not the sets, seeds and view: more of them go on in the same folder.
        self.parameters: dict[str, Any] = {"effort": self._effort, "grids": GRIDS}
        self.cells: list[Key] = [
            {"set": one.name, "data": one.identity, "seed": seed, **key}
            for one in found
            for seed in range(1 if view.one_seed else settings.seeds)
            for key in view.keys(one)
        ]

    def data(self, key: Key) -> Task:
        """The set, what is run on it and the sizes of its search."""
        return Task(self._sets[str(key["set"])], key, self._effort)

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Scores and costs."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score, and the view."""
        results = self._results(values)
        return [tables.everything(results, self._view.name), *self._view.tables(results)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Those of the view."""
        return self._view.figures(self._results(values))

    def _results(self, values: Sequence[Any]) -> Results:
        return Results(list(self._sets.values()), self.cells, values)


def _comparison(number: int, of: Sequence[Part]) -> Callable[[Settings], Pesc]:
    """View of Table 3, 4, 5 or 6."""
    scores = ("accuracy_unlabelled", "accuracy") if tables.LABELS[number] else ("accuracy",)

    def shown(results: Results) -> list[ResultTable]:
        found = [tables.sets(results), *(tables.by_set(results, number, score) for score in scores)]
        found.append(statements(results, number))
        # One set is not enough for tests.
        if len(results.sets) > 1:
            found += statistics.tests(results, number)
        if number == 3:
            found.append(tables.leakage(results, [one for one in results.sets if parts.is_sorted_too(one)]))
        return [*found, tables.all_methods(results, number)]

    def drawn(results: Results) -> list[ResultFigure]:
        return [statistics.diagram(results, number)] if len(results.sets) > 1 else []

    view = View(f"table{number}", of, shown, drawn, tables.LABELS[number], leakage=number == 3)
    return partial(Pesc, view=view)


def _curves(number: int, part: Part) -> Callable[[Settings], Pesc]:
    """View of Figure 1, 2, 3 or 4."""
    view = View(
        f"figure{number}",
        [part],
        lambda results: [curves.table(results, number)],
        lambda results: [curves.drawing(results, number)],
        sets=("wine", "balance_scale", "waveform"),
    )
    return partial(Pesc, view=view)


table3, table4 = _comparison(3, parts.RIVALS), _comparison(4, parts.GRAPHS)
table5, table6 = _comparison(5, parts.SEMI_SUPERVISED), _comparison(6, parts.SEMI_SUPERVISED)
figure1, figure2 = _curves(1, parts.PROBABILITIES), _curves(2, parts.SIZES)
figure3, figure4 = _curves(3, parts.COURSE), _curves(4, parts.LONG_COURSE)
figure5 = partial(
    Pesc,
    view=View(
        "figure5",
        [parts.PICTURE],
        lambda results: [matrices.table(results)],
        matrices.drawings,
        sets=("wine",),
        one_seed=True,
    ),
)
figure6 = partial(
    Pesc,
    view=View(
        "figure6",
        [*parts.RIVALS, *(part for part in parts.GRAPHS if part not in parts.RIVALS)],
        lambda results: [times.table(results), time_statements(results)],
        lambda results: [times.drawing(results)],
    ),
)
