"""Relocation of single centres of one solution."""

from __future__ import annotations

from typing import Any

from moo_clustering.estimators.memetic._center_search import CenterSearch
from moo_clustering.operators._relocate_center import Removal, relocate


class SwapSearch(CenterSearch):
    """Move one centre to a sample, search locally, keep the outcome if it is better.

    Parameters
    ----------
    problem, budget, rng, ward
        As for :class:`CenterSearch`.
    removal : {"uniform", "cheap"}, default="uniform"
        Any centre goes to any sample; or of three random centres that whose loss costs least, to a
        sample drawn by its squared distance.
    """

    def __init__(self, *args: Any, removal: Removal = "uniform") -> None:
        super().__init__(*args)
        self.removal: Removal = removal

    def step(self) -> None:
        if not self.history:
            self.search(self.first())
            return
        centers = self.best.centers.copy()
        mix = 1.0 if self.removal == "uniform" else 0.0
        relocate(self.problem.encoding, centers, mix, self.rng, self.removal)
        self.search(centers)
