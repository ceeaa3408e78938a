"""Evolutionary clusterers of bags: MIGKA, MIFGKA, CHCMIC and MemeticCHCMIC (partitions), MIGCUK (medoids)."""

import math
from abc import abstractmethod
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from deap import base, tools
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from moo_clustering import algorithms
from moo_clustering._arrays import Labels, warn_caller
from moo_clustering._docs import documented
from moo_clustering.algorithms.deap_loops import CountedStep
from moo_clustering.algorithms.search import Plans
from moo_clustering.bags import BagGeometry, BagObjective, bag_distances
from moo_clustering.bags.distances import Kind
from moo_clustering.bags.geometry import Weighting
from moo_clustering.bags.repair import PartitionRepair
from moo_clustering.encodings import Encoding, LabelEncoding, MedoidSlotEncoding
from moo_clustering.estimators import _options
from moo_clustering.estimators._base import checkpoint_for
from moo_clustering.estimators._fronts import ControlsMixin
from moo_clustering.estimators.bags_base import BagClusterer, BagData, DistanceOptions
from moo_clustering.operators import start_genes
from moo_clustering.operators.deap import (
    MixedStarts,
    PerturbedCopies,
    SelRouletteLegal,
    UsesAllClusters,
    bag_toolbox,
    slot_toolbox,
)
from moo_clustering.validity import db_medoid

Elitism = Annotated[int, Interval(Integral, 0, 1, closed="both")]
PositiveShare = Annotated[float, Interval(Real, 0, 1, closed="right")]


@_options.estimator
class GeneticBagClusterer(ControlsMixin, BagClusterer, _options.SearchOptions):
    """Base class of single-objective evolutionary clusterers of bags.

    Parameters
    ----------
    pop_size, n_gen, max_evals : int
        Population size, number of generations after the initial one, and maximum number of evaluations.
    elitism : {1, 0}
        Whether the best individual so far replaces the worst new individual if all new individuals are worse.

    Attributes
    ----------
    fitness_ : float
        Objective of ``labels_``, including the penalty.
    logbook_ : deap.tools.Logbook
    hall_of_fame_ : deap.tools.HallOfFame
    n_evaluations_, n_trial_evaluations_ : int
        Number of evaluated individuals, and number of evaluated changes of single genes.
    n_restarts_, n_iter_ : int
    history_ : Recorder
    """

    _: KW_ONLY
    pop_size: _options.PopulationSize = 150
    n_gen: _options.NonNegativeCount = 150
    max_evals: _options.Count | None = None

    _objective_name: ClassVar[Any] = "db"

    def _fit(self, data: BagData) -> Plans[None]:
        raw, pairs = data.raw_bags, data.constraints
        links = (None, None) if pairs is None else (pairs.must_link, pairs.cannot_link)
        checkpoint = checkpoint_for(self, raw.instances, raw.offsets, *links)
        rng = np.random.default_rng(data.seed)
        toolbox, step = self._compose(data, rng)
        search = algorithms.DeapSearch(
            toolbox,
            step,
            rng=rng,
            pop_size=self.pop_size,
            hall_of_fame=tools.HallOfFame(1, similar=np.array_equal),
            statistics=_EligibleStatistics(step),
        )
        if self.start is not None:
            genes = start_genes(self._encoding(data.bags.n_bags), self.start)
            if hasattr(toolbox, "repair"):
                genes = np.array([toolbox.repair(toolbox.from_genes(row))[0] for row in genes])
            search.start_from(genes)
        yield from self._run_search(search, self.n_gen, [self._objective_name], checkpoint)
        self.logbook_: tools.Logbook = search.logbook
        self.hall_of_fame_: tools.HallOfFame = search.hall_of_fame
        self.n_evaluations_, self.n_trial_evaluations_ = step.evaluations, step.trials
        self.n_restarts_ = int(getattr(step, "restarts", 0))
        self.fitness_ = float(self._take(data, self._best(search)))
        self.violation_ = float(data.violation(self.labels_)[0])

    @abstractmethod
    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        """Create the DEAP toolbox of the search, and the step that produces a generation."""

    def _encoding(self, n_bags: int) -> Encoding:
        return LabelEncoding(n_bags, self.n_clusters)

    @abstractmethod
    def _take(self, data: BagData, best: Any) -> float:
        """Set the fitted attributes from the genes of the best individual, and return the objective."""

    def _best(self, search: algorithms.DeapSearch) -> Any:
        if search.hall_of_fame:
            return np.asarray(search.hall_of_fame[0])
        warn_caller(
            f"{type(self).__name__} found no partition with {self.n_clusters} clusters of at least "
            f"{self.min_cluster_size} bags; the best partition with smaller clusters is used, and its "
            "clusters are filled as far as the constraints allow"
        )
        return np.asarray(max(search.population, key=lambda one: one.fitness.wvalues))


