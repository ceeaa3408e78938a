"""CHC over local optima, for multi-instance clustering."""

from __future__ import annotations

import math
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._distances import MAX_MEMORY
from moo_clustering._random import SeedLike
from moo_clustering.algorithms import MemeticChcStep
from moo_clustering.algorithms._counted_step import CountedStep
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_instance._bag_distance_matrix import (
    check_distance_memory,
    distance_matrix,
)
from moo_clustering.estimators.multi_instance._bag_search_docs import BAG_SEARCH_DOCS
from moo_clustering.estimators.multi_instance._partition_bags import PROBABILITY, PartitionBagClusterer
from moo_clustering.operators.deap import MixedStarts, PerturbedCopies

_SMALLEST_SHARE = 0.05


@fill_docs(**BAG_SEARCH_DOCS)
class MemeticCHCMIC(PartitionBagClusterer):
    """CHC among local optima, for multi-instance clustering.

    As :class:`CHCMIC`, with cluster numbers aligned before parents are compared and crossed (HUX), every
    child descended by single moves until none helps, no partition twice in the population, and no
    cluster smaller than 5 % of the bags.

    Parameters
    ----------
    n_clusters : int, default=2
    optima : float, default=0.5
        Share of the initial population that is descended to a local optimum, from random partitions,
        steps of k-means and nearest random bags.
    perturbation : float, default=0.35
        Share of the genes that are drawn anew in copies of the best at a restart, before they are descended.
    fresh : float, default=0.5
        Share of the others at a restart that start from random partitions instead.
    max_memory : int, default=4 GiB
        Bytes the distances between bags may take.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of bag means (Eq. 3), or of all instances.
    pop_size, n_gen : int, default=30, 60
        Individuals, and generations after the initial population.
    min_cluster_size : int or "auto", default="auto"
        Bags that every cluster keeps; ``"auto"`` is 5 % of them, at least 2.
    %(search_parameters)s

    Attributes
    ----------
    %(partition_attributes)s
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In the units of the data.
    fitness_ : float
        Davies-Bouldin index of ``labels_`` (Eq. 10), with penalty.
    %(search_attributes)s

    Notes
    -----
    At the default budget this has been at least as good as descents from random starts with as many
    evaluations, save for single seeds that came within 1 %, and better where there are many local optima
    or more than two clusters; for the budget of a few dozen descents random starts alone are as good.

    References
    ----------
    Evolutionary multi-instance clustering, section IV-D (CHCMIC); Eshelman, FOGA 1, 1991.

    Examples
    --------
    >>> from moo_clustering import MemeticCHCMIC
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MemeticCHCMIC(pop_size=10, n_gen=5, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PartitionBagClusterer._parameter_constraints,
        "min_cluster_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "optima": [PROBABILITY],
        "perturbation": [Interval(Real, 0, 1, closed="right")],
        "fresh": [PROBABILITY],
        "max_memory": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        optima: float = 0.5,
        perturbation: float = 0.35,
        fresh: float = 0.5,
        max_memory: float = MAX_MEMORY,
        weighting: Literal["bag", "instance"] = "bag",
        pop_size: int = 30,
        n_gen: int = 60,
        min_cluster_size: int | Literal["auto"] = "auto",
        max_evals: int | None = None,
        constraint_handling: Literal["penalty", "repair"] = "penalty",
        penalty: float = 1.0,
        normalize: bool = True,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.optima = optima
        self.perturbation = perturbation
        self.fresh = fresh
        self.max_memory = max_memory
        self.weighting = weighting
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.min_cluster_size = min_cluster_size
        self.max_evals = max_evals
        self.constraint_handling = constraint_handling
        self.penalty = penalty
        self.normalize = normalize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def _least(self, n_bags: int) -> int:
        if self.min_cluster_size == "auto":
            return min(max(2, math.ceil(_SMALLEST_SHARE * n_bags)), n_bags // self.n_clusters)
        return self.min_cluster_size

    def _check_sizes(self, n_bags: int) -> None:
        if self.min_cluster_size == "auto":
            clone(self).set_params(min_cluster_size=1)._check_sizes(n_bags)
        else:
            super()._check_sizes(n_bags)
        check_distance_memory(type(self).__name__, n_bags, self.max_memory)

    def _operators(self) -> dict[str, Any]:
        return {"crossover": "hux", "align": True, "mutation": "descend"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        objective = self._objective
        distances = distance_matrix(self, objective.geometry.bags)
        toolbox.register("population", MixedStarts(objective, toolbox, rng, distances))
        threshold = max(1, objective.n_bags // 4)
        return MemeticChcStep(
            optima=self.optima,
            mutpb=1.0,
            threshold=threshold,
            n_keep=1,
            threshold_rule="no_acceptance",
            step=max(1, threshold // 10),
            restart=PerturbedCopies(objective, toolbox, share=self.perturbation, fresh=self.fresh),
            restart_threshold=max(1, int(self.perturbation * (1.0 - self.perturbation) * objective.n_bags)),
            max_evals=self.max_evals,
            unique=toolbox.key,
        )
