"""Values of finished cells in a file that survives a kill."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from moo_clustering._quoting_error import QuotingError
from moo_clustering.persistence import to_json
from moo_clustering.persistence._atomic import replacing

Key = Mapping[str, str | int | float]
FORMAT = "moo_clustering cells"


class StoreError(QuotingError):
    """The file is of other parameters, or no store at all."""


class CellStore:
    """JSON lines: the parameters first, then one finished cell per line.

    Every line is on the disk when :meth:`add` returns. What a killed run left of an unfinished line is
    cut off when the file is opened again.

    Parameters
    ----------
    path : Path
        Made if there is none.
    parameters : mapping
        What the values depend on, as JSON can hold it; keys must be strings.

    Raises
    ------
    StoreError
        If the file holds cells of other parameters (the message names the differences), or is
        something else.
    """

    def __init__(self, path: Path, parameters: Mapping[str, Any]) -> None:
        self.path = path
        wanted = to_json(parameters, "parameters")
        if path.exists():
            given, self._values, length = _read(path)
            _check_same(path, given, wanted)
            os.truncate(path, length)
        else:
            self._values = {}
            with replacing(path) as file:
                file.write(_line({"format": FORMAT, "parameters": wanted}))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115

    def __contains__(self, key: Key) -> bool:
        return _name(key) in self._values

    def __len__(self) -> int:
        return len(self._values)

    def add(self, key: Key, value: Any) -> None:
        """Keep the value of a cell."""
        held = to_json(value, "value")
        record = {"key": to_json(key, "key"), "value": held}
        self._append(_line({**record, "crc32": _checksum(record)}))
        self._values[_name(key)] = held

    def _append(self, line: bytes) -> None:
        """One write, so that another process cannot write into the line; on the disk, or not at all."""
        length = os.fstat(self._file.fileno()).st_size
        try:
            # A disk that fills up takes a part of the line without an error; the rest tells what is wrong.
            written = self._file.write(line)
            while written < len(line):
                written += self._file.write(line[written:])
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._file.fileno(), length)
            error.filename = str(self.path)
            raise

    def values(self, keys: Iterable[Key]) -> list[Any]:
        """Values of cells in the order of the keys, as JSON gives them back.

        Raises
        ------
        KeyError
            For a cell that is not finished.
        """
        return [self._values[_name(key)] for key in keys]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def _checksum(record: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps([record["key"], record["value"]]).encode())


def _name(key: Key) -> str:
    return json.dumps(to_json(key, "key"), sort_keys=True)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Parameters, values, and the length of what was written completely."""
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
        values = {_name(record["key"]): record["value"] for record in records}
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


def _check_same(path: Path, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
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
