"""A table in parts: processor time of passes, and MemeticKMeans compared with k-means of other libraries.

``python benchmarks/run.py parts`` measures passes over a million rows of 10 features in Parquet files, and
fits of 50 clusters to 200,000 rows of three kinds: overlapping Gaussian clusters, heavy tails, and clusters
of unequal sizes and densities. Every program runs in its own process, on both processors if it supports this.
Its processor time and peak memory include reading and, for Spark, the Java process; the time of MemeticKMeans
excludes compilation. Sums of squares are computed from the centres for all rows. dask-ml and PySpark, which
requires Java, are compared if they are installed. dask-ml reads the files again in every pass.

``python benchmarks/bench_parts.py memory 1e7`` fits ParetoClustering to 10⁷ generated rows with two workers
of 1 GiB, and writes their labels. ``python benchmarks/bench_parts.py passes 1e7`` measures passes over such
rows in one process, without the time for generating them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from _harness import Row, timed
from bench_end_to_end import peak_gib
from numpy.typing import NDArray
from sklearn.cluster import KMeans, MiniBatchKMeans

from moo_clustering import MemeticKMeans, ParetoClustering
from moo_clustering.parts import Parts, parts
from moo_clustering.parts.passes import Part
from moo_clustering.parts.sources import ROWS_PER_PART
from moo_clustering.parts.statistics import Survey

N_FILES, ROWS, D, K = 4, 50_000, 10, 50
KINDS = ("overlapping", "heavy tails", "unequal")


def run() -> list[Row]:
    """One pass for one and for twenty candidates, and fits of 50 clusters to three kinds of data."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, KINDS[0], 250_000)
        rows = passes(parts(folder))
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            write(folder, kind, ROWS)
            rows += fits(folder, kind)
    return rows


def write(folder: str, kind: str, n: int) -> None:
    """Write files of n rows each."""
    for number in range(N_FILES):
        frame = pd.DataFrame(block(number, kind, n), columns=[f"x{j}" for j in range(D)])
        frame.to_parquet(Path(folder) / f"part-{number}.parquet", index=False)


def block(number: int, kind: str, n: int) -> NDArray[np.float32]:
    """Rows of one file, from twenty clusters whose axes differ."""
    shapes, rng = np.random.default_rng(0), np.random.default_rng([1, number])
    centers, scales = shapes.uniform(-4, 4, (20, D)), shapes.uniform(0.5, 2, (20, D))
    shares = shapes.dirichlet(np.full(20, 3.0))
    if kind == "unequal":
        shares = 0.8 ** np.arange(20)
        scales *= 10 ** shapes.uniform(-1.5, 0.3, (20, 1))
    labels = rng.choice(20, n, p=shares / shares.sum())
    noise = rng.standard_t(3, (n, D)) if kind == "heavy tails" else rng.standard_normal((n, D))
    return (centers[labels] + scales[labels] * noise).astype(np.float32)


def passes(table: Parts) -> list[Row]:
    """Processor seconds of a pass per million rows, including reading."""
    looked = Survey(table, 1000)
    centers = (looked.rows[:200] - looked.offsets[0] - looked.offsets[1]).reshape(20, 10, D)
    looked.statistics(centers[:1])  # compiles
    one = timed(lambda: looked.statistics(centers[:1]))[0]
    many = timed(lambda: looked.statistics(centers))[0]
    each = f"{(many - one) / 19:.3f} s per further candidate"
    return [
        Row("one pass over 10⁶ rows, 10 centres", f"{one:.2f} s", "20 candidates", f"{many:.2f} s, {each}")
    ]


