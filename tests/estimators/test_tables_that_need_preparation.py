"""Text, dates and missing values: one estimator prepares them, the others refuse them with the remedy."""

import numpy as np
import pandas as pd
import pytest

from moo_clustering.datasets import prepare_table
from moo_clustering.estimators._methods import METHODS

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
    with pytest.raises(ValueError, match=message) as error:
        made(method).fit(pd.DataFrame({"x": cells, "y": np.arange(12.0)}))
    assert "moo_clustering.datasets.prepare_table(frame).X" in str(error.value)
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
