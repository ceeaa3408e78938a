"""The story of a report in a browser: cuts, columns that were not used, doubts, files and print."""

import base64
import re

import numpy as np
import pytest
from report_page import width_of_screen
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from sklearn.datasets import load_wine

from moo_clustering import ParetoClustering
from moo_clustering.descriptions import Heatmap
from moo_clustering.visualization.report import Column, PlaneMap, ReportContent
from moo_clustering.visualization.report.page import page_bytes

pytestmark = pytest.mark.slow

N = 1500
RNG = np.random.default_rng(0)
KIND = np.arange(N) % 3
POINTS = np.array([[0, 0], [6, 0], [0, 6.0]])[KIND] + RNG.normal(size=(N, 2))
FINE = np.where(KIND == 2, 2 + (POINTS[:, 1] > 6), KIND)
LABELS = np.stack([np.minimum(KIND, 1), KIND, FINE]).astype(np.int32)
LINES = [
    ("Clusters of new rows", "moo-clustering predict found new.csv"),
    ("Questions about doubtful rows", "moo-clustering ask found"),
    ("The same fit in Python", "import pandas as pd\nmodel = 'a' + \"b\""),
]


def story(**others):
    return ReportContent(
        **{
            "title": "People",
            "names": ["coarse", "result", "fine"],
            "labels": LABELS,
            "sample_names": np.array([f"person {row}" for row in range(N)]),
            "sample_texts": [f"x {a:.2f}, y {b:.2f}" for a, b in POINTS],
            "sample_kind": "person",
            "facts": [
                ("verdict", "clear (expected adjusted Rand index with known classes 0.6 to 1.0, p < 0.01)"),
                ("seed", "7"),
            ],
            "columns": [Column("clusters", np.array([2.0, 3.0, 4.0]))],
            "chosen": 1,
            "cluster_names": {1: ["low", "right", "high"]},
            "map": PlaneMap(POINTS, np.arange(N), ("x", "y"), "Positions."),
            "confidence": 0.8,
            "cuts": [
                (0, "Coarser.", "Against it."),
                (1, "The chosen solution.", ""),
                (2, "Finer.", "Against it."),
            ],
            "left_out": [("kind", ["p", "q", "r"], np.where(np.arange(N) % 10, KIND, -1))],
            "doubts": [(4, 1, 0, 0.4, 0.6), (3, 0, 1, 0.4, 0.5), (5, 2, 0, 0.3, 0.4)],
            "files": ["clustered.csv"],
            "lines": LINES,
            **others,
        }
    )


@pytest.fixture
def page(open_content):
    return open_content(story())


def test_a_page_of_1500_rows_is_small():
    assert len(page_bytes(story())) < 1_000_000


def test_certainty_is_a_sentence_with_a_bar(page):
    assert page.text(".sure strong") == "The clusters are clear."
    figures = page.text(".sure .figures")
    assert figures.startswith(
        "Expected agreement with the true groups: 0.80 (probably 0.6 to 1.0), on a scale"
    )
    wide, whole = page.js(
        "const bar = document.querySelector('.gauge');"
        "return [bar.firstElementChild.getBoundingClientRect().width, bar.clientWidth]"
    )
    assert wide / whole == pytest.approx(0.8, abs=0.01)


def test_cuts_are_drawn_with_all_samples(page):
    assert page.text("#cuts-note").startswith("2 → 3 → 4 clusters.")
    titles = page.texts("#cuts-figure .flow title")
    between = np.unique(LABELS[[0, 1]], axis=1).shape[1] + np.unique(LABELS[[1, 2]], axis=1).shape[1]
    assert len(titles) == between
    counts = [int(re.search(r": ([\d,]+) person", title)[1].replace(",", "")) for title in titles]
    assert sum(counts) == 2 * N
    assert "cluster 1 to right: 500 persons" in titles
    heights = page.js(
        "return [...document.querySelectorAll('#cuts-figure .cut')].map("
        "cut => [...cut.querySelectorAll('rect')].map(bar => +bar.getAttribute('height')))"
    )
    assert [len(cut) for cut in heights] == [2, 3, 4]
    assert heights[0][1] / heights[0][0] == pytest.approx(2.0, rel=0.01)


def test_every_cut_has_a_map_in_its_colours(page):
    drawn = page.js(
        "return [...document.querySelectorAll('#cuts-list .thumbnail')].map(map => [...map.children].map("
        "path => [path.getAttribute('d').split('M').length - 1, path.getAttribute('stroke')]))"
    )
    assert [len(paths) for paths in drawn] == [2, 3, 4]
    for paths in drawn:
        assert 300 <= sum(dots for dots, _ in paths) <= 400
        assert len({color for _, color in paths}) == len(paths)


