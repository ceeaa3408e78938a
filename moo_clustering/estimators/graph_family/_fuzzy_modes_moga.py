"""MOGA(pi, sep): a front of fuzzy clusterings around modes, merged by vote."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.algorithms import Recorder, drive
from moo_clustering.consensus import cspa
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._choice import Rule, check_rule, choose_member
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.estimators.graph_family._mode_coders import CategoryCoder, NumberCoder
from moo_clustering.estimators.graph_family._mode_columns import read_columns
from moo_clustering.estimators.graph_family._mode_votes import majority_vote
from moo_clustering.estimators.graph_family._modes_search import distinct_front, modes_search
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems._fuzzy_memberships import memberships
from moo_clustering.problems._fuzzy_modes import FuzzyModesProblem
from moo_clustering.problems._mode_spaces import mode_distances

Labels = NDArray[np.int32]
FINALS = ("vote", "cspa")


class FuzzyModesMOGA(ReportMixin, ClusterMixin, BaseEstimator):
    """MOGA(pi, sep): modes whose fuzzy clusters are compact and far apart, and a vote among them.

    For tables of categories (numbers, strings, columns of a data frame), or of numbers with
    ``metric="euclidean"``.

    The formulas are read from the article's abstract and later descriptions, so details are
    reconstructions.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to n_samples. Partitions may use fewer.
    metric : {"hamming", "euclidean"}, default="hamming"
        Number of attributes that differ, or Euclidean distance. With ``"hamming"`` every value of a column
        is a category, except in columns of floats that have more than ``bins`` different values, or more
        than 20 if all are whole numbers: those are binned. Numbers are better clustered as such.
    m : float, default=2
        Above 1; memberships get crisp towards 1.
    beta : float, default=0.5
        Samples with at least this share of votes for one cluster train a classifier by the 5 nearest
        neighbours, which decides about the others. With two clusters all have a half.
    final : {"vote", "cspa"}, default="vote"
        How the front becomes one partition: majority vote and classifier, or
        :func:`~moo_clustering.consensus.cspa` with ``partitioner="svd"``.
    reference : {"first", "medoid"}, default="first"
        Partition to which the clusters of the others are matched for the vote: that of least pi, or the
        one most similar to the others.
    bins : int or None, default=5
        Intervals of equal frequency for floats with ``metric="hamming"``. None refuses fractions and takes
        whole numbers as categories however many there are.
    scale : {"minmax", "zscore", "none"}, default="minmax"
        Of the columns, with ``metric="euclidean"``.
    pop_size : int, default=100
    n_gen : int, default=100
        Generations after the initial population.
    pc, pm : float, default=0.8 and 0.2
        Probabilities that a pair is crossed, at one point, and that an attribute of an individual is set
        at random.
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
        Label c is the cluster of ``modes_[c]``.
    n_clusters_ : int
    modes_ : ndarray of shape (n_clusters_, n_features)
        Most frequent values, or means, of the clusters of a vote or consensus; or those that were
        searched, of a single solution. As in X; intervals for binned columns.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The same, with ``metric="euclidean"``.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Degrees in the clusters around ``modes_``; rows sum to 1.
    chosen_ : int or None
        Row of the front whose partition this is; None for a vote or consensus.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        pi (less is better) and sep (more is better) of the different non-dominated solutions, by pi.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Nearest modes; those without a sample are left out.
    pareto_modes_ : ndarray of shape (n_solutions, n_clusters, n_features)
        As in X.
    objective_names_ : tuple of str
    result_ : pymoo.core.result.Result
    history_ : Recorder
    n_iter_ : int
        Generations done.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(n_gen pop_size K n_samples C) time, C being all categories or the features, and memory as
    :class:`~moo_clustering.problems.FuzzyModesProblem` says; nothing is quadratic in n_samples. The front
    of categories often shrinks to a single solution: sep is greatest where the modes differ in everything,
    and pi then decides alone. That of numbers is little better than the first population, whose evaluation
    already moves the modes into their clusters.

    References
    ----------
    A. Mukhopadhyay, U. Maulik, S. Bandyopadhyay, "Multiobjective genetic algorithm-based fuzzy clustering
    of categorical attributes", IEEE Transactions on Evolutionary Computation 13 (2009).

    Examples
    --------
    >>> from moo_clustering.estimators.graph_family._fuzzy_modes_moga import FuzzyModesMOGA
    >>> X = [["red", "round"], ["red", "oval"], ["red", "round"], ["blue", "flat"], ["blue", "flat"]]
    >>> model = FuzzyModesMOGA(2, n_gen=5, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.modes_.tolist()
    [['red', 'round'], ['blue', 'flat']]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions({"hamming", "euclidean"})],
        "m": [Interval(Real, 1, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "final": [StrOptions(set(FINALS))],
        "reference": [StrOptions({"first", "medoid"})],
        "bins": [Interval(Integral, 2, None, closed="left"), None],
        "scale": [StrOptions({"minmax", "zscore", "none"})],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "pm": [Interval(Real, 0, 1, closed="both")],
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
        metric: Literal["hamming", "euclidean"] = "hamming",
        m: float = 2.0,
        beta: float = 0.5,
        final: Literal["vote", "cspa"] = "vote",
        reference: Literal["first", "medoid"] = "first",
        bins: int | None = 5,
        scale: Literal["minmax", "zscore", "none"] = "minmax",
        pop_size: int = 100,
        n_gen: int = 100,
        pc: float = 0.8,
        pm: float = 0.2,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.m = m
        self.beta = beta
        self.final = final
        self.reference = reference
        self.bins = bins
        self.scale = scale
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.pm = pm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Without missing values.
        y : Ignored

        Raises
        ------
        ValueError, TypeError
            Parameters or data out of range; columns without numbers with ``metric="euclidean"``, or with
            fractions where ``bins=None``, by name.
        """
        columns = read_columns(self, X, reset=True)
        n_samples = len(columns[0].values)
        if self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than n_samples={n_samples}.")
        self._coder: CategoryCoder | NumberCoder
        if self.metric == "hamming":
            self._coder = CategoryCoder(columns, self.bins)
        else:
            self._coder = NumberCoder(columns, self.scale)
        data = self._coder.encode(columns)
        checkpoint = self._checkpoint(data)
        search_seed, final_seed = spawn_seeds(self.random_state, 2)
        self._problem = FuzzyModesProblem(
            data, self.n_clusters, metric=self.metric, m=self.m, n_jobs=self.n_jobs
        )
        self._search(int(search_seed.generate_state(1)[0]), checkpoint)
        self._final_seed = int(final_seed.generate_state(1)[0])
        return self.choose(self.final)

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self, "pareto_front_")
        return (*FINALS, "knee", *self.objective_names_)

    def choose(self, rule: Rule) -> Self:
        """Take another partition from the front, without searching again.

        Parameters
        ----------
        rule : {"vote", "cspa", "knee", "pi", "sep"}, int or callable
            As for ``final``; or a single solution: the knee, the best in an objective, a row of
            ``pareto_front_`` or ``rule(pareto_front_) -> row``.

        Returns
        -------
        self
            With ``labels_``, ``n_clusters_``, ``modes_``, ``memberships_`` and ``chosen_`` replaced.

        Raises
        ------
        ValueError
            Unknown rule, or a row number outside the front.
        """
        check_rule(rule, self.rules_)
        if isinstance(rule, str) and rule in FINALS:
            self.chosen_: int | None = None
            self.labels_: Labels = self._vote() if rule == "vote" else self._consensus()
            self._modes = self._problem.modes_of(self.labels_)
        else:
            self.chosen_ = choose_member(self.pareto_front_, self.objective_names_, (False, True), rule)
            self.labels_ = self.pareto_labels_[self.chosen_].copy()
            self._modes = self._pareto_modes[self.chosen_][self._used[self.chosen_]]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self._describe()
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have samples; there may "
                "be too few different rows.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> Labels:
        """Cluster of the nearest of ``modes_``; ties: the first.

        A category that was not there in ``fit`` differs from all others. After a vote or consensus samples
        of the fit may be nearest to the mode of another cluster than theirs.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self, "pareto_front_")
        rows = self._coder.encode(read_columns(self, X, reset=False))
        return mode_distances(rows, self._modes, self.metric).argmin(axis=0).astype(np.int32)

    @property
    def pareto_modes_(self) -> NDArray[Any]:
        """Modes of every non-dominated solution."""
        check_is_fitted(self, "pareto_front_")
        return self._coder.decode(self._pareto_modes)

    def _search(self, seed: int, checkpoint: Checkpoint | None) -> None:
        problem = self._problem
        signs = problem.natural(np.ones(2))
        search = modes_search(problem, pop_size=self.pop_size, pc=self.pc, pm=self.pm, seed=seed)
        self.history_ = Recorder(signs)
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description="FuzzyModesMOGA",
            objective_names=problem.objective_names,
            signs=signs,
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        self.result_: Result = search.result()
        genes, F = distinct_front(problem, self.result_.pop)
        nearest = problem.nearest(genes)
        self._used = np.stack([np.bincount(row, minlength=self.n_clusters) > 0 for row in nearest])
        numbers = (np.cumsum(self._used, axis=1) - 1).astype(np.int32)
        self.pareto_labels_: Labels = np.take_along_axis(numbers, nearest, axis=1)
        self.pareto_front_ = problem.natural(F)
        self.objective_names_ = problem.objective_names
        self._pareto_modes = problem.modes(genes)

    def _checkpoint(self, data: NDArray[Any]) -> Checkpoint | None:
        # How a partition is taken from the front is no part of the search, and may change on resuming.
        same = clone(self).set_params(final="vote", beta=0.5, reference="first")
        return checkpoint_for(same, data)

    def _vote(self) -> Labels:
        return majority_vote(
            self.pareto_labels_,
            self._problem.space.data,
            metric=self.metric,
            beta=self.beta,
            reference=self.reference,
            n_jobs=self.n_jobs,
        )

    def _consensus(self) -> Labels:
        found = int((self.pareto_labels_.max(axis=1) + 1).sum())
        return cspa(
            self.pareto_labels_,
            min(self.n_clusters, found),
            partitioner="svd",
            random_state=self._final_seed,
        )

    def _describe(self) -> None:
        distances = mode_distances(self._problem.space.data, self._modes, self.metric)
        self.memberships_ = np.ascontiguousarray(memberships(distances, float(self.m)).T)
        self.modes_ = self._coder.decode(self._modes)
        self.__dict__.pop("cluster_centers_", None)
        if self.metric == "euclidean":
            self.cluster_centers_ = self.modes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = self.metric == "hamming"
        return tags
