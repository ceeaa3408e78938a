"""Local search that writes back what it finds."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pymoo.core.repair import Repair


class LocalSearchRepair(Repair):
    """Replace every individual by the local optimum that ``problem.improve`` reaches from it.

    For :class:`~moo_clustering.problems.SumOfSquaresProblem`, where these are Lloyd's iterations, and
    any problem with ``improve(X)``. What is found stands in the genes (Lamarck's inheritance).
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if not callable(getattr(problem, "improve", None)):
            raise TypeError(f"{type(problem).__name__} has no improve(X), which this operator needs.")
        return X if len(X) == 0 else problem.improve(X)
