"""Results as bytes that do not depend on how they are held, and their sha256."""

import dataclasses
import hashlib
import struct
from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy.sparse as sp
from deap import tools
from pymoo.core.population import Population
from pymoo.core.result import Result
from sklearn.base import BaseEstimator

from moo_clustering.algorithms import Recorder

# Columns and fields that hold durations or versions.
NOT_RESULTS = {
    "seconds",
    "time",
    "duration",
    "timings",
    "elapsed",
    "created",
    "started",
    "finished",
    "environment",
    "version",
    "exec_time",
    "start_time",
    "end_time",
}


class Left:
    """Stands for what is left out of a fingerprint: a model of another library, say, or a sentence."""


LEFT = Left()


def digest(value):
    """The sha256 of a plain value."""
    found = hashlib.sha256()
    _feed(found, plain(value))
    return found.hexdigest()


def gist(value):
    """How many numbers a value holds, their sum and the first few of them."""
    numbers = [float(number) for number in _numbers(plain(value))]
    finite = [number for number in numbers if np.isfinite(number)]
    first = " ".join(f"{number:.10g}" for number in numbers[:4])
    return f"{len(numbers)} numbers, sum {sum(finite):.12g}, first {first}" if numbers else "no numbers"


def plain(value):
    """The value as None, strings, arrays of four kinds, lists and dictionaries of these."""
    if value is None or isinstance(value, Left):
        return value
    if isinstance(value, str):
        # Sentences may be reworded.
        return LEFT if " " in value.strip() else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, pd.DataFrame):
        return {
            "columns": [str(name) for name in value.columns if str(name) not in NOT_RESULTS],
            "values": [plain(value[name]) for name in value.columns if str(name) not in NOT_RESULTS],
        }
    if isinstance(value, (pd.Series, pd.Index)):
        return plain(value.to_numpy())
    if sp.issparse(value):
        return {"shape": list(value.shape), "dense": plain(value.toarray())}
    fitness = getattr(value, "fitness", None)
    if hasattr(fitness, "wvalues"):
        return {"genes": plain(np.array(value)), "fitness": plain(list(fitness.values))}
    if isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)):
        return _array(np.asarray(value))
    return _container(value)


def _array(array):
    kind = array.dtype.kind
    if kind == "b":
        return np.ascontiguousarray(array)
    if kind in "iu":
        return np.array(array, dtype=np.int64, order="C")
    if kind == "f":
        array = np.array(array, dtype=np.float64, order="C")
        array[np.isnan(array)] = np.nan
        return array
    if kind == "c":
        return {"real": _array(array.real), "imaginary": _array(array.imag)}
    if kind in "mM":
        return _array(array.astype(np.int64))
    return {"shape": list(array.shape), "items": [plain(item) for item in array.ravel().tolist()]}


def _container(value):
    if isinstance(value, Recorder):
        return plain(value.to_frame())
    if isinstance(value, Result):
        return {name: plain(getattr(value, name, None)) for name in ("X", "F", "G", "CV")}
    if isinstance(value, Population):
        return {name: plain(np.array(value.get(name))) for name in ("X", "F")}
    if isinstance(value, tools.HallOfFame):
        return [plain(item) for item in value.items]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if str(key) not in NOT_RESULTS}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if type(value).__name__ == "Bags":
        return {name: plain(getattr(value, name)) for name in ("instances", "offsets", "bag_ids")}
    if type(value).__name__ == "PairwiseConstraints":
        names = ("must_link", "cannot_link", "must_link_weights", "cannot_link_weights", "n_samples")
        return {name: plain(getattr(value, name)) for name in names}
    if dataclasses.is_dataclass(value) and not isinstance(value, type | BaseEstimator):
        names = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
        return {name: plain(getattr(value, name)) for name in names if name not in NOT_RESULTS}
    return LEFT


def _feed(found, value):
    if value is None:
        found.update(b"none;")
    elif isinstance(value, Left):
        found.update(b"left;")
    elif isinstance(value, str):
        text = value.encode()
        found.update(b"text" + struct.pack("<q", len(text)) + text)
    elif isinstance(value, (np.ndarray, int)):
        array = np.asarray(value)
        found.update(f"array {array.dtype.kind} {array.shape};".encode() + array.tobytes())
    elif isinstance(value, dict):
        found.update(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(found, key)
            _feed(found, value[key])
    else:
        found.update(f"list {len(value)};".encode())
        for item in value:
            _feed(found, item)


def _numbers(value):
    if isinstance(value, (np.ndarray, int)):
        yield from np.asarray(value).ravel().tolist()
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _numbers(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
