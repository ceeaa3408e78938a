"""Merge, split, refine, overlay, pairs, numbers of clusters: by hand and by property."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_operator_cases import arcs, parse, path_graph, problem_of, random_labels, ring_graph, text
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.operators import (
    ClusterNumberRepair,
    GraphMerge,
    GraphRefine,
    GroupingOverlayCrossover,
    LabelGraph,
    PairViolationMutation,
    PartitionMutation,
    PoolSplit,
)
from moo_clustering.operators.partitions import CROSSED, drawn_clusters, merge_linked

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20, deadline=None)
PATH = path_graph(1, 1, 1, 1, 1)
ALL = LabelEncoding(6, k_min=1, k_max=6)


def outcomes(mutation, labels, bounds, n=60):
    """Everything a mutation makes of a partition."""
    (row,) = parse(labels)
    made = {text(mutation.varied(row.copy(), bounds, np.random.default_rng(seed))) for seed in range(n)}
    assert text(row) == labels
    return made


class Scripted:
    """A generator whose next number is known."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number


def test_links_and_volumes_of_a_path():
    graph = LabelGraph.of(PATH + np.eye(6))
    assert_array_equal(graph.volumes, [1, 2, 2, 2, 2, 1])
    assert_array_equal(graph.links(parse("000111")[0]), [[4, 1], [1, 4]])
    assert LabelGraph.of(graph) is graph
    assert copy.deepcopy(graph) is graph


def test_merge_by_hand():
    # W_01 = 2, W_12 = 6, volumes 4, 10, 8: pulls 2/4 and 6/8, so .4 and .6 of the draws.
    graph = LabelGraph.of(path_graph(1, 2, 1, 6, 1))
    (row,) = parse("001122")
    assert text(merge_linked(row, graph, 1, Scripted(0.399))) == "000011"
    assert text(merge_linked(row, graph, 1, Scripted(0.401))) == "001111"
    assert text(merge_linked(row, graph, 1, Scripted(0.999999))) == "001111"
    assert text(merge_linked(row, graph, 3, Scripted(0.5))) == "001122"


def test_merge_without_links():
    assert outcomes(GraphMerge(np.zeros((4, 4))), "0012", ALL) == {"0001", "0010", "0011"}


def test_split_by_hand():
    split = PoolSplit(parse("001122"))
    assert outcomes(split, "000000", ALL) == {"001111", "001100", "000011", "001122"}
    assert outcomes(split, "000000", LabelEncoding(6, k_min=1, k_max=2)) == {"001111", "001100", "000011"}
    assert outcomes(split, "000000", LabelEncoding(6, k_min=1, k_max=1)) == {"000000"}
    assert outcomes(split, "001122", ALL) == {"001122"}
    assert outcomes(PoolSplit(parse("001122"), min_share=0.5), "000000", ALL) == {"000000"}


def test_small_pieces_stay_with_the_largest():
    # Of six samples the pieces have three, two and one; .3 of six is 1.8.
    assert outcomes(PoolSplit(parse("000112"), min_share=0.3), "000000", ALL) == {"000110", "000111"}


def test_a_share_that_is_met_exactly_counts():
    pool = (np.arange(25) >= 23).astype(np.int32)[None]
    one = np.zeros(25, dtype=np.int32)
    assert_array_equal(PoolSplit(pool).split(one, 2, np.random.default_rng(0)), pool[0])


def test_refine_by_hand():
    refine = GraphRefine(PATH)
    # 0 follows 1, 1 follows both its neighbours, the others are in a tie and stay, or agree.
    assert text(refine.refined(parse("010011")[0], 1, 1)) == "011100"
    # Without inertia the middle of a path of three goes with the first of its neighbours.
    three = GraphRefine(path_graph(1, 1), inertia=0.0)
    assert text(three.refined(parse("012")[0], 1, 1)) == "010"
    triangle = GraphRefine(np.ones((3, 3)))
    assert text(triangle.refined(parse("001")[0], 1, 1)) == "000"
    assert text(triangle.refined(parse("001")[0], 3, 2)) == "001"


