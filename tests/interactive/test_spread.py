"""From groups of answered samples to a partition: evidence, provisional groups, errors."""

import numpy as np
import pytest

from moo_clustering.evidence import (
    class_probabilities,
    coassociation,
    graph_kernel,
    kernel_ridge,
    linear_kernel,
)
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.interactive import QuestionPool
from moo_clustering.interactive.partition import Spread
from moo_clustering.interactive.questions import Inquiry, State
from moo_clustering.pool import PartitionPool
from moo_clustering.validity import LabelEvidence

NOTHING = np.zeros((0, 2), dtype=np.int64), np.zeros(0)


@pytest.fixture
def base():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.7, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    cuts = [np.searchsorted([cut], X[:, axis]) for axis, cut in ((0, 2), (1, 2), (0, 1.5), (1, 0))]
    pool = PartitionPool.of([("cut", cut) for cut in cuts] + [("three", np.repeat([0, 1, 2], 12))])
    graph = self_tuning_graph(X, n_neighbors=5)
    score = np.array([0.1, 0.2, 0.1, 0.0, 0.3])
    return QuestionPool(pool, score, pool.labels[4], lambda: graph_kernel(graph), features=X)


def test_nothing_known_is_the_best_member(base):
    spread = Spread(base, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), *NOTHING)
    np.testing.assert_array_equal(spread.group, base.start)
    assert (spread.n_real, spread.n_groups, spread.new_share) == (0, 3, 1.0)
    # The medoids stand in their clusters.
    np.testing.assert_array_equal(base.start[spread.medoids], [0, 1, 2])


def test_near_groups_are_likelier_to_be_one_than_far_ones():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (12, 2)) for c in ((4, 0), (0, 9), (0, 0))])
    pool = PartitionPool.of([("three", np.repeat([0, 1, 2], 12))])
    graph = self_tuning_graph(X, n_neighbors=5)
    base = QuestionPool(pool, np.ones(1), pool.labels[0], lambda: graph_kernel(graph), features=X)
    likely = Inquiry(base, State(), error_rate=0.1, names=False, seed=0).group_logits
    assert likely[0, 1] < min(likely[0, 2], likely[1, 2])


def test_names_of_provisional_groups_count_known_and_new_classes(base):
    inquiry = Inquiry(base, State(), error_rate=0.1, names=True, seed=0)
    first, second, _ = inquiry.spread.medoids.tolist()
    named = inquiry.after_name(first, "a")
    for after, together, apart in (
        (named, 0, 1),
        (named.after_name(second, "a"), 1, 1),
        (named.after_name(second, "b"), 0, 2),
        (named.after_name(first, "b"), 0, 1),  # the group is not provisional any more
    ):
        assert (after.state.together, after.state.apart) == (together, apart)


def test_a_result_that_is_no_member_joins_the_pool():
    pool = PartitionPool.of([("a", [0, 0, 1, 1]), ("b", [0, 1, 1, 1])])
    base = QuestionPool(pool, np.array([0.5, 0.4]), np.array([0, 1, 2, 2], dtype=np.int32), lambda: np.eye(4))
    assert base.pool.n_partitions == 3
    assert base.score.argmax() == 2


def test_evidence_is_that_of_labels_with_one_more_class(base):
    points, groups = np.array([0, 1, 13, 14, 25]), np.array([0, 0, 1, 1, 0])
    counts = np.zeros((36, 2))
    counts[points, groups] = 1.0
    expected = LabelEvidence(unnamed=True).fit(counts).evaluate(base.pool.labels)
    np.testing.assert_allclose(base.evidence(points, groups, 2), expected, rtol=1e-12)


@pytest.mark.parametrize("n_anchors", [3, 9])
def test_probabilities_are_those_of_the_kernel_ridge(base, n_anchors):
    points = np.array([0, 13, 25, 1, 14, 2, 15, 3, 16])[:n_anchors]
    groups = np.array([0, 1, 0, 0, 1, 0, 1, 0, 1])[:n_anchors]
    spread = Spread(base, points, groups, *NOTHING)
    kernel = coassociation(base.pool.labels[spread.kept], spread.weights, columns=points)
    assert spread.full == (n_anchors == 9)
    if spread.full:
        kernel += base.kernel[:, points] + 0.3 * linear_kernel(base.features, points)
    scores = kernel_ridge(kernel, points, np.eye(2)[groups])
    prior = (np.bincount(groups) + 1.0) / (n_anchors + 2.0)
    np.testing.assert_allclose(spread.probabilities, class_probabilities(scores, prior), rtol=1e-9)
    np.testing.assert_array_equal(spread.group[points], groups)
    assert (spread.error[points] == 0).all()
    assert ((spread.error >= 0) & (spread.error <= 1)).all()


def test_clusters_without_an_anchor_stay_until_few_bring_a_new_class(base):
    spread = Spread(base, np.array([0]), np.array([0]), *NOTHING)
    assert spread.n_real == 1
    assert spread.n_groups == len(np.unique(spread.group))
    # Three clusters met, two classes: (2 + 1) / (3 + 1) of them were new.
    spread = Spread(base, np.array([0, 13, 25]), np.array([0, 1, 0]), *NOTHING)
    assert spread.new_share == 0.75


def test_variance_that_an_answer_takes_away(base):
    points, groups = np.array([0, 13]), np.array([0, 1])
    spread = Spread(base, points, groups, *NOTHING)
    K = coassociation(base.pool.labels[spread.kept], spread.weights)
    A = K[np.ix_(points, points)] + 0.1 * np.eye(2)
    left = K - K[:, points] @ np.linalg.solve(A, K[points])
    candidates = np.array([5, 20, 30])
    expected = [spread.error @ np.maximum(left[:, x], 0) ** 2 / (left[x, x] + 0.1) for x in candidates]
    np.testing.assert_allclose(spread.reductions(candidates), expected, rtol=1e-4)


def test_violated_pairs_weigh_against_members(base):
    nobody = np.zeros(0, dtype=np.intp)
    pairs = np.array([[0, 13], [1, 14], [2, 15], [3, 16]])
    together = Spread(base, nobody, nobody, pairs, np.ones(4))
    apart = Spread(base, nobody, nobody, pairs, -np.ones(4))
    assert (together.group[pairs[:, 0]] == together.group[pairs[:, 1]]).sum() >= 3
    np.testing.assert_array_equal(apart.group, base.start)


def test_sums_over_clusters_are_those_of_the_coassociation(base):
    points, groups = np.array([0, 13, 1, 14, 2, 15, 3, 16]), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    spread = Spread(base, points, groups, *NOTHING)
    K = coassociation(base.pool.labels[spread.kept], spread.weights)
    np.testing.assert_allclose(spread.together(points, np.arange(36)), K[points], rtol=1e-12)
    same = spread.group[points][:, None] == spread.group
    np.testing.assert_allclose(
        spread.membership(points, groups, spread.tables), (K[points] * same).sum(axis=1), rtol=1e-12
    )
    assert spread.tables.sum() == 36 * len(spread.kept)
    np.testing.assert_allclose(spread.votes.sum(axis=1)[points], 1.0)
    assert set(spread.typical[:2]) <= set(points)
