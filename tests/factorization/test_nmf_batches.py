"""A run does not depend on the batch it is in, nor on workers."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

from moo_clustering._kernels import threads as parts
from moo_clustering.factorization import SOLVERS, labels_from_factors, map_nmf, nmf, plan_batches

SEEDS = np.random.SeedSequence(11).spawn(50)


def same(one, other):
    for name in ("U", "V", "losses", "n_iter"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for a, b in zip(one.histories, other.histories, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_fifty_runs_are_fifty_single_runs(corpus, solver, dtype):
    options = {"solver": solver, "dtype": dtype, "tol": 1e-4}
    runs = nmf(corpus, 5, seeds=SEEDS, **options)
    assert runs.U.dtype == np.dtype(dtype)
    # converged runs have left the panel
    assert runs.n_iter.min() + 10 < runs.n_iter.max()
    for run, seed in enumerate(SEEDS):
        alone = nmf(corpus, 5, seeds=[seed], **options)
        same(alone, type(runs)(*(values[run : run + 1] for values in runs)))
    some = nmf(corpus, 5, seeds=SEEDS[13:30], **options)
    same(some, type(runs)(*(values[13:30] for values in runs)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("solver", ["hals", "mu"])
@pytest.mark.parametrize("lanes", [4, 1000])
def test_workers_make_no_difference(make_documents, monkeypatch, solver, dtype, lanes):
    monkeypatch.setattr(parts, "_WORTH_A_THREAD", 0)
    monkeypatch.setitem(SOLVERS, solver, SOLVERS[solver]._replace(lanes=lanes))
    A, _ = make_documents(300, 400, 3, seed=6)
    runs = [nmf(A, 3, solver=solver, seeds=SEEDS[:20], max_iter=12, dtype=dtype, n_jobs=n) for n in (1, 2, 8)]
    same(runs[0], runs[1])
    same(runs[0], runs[2])


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["sklearn", "sklearn-mu"])
def test_processes_make_no_difference(corpus, solver):
    one, two = (nmf(corpus, 3, solver=solver, seeds=SEEDS[:5], max_iter=5, n_jobs=n) for n in (1, 2))
    np.testing.assert_allclose(one.losses, two.losses, rtol=1e-12)
    np.testing.assert_array_equal(labels_from_factors(one.U, one.V), labels_from_factors(two.U, two.V))
    assert len(two.histories) == 5


@pytest.mark.slow
def test_batches_go_to_other_backends(corpus, monkeypatch):
    monkeypatch.setitem(SOLVERS, "hals", SOLVERS["hals"]._replace(lanes=2))
    one = nmf(corpus, 3, seeds=SEEDS[:6], max_iter=5)
    with parallel_config(backend="loky"):
        same(one, nmf(corpus, 3, seeds=SEEDS[:6], max_iter=5, n_jobs=2))


def test_memory_makes_no_difference(corpus):
    runs = nmf(corpus, 5, seeds=SEEDS, max_iter=8)
    run_bytes = 300 * 5 * 8
    counts = map_nmf(
        lambda part: len(part.losses), corpus, 5, seeds=SEEDS, max_iter=8, max_memory=50 * run_bytes
    )
    assert sum(counts) == 50
    assert max(counts) <= 12
    same(runs, nmf(corpus, 5, seeds=SEEDS, max_iter=8, max_memory=(100 + 30) * run_bytes))
    with pytest.raises(ValueError, match="max_memory leaves"):
        nmf(corpus, 5, seeds=SEEDS, max_memory=100 * run_bytes)
    with pytest.raises(ValueError, match="max_memory leaves"):
        map_nmf(len, corpus, 5, seeds=SEEDS, max_memory=run_bytes)


def test_map_sees_all_runs_in_order(corpus):
    runs = nmf(corpus, 4, seeds=SEEDS, max_iter=6)
    labels = map_nmf(
        lambda part: labels_from_factors(part.U, part.V), corpus, 4, seeds=SEEDS, max_iter=6, max_memory=10**6
    )
    assert len(labels) > 1
    np.testing.assert_array_equal(np.concatenate(labels), labels_from_factors(runs.U, runs.V))


def test_single_precision_is_close(corpus):
    double = nmf(corpus, 4, seeds=SEEDS[:10], tol=0, max_iter=20)
    single = nmf(corpus, 4, seeds=SEEDS[:10], tol=0, max_iter=20, dtype="float32")
    np.testing.assert_allclose(single.losses, double.losses, rtol=1e-5)
    agreement = labels_from_factors(single.U, single.V) == labels_from_factors(double.U, double.V)
    assert agreement.mean() > 0.99


def test_plan():
    def plan(n_runs, workers, memory=10**9, lanes=16):
        runs, at_once, threads = plan_batches(n_runs, 1000, 80, lanes=lanes, workers=workers, memory=memory)
        covered = [run for part in runs for run in range(n_runs)[part]]
        assert covered == list(range(n_runs))
        return [part.stop - part.start for part in runs], at_once, threads

    assert plan(50, 1) == ([50], 1, 1)
    assert plan(50, 2) == ([25, 25], 2, 1)
    # 3 batches would leave a worker of 4 without work
    assert plan(50, 4) == ([25, 25], 2, 2)
    assert plan(10, 2) == ([10], 1, 2)
    # 51 runs of 80 bytes a row fill 4096 bytes
    assert plan(120, 1) == ([40, 40, 40], 1, 1)
    assert plan(7, 3, lanes=1) == ([2, 2, 3], 3, 1)
    # four copies of 80 kB a run: room for three
    assert plan(7, 1, memory=10**6) == ([2, 2, 3], 1, 1)
    assert plan(40, 2, memory=350_000) == ([1] * 40, 1, 2)
