"""What MOCK, SRMOSC and FuzzyModesMOGA say of input that is no good, and of none that is."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import MOCK, SRMOSC, FuzzyModesMOGA
from moo_clustering.estimators import mock
from moo_clustering.estimators.fuzzy_modes import NumberCoder
from moo_clustering.persistence import CheckpointMismatchError
from moo_clustering.problems import SRMOSCProblem


def taxi(a, b):
    """A metric."""
    return np.abs(a - b).sum()


def steps(a, b):
    """Another one."""
    return np.abs(a - b).max()


QUICK = {"pop_size": 12, "n_gen": 3, "random_state": 0}
NUMERIC = [MOCK(2, **QUICK), SRMOSC(2, **QUICK)]


@pytest.fixture(scope="module")
def X():
    return make_blobs(60, centers=3, random_state=0)[0]


@pytest.mark.parametrize("model", NUMERIC)
@pytest.mark.parametrize(
    ("table", "named"),
    [
        (pd.DataFrame({"size": [1, 2, 3], "hue": ["r", "g", "r"]}), "column 'hue' (such as 'r');"),
        (
            pd.DataFrame({"size": [1, 2, 3], "hue": pd.Categorical(list("abc"))}),
            "column 'hue' (such as 'a');",
        ),
        (
            pd.DataFrame({"a": ["x", None, "y"], "b": [1, 2, 3], "c": list("345")}),
            "column 'a' (such as 'x');",
        ),
        (pd.DataFrame({"b": [1, 2], "day": pd.date_range("2020", periods=2)}), "column 'day' (such as "),
        (
            np.array([[1, "u", "v"], [2, 3, "w"]], dtype=object),
            "column 1 (such as 'u'), column 2 (such as 'v');",
        ),
        ([["1", "z"], ["2", "y"]], "column 1 (such as 'z');"),
    ],
)
def test_columns_without_numbers_are_named(model, table, named):
    with pytest.raises(ValueError, match="requires numbers") as error:
        model.fit(table)
    assert named in str(error.value)
    assert "prepare_table(frame).X" in str(error.value)
    assert "FuzzyModesMOGA" in str(error.value)


@pytest.mark.parametrize("model", NUMERIC)
def test_other_faults_are_left_to_scikit_learn(model, X):
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(pd.DataFrame({"a": [1, np.nan, 2], "b": [1, 2, 3]}))
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.fit(X[:, 0])
    numbers = pd.DataFrame({"a": [str(v) for v in X[:, 0]], "b": X[:, 1]})
    np.testing.assert_array_equal(model.fit(numbers).labels_, model.fit(X).labels_)


def test_a_bad_rule_is_refused_before_any_work(X, monkeypatch):
    monkeypatch.setattr(mock, "locus_graph", lambda *args, **kwargs: pytest.fail("worked"))
    with pytest.raises(ValueError, match="unknown rule 'deviation'"):
        MOCK(2, select="deviation").fit(X)


@pytest.mark.parametrize("rule", [None, 1.5, "neer"])
@pytest.mark.parametrize("model", [SRMOSC(3, **QUICK), FuzzyModesMOGA(3, **QUICK), MOCK(3, **QUICK)])
def test_all_rules_are_named(model, rule, X):
    own = {"SRMOSC": "'consensus'", "FuzzyModesMOGA": "'cspa'", "MOCK": "'attainment'"}[type(model).__name__]
    with pytest.raises(ValueError, match=f"unknown rule.*{own}.*a row index or a callable"):
        model.fit(X).choose(rule)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize("factor", [1e-30, 1e-290, 1e150, 1e305])
def test_numbers_of_any_size_are_scaled_alike(factor, scale, X):
    table = X / abs(X).max()
    one = FuzzyModesMOGA(3, metric="euclidean", scale=scale, **QUICK).fit(table)
    other = FuzzyModesMOGA(3, metric="euclidean", scale=scale, **QUICK).fit(table * factor)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(other.modes_ / factor, one.modes_, rtol=1e-9)
    np.testing.assert_array_equal(other.predict(table * factor), one.predict(table))


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
def test_coded_numbers(scale):
    columns = [pd.Series([1.0, 2.0, 5.0], name="a"), pd.Series([7, 7, 7], name="b")]
    coder = NumberCoder(columns, scale)
    coded = coder.encode(columns)
    a = {
        "minmax": [0, 0.25, 1],
        "standard": (np.array([1, 2, 5]) - 8 / 3) / np.std([1, 2, 5]),
        "none": [1, 2, 5],
    }
    np.testing.assert_allclose(coded[:, 0], a[scale], atol=1e-15)
    np.testing.assert_array_equal(coded[:, 1], 7 if scale == "none" else 0)
    np.testing.assert_allclose(coder.decode(coded), [[1, 7], [2, 7], [5, 7]], rtol=1e-15)


def test_one_solution_is_voted_for_without_noise(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FuzzyModesMOGA(3, **QUICK).fit(X[:3])
    assert len(model.pareto_front_) == 1
    assert model.labels_.tolist() == [0, 1, 2]


@pytest.mark.slow
def test_a_warning_of_too_many_parts_comes_once(X):
    far = np.concatenate([X, X + 1000, X - 1000])
    with pytest.warns(UserWarning, match="components") as caught:
        model = SRMOSC(2, bridge=False, **QUICK).fit(far)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(model.pareto_labels_) == len(model.pareto_front_)


def test_numbers_too_large_or_too_far_away_for_products(X):
    with pytest.raises(ValueError, match=r"overflow.*rescale"):
        SRMOSC(2, scale="none", **QUICK).fit(X * 1e200)
    with pytest.warns(UserWarning, match="subtract the means or scale"):
        SRMOSCProblem(X + 1e8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SRMOSCProblem(X + 1e4)
        SRMOSCProblem(np.full((5, 2), 1e8))
        SRMOSC(2, **QUICK).fit(X + 1e8)


def test_advice_against_memory_is_about_what_was_asked(X):
    with pytest.raises(ValueError, match=r"a front requires .*; decrease n_candidates, or increase") as error:
        SRMOSC(3, max_memory=10).fit(X)
    assert "pop_size" not in str(error.value)
    with pytest.raises(
        ValueError, match=r"set n_candidates=None \(10 .*, decrease pop_size, decrease n_candidates"
    ):
        SRMOSCProblem(X, n_candidates=30, max_memory=10, pop_size=8)


def test_checkpoints_of_another_method_are_refused_in_one_sentence(X, tmp_path):
    path = tmp_path / "c.npz"
    FuzzyModesMOGA(3, checkpoint=path, **QUICK).fit(X)
    with pytest.raises(CheckpointMismatchError) as error:
        MOCK(3, checkpoint=path, resume=True, **QUICK).fit(X)
    assert str(error.value).endswith(
        "to another run: method is 'FuzzyModesMOGA' in the checkpoint but 'MOCK' here; "
        "continue with the original data and parameters, or choose another file"
    )


@pytest.mark.filterwarnings("ignore:no solution in the front")
def test_functions_in_checkpoints_go_by_their_name(X, tmp_path):
    options = {**QUICK, "checkpoint": tmp_path / "c.npz"}
    first = MOCK(3, metric=taxi, **options).fit(X)
    again = MOCK(3, metric=taxi, resume=True, **options).fit(X)
    np.testing.assert_array_equal(first.pareto_front_, again.pareto_front_)
    with pytest.raises(CheckpointMismatchError, match=r"taxi' in the checkpoint but .*steps' here"):
        MOCK(3, metric=steps, resume=True, **options).fit(X)


@pytest.mark.parametrize("n_clusters", [0, -1, 2.5, "two"])
def test_numbers_of_clusters_to_choose_are_checked(n_clusters, X):
    model = MOCK(3, **QUICK).fit(X)
    with pytest.raises(ValueError, match="n_clusters must be a positive integer, None or 'fitted', got"):
        model.choose("variance", n_clusters=n_clusters)


def test_the_layout_of_the_data_in_memory_does_not_matter():
    X = np.random.default_rng(0).normal(size=(60, 3))
    first, second = (
        MOCK(random_state=0, n_gen=5, pop_size=20).fit(layout(X))
        for layout in (np.ascontiguousarray, np.asfortranarray)
    )
    np.testing.assert_array_equal(first.pareto_front_, second.pareto_front_)
    np.testing.assert_array_equal(first.attainment_.scores, second.attainment_.scores)
