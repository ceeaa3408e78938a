"""Ensembles of factorisations: time to equal loss, threads, consensus, and all of 20 newsgroups."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np
from _document_data import SHAPE, abstracts, newsgroup_counts, noisy_runs
from _harness import Row, median_seconds
from bench_bags import in_turns
from bench_end_to_end import peak_gib
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import csr_array, load_npz, save_npz
from threadpoolctl import threadpool_limits

from moo_clustering import EnsembleNMF
from moo_clustering.consensus import cspa, mcla
from moo_clustering.factorization import map_nmf, nmf

K, RUNS = 10, 50
# How near a mean loss has to come, as a part of it.
WITHIN = (1e-3, 1e-4, 1e-6)
# Runs whose losses are compared, and those that the slower solvers are timed on.
COMPARED, FEW_CD, FEW_MU = 8, 5, 2
MOST = 500


class Solvers:
    """The same first factors for every solver, single precision, one thread."""

    def __init__(self, B: csr_array) -> None:
        self.B = B
        self.seeds = np.random.SeedSequence(0).spawn(RUNS)

    def run(self, solver: str, n_runs: int, max_iter: int) -> NDArray[np.float64]:
        """Losses."""
        options: dict[str, Any] = {"solver": solver, "dtype": "float32", "tol": 0.0, "n_jobs": 1}
        losses = map_nmf(_losses, self.B, K, seeds=self.seeds[:n_runs], max_iter=max_iter, **options)
        return np.concatenate(losses)

    def course(self, solver: str, max_iter: int, **options: float) -> NDArray[np.float64]:
        """Mean loss after every iteration; runs that have ended keep theirs."""
        seeds = self.seeds[:COMPARED]
        found = nmf(
            self.B, K, seeds=seeds, solver=solver, dtype="float32", max_iter=max_iter, n_jobs=1, **options
        )
        padded = [np.pad(h, (0, max_iter - len(h)), mode="edge") for h in found.histories]
        return np.mean(padded, axis=0)

    def iterations_of_cd(self, target: float) -> int:
        """Fewest that reach the mean loss."""
        return 1 + bisect_left(
            range(1, 80), True, key=lambda n: bool(self.run("sklearn", COMPARED, n).mean() <= target)
        )


def equal_loss(solvers: Solvers) -> list[Row]:
    """Runs from the same first factors to the same mean loss, that of "hals" with its defaults."""
    hals, mu = solvers.course("hals", 40), solvers.course("mu", MOST, tol=0.0)
    rows = []
    for within in WITHIN:
        target = hals[-1] * (1 + within)
        n_hals = int(np.argmax(hals <= target)) + 1
        n_cd = solvers.iterations_of_cd(target)
        reached = bool(mu[-1] <= target)
        n_mu = int(np.argmax(mu <= target)) + 1 if reached else MOST
        ours, cd, slow = in_turns(
            [
                lambda n=n_hals: solvers.run("hals", RUNS, n),
                lambda n=n_cd: solvers.run("sklearn", FEW_CD, n),
                lambda n=n_mu: solvers.run("sklearn-mu", FEW_MU, n),
            ],
            repeats=3,
        )
        cd, slow = cd * RUNS / FEW_CD, slow * RUNS / FEW_MU
        more = "" if reached else "> "
        rows.append(
            Row(
                f"{RUNS} factorisations, k = {K}, {SHAPE}, to within {within:.0e} of the loss of hals, one "
                "thread",
                f"{ours:.2f} s, {n_hals} iterations",
                f'scikit-learn\'s NMF "cd" (from {FEW_CD} runs): {cd:.1f} s, {n_cd} iterations; '
                f'"mu" (from {FEW_MU}): {more}{slow:.0f} s, {more}{n_mu} iterations',
                f"{cd / ours:.1f} x, {more}{slow / ours:.0f} x",
            )
        )
    return rows


def threads(solvers: Solvers) -> Row:
    """Two workers against one, compared with the speed-up of independent work on this machine."""

    def ensemble(n_jobs: int) -> None:
        options: dict[str, Any] = {"dtype": "float32", "tol": 0.0, "max_iter": 15, "n_jobs": n_jobs}
        map_nmf(_losses, solvers.B, K, seeds=solvers.seeds, **options)

    def sines(n_jobs: int) -> None:
        work = (delayed(_sines)() for _ in range(2))
        Parallel(n_jobs=n_jobs, prefer="threads")(work)

    two, one, apart, together = in_turns(
        [lambda: ensemble(2), lambda: ensemble(1), lambda: sines(2), lambda: sines(1)], repeats=3
    )
    return Row(
        f"{RUNS} factorisations, k = {K}, {SHAPE}, 15 iterations, two threads",
        f"{two:.2f} s",
        f"one thread: {one:.2f} s; sines of small arrays gain {together / apart:.2f} x from a second thread",
        f"{one / two:.2f} x",
    )


def consensus() -> list[Row]:
    """MCLA of many documents, and what CSPA does with too many."""
    n, k = 18_846, 20
    labels = noisy_runs(n, k, RUNS)
    rows = []
    for partitioner in ("auto", "matching"):
        seconds = median_seconds(lambda p=partitioner: mcla(labels, k, partitioner=p, random_state=0), 3)
        what = f"mcla, partitioner={partitioner!r}, {RUNS} runs of {n:,} documents, k = {k}"
        rows.append(Row(what, f"{seconds:.2f} s", "target: 1 s", ""))
    many = noisy_runs(60_000, k, 3)
    start = time.perf_counter()
    try:
        cspa(many, k)
        answer = "not refused"
    except ValueError:
        answer = f"error after {1e3 * (time.perf_counter() - start):.0f} ms"
    needed = f"needs {8 * 60_000**2 / 2**30:.0f} GiB, limit: 4 GiB"
    return [*rows, Row("cspa of 60,000 documents with the default max_memory", answer, needed, "")]


def newsgroups() -> list[Row]:
    """The whole collection; peak memory is a property of a process, so the fit has one of its own."""
    start = time.perf_counter()
    counts = newsgroup_counts()
    if counts is None:
        return []
    reading = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts.npz"
        save_npz(file, counts)
        command = [sys.executable, __file__, str(file)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    got = json.loads(answer.splitlines()[-1])
    n, m = counts.shape
    return [
        Row(
            f"EnsembleNMF, 20 newsgroups whole, {n:,} x {m:,}, k = 20, {RUNS} runs, one thread",
            f"{got['seconds']:.0f} s, {got['gib']:.2f} GiB over the start, {got['whole']:.2f} GiB in all",
            f"reading, stemming and counting before that: {reading:.0f} s; target: 1 GiB",
            f"{1e3 * got['seconds'] / got['iterations']:.0f} ms for an iteration of a run",
        )
    ]


def measure(file: str) -> dict[str, float]:
    """Fit in this process."""
    counts = csr_array(load_npz(file))
    model = EnsembleNMF(20, n_runs=RUNS, input="counts", n_jobs=1, random_state=0)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        # Kernels are compiled or loaded before the clock starts.
        EnsembleNMF(3, n_runs=2, input="counts", n_jobs=1).fit(counts[:300])
        before = peak_gib()
        start = time.perf_counter()
        model.fit(counts)
        seconds = time.perf_counter() - start
    iterations = float(model.run_n_iter_.sum())
    return {
        "seconds": seconds,
        "gib": peak_gib() - before,
        "whole": peak_gib(),
        "iterations": iterations,
    }


def _sines() -> None:
    values = np.linspace(0.0, 1.0, 1 << 14)
    for _ in range(2000):
        np.sin(values)


def _losses(runs: Any) -> NDArray[np.float64]:
    return runs.losses


def run() -> list[Row]:
    """On one thread, where nothing else is said."""
    with threadpool_limits(limits=1):
        solvers = Solvers(abstracts())
        rows = [*equal_loss(solvers), threads(solvers), *consensus()]
    return rows + newsgroups()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
