"""The experiment of clusters with features of their own: its sets, its rivals, its tables."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from papers import subspaces
from papers.runner import Settings
from papers.subspaces import Subspaces, claim, proclus


@pytest.mark.slow
def test_a_cell_and_its_tables(monkeypatch):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    plan = Subspaces(Settings(n_sets=1))
    assert [key["set"] for key in plan.cells] == ["hidden/0", "apart/0", "expression/0"]
    key = plan.cells[2]
    value = plan.compute(key, plan.data(key))
    assert value[subspaces.OURS]["ari"] > 0.95
    tables = plan.tables([value] * 3)
    assert [table.name for table in tables] == ["runs", "means-hidden", "means-apart", "means-expression"]
    assert [row[0] for row in tables[1].rows] == list(value)


def test_generated_sets_are_as_announced():
    X, classes = subspaces.generated(3, "hidden")
    assert 12 <= len(np.unique(classes)) <= 15
    assert 60 <= X.shape[1] <= 100
    deviations = np.array([X[classes == c].std(axis=0) for c in np.unique(classes)])
    assert set((deviations < 0.4).sum(axis=1)) <= {3, 4, 5}


def test_proclus_finds_clusters_that_are_far_apart():
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(3), 40)
    Z = rng.normal(size=(120, 9))
    for c in range(3):
        Z[classes == c, 3 * c : 3 * c + 3] = 6 + 0.1 * rng.normal(size=(40, 3))
    assert adjusted_rand_score(classes, proclus(Z, 3, 3, rng)) > 0.9


def test_claims_follow_the_numbers():
    ours = np.linspace(0.5, 0.9, 30)
    assert "does not differ" in claim("x", ours, ours + np.resize([0.01, -0.01], 30))
    assert "is better" in claim("x", ours, ours + 0.1)
    assert "is worse" in claim("x", ours, ours - 0.1)
