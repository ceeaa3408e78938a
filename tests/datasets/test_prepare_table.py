"""Features made of tables as they come, and what is said about it."""

import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError, prepare_table

NUMBERS = ["1", "2", "3", "5"]


def prepared(**columns):
    return prepare_table(pd.DataFrame({"a": NUMBERS, **columns}), scale="none")


def said(table):
    return " | ".join(table.notes)


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["1,5", "2,5", "0,5", "3,5"], [1.5, 2.5, 0.5, 3.5], "read as numbers with decimal commas"),
        (["1.234,5", "2,5", "7", "8"], [1234.5, 2.5, 7, 8], "read as numbers with decimal commas"),
        (
            ["1,234.5", "2.5", "7", "8"],
            [1234.5, 2.5, 7, 8],
            "read as numbers with commas as thousands separators",
        ),
        (["1 234", "2'345", "3", "4"], [1234, 2345, 3, 4], ""),
        (["1e+3", "-2", "+3.5", " 4 "], [1000, -2, 3.5, 4], ""),
        (
            ["1e3", "-2", "+3.5", " 4 "],
            [1000, -2, 3.5, 4],
            "in exponential notation ('1e3' is 1000)",
        ),
        (["10%", "20 %", "5%", "1%"], [10, 20, 5, 1], "column 'x' read as numbers in %"),
        (["1,5 kg", "2 kg", "3 kg", "4,5 kg"], [1.5, 2, 3, 4.5], "read as numbers in kg"),
        (["$1,200.50", "$3", "$4", "$5"], [1200.5, 3, 4, 5], "read as numbers in $"),
        (
            ["$1,200", "$3,000", "$4,125", "$5,500"],
            [1200, 3000, 4125, 5500],
            "with commas as thousands separators",
        ),
        (["€ 1.200", "€ 950", "€ 1.100", "€ 800"], [1200, 950, 1100, 800], "with decimal commas"),
        (["1.200 EUR", "1.950 EUR", "1.100 EUR", "1.800 EUR"], [1200, 1950, 1100, 1800], "decimal commas"),
        (
            ["1.200", "950", "1.100", "800"],
            [1.2, 950, 1.1, 800],
            "with decimal points, not thousands separators",
        ),
        (["1.200", "1.950", "1.100", "1.800"], [1.2, 1.95, 1.1, 1.8], ""),
        ([1.0, 2.5, 4.0, 8.0], [1, 2.5, 4, 8], ""),
        ([True, False, False, True], [1, 0, 0, 1], ""),
        (["(1,234.50)", "2.5", "(7)", "8"], [-1234.5, 2.5, -7, 8], "with commas as thousands separators"),
        (["($5)", "$3", "-$4", "$7.5"], [-5, 3, -4, 7.5], "read as numbers in $"),
        (["\u22125", "3", "\u22124.5", "2"], [-5, 3, -4.5, 2], ""),
        (["1.50-", "3", "4.25", "0.5 -"], [-1.5, 3, 4.25, -0.5], ""),
        (["1,5E+03", "2,25E+03", "7,0E-01", "1E+00"], [1500, 2250, 0.7, 1], "with decimal commas"),
        ([",5", "1,25", "-,75", "2"], [0.5, 1.25, -0.75, 2], "with decimal commas"),
        (["12,34,567.5", "1,00,000", "45,000", "7"], [1234567.5, 100000, 45000, 7], "thousands separators"),
        (["₹1,00,000", "₹45,000", "-₹7", "₹8.50"], [100000, 45000, -7, 8.5], "read as numbers in ₹"),
        (["\u0661\u066b\u0665", "\u0662", "-\u0663", "\u0664"], [1.5, 2, -3, 4], ""),
        (["\uff11\uff0e\uff15", "\uff12", "\uff0d\uff13", "\uff14"], [1.5, 2, -3, 4], ""),
        (["9:30", "21:15", "00:00", "12:45:36"], [9.5, 21.25, 0, 12.76], "read as numbers in hours"),
        (["9:30 am", "9:15 PM", "12:00 am", "12:30 p.m."], [9.5, 21.25, 0, 12.5], "numbers in hours"),
    ],
)
def test_numbers_as_people_write_them(cells, values, note):
    table = prepared(x=cells)
    assert table.feature_names == ("a", "x")
    assert table.X[:, 1].tolist() == values
    assert note in said(table)
    assert bool(note) == bool(table.notes)


