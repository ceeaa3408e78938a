"""The same result on any number of workers and threads, for every estimator that takes ``n_jobs``."""

import pytest
from joblib import Parallel, delayed, parallel_config
from machine_cases import CASES, fitted
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from moo_clustering._kernels import threads as blocks

NOISE = 3.0
TAKES_JOBS = [name for name, case in CASES.items() if "n_jobs" in case.model(0).get_params()]


@pytest.fixture
def always_share(monkeypatch):
    """Threads also where they do not pay, as on data of any size."""
    monkeypatch.setattr(blocks, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(blocks, "BLOCK", 16)


def same(name, model):
    case = CASES[name]
    expected = case.outcome(fitted(name, 0, NOISE), 0, NOISE)
    for one, other in zip(expected, case.outcome(model, 0, NOISE), strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("name", TAKES_JOBS)
def test_eight_threads(name, always_share):
    with parallel_config(backend="threading"):
        same(name, CASES[name].fit(0, NOISE, n_jobs=8))


@pytest.mark.parametrize("name", TAKES_JOBS)
def test_two_workers(name):
    """Processes where the estimator has them, for all that is called in them."""
    same(name, CASES[name].fit(0, NOISE, n_jobs=2))


def fitted_in_a_worker(name):
    """A fit on two workers, within a worker."""
    return CASES[name].fit(0, NOISE, n_jobs=2)


@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_parallel_work_within_parallel_work(backend):
    names = [name for name in TAKES_JOBS if name in ("EnsembleNMF", "PESC", "SISC", "ParetoClustering")]
    assert len(names) == 4
    models = Parallel(n_jobs=2, backend=backend)(delayed(fitted_in_a_worker)(name) for name in names)
    for name, model in zip(names, models, strict=True):
        same(name, model)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_threads", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_threads_of_linear_algebra(name, n_threads):
    with threadpool_limits(limits=n_threads):
        model = CASES[name].fit(0, NOISE)
    same(name, model)


def test_threads_that_the_configuration_gives(always_share):
    with parallel_config(backend="threading", n_jobs=3):
        for name in ("PESC", "NSGA2Clus", "SISC", "MIGKA"):
            same(name, CASES[name].fit(0, NOISE))


@pytest.mark.parametrize("name", ["EntropyWeightedKMeans", "NMFClustering", "SCAD2", "SISC", "NSGA2SISC"])
def test_single_precision_where_it_is_an_option(name):
    """Not the same digits, but the same finding; and again on any number of threads."""
    case = CASES[name]
    single = case.fit(0, dtype="float32")
    assert case.agreement(single, 0) >= case.at_least
    with parallel_config(backend="threading"):
        several = case.fit(0, dtype="float32", n_jobs=2)
    assert_array_equal(case.found(single, 0), case.found(several, 0))
