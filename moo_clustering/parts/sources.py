"""Partitioned tables, read one part at a time from arrays, files or Dask collections."""

import mmap
import os
import re
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from glob import has_magic
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import did_you_mean, integer, names_of, optional_package, quoted
from moo_clustering._data import refuse_frames
from moo_clustering._docs import documented
from moo_clustering._messages import Advice
from moo_clustering._parallel import named_losses
from moo_clustering.parts.passes import Merge, Part, current_client, run_pass

_ALLOWED = (
    "a NumPy or Zarr array, a Dask array or frame, a pyarrow dataset, or the path, folder, glob or URL of "
    "Parquet or CSV files"
)
# Number of rows per part, if file and chunk sizes permit. With 10 float32 features, a part takes 10 MB.
ROWS_PER_PART = 250_000
_FILL = "fill them in or drop such rows before the fit"
_SUFFIXES = {".parquet": "parquet", ".parq": "parquet", ".pq": "parquet", ".csv": "csv"}


@dataclass(repr=False)
class Parts:
    """A partitioned table opened with :func:`parts`. Rows are not kept in memory; every pass rereads them.

    Parameters
    ----------
    items : list of Part
        Parts of the table, each with its name, first row and number of rows.
    n_features : int
    dtype : dtype
        float32 if all columns are float32 or float16, otherwise float64.
    columns : tuple of str, optional
        Column names, or None for arrays.
    in_memory : bool
        Whether all passes run in this process, without Dask workers.
    counted : bool
        Whether the number of rows in every part is known.
    n_passes : int
        Number of passes so far.
    verbose : bool
        Show a progress bar during passes.
    far_share : float, optional
        Fraction of the rows that are far from all landmarks. ParetoClustering sets it in ``parts_``.
    """

    items: list[Part]
    n_features: int
    dtype: Any
    columns: tuple[str, ...] | None = None
    in_memory: bool = False
    counted: bool = True
    n_passes: int = 0
    verbose: bool = False
    far_share: float | None = None

    def __repr__(self) -> str:
        size = f"{self.n_rows} rows, {self.n_features} columns, {len(self.items)} parts"
        far = "" if self.far_share is None else f", {self.far_share:.2%} far rows"
        return f"Parts({size}, {self.n_passes} pass{'es' * (self.n_passes != 1)}{far})"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(part.n_rows for part in self.items)

    @property
    def _checks(self) -> tuple[Any, ...]:
        return self.columns, self.n_features, self.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.n_rows, self.n_features

    def map(
        self,
        function: Callable[..., Any],
        *args: Any,
        merge: Merge | None = None,
        only: Sequence[int] | None = None,
        description: str = "",
    ) -> Any:
        """Call ``function(rows, start, *args)`` for every part in tasks of the current Dask client.

        If there is no client, or if the table is an array in memory, this process reads the parts one by one.
        If a worker dies, its tasks run again on other workers. After a storage error, a part is read again,
        up to four times in total. Raises a ValueError if a part has changed or contains text or missing
        values, a FileNotFoundError if a file no longer exists, and a ChildProcessError if workers lack this
        package, have a different version of it, or die repeatedly.

        Parameters
        ----------
        function : callable
            ``rows`` has shape (n, n_features), and ``start`` is the index of the first row in the table.
        *args
            Additional arguments, which are sent to each worker once per pass.
        merge : callable, optional
            ``merge(a, b)`` combines two results. The final result should not depend on the order of merging.
        only : sequence of int, optional
            Positions of the parts to read. Default: all parts.
        description : str, default=""
            Label of the progress bar shown with ``verbose``.

        Returns
        -------
        object
            The merged result, or a list with one result per part if ``merge`` is None.
        """
        self.n_passes += 1
        return run_pass(
            partial(visit_part, self._checks),
            self.items if only is None else [self.items[i] for i in only],
            (function, *args),
            merge,
            client=None if self.in_memory else current_client(),
            description=description,
            verbose=self.verbose,
        )

    def rows(self, numbers: ArrayLike) -> NDArray[Any]:
        """In one pass, return the rows with the indices ``numbers``, in the order of ``numbers``."""
        given = np.asarray(numbers)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise TypeError(
                f"numbers must be a 1-d array of integers, got dtype {given.dtype} and shape {given.shape}"
            )
        chosen, places = np.unique(given, return_inverse=True)
        if not len(chosen):
            return np.empty((0, self.n_features), dtype=self.dtype)
        if chosen[0] < 0 or chosen[-1] >= self.n_rows:
            raise ValueError(f"numbers must be from 0 to {self.n_rows - 1}, got {chosen[0]} to {chosen[-1]}")
        last = np.searchsorted([part.start for part in self.items], chosen, side="right") - 1
        found = np.concatenate(self.map(_numbered, chosen, only=sorted({*last.tolist()}), description="rows"))
        return found[places.reshape(-1)]


