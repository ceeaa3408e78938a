"""Initial populations without duplicates and of full size."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling


class RefillingSampling(Sampling):
    """Draw from another sampling until there are enough distinct individuals.

    pymoo removes duplicates from the initial population but does not replace them, and a small
    search space then starts with a fraction of the population asked for.

    Parameters
    ----------
    sampling : pymoo Sampling
        Must give valid genotypes if ``duplicates`` decodes them.
    duplicates : pymoo DuplicateElimination
        What counts as a duplicate, for instance
        :class:`~moo_clustering.operators.CanonicalDuplicates`.
    max_tries : int, default=20
        Populations drawn at most. If they do not hold enough distinct individuals, those found are
        returned, with a UserWarning.
    """

    def __init__(self, sampling: Sampling, duplicates: DuplicateElimination, max_tries: int = 20) -> None:
        super().__init__()
        if not isinstance(sampling, Sampling):
            raise TypeError(f"sampling must be a pymoo Sampling, got {type(sampling).__name__}.")
        if not isinstance(duplicates, DuplicateElimination):
            raise TypeError(
                f"duplicates must be a pymoo DuplicateElimination, got {type(duplicates).__name__}."
            )
        if max_tries < 1:
            raise ValueError(f"max_tries must be at least 1, got {max_tries}.")
        self.sampling = sampling
        self.duplicates = duplicates
        self.max_tries = max_tries

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        pop = Population()
        for _ in range(self.max_tries):
            # Always a whole population: some samplings depend on how many they are asked for.
            drawn = self.sampling(problem, n_samples, *args, random_state=random_state, **kwargs)
            pop = Population.merge(pop, self.duplicates.do(drawn, pop))
            if len(pop) >= n_samples:
                break
        else:
            warnings.warn(
                f"found {len(pop)} distinct individuals of {n_samples} asked for in {self.max_tries} "
                "populations: the search space is small, or the sampling narrow.",
                UserWarning,
                stacklevel=2,
            )
        return pop[:n_samples].get("X")
