"""One generation of the genetic K-means algorithm over a DEAP toolbox."""

from __future__ import annotations

from moo_clustering.algorithms._generational_step import GenerationalStep, Legal


class GkaStep(GenerationalStep):
    """One generation of the genetic K-means algorithm.

    For :class:`DeapSearch`, or called in a loop of your own; :func:`gka` is that loop, where the
    parameters are described.

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
