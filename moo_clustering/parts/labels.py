"""Labels of a partitioned table, as a lazy array or as one Parquet file per part."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Labels, optional_package
from moo_clustering._kernels.kmeans import two_nearest
from moo_clustering._messages import checked_path, quoted
from moo_clustering.parts.passes import check_workers, current_client
from moo_clustering.parts.sources import Parts, visit_part

Label = Callable[[NDArray[Any]], Any]
# Metadata key in label files for the hash of the model, the first row, and the number of rows.
_KEY = b"moo_clustering"


class NearestCenter:
    """Label each row with ``numbers[c]``, where c is the index of the nearest centre (the first if tied)."""

    def __init__(self, centers: FloatArray, offsets: tuple[FloatArray, FloatArray], numbers: Any) -> None:
        self.centers = np.ascontiguousarray(centers, dtype=np.float64)
        self.offsets, self.numbers = offsets, np.asarray(numbers, dtype=np.int32)

    def __call__(self, rows: NDArray[Any]) -> Labels:
        points = (rows.astype(np.float64) - self.offsets[0]) - self.offsets[1]
        labels = np.empty(len(rows), dtype=np.int32)
        two_nearest(points, self.centers, labels, np.empty(len(rows)), np.empty(len(rows)))
        return self.numbers[labels]


def lazy_labels(parts: Parts, label: Label) -> Any:
    """Return the labels of all rows as a Dask array with one chunk per part.

    Without Dask, the labels are computed immediately and returned as a NumPy array.

    Parameters
    ----------
    parts : Parts
    label : callable
        ``label(rows)`` returns labels for an array of shape (n, n_features). It must be picklable, and a
        row's label must not depend on other rows. If it has a method ``of_part(rows, start)``, this method is
        called instead, where ``start`` is the index of the first row.

    Returns
    -------
    dask.array.Array or ndarray of shape (n_rows,), or of shape (n_rows, n_labels) for label indicators
    """
    with warnings.catch_warnings(action="ignore"):
        # Labelling a row of ones reveals the dtype and shape, and fails if n_features is wrong.
        like = label(np.ones((1, parts.n_features), dtype=parts.dtype))
    try:
        from dask import array, delayed
    except ImportError:
        return np.concatenate(parts.map(_labels, label, description="labels"))
    if (client := current_client()) is not None:
        check_workers(client)  # otherwise, Dask would retry tasks that workers cannot unpickle
    label, visit = delayed(label, pure=True), delayed(visit_part, pure=False)
    blocks = []
    for part in parts.items:
        one = visit(parts._checks, part._replace(delayed=None), part.delayed, _labels, label)
        blocks.append(array.from_delayed(one, (part.n_rows, *like.shape[1:]), like.dtype))
    return array.concatenate(blocks)


def write_labels(parts: Parts, label: Label, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the labels of every part to a Parquet file with the columns ``row`` and ``cluster``.

    Each file is written atomically. If the call is interrupted, repeat it to write the missing files. All
    workers need access to the folder. Raises a ValueError if the folder contains labels from a different fit
    or a different division into parts, and a MissingPackageError if pyarrow is not installed.

    Parameters
    ----------
    parts : Parts
    label : callable
        See :func:`lazy_labels`. It may also return a dict of columns, in which ``"cluster"`` has the labels.
    folder : path-like
        Folder for the files, created if necessary.

    Returns
    -------
    list of Path
        Label files in row order.
    """
    parquet = optional_package("pyarrow.parquet", "parquet", "writing labels")
    target = checked_path(folder, "folder").absolute()
    target.mkdir(parents=True, exist_ok=True)
    # Equal objects have equal hashes, even if their pickles differ.
    digest = joblib.hash(label, hash_name="sha1")
    files = [target / f"labels-{part.start:012d}.parquet" for part in parts.items]
    keys = [f"{digest} {part.start} {part.n_rows}".encode() for part in parts.items]
    for file in sorted(target.glob("labels-*.parquet")):
        known = (parquet.read_schema(file).metadata or {}).get(_KEY)
        if file not in files or known != keys[files.index(file)]:
            raise ValueError(
                f"{quoted(str(file))} contains labels of a different fit or of other parts; choose an empty "
                "folder, or delete these files"
            )
    if missing := [i for i, file in enumerate(files) if not file.exists()]:
        named = {parts.items[i].start: (str(files[i]), keys[i]) for i in missing}
        parts.map(_write, label, named, only=missing, description="labels")
    return files


def _labels(rows: NDArray[Any], start: int, label: Any) -> NDArray[Any]:
    found: NDArray[Any] = label.of_part(rows, start) if hasattr(label, "of_part") else label(rows)
    return found


def _write(rows: NDArray[Any], start: int, label: Label, named: dict[int, tuple[str, bytes]]) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    file, key = named[start]
    if os.path.exists(file):
        return len(rows)  # the task is repeated, because its worker died after writing
    found: Any = _labels(rows, start, label)
    columns = found if isinstance(found, dict) else {"cluster": found}
    table = pa.table({"row": np.arange(start, start + len(rows)), **columns})
    table = table.replace_schema_metadata({_KEY: key})
    # The process ID is required, because two workers can write the same part after a failure.
    temporary = f"{file}.{os.getpid()}.partial"
    try:
        parquet.write_table(table, temporary)
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return len(rows)
