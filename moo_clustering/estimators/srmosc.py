"""SRMOSC: spectral clustering of graphs in which every sample is rebuilt from a few others.

A search gives a front of sparse graphs (``SRMOSC``); ``GraphMembers`` turns its members into partitions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from scipy.sparse import csgraph
from sklearn.base import clone
from sklearn.utils._param_validation import Interval

from moo_clustering import graphs
from moo_clustering._arrays import FloatArray, IntpArray, Labels, spawn_seeds, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._messages import progress_bar
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.algorithms.search import InterruptGuard, Plans
from moo_clustering.consensus import ensemble_members
from moo_clustering.estimators import _base, _fronts
from moo_clustering.estimators._options import (
    KW_ONLY,
    Count,
    NonNegative,
    NonNegativeCount,
    Probability,
    estimator,
)
from moo_clustering.fronts import SRMOSCHull, spread_members, srmosc_hull_front
from moo_clustering.operators import batched_tournament
from moo_clustering.operators.sparse_rows import (
    RowTableEvaluator,
    RowUniformCrossover,
    SparseRowSampling,
    SupportMutation,
)
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems.graphs import MAX_MEMORY, SRMOSCProblem

FINALS = ("rcut", "consensus")
# The ratio cut compares at most and at least so many members, and in between as many as have this number of
# samples in all: eigenvectors of large graphs take long.
_MOST_COMPARED, _FEWEST_COMPARED, COMPARED_SAMPLES = 30, 6, 150_000


@estimator
class SRMOSC(_fronts.GraphFrontMixin, _base.ConstrainedClusterer):
    """Spectral clustering of graphs in which every sample is rebuilt from a few others.

    The weights of a graph are to rebuild the samples well, and to be few. The search finds a front of graphs,
    from one link per sample to many; one of them is picked, or their mean is taken.

    What was published is known from its abstract only: the objectives' exact form, the operators and the
    details of the choice are reconstructions. Both objectives are sums over the samples, so that most of
    the front is found sample by sample, without evolution (``solver="hull"``, the default), and better
    than by evolution.

    Parameters
    ----------
    n_clusters : int
        Number of clusters K, from 1 to n_samples.
    n_candidates : int or "all", optional
        How many of the nearest others a sample may be rebuilt from; default 2 (floor(ln N) + 1).
        ``"all"`` is the literal problem of N x N matrices: in few features it links clusters, since far
        samples rebuild as well as near ones.
    solver : {"hull", "nsga2"}
        ``"hull"`` finds the supported solutions, exactly up to the greedy choice of links. ``"nsga2"`` is
        evolution as in the paper; its fronts are thin, so that graphs fall apart and the picks are worse.
    final : {"rcut", "consensus"}
        Rule that makes the partition, see also ``choose``. ``"rcut"``: the partition of the member that has
        the least ratio cut on the mean of all members' graphs. ``"consensus"``: the partition of that mean,
        which costs one eigenproblem instead of up to 30 (from 5000 samples on fewer, down to 6) and is
        recommended above some thousand samples. A row, the knee or an objective: one member, whose own
        graph is clustered.
    rho : float or "auto"
        Weight of the ridge; ``"auto"`` is 0.025 of the mean feature variance.
    pop_size : int
        Population size; with ``solver="hull"`` the largest number of members of ``pareto_front_``.
    n_gen : int
        Generations after the initial population, with ``solver="nsga2"``.
    pc, pm : float, default=0.7 and 0.3
        Probabilities that a pair is crossed and that an individual is mutated.
    metric : str or callable
        Distance that decides which candidates are near: any metric of scikit-learn but ``"precomputed"``.
    max_memory : int, default=4 GiB
        Largest size of a population and its offspring in bytes.
    force : bool
        Allow ``n_candidates="all"`` above 2000 samples.
    checkpoint : path
        File to which the state of the evolution is written; needs an integer ``random_state`` and
        ``solver="nsga2"``.

    Attributes
    ----------
    chosen_ : int or None
        Row of the front whose partition this is; None for the mean of all.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        Error and number of links, by the latter. With ``solver="hull"``, up to ``pop_size`` members
        evenly along it.
    hull_ : SRMOSCHull
        The whole front, with ``solver="hull"``.
    result_ : pymoo.core.result.Result
        With ``solver="hull"`` without genes.
    history_ : Recorder
        With ``solver="nsga2"``.

    Notes
    -----
    Samples of different classes are never candidates of each other; a sample left without candidate is an
    error.

    With w candidates per sample the hull takes O(N w n_features) time for every link of the densest member
    and O(N w) memory; evolution O(n_gen pop_size N w) and 8 pop_size N w bytes. The ratio cut ranks single
    samples cut off from thin graphs too well; members whose graph falls into more than K parts are
    therefore not picked, unless all do.

    References
    ----------
    Luo, Jiao and Lozano, "A sparse spectral clustering framework via multiobjective evolutionary
    algorithm", IEEE TEVC, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moo_clustering import SRMOSC
    >>> X, _ = load_wine(return_X_y=True)
    >>> SRMOSC(3, random_state=0).fit(X).n_clusters_
    3
    """

    n_clusters: Count
    _: KW_ONLY
    n_candidates: Count | Literal["all"] | None = None
    solver: Literal["hull", "nsga2"] = "hull"
    final: Literal["rcut", "consensus"] = "rcut"
    rho: NonNegative | Literal["auto"] = "auto"
    pop_size: Annotated[int, Interval(Integral, 2, None, closed="left")] = 100
    n_gen: NonNegativeCount = 100
    pc: Probability = 0.7
    pm: Probability = 0.3
    metric: Annotated[str, str, callable] = "euclidean"
    max_memory: Annotated[int, Interval(Real, 0, None, closed="neither")] = MAX_MEMORY
    force: bool = False

    def _cluster(
        self, X: Any, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> Plans[None]:
        features = numeric_features(self, X, ensure_min_samples=2)
        n_samples = features.shape[0]
        _base.check_n_clusters(self.n_clusters, n_samples)
        groups = _base.supervision_groups(n_samples, y, must_link, cannot_link)
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
            pop_size=self.pop_size if self.solver == "nsga2" else 1,
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
            options=self.get_params(deep=False),
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
            self._set_partition(None, self.graphs_.consensus())
        else:
            self._take_member(self.graphs_.least_cut())

    def _take_member(self, row: int) -> None:
        self._set_partition(row, self.graphs_.partition(row))

    def _checkpoint(self, *data: Any) -> Checkpoint | None:
        if self.solver == "hull" and (self.checkpoint is not None or self.resume):
            raise ValueError(
                'checkpoint and resume are about solver="nsga2"; solver="hull" has no generations.'
            )
        # How a partition is taken from the front is no part of the search, and may change on resuming.
        same = clone(self).set_params(final="consensus", laplacian="sym", bridge=True, eigen_solver="auto")
        return _base.checkpoint_for(same, *data)

    def _search(
        self, problem: SRMOSCProblem, seed: int, checkpoint: Checkpoint | None
    ) -> Plans[tuple[FloatArray, Callable[[int], sp.csr_array]]]:
        """Objectives of the members, and a function that makes the graph of a member."""
        for name in ("hull_", "history_"):
            self.__dict__.pop(name, None)
        if self.solver == "hull":
            hull: SRMOSCHull = srmosc_hull_front(problem, n_jobs=self.n_jobs)
            shown = spread_members(hull.F[:, 1], self.pop_size)
            self.hull_ = hull
            self.n_iter_, self.interrupted_ = 0, False
            self.result_ = Result()
            F = hull.F if len(shown) == len(hull.F) else hull.F[shown]
            self.result_.problem, self.result_.F = problem, F
            return F, partial(_hull_graph, hull, shown)
        operators = {
            "sampling": SparseRowSampling(),
            "crossover": RowUniformCrossover(prob=self.pc),
            "mutation": SupportMutation(prob=self.pm),
        }
        search = self._pymoo_search_for(
            problem,
            operators,
            seed,
            NSGA2,
            selection=TournamentSelection(func_comp=batched_tournament),
            # The errors of rows go along with the rows, so that only new ones are computed.
            evaluator=RowTableEvaluator(),
            output=None,
        )
        yield from self._drive(search, problem, self.n_gen, checkpoint)
        self.result_ = search.result()
        # Non-dominated individuals of different objectives, by the number of links.
        F = search.algorithm.pop.get("F")
        rows = ensemble_members(F)
        _, first = np.unique(F[rows][:, ::-1], axis=0, return_index=True)
        front = search.algorithm.pop[rows[first]]
        return front.get("F"), partial(_evolved_graph, problem, front)

    def _set_partition(self, row: int | None, partition: graphs.SpectralPartition) -> None:
        self.chosen_ = row
        self._set_spectral(partition, self.graphs_.X, self.graphs_.lists, self.n_clusters)


def _hull_graph(hull: SRMOSCHull, shown: IntpArray, member: int) -> sp.csr_array:
    return hull.graph(int(shown[member]))


def _evolved_graph(problem: SRMOSCProblem, front: Population, member: int) -> sp.csr_array:
    return problem.graph(front[member].X)


@dataclass(frozen=True, eq=False)
class GraphMembers(_fronts.MemberGraphs):
    """Non-dominated similarity graphs, by the number of links, and their partitions.

    ``graph`` gives the directed similarity matrix of a member. Labels of members that have been clustered
    are kept in ``known_labels``.
    """

    graph: Callable[[int], sp.csr_array]
    known_labels: dict[int, Labels] = field(default_factory=dict, repr=False)
    # The whole partition of the member of the least cut alone: embeddings of all would take much memory.
    _least: dict[int, graphs.SpectralPartition] = field(default_factory=dict, repr=False)

    def consensus(self) -> graphs.SpectralPartition:
        """Partition of the mean graph."""
        return self.clustered(self.mean_graph())

    def partition(self, member: int) -> graphs.SpectralPartition:
        """Partition of the graph of one member."""
        found = self._least.pop(member, None)
        return self.clustered(graphs.symmetrize(self.graph(member))) if found is None else found

    def labels(self, member: int) -> Labels:
        """Labels of one member, remembered."""
        if member not in self.known_labels:
            self._remember(member)
        return self.known_labels[member]

    def least_cut(self) -> int:
        """The member whose partition has the least ratio cut on the mean graph.

        At most 30 members, evenly along the front, are compared; from 5000 samples on fewer, down to 6.
        Partitions of graphs that fall into more components than there are clusters are arbitrary and do
        not count, unless all graphs do. Ctrl-C ends the comparison with the best so far, and a warning.
        """
        n_compared = min(_MOST_COMPARED, max(_FEWEST_COMPARED, COMPARED_SAMPLES // len(self.X)))
        compared = spread_members(self.F[:, 1], n_compared)
        n_clusters = self.options["n_clusters"]
        components = {member: self.n_components(member) for member in compared.tolist()}
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
                    # A disconnected graph is clustered again if chosen, for the warning that belongs to it.
                    if partition is not None and (self.options["bridge"] or components[member] <= n_clusters):
                        self._least[member] = partition
                # No cut is less than 0.
                if least <= 0.0 or guard.requested:
                    break
        if guard.requested:
            warn_caller(
                f"the comparison of partitions was interrupted after {n_done} of {progress.total}; the best "
                'so far is taken, and choose("rcut") goes on.',
                InterruptedSearchWarning,
            )
        return best

    def n_components(self, member: int) -> int:
        """Connected components of the graph of one member."""
        graph = self.joined(graphs.symmetrize(self.graph(member)))
        return int(csgraph.connected_components(graph, directed=False)[0])

    def mean_graph(self) -> sp.csr_array:
        """Mean of the symmetrised similarity matrices of all members."""
        total = graphs.symmetrize(self.graph(0))
        for member in range(1, len(self.F)):
            total = total + graphs.symmetrize(self.graph(member))
        return graphs.symmetrize(total / len(self.F))

    def _remember(self, member: int) -> graphs.SpectralPartition:
        with warnings.catch_warnings():
            # Only the chosen partition warns.
            warnings.filterwarnings("ignore", message="the graph has .* components")
            partition = self.partition(member)
        self.known_labels[member] = partition.labels
        return partition
