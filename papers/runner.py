"""Execution of experiments: settings, cells that are saved when they finish, tables, and all experiments.

An :class:`Experiment` creates a :class:`Plan` from its settings: keys of cells, the data of a cell, a
function that computes its value, and tables of all values. :func:`reproduce` computes the missing cells of
its folder and writes the tables.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from moo_clustering._arrays import did_you_mean
from moo_clustering.persistence import csv_cell, environment, replacing, to_json
from moo_clustering.studies.cells import (
    CellError,
    CellStore,
    Key,
    StoreError,
    cells_of_folder,
    check_folder,
    run_cells,
    seed_of,
)

__all__ = [
    "DATA_VARIABLE",
    "EXPERIMENTS",
    "CellError",
    "CellStore",
    "Experiment",
    "Key",
    "Plan",
    "Reproduction",
    "ResultFigure",
    "ResultTable",
    "Settings",
    "StoreError",
    "WithoutFigures",
    "check_names",
    "find_experiment",
    "folder_of_data",
    "reproduce",
    "run_cells",
    "seed_of",
]
DATA_VARIABLE = "MOO_CLUSTERING_DATA"
Value = str | int | float | None
_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "—": "---"}
)
RECORD = "run.json"


@dataclass(frozen=True)
class Settings:
    """Settings of an experiment.

    Raises a ValueError if ``seeds``, ``questions`` or ``n_sets`` is less than 1.
    """

    # folder of data sets; default: the folder in the environment variable ``MOO_CLUSTERING_DATA``
    data: Path | None = None
    seeds: int = 1  # number of repetitions, with the seeds 0, 1, ...
    # rule for the maximum number of clusters: ``"sqrt"`` (rounded down) or ``"ceil_sqrt"``
    k_max: str = "sqrt"
    questions: int | None = None  # number of questions, starting with the first; default: all
    sets: Sequence[str] = ()  # names of data sets; default: all that are found
    n_sets: int | None = None  # number of data sets drawn per collection and number of clusters
    n_clusters: Sequence[int] = ()  # numbers of clusters; default: those of the experiment
    # names of the collections from which data sets are drawn; default: all that are found
    collections: Sequence[str] = ()
    blocks: Sequence[str] = ()  # names of parts of the experiment; default: all

    def __post_init__(self) -> None:
        for name in ("seeds", "questions", "n_sets"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")


def check_names(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ValueError that lists the known names and suggests the nearest, if a name is unknown."""
    listed = list(known)
    for name in names:
        if name not in listed:
            hint = did_you_mean(name, listed)
            raise ValueError(f"{what} must be among {', '.join(listed)}; got {name!r}{hint}")


def folder_of_data(folder: str | PathLike[str] | None) -> Path | None:
    """Return the given folder of data sets, or the one in ``MOO_CLUSTERING_DATA``; None without either."""
    place = os.environ.get(DATA_VARIABLE) if folder is None else folder
    return Path(place) if place else None


