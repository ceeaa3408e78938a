"""Mutation of medoid sets that changes the set."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation

from moo_clustering.encodings._medoid_sets import as_sets, random_absent, set_sizes
from moo_clustering.operators._medoid_sampling import medoid_encoding_of

Ints = NDArray[np.int64]
Kind = Literal["replace", "full"]


def replace_one(
    sets: Ints, n_samples: int, rng: np.random.Generator, *, kind: Kind = "replace", k_min: int = 2
) -> Ints:
    """Change one medoid of every row, see :class:`MedoidReplaceMutation`.

    Rows that hold all samples stay as they are, except for deletions.
    """
    mutated = sets.copy()
    width = sets.shape[1]
    sizes = set_sizes(sets)
    position = rng.integers(0, np.maximum(sizes, 1))
    action = rng.integers(0, 3, size=len(sets)) if kind == "full" else np.zeros(len(sets), dtype=np.int64)
    some_absent = sizes < n_samples
    delete = (action == 2) & (sizes > k_min)
    insert = (action == 1) & (sizes < width) & some_absent
    position[insert] = sizes[insert]
    enter = np.flatnonzero(~delete & some_absent)
    mutated[enter, position[enter]] = random_absent(sets[enter], n_samples, rng)
    shorter = np.flatnonzero(delete)
    following = np.minimum(np.arange(width) + (np.arange(width) >= position[shorter, None]), width - 1)
    mutated[shorter] = np.take_along_axis(sets[shorter], following, axis=1)
    mutated[shorter, sizes[shorter] - 1] = -1
    return mutated


class MedoidReplaceMutation(Mutation):
    """Exchange a random medoid for a random sample that is none.

    Parameters
    ----------
    kind : {"replace", "full"}, default="replace"
        ``"full"``: replace a medoid, add one, or drop one, with equal probability; at the largest
        and the smallest number of medoids replace instead.
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_individuals k_max log k_max).

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, kind: Kind = "replace", prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
        self.kind: Kind = kind

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Ints:
        encoding = medoid_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        return replace_one(as_sets(X), encoding.n_samples, rng, kind=self.kind, k_min=encoding.k_min)
