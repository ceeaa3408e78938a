"""Validation of input arrays, tables and graphs. Ambiguous values raise errors instead of being converted."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import quoted, row_sizes, warn_caller

FLOATS = [np.float64, np.float32]
# Integer types for which kernels are compiled. Arrays of other integer types are converted to int64.
_INTEGERS = (np.int32, np.int64, np.intp, np.uint8, np.uint16)
_SHOWN = 5
# _GATHERED is the maximum size in bytes of a Dask or Zarr table that is converted to an array, for estimators
# without ``max_memory``. _GIB_PER_MILLION is the memory in GiB that some estimators use per million rows of
# 10 features (docs/scale.md).
_GATHERED, _GIB_PER_MILLION = 2**32, {"PESC": 1.4, "NSGA2Clus": 1.2, "MOCK": 0.7}


def unmasked(data: Any, name: str) -> Any:
    """Return the data without a mask; raise a TypeError if any value is masked."""
    # NumPy and scikit-learn ignore masks, and would therefore use masked values.
    if isinstance(data, np.ma.MaskedArray):
        if np.ma.is_masked(data):
            raise TypeError(f"{name} is a masked array; fill in or remove its masked values")
        data = np.ma.getdata(data)
    if isinstance(data, np.ndarray) and data.dtype.names:
        raise TypeError(f"{name} must be an array of a single dtype, got a structured array")
    if isinstance(data, list | tuple) or (isinstance(data, np.ndarray) and data.dtype == object):
        for item in data.ravel() if isinstance(data, np.ndarray) else data:
            if isinstance(item, list | tuple | np.ndarray):
                unmasked(item, name)
    return data


def checked_container(data: Any, name: str, allowed: str = "") -> Any:
    """Check that data are an array, a data frame or a list, and return them without a mask."""
    # ``allowed`` describes the accepted tables. If it is empty, Series and arrays of any dimension are
    # accepted.
    data, advice = of_annotated(data, "sparse" in allowed), ""
    first = data[0] if isinstance(data, list | tuple) and data else data
    if allowed and isinstance(data, str | PathLike):
        advice = "; read it with pandas.read_csv or open it with moo_clustering.parts.parts first"
    elif allowed and isinstance(first, Mapping) and not issparse(data):
        advice = "; convert a list of rows with pandas.DataFrame(rows)"
    elif allowed and hasattr(data, "iloc") and data.ndim == 1:
        advice = "; select a row with frame.iloc[[0]], or a column with frame[[name]]"
    elif allowed and hasattr(data, "adjacency") and hasattr(data, "nodes"):
        advice = "; ICLClustering(model='sbm') clusters graphs"
    elif allowed and hasattr(data, "collect") and not hasattr(data, "__array__"):
        advice = "; load it with .collect() first"
    rows = isinstance(data, list | tuple) or (getattr(data, "ndim", 0) == 1 and not issparse(data))
    if allowed and rows and len(data) and isinstance(next(iter(data)), str):
        advice += "; convert texts with scikit-learn's TfidfVectorizer or moo_clustering.datasets.embed"
    is_other = isinstance(data, str | bytes | Mapping | Set | Iterator | type) and not issparse(data)
    if advice or data is None or is_other:
        given = "a Series" if hasattr(data, "iloc") else quoted(data)
        given = "a networkx graph" if hasattr(data, "adjacency") else given
        raise TypeError(f"{name} must be {allowed or 'an array or a list'}, got {given}{advice}")
    if hasattr(data, "iloc") and data.ndim == 2 and not data.columns.is_unique:
        twice = data.columns[data.columns.duplicated()][0]
        raise ValueError(f"{name} must have unique column names, got {quoted(twice)} more than once")
    return unmasked(data, name)


def checked_array(
    data: Any, name: str, dtype: Any = None, *, ndim: tuple[int, ...] = (), finite: bool = True
) -> NDArray[Any]:
    """Convert data to a dense array, and check its type and number of dimensions."""
    # If ``dtype`` (a type or a list of types) is given, the data must be real numbers. If their type is not
    # in the list, they are converted to the first type. With ``finite``, they must also be finite.
    given = checked_container(data, name)
    if issparse(given):
        raise TypeError(f"{name} must be a dense array, got a sparse array; convert it with .toarray()")
    try:
        found = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name} must be an array, but its rows differ in length") from error
    if found.ndim == 0 and found.dtype == object:
        raise TypeError(f"{name} must be an array or a list, got {quoted(data)}")
    if ndim and found.ndim not in ndim:
        allowed = " or ".join(map(str, ndim)) + (" dimension" if ndim == (1,) else " dimensions")
        raise ValueError(f"{name} must have {allowed}, got an array of shape {found.shape}")
    if dtype is None:
        # Convert float16, because the limits of later checks would overflow in half precision.
        return found.astype(np.float64) if found.dtype.newbyteorder("=") == np.float16 else found
    types = dtype if isinstance(dtype, list) else [dtype]
    if found.dtype not in types:
        found = _real(found, name, types[0])
    if finite and found.dtype.kind == "f" and not np.isfinite(found).all():
        place = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ValueError(f"{name} must be finite numbers, got {found[tuple(place)]} at {place}")
    return found


def checked_weights(weights: Any, n_samples: int) -> NDArray[np.float64]:
    found = checked_array(weights, "sample_weight", np.float64, ndim=(1,))
    if len(found) != n_samples:
        raise ValueError(f"sample_weight must have {n_samples} weights, one per sample, got {len(found)}")
    if (least := float(found.min(initial=1.0))) <= 0.0:
        raise ValueError(f"sample_weight must be positive, got {least:g}; omit samples of weight zero")
    return found


def require_same_samples(what: str, n_first: int, n_second: int) -> None:
    if n_first != n_second:
        raise ValueError(f"{what} must have the same number of samples, got {n_first} and {n_second}")


def _real(found: NDArray[Any], name: str, dtype: Any) -> NDArray[Any]:
    try:
        if found.dtype.kind in "biufO" and not _holds_dates(found):
            return found.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        pass
    # NumPy derives durations from integers, so Python considers them real numbers.
    dates: Any = np.timedelta64
    others = (one for one in found.ravel().tolist() if not isinstance(one, Real) or isinstance(one, dates))
    other = next(others, found.dtype.name)
    raise TypeError(f"{name} must be real numbers, got {quoted(other)}")


def checked_amounts(data: Any, name: str, kind: str = "sample") -> NDArray[np.float64]:
    found: NDArray[np.float64] = checked_array(data, name, np.float64, ndim=(1,)).copy()
    if (found < 0).any():
        i = int((found < 0).argmax())
        raise ValueError(f"{name} must be non-negative, got {found[i]:g} for {kind} {i}")
    largest = found.max(initial=0.0)
    if largest > np.finfo(np.float64).max / len(found):
        raise ValueError(f"{name} must have a finite sum, got values up to {largest:g}; use a larger unit")
    return found


def checked_integers(data: Any, name: str, hint: str = "", *, ndim: tuple[int, ...] = ()) -> NDArray[Any]:
    """Convert data to an array of integers. Floating-point values are accepted if they are whole numbers."""
    found = checked_array(data, name, ndim=ndim)
    if found.dtype.kind == "O":
        found = checked_array(found.tolist(), name)
    if found.dtype in _INTEGERS:
        return found
    if found.dtype.kind in "iu" and found.max(initial=0) < 2**63:
        return found.astype(np.int64)
    if found.dtype.kind != "f":
        odd = next((one for one in found.ravel().tolist() if type(one) is not int), found.dtype.name)
        raise TypeError(f"{name} must be integers, got {quoted(odd)}{hint}")
    # Reject numbers above 2^53, because float64 cannot represent all integers above this limit.
    wrong = np.argwhere(~((np.abs(found) <= 2.0**53) & (found == np.floor(found))))
    if len(wrong):
        where = ", ".join(str(place) for place in wrong[0])
        raise ValueError(f"{name} must be integers, got {found[tuple(wrong[0])]} at [{where}]{hint}")
    return found.astype(np.int64)


def checked_table(
    X: Any, name: str = "X", *, dtype: Any = np.float64, features: bool = True, **options: Any
) -> Any:
    """Check a numeric table of shape (n_samples, n_features) with scikit-learn's ``check_array``."""
    # ``options`` are passed to ``check_array``. A sparse result has no duplicate entries. If ``features`` is
    # True, errors name the invalid columns; otherwise, X contains distances or similarities.

    def check(X: Any) -> Any:
        return check_array(X, dtype=dtype, input_name=name, **options)

    return _numbers(name, X, name, check, kind="table" if features else "distances")


