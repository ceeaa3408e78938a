"""Too little data, and data, labels and parameters that make no sense."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import CLASSES, QUICK, X, partly

from moo_clustering import ParetoClustering

FEW_FAMILIES = pytest.mark.filterwarnings("ignore:omitted from the pool")


def test_no_sample_and_one():
    for n in (0, 1):
        with pytest.raises(ValueError, match=f"{n} sample"):
            ParetoClustering().fit(X[:n])


@pytest.mark.slow
@FEW_FAMILIES
@pytest.mark.parametrize("n", [2, 3, 4, 6, 11])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_few_samples(n, metric):
    rows = X[:n]
    if metric == "precomputed":
        rows = np.linalg.norm(rows[:, None] - rows, axis=2)
    for k in {None, 1, 2, n - 1, n}:
        model = ParetoClustering(k, metric=metric, random_state=0).fit(rows)
        assert model.labels_.shape == (n,)
        assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
        assert k is None or model.n_clusters_ == k
    y = np.full(n, -1)
    y[[0, n - 1]] = 0, 1
    model.relabel(y)
    assert_array_equal(model.labels_[[0, n - 1]], [0, 1])
    must = ParetoClustering(metric=metric, random_state=0).fit(rows, must_link=[(0, n - 1)])
    assert must.labels_[0] == must.labels_[n - 1]
    apart = ParetoClustering(2, metric=metric, random_state=0).fit(rows, cannot_link=[(0, n - 1)])
    assert apart.n_clusters_ == 2
    assert ParetoClustering(metric=metric, novel="allow", random_state=0).fit(rows, y).labels_.shape == (n,)


@pytest.mark.filterwarnings("error")
def test_a_trivial_pool():
    for rows in (X[:2], np.ones((20, 3)), np.zeros((5, 1))):
        model = ParetoClustering(random_state=0).fit(rows)
        assert model.pool_.families == ("trivial",)
        assert np.isnan(model.confidence_)
        assert_array_equal(model.labels_, 0)
        assert len(model.alternatives_) == 0
        assert model.alternatives_["confidence"].dtype == float
        assert_array_equal(model.predict(rows), 0)
        assert_array_equal(model.pareto_labels_, np.zeros((1, len(rows))))
        assert_array_equal(model.choose("select").labels_, 0)
        with pytest.raises(ValueError, match=r"samples.*; fit again to all samples"):
            model.update(np.repeat(rows[:1] + 1.0, 9, axis=0))


def test_equal_rows():
    rows = np.ones((20, 3))
    with pytest.warns(UserWarning, match="only 1 of n_clusters=.* fewer distinct rows"):
        assert ParetoClustering(4, random_state=0).fit(rows).n_clusters_ == 1
    y = np.full(20, -1)
    y[[3, 8]] = 0, 1
    model = ParetoClustering(random_state=0).fit(rows, y)
    assert_array_equal(model.transduction_[[3, 8]], [0, 1])
    np.testing.assert_allclose(model.predict_proba_[y < 0], 0.5)
    assert ParetoClustering(novel="allow", random_state=0).fit(rows, y).n_clusters_ == 1


@FEW_FAMILIES
def test_few_distinct_rows():
    rows = np.repeat([[0.0, 1.0], [2.0, 2.0]], 15, axis=0)
    for k in (None, 2):
        assert_array_equal(ParetoClustering(k, random_state=0).fit(rows).labels_, np.repeat([0, 1], 15))
    with pytest.warns(
        UserWarning,
        match="only 2 of n_clusters=.* or groups joined by must-links, than",
    ):
        model = ParetoClustering(3, random_state=0).fit(rows)
    assert model.n_clusters_ == 2
    with pytest.warns(UserWarning, match=r"only 2 of n_clusters=\(3, 4\) .* fewer distinct rows"):
        assert model.relabel(n_clusters=(3, 4)).n_clusters_ == 2
    model.relabel(n_clusters=None).update(np.repeat([[0.0, 1.0], [2.0, 2.0]], 4, axis=0))
    assert_array_equal(model.labels_, np.repeat([0, 1, 0, 1], [15, 15, 4, 4]))


def test_one_feature():
    line = np.concatenate([np.linspace(0, 1, 30), np.linspace(9, 10, 30)])[:, None]
    assert_array_equal(ParetoClustering(random_state=0).fit(line).labels_, np.repeat([0, 1], 30))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.where(X[0, 0] == X, np.nan, X), "NaN"),
        (np.where(X[0, 0] == X, np.inf, X), "infinity"),
        ([["a", "b"]] * 20, "requires numbers.*prepare_table"),
        (X[:, 0], "Expected 2D array"),
        (X[:, :0], "0 feature"),
        (X * 1j, "Complex"),
        (pd.DataFrame({"a": ["x"] * 20}), "no usable columns remain: 'a' .constant"),
    ],
)
def test_tables_that_are_none(rows, message):
    with pytest.raises(ValueError, match=message):
        ParetoClustering().fit(rows)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (CLASSES[:-1], r"\(90\), got 89"),
        (np.eye(3)[CLASSES], "one class per sample"),
        (X[:, 0], "continuous"),
    ],
)
def test_labels_that_are_none(y, message):
    with pytest.raises(ValueError, match=message):
        ParetoClustering(**QUICK).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_clusters", 0),
        ("n_clusters", 2.0),
        ("n_clusters", "auto"),
        ("families", "km"),
        ("k_range", 5),
        ("scale", "minmax"),
        ("metric", "manhattan"),
        ("n_neighbors", 0),
        ("criterion_weight", -0.1),
        ("criterion", "silhouette"),
        ("method", "best"),
        ("kernel", "rbf"),
        ("novel", True),
        ("clamp", "yes"),
        ("class_prior", [0.5, 0.5]),
        ("pairs", "maybe"),
        ("n_components", 0),
        ("n_gen", -1),
        ("pop_size", 1),
        ("engine", "ga"),
        ("n_landmarks", 9),
        ("views", [[0]]),
        ("random_state", "a"),
        ("checkpoint_every", 0),
    ],
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of ParetoClustering must be"):
        ParetoClustering(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 91}, ValueError, "n_clusters=91 must not exceed the number of samples, 90"),
        ({"families": ["kmeans"]}, ValueError, "families must be among km, ward, .*got 'kmeans'"),
        ({"k_range": [1]}, ValueError, "k_range must be from 2 to 89"),
        ({"k_range": [90]}, ValueError, "k_range must be from 2 to 89"),
        ({"k_range": []}, ValueError, "at least one"),
        ({"k_range": [2.5]}, TypeError, "must contain integers"),
        ({"kernel": "bags"}, ValueError, "requires labels of every class"),
    ],
)
def test_parameters_that_do_not_fit_the_data(options, error, message):
    with pytest.raises(error, match=message):
        ParetoClustering(**options).fit(X)


def test_bag_kernels_of_a_table():
    with pytest.raises(ValueError, match="requires bags of instances, got a table"):
        ParetoClustering(kernel="bags").fit(X, partly(CLASSES, 2))
