"""Must-links and cannot-links."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, naive_scores, partly, true_pairs

from moo_clustering import InconsistentConstraintsError, PairwiseConstraints, ParetoClustering
from moo_clustering.evidence import repair_pairs

MUST, CANNOT = true_pairs(CLASSES, 80)
KINDS = {"must": (MUST, None), "cannot": (None, CANNOT), "both": (MUST, CANNOT)}


def kept(labels, must, cannot):
    """Shares of pairs that hold."""
    shares = []
    if must is not None:
        shares.append((labels[must[:, 0]] == labels[must[:, 1]]).mean())
    if cannot is not None:
        shares.append((labels[cannot[:, 0]] != labels[cannot[:, 1]]).mean())
    return shares


def test_the_choice_is_that_of_the_definition():
    model = ParetoClustering(**QUICK).fit(X, must_link=MUST, cannot_link=CANNOT)
    wrong = np.array(
        [
            (row[MUST[:, 0]] != row[MUST[:, 1]]).sum() + (row[CANNOT[:, 0]] == row[CANNOT[:, 1]]).sum()
            for row in model.pool_.labels
        ]
    )
    assert_allclose(model.scores_.pair_evidence, -2.9 * wrong, rtol=0.02)
    total = naive_scores(model) * 20 + model.scores_.pair_evidence
    assert_allclose(model.scores_.total, total, atol=1e-9)
    pairs = PairwiseConstraints(MUST, CANNOT, n_samples=len(X))
    chosen = model.pool_.labels[total.argmax()]
    repaired = repair_pairs(chosen, model.graph_, pairs, hard=True, keep_clusters=False)
    assert ari(model.labels_, repaired) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [None, 2, 3, 6])
def test_pairs_hold(kind, k):
    must, cannot = KINDS[kind]
    model = ParetoClustering(k, **QUICK).fit(X, must_link=must, cannot_link=cannot)
    shares = kept(model.labels_, must, cannot)
    if must is not None:
        assert shares[0] == 1
    if cannot is not None and k != 2:
        assert shares[-1] > 0.95
    if k is not None:
        assert model.n_clusters_ == k
    if k == 3 or (k is None and cannot is not None):
        assert ari(model.labels_, CLASSES) > 0.9
    assert not hasattr(model, "classes_")
    assert_array_equal(model.predict(X), model.labels_)


def test_pairs_turn_the_choice():
    # Two of three blobs belong together.
    joined = np.minimum(CLASSES, 1)
    must, cannot = true_pairs(joined, 60)
    unaware = ParetoClustering(random_state=0).fit(X)
    assert ari(unaware.labels_, joined) < 0.7
    assert ari(unaware.relabel(must_link=must, cannot_link=cannot).labels_, joined) > 0.95
    assert ari(unaware.relabel(must_link=must, cannot_link=cannot, n_clusters=2).labels_, joined) > 0.95


def test_order_and_direction_of_pairs_do_not_matter():
    model = ParetoClustering(**QUICK).fit(X, must_link=MUST, cannot_link=CANNOT)
    turned = ParetoClustering(**QUICK).fit(X, must_link=MUST[::-1, ::-1], cannot_link=CANNOT[:, ::-1])
    assert_array_equal(turned.labels_, model.labels_)


def test_no_pairs_are_no_knowledge():
    plain = ParetoClustering(**QUICK).fit(X)
    for none in ([], np.zeros((0, 2), dtype=int)):
        model = ParetoClustering(**QUICK).fit(X, must_link=none, cannot_link=none)
        assert_array_equal(model.labels_, plain.labels_)
        assert model.objective_names_ == ("agreement", "modularity")


CHAIN = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(2, 0)]}


@pytest.mark.parametrize("k", [None, 3])
def test_contradictory_pairs(k):
    with pytest.raises(InconsistentConstraintsError, match=r"cannot-link \(0, 2\).*0 - 1 - 2"):
        ParetoClustering(k, **QUICK).fit(X, **CHAIN)
    soft = ParetoClustering(k, pairs="soft", **QUICK).fit(X, **CHAIN)
    assert ari(soft.labels_, CLASSES) > 0.9


def test_soft_pairs_need_not_hold():
    # One in ten is wrong: their closure would join everything.
    must, cannot = true_pairs(CLASSES, 120)
    wrong = np.concatenate([must[6:], cannot[:6]]), np.concatenate([cannot[6:], must[:6]])
    soft = ParetoClustering(pairs="soft", **QUICK).fit(X, must_link=wrong[0], cannot_link=wrong[1])
    assert ari(soft.labels_, CLASSES) > 0.9


@pytest.mark.parametrize(
    ("rows", "given"),
    [
        ((0, 1), {"must_link": [(0, 1)]}),
        ((0, 0), {"cannot_link": [(0, 1)]}),
        ((0, 2), {"must_link": [(0, 5), (5, 1)]}),
    ],
)
@pytest.mark.parametrize("pairs", ["hard", "soft"])
def test_labels_against_pairs(rows, given, pairs):
    y = np.full(len(X), -1)
    y[[0, 1]] = rows
    y[[10, 11]] = 1, 2
    with pytest.raises(InconsistentConstraintsError, match="classes"):
        ParetoClustering(pairs=pairs, **QUICK).fit(X, y, **given)


def test_labels_pass_along_must_links():
    y = partly(CLASSES, 1)
    model = ParetoClustering(**QUICK).fit(X, y, must_link=MUST)
    together = PairwiseConstraints(MUST, n_samples=len(X)).components()
    for i in np.flatnonzero(y >= 0):
        assert_array_equal(model.transduction_[together == together[i]], y[i])
        assert_array_equal(model.predict_proba_[together == together[i], y[i]], 1)


@pytest.mark.parametrize("given", [{}, {"cannot_link": CANNOT}])
def test_fewer_groups_than_clusters(given):
    joined = [(i, i + 1) for i in range(0, len(X), 2) if CLASSES[i] == CLASSES[i + 1]]
    n_groups = len(X) - len(joined)
    given = {"must_link": joined, **given}
    if "cannot_link" in given:
        given["cannot_link"] = CANNOT
    exact = ParetoClustering(n_groups, **QUICK).fit(X, **given)
    assert exact.n_clusters_ == n_groups
    with pytest.warns(UserWarning, match=f"only {n_groups} of n_clusters=.* distinct rows, or groups joined"):
        more = ParetoClustering(len(X), **QUICK).fit(X, **given)
    assert_array_equal(more.labels_, exact.labels_)
    assert kept(more.labels_, np.array(joined), None) == [1]
    soft = ParetoClustering(len(X), pairs="soft", **QUICK).fit(X, **given)
    assert soft.n_clusters_ == len(X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"must_link": [(0, 90)]}, r"must_link row 0: pair \(0, 90\) is out of range"),
        ({"cannot_link": [(0, 1), (-1, 3)]}, r"cannot_link row 1: pair \(-1, 3\) is out of range"),
        ({"must_link": [(4, 4)]}, "links a sample to itself"),
        ({"must_link": [0, 1]}, r"must_link must have shape \(n_pairs, 2\)"),
        ({"cannot_link": [(0, 1, 2)]}, r"cannot_link must have shape \(n_pairs, 2\)"),
        ({"must_link": [(0.5, 1)]}, "integers"),
    ],
)
def test_pairs_that_are_none(given, message):
    with pytest.raises(ValueError, match=message):
        ParetoClustering(**QUICK).fit(X, **given)
