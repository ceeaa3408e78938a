"""Which labels reach the fit, and which score it."""

import warnings

import numpy as np
import pytest

from moo_clustering.cli.job import label_use
from moo_clustering.cli.samples import LabelSetSamples, Samples, TextSamples
from moo_clustering.datasets import DataError, Documents, MultiLabelTable


def table(y=None, partial=None, names=("a", "b"), partial_names=("a", "b")):
    n = len(partial if y is None else y)
    codes = [None if part is None else np.array(part) for part in (y, partial)]
    return Samples(
        "t", np.zeros((n, 1)), ("x",), np.arange(n), codes[0], () if y is None else names, codes[1],
        () if partial is None else partial_names,
    )  # fmt: skip


def sets(rows, names=("u", "v", "w")):
    Y = np.array(rows, dtype=np.int8)
    X = pytest.importorskip("scipy.sparse").csr_array(np.ones((len(Y), 2)))
    table = MultiLabelTable("m", X, Y, ("p", "q"), names[: Y.shape[1]], np.arange(len(Y)))
    return LabelSetSamples.of(table)


def test_nothing_is_known():
    assert label_use(table(y=[0, 1]), None, 0) is None
    with pytest.raises(DataError, match="but t contains none; specify a label column with --partial-labels"):
        label_use(table(y=[0, 1]), 0.5, 0)


def test_known_classes_only_score():
    use = label_use(table(y=[0, 1, 1, -1], partial=[0, -1, -1, 1]), None, 0)
    assert use.y.tolist() == [0, -1, -1, 1]
    assert use.given.tolist() == [[1, 0], [-1, -1], [-1, -1], [0, 1]]
    assert use.held_out.tolist() == [[-1, -1], [0, 1], [0, 1], [-1, -1]]
    assert (len(use.names), use.is_given.sum(), use.is_held_out.sum()) == (2, 2, 2)


def test_classes_are_matched_by_name():
    use = label_use(
        table(y=[0, 1, 1], partial=[0, 1, -1], names=("cat", "dog"), partial_names=("dog", "cat")), None, 0
    )
    assert use.held_out[2].tolist() == [1, 0]


def test_unknown_classes_are_told_and_scored():
    given = table(y=[0, 1, 2, -1], partial=[0, 1, -1, -1], names=("a", "b", "c"))
    with pytest.warns(
        UserWarning, match="the fit cannot predict the label 'c', which no sample in the fit has"
    ):
        use = label_use(given, None, 0)
    assert use.names == ("a", "b", "c")
    assert use.y.tolist() == [0, 1, -1, -1]
    assert use.columns.tolist() == [0, 1]
    assert use.given.tolist() == [[1, 0, 0], [0, 1, 0], [-1, -1, -1], [-1, -1, -1]]
    assert use.held_out.tolist() == [[-1, -1, -1], [-1, -1, -1], [0, 0, 1], [-1, -1, -1]]


def test_held_out_labels_never_reach_the_fit():
    rows = np.random.default_rng(0).integers(0, 2, size=(40, 3))
    rows[:5] = -1
    use = label_use(sets(rows), 0.2, 7)
    held = use.is_held_out
    assert held.sum() == 7  # a fifth of 35 labelled ones
    assert use.is_given.sum() == 28
    assert not (held & use.is_given).any()
    np.testing.assert_array_equal(use.held_out[held], rows[held])
    np.testing.assert_array_equal(use.y[use.is_given], rows[use.is_given])
    assert (use.y[~use.is_given] == -1).all()
    # Whatever they are.
    poisoned = rows.copy()
    poisoned[held] = 1 - poisoned[held]
    other = label_use(sets(poisoned), 0.2, 7)
    np.testing.assert_array_equal(other.y, use.y)
    np.testing.assert_array_equal(other.is_held_out, held)
    assert (label_use(sets(rows), 0.2, 8).is_held_out != held).any()


def test_all_held_out():
    use = label_use(sets([[1, 0], [0, 1]]), 1.0, 0)
    assert use.y is None
    assert use.held_out.tolist() == [[1, 0], [0, 1]]
    use = label_use(table(partial=[0, 1, -1]), 1.0, 0)
    assert use.y is None
    assert use.is_held_out.tolist() == [True, True, False]


def test_labels_without_samples_are_left_out_of_the_fit():
    with pytest.warns(
        UserWarning, match="the fit cannot predict the label 'v', which no sample in the fit has"
    ):
        use = label_use(sets([[1, 0, 0], [0, 0, 1], [-1, -1, -1]]), None, 0)
    assert use.columns.tolist() == [0, 2]
    assert use.y.tolist() == [[1, 0], [0, 1], [-1, -1]]


def test_label_sets_keep_two_columns():
    with pytest.warns(UserWarning, match="the 2 labels 'u', 'w'"):
        use = label_use(sets([[0, 1, 0], [0, 0, 0]]), None, 0)
    assert use.columns.tolist() == [0, 1]
    assert use.y.shape == (2, 2)


def test_a_single_label_is_two_classes():
    use = label_use(sets([[1], [0], [-1]]), None, 0)
    assert use.names == ("not u", "u")
    assert use.y.tolist() == [1, 0, -1]
    assert not use.multilabel


def test_label_sets_of_documents():
    ids = np.arange(4)
    known = [("v", "z"), ("u",), (), ("u", "v")]
    documents = Documents("d", list("abcd"), ids, label_sets=known, target_names=("u", "v", "z"))
    samples = TextSamples.of(documents, partial_label_sets=[(), ("v",), ("u", "v"), ()])
    with pytest.warns(UserWarning, match="'z'"):
        use = label_use(samples, None, 0)
    assert use.names == ("u", "v", "z")
    assert use.y.tolist() == [[-1, -1], [0, 1], [1, 1], [-1, -1]]
    assert use.held_out.tolist() == [[0, 1, 1], [-1, -1, -1], [-1, -1, -1], [1, 1, 0]]


def test_single_known_classes_beside_partial_sets():
    documents = Documents("d", list("abc"), np.arange(3), y=np.array([1, 0, -1]), target_names=("u", "v"))
    samples = TextSamples.of(documents, partial_label_sets=[(), ("v", "u"), ()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        use = label_use(samples, None, 0)
    assert use.held_out.tolist() == [[0, 1], [-1, -1], [-1, -1]]


def test_documents_of_one_class_each():
    documents = Documents("d", list("ab"), np.arange(2), partial_y=np.array([-1, 0]), partial_names=("u",))
    assert label_use(TextSamples.of(documents), None, 0).y.tolist() == [-1, 0]
