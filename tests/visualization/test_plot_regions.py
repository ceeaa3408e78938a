"""Maps of points and of polygons."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from moo_clustering.visualization import plot_regions

POINTS = np.array([[0, 0], [1, 0], [2, 0], [3, 0]])


def square(i):
    """Like a polygon of shapely."""
    corners = [(i, 0, 9), (i + 1, 0, 9), (i + 1, 1, 9), (i, 1, 9), (i, 0, 9)]
    return SimpleNamespace(geom_type="Polygon", exterior=SimpleNamespace(coords=corners))


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


def test_polygons_and_their_parts():
    parts = SimpleNamespace(geom_type="MultiPolygon", geoms=[square(2), square(5)])
    figure = plot_regions([square(0), square(1), parts], [1, 0, 1])
    assert legend(figure) == ["0 (1)", "1 (2)"]
    collections = figure.axes[0].collections
    assert all(isinstance(one, PolyCollection) for one in collections)
    assert [len(one.get_paths()) for one in collections] == [1, 3]
    assert figure.axes[0].get_xlim()[1] >= 6


def test_another_number_of_labels_is_refused():
    with pytest.raises(ValueError, match="labels must have one region per area, 4; got 2"):
        plot_regions(POINTS, [0, 1])
