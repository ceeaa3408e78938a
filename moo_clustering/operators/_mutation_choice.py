"""Several mutations as one, of which each individual undergoes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.mutation import Mutation

from moo_clustering.operators._chosen_mutation import ChosenMutation


class MutationChoice(ChosenMutation):
    """One of several mutations for each individual; pymoo's algorithms take a single one.

    Parameters
    ----------
    mutations : sequence of pymoo Mutation
        Their own probabilities, ``prob``, do not count.
    weights : array-like of shape (n_mutations,), optional
        Relative frequencies; default equal.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(
        self,
        mutations: Sequence[Mutation],
        weights: ArrayLike | None = None,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.mutations = tuple(mutations)
        if not self.mutations:
            raise ValueError("mutations must hold at least one pymoo Mutation, got none.")
        for mutation in self.mutations:
            if not isinstance(mutation, Mutation):
                raise TypeError(f"mutations must be pymoo Mutations, got {type(mutation).__name__}.")
        given = np.ones(len(self.mutations)) if weights is None else np.asarray(weights, dtype=np.float64)
        if given.shape != (len(self.mutations),) or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError(
                f"weights must be {len(self.mutations)} numbers >= 0, one for each mutation; got {weights!r}."
            )
        if not given.sum() > 0:
            raise ValueError(f"weights must not all be 0, got {weights!r}.")
        self.weights = given / given.sum()

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        which = rng.choice(len(self.mutations), size=len(X), p=self.weights)
        mutated = X.copy()
        for number, mutation in enumerate(self.mutations):
            rows = np.flatnonzero(which == number)
            if len(rows):
                mutated[rows] = mutation._do(problem, X[rows], *args, random_state=rng, **kwargs)
        return mutated
