"""Constraints to and from text files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import PairwiseConstraints, read_pairs


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "pairs.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(5, 9), st.floats(1e-300, 1e300)), max_size=6),
    st.lists(st.tuples(st.integers(0, 4), st.integers(5, 9), st.floats(1e-300, 1e300)), max_size=6),
)
def test_round_trip(must, cannot):
    made = PairwiseConstraints(
        [row[:2] for row in must],
        [row[:2] for row in cannot],
        n_samples=10,
        must_link_weights=[row[2] for row in must],
        cannot_link_weights=[row[2] for row in cannot],
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "constraints.csv"
        made.to_csv(path)
        assert PairwiseConstraints.from_csv(path, 10) == made


def test_what_is_written(tmp_path):
    path = tmp_path / "constraints.csv"
    PairwiseConstraints([(3, 1)], [(0, 2)], n_samples=4, cannot_link_weights=[0.1]).to_csv(str(path))
    assert path.read_text() == "i,j,kind,weight\n1,3,must_link,1.0\n0,2,cannot_link,0.1\n"


def test_the_weight_column_may_be_missing(write):
    path = write("i,j,kind\n1,0,must_link\n\n2,3,cannot_link\n")
    made = PairwiseConstraints.from_csv(path, n_samples=4)
    assert made == PairwiseConstraints([(0, 1)], [(2, 3)], n_samples=4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"pairs\.csv, line 1: expected the columns i,j,kind,weight, got ''"),
        ("a,b,kind\n", r"line 1: expected the columns i,j,kind,weight, got 'a,b,kind'"),
        ("i,j,kind,weight\n0,1,must_link\n", r"line 2: expected 4 columns, got 3"),
        ("i,j,kind\n0,1,must\n", r"line 2: kind must be must_link or cannot_link, got 'must'"),
        ("i,j,kind\n\n0,4,must_link\n", r"line 3: row number 4 is out of range; rows are numbered 0 to 3"),
        ("i,j,kind\n0,x,must_link\n", r"line 2: expected a row number, got 'x'"),
        ("i,j,kind\n1,1,must_link\n", r"line 2: the same row twice: '1' and '1'"),
        ("i,j,kind,weight\n0,1,must_link,0\n", r"line 2: weight must be a positive number, got '0'"),
        ("i,j,kind,weight\n0,1,must_link,inf\n", r"line 2: weight must be a positive number, got 'inf'"),
        ("i,j,kind,weight\n0,1,must_link,much\n", r"line 2: weight must be a positive number, got 'much'"),
    ],
)
def test_bad_constraint_files_are_named(write, text, message):
    with pytest.raises(ValueError, match=message):
        PairwiseConstraints.from_csv(write(text), 4)


@pytest.mark.parametrize(
    "text",
    [
        "0,3\n2,1\n",
        "first,second\n0,3\n2,1\n",
        "0\t3\n2\t1",
        "0; 3\r\n2; 1\r\n",
        "\n\n0,3\n,\n2,1\n\n",
        "\ufefffirst,second\n0,3\n2,1\n",
        "\ufeff0,3\n2,1\n",
        '"0","3"\n"2","1"\n',
    ],
)
def test_row_numbers(write, text):
    pairs = read_pairs(write(text), n_samples=4)
    assert pairs.tolist() == [[0, 3], [2, 1]]
    assert pairs.dtype == np.int64


def test_row_identifiers(write):
    ids = ["doc a", "b,c", "7", "d"]
    path = write("one\ttwo\ndoc a\tb,c\nd\t7\n")
    assert read_pairs(path, ids).tolist() == [[0, 1], [3, 2]]
    path = write('"b,c",doc a\n')
    assert read_pairs(path, ids, 4).tolist() == [[1, 0]]
    assert read_pairs(write("30,10\n"), np.array([10, 20, 30])).tolist() == [[2, 0]]


def test_the_heading_can_be_said(write):
    path = write("0,1\n1,2\n")
    assert read_pairs(path, header=True).tolist() == [[1, 2]]
    with pytest.raises(ValueError, match=r"line 1: expected a row number, got 'a'"):
        read_pairs(write("a,b\n0,1\n"), header=False)


def test_an_empty_file_has_no_pairs(write):
    assert read_pairs(write("")).shape == (0, 2)
    assert read_pairs(write("i,j\n"), n_samples=3).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0,1\n2\n", {}, r"pairs\.csv, line 2: expected two columns, got 1: '2'"),
        ("0 1\n", {}, r"line 1: expected two columns, got 1"),
        ("0,1,2\n", {}, r"line 1: expected two columns, got 3: '0 \| 1 \| 2'"),
        ("0,1\n\n1,4\n", {"n_samples": 4}, r"line 3: row number 4 is out of range; rows are numbered 0 to 3"),
        ("0,1\n1,-1\n", {}, r"line 2: row number -1 is out of range; rows are numbered 0 or more"),
        ("0,1\n1,x\n", {}, r"line 2: expected a row number, got 'x'"),
        ("0.0,1.0\n", {}, r"line 1: expected a row number, got '0\.0'"),
        ("i,j\n3,3\n", {}, r"line 2: the same row twice: '3' and '3'"),
        ("a,b\nb,q\n", {"row_ids": ["a", "b"]}, r"line 2: unknown row identifier 'q'"),
        ("a,q\n", {"row_ids": ["a", "b"]}, r"line 1: unknown row identifier 'q'"),
        ("5,6\n", {"row_ids": [1, 2]}, r"line 1: unknown row identifier '5'"),
        ("a,a\n", {"row_ids": ["a", "b"]}, r"line 1: the same row twice: 'a' and 'a'"),
        ("a,b\n", {"row_ids": ["a", "b", "a"]}, r"row_ids must be different, but 'a' occurs more than once"),
        ("a,b\n", {"row_ids": ["a", "b"], "n_samples": 3}, r"one value per sample: 3, got 2"),
    ],
)
def test_bad_pair_files_are_named(write, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(write(text), **options)


def test_other_encodings_are_named(write):
    with pytest.raises(ValueError, match=r"pairs\.csv: not a text file in UTF-8"):
        read_pairs(write("é,à\n", encoding="latin-1"), ["é", "à"])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        read_pairs(tmp_path / "nowhere.csv")
