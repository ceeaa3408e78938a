"""Data in other forms, of the same meaning or of none, by the kind of the data.

``SAME`` forms must give the result of the plain one, ``EITHER`` that result or a refusal, ``REFUSED`` a
refusal. A form that makes no sense for some data (the diagonal of a list) is left out by returning None.
"""

import datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp


class Frame:
    """A frame of another package: it has columns, and is an array when asked."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape
        self.columns = [f"f{column}" for column in range(array.shape[1])]

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype=dtype)

    def __len__(self):
        return len(self._array)


def in_parts(X):
    """Compressed rows that store each cell as two numbers, the second one less than needed."""
    n, d = X.shape
    columns = np.repeat(np.tile(np.arange(d), n), 2)
    values = np.c_[np.ones(n * d), np.ravel(X) - 1.0].ravel()
    return sp.csr_matrix((values, columns, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d))


def with_stored_zeros(X):
    """Compressed rows that store every cell."""
    n, d = X.shape
    return sp.csr_array(
        (np.ravel(X).astype(float), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), shape=(n, d)
    )


def masked(array, value=999):
    """The first cell is behind a mask, with a number that is not to be read."""
    raw = np.array(array)
    mask = np.zeros(raw.shape, dtype=bool)
    place = (0,) * raw.ndim
    raw[place], mask[place] = (value, True) if raw.dtype.kind in "iuf" else (raw[place], True)
    return np.ma.array(raw, mask=mask)


def _float(array):
    return np.asarray(array, dtype=float)


def _spoiled(array, value):
    found = _float(array).copy()
    found.flat[-1] = value
    return found


def _missing(frame):
    frame = frame.astype("Float64")
    frame.iloc[0] = pd.NA
    return frame


def _with_object(array, item):
    found = array.astype(object)
    found.flat[0] = item
    return found


def _ragged(array):
    rows = np.asarray(array).tolist()
    if not isinstance(rows[0], list):
        return [[rows[0]], *rows[1:]]
    return [rows[0][:-1], *rows[1:]] if len(rows) > 1 and rows[0][:-1] else None


def _if(condition, make):
    return make() if condition else None


_DENSE_SAME = {
    "list": lambda a: a.tolist(),
    "Fortran": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "read-only": lambda a: (b := a.copy(), b.setflags(write=False))[0],
    "frame": lambda a: _if(
        a.ndim == 2, lambda: pd.DataFrame(a, columns=[f"f{j}" for j in range(a.shape[1])])
    ),
    "series": lambda a: _if(a.ndim == 1, lambda: pd.Series(a, index=np.arange(len(a))[::-1])),
}
_DENSE_EITHER = {
    "nothing masked": lambda a: np.ma.array(a, mask=np.zeros(a.shape, dtype=bool)),
    "objects": lambda a: a.astype(object),
    "half precision": lambda a: _if(
        a.dtype.kind in "iuf" and np.array_equal(a.astype(np.float16), a), lambda: a.astype(np.float16)
    ),
    "other frame": lambda a: _if(a.ndim == 2, lambda: Frame(a)),
    "arrow": lambda a: (
        pa.array(a)
        if a.ndim == 1
        else pa.table({f"f{j}": a[:, j] for j in range(a.shape[1])})
        if a.ndim == 2
        else None
    ),
    "nullable": lambda a: _if(a.ndim == 2, lambda: pd.DataFrame(a).convert_dtypes()),
    "nullable series": lambda a: _if(a.ndim == 1, lambda: pd.Series(a).convert_dtypes()),
    "arrow series": lambda a: _if(
        a.ndim == 1, lambda: pd.Series(pa.array(a).to_pandas(), dtype=f"{a.dtype}")
    ),
    "texts of numbers": lambda a: a.astype(str),
    "frame of one name": lambda a: _if(a.ndim == 2, lambda: pd.DataFrame(a, columns=["f"] * a.shape[1])),
    "generator": lambda a: iter(a.tolist()),
    "tuple": lambda a: tuple(a.tolist()),
    "matrix": lambda a: _if(a.ndim == 2, lambda: np.asmatrix(a)),
    "sparse": lambda a: _if(a.ndim == 2, lambda: sp.csr_array(_float(a))),
}
_REFUSED = {
    "masked": masked,
    "masked, of objects": lambda a: np.ma.array(a.astype(object), mask=masked(a).mask),
    "list with a masked row": lambda a: _if(a.ndim == 2, lambda: [masked(a[0]), *a[1:]]),
    "masked cell in a list": lambda a: _if(a.ndim == 1, lambda: [np.ma.masked, *a.tolist()[1:]]),
    "no dimension": lambda a: np.asarray(3),
    "dict": lambda a: dict(enumerate(a.tolist())),
    "set": lambda a: set(np.ravel(a).tolist()),
    "complex": lambda a: a.astype(complex) + 1j,
    "object": lambda a: SimpleNamespace(values=a),
    "type": lambda a: np.ndarray,
    "ragged": _ragged,
    "function": lambda a: len,
    "named fields": lambda a: np.zeros(len(a), dtype=[("a", float), ("b", float)]),
}
_NUMBERS_REFUSED = {
    "words": lambda a: np.full(a.shape, "a"),
    "dates": lambda a: np.full(a.shape, np.datetime64("2020-01-01", "ns")),
    "durations": lambda a: np.full(a.shape, np.timedelta64(7, "ns")),
    "list of NumPy dates": lambda a: [
        [np.datetime64("2020-01-01")] * a.shape[1] if a.ndim == 2 else np.datetime64("2020-01-01")
        for _ in range(len(a))
    ],
    "objects with a duration": lambda a: _with_object(a, np.timedelta64(3, "D")),
    "objects with a date": lambda a: _with_object(a, np.datetime64("2020-01-01")),
    "bytes": lambda a: np.full(a.shape, b"a"),
    "list of dates": lambda a: np.full(a.shape, datetime.date(2020, 1, 1), dtype=object).tolist(),
    "frame of dates": lambda a: _if(
        a.ndim == 2, lambda: pd.DataFrame(np.full(a.shape, np.datetime64("2020-01-01", "ns")))
    ),
    "arrow dates": lambda a: _if(
        a.ndim == 2,
        lambda: pa.table(
            {f"f{j}": pa.array([datetime.datetime(2020, 1, 1)] * len(a)) for j in range(a.shape[1])}
        ),
    ),
    "NaN": lambda a: _spoiled(a, np.nan),
    "infinite": lambda a: _spoiled(a, np.inf),
    "missing": lambda a: _if(a.ndim == 1, lambda: _missing(pd.Series(a))),
    "missing in a frame": lambda a: _if(a.ndim == 2, lambda: _missing(pd.DataFrame(a))),
    "None in a list": lambda a: _if(a.ndim == 1, lambda: [None, *a.tolist()[1:]]),
    "too many dimensions": lambda a: np.stack([a, a])[None],
}
_SPARSE = {
    "sparse in parts": in_parts,
    "sparse with zeros": with_stored_zeros,
    "sparse triplets": lambda a: sp.coo_matrix(_float(a)),
    "sparse columns": lambda a: sp.csc_array(_float(a)),
    "sparse lists": lambda a: sp.lil_array(_float(a)),
    "sparse keys": lambda a: sp.dok_array(_float(a)),
}
_SPARSE_REFUSED = {
    "sparse NaN": lambda a: sp.csr_array(_spoiled(a, np.nan)),
    "sparse vector": lambda a: sp.coo_array(_float(a)[0]),
    "sparse complex": lambda a: sp.csr_array(a.astype(complex) + 1j),
}
_TABLE_REFUSED = {
    "a column": lambda a: a[:, 0],
    "column of a frame": lambda a: pd.Series(a[:, 0]),
    "column of arrow": lambda a: pa.array(a[:, 0]),
    "list of frames": lambda a: [pd.DataFrame(a), pd.DataFrame(a)],
    "no rows": lambda a: a[:0],
    "no columns": lambda a: a[:, :0],
    "text": lambda a: "table.csv",
    "lazy frame": lambda a: SimpleNamespace(columns=["f"], collect=lambda: a),
}
_WHOLE_REFUSED = {
    "fractions": lambda a: _float(a) + 0.5,
    "words": lambda a: np.full(a.shape, "a"),
    "NaN": lambda a: _spoiled(a, np.nan),
    "None in a list": lambda a: _if(a.ndim == 1, lambda: [None, *a.tolist()[1:]]),
    "huge": lambda a: _spoiled(a, 1e300),
    "infinite, in half precision": lambda a: _spoiled(a, np.inf).astype(np.float16),
    "dates": lambda a: np.full(a.shape, np.datetime64("2020-01-01", "ns")),
    "too many dimensions": lambda a: np.stack([a, a])[None],
}
_WHOLE_EITHER = {
    "whole floats": _float,
    "other integers": lambda a: a.astype(np.int16),
    "unsigned": lambda a: _if(a.min() >= 0, lambda: a.astype(np.uint64)),
}
_SHORT = {"one too few": lambda a: a[..., :-1], "nothing": lambda a: a[..., :0]}
_SQUARE_REFUSED = {
    "negative": lambda a: -a,
    "not square": lambda a: a[:, :-1],
    "not symmetric": lambda a: a + np.triu(np.ones(a.shape), 1),
    "NaN": lambda a: _spoiled(a, np.nan),
    "infinite": lambda a: _spoiled(a, np.inf),
}


def _without(forms, *names):
    return {name: form for name, form in forms.items() if name not in names}


# kind: (same, either, refused)
FORMS = {
    "table": (
        _DENSE_SAME,
        {**_DENSE_EITHER, **_SPARSE},
        {**_REFUSED, **_NUMBERS_REFUSED, **_TABLE_REFUSED, **_SPARSE_REFUSED},
    ),
    # Of any number of dimensions: weights, scores, factors.
    "numbers": (_DENSE_SAME, _DENSE_EITHER, {**_REFUSED, **_NUMBERS_REFUSED, **_SHORT}),
    "categories": (
        _without(_DENSE_SAME, "strided"),
        _without(_DENSE_EITHER, "texts of numbers"),
        {
            **_without(_REFUSED, "complex"),
            "no rows": lambda a: a[:0],
            "column of a frame": lambda a: pd.Series(a[:, 0]),
        },
    ),
    # Numbers of clusters or of samples.
    "whole": (_DENSE_SAME, {**_DENSE_EITHER, **_WHOLE_EITHER}, {**_REFUSED, **_WHOLE_REFUSED, **_SHORT}),
    # Names of classes, of any type that can be sorted: numbers that stand for others are no refusal.
    "classes": (
        _DENSE_SAME,
        {**_without(_DENSE_EITHER, "texts of numbers"), **_WHOLE_EITHER},
        {
            **_without(_REFUSED, "complex", "ragged"),
            **_SHORT,
            "NaN": lambda a: _spoiled(a, np.nan),
            "too many dimensions": lambda a: np.stack([a, a])[None],
        },
    ),
    # Classes, in which -1 or a missing value marks unlabelled samples.
    "targets": (
        {
            **_DENSE_SAME,
            "NaN for -1": lambda a: _if(a.ndim == 1, lambda: np.where(a == -1, np.nan, a)),
            "None for -1": lambda a: _if(a.ndim == 1, lambda: [None if x == -1 else x for x in a.tolist()]),
            "NA for -1": lambda a: _if(a.ndim == 1, lambda: pd.Series(a, dtype="Int64").mask(a == -1)),
        },
        {**_without(_DENSE_EITHER, "texts of numbers"), **_WHOLE_EITHER},
        {
            **_REFUSED,
            **_SHORT,
            "NaN among indicators": lambda a: _if(a.ndim == 2, lambda: _spoiled(a, np.nan)),
            "too many dimensions": lambda a: np.stack([a, a])[None],
        },
    ),
    "pairs": (
        _without(_DENSE_SAME, "strided"),
        {**_without(_DENSE_EITHER, "generator", "texts of numbers"), "whole floats": _float},
        {
            **_REFUSED,
            **_WHOLE_REFUSED,
            "negative": lambda a: a - 1000,
            "out of range": lambda a: a + 1000,
            "of itself": lambda a: np.array([[1, 1]]),
            "three columns": lambda a: np.c_[a, a[:, 0]],
            "a row": lambda a: a[0],
        },
    ),
    "graph": (
        {**_without(_DENSE_SAME, "strided"), **_SPARSE},
        {**_DENSE_EITHER, "sparse 64": lambda a: _long(sp.csr_array(a))},
        {
            **_REFUSED,
            **_without(_NUMBERS_REFUSED, "NaN", "infinite"),
            **_SQUARE_REFUSED,
            **_SPARSE_REFUSED,
            "sparse negative": lambda a: -sp.csr_array(a),
            "sparse, not symmetric": lambda a: sp.csr_array(a + np.triu(np.ones(a.shape), 1)),
            "sparse, not square": lambda a: sp.csr_array(a[:, :-1]),
        },
    ),
    "distances": (
        _DENSE_SAME,
        {**_DENSE_EITHER, **_SPARSE},
        {
            **_REFUSED,
            **_NUMBERS_REFUSED,
            **_SQUARE_REFUSED,
            **_SPARSE_REFUSED,
            "not zero on the diagonal": lambda a: a + np.eye(len(a)) * a.max(),
        },
    ),
    # A list of bags, each a table.
    "bags": (
        {
            "lists": lambda a: [bag.tolist() for bag in a],
            "tuple": tuple,
            "frames": lambda a: [pd.DataFrame(bag) for bag in a],
            "objects": lambda a: _objects(a),
        },
        {
            "nothing masked": lambda a: [np.ma.array(bag, mask=np.zeros(bag.shape, bool)) for bag in a],
            "generator": iter,
            "sparse": lambda a: [sp.csr_array(bag) for bag in a],
            "texts of numbers": lambda a: [bag.astype(str) for bag in a],
            "objects inside": lambda a: [bag.astype(object) for bag in a],
        },
        {
            "a masked bag": lambda a: [masked(a[0]), *a[1:]],
            "a masked row": lambda a: [[masked(a[0][0])], *a[1:]],
            "NaN": lambda a: [_spoiled(a[0], np.nan), *a[1:]],
            "complex": lambda a: [bag + 1j for bag in a],
            "dates": lambda a: [np.full(bag.shape, np.datetime64("2020-01-01", "ns")) for bag in a],
            "words": lambda a: [np.full(bag.shape, "a") for bag in a],
            "other widths": lambda a: [a[0][:, :1], *a[1:]],
            "an empty bag": lambda a: [a[0][:0], *a[1:]],
            "no bags": lambda a: [],
            "None": lambda a: None,
            "a bag that is None": lambda a: [None, *a[1:]],
            "dict": lambda a: dict(enumerate(a)),
            "no dimension": lambda a: np.asarray(3.0),
            "text": lambda a: "bags.csv",
            "masked cube": lambda a: masked(np.stack([a[0], a[0]])),
            "column of a frame": lambda a: pd.Series([1.0, 2.0]),
        },
    ),
    "bag distances": (
        _DENSE_SAME,
        {**_DENSE_EITHER, **_SPARSE},
        {**_REFUSED, **_NUMBERS_REFUSED, **_without(_SQUARE_REFUSED, "not symmetric"), **_SPARSE_REFUSED},
    ),
}


def _long(S):
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def _objects(bags):
    found = np.empty(len(bags), dtype=object)
    found[:] = bags
    return found
