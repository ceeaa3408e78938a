"""Valid medoid sets out of whatever other operators leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.repair import Repair

from moo_clustering.encodings._checks import rounded_genes
from moo_clustering.encodings._medoid_sets import filled, first_distinct
from moo_clustering.operators._medoid_sampling import medoid_encoding_of


class MedoidSetRepair(Repair):
    """Drop what is no sample or was named before, close the gaps, add random medoids up to two.

    Fractions are rounded. The operators of this package leave nothing to repair; others do.
    :class:`EncodingRepair` does the same but adds the samples with the lowest numbers.
    """

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        if len(X) == 0:
            return X
        encoding = medoid_encoding_of(problem)
        ids = rounded_genes(X, encoding.n_var)
        ids[ids >= encoding.n_samples] = -1
        sets = first_distinct(ids, encoding.k_max)
        return filled(sets, encoding.k_min, encoding.n_samples, np.random.default_rng(random_state))
