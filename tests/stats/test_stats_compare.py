"""Groups, the diagram, and everything at once."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from moo_clustering.stats import (
    cliques,
    compare,
    critical_difference,
    critical_difference_data,
    holm,
    nemenyi,
    pair_matrix,
    shaffer_static,
)
from moo_clustering.visualization import plot_critical_difference
from papers.multi_instance_tables import PUBLISHED

DB = {"BAMIC": 3.8, "MIKM": 3.2, "MIGKA": 3.8, "MIFGKA": 4.1, "MIGCUK": 4.9, "CHCMIC": 1.2}
REST = ("MIKM", "BAMIC", "MIGKA", "MIFGKA", "MIGCUK")


def test_groups():
    assert cliques(shaffer_static(DB, n_datasets=10)) == [("CHCMIC", "MIKM"), REST]
    assert cliques(shaffer_static(DB, n_datasets=10**6)) == [
        ("CHCMIC",), ("MIKM",), ("BAMIC", "MIGKA"), ("MIFGKA",), ("MIGCUK",)
    ]  # fmt: skip
    assert cliques(shaffer_static(dict.fromkeys("abc", 2.0), n_datasets=3)) == [("a", "b", "c")]


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(1, 8)), st.integers(2, 60))
def test_groups_are_maximal(order, n_datasets):
    pairs = shaffer_static({f"m{i}": rank for i, rank in enumerate(order)}, n_datasets=n_datasets)
    different = pair_matrix(pairs, "significant")
    groups = cliques(pairs)
    for group in groups:
        assert not different.loc[list(group), list(group)].any(axis=None)
        for other in set(different) - set(group):
            assert different.loc[other, list(group)].any()
    together = {frozenset((a, b)) for group in groups for a in group for b in group if a != b}
    same = pairs[~pairs["significant"]]
    assert together == {frozenset(pair) for pair in zip(same["method_1"], same["method_2"], strict=True)}


def test_diagram_data():
    data = critical_difference_data(DB, n_datasets=10, method="nemenyi")
    assert list(data.average_ranks.index) == ["CHCMIC", *REST]
    assert data.groups == [("CHCMIC", "MIKM"), REST]
    assert data.critical_difference == critical_difference(6, 10)
    assert data.different.loc["CHCMIC", "BAMIC"]
    frame = PUBLISHED["DB"].frame()
    table = critical_difference_data(frame, greater_is_better=False, alpha=0.01)
    assert table.critical_difference is None
    assert table.groups == [("CHCMIC", "MIKM", "BAMIC", "MIGKA"), REST]
    with pytest.raises(
        ValueError, match="one of 'shaffer', 'holm', 'nemenyi', got 'schaffer'; did you mean 'shaffer'"
    ):
        critical_difference_data(DB, n_datasets=10, method="schaffer")


def drawn(ax):
    """Texts, and the bars as intervals of ranks."""
    bars = [line for line in ax.lines if line.get_color() == "#bb3322"]
    texts = {text.get_text() for text in ax.texts}
    return texts, sorted((min(line.get_xdata()), max(line.get_xdata())) for line in bars)


@pytest.mark.parametrize("n_methods", [2, 3, 7, 12])
def test_diagram(n_methods, tmp_path):
    settings_before, figures = dict(mpl.rcParams), plt.get_fignums()
    names = [f"a long name of $method$ {{{i}}}" for i in range(n_methods)]
    ranks = dict(zip(names, np.arange(1.0, n_methods + 1), strict=True))
    ax = plot_critical_difference(ranks, n_datasets=20, path=tmp_path / "cd.png").axes[0]
    texts, bars = drawn(ax)
    assert len(texts) == n_methods
    assert all(any(name in text for text in texts) for name in names)
    groups = [group for group in cliques(shaffer_static(ranks, n_datasets=20)) if len(group) > 1]
    assert bars == [(ranks[group[0]], ranks[group[-1]]) for group in groups]
    assert (tmp_path / "cd.png").stat().st_size > 1000
    assert dict(mpl.rcParams) == settings_before
    assert plt.get_fignums() == figures
    # Nothing is cut off, no name lies on another.
    figure = ax.figure
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for i, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_diagram_of_ties_on_own_axes():
    figure, ax = plt.subplots(layout="constrained")
    assert plot_critical_difference(dict.fromkeys("abc", 2), n_datasets=5, method="holm", ax=ax) is figure
    texts, bars = drawn(ax)
    assert texts == {"a (2.00)", "b (2.00)", "(2.00) c"}
    assert bars == [(2, 2)]
    assert "Holm, 0.05" in ax.get_xlabel()
    plt.close(figure)


def test_compare():
    frame = PUBLISHED["DB"].frame()
    outcome = compare(frame, greater_is_better=False, alpha=0.01, posthoc="shaffer")
    assert outcome.ranks.loc["Musk1"].tolist() == [3, 2, 4, 6, 5, 1]
    assert outcome.average_ranks.to_dict() == pytest.approx(DB)
    assert round(outcome.friedman.statistic, 4) == 22.5143
    for name, procedure in {"shaffer": shaffer_static, "holm": holm, "nemenyi": nemenyi}.items():
        expected = procedure(outcome, alpha=0.01)
        assert getattr(outcome, name).equals(expected)
        assert compare(frame, greater_is_better=False, alpha=0.01, posthoc=name).pairs.equals(expected)
    assert outcome.conclusions == [
        "By Friedman's test, the methods do not all perform equally (p = 0.0004, not above 0.01).",
        "CHCMIC is better than MIGCUK and MIFGKA (adjusted p = 0.0001 and 0.0053).",
        "No significant difference was found among CHCMIC, MIKM, BAMIC and MIGKA, or among "
        "MIKM, BAMIC, MIGKA, MIFGKA and MIGCUK.",
    ]
    with pytest.raises(ValueError, match="got 'tukey'"):
        compare(frame, greater_is_better=False, posthoc="tukey")


@pytest.mark.slow
def test_conclusions_without_difference():
    frame = PUBLISHED["S"].frame()
    assert compare(frame, greater_is_better=True).conclusions == [
        "No significant difference was found: Friedman's test does not reject the hypothesis that all 6 "
        "methods perform equally (p = 0.3658, above 0.05)."
    ]
    close = PUBLISHED["S_Dbw"].frame()
    lines = compare(close, greater_is_better=False, alpha=0.01).conclusions
    assert lines[0].startswith("By Friedman's test, the methods do not")
    assert lines[1] == (
        "However, no pair differs significantly (procedure shaffer, smallest adjusted p = 0.0421)."
    )
    between = compare(
        PUBLISHED["RI"].frame(), greater_is_better=True, alpha=0.046, posthoc="shaffer"
    ).conclusions
    assert between[0].startswith("No significant difference was found: Friedman's test does not reject")
    assert between[1].startswith("The less conservative test of Iman and Davenport rejects it")
    assert between[2] == "Treat the significant pairwise differences only as hints."


def test_conclusions_of_two_methods():
    better = compare([[2, 1]] * 9, greater_is_better=True, methods=["a", "b"])
    assert better.friedman is None
    assert better.conclusions == ["a is better than b (adjusted p = 0.0027)."]
    same = compare([[2, 1], [1, 2]], greater_is_better=True, methods=["a", "b"])
    assert same.conclusions == [
        "No significant difference was found between a and b: p = 1.0000 is above 0.05."
    ]


def test_two_of_three_methods_are_alike():
    outcome = compare([[3, 1, 1]] * 12, greater_is_better=True, methods=["a", "b", "c"])
    assert outcome.friedman.p_value < 0.05
    assert outcome.groups == [("a",), ("b", "c")]
    assert outcome.conclusions[-1] == "No significant difference was found between b and c."


def test_all_tied():
    outcome = compare(np.full((5, 4), 0.5), greater_is_better=True)
    assert outcome.friedman.p_value == 1
    assert outcome.groups == [tuple(f"method {i}" for i in (1, 2, 3, 4))]
    assert outcome.conclusions[0].startswith("No significant difference was found")
