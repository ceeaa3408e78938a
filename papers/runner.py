"""Running an experiment: settings, cells that are saved as they finish, tables, and all experiments.

An :class:`Experiment` makes a :class:`Plan` of its settings: keys of cells, the data of a cell, a function
that computes its value, and tables of all values. :func:`reproduce` computes the cells that its folder
lacks and writes the tables.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import signal
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from joblib import delayed

from moo_clustering._arrays import QuotingError, did_you_mean
from moo_clustering._messages import progress_bar
from moo_clustering._parallel import finished_calls
from moo_clustering.persistence import csv_cell, environment, is_temporary, locked, replacing, to_json

__all__ = [
    "DATA_VARIABLE",
    "EXPERIMENTS",
    "CellError",
    "CellStore",
    "Experiment",
    "Plan",
    "Reproduction",
    "ResultFigure",
    "ResultTable",
    "Settings",
    "StoreError",
    "find_experiment",
    "folder_of_data",
    "reproduce",
    "run_cells",
    "seed_of",
]
Key = Mapping[str, str | int | float]
Compute = Callable[[Key, Any], Any]
FORMAT = "moo_clustering cells"
DATA_VARIABLE = "MOO_CLUSTERING_DATA"
Value = str | int | float | None
_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "—": "---"}
)
_NOTHING = "—"
RESULTS, RECORD = "results.jsonl", "run.json"


@dataclass(frozen=True)
class Settings:
    """Settings of an experiment.

    Parameters
    ----------
    data : Path, optional
        Folder of data sets; default: that of the environment variable ``MOO_CLUSTERING_DATA``.
    seeds : int, default=1
        Repetitions with the seeds 0, 1, ...
    k_max : str, default="sqrt"
        Rule for the largest number of clusters: ``"sqrt"`` (rounded down) or ``"ceil_sqrt"``.
    questions : int, optional
        Number of questions, from the first on; default: all.
    sets : sequence of str, default=()
        Names of data sets; default: all that are found.
    n_sets : int, optional
        Number of data sets drawn per collection and number of clusters.
    n_clusters : sequence of int, default=()
        Numbers of clusters; default: those of the experiment.
    collections : sequence of str, default=()
        Names of the collections from which data sets are drawn; default: all that are found.
    blocks : sequence of str, default=()
        Names of parts of the experiment; default: all.

    Raises
    ------
    ValueError
        If ``seeds``, ``questions`` or ``n_sets`` is less than 1.
    """

    data: Path | None = None
    seeds: int = 1
    k_max: str = "sqrt"
    questions: int | None = None
    sets: Sequence[str] = ()
    n_sets: int | None = None
    n_clusters: Sequence[int] = ()
    collections: Sequence[str] = ()
    blocks: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("seeds", "questions", "n_sets"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")


def folder_of_data(folder: str | PathLike[str] | None) -> Path | None:
    """The given folder of data sets, or the one in ``MOO_CLUSTERING_DATA``; None without either."""
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
        """Data of a cell."""
        ...

    @staticmethod
    def compute(key: Key, data: Any) -> Any:
        """Value of a cell."""
        ...

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Tables of the values of all cells; the first is the one with everything, not printed."""
        ...

    def figures(self, values: Sequence[Any]) -> Sequence[ResultFigure]:
        """Figures of the values of all cells."""
        ...


