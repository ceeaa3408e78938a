"""Multi-label data in files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from moo_clustering.datasets._multilabel_names import Names
from moo_clustering.datasets._multilabel_table import MultiLabelTable
from moo_clustering.datasets._read_bags import file_bytes, file_text
from moo_clustering.datasets._read_documents import holds_documents
from moo_clustering.datasets._table import DataError

_SVMLIGHT = (".svmlight", ".svm", ".libsvm")
_OPTIONS = {
    "ARFF": {"labels_xml", "n_labels", "labels", "id_column", "drop"},
    "svmlight": set(),
    "npz": {"labels", "id_column", "feature_names", "label_names"},
}


def read_multilabel(
    path: str | PathLike[str],
    *,
    labels_xml: str | PathLike[str] | None = None,
    n_labels: int | None = None,
    labels: Sequence[str] | str | PathLike[str] | None = None,
    feature_names: Names = None,
    label_names: Names = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
) -> MultiLabelTable:
    """Read samples with any number of labels from ARFF (MULAN, MEKA), svmlight or npz.

    Documents in JSON lines are read by :func:`read_documents`; :func:`label_indicators` gives their labels.

    Parameters
    ----------
    path : path-like
        - ``.arff``, dense or sparse (``{3 1, 17 1}``: what is left out is 0, or the first declared value).
          Features are numeric or declared ``{0,1}`` (or ``{no,yes}``, ``{false,true}``, and their initials),
          labels too, with no other values. A row with ``?`` for every label is unlabelled.
        - ``.svmlight``, ``.svm``, ``.libsvm``: lines ``1,3 5:1 7:0.5``. Features are counted from 0 if the
          index 0 occurs, else from 1. The labels are those that occur, in the order of their numbers; a
          line without has none. Blank lines are passed over.
        - ``.npz`` with an array ``X``, or a sparse matrix as ``scipy.sparse.save_npz`` writes it; ``Y`` in
          the same archive or another one. Read without executing anything.

        Text files may be compressed by gzip (``.gz``).
    labels_xml : path-like, optional
        MULAN's XML file with the names of the labels, those inside others too; it gives their order. Default
        for ARFF: the file of the same name with ``.xml``, if there is one.
    n_labels : int, optional
        In ARFF the first that many attributes are the labels, or the last ones if negative. Default, where
        there is no XML file: MEKA's option in the name of the relation, as in ``'Music: -C 6'``.
    labels : sequence of str, or path-like, optional
        For ARFF the names of the labels, in the order wanted. For npz the archive with the array ``Y`` (or
        a sparse matrix) of 0, 1 and rows of -1 for unlabelled samples; default for ``..._X.npz``:
        ``..._Y.npz``.
    feature_names, label_names : sequence of str, or path-like, optional
        For npz, or text files with one name a line. Default: arrays of these names in the archives, or
        for ``..._X.npz`` the files ``..._features.txt`` and ``..._labels.txt``, or x0, x1, ... and y0, y1,
        ...
    id_column : str, optional
        Attribute (ARFF) or array (npz) with identifiers of the rows.
    drop : sequence of str, default=()
        Attributes (ARFF) to leave out.

    Returns
    -------
    MultiLabelTable

    Raises
    ------
    DataError
        For files that are missing, empty, cut off, damaged or of unknown kind; labels that are named but not
        there, or are neither 0 nor 1; rows in which some labels are missing and others not; indices that are
        repeated or too large; features that are missing, infinite or not numeric; XML with a document type.

    Notes
    -----
    O(bytes) time and memory; rows are never expanded to dense ones.

    References
    ----------
    Tsoumakas et al., *MULAN: a Java library for multi-label learning*, JMLR 12 (2011); Read et al., *MEKA*,
    JMLR 17 (2016), the formats.
    """
    path = Path(path)
    drop = _sequence(drop, "drop")
    given = {
        "labels_xml": labels_xml,
        "n_labels": n_labels,
        "labels": labels,
        "feature_names": feature_names,
        "label_names": label_names,
        "id_column": id_column,
        "drop": drop or None,
    }
    kind = _kind(path)
    for name, value in given.items():
        if value is not None and name not in _OPTIONS[kind]:
            uses = ", ".join(sorted(other for other, known in _OPTIONS.items() if name in known))
            raise DataError(f"{name} is an option for {uses} files, but {path} is read as {kind}")
    if n_labels is not None and (isinstance(n_labels, bool) or not hasattr(n_labels, "__index__")):
        raise TypeError(f"n_labels must be an integer, got {n_labels!r}")
    ways = [name for name in ("labels_xml", "n_labels", "labels") if given[name] is not None]
    if len(ways) > 1:
        raise DataError(f"{' and '.join(ways)} each say what the labels are; give only one of them")
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        return _read(path, kind, given)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _read(path: Path, kind: str, given: dict[str, Any]) -> MultiLabelTable:
    # The readers import scipy, which takes time that `--help` should not.
    if kind == "ARFF":
        from moo_clustering.datasets._multilabel_arff import read_multilabel_arff
        from moo_clustering.datasets._multilabel_roles import ArffOptions

        file, labels = given["labels_xml"], given["labels"]
        return read_multilabel_arff(
            file_text(path),
            path,
            ArffOptions(
                None if file is None else Path(file),
                given["n_labels"],
                None if labels is None else _sequence(labels, "labels"),
                given["id_column"],
                given["drop"] or (),
            ),
        )
    if kind == "svmlight":
        from moo_clustering.datasets._multilabel_svmlight import read_multilabel_svmlight

        return read_multilabel_svmlight(file_bytes(path), path)
    from moo_clustering.datasets._multilabel_npz import NpzOptions, read_multilabel_npz

    labels = given["labels"]
    if labels is not None and not isinstance(labels, str | PathLike):
        raise TypeError(
            "labels must be the archive with the array 'Y' for npz files (names go to label_names), "
            f"got {labels!r}"
        )
    return read_multilabel_npz(
        path,
        NpzOptions(
            None if labels is None else Path(fspath(labels)),
            given["feature_names"],
            given["label_names"],
            given["id_column"],
        ),
    )


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if suffix == ".gz" else suffix
    if suffix == ".npz":
        return "npz"
    if inner == ".arff":
        return "ARFF"
    if inner in _SVMLIGHT:
        return "svmlight"
    if holds_documents(path):
        raise DataError(
            f"{path} holds documents: read_documents(path, labels=...) reads the texts, and label_indicators "
            "gives their labels as indicators"
        )
    known = ", ".join([".arff", *_SVMLIGHT, ".npz"])
    raise DataError(
        f"{path} has the suffix {path.suffix!r}; multi-label data are read from {known}, and text files "
        "also with .gz"
    )


def _sequence(names: Any, what: str) -> tuple[str, ...]:
    if isinstance(names, str | PathLike):
        raise TypeError(f"{what} must be a sequence of names, as {what}=['name'], got {names!r}")
    return tuple(names)
