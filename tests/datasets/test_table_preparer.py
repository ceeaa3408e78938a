"""TablePreparer: further rows become the features that they would have been among the first."""

import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import ParetoClustering
from moo_clustering.datasets import DataError, TablePreparer, prepare_table

N = 60


def table(seed=0, n=N):
    """Trees with columns of every kind; no cell is missing."""
    rng = np.random.default_rng(seed)
    tall = np.arange(n) < n // 2
    start = pd.Timestamp("2001-03-01")
    days = start + pd.to_timedelta(rng.integers(0, 3000, (2, n)).ravel(), unit="D")
    minutes = rng.integers(0, 24 * 60, n)
    return pd.DataFrame(
        {
            "id": [f"r{row}" for row in range(n)],
            "height": [f"{value:.1f} m".replace(".", ",") for value in rng.normal(np.where(tall, 25, 5), 1)],
            "weight": rng.normal(np.where(tall, 70, 50), 3).round(2),
            "wood": np.where(tall, "soft", "hard"),
            "area": rng.choice(["a", "b", "c"], n),
            "planted": days[:n],
            "felled": days[n:].strftime("%d.%m.%Y"),
            "alive": rng.random(n) < 0.5,
            "code": rng.choice(["01", "02", "03"], n),
            "noon": [f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes],
        }
    )


def gappy(seed=0, share=0.1):
    frame = table(seed).astype(object)
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


@pytest.fixture(scope="module")
def fitted():
    return TablePreparer(weights="equal").fit(table())


def warned(preparer, frame):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        X = preparer.transform(frame)
    return X, "; ".join(str(warning.message) for warning in caught)


def test_rows_without_values_are_named(fitted):
    rows = table(1).astype(object)
    rows.iloc[4] = None
    assert "row 2 has only missing values in the columns used" in str(warned(fitted, rows.iloc[3:6]))
    assert "no values" not in str(warned(fitted, rows.iloc[5:]))


