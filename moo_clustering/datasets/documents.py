"""Document reader, tf-idf features and embeddings."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import BoolArray, Int64Array, names_of, quoted, warn_caller
from moo_clustering._data import checked_array, warn_of_lengths
from moo_clustering._docs import documented
from moo_clustering._messages import Advice
from moo_clustering.datasets import files, tables
from moo_clustering.datasets.files import DataError
from moo_clustering.persistence import EXPANSION

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_TITLE = "title"
_IDS = ("id", tables.UNNAMED)
_TEXT = (_TITLE, "text", "abstract")
_TEXT_COLUMNS = ("text_columns", "--text-columns")
_EMBEDDERS = {
    "sentence-transformers": "SentenceTransformer",
    "fastembed": "TextEmbedding",
    "model2vec": "StaticModel",
}
_MODEL = ("model", "--embed")


@documented(tables.Table)
@dataclass(frozen=True, eq=False)
class Documents(tables.NamedRows):
    """A collection of texts.

    Parameters
    ----------
    texts : list of str
        One text per document, possibly empty.
    titles : list of str or None
        Cells of the ``title`` column, if it exists.
    y : ndarray of shape (n_documents,), int64, or None
        As in :class:`Table`; None if a document has several classes.
    target_names : tuple of str
        Names of the classes in y or label_sets.
    label_sets : list of tuple of str or None
        Known classes of each document, in file order, if a document has several classes; otherwise None.
    labelled : ndarray of shape (n_documents,), bool, or None
        Whether each document's classes are known. An empty list means that the document has no class. If the
        field is missing, null or an empty cell, the classes are unknown.
    """

    name: str
    texts: list[str]
    row_ids: NDArray[Any]
    titles: list[str] | None = None
    y: Int64Array | None = None
    target_names: tuple[str, ...] = ()
    label_sets: list[tuple[str, ...]] | None = None
    partial_y: Int64Array | None = None
    partial_names: tuple[str, ...] = ()
    labelled: BoolArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 if the classes are unknown."""
        return len(self.target_names)


@documented(tables.read_table)
def read_documents(
    path: str | PathLike[str],
    *,
    text_columns: Sequence[str] | None = None,
    id_column: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    drop: Sequence[str] = (),
    expansion: int = EXPANSION,
) -> Documents:
    """Read texts from JSON lines, a table with text columns, or a folder of text files.

    Takes O(bytes) time and O(total text length) memory. Raises a DataError if the file is missing, damaged,
    not UTF-8, of unknown type or without documents; if JSON is invalid (reporting the line); if a column
    does not exist; or if an identifier is empty.

    Parameters
    ----------
    path : path-like
        ``.jsonl`` or ``.jsonl.gz`` (one JSON object per line); ``.csv``, ``.tsv``, ``.tab`` or ``.txt`` (a
        table with column names in the first line); or a folder, in which each ``.txt`` file, including those
        in sub-folders, is a document identified by its file name.
    text_columns : sequence of str, optional
        Text columns to join, in this order. Default: ``title``, ``text`` and ``abstract``, if they exist.
    id_column : str, optional
        Column with document identifiers, numbered (with a warning) if repeated. Default: ``id``, if present.
    labels : str, optional
        Column with the known classes, used for scoring; a JSON list assigns several classes. For a folder,
        ``"folder"`` uses the sub-folders as classes.
    partial_labels : str, optional
        Column with the classes of some documents; empty cells and -1 mark unlabelled documents. For a folder,
        ``"folder"`` uses the sub-folders as classes; files outside sub-folders are unlabelled.
    drop : sequence of str, default=()
        Columns to ignore, even if other parameters select them by default.
    """
    path = files.data_path(path)
    if text_columns is not None:
        text_columns = (text_columns,) if isinstance(text_columns, str) else tuple(text_columns)
    roles = tables.Roles(labels, partial_labels, id_column, names_of(drop, "drop"))
    with files.readable(path, is_folder=True):
        _check_text_columns(text_columns, roles.by_column())
        if path.is_dir():
            return _read_folder(path, text_columns, roles)
        wanted = {*(text_columns or _TEXT), _TITLE, *_IDS, *roles.by_column()}
        if path.name.lower().endswith(files.JSON_LINES):
            return _documents(_read_lines(path, wanted, expansion), text_columns, roles)
        if files.suffix_of(path) in files.TEXT:
            return _documents(_read_rows(path, wanted, expansion), text_columns, roles)
    raise files.unknown_suffix(path, [*files.JSON_LINES, *files.TEXT], "; or read a folder of .txt files")


