"""Cells of every kind in every form of a table: the same features, and as many classes as there are."""

import json
import uuid
import warnings
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError, prepare_table, read_bags, read_documents, read_table
from moo_clustering.datasets.cells import read_column
from moo_clustering.datasets.tables import Roles, encode_classes, read_frame

pa = pytest.importorskip("pyarrow")
openpyxl = pytest.importorskip("openpyxl")

N = 24
# A column that is a feature in any case, beside that of the cells.
ANCHOR = [round(0.5 + (row * row) % 13, 1) for row in range(N)]
TEXTS = ("object", "str", "string", pd.ArrowDtype(pa.string()))
WHOLE = ("object", "int64", "uint64", "Int64", pd.ArrowDtype(pa.int64()))
REAL = ("object", "float64", "Float64", pd.ArrowDtype(pa.float64()))
TRUTH = ("object", "bool", "boolean", pd.ArrowDtype(pa.bool_()))
# What a column becomes: indicators of its values, or nothing. Otherwise the numbers of its different cells.
FAR = [date(1500, 1, 1), date(9999, 12, 31), date(2020, 1, 1)]
CATEGORY, OUT = "category", "out"


class Kind(NamedTuple):
    """Different cells of a column, and what they must become."""

    cells: list
    feature: object
    classes: list  # one name for each of the cells, None for a cell without a class
    dtypes: tuple = TEXTS
    note: str = ""
    warning: str = ""  # of classes
    excel: bool = True  # whether a cell of Excel can hold it
    named: bool = True  # whether classes have the same names in all forms


