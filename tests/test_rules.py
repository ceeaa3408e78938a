"""Rules for clusters: optimal small trees, the front, sentences and code that agree with the predictions."""

import ast
import operator
import re
import sqlite3
from itertools import product

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from moo_clustering import MIGCUK, ParetoClustering, SphericalKMeans
from moo_clustering.datasets import TablePreparer, make_bags, prepare_table
from moo_clustering.descriptions import describe_columns
from moo_clustering.rules import find_rules, rules_of
from moo_clustering.visualization.report import report_content


def conditions_of(table):
    """Every condition on a column, as a mask."""
    for name in table:
        for value in np.unique(table[name]):
            yield (table[name] <= value).to_numpy()


def majority(labels):
    return np.bincount(labels).max() if len(labels) else 0


def best_of_one(labels, masks):
    return max(majority(labels[mask]) + majority(labels[~mask]) for mask in masks)


def best_of_two(labels, masks):
    """The best tree of two conditions, by trying all."""
    return max(
        max(
            majority(labels[outer & inner]) + majority(labels[outer & ~inner]) + majority(labels[~outer]),
            majority(labels[~outer & inner]) + majority(labels[~outer & ~inner]) + majority(labels[outer]),
        )
        for outer, inner in product(masks, masks)
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=3, max_size=25))
def test_one_and_two_conditions_are_optimal(rows):
    *columns, labels = np.array(rows).T
    table = pd.DataFrame(dict(zip("abc", columns, strict=True)))
    masks, n = list(conditions_of(table)), len(labels)
    found = find_rules(labels, table)
    by_number = {each.n_conditions: each.fidelity * n for each in found}
    one = max((right for number, right in by_number.items() if number <= 1), default=0)
    two = max((right for number, right in by_number.items() if number <= 2), default=0)
    if by_number.keys() - {0}:
        assert one == pytest.approx(max(best_of_one(labels, masks), 0)) or 1 not in by_number
        assert two == pytest.approx(best_of_two(labels, masks)) or two == one == 0
    else:
        # No condition is better than the most frequent cluster.
        assert best_of_two(labels, masks) == majority(labels)


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_depth_two_are_optimal_where_no_single_condition_helps(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 2, (60, 20))).add_prefix("c")
    labels = (table["c0"] ^ table["c1"] ^ (rng.random(60) < 0.2)).to_numpy(dtype=int)
    masks = [(column == 0).to_numpy() for _, column in table.items()]

    def best_split(rows):
        return max(majority(labels[rows & mask]) + majority(labels[rows & ~mask]) for mask in masks)

    best = max(best_split(mask) + best_split(~mask) for mask in masks)
    found = [each.fidelity for each in find_rules(labels, table, max_conditions=3)]
    assert max(found) * 60 >= best - 1e-6


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=4, max_size=60))
def test_never_worse_than_greedy_trees(rows):
    *columns, labels = np.array(rows).T
    table = pd.DataFrame(dict(zip("ab", columns, strict=True)))
    front = find_rules(labels, table, max_conditions=5)
    for leaves in range(2, 7):
        greedy = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(table, labels)
        best = max((each.fidelity for each in front if each.n_conditions < leaves), default=0.0)
        none = np.bincount(labels).max() / len(labels)
        assert max(best, none) >= greedy.score(table, labels) - 1e-9


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.one_of(st.none(), st.integers(-3, 3)),
            st.sampled_from(["red", "blue", None, "o'clock"]),
            st.booleans(),
        ),
        min_size=4,
        max_size=40,
    )
)
def test_rules_partition_the_samples_and_code_agrees(rows):
    labels, numbers, words, flags = zip(*rows, strict=True)
    table = pd.DataFrame({"n": pd.array(numbers, "Float64"), 'a "word"': words, "flag": flags})
    labels = np.array(labels)
    front = find_rules(labels, table)
    fidelities = [each.fidelity for each in front]
    assert fidelities == sorted(set(fidelities))
    for each in front:
        predicted = each.predict(table)
        assert each.fidelity == pytest.approx((predicted == labels).mean())
        assert sum(rule.n_samples for rule in each.rules) == len(labels)
        assert len(each.rules) == each.n_conditions + 1
        for rule in each.rules:
            assert rule.n_samples <= (predicted == rule.cluster).sum()
        namespace = {}
        exec(each.to_python(), namespace)
        plain = table.astype(object).where(table.notna(), np.nan)
        assert [namespace["cluster_of"](row) for _, row in plain.iterrows()] == predicted.tolist()


