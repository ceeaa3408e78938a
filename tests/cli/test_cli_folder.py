"""Who may write where."""

import json

import pytest

from moo_clustering.cli.folder import FORMAT, FolderError, open_folder

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


def write_record(folder, **entries):
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"format": FORMAT, "status": "running", **entries}))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_finished_run_is_never_touched(run, fails, slices, table, tmp_path):
    assert run(*FIT, "--out", "out").exit_code == 0
    before = contents(tmp_path / "out")
    for extra in ((), ("--resume",), ("--checkpoint-every", 3)):
        assert "out holds a finished run" in fails(*FIT, "--out", "out", *extra)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("name", ["notes.txt", "labels.csv", ".hidden"])
def test_folder_of_something_else(fails, slices, table, tmp_path, name):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    assert "out holds other files" in fails(*FIT, "--out", "out", "--resume")
    assert contents(tmp_path / "out") == {name: b"mine"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "x", "status": "complete"}', "\xff"])
def test_foreign_record(tmp_path, text):
    (tmp_path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FolderError, match=r"run\.json of something else"):
        open_folder(tmp_path, resume=True)


def test_out_is_a_file_or_below_one(fails, slices, table, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "is a file, not a folder" in fails(*FIT, "--out", "file")
    assert "cannot write to file/out" in fails(*FIT, "--out", "file/out")
    assert (tmp_path / "file").read_text() == "mine"


def test_interrupted_with_checkpoint_then_resumed(run, fails, slices, table, tmp_path):
    result = run(*FIT, "--out", "out", "--checkpoint-every", 5, "--set", "mode=cut")
    assert result.exit_code == 130
    assert "the result so far is saved; go on with the same command and --resume" in result.stderr
    out = tmp_path / "out"
    record = json.loads((out / "run.json").read_text())
    assert record["status"] == "interrupted"
    assert (out / "labels.csv").exists()
    before = contents(out)
    assert "holds an unfinished run; go on with it with --resume" in fails(*FIT, "--out", "out")
    # another run must not go on from it, and must not spoil it
    message = fails(*FIT, "--out", "out", "--resume", "--set", "low=0.25")
    assert "parameter low is 0.0 there and 0.25 here" in message
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
    assert "holds a checkpoint" in fails(*FIT, "--out", "out")
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
    assert "still going on or was killed" in fails(*FIT, "--out", "out")
    result = run(*FIT, "--out", "out", "--resume")
    assert result.exit_code == 0
    assert "Nothing to resume in out" in result.stderr


def test_resume_in_a_new_folder_starts(run, slices, table):
    result = run(*FIT, "--out", "out", "--resume")
    assert result.exit_code == 0
    assert "Nothing to resume in out: starting from the beginning." in result.stderr


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
    one, two = open_folder(tmp_path / "out"), open_folder(tmp_path / "out")
    one.claim({"format": FORMAT, "status": "running", "number": 1})
    with pytest.raises(FolderError):
        two.claim({"format": FORMAT, "status": "running", "number": 2})
    assert json.loads((tmp_path / "out" / "run.json").read_text())["number"] == 1


def test_only_the_named_command_is_replaced(tmp_path):
    write_record(tmp_path / "demo", command="demo", status="complete")
    (tmp_path / "demo" / "labels.csv").write_text("old")
    (tmp_path / "demo" / "mine.txt").write_text("kept")
    open_folder(tmp_path / "demo", replaces="demo")
    assert sorted(contents(tmp_path / "demo")) == ["mine.txt", "run.json"]
    write_record(tmp_path / "fit", command="fit", status="complete")
    with pytest.raises(FolderError, match="finished run"):
        open_folder(tmp_path / "fit", replaces="demo")