def generated_passes(n_rows: int) -> None:
    """Print processor seconds of passes per million generated rows."""
    table, centers = generated_table(n_rows), np.zeros((1, 10, D))
    Survey(generated_table(ROWS_PER_PART), 1000).statistics(centers)  # compiles
    generating = timed(lambda: table.map(_length))[0]
    first, looked = timed(lambda: Survey(table, 1000))
    centers = (looked.rows[:200] - looked.offsets[0] - looked.offsets[1]).reshape(20, 10, D)
    one, many = (timed(lambda: looked.statistics(centers[:n]))[0] for n in (1, 20))  # noqa: B023
    seconds = (generating, first - generating, one - generating, (many - one) / 19)
    names = "generating", "bounds and sample", "one candidate", "every further candidate"
    for name, each in zip(names, seconds, strict=True):
        print(f"{n_rows} rows, {name}: {each / n_rows * 1e6:.3f} s per 10⁶ rows")


def _length(rows: NDArray[np.float32], start: int) -> int:
    return len(rows)


def fits(folder: str, kind: str) -> list[Row]:
    """Sums of squares of all programs, relative to those of MemeticKMeans."""
    found = {}
    for name in PROGRAMS:
        ended = subprocess.run([sys.executable, __file__, name, folder], stdout=subprocess.PIPE, text=True)
        found[name] = json.loads(ended.stdout.splitlines()[-1]) if ended.returncode == 0 else None
    ours = found.pop("MemeticKMeans")
    assert ours is not None
    rows = []
    for name, other in found.items():
        if other is None:
            rows.append(Row(f"{kind}: MemeticKMeans", _text(ours), f"{name}: not installed, or failed", ""))
        else:
            ratio = f"sum of squares {other['objective'] / ours['objective']:.4f} x"
            rows.append(Row(f"{kind}: MemeticKMeans", _text(ours), f"{name}: {_text(other)}", ratio))
    return rows


def _text(found: dict[str, Any]) -> str:
    return "{objective:.5g}, {seconds:.0f} s, {passes}, {gib:.2f} GiB".format(**found)


# ---- Programs, which return their centres and a description of their passes -------------------------------


def _memetic(folder: str) -> tuple[Any, str]:
    table = parts(folder)
    model = MemeticKMeans(K, random_state=0).fit(table)
    return model.cluster_centers_, f"{table.n_passes} passes"


def _in_memory(folder: str) -> NDArray[np.float32]:
    return np.concatenate([pd.read_parquet(file).to_numpy() for file in sorted(Path(folder).iterdir())])


def _kmeans(folder: str) -> tuple[Any, str]:
    model = KMeans(K, n_init=1, random_state=0).fit(_in_memory(folder))
    return model.cluster_centers_, f"{model.n_iter_} iterations in memory"


def _mini_batch(folder: str) -> tuple[Any, str]:
    model = MiniBatchKMeans(K, n_init=1, random_state=0).fit(_in_memory(folder))
    return model.cluster_centers_, f"{model.n_steps_} batches in memory"


