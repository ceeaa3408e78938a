"""NSGA2Clus: evolution of medoid sets by NSGA-II, with must-links and cannot-links."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from deap import tools
from pymoo.core.population import Population
from pymoo.core.result import Result

from moo_clustering import operators
from moo_clustering._docs import documented
from moo_clustering.algorithms import DeapSearch, PymooSearch, Recorder, count_medoid_sets, exhaustive_front
from moo_clustering.algorithms.search import Plans
from moo_clustering.encodings.base import row_digests
from moo_clustering.estimators import _options
from moo_clustering.estimators._base import settled
from moo_clustering.estimators._medoids import MedoidSetClusterer
from moo_clustering.estimators._methods import NSGA2_CLUS
from moo_clustering.operators.deap import constraint_nsga2_step, medoid_toolbox
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MedoidProblem
from moo_clustering.problems.partition import evaluated_population, pymoo_result

Individuals = list[Any]
Select = Callable[[Individuals, int, np.random.Generator], Individuals]


@documented(operators.ConstraintCrowdingSurvival)
@_options.estimator
class NSGA2Clus(MedoidSetClusterer):
    """NSGA-II-clus: search for compact (Xie-Beni) and well-separated (I-index) sets of medoids.

    The search determines the number of clusters, and can be guided by partial labels or pairs.

    - Recommended: ``NSGA2Clus()``; for texts reduced to about 30 dimensions, ``NSGA2Clus(metric="fisher")``.
    - As published: ``NSGA2Clus.internal()``, ``NSGA2Clus.external()``.
    - Without constraints: fit ``NSGA2Clus()``, and :meth:`choose` a solution from the front.

    Source: NSGA-II-clus.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}
        Number of medoids of a child; see :class:`~moo_clustering.operators.PrefixUnionCrossover`.
    mutation : {"replace", "full", "swap"}
        ``"replace"`` replaces a medoid with another sample. ``"full"`` can also add or remove a medoid.
        ``"swap"`` (as published) swaps two genes, which does not change the partition.
    unique : bool
        Whether survival selection prefers distinct medoid sets to duplicates.
    search : {"auto", "evolve", "exhaustive"}
        ``"exhaustive"`` evaluates all medoid sets; ``"auto"`` does so if there are at most ``max_sets``.
    max_sets : int
        Maximum number of sets for an exhaustive search; ``"exhaustive"`` raises a ValueError for more sets.

    Attributes
    ----------
    logbook_, hall_of_fame_ : deap.tools.Logbook, deap.tools.ParetoFront
        DEAP's log and front, with ``engine="deap"``.
    n_iter_ : int
        Number of generations; 0 after an exhaustive search.

    Notes
    -----
    An evaluation takes O(k n) time for the assignment, and O(n n_c) time for the medoid of each new cluster,
    where n, k and n_c are the numbers of samples, of medoids, and of samples in the cluster. The distance
    matrix takes 8 n^2 bytes; it is not computed for cosine distances between more than 8000 samples. X can be
    sparse. With ``supervision="none"`` or ``"external"``, longer searches do not improve the partition,
    because both indices favour remote outliers.

    Examples
    --------
    >>> from moo_clustering import NSGA2Clus
    >>> model = NSGA2Clus(metric="euclidean", k_max=3)
    >>> model.fit_predict([[0], [1], [2], [10], [11], [13]], cannot_link=[(0, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.choose("i").medoid_indices_
    array([1, 3, 5])
    """

    _: KW_ONLY
    length: Literal["grow", "keep", "two_cut"] = "grow"
    mutation: Literal["replace", "full", "swap"] = "replace"
    pop_size: _options.PopulationSize = 20
    n_gen: _options.NonNegativeCount = 20
    pc: _options.Probability = 0.6
    pm: _options.Probability = 0.2
    boundary: Literal["infinite", "finite"] = "infinite"
    unique: bool = False
    search: Literal["auto", "evolve", "exhaustive"] = "auto"
    max_sets: _options.NonNegativeCount = 5000
    engine: Literal["pymoo", "deap"] = "pymoo"

    @classmethod
    def internal(cls, **options: Any) -> Self:
        """Create Internal-NSGA-II-clus, whose crowding distance and selection depend on constraints."""
        return cls(**{**NSGA2_CLUS, "supervision": "crowding", **options})

    @classmethod
    def external(cls, **options: Any) -> Self:
        """Create External-NSGA-II-clus, an unsupervised search followed by selection using constraints."""
        return cls(**{**NSGA2_CLUS, "supervision": "external", **options})

    def _run(self, problem: MedoidProblem, seed: int, checkpoint: Checkpoint | None) -> Plans[Population]:
        for name in ("logbook_", "hall_of_fame_"):
            self.__dict__.pop(name, None)
        signs = problem.natural(np.ones(problem.n_obj))
        if self._is_exhaustive(problem):
            if self.start is not None:
                operators.start_genes(problem, self.start)  # validates ``start``, which is not used otherwise
            self.result_: Result = exhaustive_front(problem, max_sets=self.max_sets)
            self.history_, self.n_iter_, self.interrupted_ = Recorder(signs), 0, False
            self.history_.record(0, self.result_.pop.get("F"))
            return self.result_.pop
        new = self._pymoo_search if self.engine == "pymoo" else self._deap_search
        search: PymooSearch | DeapSearch = new(problem, seed)
        yield from self._drive(search, problem, self.n_gen, checkpoint, signs)
        if isinstance(search, PymooSearch):
            self.result_ = settled(search.result())
        else:
            self.result_ = deap_result(search, problem)
            self.logbook_: tools.Logbook = search.logbook
            self.hall_of_fame_: tools.ParetoFront = search.hall_of_fame
        return self.result_.pop

    def _is_exhaustive(self, problem: MedoidProblem) -> bool:
        if self.search == "auto" and problem.n_samples > 2:
            return count_medoid_sets(problem.n_samples, problem.encoding.k_max) <= self.max_sets
        return problem.n_samples <= 2 or self.search == "exhaustive"

    def _pymoo_search(self, problem: MedoidProblem, seed: int) -> PymooSearch:
        mutate: Any = operators.MedoidSwapMutation(prob=self.pm)
        if self.mutation != "swap":
            mutate = operators.MedoidReplaceMutation(self.mutation, prob=self.pm)
        parts = {
            "sampling": operators.MedoidSampling(),
            "crossover": operators.PrefixUnionCrossover(self.length, prob=self.pc),
            "mutation": mutate,
        }
        unique = operators.CanonicalDuplicates(problem.encoding) if self.unique else None
        survival = operators.ConstraintCrowdingSurvival(self.boundary, unique=unique)
        search = self._pymoo_search_for(problem, parts, seed, survival=survival)
        if self.algorithm is None:
            search.algorithm.tournament_type = "comp_by_rank_and_crowding"
        return search

    def _deap_search(self, problem: MedoidProblem, seed: int) -> DeapSearch:
        toolbox = medoid_toolbox(problem, length=self.length, mutation=self.mutation, boundary=self.boundary)
        if self.unique:
            toolbox.register("select", _select_distinct, select=toolbox.select, problem=problem)
        return DeapSearch(
            toolbox,
            partial(constraint_nsga2_step, pc=self.pc, pm=self.pm),
            rng=np.random.default_rng(seed),
            pop_size=self.pop_size,
            hall_of_fame=tools.ParetoFront(similar=np.array_equal),
        )


def _select_distinct(
    individuals: Individuals, k: int, rng: np.random.Generator, *, select: Select, problem: MedoidProblem
) -> Individuals:
    """Select k survivors, with duplicate medoid sets only if there are fewer than k distinct sets."""
    keys = row_digests(problem.encoding.canonical(np.stack([np.asarray(one) for one in individuals])))
    first: dict[bytes, int] = {}
    later = [row for row, key in enumerate(keys) if first.setdefault(key, row) != row]
    kept = sorted([*first.values(), *later[: max(0, k - len(first))]])
    return select([individuals[row] for row in kept], k, rng)


def deap_result(search: DeapSearch, problem: MedoidProblem) -> Result:
    """Convert the final population of a DEAP run to a pymoo result."""
    values = {
        "X": np.stack([np.asarray(individual) for individual in search.population]).astype(np.float64),
        "F": search.objectives(),
        "CV": np.zeros((len(search.population), 1)),
    }
    if hasattr(search.population[0], "assigned_by"):
        values["assigned_by"] = np.stack([individual.assigned_by for individual in search.population])
    return pymoo_result(problem, evaluated_population(**values))
