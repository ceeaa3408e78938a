"""Reader for multi-label data in ARFF, svmlight and npz files."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._arrays import names_of, quoted, warn_caller
from moo_clustering._docs import documented
from moo_clustering._targets import wrong_indicators
from moo_clustering._types import BoolArray, FloatArray
from moo_clustering.datasets import arff, files, tables
from moo_clustering.datasets.documents import Documents, read_documents
from moo_clustering.datasets.files import DataError, Remedy
from moo_clustering.persistence import EXPANSION, read_arrays

_SPARSE = {"format", "shape", "data", "indices", "indptr"}
_ENDING = "_X.npz"
Arrays = Mapping[str, NDArray[Any]]
MOST_FEATURES = 20_000_000
# A matrix may have 2^21 rows or features, or 100 per stored value if this is more. Feature hashing uses 2^20.
_MOST_EMPTY, _PER_VALUE = 2**21, 100
Names = Sequence[str] | PathLike[str] | None
_ERRORS = (ValueError, OverflowError, IndexError)
# Integer value of a feature that double precision may have to round.
_LONG = re.compile(rb":[+-]?(\d{16,400})(?=\s|\Z)")
_SVMLIGHT = (".svmlight", ".svm", ".libsvm")
_OPTIONS = {
    "ARFF": {"labels_xml", "n_labels", "labels", "id_column", "drop"},
    "svmlight": set(),
    "npz": {"labels", "id_column", "feature_names", "label_names"},
}


@documented(tables.Table)
@dataclass(frozen=True, eq=False)
class MultiLabelTable(tables.NamedRows):
    """A multi-label data set.

    Raises a ValueError if shapes do not match or Y is invalid.

    Parameters
    ----------
    X : csr_array of shape (n_samples, n_features), float64
        Finite features, with sorted indices and without stored zeros.
    Y : ndarray of shape (n_samples, n_labels), int8
        1 if the sample has the label, 0 if not. Rows of -1 mark unlabelled samples.
    label_names : tuple of str
        One name per column of Y.
    """

    name: str
    X: sp.csr_array
    Y: NDArray[np.int8]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    row_ids: NDArray[Any]

    def __post_init__(self) -> None:
        if getattr(self.X, "format", None) != "csr":
            raise ValueError("X must be a sparse matrix in CSR format, such as scipy.sparse.csr_array(X)")
        n, m = self.X.shape
        if self.Y.shape != (n, len(self.label_names)):
            needed = f"{(n, len(self.label_names))}, one row per sample and one column per label name"
            raise ValueError(f"Y must have shape {needed}; got {self.Y.shape}")
        if len(self.feature_names) != m or len(self.row_ids) != n:
            raise ValueError(
                f"feature_names and row_ids must have {m} and {n} elements, one per column and row of X; "
                f"got {len(self.feature_names)} and {len(self.row_ids)}"
            )
        if problem := wrong_indicators(self.Y):
            raise ValueError(f"Y, row {problem[0]}: {problem[1]}")

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.label_names)

    @property
    def labelled(self) -> BoolArray:
        """Mask of the samples with known labels (possibly none), shape (n_samples,)."""
        return np.asarray((self.Y >= 0).all(axis=1))

    @property
    def cardinality(self) -> float:
        """Mean number of labels per labelled sample; 0 if all samples are unlabelled."""
        labelled = self.labelled
        return float(self.Y[labelled].sum(axis=1, dtype=np.int64).mean()) if labelled.any() else 0.0

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """Return a copy with the rows, identifiers and labels shuffled together."""
        order = np.random.default_rng(random_state).permutation(self.n_samples)
        return replace(self, X=self.X[order], Y=self.Y[order], row_ids=self.row_ids[order])


def tidy_csr(X: Any) -> sp.csr_array:
    """Convert to float64 CSR format with sorted indices (32-bit if possible) and no stored zeros."""
    X = sp.csr_array(X, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    if max(X.nnz, *X.shape) < 2**31:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


@documented(read_documents)
def read_multilabel(
    path: str | PathLike[str],
    *,
    labels_xml: str | PathLike[str] | None = None,
    n_labels: int | None = None,
    labels: Sequence[str] | str | PathLike[str] | None = None,
    feature_names: Names = None,
    label_names: Names = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    expansion: int = EXPANSION,
) -> MultiLabelTable:
    """Read multi-label samples from an ARFF (MULAN, MEKA), svmlight or npz file.

    To read documents in JSON lines, use :func:`read_documents` and :func:`label_indicators` instead. Takes
    O(bytes) time and memory. Sparse rows remain sparse. Raises a DataError if a file is missing, damaged or
    of unknown type; if labels do not exist or are neither 0 nor 1; if only some labels of a row are missing;
    if indices are repeated or too large; or if features are missing, infinite or non-numeric. Formats:
    Tsoumakas et al., *MULAN*, JMLR 12 (2011); Read et al., *MEKA*, JMLR 17 (2016).

    Parameters
    ----------
    path : path-like
        - ``.arff``, dense or sparse (``{3 1, 17 1}``, where omitted values are 0 or the first declared
          value). Features are numeric or declared as ``{0,1}``, ``{no,yes}``, ``{n,y}``, ``{false,true}`` or
          ``{f,t}``; labels must be binary. Rows with ``?`` for every label are unlabelled samples.
        - ``.svmlight``, ``.svm``, ``.libsvm``, with lines such as ``1,3 5:1 7:0.5`` (labels 1 and 3). Feature
          indices start at 0 if the index 0 occurs, otherwise at 1. Labels are sorted numerically. A line
          without labels is a sample with no labels; blank lines are ignored.
        - ``.npz`` with an array ``X``, or a sparse matrix from ``scipy.sparse.save_npz``; ``Y`` is in the
          same archive or in another. No code in the files is executed.

        Text files may be compressed (``.gz``).
    labels_xml : path-like, optional
        MULAN XML file with the ordered label names. Default for ARFF: a file with the same name, if present.
    n_labels : int, optional
        For ARFF, the first ``n_labels`` attributes are labels or, if negative, the last ``-n_labels``.
        Without an XML file, the default is MEKA's option in the relation name, such as ``'Music: -C 6'``.
    labels : sequence of str, or path-like, optional
        For ARFF, label names in the desired order. For npz, path of the archive with ``Y`` (see
        :class:`MultiLabelTable`) or a sparse matrix. Default for ``..._X.npz``: ``..._Y.npz``.
    feature_names, label_names : sequence of str, or path-like, optional
        For npz, the names, or the path of a text file with one name per line. Default: the arrays
        ``feature_names`` and ``label_names``, otherwise the files ``..._features.txt`` and ``..._labels.txt``
        next to ``..._X.npz``, otherwise x0, ... and y0, ...
    id_column : str, optional
        Attribute (ARFF) or array (npz) with row identifiers.
    drop : sequence of str, default=()
        Attributes (ARFF) to drop.
    """
    path = files.data_path(path)
    given: dict[str, Any] = {
        "labels_xml": labels_xml,
        "n_labels": n_labels,
        "labels": labels,
        "feature_names": feature_names,
        "label_names": label_names,
        "id_column": id_column,
        "drop": names_of(drop, "drop") or None,
    }
    kind = _kind(path)
    for name, value in given.items():
        if value is not None and name not in _OPTIONS[kind]:
            uses = ", ".join(sorted(other for other, known in _OPTIONS.items() if name in known))
            fault = f"but an option applies only to {uses} files"
            raise DataError(f"{path} is read as {kind}, {fault}", Remedy("omit", name, value))
    if n_labels is not None and (isinstance(n_labels, bool) or not hasattr(n_labels, "__index__")):
        raise TypeError(f"n_labels must be an integer, got {quoted(n_labels)}")
    ways = [name for name in ("labels_xml", "n_labels", "labels") if given[name] is not None]
    if len(ways) > 1:
        remedies = (Remedy("pass only", name, given[name]) for name in ways)
        raise DataError("only one option may specify the labels", *remedies)
    with files.readable(path):
        if kind == "ARFF":
            return _read_arff(files.file_text(path, expansion), path, given)
        if kind == "svmlight":
            return _read_svmlight(files.file_bytes(path, expansion), path)
        return _read_npz(path, given)


def _kind(path: Path) -> str:
    inner = files.suffix_of(path)
    if path.suffix.lower() == ".npz":
        return "npz"
    if inner == ".arff":
        return "ARFF"
    if inner in _SVMLIGHT:
        return "svmlight"
    if files.holds_documents(path):
        advice = "pass read_documents(path, labels=...) to label_indicators for their labels"
        raise DataError(f"{path} contains documents; {advice}")
    raise files.unknown_suffix(path, [".arff", *_SVMLIGHT, ".npz"])


def _read_arff(text: str, path: Path, options: dict[str, Any]) -> MultiLabelTable:
    file, names = options["labels_xml"], options["labels"]
    options = options | {
        "labels_xml": None if file is None else files.data_path(file),
        "labels": None if names is None else names_of(names, "labels"),
        "drop": options["drop"] or (),
    }
    lines = arff.arff_lines(text)
    attributes, _, _, relation = arff.read_header(lines, path)
    labels, features, identifier = arff.parts_of(attributes, relation, options, path)
    kinds = [attribute.kind for attribute in attributes]
    used = {*labels, *features}
    for place, attribute in enumerate(attributes):
        if place not in used:
            # As text, identifiers keep their notation, and dropped attributes may have any value.
            attribute.kind = "text"
    entries = _Entries(attributes, lines, path)
    row_ids = np.arange(len(entries.lines))
    if identifier is not None:
        row_ids = entries.row_ids(identifier, kinds[identifier])
    return MultiLabelTable(
        name=path.name,
        X=entries.features(features),
        Y=entries.labels(labels),
        feature_names=tuple(attributes[place].name for place in features),
        label_names=tuple(attributes[place].name for place in labels),
        row_ids=row_ids,
    )


class _Entries:
    """Entries of an ARFF file as numbers.

    ``values`` contains the stored entries. For each column, ``default`` contains the value of entries that
    sparse rows omit.
    """

    def __init__(self, attributes: list[arff.Attribute], lines: arff.Lines, source: object) -> None:
        self.rows, self.columns, self.codes, self.lines = arff.EntryReader(attributes).read_all(lines, source)
        coded = np.zeros((len(attributes), 2))
        nominal = np.array([attribute.kind == "nominal" for attribute in attributes])
        for place in np.flatnonzero(nominal):
            numbers = arff.binary_numbers(attributes[place]) or ()
            coded[place, : len(numbers)] = numbers
        self.attributes, self.source, self.default = attributes, source, coded[:, 0]
        self.values = self.codes.copy()
        known = nominal[self.columns] & ~np.isnan(self.codes)
        self.values[known] = coded[self.columns[known], self.codes[known].astype(np.intp)]

    def _chosen(self, columns: list[int]) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
        where = np.full(len(self.attributes), -1)
        where[columns] = np.arange(len(columns))
        places = where[self.columns]
        chosen = places >= 0
        return self.rows[chosen], places[chosen], self.values[chosen]

    def features(self, columns: list[int]) -> sp.csr_array:
        rows, places, values = self._chosen(columns)
        if len(bad := np.flatnonzero(~np.isfinite(values))):
            name = self.attributes[columns[places[bad[0]]]].name
            what = "missing" if np.isnan(values[bad[0]]) else "infinite"
            remedy = Remedy("fill in or remove such values first, or drop the attribute with", "drop", [name])
            line = self.lines[rows[bad[0]]]
            raise DataError(f"{self.source}, line {line}: {what} value in attribute {name!r}", remedy)
        default = self.default[columns]
        shape = (len(self.lines), len(columns))
        X = sp.coo_array((values - default[places], (rows, places)), shape=shape).tocsr()
        omitted = f"{self.source}: the values omitted from its sparse rows"
        tables.require_room(shape[0], int(np.count_nonzero(default)), omitted)
        if default.any():  # sparse rows omit the first declared value, even if this value is 1
            X = X + sp.csr_array(np.ones((shape[0], 1))) @ sp.csr_array(default[np.newaxis, :])
        return tidy_csr(X)

    def labels(self, columns: list[int]) -> NDArray[np.int8]:
        rows, places, values = self._chosen(columns)
        lines, source = self.lines, self.source
        if len(odd := np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))):
            name, value = self.attributes[columns[places[odd[0]]]].name, f"{values[odd[0]]:g}"
            allowed = "0 or 1 (or ? for all labels of an unlabelled row)"
            raise DataError(
                f"{source}, line {lines[rows[odd[0]]]}: label {name!r} must be {allowed}, got {value}"
            )
        tables.require_room(len(lines), len(columns), f"{source}: the label indicators")
        Y = np.empty((len(lines), len(columns)), dtype=np.int8)
        Y[:] = self.default[columns].astype(np.int8)
        Y[rows, places] = np.where(np.isnan(values), -1.0, values).astype(np.int8)
        if problem := wrong_indicators(Y):
            raise DataError(f"{source}, line {lines[problem[0]]}: {problem[1]}")
        return Y

    def row_ids(self, column: int, kind: str) -> NDArray[Any]:
        """Return the identifiers in a column that was declared as ``kind`` and read as text."""
        names = list(self.attributes[column].values)
        cells = [{"nominal": names[0] if names else "", "numeric": "0"}.get(kind, "")] * len(self.lines)
        own = self.columns == column
        for row, code in zip(self.rows[own].tolist(), self.codes[own].tolist(), strict=True):
            cells[row] = "" if code != code else names[int(code)]
        return tables.identifiers(cells, self.attributes[column].name, self.source)


def _read_svmlight(data: bytes, path: Path) -> MultiLabelTable:
    if not data.strip():
        raise DataError(f"{path} is empty")
    try:
        X, sets = _load(data, "auto")
    except _ERRORS as error:
        raise DataError(_blame(data, path, error)) from error
    if not X.shape[0]:
        raise DataError(f"{path} has no rows")
    require_finite_csr(X, path)
    names = default_names("x", X.shape[1], path, X.nnz)
    values = sorted({value for labels in sets for value in labels})
    if any(not math.isfinite(value) for value in values):
        raise DataError(f"{path} has a label that is not a finite number")
    if large := next((value for value in values if abs(value) >= 2.0**53), 0.0):
        why = "the limit of exact integers in double precision; renumber them"
        raise DataError(f"{path} has the label {large:.0f}; labels must be below 2^53, {why}")
    for found in _LONG.finditer(data):
        if float(found[1]) != int(found[1]):
            warn_caller(f"{path}: {found[1].decode()} has too many digits and is rounded")
            break
    tables.require_room(X.shape[0], len(values), f"{path}: the label indicators")
    if not values:
        raise DataError(f"{path} has no labels: each line must begin with labels, as in '1,3 5:1 7:0.5'")
    Y = np.zeros((X.shape[0], len(values)), dtype=np.int8)
    places = {value: place for place, value in enumerate(values)}
    for row, labels in enumerate(sets):
        Y[row, [places[value] for value in labels]] = 1
    label_names = tuple(str(int(value)) if value.is_integer() else repr(value) for value in values)
    return MultiLabelTable(path.name, tidy_csr(X), Y, names, label_names, np.arange(len(Y)))


def _load(data: bytes, zero_based: bool | str) -> tuple[Any, list[tuple[float, ...]]]:
    # Import lazily, because scikit-learn takes a second to import and tables do not require it.
    from sklearn.datasets import load_svmlight_file

    X, sets = load_svmlight_file(BytesIO(data), multilabel=True, zero_based=zero_based)
    return X, sets


def _blame(data: bytes, source: object, error: Exception) -> str:
    """Find the invalid line by bisection, and return a message with its number."""
    lines = data.split(b"\n")
    first, end = 0, len(lines)
    while end - first > 1:
        middle = (first + end) // 2
        try:
            _load(b"\n".join(lines[first:middle]), True)
        except _ERRORS as found:
            end, error = middle, found
        else:
            first = middle
    needed = "labels, then features in ascending order, as in 1,3 5:1 7:0.5"
    return f"{source}, line {first + 1} must contain {needed}: {error}"


def _read_npz(path: Path, options: Mapping[str, Any]) -> MultiLabelTable:
    labels = options["labels"]
    if labels is not None and not isinstance(labels, str | PathLike):
        needed = "the path of the archive with the array 'Y' (pass names as label_names)"
        raise TypeError(f"for npz files, labels must be {needed}, got {quoted(labels)}")
    arrays = read_arrays(path, DataError)
    X = _features(arrays, path)
    if labels is not None:
        file: Path | None = files.data_path(labels)
    else:
        file = None if "Y" in arrays else _beside(path, "_Y.npz")
    if file is not None and not file.is_file():
        raise DataError(f"file {file} (labels) does not exist")
    known = arrays if file is None else read_arrays(file, DataError)
    Y = _indicators(known, X.shape[0], file or path)
    row_ids: NDArray[Any] = np.arange(len(Y))
    if (column := options["id_column"]) is not None:
        ids = tables.array_column({**arrays, **known}, column, len(Y), path)
        row_ids = tables.identifiers(ids.tolist(), column, path)
    return MultiLabelTable(
        name=path.name,
        X=X,
        Y=Y,
        feature_names=_names(options["feature_names"], arrays, "feature_names", "x", X, path),
        label_names=_names(options["label_names"], known, "label_names", "y", Y, path),
        row_ids=row_ids,
    )


def _beside(path: Path, ending: str) -> Path | None:
    if not path.name.endswith(_ENDING):
        return None
    beside = path.with_name(path.name.removesuffix(_ENDING) + ending)
    return beside if beside.is_file() else None


def _features(arrays: Arrays, source: object) -> sp.csr_array:
    if "format" in arrays:
        X = sparse_matrix(arrays, source)
    elif "X" in arrays:
        X = sp.csr_array(tables.numeric_matrix(arrays["X"], "X", source))
    else:
        held = ", ".join(map(repr, arrays)) or "nothing"
        raise DataError(f"{source} has no array 'X' and is not a sparse matrix; it contains {held}")
    if 0 in X.shape:
        raise DataError(f"{source}: X must have at least one row and one column, got shape {X.shape}")
    X = tidy_csr(X)
    require_finite_csr(X, source)
    return X


def require_finite_csr(X: Any, source: object) -> None:
    if len(bad := np.flatnonzero(~np.isfinite(X.data))):
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        where = f"in row {row + 1}, for feature index {X.indices[bad[0]]} (counted from 0)"
        value = f"{X.data[bad[0]]:g}"
        raise DataError(f"{source} has the value {value} {where}; fill in or remove such values first")


def sparse_matrix(arrays: Arrays, source: object) -> sp.csr_array:
    """Check the arrays of a ``scipy.sparse.save_npz`` archive, and build the sparse matrix."""
    stated = arrays["format"].reshape(-1)[:1]
    form = stated.astype(str).tolist() if stated.dtype.kind in "SU" else []
    if form not in (["csr"], ["csc"]) or not set(arrays) >= _SPARSE:
        raise DataError(f"{source} is not a sparse CSR matrix; save it with save_npz(path, csr_array(X))")
    values, indices, indptr, shape = (arrays[name] for name in ("data", "indices", "indptr", "shape"))
    if values.dtype.kind not in "iufb" or any(one.dtype.kind not in "iu" for one in (indices, indptr, shape)):
        raise DataError(f"{source}: a sparse matrix must have numeric values and integer indices")
    # The conversion from CSC to CSR requires memory for every row, even for rows without values.
    most_rows = max(_MOST_EMPTY, _PER_VALUE * values.size, indptr.size)
    if shape.size != 2 or shape[0] > most_rows or shape[1] > max(MOST_FEATURES, _PER_VALUE * values.size):
        fault = f"{values.size} values for shape {shape.tolist()}"
        raise DataError(f"{source} is not a valid sparse matrix: {fault}")
    kind = sp.csr_array if form == ["csr"] else sp.csc_array
    try:
        matrix = kind((values, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
        return sp.csr_array(matrix)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise DataError(f"{source} is not a valid sparse matrix: {error}") from error


def _indicators(arrays: Arrays, n_rows: int, source: object) -> NDArray[np.int8]:
    if "Y" not in arrays and "format" not in arrays:
        held = ", ".join(map(repr, arrays)) or "nothing"
        fault = f"has no array 'Y' of shape (n_samples, n_labels); it contains {held}"
        raise DataError(f"{source} {fault}", Remedy("specify the archive that contains it with", "labels"))
    Y: Any = arrays["Y"] if "Y" in arrays else sparse_matrix(arrays, source)
    if Y.ndim != 2 or Y.dtype.kind not in "iufb" or Y.shape[0] != n_rows or not Y.shape[1]:
        raise DataError(
            f"{source}: the label indicators must be numeric, with one row per row of X ({n_rows}) "
            f"and one column per label; got type {Y.dtype} and shape {Y.shape}"
        )
    if sp.issparse(Y):
        # Dense indicators require memory for every label, even for labels without samples.
        if Y.shape[1] > max((2**20), Y.nnz):
            raise DataError(f"{source} has {Y.shape[1]:,} labels, most without samples; drop unused labels")
        tables.require_room(8 * Y.shape[0], Y.shape[1], f"{source}: the label indicators")
        Y = Y.astype(np.float64).toarray()  # SciPy cannot densify half-precision or byte-swapped values
    if problem := wrong_indicators(Y):
        raise DataError(f"{source}, row {problem[0]} of Y: {problem[1]}")
    return Y.astype(np.int8)


def _names(given: Names, arrays: Arrays, key: str, prefix: str, matrix: Any, path: Path) -> tuple[str, ...]:
    count, what = matrix.shape[1], key.replace("_", " ")
    if given is not None:
        return _read_names(given, count, what, key)
    if key in arrays:
        return _read_names(arrays[key].reshape(-1), count, what, f"{path}, array {key!r}")
    if file := _beside(path, f"_{what.split()[0]}s.txt"):
        return _read_names(file, count, what, file)
    return default_names(prefix, count, path, matrix.size)


def _read_names(names: Any, count: int, what: str, source: object) -> tuple[str, ...]:
    if isinstance(names, str | PathLike):
        source = path = files.data_path(names)
        if not path.exists():
            raise DataError(f"file {path} ({what}) does not exist")
        with files.readable(path):
            lines = path.read_text(encoding="utf-8-sig").rstrip().split("\n")
        names = [line.strip() for line in lines if lines != [""]]
    checked = tuple(map(str, names))
    if len(checked) != count:
        raise DataError(f"{source} must contain {count} {what}, one per column; got {len(checked)}")
    seen: dict[str, int] = {}
    for place, name in enumerate(checked, start=1):
        if not name:
            raise DataError(f"{source}: {what.removesuffix('s')} {place} is empty")
        if seen.setdefault(name, place) != place:
            raise DataError(f"{source}: {what} {seen[name]} and {place} are both {name!r}")
    return checked


def default_names(prefix: str, count: int, source: object, n_values: int) -> tuple[str, ...]:
    """Return names x0, x1, .... Raise a DataError if ``count`` is too large for ``n_values`` values."""
    most = min(MOST_FEATURES, max(_MOST_EMPTY, _PER_VALUE * n_values))
    if count > most:
        limit = f"more than the {most:,} allowed for {n_values:,} values"
        raise DataError(f"{source} has {count:,} features, {limit}; one of its indices is probably wrong")
    return tuple(f"{prefix}{number}" for number in range(count))


def label_indicators(documents: Documents, *, empty_is_unlabelled: bool = False) -> NDArray[np.int8]:
    """Convert document labels to indicators, with one column per name in ``documents.target_names``.

    Raises a ValueError if the documents were read without labels.

    Parameters
    ----------
    documents : Documents
        Result of :func:`read_documents` with ``labels=...``.
    empty_is_unlabelled : bool, default=False
        Whether a document with an empty list of labels is unlabelled. Documents with a missing field, null or
        an empty cell are always unlabelled.

    Returns
    -------
    ndarray of shape (n_documents, n_labels), int8
        1 if the document has the label, 0 if not. Rows of -1 mark unlabelled documents.

    Examples
    --------
    >>> from moo_clustering.datasets import Documents, label_indicators
    >>> import numpy as np
    >>> documents = Documents(
    ...     "demo", ["a", "b"], np.arange(2), target_names=("u", "v"), label_sets=[("v", "u"), ("v",)]
    ... )
    >>> label_indicators(documents).tolist()
    [[1, 1], [0, 1]]
    """
    if documents.label_sets is not None:
        codes = {name: code for code, name in enumerate(documents.target_names)}
        sets = [[codes[name] for name in names] for names in documents.label_sets]
        labelled = np.ones(len(sets), dtype=bool)
    elif documents.y is not None:
        sets = [[code] if code >= 0 else [] for code in documents.y.tolist()]
        labelled = documents.y >= 0
    else:
        raise ValueError(
            "documents must have labels; specify them, as in read_documents(path, labels='labels')"
        )
    if documents.labelled is not None:
        labelled = documents.labelled
    Y = np.zeros((len(sets), documents.n_classes), dtype=np.int8)
    for row, chosen in enumerate(sets):
        Y[row, chosen] = 1
    empty = np.array([not chosen for chosen in sets], dtype=bool)
    Y[empty if empty_is_unlabelled else empty & ~labelled] = -1
    return Y