def test_a_cut_is_shown_by_mouse_and_by_keyboard(page):
    page.press("#cuts-list li:nth-child(3) button")
    assert page.selected == 2
    assert "4 clusters" in page.text("#summary")
    assert page.texts("#cuts-list button[aria-pressed=true]") == ["Show"]
    assert page.js("return document.activeElement.textContent") == "Show"
    page.js("document.querySelector('#cuts-list li:nth-child(1) button').focus()")
    page.keys(Keys.ENTER)
    assert page.selected == 0
    page.press('#cuts-figure .cut[data-solution="1"] .cut-title')
    assert page.selected == 1


@pytest.mark.parametrize(
    ("columns", "rules", "said"),
    [
        (
            [Column("score", np.array([1.0, 2.0, np.nan]))],
            {},
            "expected index. The chosen solution has the best score.",
        ),
        ([Column("score", np.array([1.0, 2.0, 3.0]))], {}, "expected index. Labels, pairs, a fixed number"),
        (
            [Column("width", np.array([1.0, 2.0, 3.0]), is_objective=True)],
            {"knee": 1, "width": 0},
            "better than another in all objectives. The chosen solution is selected by the rule knee.",
        ),
        ([Column("clusters", np.array([2.0, 3.0, 4.0]))], {}, "that are in both. Press Show"),
    ],
)
def test_the_note_on_the_cuts_names_what_decided(open_content, columns, rules, said):
    page = open_content(story(columns=columns, rules=rules))
    assert said in page.text("#cuts-note")


def test_another_solution_is_announced_in_the_header(page):
    assert not page.find("#shown").is_displayed()
    page.js("report.select(2)")
    assert page.find("#shown").is_displayed()
    said = "The page shows the solution “fine” with 4 clusters. The method's choice has 3 clusters."
    assert page.text("#shown") == said
    page.js("report.select(1)")
    assert not page.find("#shown").is_displayed()


def test_every_section_follows_a_new_name(open_content):
    heatmap = Heatmap([("x", "")], np.zeros((3, 1)), [["1"], ["2"], ["3"]])
    page = open_content(story(heatmaps={1: heatmap}))
    sections = [
        "clusters-table",
        "heatmap-table",
        "map-legend",
        "known-tables",
        "cuts-figure",
        "doubts-table",
    ]
    sections += ["samples-cluster", "samples-table"]

    def holding(name):
        return [part for part in sections if name in page.text(f"#{part}")]

    assert holding("right") == sections
    page.js("arguments[0].focus()", page.find('#clusters-table [data-cluster="1"] .naming button'))
    page.keys(Keys.ENTER)
    page.keys("northern", Keys.ENTER)
    assert holding("northern") == sections
    assert holding("right") == []
    assert page.text("#names-note code") == "moo-clustering rename found --names names.json"
    page.js("localStorage.clear()")


def test_a_pressed_button_under_the_mouse_is_readable(page):
    shown = page.find("#cuts-list button[aria-pressed=true]")
    page.scroll_to(shown)
    for _ in range(2):
        page.js("document.getElementById('dark').click()")
        ActionChains(page.driver).move_to_element(shown).perform()
        page.driver.execute_async_script("setTimeout(arguments[0], 50)")
        look = "const look = getComputedStyle(arguments[0]); return [look.color, look.backgroundColor]"
        light = [sum(map(int, re.findall(r"\d+", color)[:3])) / 765 for color in page.js(look, shown)]
        assert abs(light[0] - light[1]) > 0.5


def test_columns_that_were_not_used_follow_the_selected_solution(page):
    assert "no influence" in page.text("#known-note")

    def cells():
        rows = page.all("#known-tables tbody tr")
        return [[cell.text for cell in row.find_elements("css selector", "td")] for row in rows]

    # There are 500 persons of each kind, and one in ten has an empty cell.
    assert cells()[0] == ["90% (450)", "–", "–", "10% (50)"]
    page.press("#cuts-list li:nth-child(1) button")
    assert cells()[1] == ["–", "45% (450)", "45% (450)", "10% (100)"]


def test_doubtful_rows_are_named_between_their_clusters(page):
    assert page.texts("#doubts .pair-title") == [
        "Between low and right: 2 persons",
        "Between low and high: 1 person",
    ]
    assert "another cluster has more support than their own" in page.text("#doubts-note")
    assert page.texts('#doubts tr[data-sample="4"] td') == [" right", "40%", " low", "60%"]
    page.press('#doubts tr[data-sample="4"] button')
    assert page.figure("map-figure", "return data.some(trace => trace.meta && trace.meta.sample === 4)")
    assert page.text("#doubts-tools code") == "moo-clustering ask found"


