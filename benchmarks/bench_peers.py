"""Our methods and those of other libraries: ``benchmarks/bench_peers.py [--limit 60] [--figure FILE]``.

Ten Gaussian clusters of unequal sizes and shapes in ten dimensions, shuffled, 10^3 to 10^6 samples. Every
method and size has a process of its own on one thread, whose processor time is measured: a fit on 500
samples, which compiles or loads kernels, then k-means of scikit-learn, which every time is compared with, and
the fit. A size is skipped if the growth so far predicts more than ``--limit`` seconds, or the method needs
all pairs of so many samples.

Packages that are no dependencies: ``benchmarks/peers.txt``; what is not installed is named.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _harness import Row, timed
from bench_end_to_end import peak_gib
from numpy.typing import NDArray

from moo_clustering._kernels.threads import before_compiling

SIZES = (1_000, 10_000, 100_000, 1_000_000)
K, D = 10, 10
# A fit that takes this many times the limit is stopped.
_PATIENCE = 4
Matrix = NDArray[np.float64]
Fit = Callable[[Matrix, NDArray[np.int64]], Any]


def clusters(n: int, seed: int = 0) -> tuple[Matrix, NDArray[np.int64]]:
    """Samples and clusters; sizes differ up to sixfold, axes of .5 to 2.5 have random directions."""
    shapes, rng = np.random.default_rng(seed).spawn(2)
    shares = shapes.uniform(1, 6, K)
    centers = shapes.uniform(-4, 4, (K, D))
    # Drawn apart from the samples, so that the clusters are the same at every size.
    axes = [np.linalg.qr(shapes.normal(size=(D, D)))[0] * shapes.uniform(0.5, 2.5, D) for _ in range(K)]
    y = rng.choice(K, n, p=shares / shares.sum())
    X = rng.normal(size=(n, D))
    for k in range(K):
        X[y == k] = X[y == k] @ axes[k].T + centers[k]
    return X, y


def _estimator(path: str, *args: Any, **options: Any) -> Fit:
    """Fit of an estimator by the name of its module and class."""

    def fit(X: Matrix, y: NDArray[np.int64]) -> Any:
        module, name = path.rsplit(".", 1)
        return getattr(__import__(module, fromlist=[name]), name)(*args, **options).fit(X).labels_

    return fit


def _mixture(X: Matrix, y: NDArray[np.int64]) -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(K, random_state=0).fit_predict(X)


def _by_pairs(path: str, *names: str, **options: Any) -> Fit:
    """Fit with 100 must-links and 100 cannot-links, given by their names."""

    def fit(X: Matrix, y: NDArray[np.int64]) -> Any:
        pairs = np.random.default_rng(1).integers(len(X), size=(4_000, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        chosen = [pairs[same][:100], pairs[~same][:100]]
        if not path.startswith("moo_clustering"):
            chosen = [[(int(i), int(j)) for i, j in one] for one in chosen]
        module, name = path.rsplit(".", 1)
        model = getattr(__import__(module, fromlist=[name]), name)(n_clusters=K, **options)
        model.fit(X, **dict(zip(names, chosen, strict=True)))
        return model.labels_

    return fit


def _medoids(X: Matrix, y: NDArray[np.int64]) -> Any:
    import kmedoids
    from scipy.spatial.distance import cdist

    return kmedoids.fasterpam(cdist(X, X), K, random_state=0).labels


def _evo_cluster(optimizer: str, name: str) -> Fit:
    """An optimiser of EvoCluster on the sum of squares, 30 individuals and 50 generations."""

    def fit(X: Matrix, y: NDArray[np.int64]) -> Any:
        from EvoCluster import _objectives

        module = __import__(f"EvoCluster.optimizers.{optimizer}", fromlist=[name])
        # EvoCluster draws from the global generators, in a process of its own here, and takes no others.
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        low, high = X.min(), X.max()
        scaled = (X - low) / (high - low)
        with open(os.devnull, "w") as quiet:
            before, sys.stdout = sys.stdout, quiet
            try:
                found = getattr(module, name)(_objectives.SSE, 0, 1, K * D, 30, 50, K, scaled, "euclidean")
            finally:
                sys.stdout = before
        return np.asarray(found.labelsPred)

    return fit


def _sums_of_squares(X: Matrix, genes: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of squares within the clusters of every row of labels."""
    total = (X**2).sum()
    found = []
    for labels in genes:
        counts = np.bincount(labels, minlength=K)
        sums = np.stack([np.bincount(labels, column, minlength=K) for column in X.T], axis=1)
        found.append(total - ((sums**2).sum(axis=1) / np.maximum(counts, 1)).sum())
    return np.array(found)