def checked_graph(S: Any, name: str = "S", *, symmetric: bool = True) -> Any:
    """Check that a graph is square, finite, non-negative and, if ``symmetric`` is True, symmetric."""
    # The graph is a dense or sparse matrix. A sparse result is in CSR format, has no duplicate entries or
    # stored zeros, and may share memory with ``S``.
    matrix = checked_table(S, name, features=False, accept_sparse="csr")
    if matrix.shape[0] != matrix.shape[1]:
        what = "a square matrix of similarities between all samples"
        raise ValueError(f"{name} must be {what}, got shape {matrix.shape}")
    entries = matrix.data if issparse(matrix) else matrix
    lowest, largest = float(entries.min(initial=0.0)), float(entries.max(initial=0.0))
    if lowest < 0.0:
        raise ValueError(f"{name} must be non-negative, got {lowest:g}")
    if symmetric and (issparse(matrix) or not np.array_equal(matrix, matrix.T)):
        asymmetry = float(abs(matrix - matrix.T).max())
        # Tolerate differences between S[i, j] and S[j, i] of up to 1e-8 times the largest entry.
        if asymmetry > 1e-8 * largest:
            remedy = f"use graphs.symmetrize({name}), which selects the larger of two entries"
            fault = f"must be symmetric, but differs from {name}.T by {asymmetry:g}"
            raise ValueError(f"{name} {fault}; {remedy}")
    if not issparse(matrix):
        return matrix
    graph = csr_array(matrix)
    if not graph.data.all():
        # Remove stored zeros, because SciPy's graph routines treat them as edges.
        graph = graph.copy()
        graph.eliminate_zeros()
    return graph


