"""Operators, encodings, indices and consensus functions, whatever the seed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.operators.crossover.ux import UniformCrossover
from sklearn.metrics import adjusted_rand_score

from moo_clustering import operators as ops
from moo_clustering.consensus import cspa, hbgf, mcla
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import (
    LabelEncoding,
    LocusAdjacencyEncoding,
    MedoidEncoding,
    MedoidSlotEncoding,
    relabel_by_first_appearance,
)
from moo_clustering.graphs import locus_graph, neighbor_lists
from moo_clustering.problems import MedoidProblem, MOCKProblem, NeighborGraphProblem, PartitionProblem
from moo_clustering.validity import get_index, pairwise_ari

N = 30


def points(seed):
    """Duplicates and ties are the hard part."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, (N, 2)).astype(float), rng


def drawn(problem, sampling, seed):
    return Population.new("X", sampling(problem, 12, random_state=np.random.default_rng(seed)).get("X"))


def crossed(crossover, problem, parents, rng):
    pairs = [[parents[i], parents[i + 1]] for i in range(0, len(parents), 2)]
    return crossover(problem, pairs, random_state=rng).get("X")


def mutated(mutation, problem, parents, rng):
    return mutation(problem, Population.new("X", parents.get("X").copy()), random_state=rng).get("X")


def medoid_sets(seed, **options):
    problem = MedoidProblem(points(seed)[0], k_max=5, metric="euclidean", **options)
    return problem, drawn(problem, ops.MedoidSampling(), seed)


@pytest.mark.parametrize("length", ["grow", "keep", "two_cut"])
def test_children_of_medoid_sets(length, global_random_seed):
    problem, parents = medoid_sets(global_random_seed)
    rng = np.random.default_rng(global_random_seed)
    crossover = ops.PrefixUnionCrossover(length=length)
    for genes in (
        parents.get("X"),
        crossed(crossover, problem, parents, rng),
        mutated(ops.MedoidReplaceMutation(prob=1.0), problem, parents, rng),
        mutated(ops.MedoidSwapMutation(prob=1.0), problem, parents, rng),
    ):
        genes = ops.MedoidSetRepair().do(problem, Population.new("X", genes), random_state=rng).get("X")
        for row in np.asarray(genes).astype(int):
            kept = row[row >= 0]
            assert 2 <= len(kept) <= 5
            assert len(set(kept)) == len(kept)
            assert kept.max() < N
            assert (row[len(kept) :] == -1).all()


@pytest.mark.parametrize("n_neighbors", [5, 12])
def test_children_of_neighbour_graphs(n_neighbors, global_random_seed):
    X, rng = points(global_random_seed)
    lists = neighbor_lists(X, n_neighbors, rng=rng)
    problem = NeighborGraphProblem(lists, n_neighbors=n_neighbors)
    parents = drawn(problem, ops.NeighborSampling(), global_random_seed)
    children = crossed(ops.UniformNeighborCrossover(), problem, parents, rng)
    X = np.asarray(parents.get("X")).astype(int)
    for i, child in enumerate(np.asarray(children).astype(int)):
        one, other = X[2 * (i % 6)], X[2 * (i % 6) + 1]
        assert ((child == one) | (child == other)).all()
    changed = np.asarray(mutated(ops.NeighborResample(0.5), problem, parents, rng)).astype(int)
    assert changed.min() >= 0
    assert (changed <= problem.xu).all()


@pytest.mark.parametrize("kind", ["locus", "short", "split"])
def test_children_of_trees(kind, global_random_seed):
    X, rng = points(global_random_seed)
    graph = locus_graph(X, n_neighbors=4, rng=rng)
    encoding = LocusAdjacencyEncoding(graph=graph, kind=kind, delta=0)
    problem = PartitionProblem(X, encoding, ["deviation"])
    genes = encoding.random(12, rng)
    parents = Population.new("X", genes)
    children = np.asarray(crossed(UniformCrossover(), problem, parents, rng)).astype(genes.dtype)
    for rows in (genes, encoding.repair(children)):
        assert (rows >= problem.xl).all()
        assert (rows <= problem.xu).all()
        labels = encoding.decode(rows)
        assert_array_equal(labels, relabel_by_first_appearance(labels))
        assert_array_equal(encoding.decode(encoding.encode(labels)), labels)


