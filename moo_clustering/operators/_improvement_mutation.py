"""Clusters drawn by what the objective would be with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags._objective import RULES, BagObjective, Rule
from moo_clustering.encodings._checks import checked_genes
from moo_clustering.operators._chosen_mutation import ChosenMutation
from moo_clustering.operators._problem_objective import objective_of
from moo_clustering.operators._slots import checked_probability


class ImprovementMutation(ChosenMutation):
    """Draw genes anew, one after the other, with weights by the objective for every cluster.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. A gene sees what became of those before it.
    No move leaves a cluster with fewer bags than the objective's ``min_cluster_size``.

    Parameters
    ----------
    p_gene : float, default=0.2
        Probability that a gene of a mutated individual is drawn. The paper's genetic algorithms have
        0.7; a lower one keeps more of the parents.
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
        Weights of the draw, see :meth:`~moo_clustering.bags.BagObjective.improve`.
    objective : BagObjective, optional
        Instead of the problem's.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can be improved.

    Notes
    -----
    All mutated individuals are one batch: O(n + K^3) per gene drawn for n instances and K clusters,
    besides one evaluation.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        p_gene: float = 0.2,
        weights: Rule = "contrast",
        objective: BagObjective | None = None,
        prob: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if weights not in RULES:
            raise ValueError(f"weights must be one of {', '.join(map(repr, RULES))}, got {weights!r}.")
        self.p_gene = checked_probability("p_gene", p_gene)
        self.weights: Rule = weights
        self.objective = objective
        self.n_trials = 0

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "improve")
        improved = objective.improve(
            checked_genes(X, problem.n_var),
            np.random.default_rng(random_state),
            p_gene=self.p_gene,
            weights=self.weights,
        )
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels
