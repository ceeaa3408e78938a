"""Moves of AMOSA: what becomes the current solution, and what goes into the archive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from moo_clustering._kernels.domination import weigh
from moo_clustering.algorithms._bounded_archive import BoundedArchive
from moo_clustering.algorithms._solutions import Batch, Solution, violations_of
from moo_clustering.algorithms._variation import Variation

Acceptance = Literal["physical", "literal"]
Evaluate = Callable[[NDArray[Any]], Batch]


def acceptance_probability(amount: float, temperature: float, acceptance: Acceptance) -> float:
    """Probability of moving to a solution that is dominated by an average amount.

    ``1 / (1 + exp(amount / temperature))``, or with ``"literal"`` the product in place of the quotient.
    """
    exponent = amount / temperature if acceptance == "physical" else amount * temperature
    return float(expit(-exponent))


def climb(
    batch: Batch,
    *,
    n_steps: int,
    problem: Any,
    vary: Variation,
    evaluate: Evaluate,
    rng: np.random.Generator,
) -> list[Solution]:
    """Improve many solutions side by side: a perturbed one takes the place of one it dominates."""
    violations = violations_of(batch, problem)
    for _ in range(n_steps):
        trial = evaluate(vary(batch["X"], rng))
        trial_violations = violations_of(trial, problem)
        better = trial_violations < violations
        pareto = (trial["F"] <= batch["F"]).all(axis=1) & (trial["F"] < batch["F"]).any(axis=1)
        better |= (trial_violations == violations) & pareto
        violations[better] = trial_violations[better]
        for name, values in batch.items():
            values[better] = trial[name][better]
    return [Solution.of_batch(batch, row, violations[row]) for row in range(len(violations))]


def anneal(
    archive: BoundedArchive,
    current: Solution,
    *,
    n_moves: int,
    temperature: float,
    acceptance: Acceptance,
    problem: Any,
    vary: Variation,
    evaluate: Evaluate,
    rng: np.random.Generator,
) -> Solution:
    """Do the moves of one temperature; returns the current solution after them."""
    for _ in range(n_moves):
        batch = evaluate(vary(current.x[None], rng))
        new = Solution.of_batch(batch, 0, float(violations_of(batch, problem)[0]))
        relation, k, total, least, nearest = weigh(
            archive.F, archive.violations, len(archive), new.f, new.violation, current.f, current.violation
        )
        if relation == 1 or (relation == 0 and k > 0):  # case 1, and case 2 below the archive
            average = total / (k + (relation == 1))
            if rng.random() < acceptance_probability(average, temperature, acceptance):
                current = new
        elif k > 0:  # case 3 below the archive
            back = rng.random() < expit(least)
            current = archive.members[nearest] if back else new
        else:
            current = new
            archive.add(new)
    return current
