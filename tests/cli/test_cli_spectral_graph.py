"""The command with a method that does not search: no front, no history, no checkpoints."""

import json

import pandas as pd


def test_folder(run, pictures, fails, tmp_path):
    assert "writes no checkpoints" in fails(
        "fit", "wine", "-k", 3, "--method", "knn", "--resume", "--out", "o"
    )
    result = run("fit", "wine", "-k", 3, "--method", "water-filling", "--out", "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    record = json.loads((out / "run.json").read_text())
    assert sorted(record["files"]) == [
        "labels.csv", "report.html", "report.npz", "result.npz", "similarity.png"
    ]  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == sorted([*record["files"], "run.json"])
    assert record["parameters"]["graph"] == "waterfill"
    assert record["method"] == "spectral-graph"
    assert record["scores"]["accuracy"] > 0.9
    assert pd.read_csv(out / "labels.csv")["label"].nunique() == 3