def test_numbers_that_could_be_read_in_two_ways():
    alone = prepared(x=["1,500", "2,500", "3,250", "4,750"])
    assert alone.feature_names == ("a",)
    assert "its commas may be decimal commas or thousands separators ('1,500')" in said(alone)
    beside = prepared(x=["1,500", "2,500", "3,250", "4,750"], y=["0,5", "1,25", "2", "3"])
    assert beside.X[:, 1].tolist() == [1.5, 2.5, 3.25, 4.75]
    thousands = prepared(x=["1,500", "2,500", "3,250", "4,750"], y=["1,000.5", "2", "3", "4"])
    assert thousands.X[:, 1].tolist() == [1500, 2500, 3250, 4750]
    points = prepared(x=["1.500", "900", "3.250", "4.750"], y=["0,5", "1,25", "2", "3"])
    assert points.X[:, 1].tolist() == [1500, 900, 3250, 4750]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2020-02-28", "2020-03-01", "2020-02-29", "2021-02-28"], [0, 2, 1, 366]),
        (["28.02.2020", "01.03.2020", "29.02.2020", "28.02.2021"], [0, 2, 1, 366]),
        (["02/28/2020", "03/01/2020", "02/29/2020", "02/28/2021"], [0, 2, 1, 366]),
        (["02/28/20", "03/01/20", "02/29/20", "02/28/21"], [0, 2, 1, 366]),
        (["28-Feb-20", "01-Mar-20", "29-Feb-20", "28-Feb-21"], [0, 2, 1, 366]),
        (["28 February 2020", "1 March 2020", "29 February 2020", "28 February 2021"], [0, 2, 1, 366]),
        (["Feb 28, 2020", "Mar 1, 2020", "Feb 29, 2020", "Feb 28, 2021"], [0, 2, 1, 366]),
        (
            ["02/28/2020 12:00 AM", "02/28/2020 6:00 PM", "3/1/2020 12:00 PM", "3/1/2020 12:00 AM"],
            [0, 0.75, 2.5, 2],
        ),
        (["2020-01-01T12:00", "2020-01-01T00:00", "2020-01-02T12:00", "2020-01-02"], [0.5, 0, 1.5, 1]),
        (pd.to_datetime(["2020-02-28", "2020-03-01", "2020-02-29", "2021-02-28"]), [0, 2, 1, 366]),
        (["20200228", "20200301", "20200229", "20210228"], [0, 2, 1, 366]),
        ([20200228, 20200301, 20200229, 20210228], [0, 2, 1, 366]),
        (["2020-W53", "2021-W01", "2021-W02", "2021-W05"], [0, 7, 14, 35]),
        (["2021W052", "2021-W05-1", "2021-W05", "2021-W06"], [1, 0, 0, 7]),
    ],
)
def test_dates_are_days(cells, days):
    table = prepared(when=cells)
    np.testing.assert_allclose(table.X[:, 1], days)
    assert "dates in column 'when' converted to days" in said(table)


def test_days_and_months_are_never_guessed():
    table = prepared(when=["01/02/2020", "03/04/2020", "05/06/2020", "07/08/2020"])
    assert table.feature_names == ("a",)
    assert "days and months cannot be distinguished ('01/02/2020')" in said(table)


def test_categories_of_pandas_stay_categories_whatever_they_are_named():
    grade = pd.Categorical([1, 2, None, 1, 2, 2])
    table = prepare_table(pd.DataFrame({"x": range(6), "grade": grade}), missing="median", weights="equal")
    assert table.category_names == ("grade",)
    assert table.columns["grade"].tolist() == ["1", "2", "2", "1", "2", "2"]


