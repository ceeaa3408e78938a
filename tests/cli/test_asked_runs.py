"""Run folders as sessions of questions, and what is shown of samples."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from moo_clustering import ParetoClustering
from moo_clustering.cli.ask import AskedRun, check_out, save_answers
from moo_clustering.cli.folder import FolderError, open_folder, run_content
from moo_clustering.constraints import read_pairs
from moo_clustering.interactive import SessionFileError
from moo_clustering.interactive.shown import ShownSamples
from moo_clustering.persistence import ArchiveError


def test_questions_are_those_of_the_fit_in_python(run, tmp_path):
    assert run("fit", "iris", "--out", "run", "--quiet", "--no-report").exit_code == 0
    asked = AskedRun(tmp_path / "run").session
    model = ParetoClustering(random_state=0).fit(load_iris().data)
    same = model.ask()
    assert np.array_equal(asked.labels_, same.labels_)
    for word in ("together", "apart", "apart", "unknown"):
        assert asked.question.samples == same.question.samples
        asked.answer(word)
        same.answer(word)
    assert np.array_equal(asked.labels_, same.labels_)
    again = model.ask(resume=tmp_path / "run" / "answers.json")
    assert model.take(again).labels_.tolist() == asked.labels_.tolist()


def test_samples_are_shown_in_the_units_of_the_table(asked_run):
    shown = AskedRun(asked_run).shown.beside([0, 7])
    assert shown.names == ("person 0 <b>", "person 7 <b>")
    assert not shown.notes  # the identifier is a name, and not repeated as a column
    found = {line.name: line for line in shown.features}
    assert found["town"].values == ("Oslo", "Rome")
    assert found["born"].values == ("2000-01-01", "2002-10-04")
    assert found["height"].values[1] == "(empty)"
    assert found["height"].difference == 0.0
    away = [line.difference for line in shown.features]
    assert away == sorted(away, reverse=True)
    assert away[0] > 0


def test_answers_are_on_disk_and_a_session_goes_on(asked_run):
    first = AskedRun(asked_run).session
    for word in ("together", "apart", "unknown"):
        first.answer(word)
    with pytest.raises(FolderError, match="--resume"):
        AskedRun(asked_run)
    again = AskedRun(asked_run, resume=True)
    assert again.session.question.samples == first.question.samples
    assert np.array_equal(again.session.labels_, first.labels_)
    again.session.answer("apart")
    # The other session would write over what it does not know.
    with pytest.raises(SessionFileError, match="another session"):
        first.answer("apart")
    assert len(AskedRun(asked_run, resume=True).session.history_) == 4
    for options in ({"mode": "names"}, {"error_rate": 0.2}):
        with pytest.raises(FolderError, match="omit --"):
            AskedRun(asked_run, resume=True, **options)


def test_a_session_without_answers_is_begun_anew(asked_run):
    AskedRun(asked_run)
    assert AskedRun(asked_run, mode="names").session.mode == "names"


def save(asked, out):
    with open_folder(out, inspect=partial(check_out, asked.folder)) as target:
        return save_answers(asked, target)


def test_results_are_a_run(asked_run, tmp_path):
    asked = AskedRun(asked_run, mode="names")
    towns = pd.read_csv(asked_run / "labels.csv")["row"] % 3
    for _ in range(4):
        [sample] = asked.session.question.samples
        asked.session.answer(["red", "green", "blue"][towns[sample]])
    out = asked_run / "asked"
    assert check_out(asked_run, out) == (False, False)
    files = save(asked, out)
    assert check_out(asked_run, out) == (False, True)
    assert {path.name for path in out.iterdir()} == {*files, "run.json"}
    labels = pd.read_csv(out / "labels.csv")
    assert labels.columns.tolist() == ["row", "label", "class"]
    assert labels["class"].dropna().isin(["red", "green", "blue"]).all()
    clusters = pd.read_csv(out / "clusters.csv")
    assert clusters["size"].sum() == 60
    partial = pd.read_csv(out / "partial_labels.csv")
    assert partial["group"].notna().sum() == 4
    with pytest.raises(FolderError, match="specify the folder of the original run"):
        AskedRun(out)


def test_pairs_are_files_that_fit_takes(asked_run):
    asked = AskedRun(asked_run)
    words = iter(["together", "apart", "apart"])
    for word in words:
        asked.session.answer(word)
    save(asked, asked_run / "asked")
    must = read_pairs(asked_run / "asked" / "must_link.csv", n_samples=60)
    cannot = read_pairs(asked_run / "asked" / "cannot_link.csv", n_samples=60)
    assert np.array_equal(must, asked.session.pairs()[0])
    assert np.array_equal(cannot, asked.session.pairs()[1])


def test_other_folders_are_left_alone(asked_run, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    # A session that was killed before its first result left this.
    (other / ".run.json.1-2.tmp").touch()
    check_out(asked_run, other)
    (other / "letter.txt").write_text("dear")
    with pytest.raises(FolderError, match=r"no run\.json; choose another folder with --out"):
        check_out(asked_run, other)
    with pytest.raises(FolderError, match="that is not an `ask` session"):
        check_out(asked_run, asked_run)
    with pytest.raises(FolderError, match="is a file"):
        check_out(asked_run, other / "letter.txt")


def test_refusals_name_the_reason(asked_run):
    record = json.loads((asked_run / "run.json").read_text())
    questions = (asked_run / "questions.npz").read_bytes()
    (asked_run / "questions.npz").unlink()
    for change, wanted in (
        ({"method": "mock"}, "use pareto-clustering or pareto-bags"),
        ({"supervision": {"must_link": {}}}, "without --must-link"),
        ({"status": "interrupted"}, "the fit is incomplete"),
        ({}, "fit again"),
    ):
        (asked_run / "run.json").write_text(json.dumps(record | change))
        with pytest.raises(FolderError, match=wanted):
            AskedRun(asked_run)
    (asked_run / "questions.npz").write_bytes(questions[:-700])
    with pytest.raises(ArchiveError):
        AskedRun(asked_run)
    (asked_run / "questions.npz").write_bytes(questions)
    (asked_run / "answers.json").write_text("dear diary\n")
    with pytest.raises(FolderError, match="--resume"):
        AskedRun(asked_run)
    with pytest.raises(SessionFileError, match="damaged: line 1"):
        AskedRun(asked_run, resume=True)
    assert (asked_run / "answers.json").read_text() == "dear diary\n"
    (asked_run / "labels.csv").write_text("row,label\n0,0\n")
    with pytest.raises(FolderError, match="60 samples"):
        AskedRun(asked_run)


def test_no_questions_of_a_fit_with_labels(run, tmp_path):
    (tmp_path / "must.csv").write_text("0,3\n")
    fit = ("fit", "iris", "--must-link", "must.csv", "--out", "known", "--quiet", "--no-report")
    assert run(*fit).exit_code == 0
    with pytest.raises(FolderError, match="without --must-link"):
        AskedRun(tmp_path / "known")


def test_words_that_tell_two_texts_apart():
    texts = ["the cat sat", "the dog sat", "the dog ran"]
    terms = sparse.csr_array(np.array([[0.9, 0.0, 0.5, 0.0], [0.0, 0.8, 0.4, 0.0], [0.0, 0.8, 0.0, 0.6]]))
    shown = ShownSamples.of(terms, texts=texts, feature_names=["cat", "dog", "sat", "ran"], names=list("abc"))
    both = shown.beside([0, 1])
    assert both.texts == ("the cat sat", "the dog sat")
    assert both.words == (("cat", "sat"), ("dog",))
    assert both.features == []
    # Of one text alone, words that are more frequent in it than elsewhere.
    assert shown.beside([2]).words == (("ran", "dog"),)


def test_a_difference_is_in_standard_deviations():
    frame = pd.DataFrame({"x": [1.0, 3.0], "kind": ["a", "b"], "same": [5, 5]})
    found = {line.name: line for line in ShownSamples.of(frame).beside([0, 1]).features}
    assert found["x"].difference == pytest.approx(2.0)
    assert found["kind"].difference == pytest.approx(2.0)
    assert found["same"].difference == 0.0
    assert found["x"].values == ("1", "3")
    one = {line.name: line.difference for line in ShownSamples.of(frame).beside([1]).features}
    assert one == pytest.approx({"x": 1.0, "kind": 1.0, "same": 0.0})


@pytest.mark.slow
def test_a_report_is_made_where_the_run_has_one(run, tmp_path):
    load_iris(as_frame=True).data.iloc[::3].to_csv(tmp_path / "iris.csv", index=False)
    assert run("fit", "iris.csv", "--out", "shown", "--quiet").exit_code == 0
    asked = AskedRun(tmp_path / "shown")
    asked.session.answer("together")
    save(asked, tmp_path / "shown" / "asked")
    content = run_content(tmp_path / "shown" / "asked")
    assert content.runs[content.chosen] == "answers"
    assert content.map is not None
    assert np.array_equal(content.labels[content.chosen], asked.session.labels_)
    assert len(content.must_link) == 1
    assert run("report", "shown/asked", "--out", "page.html").exit_code == 0
