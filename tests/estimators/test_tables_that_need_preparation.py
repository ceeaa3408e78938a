"""Text, dates and missing values: one estimator prepares them, the others refuse them with the remedy."""

import warnings
from contextlib import suppress
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from moo_clustering.datasets import TablePreparer, prepare_table
from moo_clustering.estimators._methods import METHODS
from tests.registry import DATA, ESTIMATORS

PREPARES = "pareto-clustering"
TABULAR = [method for method in METHODS.values() if not method.categorical and method.name != PREPARES]
TABLES = {
    "text": (["a", "b", "c"] * 4, "other values in column 'x' .such as 'a'."),
    "dates": (pd.date_range("2020-01-01", periods=12), "other values in column 'x' .such as Timestamp"),
    "times": (pd.to_timedelta(np.arange(12), unit="h"), "other values in column 'x' .such as Timedelta"),
    "missing": ([1.0, None, 3.0] * 4, "contains NaN: column 'x' has 4, the first in row 1;"),
    "infinite": ([1.0, np.inf, 3.0] * 4, "contains infinity or a value too large: column 'x', row 1;"),
}


def made(method):
    estimator = method.load()
    try:
        return estimator(2)
    except TypeError:
        return estimator()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", TABULAR, ids=lambda method: method.name)
def test_the_message_names_the_column_and_the_remedy(method, table):
    cells, message = TABLES[table]
    more = {"graph": np.eye(12, k=1) + np.eye(12, k=-1)} if method.areas else {}
    with pytest.raises(ValueError, match=message) as error:
        made(method).fit(pd.DataFrame({"x": cells, "y": np.arange(12.0)}), **more)
    name = method.load().__name__
    first = f"; use make_pipeline(moo_clustering.datasets.TablePreparer(), {name}(...)), or "
    assert f"{first}moo_clustering.datasets.prepare_table(frame).X for one fit, to " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("table", TABLES)
def test_the_recommended_method_prepares(table):
    cells, message = TABLES[table]
    frame = pd.DataFrame({"x": cells, "y": np.arange(12.0)})
    model = METHODS[PREPARES].load()(2).fit(frame)
    assert (model.predict(frame) == model.labels_).all()
    with pytest.raises(ValueError, match=message):
        METHODS[PREPARES].load()(2, prepare="none").fit(frame)


@pytest.mark.parametrize("table", TABLES)
def test_the_remedy_helps(table):
    frame = pd.DataFrame({"x": TABLES[table][0], "y": np.arange(12.0)})
    assert np.isfinite(prepare_table(frame).X).all()
    kmeans = METHODS["memetic-kmeans"].load()(2, max_distance_evaluations=20_000, random_state=0)
    model = make_pipeline(TablePreparer(), kmeans).fit(frame)
    assert (model.predict(frame[::-1]) == model[-1].labels_[::-1]).all()


FRAME = pd.DataFrame({"x": [1.0, 2.0, 5.0, 6.0], "y": [0.5, 0.0, 9.0, 8.0]})
NO_TABLES = {
    "path": (
        "x.csv",
        "got 'x.csv'; read it with pandas.read_csv or open it with moo_clustering.parts.parts first",
    ),
    "pathlib": (
        Path("x.csv"),
        "Path('x.csv'); read it with pandas.read_csv or open it with moo_clustering.parts.parts first",
    ),
    "nothing": (None, "got None"),
    "mapping": ({"x": 1}, "got {'x': 1}; convert a list of rows with pandas.DataFrame(rows)"),
    "rows": ([{"x": 1}], "got [{'x': 1}]; convert a list of rows with pandas.DataFrame(rows)"),
    "row": (FRAME.iloc[0], "got a Series; select a row with frame.iloc[[0]], or a column with frame[[name]]"),
}


@pytest.fixture(scope="module")
def doors():
    """Functions that accept a table, with a part of the advice in their errors."""
    pareto, mock = METHODS[PREPARES].load(), METHODS["mock"].load()
    preparer, small = TablePreparer().fit(FRAME), mock(pop_size=4, n_gen=1, n_controls=1).fit(FRAME)
    prepares = pareto(2).fit(FRAME).predict, preparer.fit, preparer.transform, prepare_table
    return (
        (prepares, "an array or a data frame"),
        ((pareto().fit, mock().fit, small.predict), "an array, a data frame or a sparse matrix"),
    )


@pytest.mark.parametrize("given", NO_TABLES)
def test_what_is_no_table_is_refused_with_advice(given, doors):
    X, advice = NO_TABLES[given]
    for calls, allowed in doors:
        for call in calls:
            with pytest.raises(TypeError, match=f"X must be {allowed}, got ") as error:
                call(X)
            assert str(error.value).endswith(advice)


