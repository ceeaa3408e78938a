"""Every Python block and every command of the README runs, in the order of the page and in a fresh folder."""

import configparser
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from moo_clustering.cli import main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
# (language, text) of each block; commands have no language.
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE)


def commands(text):
    """Lines that call the command, without those that make their own environment (``.ci/run`` runs these)."""
    return [line for line in text.splitlines() if not line.startswith("python3 -m venv")]


@pytest.mark.slow
def test_everything_on_the_page_runs_in_order(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "readme"}
    n_commands = 0
    for language, text in BLOCKS:
        if language == "python":
            exec(compile(text, "README.md", "exec"), namespace)
            continue
        assert language == ""
        for line in commands(text):
            program, *arguments = shlex.split(line)
            assert program == "moo-clustering"
            result = CliRunner().invoke(main, arguments)
            assert result.exit_code == 0, f"{line}\n{result.output}"
            n_commands += 1
    assert n_commands >= 4
    assert namespace["partitions"].shape[1] == 178
    # The own constraint holds, and the own index is a column of the front.
    assert all((namespace["at_least_ten"]([row]) <= 0).all() for row in namespace["partitions"])
    assert namespace["problem"].objective_names == ("silhouette", "width")
    assert namespace["model"].labels_.shape == (178,)
    assert (tmp_path / "front.png").stat().st_size > 1000
    for name in ("found/report.html", "shapes/report.html", "both.html"):
        assert (tmp_path / name).stat().st_size > 1000, name


@pytest.mark.parametrize("words", ["moo-clustering demo", "-m pytest"])
def test_two_commands_make_their_own_environment(words):
    line = next(line for line in TEXT.splitlines() if words in line)
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install ")


def test_links_lead_to_files():
    targets = re.findall(r"\]\(([^)#\s]+)", TEXT)
    assert len(targets) > 8
    for target in targets:
        assert target.startswith("https:") or (ROOT / target).exists(), target


def test_page_is_short():
    assert len(TEXT.splitlines()) <= 200


def test_badges_are_true():
    """They are drawn in the repository, and state what the metadata and the gate state."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    badges = {
        path.stem: re.search("<title>.*?: (.*)</title>", path.read_text(encoding="utf-8"))[1]
        for path in (ROOT / "docs/images/badges").glob("*.svg")
    }
    versions = re.findall(r"Python :: (3\.\d+)$", setup["metadata"]["classifiers"], re.MULTILINE)
    limit = re.search(
        r"--precision=1 --fail-under=(\d+) \|\|", (ROOT / ".ci/run").read_text(encoding="utf-8")
    )[1]
    assert badges == {
        "version": setup["metadata"]["version"],
        "python": " | ".join(versions),
        "licence": setup["metadata"]["license"].replace("-", " ", 1),
        "coverage": f"≥ {limit}%",
    }
    assert all(f"docs/images/badges/{name}.svg" in TEXT for name in badges)
