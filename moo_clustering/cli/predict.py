"""The commands ``predict`` and ``explain``: clusters of further rows, and rules of the clusters."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from moo_clustering._messages import for_command, message_line
from moo_clustering.cli.folder import CLUSTERED, json_text, load_model, with_clusters, write_csv
from moo_clustering.cli.terminal import aligned, print_result, printable_line, shown_warnings
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.drift import Drift, Reference, new_columns
from moo_clustering.estimators._base import ReportMixin
from moo_clustering.rules import find_rules


def run_predict(
    folder: Path,
    data: Path,
    *,
    out: Path | None,
    header: bool | None,
    quiet: bool,
    plain_csv: bool,
    as_json: bool,
) -> None:
    """Write the rows of a table with their clusters, and print how they differ from those of the fit."""
    model = load_model(folder)
    path = Path(f"{data.name.split('.')[0]}-{CLUSTERED}") if out is None else out
    if path.exists():
        raise DataError(f"{path} already exists; name another file with --out")
    with shown_warnings():
        frame, _, notes = read_frame(data, Roles(header=model["header"] if header is None else header))
        try:
            table = model["preparer"].prepare(frame)
        except DataError as error:
            raise DataError(f"{data}: {error}") from error
        notes = [for_command(note) for note in (*notes, *table.notes)]
        labels = model["estimator"].predict(table.X)
    model_of = Reference(model["rows"], model["limits"], model["sizes"])
    unlike = model_of.unlike(table.X, labels)
    estimator = model["estimator"]
    support = estimator._support_of(table.X) if isinstance(estimator, ReportMixin) else None
    rows = new_columns(labels, model["names"], unlike, support)
    write_csv(path, with_clusters(frame, labels, model["classes"], rows), plain=plain_csv)
    drift = Drift.of(labels, unlike, model["sizes"], _names(model), table, notes)
    if as_json:
        click.echo(json_text(_record(path, drift, model)))
    if quiet or as_json:
        return
    for note in drift.notes:
        click.echo(f"Note: {message_line(note)}", err=True)
    click.echo(drift)
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
    """Print the rules of the clusters of a table, as sentences, code or JSON."""
    model = load_model(folder)
    path = folder / CLUSTERED if data is None else data
    if not path.exists():
        raise DataError(f"{folder} has no {CLUSTERED}; name the table of the fit")
    with shown_warnings():
        frame, _, notes = read_frame(path, Roles(header=model["header"] if data is not None else True))
        try:
            table = model["preparer"].prepare(frame)
        except DataError as error:
            raise DataError(f"{path}: {error}") from error
        labels = model["estimator"].predict(table.X)
        front = find_rules(
            labels,
            table.known_columns,
            max_conditions=max_conditions,
            names=_names(model),
            units=table.units,
        )
    if data is not None:
        for note in (*notes, *table.notes):
            click.echo(f"Note: {message_line(for_command(note))}", err=True)
    chosen = front.select(fidelity)
    if as_json:
        rule_sets = [
            {
                "n_conditions": each.n_conditions,
                "fidelity": each.fidelity,
                "rules": list(map(asdict, each.rules)),
            }
            for each in front
        ]
        text = json_text({"n_rows": len(labels), "chosen": list(front).index(chosen), "rule_sets": rule_sets})
    elif code is not None:
        text = (chosen.to_sql() if code == "sql" else chosen.to_python()).rstrip("\n")
    else:
        rows = [["", "conditions", "fidelity", "clusters with a rule"]]
        for _, each in front.to_frame().iterrows():
            mark = "*" if each["n_conditions"] == chosen.n_conditions else ""
            share = f"{each['fidelity']:.1%}"
            rows.append([mark, f"{each['n_conditions']:.0f}", share, f"{each['n_clusters']:.0f}"])
        rules = "\n".join(printable_line(str(rule)) for rule in chosen.rules)
        text = f"{aligned(rows, right=range(1, 4))}\n\n{rules}"
    print_result(text)


def _record(path: Path, drift: Drift, model: dict[str, Any]) -> dict[str, Any]:
    """Create the record that the command prints with --json."""
    record = {"file": str(path), **drift.to_dict()}
    for entry, name in zip(record["clusters"], model["names"], strict=True):
        entry["name"] = name
    for entry, name in zip(record["clusters"], model["classes"] or (), strict=False):
        entry["class"] = name
    return record


def _names(model: dict[str, Any]) -> list[str]:
    """Classes of the clusters after a fit with labels, or else their names; a new class has no name."""
    classes = model["classes"] or [""] * len(model["names"])
    return [str(known or name) for known, name in zip(classes, model["names"], strict=True)]
