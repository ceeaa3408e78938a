"""The comparison of the flagship on small generated sets, through the command."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import make_blobs

from papers import (
    flagship as _cells,
)
from papers import (
    flagship as _evolved,
)
from papers import (
    flagship as _few_labels,
)
from papers import (
    flagship as _given_pairs,
)
from papers import (
    flagship_tables as _plan,
)
from papers.__main__ import reproduce
from papers.flagship import (
    BLOCKS,
    FRACTIONS,
    NOVEL_FRACTIONS,
    Task,
    chosen_with,
    fit_flagship,
    run_task,
    shared_flagship,
)
from papers.flagship_sets import CONTROL, EVOLVED, FLAGSHIP, ORACLE, UNKNOWN, Skipped, draw_labels, made_set
from papers.flagship_tables import PUBLISHED, Results
from papers.runner import Settings, find_experiment, seed_of

SIZES = {"first": 36, "second": 30}


def make_set(name, n=36, seed=0):
    X, y = make_blobs(n, 3, centers=3, cluster_std=1.2, random_state=seed)
    return made_set(name, "o", X, y)


def eased(patch):
    """Few settings, short searches, nothing compiled beforehand."""
    patch.delenv("MOO_CLUSTERING_DATA", raising=False)
    patch.setattr(_cells, "warm_up", lambda: None)
    patch.setattr(_few_labels, "FRACTIONS", {"10 %": FRACTIONS["10 %"]})
    patch.setattr(_few_labels, "NOVEL_FRACTIONS", {"10 %": NOVEL_FRACTIONS["10 %"]})
    patch.setattr(_given_pairs, "AMOUNTS", {".5 n": 0.5})
    patch.setitem(_evolved.EVOLUTION, "n_gen", 1)
    patch.setitem(_evolved.EVOLUTION, "pop_size", 8)
    patch.setattr(_evolved, "ADDED", {"PESC": _evolved.ADDED["PESC"], "strange": fails})


def fails(found, fitted, seed):
    raise RuntimeError("a strange set")


@pytest.fixture(autouse=True)
def less_effort(monkeypatch):
    eased(monkeypatch)


def command(*arguments):
    return CliRunner().invoke(reproduce, [str(part) for part in ("flagship", *arguments)])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    for seed, (name, n) in enumerate(SIZES.items()):
        X, y = make_blobs(n, 3, centers=3 - seed, cluster_std=1.2, random_state=seed)
        np.savez(place / f"{name}.npz", X=X, y=y)
    (place / "readme.md").write_text("nothing")
    return place


@pytest.fixture(scope="module")
def study(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "all"
    with pytest.MonkeyPatch.context() as patch:
        eased(patch)
        said = command("--out", folder, "--data", data, "--seeds", 2)
    assert said.exit_code == 0, said.output
    return folder, said.output


def rows_of(folder, name):
    with open(folder / f"{name}.csv") as file:
        return list(csv.DictReader(file))


@pytest.mark.nightly
def test_all_blocks_are_run_and_reported(study):
    folder, output = study
    report = (folder / "report.md").read_text()
    for block in BLOCKS:
        assert (folder / f"{block}-means.csv").exists()
        assert BLOCKS[block].title in report
    assert "readme.md" in report
    assert "a strange set" in report
    assert str(folder) in output
    scores = rows_of(folder, "scores")
    assert {row["block"] for row in scores} == set(BLOCKS)
    # A set of two classes has none to leave out.
    assert {row["set"] for row in scores if row["block"] == "novel"} == {"first"}
    assert {row["draw"] for row in scores if row["block"] == "labels"} == {"0", "1"}


@pytest.mark.slow
def test_only_the_strange_method_failed(study):
    failed = rows_of(study[0], "failures")
    assert [(row["set"], row["block"]) for row in failed] == [("first", "families"), ("second", "families")]
    assert all("strange" in row["run"] for row in failed)


@pytest.mark.slow
def test_means_and_differences(study):
    folder, _ = study
    scores = {
        (row["set"], row["method"]): float(row["ari"])
        for row in rows_of(folder, "scores")
        if row["block"] == "unsupervised"
    }
    means = {row["method"]: row for row in rows_of(folder, "unsupervised-means")}
    name = "k-means + silhouette"
    both = [(scores[one, FLAGSHIP], scores[one, name]) for one in SIZES]
    assert np.isclose(float(means[name]["ARI"]), np.mean([rival for _, rival in both]))
    differences = [ours - rival for ours, rival in both]
    assert np.isclose(float(means[name]["flagship - it"]), np.mean(differences))
    assert float(means[name]["published"]) == 0.5
    assert scores["first", ORACLE] >= scores["first", name]


@pytest.mark.slow
def test_the_same_command_goes_on(study, data, monkeypatch):
    folder, _ = study
    before = (folder / "results.jsonl").read_bytes()
    monkeypatch.setattr(_plan, "run_task", None)
    assert command("--out", folder, "--data", data, "--seeds", 2).exit_code == 0
    assert (folder / "results.jsonl").read_bytes() == before
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "complete"


def test_some_blocks_of_some_sets(data, tmp_path):
    said = command("--out", tmp_path / "o", "--data", data, "--sets", "second", "--blocks", "known")
    assert said.exit_code == 0, said.output
    assert {(row["set"], row["block"]) for row in rows_of(tmp_path / "o", "scores")} == {("second", "known")}
    for wrong in ("--blocks", "--sets"):
        bad = command("--out", tmp_path / "p", "--data", data, wrong, "knwon")
        assert bad.exit_code == 2
        assert "knwon" in bad.output
    with pytest.raises(ValueError, match="no setting blocks"):
        find_experiment("pesc-table3").plan(Settings(data, blocks=("known",)))


def without_seconds(value):
    return [{name: cell for name, cell in row.items() if name != "seconds"} for row in value["rows"]]


@pytest.mark.slow
@pytest.mark.parametrize("block", ["unsupervised", "known", "labels", "pairs"])
def test_cells_do_not_depend_on_what_was_run_before(block):
    found, other = make_set("one"), make_set("two", seed=1)
    first = without_seconds(run_task(Task(found, block, 1)))
    again = without_seconds(run_task(Task(found, block, 1)))
    run_task(Task(other, "known", 1))
    assert first == again == without_seconds(run_task(Task(found, block, 1)))


def test_no_class_reaches_a_method_without_labels():
    found = make_set("one")
    hidden = np.random.default_rng(1).permutation(found.classes)
    # Which are labelled hangs on the classes, the features of the set do not.
    y = draw_labels(found.classes, 0.1, np.random.default_rng(seed_of("x")))
    fitted = fit_flagship(found)
    blind = fit_flagship(made_set_like(found, hidden))
    assert (fitted.model.labels_ == blind.model.labels_).all()
    assert (fitted.told(y).labels_ == blind.told(y).labels_).all()


def made_set_like(found, classes):
    return type(found)(found.name, "other", found.kind, found.scale, found.table, classes)


def test_a_set_that_the_flagship_cannot_take_is_an_error_of_its_cell(monkeypatch):
    monkeypatch.setattr(_cells, "warm_up", lambda: fails(None, None, 0))
    value = run_task(Task(make_set("one"), "known", 1))
    assert value["error"] == "RuntimeError: a strange set"
    assert value["rows"] == []


def test_families_that_join_are_chosen_by_the_same_score():
    found = make_set("one")
    fitted = shared_flagship(found)
    # Copies of members of a family change nothing.
    same = chosen_with(fitted, {"km": fitted.members("km")[:1]})
    assert (same == fitted.model.labels_).all()


def results_of(rows, kinds=("o", "o")):
    sets = [make_set(name, seed=i) for i, name in enumerate(("a", "b"))]
    cells = [{"set": name, "block": "unsupervised"} for name in ("a", "b")]
    values = [
        {
            "facts": {"confidence": level, "n_clusters": [3, 2, 3]},
            "seconds": 1.0,
            "rows": [
                {"setting": UNKNOWN, "draw": 0, "method": method, **score} for method, score in given.items()
            ],
        }
        for level, given in rows
    ]
    return Results(sets, [Skipped("f", "why")], cells, values)


def scored(ari):
    return {"ari": ari, "ami": ari, "k": 3, "seconds": 1.0}


def test_tables_of_known_numbers():
    from papers.flagship_tables import by_kind, confidence, losses, means
    from papers.flagship_tables import ranks_table as ranks

    results = results_of(
        [
            (0.5, {FLAGSHIP: scored(0.2), "HDBSCAN": scored(0.4), ORACLE: scored(0.9), "x": scored(0.2)}),
            (
                0.95,
                {FLAGSHIP: scored(0.8), "HDBSCAN": {"error": "no"}, ORACLE: scored(1.0), "x": scored(0.6)},
            ),
        ]
    )
    table = means(results, "unsupervised")
    row = dict(zip(table.columns, next(row for row in table.rows if row[1] == "x"), strict=True))
    assert row["ARI"] == pytest.approx(0.4)
    assert row["flagship - it"] == pytest.approx(0.1)
    # Differences 0 and .2: deviation .1414, error .1.
    assert row["± flagship"] == pytest.approx(0.1)
    assert row["better/equal/worse flagship"] == "1/1/0"
    row = dict(zip(table.columns, next(row for row in table.rows if row[1] == "HDBSCAN"), strict=True))
    assert row["sets"] == 1
    assert row["flagship - it"] == pytest.approx(-0.2)
    assert row["published"] == PUBLISHED["unsupervised", "ari", "", UNKNOWN, "HDBSCAN"] == 0.486
    everything, others = by_kind(results).rows
    # HDBSCAN on its only set and x on two have .4 each; bounds are no rivals.
    assert everything[:4] == ["unsupervised", UNKNOWN, "all", 2]
    assert everything[5] in ("HDBSCAN", "x")
    assert others[2:4] == ["others", 2]
    (lost,) = losses(results).rows
    assert lost[2:] == ["others", "a", 0.2, "HDBSCAN +0.20"]
    levels, by_set = confidence(results)
    assert "1.00 over 2 sets" in levels.title
    assert [row[:2] for row in levels.rows] == [["0.4 to 0.6", 1], ["0.6 to 1", 1]]
    assert [row[0] for row in by_set.rows] == ["a", "b"]
    assert results.errors[0][2].endswith("HDBSCAN")
    # One set only has all methods.
    assert ranks(results) is None


def test_a_setting_without_runs_of_a_set_has_no_mean_there():
    sets = [make_set("a"), make_set("b", seed=1)]
    rows = [{"setting": setting, "draw": 0, "method": FLAGSHIP, **scored(0.5)} for setting in ("1 %", "2 %")]
    values = [{"facts": {}, "rows": part, "seconds": 1.0} for part in (rows, rows[:1])]
    values[1]["error"] = "RuntimeError: half way"
    results = Results(sets, [], [{"set": name, "block": "labels"} for name in "ab"], values)
    mean = results.frame("labels", "mean")[FLAGSHIP]
    assert mean["a"] == 0.5
    assert np.isnan(mean["b"])
    assert results.errors == [("b", "labels", "all", "RuntimeError: half way")]


def test_means_over_draws_and_settings():
    sets = [make_set("a")]
    rows = [
        {"setting": setting, "draw": draw, "method": FLAGSHIP, **scored(value)}
        for (setting, draw), value in {
            ("1 %", 0): 0.2, ("1 %", 1): 0.4, ("2 %", 0): 0.8, ("2 %", 1): 0.8
        }.items()
    ]  # fmt: skip
    results = Results(
        sets, [], [{"set": "a", "block": "labels"}], [{"facts": {}, "rows": rows, "seconds": 1.0}]
    )
    assert results.settings("labels") == ["1 %", "2 %", "mean"]
    assert results.frame("labels", "1 %").loc["a", FLAGSHIP] == pytest.approx(0.3)
    assert results.frame("labels", "mean").loc["a", FLAGSHIP] == pytest.approx(0.55)


@pytest.mark.slow
def test_random_labels_agree_with_nothing_and_evolution_has_its_controls(study):
    for row in rows_of(study[0], "scores"):
        if row["method"] == "random labels":
            assert abs(float(row["ari"])) < 0.35
    evolved = {row["method"] for row in rows_of(study[0], "scores") if row["block"] == "evolution"}
    assert {EVOLVED, CONTROL} < evolved
