"""A sweep of SISC against dense and sparse NumPy, its threads and memory, and prediction.

A sweep adds rows of two panels, (n, 2 k) by feature and (m, k) by sample, and is bound by reading them:
of .23 s on one thread (28,596 x 49,060, k = 50, double precision) the sums by feature take .09 s and the
products by sample .05 s, logarithms and exponentials most of the rest. Reading the first panel in tiles
of 1 MiB while 128 frequent features take from it saves .04 s of .135; with tiles of .25, .5 or 2 MiB it
saves no more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
from _harness import Row, median_seconds
from _subspace_forms import dense_sweep, reports, scipy_sweep, start
from bench_bags import in_turns
from bench_end_to_end import peak_gib
from threadpoolctl import threadpool_limits

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import SubspaceData, SubspaceOptions, distances, sweep, votes

SMALL, LARGE = (2_000, 500, 45_000, 22), (28_596, 49_060, 2_500_000, 22)
OPTIONS = SubspaceOptions()


def small() -> Row:
    """Against differences, cluster by cluster; the same memberships."""
    X, Y = reports(*SMALL)
    W, data, targets = start(X.shape[0], 20), SubspaceData.of(X, n_jobs=1), partial_targets(Y, X.shape[0])
    dense = X.toarray()
    gap = np.abs(sweep(data, targets, W, OPTIONS).memberships.T - dense_sweep(dense, Y, W.T)).max()
    ours = median_seconds(lambda: sweep(data, targets, W, OPTIONS), 20)
    theirs = median_seconds(lambda: dense_sweep(dense, Y, W.T), 3)
    return Row(
        f"a sweep of SISC-ML, {SMALL[0]:,} x {SMALL[1]}, {X.nnz / 1e3:.0f}k ones, k = 20, one thread",
        f"{1e3 * ours:.1f} ms",
        f"dense NumPy, cluster by cluster (memberships differ by {gap:.0e}): {1e3 * theirs:.0f} ms",
        f"{theirs / ours:.0f} x",
    )


def large() -> list[Row]:
    """At the size of the whole ASRS collection with all its words."""
    X, Y = reports(*LARGE)
    n, k = X.shape[0], 50
    W, targets = start(n, k), partial_targets(Y, n)
    plain, columns = np.ascontiguousarray(W.T), X.T.tocsr()
    one, two, single = (
        SubspaceData.of(X, n_jobs=1),
        SubspaceData.of(X, n_jobs=2),
        SubspaceData.of(X, dtype="float32", n_jobs=2),
    )
    W32 = W.astype(np.float32)
    found = sweep(two, targets, W, OPTIONS)
    gap = np.abs(found.memberships.T - scipy_sweep(X, columns, Y, plain)).max()
    t1, t2, t32, theirs = in_turns(
        [
            lambda: sweep(one, targets, W, OPTIONS),
            lambda: sweep(two, targets, W, OPTIONS),
            lambda: sweep(single, targets, W32, OPTIONS),
            lambda: scipy_sweep(X, columns, Y, plain),
        ],
        repeats=3,
    )
    new = SubspaceData.of(X[:10_000], n_jobs=2)

    def predict() -> Any:
        d = distances(new, found.centers, found.log_weights, OPTIONS.weight_exponent)
        return votes(d, found.shares, found.impurities)

    prediction = median_seconds(predict, 3)
    what = f"{n:,} x {LARGE[1]:,}, {X.nnz / 1e6:.1f}M ones, k = {k}"
    return [
        Row(
            f"a sweep of SISC-ML, {what}, two threads",
            f"{t2:.2f} s",
            f"three SciPy products (memberships differ by {gap:.0e}): {theirs:.2f} s",
            f"{theirs / t2:.1f} x",
        ),
        Row(
            "the same, two threads against one", f"{t2:.2f} s", f"one thread: {t1:.2f} s", f"{t1 / t2:.2f} x"
        ),
        Row("the same in single precision", f"{t32:.2f} s", f"double: {t2:.2f} s", f"{t2 / t32:.2f} x"),
        Row(
            f"prediction of 10,000 documents, {what}, two threads",
            f"{prediction:.2f} s",
            f"a sweep: {t2:.2f} s",
            f"{t2 / prediction:.1f} x",
        ),
    ]


def processor_seconds(action: Any) -> float:
    """Least processor time of three calls."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        action()
        times.append(time.process_time() - begun)
    return min(times)


def bandwidth() -> Row:
    """Bytes that the products of a sweep gather, against an array that is read in order."""
    X, Y = reports(*LARGE)
    k, W, columns = 50, start(X.shape[0], 50), X.T.tocsr()
    data, targets, plain = SubspaceData.of(X, n_jobs=1), partial_targets(Y, X.shape[0]), W.T.copy()
    sweep(data, targets, W, OPTIONS)
    ours = processor_seconds(lambda: sweep(data, targets, W, OPTIONS))
    theirs = processor_seconds(lambda: scipy_sweep(X, columns, Y, plain))
    gathered, array = 8 * 3 * k * X.nnz, np.ones(50_000_000)
    return Row(
        f"a sweep of SISC-ML, {X.shape[0]:,} x {X.shape[1]:,}, k = {k}, processor time, one thread",
        f"{ours:.2f} s for {gathered / 1e9:.1f} GB of gathered rows, {gathered / ours / 1e9:.0f} GB/s",
        f"three SciPy products: {theirs:.2f} s; an array read in order: "
        f"{array.nbytes / processor_seconds(array.sum) / 1e9:.0f} GB/s",
        f"{theirs / ours:.1f} x",
    )


def memory() -> Row:
    """Peak memory is a property of a process, so the sweeps have one of their own."""
    command = [sys.executable, __file__, "memory"]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    got = json.loads(answer.splitlines()[-1])
    n, m, k = LARGE[0], LARGE[1], 50
    return Row(
        f"15 sweeps of SISC-ML, {n:,} x {m:,}, k = {k}, two threads: time, peak memory",
        f"{got['seconds']:.1f} s, {got['gib']:.2f} GiB over the data",
        f"8 k (n + 4 m) bytes: {8 * k * (n + 4 * m) / 2**30:.2f} GiB; "
        f"a dense matrix: {8 * n * m / 2**30:.1f} GiB",
        "",
    )


def measure() -> dict[str, float]:
    """Sweep in this process."""
    X, Y = reports(*LARGE)
    targets = partial_targets(Y, X.shape[0])
    tiny, labels = reports(200, 300, 3_000, 22)  # kernels are compiled or loaded before
    few = SubspaceData.of(tiny, n_jobs=2)
    sweep(few, partial_targets(labels, 200), start(200, 5), OPTIONS)
    data, W = SubspaceData.of(X, n_jobs=2), start(X.shape[0], 50)
    before, begun = peak_gib(), time.perf_counter()
    for _ in range(15):
        W = sweep(data, targets, W, OPTIONS).memberships
    return {"seconds": time.perf_counter() - begun, "gib": peak_gib() - before}


def run() -> list[Row]:
    """BLAS on one thread throughout."""
    with threadpool_limits(limits=1):
        return [small(), *large(), bandwidth(), memory()]


if __name__ == "__main__":
    print(json.dumps(measure()))