def holds(condition, table):
    """Rows that satisfy a condition of a rule, read as a person would."""
    text, or_missing = condition.removesuffix(" (or missing)"), condition.endswith(" (or missing)")
    name = next(each for each in table if each in text)
    column = table[name]
    missing = column.isna().to_numpy()
    if text == f"{name} is missing":
        return missing
    if text in (name, f"not {name}"):
        found = column.astype(object).eq(text == name)
    elif f"{name} is " in text:
        words = text.split(f"{name} is ")[1]
        named = words.removeprefix("not ").split(" or ")
        found = column.isin(named) != words.startswith("not ")
    elif " < " in text:
        low, high = text.split(f" < {name} ≤ ")
        found = (column > float(low)) & (column <= float(high))
    else:
        sign, value = text.removeprefix(f"{name} ").split()
        found = column > float(value) if sign == ">" else column <= float(value)
    found = found.fillna(False).to_numpy(dtype=bool) & ~missing
    return found | missing if or_missing else found


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.one_of(st.none(), st.integers(-3, 3)),
            st.sampled_from(["red", "blue", "green", None]),
            st.sampled_from([True, False, None]),
        ),
        min_size=4,
        max_size=40,
    )
)
def test_sentences_select_the_samples_of_their_rule(rows):
    labels, numbers, words, flags = zip(*rows, strict=True)
    table = pd.DataFrame(
        {"height": pd.array(numbers, "Float64"), "colour": words, "member": pd.array(flags, "boolean")}
    )
    for each in find_rules(labels, table):
        predicted = each.predict(table)
        for rule in each.rules:
            inside = np.ones(len(table), dtype=bool)
            for condition in rule.conditions:
                inside &= holds(condition, table)
            assert inside.sum() == rule.n_samples, str(rule)
            assert (predicted[inside] == rule.cluster).all()


@pytest.mark.parametrize("column", [[1.0, 2.0, None], [True, False, None], ["a", "b", None]])
def test_conditions_that_only_missing_values_satisfy(column):
    table = pd.DataFrame({"x": pd.Series(column * 4).convert_dtypes()})
    found = find_rules([0, 1, 2] * 4, table).select(1.0)
    assert found.rules[2].conditions == ("x is missing",)


def test_tables_of_other_kinds_describe_and_explain():
    array = np.array([[1.0, 5.0], [2.0, 4.0], [8.0, 5.0], [9.0, 4.0]])
    found = find_rules([0, 0, 1, 1], array)
    assert found[0].rules[0].conditions == ("x0 ≤ 5",)
    assert found[0].predict(array).tolist() == [0, 0, 1, 1]
    assert describe_columns([0, 0, 1, 1], array).names == ["low x0", "high x0"]
    table = pyarrow.table({"a": array[:, 0], "b": array[:, 1]})
    assert find_rules([0, 0, 1, 1], table)[0].predict(table).tolist() == [0, 0, 1, 1]
    assert describe_columns([0, 0, 1, 1], table).names == ["low a", "high a"]


def test_repeated_terms():
    X = sparse.csr_array(np.kron(np.eye(2), np.ones((10, 2))))
    model = SphericalKMeans(2, random_state=0).fit(X)
    found = model.explain(X, feature_names=["goal", "goal", "wheel", "wheel"])[0]
    assert (found.predict(X) == model.labels_).all()
    with pytest.raises(ValueError, match=r"X must have 4 columns, got shape \(20, 3\)"):
        found.predict(X[:, :3])