@parametrize_with_checks([TablePreparer(), TablePreparer(scale="none", missing="median")])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("missing", ["neighbors", "median"])
@pytest.mark.parametrize("scale", ["equal", "none"])
@pytest.mark.parametrize("make", [table, gappy])
def test_rows_of_the_fit_get_their_features_in_any_order(make, scale, missing):
    frame = make()
    prepared = prepare_table(frame, scale=scale, missing=missing)
    preparer = prepared.preparer
    assert (preparer.transform(frame) == prepared.X).all()
    order = np.random.default_rng(1).permutation(N)
    assert (preparer.transform(frame.iloc[order, ::-1]) == prepared.X[order]).all()
    some = range(0, N, 4)
    single = [preparer.transform(frame.iloc[row : row + 1])[0] for row in some]
    np.testing.assert_allclose(single, prepared.X[some], rtol=0, atol=1e-12)
    assert (TablePreparer(scale=scale, missing=missing).fit_transform(frame) == prepared.X).all()


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_cells_of_any_type_and_share_of_gaps(data):
    n = data.draw(st.integers(4, 30))
    kinds = [
        st.floats(-1e6, 1e6).map(lambda value: round(value, 3)),
        st.integers(-100, 100),
        st.sampled_from(["a", "b", "c d"]),
        st.booleans(),
        st.dates().map(str),
        st.decimals(0, 100, places=2),
        st.integers(0, 9999).map(lambda value: f"{value / 100:.2f} kg".replace(".", ",")),
    ]
    columns = data.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    frame = pd.DataFrame(
        {
            f"c{place}": pd.Series(
                data.draw(st.lists(st.one_of(kind, st.none()) if place else kind, min_size=n, max_size=n)),
                dtype=object,
            )
            for place, kind in enumerate(columns)
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            prepared = prepare_table(frame)
        except DataError:
            return
        assert (prepared.preparer.transform(frame) == prepared.X).all()


def test_scales_are_those_of_the_fit(fitted):
    frame = table()
    X = fitted.transform(frame)
    few = frame.iloc[[3, 41]]
    assert (fitted.transform(few) == X[[3, 41]]).all()
    assert prepare_table(few, scale="none").X.shape[1] != X.shape[1]


SAME = {
    "another order": lambda frame: frame.iloc[:, ::-1],
    "without columns that the fit dropped": lambda frame: frame.drop(columns="id"),
    "text": lambda frame: frame.astype(str),
    "categories": lambda frame: frame.astype({"wood": "category", "area": "category"}),
    "blanks": lambda frame: frame.assign(wood=" " + frame["wood"] + " "),
    "Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "nullable": lambda frame: frame.convert_dtypes(),
    "a zone": lambda frame: frame.assign(planted=frame["planted"].dt.tz_localize("UTC")),
    "periods": lambda frame: frame.assign(planted=frame["planted"].dt.to_period("D")),
    "decimals": lambda frame: frame.assign(weight=[Decimal(str(value)) for value in frame["weight"]]),
    "durations": lambda frame: frame.assign(noon=pd.to_timedelta(frame["noon"] + ":00")),
    "codes without zeros": lambda frame: frame.assign(code=frame["code"].astype(float)),
    "0 and 1": lambda frame: frame.assign(alive=frame["alive"].astype(int)),
    "single precision of an index": lambda frame: frame.set_index(np.arange(N)[::-1]),
    "a pyarrow table": pyarrow.Table.from_pandas,
    "an array": lambda frame: frame.to_numpy(),
}


@pytest.mark.parametrize("form", SAME)
def test_forms_of_the_same_rows(fitted, form):
    X, message = warned(fitted, SAME[form](table()))
    assert (fitted.transform(table()) == X).all()
    assert message == ""


class _OtherFrame:
    """As a frame of polars, or AnnData."""

    def __init__(self, frame, method):
        setattr(self, method, lambda: frame)
        self.var_names, self.isbacked, self.X = frame.columns, False, frame.to_numpy()


@pytest.mark.parametrize("method", ["to_pandas", "to_df"])
def test_frames_of_other_packages(method):
    frame = table()
    other = _OtherFrame(frame, method)
    assert (prepare_table(other).X == prepare_table(frame).X).all()
    preparer = TablePreparer().fit(other)
    assert preparer.feature_names_in_.tolist() == list(frame)
    assert (preparer.transform(other) == preparer.transform(frame)).all()


def polars_frame(frame):
    return pytest.importorskip("polars").from_pandas(frame)


def annotated(frame):
    data = pytest.importorskip("anndata").AnnData(frame[["weight", "area"]].assign(area=frame["area"] == "a"))
    assert list(data.obs_names) == list(frame.index)
    return data


@pytest.mark.parametrize("convert", [polars_frame, annotated, pyarrow.Table.from_pandas])
def test_clusters_of_frames_of_other_packages(convert):
    frame = table().set_axis([f"tree {row}" for row in range(N)])
    other = convert(frame)
    same = frame if convert is not annotated else other.to_df()
    options = {"k_range": [2, 3], "families": ["km", "ward"], "random_state": 0}
    model, expected = (ParetoClustering(**options).fit(each) for each in (other, same))
    assert model.labels_.tolist() == expected.labels_.tolist() == model.predict(other).tolist()
    assert model.feature_names_in_.tolist()[: same.shape[1]] == list(same)
    assert list(model.table(other))[-5:] == ["cluster", "name", "typical", "support", "doubtful"]
    if convert is annotated:
        assert str(model.describe(other)) == str(expected.describe(same))


REPORTED = {
    "decimal points": (
        lambda frame: frame.assign(height=frame["height"].str.replace(",", ".")),
        "column 'height' has decimal points, but had decimal commas in the training table",
    ),
    "decimal commas": (
        lambda frame: frame.assign(weight=frame["weight"].astype(str).str.replace(".", ",")),
        "column 'weight' has decimal commas, but had decimal points in the training table",
    ),
    "no unit": (
        lambda frame: frame.assign(height=frame["height"].str.removesuffix(" m")),
        "column 'height' has numbers without a unit, read as m",
    ),
    "numbers without a unit": (
        lambda frame: frame.assign(
            height=frame["height"].str.removesuffix(" m").str.replace(",", ".").astype(float)
        ),
        "column 'height' has numbers without a unit, read as m",
    ),
    "another format of dates": (
        lambda frame: frame.assign(felled=pd.to_datetime(frame["felled"], format="%d.%m.%Y").astype(str)),
        "column 'felled' has a different date format than in the training table",
    ),
    "hours": (
        lambda frame: frame.assign(noon=pd.to_timedelta(frame["noon"] + ":00") / pd.Timedelta("1h")),
        "column 'noon' has numbers without a unit, read as hours",
    ),
}


@pytest.mark.parametrize("form", REPORTED)
def test_other_notations_are_read_and_reported(fitted, form):
    change, expected = REPORTED[form]
    X, message = warned(fitted, change(table()))
    assert (fitted.transform(table()) == X).all()
    assert message == expected
    assert fitted.prepare(change(table())).notes == (expected,)


def test_decimal_points_where_the_fit_had_commas():
    frame = pd.DataFrame({"a": ["1,5", "2,25", "1.000,5", "7,0"], "b": [1.0, 2.0, 4.0, 8.0]})
    preparer = TablePreparer(scale="none").fit(frame)
    X, message = warned(preparer, frame.assign(a=[1.5, 2.25, 1000.5, 7.0]))
    assert X[:, 0].tolist() == [1.5, 2.25, 1000.5, 7.0]
    assert message == "column 'a' has decimal points, but had decimal commas in the training table"
    assert warned(preparer, frame.assign(a=[1, 2, 1000, 7]))[1] == ""


def test_numbers_that_another_column_makes_ambiguous():
    frame = pd.DataFrame({"a": ["1,5", "2,25", "3,5", "7,0"], "b": ["1,5", "2.500", "4,5", "8,5"]})
    preparer = TablePreparer(scale="none").fit(frame)
    assert preparer.transform(frame)[1].tolist() == [2.25, 2500.0]
    points = frame.assign(a=["1.5", "2.25", "3.5", "7.0"], b=["1.500", "2.500", "4.500", "8.500"])
    with pytest.raises(DataError, match=r"column 'b' is ambiguous \('1\.500'\), because column 'a'"):
        preparer.transform(points)
    commas = frame.assign(b=["1.500", "2.500", "4.500", "8.500"])
    assert preparer.transform(commas)[:, 1].tolist() == [1500.0, 2500.0, 4500.0, 8500.0]


def test_dates_that_fit_two_formats_in_the_fit():
    frame = pd.DataFrame({"day": ["05/05/2020", "06/06/2021", "07/07/2021", "05/05/2020"], "b": [1, 2, 4, 8]})
    preparer = TablePreparer(scale="none").fit(frame)
    with pytest.raises(DataError, match=r"column 'day': days and months cannot be distinguished"):
        preparer.transform(frame.assign(day="05/06/2020"))
    X = preparer.transform(frame.assign(day=["05/05/2020", "13/05/2020", "05/05/2020", "08/08/2020"]))
    assert X[:, 0].tolist() == [0.0, 8.0, 0.0, 95.0]


def test_categories_and_cells_that_the_fit_does_not_know(fitted):
    frame = table()
    X = fitted.transform(frame)
    new = frame.assign(wood=["oak", "ash", *frame["wood"][2:]])
    changed, message = warned(fitted, new)
    assert "column 'wood' has 2 categories not seen in the fit ('oak', 'ash'), in 2 rows" in message
    assert (changed == X).all()  # near rows are of soft wood
    changed, message = warned(fitted, frame.assign(weight=["n.k.", *frame["weight"][1:]]))
    assert "column 'weight' has 1 unreadable cell ('n.k.'), which is treated as missing" in message
    assert (changed[1:] == X[1:]).all()
    missing = fitted.prepare(frame.assign(weight=np.nan))
    assert missing.missing["weight"].all()
    assert "60 missing values were filled" in missing.notes[-1]


def test_values_beyond_the_range(fitted):
    frame = table()
    near = frame.assign(weight=[80.0, *frame["weight"][1:]])
    X, message = warned(fitted, near)
    assert message == ""
    assert "column 'weight' has 1 value outside" in fitted.prepare(near).notes[0]
    step = X[0, 1] - fitted.transform(frame)[0, 1]
    far = frame.assign(weight=[frame["weight"][0] + 10 * (80.0 - frame["weight"][0]), *frame["weight"][1:]])
    X, message = warned(fitted, far)
    assert "(such as " in message
    assert X[0, 1] - fitted.transform(frame)[0, 1] == pytest.approx(10 * step)
    late = frame.assign(planted=pd.Timestamp("2090-01-01"))
    assert "(such as 2090-01-01)" in warned(fitted, late)[1]


REFUSED = {
    "no rows": (lambda frame: frame[:0], "the table has no rows"),
    "an absent column": (
        lambda frame: frame.drop(columns="wood"),
        "the table lacks column 'wood' of the fit",
    ),
    "another case": (
        lambda frame: frame.rename(columns={"wood": "Wood "}),
        "it has column 'Wood ', but names must match exactly",
    ),
    "text": (
        lambda frame: frame.assign(weight="heavy"),
        "had numbers in the training table, but has 'heavy'",
    ),
    "numbers for dates": (
        lambda frame: frame.assign(planted=3),
        "had dates in the training table, but has '3'",
    ),
    "dates for numbers": (
        lambda frame: frame.assign(weight=pd.Timestamp("2020-01-02")),
        "had numbers in the training table, but has '2020-01-02'",
    ),
    "words for booleans": (
        lambda frame: frame.assign(alive="yes"),
        "had true and false in the training table, but has 'yes'",
    ),
    "numbers for booleans": (lambda frame: frame.assign(alive=2), "but has '2'"),
    "another unit": (
        lambda frame: frame.assign(height=frame["height"].str.replace(" m", " ft")),
        "column 'height' has numbers in ft, but had numbers in m in the training table",
    ),
    "a new unit": (
        lambda frame: frame.assign(weight=frame["weight"].astype(str) + " kg"),
        "column 'weight' has numbers in kg, but had numbers without a unit",
    ),
    "ambiguous commas": (
        lambda frame: frame.assign(weight="1,234"),
        "column 'weight' has commas that may be decimal commas or thousands separators",
    ),
    "ambiguous dates": (
        lambda frame: frame.assign(planted="03/04/2005"),
        "column 'planted': days and months cannot be distinguished",
    ),
    "lists": (lambda frame: frame.assign(wood=[[1]] * N), "cells that are neither numbers nor text"),
    "two columns of a name": (
        lambda frame: pd.concat([frame, frame[["wood"]]], axis=1),
        "the table has two columns named 'wood'",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_rows_that_cannot_be_compared_are_refused(fitted, form):
    change, expected = REFUSED[form]
    with pytest.raises(DataError) as error:
        fitted.transform(change(table()))
    assert expected in str(error.value)


def test_all_refused_columns_are_named(fitted):
    with pytest.raises(DataError, match="column 'height' has numbers in ft") as error:
        fitted.transform(table().assign(height="3 ft", weight="heavy", alive="yes"))
    assert "; errors also occur in 2 columns (weight, alive)" in str(error.value)


def test_additional_columns_and_columns_left_out(fitted):
    frame = table()
    notes = fitted.prepare(frame.assign(x=1, y="a")).notes
    assert notes == ("2 columns (x, y) are ignored, because the fit did not use them",)
    assert fitted.prepare(frame.drop(columns="id")).notes == ()


def test_inverse(fitted):
    frame = table()
    back = fitted.inverse_transform(fitted.transform(frame))
    assert list(back) == list(fitted.column_names_)
    heights = frame["height"].str.removesuffix(" m").str.replace(",", ".").astype(float)
    np.testing.assert_allclose(back["height"], heights, rtol=1e-12)
    for name in ("wood", "area", "alive", "code", "planted"):
        assert back[name].tolist() == frame[name].tolist()
    assert back["felled"].dt.strftime("%d.%m.%Y").tolist() == frame["felled"].tolist()
    with pytest.raises(ValueError, match="X has 2 features, but the fitted table has 13"):
        fitted.inverse_transform([[1.0, 2.0]])


def test_names_and_attributes(fitted):
    names = fitted.get_feature_names_out()
    assert names.tolist()[:4] == ["height", "weight", "wood=soft", "area=a"]
    assert fitted.get_feature_names_out(list(table())).tolist() == names.tolist()
    with pytest.raises(ValueError, match="input_features must equal feature_names_in_"):
        fitted.get_feature_names_out(["a"])
    assert fitted.category_names_ == ("wood", "area", "code")
    assert len(fitted.weights_) == len(fitted.column_names_) == 9
    assert any("decimal commas" in note for note in fitted.notes_)
    with pytest.raises(NotFittedError):
        TablePreparer().transform(table())
    with pytest.raises(ValueError, match="scale must be one of 'equal', 'none', got 'standard'"):
        TablePreparer(scale="standard").fit(table())


def test_in_pipelines_and_copies(fitted):
    frame = gappy()
    model = make_pipeline(TablePreparer(), KMeans(2, n_init=2, random_state=0)).fit(frame)
    assert (model.predict(frame) == model[-1].labels_).all()
    assert (model.predict(frame[::-1]) == model[-1].labels_[::-1]).all()
    columns = make_column_transformer((TablePreparer(), ["height", "wood"]), remainder="drop")
    assert columns.fit_transform(table()).shape == (N, 2)
    shown = clone(fitted).set_output(transform="pandas").fit_transform(table())
    assert list(shown) == fitted.get_feature_names_out().tolist()
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.transform(table()) == fitted.transform(table())).all()


def test_arrays_and_frames_match_by_position():
    X = np.array([[1.0, "a"], [2.0, "b"], [4.0, "a"], [8.0, "b"]], dtype=object)
    preparer = TablePreparer(scale="none").fit(X)
    assert not hasattr(preparer, "feature_names_in_")
    assert preparer.get_feature_names_out().tolist() == ["x0", "x1=b"]
    assert preparer.transform(X[:2]).tolist() == [[1.0, 0.0], [2.0, 1.0]]
    assert preparer.transform(pd.DataFrame(X[:1], columns=["p", "q"])).tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match="X has 1 features, but TablePreparer is expecting 2 features"):
        preparer.transform(X[:, :1])


LABELS = {
    "text": ["w", "x", "y"],
    "integers": [2020, 2021, 2022],
    "mixed": ["w", 2020, 2021],
    "default": [0, 1, 2],
    "tuples": [("a", "x"), ("a", "y"), ("b", "x")],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_match_columns(kind):
    frame = pd.DataFrame(np.random.default_rng(0).normal(0, [1, 10, 100], (50, 3)))
    frame.columns = pd.MultiIndex.from_tuples(LABELS[kind]) if kind == "tuples" else LABELS[kind]
    preparer = TablePreparer().fit(frame)
    expected = preparer.transform(frame)
    moved = frame[[frame.columns[place] for place in (2, 0, 1)]]
    further = moved.copy()
    further[("more", "") if kind == "tuples" else "more"] = 3.0
    for same in (moved, further, frame.to_numpy(), frame.set_axis(range(3), axis=1)):
        np.testing.assert_array_equal(preparer.transform(same), expected)
    with pytest.raises(DataError, match="the table lacks column "):
        preparer.transform(moved.iloc[:, :2])
    assert hasattr(preparer, "feature_names_in_") == (kind == "text")


def test_labels_that_are_equal_as_texts_are_refused():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]], columns=[1, "1"])
    with pytest.raises(DataError, match="the table has two columns named '1'"):
        TablePreparer().fit(frame)
    preparer = TablePreparer().fit(frame.set_axis([1, 2], axis=1))
    with pytest.raises(DataError, match="the table has two columns named '1'"):
        preparer.transform(frame.assign(more=1).set_axis([1, "1", 2], axis=1))


