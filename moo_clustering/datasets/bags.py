"""Reader for bags of instances in ARFF, KEEL, text, Parquet and npz files."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import choice, names_of, number_clusters, quoted, warn_caller
from moo_clustering._docs import documented
from moo_clustering._types import FloatArray, Int64Array
from moo_clustering.bags import Bags
from moo_clustering.datasets import arff, files, tables
from moo_clustering.datasets.arff import Attribute
from moo_clustering.datasets.cells import blanks_note, read_dates
from moo_clustering.datasets.files import DataError, Remedy
from moo_clustering.persistence import EXPANSION, read_arrays

Numbers = NDArray[np.floating[Any]]
_BAG = re.compile(r"(.*[\W_])?bag([\W_]?(id|name|nr|no|number))?", re.IGNORECASE)
CLASS = re.compile(r"(bag[\W_]?)?(class|label)([\W_]?name)?", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(.*[\W_])?(id|name|key)", re.IGNORECASE)
_NO_NUMBER = ["", "?", "nan", "NaN", "NA"]
_SHOWN = 8
_TEXT = (".arff", ".dat", *files.TEXT)


@documented(tables.Table)
@dataclass(frozen=True, eq=False)
class BagTable:
    """A multi-instance data set: bags and their known classes.

    Parameters
    ----------
    bags : Bags
        Bags with finite features, ``feature_names``, and ``bag_ids`` if the data have identifiers.
    labels : ndarray of shape (n_bags,), int64, or None
        Known classes 0, 1, ... of the bags, used for scoring. A bag without a class has -1.
    label_names : tuple of str
        Names of the classes in labels.
    """

    bags: Bags
    labels: Int64Array | None = None
    label_names: tuple[str, ...] = ()
    name: str = "bags"

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return len(self.bags)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 if the classes are unknown."""
        return len(self.label_names)

    @property
    def has_bag_ids(self) -> bool:
        """Whether the bags have identifiers."""
        return self.bags.bag_ids is not None

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """Return a copy with the bags, identifiers and classes shuffled together."""
        order = np.random.default_rng(random_state).permutation(self.n_bags)
        labels = None if self.labels is None else self.labels[order]
        return replace(self, bags=self.bags[order], labels=labels)


@documented(tables.read_table)
def read_bags(
    path: str | PathLike[str],
    *,
    bag: str | None = None,
    label: str | Literal[False] | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
    missing: Literal["error", "median"] = "error",
    expansion: int = EXPANSION,
) -> BagTable:
    """Read bags of instances from an ARFF, KEEL, CSV, TSV, Parquet or npz file.

    Takes O(bytes) time and memory. Raises a DataError if the file is missing, damaged or of unknown type; if
    rows have unequal widths; if values are missing, infinite, non-numeric or undeclared; if a bag is empty or
    has several classes; or if a column does not exist. Formats: Frank, Hall and Witten, *The WEKA Workbench*
    (2016); Alcalá-Fdez et al., *KEEL data-mining software tool* (2011).

    Parameters
    ----------
    path : path-like
        - ``.arff`` in WEKA's multi-instance format: one bag per row, with its instances in a relational
          attribute and, optionally, an identifier and a class.
        - ``.arff`` or KEEL's ``.dat`` (``@inputs``, ``@outputs``, ranges), with one instance per row.
        - ``.csv``, ``.tsv``, ``.tab``, ``.txt``, ``.parquet`` or ``.pq`` with one instance per row. The first
          line of a text file contains the column names.
        - ``.npz`` with arrays ``instances`` and ``bag_offsets`` and, optionally, ``bag_labels``, ``bag_ids``
          and ``feature_names``, as written by :meth:`Bags.save`. No code in the file is executed.

        Text files may be compressed (``.gz``), and are read as ARFF if they begin like an ARFF file.
    bag : str, optional
        Column with bag identifiers. Bags are ordered by first appearance. Default: a column named like
        ``bag`` or ``bag_id``, otherwise a non-numeric first column. Relational files: the first attribute.
    label : str or False, optional
        Column with the class of each row's bag; False ignores classes. Default: KEEL's output, otherwise a
        column named ``class`` or ``label``, otherwise the last nominal attribute. Npz files: ``bag_labels``.
    drop : sequence of str, default=()
        Columns to drop. A non-numeric column with unique values and a name like ``id`` or
        ``conformation_name`` is also dropped, unless it is in ``nominal``.
    nominal : sequence of str, default=()
        Columns of text or numeric codes to one-hot encode.
    missing : {"error", "median"}, default="error"
        ``"error"``: raise a DataError if feature values are missing. ``"median"``: replace them by the median
        (nominal columns: the mode) over all instances.

    Returns
    -------
    BagTable
        The remaining columns, in file order, are the features. A nominal attribute becomes one feature
        ``name=value`` per declared value; an attribute declared as ``{0, 1}`` becomes one numeric feature.
    """
    choice("missing", missing, ("error", "median"))
    if not (label is None or label is False or isinstance(label, str)):
        raise TypeError(f"label must be a column name, None or False, got {quoted(label)}")
    names = names_of(drop, "drop"), names_of(nominal, "nominal")
    options = _Options(files.data_path(path), bag, label, *names, missing)
    with files.readable(options.path):
        return _read(options, expansion)


