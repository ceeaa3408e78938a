"""DEAP toolboxes for several kinds of genotypes, and functions that run one generation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from deap import base, tools
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.core.repair import NoRepair

from moo_clustering._arrays import FloatArray, choice, integer, probability
from moo_clustering._docs import documented
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.encodings.base import row_digests
from moo_clustering.encodings.medoids import random_slots
from moo_clustering.operators import medoids
from moo_clustering.operators.base import encoding_of
from moo_clustering.operators.deap import bags
from moo_clustering.operators.deap import individuals as genotypes
from moo_clustering.operators.deap import selection as selecting
from moo_clustering.operators.deap import variation as moves
from moo_clustering.operators.deap.individuals import Individuals
from moo_clustering.operators.labels import AlignedHUX, AlignedOnePoint, AlignedUniformCrossover, Empty
from moo_clustering.operators.partitions import label_encoding
from moo_clustering.operators.survival import Boundary, ConstraintCrowdingSurvival

if TYPE_CHECKING:
    from pymoo.core.crossover import Crossover
    from pymoo.core.mutation import Mutation
    from pymoo.core.sampling import Sampling

    from moo_clustering.bags import BagObjective
    from moo_clustering.bags.objective import Rule
    from moo_clustering.encodings import MedoidSlotEncoding
    from moo_clustering.operators import DynamicDiversitySurvival, partitions
    from moo_clustering.problems import NeighborGraphProblem, PartitionProblem
    from moo_clustering.problems.medoids import MedoidProblem

_CROSSOVERS = {"one_point": AlignedOnePoint, "hux": AlignedHUX, "uniform": AlignedUniformCrossover}
Score = Callable[[NDArray[Any]], FloatArray]
# The operators of these toolboxes return valid genes, so no repair is needed.
_as_mate = partial(genotypes.as_mate, repair=NoRepair())


def _as_mutate(mutation: Mutation, problem: Any) -> Callable[..., Any]:
    return genotypes.as_mutate(mutation, problem, repair=NoRepair())


def bag_toolbox(
    objective: BagObjective,
    rng: Generator,
    *,
    crossover: Literal["one_point", "hux", "uniform"] = "one_point",
    align: bool = False,
    mutation: Literal["improve", "descend", "drift"] = "improve",
    p_gene: float = 0.7,
    draw_weights: Rule = "contrast",
    bias: float = 0.5,
    empty: Empty = "farthest",
) -> base.Toolbox:
    """Create a toolbox for :func:`chc`, :func:`gka` and DEAP loops.

    Parameters
    ----------
    objective : BagObjective
        Minimised objective, which also specifies the number of clusters.
    rng : numpy.random.Generator
        Random generator for all operators.
    crossover : {"one_point", "hux", "uniform"}, default="one_point"
    align : bool, default=False
        Whether crossover and distance align the second parent's labels with the first parent's labels.
    mutation : {"improve", "descend", "drift"}, default="improve"
        ``"improve"`` redraws genes one at a time by objective (Eqs. 5-6). ``"descend"`` moves bags until no
        move improves the objective. ``"drift"`` redraws all genes at once by distance (Eq. 9).
    p_gene, draw_weights, bias, empty
        Options of ``improve``, ``drift`` and ``reassign`` of :class:`BagObjective`.

    Returns
    -------
    deap.base.Toolbox
        ``individual()`` (random), ``from_genes(genes)``, ``population(n)``, ``evaluate``, ``mate``,
        ``mutate``, ``km``, ``repair``, ``select`` (:func:`sel_roulette_min`), ``distance``, ``key``,
        ``clone``, and ``map``, which processes whole populations.

    Examples
    --------
    >>> from deap import algorithms
    >>> from moo_clustering.bags import BagGeometry, BagObjective, Bags
    >>> bags = Bags.from_list([[[0.0], [1.0]], [[0.5]], [[9.0], [8.0]], [[7.5]]])
    >>> toolbox = bag_toolbox(BagObjective(BagGeometry(bags), 2, "twcv"), np.random.default_rng(0))
    >>> population = toolbox.population(n=20)
    >>> population, logbook = algorithms.eaSimple(population, toolbox, 0.5, 0.2, 5, verbose=False)
    >>> sorted(min(population, key=lambda one: one.fitness.values).tolist())
    [0, 0, 1, 1]
    """
    toolbox = base.Toolbox()
    from_genes = partial(genotypes.ArrayIndividual, fitness=genotypes.Minimize)
    toolbox.register("individual", lambda: from_genes(objective.random(1, rng)[0]))
    toolbox.register("from_genes", from_genes)
    toolbox.register("population", lambda n: tools.initRepeat(list, toolbox.individual, n))
    toolbox.register("evaluate", EvaluateGenes(objective.evaluate))
    mating = _CROSSOVERS[choice("crossover", crossover, _CROSSOVERS)](align)
    toolbox.register("mate", _as_mate(mating, None), rng=rng)
    improve = partial(objective.improve, rng=rng, p_gene=p_gene, draw_weights=draw_weights)
    mutations: dict[str, bags.ChangePartition] = {
        "improve": bags.SearchPartition(objective, improve),
        "descend": bags.SearchPartition(objective, partial(objective.descend, rng=rng)),
        "drift": bags.ChangePartition(partial(objective.drift, rng=rng, p_gene=p_gene, bias=bias)),
    }
    toolbox.register("mutate", mutations[choice("mutation", mutation, mutations)])
    toolbox.register("km", bags.ChangePartition(partial(objective.reassign, empty=empty)))
    toolbox.register("repair", bags.ChangePartition(objective.repair))
    toolbox.register("select", selecting.sel_roulette_min, rng=rng)
    toolbox.register("distance", moves.partition_distance, align=align, n_clusters=objective.n_clusters)
    toolbox.register("key", moves.partition_key)
    toolbox.register("map", genotypes.batch_map)
    return toolbox


@documented(medoids.SlotMutation, bag_toolbox)
def slot_toolbox(
    encoding: MedoidSlotEncoding,
    score: Score,
    rng: Generator,
    *,
    mutation: Literal["index", "rank"] = "index",
    p_gene: float = 0.7,
    reach: float = 0.25,
    selection: Literal["inverse", "linear"] = "inverse",
) -> base.Toolbox:
    """Create a toolbox for :func:`gcuk` and DEAP loops.

    Parameters
    ----------
    encoding : MedoidSlotEncoding
    score : callable
        ``score(genes) -> objectives`` to minimise, for genes of shape (n_individuals, k_max).
    mutation : {"index", "rank"}, default="index"
        Kind of :class:`~moo_clustering.operators.SlotMutation`.
    selection : {"inverse", "linear"}, default="inverse"
        Selection weights; see :func:`roulette_weights`.

    Returns
    -------
    deap.base.Toolbox
        ``individual()``, ``from_genes(genes)``, ``population(n)``, ``evaluate``, ``decode(genes)``, ``mate``,
        ``mutate``, ``select``, and ``map``, which processes whole populations.
    """
    choice("mutation", mutation, ("index", "rank"))
    n, k_min, k_max = encoding.n_samples, encoding.k_min, encoding.k_max
    toolbox = base.Toolbox()
    from_genes = partial(genotypes.ArrayIndividual, fitness=genotypes.Minimize)
    toolbox.register("from_genes", from_genes)
    toolbox.register("individual", lambda: from_genes(random_slots(1, n, k_min, k_max, rng)[0]))
    toolbox.register("population", lambda n: tools.initRepeat(list, toolbox.individual, n))
    toolbox.register("evaluate", EvaluateGenes(score))
    toolbox.register("decode", encoding.decode)
    # The operators use no attribute of the problem except its encoding.
    problem = SimpleNamespace(encoding=encoding)
    toolbox.register("mate", _as_mate(medoids.SlotOnePointCrossover(), problem), rng=rng)
    toolbox.register("mutate", _as_mutate(medoids.SlotMutation(mutation, p_gene, reach), problem), rng=rng)
    toolbox.register("select", selecting.sel_roulette_min, rng=rng, rule=selection)
    toolbox.register("map", genotypes.batch_map)
    return toolbox


class EvaluateGenes:
    """Operator ``evaluate`` that computes an individual's objectives; its method ``batch`` evaluates many.

    Parameters
    ----------
    score : callable
        ``score(genes) -> objectives``, for genes of shape (n_individuals, n_var). Objectives have shape
        (n_individuals,) or (n_individuals, n_objectives).
    """

    def __init__(self, score: Score) -> None:
        self.score = score

    def __call__(self, individual: Any) -> tuple[float, ...]:
        return tuple(np.ravel(self.score(np.asarray(individual)[None])[0]).tolist())

    def batch(self, matrix: NDArray[Any]) -> FloatArray:
        """Return the objectives of each row."""
        return self.score(matrix)


def label_toolbox(
    problem: PartitionProblem,
    sampling: Sampling,
    crossover: partitions.GroupingOverlayCrossover,
    mutation: partitions.PartitionMutation,
    select: selecting.SelElite,
    repair: partitions.ClusterNumberRepair | None = None,
) -> base.Toolbox:
    """Create a toolbox for :class:`LabelStep`.

    Raises a TypeError if the problem does not have a :class:`~moo_clustering.encodings.LabelEncoding`, and a
    ValueError if an operator's graph or pool has a different number of samples than the problem.

    Parameters
    ----------
    problem : PartitionProblem
    sampling, crossover, mutation
        pymoo operators.
    select : SelElite
        Survival selection. With ``survival="random"``, parents are also selected at random.
    repair : ClusterNumberRepair, optional
        Repair for children.

    Returns
    -------
    deap.base.Toolbox
        ``individual(genes)``, ``population(n, rng)``, ``evaluate`` and ``map`` for whole populations,
        ``mate(a, b, rng)``, ``mutate(individual, rng, crossed=)``, ``repair(individual, rng)``,
        ``select_parents(individuals, k, rng)``, ``select(individuals, k, rng)``, and ``clone``.
    """
    for operator in (crossover, mutation, repair):
        label_encoding(problem, operator)
    weights = tuple(float(sign) for sign in -problem.natural(np.ones(problem.n_obj)))
    fitness = type("LabelFitness", (base.Fitness,), {"weights": weights})
    toolbox = base.Toolbox()

    def evaluated(genes: NDArray[Any]) -> FloatArray:
        return problem.natural(problem.evaluate(genes, return_values_of=["F"]))

    def repaired(individual: Any, rng: Generator) -> tuple[Any]:
        if repair is not None:
            individual[:] = repair._do(problem, np.asarray(individual)[None], random_state=rng)[0]
        return (individual,)

    def mutated(individual: Any, rng: Generator, crossed: bool = False) -> tuple[Any]:
        genes = mutation.mutated(problem, np.asarray(individual)[None], [crossed], rng)
        genotypes.put_genes(individual, genes[0])
        return (individual,)

    toolbox.register("individual", genotypes.ArrayIndividual, fitness=fitness)
    toolbox.register("population", _population, toolbox, partial(sampling._do, problem))
    toolbox.register("evaluate", EvaluateGenes(evaluated))
    toolbox.register("map", genotypes.batch_map)
    toolbox.register("mate", _as_mate(crossover, problem))
    toolbox.register("mutate", mutated)
    toolbox.register("repair", repaired)
    selection = _random_parents if select.survival == "random" else selecting.sel_tournament_dcd
    toolbox.register("select_parents", selection)
    toolbox.register("select", select)
    return toolbox


def _population(toolbox: base.Toolbox, draw: Callable[..., Any], n: int, rng: Generator) -> Individuals:
    return [toolbox.individual(row) for row in draw(n, random_state=rng)]


def _random_parents(individuals: Individuals, k: int, rng: Generator) -> Individuals:
    return [individuals[row] for row in rng.integers(len(individuals), size=k)]


class LabelStep:
    """Operator that selects parents, creates and evaluates children, and selects survivors.

    Parameters
    ----------
    pop_size : int
        Number of children, and maximum number of survivors.
    pc : float, default=0.6
        Probability that a pair of parents is crossed.
    """

    def __init__(self, pop_size: int, pc: float = 0.6) -> None:
        self.pop_size = integer("pop_size", pop_size)
        self.pc = probability("pc", pc)

    def start(
        self, population: Individuals, toolbox: base.Toolbox, rng: Generator
    ) -> tuple[Individuals, int]:
        """Evaluate the initial population, and return the population and the number of evaluations."""
        n_evaluations = _evaluate_labels(population, toolbox)
        return toolbox.select(population, len(population), rng), n_evaluations

    def __call__(
        self, population: Individuals, toolbox: base.Toolbox, rng: Generator
    ) -> tuple[Individuals, int] | None:
        """Return the next population and the number of evaluations, or None if no new partition is found."""
        seen = set(_keys(population))
        offspring: Individuals = []
        for _ in range(100):  # the same maximum number of rounds as in pymoo
            children = self._children(population, self.pop_size - len(offspring), toolbox, rng)
            for child, key in zip(children, _keys(children), strict=True):
                if key not in seen and len(offspring) < self.pop_size:
                    seen.add(key)
                    offspring.append(child)
            if len(offspring) == self.pop_size:
                break
        if not offspring:
            return None
        n_evaluations = _evaluate_labels(offspring, toolbox)
        return toolbox.select(population + offspring, self.pop_size, rng), n_evaluations

    def _children(
        self, population: Individuals, n: int, toolbox: base.Toolbox, rng: Generator
    ) -> Individuals:
        parents = toolbox.select_parents(population, n + n % 2, rng)
        children = [toolbox.clone(parent) for parent in parents]
        for first, second in zip(children[::2], children[1::2], strict=True):
            crossed = rng.random() < self.pc
            if crossed:
                toolbox.mate(first, second, rng)
            for child in (first, second):
                toolbox.mutate(child, rng, crossed=crossed)
                toolbox.repair(child, rng)
        return children


def _evaluate_labels(individuals: Individuals, toolbox: base.Toolbox) -> int:
    new = [individual for individual in individuals if not individual.fitness.valid]
    for individual, values in zip(new, toolbox.map(toolbox.evaluate, new), strict=True):
        individual.fitness.values = values
    return len(new)


def _keys(individuals: Individuals) -> list[bytes]:
    # All operators number clusters by first appearance, so equal partitions have equal genes.
    return row_digests(genotypes.stacked(individuals))


@documented(ConstraintCrowdingSurvival)
def medoid_toolbox(
    problem: MedoidProblem,
    *,
    length: medoids.Length = "grow",
    mutation: Literal["replace", "full", "swap"] = "replace",
    boundary: Boundary = "infinite",
) -> base.Toolbox:
    """Create a toolbox for :func:`constraint_nsga2_step`.

    Parameters
    ----------
    problem : MedoidProblem
        Problem. A ValueError is raised if its ``supervision`` is ``"constraint"``.
    length : {"grow", "keep", "two_cut"}, default="grow"
        See :class:`~moo_clustering.operators.PrefixUnionCrossover`.
    mutation : {"replace", "full", "swap"}, default="replace"
        Kind of :class:`~moo_clustering.operators.MedoidReplaceMutation`; ``"swap"`` selects
        :class:`~moo_clustering.operators.MedoidSwapMutation`.

    Returns
    -------
    deap.base.Toolbox
        ``individual(genes)``, ``population(n, rng)``, ``mate(first, second, rng)``, ``mutate(individual,
        rng)``, ``select_parents(individuals, k, rng)``, ``select(individuals, k, rng)``, and
        ``evaluate_population(individuals)``, which improves and evaluates all unevaluated individuals, sets
        the rank and crowding of all individuals, and returns the number of evaluations.
    """
    if problem.supervision == "constraint":
        raise ValueError(
            "supervision='constraint' is not supported, because DEAP fitness has no constraints; use "
            "'objective'"
        )
    choice("mutation", mutation, ("replace", "full", "swap"))
    encoding_of(problem, MedoidEncoding)  # raise a TypeError if the encoding is of another type
    fitness = genotypes.SupervisedMedoidFitness if problem.n_obj == 3 else genotypes.MedoidFitness
    toolbox = base.Toolbox()

    def evaluate_population(individuals: Individuals) -> int:
        if new := [individual for individual in individuals if not individual.fitness.valid]:
            out = problem.evaluate(genotypes.stacked(new), return_as_dictionary=True)
            for q, (individual, values) in enumerate(zip(new, problem.natural(out["F"]), strict=True)):
                individual[:] = out["X"][q]
                individual.fitness.values = tuple(values.tolist())
                if "constraint_bonus" in out:
                    individual.fitness.bonus = float(out["constraint_bonus"][q])
                if "assigned_by" in out:
                    individual.assigned_by = out["assigned_by"][q].astype(np.int64)
        selecting.sel_constraint_nsga2(individuals, 0, boundary=boundary)
        return len(new)

    toolbox.register("individual", genotypes.MedoidIndividual, fitness=fitness)
    toolbox.register("population", _population, toolbox, partial(medoids.MedoidSampling()._do, problem))
    toolbox.register("evaluate", _refuse, "medoid_toolbox", "constraint_nsga2_step")
    toolbox.register("evaluate_population", evaluate_population)
    change = medoids.MedoidSwapMutation() if mutation == "swap" else medoids.MedoidReplaceMutation(mutation)
    toolbox.register("mate", _as_mate(medoids.PrefixUnionCrossover(length), problem))
    toolbox.register("mutate", _as_mutate(change, problem))
    toolbox.register("select_parents", selecting.sel_tournament_rank)
    toolbox.register("select", selecting.sel_constraint_nsga2, boundary=boundary)
    return toolbox


def _refuse(toolbox: str, step: str, individual: Any) -> None:
    raise TypeError(
        f"{toolbox} evaluates whole populations, so it only works with {step}; for DEAP loops that "
        "evaluate individuals one by one, use bag_toolbox, slot_toolbox or label_toolbox"
    )


def constraint_nsga2_step(
    population: Individuals, toolbox: base.Toolbox, rng: Generator, *, pc: float = 0.6, pm: float = 0.2
) -> tuple[Individuals, int]:
    """Run one NSGA-II-clus generation: tournament, variation, evaluation and survival.

    Parameters
    ----------
    population : list
        Individuals that ``toolbox.evaluate_population`` has evaluated.
    toolbox : deap.base.Toolbox
        Toolbox returned by :func:`medoid_toolbox`.
    rng : numpy.random.Generator
    pc, pm : float, default=0.6, 0.2
        Probability that a pair is crossed, and that a child is mutated. Only changed children are evaluated.

    Returns
    -------
    survivors : list
    n_evaluations : int
    """
    parents = toolbox.select_parents(population, len(population), rng)
    offspring = moves.var_and(parents, toolbox, rng, pc=pc, pm=pm)
    n_evaluations = toolbox.evaluate_population(offspring)
    return toolbox.select([*population, *offspring], len(population), rng), n_evaluations


def neighbor_toolbox(
    problem: NeighborGraphProblem,
    sampling: Sampling,
    crossover: Crossover,
    mutation: Mutation,
    survival: DynamicDiversitySurvival,
) -> base.Toolbox:
    """Create a toolbox for :func:`dynamic_nsga2_step`.

    Parameters
    ----------
    problem, sampling, crossover, mutation, survival
        Problem and pymoo operators.

    Returns
    -------
    deap.base.Toolbox
        ``individual(genes)``, ``population(n, rng)``, ``mate(first, second, rng)``, ``mutate(individual,
        rng)``, ``select_parents(individuals, k, rng)``, ``select(individuals, k)``, and
        ``evaluate_population(individuals)``, which sets the fitness of all individuals, including their
        diversity within ``individuals``.
    """
    toolbox = base.Toolbox()

    def evaluate_population(individuals: Individuals) -> None:
        ranks = problem.ranks(genotypes.stacked(individuals))
        f2 = problem.one_minus_diversity(ranks, problem.count(ranks), len(ranks))
        selecting.assign_fitness(individuals, np.column_stack([problem.mean_distance(ranks), f2]))

    toolbox.register("individual", genotypes.ArrayIndividual)
    toolbox.register("population", _population, toolbox, partial(sampling._do, problem))
    toolbox.register("evaluate", _refuse, "neighbor_toolbox", "dynamic_nsga2_step")
    toolbox.register("evaluate_population", evaluate_population)
    toolbox.register("mate", _as_mate(crossover, problem))
    toolbox.register("mutate", _as_mutate(mutation, problem))
    toolbox.register("select_parents", selecting.sel_tournament_dcd)
    toolbox.register("select", selecting.sel_dynamic_diversity, problem=problem, survival=survival)
    return toolbox


def dynamic_nsga2_step(
    population: Individuals,
    toolbox: base.Toolbox,
    rng: Generator,
    *,
    pc: float,
    pm: float = 1.0,
    variation: Literal["and", "or"] = "and",
) -> Individuals:
    """Run one generation of NSGA-II with objectives that depend on the population.

    Parents and offspring are evaluated together. ``toolbox.select`` then selects the survivors and evaluates
    them again, relative to the survivors. Raises a ValueError if ``variation="or"`` and ``pm`` is not 1.

    Parameters
    ----------
    population : list of individuals
        Evaluated individuals.
    toolbox : deap.base.Toolbox
        Toolbox returned by :func:`neighbor_toolbox`.
    rng : numpy.random.Generator
    pc, pm : float
        Probabilities that a pair is crossed and that an individual is mutated.
    variation : {"and", "or"}, default="and"
        :func:`var_and`, or :func:`var_or`, which mutates every individual that it does not cross.

    Returns
    -------
    list of individuals
        ``len(population)`` survivors.
    """
    if variation == "or" and pm != 1.0:
        raise ValueError(f"pm must be 1 with variation='or', got {pm}; use variation='and' to set pm")
    vary = partial(moves.var_and, pm=pm) if variation == "and" else moves.var_or
    parents = toolbox.select_parents(population, len(population), rng)
    pool = population + vary(parents, toolbox, rng, pc=pc)
    toolbox.evaluate_population(pool)
    return toolbox.select(pool, len(population))
