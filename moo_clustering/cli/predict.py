"""The commands ``predict`` and ``explain``: clusters of further rows, and rules of the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering._messages import for_command, message_line
from moo_clustering.cli.folder import CLUSTERED, USUAL, json_text, load_model, with_clusters, write_csv
from moo_clustering.cli.terminal import aligned, print_result, printable_line, shown_warnings
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, read_frame
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
    unlike = _unlike(table.X, labels, model)
    # The last, empty name is that of noise (-1).
    rows = {"name": np.array([*model["names"], ""], dtype=object)[labels], "unlike": unlike}
    write_csv(path, with_clusters(frame, labels, model["classes"], rows), plain=plain_csv)
    if as_json:
        click.echo(json_text(_record(path, labels, unlike, notes, model)))
    if quiet or as_json:
        return
    for note in notes:
        click.echo(f"Note: {message_line(note)}", err=True)
    click.echo(_shares(labels, model))
    if n := int(unlike.sum()):
        share, are = f"{n} of {len(labels)} rows ({n / len(labels):.0%})", "is" if n == 1 else "are"
        click.echo(
            f"{share} {are} unlike the fit: farther from the nearest row of the fit than {USUAL:.0%} "
            "of the rows in the same cluster."
        )
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


def _record(
    path: Path, labels: IntArray, unlike: NDArray[np.bool_], notes: Sequence[str], model: dict[str, Any]
) -> dict[str, Any]:
    """Create the record that the command prints with --json."""
    now = np.bincount(labels[labels >= 0], minlength=len(model["sizes"]))
    clusters = [
        {"cluster": cluster, "name": name, "rows_of_fit": then, "new_rows": new}
        for cluster, (name, then, new) in enumerate(
            zip(model["names"], model["sizes"].tolist(), now.tolist(), strict=True)
        )
    ]
    for entry, name in zip(clusters, model["classes"] or (), strict=False):
        entry["class"] = name
    return {
        "file": str(path), "n_rows": len(labels), "n_noise": int((labels < 0).sum()),
        "n_unlike": int(unlike.sum()), "clusters": clusters, "notes": list(notes),
    }  # fmt: skip


def _names(model: dict[str, Any]) -> list[str]:
    """Classes of the clusters after a fit with labels, or else their names; a new class has no name."""
    classes = model["classes"] or [""] * len(model["names"])
    return [str(known or name) for known, name in zip(classes, model["names"], strict=True)]


def _unlike(X: FloatArray, labels: IntArray, model: dict[str, Any]) -> NDArray[np.bool_]:
    """Mask of noise and of rows farther from the nearest row of the fit than usual in their cluster."""
    distances = NearestNeighbors(n_neighbors=1).fit(model["rows"]).kneighbors(X)[0][:, 0]
    limits = np.append(model["limits"], -1.0)  # the last limit is that of noise
    # Distances of equal rows may differ from 0 by rounding.
    return distances > limits[labels] + 1e-6 * max(1.0, float(np.abs(model["rows"]).max(initial=0.0)))


def _shares(labels: IntArray, model: dict[str, Any]) -> str:
    """Format the sizes of the clusters in the fit and among the further rows."""
    then = model["sizes"]
    now = np.bincount(labels[labels >= 0], minlength=len(then))
    rows = [["cluster", "name", "rows of the fit", "", "new rows", ""]]
    for cluster, size in enumerate(then):
        name = printable_line(_names(model)[cluster])
        shares = (size / max(then.sum(), 1), now[cluster] / max(len(labels), 1))
        rows.append(
            [str(cluster), name, str(size), f"{shares[0]:.0%}", str(now[cluster]), f"{shares[1]:.0%}"]
        )
    if n_noise := int((labels < 0).sum()):
        share = f"{n_noise / len(labels):.0%}"
        rows.append(["noise", "", "", "", str(n_noise), share])
    return aligned(rows, right=range(2, 6))
