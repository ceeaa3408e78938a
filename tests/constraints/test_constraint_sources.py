"""Pairs from files and from gold labels."""

from __future__ import annotations

import itertools
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from moo_clustering.constraints import PairwiseConstraints, read_pairs
from moo_clustering.constraints.sources import as_gold, sample_ranks, share_of, unrank_pairs


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
        ("i,j,kind\n\n0,4,must_link\n", r"line 3: row index 4 is out of range; rows are numbered 0 to 3"),
        ("i,j,kind\n0,x,must_link\n", r"line 2: expected a row index, got 'x'"),
        ("i,j,kind\n1,1,must_link\n", r"line 2: the pair contains the same row twice: '1' and '1'"),
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
    with pytest.raises(ValueError, match=r"line 1: expected a row index, got 'a'"):
        read_pairs(write("a,b\n0,1\n"), header=False)


def test_a_first_pair_of_misspelt_identifiers_is_named(write, recwarn):
    assert read_pairs(write("one,two\nanna,berta\n"), ["anna", "berta"]).tolist() == [[0, 1]]
    assert read_pairs(write("Anna,Berta\n"), ["anna", "berta"], header=True).tolist() == []
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"line 1: \['Anna', 'Berta'\] is read as a header, .* 'anna'\?"):
        assert read_pairs(write("Anna,Berta\n"), ["anna", "berta"]).tolist() == []


def test_an_empty_file_has_no_pairs(write):
    assert read_pairs(write("")).shape == (0, 2)
    assert read_pairs(write("i,j\n"), n_samples=3).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0,1\n2\n", {}, r"pairs\.csv, line 2: expected two columns, got 1: '2'"),
        ("0 1\n", {}, r"line 1: expected two columns, got 1"),
        ("0,1,2\n", {}, r"line 1: expected two columns, got 3: '0 \| 1 \| 2'"),
        ("0,1\n\n1,4\n", {"n_samples": 4}, r"line 3: row index 4 is out of range; rows are numbered 0 to 3"),
        ("0,1\n1,-1\n", {}, r"line 2: row index -1 is out of range; rows are numbered 0 or more"),
        ("0,1\n1,x\n", {}, r"line 2: expected a row index, got 'x'"),
        ("0.0,1.0\n", {}, r"line 1: expected a row index, got '0\.0'"),
        ("i,j\n3,3\n", {}, r"line 2: the pair contains the same row twice: '3' and '3'"),
        ("a,b\nb,q\n", {"row_ids": ["a", "b"]}, r"line 2: unknown row identifier 'q'"),
        ("a,q\n", {"row_ids": ["a", "b"]}, r"line 1: unknown row identifier 'q'"),
        ("5,6\n", {"row_ids": [1, 2]}, r"line 1: unknown row identifier '5'"),
        ("a,a\n", {"row_ids": ["a", "b"]}, r"line 1: the pair contains the same row twice: 'a' and 'a'"),
        ("a,b\n", {"row_ids": ["a", "b", "a"]}, r"row_ids must be unique, but 'a' occurs more than once"),
        ("a,b\n", {"row_ids": ["a", "b"], "n_samples": 3}, r"one value per sample \(3\), got 2"),
    ],
)
def test_bad_pair_files_are_named(write, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(write(text), **options)


def test_other_encodings_are_named(write):
    with pytest.raises(ValueError, match=r"pairs\.csv: not a UTF-8 text file"):
        read_pairs(write("é,à\n", encoding="latin-1"), ["é", "à"])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        read_pairs(tmp_path / "nowhere.csv")


SCHEMES = ["stratified", "pooled", "docs"]


def naive_pairs(sets):
    must = {(i, j) for i, j in itertools.combinations(range(len(sets)), 2) if sets[i] & sets[j]}
    return must, set(itertools.combinations(range(len(sets)), 2)) - must


def as_set(pairs):
    return {tuple(pair) for pair in pairs.tolist()}


@pytest.mark.parametrize(
    ("scheme", "counts"), [("stratified", [(1, 1)]), ("pooled", [(0, 2), (1, 1), (2, 0)]), ("docs", None)]
)
def test_six_documents_in_two_classes(scheme, counts):
    for seed in range(5):
        made = PairwiseConstraints.from_labels([0, 0, 0, 1, 1, 1], 0.1, scheme=scheme, random_state=seed)
        found = (len(made.must_link), len(made.cannot_link))
        assert found in (counts or [(0, 1), (1, 0)])


def test_docs_leaves_the_other_samples_alone():
    made = PairwiseConstraints.from_labels(np.arange(50) % 3, 0.1, scheme="docs", random_state=0)
    assert len(made) == 10
    assert len(np.unique(np.concatenate([made.must_link, made.cannot_link]))) == 5


@pytest.mark.parametrize(
    ("fraction", "total", "share"),
    [
        (0.07, 100, 7),
        (0.1, 3, 1),
        (0.1 + 0.2, 10, 3),
        (1 / 3, 9, 3),
        (0.101, 10, 2),
        (1e-14, 5, 1),
        (1.0, 0, 0),
    ],
)
def test_share_is_the_ceiling_of_the_fraction_meant(fraction, total, share):
    assert share_of(fraction, total) == share


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.frozensets(st.integers(0, 4), max_size=3), min_size=1, max_size=14),
    st.sampled_from(SCHEMES),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.integers(0, 2**32 - 1),
)
def test_label_sets_agree_with_the_definition(sets, scheme, fraction, seed):
    must, cannot = naive_pairs(sets)
    made = PairwiseConstraints.from_labels(sets, fraction, scheme=scheme, random_state=seed)
    assert as_set(made.must_link) <= must
    assert as_set(made.cannot_link) <= cannot
    n = len(sets)
    sizes = {
        "stratified": (share_of(fraction, len(must)), share_of(fraction, len(cannot))),
        "pooled": share_of(fraction, n * (n - 1) // 2),
        "docs": min(n, max(2, share_of(fraction, n))),
    }
    if scheme == "stratified":
        assert (len(made.must_link), len(made.cannot_link)) == sizes[scheme]
    elif scheme == "pooled":
        assert len(made) == sizes[scheme]
    else:
        assert len(made) == sizes[scheme] * (sizes[scheme] - 1) // 2


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=20), st.booleans())
def test_numbered_pairs_are_all_pairs_once(y, several):
    gold = as_gold([{label} for label in y] if several else y)
    must, cannot = naive_pairs([{label} for label in y])
    assert gold.n_must == len(must)
    listed_must = np.sort(gold.must_pairs(np.arange(len(must))), axis=1)
    listed_cannot = np.sort(gold.cannot_pairs(np.arange(len(cannot))), axis=1)
    assert sorted(map(tuple, listed_must.tolist())) == sorted(must)
    assert sorted(map(tuple, listed_cannot.tolist())) == sorted(cannot)