@pytest.mark.parametrize(
    ("weights", "share", "expected"),
    [
        ((1, 1, 1, 1, 1), 0.3, "000122"),
        # The single sample left of 2, 3 is dissolved: tied neighbours, the first wins.
        ((1, 1, 1, 1, 1), 0.6, "000011"),
        ((1, 1, 1, 2, 1), 0.6, "000111"),
        # Nobody near: it stays what it was.
        ((1, 1, 0, 0, 1), 0.6, "000122"),
    ],
)
def test_overlay_by_hand(weights, share, expected):
    a, b = parse("000111", "001122")
    crossover = GroupingOverlayCrossover(path_graph(*weights), min_share=share)
    assert text(crossover._laid_over(a, b, np.array([True, False]), 6)) == expected


def test_overlay_within_the_greatest_number():
    # Sizes 3, 1, 2: the single sample is linked to both sides alike, the lower number gets it.
    a, b = parse("000111", "001122")
    kept = np.array([True, False])
    for graph, expected in (
        (PATH, "000011"),
        (path_graph(1, 1, 1, 2, 1), "000111"),
        (np.zeros((6, 6)), "000111"),
    ):
        assert text(GroupingOverlayCrossover(graph)._laid_over(a, b, kept, 2)) == expected


def test_rounds_of_joining():
    # Samples 3..5 are dissolved; the cluster of 0..2 reaches one of them a round.
    labels = parse("000000")[0]
    labels[3:] = -1
    graph = LabelGraph.of(PATH)
    assert_array_equal(graph.joined(labels, 2), [0, 0, 0, 0, 0, -1])
    assert_array_equal(graph.joined(labels, 3), [0] * 6)


def test_some_clusters_are_kept_but_not_all():
    rng = np.random.default_rng(0)
    for k in (2, 3, 5):
        counts = {int(drawn_clusters(k, rng).sum()) for _ in range(300)}
        assert counts == set(range(1, k))
    assert not drawn_clusters(1, rng).any()


def test_pairs_by_hand():
    pool = parse("001122")
    must = PairViolationMutation(PATH, pool, PairwiseConstraints([(0, 5)], None, n_samples=6))
    assert outcomes(must, "000111", ALL) == {"000000", "001000", "000100"}
    assert outcomes(must, "000111", LabelEncoding(6, k_min=2, k_max=6)) == {"001000", "000100"}
    assert outcomes(must, "000000", ALL) == {"000000"}
    # No partition of the pool cuts these clusters.
    assert outcomes(must, "001122", ALL) == {"001100"}
    # ... and where they may not be united either, nothing is left to do.
    assert outcomes(must, "001122", LabelEncoding(6, k_min=3, k_max=6)) == {"001122"}
    cannot = PairViolationMutation(PATH, pool, PairwiseConstraints(None, [(0, 2)], n_samples=6))
    assert outcomes(cannot, "000111", ALL) == {"001222", "001111"}
    assert outcomes(cannot, "000111", LabelEncoding(6, k_min=1, k_max=2)) == {"000111", "001111"}
    assert outcomes(cannot, "000000", ALL) == {"001111", "001100"}
    assert outcomes(cannot, "000000", LabelEncoding(6, k_min=1, k_max=1)) == {"000000"}
    inseparable = PairViolationMutation(PATH, pool, PairwiseConstraints(None, [(0, 1)], n_samples=6))
    assert outcomes(inseparable, "000111", ALL) == {"000111"}


def test_a_piece_joins_the_cluster_it_is_linked_to_most():
    # Sample 2 leaves 0..2; it is linked to 4, 5 more than to 3.
    S = PATH.copy()
    S[2, 4] = S[4, 2] = 5.0
    cannot = PairwiseConstraints(None, [(0, 2)], n_samples=6)
    # The other piece, 0 and 1, is linked to nobody else, and there may not be a fourth cluster.
    made = outcomes(
        PairViolationMutation(S, parse("001000"), cannot), "000122", LabelEncoding(6, k_min=1, k_max=3)
    )
    assert made == {"001211", "000122"}


