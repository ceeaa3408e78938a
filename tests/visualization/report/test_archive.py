"""Contents of reports come back from a file as they were."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from moo_clustering.persistence import ArchiveError, read_archive, write_archive
from moo_clustering.visualization.report import ClusterFacts, Column, Panel, PlaneMap, ReportContent
from moo_clustering.visualization.report.page import load_content, save_content

# numpy takes zeros at the end of a text for padding.
TEXTS = st.text(max_size=6).filter(lambda text: not text.endswith("\0"))
ODD = st.one_of(
    TEXTS, st.sampled_from(["<script>alert(1)</script>", "a\nb", "\N{SNOWMAN}", "\u202e", '"', "__archive__"])
)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@st.composite
def contents(draw):
    """Any content that fits together."""
    n_samples, n_solutions = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rows = st.integers(0, n_samples - 1)

    def texts(size):
        return draw(st.lists(ODD, min_size=size, max_size=size))

    def floats(*shape):
        return draw(hnp.arrays(np.float64, shape, elements=NUMBERS))

    def pairs():
        found = draw(st.lists(st.tuples(rows, rows), max_size=3))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    facts = st.builds(
        ClusterFacts,
        NUMBERS,
        st.lists(rows, max_size=2).map(tuple),
        st.lists(st.tuples(ODD, NUMBERS), max_size=2).map(tuple),
    )
    shown = np.flatnonzero(draw(hnp.arrays(np.bool_, n_samples)))
    n_generations = draw(st.integers(0, 3))
    of_solutions = st.integers(0, n_solutions - 1)
    return ReportContent(
        title=draw(ODD),
        names=texts(n_solutions),
        labels=draw(hnp.arrays(np.int32, (n_solutions, n_samples), elements=st.integers(-1, 70_000))),
        sample_names=np.array(texts(n_samples), dtype=np.str_),
        facts=draw(st.lists(st.tuples(ODD, ODD), max_size=2)),
        sample_kind=draw(ODD),
        sample_texts=draw(st.one_of(st.none(), st.just(texts(n_samples)))),
        columns=[
            Column(
                draw(ODD),
                floats(n_solutions),
                draw(st.booleans()),
                draw(st.sampled_from([None, True, False])),
            )
            for _ in range(draw(st.integers(0, 2)))
        ],
        chosen=draw(of_solutions),
        rules=draw(st.dictionaries(ODD, of_solutions, max_size=2)),
        runs=draw(st.one_of(st.just([]), st.just(texts(n_solutions)))),
        cluster_names=draw(st.dictionaries(of_solutions, st.lists(ODD, max_size=2), max_size=2)),
        map=draw(
            st.one_of(
                st.none(), st.just(PlaneMap(floats(len(shown), 2), shown, (draw(ODD), draw(ODD)), draw(ODD)))
            )
        ),
        clusters=draw(st.dictionaries(of_solutions, st.lists(facts, max_size=2), max_size=2)),
        features_title=draw(ODD),
        must_link=pairs(),
        cannot_link=pairs(),
        agreement=draw(st.one_of(st.none(), st.just(floats(n_solutions, n_solutions)))),
        agreement_note=draw(ODD),
        history=draw(
            st.one_of(
                st.none(),
                st.just(
                    pd.DataFrame({"generation": np.arange(n_generations), draw(ODD): floats(n_generations)})
                ),
            )
        ),
        panels=[
            Panel(
                "lines", draw(ODD), series={draw(ODD): (floats(2), floats(2))}, axes=(draw(ODD), draw(ODD))
            ),
            Panel("bars", draw(ODD), draw(ODD), x=texts(2), y=[draw(NUMBERS), 1.0]),
            Panel("matrix", draw(ODD), matrix=floats(2, 3), x=(), y=("a", "b")),
            Panel("image", draw(ODD), image=draw(st.binary(max_size=9))),
        ][: draw(st.integers(0, 4))],
        missing=draw(st.lists(ODD, max_size=2)),
    )


def same(first, second):
    """Equal in all parts, whatever kind of sequence holds them; NaN equals NaN."""
    if isinstance(first, np.ndarray):
        is_float = first.dtype.kind == "f"
        alike = first.dtype.kind == second.dtype.kind and first.shape == second.shape
        return alike and np.array_equal(first, second, equal_nan=is_float)
    if isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(first, second)
        return True
    if dataclasses.is_dataclass(first):
        names = [field.name for field in dataclasses.fields(first)]
        return type(first) is type(second) and all(same(getattr(first, n), getattr(second, n)) for n in names)
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and math.isnan(first):
        return math.isnan(second)
    return type(first) is type(second) and first == second


def small(**others):
    labels = np.array([[0, 0, 1], [0, 1, 2]], dtype=np.int32)
    return ReportContent("t", ["a", "b"], labels, np.array(["x", "y", "z"]), **others)


@settings(max_examples=80, deadline=None)
@given(content=contents())
def test_round_trip(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("content") / "report.npz"
    save_content(path, content)
    found = load_content(path)
    assert same(content, found)
    assert found.labels.dtype == np.int32
    assert found.must_link.dtype == found.cannot_link.dtype == np.int64


def test_sameness_sees_what_differs():
    assert same(small(), small())
    assert not same(small(), small(chosen=1))
    assert not same(
        small(columns=[Column("a", np.array([1.0, np.nan]))]), small(columns=[Column("a", np.ones(2))])
    )
    assert not same(small(clusters={0: [ClusterFacts(1.0)]}), small(clusters={0: [ClusterFacts(2.0)]}))


def test_labels_are_stored_in_few_bytes(tmp_path):
    labels = np.tile(np.arange(100, dtype=np.int32), (50, 400))
    content = ReportContent("t", [str(row) for row in range(50)], labels, np.arange(40_000).astype(str))
    save_content(tmp_path / "c", content)
    assert (tmp_path / "c").stat().st_size < labels.nbytes / 20
    np.testing.assert_array_equal(load_content(tmp_path / "c").labels, labels)


@pytest.mark.parametrize("numbers", [[-1, 2**63 - 1], [0, 255], [-128, 127], [-129, 0]])
def test_integers_stay_exact(tmp_path, numbers):
    curve = (np.array(numbers, dtype=np.int64), np.zeros(2))
    save_content(tmp_path / "c", small(panels=[Panel("lines", "t", series={"s": curve})]))
    found = load_content(tmp_path / "c").panels[0].series["s"][0]
    assert found.dtype == np.int64
    assert found.tolist() == numbers


NOWHERE = [
    {"chosen": 9},
    {"chosen": 0.5},
    {"rules": {"knee": -1}},
    {"clusters": {7: [ClusterFacts(1.0)]}},
    {"clusters": {0: [ClusterFacts(1.0, typical=(99,))]}},
    {"must_link": np.array([[0, 99]])},
    {"cannot_link": np.array([[-1, 0]])},
    {"map": PlaneMap(np.zeros((1, 2)), np.array([99]), ("x", "y"))},
    {"map": PlaneMap(np.zeros((2, 2)), np.array([0]), ("x", "y"))},
    {"agreement": np.zeros((1, 9))},
]


@pytest.mark.parametrize("part", NOWHERE, ids=lambda part: "-".join(part))
def test_solutions_and_samples_that_are_not_there(tmp_path, part):
    save_content(tmp_path / "c", small(**part))
    with pytest.raises(ArchiveError, match=r"its parts are inconsistent|contains a damaged report"):
        load_content(tmp_path / "c")


def test_history_with_gaps_and_words(tmp_path):
    history = pd.DataFrame({"generation": [0, 1], "best": [1.5, np.nan], "note": ["begun", None]})
    save_content(tmp_path / "c", small(history=history))
    found = load_content(tmp_path / "c").history
    assert found["best"].isna().tolist() == [False, True]
    assert found["note"].iloc[0] == "begun"
    assert found["note"].isna().tolist() == [False, True]


def test_what_no_report_holds_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(TypeError, match="cannot contain an object of type set"):
        save_content(tmp_path / "c", small(facts={("a", "b")}))
    assert list(tmp_path.iterdir()) == []


def test_other_version(tmp_path):
    save_content(tmp_path / "c", small())
    arrays, meta = read_archive(tmp_path / "c")
    write_archive(tmp_path / "c", arrays, meta | {"version": 7})
    with pytest.raises(ArchiveError, match=r"format version 7, but this version .* at most 1"):
        load_content(tmp_path / "c")


def test_archive_of_something_else(tmp_path):
    write_archive(tmp_path / "c", {"labels": np.zeros(3)}, {"format": "moo_clustering run"})
    with pytest.raises(ArchiveError, match="does not contain a report"):
        load_content(tmp_path / "c")
    (tmp_path / "d").write_text("no archive")
    with pytest.raises(ArchiveError):
        load_content(tmp_path / "d")
    with pytest.raises(FileNotFoundError):
        load_content(tmp_path / "e")


def damaged(meta, change):
    fields = json.loads(json.dumps(meta["content"]))
    change(fields["ReportContent"])
    return meta | {"content": fields}


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.pop("labels"),
        lambda fields: fields.update(names=["a"]),
        lambda fields: fields.update(sample_names={"strings": ["x"]}),
        lambda fields: fields.update(sample_texts=["x"]),
        lambda fields: fields.update(runs=["x"]),
        lambda fields: fields.update(labels={"array": "a99", "dtype": "<i4"}),
        lambda fields: fields.update(labels=3),
        lambda fields: fields.update(map={"os.system": {"command": "true"}}),
        lambda fields: fields.update(unknown=1),
    ],
)
def test_damaged_content_is_named(tmp_path, change):
    save_content(tmp_path / "c", small())
    arrays, meta = read_archive(tmp_path / "c")
    write_archive(tmp_path / "c", arrays, damaged(meta, change))
    with pytest.raises(ArchiveError, match="contains a damaged report"):
        load_content(tmp_path / "c")
