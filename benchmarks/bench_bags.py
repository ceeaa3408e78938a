"""Partitions of bags scored, moved and bred, against plain NumPy, SciPy and DEAP; then whole runs."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import bench_bag_runs
import numpy as np
from _bag_data import musk2_shape
from _harness import Row
from _numpy_bags import NumpyDaviesBouldin
from deap import algorithms, tools
from scipy.spatial.distance import directed_hausdorff
from threadpoolctl import threadpool_limits

from moo_clustering.bags import BagGeometry, BagObjective, Bags, bag_distances
from moo_clustering.operators.deap import bag_toolbox

POP, K = 150, 2
SHAPE = "6,598 x 166 in 102 bags"


def in_turns(actions: list[Callable[[], object]], repeats: int) -> list[float]:
    """Median seconds of each; they take turns, so that what else the machine does slows all alike."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(1 + repeats):
        for action, seconds in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds[1:]) for seconds in times]


def trials(objective: BagObjective, rival: NumpyDaviesBouldin) -> list[Row]:
    """Values of single genes tried by the mutation, and whole populations."""
    labels = objective.random(POP, np.random.default_rng(0))
    values = [rival.by_products(row) for row in labels]
    np.testing.assert_allclose(objective.evaluate(labels), values, rtol=1e-9)
    np.testing.assert_allclose([rival.by_differences(row) for row in labels[:3]], values[:3], rtol=1e-9)
    few, rng = labels[:20], np.random.default_rng(1)
    counted: list[int] = []
    sweep, products, differences, population = in_turns(
        [
            lambda: counted.append(int(objective.improve(few, rng).n_trials.sum())),
            lambda: [rival.by_products(row) for row in few],
            lambda: [rival.by_differences(row) for row in few],
            lambda: objective.evaluate(labels),
        ],
        repeats=15,
    )
    trial = sweep / statistics.median(counted[1:])
    products, differences = products / len(few), differences / len(few)
    return [
        Row(
            f"trial evaluation of a gene, Davies-Bouldin of {SHAPE}, K = {K}",
            f"{1e6 * trial:.1f} us",
            f"vectorised NumPy from the features: by products {1e6 * products:.0f} us, "
            f"by differences {1e6 * differences:.0f} us",
            f"{products / trial:.0f} x, {differences / trial:.0f} x",
        ),
        Row(
            f"Davies-Bouldin of {POP} partitions of {SHAPE}, K = {K}",
            f"{1e3 * population:.1f} ms",
            f"vectorised NumPy by products, one by one: {1e3 * POP * products:.1f} ms",
            f"{POP * products / population:.1f} x",
        ),
    ]


def hausdorff(bags: Bags) -> Row:
    """Distances between all bags."""

    def pairs() -> list[float]:
        return [directed_hausdorff(a, b)[0] for a in bags for b in bags]

    np.testing.assert_allclose(bag_distances(bags, n_jobs=1).ravel(), pairs(), atol=1e-9)
    ours, theirs = in_turns([lambda: bag_distances(bags, n_jobs=1), pairs], repeats=2)
    return Row(
        f"Hausdorff distances of all pairs of bags, {SHAPE}",
        f"{1e3 * ours:.0f} ms",
        f"SciPy's directed_hausdorff in a loop: {1e3 * theirs:.0f} ms",
        f"{theirs / ours:.1f} x",
    )


def generations(objective: BagObjective, rival: NumpyDaviesBouldin) -> Row:
    """DEAP's own loop and mutation: evaluations of a generation at once, one by one, and in NumPy."""

    def evolve(**entries: Callable[..., object]) -> None:
        random.seed(0)
        toolbox = bag_toolbox(objective, np.random.default_rng(0))
        toolbox.register("mutate", tools.mutUniformInt, low=0, up=K - 1, indpb=0.05)
        for name, function in entries.items():
            toolbox.register(name, function)
        algorithms.eaSimple(toolbox.population(n=POP), toolbox, 0.5, 0.2, 10, verbose=False)

    def value(individual: np.ndarray) -> tuple[float]:
        return (rival.by_products(np.asarray(individual)),)

    batched, single, plain = in_turns(
        [evolve, lambda: evolve(map=map), lambda: evolve(map=map, evaluate=value)], repeats=5
    )
    return Row(
        f"deap.algorithms.eaSimple, {POP} partitions of {SHAPE}, 10 generations",
        f"{1e3 * batched:.0f} ms with the batch map",
        f"the built-in map: {1e3 * single:.0f} ms; and evaluation in NumPy: {1e3 * plain:.0f} ms",
        f"{single / batched:.1f} x, {plain / batched:.1f} x",
    )


def run() -> list[Row]:
    """On one thread."""
    with threadpool_limits(limits=1):
        bags = musk2_shape()
        objective, rival = BagObjective(BagGeometry(bags), K, n_jobs=1), NumpyDaviesBouldin(bags, K)
        rows = [*trials(objective, rival), hausdorff(bags), generations(objective, rival)]
    return rows + bench_bag_runs.run()
