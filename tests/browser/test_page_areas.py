"""Maps of areas and tables of limits in a browser."""

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from moo_clustering.visualization.report import PlaneMap, ReportContent

pytestmark = pytest.mark.slow

SIDE = 4
PLACES = np.arange(SIDE**2)
LABELS = np.array([PLACES % SIDE // 2, PLACES // SIDE // 2], dtype=np.int32)
CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
GAP = np.full((1, 3), np.nan)


def outlines():
    """Unit squares; the last one has a hole in its centre."""
    rings = []
    for place in PLACES:
        corner = np.array([place % SIDE, place // SIDE])
        rings += [np.column_stack([np.full(5, place), corner + CORNERS]), GAP]
    hole = np.column_stack([np.full(5, 15), 3.25 + CORNERS / 2])
    return np.concatenate([*rings, hole, GAP])


@pytest.fixture
def page(open_content):
    positions = np.column_stack([PLACES % SIDE, PLACES // SIDE]) + 0.9
    content = ReportContent(
        title="Districts",
        names=["columns", "rows"],
        labels=LABELS,
        sample_names=np.array([f"area {place}" for place in PLACES]),
        sample_kind="area",
        chosen=0,
        map=PlaneMap(positions, PLACES, ("x", "y"), outlines=outlines()),
        limits=[
            ("contiguity", "Every cluster is connected.", np.zeros(2)),
            ("cluster_weights", "The weights sum to between 1 and 2.", np.array([0.0, 0.25])),
        ],
    )
    return open_content(content)


def colors(page):
    page.later("report.drawn('map-figure').then(done)")
    return page.js(
        "return [...document.querySelectorAll('#map-figure .area')].map(e => e.getAttribute('fill'))"
    )


def test_areas_have_the_colours_of_their_regions(page):
    found = colors(page)
    assert len(found) == 16
    assert len(set(found)) == 2
    assert found[:8] == [found[0]] * 8
    box = page.js(
        "const boxes = [...document.querySelectorAll('#map-figure .area')].map(e => e.getBBox());"
        "return [boxes.map(b => b.width), boxes.map(b => b.height)]"
    )
    # Both axes have the same scale.
    assert np.ptp(box) < 0.5


def test_limits_follow_the_selected_solution(page):
    assert page.texts("#limits tbody td:nth-child(2)") == ["yes", "yes"]
    page.js("report.select(1)")
    assert page.texts("#limits tbody td:nth-child(2)") == ["yes", "no"]
    assert page.texts("#limits tbody td:nth-child(3)") == ["0", "0.25"]
    assert page.texts("#limits tbody th") == ["contiguity", "cluster weights"]


def test_the_pointer_finds_the_area_under_it(page):
    colors(page)
    said = page.js(
        "const [figure, at] = [document.getElementById('map-figure'), []];"
        "const {x, y} = figure.layout.axes; const around = figure.getBoundingClientRect();"
        "for (const [u, v] of [[0.1, 0.1], [2.2, 1.1], [3.5, 3.5], [3.1, 3.1]]) {"
        "  figure.dispatchEvent(new PointerEvent('pointermove', {clientX: around.left + x.offset + x.l2p(u),"
        "    clientY: around.top + y.offset + y.l2p(v), bubbles: true}));"
        "  at.push(figure.querySelector('.tip')?.textContent ?? null);"
        "} return at"
    )
    assert [text and text.split("\n")[0] for text in said] == ["area 0", "area 6", None, "area 15"]


def test_a_region_is_emphasised_by_keyboard(page):
    colors(page)
    page.js("document.querySelector('#map-legend button').focus()")
    page.keys(Keys.ENTER)
    colors(page)
    faint = page.js(
        "return [...document.querySelectorAll('#map-figure .area')].map(e => +e.getAttribute('opacity'))"
    )
    assert sorted(set(faint)) == [0.08, 0.85]
    assert faint.count(0.85) == 8
