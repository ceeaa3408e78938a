"""Temperatures that fall geometrically."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pymoo.core.termination import Termination


@dataclass(frozen=True)
class Cooling:
    """The temperatures t_max, t_max * factor, ... above t_min.

    Attributes
    ----------
    n_temperatures : int
    """

    t_max: float
    t_min: float
    factor: float

    def __post_init__(self) -> None:
        for name, value in (("t_max", self.t_max), ("t_min", self.t_min), ("cooling", self.factor)):
            if not isinstance(value, (int, float, np.number)):
                raise TypeError(f"{name} must be a number, got {value!r}")
        if not 0 < self.t_min < self.t_max < math.inf:
            raise ValueError(
                f"t_max and t_min must satisfy 0 < t_min < t_max, got {self.t_max} and {self.t_min}"
            )
        if not 0 < self.factor < 1:
            raise ValueError(f"cooling must be between 0 and 1, got {self.factor}")

    def temperature(self, i: int) -> float:
        """The i-th temperature, from 0."""
        return self.t_max * self.factor**i

    @property
    def n_temperatures(self) -> int:
        """How many there are."""
        n = max(1, math.floor((math.log(self.t_min) - math.log(self.t_max)) / math.log(self.factor)))
        while self.temperature(n) > self.t_min:  # the logarithms are rounded
            n += 1
        while n > 1 and self.temperature(n - 1) <= self.t_min:
            n -= 1
        return n


class CooledDown(Termination):
    """Ends a run after its last temperature."""

    def _update(self, algorithm: Any) -> float:
        return float((algorithm.n_iter - 1) / algorithm.cooling.n_temperatures)
