"""Whole fits of ParetoClustering: against its own families through scikit-learn, and at large N."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _harness import Row, timed
from bench_bags import in_turns
from bench_end_to_end import peak_gib
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs, make_moons
from sklearn.impute import SimpleImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from moo_clustering import ParetoClustering
from moo_clustering.datasets import TablePreparer
from moo_clustering.pool import k_grid
from moo_clustering.pool.families import (
    PoolData,
    hdbscan_partitions,
    kmeans_partitions,
    mixture_partitions,
)

SAMPLES, FEATURES = 1500, 10


def by_scikit_learn(X: NDArray[np.float64]) -> dict[str, float]:
    """Seconds that the families of a pool take through scikit-learn, one fit for every k."""
    ks = k_grid(len(X)).tolist()
    families = {
        "KMeans": [KMeans(k, n_init=3, random_state=0) for k in ks],
        "GaussianMixture": [
            GaussianMixture(k, reg_covar=1e-3, max_iter=60, random_state=0) for k in ks if k <= 20
        ],
        "SpectralClustering": [
            SpectralClustering(k, affinity="nearest_neighbors", n_init=3, random_state=0) for k in ks
        ],
        "AgglomerativeClustering": [AgglomerativeClustering(k) for k in ks],
    }
    seconds = {}
    for name, models in families.items():
        start = time.perf_counter()
        for model in models:
            model.fit(X)
        seconds[name] = time.perf_counter() - start
    return seconds


def against_families() -> list[Row]:
    """The whole fit against the slowest three of its families alone, on one thread."""
    X = StandardScaler().fit_transform(
        make_blobs(SAMPLES, FEATURES, centers=10, cluster_std=3.0, random_state=0)[0]
    )
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ParetoClustering(random_state=0).fit(X[:300])
        start = time.perf_counter()
        ParetoClustering(random_state=0).fit(X)
        whole = time.perf_counter() - start
        seconds = by_scikit_learn(X)
    slowest = sorted(seconds, key=seconds.__getitem__)[-3:]
    theirs = sum(seconds[name] for name in slowest)
    parts = ", ".join(f"{name} {seconds[name]:.1f} s" for name in reversed(slowest))
    return [
        Row(
            f"whole fit of ParetoClustering, {SAMPLES:,} x {FEATURES}, one thread",
            f"{whole:.1f} s",
            f"its slowest three families through scikit-learn alone ({parts}): {theirs:.1f} s",
            f"{theirs / whole:.1f} x",
        )
    ]


def wide(n_columns: int = 20_000) -> list[Row]:
    """The command on a table of a dozen rows, from the file to the report, on one thread."""
    from moo_clustering.cli import main

    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, n_columns))
    X[6:] += 3.0 * (rng.random(n_columns) < 0.3)
    with tempfile.TemporaryDirectory() as place, threadpool_limits(limits=1):
        folder = Path(place)
        file = folder / "wide.csv"
        pd.DataFrame(X, columns=[f"gene {column}" for column in range(n_columns)]).to_csv(file, index=False)

        def fit(name: str) -> float:
            start = time.process_time()
            main(["fit", str(file), "--quiet", "--out", str(folder / name)], standalone_mode=False)
            return time.process_time() - start

        def by_pandas_and_scikit_learn() -> None:
            rows = StandardScaler().fit_transform(pd.read_csv(file))
            for k in k_grid(12):
                KMeans(int(k), n_init=3, random_state=0).fit(rows)

        # Modules and kernels are loaded before the clock starts.
        fit("first")
        whole = fit("second")
        start = time.process_time()
        by_pandas_and_scikit_learn()
        theirs = time.process_time() - start
    return [
        Row(
            f"`moo-clustering fit`, 12 x {n_columns:,}, with pictures and report, one thread",
            f"{whole:.1f} s ({1e6 * whole / n_columns:.0f} µs per column)",
            f"pandas.read_csv and scikit-learn's k-means over the same numbers of clusters: {theirs:.1f} s",
            f"{theirs / whole:.2f} x",
        )
    ]


def mixed_table(n: int) -> pd.DataFrame:
    """Eight columns of numbers, six of texts, two of dates, three of booleans and one of prices."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, n)
    columns: dict[str, Any] = {f"number {c}": (rng.normal(size=n) + group).round(3) for c in range(8)}
    words = np.array(["red", "green", "blue", "white", "black"], dtype=object)
    columns |= {f"word {c}": words[(group + rng.integers(0, 2, n)) % 5] for c in range(6)}
    days = rng.integers(0, 1500, (2, n)) + 300 * group
    columns |= {f"day {c}": np.datetime64("2020-01-01") + days[c].astype("m8[D]") for c in range(2)}
    columns |= {f"is {c}": rng.random(n) < 0.2 + 0.2 * group for c in range(3)}
    columns["price"] = [f"${price:.2f}" for price in 10 * group + rng.random(n)]
    frame = pd.DataFrame(columns)
    for name in ("number 0", "word 0"):
        frame[name] = frame[name].mask(rng.random(n) < 0.05)
    return frame


