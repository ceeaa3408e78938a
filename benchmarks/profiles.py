"""Profile fits by what their time goes to: ``benchmarks/profiles.py [--methods NAME ...] [--write FILE]``.

Every estimator at two sizes, on one thread, after a fit that loads kernels, whose calls are timed. Every
millisecond of processor time a timer looks which Python function runs, and books the rest of the time since
its last look. Columns are shares of the time within: compiled kernels; pymoo or DEAP; scikit-learn and
SciPy; other libraries; and this package, what it calls of NumPy included. The last column names the function
that takes most of the latter.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from sklearn.datasets import make_blobs, make_multilabel_classification
from threadpoolctl import threadpool_limits

import moo_clustering as mc
from moo_clustering.datasets import make_bags

COLUMNS = ("kernels", "pymoo, DEAP", "scikit-learn, SciPy", "other libraries", "this package")
# Seconds of processor time between two looks.
_INTERVAL = 0.001


def _blobs(n: int) -> tuple[Any, ...]:
    return (make_blobs(n, 10, centers=8, cluster_std=2.0, random_state=0)[0],)


def _categories(n: int) -> tuple[Any, ...]:
    return (pd.DataFrame(np.random.default_rng(0).integers(0, 4, (n, 8)).astype(str)),)


def _bags(n: int) -> tuple[Any, ...]:
    return (make_bags(n, 4, random_state=0).bags,)


def _multilabel(n: int) -> tuple[Any, ...]:
    X, Y = make_multilabel_classification(n, 100, n_classes=5, random_state=0)
    return X, np.where(np.arange(n)[:, None] % 5 == 0, Y, -1)


def _counts(n: int) -> tuple[Any, ...]:
    return (make_multilabel_classification(n, 300, n_classes=8, random_state=0)[0],)


METHODS: dict[str, tuple[Callable[[], Any], Callable[[int], tuple[Any, ...]], tuple[int, int]]] = {
    "ParetoClustering()": (lambda: mc.ParetoClustering(random_state=0), _blobs, (500, 5_000)),
    "ParetoBagClustering()": (lambda: mc.ParetoBagClustering(random_state=0), _bags, (100, 500)),
    "MemeticKMeans(8)": (lambda: mc.MemeticKMeans(8, random_state=0), _blobs, (500, 5_000)),
    "MOCK(8)": (lambda: mc.MOCK(8, random_state=0), _blobs, (500, 5_000)),
    "PESC(8)": (lambda: mc.PESC(8, random_state=0), _blobs, (500, 5_000)),
    "NSGA2Clus()": (lambda: mc.NSGA2Clus(random_state=0), _blobs, (500, 5_000)),
    "AMOSAClus()": (lambda: mc.AMOSAClus(random_state=0), _blobs, (200, 1_000)),
    "SRMOSC(8)": (lambda: mc.SRMOSC(8, random_state=0), _blobs, (200, 1_000)),
    "FuzzyModesMOGA(3)": (lambda: mc.FuzzyModesMOGA(3, random_state=0), _categories, (200, 1_000)),
    "CHCMIC(4)": (lambda: mc.CHCMIC(4, random_state=0), _bags, (100, 500)),
    "MIGKA(4)": (lambda: mc.MIGKA(4, random_state=0), _bags, (100, 500)),
    "EnsembleNMF(8)": (lambda: mc.EnsembleNMF(8, random_state=0), _counts, (300, 2_000)),
    "SISC(8)": (lambda: mc.SISC(8, random_state=0), _multilabel, (5_000, 50_000)),
    "PCKMeans(8)": (lambda: mc.PCKMeans(8, random_state=0), _blobs, (500, 5_000)),
    "SubspaceMixture(8)": (lambda: mc.SubspaceMixture(8, random_state=0), _blobs, (500, 5_000)),
}


def column_of(file: str) -> str:
    """The column that code of a file belongs to."""
    if "moo_clustering" not in file and ("/pymoo/" in file or "/deap/" in file):
        return COLUMNS[1]
    if any(f"/{name}/" in file for name in ("sklearn", "scipy", "joblib", "threadpoolctl")):
        return COLUMNS[2]
    return COLUMNS[4] if "moo_clustering/" in file else COLUMNS[3]


def profile(name: str, n: int) -> dict[str, Any]:
    """Shares of the time of one fit."""
    make, data, _ = METHODS[name]
    given = data(n)
    make().fit(*given)
    spent: defaultdict[tuple[str, str], float] = defaultdict(float)
    kernels = counted = 0.0
    last = begun = time.process_time()

    def call(kernel: Any, *args: Any, **options: Any) -> Any:
        nonlocal kernels
        start = time.process_time()
        try:
            return Dispatcher.__call__(kernel, *args, **options)
        finally:
            kernels += time.process_time() - start

    def look(number: int, frame: Any) -> None:
        nonlocal last, counted
        if frame.f_code is call.__code__:
            return
        now = time.process_time()
        spent[frame.f_code.co_filename, frame.f_code.co_name] += max(now - last - (kernels - counted), 0.0)
        last, counted = now, kernels

    signal.signal(signal.SIGPROF, look)
    CPUDispatcher.__call__ = call
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    make().fit(*given)
    signal.setitimer(signal.ITIMER_PROF, 0)
    del CPUDispatcher.__call__
    total = time.process_time() - begun
    shares = dict.fromkeys(COLUMNS, 0.0) | {COLUMNS[0]: kernels / total}
    own: defaultdict[str, float] = defaultdict(float)
    for (file, function), seconds in spent.items():
        column = column_of(file)
        shares[column] += seconds / total
        if column == COLUMNS[4]:
            room = file.rsplit("moo_clustering/", 1)[1].removesuffix(".py")
            own[f"{room}: {function}"] += seconds / total
    share, dearest = max(((share, one) for one, share in own.items()), default=(0.0, ""))
    return (
        {"method": name, "n": n, "seconds": total}
        | shares
        | {"most expensive own function": f"{dearest} ({share:.0%})"}
    )


def main() -> None:
    """Print a table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="NAME", default=list(METHODS))
    parser.add_argument("--write", type=Path, help="file that gets the table, in Markdown")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    numba.set_num_threads(1)
    threadpool_limits(1)
    rows = []
    for name in options.methods:
        rows += [profile(name, n) for n in METHODS[name][2]]
        print(rows[-1], file=sys.stderr)
    lines = [
        "| fit | samples | seconds | " + " | ".join(COLUMNS) + " | most expensive own function |",
        "|---" * 9 + "|",
    ]
    for row in rows:
        shares = " | ".join(f"{row[column]:.0%}" for column in COLUMNS)
        shares += f" | {row['most expensive own function']}"
        lines.append(f"| {row['method']} | {row['n']:,} | {row['seconds']:.2f} | {shares} |")
    print("\n".join(lines))
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
