"""The parts of the story: certainty, other cuts, columns that were not used, doubtful samples."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from moo_clustering.results import ClusteringResult, Front, Objective, PoolResult
from moo_clustering.visualization.report import Column, ReportContent, report_content
from moo_clustering.visualization.report.describe import doubts, left_out_columns
from moo_clustering.visualization.report.page import (
    keep_solutions,
    load_content,
    merge,
    payload,
    render,
    save_content,
    sureness,
)

PARTITIONS = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2], [0, 0, 1, 2, 3, 3]])


class Fitted(ClusterMixin, BaseEstimator):
    """Return an estimator with a specified result."""

    def __init__(self, result=None):
        self.result = result
        self.labels_ = None if result is None else result.labels

    def clustering_result(self):
        return self.result


def front_result():
    """Objective ``width`` is minimised, ``gap`` maximised; the first member is the result."""
    front = Front(
        np.array([[1.0, 5.0], [2.0, 7.0], [3.0, 9.0], [4.0, 5.0]]),
        [Objective("width"), Objective("gap", greater_is_better=True)],
        lambda rows: PARTITIONS[rows],
    )
    return ClusteringResult(PARTITIONS[0], front=front, member=0, member_is_known=True)


def pool(**others):
    support = np.array([[0.9, 0.1], [0.6, 0.3], [0.5, 0.26], [0.4, 0.6], [0.2, 0.8], [0.0, 0.0]])
    return PoolResult(
        pd.DataFrame(),
        lambda names: pd.DataFrame(),
        confidence=0.7,
        structure_p_value=0.01,
        verdict="clear",
        verdict_line="clear (0.70)",
        support=lambda: support,
        **others,
    )


def test_a_front_offers_one_cut_per_number_of_clusters():
    cuts = report_content(Fitted(front_result())).cuts
    # Two members have three clusters, and the report shows the one more similar to the result.
    assert [cut[0] for cut in cuts] == [0, 2, 3]
    assert cuts[0][1:] == ("The chosen solution.", "")
    assert (
        cuts[1][1]
        == "Most similar to the chosen solution among 2 solutions on the front with this number of clusters."
    )
    assert cuts[2][1] == "The only solution on the front with this number of clusters."
    assert cuts[1][2] == (
        "Compared with the chosen solution: better in gap (9 instead of 5); worse in width (3 instead of 1)."
    )
    assert cuts[2][2].endswith("equal in gap.")


def test_a_front_of_one_number_and_a_single_solution_offer_no_cut():
    result = front_result()
    same = replace(result, front=replace(result.front, labels_of=lambda rows: PARTITIONS[[1, 2, 1, 2]][rows]))
    assert not report_content(Fitted(replace(same, labels=PARTITIONS[1]))).cuts
    assert not report_content(Fitted(ClusteringResult(PARTITIONS[0]))).cuts


def test_alternatives_of_a_pool_are_cuts_with_their_reasons():
    described = {
        "confidence": 0.4,
        "families": "ward, kmeans",
        "difference": "splits cluster 0 into 2, by width",
    }
    result = ClusteringResult(
        PARTITIONS[0], alternatives={"alternative-0": PARTITIONS[1]}, pool=pool(described=[described])
    )
    content = report_content(Fitted(result))
    assert [cut[0] for cut in content.cuts] == [0, 1]
    assert content.cuts[1][1].startswith("alternative-0: found by Ward, kmeans")
    assert content.cuts[1][1].endswith("; differs in width.")
    assert (
        content.cuts[1][2]
        == "Compared with the chosen solution: worse in expected index (0.4 instead of 0.7)."
    )
    assert content.confidence == 0.7


def test_samples_with_more_support_elsewhere_are_doubtful():
    labels = np.array([0, 0, 0, 0, 1, 1])
    found = doubts(ClusteringResult(labels, pool=pool()), labels)
    # The last sample has no support at all.
    assert found == [(3, 0, 1, 0.4, 0.6)]
    labels = np.array([1, 0, 1, -1, 1, 0])
    # The most doubtful sample is first. Outliers and samples with equal supports are not listed.
    assert [row for row, *_ in doubts(ClusteringResult(labels, pool=pool()), labels)] == [0, 2]
    even = replace(pool(), support=lambda: np.array([[0.5, 0.5], [0.3, 0.3 + 1e-12]]))
    assert doubts(ClusteringResult(labels[:2], pool=even), labels[:2]) == []
    assert doubts(ClusteringResult(labels), labels) == []
    assert doubts(ClusteringResult(np.zeros(6, int), pool=pool()), np.zeros(6, int) - 1) == []


def test_columns_of_few_values_are_coded():
    frame = pd.DataFrame(
        {
            "kind": ["b", "a", None, "b", " "],
            "flag": [True, False, True, True, True],
            "count": ["10", "9", "", "9", "10"],
            "constant": ["x"] * 5,
        }
    )
    kind, flag, count = left_out_columns(frame)
    assert (kind[0], kind[1], kind[2].tolist()) == ("kind", ["b", "a"], [0, 1, -1, 0, -1])
    assert (flag[1], flag[2].tolist()) == (["True", "False"], [0, 1, 0, 0, 0])
    assert (count[1], count[2].tolist()) == (["9", "10"], [1, 0, -1, 0, 1])
    assert left_out_columns(None) == []
    assert left_out_columns(pd.DataFrame({"name": [f"n{row}" for row in range(30)]})) == []


@pytest.mark.parametrize("scale", [0.001, 1.0, 123.456, 7e8])
def test_numbers_are_in_the_intervals_that_the_page_names(scale):
    values = scale * np.random.default_rng(0).normal(5, 1, size=200)
    ((_, names, codes),) = left_out_columns(pd.DataFrame({"x": values}))
    assert len(names) == 4
    assert np.bincount(codes).min() > 30
    for name, low, high in (
        (name, values[codes == i].min(), values[codes == i].max()) for i, name in enumerate(names)
    ):
        limits = [_number(text) for text in name.replace("below ", "").replace(" or more", "").split(" to ")]
        assert name.startswith("below") or low >= limits[0] * (1 - 1e-9)
        assert name.endswith("or more") or high < limits[-1] * (1 + 1e-9)


def _number(text):
    value, _, word = text.replace(",", "").partition(" ")
    return float(value) * {"": 1.0, "million": 1e6, "billion": 1e9}[word]


def content(**others):
    return ReportContent(
        **{
            "title": "t",
            "names": ["a", "b", "c"],
            "labels": PARTITIONS[[0, 1, 3]].astype(np.int32),
            "sample_names": np.array(list("uvwxyz")),
            **others,
        }
    )


FULL = {
    "cuts": [(0, "The chosen solution.", ""), (1, "r", "a"), (2, "s", "b")],
    "left_out": [("kind", ["p", "q"], np.array([0, 1, -1, 0, 1, 0]))],
    "doubts": [(3, 1, 0, 0.5, 0.4)],
    "lines": [("Do", "moo-clustering ask found")],
    "files": ["clustered.csv"],
    "confidence": 0.5,
}


def test_the_story_is_saved_and_read(tmp_path):
    save_content(tmp_path / "report.npz", content(**FULL))
    found = load_content(tmp_path / "report.npz")
    assert [list(cut) for cut in found.cuts] == [list(cut) for cut in FULL["cuts"]]
    assert [list(doubt) for doubt in found.doubts] == [[3, 1, 0, 0.5, 0.4]]
    assert found.left_out[0][2].tolist() == [0, 1, -1, 0, 1, 0]
    assert render(found) == render(content(**FULL))


@pytest.mark.parametrize(
    "bad",
    [
        {"cuts": [(3, "", "")]},
        {"doubts": [(6, 0, 1, 0.5, 0.5)]},
        {"left_out": [("kind", ["p"], np.zeros(5, dtype=int))]},
    ],
)
def test_a_story_that_does_not_fit_is_damaged(tmp_path, bad):
    save_content(tmp_path / "report.npz", content(**bad))
    with pytest.raises(ValueError, match="inconsistent"):
        load_content(tmp_path / "report.npz")


def test_cuts_follow_the_solutions_that_a_page_keeps():
    kept = keep_solutions(content(**FULL), np.array([0, 2]))
    assert kept.cuts == [(0, "The chosen solution.", ""), (1, "s", "b")]
    assert payload(content(**FULL), 10**6)["cuts"] == [list(cut) for cut in FULL["cuts"]]


def test_merged_runs_claim_no_certainty_cuts_or_doubts():
    merged = merge([content(**FULL), content(**FULL)], ["one", "two"])
    assert not merged.cuts
    assert not merged.doubts
    assert not merged.lines
    assert sureness(merged) == ("", "", None)
    assert merged.left_out == FULL["left_out"]


EXPECTED = "(expected adjusted Rand index with known classes 0.1 to 0.4, p < 0.01)"


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (f"clear {EXPECTED}", "The clusters are clear."),
        (
            f"several good answers {EXPECTED}; alternative-0 ...",
            "These clusters are one of several good answers.",
        ),
        (
            f"no structure beyond noise {EXPECTED}",
            "No structure beyond noise was found. The clusters may be arbitrary.",
        ),
        (f"clear {EXPECTED}; unreliable for bags", "The clusters are clear, but this verdict is unreliable."),
    ],
)
def test_a_verdict_is_a_sentence(verdict, said):
    found = sureness(content(facts=[("verdict", verdict)], confidence=0.25))
    assert (found[0], found[2]) == (said, 0.25)
    figures = "Expected agreement with the true groups: 0.25 (probably 0.1 to 0.4), "
    figures += "on a scale from 0 (chance) to 1 (perfect)."
    remark = verdict.partition("); ")[2]
    assert found[1] == (f"{figures} {remark.capitalize()}." if remark else figures)
    # Without a confidence, the page has no bar to explain.
    assert sureness(content(facts=[("verdict", verdict)])) == (said, f"Verdict: {verdict}.", None)


def test_a_verdict_without_figures_is_shown_as_it_is():
    verdict = "not known, because ..."
    found = sureness(content(facts=[("verdict", verdict)], confidence=0.25))
    assert found == ("The certainty of the clusters is unknown.", f"Verdict: {verdict}.", None)


def test_the_header_omits_a_warning_that_repeats_the_verdict():
    lines = [("warning", "no structure beyond noise: ..."), ("warning", "a column is empty")]
    page = render(
        content(facts=[("verdict", f"no structure beyond noise {EXPECTED}"), *lines], confidence=0.25)
    )
    header = page.partition("</header>")[0]
    assert ("a column is empty" in header, "no structure beyond noise: ..." in header) == (True, False)
    assert "no structure beyond noise: ..." in page.partition("</header>")[2].partition("<script")[0]


@pytest.mark.parametrize(
    ("value", "said", "length"),
    [
        (0.6, "much nearer", 0.6),
        (0.5, "much nearer", 0.5),
        (0.3, "are nearer", 0.3),
        (0.1, "hardly nearer", 0.1),
        (-0.1, "nearer to another cluster than to their own", None),
    ],
)
def test_without_a_verdict_silhouettes_are_described(value, said, length):
    columns = [Column("silhouette", np.array([value, 0.9, 0.9]), greater_is_better=True)]
    sentence, figures, found = sureness(content(columns=columns))
    assert sentence == "This method does not assess the certainty of its clusters."
    assert said in figures
    assert f"{value:.2f}" in figures
    assert found == length
    assert sureness(content())[1:] == ("", None)
    # The quality of an archive may have the same name, and be NaN.
    undefined = Column("silhouette", np.full(3, np.nan), greater_is_better=True)
    assert sureness(content(columns=[undefined, *columns])) == (sentence, figures, found)
    assert sureness(content(columns=[undefined])) == (sentence, "", None)


def test_texts_of_the_story_are_escaped():
    attack = "</script><b onclick=alert(1)>"
    page = render(
        content(
            **FULL
            | {
                "left_out": [(attack, [attack, "q"], np.array([0, 1, -1, 0, 1, 0]))],
                "lines": [(attack, attack)],
                "files": [attack],
                "cuts": [(0, attack, attack)],
            }
        )
    )
    assert attack not in page


def test_numbers_among_other_texts_are_in_their_order():
    ((_, names, _),) = left_out_columns(pd.DataFrame({"x": ["5", "n/a", "5", "1", "10", "2", "2", "n/a"]}))
    assert names == ["1", "2", "5", "10", "n/a"]
    ((_, names, _),) = left_out_columns(pd.DataFrame({"x": ["q", "q", "q", "p", "1", "p"]}))
    assert names == ["q", "p", "1"]
