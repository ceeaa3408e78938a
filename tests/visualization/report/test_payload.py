"""What the page's scripts read equals what the report shows."""

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.visualization.report import ClusterFacts, Column, Panel, PlaneMap, ReportContent
from moo_clustering.visualization.report.page import (
    by_importance,
    encoded_array,
    encoded_labels,
    encoded_text,
    keep_solutions,
    payload,
)


def decoded(encoded):
    content = zlib.decompress(base64.b64decode(encoded["data"]))
    if encoded["dtype"] == "json":
        return json.loads(content)
    return np.frombuffer(content, np.dtype(encoded["dtype"]).newbyteorder("<")).reshape(encoded["shape"])


def content(**changes):
    labels = np.array([[0, 1, 1, -1], [2, 0, 0, 1], [0, 0, 0, 0]], dtype=np.int32)
    made = ReportContent(
        title="T",
        names=["a", "b", "c"],
        labels=labels,
        sample_names=np.array(["w", "x", "y", "z"]),
        facts=[("seed", "1")],
        columns=[
            Column("f", np.array([1.0, np.nan, -np.inf]), True, True),
            Column("g", np.array([3.0, 2.0, 1.0]), True, False),
        ],
        chosen=1,
        rules={"knee": 2},
        runs=["r", "s", "r"],
        cluster_names={1: ["oak", "elm", "ash"]},
        map=PlaneMap(np.array([[0.5, np.nan], [1.0, 2.0]]), np.array([1, 3]), ("p", "q"), "n"),
        clusters={0: [ClusterFacts(np.nan, (0,), (("t", 0.5),)), ClusterFacts(0.25, (1, 2))]},
        must_link=np.array([[0, 3]]),
        agreement=np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]]),
        history=pd.DataFrame({"generation": [1, 2], "size": [3.5, None], "word": ["u", "v"]}),
        panels=[
            Panel("lines", "L", series={"s": (np.arange(2.0), np.ones(2))}),
            Panel("bars", "B", x=["u", 1.0]),
        ],
    )
    return replace(made, **changes)


def test_everything_is_there_again():
    shown, data = content(), payload(content(), 10**7)
    json.dumps(data, allow_nan=False)
    assert np.array_equal(decoded(data["labels"]).astype(int) - 1, shown.labels)
    np.testing.assert_array_equal(decoded(data["values"]), [column.values for column in shown.columns])
    assert decoded(data["sampleNames"]) == ["w", "x", "y", "z"]
    assert data["sampleTexts"] is None
    np.testing.assert_array_equal(decoded(data["map"]["positions"]), shown.map.positions)
    assert decoded(data["map"]["rows"]).tolist() == [1, 3]
    np.testing.assert_allclose(decoded(data["agreement"]), shown.agreement, rtol=1e-6)
    assert decoded(data["mustLink"]).tolist() == [[0, 3]]
    assert decoded(data["cannotLink"]).shape == (0, 2)
    np.testing.assert_array_equal(
        decoded(data["history"]["values"]), [[1, 2], [3.5, np.nan], [np.nan, np.nan]]
    )
    assert decoded(data["panels"][0]["series"][0]["x"]).tolist() == [0, 1]
    assert data["panels"][1]["x"] == ["u", 1.0]
    assert (data["names"], data["runs"], data["chosen"]) == (["a", "b", "c"], ["r", "s", "r"], 1)
    assert data["rules"] == [["knee", 2]]
    assert data["clusterNames"] == {"1": ["oak", "elm", "ash"]}
    assert data["clusters"]["0"][0] == {
        "silhouette": None, "typical": [0], "features": [["t", 0.5]], "nearest": -1, "contrasts": [],
        "rules": [],
    }  # fmt: skip
    assert [column["greaterIsBetter"] for column in data["columns"]] == [True, False]


def test_any_sequence_and_whole_numbers_are_shown():
    plane = PlaneMap(np.array([[-1, 2], [3, 4]]), np.array([1, 3]), ("p", "q"))
    bars = Panel("bars", "B", x=np.array(["u", "v"]), y=np.array([1.0, np.nan]))
    cells = Panel("matrix", "M", matrix=np.array([[-1, 2]]), solutions=np.array([[-1, 2]]))
    shown = content(names=np.array(["a", "b", "c"]), map=plane, panels=[bars, cells])
    data = payload(shown, 10**7)
    json.dumps(data, allow_nan=False)
    assert data["names"] == ["a", "b", "c"]
    assert decoded(data["map"]["positions"]).tolist() == [[-1, 2], [3, 4]]
    assert (data["panels"][0]["x"], data["panels"][0]["y"]) == (["u", "v"], [1.0, None])
    assert decoded(data["panels"][1]["matrix"]).tolist() == [[-1, 2]]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(-1, 70000), min_size=3, max_size=3), max_size=5))
