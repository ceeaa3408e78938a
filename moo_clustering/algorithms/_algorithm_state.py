"""State of a pymoo algorithm: what has changed in it since it was set up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pymoo.algorithms.moo.nsga3 import HyperplaneNormalization
from pymoo.core.algorithm import Algorithm

from moo_clustering.algorithms._columns import NotStorableError, from_columns, to_columns
from moo_clustering.algorithms._pack import Packer, Unpacker
from moo_clustering.algorithms._parts import Path, assign, current, shape_of, walk
from moo_clustering.algorithms._prefix import prefixed, within
from moo_clustering.algorithms._search import State
from moo_clustering.persistence import fingerprint

# Parts that come into being in the course of a run, and may be made anew from their attributes.
_MADE_ANEW = {kind.__qualname__: kind for kind in (HyperplaneNormalization,)}


class AlgorithmState:
    """Saves and restores an algorithm by its attributes and those of its parts.

    Made right after ``algorithm.setup``: attributes that still have their value from then are not
    saved. Parts are the objects of pymoo's and this package's operator classes and of classes
    derived from them (survival, mating, normalisation, ...), found through attributes, lists, tuples
    and dictionaries; a part with :class:`Checkpointable`'s methods saves its own attributes. Objects
    of other classes, and whatever belongs to the problem, are taken to be constant.

    Parameters
    ----------
    algorithm : Algorithm
        Set up and not yet started.

    Notes
    -----
    Making one and every save cost a hash of each array a part holds, besides what is written.
    """

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm
        self._tokens: dict[Path, Any] = {}
        self._shapes: dict[Path, Any] = {}
        self._kept: list[Any] = []  # so that no later object gets the id of one of these
        packer = Packer(algorithm.random_state)
        for path, what, value in walk(algorithm):
            if what == "leaf":
                self._tokens[path] = _token(packer, value)[0]
                self._kept.append(value)
            else:
                self._shapes[path] = shape_of(value)

    def save(self) -> State:
        """Arrays and JSON-able metadata of everything that changed.

        Raises
        ------
        ValueError
            Naming the attribute that cannot be saved.
        """
        packer = Packer(self._algorithm.random_state)
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Any] = {}
        for path, what, value in walk(self._algorithm):
            own: Any = {}
            if what == "leaf":
                token, packed, own_list = _token(packer, value)
                if self._tokens.get(path) == token:
                    continue
                if own_list is None:
                    raise self._unsaved(path, f"became a {type(value).__qualname__}, which is no plain data")
                entries.append({"path": path, "value": packed, "n_arrays": len(own_list)})
                own = {str(i): array for i, array in enumerate(own_list)}
            elif what == "hook":
                own, meta = value.checkpoint_state()
                entries.append({"path": path, "hook": meta})
            elif self._shapes.get(path) != shape_of(value):
                if type(value).__qualname__ not in _MADE_ANEW:
                    raise self._unsaved(
                        path, f"was replaced by another {type(value).__qualname__}, which cannot be made anew"
                    )
                entries.append({"path": path, "part": type(value).__qualname__})
            arrays |= prefixed(f"entry{len(entries) - 1}", own)
        try:
            table, columns = to_columns(packer.rows())
        except NotStorableError as error:
            raise self._unsaved((), f"has a population in which {error}") from error
        return arrays | prefixed("individuals", table), {"entries": entries, "individuals": columns}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Put the algorithm, set up like the one that was saved, into the saved state."""
        rows = from_columns(within("individuals", arrays), meta["individuals"])
        unpacker = Unpacker(rows, self._algorithm.random_state)
        hooks = []
        for i, entry in enumerate(meta["entries"]):
            path = [(kind, name) for kind, name in entry["path"]]
            own = within(f"entry{i}", arrays)
            if "hook" in entry:
                hooks.append((path, own, entry["hook"]))
                continue
            owner, last = self._follow(path[:-1]), path[-1]
            if "part" in entry:
                kind = _MADE_ANEW[entry["part"]]
                assign(owner, last, kind.__new__(kind))
            else:
                values = [own[str(k)] for k in range(entry["n_arrays"])]
                assign(owner, last, unpacker.unpack(entry["value"], values, current(owner, last)))
        for path, own, own_meta in hooks:  # last, so that they see everything else in place
            self._follow(path).restore_checkpoint_state(own, own_meta)

    def _follow(self, path: list[tuple[str, Any]]) -> Any:
        value: Any = self._algorithm
        for step in path:
            value = current(value, step)
        return value

    def _unsaved(self, path: Path, why: str) -> ValueError:
        name = type(self._algorithm).__name__
        where = "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in path)
        return ValueError(
            f"{name} cannot be checkpointed: {name}{where} {why}; leave checkpoint out, or give its class "
            f"checkpoint_state() and restore_checkpoint_state()"
        )


def _token(packer: Packer, value: Any) -> tuple[Any, Any, list[Any] | None]:
    """What tells a changed value from an unchanged one, the packed value, and its arrays.

    Objects that are no plain data are told by identity, and have no arrays.
    """
    arrays: list[Any] = []
    before = packer.n_references
    try:
        packed = packer.pack(value, arrays)
    except NotStorableError:
        return ("object", id(value)), None, None
    if packer.n_references > before:
        return object(), packed, arrays  # always new: individuals may change under the same row numbers
    return (json.dumps(packed), fingerprint(*arrays)), packed, arrays
