"""Documents in a folder."""

from __future__ import annotations

from pathlib import Path

from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._columns import identifiers
from moo_clustering.datasets._document_fields import Fields, clean
from moo_clustering.datasets._documents import Documents
from moo_clustering.datasets._table import DataError

_FOLDER = "folder"


def read_folder(folder: Path, fields: Fields) -> Documents:
    """Every text file in a folder and below, in the order of their names."""
    _check(folder, fields)
    files = sorted(
        (path for path in folder.rglob("*") if path.suffix.lower() == ".txt" and path.is_file()),
        key=lambda path: path.relative_to(folder).parts,
    )
    if not files:
        raise DataError(f"{folder} holds no documents: there is no .txt file in it")
    places = [path.relative_to(folder) for path in files]
    row_ids = identifiers([clean(place.as_posix()) for place in places], "file name", str(folder))
    documents = Documents(folder.resolve().name, [_text(path) for path in files], row_ids)
    if fields.labels is None and fields.partial_labels is None:
        return documents
    names = [clean(place.parts[0]) if len(place.parts) > 1 else "" for place in places]
    if not any(names):
        raise DataError(f"{folder} has no sub-folders that could be the classes (labels='folder')")
    codes, classes = encode_classes(names, minus_one_is_missing=False)
    if fields.labels is None:
        return Documents(documents.name, documents.texts, row_ids, partial_y=codes, partial_names=classes)
    return Documents(documents.name, documents.texts, row_ids, y=codes, target_names=classes)


def _check(folder: Path, fields: Fields) -> None:
    if fields.text or fields.id_column or fields.drop:
        raise DataError(
            f"{folder} is a folder of text files, which has no columns to name with text_columns, id_column "
            "or drop (--text-columns, --id-column, --drop)"
        )
    for option, given in (("labels", fields.labels), ("partial_labels", fields.partial_labels)):
        if given not in (None, _FOLDER):
            raise DataError(
                f"{option} of a folder can only be 'folder' (its sub-folders are the classes), not {given!r}"
            )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
