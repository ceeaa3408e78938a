"""Label sets of documents as indicators, and which documents are unlabelled."""

import json

import numpy as np
import pytest

from moo_clustering.datasets import DataError, Documents, read_documents
from moo_clustering.datasets.multilabel import label_indicators

CELLS = [["b", "a"], [], None, "b", "", ["c"], ["c", "c"], "missing"]


@pytest.fixture
def read(tmp_path):
    def _read(cells, **options):
        lines = [{"text": "t"} if cell == "missing" else {"text": "t", "labels": cell} for cell in cells]
        path = tmp_path / "d.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        return read_documents(path, labels="labels", **options)

    return _read


def test_empty_lists_are_no_label_and_missing_ones_are_unlabelled(read):
    documents = read(CELLS)
    assert documents.target_names == ("a", "b", "c")
    assert documents.labelled.tolist() == [True, True, False, True, False, True, True, False]
    zero, unlabelled = [0, 0, 0], [-1, -1, -1]
    Y = label_indicators(documents)
    assert Y.dtype == np.int8
    assert Y.tolist() == [
        [1, 1, 0],
        zero,
        unlabelled,
        [0, 1, 0],
        unlabelled,
        [0, 0, 1],
        [0, 0, 1],
        unlabelled,
    ]
    assert label_indicators(documents, empty_is_unlabelled=True)[1].tolist() == unlabelled


def test_collections_without_a_document_of_several_classes(read):
    documents = read([["b"], [], None, "a"])
    assert documents.y.tolist() == [1, -1, -1, 0]
    assert label_indicators(documents).tolist() == [[0, 1], [0, 0], [-1, -1], [1, 0]]
    assert label_indicators(documents, empty_is_unlabelled=True).tolist() == [
        [0, 1],
        [-1, -1],
        [-1, -1],
        [1, 0],
    ]


def test_tables_and_documents_made_by_hand(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("text,kind\nu,a\nv,\nw,b\n")
    assert label_indicators(read_documents(path, labels="kind")).tolist() == [[1, 0], [-1, -1], [0, 1]]
    rows = np.arange(2)
    sets = Documents("d", ["t"] * 2, rows, target_names=("a", "b"), label_sets=[("b", "a"), ()])
    assert label_indicators(sets).tolist() == [[1, 1], [0, 0]]
    single = Documents("d", ["t"] * 2, rows, target_names=("a", "b"), y=np.array([1, -1]))
    assert label_indicators(single).tolist() == [[0, 1], [-1, -1]]


def test_documents_without_known_classes(read, tmp_path):
    with pytest.raises(ValueError, match=r"read_documents\(path, labels="):
        label_indicators(Documents("d", ["t"], np.arange(1)))
    (tmp_path / "e.jsonl").write_text('{"text": "t"}')
    with pytest.raises(DataError, match="no column 'labels'"):
        read_documents(tmp_path / "e.jsonl", labels="labels")
