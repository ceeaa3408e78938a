"""Reports of runs: written by fit, made anew, several runs in one, and what is never replaced."""

import html
import json
import re
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from moo_clustering.cli import fit as _run_report
from moo_clustering.visualization.report.page import load_content

FIT = ("fit", "table.csv", "--method", "slices", "--id-column", "id", "--drop", "some", "--drop", "kind")


def fit(run, out, *extra, k=3):
    result = run(*FIT, "-k", k, "--out", out, *extra)
    assert result.exit_code == 0, result.output
    return result


def title_of(page):
    text = page.read_text(encoding="utf-8")
    return html.unescape(re.search(r"<title>(.*?)</title>", text, re.DOTALL).group(1))


def record_of(folder):
    return json.loads((folder / "run.json").read_text())


def test_every_fit_ends_with_its_report(run, slices, table, tmp_path):
    result = fit(run, "out")
    assert re.search(r"^open +out/report\.html$", result.stdout, re.MULTILINE)
    out = tmp_path / "out"
    assert record_of(out)["files"][-2:] == ["report.npz", "report.html"]
    assert title_of(out / "report.html") == "Slices on table.csv"
    content = load_content(out / "report.npz")
    written = pd.read_csv(out / "labels.csv")
    assert list(content.sample_names) == list(written["row"])
    np.testing.assert_array_equal(content.labels[content.chosen], written["label"])
    assert content.map is not None
    row = pd.read_csv(tmp_path / "table.csv").iloc[0]
    assert content.sample_texts[0] == f"a {row['a']:.4g}, b {row['b']:.4g}"
    named = {name for facts in content.clusters[content.chosen] for name, *_ in facts.contrasts}
    assert named
    assert named <= {"a", "b"}
    assert str(tmp_path) not in (out / "report.html").read_text(encoding="utf-8")


def test_constraints_reach_the_report(run, slices, table, tmp_path):
    ids = list(table["id"])
    (tmp_path / "must.csv").write_text(f"{ids[0]},{ids[4]}\n")
    fit(run, "out", "--must-link", "must.csv")
    content = load_content(tmp_path / "out" / "report.npz")
    assert content.must_link.tolist() == [[0, 4]]
    assert len(content.cannot_link) == 0


def test_no_report(run, slices, table, tmp_path):
    result = fit(run, "out", "--no-report")
    assert "report.html" not in result.output
    assert not list((tmp_path / "out").glob("report*"))
    assert "report.html" not in record_of(tmp_path / "out")["files"]


def test_interrupted_run_has_a_report_that_says_so(run, slices, table, tmp_path):
    assert run(*FIT, "-k", 3, "--out", "out", "--set", "mode=cut").exit_code == 130
    content = load_content(tmp_path / "out" / "report.npz")
    assert content.missing[0].startswith("The run was interrupted")
    assert "The run was interrupted" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_report_of_an_interrupted_run_does_not_outlive_it(run, slices, table, tmp_path):
    cut = ("-k", 3, "--out", "out", "--checkpoint-every", 5, "--set", "mode=cut")
    assert run(*FIT, *cut).exit_code == 130
    assert (tmp_path / "out" / "report.html").exists()
    fit(run, "out", "--resume", "--no-report")
    assert not list((tmp_path / "out").glob("report*"))


class Killed(BaseException):
    """Ends a process where it stands."""


@pytest.mark.parametrize("error", [Killed(), RuntimeError("no figure"), KeyboardInterrupt()])
def test_run_that_ends_before_its_report_goes_on_from_the_checkpoint(
    run, slices, table, tmp_path, monkeypatch, error
):
    def ended(*_):
        raise error

    saving = (*FIT, "-k", 3, "--checkpoint-every", 5)
    assert run(*saving, "--out", "whole").exit_code == 0
    with monkeypatch.context() as patched:
        patched.setattr(_run_report, "report_arguments", ended)
        with suppress(Killed):
            run(*saving, "--out", "out")
    out = tmp_path / "out"
    assert (out / "checkpoint.npz").exists()
    assert run(*saving, "--out", "out").exit_code == 2
    assert run(*saving, "--out", "out", "--resume").exit_code == 0
    assert record_of(out)["status"] == "complete"
    assert not (out / "checkpoint.npz").exists()
    assert (out / "labels.csv").read_bytes() == (tmp_path / "whole" / "labels.csv").read_bytes()
    mine, whole = (load_content(tmp_path / name / "report.npz") for name in ("out", "whole"))
    np.testing.assert_array_equal(mine.labels, whole.labels)


@pytest.mark.parametrize("error", [RuntimeError("no\nfigure"), MemoryError(), KeyboardInterrupt()])
def test_report_that_fails_loses_nothing(run, slices, table, tmp_path, monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(_run_report, "report_arguments", broken)
    result = run(*FIT, "-k", 3, "--out", "out")
    assert result.exit_code == 0
    out = tmp_path / "out"
    record = record_of(out)
    assert record["status"] == "complete"
    assert record["files"][0] == "labels.csv"
    assert "report.html" not in record["files"]
    [warning] = record["warnings"]
    assert warning.startswith("report.html could not be written (")
    # Without a checkpoint there is nothing to resume.
    assert warning.endswith("; the results are saved")
    assert f"Warning: {warning}" in result.stderr
    assert not (out / "report.html").exists()
    assert not re.search("^open ", result.stdout, re.MULTILINE)


@pytest.mark.slow
def test_demo_has_a_report(run, tmp_path):
    result = run("demo", "--out", "demo")
    assert result.exit_code == 0, result.output
    assert "open demo/report.html" in result.stdout
    assert title_of(tmp_path / "demo" / "report.html") == "PESC on wine"
    assert record_of(tmp_path / "demo")["command"] == "demo"


def test_report_of_one_run_is_made_anew(run, slices, table, tmp_path):
    fit(run, "out")
    page = tmp_path / "out" / "report.html"
    first = page.read_text(encoding="utf-8")
    page.unlink()
    result = run("report", "out")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Saved out/report.html (1 solution); open it in a browser.\n"
    assert page.read_text(encoding="utf-8") == first
    assert run("report", "out", "--title", "<b>Mine</b>").exit_code == 0
    assert title_of(page) == "<b>Mine</b>"
    assert "<b>Mine</b>" not in page.read_text(encoding="utf-8")


def test_report_in_another_file(run, slices, table, tmp_path):
    fit(run, "out")
    (tmp_path / "out" / "report.html").unlink()
    result = run("report", "out", "--out", "page.html")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "page.html").exists()
    assert not (tmp_path / "out" / "report.html").exists()