def tfidf(
    texts: Sequence[str],
    *,
    sublinear: bool = True,
    norm: Literal["l2"] | None = "l2",
    stop_words: str | Sequence[str] | None = "english",
    min_df: float = 1,
    max_df: float = 1.0,
) -> tuple[csr_matrix, NDArray[Any]]:
    """Compute tf-idf weights with scikit-learn's ``TfidfVectorizer``.

    Takes O(total text length) time and O(stored weights) memory. Raises a DataError if no terms remain, and a
    TypeError or ValueError for an invalid argument. Source: NSGA-II-clus.

    Parameters
    ----------
    texts : sequence of str
        One text per document. Documents without terms become zero rows; a warning reports their number.
    sublinear : bool, default=True
        Use 1 + ln(tf) instead of the term count tf.
    norm : {"l2", None}, default="l2"
        ``"l2"`` scales rows to unit length, for cosine distances. Use None for Euclidean distances.
    stop_words : "english", sequence of str or None, default="english"
        Words to drop.
    min_df, max_df : int or float, default=1 and 1.0
        Minimum and maximum document frequency of a term, as a number (int) or a share (float) of documents.

    Returns
    -------
    X : csr_matrix of shape (n_documents, n_terms), float64
    vocabulary : ndarray of shape (n_terms,)
        Term of each column, in alphabetical order.

    Examples
    --------
    >>> from moo_clustering.datasets import tfidf
    >>> X, vocabulary = tfidf(["the heart", "a heart and a lung", "lung disease"])
    >>> X.shape, vocabulary.tolist()
    ((3, 3), ['disease', 'heart', 'lung'])
    """
    # Import lazily, because scikit-learn takes a second to import and tables do not require it.
    from sklearn.feature_extraction.text import TfidfVectorizer

    from moo_clustering.features import as_stop_words, fit_terms

    vectorizer = TfidfVectorizer(
        sublinear_tf=sublinear, norm=norm, stop_words=as_stop_words(stop_words), min_df=min_df, max_df=max_df
    )
    try:
        X, vocabulary = fit_terms(vectorizer, texts)
    except ValueError as error:
        raise DataError(*error.args) from error
    if empty := int(np.count_nonzero(np.diff(X.indptr) == 0)):
        verb = "has" if empty == 1 else "have"
        warn_caller(f"{empty} of {len(texts)} documents {verb} no terms: all weights are zero")
    return X, vocabulary


