"""How large and how far from the origin the data of SRMOSC may be."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MAX_MEMORY = 4 * 2**30
# More samples than this may not all be candidates of each other.
MOST_LITERAL = 2000
# Of the squared lengths of samples; a smaller variance is lost in products of samples.
_LOST = 1e-12


def default_n_candidates(n_samples: int) -> int:
    """w = 2 (floor(ln N) + 1), at most N - 1."""
    return min(n_samples - 1, 2 * (math.floor(math.log(n_samples)) + 1))


def checked_norms(X: FloatArray) -> FloatArray:
    """Squared lengths of the samples, which are what rounding is relative to.

    Raises
    ------
    ValueError
        They overflow.

    Warns
    -----
    UserWarning
        The samples differ by less than is left of their products after rounding.
    """
    with np.errstate(over="ignore"):
        norms: FloatArray = np.einsum("ij,ij->i", X, X)
    if not np.isfinite(norms.max() * len(X)):
        raise ValueError("X has values so large that squared distances overflow; rescale it.")
    spread = float(X.var(axis=0).sum())
    if 0.0 < spread < _LOST * float(norms.max()):
        warnings.warn(
            "the samples are more than a million times farther from the origin, from which they are rebuilt, "
            "than from each other, so that rounding decides about links; subtract the means or scale.",
            UserWarning,
            stacklevel=4,
        )
    return norms


def candidate_width(n_candidates: int | str | None, n_samples: int) -> int:
    """Candidates of a sample.

    Raises
    ------
    ValueError
        No number from 1, "all" or None.
    """
    if n_candidates is None:
        return default_n_candidates(n_samples)
    if isinstance(n_candidates, str):
        if n_candidates != "all":
            raise ValueError(f'n_candidates must be an integer, "all" or None, got {n_candidates!r}.')
        return n_samples - 1
    if n_candidates < 1:
        raise ValueError(f"n_candidates must be at least 1, got {n_candidates}.")
    return min(int(n_candidates), n_samples - 1)


def check_size(n_samples: int, width: int, pop_size: int, max_memory: int, force: bool) -> None:
    """Refuse what takes too much memory, saying what takes less.

    Raises
    ------
    ValueError
    """
    sparse = f"the sparse form, n_candidates=None, has {default_n_candidates(n_samples)} candidates a sample"
    if width == n_samples - 1 and n_samples > MOST_LITERAL and not force:
        raise ValueError(
            f"n_candidates={width} makes every individual a full {n_samples} x {n_samples} matrix, which is "
            f"refused above {MOST_LITERAL} samples; {sparse}. force=True allows it."
        )
    needed = 2 * pop_size * n_samples * (4 * width + 12)
    if needed > max_memory:
        advice = [sparse] if width > default_n_candidates(n_samples) else []
        advice += ["lower pop_size"] if pop_size > 1 else []
        who = f"a population of {pop_size} and its offspring need" if pop_size > 1 else "a front needs"
        raise ValueError(
            f"{who} {needed / 2**30:.3g} GiB with {width} candidates for each of {n_samples} samples, more "
            f"than max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); "
            + ", or ".join([*advice, "lower n_candidates, or raise max_memory."])
        )
