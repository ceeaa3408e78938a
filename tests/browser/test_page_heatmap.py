"""The heatmap, the two views of the map, colours by columns, and the labels of the clusters."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from report_page import width_of_screen
from report_toys import SYMBOLS, toy_content
from selenium.webdriver.common.keys import Keys

from moo_clustering.visualization.figures import look_of
from moo_clustering.visualization.report import Heatmap, MapColumn, PlaneMap, ReportContent

pytestmark = pytest.mark.slow

N_CLUSTERS = 25


def many_clusters(**changes):
    rng = np.random.default_rng(0)
    content = toy_content(n_solutions=2, n_samples=500, **changes)
    labels = np.stack([np.arange(500) % N_CLUSTERS, np.arange(500) % 2]).astype(np.int32)
    centres = rng.normal(0, 6, (N_CLUSTERS, 2))
    points = centres[labels[0]] + rng.normal(0, 0.4, (500, 2))
    plane = content.map
    columns = [
        MapColumn("height", np.where(np.arange(500) == 7, np.nan, np.arange(500.0)), unit="cm"),
        MapColumn("kind", (np.arange(500) % 3).astype(float), ("oak", "elm", "<b>ash</b>")),
        MapColumn("planted", 86400.0 * np.arange(500), unit="date"),
    ]
    near = np.where(np.arange(500)[:, None] < 400, -points, np.nan)
    names = [f"cluster of trees {cluster}" for cluster in range(N_CLUSTERS)]
    levels = rng.normal(0, 1, (N_CLUSTERS, 18))
    heatmap = Heatmap(
        [("height", ""), ("kind", "<b>ash</b>"), *((f"column {place}", "") for place in range(16))],
        levels,
        [[f"{cluster}.{place}" for place in range(18)] for cluster in range(N_CLUSTERS)],
    )
    return replace(
        content,
        labels=labels,
        agreement=None,
        chosen=0,
        clusters={},
        rules={},
        cluster_names={0: names},
        heatmaps={0: heatmap},
        map=replace(plane, positions=points, rows=np.arange(500), neighbors=near, columns=columns),
        must_link=np.empty((0, 2), dtype=np.int64),
        cannot_link=np.empty((0, 2), dtype=np.int64),
    )


@pytest.fixture
def content():
    return many_clusters()


@pytest.fixture
def page(open_content, content):
    return open_content(content)


def test_clusters_have_colours_of_their_own(page, content):
    looks = page.looks()
    assert len({color for color, _ in looks.values()}) == N_CLUSTERS
    fills = [look_of(cluster).color for cluster in range(N_CLUSTERS)]
    for row, (color, _) in looks.items():
        assert color == fills[content.labels[0, row]]


def test_heatmap_is_a_table_of_values(page, content):
    heatmap = content.heatmaps[0]
    assert page.text("#heatmap-title") == "Terms that distinguish the clusters"
    cells = page.texts("#heatmap-table td")
    assert cells == [value for row in heatmap.values for value in row]
    heads = page.texts("#heatmap-table thead th")
    assert heads[:3] == ["cluster", "height", "kind<b>ash</b>"]
    names = page.texts("#heatmap-table tbody th")
    assert [name.strip() for name in names] == list(content.cluster_names[0])
    titles = page.js("return [...document.querySelectorAll('#heatmap-table td')].map(cell => cell.title)")
    far = round(float(abs(heatmap.levels[0, 0])), 1)
    side = "above" if heatmap.levels[0, 0] > 0 else "below"
    what = f"{far:g} standard deviations {side} the average of all documents"
    assert titles[0] == f"cluster of trees 0, height: 0.0, {what}"
    page.js("report.select(1)")
    assert page.text("#heatmap-note") == "The table is available for solution 0."
    assert not page.find("#heatmap-table").is_displayed()


def test_arrow_keys_move_in_the_heatmap(page):
    assert page.js("return document.querySelectorAll('#heatmap-table td[tabindex=\"0\"]').length") == 1
    page.js("document.querySelector('#heatmap-table td').focus()")
    moves = [(Keys.ARROW_RIGHT, "0.1"), (Keys.ARROW_DOWN, "1.1"), (Keys.ARROW_LEFT, "1.0")]
    for key, value in [*moves, (Keys.ARROW_LEFT, "1.0"), (Keys.ARROW_UP, "0.0"), (Keys.ARROW_UP, "0.0")]:
        page.keys(key)
        assert page.js("return document.activeElement.textContent") == value
    assert page.js("return document.querySelectorAll('#heatmap-table td[tabindex=\"0\"]').length") == 1


CONTRAST = """
const scale = (color) => (color.startsWith("color") ? 1 : 1 / 255);
const parts = (color) => color.match(/[\\d.]+/g).map((part) => part * scale(color));
const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
return [...document.querySelectorAll("#heatmap-table td")].map((cell) => {
  const style = getComputedStyle(cell);
  const [a, b] = [style.color, style.backgroundColor].map((color) => light(parts(color)));
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});
"""


def test_cells_can_be_read_in_light_and_in_the_dark(page):
    ratios = page.js(CONTRAST)
    page.press("#dark")
    dark = page.js(CONTRAST)
    assert len(ratios) == len(dark) == N_CLUSTERS * 18
    assert min(ratios) >= 4.5
    assert min(dark) >= 4.5
    assert ratios != dark


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_nothing_is_wider_than_the_page(page, width):
    with width_of_screen(page.driver, width):
        page.figure("map-figure", "return 0")
        assert page.js("return document.documentElement.scrollWidth") <= width
        inside = (
            "const box = document.getElementById('heatmap-table'); return box.scrollWidth > box.clientWidth"
        )
        assert page.js(inside)


BOXES = """
return [...document.querySelectorAll("#map-figure .map-label")].map((label) => {
  const { left, right, top, bottom } = label.getBoundingClientRect();
  return [left, right, top, bottom];
});
"""


@pytest.mark.parametrize("width", [390, 1400])
def test_labels_do_not_overlap(page, content, width):
    page.driver.set_window_size(width, 900)
    page.js("window.dispatchEvent(new Event('resize'))")
    page.figure("map-figure", "return 0")
    boxes = page.js(BOXES)
    assert len(boxes) > (5 if width == 390 else 20)
    for (left, right, top, bottom), (left2, right2, top2, bottom2) in combinations(boxes, 2):
        assert right <= left2 or right2 <= left or bottom <= top2 + 2 or bottom2 <= top + 2
    texts = page.texts("#map-figure .map-label")
    assert len(set(texts)) == len(texts)


COVERED = """
const points = [...document.querySelectorAll("#map-figure .point")];
return [...document.querySelectorAll("#map-figure .map-label")].map((label) => {
  const box = label.getBoundingClientRect();
  const covered = points.filter((point) => {
    const { left, right, top, bottom } = point.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return x > box.left && x < box.right && y > box.top && y < box.bottom;
  });
  return [label.textContent, covered.length];
});
"""


def test_labels_leave_the_points_free(open_content):
    # Three narrow columns of points: a label fits between two of them, and covers points at its median.
    labels = np.repeat(np.arange(3, dtype=np.int32), 200)
    positions = np.column_stack([10.0 * labels, np.tile(np.arange(200.0), 3)])
    names = [f"{name} values, in a narrow column" for name in ("low", "medium", "high")]
    page = open_content(
        ReportContent(
            title="columns",
            names=["result"],
            labels=labels[None],
            sample_names=[f"row {row}" for row in range(600)],
            cluster_names={0: names},
            map=PlaneMap(positions, np.arange(600), ("x", "y")),
        )
    )
    page.figure("map-figure", "return 0")
    found = page.js(COVERED)
    assert [text for text, _ in found] == [name.replace(", ", ",") for name in names]
    assert all(covered == 0 for _, covered in found)


def test_labels_are_at_the_medians(page, content):
    x, y = page.figure("map-figure", "const own = data.find(t => t.type === 'labels'); return [own.x, own.y]")
    for cluster in (0, 24):
        inside = np.flatnonzero((content.labels[0] == cluster) & (np.arange(500) < 400))
        middle = np.sort(content.map.neighbors[inside], axis=0)[len(inside) // 2]
        assert [pytest.approx(value, abs=1e-5) for value in middle.tolist()] in [
            list(place) for place in zip(x, y, strict=True)
        ]


def points(page):
    """Positions of the samples on the map, by row."""
    rows, x, y = page.figure(
        "map-figure",
        "const shown = data.filter(t => t.meta && 'cluster' in t.meta);"
        "return ['customdata', 'x', 'y'].map(name => shown.flatMap(t => [...t[name]]))",
    )
    return {row: place for row, *place in zip(rows, x, y, strict=True)}


def test_the_views_of_the_map_take_turns(page, content):
    near = points(page)
    assert sorted(near) == list(range(400))
    np.testing.assert_allclose([near[row] for row in range(400)], content.map.neighbors[:400], atol=1e-5)
    assert page.text("#map-note").startswith("The map shows 400 of 500 documents.")
    assert "(t-SNE)" in page.text("#map-note")
    page.press('#map-view [data-view="plane"]')
    plane = points(page)
    np.testing.assert_allclose([plane[row] for row in range(500)], content.map.positions, atol=1e-5)
    assert "As made." in page.text("#map-note")
    pressed = "return [...document.querySelectorAll('#map-view button')].map(b => b.ariaPressed)"
    assert page.js(pressed) == ["false", "true"]
    page.press('#map-view [data-view="neighbors"]')
    assert points(page) == near


def test_a_sample_without_a_neighbour_position_is_shown_in_the_plane(page):
    page.js("document.querySelector('#samples-search').value = 'paper 450'")
    page.js("document.querySelector('#samples-search').dispatchEvent(new Event('input'))")
    page.press("#samples-table button.sample")
    assert 450 in points(page)
    assert page.figure("map-figure", "return data.some(t => t.meta?.sample === 450)")


def colors(page):
    rows, found = page.figure(
        "map-figure",
        "const shown = data.filter(t => t.meta && 'cluster' in t.meta);"
        "return ['customdata', 'color'].map(name => shown.flatMap(t => [...(t[name] ?? t.marker[name])]))",
    )
    return dict(zip(rows, found, strict=True))


def choose(page, name):
    page.js(
        "const place = document.getElementById('map-color'); place.value = arguments[0];"
        "place.dispatchEvent(new Event('change'))",
        name,
    )


def test_colours_by_a_column(page, content):
    choose(page, "height")
    found = colors(page)
    assert found[0] == "#440154"
    assert found[7] == "#9aa5b1"
    light = [sum(int(found[row][place : place + 2], 16) for place in (1, 3, 5)) for row in (30, 200, 399)]
    assert light == sorted(light)
    assert page.text("#map-colors") == "11 cm489 cmunknown"
    # The shape is still that of the cluster.
    symbols = {row: symbol for row, (_, symbol) in page.looks().items()}
    assert symbols[3] == {**SYMBOLS, "<": "triangle-left", ">": "triangle-right"}[look_of(3).marker]
    choose(page, "kind")
    found = colors(page)
    for row in range(9):
        assert found[row] == look_of(row % 3).color
    assert page.texts("#map-colors li") == ["oak", "elm", "<b>ash</b>"]
    choose(page, "planted")
    assert page.text("#map-colors") == "1970-01-111971-05-05"
    choose(page, "")
    assert not page.find("#map-colors").is_displayed()
    assert page.looks()[0] == (look_of(0).color, SYMBOLS[look_of(0).marker])


def test_a_column_of_the_heatmap_colours_the_map(page):
    page.press("#heatmap-table thead button")
    assert page.js("return document.getElementById('map-color').value") == "height"
    assert colors(page)[0] == "#440154"


def test_pages_without_a_heatmap_and_a_second_view(open_content):
    page = open_content(toy_content())
    assert not page.find("#heatmap").is_displayed()
    assert not any(place.is_displayed() for place in page.all("#map-view, #map-color"))
    assert page.figure("map-figure", "return layout.xaxis.title.text") == "first"
