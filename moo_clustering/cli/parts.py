"""The commands ``fit`` and ``predict`` for partitioned tables, which may be larger than memory."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import optional_package
from moo_clustering._data import memory_of_rows
from moo_clustering._messages import message_line, quoted
from moo_clustering.cli import folder as runs
from moo_clustering.cli.fit import finish_fit, lines_of
from moo_clustering.cli.job import Job, build_estimator, choose_method, parse_settings
from moo_clustering.cli.load import prepared_samples
from moo_clustering.cli.predict import cluster_names, print_record
from moo_clustering.cli.samples import PreparedSamples
from moo_clustering.cli.terminal import shown_warnings
from moo_clustering.datasets import DataError, PreparedTable, TablePreparer
from moo_clustering.datasets.tables import Roles
from moo_clustering.drift import Drift, Reference
from moo_clustering.estimators._methods import METHODS, find_method
from moo_clustering.estimators._pareto_landmarks import PointSearch
from moo_clustering.parts import Parts, parts, write_labels
from moo_clustering.persistence import fingerprint
from moo_clustering.results import history_frame

_SHOWN = 20_000  # number of sampled rows that the report and the descriptions of clusters use
# For partitioned tables, ``fit`` accepts the options in both texts, and ``predict`` those in _ALWAYS.
_FIT = "method n_clusters granularity settings drop seed jobs resume no_report pictures plain_csv fail_on"
_ALWAYS = "data folder out quiet as_json workers scheduler"


class PlainColumns(TablePreparer):
    """Preparer for numeric columns, which it leaves unchanged."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(scale="none")
        self.names, self._scales = list(names), []

    @property
    def column_names_(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.names)

    def prepare(self, X: Any) -> PreparedTable:
        columns = X.reindex(columns=self.names).apply(pd.to_numeric, errors="coerce").astype(np.float64)
        if (missing := columns.isna()).any(axis=None):
            raise DataError(f"column {missing.any().idxmax()!r} must be numeric and have no empty cells")
        names = self.column_names_
        return PreparedTable(np.ascontiguousarray(columns), names, (), columns, (), (), missing, self)