class Plan(Protocol):
    """The cells of an experiment, and the tables and figures of their values."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters that determine the values."""
        ...

    @property
    def cells(self) -> Sequence[Key]:
        """Keys of all cells, in the order of the tables."""
        ...

    def data(self, key: Key) -> Any:
        """Return the data of a cell."""
        ...

    @staticmethod
    def compute(key: Key, data: Any) -> Any:
        """Return the value of a cell."""
        ...

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return tables of the values of all cells; the first contains everything, and is not printed."""
        ...

    def figures(self, values: Sequence[Any]) -> Sequence[ResultFigure]:
        """Return figures of the values of all cells."""
        ...


class WithoutFigures:
    """Base class of plans without figures."""

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """Return no figures."""
        return []


@dataclass(frozen=True)
class ResultTable:
    """A table with a name for files and a title for readers."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]  # strings and numbers; None or NaN for empty cells
    notes: Sequence[str] = ()  # notes below the table
    # formats of columns; default: ``".3f"``, and ``"d"`` for integers
    formats: Mapping[str, str] = field(default_factory=dict)

    def csv(self) -> str:
        """Return CSV in full precision, with empty cells for missing values."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in (self.columns, *self.rows):
            cells = ["" if _absent(value) else value for value in row]
            writer.writerow([csv_cell(cell) if isinstance(cell, str) else cell for cell in cells])
        return text.getvalue()

    def shown(self) -> list[list[str]]:
        """Return the rows as formatted text, without the header."""
        return [
            [self._cell(name, value) for name, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def numeric(self) -> list[int]:
        """Return the indices of the columns without text."""
        return [i for i in range(len(self.columns)) if not any(isinstance(row[i], str) for row in self.rows)]

    def markdown(self) -> str:
        """Return Markdown, with the title as a heading."""
        numeric = self.numeric()
        rule = ["---:" if i in numeric else "---" for i in range(len(self.columns))]
        lines = [[cell.replace("|", r"\|") for cell in row] for row in [list(self.columns), *self.shown()]]
        lines.insert(1, rule)
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([f"## {self.title}", table, *self.notes]) + "\n"

    def latex(self) -> str:
        """Return LaTeX for the booktabs package."""
        numeric = self.numeric()
        layout = "".join("r" if i in numeric else "l" for i in range(len(self.columns)))
        rows = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in self.shown()]
        header = " & ".join(column.translate(_LATEX) for column in self.columns) + r" \\"
        body = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
        lines = [
            r"\begin{table}",
            rf"\caption{{{self.title.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{layout}}}",
            *body,
            r"\end{tabular}",
            *(rf"\par {note.translate(_LATEX)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _cell(self, column: str, value: Value) -> str:
        if value is None or _absent(value):
            return "—"
        if isinstance(value, str):
            return value
        return format(value, self.formats.get(column, "d" if isinstance(value, int) else ".3f"))


def _absent(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


@dataclass(frozen=True)
class ResultFigure:
    """A figure with a name for files and a title for readers."""

    name: str
    title: str
    draw: Callable[[Path], None]  # ``draw(path)`` writes the figure in the format of the suffix

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.name}.png"

    def markdown(self) -> str:
        """Return Markdown, with the title as a heading, for a document in the folder of the file."""
        return f"## {self.title}\n\n![{self.title}]({self.file})\n"


@dataclass(frozen=True)
class Experiment:
    """An experiment, whose module is imported on first use."""

    name: str
    summary: str
    module: str  # module of the function ``(Settings) -> Plan``
    attribute: str  # its name
    options: Sequence[str] = ()  # optional settings of the experiment
    seeds: int = 1  # default number of repetitions
    study: str = ""  # name of the study, whose experiments have the same cells and may share a folder

    @property
    def cells_of(self) -> str:
        """Name of its cells: that of its study, or its own."""
        return self.study or self.name

    @property
    def report(self) -> str:
        """Name of the file with all its tables."""
        return f"{self.name}.md" if self.study else "report.md"

    def plan(self, settings: Settings) -> Plan:
        """Read the data, and list the cells.

        Raises a ValueError if the experiment does not have a setting, or the plan rejects its value.
        """
        defaults = Settings()
        for option in ("k_max", "questions", "sets", "n_sets", "n_clusters", "collections", "blocks"):
            if option not in self.options and getattr(settings, option) != getattr(defaults, option):
                raise ValueError(f"{self.name} has no setting {option}")
        make: Callable[[Settings], Plan] = getattr(import_module(self.module), self.attribute)
        return make(settings)


def _study(
    name: str, module: str, options: Sequence[str], seeds: int, summaries: Mapping[str, str]
) -> list[Experiment]:
    """Return the experiments of a study: one per table and figure, which share their cells."""
    return [
        Experiment(
            f"{name}-{view}", summary, module, view.replace("fig", "figure"), options, seeds, study=name
        )
        for view, summary in summaries.items()
    ]


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "evolution",
            "Does evolution pay? MOCK, features, subspaces, bags and tree cuts against their controls",
            "papers.evolution",
            "Evolution",
            options=("sets", "blocks"),
        ),
        Experiment(
            "flagship",
            "ParetoClustering and common methods on all sets of a folder: no labels, few labels, pairs",
            "papers.flagship_tables",
            "Flagship",
            options=("sets", "blocks"),
            seeds=3,
        ),
        Experiment(
            "flagship-confidence",
            "Model behind confidence_ and verdict_, estimated and evaluated on generated tables and sets",
            "papers.flagship_confidence",
            "Confidence",
            options=("sets",),
            seeds=3,
        ),
        Experiment(
            "interactive",
            "Interactive sessions and their rivals on all sets of a folder, with right and wrong answers",
            "papers.interactive",
            "Interactive",
            options=("sets", "blocks"),
            seeds=3,
        ),
        Experiment(
            "regions",
            "Connected regions with even loads: directed walks, random parents, restarts and NSGA-II on maps",
            "papers.regions",
            "Regionalisation",
            options=("sets", "blocks"),
            seeds=3,
        ),
        Experiment(
            "nsga2-clus-table2",
            "NSGA-II-clus, its rivals and exhaustive search on the clinical questions, for two distances",
            "papers.nsga2_clus",
            "Table2",
            options=("k_max", "questions"),
        ),
        *_study(
            "multi-instance",
            "papers.multi_instance_tables",
            ("sets",),
            15,
            {
                "table3": "Multi-instance methods and controls by internal indices",
                "table4": "Multi-instance: average ranks by internal indices",
                "table5": "Multi-instance: tests (99%) by internal indices, Friedman and pairs",
                "table6": "Multi-instance methods and controls by known classes",
                "table7": "Multi-instance: average ranks by known classes",
                "table8": "Multi-instance: tests (95%) by known classes, Friedman and pairs",
                "fig1": "Multi-instance: critical differences by internal indices, at 99%",
                "fig2": "Multi-instance: critical differences by known classes, at 95%",
            },
        ),
        *_study(
            "pesc",
            "papers.pesc_tables",
            ("sets",),
            30,
            {
                "table3": "PESC, evolutionary methods and controls: accuracy, leaks of sorted rows",
                "table4": "PESC and conventional similarity graphs: accuracy",
                "table5": "PESC and rivals with 10% of the samples labelled",
                "table6": "PESC and rivals with 20% of the samples labelled",
                "fig1": "PESC: accuracy against probabilities of crossover and mutation",
                "fig2": "PESC: accuracy against the population size",
                "fig3": "PESC: accuracy against the generation",
                "fig4": "PESC: accuracy against the generation, by initial population",
                "fig5": "PESC: similarity matrices, eigenvalues and eigenvectors of wine",
                "fig6": "PESC and rivals: seconds of a fit",
            },
        ),
        Experiment(
            "ensemble-nmf-table2",
            "ensemble NMF and its rivals on data sets of 3 to 10 topics from collections of documents",
            "papers.ensemble_nmf",
            "Table2",
            options=("n_sets", "n_clusters", "collections"),
        ),
        *_study(
            "sisc-ml",
            "papers.sisc_ml_tables",
            ("collections",),
            2,
            {
                "table2": "SISC-ML, its rivals and plain models on multi-label documents, by AUC",
                "table3": "SISC-ML and plain models with 10% to 100% of the documents labelled",
                "fig2": "SISC-ML and its rivals: averaged ROC curves",
                "fig3": "SISC-ML with 10% to 100% of the documents labelled: ROC curves",
            },
        ),
    )
}


def find_experiment(name: str) -> Experiment:
    """Return the experiment with this name.

    Raises a ValueError if the name is unknown; the message suggests the nearest name.

    Parameters
    ----------
    name : str
        Name, as for ``python -m papers``.

    Returns
    -------
    Experiment
    """
    if name not in EXPERIMENTS:
        raise ValueError(
            f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}"
            f"{did_you_mean(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]


def reproduce(
    experiment: Experiment,
    folder: Path,
    settings: Settings,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Reproduction:
    """Run or continue an experiment, and write its tables.

    The folder receives ``results.jsonl`` (finished cells), ``run.json`` (parameters, versions, status),
    ``report.md``, a CSV, Markdown and LaTeX file per table, and a PNG file per figure. Experiments of one
    study share the folder and its cells, and name their reports after themselves. Raises a ValueError if the
    data or the folder cannot be used (:class:`DataError`, :class:`StoreError`), or another process writes to
    it (:class:`~moo_clustering.persistence.FolderInUseError`).

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        A new or empty folder, or the folder of an earlier run with the same parameters, which continues. The
        earlier run may be of another experiment of the study.
    settings : Settings
    n_jobs : int or None, default=None
        Number of processes. None: one, unless :func:`joblib.parallel_config` sets another number.
    verbose : bool, default=False

    Returns
    -------
    Reproduction
    """
    check_folder(folder)
    plan = experiment.plan(settings)
    parameters = {"experiment": experiment.cells_of, **plan.parameters}
    record: dict[str, Any] = {
        "format": "moo_clustering experiment",
        "experiment": experiment.name,
        "status": "running",
        "settings": {name: value for name, value in asdict(settings).items() if name != "data"},
        "parameters": parameters,
        "environment": environment(),
        "cells": len(plan.cells),
    }
    with cells_of_folder(folder, parameters) as store:
        _write(folder / RECORD, _json(record))
        complete = run_cells(
            plan.compute,
            plan.cells,
            plan.data,
            store,
            n_jobs=n_jobs,
            verbose=verbose,
            description=experiment.name,
        )
        tables = _written(plan, store, folder, experiment) if complete else []
        n_done = sum(key in store for key in plan.cells)
        record["status"] = "complete" if complete else "interrupted"
        _write(folder / RECORD, _json(record))
    return Reproduction(tables, complete, n_done, len(plan.cells))


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode())


def _json(record: Any) -> str:
    return json.dumps(to_json(record, "record"), indent=2) + "\n"


def _written(plan: Plan, store: CellStore, folder: Path, experiment: Experiment) -> list[ResultTable]:
    values = store.values(plan.cells)
    everything, *tables = plan.tables(values)
    figures = plan.figures(values)
    _write(folder / f"{everything.name}.csv", everything.csv())
    for table in tables:
        _write(folder / f"{table.name}.csv", table.csv())
        _write(folder / f"{table.name}.md", table.markdown())
        _write(folder / f"{table.name}.tex", table.latex())
    for figure in figures:
        figure.draw(folder / figure.file)
    _write(folder / experiment.report, _report(experiment.name, [*figures, *tables]))
    return tables


def _report(name: str, parts: Sequence[ResultTable | ResultFigure]) -> str:
    return "\n".join([f"# {name}\n", *(part.markdown() for part in parts)])


@dataclass(frozen=True)
class Reproduction:
    """The result of an experiment."""

    tables: list[ResultTable]  # empty if the experiment was interrupted
    complete: bool
    n_done: int
    n_cells: int


class Spread(NamedTuple):
    """Mean and standard deviation over seeds; the deviation is NaN for one seed."""

    mean: float
    std: float

    def text(self) -> str:
        """Return ``mean ± deviation``."""
        return f"{self.mean:.3f}" + ("" if math.isnan(self.std) else f" ± {self.std:.3f}")
