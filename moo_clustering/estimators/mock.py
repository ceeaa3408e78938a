"""MOCK."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.algorithm import Algorithm
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.selection.tournament import TournamentSelection
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import FloatArray, Labels, SeedLike, spawn_seeds
from moo_clustering._distances import Metric
from moo_clustering._parallel import run_calls
from moo_clustering.algorithms import InterruptedSearchWarning, PymooSearch, Recorder, drive
from moo_clustering.algorithms.others import PESA2, non_dominated
from moo_clustering.algorithms.search import Progress
from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.encodings.loci import relevant_links
from moo_clustering.estimators._base import (
    Rule,
    SemiSupervisedClusterMixin,
    check_rule,
    checkpoint_for,
    choose_member,
    numeric_features,
    scale_features,
    supervision_groups,
    supervision_pairs,
)
from moo_clustering.estimators._methods import MOCK_2007, MOCK_DELTA, MOCK_PESC
from moo_clustering.fronts import AttainmentScores, attainment_scores, control_data
from moo_clustering.graphs import LocusGraph, SpanningTree, locus_graph
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation, batched_tournament
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MOCKProblem

_OBJECTIVES = (("variance", "connectivity"), ("deviation", "connectivity"))
BY_KNOWLEDGE = ("labels", "constraints")
RULES = ("auto", "attainment", "variance", "sum", "knee", *BY_KNOWLEDGE)
ControlFront = tuple[NDArray[np.float64], NDArray[np.int64]]


class FrontOfPartitions:
    """What :class:`~moo_clustering.MOCK` does when its search has ended."""

    n_clusters: int | None
    select: Rule
    control: str
    k_user: int
    n_jobs: int | None
    verbose: bool
    pareto_front_: FloatArray
    objective_names_: tuple[str, ...]
    result_: Result
    interrupted_: bool
    _front: Front
    _knowledge: Knowledge
    _scaled: FloatArray
    _settings: Settings
    _control_seeds: Sequence[np.random.SeedSequence]
    _steps: int

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes without searching control data anew."""
        check_is_fitted(self)
        searched = hasattr(self, "control_fronts_")
        return possible_rules(self.objective_names_, self._knowledge.rule, self.n_clusters, searched)

    def choose(self, rule: Rule = "auto", *, n_clusters: int | Literal["fitted"] | None = "fitted") -> Self:
        """Pick another solution of the front, without searching X again.

        Parameters
        ----------
        rule : as ``select``, default="auto"
            A row of ``pareto_front_`` or ``rule(pareto_front_) -> row`` whatever ``n_clusters`` is.
            ``"attainment"`` searches control data, unless that was done before.
        n_clusters : int or None, optional
            In place of that of the estimator.

        Returns
        -------
        self
            With ``chosen_``, ``labels_`` and ``n_clusters_`` replaced.

        Raises
        ------
        ValueError
            Unknown rule, or a row outside the front.

        Warns
        -----
        UserWarning
            No solution has ``n_clusters`` clusters; the nearest number is taken.
        """
        check_is_fitted(self)
        wanted = _checked_number(self.n_clusters if n_clusters == "fitted" else n_clusters)
        rule = resolve_rule(rule, self._knowledge.rule, wanted)
        self.chosen_ = choose_row(
            self._front,
            self.pareto_front_,
            self.objective_names_,
            rule,
            wanted,
            lambda by: disagreement(self._problem.encoding, self._front.genes, self._knowledge, by),
            lambda: self._attainment(wanted),
        )
        self.labels_: Labels = self._problem.decode(self._front.genes[[self.chosen_]])[0]
        self.n_clusters_ = int(self.labels_.max()) + 1
        if isinstance(rule, str) and wanted is not None and self.n_clusters_ != wanted:
            warnings.warn(
                f"no solution of the front has n_clusters={wanted} clusters; of those with the nearest "
                f"number, {self.n_clusters_}, one is chosen.",
                UserWarning,
                stacklevel=2,
            )
        return self

    @property
    def pareto_labels_(self) -> Labels:
        """Partitions of the front."""
        check_is_fitted(self)
        if not hasattr(self, "_pareto_labels"):
            self._pareto_labels = self._problem.decode(self._front.genes)
        return self._pareto_labels

    @property
    def _problem(self) -> MOCKProblem:
        problem: MOCKProblem = self.result_.problem
        return problem

    def _forget(self) -> None:
        for name in (
            "control_fronts_",
            "attainment_",
            "attainment_scores_",
            "promising_",
            "_pareto_labels",
        ):
            self.__dict__.pop(name, None)

    def _choose_at_end(self) -> Self:
        rule = resolve_rule(self.select, self._knowledge.rule, self.n_clusters)
        if rule != "attainment":
            return self.choose(rule)
        if not self.interrupted_:
            try:
                return self.choose(rule)
            except KeyboardInterrupt:
                self.interrupted_ = True
                warnings.warn(
                    'the search on control data was interrupted; choose("attainment") does it again.',
                    InterruptedSearchWarning,
                    stacklevel=3,
                )
        return self.choose("knee")

    def _attainment(self, n_clusters: int | None) -> FloatArray:
        """Attainment scores; sets all that has to do with them."""
        if not hasattr(self, "control_fronts_"):
            # A search that was interrupted is compared with ones as short.
            self.control_fronts_: list[ControlFront] = control_fronts(
                self._scaled,
                self._control_seeds,
                self._settings,
                kind=self.control,
                steps=self._steps,
                n_jobs=self.n_jobs,
                verbose=bool(self.verbose),
            )
        k_user = max(self.k_user, n_clusters or 0)
        found = front_scores(self._front, self.control_fronts_, k_user)
        if found is None:
            warnings.warn(
                f"no numbers of clusters up to k_user={k_user} are both in the front and in those of control "
                "data, so there are no attainment scores; the fewest clusters are taken. Raise k_user?",
                UserWarning,
                stacklevel=4,
            )
            return np.full(len(self.pareto_front_), np.nan)
        self.attainment_: AttainmentScores = found
        self.attainment_scores_ = found.scores
        self.promising_ = found.promising()
        return self.attainment_scores_


