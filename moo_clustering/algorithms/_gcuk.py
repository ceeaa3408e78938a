"""The loop of genetic clustering for an unknown number of clusters, in the style of DEAP's algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base, tools

from moo_clustering.algorithms._counted_step import Individuals
from moo_clustering.algorithms._gcuk_step import GcukStep
from moo_clustering.algorithms._generational_step import Legal
from moo_clustering.algorithms._loop import run_steps


def gcuk(
    population: Individuals,
    toolbox: base.Toolbox,
    ngen: int,
    *,
    cxpb: float = 0.2,
    mutpb: float = 0.3,
    elitism: int = 1,
    legal: Legal | None = None,
    max_evals: int | None = None,
    stats: Any = None,
    halloffame: Any = None,
    rng: np.random.Generator | None = None,
    verbose: bool = False,
) -> tuple[Individuals, tools.Logbook]:
    """Genetic clustering for unknown K: selection, crossover of neighbours, mutation, an elite.

    Parameters
    ----------
    population : list
        Of individuals with one objective: lists or arrays with a ``fitness``. Replaced in place;
        those with valid fitness are not evaluated again.
    toolbox : deap.base.Toolbox
        ``evaluate(individual)``, ``select(population, k)``; ``mate(first, second)`` if ``cxpb`` > 0,
        ``mutate(individual)`` if ``mutpb`` > 0; ``repair(individual)``, if there is one, for all that are
        new. All are called without a generator: register
        operators with theirs.
    ngen : int
        Generations after the initial population.
    cxpb : float, default=0.2
        Probability of crossing the first and second, third and fourth, ... of the selected.
    mutpb : float, default=0.3
        Probability of mutating each of them then. Those that are neither crossed nor mutated keep
        their fitness and are not evaluated again.
    elitism : {1, 0}, default=1
    legal, max_evals
        As for :func:`gka`, like ``elitism``.
    stats, halloffame, rng, verbose
        As for :func:`chc`.

    Returns
    -------
    population : list
        The list that was given.
    logbook : deap.tools.Logbook
        ``gen``, ``nevals`` and ``ntrials`` in this generation, ``ncross`` (pairs crossed), and the
        fields of ``stats``.

    Raises
    ------
    TypeError, ValueError
        For options out of range, several objectives, objectives that are not a number, or a toolbox
        that lacks a function.

    Notes
    -----
    For checkpoints, a progress bar and Ctrl-C, give :class:`GcukStep` to :class:`DeapSearch` and
    :func:`drive`.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK); S. Bandyopadhyay, U. Maulik, "Genetic clustering
    for automatic evolution of clusters and application to image classification", Pattern Recognition
    35 (2002).
    """
    step = GcukStep(cxpb=cxpb, mutpb=mutpb, elitism=elitism, legal=legal, max_evals=max_evals)
    return run_steps(
        population,
        toolbox,
        step,
        ngen,
        stats=stats,
        halloffame=halloffame,
        rng=rng,
        verbose=verbose,
    )
