"""Multi-instance fast genetic k-means."""

from __future__ import annotations

from numbers import Integral, Real
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
from moo_clustering.operators.deap import SelRouletteLegal, UsesAllClusters


@fill_docs(**BAG_SEARCH_DOCS)
class MIFGKA(PartitionBagClusterer):
    """Multi-instance fast genetic k-means: least variation of bag means.

    As :class:`MIGKA`, with a cheaper objective, partitions with empty clusters allowed on the way, and
    genes drawn all at once by the distance to the centroids.

    Parameters
    ----------
    n_clusters : int, default=2
    p_mut, p_gene : float, default=0.8, 0.7
        Probabilities of mutating an individual, and of drawing each of its genes.
    p_km : float, default=0.2
        Probability of a step of k-means for an individual.
    bias : float, default=0.5
        Added to the weight of every cluster in the mutation (Eq. 9), on the scale of the distances.
    reading : {"between", "printed", "printed_meansq"}, default="between"
        Of the objective (Eq. 7): within-cluster squares of bag means; or two readings of what is printed,
        of which ``"printed_meansq"`` explains published results and has a single bag as its optimum.
    legality : {"ratio", "count"}, default="ratio"
        The share of clusters in use lowers the fitness of a partition with empty ones; or their number,
        as printed, which does not.
    elitism : {1, 0}, default=1
        Whether the best so far replaces the worst of a generation that has none as good.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of bag means (Eq. 3), or of all instances.
    pop_size, n_gen : int, default=150, 150
        Individuals, and generations after the initial population.
    min_cluster_size : int, default=1
        Bags that every cluster of the result has.
    %(search_parameters)s

    Attributes
    ----------
    %(partition_attributes)s
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In the units of the data.
    fitness_ : float
        The objective (Eq. 7) of ``labels_``, with penalty.
    %(search_attributes)s

    Notes
    -----
    A generation takes O(pop_size N n) for n instances in N bags. The best partition that uses all
    clusters, each with ``min_cluster_size`` bags, is returned; the search itself may leave clusters empty.
    ``logbook_`` has the statistics of those that could be returned.

    References
    ----------
    Evolutionary multi-instance clustering, section IV-B, Eqs. 7-9; Lu et al., SAC 2004.

    Examples
    --------
    >>> from moo_clustering import MIFGKA
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIFGKA(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PartitionBagClusterer._parameter_constraints,
        **PROBABILITIES,
        "bias": [Interval(Real, 0, None, closed="left")],
        "reading": [StrOptions({"between", "printed", "printed_meansq"})],
        "legality": [StrOptions({"ratio", "count"})],
        "elitism": [Interval(Integral, 0, 1, closed="both")],
    }

    _objective_name: ClassVar[Any] = "ftwcv"
    _allows_empty: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        p_mut: float = 0.8,
        p_gene: float = 0.7,
        p_km: float = 0.2,
        bias: float = 0.5,
        reading: Literal["between", "printed", "printed_meansq"] = "between",
        legality: Literal["ratio", "count"] = "ratio",
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
        self.bias = bias
        self.reading = reading
        self.legality = legality
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

    def _reading(self) -> dict[str, Any]:
        return {"reading": self.reading}

    def _operators(self) -> dict[str, Any]:
        return {"mutation": "drift", "p_gene": self.p_gene, "bias": self.bias, "empty": "keep"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        toolbox.register("select", SelRouletteLegal(self.n_clusters, rng, legality=self.legality))
        return GkaStep(
            mutpb=self.p_mut,
            kmpb=self.p_km,
            elitism=self.elitism,
            legal=UsesAllClusters(self.n_clusters, self.min_cluster_size),
            max_evals=self.max_evals,
        )