def preparation(n: int = 1_000_000) -> list[Row]:
    """Prepare a mixed table on one thread, and compare with a scikit-learn pipeline for the same columns."""
    frame = mixed_table(n)
    numbers = [name for name in frame if name.startswith(("number", "day", "is", "price"))]
    words = [name for name in frame if name.startswith("word")]
    pipeline = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(sparse_output=False)), words),
    )

    def by_scikit_learn() -> None:
        converted = frame.astype(dict.fromkeys(words, object))
        converted["price"] = converted["price"].str.removeprefix("$").astype(float)
        for name in numbers:
            converted[name] = converted[name].astype("int64" if name.startswith("day") else float)
        pipeline.fit_transform(converted)

    TablePreparer().fit(frame[:1000])
    with threadpool_limits(limits=1):
        before = peak_gib()
        ours = timed(lambda: TablePreparer().fit_transform(frame))[0]
        gib = peak_gib() - before
        theirs = timed(by_scikit_learn)[0]
    size = frame.memory_usage(deep=True).sum() / 2**30
    return [
        Row(
            f"TablePreparer, {n:,} x 20 numbers, texts, dates, booleans and prices, one thread",
            f"{ours:.0f} s of processor time; {gib:.2f} GiB over the start, for a frame of {size:.2f} GiB",
            f"imputers, scaler and one-hot encoder of scikit-learn: {theirs:.0f} s",
            f"{theirs / ours:.2f} x",
        )
    ]


def against_fits() -> list[Row]:
    """Families whose partitions share their work, against one fit of scikit-learn for each partition."""
    X = StandardScaler().fit_transform(
        make_blobs(SAMPLES, FEATURES, centers=10, cluster_std=3.0, random_state=0)[0]
    )
    wide = StandardScaler().fit_transform(
        make_blobs(SAMPLES, 784, centers=10, cluster_std=9.0, random_state=0)[0]
    )
    ks = k_grid(SAMPLES).tolist()
    few = [k for k in ks if k <= 20]
    rows = []
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        starts = dict(zip(ks, kmeans_partitions(PoolData(X, False), ks), strict=True))

        def row(what: str, ours: Any, name: str, theirs: Any, repeats: int) -> None:
            mine, other = in_turns([ours, theirs], repeats)
            said = f"{name}: {1e3 * other:.0f} ms"
            rows.append(Row(f"{what}, one thread", f"{1e3 * mine:.0f} ms", said, f"{other / mine:.1f} x"))

        # Data are made anew for every run, since they keep what families share.
        for table, repeats in ((X, 3), (wide, 1)):
            size = f"{SAMPLES:,} x {table.shape[1]}"
            row(
                f"k-means for {len(ks)} numbers of clusters, {size}",
                partial(lambda table: kmeans_partitions(PoolData(table, False), ks), table),
                "KMeans of scikit-learn",
                partial(lambda table: [KMeans(k, n_init=3, random_state=k).fit(table) for k in ks], table),
                repeats,
            )
            row(
                f"eight partitions of HDBSCAN, {size}",
                partial(lambda table: hdbscan_partitions(PoolData(table, False), []), table),
                "eight fits of scikit-learn",
                partial(hdbscan_fits, table),
                repeats,
            )
        row(
            f"Gaussian mixtures of 2 to 20 components from k-means, {SAMPLES:,} x {FEATURES}",
            lambda: mixture_partitions(PoolData(X, False, found_means=starts), few),
            "GaussianMixture of scikit-learn from the same means",
            lambda: [mixture_fit(X, starts[k]) for k in few],
            3,
        )
    return rows


