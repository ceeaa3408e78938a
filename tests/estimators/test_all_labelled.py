"""Warnings about labels of all samples, which leave none to score with, and of more classes than clusters."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import MOCK, SISC, NSGA2Clus, ParetoBagClustering, ParetoClustering, PCKMeans
from moo_clustering.datasets import make_bags
from tests.registry import DATA, ESTIMATORS

X, Y = make_blobs(30, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
PARTLY = np.where(np.arange(30) == 4, -1, Y)
NAMES = np.array(["a", "b", "c"], dtype=object)[Y]
SMALL = {"pop_size": 6, "n_gen": 1, "random_state": 0}
POOL = {"families": ("km",), "k_range": (2, 3), "random_state": 0}


def warnings_of(model, *data, of="all samples are labelled"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    return [str(each.message) for each in caught if of in str(each.message)]


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (PCKMeans(3, random_state=0), Y),
        (NSGA2Clus(k_max=4, **SMALL), Y),
        (MOCK(3, **SMALL), Y),
        (ParetoClustering(3, **POOL), NAMES),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fit_with_all_labels_warns_once_and_names_the_example(model, y):
    (message,) = warnings_of(model, X, y)
    assert "GridSearchCV and cross_val_score" in message
    assert "score_without_a_leak.py" in message
    assert not warnings_of(model, X, PARTLY)
    assert not warnings_of(model, X)


def test_no_warning_where_labels_are_ignored_or_the_point():
    assert not warnings_of(MOCK(3, supervision=None, **SMALL), X, Y)
    assert not warnings_of(NSGA2Clus(k_max=4, supervision="none", **SMALL), X, Y)
    assert not warnings_of(SISC(3, random_state=0), X, Y)
    found = make_bags(12, 2, random_state=0)
    assert not warnings_of(ParetoBagClustering(2, kernel="bags", random_state=0), found.bags, found.labels)


@pytest.mark.parametrize("name", [name for name, setting in ESTIMATORS.items() if setting.constraints])
def test_more_classes_than_clusters_are_named(name):
    setting = ESTIMATORS[name]
    X = DATA[setting.data](0)[0]
    y = np.full(len(X), -1)
    y[:5] = np.arange(5)
    limit = next((each for each in ("n_clusters", "k_max") if each in setting.make().get_params()), "")
    of = "y has 5 classes, but there are only 3 clusters"
    if name.startswith("Pareto"):  # as many clusters as classes
        assert setting.make(n_clusters=3).fit(X, y).n_clusters_ == 5
    else:
        assert len(warnings_of(setting.make(**{limit: 3}), X, y, of=of)) == 1
        assert not warnings_of(setting.make(**{limit: 5}), X, y, of="classes of y")