def _read(options: _Options, expansion: int) -> BagTable:
    path = options.path
    if path.suffix.lower() == ".npz":
        return _read_npz(options)
    if path.suffix.lower() in files.PARQUET:
        return _read_parquet(options, expansion)
    inner = files.suffix_of(path)
    if inner not in _TEXT:
        raise files.unknown_suffix(path, [*_TEXT, *files.PARQUET, ".npz"])
    text = files.file_text(path, expansion)
    if not text.strip():
        raise DataError(f"{path} is empty")
    if inner != ".arff" and not arff.is_arff(text):
        return _read_text(text, options, inner)
    lines = arff.arff_lines(text)
    attributes, inputs, outputs, _ = arff.read_header(lines, path)
    if any(attribute.kind == "relational" for attribute in attributes):
        return _read_relational(attributes, lines, options)
    return _read_flat(attributes, inputs, outputs, lines, options)


class _Options(NamedTuple):
    path: Path
    bag: str | None
    label: str | Literal[False] | None
    drop: tuple[str, ...]
    nominal: tuple[str, ...]
    missing: str

    def check(self, columns: Sequence[str]) -> None:
        label = None if self.label is False else self.label
        asked: list[tuple[str | None, str]] = [(self.bag, "bag"), (label, "label")]
        asked += [(name, role) for role in ("drop", "nominal") for name in dict.fromkeys(getattr(self, role))]
        files.check_names(files.roles_of(asked), columns, self.path)


@dataclass(frozen=True)
class _Rows:
    """Table with one instance per row.

    ``numbers`` contains the values of numeric columns, and for other columns the codes of their texts.
    Missing cells are NaN.
    """

    columns: Sequence[Attribute]
    numbers: Numbers
    lines: Int64Array | None = None
    bag_of_row: Int64Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    bag_ids: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def only(self, columns: Sequence[int]) -> Self:
        if len(columns) == len(self.columns):
            return self
        kept = [self.columns[column] for column in columns]
        return replace(self, columns=kept, numbers=self.numbers[:, columns])

    def place(self, row: int) -> str:
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def bag(self, row: int) -> str:
        """Return the name by which messages refer to the bag of a row."""
        bag, ids = int(self.bag_of_row[row]), self.bag_ids
        return f"bag {bag + 1} of {self.bag_of_row.max() + 1}" if ids is None else f"bag {ids[bag]!r}"

    def with_bags(self, column: int, source: Path) -> Self:
        codes, names = self.numbers[:, column], [*self.columns[column].values]
        if len(missing := np.flatnonzero(np.isnan(codes))):
            fault = f"missing bag identifier in column {self.columns[column].name!r}; fill it in"
            raise DataError(f"{source}, {self.place(int(missing[0]))}: {fault}")
        bag_of_row, used = number_clusters(codes.astype(np.int64))
        return replace(self, bag_of_row=bag_of_row.astype(np.int64), bag_ids=[names[code] for code in used])


