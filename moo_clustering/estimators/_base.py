"""Mixins that estimators share (reports, semi-supervised fits, fronts, spectral clustering), and helpers."""

from __future__ import annotations

import importlib
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.algorithm import Algorithm
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.result import Result
from pymoo.core.termination import Termination
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
    clone,
)
from sklearn.metrics import pairwise_distances
from sklearn.utils._param_validation import Interval, InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import (
    Labels,
    ShortMessages,
    block_slices,
    choice,
    did_you_mean,
    knee,
    name_of,
    non_dominated,
    number_clusters,
    quoted,
    unit_rows,
    warn_caller,
)
from moo_clustering._data import numeric_features
from moo_clustering._distances import Metric
from moo_clustering._docs import documented
from moo_clustering._kernels.medoids import GRAIN
from moo_clustering._messages import message_line
from moo_clustering.algorithms import DeapSearch, Recorder, Search, drive
from moo_clustering.algorithms.deap_loops import CountedStep
from moo_clustering.algorithms.deap_search import can_take
from moo_clustering.algorithms.pymoo_search import PymooSearch, filled_in
from moo_clustering.algorithms.search import Plan, planned
from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints, constraint_groups
from moo_clustering.controls import ControlComparison, compare, compare_planned
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._citations import CitedMixin
from moo_clustering.estimators._options import KW_ONLY, SearchOptions, estimator
from moo_clustering.graphs import NeighborLists, SpectralPartition, spectral_partition, write_constraints
from moo_clustering.graphs.neighbors import metric_space
from moo_clustering.persistence import Checkpoint, fingerprint

if TYPE_CHECKING:
    import networkx as nx

    from moo_clustering.visualization.report.content import Report

# A run may be resumed with other values of these; longer runs continue shorter ones.
_FREE = frozenset({"n_gen", "n_jobs", "verbose", "callback", "checkpoint", "checkpoint_every", "resume"})
_LONGEST_NAME = 100
_OF_PYMOO = ("algorithm", "callback", "termination", "save_history")
# Parameters by which an estimator searches.
_SEARCHING = {"n_gen": 20, "engine": "pymoo", "search": "evolve", "solver": "nsga2"}
Rule = str | int | Callable[[NDArray[np.float64]], int]
Scaling = Callable[[NDArray[np.floating[Any]]], NDArray[np.floating[Any]]]


# Sections that ``predict`` and ``transform`` have in common, for ``documented``.
_OF_SAMPLES = """
Parameters
----------
X : array-like or sparse matrix of shape (n, n_features)
    Samples in a form that ``fit`` takes.

Returns
-------
"""
OF_PREDICT: str = f"{_OF_SAMPLES}ndarray of shape (n,), int32\n    Numbers as in ``labels_``.\n"
OF_TRANSFORM: str = f"{_OF_SAMPLES}ndarray of shape (n, n_columns)\n    A column per cluster, or per topic.\n"


class NumericOptionsMixin(CitedMixin, ShortMessages):
    """An estimator that takes options that are numbers as ``fit`` needs them.

    Truth values are refused: ``n_clusters=True`` is no count, arrays cannot be made with it, and loops
    would be compiled anew. Integers of NumPy become equal ones of Python, which cannot overflow or lose
    their sign.
    """

    _parameter_constraints: ClassVar[dict[str, Any]]

    def _validate_params(self) -> None:
        for name, value in self.get_params(deep=False).items():  # type: ignore[attr-defined]
            if isinstance(value, bool):
                self._check_truth_value(name, value)
            elif isinstance(value, np.integer):
                setattr(self, name, int(value))
            elif name == "metric" and isinstance(value, str) and len(value) > _LONGEST_NAME:
                # Any text may name a metric here, and the libraries that look it up quote all of it.
                raise InvalidParameterError(
                    f"The 'metric' parameter of {type(self).__name__} must be the name of a metric. "
                    f"Got {message_line(repr(value))} instead."
                )
        super()._validate_params()

    def _check_truth_value(self, name: str, value: bool) -> None:
        rules = self._parameter_constraints.get(name)
        if not isinstance(rules, list) or "boolean" in rules:
            return
        if any(isinstance(rule, Interval) for rule in rules):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(self).__name__} must be a number, not a boolean. "
                f"Got {value} instead."
            )


