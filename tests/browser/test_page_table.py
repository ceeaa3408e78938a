"""The table of solutions: sorted, searched, used with the keyboard, in pages."""

import numpy as np
import pytest
from report_toys import toy_content
from selenium.webdriver.common.keys import Keys

from moo_clustering.visualization.report import Column

pytestmark = pytest.mark.nightly


def rows(page):
    return page.js(
        "return [...document.querySelectorAll('#table tbody tr')].map(row => +row.dataset.solution)"
    )


def head(page, title):
    return page.find(f'#table th button[data-column="{title}"]')


def search(page, query):
    page.js("arguments[0].value = ''", page.find("#search"))
    page.find("#search").send_keys(query)
    return rows(page)


def test_sorted_by_a_column_the_best_first(open_content):
    content = toy_content()
    page = open_content(content)
    assert rows(page) == list(range(12))
    values = content.columns[0].values
    page.press(head(page, "silhouette"))
    assert rows(page) == np.argsort(-values, kind="stable").tolist()
    orders = page.js(
        "return [...document.querySelectorAll('#table th')].map(th => th.ariaSort).filter(Boolean)"
    )
    assert orders.count("descending") == 1
    assert orders.count("none") == len(orders) - 1
    page.press(head(page, "silhouette"))
    assert rows(page) == np.argsort(values, kind="stable").tolist()
    page.press(head(page, "Davies-Bouldin"))
    assert rows(page) == np.argsort(content.columns[1].values, kind="stable").tolist()


def test_missing_numbers_come_last_either_way(open_content):
    page = open_content(toy_content())
    for _ in range(2):
        page.press(head(page, "stability"))
        assert rows(page)[-1] == 1


def test_focus_stays_on_the_head_that_was_pressed(open_content):
    page = open_content(toy_content())
    page.press(head(page, "clusters"))
    page.keys(Keys.ENTER)
    assert page.driver.switch_to.active_element.get_attribute("data-column") == "clusters"
    sizes = [len(set(labels)) for labels in toy_content().labels.tolist()]
    assert [sizes[row] for row in rows(page)] == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("k=3", lambda content: [len(set(each)) == 3 for each in content.labels.tolist()]),
        ("clusters >= 5", lambda content: [len(set(each)) >= 5 for each in content.labels.tolist()]),
        ("silhouette>0.5", lambda content: (content.columns[0].values > 0.5).tolist()),
        ("daviesbouldin<0.5 k=3", None),
        ("solution 1", lambda content: ["1" in name for name in content.names]),
        ("KNEE", lambda content: [row == content.rules["knee"] for row in range(12)]),
        ("nothing like this", lambda content: [False] * 12),
    ],
)
def test_search(open_content, query, expected):
    content = toy_content()
    page = open_content(content)
    if expected is None:
        wanted = [
            len(set(labels)) == 3 and value < 0.5
            for labels, value in zip(content.labels.tolist(), content.columns[1].values, strict=True)
        ]
    else:
        wanted = expected(content)
    assert search(page, query) == np.flatnonzero(wanted).tolist()
    assert page.text("#search-count") == f"{sum(wanted)} of 12"


def test_search_for_a_run(open_content):
    page = open_content(toy_content(runs=["north" if row % 3 else "south" for row in range(12)]))
    assert search(page, "south") == [0, 3, 6, 9]


def test_rows_with_the_keyboard_alone(open_content):
    content = toy_content()
    page = open_content(content)
    page.find("#search").click()
    for _ in range(20):
        focused = page.tab()
        if focused.tag_name == "tr":
            break
    assert int(focused.get_attribute("data-solution")) == content.chosen
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    assert page.selected == content.chosen + 2
    page.keys(Keys.ARROW_UP)
    page.driver.switch_to.active_element.send_keys(Keys.SHIFT, Keys.ENTER)
    assert page.compared == content.chosen + 1
    page.keys(Keys.HOME, Keys.SPACE)
    assert page.selected == 0
    page.keys(Keys.END, Keys.ENTER)
    assert page.selected == 11


def test_everything_pressable_is_reached_by_tab(open_content):
    page = open_content(toy_content())
    page.js("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(120):
        element = page.tab()
        reached.add(element.get_attribute("id") or element.text)
        if element.tag_name == "body":
            break
    wanted = {"next", "download-labels", "knee", "search", "samples-search", "compare-with", "most-different"}
    assert wanted <= reached


def test_many_solutions_are_in_pages(open_content):
    content = toy_content(
        n_solutions=450, n_samples=20, agreement=None, columns=[Column("score", np.arange(450.0), True, True)]
    )
    page = open_content(content)
    assert len(rows(page)) == 200
    assert content.chosen in rows(page)
    page.js("report.select(449)")
    assert rows(page) == list(range(400, 450))
    page.press(page.all("#table-pages button")[0])
    assert rows(page) == list(range(200, 400))
    page.press(head(page, "score"))
    assert rows(page) == list(range(449, 249, -1))


def test_satisfied_constraints_are_a_column(open_content):
    content = toy_content()
    page = open_content(content)
    satisfied = [
        sum(labels[a] == labels[b] for a, b in content.must_link)
        + sum(labels[a] != labels[b] for a, b in content.cannot_link)
        for labels in content.labels
    ]
    assert page.texts("#table tbody tr td:last-child") == [str(each) for each in satisfied]
    title = f"satisfied constraints (of {len(content.must_link) + len(content.cannot_link)})"
    page.press(head(page, title))
    assert satisfied[rows(page)[0]] == max(satisfied)