def test_missing_cells_are_filled_and_counted():
    frame = pd.DataFrame(
        {
            "x": ["1", "NA", "3", "8", "?", "10"],
            "y": ["red", "red", "", "blue", "n/a", "red"],
            "z": [2.0, np.nan, 4.0, np.inf, 5.0, 6.0],
            "when": ["2020-01-01", "", "2020-01-03", "2020-01-09", "2020-01-10", "null"],
        }
    )
    table = prepare_table(frame, scale="none", missing="median")
    assert table.columns["x"].tolist() == [1, 5.5, 3, 8, 5.5, 10]
    assert table.columns["y"].tolist() == ["red", "red", "red", "blue", "red", "red"]
    assert table.columns["z"].tolist() == [2, 4.5, 4, 4.5, 5, 6]
    # The lower of two middle dates, which is a date of the table.
    assert table.columns["when"].dt.day.tolist() == [1, 3, 3, 9, 10, 3]
    assert table.category_names == ("y",)
    assert "6 missing values were filled with the median of 3 columns: x (2), z (2), when (2)" in said(table)
    assert "2 missing values were filled with the most frequent value of column 'y'" in said(table)
    assert table.missing["x"].tolist() == [False, True, False, False, True, False]


def test_missing_cells_are_filled_from_the_nearest_rows():
    frame = pd.DataFrame(
        {
            "x": [0, 0, 0, 0, 0, None, 9, 9, 9, 9, 9, 9],
            "y": [1, 1, 1, 1, 2, 1, 8, 8, 8, 8, None, 8],
            "z": [*"aaaaab", *"bbbb", None, "b"],
            "when": pd.to_datetime([*["2020-01-01"] * 6, *["2020-05-05"] * 5, None]),
        }
    )
    table = prepare_table(frame, scale="none")
    # Row 6 differs from the first five in z and, of these, from row 5 in y; all five are the nearest.
    assert table.columns["x"][5] == 0
    assert table.columns["y"][10] == 8
    assert table.columns["z"][10] == "b"
    assert table.columns["when"][11] == pd.Timestamp("2020-05-05")
    assert (
        "2 missing values were filled with the mean of the nearest rows, in 2 columns: x (1), y (1)"
        in said(table)
    )
    assert table.missing.sum().tolist() == [1, 1, 1, 1]


def test_of_two_columns_the_nearest_row_fills_the_other():
    # The mean of the near rows, 5, would be far from both clusters.
    frame = pd.DataFrame({"x": [0.0, 0.1, 0.2, 0.0, 0.1, 0.12], "y": [0.0, 0.0, 0.0, 10.0, 10.5, None]})
    assert prepare_table(frame).columns["y"][5] == 5.25  # rows 2 and 5 are equally near
    frame.loc[5, "x"] = 0.19
    assert prepare_table(frame).columns["y"][5] == 0.0


def test_a_row_without_any_value_gets_the_middle_of_every_column():
    frame = pd.DataFrame({"x": [1.0, 2.0, 6.0, None], "y": [1.0, 3.0, 4.0, None], "z": [0.0, 1.0, 2.0, None]})
    assert prepare_table(frame).columns.iloc[3].tolist() == [2.0, 3.0, 1.0]


def four_blobs(rng, n=160):
    centers = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [9, 9, 9.0]])
    classes = np.arange(n) % 4
    numbers = centers[classes] + rng.normal(size=(n, 3))
    return pd.DataFrame(numbers, columns=["x", "y", "z"]), classes


