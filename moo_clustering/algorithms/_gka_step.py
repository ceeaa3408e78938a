"""One generation of the genetic K-means algorithm over a DEAP toolbox."""

from __future__ import annotations

from moo_clustering.algorithms._generational_step import GenerationalStep, Legal


class GkaStep(GenerationalStep):
    """One generation of the genetic K-means algorithm.

    For :class:`DeapSearch`, or called in a loop of your own; :func:`gka` is that loop, where the
    parameters are described.

    Parameters
    ----------
    mutpb, kmpb : float, default=0.8, 0.2
        Probabilities for each selected individual of ``mutate`` and, after it, of ``km``.
    elitism : {1, 0}, default=1
        Whether the best so far replaces the worst of a generation that has none as good.
    legal : callable, optional
        ``legal(individual) -> bool``: others do not count as the best so far.
    max_evals : int, optional
        Evaluations in all.

    Attributes
    ----------
    evaluations, trials : int
        Made so far.
    """

    def __init__(
        self,
        *,
        mutpb: float = 0.8,
        kmpb: float = 0.2,
        elitism: int = 1,
        legal: Legal | None = None,
        max_evals: int | None = None,
    ) -> None:
        super().__init__(cxpb=0.0, mutpb=mutpb, kmpb=kmpb, elitism=elitism, legal=legal, max_evals=max_evals)