def _flat_roles(
    columns: Sequence[Attribute], options: _Options, outputs: Sequence[str] = ()
) -> tuple[int, int | None, bool]:
    """Return the positions of the bag and class columns, and whether the bag column was guessed.

    If no column has a suitable name, a first column of text is assumed to contain the bag identifiers.
    """
    names = [column.name for column in columns]
    options.check(names)
    if len(outputs) > 1 and options.label is None:
        remedy = Remedy("select the class, for example with", "label", outputs[0])
        raise DataError(f"{options.path} has several outputs ({', '.join(map(repr, outputs))})", remedy)
    label = _named_label(columns, options, outputs)
    free = [place for place in _free(columns, options) if place != label]
    guessed = False
    if options.bag is not None:
        bag = names.index(options.bag)
    elif named := [place for place in free if _BAG.fullmatch(names[place])]:
        bag = named[0]
    elif 0 in free and columns[0].kind in {"nominal", "text"}:
        bag, guessed = 0, True
    else:
        shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
        fault = "has neither a relational attribute nor a recognisable bag-identifier column"
        remedy = Remedy("specify the column with", "bag", note=f", one of {shown}")
        raise DataError(f"{options.path} {fault}", remedy)
    if label is None and options.label is None:
        label = _last_nominal(columns, options, bag)
    return bag, label, guessed


def _relational_roles(entries: _Rows, relational: int, options: _Options) -> tuple[int | None, int | None]:
    """Return the positions of the bag identifiers and of the classes, or None for a missing column."""
    columns = entries.columns
    names = [column.name for column in columns]
    label = _named_label(columns, options, ())
    bag = None if options.bag in (None, names[relational]) else names.index(options.bag or "")
    free = _free(columns, options)
    if label is None and options.label is None:
        label = _last_nominal(columns, options, bag)
        # If only one attribute remains and its values are unique, it contains bag identifiers, not classes.
        is_only = label is not None and bag is None and {*free} <= {label, relational}
        if is_only and len(np.unique(entries.numbers[:, label])) == len(entries):
            bag, label = label, None
    if bag is None:
        bag = next((place for place in free if place < relational and place != label), None)
    for place, name in enumerate(names):
        if place not in (bag, label, relational) and name not in options.drop:
            fault = "is neither the bag, its identifier nor its class"
            raise DataError(f"{options.path}: attribute {name!r} {fault}", _leave_out(name))
    return bag, label


def _named_label(columns: Sequence[Attribute], options: _Options, outputs: Sequence[str]) -> int | None:
    names = [column.name for column in columns]
    if options.label is not None:
        return None if options.label is False else names.index(options.label)
    free = [place for place in _free(columns, options) if names[place] != options.bag]
    found = [place for place in free if names[place] in outputs]
    found += [place for place in free if CLASS.fullmatch(names[place])]
    return found[0] if found else None


def _last_nominal(columns: Sequence[Attribute], options: _Options, bag: int | None) -> int | None:
    for place in reversed(_free(columns, options)):
        column = columns[place]
        if place != bag and column.kind == "nominal" and not _IDENTIFIER.fullmatch(column.name):
            return place
    return None


def _free(columns: Sequence[Attribute], options: _Options) -> list[int]:
    taken = {*options.drop, *options.nominal}
    return [place for place, column in enumerate(columns) if column.name not in taken]


def _read_text(text: str, options: _Options, suffix: str) -> BagTable:
    path, contents = options.path, files.tidy_text(text, suffix, [])
    rows = contents.rows(path)
    columns = tables.column_names(list(itertools.islice(rows, 1)), path)
    lines = array("q", (line for line, _ in files.equal_rows(rows, len(columns), path)))
    if not lines:
        raise DataError(f"{path} has column names but no rows")
    named = {options.bag, options.label, *options.nominal, *options.drop}
    if columns[0] == tables.UNNAMED and tables.UNNAMED not in named:
        options = options._replace(drop=(*options.drop, tables.UNNAMED))  # row names written by pandas or R
    as_text = _text_columns(columns, options)
    missing = {column: as_text.get(column, _NO_NUMBER) for column in columns}
    frame = tables.cells_of_text(contents.text, contents.separator, missing, path)
    places = np.frombuffer(lines, dtype=np.int64) if len(lines) == len(frame) else None
    return _table(frame, as_text, places, options)