def test_dates_are_no_counts_of_nanoseconds():
    days = pd.date_range("2020-01-01", periods=12).to_numpy()
    with pytest.raises(ValueError, match="other values in column 0"):
        METHODS["mock"].load()().fit(np.column_stack([days, days]))


@pytest.mark.parametrize("n_digits", [400, 5000])
def test_whole_numbers_of_any_length(n_digits):
    frame = pd.DataFrame({"x": [10**n_digits, 2, 3, 4] * 3, "y": np.arange(12.0)})
    with pytest.raises(ValueError, match=r"a value too large.*prepare_table"):
        METHODS["mock"].load()().fit(frame)
    assert np.isfinite(prepare_table(frame).X).all()


def test_distances_are_no_table():
    distances = np.full((6, 6), np.nan)
    with pytest.raises(ValueError, match="contains NaN") as error:
        METHODS["pareto-clustering"].load()(metric="precomputed").fit(distances)
    assert "prepare_table" not in str(error.value)


@pytest.mark.parametrize("name", [name for name, setting in ESTIMATORS.items() if setting.data != "bags"])
def test_sparse_frames_are_the_tables_that_they_stand_for(name):
    setting = ESTIMATORS[name]
    X, classes, _ = DATA[setting.data](0)
    if setting.data == "categories":
        X = X.apply(lambda column: column.map("abcd".index))
    X = pd.DataFrame(np.round(np.asarray(X, dtype=float)), columns=[f"x{j}" for j in range(X.shape[1])])
    y = np.column_stack([classes == 0, classes == 1]).astype(int) if setting.targets == "label sets" else None
    expected = setting.make().fit(X, y)
    for fill in (1.0, np.nan):
        found = setting.make().fit(X.astype(pd.SparseDtype(float, fill)), y)
        if setting.clusters:
            np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_the_message_on_sparse_frames_of_zeros_names_the_remedy():
    X = pd.DataFrame(np.eye(12)).astype(pd.SparseDtype(float, 0.0))
    with pytest.raises(TypeError, match=r"X must be dense; use X\.sparse\.to_dense\(\)"):
        METHODS["memetic-kmeans"].load()(2).fit(X)


TEXTS = ["a cat", "a dog", "no cat"] * 4
OTHERS = {
    "texts": (
        lambda: TEXTS,
        "convert texts with scikit-learn's TfidfVectorizer or moo_clustering.datasets.embed",
    ),
    "series": (lambda: pd.Series(TEXTS), "convert texts with scikit-learn's TfidfVectorizer"),
    "array": (lambda: np.array(TEXTS), "convert texts with scikit-learn's TfidfVectorizer"),
    "graph": (lambda: nx.path_graph(12), r"ICLClustering\(model='sbm'\) clusters graphs"),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("method", [*TABULAR, METHODS[PREPARES]], ids=lambda method: method.name)
def test_texts_and_graphs_are_refused_with_the_remedy(method, kind):
    data, message = OTHERS[kind]
    more = {"graph": np.eye(12, k=1) + np.eye(12, k=-1)} if method.areas else {}
    with pytest.raises(TypeError, match=message):
        made(method).fit(data(), **more)


def distances():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    return np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=-1))


BY_DISTANCES = [method for method in METHODS.values() if not method.areas and not method.categorical]


@pytest.mark.parametrize("method", BY_DISTANCES, ids=lambda method: method.name)
def test_distances_used_as_features_are_named(method):
    model = made(method)
    try:
        clone(model).set_params(metric="precomputed")._validate_params()
    except ValueError:
        accepts = False
    else:
        accepts = True
    for metric in ["euclidean", "precomputed"] if accepts else [None]:
        model = made(method).set_params(**({} if metric is None else {"metric": metric}))
        if "n_gen" in model.get_params():
            model.set_params(n_gen=1)
        if "annealing" in model.get_params():
            model.set_params(annealing={"n_climb": 1, "n_moves": 2, "cooling": 0.1})
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            with suppress(ValueError):  # of methods for other data
                model.fit(distances())
        told = [each for each in issued if "X looks like a distance matrix" in str(each.message)]
        assert len(told) == (metric == "euclidean")
        assert all(each.filename == __file__ for each in told)


def test_symmetric_features_are_not_taken_for_distances():
    X = np.random.default_rng(0).normal(size=(30, 30))
    one_on_diagonal = distances()
    one_on_diagonal[0, 0] = 1.0
    for other in (X, X + X.T, X @ X.T, (distances() > 1) * 1.0, one_on_diagonal):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            METHODS["mock"].load()(2, n_gen=1, random_state=0).fit(other)