@pytest.mark.parametrize("n_values", [2, 3, 20])
def test_columns_of_few_values_that_tell_nothing_are_left_out(n_values, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    frame, classes = four_blobs(rng)
    frame["kind"] = np.array([f"v{i}" for i in range(4)])[(classes + (rng.random(160) < 0.2)) % 4]
    # Each value about as often in every cluster, with any seed.
    codes = np.empty(160, dtype=int)
    for cluster in range(4):
        codes[classes == cluster] = rng.permutation(np.arange(40) % n_values)
    frame["word"] = [f"w{code}" for code in codes]
    frame.loc[0, "word"] = ""
    table = prepare_table(frame[["x", "y", "z", "kind", "word"]])
    assert table.columns.columns.tolist() == ["x", "y", "z", "kind"]
    assert "column 'word' dropped: few distinct values, and no dependence on any other column" in said(table)
    assert table.weights[:3] == (1, 1, 1)
    assert 0.4 < table.weights[3] < 1
    kind = [name.startswith("kind=") for name in table.feature_names]
    np.testing.assert_allclose(table.X[:, kind].var(axis=0).sum(), table.weights[3])
    equal = prepare_table(frame[["x", "y", "z", "kind", "word"]], weights="equal")
    assert equal.weights == (1,) * 5


def test_weights_are_associations():
    # Worked: of two binary columns with counts 40, 10, 10, 40, phi squared is .36; without its bias it is
    # .36 - 1/99, and both columns count as 2 - 1/99 values.
    a = ["u"] * 50 + ["v"] * 50
    b = ["p"] * 40 + ["q"] * 10 + ["p"] * 10 + ["q"] * 40
    table = prepare_table(pd.DataFrame({"a": a, "b": b, "x": np.tile(np.arange(25.0), 4)}))
    expected = np.sqrt((0.36 - 1 / 99) / (1 - 1 / 99))
    np.testing.assert_allclose(table.weights, [expected, expected, 1.0])


def test_columns_that_all_tell_nothing_are_all_used():
    frame = pd.DataFrame({"a": list("uv") * 32, "b": list("uuvv") * 16, "c": list("uuuuvvvv") * 8})
    with pytest.warns(UserWarning, match="'[abc]' alone determines the main split"):
        assert prepare_table(frame).weights == (1, 1, 1)


def test_a_column_that_makes_the_best_split_alone_is_named():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("wxyz"))
    frame["x"] += 20 * (np.arange(80) % 2)
    with pytest.warns(UserWarning, match="column 'x' alone determines the main split of the table into two"):
        prepare_table(frame)


