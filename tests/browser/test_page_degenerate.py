"""Contents with little in them: the page says what there is not."""

import numpy as np
import pandas as pd
import pytest
from report_toys import toy_content

from moo_clustering.visualization.report import Column, Panel, PlaneMap, ReportContent

pytestmark = pytest.mark.nightly
UNRECORDED = (
    "There is no convergence to show, because the fit had no generations or other search steps, or did not "
    "record them."
)


def bare(labels, **changes):
    labels = np.asarray(labels, dtype=np.int32)
    names = [f"solution {row}" for row in range(len(labels))]
    samples = np.array([str(row) for row in range(labels.shape[1])])
    return ReportContent(title="Bare", names=names, labels=labels, sample_names=samples, **changes)


def test_one_solution_without_anything(open_content):
    page = open_content(bare([[0, 1, 1, -1]]))
    assert page.selected == 0
    assert "2 clusters" in page.text("#summary")
    assert "1 sample in no cluster" in page.text("#summary")
    assert page.texts("#clusters-table tbody td:nth-child(2)") == ["1", "2", "1"]
    assert "no map" in page.text("#map-note")
    assert "only one solution" in page.text("#compare-note")
    assert page.text("#history-note") == UNRECORDED
    assert not page.find("#history-figure").is_displayed()


def test_one_sample(open_content):
    plane = PlaneMap(np.zeros((1, 2)), np.arange(1), ("x", "y"))
    page = open_content(bare([[0], [0]], map=plane, agreement=np.ones((2, 2))))
    page.js("report.compare(1)")
    assert page.js("return report.agreement()") == 1
    assert len(page.looks()) == 1


def test_all_in_one_cluster_or_in_none(open_content):
    page = open_content(toy_content(labels=np.repeat([[0], [-1], [2]], 90, axis=1).astype(np.int32), **SHORT))
    assert "1 cluster" in page.text("#summary")
    page.js("report.select(1)")
    assert "0 clusters" in page.text("#summary")
    assert "90 documents in no cluster" in page.text("#summary")
    page.js("report.select(2); report.compare(0)")
    assert page.texts("#clusters-table tbody th") == ["cluster 2"]
    assert page.js("return report.agreement()") == 1


SHORT = {
    "names": ["a", "b", "c"],
    "columns": [
        Column("score", np.array([1.0, np.nan, np.inf]), True, True),
        Column("x", np.full(3, np.nan), True),
    ],
    "chosen": 0,
    "rules": {},
    "clusters": {},
    "agreement": None,
}


def test_sixty_clusters(open_content):
    labels = np.stack([np.arange(90) % 60, np.arange(90) // 2]).astype(np.int32)
    content = toy_content(labels=labels, **(SHORT | {"names": ["a", "b"], "columns": []}))
    page = open_content(content)
    page.js("report.compare(1)")
    assert len(page.all("#map-legend li")) == 60
    cells = [int(text) for text in page.texts("#compare-table td")]
    assert len(cells) == 60 * 45
    assert sum(cells) == 90
    assert len(page.looks("compare-second")) == 90


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_numbers_that_are_missing_or_endless(open_content, n_objectives):
    values = np.array([np.nan, np.inf, -np.inf, 1.0])
    columns = [Column(f"f{place}", np.roll(values, place), True, False) for place in range(n_objectives)]
    content = bare(np.arange(12).reshape(4, 3) % 2, columns=[*columns, Column("none", np.full(4, np.nan))])
    page = open_content(content)
    column = page.texts("#table tbody td:nth-child(3)")
    assert column == ["–", "∞", "−∞", "1"]
    for solution in range(4):
        page.js("report.select(arguments[0])", solution)
    page.figure("front-figure", "return 0")


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_equal_numbers(open_content, n_objectives):
    columns = [Column(f"f{place}", np.full(3, 2.0), True, None) for place in range(n_objectives)]
    page = open_content(bare(np.zeros((3, 5)), columns=columns))
    page.figure("front-figure", "return 0")
    assert page.all("#table .best") == []


@pytest.mark.parametrize(
    "history",
    [
        pd.DataFrame(),
        pd.DataFrame({"generation": []}),
        pd.DataFrame({"generation": [], "size": []}),
        pd.DataFrame({"generation": [1, 2]}),
    ],
)
def test_no_generations(open_content, history):
    page = open_content(toy_content(history=history))
    assert page.text("#history-note") == UNRECORDED


def test_one_generation_and_words(open_content):
    page = open_content(toy_content(history=pd.DataFrame({"generation": [1], "size": [4], "note": ["end"]})))
    assert page.figure("history-figure", "return data.map(trace => trace.mode)") == ["markers", "markers"]


def test_empty_panels(open_content):
    panels = [
        Panel("matrix", "m", matrix=np.empty((0, 0))),
        Panel("matrix", "none"),
        Panel("lines", "l"),
        Panel("bars", "b"),
        Panel("image", "i", "was lost"),
    ]
    page = open_content(toy_content(panels=panels))
    assert page.texts(".panel .note").count("There is nothing to draw.") == 5


def test_matrix_with_missing_numbers(open_content):
    panels = [Panel("matrix", "m", matrix=np.array([[np.nan, 1.0], [-2.0, np.inf]]))]
    page = open_content(toy_content(panels=panels))
    assert page.figure("panel-0-figure", "return [data[0].zmin, data[0].zmax]") == [-2, 2]


def test_a_map_without_a_position(open_content):
    plane = PlaneMap(np.full((90, 2), np.nan), np.arange(90), ("x", "y"))
    page = open_content(toy_content(map=plane))
    assert page.text("#map-note").startswith(
        "The map shows 0 of 90 documents. 90 documents have no position."
    )
    assert page.looks() == {}


def test_no_solution(open_content):
    content = ReportContent(
        title="Nothing",
        names=[],
        labels=np.empty((0, 3), dtype=np.int32),
        sample_names=np.array(["a", "b", "c"]),
        missing=["The run has no front."],
        history=pd.DataFrame({"generation": [1, 2], "size": [0, 0]}),
    )
    page = open_content(content)
    assert page.text(".missing li") == "The run has no front."
    assert not page.find("#solutions").is_displayed()
    assert page.find("#history").is_displayed()


def test_many_constraints_do_not_stop_the_page(open_content):
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 90, (5000, 2))
    page = open_content(toy_content(must_link=pairs))
    satisfied = sum(toy_content().labels[6][pairs[:, 0]] == toy_content().labels[6][pairs[:, 1]])
    assert f"5,000 must-links: {satisfied:,} satisfied" in page.text("#constraint-counts")