class _EligibleStatistics(tools.Statistics):
    """Statistics that exclude illegal individuals, whose empty clusters can lower the objective."""

    def __init__(self, step: CountedStep) -> None:
        super().__init__()
        self._step = step
        self._finite = algorithms.finite_statistics()

    def compile(self, data: Any) -> Any:
        return self._finite.compile(self._step.eligible(data))


@_options.estimator
class PartitionBagClusterer(GeneticBagClusterer):
    """Base class of searches for the partition (one label per bag) that minimises a :class:`BagObjective`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Cluster centroids in the units of the data.
    """

    _: KW_ONLY
    weighting: Weighting = "bag"

    _allows_empty: ClassVar[bool] = False

    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        least = 0 if self._allows_empty else self._smallest_size(data.bags.n_bags)
        # If repairs enforce must-links, it may be impossible to fill small clusters with other bags.
        guaranteed = data.constraints is None or self.constraint_handling == "penalty"
        geometry = BagGeometry(
            data.bags,
            weighting=self.weighting,
            min_cluster_size=max(1, least) if guaranteed else 1,
            n_jobs=self.n_jobs,
        )
        self._objective = BagObjective(
            geometry,
            self.n_clusters,
            self._objective_name,
            reading=getattr(self, "reading", "between"),
            min_cluster_size=least,
            constraints=data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            n_jobs=self.n_jobs,
        )
        toolbox = bag_toolbox(self._objective, rng, **self._operators())
        return toolbox, self._step(toolbox, rng)

    @abstractmethod
    def _operators(self) -> dict[str, Any]:
        """Return the keyword arguments for :func:`bag_toolbox`."""

    @abstractmethod
    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        """Create the step that produces a generation."""

    def _take(self, data: BagData, best: Any) -> float:
        objective: BagObjective = self.__dict__.pop("_objective")
        labels, least = np.asarray(best)[None], self._smallest_size(data.bags.n_bags)
        # If the search allows empty clusters, its result can also contain clusters that are too small.
        if self._allows_empty and np.bincount(labels[0], minlength=self.n_clusters).min() < least:
            pairs = data.constraints if self.constraint_handling == "repair" else None
            repair = PartitionRepair(data.bags.n_bags, least, pairs)
            labels = repair.apply(labels, objective.distances(labels))
        self._set_labels(data, labels[0])
        self._set_centers(objective.geometry.centroids(self.labels_, self.n_clusters_))
        return float(objective.evaluate(self.labels_)[0])


@_options.estimator
class MutationOptions:
    """Parameters of searches that mutate partitions and run k-means steps.

    Parameters
    ----------
    pm, p_gene : float
        Probability that an individual is mutated, and probability that each of its genes is then mutated.
    p_km : float
        Probability that an individual is improved by a k-means step.
    """

    _: KW_ONLY
    pm: _options.Probability = 0.8
    p_gene: _options.Probability = 0.7
    p_km: _options.Probability = 0.2


@documented(BagObjective.improve)
@_options.estimator
class RedrawOptions(MutationOptions):
    """Parameters of mutations that prefer, for each gene, the clusters that give a low objective.

    Parameters
    ----------
    empty : {"farthest", "closest"}
        Bag that fills an empty cluster in a k-means step: the farthest from its own centroid, or the closest.
    """

    _: KW_ONLY
    draw_weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast"
    empty: Literal["farthest", "closest"] = "farthest"


