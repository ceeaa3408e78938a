"""``predict`` of every estimator labels tables in parts lazily, as it labels all rows at once."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from registry import DATA, ESTIMATORS

from moo_clustering import ConstrainedKMeans, ParetoClustering
from moo_clustering.parts import Parts, parts

PREDICTING = [name for name, setting in ESTIMATORS.items() if hasattr(setting.cls, "predict")]


def fitted(name):
    """The fitted estimator, and a table of samples (for bags: of bags with one instance)."""
    setting = ESTIMATORS[name]
    X, _, known = DATA[setting.data](0)
    if setting.data == "categories":
        X = X.apply(lambda column: column.map(ord)).to_numpy(dtype=float)
    model = setting.make().fit(X, known) if setting.targets == "label sets" else setting.make().fit(X)
    return model, X.instances if setting.data == "bags" else X


def test_only_regions_do_not_predict():
    assert set(ESTIMATORS) - set(PREDICTING) == {"Regions"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "AMOSAClus")) for name in PREDICTING]
)
def test_parts_get_the_labels_of_their_rows(name):
    model, X = fitted(name)
    known = model.predict(X)
    for n in (7, len(X)):
        found = model.predict(parts(X, rows_per_part=n))
        assert found.dtype == known.dtype
        np.testing.assert_array_equal(found, known)
    with pytest.raises(ValueError, match=r"features|columns"):
        model.predict(parts(X[:, 1:]))
    if len(inspect.signature(model.predict).parameters) > 1:
        other = list(inspect.signature(model.predict).parameters)[1]
        with pytest.raises(
            ValueError, match=f"no arguments besides X for a partitioned table, got .*{other}"
        ):
            model.predict(parts(X), **{other: np.ones(len(X))})


def test_label_sets_have_a_column_per_label():
    setting = ESTIMATORS["SISC"]
    X, classes, _ = DATA[setting.data](0)
    model = setting.make().fit(X, np.column_stack([classes == 0, classes > 0, classes == 2]).astype(int))
    found = model.predict(parts(X, rows_per_part=20))
    assert found.shape == (len(X), 3)
    np.testing.assert_array_equal(found, model.predict(X))


def test_labels_are_lazy_and_read_one_part_at_a_time():
    pytest.importorskip("dask")
    X = np.random.default_rng(0).normal(size=(60, 2))
    read = []

    def reader(low):
        return lambda: read.append(low) or X[low : low + 20]

    table = parts(X, rows_per_part=20)
    table = Parts([part._replace(read=reader(part.start)) for part in table.items], 2, table.dtype)
    model = ConstrainedKMeans(3, random_state=0).fit(X)
    found = model.predict(table)
    assert read == []
    np.testing.assert_array_equal(found[20:40], model.predict(X[20:40]))
    assert read == [20]


def test_columns_are_those_of_the_fit():
    dd = pytest.importorskip("dask.dataframe")
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"]) + 3.0
    for prepare in (False, True):
        model = ParetoClustering(2, random_state=0, **({} if prepare else {"scale": "none"})).fit(X)
        again = pickle.loads(pickle.dumps(model))
        found = again.predict(dd.from_pandas(X, npartitions=3))
        np.testing.assert_array_equal(found, model.predict(X))
    with pytest.raises(ValueError, match="names should match"):
        model.predict(dd.from_pandas(X[["b", "a"]], npartitions=3))
