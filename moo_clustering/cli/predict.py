"""The command ``predict``: the saved model of a fit, and clusters of further rows of its table."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering._messages import message_line, path_fault
from moo_clustering.cli.folder import (
    CLUSTERED,
    MODEL,
    MODEL_FORMAT,
    MODEL_VERSION,
    USUAL,
    FolderError,
    run_record,
    with_clusters,
    write_csv,
)
from moo_clustering.cli.terminal import aligned, printable_line, shown_warnings
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.persistence import EXPANSION, most_expanded, version_fault

if TYPE_CHECKING:
    pass

# Types of other packages that a model may contain.
_TYPES = {
    "functools.partial",
    "numpy.asarray",
    "numpy.dtype",
    "numpy.random.bit_generator.SeedSequence",
    "pandas.Interval",
    "pymoo.core.problem.ElementwiseEvaluationFunction",
    "pymoo.core.problem.LoopedElementwiseEvaluation",
    "scipy.sparse._csr.csr_array",
}


def load_model(folder: Path) -> dict[str, Any]:
    """Read the model of a run. Raises a FolderError if there is none, or the file is damaged or foreign."""
    from skops import io

    run_record(folder)
    path = folder / MODEL
    if fault := path_fault(path, "file"):
        raise FolderError(f"{path} {fault}")
    if not path.exists():
        raise FolderError(
            f"{folder} has no {MODEL}; fit writes it for tables, unless --no-prepare was used or the method "
            "makes no predictions"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            n_bytes = sum(each.file_size for each in archive.infolist())
        if n_bytes > most_expanded(path.stat().st_size, EXPANSION):
            raise ValueError(f"it would take {n_bytes / 2**30:.1f} GiB of memory")
        types = io.get_untrusted_types(file=path)
        foreign = [name for name in types if not name.startswith("moo_clustering.") and name not in _TYPES]
        model = None if foreign else io.load(path, trusted=types)
    except Exception as error:  # as damaged bytes are, and attributes of another version
        raise FolderError(
            f"{path} cannot be read ({message_line(str(error))}); fit again with this version"
        ) from error
    if foreign:
        raise FolderError(f"{path} is not read, because it contains objects of type {foreign[0]}")
    if not isinstance(model, dict) or model.get("format") != MODEL_FORMAT:
        raise FolderError(f"{path} is not the model of a run")
    if fault := version_fault(model.get("version"), MODEL_VERSION):
        raise FolderError(f"{path} {fault}")
    return model


def run_predict(
    folder: Path, data: Path, *, out: Path | None, header: bool | None, quiet: bool, plain_csv: bool
) -> None:
    """Write the rows of a table with their clusters, and print how they differ from those of the fit."""
    model = load_model(folder)
    path = Path(f"{data.name.split('.')[0]}-{CLUSTERED}") if out is None else out
    if path.exists():
        raise DataError(f"{path} exists already; name another file with --out")
    with shown_warnings():
        frame, _, notes = read_frame(data, Roles(header=model["header"] if header is None else header))
        try:
            table = model["preparer"].prepare(frame)
        except DataError as error:
            raise DataError(f"{data}: {error}") from error
        labels = model["estimator"].predict(table.X)
    unlike = _unlike(table.X, labels, model)
    write_csv(path, with_clusters(frame, labels, model["classes"], unlike=unlike), plain=plain_csv)
    if quiet:
        return
    for note in (*notes, *table.notes):
        click.echo(f"Note: {message_line(note)}", err=True)
    click.echo(_shares(labels, model))
    if n := int(unlike.sum()):
        share, are = f"{n} of {len(labels)} rows ({n / len(labels):.0%})", "is" if n == 1 else "are"
        click.echo(
            f"{share} {are} unlike the fit: farther from the nearest of its rows than {USUAL:.0%} of the "
            "rows of their cluster."
        )
    click.echo(f"Saved {path}.")


def _unlike(X: FloatArray, labels: IntArray, model: dict[str, Any]) -> NDArray[np.bool_]:
    """Rows farther from the nearest row of the fit than usual in their cluster, and noise."""
    distances = NearestNeighbors(n_neighbors=1).fit(model["rows"]).kneighbors(X)[0][:, 0]
    limits = np.append(model["limits"], -1.0)  # the last is that of noise
    # Distances of equal rows may differ from 0 by rounding.
    return distances > limits[labels] + 1e-6 * max(1.0, float(np.abs(model["rows"]).max(initial=0.0)))


def _shares(labels: IntArray, model: dict[str, Any]) -> str:
    """Sizes of the clusters in the fit and among the further rows, for a terminal."""
    then = model["sizes"]
    now = np.bincount(labels[labels >= 0], minlength=len(then))
    names = model["classes"] or [""] * len(then)
    rows = [["cluster", *(["class"] if model["classes"] else []), "rows of the fit", "", "new rows", ""]]
    for cluster, size in enumerate(then):
        name = [printable_line(names[cluster])] if model["classes"] else []
        shares = (size / max(then.sum(), 1), now[cluster] / max(len(labels), 1))
        rows.append(
            [str(cluster), *name, str(size), f"{shares[0]:.0%}", str(now[cluster]), f"{shares[1]:.0%}"]
        )
    if n_noise := int((labels < 0).sum()):
        share = f"{n_noise / len(labels):.0%}"
        rows.append(["noise", *([""] if model["classes"] else []), "", "", str(n_noise), share])
    n_columns = len(rows[0])
    return aligned(rows, right=range(n_columns - 4, n_columns))
