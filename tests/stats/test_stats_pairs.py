"""Procedures for all pairs of methods."""

import sys
from itertools import accumulate, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm

from moo_clustering.stats import (
    critical_difference,
    friedman,
    holm,
    nemenyi,
    pair_matrix,
    possible_true_counts,
    shaffer_multipliers,
    shaffer_static,
)
from moo_clustering.visualization import plot_critical_difference
from papers.multi_instance_tables import PUBLISHED

scikit_posthocs = pytest.importorskip("scikit_posthocs")

PROCEDURES = [shaffer_static, holm, nemenyi]
RANKS = {"C4.5": 2.1, "1-NN": 3.25, "NB": 2.2, "Kernel": 13 / 3, "CN2": 187 / 60}

# Garcia and Herrera (JMLR 9, 2008): unadjusted p-values as the manual page of adjustShaffer in the R package
# scmamp prints them for the paper's data (rdrr.io/cran/scmamp/man/adjustShaffer.html).
PRINTED_P = {
    ("C4.5", "1-NN"): 4.848763e-03,
    ("C4.5", "NB"): 8.064959e-01,
    ("C4.5", "Kernel"): 4.486991e-08,
    ("C4.5", "CN2"): 1.276301e-02,
    ("1-NN", "NB"): 1.011233e-02,
    ("1-NN", "Kernel"): 7.963489e-03,
    ("1-NN", "CN2"): 7.439715e-01,
    ("NB", "Kernel"): 1.736118e-07,
    ("NB", "CN2"): 2.474467e-02,
    ("Kernel", "CN2"): 2.880485e-03,
}
# From a vignette of the same package (inst/doc of github.com/b0rxa/scmamp, "Statistical comparison of
# multiple algorithms in multiple problems"): what Shaffer's static procedure and Nemenyi's test reject at
# 0.05, and Bergmann and Hommel's adjusted p-values minus Shaffer's where they differ.
PRINTED_SHAFFER = {("C4.5", "1-NN"), ("1-NN", "NB"), ("C4.5", "Kernel"), ("1-NN", "Kernel"),
                   ("NB", "Kernel"), ("Kernel", "CN2")}  # fmt: skip
PRINTED_NEMENYI = {("C4.5", "1-NN"), ("C4.5", "Kernel"), ("NB", "Kernel"), ("Kernel", "CN2")}
PRINTED_DIFFERENCE = {
    ("C4.5", "CN2"): -0.012763008,
    ("1-NN", "NB"): -0.015926978,
    ("1-NN", "Kernel"): -0.015926978,
    ("NB", "CN2"): -0.035944994,
    ("Kernel", "CN2"): -0.005760969,
}


def rejected(matrix):
    return {pair for pair in PRINTED_P if matrix.loc[pair]}


def set_partitions(items):
    if not items:
        yield []
        return
    for rest in set_partitions(items[1:]):
        yield [[items[0]], *rest]
        for i in range(len(rest)):
            yield [*rest[:i], [items[0], *rest[i]], *rest[i + 1 :]]


def bergmann_hommel(p):
    """By definition: largest over all sets of pairs that can be equal together of size times smallest p.

    A larger p does not get a smaller adjusted one.
    """
    adjusted = dict.fromkeys(p, 0.0)
    for groups in set_partitions(list(RANKS)):
        equal = [pair for pair in p if any(set(pair) <= set(group) for group in groups)]
        for pair in equal:
            adjusted[pair] = max(adjusted[pair], min(1, len(equal) * min(p[q] for q in equal)))
    order = sorted(p, key=p.get)
    return dict(zip(order, accumulate((adjusted[pair] for pair in order), max), strict=True))