@_options.estimator
class MIGKA(PartitionBagClusterer, RedrawOptions):
    """Multi-instance genetic k-means, which minimises the total within-cluster variation (Eq. 4).

    Individuals are partitions. Each generation selects parents by roulette, mutates genes with a preference
    for clusters that lower the objective, and improves some individuals by a k-means step. There is no
    crossover. Mutation takes O(pop_size n_bags (n_instances + n_clusters^3)) time per generation. Source:
    Evolutionary multi-instance clustering, section IV-A; Krishna & Murty, IEEE SMC 29(3), 1999.

    Examples
    --------
    >>> from moo_clustering import MIGKA
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIGKA(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    elitism: Elitism = 1

    _objective_name: ClassVar[Any] = "twcv"

    def _operators(self) -> dict[str, Any]:
        return {"p_gene": self.p_gene, "draw_weights": self.draw_weights, "empty": self.empty}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        return algorithms.GkaStep(
            mutpb=self.pm, kmpb=self.p_km, elitism=self.elitism, max_evals=self.max_evals
        )


@_options.estimator
class MIFGKA(PartitionBagClusterer, MutationOptions):
    """Multi-instance fast genetic k-means, which minimises the variation between bag means (Eq. 7).

    Unlike :class:`MIGKA`, it allows empty clusters during the search. It draws all mutated genes at once, and
    the probabilities depend on the distances to the centroids. Its objective is cheaper to compute: a
    generation takes O(pop_size n_bags n_instances) time. The result is the best partition with at least
    ``min_cluster_size`` bags per cluster; ``logbook_`` contains only such partitions. Source: Evolutionary
    multi-instance clustering, section IV-B, Eqs. 7-9; Lu et al., SAC 2004.

    Parameters
    ----------
    bias : float
        Constant added to each cluster's weight in the mutation (Eq. 9), on the scale of the distances.
    reading : {"between", "printed", "printed_meansq"}
        Objective: within-cluster sum of squares of the bag means, or one of two literal readings of Eq. 7.
        ``"printed_meansq"`` explains the published results, but favours single-bag clusters.
    legality : {"ratio", "count"}
        If clusters are empty, the fitness is multiplied by the share of non-empty clusters, or by the number
        of non-empty clusters (as in the paper). The number is no penalty, because it is at least 1.

    Examples
    --------
    >>> from moo_clustering import MIFGKA
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIFGKA(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    bias: _options.NonNegative = 0.5
    reading: Literal["between", "printed", "printed_meansq"] = "between"
    legality: Literal["ratio", "count"] = "ratio"
    elitism: Elitism = 1

    _objective_name: ClassVar[Any] = "ftwcv"
    _allows_empty: ClassVar[bool] = True

    def _operators(self) -> dict[str, Any]:
        return {"mutation": "drift", "p_gene": self.p_gene, "bias": self.bias, "empty": "keep"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        toolbox.register("select", SelRouletteLegal(self.n_clusters, rng, legality=self.legality))
        return algorithms.GkaStep(
            mutpb=self.pm,
            kmpb=self.p_km,
            elitism=self.elitism,
            legal=UsesAllClusters(self.n_clusters, self.min_cluster_size),
            max_evals=self.max_evals,
        )


@_options.estimator
class CHCMIC(PartitionBagClusterer, RedrawOptions):
    """CHC for multi-instance clustering, which minimises the Davies-Bouldin index (Eq. 10).

    Only parents that differ in enough genes are crossed. The children are mutated gene by gene, with a
    preference for values that lower the index, and improved by k-means steps. The best parents and children
    survive. If no two parents differ enough, the population restarts from the best individuals. The index
    favours single-bag clusters; set ``min_cluster_size`` or use :class:`MemeticCHCMIC`. A generation
    takes O(pop_size n_bags (n_instances + n_clusters^3)) time. Source: Evolutionary multi-instance
    clustering, section IV-D, Eqs. 5, 6 and 10; Eshelman, FOGA 1, 1991.

    Parameters
    ----------
    difference_threshold, n_keep : int
        Initial number of genes in which parents must differ (default: n_bags / 4), and number of individuals
        that survive a restart.
    threshold_rule : {"no_crossing", "no_acceptance"}
        Whether the threshold decreases if a generation has no crossover, or if it has no surviving child.
    mutate : {"children", "population"}
        Whether to mutate only the children, or also copies of all individuals.
    crossover : {"one_point", "hux", "uniform"}
    distance : {"hamming", "aligned"}
        Distance between parents. ``"aligned"`` first matches the cluster numbers of the parents.

    Examples
    --------
    >>> from moo_clustering import CHCMIC
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> CHCMIC(pop_size=20, n_gen=10, min_cluster_size=2, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    difference_threshold: _options.Count | None = None
    n_keep: _options.Count = 10
    threshold_rule: Literal["no_crossing", "no_acceptance"] = "no_crossing"
    mutate: Literal["children", "population"] = "children"
    crossover: Literal["one_point", "hux", "uniform"] = "one_point"
    distance: Literal["hamming", "aligned"] = "hamming"

    def _operators(self) -> dict[str, Any]:
        return {
            "crossover": self.crossover,
            "align": self.distance == "aligned",
            "p_gene": self.p_gene,
            "draw_weights": self.draw_weights,
            "empty": self.empty,
        }

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        return algorithms.ChcStep(
            mutpb=self.pm,
            kmpb=self.p_km,
            threshold=self.difference_threshold,
            n_keep=self.n_keep,
            threshold_rule=self.threshold_rule,
            mutate=self.mutate,
            max_evals=self.max_evals,
        )


@_options.estimator
class MemeticCHCMIC(DistanceOptions, PartitionBagClusterer):
    """CHC search over local optima, which minimises the Davies-Bouldin index (Eq. 10).

    Unlike :class:`CHCMIC`, it aligns cluster numbers before parents are compared and crossed (HUX), moves
    single bags of each child until the child is a local optimum, and removes duplicate partitions. It finds
    better optima than local searches from random partitions, unless there are few optima or only a few dozen
    searches. Source: Evolutionary multi-instance clustering, section IV-D (CHCMIC); Eshelman, FOGA 1, 1991.

    Parameters
    ----------
    perturbation : float
        Share of genes that are redrawn in copies of the best individual. A restart keeps the best individual,
        and replaces about half of the population with such copies and the rest with random partitions.
    min_cluster_size : int or "auto"
        Minimum number of bags per cluster. ``"auto"``: 5% of the bags, but at least 2.

    Examples
    --------
    >>> from moo_clustering import MemeticCHCMIC
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MemeticCHCMIC(pop_size=10, n_gen=5, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    perturbation: PositiveShare = 0.35
    pop_size: _options.PopulationSize = 30
    n_gen: _options.NonNegativeCount = 60
    min_cluster_size: _options.Count | Literal["auto"] = "auto"  # type: ignore[assignment]

    def _smallest_size(self, n_bags: int) -> int:
        if isinstance(self.min_cluster_size, str):
            return min(max(2, math.ceil(0.05 * n_bags)), n_bags // self.n_clusters)
        return super()._smallest_size(n_bags)

    def _operators(self) -> dict[str, Any]:
        return {"crossover": "hux", "align": True, "mutation": "descend"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        objective = self._objective
        distances = bag_distances(objective.geometry.bags, n_jobs=self.n_jobs)
        toolbox.register("population", MixedStarts(objective, toolbox, rng, distances))
        threshold = max(1, objective.n_bags // 4)
        return algorithms.MemeticChcStep(
            optima=0.5,
            mutpb=1.0,
            threshold=threshold,
            n_keep=1,
            threshold_rule="no_acceptance",
            step=max(1, threshold // 10),
            restart=PerturbedCopies(objective, toolbox, share=self.perturbation, fresh=0.5),
            restart_threshold=max(1, int(self.perturbation * (1.0 - self.perturbation) * objective.n_bags)),
            max_evals=self.max_evals,
            unique=toolbox.key,
        )


@documented(slot_toolbox)
@_options.estimator
class MIGCUK(DistanceOptions, GeneticBagClusterer):
    """Genetic search for the number and medoids of clusters that minimise the Davies-Bouldin index (Eq. 10).

    An individual has up to ``n_clusters`` medoid bags. Bags join their nearest medoids. Distances take
    O(n_instances^2 n_features) time and 8 n_bags^2 bytes. A generation takes O(pop_size n_bags n_clusters)
    time. Source: Evolutionary multi-instance clustering, IV-C; Bandyopadhyay & Maulik, Pattern Recognition
    35, 2002.

    Parameters
    ----------
    n_clusters, k_min : int
        Maximum and minimum number of clusters. By default, both are equal, as published, because the
        Davies-Bouldin index is biased with respect to the number of clusters.
    centers : {"medoid", "mean"}
        Centres that the index uses: medoids or centroids. Centroids explain the published results.
    mutation : {"index", "rank"}
        Mutation replaces a medoid with a bag at a similar position in X (``"index"``, paper) or a nearby bag.
    pc, pm, p_gene : float
        Probabilities of crossing a pair, mutating an individual, and replacing each medoid of a mutant.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Bag indices of the medoids. A medoid is replaced (Eq. 2) if constraints move it to another cluster.
    medoid_bags_ : Bags
        Medoid bags in the units of the data.

    Examples
    --------
    >>> from moo_clustering import MIGCUK
    >>> bags = [[[0.0], [1.0]], [[0.5]], [[1.0], [0.2]], [[9.0], [8.0]], [[7.5]], [[8.5]]]
    >>> MIGCUK(pop_size=20, n_gen=10, random_state=0).fit_predict(bags)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    k_min: Annotated[int, Interval(Integral, 2, None, closed="left")] | None = None
    kind: Kind = "directed"
    centers: Literal["medoid", "mean"] = "medoid"
    weighting: Weighting = "bag"
    mutation: Literal["index", "rank"] = "index"
    pc: _options.Probability = 0.2
    pm: _options.Probability = 0.3
    p_gene: _options.Probability = 0.7
    elitism: Elitism = 1

    def _check_sizes(self, n_bags: int) -> None:
        super()._check_sizes(n_bags)
        if self.k_min is not None and self.k_min > self.n_clusters:
            raise ValueError(f"k_min={self.k_min} must not exceed n_clusters={self.n_clusters}")

    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        distances = bag_distances(data.bags, kind=self.kind, n_jobs=self.n_jobs)
        k_min = self.n_clusters if self.k_min is None else self.k_min
        encoding = MedoidSlotEncoding(distances, self.n_clusters, k_min)
        self._score = MedoidBagScore(self, data, encoding)
        toolbox = slot_toolbox(encoding, self._score, rng, mutation=self.mutation, p_gene=self.p_gene)
        step = algorithms.GcukStep(
            cxpb=self.pc, mutpb=self.pm, elitism=self.elitism, max_evals=self.max_evals
        )
        return toolbox, step

    def _encoding(self, n_bags: int) -> Encoding:
        return self._score.encoding

    def _take(self, data: BagData, best: NDArray[Any]) -> float:
        score: MedoidBagScore = self.__dict__.pop("_score")
        labels, medoids = score.partitions(best[None])
        order = self._set_labels(data, labels[0], k_min=self.k_min)
        # With a single cluster, the index is 0 for every medoid, so the search did not optimise the medoid.
        if self.n_clusters_ == 1:
            medoids[0, order] = score.medoid(self.labels_, 0, 0)
        self._set_medoids(data, medoids[0][order], kind=self.kind)
        return float(score(best[None])[0])


class MedoidBagScore:
    """Penalised Davies-Bouldin index of individuals with medoid bags as genes."""

    def __init__(self, options: MIGCUK, data: BagData, encoding: MedoidSlotEncoding) -> None:
        self.encoding, self._data, self._penalty = encoding, data, options.penalty
        pairs = data.constraints if options.constraint_handling == "repair" else None
        self._repair = PartitionRepair(encoding.n_samples, options.min_cluster_size, pairs)
        self._centroids: BagObjective | None = None
        if options.centers == "mean":
            geometry = BagGeometry(data.bags, weighting=options.weighting, n_jobs=options.n_jobs)
            self._centroids = BagObjective(geometry, encoding.k_max, "db", n_jobs=options.n_jobs)

    def partitions(self, genes: NDArray[Any]) -> tuple[Labels, NDArray[np.int64]]:
        """Return repaired labels, and medoids padded with -1. Replace medoids that left their clusters."""
        labels: Labels = self.encoding.decode(genes)
        medoids = np.asarray(genes, dtype=np.int64)
        packed = np.argsort(medoids < 0, axis=1, kind="stable")
        medoids = np.take_along_axis(medoids, packed, axis=1)
        for row, own in zip(labels, medoids, strict=True):
            own = own[: np.count_nonzero(own >= 0)]
            if self._repair.broken(row[None], len(own)).any():
                row[:] = self._repair.apply(row[None], self._costs(own)[None])[0]
                for k in np.flatnonzero(row[own] != np.arange(len(own))).tolist():
                    own[k] = self.medoid(row, k, int(own[k]))
        return labels, medoids

    def _costs(self, medoids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of assigning each bag to each medoid, shape (n_bags, n_medoids)."""
        # A medoid costs more to move than all other bags together, so that repairs avoid moving medoids.
        distances = np.array(self.encoding.distances[:, medoids], dtype=np.float64, order="C")
        distances[medoids] = 1.0 + len(distances) * distances.max()
        distances[medoids, np.arange(len(medoids))] = 0.0
        return distances

    def medoid(self, labels: Labels, cluster: int, default: int) -> int:
        """Return the medoid of a cluster (Eq. 2), or ``default`` if the cluster is empty."""
        members = np.flatnonzero(labels == cluster)
        if not len(members):
            return default
        within = self.encoding.distances[np.ix_(members, members)]
        return int(members[(within.sum(axis=1) - np.diagonal(within)).argmin()])

    def __call__(self, genes: NDArray[Any]) -> NDArray[np.float64]:
        labels, medoids = self.partitions(genes)
        if self._centroids is None:
            values = db_medoid(self.encoding.distances, labels, medoids)
        else:
            values = self._centroids.evaluate(labels)
        violation = self._data.violation(labels)
        broken = violation > 0
        values[broken] *= 1.0 + self._penalty * violation[broken]
        return values
