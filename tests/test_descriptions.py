"""Names of clusters and contrasts, re-derived naively and on tables with known answers."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from moo_clustering import MIGCUK, MemeticKMeans, ParetoClustering, SphericalKMeans, descriptions
from moo_clustering.datasets import TablePreparer, make_bags
from moo_clustering.descriptions import (
    ClusterDescription,
    ClusterDescriptions,
    ComparedColumns,
    ComparedTerms,
    describe_columns,
    describe_terms,
    exact_number,
    human_number,
    of_rows,
    with_columns,
)


def cliffs_delta(x, y):
    return float(np.sign(np.subtract.outer(x, y)).mean())


def effects_of(labels, column):
    """Effects of a single column, as the class compares it."""
    [trait] = ComparedColumns(pd.DataFrame({"x": column})).compare(labels).traits
    return trait.effect


def test_labels_that_do_not_match():
    with pytest.raises(ValueError, match=r"labels must have one integer per sample \(9\), got 2"):
        describe_columns([0, 1], TREES)
    with pytest.raises(ValueError, match=r"column of weights \(2\), got 3"):
        describe_terms([0, 1], np.eye(2), ["aa", "bb", "cc"])


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(2, 30)), min_size=6, max_size=60),
)
def test_numbers_are_compared_by_cliffs_delta(pairs):
    labels = np.array([0, 1, 2, *(label for label, _ in pairs)])
    numbers = np.array([2.0, 3.0, 4.0, *(number / 2.0 for _, number in pairs)])
    found = effects_of(labels, numbers)
    for a in range(3):
        for b in range(3):
            expected = cliffs_delta(numbers[labels == a], numbers[labels == b])
            assert found[a, b] == pytest.approx(expected, abs=1e-12)
    # Units, and any monotone transformation, leave the effects as they are.
    np.testing.assert_allclose(effects_of(labels, np.exp(numbers)), found, atol=1e-12)


def test_many_values_are_compared_in_bins():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 3000)
    numbers = rng.normal(0.4 * labels)
    found = effects_of(labels, numbers)
    expected = cliffs_delta(numbers[labels == 0], numbers[labels == 2])
    assert found[0, 2] == pytest.approx(expected, abs=0.005)
    assert found[2, 0] == -found[0, 2]


TREES = pd.DataFrame(
    {
        "height": [1.0, 2, 3, 10, 11, 12, 20, 21, 22],
        "wood": ["soft", "soft", "hard", "hard", "hard", "hard", "soft", "soft", "soft"],
        "alive": [True, True, True, False, False, False, True, True, False],
        "sold": ["yes", "no", "no", "yes", "yes", "yes", "no", "no", "no"],
        "planted": pd.to_datetime(["2001-03-05"] * 3 + ["2004-07-01"] * 3 + ["2009-12-24"] * 3),
        "same": 1.0,
    }
)
GROUPS = np.repeat([0, 1, 2], 3)


def test_contrasts_worked_by_hand():
    found = describe_columns(GROUPS, TREES, units={"height": "m"}, n_contrasts=9)
    contrasts = {contrast.column: contrast for contrast in found[0].contrasts}
    # Squared differences of mean ranks and shares: 3.7 to cluster 1, 4.1 to cluster 2.
    assert [each.nearest for each in found] == [1, 0, 0]
    assert str(contrasts["height"]) == "height 2 m (11 m)"
    assert contrasts["height"].strength == 1.0
    assert str(contrasts["planted"]) == "planted March 2001 (July 2004)"
    assert str(contrasts["alive"]) == "alive 100% (0%)"
    assert str(contrasts["wood"]) == "wood 67% soft (0%)"
    assert contrasts["wood"].strength == pytest.approx(2 / 3)
    assert "alive 67% (100%)" in map(str, found[2].contrasts)
    assert "same" not in contrasts
    sold = next(contrast for contrast in found[1].contrasts if contrast.column == "sold")
    assert (sold.value, sold.other) == ("100% yes", "33%")
    strengths = [contrast.strength for contrast in found[1].contrasts]
    assert strengths == sorted(strengths, reverse=True)


def test_names_tell_clusters_apart():
    assert describe_columns(GROUPS, TREES[["height"]]).names == ["low height", "medium height", "high height"]
    assert describe_columns(GROUPS, TREES[["planted"]]).names == [
        "planted 2001", "planted 2004", "planted 2009",
    ]  # fmt: skip
    assert describe_columns(GROUPS % 2, TREES[["alive"]]).names == ["alive", "not alive"]
    assert describe_columns(GROUPS % 2, TREES[["sold"]]).names == ["sold no", "sold yes"]
    assert describe_columns(GROUPS % 2, TREES[["wood"]]).names == ["soft", "hard"]
    assert describe_columns(GROUPS, TREES[["same"]]).names == ["cluster 0", "cluster 1", "cluster 2"]
    assert describe_columns(np.zeros(9, dtype=int), TREES).names == ["cluster 0"]
    # Two levels of high numbers differ by their values.
    many = pd.DataFrame({"x (cm)": np.repeat([0.0, 1, 2, 3, 4, 5], 5)})
    names = describe_columns(np.repeat(range(6), 5), many).names
    assert names[:2] == ["x (cm) 0", "x (cm) 1"]
    assert len(set(names)) == 6


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2019-05-02", "2021-05-02", "2023-05-02"], ["2019", "2021", "2023"]),
        # Contrasts show months here; names of two clusters with the same month show days.
        (["2019-05-02", "2023-04-02", "2023-05-02"], ["May 2019", "April 2023", "May 2023"]),
        (["2019-05-02", "2023-05-02", "2023-05-20"], ["2 May 2019", "2 May 2023", "20 May 2023"]),
        (["2024-01-30", "2024-04-30", "2024-11-27"], ["January 2024", "April 2024", "November 2024"]),
        (
            ["2024-01-05", "2024-01-15", "2024-01-25"],
            ["5 January 2024", "15 January 2024", "25 January 2024"],
        ),
        (["2024-01-05 08:00", "2024-01-05 12:30"], ["2024-01-05 08:00", "2024-01-05 12:30"]),
    ],
)
def test_dates_in_names_are_as_precise_as_needed(texts, expected):
    dates = pd.DataFrame({"arrival": np.repeat(pd.to_datetime(texts), 4)})
    names = describe_columns(np.repeat(range(len(texts)), 4), dates).names
    assert names == [f"arrival {date}" for date in expected]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=4, max_size=50))
def test_low_and_high_follow_the_medians(rows):
    labels, numbers = np.array(rows).T
    labels = np.unique(labels, return_inverse=True)[1].reshape(-1)
    [trait] = ComparedColumns(pd.DataFrame({"x": numbers + 0.5})).compare(labels).traits
    level = [("low x", "medium x", "high x").index(phrase) for phrase in trait.phrases]
    medians = [np.median(numbers[labels == cluster]) for cluster in range(len(level))]
    for one in range(len(level)):
        for other in range(len(level)):
            assert level[one] >= level[other] or medians[one] <= medians[other]


@pytest.mark.parametrize(
    ("lower", "phrases"),
    [
        # 20 of 25 pairs are in order: half of .8 - .2, beside as many equal chances, is a level of .65.
        ([1, 2, 3, 4, 10], ["low x", "high x"]),
        # 19 pairs: .63.
        ([1, 2, 3, 5.5, 10], ["medium x", "medium x"]),
    ],
)
def test_low_and_high_begin_between_two_levels(lower, phrases):
    table = pd.DataFrame({"x": [*lower, 5.0, 6.0, 7.0, 8.0, 9.0]})
    [trait] = ComparedColumns(table).compare(np.repeat([0, 1], 5)).traits
    assert trait.phrases == phrases


def test_a_median_that_is_not_low():
    # By mean ranks, the first cluster would be low, although its median exceeds that of the second.
    numbers = {0: [0, 0, 0, 5, 5, 5, 5], 1: [4, 4, 4, 4, 9, 9, 9], 2: [7] * 7}
    labels = np.repeat([*numbers], 7)
    names = describe_columns(labels, pd.DataFrame({"x": np.concatenate([*numbers.values()])})).names
    assert not names[0].startswith("low")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 5))
@example(8, 8, 4)  # a median is -0.0 in one order of the rows
@example(1687, 8, 2)  # a mean is halfway between two rounded numbers
@example(304, 9, 2)  # an effect equals the limit up to rounding errors
def test_names_are_unique_and_follow_the_clusters(seed, n_clusters, n_columns):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, 60)
    labels[:n_clusters] = np.arange(n_clusters)
    frame = pd.DataFrame(
        {f"c{place}": np.round(rng.normal(labels * rng.random(), 1.0), 1) for place in range(n_columns)}
    ).assign(kind=rng.choice(list("abc"), 60))
    frame.loc[rng.integers(0, 60, 5), "c0"] = np.nan
    found = describe_columns(labels, frame)
    assert len(set(found.names)) == n_clusters
    assert all(found.names)
    # Order of the samples and of the columns.
    order = rng.permutation(60)
    again = describe_columns(labels[order], frame.iloc[order])
    assert again.names == found.names
    assert [each.contrasts for each in again] == [each.contrasts for each in found]
    # Numbers of the clusters, where no contrasts are equal.
    turned = describe_columns(n_clusters - 1 - labels, frame)
    for each in found:
        other = turned[n_clusters - 1 - each.cluster]
        assert other.size == each.size
        assert {c.column for c in other.contrasts} == {c.column for c in each.contrasts} or (
            other.nearest != n_clusters - 1 - each.nearest
        )


def test_cells_that_are_not_there():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2, np.nan, 9, 9, 9],
            "never": [np.nan] * 3 + [1.0, 2, 3],
            "kind": ["a", None, "a", "b", "b", None],
            "when": pd.to_datetime(["2020-01-01", None, "2020-01-02", "2020-05-01", "2020-05-02", None]),
            "nothing": [None] * 6,
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = describe_columns([0, 0, 0, 1, 1, 1], frame, n_contrasts=9)
    texts = {c.column: str(c) for c in found[0].contrasts}
    assert texts["x"] == "x 1.5 (9)"
    assert texts["kind"] == "kind 100% a (0%)"
    assert texts["when"] == "when 1 January 2020 (1 May 2020)"
    assert "never" not in texts
    assert "nothing" not in texts


def test_clusters_without_a_value_differ_in_nothing():
    frame = pd.DataFrame(
        {
            "alive": pd.array([None, None, True, True, False, False], dtype="boolean"),
            "kind": [None, None, "a", "a", "b", "b"],
            "x": [np.nan, np.nan, 1.0, 2.0, 30.0, 40.0],
            "y": [0.0, 0.0, 5.0, 5.0, 9.0, 9.0],
        }
    )
    found = describe_columns([0, 0, 1, 1, 2, 2], frame, n_contrasts=9)
    assert [contrast.column for contrast in found[0].contrasts] == ["y"]
    assert found.names == ["low y", "medium y", "high y"]
    for each in found:
        for contrast in each.contrasts:
            assert "unknown" not in str(contrast)
            assert each.nearest or contrast.column == "y"


def test_columns_of_booleans_are_no_terms():
    frame = pd.DataFrame({"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 0, 0, 1, 1, 0, 0]})
    names = describe_columns(np.repeat([0, 1, 2, 3], 2), frame).names
    assert names == ["a, b", "a, not b", "not a, b", "not a, not b"]
    # Three columns would be listed as terms where one distinguishes the clusters.
    one = pd.DataFrame({name: [1, 1, 0, 0] for name in "abc"})
    assert describe_columns([0, 0, 1, 1], one).names == ["a", "not a"]


def test_units_of_columns_with_odd_names():
    found = describe_columns([0, 0, 1, 1], pd.DataFrame({"a  b": [1, 1, 5, 5.0]}), units={"a  b": "kg"})
    assert str(found[0].contrasts[0]) == "a b 1 kg (5 kg)"


@pytest.mark.parametrize("n_contrasts", [-1, 1.5, True])
def test_number_of_contrasts(n_contrasts):
    with pytest.raises((ValueError, TypeError), match="n_contrasts must be an integer of at least 0"):
        describe_columns(GROUPS, TREES, n_contrasts=n_contrasts)
    assert all(each.contrasts == () for each in describe_columns(GROUPS, TREES, n_contrasts=0))


def test_many_columns_and_clusters(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 4
    columns = {f"c{place}": rng.normal(size=120) for place in range(40)}
    columns["c7"] = columns["c7"] + 9 * labels
    frame = pd.DataFrame(columns)
    whole = describe_columns(labels, frame)
    monkeypatch.setattr(descriptions, "_MOST_COLUMNS", 12)
    few = describe_columns(labels, frame)
    assert few[0].contrasts[0] == whole[0].contrasts[0]
    assert few.names == whole.names
    # Every row a cluster: the number of compared columns decreases with that of the clusters.
    alone = describe_columns(np.arange(120), frame)
    assert len(set(alone.names)) == 120


def test_noise_and_empty_clusters():
    frame = pd.DataFrame({"x": [0.0, 0, 5, 5, 1e9]})
    found = describe_columns([0, 0, 3, 3, -1], frame)
    assert [each.size for each in found] == [2, 0, 0, 2]
    assert str(found[0].contrasts[0]) == "x 0 (5)"
    assert found[1].contrasts == ()
    assert found[0].nearest == 3


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "category", "string", "object"])
def test_columns_of_any_type(dtype):
    values = [True, True, False, False] if dtype == "boolean" else [1, 1, 0, 0]
    if dtype in ("category", "string", "object"):
        values = list("aabb")
    found = describe_columns([0, 0, 1, 1], pd.DataFrame({"x": pd.Series(values).astype(dtype)}))
    assert found[0].contrasts[0].strength == 1.0


ODD = {
    "durations": pd.to_timedelta(np.arange(12), unit="h"),
    "dates with a zone": pd.date_range("2020-01-01", periods=12, tz="Europe/Berlin"),
    "categories of numbers": pd.Categorical([1, 2, 3] * 4),
    "intervals": pd.cut(np.arange(12), 3),
    "infinite": [np.inf, 1, 2, -np.inf] * 3,
    "huge": [1e308, -1e308, 1, 2] * 3,
    "complex": np.arange(12) * 1j,
    "lists": [[1], [2]] * 6,
    "mixed": [1, "a", None, 2.5] * 3,
    "sparse": pd.arrays.SparseArray([0, 0, 1] * 4),
    "long ago": np.array(["1066-10-14", "1500-01-01"] * 6, dtype="datetime64[s]"),
    "two\nlines": np.arange(12.0),
    "": np.arange(12.0),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_columns(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = describe_columns(np.repeat([0, 1, 2], 4), pd.DataFrame({name: ODD[name]}))
    assert len(set(found.names)) == 3
    assert all(text.strip() and text.isprintable() for text in found.names)
    if name == "durations":
        assert str(found[0].contrasts[0]) == "durations 1.5 hours (5.5 hours)"


def test_columns_that_tell_nothing_name_nothing():
    frame = pd.DataFrame({"kind": list("ab") * 6, "x": [1.0, 2.0] * 6})
    assert describe_columns(np.repeat([0, 1, 2], 4), frame).names == ["cluster 0", "cluster 1", "cluster 2"]
    assert describe_columns(np.full(12, -1), frame).names == []


def test_terms():
    texts = [[3, 0, 0, 1, 1, 1], [2, 0, 0, 1, 1, 1], [0, 1, 0, 1, 1, 0], [0, 2, 2, 1, 1, 0]]
    terms = ["engine", "wing", "the", "00", "x", "edu"]
    found = describe_terms([0, 0, 1, 1], sparse.csr_array(np.array(texts, dtype=float)), terms)
    assert found.names == ["engine", "wing"]
    assert [str(contrast) for contrast in found[1].contrasts] == ["wing 100% (0%)"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (1.4567, "1.46"), (-12.0, "-12"), (999.4, "999"), (999.6, "1,000"), (1234.5, "1,234"),
        (78283.1, "78,280"), (43_280_000.0, "43.3 million"), (999_600_000.0, "1 billion"),
        (5.6e12, "5,600 billion"), (2e20, "2e+20"), (0.00001234, "1.23e-05"), (np.nan, "unknown"),
        (np.inf, "inf"),
    ],
)  # fmt: skip
def test_human_numbers(number, text):
    assert human_number(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5600, "5,600"),
        (5229.5, "5,229.5"),
        (-1234567.25, "-1,234,567.25"),
        (-0.123456, "-0.123456"),
        (1e20, "1e+20"),
    ],
)
def test_exact_numbers_have_all_digits(number, text):
    assert exact_number(number) == text
    assert float(text.replace(",", "")) == number


def test_namers():
    found = describe_columns(GROUPS, TREES)
    assert found.renamed(lambda each: f"group of {each.size} {each.cluster}").names == [
        "group of 3 0", "group of 3 1", "group of 3 2",
    ]  # fmt: skip
    with pytest.warns(UserWarning, match=r"duplicate names; numbers were appended, as in 'a \(2\)'"):
        assert found.renamed(lambda each: "a").names == ["a", "a (2)", "a (3)"]

    def fails(each):
        if each.cluster == 1:
            raise KeyError("no")
        return "" if each.cluster == 2 else "  b \n c "

    with pytest.warns(UserWarning, match="namer failed") as caught:
        names = found.renamed(fails).names
    assert names == ["b c", *found.names[1:]]
    assert [str(each.message) for each in caught] == [
        "namer failed for cluster 1 and 1 more (KeyError: 'no'); the previous names are kept"
    ]
    with pytest.warns(UserWarning, match=r"namer failed for cluster 2 \(it returned 7\); the previous"):
        found.renamed(lambda each: 7 if each.cluster == 2 else f"{each.cluster}")


def test_columns_of_every_sample():
    labels = np.array([0, 0, 1, -1])
    found = ClusterDescriptions(
        [ClusterDescription(0, 2, "a", typical=(1,)), ClusterDescription(1, 1, "b", typical=(2,))]
    )
    support = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.2], [0.5, 0.1]])
    rows = of_rows(labels, found, support)
    assert rows["name"].tolist() == ["a", "a", "b", ""]
    assert rows["typical"].tolist() == [False, True, True, False]
    assert rows["doubtful"].tolist() == [False, True, False, True]
    np.testing.assert_array_equal(rows["support"], [0.9, 0.4, 0.2, np.nan])
    frame = with_columns(pd.DataFrame({"name": [1], "name_": [2]}, index=["r"]), {"name": ["a"]})
    assert list(frame) == ["name", "name_", "name__"]


IRIS = load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def pareto():
    return ParetoClustering(3, random_state=0).fit(IRIS)


def test_of_an_estimator(pareto):
    found = pareto.describe(IRIS, sample_names=[f"flower {row}" for row in range(150)])
    assert len(set(found.names)) == 3
    assert "flower " in str(found)
    for each in found:
        inside = IRIS[pareto.labels_ == each.cluster]
        column = each.contrasts[0].column
        assert each.contrasts[0].value == human_number(inside[column].median())
        assert all(pareto.labels_[row] == each.cluster for row in each.typical)
    table = pareto.table(IRIS)
    assert list(table) == [*IRIS, "cluster", "name", "typical", "support", "doubtful"]
    assert table.index.equals(IRIS.index)
    assert (table["cluster"] == pareto.labels_).all()
    assert table["support"].between(0, 1).all()
    assert table["typical"].sum() == 15
    # Doubtful samples have less support than the others.
    assert (table["support"][table["doubtful"]] < table["support"].median()).all()
    assert IRIS.shape == (150, 4)


def test_support_is_the_share_of_the_pool(pareto):
    result = pareto.clustering_result()
    support = result.pool.support()
    labels, weights, own = pareto._weighted_pool()
    row, cluster = 77, 1
    together = [(partition == partition[row])[own == cluster].mean() for partition in labels]
    assert support[row, cluster] == pytest.approx(np.average(together, weights=weights))


def test_names_of_classes_precede():
    y = np.full(150, -1)
    y[[0, 60, 120]] = 0, 1, 2
    fitted = ParetoClustering(random_state=0).fit(IRIS, y)
    names = fitted.describe(IRIS, class_names=["setosa", "versicolor", "virginica"]).names
    assert names[:3] == ["setosa", "versicolor", "virginica"]


def test_other_kinds_of_samples():
    X = sparse.random(40, 12, density=0.4, random_state=0, format="csr")
    found = (
        SphericalKMeans(2, random_state=0).fit(X).describe(X, feature_names=[f"term{i}x" for i in range(12)])
    )
    assert len(found) == 2
    bags = make_bags(20, 2, random_state=0).bags
    fitted = MIGCUK(2, random_state=0).fit(bags)
    table = fitted.table(bags)
    assert list(table) == ["cluster", "name", "typical"]
    assert len(table) == 20
    D = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    D[:6, 6:] += 50
    D[6:, :6] += 50
    fitted = ParetoClustering(2, random_state=0, metric="precomputed").fit(D)
    assert fitted.describe(D).names == ["cluster 0", "cluster 1"]
    assert all(each.typical for each in fitted.describe(D))


def test_data_that_do_not_match(pareto):
    with pytest.raises(ValueError, match="150"):
        pareto.describe(IRIS[:20])
    with pytest.raises(ValueError, match="sample_names"):
        pareto.describe(IRIS, sample_names=["a"])


def test_frames_in_their_own_units():
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "weight": [f"{value:.1f} kg".replace(".", ",") for value in rng.normal(5 + 20 * group, 0.5)],
            "kind": np.array(["oak", "ash", "elm"])[group],
            "gaps": np.where(rng.random(90) < 0.2, np.nan, group * 10.0 + rng.normal(size=90)),
        }
    )
    fitted = ParetoClustering(3, random_state=0).fit(frame)
    found = fitted.describe(frame)
    texts = " ".join(str(contrast) for each in found for contrast in each.contrasts)
    assert " kg (" in texts
    assert (
        fitted.table(frame).drop(columns=["cluster", "name", "typical", "support", "doubtful"]).equals(frame)
    )


def raw_table(seed=0, n=90):
    """Return rows with units, money, dates, missing cells and identifiers, in three groups."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "customer": [f"C{seed}{row:05d}" for row in range(n)],
            "weight": [f"{value:.1f} g" for value in rng.normal(5 + 20 * group, 0.5)],
            "price": [f"${value:,.2f}" for value in rng.normal(500 + 900 * group, 40)],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(400 * group + rng.integers(0, 90, n), "D"),
            "noise": rng.normal(size=n),
        }
    )
    frame.loc[5:8, "price"] = ""
    return frame


