"""The statements on a result: no two of them contradict each other, whatever the data and the choice."""

import copy
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from contract.copies import pickled
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

from moo_clustering import ParetoClustering
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.page import sureness
from papers.flagship_generated import NULLS, STRUCTURED, generated_table

CLEAR, SEVERAL, NONE = "clear", "several good answers", "no structure beyond noise"
CHANCE = "no evidence beyond chance; the partition may still be useful"


def fitted(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ParetoClustering(random_state=0, **options).fit(X)


def spirals_and_a_blob():
    rng = np.random.default_rng(5501)
    turn = rng.uniform(1.5, 9, 260)
    arm = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
    X = np.concatenate([arm, -arm]) + rng.normal(0, 0.25, (520, 2))
    return np.concatenate([X, rng.normal([14, 0], 1, (120, 2))])


def assert_consistent(model):
    """Check every rule of the statements from the public attributes and the printed line."""
    line, remarks = model.summary().splitlines()[0], "; ".join(model.verdict_remarks_)
    low, high = model.confidence_interval_
    p, worth = model.structure_p_value_, model.alternatives_["confidence"].to_numpy(dtype=float)
    assert 0 <= low <= model.confidence_ <= high <= 1
    assert f"{low:.1f} to {high:.1f}" in line
    assert all(remark in line for remark in model.verdict_remarks_)
    assert (CHANCE in line) == (model.verdict_ == SEVERAL and p >= 0.05)
    assert ("separated, although" in line) == (model.verdict_ == CLEAR and p >= 0.05)
    explained = "no common clusters" in line or "clusters are too small" in line
    assert explained == (model.verdict_ == NONE and p < 0.05)
    higher = worth > model.confidence_
    named = re.findall(r"alternative-(\d) has a higher expected index, but (.+?)(?:;|$)", line)
    assert len(named) == higher.any()
    if higher.any():
        assert int(named[0][0]) == worth.argmax()
        assert model.verdict_ != CLEAR
    if model.verdict_ == CLEAR:
        assert model.confidence_ >= 0.6
        assert "no evidence" not in remarks
    if model.verdict_ == NONE:
        assert model.confidence_ < 0.6
    assert len(set(model.verdict_remarks_)) == len(model.verdict_remarks_)


KINDS = [*STRUCTURED, *NULLS]


@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in ("elongated", "categories", "null_uniform")
        else pytest.param(kind, marks=pytest.mark.nightly)
        for kind in KINDS
    ],
)
def test_the_statements_on_every_choice_agree(kind):
    X, _, scale = generated_table(kind, 3)
    X = X[:150]
    model = fitted(X, scale=scale)
    assert_consistent(model)
    reason = {"a lower selection score"}
    for rule in model.rules_:
        model.choose(rule)
        assert_consistent(model)
        found = re.findall(r"higher expected index, but (.+?)(?:;|$)", repr(model).splitlines()[1])
        reason.update(found)
    assert reason <= {"a lower selection score", "another partition was chosen"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.choose("auto").relabel(n_clusters=7)
    assert_consistent(model)
    scaled = (
        X if scale == "isotropic" else (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    )
    assert_consistent(fitted(pairwise_distances(scaled), metric="precomputed"))


def test_the_verdict_is_the_same_in_the_report():
    model = fitted(generated_table("null_uniform", 100).X[:60])
    model.verdict_, model.verdict_remarks_ = SEVERAL, (CHANCE,)
    said, figures, _ = sureness(report_content(model))
    assert said == "There is no evidence of structure beyond chance, but these clusters may still be useful."
    assert CHANCE.partition(";")[0] not in figures  # the sentence says the same


def test_clusters_of_identical_rows_are_named_and_do_not_count():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.full((200, 6), 9.0), rng.uniform(size=(60, 6))])
    model = fitted(X, scale="isotropic")
    same = int(model.labels_[0])
    assert f"cluster {same} contains only identical rows and is not assessed" in model.summary()
    assert model.verdict_ == NONE
    assert_consistent(model)
    # Without these rows, the other clusters are assessed as they would be alone.
    blobs, _ = make_blobs(120, centers=3, n_features=4, random_state=3)
    both = fitted(np.concatenate([blobs, np.full((80, 4), 60.0)]), scale="none")
    assert [remark[:9] for remark in both.verdict_remarks_] == [f"cluster {both.labels_[-1]}"]
    assert both.verdict_ == CLEAR
    assert_allclose(both.confidence_, fitted(blobs, scale="none").confidence_, atol=0.1)
    # If all clusters are of identical rows, they are the distinct rows, and all of them count.
    assert "identical" not in fitted(np.repeat(np.eye(3) * 5, 20, axis=0)).summary()


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_clusters_of_identical_rows_are_known_to_copies_with_landmarks(copied):
    rng = np.random.default_rng(0)
    distinct = np.concatenate([rng.normal(size=(12, 3)), rng.normal((8, 0, 0), size=(12, 3)), [[4, 8, 0]]])
    model = fitted(np.repeat(distinct, 20, axis=0), n_landmarks=40, scale="none")
    assert model.n_landmarks_ == 25
    again = copied(model)
    assert again.pool_ is again._samples.pool
    assert "only identical rows" in model.choose("some").summary()
    for rule in model.rules_:
        assert again.choose(rule).summary() == model.choose(rule).summary()


def test_empty_documents_are_named():
    rng = np.random.default_rng(0)
    counts = sp.csr_array(np.concatenate([np.zeros((90, 80)), rng.poisson(0.2, (40, 80))]).astype(float))
    model = fitted(counts)
    assert " contains only empty rows and is not assessed" in model.summary().splitlines()[0]
    assert model.verdict_ != CLEAR


def test_far_more_clusters_than_separated_groups_are_less_credible():
    model = fitted(spirals_and_a_blob())
    for rule in ("auto", *(f"alternative-{row}" for row in range(len(model.alternatives_)))):
        assert_consistent(model.choose(rule))
    many = model.choose("auto").relabel(n_clusters=12)
    assert_consistent(many)
    # The two spirals are one of the groups.
    assert "12 clusters divide 2 separated groups" in many.summary()
    assert many.verdict_ != CLEAR


def test_distances_lead_to_the_confidence_of_their_features():
    X, _ = make_blobs(150, centers=3, n_features=3, cluster_std=1.0, random_state=3)
    by_features, by_distances = fitted(X, scale="none"), fitted(pairwise_distances(X), metric="precomputed")
    assert by_features.verdict_ == by_distances.verdict_ == CLEAR
    assert_allclose(by_distances.confidence_, by_features.confidence_, atol=0.1)
    # Coordinates reproduce the distances, and distances that no coordinates have are no error.
    found = by_distances._samples.coordinates
    assert_allclose(pairwise_distances(found), pairwise_distances(X), atol=1e-6)
    D = np.random.default_rng(0).uniform(1, 2, (60, 60))
    assert fitted(np.triu(D, 1) + np.triu(D, 1).T, metric="precomputed").verdict_ == NONE
