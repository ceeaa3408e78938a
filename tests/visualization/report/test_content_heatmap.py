"""Heatmaps of clusters and columns, the neighbour embedding and the colours of the map."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.neighbors import NearestNeighbors
from test_payload import decoded

from moo_clustering.estimators import ParetoClustering
from moo_clustering.visualization.report import Heatmap, render, report_content
from moo_clustering.visualization.report.page import load_content, merge, payload, save_content

IMAGES = load_digits()
X = IMAGES.data[:300]
MODEL = KMeans(8, n_init=1, random_state=0).fit(X)


def same_class(points, classes):
    """Share of the samples whose nearest neighbour has their class."""
    nearest = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points)[1][:, 1]
    return float((classes[nearest] == classes).mean())


@pytest.fixture(scope="module")
def shown():
    return report_content(MODEL, X)


def test_neighbours_stay_neighbours(shown):
    classes = IMAGES.target[:300]
    assert shown.map.note.startswith("Principal components")
    assert same_class(shown.map.neighbors, classes) > 0.85 > 0.7 > same_class(shown.map.positions, classes)


def test_the_embedding_is_the_same_each_time(shown):
    again = report_content(MODEL, X)
    np.testing.assert_array_equal(again.map.neighbors, shown.map.neighbors)


def test_no_embedding_where_the_plane_shows_nearly_everything():
    flat = np.random.default_rng(0).normal(size=(60, 2)) @ np.array([[1.0, 2, 0, 1], [0, 1, 1, -1]])
    model = KMeans(3, n_init=1, random_state=0).fit(flat)
    assert report_content(model, flat).map.neighbors is None
    assert report_content(model, flat[:, :2]).map.neighbors is None


@pytest.mark.parametrize("n_samples", [4, 9, 12])
def test_few_samples(n_samples):
    table = np.random.default_rng(0).normal(size=(n_samples, 12))
    model = KMeans(2, n_init=1, random_state=0).fit(table)
    neighbors = report_content(model, table).map.neighbors
    assert (neighbors is None) == (n_samples < 10)
    assert neighbors is None or np.isfinite(neighbors).all()


def test_equal_samples_have_no_embedding():
    table = np.repeat([[1.0, 2.0, 3.0]], 30, axis=0)
    assert report_content(ParetoClustering(2, random_state=0).fit(table), table).map.neighbors is None


def test_many_samples_are_embedded_in_part():
    table, _ = make_blobs(1300, 8, centers=6, random_state=0)
    found = report_content(KMeans(6, n_init=1, random_state=0).fit(table), table).map
    is_placed = np.isfinite(found.neighbors).all(axis=1)
    assert is_placed.sum() == 1000
    assert len(found.positions) == 1300


def test_distances_and_documents_are_embedded():
    points, classes = make_blobs(60, 9, centers=5, random_state=0)
    D = cdist(points, points)
    model = ParetoClustering(metric="precomputed", random_state=0).fit(D)
    content = report_content(model, D)
    assert content.heatmaps == {}
    assert content.map.columns == []
    assert same_class(content.map.neighbors, classes) == 1.0
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.4, size=(40, 30)).astype(float))
    counts = counts[counts.sum(axis=1) > 0]
    content = report_content(KMeans(3, n_init=1, random_state=0).fit(counts), counts, sample_kind="document")
    assert np.isfinite(content.map.neighbors).all()


TABLE = pd.DataFrame(
    {
        "height": [1.0, 2.0, np.nan, 30.0, 31.0, 32.0],
        "wood": ["soft", "soft", "soft", "hard", None, "hard"],
        "planted": pd.to_datetime(["2020-01-01"] * 3 + ["2021-01-01"] * 3),
        "wet": [True, False, True, False, False, False],
    }
)
TREES = KMeans(2, n_init=1, random_state=0).fit([[0.0], [0.0], [0.0], [9.0], [9.0], [9.0]])


def test_columns_that_colour_the_map():
    content = report_content(TREES, np.arange(18.0).reshape(6, 3), columns=TABLE, units={"height": "m"})
    columns = {column.name: column for column in content.map.columns}
    assert list(columns) == list(TABLE.columns)
    np.testing.assert_array_equal(columns["height"].values, TABLE["height"])
    assert columns["height"].unit == "m"
    assert [columns["wood"].categories[int(code)] for code in columns["wood"].values[[0, 3]]] == [
        "soft",
        "hard",
    ]
    assert np.isnan(columns["wood"].values[4])
    assert columns["planted"].unit == "date"
    assert columns["planted"].values[0] == pd.Timestamp("2020-01-01").timestamp()
    assert columns["wet"].values.tolist() == [1, 0, 1, 0, 0, 0]


def test_columns_of_the_heatmap_come_first(shown):
    columns = [name for name, _ in shown.heatmaps[0].columns]
    assert len(columns) == 20
    assert {column.name for column in shown.map.columns[:20]} == set(columns)
    assert len(shown.map.columns) == 30


def test_texts_that_are_nearly_unique_colour_nothing():
    table = pd.DataFrame({"height": np.arange(60.0), "remark": [f"remark {row}" for row in range(60)]})
    model = KMeans(2, n_init=1, random_state=0).fit(table[["height"]])
    assert [column.name for column in report_content(model, table).map.columns] == ["height"]


def test_heatmaps_are_limited_by_their_cells():
    table, _ = make_blobs(200, 30, centers=5, random_state=0)
    content = report_content(ParetoClustering(random_state=0).fit(table), table)
    assert content.chosen in content.heatmaps
    for solution, heatmap in content.heatmaps.items():
        assert heatmap.levels.shape == (content.labels[solution].max() + 1, 20)
    assert sum(heatmap.levels.size for heatmap in content.heatmaps.values()) < 4000 + 20 * 20


def test_archive(shown, tmp_path):
    save_content(tmp_path / "content", shown)
    read = load_content(tmp_path / "content")
    np.testing.assert_array_equal(read.map.neighbors, shown.map.neighbors)
    for first, second in zip(read.map.columns, shown.map.columns, strict=True):
        assert (first.name, first.unit, first.categories) == (second.name, second.unit, second.categories)
        np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(read.heatmaps[0].levels, shown.heatmaps[0].levels)
    assert [list(row) for row in read.heatmaps[0].values] == [list(row) for row in shown.heatmaps[0].values]
    assert render(read) == render(shown)


def test_heatmaps_and_embeddings_of_merged_runs(shown):
    order = np.random.default_rng(0).permutation(300)
    names = [f"image {row}" for row in range(300)]
    model = KMeans(8, n_init=1, random_state=0).fit(X[order])
    runs = [
        report_content(MODEL, None, sample_names=names),
        report_content(model, X[order], sample_names=[names[row] for row in order]),
    ]
    merged = merge(runs, ["a", "b"])
    assert merged.heatmaps == {1: runs[1].heatmaps[0]}
    np.testing.assert_array_equal(merged.map.rows, np.arange(300))
    np.testing.assert_array_equal(merged.map.neighbors[order], runs[1].map.neighbors)
    for first, second in zip(merged.map.columns, runs[1].map.columns, strict=True):
        np.testing.assert_array_equal(first.values[order], second.values)


def test_payload(shown):
    data = payload(shown, 25_000_000)
    np.testing.assert_array_equal(decoded(data["map"]["neighbors"]), shown.map.neighbors.astype(np.float32))
    column = data["map"]["columns"][0]
    np.testing.assert_array_equal(decoded(column["values"]), shown.map.columns[0].values)
    assert data["heatmaps"]["0"]["columns"] == shown.heatmaps[0].columns
    np.testing.assert_allclose(data["heatmaps"]["0"]["levels"], shown.heatmaps[0].levels, atol=5e-4)


@pytest.mark.slow
def test_a_page_of_1500_rows_is_small():
    rng = np.random.default_rng(0)
    table, _ = make_blobs(1500, 20, centers=12, random_state=0)
    frame = pd.DataFrame(table, columns=[f"column {column}" for column in range(20)])
    for column in range(10):
        frame[f"kind {column}"] = rng.choice(["first kind", "second kind", "third kind"], 1500)
    frame.index = [f"{row} {rng.integers(1 << 60)}" for row in range(1500)]
    content = report_content(KMeans(12, n_init=1, random_state=0).fit(table), table, columns=frame)
    assert len(content.map.columns) == 30
    assert len(render(content).encode()) < 600_000


def test_ragged_heatmaps_are_damaged(shown, tmp_path):
    from dataclasses import replace

    from moo_clustering.persistence import ArchiveError

    broken = Heatmap(shown.heatmaps[0].columns, shown.heatmaps[0].levels[:, :3], shown.heatmaps[0].values)
    save_content(tmp_path / "content", replace(shown, heatmaps={0: broken}))
    with pytest.raises(ArchiveError, match="inconsistent"):
        load_content(tmp_path / "content")
