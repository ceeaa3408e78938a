"""What users wrote is shown as text, whatever it is."""

import numpy as np
import pandas as pd
import pytest
from report_toys import toy_content

from moo_clustering.persistence import csv_cell
from moo_clustering.visualization.report import ClusterFacts, Column, Panel, PlaneMap

pytestmark = pytest.mark.slow

ATTACK = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>"
BOLD = '<b>bold</b> <a href="javascript:window.hit=1">link</a> & %{x} <br> \u2028 <!-- "\'`'


def hostile_content():
    plain = toy_content(n_objectives=3)
    columns = [
        Column(f"{BOLD}{place}", column.values, column.is_objective, column.greater_is_better)
        for place, column in enumerate(plain.columns)
    ]
    facts = [ClusterFacts(0.5, (0, 1), ((ATTACK, 1.0), (BOLD, 0.5))) for _ in range(6)]
    return toy_content(
        title=ATTACK,
        facts=[(ATTACK, BOLD)],
        sample_kind=BOLD,
        sample_names=np.array([f"{ATTACK} {row}" for row in range(90)]),
        sample_texts=[f"{BOLD} {row}" for row in range(90)],
        names=[f"{ATTACK} {row}" for row in range(12)],
        columns=columns,
        rules={ATTACK: 3},
        runs=[BOLD if row % 2 else ATTACK for row in range(12)],
        cluster_names={row: [f"{BOLD} {cluster}" for cluster in range(6)] for row in range(12)},
        map=PlaneMap(plain.map.positions, plain.map.rows, (ATTACK, BOLD), ATTACK),
        clusters=dict.fromkeys(range(12), facts),
        features_title=ATTACK,
        agreement_note=BOLD,
        history=pd.DataFrame({BOLD: [1, 2], ATTACK: [3, 4]}),
        panels=[
            Panel("bars", ATTACK, BOLD, x=[ATTACK, BOLD], y=[1, 2], axes=(BOLD, ATTACK)),
            Panel("matrix", BOLD, x=[BOLD, ATTACK], y=[BOLD, ATTACK], matrix=np.eye(2)),
            Panel(
                "lines", BOLD, series={ATTACK: (np.arange(3.0), np.arange(3.0)), BOLD: (np.arange(3.0),) * 2}
            ),
        ],
        missing=[ATTACK],
    )


FIGURES = (
    "front-figure",
    "map-figure",
    "compare-first",
    "compare-second",
    "agreement-figure",
    "history-figure",
    "panel-0-figure",
    "panel-1-figure",
    "panel-2-figure",
)


@pytest.fixture
def page(open_content):
    page = open_content(hostile_content())
    page.js("report.select(4); report.compare(7)")
    for figure in FIGURES:
        page.figure(figure, "return 0")
    return page


def test_nothing_runs_and_nothing_becomes_an_element(page):
    page.press('#front-tools [data-kind="matrix"]')
    page.figure("front-figure", "return 0")
    assert page.js("return window.hit ?? null") is None
    assert page.js("return document.querySelectorAll('img[src=x], a[href^=javascript]').length") == 0
    assert page.js("return document.querySelectorAll('svg a').length") == 0


def test_it_is_shown_as_written(page):
    assert page.text("h1") == ATTACK
    assert page.text(".facts dt") == ATTACK
    assert page.text(".missing li") == ATTACK
    assert page.text("#summary strong") == f"{ATTACK} 4"
    assert page.texts("#clusters-table .feature")[:2] == [
        f"{ATTACK[:59]}…",
        f"{BOLD[:59]}…" if len(BOLD) > 60 else BOLD,
    ]
    assert page.driver.title == ATTACK
    drawn = page.js("return document.querySelector('#history-figure .annotation').textContent")
    assert drawn.startswith("</script><script>window.hit=1")


def test_hover_shows_tags_as_text(page):
    text = page.figure("map-figure", "return data.find(trace => trace.customdata).text[0]")
    assert text.startswith("</script><script>")
    assert "<a href=" in text
    page.press_figure("map-figure", *hostile_content().map.positions[0])
    assert "</script><script>" in page.text("#map-figure .tip")
    for figure in FIGURES:
        kinds = page.js(
            "return [...document.querySelectorAll(`#${arguments[0]} *`)].map(each => each.localName)", figure
        )
        drawn = {"svg", "g", "clipPath", "rect", "line", "path", "text", "tspan", "image"}
        assert set(kinds) <= drawn | {"div"}


def test_no_other_script_may_run(page):
    """The page's policy: what slipped through all the same would not run."""
    page.js(
        "const script = document.createElement('script'); script.textContent = 'window.hit = 1';"
        "document.body.append(script)"
    )
    assert page.js("return window.hit ?? null") is None
    assert any("Content Security Policy" in message for message in page.errors())


def test_nothing_is_fetched(page):
    answer = page.later("fetch('https://example.org').then(() => done('fetched'), () => done('refused'))")
    assert answer == "refused"
    page.errors()


def test_downloaded_labels_are_no_formulas(open_content):
    names = np.array([f"{start}{row}" for row in range(15) for start in ("=A", "+B", "-C", "@D", "'=E", "-")])
    page = open_content(toy_content(sample_names=names))
    page.press("#download-labels")
    text = page.downloaded("labels-*.csv").decode("utf-8")
    cells = [line.partition(",")[0] for line in text.splitlines()[1:]]
    assert cells == [csv_cell(name) for name in names]
    assert cells[:6] == ["'=A0", "'+B0", "'-C0", "'@D0", "''=E0", "-0"]
