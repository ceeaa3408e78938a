"""The loop of the DEAP-style searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base, tools

from moo_clustering.algorithms._checks import integer
from moo_clustering.algorithms._counted_step import CountedStep, Individuals
from moo_clustering.algorithms._finite_statistics import finite_statistics


def run_steps(
    population: Individuals,
    toolbox: base.Toolbox,
    step: CountedStep,
    ngen: int,
    *,
    stats: Any = None,
    halloffame: Any = None,
    rng: np.random.Generator | None = None,
    verbose: bool = False,
) -> tuple[Individuals, tools.Logbook]:
    """Evaluate a population and do ``ngen`` generations, or as many as the step's budget allows.

    Parameters
    ----------
    population : list
        Replaced in place, as by DEAP's own loops; its individuals are not changed.
    toolbox : deap.base.Toolbox
    step : CountedStep
    ngen : int
    stats : deap.tools.Statistics, optional
        :func:`finite_statistics` by default.
    halloffame : deap.tools.HallOfFame, optional
    rng : numpy.random.Generator, optional
        A fresh one by default.
    verbose : bool, default=False
        Print the logbook as it grows.

    Returns
    -------
    population : list
    logbook : deap.tools.Logbook
    """
    ngen = integer("ngen", ngen, 0)
    if not isinstance(population, list):
        raise TypeError(f"population must be a list of individuals, got {type(population).__name__}")
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator or None, got {type(rng).__name__}")
    rng = np.random.default_rng() if rng is None else rng
    stats = finite_statistics() if stats is None else stats
    logbook = tools.Logbook()
    logbook.header = ["gen", *step.columns, *stats.fields]
    population[:], columns = step.start(population, toolbox, rng)
    for gen in range(ngen + 1):
        if gen > 0:
            outcome = step(population, toolbox, rng)
            if outcome is None:
                break
            population[:], columns = outcome
        if halloffame is not None:
            halloffame.update(step.eligible(population))
        logbook.record(gen=gen, **columns, **stats.compile(population))
        if verbose:
            print(logbook.stream)
    return population, logbook
