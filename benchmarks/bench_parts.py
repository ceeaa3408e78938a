"""A table in parts: processor time of passes, and MemeticKMeans against k-means of other libraries.

``python benchmarks/run.py parts`` clusters a million rows of 10 features in Parquet files, in this process.
dask-ml is compared if it is installed.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _harness import Row, timed
from sklearn.cluster import KMeans, MiniBatchKMeans

from moo_clustering import MemeticKMeans
from moo_clustering.parts import Parts, parts
from moo_clustering.parts.statistics import survey

N_FILES, ROWS, D, K = 4, 250_000, 10, 50


def run() -> list[Row]:
    """One pass for one and for twenty candidates, and sums of squares for 50 clusters."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(N_FILES):
            frame = pd.DataFrame(block(number), columns=[f"x{j}" for j in range(D)])
            frame.to_parquet(Path(folder) / f"part-{number}.parquet", index=False)
        return [*passes(parts(folder)), *fits(parts(folder))]


def block(number: int) -> np.ndarray:
    """Rows of twenty overlapping Gaussian clusters of unequal shapes."""
    shapes, rng = np.random.default_rng(0), np.random.default_rng([1, number])
    centers, scales = shapes.uniform(-4, 4, (20, D)), shapes.uniform(0.5, 2, (20, D))
    labels = rng.choice(20, ROWS, p=shapes.dirichlet(np.full(20, 3.0)))
    return (centers[labels] + scales[labels] * rng.standard_normal((ROWS, D))).astype(np.float32)


def passes(table: Parts) -> list[Row]:
    """Processor seconds of a pass per million rows, including reading."""
    looked = survey(table, 1000)
    centers = (looked.rows[:200] - looked.offsets[0] - looked.offsets[1]).reshape(20, 10, D)
    looked.statistics(centers[:1])  # compiles
    one = timed(lambda: looked.statistics(centers[:1]))[0]
    many = timed(lambda: looked.statistics(centers))[0]
    each = f"{(many - one) / 19:.3f} s per further candidate"
    return [
        Row("one pass over 10⁶ rows, 10 centres", f"{one:.2f} s", "20 candidates", f"{many:.2f} s, {each}")
    ]


def fits(table: Parts) -> list[Row]:
    """Sums of squares of 50 clusters of all rows, relative to those of MemeticKMeans."""
    spent, model = timed(lambda: MemeticKMeans(K, random_state=0).fit(table))
    ours = f"{model.inertia_:.5g}, {spent:.0f} s, {model.parts_.n_passes} passes"
    X = np.concatenate([block(number) for number in range(N_FILES)])
    others = {
        "KMeans, one start, in memory": KMeans(K, n_init=1, random_state=0),
        "MiniBatchKMeans, in memory": MiniBatchKMeans(K, n_init=1, random_state=0),
    }
    found = {name: timed(partial(other.fit, X)) for name, other in others.items()}
    try:
        from dask import array
        from dask_ml.cluster import KMeans as DaskKMeans
    except ImportError:
        missing = [Row(f"MemeticKMeans({K}) in parts", ours, "dask-ml: not installed", "")]
    else:
        missing = []
        lazy = array.from_array(X, chunks=(ROWS, D))
        found["dask-ml"] = timed(lambda: DaskKMeans(K, random_state=0).fit(lazy))
    return [
        *(
            Row(
                f"MemeticKMeans({K}) in parts",
                ours,
                f"{name}: {other.inertia_:.5g}, {seconds:.0f} s",
                f"sum of squares {other.inertia_ / model.inertia_:.4f} x",
            )
            for name, (seconds, other) in found.items()
        ),
        *missing,
    ]
