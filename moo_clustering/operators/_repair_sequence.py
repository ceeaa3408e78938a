"""Several repairs as one."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pymoo.core.repair import Repair


class RepairSequence(Repair):
    """Repairs one after the other; pymoo's algorithms take a single one.

    Parameters
    ----------
    *repairs : pymoo Repair
    """

    def __init__(self, *repairs: Repair) -> None:
        super().__init__()
        for repair in repairs:
            if not isinstance(repair, Repair):
                raise TypeError(f"repairs must be pymoo Repairs, got {type(repair).__name__}.")
        self.repairs = repairs

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        for repair in self.repairs:
            X = repair._do(problem, X, **kwargs)
        return X
