"""Embeddings and other directions: the cosine metric, and the criterion of their number of clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import QUICK, ari, partly
from scipy import sparse

from moo_clustering import ParetoClustering
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.validity import GraphModularity

AUTO = QUICK | {"criterion": "auto"}


def embeddings(n_topics=4, per_topic=20, n_features=70, spread=0.12, seed=0):
    """Rows of unit length around ``n_topics`` directions, shape (n_topics * per_topic, n_features)."""
    rng = np.random.default_rng(seed)
    centres = np.linalg.qr(rng.standard_normal((n_features, n_topics)))[0].T
    topics = rng.permutation(np.repeat(np.arange(n_topics), per_topic))
    X = centres[topics] + spread * rng.standard_normal((len(topics), n_features))
    return X / np.linalg.norm(X, axis=1, keepdims=True), topics


X, TOPICS = embeddings()


@pytest.mark.parametrize("n_features", [6, 70])
@pytest.mark.parametrize("weight", [None, 0.2])
def test_scores_by_the_directions_criterion(n_features, weight):
    rows = X[:, :n_features] * np.linspace(1, 5, len(X))[:, None]
    model = ParetoClustering(**AUTO, metric="cosine", criterion_weight=weight).fit(rows)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    if n_features > 50:
        basis = np.linalg.svd(unit, full_matrices=False)[2][:50]
        unit = unit @ basis.T
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    graph = self_tuning_graph(unit, n_neighbors=10)
    expected = [
        GraphModularity().fit(graph).evaluate(row)[0] - 0.1 * np.log(len(np.unique(row)))
        for row in model.pool_.labels
    ]
    scores = model.scores_
    assert model.objective_names_ == ("broad_agreement", "directions")
    assert_allclose(scores.directions, expected, atol=1e-6)
    total = scores.broad_agreement + (2.0 if weight is None else weight) * scores.directions
    assert_allclose(scores.score, total, atol=1e-12)
    assert ari(model.labels_, model.pool_.labels[scores.score.argmax()]) == 1


def test_topics_are_found_with_their_number():
    model = ParetoClustering(metric="cosine", random_state=0).fit(X)
    assert ari(model.labels_, TOPICS) == 1
    assert (model.n_clusters_, model.verdict_) == (4, "clear")
    new, topics = embeddings(seed=0, per_topic=30)
    assert ari(model.predict(new * 3.0), topics) == 1


@pytest.mark.filterwarnings("ignore:no structure beyond noise:UserWarning")
def test_the_default_criterion_of_directions():
    model = ParetoClustering(**AUTO).fit(sparse.csr_array(np.maximum(X, 0)))
    assert model.objective_names_ == ("broad_agreement", "directions")
    assert model.relabel(partly(TOPICS, 2)).objective_names_[:2] == ("broad_agreement", "mixture")
    assert model.relabel(n_clusters=3).objective_names_ == ("agreement", "modularity")
    assert ParetoClustering(**AUTO).fit(X).objective_names_ == ("broad_agreement", "mixture")
    flat = ParetoClustering(**AUTO, metric="cosine").fit(X[:, :3])
    assert flat.objective_names_ == ("broad_agreement", "minimax_silhouette")


def test_lengths_of_rows_do_not_matter():
    base = ParetoClustering(**AUTO, metric="cosine").fit(X)
    lengths = 2.0 ** np.random.default_rng(1).integers(-4, 5, len(X))
    for other in (X * lengths[:, None], sparse.csr_array(X), X.astype(np.float32), X.tolist()):
        model = ParetoClustering(**AUTO, metric="cosine").fit(other)
        assert_array_equal(model.labels_, base.labels_)
        assert_allclose(model.scores_.score, base.scores_.score, atol=1e-5)


@pytest.mark.parametrize("scale", ["auto", "standard", "isotropic"])
def test_the_scale_is_ignored(scale):
    units = X * np.linspace(1, 50, X.shape[1])
    base = ParetoClustering(**AUTO, metric="cosine", scale="none").fit(units)
    model = ParetoClustering(**AUTO, metric="cosine", scale=scale).fit(units)
    assert_array_equal(model.labels_, base.labels_)


def test_numbers_of_one_byte(tmp_path, monkeypatch):
    """int8, also memory-mapped, equals the same numbers in double precision, whatever is read at once."""
    small = np.clip(np.round(X * 300), -128, 127).astype(np.int8)
    small[0] = -128
    base = ParetoClustering(**AUTO, metric="cosine").fit(small.astype(np.float64))
    np.save(tmp_path / "small.npy", small)
    mapped = np.load(tmp_path / "small.npy", mmap_mode="r")
    for table in (small, mapped):
        assert_array_equal(ParetoClustering(**AUTO, metric="cosine").fit(table).labels_, base.labels_)
    monkeypatch.setattr("moo_clustering.estimators._pareto_landmarks.AT_ONCE", 7 * X.shape[1])
    model = ParetoClustering(**AUTO, metric="cosine").fit(mapped)
    # The components of as many rows as columns are those of nearly all rows.
    assert ari(model.labels_, base.labels_) == 1
    assert_array_equal(model.predict(small), model.labels_)


def test_update_with_unreduced_directions():
    few = X[:, :20]
    model = ParetoClustering(**AUTO, metric="cosine").fit(few[:60])
    labels = model.update(few[60:] * 5.0).labels_
    assert ari(labels, ParetoClustering(**AUTO, metric="cosine").fit(few).labels_) == 1
    reduced = ParetoClustering(**AUTO, metric="cosine").fit(X[:60])
    with pytest.raises(ValueError, match="does not support a fit to data reduced to components"):
        reduced.update(X[60:])


def test_unusual_rows():
    odd = X.copy()
    odd[3] = 0.0
    with pytest.warns(UserWarning, match="1 of 80 rows of X contain only zeros, so their directions are"):
        assert np.isfinite(ParetoClustering(**AUTO, metric="cosine").fit(odd).scores_.score).all()
    odd[3] = X[3] * 1e5
    with pytest.warns(UserWarning, match=r"values in rows of X range from .* check that all rows come"):
        ParetoClustering(**AUTO, metric="cosine").fit(odd)
    odd[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN: column 2 has 1, .* row 3; drop these rows, or comp"):
        ParetoClustering(**AUTO, metric="cosine").fit(odd)
    # Rows of one direction differ by rounding only.
    lengths = np.outer(np.arange(1, 21), [1.0, 2.0, 3.0])
    model = ParetoClustering(**AUTO, metric="cosine").fit(lengths)
    assert model.verdict_remarks_ == ("all samples are identical",)
    few = np.concatenate([embeddings(2, 15, 8)[0], np.zeros((6, 8))])
    with pytest.warns(UserWarning, match="6 of 36 rows"):
        found = ParetoClustering(**AUTO, metric="cosine").fit(few)
    assert any("contains only empty rows and is not assessed" in remark for remark in found.verdict_remarks_)


def test_report_of_embeddings(tmp_path):
    model = ParetoClustering(**AUTO, metric="cosine").fit(X)
    page = model.report(tmp_path / "page.html", X=X.astype(np.float32))
    assert page.path.stat().st_size > 10_000
