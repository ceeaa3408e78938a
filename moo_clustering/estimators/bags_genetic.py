"""Evolutionary clusterers of bags: MIGKA, MIFGKA, CHCMIC, MemeticCHCMIC (partitions) and MIGCUK (medoids).

:class:`GeneticBagClusterer` runs a search of DEAP for one best individual; the classes below it say what
an individual is, how it is scored and varied, and what the best one means.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from deap import base, tools
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from moo_clustering._arrays import Labels, warn_caller
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
from moo_clustering.bags import BagGeometry, BagObjective, Bags, bag_distances
from moo_clustering.bags.distances import Kind
from moo_clustering.bags.geometry import Weighting
from moo_clustering.bags.repair import PartitionRepair
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.estimators._base import ControlsMixin, checkpoint_for
from moo_clustering.estimators._options import (
    KW_ONLY,
    Count,
    NonNegative,
    NonNegativeCount,
    Probability,
    SearchOptions,
    estimator,
)
from moo_clustering.estimators.bags_base import BagClusterer, BagData, DistanceOptions
from moo_clustering.operators.deap import (
    MixedStarts,
    PerturbedCopies,
    SelRouletteLegal,
    UsesAllClusters,
    bag_toolbox,
    slot_toolbox,
)
from moo_clustering.validity import db_medoid

# Smallest share of the bags in a cluster with min_cluster_size="auto".
_SMALLEST_SHARE = 0.05
PopulationSize = Annotated[int, Interval(Integral, 2, None, closed="left")]
Elitism = Annotated[int, Interval(Integral, 0, 1, closed="both")]
PositiveShare = Annotated[float, Interval(Real, 0, 1, closed="right")]


@estimator
class GeneticBagClusterer(ControlsMixin, BagClusterer, SearchOptions):
    """Clusterer of bags by a search for one best individual.

    A subclass says what is searched in :meth:`_compose`, and what the best individual means in
    :meth:`_take`.

    Parameters
    ----------
    pop_size, n_gen : int
        Number of individuals, and of generations after the initial population.
    max_evals : int
        Budget of evaluations, trial evaluations included, after which the search ends.
    constraint_handling : {"penalty", "repair"}
        How partial labels and pairs act: they multiply the objective by 1 + ``penalty`` times their
        violation; with ``"repair"``, bags of every new individual are also moved into the cluster they must
        share, and apart from those they cannot share one with.

    Attributes
    ----------
    logbook_ : deap.tools.Logbook
    hall_of_fame_ : deap.tools.HallOfFame
    n_evaluations_, n_trial_evaluations_ : int
        Number of individuals evaluated, and of values of single genes tried besides.
    n_restarts_, n_iter_ : int
    history_ : Recorder
    """

    _: KW_ONLY
    pop_size: PopulationSize = 150
    n_gen: NonNegativeCount = 150
    max_evals: Count | None = None

    _objective_name: ClassVar[Any] = "db"

    def _fit(self, data: BagData) -> None:
        pairs = data.constraints
        checkpoint = checkpoint_for(
            self,
            data.raw_bags.instances,
            data.raw_bags.offsets,
            None if pairs is None else pairs.must_link,
            None if pairs is None else pairs.cannot_link,
        )
        rng = np.random.default_rng(data.seed)
        toolbox, step = self._compose(data, rng)
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
            objective_names=[self._objective_name],
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        self.logbook_: tools.Logbook = search.logbook
        self.hall_of_fame_: tools.HallOfFame = search.hall_of_fame
        self.n_evaluations_, self.n_trial_evaluations_ = step.evaluations, step.trials
        self.n_restarts_ = int(getattr(step, "restarts", 0))
        self._take(data, self._best(search))

    @abstractmethod
    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        """Toolbox and generation step of the search."""

    @abstractmethod
    def _take(self, data: BagData, best: Any) -> None:
        """Set the fitted attributes from the genes of the best individual."""

    def _best(self, search: DeapSearch) -> Any:
        if search.hall_of_fame:
            return np.asarray(search.hall_of_fame[0])
        warn_caller(
            f"{type(self).__name__} met no partition with {self.n_clusters} clusters of at least "
            f"{self.min_cluster_size} bags; the best of the others is taken, its small clusters filled as "
            "far as constraints allow"
        )
        return np.asarray(max(search.population, key=lambda one: one.fitness.wvalues))

    def _set_fitness(self, value: float, labels: Any, constraints: PairwiseConstraints | None) -> None:
        self.fitness_ = float(value)
        self.violation_ = 0.0 if constraints is None else float(constraints.violation(labels)[0])


class _EligibleStatistics(tools.Statistics):
    """Statistics of the individuals that may be the best: an empty cluster can come with a lower value."""

    def __init__(self, step: CountedStep) -> None:
        super().__init__()
        self._step = step
        self._finite = finite_statistics()

    def compile(self, data: Any) -> Any:
        return self._finite.compile(self._step.eligible(data))


@estimator
class PartitionBagClusterer(GeneticBagClusterer):
    """Genetic clusterer with one gene per bag, its cluster; minimises an objective of :class:`BagObjective`.

    Parameters
    ----------
    weighting : {"bag", "instance"}
        Centroids are means of bag means (Eq. 3), or of all instances.
    min_cluster_size : int
        Smallest number of bags in a cluster; new individuals with smaller clusters are repaired.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Centroids, in the units of the data.
    """

    _: KW_ONLY
    weighting: Weighting = "bag"

    _allows_empty: ClassVar[bool] = False

    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        least = 0 if self._allows_empty else self._smallest_size(data.bags.n_bags)
        # Groups of bags that must stay together can leave no bags to fill a small cluster with, so that
        # the geometry may not rely on the smallest size.
        certain = data.constraints is None or self.constraint_handling == "penalty"
        self._objective = BagObjective(
            BagGeometry(
                data.bags,
                weighting=self.weighting,
                min_cluster_size=max(1, least) if certain else 1,
                n_jobs=self.n_jobs,
            ),
            self.n_clusters,
            self._objective_name,
            min_cluster_size=least,
            constraints=data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            n_jobs=self.n_jobs,
            **self._objective_options(),
        )
        toolbox = bag_toolbox(self._objective, rng, **self._operators())
        return toolbox, self._step(toolbox, rng)

    def _objective_options(self) -> dict[str, Any]:
        """Further options of the objective."""
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
        self._set_labels(labels[0])
        self._set_centers(objective.geometry.centroids(self.labels_, self.n_clusters_))
        self._set_fitness(objective.evaluate(self.labels_)[0], self.labels_, data.constraints)
        del self._objective

    def _filled(self, data: BagData, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The partition, of shape (1, n_bags), with clusters that are too small filled up."""
        n_bags = data.bags.n_bags
        least = self._smallest_size(n_bags)
        if np.bincount(labels[0], minlength=self.n_clusters).min() >= least:
            return labels
        respected = data.constraints if self.constraint_handling == "repair" else None
        return PartitionRepair(n_bags, least, respected).apply(labels, self._objective.distances(labels))


