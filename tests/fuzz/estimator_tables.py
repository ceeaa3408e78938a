"""Strategies of tables: odd numbers, types, layouts, containers and sparse matrices among good ones."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import strategies as st


def mostly(good: Any, *odd: Any) -> st.SearchStrategy[Any]:
    """Seven times in eight what is good; else one of the odd ones."""
    return st.integers(0, 7).flatmap(lambda draw: good if draw < 7 else st.one_of(*odd))


ROWS = mostly(st.integers(8, 30), st.integers(0, 7))
COLUMNS = mostly(st.integers(2, 5), st.integers(0, 1))
ODD_KINDS = (
    "constant column",
    "constant",
    "zero",
    "huge",
    "large",
    "tiny",
    "denormal",
    "mixed",
    "offset",
    "nan",
    "inf",
    "one huge",
    "zero row",
    "two values",
    "negative",
)


def _good(kind: str, rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    if kind == "weights":
        return rng.poisson(1.0, (n, d)) * rng.uniform(0.2, 1.0, d)
    if kind == "presence":
        return rng.integers(0, 2, (n, d)).astype(float)
    if kind == "categories":
        return rng.integers(0, 3, (n, d)).astype(float)
    return rng.normal(size=(n, d)) + 6.0 * rng.integers(0, 3, n)[:, None]


def _spoilt(values: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    if not values.size:
        return values
    row, column = rng.integers(values.shape[0]), rng.integers(values.shape[1])
    if kind == "constant column":
        values[:, column] = 3.7
    elif kind in ("constant", "zero"):
        values[:] = 0.1 if kind == "constant" else 0.0
    elif kind in ("huge", "large", "tiny", "denormal"):
        values *= {"huge": 1e300, "large": 1e160, "tiny": 1e-300, "denormal": 5e-324}[kind]
    elif kind == "mixed":
        values[:, column] *= 1e200
        values[row] *= 1e-200
    elif kind == "offset":
        values += 1e9
    elif kind in ("nan", "inf", "one huge"):
        values[row, column] = {"nan": np.nan, "inf": -np.inf, "one huge": 1.7e308}[kind]
    elif kind == "zero row":
        values[row] = 0.0
    elif kind == "two values":
        values[:] = values[rng.integers(0, min(2, len(values)), len(values))]
    else:
        values -= 2.0
    return values


@st.composite
def tables(draw: Any, kind: str, rows: Any = ROWS, columns: Any = COLUMNS) -> np.ndarray:
    """Numbers as float64, with duplicate rows now and then."""
    n, d = draw(rows), draw(columns)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    values = _good(kind, rng, n, d)
    if n and draw(st.integers(0, 3)) == 0:
        values = values[rng.integers(0, n, n)]
    spoilt = draw(mostly(st.none(), st.sampled_from(ODD_KINDS)))
    return values if spoilt is None else _spoilt(values, spoilt, rng)


def distances_of(table: np.ndarray) -> np.ndarray:
    """Their Euclidean distances."""
    with np.errstate(all="ignore"):
        return np.sqrt(((table[:, None] - table) ** 2).sum(axis=2))


DTYPES = ("float32", "float16", "int64", "int8", "uint8", "bool", "object", "str", "complex128", "longdouble")
LAYOUTS = ("F", "strided", "backwards", "read-only", "memory-mapped", "masked")
DIMENSIONS = ("1-d", "3-d", "0-d", "no columns")
CONTAINERS = ("list", "rows", "frame", "numbered frame", "mixed frame", "NA frame", "categories", "texts")
SPARSE = ("csr", "csc", "coo", "lil", "csr_array", "unsorted", "zeros", "int64", "parts", "empty rows")


def as_dtype(table: np.ndarray, dtype: str) -> np.ndarray:
    """In another type, as C casts it."""
    with np.errstate(all="ignore"):
        return table.astype(dtype)


def as_layout(table: np.ndarray, layout: str) -> np.ndarray:
    """The same numbers, otherwise in memory."""
    if layout == "F":
        return np.asfortranarray(table)
    if layout == "strided":
        return np.repeat(np.repeat(table, 2, axis=0), 3, axis=1)[::2, ::3]
    if layout == "backwards":
        return table[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "memory-mapped" and table.size:
        with tempfile.TemporaryFile() as file:
            file.write(np.ascontiguousarray(table).tobytes())
            file.flush()
            return np.memmap(file, table.dtype, mode="r", shape=table.shape)
    if layout == "masked":
        return np.ma.masked_array(table, mask=table > 5)
    copy = table.copy()
    copy.flags.writeable = False
    return copy


def as_dimensions(table: np.ndarray, dimensions: str) -> np.ndarray:
    """Something else than a table."""
    if dimensions == "no columns":
        return table[:, :0]
    if dimensions == "0-d":
        return np.array(table.sum())
    return table.ravel() if dimensions == "1-d" else np.stack([table, table])


def as_container(table: np.ndarray, container: str) -> Any:
    """The same numbers in what is no array, or with other things among them."""
    if container in ("list", "rows"):
        return table.tolist() if container == "list" else [tuple(row) for row in table]
    names = [f"f{i}" for i in range(table.shape[1])]
    if container == "numbered frame":
        return pd.DataFrame(table)
    frame = pd.DataFrame(table, columns=names)
    if not table.size:
        return frame
    if container == "mixed frame":
        frame["f0"] = [f"value {i % 3}" for i in range(len(frame))]
    elif container == "NA frame":
        frame["f0"] = frame["f0"].astype("Float64")
        frame.loc[0, "f0"] = pd.NA
    elif container == "categories":
        frame["f0"] = pd.Categorical([("red", "blue", "green")[i % 3] for i in range(len(frame))])
    elif container == "texts":
        return frame.astype(str).to_numpy(dtype=object).tolist()
    return frame


def as_sparse(table: np.ndarray, kind: str) -> Any:
    """The same numbers as a sparse matrix that need not be in canonical order."""
    if kind in ("csc", "coo", "lil"):
        return sp.csr_matrix(table).asformat(kind)
    if kind == "csr_array":
        return sp.csr_array(table)
    matrix = sp.csr_matrix(
        np.where(np.arange(len(table))[:, None] % 3, table, 0) if "rows" in kind else table
    )
    if kind == "unsorted":
        for first, last in pairwise(matrix.indptr):
            matrix.indices[first:last] = matrix.indices[first:last][::-1]
            matrix.data[first:last] = matrix.data[first:last][::-1]
        matrix.has_sorted_indices = False
    elif kind == "zeros":
        matrix.data[::2] = 0.0
    elif kind == "int64":
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    elif kind == "parts" and matrix.nnz:
        matrix = sp.csr_matrix(
            (np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), matrix.indptr * 2),
            shape=matrix.shape,
        )
    return matrix


@st.composite
def features(draw: Any, kind: str, rows: Any = ROWS, columns: Any = COLUMNS) -> Any:
    """A table in any type, layout and container."""
    table = draw(tables(kind, rows, columns))
    if kind == "distances":
        table = distances_of(table)
    usual = ["plain", "layout", "sparse" if kind in ("weights", "presence") else "dtype"]
    form = draw(mostly(st.sampled_from(usual), st.sampled_from(["dtype", "sparse", "object", "dimensions"])))
    if form == "plain":
        return table
    if form == "sparse":
        return as_sparse(table, draw(st.sampled_from(SPARSE)))
    if form == "dtype":
        return as_dtype(table, draw(st.sampled_from(DTYPES)))
    if form == "layout":
        return as_layout(table, draw(st.sampled_from(LAYOUTS)))
    if form == "dimensions":
        return as_dimensions(table, draw(st.sampled_from(DIMENSIONS)))
    return as_container(table, draw(st.sampled_from(CONTAINERS)))