def test_sql_agrees():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x y": rng.normal(size=80), "kind": rng.choice(["a", "it's", "c"], 80)})
    table.loc[::7, "x y"] = np.nan
    labels = np.where(table["x y"] > 0.3, 1, np.where(table["kind"] == "it's", 2, 0))
    found = find_rules(labels, table).select(1.0)
    assert found.fidelity == 1.0
    assert in_sqlite(table, found) == found.predict(table).tolist()


def test_dates_with_and_without_zone():
    days = pd.date_range("2024-01-01", periods=20)
    labels = (days >= "2024-01-11").astype(int)
    for column in (days, days.tz_localize("UTC")):
        table = pd.DataFrame({"day": column})
        [found] = find_rules(labels, table)
        assert found.rules[0].conditions == (f"day ≤ 2024-01-10{'' if days is column else ' UTC'}",)
        namespace = {}
        exec(found.to_python(), namespace)
        assert [namespace["cluster_of"](row) for _, row in table.iterrows()] == labels.tolist()
        assert (found.predict(table) == labels).all()
    [found] = find_rules(labels, pd.DataFrame({"day": days.tz_localize("UTC")}))
    assert "\"day\" <= '2024-01-10 00:00:00+00:00'" in found.to_sql()


def in_sqlite(table, found):
    """Return the clusters that SQLite computes for the rows."""
    with sqlite3.connect(":memory:") as connection:
        table.to_sql("samples", connection, index=False)
        answers = connection.execute(f"SELECT {found.to_sql()} FROM samples").fetchall()
    return [answer for (answer,) in answers]