def _pymoo(X: Matrix, y: NDArray[np.int64]) -> Any:
    """pymoo's genetic algorithm with its operators for integers, on labels, 50 x 50."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.core.problem import Problem
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair
    from pymoo.operators.sampling.rnd import IntegerRandomSampling
    from pymoo.optimize import minimize

    class Labels(Problem):
        def __init__(self) -> None:
            super().__init__(n_var=len(X), n_obj=1, xl=0, xu=K - 1, vtype=int)

        def _evaluate(self, genes: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            out["F"] = _sums_of_squares(X, genes)[:, None]

    rounding = RoundingRepair()
    algorithm = GA(
        50,
        sampling=IntegerRandomSampling(),
        crossover=SBX(vtype=float, repair=rounding),
        mutation=PM(vtype=float, repair=rounding),
        eliminate_duplicates=False,
    )
    return minimize(Labels(), algorithm, ("n_gen", 50), seed=0).X.astype(int)


def _deap(X: Matrix, y: NDArray[np.int64]) -> Any:
    """DEAP's eaSimple with two-point crossover and uniform mutation of labels, 50 x 50."""
    import random

    from deap import algorithms, base, tools

    # DEAP's own operators draw from the generator of this module, and this process runs nothing else.
    random.seed(0)
    fitness = type("Fitness", (base.Fitness,), {"weights": (-1.0,)})
    individual = type("Individual", (list,), {"__init__": _with_fitness(fitness)})
    toolbox = base.Toolbox()
    toolbox.register("individual", lambda: individual([random.randrange(K) for _ in range(len(X))]))
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", lambda one: tuple(_sums_of_squares(X, np.array([one]))))
    toolbox.register("mate", tools.cxTwoPoint)
    toolbox.register("mutate", tools.mutUniformInt, low=0, up=K - 1, indpb=1 / len(X))
    toolbox.register("select", tools.selTournament, tournsize=3)
    best = tools.HallOfFame(1)
    algorithms.eaSimple(toolbox.population(50), toolbox, 0.9, 0.2, 50, halloffame=best, verbose=False)
    return np.array(best[0])


def _with_fitness(fitness: type) -> Callable[..., None]:
    def init(self: Any, genes: Any) -> None:
        list.__init__(self, genes)
        self.fitness = fitness()

    return init


