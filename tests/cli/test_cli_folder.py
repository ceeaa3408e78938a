"""Folders of runs: which may be written to, and what is read from them for reports."""

import json
import os

import numpy as np
import pytest

from moo_clustering.cli.folder import FORMAT, FolderError, open_folder, run_content
from moo_clustering.persistence import FolderInUseError, locked, read_archive, write_archive
from moo_clustering.visualization.report import Column, ReportContent
from moo_clustering.visualization.report.page import save_content

TABLE = ("table.csv", "--id-column", "id", "--drop", "some", "--drop", "kind")
FIT = ("fit", *TABLE, "--method", "slices", "-k", 3)
PLAIN = ("fit", "iris", "--method", "spherical-kmeans", "-k", 3, "--no-report", "--quiet", "--out", "out")
INTERRUPTED = 130
LABELS = [0, 0, 1, 1, 2]


def write_record(folder, **entries):
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"format": FORMAT, "status": "running", **entries}))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_finished_run_is_never_touched(run, fails, slices, table, tmp_path):
    assert run(*FIT, "--out", "out").exit_code == 0
    before = contents(tmp_path / "out")
    for extra in ((), ("--resume",), ("--checkpoint-every", 3)):
        assert "out contains a finished run" in fails(*FIT, "--out", "out", *extra)
    assert contents(tmp_path / "out") == before