class ReportMixin(NumericOptionsMixin):
    """A clusterer that can write its result as a page.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    n_clusters_ : int
        Clusters that have samples.
    """

    def report(self, path: str | PathLike[str], X: Any = None, **options: Any) -> Report:
        """Write a page to look at the solutions found, compare them and choose: one HTML file.

        Parameters
        ----------
        path : path-like
            File to write, which is replaced if it is there.
        X
            The data of ``fit``, for the map of the samples and the description of clusters.
        **options
            ``y``, ``must_link`` and ``cannot_link`` as ``fit`` was given them, ``sample_names``,
            ``feature_names``, ``title`` and the like; see
            :func:`~moo_clustering.visualization.report.report_content`.

        Returns
        -------
        Report
            With ``path`` and ``open()``; in a notebook it shows the page.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            The data or options do not match the fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X, _ = load_iris(return_X_y=True)
        >>> clusterer = ParetoClustering(3, random_state=0).fit(X)
        >>> clusterer.report("iris.html", X).open()  # doctest: +SKIP
        True
        """
        return _pages("estimators").write_report_of(self, path, X, **options)

    def show(self, X: Any = None, **options: Any) -> None:
        """Show the page of :meth:`report`: below the cell in a notebook, elsewhere in the browser.

        Parameters
        ----------
        X, **options
            As for :meth:`report`, whose errors it raises.

        Warns
        -----
        UserWarning
            There is no browser; it names the file of the page, which is in the folder for temporary files.
        """
        _pages("estimators").show_report_of(self, X, **options)

    def _repr_html_inner(self) -> str:
        # scikit-learn calls it for _repr_html_, unless its display is "text".
        return self._with_card(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_card(bundle["text/html"])
        return bundle

    def _with_card(self, diagram: str) -> str:
        """HTML of the fitted clusterer above that of its parameters; the latter alone before ``fit``."""
        if getattr(self, "labels_", None) is None:
            return diagram
        return cast(str, _pages("card").card_of(self, diagram))


def _pages(name: str) -> Any:
    """A module of the reports.

    By name: pages know estimators, estimators know no pages, and those who only cluster need none.
    """
    return importlib.import_module(f"moo_clustering.visualization.report.{name}")


def sizes_text(labels: NDArray[np.integer[Any]], new: int = 0) -> str:
    """How many samples the clusters have, and outliers if there are any: "2 clusters of 100, 50 samples".

    ``new`` clusters of them have no labels.
    """
    sizes = np.sort(np.bincount(labels[labels >= 0]))[::-1]
    sizes = sizes[sizes > 0]
    shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
    text = f"{len(sizes)} cluster{'' if len(sizes) == 1 else 's'} of {shown} samples"
    if new:
        text += f", {new} of them without labels"
    if n_noise := int((labels < 0).sum()):
        text += f" and {n_noise} outlier{'' if n_noise == 1 else 's'}"
    return text


class TransformingClusterer(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """A clusterer that also transforms samples: one column per cluster or topic."""


class SemiSupervisedClusterMixin(ReportMixin, ClusterMixin):
    """A clusterer whose ``y`` are partial labels, which scikit-learn's ``fit_predict`` would drop."""

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **options: Any) -> NDArray[np.int32]:
        """Fit, and return ``labels_``.

        Parameters
        ----------
        X, y
            As for ``fit``.
        **options
            ``must_link`` and ``cannot_link``, as for ``fit``.
        """
        return self.fit(X, y, **options).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Cross-validation then splits the rows and the columns of the distances.
        tags.input_tags.pairwise = getattr(self, "metric", None) == "precomputed"
        return tags


class ConstrainedClusterer(SemiSupervisedClusterMixin, BaseEstimator, metaclass=ABCMeta):
    """A clusterer of a table whose ``fit`` takes partial labels, must-links and cannot-links."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense, or sparse where the class says so; or (n_samples, n_samples) distances with
            ``metric="precomputed"`` where the class knows that.
        y : array-like of shape (n_samples,), optional
            Partial labels 0, 1, ...; -1 for unlabelled samples.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other, unless ``conflicts="keep"`` allows it.

        Warns
        -----
        UserWarning
            All samples are labelled, so that no label is left to score with.
        """
        self._cluster(X, y, must_link, cannot_link)
        if y is not None and getattr(self, "supervision", "") not in (None, "none"):
            warn_if_all_labelled(np.asarray(y) >= 0)
        return self

    @abstractmethod
    def _cluster(
        self, X: Any, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> None:
        """Set the results of ``fit``."""


class FrontMixin(metaclass=ABCMeta):
    """A clusterer that finds a front of non-dominated partitions, from which a rule picks ``labels_``.

    A subclass sets ``pareto_front_``, ``objective_names_`` and ``pareto_labels_`` (or see
    :class:`LazyFrontMixin`) in ``fit``, and implements :meth:`_take_member`. Rules of its own are named by
    :meth:`_own_rules` and followed by :meth:`_take_by_rule`.

    Attributes
    ----------
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Objectives of the non-dominated solutions, in natural sign.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Partitions of the non-dominated solutions.
    objective_names_ : tuple of str
    rules_ : tuple of str
        Names that :meth:`choose` takes.
    """

    pareto_front_: NDArray[np.float64]
    objective_names_: tuple[str, ...]
    history_: Any
    n_iter_: int
    # Other names of rules, which rules_ leaves out.
    _rule_aliases: ClassVar[Mapping[str, str]] = {}

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self, "pareto_front_")
        return tuple(dict.fromkeys((*self._own_rules(), "knee", *self.objective_names_)))

    def choose(self, rule: Rule) -> Self:
        """Pick another solution of the front, without searching again.

        Parameters
        ----------
        rule : str, int or callable
            A name of ``rules_``: a rule that the class describes, ``"knee"`` (the solution nearest to the
            ideal point), or an objective, in which the solution is best. Or a row of ``pareto_front_``, or
            ``rule(pareto_front_) -> row``.

        Returns
        -------
        self
            With ``labels_``, ``n_clusters_`` and all that belongs to the solution replaced.

        Raises
        ------
        ValueError
            Unknown rule (names the nearest), or a row number outside the front.
        TypeError
            The callable returns no row number.
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
        """Names of rules besides the knee and the objectives."""
        return ()

    def _take_by_rule(self, rule: str) -> None:
        """Replace the result by what a rule of :meth:`_own_rules` picks; by the knee unless overridden."""
        greater = self._greater_is_better()
        self._take_member(choose_member(self.pareto_front_, self.objective_names_, greater, "knee"))

    @abstractmethod
    def _take_member(self, row: int) -> None:
        """Replace the result by a solution of the front."""

    def _greater_is_better(self) -> Sequence[bool]:
        """Mask of the objectives that are maximised."""
        return (False,) * len(self.objective_names_)


class ControlsMixin:
    """A clusterer by a search, which can be compared with its controls."""

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
        """Compare the search of the estimator, fitted or not, with its controls on data X.

        The fit stays as it is. A search of DEAP prepares the data anew for every run. See
        :func:`~moo_clustering.controls.compare`, also for warnings.

        Parameters
        ----------
        X
            As for ``fit``.
        n_evals : int, optional
            Evaluations of every run; default: those of the fit, or before it as many as it would make.
        partial_y
            Labels that ``fit`` takes as its ``y``.
        **given
            Further arguments of ``fit``, such as ``must_link``.
        """
        model: Any = self
        # These belong to the fit itself.
        off = dict.fromkeys(("checkpoint", "callback", "termination"), None)
        off |= dict.fromkeys(("resume", "save_history"), False)
        params = model.get_params(deep=False)
        off = {name: value for name, value in off.items() if name in params}
        if model.random_state is None:
            # All runs prepare the data alike.
            off["random_state"] = int(np.random.default_rng().integers(2**31))
        fresh: Any = None

        def plan() -> Plan:
            nonlocal fresh
            fresh = clone(model).set_params(**off)
            return planned(lambda: fresh.fit(X, partial_y, **given))

        first = plan()
        search, samples = first.search, getattr(fresh, "_samples", None)
        if not isinstance(search, PymooSearch) and not hasattr(getattr(search, "toolbox", None), "evaluate"):
            cures = [
                f"{name}={value!r}"
                for name, value in _SEARCHING.items()
                if params.get(name, value) != value and not (name == "n_gen" and params[name])
            ]
            raise ValueError(
                f"{type(self).__name__} runs no search here that could have controls; take other parameters"
                f"{', such as ' + ' or '.join(cures) if cures else ''}."
            )
        if n_evals is None:
            counts_trials = isinstance(search, DeapSearch) and isinstance(search.step, CountedStep)
            if counts_trials and not hasattr(self, "n_trial_evaluations_"):
                # How many trials a fit makes is known after it only.
                model = clone(model).fit(X, partial_y, **given)
            n_evals = _n_evaluations(model, first)
        return compare_planned(
            plan, first, n_evals=n_evals, seeds=seeds, y=y, controls=controls,
            n_clusters=getattr(self, "n_clusters", None), landmark_of=getattr(samples, "landmark_of", None),
        )  # fmt: skip


def _n_evaluations(model: Any, first: Plan) -> int:
    """Evaluations of a fit, or as many as its search would make."""
    done = getattr(getattr(model, "result_", None), "algorithm", None)
    if done is not None:
        return int(done.evaluator.n_eval)
    if hasattr(model, "n_trial_evaluations_"):
        return int(model.n_evaluations_ + model.n_trial_evaluations_)
    # A search without a population of fixed size gets 0, which is refused.
    size = getattr(getattr(first.search, "algorithm", first.search), "pop_size", None) or 0
    return int(size) * (first.n_gen + 1)


@estimator
class FrontSearchMixin(ControlsMixin, FrontMixin, SearchOptions):
    """A clusterer whose front is found by a search.

    Parameters
    ----------
    algorithm : GeneticAlgorithm of pymoo, or a class of it
        Search in place of the method's own, such as ``SMSEMOA`` or ``NSGA3(directions)``, with the method's
        operators wherever an object has pymoo's for real numbers. Its survival replaces the method's.
    callback : callable
        Called with the pymoo algorithm after every generation, as :class:`pymoo.core.callback.Callback`.
    termination : Termination or tuple
        A criterion of pymoo, such as ``("time", "00:01:00")``, that may end the search before ``n_gen``.
    save_history : bool
        Keep a copy of the algorithm of every generation in ``result_.history``.

    Attributes
    ----------
    result_ : pymoo.core.result.Result
    history_ : Recorder
        Objectives of every generation.
    n_iter_ : int
        Generations done.
    """

    _: KW_ONLY
    algorithm: Annotated[Any, GeneticAlgorithm, type, None] = None
    callback: Annotated[Any, callable, None] = None
    termination: Annotated[Any, Termination, tuple, None] = None
    save_history: bool = False

    def _validate_params(self) -> None:
        super()._validate_params()  # type: ignore[misc]
        given = [name for name in _OF_PYMOO if getattr(self, name)]
        if given and getattr(self, "engine", "pymoo") == "deap":
            raise ValueError(f"{given[0]} is of pymoo's searches: leave it out, or set engine='pymoo'.")
        if self.callback is not None and not can_take(self.callback, None):
            raise TypeError(
                f"callback must take one argument, the algorithm; {name_of(self.callback)} does not."
            )

    def _pymoo_search_for(
        self,
        problem: Any,
        operators: dict[str, Any],
        seed: int,
        own: Callable[..., Algorithm],
        **options: Any,
    ) -> PymooSearch:
        """A search by ``algorithm``, or else by the method's own with its further options."""
        operators = {"eliminate_duplicates": NoDuplicateElimination(), **operators}
        pop_size: int = self.pop_size  # type: ignore[attr-defined]
        if self.algorithm is None:
            made = own(pop_size=pop_size, **operators, **options)
        else:
            made = filled_in(self.algorithm, operators, pop_size)
        return PymooSearch(problem, made, seed=seed)

    def _drive(
        self, search: Search, problem: Any, n_gen: int, checkpoint: Checkpoint | None, signs: Any = None
    ) -> None:
        """Run a search, and set what belongs to its course."""
        if isinstance(search, PymooSearch):
            search.algorithm.callback = self.callback or search.algorithm.callback
            search.algorithm.save_history |= self.save_history
            if self.termination is not None:
                search.end_by(self.termination)
        self.history_ = Recorder(signs)
        self.interrupted_ = drive(
            search,
            n_gen=n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description=type(self).__name__,
            objective_names=problem.objective_names,
            signs=signs,
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation


class LazyFrontMixin(FrontMixin):
    """A clusterer whose ``pareto_labels_`` are found when they are first asked for.

    A subclass implements :meth:`_find_pareto_labels`, and deletes ``pareto_labels_`` when it is fitted anew.
    """

    @cached_property
    def pareto_labels_(self) -> NDArray[np.int32]:
        """Partitions of the non-dominated solutions."""
        check_is_fitted(self, "pareto_front_")
        return self._find_pareto_labels()

    @abstractmethod
    def _find_pareto_labels(self) -> NDArray[np.int32]:
        """Partitions of the non-dominated solutions, computed."""


def choose_member(
    front: NDArray[np.float64], names: Sequence[str], greater_is_better: Sequence[bool], rule: Rule
) -> int:
    """Index of the member of a front, objectives in natural sign, that a rule picks.

    The knee, the member that is best in one objective, a row number, or ``rule(front) -> row number``.
    Raises a ValueError for an unknown rule, naming the nearest, or a row number outside the front.
    """
    check_rule(rule, ("knee", *names))
    minimised = np.where(np.asarray(greater_is_better), -front, front)
    if callable(rule):
        found: object = rule(front)
        if isinstance(found, bool) or not isinstance(found, Integral):
            raise TypeError(
                f"a rule must return a row number of the front; {name_of(rule)} returned {quoted(found)}"
            )
        if not -len(front) <= int(found) < len(front):
            raise ValueError(
                f"{name_of(rule)} returned row {found}, which is outside the front of {len(front)} members."
            )
        rule = int(found)
    if isinstance(rule, str):
        return knee(minimised) if rule == "knee" else int(minimised[:, list(names).index(rule)].argmin())
    if not -len(front) <= rule < len(front):
        raise ValueError(f"rule={rule} is outside the front, which has {len(front)} members.")
    return int(rule) % len(front)


def check_rule(rule: object, allowed: Sequence[str]) -> None:
    """Refuse what is neither an allowed name nor a row number nor a callable, naming the nearest name."""
    is_row = isinstance(rule, Integral) and not isinstance(rule, bool)
    if callable(rule) or is_row or (isinstance(rule, str) and rule in allowed):
        return
    raise ValueError(
        f"unknown rule {quoted(rule)}; allowed are {', '.join(map(repr, allowed))}, "
        "a row number or a callable" + (did_you_mean(rule, allowed) if isinstance(rule, str) else "")
    )


@dataclass(frozen=True, eq=False)
class MemberGraphs(ABC):
    """Similarity graphs of the members of a front, and their spectral partitions, one at a time."""

    F: NDArray[np.float64]  # shape (n_members, 2): objectives
    X: NDArray[np.floating[Any]]  # shape (n_samples, n_features): scaled features, or precomputed distances
    lists: NeighborLists
    groups: ConstraintGroups
    join_groups: bool  # whether samples of a group are linked, or only those of different groups kept apart
    options: Mapping[str, Any]  # parameters of the estimator
    seed: np.random.SeedSequence  # seed of every partition, so that asking twice gives the same one

    @abstractmethod
    def partition(self, member: int) -> SpectralPartition:
        """Partition of the graph of one member."""

    def labels(self, member: int) -> NDArray[np.int32]:
        """Labels of one member."""
        return self.partition(member).labels

    def clustered(self, S: csr_array) -> SpectralPartition:
        """Spectral partition of a similarity matrix, with the groups in it."""
        options = self.options
        partition = spectral_partition(
            self.joined(S),
            options["n_clusters"],
            laplacian=options["laplacian"],
            bridge=options["bridge"],
            X=self.X,
            metric=options["metric"],
            lists=self.lists,
            eigen_solver=options["eigen_solver"],
            rng=np.random.default_rng(self.seed),
            n_jobs=options["n_jobs"],
        )
        return equal_together(partition, self.X, self.lists, self.groups)

    def joined(self, S: csr_array) -> csr_array:
        """The matrix with links between the samples of a group."""
        if not self.join_groups or self.groups.is_empty:
            return S
        option = self.options["must_link_edges"]
        how: Any = option if isinstance(option, str) else "auto"
        return write_constraints(S, self.groups, must_link_edges=how, X=self.X)


def recall_text(recall: float | None) -> str | None:
    """Recall of approximate neighbour lists in words; None for exact ones."""
    return None if recall is None else f"approximate lists, with {recall:.1%} of the nearest"


@estimator
class NearestSampleMixin:
    """A clusterer of the samples of the fit alone; others get the cluster of the nearest of them.

    Parameters
    ----------
    scale : {"minmax", "standard", "none"}
        Scaling of the features before anything else; none with ``metric="precomputed"``.
    ties : {"random", "index"}
        Order of equally near neighbours; ``"index"`` leaks the order of the rows on gridded data.
    neighbor_method : {"auto", "exact", "approximate"}
        Search of neighbour lists, see :func:`~moo_clustering.graphs.neighbor_lists`.

    Attributes
    ----------
    neighbor_recall_ : float or None
        Share of the nearest neighbours that approximate lists have; None for exact and for given lists.
    """

    _: KW_ONLY
    scale: Literal["minmax", "standard", "none"] = "minmax"
    ties: Literal["random", "index"] = "random"
    neighbor_method: Literal["auto", "exact", "approximate"] = "auto"

    @documented(OF_PREDICT)
    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the nearest sample of the fit, in its scaling and metric; ties: the first.

        The clustering is transductive: new samples change nothing in it. Samples of the fit get their
        ``labels_``, except that equal rows which constraints put into different clusters, or of which MOCK
        warns, get the label of the first.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            With ``metric="precomputed"`` distances to the samples of the fit, shape (n, n_samples).

        Raises
        ------
        ValueError
            Other features than in the fit, or distances that are not to all of its samples.

        Notes
        -----
        O(n n_samples n_features) time, in blocks of bounded memory.
        """
        check_is_fitted(self, "labels_")
        labels: NDArray[np.int32] = self.labels_  # type: ignore[attr-defined]
        space, scaling, dtype = self._compared
        if space is None and np.shape(X)[1:] != (len(labels),):
            raise ValueError(
                f'{type(self).__name__} was fitted to distances (metric="precomputed") and knows no rows: '
                "predict needs the distances of new samples to all samples of the fit, of shape "
                f"(n, {len(labels)}), got {np.shape(X)}."
            )
        X = numeric_features(self, X, dtype=dtype, reset=False)
        if space is None:
            return labels[X.argmin(axis=1)]
        rows = metric_space(scaling(X), space.metric).points
        return labels[nearest_rows(rows, space.points, "euclidean" if space.power == 2.0 else space.metric)]

    def _scale_samples(self, X: NDArray[np.floating[Any]]) -> Any:
        """The features of the fit on their common scale, kept for :meth:`predict`."""
        metric: Metric = self.metric  # type: ignore[attr-defined]
        scaling = feature_scaling(X, "none" if metric == "precomputed" else self.scale)
        rows = scaling(X)
        self._compared = None if metric == "precomputed" else metric_space(rows, metric), scaling, rows.dtype
        return rows


@estimator
class SpectralMixin(NearestSampleMixin):
    """A clusterer that ends in spectral clustering of a similarity graph.

    Parameters
    ----------
    laplacian : {"sym", "unnormalized", "rw"}
        The paper's is ``"unnormalized"``, which fails on some sets.
    bridge : bool
        Join the components of a disconnected graph by their shortest links, very weakly.
    eigen_solver : {"auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"}
        See :func:`~moo_clustering.graphs.spectral_embedding`.

    Attributes
    ----------
    similarity_ : csr_array of shape (n_samples, n_samples)
        Symmetric similarity matrix that was clustered, constraints and bridges included.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows that k-means was run on.
    eigenvalues_ : ndarray of shape (n_clusters + 1,), or (n_samples,) if that is less
        Smallest eigenvalues of the Laplacian.
    n_components_ : int
        Connected components before bridging.
    """

    _: KW_ONLY
    laplacian: Literal["sym", "unnormalized", "rw"] = "sym"
    bridge: bool = True
    eigen_solver: Literal["auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"] = "auto"

    def to_networkx(self) -> nx.Graph:
        """The similarity matrix as a weighted graph, clusters as node attribute ``cluster``."""
        check_is_fitted(self)
        import networkx as nx  # only here, because its import takes a sixth of a second

        graph = nx.from_scipy_sparse_array(self.similarity_)
        nx.set_node_attributes(graph, dict(enumerate(self.labels_.tolist())), "cluster")
        return graph

    def _set_spectral(
        self,
        partition: SpectralPartition,
        X: NDArray[np.floating[Any]],
        lists: NeighborLists,
        n_clusters: int,
    ) -> None:
        """Set the results; fewer distinct rows of X than ``n_clusters`` are clusters themselves."""
        self.labels_ = partition.labels
        self.similarity_ = partition.similarity
        self.embedding_ = partition.embedding
        self.eigenvalues_ = partition.eigenvalues
        self.n_components_ = partition.n_components
        self.neighbor_recall_ = lists.recall
        distinct = fewer_distinct_rows(X, lists, n_clusters)
        if distinct is not None:
            self.labels_ = distinct
        self.n_clusters_ = int(self.labels_.max()) + 1
        if distinct is not None:
            warn_of_few(self.n_clusters_, n_clusters)


@estimator
class GraphFrontMixin(LazyFrontMixin, FrontSearchMixin, SpectralMixin):
    """A clusterer whose front is of graphs, each of which is clustered when it is asked for.

    Parameters
    ----------
    must_link_edges : {False, True, "clique", "star"}
        Whether labels also join samples of one class, with the largest similarity, in every graph that is
        clustered: every pair, or a star through the medoid of the class; True takes the clique up to a
        million pairs. Explicit must-link pairs always act. Otherwise labels and cannot-links only keep
        samples from being linked to each other.

    Attributes
    ----------
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Spectral partition of each member's own graph; computed when first asked for.
    graphs_ : object
        Graphs of the members; ``graphs_.labels(row)`` is the partition of one.
    """

    _: KW_ONLY
    must_link_edges: bool | Literal["clique", "star"] = False

    def _find_pareto_labels(self) -> NDArray[np.int32]:
        graphs: MemberGraphs = self.graphs_  # type: ignore[attr-defined]
        return np.stack([graphs.labels(row) for row in range(len(self.pareto_front_))])

    def _joins(self, must_link: ArrayLike | None) -> bool:
        """Whether samples that belong together are linked."""
        return bool(self.must_link_edges) or (must_link is not None and np.size(must_link) > 0)


def equal_together(
    partition: SpectralPartition, X: NDArray[Any], lists: NeighborLists, groups: ConstraintGroups
) -> SpectralPartition:
    """The partition with equal rows in one cluster, unless constraints are about them.

    Rows with more copies than neighbours may be in several components of a graph.
    """
    if lists.distances.shape[1] and (lists.distances[:, 0] > 0).all():
        return partition
    labels = united(partition.labels, equal_rows(X), np.flatnonzero(groups.groups >= 0))
    return replace(partition, labels=number_clusters(labels)[0])


def fewer_distinct_rows(
    X: NDArray[np.floating[Any]], lists: NeighborLists, n_clusters: int
) -> NDArray[np.int32] | None:
    """Distinct rows as clusters, by first appearance, if there are fewer than ``n_clusters``; or None.

    O(N) unless nearly every sample has a duplicate, then a sort of the rows.
    """
    # With fewer than K distinct rows fewer than K samples are without duplicate.
    if np.count_nonzero(lists.distances[:, 0] > 0) >= n_clusters:
        return None
    rows = np.unique(X, axis=0, return_inverse=True)[1]
    return None if rows.max() + 1 >= n_clusters else number_clusters(rows)[0]


def row_keys(X: Any) -> Iterator[bytes]:
    """Bytes of the rows of a table, or of a sparse matrix in canonical form, equal for equal rows."""
    if not issparse(X):
        # Adding zero turns -0.0 into 0.0, which has other bytes.
        yield from (np.ascontiguousarray(row + 0).tobytes() for row in X)
        return
    rows = csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for low, high in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        yield rows.indices[low:high].tobytes() + rows.data[low:high].tobytes()


def cluster_orders(labels: Labels, n_clusters: int) -> NDArray[np.intp]:
    """Former numbers of clusters, shape (n_partitions, n_clusters), in the order of their first samples.

    Clusters without samples follow in their former order.
    """
    ranks = np.full((len(labels), n_clusters), n_clusters, dtype=np.int32)
    np.put_along_axis(ranks, labels, relabel_by_first_appearance(labels), axis=1)
    return ranks.argsort(axis=1, kind="stable")


def equal_rows(X: Any) -> NDArray[np.intp]:
    """Number of the distinct row that each row is, in the order of first appearance; O(n_values) time."""
    return equal_items(row_keys(X))


def equal_items(keys: Iterable[bytes]) -> NDArray[np.intp]:
    """Number of the distinct key that each key is, in the order of first appearance."""
    number: dict[bytes, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.intp)


def count_distinct_rows(X: Any, limit: int) -> int:
    """Number of distinct rows, or ``limit`` once there are so many; it looks at no further rows."""
    return count_distinct(row_keys(X), limit)


def count_distinct(keys: Iterable[bytes], limit: int) -> int:
    """Number of distinct keys, or ``limit`` once there are so many; it looks at no further keys."""
    seen: set[bytes] = set()
    for key in keys:
        seen.add(key)
        if len(seen) == limit:
            break
    return len(seen)


def united(
    labels: NDArray[Any], equal: NDArray[Any], fixed: NDArray[np.integer[Any]] | None = None
) -> NDArray[np.int32]:
    """Partitions with all samples of one number in ``equal`` in the cluster of most of them.

    Ties: the lowest label. Samples of ``fixed`` stay where they are, and clusters may lose all samples.
    O(n_partitions n_samples log n_samples) time unless all numbers differ.
    """
    out = np.array(labels, dtype=np.int32)
    n_distinct = int(equal.max()) + 1
    if n_distinct == len(equal):
        return out
    for row in np.atleast_2d(out):
        width = int(row.max()) + 1
        pairs, counts = np.unique(equal * width + row, return_counts=True)
        number, label = np.divmod(pairs, width)
        order = np.lexsort((label, -counts, number))
        # The first entry of a number is its commonest, then lowest label.
        common = label[order][np.unique(number[order], return_index=True)[1]]
        kept = row[fixed] if fixed is not None else None
        row[:] = common[equal]
        if kept is not None:
            row[fixed] = kept
    return out


def warn_of_few(n_found: int, wanted: int | str, why: str = "") -> None:
    """Warn of fewer clusters than were asked for, which are those with samples."""
    why = why or "X has fewer distinct rows than clusters"
    wanted = wanted if isinstance(wanted, str) else f"n_clusters={wanted}"
    warn_caller(f"only {n_found} of {wanted} clusters {'has' if n_found == 1 else 'have'} samples: {why}.")


def warn_if_all_labelled(labelled: NDArray[np.bool_]) -> None:
    """Warn where no sample is without a label: scores by such labels say how well ``fit`` follows them."""
    if labelled.all():
        warn_caller(
            "all samples are labelled, and the fit follows the labels: what is scored by the same y, also in "
            "GridSearchCV and cross_val_score, is a supervised method; hide labels by -1, as the example "
            "score_without_a_leak.py does, or leave y out."
        )


class Supervision(NamedTuple):
    """Pairs that follow from partial labels and those given, and what must-links join.

    ``components`` are samples that belong together: two and more, or with a label, in the order of the
    first.
    """

    pairs: PairwiseConstraints
    components: list[NDArray[np.intp]]


def supervision_pairs(
    n_samples: int,
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    conflicts: str = "raise",
) -> Supervision:
    """All pairs among labelled samples together with the given pairs.

    Must-links that imply the opposite of a cannot-link or of labels are an error unless
    ``conflicts="keep"``; so are labels that make more than 10 million pairs.
    """
    given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    labelled = np.zeros(n_samples, dtype=bool)
    if conflicts == "raise":
        supervision_groups(n_samples, y, given.must_link, given.cannot_link)
    if y is not None:
        known = PairwiseConstraints.from_partial_labels(y)
        if known.n_samples != n_samples:
            raise ValueError(f"y must have one value per sample: expected {n_samples}, got {known.n_samples}")
        labelled = np.asarray(y) >= 0
        given = PairwiseConstraints(
            np.concatenate([given.must_link, known.must_link]),
            np.concatenate([given.cannot_link, known.cannot_link]),
            n_samples=n_samples,
        )
    component = given.components()
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    return Supervision(given, [m for m in members if len(m) > 1 or labelled[m[0]]])


def supervision_groups(
    n_samples: int, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
) -> ConstraintGroups:
    """Closure of labels and pairs: which samples belong together, and which groups must not meet.

    Contradictions are an InconsistentConstraintsError.
    """
    pairs = None
    if must_link is not None or cannot_link is not None:
        pairs = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    return constraint_groups(n_samples, y, pairs)


def checkpoint_for(estimator: BaseEstimator, *data: Any) -> Checkpoint | None:
    """Checkpoint of a fit of ``estimator`` on ``data``, or None if none is asked for.

    ``data`` is everything the result depends on besides the parameters.
    """
    if estimator.checkpoint is None:
        if estimator.resume:
            raise ValueError("resume=True needs checkpoint, the file to resume from.")
        return None
    if not isinstance(estimator.random_state, Integral):
        raise ValueError(
            "checkpoint needs an integer random_state, without which a resumed run could not equal an "
            f"uninterrupted one; got random_state={estimator.random_state!r}."
        )
    parameters = {
        name: _plain(value) for name, value in estimator.get_params(deep=False).items() if name not in _FREE
    }
    identity = {
        "method": type(estimator).__name__,
        "parameters": parameters,
        "data": fingerprint(*(None if part is None else np.asarray(part) for part in data)),
    }
    return Checkpoint(
        path=Path(estimator.checkpoint),
        every=estimator.checkpoint_every,
        identity=identity,
        resume=estimator.resume,
    )


def _plain(value: Any) -> Any:
    """Parameters as JSON knows them; arrays by their fingerprint, functions by their name."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    if isinstance(value, np.ndarray) or (
        isinstance(value, tuple | list) and any(isinstance(part, np.ndarray | list | tuple) for part in value)
    ):
        parts = value if isinstance(value, tuple | list) else [value]
        return fingerprint(*(np.asarray(part) for part in parts))
    return value.item() if isinstance(value, np.generic) else value


def history_frame(estimator: Any) -> pd.DataFrame | None:
    """The course of the search, a generation or sweep a row; None without one."""
    history = getattr(estimator, "history_", None)
    if history is None:
        return None
    if isinstance(history, pd.DataFrame):
        return history
    if isinstance(history, np.ndarray):
        return pd.DataFrame({"sweep": np.arange(1, len(history) + 1), "objective": history})
    return history.to_frame(getattr(estimator, "objective_names_", None))


def bag_history(estimator: Any) -> pd.DataFrame | None:
    """The logbook of the search, a generation or an update of centres a row; None without a search."""
    if not hasattr(estimator, "logbook_"):
        recorder = getattr(estimator, "history_", None)
        return None if recorder is None else recorder.to_frame(estimator.objective_names_)
    frame = pd.DataFrame(list(estimator.logbook_)).rename(columns={"gen": "generation", "iter": "generation"})
    seconds = getattr(getattr(estimator, "history_", None), "seconds", ())
    if len(seconds) == len(frame):
        frame.insert(1, "seconds", seconds)
    return frame


def nearest_rows(X: Any, rows: Any, metric: Metric) -> NDArray[np.int32]:
    """Number of the row that is nearest to every row of X; ties: the lowest.

    Cosine distances are rounded, as in the search, so that equal directions tie. O(n_samples n_rows
    n_features) time, in blocks of bounded memory.
    """
    out = np.empty(X.shape[0], dtype=np.int32)
    for part in block_slices(X.shape[0], rows.shape[0]):
        out[part] = row_distances(X[part], rows, metric).argmin(axis=1)
    return out


def row_distances(X: Any, rows: Any, metric: Metric) -> NDArray[np.float64]:
    """Distances of shape (n_samples, n_rows)."""
    name = metric if isinstance(metric, str) else None
    dense = not issparse(X) and not issparse(rows)
    if name in ("euclidean", "sqeuclidean") and dense:
        # Computed from differences; the faster products lose the digits that decide between near rows.
        return np.asarray(cdist(X, rows, name))
    D: NDArray[np.float64]
    if name == "cosine":
        D = unit_rows(X) @ unit_rows(rows).T
        D = 1.0 - (D if isinstance(D, np.ndarray) else D.toarray())
        return np.rint(np.clip(D, 0.0, 2.0) * GRAIN) / GRAIN
    D = np.asarray(pairwise_distances(X, rows, metric=metric), dtype=np.float64)
    return D


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    """Refuse more clusters than samples."""
    if n_clusters > n_samples:
        raise ValueError(f"n_clusters={n_clusters} is more than the number of samples, {n_samples}.")


def feature_scaling(X: NDArray[np.floating[Any]], scale: str) -> Scaling:
    """The function that brings X, and other rows of the same features, to a common scale, as PESC does.

    To [0, 1] by range (``"minmax"``); to mean 0 and population standard deviation 1 (``"standard"``); or not
    at all. Constant features are dropped by the former two; if all are, one column of zeros remains.
    """
    choice("scale", scale, ("minmax", "standard", "none"))
    if scale == "none":
        return np.asarray
    low, high = X.min(axis=0), X.max(axis=0)
    varying = high > low
    # Halves, so that the difference of huge numbers stays finite.
    by_range = partial(_scaled, varying, low[varying] / 2, high[varying] / 2 - low[varying] / 2)
    if scale == "minmax" or not varying.any():
        return by_range
    # Standardising the range first keeps the squares of tiny and huge features within bounds.
    scaled = by_range(X)
    return partial(
        by_range, mean=scaled.mean(axis=0, dtype=np.float64), spread=scaled.std(0, dtype=np.float64)
    )


def _scaled(
    varying: NDArray[np.bool_], low: Any, half: Any, X: Any, mean: Any = None, spread: Any = None
) -> NDArray[np.floating[Any]]:
    """Rows within the range that starts at 2 ``low`` and is 2 ``half`` wide, or standardised."""
    if not varying.any():
        return np.zeros((len(X), 1), dtype=X.dtype)
    scaled: NDArray[np.floating[Any]] = (X[:, varying] / 2 - low) / half
    return scaled if mean is None else ((scaled - mean) / spread).astype(X.dtype)


def settled(result: Result) -> Result:
    """A result of pymoo with ``F`` of shape (n_solutions, n_objectives) in every case.

    pymoo gives a single objective of a single solution as a vector, and nothing where no solution is
    feasible: then the non-dominated ones of the least violation take the place of the front.
    """
    if result.opt is None:
        violation = result.pop.get("CV")[:, 0]
        best = np.flatnonzero(violation == violation.min())
        result.opt = result.pop[best[non_dominated(result.pop[best].get("F"))]]
    result.X, result.F, result.CV, result.G, result.H = result.opt.get("X", "F", "CV", "G", "H")
    return result