def test_violated_pairs():
    pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 3), (4, 5)], n_samples=6)
    mutation = PairViolationMutation(PATH, parse("001122"), pairs)
    assert_array_equal(mutation.violated(parse("001122")[0]), [1, 3])


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_number_of_clusters(n):
    repair = ClusterNumberRepair(PATH, parse("000111"), n)
    X = parse("000000", "000111", "001122", "012345", "555500")
    before = X.copy()
    out = repair._do(problem_of(6, k_max=6), X, random_state=np.random.default_rng(0))
    assert_array_equal(X, before)
    assert_array_equal(out.max(axis=1) + 1, n)
    right = before.max(axis=1) + 1 == n
    right[-1] = False
    assert_array_equal(out[right], before[right])


def test_halves_in_the_order_of_the_graph():
    # 0-2-4 and 1-3-5 are chains; the pool does not cut. From 0: 0, 2, 4, then the unreached 1, 3, 5.
    S = np.zeros((6, 6))
    for i in range(4):
        S[i, i + 2] = S[i + 2, i] = 1.0
    repair = ClusterNumberRepair(S, parse("000000"), 2)
    assert text(repair.repaired(parse("000000"), np.random.default_rng(0))[0]) == "010101"
    assert repair.repaired(np.empty((0, 6), dtype=np.int32), np.random.default_rng(0)).shape == (0, 6)


M = 24
GRAPH = LabelGraph.of(ring_graph(M))
POOL = arcs(M)
PAIRS = PairwiseConstraints([(0, 5), (1, 13)], [(0, 1), (7, 8), (3, 20)], n_samples=M)
MUTATIONS = {
    "merge": GraphMerge(GRAPH),
    "split": PoolSplit(POOL),
    "refine": GraphRefine(GRAPH),
    "pairs": PairViolationMutation(GRAPH, POOL, PAIRS),
    "partition": PartitionMutation(GRAPH, POOL),
    "with pairs": PartitionMutation(GRAPH, POOL, constraints=PAIRS),
}


def assert_legal(X, k_min, k_max):
    assert X.dtype == np.int32
    assert_array_equal(X, relabel_by_first_appearance(X))
    k = X.max(axis=1) + 1
    assert (k >= k_min).all()
    assert (k <= k_max).all()


@pytest.mark.parametrize("name", MUTATIONS)
@given(seed=SEEDS)
@FEW
def test_mutations(name, seed):
    rng = np.random.default_rng(seed)
    problem = problem_of(M, k_max=8, k_min=2)
    X = problem.encoding.repair(random_labels(rng, 6, M, int(rng.integers(2, 9))))
    before = X.copy()
    out = MUTATIONS[name]._do(problem, X, random_state=np.random.default_rng(seed))
    assert_array_equal(X, before)
    assert_legal(out, 2, 8)
    # The numbers of the clusters do not matter, nor that pymoo hands out floats.
    renamed = rng.permutation(8)[X].astype(float)
    assert_array_equal(MUTATIONS[name]._do(problem, renamed, random_state=np.random.default_rng(seed)), out)
    k, k_before = out.max(axis=1), relabel_by_first_appearance(before).max(axis=1)
    if name == "merge":
        assert_array_equal(k, np.maximum(k_before - 1, 1))
    elif name == "split":
        assert (k >= k_before).all()
    elif name == "refine":
        assert (k <= k_before).all()
    elif name == "pairs":
        for row, now in zip(relabel_by_first_appearance(before), out, strict=True):
            solved = set(MUTATIONS[name].violated(row)) - set(MUTATIONS[name].violated(now))
            assert solved or text(row) == text(now)