@pytest.fixture(scope="module")
def of_raw():
    frame = raw_table()
    return frame, ParetoClustering(3, random_state=0).fit(frame)


def columns_of(found):
    return {contrast.column for each in found for contrast in each.contrasts}


def test_columns_replace_those_of_the_fit(of_raw):
    frame, model = of_raw
    found = model.describe(frame, columns=frame[["price"]])
    assert columns_of(found) == {"price"}
    assert all(contrast.value.startswith("$") for each in found for contrast in each.contrasts)
    # Pass columns that the fit did not have, and data without columns.
    without = frame.drop(columns=["price", "customer"])
    other = ParetoClustering(3, random_state=0).fit(without)
    assert columns_of(other.describe(without, columns=frame)) >= {"price", "weight"}
    D = np.abs(np.subtract.outer(model.labels_, model.labels_)) + 1.0 - np.eye(len(frame))
    far = ParetoClustering(3, random_state=0, metric="precomputed").fit(D)
    assert columns_of(far.describe(D, columns=frame)) >= {"price", "weight", "since"}
    X = sparse.csr_array(np.eye(3)[model.labels_] + 0.01)
    terms = SphericalKMeans(3, random_state=0).fit(X)
    assert columns_of(terms.describe(X, columns=frame[["weight"]])) == {"weight"}
    with pytest.raises(ValueError, match=r"columns must have one row per sample .90., got 4"):
        model.describe(frame, columns=frame[:4])


