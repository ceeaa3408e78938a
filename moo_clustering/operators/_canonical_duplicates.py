"""Individuals that mean the same partition are duplicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.population import Population

from moo_clustering.encodings import Encoding
from moo_clustering.encodings._canonical import row_digests

Canonical = Callable[[NDArray[Any]], NDArray[Any]]


class CanonicalDuplicates(DuplicateElimination):
    """Eliminate individuals whose canonical genotype occurred before.

    pymoo's default compares all pairs by Euclidean distance and sees neither permuted medoids nor
    renumbered clusters; this hashes one canonical row per individual.

    Parameters
    ----------
    canonical : Encoding or callable, optional
        ``X -> X`` on populations of shape (n_individuals, n_var), such as
        :meth:`~moo_clustering.encodings.Encoding.canonical`, or an encoding that has it. Default:
        the genes as they are. Rows that hold the same numbers are equal whatever their dtype.

    Notes
    -----
    O(n_individuals n_var) plus the cost of ``canonical``. The first of several equal individuals
    is kept.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> population = Population.new(X=np.array([[0, 0, 1], [1, 1, 0], [0, 1, 1]]))
    >>> CanonicalDuplicates(LabelEncoding(3, k_max=2)).do(population).get("X")
    array([[0, 0, 1],
           [0, 1, 1]])
    """

    def __init__(self, canonical: Encoding | Canonical | None = None) -> None:
        super().__init__()
        if canonical is not None and not isinstance(canonical, Encoding) and not callable(canonical):
            raise TypeError(f"canonical must be an Encoding, a callable or None, got {canonical!r}.")
        self.canonical = canonical

    def keys(self, pop: Population) -> list[bytes]:
        """What two individuals have in common if and only if one of them is a duplicate."""
        X = pop.get("X")
        if isinstance(self.canonical, Encoding):
            X = self.canonical.canonical(X)
        elif self.canonical is not None:
            X = self.canonical(X)
        return row_digests(X)

    def _do(
        self, pop: Population, other: Population | None, is_duplicate: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        seen = set() if other is None else set(self.keys(other))
        for i, key in enumerate(self.keys(pop)):
            if key in seen:
                is_duplicate[i] = True
            elif other is None:
                seen.add(key)
        return is_duplicate