@documented()
def parts(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    rows_per_part: int = ROWS_PER_PART,
) -> Parts:
    """Open a numeric table, which is read one part at a time and may therefore exceed memory.

    Opening a table reads only headers. The rows of CSV files, and of Dask collections of unknown length, are
    counted in one pass. The results of passes do not depend on how the rows are divided into parts. Raises a
    TypeError if ``source`` has an unsupported type, a ValueError if it contains text, has no rows, or has
    parts with different columns, a FileNotFoundError if no file matches, and a MissingPackageError if
    pyarrow, fsspec or Dask is required but not installed.

    Parameters
    ----------
    source : array, Dask collection, pyarrow Dataset, path-like, or sequence of path-likes
        NumPy, memory-mapped or Zarr array; Dask array or frame; Parquet or CSV files, given as a file,
        folder, glob or fsspec URL (``"s3://bucket/table/*.parquet"``). All workers need access to the files.
    columns : sequence of str, optional
        Columns to read from files and frames. Default: all columns. They must be numeric.
    drop : sequence of str, default=()
        Columns of files and frames to exclude.
    rows_per_part : int, default=250000
        Maximum number of rows per part for arrays and Parquet files. Row groups, CSV files and Dask
        partitions are never split.

    Examples
    --------
    >>> from moo_clustering.parts import parts
    >>> table = parts(np.arange(12.0).reshape(6, 2), rows_per_part=4)
    >>> table.shape, table.map(lambda rows, start: float(rows.sum()), merge=lambda a, b: a + b)
    ((6, 2), 66.0)
    """
    integer("rows_per_part", rows_per_part)
    columns = None if columns is None else names_of(columns, "columns")
    drop = () if drop is None else names_of(drop, "drop")
    if isinstance(source, Parts):
        if columns is not None or drop:
            raise ValueError("columns and drop must be omitted if source is already a partitioned table")
        return source
    paths = source if isinstance(source, list | tuple) else [source]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        found = _of_fragments(_fragments([os.fspath(path) for path in paths]), columns, drop, rows_per_part)
    elif hasattr(source, "get_fragments"):
        found = _of_fragments(list(source.get_fragments()), columns, drop, rows_per_part)
    elif hasattr(source, "to_delayed") and hasattr(source, "dask"):
        found = _of_dask(source, columns, drop)
    elif isinstance(source, np.ndarray) or type(source).__module__.partition(".")[0] == "zarr":
        if columns is not None or drop:
            raise ValueError("columns and drop apply only to files and frames; index the array instead")
        found = _of_array(source, rows_per_part)
    else:
        refuse_frames(source, "source")
        raise TypeError(f"source must be {_ALLOWED}, got {quoted(source)}")
    known = [part.n_rows for part in found.items]
    sizes = known if found.counted else found.map(_count, description="counting rows")
    start, kept = 0, []
    for part, n in zip(found.items, sizes, strict=True):
        if n:
            kept.append(part._replace(start=start, n_rows=n))
            start += n
    if not kept or not found.n_features:
        found_shape = f"{start} rows and {found.n_features} columns"
        raise ValueError(f"source must have at least one row and one column, got {found_shape}")
    return replace(found, items=kept, counted=True)


def _selected(
    names: Sequence[str],
    columns: Sequence[str] | None,
    drop: Sequence[str],
    where: str,
    others: Set[str] = frozenset(),
) -> tuple[str, ...]:
    """Return the columns to read.

    Raises a ValueError if a column to read is not in ``names``, or if a dropped column is neither in
    ``names`` nor in ``others``.
    """
    for name in (*(columns or ()), *(name for name in drop if name not in others)):
        if name not in names:
            raise ValueError(
                f"{where} lacks column {name!r}; it has {quoted(list(names))}{did_you_mean(name, names)}"
            )
    return tuple(name for name in (names if columns is None else columns) if name not in drop)