def test_columns_are_read_as_in_a_fit(of_raw):
    frame, model = of_raw
    own = model.explain(frame)
    other = model.explain(frame.drop(columns="customer"), columns=frame)
    assert other.select().fidelity == own.select().fidelity == 1.0
    text = str(other)
    assert re.search(r"weight (≤|>) \d+ g|\d+ g < weight", text) or re.search(r"price (≤|>) \$\d+", text)
    assert "customer" not in text
    assert " is " not in text
    only = model.explain(frame, columns=frame[["price", "customer"]]).select()
    assert re.search(r"price (≤|>) \$", str(only))
    assert only.predict(frame).tolist()[:3] == model.labels_[:3].tolist()
    pipeline = make_pipeline(TablePreparer(), MemeticKMeans(3, random_state=0)).fit(frame)
    found = pipeline[-1].describe(pipeline[:-1].transform(frame), columns=frame)
    assert re.search(r"weight [\d.]+ g", str(found))
    assert re.search(r"price \$", str(found))


def test_raw_columns_of_a_pipeline(of_raw, tmp_path):
    frame, _ = of_raw
    frame = frame.assign(noise=frame["noise"].mask(frame["noise"] > 1))
    model = make_pipeline(TablePreparer(), MemeticKMeans(3, random_state=0)).fit(frame)[-1]
    why = r"fitted on features; pass the features as X .*transform\(table\)\), and the table as columns"
    for method in (model.describe, model.explain, model.table, lambda X: model.predict_table(X, X)):
        with pytest.raises(ValueError, match=why):
            method(frame)
    with pytest.warns(UserWarning, match=why):
        model.report(tmp_path / "report.html", frame)


