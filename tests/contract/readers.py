"""Everything that reads or makes data: small files of every kind, and what to call with them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from moo_clustering import constraints, datasets, persistence
from moo_clustering.bags import Bags

# Public names of ``datasets`` and ``persistence`` that neither read nor make data.
OTHERS = {
    "BUNDLED": "names",
    "BagTable": "a result",
    "CategoryTable": "a result",
    "Checkpoint": "where a checkpoint is",
    "CheckpointMismatchError": "an error",
    "ArchiveError": "an error",
    "DataError": "an error",
    "UnseenCells": "a result",
    "FolderInUseError": "an error",
    "Documents": "a result",
    "MultiLabelTable": "a result",
    "PreparedTable": "a result",
    "Table": "a result",
    "TablePreparer": "makes features of a frame",
    "environment": "versions",
    "locked": "a lock",
    "fingerprint": "a hash",
    "label_indicators": "makes arrays of documents",
    "prepare_table": "makes features of a frame",
    "save_checkpoint": "writes",
    "tfidf": "makes features of texts",
    "to_json": "makes text",
    "write_archive": "writes",
}


@dataclass(frozen=True, eq=False)
class ReaderCase:
    """A function of a path, and what ``write`` puts into the file ``name``."""

    of: str
    name: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    error: type[Exception] = datasets.DataError


def _text(content):
    return lambda path: path.write_text(content, encoding="utf-8")


_TABLE = "id,width,height,class\n" + "".join(f"r{i},{i % 3}.5,{i * 2},{'ab'[i % 2]}\n" for i in range(6))
_GRAPH = "".join(f'node [ id {i} label "n{i}" club {i % 2} ]\n' for i in range(4))
_GRAPH = f"graph [\n{_GRAPH}edge [ source 0 target 1 ]\nedge [ source 2 target 1 ]\n]\n"
_BAGS = "bag,x,y,class\n" + "".join(f"b{i // 2},{i}.25,{i % 3},{'ab'[i // 4 % 2]}\n" for i in range(8))
_DOCUMENTS = "id,text,class\n" + "".join(f"d{i},some words number {i},{'ab'[i % 2]}\n" for i in range(5))
_LABELS = (
    "@relation small\n@attribute first {0,1}\n@attribute second {0,1}\n@attribute x numeric\n"
    "@attribute y numeric\n@data\n0,1,1,2\n1,1,3,4\n1,0,5,6.5\n"
)


def _archive(path):
    persistence.write_archive(path, {"labels": np.arange(5), "F": np.ones((2, 3))}, {"n_clusters": 3})


def _checkpoint(path):
    saved = persistence.Checkpoint(path, identity={"seed": 1})
    persistence.save_checkpoint(saved, {"X": np.arange(4.0)}, {"generation": 2})


def _load_checkpoint(path):
    return persistence.load_checkpoint(persistence.Checkpoint(path, identity={"seed": 1}))


READERS = {
    "read_table": ReaderCase(
        "read_table",
        "table.csv",
        _text(_TABLE),
        functools.partial(datasets.read_table, labels="class", id_column="id"),
    ),
    "read_graph": ReaderCase(
        "read_graph", "graph.gml", _text(_GRAPH), functools.partial(datasets.read_graph, labels="club")
    ),
    "read_bags": ReaderCase(
        "read_bags", "bags.csv", _text(_BAGS), functools.partial(datasets.read_bags, bag="bag", label="class")
    ),
    "read_documents": ReaderCase(
        "read_documents",
        "documents.csv",
        _text(_DOCUMENTS),
        functools.partial(datasets.read_documents, text_columns=["text"], id_column="id", labels="class"),
    ),
    "read_multilabel": ReaderCase(
        "read_multilabel",
        "labels.arff",
        _text(_LABELS),
        functools.partial(datasets.read_multilabel, n_labels=2),
    ),
    "read_pairs": ReaderCase(
        "read_pairs",
        "pairs.csv",
        _text("0,1\n1,2\n"),
        lambda path: constraints.read_pairs(path, n_samples=6),
        error=Exception,
    ),
    "read_archive": ReaderCase(
        "read_archive", "run.npz", _archive, persistence.read_archive, persistence.ArchiveError
    ),
    "load_checkpoint": ReaderCase("load_checkpoint", "run.ckpt", _checkpoint, _load_checkpoint),
}


@dataclass(frozen=True, eq=False)
class SourceCase:
    """Data without a file; ``call(seed)``, whether or not it draws."""

    of: str
    call: Callable[[int], Any]
    draws: bool = False


SOURCES = {
    case.of: case
    for case in (
        SourceCase("embed", lambda seed: datasets.embed(["a b", "b"], lambda texts: np.eye(len(texts)))),
        SourceCase("load_breast_cancer", lambda seed: datasets.load_breast_cancer()),
        SourceCase("load_bundled", lambda seed: datasets.load_bundled("wine")),
        SourceCase("load_digits", lambda seed: datasets.load_digits()),
        SourceCase("load_iris", lambda seed: datasets.load_iris()),
        SourceCase("load_wine", lambda seed: datasets.load_wine()),
        SourceCase("make_bags", lambda seed: datasets.make_bags(9, random_state=seed), draws=True),
    )
}


def plain(value):
    """All there is in what was read, as containers of arrays."""
    if isinstance(value, Bags):
        return [value.instances, value.offsets, value.bag_ids, value.feature_names]
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
        return plain(vars(value))
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value