def _of_array(source: Any, rows_per_part: int) -> Parts:
    if source.ndim != 2 or np.dtype(source.dtype).kind not in "biuf":
        raise ValueError(
            f"source must be a numeric 2-d array, got dtype {source.dtype} and shape {tuple(source.shape)}"
        )
    n, read, is_array = source.shape[0], partial(_slice, source), isinstance(source, np.ndarray)
    base: Any = source.base if isinstance(source, np.memmap) else None
    is_map = isinstance(base, mmap.mmap) and source.flags.c_contiguous
    if is_map:
        # Only the name and layout of the file are pickled, because workers memory-map the file themselves.
        read = partial(_mapped, source.filename, source.dtype, source.offset, source.shape)
    elif not is_array:
        # Parts consist of whole chunks, so that each chunk is read once.
        chunk = source.chunks[0]
        rows_per_part = max(rows_per_part // chunk, 1) * chunk
    bounds = [(low, min(n, low + rows_per_part)) for low in range(0, n, rows_per_part)]
    items = [Part(f"of rows {a} to {b - 1}", a, b - a, partial(read, a, b)) for a, b in bounds]
    return Parts(items, source.shape[1], _dtype_of([source.dtype]), in_memory=is_array and not is_map)


def _slice(source: Any, low: int, high: int) -> NDArray[Any]:
    return np.asarray(source[low:high])


def _mapped(name: str, dtype: Any, offset: int, shape: Any, low: int, high: int) -> NDArray[Any]:
    if os.path.getsize(name) < offset + np.dtype(dtype).itemsize * shape[0] * shape[1]:
        raise ValueError(f"the memory-mapped file {name} was truncated; write it and map it again")
    return np.memmap(name, dtype, "r", offset, shape)[low:high]


def _of_dask(source: Any, columns: Sequence[str] | None, drop: Sequence[str]) -> Parts:
    names: tuple[str, ...] | None = None
    if hasattr(source, "dtypes"):
        if columns is not None or drop:
            source = source[list(_selected(list(source.columns), columns, drop, "the frame"))]
        names = tuple(map(str, source.columns))
        for name, kind in zip(names, source.dtypes, strict=True):
            if getattr(kind, "kind", "O") not in "biuf":
                raise ValueError(_text_fault(name, f"type {kind}", "the frame"))
        dtype, delayed = _dtype_of(source.dtypes), source.to_delayed()
        sizes: Any = (np.nan,)
    else:
        if columns is not None or drop or source.ndim != 2 or source.dtype.kind not in "biuf":
            raise ValueError(
                "source must be a numeric 2-d Dask array without columns and drop, got "
                f"{source.ndim} dimensions, dtype {source.dtype} and columns={quoted(columns)}"
            )
        source = source.rechunk({1: -1})
        dtype, sizes = _dtype_of([source.dtype]), source.chunks[0]
        delayed = source.to_delayed().ravel().tolist()
    counted = not np.isnan(sizes).any()
    items = [Part(str(i), 0, sizes[i] if counted else 0, delayed=one) for i, one in enumerate(delayed)]
    return Parts(items, source.shape[1], dtype, names, counted=counted)


def _fragments(paths: list[str]) -> list[Any]:
    fsspec = optional_package("fsspec", "parquet", "reading files in parts")
    arrow = optional_package("pyarrow.dataset", "parquet", "reading files in parts")
    files: list[str] = []
    for path in paths:
        try:
            fs, root = fsspec.core.url_to_fs(path)
        except (ImportError, ValueError) as error:
            raise ValueError(f"cannot open {quoted(path)}: {error}") from error
        if fs.isdir(root):
            found = [file for file in sorted(fs.find(root)) if os.path.splitext(file)[1].lower() in _SUFFIXES]
        elif has_magic(root) and not fs.exists(root):
            found = sorted(fs.glob(root))
        else:
            found = [root] if fs.exists(root) else []
        files += (found := [file for file in found if not os.path.basename(file).startswith(("_", "."))])
        if not found:
            what = "found no Parquet or CSV file in" if fs.isdir(root) else "no file matches"
            hidden = "files whose names begin with _ or . are ignored"
            raise FileNotFoundError(f"{what} {quoted(path)}; check the path or glob ({hidden})")
    kinds = {_SUFFIXES.get(os.path.splitext(file)[1].lower(), "") for file in files}
    if len(kinds) > 1 or "" in kinds:
        raise ValueError(
            f"files must all have the suffix .parquet or all .csv, got {quoted(os.path.basename(files[0]))} "
            f"to {quoted(os.path.basename(files[-1]))}"
        )
    kind: Any = kinds.pop()
    try:
        first = arrow.dataset(files[:1], filesystem=fs, format=kind).schema
        if kind == "csv":
            # Integer columns are read as floats, because later rows may contain decimal fractions.
            numbers = {one.name: "float64" for one in first if str(one.type) in ("int64", "double", "null")}
            options = optional_package("pyarrow.csv", "parquet", "CSV").ConvertOptions(column_types=numbers)
            kind = arrow.CsvFileFormat(convert_options=options)
        return list(arrow.dataset(files, filesystem=fs, format=kind).get_fragments())
    except ValueError as error:
        raise _unreadable(files[0], fs, error) from error


def _of_fragments(
    fragments: list[Any], columns: Sequence[str] | None, drop: Sequence[str], rows_per_part: int
) -> Parts:
    with named_losses(), ThreadPoolExecutor(8) as pool:  # reads only the file headers
        schemas = list(pool.map(_schema, fragments))
    if not fragments:
        raise ValueError("source contains no files")
    of_index = "__index_level_"
    names = [[name for name in schema.names if not name.startswith(of_index)] for schema in schemas]
    first = f"part {os.path.basename(fragments[0].path)}"
    wanted = _selected(names[0], columns, drop, first, {*chain(*names)})
    types: list[Any] = []
    items = []
    for fragment, schema, own in zip(fragments, schemas, names, strict=True):
        name = os.path.basename(fragment.path)
        lacking = [column for column in wanted if column not in own]
        known = own if columns is not None else (*wanted, *drop)
        extra = [column for column in own if column not in known]
        if lacking or extra:
            fault = f"lacks column {lacking[0]!r}" if lacking else f"has an additional column, {extra[0]!r}"
            said = f"part {name} {fault}; all parts must have the same columns: {quoted(list(wanted))}. "
            python = "Select the common columns with parts(..., columns=[...])"
            raise ValueError(Advice(said, python, f"Drop the column with --drop {(lacking or extra)[0]}"))
        for column in wanted:
            kind = schema.field(column).type
            try:
                type_of = np.dtype(kind.to_pandas_dtype())
            except (NotImplementedError, TypeError):
                type_of = np.dtype(object)
            if str(kind) == "null":
                raise ValueError(f"column {column!r} of part {name} has only missing values; {_FILL}")
            if type_of.kind not in "biuf":
                raise ValueError(_text_fault(column, f"type {kind}", f"part {name}"))
            types.append(type_of)
        items += _items_of(fragment, name, wanted, rows_per_part)
    return Parts(items, len(wanted), _dtype_of(types), wanted, counted=all(part.n_rows for part in items))


def _schema(fragment: Any) -> Any:
    try:
        return fragment.physical_schema
    except ValueError as error:
        raise _unreadable(fragment.path, fragment.filesystem, error) from error


def _unreadable(path: str, filesystem: Any, error: ValueError) -> ValueError:
    name, text = os.path.basename(path), re.search(r"CSV column #(\d+): .*(invalid value .*)", str(error))
    if text is None:
        reason = str(error).rsplit("': ", 1)[-1].removeprefix("Invalid: ").rstrip(".")
        return ValueError(f"part {name} cannot be read ({reason}); write the file again, or omit it")
    dataset = optional_package("pyarrow.dataset", "parquet", "reading files in parts").dataset
    names = dataset(path, filesystem=filesystem, format="csv").schema.names
    return ValueError(_text_fault(names[int(text[1])], text[2], f"part {name}"))


def _items_of(fragment: Any, name: str, columns: tuple[str, ...], rows_per_part: int) -> list[Part]:
    """Return the parts of a file. A Parquet file is split between row groups. A CSV file is one part."""
    stamp = _stamp(fragment)
    if not hasattr(fragment, "row_groups"):
        return [Part(name, 0, 0, partial(_read_fragment, fragment, columns, stamp))]
    items, group, size = [], [], 0
    groups, metadata = fragment.row_groups, fragment.metadata
    place_of = {metadata.schema.column(i).path: i for i in range(metadata.num_columns)}
    for i, one in enumerate(groups):
        for column in columns:
            known = metadata.row_group(one.id).column(place_of[column]).statistics
            if known is not None and known.has_null_count and known.null_count:
                raise ValueError(
                    f"column {column!r} of part {name} has missing values, {known.null_count} in row group "
                    f"{one.id}; {_FILL}"
                )
        group.append(one.id)
        size += one.num_rows
        if i + 1 == len(groups) or size + groups[i + 1].num_rows > rows_per_part:
            some = fragment.subset(row_group_ids=group)
            span = "" if len(group) == len(groups) else f", row groups {group[0]} to {group[-1]}"
            items.append(Part(name + span, 0, size, partial(_read_fragment, some, columns, stamp)))
            group, size = [], 0
    return items


def _stamp(fragment: Any) -> tuple[Any, ...]:
    """Return the size and modification time of a file, which reveal whether it was rewritten."""
    info = fragment.filesystem.get_file_info(fragment.path)
    if info.type.name == "NotFound":
        raise FileNotFoundError(
            f"file {fragment.path} no longer exists, or is not visible to the process that reads it"
        )
    return info.size, info.mtime_ns


def _read_fragment(fragment: Any, columns: tuple[str, ...], stamp: tuple[Any, ...]) -> Any:
    if _stamp(fragment) != stamp:
        raise ValueError(f"file {fragment.path} has changed since it was opened; call parts again")
    try:
        return fragment.to_table(schema=fragment.physical_schema, columns=list(columns), use_threads=False)
    except ValueError as error:
        raise _unreadable(fragment.path, fragment.filesystem, error) from error


def visit_part(
    checks: tuple[Any, ...], part: Part, rows: Any, function: Callable[..., Any], *args: Any
) -> Any:
    """Read and check the rows of a part, and pass them to a function."""
    columns, n_features, dtype = checks
    try:
        found: Any = part.read() if part.read is not None else rows
        table = _as_array(found, columns, dtype)
    except ValueError as error:
        if f"part {part.name} " in str(error):
            raise
        raise ValueError(f"part {part.name}: {error}") from error
    if part.n_rows not in (0, len(table)):
        raise ValueError(
            f"part {part.name} has {len(table)} rows, but had {part.n_rows} when it was opened; the data "
            "must not change between passes"
        )
    if table.shape[1:] != (n_features,):
        raise ValueError(f"part {part.name} has {table.shape[1]} columns, but other parts have {n_features}")
    finite = np.isfinite(table)
    if not finite.all():
        row, place = np.argwhere(~finite)[0].tolist()
        name = repr(columns[place]) if columns else place
        raise ValueError(
            f"column {name} of part {part.name} has missing or infinite values, the first in row {row} of "
            f"the part; {_FILL}"
        )
    return function(table, part.start, *args)


def _as_array(found: Any, columns: tuple[str, ...] | None, dtype: Any) -> NDArray[Any]:
    if columns is None:
        return np.ascontiguousarray(found, dtype=dtype)
    is_frame = hasattr(found, "iloc")
    names = [str(name) for name in (found.columns if is_frame else found.column_names)]
    if names != list(columns):
        raise ValueError(f"its columns are {quoted(names)}, but other parts have {quoted(list(columns))}")
    table = np.empty((len(found), len(columns)), dtype=dtype)
    for place in range(len(columns)):
        column = found.iloc[:, place] if is_frame else found.column(place)
        table[:, place] = column.to_numpy(dtype=dtype, na_value=np.nan) if is_frame else column.to_numpy()
    return table


def _count(rows: NDArray[Any], start: int) -> int:
    return len(rows)


def _numbered(rows: NDArray[Any], start: int, numbers: NDArray[Any]) -> NDArray[Any]:
    return rows[numbers[slice(*np.searchsorted(numbers, [start, start + len(rows)]))] - start]


def _dtype_of(types: Any) -> Any:
    kinds = [np.dtype(getattr(kind, "numpy_dtype", kind)) for kind in types]
    return np.dtype(np.float32 if all(k.kind == "f" and k.itemsize <= 4 for k in kinds) else np.float64)


def _text_fault(column: str, what: str, where: str) -> str:
    advice = "select numeric columns with parts(..., columns=[...])", f"drop it with --drop {column}"
    others = (f"{one}, or encode text as numbers" for one in advice)
    return Advice(f"column {column!r} of {where} is not numeric ({what}); ", *others)
