"""The commands ``predict``, ``explain`` and ``rename``: clusters for new rows, rules and names."""

import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from moo_clustering._messages import for_command
from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.cli import folder as runs
from moo_clustering.cli.folder import CLUSTERED, json_text, load_model, with_clusters, write_csv
from moo_clustering.cli.load import mark_decimals
from moo_clustering.cli.samples import REGIONS
from moo_clustering.cli.terminal import INTERRUPTED, aligned, print_notes, print_result, printable_line
from moo_clustering.datasets import DataError, PreparedTable
from moo_clustering.datasets.files import EXCEL, PARQUET, with_flags
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.descriptions import ComparedColumns
from moo_clustering.drift import Drift, Reference, new_columns, repeated_row_notes
from moo_clustering.estimators._base import ReportMixin
from moo_clustering.estimators._pareto_base import ParetoPoolClusterer
from moo_clustering.persistence import cell_text, csv_cell, locked, read_bytes, replacing
from moo_clustering.results import renamed_clusters, with_user_names
from moo_clustering.rules import find_rules

# All spreadsheet programs read cells that match such a pattern as values of the dtype kind in the key. The
# patterns contain decimal points.
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_DAY = r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?"
_OF_SHEETS = {"M": _DAY, "m": "", "f": _NUMBER, "i": _NUMBER, "b": r"(?i:true|false|[01](\.0)?)"}


def run_predict(
    folder: Path,
    data: Path,
    *,
    n_clusters: int | tuple[int, int] | None,
    out: Path | None,
    header: bool | None,
    quiet: bool,
    plain_csv: bool,
    as_json: bool,
) -> None:
    """Write a table's rows with their clusters, and print how these rows differ from those of the fit."""
    model = _predicting(folder)
    path = Path(f"{data.name.split('.')[0]}-{CLUSTERED}") if out is None else out
    if path.suffix.lower() not in ("", ".csv", ".tsv", ".txt"):
        raise DataError(f"predict writes CSV, but {path} ends with {path.suffix}; use the suffix .csv")
    if path.exists():
        raise DataError(f"{path} already exists; choose another file with --out")
    if not path.parent.is_dir():
        raise DataError(f"folder {path.parent} does not exist; create it, or choose another file with --out")
    if n_clusters is not None:
        model = _reclustered(folder, model, n_clusters)
    frame, notes = read_rows(data, model, header, {"header": "--no-header"})
    table, estimator = prepare_rows(data, model, frame), model["estimator"]
    labels = estimator.predict(table.X)
    model_of = Reference(model["rows"], model["limits"], model["sizes"])
    unlike = model_of.unlike(table.X, labels)
    support = estimator._support_of(table.X) if isinstance(estimator, ReportMixin) else None
    notes = [*notes, *repeated_row_notes(model_of.rows, table.X)]
    rows = new_columns(labels, model["names"], unlike, support, table.unseen)
    mark_decimals(frame, model["preparer"])
    found = with_clusters(frame, labels, model["classes"], rows)
    write_csv(path, found, plain=plain_csv)
    drift = Drift.of(labels, unlike, model["sizes"], cluster_names(model), table, notes)
    drift = replace(drift, notes=tuple(map(for_command, drift.notes)))
    if as_json:
        print_record(path, drift, model)
    if quiet or as_json:
        return
    print_notes(drift.notes)
    click.echo(replace(drift, columns=()))  # the notes name the columns
    if n := int(np.count_nonzero(rows.get("ignored", ()))):
        cells = f"Some cells in {n} row{'s' * (n > 1)} were treated as missing"
        click.echo(f"{cells}; the column {found.columns[-1]} lists them.")
    click.echo(f"Saved {path}.")