class PreparedLabels:
    """Callable that returns, for new rows, the clusters and whether the row is unlike all rows of the fit."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.preparer, self.label = model["preparer"], model["estimator"]._label()
        self.known = Reference(model["rows"], model["limits"], model["sizes"])
        # This search rounds the distances of a row in the same way whatever other rows are in the partition.
        self.search = PointSearch(np.ascontiguousarray(model["rows"], dtype=np.float64))

    def __call__(self, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        X = self.preparer.prepare(pd.DataFrame(rows, columns=list(self.preparer.column_names_))).X
        labels = np.asarray(self.label(X))
        away = self.search(np.ascontiguousarray(X, dtype=np.float64), 1)[1][:, 0]
        return {"cluster": labels, "unlike": self.known.unlike(away, labels)}


@dataclass(frozen=True, eq=False)
class PartSamples(PreparedSamples):
    """Partitioned table. ``X`` is a random sample of its rows, which is empty before the fit."""

    table: Parts = field(kw_only=True)

    def __str__(self) -> str:
        n = len(self.table.items)
        size = f"{self.table.n_rows} rows in {n} partition{'s' * (n != 1)}"
        return f"{self.source}, {size}, {self.table.n_features} columns"

    def record(self) -> dict[str, Any]:
        """Return numbers of rows and columns, names, and a fingerprint that identifies the table."""
        names, sizes = zip(*((part.name, part.n_rows) for part in self.table.items), strict=True)
        columns = list(self.feature_names)
        return {
            "n_samples": self.table.n_rows,
            "n_features": len(columns),
            "n_parts": len(names),
            "feature_names": columns,
            "fingerprint": fingerprint(np.array([*columns, *names]), np.array(sizes)),
        }

    @classmethod
    def chosen(cls, name: str, table: Parts, numbers: NDArray[Any], rows: NDArray[Any]) -> PartSamples:
        columns = table.columns or tuple(f"x{place}" for place in range(table.n_features))
        frame = pd.DataFrame(rows.astype(np.float64), columns=list(columns))
        found = prepared_samples(Path(name), frame, Roles(), PlainColumns(columns).prepare(frame))
        title = f"{len(numbers)} of {table.n_rows} rows of {name}" if len(numbers) else name
        return cls(**{**vars(found), "name": title, "source": name, "row_ids": numbers, "table": table})


def run_fit_in_parts(data: Sequence[str], out: Path, options: Mapping[str, Any]) -> None:
    """Fit a method that supports partitioned tables, and write the folder ``out``."""
    started, context = time.perf_counter(), click.get_current_context()
    notices = context.with_resource(shown_warnings())
    folder = context.with_resource(runs.open_folder(out, resume=options["resume"]))
    _refuse_unused(_FIT if options["prepare"] else f"{_FIT} prepare")
    name, why = choose_method(options["method"], data[0], None)
    method, preset = find_method(name)
    cls = method.load()
    if "write_labels" not in dir(cls):
        names = ", ".join(each.name for each in METHODS.values() if "write_labels" in dir(each.load()))
        raise DataError(
            f"method {method.name} requires all rows in the memory of one machine"
            f"{memory_of_rows(cls.__name__)}; methods that read a table in partitions are {names}"
        )
    settings, verbose = parse_settings(options["settings"], method.name, cls), not options["quiet"]
    estimator = build_estimator(method, cls, preset | settings, options)
    with _workers(options):
        table = _opened(data, drop=options["drop"])
        table.verbose = verbose
        nothing = np.empty(0, dtype=np.int64), np.empty((0, table.n_features))
        samples = PartSamples.chosen(_name(data), table, *nothing)
        job = Job(
            "fit", method, estimator, samples, options["seed"], notices=notices, started=started, why=why,
            options=settings, fit=_fit_in_parts, lines=partial(lines_of, Path(), context),
        )  # fmt: skip
        finish_fit(job, folder, options)


def _fit_in_parts(job: Job, folder: runs.RunFolder, record: dict[str, Any]) -> bool:
    """Fit or resume, write the labels of all rows, and return whether the fit was interrupted.

    ``job.samples`` is replaced by a random sample of the rows, and ``job.sizes`` is set to the cluster sizes.
    """
    samples: Any = job.samples
    table, path = samples.table, folder.path
    if folder.resumed:
        model, known = runs.load_model(path, runs.CHECKPOINT), runs.run_record(path)
        for key in ("method", "parameters", "seed", "data"):
            before, now = ({**each, "data": each["data"]["fingerprint"]}[key] for each in (known, record))
            if runs.json_text([before]) != runs.json_text([now]):
                said = f"cannot resume the fit in {path}, because its {key} changed; rerun its command"
                raise DataError(f"{said}, or choose another folder with --out")
        estimator = model["estimator"]
        estimator.parts_ = table
        if model["rows"] is not None:
            estimator.history_ = pd.DataFrame(model["rows"])
    else:
        estimator = job.estimator.fit(table)
        fitted, found = copy(estimator), vars(estimator)
        history = history_frame(found.get("history_"), found.get("objective_names_", ()))
        del fitted.parts_, fitted.labels_
        runs.write_model(folder.checkpoint, fitted, rows=None if history is None else history.to_dict("list"))
    try:
        files = estimator.write_labels(path / runs.ALL_LABELS)
    except KeyboardInterrupt:
        click.echo("The fit is saved; to complete the labels, rerun the command with --resume.", err=True)
        raise
    draw = np.random.default_rng(job.seed).choice
    numbers = draw(table.n_rows, min(_SHOWN, table.n_rows), replace=False)
    numbers = np.union1d(numbers, estimator._required_rows())
    job.sizes, numbers, labels = _read_labels(files, numbers, estimator.n_clusters_)
    rows = table.rows(numbers)
    job.samples = PartSamples.chosen(samples.source, table, numbers, rows)
    record["data"]["n_shown"] = len(numbers)
    job.estimator = estimator._with_rows(rows, labels)
    if interrupted := job.result.interrupted:
        folder.checkpoint.unlink(missing_ok=True)  # not required, because all labels are written
    return interrupted


def _read_labels(
    files: Sequence[Path], numbers: NDArray[Any], n_clusters: int
) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[Any]]:
    """Return the cluster sizes, and the numbers and labels of some rows.

    These rows are the rows in ``numbers`` and the first row of each cluster.
    """
    parquet = optional_package("pyarrow.parquet", "parquet", "reading labels")
    sizes, first, found = np.zeros(n_clusters, dtype=np.intp), dict[int, int](), dict[int, int]()
    for file in files:
        table = parquet.read_table(file)
        rows, labels = (table[name].to_numpy() for name in ("row", "cluster"))
        sizes += np.bincount(labels[labels >= 0], minlength=n_clusters)
        clusters, places = np.unique(labels, return_index=True)
        first = dict(zip(clusters.tolist(), rows[places].tolist(), strict=True)) | first
        some = numbers[slice(*np.searchsorted(numbers, [rows[0], rows[-1] + 1]))]
        found |= dict(zip(some.tolist(), labels[some - rows[0]].tolist(), strict=True))
    found = dict(sorted((found | {row: cluster for cluster, row in first.items()}).items()))
    return sizes, np.array([*found]), np.array([*found.values()], dtype=np.int32)


def run_predict_in_parts(folder: Path, data: Sequence[str], options: Mapping[str, Any]) -> None:
    """Write the clusters of a partitioned table to a folder, and print the number of rows per cluster."""
    _refuse_unused("")
    model = runs.load_model(folder)
    stem = _name(data[:1]).partition("/")[0].partition(".")[0]  # a glob is named after its folder
    out = Path(f"{stem}-labels") if options["out"] is None else options["out"]
    label = PreparedLabels(model)
    with _workers(options):
        table = _opened(data, columns=label.preparer.column_names_)
        table.verbose = not options["quiet"]
        files = write_labels(table, label, out)
    sizes, _, _ = _read_labels(files, np.empty(0, dtype=np.int64), len(model["sizes"]))
    read = optional_package("pyarrow.parquet", "parquet", "reading labels").read_table
    n_unlike = sum(int(read(file, columns=["unlike"])["unlike"].to_numpy().sum()) for file in files)
    drift = Drift.of_counts(sizes, table.n_rows, n_unlike, model["sizes"], cluster_names(model))
    if options["as_json"]:
        print_record(out, drift, model)
    elif not options["quiet"]:
        click.echo(drift)
        n_files = f"{len(files)} file{'s' * (len(files) != 1)}"
        click.echo(f"Saved the clusters of {table.n_rows} rows to {n_files} in {out}.")


def _name(data: Sequence[str]) -> str:
    """Return the name of the data without the path. The name of a glob starts with the last folder."""
    path = Path(data[0])
    name = f"{path.absolute().parent.name}/{path.name}" if has_magic(path.name) else path.absolute().name
    return name if len(data) == 1 else f"{name} and {len(data) - 1} more"


def _opened(data: Sequence[str], *, columns: Sequence[str] | None = None, drop: Sequence[str] = ()) -> Parts:
    """Open files or a Zarr array. The columns of a Zarr array have no names and are only counted."""
    if len(data) > 1 or not data[0].rstrip("/").endswith(".zarr"):
        return parts(data[0] if len(data) == 1 else list(data), columns=columns, drop=drop)
    try:
        source = optional_package("zarr", "zarr", "a Zarr array").open_array(data[0], mode="r")
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{data[0]} cannot be read as a Zarr array: {message_line(error)}") from error
    table = parts(source, drop=drop)
    if columns is not None and len(columns) != table.n_features:
        raise DataError(f"{data[0]} has {table.n_features} columns, but the fit had {len(columns)}")
    return table


def _refuse_unused(used: str) -> None:
    """Raise a DataError if the user set an option that is neither in ``used`` nor in ``_ALWAYS``."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_given and name not in f"{used} {_ALWAYS}".split():
            remedy = "; use --drop to exclude a column" if name in ("id_column", "labels") else ""
            raise DataError(f"{parameter.opts[-1]} does not apply to a partitioned table{remedy}")