def _read_parquet(options: _Options, expansion: int) -> BagTable:
    path = options.path
    frame = files.load_parquet(path, expansion)
    named = [name for name in frame.index.names if name is not None]
    frame.columns = [str(column) for column in frame.columns]
    for name in map(str, named):
        if name in frame.columns:
            raise DataError(f"{path} has two columns named {name!r}, one of them in its index")
    frame = frame.reset_index(level=named) if named else frame
    frame.columns = [str(column) for column in frame.columns]
    if not len(frame):
        raise DataError(f"{path} has no rows")
    return _table(frame, _text_columns(list(frame.columns), options), None, options)


def _text_columns(columns: list[str], options: _Options) -> dict[str, list[str]]:
    """Return the columns to read as text, each with the texts that mark its missing cells."""
    marks: dict[str, list[str]] = {}
    for name in columns:
        may_be = name not in options.nominal
        if name == options.label or (options.label is None and may_be and CLASS.fullmatch(name)):
            marks[name] = ["", "?"]
        elif name == options.bag or (options.bag is None and may_be and _BAG.fullmatch(name)):
            marks[name] = [""]  # "007" and "7" are different bags, and "?" is a bag
    return marks


def _table(
    frame: pd.DataFrame, as_text: dict[str, list[str]], lines: Int64Array | None, options: _Options
) -> BagTable:
    notes: list[str] = []
    columns, numbers = [], []
    for name in frame.columns:
        missing, cells = as_text.get(name, _NO_NUMBER), frame[name]
        if name not in as_text:
            cells = pd.Series(tables.typed(cells, name, notes, missing=missing, dates=False))
        column, values = _column(cells, name, name in as_text, missing)
        columns.append(column)
        numbers.append(values)
    for note in notes:
        warn_caller(f"{options.path}: {note}")
    roles = _flat_roles(columns, options)
    return _flat_table(_Rows(columns, np.column_stack(numbers), lines), roles, options)


def _column(cells: pd.Series[Any], name: str, as_text: bool, missing: list[str]) -> tuple[Attribute, Any]:
    types = pd.api.types
    if isinstance(cells.dtype, pd.CategoricalDtype) and not as_text:
        codes = cells.cat.codes.to_numpy(dtype=np.float64)
        column = Attribute(name, "nominal", arff.numbered(map(str, cells.cat.categories)))
        return column, np.where(codes < 0, np.nan, codes)
    if as_text or not types.is_numeric_dtype(cells.dtype) or types.is_complex_dtype(cells.dtype):
        raw = [files.written(cell) if files.is_cell(cell) else str(cell) for cell in files.cells_of(cells)]
        if note := blanks_note(raw):
            warn_caller(f"column {name!r}: {note}")
        texts = np.array([text.strip() for text in raw], dtype=object)
        present = ~np.isin(texts, missing)
        codes, found = pd.factorize(texts[present], sort=True)
        numbers = np.full(len(cells), np.nan)
        numbers[present] = codes
        return Attribute(name, "text", arff.numbered(map(str, found))), numbers
    return Attribute(name, "numeric"), cells.to_numpy(dtype=np.float64, na_value=np.nan)


def _read_flat(
    attributes: list[Attribute], inputs: list[str], outputs: list[str], lines: arff.Lines, options: _Options
) -> BagTable:
    roles = _flat_roles(attributes, options, outputs)
    for place in roles[:2]:
        if place is not None and attributes[place].kind == "numeric":
            attributes[place].kind = "text"  # as text, "007" and "7" remain different
    rows = _Rows(attributes, *arff.read_rows(attributes, lines, options.path))
    drop = {*options.drop, *outputs} - {options.label}
    if inputs:
        drop |= {each.name for each in attributes} - {*inputs, *outputs}
    return _flat_table(rows, roles, options._replace(drop=tuple(drop)))


