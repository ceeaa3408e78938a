"""Reader for tables of numbers and categories in text, Excel, Parquet and npz files."""

from __future__ import annotations

import io
import itertools
import re
import shlex
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import did_you_mean, names_of, warn_caller
from moo_clustering._messages import Advice, distinct_names, for_command, quoted
from moo_clustering._types import FloatArray, Int64Array
from moo_clustering.datasets import files
from moo_clustering.datasets.cells import alike_note, blanks_note, packed_days, read_dates, read_times
from moo_clustering.datasets.files import DataError, NotNumericError, Remedy
from moo_clustering.persistence import EXPANSION, cell_text, read_arrays

_SHOWN = 5
_MOST_CHARACTERS = 2**28
# A dense array whose size depends on indices or declared values in a file may have this number of cells.
_MOST_CELLS = 2**30
# Columns of these pandas kinds can be converted to text without merging distinct cells.
_KINDS = {"string", "boolean", "integer", "floating", "mixed-integer", "mixed-integer-float", "categorical"}
_NO_NUMBER = ("", "nan", "NaN", "NA")
_LIKE_MISSING = {"nan", "na", "n/a", "none", "null", "<na>", "nat", "?", "#n/a"}
_INTEGER = re.compile(r"(-?)(0|[1-9]\d*)(\.0)?", re.ASCII)
# In tables with at most this many rows, a column of unique values may still be treated as categorical.
_FEW = 20
UNNAMED = "(unnamed first column)"
# Names of the index columns that accumulate when a data frame is written and read repeatedly.
_INDEX = re.compile(r"Unnamed: \d+(\.\d+)*")


class NamedRows:
    """Mixin for data with ``row_ids``, which are strings or the numbers 0, 1, ..."""

    row_ids: NDArray[Any]

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.row_ids)

    @property
    def has_row_ids(self) -> bool:
        """Whether the rows have identifiers."""
        return bool(self.row_ids.dtype.kind == "U")