@given(SEEDS)
@FEW
def test_crossover(seed):
    rng = np.random.default_rng(seed)
    problem = problem_of(M, k_max=6)
    X = random_labels(rng, 10, M, 6).reshape(2, 5, M)
    before = X.copy()
    crossover = GroupingOverlayCrossover(GRAPH)
    out = crossover._do(problem, X, random_state=np.random.default_rng(seed))
    assert_array_equal(X, before)
    assert_legal(out.reshape(10, M), 1, 6)
    renamed = rng.permutation(6)[X]
    assert_array_equal(crossover._do(problem, renamed, random_state=np.random.default_rng(seed)), out)


@given(SEEDS)
@FEW
def test_kept_clusters_are_in_the_child(seed):
    rng = np.random.default_rng(seed)
    a, b = relabel_by_first_appearance(random_labels(rng, 2, M, 5))
    kept = drawn_clusters(int(a.max()) + 1, rng)
    child = GroupingOverlayCrossover(GRAPH, min_share=0.0)._laid_over(a, b, kept, M)
    for cluster in np.flatnonzero(kept):
        assert_array_equal(child == child[a == cluster][0], a == cluster)
    elsewhere = ~kept[a]
    assert_array_equal(relabel_by_first_appearance(child[None, elsewhere]),
                       relabel_by_first_appearance(b[None, elsewhere]))  # fmt: skip


@given(SEEDS, st.integers(1, M))
@FEW
def test_any_number_of_clusters(seed, n):
    rng = np.random.default_rng(seed)
    out = ClusterNumberRepair(GRAPH, POOL, n).repaired(random_labels(rng, 4, M, 9), rng)
    assert_legal(out, n, n)


def test_children_are_marked_and_mutated_accordingly():
    problem = problem_of(M)
    parents = Population.new(X=POOL)
    pairs = [parents[[i, j]] for i in range(10) for j in range(10)]
    children = GroupingOverlayCrossover(GRAPH).do(problem, pairs, random_state=np.random.default_rng(0))
    marks = children.get(CROSSED).astype(bool)
    assert len(children) == 200
    assert_array_equal(marks[:100], marks[100:])
    assert 40 <= marks[:100].sum() <= 80
    expected = np.array([[pair[side].X for pair in pairs] for side in range(2)]).reshape(200, M)
    assert_array_equal(children.get("X")[~marks], expected[~marks])
    before = children.get("X").copy()
    # Uniting always changes something here, so that changed rows are mutated rows.
    mutation = PartitionMutation(GRAPH, POOL, split=0, refine=0, polish=0)
    out = mutation.do(problem, children, random_state=np.random.default_rng(1))
    changed = (out.get("X") != before).any(axis=1)
    assert changed[~marks].all()
    possible = before[marks].max(axis=1) > 0
    assert 0.15 <= changed[marks][possible].mean() <= 0.45
    assert all(CROSSED not in individual.data for individual in out)
    assert_array_equal(parents.get("X"), POOL)
    # Without a mark, every partition with several clusters is mutated.
    before = out.get("X").copy()
    again = mutation.do(problem, out, random_state=np.random.default_rng(2))
    assert (again.get("X") != before).any(axis=1)[before.max(axis=1) > 0].all()


def test_mutation_of_a_copy():
    problem = problem_of(M)
    pop = Population.new(X=POOL.copy())
    out = PartitionMutation(GRAPH, POOL).do(
        problem, pop, inplace=False, random_state=np.random.default_rng(0)
    )
    assert_array_equal(pop.get("X"), POOL)
    assert (out.get("X") != POOL).any()


def test_shares_of_the_mutations():
    problem = problem_of(M)
    X = np.repeat(POOL[[2]], 2000, axis=0)
    k = (
        PartitionMutation(GRAPH, POOL, polish=0)
        ._do(problem, X, random_state=np.random.default_rng(0))
        .max(axis=1)
    )
    assert_allclose((k < POOL[2].max()).mean(), 0.35, atol=0.05)
    assert_allclose((k > POOL[2].max()).mean(), 0.40, atol=0.05)


