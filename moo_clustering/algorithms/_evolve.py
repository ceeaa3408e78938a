"""Run a pymoo algorithm with everything that makes long work bearable."""

from __future__ import annotations

from collections.abc import Sequence

from pymoo.core.algorithm import Algorithm
from pymoo.core.problem import Problem
from pymoo.core.result import Result

from moo_clustering.algorithms._drive import drive
from moo_clustering.algorithms._pymoo_search import PymooSearch
from moo_clustering.algorithms._recorder import Recorder
from moo_clustering.algorithms._rng_state import Seed
from moo_clustering.persistence import Checkpoint


def evolve(
    problem: Problem,
    algorithm: Algorithm,
    *,
    n_gen: int,
    seed: Seed = None,
    recorder: Recorder | None = None,
    verbose: bool = False,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Like pymoo's ``minimize``, with a progress bar, Ctrl-C that keeps the best so far, checkpoints.

    Parameters
    ----------
    problem : Problem
        Used as it is, never copied.
    algorithm : Algorithm
        Fresh; a copy of it is run. Its termination criterion is not used.
    n_gen : int
        Generations after the initial population: one less than pymoo's ``("n_gen", n)`` counts for
        the same run.
    seed : int, SeedSequence, Generator or None, default=None
    recorder, verbose, checkpoint
        As for :func:`drive`.

    Returns
    -------
    Result
        pymoo's, also after an interruption (which is warned of).

    Raises
    ------
    TypeError, ValueError
        As :class:`PymooSearch` and :func:`drive` do.

    Examples
    --------
    >>> from pymoo.algorithms.moo.nsga2 import NSGA2
    >>> from pymoo.problems import get_problem
    >>> result = evolve(get_problem("zdt1"), NSGA2(pop_size=20), n_gen=5, seed=1)
    >>> result.F.shape[1]
    2
    """
    search = PymooSearch(problem, algorithm, seed=seed, n_gen=n_gen)
    drive(
        search,
        n_gen=n_gen,
        recorder=recorder,
        verbose=verbose,
        description=type(algorithm).__name__,
        objective_names=_objective_names(problem),
        checkpoint=checkpoint,
    )
    return search.result()


def _objective_names(problem: Problem) -> Sequence[str] | None:
    names = getattr(problem, "objective_names", None)
    if isinstance(names, (list, tuple)) and len(names) == problem.n_obj:
        return [str(name) for name in names]
    return None
