"""A mutation operator or function, with its options, as one function of genotypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.repair import Repair
from pymoo.core.variable import get

Genes = NDArray[Any]
Perturb: TypeAlias = "Mutation | Callable[[Any, Genes, np.random.Generator], Genes]"
Variation = Callable[[Genes, np.random.Generator], Genes]


def variation(problem: Any, perturb: Perturb, repair: Repair | None) -> Variation:
    """Perturb and repair arrays of genotypes, without making individuals.

    Parameters
    ----------
    problem : Problem
    perturb : Mutation or callable
        ``perturb(problem, X, rng) -> X``, or an operator, whose ``prob``, ``vtype`` and ``repair`` are
        heeded.
    repair : Repair or None

    Returns
    -------
    callable
        ``vary(X, rng) -> X``, with the shape and data type of the given X, which is not changed.
    """

    def vary(X: Genes, rng: np.random.Generator) -> Genes:
        if isinstance(perturb, Mutation):
            out = _mutate(perturb, problem, X, rng)
        else:
            out = np.asarray(perturb(problem, X.copy(), rng))
        if repair is not None:
            out = np.asarray(repair._do(problem, out, random_state=rng))
        if out.shape != X.shape:
            raise ValueError(f"perturb must keep the shape of X, {X.shape}, but gave {out.shape}")
        return out.astype(X.dtype, copy=False)

    return vary


def _mutate(mutation: Mutation, problem: Any, X: Genes, rng: np.random.Generator) -> Genes:
    out = np.asarray(mutation._do(problem, X.copy(), random_state=rng))
    share = get(mutation.prob)
    if share < 1:
        out = np.where((rng.random(len(X)) <= share)[:, None], out, X)
    if mutation.vtype is not None:
        out = out.astype(mutation.vtype)
    if mutation.repair is not None:
        out = np.asarray(mutation.repair._do(problem, out, random_state=rng))
    return out
