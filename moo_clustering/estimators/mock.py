"""MOCK: multiobjective clustering with links between neighbouring samples as genes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.ux import UniformCrossover
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering import operators, results
from moo_clustering._arrays import non_dominated, quoted, spawn_seeds, warn_caller
from moo_clustering._data import checked_weights, numeric_features
from moo_clustering._distances import Metric
from moo_clustering._docs import documented
from moo_clustering._parallel import run_calls
from moo_clustering._types import FloatArray, Int64Array, IntArray, IntpArray, Labels
from moo_clustering.algorithms import InterruptedSearchWarning, PymooSearch, Recorder
from moo_clustering.algorithms.pesa2 import PESA2
from moo_clustering.algorithms.search import Plans, Progress
from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints
from moo_clustering.constraints._checks import check_partial_labels
from moo_clustering.constraints.pairs import supervision_groups, supervision_pairs
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.encodings.base import distinct_rows, relabel_by_first_appearance
from moo_clustering.encodings.loci import relevant_links
from moo_clustering.estimators import _base, _fronts
from moo_clustering.estimators._methods import MOCK_2007, MOCK_DELTA, MOCK_PESC
from moo_clustering.estimators._options import KW_ONLY, Count, PopulationSize, Probability, estimator
from moo_clustering.fronts import AttainmentScores, attainment_scores, control_data
from moo_clustering.graphs import LocusGraph, SpanningTree, locus_graph
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MOCKProblem
from moo_clustering.problems.partition import evaluated_population, pymoo_result

_OBJECTIVES = (("variance", "connectivity"), ("deviation", "connectivity"))
BY_SUPERVISION = ("labels", "constraints")
RULES = ("auto", "attainment", "variance", "sum", "knee", *BY_SUPERVISION)
# Objectives. Their names are also rules, which select the lowest value.
OBJECTIVES = ("variance", "deviation", "connectivity", "ari", "constraint_violation")
# ``ControlFront`` contains the minimised objectives and the number of clusters of each solution. ``Front``
# also contains the genes, as its first item.
ControlFront = tuple[FloatArray, Int64Array]
Front = tuple[NDArray[Any], FloatArray, Int64Array]


@documented(MOCKProblem, operators.NeighborBiasedMutation, operators.MSTInterestingnessSampling)
@estimator
class MOCK(
    _base.NearestSampleMixin, _fronts.LazyFrontMixin, _fronts.FrontSearchMixin, _base.WeightedClusterer
):
    """Multiobjective clustering by compactness and connectivity, with links between neighbours as genes.

    Starting from a spanning tree, the search evolves partitions with different numbers of clusters, and a
    rule selects one. Clusters can have any shape. On round clusters and most measurement tables, k-means and
    Gaussian mixtures are at least as good.

    - Recommended: ``MOCK()``, or ``MOCK(n_clusters)`` if the number of clusters is known.
      ``MOCK(n_clusters, select="attainment")`` is slightly better on average, but takes four times as long.
    - As published: ``MOCK.paper2007()`` and ``MOCK.delta()``. As in the PESC paper: ``MOCK.pesc()``.
    - With some labels: ``MOCK().fit(X, y)`` selects the solution that agrees best with the labels. Labels as
      a third objective (Semi-MOCK, ``supervision="objective"``) cause overfitting and are only a fallback.

    For N samples, finding the neighbours and the tree takes about O(N log N) time with few features, and at
    worst O(N^2 n_features) time. If at most a fifth of the links have genes, the time for evaluating a
    solution does not depend on N. It is O(E n_features + P), where E is the number of genes and P is the
    number of pairs of neighbouring components. With ``encoding="locus"`` or the objective deviation, an
    evaluation takes O(N (n_features + n_neighbors)) time. A fit uses O(N n_neighbors) memory plus the
    population. ``select="attainment"`` also searches ``n_controls`` sets of control data. Issues a
    UserWarning if no solution has ``n_clusters`` clusters, or if all labels belong to one class. Sources:
    Handl and Knowles, "An evolutionary approach to multiobjective clustering", IEEE TEVC 11(1), 2007; Handl
    and Knowles, "On semi-supervised clustering via multiobjective optimization", GECCO, 2006; Garza-Fabre,
    Handl and Knowles, "An improved and more scalable evolutionary approach to multiobjective clustering",
    IEEE TEVC, 2018.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters, from 1 to n_samples. Default: determined by ``select``.
    encoding : {"short", "split", "locus"}
        Gene encoding. ``"short"``: targets of the most interesting tree links. ``"split"``: a bit per such
        link, where 0 cuts the link (twice as fast). ``"locus"``: link targets of all samples. See
        :class:`~moo_clustering.encodings.LocusAdjacencyEncoding`.
    delta : float, "auto" or "sr5"
        Percentage of links without a gene. ``"sr5"``: 5 sqrt(n_samples) genes. ``"auto"``: 80 for up to 1000
        samples, ``"sr5"`` for up to 62,500, and 98 for more, but lower if too few links would have genes.
    search : {"nsga2", "pesa2"}
        Search algorithm.
    pop_size : int
        Population size of NSGA-II, or children per generation of PESA-II (initial population: 2 ``k_user``).
    n_gen : int
        Number of generations, including (NSGA-II) or excluding (PESA-II) the initial population.
    archive_size : int
        Maximum archive size of PESA-II.
    selection : {"boxes", "tournament"}
        Selection scheme of PESA-II, see :class:`~moo_clustering.algorithms.PESA2`.
    init : {"greedy", "delta", "2007"}
        Initial population. ``"delta"``: trees without their most interesting links. ``"2007"``: 50% such
        trees, 50% k-means partitions. ``"greedy"``: 50% such trees, 50% partitions of
        :meth:`~moo_clustering.problems.MOCKProblem.greedy_front`, which are also added to the result.
    mutation_length : {"genotype", "N"}
        A link to the l-th neighbour mutates with probability 1/n + (l/n)^2 (n: number of genes or samples).
    objectives : {("variance", "connectivity"), ("deviation", "connectivity")}
        First objective: mean squared distance (default) or sum of distances to the cluster mean. Second
        objective: sum of the weights 1/r of all r-th neighbours that are in another cluster.
    scale : {"none", "minmax", "standard"}
        Feature scaling. Use ``"standard"`` for features in different units, and ``"none"`` for coordinates.
    metric : str or callable
        Metric for neighbours and tree. ``"precomputed"`` is not supported, because clusters require means.
    root : int or "random"
        Root of the tree, as a sample index.
    rank_cap : int, optional
        To save time, higher neighbour ranks are replaced by this rank. Use at least 5 ``n_neighbors``.
    k_user : int
        Maximum number of clusters considered in attainment scores, at least ``n_clusters``.
    n_controls : int
        Number of searches on control data for attainment scores. Each takes as long as the search on X.
    control_data : {"box", "eigenvalue"}
        Type of control data, see :func:`~moo_clustering.fronts.control_data`.
    select : {"auto", "attainment", "variance", "sum", "knee", "labels", "constraints"}, name of an \