def numeric_features(estimator: Any, X: Any, *, dtype: Any = np.float64, **options: Any) -> Any:
    """Check that X is numeric, and set the feature names and the number of features of the estimator."""
    # Errors name the columns that contain text, dates or empty cells, and explain how to convert them.
    # ``options`` are passed to scikit-learn's ``validate_data``.
    if not options.get("reset", True):
        check_is_fitted(estimator)
    refuse_frames(X)
    X = of_annotated(X, bool(options.get("accept_sparse")))
    owner, is_fit = type(estimator).__name__, options.get("reset", True)
    _check_gathered(owner, X, getattr(estimator, "max_memory", None) or _GATHERED, is_fit)
    single = isinstance(dtype, type | np.dtype) and np.dtype(dtype) == np.float32
    # Fix the memory layout, because the order in which values are added affects the last bits of results.
    options = {"dtype": FLOATS if single else dtype, "order": "C", **options}
    labels = list(X.columns) if hasattr(X, "iloc") and hasattr(X, "columns") else None
    known = labels if options.get("reset", True) else vars(estimator).get("_labels_in")
    if labels != known and comparable_labels(labels, known):
        raise ValueError(f"X must have the columns of the fit in the same order, {known}, got {labels}")
    metric = str(getattr(estimator, "metric", None))
    kind = {"precomputed": "distances", "cosine": "directions"}.get(metric, "table")
    found = _numbers(owner, X, "X", lambda X: validate_data(estimator, X, **options), kind=kind)
    # scikit-learn compares column names only if they are strings. Other labels are therefore stored here.
    vars(estimator).pop("_labels_in", None)
    if known is not None and not all(isinstance(label, str) for label in known):
        estimator._labels_in = known
    if single and found.dtype != np.float32:
        largest = float(row_sizes(found).max(initial=0.0))
        # Beyond these limits, the largest value would overflow, or much smaller values would underflow.
        if largest > float(np.finfo(np.float32).max) or 0 < largest < 1e-30:
            size = "large" if largest > 1 else "small"
            limit = f"up to {largest:g} in absolute value; rescale it, or use float64"
            raise ValueError(f"X has values too {size} for dtype='float32', {limit}")
        found = found.astype(np.float32)
    if is_fit and metric not in ("None", "precomputed"):
        _warn_of_distances(estimator, found)
    return found


