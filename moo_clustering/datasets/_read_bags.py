"""Multi-instance data in files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._table import DataError

if TYPE_CHECKING:
    from moo_clustering.datasets._bag_columns import BagOptions

_TEXT = (".arff", ".dat", ".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")


def read_bags(
    path: str | PathLike[str],
    *,
    bag: str | None = None,
    label: str | Literal[False] | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
    missing: Literal["error", "median"] = "error",
) -> BagTable:
    """Read bags of instances from ARFF, KEEL, CSV, TSV, Parquet or npz.

    Parameters
    ----------
    path : path-like
        - ``.arff`` of WEKA's multi-instance form: one bag a row, its instances in a relational
          attribute; beside it, where there are such, the identifier and the class of the bag.
        - ``.arff`` with one instance a row, or KEEL's ``.dat`` (``@inputs``, ``@outputs``, ranges).
        - ``.csv``, ``.tsv``, ``.tab``, ``.txt`` or ``.parquet``, ``.pq`` with one instance a row; the first
          line of a text file names the columns.
        - ``.npz`` with arrays ``instances`` and ``bag_offsets`` and, optionally, ``bag_labels``, ``bag_ids``
          and ``feature_names``, as :meth:`Bags.save` writes. Read without executing anything.

        Of the text files, those that begin like ARFF are read as such, and all may be compressed by
        gzip (``.gz``).
    bag : str, optional
        Column that identifies the bag of a row. Rows of a bag need not be adjacent; bags come in the
        order of their first rows. Default: a column named like ``bag`` or ``bag_id``, else the first
        column if it is not numeric; for relational files the first attribute before the bag.
    label : str or False, optional
        Column with the class of the bag, the same in all its rows; empty cells and ``?`` are bags
        without known class. Default: KEEL's output, a column named ``class`` or ``label``, else the last
        nominal attribute; in npz ``bag_labels``. False: there is none, and every other column is a
        feature.
    drop : sequence of str, default=()
        Columns to leave out. A column that is not numeric, has a value of its own in every row and
        is called ``id``, ``name`` or the like (``conformation_name``) names the instances and is left
        out anyway.
    nominal : sequence of str, default=()
        Columns, of text or numeric codes, to turn into a feature for each of their values.
    missing : {"error", "median"}, default="error"
        What to do about missing values of features: refuse them, or take the median of the column
        over all instances (for nominal attributes the most frequent value).

    Returns
    -------
    BagTable
        Features are the remaining columns in the order of the file. A nominal attribute becomes one
        feature ``name=value`` per declared value, one declared ``{0, 1}`` becomes these numbers.

    Raises
    ------
    DataError
        For files that are missing, empty, cut off, damaged or of unknown kind; rows of unequal width;
        values that are missing, infinite, not numeric or not declared; empty bags; a bag with
        several classes; columns that do not exist or cannot be guessed.

    Notes
    -----
    O(bytes) time and memory.

    References
    ----------
    Frank, Hall and Witten, *The WEKA Workbench* (2016); Alcalá-Fdez et al., *KEEL data-mining software
    tool* (2011), the formats.
    """
    from moo_clustering.datasets._bag_columns import BagOptions

    if missing not in ("error", "median"):
        raise ValueError(f"missing must be 'error' or 'median', got {missing!r}")
    if not (label is None or label is False or isinstance(label, str)):
        raise TypeError(f"label must be the name of a column, None or False, got {label!r}")
    if isinstance(drop, str) or isinstance(nominal, str):
        raise TypeError("drop and nominal must be sequences of names, as drop=['name']")
    path = Path(path)
    options = BagOptions(bag, label, tuple(drop), tuple(nominal), missing)
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        return _read(path, options)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _read(path: Path, options: BagOptions) -> BagTable:
    # The readers import pandas, which takes half a second that `--help` should not.
    suffix = path.suffix.lower()
    if suffix == ".npz":
        from moo_clustering.datasets._bag_npz import read_npz_bags

        return read_npz_bags(path, options)
    if suffix in _PARQUET:
        from moo_clustering.datasets._bag_frame import bags_of_parquet

        return bags_of_parquet(path, options)
    inner = Path(path.stem).suffix.lower() if suffix == ".gz" else suffix
    if inner not in _TEXT:
        known = ", ".join([*_TEXT, *_PARQUET, ".npz"])
        raise DataError(
            f"{path} has the suffix {path.suffix!r}; bags are read from {known}, and text files also with .gz"
        )
    return _read_text(file_text(path), path, inner, options)


def _read_text(text: str, path: Path, suffix: str, options: BagOptions) -> BagTable:
    from moo_clustering.datasets._arff_header import arff_lines, is_arff, read_header
    from moo_clustering.datasets._bag_arff import read_relational
    from moo_clustering.datasets._bag_flat import read_flat
    from moo_clustering.datasets._bag_frame import bags_of_text

    if not text.strip():
        raise DataError(f"{path} is empty")
    if suffix != ".arff" and not is_arff(text):
        return bags_of_text(text, options, path, suffix)
    lines = arff_lines(text)
    header = read_header(lines, str(path))
    relational = any(attribute.kind == "relational" for attribute in header.attributes)
    read = read_relational if relational else read_flat
    return read(header, lines, options, path.name, str(path))


def file_bytes(path: Path) -> bytes:
    """Content of a file, decompressed where it is compressed by gzip."""
    raw = path.read_bytes()
    if raw.startswith(b"\x1f\x8b") or path.suffix.lower() == ".gz":
        try:
            raw = gzip.decompress(raw)
        except EOFError as error:
            raise DataError(f"{path} is cut off: its compressed data end too early") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{path} is no gzip file, or it is damaged: {error}") from error
    return raw


def file_text(path: Path) -> str:
    """Text of a file, which must be UTF-8."""
    try:
        return file_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
