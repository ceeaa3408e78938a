"""Base classes for operators, and validation of problems, algorithms and user-defined operators."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.infill import InfillCriterion
from pymoo.core.initialization import Initialization
from pymoo.core.mutation import Mutation
from pymoo.core.operator import Operator
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.core.variable import get

from moo_clustering._arrays import BoolArray, array_of, is_own
from moo_clustering._docs import Documented
from moo_clustering.encodings import Encoding
from moo_clustering.problems.partition import UNDEFINED_INDEX

# Parameters that several operators share. :func:`~moo_clustering._docs.documented` adds them to docstrings.
SHARED = """
Parameters
----------
graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
    Symmetric similarities of the samples.
pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    Partitions to start from, or along which clusters are split.
constraints : PairwiseConstraints
    Must-links and cannot-links to satisfy.
objective : BagObjective, optional
    Default: the ``objective`` of the problem, which must then have one. A TypeError is raised if it lacks a
    method that the operator calls.
"""


def check_constraints(problem: Any, algorithm: type[Any]) -> None:
    """Raise a ValueError if a problem has constraints that the pymoo algorithm does not support."""
    if {"MOEAD", "DNSGA2"} & {kind.__name__ for kind in algorithm.__mro__} and problem.has_constraints():
        names = getattr(problem, "constraint_names", ("constraints",))
        absent = " (k_min=2 removes undefined_index)" * (UNDEFINED_INDEX in names)
        raise ValueError(
            f"{algorithm.__name__} does not support constraints, but the problem has {', '.join(names)}; use "
            f"another algorithm such as NSGA2, or remove the constraints{absent}"
        )


def children_of(operator: Any, made: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an operator's genes, or raise a ValueError if any are NaN or if their shape is wrong."""
    return array_of(made, type(operator).__name__, shape, "genes")


def _checked_do(operator: Any, problem: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
    shape = np.shape(X)
    made = type(operator)._do(operator, problem, X, *args, **kwargs)
    if isinstance(operator, Sampling):
        shape = (X, problem.n_var)
    elif isinstance(operator, Crossover):
        shape = (operator.n_offsprings, *shape[1:])
    return children_of(operator, made, shape)


@contextmanager
def checked_operators(owner: Any) -> Iterator[list[Any]]:
    """Yield the user-defined operators of ``owner``, and check their output until the context ends."""
    found = list({id(one): one for one in _own_operators(owner, 3)}.values())
    for operator in found:
        operator._do = partial(_checked_do, operator)
    try:
        yield found
    finally:
        for operator in found:
            del operator._do


def _own_operators(owner: Any, depth: int) -> Iterator[Any]:
    """Yield the user-defined operators among the attributes of ``owner``, searching ``depth`` levels deep."""
    for part in vars(owner).values():
        for one in part if isinstance(part, list | tuple) else [part]:
            if isinstance(one, Sampling | Crossover | Mutation | Repair) and is_own(one):
                yield one
            elif depth and isinstance(one, Operator | InfillCriterion | Initialization):
                yield from _own_operators(one, depth - 1)


def encoding_of(problem: Any, kind: type[Any] = Encoding) -> Any:
    """Return the encoding of a problem, or raise a TypeError if it is not an instance of ``kind``."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, kind):
        raise TypeError(
            f"this operator requires a problem with an encoding of type {kind.__name__}, got "
            f"{type(problem).__name__}; use an operator from problem.operators(), or another problem"
        )
    return encoding


def require(problem: Any, kind: str, *attributes: str) -> Any:
    """Return the problem, or raise a TypeError that mentions ``kind`` if an attribute is missing."""
    if not all(hasattr(problem, name) for name in attributes):
        raise TypeError(
            f"this operator requires a {kind}, got {type(problem).__name__}; use an operator from "
            f"problem.operators(), or a {kind}"
        )
    return problem


class SeededOperator(Documented, ABC):
    """Base class for pymoo operators that depend only on the problem, the genes and a random generator."""

    # Name of a problem class for the error message, followed by the attributes that a problem must have.
    _needs: ClassVar[tuple[str, ...]] = ()

    def _do(self, problem: Any, X: Any, *args: Any, random_state: Any = None, **kwargs: Any) -> Any:
        if self._needs:
            require(problem, *self._needs)
        return self._apply(problem, X, np.random.default_rng(random_state))

    @abstractmethod
    def _apply(self, problem: Any, X: Any, rng: np.random.Generator) -> Any:
        """Return the crossed, mutated, repaired or sampled genes, drawing all random numbers from ``rng``.

        ``X`` contains the genes of the individuals. If the operator is a sampling, ``X`` is the number of
        individuals to draw.
        """


class PairCrossover(SeededOperator, Crossover):
    """Base class for crossovers of two parents.

    Parameters
    ----------
    prob : float
        Probability that a pair is crossed; otherwise, the children are copies of the parents.
    **kwargs
        Additional options of pymoo's ``Crossover``.
    """

    def __init__(self, prob: float, n_offsprings: int = 2, **kwargs: Any) -> None:
        super().__init__(2, n_offsprings, prob=prob, **kwargs)


class SeededMutation(SeededOperator, Mutation):
    """Base class for mutations.

    Parameters
    ----------
    prob : float
        Probability that an individual is mutated.
    **kwargs
        Additional options of pymoo's ``Mutation``.
    """

    def __init__(self, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)


class SeededSampling(SeededOperator, Sampling):
    """Base class for samplings."""


class GeneRepair(SeededOperator, Repair):
    """Base class for repairs. An empty population is returned unchanged."""

    def _do(self, problem: Any, X: Any, *args: Any, random_state: Any = None, **kwargs: Any) -> Any:
        return super()._do(problem, X, random_state=random_state) if len(X) else X


class DrawnMutation(SeededMutation):
    """Mutation that is computed only for the mutated individuals, each drawn with probability ``prob``.

    pymoo mutates all individuals and then discards most of the mutants, which is too slow for local search.
    """

    def do(
        self, problem: Any, pop: Any, inplace: Any = True, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> Population:
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = deepcopy(pop)
        # Indexing does not copy individuals, so setting the genes of ``drawn`` also changes ``pop``.
        drawn = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        if len(drawn):
            self._mutate(problem, drawn, *args, random_state=rng, **kwargs)
        return pop

    def _mutate(self, problem: Any, drawn: Population, *args: Any, **kwargs: Any) -> None:
        drawn.set("X", self._do(problem, drawn.get("X"), *args, **kwargs))


def random_bits(n_rows: int, n_columns: int, rng: np.random.Generator) -> BoolArray:
    """Draw an array of random bits, shape (n_rows, n_columns); each random byte provides eight bits."""
    width = -(-n_columns // 8)
    bits = np.frombuffer(rng.bytes(n_rows * width), dtype=np.uint8).reshape(n_rows, width)
    return np.unpackbits(bits, axis=1, count=n_columns).view(np.bool_)
