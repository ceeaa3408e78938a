"""MOCK: multi-objective clustering with automatic determination of the number of clusters."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._distances import Metric
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.algorithms import Recorder, drive
from moo_clustering.encodings._tree_links import relevant_links
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._choice import Rule, check_rule
from moo_clustering.estimators._numeric_features import numeric_features
from moo_clustering.estimators._scaling import scale_features
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin
from moo_clustering.estimators.graph_family._mock_choice import RULES, known_rules
from moo_clustering.estimators.graph_family._mock_front import FrontOfPartitions
from moo_clustering.estimators.graph_family._mock_presets import DELTA, PAPER_2007, PESC_PAPER
from moo_clustering.estimators.graph_family._mock_search import Settings, found_front, single_result
from moo_clustering.estimators.graph_family._mock_supervision import take_knowledge
from moo_clustering.graphs import SpanningTree
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MOCKProblem

FloatArray = NDArray[np.float64]

_OBJECTIVES = (("variance", "connectivity"), ("deviation", "connectivity"))


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
        return cls(n_clusters, **{**PAPER_2007, **options})

    @classmethod
    def delta(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """delta-MOCK as the published program does it. Further options override."""
        return cls(n_clusters, **{**DELTA, **options})

    @classmethod
    def pesc(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """MOCK of 2007 in the sizes of the PESC paper: 100 children, 100 generations."""
        return cls(n_clusters, **{**PESC_PAPER, **options})

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
