"""The command with PESC: edge cases, interruption, going on."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from moo_clustering import PESC
from moo_clustering.datasets import load_iris
from moo_clustering.persistence import read_archive

METHOD = ("--method", "pesc")
QUICK = (*METHOD, "--set", "n_gen=3", "--set", "pop_size=20")
SMALL = (*METHOD, "--set", "pop_size=12")


@pytest.fixture
def write(tmp_path):
    def _write(name, frame):
        frame.to_csv(tmp_path / name, index=False)
        return name

    return _write


def labels_in(folder):
    return pd.read_csv(folder / "labels.csv")["label"].to_numpy()


def test_same_as_the_estimator(run, pictures, tmp_path):
    result = run("fit", "iris", "-k", 3, "--seed", 4, *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    estimator = PESC(3, n_gen=3, pop_size=20, random_state=4).fit(load_iris().X)
    out = tmp_path / "out"
    assert labels_in(out).tolist() == estimator.labels_.tolist()
    front = pd.read_csv(out / "front.csv")
    assert front.columns.tolist() == ["member", *estimator.objective_names_]
    np.testing.assert_allclose(front.iloc[:, 1:], estimator.pareto_front_, rtol=1e-12)
    history = pd.read_csv(out / "history.csv")
    assert history["generation"].tolist() == [0, 1, 2, 3]
    arrays, meta = read_archive(out / "result.npz")
    assert (arrays["similarity"] != estimator.similarity_).nnz == 0
    assert np.array_equal(arrays["embedding"], estimator.embedding_)
    assert np.array_equal(arrays["front_neighbors"], estimator.pareto_neighbors_)
    assert meta["parameters"]["n_gen"] == 3
    record = json.loads((out / "run.json").read_text())
    assert sorted(record["files"]) == sorted(
        [
            "labels.csv",
            "front.csv",
            "history.csv",
            "result.npz",
            "front.png",
            "similarity.png",
            "history.png",
            "report.npz",
            "report.html",
        ]
    )
    assert sorted(path.name for path in out.iterdir()) == sorted([*record["files"], "run.json"])
    assert record["result"]["n_solutions"] == len(front)
    assert "PESC: 100%" in result.stderr


@pytest.mark.slow
def test_one_feature_and_every_number_of_clusters(run, write, tmp_path):
    data = write("one.csv", pd.DataFrame({"a": [0.0, 0.1, 0.3, 9.0, 9.2, 9.3]}))
    for k in (2, 6):
        assert run("fit", data, "-k", k, *QUICK, "--quiet", "--out", f"out{k}").exit_code == 0
        assert len(set(labels_in(tmp_path / f"out{k}"))) == k
    assert labels_in(tmp_path / "out2").tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.slow
def test_equal_rows_are_one_cluster_and_a_warning(run, write, tmp_path):
    data = write("equal.csv", pd.DataFrame({"a": [1.0] * 12, "b": [2.0] * 12}))
    result = run("fit", data, "--no-prepare", "-k", 3, *QUICK, "--quiet", "--out", "out")
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "Warning: only 1 of n_clusters=3 clusters is non-empty: X has fewer distinct rows"
    )
    assert result.stderr.count("\n") == 1
    assert set(labels_in(tmp_path / "out")) == {0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-k", 0), ["-k", "'0' is not valid"]),
        (("-k", 7), ["n_clusters", "7", "6"]),
        (("-k", 2, "--set", "pop_size=many"), ["pop_size", "'many'"]),
        (("-k", 2, "--set", "n_gen=2.5"), ["n_gen", "2.5"]),
        (("-k", 2, "--set", "ensemble=es4"), ["ensemble", "'es4'"]),
        (("-k", 2, "--set", "popsize=9"), ["did you mean 'pop_size'"]),
        ((), ["-k"]),
    ],
)
def test_mistakes(fails, write, tmp_path, arguments, words):
    data = write("six.csv", pd.DataFrame({"a": [0.0, 0.1, 0.3, 9.0, 9.2, 9.3]}))
    message = fails("fit", data, *METHOD, *arguments, "--quiet", "--out", "out")
    assert all(word in message for word in words)
    assert not (tmp_path / "out").exists()


def test_one_row(fails, write):
    data = write("row.csv", pd.DataFrame({"a": [0.0], "b": [1.0]}))
    assert "the table has 1 row" in fails("fit", data, *METHOD, "-k", 1, "--out", "out")


def test_contradictory_pairs(fails, write, tmp_path):
    data = write("six.csv", pd.DataFrame({"a": [0.0, 0.1, 0.3, 9.0, 9.2, 9.3]}))
    (tmp_path / "must.csv").write_text("0,1\n1,2\n")
    (tmp_path / "cannot.csv").write_text("0,2\n")
    message = fails(
        "fit", data, *METHOD, "-k", 2, "--must-link", "must.csv", "--cannot-link", "cannot.csv",
        "--out", "out",
    )  # fmt: skip
    assert "contradictory constraints" in message


@pytest.mark.slow
def test_permuted_labels_leave_the_result_alone(run, write, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame["kind"] = np.repeat([1, 2], 20)
    write("one.csv", frame)
    write("two.csv", frame.assign(kind=rng.permutation(frame["kind"])))
    for name in ("one", "two"):
        code = run(
            "fit", f"{name}.csv", "-k", 2, "--labels", "kind", *QUICK, "--quiet", "--out", name
        ).exit_code
        assert code == 0
    assert (tmp_path / "one" / "labels.csv").read_bytes() == (tmp_path / "two" / "labels.csv").read_bytes()
    one, two = (json.loads((tmp_path / name / "run.json").read_text()) for name in ("one", "two"))
    assert one["data"]["fingerprint"] == two["data"]["fingerprint"]
    assert one["scores"] != two["scores"]


def start(tmp_path, *arguments):
    """A fit that would go on for minutes, once it has written a checkpoint."""
    fit = [sys.executable, "-m", "moo_clustering", "fit", "iris", "-k", "3", *SMALL, "--out", "out"]
    process = subprocess.Popen(
        [*fit, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 600
    while not (tmp_path / "out" / "checkpoint.npz").exists() and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    if not (tmp_path / "out" / "checkpoint.npz").exists():
        process.kill()  # it must not go on after the test
        pytest.fail(f"no checkpoint: {process.communicate()}")
    return process


def ended(process):
    """What it says when it ends, which it must within ten minutes."""
    try:
        return process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


def assert_goes_on_as_if_nothing_had_happened(run, tmp_path):
    archive = read_archive(tmp_path / "out" / "checkpoint.npz")[0]
    done = next(array for name, array in archive.items() if name.endswith("generations"))[-1]
    n_gen = f"n_gen={done + 2}"
    for out in (("--out", "out", "--resume"), ("--out", "straight")):
        result = run("fit", "iris", "-k", 3, *SMALL, "--set", n_gen, "--quiet", *out)
        assert result.exit_code == 0, result.output
    for name in ("labels.csv", "front.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()
    assert not (tmp_path / "out" / "checkpoint.npz").exists()


@pytest.mark.slow
def test_ctrl_c_and_resume(run, tmp_path):
    process = start(tmp_path, "--set", "n_gen=1000000", "--checkpoint-every", "5")
    process.send_signal(signal.SIGINT)
    stdout, stderr = ended(process)
    assert process.returncode == 130, stderr
    assert "Interrupted: the result so far is saved; to continue, rerun the command with --resume." in stderr
    assert "Traceback" not in stderr
    assert "saved in" in stdout
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["status"] == "interrupted"
    assert str(tmp_path) not in json.dumps(record)
    assert len(labels_in(tmp_path / "out")) == 150
    assert_goes_on_as_if_nothing_had_happened(run, tmp_path)


@pytest.mark.slow
def test_kill_and_resume(run, fails, tmp_path):
    process = start(tmp_path, "--set", "n_gen=1000000", "--checkpoint-every", "1")
    process.kill()
    process.communicate(timeout=600)
    assert "unfinished run" in fails("fit", "iris", *METHOD, "-k", 3, "--out", "out")
    assert "parameter n_clusters is 3 in the checkpoint but 2 here" in fails(
        "fit", "iris", "-k", 2, *SMALL, "--out", "out", "--resume", "--quiet"
    )
    assert_goes_on_as_if_nothing_had_happened(run, tmp_path)


def test_a_missing_package_is_said_in_one_line(run, monkeypatch):
    monkeypatch.setattr("moo_clustering.graphs.neighbors.find_spec", lambda name: None)
    result = run("fit", "iris", "-k", 3, *QUICK, "--set", "neighbor_method=approximate", "--out", "out")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(
        'Error: method="approximate" requires pynndescent, which is not installed: pip install'
    )
    assert "Traceback" not in result.stderr
