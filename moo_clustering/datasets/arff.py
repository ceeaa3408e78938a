"""ARFF parser: headers, dense and sparse rows, relational attributes, and selection of label attributes."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from moo_clustering._arrays import FloatArray, Int64Array, IntpArray, did_you_mean, quoted, warn_caller
from moo_clustering.datasets import files
from moo_clustering.datasets.files import DataError, Remedy, as_number, is_number, readable

# MEKA writes the number of labels as an option -C into the relation name, for example 'Music: -C 6'.
_OPTION = re.compile(r"(?<!\S)-[Cc]\s+([+-]?\d{1,9})(?!\S)")
_MOVED = re.compile(r"filters?\.\w+\.attribute\.(Remove|Reorder)")
_NUMBERS = dict.fromkeys(("0", "no", "n", "false", "f"), 0.0)
_NUMBERS |= dict.fromkeys(("1", "yes", "y", "true", "t"), 1.0)
_HOW = (
    Remedy("specify them with", "labels_xml", note=" (MULAN's XML file)"),
    Remedy("with", "n_labels", note=" (number of leading attributes, or of trailing attributes if negative)"),
    Remedy("with", "labels"),
)
Lines = Iterator[tuple[int, str]]
QUOTED = r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*\'"""
_ATTRIBUTE = re.compile(
    rf"""@attribute\s+(?:({QUOTED})|([^\s{{"'][^\s{{]*))\s*(.*)""", re.IGNORECASE | re.DOTALL
)
_KINDS = dict.fromkeys(("numeric", "real", "integer", "int"), "numeric")
_KINDS |= {"string": "text", "date": "date", "relational": "relational"}
_VALUE = re.compile(rf"""\s*+(?:({QUOTED})|((?!["'])[^,\t]*))(\s*,|[ ]*\t|\s*\Z)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(u001E|.)", re.DOTALL | re.IGNORECASE)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "u001e": "\x1e", "u001E": "\x1e"}
_MISSING = {"?", "", "<null>"}
_LARGEST = 2**26
_ENTRY = re.compile(rf"""\s*+([^\s,"']++)\s++(?:({QUOTED})\s*+|((?!["'])[^,]*+))(,|\Z)""", re.DOTALL)
_FREE = ("text", "date")
_Row = tuple[Sequence[int], Sequence[float]]  # column positions and codes of the entries that a row stores


@dataclass
class Attribute:
    """An attribute or column; ``values`` maps the declared values, or the texts read so far, to codes."""

    name: str
    kind: str  # "numeric", "nominal" (declared values), "text", "date" or "relational"
    values: dict[str, int] = field(default_factory=dict)
    inner: list[Attribute] = field(default_factory=list)
    rounded: str = ""  # example of an integer that double precision cannot represent

    def code(self, token: str | None) -> float:
        """Convert a value's text to a number or code; raise a ValueError or KeyError if it is invalid."""
        if token is None:
            return float("nan")
        if self.kind == "numeric":
            number = as_number(token)
            if math.isnan(number) and not is_number(token):
                raise ValueError(token)
            # Double precision represents all integers with up to 15 digits exactly.
            if len(token) > 15 and math.isfinite(number) and token.isdecimal() and int(token) != number:
                self.rounded = token
            return number
        if self.kind == "nominal":
            return self.values[token]
        return self.values.setdefault(token, len(self.values))


def numbered(texts: Iterable[str]) -> dict[str, int]:
    return {text: code for code, text in enumerate(dict.fromkeys(texts))}


def arff_lines(text: str) -> Lines:
    """Yield the line number and text of each line that is neither empty nor a comment."""
    # ``splitlines`` is not used, because it also splits at characters that may occur in names.
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if line and not line.startswith("%"):
            yield number, line


def is_arff(text: str) -> bool:
    first = next(arff_lines(text), (0, ""))[1].lower()
    return first.startswith(("@relation", "@attribute"))


def read_header(lines: Lines, source: object) -> tuple[list[Attribute], list[str], list[str], str]:
    """Read all lines up to ``@data``; return attributes, KEEL's inputs and outputs, and the relation."""
    attributes: dict[str, Attribute] = {}
    inputs, outputs, relation, number = list[str](), list[str](), "", 0
    for number, line in lines:
        word, where = line.split(None, 1)[0].lower(), f"{source}, line {number}"
        if word.startswith("@attribute"):
            _declare(attributes, line, where, lines, source)
        elif word in {"@inputs", "@input", "@outputs", "@output"}:
            (inputs if word.startswith("@i") else outputs).extend(_listed(line[len(word) :], where))
        elif word == "@data":
            break
        elif word == "@relation":
            name = line[len(word) :].strip()
            relation = unquoted(name) if re.fullmatch(QUOTED, name, re.DOTALL) else name
        else:
            rule = "the header must end with an @data line before the first row"
            raise DataError(f"{where}: invalid ARFF header line {_short(line)}; {rule}")
    else:
        end = f"has no @data line and ends in line {number}; it may be truncated" if number else "is empty"
        raise DataError(f"{source} {end}")
    if not attributes:
        raise DataError(f"{source} declares no attributes")
    for names in (inputs, outputs):
        for place, name in enumerate(names):
            # Some KEEL files repeat the type after the name, for example "C5 real".
            names[place] = name if name in attributes else name.split(None, 1)[0]
            if names[place] not in attributes:
                raise DataError(f"{source} lists {name!r} as an input or output, but does not declare it")
    return [*attributes.values()], inputs, outputs, relation


def _declare(
    attributes: dict[str, Attribute], line: str, where: str, lines: Lines | None, source: object
) -> None:
    """Parse an attribute declaration, and add the attribute to ``attributes``.

    Inside a relational attribute, ``lines`` is None, because relational attributes must not be nested.
    """
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"{where}: invalid attribute declaration {_short(line)}")
    quote, plain, declared = match.groups()
    name = plain if quote is None else unquoted(quote)
    kind = "nominal" if declared.startswith("{") else _KINDS.get(re.split(r"\W", declared)[0].lower())
    if kind is None:
        raise DataError(
            f"{where}: attribute {name!r} has unknown type {_short(declared)}; use numeric, real, integer, "
            "string, date, relational, or nominal values in braces"
        )
    attribute = Attribute(name, kind)
    if kind == "nominal":
        end = declared.rfind("}")
        if end < 0:
            fault = f"the values of {name!r} have no closing brace; the file may be truncated"
            raise DataError(f"{where}: {fault}")
        values = _listed(declared[1:end], f"{where}: attribute {name!r}")
        if not values:
            raise DataError(f"{where}: attribute {name!r} declares no values")
        attribute.values = numbered(values)
    elif kind == "relational":
        if lines is None:
            raise DataError(f"{where}: nested relational attributes are not supported, got {quoted(name)}")
        attribute.inner = _relational_attributes(name, where, lines, source)
    if name in attributes:
        raise DataError(f"{where}: attribute {name!r} is already declared")
    attributes[name] = attribute


def _relational_attributes(name: str, where: str, lines: Lines, source: object) -> list[Attribute]:
    what = "has no @end line; the file may be truncated"
    inner: dict[str, Attribute] = {}
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@end" and inner:
            return [*inner.values()]
        if not word.startswith("@attribute"):
            what = "is not closed by an @end line" if inner else "declares no attributes"
            break
        _declare(inner, line, f"{source}, line {number}", None, source)
    raise DataError(f"{where}: relational attribute {name!r} {what}")


def _listed(text: str, where: str) -> list[str]:
    try:
        return [value for value in split_row(text, 0) if value is not None]
    except RowError as error:
        raise DataError(f"{where}: {error}") from error


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def warn_rounded(attributes: Sequence[Attribute], source: object) -> None:
    for attribute in attributes:
        if attribute.rounded:
            warn_caller(
                f"{source}: value {_short(attribute.rounded)} of attribute {attribute.name!r} is rounded to "
                "double precision; drop the attribute if it identifies rows"
            )


class RowError(ValueError):
    """Raised if a row is invalid, with the reason."""


def read_row(attributes: Sequence[Attribute], text: str) -> list[float]:
    """Convert a dense row to numbers and codes."""
    if text.startswith("{"):
        raise RowError("sparse rows are not supported; save the file as dense ARFF")
    tokens = split_row(text, len(attributes))
    if len(tokens) != len(attributes):
        found = f"{len(tokens)} value{'' if len(tokens) == 1 else 's'}"
        cut = "; the file may be truncated" if len(tokens) < len(attributes) else ""
        raise RowError(f"expected {len(attributes)} values, one per attribute, got {found}{cut}")
    return list(map(_code, attributes, tokens))


def read_rows(attributes: Sequence[Attribute], lines: Lines, source: object) -> tuple[FloatArray, Int64Array]:
    """Return the values, shape (n_rows, n_attributes), and the line number of each row."""
    numbers, places = array("d"), array("q")
    for number, row in _parsed(partial(read_row, attributes), lines, source):
        numbers.extend(row)
        places.append(number)
    warn_rounded(attributes, source)
    values = np.frombuffer(numbers, dtype=np.float64).reshape(len(places), len(attributes))
    return values, np.frombuffer(places, dtype=np.int64)


def _parsed(read: Callable[[str], Any], lines: Lines, source: object) -> Iterator[Any]:
    number = 0
    for number, line in lines:
        try:
            row = read(line)
        except RowError as error:
            raise DataError(f"{source}, line {number}: {error}") from error
        yield number, row
    if not number:
        raise DataError(f"{source} has no rows after its @data line; it may be truncated")


def _code(attribute: Attribute, token: str | None) -> float:
    try:
        return attribute.code(token)
    except ValueError:
        raise RowError(f"attribute {attribute.name!r} must be numeric, got {quoted(token)}") from None
    except KeyError:
        raise RowError(
            f"value {token!r} is not declared for attribute {attribute.name!r}"
            f"{did_you_mean(token or '', attribute.values)}; correct the row or declare the value"
        ) from None


def split_row(text: str, expected: int) -> list[str | None]:
    """Split a row at commas, or at tabs if it has no commas. Missing values are None.

    A row without commas and tabs is split at spaces if more than one value is ``expected``.
    """
    if '"' not in text and "'" not in text:
        parts = text.split(",") if "," in text else text.split("\t") if "\t" in text else [text]
        if len(parts) == 1 and expected > 1:
            parts = text.split()
        return [None if (part := raw.strip()) in _MISSING else part for raw in parts]
    values: list[str | None] = []
    position = 0
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            number = len(values) + 1
            if re.match(rf"\s*({QUOTED})", text[position:], re.DOTALL):
                raise RowError(f"missing comma after quoted value {number}")
            raise RowError(f"value {number} has no closing quote; the file may be truncated")
        quote, plain, separator = match.groups()
        if quote is not None:
            values.append(unquoted(quote))
        else:
            values.append(None if plain.strip() in _MISSING else plain.strip())
        position = match.end()
        if "," not in separator and "\t" not in separator:
            return values


def unquoted(quote: str) -> str:
    inner = quote[1:-1]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)


class EntryReader:
    """Reader that converts dense and sparse rows to numbers and codes."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._free = {place for place, each in enumerate(attributes) if each.kind in _FREE}
        self._codes = [each.code for each in attributes]
        self._by_index = {
            str(place): (place, each.values.__getitem__ if each.kind == "nominal" else each.code)
            for place, each in enumerate(attributes)
            if place not in self._free
        }
        self._zero_is_default = not self._free and all(
            each.kind == "numeric" or each.values.get("0") == 0 for each in attributes
        )

    def read_all(self, lines: Lines, source: object) -> tuple[IntpArray, Int64Array, FloatArray, Int64Array]:
        """Return the row, column and code of each stored entry, and the line number of each row.

        Missing values are NaN. An entry that is not stored is 0 or the first declared value. Texts are always
        stored.
        """
        columns, codes, counts, places = array("q"), array("d"), array("q"), array("q")
        for number, (row, values) in _parsed(self._row, lines, source):
            columns.extend(row)
            codes.extend(values)
            counts.append(len(row))
            places.append(number)
        rows = np.repeat(np.arange(len(places)), np.frombuffer(counts, dtype=np.int64))
        entries = rows, np.array(columns), np.array(codes), np.array(places)
        self._refuse_duplicates(rows, entries[1], places, source)
        warn_rounded(self._attributes, source)
        return entries

    def _row(self, line: str) -> _Row:
        if not line.startswith("{"):
            return self._filled(line)
        if not line.endswith("}"):
            raise RowError("the sparse row does not end with a closing brace; the file may be truncated")
        body = line[1:-1]
        if not body or body.isspace():
            return (), ()
        if "'" in body or '"' in body:
            return self._careful(body)
        columns, codes, by_index = [], [], self._by_index
        try:
            for entry in body.split(","):
                index, token = entry.split()
                column, code = by_index[index]
                columns.append(column)
                codes.append(code(token))
        except (KeyError, ValueError):
            return self._careful(body)
        return columns, codes

    def _careful(self, body: str) -> _Row:
        """Parse a sparse row with quotes, missing values or errors, which :meth:`_row` cannot parse."""
        columns: list[int] = []
        codes: list[float] = []
        position = 0
        while True:
            match = _ENTRY.match(body, position)
            if match is None:
                raise RowError(_row_problem(body[position:], len(columns) + 1))
            index, quote, plain, separator = match.groups()
            token = unquoted(quote) if quote is not None else plain.strip()
            if quote is None and "}" in plain:
                raise RowError(_row_problem(plain, len(columns) + 1))
            columns.append(self._column(index))
            codes.append(_code(self._attributes[columns[-1]], None if not quote and token == "?" else token))
            position = match.end()
            if not separator:
                return columns, codes

    def _column(self, index: str) -> int:
        is_index = index.isascii() and index.isdigit() and len(index) <= 18
        if not is_index or int(index) >= len(self._codes):
            most = len(self._codes) - 1
            raise RowError(f"attribute indices must be integers from 0 to {most}, got {quoted(index)}")
        return int(index)

    def _filled(self, line: str) -> _Row:
        if self._zero_is_default:
            tokens = line.split(",")
            if len(tokens) == len(self._codes):
                columns = [place for place, token in enumerate(tokens) if token != "0"]
                try:
                    return columns, [self._codes[place](tokens[place].strip()) for place in columns]
                except (KeyError, ValueError):
                    pass
        codes = read_row(self._attributes, line)
        columns = [place for place, code in enumerate(codes) if code or place in self._free]
        return columns, [codes[place] for place in columns]

    def _refuse_duplicates(
        self, rows: IntpArray, columns: Int64Array, lines: Sequence[int], source: object
    ) -> None:
        cells = rows * len(self._codes) + columns
        if (np.diff(cells) > 0).all():
            return
        cells.sort()
        if len(twice := np.flatnonzero(cells[1:] == cells[:-1])):
            row, column = divmod(int(cells[twice[0]]), len(self._codes))
            raise DataError(
                f"{source}, line {lines[row]}: the sparse row has two entries for index {column} "
                f"(attribute {self._attributes[column].name!r}); remove one of them"
            )


def _row_problem(rest: str, number: int) -> str:
    if "}" in rest:
        return "the sparse row has text after its closing brace; row weights are not supported"
    if not rest.strip():
        return f"sparse-row entry {number} is empty"
    shown = rest.strip() if len(rest) <= 40 else rest.strip()[:37] + "..."
    return f"sparse-row entry {number} must be an index and a value, as in {{3 1, 17 1}}, got {quoted(shown)}"


def parts_of(
    attributes: Sequence[Attribute], relation: str, options: Mapping[str, Any], path: Path
) -> tuple[list[int], list[int], int | None]:
    """Return the column positions of the labels (in label order), the features and the identifier."""
    places = {attribute.name: place for place, attribute in enumerate(attributes)}
    names = _label_names([*places], relation, options, path)
    identifier, dropped = options["id_column"], dict.fromkeys(options["drop"], "drop")
    labelled = dict.fromkeys(names, "label")
    named = [*labelled.items(), (identifier, "identifier"), *dropped.items()]
    roles = files.roles_of(named, "attribute")
    files.check_names(roles, places, path, "attribute")
    features = [place for place, attribute in enumerate(attributes) if attribute.name not in roles]
    if not features:
        raise DataError(f"{path} has no features besides its {len(names)} label{'s' * (len(names) > 1)}")
    labels = [places[name] for name in names]
    for attribute in (attributes[place] for place in labels):
        if attribute.kind != "numeric" and (attribute.kind != "nominal" or not binary_numbers(attribute)):
            needed = "declare labels as {0,1}, or as numeric with values 0 and 1"
            raise DataError(f"{path}: label {attribute.name!r} is {_described(attribute)}; {needed}")
    _check_features([attributes[place] for place in features], path)
    return labels, features, None if identifier is None else places[identifier]


def _label_names(names: list[str], relation: str, options: Mapping[str, Any], path: Path) -> Sequence[str]:
    if options["n_labels"] is not None:
        return _counted(names, options["n_labels"], "n_labels", path)
    if options["labels"] is not None:
        return _known(options["labels"], names, "the list of labels contains", path)
    stem = Path(path.stem) if path.suffix.lower() == ".gz" else Path(path.name)
    beside = path.with_name(f"{stem.stem}.xml")
    if options["labels_xml"] is not None or beside.is_file():
        file = options["labels_xml"] or beside
        return _known(labels_of_file(file), names, f"{file} lists the label", path)
    settings = relation.partition(":")[2]
    option = _OPTION.search(settings)
    if option is None:
        found = sorted(each.name for each in path.parent.glob("*.xml"))
        where = f"; other XML files in the folder are {', '.join(found[:5])}" if found else ""
        raise DataError(
            f"{path} does not specify which attributes are labels: there is no file {beside.name} "
            f"next to it, and its relation name has no option -C{where}",
            *_HOW,
        )
    if _MOVED.search(settings, option.end()):
        raise DataError(
            f"{path}: the relation name has the option -C {option[1]}, but also records that "
            "attributes were removed or moved, so the option may be outdated",
            *_HOW,
        )
    return _counted(names, int(option[1]), "the option -C in the relation name", path)


def _counted(names: list[str], count: int, what: str, path: Path) -> list[str]:
    if not 0 < abs(count) < len(names):
        raise DataError(
            f"{path}: {what} must be from 1 to {len(names) - 1} (the number of attributes minus one), "
            f"or negative if the labels are the last attributes, got {count}"
        )
    return names[:count] if count > 0 else names[count:]


def _known(labels: Sequence[str], names: list[str], what: str, path: Path) -> Sequence[str]:
    declared = set(names)
    if missing := [label for label in labels if label not in declared]:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        near = did_you_mean(missing[0], names)
        raise DataError(f"{what} {missing[0]!r}{more}, but {path} has no such attribute{near}")
    for label, count in Counter(labels).items():
        if count > 1:
            raise DataError(f"{what} {label!r} more than once")
    return labels


def labels_of_file(path: Path) -> tuple[str, ...]:
    with readable(path), open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise DataError(f"{path} is larger than {_LARGEST} bytes, the limit for a list of labels")
    return labels_of_xml(data, path)


def labels_of_xml(data: bytes, source: object) -> tuple[str, ...]:
    """Read label names in document order; nested labels follow their parents."""
    # Document types and entities are rejected, so that no entity is expanded or fetched.
    if not data.strip():
        raise DataError(f"{source} is empty")
    names: dict[str, int] = {}
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(what: str) -> NoReturn:
        raise DataError(f"{source}, line {parser.CurrentLineNumber}: {what}")

    def start(element: str, attributes: dict[str, str]) -> None:
        kind = element.rpartition(" ")[2]
        if kind == "labels" and not names:
            return
        if kind != "label":
            refuse(f"expected an element 'labels' or 'label', got {quoted(kind)}")
        name = attributes.get("name")
        if name is None:
            refuse("the label has no attribute 'name'")
        if name in names:
            refuse(f"label {name!r} is already listed in line {names[name]}")
        names[name] = parser.CurrentLineNumber

    def declaration(*_: object) -> None:
        refuse("document types and entities are not supported; remove the declaration")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = declaration
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, "not well-formed XML")
        raise DataError(
            f"{source}, line {error.lineno}: invalid XML ({what}); the file may be truncated"
        ) from error
    except DataError:
        raise
    except (LookupError, ValueError) as error:
        # the file declares an unknown encoding
        raise DataError(f"{source}: invalid XML ({error})") from error
    if not names:
        raise DataError(f"{source} lists no labels")
    return tuple(names)


def binary_numbers(attribute: Attribute) -> list[float] | None:
    """Return 0 or 1 for each declared value of a nominal attribute, or None if it is not binary."""
    numbers = [_NUMBERS.get(value.casefold(), as_number(value)) for value in attribute.values]
    is_binary = set(numbers) <= {0.0, 1.0} and len(numbers) == len(set(numbers))
    return numbers if is_binary else None


def _check_features(features: list[Attribute], source: object) -> None:
    for kinds, remedy in (
        (("text", "date"), Remedy("if it is an identifier, use", "id_column")),
        (("relational",), Remedy("read it as bags of instances with read_bags")),
        (("nominal",), Remedy("replace it with one {0,1} attribute per value")),
    ):
        wrong = [each for each in features if each.kind in kinds and not binary_numbers(each)]
        if wrong:
            also = [repr(each.name) for each in wrong[1:5]] + ["..."] * (len(wrong) > 5)
            more = f" (as are {', '.join(also)})" if also else ""
            raise DataError(
                f"{source}: attribute {wrong[0].name!r} is {_described(wrong[0])}{more}; "
                "features must be numeric or {0,1}",
                remedy,
                Remedy("drop it with", "drop", [wrong[0].name]),
            )


def _described(attribute: Attribute) -> str:
    if attribute.kind != "nominal":
        return {"text": "a string", "date": "a date"}.get(attribute.kind, attribute.kind)
    values = [repr(value) for value in list(attribute.values)[:4]] + ["..."] * (len(attribute.values) > 4)
    return f"nominal with values {', '.join(values)}"
