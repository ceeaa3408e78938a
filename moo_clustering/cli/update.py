"""The commands ``update`` (add rows to a run) and ``choose`` (select another solution of a run)."""

import os
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.base import clone

from moo_clustering._messages import did_you_mean, for_command, quoted
from moo_clustering.cli import folder as runs
from moo_clustering.cli.fit import save_described, save_report, warn_of_missing
from moo_clustering.cli.job import Job
from moo_clustering.cli.load import polygons, prepared_samples, read_map_file
from moo_clustering.cli.predict import cluster_names, prepare_rows, read_rows, rename_clusters
from moo_clustering.cli.samples import REGIONS, AreaSamples, PreparedSamples
from moo_clustering.cli.terminal import aligned, print_notes, printable_line, shown_warnings
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.drift import ClusterChanges
from moo_clustering.estimators import ParetoClustering
from moo_clustering.estimators._fronts import FrontMixin
from moo_clustering.estimators._methods import RECOMMENDED, find_method
from moo_clustering.estimators._pareto_base import ParetoPoolClusterer
from moo_clustering.persistence import cell_text, locked

_UNFINISHED = ".updated.tmp"  # subfolder for new files while they are being written


def run_update(folder: Path, data: Path, *, header: bool | None, quiet: bool, as_json: bool) -> None:
    with shown_warnings() as warnings, locked(folder):
        run = _Run(folder)
        estimator, method = run.estimator, run.record["method"]
        if not isinstance(estimator, ParetoClustering):
            said = f"method {method} does not support update; only {RECOMMENDED} does"
            raise DataError(f"{said}; fit all rows again instead")
        run.restore(quiet)
        new, notes = read_rows(data, run.model, header, {"header": "--no-header"})
        table = prepare_rows(data, run.model, new)
        new, more_notes = _aligned(new, run, data)
        old_names = cluster_names(run.model)
        rows = pd.concat([run.rows, new], ignore_index=True)
        rows.attrs = run.rows.attrs
        try:
            estimator.update(table.X)
        except ValueError as error:
            raise DataError(f"{folder}: {for_command(error)}") from error
        changes: ClusterChanges = estimator.changes_
        added = {"file": data.name, "n_rows": len(new)}
        command = f"moo-clustering update {shlex.quote(folder.resolve().name)} {shlex.quote(data.name)}"
        extra = {"updates": [*run.record.get("updates", ()), added]}
        record, names = run.save(rows, ("The update", command), extra, warnings)
    drift = replace(changes.drift, names=tuple(old_names), notes=(*changes.drift.notes, *table.notes))
    changes = replace(changes, names=tuple(names), drift=drift)
    if as_json:
        click.echo(runs.json_text({"folder": folder, **changes.to_dict(), "files": record["files"]}))
    if quiet or as_json:
        return
    print_notes([*notes, *more_notes, *table.notes])
    click.echo(changes)
    click.echo(_saved(folder, len(rows), record))


def run_choose(folder: Path, rule: str | None, *, quiet: bool, as_json: bool) -> None:
    """Replace the result of a run by another solution of the run. If ``rule`` is None, list the rules."""
    with shown_warnings() as warnings, locked(folder):
        run = _Run(folder)
        if not isinstance(run.estimator, FrontMixin):
            raise DataError(f"method {run.record['method']} returns one solution, so there is no choice")
        rules, n_rows = run.estimator.rules_, len(run.estimator.pareto_front_)
        allowed = f"specify {', '.join(rules)}, or a row of front.csv (0 to {n_rows - 1})"
        if rule is None:
            raise click.UsageError(allowed)
        row = int(rule) if rule.isdecimal() and len(rule) < 10 else None
        if row is None and rule not in rules:
            raise DataError(f"unknown rule {quoted(rule)}; {allowed}{did_you_mean(rule, rules)}")
        if row is not None and row >= n_rows:
            raise DataError(f"row {row} does not exist; the last row of front.csv is row {n_rows - 1}")
        run.restore(quiet)
        run.estimator.choose(rule if row is None else row)
        command = f"moo-clustering choose {shlex.quote(folder.resolve().name)} {shlex.quote(rule)}"
        record, names = run.save(run.rows, ("The choice", command), {"rule": rule}, warnings)
    sizes = enumerate(zip(record["result"]["sizes"], names, strict=True))
    clusters = [{"cluster": k, "size": size, "name": name} for k, (size, name) in sizes if size]
    if as_json:
        shown = {"folder": folder, "rule": rule, "clusters": clusters}
        click.echo(runs.json_text({**shown, "files": record["files"]}))
    if quiet or as_json:
        return
    lines = [[str(each["cluster"]), str(each["size"]), printable_line(each["name"])] for each in clusters]
    click.echo(aligned([["cluster", "size", "name"], *lines], right=(0, 1)))
    click.echo(_saved(folder, len(run.rows), record))


