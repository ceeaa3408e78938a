"""Random individuals of a problem that has an encoding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling

from moo_clustering.encodings import Encoding


def encoding_of(problem: Any) -> Encoding:
    """The encoding of a problem; refuses problems without."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, Encoding):
        raise TypeError(f"{type(problem).__name__} has no encoding, which this operator needs.")
    return encoding


class EncodingSampling(Sampling):
    """Individuals drawn by ``problem.encoding.random``, valid whatever the encoding is."""

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        return encoding_of(problem).random(n_samples, np.random.default_rng(random_state))