@estimator
class MutationOptions:
    """Parameters of a search that mutates partitions and improves some by k-means.

    Parameters
    ----------
    pm, p_gene : float
        Probabilities of mutating an individual, and of drawing each of its genes anew.
    p_km : float
        Probability of a step of k-means for an individual.
    """

    _: KW_ONLY
    pm: Probability = 0.8
    p_gene: Probability = 0.7
    p_km: Probability = 0.2


@estimator
class RedrawOptions(MutationOptions):
    """Parameters of a mutation that draws genes by the objective of each choice.

    Parameters
    ----------
    weights : {"contrast", "scaled", "printed", "greedy"}
        How a new gene is drawn from the objective for each choice. ``"contrast"``: better values are
        likelier, by their distance to the worst; ``"scaled"``: as in Eq. 9; ``"printed"``: as printed in
        Eqs. 5 and 6, where worse values are likelier; ``"greedy"``: the best is taken.
    empty : {"farthest", "closest"}
        Which bag an empty cluster receives in the step of k-means: the one farthest from its own centroid,
        or, as printed, the closest.
    """

    _: KW_ONLY
    weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast"
    empty: Literal["farthest", "closest"] = "farthest"


@estimator
class MIGKA(PartitionBagClusterer, RedrawOptions):
    """Multi-instance genetic k-means: least total within-cluster variation.

    Individuals are partitions. Every generation draws parents by roulette, draws genes anew in proportion
    to how good each choice would be, and improves some individuals by a step of k-means; there is no
    crossover.

    Parameters
    ----------
    elitism : {1, 0}
        Whether the best so far replaces the worst of a generation that has none as good.

    Attributes
    ----------
    fitness_ : float
        Total within-cluster variation of ``labels_`` (Eq. 4), with penalty.

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

    _: KW_ONLY
    elitism: Elitism = 1

    _objective_name: ClassVar[Any] = "twcv"

    def _operators(self) -> dict[str, Any]:
        return {"p_gene": self.p_gene, "weights": self.weights, "empty": self.empty}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        return GkaStep(mutpb=self.pm, kmpb=self.p_km, elitism=self.elitism, max_evals=self.max_evals)


@estimator
class MIFGKA(PartitionBagClusterer, MutationOptions):
    """Multi-instance fast genetic k-means: least variation of bag means.

    It differs from :class:`MIGKA` by a cheaper objective, partitions that may have empty clusters on the
    way, and genes that are drawn all at once by the distance to the centroids.

    Parameters
    ----------
    bias : float
        Added to the weight of every cluster in the mutation (Eq. 9), on the scale of the distances.
    reading : {"between", "printed", "printed_meansq"}
        Reading of the objective (Eq. 7): ``"between"`` is the within-cluster squares of bag means; the
        others are two readings of the printed formula, of which ``"printed_meansq"`` explains the published
        results and has a single bag as its optimum.
    legality : {"ratio", "count"}
        How empty clusters lower the fitness of a partition: by the share of clusters in use, or by their
        number, as printed, which has no effect.
    elitism : {1, 0}
        Whether the best so far replaces the worst of a generation that has none as good.
    min_cluster_size : int
        Smallest number of bags in a cluster of the result.

    Attributes
    ----------
    fitness_ : float
        The objective (Eq. 7) of ``labels_``, with penalty.

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

    _: KW_ONLY
    bias: NonNegative = 0.5
    reading: Literal["between", "printed", "printed_meansq"] = "between"
    legality: Literal["ratio", "count"] = "ratio"
    elitism: Elitism = 1

    _objective_name: ClassVar[Any] = "ftwcv"
    _allows_empty: ClassVar[bool] = True

    def _objective_options(self) -> dict[str, Any]:
        return {"reading": self.reading}

    def _operators(self) -> dict[str, Any]:
        return {"mutation": "drift", "p_gene": self.p_gene, "bias": self.bias, "empty": "keep"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        toolbox.register("select", SelRouletteLegal(self.n_clusters, rng, legality=self.legality))
        return GkaStep(
            mutpb=self.pm,
            kmpb=self.p_km,
            elitism=self.elitism,
            legal=UsesAllClusters(self.n_clusters, self.min_cluster_size),
            max_evals=self.max_evals,
        )


@estimator
class CHCMIC(PartitionBagClusterer, RedrawOptions):
    """CHC for multi-instance clustering: least Davies-Bouldin index.

    Parents that differ enough are crossed, children are mutated gene by gene towards better values and
    improved by steps of k-means, and the best of parents and children survive. When nothing is left to cross,
    the population starts anew from its best.

    Parameters
    ----------
    threshold : int
        Number of genes in which parents must differ at first; a quarter of the bags by default.
    n_keep : int
        Number of individuals that survive a restart.
    threshold_rule : {"no_crossing", "no_acceptance"}
        The threshold falls after a generation in which no pair was crossed, or no child survived.
    mutate : {"children", "population"}
        Whether only children are mutated, or copies of all individuals too.
    crossover : {"one_point", "hux", "uniform"}
        How two parents exchange genes.
    distance : {"hamming", "aligned"}
        Whether the clusters of the second parent get the numbers of the first before both are compared
        and crossed. Otherwise permuted labels look like diversity.

    Attributes
    ----------
    fitness_ : float
        Davies-Bouldin index of ``labels_`` (Eq. 10), with penalty.

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

    _: KW_ONLY
    threshold: Count | None = None
    n_keep: Count = 10
    threshold_rule: Literal["no_crossing", "no_acceptance"] = "no_crossing"
    mutate: Literal["children", "population"] = "children"
    crossover: Literal["one_point", "hux", "uniform"] = "one_point"
    distance: Literal["hamming", "aligned"] = "hamming"

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
            mutpb=self.pm,
            kmpb=self.p_km,
            threshold=self.threshold,
            n_keep=self.n_keep,
            threshold_rule=self.threshold_rule,
            mutate=self.mutate,
            max_evals=self.max_evals,
        )


@estimator
class MemeticCHCMIC(DistanceOptions, PartitionBagClusterer):
    """CHC among local optima, for multi-instance clustering.

    It differs from :class:`CHCMIC` in four ways: cluster numbers are aligned before parents are compared and
    crossed (HUX), every child descends by single moves until none helps, no partition occurs twice in the
    population, and no cluster is smaller than 5 % of the bags.

    Parameters
    ----------
    optima : float
        Share of the initial population that descends to a local optimum; it starts from random partitions,
        steps of k-means and nearest random bags.
    perturbation : float
        Share of the genes that are drawn anew in copies of the best at a restart, before these descend.
    fresh : float
        Share of the others at a restart that start from random partitions instead.
    min_cluster_size : int or "auto"
        Smallest number of bags in a cluster; ``"auto"`` is 5 % of them, at least 2.

    Attributes
    ----------
    fitness_ : float
        Davies-Bouldin index of ``labels_`` (Eq. 10), with penalty.

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

    _: KW_ONLY
    optima: Probability = 0.5
    perturbation: PositiveShare = 0.35
    fresh: Probability = 0.5
    pop_size: PopulationSize = 30
    n_gen: NonNegativeCount = 60
    min_cluster_size: Count | Literal["auto"] = "auto"  # type: ignore[assignment]

    def _smallest_size(self, n_bags: int) -> int:
        if isinstance(self.min_cluster_size, str):
            return min(max(2, math.ceil(_SMALLEST_SHARE * n_bags)), n_bags // self.n_clusters)
        return super()._smallest_size(n_bags)

    def _operators(self) -> dict[str, Any]:
        return {"crossover": "hux", "align": True, "mutation": "descend"}

    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        objective = self._objective
        distances = bag_distances(objective.geometry.bags, n_jobs=self.n_jobs)
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


@estimator
class MIGCUK(DistanceOptions, GeneticBagClusterer):
    """Genetic search for medoid bags, their number included: least Davies-Bouldin index.

    An individual holds up to ``n_clusters`` medoid bags; every other bag joins the nearest.

    Parameters
    ----------
    n_clusters : int
        Largest number of clusters.
    k_min : int
        Smallest number of clusters; ``n_clusters`` by default, as in the published experiments. The
        index does not compare different numbers of clusters fairly: look at ``n_clusters_`` and the sizes.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}
        Distance between bags, see :func:`moo_clustering.bags.bag_distances`.
    centers : {"medoid", "mean"}
        Whether the index measures to the medoids, or to the centroids of the partition, which is what
        explains published results.
    weighting : {"bag", "instance"}
        Centroids with ``centers="mean"`` are means of bag means (Eq. 3), or of all instances.
    mutation : {"index", "rank"}
        A medoid moves to a bag of nearby number, as printed, or to one of its nearest bags.
    reach : float
        How far it moves, as a share of the bags.
    fitness_scaling : {"inverse", "linear"}
        Weights of the roulette.
    pc, pm, p_gene : float
        Probabilities of crossing a pair, of mutating an individual, and of moving each of its medoids.
    elitism : {1, 0}
        Whether the best so far replaces the worst of a generation that has none as good.
    min_cluster_size : int
        Smaller clusters are filled with the bags that lose least by it, in every evaluation.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Bag numbers of the medoids, each in its cluster; where a constraint moved a medoid away, the medoid
        of the remaining bags (Eq. 2).
    medoid_bags_ : Bags
        The medoids, in the units of the data.
    fitness_ : float
        Davies-Bouldin index (Eq. 10), with penalty.

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

    _: KW_ONLY
    k_min: Annotated[int, Interval(Integral, 2, None, closed="left")] | None = None
    kind: Kind = "directed"
    centers: Literal["medoid", "mean"] = "medoid"
    weighting: Weighting = "bag"
    mutation: Literal["index", "rank"] = "index"
    reach: PositiveShare = 0.25
    fitness_scaling: Literal["inverse", "linear"] = "inverse"
    pc: Probability = 0.2
    pm: Probability = 0.3
    p_gene: Probability = 0.7
    elitism: Elitism = 1

    def _check_sizes(self, n_bags: int) -> None:
        super()._check_sizes(n_bags)
        if self.k_min is not None and self.k_min > self.n_clusters:
            raise ValueError(f"k_min={self.k_min} is more than n_clusters={self.n_clusters}.")

    def _compose(self, data: BagData, rng: np.random.Generator) -> tuple[base.Toolbox, CountedStep]:
        distances = bag_distances(data.bags, kind=self.kind, n_jobs=self.n_jobs)
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
            selection=self.fitness_scaling,
        )
        step = GcukStep(cxpb=self.pc, mutpb=self.pm, elitism=self.elitism, max_evals=self.max_evals)
        return toolbox, step

    def _take(self, data: BagData, best: NDArray[Any]) -> None:
        labels, medoids = self._score.partitions(best[None])
        order = self._set_labels(labels[0], k_min=self.k_min)
        if self.n_clusters_ == 1:  # the index is 0 for every medoid of a single cluster, so it chooses none
            medoids[0, order] = self._score.medoid(self.labels_, 0, 0)
        self._set_medoids(data, medoids[0][order], kind=self.kind)
        self._set_fitness(self._score(best[None])[0], self.labels_, data.constraints)
        del self._score


class MedoidBagScore:
    """Davies-Bouldin index of individuals that are slots for medoid bags, with penalty; minimised."""

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
            geometry = BagGeometry(bags, weighting=weighting, n_jobs=n_jobs)
            self._centroids = BagObjective(geometry, encoding.k_max, "db", n_jobs=n_jobs)

    def partitions(self, genes: NDArray[Any]) -> tuple[Labels, NDArray[np.int64]]:
        """Assign every bag to its nearest medoid, and repair; labels, and medoids padded with -1.

        Medoids are those of the genes, except that a cluster whose medoid had to leave it (together with the
        bags it is linked to) is measured by the medoid of its remaining bags (Eq. 2).
        """
        labels: Labels = self.encoding.decode(genes)
        medoids = np.asarray(genes, dtype=np.int64)
        packed = np.argsort(medoids < 0, axis=1, kind="stable")  # medoids to the left, -1 to the right
        medoids = np.take_along_axis(medoids, packed, axis=1)
        for row, own in zip(labels, medoids, strict=True):
            own = own[: np.count_nonzero(own >= 0)]
            if self._repair.broken(row[None], len(own)).any():
                row[:] = self._repair.apply(row[None], self._costs(own)[None])[0]
                for k in np.flatnonzero(row[own] != np.arange(len(own))).tolist():
                    own[k] = self.medoid(row, k, int(own[k]))
        return labels, medoids

    def _costs(self, medoids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distances to the medoids; large for medoids themselves, so that other bags leave before them."""
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