def test_labels_come_back(rows):
    labels = np.array(rows, dtype=np.int32).reshape(-1, 3)
    assert np.array_equal(decoded(encoded_labels(labels)).astype(np.int64) - 1, labels)


@pytest.mark.parametrize(("greatest", "dtype"), [(254, "uint8"), (255, "uint16"), (65535, "uint32")])
def test_labels_take_the_narrowest_type(greatest, dtype):
    encoded = encoded_labels(np.array([[-1, greatest]], dtype=np.int32))
    assert encoded["dtype"] == dtype
    assert decoded(encoded).tolist() == [[0, greatest + 1]]


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match=r"labels must be -1, 0, 1, \.\.\., got -2"):
        encoded_labels(np.array([[0, -2]], dtype=np.int32))
    with pytest.raises(ValueError, match="values from -1 to 3 do not fit into uint32"):
        encoded_array([-1, 3], "uint32")
    with pytest.raises(ValueError, match="dtype must be one of 'uint8'"):
        encoded_array([1], "complex64")


@given(st.lists(st.text()))
def test_texts_come_back(texts):
    assert decoded(encoded_text(texts)) == texts


def test_long_texts_are_cut():
    texts = decoded(payload(content(sample_texts=["a" * 9999, "", "b" * 400, "c"]), 10**7)["sampleTexts"])
    assert texts == ["a" * 399 + "…", "", "b" * 400, "c"]


def test_too_much_leaves_solutions_out():
    rng = np.random.default_rng(0)
    n = 60
    wide = content(
        names=[f"s{row}" for row in range(n)],
        labels=rng.integers(0, 10, (n, 2000)).astype(np.int32),
        sample_names=np.arange(2000).astype(str),
        columns=[Column("f", rng.random(n), True, True)],
        chosen=41,
        rules={"last": 59},
        runs=[f"run {row}" for row in range(n)],
        clusters={41: [ClusterFacts(0.5)], 3: []},
        cluster_names={59: ["z"]},
        agreement=rng.random((n, n)),
    )
    data = payload(wide, 60_000)
    assert len(json.dumps(data)) <= 60_000
    rows = [int(name[1:]) for name in data["names"]]
    assert 10 < len(rows) < 40
    assert rows == sorted(rows)
    best = np.argsort(-wide.columns[0].values)
    assert set(rows) - {41, 59} == set([row for row in best if row not in (41, 59)][: len(rows) - 2])
    assert np.array_equal(decoded(data["labels"]).astype(int) - 1, wide.labels[rows])
    np.testing.assert_array_equal(decoded(data["values"]), wide.columns[0].values[None, rows])
    np.testing.assert_allclose(decoded(data["agreement"]), wide.agreement[np.ix_(rows, rows)], rtol=1e-6)
    assert data["runs"] == [f"run {row}" for row in rows]
    assert (rows[data["chosen"]], rows[data["rules"][0][1]]) == (41, 59)
    assert data["clusters"][str(rows.index(41))][0]["silhouette"] == 0.5
    assert data["clusterNames"] == {str(rows.index(59)): ["z"]}
    (sentence,) = data["missing"]
    assert re.match(rf"To limit its size, the page contains only {len(rows)} of 60 solutions", sentence)


def test_one_solution_stays_however_little_room_there_is():
    data = payload(content(rules={}), 1)
    assert data["names"] == ["b"]
    assert "1 of 3 solutions" in data["missing"][0]


def test_solutions_by_importance():
    columns = [
        Column("f", np.array([1.0, 4.0, 3.0, np.nan, 2.0]), True, True),
        Column("g", np.array([9.0, 1.0, 2.0, 3.0, 8.0]), True, False),
        Column("neither", np.array([1.0, 2.0, 3.0, 4.0, 5.0]), True, None),
        Column("no objective", np.array([9.0, 0.0, 0.0, 0.0, 0.0]), False, True),
    ]
    labels = np.zeros((5, 4), dtype=np.int32)
    shown = content(labels=labels, names=list("abcde"), columns=columns, chosen=4, rules={"x": 0, "y": 4})
    # Ranks in f: e 3, a 4, b 1, c 2, d 5; in g: b 1, c 2, d 3, e 4, a 5.
    assert by_importance(shown).tolist() == [4, 0, 1, 2, 3]


def test_rules_of_dropped_solutions_go():
    kept = keep_solutions(content(), np.array([1, 0]))
    assert kept.rules == {}
    assert (list(kept.names), kept.chosen) == (["a", "b"], 1)
    assert kept.agreement.tolist() == [[1.0, 0.5], [0.5, 1.0]]
