"""The SISC-ML comparison: one set of runs, seen as each of the paper's tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.sisc_ml import _figures as figures
from moo_clustering.experiments.sisc_ml import _table2 as table2_of
from moo_clustering.experiments.sisc_ml import _table3 as table3_of
from moo_clustering.experiments.sisc_ml._cells import Task, run_task, task_of
from moo_clustering.experiments.sisc_ml._methods import METHODS, OPTIONS
from moo_clustering.experiments.sisc_ml._published import FRACTIONS
from moo_clustering.experiments.sisc_ml._results import Results
from moo_clustering.experiments.sisc_ml._sets import SIZES, LabelledSet, load_labelled_sets
from moo_clustering.experiments.sisc_ml._splits import (
    ALL_TRAIN,
    LABELLED,
    N_FEATURES,
    N_FOLDS,
    Split,
    make_split,
)


class View(NamedTuple):
    """What a table or figure is made of and from.

    Parameters
    ----------
    name : str
    methods : sequence of str
    fractions : sequence of float
        Shares of the training documents that are labelled.
    protocols : sequence of str
        Whose labels choose the features, where not all documents are labelled.
    tables, figures : callable
        Made from the results.
    """

    name: str
    methods: Sequence[str]
    fractions: Sequence[float]
    protocols: Sequence[str]
    tables: Callable[[Results], list[ResultTable]]
    figures: Callable[[Results], list[ResultFigure]] = lambda results: []


class SISCML:
    """SISC-ML, its rivals and controls on every set of the paper that is in the data folder.

    Parameters
    ----------
    settings : Settings
        Its ``seeds`` are repetitions of 2-fold cross-validation; ``collections`` names of sets, all that are
        found by default.
    view : View

    Raises
    ------
    ValueError
        For an unknown set.
    DataError
        If there is no set, or not the one asked for.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.
    """

    def __init__(self, settings: Settings, view: View) -> None:
        self._view = view
        self._sets = {found.name: found for found in load_labelled_sets(settings.data, settings.collections)}
        self._options = {name: dict(options) for name, options in OPTIONS.items()}
        # Not the sets, methods and repetitions: more of them go on in the same folder.
        self.parameters: dict[str, Any] = {
            "options": self._options,
            "n_features": N_FEATURES,
            "documents": SIZES,
        }
        self.cells: list[Key] = [
            {
                "set": name,
                "data": found.identity,
                "fraction": fraction,
                "features": features,
                "repeat": repeat,
                "fold": fold,
                "method": method,
            }
            for name, found in self._sets.items()
            for repeat in range(settings.seeds)
            for fold in range(N_FOLDS)
            for fraction in view.fractions
            for features in (view.protocols if _is_choice(found, fraction) else (LABELLED,))
            for method in view.methods
        ]
        # Cells of one split come one after the other.
        self._splits = lru_cache(maxsize=1)(self._split)

    def data(self, key: Key) -> Task:
        """The split, the method and its options."""
        names = ("set", "fraction", "features", "repeat", "fold")
        return task_of(key, self._splits(*(key[name] for name in names)), self._options)

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Areas, curves and costs."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score, and the view."""
        results = self._results(values)
        runs = results.runs
        scores = ResultTable(f"{self._view.name}-scores", "Scores", [*map(str, runs)], runs.values.tolist())
        return [scores, *self._view.tables(results)]

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Averaged ROC curves, if they are asked for."""
        return self._view.figures(self._results(values))

    def _results(self, values: Sequence[Any]) -> Results:
        return Results(list(self._sets.values()), self.cells, values)

    def _split(self, name: Any, fraction: Any, features: Any, repeat: Any, fold: Any) -> Split:
        return make_split(self._sets[name], fraction, features, repeat, fold)


def _is_choice(given: LabelledSet, fraction: float) -> bool:
    """Whether it makes a difference whose labels choose the features."""
    return fraction < 1.0 and (given.n_words is None or given.n_words > N_FEATURES)


_LIMITED = [method.name for method in METHODS.values() if method.limited]
_BOTH = (LABELLED, ALL_TRAIN)


def _of(view: View) -> Any:
    return partial(SISCML, view=view)


def _table2(results: Results) -> list[ResultTable]:
    return [table2_of.beside_published(results), table2_of.costs(results)]


def _table3(results: Results) -> list[ResultTable]:
    return [table3_of.beside_published(results), table3_of.against_linear(results)]


def _figure2(results: Results) -> list[ResultTable]:
    return [figures.areas_by_method(results)]


def _figure3(results: Results) -> list[ResultTable]:
    return [table3_of.sisc_only(results)]


table2 = _of(View("table2", list(METHODS), (1.0,), _BOTH, _table2))
table3 = _of(View("table3", _LIMITED, FRACTIONS, _BOTH, _table3))
figure2 = _of(View("figure2", list(METHODS), (1.0,), _BOTH, _figure2, figures.by_method))
figure3 = _of(View("figure3", ["SISC-ML"], FRACTIONS, (LABELLED,), _figure3, figures.by_fraction))
