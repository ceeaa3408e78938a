"""Spectral clustering of neighbour graphs: a Pareto ensemble of graphs (PESC), or conventional graphs."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from deap import tools
from numpy.typing import ArrayLike, NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from sklearn.utils.validation import check_is_fitted

from moo_clustering import consensus, graphs, operators, results
from moo_clustering._arrays import AnyFloatArray, FloatArray, IntArray, spawn_seeds
from moo_clustering._data import numeric_features
from moo_clustering._distances import MAX_MEMORY
from moo_clustering._docs import documented
from moo_clustering._messages import progress_bar
from moo_clustering.algorithms import DeapSearch, PymooSearch
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.constraints.pairs import supervision_groups
from moo_clustering.estimators import _base, _fronts, _options
from moo_clustering.estimators._methods import PESC_PAPER
from moo_clustering.graphs.spectral import cut_weights
from moo_clustering.operators.deap import dynamic_nsga2_step, neighbor_toolbox
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import NeighborGraphProblem, default_n_neighbors

ENSEMBLES = ("es1", "es2", "es3")
# Initial and maximum number of neighbours in the lists for water-filling. The number is doubled while more
# than 1% of the samples may need more neighbours.
_WATERFILL_WIDTHS = (32, 128)
_WATERFILL_CUT = 0.01


@documented(operators.DynamicDiversitySurvival, consensus.reconstruction_weights)
@_options.estimator
class PESC(_fronts.GraphFrontMixin, _base.WeightedClusterer):
    """Pareto-ensemble spectral clustering.

    Phase I evolves graphs that link each sample to one neighbour. The neighbours should be near (f1) and
    should differ between the graphs of the population (f2). Phase II merges the non-dominated graphs into a
    sparse similarity matrix for spectral clustering. In this matrix, samples have different numbers of
    neighbours. Samples of different classes are never linked. Phase I takes O(n_gen pop_size N) time and
    O(pop_size N) bytes, where N is the number of samples; only ``list_width="full"`` requires O(N^2) bytes.
    With ``sample_weight``, f1 is a weighted mean, and a sample of weight w counts as w samples when the
    merged graph is clustered. Diversity, ``sigma`` and ``ridge`` ignore the weights;
    ``laplacian="unnormalized"`` does not support them. Source: PESC: "Pareto ensemble-based spectral
    clustering", Algorithms 1-3, Eqs. 1-7.

    Parameters
    ----------
    pop_size, n_gen : int
        Population size (in the paper, at least sqrt(N)), and generations after the initial population.
    pm : float
        Mutation probability, see ``mutation_prob``.
    n_neighbors : int
        Number k of neighbours for initialisation and mutation. Default: smallest integer above ln N.
    list_width : int or "full"
        Number of candidate neighbours per sample. Default: 2k for ``operators="rank"``, k for ``"uniform"``,
        and n_samples - 1 (``"full"``) for ``"index"`` and ``init="random"``.
    init : {"knn", "spread", "random"}
        See :class:`~moo_clustering.operators.NeighborSampling`. Use ``"spread"`` for thousands of samples.
    operators : {"uniform", "rank", "index"}
        ``"uniform"``: uniform crossover and resampling. ``"rank"``: SBX and polynomial mutation of neighbour
        ranks. ``"index"`` (as in the paper): the same operators on sample indices; the row order matters.
    mutation_prob : {"gene", "individual", "exclusive"}
        ``"gene"``: each gene mutates with probability ``pm``. ``"individual"``: an individual mutates with
        probability ``pm``, and then each of its genes with probability 1/N. ``"exclusive"``: only children of
        pairs without crossover mutate, with probability 1/N per gene; ``pm`` is ignored.
    ensemble : {"es1", "es2", "es3"}
        Edge weights of the merged graph: sparse reconstruction (Eq. 4), diversity (Eq. 5), Gaussian kernel
        (Eq. 6). ``choose`` also accepts these names; all other rules of ``choose`` select a single graph.
    ensemble_over : {"nondominated", "population"}
        Graphs that are merged: the non-dominated graphs, or the entire final population.
    min_members : int
        Minimum number of merged graphs; further fronts are added if necessary. Default: floor(ln N) + 1.
    es2_weight : {"one_minus_div", "div", "count"}
        Weight of each graph in ES2: 1 - diversity (the paper's formula), diversity (the paper's text), or 1.
    sigma : float or {"mean", "median", "grid"}
        Scale factor of ES3. ``"grid"`` uses the value with the largest eigengap in the paper's grid.
    metric : str
        A scikit-learn metric, or ``"precomputed"`` for distances of shape (n_samples, n_samples).
    neighbors : tuple of (indices, distances)
        Neighbour lists of shape (n_samples, width) that do not contain the samples themselves. With these
        lists, ``scale`` and ``metric`` affect only ``predict`` and links added to connect components.

    Attributes
    ----------
    pareto_front_ : ndarray of shape (n_solutions, 2)
        Mean neighbour distance and 1 - diversity of each non-dominated graph.
    sigma_ : float or None
        Scale factor of ES3.
    logbook_, hall_of_fame_ : deap.tools.Logbook, deap.tools.ParetoFront
        Only with ``engine="deap"``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import PESC
    >>> X, _ = load_wine(return_X_y=True)
    >>> PESC(3, n_gen=5, random_state=0).fit(X).n_clusters_
    3
    """

    n_clusters: _options.Count
    _: KW_ONLY
    pop_size: _options.PopulationSize = 100
    n_gen: _options.NonNegativeCount = 100
    pc: _options.Probability = 0.9
    pm: _options.Probability = 0.1
    n_neighbors: _options.Count | None = None
    list_width: _options.Count | Literal["full"] | None = None
    init: Literal["knn", "spread", "random"] = "knn"
    operators: Literal["uniform", "rank", "index"] = "uniform"
    mutation_prob: Literal["gene", "individual", "exclusive"] = "gene"
    diversity: Literal["slots", "last_front", "none"] = "slots"
    n_div: _options.NonNegativeCount | None = None
    ensemble: Literal["es1", "es2", "es3"] = "es2"
    ensemble_over: Literal["nondominated", "population"] = "nondominated"
    min_members: _options.Count | None = None
    orientation: Literal["row", "column"] = "row"
    ridge: _options.NonNegative = 0.025
    min_weight: _options.NonNegative = 0.0
    es2_weight: Literal["one_minus_div", "div", "count"] = "one_minus_div"
    sigma: _options.NonNegative | Literal["mean", "median", "grid"] = "mean"
    metric: str = "euclidean"
    neighbors: Annotated[tuple[ArrayLike, ArrayLike] | None, tuple, list, None] = None
    engine: Literal["pymoo", "deap"] = "pymoo"

    @classmethod
    def paper(cls, n_clusters: int, **options: Any) -> Self:
        """Create PESC with the settings of the paper, but with results that do not depend on the row order.

        Uses the unnormalised Laplacian and full neighbour lists, and applies SBX and polynomial mutation to
        ranks instead of sample indices. ``options`` override these settings.
        """
        return cls(n_clusters, **{**PESC_PAPER, **options})

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> Plans[None]:
        kinds = [np.float64, np.float32]
        features: AnyFloatArray = numeric_features(self, X, dtype=kinds, ensure_min_samples=2)
        n_samples = features.shape[0]
        _base.check_n_clusters(self.n_clusters, n_samples)
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        ties, search_seed, weight_seed, spectral_seed = spawn_seeds(self.random_state, 4)
        data, weight = [features, y, must_link, cannot_link], self._sample_weight
        if weight is not None:
            weight = cut_weights(weight, n_samples, self.laplacian)
            data.append(weight)
        checkpoint = _base.checkpoint_for(self, *data)
        features = self._scale_samples(features)
        lists = self._neighbor_lists(features, groups, np.random.default_rng(ties))
        problem = NeighborGraphProblem(
            lists,
            n_neighbors=min(self._n_neighbors(n_samples), lists.indices.shape[1]),
            gene="index" if self.operators == "index" else "rank",
            # Only PESC's own survival operator computes deferred diversity, which is NaN until then.
            diversity="deferred" if self.algorithm is None else "batch",
            sample_weight=weight,
            n_jobs=self.n_jobs,
        )
        ranks, F = yield from self._evolve(problem, int(search_seed.generate_state(1)[0]), checkpoint)
        self.graphs_: GraphEnsemble = GraphEnsemble(
            F=F,
            X=features,
            lists=lists,
            groups=groups,
            join_groups=self._joins(must_link),
            options=self._graph_options(),
            seed=spectral_seed,
            ranks=ranks,
            weight_seed=weight_seed,
            sample_weight=weight,
        )
        self.pareto_front_ = F[self.graphs_.front]
        self.objective_names_ = problem.objective_names
        self.__dict__.pop("pareto_labels_", None)
        self._set_partition(*self.graphs_.merge(self.ensemble))

    @property
    def pareto_neighbors_(self) -> NDArray[np.int32]:
        """Neighbour of each sample in each non-dominated graph, shape (n_solutions, n_samples)."""
        check_is_fitted(self)
        found = self.graphs_
        ranks = found.ranks[found.front].astype(np.intp)
        return np.take_along_axis(found.lists.indices.T, ranks, axis=0)

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        return replace(found, arrays=lambda: {"front_neighbors": self.pareto_neighbors_})

    def _own_rules(self) -> tuple[str, ...]:
        return ENSEMBLES

    def _take_by_rule(self, rule: str) -> None:
        self._set_partition(*self.graphs_.merge(rule))

    def _take_member(self, row: int) -> None:
        self._set_partition(self.graphs_.partition(row), None)

    def _n_neighbors(self, n_samples: int) -> int:
        return min(self.n_neighbors or default_n_neighbors(n_samples), n_samples - 1)

    def _neighbor_lists(
        self, X: NDArray[np.floating[Any]], groups: ConstraintGroups, rng: np.random.Generator
    ) -> graphs.NeighborLists:
        if self.neighbors is not None:
            if len(self.neighbors) != 2:
                raise ValueError(
                    f"neighbors must be two arrays, indices and distances, got {len(self.neighbors)} items"
                )
            indices, distances = self.neighbors
            return graphs.lists_from_arrays(indices, distances, n_samples=len(X), groups=groups)
        k, width = self._n_neighbors(len(X)), self.list_width
        if width == "full" or self.operators == "index" or self.init == "random":
            width = len(X) - 1
        elif width is None:
            width = 2 * k if self.operators == "rank" else k
        return self._neighbors(X, min(len(X) - 1, max(width, k)), rng, groups)

    def _evolve(
        self, problem: NeighborGraphProblem, seed: int, checkpoint: Checkpoint | None
    ) -> Plans[tuple[IntArray, FloatArray]]:
        search = self._search(problem, seed)
        yield from self._drive(search, problem, self.n_gen, checkpoint)
        if isinstance(search, PymooSearch):
            self.result_ = search.result()
            genes, F = self.result_.pop.get("X", "F")
            for individual, row in zip(self.result_.pop, genes, strict=True):
                individual.X = row  # the individuals share the memory of one array
            return problem.ranks(genes), F
        genes, F = np.stack([np.asarray(individual) for individual in search.population]), search.objectives()
        self.logbook_ = search.logbook
        self.hall_of_fame_ = tools.ParetoFront(similar=np.array_equal)
        self.hall_of_fame_.update(search.population)
        front = consensus.ensemble_members(F)
        self.result_ = Result()
        self.result_.problem, self.result_.X, self.result_.F = problem, genes[front], F[front]
        return problem.ranks(genes), F

    def _search(self, problem: NeighborGraphProblem, seed: int) -> PymooSearch | DeapSearch:
        sampling = operators.NeighborSampling(self.init)
        crossover, mutation = self._variation()
        survival = operators.DynamicDiversitySurvival(self.diversity, self.n_div)
        exclusive = self.mutation_prob == "exclusive"
        if self.engine == "deap":
            toolbox = neighbor_toolbox(problem, sampling, crossover, mutation, survival)
            step = partial(
                dynamic_nsga2_step,
                pc=self.pc,
                pm=self.pm if self.mutation_prob == "individual" else 1.0,
                variation="or" if exclusive else "and",
            )
            return DeapSearch(toolbox, step, rng=np.random.default_rng(seed), pop_size=self.pop_size)
        repair = operators.CannotLinkRepair() if problem.gene == "index" else None
        parts = {"sampling": sampling, "crossover": crossover, "mutation": mutation, "repair": repair}
        mating = None
        if exclusive:
            selection = TournamentSelection(func_comp=operators.batched_tournament)
            mating = operators.ExclusiveMating(selection, crossover, mutation, repair=repair)
        return self._pymoo_search_for(problem, parts, seed, survival=survival, mating=mating)

    def _variation(self) -> tuple[Crossover, Mutation]:
        # The paper does not state whether the mutation probability applies to genes or to individuals.
        rates: dict[str, Any] = {}
        if self.mutation_prob != "exclusive":
            rates["prob_var" if self.mutation_prob == "gene" else "prob"] = self.pm
        if self.operators == "uniform":
            return operators.UniformNeighborCrossover(prob=self.pc), operators.NeighborResample(**rates)
        if self.operators == "rank":
            return operators.RankSBX(prob=self.pc), operators.RankPM(**rates)
        return operators.IndexSBX(prob=self.pc), operators.IndexPM(**rates)

    def _set_partition(self, partition: graphs.SpectralPartition, sigma: float | None) -> None:
        self._set_spectral(partition, self.graphs_.X, self.graphs_.lists, self.n_clusters)
        self.sigma_ = sigma


@dataclass(frozen=True, eq=False)
class GraphEnsemble(_fronts.MemberGraphs):
    """Final population of a search for neighbour graphs, and the partitions derived from it."""

    ranks: IntArray  # shape (pop_size, n_samples)
    weight_seed: np.random.SeedSequence

    @cached_property
    def front(self) -> IntArray:
        """Indices of the non-dominated individuals in the population."""
        return consensus.ensemble_members(self.F)

    def members(self) -> IntArray:
        """Return the ranks of the graphs that are merged."""
        if self.options["ensemble_over"] == "population":
            return self.ranks
        least = self.options["min_members"] or default_n_neighbors(len(self.X))
        return self.ranks[consensus.ensemble_members(self.F, least)]

    def merge(self, ensemble: str) -> tuple[graphs.SpectralPartition, float | None]:
        """Merge graphs using ES1, ES2 or ES3. Return the partition, and the scale factor of ES3 or None."""
        ranks, options, sigma = self.members(), self.options, None
        if ensemble == "es1":
            if options["metric"] == "precomputed":
                raise ValueError(
                    "ensemble='es1' reconstructs samples from features, which metric='precomputed' "
                    "does not provide; use 'es2' or 'es3'"
                )
            own = {name: options[name] for name in ("orientation", "ridge", "min_weight", "n_jobs")}
            S = consensus.reconstruction_graph(ranks, self.lists, self.X, **own)
        elif ensemble == "es2":
            weight, n_jobs = options["es2_weight"], options["n_jobs"]
            S = consensus.diversity_graph(ranks, self.lists, weight=weight, n_jobs=n_jobs)
        else:
            own = {name: options[name] for name in ("sigma", "n_clusters", "laplacian")}
            rng = np.random.default_rng(self.weight_seed)
            S, sigma = consensus.kernel_graph(ranks, self.lists, **own, rng=rng)
        return self.clustered(S), sigma

    def partition(self, member: int) -> graphs.SpectralPartition:
        """Partition a single non-dominated graph, with edge weights of 1."""
        ranks = self.ranks[self.front[member]]
        weights = np.zeros(self.lists.indices.shape)
        weights[np.arange(len(ranks)), ranks] = 1.0
        return self.clustered(consensus.to_csr(weights, self.lists))


@_options.estimator
class SpectralGraphClustering(_fronts.SpectralMixin, _options.ParallelOptions, _base.ConstrainedClusterer):
    """Spectral clustering of a k-nearest-neighbour, mutual, epsilon, full or water-filling graph.

    These graphs are baselines for PESC. Labels and pairs change the similarity matrix: samples that belong
    together have the maximum similarity, and samples that must be separate have similarity 0. With few
    features, a fit takes O(N log N) time and O(N (n_neighbors + K)) memory, where N is the number of samples
    and K the number of clusters. ``"full"`` and large ``epsilon`` take O(N^2) time and memory. Source: PESC,
    section on conventional graphs, Algorithm 1.

    Parameters
    ----------
    graph : {"knn", "mutual_knn", "epsilon", "full", "waterfill"}
        Pairs that are linked: nearest neighbours in one direction; nearest neighbours in both directions;
        pairs closer than ``epsilon``; all pairs; or neighbours whose number depends on the density
        (:func:`~moo_clustering.graphs.waterfill_graph`).
    n_neighbors : int
        Width of the neighbour lists. Default: floor(ln n_samples) + 1, or up to 128 for ``"waterfill"``.
    sigma : float or {"mean", "median", "eigengap"}
        Scale factor of the Gaussian similarity: a number, the mean or median distance of linked pairs, or the
        value with the largest eigengap in the paper's grid. Use larger values if outliers form tiny clusters.
    epsilon : float
        Maximum distance between scaled samples that ``"epsilon"`` links; 0.2 to 0.6 in the paper.
    lam : float
        Parameter of ``"waterfill"``. Larger values distribute each sample's weight over more neighbours.
        Default: three times the mean distance to the 10 nearest neighbours.
    metric : str or callable
        Metric of :class:`sklearn.neighbors.NearestNeighbors`, or ``"precomputed"`` for a distance matrix.
    must_link_edges : {"star", "clique"}
        How samples that belong together are linked: to the medoid of their group, or to each other.
    max_memory : int, default=4 GiB
        Maximum memory for an ``"epsilon"`` or ``"full"`` graph, in bytes.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    sigma_ : float or None
        Scale factor; None for ``"epsilon"`` and ``"waterfill"``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import SpectralGraphClustering
    >>> X, _ = load_wine(return_X_y=True)
    >>> SpectralGraphClustering(3, random_state=0).fit(X).n_clusters_
    3
    """

    n_clusters: _options.Count
    _: KW_ONLY
    graph: Literal["knn", "mutual_knn", "epsilon", "full", "waterfill"] = "knn"
    n_neighbors: _options.Count | None = None
    sigma: _options.NonNegative | Literal["mean", "median", "eigengap"] = "mean"
    epsilon: _options.Positive = 0.4
    lam: _options.Positive | None = None
    metric: Annotated[str | Callable[..., float], str, callable] = "euclidean"
    must_link_edges: Literal["star", "clique"] = "star"
    max_memory: _options.Count = MAX_MEMORY
    verbose: _options.Verbose = False

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> None:
        data: AnyFloatArray = numeric_features(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        n_samples = data.shape[0]
        _base.check_n_clusters(self.n_clusters, n_samples)
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        ties, choice, spectral = spawn_seeds(self.random_state, 3)
        data = self._scale_samples(data)
        with progress_bar(total=3, desc=type(self).__name__, disable=not self.verbose) as progress:
            progress.set_postfix_str("neighbours")
            lists = self._lists(data, ties)
            progress.update()
            progress.set_postfix_str("graph")
            S, self.sigma_ = self._graph(data, lists, groups, choice)
            progress.update()
            progress.set_postfix_str("eigenvectors")
            partition = graphs.spectral_partition(
                S,
                self.n_clusters,
                laplacian=self.laplacian,
                bridge=self.bridge,
                X=data,
                metric=self.metric,
                lists=lists,
                eigen_solver=self.eigen_solver,
                rng=np.random.default_rng(spectral),
                n_jobs=self.n_jobs,
            )
            progress.update()
        partition = _fronts.equal_together(partition, data, lists, groups)
        self._set_spectral(partition, data, lists, self.n_clusters)

    def _lists(self, data: AnyFloatArray, seed: np.random.SeedSequence) -> graphs.NeighborLists:
        """Return neighbour lists, which have length 1 if the graph needs lists only to find duplicates."""
        n_samples = len(data)
        fixed = 1 if self.graph in ("epsilon", "full") else self.n_neighbors
        if fixed is None and self.graph != "waterfill":
            fixed = default_n_neighbors(n_samples)
        if fixed is not None:
            return self._neighbors(data, fixed, np.random.default_rng(seed))
        width, widest = (min(w, n_samples - 1) for w in _WATERFILL_WIDTHS)
        while True:
            lists = self._neighbors(data, width, np.random.default_rng(seed))
            lam = graphs.waterfill_lambda(lists) if self.lam is None else self.lam
            # A sample may need a longer list if the last neighbour in its list has a positive weight.
            cut = np.mean(graphs.waterfill_weights(lists.distances, lam)[:, -1] > 0)
            if width == widest or cut <= _WATERFILL_CUT:
                return lists
            width = min(2 * width, widest)

    def _graph(
        self,
        data: AnyFloatArray,
        lists: graphs.NeighborLists,
        groups: ConstraintGroups,
        seed: np.random.SeedSequence,
    ) -> tuple[sp.csr_array, float | None]:
        """Return the graph with constraints, and its scale factor, or None if it has no scale factor."""

        def constrained(S: sp.csr_array) -> sp.csr_array:
            if groups.is_empty:
                return S
            features = None if self.metric == "precomputed" else data
            return graphs.write_constraints(S, groups, must_link_edges=self.must_link_edges, X=features)

        if self.graph == "epsilon":
            S = graphs.epsilon_graph(data, self.epsilon, metric=self.metric, max_memory=self.max_memory)
            return constrained(S), None
        if self.graph == "waterfill":
            return constrained(graphs.waterfill_graph(lists, self.lam)), None
        distances, gaussian = self._gaussian(data, lists)
        if self.sigma != "eigengap":
            sigma = graphs.resolve_sigma(distances, self.sigma)
            return constrained(gaussian(sigma)), sigma
        # Select the largest eigengap in the paper's grid and, if tied, the largest scale factor.
        gaps = []
        for sigma in progress_bar(consensus.SIGMA_GRID, desc="sigma", leave=False, disable=not self.verbose):
            S, rng = constrained(gaussian(sigma)), np.random.default_rng(seed)
            if self.bridge:
                S = graphs.bridge_components(S, data, metric=self.metric, lists=lists, rng=rng)
            options: Any = {"eigen_solver": self.eigen_solver, "rng": rng, "n_jobs": self.n_jobs}
            gaps.append((graphs.eigengap(S, self.n_clusters, **options), sigma))
        widest = max(gaps)[1]
        return constrained(gaussian(widest)), widest

    def _gaussian(
        self, data: AnyFloatArray, lists: graphs.NeighborLists
    ) -> tuple[AnyFloatArray, Callable[[float], sp.csr_array]]:
        """Return distances that determine the scale factor, and a function from scale factors to graphs."""
        if self.graph != "full":
            build = graphs.knn_graph if self.graph == "knn" else graphs.mutual_knn_graph
            return lists.distances[lists.indices >= 0], partial(build, lists)
        D = graphs.pair_distances(data, metric=self.metric, max_memory=self.max_memory)
        full = partial(graphs.full_graph, D, metric="precomputed", max_memory=self.max_memory)
        return D[~np.eye(len(D), dtype=np.bool_)], full
