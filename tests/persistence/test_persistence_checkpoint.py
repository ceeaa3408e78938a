"""Checkpoints know their run; the environment is told without telling who and where."""

from __future__ import annotations

import configparser
import dataclasses
import getpass
import re
import socket
import warnings
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from moo_clustering import persistence as _environment
from moo_clustering.persistence import (
    ArchiveError,
    Checkpoint,
    CheckpointMismatchError,
    environment,
    fingerprint,
    load_checkpoint,
    read_archive,
    save_checkpoint,
    write_archive,
)

DATA = np.arange(6.0)


def identity(**changes):
    parameters = {"pop_size": 100, "alpha": 0.5, "bounds": (1, 2)} | changes.pop("parameters", {})
    return {"method": "NSGA2Clus", "parameters": parameters, "data": fingerprint(DATA)} | changes


def saved(path, **changes):
    checkpoint = Checkpoint(path, identity=identity(**changes))
    save_checkpoint(checkpoint, {"X": DATA}, {"generation": 3})
    return checkpoint


def test_round_trip_makes_the_folder(tmp_path):
    checkpoint = saved(tmp_path / "new" / "folder" / "c.npz")
    arrays, meta = load_checkpoint(checkpoint)
    np.testing.assert_array_equal(arrays["X"], DATA)
    assert meta == {"generation": 3}


def test_none_where_there_is_no_file(tmp_path):
    assert load_checkpoint(Checkpoint(tmp_path / "c.npz")) is None


def test_numpy_scalars_and_tuples_are_the_same_parameters(tmp_path):
    saved(tmp_path / "c", parameters={"nan": np.nan})
    same = {"pop_size": np.int32(100), "alpha": np.float64(0.5), "bounds": [1.0, 2], "nan": np.float32("nan")}
    assert load_checkpoint(Checkpoint(tmp_path / "c", identity=identity(parameters=same))) is not None


def test_every_difference_is_named(tmp_path):
    path = tmp_path / "x.npz"
    saved(path, parameters={"old": "yes"}, package="1")
    here = Checkpoint(
        path,
        identity={
            "method": "NSGA2Clus",
            "parameters": {"pop_size": 50, "alpha": 0.5, "bounds": (1, 2), "new": None},
            "data": fingerprint(DATA + 1),
            "package": "2",
        },
    )
    with pytest.raises(CheckpointMismatchError) as error:
        load_checkpoint(here)
    assert str(error.value) == (
        f"checkpoint {path} belongs to another run: "
        "parameter pop_size is 100 in the checkpoint but 50 here; "
        "parameter old is 'yes' in the checkpoint but absent here; "
        "parameter new is absent in the checkpoint but None here; the data differ; "
        "package is '1' in the checkpoint but '2' here; "
        "continue with the original data and parameters, or choose another file"
    )
    assert isinstance(error.value, ValueError)


def test_another_method_is_the_only_difference_that_is_named(tmp_path):
    path = tmp_path / "x.npz"
    saved(path)
    here = Checkpoint(path, identity={"method": "AMOSAClus", "parameters": {"alpha": 1}, "data": "other"})
    with pytest.raises(CheckpointMismatchError) as error:
        load_checkpoint(here)
    assert str(error.value) == (
        f"checkpoint {path} belongs to another run: "
        "method is 'NSGA2Clus' in the checkpoint but 'AMOSAClus' here; "
        "continue with the original data and parameters, or choose another file"
    )


def test_long_values_are_shortened(tmp_path):
    saved(tmp_path / "c", parameters={"grid": list(range(1000))})
    with pytest.raises(CheckpointMismatchError) as error:
        load_checkpoint(Checkpoint(tmp_path / "c", identity=identity(parameters={"grid": []})))
    assert len(str(error.value)) < 300 + len(str(tmp_path))
    assert "... in the checkpoint but [] here" in str(error.value)


def test_an_archive_is_not_a_checkpoint(tmp_path):
    write_archive(tmp_path / "a", {}, {})
    with pytest.raises(ArchiveError, match="not a checkpoint"):
        load_checkpoint(Checkpoint(tmp_path / "a"))


@pytest.mark.parametrize(
    ("every", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_bad_every(every, error):
    with pytest.raises(error, match="every must be an integer of at least 1"):
        Checkpoint("c", every=every)


def test_bad_identity_and_frozen():
    with pytest.raises(TypeError, match=r"identity\['f'\]"):
        Checkpoint("c", identity={"f": len})
    with pytest.raises(dataclasses.FrozenInstanceError):
        Checkpoint("c").every = 3


def test_environment_tells_versions_and_nothing_private():
    found = environment()
    assert found["numpy"] == np.__version__
    assert re.fullmatch(r"3\.\d+\.\d+.*", found["python"])
    text = " ".join(found.values())
    for private in (socket.gethostname(), getpass.getuser(), str(Path.home())):
        assert private not in text.split()
    assert "/" not in text


def test_environment_says_what_is_not_installed(monkeypatch):
    monkeypatch.setattr(_environment, "RUNTIME_DEPENDENCIES", ("numpy", "no-such-distribution"))
    told = environment()
    assert told["no-such-distribution"] == "not installed"
    assert told["numpy"] == np.__version__


def test_environment_names_every_runtime_dependency():
    setup = configparser.ConfigParser()
    setup.read(Path(__file__).parents[2] / "setup.cfg")
    required = re.findall(r"^[\w-]+", setup["options"]["install_requires"], flags=re.MULTILINE)
    assert required == [
        name for name in environment() if name not in {"python", "platform", "moo_clustering", "blas"}
    ]


def saved_on(path, monkeypatch, kernel):
    """A checkpoint that a process with another BLAS saved."""
    with monkeypatch.context() as patch:
        patch.setattr(_environment, "environment", lambda: {"blas": kernel} if kernel else {})
        return saved(path)


def test_the_kernels_of_the_loaded_libraries_are_recorded(tmp_path):
    loaded = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    for pool in loaded:
        assert f"{pool['internal_api']} {pool['version']}" in environment()["blas"]
        assert (pool.get("architecture") or "") in environment()["blas"]
    saved(tmp_path / "c")
    assert read_archive(tmp_path / "c")[1]["environment"]["blas"] == environment()["blas"]


def test_going_on_with_another_kernel_is_warned_of(tmp_path, monkeypatch):
    here = environment()["blas"]
    checkpoint = saved_on(tmp_path / "c", monkeypatch, "openblas 0.1.2 Prescott")
    said = f"c was saved with the BLAS kernel openblas 0.1.2 Prescott, but this process uses {here}; the last"
    with pytest.warns(UserWarning, match=re.escape(said)):
        assert load_checkpoint(checkpoint)[1] == {"generation": 3}
    # The same ones, one library more or fewer, and none that is known.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in (here, f"{here}, mkl 2025", here.split(", ")[0], "not known", None):
            assert load_checkpoint(saved_on(tmp_path / "c", monkeypatch, kernel)) is not None