def test_garcia_herrera_shaffer():
    pairs = shaffer_static(RANKS, n_datasets=30)
    p, adjusted = pair_matrix(pairs, "p_value"), pair_matrix(pairs)
    for pair, printed in PRINTED_P.items():
        assert p.loc[pair] == pytest.approx(printed, rel=5e-7)
    assert rejected(pair_matrix(pairs, "significant")) == PRINTED_SHAFFER
    by_hand = np.array([10, 6, 6, 6, 6, 4, 4, 3, 2, 1]) * np.sort(list(PRINTED_P.values()))
    assert by_hand[5] < by_hand[4] < 0.05
    by_hand[[5, 8, 9]] = by_hand[4], 1, 1  # they may not fall, nor exceed 1
    assert pairs["p_adjusted"].to_numpy() == pytest.approx(by_hand, rel=1e-6)
    dynamic = bergmann_hommel(PRINTED_P)
    for pair in PRINTED_P:
        static = adjusted.loc[pair]
        if static < 1:
            assert dynamic[pair] - static == pytest.approx(PRINTED_DIFFERENCE.get(pair, 0), abs=2e-8)


def test_garcia_herrera_others():
    assert rejected(pair_matrix(nemenyi(RANKS, n_datasets=30), "significant")) == PRINTED_NEMENYI
    adjusted = holm(RANKS, n_datasets=30)["p_adjusted"].to_numpy()
    steps = np.arange(10, 0, -1) * np.sort(list(PRINTED_P.values()))
    assert adjusted == pytest.approx(np.minimum(np.maximum.accumulate(steps), 1), rel=1e-6)


def test_holm_agrees_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    pairs = holm({"a": 1.2, "b": 1.9, "c": 3.1, "d": 4.0, "e": 4.8}, n_datasets=9)
    _, adjusted, *_ = multitest.multipletests(pairs["p_value"].to_numpy(), method="holm")
    assert pairs["p_adjusted"].to_numpy() == pytest.approx(adjusted, rel=1e-12)


def test_demsar_critical_values():
    """Critical values printed by Demsar (JMLR 7, 2006), and the critical differences of his example."""
    printed = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, value in enumerate(printed, start=2):
        assert critical_difference(k, 1) / np.sqrt(k * (k + 1) / 6) == pytest.approx(value, abs=1.1e-3)
    assert round(critical_difference(4, 14), 2) == 1.25
    assert round(critical_difference(4, 14, alpha=0.10), 2) == 1.12


# Recomputed from the tables of the multi-instance paper; the text's claims hold only in part.
AGAINST_CHCMIC = {
    "DB": {"MIGCUK": 0.000146, "MIFGKA": 0.00528, "BAMIC": 0.01886, "MIGKA": 0.01886, "MIKM": 0.1683},
    "S_Dbw": {"BAMIC": 0.0421, "MIGCUK": 0.0421},
    "RI": {"MIGCUK": 0.0421, "MIFGKA": 0.1018},
    "E": {"MIKM": 0.0421, "MIGKA": 0.0598},
}


@pytest.mark.parametrize("metric", AGAINST_CHCMIC)
def test_multi_instance_paper(metric):
    published = PUBLISHED[metric]
    pairs = shaffer_static(published.frame(), greater_is_better=published.greater_is_better)
    found = pair_matrix(pairs)["CHCMIC"].drop("CHCMIC")
    expected = AGAINST_CHCMIC[metric]
    for method, value in expected.items():
        assert found[method] == pytest.approx(
            value, abs=5e-5 if value > 0.01 else 5e-6 if value > 1e-3 else 5e-7
        )
    if metric == "S_Dbw":
        assert found.drop(list(expected)).min() >= 0.16
    assert set(found[found <= 0.01].index) == ({"MIGCUK", "MIFGKA"} if metric == "DB" else set())
    assert (found <= 0.05).sum() == {"DB": 4, "S_Dbw": 2, "RI": 1, "E": 1}[metric]


