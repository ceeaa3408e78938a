"""Where samples lie on the map, and which do."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering.estimators import ParetoClustering
from moo_clustering.visualization.partitions import landmark_plane, scaled_to_plane
from moo_clustering.visualization.report import report_content

X, CLASSES = make_blobs(400, 5, centers=3, random_state=0)
MODEL = KMeans(3, random_state=0).fit(X)


def distances_kept(positions, other):
    np.testing.assert_allclose(cdist(positions, positions), cdist(other, other), atol=1e-8)


def test_principal_components():
    content = report_content(MODEL, X)
    left, values, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(content.map.positions), np.abs(left[:, :2] * values[:2]), atol=1e-9)
    share = (values[:2] ** 2).sum() / (values**2).sum()
    assert content.map.note == f"Principal components ({share:.0%} of the variance)."
    np.testing.assert_array_equal(content.map.rows, np.arange(400))


@pytest.mark.slow
def test_the_scale_is_that_of_the_method():
    table = X * [1, 1, 1, 1, 1e4]
    model = ParetoClustering(3, random_state=0).fit(table)
    shown = report_content(model, table).map.positions
    plain = report_content(ParetoClustering(3, random_state=0).fit(X), X).map.positions
    np.testing.assert_allclose(shown, plain, atol=1e-8)


def test_two_features_are_shown_as_they_are():
    model = ParetoClustering(3, random_state=0).fit(X[:, :2])
    content = report_content(model, pd.DataFrame(X[:, :2], columns=["width", "height"]))
    np.testing.assert_array_equal(content.map.positions, X[:, :2])
    assert content.map.axes == ("width", "height")


def test_sparse_rows_are_centred_without_becoming_dense():
    table = sparse.random(60, 30, 0.2, random_state=0, format="csr")
    table = table[np.asarray(table.sum(axis=1)).ravel() > 0]
    content = report_content(KMeans(2, random_state=0).fit(table), table)
    unit = table.toarray() / np.linalg.norm(table.toarray(), axis=1, keepdims=True)
    left, values, _ = np.linalg.svd(unit - unit.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(content.map.positions), np.abs(left[:, :2] * values[:2]), atol=1e-6)


def test_of_many_samples_those_that_matter_are_kept():
    must, cannot = [(5, 399), (6, 7)], [(17, 18)]
    content = report_content(MODEL, X, must_link=must, cannot_link=cannot, max_points=60)
    assert len(content.map.rows) == 60
    typical = {row for facts in content.clusters[0] for row in facts.typical}
    assert {5, 6, 7, 17, 18, 399} | typical <= set(content.map.rows.tolist())
    assert (np.diff(content.map.rows) > 0).all()
    whole = report_content(MODEL, X).map.positions
    np.testing.assert_array_equal(content.map.positions, whole[content.map.rows])
    assert "samples in constraints and typical samples of clusters come first" in content.map.note


def test_samples_in_constraints_are_kept_even_if_they_are_more_than_asked_for():
    pairs = np.arange(100).reshape(-1, 2)
    content = report_content(MODEL, X, must_link=pairs, max_points=10)
    assert set(range(100)) <= set(content.map.rows.tolist())
    assert len(content.map.rows) <= 100 + 15


def test_the_same_samples_each_time_and_others_for_another_seed():
    first, again, other = (
        report_content(MODEL, X, max_points=50, random_state=seed).map.rows for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)


def test_an_embedding_that_is_given():
    positions = np.random.default_rng(0).normal(size=(400, 2))
    content = report_content(MODEL, None, embedding=positions, max_points=50)
    np.testing.assert_array_equal(content.map.positions, positions[content.map.rows])
    assert content.map.note.startswith(
        "Positions as passed. Not all samples are shown: samples in constraints"
    )
    assert not any("no map" in sentence for sentence in content.missing)


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        (np.zeros((400, 3)), r"embedding must have shape \(400, 2\), got \(400, 3\)"),
        (np.zeros((399, 2)), r"embedding must have shape \(400, 2\), got \(399, 2\)"),
        (
            np.where(np.arange(800).reshape(400, 2) == 9, np.nan, 0),
            r"finite numbers, got nan at \[4, 1\]",
        ),
        ([["a", "b"]] * 400, "embedding must be real numbers, got 'a'"),
    ],
)
def test_an_embedding_that_makes_no_map(embedding, message):
    with pytest.raises((TypeError, ValueError), match=message):
        report_content(MODEL, X, embedding=embedding)


def test_given_distances_in_the_plane_come_out_again():
    points = X[:, :2]
    D = cdist(points, points)
    model = ParetoClustering(3, metric="precomputed", random_state=0).fit(D)
    content = report_content(model, D, max_points=150)
    assert "Classical scaling of the passed distances. Not all samples" in content.map.note
    distances_kept(content.map.positions, points[content.map.rows])


def test_few_given_distances_are_scaled_with_their_stress():
    D = cdist(X[:40], X[:40])
    model = ParetoClustering(3, metric="precomputed", random_state=0).fit(D)
    content = report_content(model, D)
    positions, stress = scaled_to_plane(D)
    np.testing.assert_array_equal(content.map.positions, positions)
    assert content.map.note == f"Multidimensional scaling of the passed distances (stress {stress:.2f})."


def test_points_are_placed_by_their_distances_to_landmarks():
    points = np.random.default_rng(0).normal(size=(50, 2))
    D = cdist(points, points)
    distances_kept(landmark_plane(D[:, :10], D[:10, :10]), points)
    # Landmarks on a line say nothing of the other direction.
    line = np.column_stack([np.arange(5.0), np.zeros(5)])
    placed = landmark_plane(cdist(line, line), cdist(line, line))
    np.testing.assert_allclose(placed[:, 1], 0.0, atol=1e-6)
    distances_kept(placed, line)


def test_samples_that_are_all_the_same():
    model = ParetoClustering(random_state=0).fit(np.ones((20, 3)))
    content = report_content(model, np.ones((20, 3)))
    np.testing.assert_array_equal(content.map.positions, np.zeros((20, 2)))


def test_a_frame_of_positions_names_the_axes():
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    frame = pd.DataFrame(X[:, :2] * 10.0, columns=["width in cm", "height in cm"])
    shown = report_content(model, X, embedding=frame).map
    assert shown.axes == ("width in cm", "height in cm")
    assert np.array_equal(shown.positions, frame.to_numpy())
    assert shown.note == "Columns as passed."
