"""Batched evaluation and mutation under DEAP's own loops."""

from __future__ import annotations

import random
from array import array
from functools import partial, wraps

import numpy as np
import pytest
from deap import algorithms, base, tools

from moo_clustering.operators.deap import ArrayIndividual, Minimize, apply_batch, batch_map


class Bits(list):
    def __init__(self, bits=()):
        super().__init__(bits)
        self.fitness = Minimize()


class Sum:
    """Sum of the genes, and how it was asked for."""

    def __init__(self):
        self.single, self.batches = 0, []

    def __call__(self, individual):
        self.single += 1
        return (float(sum(individual)),)


class BatchedSum(Sum):
    def batch(self, matrix):
        self.batches.append(matrix.shape)
        return matrix.sum(axis=1)


def rows(n=5, n_var=4):
    return [Bits(row) for row in np.random.default_rng(0).integers(9, size=(n, n_var)).tolist()]


@pytest.mark.parametrize("wrap", [lambda f: f, partial, lambda f: partial(partial(f))])
def test_the_batch_is_called_once_through_partials(wrap):
    evaluate, individuals = BatchedSum(), rows()
    assert batch_map(wrap(evaluate), individuals) == [(float(sum(row)),) for row in individuals]
    assert (evaluate.single, evaluate.batches) == (0, [(5, 4)])


def test_what_register_makes_of_a_function_with_an_attribute():
    def evaluate(individual, offset):
        raise AssertionError("called one by one")

    evaluate.batch = lambda matrix, offset: matrix.sum(axis=1) + offset
    toolbox = base.Toolbox()
    toolbox.register("evaluate", evaluate, offset=10)
    assert batch_map(toolbox.evaluate, [[1, 2], [3, 4]]) == [(13.0,), (17.0,)]


def test_positional_arguments_of_partials_come_in_their_order():
    def evaluate(a, b, individual):
        raise AssertionError("called one by one")

    evaluate.batch = lambda a, b, matrix: a * matrix.sum(axis=1) + b
    assert batch_map(partial(partial(evaluate, 2), 5), [[1, 2]]) == [(11.0,)]


def test_a_decorator_is_not_left_out():
    evaluate = lambda individual: (float(sum(individual)),)  # noqa: E731
    evaluate.batch = lambda matrix: matrix.sum(axis=1)

    def penalty(function):
        @wraps(function)  # copies the attribute batch, as DEAP's own decorators do
        def wrapper(individual):
            return (function(individual)[0] + 100,)

        return wrapper

    toolbox = base.Toolbox()
    toolbox.register("evaluate", evaluate)
    toolbox.decorate("evaluate", penalty)
    assert batch_map(toolbox.evaluate, [[1, 2]]) == [(103.0,)]


def test_several_objectives_and_chunks(monkeypatch):
    from moo_clustering.operators.deap import individuals as _batch_map

    monkeypatch.setattr(_batch_map, "CHUNK_BYTES", 70)  # two rows of 32 bytes
    evaluate, shapes = Sum(), []
    evaluate.batch = lambda matrix: (
        shapes.append(matrix.shape),
        np.stack([matrix.min(1), matrix.max(1)], 1),
    )[1]
    individuals = rows()
    assert batch_map(evaluate, individuals) == [(float(min(row)), float(max(row))) for row in individuals]
    assert shapes == [(2, 4), (2, 4), (1, 4)]


def test_what_has_no_batch_is_mapped():
    assert batch_map(len, [[1], [1, 2]]) == [1, 2]
    assert batch_map(max, [1, 5], [3, 2]) == [3, 5]
    assert batch_map(BatchedSum(), []) == []
    evaluate = BatchedSum()
    assert batch_map(evaluate, [[1], [1, 2]]) == [(1.0,), (3.0,)]  # no matrix
    assert evaluate.single == 2


def test_a_wrong_number_of_values_is_an_error():
    evaluate = Sum()
    evaluate.batch = lambda matrix: np.zeros(3)
    with pytest.raises(ValueError, match=r"the batch method of Sum must return values of shape \(5,\)"):
        batch_map(evaluate, rows())


def onemax(evaluate, batched):
    toolbox = base.Toolbox()
    toolbox.register("individual", tools.initRepeat, Bits, partial(random.randint, 0, 1), n=20)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", evaluate)
    toolbox.register("mate", tools.cxTwoPoint)
    toolbox.register("mutate", tools.mutFlipBit, indpb=0.05)
    toolbox.register("select", tools.selTournament, tournsize=3)
    if batched:
        toolbox.register("map", batch_map)
    return toolbox


def run(algorithm, evaluate, batched):
    random.seed(5)
    toolbox = onemax(evaluate, batched)
    return algorithm(toolbox.population(n=14), toolbox)


