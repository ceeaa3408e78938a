"""CHC for multi-instance clustering."""

from __future__ import annotations

from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._random import SeedLike
from moo_clustering.algorithms import ChcStep
from moo_clustering.algorithms._counted_step import CountedStep
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_instance._bag_search_docs import BAG_SEARCH_DOCS
from moo_clustering.estimators.multi_instance._partition_bags import PROBABILITIES, PartitionBagClusterer


@fill_docs(**BAG_SEARCH_DOCS)
class CHCMIC(PartitionBagClusterer):
    """CHC for multi-instance clustering: least Davies-Bouldin index.

    Parents that differ enough are crossed, children mutated gene by gene towards better values and by
    steps of k-means, the best of parents and children survive, and the population starts anew from its
    best when nothing is left to cross.

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
    threshold : int, optional
        Genes in which parents must differ at first; a quarter of the bags by default.
    n_keep : int, default=10
        Individuals that survive a restart.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        The threshold falls after a generation in which no pair was crossed, or no child survived.
    mutate : {"children", "population"}, default="children"
        Whether only children are mutated, or copies of all individuals too.
    crossover : {"one_point", "hux", "uniform"}, default="one_point"
    distance : {"hamming", "aligned"}, default="hamming"
        Whether the clusters of the second parent get the numbers of the first before both are compared
        and crossed. Without it permuted labels look like diversity.
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
        Davies-Bouldin index of ``labels_`` (Eq. 10), with penalty.
    %(search_attributes)s

    Notes
    -----
    The index is smallest where one outlying bag stands against all others: give ``min_cluster_size``, or
    use :class:`MemeticCHCMIC`. A generation takes O(pop_size N (n + K^3)) for n instances in N bags;
    the values of all K choices of a gene are found in one pass over the instances.

    References
    ----------
    Evolutionary multi-instance clustering, section IV-D, Eqs. 5, 6 and 10; Eshelman, FOGA 1, 1991.

    Examples
    --------
    >>> from moo_clustering import CHCMIC
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> CHCMIC(pop_size=20, n_gen=10, min_cluster_size=2, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PartitionBagClusterer._parameter_constraints,
        **PROBABILITIES,
        "weights": [StrOptions({"contrast", "scaled", "printed", "greedy"})],
        "empty": [StrOptions({"farthest", "closest"})],
        "threshold": [Interval(Integral, 1, None, closed="left"), None],
        "n_keep": [Interval(Integral, 1, None, closed="left")],
        "threshold_rule": [StrOptions({"no_crossing", "no_acceptance"})],
        "mutate": [StrOptions({"children", "population"})],
        "crossover": [StrOptions({"one_point", "hux", "uniform"})],
        "distance": [StrOptions({"hamming", "aligned"})],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        p_mut: float = 0.8,
        p_gene: float = 0.7,
        p_km: float = 0.2,
        weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast",
        empty: Literal["farthest", "closest"] = "farthest",
        threshold: int | None = None,
        n_keep: int = 10,
        threshold_rule: Literal["no_crossing", "no_acceptance"] = "no_crossing",
        mutate: Literal["children", "population"] = "children",
        crossover: Literal["one_point", "hux", "uniform"] = "one_point",
        distance: Literal["hamming", "aligned"] = "hamming",
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
        self.threshold = threshold
        self.n_keep = n_keep
        self.threshold_rule = threshold_rule
        self.mutate = mutate
        self.crossover = crossover
        self.distance = distance
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
        return {
            "crossover": self.crossover,
            "align": self.distance == "aligned",
            "p_gene": self.p_gene,
            "weights": self.weights,
            "empty": self.empty,
        }

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        return ChcStep(
            mutpb=self.p_mut,
            kmpb=self.p_km,
            threshold=self.threshold,
            n_keep=self.n_keep,
            threshold_rule=self.threshold_rule,
            mutate=self.mutate,
            max_evals=self.max_evals,
        )
