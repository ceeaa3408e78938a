"""SISC from seeds that NSGA-II finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._random import SeedLike
from moo_clustering._suggest import did_you_mean
from moo_clustering._targets import Targets
from moo_clustering.algorithms import PymooSearch, Recorder, drive
from moo_clustering.algorithms._best_of_random import RandomDraws, best_of_random
from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._choice import check_rule, choose_member
from moo_clustering.estimators._settled_result import settled
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_label import _subspace_docs as docs
from moo_clustering.estimators.multi_label._sisc import SISC
from moo_clustering.estimators.multi_label._subspace_base import Clusters
from moo_clustering.operators import (
    CanonicalDuplicates,
    ExclusiveMating,
    RefillingSampling,
    batched_tournament,
)
from moo_clustering.operators._mutation_choice import MutationChoice
from moo_clustering.operators._seed_crossover import AlignedSeedCrossover
from moo_clustering.operators._seed_mutations import DistantSeedMutation, SweepSeedMutation
from moo_clustering.operators._seed_sampling import SeedSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems._subspace_clustering import SubspaceClusteringProblem
from moo_clustering.problems._subspace_objectives import checked_objectives
from moo_clustering.subspace import SubspaceData

Rule = str | int | Callable[[NDArray[np.float64]], int]

RANDOM = "random"


@fill_docs(
    fuzzy=docs.FUZZY,
    prediction=docs.PREDICTION,
    aggregation=docs.AGGREGATION,
    partial=docs.PARTIAL,
)
class NSGA2SISC(SISC):
    """SISC whose start is searched: NSGA-II over the documents that its clusters grow from.

    Every start is swept a few times and judged by how compact and how pure its clusters are, without
    looking at the labels of anything but labelled documents. The best of as many random starts is
    computed beside it, and often is hardly worse: compare ``control_``, ``choose("random")``.

    Parameters
    ----------
    n_clusters : int, default=20
        Largest number of clusters.
    k_min : int, optional
        Smallest number of clusters; by default the number is fixed. Give ``"n_clusters"`` as a third
        objective with it, or else the largest number tends to win.
    n_sweeps : int, default=3
        Sweeps of SISC from a start, 1 to 3.
    objectives : sequence of str, default=("dispersion", "impurity")
        Any of ``"dispersion"``, ``"impurity"``, ``"n_clusters"`` and ``"chi_square"``, see
        :class:`~moo_clustering.problems.SubspaceClusteringProblem`; all are minimised. ``"impurity"`` is
        left out where there are no labels.
    pop_size, n_gen : int, default=16, 12
        Individuals, and generations after the initial population.
    pc : float, default=0.6
        Probability that two parents are crossed; otherwise both are mutated.
    local : float, default=0.5
        Part of the mutations that make the documents nearest to the centroids the seeds; the others
        exchange one seed for a document far from all clusters, or, where the number is not fixed, add or
        drop one.
    init : {"seeds", "labels"}, default="seeds"
        Start from any documents, or from labelled ones, class after class.
    select : {"impurity", "knee", "random"}, name of an objective, int or callable, default="impurity"
        Which one of the front is chosen: the least in an objective; the nearest to the ideal point; a
        row; ``select(pareto_front_) -> row``; or ``"random"``, none of the front but the control.
        ``"impurity"`` is ``"knee"`` where that is no objective.
    control : bool, default=True
        Evaluate as many random starts as the search did: twice the time.
    %(fuzzy)s
    gamma : float, default=0.5
        Part of the chi-square between feature and cluster in the dispersion of features; 0 is without.
    %(prediction)s
    impurity : {"mean", "count", "none"} or None, default="mean"
        Of clusters, in the sweeps; as for :class:`SISC`.
    %(aggregation)s
    floor : float, default=1e-6
        Least dispersion of a feature, above 0: features that a cluster lacks have none.
    chi_scale : {"n", "n_labelled"}, default="n"
        Documents that the chi-square counts as its total.
    impurity_in_membership : bool, default=True
        Whether impurity counts in memberships.
    threshold : float, default=0.5
        Least probability of the labels that ``predict`` gives, for label sets.
    binarize : bool, default=False
        Take presence of features, 1 where ``X`` is positive, in place of ``X``.
    dtype : {"float64", "float32"}, default="float64"
        Single precision takes half the memory.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads over individuals; results do not depend on it.
    verbose : bool, default=False
        Progress bar with rate, time left and best values.
    checkpoint : path, optional
        File to which the state of the search is written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Generations between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption.

    Attributes
    ----------
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Non-dominated solutions, first objective ascending.
    objective_names_ : tuple of str
    pareto_labels_ : ndarray of shape (n_solutions, n_documents), int32
        By largest memberships, numbered without gaps.
    pareto_seeds_ : ndarray of shape (n_solutions, n_clusters)
        Documents that the clusters grew from, -1 for no cluster.
    chosen_ : int or None
        Row of the front that the attributes below belong to; None for the control.
    seeds_ : ndarray of shape (n_clusters,)
        Documents that these clusters grew from.
    control_ : RandomDraws or None
        ``X`` and ``F`` of the random starts, and the row ``best`` of that of least impurity (least first
        objective without labels).
    n_evaluations_ : int
        Of the search, and of the control unless it was interrupted.
    result_ : pymoo.core.result.Result
        ``result_.F`` holds the front, also of one objective as a table; ``result_.problem`` the data of the
        fit.
    history_ : Recorder
        Objectives of every generation.
    n_iter_ : int
        Generations.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    memberships_, cluster_centers_, feature_weights_, class_shares_, impurities_, classes_, multilabel_
        Of the chosen solution, as for :class:`SISC`.
    labels_ : ndarray of shape (n_documents,), int32
        Column of the largest membership.
    n_clusters_ : int
        Clusters with documents.
    n_features_in_, feature_names_in_

    See Also
    --------
    SISC : One start, more sweeps.

    Notes
    -----
    %(partial)s

    Compactness and purity hardly conflict: fronts of these two are small. Do not expect much: on 1500
    reports of ASRS, a fifth of them labelled, with the defaults, macro AUC over six splits was .811, of the
    control .802, of a single random start .791, all of three sweeps; and of one :class:`SISC` from labels
    .820, with 15 sweeps in place of the 624 of the search.

    An evaluation takes n_sweeps sweeps, O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time
    each, and on every thread O((n_documents + n_features) n_clusters) memory.

    References
    ----------
    "Multi-label ASRS dataset classification using semi-supervised subspace clustering", eq. 1-11; the
    search is ours.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import NSGA2SISC
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> y = [0, -1, -1, -1, 1, -1, -1, -1]
    >>> model = NSGA2SISC(2, pop_size=6, n_gen=3, random_state=0).fit(X, y)
    >>> model.predict(X).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: rule
            for name, rule in SISC._parameter_constraints.items()
            if name not in ("max_iter", "tol", "n_init")
        },
        "k_min": [Interval(Integral, 1, None, closed="left"), None],
        "n_sweeps": [Interval(Integral, 1, 3, closed="both")],
        "objectives": ["array-like", str],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "local": [Interval(Real, 0, 1, closed="both")],
        "init": [StrOptions({"seeds", "labels"})],
        "select": [str, Integral, callable],
        "control": ["boolean"],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    # One search a fit.
    n_init = 1

    def __init__(
        self,
        n_clusters: int = 20,
        *,
        k_min: int | None = None,
        n_sweeps: int = 3,
        objectives: Sequence[str] = ("dispersion", "impurity"),
        pop_size: int = 16,
        n_gen: int = 12,
        pc: float = 0.6,
        local: float = 0.5,
        init: Literal["seeds", "labels"] = "seeds",
        select: Rule = "impurity",
        control: bool = True,
        fuzziness: float = 1.5,
        weight_exponent: float = 5.0,
        gamma: float = 0.5,
        n_neighbors: int | None = None,
        impurity: Literal["mean", "count", "none"] | None = "mean",
        aggregation: Literal["normalised", "sum", "membership"] = "normalised",
        floor: float = 1e-6,
        chi_scale: Literal["n", "n_labelled"] = "n",
        impurity_in_membership: bool = True,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.k_min = k_min
        self.n_sweeps = n_sweeps
        self.objectives = objectives
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.local = local
        self.init = init
        self.select = select
        self.control = control
        self.fuzziness = fuzziness
        self.weight_exponent = weight_exponent
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.impurity = impurity
        self.aggregation = aggregation
        self.floor = floor
        self.chi_scale = chi_scale
        self.impurity_in_membership = impurity_in_membership
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self, "pareto_front_")
        control = () if self.control_ is None else (RANDOM,)
        return tuple(dict.fromkeys(("impurity", "knee", *self.objective_names_, *control)))

    def choose(self, rule: Rule) -> Self:
        """Take another solution of the front, or the control, without searching again.

        Parameters
        ----------
        rule : {"impurity", "knee", "random"}, name of an objective, int or callable
            As for ``select``.

        Returns
        -------
        self
            With ``chosen_`` and all that belongs to it replaced.

        Raises
        ------
        ValueError
            Unknown rule, a row number outside the front, or ``"random"`` without control.

        Notes
        -----
        The time of one evaluation.
        """
        check_is_fitted(self, "pareto_front_")
        problem = self.result_.problem
        self._set(self._pick(problem, rule), problem.encoding.data, problem.targets)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.k_min is not None and self.k_min > self.n_clusters:
            raise ValueError(f"k_min={self.k_min} is more than n_clusters={self.n_clusters}")
        if self.k_min is not None and self.n_neighbors is not None and self.n_neighbors > self.k_min:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the number of clusters there may be, "
                f"k_min={self.k_min}; use None for all"
            )
        names = checked_objectives(self.objectives)
        if not isinstance(self.select, str):
            return
        if self.select == RANDOM and not self.control:
            raise ValueError("select='random' takes the control, which control=False leaves out")
        allowed = dict.fromkeys(("impurity", "knee", RANDOM, *names))
        if self.select not in allowed:
            raise ValueError(
                f"select must be one of {', '.join(map(repr, allowed))}, a row number or a callable; got "
                f"{self.select!r}{did_you_mean(self.select, allowed)}"
            )

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        checkpoint = self._checkpoint(data, targets)
        problem = self._problem(data, targets)
        labelled = bool(targets.labelled.any())
        sampling = SeedSampling(by_class=self.init == "labels" and labelled)
        search_seed, control_seed = (int(seed) for seed in rng.integers(2**32, size=2))
        search = PymooSearch(problem, self._algorithm(problem, sampling), seed=search_seed)
        recorder = Recorder()
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=recorder,
            verbose=bool(self.verbose),
            description=type(self).__name__,
            objective_names=problem.objective_names,
            checkpoint=checkpoint,
        )
        self._searched = (recorder, search.generation)
        self.result_: Result = settled(search.result())
        self.n_evaluations_ = int(search.algorithm.evaluator.n_eval)
        self._set_front(problem)
        self.control_: RandomDraws | None = None
        if self.control:
            self.control_ = best_of_random(
                problem, self.n_evaluations_, control_seed, sampling=sampling, verbose=bool(self.verbose)
            )
        return self._pick(problem, self.select)

    def _problem(self, data: SubspaceData, targets: Targets) -> SubspaceClusteringProblem:
        names = checked_objectives(self.objectives)
        if not targets.labelled.any():
            names = tuple(name for name in names if name != "impurity") or names
        return SubspaceClusteringProblem(
            # Threads are for individuals.
            SubspaceData(data.matrix, data.dtype, 1),
            targets,
            n_seeds=self.n_clusters,
            k_min=self.k_min,
            n_sweeps=self.n_sweeps,
            objectives=names,
            options=self._make_options(),
            n_jobs=self.n_jobs,
        )

    def _algorithm(self, problem: SubspaceClusteringProblem, sampling: SeedSampling) -> NSGA2:
        duplicates = CanonicalDuplicates(problem.encoding)
        selection = TournamentSelection(func_comp=batched_tournament)
        crossover = AlignedSeedCrossover(prob=self.pc)
        mutation = MutationChoice(
            [SweepSeedMutation(), DistantSeedMutation()], [self.local, 1.0 - self.local], prob=1.0
        )
        return NSGA2(
            pop_size=self.pop_size,
            sampling=RefillingSampling(sampling, duplicates),
            selection=selection,
            crossover=crossover,
            mutation=mutation,
            mating=ExclusiveMating(selection, crossover, mutation, eliminate_duplicates=duplicates),
            eliminate_duplicates=duplicates,
            output=None,
        )

    def _checkpoint(self, data: SubspaceData, targets: Targets) -> Checkpoint | None:
        # What is made of the front is no part of the search, and may change when it is resumed.
        same = clone(self).set_params(
            select="knee", control=True, n_neighbors=None, aggregation="normalised", threshold=0.5
        )
        return checkpoint_for(same, *data.matrix.arrays, targets.indicators, targets.labelled)

    def _set_front(self, problem: SubspaceClusteringProblem) -> None:
        X, F = self.result_.pop.get("X", "F")
        seeds = problem.encoding.seeds(X)
        best = non_dominated(F)
        best = best[distinct_rows(problem.encoding.canonical(seeds[best]))[0]]
        self.pareto_front_ = problem.natural(F[best])
        self.objective_names_ = problem.objective_names
        self.pareto_seeds_ = seeds[best]
        self.pareto_labels_ = problem.decode(seeds[best])

    def _pick(self, problem: SubspaceClusteringProblem, rule: Rule) -> Clusters:
        """Clusters of the solution that the rule says, which becomes the chosen one."""
        if isinstance(rule, str) and rule == RANDOM:
            if self.control_ is None:
                raise ValueError("rule 'random' takes the control, which was left out by control=False")
            self.chosen_, x = None, self.control_.X[self.control_.best]
        else:
            names = self.objective_names_
            check_rule(rule, self.rules_)
            if isinstance(rule, str) and rule == "impurity" and rule not in names:
                rule = "knee"
            self.chosen_ = choose_member(self.pareto_front_, names, [False] * len(names), rule)
            x = self.pareto_seeds_[self.chosen_]
        self.seeds_ = x[x >= 0]
        done = problem.fit_individual(x)
        return Clusters(
            done.memberships, done.centers, done.log_weights, done.impurities, np.array([done.objective])
        )

    def _set(self, found: Clusters, data: SubspaceData, targets: Targets) -> None:
        super()._set(found, data, targets)
        self.history_, self.n_iter_ = self._searched