def _saved(folder: Path, n_rows: int, record: Mapping[str, Any]) -> str:
    opened = f"; open {folder / runs.REPORT} in a browser" if runs.REPORT in record["files"] else ""
    return f"Saved {n_rows} rows in {folder}{opened}."


class _Run:
    """Record, model and rows of a fit to a prepared table, read from its run folder, which is locked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.started = folder, time.perf_counter()
        self.record = runs.run_record(folder)
        if self.record["status"] != "complete":
            raise DataError(f"{folder} contains an incomplete run; finish it with `fit --resume`")
        if runs.is_in_parts(self.record):
            said = f"{folder} is a fit of a partitioned table and cannot be changed"
            raise DataError(f"{said}; run fit with a new folder")
        self.model = runs.load_model(folder)
        self.estimator = self.model["estimator"]
        self.method = find_method(self.record["method"])[0]
        if "label_sets" in self.method.supervision and self.record.get("supervision"):
            raise DataError(f"{folder} is a fit of {self.method.name} with labels and cannot be changed")
        self.labels = np.asarray(self.estimator.labels_)
        self.names: dict[int, str] = vars(self.estimator).pop("_cluster_names", {})
        self.roles = Roles(**self.model["roles"] | {"drop": tuple(self.model["roles"]["drop"])})
        self.rows = self._rows()
        self.content = runs.run_content(folder) if (folder / runs.CONTENT).is_file() else None

    def restore(self, quiet: bool) -> None:
        """Restore attributes of the estimator that are not saved. For most methods, the fit is repeated."""
        saved = self.estimator
        if self.method.areas:
            return  # models of maps contain all solutions
        if isinstance(saved, ParetoPoolClusterer):
            saved._restore(None if saved.landmark_of_ is None else self._samples(self.rows).X)
            return
        if not quiet:
            click.echo("Repeating the fit, because the model does not contain its solutions ...", err=True)
        samples = self._samples(self.rows)
        self.estimator = clone(saved).fit(samples.X, **self._supervision(samples))
        if not np.array_equal(self.estimator.pareto_front_, saved.pareto_front_, equal_nan=True):
            raise DataError(f"repeating the fit in {self.folder} gave other solutions; fit to a new folder")

    def _rows(self) -> pd.DataFrame:
        path = self.folder / runs.CLUSTERED
        if not path.is_file():
            raise DataError(f"{self.folder} has no {runs.CLUSTERED}, which contains the rows of the fit")
        frame, _, _ = read_frame(path, Roles(header=True))
        cluster = runs.own_column([*map(str, frame)], "cluster")
        labels = pd.to_numeric(frame.iloc[:, cluster], errors="coerce").to_numpy()
        if not np.array_equal(labels, self.labels):
            raise DataError(f"{path} was changed after the fit; its rows must be in their original order")
        rows = frame.iloc[:, :cluster]
        rows = rows if self.model["plain_csv"] else rows.map(cell_text).rename(columns=cell_text)
        rows.attrs = frame.attrs
        return rows

    def save(
        self, rows: pd.DataFrame, line: tuple[str, str], extra: Mapping[str, Any], warnings: Sequence[str]
    ) -> tuple[dict[str, Any], list[str]]:
        """Replace the files of the run, and return the new record and the cluster names."""
        folder, samples = self.folder, self._samples(rows)
        job = Job(
            "fit", self.method, self.estimator, samples, self.record["seed"],
            why=self.record.get("method_taken", ""), sources=self.record["supervision"],
            supervision=self._supervision(samples), lines=lambda job: [*self._lines(), line],
        )  # fmt: skip
        kept = {key: self.record[key] for key in ("updates", "rule", "title") if key in self.record}
        record = job.record() | kept | {"status": "complete", **extra}
        warn_of_missing(job)
        record["warnings"] = [*dict.fromkeys(warnings)]
        record["timings"] = {**self.record["timings"], "fit": time.perf_counter() - self.started}
        labels = self.estimator.labels_[: len(self.labels)]
        names = self.estimator._carried_names(self.labels, labels, self.names)
        temporary = folder / _UNFINISHED
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        try:
            pictures = any(name.endswith(".png") for name in self.record["files"])
            options = {"with_pictures": pictures, "plain_csv": self.model["plain_csv"]}
            found = save_described(temporary, job, record, **options)
            if self.content is not None:
                record["files"] += save_report(temporary, job, record, found.report, folder.resolve().name)
            if (folder / "history.csv").is_file() and "history.csv" not in record["files"]:
                shutil.copy(folder / "history.csv", temporary)
                record["files"].append("history.csv")
            (temporary / runs.RECORD).write_bytes(runs.record_text(record))
            if names:
                rename_clusters(temporary, names)
            shown = cluster_names(runs.load_model(temporary))
            # If this process is killed after the next line, the next command completes the update.
            os.replace(temporary, folder / runs.UPDATED)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        runs.finish_update(folder)
        return runs.run_record(folder), shown

    def _samples(self, rows: pd.DataFrame) -> PreparedSamples:
        """Return ``rows`` as samples. Rows added after the fit have no partial labels."""
        name = Path(self.record["data"]["name"])
        prepared = self.model["preparer"].prepare(rows)
        samples = prepared_samples(name, rows, self.roles, prepared, n_labelled=len(self.rows))
        known = self.model["rows"]
        if len(known) == len(self.rows) and not np.allclose(samples.X[: len(known)], known):
            raise DataError(f"{self.folder / runs.CLUSTERED} was changed after the fit; fit again")
        samples = replace(samples, notes=tuple(self.record["data"]["notes"]))
        return self._areas(samples) if self.method.areas else samples

    def _areas(self, samples: PreparedSamples) -> AreaSamples:
        """Return the samples as a map. The two properties that ``fit`` added to each area are removed."""
        document = read_map_file(self.folder / REGIONS)
        for feature in document["features"]:
            feature["properties"].popitem()
            feature["properties"].popitem()
        data = self.record["data"]
        roles = {name: data[name] for name in ("weight", "start") if name in data}
        return AreaSamples(
            **vars(samples), document=document, geometry=polygons(document), roles_of_map=roles
        )

    def _supervision(self, samples: PreparedSamples) -> dict[str, Any]:
        given = self.record["supervision"]
        found = {"y": samples.partial_y} if "partial_labels" in given else {}
        if self.content is not None:
            pairs = [name for name in ("must_link", "cannot_link") if name in given]
            found |= {name: vars(self.content)[name] for name in pairs}
        return found

    def _lines(self) -> list[tuple[str, str]]:
        if self.content is None:
            return []
        repeated = ("Repeat the fit", "The same fit in Python", "The update", "The choice")
        return [(line[0], line[1]) for line in self.content.lines if line[0] in repeated]


def _aligned(new: pd.DataFrame, run: _Run, path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return the new rows as text in the columns of the fit, and a note on columns that the rows lack."""
    style = {**new.attrs.get("csv", {}), "encoding": "utf-8"}
    new.attrs["csv"] = style
    text = BytesIO(runs.csv_text(new, plain=True))
    cells = pd.read_csv(text, dtype=str, keep_default_na=False, skip_blank_lines=False, **style)
    cells.columns = new.columns
    if run.roles.id_column is not None and run.roles.id_column not in cells:
        raise DataError(f"{path} has no column {run.roles.id_column!r}, which identifies the rows of the fit")
    empty = [str(name) for name in run.rows if name not in cells]
    said = [f"the new rows have no values for {', '.join(map(repr, empty))}"] if empty else []
    return cells.reindex(columns=run.rows.columns, fill_value=""), said