def test_blobs_and_noise_raise_no_warning(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepare_table(pd.DataFrame(rng.normal(size=(80, 4)), columns=list("wxyz")))
        prepare_table(four_blobs(rng)[0])


def test_clusters_that_follow_missing_cells_are_named():
    frame, classes = four_blobs(np.random.default_rng(0))
    frame.loc[classes == 1, "y"] = np.nan
    frame.loc[np.arange(0, 160, 9), "x"] = np.nan
    table = prepare_table(frame)
    assert table.following_missing(classes) == ("y",)
    assert table.following_missing(np.arange(160) // 40) == ()
    assert prepare_table(four_blobs(np.random.default_rng(0))[0]).following_missing(classes) == ()


def test_words_among_many_numbers_count_as_missing():
    cells = [str(value * 1.5) for value in range(30)]
    table = prepare_table(pd.DataFrame({"x": [*cells, "broken"]}), scale="none")
    assert table.X[-1, 0] == np.median(np.arange(30) * 1.5)
    assert "column 'x' contains numbers except for 'broken', which is treated as missing" in said(table)
    assert "row 31 has only missing values in the columns used" in said(table)


@pytest.mark.parametrize("mark", ["'", "\u2019", " ", "\u2009", "\u00a0", "\u202f"])
@pytest.mark.parametrize("unit", ["", " kg"])
def test_marks_between_thousands(mark, unit):
    numbers = np.arange(30) * 12345
    table = prepare_table(
        pd.DataFrame({"x": [f"{n:,}{unit}".replace(",", mark) for n in numbers]}), scale="none"
    )
    np.testing.assert_array_equal(table.X[:, 0], numbers)


@pytest.mark.parametrize("word", ["unknown", "-", "keine Angabe"])
@pytest.mark.parametrize("cell", ["{}", "{} g", "2020-01-{:02d}"])
def test_words_for_missing_values_are_named(cell, word):
    cells = [cell.format(value) for value in range(11, 31)]
    table = prepare_table(pd.DataFrame({"x": [*cells, word, ""], "y": np.arange(22.0) ** 2}))
    assert f"column 'x' contains numbers except for {word!r}" in said(table).replace("dates", "numbers")
    assert table.missing["x"].tolist() == [False] * 20 + [True] * 2


GRAMS = [f"{value:.1f} g" for value in np.random.default_rng(0).normal(30, 5, 300)]


def with_cells(*cells):
    X = np.random.default_rng(1).normal(size=(300, 2))
    return pd.DataFrame(X, columns=["x", "y"]).assign(w=[*cells, *GRAMS[len(cells) :]])


@pytest.mark.parametrize("cells", [["12.0"], [12.0, "13", 14], ["12.0"] * 15], ids=len)
def test_few_numbers_without_a_unit_have_the_unit_of_the_others(cells):
    frame = with_cells(*cells)
    table = prepare_table(frame)
    has = "has no unit and is" if len(cells) == 1 else "have no unit and are"
    assert f"column 'w': {len(cells)} of 300 cells {has} read as g" in said(table)
    expected = prepare_table(with_cells(*(f"{cell} g" for cell in cells)))
    np.testing.assert_array_equal(table.X, expected.X)
    with pytest.warns(UserWarning, match="column 'w' has numbers without a unit, read as g"):
        np.testing.assert_array_equal(table.preparer.transform(frame), table.X)


@pytest.mark.parametrize(
    ("cells", "units"),
    [
        (["0.012 kg"], "g (299) and kg (1)"),
        (["12.0"] * 16, "g (284) and none (16)"),
        (["0.012 kg", "12.0"], "g (298), kg (1) and none (1)"),
    ],
)
def test_different_units_are_the_reason_to_leave_a_column_out(cells, units):
    reason = f"column 'w' dropped: its cells have different units, {units}; convert them to one unit"
    with pytest.warns(UserWarning, match="different units") as caught:
        table = prepare_table(with_cells(*cells))
    assert [str(warning.message) for warning in caught] == [reason]
    assert reason in table.notes
    assert table.feature_names == ("x", "y")


def test_cells_among_measures_that_are_no_numbers():
    for cell in ("n.k.", "(n.k.)"):
        table = prepare_table(with_cells(cell))
        assert f"column 'w' contains numbers except for {cell!r}, which is treated as missing" in said(table)
        np.testing.assert_array_equal(table.preparer.transform(with_cells(cell)), table.X)


@pytest.mark.parametrize("unit", [1.0, 1e150, 1e-150])
def test_a_number_whose_features_would_overflow_is_named(unit):
    numbers = np.random.default_rng(0).normal(40, 9, 60)
    frame = pd.DataFrame({"age": numbers, "x": numbers**2})
    np.testing.assert_allclose(prepare_table(frame * unit).X, prepare_table(frame).X, rtol=1e-9)
    message = "^column 'age' has .* in row 8, more than 1e140 times the range of the other cells; correct"
    for cell in (1e143, -2e150):
        frame.loc[7, "age"] = cell
        with pytest.raises(DataError, match=message):
            prepare_table(frame * unit)
    frame.loc[7, "age"] = 1e139
    assert np.isfinite(prepare_table(frame * unit).X ** 2).all()
    frame["age"] = [1e200, *[40.0] * 59]  # only two distinct values
    assert len(np.unique(prepare_table(frame, weights="equal").X[:, 0])) == 2


def test_codes_of_numbers_and_letters_are_no_units():
    codes = [f"{row // 3}{'ABC'[row % 3]}" for row in range(300)]
    table = prepare_table(with_cells(*codes))
    assert "column 'w' dropped: a different value in every row" in said(table)
    few = prepare_table(with_cells(*(code[-2:] for code in codes)), weights="equal")
    assert few.category_names == ("w",)
    signed = [f"({value})" for value in range(1000, 3980, 10)]
    assert prepare_table(with_cells(*signed)).feature_names == ("x", "y", "w")


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("x", ["u", "u", "u", "u"], "constant"),
        ("x", ["", "NA", "?", "null"], "empty"),
        ("x", ["u", "", "u", "u"], "constant except for empty cells"),
        ("x", ["1", "", "", ""], "constant except for empty cells"),
        ("x", ["1", "2", "", "", ""], "3 of 5 cells are missing"),
        ("id", ["4", "1", "3", "2"], "row numbers (sample_names=X['id'] uses it as row names)"),
        ("x", [str(row) for row in range(25)], "row numbers"),
        (
            "x",
            ["u", "v", "w", "x"],
            "a different value in every row (sample_names=X['x'] uses it as row names)",
        ),
        ("x", ["u", "v", "w", "u"], "too many categories (3 distinct values in 4 rows)"),
        (
            "x",
            ["<3", "1", "2", "2"],
            "too many categories (3 distinct values in 4 rows): 2 of 3",
        ),
        ("x", ["1-", "1.5", "2", "5"], "a different value in every row: 3 of 4 distinct values are numbers"),
        ("x", ["2020-02-30", "2020-03-01", "2020-03-02"], "row: 2 of 3 distinct values are dates, but"),
        ("x", ["2020-02-28", "01.03.2020", "2020-03-02"], "row: dates in different formats, such as"),
        ("x", [1 + 2j, 3, 4, 5], "complex numbers"),
        ("x", [{}, [], 1, 2], "cells that are neither numbers nor text"),
    ],
)
def test_columns_that_tell_nothing(name, cells, reason):
    frame = pd.DataFrame({"a": np.arange(len(cells)) ** 2, name: cells})
    table = prepare_table(frame)
    assert table.feature_names == ("a",)
    assert f"column {name!r} dropped: " in said(table)
    assert reason in said(table)


