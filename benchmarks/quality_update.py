"""Compare updates with new fits on streams with drift: ``benchmarks/quality_update.py [--seeds 5]``.

Each generated stream has four clusters. One moves in all batches, a cluster is born in batch 4, one dies in
batch 7, and two approach each other and are one class from batch 9. ``satimage`` is a real table of 500 rows
in random order; ``satimage, sorted`` has its rows in the order of their classes, so that clusters appear and
disappear. After every batch, ``update`` adds the batch to the fit, ``refit`` fits to all rows so far, and
``predict`` only predicts with the fit to the first batch.

ARI: agreement of all rows so far with the classes. Stable: adjusted Rand index of the earlier rows before and
after the batch. Renumbered: share of the earlier rows whose number changes; ``matched`` after the best
matching of the numbers. Seconds per batch, without the first fit.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.drift import matched_numbers

FOLDER = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data")) / "uci"
SIZE = 40  # rows of a batch of a generated stream
BIRTH, DEATH, MERGE = 4, 7, 9
Stream = Iterator[tuple[NDArray[Any], NDArray[Any]]]


def drifting(seed: int, n_batches: int, n_features: int, kind: str) -> Stream:
    """Batches of a generated stream: rows and classes. Classes 2 and 3 are one from batch 9."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [8.0, 9.0], [-9.0, -9.0]])
    centers = np.pad(centers, ((0, 0), (0, n_features - 2)))
    centers[:, 2:] = rng.normal(0, 3, (5, n_features - 2))
    weights = np.ones(5) if kind != "uneven" else np.array([4.0, 1.0, 2.0, 2.0, 1.0])
    spread = np.full((5, n_features), 1.0) if kind != "stretched" else rng.uniform(0.3, 1.7, (5, n_features))
    for batch in range(1, n_batches + 1):
        alive = weights.copy()
        alive[4] *= batch >= BIRTH
        alive[1] *= batch < DEATH
        y = rng.choice(5, SIZE, p=alive / alive.sum())
        now = centers.copy()
        now[0, 1] -= 0.6 * (batch - 1)  # a cluster moves
        share = min(batch - 1, MERGE - 1) / (2 * (MERGE - 1))  # two clusters meet halfway
        now[2], now[3] = (
            centers[2] + share * (centers[3] - centers[2]),
            centers[3] + share * (centers[2] - centers[3]),
        )
        yield now[y] + spread[y] * rng.normal(size=(SIZE, n_features)), y


def real(seed: int, n_batches: int, in_order: bool) -> Stream:
    """Batches of a table, in random order or in the order of the classes."""
    with np.load(FOLDER / "satimage.npz") as data:
        X, y = np.asarray(data["X"], dtype=float), np.unique(data["y"], return_inverse=True)[1]
    rows = np.random.default_rng(seed).permutation(len(X))[:500]
    if in_order:
        # Each class is spread around its place in the order.
        place = y[rows] + np.random.default_rng(seed + 100).normal(0, 1.2, len(rows))
        rows = rows[np.argsort(place)]
    for part in np.array_split(rows, n_batches):
        yield X[part], y[part]


STREAMS: dict[str, Callable[[int, int], Stream]] = {
    "round, 2 features": lambda seed, n: drifting(seed, n, 2, "round"),
    "stretched, 8 features": lambda seed, n: drifting(seed, n, 8, "stretched"),
    "uneven, 4 features": lambda seed, n: drifting(seed, n, 4, "uneven"),
    "satimage": lambda seed, n: real(seed, n, False),
    "satimage, sorted": lambda seed, n: real(seed, n, True),
}


def followed(stream: Stream, name: str, seed: int) -> list[dict[str, Any]]:
    """Scores of update, refit and predict after every batch except the first."""
    rows: list[dict[str, Any]] = []
    seen: list[NDArray[Any]] = []
    known: list[NDArray[Any]] = []
    models: dict[str, ParetoClustering] = {}
    labels: dict[str, NDArray[Any]] = {}
    for batch, (X, y) in enumerate(stream, 1):
        seen.append(X)
        known.append(y)
        everything, truth = np.concatenate(seen), np.concatenate(known)
        if batch >= MERGE and not name.startswith("satimage"):
            truth = np.where(truth == 3, 2, truth)
        if batch == 1:
            models = {way: ParetoClustering(random_state=seed).fit(X) for way in ("update", "predict")}
            labels = dict.fromkeys(("update", "refit", "predict"), models["update"].labels_)
            continue
        for way, before in list(labels.items()):
            started = time.perf_counter()
            if way == "update":
                after = models["update"].update(X).labels_
            elif way == "refit":
                after = ParetoClustering(random_state=seed).fit(everything).labels_
            else:
                after = np.concatenate([before, models["predict"].predict(X)])
            seconds = time.perf_counter() - started
            old = after[: len(before)]
            rows.append(
                {
                    "stream": name,
                    "seed": seed,
                    "batch": batch,
                    "way": way,
                    "ARI": adjusted_rand_score(truth, after),
                    "clusters": after.max() + 1,
                    "stable": adjusted_rand_score(before, old),
                    "renumbered": (before != old).mean(),
                    "matched": (before != matched_numbers(before, after)[0][: len(before)]).mean(),
                    "seconds": seconds,
                }
            )
            labels[way] = after
    return rows


def main() -> None:
    """Print means per stream and way, paired comparisons, and the agreement per batch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--streams", nargs="*", default=list(STREAMS))
    parser.add_argument("--save", type=Path, help="CSV file of all scores, written after every stream")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for seed in range(options.seeds):
        for name in options.streams:
            rows += followed(STREAMS[name](seed, options.batches), name, seed)
            if options.save is not None:
                pd.DataFrame(rows).to_csv(options.save, index=False)
    frame = pd.DataFrame(rows)
    values = ["ARI", "clusters", "stable", "renumbered", "matched", "seconds"]
    print(frame.groupby(["stream", "way"], sort=False)[values].mean().round(3).to_string())
    per_stream = frame.groupby(["stream", "seed", "way"])[values].mean().unstack("way")
    for value in ("ARI", "stable", "matched"):
        gap = per_stream[value]["update"] - per_stream[value]["refit"]
        p_value = wilcoxon(gap).pvalue if (gap != 0).any() else 1.0
        print(
            f"{value}, update - refit: {gap.mean():+.3f}, {(gap > 0.001).sum()} greater, "
            f"{(gap < -0.001).sum()} less of {len(gap)}, p = {p_value:.2g}"
        )
    by_batch = frame.pivot_table(index=["stream", "way"], columns="batch", values="ARI", sort=False)
    print(by_batch.round(2).to_string())


if __name__ == "__main__":
    main()
