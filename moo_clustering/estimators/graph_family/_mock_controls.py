"""Fronts of MOCK where there are no clusters."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import NDArray

from moo_clustering._parallel import run_calls
from moo_clustering.algorithms._progress import Progress
from moo_clustering.estimators.graph_family._mock_search import Settings, found_front, single_result
from moo_clustering.estimators.graph_family._mock_supervision import Knowledge
from moo_clustering.fronts import control_data

ControlFront = tuple[NDArray[np.float64], NDArray[np.int64]]


def control_fronts(
    X: NDArray[np.float64],
    seeds: Sequence[np.random.SeedSequence],
    settings: Settings,
    *,
    kind: str,
    steps: int,
    n_jobs: int | None,
    verbose: bool,
) -> list[ControlFront]:
    """Objectives and numbers of clusters of a search on control data, for every seed.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In whose place the control data are.
    seeds : sequence of SeedSequence
    settings : Settings
    kind : {"box", "eigenvalue"}
    steps : int
        Generations after the initial population.
    n_jobs : int or None
        Searches at a time, in processes.
    verbose : bool
        Show a progress bar for each search that runs in this process.
    """
    if effective_n_jobs(n_jobs) == 1 or len(seeds) == 1:
        names = [f"control {i + 1} of {len(seeds)}" if verbose else None for i in range(len(seeds))]
        return [
            _search(X, seed, settings, kind, steps, n_jobs, name)
            for seed, name in zip(seeds, names, strict=True)
        ]
    found: list[ControlFront] = run_calls(
        (delayed(_search)(X, seed, settings, kind, steps, 1) for seed in seeds), n_jobs=n_jobs
    )
    return found


def _search(
    X: NDArray[np.float64],
    seed: np.random.SeedSequence,
    settings: Settings,
    kind: Any,
    steps: int,
    n_jobs: int | None,
    name: str | None = None,
) -> ControlFront:
    rng = np.random.default_rng(seed)
    problem = settings.problem(control_data(X, kind=kind, rng=rng), rng, Knowledge(), n_jobs)
    if problem.n_samples == 1:
        return found_front(problem, single_result(problem))[1:]
    search = settings.search(problem, int(rng.integers(2**31)))
    bar = Progress(
        n_gen=steps,
        done=0,
        verbose=name is not None,
        description=name or "",
        objective_names=problem.objective_names,
        signs=None,
    )
    with closing(bar):
        search.start()
        while search.generation < steps:
            search.advance()
            bar.show(search.generation, search.objectives())
    return found_front(problem, search.result())[1:]
