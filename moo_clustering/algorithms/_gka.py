"""The genetic K-means loop in the style of DEAP's algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base, tools

from moo_clustering.algorithms._counted_step import Individuals
from moo_clustering.algorithms._generational_step import Legal
from moo_clustering.algorithms._gka_step import GkaStep
from moo_clustering.algorithms._loop import run_steps


def gka(
    population: Individuals,
    toolbox: base.Toolbox,
    ngen: int,
    *,
    mutpb: float = 0.8,
    kmpb: float = 0.2,
    elitism: int = 1,
    legal: Legal | None = None,
    max_evals: int | None = None,
    stats: Any = None,
    halloffame: Any = None,
    rng: np.random.Generator | None = None,
    verbose: bool = False,
) -> tuple[Individuals, tools.Logbook]:
    """Genetic K-means: selection, mutation and a K-means step, without crossover.

    Parameters
    ----------
    population : list
        Of individuals with one objective: lists or arrays with a ``fitness``. Replaced in place;
        those with valid fitness are not evaluated again.
    toolbox : deap.base.Toolbox
        ``evaluate(individual)``, ``select(population, k)``; ``mutate(individual)`` if ``mutpb`` > 0,
        ``km(individual)`` if ``kmpb`` > 0; ``repair(individual)``, if there is one, for all that are
        new. All are called without a generator: register operators
        with theirs. For objectives that are minimised there are
        :func:`~moo_clustering.operators.deap.sel_roulette_min` and
        :class:`~moo_clustering.operators.deap.SelRouletteLegal`; with ``map``
        :func:`~moo_clustering.operators.deap.batch_map`, evaluations are batched.
    ngen : int
        Generations after the initial population.
    mutpb, kmpb : float, default=0.8, 0.2
        Probabilities for each selected individual of ``mutate`` and, after it, of ``km``. Those that
        neither changes keep their fitness and are not evaluated again.
    elitism : {1, 0}, default=1
        With 1, the best so far takes the place of the worst of a new population when it is better
        than the best of that.
    legal : callable, optional
        ``legal(individual) -> bool``, or with an attribute ``batch``, ``legal.batch(matrix)``. Others
        live in the population, but neither count as the best so far nor enter the hall of fame.
    max_evals : int, optional
        Evaluations in all, counting the initial population and the trials that ``mutate`` counts in
        ``n_trials``. The search ends there, if need be within a generation: the best of the old
        population fill the places of children that could not be evaluated.
    stats, halloffame, rng, verbose
        As for :func:`chc`.

    Returns
    -------
    population : list
        The list that was given.
    logbook : deap.tools.Logbook
        ``gen``, ``nevals`` and ``ntrials`` in this generation, and the fields of ``stats``.

    Raises
    ------
    TypeError, ValueError
        For options out of range, several objectives, objectives that are not a number, or a toolbox
        that lacks a function.

    Notes
    -----
    For checkpoints, a progress bar and Ctrl-C, give :class:`GkaStep` to :class:`DeapSearch` and
    :func:`drive`.

    References
    ----------
    Evolutionary multi-instance clustering (MIGKA, MIFGKA); K. Krishna, M. N. Murty, "Genetic K-means
    algorithm", IEEE Transactions on Systems, Man, and Cybernetics B 29 (1999).
    """
    step = GkaStep(mutpb=mutpb, kmpb=kmpb, elitism=elitism, legal=legal, max_evals=max_evals)
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
