"""Counts of stems."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, issparse

from moo_clustering.features import document_term_counts, prune_terms

pytest.importorskip("snowballstemmer")

TEXTS = [
    "Failing hearts",
    "the heart fails: heart!",
    "a lung",
    {"title": "Lungs", "headings": ["Heart"]},
    "of the",
]


def counted(*args, **options):
    counts, terms = document_term_counts(*args, **options)
    assert issparse(counts)
    assert counts.format == "csr"
    return counts.toarray().tolist(), terms.tolist()


def test_counts():
    assert counted(TEXTS) == (
        [[1, 1, 0], [1, 2, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]],
        ["fail", "heart", "lung"],
    )
    assert counted(iter(TEXTS), min_df=3) == ([[1], [2], [0], [1], [0]], ["heart"])
    assert counted(TEXTS, min_df=0.5)[1] == ["heart"]
    assert counted(TEXTS, min_df=0.4)[1] == ["fail", "heart", "lung"]
    assert counted(TEXTS, min_df=1, stemmer=None)[1] == [
        "failing",
        "fails",
        "heart",
        "hearts",
        "lung",
        "lungs",
    ]
    assert counted(TEXTS, stop_words=["heart"])[1] == ["fail", "lung", "the"]
    expanded = counted(TEXTS, expand_terms=lambda headings: [*headings, "Fail"])
    assert expanded[0][3] == [1, 1, 1]


def test_pruned_counts_are_those_of_the_subset():
    counts, terms = document_term_counts(TEXTS, min_df=1)
    rows = [3, 1, 0]
    for min_df in (1, 2, 3, 0.5):
        pruned, left = prune_terms(counts[rows], terms, min_df=min_df)
        assert (pruned.toarray().tolist(), left.tolist()) == counted(
            [TEXTS[row] for row in rows], min_df=min_df
        )


def test_pruning_counts_documents_not_cells():
    twice = csr_matrix(([1, 1, 0, 1, 2], [0, 0, 1, 1, 2], [0, 3, 5]), shape=(2, 4))
    pruned, left = prune_terms(twice, ["a", "b", "c", "d"], min_df=1)
    assert (pruned.toarray().tolist(), left.tolist()) == ([[2, 0, 0], [0, 1, 2]], ["a", "b", "c"])
    assert prune_terms(twice, list("abcd"), min_df=0.0)[1].tolist() == ["a", "b", "c"]
    assert twice.nnz == 5
    with pytest.raises(ValueError, match="min_df=2 leaves no terms in the 2 documents"):
        prune_terms(twice, list("abcd"))
    dense, left = prune_terms(np.eye(2), ["x", "y"], min_df=1)
    assert isinstance(dense, csr_matrix)
    assert prune_terms(csr_array(np.eye(2)), ["x", "y"], min_df=1)[0].toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("min_df", [0, -1, 1.5, -0.1, float("nan"), True, "2", None])
def test_refuses_min_df(min_df):
    with pytest.raises(ValueError, match=r"min_df must be an integer of at least 1 \(documents\)"):
        document_term_counts(TEXTS, min_df=min_df)


def test_refuses():
    with pytest.raises(ValueError, match="all documents are empty after removing stop words"):
        document_term_counts(["the", "of 12"])
    with pytest.raises(ValueError, match="min_df=2 leaves no terms in the 2 documents"):
        document_term_counts(["heart", "lung"])
    with pytest.raises(ValueError, match="at least one document"):
        document_term_counts([])
    for single in ("heart", {"title": "heart"}):
        with pytest.raises(TypeError, match="must be a sequence of documents, got a single document"):
            document_term_counts(single)
    with pytest.raises(TypeError, match="a document must be a string or a mapping"):
        document_term_counts(["heart", None])
    with pytest.raises(ValueError, match="one name per column, 2 in all; got shape \\(3,\\)"):
        prune_terms(np.eye(2), list("abc"))
