"""The experiment on controls: blocks, cells, tables, verdicts and figures."""

import numpy as np
import pandas as pd
import pytest

from moo_clustering.controls import CONTROLS, ControlComparison
from papers import evolution, feature_subsets
from papers.runner import Settings, find_experiment


@pytest.mark.slow
def test_tables_of_both_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(evolution, "N_EVALS", 300)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    np.savez(tmp_path / "three.npz", X=X, y=np.repeat([0, 1, 2], 12))
    plan = find_experiment("evolution").plan(Settings(data=tmp_path, sets=("three",)))
    assert [key["block"] for key in plan.cells] == ["mock"]
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    rows = [row for row in tables["settings"].rows if row[0] == "MOCK(init='greedy')"]
    assert [row[1] for row in rows] == ["evolution", *CONTROLS]
    made = {row[1]: row[6] for row in tables["settings"].rows if row[0] == "MOCK(init='delta')"}
    assert made["evolution"] == made["drift"] == made["climbs"] == 300
    assert "it takes at least 8 seeds, not 1" in tables["settings"].notes[0]
    # The front of the fit holds the constructed one.
    starts = {(row[0], row[2]): row for row in tables["starts"].rows}
    assert starts["hypervolume", "greedy front alone"][4] >= 0
    (figure, _) = plan.figures(values)
    figure.draw(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 0


@pytest.mark.slow
def test_tables_of_feature_subsets(tmp_path, monkeypatch):
    monkeypatch.setattr(feature_subsets, "N_EVALS", 120)
    monkeypatch.setattr(feature_subsets, "GENERATED", {30: 2})
    monkeypatch.setattr(feature_subsets, "REAL", ())
    plan = find_experiment("evolution").plan(Settings(blocks=("features",)))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    runs, settings, differences, evidence = plan.tables(values)
    settled = {(row[0], row[1]): row for row in settings.rows}
    assert {row[0] for row in settings.rows} == {
        "feature subsets, d=30, by labels",
        "feature subsets, d=30, by held-out labels",
    }
    for method in ("evolution", "annealing", "halving", "forward backward"):
        assert settled["feature subsets, d=30, by labels", method][6] == 120
    true = settled["feature subsets, d=30, by labels", "true features"][4]
    assert true > settled["feature subsets, d=30, by labels", "label spreading"][4]
    assert [row[2] for row in differences.rows].count("sparse k-means") == 2
    assert evidence.rows[0][:2] == ["d=30", "evolution"]
    assert len(runs.rows) == 2 * (9 + 7) + 2 * (7 + 7)
    assert len(plan.figures(values)) == 2


def test_verdicts_follow_from_the_numbers():
    rows = [
        {
            "problem": str(i), "seed": 0, "method": method, "hypervolume": 0.5 + gain * i / 100,
            "best score": -gain * i, "ari": gain * i / 100, "evaluations": 10, "seconds": 1.0,
        }
        for i in range(1, 13)
        for method, gain in (("evolution", 1), ("drift", 0), ("construction", 2))
    ]  # fmt: skip
    one = ControlComparison(pd.DataFrame(rows), pd.DataFrame())
    runs, settings, differences = evolution.settings_tables({"a search": one})
    assert len(runs.rows) == 36
    assert settings.rows[0][:2] == ["a search", "evolution"]
    np.testing.assert_allclose(settings.rows[0][2:5], [-6.5, 0.565, 0.065])
    assert settings.notes[0].startswith(
        "a search. By best score on 12 problems, the evolution is better than"
    )
    assert "worse than construction (-0.065, p = 0.0010)" in settings.notes[1]
    assert differences.rows[0][:4] == ["a search", "best score", "drift", 6.5]


def test_blocks_and_sets_that_are_not_there(tmp_path):
    plan = find_experiment("evolution").plan
    with pytest.raises(ValueError, match="blocks must be among mock, features, subspaces; got 'mocks'"):
        plan(Settings(blocks=("mocks",)))
    with pytest.raises(ValueError, match=r"no block has a set named d=40: name files .*, or d=100, d=300"):
        plan(Settings(blocks=("features",), sets=("d=40",)))
    # Parameters are those of all blocks, so that a folder takes further ones.
    features = plan(Settings(blocks=("features",), sets=("d=400",)))
    assert features.parameters == plan(Settings(blocks=("mock",), sets=("iris",))).parameters
    assert len(features.cells) == 120


def test_weights_of_sparse_kmeans_are_of_unit_length_and_bounded():
    between = np.array([5.0, 4.0, 1.0, 0.5])
    weights = feature_subsets._soft_weights(between, 1.2)
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    assert weights.sum() == pytest.approx(1.2)
    # Soft thresholding by t: (5 - t, 4 - t) / length, and the two weights sum to 1.2.
    gap = weights[0] - weights[1]
    assert gap == pytest.approx(np.sqrt(2 - 1.2**2))
    np.testing.assert_array_equal(weights[2:], 0.0)