def test_free_text_leads_to_documents():
    words = "some words that say a lot about row"
    table = prepared(x=[f"{words} {row}" for row in range(4)])
    assert "a different value in every row; use read_documents to cluster by words" in said(table)


def test_columns_have_equal_weights_where_asked_for():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "huge": rng.normal(1e12, 1e9, 200),
            "tiny": rng.normal(0, 1e-12, 200),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, 200), unit="D"),
            "two": rng.choice(["u", "v"], 200),
            "five": rng.choice(list("pqrst"), 200, p=[0.6, 0.1, 0.1, 0.1, 0.1]),
        }
    )
    with pytest.warns(UserWarning, match="column 'two' alone determines the main split"):
        table = prepare_table(frame, weights="equal")
    of_column = [name.split("=")[0] for name in table.feature_names]
    variance = pd.Series(table.X.var(axis=0)).groupby(of_column).sum()
    np.testing.assert_allclose(variance[list(frame.columns)], 1.0, rtol=1e-9)
    # Two samples with different values are equally far apart, whatever the values.
    five = table.X[:, [name == "five" for name in of_column]]
    one_of_each = five[[int(np.flatnonzero(frame["five"] == value)[0]) for value in "pqrst"]]
    distances = np.linalg.norm(one_of_each[:, None] - one_of_each[None], axis=2)[np.triu_indices(5, 1)]
    np.testing.assert_allclose(distances, distances[0])


def test_numbers_near_the_largest_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = prepare_table(pd.DataFrame({"x": [1e308, -1e308, 3.0, 4.0]}))
        filled = prepare_table(
            pd.DataFrame({"x": [1e308, 1e308, None, 0], "y": [1e308, 1e308, 9e307, -1e308]})
        )
    assert filled.columns["x"][2] == 1e308
    np.testing.assert_allclose(table.X[:, 0], [2**0.5, -(2**0.5), 0, 0], atol=1e-12)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.permutations(range(12)))
