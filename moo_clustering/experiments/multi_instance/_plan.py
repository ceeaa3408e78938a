"""The multi-instance comparison: one set of runs, seen as each of the paper's tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.multi_instance import _figures as figures
from moo_clustering.experiments.multi_instance import _statistics as statistics
from moo_clustering.experiments.multi_instance import _tables as tables
from moo_clustering.experiments.multi_instance._cells import Task, run_task
from moo_clustering.experiments.multi_instance._methods import EFFORT, ENTRIES, described
from moo_clustering.experiments.multi_instance._results import Results
from moo_clustering.experiments.multi_instance._sets import load_bag_sets


class Kind(NamedTuple):
    """Internal or external indices, and the level at which the paper tests them."""

    name: str
    metrics: Sequence[str]
    alpha: float


INTERNAL = Kind("internal", tables.INTERNAL_METRICS, 0.01)
EXTERNAL = Kind("external", tables.EXTERNAL_METRICS, 0.05)

View = Callable[[Results], list[ResultTable]]


class MultiInstance:
    """Six methods and their controls on every set of the paper that is in the data folder.

    Parameters
    ----------
    settings : Settings
        Its ``sets`` are names of npz files; default: all of the paper that are found.
    view : callable
        Tables made of the results.
    kind : Kind
        For the figure.
    figure : int, default=0
        Number of the figure; 0 for none.

    References
    ----------
    Evolutionary multi-instance clustering, Tables III-VIII, Figs. 1 and 2.
    """

    def __init__(self, settings: Settings, view: View, kind: Kind, figure: int = 0) -> None:
        self._view, self._kind, self._figure = view, kind, figure
        self._sets = {found.name: found for found in load_bag_sets(settings.data, settings.sets)}
        self._effort = {size: dict(sizes) for size, sizes in EFFORT.items()}
        # Not the sets and seeds: more of them go on in the same folder.
        self.parameters: dict[str, Any] = {"effort": self._effort, "methods": described()}
        self.cells: list[Key] = [
            {"set": name, "data": found.identity, "method": method, "reading": reading, "seed": seed}
            for name, found in self._sets.items()
            for seed in range(settings.seeds)
            for method, reading in ENTRIES
        ]

    def data(self, key: Key) -> Task:
        """The set, the method and the sizes of its search."""
        given = self._sets[str(key["set"])]
        return Task(given, str(key["method"]), str(key["reading"]), int(key["seed"]), self._effort)

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Partition, scores and costs."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score, and the view."""
        results = self._results(values)
        return [tables.everything(results), *self._view(results)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Critical differences, if they are asked for."""
        if not self._figure:
            return []
        kind, name = self._kind, f"figure{self._figure}"
        title = f"Figure {self._figure}: critical differences at {1 - kind.alpha:.0%}, {kind.name} indices"
        results = self._results(values)

        def draw(path: Path) -> None:
            figures.draw(results, kind.metrics, kind.alpha, path)

        return [ResultFigure(name, title, draw)]

    def _results(self, values: Sequence[Any]) -> Results:
        return Results(list(self._sets.values()), self.cells, values)


def _values(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    beside = [tables.beside_published(results, metric, number) for metric in kind.metrics]
    return [*beside, tables.all_methods(results, kind.metrics, kind.name, number)]


def _ranks(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    return [statistics.ranks(results, kind.metrics, number)]


def _tests(kind: Kind, number: int, results: Results) -> list[ResultTable]:
    return [
        statistics.friedman_tests(results, kind.metrics, number),
        statistics.pair_tests(results, kind.metrics, kind.alpha, number),
        statistics.conclusions(results, kind.metrics, kind.alpha, number),
    ]


def _view(make: Callable[[Kind, int, Results], list[ResultTable]], kind: Kind, number: int) -> Any:
    return partial(MultiInstance, view=partial(make, kind, number), kind=kind)


def _diagram(kind: Kind, ranks: int, tests: int, number: int) -> Any:
    def view(results: Results) -> list[ResultTable]:
        found = statistics.conclusions(results, kind.metrics, kind.alpha, tests)
        return [*_ranks(kind, ranks, results), found]

    return partial(MultiInstance, view=view, kind=kind, figure=number)


table3, table6 = _view(_values, INTERNAL, 3), _view(_values, EXTERNAL, 6)
table4, table7 = _view(_ranks, INTERNAL, 4), _view(_ranks, EXTERNAL, 7)
table5, table8 = _view(_tests, INTERNAL, 5), _view(_tests, EXTERNAL, 8)
figure1, figure2 = _diagram(INTERNAL, 4, 5, 1), _diagram(EXTERNAL, 7, 8, 2)
