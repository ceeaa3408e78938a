"""A cluster of two worker processes on this machine."""

import os
import threading
import time
from contextlib import contextmanager

import dask
import distributed
import pytest
from joblib import parallel_config
from marked_work import kill_marked


class Finished(distributed.SchedulerPlugin):
    """Counts the batches of joblib that workers have finished."""

    n_batches = 0

    def transition(self, key, start, finish, *args, **kwargs):
        """As the scheduler calls it."""
        self.n_batches += start == "processing" and finish == "memory" and str(key).startswith("batch_of")


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread each."""
    # Every two seconds Dask drops copies of arrays that no task waits for just then, and fetches them again.
    keep_copies = dask.config.set({"distributed.scheduler.active-memory-manager.start": False})
    with (
        keep_copies,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def finished(cluster):
    """How much the workers have done so far."""
    plugin = Finished()
    cluster.scheduler.add_plugin(plugin)
    return plugin


@pytest.fixture
def client(cluster):
    """Connected, with both workers up."""
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def on_cluster(client, finished):
    """``on_cluster(function)``: its value with the cluster as joblib's backend; some of it was done there."""

    def run(function):
        before = finished.n_batches
        with parallel_config(backend="dask"):
            value = function()
        assert finished.n_batches > before
        return value

    return run


@pytest.fixture
def one_killed(client, tmp_path):
    """Block in which the worker that starts the third piece of work is killed.

    Gives the folder where the pieces leave their marks: files named after the process.
    """

    @contextmanager
    def block():
        folder, over = tmp_path / "marks", threading.Event()
        folder.mkdir()
        workers = set(client.run(os.getpid).values())
        killed = []

        def watch():
            seen = set()
            while not over.is_set() and len(seen) < 3:
                new = {path.name for path in folder.iterdir()} - seen
                seen |= new
                if new and len(seen) >= 3:
                    killed.append(int(min(new).split("-")[0]))
                    kill_marked(folder, killed[0])
                time.sleep(0.01)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield folder
        finally:
            over.set()
            watcher.join()
        assert set(killed) < workers
        assert len(killed) == 1
        done_by = {int(path.name.split("-")[0]) for path in folder.iterdir()}
        assert os.getpid() not in done_by
        client.wait_for_workers(2)
        assert killed[0] not in client.run(os.getpid).values()

    return block
