"""Archives that belong to one run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from moo_clustering.persistence._archive import ArchiveError, read_archive, write_archive
from moo_clustering.persistence._environment import environment
from moo_clustering.persistence._json import to_json

_KIND = "checkpoint"
_LONGEST = 60
START_OVER = "remove it to start from the beginning"


class CheckpointMismatchError(ValueError):
    """The checkpoint is of another method, other parameters or other data."""


@dataclass(frozen=True)
class Checkpoint:
    """Where a run is saved, how often, and which run it is.

    Parameters
    ----------
    path : path-like
        File of the checkpoint; its folder is made if it does not exist.
    every : int, default=10
        Save after every so many generations (and at the end).
    identity : mapping, default={}
        What makes it this run, JSON-able: by convention ``method`` (its name), ``parameters`` (a
        mapping) and ``data`` (a :func:`fingerprint`). Leave out what may differ when the run goes
        on, such as the number of generations.
    resume : bool, default=True
        Whether a file that is there is gone on from; otherwise it is overwritten.

    Raises
    ------
    TypeError, ValueError
        When ``every`` is not a positive integer or JSON cannot hold ``identity``.
    """

    path: str | PathLike[str]
    every: int = 10
    identity: Mapping[str, Any] = field(default_factory=dict, hash=False)
    resume: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.every, bool) or not isinstance(self.every, int):
            raise TypeError(f"every must be a positive integer, got {self.every!r}")
        if self.every < 1:
            raise ValueError(f"every must be a positive integer, got {self.every}")
        to_json(self.identity, "identity")


def save_checkpoint(checkpoint: Checkpoint, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Write the state of a run, replacing the previous checkpoint as a whole or not at all.

    Parameters
    ----------
    checkpoint : Checkpoint
    arrays, meta : mapping
        As for :func:`write_archive`.
    """
    path = Path(checkpoint.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    wrapped = {"kind": _KIND, "identity": checkpoint.identity, "environment": environment(), "state": meta}
    write_archive(path, arrays, wrapped)


def load_checkpoint(checkpoint: Checkpoint) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Read the state of a run.

    Parameters
    ----------
    checkpoint : Checkpoint

    Returns
    -------
    (arrays, meta) or None
        As they were given to :func:`save_checkpoint`; None when the file does not exist.

    Raises
    ------
    ArchiveError
        When the file is no readable checkpoint; the message says what is wrong and what to do.
    CheckpointMismatchError
        When it is of another run; the message names the other method, or every difference.
    """
    try:
        arrays, meta = read_archive(checkpoint.path)
    except FileNotFoundError:
        return None
    except ArchiveError as error:
        raise ArchiveError(f"{error}; {START_OVER}") from error
    if meta.get("kind") != _KIND:
        raise ArchiveError(f"{checkpoint.path} is an archive but not a checkpoint; name another file")
    if not all(isinstance(meta.get(part), dict) for part in ("identity", "state")):
        raise ArchiveError(f"{checkpoint.path} is a damaged checkpoint: it lacks a part; {START_OVER}")
    differences = _differences(meta["identity"], to_json(checkpoint.identity))
    if differences:
        raise CheckpointMismatchError(
            f"checkpoint {checkpoint.path} is of another run: {'; '.join(differences)}; go on with what it "
            "was made with, or name another file"
        )
    return arrays, meta["state"]


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    if ("method" in there or "method" in here) and not _same(there, here, "method"):
        # All parameters of another method differ too.
        return [_difference("method", there, here, "method")]
    found = []
    for key in _keys(there, here):
        if _same(there, here, key):
            continue
        if key == "data":
            found.append("the data differ")
        elif key == "parameters" and isinstance(there.get(key), dict) and isinstance(here.get(key), dict):
            found += [
                _difference(f"parameter {name}", there[key], here[key], name)
                for name in _keys(there[key], here[key])
                if not _same(there[key], here[key], name)
            ]
        else:
            found.append(_difference(key, there, here, key))
    return found


def _keys(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    return [*there, *(key for key in here if key not in there)]


def _same(there: Mapping[str, Any], here: Mapping[str, Any], key: str) -> bool:
    if key not in there or key not in here:
        return False
    # as text NaN equals NaN, as values 1 equals 1.0
    return bool(there[key] == here[key]) or _text(there[key]) == _text(here[key])


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _difference(what: str, there: Mapping[str, Any], here: Mapping[str, Any], key: str) -> str:
    return f"{what} is {_short(there, key)} there and {_short(here, key)} here"


def _short(values: Mapping[str, Any], key: str) -> str:
    text = repr(values[key]) if key in values else "absent"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