@pytest.mark.parametrize(
    "algorithm",
    [
        lambda population, toolbox: algorithms.eaSimple(population, toolbox, 0.6, 0.3, 6, verbose=False),
        lambda population, toolbox: algorithms.eaMuPlusLambda(
            population, toolbox, 14, 20, 0.6, 0.3, 6, verbose=False
        ),
    ],
    ids=["eaSimple", "eaMuPlusLambda"],
)
def test_deaps_own_loops_run_unchanged_and_the_same(algorithm):
    evaluate = BatchedSum()
    population, logbook = run(algorithm, evaluate, batched=True)
    expected, expected_logbook = run(algorithm, Sum(), batched=False)
    assert population == expected
    assert list(logbook) == list(expected_logbook)
    assert [i.fitness.values for i in population] == [i.fitness.values for i in expected]
    assert evaluate.single == 0
    assert len(evaluate.batches) == 7


def increment(individual):
    for i in range(len(individual)):
        individual[i] += 1
    return (individual,)


def batched_increment():
    function = partial(increment)
    function.batch = lambda matrix: matrix + 1
    return function


class Arrays(array):
    def __new__(cls, bits):
        return super().__new__(cls, "h", bits)

    def __init__(self, bits):
        self.fitness = Minimize()


@pytest.mark.parametrize("make", [Bits, lambda row: ArrayIndividual(row, Minimize), Arrays])
@pytest.mark.parametrize("function", [increment, batched_increment()])
def test_apply_writes_in_place_and_deletes_fitness(make, function):
    individuals = [make([1, 2, 3]), make([4, 5, 6])]
    for individual in individuals:
        individual.fitness.values = (1.0,)
    changed = apply_batch(function, individuals)
    assert all(one is two for one, two in zip(changed, individuals, strict=True))
    assert [list(individual) for individual in individuals] == [[2, 3, 4], [5, 6, 7]]
    assert not any(individual.fitness.valid for individual in individuals)
    assert type(individuals[0]) is type(make([1]))
    if isinstance(individuals[0], list):
        assert all(type(gene) is int for individual in individuals for gene in individual)


def test_apply_never_aliases():
    kept = []

    def mutate(individual):
        raise AssertionError("called one by one")

    def batch(matrix):
        kept.append(matrix)
        return matrix  # an operator that changes its argument and hands it back

    mutate.batch = batch
    individuals = [ArrayIndividual([1, 2], Minimize), ArrayIndividual([3, 4], Minimize)]
    apply_batch(mutate, individuals)
    kept[0][:] = 99
    assert [list(individual) for individual in individuals] == [[1, 2], [3, 4]]
    assert not np.shares_memory(individuals[0], individuals[1])


def test_apply_takes_individuals_that_the_function_made_anew():
    individuals = [Bits([1, 2])]
    (changed,) = apply_batch(lambda individual: (Bits([7, 7]),), individuals)
    assert changed == [7, 7]
    assert individuals[0] == [1, 2]


def test_apply_wants_a_matrix_of_the_same_shape():
    mutate = partial(increment)
    mutate.batch = lambda matrix: matrix[:1]
    with pytest.raises(ValueError, match=r"the batch method of increment must return shape \(2, 1\)"):
        apply_batch(mutate, [Bits([1]), Bits([2])])


class Trials:
    """Two trials for each individual."""

    def __init__(self):
        self.n_trials = 0

    def __call__(self, individual):
        self.n_trials += 2
        individual[0] += 1
        return (individual,)


class BatchedTrials(Trials):
    limits = ()

    def batch(self, matrix, max_trials=None):
        self.limits = (*self.limits, max_trials)
        for row in matrix[: None if max_trials is None else max_trials // 2]:
            self(row)
        return matrix


@pytest.mark.parametrize("mutate", [Trials(), BatchedTrials()])
def test_trials_are_limited(mutate):
    mutate.n_trials = 100  # of a run before
    toolbox = base.Toolbox()
    toolbox.register("mutate", mutate)  # copies n_trials, which then stands still
    individuals = [Bits([0]) for _ in range(5)]
    apply_batch(toolbox.mutate, individuals, max_trials=6)
    assert individuals == [[1], [1], [1], [0], [0]]
    assert mutate.n_trials == 106
    apply_batch(toolbox.mutate, individuals)
    assert mutate.n_trials == 116


def test_chunks_share_the_trials(monkeypatch):
    from moo_clustering.operators.deap import individuals as _batch_map

    monkeypatch.setattr(_batch_map, "CHUNK_BYTES", 16)  # two rows
    mutate = BatchedTrials()
    apply_batch(mutate, [Bits([0]) for _ in range(5)], max_trials=6)
    assert mutate.limits == (6, 2, 0)
    assert mutate.n_trials == 6


def test_functions_that_count_no_trials_are_not_told_of_a_limit():
    individuals = apply_batch(batched_increment(), [Bits([0])], max_trials=0)
    assert individuals == [[1]]
