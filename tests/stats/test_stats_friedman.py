"""Ranks and Friedman's test."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare

from moo_clustering.stats import average_ranks, friedman
from papers.multi_instance_tables import DATASETS, METHODS, PUBLISHED

tables = arrays(float, st.tuples(st.integers(2, 7), st.integers(3, 6)), elements=st.integers(0, 4))


def test_ranks_by_hand():
    frame = pd.DataFrame([[3, 1, 2], [5, 5, 7]], ["one", "two"], ["a", "b", "c"])
    large = average_ranks(frame, greater_is_better=True)
    assert large.to_dict() == {"a": 1.75, "b": 2.75, "c": 1.5}
    assert average_ranks(frame, greater_is_better=False).to_dict() == {"a": 2.25, "b": 1.25, "c": 2.5}
    ranks = average_ranks([[1.0, np.inf], [np.inf, np.inf]], greater_is_better=False, methods=["x", "y"])
    assert ranks.to_dict() == {"x": 1.25, "y": 1.75}


def test_an_array_without_a_length():
    class Scores:
        def __array__(self, dtype=None, copy=None):
            return np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 7.0]], dtype)

    assert friedman(Scores(), greater_is_better=True).n_datasets == 2


# Garcia and Herrera (JMLR 9, 2008), five classifiers on thirty data sets; the figures are printed in a
# vignette of the R package scmamp (inst/doc of github.com/b0rxa/scmamp).
def test_garcia_herrera():
    # Mean ranks as printed differ from 2.1 by 1.15, 0.1, 2.2333 and 1.0167.
    ranks = {"C4.5": 2.1, "1-NN": 3.25, "NB": 2.2, "Kernel": 13 / 3, "CN2": 187 / 60}
    result = friedman(ranks, n_datasets=30)
    assert result.statistic == pytest.approx(39.6467, abs=5e-5)
    assert result.p_value == pytest.approx(5.121e-08, rel=1e-3)
    assert result.iman_davenport_statistic == pytest.approx(14.3087, abs=5e-5)
    assert result.iman_davenport_p_value == pytest.approx(1.593e-09, rel=1e-3)
    assert (result.df, result.n_datasets, result.n_methods) == (4, 30, 5)


def test_demsar():
    """The example of Demsar (JMLR 7, 2006): four variants of C4.5 on fourteen data sets."""
    result = friedman({"a": 3.143, "b": 2.000, "c": 2.893, "d": 1.964}, n_datasets=14)
    assert round(result.statistic, 2) == 9.28
    assert round(result.iman_davenport_statistic, 2) == 3.69


EXACT = {"S": 5.4286, "DB": 22.5143, "S_Dbw": 16.2286, "RI": 11.2571, "E": 15.5429, "F1": 8.8571}


@pytest.mark.parametrize("metric", PUBLISHED)
def test_multi_instance_paper(metric):
    published = PUBLISHED[metric]
    frame = published.frame()
    assert frame.shape == (len(DATASETS), len(METHODS)) == (10, 6)
    result = friedman(frame, greater_is_better=published.greater_is_better)
    assert result.average_ranks.tolist() == pytest.approx(list(published.ranks), abs=1e-12)
    assert round(result.statistic, 4) == EXACT[metric]
    assert result.statistic == pytest.approx(published.statistic, abs=5e-4)  # printed with 3 decimals
    assert round(result.p_value, 4) == published.p_value


def test_tie_correction():
    frame = PUBLISHED["RI"].frame()
    result = friedman(frame, greater_is_better=True, tie_correction=True)
    assert round(result.statistic, 4) == 11.3218
    assert round(result.p_value, 4) == 0.0454
    with pytest.raises(ValueError, match="requires a table"):
        friedman(dict.fromkeys("abc", 2.0), n_datasets=5, tie_correction=True)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_against_scipy(values):
    plain = friedman(values, greater_is_better=True)
    corrected = friedman(values, greater_is_better=False, tie_correction=True)
    assert corrected.statistic >= plain.statistic - 1e-9
    assert 0 <= plain.statistic <= len(values) * plain.df + 1e-9
    if (values == values[:, :1]).all():
        assert (corrected.statistic, corrected.p_value) == (0, 1)
    else:
        assert corrected.statistic == pytest.approx(friedmanchisquare(*values.T).statistic, abs=1e-9)
    if all(len(set(row)) == len(row) for row in values):
        assert plain.statistic == pytest.approx(corrected.statistic, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_order_does_not_matter(values, random):
    order = list(range(values.shape[1]))
    random.shuffle(order)
    one, two = (friedman(v, greater_is_better=True) for v in (values, values[::-1, order]))
    assert two.statistic == pytest.approx(one.statistic, abs=1e-9)
    assert two.average_ranks.tolist() == pytest.approx(one.average_ranks.iloc[order].tolist())


@pytest.mark.parametrize("tie_correction", [False, True])
def test_degenerate(tie_correction):
    ties = friedman(np.ones((4, 3)), greater_is_better=True, tie_correction=tie_correction)
    assert (ties.statistic, ties.p_value) == (0, 1)
    assert (ties.iman_davenport_statistic, ties.iman_davenport_p_value) == (0, 1)
    same = friedman([[1, 2, 3]] * 7, greater_is_better=False, tie_correction=tie_correction)
    assert same.statistic == pytest.approx(14)
    assert (same.iman_davenport_statistic, same.iman_davenport_p_value) == (np.inf, 0)
    assert same.average_ranks.tolist() == [1, 2, 3]


def frame_with(cell):
    frame = pd.DataFrame(np.arange(6.0).reshape(2, 3), ["iris", "wine"], list("abc"), dtype=object)
    frame.loc["wine", "b"] = cell
    return frame


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (frame_with(np.nan), "no value .* 'wine', method 'b'"),
        (frame_with(None), "no value for data set 'wine', method 'b'"),
        (frame_with(" NA "), "no value for data set 'wine', method 'b'"),
        (frame_with("good"), "must be numbers, got 'good' for data set 'wine', method 'b'"),
        (frame_with(1j), "must be numbers"),
        (np.ones((5, 1)), "at least 2 methods .* got 1"),
        (np.ones((1, 4)), r"at least 2 data sets \(rows\), got 1"),
        (np.ones((5, 2)), "at least 3 methods, got 2"),
        (np.ones(4), "got 1 dimension$"),
        ([[1, 2, 3], [1, 2]], "rows differ in length"),
        (pd.DataFrame(np.ones((3, 3)), columns=["a", "b", "a"]), "the method 'a' more than once"),
        (pd.DataFrame(np.ones((2, 3)), index=["x", "x"]), "the data set 'x' more than once"),
    ],
)
def test_bad_tables(results, message):
    with pytest.raises(ValueError, match=message):
        friedman(results, greater_is_better=True)


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ({"a": 1, "b": 2, "c": 3}, {}, "pass n_datasets"),
        ({"a": 1, "b": 2, "c": 3}, {"n_datasets": 1}, "at least 2, got 1"),
        ({"a": 1, "b": 2, "c": 2}, {"n_datasets": 5}, "sum to 6"),
        ({"a": 0, "b": 2, "c": 4}, {"n_datasets": 5}, "must be from 1 to 3"),
        ({"a": 2}, {"n_datasets": 5}, "at least 2 methods, got 1"),
        ({"a": 1, "b": 2, "c": 3}, {"n_datasets": 5, "greater_is_better": True}, "greater_is_better cannot"),
        (np.ones((3, 3)), {"n_datasets": 3, "greater_is_better": True}, "n_datasets cannot be combined"),
        (np.ones((3, 3)), {"methods": ["a"], "greater_is_better": True}, "of results .3., got 1"),
        (pd.DataFrame(np.ones((3, 3))), {"methods": list("abc"), "greater_is_better": True}, "a DataFrame"),
    ],
)
def test_bad_options(results, options, message):
    with pytest.raises(ValueError, match=message):
        friedman(results, **options)


@pytest.mark.parametrize("n_datasets", [np.nan, np.inf, 4.5, "4"])
def test_the_number_of_data_sets_is_an_integer(n_datasets):
    with pytest.raises(TypeError, match="n_datasets must be an integer of at least 2, got"):
        friedman({"a": 1, "b": 2, "c": 3}, n_datasets=n_datasets)


@pytest.mark.parametrize("greater_is_better", [None, "yes", 1])
def test_direction_must_be_said(greater_is_better):
    with pytest.raises(TypeError, match="greater_is_better must be"):
        friedman(np.eye(3), greater_is_better=greater_is_better)
