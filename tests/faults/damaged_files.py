"""Files of every format of the package, small: how one is written, read, and compared."""

import functools
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from damaged_outcomes import equal_arrays
from scipy import sparse

from moo_clustering.bags import Bags
from moo_clustering.estimators import PESC
from moo_clustering.persistence import ArchiveError, Checkpoint, load_checkpoint, read_archive, write_archive
from moo_clustering.visualization.report.content import Column, ReportContent
from moo_clustering.visualization.report.page import load_content, save_content
from papers.runner import CellStore, StoreError

IDENTITY = {"method": "M", "parameters": {"k": 3}, "data": "0" * 64}
CELLS = [{"set": "iris", "n": n} for n in range(12)]
PARAMETERS = {"rule": "sqrt", "sizes": [1, 2]}


@dataclass(frozen=True)
class Kind:
    """A format: its documented errors, and how two contents are compared."""

    name: str
    file: str
    documented: tuple
    save: Callable
    load: Callable
    same: Callable


def data():
    """Three groups of fourteen."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(place, 0.5, (14, 3)) for place in (0, 3, 6)])


def model(**options):
    """A short search."""
    return PESC(3, pop_size=6, random_state=0, **{"n_gen": 2, **options})


@functools.cache
def checkpoint_bytes():
    """Of a search of two generations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.npz"
        model(checkpoint=path, checkpoint_every=1).fit(data())
        return path.read_bytes()


def _load_checkpoint(path):
    identity = read_archive(path)[1]["identity"]
    return load_checkpoint(Checkpoint(path, identity=identity))


def _same_archive(found, wanted):
    return equal_arrays(found[0], wanted[0]) and found[1] == wanted[1]


def _save_result(path):
    arrays = {
        "labels": np.arange(700, dtype=np.int32) % 3,
        "front": np.linspace(0, 1, 8).reshape(4, 2),
        "similarity": sparse.csr_array(np.eye(6)),
    }
    write_archive(path, arrays, {"seed": 3, "scores": {"nmi": 0.25}})


def _save_content(path):
    labels = np.arange(12, dtype=np.int32).reshape(2, 6) % 3
    column = Column(name="x", values=np.array([0.5, 0.25]))
    save_content(
        path,
        ReportContent(
            title="A run",
            facts=[("data", "made")],
            sample_kind="sample",
            sample_names=[f"s{i}" for i in range(6)],
            names=[["a"], ["b"]],
            labels=labels,
            columns=[column],
            chosen=0,
        ),
    )


def _contents_equal(found, wanted):
    with tempfile.TemporaryDirectory() as folder:
        both = [Path(folder) / name for name in ("one", "other")]
        for path, content in zip(both, (found, wanted), strict=True):
            save_content(path, content)
        return both[0].read_bytes() == both[1].read_bytes()


def _save_bags(path):
    instances = np.arange(1200, dtype=float).reshape(600, 2)
    offsets = np.array([0, 100, 250, 600])
    Bags(instances, offsets, bag_ids=["a", "b", "c"], feature_names=["x", "y"]).save(path)


def _bags_equal(found, wanted):
    return (
        equal_arrays(vars_of(found), vars_of(wanted))
        and found.bag_ids == wanted.bag_ids
        and found.feature_names == wanted.feature_names
    )


def vars_of(bags):
    """Arrays of bags."""
    return {"instances": bags.instances, "offsets": bags.offsets}


def _save_store(path):
    path.unlink(missing_ok=True)
    with CellStore(path, PARAMETERS) as store:
        for key in CELLS:
            store.add(key, {"score": 1 / (key["n"] + 3), "note": "fine"})


def _load_store(path):
    """Values of the cells that are there: those missing are computed again."""
    with CellStore(path, PARAMETERS) as store:
        return {key["n"]: store.values([key])[0] for key in CELLS if key in store}


def _cells_equal(found, wanted):
    return all(wanted[n] == value for n, value in found.items())


KINDS = [
    Kind(
        "checkpoint", "checkpoint.npz", (ArchiveError,),
        lambda path: path.write_bytes(checkpoint_bytes()), _load_checkpoint, _same_archive,
    ),
    Kind("result", "result.npz", (ArchiveError,), _save_result, read_archive, _same_archive),
    Kind("report", "report.npz", (ArchiveError,), _save_content, load_content, _contents_equal),
    Kind("bags", "bags.npz", (ValueError,), _save_bags, Bags.load, _bags_equal),
    Kind("cells", "results.jsonl", (StoreError,), _save_store, _load_store, _cells_equal),
]  # fmt: skip


def quiet(function, *arguments):
    """The call without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)