@pytest.mark.parametrize("prepare", ["auto", "none"])
def test_clusters_of_columns_that_are_integers(prepare):
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 0.5, (30, 3)) for centre in ([0, 5, 9], [6, 0, 2], [9, 9, 30])])
    frame = pd.DataFrame(rows, columns=[2020, 2021, 2022])
    moved = frame[[2022, 2020, 2021]]
    model = ParetoClustering(3, prepare=prepare, random_state=0).fit(frame)
    assert (model.predict(frame.to_numpy()) == model.labels_).all()
    if prepare == "none":
        for call in (model.predict, model.update):
            with pytest.raises(ValueError, match="X must have the columns of the fit in the same order, "):
                call(moved)
        model.fit(rows).predict(moved)  # arrays have no labels to match
        return
    assert (model.predict(moved) == model.labels_).all()
    assert (model.update(moved).labels_[90:] == model.labels_[:90]).all()


def test_the_note_names_rows_by_the_label_that_the_table_has():
    rows = [[f"c{row}", 1.5 * row % 7, row % 3] for row in range(20)]
    for labels, cells in (
        (
            pd.MultiIndex.from_tuples([("a", "customer id"), ("a", "x"), ("b", "x")]),
            "X[('a', 'customer id')]",
        ),
        ([2020, 2021, 2022], "X[2020]"),
        (["name", "x", "y"], "X['name']"),
    ):
        X = pd.DataFrame(rows, columns=pd.Index(labels))
        notes = "; ".join(TablePreparer().fit(X).notes_)
        assert f"(sample_names={cells} uses it as row names)" in notes
        assert eval(cells).tolist() == [row[0] for row in rows]
    X = np.array(rows, dtype=object)
    assert "(sample_names=X[:, 0] uses it as row names)" in "; ".join(TablePreparer().fit(X).notes_)


def test_far_beyond_the_range_of_the_fit():
    fitted = TablePreparer(scale="none", weights="equal").fit(pd.DataFrame({"x": np.arange(11.0) % 7}))
    for value, is_far in ((6.5, False), (12.0, False), (12.1, True), (-6.1, True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted.transform(pd.DataFrame({"x": [value]}))
        assert bool(caught) == is_far, value


def test_a_refused_table_leaves_the_fit_as_it_was():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "kind": ["a", "b", "a"]})
    fitted = TablePreparer().fit(frame)
    expected = fitted.transform(frame)
    for refused in (frame[:1], frame[["x", "x"]], frame.assign(x=1.0, kind="a")):
        with pytest.raises(DataError):
            fitted.fit(refused)
    np.testing.assert_array_equal(fitted.transform(frame), expected)


def test_many_columns_are_matched_by_name():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 1000))).rename(columns="c{}".format)
    fitted = TablePreparer(weights="equal").fit(frame)
    np.testing.assert_array_equal(fitted.transform(frame.iloc[:, ::-1]), fitted.transform(frame))