@dataclass(frozen=True, eq=False)
class Table(NamedRows):
    """A data set with numeric features, identifiers and labels.

    Parameters
    ----------
    name : str
        Name of the data set, or its file name.
    X : ndarray of shape (n_samples, n_features), float64
        Finite features; for graphs, the adjacency matrix as a csr_array.
    feature_names : tuple of str
        One name per column of X.
    row_ids : ndarray of shape (n_samples,)
        Identifiers as strings, or the numbers 0, 1, ... if the rows have no identifiers.
    y : ndarray of shape (n_samples,), int64, or None
        Known classes 0, 1, ..., used for scoring. An empty cell is -1.
    target_names : tuple of str
        Names of the classes in y.
    partial_y : ndarray of shape (n_samples,), int64, or None
        Partial labels 0, 1, ..., for ``fit``; -1 for unlabelled samples.
    partial_names : tuple of str
        Names of the classes in partial_y.
    """

    name: str
    X: FloatArray
    feature_names: tuple[str, ...]
    row_ids: NDArray[Any]
    y: Int64Array | None = None
    target_names: tuple[str, ...] = ()
    partial_y: Int64Array | None = None
    partial_names: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 if the classes are unknown."""
        return len(self.target_names)

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """Return a copy with the rows, identifiers and labels shuffled together."""
        order = np.random.default_rng(random_state).permutation(self.n_samples)
        return replace(
            self,
            X=self._rows(order),
            row_ids=self.row_ids[order],
            y=None if self.y is None else self.y[order],
            partial_y=None if self.partial_y is None else self.partial_y[order],
        )

    def _rows(self, rows: NDArray[np.integer[Any]]) -> Any:
        return self.X[rows]


@dataclass(frozen=True, eq=False)
class CategoryTable(Table):
    """A data set with categorical features.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Columns without missing cells: float64, booleans, or strings (dtype object) for categories.
    category_names : tuple of str
        Names of the categorical columns.
    """

    X: Any
    category_names: tuple[str, ...] = ()

    def columns(self) -> list[NDArray[Any]]:
        """Return one array of numbers or strings per feature."""
        return [
            self.X[name].to_numpy(dtype=str if name in self.category_names else np.float64)
            for name in self.feature_names
        ]

    def _rows(self, rows: NDArray[np.integer[Any]]) -> Any:
        return self.X.iloc[rows].reset_index(drop=True)


def read_table(
    path: str | PathLike[str],
    *,
    labels: str | None = None,
    partial_labels: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    categories: bool = False,
    header: bool | None = None,
    expansion: int = EXPANSION,
) -> Table:
    """Read a data set from a CSV, TSV, Excel, Parquet or npz file.

    All columns that no parameter names are features. They must be numeric or, with ``categories``, numeric or
    text. :func:`~moo_clustering.datasets.prepare_table` converts other columns. Dates become days since the
    earliest date. Times of day and durations become hours. Codes such as 01000 are text (:doc:`/data`). An
    unnamed first column contains row identifiers. A column ``Unnamed: 0`` with the values 0, 1, ... is
    dropped. Takes O(bytes) time and memory.

    Parameters
    ----------
    path : path-like
        - ``.csv``, ``.tsv``, ``.tab`` or ``.txt``, also compressed (``.csv.gz``). Separators: commas, tabs,
          semicolons, pipes, or the character in a first line ``sep=;``. Comments (# or %) are skipped.
        - ``.xlsx``: the first non-empty sheet is read. Requires openpyxl.
        - ``.parquet``, ``.pq``.
        - ``.npz`` with an array ``X``. It may contain arrays ``y`` (known classes) and ``feature_names``, and
          arrays that other parameters name. No code in the file is executed.
    labels : str, optional
        Column with the known classes (strings or numbers) for scoring. Empty cells are unknown classes.
    partial_labels : str, optional
        Column with the classes of some samples. Empty cells and -1 mark unlabelled samples.
    id_column : str, optional
        Column with the row identifiers.
    drop : sequence of str, default=()
        Columns to drop.
    categories : bool, default=False
        Accept text columns as features, except in npz files. Every distinct string is a category, including
        "NA" and "?". If there are text columns, ``X`` is a data frame.
    header : bool, optional
        Whether the first line of a text file or sheet contains column names. Default: False if it contains
        only numbers (except 0, 1, ...), otherwise True. Columns without a name become ``column1``, ....
    expansion : int, default=100
        Maximum size of a decompressed file, as a multiple of the size of the compressed file. Up to 16 MiB
        (Excel: 256 MiB, Parquet: 1 GiB) are always allowed.

    Returns
    -------
    Table
        A :class:`CategoryTable` if there are text columns.

    Notes
    -----
    Raises a DataError if the file is missing, empty, ragged, too large or of unknown type; if a column does
    not exist, is not numeric, or has empty, NaN or infinite cells; if no string occurs twice in a category
    column with more than 20 rows; or if openpyxl or pyarrow is required but not installed.

    Warns if a category column has mostly numbers or mostly unique values; if the first line is read as data;
    if comments, sheets or columns are skipped; if dates or times are converted; if distinct numbers become
    equal; if numbers such as -999 may mark missing cells; if classes look alike or like missing cells; or if
    identifiers repeat.
    """
    path = files.data_path(path)
    roles = Roles(labels, partial_labels, id_column, names_of(drop, "drop"), categories, header)
    suffix = files.suffix_of(path)
    notes: list[str] = []
    with files.readable(path):
        if suffix == ".npz":
            return _read_npz(path, roles)
        if is_text_table(path):
            frame, roles = _text_frame(path, roles, expansion, notes)
        elif suffix in files.PARQUET:
            frame, roles = parquet_frame(path, roles, expansion)
            frame = _typed_frame(frame, set(roles.by_column()), notes)
        else:
            remedy = "; save an array with numpy.savez('data.npz', X=X)" * (suffix == ".npy")
            remedy += "; extract the table from the archive" * (suffix in (".zip", ".7z", ".tar", ".rar"))
            known = [*files.TEXT, *files.EXCEL, *files.PARQUET, ".npz"]
            raise files.unknown_suffix(path, known, remedy)
        table = _table_from_frame(frame, roles, path)
    for note in notes:
        warn_caller(Advice(f"{path}: ", note, for_command(note)))
    return table


def is_text_table(path: Path) -> bool:
    return files.suffix_of(path) in files.TEXT or path.suffix.lower() in files.EXCEL


class Roles(NamedTuple):
    """Columns that are not features, by role."""

    labels: str | None = None
    partial_labels: str | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    categories: bool = False  # whether features may be non-numeric
    header: bool | None = None  # whether the first line contains column names, or None to infer this

    def by_column(self) -> dict[str, str]:
        """Return the role of each named column. Raise a DataError if a column has two roles."""
        named = [(self.labels, "labels"), (self.partial_labels, "partial labels"), (self.id_column, "id")]
        return files.roles_of([*named, *((column, "drop") for column in dict.fromkeys(self.drop))])


def _text_frame(path: Path, roles: Roles, expansion: int, notes: list[str]) -> tuple[pd.DataFrame, Roles]:
    table = files.table_text(path, expansion=expansion)
    notes += table.notes
    rows = table.rows(path)
    columns, is_named = named_columns(list(itertools.islice(rows, 1)), roles.header, path, notes)
    roles = with_first_column(roles, columns)
    as_text = roles.by_column()
    files.check_names(as_text, columns, path)
    n_rows = sum(1 for _ in files.equal_rows(rows, len(columns), path))
    if not n_rows and is_named:
        raise DataError(f"{path} has column names but no rows")

    def frame_with(text: Collection[str], notes: list[str]) -> pd.DataFrame:
        missing = {column: [""] if column in text else list(_NO_NUMBER) for column in columns}
        cells = cells_of_text(table.text, table.separator, missing, path, header=0 if is_named else None)
        return _typed_frame(cells, text, notes)

    # Identifiers and classes keep the notation of the file, because "007" is not 7, and "NA" may be a class.
    frame = frame_with(as_text, notes)
    others = _not_numeric(frame, [name for name in columns if name not in as_text])
    if roles.categories and others:
        frame[others] = frame_with(set(columns), [])[others]
    return _without_index(frame, roles, notes), roles


def named_columns(
    head: list[files.Row], header: bool | None, source: object, notes: list[str]
) -> tuple[list[str], bool]:
    """Return the column names, and whether they come from the first line."""
    if header is None and head:
        cells = [cell.strip() for cell in head[0][1]]
        if _is_numeric(cells, files.is_written_number):
            names = f"columns column1 to column{len(cells)}" if len(cells) > 1 else "column column1"
            notes.append(f"the first line contains only numbers and is read as data of {names}")
            header = False
    if header is False and head:
        return [f"column{number + 1}" for number in range(len(head[0][1]))], False
    columns = column_names(head, source, numbers=True)
    decimals = [name for name in columns if files.is_written_number(name) and re.search("[.,]", name)]
    if header is None and decimals:
        text = f"the first line is read as column names, but {decimals[0]!r} looks like a value; "
        notes.append(Advice(f"{text}read it as data with ", "header=False", "--no-header"))
    return columns, True


def _is_numeric(names: list[str], is_number: Callable[[str], bool]) -> bool:
    """Return whether all names are numbers, other than the names 0, 1, ... that pandas writes by default."""
    return all(map(is_number, names)) and (len(names) == 1 or names != [*map(str, range(len(names)))])


def with_first_column(roles: Roles, columns: Sequence[str]) -> Roles:
    """Use an unnamed first column as identifiers, unless another column has this role."""
    if columns[0] != UNNAMED or roles.id_column is not None or UNNAMED in roles.drop:
        return roles
    return roles._replace(id_column=UNNAMED)


def _without_index(frame: pd.DataFrame, roles: Roles, notes: list[str]) -> pd.DataFrame:
    taken = roles.by_column()
    for name in frame.columns:
        if name in taken or not _INDEX.fullmatch(name) or len(frame.columns) < 2:
            continue
        if np.array_equal(files.exact_numbers(map(str, frame[name])), np.arange(len(frame))):
            notes.append(f"column {name!r} dropped: it is an index written by pandas")
            frame = frame.drop(columns=name)
    return frame


def column_names(head: list[files.Row], source: object, *, numbers: bool = False) -> list[str]:
    """Read column names from the first line. All-numeric names are an error unless ``numbers`` is set."""
    if not head:
        raise DataError(f"{source} is empty")
    columns = [name.strip() for name in head[0][1]]
    if not numbers and _is_numeric(columns, files.is_number):
        raise DataError(f"{source} has numbers in its first line instead of column names")
    if len(columns) > 1 and not columns[0]:
        columns[0] = UNNAMED  # pandas and R leave the header of the row-name column empty
    data = Remedy("if the first line is data, use", "header", False)
    seen: set[str] = set()
    for number, name in enumerate(columns, start=1):
        if not name:
            single = Remedy(f"keep a single line of column names, or, {data.action}", "header", False)
            raise DataError(f"{source}: column {number} has no name", single)
        if name in seen:
            raise DataError(f"{source} has two columns named {name!r}", data)
        seen.add(name)
    return columns


def cells_of_text(
    text: str, separator: str, missing: Mapping[str, Sequence[str]], source: object, *, header: int | None = 0
) -> pd.DataFrame:
    """Read cells as strings. ``missing`` maps each column to the strings that mark its missing cells."""
    try:
        frame = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=separator,
            header=header,
            names=list(missing),
            index_col=False,
            dtype=str,
            keep_default_na=False,
            na_values=missing,
            skipinitialspace=True,
            low_memory=False,
        )
    except pd.errors.ParserError as error:
        raise DataError(f"{source} cannot be read as a table: {error}") from error
    return frame.map(cell_text, na_action="ignore") if "'" in text else frame


def _typed_frame(frame: pd.DataFrame, text: Collection[str], notes: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {name: column if name in text else typed(column, str(name), notes) for name, column in frame.items()},
        index=frame.index,
    )


def typed(
    column: pd.Series[Any],
    name: str,
    notes: list[str],
    *,
    missing: Sequence[str] = _NO_NUMBER,
    dates: bool = True,
) -> Any:
    """Convert a column to numbers or booleans if all of its known cells permit this, otherwise to strings."""
    # If ``dates`` is set, dates become days since the earliest date, and times of day and durations become
    # hours. Columns of lists, bytes or pandas categoricals are returned unchanged.
    if files.is_plain(column) and files.indistinct_values(column) is None:
        packed = packed_days(column.to_numpy(dtype=np.float64, na_value=np.nan)) if dates else None
        return column if packed is None else _as_numbers(packed, name, notes)
    cells = files.cells_of(column)
    if isinstance(column.dtype, pd.CategoricalDtype) or not files.are_cells(cells):
        return column
    texts = np.array([cell if type(cell) is str else files.written(cell) for cell in cells], dtype=object)
    known = np.array([text not in missing for text in texts], dtype=bool)
    bare = np.array([text.strip() for text in texts[known]], dtype=object)
    if len(bare) == len(column) and {text.casefold() for text in bare} <= {"true", "false"}:
        return np.array([text.casefold() == "true" for text in bare])
    numbers = np.full(len(column), np.nan)
    found = files.exact_numbers(bare)
    numerals = files.finite(bare, found)
    if not np.isnan(found).any() and not files.code_reason(numerals):
        if note := files.rounding_note(numerals):
            notes.append(f"column {name!r}: {note}")
        if dates and (packed := packed_days(found)) is not None:
            found = _as_numbers(packed, name, notes)
    elif dates and (hours := read_times(bare)) is not None:
        found = hours
        notes.append(f"times in column {name!r} converted to hours")
    elif dates and isinstance(days := read_dates(bare), tuple):
        found = _as_numbers(days[0], name, notes)
    else:
        texts[texts == ""] = None
        return texts
    numbers[known] = found
    return numbers


def _as_numbers(days: NDArray[np.datetime64], name: str, notes: list[str]) -> FloatArray:
    notes.append(f"dates in column {name!r} converted to days")
    found: FloatArray = (days - np.fmin.reduce(days)) / np.timedelta64(86400, "s")
    return found


def parquet_frame(path: Path, roles: Roles, expansion: int = EXPANSION) -> tuple[pd.DataFrame, Roles]:
    """Read a Parquet file, convert its column names to strings, and use a stored index as identifiers."""
    frame = files.load_parquet(path, expansion)
    frame.columns = [str(column) for column in frame.columns]
    if not isinstance(frame.index, pd.RangeIndex):
        index = "(index)" if frame.index.name in (None, "") else str(frame.index.name)
        if index in frame.columns:
            raise DataError(f"{path} has two columns named {index!r}, one of them its index")
        try:
            names: Any = frame.index.astype(str)
        except UnicodeDecodeError:
            names = [str(name) for name in frame.index]
        frame.insert(0, index, names)
        if roles.id_column is None and index not in roles.by_column():
            roles = roles._replace(id_column=index)
    return frame, roles


def _read_npz(path: Path, roles: Roles) -> Table:
    arrays = read_arrays(path, DataError, "X")
    X = numeric_matrix(arrays["X"], "X", path).astype(np.float64)
    if not len(X):
        raise DataError(f"{path}: array 'X' has no rows")
    names = feature_names_of(arrays, X.shape[1], "X", path)
    roles.by_column()  # raises an error if an array has two roles
    files.check_names(dict.fromkeys(roles.drop, "drop"), names, path, "feature")
    keep = [column for column, name in enumerate(names) if name not in roles.drop]
    if not keep:
        raise DataError(f"{path} has no feature columns besides {', '.join(map(repr, names))}")
    X, names = np.ascontiguousarray(X[:, keep]), tuple(names[column] for column in keep)
    _check_numbers(X, names, path)
    if roles.labels is None and "y" in arrays and roles.partial_labels != "y":
        roles = roles._replace(labels="y")

    def column(name: str) -> NDArray[Any]:
        return array_column(arrays, name, len(X), path)

    return _with_roles(Table(path.name, X, names, np.arange(len(X))), roles, column, path)


def _with_roles(table: Table, roles: Roles, column: Callable[[str], Any], source: object) -> Table:
    if roles.id_column is not None:
        table = replace(table, row_ids=identifiers(column(roles.id_column), roles.id_column, source))
    known, partial = (None if name is None else column(name) for name in (roles.labels, roles.partial_labels))
    return labelled(table, known, partial)


def array_names(path: Path) -> set[str]:
    """Return the array names in an npz archive, or none if the archive is damaged."""
    if path.suffix.lower() != ".npz" or not path.is_file():
        return set()
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return set()


def require_room(n_rows: int, n_columns: int, what: str) -> None:
    """Raise a DataError if a file requires a dense array with more cells than the limit."""
    if n_rows * n_columns > _MOST_CELLS:
        raise DataError(
            f"{what} would require {n_rows:,} x {n_columns:,} cells, more than the limit of "
            f"{_MOST_CELLS:,}; reduce the data"
        )


def numeric_matrix(array: NDArray[Any], name: str, source: object) -> NDArray[Any]:
    """Return the array; raise a DataError unless it is numeric and 2-d and float64 preserves its values."""
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise DataError(
            f"{source}: array {name!r} must be a numeric 2-d array, got dtype {array.dtype} and shape "
            f"{array.shape}"
        )
    for column in array.T:
        if same := files.indistinct_values(column):
            raise DataError(
                f"{source}: array {name!r} contains {same[0]} and {same[1]}, which are equal in "
                "double precision; subtract a common offset from the numbers, or drop identifiers"
            )
    return array


def feature_names_of(arrays: Mapping[str, Any], n_features: int, name: str, source: Path) -> tuple[str, ...]:
    """Return the column names of the array ``name`` in an npz archive."""
    if "feature_names" not in arrays:
        return tuple(f"x{column}" for column in range(n_features))
    names = tuple(str(name) for name in arrays["feature_names"].reshape(-1))
    if len(names) != n_features:
        fault = f"has {len(names)} names, but {name!r} has {n_features} columns"
        raise DataError(f"{source}: array 'feature_names' {fault}")
    return names


def array_column(arrays: Mapping[str, NDArray[Any]], name: str, n_samples: int, source: Path) -> NDArray[Any]:
    """Return an array with one label or identifier per sample from an npz archive."""
    others = [other for other in arrays if other not in {"X", "feature_names"}]
    if name not in others:
        near = did_you_mean(name, others)
        raise DataError(f"{source} has no array {name!r} of labels or identifiers{near}")
    if arrays[name].shape not in {(n_samples,), (n_samples, 1)}:
        raise DataError(
            f"{source}: array {name!r} must have one value per row of 'X', {n_samples} in all; got "
            f"shape {arrays[name].shape}"
        )
    return arrays[name].reshape(-1)


def _table_from_frame(frame: pd.DataFrame, roles: Roles, path: Path) -> Table:
    taken = roles.by_column()
    files.check_names(taken, list(frame.columns), path)
    features = [column for column in frame.columns if column not in taken]
    if not features:
        besides = f" besides {', '.join(map(repr, taken))}" if taken else ""
        raise DataError(f"{path} has no feature columns{besides}")
    if not len(frame):
        raise DataError(f"{path} has column names but no rows")
    others = _not_numeric(frame, features)
    if others and not roles.categories:
        _refuse(frame, others, path)
    numeric = [column for column in features if column not in others]
    X = frame[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    _check_numbers(X, numeric, path)
    table = Table(path.name, np.ascontiguousarray(X), tuple(features), np.arange(len(frame)))
    if others:
        mixed = _category_frame(frame[features], others, path)
        table = CategoryTable(path.name, mixed, tuple(features), table.row_ids, category_names=tuple(others))
    return _with_roles(table, roles, frame.__getitem__, path)


def _not_numeric(frame: pd.DataFrame, features: Sequence[str]) -> list[str]:
    return [column for column in features if not pd.api.types.is_numeric_dtype(frame[column])]


def _refuse(frame: pd.DataFrame, wrong: Sequence[str], source: object) -> NoReturn:
    shown = ", ".join(map(repr, wrong[:_SHOWN]))
    if len(wrong) > _SHOWN:
        shown += f" and {len(wrong) - _SHOWN} more"
    what = f"columns {shown} are" if len(wrong) > 1 else f"column {shown} is"
    raise NotNumericError(
        f"{source}: {what} not numeric{_example(frame[wrong[0]])}",
        wrong,
        Remedy("drop such columns with", "drop", list(wrong[:_SHOWN])),
        Remedy("specify their role with", "labels"),
        Remedy("with", "partial_labels"),
        Remedy("with", "id_column"),
        Remedy("use them as categories with", "categories", True),
        Remedy("read text columns with read_documents"),
    )


def _example(column: pd.Series[Any]) -> str:
    text = column.astype(object)
    bad = np.flatnonzero((pd.to_numeric(text, errors="coerce").isna() & text.notna()).to_numpy())
    if len(bad):
        return f" ({str(text.iloc[bad[0]])!r} in row {bad[0] + 1})"
    texts = [files.written(cell).strip() for cell in text]
    reason = files.code_reason(files.finite(texts, files.exact_numbers(texts)))
    return f" ({reason}, so these are codes; write numbers without this notation)" if reason else ""


def _check_numbers(X: FloatArray, features: Sequence[str], source: object) -> None:
    # If the sum is finite, all values are finite. Computing the sum does not copy X.
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(X.sum())
    if not is_finite and len(bad := np.argwhere(~np.isfinite(X))):
        row, column = bad[0]
        value = X[row, column]
        what = "an empty or NaN value" if np.isnan(value) else f"the infinite value {value:g}"
        count = len(bad) - 1
        more = f" (and {count} more such {'cell' if count == 1 else 'cells'})" if count else ""
        raise DataError(
            f"{source} has {what} in column {features[column]!r}, row {row + 1}{more}; "
            "fill in or remove such cells first"
        )
    warn_of_codes(X, features, source)


def warn_of_codes(X: NDArray[np.floating[Any]], features: Sequence[str], source: object) -> None:
    """Warn about numbers such as -999, which may mark missing cells, and 20240131, which may be dates."""
    said = []
    for name, numbers in zip(features, X.T, strict=True):
        note = files.missing_code(numbers)
        if not note and packed_days(numbers) is not None:
            note = f"numbers such as {numbers[0]:.0f} may be dates, but are used as numbers"
        said += [f"column {name!r}: {note}"] if note else []
    if said:
        more = f" (and {len(said) - _SHOWN} more such columns)" if len(said) > _SHOWN else ""
        warn_caller(f"{source}: {'; '.join(said[:_SHOWN])}{more}")


def _category_frame(frame: pd.DataFrame, categories: Sequence[str], source: object) -> pd.DataFrame:
    columns = {}
    for name, column in frame.items():
        kind = np.bool_ if pd.api.types.is_bool_dtype(column) else np.float64
        is_text = name in categories
        columns[name] = _as_text(column, str(name), source) if is_text else column.to_numpy(dtype=kind)
    return pd.DataFrame(columns)


def _as_text(column: pd.Series[Any], name: str, source: object) -> Any:
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind not in _KINDS:
        raise DataError(
            f"{source}: column {name!r} must contain numbers or text, got {kind}",
            Remedy("drop it with", "drop", [name]),
        )
    cells = [files.written(cell) for cell in files.cells_of(column)]
    text = np.array([cell.strip() for cell in cells], dtype=object)
    if note := blanks_note(cells):
        warn_caller(f"column {name!r}: {note}")
    require_short(text, f"{source}: column {name!r}", "a category")
    if len(empty := np.flatnonzero(text == "")):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise DataError(
            f"{source} has an empty cell in column {name!r}, row {empty[0] + 1}{more}; fill in such "
            "cells, for example with a category 'missing', or remove them"
        )
    _check_categories(text, name, source)
    return text


def _check_categories(text: Any, name: str, source: object) -> None:
    n_different = len(set(text))
    if n_different == len(text) > _FEW:
        raise DataError(
            f"{source}: column {name!r} has a different value in every row ({text[0]!r} in row 1), "
            "so its categories are uninformative",
            Remedy("use it as row names with", "id_column", name),
            Remedy("drop it with", "drop", [name]),
        )
    other = np.flatnonzero(pd.to_numeric(pd.Series(text), errors="coerce").isna())
    if 0 < len(other) < len(text) / 2:
        cells = f"cell {text[other[0]]!r} in row {other[0] + 1} is not a number"
        cells += f" (one of {len(other)} such cells)" if len(other) > 1 else ""
        warn_caller(f"all values of column {name!r} are used as categories, because {cells}")
    elif n_different > max(_FEW, len(text) / 2):
        said = f"column {name!r} has {n_different} distinct values in {len(text)} rows, too many for "
        said += "informative categories; drop it with "
        warn_caller(Advice(said, f"drop=[{name!r}]", f"--drop {shlex.quote(name)}"))


def labelled(table: Table, labels: Any, partial_labels: Any) -> Table:
    for values in (labels, partial_labels):
        if values is not None:
            _require_scalars(values, "classes", table.name)
    if labels is not None:
        y, names = encode_classes(labels, minus_one_is_missing=False)
        table = replace(table, y=y, target_names=names)
    if partial_labels is not None:
        y, names = encode_classes(partial_labels, minus_one_is_missing=True)
        table = replace(table, partial_y=y, partial_names=names)
    return table


def identifiers(values: Any, column: str, source: object) -> NDArray[np.str_]:
    """Convert row identifiers to strings. Repeated identifiers are numbered, and a warning is issued."""
    _require_scalars(values, f"identifiers in column {column!r}", source)
    names = [files.written(cell).strip() for cell in files.cells_of(values)]
    if "" in names:
        raise DataError(f"{source}: the id column {column!r} is empty in row {names.index('') + 1}")
    counts = Counter(names)
    if repeated := [name for name, count in counts.items() if count > 1]:
        # The first of several equal names is also numbered, because it would be ambiguous without a number.
        seen: Counter[str] = Counter()
        for row, name in enumerate(names):
            if counts[name] > 1:
                seen[name] += 1
                names[row] = f"{name} ({seen[name]})"
        names = distinct_names(names)
        more = f" and {len(repeated) - 1} more" if len(repeated) > 1 else ""
        warn_caller(
            f"{source}: the id column {column!r} has repeated values ({quoted(repeated[0])}{more}), which "
            f"are numbered, as in {quoted(repeated[0] + ' (1)')}"
        )
    require_short(names, f"{source}: the id column {column!r}", "an identifier")
    return np.array(names)


def _require_scalars(values: Any, what: str, source: object) -> None:
    other = next((cell for cell in values if not pd.api.types.is_scalar(cell)), None)
    if other is not None:
        raise DataError(f"{source}: {what} must be strings or numbers, got {type(other).__name__}")


def require_short(texts: Any, what: str, role: str) -> None:
    """Raise a DataError if the longest string makes an array of fixed-width strings too large."""
    longest = max(map(len, texts), default=0)
    if longest * len(texts) > _MOST_CHARACTERS:
        fault = f"too long for {role} in a table of {len(texts):,} rows"
        raise DataError(f"{what} has a string of {longest:,} characters, {fault}")


def encode_classes(values: Any, *, minus_one_is_missing: bool) -> tuple[Int64Array, tuple[str, ...]]:
    """Encode classes as 0, 1, ... in name order (numbers by value), and "", None and NaN as -1."""
    # Integers with and without ".0" are the same class. Other texts that differ after stripping are distinct
    # classes, such as 01 and 1, or 1E2 and 100. Warnings report names that differ only in whitespace or
    # notation, and names that look like missing cells. With ``minus_one_is_missing``, "-1" also marks a
    # missing class.
    texts = [files.written(cell) for cell in files.cells_of(values)]
    cells = [class_name(text) for text in texts]
    missing = {"", "-1"} if minus_one_is_missing else {""}
    names = sorted(set(cells) - missing, key=_by_value)
    alike = [
        f"{name!r} is treated as a class; leave the cells of unlabelled rows empty"
        for name in names
        if name.casefold() in _LIKE_MISSING
    ]
    for note in filter(None, (blanks_note(texts), alike_note(names), *alike[:1])):
        warn_caller(f"classes: {note}")
    codes = {name: code for code, name in enumerate(names)}
    return np.array([codes.get(cell, -1) for cell in cells], dtype=np.int64), tuple(names)


def class_name(text: str) -> str:
    """Normalise a class name: 1.0 becomes 1, and -0 becomes 0, in columns of any type."""
    text = text.strip()
    if found := _INTEGER.fullmatch(text):
        return "0" if found[2] == "0" else found[1] + found[2]
    return text


def _by_value(name: str) -> tuple[int, float | Decimal, str]:
    if _INTEGER.fullmatch(name):
        return 0, Decimal(name), name  # exact even beyond 2^53
    number = files.as_number(name)
    return (1, 0.0, name) if np.isnan(number) else (0, number, name)


def holds_columns(path: Path) -> bool:
    return is_text_table(path) or path.suffix.lower() in files.PARQUET


def read_frame(path: Path, roles: Roles) -> tuple[pd.DataFrame, Roles, list[str]]:
    """Read a table in the notation of its file, and return the cells, the roles and notes for the user."""
    # Cells are text, except for typed columns in Parquet files. Text is decoded as UTF-8 or, if it has a byte
    # order mark of UTF-16, as UTF-16. If this fails, it is decoded as Windows-1252. The frame's
    # ``attrs["csv"]`` contains the separator and the encoding. Trailing empty rows and unnamed empty columns
    # are dropped. An unnamed first column becomes the identifiers.
    if path.suffix.lower() in files.PARQUET:
        with files.readable(path):
            frame, roles = parquet_frame(path, roles)
        files.check_names(roles.by_column(), list(frame.columns), path)
        return frame, roles, []
    table = files.table_text(path, lenient=True)
    notes = list(table.notes)
    columns, rows = _without_empty_ends(list(table.rows(path)), path, roles.header, notes)
    roles = with_first_column(roles, columns)
    files.check_names(roles.by_column(), columns, path)
    cells = [row for _, row in files.equal_rows(rows, len(columns), path)]
    if not cells:
        raise DataError(f"{path} has column names but no rows")
    frame = pd.DataFrame(cells, columns=columns, dtype=object)
    frame = _without_index(frame, roles, notes)
    frame.attrs["csv"] = {"sep": table.separator, "encoding": table.encoding}
    return frame, roles, notes


def _without_empty_ends(
    rows: list[files.Row], path: Path, header: bool | None, notes: list[str]
) -> tuple[list[str], list[files.Row]]:
    head, rest = rows[:1], rows[1:]
    if head:
        line, names = head[0]
        width = len(names)
        while width > 1 and not any("".join(row[width - 1 : width]).strip() for _, row in rows):
            width -= 1
        if width < len(names):
            head = [(line, names[:width])]
            rest = [(line, row[:width] if len(row) == len(names) else row) for line, row in rest]
    columns, is_named = named_columns(head, header, path, notes)
    rest = rest if is_named else [*head, *rest]
    n_rows = len(rest)
    while rest and not any(cell.strip() for cell in rest[-1][1]):
        rest.pop()
    if n_empty := n_rows - len(rest):
        notes.append(f"{n_empty} trailing empty row{'' if n_empty == 1 else 's'} dropped")
    return columns, rest
