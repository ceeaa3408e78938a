"""What is said of clusters, derived anew."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_samples
from sklearn.metrics.pairwise import cosine_distances

import moo_clustering.visualization.report.describe as sampling
from moo_clustering.bags import Bags, bag_distances
from moo_clustering.descriptions import describe_columns, human_number
from moo_clustering.estimators import BAMIC, NSGA2Clus, ParetoClustering, SphericalKMeans
from moo_clustering.visualization.report import report_content

X, CLASSES = make_blobs(70, 4, centers=3, cluster_std=3.0, random_state=2)
X[:, 3] *= 1000.0
Z = make_blobs(70, 6, centers=5, cluster_std=3.0, random_state=2)[0]


class Labelled(KMeans):
    """Given labels."""

    def fit(self, X, y=None):
        self.labels_ = np.asarray(y)
        return self


def check_silhouettes(content, D):
    """Against scikit-learn, of every solution that has at least two clusters."""
    overall = next(column for column in content.columns if column.name == "silhouette")
    for place, labels in enumerate(content.labels):
        values = silhouette_samples(D, labels, metric="precomputed")
        assert overall.values[place] == pytest.approx(values.mean(), abs=1e-9)
        for cluster, facts in enumerate(content.clusters[place]):
            assert facts.silhouette == pytest.approx(values[labels == cluster].mean(), abs=1e-9)


def test_silhouettes_of_all_solutions_are_those_of_the_scaled_table():
    model = ParetoClustering(3, random_state=0).fit(X)
    check_silhouettes(report_content(model, X), cdist(*[(X - X.mean(axis=0)) / X.std(axis=0)] * 2))


def test_silhouettes_of_directions():
    model = NSGA2Clus(k_max=4, random_state=0).fit(X)
    D = cosine_distances(X)
    np.fill_diagonal(D, 0.0)
    check_silhouettes(report_content(model, X), D)


def test_silhouettes_of_given_distances():
    D = cdist(X, X)
    model = ParetoClustering(3, metric="precomputed", random_state=0).fit(D)
    content = report_content(model, D)
    check_silhouettes(content, D)
    for cluster, facts in enumerate(content.clusters[content.chosen]):
        inside = np.flatnonzero(model.labels_ == cluster)
        sums = D[np.ix_(inside, inside)].sum(axis=1)
        assert facts.typical == tuple(inside[np.argsort(sums, kind="stable")][:5])
        assert facts.features == ()


def test_a_sample_alone_and_clusters_without_samples():
    labels = np.array([0] * 30 + [2] + [3] * 39)
    content = report_content(Labelled().fit(X, labels), X)
    values = silhouette_samples(X, labels)
    facts = content.clusters[0]
    assert [each.silhouette for each in facts] == [
        pytest.approx(values[:30].mean()),
        pytest.approx(np.nan, nan_ok=True),
        0.0,
        pytest.approx(values[31:].mean()),
    ]
    assert [len(each.typical) for each in facts] == [5, 0, 1, 5]
    assert facts[1].features == ()


def test_of_many_samples_some_are_looked_at(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_ROWS", 30)
    monkeypatch.setattr(sampling, "FEWEST_ROWS", 30)
    labels = np.r_[CLASSES[:69], 3]
    content = report_content(Labelled().fit(X, labels), X, random_state=0)
    assert "Silhouettes are computed from a random subset of 30 of 70 samples." in content.missing
    rows = np.sort(np.random.default_rng(0).choice(70, 30, replace=False))
    values = silhouette_samples(X[rows], labels[rows])
    for cluster in range(3):
        found = content.clusters[0][cluster].silhouette
        assert found == pytest.approx(values[labels[rows] == cluster].mean())
    # Typical samples are looked for among all.
    assert content.clusters[0][3].typical == (69,)


def test_blocks_change_nothing(monkeypatch):
    model = ParetoClustering(3, random_state=0).fit(X)
    whole = report_content(model, X)
    monkeypatch.setattr(sampling, "BLOCK_ITEMS", 1)
    parts = report_content(model, X)
    for first, second in zip(whole.columns, parts.columns, strict=True):
        np.testing.assert_allclose(first.values, second.values, rtol=1e-12)


def test_typical_samples_are_nearest_to_the_mean_and_contrasts_are_medians():
    content = report_content(Labelled().fit(X, CLASSES), X, feature_names=["a", "b", "c", "d"])
    found = describe_columns(CLASSES, pd.DataFrame(X, columns=list("abcd")))
    assert content.cluster_names[0] == found.names
    for cluster, facts in enumerate(content.clusters[0]):
        inside = np.flatnonzero(cluster == CLASSES)
        away = np.linalg.norm(X[inside] - X[inside].mean(axis=0), axis=1)
        assert facts.typical == tuple(inside[np.argsort(away)][:5])
        assert facts.features == ()
        assert facts.nearest == found[cluster].nearest
        assert facts.contrasts == tuple((c.column, c.value, c.other) for c in found[cluster].contrasts)
        name, value, _ = facts.contrasts[0]
        assert value == human_number(np.median(X[inside, "abcd".index(name)]))


def test_equal_samples_are_typical_in_their_order():
    table = np.repeat(X[:10], 4, axis=0)
    content = report_content(Labelled().fit(table, np.repeat([0, 1], 20)), table)
    for facts in content.clusters[0]:
        first = facts.typical[0]
        assert facts.typical[:4] == (first, first + 1, first + 2, first + 3)


def test_order_of_samples_and_numbers_of_clusters_do_not_matter():
    order = np.random.default_rng(0).permutation(70)
    numbers = np.array([2, 0, 1])
    first = report_content(Labelled().fit(X, CLASSES), X)
    second = report_content(Labelled().fit(X[order], numbers[CLASSES[order]]), X[order])
    for cluster, facts in enumerate(first.clusters[0]):
        other = second.clusters[0][numbers[cluster]]
        assert facts.silhouette == pytest.approx(other.silhouette)
        assert facts.typical == tuple(int(order[row]) for row in other.typical)
        assert facts.contrasts == other.contrasts
        assert facts.name == other.name
    np.testing.assert_allclose(np.abs(first.map.positions[order]), np.abs(second.map.positions), atol=1e-8)


def weights_and_terms():
    rng = np.random.default_rng(0)
    weights = sparse.random(40, 25, 0.3, random_state=0, format="csr")
    labels = np.arange(40) % 3
    return weights, labels, [f"term {rng.integers(100)}-{i}" for i in range(25)]


def test_terms_of_documents_are_those_of_the_largest_mean_weight():
    weights, labels, terms = weights_and_terms()
    content = report_content(
        Labelled().fit(weights, labels), weights, feature_names=terms, sample_kind="document"
    )
    assert content.features_title == "leading terms, by mean weight"
    dense = weights.toarray()
    unit = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    for cluster, facts in enumerate(content.clusters[0]):
        inside = np.flatnonzero(labels == cluster)
        means = dense[inside].mean(axis=0)
        order = np.argsort(-means, kind="stable")[:10]
        assert facts.features == tuple((terms[i], pytest.approx(means[i])) for i in order if means[i] > 0)
        near = unit[inside] @ unit[inside].mean(axis=0)
        assert facts.typical == tuple(inside[np.argsort(-near)][:5])


def test_documents_without_terms_are_no_obstacle():
    weights, labels, _ = weights_and_terms()
    weights = sparse.vstack([weights, sparse.csr_matrix((2, 25))]).tocsr()
    labels = np.r_[labels, 0, 3]
    content = report_content(Labelled().fit(weights, labels), weights)
    assert content.clusters[0][3].typical == (41,)
    assert content.clusters[0][3].features == ()
    assert content.map.positions.shape == (42, 2)


def test_medoids_of_the_method_come_first():
    model = NSGA2Clus(k_max=6, random_state=0).fit(Z)
    assert len(model.pareto_front_) > 2
    for row in range(len(model.pareto_front_)):
        chosen = model.choose(row)
        content = report_content(chosen, Z)
        assert [facts.typical[0] for facts in content.clusters[row]] == chosen.medoid_indices_.tolist()
        for cluster, facts in enumerate(content.clusters[row]):
            assert len(set(facts.typical)) == min(5, (chosen.labels_ == cluster).sum())
            assert (chosen.labels_[list(facts.typical)] == cluster).all()


def test_bags():
    bags = Bags.from_list([X[start : start + 2] for start in range(0, 70, 2)])
    model = BAMIC(3, random_state=0).fit(bags)
    content = report_content(model, bags)
    low, high = X.min(axis=0), X.max(axis=0)
    D = bag_distances(Bags((bags.instances - low) / (high - low), bags.offsets), kind="symmetric")
    check_silhouettes(content, D)
    for cluster, facts in enumerate(content.clusters[0]):
        inside = np.flatnonzero(model.labels_ == cluster)
        order = inside[np.argsort(D[np.ix_(inside, inside)].sum(axis=1), kind="stable")]
        rest = [row for row in order.tolist() if row != model.medoid_indices_[cluster]]
        assert facts.typical == (model.medoid_indices_[cluster], *rest)[:5]
    found = describe_columns(model.labels_, pd.DataFrame(bags.means(), columns=["x0", "x1", "x2", "x3"]))
    assert [facts.name for facts in content.clusters[0]] == found.names


def test_first_the_result_and_what_rules_take_then_the_others_are_described():
    model = NSGA2Clus(k_max=6, random_state=0).fit(Z)
    whole = report_content(model, Z)
    wanted = {whole.chosen, *whole.rules.values()}
    assert len(wanted) < whole.n_solutions
    few = report_content(model, Z, max_described=len(wanted))
    assert few.clusters.keys() == wanted
    assert (
        f"Only the clusters of {len(wanted)} of {whole.n_solutions} solutions are described." in few.missing
    )
    assert report_content(model, Z, max_described=0).clusters == {}


def test_huge_and_constant_features():
    table = np.column_stack([X[:, 0] * 1e200, np.full(70, 0.1), X[:, 1] * 1e-200])
    usual = describe_columns(CLASSES, pd.DataFrame({"x0": X[:, 0], "x2": X[:, 1]}))
    content = report_content(Labelled().fit(X, CLASSES), table)
    for facts, expected in zip(content.clusters[0], usual, strict=True):
        assert [name for name, *_ in facts.contrasts] == [c.column for c in expected.contrasts]
        assert facts.name == expected.name


def test_spherical_kmeans_is_judged_by_direction():
    model = SphericalKMeans(3, random_state=0).fit(np.abs(X))
    D = cosine_distances(np.abs(X))
    np.fill_diagonal(D, 0.0)
    check_silhouettes(report_content(model, np.abs(X)), D)


def test_of_equal_terms_the_first_columns_lead():
    weights = sparse.csr_matrix(np.tile([3.0, *[1.0] * 15, 2.0], (4, 1)))
    content = report_content(Labelled().fit(weights, np.array([0, 0, 1, 1])), weights * 0.5)
    assert [name for name, _ in content.clusters[0][0].features] == [
        "x0",
        "x16",
        *(f"x{i}" for i in range(1, 9)),
    ]


def test_many_columns_are_compared_for_the_result_only(monkeypatch):
    model = NSGA2Clus(k_max=6, random_state=0).fit(Z)
    whole = report_content(model, Z)
    monkeypatch.setattr(sampling, "_MOST_COMPARED", 0)
    few = report_content(model, Z)
    named = [place for place, facts in few.clusters.items() if any(each.contrasts for each in facts)]
    assert named == [few.chosen] == list(few.cluster_names)
    pairs = zip(few.clusters[few.chosen], whole.clusters[few.chosen], strict=True)
    assert all(one.contrasts == other.contrasts for one, other in pairs)


def test_the_medoid_of_the_method_is_the_first_typical_sample():
    samples = sampling.Samples("features", points=X, table=X)
    labels = np.arange(70, dtype=np.int32) % 2
    nearest = sampling.typical_rows(samples, labels, None)
    medoids = np.array([rows[-1] for rows in nearest])
    found = sampling.typical_rows(samples, labels, medoids)
    assert [rows[0] for rows in found] == medoids.tolist()
    assert [set(rows) for rows in found] == [set(rows) for rows in nearest]
    # Medoids of other clusters, such as those before small clusters were merged, are ignored.
    assert sampling.typical_rows(samples, labels, medoids[::-1]) == nearest
    assert sampling.typical_rows(samples, labels, medoids[:1]) == nearest
