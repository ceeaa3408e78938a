"""What a run found, as bytes: two runs are the same if these are."""

import numbers

import numpy as np
import pandas as pd
from pymoo.core.population import Population
from pymoo.core.result import Result
from scipy import sparse

from moo_clustering.algorithms import Recorder
from moo_clustering.persistence import read_archive


def of_model(model):
    """Every fitted attribute of an estimator, as far as it is made of arrays, tables and numbers."""
    names = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    return {name: as_bytes(getattr(model, name)) for name in sorted(names)}


def of_search(search, recorder):
    """Population and history of a bare search."""
    if hasattr(search, "algorithm"):
        population = search.algorithm.pop
        found = {"X": population.get("X"), "F": population.get("F"), "front": search.result().F}
    else:
        found = {
            "X": [np.asarray(one) for one in search.population],
            "F": [one.fitness.wvalues for one in search.population],
            "logbook": list(search.logbook),
        }
    return {name: as_bytes(value) for name, value in {**found, "history": recorder}.items()}


def of_folder(folder, names):
    """Files byte for byte; archives by their arrays and metadata."""
    return {name: _content(folder / name) for name in names}


def _content(path):
    return as_bytes(read_archive(path)) if path.suffix == ".npz" else path.read_bytes()


def as_bytes(value):
    """Types, shapes and bytes of everything that is known here; of other objects their type."""
    if isinstance(value, pd.DataFrame | pd.Series):
        value = (value.to_json(double_precision=15), value.to_numpy())
    elif isinstance(value, Recorder):
        value = (value.generations, value.F, value.seconds)
    elif isinstance(value, Result):
        value = (value.X, value.F, value.pop)
    elif isinstance(value, Population):
        value = (value.get("X"), value.get("F"), value.get("G"))
    elif sparse.issparse(value):
        csr = value.tocsr()
        value = (csr.shape, csr.data, csr.indices, csr.indptr)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, dict):
        return b"{" + b",".join(as_bytes(key) + b":" + as_bytes(value[key]) for key in value) + b"}"
    if isinstance(value, list | tuple | np.ndarray):
        return b"[" + b",".join(map(as_bytes, value)) + b"]"
    if value is None or isinstance(value, str | bytes | numbers.Number):
        return repr(value).encode()
    return type(value).__name__.encode()


def differences(whole, other):
    """Names of what differs, or is in one of the two only."""
    return sorted(name for name in whole.keys() | other.keys() if whole.get(name) != other.get(name))