objective, int or callable, default="auto"
        Rule that selects among the solutions whose number of clusters is closest to ``n_clusters``.

        - ``"attainment"``: farthest from the control fronts, but not at an end of the front. If no sample has
          neighbours in other clusters, set ``n_clusters``, because this rule then selects too many clusters.
        - ``"variance"``: lowest first objective. With ``n_clusters``, small clusters are merged
          (``min_cluster_share``) and, with up to three features, well-separated clusters are preferred.
        - ``"sum"``: lowest sum of the scaled objectives. ``"knee"``: nearest to the ideal point.
        - ``"labels"``: highest adjusted Rand index on the labelled samples. ``"constraints"``: lowest shares
          of violated must-links and cannot-links. Without labels and pairs, these rules mean ``"auto"``.
        - ``"auto"``: ``"constraints"`` with pairs, ``"labels"`` with labels, ``"variance"`` with
          ``n_clusters``, and ``"attainment"`` otherwise.
    min_cluster_share : float
        With ``"variance"`` and ``n_clusters``, clusters smaller than this share of the mean cluster size are
        merged into neighbouring clusters, see :meth:`MOCKProblem.without_fragments
        <moo_clustering.problems.MOCKProblem.without_fragments>`. With 0, none are merged, as published.
    supervision : {"select", "objective", "links"} or None
        How labels and pairs are used.

        - ``"select"``: only to select the solution.
        - ``"objective"``: also as a third objective.
        - ``"links"``: also in the genes. Samples that must be separate are never linked. Samples that belong
          together are always joined, which requires ``encoding="short"`` or ``"split"``.
        - None: not at all.

    Attributes
    ----------
    chosen_ : int
        Selected row of the front. If small clusters were merged, ``labels_`` has fewer clusters.
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Objectives, with original signs, of the distinct non-dominated partitions, sorted by the first
        objective. The objectives are computed before identical rows of X are moved to the same cluster.
    pareto_K_ : ndarray of shape (n_solutions,), int64
        Number of clusters of each solution.
    mst_ : SpanningTree
    control_fronts_ : list of (F, n_clusters)
        Fronts of the control data, if ``"attainment"`` has been used.
    attainment_ : AttainmentScores
        Scores for :func:`~moo_clustering.visualization.plot_attainment`, if ``"attainment"`` has been used.
    attainment_scores_ : ndarray of shape (n_solutions,)
        Attainment scores; NaN for solutions with too many clusters.
    promising_ : ndarray of int
        Rows of the front whose attainment score is a local maximum over the number of clusters.
    interrupted_ : bool
        Whether Ctrl-C stopped the fit. If so, ``"knee"`` was used instead of ``"attainment"``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import MOCK
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = MOCK(2, select="attainment", n_gen=30, random_state=0).fit(X)
    >>> bool((model.labels_ == y).all() or (model.labels_ == 1 - y).all())
    True
    """

    n_clusters: Count | None = None
    _: KW_ONLY
    encoding: Literal["short", "split", "locus"] = "short"
    delta: Annotated[
        float | Literal["auto", "sr5"], Interval(Real, 0, 100, closed="left"), StrOptions({"auto", "sr5"})
    ] = "auto"
    search: Literal["nsga2", "pesa2"] = "nsga2"
    pop_size: PopulationSize = 100
    n_gen: Count = 100
    pc: Probability = 1.0
    archive_size: Count = 1000
    selection: Literal["boxes", "tournament"] = "boxes"
    init: Literal["greedy", "delta", "2007"] = "greedy"
    replace: Literal["neighbor", "self"] = "neighbor"
    mutation_length: Literal["genotype", "N"] = "genotype"
    n_neighbors: Count = 10
    objectives: Annotated[tuple[str, str], tuple, list] = ("variance", "connectivity")
    connectivity: Literal["ranks", "published"] = "ranks"
    scale: Literal["none", "minmax", "standard"] = "none"
    metric: Annotated[Metric, str, callable] = "euclidean"
    root: Annotated[int, Interval(Integral, 0, None, closed="left")] | Literal["random"] = "random"
    rank_cap: Count | None = None
    k_user: Count = 25
    n_controls: Count = 3
    control_data: Literal["box", "eigenvalue"] = "box"
    select: Annotated[_base.Rule, StrOptions({*RULES, *OBJECTIVES}), Integral, callable] = "auto"
    min_cluster_share: Annotated[float, Interval(Real, 0, 1, closed="left")] = 0.1
    supervision: Literal["select", "objective", "links"] | None = "select"

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> Plans[None]:
        features = numeric_features(self, X)
        n_samples = len(features)
        self._check(n_samples)
        supervision = self._read_supervision(n_samples, y, must_link, cannot_link)
        data = [features, y, must_link, cannot_link]
        if self._sample_weight is not None:
            supervision = supervision._replace(weights=checked_weights(self._sample_weight, n_samples))
            data.append(supervision.weights)
        seeds = spawn_seeds(self.random_state, 2 + self.n_controls)
        checkpoint = _base.checkpoint_for(
            self, *data, n_clusters=None, select="auto", min_cluster_share=0.0, n_controls=1,
            control_data="box", k_user=1 if self.search == "nsga2" else self.k_user,
            objectives="+".join(self.objectives), delta=self._delta_for(n_samples),
        )  # fmt: skip
        _fronts.check_rule(self.select, _known_rules(self._objectives_with(supervision)))
        scaled = self._scale_samples(features)
        problem = self._problem_of(scaled, np.random.default_rng(seeds[0]), supervision, self.n_jobs)
        for name in ("control_fronts_", "attainment_", "attainment_scores_", "promising_", "pareto_labels_"):
            self.__dict__.pop(name, None)
        yield from self._run(problem, int(seeds[1].generate_state(1)[0]), checkpoint)
        self._genes, self._F, self.pareto_K_ = self._found_front(problem, self.result_)
        self._supervision, self._control_seeds = supervision, seeds[2:]
        # Later searches on control data use these settings, even if parameters have been changed.
        self._scaled, self._settings, self._equal = scaled, clone(self), _base.equal_rows(scaled)
        if int(self._equal.max()) + 1 < n_samples:
            self.pareto_K_ = self._find_pareto_labels().max(axis=1) + np.int64(1)
        self._set_objectives(problem, self._F)
        self.mst_: SpanningTree = problem.graph.tree
        self.neighbor_recall_ = problem.graph.recall
        self._choose_at_end()

    @classmethod
    def paper2007(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """Create MOCK of 2007 (PESA-II, one gene per sample, deviation). ``options`` take precedence."""
        return cls(n_clusters, **{**MOCK_2007, **options})

    @classmethod
    def pesc(cls, n_clusters: int | None = None, **options: Any) -> Self:
        """Create MOCK as published in 2007, but with 100 children and 100 generations (PESC paper)."""
        return cls(n_clusters, **{**MOCK_PESC, **options})

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        assert found.front is not None
        attainment: AttainmentScores | None = getattr(self, "attainment_", None)
        scores = {} if attainment is None else {"attainment": self.attainment_scores_}
        return replace(
            found,
            front=replace(found.front, n_clusters=self.pareto_K_, scores=scores),
            attainment=attainment,
            number_reason=self._number_reason(),
            record={} if attainment is None else {"attainment": self._promising_numbers(attainment)},
        )

    def _number_reason(self) -> str:
        supervised = self._supervision.rule is not None and self.supervision is not None
        if self.n_clusters is None and supervised and self.select in ("auto", *BY_SUPERVISION):
            return "by agreement with the labels or pairs"
        if self.n_clusters is None and self.interrupted_ and self.select in ("auto", "attainment"):
            return "nearest to the optimum of both objectives; no attainment scores yet"
        return ""

    def _promising_numbers(self, attainment: AttainmentScores) -> dict[str, Any]:
        scores, numbers = self.attainment_scores_, self.pareto_K_
        score = float(scores[self.chosen_])
        others = [row for row in self.promising_ if numbers[row] != self.n_clusters_]
        others.sort(key=lambda row: -scores[row])
        return {
            "score": score if np.isfinite(score) else None,
            "largest_number": int(attainment.k_max),
            "also_promising": [
                {"n_clusters": int(numbers[row]), "member": int(row), "score": float(scores[row])}
                for row in others
            ],
        }

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names of the rules that :meth:`choose` accepts without a new search on control data."""
        check_is_fitted(self)
        searched = hasattr(self, "control_fronts_")
        known = self._supervision.rule
        return tuple(
            rule
            for rule in _known_rules(self.objective_names_)
            if not (rule in BY_SUPERVISION and known is None)
            and (searched or _resolved_rule(rule, known, self.n_clusters) != "attainment")
        )

    def choose(
        self, rule: _base.Rule = "auto", *, n_clusters: int | Literal["fitted"] | None = "fitted"
    ) -> Self:
        """Select another solution (``chosen_``, ``labels_``, ``n_clusters_``), without searching X again.

        Raises a ValueError if the rule is unknown, or if the row is outside the front. If no solution has
        ``n_clusters`` clusters, issues a UserWarning and uses the closest number of clusters.

        Parameters
        ----------
        rule : as ``select``, default="auto"
            For a row of ``pareto_front_`` or a function ``rule(pareto_front_) -> row``, ``n_clusters`` is
            ignored. ``"attainment"`` runs the search on control data on first use.
        n_clusters : int or None, optional
            Number of clusters. Default: the parameter of the estimator.
        """
        check_is_fitted(self)
        wanted: Any = self.n_clusters if n_clusters == "fitted" else n_clusters
        if wanted is not None:
            if not isinstance(wanted, int | np.integer) or wanted < 1:
                raise ValueError(
                    f"n_clusters must be a positive integer, None or 'fitted', got {quoted(wanted)}"
                )
            wanted = int(wanted)
        rule = _resolved_rule(rule, self._supervision.rule, wanted)
        _fronts.check_rule(rule, _known_rules(self.objective_names_))
        if (joined := self._without_fragments(rule, wanted)) is not None:
            self._take_member(*joined)
        elif isinstance(rule, str):
            # Only named rules are restricted to solutions with the nearest number of clusters.
            allowed = nearest_rows(self.pareto_K_, wanted)
            keys = self._keys(rule, wanted)
            self._take_member(int(allowed[np.lexsort([key[allowed] for key in reversed(keys)])[0]]))
        else:
            greater = self._greater_is_better()
            self._take_member(_fronts.choose_member(self.pareto_front_, self.objective_names_, greater, rule))
        if isinstance(rule, str) and wanted is not None and self.n_clusters_ != wanted:
            warn_caller(
                f"no solution in the front has n_clusters={wanted}; a solution with the nearest "
                f"number, {self.n_clusters_}, is used"
            )
        return self

    def _without_fragments(self, rule: _base.Rule, n_clusters: int | None) -> tuple[int, Labels] | None:
        """Return the best solution after merging small clusters, and its labels, or None without merging."""
        published = not self.min_cluster_share or self.objective_names_[0] != "variance"
        # Do not merge if the search satisfied constraints, because merged clusters could violate them.
        if rule != "variance" or n_clusters is None or published or self._supervision.groups is not None:
            return None
        weights = self._supervision.weights
        total = self._problem.n_samples if weights is None else float(weights.sum())
        least_size = self.min_cluster_share * total / n_clusters
        return self._problem.without_fragments(self._genes, n_clusters, least_size)

    def _keys(self, rule: str, n_clusters: int | None) -> list[NDArray[Any]]:
        """Return the keys by which a rule sorts the solutions in ascending order, primary key first."""
        if rule == "attainment":
            # Solutions without a score come last, in ascending order of their number of clusters.
            scores = np.nan_to_num(self._attainment(n_clusters), nan=-1.0)
            return [-scores, self.pareto_K_, self._F[:, 0]]
        if rule in BY_SUPERVISION:
            return [self._disagreement(rule), np.sqrt(_scaled(self._F[:, :2])).sum(axis=1)]
        if rule == "sum":
            return [_scaled(self._F).sum(axis=1)]
        if rule == "knee":
            return [np.linalg.norm(_scaled(self._F), axis=1)]
        names = self.objective_names_
        return [self._F[:, names.index(rule) if rule in names else 0]]

    def _disagreement(self, rule: str) -> FloatArray:
        """Return the disagreement of each solution with the labels or the pairs, depending on ``rule``."""
        by_labels, supervision = rule == "labels", self._supervision
        judge = MOCKProblem(
            encoding=self._problem.encoding,
            objectives=("ari",) if by_labels else ("constraint_violation",),
            y=supervision.y if by_labels else None,
            constraints=None if by_labels else supervision.pairs,
            sample_weight=supervision.weights,
        )
        # Round the values, so that values that differ only by rounding errors are tied.
        values: FloatArray = judge.evaluate(self._genes).reshape(-1).round(12)
        return values

    def _take_member(self, row: int, joined: Labels | None = None) -> None:
        found = self._problem.decode(self._genes[[row]])[0] if joined is None else joined
        self.chosen_, self.labels_ = row, self._united(found)
        self.n_clusters_ = int(self.labels_.max()) + 1

    def _find_pareto_labels(self) -> Labels:
        return self._united(self._problem.decode(self._genes))

    def _united(self, labels: Labels) -> Labels:
        """Move identical rows to the cluster that contains most of them."""
        # The search can separate identical rows, because they are not always linked, and links can be cut.
        # With ``supervision="links"``, rows with labels or pairs are not moved.
        groups = self._supervision.groups
        fixed = None if groups is None else np.flatnonzero(groups.groups >= 0)
        found = _base.united(labels, self._equal, fixed)
        return labels if np.array_equal(found, labels) else relabel_by_first_appearance(found)

    @property
    def _problem(self) -> MOCKProblem:
        return self.result_.problem

    def _choose_at_end(self) -> None:
        rule = _resolved_rule(self.select, self._supervision.rule, self.n_clusters)
        if rule == "attainment" and self.interrupted_:
            rule = "knee"
        try:
            self.choose(rule)
        except KeyboardInterrupt:
            if rule != "attainment":
                raise
            self.interrupted_: bool = True
            warn_caller(
                'the search on control data was interrupted; call choose("attainment") to repeat it',
                InterruptedSearchWarning,
            )
            self.choose("knee")

    def _control_fronts(self) -> list[ControlFront]:
        seeds = self._control_seeds
        search = partial(
            self._settings._control_front,
            self._scaled,
            self._supervision.weights,
            self.control_data,
            self._steps,
        )
        if effective_n_jobs(self.n_jobs) == 1 or len(seeds) == 1:
            names = [f"control {i + 1} of {len(seeds)}" if self.verbose else None for i in range(len(seeds))]
            return [search(self.n_jobs, seed, name) for seed, name in zip(seeds, names, strict=True)]
        return run_calls((delayed(search)(1, seed, None) for seed in seeds), n_jobs=self.n_jobs)

    def _control_front(
        self, X: FloatArray, weights: FloatArray | None, kind: Any, steps: int, n_jobs: int | None,
        seed: np.random.SeedSequence, name: str | None,
    ) -> ControlFront:  # fmt: skip
        """Search one set of control data, with a progress bar if ``name`` is given."""
        rng = np.random.default_rng(seed)
        supervision = Supervision(weights=weights)
        problem = self._problem_of(control_data(X, kind=kind, rng=rng), rng, supervision, n_jobs)
        if problem.n_samples == 1:
            return self._found_front(problem, _single_result(problem))[1:]
        search = self._new_search(problem, int(rng.integers(2**31)))
        names, shown = problem.objective_names, name is not None
        bar = Progress(n_gen=steps, done=0, verbose=shown, description=name or "", objective_names=names)
        with closing(bar):
            search.start()
            while search.generation < steps:
                search.advance()
                bar.show(search.generation, search.objectives())
        return self._found_front(problem, search.result())[1:]

    def _attainment(self, n_clusters: int | None) -> FloatArray:
        """Compute the attainment scores of the front, and store them in fitted attributes."""
        if not hasattr(self, "control_fronts_"):
            # Control data are searched for as many generations as X, even if the search of X was interrupted.
            self.control_fronts_: list[ControlFront] = self._control_fronts()
        k_user = max(self.k_user, n_clusters or 0)
        attainment = _front_scores(self._F, self.pareto_K_, self.control_fronts_, k_user)
        if attainment is None:
            warn_caller(
                "attainment scores are undefined, because no number of clusters up to "
                f"k_user={k_user} occurs both in the front and in the control fronts; the solution with the "
                "fewest clusters is used. Increase k_user."
            )
            return np.full(len(self.pareto_front_), np.nan)
        self.attainment_: AttainmentScores = attainment
        self.attainment_scores_ = attainment.scores
        self.promising_ = attainment.promising()
        return self.attainment_scores_

    def _check(self, n_samples: int) -> None:
        _base.check_n_clusters(self.n_clusters or 1, n_samples)
        if tuple(self.objectives) not in _OBJECTIVES:
            raise ValueError(f"objectives must be one of {_OBJECTIVES}, got {quoted(self.objectives)}")
        if self.root != "random" and self.root >= n_samples:
            raise ValueError(f"root must be a sample index from 0 to {n_samples - 1}, got {self.root}")

    def _read_supervision(self, n_samples: int, y: Any, must_link: Any, cannot_link: Any) -> Supervision:
        if self.supervision is None:
            return Supervision()
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        given = any(pairs is not None and np.size(pairs) > 0 for pairs in (must_link, cannot_link))
        pairs = supervision_pairs(n_samples, y, must_link, cannot_link) if given else None
        known = None if y is None else check_partial_labels(y)
        if known is not None and len(np.unique(known[known >= 0])) < 2:
            known = None
            warn_caller(
                "y has fewer than two classes, so all partitions agree with it equally; the adjusted "
                "Rand index with the labels is not used"
            )
        read = Supervision(known, pairs)
        if self.supervision == "links":
            return read._replace(groups=None if groups.is_empty else groups)
        if self.supervision == "objective" and read.rule is not None:
            objective = "ari" if read.rule == "labels" else "constraint_violation"
            return read._replace(objective=objective)
        return read

    def _delta_for(self, n_samples: int) -> Any:
        """Return ``delta``, but lower ``"auto"`` if it provides too few genes for ``n_clusters`` clusters."""
        delta: Any = self.delta
        if delta != "auto" or self.n_clusters is None or n_samples == 1:
            return delta
        least = min(n_samples - 1, 2 * (self.n_clusters - 1))
        if relevant_links("auto", n_samples) >= least:
            return "auto"
        return 100.0 * (1.0 - least / (n_samples - 1))

    def _run(self, problem: MOCKProblem, seed: int, checkpoint: Checkpoint | None) -> Plans[None]:
        signs = problem.natural(np.ones(problem.n_obj))
        if problem.n_samples == 1:
            self.result_: Result = _single_result(problem)
            self.history_ = Recorder(signs)
            self.history_.record(0, self.result_.F)
            self._steps, self.n_iter_, self.interrupted_ = 0, 0, False
            return
        search = self._new_search(problem, seed)
        yield from self._drive(search, problem, self._n_steps, checkpoint, signs)
        # For NSGA-II, ``n_gen`` and ``n_iter_`` include the initial population.
        self._steps, self.n_iter_ = search.generation, search.generation + self.n_gen - self._n_steps
        self.result_ = search.result()

    def _problem_of(
        self, X: FloatArray, rng: np.random.Generator, supervision: Supervision, n_jobs: int | None
    ) -> MOCKProblem:
        graph = locus_graph(
            X,
            n_neighbors=self.n_neighbors,
            metric=self.metric,
            ties=self.ties,
            method=self.neighbor_method,
            root=self.root,
            rank_cap=self.rank_cap,
            rng=rng,
            groups=supervision.groups,
            n_jobs=n_jobs,
        )
        # A single sample has no tree, which the other encodings require.
        kind, delta = (self.encoding if len(X) > 1 else "locus"), self._delta_for(len(X))
        if supervision.groups is None:
            encoding = LocusAdjacencyEncoding(graph=graph, kind=kind, delta=delta, n_jobs=n_jobs)
        else:
            # Only the most interesting links have genes and can be cut. Therefore, tree links that violate
            # constraints are ranked as the most interesting links.
            order = graph.interest.order
            apart = supervision.groups.forbidden(order, graph.tree.parent[order])
            order = np.concatenate([order[apart], order[~apart]])
            graph = replace(graph, interest=replace(graph.interest, order=order))
            encoding = JoinedEncoding(graph, supervision.groups, kind=kind, delta=delta, n_jobs=n_jobs)
        return MOCKProblem(
            encoding=encoding,
            objectives=self._objectives_with(supervision),  # type: ignore[arg-type]
            connectivity=self.connectivity,
            y=supervision.y,
            constraints=supervision.pairs,
            sample_weight=supervision.weights,
            n_jobs=n_jobs,
        )

    def _new_search(self, problem: MOCKProblem, seed: int) -> PymooSearch:
        sampling: Sampling = operators.MSTInterestingnessSampling(
            "delta" if self.init == "greedy" else self.init, replace=self.replace
        )
        if self.init == "greedy":
            sampling = operators.GreedyFrontSampling(rest=sampling)
        parts: dict[str, Any] = {
            "sampling": sampling,
            "crossover": UniformCrossover(prob=self.pc),
            "mutation": operators.NeighborBiasedMutation(self.mutation_length),
        }
        if self.search == "pesa2" and self.algorithm is None:
            parts |= {"archive_size": self.archive_size, "n_init": 2 * self.k_user}
            pesa2 = PESA2(self.pop_size, selection=self.selection, **parts)
            return PymooSearch(problem, pesa2, seed=seed)
        return self._pymoo_search_for(problem, parts, seed)

    @property
    def _n_steps(self) -> int:
        """Number of generations after the initial population."""
        return self.n_gen if self.search == "pesa2" else self.n_gen - 1

    def _found_front(self, problem: MOCKProblem, result: Result) -> Front:
        """Return the distinct non-dominated solutions of the last population and any greedy front."""
        found = result.pop
        if self.init == "greedy":
            built = problem.greedy_front()
            values = {"X": built, "F": problem.evaluate(built), "CV": np.zeros((len(built), 1))}
            merged = Population.merge(result.pop, evaluated_population(**values))
            found = result.opt = merged[non_dominated(merged.get("F").astype(np.float64))]
            result.X, result.F = result.opt.get("X", "F")
        genes, F = found.get("X"), found.get("F").astype(np.float64)
        rows = non_dominated(F)
        rows = rows[np.sort(distinct_rows(problem.encoding.canonical(genes[rows]))[0])]
        return genes[rows], F[rows], problem.n_clusters(genes[rows])

    def _objectives_with(self, supervision: Supervision) -> tuple[str, ...]:
        return (*self.objectives, *(() if supervision.objective is None else (supervision.objective,)))


