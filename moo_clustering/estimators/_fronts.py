"""Mixins for clusterers with a front of partitions or graphs, a search, or spectral clustering."""

import copy
import warnings
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.decision_making import DecisionMaking
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.termination import Termination
from pymoo.operators.selection.tournament import TournamentSelection
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import AnyFloatArray, did_you_mean, knee, name_of, number_clusters, quoted
from moo_clustering._docs import documented
from moo_clustering.algorithms import DeapSearch, Recorder, Search, drive
from moo_clustering.algorithms.deap_loops import CountedStep
from moo_clustering.algorithms.deap_search import can_take
from moo_clustering.algorithms.pymoo_search import PymooSearch, filled_in
from moo_clustering.algorithms.search import Plan, Plans
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.controls import ControlComparison, compare, compare_planned
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, SearchOptions, estimator
from moo_clustering.graphs import NeighborLists, SpectralPartition, spectral_partition, write_constraints
from moo_clustering.operators import batched_tournament
from moo_clustering.persistence import Checkpoint
from moo_clustering.results import ClusteringResult, Front, Objective

if TYPE_CHECKING:
    import networkx as nx

# With these parameter values, an estimator does not write files.
_SAVING: dict[str, Any] = {"checkpoint": None, "resume": False}
# ``moo-clustering`` omits these fitted attributes from saved models, because skops cannot save them.
_NOT_SAVED = ("result_", "history_", "logbook_", "hall_of_fame_")


