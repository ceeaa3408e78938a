"""``demo``: one command, no arguments."""

import json


def test_demo(run, tmp_path):
    result = run("demo")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].split() == ["accuracy", "nmi", "adjusted", "rand"]
    found = {line.rsplit(maxsplit=3)[0]: float(line.split()[-3]) for line in lines[2:6]}
    assert list(found) == ["PESC", "PESC, generation 0", "k-means", "random labels, mean of 100"]
    assert found["PESC"] > 0.9
    assert 1 / 3 < found["random labels, mean of 100"] < 0.45
    folder = tmp_path / "moo-clustering-demo"
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "complete"
    assert record["command"] == "demo"
    assert round(record["scores"]["accuracy"], 3) == found["PESC"]
    assert {"labels.csv", "front.png", "similarity.png"} <= {path.name for path in folder.iterdir()}
    # rows in random order, or the identifiers would be 0, 1, ...
    rows = [int(line.split(",")[0]) for line in (folder / "labels.csv").read_text().splitlines()[1:]]
    assert sorted(rows) == list(range(178))
    assert rows != sorted(rows)


def test_demo_spares_other_folders(run, fails, slices, table, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert "mine holds other files" in fails("demo", "--out", "mine")
    fit = ("fit", "wine", "--method", "slices", "-k", 2, "--out", "fit")
    assert run(*fit).exit_code == 0
    assert "fit holds a finished run" in fails("demo", "--out", "fit")