class _CountedFiles:
    """Files as an array that counts how many rows were read."""

    def __init__(self, folder: str) -> None:
        self.files = sorted(Path(folder).iterdir())
        self.shape, self.dtype, self.ndim = (N_FILES * ROWS, D), np.dtype(np.float32), 2
        self.n_read, self._lock = 0, Lock()

    def __getitem__(self, key: Any) -> NDArray[np.float32]:
        first, end, _ = key[0].indices(self.shape[0])
        with self._lock:
            self.n_read += end - first
        rows = pd.read_parquet(self.files[first // ROWS]).to_numpy()
        return rows[first % ROWS : first % ROWS + end - first, key[1]]


def _dask_ml(folder: str) -> tuple[Any, str]:
    from dask import array
    from dask_ml.cluster import KMeans as DaskKMeans

    files = _CountedFiles(folder)
    lazy = array.from_array(files, chunks=(ROWS, D), name=False, meta=np.empty((0, 0), dtype=np.float32))
    model = DaskKMeans(K, random_state=0).fit(lazy)
    return model.cluster_centers_, f"{files.n_read / files.shape[0]:.0f} passes"


def _spark(folder: str) -> tuple[Any, str]:
    from pyspark.ml.clustering import KMeans as SparkKMeans
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    frame = session.read.parquet(folder)
    rows = VectorAssembler(inputCols=frame.columns, outputCol="features").transform(frame).select("features")
    model = SparkKMeans(k=K, seed=0, maxIter=100).fit(rows.cache())
    java = session.sparkContext._gateway.proc.pid
    fields = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
    more["seconds"] = sum(map(int, fields[11:13])) / 100
    status = Path(f"/proc/{java}/status").read_text()
    more["gib"] = int(status.partition("VmHWM:")[2].split()[0]) / 2**20
    return np.array(model.clusterCenters()), f"{model.summary.numIter} iterations in memory"


PROGRAMS = {
    "MemeticKMeans": _memetic,
    "dask-ml": _dask_ml,
    "Spark MLlib": _spark,
    "KMeans, one start": _kmeans,
    "MiniBatchKMeans": _mini_batch,
}
# Processor time and memory of another process.
more = {"seconds": 0.0, "gib": 0.0}


def limited(n_rows: int) -> None:
    """Fit generated rows with two workers of 1 GiB; print peaks of memory, growth here and processor time."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "memory_limit": "1GiB"}
    ParetoClustering(random_state=0).fit(generated(0, 10_000))  # compiles
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:

        def seconds() -> float:
            return spent()["seconds"] + sum(each["seconds"] for each in client.run(spent).values())

        client.run(generated, 0, 10)
        peak, start = spent()["peak"], seconds()
        table = generated_table(n_rows)
        model = ParetoClustering(random_state=0).fit(table)
        found = f"{n_rows} rows, {model.n_clusters_} clusters, {table.n_passes} passes"
        print(f"{found}: {seconds() - start:.0f} s", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            model.write_labels(folder)
        print(f"with the labels: {seconds() - start:.0f} s, of which each pass generates its rows")
        growth, workers = spent()["peak"] - peak, client.run(spent).values()
    print("peaks of the workers in MiB:", *(round(each["peak"]) for each in workers))
    print(f"growth of the peak of this process: {growth:.0f} MiB")
    each_part = timed(lambda: generated(0, ROWS_PER_PART))[0]
    print(f"generating all rows once: {each_part * n_rows / ROWS_PER_PART:.1f} s")


def generated_table(n_rows: int) -> Parts:
    """Return a table in parts, which every pass generates anew."""
    sizes = {low: min(ROWS_PER_PART, n_rows - low) for low in range(0, n_rows, ROWS_PER_PART)}
    items = [Part(f"from row {low}", low, n, partial(generated, low, n)) for low, n in sizes.items()]
    return Parts(items, D, np.dtype(np.float32))


def generated(start: int, n: int) -> NDArray[np.float32]:
    """Rows of a part, whose labels and noise depend on its first row."""
    return block(start, KINDS[0], n)


def spent() -> dict[str, float]:
    """Peak memory in MiB and processor time of this process."""
    status = Path("/proc/self/status").read_text()
    return {"peak": int(status.partition("VmHWM:")[2].split()[0]) / 1024, "seconds": time.process_time()}


def main(name: str, folder: str) -> None:
    """Run one program, and print its sum of squares, processor time, passes and peak memory."""
    if name in ("memory", "passes"):
        return {"memory": limited, "passes": generated_passes}[name](int(float(folder)))
    if name == "MemeticKMeans":
        MemeticKMeans(K, random_state=0).fit(block(0, KINDS[0], 20_000))  # compiles
    usage, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    centers, text = PROGRAMS[name](folder)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - start + children.ru_utime - usage.ru_utime
    memory = peak_gib()
    table = parts(folder)
    looked = Survey(table, 1000)
    shifted = np.asarray(centers, dtype=float)[np.newaxis] - looked.offsets[0] - looked.offsets[1]
    objective = float(looked.statistics(shifted).squares.sum())
    spent = {"seconds": seconds + more["seconds"], "gib": memory + more["gib"]}
    print(json.dumps({"objective": objective, "passes": text, **spent}))


if __name__ == "__main__":
    main(*sys.argv[1:])