KINDS = {
    "integers": Kind([3, 7, 20], [3, 7, 20], ["3", "7", "20"], WHOLE),
    "gaps": Kind([3, None, 20], [3, None, 20], ["3", None, "20"], ("object", "Int64"), "filled"),
    "beyond 2^53": Kind(
        [2**53, 2**53 + 1, 2**53 + 2],
        CATEGORY,
        ["9007199254740992", "9007199254740993", "9007199254740994"],
        WHOLE,
        "9007199254740992 and 9007199254740993 are equal in double precision",
        excel=False,  # which has fifteen digits
    ),
    "beyond 2^53 with gaps": Kind(
        [2**53, 2**53 + 1, None],
        CATEGORY,
        ["9007199254740992", "9007199254740993", None],
        ("object", "Int64", "UInt64"),
        "are equal in double precision",
        excel=False,
    ),
    "numerals beyond 2^53": Kind(
        ["9007199254740992", "9007199254740993", "5"],
        CATEGORY,
        ["9007199254740992", "9007199254740993", "5"],
        note="are equal in double precision",
    ),
    "large but apart": Kind(
        [2**60, 2**61, 5], [2**60, 2**61, 5], [str(2**60), str(2**61), "5"], WHOLE, excel=False
    ),
    "floats": Kind([0.5, 1.25, 3.0], [0.5, 1.25, 3.0], ["0.5", "1.25", "3"], REAL),
    "small floats": Kind(
        [1e-05, 2.5e-300, 1e300], [1e-05, 2.5e-300, 1e300], ["1e-05", "2.5e-300", "1e+300"], REAL
    ),
    "infinite": Kind(
        [np.inf, 1.5, 2.5], [None, 1.5, 2.5], ["inf", "1.5", "2.5"], ("object", "float64"), "'inf'"
    ),
    "negative zero": Kind([-0.0, 0.0, 1.5], [0, 0, 1.5], ["0", "0", "1.5"], REAL),
    "leading zeros": Kind(
        ["01", "1", "001"], CATEGORY, ["01", "1", "001"],
        note="'01' begins with a zero", warning="the same number"
    ),
    "zip codes": Kind(
        ["01000", "41000", "81000"], CATEGORY, ["01000", "41000", "81000"], note="'01000' begins with a zero"
    ),
    "one code among numbers": Kind(
        ["007", "12", "13"], CATEGORY, ["007", "12", "13"], note="begins with a zero"
    ),
    "padded decimals": Kind(
        ["01.1", "01.10", "2.5"], CATEGORY, ["01.1", "01.10", "2.5"], note="begins", warning="the same number"
    ),
    "ledgers": Kind(
        ["2004E205", "2004E206", "2005E205"],
        CATEGORY,
        ["2004E205", "2004E206", "2005E205"],
        note="would be read as 2.004e+208",
    ),
    "hashes": Kind(
        ["0e123", "0e999", "4"],
        CATEGORY,
        ["0e123", "0e999", "4"],
        note="would be read as 0",
        warning="same",
    ),
    "an exponent beside its number": Kind(
        ["1E2", "100", "3"], CATEGORY, ["1E2", "100", "3"],
        note="which also occurs in the column", warning="same number"
    ),
    "exponents": Kind(["1e3", "2e3", "5"], [1000, 2000, 5], ["1e3", "2e3", "5"], note="('1e3' is 1000)"),
    "exponents of programs": Kind(["1e+3", "2.5E6", "5e-1"], [1000, 2.5e6, 0.5], ["1e+3", "2.5E6", "5e-1"]),
    "digits beyond double precision": Kind(
        ["0.1", "0.10000000000000000001", "3"],
        [0.1, 0.1, 3],
        ["0.1", "0.10000000000000000001", "3"],
        note="distinct numbers became equal in double precision",
        warning="same number",
    ),
    "signs": Kind(["+1", "1", "-1"], [1, 1, -1], ["+1", "1", "-1"], warning="the same number"),
    "point zero": Kind(["1", "1.0", "2"], [1, 1, 2], ["1", "1", "2"]),
    "decimals of one number": Kind(
        ["1.5", "1.50", "2"], [1.5, 1.5, 2], ["1.5", "1.50", "2"], warning="same number"
    ),
    "full-width digits": Kind(
        ["\uff11", "1", "2"], CATEGORY, ["\uff11", "1", "2"],
        note="the same number", warning="the same number"
    ),
    "thousands": Kind(
        ["1,234.5", "2,000.0", "3.5"], [1234.5, 2000, 3.5], ["1,234.5", "2,000.0", "3.5"], note="commas"
    ),
    "decimal commas": Kind(
        ["1,5", "2,5", "0,5"], [1.5, 2.5, 0.5], ["1,5", "2,5", "0,5"], note="decimal commas"
    ),
    "percent": Kind(["10 %", "20 %", "5 %"], [10, 20, 5], ["10 %", "20 %", "5 %"], note="numbers in %"),
    "hexadecimal": Kind(["0x1F", "0x20", "31"], CATEGORY, ["0x1F", "0x20", "31"]),
    "underscores": Kind(["1_000", "2_000", "3"], CATEGORY, ["1_000", "2_000", "3"]),
    "truth values": Kind([True, False], [1, 0], ["True", "False"], TRUTH),
    "truth values with gaps": Kind(
        [True, None, False, True],
        [1, None, 0, 1],
        ["True", None, "False", "True"],
        ("object", "boolean"),
        "most frequent",
    ),
    "truth as text": Kind(["true", "TRUE", "False"], [1, 1, 0], ["true", "TRUE", "False"]),
    "yes and no": Kind(["yes", "no", "Yes"], CATEGORY, ["yes", "no", "Yes"]),
    "truth among others": Kind(["True", "1", "yes"], CATEGORY, ["True", "1", "yes"]),
    "words for missing": Kind(
        ["NaN", "x", "None", "y"], CATEGORY, ["NaN", "x", "None", "y"],
        note="filled", warning="'NaN' is treated as a class"
    ),
    "unknown among classes": Kind(
        ["?", "x", "y"], CATEGORY, ["?", "x", "y"], note="filled", warning="'?' is treated as a class"
    ),
    "blanks": Kind(
        ["a ", "a", "b"], CATEGORY, ["a", "a", "b"],
        note="only in whitespace", warning="differ only in whitespace"
    ),
    "accents": Kind(
        ["e\u0301", "\u00e9", "x"], CATEGORY, ["e\u0301", "\u00e9", "x"],
        note="only in Unicode form", warning="only in Unicode form"
    ),
    "decimal numbers": Kind(
        [Decimal("1.50"), Decimal("2.25"), Decimal("0.00")],
        [1.5, 2.25, 0],
        ["1.50", "2.25", "0.00"],
        ("object", pd.ArrowDtype(pa.decimal128(10, 2))),
        named=False,
    ),
    "long decimal numbers": Kind(
        [Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002"), Decimal("3." + 20 * "0")],
        [1, 1, 3],
        ["1.00000000000000000001", "1.00000000000000000002", "3." + 20 * "0"],
        ("object", pd.ArrowDtype(pa.decimal128(30, 20))),
        "became equal",
        "same number",
        excel=False,
    ),
    "dates": Kind(
        [date(2020, 1, 1), date(2020, 3, 1), date(2021, 1, 1)],
        [0, 60, 366],
        ["2020-01-01", "2020-03-01", "2021-01-01"],
        ("object", "datetime64[s]", "datetime64[ns]", pd.ArrowDtype(pa.date32())),
        "converted to days",
    ),
    "days far away": Kind(
        FAR,
        [day.toordinal() - date(1500, 1, 1).toordinal() for day in FAR],
        ["1500-01-01", "9999-12-31", "2020-01-01"],
        ("object", pd.ArrowDtype(pa.date32())),
        "converted to days",
        excel=False,
    ),
    "moments": Kind(
        [datetime(2020, 1, 1, 12), datetime(2020, 1, 2, 0, 30), datetime(2020, 1, 1, 18)],
        [0, 12.5 / 24, 0.25],
        ["2020-01-01 12:00:00", "2020-01-02 00:30:00", "2020-01-01 18:00:00"],
        ("object", "datetime64[ms]", pd.ArrowDtype(pa.timestamp("ms"))),
        "converted to days",
    ),
    "milliseconds": Kind(
        [pd.Timestamp("2020-01-01 12:00:00.001"), pd.Timestamp("2020-01-01 12:00:00.003")],
        [0, 2 / 86_400_000],
        ["2020-01-01 12:00:00.001000", "2020-01-01 12:00:00.003000"],
        ("object", "datetime64[ms]", "datetime64[ns]"),
        "converted to days",
        excel=False,
        named=False,
    ),
    "moments of a zone": Kind(
        [pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-01 06:00", tz="UTC")],
        [0, 0.25],
        ["2020-01-01 00:00:00+00:00", "2020-01-01 06:00:00+00:00"],
        ("object", "datetime64[us, UTC]", pd.ArrowDtype(pa.timestamp("us", "UTC"))),
        "converted to days",
        excel=False,
    ),
    "times of day": Kind(
        [time(9, 30), time(21, 15), time(0, 0)],
        [9.5, 21.25, 0],
        ["09:30:00", "21:15:00", "00:00:00"],
        ("object", pd.ArrowDtype(pa.time64("us"))),
        "numbers in hours",
    ),
    "durations": Kind(
        [timedelta(hours=9, minutes=30), timedelta(days=1, hours=2), timedelta(minutes=6)],
        [9.5, 26, 0.1],
        ["9:30:00", "1 day, 2:00:00", "0:06:00"],
        ("object", "timedelta64[us]", "timedelta64[ns]", pd.ArrowDtype(pa.duration("us"))),
        "numbers in hours",
        named=False,
    ),
    "ISO durations": Kind(
        ["PT1H30M", "P1DT2H", "PT6M"], [1.5, 26, 0.1], ["PT1H30M", "P1DT2H", "PT6M"], note="hours"
    ),
    "months": Kind(
        list(pd.PeriodIndex(["2020-01", "2020-03", "2021-01"], freq="M")),
        [0, 60, 366],
        ["2020-01", "2020-03", "2021-01"],
        ("object", "period[M]"),
        "converted to days",
        excel=False,
    ),
    "quarters": Kind(
        list(pd.PeriodIndex(["2020Q1", "2020Q2", "2021Q1"], freq="Q")),
        [0, 91, 366],
        ["2020Q1", "2020Q2", "2021Q1"],
        ("object", "period[Q-DEC]"),
        "converted to days",
        excel=False,
    ),
    "weeks": Kind(
        list(pd.PeriodIndex(["2020-01-06", "2020-01-13", "2020-02-03"], freq="W")),
        [0, 7, 28],
        ["2020-01-06/2020-01-12", "2020-01-13/2020-01-19", "2020-02-03/2020-02-09"],
        ("object", "period[W-SUN]"),
        "converted to days",
        excel=False,
    ),
    "years": Kind(
        list(pd.PeriodIndex(["2020", "2022", "1999"], freq="Y")),
        [2020, 2022, 1999],
        ["2020", "2022", "1999"],
        ("object", "period[Y-DEC]"),
        excel=False,
    ),
    "fractions": Kind(
        [Fraction(1, 2), Fraction(3, 4), Fraction(2)],
        [0.5, 0.75, 2],
        ["1/2", "3/4", "2"],
        ("object",),
        "fractions",
        excel=False,
    ),
    "blood pressures": Kind(["120/80", "130/85", "110/70"], CATEGORY, ["120/80", "130/85", "110/70"]),
    "intervals": Kind(
        list(pd.interval_range(0, 3)), CATEGORY, ["(0, 1]", "(1, 2]", "(2, 3]"], ("object",), excel=False
    ),
    "identifiers": Kind(
        [uuid.UUID(int=1), uuid.UUID(int=2)],
        CATEGORY,
        [str(uuid.UUID(int=1)), str(uuid.UUID(int=2))],
        ("object",),
        excel=False,
    ),
    "lists": Kind([[1], [2]], OUT, [], ("object",), excel=False),
    "complex numbers": Kind([1 + 2j, 3 + 4j], OUT, [], ("object", "complex128"), excel=False),
}  # fmt: skip


def column_of(cells, dtype="object"):
    cells = [cells[row % len(cells)] for row in range(N)]
    return pd.Series(
        pd.array(cells, dtype=dtype) if dtype != "object" else np.array([*cells, None], object)[:-1]
    )


ONE_TYPE = pytest.param(False, id="one type")
ALL_TYPES = pytest.param(True, id="all types", marks=pytest.mark.slow)


def as_parquet(frame, path):
    """Whether Arrow can hold the table; cells of unknown types are texts, as a program would write them."""
    if frame["x"].dtype == object and isinstance(
        frame["x"].iloc[0], Fraction | uuid.UUID | pd.Period | pd.Interval
    ):
        frame = frame.assign(x=frame["x"].map(str))
    try:
        frame.to_parquet(path)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return False
    return True


def as_excel(frame, path):
    book = openpyxl.Workbook()
    book.active.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        book.active.append([None if pd.isna(cell) else cell for cell in row])
    book.save(path)


def forms(name, kind, folder, every=True):
    """Every way in which the cells come: name of the way, and the table or its file.

    Without ``every`` only the first type that holds them, in memory and in three files.
    """
    for number, dtype in enumerate(kind.dtypes if every else kind.dtypes[:1]):
        frame = pd.DataFrame({"a": ANCHOR, "x": column_of(kind.cells, dtype)})
        yield f"{name}, frame of {dtype}", frame
        if kind.feature != OUT:  # lists are texts in CSV
            frame.to_csv(folder / f"{number}.csv", index=False)
            yield f"{name}, CSV of {dtype}", folder / f"{number}.csv"
        if as_parquet(frame, folder / f"{number}.parquet"):
            yield f"{name}, Parquet of {dtype}", folder / f"{number}.parquet"
            # pandas makes numbers in double precision of integers with gaps.
            if every and not (frame["x"].dtype == object and None in kind.cells):
                yield f"{name}, pandas' Parquet of {dtype}", pd.read_parquet(folder / f"{number}.parquet")
    frame = pd.DataFrame({"a": ANCHOR, "x": column_of(kind.cells)})
    if every and kind.feature != OUT:
        yield (
            f"{name}, CSV as pandas reads it",
            pd.read_csv(folder / "0.csv", dtype=str, keep_default_na=False),
        )
        frame.to_csv(folder / "t.csv.gz", index=False, sep=";")
        yield f"{name}, compressed CSV", folder / "t.csv.gz"
    if kind.excel and np.inf not in kind.cells:
        as_excel(frame, folder / "t.xlsx")
        yield f"{name}, Excel", folder / "t.xlsx"


def features(table):
    frame = table if isinstance(table, pd.DataFrame) else read_frame(table, Roles())[0]
    return prepare_table(frame, scale="none", weights="equal", missing="median")


def as_expected(kind, table):
    """What is wrong with the features; empty if nothing is."""
    cells = [kind.cells[row % len(kind.cells)] for row in range(N)]
    names, x = table.feature_names[1:], table.X[:, 1:]
    if kind.feature == OUT:
        return "" if not names and "dropped" in " ".join(table.notes) else f"features {names}"
    if kind.note not in " ".join(table.notes) or (not kind.note and kind.feature != CATEGORY and table.notes):
        return f"notes {table.notes}"
    if kind.feature == CATEGORY:
        shown = table.columns["x"].tolist()
        known = [row for row in range(N) if not table.missing["x"][row]]
        texts = {shown[row] for row in known}
        wanted = {str(cells[row]).strip() for row in known}
        wrong = table.category_names != ("x",) or len(texts) != len(wanted) or len(texts) < 2
        return f"categories {sorted(texts)}" if wrong else ""
    numbers = [kind.feature[row % len(kind.feature)] for row in range(N)]
    known = np.array([number is not None for number in numbers])
    if names != ("x",) or table.missing["x"].tolist() != (~known).tolist():
        return f"features {names}, missing {table.missing['x'].sum()}"
    wanted = np.array([number for number in numbers if number is not None], dtype=float)
    near = np.allclose(x[known, 0], wanted, rtol=1e-12, atol=1e-12 if wanted.min() == 0 else 0)
    return "" if near else f"values {x[:4, 0]}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("every", [ONE_TYPE, ALL_TYPES])
def test_features_do_not_depend_on_the_form(tmp_path, every):
    """Every kind of cells, in every form and type that holds it: the expected features, the same notes."""
    wrong, n_forms = [], 0
    for name, kind in KINDS.items():
        notes = None
        for way, table in forms(name, kind, tmp_path, every):
            n_forms += 1
            try:
                prepared = features(table)
            except DataError as error:
                wrong.append(f"{way}: {error}")
                continue
            if problem := as_expected(kind, prepared):
                wrong.append(f"{way}: {problem}")
            if "Excel" not in way and kind.feature != OUT:  # which keeps numbers as numbers
                notes = notes or prepared.notes
                if prepared.notes != notes:
                    wrong.append(f"{way}: notes {prepared.notes} instead of {notes}")
    assert not wrong, "\n".join(wrong)
    assert n_forms > (600 if every else 190)


def wanted_classes(kind):
    names = [kind.classes[row % len(kind.classes)] for row in range(N)]
    return [name if name is not None else "" for name in names]


def found_classes(codes, names):
    return [names[code] if code >= 0 else "" for code in codes]


def outcome(call):
    """What a call returns, the texts of its warnings, or the error in place of both."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except DataError as error:
            return None, str(error)
    return found, " | ".join(str(each.message) for each in caught)


def known_of(table, role):
    return (table.y, table.target_names) if role == "labels" else (table.partial_y, table.partial_names)


def classes_of(table, role):
    if isinstance(table, pd.DataFrame):
        return encode_classes(table["x"], minus_one_is_missing=role == "partial_labels")
    return known_of(read_table(table, **{role: "x"}), role)


def wrong_classes(kind, way, role, found, said):
    """What is wrong with classes, or with the warnings about them; empty if nothing is."""
    if found is None:
        return said
    classes = found_classes(*found)
    wanted = ["" if role == "partial_labels" and each == "-1" else each for each in wanted_classes(kind)]
    pairs = set(zip(classes, wanted, strict=True))
    one_to_one = len(pairs) == len(set(classes)) == len(set(wanted))
    if not one_to_one or (kind.named and classes != wanted):
        return f"{sorted(pairs)}"
    return "" if kind.warning in said else f"not said ({said})"


@pytest.mark.parametrize("every", [ONE_TYPE, ALL_TYPES])
@pytest.mark.parametrize("role", ["labels", pytest.param("partial_labels", marks=pytest.mark.slow)])
def test_classes_do_not_depend_on_the_form(tmp_path, role, every):
    """As many classes as there are, with the same names in every form, through every door."""
    wrong, n_forms = [], 0
    for name, kind in KINDS.items():
        if kind.feature == OUT:
            continue
        for way, table in forms(name, kind, tmp_path, every):
            n_forms += 1
            found, said = outcome(lambda: classes_of(table, role))  # noqa: B023
            if problem := wrong_classes(kind, way, role, found, said):
                wrong.append(f"{way}: {problem}")
    assert not wrong, "\n".join(wrong)
    assert n_forms > (600 if every else 190)


def strictly_read(table, categories):
    """Names and values of the features, or the error in their place."""
    found, said = outcome(lambda: read_table(table, categories=categories))
    if found is None:
        return "empty cell" if "empty" in said else "not numeric" if "not numeric" in said else "infinite"
    text = getattr(found, "category_names", ())
    x = pd.DataFrame(found.X).to_numpy()[:, 1]
    return found.feature_names, text, tuple(x if text else np.round(x.astype(float), 9))


@pytest.mark.parametrize("every", [ONE_TYPE, ALL_TYPES])
def test_strict_readers_agree(tmp_path, every):
    """``read_table``: the same features, categories or refusal from CSV, Excel and Parquet."""
    wrong = []
    for name, kind in KINDS.items():
        if kind.feature == OUT:
            continue
        found = {}
        for way, table in forms(name, kind, tmp_path, every):
            if not isinstance(table, pd.DataFrame):
                both = strictly_read(table, False), strictly_read(table, True)
                found.setdefault(both, []).append(way)
        if len(found) != 1:
            wrong.append(f"{name}: {found}")
    assert not wrong, "\n".join(wrong)


def test_json_lines_have_the_classes_of_tables(tmp_path):
    wrong = []
    for name, kind in KINDS.items():
        if not all(cell is None or isinstance(cell, str | int | float) for cell in kind.cells):
            continue
        rows = [{"text": f"word{row}", "x": kind.cells[row % len(kind.cells)]} for row in range(N)]
        path = tmp_path / "t.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        for role in ("labels", "partial_labels"):
            found, said = outcome(lambda: read_documents(path, **{role: "x"}))  # noqa: B023
            problem = wrong_classes(kind, name, role, found and known_of(found, role), said)
            if problem:
                wrong.append(f"{name} as {role}: {problem}")
    assert not wrong, "\n".join(wrong)


def test_bags_have_the_classes_of_tables(tmp_path):
    """Each row is a bag of its own, with its class."""
    wrong = []
    for name, kind in KINDS.items():
        if kind.feature == OUT or "?" in kind.cells:  # which is a missing class of bags
            continue
        for dtype in kind.dtypes:
            frame = pd.DataFrame({"bag": [f"b{row}" for row in range(N)], "v": ANCHOR})
            frame["x"] = column_of(kind.cells, dtype)
            paths = [tmp_path / "t.csv"]
            frame.to_csv(paths[0], index=False)
            if as_parquet(frame, tmp_path / "t.parquet"):
                paths.append(tmp_path / "t.parquet")
            for path in paths:
                found, said = outcome(lambda: read_bags(path, bag="bag", label="x"))  # noqa: B023
                classes = found and (found.labels, found.label_names)
                if problem := wrong_classes(kind, name, "labels", classes, said):
                    wrong.append(f"{name}, {path.suffix} of {dtype}: {problem}")
    assert not wrong, "\n".join(wrong)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(alphabet="0123456789.eE+-aA\uff11 ", max_size=6),
            st.integers(-(10**18), 10**18).map(str),
            st.integers(2**53 - 3, 2**53 + 3).map(lambda number: f"{number}.0"),
        ),
        min_size=1,
        max_size=12,
    )
)
@example(["01", "1", "1E2", "100", "1.0", "+1", " 1 ", "1.00", "-0", "0", "\uff11"])
def test_texts_are_one_class_only_if_they_are_one_integer(texts):
    def integer(text):
        """The integer that a text is, with or without ".0", by Python's own reading of its digits."""
        digits = text.removesuffix(".0")
        is_one = digits.lstrip("-").isascii() and digits.lstrip("-").isdigit() and digits.count("-") <= 1
        return int(digits) if is_one and str(int(digits)) in (digits, digits.replace("-0", "0")) else None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes, names = encode_classes(texts, minus_one_is_missing=False)
    for one, first in zip(codes.tolist(), texts, strict=True):
        for other, second in zip(codes.tolist(), texts, strict=True):
            a, b = first.strip(), second.strip()
            same = a == b or (integer(a) is not None and integer(a) == integer(b))
            assert (one == other) == same, (first, second, names)
    assert all((code < 0) == (not text.strip()) for code, text in zip(codes.tolist(), texts, strict=True))


def test_integers_come_in_their_order():
    numbers = [2**53 + 1, 2**53, 10, 9, -3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encode_classes(numbers, minus_one_is_missing=False)[1] == tuple(map(str, sorted(numbers)))


@pytest.mark.parametrize("dtype", ["float32", "float16", "Float32"])
def test_classes_in_single_precision_have_the_names_they_were_written_with(dtype):
    names = encode_classes(pd.Series([0.1, 2.0, 0.1], dtype=dtype), minus_one_is_missing=False)[1]
    assert len(names) == 2
    assert names[1] == "2"
    assert float(names[0]) == pytest.approx(0.1, abs=1e-4)
    assert len(names[0]) < 8


def test_integers_of_arrays_are_not_merged(tmp_path):
    X = np.array([[2**53, 1], [2**53 + 1, 2], [5, 3]])
    np.savez(tmp_path / "t.npz", X=X, y=X[:, 0])
    with pytest.raises(DataError, match="9007199254740992 and 9007199254740993, which are equal"):
        read_table(tmp_path / "t.npz")
    np.savez(tmp_path / "t.npz", X=X[:, 1:], y=X[:, 0], p=[-1, -1, 2])
    table = read_table(tmp_path / "t.npz", partial_labels="p")
    assert table.target_names == ("5", "9007199254740992", "9007199254740993")
    assert table.partial_y.tolist() == [-1, -1, 0]


def test_codes_are_refused_as_features_with_the_reason(tmp_path):
    (tmp_path / "t.csv").write_text("zip,x\n01000,1\n41000,2\n81000,3\n")
    with pytest.raises(
        DataError, match=r"'zip' is not numeric \('01000' begins with a zero, so these are codes"
    ):
        read_table(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", categories=True).category_names == ("zip",)
    (tmp_path / "b.csv").write_text("bag,zip\np,01000\np,41000\nq,81000\n")
    with pytest.raises(DataError, match=r"'zip' is not numeric \('01000' begins with a zero"):
        read_bags(tmp_path / "b.csv")
    assert read_bags(tmp_path / "b.csv", nominal=["zip"]).bags.n_features == 3


def test_excel_shows_codes_by_their_format(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["zip", "a"])
    for number in (1000, 41000, 81000):
        book.active.append([number, number % 7])
        book.active.cell(book.active.max_row, 1).number_format = "00000"
    book.save(tmp_path / "t.xlsx")
    assert read_frame(tmp_path / "t.xlsx", Roles())[0]["zip"].tolist() == ["01000", "41000", "81000"]


def test_numbers_of_json_keep_their_digits(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(
            f'{{"text": "w", "y": {y}}}\n' for y in ("9007199254740993.0", "9007199254740992.0", "1e2", "100")
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_documents(path, labels="y").target_names == (
            "100",
            "9007199254740992",
            "9007199254740993",
        )
    path.write_text('{"text": "w", "y": [1, 1.0, "2"]}\n{"text": "v", "y": [-1.0]}\n')
    assert read_documents(path, labels="y").label_sets == [("1", "2"), ("-1",)]


def test_folders_are_classes_whatever_bytes_their_names_have(tmp_path):
    for name in (b"caf\xe9", b"caf\xe8"):
        folder = tmp_path / name.decode("utf-8", "surrogateescape")
        try:
            folder.mkdir()
        except OSError:
            pytest.skip("the file system takes names in UTF-8 only")
        (folder / "t.txt").write_text("some words")
    assert read_documents(tmp_path, labels="folder").n_classes == 2


@pytest.mark.parametrize("dtype", ["str", object])
@pytest.mark.parametrize(
    "cells",
    [
        ["1.5", "", " 2", "oops", *map(str, range(20))],
        ["1,234.50 kg", "(7) kg", "n/a", "2 kg"],
        ["1,234", "2,500", None],
        ["red", " red", "NA", "blue", None],
        ["2024-01-31", "?", "2023-12-24"],
        ["true", "False", None],
        ["9:30", "21:15", "-"],
        ["01000", "02000", "01000"],
    ],
)
def test_long_columns_are_read_as_short_ones(cells, dtype):
    """Long columns of texts are read by their different cells, without a Python object per cell."""
    short = read_column("x", pd.Series(cells, dtype=object))
    n = 2_000 // len(cells)
    long = read_column("x", pd.Series(cells * n, dtype=dtype))
    pd.testing.assert_series_equal(pd.Series(long.values), pd.Series(np.tile(short.values, n)))
    for name in ("kind", "strays", "convention", "unit", "code", "remark", "forms"):
        assert getattr(long, name) == getattr(short, name), name
