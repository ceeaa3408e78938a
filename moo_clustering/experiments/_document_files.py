"""Files of documents in a data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from moo_clustering.datasets import DataError
from moo_clustering.datasets._document_records import json_objects
from moo_clustering.experiments._document_sources import Source

_VARIABLE = "MOO_CLUSTERING_DATA"


def data_folder(given: str | PathLike[str] | None) -> Path:
    """The folder that is given, or that of the environment variable ``MOO_CLUSTERING_DATA``.

    Raises
    ------
    DataError
        If there is neither.
    """
    folder = os.environ.get(_VARIABLE) if given is None else given
    if not folder:
        raise DataError(
            f"a collection of documents needs the folder of its file: give it, or set {_VARIABLE}"
        )
    return Path(folder)


def place_of(folder: Path, file: str) -> Path | None:
    """Where a file is: in the folder or in its sub-folder ``text``; None if in neither."""
    return next((path for path in (folder / file, folder / "text" / file) if path.is_file()), None)


def find_file(file: str, folder: str | PathLike[str] | None) -> Path:
    """Where a file is.

    Raises
    ------
    DataError
        If there is no such file.
    """
    given = data_folder(folder)
    place = place_of(given, file)
    if place is None:
        raise DataError(f"there is no {file} in {given} or its sub-folder text")
    return place


def document_records(path: Path, source: Source) -> list[tuple[dict[str, Any], frozenset[str]]]:
    """Documents that have any text, with their topics.

    Raises
    ------
    DataError
        If the file cannot be read, or is not what it should be.
    """
    try:
        return [(document, topics) for document, topics in _records(path, source) if any(document.values())]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _records(path: Path, source: Source) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    for line, record in json_objects(path):
        labels: Any = record.get("labels")
        headings: Any = record.get("mesh") or []
        if not _are_texts(labels) or not _are_texts(headings):
            raise DataError(f"{path}, line {line}: labels and mesh must be lists of texts")
        title, text = (record.get(field) or "" for field in ("title", "text"))
        if not _are_texts([title, text]):
            raise DataError(f"{path}, line {line}: title and text must be texts")
        document = {
            "title": title.strip(),
            "text": text.strip(),
            "headings": [source.heading_of(heading) for heading in headings],
        }
        yield document, frozenset(map(source.topic_of, labels))


def _are_texts(cell: Any) -> bool:
    return isinstance(cell, list) and all(isinstance(item, str) for item in cell)
