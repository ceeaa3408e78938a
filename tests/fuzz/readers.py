"""All readers of files: a new one is covered by being listed here.

Valid inputs are folders ``corpus/<reader>/valid...`` and what ``made`` makes of them; the other folders there
are inputs that once showed a defect, which are read as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import fuzz_seeds as seeds
import numpy as np
from fuzz_mutations import Files

from moo_clustering.bags import Bags
from moo_clustering.cli.compare import read_results
from moo_clustering.cli.folder import FolderError, merged_content, open_folder, run_content
from moo_clustering.cli.job import parse_settings
from moo_clustering.cli.load import load_bags, load_data, load_prepared
from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints, read_pairs
from moo_clustering.datasets import (
    DataError,
    label_indicators,
    read_bags,
    read_documents,
    read_graph,
    read_multilabel,
    read_table,
)
from moo_clustering.datasets.tables import Roles
from moo_clustering.estimators import PESC
from moo_clustering.estimators._methods import METHODS
from moo_clustering.persistence import (
    ArchiveError,
    Checkpoint,
    CheckpointMismatchError,
    load_checkpoint,
    read_archive,
)
from moo_clustering.visualization.report.page import load_content, payload
from papers.ebm import load_ebm
from papers.flagship_sets import archive_table, frame_table
from papers.pesc import load_flat_sets
from papers.runner import CellStore, StoreError

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Reader:
    """A reader of files.

    Parameters
    ----------
    name : str
    call : callable
        ``call(folder)`` reads what is in the folder.
    raises : tuple of exception types
        Those that the reader's documentation names; nothing else may come out of it.
    corpus : str
        Folder of its valid inputs, default: its name.
    suffixes : tuple of str
        Of the valid inputs there only those with a file of such a suffix; none: all.
    made : callable, optional
        Further valid inputs; takes those of the folder if ``from_texts``.
    from_texts : bool
    names_file : bool
        Whether what it refuses is said with the name of a file or folder.
    """

    name: str
    call: Callable[[Path], object]
    raises: tuple[type[Exception], ...] = (DataError,)
    corpus: str = ""
    suffixes: tuple[str, ...] = ()
    made: Callable[..., list[Files]] | None = None
    from_texts: bool = False
    names_file: bool = True

    def seeds(self) -> list[Files]:
        """Valid inputs."""
        return list(_seeds(self))

    def cases(self) -> dict[str, Files]:
        """Inputs that once showed a defect, by name."""
        folder = CORPUS / self.name
        found = sorted(folder.iterdir()) if folder.is_dir() else []
        return {case.name: files_of(case) for case in found if not case.name.startswith("valid")}


@cache
def _seeds(reader: Reader) -> tuple[Files, ...]:
    folder = CORPUS / (reader.corpus or reader.name)
    texts = [files_of(case) for case in sorted(folder.glob("valid*"))]
    if reader.suffixes:
        texts = [files for files in texts if any(name.endswith(reader.suffixes) for name in files)]
    if reader.made is None:
        return tuple(texts)
    return tuple(reader.made(texts) if reader.from_texts else [*texts, *reader.made()])


def files_of(folder: Path) -> Files:
    """Contents of the files in a folder and below."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _one(folder: Path, *suffixes: str) -> Path:
    """The first file of such a suffix, or one that is not there."""
    found = [path for path in sorted(folder.rglob("*")) if path.name.endswith(suffixes)]
    return found[0] if found else folder / f"absent{suffixes[0]}"


def _finite(table):
    assert np.isfinite(getattr(table.X, "data", table.X) if hasattr(table.X, "indptr") else table.X).all()
    assert table.X.shape[0] == len(table.row_ids) > 0
    return table


def _table(folder):
    return _finite(read_table(_one(folder, ".csv", ".tsv"), labels="class", id_column="id"))


def _categories(folder):
    return read_table(_one(folder, ".csv"), id_column="id", labels="class", categories=True)


def _prepared(folder, suffix=".csv"):
    path = _one(folder, suffix)
    return _finite(load_prepared(path, Roles()))


def _by_command(method, *suffixes):
    def call(folder):
        return _finite(load_data(str(_one(folder, *suffixes)), METHODS[method]))

    return call


def _bags(*suffixes, **options):
    def call(folder):
        table = read_bags(_one(folder, *suffixes), **options)
        assert np.isfinite(table.bags.instances).all()
        return table

    return call


def _multilabel(*suffixes):
    def call(folder):
        return _finite(read_multilabel(_one(folder, *suffixes)))

    return call


def _documents(folder):
    documents = read_documents(_one(folder, ".jsonl", ".jsonl.gz", ".csv"), labels="labels")
    label_indicators(documents)
    return documents


def _pairs(folder):
    return read_pairs(_one(folder, ".tsv", ".csv"), row_ids=list("abcde"))


def _run(folder):
    return payload(run_content(folder), 25_000_000)


def _runs(folder):
    return payload(merged_content([folder, folder]), 25_000_000)


def _checkpoint(folder):
    return load_checkpoint(Checkpoint(_one(folder, ".npz"), identity=seeds.IDENTITY))


