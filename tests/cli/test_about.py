"""The command ``about``: facts of this environment, and none that identify the computer or the data."""

import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from click.testing import CliRunner
from numba import config

from moo_clustering import __file__ as package_file
from moo_clustering.cli import main


def about(*arguments, **environment):
    result = CliRunner().invoke(main, ["about", *arguments], env=environment)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_facts_are_those_of_this_environment():
    facts = json.loads(about("--json"))
    assert facts["versions"]["numpy"] == version("numpy")
    assert facts["versions"]["python"] == "{}.{}.{}".format(*sys.version_info)
    assert facts["package"] == os.path.dirname(package_file)
    assert 1 <= facts["machine"]["usable_processors"] <= facts["machine"]["processors"] == os.cpu_count()
    assert facts["machine"]["memory"] is None or facts["machine"]["memory"] > 2**28
    assert any(pool["n_threads"] >= 1 for pool in facts["threads"]["pools"])


def test_lines_have_the_facts_of_the_json():
    facts = json.loads(about("--json"))
    lines = dict(line.split("  ", 1) for line in about().splitlines())
    lines = {name: text.strip() for name, text in lines.items()}
    assert facts["versions"].items() <= lines.items()
    for name, text in facts["optional"].items():
        assert lines[f"{name} (optional)"] == text
    assert lines["system"] == facts["machine"]["system"]
    assert lines["compiled kernels"].startswith(facts["kernels"]["folder"])


def test_threads_and_caches_of_the_environment_are_listed(tmp_path):
    facts = json.loads(about("--json", OMP_NUM_THREADS="1", NUMBA_CACHE_DIR=str(tmp_path)))
    assert facts["threads"]["variables"]["OMP_NUM_THREADS"] == "1"
    assert facts["threads"]["variables"]["NUMBA_CACHE_DIR"] == str(tmp_path)


def test_files_of_the_cache_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    folder = Path(json.loads(about("--json"))["kernels"]["folder"])
    assert folder.is_relative_to(tmp_path)
    (folder / "subfolder").mkdir(parents=True, exist_ok=True)
    (folder / "one.nbi").write_bytes(b"123")
    (folder / "one.1.nbc").write_bytes(b"12345")
    kernels = json.loads(about("--json"))["kernels"]
    assert (kernels["n_files"], kernels["bytes"]) == (2, 8)


def test_neither_the_computer_nor_secrets_are_named():
    text = about(SECRET_TOKEN="do-not-print-this")
    assert "do-not-print-this" not in text
    if len(platform.node()) > 4:
        assert platform.node() not in text.replace(os.getcwd(), "")
