"""Pareto-ensemble spectral clustering."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import networkx as nx
import numpy as np
from deap import tools
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.algorithms import DeapSearch, PymooSearch, Recorder, drive
from moo_clustering.consensus import ensemble_members
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._choice import Rule, check_rule, choose_member
from moo_clustering.estimators._distinct import fewer_distinct_rows
from moo_clustering.estimators._pesc_ensemble import ENSEMBLES, GraphEnsemble
from moo_clustering.estimators._pesc_search import (
    compose,
    deap_search,
    final_population,
    pymoo_search,
)
from moo_clustering.estimators._scaling import scale_features
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin
from moo_clustering.estimators._supervision import supervision_groups
from moo_clustering.graphs import NeighborLists, SpectralPartition, lists_from_arrays, neighbor_lists
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import NeighborGraphProblem, default_n_neighbors

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]


class PESC(SemiSupervisedClusterMixin, BaseEstimator):
    """Pareto-ensemble spectral clustering.

    Phase I evolves populations that link every sample to one neighbour, near (f1) yet unlike the rest
    of the population (f2). Phase II merges the non-dominated members into one sparse similarity
    matrix, on which spectral clustering is run. The number of neighbours of a sample is thus found
    rather than set.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to n_samples.
    pop_size : int, default=100
        Size of the population; the paper asks for more than ln N and at least sqrt(N).
    n_gen : int, default=100
        Generations after the initial population; 0 is the control without evolution.
    pc : float, default=0.9
        Probability that a pair of parents is crossed.
    pm : float, default=0.1
        Mutation probability, of what ``mutation_prob`` says.
    n_neighbors : int, optional
        k, how many of the nearest neighbours initialisation and resampling draw from; default the
        smallest integer above ln N.
    list_width : int or "full", optional
        w, how many neighbours a gene can name, which ``operators="rank"`` make use of; default 2k for
        those, n_samples - 1 (``"full"``) for ``operators="index"`` and ``init="random"``, which need
        it, and k, beyond which ``operators="uniform"`` never draw.
    init : {"knn", "spread", "random"}, default="knn"
        See :class:`~moo_clustering.operators.NeighborSampling`. Above some thousand samples
        ``"spread"`` is recommended, without which the population hardly moves.
    operators : {"uniform", "rank", "index"}, default="uniform"
        Uniform crossover and resampling; SBX and polynomial mutation on ranks; or, as printed, on
        sample indices. ``"index"`` depends on the order of the rows and leaks the classes of sorted
        ones: for reproduction only.
    mutation_prob : {"gene", "individual", "exclusive"}, default="gene"
        ``pm`` is the probability of a gene; or of an individual, whose genes then change with
        probability 1/N; or pairs that are not crossed are mutated (1/N per gene) and ``pm`` is unused.
    eta_crossover, eta_mutation : float, default=15 and 20
        Distribution indices of SBX and polynomial mutation.
    diversity : {"slots", "last_front", "none"}, default="slots"
        See :class:`~moo_clustering.operators.DynamicDiversitySurvival`.
    n_div : int, optional
        Places filled by diversity; default ceil(0.1 pop_size).
    ensemble : {"es1", "es2", "es3"}, default="es2"
        Weights of the edges: sparse reconstruction (Eq. 4), diversity (Eq. 5), Gaussian kernel (Eq. 6).
    ensemble_over : {"nondominated", "population"}, default="nondominated"
        Members that are merged.
    min_members : int, optional
        Further fronts are added until there are so many members; default floor(ln N) + 1, 1 is the
        paper's.
    es1_solver : {"nnls", "pso"}, default="nnls"
        Exact, or the paper's particle swarm.
    orientation : {"row", "column"}, default="row"
        ES1 rebuilds a sample from those it chose, or from those that chose it.
    ridge : float, default=0.025
        ES1's ridge as a multiple of the mean feature variance.
    min_weight : float, default=0
        Smallest weight of an ES1 edge; 0 drops edges of weight 0.
    es2_weight : {"one_minus_div", "div", "count"}, default="one_minus_div"
        What a member contributes in ES2: the formula, the paper's prose, or 1.
    sigma : float or {"mean", "median", "grid"}, default="mean"
        Scale factor of ES3; ``"grid"`` takes the largest eigengap over the paper's values.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
        The paper's is ``"unnormalized"``, which fails on some sets.
    bridge : bool, default=True
        Join the components of a disconnected graph by their shortest links, very weakly.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
    scale : {"minmax", "zscore", "none"}, default="minmax"
        Not applied to ``metric="precomputed"``.
    metric : str, default="euclidean"
        Any metric of scikit-learn, or ``"precomputed"`` (n_samples, n_samples) distances.
    ties : {"random", "index"}, default="random"
        Order of equally near neighbours; ``"index"`` leaks the order of the rows on gridded data.
    must_link : {False, True, "clique", "star"}, default=False
        Whether labels also join samples of one class, with the largest similarity (an extension; the
        paper only forbids links between classes): every pair, or a star through the medoid of the
        class; True takes the clique up to a million pairs. Explicit must-link pairs always act.
    neighbors : tuple of (indices, distances), optional
        Neighbour lists of shape (n_samples, width) from any search, exact or approximate, self
        excluded, on the data as they should be compared (``scale`` is not applied to them).
    engine : {"pymoo", "deap"}, default="pymoo"
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads; the result does not depend on it.
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
    labels_ : ndarray of shape (n_samples,), int32
        Numbered by first appearance.
    n_clusters_ : int
    similarity_ : csr_array of shape (n_samples, n_samples)
        Symmetric, as clustered (bridges included).
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows that k-means was run on.
    eigenvalues_ : ndarray
        Smallest eigenvalues of the Laplacian.
    n_components_ : int
        Connected components before bridging.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        Mean neighbour distance and 1 - diversity of the non-dominated members.
    pareto_neighbors_ : ndarray of shape (n_solutions, n_samples), int32
        The neighbour each of them links a sample to.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Spectral partition of each member's own graph; computed when first asked for.
    objective_names_ : tuple of str
    sigma_ : float
        Scale factor used by ES3, otherwise None.
    result_ : pymoo.core.result.Result
    logbook_, hall_of_fame_ : deap.tools.Logbook, deap.tools.ParetoFront
        With ``engine="deap"``.
    history_ : Recorder
    n_iter_ : int
        Generations done.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(n_gen pop_size N) time and O(pop_size N) bytes for phase I; nothing quadratic in N is built unless
    ``list_width="full"``.

    References
    ----------
    PESC: "Pareto ensemble-based spectral clustering", Algorithms 1-3, Eqs. 1-7.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import PESC
    >>> X, _ = load_wine(return_X_y=True)
    >>> PESC(3, n_gen=5, random_state=0).fit(X).n_clusters_
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "pm": [Interval(Real, 0, 1, closed="both")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "list_width": [Interval(Integral, 1, None, closed="left"), StrOptions({"full"}), None],
        "init": [StrOptions({"knn", "spread", "random"})],
        "operators": [StrOptions({"uniform", "rank", "index"})],
        "mutation_prob": [StrOptions({"gene", "individual", "exclusive"})],
        "eta_crossover": [Interval(Real, 1, 100, closed="both")],
        "eta_mutation": [Interval(Real, 1, 100, closed="both")],
        "diversity": [StrOptions({"slots", "last_front", "none"})],
        "n_div": [Interval(Integral, 0, None, closed="left"), None],
        "ensemble": [StrOptions(set(ENSEMBLES))],
        "ensemble_over": [StrOptions({"nondominated", "population"})],
        "min_members": [Interval(Integral, 1, None, closed="left"), None],
        "es1_solver": [StrOptions({"nnls", "pso"})],
        "orientation": [StrOptions({"row", "column"})],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "min_weight": [Interval(Real, 0, None, closed="left")],
        "es2_weight": [StrOptions({"one_minus_div", "div", "count"})],
        "sigma": [Interval(Real, 0, None, closed="left"), StrOptions({"mean", "median", "grid"})],
        "laplacian": [StrOptions({"sym", "unnormalized", "rw"})],
        "bridge": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "lobpcg", "pic"})],
        "scale": [StrOptions({"minmax", "zscore", "none"})],
        "metric": [str],
        "ties": [StrOptions({"random", "index"})],
        "must_link": ["boolean", StrOptions({"clique", "star"})],
        "neighbors": [tuple, list, None],
        "engine": [StrOptions({"pymoo", "deap"})],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        pop_size: int = 100,
        n_gen: int = 100,
        pc: float = 0.9,
        pm: float = 0.1,
        n_neighbors: int | None = None,
        list_width: int | Literal["full"] | None = None,
        init: str = "knn",
        operators: str = "uniform",
        mutation_prob: str = "gene",
        eta_crossover: float = 15,
        eta_mutation: float = 20,
        diversity: str = "slots",
        n_div: int | None = None,
        ensemble: str = "es2",
        ensemble_over: str = "nondominated",
        min_members: int | None = None,
        es1_solver: str = "nnls",
        orientation: str = "row",
        ridge: float = 0.025,
        min_weight: float = 0.0,
        es2_weight: str = "one_minus_div",
        sigma: float | str = "mean",
        laplacian: str = "sym",
        bridge: bool = True,
        eigen_solver: str = "auto",
        scale: str = "minmax",
        metric: str = "euclidean",
        ties: str = "random",
        must_link: bool | str = False,
        neighbors: tuple[ArrayLike, ArrayLike] | None = None,
        engine: str = "pymoo",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.pm = pm
        self.n_neighbors = n_neighbors
        self.list_width = list_width
        self.init = init
        self.operators = operators
        self.mutation_prob = mutation_prob
        self.eta_crossover = eta_crossover
        self.eta_mutation = eta_mutation
        self.diversity = diversity
        self.n_div = n_div
        self.ensemble = ensemble
        self.ensemble_over = ensemble_over
        self.min_members = min_members
        self.es1_solver = es1_solver
        self.orientation = orientation
        self.ridge = ridge
        self.min_weight = min_weight
        self.es2_weight = es2_weight
        self.sigma = sigma
        self.laplacian = laplacian
        self.bridge = bridge
        self.eigen_solver = eigen_solver
        self.scale = scale
        self.metric = metric
        self.ties = ties
        self.must_link = must_link
        self.neighbors = neighbors
        self.engine = engine
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @classmethod
    def paper(cls, n_clusters: int, **options: Any) -> Self:
        """Preset nearest to the paper that does not depend on the order of the rows.

        Unnormalised Laplacian, SBX and polynomial mutation on full neighbour lists (on ranks instead
        of sample indices). Further options override.
        """
        preset: dict[str, Any] = {"operators": "rank", "laplacian": "unnormalized", "list_width": "full"}
        return cls(n_clusters, **{**preset, **options})

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
            Or (n_samples, n_samples) distances with ``metric="precomputed"``.
        y : array-like of shape (n_samples,), optional
            Partial labels, -1 for unlabelled. Samples of different classes are never linked.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters or data out of range, or a sample left without admissible neighbour.
        InconsistentConstraintsError
            Labels and pairs contradict each other.
        """
        features: NDArray[np.floating[Any]] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        n_samples = features.shape[0]
        if self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of samples, {n_samples}.")
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        ties, search_seed, weight_seed, spectral_seed = spawn_seeds(self.random_state, 4)
        checkpoint = checkpoint_for(self, features, y, must_link, cannot_link)
        if self.metric != "precomputed":
            features = scale_features(features, self.scale)
        lists = self._neighbor_lists(features, groups, np.random.default_rng(ties))
        problem = NeighborGraphProblem(
            lists,
            n_neighbors=min(self._n_neighbors(n_samples), lists.indices.shape[1]),
            gene="index" if self.operators == "index" else "rank",
            diversity="deferred",
            n_jobs=self.n_jobs,
        )
        ranks, F = self._evolve(problem, int(search_seed.generate_state(1)[0]), checkpoint)
        self._ensemble = GraphEnsemble(
            X=features,
            lists=lists,
            groups=groups,
            join_groups=bool(self.must_link) or (must_link is not None and np.size(must_link) > 0),
            ranks=ranks,
            F=F,
            options=self.get_params(deep=False),
            weight_seed=weight_seed,
            spectral_seed=spectral_seed,
        )
        self.pareto_front_ = F[self._ensemble.front]
        self.objective_names_ = problem.objective_names
        self.__dict__.pop("_pareto_labels", None)
        self._set_partition(*self._ensemble.merge(self.ensemble))
        return self

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self)
        return (*ENSEMBLES, "knee", *self.objective_names_)

    def choose(self, rule: Rule) -> Self:
        """Cluster anew from the population found, without searching again.

        Parameters
        ----------
        rule : {"es1", "es2", "es3", "knee"}, name of an objective, int or callable
            An ensemble; or one member of the front, whose own graph alone is then clustered (as the
            paper says, a single member rarely makes a good graph): the knee, the best in an objective,
            a row of ``pareto_front_`` or ``rule(pareto_front_) -> row``.

        Returns
        -------
        self
            With ``labels_``, ``similarity_``, ``embedding_`` and the like replaced.
        """
        check_rule(rule, self.rules_)
        if isinstance(rule, str) and rule in ENSEMBLES:
            self._set_partition(*self._ensemble.merge(rule))
        else:
            row = choose_member(self.pareto_front_, self.objective_names_, (False, False), rule)
            self._set_partition(self._ensemble.member_partition(row), None)
        return self

    @property
    def pareto_neighbors_(self) -> NDArray[np.int32]:
        """Neighbour chosen for every sample by every non-dominated member."""
        check_is_fitted(self)
        found = self._ensemble
        ranks = found.ranks[found.front].astype(np.intp)
        return np.take_along_axis(found.lists.indices.T, ranks, axis=0)

    @property
    def pareto_labels_(self) -> NDArray[np.int32]:
        """Spectral partition of each non-dominated member's own graph."""
        check_is_fitted(self)
        if not hasattr(self, "_pareto_labels"):
            rows = range(len(self.pareto_front_))
            self._pareto_labels = np.stack([self._ensemble.member_partition(row).labels for row in rows])
        return self._pareto_labels

    def to_networkx(self) -> nx.Graph:
        """The similarity matrix as a weighted graph, clusters as node attribute ``cluster``."""
        check_is_fitted(self)
        graph = nx.from_scipy_sparse_array(self.similarity_)
        nx.set_node_attributes(graph, dict(enumerate(self.labels_.tolist())), "cluster")
        return graph

    def _n_neighbors(self, n_samples: int) -> int:
        k = default_n_neighbors(n_samples) if self.n_neighbors is None else self.n_neighbors
        return min(k, n_samples - 1)

    def _list_width(self, n_samples: int) -> int:
        full, k = n_samples - 1, self._n_neighbors(n_samples)
        if self.list_width == "full" or self.operators == "index" or self.init == "random":
            return full
        if self.list_width is None:
            return min(full, 2 * k if self.operators == "rank" else k)
        return min(full, max(int(self.list_width), k))

    def _neighbor_lists(
        self, X: NDArray[np.floating[Any]], groups: ConstraintGroups, rng: np.random.Generator
    ) -> NeighborLists:
        if self.neighbors is not None:
            if len(self.neighbors) != 2:
                raise ValueError(
                    f"neighbors must be two arrays, indices and distances; got {len(self.neighbors)} items."
                )
            indices, distances = self.neighbors
            return lists_from_arrays(indices, distances, n_samples=len(X), groups=groups)
        return neighbor_lists(
            X,
            self._list_width(len(X)),
            metric=self.metric,
            ties=self.ties,  # type: ignore[arg-type]
            rng=rng,
            groups=groups,
            n_jobs=self.n_jobs,
        )

    def _evolve(
        self, problem: NeighborGraphProblem, seed: int, checkpoint: Checkpoint | None
    ) -> tuple[IntArray, FloatArray]:
        parts = compose(
            operators=self.operators,
            init=self.init,
            pc=self.pc,
            pm=self.pm,
            mutation_prob=self.mutation_prob,
            eta_crossover=self.eta_crossover,
            eta_mutation=self.eta_mutation,
            diversity=self.diversity,
            n_div=self.n_div,
        )
        search: PymooSearch | DeapSearch
        if self.engine == "pymoo":
            exclusive = self.mutation_prob == "exclusive"
            search = pymoo_search(problem, parts, pop_size=self.pop_size, exclusive=exclusive, seed=seed)
        else:
            search = deap_search(
                problem,
                parts,
                pop_size=self.pop_size,
                pc=self.pc,
                pm=self.pm,
                mutation_prob=self.mutation_prob,
                seed=seed,
            )
        self.history_ = Recorder()
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description="PESC",
            objective_names=problem.objective_names,
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        genes, F = final_population(search)
        self.result_ = self._result(search, problem, genes, F)
        return problem.ranks(genes), F

    def _result(
        self, search: PymooSearch | DeapSearch, problem: NeighborGraphProblem, genes: IntArray, F: FloatArray
    ) -> Result:
        if isinstance(search, PymooSearch):
            return search.result()
        self.logbook_ = search.logbook
        self.hall_of_fame_ = tools.ParetoFront(similar=np.array_equal)
        self.hall_of_fame_.update(search.population)
        front = ensemble_members(F)
        result = Result()
        result.problem, result.X, result.F = problem, genes[front], F[front]
        return result

    def _set_partition(self, partition: SpectralPartition, sigma: float | None) -> None:
        self.labels_ = partition.labels
        self.similarity_ = partition.similarity
        self.embedding_ = partition.embedding
        self.eigenvalues_ = partition.eigenvalues
        self.n_components_ = partition.n_components
        self.sigma_ = sigma
        distinct = fewer_distinct_rows(self._ensemble.X, self._ensemble.lists, self.n_clusters)
        if distinct is not None:
            self.labels_ = distinct
            warnings.warn(
                f"only {distinct.max() + 1} distinct rows for n_clusters={self.n_clusters}; "
                "every distinct row is its own cluster.",
                UserWarning,
                stacklevel=3,
            )
        self.n_clusters_ = int(self.labels_.max()) + 1
