"""All families on one data set, in parallel."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from moo_clustering._parallel import run_calls
from moo_clustering.pool._data import Builder, Partition, PoolData, child_seed
from moo_clustering.pool._failures import Failures, reason_of
from moo_clustering.pool._genie import genie_partitions, reachability_partitions
from moo_clustering.pool._graph_agglomeration import agglomerated_partitions
from moo_clustering.pool._hdbscan import hdbscan_partitions
from moo_clustering.pool._kmeans import WARD_ABOVE, kmeans_partitions
from moo_clustering.pool._mixtures import mixture_partitions
from moo_clustering.pool._spectral import spectral_partitions
from moo_clustering.pool._ward import ward_partitions

BUILDERS: dict[str, Builder] = {
    "km": kmeans_partitions,
    "ward": ward_partitions,
    "spec": spectral_partitions,
    "genie": genie_partitions,
    "genie_mr": reachability_partitions,
    "hdbscan": hdbscan_partitions,
    "gmm": mixture_partitions,
    "graph_agg": agglomerated_partitions,
}
# Every number of clusters is work of its own.
_SPLIT = ("km", "gmm")


class _Outcome(NamedTuple):
    partitions: list[Partition]
    failure: str | None


def family_partitions(
    data: PoolData,
    families: Sequence[str],
    ks: Sequence[int],
    seed: np.random.SeedSequence,
    *,
    n_jobs: int | None = None,
) -> tuple[list[tuple[str, Partition]], Failures]:
    """Partitions of families for numbers of clusters, and why some are missing.

    Parameters
    ----------
    data : PoolData
    families : sequence of str
        Some of ``BUILDERS``, in the order of the result.
    ks : sequence of int
        Ascending.
    seed : numpy.random.SeedSequence
        Its children are those of the families, whichever are asked for.
    n_jobs : int, optional
        Of joblib.

    Returns
    -------
    candidates : list of (family, labels)
        Those with two clusters or more, k ascending in every family.
    failures : dict of lists of str
    """
    # Sums by threads differ in their last digits; equal work must come to equal results.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        _be_quiet()
        shared = _shared(data, families, ks)
        tasks = [
            (family, delayed(_attempt)(os.getpid(), family, shared, part, child_seed(seed, code)))
            for code, family in enumerate(BUILDERS)
            if family in families
            for part in ([[k] for k in ks] if family in _SPLIT else [list(ks)])
        ]
        outcomes = run_calls([task for _, task in tasks], n_jobs=n_jobs, prefer="threads")
    found: dict[str, list[Partition]] = {family: [] for family, _ in tasks}
    failures: Failures = {}
    for (family, _), outcome in zip(tasks, outcomes, strict=True):
        found[family] += outcome.partitions
        if outcome.failure is not None:
            failures.setdefault(family, []).append(outcome.failure)
    candidates = []
    for family, partitions in found.items():
        sizes = [len(np.unique(labels)) for labels in partitions]
        order = [at for at in np.argsort(sizes, kind="stable") if sizes[at] > 1]
        candidates += [(family, partitions[at]) for at in order]
        if not order and family not in failures:
            failures[family] = ["no partition with two clusters or more"]
    return candidates, failures


def _shared(data: PoolData, families: Sequence[str], ks: Sequence[int]) -> PoolData:
    """What several families need, made once."""
    if {"spec", "graph_agg"} & set(families):
        data = replace(data, given_graph=_unless_failing(data.graph))
    starts = "km" in families and not data.precomputed and max(ks, default=0) > WARD_ABOVE
    if "ward" in families or starts:
        data = replace(data, given_merges=_unless_failing(data.merges))
    return data


def _unless_failing(part: Callable[[], Any]) -> Any:
    # The families that need it will meet the failure again, and be left out for it.
    try:
        return part()
    except Exception:
        return None


def _attempt(
    caller: int, family: str, data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence
) -> _Outcome:
    elsewhere = os.getpid() != caller
    with ExitStack() as stack:
        # OpenMP counts threads for every thread that calls it; the rest is set once for a process.
        stack.enter_context(threadpool_limits(limits=1, user_api=None if elsewhere else "openmp"))
        if elsewhere:
            stack.enter_context(warnings.catch_warnings())
            _be_quiet()
        try:
            return _Outcome(BUILDERS[family](data, ks, seed), None)
        except Exception as error:
            return _Outcome([], reason_of(error))


def _be_quiet() -> None:
    # Fewer distinct samples than clusters, and no convergence, are as good as any.
    warnings.simplefilter("ignore", ConvergenceWarning)