def test_order_of_rows_does_not_matter(order):
    frame = pd.DataFrame(
        {
            "x": ["1,5", "2", "", "4", "9,25", "3", "7", "8", "NA", "2", "2", "1"],
            "kind": [*"uvwuvwuuuv", "", "u"],
            "when": [f"{day}.01.2020" for day in (13, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 30)],
        }
    )
    table, moved = prepare_table(frame), prepare_table(frame.iloc[list(order)])
    np.testing.assert_allclose(moved.X, table.X[list(order)], atol=1e-12)
    assert moved.feature_names == table.feature_names
    assert moved.notes == table.notes


def test_columns_that_may_be_classes_are_named():
    assert (
        "column 'target' is used as a feature; if it contains known classes, exclude it from the fit"
        in said(prepared(target=["0", "1", "1", "0"]))
    )


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": ["1"]}), "the table has 1 row, but clustering requires at least two"),
        (pd.DataFrame({"x": []}), "the table has 0 rows"),
        (pd.DataFrame(index=range(3)), "the table has no columns"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"]), "two columns named 'x'"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=[1, "1"]), "two columns named '1'"),
        (pd.DataFrame({"x": ["", ""], "y": ["u", "u"]}), r"'x' \(empty\); 'y' \(constant\)"),
        (pd.DataFrame({f"x{i}": ["", ""] for i in range(7)}), "and 2 more"),
    ],
)
def test_tables_without_anything_to_cluster(frame, message):
    with pytest.raises(DataError, match=message):
        prepare_table(frame)


def test_scale_is_one_of_two():
    with pytest.raises(ValueError, match="scale must be one of 'equal', 'none', got 'standard'"):
        prepare_table(pd.DataFrame({"x": [1, 2]}), scale="standard")
    with pytest.raises(ValueError, match="weights must be one of 'dependence', 'equal', got 'all'"):
        prepare_table(pd.DataFrame({"x": [1, 2]}), weights="all")
    with pytest.raises(ValueError, match="missing must be one of 'neighbors', 'median', got 'mean'"):
        prepare_table(pd.DataFrame({"x": [1, 2]}), missing="mean")


def test_outliers_decide_neither_on_the_scale_nor_on_the_strongest_split():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)) * 2.0 + 5.0, columns=list("abc"))
    plain = prepare_table(frame)
    frame.loc[[7, 9], "a"] = 1e4, -1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepared = prepare_table(frame)
    usual = np.setdiff1d(np.arange(60), [7, 9])
    assert prepared.X[usual, 0].std() == pytest.approx(1)
    np.testing.assert_allclose(prepared.X[:, 1:], plain.X[:, 1:])
    assert np.abs(prepared.X[[7, 9], 0]).min() > 1000
    # Many values are no outliers, and few rows have none.
    frame.loc[:8, "b"] = 1e4
    assert prepare_table(frame).X[:, 1].std() == pytest.approx(1)
    assert prepare_table(frame[:30]).X[:, 0].std() == pytest.approx(1)


@pytest.mark.parametrize("kind", ["numbers", "words", "gaps"])
def test_each_of_many_columns_takes_little_work(kind):
    rng = np.random.default_rng(0)

    def table(n_columns):
        cells = rng.normal(size=(12, n_columns)).round(3).astype(str).astype(object)
        if kind == "words":
            cells = rng.choice(["AA", "AB", "BB"], size=cells.shape).astype(object)
        if kind == "gaps":
            cells[rng.random(cells.shape) < 0.1] = ""
        return pd.DataFrame(cells, columns=[f"gene {column}" for column in range(n_columns)])

    def n_calls(frame):
        counted = 0

        def count(frame, event, argument):
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            prepare_table(frame)
        finally:
            sys.setprofile(None)
        return counted

    prepare_table(table(5))
    few, more, many = (n_calls(table(n_columns)) for n_columns in (20, 60, 100))
    assert (more - few) / 40 < 1_500  # calls of functions per column; with a Series for each they were 4,670
    assert many - more < 1.2 * (more - few)