def _flat_table(rows: _Rows, roles: tuple[int, int | None, bool], options: _Options) -> BagTable:
    bag, label, guessed = roles
    rows = rows.with_bags(bag, options.path)
    if guessed and len(rows.bag_ids or ()) == len(rows):
        raise DataError(
            f"{options.path}: the first column, {rows.columns[bag].name!r}, has a different value in every "
            "row, so it does not seem to contain bag identifiers",
            Remedy("specify the bag column with", "bag"),
        )
    classes = None if label is None else (rows.columns[label], rows.numbers[:, label])
    kept = [
        place
        for place, each in enumerate(rows.columns)
        if place not in (bag, label)
        and each.name not in options.drop
        and (each.name in options.nominal or not _is_identifier(rows, place))
    ]
    return _assemble(rows.only(kept), classes, options)


def _is_identifier(rows: _Rows, place: int) -> bool:
    column, codes = rows.columns[place], rows.numbers[:, place]
    may_be = column.kind in {"nominal", "text"} and _IDENTIFIER.fullmatch(column.name) is not None
    return may_be and len(set(codes.tolist())) == len(codes)


def _read_relational(attributes: list[Attribute], lines: arff.Lines, options: _Options) -> BagTable:
    path, relational = options.path, _relational(attributes, options)
    inner = attributes[relational].inner
    beside = [attribute.name for attribute in attributes]
    inside = [attribute.name for attribute in inner]
    options._replace(drop=(), nominal=()).check(beside)
    options._replace(bag=None, label=None, drop=()).check(inside)
    options.check(beside + inside)
    for attribute in attributes:
        if attribute.kind == "numeric":
            attribute.kind = "text"
    codes, places = arff.read_rows(attributes, lines, path)
    entries = _Rows(attributes, codes, places, np.arange(len(codes)))
    bag, label = _relational_roles(entries, relational, options)
    entries = entries if bag is None else entries.with_bags(bag, path)
    texts = (*attributes[relational].values, "")  # a missing bag has the code -1, which selects the last text
    chosen = [texts[int(code)] for code in np.nan_to_num(codes[:, relational], nan=-1)]
    numbers, sizes = _relational_instances(inner, chosen, entries, path)
    bag_of_row = np.repeat(entries.bag_of_row, sizes)
    rows = _Rows(inner, numbers, np.repeat(places, sizes), bag_of_row, entries.bag_ids)
    kept = [place for place, name in enumerate(inside) if name not in options.drop]
    classes = None if label is None else (attributes[label], np.repeat(codes[:, label], sizes))
    return _assemble(rows.only(kept), classes, options)


def _relational(attributes: list[Attribute], options: _Options) -> int:
    kinds = {each.name: each.kind for each in attributes}
    names = [name for name in kinds if kinds[name] == "relational" and name not in options.drop]
    if not names:
        raise DataError(f"{options.path}: all relational attributes are dropped")
    if len(names) > 1 and options.bag not in names:
        several = f"several relational attributes ({', '.join(map(repr, names))})"
        remedy = Remedy("drop all but one, for example with", "drop", names[-1:])
        raise DataError(f"{options.path} has {several}", remedy)
    return [*kinds].index(options.bag if options.bag in names else names[0])


def _relational_instances(
    inner: list[Attribute], texts: list[str], entries: _Rows, path: Path
) -> tuple[FloatArray, list[int]]:
    numbers, sizes = array("d"), []
    for row, text in enumerate(texts):
        size, where = 0, f"{path}, {entries.place(row)}: {entries.bag(row)}"
        try:
            for instance in filter(None, map(str.strip, text.split("\n"))):
                numbers.extend(arff.read_row(inner, instance))
                size += 1
        except arff.RowError as error:
            raise DataError(f"{where}, row {size + 1}: {error}") from error
        if not size:
            raise DataError(f"{where} is empty; remove it, or add an instance")
        sizes.append(size)
    arff.warn_rounded(inner, path)
    return np.frombuffer(numbers, dtype=np.float64).reshape(sum(sizes), len(inner)), sizes


