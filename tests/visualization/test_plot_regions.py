"""Maps of points and of polygons."""

import networkx as nx
import numpy as np
import pytest

from moo_clustering import Regions
from moo_clustering.visualization import plot_regions

POINTS = np.array([[0, 0], [1, 0], [2, 0], [3, 0]])


def legend(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_points_by_region_and_changed_areas(tmp_path):
    figure = plot_regions(
        POINTS, [0, 0, 1, 1], changed=[False, True, False, False], cluster_names=["a", "b"], title="map",
        path=tmp_path / "map.png",
    )  # fmt: skip
    assert legend(figure) == ["a (2)", "b (2)", "changed"]
    first, _, marks = figure.axes[0].collections
    assert first.get_offsets().tolist() == [[0, 0], [1, 0]]
    assert marks.get_offsets().tolist() == [[1, 0]]
    assert figure.axes[0].get_title() == "map"
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_polygons_with_parts_and_holes():
    shapely = pytest.importorskip("shapely")
    ring = [[(1, 1), (1, 2), (2, 2), (2, 1)][::way] for way in (1, -1)]
    frames = [shapely.Polygon([(0, 0), (0, 3), (3, 3), (3, 0)], [hole]) for hole in ring]
    parts = shapely.MultiPolygon([shapely.box(4, 0, 5, 1), shapely.box(6, 0, 7, 1)])
    inside = np.array([[0.5, 0.5], [1.5, 1.5], [4.5, 0.5], [5.5, 0.5], [6.5, 0.5]])
    for frame in frames:
        figure = plot_regions([shapely.box(1, 1, 2, 2), frame, parts], [0, 1, 1], changed=[0, 1, 0])
        assert legend(figure) == ["0 (1)", "1 (2)", "changed"]
        figure.canvas.draw()
        column, row = figure.axes[0].transData.transform(inside).astype(int).T
        colors = [tuple(color) for color in np.asarray(figure.canvas.buffer_rgba())[-row, column]]
        assert colors[0] == colors[2] == colors[4]
        assert len({*colors}) == 3
        x, y = figure.axes[0].collections[0].get_offsets()[0]
        assert frame.contains(shapely.Point(x, y))
        assert figure.axes[0].get_xlim()[1] >= 7


def test_an_estimator_has_labels_and_names():
    graph, start = nx.grid_2d_graph(6, 4), np.repeat(["east", "west"], 12)
    points = np.array(list(graph))
    model = Regions(2, n_gen=0, random_state=0).fit(points, graph=graph, start=start).choose("changed")
    assert legend(plot_regions(points, model)) == ["east (12)", "west (12)"]


def test_another_number_of_labels_is_refused():
    with pytest.raises(ValueError, match=r"labels must have one region per area \(4\), got 2"):
        plot_regions(POINTS, [0, 1])


def test_only_changed_areas_need_a_point_inside():
    shapely = pytest.importorskip("shapely")
    areas = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.Polygon()]
    figure = plot_regions(areas, [0, 0, 1], changed=[False, True, False])
    assert figure.axes[0].collections[0].get_offsets().tolist() == [[1.5, 0.5]]
