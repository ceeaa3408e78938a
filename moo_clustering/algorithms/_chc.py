"""CHC in the style of DEAP's algorithms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from deap import base, tools

from moo_clustering.algorithms._chc_step import ChcStep, Key, Restart, ThresholdRule
from moo_clustering.algorithms._counted_step import Individuals
from moo_clustering.algorithms._loop import run_steps


def chc(
    population: Individuals,
    toolbox: base.Toolbox,
    ngen: int,
    *,
    mutpb: float = 0.0,
    kmpb: float = 0.0,
    threshold: float | None = None,
    n_keep: int = 10,
    threshold_rule: ThresholdRule = "no_crossing",
    mutate: Literal["children", "population"] = "children",
    step: float = 1,
    restart: Restart | None = None,
    restart_threshold: float | None = None,
    max_evals: int | None = None,
    unique: Key | None = None,
    stats: Any = None,
    halloffame: Any = None,
    rng: np.random.Generator | None = None,
    verbose: bool = False,
) -> tuple[Individuals, tools.Logbook]:
    """CHC: elitist survival, crossover of distant parents only, restarts when they are used up.

    A generation pairs the whole population at random, crosses the pairs that are farther apart than a
    threshold ``d``, and keeps the best of parents and children. When there is nothing to cross (or
    nothing is accepted) ``d`` falls; when it has reached 0 the best are kept and the others made anew.

    Parameters
    ----------
    population : list
        Of individuals with one objective, minimised or maximised: lists or arrays with a ``fitness``.
        Replaced in place; those with valid fitness are not evaluated again.
    toolbox : deap.base.Toolbox
        ``evaluate(individual)``, ``mate(first, second)``; ``individual()`` for restarts;
        ``mutate(individual)`` if ``mutpb`` > 0, ``km(individual)`` if ``kmpb`` > 0;
        ``distance(first, second)``, the number of differing genes where it is missing;
        ``repair(individual)``, if there is one, for all that are new. All are called without a
        generator: register operators with theirs. With ``map``
        :func:`~moo_clustering.operators.deap.batch_map`, evaluations are batched.
    ngen : int
        Generations after the initial population.
    mutpb, kmpb : float, default=0
        Probabilities for each child of ``mutate`` and, after it, of ``km``.
    threshold : float, optional
        First ``d``; a quarter of the number of genes by default, at least 1.
    n_keep : int, default=10
        The best that survive a restart; at least one is made anew.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        ``d`` falls after a generation in which no pair was crossed, or no child survived.
    mutate : {"children", "population"}, default="children"
        With ``"population"``, copies of all members are subjected to ``mutate`` and ``km`` too, and
        compete where either changed them.
    step : float, default=1
        By how much ``d`` falls.
    restart : callable, optional
        ``restart(best, n_new, rng)`` returns ``n_new`` individuals from clones of the ``n_keep``
        best; ``toolbox.individual()`` makes them by default.
    restart_threshold : float, optional
        ``d`` after a restart; ``threshold`` by default.
    max_evals : int, optional
        Evaluations in all, counting initial population, children, restarts and the trials that
        ``mutate`` counts in ``n_trials``. The search ends there, if need be within a generation:
        children that could not be evaluated are dropped.
    unique : callable, optional
        ``unique(individual)`` gives a hashable key; of individuals with the same key only the best
        survives, as long as there are enough others. Often ``toolbox.key``.
    stats : deap.tools.Statistics, optional
        Minimum, mean, standard deviation and maximum of the finite fitness values by default.
    halloffame : deap.tools.HallOfFame, optional
        For individuals that are NumPy arrays made with ``similar=numpy.array_equal``.
    rng : numpy.random.Generator, optional
        Pairs the population and decides on mutation; a fresh one by default.
    verbose : bool, default=False
        Print the logbook as it grows.

    Returns
    -------
    population : list
        The list that was given.
    logbook : deap.tools.Logbook
        ``gen``, ``nevals`` and ``ntrials`` in this generation, ``ncross`` (pairs crossed),
        ``accepted`` (children that survived), ``d`` afterwards, ``restart`` (0 or 1), and the fields
        of ``stats``.

    Raises
    ------
    TypeError, ValueError
        For options out of range, several objectives, objectives that are not a number, or a toolbox
        that lacks a function.

    Notes
    -----
    A generation costs O(P) evaluations and O(P n_var) besides, for P individuals. For checkpoints, a
    progress bar and Ctrl-C, give :class:`ChcStep` to :class:`DeapSearch` and :func:`drive`.

    References
    ----------
    L. J. Eshelman, "The CHC adaptive search algorithm", Foundations of Genetic Algorithms 1 (1991),
    with ``threshold_rule="no_acceptance"``. Evolutionary multi-instance clustering (CHCMIC).

    Examples
    --------
    >>> from deap import base, creator, tools
    >>> from moo_clustering.operators.deap import ArrayIndividual, Minimize
    >>> rng = np.random.default_rng(0)
    >>> def mate(a, b):
    ...     swap = rng.random(len(a)) < 0.5
    ...     a[swap], b[swap] = b[swap], a[swap]
    ...     return a, b
    >>> toolbox = base.Toolbox()
    >>> toolbox.register("individual", lambda: ArrayIndividual(rng.integers(2, size=20), Minimize))
    >>> toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    >>> toolbox.register("evaluate", lambda individual: (float(individual.sum()),))
    >>> toolbox.register("mate", mate)
    >>> population, logbook = chc(toolbox.population(n=30), toolbox, 40, rng=rng)
    >>> logbook[-1]["min"]
    0.0
    """
    generation = ChcStep(
        mutpb=mutpb,
        kmpb=kmpb,
        threshold=threshold,
        n_keep=n_keep,
        threshold_rule=threshold_rule,
        mutate=mutate,
        step=step,
        restart=restart,
        restart_threshold=restart_threshold,
        max_evals=max_evals,
        unique=unique,
    )
    return run_steps(
        population,
        toolbox,
        generation,
        ngen,
        stats=stats,
        halloffame=halloffame,
        rng=rng,
        verbose=verbose,
    )