def test_ctrl_c_as_soon_as_the_record_is_there(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    link = os.link

    def linked(*paths, **options):
        link(*paths, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", linked)
    result = run(*PLAIN)
    assert result.exit_code == INTERRUPTED
    assert result.stderr.endswith("Interrupted.\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["notes.txt", "labels.csv", ".hidden"])
def test_folder_of_something_else(fails, slices, table, tmp_path, name):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    assert "out contains other files" in fails(*FIT, "--out", "out", "--resume")
    assert contents(tmp_path / "out") == {name: b"mine"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "x", "status": "complete"}', "\xff"])
def test_foreign_record(tmp_path, text):
    (tmp_path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FolderError, match=r"run\.json that was not written by moo-clustering"):
        open_folder(tmp_path, resume=True).__enter__()


@pytest.mark.parametrize("name", ["a{b}", "{}", "{", "%s"])
def test_foreign_record_in_a_folder_named_like_a_format(fails, tmp_path, name):
    write_record(tmp_path / name, format="other")
    because = "run.json was not written by moo-clustering, or is damaged"
    assert f"{name} is not a readable run folder: its {because}" in fails("report", name)
    assert f"{name} contains a run.json that was not written" in fails(*PLAIN[:-1], name)


def test_out_is_a_file_or_below_one(fails, slices, table, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "is a file, not a folder" in fails(*FIT, "--out", "file")
    assert "--out file/out cannot be used: Not a directory" in fails(*FIT, "--out", "file/out")
    assert (tmp_path / "file").read_text() == "mine"


def test_interrupted_with_checkpoint_then_resumed(run, fails, slices, table, tmp_path):
    result = run(*FIT, "--out", "out", "--checkpoint-every", 5, "--set", "mode=cut")
    assert result.exit_code == 130
    assert "the result so far is saved; to continue, rerun the command with --resume" in result.stderr
    out = tmp_path / "out"
    record = json.loads((out / "run.json").read_text())
    assert record["status"] == "interrupted"
    assert (out / "labels.csv").exists()
    before = contents(out)
    assert "contains an unfinished run; continue it with --resume" in fails(*FIT, "--out", "out")
    # another run must not go on from it, and must not spoil it
    message = fails(*FIT, "--out", "out", "--resume", "--set", "low=0.25")
    assert "parameter low is 0.0 in the checkpoint but 0.25 here" in message
    table.assign(a=table["a"] + 1).to_csv(tmp_path / "table2.csv", index=False)
    assert "the data differ" in fails("fit", "table2.csv", *FIT[2:], "--out", "out", "--resume")
    assert contents(out) == before
    assert run(*FIT, "--out", "out", "--resume").exit_code == 0
    assert json.loads((out / "run.json").read_text())["status"] == "complete"
    assert not (out / "checkpoint.npz").exists()


@pytest.mark.parametrize("keep", [0, 40])
def test_damaged_checkpoint_is_refused_and_kept(run, fails, slices, table, tmp_path, keep):
    run(*FIT, "--out", "out", "--checkpoint-every", 5, "--set", "mode=cut")
    checkpoint = tmp_path / "out" / "checkpoint.npz"
    checkpoint.write_bytes(checkpoint.read_bytes()[:keep])
    before = contents(tmp_path / "out")
    assert "checkpoint.npz is not a moo_clustering archive" in fails(*FIT, "--out", "out", "--resume")
    assert contents(tmp_path / "out") == before


def test_lone_checkpoint(run, fails, slices, table, tmp_path):
    run(*FIT, "--out", "out", "--checkpoint-every", 5, "--set", "mode=cut")
    for name in contents(tmp_path / "out"):
        if name != "checkpoint.npz":
            (tmp_path / "out" / name).unlink()
    assert "contains a checkpoint" in fails(*FIT, "--out", "out")
    assert run(*FIT, "--out", "out", "--resume").exit_code == 0


def test_interrupted_before_any_result(run, slices, table, tmp_path):
    result = run(*FIT, "--out", "out", "--set", "mode=cut_early")
    assert result.exit_code == 130
    assert "there is no result yet; there is no checkpoint" in result.stderr
    assert list(contents(tmp_path / "out")) == ["run.json"]
    assert run(*FIT, "--out", "out").exit_code == 0


def test_interrupted_without_checkpoint_keeps_its_result(run, fails, slices, table, tmp_path):
    assert run(*FIT, "--out", "out", "--set", "mode=cut").exit_code == 130
    before = contents(tmp_path / "out")
    for extra in ((), ("--resume",)):
        assert "interrupted run without a checkpoint" in fails(*FIT, "--out", "out", *extra)
    assert contents(tmp_path / "out") == before


def test_killed_run_without_checkpoint(run, fails, slices, table, tmp_path):
    write_record(tmp_path / "out", command="fit")
    (tmp_path / "out" / ".labels.csv.12-ab.tmp").write_text("cut off")
    assert "still running or was killed" in fails(*FIT, "--out", "out")
    result = run(*FIT, "--out", "out", "--resume", "--set", "mode=cut")
    assert result.exit_code == INTERRUPTED
    assert "Nothing to resume in out" in result.stderr
    # The new run writes checkpoints.
    result = run(*FIT, "--out", "out", "--resume")
    assert result.exit_code == 0
    assert "Nothing to resume" not in result.stderr


def test_resume_in_a_new_folder_starts(run, slices, table):
    result = run(*FIT, "--out", "out", "--resume")
    assert result.exit_code == 0
    assert "Nothing to resume in out; starting from the beginning." in result.stderr


def test_failed_fit_leaves_nothing(fails, slices, table, tmp_path):
    fails(*FIT, "--out", "new/out", "--set", "mode=fail")
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    fails(*FIT, "--out", "old", "--set", "mode=fail")
    assert contents(tmp_path / "old") == {}


def test_failed_fit_keeps_its_checkpoint(run, fails, slices, table, tmp_path):
    fails(*FIT, "--out", "out", "--set", "mode=fail", "--checkpoint-every", 5)
    assert sorted(contents(tmp_path / "out")) == ["checkpoint.npz", "run.json"]
    assert run(*FIT, "--out", "out", "--resume").exit_code == 0


def test_two_runs_cannot_begin_in_one_folder(tmp_path):
    with open_folder(tmp_path / "out") as one, open_folder(tmp_path / "out") as two:
        one.claim({"format": FORMAT, "status": "running", "number": 1})
        with pytest.raises(FolderInUseError, match="another process is writing"):
            two.claim({"format": FORMAT, "status": "running", "number": 2})
        one.unlock()  # as where there are no locks
        with pytest.raises(FolderError, match="still running or was killed"):
            two.claim({"format": FORMAT, "status": "running", "number": 2})
    assert json.loads((tmp_path / "out" / "run.json").read_text())["number"] == 1


def test_only_the_named_command_is_replaced(tmp_path):
    write_record(tmp_path / "demo", command="demo", status="complete")
    (tmp_path / "demo" / "labels.csv").write_text("old")
    (tmp_path / "demo" / "mine.txt").write_text("kept")
    with open_folder(tmp_path / "demo", replaces="demo"):
        pass
    assert sorted(contents(tmp_path / "demo")) == ["mine.txt", "run.json"]
    write_record(tmp_path / "fit", command="fit", status="complete")
    with pytest.raises(FolderError, match="finished run"):
        open_folder(tmp_path / "fit", replaces="demo").__enter__()


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
    assert "still running or was killed; start over with --resume" in fails(*PLAIN)
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
    with open_folder(tmp_path / "out") as folder:
        folder.claim({"format": FORMAT, "status": "running"})
    assert "run.json" not in seen[0]
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "running"


@pytest.fixture
def folder(tmp_path):
    """A finished run."""
    path = tmp_path / "run"
    write_record(path, status="complete", version=1)
    (path / "labels.csv").write_text(
        "row,label\n" + "".join(f"s{i},{label}\n" for i, label in enumerate(LABELS))
    )
    save_content(path / "report.npz", saved())
    return path


def saved(n_samples=5, **others):
    labels = np.array([LABELS[:n_samples], [0] * n_samples], dtype=np.int32)
    names = np.array([f"s{row}" for row in range(n_samples)])
    return ReportContent("as saved", ["result", "other"], labels, names, **others)


def test_content_as_the_run_saved_it(folder):
    save_content(folder / "report.npz", saved(columns=[Column("a", np.array([1.0, 2.0]))], missing=["Said."]))
    before = contents(folder)
    content = run_content(folder)
    assert content.title == "as saved"
    assert list(content.missing) == ["Said."]
    assert contents(folder) == before


@pytest.mark.parametrize("text", ["label\n1\n1\n0\n0\n2\n", "row,label\na,0\nb,0\nc,x\nd,\ne,2\n"])
def test_labels_that_were_changed_after_the_run(folder, text):
    (folder / "labels.csv").write_text(text)
    assert run_content(folder).missing[-1].startswith("labels.csv differs from the labels shown")


@pytest.mark.parametrize(
    ("status", "sentence"),
    [("interrupted", "The run was interrupted"), ("running", "The run is still in progress")],
)
def test_status_is_told_once(folder, status, sentence):
    write_record(folder, status=status)
    for _ in range(2):
        content = run_content(folder)
        assert len([line for line in content.missing if line.startswith(sentence)]) == 1
        save_content(folder / "report.npz", content)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("cut", r"report\.npz is not a moo_clustering archive"),
        ("version", r"report\.npz has format version 99, but this version .* supports at most 1"),
        ("foreign", r"report\.npz is not a moo_clustering archive"),
        ("missing", r"run has no report\.npz, which is required for reports; fit again without --no-report"),
    ],
)
def test_content_that_cannot_be_read_is_refused(folder, damage, message):
    path = folder / "report.npz"
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-40])
    elif damage == "version":
        arrays, meta = read_archive(path)
        write_archive(path, arrays, meta | {"version": 99})
    elif damage == "foreign":
        path.write_text("something else")
    else:
        path.unlink()
    with pytest.raises(ValueError, match=message) as caught:
        run_content(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("row,cluster\ns0,1\n", r"labels\.csv is damaged: it has no label column"),
        ("", r"labels\.csv is damaged"),
        ("row,label\n\xff\n", r"labels\.csv is damaged"),
        (
            "row,label\ns0,0\n",
            r"labels\.csv contains 1 samples, but report\.npz contains 5; they are from different runs",
        ),
    ],
)
def test_labels_that_cannot_be_of_the_run(folder, rows, message):
    (folder / "labels.csv").write_bytes(rows.encode("latin-1"))
    with pytest.raises(FolderError, match=message) as caught:
        run_content(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("running", "run without a result, which is still running or was killed"),
        ("interrupted", "was interrupted before it produced a result"),
        ("complete", r"a run without a result: it has no labels\.csv"),
    ],
)
def test_run_without_a_result(folder, status, message):
    write_record(folder, status=status)
    (folder / "labels.csv").unlink()
    with pytest.raises(FolderError, match=message):
        run_content(folder)


