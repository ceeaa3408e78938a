"""Are two results the same? Arrays, matrices, tables, containers and plain objects, all the way down."""

import numpy as np
import pandas as pd
import scipy.sparse as sp

# Held by several parts of a result: compared where they are made.
_PLAIN = (str, bytes, bool, int, type(None), type)


def assert_same(one, other, rtol=0.0, where="result", skip=()):
    """Equal in type, structure and values; floats within ``rtol``."""
    assert type(one) is type(other), f"{where}: {type(one)} and {type(other)}"
    if isinstance(one, (np.ndarray, np.generic, float)):
        _assert_same_values(np.asarray(one), np.asarray(other), rtol, where)
    elif sp.issparse(one):
        _assert_same_values(one.toarray(), other.toarray(), rtol, where)
    elif isinstance(one, (pd.DataFrame, pd.Series, pd.Index)):
        assert one.drop(columns=list(skip), errors="ignore").equals(
            other.drop(columns=list(skip), errors="ignore")
        ), where
    elif isinstance(one, dict):
        assert list(one) == list(other), f"{where}: {sorted(set(one) ^ set(other))}"
        for key in one:
            assert_same(one[key], other[key], rtol, f"{where}[{key!r}]", skip)
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), where
        for place, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, rtol, f"{where}[{place}]", skip)
    elif isinstance(one, _PLAIN):
        assert one == other, where


def _assert_same_values(one, other, rtol, where):
    assert one.dtype == other.dtype, where
    if one.dtype == object:
        assert one.shape == other.shape, where
        assert_same(one.ravel().tolist(), other.ravel().tolist(), rtol, where)
    elif rtol and one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=where)
    else:
        np.testing.assert_array_equal(one, other, err_msg=where)


def same_partition(one, other):
    """Are two rows of labels the same partition under other names?"""
    joint = np.unique(np.stack([one, other]), axis=1).shape[1]
    return joint == len(np.unique(one)) == len(np.unique(other))
