"""Files that a set can be made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from moo_clustering.experiments._document_sources import SOURCES
from moo_clustering.experiments._reproduce import RECORD
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


class Source(NamedTuple):
    """A file, and how it becomes a set."""

    file: str
    make: Callable[[], ClassedSet]
    in_protocol: bool = True


def folder_sources(folder: Path) -> tuple[dict[str, Source], list[Skipped]]:
    """Sources by name of all files of a folder, and the files that are none."""
    found: list[tuple[str, Path, Source]] = []
    skipped: list[Skipped] = []
    runs = {path.parent for path in folder.rglob(RECORD) if _is_record(path)}
    is_known_tree = any((folder / name).is_dir() for name in _KNOWN_FOLDERS)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        file = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if not runs.isdisjoint(path.parents):
            skipped.append(Skipped(file, "of the folder of a run of this package"))
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
        sources.setdefault(DIGITS, Source("of scikit-learn", _digits))
    return sources, skipped


def _sources_of(path: Path, file: str) -> dict[str, Source]:
    suffix = _suffix(path)
    if suffix in (".jsonl", ".jsonl.gz"):
        if path.name in FILES:
            names = [name for name, one in CORPORA.items() if SOURCES[one.collection].file == path.name]
            return {name: Source(file, partial(_corpus, name, path)) for name in names}
        name = path.name.removesuffix(suffix)
        return {name: Source(file, partial(_json, name, path), path.name not in _OTHER_TEXTS)}
    read = archive_table if suffix == ".npz" else frame_table if suffix in _TABLES else None
    if read is None:
        return {}
    kind = _KNOWN_FOLDERS.get(path.parent.name, "o")

    def make() -> ClassedSet:
        X, classes, note = read(path)
        return made_set(path.stem, kind, X, classes, note)

    return {path.stem: Source(file, make)}


def _is_record(path: Path) -> bool:
    """Whether it is what a run or an experiment of this package says of itself."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and str(record.get("format", "")).startswith("moo_clustering ")


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


def bundled_sources() -> dict[str, Source]:
    """Sets of scikit-learn by name."""

    def make(name: str) -> ClassedSet:
        X, y = _BUNDLED[name](return_X_y=True)
        return made_set(name, "u", X, y)

    sources = {name: Source("of scikit-learn", partial(make, name)) for name in _BUNDLED}
    return {**sources, DIGITS: Source("of scikit-learn", _digits)}
