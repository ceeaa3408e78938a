"""Estimators of bags from data to labels, with time and peak memory.

CHCMIC on thousands of bags is bound by memory: a gene that is tried reads a megabyte (products, squares and
sums of all instances) from the second-level cache, at some 35 GB/s, and a gene that is moved writes 2.5 MB.
Next come the products themselves, a gigabyte that is touched for the first time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from _bag_data import many_bags, musk2_shape, stored
from _harness import Row
from bench_end_to_end import peak_gib
from threadpoolctl import threadpool_limits

from moo_clustering import BAMIC, CHCMIC, Bags, MIKMeans
from moo_clustering.datasets import make_bags


class Case(NamedTuple):
    """A run, and what it is called and compared with."""

    what: str
    bags: Callable[[], Bags | None]
    estimator: Any
    repeats: int
    beside: str


_DEFAULTS = "CHCMIC, defaults (150 x 150)"
_LARGE = "5,000 bags of 10 x 50"
_DISTANCES = f"distances of all pairs of instances: {8 * 50_000**2 / 2**30:.0f} GiB"

# Peak memory is a property of a process: each case runs in one of its own.
CASES = {
    "musk1": Case(f"{_DEFAULTS}, Musk1", lambda: stored("musk1"), CHCMIC(n_jobs=1), 2, "target: 3 s"),
    "musk2": Case(f"{_DEFAULTS}, 6,598 x 166 in 102 bags", musk2_shape, CHCMIC(n_jobs=1), 2, "target: 15 s"),
    "many-chcmic": Case(
        f"CHCMIC, pop 20, 3 generations, {_LARGE}",
        many_bags,
        CHCMIC(pop_size=20, n_gen=3, n_jobs=1),
        1,
        _DISTANCES,
    ),
    "many-chcmic-threads": Case(
        f"CHCMIC, pop 20, 3 generations, {_LARGE}",
        many_bags,
        CHCMIC(pop_size=20, n_gen=3, n_jobs=2),
        1,
        "target: 12 s",
    ),
    "many-bamic": Case(f"BAMIC, defaults, {_LARGE}", many_bags, BAMIC(n_jobs=1), 1, _DISTANCES),
    "many-mikmeans": Case(f"MIKMeans, defaults, {_LARGE}", many_bags, MIKMeans(), 1, _DISTANCES),
}


def measure(name: str) -> dict[str, Any] | None:
    """One case in this process, the best of its repeats; None without its data."""
    case = CASES[name]
    estimator = case.estimator.set_params(random_state=0)
    threads = getattr(estimator, "n_jobs", 1)
    clock = time.process_time if threads == 1 else time.perf_counter
    seconds = []
    with threadpool_limits(limits=1):
        # Kernels are compiled or loaded before the clock starts.
        estimator.fit(make_bags(20, 2, random_state=0).bags)
        before = peak_gib()
        bags = case.bags()
        if bags is None:
            return None
        for _ in range(case.repeats):
            start = clock()
            estimator.fit(bags)
            seconds.append(clock() - start)
    evaluations = getattr(estimator, "n_evaluations_", 0) + getattr(estimator, "n_trial_evaluations_", 0)
    return {
        "seconds": min(seconds),
        "gib": peak_gib() - before,
        "whole": peak_gib(),
        "evaluations": evaluations,
        "clock": f"{'processor time' if threads == 1 else 'time'}, peak memory, threads: {threads}",
    }


def run() -> list[Row]:
    """All cases whose data there are."""
    rows = []
    for name, case in CASES.items():
        command = [sys.executable, __file__, name]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        got = json.loads(answer.splitlines()[-1])
        if got is None:
            continue
        count = got["evaluations"]
        rows.append(
            Row(
                f"{case.what}: {got['clock']}",
                f"{got['seconds']:.2f} s, {1024 * got['gib']:.0f} MiB over the start, "
                f"{got['whole']:.2f} GiB in all",
                case.beside,
                f"{1e6 * got['seconds'] / count:.1f} us for each of {count:,} evaluations" if count else "",
            )
        )
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    print(json.dumps(measure(parser.parse_args().case)))