ENCODINGS = {
    "labels": lambda X: LabelEncoding(len(X), k_max=5),
    "medoids": lambda X: MedoidEncoding(X, k_max=5),
    "slots": lambda X: MedoidSlotEncoding(np.abs(X[:, None] - X).sum(axis=2), k_max=5),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_is_sampled_decodes_to_partitions(name, global_random_seed):
    X, rng = points(global_random_seed)
    encoding = ENCODINGS[name](X)
    labels = encoding.decode(encoding.random(20, rng))
    assert labels.shape == (20, N)
    for row in labels:
        assert set(row) == set(range(row.max() + 1))
        assert row.max() < 5
    together = encoding.random(3, rng)
    alone = [encoding.decode(row[None])[0] for row in together]
    assert_array_equal(encoding.decode(together), alone)


INDICES = [
    "xie_beni",
    "i_index",
    "davies_bouldin",
    "silhouette",
    "minimax_silhouette",
    "likelihood_gain",
    "deviation",
    "connectivity",
]


@pytest.mark.parametrize("name", INDICES)
def test_a_population_scores_as_its_members(name, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(N, 3))
    labels = relabel_by_first_appearance(rng.integers(0, rng.integers(1, 8), (9, N)))
    index = get_index(name).fit(X)
    together = index.evaluate(labels)
    assert not np.isnan(together).any()
    assert_allclose([index.evaluate(row)[0] for row in labels], together, rtol=1e-11)
    # Names of clusters say nothing.
    renamed = relabel_by_first_appearance(labels.max(axis=1)[:, None] - labels)
    assert_allclose(index.evaluate(renamed), together, rtol=1e-9, atol=1e-12)


def test_rand_indices_are_those_of_scikit_learn(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = relabel_by_first_appearance(rng.integers(0, rng.integers(1, 8), (6, N)))
    expected = [[adjusted_rand_score(one, other) for other in labels] for one in labels]
    assert_allclose(pairwise_ari(labels), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("consensus", "options"),
    [
        (mcla, {"partitioner": "matching"}),
        (cspa, {}),
        (cspa, {"partitioner": "spectral"}),
        (hbgf, {"partitioner": "spectral"}),
    ],
)
def test_consensus_of_runs_that_err(consensus, options, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = rng.permutation(np.arange(45) % 3)
    runs = np.array(
        [np.where(rng.random(45) < 0.2, rng.integers(0, 3, 45), rng.permutation(3)[truth]) for _ in range(15)]
    )
    labels = consensus(runs, 3, random_state=global_random_seed, **options)
    assert adjusted_rand_score(truth, labels) > 0.8
    turned = rng.permutation(15)
    assert adjusted_rand_score(labels, consensus(runs[turned], 3, random_state=0, **options)) > 0.8


def test_closed_constraints_say_nothing_wrong(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    classes = rng.integers(0, 3, N)
    pairs = rng.integers(0, N, (25, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    constraints = PairwiseConstraints(pairs[same], pairs[~same], n_samples=N)
    closed, conflicts = constraints.closure()
    assert len(conflicts) == 0
    must, cannot = closed.must_link, closed.cannot_link
    assert (classes[must[:, 0]] == classes[must[:, 1]]).all()
    assert (classes[cannot[:, 0]] != classes[cannot[:, 1]]).all()
    for given, implied in ((pairs[same], must), (pairs[~same], cannot)):
        assert set(map(frozenset, given.tolist())) <= set(map(frozenset, implied.tolist()))
    assert constraints.violation(classes).tolist() == [0.0]


def test_links_beyond_delta_stay_cut(global_random_seed):
    X, rng = points(global_random_seed)
    problem = MOCKProblem(X + rng.normal(0, 0.01, X.shape), encoding="short", delta=60, n_neighbors=4)
    parents = drawn(problem, ops.MSTInterestingnessSampling(), global_random_seed)
    genes = np.asarray(parents.get("X"))
    assert genes.shape[1] == problem.n_var < N
    labels = problem.decode(genes)
    assert_array_equal(problem.evaluate(genes), problem.evaluate(genes[::-1])[::-1])
    assert (labels.max(axis=1) < problem.n_var + 1).all()


def test_an_individual_is_a_duplicate_of_its_permutation(global_random_seed):
    problem, parents = medoid_sets(global_random_seed)
    duplicates = ops.CanonicalDuplicates(problem.encoding)
    genes = np.asarray(parents.get("X"))
    rng = np.random.default_rng(global_random_seed)
    turned = np.array([np.append(rng.permutation(row[row >= 0]), row[row < 0]) for row in genes])
    left = duplicates.do(Population.create(*[Individual(X=row) for row in turned]), parents)
    assert len(left) == 0