class MOCK(FrontOfPartitions, SemiSupervisedClusterMixin, BaseEstimator):
    """Clusters that are compact and keep neighbours together, from links between neighbours.

    A front of partitions of all numbers of clusters is evolved from a minimum spanning tree; then one is
    picked, which finds the number of clusters if it is not given. Clusters may have any shape: what speaks
    for MOCK is that it rarely fails badly on mixed shapes. It is not the best on round clusters or on most
    tables of measurements, where k-means and Gaussian mixtures are as good or better.

    - Recommended: ``MOCK()``, or ``MOCK(n_clusters)`` where that number is known;
      ``MOCK(n_clusters, select="attainment")`` picks somewhat better on average, at four times the cost.
    - As published: ``MOCK.paper2007()``, ``MOCK.delta()``; as the PESC paper ran it: ``MOCK.pesc()``.
    - With some labels: ``MOCK().fit(X, y)``, which picks by them. Labels as a third objective
      (Semi-MOCK, ``supervision="objective"``) overfit when they are few, and are worth trying where no
      solution is good without them.

    Parameters
    ----------
    n_clusters : int, optional
        From 1 to n_samples; None finds it.
    encoding : {"short", "split", "locus"}, default="short"
        Genes for the most interesting links of the tree, which may lead elsewhere or be cut; bits for them,
        which may be cut only, twice as fast; or genes for all samples. See
        :class:`~moo_clustering.encodings.LocusAdjacencyEncoding`.
    delta : float, "auto" or "sr5", default="auto"
        Percentage of the links without a gene; ``"sr5"`` leaves 5 sqrt(n_samples) genes; ``"auto"`` is 80
        for up to 1000 samples and ``"sr5"`` for more, but leaves genes enough for ``n_clusters``.
    engine : {"nsga2", "pesa2"}, default="nsga2"
    pop_size : int, default=100
        Individuals of NSGA-II, or children in a generation of PESA-II, which starts from 2 ``k_user``.
    n_gen : int, default=100
        Generations. The initial population is the first one of NSGA-II; for PESA-II it is not counted.
    pc : float, default=1
        Probability of crossing a pair.
    archive_size : int, default=1000
        Largest archive of PESA-II.
    selection : {"boxes", "tournament"}, default="boxes"
        Of PESA-II, see :class:`~moo_clustering.algorithms.PESA2`.
    init : {"delta", "2007"}, default="delta"
        Trees without their most interesting links; or half of those, half without links between clusters
        of k-means.
    replace : {"neighbor", "self"}, default="neighbor"
        What links that are taken away at first lead to.
    mutation_length : {"genotype", "N"}, default="genotype"
        n in the probability 1/n + (l/n)^2 that a link to an l-th neighbour mutates.
    new_value : {"different", "any"}, optional
        See :class:`~moo_clustering.operators.NeighborBiasedMutation`.
    n_neighbors : int, default=10
        L, the neighbours that connectivity is about and that genes are drawn from. Clusters of fewer than
        L/2 samples may be overlooked. For thin interlocked clusters the true partition can be dominated
        at L = 10, so that no search keeps it, and be found at L = 5, if only on the front: to pick it may
        take labels.
    objectives : {("variance", "connectivity"), ("deviation", "connectivity")}
        Mean square distance to the cluster's mean, the default, or sum of distances to it; and weights 1/r
        of the r-th neighbours in other clusters.
    connectivity : {"ranks", "published"}, default="ranks"
        ``"published"``: as the delta-MOCK program computes it.
    scale : {"none", "minmax", "zscore"}, default="none"
        Measurements in different units want ``"zscore"``; positions in a plane or space must keep theirs.
    metric : str or callable, default="euclidean"
        Of neighbours and tree; not ``"precomputed"``, since clusters have means.
    ties : {"random", "index"}, default="random"
        Order of equally near neighbours; ``"index"`` leaks the order of the rows.
    root : int or "random", default="random"
        Sample that the tree hangs from.
    rank_cap : int, optional
        Ranks of links beyond it are not told apart, which saves time in many features; at least
        5 ``n_neighbors`` is safe.
    k_user : int, default=25
        Most clusters that attainment scores consider; raised to ``n_clusters``.
    n_controls : int, default=3
        Searches on control data, each as long as that on X, for attainment scores.
    control : {"box", "eigenvalue"}, default="box"
        See :func:`~moo_clustering.fronts.control_data`.
    select : {"auto", "attainment", "variance", "sum", "knee", "labels", "constraints"}, name of an \
objective, int or callable, default="auto"
        Which solution is chosen, of those with ``n_clusters`` clusters, or with the nearest number.

        - ``"attainment"``: farthest from the control fronts. Never an end of the front, so that clusters
          too far apart to share neighbours get a number too large: give ``n_clusters`` for such.
        - ``"variance"``: least first objective.
        - ``"sum"``, ``"knee"``: least sum of the objectives scaled to the front; nearest to the best
          values.
        - ``"labels"``: greatest adjusted Rand index of the labelled samples; ``"constraints"``: least
          violated part of the must-links plus that of the cannot-links. Without any: ``"auto"``.
        - ``"auto"``: ``"constraints"`` if pairs were given, ``"labels"`` if labels were; otherwise
          ``"variance"`` with ``n_clusters`` and ``"attainment"`` without.
    supervision : {"select", "objective", "links"} or None, default="select"
        What labels and pairs do, besides picking the solution, in the search.

        - ``"select"``: nothing.
        - ``"objective"``: they are the third objective.
        - ``"links"``: samples that must not share a cluster are not drawn as neighbours, and links of the
          tree between them get genes; those that belong together always do, which needs
          ``encoding="short"`` or ``"split"``.
        - None: they are ignored, also when picking.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads, and processes for searches on control data; the result does not depend on it.
    verbose : bool, default=False
        Progress bars with rate, time left and best values.
    checkpoint : path, optional
        File to which the state of the search is written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Generations between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Numbered by first appearance.
    n_clusters_ : int
    chosen_ : int
        Row of the front that these belong to.
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Non-dominated distinct partitions, objectives in natural sign, by the first.
    pareto_K_ : ndarray of shape (n_solutions,), int64
        Numbers of clusters.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Computed when first asked for.
    objective_names_ : tuple of str
    mst_ : SpanningTree
    control_fronts_ : list of (F, n_clusters)
        Once attainment was asked for.
    attainment_ : AttainmentScores
        Likewise, for :func:`~moo_clustering.visualization.plot_attainment`.
    attainment_scores_ : ndarray of shape (n_solutions,)
        Likewise; NaN for solutions with too many clusters.
    promising_ : ndarray of int
        Rows of locally best scores over the number of clusters.
    result_ : pymoo.core.result.Result
    history_ : Recorder
    n_iter_ : int
        Generations done.
    interrupted_ : bool
        Whether Ctrl-C ended the fit early. Without control fronts the choice is then ``"knee"``.
    n_features_in_, feature_names_in_

    Notes
    -----
    Neighbours and tree take about O(N log N) time in few features and O(N^2 n_features) at worst. With a
    fifth or fewer of the links as genes an evaluation of E genes costs O(E n_features) and what links there
    are between the parts, whatever N is; ``encoding="locus"`` and deviation cost O(N (n_features + L)).
    Memory O(N L) and the population. Finding the number of clusters repeats the search ``n_controls`` times.

    References
    ----------
    Handl and Knowles, "An evolutionary approach to multiobjective clustering", IEEE TEVC 11(1), 2007;
    Handl and Knowles, "On semi-supervised clustering via multiobjective optimization", GECCO, 2006;
    Garza-Fabre, Handl and Knowles, "An improved and more scalable evolutionary approach to multiobjective
    clustering", IEEE TEVC, 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import MOCK
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = MOCK(2, select="attainment", n_gen=30, random_state=0).fit(X)
    >>> bool((model.labels_ == y).all() or (model.labels_ == 1 - y).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "encoding": [StrOptions({"short", "split", "locus"})],
        "delta": [Interval(Real, 0, 100, closed="left"), StrOptions({"auto", "sr5"})],
        "engine": [StrOptions({"nsga2", "pesa2"})],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 1, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "archive_size": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"boxes", "tournament"})],
        "init": [StrOptions({"delta", "2007"})],
        "replace": [StrOptions({"neighbor", "self"})],
        "mutation_length": [StrOptions({"genotype", "N"})],
        "new_value": [StrOptions({"different", "any"}), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "objectives": [tuple, list],
        "connectivity": [StrOptions({"ranks", "published"})],
        "scale": [StrOptions({"none", "minmax", "zscore"})],
        "metric": [str, callable],
        "ties": [StrOptions({"random", "index"})],
        "root": [Interval(Integral, 0, None, closed="left"), StrOptions({"random"})],
        "rank_cap": [Interval(Integral, 1, None, closed="left"), None],
        "k_user": [Interval(Integral, 1, None, closed="left")],
        "n_controls": [Interval(Integral, 1, None, closed="left")],
        "control": [StrOptions({"box", "eigenvalue"})],
        "select": [
            StrOptions({*RULES, "deviation", "connectivity", "ari", "constraint_violation"}),
            Integral,
            callable,
        ],
        "supervision": [StrOptions({"select", "objective", "links"}), None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        encoding: Literal["short", "split", "locus"] = "short",
        delta: float | Literal["auto", "sr5"] = "auto",
        engine: Literal["nsga2", "pesa2"] = "nsga2",
        pop_size: int = 100,
        n_gen: int = 100,
        pc: float = 1.0,
        archive_size: int = 1000,
        selection: Literal["boxes", "tournament"] = "boxes",
        init: Literal["delta", "2007"] = "delta",
        replace: Literal["neighbor", "self"] = "neighbor",
        mutation_length: Literal["genotype", "N"] = "genotype",
        new_value: Literal["different", "any"] | None = None,
        n_neighbors: int = 10,
        objectives: tuple[str, str] = ("variance", "connectivity"),
        connectivity: Literal["ranks", "published"] = "ranks",
        scale: Literal["none", "minmax", "zscore"] = "none",
        metric: Metric = "euclidean",
        ties: Literal["random", "index"] = "random",
        root: int | Literal["random"] = "random",
        rank_cap: int | None = None,
        k_user: int = 25,
        n_controls: int = 3,
        control: Literal["box", "eigenvalue"] = "box",
        select: Rule = "auto",
        supervision: Literal["select", "objective", "links"] | None = "select",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.encoding = encoding
        # Of an instance it is the parameter, of the class the preset.
        self.delta = delta  # type: ignore[method-assign, assignment]
        self.engine = engine
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.archive_size = archive_size
        self.selection = selection
        self.init = init
        self.replace = replace
        self.mutation_length = mutation_length
        self.new_value = new_value
        self.n_neighbors = n_neighbors
        self.objectives = objectives
        self.connectivity = connectivity
        self.scale = scale
        self.metric = metric
        self.ties = ties
        self.root = root
        self.rank_cap = rank_cap
        self.k_user = k_user
        self.n_controls = n_controls
        self.control = control
        self.select = select
        self.supervision = supervision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @classmethod
    def paper2007(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """MOCK of 2007: PESA-II over links of all samples, deviation. Further options override."""
        return cls(n_clusters, **{**MOCK_2007, **options})

    @classmethod
    def delta(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """delta-MOCK as the published program does it. Further options override."""
        return cls(n_clusters, **{**MOCK_DELTA, **options})

    @classmethod
    def pesc(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """MOCK of 2007 in the sizes of the PESC paper: 100 children, 100 generations."""
        return cls(n_clusters, **{**MOCK_PESC, **options})

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Partial labels 0, 1, ...; -1 for unlabelled samples.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other.

        Warns
        -----
        UserWarning
            No solution has ``n_clusters`` clusters, or the labels are of one class.
        """
        features = numeric_features(self, X)
        n_samples = len(features)
        self._check(n_samples)
        knowledge = take_knowledge(n_samples, y, must_link, cannot_link, self.supervision)
        seeds = spawn_seeds(self.random_state, 2 + self.n_controls)
        checkpoint = self._checkpoint(n_samples, features, y, must_link, cannot_link)
        settings = replace(Settings.of(self), delta=self._delta(n_samples))
        check_rule(self.select, known_rules(settings.objective_names(knowledge)))
        scaled = np.asarray(scale_features(features, self.scale), dtype=np.float64)
        problem = settings.problem(scaled, np.random.default_rng(seeds[0]), knowledge, self.n_jobs)
        self._forget()
        self._run(problem, settings, int(seeds[1].generate_state(1)[0]), checkpoint)
        self._front = found_front(problem, self.result_)
        self._knowledge, self._control_seeds = knowledge, seeds[2:]
        self._scaled, self._settings = scaled, settings
        self.pareto_front_ = problem.natural(self._front.F)
        self.pareto_K_ = self._front.n_clusters
        self.objective_names_ = problem.objective_names
        self.mst_: SpanningTree = problem.graph.tree
        return self._choose_at_end()

    def _check(self, n_samples: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of samples, {n_samples}.")
        if tuple(self.objectives) not in _OBJECTIVES:
            raise ValueError(f"objectives must be one of {_OBJECTIVES}, got {self.objectives!r}.")
        if self.root != "random" and self.root >= n_samples:
            raise ValueError(f"root={self.root} is none of the samples 0..{n_samples - 1}.")

    def _delta(self, n_samples: int) -> Any:
        """Percentage of links without a gene, of which there are enough for twice ``n_clusters``."""
        given: Any = self.delta
        if given != "auto" or self.n_clusters is None or n_samples == 1:
            return given
        least = min(n_samples - 1, 2 * (self.n_clusters - 1))
        if relevant_links("auto", n_samples) >= least:
            return "auto"
        return 100.0 * (1.0 - least / (n_samples - 1))

    def _checkpoint(self, n_samples: int, *data: Any) -> Checkpoint | None:
        # How one of the front is picked is no part of the search, and may change when it is resumed.
        same = clone(self).set_params(n_clusters=None, select="auto", n_controls=1, control="box")
        same.set_params(objectives="+".join(self.objectives), delta=self._delta(n_samples))
        if self.engine == "nsga2":
            same.set_params(k_user=1)
        return checkpoint_for(same, *data)

    def _run(
        self, problem: MOCKProblem, settings: Settings, seed: int, checkpoint: Checkpoint | None
    ) -> None:
        signs = problem.natural(np.ones(problem.n_obj))
        self.history_ = Recorder(signs)
        if problem.n_samples == 1:
            self.result_: Result = single_result(problem)
            self.history_.record(0, self.result_.F)
            self._steps, self.n_iter_, self.interrupted_ = 0, 0, False
            return
        search = settings.search(problem, seed)
        self.interrupted_ = drive(
            search,
            n_gen=settings.steps,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description="MOCK",
            objective_names=problem.objective_names,
            signs=signs,
            checkpoint=checkpoint,
        )
        self._steps, self.n_iter_ = search.generation, settings.generations(search)
        self.result_ = search.result()


def resolve_rule(rule: Rule, known: str | None, n_clusters: int | None) -> Rule:
    """The rule that ``"auto"`` stands for, and what stands in for rules without what they need.

    Parameters
    ----------
    rule : as for :func:`choose_row`, or "auto"
    known : {"labels", "constraints"} or None
        What labels and pairs allow.
    n_clusters : int or None
    """
    if not isinstance(rule, str) or (rule != "auto" and rule not in BY_KNOWLEDGE):
        return rule
    if known is not None:
        # Labels alone are judged as labels; with pairs, as the pairs that follow from them.
        return known if rule == "auto" or known == "constraints" else "labels"
    return "attainment" if n_clusters is None else "variance"


def known_rules(names: Sequence[str]) -> tuple[str, ...]:
    """Names of rules, those of objectives among them."""
    return (*RULES, *(name for name in names if name not in RULES))


def possible_rules(
    names: Sequence[str], known: str | None, n_clusters: int | None, searched: bool
) -> tuple[str, ...]:
    """Rules that have what they need.

    Parameters
    ----------
    names : sequence of str
        Of the objectives.
    known : {"labels", "constraints"} or None
        What labels and pairs allow.
    n_clusters : int or None
    searched : bool
        Whether control data were searched.
    """
    return tuple(
        rule
        for rule in known_rules(names)
        if not (rule in BY_KNOWLEDGE and known is None)
        and (searched or resolve_rule(rule, known, n_clusters) != "attainment")
    )


def nearest_rows(numbers: NDArray[np.integer[Any]], n_clusters: int | None) -> NDArray[np.intp]:
    """Solutions with so many clusters, else with the nearest number, of two the smaller; or all."""
    if n_clusters is None:
        return np.arange(len(numbers))
    distance = np.abs(numbers - n_clusters)
    nearest = numbers[distance == distance.min()].min()
    return np.flatnonzero(numbers == nearest)


def choose_row(
    front: Front,
    natural: FloatArray,
    names: Sequence[str],
    rule: Rule,
    n_clusters: int | None,
    judge: Callable[[str], FloatArray],
    scores: Callable[[], FloatArray],
) -> int:
    """Row that a rule picks.

    Parameters
    ----------
    front : Front
    natural : ndarray of shape (n_solutions, n_objectives)
        Objectives in natural sign.
    names : sequence of str
        Names of the objectives.
    rule : {"attainment", "variance", "sum", "knee", "labels", "constraints"}, name of an objective, int \
or callable
    n_clusters : int or None
        Restricts all rules but rows and callables.
    judge : callable
        Of ``"labels"`` or ``"constraints"``: how badly every solution agrees with them.
    scores : callable
        Attainment scores, when they are needed.

    Raises
    ------
    ValueError
        Unknown rule, or a row outside the front.
    """
    check_rule(rule, known_rules(names))
    if not isinstance(rule, str):
        return choose_member(natural, names, [False] * natural.shape[1], rule)
    allowed = nearest_rows(front.n_clusters, n_clusters)
    keys = _keys(front, names, rule, judge, scores)
    return int(allowed[np.lexsort([key[allowed] for key in reversed(keys)])[0]])


def _keys(
    front: Front,
    names: Sequence[str],
    rule: str,
    judge: Callable[[str], FloatArray],
    scores: Callable[[], FloatArray],
) -> list[NDArray[Any]]:
    """What is to be small, first things first."""
    if rule == "attainment":
        # Without a score, behind all that have one; of those alone the first objective decides.
        return [-np.nan_to_num(scores(), nan=-1.0), front.n_clusters, front.F[:, 0]]
    if rule in BY_KNOWLEDGE:
        return [judge(rule), np.sqrt(_scaled(front.F[:, :2])).sum(axis=1)]
    if rule == "sum":
        return [_scaled(front.F).sum(axis=1)]
    if rule == "knee":
        return [np.linalg.norm(_scaled(front.F), axis=1)]
    return [front.F[:, names.index(rule) if rule in names else 0]]


def _scaled(F: FloatArray) -> FloatArray:
    low, span = F.min(axis=0), np.ptp(F, axis=0)
    scaled: FloatArray = (F - low) / np.where(span > 0, span, 1.0)
    return scaled


def front_scores(front: Front, controls: Sequence[Any], k_user: int) -> AttainmentScores | None:
    """Attainment scores of a front; those that lose in the first two objectives have none.

    None where a front has no solution with few enough clusters.
    """
    # Rows are by the first objective, so who is not dominated has less of the second than all before.
    second = front.F[:, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])
    two = front.F.shape[1] > 2
    rows = np.flatnonzero(second < before) if two else np.arange(len(second))
    numbers = [front.n_clusters[rows], *(k for _, k in controls)]
    if max(int(k.min()) for k in numbers) > min([k_user, *(int(k.max()) for k in numbers)]):
        return None
    found = attainment_scores(front.F[rows, :2], front.n_clusters[rows], controls, k_user=k_user)
    scores, scaled = np.full(len(second), np.nan), np.full((len(second), 2), np.nan)
    scores[rows], scaled[rows] = found.scores, found.front
    return AttainmentScores(scores, front.n_clusters, found.k_max, scaled, found.controls)


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


