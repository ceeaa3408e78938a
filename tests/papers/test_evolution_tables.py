"""The experiment on controls: blocks, cells, tables, verdicts and figures."""

import numpy as np
import pandas as pd
import pytest

from moo_clustering.controls import CONTROLS, ControlComparison
from papers import evolution, feature_subsets, single_indices
from papers.runner import Settings, find_experiment


@pytest.mark.slow
def test_tables_of_both_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(evolution, "N_EVALS", 300)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    np.savez(tmp_path / "three.npz", X=X, y=np.repeat([0, 1, 2], 12))
    plan = find_experiment("evolution").plan(Settings(data=tmp_path, sets=("three",)))
    assert [key["block"] for key in plan.cells] == ["mock", "cuts", "cuts"]
    plan = find_experiment("evolution").plan(Settings(data=tmp_path, sets=("three",), blocks=("mock",)))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    rows = [row for row in tables["settings"].rows if row[0] == "MOCK(init='greedy')"]
    assert [row[1] for row in rows] == ["evolution", *CONTROLS]
    made = {row[1]: row[6] for row in tables["settings"].rows if row[0] == "MOCK(init='delta')"}
    assert made["evolution"] == made["drift"] == made["climbs"] == 300
    assert "at least 8 seeds are required, got 1" in tables["settings"].notes[0]
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


@pytest.mark.slow
def test_tables_of_single_indices(tmp_path, monkeypatch):
    monkeypatch.setattr(single_indices, "N_SETS", 1)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    np.savez(tmp_path / "three.npz", X=X, y=np.repeat([0, 1, 2], 12))
    for block in (single_indices.BagsByIndex, single_indices.Cuts):
        monkeypatch.setitem(block.parameters, "n_evals", 300)
    plan = find_experiment("evolution").plan(
        Settings(data=tmp_path, blocks=("bags", "cuts"), sets=("three", "noisy", "unequal"))
    )
    assert [key["set"] for key in plan.cells] == ["unequal/0", "noisy/0", "three", "three"]
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    made = {(row[0].split()[0], row[1]): row for row in tables["settings"].rows if "more" not in row[0]}
    assert made["cuts", "agglomeration"][6] <= 300 == made["cuts", "evolution"][6]
    assert made["generated", "k-means of bag means"][4] > 0.5
    unequal, noisy = tables["bags-correlations"].rows
    # Noise has no class, so that the classes are no partition with an objective.
    assert unequal[-1] > 0
    assert noisy[-1] is None
    assert tables["cuts-correlations"].rows[0][:3] == ["cuts of a tree by DBCV", "three", 0]
    # Large clusters are the fewer partitions.
    free, large = (row[5] for row in tables["cuts-correlations"].rows)
    assert free <= large
    for figure in plan.figures(values):
        figure.draw(tmp_path / figure.file)
    assert len(list(tmp_path.glob("curves-*.png"))) == 3


def test_objective_and_agreement_of_methods_and_along_curves():
    runs = [
        {"method": method, "best index": value, "ari": ari, "hypervolume": 1.0}
        for method, value, ari in (("evolution", -3.0, 0.1), ("drift", -2.0, 0.2), ("initial", -1.0, 0.3))
    ]
    # It optimises something else.
    runs.append({"method": "k-means", "best index": 0.0, "ari": 0.0})
    curves = [
        {"method": "evolution", "evaluations": i, "best index": -value, "ari": ari}
        for i, (value, ari) in enumerate([(1, 0.3), (1, 0.3), (2, 0.5), (3, 0.1)])
    ]
    value = {"runs": runs, "curves": curves, "classes": -2.5}
    plan = single_indices.BagsByIndex(Settings(sets=("noisy",)))
    summary, by_set = plan.tables([value] * 12)
    # The better the objective, the worse the index; the curve goes up and then below its start.
    assert by_set.rows[0][3:] == pytest.approx([-1.0, -0.5, -3.0, -2.5])
    assert summary.rows[0][1:3] == ["over the methods", -1.0]
    assert "over the methods: the better the objective, the worse the ARI (mean -1.00" in summary.notes[1]
    assert summary.notes[3].endswith("a better objective than the known classes on 12 of 12 sets.")
    # Where a class is unknown, nothing is said of the classes.
    summary, by_set = plan.tables([value | {"classes": None}] * 12)
    assert by_set.rows[0][-1] is None
    assert len(summary.notes) == 3


def test_generated_bags_are_as_announced():
    bags, classes = single_indices.generated("unequal", 0)
    assert np.bincount(classes).tolist() == [40, 25, 12, 6]
    assert bags.n_bags == 83
    bags, classes = single_indices.generated("noisy", 1)
    assert 5 <= (classes < 0).sum() <= 30
    far = np.abs(
        bags.means() - np.array([bags.means()[classes == c].mean(axis=0) for c in range(4)])[classes]
    )
    assert far[classes >= 0].mean() < far[classes < 0].mean()


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
    with pytest.raises(
        ValueError, match="blocks must be among mock, features, subspaces, bags, cuts; got 'mocks'"
    ):
        plan(Settings(blocks=("mocks",)))
    with pytest.raises(ValueError, match=r"no block has a set named d=40: name files .*, or d=100, d=300"):
        plan(Settings(blocks=("features",), sets=("d=40",)))
    # Parameters are those of all blocks, so that a folder takes further ones.
    features = plan(Settings(blocks=("features",), sets=("d=400",)))
    assert features.parameters == plan(Settings(blocks=("mock",), sets=("iris",))).parameters
    assert len(features.cells) == 120


def test_without_a_folder_of_data_there_are_the_sets_that_need_none(monkeypatch):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    sets = {(key["block"], key["set"]) for key in find_experiment("evolution").plan(Settings()).cells}
    assert {("mock", "iris"), ("features", "d=400"), ("bags", "noisy/3")} <= sets
    assert ("features", "optdigits") not in sets
    with pytest.raises(ValueError, match="optdigits"):
        find_experiment("evolution").plan(Settings(sets=("optdigits",), blocks=("features",)))


def test_weights_of_sparse_kmeans_are_of_unit_length_and_bounded():
    between = np.array([5.0, 4.0, 1.0, 0.5])
    weights = feature_subsets._soft_weights(between, 1.2)
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    assert weights.sum() == pytest.approx(1.2)
    # Soft thresholding by t: (5 - t, 4 - t) / length, and the two weights sum to 1.2.
    gap = weights[0] - weights[1]
    assert gap == pytest.approx(np.sqrt(2 - 1.2**2))
    np.testing.assert_array_equal(weights[2:], 0.0)