def _read_npz(options: _Options) -> BagTable:
    path = options.path
    arrays = read_arrays(path, DataError, "instances", "bag_offsets")
    if options.bag is not None:
        fault = "defines its bags by the array 'bag_offsets', not by a column"
        raise DataError(f"{path} {fault}", Remedy("omit", "bag", options.bag))
    X = tables.numeric_matrix(arrays["instances"], "instances", path)
    X = X if X.dtype == np.float32 else X.astype(np.float64, copy=False)
    names = tables.feature_names_of(arrays, X.shape[1], "instances", path)
    options._replace(label=None).check(names)
    ids = [str(name) for name in arrays["bag_ids"].reshape(-1)] if "bag_ids" in arrays else None
    try:
        bags = Bags(np.zeros((len(X), 1), dtype=np.float32), arrays["bag_offsets"], bag_ids=ids)
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}, arrays 'bag_offsets' and 'bag_ids': {error}") from error
    columns = [Attribute(name, "numeric") for name in names]
    rows = _Rows(columns, X, None, bags.bag_of_instance, bags.bag_ids)
    kept = [place for place, name in enumerate(names) if name not in options.drop]
    table = _assemble(rows.only(kept), None, options)
    label = "bag_labels" if options.label is None and "bag_labels" in arrays else options.label
    if label is None or label is False:
        return table
    files.check_names({label: "label"}, arrays, path, "array")
    values = arrays[label]
    if values.shape not in {(len(bags),), (len(bags), 1), (1, len(bags))}:
        what = f"one class per bag, {len(bags)} in all"
        raise DataError(f"{path}: array {label!r} must have {what}; got shape {values.shape}")
    labels, label_names = _known_classes(values.reshape(-1))
    return replace(table, labels=labels, label_names=label_names)


def _assemble(rows: _Rows, classes: tuple[Attribute, Numbers] | None, options: _Options) -> BagTable:
    """Create bags from instances in file order.

    ``classes`` consists of the class column and the code of each row's class.
    """
    labels, label_names = (None, ()) if classes is None else _classes(rows, *classes, options.path)
    X, names = _feature_matrix(rows, options)
    tables.warn_of_codes(X, names, options.path)
    if (np.diff(rows.bag_of_row) < 0).any():
        X = X[np.argsort(rows.bag_of_row, kind="stable")]
    X.flags.writeable = False  # ``Bags`` need not copy the array, because nothing else refers to it
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows.bag_of_row))])
    bags = Bags(X, offsets, bag_ids=rows.bag_ids, feature_names=names)
    return BagTable(bags, labels, label_names, options.path.name)


def _classes(
    rows: _Rows, column: Attribute, numbers: Numbers, path: Path
) -> tuple[Int64Array | None, tuple[str, ...]]:
    codes = np.nan_to_num(numbers, nan=-1).astype(np.int64)
    first = np.unique(rows.bag_of_row, return_index=True)[1]
    other = np.flatnonzero(codes != codes[first][rows.bag_of_row])
    values = [*column.values, None]  # a bag without a class has the code -1, which selects None
    if len(other):
        row = int(other[0])
        start = int(first[rows.bag_of_row[row]])
        one, two = (
            "no class" if values[codes[at]] is None else f"class {values[codes[at]]!r}" for at in (start, row)
        )
        raise DataError(
            f"{path}: {rows.bag(row)} has {one} in {rows.place(start)} and {two} in {rows.place(row)} "
            f"(column {column.name!r}), but a bag must have one class",
            Remedy("specify the class column with", "label"),
            Remedy("if there is none, use", "label", False),
            _leave_out(column.name),
        )
    return _known_classes([values[code] for code in codes[first]])


def _known_classes(values: Any) -> tuple[Int64Array | None, tuple[str, ...]]:
    labels, names = tables.encode_classes(values, minus_one_is_missing=False)
    return (labels, names) if names else (None, ())


def _feature_matrix(rows: _Rows, options: _Options) -> tuple[Numbers, tuple[str, ...]]:
    # A nominal attribute becomes one feature per declared value, so that all pairs of distinct values are
    # equally distant. An attribute declared as ``{0, 1}`` becomes one numeric feature.
    for column, name in enumerate(rows.columns):
        if name.kind in {"text", "date"} and name.name not in options.nominal:
            _refuse_text(rows, column, options.path)
    numbers = _filled(rows, options)
    blocks = [_block(column, numbers[:, place], options.nominal) for place, column in enumerate(rows.columns)]
    if not blocks:
        raise DataError(f"{options.path} has no feature columns")
    names = tuple(name for block in blocks for name in block[0])
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise DataError(f"{options.path} has two features named {twice!r}", _leave_out(twice))
    if all(values is None for _, values in blocks):
        return numbers, names
    tables.require_room(len(rows), len(names), f"{options.path}: one feature per nominal value")
    parts = [numbers[:, [at]] if values is None else values for at, (_, values) in enumerate(blocks)]
    return np.ascontiguousarray(np.hstack(parts)), names


