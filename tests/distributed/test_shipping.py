"""A worker gets an array once, however many tasks use it and however deep it lies in their arguments."""

import gc
import os
import pickle
import time
from typing import NamedTuple

import numpy as np
import pytest
from distributed.comm import tcp
from joblib import delayed, parallel_config
from scipy import sparse

from moo_clustering import EnsembleNMF, PrunedSetsEnsemble
from moo_clustering._parallel import finished_calls, run_calls
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import ChunkedProblem, PartitionProblem

N_TASKS = 12
# An array goes to the scheduler, to a worker, and from that to the other. A busy machine adds one or two: the
# scheduler moves tasks that wait, and arrays with them. With every task it would go more than N_TASKS times.
FEW = 7


class Deep(NamedTuple):
    table: np.ndarray
    rows: sparse.csr_array
    columns: list[np.ndarray]


def count_bytes():
    """Have this process count what it sends."""
    if not hasattr(tcp.TCP, "n_bytes"):
        write = tcp.TCP.write

        async def counting(self, *args, **kwargs):
            sent = await write(self, *args, **kwargs)
            tcp.TCP.n_bytes += sent
            return sent

        tcp.TCP.write, tcp.TCP.n_bytes = counting, 0


def n_bytes():
    return tcp.TCP.n_bytes


@pytest.fixture
def traffic(client):
    """Bytes that client, scheduler and workers have sent so far."""
    count_bytes()
    client.run(count_bytes)
    return lambda: n_bytes() + sum(client.run(n_bytes).values())


def addresses(deep, i):
    parts = [deep.table, deep.rows.data, *deep.columns]
    return (
        os.getpid(),
        tuple(part.ctypes.data for part in parts),
        float(sum(part.sum() for part in parts)) + i,
    )


@pytest.fixture
def deep():
    rng = np.random.default_rng(0)
    return Deep(
        rng.random((500, 400)),
        sparse.random_array((500, 400), density=0.5, rng=rng, format="csr"),
        [np.asfortranarray(rng.random((200, 100))), rng.random(50_000)[10_000:]],
    )


def size(deep):
    rows = deep.rows
    return sum(part.nbytes for part in (deep.table, rows.data, rows.indices, rows.indptr, *deep.columns))


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_calls, finished_calls])
def test_once_per_worker_not_per_task(run, deep, traffic):
    expected = [addresses(deep, i)[2] for i in range(N_TASKS)]
    before = traffic()
    with parallel_config(backend="dask"):
        found = list(run(delayed(addresses)(deep, i) for i in range(N_TASKS)))
    assert size(deep) < traffic() - before < FEW * size(deep)
    assert sorted(each[2] for each in found) == sorted(expected)
    # One copy in each of the two processes.
    assert len({each[:2] for each in found}) == len({each[0] for each in found}) <= 2
    assert os.getpid() not in {each[0] for each in found}
    # Where arrays lie decides in which order some sums are taken.
    assert not any(address % 16 for each in found for address in each[1])


@pytest.mark.slow
def test_an_array_that_changed_is_sent_again(deep, client):
    calls = [delayed(addresses)(deep, i) for i in range(2)]
    with parallel_config(backend="dask"):
        first = run_calls(calls)
        deep.table[0, 0] += 100
        second = run_calls(calls)
    assert [b[2] - a[2] for a, b in zip(first, second, strict=True)] == pytest.approx([100, 100])


def arrays_held(client):
    return {key for keys in client.has_what().values() for key in keys if str(key).startswith("array-")}


@pytest.mark.slow
def test_what_is_gone_here_goes_there(client):
    before = arrays_held(client)
    with parallel_config(backend="dask"):
        # Dask keeps the latest messages of less than a megabyte.
        table = np.random.default_rng(1).random((500, 400))
        run_calls(delayed(np.linalg.norm)(table, order) for order in (1, np.inf, None))
        assert len(arrays_held(client) - before) == 1
        del table
        for _ in range(2000):
            if not arrays_held(client) - before:
                break
            gc.collect()
            time.sleep(0.05)
        assert not arrays_held(client) - before


@pytest.fixture
def counts():
    return sparse.random_array((3000, 400), density=0.1, rng=np.random.default_rng(0), format="csr")


@pytest.mark.slow
def test_members_of_an_ensemble(traffic, counts):
    y = np.arange(3000) % 2
    model = PrunedSetsEnsemble(n_estimators=N_TASKS, max_samples=0.01, random_state=0)
    before = traffic()
    with parallel_config(backend="dask"):
        there = model.fit(counts, y).predict_proba(counts)
    once = counts.data.nbytes + counts.indices.nbytes
    assert once < traffic() - before < FEW * once
    np.testing.assert_array_equal(there, model.fit(counts, y).predict_proba(counts))


@pytest.mark.slow
def test_runs_of_an_ensemble(traffic, counts):
    model = EnsembleNMF(3, n_runs=12, max_iter=3, random_state=0)
    before = traffic()
    with parallel_config(backend="dask"):
        there = model.fit(counts).labels_
    # The matrix, and its transpose; labels and weights of all runs come back.
    once = 2 * (counts.data.nbytes + counts.indices.nbytes)
    assert once < traffic() - before < FEW * once + 3 * 12 * 3000 * 16
    np.testing.assert_array_equal(there, model.fit(counts).labels_)


@pytest.mark.slow
def test_problem_once_in_all_generations(traffic):
    rng = np.random.default_rng(0)
    X = rng.random((600, 4))
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=5), ["silhouette", "deviation"])
    populations = [problem.encoding.random(40, rng) for _ in range(12)]
    in_chunks = ChunkedProblem(problem, chunk_size=10)
    before = traffic()
    with parallel_config(backend="dask"):
        found = [in_chunks.evaluate(genes) for genes in populations]
    # To the scheduler and to both workers, of which one may need it generations later.
    assert 600 * 600 * 8 < traffic() - before < FEW * len(pickle.dumps(problem))
    for genes, F in zip(populations, found, strict=True):
        np.testing.assert_array_equal(F, ChunkedProblem(problem, chunk_size=10, n_jobs=1).evaluate(genes))
        np.testing.assert_allclose(F, problem.evaluate(genes), rtol=1e-12)
