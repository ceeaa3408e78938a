"""Further figures, as they fit the method and the data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

import moo_clustering.visualization.report.describe as module
from moo_clustering.bags import Bags
from moo_clustering.estimators import (
    BAMIC,
    CHCMIC,
    MemeticKMeans,
    NSGA2Clus,
    ParetoClustering,
    SpectralGraphClustering,
    SphericalKMeans,
)
from moo_clustering.visualization import bag_distance_data
from moo_clustering.visualization.report import report_content

X, CLASSES = make_blobs(60, 4, centers=3, random_state=1)
BAGS = Bags.from_list(
    [X[start : start + 2] for start in range(0, 60, 2)], bag_ids=[f"bag {i}" for i in range(30)]
)


def panel(content, title):
    (found,) = (each for each in content.panels if each.title == title)
    return found


def test_distances_of_bags_in_the_order_of_their_clusters():
    model = BAMIC(3, normalize=False, random_state=0).fit(BAGS)
    content = report_content(model, BAGS)
    found = panel(content, "Hausdorff distances between bags")
    data = bag_distance_data(BAGS, model.labels_)
    np.testing.assert_allclose(found.matrix, data.distances)
    assert list(found.x) == [f"bag {row}" for row in data.order] == list(found.y)
    assert content.sample_kind == "bag"
    assert content.sample_names.tolist() == [f"bag {row}" for row in range(30)]


def test_similarity_and_eigenvalues_of_graphs():
    model = SpectralGraphClustering(3, random_state=0).fit(X)
    content = report_content(model, X)
    order = np.argsort(model.labels_, kind="stable")
    found = panel(content, "Similarity of samples")
    np.testing.assert_allclose(found.matrix, model.similarity_.toarray()[np.ix_(order, order)])
    first = np.bincount(model.labels_)[0]
    assert f"0 (1 to {first})" in found.note
    (numbers, values) = panel(content, "Smallest eigenvalues of the Laplacian").series["eigenvalue"]
    np.testing.assert_array_equal(values, model.eigenvalues_)
    np.testing.assert_array_equal(numbers, np.arange(1, len(values) + 1))


def test_large_matrices_are_means_of_blocks(monkeypatch):
    monkeypatch.setattr(module, "MOST_SIDE", 6)
    model = SpectralGraphClustering(3, random_state=0).fit(X)
    found = panel(report_content(model, X), "Similarity of samples")
    assert found.matrix.shape == (6, 6)
    assert "about 10 x 10 similarities" in found.note
    assert found.matrix.mean() == pytest.approx(model.similarity_.mean())


def test_how_much_of_the_pool_has_two_samples_together():
    model = ParetoClustering(3, random_state=0).fit(X)
    found = panel(report_content(model, X), "Share of the pool that joins two samples")
    np.testing.assert_allclose(found.matrix, found.matrix.T)
    np.testing.assert_allclose(np.diag(found.matrix), found.matrix.max())
    clusters = np.sort(model.labels_)
    same = clusters[:, None] == clusters
    assert found.matrix[same].mean() > 2 * found.matrix[~same].mean()


def test_landmarks_stand_for_their_samples():
    model = ParetoClustering(3, n_landmarks=20, random_state=0).fit(X)
    found = panel(report_content(model, X), "Share of the pool that joins two samples")
    # Landmarks that no sample is nearest to are left out.
    assert found.matrix.shape == (model.n_landmarks_, model.n_landmarks_)
    assert 15 <= model.n_landmarks_ <= 20
    assert found.note.startswith("Landmarks, which represent many samples, are ordered by cluster.")


def test_terms_of_the_clusters_of_documents():
    weights = sparse.random(30, 20, 0.3, random_state=0, format="csr")
    model = SphericalKMeans(3, random_state=0).fit(weights)
    content = report_content(
        model, weights, feature_names=[f"t{i}" for i in range(20)], sample_texts=["x"] * 30
    )
    bars = [each for each in content.panels if each.kind == "bars"]
    assert len(bars) == 3
    for cluster, each in enumerate(bars):
        assert tuple(zip(each.x, each.y, strict=True)) == content.clusters[0][cluster].features
        assert each.note == f"{np.sum(model.labels_ == cluster)} documents"
    assert content.sample_kind == "document"


def test_roc_curves_that_are_given():
    curves = {"mean": ([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])}
    found = panel(
        report_content(NSGA2Clus(k_max=3, random_state=0).fit(X), X, roc_curves=curves), "ROC curves"
    )
    assert list(found.series) == ["mean (area 0.750)", "chance"]
    with pytest.raises(ValueError, match="must be ascending"):
        report_content(NSGA2Clus(k_max=3, random_state=0).fit(X), roc_curves={"a": ([0, 1], [1, 0.5])})


@pytest.mark.parametrize(
    ("model", "data", "columns"),
    [
        (
            NSGA2Clus(k_max=3, pop_size=8, n_gen=3, random_state=0),
            X,
            {"generation", "best_xie_beni", "best_i_index"},
        ),
        (MemeticKMeans(3, max_distance_evaluations=20_000, random_state=0), X, {"generation", "inertia"}),
        (CHCMIC(3, pop_size=8, n_gen=3, random_state=0), BAGS, {"generation", "min", "avg"}),
        (BAMIC(3, random_state=0), BAGS, {"generation", "inertia"}),
    ],
)
def test_the_course_of_the_search(model, data, columns):
    history = report_content(model.fit(data), data).history
    assert history.columns[0] == "generation"
    assert columns <= set(history.columns)


def test_no_search_no_course():
    model = ParetoClustering(3, random_state=0).fit(X)
    assert report_content(model, X).history is None