def _block(
    column: Attribute, codes: Numbers, nominal: tuple[str, ...]
) -> tuple[tuple[str, ...], Numbers | None]:
    """Return the names and values of the features that represent a column.

    If the column itself is the only feature, the values are None.
    """
    values = [*column.values]
    if column.kind == "numeric":
        if column.name not in nominal:
            return (column.name,), None
        met, places = np.unique(codes, return_inverse=True)
        values, codes = [f"{value:.15g}" for value in met], places.astype(np.float64)
    elif set(values) == {"0", "1"}:
        return (column.name,), np.array(values, dtype=np.float64)[codes.astype(np.int64), None]
    tables.require_room(len(codes), len(values), f"one feature per value of column {column.name!r}")
    one_hot = codes[:, None] == np.arange(len(values))
    return tuple(f"{column.name}={value}" for value in values), one_hot.astype(np.float64)


def _refuse_text(rows: _Rows, place: int, path: Path) -> None:
    column, values = rows.columns[place], [*rows.columns[place].values]
    if column.kind == "date" or isinstance(read_dates(np.array(values, dtype=object)), tuple):
        fault = "contains dates, which cannot be features"
        raise DataError(f"{path}: column {column.name!r} {fault}", _leave_out(column.name))
    filled = np.flatnonzero(~np.isnan(rows.numbers[:, place]))
    example = ""
    if len(filled):
        numeric = np.array([files.is_number(value) for value in values])
        texts = filled[~numeric[rows.numbers[filled, place].astype(np.int64)]]
        row = int(texts[0] if len(texts) else filled[0])
        example = f" ({values[int(rows.numbers[row, place])]!r} in {rows.place(row)})"
        if not len(texts):
            reason = files.code_reason(files.finite(values, files.exact_numbers(values)))
            example = f" ({reason}, so these are codes)" if reason else example
    raise DataError(
        f"{path}: column {column.name!r} is not numeric{example}",
        _leave_out(column.name),
        Remedy("create one feature per value with", "nominal", [column.name]),
        Remedy("if it contains the bag classes, use", "label", column.name),
    )


def _leave_out(column: str) -> Remedy:
    return Remedy("drop it with", "drop", [column])


def _filled(rows: _Rows, options: _Options) -> Numbers:
    numbers, path = rows.numbers, options.path
    if np.isfinite(numbers).all():
        return numbers
    infinite, gaps = np.isinf(numbers), np.isnan(numbers)
    row, column = np.argwhere(infinite if infinite.any() else gaps)[0].tolist()
    name = rows.columns[column].name
    where = f"{rows.bag(row)}, row {np.count_nonzero(rows.bag_of_row[: row + 1] == rows.bag_of_row[row])}"
    where = where if rows.lines is None else f"{rows.place(row)} ({where})"
    if infinite.any():
        remedy = Remedy("replace it, or drop the column with", "drop", [name])
        raise DataError(f"{path}, {where}: infinite value in column {name!r}", remedy)
    if options.missing == "error":
        count = int(gaps.sum()) - 1
        more = f" (and {count} more)" if count else ""
        raise DataError(
            f"{path}, {where}: missing value in column {name!r}{more}",
            Remedy("fill it in"),
            Remedy("drop the column with", "drop", [name]),
            Remedy("impute the median or most frequent value with", "missing", "median"),
        )
    if (empty := gaps.all(axis=0)).any():
        name = rows.columns[int(empty.argmax())].name
        raise DataError(f"{path}: column {name!r} has only missing values", _leave_out(name))
    from sklearn.impute import SimpleImputer

    numbers = numbers.copy()
    for place in np.flatnonzero(gaps.any(axis=0)).tolist():
        strategy = "median" if rows.columns[place].kind == "numeric" else "most_frequent"
        numbers[:, [place]] = SimpleImputer(strategy=strategy).fit_transform(numbers[:, [place]])
    return numbers
