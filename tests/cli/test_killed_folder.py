"""Folders of runs that were killed at the worst moments."""

import json

import pytest

from moo_clustering.cli.folder import FORMAT, open_folder

FIT = (
    "fit",
    "table.csv",
    "--method",
    "slices",
    "--id-column",
    "id",
    "--drop",
    "some",
    "--drop",
    "kind",
    "-k",
    3,
)
PLAIN = ("fit", "iris", "--method", "spherical-kmeans", "-k", 3, "--no-report", "--quiet", "--out", "out")


@pytest.fixture
def killed(tmp_path):
    """A run that had no checkpoint and was killed while it saved its results."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_text(json.dumps({"format": FORMAT, "status": "running", "command": "fit"}))
    (out / "labels.csv").write_text("row,label\n")
    (out / "front.csv").write_text("of another method\n")
    return out


def test_killed_while_results_were_saved(run, fails, killed):
    before = {path.name: path.read_bytes() for path in killed.iterdir()}
    assert "still going on or was killed; start over with --resume" in fails(*PLAIN)
    assert {path.name: path.read_bytes() for path in killed.iterdir()} == before
    result = run(*PLAIN, "--resume")
    assert result.exit_code == 0, result.output
    assert json.loads((killed / "run.json").read_text())["status"] == "complete"
    assert len((killed / "labels.csv").read_text().splitlines()) == 1 + 150
    # Nothing stays of what the killed run had saved.
    assert sorted(path.name for path in killed.iterdir()) == ["labels.csv", "result.npz", "run.json"]


def test_killed_while_the_record_was_written(run, slices, table, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".run.json.12-ab.tmp").write_text('{"format": ')
    assert run(*FIT, "--out", "out").exit_code == 0


def test_the_record_has_its_name_when_it_is_whole(tmp_path, monkeypatch):
    seen = []

    def look(descriptor):
        seen.append([path.name for path in (tmp_path / "out").iterdir()])

    monkeypatch.setattr("moo_clustering.persistence.os.fsync", look)
    open_folder(tmp_path / "out").claim({"format": FORMAT, "status": "running"})
    assert "run.json" not in seen[0]
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "running"