def _warn_of_distances(estimator: Any, X: Any) -> None:
    if issparse(X) or X.shape[0] != X.shape[1] or len(X) < 5 or X.diagonal().any():
        return
    if np.count_nonzero(X) < X.size - len(X) or X.min() < 0.0 or not np.allclose(X, X.T):
        return
    try:
        clone(estimator).set_params(metric="precomputed")._validate_params()
    except ValueError:
        return  # the estimator does not accept distances
    advice = "set metric='precomputed' to use the distances"
    warn_caller(f"X looks like a distance matrix, but its columns are used as features; {advice}")


def is_partitioned(X: Any) -> bool:
    """Return whether X is a partitioned table, a Dask collection or a Zarr array, which may exceed memory."""
    dask = hasattr(X, "to_delayed") and hasattr(X, "dask")
    return dask or hasattr(X, "n_passes") or type(X).__module__.partition(".")[0] == "zarr"


def refuse_frames(X: Any, name: str = "X") -> None:
    if isinstance(X, list | tuple) and any(hasattr(item, "columns") for item in X):
        raise TypeError(
            f"{name} must be one table, got a list of {len(X)} data frames; pass Bags.from_list({name}) if "
            f"they are bags, or pandas.concat({name}) or dask.dataframe.concat({name}) if they are "
            "partitions of one table"
        )


def _check_gathered(owner: str, X: Any, max_memory: int, is_fit: bool) -> None:
    if not is_partitioned(X):
        return
    memory = memory_of_rows(owner, X.shape[1])
    fault = f"{owner} requires all rows in the memory of one machine{memory}"
    if not hasattr(X, "n_passes"):
        # Dask counts the rows of a frame only when ``len`` is called.
        needed = 8 * (len(X) if hasattr(X, "dtypes") else X.shape[0]) * X.shape[1]
        if needed <= max_memory:
            return
        limit = f"{max_memory / 2**30:.3g} GiB"
        fault += f", and the table alone takes {needed / 2**30:.3g} GiB (limit: {limit})"
    if owner == "ParetoClustering":
        advice = "omit the options that do not support partitioned tables, or fit a sample"
    elif is_fit:
        advice = f"fit ParetoClustering, which supports partitioned tables, or {owner} on its landmarks_"
    else:
        advice = "pass a sample of the rows"
    raise ValueError(f"{fault}; {advice}")


def memory_of_rows(owner: str, n_features: int = 0) -> str:
    table, known = 8e6 * n_features / 2**30, _GIB_PER_MILLION.get(owner)
    if known is None:
        return f", more than {table:.2g} GiB per million rows" if n_features else ""
    return f", about {max(known, table):.2g} GiB per million rows"


def as_frame(table: Any, least_rows: int = 1) -> tuple[Any, list[Any] | None]:
    """Convert a table to a DataFrame with string labels. Also return the original column labels."""
    # For an array, which has no labels, the second value is None.
    import pandas as pd  # imported here, because pandas loads slowly

    table = of_annotated(table, may_be_sparse=False)
    if isinstance(table, pd.DataFrame):
        return table.set_axis([str(name) for name in table.columns], axis=1), list(table.columns)
    if hasattr(table, "to_pandas") and not isinstance(table, pd.Series):  # tables of polars and pyarrow
        return as_frame(table.to_pandas())
    if issparse(table):
        raise TypeError("X must be dense; sparse data need no preparation, as all columns are numeric")
    table = checked_array(checked_container(table, "X", "an array or a data frame"), "X")
    array = check_array(table, dtype=None, ensure_all_finite=False, ensure_min_samples=least_rows)
    return pd.DataFrame(array, columns=[f"x{place}" for place in range(array.shape[1])]), None


def comparable_labels(labels: Sequence[Any] | None, known: Sequence[Any] | None) -> bool:
    """Return whether to match the columns of two tables by label rather than by position."""
    # ``None`` stands for an array, which has no labels. If only one table has the labels 0, 1, ..., these
    # labels are treated as positions, unless the tables share a label.
    if labels is None or known is None:
        return False
    first, second = (list(each) == list(range(len(each))) for each in (labels, known))
    return first is second or not {*map(str, labels)}.isdisjoint(map(str, known))


