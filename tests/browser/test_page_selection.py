"""Selecting a solution changes the map, the table, the clusters and the download alike."""

import csv
import io
import re

import numpy as np
import pytest
from report_toys import SYMBOLS, toy_content
from selenium.webdriver.common.keys import Keys

from moo_clustering.visualization.figures import look_of

pytestmark = pytest.mark.slow


def expected_looks(labels):
    looks = [look_of(label) for label in labels]
    return {row: (look.color, SYMBOLS[look.marker]) for row, look in enumerate(looks)}


def check_all(page, content, solution):
    labels = content.labels[solution]
    assert page.selected == solution
    assert page.js("return report.labels(arguments[0])", solution) == labels.tolist()
    assert page.looks() == expected_looks(labels)
    (marked,) = page.all('#table tr[aria-selected="true"]')
    assert int(marked.get_attribute("data-solution")) == solution
    sizes = np.bincount(labels)
    assert page.texts("#clusters-table tbody td:nth-child(2)") == [str(size) for size in sizes]
    assert page.texts("#map-legend .size") == [str(size) for size in sizes]
    assert content.names[solution] in page.text("#summary")
    assert f"{len(sizes)} clusters" in page.text("#summary")


def test_the_methods_choice_is_selected_first(open_content):
    content = toy_content()
    page = open_content(content)
    check_all(page, content, content.chosen)
    assert page.text("h1") == "Toy report"


def test_press_on_a_point_of_the_front(open_content):
    content = toy_content()
    page = open_content(content)
    x, y = (column.values[2] for column in content.columns[:2])
    page.press_figure("front-figure", x, y)
    check_all(page, content, 2)


def test_points_of_the_map_have_the_colours_in_the_picture(open_content):
    content = toy_content()
    page = open_content(content)
    page.js("report.select(4)")
    page.looks()
    drawn = page.js(
        "return [...document.querySelectorAll('#map-figure .trace')]"
        ".map(trace => [...trace.querySelectorAll('.point')].map(point => getComputedStyle(point).fill))"
    )
    fills = [fills for fills in drawn if fills]
    assert [len(each) for each in fills] == np.bincount(content.labels[4]).tolist()
    for cluster, each in enumerate(fills):
        color = look_of(cluster).color
        (fill,) = {re.sub(r"[^\d. ]", " ", text.partition("(")[2]) for text in each}
        channels = [float(number) for number in fill.split()]
        assert channels == pytest.approx([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)], abs=1e-3)


def test_many_points_are_drawn(open_content):
    content = toy_content(n_solutions=3, n_samples=2500)
    page = open_content(content)
    page.press_row(2)
    assert page.looks() == expected_looks(content.labels[2])
    assert page.js("return document.querySelectorAll('#map-figure .point').length") == 2500


