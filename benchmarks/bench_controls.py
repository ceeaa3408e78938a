"""Overhead of comparisons with controls: counting and archiving, of all that a comparison takes."""

from __future__ import annotations

import time
from typing import Any
from unittest.mock import patch

from _harness import Row
from pymoo.algorithms.moo.nsga2 import NSGA2
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from moo_clustering.controls import Meter, compare
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import MOCKProblem, PartitionProblem

POP, N_EVALS, SEEDS = 100, 10_000, 2


def overhead(what: str, problem: Any) -> Row:
    """Processor times, since the machine may have other work."""
    spent, take = [0.0, 0], Meter.take

    def timed(meter: Meter, X: Any, *rest: Any) -> None:
        start = time.process_time()
        spent[1] += len(X)
        try:
            take(meter, X, *rest)
        finally:
            spent[0] += time.process_time() - start

    start = time.process_time()
    with patch.object(Meter, "take", timed):
        algorithm = NSGA2(POP, **problem.operators(NSGA2))
        compare(problem, algorithm, n_evals=N_EVALS, seeds=SEEDS, controls=["drift", "climbs"])
    total = time.process_time() - start
    return Row(
        f"counting and archiving, {what}, in addition to drift and climbs, one thread",
        f"{1e6 * spent[0] / spent[1]:.2f} µs per evaluation",
        f"an evaluation with its share of the search: {1e6 * total / spent[1]:.0f} µs",
        f"{100 * spent[0] / total:.1f}%",
    )


def run() -> list[Row]:
    """A problem whose compiled evaluation takes microseconds, and one of indices."""
    X = make_blobs(1000, centers=8, random_state=0)[0]
    medoids = PartitionProblem(X, MedoidEncoding(X, k_max=12), ["silhouette", "davies_bouldin"])
    with threadpool_limits(limits=1):
        return [
            overhead("NSGA-II on MOCK, 1,000 samples", MOCKProblem(X, random_state=0)),
            overhead("NSGA-II on medoids by two indices, 1,000 samples", medoids),
        ]
