"""Many runs of non-negative matrix factorisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from moo_clustering.factorization._runs import NMFRuns, join_runs
from moo_clustering.factorization._task import Factors, Result, Seeds, prepare_task, run_task

MAX_MEMORY = 4 << 30


def nmf(
    A: Any,
    n_components: int,
    *,
    solver: str = "hals",
    n_runs: int | None = None,
    seeds: Seeds | None = None,
    starts: Factors | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    n_jobs: int | None = None,
    max_memory: int = MAX_MEMORY,
) -> NMFRuns:
    """Factorise A ~ V U^T with U, V >= 0, minimising J = ||A - V U^T||^2, from several starts.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n_documents, n_terms)
        Finite and not negative.
    n_components : int
        At least 1.
    solver : {"hals", "mu", "pg", "sklearn", "sklearn-mu"}, default="hals"
        Hierarchical alternating least squares, multiplicative updates, projected gradients, or
        scikit-learn's "cd" and "mu".
    n_runs : int, optional
        As many as there are seeds or starts by default, or 1.
    seeds : sequence of SeedSequence, optional
        One per run; fresh ones by default. First factors are |N(0, 1)| sqrt(mean(A) / n_components).
    starts : tuple (U, V) of arrays of shape (n_runs, n_terms, k) and (n_runs, n_documents, k), optional
        First factors instead of random ones.
    tol : float, optional
        "hals", "mu": a run ends where J falls by less than this part of itself in an iteration, 1e-5;
        "pg": where the projected gradient has shrunk to this part, 1e-4; scikit-learn's own rule, 1e-4.
    max_iter : int, optional
        40 for "hals", 200 for the others.
    dtype : {"float64", "float32"}, default="float64"
    n_jobs : int, optional
        Threads ("hals", "mu") or processes, or whatever ``joblib.parallel_config`` says.
    max_memory : int, default=4 GiB
        Bytes for factors, results included; runs are done in batches that fit.

    Returns
    -------
    NMFRuns

    Raises
    ------
    ValueError
        Parameters or data out of range, or runs that do not fit into ``max_memory``.

    Notes
    -----
    "hals" and "mu" do all runs of a batch in one pass over A, O(n_values k + (n_documents + n_terms) k^2)
    time per run and iteration. A run is the same to the last bit in any batch and on any number of
    workers. O(n_runs (n_documents + n_terms) k) memory.

    References
    ----------
    "Ensemble non-negative matrix factorization for clustering biomedical documents", section on
    non-negative matrix factorization; C.-J. Lin, Neural Computation 19 (2007) for "pg".

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.factorization import labels_from_factors, nmf
    >>> A = np.kron(np.eye(2), np.ones((3, 2)))
    >>> runs = nmf(A, 2, seeds=np.random.SeedSequence(0).spawn(5))
    >>> best = runs.best
    >>> len(set(labels_from_factors(runs.U[best], runs.V[best])[:3].tolist()))
    1
    """
    task = prepare_task(
        A,
        n_components,
        solver=solver,
        n_runs=n_runs,
        seeds=seeds,
        starts=starts,
        tol=tol,
        max_iter=max_iter,
        dtype=dtype,
        n_jobs=n_jobs,
        max_memory=max_memory,
        keep=True,
    )
    return join_runs(run_task(task, _unchanged))


def map_nmf(
    function: Callable[[NMFRuns], Result],
    A: Any,
    n_components: int,
    *,
    solver: str = "hals",
    n_runs: int | None = None,
    seeds: Seeds | None = None,
    starts: Factors | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    n_jobs: int | None = None,
    max_memory: int = MAX_MEMORY,
) -> list[Result]:
    """``function`` of every batch of runs, where labels or losses are wanted but not all factors.

    Parameters
    ----------
    function : callable
        Called with the NMFRuns of a batch, on the worker that has computed it. Batches depend on the
        number of workers and on memory; together they are all runs in their order.
    A, n_components, solver, n_runs, seeds, starts, tol, max_iter, dtype, n_jobs, max_memory
        As for ``nmf``; ``max_memory`` bounds the batches at work.

    Returns
    -------
    list
        One result per batch.
    """
    task = prepare_task(
        A,
        n_components,
        solver=solver,
        n_runs=n_runs,
        seeds=seeds,
        starts=starts,
        tol=tol,
        max_iter=max_iter,
        dtype=dtype,
        n_jobs=n_jobs,
        max_memory=max_memory,
        keep=False,
    )
    return run_task(task, function)


def _unchanged(runs: NMFRuns) -> NMFRuns:
    return runs
