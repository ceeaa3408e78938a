"""What every estimator owes whatever the seed, of its data and its own."""

import random

import numpy as np
import pytest
from machine_cases import CASES, fitted
from numpy.testing import assert_array_equal

import moo_clustering.estimators as estimators

each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def test_every_public_estimator_is_a_case():
    assert set(CASES) == set(estimators.__all__)


@each
def test_finds_what_is_there(case, global_random_seed):
    assert case.agreement(fitted(case.name, global_random_seed), global_random_seed) >= case.at_least


@each
@pytest.mark.parametrize("noise", [1.0, 3.0])
def test_labels_are_a_partition(case, noise, global_random_seed):
    model = fitted(case.name, global_random_seed, noise)
    if not hasattr(model, "labels_"):
        shares = model.predict_proba(case.data(global_random_seed, noise)[0])
        assert shares.shape == (45, 3)
        assert (shares >= 0).all()
        assert (shares <= 1).all()
        return
    labels = model.labels_
    assert labels.shape == (len(case.data(global_random_seed)[1]),)
    assert np.issubdtype(labels.dtype, np.integer)
    numbers = np.unique(labels)
    if hasattr(model, "multilabel_"):
        # Clusters without samples keep their numbers.
        assert len(numbers) == model.n_clusters_
        assert 0 <= numbers[0] <= numbers[-1] < model.n_clusters
    else:
        assert_array_equal(numbers, np.arange(model.n_clusters_))


@each
def test_the_same_seed_twice(case, global_random_seed):
    state, words = np.random.get_state(), random.getstate()  # noqa: NPY002
    one = case.outcome(fitted(case.name, global_random_seed, 3.0), global_random_seed, 3.0)
    two = case.outcome(case.fit(global_random_seed, 3.0), global_random_seed, 3.0)
    assert len(one) == len(two)
    for first, second in zip(one, two, strict=True):
        assert_array_equal(first, second)
    assert_array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002
    assert random.getstate() == words
