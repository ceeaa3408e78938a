"""Systems that start no threads or processes: one sentence for several workers, and no change for one."""

import re
import socketserver
import threading
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from joblib import parallel_config
from machine_cases import CASES, fitted
from numpy.testing import assert_array_equal
from tqdm import tqdm

from moo_clustering import _parallel
from moo_clustering._kernels import threads as blocks
from moo_clustering.cli import main
from moo_clustering.cli.explore import PageServer

TAKES_JOBS = [name for name, case in CASES.items() if "n_jobs" in case.model(0).get_params()]


@pytest.fixture(params=["none", "late", "second"])
def full(request, monkeypatch):
    """No thread can be started: as the search for workers finds, or only after it, or after the first one."""
    start, started = threading.Thread.start, []

    def refused(thread):
        if request.param != "second" or started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(blocks, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(blocks, "BLOCK", 16)
    monkeypatch.setattr(_parallel, "_startable", [1 if request.param == "none" else 10**6])
    # `tqdm` and joblib start theirs in this way too.
    monkeypatch.setattr(threading.Thread, "start", refused)
    # Which the command sets where no thread can be started.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    # Which `tqdm` sets, for good, when it has no thread.
    monkeypatch.setattr(tqdm, "monitor_interval", 0)


def test_workers_are_started_in_one_place():
    package = Path(_parallel.__file__).parent
    starts = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\b(Parallel|ProcessPoolExecutor|Pool)\(", path.read_text(encoding="utf-8"))
    }
    assert starts == {"_parallel.py"}
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count(" ThreadPoolExecutor(") == text.count("with named_losses(), ThreadPoolExecutor("), (
            path
        )


@pytest.mark.parametrize("name", TAKES_JOBS)
def test_several_workers(name, full):
    case = CASES[name]
    with parallel_config(backend="threading"):
        try:
            model = case.fit(0, n_jobs=2)
        except ChildProcessError as error:
            said = str(error)
        else:
            # It has no work for two.
            assert_array_equal(case.found(model, 0), case.found(fitted(name, 0, 1.0), 0))
            return
    assert re.search("cannot start workers: .*; use n_jobs=1$", said)


# That no thread starts at all says more than that only one does.
@pytest.mark.parametrize("full", ["none", "late"], indirect=True)
@pytest.mark.parametrize("name", TAKES_JOBS)
def test_one_worker_needs_none(name, full):
    case = CASES[name]
    assert_array_equal(case.found(case.fit(0, n_jobs=1), 0), case.found(fitted(name, 0, 1.0), 0))


@pytest.mark.parametrize(
    "options", [("--method", "spectral-graph", "-k", "3"), ("--method", "pesc", "-k", "3")]
)
def test_the_command_ends_with_a_sentence(full, tmp_path, options):
    command = ["fit", "iris", *options, "--out", str(tmp_path / "out"), "--quiet", "--no-report"]
    result = CliRunner().invoke(main, [*command, "--jobs", "2"])
    assert result.exit_code == 2
    assert re.fullmatch("Error: cannot start workers: .*; use --jobs 1\n", result.stderr)
    if options[1] == "spectral-graph":
        result = CliRunner().invoke(main, [*command, "--jobs", "1"])
        assert (result.exit_code, result.output) == (0, "")


def test_a_page_is_served_without_threads(monkeypatch):
    def refused(*_):
        raise RuntimeError("can't start new thread")

    with PageServer(b"<p>page</p>", 0) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setattr(socketserver.ThreadingMixIn, "process_request", refused)
        with urllib.request.urlopen(server.address, timeout=10) as answer:
            assert answer.read() == b"<p>page</p>"
        server.shutdown()