def delta(cls: type[MOCK], /, n_clusters: int | None = None, **options: Any) -> MOCK:
    """Create delta-MOCK with the settings of the published program. ``options`` take precedence."""
    return cls(n_clusters, **{**MOCK_DELTA, **options})


# ``delta`` is both a class method and a parameter. In the class body, the method would become the default of
# the parameter, so the method is attached afterwards.
delta.__qualname__ = "MOCK.delta"
MOCK.delta = classmethod(delta)  # type: ignore[assignment]
del delta


def _resolved_rule(rule: _base.Rule, known: str | None, n_clusters: int | None) -> _base.Rule:
    """Replace ``"auto"``, and rules that require missing labels or pairs, by a rule that can be used."""
    if not isinstance(rule, str) or (rule != "auto" and rule not in BY_SUPERVISION):
        return rule
    if known is not None:
        # If both labels and pairs were given, the labels have been converted to additional pairs.
        return known if rule == "auto" or known == "constraints" else "labels"
    return "attainment" if n_clusters is None else "variance"


def _known_rules(names: Sequence[str]) -> tuple[str, ...]:
    return (*RULES, *(name for name in names if name not in RULES))


def nearest_rows(numbers: IntArray, n_clusters: int | None) -> IntpArray:
    """Return the rows with the number of clusters closest to ``n_clusters``, or all rows for None."""
    # If two numbers are equally close, the lower one is used.
    if n_clusters is None:
        return np.arange(len(numbers))
    distance = np.abs(numbers - n_clusters)
    nearest = numbers[distance == distance.min()].min()
    return np.flatnonzero(numbers == nearest)