def embed(texts: Sequence[str], model: Any) -> NDArray[Any]:
    """Compute text embeddings with a callable or an installed package. Nothing is downloaded.

    Raises a DataError if the package or the model is not installed, if the model fails, or if it does not
    return one row of finite numbers per text. Issues a UserWarning if some rows are zero or differ widely in
    norm. Cluster the rows with ``ParetoClustering(metric="cosine")``.

    Parameters
    ----------
    texts : sequence of str
    model : callable, str or object with a method ``encode`` or ``embed``
        A callable receives a list of texts and returns one row per text. A string names a function to import
        (``"module:function"``), or a model in a folder or in its package's cache:
        ``"sentence-transformers:NAME"``, ``"fastembed:NAME"`` or ``"model2vec:NAME"``.

    Returns
    -------
    ndarray of shape (n_texts, n_dimensions), float32 or int8

    Examples
    --------
    >>> from moo_clustering.datasets import embed
    >>> embed(["a b", "b b b"], lambda texts: [[text.count("a"), text.count("b")] for text in texts]).tolist()
    [[1.0, 1.0], [0.0, 3.0]]
    """
    given, texts = texts, [] if isinstance(texts, str) else list(texts)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise DataError(f"texts must be a non-empty sequence of strings, got {quoted(given)}")
    name, call = _embedder(model)
    try:
        made = call(texts)
        made = list(made) if isinstance(made, Iterator) else made  # fastembed returns a generator
    except Exception as error:
        raise DataError(f"model {name} failed: {type(error).__name__}: {error}") from error
    try:
        found = checked_array(made, "embeddings", [np.dtype(np.float32), np.dtype(np.int8)])
    except (TypeError, ValueError) as error:
        raise DataError(f"model {name} returned invalid embeddings: {error}") from error
    if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
        needed = f"one row of numbers per text, {len(texts)} in all"
        raise DataError(f"model {name} must return {needed}; got an array of shape {found.shape}")
    warn_of_lengths(found, "embeddings")
    return found


def _embedder(model: Any) -> tuple[str, Callable[[list[str]], Any]]:
    """Return a model's name and its embedding function. Nothing is downloaded."""
    if not isinstance(model, str):
        for method in ("encode", "embed"):
            if callable(found := getattr(model, method, None)):
                return type(model).__name__, found
        if callable(model):
            return quoted(getattr(model, "__name__", type(model).__name__)), model
        allowed = "a callable, 'package:name', or an object with a method encode or embed"
        raise DataError(f"model must be {allowed}, got {quoted(model)}")
    package, colon, name = model.partition(":")
    package = package.strip().replace("_", "-") if package.replace("_", "-") in _EMBEDDERS else package
    if not (colon and package and name):
        packages = ", ".join(f"'{each}:NAME'" for each in _EMBEDDERS)
        raise _option_error(_MODEL, f"must be 'module:function' or {packages}, got {quoted(model)}")
    try:
        module = import_module(package.replace("-", "_"))
    except ImportError as error:
        remedy = f"; run pip install {package}" if package in _EMBEDDERS else ""
        raise _option_error(_MODEL, f"{quoted(model)}: {error}{remedy}") from error
    if package not in _EMBEDDERS:
        if not callable(found := getattr(module, name, None)):
            fault = f"{quoted(model)}: module {package} has no function {quoted(name)}"
            raise _option_error(_MODEL, fault)
        return quoted(model), found
    load = getattr(module, _EMBEDDERS[package])
    try:
        if package == "model2vec":
            # If the name is not a folder, ``from_pretrained`` would download the model.
            if not Path(name).is_dir():
                name = import_module("huggingface_hub").snapshot_download(name, local_files_only=True)
            return quoted(model), load.from_pretrained(name).encode
        loaded = load(name, local_files_only=True)
    except Exception as error:
        why = str(error).strip().split("\n")[0]
        fault = f"{quoted(model)} cannot be loaded without a download ({why}); download the model with "
        raise _option_error(_MODEL, f"{fault}{package} first") from error
    return quoted(model), loaded.encode if package == "sentence-transformers" else loaded.embed


def _option_error(names: Sequence[str], fault: str) -> DataError:
    return DataError(Advice("", *(f"{name} {fault}" for name in names)))


def _check_text_columns(names: Sequence[str] | None, taken: Mapping[str, str]) -> None:
    if names is None:
        return
    if not names:
        raise _option_error(_TEXT_COLUMNS, "must contain at least one column name")
    for number, column in enumerate(names):
        if column in names[:number]:
            raise _option_error(_TEXT_COLUMNS, f"contains {column!r} more than once")
    files.roles_of([*taken.items(), *((column, "text") for column in names)])


