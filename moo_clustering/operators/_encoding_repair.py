"""Valid individuals of a problem that has an encoding."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pymoo.core.repair import Repair

from moo_clustering.operators._encoding_sampling import encoding_of


class EncodingRepair(Repair):
    """Make individuals valid by ``problem.encoding.repair``.

    Fractions, as pymoo's real-valued operators leave them, are rounded to the nearest integer, so
    those operators can be used on any encoding. Genes are integers afterwards.
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        return encoding_of(problem).repair(X)
