"""Uniform crossover of neighbour choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover

from moo_clustering._kernels import loci
from moo_clustering._kernels.blocks import for_blocks


class UniformNeighborCrossover(Crossover):
    """Exchange every gene of two parents with probability one half.

    One random bit per gene, any integer type, no float temporaries. Every gene of a child comes from
    a parent at the same locus, so children of feasible parents are feasible.

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[np.integer[Any]],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        rng = np.random.default_rng(random_state)
        first, second = np.ascontiguousarray(X[0]), np.ascontiguousarray(X[1])
        n_pairs, n_var = first.shape
        bits = np.frombuffer(rng.bytes(n_pairs * -(-n_var // 8)), dtype=np.uint8).reshape(n_pairs, -1)
        swap = np.unpackbits(bits, axis=1, count=n_var)
        children = np.empty((2, n_pairs, n_var), dtype=X.dtype)
        for_blocks(
            lambda lo, hi: loci.swap_where(first, second, swap, children[0], children[1], lo, hi),
            n_var,
            2 * n_pairs,
            getattr(problem, "n_jobs", None),
        )
        return children