@dataclass(frozen=True)
class ResultTable:
    """A table with a name, for files, and a title, for people.

    Parameters
    ----------
    name, title : str
    columns : sequence of str
    rows : sequence of sequences
        Texts and numbers; None or NaN for empty cells.
    notes : sequence of str
        Notes below the table.
    formats : mapping from str to str
        Formats of columns; default: ``".3f"``, and ``"d"`` for whole numbers.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    formats: Mapping[str, str] = field(default_factory=dict)

    def csv(self) -> str:
        """CSV in full precision, with empty cells for missing values."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in (self.columns, *self.rows):
            cells = ["" if _absent(value) else value for value in row]
            writer.writerow([csv_cell(cell) if isinstance(cell, str) else cell for cell in cells])
        return text.getvalue()

    def shown(self) -> list[list[str]]:
        """Rows as formatted text, without the header."""
        return [
            [self._cell(name, value) for name, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def numeric(self) -> list[int]:
        """Indices of the columns without text."""
        return [i for i in range(len(self.columns)) if not any(isinstance(row[i], str) for row in self.rows)]

    def markdown(self) -> str:
        """Markdown, with the title as a heading."""
        numeric = self.numeric()
        rule = ["---:" if i in numeric else "---" for i in range(len(self.columns))]
        lines = [[cell.replace("|", r"\|") for cell in row] for row in [list(self.columns), *self.shown()]]
        lines.insert(1, rule)
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([f"## {self.title}", table, *self.notes]) + "\n"

    def latex(self) -> str:
        """LaTeX, for the booktabs package."""
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
            return _NOTHING
        if isinstance(value, str):
            return value
        return format(value, self.formats.get(column, "d" if isinstance(value, int) else ".3f"))


def _absent(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


@dataclass(frozen=True)
class ResultFigure:
    """A figure with a name, for files, and a title, for people.

    Parameters
    ----------
    name, title : str
    draw : callable
        ``draw(path)`` writes the figure in the format of the suffix.
    """

    name: str
    title: str
    draw: Callable[[Path], None]

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.name}.png"

    def markdown(self) -> str:
        """Markdown with the title as a heading, for a document beside the file."""
        return f"## {self.title}\n\n![{self.title}]({self.file})\n"


@dataclass(frozen=True)
class Experiment:
    """An experiment, whose module is imported when it is needed.

    Parameters
    ----------
    name : str
    summary : str
    module, attribute : str
        Place of the function ``(Settings) -> Plan``.
    options : sequence of str
        Optional settings that the experiment takes.
    seeds : int, default=1
        Default number of repetitions.
    study : str, default=""
        Name of the study; its experiments show the same cells and may share a folder.
    """

    name: str
    summary: str
    module: str
    attribute: str
    options: Sequence[str] = ()
    seeds: int = 1
    study: str = ""

    @property
    def cells_of(self) -> str:
        """Name of its cells: that of its study, or its own."""
        return self.study or self.name

    @property
    def report(self) -> str:
        """Name of the file with all its tables."""
        return f"{self.name}.md" if self.study else "report.md"

    def plan(self, settings: Settings) -> Plan:
        """Read the data and lay out the cells.

        Raises
        ------
        ValueError
            For a setting that the experiment does not have; or as the plan does.
        """
        defaults = Settings()
        for option in ("k_max", "questions", "sets", "n_sets", "n_clusters", "collections", "blocks"):
            if option not in self.options and getattr(settings, option) != getattr(defaults, option):
                raise ValueError(f"{self.name} has no setting {option}")
        make: Callable[[Settings], Plan] = getattr(import_module(self.module), self.attribute)
        return make(settings)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "evolution",
            "Does evolution pay? MOCK, features, subspaces, bags and tree cuts beside their controls",
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
            "Model behind confidence_ and verdict_, estimated and judged on generated tables and sets",
            "papers.flagship_confidence",
            "Confidence",
            options=("sets",),
            seeds=3,
        ),
        Experiment(
            "interactive",
            "Questions of a session and of its rivals on all sets of a folder, right and wrong answers",
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
            "NSGA-II-clus, its rivals and exhaustive search on the clinical questions, cosine and Euclid",
            "papers.nsga2_clus",
            "Table2",
            options=("k_max", "questions"),
        ),
        *(
            Experiment(
                f"multi-instance-{view}",
                summary,
                "papers.multi_instance_tables",
                attribute,
                options=("sets",),
                seeds=15,
                study="multi-instance",
            )
            for view, attribute, summary in (
                ("table3", "table3", "Multi-instance methods and controls by internal indices"),
                ("table4", "table4", "Multi-instance: average ranks by internal indices"),
                ("table5", "table5", "Multi-instance: tests (99 %) by internal indices, Friedman and pairs"),
                ("table6", "table6", "Multi-instance methods and controls by known classes"),
                ("table7", "table7", "Multi-instance: average ranks by known classes"),
                ("table8", "table8", "Multi-instance: tests (95 %) by known classes, Friedman and pairs"),
                ("fig1", "figure1", "Multi-instance: critical differences by internal indices, at 99 %"),
                ("fig2", "figure2", "Multi-instance: critical differences by known classes, at 95 %"),
            )
        ),
        *(
            Experiment(
                f"pesc-{view}",
                summary,
                "papers.pesc_tables",
                attribute,
                options=("sets",),
                seeds=30,
                study="pesc",
            )
            for view, attribute, summary in (
                (
                    "table3",
                    "table3",
                    "PESC, evolutionary methods and controls: accuracy, leaks of sorted rows",
                ),
                ("table4", "table4", "PESC and conventional similarity graphs: accuracy"),
                ("table5", "table5", "PESC and rivals with 10 % of the samples labelled"),
                ("table6", "table6", "PESC and rivals with 20 % of the samples labelled"),
                ("fig1", "figure1", "PESC: accuracy against probabilities of crossover and mutation"),
                ("fig2", "figure2", "PESC: accuracy against the population size"),
                ("fig3", "figure3", "PESC: accuracy against the generation"),
                ("fig4", "figure4", "PESC: accuracy against the generation, by initial population"),
                ("fig5", "figure5", "PESC: similarity matrices, eigenvalues and eigenvectors of wine"),
                ("fig6", "figure6", "PESC and rivals: seconds of a fit"),
            )
        ),
        Experiment(
            "ensemble-nmf-table2",
            "ensemble NMF and its rivals on data sets of 3 to 10 topics from collections of documents",
            "papers.ensemble_nmf",
            "Table2",
            options=("n_sets", "n_clusters", "collections"),
        ),
        *(
            Experiment(
                f"sisc-ml-{view}",
                summary,
                "papers.sisc_ml_tables",
                attribute,
                options=("collections",),
                seeds=2,
                study="sisc-ml",
            )
            for view, attribute, summary in (
                ("table2", "table2", "SISC-ML, its rivals and plain models on multi-label documents, by AUC"),
                ("table3", "table3", "SISC-ML and plain models with 10 % to 100 % of the documents labelled"),
                ("fig2", "figure2", "SISC-ML and its rivals: averaged ROC curves"),
                ("fig3", "figure3", "SISC-ML with 10 % to 100 % of the documents labelled: ROC curves"),
            )
        ),
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name.

    Parameters
    ----------
    name : str
        Name, as for ``python -m papers``.

    Returns
    -------
    Experiment

    Raises
    ------
    ValueError
        If there is no such experiment; the message suggests the nearest name.
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

    The folder gets ``results.jsonl`` (finished cells), ``run.json`` (parameters, versions, status),
    ``report.md`` and, for every table, a CSV, a Markdown and a LaTeX file, for every figure a PNG.
    Experiments of one study share the folder and its cells, and have reports of their own names.

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        A new or empty folder, or the folder of an earlier run with the same parameters, also of another
        experiment of the study, which continues.
    settings : Settings
    n_jobs : int or None, default=None
        Processes; None is one, unless a :func:`joblib.parallel_config` says otherwise.
    verbose : bool, default=False

    Returns
    -------
    Reproduction

    Raises
    ------
    ValueError
        If the data or the folder cannot be used (:class:`DataError`, :class:`StoreError`), or another process
        writes to it (:class:`~moo_clustering.persistence.FolderInUseError`).
    """
    _check_folder(folder)
    plan = experiment.plan(settings)
    parameters = {"experiment": experiment.cells_of, **plan.parameters}
    folder.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {
        "format": "moo_clustering experiment",
        "experiment": experiment.name,
        "status": "running",
        "settings": {name: value for name, value in asdict(settings).items() if name != "data"},
        "parameters": parameters,
        "environment": environment(),
        "cells": len(plan.cells),
    }
    with locked(folder), CellStore(folder / RESULTS, parameters) as store:
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


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file, not a folder; choose another folder")
    if not folder.exists() or (folder / RESULTS).exists():
        return
    if not all(is_temporary(entry.name) for entry in folder.iterdir()):
        raise StoreError(f"{folder} holds other files; choose another folder")


class StoreError(QuotingError):
    """The file has other parameters, or is not a store."""


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
    """The result of an experiment.

    Parameters
    ----------
    tables : list of ResultTable
        Empty if it was interrupted.
    complete : bool
    n_done, n_cells : int
    """

    tables: list[ResultTable]
    complete: bool
    n_done: int
    n_cells: int


def run_cells(
    compute: Compute,
    cells: Sequence[Key],
    data: Callable[[Key], Any],
    store: CellStore,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
    description: str = "cells",
) -> bool:
    """Compute the cells that are not in the store.

    Parameters
    ----------
    compute : callable
        ``compute(key, data) -> value`` as JSON can hold it; importable by other processes. All
        randomness must come from ``seed_of`` parts of the key.
    cells : sequence of mappings
    data : callable
        ``data(key)`` gives the data of a cell. It is called in this process shortly before the cell is
        computed, so that few data wait in memory.
    store : CellStore
    n_jobs : int or None, default=None
        Processes; -1 for all processors. None is one, unless a :func:`joblib.parallel_config` says
        otherwise: with ``backend="dask"`` the cells are computed on the workers of a cluster. The values
        do not depend on it.
    verbose : bool, default=False
        Show progress.
    description : str, default="cells"
        Text before the progress bar.

    Returns
    -------
    complete : bool
        False after Ctrl-C; finished cells are in the store then.

    Raises
    ------
    CellError
        When a cell fails; names its key.
    """
    missing = [key for key in cells if key not in store]
    if not missing:
        return True
    bar = progress_bar(
        total=len(cells),
        initial=len(cells) - len(missing),
        desc=description,
        disable=not verbose,
        unit="cell",
    )
    # closing() drops the dispatched cells when the loop ends early.
    with bar, closing(_finished(compute, missing, data, n_jobs)) as finished:
        try:
            for key, value in finished:
                store.add(key, value)
                bar.update()
        except KeyboardInterrupt:
            return False
    return True


def _finished(
    compute: Compute, cells: Sequence[Key], data: Callable[[Key], Any], n_jobs: int | None
) -> Generator[tuple[Key, Any]]:
    """Keys and values in the order in which they finish."""
    parent = os.getpid()
    calls = (delayed(_task)(compute, key, data(key), parent) for key in cells)
    yield from finished_calls(calls, n_jobs=n_jobs)


def _task(compute: Compute, key: Key, data: Any, parent: int) -> tuple[Key, Any]:
    # Ctrl-C goes to all processes of a terminal, but only the parent handles it.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return key, _value(compute, key, data)


def _value(compute: Compute, key: Key, data: Any) -> Any:
    try:
        return compute(key, data)
    except MemoryError:
        raise
    except Exception as error:
        raise CellError(f"the cell {dict(key)} failed: {type(error).__name__}: {error}") from error


class CellError(RuntimeError):
    """A cell failed; cells that finished before are saved."""


def seed_of(*parts: str | int | float) -> np.random.SeedSequence:
    """Seed that depends on the given parts alone.

    A cell that derives its seeds from its key has the same value in any order, process or
    selection of cells.

    Parameters
    ----------
    *parts : str, int or float
        Parts of the seed, in this order.

    Returns
    -------
    numpy.random.SeedSequence
    """
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())


class CellStore:
    """A file of JSON lines: the parameters first, then one finished cell per line.

    Every line is on the disk when :meth:`add` returns. An unfinished line of a killed run is cut off
    when the file is opened again.

    Parameters
    ----------
    path : Path
        Created if it does not exist.
    parameters : mapping
        Parameters that determine the values, as JSON; keys must be strings.

    Raises
    ------
    StoreError
        If the file holds cells of other parameters (the message names the differences), or is
        something else.
    """

    def __init__(self, path: Path, parameters: Mapping[str, Any]) -> None:
        self.path = path
        wanted = to_json(parameters, "parameters")
        if path.exists():
            given, self._values, length = _read(path)
            _check_same(path, given, wanted)
            os.truncate(path, length)
        else:
            self._values = {}
            with replacing(path) as file:
                file.write(_line({"format": FORMAT, "parameters": wanted}))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115

    def __contains__(self, key: Key) -> bool:
        return _name(key) in self._values

    def __len__(self) -> int:
        return len(self._values)

    def add(self, key: Key, value: Any) -> None:
        """Save the value of a cell."""
        held = to_json(value, "value")
        record = {"key": to_json(key, "key"), "value": held}
        self._append(_line({**record, "crc32": _checksum(record)}))
        self._values[_name(key)] = held

    def _append(self, line: bytes) -> None:
        """Write the line at once, so that no other process writes into it, and completely or not at all."""
        length = os.fstat(self._file.fileno()).st_size
        try:
            # A disk that fills up takes a part of the line without an error; writing the rest raises it.
            written = self._file.write(line)
            while written < len(line):
                written += self._file.write(line[written:])
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._file.fileno(), length)
            error.filename = str(self.path)
            raise

    def values(self, keys: Iterable[Key]) -> list[Any]:
        """Values of cells in the order of the keys, as read from JSON.

        Raises
        ------
        KeyError
            For a cell that is not finished.
        """
        return [self._values[_name(key)] for key in keys]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Parameters, values, and the length of the complete lines."""
    content = path.read_bytes()
    length = content.rfind(b"\n") + 1
    head, *lines = content[:length].split(b"\n")[:-1] or [b""]
    try:
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise ValueError("another format")
        parameters: dict[str, Any] = header["parameters"]
        if not isinstance(parameters, dict):
            raise TypeError("parameters without names")
        records = [json.loads(line) for line in lines]
        values = {_name(record["key"]): record["value"] for record in records}
        # Files of older versions have no checksums.
        changed = [
            number
            for number, record in enumerate(records, 2)
            if record.get("crc32", checksum := _checksum(record)) != checksum
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path} does not hold the cells of an experiment; choose another folder") from error
    if changed:
        raise StoreError(
            f"{path}, line {changed[0]}: it was changed after it was written (its checksum differs); "
            "remove the line to have its cell computed again, or choose another folder"
        )
    return parameters, values, length


def _name(key: Key) -> str:
    return json.dumps(to_json(key, "key"), sort_keys=True)


def _checksum(record: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps([record["key"], record["value"]]).encode())


def _check_same(path: Path, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    missing = object()
    differences = [
        f"{name} is {_shown(given, name)} there and {_shown(wanted, name)} here"
        for name in dict.fromkeys([*given, *wanted])
        if given.get(name, missing) != wanted.get(name, missing)
    ]
    if differences:
        raise StoreError(
            f"{path} was made with other parameters: {'; '.join(differences)}; choose another folder"
        )


def _shown(parameters: Mapping[str, Any], name: str) -> str:
    return json.dumps(parameters[name]) if name in parameters else "not given"


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


class Spread(NamedTuple):
    """Mean and standard deviation over seeds; the deviation is NaN for one seed."""

    mean: float
    std: float

    def text(self) -> str:
        """``mean ± deviation``."""
        return f"{self.mean:.3f}" + ("" if math.isnan(self.std) else f" ± {self.std:.3f}")
