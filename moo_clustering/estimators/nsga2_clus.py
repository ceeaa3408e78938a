"""NSGA2Clus: medoids, evolved with NSGA-II, with must-link and cannot-link pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from deap import tools
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._arrays import SeedLike
from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering.algorithms import DeapSearch, PymooSearch, Recorder, count_medoid_sets, exhaustive_front
from moo_clustering.algorithms.others import non_dominated
from moo_clustering.encodings.base import row_digests
from moo_clustering.estimators._base import settled
from moo_clustering.estimators._medoids import MedoidSetClusterer, Rule
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSwapMutation,
    PrefixUnionCrossover,
    batched_tournament,
)
from moo_clustering.operators.deap import constraint_nsga2_step, medoid_toolbox
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MedoidProblem

# As printed: no repair, no enumeration, genes change places, the plain count of satisfied pairs decides.
_PAPER: dict[str, Any] = {
    "post_repair": False,
    "select": "constraints",
    "mutation": "swap",
    "length": "grow",
    "search": "evolve",
}
Individuals = list[Any]
Select = Callable[[Individuals, int, np.random.Generator], Individuals]


class NSGA2Clus(MedoidSetClusterer):
    """NSGA-II-clus: sets of medoids that are compact (Xie-Beni) and far apart (I-index).

    The number of clusters is found along with them. Partial labels or pairs can guide the search.

    - Recommended: ``NSGA2Clus()``; on text reduced to some 30 dimensions, ``NSGA2Clus(metric="fisher")``.
    - The paper's: ``NSGA2Clus.internal()``, ``NSGA2Clus.external()``.
    - Without constraints: ``NSGA2Clus()``, and then ``choose`` among the front.

    Parameters
    ----------
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Largest number of clusters: the square root of n_samples rounded down or up, kept within
        2..n_samples-1, or a number from 2 to n_samples. For fewer than 9 samples ``"sqrt"`` is 2.
    metric : str or callable, default="cosine"
        ``"cosine"``, ``"euclidean"``, ``"precomputed"``, ``"fisher"`` (Euclidean in features weighted by
        the constraints, see :func:`~moo_clustering.constraints.fisher_weights`; plain Euclidean without
        any), or any metric of :func:`sklearn.metrics.pairwise_distances`.
    supervision : {"objective", "crowding", "external", "constraint", "assignment", "none"}, \
default="objective"
        What labels and pairs do. Without any, all are ``"none"``.

        - ``"objective"``: their violated part is a third objective.
        - ``"crowding"``: the satisfied part is added to the crowding distance (Internal).
        - ``"external"``: only one of the front is picked by them (External).
        - ``"constraint"``: fewer violations win before any objective counts; not in DEAP.
        - ``"assignment"``: samples are assigned under them, all through the search.
        - ``"none"``: they are merely counted in ``constraint_scores_`` (and used by ``"fisher"``).
    post_repair : bool, default=True
        Assign the samples of the chosen solution anew, must-linked ones as one and apart from those
        they cannot be with where possible. Not where pairs contradict each other, nor with
        supervision ``"none"`` or ``"assignment"``.
    select : {"balanced", "constraints", "xb", "i", "knee"}, name of an objective, int or callable, \
