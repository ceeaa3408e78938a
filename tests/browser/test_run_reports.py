"""Reports that commands make of folders: of two runs, and served."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from family_checks import check_download, check_selected, keep_whole_page, names_of
from family_data import SCRIPT
from family_runs import PAIRS, fit, run_command

pytestmark = pytest.mark.slow

DOCUMENTS = [f"d{row:02d}" for row in range(36)]
SEARCH = (*PAIRS, "--method", "nsga2-clus", "--set", "k_max=5", "--set", "pop_size=20", "--set", "n_gen=6")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs on the same documents."""
    folder = tmp_path_factory.mktemp("runs")
    fit(folder, "documents", *SEARCH, out="medoids")
    fit(folder, "documents", "--method", "ensemble-nmf", "-k", 3, "--set", "n_runs=4", out="topics")
    return folder


def labels_in(page):
    return [
        np.array(page.js("return report.labels(arguments[0])", place)) for place in range(len(names_of(page)))
    ]


def test_two_runs_in_one_report(open_report, folder, request):
    alone = [labels_in(open_report(folder / name / "report.html")) for name in ("medoids", "topics")]
    run_command(folder, "report", "medoids", "topics", "--out", "both.html")
    page = open_report(folder / "both.html")
    together = labels_in(page)
    assert len(together) == len(alone[0]) + len(alone[1])
    for shown, expected in zip(together, [*alone[0], *alone[1]], strict=True):
        np.testing.assert_array_equal(shown, expected)
    runs = page.texts("#table tbody td:nth-child(2)")
    assert runs == ["medoids"] * len(alone[0]) + ["topics"] * len(alone[1])
    assert {"medoids", "topics"} <= set(page.texts("#front-legend li"))
    last = len(together) - 1
    page.press_row(last)
    check_selected(page, together[last])
    check_download(page, DOCUMENTS, together[last])
    page.press("#most-different")
    index = page.js("return report.agreement()")
    matrix = page.figure("agreement-figure", "return data[0].z.map(row => [...row])")
    assert index == pytest.approx(np.min(matrix), abs=1e-6)
    assert matrix[page.selected][page.compared] == pytest.approx(index, abs=1e-6)
    keep_whole_page(page, request.node.name)


def test_explored_in_the_browser(open_report, folder):
    command = [sys.executable, "-m", "moo_clustering", "explore", str(folder / "medoids"), "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/\S+/", process.stdout.readline())[0]
        page = open_report(address)
        assert page.text("h1") == "NSGA2Clus on documents.jsonl"
        labels = labels_in(page)
        page.press_row(len(labels) - 1)
        check_selected(page, labels[-1])
        check_download(page, DOCUMENTS, labels[-1])
    finally:
        process.kill()
        process.communicate(timeout=600)


def test_script_in_a_title_is_text(open_report, folder):
    page = open_report(folder / "medoids" / "report.html")
    page.find("#samples-search").send_keys("window.hit")
    assert page.texts("#samples-table tbody th") == ["d00"]
    assert page.text("#samples-table .text").startswith(SCRIPT)
    row = page.figure("map-figure", "return data.flatMap(t => t.text ?? []).filter(t => t.includes('hit'))")
    assert len(row) == 1
    assert "<script>" in row[0]
    page.press('#samples-table [data-sample="0"] button')
    assert page.js("return document.querySelectorAll('#page script, #page img[src=x]').length") == 0
    assert page.js("return window.hit ?? null") is None
