"""Options that the command passes to the estimator: the scale, the metric and the checkpoint."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from moo_clustering.cli import job


@pytest.fixture
def passed(tmp_path, monkeypatch):
    """Return a function that runs the command, and returns the parameters and the checkpoint."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0], [9], [18]], 10, axis=0)
    frame = pd.DataFrame(X, columns=["x", "y"])
    frame.to_csv("numbers.csv", index=False)
    frame.assign(kind=np.repeat(["a", "b", "c"], 10)).to_csv("mixed.csv", index=False)
    texts = pd.DataFrame({"text": ["red apples and pears", "a cold lake", "an old red house"] * 8})
    texts.to_csv("texts.csv", index=False)
    (tmp_path / "lengths.py").write_text("def of(texts):\n    return [[len(each), 1.0] for each in texts]\n")
    seen, build = [], job.build_estimator

    def built(method, estimator_class, parameters, options, checkpoint):
        seen.append((dict(parameters), checkpoint))
        return build(method, estimator_class, parameters, options, checkpoint)

    monkeypatch.setattr(job, "build_estimator", built)
    return lambda run, *arguments: (run("fit", *arguments, "--no-report", "--quiet"), seen.pop())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("numbers.csv", "--no-prepare"), {}),
        (("numbers.csv", "--no-prepare", "--set", "scale=standard"), {"scale": "standard"}),
        (("numbers.csv", "--method", "mock", "-k", "3", "--no-prepare"), {}),
        (("numbers.csv", "--method", "mock", "-k", "3"), {}),
        (("mixed.csv", "--method", "mock", "-k", "3"), {"scale": "none"}),
        (("mixed.csv", "--method", "memetic-kmeans", "-k", "3"), {}),
        (("mixed.csv",), {"scale": "none"}),
        (("texts.csv", "--text-columns", "text"), {}),
        (("texts.csv", "--text-columns", "text", "--embed", "lengths:of"), {"metric": "cosine"}),
        (("texts.csv", "--text-columns", "text", "--embed", "lengths:of", "--method", "mock", "-k", "2"), {}),
    ],
)
def test_scale_and_metric(run, passed, arguments, expected):
    done, (parameters, checkpoint) = passed(run, *arguments, "--out", "out")
    assert done.exit_code == 0, done.output
    assert {key: parameters[key] for key in ("scale", "metric") if key in parameters} == expected
    assert checkpoint is None


@pytest.mark.parametrize(("method", "writes"), [("mock", True), ("pckmeans", False)])
def test_checkpoints_of_a_killed_run(run, passed, method, writes):
    more = ("--set", "n_gen=2") if writes else ()
    arguments = ("numbers.csv", "--method", method, "-k", "3", "--out", "out", *more)
    done, (_, checkpoint) = passed(run, *arguments)
    assert done.exit_code == 0, done.output
    assert checkpoint is None
    record = json.loads(Path("out/run.json").read_text())
    for path in Path("out").iterdir():
        path.unlink()
    Path("out/run.json").write_text(json.dumps(record | {"status": "running", "files": []}))
    done, (_, checkpoint) = passed(run, *arguments, "--resume")
    assert done.exit_code == 0, done.output
    assert (checkpoint is not None) is writes


def test_checkpoints_are_written_where_wanted(run, passed):
    mock = ("numbers.csv", "--method", "mock", "-k", "3", "--set", "n_gen=2", "--out", "out")
    done, (_, checkpoint) = passed(run, *mock, "--checkpoint-every", "1")
    assert done.exit_code == 0, done.output
    assert checkpoint.name == "checkpoint.npz"