# Ours first; the most samples where memory for all pairs is needed; the package that a method comes from.
METHODS: dict[str, tuple[Fit, int, str]] = {
    "ParetoClustering()": (_estimator("moo_clustering.ParetoClustering", random_state=0), 0, ""),
    "ParetoClustering(10)": (_estimator("moo_clustering.ParetoClustering", K, random_state=0), 0, ""),
    "MemeticKMeans(10)": (_estimator("moo_clustering.MemeticKMeans", K, random_state=0), 0, ""),
    "MOCK(10)": (_estimator("moo_clustering.MOCK", K, random_state=0), 0, ""),
    "PESC(10)": (_estimator("moo_clustering.PESC", K, n_gen=20, random_state=0), 0, ""),
    "NSGA2Clus(), vectors": (
        _estimator("moo_clustering.NSGA2Clus", form="vector", random_state=0, n_gen=50, pop_size=50),
        0,
        "",
    ),
    "PCKMeans(10), 200 pairs": (
        _by_pairs("moo_clustering.PCKMeans", "must_link", "cannot_link", random_state=0), 0, "",
    ),
    "KMeans(10), 10 starts": (
        _estimator("sklearn.cluster.KMeans", K, n_init=10, random_state=0), 0, "scikit-learn",
    ),
    "GaussianMixture(10)": (_mixture, 0, "scikit-learn"),
    "AgglomerativeClustering(10), Ward": (
        _estimator("sklearn.cluster.AgglomerativeClustering", K), 20_000, "scikit-learn",
    ),
    "SpectralClustering(10), neighbours": (
        _estimator(
            "sklearn.cluster.SpectralClustering", K, affinity="nearest_neighbors", random_state=0
        ),
        0,
        "scikit-learn",
    ),
    "HDBSCAN(50)": (
        _estimator("sklearn.cluster.HDBSCAN", min_cluster_size=50, copy=False), 0, "scikit-learn",
    ),
    "hdbscan(50)": (_estimator("hdbscan.HDBSCAN", min_cluster_size=50, core_dist_n_jobs=1), 0, "hdbscan"),
    "fast_hdbscan(50)": (_estimator("fast_hdbscan.HDBSCAN", min_cluster_size=50), 0, "fast_hdbscan"),
    "EVoC": (_estimator("evoc.EVoC", random_state=0), 0, "evoc"),
    "Genie(10)": (_estimator("genieclust.Genie", K), 0, "genieclust"),
    "FasterPAM(10)": (_medoids, 20_000, "kmedoids"),
    "PCKMeans(10), 200 pairs, other": (
        _by_pairs("active_semi_clustering.semi_supervised.pairwise_constraints.PCKMeans", "ml", "cl"),
        0,
        "active_semi_clustering",
    ),
    "particle swarm, 30 x 50": (_evo_cluster("CPSO", "PSO"), 0, "EvoCluster"),
    "grey wolves, 30 x 50": (_evo_cluster("CGWO", "GWO"), 0, "EvoCluster"),
    "genetic algorithm on labels, 50 x 50": (_pymoo, 0, "pymoo"),
    "eaSimple on labels, 50 x 50": (_deap, 0, "deap"),
}  # fmt: skip


