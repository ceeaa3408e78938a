"""MULAN's XML files, which say what attributes of an ARFF file are labels."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from moo_clustering.datasets._table import DataError

_LARGEST = 2**26  # bytes; half a million labels need less


def labels_of_file(path: Path) -> tuple[str, ...]:
    """Names of the labels in a file; see :func:`labels_of_xml`."""
    if not path.is_file():
        raise DataError(f"there is no file {path} to name the labels")
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > _LARGEST:
        raise DataError(f"{path} is larger than {_LARGEST} bytes, too large for a list of labels")
    return labels_of_xml(data, str(path))


def labels_of_xml(data: bytes, source: str) -> tuple[str, ...]:
    """Names of the labels in the order of the text, those inside other labels after these.

    Raises
    ------
    DataError
        For what is no XML or of another form, document type and entity declarations (so that nothing is
        ever expanded or fetched), and labels without name, without number or named twice.
    """
    if not data.strip():
        raise DataError(f"{source} is empty")
    reader = _Reader(source)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, "no well-formed XML")
        raise DataError(
            f"{source}, line {error.lineno} cannot be read as XML: {what}; the file may be cut off"
        ) from error
    except (LookupError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{source} cannot be read as XML: {error}") from error  # an unknown encoding
    if not reader.names:
        raise DataError(f"{source} names no labels")
    return tuple(reader.names)


class _Reader:
    """Collects names as the parser meets them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.names: dict[str, int] = {}
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.StartDoctypeDeclHandler = self._declaration
        self.parser.EntityDeclHandler = self._declaration

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        kind = element.rpartition(" ")[2]
        if kind == "labels" and not self.names:
            return
        if kind != "label":
            self._refuse(f"there is an element {kind!r} where only labels and label are allowed")
        name = attributes.get("name")
        if name is None:
            self._refuse("there is a label without a name")
        if name in self.names:
            self._refuse(f"label {name!r} was named in line {self.names[name]} already")
        self.names[name] = self.parser.CurrentLineNumber

    def _declaration(self, *_: object) -> None:
        self._refuse("document types and entities are not read; remove the declaration")

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(f"{self.source}, line {self.parser.CurrentLineNumber}: {what}")