def run_explain(
    folder: Path,
    data: Path | None,
    *,
    max_conditions: int | None,
    fidelity: float,
    code: str | None,
    as_json: bool,
) -> None:
    """Print rules that explain the clusters of a table, as sentences, code or JSON."""
    model = _predicting(folder)
    path = folder / CLUSTERED if data is None else data
    if not path.exists():
        raise DataError(f"{folder} has no {CLUSTERED}; specify the training table")
    frame, notes = read_rows(path, model, True if data is None else None, {})
    table = prepare_rows(path, model, frame)
    labels = model["estimator"].predict(table.X)
    columns, notes = table.known_columns, [*notes, *table.notes] if data is not None else []
    if code == "spreadsheet":
        columns, decimal, left_out = _as_sheet(columns, frame, path)
        notes += left_out
    names = cluster_names(model)
    front = find_rules(labels, columns, max_conditions=max_conditions, names=names, units=table.units)
    print_notes(notes)
    chosen = front.select(fidelity)
    if as_json:
        rule_sets = [
            {"n_conditions": one.n_conditions, "fidelity": one.fidelity, "rules": [*map(asdict, one.rules)]}
            for one in front
        ]
        text = json_text({"n_rows": len(labels), "chosen": list(front).index(chosen), "rule_sets": rule_sets})
    elif code is not None:
        forms: dict[str, Callable[[], str]] = {"sql": chosen.to_sql, "python": chosen.to_python}
        if code == "spreadsheet":
            forms[code] = partial(chosen.to_spreadsheet, [*frame], decimal=decimal)
            note = f"the formula is for a spreadsheet with decimal {'points' if decimal == '.' else 'commas'}"
            if "EXACT(" in forms[code]():
                note += " and English function names (EXACT)"
            print_notes([note])
            for line in chosen._comments("Note:", "cells of the type date"):
                click.echo(line, err=True)
        text = forms[code]().rstrip("\n")
    else:
        rows = [["", "conditions", "fidelity", "clusters with a rule"]]
        for row in front.to_frame().itertuples():
            mark = "*" if row.n_conditions == chosen.n_conditions else ""
            rows.append([mark, f"{row.n_conditions}", f"{row.fidelity:.1%}", f"{row.n_clusters}"])
        sentences = "\n".join(printable_line(str(rule)) for rule in chosen.rules)
        text = f"{aligned(rows, right=range(1, 4))}\n\n{sentences}"
    if chosen.fidelity < fidelity and not as_json:
        advice = "so the most faithful rules are printed; to allow more conditions, use --max-conditions N"
        print_notes([f"no rules reach a fidelity of {100 * fidelity:g}%, {advice}"])
    print_result(text)


def _predicting(folder: Path) -> dict[str, Any]:
    model = load_model(folder)
    if "predict" not in dir(type(model["estimator"])):
        method = runs.run_record(folder)["method"]
        raise DataError(f"method {method} cannot predict; fit all rows together instead")
    return model


def _reclustered(folder: Path, model: dict[str, Any], n_clusters: int | tuple[int, int]) -> dict[str, Any]:
    """Return a copy of the model with the best partition in its pool for ``n_clusters`` clusters."""
    estimator, path = model["estimator"], folder / CLUSTERED
    record = runs.run_record(folder)
    if not isinstance(estimator, ParetoPoolClusterer):
        raise DataError(f"method {record['method']} has no pool of partitions; fit again with -k")
    if not path.exists() or runs.is_in_parts(record):
        raise DataError(f"-k requires the rows of the fit, but {folder} has no {CLUSTERED} with all of them")
    try:
        estimator = estimator._with_n_clusters(n_clusters)
    except (ValueError, TypeError) as error:
        raise DataError(f"{folder}: {for_command(error)}") from error
    of_fit = prepare_rows(path, model, read_rows(path, model, True, {})[0])
    labels = estimator.clustering_result().labels
    if len(labels) != len(of_fit.X):
        raise DataError(f"{path} was changed after the fit; fit again")
    named = ComparedColumns(of_fit.known_columns, of_fit.units).describe(labels)
    return model | {
        "estimator": estimator,
        **Reference.of(of_fit.X, labels)._asdict(),
        "names": with_user_names(named.names, estimator.cluster_names_),
        "classes": None,
        "cluster_names": {},
    }


