"""Heat maps of archives of partitions."""

import numpy as np
import pytest

from moo_clustering.algorithms import PartitionArchive
from moo_clustering.visualization import plot_archive


def archive(n=3, k=5, better=True, names=("n_clusters", "evenness"), scale=1.0):
    cells = np.column_stack([np.arange(n) % k, np.arange(n) // k])[:, : len(names)]
    quality = scale * np.linspace(0.1, 0.9, n)
    edges = (np.arange(1.5, k + 2), np.linspace(0, 1, 11))[: len(names)]
    return PartitionArchive(names, edges, cells, cells, quality, "own_index", better, cells, cells)


@pytest.mark.parametrize("better", [True, False])
def test_cells_have_the_colour_and_the_number_of_their_quality(better, tmp_path):
    figure = plot_archive(archive(better=better), title="map", path=tmp_path / "map.png")
    panel, bar = figure.axes
    (mesh,) = panel.collections[:1]
    values = mesh.get_array().reshape(10, 5)
    np.testing.assert_allclose(values[0, :3], [0.1, 0.5, 0.9])
    assert np.ma.count(values) == 3
    texts = {text.get_text(): text for text in panel.texts}
    assert list(texts) == ["0.10", "0.50", "0.90"]
    assert texts["0.10"].xy == (2.0, 0.05)
    # Better cells are brighter, and text on bright colours is black.
    bright = [np.dot(mesh.to_rgba(value)[:3], [0.3, 0.6, 0.1]) for value in (0.1, 0.9)]
    assert (bright[1] > bright[0]) == better
    best = "0.90" if better else "0.10"
    assert [texts[one].get_color() for one in ("0.10", "0.90")] == [
        "black" if one == best else "white" for one in ("0.10", "0.90")
    ]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("number of clusters", "evenness")
    assert panel.get_title() == "map, 3 of 50 cells"
    assert bar.get_ylabel() == "own index"
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_large_values_and_many_cells():
    figure = plot_archive(archive(scale=1000.0))
    assert [text.get_text() for text in figure.axes[0].texts] == ["100", "500", "900"]
    figure = plot_archive(archive(n=200, k=40))
    assert not figure.axes[0].texts


@pytest.mark.parametrize(
    ("options", "got"), [({"n": 0}, "got 2 and 0"), ({"names": ("evenness",)}, "got 1 and 3")]
)
def test_archives_without_members_or_with_another_number_of_descriptors_are_refused(options, got):
    with pytest.raises(ValueError, match=f"archive must have 2 descriptors and at least 1 member, {got}"):
        plot_archive(archive(**options))
