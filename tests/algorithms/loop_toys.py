"""Toolboxes for the tests of the DEAP-style loops: bits, as many ones as possible."""

from __future__ import annotations

import numpy as np
from deap import base, tools

from moo_clustering.operators.deap import ArrayIndividual, Minimize, batch_map, sel_roulette_min

N_VAR = 24


class Maximize(base.Fitness):
    weights = (1.0,)


class Bits(list):
    """A plain DEAP individual; to be maximised."""

    def __init__(self, bits=()):
        super().__init__(bits)
        self.fitness = Maximize()


class Zeros:
    """Evaluates the number of zeros, one by one or in a batch, and counts."""

    def __init__(self, sign=1.0):
        self.sign = sign
        self.n_single = self.n_rows = self.n_batches = 0

    @property
    def n_evaluations(self):
        return self.n_single + self.n_rows

    def __call__(self, individual):
        self.n_single += 1
        return (self.sign * float(len(individual) - sum(individual)),)


class BatchedZeros(Zeros):
    def batch(self, matrix):
        self.n_batches += 1
        self.n_rows += len(matrix)
        return self.sign * (matrix.shape[1] - matrix.sum(axis=1))


class Climb:
    """Sets the first few zero bits, each at the cost of one trial evaluation."""

    def __init__(self, n_bits=2):
        self.n_bits = n_bits
        self.n_trials = 0

    def _climb(self, genes, limit=10**9):
        zeros = np.flatnonzero(genes == 0)[: min(self.n_bits, limit)]
        self.n_trials += len(zeros)
        genes[zeros] = 1

    def __call__(self, individual):
        genes = np.array(individual)
        self._climb(genes)
        individual[:] = genes.tolist() if isinstance(individual, list) else genes
        return (individual,)


class BatchedClimb(Climb):
    def batch(self, matrix, max_trials=None):
        start = self.n_trials
        for genes in matrix:
            self._climb(genes, 10**9 if max_trials is None else max_trials - (self.n_trials - start))
        return matrix


def exchange(first, second, rng):
    """Uniform crossover of lists or arrays, in place."""
    for i in np.flatnonzero(rng.random(len(first)) < 0.5):
        first[i], second[i] = int(second[i]), int(first[i])
    return first, second


def flip(individual, rng):
    """Flip every bit with probability 0.1, in place."""
    for i in np.flatnonzero(rng.random(len(individual)) < 0.1):
        individual[i] = 1 - int(individual[i])
    return (individual,)


def array_bits(rng):
    return ArrayIndividual(rng.integers(2, size=N_VAR, dtype=np.int32), Minimize)


def list_bits(rng):
    return Bits(rng.integers(2, size=N_VAR).tolist())


def bits_toolbox(rng, *, kind="array", evaluate=None, mutate=None, batched=False):
    """Everything the loops call; ``kind="list"`` maximises the negative number of zeros."""
    toolbox = base.Toolbox()
    minimised = kind == "array"
    default = BatchedZeros if batched else Zeros
    toolbox.register("individual", array_bits if minimised else list_bits, rng=rng)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", evaluate or default(1.0 if minimised else -1.0))
    toolbox.register("mate", exchange, rng=rng)
    if mutate is None:
        toolbox.register("mutate", flip, rng=rng)
    else:
        toolbox.register("mutate", mutate)
    toolbox.register("km", flip, rng=rng)
    if minimised:
        toolbox.register("select", sel_roulette_min, rng=rng)
    else:
        toolbox.register(
            "select", lambda population, k: [population[i] for i in rng.integers(len(population), size=k)]
        )
    if batched:
        toolbox.register("map", batch_map)
    return toolbox


def genes_of(population):
    return np.array([list(individual) for individual in population])


def zeros_of(population):
    return (genes_of(population) == 0).sum(axis=1)