def test_rows_in_another_order(of_raw, tmp_path):
    frame, model = of_raw
    mixed = frame.copy()
    mixed.iloc[[4, 7]] = frame.iloc[[7, 4]].to_numpy()
    calls = [
        model.describe, model.explain, model.table, lambda X: model.report(tmp_path / "report.html", X),
        lambda X: model.predict_table(frame[:3], X), lambda X: model.drift(frame[:3], X),
    ]  # fmt: skip
    for call in calls:
        with pytest.warns(UserWarning, match="row 4 of X differs from row 4 of the fit") as caught:
            call(mixed)
        assert len(caught) == 1
    assert "use predict_table" in str(caught[0].message)
    with pytest.warns(UserWarning, match="row 0 of X"):
        model.describe(raw_table(1))
    # Rows of the fit cause no warning as features, in another column order, or with additional columns.
    Z = model.preparer_.transform(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in calls:
            call(frame[frame.columns[::-1]].assign(more=1))
        model.describe(Z, columns=frame)


def test_arrays_in_another_order_or_unit():
    X = np.random.default_rng(0).normal(size=(60, 3)) + np.arange(60)[:, None] % 2 * 9
    model = ParetoClustering(2, random_state=0).fit(X)
    for other in (X[::-1], pd.DataFrame(X[::-1]), sparse.csr_array(X[::-1])):
        with pytest.warns(UserWarning, match="row 0 of X differs from row 0 of the fit"):
            model.describe(other)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The same rows cause no warning in single precision, in another unit, or with fewer features.
        for same in (X, X.astype("float32"), pd.DataFrame(X * 25.4), X[:, :2]):
            model.describe(same)


def test_unseen_cells_are_reported_once(of_raw):
    frame, model = of_raw
    new = frame.assign(weight="900 g")
    with pytest.warns(UserWarning, match="column 'weight' has 90 values outside") as caught:
        model.predict_table(new)
    assert len(caught) == 1


def test_namer_of_an_estimator(pareto):
    found = pareto.describe(IRIS, namer=lambda each: f"kind {each.cluster + 1}")
    assert found.names == ["kind 1", "kind 2", "kind 3"]
    assert found.to_frame()["name"].tolist() == found.names
    assert "kind 2" in found._repr_html_()
    with pytest.raises(TypeError, match="namer must be a function"):
        pareto.explain(IRIS, namer="str")
    assert replace(found[0], name="x").name == "x"


def test_partitions_of_other_packages():
    labels = KMeans(3, n_init=3, random_state=0).fit_predict(IRIS)
    assert len(set(describe_columns(labels, IRIS).names)) == 3


def test_heatmap_worked_by_hand():
    table = pd.DataFrame(
        {
            "weight": [1.0, 2.0, 30.0, 40.0],
            "wood": ["oak", "oak", "elm", "oak"],
            "wet": [True, False, False, False],
            "flat": [7.0, 7.0, 7.0, 7.0],
        }
    )
    found = ComparedColumns(table, {"weight": "kg"}).compare([0, 0, 1, 1]).heatmap(20)
    assert sorted(found.columns) == [("flat", ""), ("weight", ""), ("wet", ""), ("wood", "oak")]
    values = dict(zip((name for name, _ in found.columns), zip(*found.values, strict=True), strict=True))
    assert values == {
        "weight": ("1.5 kg", "35 kg"),
        "wood": ("100%", "50%"),
        "wet": ("50%", "0%"),
        "flat": ("7", "7"),
    }
    levels = dict(zip((name for name, _ in found.columns), found.levels.T, strict=True))
    # Scores -3/4, -1/4, 1/4 and 3/4 of the weights have the variance 5/16.
    np.testing.assert_allclose(levels["weight"], np.array([-0.5, 0.5]) / np.sqrt(5 / 16))
    # Three and one quarters of all samples, with the variance 3/16.
    np.testing.assert_allclose(levels["wood"], np.array([0.25, -0.25]) / np.sqrt(3 / 16))
    np.testing.assert_allclose(levels["wet"], np.array([0.25, -0.25]) / np.sqrt(3 / 16))
    np.testing.assert_array_equal(levels["flat"], 0.0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-9, 9)), min_size=4, max_size=50))