@pytest.mark.parametrize("notation", ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.000", None])
@pytest.mark.parametrize("step", ["1D", "9D", "200D"])
def test_sql_of_dates_agrees(notation, step):
    days = pd.Series(pd.date_range("2023-12-20", periods=30, freq=step))
    days[::7] = pd.NaT
    labels = np.repeat([0, 1, 0], 10)
    table = pd.DataFrame({"day": days})
    found = find_rules(labels, table).select(1.0)
    stored = table if notation is None else pd.DataFrame({"day": days.dt.strftime(notation)})
    assert in_sqlite(stored, found) == found.predict(table).tolist()
    assert not re.search("TIMESTAMP|:00", found.to_sql())


def test_sql_of_times_agrees():
    moments = pd.DataFrame({"at": pd.date_range("2024-03-01", periods=30, freq="8h")})
    for cut in range(1, 30):
        [found] = find_rules((np.arange(30) >= cut).astype(int), moments)
        assert in_sqlite(moments, found) == found.predict(moments).tolist()


def test_sql_of_booleans_agrees():
    flags = pd.Series([True, False, None] * 8, dtype="boolean")
    table = pd.DataFrame({"over time": flags, "x": np.arange(24.0)})
    for labels in (flags.fillna(False), ~flags.fillna(True), (flags & (table["x"] < 9)).fillna(False)):
        found = find_rules(labels.astype(int), table).select(1.0)
        assert in_sqlite(table, found) == found.predict(table).tolist() == labels.astype(int).tolist()
        # PostgreSQL cannot compare a boolean with a number.
        assert not re.search('"over time" [<=>]', found.to_sql())
    frame = pd.DataFrame({"overtime": ["True", "False"] * 10, "x": np.arange(20.0)})
    prepared = prepare_table(frame)
    found = find_rules(np.arange(20) % 2, prepared.known_columns)[0]
    assert {rule.conditions for rule in found.rules} == {("overtime",), ("not overtime",)}
    assert '"overtime" THEN' in found.to_sql()


@pytest.mark.parametrize("values", [[True, False, None], [1, 2, None], [1.5, 2.5, None]])
def test_code_agrees_for_columns_of_objects(values):
    # pandas reads booleans with missing cells from CSV as objects.
    column = pd.Series(values * 8, dtype=object)
    for target in values[:2]:
        labels = (column == target).astype(int)
        found = find_rules(labels, pd.DataFrame({"x": column})).select(1.0)
        stored = pd.DataFrame({"x": column.convert_dtypes()})
        assert in_sqlite(stored, found) == found.predict(stored).tolist() == labels.tolist()
        namespace = {}
        exec(found.to_python(), namespace)
        rows = [{"x": np.nan if value is None else value} for value in column]
        assert [namespace["cluster_of"](row) for row in rows] == labels.tolist()


def test_code_agrees_for_infinite_values():
    table = pd.DataFrame({"x": [-np.inf, 1.0, 2.0, np.inf, np.nan] * 6})
    for labels in (table["x"] < 0, table["x"] < 1.5, table["x"] > 9):
        found = find_rules(labels.astype(int), table).select(1.0)
        assert in_sqlite(table, found) == found.predict(table).tolist() == labels.astype(int).tolist()
        namespace = {}
        exec(found.to_python(), namespace)
        assert [namespace["cluster_of"](row) for _, row in table.iterrows()] == labels.astype(int).tolist()


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"]])
def test_columns_of_one_name(names):
    table = pd.DataFrame([[0.0, 1.0], [0.0, 5.0], [1.0, 1.0], [1.0, 5.0]] * 5, columns=names)
    for place in (0, 1):
        labels = (table.iloc[:, place] > 0.5 + place).astype(int)
        found = find_rules(labels, table).select(1.0)
        assert (found.predict(table) == labels).all()


def test_comments_of_the_code_name_the_clusters():
    days = pd.date_range("2024-01-01", periods=20)
    names = ["early\nDROP TABLE x; --", "late\u2028import os", "never"]
    [found] = find_rules((days >= "2024-01-11").astype(int), pd.DataFrame({"day": days}), names=names)
    assert found.to_sql().splitlines()[:-1] == [
        "-- 1 condition, fidelity 100%",
        "-- 0: early DROP TABLE x; --",
        "-- 1: late import os",
        "-- 2: never (no rule)",
        "-- dates (or text such as 2024-01-31, not 31.01.2024): day",
    ]
    assert found.to_sql().splitlines()[-1].startswith("CASE WHEN \"day\" < '2024-01-11' THEN 0 ")
    assert found.to_python().splitlines()[:5] == [
        "# 1 condition, fidelity 100%",
        "# 0: early DROP TABLE x; --",
        "# 1: late import os",
        "# 2: never (no rule)",
        "# dates (pandas.Timestamp): day",
    ]


def test_no_worse_than_a_greedy_tree_with_as_many_leaves():
    table = load_iris(as_frame=True).data
    for k in (3, 6):
        labels = ParetoClustering(k, random_state=0).fit(table).labels_
        for each in find_rules(labels, table):
            leaves = each.n_conditions + 1
            greedy = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(table, labels)
            assert each.fidelity >= greedy.score(table, labels) - 1e-9


def test_units_order_of_rows_and_numbers_of_clusters_do_not_matter():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    labels = (table["a"] > 0).astype(int) + 2 * (table["b"] > 0.2).astype(int)
    expected = [each.fidelity for each in find_rules(labels, table)]
    order = rng.permutation(60)
    assert [each.fidelity for each in find_rules(labels[order], table.iloc[order])] == expected
    assert [each.fidelity for each in find_rules(labels, table * 2.54 + 7)] == expected
    assert [each.fidelity for each in find_rules(3 - labels, table)] == expected


def test_more_rows_than_are_searched():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(9000, 3)), columns=list("abc"))
    labels = np.where(table["a"] > 0.123, 1, np.where(table["b"] > 1.5, 2, 0))
    found = find_rules(labels, table).select()
    assert found.n_conditions == 2
    assert found.fidelity > 0.999
    rare = np.where(np.arange(9000) < 12, 3, labels)
    table["c"] += 50 * (rare == 3)
    assert find_rules(rare, table).select(1.0).to_frame()["cluster"].max() == 3


