"""Tables in files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from moo_clustering.datasets._table import DataError, Table

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")


def read_table(
    path: str | PathLike[str],
    *,
    labels: str | None = None,
    partial_labels: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    categories: bool = False,
) -> Table:
    """Read a data set from CSV, TSV, Parquet or npz.

    Every column that is given no other role is a feature and must be numeric, or with ``categories`` of
    numbers or text. The first line of a text file names the columns; a first column without a name is
    taken as the row identifier.

    Parameters
    ----------
    path : path-like
        The suffix decides: ``.csv``, ``.tsv``, ``.tab``, ``.txt`` (separated by commas, tabs or semicolons),
        ``.parquet``, ``.pq``, or ``.npz`` with an array ``X`` and, optionally, ``y`` (known classes),
        ``feature_names`` and arrays that the options below name. npz files are read without
        executing anything.
    labels : str, optional
        Column with known classes, text or numbers, for scoring. Empty cells are samples without
        known class.
    partial_labels : str, optional
        Column with the classes of some samples; empty cells and -1 are unlabelled.
    id_column : str, optional
        Column that identifies the rows.
    drop : sequence of str, default=()
        Columns to leave out.
    categories : bool, default=False
        Whether columns of text are features too: every different text is a category, "NA" and "?"
        included. If there are any, ``X`` is a data frame. An npz file cannot have such columns.

    Returns
    -------
    Table
        With categories a :class:`CategoryTable`.

    Raises
    ------
    DataError
        For files that are missing, empty, ragged or of unknown kind; columns that do not exist, are
        not numeric, or have empty, NaN or infinite cells; with ``categories``, columns with another text
        in every row, of more than 20.

    Warns
    -----
    UserWarning
        Columns of categories most of which are numbers, or in which few are equal.

    Notes
    -----
    O(bytes) time and memory.
    """
    # The readers import pandas, which takes half a second that `--help` should not.
    from moo_clustering.datasets._columns import Roles
    from moo_clustering.datasets._npz import read_npz
    from moo_clustering.datasets._parquet import read_parquet
    from moo_clustering.datasets._text import read_text

    path = Path(path)
    roles = Roles(labels, partial_labels, id_column, tuple(drop), categories)
    suffix = path.suffix.lower()
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        if suffix in _TEXT:
            return read_text(path, roles)
        if suffix in _PARQUET:
            return read_parquet(path, roles)
        if suffix == ".npz":
            return read_npz(path, roles)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    raise DataError(f"{path} has the suffix {suffix!r}; known are {', '.join([*_TEXT, *_PARQUET, '.npz'])}")