def _read_folder(folder: Path, text: Sequence[str] | None, roles: tables.Roles) -> Documents:
    if text or roles.id_column or roles.drop:
        problem = f"{folder} is a folder of text files, which have no columns; omit "
        flags = "--text-columns, --id-column and --drop"
        raise DataError(Advice(problem, "text_columns, id_column and drop", flags))
    for option, given in (("labels", roles.labels), ("partial_labels", roles.partial_labels)):
        if given not in (None, "folder"):
            rest = f" must be 'folder' (one class per sub-folder), got {quoted(given)}"
            raise DataError(Advice("for a folder, ", option + rest, f"--{option.replace('_', '-')}{rest}"))
    found = sorted(
        (path for path in folder.rglob("*") if path.suffix.lower() == ".txt" and path.is_file()),
        key=lambda path: path.relative_to(folder).parts,
    )
    if not found:
        raise DataError(f"{folder} contains no documents (.txt files)")
    places = [path.relative_to(folder) for path in found]
    row_ids = tables.identifiers([clean_name(place.as_posix()) for place in places], "file name", folder)
    documents = Documents(folder.resolve().name, [files.file_text(path) for path in found], row_ids)
    if roles.labels is None and roles.partial_labels is None:
        return documents
    names = [clean_name(place.parts[0]) if len(place.parts) > 1 else "" for place in places]
    if not any(names):
        raise DataError(f"{folder} has no sub-folders to use as classes (labels='folder')")
    codes, classes = tables.encode_classes(names, minus_one_is_missing=False)
    if roles.labels is None:
        return replace(documents, partial_y=codes, partial_names=classes)
    return replace(documents, y=codes, target_names=classes)


class _Records(NamedTuple):
    columns: list[str]
    cells: dict[str, list[Any]]
    lines: list[int]
    path: Path


def _documents(records: _Records, text: Sequence[str] | None, roles: tables.Roles) -> Documents:
    if not records.lines:
        raise DataError(f"{records.path} contains no documents")
    taken = roles.by_column()
    files.check_names(taken, records.columns, records.path)
    free = [column for column in records.columns if column not in taken]
    parts = [_texts(records, column) for column in _text_columns(text, free, records)]
    usual = [column for column in _IDS if column in free and column not in (text or ())]
    id_column = roles.id_column or next(iter(usual), None)
    row_ids: NDArray[Any] = np.arange(len(records.lines))
    if id_column is not None:
        row_ids = tables.identifiers(_texts(records, id_column), id_column, records.path)
    y, targets, sets, labelled = _known(records, roles.labels)
    partial, names = _partial(records, roles.partial_labels)
    return Documents(
        name=records.path.name,
        texts=["\n".join(filter(None, cells)) for cells in zip(*parts, strict=True)],
        row_ids=row_ids,
        titles=_texts(records, _TITLE) if _TITLE in free else None,
        y=y,
        target_names=targets,
        label_sets=sets,
        partial_y=partial,
        partial_names=names,
        labelled=labelled,
    )