def test_wide_tables_use_the_columns_that_separate_clusters():
    rng = np.random.default_rng(6)
    array = rng.normal(size=(90, 400))
    labels = np.arange(90) % 3
    array[labels == 1, 371] += 9.0
    array[labels == 2, 12] -= 9.0
    found = find_rules(labels, pd.DataFrame(array)).select()
    assert found.fidelity == 1.0
    assert {condition.split()[0] for rule in found.rules for condition in rule.conditions} == {"371", "12"}
    assert (found.predict(array) == labels).all()
    with pytest.raises(ValueError, match=r"X must have 400 columns, got shape \(90, 3\)"):
        found.predict(array[:, :3])


def test_one_cluster_and_samples_in_no_cluster():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 9.0]})
    [found] = find_rules([0, 0, 0, -1], table)
    assert (found.n_conditions, found.fidelity) == (0, 1.0)
    assert str(found.rules[0]).startswith("cluster 0: all samples (3 samples")
    assert found.to_sql() == "-- 0 conditions, fidelity 100%\n-- 0: cluster 0\n0"
    with pytest.raises(ValueError, match="at least one sample to a cluster, got only -1"):
        find_rules([-1] * 4, table)
    with pytest.raises(ValueError, match="one number per sample, 4 in all; got 2"):
        find_rules([0, 1], table)
    with pytest.raises(ValueError, match="one name per cluster, 2 in all; got 1"):
        find_rules([0, 0, 1, 1], table, names=["a"])
    with pytest.raises(ValueError, match="max_conditions"):
        find_rules([0, 0, 1, 1], table, max_conditions=0)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([np.nan] * 4),
        pd.Series([7.0] * 4),
        pd.Series([np.inf, 1.0, -np.inf, 2.0]),
        pd.Series([1e308, -1e308, 0.0, 1.0]),
        pd.Series([1.0, np.nextafter(1.0, 2.0), 1.0, 5e-324]),
        pd.Series(pd.to_timedelta([1, 2, 3, 4], unit="h")),
        pd.Series(pd.period_range("2020-01", periods=4, freq="M")),
        pd.Series(pd.array([True, None, False, True], "boolean")),
        pd.Series(["a", "b", "a", "b"], dtype="category"),
        pd.Series([1, "a", None, 2.5], dtype=object),
        pd.Series([2**60, 2**60 + 1, 5, -3]),
        pd.Series([], dtype=float).reindex(range(4)),
    ],
)
def test_odd_columns(column):
    table = pd.DataFrame({"x": column, "y": [0.0, 0.0, 1.0, 1.0]})
    found = find_rules([0, 0, 1, 1], table)[0]
    assert found.fidelity == 1.0
    alone = find_rules([0, 1, 2, 0], table[["x"]])
    for each in alone:
        assert each.fidelity == pytest.approx((each.predict(table) == [0, 1, 2, 0]).mean())
        assert str(each)


def test_the_second_of_two_categories_is_named():
    table = pd.DataFrame({"member": ["no", "yes", "yes", "no"]})
    [found] = find_rules([0, 1, 1, 0], table)
    assert [rule.conditions for rule in found.rules] == [("member is no",), ("member is yes",)]
    table.loc[4] = [None]
    [found] = find_rules([0, 1, 1, 0, 0], table)
    assert any(
        " (or missing)" in rule.conditions[0] or "is yes" in rule.conditions[0] for rule in found.rules
    )
    assert found.fidelity == 1.0


