"""Scores of repeated runs, as tables show them."""

from __future__ import annotations

import math
from typing import NamedTuple


class Spread(NamedTuple):
    """Mean and standard deviation over seeds, NaN for one seed."""

    mean: float
    std: float

    def text(self) -> str:
        """As in papers."""
        return f"{self.mean:.3f}" + ("" if math.isnan(self.std) else f" ± {self.std:.3f}")
