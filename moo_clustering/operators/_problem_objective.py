"""The objective of a problem that operators lower while they vary."""

from __future__ import annotations

from typing import Any

from moo_clustering.bags._objective import BagObjective


def objective_of(problem: Any, given: BagObjective | None, *methods: str) -> BagObjective:
    """What an operator moves by: the given objective, or else that of the problem.

    Parameters
    ----------
    problem : Problem
        With an attribute ``objective``, unless one is given.
    given : BagObjective or None
    *methods : str
        What it must offer.

    Raises
    ------
    TypeError
    """
    objective = getattr(problem, "objective", None) if given is None else given
    lacking = [name for name in methods if not callable(getattr(objective, name, None))]
    if lacking:
        owner = f"{type(problem).__name__}.objective" if given is None else type(given).__name__
        raise TypeError(
            f"{owner} has no {lacking[0]}(), which this operator needs: use a BagPartitionProblem, or "
            "give the operator objective=BagObjective(...)."
        )
    return objective  # type: ignore[return-value]
