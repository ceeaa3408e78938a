"""Figures: the front of any number of objectives, constraints, the course, panels, pictures."""

import numpy as np
import pytest
from report_page import width_of_screen
from report_toys import toy_content
from selenium.webdriver import ActionChains

from moo_clustering.visualization.report import Panel

pytestmark = pytest.mark.nightly

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd400000000"
    "49454e44ae426082"
)


def test_one_objective_is_ranked(open_content):
    content = toy_content(n_objectives=1)
    page = open_content(content)
    values = content.columns[0].values
    x, y = page.figure("front-figure", "return [data[0].x, data[0].y]")
    assert x == (np.argsort(np.argsort(-values)) + 1).tolist()
    page.press_figure("front-figure", x[4], y[4])
    assert page.selected == 4


def test_press_on_a_line_between_two_axes(open_content):
    content = toy_content(n_objectives=3)
    page = open_content(content)
    high = []
    for column in content.columns[:2]:
        share = (column.values - column.values.min()) / np.ptp(column.values)
        high.append(share if column.greater_is_better else 1 - share)
    # Where on the way between the axes is a line farthest from all others?
    shares = np.linspace(0.2, 0.8, 13)
    heights = high[0][:, None] * (1 - shares) + high[1][:, None] * shares
    gaps = np.abs(heights[:, None] - heights[None, :]) + 9.0 * np.eye(12)[:, :, None]
    solution, place = np.unravel_index(gaps.min(axis=1).argmax(), heights.shape)
    page.press_figure("front-figure", shares[place], heights[solution, place])
    assert page.selected == solution


def test_the_best_end_of_every_axis_is_up(open_content):
    content = toy_content(n_objectives=3)
    page = open_content(content)
    top = page.figure(
        "front-figure", "return layout.annotations.filter(each => each.y === 1).map(e => e.text)"
    )
    best = [content.columns[0].values.max(), content.columns[1].values.min(), content.columns[2].values.min()]
    assert [float(text) for text in top] == [float(f"{value:.4g}") for value in best]


def test_scatter_matrix_of_three_objectives(open_content):
    content = toy_content(n_objectives=4)
    page = open_content(content)
    page.press('#front-tools [data-kind="matrix"]')
    assert page.find('#front-tools [data-kind="matrix"]').get_attribute("aria-pressed") == "true"
    cells = page.figure(
        "front-figure", "return data.filter(trace => trace.x.length === 12).map(trace => [trace.x, trace.y])"
    )
    values = [column.values for column in content.columns[:4]]
    expected = [
        [values[column].tolist(), values[row].tolist()] for row in range(1, 4) for column in range(row)
    ]
    assert cells == expected
    page.press_figure("front-figure", values[0][7], values[1][7])
    assert page.selected == 7
    page.press('#front-tools [data-kind="parallel"]')
    assert page.figure("front-figure", "return layout.annotations.length") == 8


def test_no_objective_no_front(open_content):
    content = toy_content(n_objectives=0)
    page = open_content(content)
    assert not page.find("#front").is_displayed()
    assert "no objectives" in page.text("#search-help")
    page.press_row(2)
    assert page.selected == 2


def test_constraints_are_counted_and_drawn(open_content):
    content = toy_content()
    page = open_content(content)
    page.press_row(1)
    labels = content.labels[1]
    must = sum(labels[a] == labels[b] for a, b in content.must_link)
    cannot = sum(labels[a] != labels[b] for a, b in content.cannot_link)
    n_must, n_cannot = len(content.must_link), len(content.cannot_link)
    text = page.text("#constraint-counts")
    assert f"{n_must} must-links: {must} satisfied, {n_must - must} violated." in text
    assert f"{n_cannot} cannot-links: {cannot} satisfied, {n_cannot - cannot} violated." in text
    script = (
        "return data.filter(t => 'constraint' in t.meta)"
        ".map(t => [t.meta.constraint, t.meta.satisfied, t.x.length / 3, t.line.dash ?? 'solid'])"
    )
    drawn = {(kind, satisfied): (n, dash) for kind, satisfied, n, dash in page.figure("map-figure", script)}
    expected = {
        ("must-link", True): (must, "solid"),
        ("cannot-link", True): (cannot, "solid"),
        ("must-link", False): (n_must - must, "dash"),
        ("cannot-link", False): (n_cannot - cannot, "dot"),
    }
    assert drawn == {kind: line for kind, line in expected.items() if line[0]}
    assert len(drawn) > 2
    page.press("#show-constraints")
    assert page.figure("map-figure", script) == []


