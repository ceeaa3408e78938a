"""Valid inputs that are no text, made anew instead of kept."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import scipy.sparse as sp
from fuzz_mutations import Files
from fuzz_tree_mutations import npy_bytes, packed

from moo_clustering.bags import Bags
from moo_clustering.persistence import Checkpoint, save_checkpoint, write_archive
from moo_clustering.visualization.report import Column, ReportContent
from moo_clustering.visualization.report.content import ClusterFacts, Panel, PlaneMap
from moo_clustering.visualization.report.page import save_content

LABELS = [0, 0, 1, 1, 2]
FRONT = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 2]]
IDENTITY = {"method": "m", "parameters": {"k": 3, "scale": "none"}, "data": "abc"}
_X = np.array([[0.0, 1.5, 2], [1, 0, 3], [0, 0, 4], [2, 1, 0]])
_Y = np.array([[1, 0], [0, 1], [-1, -1], [1, 1]], dtype=np.int8)


def _npz(save=np.savez, **arrays) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def _sparse(matrix) -> bytes:
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    return file.getvalue()


def _written(write) -> bytes:
    """What a function writes to a path, without the checksum that no change would pass."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.npz"
        write(path)
        with np.load(path) as archive:
            members = {f"{name}.npy": npy_bytes(archive[name]) for name in archive.files}
            header = json.loads(archive["__archive__"].tobytes())
        header.pop("sha256", None)
        members["__archive__.npy"] = npy_bytes(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
        return packed(members)


def _parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def table_npz() -> list[Files]:
    names = np.array(["a", "b", "c"])
    known = {"y": np.array(["u", "v", "u", "v"]), "id": np.arange(4), "feature_names": names}
    return [{"table.npz": _npz(X=_X, **known)}, {"table.npz": _npz(np.savez_compressed, X=_X, **known)}]


def table_parquet() -> list[Files]:
    frame = pd.DataFrame(_X, columns=["a", "b", "c"]).assign(id=list("pqrs"), kind=list("uvuv"))
    return [{"table.parquet": _parquet(frame)}, {"table.parquet": _parquet(frame.set_index("id"))}]


def bags_npz() -> list[Files]:
    bags = Bags(_X, [0, 2, 4], bag_ids=["p", "q"], feature_names=["a", "b", "c"])
    arrays = {"instances": _X, "bag_offsets": np.array([0, 1, 4]), "bag_labels": np.array([1, 0])}
    return [{"bags.npz": _written(bags.save)}, {"bags.npz": _npz(**arrays)}]


def bags_parquet() -> list[Files]:
    frame = pd.DataFrame(_X, columns=["a", "b", "c"]).assign(bag=list("ppqq"), label=list("uuvv"))
    return [{"bags.parquet": _parquet(frame)}]


def multilabel_npz() -> list[Files]:
    texts = {"t_features.txt": b"a\nb\nc\n", "t_labels.txt": b"u\nv\n"}
    together = {"Y": _Y, "feature_names": np.array(list("abc")), "label_names": np.array(["u", "v"])}
    Y = _sparse(sp.csr_array(np.maximum(_Y, 0)))
    sparse = {"t_X.npz": _sparse(sp.csr_array(_X)), "t_Y.npz": Y}
    return [
        {"t_X.npz": _npz(X=_X, **together)},
        sparse | texts,
        sparse | {"t_X.npz": _sparse(sp.csc_array(_X))} | texts,
    ]


def sparse_npz() -> list[Files]:
    return [{"table.npz": _sparse(sp.csr_array(_X))}, {"table.npz": _sparse(sp.csc_matrix(_X))}]


def archives() -> list[Files]:
    arrays = {"X": _X, "s": sp.csr_array(_X), "names": np.array(["a", "b"])}
    return [{"archive.npz": _written(lambda path: write_archive(path, arrays, {"kind": "x", "n": [1, 2.5]}))}]


def checkpoints() -> list[Files]:
    def write(path):
        save_checkpoint(
            Checkpoint(path, identity=IDENTITY), {"pop": _X}, {"generation": 3, "rng": {"state": [1]}}
        )

    return [{"checkpoint.npz": _written(write)}]


def _content() -> ReportContent:
    return ReportContent(
        title="Run",
        names=["result", "other"],
        labels=np.array([LABELS, FRONT[0]], dtype=np.int32),
        sample_names=np.array([f"s{row}" for row in range(5)]),
        facts=[("method", "m")],
        sample_texts=["t"] * 5,
        columns=[Column("xie_beni", np.array([0.5, 0.25]), True, False)],
        rules={"knee": 1},
        map=PlaneMap(np.zeros((5, 2)), np.arange(5), ("x", "y"), "note"),
        clusters={0: [ClusterFacts(typical=(0,), features=(("a", 1.0),)), ClusterFacts(), ClusterFacts()]},
        must_link=np.array([[0, 1]]),
        agreement=np.eye(2),
        history=pd.DataFrame({"generation": [0, 1], "best": [0.5, 0.25]}),
        panels=[Panel("image", "title", "note", image=b"\x89PNG\r\n\x1a\n")],
        missing=["something"],
    )


def contents() -> list[Files]:
    return [{"report.npz": _written(lambda path: save_content(path, _content()))}]


def of_runs(texts: list[Files]) -> list[Files]:
    """Folders of a run with what it saved for its report."""
    return [files | contents()[0] for files in texts]


def compressed(texts: list[Files]) -> list[Files]:
    """The same files in gzip too."""
    return [*texts, *only_compressed(texts)]


def only_compressed(texts: list[Files]) -> list[Files]:
    """The same files in gzip."""
    return [{f"{name}.gz": gzip.compress(data, mtime=0) for name, data in files.items()} for files in texts]


def compressed_arff(texts: list[Files]) -> list[Files]:
    """The same files, and with the ARFF files among them in gzip."""
    return [
        *texts,
        *(
            {
                name + ".gz" * name.endswith(".arff"): gzip.compress(data, mtime=0)
                if name.endswith(".arff")
                else data
                for name, data in files.items()
            }
            for files in texts
        ),
    ]