def test_label_sets_in_several_blocks(monkeypatch):
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 60)
    rng = np.random.default_rng(0)
    indicator = rng.random((20, 5)) < 0.25
    must, cannot = naive_pairs([set(np.flatnonzero(row)) for row in indicator])
    gold = as_gold(indicator)
    assert as_set(gold.must_pairs(np.arange(len(must)))) == must
    assert as_set(gold.cannot_pairs(np.arange(len(cannot)))) == cannot


def test_more_than_255_common_labels_are_shared():
    made = PairwiseConstraints.from_labels(np.ones((2, 256), dtype=np.uint8), 1.0)
    assert made.must_link.tolist() == [[0, 1]]


def test_all_spellings_of_gold_labels_agree():
    indicator = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
    expected = PairwiseConstraints([(0, 1), (1, 2)], [(0, 2), (0, 3), (1, 3), (2, 3)], n_samples=4)
    spellings = [
        indicator,
        sparse.csr_matrix(indicator),
        [{"a"}, {"a", "b"}, {"b"}, {"c"}],
        [["a"], ["a", "b"], ["b"], ["c"]],
        np.array([{0}, {0, 1}, {1}, {2}], dtype=object),
    ]
    for y in spellings:
        assert PairwiseConstraints.from_labels(y, 1.0) == expected
    single = PairwiseConstraints.from_labels(["x", "y", "x"], 1.0)
    assert single == PairwiseConstraints.from_labels(np.array([5, -1, 5]), 1.0)
    assert single == PairwiseConstraints([(0, 2)], [(0, 1), (1, 2)], n_samples=3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_same_seed_same_pairs(scheme):
    y = np.arange(60) % 4
    first, again, other = (
        PairwiseConstraints.from_labels(y, 0.1, scheme=scheme, random_state=seed) for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("size", [3, 8])
def test_ranks_are_different_and_each_as_likely(size):
    rng = np.random.default_rng(0)
    counts = np.zeros(10)
    for _ in range(3000):
        ranks = sample_ranks(10, size, rng)
        assert len(np.unique(ranks)) == size
        counts[ranks] += 1
    # Six standard deviations of a binomial count.
    expected = 3000 * size / 10
    assert np.abs(counts - expected).max() < 6 * np.sqrt(expected * (1 - size / 10))


def test_unranking_is_exact_where_doubles_are_not():
    b = np.array([1, 2, 94_906_267, 2**31, 3 * 10**9])
    for a in (np.zeros_like(b), b - 1):
        left, right = unrank_pairs(b * (b - 1) // 2 + a)
        np.testing.assert_array_equal(left, a)
        np.testing.assert_array_equal(right, b)


@pytest.mark.parametrize("scheme", ["stratified", "pooled"])
def test_large_data_never_lists_all_pairs(scheme):
    y = np.arange(200_000) % 5
    tracemalloc.start()
    made = PairwiseConstraints.from_labels(y, 1e-7, scheme=scheme, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(made) in (2000, 2001)
    # All 2e10 pairs would be 320 GB; the labels themselves are 1.6 MB.
    assert peak < 30e6
    assert (y[made.must_link[:, 0]] == y[made.must_link[:, 1]]).all()
    assert (y[made.cannot_link[:, 0]] != y[made.cannot_link[:, 1]]).all()


def test_too_many_pairs_are_refused():
    y = np.zeros(10_000, dtype=int)
    for scheme in SCHEMES:
        with pytest.raises(ValueError, match=r"exceeds max_pairs=10,000,000; use ConstraintGroups"):
            PairwiseConstraints.from_labels(y, 0.9, scheme=scheme)
    with pytest.raises(ValueError, match=r"49,995,000 pairs would be listed.*ConstraintGroups"):
        PairwiseConstraints.from_partial_labels(y)
    with pytest.raises(ValueError, match=r"max_pairs=2"):
        PairwiseConstraints.from_partial_labels([0, 0, 0], max_pairs=2)


def test_from_partial_labels():
    made = PairwiseConstraints.from_partial_labels([0, -1, 1, 0])
    assert made == PairwiseConstraints([(0, 3)], [(0, 2), (2, 3)], n_samples=4)
    assert len(PairwiseConstraints.from_partial_labels([-1, -1])) == 0


@pytest.mark.parametrize(
    ("y", "options", "error", "message"),
    [
        ([0, 1], {"fraction": 0}, ValueError, r"fraction must be in \(0, 1\], got 0"),
        ([0, 1], {"fraction": 1.1}, ValueError, r"fraction must be in \(0, 1\], got 1\.1"),
        ([0, 1], {"fraction": "0.1"}, TypeError, r"fraction must be a number"),
        ([0, 1], {"scheme": "all"}, ValueError, r"scheme must be one of 'stratified', 'pooled', 'docs'"),
        ([0.0, float("nan")], {}, ValueError, r"y must not contain NaN, got one at \[1\]"),
        ([0, None], {}, TypeError, "labels in y must be sortable"),
        ([{0}, 1], {}, TypeError, r"y\[1\] is a single label"),
        (np.array([[0, 2]]), {}, ValueError, "must contain only 0 and 1, with one column per label"),
        (np.zeros((2, 2, 2)), {}, ValueError, r"one or two dimensions"),
        ([[0, 1], [1, 0]], {}, ValueError, r"list of sets, or a 2-d array"),
        ([], {}, ValueError, r"n_samples must be an integer of at least 1"),
    ],
)
def test_bad_gold_labels_are_named(y, options, error, message):
    with pytest.raises(error, match=message):
        PairwiseConstraints.from_labels(y, **{"fraction": 0.5, **options})
