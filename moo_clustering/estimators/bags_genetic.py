"""MIGKA, MIFGKA, MIGCUK, CHCMIC, MemeticCHCMIC."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from deap import base, tools
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._arrays import Labels, SeedLike, number_clusters
from moo_clustering._distances import MAX_MEMORY
from moo_clustering.algorithms import (
    ChcStep,
    DeapSearch,
    GcukStep,
    GkaStep,
    MemeticChcStep,
    Recorder,
    drive,
    finite_statistics,
)
from moo_clustering.algorithms.deap_loops import CountedStep
from moo_clustering.bags import BagGeometry, BagObjective, Bags
from moo_clustering.bags.objective import PartitionRepair
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import MedoidSlotEncoding, relabel_by_first_appearance
from moo_clustering.estimators._base import checkpoint_for, fill_docs
from moo_clustering.estimators.bags_base import (
    BAG_SEARCH_DOCS,
    BagClusterer,
    BagData,
    check_distance_memory,
    distance_matrix,
)
from moo_clustering.operators.deap import (
    MixedStarts,
    PerturbedCopies,
    SelRouletteLegal,
    UsesAllClusters,
    bag_toolbox,
    slot_toolbox,
)
from moo_clustering.validity import db_medoid

PROBABILITY = Interval(Real, 0, 1, closed="both")
PROBABILITIES: dict[str, list[Any]] = {"p_mut": [PROBABILITY], "p_gene": [PROBABILITY], "p_km": [PROBABILITY]}
_SMALLEST_SHARE = 0.05


class GeneticBagClusterer(BagClusterer):
    """Bags clustered by a search for one best individual.

    A subclass says what is searched in :meth:`_compose`, and what the best individual means in
    :meth:`_take`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagClusterer._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "max_evals": [Interval(Integral, 1, None, closed="left"), None],
        "constraint_handling": [StrOptions({"penalty", "repair"})],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    min_cluster_size: Any  # a subclass may allow more than numbers
    pop_size: int
    n_gen: int
    max_evals: int | None
    constraint_handling: Any
    penalty: float
    n_jobs: int | None
    verbose: bool

    def _fit(self, data: BagData) -> None:
        checkpoint = checkpoint_for(
            self, data.raw_bags.instances, data.raw_bags.offsets, *_pairs(data.constraints)
        )
        rng = np.random.default_rng(data.seed)
        toolbox, step, name = self._compose(data, rng)
        search = DeapSearch(
            toolbox,
            step,
            rng=rng,
            pop_size=self.pop_size,
            hall_of_fame=tools.HallOfFame(1, similar=np.array_equal),
            statistics=_EligibleStatistics(step),
        )
        self.history_ = Recorder()
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description=type(self).__name__,
            objective_names=[name],
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        self.logbook_: tools.Logbook = search.logbook
        self.hall_of_fame_: tools.HallOfFame = search.hall_of_fame
        self.n_evaluations_, self.n_trial_evaluations_ = step.evaluations, step.trials
        self.n_restarts_ = int(getattr(step, "restarts", 0))
        self._take(data, self._best(search))

    @abstractmethod
    def _compose(self, data: BagData, rng: np.random.Generator) -> Composition:
        """Toolbox and generation of the search, and the name of what is minimised."""

    @abstractmethod
    def _take(self, data: BagData, best: Any) -> None:
        """Set the results from the genes of the best individual."""

    def _best(self, search: DeapSearch) -> Any:
        if search.hall_of_fame:
            return np.asarray(search.hall_of_fame[0])
        warnings.warn(
            f"{type(self).__name__} met no partition with {self.n_clusters} clusters of at least "
            f"{self.min_cluster_size} bags; the best of the others is taken, its small clusters filled as "
            "far as constraints allow",
            UserWarning,
            stacklevel=5,
        )
        return np.asarray(max(search.population, key=lambda one: one.fitness.wvalues))

    def _set_fitness(self, value: float, labels: Any, constraints: PairwiseConstraints | None) -> None:
        self.fitness_ = float(value)
        self.violation_ = 0.0 if constraints is None else float(constraints.violation(labels)[0])


