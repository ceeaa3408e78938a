"""Which sets a folder holds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.experiments._document_sources import SOURCES
from moo_clustering.experiments.flagship._sets import ClassedSet, made_set
from moo_clustering.experiments.flagship._tables_of_files import archive_table, frame_table
from moo_clustering.experiments.flagship._texts_of_files import (
    CORPORA,
    FILES,
    Texts,
    corpus_texts,
    json_texts,
    term_weights,
)
from moo_clustering.persistence import fingerprint

_VARIABLE = "MOO_CLUSTERING_DATA"
_KNOWN_FOLDERS = {"shapes": "s", "uci": "u"}
_TABLES = (".csv", ".tsv", ".tab", ".data", ".parquet", ".pq")
_BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer_wdbc": load_breast_cancer}
DIGITS = "digits"
# Collections that the protocol does not use, and files beside collections.
_OTHER_TEXTS = {source.file for source in SOURCES.values()} - FILES


class Skipped(NamedTuple):
    """A file that is no set here, and why."""

    file: str
    reason: str


class Suite(NamedTuple):
    """Sets, in the order of the reports, and the files that are none."""

    sets: list[ClassedSet]
    skipped: list[Skipped]


class _Source(NamedTuple):
    file: str
    make: Callable[[], ClassedSet]
    in_protocol: bool = True


def load_suite(folder: Path | None, names: Sequence[str] = ()) -> Suite:
    """All sets of a folder that can be read, or those asked for.

    Parameters
    ----------
    folder : Path, optional
        Searched with all its sub-folders for npz, CSV, TSV, Parquet and JSON lines; in sub-folders
        ``shapes`` and ``uci`` are shapes and tables, and with one of those scikit-learn's digits belong to
        the suite. Default: the folder named by the environment variable ``MOO_CLUSTERING_DATA``,
        without which there are sets of scikit-learn only.
    names : sequence of str, default=()
        Names of sets: of files without suffix, with the folder before it where two files share it.

    Raises
    ------
    ValueError
        For a name that there is no set of.
    DataError
        If there is no such folder, or no set in it.
    """
    given = os.environ.get(_VARIABLE) if folder is None else folder
    sources = _bundled_sources()
    skipped: list[Skipped] = []
    if given:
        sources, skipped = _sources(Path(given))
    for name in names:
        if name not in sources:
            raise ValueError(
                f"sets must be among {', '.join(sources)}; got {name!r}{did_you_mean(name, sources)}"
            )
    sets: list[ClassedSet] = []
    for name, source in sources.items():
        if name not in names if names else not source.in_protocol:
            if not names:
                skipped.append(Skipped(source.file, "not in the suite of the protocol; ask for it by name"))
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sets.append(replace(source.make(), name=name))
        except (DataError, MemoryError, ValueError) as error:
            reason = " ".join(str(error).split())
            skipped.append(Skipped(source.file, reason.replace(f"{given}{os.sep}", "") if given else reason))
    if not sets:
        reasons = "; ".join(f"{one.file}: {one.reason}" for one in skipped[:5])
        raise DataError(f"{given} holds no set with classes ({reasons or 'no files'})")
    order = list("sutdo")
    return Suite(
        sorted(sets, key=lambda one: (order.index(one.kind), one.name)),
        sorted(skipped, key=lambda one: one.file),
    )


def _sources(folder: Path) -> tuple[dict[str, _Source], list[Skipped]]:
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder}")
    found: list[tuple[str, Path, _Source]] = []
    skipped: list[Skipped] = []
    is_known_tree = any((folder / name).is_dir() for name in _KNOWN_FOLDERS)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        file = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        sources = _sources_of(path, file)
        if not sources:
            skipped.append(Skipped(file, "of no kind that is read here"))
        found += [(name, path, source) for name, source in sources.items()]
    counts: dict[str, int] = {}
    for name, _, _ in found:
        counts[name] = counts.get(name, 0) + 1
    sources = {
        name if counts[name] == 1 else source.file.removesuffix(_suffix(path)): source
        for name, path, source in found
    }
    if is_known_tree:
        sources.setdefault(DIGITS, _Source("of scikit-learn", _digits))
    return sources, skipped


def _sources_of(path: Path, file: str) -> dict[str, _Source]:
    suffix = _suffix(path)
    if suffix in (".jsonl", ".jsonl.gz"):
        if path.name in FILES:
            names = [name for name, one in CORPORA.items() if SOURCES[one.collection].file == path.name]
            return {name: _Source(file, partial(_corpus, name, path)) for name in names}
        name = path.name.removesuffix(suffix)
        return {name: _Source(file, partial(_json, name, path), path.name not in _OTHER_TEXTS)}
    read = archive_table if suffix == ".npz" else frame_table if suffix in _TABLES else None
    if read is None:
        return {}
    kind = _KNOWN_FOLDERS.get(path.parent.name, "o")

    def make() -> ClassedSet:
        X, classes, note = read(path)
        return made_set(path.stem, kind, X, classes, note)

    return {path.stem: _Source(file, make)}


def _suffix(path: Path) -> str:
    name = path.name.lower()
    return ".jsonl.gz" if name.endswith(".jsonl.gz") else path.suffix.lower()


def _corpus(name: str, path: Path) -> ClassedSet:
    return _texts_set(name, corpus_texts(name, path))


def _json(name: str, path: Path) -> ClassedSet:
    return _texts_set(name, json_texts(path))


def _texts_set(name: str, found: Texts) -> ClassedSet:
    # The rows that count first: terms are those of these.
    rows = made_set(name, "t", np.arange(len(found.texts), dtype=np.float64)[:, None], found.classes)
    chosen = rows.table[:, 0].astype(np.int64)
    weights = term_weights([found.texts[row] for row in chosen])
    identity = fingerprint(weights.data, weights.indices, weights.indptr, rows.classes)[:16]
    return ClassedSet(name, identity, "t", "none", weights, rows.classes, found.note)


def _digits() -> ClassedSet:
    X, y = load_digits(return_X_y=True)
    return made_set(DIGITS, "d", X, y, scale="isotropic")


def _bundled_sources() -> dict[str, _Source]:
    def make(name: str) -> ClassedSet:
        X, y = _BUNDLED[name](return_X_y=True)
        return made_set(name, "u", X, y)

    sources = {name: _Source("of scikit-learn", partial(make, name)) for name in _BUNDLED}
    return {**sources, DIGITS: _Source("of scikit-learn", _digits)}
