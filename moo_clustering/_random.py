"""Seeds for the parts of a fit, and random draws without a number per gene where few genes change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

SeedLike = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None

# Genes handled at once; bounds the temporary arrays of a draw to some tens of megabytes.
_CHUNK = 1 << 22


def spawn_seeds(random_state: SeedLike, n: int) -> list[np.random.SeedSequence]:
    """Independent seeds for ``n`` tasks in fixed order, from anything scikit-learn takes as a seed.

    A generator given by the user is advanced, so that a second fit with it differs, as in scikit-learn.
    """
    if random_state is None:
        entropy: int | None = None
    elif isinstance(random_state, np.random.Generator):
        entropy = int(random_state.integers(2**63))
    elif isinstance(random_state, int | np.integer):
        entropy = int(random_state)
    else:
        state = check_random_state(random_state)
        entropy = int(state.randint(2**31 - 1))
    return np.random.SeedSequence(entropy).spawn(n)


def uniform_ranks(widths: NDArray[np.unsignedinteger[Any]], rng: np.random.Generator) -> NDArray[np.uint64]:
    """One rank per locus, uniform in 0..widths[i]-1 (multiply and shift of 32 random bits)."""
    draws = rng.integers(0, 2**32, size=len(widths), dtype=np.uint32)
    ranks: NDArray[np.uint64] = (draws.astype(np.uint64) * widths) >> np.uint64(32)
    return ranks


def sparse_positions(n_genes: int, prob: float, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Positions 0..n_genes-1, each chosen independently with probability ``prob``, in sorted chunks.

    Draws the gaps between chosen positions, which are geometric, so the cost is O(prob * n_genes).
    """
    if prob <= 0.0:
        return
    for start in range(0, n_genes, _CHUNK):
        length = min(_CHUNK, n_genes - start)
        if prob >= 1.0:
            yield np.arange(start, start + length, dtype=np.int64)
            continue
        parts, last = [], -1
        while last < length - 1:
            expected = (length - last) * prob
            gaps = rng.geometric(prob, size=math.ceil(expected + 4.0 * math.sqrt(expected)) + 4)
            # A gap beyond the chunk is as good as any other; keeps the running sum within int64.
            steps = last + np.cumsum(np.minimum(gaps, length + 1))
            parts.append(steps)
            last = int(steps[-1])
        positions = np.concatenate(parts)
        yield positions[positions < length] + start