class FrontMixin(metaclass=ABCMeta):
    """Mixin for clusterers that find a front of partitions, from which a rule selects ``labels_``.

    Attributes
    ----------
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Objectives of the non-dominated solutions, with the original signs.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Partitions of the non-dominated solutions.
    objective_names_, rules_ : tuple of str
        Names of the objectives, and of the rules that :meth:`choose` accepts.
    """

    pareto_front_: NDArray[np.float64]
    objective_names_: tuple[str, ...]
    # ``choose`` accepts these aliases of rules, but ``rules_`` does not list them.
    _rule_aliases: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # if mypy saw __getattr__, it would accept any attribute

        def __getattr__(self, name):
            if name in _NOT_SAVED and "pareto_front_" in vars(self):
                raise NotFittedError(
                    f"this {type(self).__name__} has no {name}: its fit created none, or it is from a skops "
                    "file such as model.skops, which has only what predict requires; in that case, use a "
                    "pickle, fit again, or run moo-clustering choose or report on the run folder"
                )
            return object.__getattribute__(self, name)  # raises the original error, also of a property

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names of the rules that :meth:`choose` accepts."""
        check_is_fitted(self, "pareto_front_")
        return tuple(dict.fromkeys((*self._own_rules(), "knee", *self.objective_names_)))

    def choose(self, rule: _base.Rule) -> Self:
        """Set ``labels_`` and related attributes to another solution on the front, without a new search.

        Raises a ValueError or TypeError if the rule is unknown (the message suggests the nearest name), if
        the row is outside the front, or if the callable does not return a row index.

        Parameters
        ----------
        rule : str, int or callable
            A name in ``rules_``, a row of ``pareto_front_``, or a function ``rule(pareto_front_) -> row``.
            ``"knee"`` is the solution nearest to the ideal point. The name of an objective selects its best
            solution. pymoo's rules, such as ``PseudoWeights([0.5, 0.5])``, receive minimised objectives.
        """
        check_is_fitted(self, "pareto_front_")
        check_rule(rule, (*self.rules_, *self._rule_aliases))
        if isinstance(rule, str):
            rule = self._rule_aliases.get(rule, rule)
        if isinstance(rule, str) and rule not in ("knee", *self.objective_names_):
            self._take_by_rule(rule)
        else:
            greater = self._greater_is_better()
            self._take_member(choose_member(self.pareto_front_, self.objective_names_, greater, rule))
        return self

    def _own_rules(self) -> tuple[str, ...]:
        """Return the names of the selection rules other than ``"knee"`` and the objectives."""
        return ()

    def _take_by_rule(self, rule: str) -> None:
        """Select a solution by one of the rules of :meth:`_own_rules`. By default, select the knee."""
        self.choose("knee")

    @abstractmethod
    def _take_member(self, row: int) -> None:
        """Set ``labels_`` and related attributes to row ``row`` of the front."""

    def _greater_is_better(self) -> Sequence[bool]:
        return (False,) * len(self.objective_names_)

    def _clustering_result(self) -> ClusteringResult:
        found: ClusteringResult = super()._clustering_result()  # type: ignore[misc]
        objectives = map(Objective, self.objective_names_, self._greater_is_better())
        front = Front(self.pareto_front_, tuple(objectives), partial(_labels_of_rows, self))
        return replace(found, front=front, rules=self.rules_, select=self._selected)

    def _selected(self, rule: str) -> ClusteringResult:
        # A shallow copy suffices, because ``choose`` replaces attributes, and only caches change in place.
        other = copy.copy(self)
        vars(other).pop("_cluster_names", None)
        return other.choose(rule)._clustering_result()


def _labels_of_rows(model: Any, rows: NDArray[np.intp]) -> Any:
    # Read the property from a copy, so that the value is not cached on the model itself.
    return np.asarray(copy.copy(model).pareto_labels_)[rows]


class ControlsMixin:
    """Mixin for clusterers that run searches.

    ``_plans`` is a generator that performs ``fit``, and yields the Plan of each search before running it.
    """

    _plans: Callable[..., Plans[Any]]
    history_: Any
    n_iter_: int

    def search_for(self, X: Any, y: ArrayLike | None = None, **fit_options: Any) -> PymooSearch | DeapSearch:
        """Return the first search of ``fit`` without starting it or fitting the estimator.

        Run it using :func:`~moo_clustering.algorithms.drive`. Alternatively, use the ``problem`` of a
        PymooSearch in other algorithms, or the ``toolbox`` of a DeapSearch in DEAP loops. Accepts the
        arguments of ``fit``. Raises a ValueError if they are invalid or ``fit`` runs no search.
        """
        return self._without(_SAVING)._first_plan(X, y, **fit_options).search

    def _run_search(
        self, search: Any, n_gen: int, names: Sequence[str], checkpoint: Checkpoint | None, signs: Any = None
    ) -> Plans[None]:
        yield Plan(search, n_gen, names)
        self.history_ = Recorder(signs)
        shown: dict[str, Any] = {"objective_names": names, "signs": signs, "description": type(self).__name__}
        shown["verbose"] = bool(self.verbose)  # type: ignore[attr-defined]
        self.interrupted_ = drive(search, n_gen=n_gen, recorder=self.history_, checkpoint=checkpoint, **shown)
        self.n_iter_ = search.generation

    def _parameters(self) -> dict[str, Any]:
        return self.get_params(deep=False)  # type: ignore[attr-defined]

    def _without(self, params: Mapping[str, Any]) -> Self:
        """Return an unfitted clone with new parameters; ignore ``params`` that the class does not have."""
        fresh: Any = clone(self)
        known = self._parameters()
        return fresh.set_params(**{name: value for name, value in params.items() if name in known})

    def _first_plan(self, X: Any, y: ArrayLike | None, **fit_options: Any) -> Plan:
        """Run a fit up to its first search, and return the Plan of this search."""
        self._validate_params()  # type: ignore[attr-defined]
        with closing(self._plans(X, y, **fit_options)) as plans:
            plan = next(plans, None)
        if plan is None:
            raise self._without_search("")
        return plan

    def _without_search(self, wanted: str) -> ValueError:
        params = self._parameters()
        values: dict[str, Any] = {"n_gen": 20, "engine": "pymoo"}
        evolving = {"auto": "evolve", "exhaustive": "evolve", "hull": "nsga2"}
        if params.get("search") in evolving:
            values["search"] = evolving[params["search"]]
        cures = [
            f"{name}={value!r}"
            for name, value in values.items()
            if params.get(name, value) != value and not (name == "n_gen" and params[name])
        ]
        return ValueError(
            f"{type(self).__name__} does not run a search{wanted} with these parameters"
            f"{'; set ' + ' or '.join(cures) if cures else ''}"
        )

    @documented(compare)
    def controls(
        self,
        X: Any,
        *,
        y: ArrayLike | None = None,
        n_evals: int | None = None,
        seeds: int | Sequence[int] = 10,
        controls: str | Sequence[str] = "auto",
        partial_y: ArrayLike | None = None,
        **given: Any,
    ) -> ControlComparison:
        """Compare the search of this estimator with its controls on the data X.

        Neither requires nor changes a fit. For DEAP searches, each run prepares the data again. See
        :func:`~moo_clustering.controls.compare` for details and warnings.

        Parameters
        ----------
        X, partial_y, **given
            Arguments of ``fit``: ``X``, the partial labels ``y``, and others such as ``must_link``.
        n_evals : int, optional
            Number of evaluations per run. Default: the number of evaluations in the fit.
        """
        model: Any = self
        # Reset options that affect only the fit itself, such as writing files.
        off = _SAVING | {"callback": None, "termination": None, "save_history": False}
        if model.random_state is None:
            # Use the same seed for all runs, so that they prepare the data in the same way.
            off["random_state"] = int(np.random.default_rng().integers(2**31))
        fresh: Any = None

        def plan() -> Plan:
            nonlocal fresh
            fresh = self._without(off)
            return fresh._first_plan(X, partial_y, **given)

        first = plan()
        search, samples = first.search, getattr(fresh, "_samples", None)
        is_deap = isinstance(search, DeapSearch)
        if is_deap and hasattr(search.toolbox, "evaluate_population"):
            raise self._without_search(" that supports controls")
        if n_evals is None:
            if is_deap and isinstance(search.step, CountedStep) and not hasattr(self, "n_trial_evaluations_"):
                # A search of this kind also evaluates trial solutions, which are counted only in a fit.
                model = clone(model).fit(X, partial_y, **given)
            n_evals = _n_evaluations(model, first)
        return compare_planned(
            plan, first, n_evals=n_evals, seeds=seeds, y=y, controls=controls,
            n_clusters=getattr(self, "n_clusters", None), landmark_of=getattr(samples, "landmark_of", None),
        )  # fmt: skip


def _n_evaluations(model: Any, first: Plan) -> int:
    """Return the number of evaluations in the fit or, without a fit, in the planned search."""
    done = getattr(getattr(model, "result_", None), "algorithm", None)
    if done is not None:
        return int(done.evaluator.n_eval)
    if hasattr(model, "n_trial_evaluations_"):
        return int(model.n_evaluations_ + model.n_trial_evaluations_)
    # If the population size is not fixed, return 0, so that ``compare_planned`` raises an error.
    size = getattr(getattr(first.search, "algorithm", first.search), "pop_size", None) or 0
    return int(size) * (first.n_gen + 1)


@estimator
class FrontSearchMixin(ControlsMixin, FrontMixin, SearchOptions):
    """Mixin for clusterers that find a front by a search.

    Parameters
    ----------
    algorithm : pymoo GeneticAlgorithm instance or class
        Algorithm used instead of the default, for example ``SMSEMOA`` or ``NSGA3(directions)``. Its survival
        is kept, but its operators for real-valued variables are replaced by the operators of the method.
    callback : callable
        Called with the pymoo algorithm after each generation, as in pymoo (see
        :class:`pymoo.core.callback.Callback`).
    termination : Termination or tuple
        pymoo termination, such as ``("time", "00:01:00")``, which can stop the search early.
    save_history : bool
        Whether to store a copy of the algorithm in ``result_.history`` after each generation.

    Attributes
    ----------
    result_ : pymoo.core.result.Result
    history_ : Recorder
        Objectives of each generation.
    n_iter_ : int
        Number of completed generations.
    """

    _: KW_ONLY
    algorithm: Annotated[Any, GeneticAlgorithm, type, None] = None
    callback: Annotated[Any, callable, None] = None
    termination: Annotated[Any, Termination, tuple, None] = None
    save_history: bool = False

    def _set_objectives(self, problem: Any, F: NDArray[Any]) -> None:
        self.pareto_front_ = problem.natural(F)
        self.objective_names_ = tuple(problem.objective_names)
        self._maximised = (problem.natural(np.ones(problem.n_obj)) < 0).tolist()

    def _greater_is_better(self) -> Sequence[bool]:
        return self._maximised

    def _clustering_result(self) -> ClusteringResult:
        # Only MapElites has an archive. Models saved by the command have no ``result_``.
        result: Any = getattr(self, "result_", None)
        archive = getattr(result and result.algorithm, "archive_", None)
        return replace(super()._clustering_result(), archive=archive)

    def _validate_params(self) -> None:
        super()._validate_params()  # type: ignore[misc]
        of_pymoo = ("algorithm", "callback", "termination", "save_history")
        given = [name for name in of_pymoo if getattr(self, name)]
        if given and getattr(self, "engine", "pymoo") == "deap":
            raise ValueError(f"{given[0]} requires engine='pymoo', got engine='deap'")
        if self.callback is not None and not can_take(self.callback, None):
            raise TypeError(
                f"callback must accept one argument, the algorithm; {name_of(self.callback)} does not"
            )

    def _pymoo_search_for(
        self, problem: Any, operators: dict[str, Any], seed: int, own: Any = None, **options: Any
    ) -> PymooSearch:
        """Return a search with ``self.algorithm``.

        If ``self.algorithm`` is None, the class ``own`` is used or, if ``own`` is None, NSGA-II.
        """
        operators = {"eliminate_duplicates": NoDuplicateElimination(), **operators}
        pop_size: int = self.pop_size  # type: ignore[attr-defined]
        if self.algorithm is not None:
            return PymooSearch(problem, filled_in(self.algorithm, operators, pop_size), seed=seed)
        if own is None:
            own, selection = NSGA2, TournamentSelection(func_comp=batched_tournament)
            options = {"selection": selection, "output": None, **options}
        return PymooSearch(problem, own(pop_size=pop_size, **operators, **options), seed=seed)

    def _drive(
        self, search: Search, problem: Any, n_gen: int, checkpoint: Checkpoint | None, signs: Any = None
    ) -> Plans[None]:
        if isinstance(search, PymooSearch):
            search.watch(self.callback, self.save_history)
            if self.termination is not None:
                search.end_by(self.termination)
        if self.start is not None:
            from moo_clustering.operators import start_genes  # slow import

            cast(Any, search).start_from(start_genes(problem, self.start))
        yield from self._run_search(search, n_gen, problem.objective_names, checkpoint, signs)


class LazyFrontMixin(FrontMixin):
    """Mixin that computes ``pareto_labels_`` on first access and caches it. ``fit`` must clear the cache."""

    @cached_property
    def pareto_labels_(self) -> NDArray[np.int32]:
        """Partitions of the non-dominated solutions, computed on first access."""
        check_is_fitted(self, "pareto_front_")
        return self._find_pareto_labels()

    @abstractmethod
    def _find_pareto_labels(self) -> NDArray[np.int32]:
        """Compute the partitions of the non-dominated solutions."""


def choose_member(
    front: NDArray[np.float64], names: Sequence[str], greater_is_better: Sequence[bool], rule: _base.Rule
) -> int:
    """Return the row that a rule selects from ``front``. The objectives must have their original signs."""
    check_rule(rule, ("knee", *names))
    minimised = np.where(np.asarray(greater_is_better), -front, front)
    if callable(rule):
        # pymoo's rules require minimised objectives.
        found: Any = rule(minimised if isinstance(rule, DecisionMaking) else front)
        found = found.item() if isinstance(found, np.ndarray) and found.size == 1 else found
        if isinstance(found, bool) or not isinstance(found, Integral):
            raise TypeError(
                f"a rule must return a row index of the front; {name_of(rule)} returned {quoted(found)}"
            )
        if not -len(front) <= int(found) < len(front):
            raise ValueError(
                f"{name_of(rule)} returned row {found}, which is outside the front of size {len(front)}"
            )
        rule = int(found)
    if isinstance(rule, str):
        return knee(minimised) if rule == "knee" else int(minimised[:, list(names).index(rule)].argmin())
    if not -len(front) <= rule < len(front):
        raise ValueError(f"rule={rule} is outside the front of size {len(front)}")
    return int(rule) % len(front)


def check_rule(rule: object, allowed: Sequence[str]) -> None:
    is_row = isinstance(rule, Integral) and not isinstance(rule, bool)
    if callable(rule) or is_row or (isinstance(rule, str) and rule in allowed):
        return
    raise ValueError(
        f"unknown rule {quoted(rule)}; use {', '.join(map(repr, allowed))}, a row index or "
        "a callable" + (did_you_mean(rule, allowed) if isinstance(rule, str) else "")
    )


@dataclass(frozen=True, eq=False)
class MemberGraphs(ABC):
    """Similarity graphs of the solutions on a front, and their spectral partitions, computed on demand."""

    F: NDArray[np.float64]  # shape (n_members, 2): objectives
    X: NDArray[np.floating[Any]]  # shape (n_samples, n_features): scaled features, or precomputed distances
    lists: NeighborLists
    groups: ConstraintGroups
    join_groups: bool  # whether to link the samples of each group (links between groups are always removed)
    options: Mapping[str, Any]
    seed: np.random.SeedSequence  # same seed for each partition, so that repeated calls agree
    sample_weight: NDArray[np.float64] | None = field(default=None, kw_only=True)

    @abstractmethod
    def partition(self, member: int) -> SpectralPartition:
        """Partition the graph of one solution."""

    def labels(self, member: int) -> NDArray[np.int32]:
        return self.partition(member).labels

    def clustered(self, S: csr_array) -> SpectralPartition:
        """Compute the spectral partition of a similarity matrix, after linking the samples of each group."""
        given = ("n_clusters", "laplacian", "bridge", "metric", "eigen_solver", "n_jobs")
        options: dict[str, Any] = {name: self.options[name] for name in given}
        options |= {"sample_weight": self.sample_weight, "rng": np.random.default_rng(self.seed)}
        partition = spectral_partition(self.joined(S), X=self.X, lists=self.lists, **options)
        return equal_together(partition, self.X, self.lists, self.groups)

    def joined(self, S: csr_array) -> csr_array:
        if not self.join_groups or self.groups.is_empty:
            return S
        option = self.options["must_link_edges"]
        how: Any = option if isinstance(option, str) else "auto"
        return write_constraints(S, self.groups, must_link_edges=how, X=self.X)


@estimator
class SpectralMixin(_base.NearestSampleMixin):
    """Mixin for clusterers that apply spectral clustering to a similarity graph.

    Parameters
    ----------
    laplacian : {"sym", "unnormalized", "rw"}
        Graph Laplacian. The paper uses ``"unnormalized"``, which fails on some data sets.
    bridge : bool
        Whether to join the components of a disconnected graph by weak links between their nearest samples.
    eigen_solver : {"auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"}
        See :func:`~moo_clustering.graphs.spectral_embedding`.

    Attributes
    ----------
    similarity_ : csr_array of shape (n_samples, n_samples)
        Symmetric similarity matrix, including constraints and bridges.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding, which is clustered by k-means.
    eigenvalues_ : ndarray of shape (min(n_clusters + 1, n_samples),)
        Smallest eigenvalues of the Laplacian.
    n_components_ : int
        Number of connected components before bridging.
    """

    _: KW_ONLY
    laplacian: Literal["sym", "unnormalized", "rw"] = "sym"
    bridge: bool = True
    eigen_solver: Literal["auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"] = "auto"

    def to_networkx(self) -> "nx.Graph":
        """Convert the similarity matrix to a weighted graph with the node attribute ``cluster``."""
        check_is_fitted(self)
        import networkx as nx  # slow import

        graph = nx.from_scipy_sparse_array(self.similarity_)
        nx.set_node_attributes(graph, dict(enumerate(self.labels_.tolist())), "cluster")
        return graph

    def _set_spectral(
        self, partition: SpectralPartition, X: AnyFloatArray, lists: NeighborLists, n_clusters: int
    ) -> None:
        """Set the fitted attributes.

        If X has fewer distinct rows than ``n_clusters``, each distinct row becomes a cluster.
        """
        self.labels_ = partition.labels
        self.similarity_ = partition.similarity
        self.embedding_ = partition.embedding
        self.eigenvalues_ = partition.eigenvalues
        self.n_components_ = partition.n_components
        self.neighbor_recall_ = lists.recall
        # A row that differs from its nearest neighbour is unique. If at least ``n_clusters`` rows are unique,
        # there are enough distinct rows.
        if np.count_nonzero(lists.distances[:, 0] > 0) < n_clusters:
            rows = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
            if rows.max() + 1 < n_clusters:
                self.labels_ = number_clusters(rows)[0]
                _base.warn_of_few(int(rows.max()) + 1, n_clusters)
        self.n_clusters_ = int(self.labels_.max()) + 1


@estimator
class GraphFrontMixin(LazyFrontMixin, FrontSearchMixin, SpectralMixin):
    """Mixin for clusterers that find a front of similarity graphs, and partition each graph on demand.

    Parameters
    ----------
    must_link_edges : {False, True, "clique", "star"}
        Links of maximum similarity within each labelled class. ``"clique"`` links all pairs, ``"star"`` links
        each sample to the medoid, True picks one depending on the number of pairs, and False adds no links.
        Links between classes are always removed. Must-links passed to ``fit`` always add links.

    Attributes
    ----------
    graphs_ : object
        Graphs of the solutions. ``graphs_.labels(row)`` returns the partition of one graph.
    """

    _: KW_ONLY
    must_link_edges: bool | Literal["clique", "star"] = False

    def _find_pareto_labels(self) -> NDArray[np.int32]:
        graphs: MemberGraphs = self.graphs_  # type: ignore[attr-defined]
        return np.stack([graphs.labels(row) for row in range(len(self.pareto_front_))])

    _greater_is_better = FrontMixin._greater_is_better

    def _clustering_result(self) -> ClusteringResult:
        found = super()._clustering_result()
        if found.front is None or "pareto_labels_" in vars(self):
            return found
        front = replace(found.front, is_ready=False, labels_of=self._partitions_of)
        return replace(found, front=front)

    def _partitions_of(self, rows: NDArray[np.intp]) -> list[NDArray[np.int32]]:
        with warnings.catch_warnings():
            # Ignore warnings, because the fit has already issued them for the selected partition.
            warnings.simplefilter("ignore")
            return [self.graphs_.labels(int(row)) for row in rows]  # type: ignore[attr-defined]

    def _graph_options(self) -> dict[str, Any]:
        return {name: value for name, value in self._parameters().items() if name != "start"}

    def _joins(self, must_link: ArrayLike | None) -> bool:
        return bool(self.must_link_edges) or (must_link is not None and np.size(must_link) > 0)


def equal_together(
    partition: SpectralPartition, X: NDArray[Any], lists: NeighborLists, groups: ConstraintGroups
) -> SpectralPartition:
    """Assign identical samples without constraints to the same cluster.

    Otherwise, identical samples in different components of the graph could be in different clusters.
    """
    if lists.distances.shape[1] and (lists.distances[:, 0] > 0).all():
        return partition
    labels = _base.united(partition.labels, _base.equal_rows(X), np.flatnonzero(groups.groups >= 0))
    return replace(partition, labels=number_clusters(labels)[0])