def test_thresholds_of_dates_are_starts_of_years_months_or_days():
    days = pd.to_datetime(["2017-03-20 10:00", "2019-08-01 12:00"])
    [found] = find_rules([0, 1], pd.DataFrame({"day": days}))
    assert found.rules[0].conditions == ("day ≤ 2018-01-01",)
    near = pd.to_datetime(["2017-03-20 10:00", "2017-04-09 12:00"])
    assert find_rules([0, 1], pd.DataFrame({"day": near}))[0].rules[0].conditions == ("day ≤ 2017-04-01",)


def test_thresholds_are_round_numbers():
    table = pd.DataFrame({"income": [20_111.0, 30_222.0, 78_333.0, 91_444.0]})
    [found] = find_rules([0, 0, 1, 1], table, units={"income": "€"})
    assert found.rules[0].conditions == ("income ≤ €50,000",)
    assert "<= 50000:" in found.to_python()


def test_further_rows_lack_a_column_or_have_another_kind():
    table = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0], "kind": list("aabb")})
    found = find_rules([0, 0, 1, 1], table[["x"]])[0]
    with pytest.raises(ValueError, match="lacks column 'x', which the rules use"):
        found.predict(table[["kind"]])
    with pytest.raises(ValueError, match="'x' must contain numbers, got texts"):
        found.predict(pd.DataFrame({"x": ["low"]}))
    by_kind = find_rules([0, 0, 1, 1], table[["kind"]])[0]
    assert by_kind.predict(pd.DataFrame({"kind": ["b", "z", None]})).tolist() == (
        [1, 1, 1] if "is a" in str(by_kind) else [1, 0, 0]
    )


def test_estimators_explain_tables_with_texts_and_dates():
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "amount": [f"{value:.2f} €" for value in rng.normal(50, 3, 60) + 40 * labels],
            "city": np.where(labels, "Paris", "Rome"),
            "since": (pd.Timestamp("2020-01-01") + pd.to_timedelta(400 * labels, "D")).astype(str),
        }
    )
    model = ParetoClustering(2, random_state=0, prepare="auto").fit(frame)
    found = model.explain(frame)
    assert found[0].fidelity == 1.0
    assert found[0].predict(frame.head(7)).tolist() == model.labels_[:7].tolist()
    only = model.explain(frame, columns=frame[["city"]])[0]
    assert {rule.conditions[0].split()[0] for rule in only.rules} == {"city"}
    assert only.predict(frame[["city"]]).tolist() == model.labels_.tolist()
    assert isinstance(model.preparer_, TablePreparer)


def test_conditions_on_terms_are_one_sentence():
    words = ["goal", "team", "engine"]
    table = pd.DataFrame(
        [[bool(code & 1 << place) for place in range(3)] for code in range(8)], columns=words
    )
    table = pd.concat([table] * 3, ignore_index=True)
    labels = np.where(table["goal"] & ~table["team"] & ~table["engine"], 1, 0)
    found = rules_of(labels, table, None, is_terms=True).select(1.0)
    assert (found.predict(table) == labels).all()
    [rule] = [rule for rule in found.rules if rule.cluster == 1]
    assert re.fullmatch(r"contains 'goal', but none of '(team|engine)', '(team|engine)'", *rule.conditions)
    labels = np.where(table["goal"] | table["team"] | table["engine"], 1, 0)
    [rule] = [
        each for each in rules_of(labels, table, None, is_terms=True).select(1.0).rules if not each.cluster
    ]
    assert [text.split(" '")[0] for text in rule.conditions] == ["contains none of"]


