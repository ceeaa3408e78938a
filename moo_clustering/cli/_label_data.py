"""Files of samples with any number of labels, named on the command line."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from moo_clustering.datasets import DataError, MultiLabelTable, read_multilabel
from moo_clustering.datasets._npz import array_names

if TYPE_CHECKING:
    from moo_clustering.estimators._registry import Method

SPARSE = (".svm", ".svmlight", ".libsvm")
# A relation of MEKA says how many of its attributes are labels.
_MEKA = re.compile(r"^\s*@relation\b.*:.*\s-C\s+[+-]?\d", re.IGNORECASE | re.MULTILINE)
_RELATIONAL = re.compile(r"^\s*@attribute\b.*\brelational\s*$", re.IGNORECASE | re.MULTILINE)

# What the reader says to those who call it, for those who use the command.
_AS_FLAGS = (
    (
        r"labels_xml=\.\.\. \(MULAN\), n_labels=\.\.\. \(.*?\) or labels=\[\.\.\.\]",
        "--label-file FILE (MULAN's XML) or --partial-labels NAME,NAME,...",
    ),
    (r"name the archive that has it with labels=\.\.\.", "name the archive that has it with --label-file"),
    (r"^labels name the label", "--partial-labels names the label"),
    (r"^labels_xml and labels each say", "--label-file and --partial-labels each say"),
    (r"^labels is an option", "--partial-labels is an option"),
    (r"^labels_xml is an option", "--label-file is an option"),
    (r"^id_column is an option", "--id-column is an option"),
    (r"^drop is an option", "--drop is an option"),
    (r"; texts are read by read_documents, and id_column names", ", and --id-column names"),
    (r"; bags of instances are read by read_bags, or", ", which methods of bags take; otherwise"),
    (r"\(id_column\)", "(--id-column)"),
    (r"\bby id_column\b", "by --id-column"),
    (r"\bby drop\b", "by --drop"),
    (r"the id_column\b", "the --id-column"),
    (r"drop=\[('[^']*')\]", r"--drop \1"),
)


def holds_label_sets(path: Path, method: Method, label_file: Path | None) -> bool:
    """Whether a file is to be read as samples with label sets.

    That is svmlight, and ARFF with a file of labels beside it or the number of labels in its header; for
    methods of label sets every ARFF file without bags, and npz files with indicators of labels.
    """
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(SPARSE):
        return True
    if name.endswith(".npz"):
        return takes_label_sets(method) and (label_file is not None or _has_indicators(path))
    if not name.endswith(".arff") or not path.is_file():
        return False
    header = _header(path)
    if _RELATIONAL.search(header):
        return False
    beside = label_file is not None or path.with_name(f"{_stem(path)}.xml").exists()
    return beside or bool(_MEKA.search(header)) or takes_label_sets(method)


def takes_label_sets(method: Method) -> bool:
    """Whether a sample may have any number of labels in the fit."""
    return "label_sets" in method.supervision


def methods_of_label_sets() -> str:
    """Names of the methods that take label sets."""
    from moo_clustering.estimators._registry import METHODS

    return ", ".join(known.name for known in METHODS.values() if takes_label_sets(known))


def load_label_sets(
    path: Path,
    method: Method,
    *,
    label_file: Path | None,
    partial_labels: str | None,
    id_column: str | None,
    drop: Sequence[str],
    others: Mapping[str, object],
) -> MultiLabelTable:
    """Samples and label sets of a file.

    Parameters
    ----------
    path : Path
    method : Method
    label_file : Path or None
        Names of the labels (MULAN's XML); default: beside the file.
    partial_labels : str or None
        Names of the attributes that are labels, where no file says so.
    id_column, drop
        See :func:`~moo_clustering.datasets.read_multilabel`.
    others : mapping
        Flags that say nothing about such a file, with their values.

    Raises
    ------
    DataError
    """
    if not takes_label_sets(method):
        raise DataError(
            f"{path.name} holds samples with any number of labels, which method {method.name} does not take; "
            f"methods that take label sets are {methods_of_label_sets()}"
        )
    for flag, value in others.items():
        if value:
            raise DataError(
                f"{flag} says nothing about {path.name}, whose label sets are part of the file and reach the "
                "fit; --hold-out withholds them, to score the predictions"
            )
    names = None if partial_labels is None else [name.strip() for name in partial_labels.split(",")]
    is_archive = path.suffix.lower() == ".npz"
    if is_archive and names is not None:
        raise DataError(f"--partial-labels names attributes of ARFF files; --label-file is for {path}")
    try:
        return read_multilabel(
            path,
            labels_xml=None if is_archive else label_file,
            labels=label_file if is_archive else names,
            id_column=id_column,
            drop=tuple(drop),
        )
    except DataError as error:
        text = str(error)
        for pattern, replacement in _AS_FLAGS:
            text = re.sub(pattern, replacement, text)
        raise DataError(text) from error


def _has_indicators(path: Path) -> bool:
    """Whether an archive, or the one that belongs to it, holds an array of label sets."""
    names = array_names(path)
    if not names:
        return False
    if path.name.endswith("_X.npz") and path.with_name(f"{path.name[:-5]}Y.npz").is_file():
        return True
    return "Y" in names


def _header(path: Path) -> str:
    """What comes before the data, as far as it can be read; whoever reads the file says what is wrong."""
    lines = []
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else open(path, "rb") as file:
            for line in file:
                if line.strip().lower().startswith(b"@data"):
                    break
                lines.append(line.decode("utf-8", "replace"))
    except (OSError, EOFError, zlib.error):
        pass
    return "".join(lines)


def _stem(path: Path) -> str:
    return path.name[: path.name.lower().rindex(".arff")]
