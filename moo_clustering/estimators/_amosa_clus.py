"""Semi-supervised multi-objective clustering around medoids by simulated annealing."""

from __future__ import annotations

from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.core.result import Result
from scipy.sparse import issparse
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering._random import SeedLike
from moo_clustering.algorithms import AMOSA, PymooSearch, Recorder, exhaustive_front
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._amosa_clus_moves import perturb_centers, perturb_medoids
from moo_clustering.estimators._center_problem import CenterProblem, CenterSampling
from moo_clustering.estimators._medoid_base import MedoidSetClusterer
from moo_clustering.estimators._medoid_choice import Rule
from moo_clustering.estimators._settled_result import settled
from moo_clustering.operators import CanonicalDuplicates, MedoidSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MedoidProblem

# Up to so many samples there are few medoid sets, and the small limits do.
_FEW = 20


class Limits(NamedTuple):
    """Sizes of an annealing run that depend on the number of samples."""

    soft_limit: int
    hard_limit: int
    n_moves: int


class AMOSAClus(MedoidSetClusterer):
    """AMOSA-clus: archived simulated annealing over sets of medoids, by Xie-Beni and I-index.

    The number of clusters is found along with them; partial labels or pairs can guide the search. The
    baseline of :class:`NSGA2Clus`, whose front, rules and attributes it shares.

    Parameters
    ----------
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Largest number of clusters, as for :class:`NSGA2Clus`.
    metric : str or callable, default="cosine"
        As for :class:`NSGA2Clus`; with ``encoding="centre"`` "cosine" or "euclidean".
    encoding : {"medoid", "centre"}, default="medoid"
        Whether clusters stand around samples, or around points that noise moves (dense data only).
    supervision : {"objective", "external", "constraint", "assignment", "none"}, default="objective"
        As for :class:`NSGA2Clus`; ``"assignment"`` not with centres.
    post_repair : bool, default=True
        As for :class:`NSGA2Clus`.
    select : str, int or callable, default="balanced"
        As for :class:`NSGA2Clus`.
    decode : {"reassign", "literal"}, default="reassign"
        As for :class:`NSGA2Clus`; without effect on centres.
    n_local : int, default=1
        As for :class:`NSGA2Clus`; without effect on centres.
    soft_limit, hard_limit : int, optional
        Largest archive, and what it is thinned to; default 200 and 100, below 20 samples 20 and 10.
    gamma : float, default=2
        The archive starts from ``gamma * soft_limit`` random solutions.
    n_climb : int, default=20
        Steps of hill climbing on each of them.
    t_max, t_min : float, default=100, 1e-5
        First temperature, and what all are above.
    cooling : float, default=0.8
    n_moves : int, optional
        Perturbations at each temperature; default 100, below 20 samples 20.
    acceptance : {"physical", "literal"}, default="physical"
        See :class:`~moo_clustering.algorithms.AMOSA`.
    noise : float, default=1
        Scale of the noise on a centre, in standard deviations of each feature.
    form : {"auto", "matrix", "vector"}, default="auto"
        As for :class:`NSGA2Clus`; without effect on centres.
    max_memory : int, default=4 GiB
        Bytes the distance matrix may take.
    conflicts : {"raise", "keep"}, default="raise"
        Whether constraints that contradict each other are an error.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool, default=False
        Progress bar with rate, time left and best values.
    checkpoint : path, optional
        File to which the state of the search is written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Temperatures between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption.

    Attributes
    ----------
    labels_, n_clusters_, chosen_, pareto_front_, objective_names_, pareto_labels_, constraint_scores_
        As of :class:`NSGA2Clus`.
    medoid_indices_, pareto_medoids_
        As of :class:`NSGA2Clus`; with centres the members nearest to them.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Only with ``encoding="centre"``.
    pareto_centers_ : ndarray of shape (n_solutions, k_max, n_features)
        Only with ``encoding="centre"``; padded with NaN.
    result_ : pymoo.core.result.Result
        ``result_.F`` holds the front, minimised; of the least violation if no solution satisfies all.
    history_ : Recorder
        Of the archive at every temperature.
    n_iter_ : int
        Temperatures done.
    interrupted_ : bool
    n_features_in_, feature_names_in_

    Notes
    -----
    By default 8400 evaluations at once and 7300 one by one, at the cost given for :class:`NSGA2Clus`;
    that of centres is O(n_samples k n_features).

    References
    ----------
    NSGA-II-clus; S. Bandyopadhyay, S. Saha, U. Maulik, K. Deb, "A simulated annealing-based
    multiobjective optimization algorithm: AMOSA", IEEE Transactions on Evolutionary Computation 12
    (2008).

    Examples
    --------
    >>> from moo_clustering import AMOSAClus
    >>> model = AMOSAClus(metric="euclidean", k_max=3, random_state=0)
    >>> model.fit([[0], [1], [2], [10], [11], [13]]).pareto_medoids_
    array([[ 1,  4, -1],
           [ 1,  5,  3]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MedoidSetClusterer._parameter_constraints,
        "encoding": [StrOptions({"medoid", "centre"})],
        "supervision": [StrOptions({"objective", "external", "constraint", "assignment", "none"})],
        "decode": [StrOptions({"reassign", "literal"})],
        "n_local": [Interval(Integral, 1, None, closed="left")],
        "soft_limit": [Interval(Integral, 2, None, closed="left"), None],
        "hard_limit": [Interval(Integral, 1, None, closed="left"), None],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_climb": [Interval(Integral, 0, None, closed="left")],
        "t_max": [Interval(Real, 0, None, closed="neither")],
        "t_min": [Interval(Real, 0, None, closed="neither")],
        "cooling": [Interval(Real, 0, 1, closed="neither")],
        "n_moves": [Interval(Integral, 1, None, closed="left"), None],
        "acceptance": [StrOptions({"physical", "literal"})],
        "noise": [Interval(Real, 0, None, closed="neither")],
        "form": [StrOptions({"auto", "matrix", "vector"})],
    }

    def __init__(
        self,
        *,
        k_max: int | str = "sqrt",
        metric: Metric = "cosine",
        encoding: Literal["medoid", "centre"] = "medoid",
        supervision: Literal["objective", "external", "constraint", "assignment", "none"] = "objective",
        post_repair: bool = True,
        select: Rule = "balanced",
        decode: Literal["reassign", "literal"] = "reassign",
        n_local: int = 1,
        soft_limit: int | None = None,
        hard_limit: int | None = None,
        gamma: float = 2,
        n_climb: int = 20,
        t_max: float = 100.0,
        t_min: float = 1e-5,
        cooling: float = 0.8,
        n_moves: int | None = None,
        acceptance: Literal["physical", "literal"] = "physical",
        noise: float = 1.0,
        form: Literal["auto", "matrix", "vector"] = "auto",
        max_memory: int = MAX_MEMORY,
        conflicts: Literal["raise", "keep"] = "raise",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.k_max = k_max
        self.metric = metric
        self.encoding = encoding
        self.supervision = supervision
        self.post_repair = post_repair
        self.select = select
        self.decode = decode
        self.n_local = n_local
        self.soft_limit = soft_limit
        self.hard_limit = hard_limit
        self.gamma = gamma
        self.n_climb = n_climb
        self.t_max = t_max
        self.t_min = t_min
        self.cooling = cooling
        self.n_moves = n_moves
        self.acceptance = acceptance
        self.noise = noise
        self.form = form
        self.max_memory = max_memory
        self.conflicts = conflicts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def _problem(
        self, X: Any, constraints: PairwiseConstraints | None, supervision: str
    ) -> MedoidProblem | CenterProblem:
        if self.encoding == "medoid":
            return super()._problem(X, constraints, supervision)
        if not isinstance(self.metric, str) or self.metric not in ("euclidean", "cosine"):
            raise ValueError(
                f"encoding='centre' needs metric to be 'euclidean' or 'cosine', got {self.metric!r}."
            )
        if issparse(X):
            raise TypeError("encoding='centre' needs dense data, got a sparse matrix; use 'medoid'.")
        if self.supervision == "assignment":
            raise ValueError("supervision='assignment' needs encoding='medoid', got 'centre'.")
        return CenterProblem(
            X,
            k_max=self.k_max,
            metric=self.metric,
            constraints=constraints,
            supervision=supervision,
            noise=self.noise,
        )

    def _run(
        self, problem: MedoidProblem | CenterProblem, seed: int, checkpoint: Checkpoint | None
    ) -> Population:
        if problem.n_samples <= 2:
            self.history_, self.n_iter_, self.interrupted_ = Recorder(), 0, False
            self.result_ = _every_sample(problem)
            self.history_.record(0, self.result_.pop.get("F"))
            return self.result_.pop
        centered = isinstance(problem, CenterProblem)
        limits = self._limits(problem.n_samples)
        algorithm = AMOSA(
            **limits._asdict(),
            gamma=self.gamma,
            n_climb=self.n_climb,
            t_max=self.t_max,
            t_min=self.t_min,
            cooling=self.cooling,
            acceptance=self.acceptance,
            sampling=CenterSampling() if centered else MedoidSampling(),
            perturb=perturb_centers if centered else perturb_medoids,
            eliminate_duplicates=CanonicalDuplicates(None if centered else problem.encoding),
        )
        search = PymooSearch(problem, algorithm, seed=seed)
        self._drive(search, problem, algorithm.n_temperatures, checkpoint)
        self.result_ = settled(search.result())
        # It holds functions, which a pickled estimator cannot.
        self.result_.algorithm = None
        return self.result_.pop

    def _limits(self, n_samples: int) -> Limits:
        """Given limits, and the usual ones in place of those that are not."""
        usual = Limits(20, 10, 20) if n_samples < _FEW else Limits(200, 100, 100)
        given = (self.soft_limit, self.hard_limit, self.n_moves)
        return Limits(
            *(own if value is None else int(value) for value, own in zip(given, usual, strict=True))
        )

    def _keys(self, problem: Any, genes: NDArray[Any], labels: NDArray[np.int32]) -> NDArray[Any]:
        # Sets of centres are hardly ever equal; with equal objectives the partition decides.
        if isinstance(problem, CenterProblem):
            return labels
        return super()._keys(problem, genes, labels)

    def _keep_representatives(self, problem: Any, front: Population, X: Any, repaired: bool) -> None:
        for name in ("cluster_centers_", "pareto_centers_"):
            self.__dict__.pop(name, None)
        if not isinstance(problem, CenterProblem):
            super()._keep_representatives(problem, front, X, repaired)
            return
        self.pareto_centers_ = problem.centers(front.get("X"))
        self._final_centers = self.pareto_centers_
        self.pareto_medoids_ = _nearest(problem, self.pareto_centers_, self.pareto_labels_)
        self._final_medoids = self.pareto_medoids_
        if repaired:
            self._final_labels, self._final_centers = problem.constrained(front.get("X"))
            self._final_medoids = _nearest(problem, self._final_centers, self._final_labels)

    def _repaired_labels(self, problem: Any, front: Population) -> NDArray[np.int32]:
        if isinstance(problem, CenterProblem):
            return self.pareto_labels_  # replaced together with the centres
        return super()._repaired_labels(problem, front)

    def _set_representatives(self) -> None:
        if self.encoding == "medoid":
            super()._set_representatives()
            return
        self.cluster_centers_ = self._final_centers[self.chosen_, : self.n_clusters_].copy()
        self.medoid_indices_ = self._final_medoids[self.chosen_, : self.n_clusters_].copy()
        self._representatives = self.cluster_centers_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and self.encoding == "medoid"
        return tags


def _nearest(problem: CenterProblem, centers: NDArray[np.float64], labels: NDArray[np.int32]) -> Any:
    """Members nearest to the centres of every solution, padded with -1."""
    out = np.full(centers.shape[:2], -1, dtype=np.int64)
    for row, own, partition in zip(out, centers, labels, strict=True):
        k = int(partition.max()) + 1
        row[:k] = problem.nearest_members(own[:k], partition)
    return out


def _every_sample(problem: MedoidProblem | CenterProblem) -> Result:
    """One or two samples: each is a cluster."""
    if isinstance(problem, MedoidProblem):
        return exhaustive_front(problem)
    out = problem.evaluate(
        problem.features.reshape(1, -1), return_values_of=["F", "G", "H"], return_as_dictionary=True
    )
    result = Result()
    result.problem, result.success = problem, True
    result.pop = Population.new(**out)
    result.pop.apply(lambda individual: individual.evaluated.update(out))
    result.opt, result.X, result.F = result.pop, out["X"], out["F"]
    return result
