"""Checkpoints under other surroundings: an earlier build, another hash seed, time zone and locale."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from moo_clustering.estimators import NSGA2Clus
from moo_clustering.persistence import ArchiveError, CheckpointMismatchError, environment, read_archive

SAVED = Path(__file__).parent / "data" / "nsga2clus-0.1.0.npz"


def samples():
    """Multiples of a quarter, whose distances are the same on every machine."""
    row = np.arange(30)[:, np.newaxis]
    return (row * np.array([7, 11, 13]) % 64 + 100 * (row % 3)) / 4


def model(n_gen, **options):
    return NSGA2Clus(k_max=4, pop_size=8, n_gen=n_gen, search="evolve", random_state=0, **options)


def test_a_checkpoint_of_version_0_1_0_goes_on_or_is_refused(tmp_path):
    """``python -m tests.persistence.test_other_surroundings`` wrote the file, after four generations."""
    path = shutil.copy(SAVED, tmp_path / "c.npz")
    assert read_archive(path)[1]["environment"]["moo_clustering"] == "0.1.0"
    resumed, said = None, f"{path} is read"
    try:
        resumed = model(8, checkpoint=path, resume=True).fit(samples())
    except (ArchiveError, CheckpointMismatchError) as error:
        said = str(error)
    assert str(path) in said
    assert "\n" not in said
    if resumed is None:
        return
    whole = model(8).fit(samples())
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    np.testing.assert_array_equal(resumed.pareto_front_, whole.pareto_front_)


RESUME = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1])))
from test_other_surroundings import model, samples
from moo_clustering.persistence import fingerprint
found = model(8, checkpoint=sys.argv[2], checkpoint_every=4, resume=True).fit(samples())
print(fingerprint(found.labels_, found.pareto_front_))
"""


@pytest.mark.slow
def test_another_hash_seed_time_zone_and_locale_change_nothing(tmp_path):
    said = []
    surroundings = (
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "4242", "TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "77", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
    )
    model(4, checkpoint=tmp_path / "start.npz", checkpoint_every=4).fit(samples())
    for number, extra in enumerate(surroundings):
        path = shutil.copy(tmp_path / "start.npz", tmp_path / f"{number}.npz")
        done = subprocess.run(
            [sys.executable, "-c", RESUME, Path(__file__).parent, path],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout)
    assert len(set(said)) == 1


@pytest.mark.slow
@pytest.mark.skipif("openblas" not in environment()["blas"], reason="kernels are chosen for OpenBLAS")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the kernel is of x86_64")
def test_another_kernel_is_recorded_and_warned_of(tmp_path):
    model(4, checkpoint=tmp_path / "c.npz", checkpoint_every=4).fit(samples())
    here = environment()["blas"]
    other = "Sandybridge" if "Haswell" in here else "Haswell"
    done = subprocess.run(
        [sys.executable, "-c", RESUME, Path(__file__).parent, tmp_path / "c.npz"],
        env={**os.environ, "OPENBLAS_CORETYPE": other}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert f"c.npz was saved with the BLAS kernel {here}, but this process uses " in done.stderr
    assert other in read_archive(tmp_path / "c.npz")[1]["environment"]["blas"]


if __name__ == "__main__":
    SAVED.parent.mkdir(exist_ok=True)
    model(4, checkpoint=SAVED, checkpoint_every=2).fit(samples())
