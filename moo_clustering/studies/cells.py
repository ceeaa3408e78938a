"""Cells of an experiment, computed by any joblib backend; each is saved when it finishes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import delayed

from moo_clustering._arrays import QuotingError
from moo_clustering._messages import progress_bar
from moo_clustering._parallel import finished_calls
from moo_clustering.persistence import is_temporary, locked, replacing, to_json

Key = Mapping[str, str | int | float]
Compute = Callable[[Key, Any], Any]
FORMAT, RESULTS = "moo_clustering cells", "results.jsonl"


class StoreError(QuotingError):
    """The file has other parameters, or is not a store."""


class CellError(RuntimeError):
    """A cell failed. Cells that finished earlier are saved."""


def check_folder(folder: Path) -> None:
    """Raise a StoreError unless the folder is new or empty, or contains cells."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file, not a folder; choose another folder")
    if not folder.exists() or (folder / RESULTS).exists():
        return
    if not all(is_temporary(entry.name) for entry in folder.iterdir()):
        raise StoreError(f"{folder} holds other files; choose another folder")


@contextmanager
def cells_of_folder(folder: Path, parameters: Mapping[str, Any]) -> Iterator[CellStore]:
    """Lock a folder, which is created if necessary, and open its cells."""
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), CellStore(folder / RESULTS, parameters) as store:
        yield store


def run_cells(
    compute: Compute,
    cells: Sequence[Key],
    data: Callable[[Key], Any],
    store: CellStore,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
    description: str = "cells",
) -> bool:
    """Compute the cells that are not in the store; return False after Ctrl-C. Finished cells are saved.

    ``compute(key, data)`` must be importable by other processes, return a value that JSON can represent, and
    derive all randomness from the key. ``data(key)`` is called in this process shortly before the cell is
    computed, so that few data sets are in memory. ``n_jobs`` is as in ``Study.run``. Raises a CellError that
    names the cell if ``compute`` fails.
    """
    missing = [key for key in cells if key not in store]
    if not missing:
        return True
    counts = {"total": len(cells), "initial": len(cells) - len(missing), "unit": "cell"}
    bar = progress_bar(desc=description, disable=not verbose, **counts)
    parent = os.getpid()
    calls = (delayed(_task)(compute, key, data(key), parent) for key in missing)
    # If the loop ends early, closing() drops the dispatched cells.
    with bar, closing(finished_calls(calls, n_jobs=n_jobs)) as finished:
        try:
            for key, value in finished:
                store.add(key, value)
                bar.update()
        except KeyboardInterrupt:
            return False
    return True


def _task(compute: Compute, key: Key, data: Any, parent: int) -> tuple[Key, Any]:
    # A terminal sends Ctrl-C to all of its processes, but only the parent should handle it.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return key, compute(key, data)
    except MemoryError:
        raise
    except Exception as error:
        raise CellError(f"the cell {dict(key)} failed: {type(error).__name__}: {error}") from error


def seed_of(*parts: str | int | float) -> np.random.SeedSequence:
    """Return a seed that depends only on the parts, so that the order of cells does not matter."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())


class CellStore:
    """A file of JSON lines: the parameters that determine all values, then one finished cell per line.

    Every line is on disk when :meth:`add` returns. Opening a file removes an incomplete line of a killed run.
    Raises a StoreError if the file is not a store, or has other parameters, which the message lists.
    """

    def __init__(self, path: Path, parameters: Mapping[str, Any]) -> None:
        self.path = path
        wanted = to_json(parameters, "parameters")
        if path.exists():
            given, self._values, length = read_cells(path)
            check_same(path, given, wanted)
            os.truncate(path, length)
        else:
            self._values = {}
            with replacing(path) as file:
                file.write(_line({"format": FORMAT, "parameters": wanted}))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115

    def __contains__(self, key: Key) -> bool:
        return name_of_cell(key) in self._values

    def __len__(self) -> int:
        return len(self._values)

    def add(self, key: Key, value: Any) -> None:
        """Save the value of a cell."""
        held = to_json(value, "value")
        record = {"key": to_json(key, "key"), "value": held}
        self._append(_line({**record, "crc32": _checksum(record)}))
        self._values[name_of_cell(key)] = held

    def _append(self, line: bytes) -> None:
        """Write the whole line or nothing, in one call, so that no other process writes into it."""
        length = os.fstat(self._file.fileno()).st_size
        try:
            # A full disk may accept part of the line without an error; writing the rest then fails.
            written = self._file.write(line)
            while written < len(line):
                written += self._file.write(line[written:])
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._file.fileno(), length)
            error.filename = str(self.path)
            raise

    def forget(self, found: Callable[[Any], bool]) -> None:
        """Drop cells whose value satisfies ``found``; lines of a new computation take precedence."""
        self._values = {name: value for name, value in self._values.items() if not found(value)}

    def values(self, keys: Iterable[Key]) -> list[Any]:
        """Return the values of finished cells, as read from JSON; raise a KeyError for any other cell."""
        return [self._values[name_of_cell(key)] for key in keys]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_cells(path: Path) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Return the parameters, the values, and the number of bytes in complete lines."""
    content = path.read_bytes()
    length = content.rfind(b"\n") + 1
    head, *lines = content[:length].split(b"\n")[:-1] or [b""]
    try:
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise ValueError("another format")
        parameters: dict[str, Any] = header["parameters"]
        if not isinstance(parameters, dict):
            raise TypeError("parameters without names")
        records = [json.loads(line) for line in lines]
        values = {name_of_cell(record["key"]): record["value"] for record in records}
        # Files of older versions have no checksums.
        changed = [
            number
            for number, record in enumerate(records, 2)
            if record.get("crc32", checksum := _checksum(record)) != checksum
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path} does not hold the cells of an experiment; choose another folder") from error
    if changed:
        raise StoreError(
            f"{path}, line {changed[0]}: it was changed after it was written (its checksum differs); "
            "remove the line to have its cell computed again, or choose another folder"
        )
    return parameters, values, length


def name_of_cell(key: Key) -> str:
    return json.dumps(to_json(key, "key"), sort_keys=True)


def _checksum(record: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps([record["key"], record["value"]]).encode())


def check_same(path: Path, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    missing = object()
    differences = [
        f"{name} is {_shown(given, name)} there and {_shown(wanted, name)} here"
        for name in dict.fromkeys([*given, *wanted])
        if given.get(name, missing) != wanted.get(name, missing)
    ]
    if differences:
        raise StoreError(
            f"{path} was made with other parameters: {'; '.join(differences)}; choose another folder"
        )


def _shown(parameters: Mapping[str, Any], name: str) -> str:
    return json.dumps(parameters[name]) if name in parameters else "not given"


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"
