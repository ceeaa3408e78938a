"""SRMOSC: spectral clustering of sparse-representation graphs."""

import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from numbers import Real
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from pymoo.core.result import Result
from scipy.sparse import csgraph
from sklearn.utils._param_validation import Interval

from moo_clustering import graphs
from moo_clustering._arrays import FloatArray, Labels, spawn_seeds, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._distances import MAX_MEMORY
from moo_clustering._docs import documented
from moo_clustering._messages import progress_bar
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.algorithms.search import InterruptGuard, Plans
from moo_clustering.consensus import ensemble_members
from moo_clustering.constraints.pairs import supervision_groups
from moo_clustering.estimators import _base, _fronts, _options
from moo_clustering.fronts import SRMOSCHull, spread_members, srmosc_hull_front
from moo_clustering.operators import sparse_rows
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems.graphs import SRMOSCProblem

FINALS = ("rcut", "consensus")
# The number of graphs compared by ratio cut is 150,000 / n_samples, but at least 6 and at most 30, because
# computing the eigenvectors of large graphs is expensive.
_MOST_COMPARED, _FEWEST_COMPARED, COMPARED_SAMPLES = 30, 6, 150_000


@documented(SRMOSCProblem)
@_options.estimator
class SRMOSC(_fronts.GraphFrontMixin, _base.ConstrainedClusterer):
    """Spectral clustering of graphs obtained from sparse representations of the samples.

    The weights of a graph reconstruct each sample from a few other samples. The search finds a front of
    graphs with low reconstruction error and few links. One graph or the mean graph is clustered. Source: Luo,
    Jiao and Lozano, "A sparse spectral clustering framework via multiobjective evolutionary algorithm", IEEE
    TEVC, 2016. The objectives, operators and selection are reconstructed from the abstract.

    Parameters
    ----------
    search : {"hull", "nsga2"}
        ``"hull"`` computes the solutions on the convex hull of the front, selecting the links of each sample
        greedily. ``"nsga2"`` (as published) yields sparser graphs and worse partitions than ``"hull"``.
    final : {"rcut", "consensus"}
        ``"rcut"`` partitions up to 30 graphs, and selects the partition with the lowest ratio cut on the mean
        graph. ``"consensus"`` partitions the mean graph; recommended for several thousand samples or more.
    pop_size, n_gen : int
        Population size, and number of generations after the initial population. With ``search="hull"``,
        ``pop_size`` is the maximum number of solutions in ``pareto_front_``.
    checkpoint : path
        File for the search state. Requires an integer ``random_state`` and ``search="nsga2"``.

    Attributes
    ----------
    chosen_ : int or None
        Selected row of the front, or None for the mean graph.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        Reconstruction error and number of links of each solution, sorted by the number of links. With
        ``search="hull"``, these are evenly spaced solutions of ``hull_``.
    hull_ : SRMOSCHull
        The entire hull, with ``search="hull"``.
    result_, history_ : pymoo.core.result.Result, Recorder
        With ``search="hull"``, the result contains no genes, and there is no history.

    Notes
    -----
    Samples of different classes are never linked. The ratio cut favours isolated samples. Therefore, a graph
    with more than ``n_clusters`` components is selected only if all compared graphs exceed this number. For N
    samples with w candidate neighbours each, the hull takes O(N w) memory, and O(N w n_features) time per
    link of the densest graph. Evolution takes O(n_gen pop_size N w) time and 8 pop_size N w bytes.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import SRMOSC
    >>> X, _ = load_wine(return_X_y=True)
    >>> SRMOSC(3, random_state=0).fit(X).n_clusters_
    3
    """

    n_clusters: _options.Count
    _: KW_ONLY
    n_candidates: _options.Count | Literal["all"] | None = None
    search: Literal["hull", "nsga2"] = "hull"
    final: Literal["rcut", "consensus"] = "rcut"
    rho: _options.NonNegative | Literal["auto"] = "auto"
    pop_size: _options.PopulationSize = 100
    n_gen: _options.NonNegativeCount = 100
    pc: _options.Probability = 0.7
    pm: _options.Probability = 0.3
    metric: Annotated[str, str, callable] = "euclidean"
    max_memory: Annotated[int, Interval(Real, 0, None, closed="neither")] = MAX_MEMORY
    force: bool = False

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> Plans[None]:
        features = numeric_features(self, X, ensure_min_samples=2)
        n_samples = features.shape[0]
        _base.check_n_clusters(self.n_clusters, n_samples)
        groups = supervision_groups(n_samples, y, must_link, cannot_link)
        ties, search_seed, spectral_seed = spawn_seeds(self.random_state, 3)
        checkpoint = self._checkpoint(features, y, must_link, cannot_link)
        scaled = self._scale_samples(features)
        problem = SRMOSCProblem(
            scaled,
            n_candidates=self.n_candidates,
            rho=self.rho,
            groups=groups,
            metric=self.metric,
            ties=self.ties,
            neighbor_method=self.neighbor_method,
            pop_size=self.pop_size if self.search == "nsga2" else 1,
            max_memory=self.max_memory,
            force=bool(self.force),
            random_state=np.random.default_rng(ties),
            n_jobs=self.n_jobs,
        )
        F, graph = yield from self._search(problem, int(search_seed.generate_state(1)[0]), checkpoint)
        self.graphs_: GraphMembers = GraphMembers(
            F=F,
            X=problem.X,
            lists=problem.lists,
            groups=groups,
            join_groups=self._joins(must_link),
            options=self._graph_options(),
            seed=spectral_seed,
            graph=graph,
        )
        self.__dict__.pop("pareto_labels_", None)
        self.pareto_front_ = F
        self.objective_names_ = problem.objective_names
        self.choose(self.final)

    def _own_rules(self) -> tuple[str, ...]:
        return FINALS

    def _take_by_rule(self, rule: str) -> None:
        if rule == "consensus":
            self._set_partition(None, self.graphs_.clustered(self.graphs_.mean_graph()))
        else:
            self._take_member(self.graphs_.least_cut())

    def _take_member(self, row: int) -> None:
        self._set_partition(row, self.graphs_.partition(row))

    def _checkpoint(self, *data: Any) -> Checkpoint | None:
        if self.search == "hull" and (self.checkpoint is not None or self.resume or self.start is not None):
            raise ValueError(
                'start, checkpoint and resume require search="nsga2"; search="hull" has no generations'
            )
        free = {"final": "consensus", "laplacian": "sym", "bridge": True, "eigen_solver": "auto"}
        return _base.checkpoint_for(self, *data, **free)

    def _search(
        self, problem: SRMOSCProblem, seed: int, checkpoint: Checkpoint | None
    ) -> Plans[tuple[FloatArray, Callable[[int], sp.csr_array]]]:
        """Run the search, and return the objectives and a function that maps a row to its graph."""
        for name in ("hull_", "history_"):
            self.__dict__.pop(name, None)
        if self.search == "hull":
            self.hull_: SRMOSCHull = srmosc_hull_front(problem, n_jobs=self.n_jobs)
            shown = spread_members(self.hull_.F[:, 1], self.pop_size)
            self.n_iter_, self.interrupted_ = 0, False
            self.result_ = Result()
            self.result_.problem, self.result_.F = problem, self.hull_.F[shown]
            return self.result_.F, partial(_graph_of, self.hull_, shown.tolist())
        operators = {
            "sampling": sparse_rows.SparseRowSampling(),
            "crossover": sparse_rows.RowUniformCrossover(prob=self.pc),
            "mutation": sparse_rows.SupportMutation(prob=self.pm),
        }
        # The error of each row of a graph is cached, so that only changed rows are evaluated.
        evaluator = sparse_rows.RowTableEvaluator()
        search = self._pymoo_search_for(problem, operators, seed, evaluator=evaluator)
        yield from self._drive(search, problem, self.n_gen, checkpoint)
        self.result_ = search.result()
        # Select non-dominated individuals with distinct objectives, sorted by the number of links.
        F = search.algorithm.pop.get("F")
        rows = ensemble_members(F)
        _, first = np.unique(F[rows][:, ::-1], axis=0, return_index=True)
        front = search.algorithm.pop[rows[first]]
        return front.get("F"), partial(_graph_of, problem, front.get("X"))

    def _set_partition(self, row: int | None, partition: graphs.SpectralPartition) -> None:
        self.chosen_ = row
        self._set_spectral(partition, self.graphs_.X, self.graphs_.lists, self.n_clusters)


