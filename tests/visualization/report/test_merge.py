"""Several runs on the same samples in one report."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from moo_clustering.visualization.report import ClusterFacts, Column, Panel, PlaneMap, ReportContent
from moo_clustering.visualization.report.page import merge

NAMES = np.array(["s0", "s1", "s2", "s3"])


def first_run(**others):
    parts = {
        "title": "PESC on a.csv",
        "names": ["member 0", "result"],
        "labels": np.array([[0, 0, 1, 1], [0, 1, 1, 2]], dtype=np.int32),
        "sample_names": NAMES,
        "facts": [("data", "a.csv"), ("method", "PESC")],
        "columns": [
            Column("compactness", np.array([1.0, 2.0]), is_objective=True, greater_is_better=False),
            Column("clusters", np.array([2.0, 3.0])),
        ],
        "chosen": 1,
        "rules": {"knee": 0},
        "cluster_names": {1: ["a", "b", "c"]},
        "clusters": {1: [ClusterFacts(0.5, (0,)), ClusterFacts(0.1, (2, 1)), ClusterFacts(0.2, (3,))]},
        "must_link": np.array([[0, 1]]),
        "history": pd.DataFrame({"generation": [0, 1], "best": [3.0, 2.0]}),
        "panels": [Panel("bars", "Weights", x=["w"], y=[1.0])],
        "missing": ["No map."],
    }
    return ReportContent(**(parts | others))


def second_run(order=(0, 1, 2, 3), **others):
    """The same samples, put in another order."""
    at = np.argsort(order)
    parts = {
        "title": "MOCK on a.csv",
        "names": ["member 0"],
        "labels": np.array([[1, 1, 0, 1]], dtype=np.int32)[:, list(order)],
        "sample_names": NAMES[list(order)],
        "facts": [("data", "a.csv"), ("method", "MOCK")],
        "columns": [
            Column("connectivity", np.array([7.0]), is_objective=True, greater_is_better=False),
            Column("clusters", np.array([2.0])),
        ],
        "rules": {"knee": 0},
        "map": PlaneMap(np.array([[0.0, 9.0], [2.0, 9.0], [3.0, 9.0]]), np.sort(at[[0, 2, 3]]), ("x", "y")),
        "clusters": {0: [ClusterFacts(0.3, (int(at[2]),)), ClusterFacts(0.4, (int(at[3]), int(at[0])))]},
        "must_link": np.array([[at[1], at[0]]]),
        "cannot_link": np.array([[at[3], at[2]]]),
        "history": pd.DataFrame({"generation": [1, 5], "best": [9.0, 8.0]}),
    }
    return ReportContent(**(parts | others))


def test_everything_worked_out_by_hand():
    merged = merge([first_run(), second_run()], ["pesc", "mock"])
    assert merged.title == "PESC on a.csv and MOCK on a.csv"
    assert list(merged.names) == ["member 0", "result", "member 0"]
    assert list(merged.runs) == ["pesc", "pesc", "mock"]
    assert merged.labels.tolist() == [[0, 0, 1, 1], [0, 1, 1, 2], [1, 1, 0, 1]]
    assert merged.chosen == 1
    assert merged.rules == {"pesc: result": 1, "pesc: knee": 0, "mock: result": 2, "mock: knee": 2}
    assert merged.cluster_names == {1: ["a", "b", "c"]}
    assert {row: [facts.typical for facts in found] for row, found in merged.clusters.items()} == {
        1: [(0,), (2, 1), (3,)],
        2: [(2,), (3, 0)],
    }
    assert merged.must_link.tolist() == [[0, 1]]
    assert merged.cannot_link.tolist() == [[2, 3]]
    assert merged.map.rows.tolist() == [0, 2, 3]
    assert merged.missing == ["pesc: No map."]
    assert [panel.title for panel in merged.panels] == ["pesc: Weights"]
    assert merged.facts == [
        ("runs", "pesc, mock"),
        ("data", "a.csv"),
        ("pesc: method", "PESC"),
        ("mock: method", "MOCK"),
    ]
    columns = {column.name: column for column in merged.columns}
    assert list(columns) == ["compactness", "connectivity", "clusters"]
    np.testing.assert_array_equal(columns["compactness"].values, [1, 2, np.nan])
    np.testing.assert_array_equal(columns["connectivity"].values, [np.nan, np.nan, 7])
    np.testing.assert_array_equal(columns["clusters"].values, [2, 3, 2])
    assert [column.is_objective for column in merged.columns] == [True, True, False]
    history = merged.history
    assert list(history.columns) == ["generation", "pesc: best", "mock: best"]
    np.testing.assert_array_equal(history.to_numpy(), [[0, 3, np.nan], [1, 2, 9], [5, np.nan, 8]])


def test_agreement_is_that_of_all_pairs():
    merged = merge([first_run(), second_run()], ["a", "b"])
    for row in range(3):
        for other in range(3):
            expected = adjusted_rand_score(merged.labels[row], merged.labels[other])
            assert merged.agreement[row, other] == pytest.approx(expected)


def test_agreement_with_the_result_is_with_that_of_the_first_run():
    column = Column("agreement with the result", np.array([1.0]))
    first = first_run(columns=[Column("agreement with the result", np.array([0.0, 1.0]))])
    merged = merge([first, second_run(columns=[column])], ["a", "b"])
    np.testing.assert_allclose(merged.columns[0].values, merged.agreement[1])


@settings(max_examples=24, deadline=None)
@given(order=st.permutations(range(4)))
def test_rows_are_aligned_by_name(order):
    plain = merge([first_run(), second_run()], ["a", "b"])
    found = merge(
        [first_run(), second_run(order, sample_texts=[f"of {name}" for name in NAMES[list(order)]])],
        ["a", "b"],
    )
    assert found.labels.tolist() == plain.labels.tolist()
    assert found.sample_names.tolist() == NAMES.tolist()
    assert list(found.sample_texts) == [f"of {name}" for name in NAMES]
    assert found.must_link.tolist() == plain.must_link.tolist()
    assert found.cannot_link.tolist() == plain.cannot_link.tolist()
    assert [facts.typical for facts in found.clusters[2]] == [facts.typical for facts in plain.clusters[2]]
    assert found.map.rows.tolist() == [0, 2, 3]


def test_positions_go_with_their_samples():
    plane = PlaneMap(np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.arange(4), ("x", "y"))
    merged = merge([first_run(), second_run((3, 2, 1, 0), map=plane)], ["a", "b"])
    assert merged.map.rows.tolist() == [0, 1, 2, 3]
    assert merged.map.positions[:, 0].tolist() == [0, 1, 2, 3]


def test_one_objective_in_both_runs_is_one_column():
    column = Column("compactness", np.array([4.0]), is_objective=True, greater_is_better=False)
    merged = merge([first_run(), second_run(columns=[column])], ["a", "b"])
    assert [c.name for c in merged.columns] == ["compactness", "clusters"]
    np.testing.assert_array_equal(merged.columns[0].values, [1, 2, 4])


def test_columns_of_other_direction_stay_apart():
    column = Column("compactness", np.array([4.0]), is_objective=True, greater_is_better=True)
    merged = merge([first_run(), second_run(columns=[column])], ["a", "b"])
    found = {c.name: (c.greater_is_better, c.values) for c in merged.columns if c.is_objective}
    assert list(found) == ["compactness (a)", "compactness (b)"]
    assert [direction for direction, _ in found.values()] == [False, True]
    np.testing.assert_array_equal(found["compactness (b)"][1], [np.nan, np.nan, 4])


def test_unknown_direction_is_that_of_the_same_name():
    column = Column("compactness", np.array([4.0]), is_objective=True)
    merged = merge([first_run(), second_run(columns=[column])], ["a", "b"])
    assert [(c.name, c.greater_is_better) for c in merged.columns if c.is_objective] == [
        ("compactness", False)
    ]


def test_equal_names_of_runs_are_told_apart():
    merged = merge([first_run(), second_run(), second_run()], ["out", "out", "out"])
    assert list(merged.runs) == ["out", "out", "out (2)", "out (3)"]
    assert list(merged.rules) == [
        "out: result", "out: knee", "out (2): result", "out (2): knee", "out (3): result", "out (3): knee"
    ]  # fmt: skip


def test_merged_runs_can_be_merged_again():
    both = merge([first_run(), second_run()], ["a", "b"])
    merged = merge([second_run(), both], ["new", "old"])
    assert list(merged.runs) == ["new", "old: a", "old: a", "old: b"]
    assert merged.rules == {
        "new: result": 0, "new: knee": 0, "old: result": 2,
        "old: a: result": 2, "old: a: knee": 1, "old: b: result": 3, "old: b: knee": 3,
    }  # fmt: skip


def test_one_run_is_given_back():
    run = first_run()
    assert merge([run], ["a"]) is run


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"]])
def test_wrong_numbers_of_names(names):
    with pytest.raises(ValueError, match=f"got {2 if names else 0} runs and {len(names)} names"):
        merge([first_run(), second_run()] if names else [], names)


def test_other_number_of_samples():
    run = second_run(labels=np.zeros((1, 3), dtype=np.int32), sample_names=NAMES[:3])
    with pytest.raises(
        ValueError, match=r"^runs 'a' and 'b' have different samples: 4 in the first, 3 in the second$"
    ):
        merge([first_run(), run], ["a", "b"])


@pytest.mark.parametrize(
    ("there", "whose", "lone"),
    [(["s0", "s1", "s2", "x"], "a", "s3"), (["s0", "s0", "s1", "s2"], "a", "s3")],
)
def test_other_samples(there, whose, lone):
    with pytest.raises(
        ValueError, match=f"'a' and 'b' have different samples: only '{whose}' contains '{lone}'"
    ):
        merge([first_run(), second_run(sample_names=np.array(there))], ["a", "b"])


def test_samples_of_which_only_the_second_run_has_one():
    first = first_run(sample_names=np.array(["s0", "s0", "s1", "s2"]))
    with pytest.raises(ValueError, match="only 'b' contains 's3'"):
        merge([first, second_run()], ["a", "b"])


def test_repeated_names():
    names = np.array(["x", "x", "y", "z"])
    first = first_run(sample_names=names)
    in_order = merge([first, second_run(sample_names=names)], ["a", "b"])
    assert in_order.labels[2].tolist() == [1, 1, 0, 1]
    with pytest.raises(ValueError, match="a name occurs more than once: 'x'"):
        merge([first, second_run(sample_names=names[::-1])], ["a", "b"])


def test_nothing_but_labels():
    bare = dataclasses.replace(
        first_run(), columns=(), rules={}, clusters={}, cluster_names={}, history=None, panels=(), facts=(),
        missing=(), must_link=np.empty((0, 2), dtype=np.int64),
    )  # fmt: skip
    merged = merge([bare, bare], ["a", "b"])
    assert merged.map is None
    assert merged.history is None
    assert merged.must_link.shape == merged.cannot_link.shape == (0, 2)
    assert merged.sample_texts is None
    assert list(merged.columns) == []
    assert merged.rules == {"a: result": 1, "b: result": 3}


def test_limits_can_be_whole_numbers():
    limits = [("size", "at least 2", np.array([3, 0]))]
    merged = merge([first_run(limits=limits), second_run()], ["a", "b"])
    [(name, _, values)] = merged.limits
    assert name == "a: size"
    np.testing.assert_array_equal(values, [3, 0, np.nan])
