"""Evaluated genotypes without the cost of individuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.individual import Individual, calc_cv
from pymoo.core.population import Population

Batch = dict[str, NDArray[Any]]


@dataclass(slots=True, eq=False)
class Solution:
    """One evaluated genotype.

    Attributes
    ----------
    x : ndarray of shape (n_var,)
    f : ndarray of shape (n_obj,)
    violation : float
        Of the constraints; 0 if feasible.
    individual : Individual or None
        The same for pymoo, once made.
    key : bytes or None
        What it has in common with its duplicates, once computed.
    """

    x: NDArray[Any]
    f: NDArray[np.float64]
    violation: float
    individual: Individual | None = None
    key: bytes | None = None
    _source: tuple[Batch, int] | None = None

    @classmethod
    def of_individual(cls, individual: Individual) -> Solution:
        """Solution of an evaluated individual."""
        f = np.ascontiguousarray(individual.F, dtype=np.float64)
        return cls(individual.X, f, float(individual.CV[0]), individual=individual)

    @classmethod
    def of_batch(cls, batch: Batch, row: int, violation: float) -> Solution:
        """Solution in a row of what a problem returned."""
        return cls(batch["X"][row], batch["F"][row], violation, _source=(batch, row))

    def as_individual(self, iteration: int) -> Individual:
        """For pymoo, with all that the problem returned; the same object at every call."""
        if self.individual is None and self._source is not None:
            batch, row = self._source
            self.individual = Individual(n_gen=iteration, n_iter=iteration)
            for name, values in batch.items():
                self.individual.set(name, values[row])
            self.individual.evaluated.update(name for name in batch if name != "X")
            self._source = None
        return self.individual


def population_of(solutions: list[Solution], iteration: int) -> Population:
    """The solutions for pymoo."""
    return Population.create(*(solution.as_individual(iteration) for solution in solutions))


def batch_of(population: Population) -> Batch:
    """What an evaluator left in the individuals, as arrays."""
    names = set.intersection(*(set(individual.evaluated) for individual in population))
    return {name: population.get(name) for name in ["X", *sorted(names - {"X"})]}


def violations_of(batch: Batch, problem: Any) -> NDArray[np.float64]:
    """Constraint violation of every solution, as pymoo defines it by default."""
    n = len(batch["X"])
    if not problem.has_constraints():
        return np.zeros(n)
    return np.asarray(calc_cv(G=batch.get("G"), H=batch.get("H")), dtype=np.float64).reshape(n)


class Evaluation:
    """Evaluates arrays of genotypes for an algorithm, and counts.

    Where the problem returns genotypes (``out["X"]``, as decoders that improve them do), those take
    the place of the given ones, with the data type of these.

    Raises
    ------
    ValueError
        When an objective is not a number, since such a solution can be neither kept nor rejected.
    """

    def __init__(self, algorithm: Any) -> None:
        self._algorithm = algorithm
        self._names = list(algorithm.evaluator.evaluate_values_of)

    def __call__(self, X: NDArray[Any]) -> Batch:
        problem, evaluator = self._algorithm.problem, self._algorithm.evaluator
        batch: Batch = problem.evaluate(
            X, return_values_of=self._names, return_as_dictionary=True, algorithm=self._algorithm
        )
        evaluator.n_eval += len(X)
        written = batch.get("X")
        batch["X"] = X if written is None else written.astype(X.dtype, copy=False)
        check_objectives(batch["F"], problem)
        return batch


def check_objectives(F: NDArray[np.float64], problem: Any) -> None:
    """Refuse objectives that are not a number."""
    if np.isnan(F).any():
        raise ValueError(
            f"{type(problem).__name__} gave objectives that are not a number; let it give large finite "
            "values there, or set its replace_nan_values_by"
        )