def test_possible_counts():
    assert possible_true_counts(0) == possible_true_counts(1) == (0,)
    assert possible_true_counts(2) == (0, 1)
    assert possible_true_counts(3) == (0, 1, 3)
    assert possible_true_counts(4) == (0, 1, 2, 3, 6)
    assert possible_true_counts(5) == (0, 1, 2, 3, 4, 6, 10)
    assert possible_true_counts(6) == (0, 1, 2, 3, 4, 6, 7, 10, 15)
    assert possible_true_counts(7) == (*range(8), 9, 10, 11, 15, 21)
    assert possible_true_counts(8) == tuple(
        sorted({sum(len(g) * (len(g) - 1) // 2 for g in groups) for groups in set_partitions(list(range(8)))})
    )
    assert possible_true_counts(50)[-1] == 1225


def test_multipliers():
    assert shaffer_multipliers(6).tolist() == [15, *[10] * 5, *[7] * 3, 6, 4, 4, 3, 2, 1]
    assert shaffer_multipliers(2).tolist() == [1]
    assert shaffer_multipliers(3).tolist() == [3, 1, 1]


tables = arrays(float, st.tuples(st.integers(2, 8), st.integers(2, 6)), elements=st.integers(0, 5))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(tables)
def test_properties(values):
    n, k = values.shape
    by_shaffer, by_holm, by_nemenyi = (test(values, greater_is_better=True) for test in PROCEDURES)
    for pairs in (by_shaffer, by_holm, by_nemenyi):
        assert len(pairs) == k * (k - 1) // 2
        assert pairs["p_adjusted"].is_monotonic_increasing
        assert pairs["p_adjusted"].between(pairs["p_value"] - 1e-9, 1).all()
        assert (pairs["z"] >= 0).all()
        assert (pairs["significant"] == (pairs["p_adjusted"] <= 0.05)).all()
    assert (by_shaffer["p_adjusted"] <= by_holm["p_adjusted"] + 1e-12).all()
    ranks = friedman(values, greater_is_better=True).average_ranks if k > 2 else None
    if ranks is not None:
        for pair in by_shaffer.itertuples():
            gap = ranks[pair.method_2] - ranks[pair.method_1]
            assert pair.z == pytest.approx(gap / np.sqrt(k * (k + 1) / (6 * n)))
            assert pair.p_value == pytest.approx(2 * (1 - norm.cdf(pair.z)), abs=1e-12)
    library = scikit_posthocs.posthoc_nemenyi_friedman(values)
    ours = pair_matrix(by_nemenyi)
    for i, j in combinations(range(k), 2):
        assert ours.loc[f"method {i + 1}", f"method {j + 1}"] == pytest.approx(library.iloc[i, j], abs=1e-9)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_same_from_table_ranks_and_result(procedure):
    frame = PUBLISHED["E"].frame()
    test = friedman(frame, greater_is_better=False)
    table = procedure(frame, greater_is_better=False, alpha=0.2)
    for other in (
        procedure(test.average_ranks, n_datasets=10, alpha=0.2),
        procedure(test, alpha=0.2),
        procedure(
            frame.to_numpy(), greater_is_better=False, alpha=0.2, methods=list(frame.columns)
        ),
    ):  # fmt: skip
        pd.testing.assert_frame_equal(table, other)
    assert list(table) == ["method_1", "method_2", "z", "p_value", "p_adjusted", "significant"]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_all_tied_and_two_methods(procedure):
    tied = procedure(np.zeros((4, 3)), greater_is_better=True)
    assert (tied[["p_value", "p_adjusted"]].to_numpy() == 1).all()
    assert not tied["significant"].any()
    two = procedure([[1, 2]] * 9, greater_is_better=True, methods=["a", "b"])
    assert two["method_1"].tolist() == ["b"]
    assert two["z"].tolist() == pytest.approx([3])
    assert two["p_adjusted"].to_numpy() == pytest.approx(2 * norm.sf(3), abs=1e-9)


def test_matrix():
    pairs = shaffer_static({"b": 3, "a": 1, "c": 2}, n_datasets=40)
    for column, diagonal in {"p_adjusted": 1, "p_value": 1, "z": 0, "significant": False}.items():
        square = pair_matrix(pairs, column)
        assert list(square.index) == list(square.columns) == ["a", "c", "b"]
        assert (np.diag(square) == diagonal).all()
        assert (square == square.T).all(axis=None)
    assert square.dtypes.tolist() == [bool] * 3
    with pytest.raises(ValueError, match="column must be one of"):
        pair_matrix(pairs, "method_1")


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "0.05", float("nan")])
def test_alpha(alpha):
    for procedure in PROCEDURES:
        with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
            procedure(RANKS, n_datasets=30, alpha=alpha)


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    with pytest.raises(
        ImportError, match=r"requires .* not installed: pip install 'moo_clustering\[stats\]'"
    ):
        plot_critical_difference({"a": 1.0, "b": 2.4, "c": 2.6}, n_datasets=10)
