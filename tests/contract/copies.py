"""What copies share, and what pickles hold."""

import copy
import pickle
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from skops import io

from moo_clustering.cli.folder import _MODEL_TYPES, write_model


def pickled(thing):
    """There and back again."""
    return pickle.loads(pickle.dumps(thing))


def saved(model):
    """The model that the command reads from its file."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "model.skops"
        write_model(path, model)
        types = io.get_untrusted_types(file=path)
        assert {name for name in types if not name.startswith("moo_clustering.")} <= _MODEL_TYPES
        return io.load(path, trusted=types)["estimator"]


def buffers(thing):
    """The arrays that a pickle ships, as bytes."""
    held = []
    pickle.dumps(thing, protocol=5, buffer_callback=held.append)
    return [bytes(buffer.raw()) for buffer in held]


def repeated(thing, least):
    """Sizes of the arrays of so many bytes that a pickle ships more than once."""
    counts = Counter(each for each in buffers(thing) if len(each) >= least and len(set(each)) > 2)
    return [len(each) for each, times in counts.items() if times > 1]


def arrays_of(thing, path="", seen=None):
    """Arrays of an object by the names that lead there, those of parts included."""
    seen = set() if seen is None else seen
    if id(thing) in seen or isinstance(thing, (str, bytes, int, float, type(None), type)):
        return {}
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return {path: thing} if thing.dtype != object else {}
    if isinstance(thing, dict):
        parts = thing.items()
    elif isinstance(thing, (list, tuple)):
        parts = enumerate(thing)
    else:
        parts = _attributes(thing).items()
    found = {}
    for name, part in parts:
        found |= arrays_of(part, f"{path}.{name}", seen)
    return found


def _attributes(thing):
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(thing, name) for name in slots if name != "__weakref__" and hasattr(thing, name)}
    return held | getattr(thing, "__dict__", {})


def copied_in_deepcopy(thing, least):
    """Names of the arrays, of so many bytes, that a deep copy has anew although they are read-only."""
    own, others = arrays_of(thing), arrays_of(copy.deepcopy(thing))
    assert own.keys() == others.keys()
    return [
        name
        for name, array in own.items()
        if array.nbytes >= least and not array.flags.writeable and not np.shares_memory(array, others[name])
    ]