def test_many_columns_without_cells_are_named_in_one_note():
    table = prepare_table(
        pd.DataFrame({"a": [1.0, 2.0, 4.0] * 3} | {f"e{n}": [*range(n)] + [""] * (9 - n) for n in (2, 3, 4)})
    )
    assert said(table) == "3 columns (e2, e3, e4) dropped: more than half of the cells are missing"


def test_columns_with_the_same_information_are_named():
    days = np.random.default_rng(0).integers(0, 9000, 40)
    frame = pd.DataFrame(
        {
            "years": (days / 365.25).round(1),
            "start": pd.Timestamp("2026-01-01") - pd.to_timedelta(days, "D"),
            "pay": np.random.default_rng(1).normal(size=40),
            "loss": 1e300 * -np.random.default_rng(1).normal(size=40),
        }
    )
    text = "columns 'years' and 'start' (and 1 more pair) contain the same information, which is counted"
    assert text in " ".join(prepare_table(frame).notes)
    assert "same information" not in " ".join(prepare_table(frame[["years", "pay"]]).notes)
    # Among few rows, columns agree by chance.
    assert "same information" not in " ".join(prepare_table(frame.head(5)).notes)


@pytest.mark.parametrize(
    ("cells", "pair"),
    [
        (["card", "CARD", "cash"], "'CARD' and 'card'"),
        (["yes", "Y", "no"], "'Y' and 'yes'"),
        (["ja", "nein", "j"], "'j' and 'ja'"),
    ],
)
def test_spellings_of_a_category_are_named(cells, pair):
    notes = prepare_table(pd.DataFrame({"a": cells * 10, "b": range(30)})).notes
    first, second = pair.split(" and ")
    said = [note for note in notes if "treated as different" in note]
    assert len(said) == 1
    assert said[0].startswith("column 'a': ")
    assert {first, second} <= set(re.findall("'[^']*'", said[0]))
    assert said[0].endswith("; use one spelling if they mean the same")
    others = prepare_table(pd.DataFrame({"a": ["card", "cash", "y"] * 10, "b": range(30)})).notes
    assert not any("treated as different" in note for note in others)


@pytest.mark.parametrize("name", ["postcode", "Zip code", "PLZ", "phone_number", "customer-telefon", "Fax"])
def test_numbers_that_may_be_codes_are_named(name):
    rng = np.random.default_rng(0)
    numbers = rng.integers(10000, 99999, 40)
    frame = pd.DataFrame({name: numbers, "size": rng.random(40), "zipper": rng.integers(0, 99, 40)})
    said = f"column {name!r} read as numbers; if they are codes, drop them or pass them as strings"
    assert said in prepare_table(frame).notes
    assert not any(
        "if they are codes" in note for note in prepare_table(frame.assign(**{name: numbers / 7})).notes
    )


def test_a_last_row_of_totals_is_named():
    rng = np.random.default_rng(0)
    sales, cost = rng.integers(100, 999, 30).astype(float), rng.random(30).round(2)
    frame = pd.DataFrame({"shop": [f"shop {row % 3}" for row in range(30)], "sales": sales, "cost": cost})
    total = pd.DataFrame({"shop": [None], "sales": [sales.sum()], "cost": [cost.sum()]})
    said = "the last row is the sum of the other rows in 2 columns (sales, cost); remove it"
    for table in (pd.concat([frame, total]), pd.concat([frame, total]).astype(str).replace("None", "")):
        with pytest.warns(UserWarning, match=re.escape(said)):
            prepare_table(table.reset_index(drop=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for last in (frame.iloc[[3]], total.assign(sales=500.0, cost=0.5)):
            prepare_table(pd.concat([frame, last], ignore_index=True))
        # One sum among three numbers can be chance.
        last = total.assign(sales=500.0, more=5.0)
        prepare_table(pd.concat([frame.assign(more=sales[::-1]), last], ignore_index=True))
        prepare_table(pd.DataFrame({"a": [0, 1, 2, 3.0], "b": [5, 1, 2, 8.0]}))  # a short table