def _numbers(owner: str, X: Any, name: str, check: Callable[[Any], Any], *, kind: str = "table") -> Any:
    """Convert a table with ``check``. Errors name the invalid columns and suggest a remedy."""
    # ``kind`` is "distances", "directions" (rows that are compared by cosines) or "table" (other features).
    mapped = getattr(X, "_mmap", None)
    if mapped is not None and mapped.size() < len(mapped):
        found = f"it has {mapped.size()} of {len(mapped)} bytes; write the file and map it again"
        raise ValueError(f"the memory-mapped file {X.filename} was truncated: {found}")
    X = checked_container(X, name, "an array, a data frame or a sparse matrix")
    if isinstance(X, list | tuple):
        X = checked_array(X, name)
    if hasattr(X, "iloc") and hasattr(X, "sparse") and any(dtype.fill_value != 0 for dtype in X.dtypes):
        # scikit-learn converts sparse frames only if their fill value is 0.
        X = X.sparse.to_dense()
    try:
        if not issparse(X) and (dates := _dates(X)):
            # Without this error, NumPy would convert dates to numbers of nanoseconds.
            raise TypeError(f"{name} must contain numbers, got dates or times: {', '.join(dates[:_SHOWN])}")
        found = check(X)
        if found.dtype.kind not in "biuf":
            raise TypeError(f"{name} must contain real numbers, got values of type {found.dtype}")
        return without_duplicates(found)
    except MemoryError as error:
        shape = np.shape(X)
        raise MemoryError(
            f"{owner} requires a float64 copy of {name} with shape {shape} and size "
            f"{8 * math.prod(shape) / 2**30:.3g} GiB, which exceeds the free memory; pass fewer "
            "samples, or a C-contiguous float64 array, which is not copied"
        ) from error
    except OverflowError as error:
        raise ValueError(
            f"Input {name} contains infinity or a value too large: an integer that float64 cannot "
            f"represent; use {_remedy(owner, name)} to treat it as missing and fill it in"
        ) from error
    except (TypeError, ValueError) as error:
        # If an object in an array is neither a number nor a string, scikit-learn raises a TypeError. In this
        # case, the columns are not inspected.
        objects = isinstance(error, TypeError) and not hasattr(X, "iloc") and not _dates(X)
        read = kind != "distances" and not (issparse(X) or objects)
        problem = _problem(owner, name, X, kind == "directions" and not is_frame(X)) if read else ""
        if problem:
            raise ValueError(problem) from error
        if "toarray" in str(error) and hasattr(X, "iloc"):
            raise TypeError(f"{name} must be dense; use {name}.sparse.to_dense()") from error
        if "argument must be" in str(error):
            raise TypeError(f"{name} must be a table of numbers: {error}") from error
        # If the data are not a table of numbers, NumPy's error message contains one of these phrases.
        if any(phrase in str(error) for phrase in ("could not convert", "setting an array element")):
            raise ValueError(f"{name} must be a table of numbers, in rows of equal length") from error
        raise


def _dates(X: Any) -> list[str]:
    """Return the names of columns of dates or times; for an array that contains dates, return ["array"]."""
    if hasattr(X, "iloc"):
        columns = [(name, X.iloc[:, place]) for place, name in enumerate(X.columns)] if X.ndim == 2 else []
        return [f"column {name!r}" for name, column in columns if _holds_dates(column)]
    return ["array"] if hasattr(X, "__array__") and _holds_dates(np.asarray(X)) else []


def _holds_dates(values: Any) -> bool:
    kind = getattr(values.dtype, "kind", "O")
    items = np.asarray(values).flat if kind == "O" else ()
    return kind in "mM" or any(isinstance(item, np.datetime64 | np.timedelta64) for item in items)


def _problem(owner: str, name: str, X: Any, directions: bool) -> str:
    """Describe the columns with invalid values, and suggest a remedy. Return "" if there are none."""
    others, missing, infinite = _others(X)
    remedy = f"use {_remedy(owner, name)}"
    if others:
        return (
            f"{owner} requires numbers, but found other values in {', '.join(others)}; "
            f"{remedy} to convert text, dates and units to features, drop such columns, or use "
            "FuzzyModesMOGA, which compares categories"
        )
    if not (fault := missing or infinite):
        return ""
    kind = "NaN" if missing else "infinity or a value too large"
    does = "to fill in missing values" if missing else "to treat them as missing values and fill them in"
    # Do not suggest standardising embeddings, because this would change their directions.
    remedy = "drop these rows, or compute them again" if directions else f"{remedy} {does}"
    return f"Input {name} contains {kind}: {', '.join(fault)}; {remedy}"