def clean(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def clean_name(text: str) -> str:
    """Escape lone surrogates, which cannot be encoded in UTF-8, so that distinct names remain distinct."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _text_columns(text: Sequence[str] | None, free: list[str], records: _Records) -> Sequence[str]:
    files.check_names(dict.fromkeys(text or (), "text columns"), records.columns, records.path)
    columns = text or [column for column in _TEXT if column in free]
    if not columns:
        more = ", ..." if len(records.columns) > 10 else ""
        shown = ", ".join(map(repr, records.columns[:10])) + more
        problem = f"{records.path} has no column 'title', 'text' or 'abstract'; its columns are "
        ways = (f"{way}, or save the fields as CSV to cluster them as a table" for way in _TEXT_COLUMNS)
        raise DataError(Advice(f"{problem}{shown or 'none'}; specify text columns with ", *ways))
    return columns


def _texts(records: _Records, column: str) -> list[str]:
    return ["\n".join(clean(name).strip() for name in names) for names in _names(records, column)]


def _names(records: _Records, column: str) -> Iterator[tuple[str, ...]]:
    """Yield the non-empty texts of each cell, which may contain a single value or a list."""
    for line, cell in zip(records.lines, records.cells[column], strict=True):
        items = cell if isinstance(cell, list) else [cell]
        if any(isinstance(item, list | dict) for item in items):
            fault = f"column {column!r} must contain a string or a list of strings"
            raise DataError(f"{records.path}, line {line}: {fault}")
        yield tuple(name for item in items if (name := files.written(item)).strip())


def _known(
    records: _Records, column: str | None
) -> tuple[Int64Array | None, tuple[str, ...], list[tuple[str, ...]] | None, BoolArray | None]:
    if column is None:
        return None, (), None, None
    cells = [tuple(map(clean_name, names)) for names in _names(records, column)]
    sets = [tuple(dict.fromkeys(map(tables.class_name, names))) for names in cells]
    given = records.cells[column]
    labelled = np.array([isinstance(cell, list) or bool(files.written(cell).strip()) for cell in given])
    has_several = any(len(names) > 1 for names in sets)
    # If documents have several classes, only the names and the warnings of this call are required.
    texts = itertools.chain(*cells) if has_several else ((*names, "")[0] for names in cells)
    y, targets = tables.encode_classes(list(texts), minus_one_is_missing=False)
    return (None, tuple(sorted(targets)), sets, labelled) if has_several else (y, targets, None, labelled)


def _partial(records: _Records, column: str | None) -> tuple[Int64Array | None, tuple[str, ...]]:
    if column is None:
        return None, ()
    single = []
    for line, names in zip(records.lines, _names(records, column), strict=True):
        if len(names) > 1:
            fault = f"contains {len(names)} labels, but a document can have only one"
            raise DataError(f"{records.path}, line {line}: column {column!r} (partial labels) {fault}")
        single.append("".join(map(clean_name, names)))
    return tables.encode_classes(single, minus_one_is_missing=True)


def _read_lines(path: Path, wanted: Collection[str], expansion: int) -> _Records:
    columns: dict[str, None] = {}
    lines, rows = [], []
    for line, record in json_objects(path, expansion):
        columns |= dict.fromkeys(record)
        lines.append(line)
        rows.append({name: record[name] for name in record if name in wanted})
    cells = {name: [row.get(name) for row in rows] for name in columns if name in wanted}
    return _Records(list(columns), cells, lines, path)


def json_objects(path: Path, expansion: int = EXPANSION) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and JSON object of each non-empty line."""
    is_gzip = path.name.lower().endswith(".gz")
    with io.BytesIO(files.file_bytes(path, expansion)) if is_gzip else open(path, "rb") as file:
        for line, text in enumerate(file, start=1):
            if text.strip():
                yield line, _object(text, f"{path}, line {line}", first=line == 1)


def _exact(text: str) -> float | Decimal:
    """Parse a JSON number. If double precision would round the number, return a Decimal."""
    number = float(text)
    # All finite numbers with at most 15 characters are distinct in double precision.
    if len(text) <= 15 and number - number == 0.0:
        return number
    exact = Decimal(text)
    return number if number - number == 0.0 and Decimal(repr(number)) == exact else exact


def _object(text: bytes, where: str, *, first: bool) -> dict[str, Any]:
    try:
        record = json.loads(text.decode("utf-8-sig" if first else "utf-8"), parse_float=_exact)
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is not valid UTF-8 ({error.reason})") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not valid JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # too many digits or nesting levels
        raise DataError(f"{where} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise DataError(f"{where} must be a JSON object, such as {{...}}, got {quoted(record)}")
    return record


def _read_rows(path: Path, wanted: Collection[str], expansion: int) -> _Records:
    lines: list[int] = []
    rows = files.table_text(path, expansion=expansion).rows(path)
    columns = tables.column_names(list(itertools.islice(rows, 1)), path)
    present = {name: number for number, name in enumerate(columns) if name in wanted}
    cells: dict[str, list[Any]] = {name: [] for name in present}
    for line, row in files.equal_rows(rows, len(columns), path):
        lines.append(line)
        for name, number in present.items():
            cells[name].append(row[number])
    return _Records(columns, cells, lines, path)