def _scaled(F: FloatArray) -> FloatArray:
    low, span = F.min(axis=0), np.ptp(F, axis=0)
    return (F - low) / np.where(span > 0, span, 1.0)


def _front_scores(
    F: FloatArray, n_clusters: Int64Array, controls: Sequence[ControlFront], k_user: int
) -> AttainmentScores | None:
    """Return scores by the first two objectives, or None if no number of clusters is in all fronts."""
    # Rows are sorted by the first objective, so a row with a new minimum of the second is non-dominated.
    second = F[:, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])
    rows = np.flatnonzero(second < before) if F.shape[1] > 2 else np.arange(len(second))
    numbers = [n_clusters[rows], *(k for _, k in controls)]
    if max(int(k.min()) for k in numbers) > min([k_user, *(int(k.max()) for k in numbers)]):
        return None
    found = attainment_scores(F[rows, :2], n_clusters[rows], controls, k_user=k_user)
    scores, scaled = np.full(len(second), np.nan), np.full((len(second), 2), np.nan)
    scores[rows], scaled[rows] = found.scores, found.front
    return AttainmentScores(scores, n_clusters, found.k_max, scaled, found.controls)


def _single_result(problem: MOCKProblem) -> Result:
    genes = np.zeros((1, problem.n_var), dtype=problem.encoding.dtype)
    population = evaluated_population(X=genes, F=problem.evaluate(genes), CV=np.zeros((1, 1)))
    return pymoo_result(problem, population)