def test_download_holds_the_labels(open_content):
    names = np.array([f'paper "{row}", part {row}' for row in range(90)])
    names[:4] = ["two\nlines", " blank ", "", "ö,ü"]
    content = toy_content(sample_names=names, cluster_names={3: ["oak", 'el"m', "ash", "fir", "yew"]})
    page = open_content(content)
    page.press_row(3)
    page.press("#download-labels")
    with io.StringIO(page.downloaded("labels-*.csv").decode("utf-8"), newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["sample", "label", "cluster_name"]
    assert [row[0] for row in rows[1:]] == names.tolist()
    assert [int(row[1]) for row in rows[1:]] == content.labels[3].tolist()
    assert [row[2] for row in rows[1:]] == [content.cluster_names[3][label] for label in content.labels[3]]


def test_download_without_names_of_clusters(open_content):
    content = toy_content(labels=np.where(toy_content().labels == 1, -1, toy_content().labels))
    page = open_content(content)
    page.press("#download-labels")
    lines = page.downloaded("labels-solution-6.csv").decode("utf-8").split("\r\n")
    assert lines[0] == "sample,label"
    assert [int(line.split(",")[1]) for line in lines[1:-1]] == content.labels[6].tolist()


def test_rules_select_what_they_choose(open_content):
    content = toy_content()
    page = open_content(content)
    for rule, solution in content.rules.items():
        (button,) = [each for each in page.all("#rules button") if each.text == rule]
        page.press(button)
        assert button.get_attribute("aria-pressed") == "true"
        check_all(page, content, solution)
    page.press('#rules [data-solution="6"]')
    assert page.selected == content.chosen == 6
    pressed = [each.text for each in page.all('#rules [aria-pressed="true"]')]
    assert pressed == ["the method's choice"]


def test_step_through_the_solutions(open_content):
    page = open_content(toy_content(chosen=10))
    page.press("#next")
    assert page.selected == 11
    assert not page.find("#next").is_enabled()
    page.press("#previous")
    page.press("#previous")
    assert page.selected == 9


def test_a_cluster_alone(open_content):
    content = toy_content()
    page = open_content(content)
    page.press('#map-legend [data-cluster="1"]')
    faint = page.figure(
        "map-figure", "return data.filter(t => t.meta.cluster >= 0).map(t => t.marker.opacity)"
    )
    assert [opacity < 0.2 for opacity in faint] == [cluster != 1 for cluster in range(len(faint))]
    page.press('#map-legend [data-cluster="1"]')
    faint = page.figure(
        "map-figure", "return data.filter(t => t.meta.cluster >= 0).map(t => t.marker.opacity)"
    )
    assert min(faint) > 0.5


@pytest.mark.parametrize("solution", [0, 11])
def test_typical_samples_and_features_of_clusters(open_content, solution):
    content = toy_content()
    page = open_content(content)
    page.press_row(solution)
    for cluster, facts in enumerate(content.clusters[solution]):
        row = f'#clusters-table tr[data-cluster="{cluster}"]'
        assert page.texts(f"{row} .sample") == [f"paper {each}" for each in facts.typical]
        assert page.texts(f"{row} .text") == [content.sample_texts[each] for each in facts.typical]
        assert page.texts(f"{row} .feature") == [name for name, _ in facts.features]
    typical = content.clusters[solution][0].typical[1]
    page.press(f'#clusters-table [data-sample="{typical}"]')
    ringed = page.figure(
        "map-figure", "return data.filter(t => 'sample' in t.meta).map(t => [t.x[0], t.y[0]])"
    )
    np.testing.assert_allclose(ringed, [content.map.positions[typical]], rtol=1e-6)


def test_sample_list_is_searched_and_filtered(open_content):
    content = toy_content()
    page = open_content(content)
    page.find("#samples-search").send_keys("kernel")
    expected = [row for row in range(90) if "kernel" in content.sample_texts[row]]
    assert page.texts("#samples-table tbody th") == [f"paper {row}" for row in expected]
    page.find("#samples-search").send_keys(Keys.BACKSPACE * 6)
    page.find('#samples-cluster option[value="1"]').click()
    rows = np.flatnonzero(content.labels[6] == 1)
    assert page.text("#samples-count") == f"{len(rows)} of 90"
    assert page.texts("#samples-table tbody th") == [f"paper {row}" for row in rows[:25]]


def test_solutions_that_were_not_described_have_sizes(open_content):
    content = toy_content(clusters={6: toy_content().clusters[6]})
    page = open_content(content)
    page.press_row(1)
    assert page.text("#clusters-note").startswith("Only the sizes")
    assert "solution 6" in page.text("#clusters-note")
    sizes = np.bincount(content.labels[1])
    assert page.texts("#clusters-table tbody td:nth-child(2)") == [str(size) for size in sizes]


def test_every_control_has_a_name_and_the_keyboard_reaches_it(open_content):
    page = open_content(toy_content(n_objectives=3))
    page.js("report.compare(2)")
    controls = [
        each
        for each in page.all("main button, main select, main input, main a, header button, .selection button")
        if each.is_displayed() and each.is_enabled()
    ]
    assert [each.get_attribute("outerHTML") for each in controls if not each.accessible_name.strip()] == []
    focused = "each => { each.focus(); return document.activeElement === each; }"
    assert page.js(f"return arguments[0].filter({focused}).length", controls) == len(controls) > 40
    # The order of the page is that of the keyboard: nothing takes a place before others.
    assert (
        page.js(
            'return document.querySelectorAll(\'[tabindex]:not([tabindex="0"], [tabindex="-1"])\').length'
        )
        == 0
    )
    assert page.tab() != page.tab()
