"""What the report of any run must show."""

import base64
import csv
import io
import os
import re
from pathlib import Path

import numpy as np
from report_toys import SYMBOLS

from moo_clustering.visualization.figures import look_of


def same_partition(first, second):
    """Whether labels say the same, however clusters are numbered."""
    pairs = set(zip(np.asarray(first).tolist(), np.asarray(second).tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def names_of(page):
    """Names of the solutions, in their order."""
    return page.texts("#compare-with option")[1:]


def check_selected(page, labels):
    """All parts of the page show these labels, numbered so."""
    labels = np.asarray(labels)
    looks = [look_of(label) for label in labels]
    assert page.js("return report.labels(report.selected)") == labels.tolist()
    assert page.looks() == {row: (look.color, SYMBOLS[look.marker]) for row, look in enumerate(looks)}
    sizes = [str(size) for size in np.bincount(labels) if size]
    assert page.texts("#clusters-table tbody td:nth-child(2)") == sizes
    assert page.texts("#map-legend .size") == sizes
    assert f"{len(sizes)} cluster" in page.text("#summary")
    (row,) = page.all('#table tr[aria-selected="true"]')
    assert int(row.get_attribute("data-solution")) == page.selected


def check_download(page, names, labels):
    """The file holds these labels."""
    page.press("#download-labels")
    rows = list(csv.DictReader(io.StringIO(page.downloaded("labels-*.csv").decode("utf-8"))))
    for path in page.downloads.glob("labels-*.csv"):
        path.unlink()
    assert [row["sample"] for row in rows] == list(names)
    assert [int(row["label"]) for row in rows] == np.asarray(labels).tolist()


def check_solutions(page, run, most=12):
    """Solutions of the page are the estimator's of their names; where nothing repairs them, as found."""
    found = getattr(run.estimator, "pareto_labels_", ())
    if getattr(run.estimator, "constraint_scores_", None) is not None:
        found = ()
    names = names_of(page)
    for solution in range(0, len(names), -(-len(names) // most)):
        name = names[solution]
        shown = page.js("return report.labels(arguments[0])", solution)
        assert same_partition(shown, run.labels_of(name)), name
        if len(found) and (member := re.search(r"\bmember (\d+)", name)):
            assert same_partition(shown, found[int(member[1])]), name


def check_rules(page, run, wanted):
    """Every button selects what ``choose`` gives; the wanted rules are among them."""
    buttons = page.all("#rules button")
    rules = [
        re.findall(r'choose\("([^"]*)"\)|(the method.s choice)', each.get_attribute("title"))
        for each in buttons
    ]
    rules = [["".join(pair) for pair in own] for own in rules]
    assert set(wanted) < {rule for own in rules for rule in own}
    assert len(buttons) == len({each.get_attribute("data-solution") for each in buttons})
    # A single solution leaves nothing to choose.
    assert page.find("#rules").is_displayed() == (len(buttons) > 1)
    for button, own in zip(buttons, rules, strict=True):
        if button.is_displayed():
            button.click()
        for rule in own:
            labels = run.estimator.labels_ if rule == "the method's choice" else run.chosen_by(rule)
            assert same_partition(page.js("return report.labels(report.selected)"), labels), rule
        assert button.get_attribute("aria-pressed") == "true"
    check_selected(page, page.js("return report.labels(report.selected)"))


def press_in_front(page):
    """Press the solution that is farthest from others in the front."""
    points = page.figure(
        "front-figure",
        "return [data.length, ...['x', 'y'].map(axis => data[0][axis].map(value => value ?? NaN))]",
    )
    x, y = (np.array(values, dtype=float) for values in points[1:])
    if page.js("return document.querySelectorAll('#front-tools [data-kind]').length"):
        solution, at = _between_axes(x, y)
    else:
        solution, at = _most_alone(x, y)
    page.press_figure("front-figure", *at)
    assert page.selected == solution
    return solution


def _most_alone(x, y):
    spans = [np.nanmax(values) - np.nanmin(values) for values in (x, y)]
    places = np.column_stack([x / (spans[0] or 1.0), y / (spans[1] or 1.0)])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(len(x))
    alone = np.where(np.isnan(places).any(axis=1), -1.0, np.nanmin(gaps, axis=1, initial=9.0))
    solution = int(alone.argmax())
    return solution, (float(x[solution]), float(y[solution]))


def _between_axes(x, y):
    """Where, between the first two axes, a line is farthest from all others."""
    breaks = np.flatnonzero(np.isnan(x))
    starts = np.concatenate([[0], breaks[:-1] + 1])
    left, right = y[starts], y[starts + 1]
    shares = np.linspace(0.15, 0.85, 29)
    heights = left[:, None] * (1 - shares) + right[:, None] * shares
    gaps = np.abs(heights[:, None] - heights[None]) + 9 * np.eye(len(left))[:, :, None]
    alone = np.where(np.isnan(heights), -1.0, np.nanmin(gaps, axis=1, initial=9.0))
    solution, place = np.unravel_index(alone.argmax(), heights.shape)
    return int(solution), (float(shares[place]), float(heights[solution, place]))


def check_report(page, run, names, rules=()):
    """All that holds of the report of any run, with a front or without."""
    labels = run.written_labels()
    np.testing.assert_array_equal(labels, run.estimator.labels_)
    check_selected(page, labels)
    check_solutions(page, run)
    solutions = names_of(page)
    members = [place for place, name in enumerate(solutions) if "member " in name]
    if rules:
        check_rules(page, run, rules)
        _check_member(page, run, press_in_front(page), names)
    other = members[-1] if members else len(solutions) - 1
    page.press_row(other)
    assert page.selected == other
    _check_member(page, run, other, names)
    assert page.js("return window.hit ?? null") is None


def _check_member(page, run, solution, names):
    shown = page.js("return report.labels(arguments[0])", solution)
    assert same_partition(shown, run.labels_of(names_of(page)[solution]))
    check_selected(page, shown)
    check_download(page, names, shown)


def keep_whole_page(page, name):
    """A picture of all of the page with all its figures, in the folder of pictures if there is one."""
    folder = os.environ.get("MOO_CLUSTERING_SCREENSHOTS")
    if not folder:
        return
    figures = page.js(
        "const shown = [...document.querySelectorAll('.figure')].filter(each => each.offsetParent);"
        "return shown.map(each => each.id)"
    )
    for figure in figures:
        page.figure(figure, "return 0")
    picture = page.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": _whole(page)}
    )
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = Path(folder) / f"whole-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.png"
    file.write_bytes(base64.b64decode(picture["data"]))


def _whole(page):
    width, height = page.js(
        "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    return {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
