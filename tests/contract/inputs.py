"""Inputs as others hold them: not to be written to, or in a file."""

import copy

import numpy as np
import pandas as pd
import scipy.sparse as sp

from moo_clustering.bags import Bags


def locked(value):
    """A copy in which no array can be written to."""
    return _mapped(value, _lock)


def in_files(value, folder):
    """A copy in which every array of numbers is a read-only map of a file."""
    return _mapped(value, lambda array: _map_file(array, folder))


def relaid(value, layout):
    """A copy of arrays, lists of them or bags whose numbers stand elsewhere in memory; see ``LAYOUTS``."""
    return _mapped(value, LAYOUTS[layout])


# In the columns' order; every second number of a larger array; backwards; one array per column of a frame.
LAYOUTS = {
    "Fortran": np.asfortranarray,
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "backwards": lambda array: np.ascontiguousarray(array[::-1])[::-1],
    "frame": lambda array: pd.DataFrame({f"f{column}": array[:, column] for column in range(array.shape[1])}),
    "sparse columns": sp.csc_array,
    "sparse triplets": sp.coo_array,
}


def untouched(value):
    """A function that says whether nothing in the value has changed since."""
    kept = copy.deepcopy([array.copy() for array in _arrays(value)])
    return lambda: all(np.array_equal(now, before) for now, before in zip(_arrays(value), kept, strict=True))


def _lock(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def _map_file(array, folder):
    if array.dtype.hasobject or array.size == 0:
        return _lock(array)
    path = folder / f"array{len(list(folder.iterdir()))}.bin"
    path.write_bytes(np.ascontiguousarray(array).tobytes())
    return np.memmap(path, dtype=array.dtype, mode="r", shape=array.shape)


def _mapped(value, change):
    if isinstance(value, np.ndarray):
        return change(value)
    if sp.issparse(value):
        return type(value)(tuple(change(part) for part in _parts(value)), shape=value.shape)
    if isinstance(value, Bags):
        return Bags(change(value.instances), change(value.offsets))
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(each, change) for each in value)
    if isinstance(value, dict):
        return {key: _mapped(each, change) for key, each in value.items()}
    return value


def _parts(matrix):
    return matrix.data, matrix.indices, matrix.indptr


def _arrays(value):
    if isinstance(value, np.ndarray):
        yield value
    elif sp.issparse(value):
        yield from _parts(value)
    elif isinstance(value, pd.DataFrame):
        yield value.to_numpy()
    elif isinstance(value, Bags):
        yield from (value.instances, value.offsets)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))
