"""MemeticKMeans: evolution of k-means optima, with its controls."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
    clone,
)
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.algorithms._interrupt import InterruptGuard
from moo_clustering.algorithms._warnings import InterruptedSearchWarning
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._number_clusters import check_n_clusters, number_clusters
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.estimators.memetic._budget import Budget
from moo_clustering.estimators.memetic._center_search import CenterSearch, Multistart
from moo_clustering.estimators.memetic._engines import ENGINES, MUTATION
from moo_clustering.estimators.memetic._memetic_search import MemeticSearch
from moo_clustering.estimators.memetic._run import run_search
from moo_clustering.estimators.memetic._swap_search import SwapSearch
from moo_clustering.estimators.memetic._ward import WARD_SAMPLES, check_ward_memory
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems._center_encoding import FloatArray, nearest_centers, shifted
from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem

STRATEGIES = ("memetic", "swap", "multistart", "ward")
CONTROLS = ("multistart", "swap", "ward")


class MemeticKMeans(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """k-means whose sum of squares is minimised well, by evolution or by simpler means.

    Finds lower k-means objectives than restarts for 50 and more clusters; so does relocating single
    centres (``strategy="swap"``); neither reliably brings the clusters nearer to known classes. For 20 or
    fewer clusters restarts are as good.

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples.
    strategy : {"memetic", "swap", "multistart", "ward"}, default="memetic"
        Every solution is a local optimum of Lloyd's iterations.

        - ``"memetic"``: a population; parents by tournaments, centres of both matched and exchanged, one
          centre relocated, local search, survival of distinct optima;
        - ``"swap"``: one solution; a centre moves to a sample, and the outcome stays if it is better;
        - ``"multistart"``: restarts from greedy k-means++;
        - ``"ward"``: ``"swap"`` from the cut of Ward's hierarchy. Best where the data consist of many
          compact clusters.
    pop_min, pop_max : int, default=10, 20
        Starts and survivors, and the size at which a population is cut back.
    mutation : {"always", "half", "never"}, default="always"
        Which children are mutated.
    ward_start : bool, default=True
        Whether the Ward cut is among the first starts of ``"memetic"``; with more than 8000 samples it
        never is.
    removal : {"uniform", "cheap"}, default="uniform"
        The centre that is relocated: any, or of three random ones that whose loss costs least. With
        ``"cheap"`` samples to relocate it to are drawn by their squared distances.
    max_distance_evaluations : int, optional
        Distances between two points that may be taken, those of seeding included. Looked at between
        local searches, of which there is at least one. Default without ``max_time``: 2000 n_samples
        n_clusters, at most 5e8, which takes seconds.
    max_time : float, optional
        Seconds of wall time. What is found then depends on the machine.
    max_stall : int, default=500
        Children without a better best, after which the population is made anew.
    report_controls : bool, default=False
        Whether each of ``"multistart"``, ``"swap"`` and ``"ward"`` (up to 8000 samples) other than
        ``strategy`` is given the same budget as well.
    engine : {"pymoo", "deap"}, default="pymoo"
        Library whose individuals and operators are used by ``"memetic"``.
    max_memory : int, default=4 GiB
        Bytes for the distances of all pairs of samples that a Ward cut needs, where there is one.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads for the search and its controls; results do not depend on it unless ``max_time`` is given.
    verbose : bool, default=False
        Show a progress bar.
    checkpoint : path, optional
        File to save the search in; needs an integer ``random_state``.
    checkpoint_every : int, default=100
        Local searches between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption. The budget
        may be larger than before.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    inertia_ : float
        Sum of the squared distances of samples to their centres.
    n_clusters_ : int
        ``n_clusters``, or fewer where fewer samples are distinct.
    history_ : DataFrame
        ``generation`` (local searches so far), ``distance_evaluations`` and ``inertia`` at every
        improvement, and at the end.
    control_inertia_ : dict of str to float
        Sums of squares of the controls; empty without ``report_controls``.
    n_local_searches_ : int
    n_iter_ : int
        The same.
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    n_features_in_, feature_names_in_

    Notes
    -----
    Data are taken as they are; standardise features of unlike units first. A local search takes
    O(n_samples n_clusters n_features) time for the first of its passes and less for the others, the Ward
    cut O(n_samples^2 n_features) time and 4 n_samples^2 bytes; it counts as 1.5 n_samples^2 distances but
    takes longer than so many: compare strategies by ``max_time`` where that matters. Other memory is
    O(n_samples n_features + pop_max n_clusters n_features), and up to 64 MiB for recent partitions.

    Equal seeds and ``max_distance_evaluations`` give the same result to the last bit on one machine, and
    more evaluations none that is worse. Ctrl-C ends the search with the best so far.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019); P. Fränti, "Efficiency of random swap clustering", Journal
    of Big Data 5 (2018); G. Hamerly, "Making k-means even faster", SDM (2010).

    Examples
    --------
    >>> from moo_clustering.estimators.memetic import MemeticKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> model = MemeticKMeans(2, random_state=0).fit(X)
    >>> model.labels_, model.inertia_
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 4.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "strategy": [StrOptions(set(STRATEGIES))],
        "pop_min": [Interval(Integral, 1, None, closed="left")],
        "pop_max": [Interval(Integral, 1, None, closed="left")],
        "mutation": [StrOptions(set(MUTATION))],
        "ward_start": ["boolean"],
        "removal": [StrOptions({"uniform", "cheap"})],
        "max_distance_evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "max_stall": [Interval(Integral, 1, None, closed="left")],
        "report_controls": ["boolean"],
        "engine": [StrOptions(set(ENGINES))],
        "max_memory": [Interval(Integral, 1, None, closed="left")],
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
        strategy: Literal["memetic", "swap", "multistart", "ward"] = "memetic",
        pop_min: int = 10,
        pop_max: int = 20,
        mutation: Literal["always", "half", "never"] = "always",
        ward_start: bool = True,
        removal: Literal["uniform", "cheap"] = "uniform",
        max_distance_evaluations: int | None = None,
        max_time: float | None = None,
        max_stall: int = 500,
        report_controls: bool = False,
        engine: Literal["pymoo", "deap"] = "pymoo",
        max_memory: int = 2**32,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 100,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.strategy = strategy
        self.pop_min = pop_min
        self.pop_max = pop_max
        self.mutation = mutation
        self.ward_start = ward_start
        self.removal = removal
        self.max_distance_evaluations = max_distance_evaluations
        self.max_time = max_time
        self.max_stall = max_stall
        self.report_controls = report_controls
        self.engine = engine
        self.max_memory = max_memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            Parameters or data out of range, or Ward distances beyond ``max_memory``.

        Warns
        -----
        UserWarning
            Where fewer than ``n_clusters`` samples are distinct.
        InterruptedSearchWarning
            After Ctrl-C.
        """
        X = validate_data(self, X, dtype=np.float64)
        check_n_clusters(self.n_clusters, len(X))
        if self.pop_max < self.pop_min:
            raise ValueError(f"pop_max={self.pop_max} must be at least pop_min={self.pop_min}.")
        if self._cuts(len(X)):
            check_ward_memory(len(X), self.max_memory)
        checkpoint = self._checkpoint(X)
        problem = SumOfSquaresProblem(X, self.n_clusters)
        names = [self.strategy, *(self._controls(len(X)) if self.report_controls else ())]
        seeds = dict(zip(STRATEGIES, spawn_seeds(self.random_state, len(STRATEGIES)), strict=True))

        def run(name: str, guard: InterruptGuard) -> CenterSearch:
            search = self._search(name, problem.fresh(), np.random.default_rng(seeds[name]))
            first = name == self.strategy
            return run_search(
                search,
                guard,
                checkpoint=checkpoint if first else None,
                verbose=bool(self.verbose),
                description=name if first else f"control {name}",
            )

        with InterruptGuard() as guard:
            # The kernels release the interpreter lock, and threads share the data. Ctrl-C and the
            # checkpoint belong to this process, whatever the backend.
            parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
            runs = parallel(delayed(run)(name, guard) for name in names)
        self._set(runs[0], problem)
        self.control_inertia_ = {
            name: control.best.objective for name, control in zip(names[1:], runs[1:], strict=True)
        }
        self.interrupted_ = guard.requested
        self._warn()
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Nearest centre; of equally near ones that to which samples of ``fit`` went.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        nearest = nearest_centers(shifted(X, self._offsets), self._centers[self._numbers])[0]
        return self._numbers[nearest].astype(np.int32)

    def transform(self, X: Any) -> FloatArray:
        """Euclidean distances to the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(euclidean_distances(shifted(X, self._offsets), self._centers))

    def _controls(self, n_samples: int) -> list[str]:
        return [
            name
            for name in CONTROLS
            if name != self.strategy and (name != "ward" or n_samples <= WARD_SAMPLES)
        ]

    def _starts_from_ward(self, n_samples: int) -> bool:
        return self.ward_start and n_samples <= WARD_SAMPLES

    def _cuts(self, n_samples: int) -> bool:
        """Whether the search or a control starts from a Ward cut."""
        if self.strategy == "ward" or (self.strategy == "memetic" and self._starts_from_ward(n_samples)):
            return True
        return self.report_controls and "ward" in self._controls(n_samples)

    def _search(self, name: str, problem: SumOfSquaresProblem, rng: np.random.Generator) -> CenterSearch:
        budget = Budget(problem, self.max_distance_evaluations, self.max_time)
        if name == "multistart":
            return Multistart(problem, budget, rng, False)
        if name in ("swap", "ward"):
            return SwapSearch(problem, budget, rng, name == "ward", removal=self.removal)
        return MemeticSearch(
            problem,
            budget,
            rng,
            self._starts_from_ward(problem.n_samples),
            pop_min=self.pop_min,
            pop_max=self.pop_max,
            max_stall=self.max_stall,
            engine=self.engine,
            mutation=self.mutation,
            removal=self.removal,
        )

    def _checkpoint(self, X: FloatArray) -> Checkpoint | None:
        # A longer run continues a shorter one.
        same = clone(self).set_params(
            max_distance_evaluations=None, max_time=None, report_controls=False, max_memory=1
        )
        return checkpoint_for(same, X)

    def _set(self, search: CenterSearch, problem: SumOfSquaresProblem) -> None:
        best = search.best
        self.labels_, order = number_clusters(best.labels)
        self.inertia_ = best.objective
        self._offsets, self._centers = problem.encoding.offsets, best.centers[order]
        # Equally near centres: the first in the order of the search, not of the numbers.
        self._numbers = np.argsort(order)
        self.cluster_centers_ = problem.encoding.in_data(self._centers)
        self.n_clusters_ = self._n_features_out = len(order)
        self.history_ = pd.DataFrame(
            [*search.history, (search.generation, search.problem.n_distances, search.best.objective)],
            columns=["generation", "distance_evaluations", "inertia"],
        )
        self.n_local_searches_ = self.n_iter_ = search.generation

    def _warn(self) -> None:
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have samples; too few "
                "samples are distinct",
                UserWarning,
                stacklevel=4,
            )
        if self.interrupted_:
            warnings.warn(
                f"the search was interrupted after {self.n_local_searches_} local searches; the best so far "
                "is returned",
                InterruptedSearchWarning,
                stacklevel=4,
            )
