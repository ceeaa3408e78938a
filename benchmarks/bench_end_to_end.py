"""Time and peak memory from generated data to labels."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from _harness import Row

# Peak memory is a property of a process: each size runs in one of its own.
_SIZES = {200_000: 20, 1_000_000: 20}


def measure(n: int, n_gen: int) -> dict[str, float]:
    """Cluster ``n`` samples of ten Gaussian clusters in ten dimensions, in this process."""
    from sklearn.datasets import make_blobs

    from moo_clustering import PESC
    from moo_clustering.validity import clustering_accuracy

    # Kernels are compiled or loaded before the clock starts.
    PESC(3, n_gen=1, pop_size=8, random_state=0).fit(make_blobs(300, centers=3, random_state=0)[0])
    before = peak_gib()
    X, y = make_blobs(n, n_features=10, centers=10, cluster_std=2.0, random_state=0)
    X = X.astype("float32")
    start = time.perf_counter()
    model = PESC(10, n_gen=n_gen, init="spread", random_state=0, n_jobs=2, verbose=True).fit(X)
    return {
        "seconds": time.perf_counter() - start,
        "gib": peak_gib() - before,
        "accuracy": clustering_accuracy(y, model.labels_),
    }


def peak_gib() -> float:
    """Highest resident memory so far."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # The figure of getrusage is at least the peak of the process that started this one.
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 2**20


def run(sizes: list[int] | None = None) -> list[Row]:
    """All sizes, each in a fresh process; the million takes its time."""
    rows = []
    for n in sizes or list(_SIZES):
        command = [sys.executable, __file__, str(n), str(_SIZES[n])]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        got = json.loads(answer.splitlines()[-1])
        rows.append(
            Row(
                f"data to labels, N = {n:,}, d = 10, K = 10, {_SIZES[n]} generations, 2 threads",
                f"{got['seconds']:.0f} s, {got['gib']:.2f} GiB over the start",
                f"an N x N float64 matrix: {8 * n * n / 2**30:,.0f} GiB",
                f"accuracy {got['accuracy']:.3f}",
            )
        )
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    parser.add_argument("n_gen", type=int)
    options = parser.parse_args()
    print(json.dumps(measure(options.n, options.n_gen)))