def _as_sheet(known: pd.DataFrame, frame: pd.DataFrame, path: Path) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the columns that all spreadsheets read alike, the decimal mark, and notes on other columns."""
    # The decimal mark for which fewer columns are dropped is chosen. If both marks drop as many columns, the
    # comma is chosen for tables whose cells are separated by semicolons, and the point for other tables.
    marks = ["."] if path.suffix.lower() in (*EXCEL, *PARQUET) else [".", ","]
    if frame.attrs.get("csv", {}).get("sep") == ";":
        marks.reverse()
    found: dict[str, tuple[dict[str, Any], list[str]]] = {mark: ({}, []) for mark in marks}
    for name, column in known.items():
        cells = frame[name].astype(str).where(column.notna())
        form = _OF_SHEETS.get(column.dtype.kind)
        for mark, (columns, notes) in found.items():
            if form is None:
                columns[str(name)] = cells
                continue
            written = cells.dropna().str.strip()
            odd = written[~written.str.fullmatch(form.replace(r"\.", re.escape(mark)))]
            if len(odd):
                cell = printable_line(odd.iloc[0])
                notes.append(f"column {name!r} is dropped, because some spreadsheets read {cell!r} as text")
            else:
                columns[str(name)] = column
    decimal = min(found, key=lambda mark: len(found[mark][1]))
    columns, notes = found[decimal]
    if not columns:
        raise DataError("some spreadsheets read all columns as text; use --code python or sql")
    return pd.DataFrame(columns), decimal, notes


def read_rows(path: Path, model: dict[str, Any], header: bool | None, flags: Mapping[str, str]) -> Any:
    """Read a table as the command ``fit`` does, and return it with notes."""
    header = model["roles"]["header"] if header is None else header
    try:
        frame, _, notes = read_frame(path, Roles(header=header))
    except DataError as error:
        raise DataError(with_flags(error, flags)) from error
    return frame, notes


def prepare_rows(path: Path, model: dict[str, Any], frame: pd.DataFrame) -> PreparedTable:
    """Convert rows to features as the command ``fit`` does. Columns such as labels are ignored."""
    others = [*Roles(**model["roles"]).by_column()]
    try:
        table: PreparedTable = model["preparer"].prepare(frame.drop(columns=others, errors="ignore"))
    except DataError as error:
        raise DataError(f"{path}: {for_command(error)}") from error
    return table


def print_record(path: Path, drift: Drift, model: dict[str, Any]) -> None:
    record = {"file": str(path), **drift.to_dict()}
    for entry, name in zip(record["clusters"], model["names"], strict=True):
        entry["name"] = name
    for entry, name in zip(record["clusters"], model["classes"] or (), strict=False):
        entry["class"] = name
    click.echo(json_text(record))


def cluster_names(model: dict[str, Any]) -> list[str]:
    """Return the cluster names: names set by the user, otherwise class names, otherwise contrasts."""
    classes = model["classes"] or [""] * len(model["names"])  # new classes have empty names
    names = [str(known or name) for known, name in zip(classes, model["names"], strict=True)]
    return with_user_names(names, model.get("cluster_names", {}))


def run_rename(folder: Path, names: Sequence[str], *, file: Path | None, as_json: bool) -> None:
    """Rename clusters by arguments (CLUSTER=NAME or OLD=NEW) and by a JSON file, and print all clusters."""
    try:
        found = {} if file is None else json.loads(read_bytes(file, 2**24).decode("utf-8-sig"))
        changes: dict[Any, str | None] = {_number(cluster): name for cluster, name in found.items()}
    except (ValueError, RecursionError, AttributeError) as error:
        raise DataError(f'{file} must contain a JSON object such as {{"0": "visitors"}}') from error
    for each in names:
        cluster, equals, name = each.partition("=")
        if not equals:
            raise click.UsageError(f"{each!r} must have the form CLUSTER=NAME, such as 0=visitors")
        changes[_number(cluster)] = name.strip() or None
    if not changes:
        raise click.UsageError("specify at least one CLUSTER=NAME, such as 0=visitors, or --names FILE")
    with locked(folder), InterruptGuard() as guard:
        clusters = rename_clusters(folder, changes)
    rows = [[str(each["cluster"]), str(each["size"]), printable_line(each["name"])] for each in clusters]
    table = aligned([["cluster", "size", "name"], *rows], right=(0, 1))
    print_result(json_text({"folder": str(folder), "clusters": clusters}) if as_json else table)
    if guard.requested:
        click.get_current_context().exit(INTERRUPTED)


def _number(cluster: str) -> int | str:
    return int(cluster) if cluster.isascii() and cluster.isdigit() and len(cluster) < 10 else cluster


def rename_clusters(folder: Path, changes: Mapping[Any, str | None]) -> list[dict[str, Any]]:
    """Rename clusters in all files of a locked run folder. Return each cluster's label, size and name."""
    # The keys of ``changes`` are cluster labels or current names. None restores the name from the fit. All
    # new files are written before the first file is replaced. The record is replaced first, because a killed
    # command can be repeated only with the names from the fit, which the record contains.
    record = runs.run_record(folder)
    labels = runs.run_labels(folder, record)
    sizes = np.bincount(labels[labels >= 0].astype(np.int64))
    if runs.is_in_parts(record):  # the labels are those of sampled rows
        sizes = np.array(record["result"]["sizes"])
    clusters, numbered = np.flatnonzero(sizes).tolist(), [f"cluster {k}" for k in range(len(sizes))]
    content = runs.run_content(folder) if (folder / runs.CONTENT).is_file() else None
    paths = [path for name in ("clusters.csv", CLUSTERED) if (path := folder / name).is_file()]
    tables = {path: _read_cells(path) for path in paths}
    try:
        known = {int(cluster): str(name) for cluster, name in record.get("cluster_names", {}).items()}
        of_fit = record.get("names_of_fit") or {"tables": list(numbered), "page": None}
        if not known:
            for cells, place, rows in list(tables.values())[:1]:
                for cluster, name in zip(rows, cells.iloc[1:, place], strict=True):
                    of_fit["tables"][cluster] = cell_text(name) or numbered[cluster]
            if content is not None and content.chosen in content.cluster_names:
                of_fit["page"] = list(content.cluster_names[content.chosen])
        present = [enumerate(with_user_names(of_fit[where] or (), known)) for where in ("page", "tables")]
        cluster_of = {name: k for names in present for k, name in names if k in clusters}
        changes = {cluster_of.get(key, key): name for key, name in changes.items()}
        user_names = renamed_clusters(changes, known, clusters)
        names = with_user_names(of_fit["tables"], user_names)
        for entry in record.get("clusters", ()):
            entry["name"] = names[entry["cluster"]]
        for cells, place, rows in tables.values():
            own = [csv_cell(names[cluster]) if cluster >= 0 else "" for cluster in rows]
            cells.isetitem(place, [cells.iat[0, place], *own])
    except (AttributeError, KeyError, IndexError) as error:
        raise runs.FolderError(f"{folder} is damaged: its files belong to different runs") from error
    record |= {"cluster_names": {str(k): name for k, name in user_names.items()}, "names_of_fit": of_fit}
    if not user_names:
        del record["cluster_names"], record["names_of_fit"]
    files = {folder / runs.RECORD: runs.record_text(record)}
    files |= {path: runs.cells_text(cells) for path, (cells, *_) in tables.items()}
    if (folder / REGIONS).is_file():
        document = json.loads((folder / REGIONS).read_bytes())
        for feature in document["features"]:
            name, cluster = [*feature["properties"]][-1], [*feature["properties"].values()][-2]
            feature["properties"][name] = names[cluster]
        files[folder / REGIONS] = json.dumps(document).encode("ascii")
    if (folder / runs.MODEL).is_file():
        model = load_model(folder) | {"names": names, "cluster_names": user_names}
        if isinstance(model["estimator"], ReportMixin):
            estimator: Any = model["estimator"]
            own = estimator.labels_  # regions can have names from ``start``
            found = estimator._carried_names(own, own, {})
            found = {k: name for k, name in found.items() if name not in user_names.values()}
            vars(estimator)["_cluster_names"] = found | user_names
        files[folder / runs.MODEL] = runs.model_bytes(model)
    if content is not None:
        from moo_clustering.visualization.report.page import load_content, page_bytes, save_content

        shown = {**content.cluster_names, content.chosen: of_fit["page"] or numbered}
        shown[content.chosen] = with_user_names(shown[content.chosen], user_names)
        with tempfile.TemporaryDirectory() as temporary:
            saved = replace(load_content(folder / runs.CONTENT), cluster_names=shown)
            save_content(Path(temporary) / runs.CONTENT, saved)
            files[folder / runs.CONTENT] = (Path(temporary) / runs.CONTENT).read_bytes()
        if (page := folder / runs.REPORT).is_file():
            runs.check_page(page)
            files[page] = page_bytes(replace(content, cluster_names=shown))
    with ExitStack() as stack:
        for path, text in reversed(files.items()):
            file = stack.enter_context(replacing(path))
            file.write(text)
            file.flush()
    counted = {k: int(sizes[k]) for k in clusters}
    return [{"cluster": k, "size": n, "name": names[k], "given": k in user_names} for k, n in counted.items()]


def _read_cells(path: Path) -> tuple[pd.DataFrame, int, list[int]]:
    """Return the cells of a run's table as text, the column of names, and the cluster of each row."""
    cells = runs.written_cells(path)
    if path.name != CLUSTERED and "name" not in set(cells.iloc[0]):
        cells.insert(min(2, cells.shape[1]), "name", ["name", *[""] * (len(cells) - 1)])
    heads = list(cells.iloc[0])
    try:
        find = partial(runs.own_column, heads) if path.name == CLUSTERED else heads.index
        at, place = map(find, ("cluster", "name"))
        return cells, place, cells.iloc[1:, at].astype(int).tolist()
    except (IndexError, ValueError) as error:
        raise runs.FolderError(f"{path} is damaged: it has no column of clusters or names") from error