class JoinedEncoding(LocusAdjacencyEncoding):
    """Encoding of tree links that never separates samples that belong together."""

    def __init__(self, graph: LocusGraph, groups: ConstraintGroups, **options: Any) -> None:
        super().__init__(graph=graph, **options)
        chains = [np.column_stack([group[:-1], group[1:]]) for group in groups.members()]
        if chains and self.links is None:
            raise ValueError(
                'supervision="links" with must-links or labels requires encoding="short" or "split", because '
                'encoding="locus" has no tree'
            )
        pairs = self.base[np.concatenate(chains)] if chains else np.empty((0, 2), dtype=np.int32)
        self.joined = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)

    def parts(self, X: NDArray[Any]) -> Labels:
        parts = super().parts(X)
        if not len(self.joined):
            return parts
        n, width = parts.shape
        start = width * np.arange(n)[:, None]
        rows = zip((np.arange(parts.size), start + parts), self.joined.T, strict=True)
        ends = [np.concatenate([own.ravel(), (start + joined).ravel()]) for own, joined in rows]
        links = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(parts.size, parts.size))
        component = connected_components(links, directed=False)[1]
        least = np.unique(component, return_index=True)[1]
        return (least[component] % width).reshape(n, width).astype(np.int32)


class Supervision(NamedTuple):
    """Validated labels and pairs for the search and the selection."""

    y: NDArray[Any] | None = None  # partial labels of at least two classes
    pairs: PairwiseConstraints | None = None
    groups: ConstraintGroups | None = None  # only with ``supervision="links"``
    objective: str | None = None
    weights: FloatArray | None = None

    @property
    def rule(self) -> str | None:
        """Rule that selects a solution according to pairs or labels, or None without pairs and labels."""
        return "constraints" if self.pairs is not None else "labels" if self.y is not None else None