def test_estimators_explain_documents_bags_and_refuse_distances():
    X = sparse.csr_array(np.kron(np.eye(2), np.ones((10, 2))))
    terms = ["goal", "team", "engine", "wheel"]
    model = SphericalKMeans(2, random_state=0).fit(X)
    found = model.explain(X, feature_names=terms)[0]
    assert found.fidelity == 1.0
    assert {condition.split("'")[1] for rule in found.rules for condition in rule.conditions} <= set(terms)
    assert (found.predict(X) == model.labels_).all()
    assert "> 0:" in found.to_python() or "<= 0:" in found.to_python()
    bags = make_bags(30, random_state=0).bags
    of_bags = MIGCUK(2, n_gen=3, random_state=0).fit(bags)
    rules = of_bags.explain(bags)[-1]
    assert rules.fidelity == pytest.approx((rules.predict(bags) == of_bags.labels_).mean())
    D = np.abs(np.subtract.outer(*[np.arange(20.0)] * 2))
    far = ParetoClustering(2, metric="precomputed", random_state=0).fit(D)
    with pytest.raises(ValueError, match="distances, which have no columns for rules; pass columns"):
        far.explain(D)
    columns = pd.DataFrame({"place": np.arange(20.0)})
    assert far.explain(D, columns=columns)[0].fidelity == 1.0


def test_the_report_shows_the_rules_of_the_result():
    table = load_iris(as_frame=True).data
    model = ParetoClustering(random_state=0).fit(table)
    content = report_content(model, table)
    shown = [rule for facts in content.clusters[content.chosen] for rule in facts.rules]
    rules = model.explain(table).select().rules
    assert [f"{rule.name}: {text}" for rule, text in zip(rules, shown, strict=True)] == [*map(str, rules)]
    others = [place for place in content.clusters if place != content.chosen]
    assert not any(facts.rules for place in others for facts in content.clusters[place])


def test_selection_and_texts():
    table = load_iris(as_frame=True).data
    labels = ParetoClustering(3, random_state=0).fit(table).labels_
    front = find_rules(labels, table)
    frame = front.to_frame()
    assert frame["fidelity"].is_monotonic_increasing
    assert front.select(0.0).n_conditions == 2  # the shortest with a rule for each of three clusters
    assert front.select(1.0) is front[-1]
    with pytest.raises(ValueError, match="fidelity must be a number from 0 to 1, got 95"):
        front.select(95)
    assert str(front) == str(front.select())
    assert "2: " in repr(front)
    assert "<table" in front._repr_html_()
    assert front.select().to_frame()["recall"].between(0, 1).all()
    assert max(each.n_conditions for each in find_rules(labels, table, max_conditions=2)) == 2


def compared(op, first, second):
    """Comparison of two cells as in a spreadsheet: an empty cell equals 0 and "", TRUE > texts > numbers."""
    other = second if first is None else first
    empty = "" if isinstance(other, str) else False if isinstance(other, bool) else 0.0
    first, second = (empty if each is None else each for each in (first, second))
    kinds = [2 if isinstance(each, bool) else 1 if isinstance(each, str) else 0 for each in (first, second)]
    if kinds[0] != kinds[1]:
        return op(*kinds)
    return op(first.lower(), second.lower()) if isinstance(first, str) else op(first, second)


def evaluated(formula, row):
    """Value of a formula of EXACT, =, <>, <, <=, >, >=, +, -, * and & for cells in row 2."""
    compare = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
               ast.Eq: operator.eq, ast.NotEq: operator.ne}  # fmt: skip
    compute = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}

    def value(node):
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return row.get(node.id.removeprefix("cell_"))
            case ast.UnaryOp(op=ast.USub(), operand=number):
                return -value(number)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return compared(compare[type(op)], value(left), value(right))
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                return "".join("" if each is None else str(each) for each in (value(left), value(right)))
            case ast.BinOp(left=left, op=op, right=right):
                return compute[type(op)](value(left), value(right))
            case ast.Call(func=ast.Name(id="EXACT"), args=[first, second]):
                return str(value(first) or "") == value(second)
        raise AssertionError(ast.dump(node))

    text = re.sub(r"\$([A-Z]+)2\b", r"cell_\1", formula.removeprefix("="))
    text = re.sub('"((?:[^"]|"")*)"', lambda found: repr(found[1].replace('""', '"')), text)
    text = re.sub("(?<![<>!])=", "==", text.replace("<>", "!="))
    return value(ast.parse(text, mode="eval").body)


