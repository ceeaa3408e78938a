"""Every estimator names its clusters, explains them by rules and returns a table of its samples."""

import numpy as np
import pytest

from contract.metamorphic import estimators, samples_of, usual
from moo_clustering import estimators as room

# The usual options of every class that finds clusters.
CLUSTERERS = [
    name
    for name, case in estimators().items()
    if "=" not in name and "evolved" not in name and hasattr(getattr(room, case.of, None), "describe")
]


def test_no_clusterer_is_left_out():
    every = {name for name in room.__all__ if hasattr(getattr(room, name), "describe")}
    assert every == {estimators()[name].of for name in CLUSTERERS}


@pytest.mark.parametrize("name", CLUSTERERS)
def test_names_and_table(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    found = model.describe(X)
    sizes = np.bincount(model.labels_[model.labels_ >= 0])
    assert [each.size for each in found] == sizes.tolist()
    assert len(set(found.names)) == len(sizes)
    assert all(found.names)
    for each in found:
        assert (model.labels_[list(each.typical)] == each.cluster).all()
        strengths = [contrast.strength for contrast in each.contrasts]
        assert strengths == sorted(strengths, reverse=True)
        assert all(0.2 <= strength <= 1.0 for strength in strengths)
    table = model.table(X)
    assert len(table) == len(model.labels_)
    assert (table["cluster"] == model.labels_).all()
    assert table["typical"].sum() == sum(len(each.typical) for each in found)


@pytest.mark.parametrize("name", CLUSTERERS)
def test_rules(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    inside = model.labels_ >= 0
    front = model.explain(X, max_conditions=3)
    names = model.describe(X).names
    for each in front:
        predicted = each.predict(X)
        assert each.fidelity == pytest.approx((predicted == model.labels_)[inside].mean())
        assert sum(rule.n_samples for rule in each.rules) == inside.sum()
        assert all(rule.name == names[rule.cluster] for rule in each.rules)
        assert each.n_conditions <= 3
        assert all(condition in str(each) for rule in each.rules for condition in rule.conditions)
    assert front.to_frame()["fidelity"].is_monotonic_increasing


@pytest.mark.parametrize("name", CLUSTERERS)
def test_new_samples(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    if not hasattr(model, "predict"):
        with pytest.raises(ValueError, match="requires predict"):
            model.drift(X, X)
        return
    table, predicted = model.predict_table(X, X), model.predict(X)
    assert (table["cluster"] == predicted).all()
    assert {"name", "unlike"} <= set(table)
    names = model.describe(X).names
    assert table["name"].tolist() == [names[cluster] if cluster >= 0 else "" for cluster in predicted]
    drift = model.drift(X, X)
    assert drift.n_unlike == table["unlike"].sum() <= (predicted < 0).sum() + 0.1 * len(predicted)
    assert drift.new_rows.tolist() == np.bincount(predicted[predicted >= 0], minlength=len(names)).tolist()
    assert ("support" in table) == (model.clustering_result().pool is not None)
