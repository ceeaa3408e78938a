"""Multi-instance genetic k-means."""

from __future__ import annotations

from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._random import SeedLike
from moo_clustering.algorithms import GkaStep
from moo_clustering.algorithms._counted_step import CountedStep
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_instance._bag_search_docs import BAG_SEARCH_DOCS
from moo_clustering.estimators.multi_instance._partition_bags import PROBABILITIES, PartitionBagClusterer


@fill_docs(**BAG_SEARCH_DOCS)
class MIGKA(PartitionBagClusterer):
    """Multi-instance genetic k-means: least total within-cluster variation.

    Individuals are partitions. Every generation draws parents by roulette, draws genes anew in proportion
    to how good each choice would be, and improves some individuals by a step of k-means; there is no
    crossover.

    Parameters
    ----------
    n_clusters : int, default=2
    p_mut, p_gene : float, default=0.8, 0.7
        Probabilities of mutating an individual, and of drawing each of its genes.
    p_km : float, default=0.2
        Probability of a step of k-means for an individual.
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
        How a new gene is drawn from the objective for each choice: better values are likelier, by their
        distance to the worst; as in Eq. 9; as printed in Eqs. 5 and 6, where worse values are likelier;
        or the best is taken.
    empty : {"farthest", "closest"}, default="farthest"
        Which bag an empty cluster gets in that step: the one farthest from its own centroid, or, as
        printed, the closest.
    elitism : {1, 0}, default=1
        Whether the best so far replaces the worst of a generation that has none as good.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of bag means (Eq. 3), or of all instances.
    pop_size, n_gen : int, default=150, 150
        Individuals, and generations after the initial population.
    min_cluster_size : int, default=1
        Bags that every cluster keeps; new individuals with smaller ones are repaired.
    %(search_parameters)s

    Attributes
    ----------
    %(partition_attributes)s
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In the units of the data.
    fitness_ : float
        Total within-cluster variation of ``labels_`` (Eq. 4), with penalty.
    %(search_attributes)s

    Notes
    -----
    With n instances, N bags, K clusters: a generation takes O(pop_size N (n + K^3)) for the mutation. The
    values of all K choices of a gene are found in one pass over the instances.

    References
    ----------
    Evolutionary multi-instance clustering, section IV-A; Krishna & Murty, IEEE SMC 29(3), 1999.

    Examples
    --------
    >>> from moo_clustering import MIGKA
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIGKA(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PartitionBagClusterer._parameter_constraints,
        **PROBABILITIES,
        "weights": [StrOptions({"contrast", "scaled", "printed", "greedy"})],
        "empty": [StrOptions({"farthest", "closest"})],
        "elitism": [Interval(Integral, 0, 1, closed="both")],
    }

    _objective_name: ClassVar[Any] = "twcv"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        p_mut: float = 0.8,
        p_gene: float = 0.7,
        p_km: float = 0.2,
        weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast",
        empty: Literal["farthest", "closest"] = "farthest",
        elitism: int = 1,
        weighting: Literal["bag", "instance"] = "bag",
        pop_size: int = 150,
        n_gen: int = 150,
        min_cluster_size: int = 1,
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
        self.p_mut = p_mut
        self.p_gene = p_gene
        self.p_km = p_km
        self.weights = weights
        self.empty = empty
        self.elitism = elitism
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

    def _operators(self) -> dict[str, Any]:
        return {"p_gene": self.p_gene, "weights": self.weights, "empty": self.empty}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        return GkaStep(mutpb=self.p_mut, kmpb=self.p_km, elitism=self.elitism, max_evals=self.max_evals)
