"""Results whose front always is a table."""

from __future__ import annotations

import numpy as np
from pymoo.core.result import Result

from moo_clustering.algorithms._exhaustive import non_dominated


def settled(result: Result) -> Result:
    """A result of pymoo with ``F`` of shape (n_solutions, n_objectives) in every case.

    pymoo gives a single objective of a single solution as a vector, and nothing where no solution is
    feasible: then the non-dominated ones of the least violation take the place of the front.
    """
    if result.opt is None:
        violation = result.pop.get("CV")[:, 0]
        best = np.flatnonzero(violation == violation.min())
        result.opt = result.pop[best[non_dominated(result.pop[best].get("F"))]]
    result.X, result.F, result.CV, result.G, result.H = result.opt.get("X", "F", "CV", "G", "H")
    return result