def test_levels_are_standardised_mean_ranks(pairs):
    labels = np.array([0, 1, 2, *(label for label, _ in pairs)])
    numbers = np.array([3.0, -9.0, 9.0, *(number for _, number in pairs)])
    scores = np.sign(np.subtract.outer(numbers, numbers)).mean(axis=1)
    expected = [scores[labels == cluster].mean() / scores.std() for cluster in range(3)]
    for column in (numbers, 1e6 + numbers**3 * 7.0):
        found = ComparedColumns(pd.DataFrame({"x": column})).compare(labels).heatmap(5)
        np.testing.assert_allclose(found.levels[:, 0], expected, atol=1e-12)
    # The levels of all samples have the mean 0.
    np.testing.assert_allclose(np.bincount(labels) @ found.levels, 0.0, atol=1e-9)


def test_heatmap_has_the_strongest_columns_of_every_cluster():
    labels = np.repeat(np.arange(5), [100, 100, 100, 100, 4])
    rng = np.random.default_rng(0)
    table = rng.normal(size=(len(labels), 40))
    for cluster in range(5):
        table[labels == cluster, cluster] += 9.0
    names = [f"c{column}" for column in range(40)]
    found = ComparedColumns(pd.DataFrame(table, columns=names)).compare(labels).heatmap(12)
    assert len(found.columns) == 12
    assert {f"c{column}" for column in range(5)} <= {name for name, _ in found.columns}
    other = np.array([3, 0, 4, 1, 2])
    moved = ComparedColumns(pd.DataFrame(table, columns=names)).compare(other[labels]).heatmap(12)
    assert set(moved.columns) == set(found.columns)
    order = [moved.columns.index(column) for column in found.columns]
    np.testing.assert_allclose(moved.levels[other][:, order], found.levels, atol=1e-12)


