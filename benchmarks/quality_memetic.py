"""Sums of squares of MemeticKMeans and its controls: ``python benchmarks/quality_memetic.py [options]``.

Every strategy gets the same budget on every problem, with the same compiled kernel. ``gauss`` are 8000
samples of k normal components with centres uniform in the unit cube, ``grid`` those of a grid of 10 x 10;
``s1``, ``a1``, ``unbalance`` and the classed tables are read where there are such files.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MemeticKMeans

Table = tuple[NDArray[np.float64], NDArray[np.int64]]

FOLDER = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
RUNS: dict[str, dict[str, Any]] = {
    "multistart": {"strategy": "multistart"},
    "swap": {"strategy": "swap"},
    "swap, cheap": {"strategy": "swap", "removal": "cheap"},
    "memetic": {"ward_start": False},
    "memetic, cheap": {"ward_start": False, "removal": "cheap"},
    "memetic, deap": {"ward_start": False, "engine": "deap"},
    "memetic + ward": {"ward_start": True},
    "ward": {"strategy": "ward"},
    "local optimum of Ward": {"strategy": "ward", "max_distance_evaluations": 1},
}
# Least sums that all strategies should reach: number of clusters, value.
KNOWN = {"a1": (20, 50.8011351), "s1": (15, 154.34), "unbalance": (8, 21.47)}

# By how many per cent the population should at least be below restarts, after 10^9 distances, and by how
# many the relocation of single centres may at most differ from it.
FLOORS = {"grid-100": 1.0, "gauss16-100": 1.0, "satimage-100": 0.5, "pendigits-100": 0.5}
ALIKE = {"satimage-100": 0.5, "pendigits-100": 0.5}


def gauss(k: int, d: int, spread: float) -> Callable[[], Table]:
    """Components with centres uniform in the unit cube, and shares of very unlike size."""

    def make() -> Table:
        rng = np.random.default_rng(0)
        centers, shares = rng.random((k, d)), rng.dirichlet(np.full(k, 1.5))
        y = rng.choice(k, size=8000, p=shares)
        return centers[y] + spread * rng.standard_normal((8000, d)), y

    return make


def grid() -> Table:
    """100 components, 80 samples each."""
    y = np.repeat(np.arange(100), 80)
    centers = np.column_stack([np.arange(100) // 10, np.arange(100) % 10])
    return centers[y] + 0.25 * np.random.default_rng(0).standard_normal((8000, 2)), y


def shape(name: str) -> Callable[[], Table]:
    """A shape: less its mean, divided by the standard deviation of all its numbers."""

    def read() -> Table:
        with np.load(FOLDER / "shapes" / f"{name}.npz") as data:
            X, y = data["X"].astype(np.float64), data["y"]
        return (X - X.mean(axis=0)) / X.std(), y

    return read


def uci(name: str) -> Callable[[], Table]:
    """A table of standardised features."""

    def read() -> Table:
        with np.load(FOLDER / "uci" / f"{name}.npz") as data:
            X, y = data["X"].astype(np.float64), data["y"]
        X = X[:, X.std(axis=0) > 0]
        return (X - X.mean(axis=0)) / X.std(axis=0), y

    return read


PROBLEMS: dict[str, tuple[int, Callable[[], Table]]] = {
    **{name: (k, shape(name)) for name, (k, _) in KNOWN.items()},
    "gauss16-100": (100, gauss(100, 16, 0.13)),
    "gauss16-50": (50, gauss(50, 16, 0.13)),
    "gauss2-100": (100, gauss(100, 2, 0.03)),
    "grid-100": (100, grid),
    "pendigits-100": (100, uci("pendigits")),
    "satimage-100": (100, uci("satimage")),
}


def lines(
    problems: list[str], runs: list[str], seeds: int, budget: dict[str, Any]
) -> Iterator[tuple[str, str, int, float, float, float, int]]:
    """Problem, run, seed, sum of squares, ARI, seconds and local searches of every fit."""
    for problem in problems:
        k, make = PROBLEMS[problem]
        X, y = make()
        for run in runs:
            for seed in range(seeds):
                start = time.perf_counter()
                model = MemeticKMeans(k, **budget | RUNS[run], random_state=seed).fit(X)
                seconds = time.perf_counter() - start
                ari = adjusted_rand_score(y, model.labels_)
                yield problem, run, seed, model.inertia_, ari, seconds, model.n_local_searches_


def main() -> None:
    """Print a line for every fit, then the gaps to the best of each problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help=f"of {', '.join(PROBLEMS)}")
    parser.add_argument("--runs", nargs="+", choices=list(RUNS), default=list(RUNS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--distances", type=int, help="budget in distances; default 10^9")
    parser.add_argument("--seconds", type=float, help="budget in seconds, in place of distances")
    options = parser.parse_args()
    unknown = set(options.problems) - set(PROBLEMS)
    if unknown:
        parser.error(f"unknown problem {', '.join(sorted(unknown))}; known are {', '.join(PROBLEMS)}")
    names = options.problems or list(PROBLEMS)
    budget: dict[str, Any] = {"max_distance_evaluations": options.distances, "max_time": options.seconds}
    if options.distances is None and options.seconds is None:
        budget["max_distance_evaluations"] = 10**9
    print("| problem | run | seed | sum of squares | ARI | seconds | local searches |")
    print("|---|---|---|---|---|---|---|")
    found: dict[str, dict[str, list[float]]] = {}
    for problem, run, seed, value, ari, seconds, searches in lines(
        names, options.runs, options.seeds, budget
    ):
        print(
            f"| {problem} | {run} | {seed} | {value:.8g} | {ari:.3f} | {seconds:.1f} | {searches} |",
            flush=True,
        )
        found.setdefault(problem, {}).setdefault(run, []).append(value)
    print("\nMean gap to the best in per cent\n")
    print(f"| problem | {' | '.join(options.runs)} | best | known |")
    print("|---" * (len(options.runs) + 3) + "|")
    for problem, values in found.items():
        best = min(min(row) for row in values.values())
        gaps = [f"{100 * (np.mean(values[run]) / best - 1):.3f}" for run in options.runs]
        known = f"{KNOWN[problem][1]:.8g}" if problem in KNOWN else ""
        print(f"| {problem} | {' | '.join(gaps)} | {best:.8g} | {known} |")
    print()
    for problem, values in found.items():
        for verdict in verdicts(problem, {run: float(np.mean(row)) for run, row in values.items()}):
            print(f"{problem}: {verdict}")


def verdicts(problem: str, means: dict[str, float]) -> Iterator[str]:
    """Goals, and whether they were reached."""
    if problem in KNOWN:
        missed = [run for run, value in means.items() if value > KNOWN[problem][1] * (1 + 1e-8)]
        yield f"all reach {KNOWN[problem][1]:.9g}" if not missed else f"not reached by {', '.join(missed)}"
    if problem in FLOORS and {"memetic", "multistart"} <= set(means):
        below = 100 * (1 - means["memetic"] / means["multistart"])
        word = "is" if below >= FLOORS[problem] else "is NOT"
        yield f"memetic is {below:.2f}% below multistart, which {word} at least {FLOORS[problem]}%"
    if problem in FLOORS and {"memetic", "swap"} <= set(means):
        beside = 100 * (means["swap"] / means["memetic"] - 1)
        yield f"swap is {beside:+.2f}% from memetic{within(abs(beside), ALIKE.get(problem))}"
    if problem in FLOORS and {"memetic + ward", "local optimum of Ward"} <= set(means):
        beside = 100 * (means["memetic + ward"] / means["local optimum of Ward"] - 1)
        yield f"memetic + ward is {beside:+.3f}% from the local optimum of Ward{within(beside, 0.01)}"


def within(value: float, most: float | None) -> str:
    """Whether a difference is as small as it should be, if that is known."""
    if most is None:
        return ""
    return f", which {'is' if value <= most else 'is NOT'} within {most}%"


if __name__ == "__main__":
    main()