def test_lines_are_copied(page):
    assert page.texts("#take-lines code") == [code for _, code in LINES]
    page.js("window.copied = []; document.execCommand = () => copied.push(document.activeElement.value)")
    page.js("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    for place in range(len(LINES)):
        page.press(page.all("#take-lines .copy")[place])
    assert page.js("return copied") == [code for _, code in LINES]
    assert page.texts("#take-lines .copy") == ["Copied"] * len(LINES)
    assert page.find("#take-files a").get_attribute("href").endswith("/clustered.csv")


def test_methodologists_find_front_and_seed_in_one_click(page):
    page.js("document.getElementById('methods').open = false")
    assert not page.find("#solutions").is_displayed()
    page.press("#methods summary")
    assert page.find("#solutions").is_displayed()
    assert "seed" in page.find("#about").text


def test_parts_without_content_are_hidden(open_content):
    page = open_content(story(cuts=(), left_out=(), doubts=(), files=(), lines=(), facts=()))
    assert [page.find(f"#{part}").is_displayed() for part in ("cuts", "known", "doubts", "take")] == [
        False
    ] * 4
    assert page.text(".sure strong") == "This method does not assess the certainty of its clusters."
    assert not page.all(".gauge")


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_no_width_scrolls_sideways(page, width):
    with width_of_screen(page.driver, width):
        assert page.js("return document.documentElement.scrollWidth <= innerWidth")
        assert (
            page.js("return document.querySelector('#cuts-figure svg').getBoundingClientRect().width") >= 300
        )


def test_hints_are_not_printed_and_long_facts_are_unfolded(open_content):
    steps = "; ".join(f"column {k} dropped: constant" for k in range(20))
    page = open_content(story(facts=[("preparation", steps)]))
    assert "Drag to zoom in" in page.find("#map-note").text
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.js("window.dispatchEvent(new Event('beforeprint'))")
    try:
        assert page.find("#map-note").text.endswith("Positions.")
        assert "Press" not in page.find("#cuts-note").text
        assert page.find(".long").text == steps
    finally:
        page.js("window.dispatchEvent(new Event('afterprint'))")
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert not page.js("return document.querySelector('.long details').open")


def test_the_page_is_filled_at_the_load_event(open_content):
    page = open_content(story())
    rows = "document.querySelectorAll('#clusters-table tbody tr').length"
    script = page.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": f"addEventListener('load', () => (window.rowsAtLoad = {rows}))"},
    )
    try:
        page.driver.refresh()
        assert page.js("return rowsAtLoad") == 3
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


PAPER = {"A4": (8.27, 11.69), "Letter": (8.5, 11)}
SMALLEST = """
const sizes = [...document.querySelectorAll("h1, .page-head *, #clusters *, #heatmap *, #map *")]
  .filter(each => each.getClientRects().length && each.closest("svg") === null && each.textContent.trim())
  .map(each => parseFloat(getComputedStyle(each).fontSize));
const svg = document.querySelector("#map-figure svg");
const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
const labels = [...svg.querySelectorAll(".map-label")]
  .map(each => scale * parseFloat(getComputedStyle(each).fontSize));
return [Math.min(...sizes), Math.min(...labels), document.documentElement.scrollWidth <= innerWidth];
"""


@pytest.mark.parametrize("n_clusters", [2, 8])
def test_a_usual_report_prints_on_one_legible_page(open_report, tmp_path, n_clusters):
    X = load_wine(as_frame=True).data
    model = ParetoClustering(n_clusters, scale="standard", random_state=0).fit(X)
    model.report(tmp_path / "report.html", X)
    page = open_report(tmp_path / "report.html")
    page.js("document.getElementById('methods').open = false; document.getElementById('dark').click()")
    for width, height in PAPER.values():
        options = {"paperWidth": width, "paperHeight": height, "preferCSSPageSize": True}
        printed = page.driver.execute_cdp_cmd("Page.printToPDF", options)
        assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))) == 1
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        with width_of_screen(page.driver, round(96 * (PAPER["A4"][0] - 20 / 25.4))):
            page.js("window.dispatchEvent(new Event('beforeprint'))")
            smallest, smallest_label, is_whole = page.js(SMALLEST)
    finally:
        page.js("window.dispatchEvent(new Event('afterprint'))")
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    # A CSS pixel is three quarters of a point.
    assert min(smallest, smallest_label) * 0.75 >= 8 - 1e-9
    assert is_whole
    page.js("document.getElementById('methods').open = true")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))) > 1
