"""Distances between bags in cluster order, and bags in the plane."""

from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from moo_clustering.bags import Bags, bag_distances
from moo_clustering.datasets import make_bags
from moo_clustering.visualization import (
    bag_distance_data,
    bag_embedding_data,
    plot_bag_distances,
    plot_bag_embedding,
)
from moo_clustering.visualization.figures import look_of
from moo_clustering.visualization.partitions import components, scaled_to_plane


@pytest.fixture(scope="module")
def table():
    return make_bags(30, 3, outlying=0.0, random_state=2)


def naive(bags, kind):
    """Hausdorff distances by loops."""

    def directed(a, b):
        return max(min(np.linalg.norm(x - y) for y in b) for x in a)

    out = np.array([[directed(a, b) for b in bags] for a in bags])
    return np.maximum(out, out.T) if kind == "symmetric" else out


@pytest.mark.parametrize("kind", ["symmetric", "directed"])
def test_distances_in_cluster_order(table, kind):
    data = bag_distance_data(table.bags, table.labels, kind=kind)
    D = naive(list(table.bags), kind)
    assert sorted(data.order) == list(range(30))
    assert data.boundaries.tolist() == [0, 10, 20, 30]
    assert data.names == ("0", "1", "2")
    assert data.sizes.tolist() == [10, 10, 10]
    assert data.directed == (kind == "directed")
    np.testing.assert_allclose(data.distances, D[np.ix_(data.order, data.order)], atol=1e-9)
    for cluster in range(3):
        inside = np.flatnonzero(table.labels == cluster)
        placed = data.order[data.boundaries[cluster] : data.boundaries[cluster + 1]]
        assert sorted(placed) == inside.tolist()
        medoid = min(inside, key=lambda bag: D[bag, inside].sum())
        assert placed[0] == medoid
        assert (np.diff(D[placed, medoid]) >= -1e-9).all()


def test_given_distances_and_any_labels(table):
    D = bag_distances(table.bags, kind="symmetric")
    names = np.array(["b", "c", "a"])[table.labels]
    given = bag_distance_data(D, names)
    assert given.names == ("a", "b", "c")
    assert given.kind == "distance"
    assert (given.distances == D[np.ix_(given.order, given.order)]).all()
    measured = bag_distance_data(list(table.bags), names)
    assert measured.order.tolist() == given.order.tolist()
    assert measured.kind == "Hausdorff distance"
    alone = bag_distance_data(np.zeros((1, 1)), [4])
    assert (alone.order.tolist(), alone.boundaries.tolist()) == ([0], [0, 1])


def test_more_bags_than_are_shown():
    table = make_bags(103, 2, random_state=0)
    labels = table.labels.copy()
    labels[17] = 9  # a cluster of its own, which must not disappear
    data = bag_distance_data(table.bags, labels, max_bags=40)
    shown = np.diff(data.boundaries)
    assert shown.tolist() == [int(size * 40 // 103) or 1 for size in np.bincount(labels)[[0, 1, 9]]]
    assert data.order[-1] == 17
    assert data.sizes.sum() == 103
    whole = bag_distances(table.bags, kind="symmetric")
    np.testing.assert_allclose(data.distances, whole[np.ix_(data.order, data.order)], atol=1e-9)
    (ax, _) = plot_bag_distances(table.bags, labels, max_bags=40).axes
    assert ax.get_title() == f"Distances between {len(data.order)} of 103 bags"
    assert ax.get_yticklabels()[0].get_text() == f"0 ({data.sizes[0]})"


@pytest.mark.parametrize(
    ("bags", "labels", "options", "message"),
    [
        (np.zeros((3, 3)), [0, 1], {}, r"must have shape \(2, 2\) for 2 labels, got \(3, 3\)"),
        (np.zeros((3, 2)), [0, 1, 1], {}, "pass bags as Bags or as a list of arrays"),
        (-np.ones((2, 2)), [0, 1], {}, "must be non-negative, got -"),
        (np.full((2, 2), np.nan), [0, 1], {}, "NaN"),
        ([[[1.0]], [[2.0]]], [0, 1, 0], {}, r"one entry per bag \(2\), got 3"),
        ([[[1.0]], [[2.0]]], [], {}, r"labels must contain at least one label"),
        ([[[1.0]], [[2.0]]], [0, 1], {"max_bags": 0}, "max_bags must be an integer of at least 1"),
    ],
)
@pytest.mark.parametrize("function", [bag_distance_data, bag_embedding_data])
def test_refused(function, bags, labels, options, message):
    if function is bag_embedding_data and "max_bags" in options:
        bags = np.zeros((2, 2))
    with pytest.raises(ValueError, match=message):
        function(bags, labels, **options)


def test_faithful_where_the_plane_is_enough():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(25, 2)) * [3.0, 1.0]
    bags = Bags(points, np.arange(26))  # bags of one instance lie in the plane themselves
    data = bag_embedding_data(bags, np.arange(25) % 2, centers=points[:2] + 0.5)
    found = np.vstack([data.positions, data.centers])
    wanted = np.vstack([points, points[:2] + 0.5])
    distances = np.linalg.norm(wanted[:, None] - wanted, axis=2)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=2), distances, atol=1e-3)
    assert data.method == "scaling of Hausdorff distances (stress 0.00)"
    assert np.var(data.positions[:, 0]) > np.var(data.positions[:, 1])