def hdbscan_fits(X: NDArray[np.float64]) -> None:
    """HDBSCAN for four least sizes of a cluster and two ways to select clusters."""
    for size in (5, 10, len(X) // 50, len(X) // 20):
        for method in ("eom", "leaf"):
            HDBSCAN(size, min_samples=5, cluster_selection_method=method, copy=True).fit(X)


def mixture_fit(X: NDArray[np.float64], start: NDArray[np.integer]) -> GaussianMixture:
    """Mixture of scikit-learn from given clusters."""
    k = start.max() + 1
    means = np.array([X[start == c].mean(axis=0) for c in range(k)])
    spread = [np.cov(X[start == c].T, ddof=0) + 1e-3 * np.eye(X.shape[1]) for c in range(k)]
    return GaussianMixture(
        k,
        reg_covar=1e-3,
        max_iter=60,
        weights_init=np.bincount(start) / len(X),
        means_init=means,
        precisions_init=np.linalg.inv(spread),
    ).fit(X)


def mixed_shapes(n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Six Gaussians, two moons and a ring with a core, in ten dimensions."""
    rng = np.random.default_rng(0)
    part = n // 10
    blobs, classes = make_blobs(6 * part, 10, centers=6, center_box=(-20, 20), random_state=0)
    spread = rng.normal(size=(6, 10, 10)) * 0.5
    blobs += np.einsum("ij,ijk->ik", rng.normal(size=blobs.shape), spread[classes])
    moons, sides = make_moons(2 * part, noise=0.05, random_state=0)
    angle = rng.uniform(0, 2 * np.pi, part)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.05, size=(part, 2))
    core = rng.normal(scale=0.15, size=(n - 9 * part, 2))
    flat = np.zeros((4 * part + n - 10 * part, 10))
    flat[:, :2] = 8 * np.concatenate([moons, ring + 6, core + 6])
    flat[:, 2:] = rng.normal(scale=0.3, size=(len(flat), 8))
    X = np.concatenate([blobs, flat]).astype(np.float32)
    y = np.concatenate([classes, 6 + sides, np.full(part, 8), np.full(len(core), 9)])
    order = rng.permutation(n)
    return X[order], y[order]


def write(n: int, folder: Path) -> None:
    """Write ``n`` samples and their classes, in a process whose memory does not count."""
    for name, array in zip(("samples", "classes"), mixed_shapes(n), strict=True):
        np.save(folder / f"{name}.npy", array)


def measure_mapped(folder: Path) -> dict[str, float]:
    """Fit the samples of a memory-mapped file in this process."""
    warnings.simplefilter("ignore")
    ParetoClustering(n_landmarks=300, random_state=0).fit(mixed_shapes(600)[0])
    y = np.load(folder / "classes.npy")
    before, start, used = peak_gib(), time.perf_counter(), time.process_time()
    model = ParetoClustering(random_state=0, scale="isotropic", n_jobs=2)
    model.fit(np.load(folder / "samples.npy", mmap_mode="r"))
    seconds, used, gib = time.perf_counter() - start, time.process_time() - used, peak_gib() - before
    return {"seconds": seconds, "cpu": used, "gib": gib, "ari": adjusted_rand_score(y, model.labels_)}


def mapped(n: int) -> list[Row]:
    """A file of ``n`` samples, in a fresh process; the memory has the pages of the file in it."""
    with tempfile.TemporaryDirectory() as folder:
        for what in ("--write", "--read"):
            command = [sys.executable, __file__, str(n), what, folder]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    got = json.loads(answer.splitlines()[-1])
    return [
        Row(
            f"ParetoClustering, N = {n:,}, d = 10, memory-mapped float32, 2000 landmarks, 2 threads",
            f"{got['seconds']:.0f} s ({got['cpu']:.0f} s of processor time); "
            f"{got['gib']:.2f} GiB over the start",
            f"an N x N float64 matrix: {8 * n * n / 2**30:,.0f} GiB",
            f"ARI {got['ari']:.3f}",
        )
    ]


def measure(n: int) -> dict[str, float]:
    """Fit ``n`` samples without knowledge, then with 1% of the labels, in this process."""
    warnings.simplefilter("ignore")
    # Kernels are compiled or loaded before the clock starts.
    ParetoClustering(n_landmarks=300, random_state=0).fit(mixed_shapes(600)[0])
    before = peak_gib()
    X, y = mixed_shapes(n)
    start = time.perf_counter()
    model = ParetoClustering(random_state=0, scale="isotropic", n_jobs=2).fit(X)
    alone = time.perf_counter() - start
    ari = adjusted_rand_score(y, model.labels_)
    some = np.full(n, -1)
    few = np.random.default_rng(1).choice(n, n // 100, replace=False)
    some[few] = y[few]
    start = time.perf_counter()
    model.relabel(some)
    hidden = some < 0
    return {
        "seconds": alone,
        "labelled": time.perf_counter() - start,
        "gib": peak_gib() - before,
        "ari": ari,
        "ari_labelled": adjusted_rand_score(y[hidden], model.labels_[hidden]),
    }


def large(sizes: list[int]) -> list[Row]:
    """All sizes, each in a fresh process."""
    rows = []
    for n in sizes:
        command = [sys.executable, __file__, str(n)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        got = json.loads(answer.splitlines()[-1])
        rows.append(
            Row(
                f"ParetoClustering, N = {n:,}, d = 10, 2000 landmarks, 2 threads",
                f"{got['seconds']:.0f} s, with 1% labels {got['labelled']:.0f} s more; "
                f"{got['gib']:.2f} GiB over the start",
                f"an N x N float64 matrix: {8 * n * n / 2**30:,.0f} GiB",
                f"ARI {got['ari']:.3f}, with labels {got['ari_labelled']:.3f}",
            )
        )
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--read", type=Path)
    options = parser.parse_args()
    if options.write:
        write(options.n, options.write)
    else:
        print(json.dumps(measure_mapped(options.read) if options.read else measure(options.n)))
