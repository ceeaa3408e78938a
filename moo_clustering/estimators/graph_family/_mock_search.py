"""The search of MOCK, composed from its options, and the front that it finds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.algorithm import Algorithm
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.algorithms import PymooSearch
from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.algorithms._pesa2 import PESA2
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.estimators.graph_family._mock_links import JoinedEncoding, put_conflicts_first
from moo_clustering.estimators.graph_family._mock_supervision import Knowledge
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation, batched_tournament
from moo_clustering.problems import MOCKProblem

FloatArray = NDArray[np.float64]


class Front(NamedTuple):
    """Non-dominated distinct partitions, by the first objective.

    Attributes
    ----------
    genes : ndarray of shape (n_solutions, n_var)
    F : ndarray of shape (n_solutions, n_objectives)
        Minimised.
    n_clusters : ndarray of shape (n_solutions,), int64
    """

    genes: NDArray[Any]
    F: FloatArray
    n_clusters: NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """The options of :class:`~moo_clustering.MOCK` that make its problem and its search."""

    encoding: str
    delta: Any
    engine: str
    pop_size: int
    n_gen: int
    pc: float
    archive_size: int
    selection: str
    init: str
    replace: str
    mutation_length: str
    new_value: str | None
    n_neighbors: int
    objectives: tuple[Any, ...]
    connectivity: str
    metric: Any
    ties: str
    root: Any
    rank_cap: int | None
    k_user: int

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Those of an estimator."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    def objective_names(self, knowledge: Knowledge) -> tuple[str, ...]:
        """Those given, and what labels and pairs add."""
        return (*self.objectives, *(() if knowledge.objective is None else (knowledge.objective,)))

    def problem(
        self, X: FloatArray, rng: np.random.Generator, knowledge: Knowledge, n_jobs: int | None
    ) -> MOCKProblem:
        """What is searched; ``knowledge`` says what labels and pairs do in it."""
        graph = locus_graph(
            X,
            n_neighbors=self.n_neighbors,
            metric=self.metric,
            ties=self.ties,  # type: ignore[arg-type]
            root=self.root,
            rank_cap=self.rank_cap,
            rng=rng,
            groups=knowledge.groups,
            n_jobs=n_jobs,
        )
        # A single sample has no tree.
        kind: Any = self.encoding if len(X) > 1 else "locus"
        if knowledge.groups is None:
            encoding = LocusAdjacencyEncoding(graph=graph, kind=kind, delta=self.delta, n_jobs=n_jobs)
        else:
            graph = put_conflicts_first(graph, knowledge.groups)
            encoding = JoinedEncoding(graph, knowledge.groups, kind=kind, delta=self.delta, n_jobs=n_jobs)
        return MOCKProblem(
            encoding=encoding,
            objectives=self.objective_names(knowledge),  # type: ignore[arg-type]
            connectivity=self.connectivity,  # type: ignore[arg-type]
            y=knowledge.y,
            constraints=knowledge.pairs,
            n_jobs=n_jobs,
        )

    def search(self, problem: MOCKProblem, seed: int) -> PymooSearch:
        """An evolution that was not started yet."""
        return PymooSearch(problem, self._algorithm(), seed=seed)

    @property
    def steps(self) -> int:
        """Generations after the initial population."""
        return self.n_gen if self.engine == "pesa2" else self.n_gen - 1

    def generations(self, search: PymooSearch) -> int:
        """Generations done, counted as ``n_gen`` counts them."""
        return search.generation if self.engine == "pesa2" else search.generation + 1

    def _algorithm(self) -> Algorithm:
        parts: dict[str, Any] = {
            "sampling": MSTInterestingnessSampling(self.init, replace=self.replace),  # type: ignore[arg-type]
            "crossover": UniformCrossover(prob=self.pc),
            "mutation": NeighborBiasedMutation(self.mutation_length, new_value=self.new_value),  # type: ignore[arg-type]
            "pop_size": self.pop_size,
        }
        if self.engine == "pesa2":
            return PESA2(
                archive_size=self.archive_size,
                selection=self.selection,  # type: ignore[arg-type]
                n_init=2 * self.k_user,
                **parts,
            )
        return NSGA2(
            selection=TournamentSelection(func_comp=batched_tournament),
            eliminate_duplicates=False,
            output=None,
            **parts,
        )


def found_front(problem: MOCKProblem, result: Result) -> Front:
    """Non-dominated members of the last population or archive, every partition once."""
    genes, F = result.pop.get("X", "F")
    F = F.astype(np.float64)
    rows = non_dominated(F)
    rows = rows[np.sort(distinct_rows(problem.encoding.canonical(genes[rows]))[0])]
    return Front(genes[rows], F[rows], problem.n_clusters(genes[rows]))


def single_result(problem: MOCKProblem) -> Result:
    """What a search for partitions of a single sample would find."""
    genes = np.zeros((1, problem.n_var), dtype=problem.encoding.dtype)
    pop = Population.new(X=genes, F=problem.evaluate(genes), CV=np.zeros((1, 1)))
    pop.apply(lambda individual: individual.evaluated.update({"F", "CV"}))
    result = Result()
    result.problem, result.pop, result.opt, result.success = problem, pop, pop, True
    result.X, result.F = pop.get("X", "F")
    return result
