"""The same result in every process: order of hashes, threads of numba and of linear algebra."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from outcomes import digests

THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ENVIRONMENTS = {
    "one thread": {"PYTHONHASHSEED": "0", **dict.fromkeys(THREADS, "1")},
    "two threads": {"PYTHONHASHSEED": "1", **dict.fromkeys(THREADS, "2")},
    "any hashes": {"PYTHONHASHSEED": "random"},
}


@pytest.fixture(scope="module")
def here():
    return digests()


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_estimator_in_another_process(name, here):
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("outcomes.py"))],
        env={**os.environ, **ENVIRONMENTS[name], "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=1800,
        check=True,
    )
    assert json.loads(done.stdout) == here