def put_conflicts_first(graph: LocusGraph, groups: ConstraintGroups) -> LocusGraph:
    """The graph with links of the tree between samples in conflict as its most interesting ones.

    These get genes, as far as there are any, and are cut first.
    """
    order = graph.interest.order
    apart = groups.forbidden(order, graph.tree.parent[order])
    return replace(
        graph, interest=replace(graph.interest, order=np.concatenate([order[apart], order[~apart]]))
    )


class JoinedEncoding(LocusAdjacencyEncoding):
    """Links of a tree as genes, where samples that belong together always are in one cluster.

    Parameters
    ----------
    graph : LocusGraph
    groups : ConstraintGroups
    **options
        Of :class:`LocusAdjacencyEncoding`.

    Raises
    ------
    ValueError
        Samples that belong together, and a gene for every sample.

    Notes
    -----
    :meth:`parts` takes O(n_individuals (n_parts + n_joined)).
    """

    def __init__(self, graph: LocusGraph, groups: ConstraintGroups, **options: Any) -> None:
        super().__init__(graph=graph, **options)
        chains = [np.column_stack([group[:-1], group[1:]]) for group in groups.members()]
        if chains and self.links is None:
            raise ValueError(
                'supervision="links" joins the parts of a tree, which encoding="locus" has not; with '
                'must-links or labels use encoding="short" or "split".'
            )
        pairs = self.base[np.concatenate(chains)] if chains else np.empty((0, 2), dtype=np.int32)
        self.joined = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)

    def parts(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Smallest part of the cluster of every part, shape (n_individuals, n_parts), int32."""
        parts = super().parts(X)
        if not len(self.joined):
            return parts
        n, width = parts.shape
        start = width * np.arange(n)[:, None]
        ends = [
            np.concatenate([own.ravel(), (start + joined).ravel()])
            for own, joined in (
                (np.arange(parts.size), self.joined[:, 0]),
                (start + parts, self.joined[:, 1]),
            )
        ]
        links = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(parts.size, parts.size))
        component = connected_components(links, directed=False)[1]
        least = np.unique(component, return_index=True)[1]
        return (least[component] % width).reshape(n, width).astype(np.int32)


class Knowledge(NamedTuple):
    """Labels and pairs as the search uses them.

    Attributes
    ----------
    y : ndarray of shape (n_samples,) or None
        Partial labels, if they tell anything.
    pairs : PairwiseConstraints or None
        If pairs were given: they and those that follow from labels.
    groups : ConstraintGroups or None
        Links that are forbidden and parts that are joined.
    objective : str or None
        Third objective.
    """

    y: NDArray[Any] | None = None
    pairs: PairwiseConstraints | None = None
    groups: ConstraintGroups | None = None
    objective: str | None = None

    @property
    def rule(self) -> str | None:
        """How they pick a solution."""
        if self.pairs is not None:
            return "constraints"
        return None if self.y is None else "labels"


def take_knowledge(
    n_samples: int,
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    supervision: str | None,
) -> Knowledge:
    """Check labels and pairs, and say what is done with them.

    Raises
    ------
    ValueError, TypeError
        Labels or pairs out of range.
    InconsistentConstraintsError
        They contradict each other.
    """
    if supervision is None:
        return Knowledge()
    groups = supervision_groups(n_samples, y, must_link, cannot_link)
    given = any(pairs is not None and np.size(pairs) > 0 for pairs in (must_link, cannot_link))
    pairs = supervision_pairs(n_samples, y, must_link, cannot_link).pairs if given else None
    known = None if y is None else np.asarray(y)
    if known is not None and len(np.unique(known[known >= 0])) < 2:
        known = None
        warnings.warn(
            "y has fewer than two labelled samples or only one class, which no partition agrees with more "
            "than others; the adjusted Rand index of labels is not used.",
            UserWarning,
            stacklevel=4,
        )
    knowledge = Knowledge(known, pairs)
    if supervision == "links":
        return knowledge._replace(groups=None if groups.is_empty else groups)
    if supervision == "objective" and knowledge.rule is not None:
        objective = "ari" if knowledge.rule == "labels" else "constraint_violation"
        return knowledge._replace(objective=objective)
    return knowledge


def disagreement(
    encoding: LocusAdjacencyEncoding, genes: NDArray[Any], knowledge: Knowledge, rule: str
) -> NDArray[np.float64]:
    """How little solutions agree with the labels, or what part of the pairs they violate."""
    by_labels = rule == "labels"
    judge = MOCKProblem(
        encoding=encoding,
        objectives=("ari",) if by_labels else ("constraint_violation",),
        y=knowledge.y if by_labels else None,
        constraints=None if by_labels else knowledge.pairs,
    )
    values: NDArray[np.float64] = judge.evaluate(genes).reshape(len(genes))
    # What is equal but for the order of additions is a tie.
    return values.round(12)


def _checked_number(n_clusters: Any) -> int | None:
    if n_clusters is None:
        return None
    if isinstance(n_clusters, int | np.integer) and n_clusters >= 1:
        return int(n_clusters)
    raise ValueError(f"n_clusters must be an integer from 1, None or 'fitted', got {n_clusters!r}.")


def control_fronts(
    X: NDArray[np.float64],
    seeds: Sequence[np.random.SeedSequence],
    settings: Settings,
    *,
    kind: str,
    steps: int,
    n_jobs: int | None,
    verbose: bool,
) -> list[ControlFront]:
    """Objectives and numbers of clusters of a search on control data, for every seed.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In whose place the control data are.
    seeds : sequence of SeedSequence
    settings : Settings
    kind : {"box", "eigenvalue"}
    steps : int
        Generations after the initial population.
    n_jobs : int or None
        Searches at a time, in processes.
    verbose : bool
        Show a progress bar for each search that runs in this process.
    """
    if effective_n_jobs(n_jobs) == 1 or len(seeds) == 1:
        names = [f"control {i + 1} of {len(seeds)}" if verbose else None for i in range(len(seeds))]
        return [
            _search(X, seed, settings, kind, steps, n_jobs, name)
            for seed, name in zip(seeds, names, strict=True)
        ]
    found: list[ControlFront] = run_calls(
        (delayed(_search)(X, seed, settings, kind, steps, 1) for seed in seeds), n_jobs=n_jobs
    )
    return found


def _search(
    X: NDArray[np.float64],
    seed: np.random.SeedSequence,
    settings: Settings,
    kind: Any,
    steps: int,
    n_jobs: int | None,
    name: str | None = None,
) -> ControlFront:
    rng = np.random.default_rng(seed)
    problem = settings.problem(control_data(X, kind=kind, rng=rng), rng, Knowledge(), n_jobs)
    if problem.n_samples == 1:
        return found_front(problem, single_result(problem))[1:]
    search = settings.search(problem, int(rng.integers(2**31)))
    bar = Progress(
        n_gen=steps,
        done=0,
        verbose=name is not None,
        description=name or "",
        objective_names=problem.objective_names,
        signs=None,
    )
    with closing(bar):
        search.start()
        while search.generation < steps:
            search.advance()
            bar.show(search.generation, search.objectives())
    return found_front(problem, search.result())[1:]
