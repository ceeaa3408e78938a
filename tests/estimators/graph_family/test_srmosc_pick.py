"""Which members of a front the ratio cut looks at, and how often graphs are clustered for it."""

import os
import signal

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import SRMOSC
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.estimators import srmosc
from moo_clustering.fronts import spread_members

QUICK = {"pop_size": 40, "random_state": 0}


@pytest.fixture
def clustered(monkeypatch):
    """Members whose graphs were clustered, counted."""
    calls = []
    real = srmosc.GraphMembers.clustered
    monkeypatch.setattr(srmosc.GraphMembers, "clustered", lambda *args: calls.append(1) or real(*args))
    return calls


def touching(n=90):
    return make_blobs(n, centers=[[0, 0], [3, 0], [0, 3]], cluster_std=1.0, random_state=0)[0]


@pytest.mark.slow
def test_fewer_members_are_compared_in_large_data(clustered, monkeypatch):
    X = touching()
    model = SRMOSC(3, **QUICK).fit(X)
    members = model.graphs_
    looked_at = [k for k in spread_members(members.F[:, 1], 30) if members.n_components(k) <= 3]
    # The chosen one is not clustered again.
    assert len(clustered) == len(looked_at)
    monkeypatch.setattr(srmosc, "COMPARED_SAMPLES", 10 * len(X))
    clustered.clear()
    few = SRMOSC(3, **QUICK).fit(X)
    looked_at = [k for k in spread_members(members.F[:, 1], 10) if members.n_components(k) <= 3]
    assert len(clustered) == len(looked_at)
    assert few.chosen_ in looked_at
    monkeypatch.setattr(srmosc, "COMPARED_SAMPLES", 1)
    clustered.clear()
    SRMOSC(3, **QUICK).fit(X)
    assert len(clustered) == sum(members.n_components(k) <= 3 for k in spread_members(members.F[:, 1], 6))


def test_nothing_is_compared_with_a_cut_of_nothing(clustered):
    X = np.concatenate([touching(30), touching(30) + 100])
    model = SRMOSC(2, **QUICK).fit(X)
    assert len(clustered) == 1
    assert model.n_components_ == 2
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 30))


@pytest.mark.slow
def test_the_chosen_partition_is_that_of_the_chosen_member():
    model = SRMOSC(3, **QUICK).fit(touching())
    row, similarity = model.chosen_, model.similarity_
    np.testing.assert_array_equal(model.labels_, model.pareto_labels_[row])
    again = SRMOSC(3, **QUICK).fit(touching()).choose(row)
    np.testing.assert_array_equal(model.embedding_, again.embedding_)
    assert abs(similarity - again.similarity_).max() == 0
    # With all labels known already.
    assert model.choose("rcut").chosen_ == row
    np.testing.assert_array_equal(model.embedding_, again.embedding_)


@pytest.mark.slow
def test_ctrl_c_takes_the_best_so_far(clustered, monkeypatch):
    X = touching()
    whole = SRMOSC(3, **QUICK).fit(X)
    n_all = len(clustered)
    clustered.clear()
    real = srmosc.graphs.ratio_cut

    def pressed(*args):
        if len(clustered) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return real(*args)

    monkeypatch.setattr(srmosc.graphs, "ratio_cut", pressed)
    with pytest.warns(InterruptedSearchWarning, match=f"after 4 of {n_all}"):
        part = SRMOSC(3, **QUICK).fit(X)
    assert len(clustered) == 4
    assert part.n_clusters_ == 3
    monkeypatch.undo()
    # What was clustered already is not again.
    assert part.choose("rcut").chosen_ == whole.chosen_
    np.testing.assert_array_equal(part.labels_, whole.labels_)