def test_means_where_all_medians_are_equal():
    column = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    found = ComparedColumns(pd.DataFrame({"x": column})).compare([0, 0, 0, 1, 1, 1]).heatmap(5)
    assert found.columns == [("x", "mean")]
    assert list(found.values) == [("0.667",), ("0",)]


def test_similar_columns_are_side_by_side():
    labels = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    high = {"a": 0, "b": 1, "c": 2, "a2": 0, "b2": 1, "c2": 2}
    table = {name: rng.normal(size=60) + 5.0 * (labels == cluster) for name, cluster in high.items()}
    found = ComparedColumns(pd.DataFrame(table)).compare(labels).heatmap(20)
    order = [name[0] for name, _ in found.columns]
    assert order[0] == order[1] != order[2] == order[3] != order[4] == order[5]


def test_heatmap_of_terms():
    counts = np.array([[2, 0, 1, 1], [1, 0, 0, 1], [0, 3, 0, 1], [0, 1, 0, 1]])
    terms = ["kernel", "neuron", "spike", "the"]
    compared = ComparedTerms(sparse.csr_array(counts), terms)
    found = compared.compare([0, 0, 1, 1]).heatmap(20)
    assert {name for name, _ in found.columns} == {"kernel", "neuron", "spike"}
    place = [name for name, _ in found.columns].index("spike")
    assert [row[place] for row in found.values] == ["50%", "0%"]
    np.testing.assert_allclose(found.levels[:, place], np.array([0.25, -0.25]) / np.sqrt(3 / 16))
    (spike,) = compared.columns(["spike"], 5)
    assert [spike.values[code] for code in spike.codes] == ["True", "False", "False", "False"]


