"""One generation of genetic clustering for an unknown number of clusters, over a DEAP toolbox."""

from __future__ import annotations

from moo_clustering.algorithms._counted_step import Columns, Individuals
from moo_clustering.algorithms._generational_step import GenerationalStep, Legal


class GcukStep(GenerationalStep):
    """One generation of genetic clustering for an unknown number of clusters.

    For :class:`DeapSearch`, or called in a loop of your own; :func:`gcuk` is that loop, where the
    parameters are described.

    Parameters
    ----------
    cxpb : float, default=0.2
        Probability of crossing a pair of the selected.
    mutpb : float, default=0.3
        Probability of mutating each of them then.
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

    columns = ("nevals", "ntrials", "ncross")

    def __init__(
        self,
        *,
        cxpb: float = 0.2,
        mutpb: float = 0.3,
        elitism: int = 1,
        legal: Legal | None = None,
        max_evals: int | None = None,
    ) -> None:
        super().__init__(cxpb=cxpb, mutpb=mutpb, kmpb=0.0, elitism=elitism, legal=legal, max_evals=max_evals)

    def _begin(self, population: Individuals) -> Columns:
        return self._own_columns(0)

    def _own_columns(self, n_crossed: int) -> Columns:
        return {"ncross": n_crossed}
