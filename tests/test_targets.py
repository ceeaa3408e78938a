"""What fit makes of y."""

import numpy as np
import pandas as pd
import pyarrow
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from moo_clustering._targets import partial_targets


@pytest.mark.parametrize(
    "y",
    [
        [2, -1, 5, 2],
        np.array([2.0, -1.0, 5.0, 2.0]),
        np.array([2, -1, 5, 2], dtype=object),
        pd.Series([2, -1, 5, 2], index=list("abcd")),
    ],
)
def test_classes(y):
    targets = partial_targets(y, 4)
    assert targets.classes.tolist() == [2, 5]
    assert targets.labelled.tolist() == [True, False, True, True]
    assert targets.rows.tolist() == [0, 2, 3]
    assert targets.indicators.tolist() == [[1, 0], [0, 0], [0, 1], [1, 0]]
    assert targets.n_classes == 2
    assert not targets.multilabel


def test_names_of_classes():
    targets = partial_targets(["b", "-1", "a"], 3)
    assert targets.classes.tolist() == ["-1", "a", "b"]
    assert targets.labelled.all()
    targets = partial_targets(np.array(["b", -1, "a"], dtype=object), 3)
    assert targets.classes.tolist() == ["a", "b"]
    assert targets.labelled.tolist() == [True, False, True]
    assert partial_targets([True, False], 2).labelled.all()


@pytest.mark.parametrize("of", [list, np.array, pd.DataFrame, sparse.csr_array, sparse.coo_matrix])
def test_label_sets(of):
    targets = partial_targets(of([[0, 1, 1], [-1, -1, -1], [0, 0, 0]]), 3)
    assert targets.indicators.tolist() == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert targets.labelled.tolist() == [True, False, True]
    assert targets.classes.tolist() == [0, 1, 2]
    assert targets.multilabel


def test_subset():
    targets = partial_targets([[0, 1], [-1, -1], [1, 1]], 3).subset(np.array([2, 1]))
    assert targets.indicators.tolist() == [[1, 1], [0, 0]]
    assert targets.labelled.tolist() == [True, False]
    assert targets.n_classes == 2


def test_none_and_nothing():
    for y in (None, [-1, -1]):
        targets = partial_targets(y, 2)
        assert not targets.labelled.any()
        assert targets.n_classes == 0
        assert targets.indicators.shape == (2, 0)
    targets = partial_targets([[-1, -1], [-1, -1]], 2)
    assert not targets.labelled.any()
    assert targets.n_classes == 2


def test_columns_are_classes():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        targets = partial_targets([[3], [-1]], 2)
    assert targets.classes.tolist() == [3]
    assert not targets.multilabel


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 0], r"\(2\), got 3"),
        (np.zeros((2, 1, 1)), "one or two dimensions"),
        ([0.5, 1.5], "continuous"),
        ([np.inf, 0], "infinity"),
        ([np.nan, np.nan], "y contains only missing values; omit it to fit without labels"),
        (pd.Series([None, pd.NA], dtype=object), "only missing values"),
        ([[0, 2], [1, 0]], "row 0: .* got 2 in column 1"),
        ([[0, 1], [1, np.nan]], "row 1: .* got nan in column 1"),
        ([[0, 1], [-1, 0]], "y, row 1: some labels are missing"),
        ([["a", "b"], ["c", "d"]], "must contain label indicators"),
        (np.zeros((2, 0)), "one column per label"),
    ],
)
def test_errors(y, message):
    with pytest.raises(ValueError, match=message):
        partial_targets(y, 2)


def test_names_and_minus_one_in_a_list():
    targets = partial_targets(["left", "right", -1, "left"], 4)
    assert targets.labelled.tolist() == [True, True, False, True]
    assert targets.classes.tolist() == ["left", "right"]


def test_the_text_of_minus_one_is_a_class():
    with pytest.warns(UserWarning, match="the string '-1'"):
        targets = partial_targets(np.array(["a", "b", -1]), 3)
    assert targets.classes.tolist() == ["-1", "a", "b"]
    assert partial_targets(["a", "b", -1], 3).labelled.tolist() == [True, True, False]


@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "", "b", " "]),
        np.array(["a", "", "b", " "], dtype=object),
        ["a", "", "b", -1],
        pd.Series(["a", "", "b", ""]),
        pd.Series(["a", "", "b", ""], dtype="category"),
        np.array(["a", None, "b", np.nan], dtype=object),
        ["a", pd.NA, "b", np.nan],
        ["a", None, "b", -1],
        pd.Series(["a", None, "b", None]),
        pd.Series(["a", None, "b", None], dtype="category"),
        pd.Series(["a", None, "b", None], dtype=pd.ArrowDtype(pyarrow.string())),
        pyarrow.array(["a", None, "b", None]),
        [0, np.nan, 1, -1],
        np.array([0, np.nan, 1, np.nan], dtype=np.float32),
        [0, None, 1, None],
        pd.Series([0, pd.NA, 1, pd.NA], dtype="Int64"),
        pd.Series([0, None, 1, None], dtype=pd.ArrowDtype(pyarrow.int64())),
        pd.Series([True, pd.NA, False, pd.NA], dtype="boolean"),
    ],
)
def test_empty_texts_and_missing_values_are_no_classes(y):
    targets = partial_targets(y, 4)
    assert targets.labelled.tolist() == [True, False, True, False]
    assert len(targets.classes) == 2


@pytest.mark.parametrize("y", [[1, "a", -1], np.array(["a", 1, None], dtype=object), pd.Series(["a", 1, ""])])
def test_classes_of_two_types_are_named(y):
    with pytest.raises(
        ValueError, match=r"^y mixes numbers \(1\) and strings \('a'\); use a single type for all classes$"
    ):
        partial_targets(y, 3)