class PartitionBagClusterer(GeneticBagClusterer):
    """Genes are clusters; one of the objectives of :class:`BagObjective` is minimised."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GeneticBagClusterer._parameter_constraints,
        "weighting": [StrOptions({"bag", "instance"})],
    }

    weighting: Any

    _objective_name: ClassVar[Any] = "db"
    _allows_empty: ClassVar[bool] = False

    def _compose(self, data: BagData, rng: np.random.Generator) -> Composition:
        self._objective = self._make_objective(data)
        toolbox = bag_toolbox(self._objective, rng, **self._operators())
        return Composition(toolbox, self._step(toolbox, rng), self._objective_name)

    def _make_objective(self, data: BagData) -> BagObjective:
        least = 0 if self._allows_empty else self._least(data.bags.n_bags)
        # groups that stay together can leave no bags to fill a small cluster with
        certain = data.constraints is None or self.constraint_handling == "penalty"
        geometry = BagGeometry(
            data.bags, weighting=self.weighting, min_cluster_size=max(1, least) if certain else 1
        )
        return BagObjective(
            geometry,
            self.n_clusters,
            self._objective_name,
            min_cluster_size=least,
            constraints=data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            n_jobs=self.n_jobs,
            **self._reading(),
        )

    def _reading(self) -> dict[str, Any]:
        return {}

    @abstractmethod
    def _operators(self) -> dict[str, Any]:
        """Options of :func:`bag_toolbox`."""

    @abstractmethod
    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        """One generation."""

    def _take(self, data: BagData, best: Any) -> None:
        objective = self._objective
        labels = np.asarray(best)[None]
        if self._allows_empty:
            labels = self._filled(data, labels)
        self.labels_ = relabel_by_first_appearance(labels)[0]
        self._set_labels(self.labels_)
        self._set_centers(objective.geometry.centroids(self.labels_, self.n_clusters_))
        self._set_fitness(objective.evaluate(self.labels_)[0], self.labels_, data.constraints)
        del self._objective

    def _filled(self, data: BagData, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """One partition, in which every cluster has the bags it must have."""
        n_bags = data.bags.n_bags
        least = self._least(n_bags)
        if np.bincount(labels[0], minlength=self.n_clusters).min() >= least:
            return labels
        kept = data.constraints if self.constraint_handling == "repair" else None
        return PartitionRepair(n_bags, least, kept).apply(labels, self._objective.distances(labels))


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


class Composition(NamedTuple):
    """What a search is made of."""

    toolbox: base.Toolbox
    step: CountedStep
    name: str


class _EligibleStatistics(tools.Statistics):
    """Statistics of the individuals that may be the best: an empty cluster can come with a lower value."""

    def __init__(self, step: CountedStep) -> None:
        super().__init__()
        self._step = step
        self._finite = finite_statistics()
        self.fields = self._finite.fields

    def compile(self, data: Any) -> Any:
        return self._finite.compile(self._step.eligible(data))


def _pairs(constraints: PairwiseConstraints | None) -> tuple[Any, Any]:
    if constraints is None:
        return None, None
    return constraints.must_link, constraints.cannot_link


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


@fill_docs(**BAG_SEARCH_DOCS)
class MIGCUK(GeneticBagClusterer):
    """Genetic search for medoid bags, their number included: least Davies-Bouldin index.

    Individuals are up to ``n_clusters`` bags around which the others gather.

    Parameters
    ----------
    n_clusters : int, default=2
        Largest number of clusters.
    k_min : int, optional
        Smallest number of clusters; ``n_clusters`` by default, as in the published experiments. The
        index is no fair judge between numbers of clusters: look at ``n_clusters_`` and the sizes.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}, default="directed"
        Distance between bags, see :func:`moo_clustering.bags.bag_distances`.
    centers : {"medoid", "mean"}, default="medoid"
        Whether the index measures to the medoids, or to the centroids of the partition, which is what
        explains published results.
    weighting : {"bag", "instance"}, default="bag"
        Of the centroids, with ``centers="mean"``.
    mutation : {"index", "rank"}, default="index"
        A medoid moves to a bag of nearby number, as printed, or to one of its nearest bags.
    reach : float, default=0.25
        How far, as a share of the bags.
    selection : {"inverse", "linear"}, default="inverse"
        Weights of the roulette.
    p_cx, p_mut, p_gene : float, default=0.2, 0.3, 0.7
        Probabilities of crossing a pair, of mutating an individual, and of moving each of its medoids.
    elitism : {1, 0}, default=1
        Whether the best so far replaces the worst of a generation that has none as good.
    pop_size, n_gen : int, default=150
        Individuals, and generations after the initial population.
    min_cluster_size : int, default=1
        Smaller clusters are filled with the bags that lose least by it, in every evaluation.
    max_memory : int, default=4 GiB
        Bytes the distances between bags may take.
    %(search_parameters)s

    Attributes
    ----------
    %(partition_attributes)s
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Each in its cluster; where a constraint took it away, the medoid of the others (Eq. 2).
    medoid_bags_ : Bags
        In the units of the data.
    fitness_ : float
        Davies-Bouldin index (Eq. 10), with penalty.
    %(search_attributes)s

    Notes
    -----
    The distances take O(n^2 d) for n instances of d features and 8 N^2 bytes for N bags; a generation
    O(pop_size N n_clusters).

    References
    ----------
    Evolutionary multi-instance clustering, section IV-C, Eq. 10; Bandyopadhyay & Maulik, Pattern
    Recognition 35, 2002.

    Examples
    --------
    >>> from moo_clustering import MIGCUK
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIGCUK(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GeneticBagClusterer._parameter_constraints,
        "k_min": [Interval(Integral, 2, None, closed="left"), None],
        "kind": [StrOptions({"directed", "symmetric", "mean_min", "min_min", "mean"})],
        "centers": [StrOptions({"medoid", "mean"})],
        "weighting": [StrOptions({"bag", "instance"})],
        "mutation": [StrOptions({"index", "rank"})],
        "reach": [Interval(Real, 0, 1, closed="right")],
        "selection": [StrOptions({"inverse", "linear"})],
        "p_cx": [PROBABILITY],
        "p_mut": [PROBABILITY],
        "p_gene": [PROBABILITY],
        "elitism": [Interval(Integral, 0, 1, closed="both")],
        "max_memory": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        k_min: int | None = None,
        kind: Literal["directed", "symmetric", "mean_min", "min_min", "mean"] = "directed",
        centers: Literal["medoid", "mean"] = "medoid",
        weighting: Literal["bag", "instance"] = "bag",
        mutation: Literal["index", "rank"] = "index",
        reach: float = 0.25,
        selection: Literal["inverse", "linear"] = "inverse",
        p_cx: float = 0.2,
        p_mut: float = 0.3,
        p_gene: float = 0.7,
        elitism: int = 1,
        pop_size: int = 150,
        n_gen: int = 150,
        min_cluster_size: int = 1,
        max_evals: int | None = None,
        constraint_handling: Literal["penalty", "repair"] = "penalty",
        penalty: float = 1.0,
        max_memory: float = MAX_MEMORY,
        normalize: bool = True,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.k_min = k_min
        self.kind = kind
        self.centers = centers
        self.weighting = weighting
        self.mutation = mutation
        self.reach = reach
        self.selection = selection
        self.p_cx = p_cx
        self.p_mut = p_mut
        self.p_gene = p_gene
        self.elitism = elitism
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.min_cluster_size = min_cluster_size
        self.max_evals = max_evals
        self.constraint_handling = constraint_handling
        self.penalty = penalty
        self.max_memory = max_memory
        self.normalize = normalize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def _check_sizes(self, n_bags: int) -> None:
        super()._check_sizes(n_bags)
        if self.k_min is not None and self.k_min > self.n_clusters:
            raise ValueError(f"k_min={self.k_min} is more than n_clusters={self.n_clusters}.")
        check_distance_memory(type(self).__name__, n_bags, self.max_memory)

    def _compose(self, data: BagData, rng: np.random.Generator) -> Composition:
        distances = distance_matrix(self, data.bags, self.kind)
        k_min = self.n_clusters if self.k_min is None else self.k_min
        encoding = MedoidSlotEncoding(distances, self.n_clusters, k_min)
        self._score = MedoidBagScore(
            data.bags,
            encoding,
            centers=self.centers,
            weighting=self.weighting,
            min_cluster_size=self.min_cluster_size,
            constraints=data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            n_jobs=self.n_jobs,
        )
        toolbox = slot_toolbox(
            encoding,
            self._score,
            rng,
            mutation=self.mutation,
            p_gene=self.p_gene,
            reach=self.reach,
            selection=self.selection,
        )
        step = GcukStep(cxpb=self.p_cx, mutpb=self.p_mut, elitism=self.elitism, max_evals=self.max_evals)
        return Composition(toolbox, step, "db")

    def _take(self, data: BagData, best: NDArray[Any]) -> None:
        labels, medoids = self._score.partitions(best[None])
        self.labels_, order = number_clusters(labels[0])
        self.n_clusters_ = len(order)
        self.cluster_sizes_ = np.bincount(self.labels_)
        k_min = self.n_clusters if self.k_min is None else self.k_min
        if self.n_clusters_ < k_min:
            warnings.warn(
                f"only {self.n_clusters_} of k_min={k_min} clusters have bags",
                UserWarning,
                stacklevel=5,
            )
        self._warn_of_small_clusters()
        if self.n_clusters_ == 1:  # the index knows no best medoid
            medoids[0, order] = self._score.medoid(self.labels_, 0, 0)
        self._set_medoids(data, medoids[0][order], kind=self.kind)
        self._set_fitness(self._score(best[None])[0], self.labels_, data.constraints)
        del self._score


class MedoidBagScore:
    """Objective of medoid slots, minimised.

    Parameters
    ----------
    bags : Bags
    encoding : MedoidSlotEncoding
        Over the distances between the bags.
    centers : {"medoid", "mean"}
    weighting : {"bag", "instance"}
    min_cluster_size : int
    constraints : PairwiseConstraints or None
    handling : {"penalty", "repair"}
    penalty : float
    n_jobs : int or None
    """

    def __init__(
        self,
        bags: Bags,
        encoding: MedoidSlotEncoding,
        *,
        centers: Literal["medoid", "mean"],
        weighting: Literal["bag", "instance"],
        min_cluster_size: int,
        constraints: PairwiseConstraints | None,
        handling: Literal["penalty", "repair"],
        penalty: float,
        n_jobs: int | None,
    ) -> None:
        self.encoding = encoding
        self.constraints = constraints
        self.penalty = penalty
        self._repair = PartitionRepair(
            encoding.n_samples, min_cluster_size, constraints if handling == "repair" else None
        )
        self._centroids: BagObjective | None = None
        if centers == "mean":
            geometry = BagGeometry(bags, weighting=weighting)
            self._centroids = BagObjective(geometry, encoding.k_max, "db", n_jobs=n_jobs)

    def partitions(self, genes: NDArray[Any]) -> tuple[Labels, NDArray[np.int64]]:
        """Every bag with its nearest medoid, repaired, and the medoids.

        Returns
        -------
        labels : ndarray of shape (n_individuals, n_bags)
        medoids : ndarray of shape (n_individuals, k_max)
            Of the clusters 0, 1, ..., then -1. Those of the genes, except that a cluster whose medoid
            had to leave it, with those it belongs to, is measured by the medoid of its bags (Eq. 2).
        """
        labels: Labels = self.encoding.decode(genes)
        medoids = _packed(np.asarray(genes, dtype=np.int64))
        for row, own in zip(labels, medoids, strict=True):
            own = own[: np.count_nonzero(own >= 0)]
            if self._repair.broken(row[None], len(own)).any():
                row[:] = self._repair.apply(row[None], self._costs(own)[None])[0]
                for k in np.flatnonzero(row[own] != np.arange(len(own))).tolist():
                    own[k] = self.medoid(row, k, int(own[k]))
        return labels, medoids

    def _costs(self, medoids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distances to the medoids; those of the medoids so large that others leave before them."""
        distances = np.array(self.encoding.distances[:, medoids], dtype=np.float64, order="C")
        distances[medoids] = 1.0 + len(distances) * distances.max()
        distances[medoids, np.arange(len(medoids))] = 0.0
        return distances

    def medoid(self, labels: Labels, cluster: int, default: int) -> int:
        """The bag with the least sum of distances to the others of its cluster (Eq. 2)."""
        members = np.flatnonzero(labels == cluster)
        if not len(members):
            return default
        within = self.encoding.distances[np.ix_(members, members)]
        return int(members[(within.sum(axis=1) - np.diagonal(within)).argmin()])

    def __call__(self, genes: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives, shape (n_individuals,)."""
        labels, medoids = self.partitions(genes)
        if self._centroids is None:
            values = db_medoid(self.encoding.distances, labels, medoids)
        else:
            values = self._centroids.evaluate(labels)
        if self.constraints is not None:
            violation = self.constraints.violation(labels)
            broken = violation > 0
            values[broken] *= 1.0 + self.penalty * violation[broken]
        return values


def _packed(genes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Medoids to the left, -1 to the right, in their order."""
    order = np.argsort(genes < 0, axis=1, kind="stable")
    return np.take_along_axis(genes, order, axis=1)


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
