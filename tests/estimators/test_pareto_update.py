"""``ParetoClustering.update``: births, deaths, merges, numbers, names, and invariants."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.datasets import DataError

SMALL = {"k_range": [2, 3, 4], "random_state": 0}


def blob(seed, x, y, n=40, spread=1.0):
    return np.random.default_rng(seed).normal([x, y], spread, (n, 2))


@pytest.fixture
def two():
    """Two clusters, and the model of them."""
    X = np.concatenate([blob(0, 0, 0), blob(1, 10, 0)])
    return X, ParetoClustering(**SMALL).fit(X)


def table(seed, n=60, factor=1.0):
    rng = np.random.default_rng(seed)
    tall = np.arange(n) % 2 == 0
    height = rng.normal(np.where(tall, 30.0, 10.0), 1.0) * factor
    return pd.DataFrame({"height": height, "wood": np.where(tall, "soft", "hard")})


def test_a_birth_then_a_death_and_a_merge(two):
    X, model = two
    first = model.labels_
    new = blob(2, 0, 15)
    assert model.update(new) is model
    assert model.n_clusters_ == 3
    assert (model.labels_[:80] == first).all()
    assert (model.labels_[80:] == 2).all()
    changes = model.changes_
    assert (changes.births, changes.merges, changes.splits, len(changes.moved)) == ((2,), {}, {}, 0)
    assert changes.deaths == (0, 1)
    assert changes.drift.n_unlike > 30
    assert "born" in str(changes)
    # Only two of the three clusters receive rows.
    more = np.concatenate([blob(3, 0, 0), blob(4, 0, 15)])
    model.update(more)
    assert model.changes_.births == model.changes_.deaths == ()
    assert model.changes_.inactive == (1,)
    # Rows between two clusters join them.
    between = np.column_stack([np.linspace(-1, 11, 240), np.random.default_rng(5).normal(0, 1, 240)])
    model.update(between)
    everything = np.concatenate([X, new, more, between])
    assert model.changes_.merges == {0: (0, 1)}
    assert model.n_clusters_ == 2
    assert set(model.changes_.moved) == set(np.flatnonzero(everything[:200, 0] > 5))
    assert model.changes_.renumbered == {2: 1}
    assert (model.predict(everything) == model.labels_).all()
    assert len(model.labels_) == len(everything)


def test_a_cluster_is_split_where_a_gap_appears():
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [rng.normal([0, 0], 1, (40, 2)), rng.normal([20, -1.6], 1, (8, 2)), rng.normal([20, 1.6], 1, (8, 2))]
    )
    model = ParetoClustering(**SMALL).fit(X)
    assert model.n_clusters_ == 2
    model.update(np.concatenate([rng.normal([20, -9], 1, (60, 2)), rng.normal([20, 9], 1, (60, 2))]))
    assert model.n_clusters_ >= 3
    assert adjusted_rand_score(model.labels_[56:], np.repeat([0, 1], 60)) > 0.9


@pytest.mark.parametrize("options", [{}, {"n_clusters": 2}, {"noise": "label"}, {"criterion": "modularity"}])
def test_a_copy_of_the_rows_changes_nothing(options):
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [blob(0, 0, 0), blob(1, 6, 0), blob(2, 0, 8, 10), [[60.0, 60.0]], rng.normal(size=(3, 2))]
    )
    X[5] = X[4]
    model = ParetoClustering(**SMALL, **options).fit(X)
    labels, scores, front = model.labels_, model.scores_, model.pareto_front_
    model.update(X[::-1])
    assert (model.labels_ == np.concatenate([labels, labels[::-1]])).all()
    pd.testing.assert_frame_equal(model.scores_, scores)
    assert np.array_equal(model.pareto_front_, front)
    assert model.changes_.births == model.changes_.deaths == ()
    assert not len(model.changes_.moved)
    assert (model.predict(np.concatenate([X, X[::-1]])) == model.labels_).all()


def test_the_order_of_new_rows_does_not_matter(two):
    X, model = two
    new = np.concatenate([blob(2, 0, 15), blob(3, 10, 0, 5)])
    order = np.random.default_rng(0).permutation(len(new))
    other = ParetoClustering(**SMALL).fit(X).update(new[order])
    model.update(new)
    assert (model.labels_[: len(X)] == other.labels_[: len(X)]).all()
    assert (model.labels_[len(X) :][order] == other.labels_[len(X) :]).all()
    pd.testing.assert_frame_equal(model.scores_, other.scores_)


def test_units_and_columns_of_a_table():
    found = []
    for factor in (1.0, 1000.0):
        model = ParetoClustering(**SMALL).fit(table(0, factor=factor))
        new = table(1, 40, factor)
        new["height"] += 50.0 * factor
        model.update(new[["wood", "height"]].assign(more=1))
        found.append(model)
        whole = pd.concat([table(0, factor=factor), new])
        assert (model.predict(whole) == model.labels_).all()
        assert model.table(whole)["cluster"].tolist() == model.labels_.tolist()
    assert (found[0].labels_ == found[1].labels_).all()
    assert len(found[0].changes_.births) == 2
    assert found[0].changes_.drift.columns[0].column == "height"


def test_names_and_labels_are_kept(two):
    X, model = two
    model.rename({0: "left", 1: "right"}).update(blob(2, 0, 15))
    assert model.cluster_names_ == {0: "left", 1: "right"}
    assert model.changes_.names == ("left", "right", "cluster 2")
    # Both clusters merge, and neither has the majority of the samples of the new cluster.
    with pytest.warns(UserWarning, match="these cluster names were dropped.*'left', 'right'"):
        model.update(np.column_stack([np.linspace(-1, 11, 240), blob(5, 0, 0, 240)[:, 1]]))
    assert model.labels_[0] == model.labels_[40]
    assert model.cluster_names_ == {}
    y = np.full(80, -1)
    y[[0, 1, 40, 41]] = [5, 5, 3, 3]
    model = ParetoClustering(**SMALL).fit(X, y)
    model.update(blob(2, 0, 1))
    assert model.classes_.tolist() == [3, 5]
    assert (model.transduction_[80:] == 5).all()
    pairs = ParetoClustering(**SMALL).fit(X, must_link=[[0, 1]], cannot_link=[[0, 40]])
    assert (pairs.update(blob(2, 0, 1)).labels_[80:] == pairs.labels_[0]).all()


def test_a_chosen_partition_stays(two):
    X, model = two
    chosen = model.choose("alternative-0").labels_
    n_clusters = model.n_clusters_
    assert n_clusters != 2
    for rows in (slice(0, 20), slice(30, 60)):
        assert (model.update(X[rows]).labels_[:80] == chosen).all()
        assert not model.changes_.splits
        assert not model.changes_.merges
    # New clusters are still found.
    model.update(np.concatenate([blob(5, 0, 60), blob(6, 60, 0)]))
    assert len(model.changes_.births) >= 1


def test_the_partition_of_a_session_stays(two):
    X, model = two
    halves = np.where(np.arange(80) < 40, X[:, 1] > 0, 2)
    taken = model.take(model.ask().run(halves, budget=30)).labels_
    assert model.n_clusters_ == 3
    assert (model.update(X[:10]).labels_[:80] == taken).all()


def test_more_rows_than_landmarks():
    X = np.concatenate([blob(0, 0, 0, 150), blob(1, 10, 0, 150)])
    model = ParetoClustering(n_landmarks=100, **SMALL).fit(X)
    new = np.concatenate([blob(2, 0, 15, 150), blob(3, 0, 0, 50)])
    model.update(new)
    assert model.n_landmarks_ <= 110
    everything = np.concatenate([X, new])
    truth = np.repeat([0, 1, 2, 0], [150, 150, 150, 50])
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert (model.predict(everything) == model.labels_).all()
    # The first fit has fewer rows than landmarks.
    model = ParetoClustering(n_landmarks=310, **SMALL).fit(X).update(new)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert (model.predict(everything) == model.labels_).all()


def test_the_rest_of_the_fit_works_after_an_update(two):
    X, model = two
    new = blob(2, 0, 15)
    again = ParetoClustering(**SMALL).fit(X).update(new)
    model.update(new)
    assert (again.labels_ == model.labels_).all()
    everything = np.concatenate([X, new])
    assert len(model.describe(everything)) == 3
    assert model.alternative_labels_.shape[1] == model.pareto_labels_.shape[1] == 120
    assert (model.choose("select").choose("auto").labels_ == again.labels_).all()
    assert len(model.ask().answer("apart", samples=(0, 119)).labels_) == 120
    model.relabel(n_clusters=2)
    assert not hasattr(model, "changes_")
    assert model.n_clusters_ == 2


def test_errors_leave_the_fit_unchanged(two):
    X, model = two
    labels = model.labels_
    with pytest.raises(ValueError, match="3 features"):
        model.update(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="minimum of 1"):
        model.update(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="NaN"):
        model.update([[np.nan, 0.0]])
    with pytest.raises(NotFittedError):
        ParetoClustering().update(X)
    assert model.labels_ is labels
    frames = ParetoClustering(**SMALL).fit(table(0))
    with pytest.raises(DataError, match="lacks column 'wood'"):
        frames.update(table(1)[["height"]])
    with pytest.raises(DataError, match="height"):
        frames.update(table(1).assign(height="tall"))
    with pytest.raises(DataError, match="no rows"):
        frames.update(table(1)[:0])
    D = np.abs(X[:, :1] - X[:, 0])
    with pytest.raises(ValueError, match="not support a fit to distances or bags"):
        ParetoClustering(metric="precomputed", **SMALL).fit(D).update(D[:3])
    words = sparse.random(40, 80, 0.2, format="csr", random_state=0)
    with pytest.raises(ValueError, match="not support a fit to data reduced"):
        ParetoClustering(n_components=5, **SMALL).fit(words).update(words[:3])


def test_a_birth_after_a_fit_with_labels():
    X = np.concatenate([blob(0, 0, 0), blob(1, 12, 0), blob(2, 0, -3.5, n=10, spread=0.4)])
    y = [["a", "b"][row // 40] if row < 80 and row % 40 < 4 else None for row in range(90)]
    model = ParetoClustering(**SMALL).fit(X, y).rename({0: "left", 1: "right", 2: "below"})
    first = model.labels_
    assert model.n_clusters_ == 3
    # The third cluster joins the first, and the cluster of new rows gets the number of the third.
    changes = model.update(blob(3, 0, 25, n=60)).changes_
    assert model.labels_[80:].tolist() == [0] * 10 + [2] * 60
    assert (changes.births, changes.renumbered, changes.merges) == ((2,), {}, {0: (0, 2)})
    assert changes.to_frame()["event"][2] == "born"
    assert model.cluster_names_ == {0: "left", 1: "right"}
    assert changes.moved.tolist() == np.flatnonzero(model.labels_[:90] != first).tolist()


def test_data_of_the_first_fit_do_not_suffice(two, tmp_path):
    X, model = two
    frame = pd.DataFrame(X)
    new = blob(2, 0, 15, n=5)
    model.update(new)
    report = lambda X: model.report(tmp_path / "r.html", X)  # noqa: E731
    for call in (model.describe, model.explain, model.table, report, lambda X: model.predict_table(new, X)):
        for first in (X, frame):
            with pytest.raises(ValueError, match="was fitted on 85 samples; pass the rows of"):
                call(first)
    assert len(model.table(np.concatenate([X, new]))) == 85


def test_before_an_update(two):
    X, model = two
    with pytest.raises(AttributeError, match=r"call update\(X\) first"):
        model.changes_  # noqa: B018
    assert not hasattr(model, "changes_")
    assert hasattr(model.update(X[:1]), "changes_")
    assert str(model.changes_).startswith("1 new row; 0 of 80 old rows moved")
    assert not hasattr(model.fit(X), "changes_")
    for call in (model.describe, model.explain, model.table):
        with pytest.raises(NotFittedError, match="This ParetoClustering instance is not fitted yet"):
            getattr(ParetoClustering(), call.__name__)(X)