default="balanced"
        Which one of the front is chosen: greatest satisfied part of the must-links plus that of the
        cannot-links; most satisfied pairs; least Xie-Beni; greatest I-index; nearest to the ideal
        point; a row; or ``select(pareto_front_) -> row``. Without constraints the first two are
        ``"knee"``.
    decode : {"reassign", "literal"}, default="reassign"
        Whether objectives belong to the new medoids and their labels, or to the new medoids with the
        labels before.
    n_local : int, default=1
        Rounds of assignment and new medoids in an evaluation; 1 with ``decode="literal"``.
    length : {"grow", "keep", "two_cut"}, default="grow"
        Of children, see :class:`~moo_clustering.operators.PrefixUnionCrossover`.
    mutation : {"replace", "full", "swap"}, default="replace"
        Exchange a medoid for another sample; or also add or drop one; or the paper's exchange of two
        genes, which changes no clustering.
    pop_size, n_gen : int, default=20
        Individuals, and generations after the initial population.
    pc, pm : float, default=0.6, 0.2
        Probabilities of crossing a pair, of mutating an individual.
    boundary : {"infinite", "finite"}, default="infinite"
        Crowding distance at the ends of a front, see
        :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`.
    unique : bool, default=False
        Whether repeated sets give way to others in survival.
    search : {"auto", "evolve", "exhaustive"}, default="auto"
        Evolve, or evaluate all sets of medoids, which ``"auto"`` does for up to ``max_sets`` of them.
        One or two samples leave nothing to search.
    max_sets : int, default=5000
        Most sets to evaluate; ``"exhaustive"`` refuses more.
    engine : {"pymoo", "deap"}, default="pymoo"
    form : {"auto", "matrix", "vector"}, default="auto"
        Whether distances are held in memory, see :class:`~moo_clustering.problems.MedoidProblem`.
    max_memory : int, default=4 GiB
        Bytes the distance matrix may take.
    conflicts : {"raise", "keep"}, default="raise"
        Whether constraints that contradict each other are an error.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool, default=False
        Progress bar with rate, time left and best values.
    checkpoint : path, optional
        File to which the state of the evolution is written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Generations between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Label c is the cluster of ``medoid_indices_[c]``.
    n_clusters_ : int
    medoid_indices_ : ndarray of shape (n_clusters_,)
    chosen_ : int
        Row of the front that these belong to.
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Non-dominated distinct solutions, objectives in natural sign, Xie-Beni ascending.
    objective_names_ : tuple of str
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Without ``post_repair``.
    pareto_medoids_ : ndarray of shape (n_solutions, k_max)
        Padded with -1.
    constraint_scores_ : ndarray of shape (n_solutions, 2) or None
        Must-links and cannot-links that ``pareto_labels_`` satisfy; None without constraints.
    result_ : pymoo.core.result.Result
        ``result_.F`` holds the front, minimised; of the least violation if no solution satisfies all.
    logbook_, hall_of_fame_ : deap.tools.Logbook, deap.tools.ParetoFront
        Of an evolution with ``engine="deap"``.
    history_ : Recorder
    n_iter_ : int
        Generations done; 0 after an exhaustive search.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    n_features_in_, feature_names_in_

    Notes
    -----
    An evaluation of n samples and k medoids costs O(k n) for the assignment and, for every cluster of
    n_c members that was not met before, O(n n_c) with a distance matrix for the new medoid. The matrix
    takes 8 n^2 bytes; cosine distances of more than 8000 samples go without.

    With ``supervision="none"`` and ``"external"`` longer searches are not better clusterings: both
    indices reward far outliers as medoids.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> from moo_clustering import NSGA2Clus
    >>> model = NSGA2Clus(metric="euclidean", k_max=3)
    >>> model.fit_predict([[0], [1], [2], [10], [11], [13]], cannot_link=[(0, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.choose("i").medoid_indices_
    array([1, 3, 5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MedoidSetClusterer._parameter_constraints,
        "supervision": [
            StrOptions({"objective", "crowding", "external", "constraint", "assignment", "none"})
        ],
        "decode": [StrOptions({"reassign", "literal"})],
        "n_local": [Interval(Integral, 1, None, closed="left")],
        "length": [StrOptions({"grow", "keep", "two_cut"})],
        "mutation": [StrOptions({"replace", "full", "swap"})],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "pm": [Interval(Real, 0, 1, closed="both")],
        "boundary": [StrOptions({"infinite", "finite"})],
        "unique": ["boolean"],
        "search": [StrOptions({"auto", "evolve", "exhaustive"})],
        "max_sets": [Interval(Integral, 0, None, closed="left")],
        "engine": [StrOptions({"pymoo", "deap"})],
        "form": [StrOptions({"auto", "matrix", "vector"})],
    }

    def __init__(
        self,
        *,
        k_max: int | str = "sqrt",
        metric: Metric = "cosine",
        supervision: Literal[
            "objective", "crowding", "external", "constraint", "assignment", "none"
        ] = "objective",
        post_repair: bool = True,
        select: Rule = "balanced",
        decode: Literal["reassign", "literal"] = "reassign",
        n_local: int = 1,
        length: Literal["grow", "keep", "two_cut"] = "grow",
        mutation: Literal["replace", "full", "swap"] = "replace",
        pop_size: int = 20,
        n_gen: int = 20,
        pc: float = 0.6,
        pm: float = 0.2,
        boundary: Literal["infinite", "finite"] = "infinite",
        unique: bool = False,
        search: Literal["auto", "evolve", "exhaustive"] = "auto",
        max_sets: int = 5000,
        engine: Literal["pymoo", "deap"] = "pymoo",
        form: Literal["auto", "matrix", "vector"] = "auto",
        max_memory: int = MAX_MEMORY,
        conflicts: Literal["raise", "keep"] = "raise",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.k_max = k_max
        self.metric = metric
        self.supervision = supervision
        self.post_repair = post_repair
        self.select = select
        self.decode = decode
        self.n_local = n_local
        self.length = length
        self.mutation = mutation
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.pm = pm
        self.boundary = boundary
        self.unique = unique
        self.search = search
        self.max_sets = max_sets
        self.engine = engine
        self.form = form
        self.max_memory = max_memory
        self.conflicts = conflicts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @classmethod
    def internal(cls, **options: Any) -> Self:
        """The paper's Internal: constraints count as crowding distance, then pick one of the front."""
        return cls(**{**_PAPER, "supervision": "crowding", **options})

    @classmethod
    def external(cls, **options: Any) -> Self:
        """The paper's External: an unsupervised front, of which constraints pick one."""
        return cls(**{**_PAPER, "supervision": "external", **options})

    def _run(self, problem: MedoidProblem, seed: int, checkpoint: Checkpoint | None) -> Population:
        for name in ("logbook_", "hall_of_fame_"):
            self.__dict__.pop(name, None)
        if self._is_exhaustive(problem):
            self.result_: Result = exhaustive_front(problem, max_sets=self.max_sets)
            signs = problem.natural(np.ones(problem.n_obj))
            self.history_, self.n_iter_, self.interrupted_ = Recorder(signs), 0, False
            self.history_.record(0, self.result_.pop.get("F"))
            return self.result_.pop
        options: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("pop_size", "pc", "pm", "length", "mutation", "boundary", "unique")
        }
        search: PymooSearch | DeapSearch
        if self.engine == "pymoo":
            search = pymoo_search(problem, **options, seed=seed)
            self._drive(search, problem, self.n_gen, checkpoint)
            self.result_ = settled(search.result())
        else:
            search = deap_search(problem, **options, seed=seed)
            self._drive(search, problem, self.n_gen, checkpoint)
            self.result_ = deap_result(search, problem)
            self.logbook_: tools.Logbook = search.logbook
            self.hall_of_fame_: tools.ParetoFront = search.hall_of_fame
        return self.result_.pop

    def _is_exhaustive(self, problem: MedoidProblem) -> bool:
        if problem.n_samples <= 2 or self.search != "auto":
            return problem.n_samples <= 2 or self.search == "exhaustive"
        return count_medoid_sets(problem.n_samples, problem.encoding.k_max) <= self.max_sets


def pymoo_search(
    problem: MedoidProblem,
    *,
    pop_size: int,
    pc: float,
    pm: float,
    length: str,
    mutation: str,
    boundary: str,
    unique: bool,
    seed: int,
) -> PymooSearch:
    """NSGA-II-clus in pymoo."""
    mutate = (
        MedoidSwapMutation(prob=pm) if mutation == "swap" else MedoidReplaceMutation(mutation, prob=pm)  # type: ignore[arg-type]
    )
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=MedoidSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=PrefixUnionCrossover(length, prob=pc),  # type: ignore[arg-type]
        mutation=mutate,
        survival=ConstraintCrowdingSurvival(
            boundary,  # type: ignore[arg-type]
            unique=CanonicalDuplicates(problem.encoding) if unique else None,
        ),
        eliminate_duplicates=False,
        output=None,
    )
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    return PymooSearch(problem, algorithm, seed=seed)


def deap_search(
    problem: MedoidProblem,
    *,
    pop_size: int,
    pc: float,
    pm: float,
    length: str,
    mutation: str,
    boundary: str,
    unique: bool,
    seed: int,
) -> DeapSearch:
    """NSGA-II-clus in DEAP."""
    toolbox = medoid_toolbox(problem, length=length, mutation=mutation, boundary=boundary)  # type: ignore[arg-type]
    if unique:
        toolbox.register("select", _select_distinct, select=toolbox.select, problem=problem)
    return DeapSearch(
        toolbox,
        partial(constraint_nsga2_step, pc=pc, pm=pm),
        rng=np.random.default_rng(seed),
        pop_size=pop_size,
        hall_of_fame=tools.ParetoFront(similar=np.array_equal),
    )


def _select_distinct(
    individuals: Individuals, k: int, rng: np.random.Generator, *, select: Select, problem: MedoidProblem
) -> Individuals:
    """Survivors among the first of all that hold the same medoids, while enough individuals remain."""
    keys = row_digests(problem.encoding.canonical(np.stack([np.asarray(one) for one in individuals])))
    first: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    later = [row for row, key in enumerate(keys) if first[key] != row]
    kept = sorted([*first.values(), *later[: max(0, k - len(first))]])
    return select([individuals[row] for row in kept], k, rng)


def deap_result(search: DeapSearch, problem: MedoidProblem) -> Result:
    """The last population of a DEAP run, in the form of pymoo's results."""
    values = {
        "X": np.stack([np.asarray(individual) for individual in search.population]).astype(np.float64),
        "F": search.objectives(),
        "CV": np.zeros((len(search.population), 1)),
    }
    if hasattr(search.population[0], "assigned_by"):
        values["assigned_by"] = np.stack([individual.assigned_by for individual in search.population])
    pop = Population.new(**values)
    pop.apply(lambda individual: individual.evaluated.update(values))
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    result.opt = pop[non_dominated(values["F"])]
    result.X, result.F = result.opt.get("X", "F")
    return result
