"""Evaluation of individuals that know what each of their rows contributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population

from moo_clustering.problems._srmosc import SRMOSCProblem, summed


class RowTableEvaluator(Evaluator):
    """Sum the ``row_errors`` and ``row_sizes`` that SRMOSC's operators keep up to date.

    For ``NSGA2(..., evaluator=RowTableEvaluator())`` and the like with
    :class:`~moo_clustering.operators.SparseRowSampling`,
    :class:`~moo_clustering.operators.RowUniformCrossover` and
    :class:`~moo_clustering.operators.SupportMutation`; individuals without such tables get them. Operators
    that change genes and leave the tables as they were must not be combined with it: pymoo's own evaluator
    takes the objectives from the genes, whatever the operators.

    Notes
    -----
    O(N) an individual, and no copy of the genes of a population.
    """

    def _eval(self, problem: SRMOSCProblem, pop: Population, evaluate_values_of: Any, **kwargs: Any) -> None:
        for individual in pop:
            if not individual.has("row_errors"):
                errors, sizes = problem.row_tables(individual.X)
                individual.set("row_errors", errors[0])
                individual.set("row_sizes", sizes[0])
            F, G = summed(individual.get("row_errors")[np.newaxis], individual.get("row_sizes")[np.newaxis])
            individual.set("F", F[0])
            individual.set("G", G[0])
            individual.set("H", np.empty(0))
            individual.evaluated.update(("F", "G", "H"))
