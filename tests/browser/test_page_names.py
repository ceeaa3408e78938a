"""Names of clusters are changed on the page, remembered by the browser, and downloaded or saved."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from report_page import ReportPage
from report_toys import toy_content
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from test_page_ask import fit, served

from moo_clustering.cli import main

pytestmark = pytest.mark.slow

ROW = '#clusters-table tr[data-cluster="{}"] .naming'


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a fit of three groups."""
    folder = tmp_path_factory.mktemp("named")
    rng, group = np.random.default_rng(0), np.arange(60) % 3
    pd.DataFrame({"height": 20 * group + rng.normal(size=60), "weight": rng.normal(size=60)}).to_csv(
        folder / "table.csv", index=False
    )
    fit(folder / "table.csv", folder / "run", "--set", "k_range=[2,3,4]")
    return folder / "run"


def edit(page, cluster, name, end=Keys.ENTER):
    """Write a name into the cell of a cluster, without the mouse."""
    page.js("arguments[0].focus()", page.find(f"{ROW.format(cluster)} button"))
    page.keys(Keys.ENTER)
    page.keys(name or Keys.DELETE)
    page.keys(end)


def shown(page):
    """Names in the table of clusters, the legend, the list of samples, its choice, and the headline."""
    return [
        page.texts("#clusters-table .naming button"),
        page.js("return [...document.querySelectorAll('#map-legend li')].map(e => e.textContent.trim())"),
        sorted({text.strip() for text in page.texts("#samples-table td.cluster")}),
        page.texts("#samples-cluster option")[1:],
        page.texts(".headline [data-cluster]"),
    ]


def everywhere(page, name):
    return [sum(name in text for text in texts) for texts in shown(page)]


def test_every_place_follows_and_a_reload_keeps_the_names(run, browser, tmp_path):
    page = ReportPage(browser, run / "report.html", tmp_path)
    assert page.find("#names-note").is_displayed()
    assert "This browser remembers" in page.text("#names-note")
    assert not page.all("#download-names")
    edit(page, 0, "  frequent   travellers ")
    assert everywhere(page, "frequent travellers") == [1, 1, 1, 1, 1]
    assert page.js("return document.activeElement.textContent") == "frequent travellers"
    edit(page, 1, "never", Keys.ESCAPE)
    assert everywhere(page, "never") == [0] * 5
    edit(page, 1, "<b>bold</b>")
    assert everywhere(page, "<b>bold</b>") == [1] * 5
    edit(page, 2, "frequent travellers", Keys.ENTER)
    assert page.text(f"{ROW.format(2)} .why") == "Another cluster has this name."
    page.keys(Keys.ESCAPE)
    page = ReportPage(browser, run / "report.html", tmp_path)
    assert everywhere(page, "frequent travellers") == [1] * 5
    page.press("#download-names")
    WebDriverWait(browser, 60).until(lambda _: (tmp_path / "names.json").exists())
    found = json.loads((tmp_path / "names.json").read_text())
    assert found == {"0": "frequent travellers", "1": "<b>bold</b>"}
    # The command reads the file, and writes a page that shows the names in the file.
    shutil.copytree(run, tmp_path / "other")
    names = str(tmp_path / "names.json")
    done = CliRunner().invoke(main, ["rename", str(tmp_path / "other"), "--names", names])
    assert done.exit_code == 0, done.output
    page = ReportPage(browser, tmp_path / "other" / "report.html", tmp_path)
    assert everywhere(page, "frequent travellers") == [1] * 5
    assert not page.all("#download-names")
    # An empty name restores the original name.
    page = ReportPage(browser, run / "report.html", tmp_path)
    edit(page, 0, "")
    edit(page, 1, "")
    assert not page.all("#download-names")
    assert everywhere(page, "frequent travellers") == [0] * 5


def test_other_solutions_and_noise_are_not_named(open_content):
    content = toy_content()
    content.labels[content.chosen][:5] = -1
    page = open_content(content)
    assert len(page.all("#clusters-table .naming")) == len(page.all("#clusters-table tbody tr")) - 1
    page.js("report.select(arguments[0])", (content.chosen + 1) % content.n_solutions)
    assert not page.all("#clusters-table .naming")
    assert not page.find("#names-note").is_displayed()


def test_without_storage(open_content):
    page = open_content(toy_content())
    page.js("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})")
    edit(page, 0, "first")
    assert page.texts("#clusters-table .naming button")[0] == "first"
    assert "lost when this page is closed" in page.text("#names-note")


def test_the_server_saves_names(run, browser, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    with served(tmp_path / "run") as (address, _):
        page = ReportPage(browser, address, tmp_path)
        chosen = page.js("return JSON.parse(document.getElementById('report-data').textContent).chosen")
        page.js("report.select(arguments[0])", chosen)
        assert "saved in the folder" in page.text("#names-note")
        edit(page, 2, "students")
        WebDriverWait(browser, 60).until(lambda _: "students" in page.texts("#clusters-table .naming button"))
        record = json.loads((tmp_path / "run" / "run.json").read_text())
        assert record["cluster_names"] == {"2": "students"}
        assert "students" in (tmp_path / "run" / "clustered.csv").read_text()
        edit(page, 1, "students")
        assert page.text(f"{ROW.format(1)} .why") == "Another cluster has this name."
        page = ReportPage(browser, address, tmp_path)
        page.js("report.select(arguments[0])", chosen)
        assert "students" in page.texts("#clusters-table .naming button")
        edit(page, 2, "")
        WebDriverWait(browser, 60).until(
            lambda _: "cluster_names" not in json.loads((tmp_path / "run" / "run.json").read_text())
        )