def _graph_of(source: SRMOSCHull | SRMOSCProblem, members: Any, row: int) -> sp.csr_array:
    return source.graph(members[row])


@dataclass(frozen=True, eq=False)
class GraphMembers(_fronts.MemberGraphs):
    """Non-dominated similarity graphs, sorted by the number of links, and their partitions."""

    graph: Callable[[int], sp.csr_array]  # returns the directed similarity matrix of a solution
    known_labels: dict[int, Labels] = field(default_factory=dict, repr=False)
    # Only the partition with the lowest cut is cached, because embeddings are large.
    _least: dict[int, graphs.SpectralPartition] = field(default_factory=dict, repr=False)

    def partition(self, member: int) -> graphs.SpectralPartition:
        found = self._least.pop(member, None)
        return self.clustered(graphs.symmetrize(self.graph(member))) if found is None else found

    def labels(self, member: int) -> Labels:
        if member not in self.known_labels:
            self._remember(member)
        return self.known_labels[member]

    def least_cut(self) -> int:
        """Return the index of the graph whose partition has the lowest ratio cut on the mean graph."""
        n_compared = min(_MOST_COMPARED, max(_FEWEST_COMPARED, COMPARED_SAMPLES // len(self.X)))
        compared = spread_members(self.F[:, 1], n_compared)
        n_clusters = self.options["n_clusters"]
        components = {member: self.n_components(member) for member in compared.tolist()}
        # Graphs with more components than clusters are excluded, because their partitions are arbitrary.
        reliable = [member for member, number in components.items() if number <= n_clusters]
        mean = self.joined(self.mean_graph())
        best, least, n_done = -1, np.inf, 0
        progress = progress_bar(
            reliable or [*components], desc="SRMOSC partitions", disable=not self.options["verbose"]
        )
        with InterruptGuard() as guard, closing(progress):
            for member in progress:
                n_done += 1
                partition = None if member in self.known_labels else self._remember(member)
                cut = float(graphs.ratio_cut(mean, self.known_labels[member][None])[0])
                if cut < least:
                    best, least = member, cut
                    self._least.clear()
                    # If the graph is disconnected, clustering it again must issue the warning that was
                    # ignored here.
                    if partition is not None and (self.options["bridge"] or components[member] <= n_clusters):
                        self._least[member] = partition
                # No ratio cut can be lower than 0.
                if least <= 0.0 or guard.requested:
                    break
        if guard.requested:
            warn_caller(
                f"the comparison of partitions was interrupted after {n_done} of {progress.total}; the best "
                'partition so far is used. Call choose("rcut") to continue the comparison.',
                InterruptedSearchWarning,
            )
        return best

    def n_components(self, member: int) -> int:
        graph = self.joined(graphs.symmetrize(self.graph(member)))
        return int(csgraph.connected_components(graph, directed=False)[0])

    def mean_graph(self) -> sp.csr_array:
        """Average all symmetrised similarity matrices."""
        total = graphs.symmetrize(self.graph(0))
        for member in range(1, len(self.F)):
            total = total + graphs.symmetrize(self.graph(member))
        return graphs.symmetrize(total / len(self.F))

    def _remember(self, member: int) -> graphs.SpectralPartition:
        with warnings.catch_warnings():
            # This warning is issued only for the selected partition.
            warnings.filterwarnings("ignore", message="the graph has .* components")
            partition = self.partition(member)
        self.known_labels[member] = partition.labels
        return partition