def test_a_map_of_some_says_so(open_content):
    content = toy_content()
    rows = np.arange(0, 90, 2)
    positions = content.map.positions[rows].copy()
    positions[3] = np.nan
    plane = type(content.map)(positions, rows, ("first", "second"), "Every other one.")
    page = open_content(toy_content(map=plane))
    assert page.text("#map-note").startswith("The map shows 44 of 90 documents. 1 document has no position.")
    assert set(page.looks()) == set(rows.tolist()) - {6}


def test_course_of_the_search(open_content):
    page = open_content(toy_content())
    drawn = page.figure(
        "history-figure", "return data.map(trace => [trace.name, [...trace.x], [...trace.y]])"
    )
    assert drawn == [["hypervolume", [1, 2, 3], [0.2, 0.5, 0.6]], ["size", [1, 2, 3], [3, 5, 12]]]


def test_panels(open_content):
    content = toy_content()
    page = open_content(
        toy_content(panels=[*content.panels, Panel("image", "A picture", "One pixel.", image=PIXEL)])
    )
    assert page.texts(".panel h2") == ["A matrix", "Some lines", "Some bars", "A picture"]
    assert page.figure("panel-0-figure", "return data[0].z.map(row => [...row])") == [[1, 2], [3, 4]]
    assert page.figure("panel-1-figure", "return data[0].y") == [0, 1, 4]
    # Bars of one name stay two.
    assert page.figure("panel-2-figure", "return data[0].y") == [1, 2]
    assert page.figure("panel-2-figure", "return layout.xaxis.ticktext") == ["a", "a"]
    page.js("document.querySelector('.panel img').loading = 'eager'")
    assert page.later("document.querySelector('.panel img').decode().then(() => done(1), () => done(0))") == 1
    assert page.find(".panel img").get_attribute("alt") == "One pixel."


@pytest.mark.parametrize("name", ["front", "map", "agreement", "history", "panel-0"])
@pytest.mark.parametrize("kind", ["PNG", "SVG"])
def test_pictures_are_saved(open_content, name, kind):
    page = open_content(toy_content())
    (button,) = [each for each in page.all(f"#{name}-tools .picture") if each.text == kind]
    page.press(button)
    picture = page.downloaded(f"*.{kind.lower()}")
    assert picture.startswith(b"\x89PNG" if kind == "PNG" else b"<svg")
    if (name, kind) == ("map", "SVG"):
        # The legend, which is not part of the figure on the page, is part of the picture.
        assert b"cluster 0 (" in picture
    if kind == "SVG":
        assert b"var(" not in picture
        assert b"color-mix" not in picture


@pytest.mark.parametrize("width", [360, 768, 1900])
def test_nothing_is_wider_than_the_page(open_content, browser, width):
    page = open_content(toy_content(n_objectives=3))
    page.js("report.compare(2)")
    with width_of_screen(browser, width):
        for figure in ("front-figure", "map-figure", "compare-first", "agreement-figure", "history-figure"):
            page.figure(figure, "return 0")
        assert page.js("return document.documentElement.scrollWidth") <= width


def test_a_dragged_box_is_zoomed_to_and_a_double_click_goes_back(open_content):
    page = open_content(toy_content())
    ends = "return [...layout.axes.x.ends, ...layout.axes.y.ends]"
    whole = page.figure("map-figure", ends)
    place = page.find("#map-figure")
    page.scroll_to(place)
    drag = ActionChains(page.driver).move_to_element_with_offset(place, -40, -60).click_and_hold()
    drag.move_by_offset(30, 25).move_by_offset(60, 50).release().perform()
    x0, x1, y0, y1 = page.figure("map-figure", ends)
    share = 90 / page.figure("map-figure", "return layout.axes.x.length")
    assert (x1 - x0) / (whole[1] - whole[0]) == pytest.approx(share, rel=0.02)
    assert whole[2] < y0 < y1 < whole[3]
    ActionChains(page.driver).double_click(place).perform()
    assert page.figure("map-figure", ends) == whole


def test_the_text_at_the_pointer_is_that_of_the_nearest_sample(open_content):
    content = toy_content()
    page = open_content(content)
    page.press_figure("map-figure", *content.map.positions[5])
    text = page.text("#map-figure .tip")
    assert text.splitlines()[0] == "paper 5"
    assert content.sample_texts[5] in text


def test_dark_by_preference_and_by_the_switch(open_content, browser):
    page = open_content(toy_content())
    paper = "return getComputedStyle(document.querySelector('.card')).backgroundColor"
    assert page.js(paper) == "rgb(255, 255, 255)"
    page.press("#dark")
    assert page.js(paper) == "rgb(27, 35, 44)"
    assert page.find("#dark").get_attribute("aria-pressed") == "true"
    page.press("#dark")
    assert page.js(paper) == "rgb(255, 255, 255)"
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        assert open_content(toy_content()).js(paper) == "rgb(27, 35, 44)"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
