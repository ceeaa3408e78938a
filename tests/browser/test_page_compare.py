"""Two solutions side by side."""

from dataclasses import replace

import numpy as np
import pytest
from report_toys import SYMBOLS, toy_content
from scipy.optimize import linear_sum_assignment
from selenium.webdriver.common.keys import Keys
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from moo_clustering.visualization.figures import look_of
from moo_clustering.visualization.report.page import merge

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("pair", [(0, 1), (4, 2), (11, 3)])
def test_agreement_table_and_matched_colours(open_content, pair):
    content = toy_content()
    page = open_content(content)
    page.js("report.select(arguments[0]); report.compare(arguments[1])", *pair)
    first, second = content.labels[list(pair)]
    assert page.js("return report.agreement()") == pytest.approx(
        adjusted_rand_score(first, second), abs=1e-12
    )
    assert f"{adjusted_rand_score(first, second):.3f}" in page.text("#compare-note")
    common = contingency_matrix(first, second)
    cells = [int(text) for text in page.texts("#compare-table td")]
    assert np.array_equal(np.reshape(cells, common.shape), common)
    assert page.looks("compare-first") == page.looks()
    colours = page.looks("compare-second")
    colour_of = {label: {colours[row] for row in np.flatnonzero(second == label)} for label in set(second)}
    assert all(len(each) == 1 for each in colour_of.values())
    assert len(set.union(*colour_of.values())) == len(colour_of)
    rows, columns = linear_sum_assignment(common, maximize=True)
    same = {(look_of(i).color, SYMBOLS[look_of(i).marker]): i for i in range(common.shape[0])}
    shared = 0
    for label, looks in colour_of.items():
        row = same.get(next(iter(looks)))
        shared += 0 if row is None else common[row, label]
    assert shared == common[rows, columns].sum()


def test_labels_of_none_are_compared_as_scikit_learn_does(open_content):
    labels = toy_content().labels.copy()
    labels[:, ::7] = -1
    page = open_content(toy_content(labels=labels))
    page.js("report.select(2); report.compare(4)")
    expected = adjusted_rand_score(labels[2], labels[4])
    assert page.js("return report.agreement()") == pytest.approx(expected, abs=1e-12)
    assert {page.looks("compare-second")[row] for row in range(0, 90, 7)} == {("#7b8794", "x")}


def test_chosen_from_the_list_and_with_shift(open_content):
    content = toy_content()
    page = open_content(content)
    assert page.compared is None
    assert not page.find("#compare-maps").is_displayed()
    page.find('#compare-with option[value="3"]').click()
    assert page.compared == 3
    assert page.find("#compare-maps").is_displayed()
    page.press_row(5, Keys.SHIFT)
    assert (page.selected, page.compared) == (6, 5)
    x, y = (column.values[8] for column in content.columns[:2])
    page.press_figure("front-figure", x, y, Keys.SHIFT)
    assert (page.selected, page.compared) == (6, 8)
    page.find('#compare-with option[value=""]').click()
    assert page.compared is None


def test_a_solution_is_not_compared_with_itself(open_content):
    page = open_content(toy_content())
    page.js("report.compare(3); report.select(3)")
    assert page.compared is None
    page.js("report.compare(3)")
    assert page.compared is None


def test_the_two_that_differ_most(open_content):
    content = toy_content()
    page = open_content(content)
    page.press("#most-different")
    agreement = content.agreement
    assert agreement[page.selected, page.compared] == agreement.min()


def test_a_cell_of_the_agreement_chooses_two(open_content):
    content = toy_content()
    page = open_content(content)
    page.press_figure("agreement-figure", 9, 4)
    assert (page.selected, page.compared) == (4, 9)
    shown = page.figure("agreement-figure", "return data[0].z.map(row => [...row])")
    np.testing.assert_allclose(shown, content.agreement, rtol=1e-6)


def test_without_agreement_two_are_still_compared(open_content):
    page = open_content(toy_content(agreement=None))
    assert not page.find("#most-different").is_displayed()
    assert not page.find("#agreement").is_displayed()
    page.js("report.compare(0)")
    expected = adjusted_rand_score(*toy_content().labels[[6, 0]])
    assert expected < 0.9
    assert page.js("return report.agreement()") == pytest.approx(expected, abs=1e-12)


def test_runs_have_axes_in_common_or_none_and_few_buttons(open_content):
    first, second = toy_content(), toy_content(seed=1)
    renamed = [replace(column, name=f"{column.name} here") for column in second.columns]
    shared = merge([first, second], ["one", "two"])
    page = open_content(shared)
    assert page.find("#front").is_displayed()
    assert {"one", "two"} <= set(page.texts("#front-legend li"))
    solutions = [each.get_attribute("data-solution") for each in page.all("#rules button")]
    assert len(solutions) == len(set(solutions)) == len({shared.chosen, *shared.rules.values()})
    apart = merge([first, replace(second, columns=renamed)], ["one", "two"])
    page = open_content(apart)
    assert not page.find("#front").is_displayed()
    assert "no objective in common" in page.text("#search-help")
