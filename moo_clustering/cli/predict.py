"""The commands ``predict``, ``explain`` and ``rename``: clusters of further rows, rules and names."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering._messages import message_line
from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.cli.folder import (
    CLUSTERED,
    CONTENT,
    MODEL,
    RECORD,
    REPORT,
    USUAL,
    FolderError,
    check_page,
    json_text,
    load_model,
    model_bytes,
    record_text,
    run_content,
    run_labels,
    run_record,
    with_clusters,
    write_csv,
)
from moo_clustering.cli.terminal import INTERRUPTED, aligned, print_result, printable_line, shown_warnings
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.persistence import cell_text, csv_cell, locked, read_bytes, replacing
from moo_clustering.results import renamed_clusters, with_user_names
from moo_clustering.rules import find_rules

# Largest size of a file of names in bytes.
_LARGEST_NAMES = 2**24


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
        labels = model["estimator"].predict(table.X)
    unlike = _unlike(table.X, labels, model)
    # The last, empty name is that of noise (-1).
    rows = {"name": np.array([*model["names"], ""], dtype=object)[labels], "unlike": unlike}
    write_csv(path, with_clusters(frame, labels, model["classes"], rows), plain=plain_csv)
    if as_json:
        click.echo(json_text(_record(path, labels, unlike, (*notes, *table.notes), model)))
    if quiet or as_json:
        return
    for note in (*notes, *table.notes):
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
            click.echo(f"Note: {message_line(note)}", err=True)
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
    """Names by the user, classes of the clusters after a fit with labels, or else names by contrasts."""
    classes = model["classes"] or [""] * len(model["names"])  # a new class has no name
    names = [str(known or name) for known, name in zip(classes, model["names"], strict=True)]
    return with_user_names(names, model.get("cluster_names", {}))


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


def run_rename(folder: Path, names: Sequence[str], *, file: Path | None, as_json: bool) -> None:
    """Name clusters, from CLUSTER=NAME and a file of JSON, and print the new list."""
    changes: dict[Any, str | None] = {} if file is None else _names_in(file)
    for each in names:
        cluster, equals, name = each.partition("=")
        if not equals:
            raise click.UsageError(f"{each!r} is not CLUSTER=NAME, such as 0=visitors")
        changes[_number(cluster)] = name.strip() or None
    if not changes:
        raise click.UsageError("give at least one CLUSTER=NAME, such as 0=visitors, or --names FILE")
    with shown_warnings(), locked(folder), InterruptGuard() as guard:
        clusters = rename_clusters(folder, changes)
    if as_json:
        print_result(json_text({"folder": str(folder), "clusters": clusters}))
    else:
        rows = [[str(each["cluster"]), str(each["size"]), printable_line(each["name"])] for each in clusters]
        print_result(aligned([["cluster", "size", "name"], *rows], right=(0, 1)))
    if guard.requested:
        click.get_current_context().exit(INTERRUPTED)


def _names_in(file: Path) -> dict[Any, str | None]:
    """Read a JSON object from cluster to name."""
    try:
        found = json.loads(read_bytes(file, _LARGEST_NAMES).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is not JSON: {message_line(error)}") from error
    if not isinstance(found, dict):
        raise DataError(f'{file} must contain a JSON object from cluster to name, such as {{"0": "visitors"}}')
    return {_number(cluster): name for cluster, name in found.items()}


def _number(cluster: str) -> int | str:
    return int(cluster) if cluster.isascii() and cluster.isdigit() and len(cluster) < 10 else cluster


def rename_clusters(folder: Path, changes: Mapping[Any, str | None]) -> list[dict[str, Any]]:
    """Name clusters in all files of a locked run folder, and return number, size and name of each.

    None restores the name of the fit. All files are written before the first one is replaced. The record,
    which keeps the names of the fit, is replaced first, so that a killed command can be repeated. Raises a
    ValueError or TypeError for unknown clusters or unusable names, without changes.
    """
    record = run_record(folder)
    labels = run_labels(folder, record)
    sizes = np.bincount(labels[labels >= 0].astype(np.int64))
    clusters, numbered = np.flatnonzero(sizes).tolist(), [f"cluster {k}" for k in range(len(sizes))]
    content = run_content(folder) if (folder / CONTENT).is_file() else None
    tables = [_Table.read(folder / name) for name in ("clusters.csv", CLUSTERED) if (folder / name).is_file()]
    try:
        known = {int(cluster): str(name) for cluster, name in record.get("cluster_names", {}).items()}
        of_fit = record.get("names_of_fit") or {"tables": list(numbered), "page": None}
        if not known:
            for cluster, name in tables[0].names().items() if tables else ():
                of_fit["tables"][cluster] = name or numbered[cluster]
            if content is not None and content.chosen in content.cluster_names:
                of_fit["page"] = list(content.cluster_names[content.chosen])
        user_names = renamed_clusters(changes, known, clusters)
        names = with_user_names(of_fit["tables"], user_names)
        for entry in record.get("clusters", ()):
            entry["name"] = names[entry["cluster"]]
    except (AttributeError, KeyError, IndexError) as error:
        raise FolderError(f"{folder} is damaged: {RECORD} and the tables are of different runs") from error
    record |= {"cluster_names": {str(k): name for k, name in user_names.items()}, "names_of_fit": of_fit}
    if not user_names:
        del record["cluster_names"], record["names_of_fit"]
    files = {RECORD: record_text(record).encode(), **{each.path.name: each.renamed(names) for each in tables}}
    if (folder / MODEL).is_file():
        model = load_model(folder) | {"names": names, "cluster_names": user_names}
        attributes = vars(model["estimator"])
        if user_names and hasattr(model["estimator"], "rename"):
            attributes["_cluster_names"] = user_names
        elif not user_names:
            del model["cluster_names"]
            attributes.pop("_cluster_names", None)
        files[MODEL] = model_bytes(model)
    if content is not None:
        files |= _pages(folder, content, with_user_names(of_fit["page"] or numbered, user_names))
    with ExitStack() as stack:
        for name, text in reversed(files.items()):
            file = stack.enter_context(replacing(folder / name))
            file.write(text)
            file.flush()
    return [{"cluster": k, "size": int(sizes[k]), "name": names[k], "given": k in user_names} for k in clusters]


def _pages(folder: Path, content: Any, names: Sequence[str]) -> dict[str, bytes]:
    """Contents of the archive of the report and of its page, if there is one, with other names."""
    from moo_clustering.visualization.report.page import load_content, page_bytes, save_content

    saved = load_content(folder / CONTENT)
    shown = {**saved.cluster_names, saved.chosen: list(names)}
    with tempfile.TemporaryDirectory() as place:
        save_content(Path(place) / CONTENT, replace(saved, cluster_names=shown))
        files = {CONTENT: (Path(place) / CONTENT).read_bytes()}
    if (folder / REPORT).is_file():
        check_page(folder / REPORT)
        files[REPORT] = page_bytes(replace(content, cluster_names=shown))
    return files


@dataclass
class _Table:
    """A table of a run as text, with the places of its columns of clusters and names."""

    path: Path
    cells: pd.DataFrame
    clusters: list[int]
    place: int  # of the names

    @classmethod
    def read(cls, path: Path) -> _Table:
        """Read a table. Without a column of names, one follows those of clusters and sizes."""
        cells = pd.read_csv(path, header=None, dtype=str, keep_default_na=False, skip_blank_lines=False)
        # Own columns of the table of a user come first.
        order = -1 if path.name == CLUSTERED else 0

        def place(name: str) -> int:
            pattern = f"{name}_*" if order else name
            return [k for k, head in enumerate(cells.iloc[0]) if re.fullmatch(pattern, head)][order]

        try:
            clusters = cells.iloc[1:, place("cluster")].astype(int).tolist()
            if order == 0 and "name" not in set(cells.iloc[0]):
                cells.insert(2, "name", ["name", *[""] * len(clusters)])
            return cls(path, cells, clusters, place("name"))
        except (IndexError, ValueError) as error:
            raise FolderError(f"{path} is damaged: it has no column of clusters, or of their names") from error

    def names(self) -> dict[int, str]:
        """Name of every cluster."""
        return dict(zip(self.clusters, map(cell_text, self.cells.iloc[1:, self.place]), strict=True))

    def renamed(self, names: Sequence[str]) -> bytes:
        """Bytes of the table with other names."""
        own = [csv_cell(names[cluster]) if cluster >= 0 else "" for cluster in self.clusters]
        self.cells.isetitem(self.place, [self.cells.iat[0, self.place], *own])
        return self.cells.to_csv(index=False, header=False, lineterminator="\n").encode()
