"""Sampling, crossover and mutations of seeds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.operators import (
    AlignedSeedCrossover,
    DistantSeedMutation,
    ExclusiveMating,
    MedoidSampling,
    MutationChoice,
    SeedSampling,
    SweepSeedMutation,
)
from moo_clustering.problems import SubspaceClusteringProblem

FEW = settings(max_examples=15, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


def topics(n=60, n_topics=4, words=6, seed=0, noise=0.02):
    """Documents of clear topics, every fourth of them labelled."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % n_topics
    chance = np.where(np.arange(n_topics * words) // words == topic[:, None], 0.85, noise)
    X = (rng.random(chance.shape) < chance).astype(float)
    return X, topic


def problem_of(n_seeds=4, k_min=None, *, labelled=4, n=60, **kwargs):
    X, topic = topics(n)
    y = np.where(np.arange(n) // 4 % labelled == 0, topic, -1)
    return SubspaceClusteringProblem(X, y, n_seeds=n_seeds, k_min=k_min, **kwargs)


PROBLEMS = {
    "fixed": problem_of(),
    "varying": problem_of(5, 2, n_sweeps=1),
    "all documents": problem_of(8, 7, n=8, labelled=1, n_sweeps=1),
    "one": problem_of(1),
}


def assert_legal(X, problem):
    assert X.dtype.kind == "i"
    assert_array_equal(problem.encoding.repair(X), X)
    assert ((X >= 0).sum(axis=1) >= problem.k_min).all()


def rng_of(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", PROBLEMS)
@given(seed=SEEDS)
@settings(max_examples=6, deadline=None)
def test_what_comes_out_is_legal(name, seed):
    problem, rng = PROBLEMS[name], rng_of(seed)
    for by_class in (False, True):
        X = SeedSampling(by_class)._do(problem, 8, random_state=rng)
        assert X.shape == (8, problem.n_seeds)
        assert_legal(X, problem)
    before = X.copy()
    children = AlignedSeedCrossover()._do(problem, X.reshape(2, 4, -1).astype(float), random_state=rng)
    assert children.shape == (2, 4, problem.n_var)
    assert_legal(children.reshape(8, -1), problem)
    for mutation in (DistantSeedMutation(), DistantSeedMutation("replace"), SweepSeedMutation()):
        assert_legal(mutation._do(problem, X.astype(float), random_state=rng), problem)
    assert_legal(MutationChoice([DistantSeedMutation(), SweepSeedMutation()])._do(problem, X), problem)
    assert_array_equal(X, before)


def test_the_same_generator_gives_the_same():
    problem = PROBLEMS["varying"]
    X = SeedSampling()._do(problem, 8, random_state=rng_of(0))
    assert_array_equal(X, SeedSampling()._do(problem, 8, random_state=rng_of(0)))
    for operator, given_ in (
        (AlignedSeedCrossover(), X.reshape(2, 4, -1)),
        (DistantSeedMutation(), X),
        (MutationChoice([DistantSeedMutation(), SweepSeedMutation()]), X),
    ):
        once, again, other = (operator._do(problem, given_, random_state=rng_of(s)) for s in (1, 1, 2))
        assert_array_equal(once, again)
        assert (once != other).any()


def test_sizes_are_drawn_from_fewest_to_most():
    X = SeedSampling()._do(PROBLEMS["varying"], 2000, random_state=rng_of(0))
    assert_allclose(np.bincount((X >= 0).sum(axis=1))[2:] / 2000, 0.25, atol=0.04)
    assert ((X >= 0).mean(axis=0) > 0.6).all()  # empty slots are anywhere


def test_seeds_by_class():
    problem = problem_of(6)
    y = np.full(60, -1)
    y[problem.targets.rows] = problem.targets.indicators[problem.targets.rows].argmax(axis=1)
    X = SeedSampling(by_class=True)._do(problem, 200, random_state=rng_of(0))
    counts = np.apply_along_axis(np.bincount, 1, y[X], minlength=4)
    # Six seeds of four classes: two of them twice.
    assert_array_equal(np.sort(counts, axis=1), np.tile([1, 1, 2, 2], (200, 1)))
    assert len(np.unique(X[:, 0])) > 10
    # Empty slots stay empty: the numbers of seeds are those without classes.
    problem = PROBLEMS["varying"]
    X = SeedSampling(by_class=True)._do(problem, 2000, random_state=rng_of(0))
    assert_allclose(np.bincount((X >= 0).sum(axis=1))[2:] / 2000, 0.25, atol=0.04)
    assert np.isin(X[X >= 0], problem.targets.rows).all()
    poor = problem_of(9, labelled=8)
    known = poor.targets.rows
    assert len(known) == 8
    X = SeedSampling(by_class=True)._do(poor, 20, random_state=rng_of(0))
    assert (np.isin(X, known).sum(axis=1) == 8).all()
    nothing = SubspaceClusteringProblem(topics()[0], n_seeds=3, objectives=("dispersion",))
    with pytest.raises(ValueError, match="by_class=True requires labels"):
        SeedSampling(by_class=True)._do(nothing, 3, random_state=rng_of(0))
    with pytest.raises(TypeError, match="by_class"):
        SeedSampling(by_class="yes")


def test_a_distant_document_enters_with_probability_proportional_to_its_distance():
    problem = problem_of(3)
    x = np.array([[0, 4, 9]])  # the third topic is far from all
    X = np.repeat(x, 4000, axis=0)
    mutated = DistantSeedMutation("replace")._do(problem, X, random_state=rng_of(0))
    changed = (mutated != X).sum(axis=1)
    assert_array_equal(changed, 1)
    entered = mutated[mutated != X]
    expected = problem.center_distances(x)[0].astype(float)
    expected[x[0]] = 0.0
    expected /= expected.sum()
    assert_allclose(np.bincount(entered, minlength=60) / 4000, expected, atol=0.015)
    assert_allclose((mutated != X).mean(axis=0), 1 / 3, atol=0.03)


def test_seeds_are_added_and_dropped_where_their_number_varies():
    problem = problem_of(5, 3)
    for k, sizes in ((3, {3, 4}), (4, {3, 4, 5}), (5, {4, 5})):
        x = np.full(5, -1)
        x[:k] = np.arange(k) * 3
        X = np.repeat(rng_of(k).permutation(x)[None], 600, axis=0)
        mutated = DistantSeedMutation()._do(problem, X, random_state=rng_of(k))
        got = (mutated >= 0).sum(axis=1)
        assert set(got) == sizes
        if k == 4:
            assert_allclose(np.bincount(got)[3:] / 600, 1 / 3, atol=0.07)
        replaced = DistantSeedMutation("replace")._do(problem, X, random_state=rng_of(k))
        assert ((replaced >= 0).sum(axis=1) == k).all()
        assert_array_equal(replaced < 0, X < 0)
    fixed = problem_of(3)
    mutated = DistantSeedMutation()._do(fixed, np.repeat([[0, 1, 2]], 50, axis=0), random_state=rng_of(0))
    assert ((mutated != [0, 1, 2]).sum(axis=1) == 1).all()


def test_documents_all_alike():
    same = SubspaceClusteringProblem(np.ones((6, 3)), np.arange(6) % 2, n_seeds=2, objectives=("dispersion",))
    X = SeedSampling()._do(same, 40, random_state=rng_of(0))
    mutated = DistantSeedMutation()._do(same, X, random_state=rng_of(0))
    assert_legal(mutated, same)
    assert ((mutated != X).sum(axis=1) == 1).all()
    assert_legal(SweepSeedMutation()._do(same, X), same)


def test_every_document_a_seed_already():
    problem = problem_of(8, 8, n=8, labelled=1)
    X = np.arange(8)[None]
    assert_array_equal(DistantSeedMutation()._do(problem, X, random_state=rng_of(0)), X)


@pytest.mark.parametrize("objective", ["dispersion", "impurity"])
def test_sweeps_written_back_do_not_make_it_worse_on_average(objective):
    problem = problem_of(objectives=(objective,), n_sweeps=1)
    X = SeedSampling()._do(problem, 60, random_state=rng_of(0))
    before = problem.evaluate(X).mean()
    once = SweepSeedMutation()._do(problem, X)
    twice = SweepSeedMutation()._do(problem, once)
    assert problem.evaluate(once).mean() < before
    assert problem.evaluate(twice).mean() <= problem.evaluate(once).mean() + 0.02 * before
    assert_array_equal(once, problem.central_documents(X))


def test_children_take_one_cluster_of_each_pair():
    problem = problem_of()
    _, topic = topics()
    rng = rng_of(0)
    one_of_each = [
        rng.permutation([rng.choice(np.flatnonzero(topic == t)) for t in range(4)]) for _ in range(40)
    ]
    parents = np.array(one_of_each).reshape(2, 20, 4)
    children = AlignedSeedCrossover()._do(problem, parents, random_state=rng)
    # Slots of one topic stand in any order, so without alignment topics would be lost.
    assert_array_equal(np.sort(topic[children], axis=-1), np.broadcast_to(np.arange(4), (2, 20, 4)))
    for pair in range(20):
        first, second = parents[:, pair]
        assert_array_equal(np.sort(children[:, pair].ravel()), np.sort(np.concatenate([first, second])))
    assert np.isin(children[0], parents[0]).mean() < 0.9
    assert (np.sort(children[0], axis=1) != np.sort(parents[0], axis=1)).any(axis=1).mean() > 0.5


@given(seed=SEEDS)
@FEW
def test_children_are_of_sizes_in_between_and_of_their_parents(seed):
    problem, rng = PROBLEMS["varying"], rng_of(seed)
    parents = SeedSampling()._do(problem, 12, random_state=rng).reshape(2, 6, -1)
    children = AlignedSeedCrossover()._do(problem, parents, random_state=rng)
    sizes, grown = (parents >= 0).sum(axis=-1), (children >= 0).sum(axis=-1)
    assert (grown <= sizes.max(axis=0)).all()
    assert (grown >= 2).all()
    for pair in range(6):
        known = set(parents[:, pair].ravel())
        shared = set(parents[0, pair]) & set(parents[1, pair]) - {-1}
        if not shared:
            assert (grown[:, pair] >= sizes[:, pair].min()).all()
            assert set(children[:, pair].ravel()) <= known | {-1}
            assert grown[:, pair].sum() == sizes[:, pair].sum()


def test_children_of_the_same_parents_are_these():
    problem = PROBLEMS["varying"]
    rng = rng_of(1)
    X = SeedSampling()._do(problem, 6, random_state=rng)
    children = AlignedSeedCrossover()._do(problem, np.stack([X, rng.permuted(X, axis=1)]), random_state=rng)
    for child in children:
        assert_array_equal(problem.encoding.canonical(child), problem.encoding.canonical(X))


def test_each_individual_undergoes_one_mutation():
    problem = problem_of()
    X = SeedSampling()._do(problem, 30, random_state=rng_of(0))
    swept = problem.central_documents(X)
    mutation = MutationChoice([SweepSeedMutation(), DistantSeedMutation()], [3, 1])
    assert_allclose(mutation.weights, [0.75, 0.25])
    mutated = mutation._do(problem, X, random_state=rng_of(0))
    by_sweep = (mutated == swept).all(axis=1)
    assert 15 < by_sweep.sum() < 29
    assert ((mutated != X).sum(axis=1)[~by_sweep] == 1).all()
    never = MutationChoice([SweepSeedMutation(), DistantSeedMutation()], [1, 0])
    assert_array_equal(never._do(problem, X, random_state=rng_of(0)), swept)
    pop = Population.new("X", X)
    assert_array_equal(
        MutationChoice([SweepSeedMutation()], prob=0.0)(problem, pop, random_state=rng_of(0)).get("X"), X
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([],), ValueError),
        (([1],), TypeError),
        (([SweepSeedMutation()], [1, 2]), ValueError),
        (([SweepSeedMutation()], [-1]), ValueError),
        (([SweepSeedMutation()], [0]), ValueError),
        (([SweepSeedMutation()], [np.nan]), ValueError),
    ],
)
def test_mutations_that_cannot_be_chosen_from(arguments, error):
    with pytest.raises(error, match=r"mutations must|weights must"):
        MutationChoice(*arguments)


def test_mutation_of_survivors_costs_no_evaluation():
    problem = problem_of()
    X = SeedSampling()._do(problem, 10, random_state=rng_of(0))
    problem.evaluate(X)
    grown = problem.n_grown
    mating = ExclusiveMating(
        lambda problem, pop, n, **kwargs: [[pop[i], pop[i + 1]] for i in range(n)],
        AlignedSeedCrossover(prob=0.5),
        MutationChoice([SweepSeedMutation(), DistantSeedMutation()]),
    )
    assert len(mating.do(problem, Population.new("X", X), 8, random_state=rng_of(0))) == 8
    assert problem.n_grown == grown


def test_other_problems_and_options_are_refused():
    other = Problem(n_var=2, n_obj=1, xl=0, xu=1)
    X = np.zeros((2, 2), dtype=int)
    for call in (
        lambda: SeedSampling()._do(other, 2),
        lambda: DistantSeedMutation()._do(other, X),
        lambda: SweepSeedMutation()._do(other, X),
        lambda: AlignedSeedCrossover()._do(other, np.stack([X, X])),
    ):
        with pytest.raises(TypeError, match="requires a SubspaceClusteringProblem"):
            call()
    with pytest.raises(TypeError, match="MedoidEncoding"):
        MedoidSampling()._do(PROBLEMS["fixed"], 2)
    with pytest.raises(ValueError, match="kind must be"):
        DistantSeedMutation("swap")