def cell(name: str, n: int, most: int) -> dict[str, float]:
    """Time, peak memory and adjusted Rand index of one method, within ``most`` seconds of this process."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    warnings.simplefilter("ignore")
    fit = METHODS[name][0]
    fit(*clusters(500, seed=1))
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + most, used + most + 5))
    X, y = clusters(n)
    # The clock may not have ticked during a short fit.
    reference = max(timed(lambda: KMeans(K, n_init=1, random_state=0).fit(X))[0], 1e-3)
    before = peak_gib()
    compiled: list[bool] = []
    with before_compiling(lambda: compiled.append(True)):
        seconds, labels = timed(lambda: fit(X, y))
    # The first fit did not compile kernels that only larger data need.
    if compiled:
        seconds, labels = timed(lambda: fit(X, y))
    return {
        "seconds": seconds,
        "ratio": seconds / reference,
        "gib": peak_gib() - before,
        "ari": float(adjusted_rand_score(y, labels)),
        "k": len(np.unique(labels[np.asarray(labels) >= 0])),
    }


def measured(
    limit: float, sizes: tuple[int, ...] = SIZES, names: list[str] | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """A row per method and size, and the skipped methods with reasons."""
    one = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    rows: list[dict[str, Any]] = []
    out: list[str] = []
    for name in names or list(METHODS):
        seconds: list[float] = []
        for n in sizes:
            most = METHODS[name][1]
            growth = np.clip(np.log10(seconds[-1] / seconds[-2]), 1, 3) if len(seconds) > 1 else 1.0
            forecast = seconds[-1] * 10**growth if seconds else limit / _PATIENCE
            if (most and n > most) or forecast > limit:
                why = "all pairs" if most and n > most else f"about {forecast:.0f} s foretold"
                out.append(f"{name}, {n:,} samples: {why}")
                break
            done = subprocess.run(
                [sys.executable, __file__, "--cell", name, str(n), str(round(_PATIENCE * limit))],
                env=os.environ | one,
                capture_output=True,
                text=True,
            )
            if done.returncode == -signal.SIGXCPU:
                out.append(f"{name}, {n:,} samples: stopped after {_PATIENCE * limit:.0f} s")
                break
            if done.returncode:
                said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
                out.append(f"{name}, {n:,} samples: {said[-1][:150]}")
                break
            found = json.loads(done.stdout.splitlines()[-1])
            seconds.append(found["seconds"])
            rows.append({"method": name, "from": METHODS[name][2] or "moo_clustering", "n": n, **found})
            print(name, n, {key: round(value, 3) for key, value in found.items()}, file=sys.stderr)
    return pd.DataFrame(rows), out


def as_rows(found: pd.DataFrame, out: list[str]) -> list[Row]:
    """A row of the table of benchmarks per method, with its growth between the two largest sizes."""
    rows = []
    for name, runs in found.groupby("method", sort=False):
        times = "; ".join(f"{run.n:,}: {run.seconds:.2g} s, ARI {run.ari:.2f}" for run in runs.itertuples())
        last = runs.tail(2)
        growth = ""
        if len(last) == 2:
            (t1, t2), (n1, n2) = last["seconds"], last["n"]
            growth = f", grows by the power {np.log(t2 / t1) / np.log(n2 / n1):.1f}"
        ratio = f"{runs['ratio'].iloc[-1]:.3g} x the time{growth}"
        rows.append(
            Row(f"peers: {name} of {runs['from'].iloc[0]}", times, "one k-means of scikit-learn", ratio)
        )
    if out:
        rows.append(Row("peers skipped", "; ".join(out), "", ""))
    return rows


def draw(found: pd.DataFrame, path: Path) -> None:
    """Time by number of samples; ours in colour, with the adjusted Rand index at the last point."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    ends: list[tuple[float, float, str, str]] = []
    ours = [
        name for name, runs in found.groupby("method", sort=False) if (runs["from"] == "moo_clustering").any()
    ]
    palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
    for name, runs in found.groupby("method", sort=False):
        color = palette[ours.index(name) % len(palette)] if name in ours else "#999999"
        axes.loglog(runs["n"], runs["seconds"], "o-" if name in ours else ".:", color=color, lw=1.6, ms=4)
        last = runs.iloc[-1]
        ends.append((last["n"], last["seconds"], f"{name}  {last['ari']:.2f}", color))
    ends.sort(key=lambda end: end[1])
    for height, (n, seconds, text, color) in zip(np.linspace(0.02, 0.98, len(ends)), ends, strict=True):
        axes.annotate(
            text,
            (n, seconds),
            xytext=(1.03, height),
            textcoords="axes fraction",
            fontsize=8,
            color=color if color in palette else "#555555",
            va="center",
            arrowprops={"arrowstyle": "-", "color": color, "lw": 0.5, "alpha": 0.5, "relpos": (0, 0.5)},
        )
    axes.set(xlabel="samples", ylabel="seconds of processor time, one thread", xlim=(800, 1.3e6))
    axes.set_title("Time of a fit; the figure is the adjusted Rand index at the last size", fontsize=10)
    axes.grid(alpha=0.25, which="major")
    figure.savefig(path)


def run(limit: float = 60.0) -> list[Row]:
    """All methods and sizes that ``limit`` seconds of a fit allow."""
    return as_rows(*measured(limit))


def main() -> None:
    """Print a table, and draw the figure where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time of a fit")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="NAME")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--table", type=Path, help="CSV file of all cells")
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(cell(options.cell[0], int(options.cell[1]), int(options.cell[2]))))
        return
    found, out = measured(options.limit, tuple(options.sizes), options.methods)
    if options.table:
        found.to_csv(options.table, index=False)
    print(found.round(3).to_string(index=False))
    print("\n".join(["skipped:", *out]))
    if options.figure:
        draw(found, options.figure)


if __name__ == "__main__":
    main()