def _store(folder):
    with CellStore(_one(folder, ".jsonl"), {"k": 3}) as store:
        store.add({"set": "c", "seed": 2}, 1.0)


def _settings(folder):
    lines = _one(folder, ".txt")
    text = lines.read_text(encoding="utf-8", errors="replace") if lines.exists() else ""
    return parse_settings(text.splitlines(), "pesc", PESC)


_ALL = (
    Reader("table", _table),
    Reader("categories", _categories),
    Reader("table-npz", lambda f: _finite(read_table(_one(f, ".npz"), labels="y")), made=seeds.table_npz),
    Reader(
        "table-ids-npz", lambda f: _finite(read_table(_one(f, ".npz"), id_column="id")), made=seeds.table_npz
    ),
    Reader(
        "table-parquet",
        lambda f: read_table(_one(f, ".parquet"), labels="kind", categories=True),
        made=seeds.table_parquet,
    ),
    Reader("graph", lambda f: _finite(read_graph(_one(f, ".gml", ".graphml", ".edges")))),
    Reader("prepared", _prepared),
    Reader("prepared-parquet", lambda f: _prepared(f, ".parquet"), made=seeds.table_parquet),
    Reader("sparse-npz", _by_command("pareto-clustering", ".npz"), made=seeds.sparse_npz),
    Reader("bags", _bags(".arff", ".dat", ".csv", ".gz"), made=seeds.compressed, from_texts=True),
    Reader(
        "bags-filled",
        _bags(".arff", ".dat", ".csv", missing="median"),
        corpus="bags",
        suffixes=(".arff", ".csv"),
    ),
    Reader("bags-npz", _bags(".npz"), made=seeds.bags_npz),
    Reader("bags-parquet", _bags(".parquet"), made=seeds.bags_parquet),
    Reader(
        "bags-saved",
        lambda f: Bags.load(_one(f, ".npz")),
        (ValueError, FileNotFoundError),
        made=seeds.bags_npz,
    ),
    Reader(
        "bags-by-command",
        lambda f: load_bags(_one(f, ".arff", ".dat", ".csv"), bag=None, labels=None),
        corpus="bags",
    ),
    Reader("multilabel", _multilabel(".arff", ".arff.gz"), made=seeds.compressed_arff, from_texts=True),
    Reader("svmlight", _multilabel(".svmlight", ".svmlight.gz"), made=seeds.compressed, from_texts=True),
    Reader("multilabel-npz", _multilabel("_X.npz"), made=seeds.multilabel_npz),
    Reader("label-sets-by-command", _by_command("nsga2-sisc", ".arff", ".svmlight"), corpus="multilabel"),
    Reader("documents", _documents, suffixes=(".jsonl", ".csv")),
    Reader(
        "documents-gz",
        _documents,
        corpus="documents",
        suffixes=(".jsonl",),
        made=seeds.compressed,
        from_texts=True,
    ),
    Reader(
        "documents-folder",
        lambda f: read_documents(f / "texts", labels="folder"),
        corpus="documents",
        suffixes=(".txt",),
    ),
    Reader("ebm", load_ebm, made=seeds.only_compressed, from_texts=True),
    Reader(
        "constraints",
        lambda f: PairwiseConstraints.from_csv(_one(f, ".csv"), 5),
        (ValueError, InconsistentConstraintsError, FileNotFoundError),
    ),
    Reader("pairs", _pairs, (ValueError, FileNotFoundError), suffixes=(".tsv",)),
    Reader(
        "pairs-by-row",
        lambda f: read_pairs(_one(f, ".csv")),
        (ValueError, FileNotFoundError),
        "pairs",
        (".csv",),
    ),
    Reader("results", lambda f: read_results(_one(f, ".csv"))),
    Reader(
        "archive",
        lambda f: read_archive(_one(f, ".npz")),
        (ArchiveError, FileNotFoundError),
        made=seeds.archives,
    ),
    Reader("checkpoint", _checkpoint, (ArchiveError, CheckpointMismatchError), made=seeds.checkpoints),
    Reader(
        "report",
        lambda f: load_content(_one(f, ".npz")),
        (ArchiveError, FileNotFoundError),
        made=seeds.contents,
    ),
    Reader("run", _run, (ValueError,), made=seeds.of_runs, from_texts=True),
    Reader("runs-merged", _runs, (ValueError,), "run", made=seeds.of_runs, from_texts=True),
    Reader("run-claimed", lambda f: open_folder(f, resume=True).__enter__().unlock(), (FolderError,)),
    Reader("store", _store, (StoreError,)),
    Reader(
        "experiment-table",
        lambda f: frame_table(_one(f, ".csv")),
        corpus="table",
        suffixes=(".csv",),
        names_file=False,
    ),
    Reader(
        "experiment-npz", lambda f: archive_table(_one(f, ".npz")), made=seeds.table_npz, names_file=False
    ),
    Reader(
        "experiment-sets",
        lambda f: load_flat_sets(f),
        made=lambda: [{"uci/table.npz": files["table.npz"]} for files in seeds.table_npz()],
    ),
    Reader("settings", _settings, (ValueError,), names_file=False),
)
READERS = {reader.name: reader for reader in _ALL}
