"""Initial populations of medoid sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling

from moo_clustering.encodings import MedoidEncoding


def medoid_encoding_of(problem: Any) -> MedoidEncoding:
    """The encoding of a problem over medoid sets; refuses others."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, MedoidEncoding):
        raise TypeError(f"{type(problem).__name__} has no MedoidEncoding, which this operator needs.")
    return encoding


class MedoidSampling(Sampling):
    """K uniform on 2..k_max, then K distinct samples uniformly.

    For :class:`~moo_clustering.problems.MedoidProblem`, or any problem whose ``encoding`` is a
    :class:`~moo_clustering.encodings.MedoidEncoding`.
    """

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        return medoid_encoding_of(problem).random(n_samples, np.random.default_rng(random_state))
