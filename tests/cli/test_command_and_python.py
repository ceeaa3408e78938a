"""The command and Python find the same clusters of twenty tables, bit for bit."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from moo_clustering import ParetoClustering
from moo_clustering.cli.load import load_data, prepares
from moo_clustering.datasets import TablePreparer
from moo_clustering.estimators._methods import METHODS

N = 48
TEXTS = {"dtype": str, "keep_default_na": False}
# A smaller pool than the default.
OPTIONS = {"k_range": [2, 3, 4], "families": ["km", "ward", "genie"]}


def groups(n=N):
    return np.arange(n) % 3


def numbers(seed, *shape, shift=6.0):
    """Numbers with three decimals, in three groups of rows."""
    values = np.random.default_rng(seed).normal(size=(N, *shape))
    return (values + shift * groups().reshape(N, *[1] * len(shape))).round(3)


def picked(values, seed=0, noise=0.1):
    """One value for each group of rows, with a few others."""
    rng = np.random.default_rng(seed)
    places = np.where(rng.random(N) < noise, rng.integers(len(values), size=N), groups() % len(values))
    return np.array(values, dtype=object)[places]


def days(seed=0):
    shift = np.random.default_rng(seed).integers(0, 90, N) + 400 * groups()
    return pd.Timestamp("2019-03-01") + pd.to_timedelta(shift, unit="D")


def gappy(frame, *names, share=0.15):
    """The frame with missing values in some columns."""
    gaps = np.random.default_rng(9).random((N, len(names))) < share
    found = frame.copy()
    for place, name in enumerate(names):
        found[name] = found[name].mask(gaps[:, place])
    return found


def bundled(load, n_columns):
    frame = load(as_frame=True).data.iloc[:, :n_columns]
    return frame.sample(90, random_state=0).reset_index(drop=True)


def customers():
    frame = pd.DataFrame(
        {
            "customer_id": [f"C{row:04d}" for row in range(N)],
            "age": (30 + 8 * groups() + np.random.default_rng(1).integers(0, 9, N)).astype(float),
            "plan": picked(["basic", "plus", "premium"]),
            "since": days(),
            "newsletter": picked([True, False, True], 3),
            "spent": numbers(2, shift=40.0),
            "country": "Norway",
        }
    )
    return gappy(frame, "age", "plan", "spent")


def written(values, form):
    return [form.format(value) for value in values]


def swapped(texts):
    """Swap decimal points and thousands separators."""
    return [text.translate(str.maketrans(",.", ".,")) for text in texts]


def typed():
    """Columns of types that CSV does not have."""
    return pd.DataFrame(
        {
            "seen": days().tz_localize("Europe/Oslo").tz_convert("UTC"),
            "month": pd.PeriodIndex(days(1), freq="M"),
            "lasted": pd.to_timedelta(60 * numbers(3).round(), unit="s"),
            "price": [Decimal(f"{value:.2f}") for value in numbers(4, shift=30.0)],
            "kind": picked(["a", "b", "c"]),
        }
    )


TABLES = {
    "irises": lambda: load_iris(as_frame=True).frame.sample(90, random_state=0).reset_index(drop=True),
    "wines": lambda: bundled(load_wine, 13),
    "tumours": lambda: bundled(load_breast_cancer, 10),
    "patients": lambda: bundled(load_diabetes, 10),
    "two columns": lambda: pd.DataFrame({"x": numbers(5), "y": numbers(6)}),
    "more columns than rows": lambda: pd.DataFrame(numbers(7, 60)).rename(columns="gene {}".format),
    "customers": customers,
    "ordinals and ratings": lambda: pd.DataFrame(
        {
            "size": picked(["small", "medium", "large"]),
            **{f"question {q}": picked([1, 3, 5], q, 0.3).astype(int) for q in range(5)},
        }
    ),
    "answers of yes and no": lambda: pd.DataFrame(
        {f"q{q}": picked([True, False, q % 2 == 0], q) for q in range(6)}
        | {f"r{q}": picked(["yes", "no", "no"], q) for q in range(3)}
    ),
    "free text": lambda: pd.DataFrame(
        {
            "score": numbers(8),
            "weight": numbers(9),
            "comment": [f"row {row} was, in my view, the best one of all" for row in range(N)],
        }
    ),
    "percent and currency": lambda: pd.DataFrame(
        {
            "share": written(numbers(10, shift=20.0).clip(0), "{:.1f} %"),
            "price": written(numbers(11, shift=300.0) + 20, "${:,.2f}"),
            "balance": [f"({-v:.2f})" if v < 0 else f"{v:.2f}" for v in numbers(12)],
        }
    ),
    "decimal commas": lambda: pd.DataFrame(
        {
            "width": swapped(written(numbers(13, shift=900.0), "{:,.2f}")),
            "height": swapped(written(numbers(14), "{:.3f}")),
        }
    ),
    "thousands": lambda: pd.DataFrame(
        {"people": written(9000 + 1000 * numbers(15), "{:,.0f}"), "area": numbers(16)}
    ),
    "days and times": lambda: pd.DataFrame(
        {
            "born": days(2).strftime("%d.%m.%Y"),
            "woke": written(groups() + 5, "{:02d}:30"),
            "ran": pd.to_timedelta(numbers(17, shift=3.0).round(), unit="h").astype(str),
            "quarter": picked(["2019Q1", "2021Q3", "2023Q4"]),
        }
    ),
    "codes": lambda: pd.DataFrame(
        {
            "zip": picked(["01000", "75001", "13001"]),
            "account": picked(["1E2", "1E3", "2E2"]),
            "x": numbers(18),
        }
    ),
    "words for missing cells": lambda: pd.DataFrame(
        {
            "a": numbers(19).astype(object),
            "b": picked(["None", "some", "all"]),
            "c": picked(["x", "y", "n/a"]),
            "d": picked(["null", "p", "q"], noise=0.3),
        }
    ).assign(a=lambda frame: frame["a"].mask(np.arange(N) % 7 == 0, "NA")),
    "empty and constant columns": lambda: pd.DataFrame(
        {
            "nothing": [None] * N,
            "one": 1,
            "few": [1.5, 2.5, *[None] * (N - 2)],
            "x": numbers(20),
            "y": numbers(21),
        }
    ),
    "far rows and repeated rows": lambda: pd.DataFrame(
        {"x": [*numbers(22)[:-4], 900.0, 900.0, -800.0, 5.0], "y": np.repeat(numbers(23)[::2], 2)}
    ),
    "nullable types": lambda: customers().convert_dtypes(),
    "types of Arrow": lambda: customers().convert_dtypes(dtype_backend="pyarrow"),
    "categorical": lambda: customers().astype({"plan": "category", "country": "category"}),
    "zones, periods, durations and decimals": typed,
}
# pandas drops leading zeros of codes, and words that are categories.
AS_TEXT = {"codes", "words for missing cells"}


QUICK = ("customers",)


def read(name):
    """The table as pandas reads it."""
    return pd.read_csv("table.csv", **(TEXTS if name in AS_TEXT else {}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLES)
def test_the_same_features(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    frame, method = TABLES[name](), METHODS["pareto-clustering"]
    frame.to_csv("table.csv", index=False)
    expected = load_data("table.csv", method, prepares=prepares(method, {}))
    for form in (read(name), frame, pd.read_csv("table.csv", **TEXTS)):
        preparer = TablePreparer()
        X = preparer.fit_transform(form)
        assert tuple(preparer.get_feature_names_out()) == tuple(expected.feature_names)
        assert X.tobytes() == expected.X.tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TABLES]
)
def test_the_same_clusters(run, name):
    TABLES[name]().to_csv("table.csv", index=False)
    options = [part for key, value in OPTIONS.items() for part in ("--set", f"{key}={value}")]
    done = run("fit", "table.csv", "--seed", 1, "--out", "out", "--no-report", "--quiet", *options)
    assert done.exit_code == 0, done.output
    record, labels = json.loads(Path("out/run.json").read_text()), pd.read_csv("out/labels.csv")["label"]
    model = ParetoClustering(**OPTIONS, random_state=1).fit(read(name))
    assert model.labels_.tolist() == labels.tolist()
    assert record["result"]["n_clusters"] == model.n_clusters_ >= 2
    assert record["verdict"] == model.verdict_
    assert record["confidence"] == model.confidence_


def test_there_are_twenty_tables():
    assert len(TABLES) >= 20