def test_share_of_pairs():
    # A must-link that uniting alone can satisfy: the two clusters are far from each other.
    pairs = PairwiseConstraints([(0, 12)], None, n_samples=M)
    mutation = PartitionMutation(GRAPH, POOL, merge=0, split=0, refine=1, polish=0, constraints=pairs)
    X = np.repeat(POOL[[2]], 2000, axis=0)
    out = mutation._do(problem_of(M), X, random_state=np.random.default_rng(0))
    assert_allclose((out[:, 0] == out[:, 12]).mean(), 0.55, atol=0.05)


BAD = [
    (lambda: LabelGraph.of(np.zeros((2, 3))), ValueError, "square"),
    (lambda: LabelGraph.of([[0, -1], [-1, 0]]), ValueError, "must be non-negative"),
    (lambda: PoolSplit(np.empty((0, 4), dtype=int)), ValueError, "pool must contain"),
    (lambda: PoolSplit([[0.5, 1.0]]), ValueError, "pool must contain"),
    (lambda: PoolSplit(POOL, min_share=1.5), ValueError, "min_share"),
    (lambda: PoolSplit(POOL, max_tries=0), ValueError, "max_tries"),
    (lambda: GraphRefine(GRAPH, max_steps=1.5), TypeError, "max_steps"),
    (lambda: GraphRefine(GRAPH, inertia=-1), ValueError, "inertia"),
    (lambda: GroupingOverlayCrossover(GRAPH, max_rounds=0), ValueError, "max_rounds"),
    (lambda: PartitionMutation(GRAPH, POOL, merge=-1), ValueError, "merge, split and refine"),
    (lambda: PartitionMutation(GRAPH, POOL, merge=0, split=0, refine=0), ValueError, "not all 0"),
    (lambda: PartitionMutation(GRAPH, POOL, polish=2), ValueError, "polish"),
    (lambda: PairViolationMutation(GRAPH, POOL, [(0, 1)]), TypeError, "PairwiseConstraints"),
    (lambda: ClusterNumberRepair(GRAPH, POOL, M + 1), ValueError, "n_clusters"),
    (lambda: ClusterNumberRepair(GRAPH, POOL, 9)._do(problem_of(M, k_max=8), POOL), ValueError, "n_clusters"),
    (lambda: GraphMerge(GRAPH)._do(Problem(n_var=M, n_obj=1), POOL), TypeError, "LabelEncoding"),
]


MIXED = {
    "repair": lambda: ClusterNumberRepair(GRAPH, POOL[:, 1:], 3),
    "pool": lambda: PartitionMutation(GRAPH, POOL[:, 1:]),
    "pairs and pool": lambda: PairViolationMutation(GRAPH, POOL[:, 1:], PAIRS),
    "pairs": lambda: PairViolationMutation(GRAPH, POOL, PairwiseConstraints([(0, 1)], None, n_samples=M + 1)),
    "links": lambda: GRAPH.links(POOL[0, 1:]),
    "votes": lambda: GRAPH.voted(np.zeros(M - 1, np.int32), 0.0),
    "rounds": lambda: GRAPH.joined(np.zeros(M + 1, np.int32), 2),
}
SIZED = MUTATIONS | {
    "overlay": GroupingOverlayCrossover(GRAPH),
    "number": ClusterNumberRepair(GRAPH, POOL, 3),
}


@pytest.mark.parametrize("call", MIXED.values(), ids=MIXED)
def test_graphs_pools_and_pairs_have_the_same_samples(call):
    with pytest.raises(ValueError, match=r"must have the same number of samples, got 2[345] and 2[345]"):
        call()


@pytest.mark.parametrize("n_samples", [M - 1, M + 1])
@pytest.mark.parametrize("name", SIZED)
def test_problems_with_other_samples_are_refused(name, n_samples):
    # The compiled functions do not check bounds, so this may end the process otherwise.
    X = np.zeros((2, 2, n_samples) if name == "overlay" else (2, n_samples), dtype=int)
    with pytest.raises(ValueError, match=f"and problem must have the same .*, got {M} and {n_samples}"):
        SIZED[name]._do(problem_of(n_samples), X, random_state=np.random.default_rng(0))


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
