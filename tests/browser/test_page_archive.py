"""The map of clusterings in a browser."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from moo_clustering.algorithms import MapElites, evolve
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization.report import report_content, write_report


@pytest.mark.slow
def test_pressing_a_cell_selects_its_clustering(open_report, tmp_path):
    X = load_iris().data[::5]
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=4), ["silhouette"])
    algorithm = MapElites(pop_size=12, cells={"evenness": 3}, **problem.operators(MapElites))
    content = report_content(evolve(problem, algorithm, n_gen=2, seed=0).algorithm.archive_, X)
    write_report(content, tmp_path / "map.html")
    page, places = open_report(tmp_path / "map.html"), content.panels[0].solutions
    page.scroll_to(page.find("#panel-0-figure"))
    assert 1 < (places >= 0).sum() < places.size
    for row, column in np.argwhere(places >= 0):
        page.press_figure("panel-0-figure", int(column), int(row))
        assert page.selected == places[row, column]
        assert page.figure("panel-0-figure", "return [data[1].y[0], data[1].x[0]]") == [row, column]
    row, column = np.argwhere(places < 0)[0]
    page.press_figure("panel-0-figure", int(column), int(row))
    assert page.selected == places[places >= 0][-1]
    assert not page.find("#panel-0-figure").find_elements("xpath", "ancestor::*[@id='methods']")
