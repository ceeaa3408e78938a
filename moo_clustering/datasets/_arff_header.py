"""Headers of ARFF files, with relational attributes and with what KEEL writes differently.

``scipy.io.arff`` reads the WEKA files of the multi-instance literature rightly and as fast, but passes
over values beyond the declared ones without a word (rows and bags cut or too wide), changes letters
that are not ASCII in bags, refuses string attributes, KEEL headers and files that mix quotes, and
says of a damaged file neither the line nor, mostly, what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from moo_clustering.datasets._arff_rows import QUOTED, RowError, split_row, unquoted
from moo_clustering.datasets._table import DataError

Lines = Iterator[tuple[int, str]]

_ATTRIBUTE = re.compile(
    rf"""@attribute\s+(?:({QUOTED})|([^\s{{"'][^\s{{]*))\s*(.*)""", re.IGNORECASE | re.DOTALL
)
_KINDS = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "int": "numeric",
    "string": "text",
    "date": "date",
    "relational": "relational",
}


@dataclass
class Attribute:
    """An attribute: its values if nominal (declared) or of another text kind (met so far)."""

    name: str
    kind: str
    values: dict[str, int] = field(default_factory=dict)
    inner: list[Attribute] = field(default_factory=list)

    def code(self, token: str | None) -> float:
        """A value as a number or as the code of a text; ValueError or KeyError if it is none."""
        if token is None:
            return float("nan")
        if self.kind == "numeric":
            if "_" in token:  # which Python, but no ARFF file, allows in numbers
                raise ValueError(token)
            return float(token)
        if self.kind == "nominal":
            return self.values[token]
        return self.values.setdefault(token, len(self.values))


@dataclass
class Header:
    """Attributes of a file, those that a KEEL file lists as inputs and outputs, and the relation's name."""

    attributes: list[Attribute]
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    relation: str = ""


def arff_lines(text: str) -> Lines:
    """Number and text of every line that is neither empty nor a comment."""
    # Not splitlines: names may hold characters that it takes for line ends.
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if line and not line.startswith("%"):
            yield number, line


def is_arff(text: str) -> bool:
    """Whether a text begins as an ARFF file does."""
    first = next(arff_lines(text), (0, ""))[1].lower()
    return first.startswith(("@relation", "@attribute"))


def read_header(lines: Lines, source: str) -> Header:
    """Header up to and with ``@data``, leaving the rows in ``lines``."""
    header = Header([])
    known: set[str] = set()
    number = 0
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word.startswith("@attribute"):
            _add(header.attributes, known, _attribute(line, number, lines, source), number, source)
        elif word in {"@inputs", "@input", "@outputs", "@output"}:
            names = _names(line[len(word) :], number, source)
            (header.inputs if word.startswith("@i") else header.outputs).extend(names)
        elif word == "@data":
            return _checked(header, source)
        elif word == "@relation":
            name = line[len(word) :].strip()
            header.relation = unquoted(name) if re.fullmatch(QUOTED, name, re.DOTALL) else name
        else:
            raise DataError(
                f"{source}, line {number} is no line of an ARFF header (which an @data line must end before "
                f"the first row): {_short(line)}"
            )
    if not number:
        raise DataError(f"{source} is empty")
    raise DataError(f"{source} has no @data line; it may be cut off (it ends in line {number})")


def _attribute(line: str, number: int, lines: Lines | None, source: str) -> Attribute:
    """The attribute that a line declares, with the lines of its inner ones; None: inside a bag."""
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"{source}, line {number} declares no attribute that can be read: {_short(line)}")
    quoted, plain, declared = match.groups()
    name = plain if quoted is None else unquoted(quoted)
    if declared.startswith("{"):
        values = _nominal_values(declared, name, number, source)
        return Attribute(name, "nominal", values)
    word = re.match(r"\w*", declared)
    kind = _KINDS.get(word.group().lower()) if word else None
    if kind is None:
        raise DataError(
            f"{source}, line {number}: attribute {name!r} is of the unknown type {_short(declared)}; "
            "known are numeric, real, integer, relational, and nominal values in braces"
        )
    attribute = Attribute(name, kind)
    if kind == "relational":
        if lines is None:
            raise DataError(f"{source}, line {number}: bags of bags (attribute {name!r}) are not read")
        _read_relational(attribute, number, lines, source)
    return attribute


def _read_relational(attribute: Attribute, start: int, lines: Lines, source: str) -> None:
    what = "has no end; the file may be cut off"
    known: set[str] = set()
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@end" and attribute.inner:
            return
        if not word.startswith("@attribute"):
            what = "is not closed by an @end line" if attribute.inner else "declares no attributes"
            break
        _add(attribute.inner, known, _attribute(line, number, None, source), number, source)
    raise DataError(f"{source}, line {start}: the relational attribute {attribute.name!r} {what}")


def _nominal_values(declared: str, name: str, number: int, source: str) -> dict[str, int]:
    end = declared.rfind("}")
    if end < 0:
        raise DataError(
            f"{source}, line {number}: the values of attribute {name!r} have no closing brace; "
            "the file may be cut off"
        )
    try:
        values = [value for value in split_row(declared[1:end], 0) if value is not None]
    except RowError as error:
        raise DataError(f"{source}, line {number}: attribute {name!r}: {error}") from error
    if not values:
        raise DataError(f"{source}, line {number}: attribute {name!r} declares no values")
    return {value: code for code, value in enumerate(dict.fromkeys(values))}


def _add(
    attributes: list[Attribute], known: set[str], attribute: Attribute, number: int, source: str
) -> None:
    if attribute.name in known:
        raise DataError(f"{source}, line {number} declares a second attribute {attribute.name!r}")
    known.add(attribute.name)
    attributes.append(attribute)


def _names(listed: str, number: int, source: str) -> list[str]:
    try:
        return [name for name in split_row(listed, 0) if name is not None]
    except RowError as error:
        raise DataError(f"{source}, line {number}: {error}") from error


def _checked(header: Header, source: str) -> Header:
    if not header.attributes:
        raise DataError(f"{source} declares no attributes")
    known = {attribute.name for attribute in header.attributes}
    for names in (header.inputs, header.outputs):
        for place, name in enumerate(names):
            # Some KEEL files repeat the type: "C5 real".
            names[place] = name if name in known else name.split(None, 1)[0]
            if names[place] not in known:
                raise DataError(f"{source} lists {name!r} as input or output, but declares no such attribute")
    return header


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