def test_every_cluster_has_frequent_terms_in_the_heatmap():
    labels = np.repeat([0, 1], [90, 10])
    rng = np.random.default_rng(0)
    shares = np.where(np.arange(40) < 20, [[0.3], [0.1]], [[0.0], [0.9]])
    counts = sparse.csr_array((rng.random((100, 40)) < shares[labels]).astype(float))
    terms = [f"{'ab'[place // 20]}{chr(97 + place % 20) * 2}" for place in range(40)]
    found = ComparedTerms(counts, terms).compare(labels).heatmap(20)
    first = [name[0] for name, _ in found.columns]
    assert (first.count("a"), first.count("b")) == (10, 10)


def test_heatmap_of_nothing():
    found = ComparedColumns(pd.DataFrame({"x": [None, None]})).compare([0, 1]).heatmap(5)
    assert found.levels.shape == (2, 0)
    assert ComparedColumns(pd.DataFrame({"x": [1.0, 2.0]})).compare([-1, -1]).heatmap(5).levels.size == 0


def test_symbols_of_currencies_stand_before_the_number():
    labels = np.repeat([0, 1], 30)
    frame = pd.DataFrame({"balance": np.where(labels == 0, -1200.0, 5300.0), "mass": 2.0 + labels})
    found = describe_columns(labels, frame, units={"balance": "$", "mass": "kg"})
    values = {each.column: (each.value, each.other) for each in found[0].contrasts}
    assert values == {"balance": ("-$1,200", "$5,300"), "mass": ("2 kg", "3 kg")}