def test_stress_by_hand():
    # Three points of an equilateral triangle and one that is as far from all: no plane holds them.
    D = 1.0 - np.eye(4)
    points, stress = scaled_to_plane(D, 0)
    d = [np.linalg.norm(points[i] - points[j]) for i in range(4) for j in range(i)]
    assert stress == pytest.approx(np.sqrt(sum((x - 1) ** 2 for x in d) / 6))
    assert 0.05 < stress < 0.3
    assert scaled_to_plane(np.zeros((5, 5)))[0].tolist() == [[0.0, 0.0]] * 5
    np.testing.assert_allclose(np.abs(np.diff(scaled_to_plane(np.array([[0, 2.0], [2, 0]]))[0][:, 0])), 2)


def test_principal_components_of_many():
    table = make_bags(120, 2, n_features=5, random_state=1)
    centers = table.bags.means()[:3]
    data = bag_embedding_data(table.bags, table.labels, medoids=[4, 9], centers=centers, max_bags=100)
    assert len(data.positions) == 120
    assert data.method.startswith("principal components of bag means (")
    np.testing.assert_allclose(data.centers, data.positions[:3], atol=1e-9)
    assert data.medoids.tolist() == [4, 9]
    means = table.bags.means() - table.bags.means().mean(axis=0)
    variances = np.linalg.svd(means, compute_uv=False) ** 2
    assert f"{variances[:2].sum() / variances.sum():.0%}" in data.method
    np.testing.assert_allclose((data.positions**2).sum(axis=0), variances[:2])
    assert components(np.ones((3, 1)), 3)[0].tolist() == [[0.0, 0.0]] * 3


def test_distances_of_many_are_sampled(table):
    D = bag_distances(table.bags)
    data = bag_embedding_data(D, table.labels, medoids=[int(np.argmax(table.labels == 0)), 29], max_bags=12)
    assert len(data.positions) == 12
    assert np.bincount(data.clusters).tolist() == [4, 4, 4]
    assert (table.labels[data.bags] == data.clusters).all()
    assert data.bags[data.medoids].tolist() == [
        bag for bag in (int(np.argmax(table.labels == 0)), 29) if bag in data.bags
    ]


def test_same_seed_same_picture(table):
    first = bag_embedding_data(table.bags, table.labels, random_state=3)
    again = bag_embedding_data(table.bags, table.labels, random_state=3)
    assert np.array_equal(first.positions, again.positions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"medoids": [30]}, "medoids must be bag indices from 0 to 29"),
        ({"centers": [[1.0, 2.0, 3.0]]}, r"centers must have shape \(n_centers, 2\), got \(1, 3\)"),
    ],
)
def test_marks_refused(table, options, message):
    with pytest.raises(ValueError, match=message):
        bag_embedding_data(table.bags, table.labels, **options)
    with pytest.raises(ValueError, match="centers require bags"):
        bag_embedding_data(bag_distances(table.bags), table.labels, centers=[[0.0, 0.0]])


@pytest.mark.parametrize("plot", [plot_bag_distances, plot_bag_embedding])
@pytest.mark.parametrize("n_clusters", [1, 3, 30])
def test_pictures(table, tmp_path, plot, n_clusters):
    plt.close("all")
    before, figures = mpl.rcParams.copy(), plt.get_fignums()
    figure = plot(table.bags, np.arange(30) % n_clusters, path=tmp_path / "p.png")
    assert isinstance(figure, Figure)
    assert min(plt.imread(tmp_path / "p.png").shape[:2]) > 500
    assert mpl.rcParams == before
    assert plt.get_fignums() == figures
    assert [path.name for path in tmp_path.iterdir()] == ["p.png"]


@pytest.mark.parametrize("plot", [plot_bag_distances, plot_bag_embedding])
def test_given_axes(table, plot):
    mine = plt.figure()
    try:
        ax = mine.add_subplot()
        assert plot(table.bags, table.labels, ax=ax) is mine
        assert ax.has_data()
    finally:
        plt.close(mine)


@pytest.mark.parametrize("bags", [[[[1.0, 2.0]]], [[[1.0]]] * 4])
def test_one_bag_and_equal_bags(tmp_path, bags):
    plot_bag_distances(bags, np.zeros(len(bags), dtype=int), path=tmp_path / "d.png")
    plot_bag_embedding(bags, np.zeros(len(bags), dtype=int), path=tmp_path / "e.png")
    assert {path.name for path in tmp_path.iterdir()} == {"d.png", "e.png"}


def test_points_and_marks_are_drawn(table):
    medoids = [int(np.argmax(table.labels == each)) for each in range(3)]
    figure = plot_bag_embedding(table.bags, table.labels, medoids=medoids)
    data = bag_embedding_data(table.bags, table.labels, medoids=medoids)
    (ax,) = figure.axes
    drawn = [collection.get_offsets() for collection in ax.collections]
    for cluster in range(3):
        assert np.array_equal(drawn[cluster], data.positions[table.labels == cluster])
    assert np.array_equal(drawn[3], data.positions[np.sort(medoids)])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0 (10)",
        "1 (10)",
        "2 (10)",
        "medoid",
    ]
    assert ax.get_title().startswith("30 bags by scaling of Hausdorff distances (stress 0.")


def test_matrix_is_drawn(table):
    ax, bar = plot_bag_distances(table.bags, table.labels, kind="directed").axes
    data = bag_distance_data(table.bags, table.labels, kind="directed")
    assert np.array_equal(ax.images[0].get_array(), data.distances)
    assert bar.get_ylabel() == "directed Hausdorff distance"
    assert ax.get_ylabel() == "from bags"


def test_looks_differ():
    looks = [look_of(cluster) for cluster in range(24)]
    assert len(set(looks)) == 24
    assert all(a.color != b.color and a.marker != b.marker for a, b in pairwise(looks))