@contextmanager
def _workers(options: Mapping[str, Any]) -> Iterator[None]:
    """Start worker processes or connect to a Dask scheduler, if the options request this."""
    n_workers, address = options["workers"], options["scheduler"]
    if n_workers is not None and address is not None:
        raise click.UsageError("--workers and --scheduler are mutually exclusive")
    if not n_workers and address is None:
        yield
        return
    distributed = optional_package("distributed", "dask", "--workers" if n_workers else "--scheduler")
    if address is not None:
        try:
            client = distributed.Client(address, timeout=10, set_as_default=False)
        except (OSError, ValueError) as error:
            said = f"no Dask scheduler responds at {quoted(address)} ({message_line(error)})"
            raise DataError(f"{said}; check the address, or use --workers N") from error
        with client, client.as_current():
            yield
        return
    # In a terminal, Ctrl-C reaches all processes. The workers ignore it, because they inherit this handler.
    numbers = [signal.Signals[name] for name in ("SIGINT", "SIGHUP") if name in signal.Signals.__members__]
    handlers = [(number, signal.signal(number, signal.SIG_IGN)) for number in numbers]
    try:
        quiet = {"dashboard_address": None, "silence_logs": logging.ERROR}
        local = distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, **quiet)
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
    with local as cluster, distributed.Client(cluster):
        yield
