"""What quality to expect on the bundled sets."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from moo_clustering.datasets import load_bundled
from moo_clustering.estimators.fuzzy_modes import FuzzyModesMOGA


def accuracy(y, labels):
    table = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(-table)
    return table[rows, columns].sum() / len(y)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), [("iris", 0.92), ("wine", 0.91), ("breast_cancer", 0.93)])
def test_numbers(name, expected):
    table = load_bundled(name)
    found = []
    for seed in range(2):
        model = FuzzyModesMOGA(len(np.unique(table.y)), metric="euclidean", random_state=seed).fit(table.X)
        found.append([accuracy(table.y, model.choose(rule).labels_) for rule in ("vote", "cspa")])
    np.testing.assert_allclose(np.mean(found, axis=0), expected, atol=0.03)


def test_binning_costs_accuracy():
    table = load_bundled("iris")
    model = FuzzyModesMOGA(3, random_state=0).fit(table.X)
    assert 0.72 < accuracy(table.y, model.labels_) < 0.87
