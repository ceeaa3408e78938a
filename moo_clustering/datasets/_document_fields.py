"""From named columns to documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._columns import Roles, check_roles, identifiers
from moo_clustering.datasets._documents import Documents
from moo_clustering.datasets._table import DataError
from moo_clustering.datasets._text import UNNAMED

_TITLE = "title"
_IDS = ("id", UNNAMED)
_TEXT = (_TITLE, "text", "abstract")


class Fields(NamedTuple):
    """What the columns of a collection are for."""

    text: tuple[str, ...] | None = None
    id_column: str | None = None
    labels: str | None = None
    partial_labels: str | None = None
    drop: tuple[str, ...] = ()

    @property
    def roles(self) -> Roles:
        """The columns that are not text."""
        return Roles(self.labels, self.partial_labels, self.id_column, self.drop)

    def check(self) -> None:
        """No column has two roles, and columns of text, where named, are at least one."""
        taken = self.roles.by_column()
        if self.text is None:
            return
        if not self.text:
            raise DataError("text_columns (--text-columns) names no column")
        for number, column in enumerate(self.text):
            if column in taken:
                raise DataError(f"column {column!r} cannot be both text and the {taken[column]} column")
            if column in self.text[:number]:
                raise DataError(f"text_columns (--text-columns) names {column!r} twice")

    def wanted(self) -> set[str]:
        """Columns that may be used."""
        return {*(self.text or _TEXT), _TITLE, *_IDS, *self.roles.by_column()}


class Records(NamedTuple):
    """Cells of the wanted columns, None where there is none."""

    columns: list[str]
    cells: dict[str, list[Any]]
    lines: list[int]


def documents_of(records: Records, fields: Fields, path: Path) -> Documents:
    """Documents of columns."""
    source = str(path)
    if not records.lines:
        raise DataError(f"{source} holds no documents")
    check_roles(fields.roles, records.columns, source)
    free = [column for column in records.columns if column not in fields.roles.by_column()]
    parts = [_texts(records, column, source) for column in _text_columns(fields, free, records, source)]
    usual = [column for column in _IDS if column in free and column not in (fields.text or ())]
    id_column = fields.id_column or next(iter(usual), None)
    row_ids: NDArray[Any] = np.arange(len(records.lines))
    if id_column is not None:
        row_ids = identifiers(_texts(records, id_column, source), id_column, source)
    y, targets, sets = _known(records, fields.labels, source)
    partial, names = _partial(records, fields.partial_labels, source)
    return Documents(
        name=path.name,
        texts=["\n".join(filter(None, cells)) for cells in zip(*parts, strict=True)],
        row_ids=row_ids,
        titles=_texts(records, _TITLE, source) if _TITLE in free else None,
        y=y,
        target_names=targets,
        label_sets=sets,
        partial_y=partial,
        partial_names=names,
        labelled=_stated(records, fields.labels),
    )


def clean(text: str) -> str:
    """The text, with what no encoding can write (halves of surrogate pairs) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _text_columns(fields: Fields, free: list[str], records: Records, source: str) -> Sequence[str]:
    if fields.text is None:
        columns = [column for column in _TEXT if column in free]
        if not columns:
            shown = ", ".join(map(repr, records.columns[:10])) + (
                ", ..." if len(records.columns) > 10 else ""
            )
            raise DataError(
                f"{source} has no column 'title', 'text' or 'abstract'; name its columns of text with "
                f"text_columns (--text-columns); there are {shown or 'none'}"
            )
        return columns
    for column in fields.text:
        if column not in records.columns:
            raise DataError(
                f"{source} has no column {column!r} (text){did_you_mean(column, records.columns)}"
            )
    return fields.text


def _texts(records: Records, column: str, source: str) -> list[str]:
    return ["\n".join(names) for names in _names(records, column, source)]


def _names(records: Records, column: str, source: str) -> Iterator[tuple[str, ...]]:
    """Each cell as texts, without the empty ones."""
    for line, cell in zip(records.lines, records.cells[column], strict=True):
        items = cell if isinstance(cell, list) else [cell]
        if any(isinstance(item, list | dict) for item in items):
            raise DataError(f"{source}, line {line}: column {column!r} is neither a text nor a list of texts")
        yield tuple(name for item in items if (name := _text(item)))


def _text(item: Any) -> str:
    if item is None or item != item:  # NaN is the one value that differs from itself
        return ""
    return clean(str(item)).strip()


def _known(
    records: Records, column: str | None, source: str
) -> tuple[NDArray[np.int64] | None, tuple[str, ...], list[tuple[str, ...]] | None]:
    """Classes as codes with their names, or, where a document has several, as sets."""
    if column is None:
        return None, (), None
    sets = [tuple(dict.fromkeys(names)) for names in _names(records, column, source)]
    if any(len(names) > 1 for names in sets):
        return None, tuple(sorted({name for names in sets for name in names})), sets
    y, targets = encode_classes(["".join(names) for names in sets], minus_one_is_missing=False)
    return y, targets, None


def _stated(records: Records, column: str | None) -> NDArray[np.bool_] | None:
    if column is None:
        return None
    return np.array(
        [isinstance(cell, list) or bool(_text(cell)) for cell in records.cells[column]], dtype=bool
    )


def _partial(
    records: Records, column: str | None, source: str
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    if column is None:
        return None, ()
    single = []
    for line, names in zip(records.lines, _names(records, column, source), strict=True):
        if len(names) > 1:
            raise DataError(
                f"{source}, line {line}: column {column!r} (partial labels) holds {len(names)} labels, "
                "but a document can have only one"
            )
        single.append("".join(names))
    return encode_classes(single, minus_one_is_missing=True)
