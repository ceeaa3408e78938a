"""First factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering.factorization._matrix import Matrix
from moo_clustering.factorization._runs import Floats


class Starts(NamedTuple):
    """First factors of some runs.

    Attributes
    ----------
    U : ndarray of shape (n_runs, n_terms, n_components)
    V : ndarray of shape (n_runs, n_documents, n_components)
    """

    U: Floats
    V: Floats


def random_starts(matrix: Matrix, n_components: int, seeds: Sequence[np.random.SeedSequence]) -> Starts:
    """|N(0, 1)| sqrt(mean(A) / n_components), U drawn before V, every run from its own seed."""
    n_documents, n_terms = matrix.A.shape
    scale = math.sqrt(matrix.mean / n_components)
    starts = Starts(
        np.empty((len(seeds), n_terms, n_components), dtype=matrix.A.dtype),
        np.empty((len(seeds), n_documents, n_components), dtype=matrix.A.dtype),
    )
    for run, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        for factor in starts:
            factor[run] = np.abs(rng.standard_normal(factor.shape[1:])) * scale
    return starts


def check_starts(starts: tuple[ArrayLike, ArrayLike], matrix: Matrix, n_components: int) -> Starts:
    """Take first factors in the type of the matrix.

    Raises
    ------
    ValueError
    """
    U, V = (np.array(factor, dtype=matrix.A.dtype) for factor in starts)
    for name, factor, n_rows in (("U", U, matrix.A.shape[1]), ("V", V, matrix.A.shape[0])):
        if factor.ndim != 3 or factor.shape[1:] != (n_rows, n_components) or len(U) != len(V):
            raise ValueError(
                f"{name} of starts must be of shape (n_runs, {n_rows}, {n_components}), with the same n_runs "
                f"in U and V; got {factor.shape}."
            )
        if not np.isfinite(factor).all() or (factor < 0).any():
            raise ValueError(f"{name} of starts has entries that are negative or not finite.")
    return Starts(U, V)
