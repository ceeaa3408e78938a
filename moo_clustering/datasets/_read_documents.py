"""Reading collections of texts: JSON lines, tables with columns of text, folders of text files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from moo_clustering.datasets._documents import Documents
from moo_clustering.datasets._table import DataError

_LINES = (".jsonl", ".jsonl.gz")
_ROWS = (".csv", ".tsv", ".tab", ".txt")


def holds_documents(path: Path) -> bool:
    """Whether a path can hold nothing but texts: JSON lines or a folder."""
    return path.name.lower().endswith(_LINES) or path.is_dir()


def read_documents(
    path: str | PathLike[str],
    *,
    text_columns: Sequence[str] | None = None,
    id_column: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    drop: Sequence[str] = (),
) -> Documents:
    """Read texts from JSON lines, a table with columns of text, or a folder of text files.

    Parameters
    ----------
    path : path-like
        ``.jsonl`` or ``.jsonl.gz`` (one JSON object a line); ``.csv``, ``.tsv``, ``.tab`` or ``.txt`` (a
        table whose first line names the columns); or a folder, whose ``.txt`` files, those of its
        sub-folders too, are the documents and their names the identifiers.
    text_columns : sequence of str, optional
        Columns whose texts are put together, in this order. Default: those of title, text and
        abstract that there are. Lists of texts are joined.
    id_column : str, optional
        Column that identifies the documents; default: the column ``id``, if there is one.
    labels : str, optional
        Column with known classes, for scoring; a list in JSON gives a document several. For a folder,
        ``"folder"``: the sub-folders are the classes.
    partial_labels : str, optional
        Column with the classes of some documents; empty cells and -1 are unlabelled. For a folder,
        ``"folder"``: files in no sub-folder are unlabelled.
    drop : sequence of str, default=()
        Columns not to take by default.

    Returns
    -------
    Documents

    Raises
    ------
    DataError
        For files that are missing, not UTF-8, damaged, of unknown kind or without documents; bad JSON
        (naming the line); columns that do not exist; identifiers that are empty or not unique.

    Notes
    -----
    O(bytes) time; the memory of the texts.
    """
    # The readers import pandas, which takes half a second that `--help` should not.
    from moo_clustering.datasets._document_fields import Fields, documents_of
    from moo_clustering.datasets._document_files import read_folder
    from moo_clustering.datasets._document_records import read_lines, read_rows

    path = Path(path)
    if isinstance(text_columns, str):
        text_columns = (text_columns,)
    fields = Fields(
        None if text_columns is None else tuple(text_columns), id_column, labels, partial_labels, tuple(drop)
    )
    if not path.exists():
        raise DataError(f"there is no file or folder {path}")
    fields.check()
    try:
        if path.is_dir():
            return read_folder(path, fields)
        if path.name.lower().endswith(_LINES):
            return documents_of(read_lines(path, fields.wanted()), fields, path)
        if path.suffix.lower() in _ROWS:
            return documents_of(read_rows(path, fields.wanted()), fields, path)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    known = ", ".join([*_LINES, *_ROWS])
    raise DataError(f"{path} has the suffix {path.suffix!r}; texts are read from {known} or a folder")
