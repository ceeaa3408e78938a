"""The map of clusterings: cells of an archive, linked with the solutions of the report."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from moo_clustering import NSGA2Clus
from moo_clustering.algorithms import MapElites, PartitionArchive
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.page import fits, keep_solutions, load_content, merge, save_content

X = np.array([[0.0], [0.1], [1.0], [1.1], [5.0], [5.1]])
LABELS = np.array([[0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]], dtype=np.int32)
ARCHIVE = PartitionArchive(
    ("n_clusters", "evenness"),
    (np.array([1.5, 2.5, 3.5]), np.array([0.0, 0.25, 0.5, 0.75, 1.0])),
    np.array([[0, 3], [0, 1], [1, 3]]),
    np.array([[2.0, 0.92], [2.0, 0.3], [3.0, 1.0]]),
    np.array([0.25, 0.5, 0.75]),
    "own_index",
    True,
    LABELS,
    LABELS,
)


def test_cells_by_hand():
    content = report_content(ARCHIVE, X)
    (panel,) = content.panels
    assert (panel.kind, panel.title) == ("matrix", "Map of clusterings")
    assert panel.note.startswith(
        "The colour of a cell shows the own index of its best clustering (higher is b"
    )
    assert "3 of 8 cells contain a clustering" in panel.note
    assert panel.x == ["2", "3"]
    assert panel.y == ["0.75 to 1", "0.5 to 0.75", "0.25 to 0.5", "0 to 0.25"]
    assert panel.axes == ("number of clusters", "evenness")
    nan = np.nan
    np.testing.assert_array_equal(panel.matrix, [[0.25, 0.75], [nan, nan], [0.5, nan], [nan, nan]])
    np.testing.assert_array_equal(panel.solutions, [[0, 2], [-1, -1], [1, -1], [-1, -1]])
    np.testing.assert_array_equal(content.labels, LABELS)
    assert content.chosen == ARCHIVE.best() == 2
    assert content.columns[0].values.tolist() == [0.25, 0.5, 0.75]


def test_one_and_three_descriptors_have_no_map():
    one = ARCHIVE._replace(names=("n_clusters",), edges=ARCHIVE.edges[:1], cells=ARCHIVE.cells[:, :1])
    assert not report_content(one, X).panels


def test_archives_of_estimators_link_cells_that_are_not_on_the_front():
    data = load_iris().data[::5]
    model = NSGA2Clus(k_max=5, pop_size=12, n_gen=3, algorithm=MapElites, random_state=0).fit(data)
    archive = model.clustering_result().archive
    content = report_content(model, data)
    panel = content.panels[0]
    places = panel.solutions[panel.solutions >= 0]
    assert len(places) == len(set(places.tolist())) == len(archive.labels) > len(model.pareto_front_)
    cells = {tuple(row): labels for row, labels in zip(archive.cells.tolist(), archive.labels, strict=True)}
    for row, column in np.argwhere(panel.solutions >= 0):
        own = cells[column, len(panel.y) - 1 - row]
        shown = content.labels[panel.solutions[row, column]]
        assert len(np.unique(np.stack([own, shown]), axis=1).T) == own.max() + 1 == shown.max() + 1


def test_other_searches_have_no_archive():
    model = NSGA2Clus(k_max=4, pop_size=8, n_gen=1, random_state=0).fit(load_iris().data[::5])
    assert model.clustering_result().archive is None


def test_saved_and_merged(tmp_path):
    content = report_content(ARCHIVE, X)
    save_content(tmp_path / "report.npz", content)
    loaded = load_content(tmp_path / "report.npz")
    np.testing.assert_array_equal(loaded.panels[0].solutions, content.panels[0].solutions)
    both = merge([content, loaded], ["one", "two"])
    np.testing.assert_array_equal(both.panels[1].solutions, [[3, 5], [-1, -1], [4, -1], [-1, -1]])
    assert both.panels[1].title == "two: Map of clusterings"


def test_cells_select_the_solutions_that_a_page_keeps():
    content = report_content(ARCHIVE, X)
    left_out = next(row for row in range(3) if row != content.chosen)
    kept = keep_solutions(content, np.setdiff1d(np.arange(3), left_out))
    places, old = kept.panels[0].solutions, content.panels[0].solutions
    assert (places[(old < 0) | (old == left_out)] == -1).all()
    for row, column in np.argwhere(places >= 0):
        np.testing.assert_array_equal(kept.labels[places[row, column]], content.labels[old[row, column]])
    assert np.count_nonzero(places >= 0) == 2


@pytest.mark.parametrize("places", [np.full((4, 2), 3), np.full((4, 2), -2), np.zeros((2, 4), dtype=int)])
def test_links_that_do_not_exist_are_damaged(places):
    content = report_content(ARCHIVE, X)
    assert fits(content)
    assert not fits(replace(content, panels=[replace(content.panels[0], solutions=places)]))