def test_names_have_the_column_of_a_category_that_several_columns_share():
    table = pd.DataFrame(
        {"walks": ["often"] * 4 + ["never"] * 4, "reads": (["Never"] * 3 + ["often"]) * 2, "city": "x"}
    )
    assert describe_columns([0] * 4 + [1] * 4, table).names == ["walks often", "walks never"]
    # A category of one column is a name by itself.
    assert describe_columns([0] * 4 + [1] * 4, table[["walks"]]).names == ["often", "never"]


def test_contrasts_of_dates_with_equal_medians_differ():
    days = pd.to_datetime(["2024-03-01 09:00", "2024-03-05 10:00", "2024-03-05 20:00"])
    early, late = days[[0, 1, 1, 1, 1]], days[[1, 2, 2, 2, 2]]
    table = pd.DataFrame({"day": [*early, *late], "x": np.repeat([0.0, 9.0], 5)})
    texts = {c.column: (c.value, c.other) for c in describe_columns(np.repeat([0, 1], 5), table)[0].contrasts}
    assert texts["day"] == ("mean 2024-03-04 14:36", "mean 2024-03-05 18:00")
    # A difference that words cannot show is left out.
    table["day"] = [*days[[0] * 5], *(days[[0] * 5] + pd.Timedelta("4s"))]
    table.loc[4, "day"] = days[1]
    contrasts = describe_columns(np.repeat([0, 1], 5), table)[0].contrasts
    assert all(contrast.value != contrast.other for contrast in contrasts)
