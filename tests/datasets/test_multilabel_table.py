"""The multi-label table itself."""

import numpy as np
import pytest
import scipy.sparse as sp

from moo_clustering.datasets.multilabel import MultiLabelTable


def table(Y, **other):
    Y = np.array(Y, dtype=np.int8)
    parts = {
        "name": "demo",
        "X": sp.csr_array(np.arange(1.0, 1 + 2 * len(Y)).reshape(-1, 2)),
        "Y": Y,
        "feature_names": ("a", "b"),
        "label_names": tuple("uvw"[: Y.shape[1]]),
        "row_ids": np.arange(len(Y)),
    }
    return MultiLabelTable(**{**parts, **other})


def test_counts():
    made = table([[1, 1, 1], [0, 0, 0], [-1, -1, -1], [0, 1, 0]])
    assert (made.n_samples, made.n_features, made.n_labels) == (4, 2, 3)
    assert made.labelled.tolist() == [True, True, False, True]
    assert made.cardinality == pytest.approx(4 / 3)
    assert not made.has_row_ids
    assert table([[-1], [-1]]).cardinality == 0


def test_shuffled_rows_keep_what_is_theirs():
    made = table([[0, 1], [1, 0], [-1, -1], [0, 0]], row_ids=np.array(["p", "q", "r", "s"]))
    moved = made.shuffled(3)
    assert moved.has_row_ids
    assert moved.row_ids.tolist() != made.row_ids.tolist()
    by_id = {
        key: (x, y)
        for key, x, y in zip(made.row_ids, made.X.toarray().tolist(), made.Y.tolist(), strict=True)
    }
    for key, x, y in zip(moved.row_ids, moved.X.toarray().tolist(), moved.Y.tolist(), strict=True):
        assert (x, y) == by_id[key]
    assert moved.row_ids.tolist() == made.shuffled(3).row_ids.tolist()


def test_parts_that_do_not_fit():
    with pytest.raises(ValueError, match=r"Y must have shape \(2, 1\)"):
        table([[0, 1], [1, 0]], label_names=("u",))
    with pytest.raises(ValueError, match="feature_names and row_ids"):
        table([[0], [1]], feature_names=("a",))
    with pytest.raises(ValueError, match=r"row 1: .*must be 0 or 1.*got 2"):
        table([[0], [2]])
    with pytest.raises(ValueError, match="row 0: some labels are missing"):
        table([[0, -1], [1, 1]])
    with pytest.raises(ValueError, match="X must be a sparse matrix in CSR format"):
        table([[0], [1]], X=np.eye(2))