def test_folder_without_a_run(tmp_path):
    with pytest.raises(FolderError, match="nothing does not exist"):
        run_content(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="file is a file, not a run folder"):
        run_content(tmp_path / "file")
    with pytest.raises(FolderError, match=r"not a run folder: it has no run\.json"):
        run_content(tmp_path)
    for text in ("", "[]", "{}", '{"format": "x", "status": "complete"}'):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(
            FolderError, match=r"its run\.json was not written by moo-clustering, or is damaged"
        ):
            run_content(tmp_path)


def test_one_writer_per_folder(run, fails, folder, slices, table, tmp_path):
    """No command writes where another process is writing; each says so in a sentence and changes nothing."""
    mode = ("--set", "mode=cut_early", "--checkpoint-every", 5)
    assert run(*FIT, "--out", "cut", *mode).exit_code == INTERRUPTED
    write_record(tmp_path / "demo", command="demo", status="complete")
    for out, command in (
        ("cut", (*FIT, "--out", "cut", "--resume")),
        (folder, ("report", folder)),
        (folder, ("report", folder, "--out", folder / "report.html")),
        (folder, ("explore", folder, "--ask")),
        (folder, ("ask", folder)),
        ("demo", ("demo", "--out", "demo")),
    ):
        before = contents(tmp_path / out)
        with locked(out):
            assert f"another process is writing to {out}" in fails(*command), command
        assert contents(tmp_path / out) == before
    assert run(*FIT, "--out", "cut", "--resume").exit_code == 0
    assert run("report", folder).exit_code == 0
    # Reading does not need the lock.
    with locked(folder):
        assert run("report", folder, "--out", "elsewhere.html").exit_code == 0


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_torn_record_is_told_and_nothing_changes(run, fails, slices, table, tmp_path, share):
    mode = ("--set", "mode=cut_early", "--checkpoint-every", 5)
    assert run(*FIT, "--out", "out", *mode).exit_code == INTERRUPTED
    record = tmp_path / "out" / "run.json"
    text = record.read_bytes()
    record.write_bytes(text[: int(share * (len(text) - 2))])
    before = contents(tmp_path / "out")
    for command in ((*FIT, "--out", "out"), (*FIT, "--out", "out", "--resume")):
        assert "out contains a run.json that was not written by moo-clustering" in fails(*command)
    for command in ("report", "explore"):
        assert "run.json was not written by moo-clustering, or is damaged" in fails(command, "out")
    assert contents(tmp_path / "out") == before
