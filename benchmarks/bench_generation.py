"""One generation of the neighbour-graph search against pymoo's default integer operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from _harness import Row, compare, median_seconds
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.graphs import neighbor_lists
from moo_clustering.operators import (
    DynamicDiversitySurvival,
    NeighborResample,
    NeighborSampling,
    UniformNeighborCrossover,
    batched_tournament,
)
from moo_clustering.problems import NeighborGraphProblem


def problem(n: int, **kwargs: Any) -> NeighborGraphProblem:
    """Neighbour graphs of ``n`` samples in four dimensions."""
    X = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    return NeighborGraphProblem(neighbor_lists(X, 13, rng=np.random.default_rng(0), n_jobs=2), **kwargs)


def ours(n: int) -> NSGA2:
    """The composition PESC uses, started."""
    algorithm = NSGA2(
        pop_size=100,
        sampling=NeighborSampling("spread"),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=UniformNeighborCrossover(),
        mutation=NeighborResample(0.1),
        survival=DynamicDiversitySurvival(),
        eliminate_duplicates=False,
    )
    return started(algorithm, problem(n, diversity="deferred", n_jobs=2))


def defaults(n: int) -> NSGA2:
    """The same problem with what pymoo offers for integers, duplicates eliminated as by default."""
    algorithm = NSGA2(
        pop_size=100,
        sampling=IntegerRandomSampling(),
        crossover=SBX(prob=0.9, eta=15, vtype=float, repair=RoundingRepair()),
        mutation=PM(eta=20, vtype=float, repair=RoundingRepair()),
    )
    return started(algorithm, problem(n))


def started(algorithm: NSGA2, on: NeighborGraphProblem) -> NSGA2:
    """Set up and past its first generation."""
    algorithm.setup(on, termination=("n_gen", 10**9), seed=1)
    algorithm.next()
    return algorithm


def run() -> list[Row]:
    """Ratio at N = 20,000, growth from 5,000 to 200,000."""
    mine, theirs = ours(20_000), defaults(20_000)
    rows = [
        compare(
            "a generation, N = 20,000, pop 100",
            mine.next,
            "pymoo's SBX, PM, rounding, default duplicates",
            theirs.next,
            repeats=9,
        )
    ]
    del mine, theirs
    per_sample = {}
    for n in (5_000, 20_000, 100_000, 200_000):
        seconds = median_seconds(ours(n).next, repeats=5)
        per_sample[n] = seconds / n
        rows.append(
            Row(
                f"a generation, N = {n:,}, pop 100",
                f"{1e3 * seconds:.0f} ms",
                f"time per sample at N = 5,000: {1e6 * per_sample[5_000]:.2f} us",
                f"{per_sample[n] / per_sample[5_000]:.2f} x",
            )
        )
    return rows