def in_sheet(cell):
    """A cell of a spreadsheet; dates are days since 1899-12-30."""
    if isinstance(cell, pd.Timestamp):
        return (cell - pd.Timestamp("1899-12-30")) / pd.Timedelta(days=1)
    return None if pd.isna(cell) else float(cell) if isinstance(cell, int) else cell


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
@pytest.mark.parametrize("times", [False, True])
def test_formula_assigns_as_predict(seed, times):
    rng = np.random.default_rng(seed)
    n = 100
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="h" if times else "D")
    table = pd.DataFrame(
        {
            **{f"constant {place}": 1.0 for place in range(25)},
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(0, 3, n).round(2)),
            "day": days.where(rng.random(n) < 0.9),
            "wood": rng.choice(['so"ft', "Hard", "hard"], n),
            "old": pd.array(rng.choice([True, False, None], n), dtype="boolean"),
        }
    )
    sizes, is_hard = table["size"].fillna(9), (table["wood"] == "hard").to_numpy()
    is_late = (table["day"] > pd.Timestamp("2020-01-20")).to_numpy()
    labels = is_hard + 2 * is_late + 4 * (sizes > 1).to_numpy() * table["old"].fillna(False).to_numpy(bool)
    labels = np.unique(labels, return_inverse=True)[1]
    for found in find_rules(labels, table):
        formula = found.to_spreadsheet(list(table))
        rows = table.astype(object).itertuples(index=False)
        letters = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "AA", "AB", "AC"]
        rows = [dict(zip(letters, map(in_sheet, row), strict=True)) for row in rows]
        assert [evaluated(formula, row) for row in rows] == found.predict(table).tolist()
        # Unless the language of the sheet is English, "True" and "False" are texts.
        rows = [{k: str(cell) if isinstance(cell, bool) else cell for k, cell in row.items()} for row in rows]
        assert [evaluated(formula, row) for row in rows] == found.predict(table).tolist()
        german = found.to_spreadsheet(list(table), decimal=",")
        assert german.replace(",", ".").replace(";", ",") == formula
        # "Hard" and "hard" differ in case, so that only EXACT, with an English name, distinguishes them.
        assert set(re.findall(r"[A-Z]{2,}(?=\()", formula)) <= {"EXACT"}
    assert re.search(r"[<>]=?-?\d+,\d", german)
    assert "EXACT(" in formula
    with pytest.raises(ValueError, match=r"decimal must be .*, got ';'"):
        found.to_spreadsheet(list(table), decimal=";")
    assert {"$Z2", "$AB2"} <= set(re.findall(r"\$[A-Z]+2", formula))
    assert found.to_spreadsheet(list(table), row=7) == re.sub(r"(\$[A-Z]+)2\b", r"\g<1>7", formula)
    with pytest.raises(ValueError, match="the sheet lacks column"):
        found.to_spreadsheet(["size"])
    only_hard = table.assign(wood=table["wood"].replace("Hard", "pine"))
    for found in find_rules(is_hard + 2 * is_late, only_hard):
        plain = found.to_spreadsheet(list(table))
        assert not re.search(r"[A-Z]\(", plain)
        rows = [dict(zip(letters, map(in_sheet, row), strict=True))
                for row in only_hard.astype(object).itertuples(index=False)]  # fmt: skip
        assert [evaluated(plain, row) for row in rows] == found.predict(only_hard).tolist()


def test_formulas_double_the_quotes_of_texts():
    table = pd.DataFrame({"wood": ['s"oft', 'h"ard"'] * 20})
    (found,) = find_rules(np.tile([0, 1], 20), table)
    formula = found.to_spreadsheet(["wood"])
    assert [evaluated(formula, {"A": wood}) for wood in table["wood"]] == found.predict(table).tolist()
