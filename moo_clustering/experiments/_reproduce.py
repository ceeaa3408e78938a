"""An experiment from its plan to its folder of tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from moo_clustering.experiments._cells import run_cells
from moo_clustering.experiments._plan import Plan, Settings
from moo_clustering.experiments._registry import Experiment
from moo_clustering.experiments._store import CellStore, StoreError
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.persistence import environment, to_json
from moo_clustering.persistence._atomic import is_temporary, replacing

RESULTS, RECORD = "results.jsonl", "run.json"


@dataclass(frozen=True)
class Reproduction:
    """What came of an experiment.

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


def reproduce(
    experiment: Experiment,
    folder: Path,
    settings: Settings,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Reproduction:
    """Run an experiment, or go on with it, and write its tables.

    The folder gets ``results.jsonl`` (finished cells), ``run.json`` (parameters, versions, status),
    ``report.md`` and, for every table, a CSV, a Markdown and a LaTeX file, for every figure a PNG.
    Experiments of one study share the folder and its cells, and have reports of their own names.

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        A new or empty folder, or that of an earlier run with the same parameters (or, of an experiment
        of the same study), which is gone on with.
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
        If the data or the folder cannot be used (:class:`DataError`, :class:`StoreError`).
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
    with CellStore(folder / RESULTS, parameters) as store:
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


def _json(record: Any) -> str:
    return json.dumps(to_json(record, "record"), indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode())