def _remedy(owner: str, name: str) -> str:
    """Return code for an error message that shows how to convert a table to numbers."""
    once = "moo_clustering.datasets.prepare_table(frame).X"
    if owner == name:
        return once
    return f"make_pipeline(moo_clustering.datasets.TablePreparer(), {owner}(...)), or {once} for one fit,"


def _others(X: Any) -> tuple[list[str], list[str], list[str]]:
    """Describe the columns with non-numeric, with missing and with infinite values, in three lists."""
    import pandas as pd  # imported here, because pandas loads slowly and few tables need it

    frame = hasattr(X, "iloc")
    table: Any = X if frame else np.asarray(X)
    if table.ndim != 2 or not table.size or getattr(table, "dtype", None) in (np.complex64, np.complex128):
        return [], [], []
    others, missing, infinite = [], [], []
    for place in range(table.shape[1]):
        column = pd.Series(table.iloc[:, place] if frame else table[:, place])
        name = f"column {X.columns[place]!r}" if frame else f"column {place}"
        if column.dtype.kind not in "fiub":
            other = next((value for value in column.astype(object) if not _is_number(value)), None)
            if other is not None:
                others.append(f"{name} (such as {str(other) if isinstance(other, np.str_) else other!r})")
                continue
        if n := int(column.isna().sum()):
            first = int(column.isna().to_numpy().argmax())
            missing.append(f"{name} has {n}, the first in row {first}")
        elif column.dtype.kind == "f" and not np.isfinite(column.to_numpy(np.float64)).all():
            infinite.append(f"{name}, row {int((~np.isfinite(column.to_numpy(np.float64))).argmax())}")
    return others[:_SHOWN], missing[:_SHOWN], infinite[:_SHOWN]


def _is_number(value: Any) -> bool:
    import pandas as pd

    if isinstance(value, complex | np.complexfloating) or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def holds_tables(X: Any) -> bool:
    """Return whether the items of X are tables, as in a list of bags, rather than rows of numbers."""
    if isinstance(X, np.ndarray):
        nested = X.ndim == 1 and X.dtype == object and any(np.ndim(item) == 2 for item in X)
        return X.ndim == 3 or nested

    def is_table(item: Any) -> bool:
        if isinstance(item, list | tuple):
            return len(item) > 0 and isinstance(item[0], list | tuple | np.ndarray)
        return getattr(item, "ndim", 0) == 2

    return isinstance(X, list | tuple) and any(map(is_table, X))


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas frame with dense columns, or a polars, pyarrow or AnnData table."""
    # Do not import pandas, because this would be slow. If X is a data frame, pandas is already imported.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return not any(isinstance(dtype, pandas.SparseDtype) for dtype in X.dtypes)
    return hasattr(X, "to_pandas") or hasattr(X, "to_df")


def of_annotated(X: Any, may_be_sparse: bool) -> Any:
    """Return the table of an AnnData object as a frame or, if ``may_be_sparse``, as a sparse matrix."""
    if not (hasattr(X, "to_df") and hasattr(X, "var_names")):
        return X
    X = X.to_memory() if X.isbacked else X
    return X.X if may_be_sparse and issparse(X.X) else X.to_df()


def geometry_of(X: Any) -> Any:
    return getattr(X, "geometry", None) if is_frame(X) else None


def without_duplicates(X: Any) -> Any:
    """Sum the duplicate entries of a sparse matrix in a copy; return other data unchanged."""
    if not issparse(X) or getattr(X, "has_canonical_format", True):
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def warn_of_lengths(X: Any, rows: str = "rows of X") -> None:
    sizes = row_sizes(X)
    if n_zero := int((sizes == 0.0).sum()):
        why = "so their directions are undefined and their clusters meaningless; remove them"
        warn_caller(f"{n_zero} of {len(sizes)} {rows} contain only zeros, {why}")
    sizes = sizes[sizes > 0.0]
    if not issparse(X) and len(sizes) and sizes.max() / 1000.0 > sizes.min():
        warn_caller(
            f"the largest absolute values in {rows} range from {sizes.min():.3g} to {sizes.max():.3g}; "
            'metric="cosine" ignores vector lengths, so check that all rows come from the same model'
        )
