"""Which solutions were seen before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination, NoDuplicateElimination
from pymoo.core.population import Population

from moo_clustering.algorithms._solutions import Solution
from moo_clustering.operators import CanonicalDuplicates

Duplicates: TypeAlias = "bool | DuplicateElimination | Callable[[NDArray[Any]], NDArray[Any]]"


def duplicate_elimination(duplicates: Any) -> DuplicateElimination:
    """The pymoo operator for what users may say of duplicates.

    Parameters
    ----------
    duplicates : bool, DuplicateElimination or callable
        True: equal genes; False: none; ``canonical(X) -> X``: equal canonical genes.

    Raises
    ------
    TypeError
    """
    if isinstance(duplicates, DuplicateElimination):
        return duplicates
    if isinstance(duplicates, bool):
        return CanonicalDuplicates() if duplicates else NoDuplicateElimination()
    if callable(duplicates):
        return CanonicalDuplicates(duplicates)
    raise TypeError(
        "eliminate_duplicates must be a bool, a pymoo DuplicateElimination or a function of genotypes, "
        f"got {duplicates!r}"
    )


def remember(elimination: DuplicateElimination, solutions: Sequence[Solution]) -> None:
    """Compute the keys of many solutions at once, where the operator works with keys."""
    if isinstance(elimination, CanonicalDuplicates) and len(solutions):
        for solution, key in zip(solutions, elimination.keys(_population(solutions)), strict=True):
            solution.key = key


def distinct(elimination: DuplicateElimination, solutions: Sequence[Solution]) -> list[Solution]:
    """The solutions that are no duplicates of others among them."""
    remember(elimination, solutions)
    if isinstance(elimination, CanonicalDuplicates):
        first: dict[bytes | None, Solution] = {}
        for solution in solutions:
            first.setdefault(solution.key, solution)
        return list(first.values())
    if isinstance(elimination, NoDuplicateElimination):
        return list(solutions)
    _, kept, _ = elimination.do(_population(solutions), return_indices=True)
    return [solutions[i] for i in kept]


def is_known(elimination: DuplicateElimination, solution: Solution, others: Sequence[Solution]) -> bool:
    """Whether a solution is a duplicate of one of the others."""
    if isinstance(elimination, CanonicalDuplicates):
        remember(elimination, [solution])
        return any(solution.key == other.key for other in others)
    if isinstance(elimination, NoDuplicateElimination) or not len(others):
        return False
    return len(elimination.do(_population([solution]), _population(others), to_itself=False)) == 0


def _population(solutions: Sequence[Solution]) -> Population:
    return Population.new(X=np.array([solution.x for solution in solutions]))
