"""Samples as points in the colours of their clusters."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from moo_clustering.visualization import PartitionData, partition_data, plot_partition

RNG = np.random.default_rng(0)
LINE = np.outer(np.arange(12.0), [3.0, 4.0, 0.0]) + RNG.normal(0, 0.01, (12, 3))
LABELS = np.repeat([0, 1, 3], 4)


def texts(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_two_features_stay_as_they_are():
    data = partition_data(LINE[:, :2], LABELS, feature_names=["width", "height"])
    assert isinstance(data, PartitionData)
    assert np.array_equal(data.positions, LINE[:, :2])
    assert data.axes == ("width", "height")
    assert data.share is None
    assert data.clusters.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert (data.names, data.sizes) == (("0", "1", "3"), (4, 4, 4))


def test_one_feature_is_spread_by_row():
    data = partition_data([[5.0], [5.0], [7.0]], [0, 0, 1])
    assert data.positions.tolist() == [[5, 0], [5, 1], [7, 2]]
    assert data.axes == ("x0", "row")


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_more_features_become_two_components(kind):
    data = partition_data(kind(LINE), LABELS)
    # All points are on a line of length 5 a step.
    steps = np.diff(data.positions[:, 0])
    np.testing.assert_allclose(np.abs(steps), 5.0, atol=0.1)
    assert len(set(np.sign(steps))) == 1
    assert data.share == pytest.approx(1.0, abs=1e-3)
    wide = np.hstack([LINE, RNG.normal(0, 0.01, (12, 4))])
    np.testing.assert_allclose(
        np.abs(partition_data(kind(wide), LABELS).positions[:, 0]), np.abs(data.positions[:, 0]), atol=0.1
    )


def test_many_samples_are_thinned_and_still_counted():
    X, labels = RNG.normal(size=(1000, 2)), np.arange(1000) % 3
    data = partition_data(X, labels, max_points=101)
    assert len(data.positions) == 101
    assert np.array_equal(data.positions[[0, -1]], X[[0, -1]])
    assert data.sizes == (334, 333, 333)
    figure = plot_partition(X, labels, max_points=101, title="points")
    assert figure.axes[0].get_title() == "points, 101 of 1000 samples"
    assert texts(figure) == ["0 (334)", "1 (333)", "2 (333)"]


def test_every_cluster_is_drawn_with_its_name(tmp_path):
    path = tmp_path / "partition.png"
    figure = plot_partition(LINE, LABELS, cluster_names=["oak", "elm", "-", "ash"], path=path)
    assert isinstance(figure, Figure)
    assert texts(figure) == ["oak (4)", "elm (4)", "ash (4)"]
    assert [len(points.get_offsets()) for points in figure.axes[0].collections] == [4, 4, 4]
    colors = {tuple(points.get_facecolor()[0]) for points in figure.axes[0].collections}
    assert len(colors) == 3
    assert "two components (100% of the variance)" in figure.axes[0].get_title()
    assert path.read_bytes().startswith(b"\x89PNG")


def test_no_legend_of_more_clusters_than_look_different():
    figure = plot_partition(RNG.normal(size=(60, 2)), np.arange(60) % 30)
    assert figure.axes[0].get_legend() is None
    assert len(figure.axes[0].collections) == 30


def test_axes_of_ones_own():
    before = plt.get_fignums()
    own, ax = plt.subplots()
    assert plot_partition(LINE, LABELS, ax=ax) is own
    plt.close(own)
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("X", "labels", "options", "message"),
    [
        ([[1.0], [2.0]], [0], {}, r"got shapes \(2, 1\) and \(1,\)"),
        ([1.0, 2.0], [0, 0], {}, "2D array"),
        (np.zeros((0, 2)), [], {}, "0 sample"),
        ([[1.0], [2.0]], [0, 0], {"max_points": 0}, "max_points must be an integer of at least 1, got 0"),
    ],
)
def test_mistakes(X, labels, options, message):
    with pytest.raises(ValueError, match=message):
        partition_data(X, labels, **options)


def test_noise_is_named_and_comes_last():
    X = np.arange(10.0).reshape(5, 2)
    data = partition_data(X, [-1, 1, 0, 1, -1], cluster_names=["oak", "ash"])
    assert data.names == ("oak", "ash", "noise")
    assert data.sizes == (1, 2, 2)
    assert data.clusters.tolist() == [2, 1, 0, 1, 2]
