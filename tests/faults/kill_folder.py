"""What a killed process may leave: whole files, and hidden ones that nobody reads."""

import csv
import json
import re

import matplotlib.image
from skops.io import get_untrusted_types

from moo_clustering.persistence import read_archive
from moo_clustering.studies.cells import read_cells

_LOCK = ".moo_clustering.lock"
_TEMPORARY = re.compile(r"\..+\.tmp")


def leftovers(folder):
    """Temporary files of processes that were killed."""
    return {path for path in folder.rglob("*") if _TEMPORARY.fullmatch(path.name)}


def final_files(folder):
    """Files with final names, in order."""
    hidden = {*leftovers(folder), *folder.rglob(_LOCK)}
    return sorted(path for path in folder.rglob("*") if path.is_file() and path not in hidden)


def damaged(folder):
    """Complaints about files with a final name that cannot be read to their end."""
    found = []
    for path in final_files(folder):
        try:
            _READERS.get(path.name, _READERS[path.suffix])(path)
        except Exception as error:
            found.append(f"{path.name} after the kill: {type(error).__name__}: {error}")
    return found


def _table(path):
    text = path.read_text(encoding="utf-8")
    _ends_with(text, "\n")
    if len({len(row) for row in csv.reader(text.splitlines())}) != 1:
        raise ValueError("rows of different lengths")


def _ends_with(text, end):
    if not text.rstrip(" ").endswith(end):
        raise ValueError(f"ends with {text[-20:]!r}")


def _answers(path):
    # What follows the last end of a line is the answer that was being written.
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    for line in lines:
        json.loads(line)


_READERS = {
    "answers.json": _answers,
    ".npz": read_archive,
    ".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    # The package's reader leaves out a last line without its end.
    ".jsonl": read_cells,
    ".csv": _table,
    ".md": lambda path: _ends_with(path.read_text(encoding="utf-8"), "\n"),
    ".tex": lambda path: _ends_with(path.read_text(encoding="utf-8"), "\n"),
    ".html": lambda path: _ends_with(path.read_text(encoding="utf-8").rstrip(), "</html>"),
    ".png": matplotlib.image.imread,
    ".skops": lambda path: get_untrusted_types(file=path),
}