def test_run_without_a_report_is_refused(run, fails, slices, table, tmp_path):
    fit(run, "out", "--no-report")
    message = fails("report", "out", "--out", "page.html")
    assert message == "out has no report.npz, which is required for reports; fit again without --no-report"
    record = (tmp_path / "out" / "run.json").read_text(encoding="utf-8")
    fails("report", "out", "--title", "Mine")
    assert (tmp_path / "out" / "run.json").read_text(encoding="utf-8") == record
    assert not (tmp_path / "page.html").exists()


def test_two_runs_in_one_report(run, slices, table, tmp_path):
    fit(run, "three")
    shuffled = pd.read_csv(tmp_path / "table.csv", dtype=str).sample(frac=1, random_state=3)
    shuffled.to_csv(tmp_path / "again.csv", index=False)
    assert run("fit", "again.csv", *FIT[2:], "-k", 4, "--out", "four").exit_code == 0
    result = run("report", "three", "four", "--out", "both.html")
    assert result.exit_code == 0, result.output
    assert "Saved both.html (2 solutions of 2 runs)" in result.stdout
    assert title_of(tmp_path / "both.html") == "Slices on table.csv and Slices on again.csv"
    # Rows have names of their own, so nothing is assumed.
    assert "assumed to be the same sample" not in result.output


def test_rows_without_names_of_two_files(run, slices, table, tmp_path):
    table[["a", "b"]].to_csv(tmp_path / "one.csv", index=False)
    table[["a", "b"]].to_csv(tmp_path / "two.csv", index=False)
    for name in ("one", "two"):
        result = run("fit", f"{name}.csv", "--method", "slices", "-k", 2, "--out", name)
        assert result.exit_code == 0, result.output
    result = run("report", "one", "two", "--out", "both.html")
    assert "Note: The runs are on one.csv and two.csv, whose rows have no names" in result.stderr
    assert "assumed to be the same sample" not in run("report", "one", "one", "--out", "same.html").output


def test_runs_on_different_samples(run, fails, slices, table, tmp_path):
    fit(run, "out")
    table.iloc[:20].to_csv(tmp_path / "table.csv", index=False)
    fit(run, "part")
    message = fails("report", "out", "part", "--out", "both.html")
    assert message == "runs 'out' and 'part' have different samples: 60 in the first, 20 in the second"
    assert not (tmp_path / "both.html").exists()


def test_several_runs_need_a_file(fails, slices, table, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert "a report on 2 runs requires --out FILE" in fails("report", "one", "two")


def test_foreign_files_are_never_replaced(run, fails, slices, table, tmp_path):
    fit(run, "out")
    for path in ("mine.html", "out/report.html"):
        (tmp_path / path).write_text("<html>mine</html>")
        extra = () if path.startswith("out") else ("--out", path)
        assert f"{path} exists and is not a moo-clustering report" in fails("report", "out", *extra)
        assert (tmp_path / path).read_text() == "<html>mine</html>"
    assert "--out out is a folder, not a file" in fails("report", "out", "--out", "out")
    assert "folder nowhere does not exist" in fails("report", "out", "--out", "nowhere/page.html")


def test_what_is_no_run(fails, tmp_path):
    assert fails("report", "nothing") == "nothing does not exist"
    (tmp_path / "empty").mkdir()
    assert fails("report", "empty") == "empty is not a run folder: it has no run.json"
    assert list((tmp_path / "empty").iterdir()) == []


def test_killed_run(fails, tmp_path):
    (tmp_path / "out").mkdir()
    record = {"format": "moo_clustering run", "status": "running"}
    (tmp_path / "out" / "run.json").write_text(json.dumps(record))
    assert "out contains a run without a result, which is still running or was killed" in fails(
        "report", "out"
    )


def test_documents_are_shown_with_title_and_beginning(run, tmp_path):
    lines = [
        {
            "id": f"d{row}",
            "title": f"Title {row} <script>alert(1)</script>{'.' * row}",
            "text": f"{word} " * 60,
        }
        for row, word in enumerate(["heart blood"] * 6 + ["lung breath"] * 6)
    ]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run("fit", "d.jsonl", "--method", "spherical-kmeans", "-k", 2, "--out", "out")
    assert result.exit_code == 0, result.output
    content = load_content(tmp_path / "out" / "report.npz")
    assert content.sample_kind == "document"
    assert content.sample_texts[0].startswith("Title 0 <script>alert(1)</script>: heart blood heart")
    # A title that ends a sentence needs no colon.
    assert content.sample_texts[1].startswith("Title 1 <script>alert(1)</script>. heart blood heart")
    assert max(map(len, content.sample_texts)) <= 160
    assert "<script>alert(1)" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    terms = [{name for name, _ in facts.features} for facts in content.clusters[content.chosen]]
    assert {"heart", "blood"} in terms
