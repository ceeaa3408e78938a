"""Operators for any encoding, wrappers around other operators, and the registry of operators."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import DuplicateElimination, NoDuplicateElimination
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.core.result import Result
from pymoo.core.sampling import Sampling
from pymoo.core.variable import get
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.repair.to_bound import ToBoundOutOfBoundsRepair
from pymoo.operators.sampling.rnd import BinaryRandomSampling

from moo_clustering._arrays import IntArray, instance, integer, name_of, quoted, warn_caller
from moo_clustering._data import checked_array, checked_integers
from moo_clustering.encodings import Encoding, TupleEncoding, relabel_by_first_appearance
from moo_clustering.operators import base
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.ensembles import EnsembleSelectionProblem
from moo_clustering.problems.partition import OPERATOR_MAKERS, registered_operators

Maker = Callable[[], Any]
Perturb: TypeAlias = "Mutation | Callable[[Any, NDArray[Any], Generator], NDArray[Any]]"
Variation = Callable[[NDArray[Any], Generator], NDArray[Any]]
# Operators that these algorithms accept although their signatures do not list them.
_ACCEPTED = {
    "DirectedWalks": ("sampling", "mutation", "repair", "eliminate_duplicates"),
    "MOEAD": ("sampling", "crossover", "mutation", "repair"),
}
# Each key states why some algorithms cannot search genotypes. Its value lists the names of their classes.
_REASONS = {
    "evaluates real-valued vectors, which cannot be decoded without a repair": (
        "BRKGA DE EPPSO ES KGB LocalSearch MOPSO_CD NSDE Optuna"
    ),
    "searches a single real variable": "BracketSearch ExponentialSearch LineSearch WolfeSearch",
    "wraps another algorithm, which requires the operators": "Meta MetaAlgorithm2",
    "divides by differences between genes, which are 0 for equal genes": "NRBO",
}
_UNSUITED = {name: reason for reason, names in _REASONS.items() for name in names.split()}


class EncodingSampling(base.SeededSampling):
    """Draw valid individuals with ``problem.encoding.random``."""

    def _apply(self, problem: Any, n_samples: int, rng: Generator) -> IntArray:
        return base.encoding_of(problem).random(n_samples, rng)


class RefillingSampling(Sampling):
    """Repeat another sampling until it has drawn enough distinct individuals.

    pymoo removes duplicates from the initial population without replacing them.

    Parameters
    ----------
    sampling : pymoo Sampling
        Sampling to repeat, which must draw valid genotypes if ``duplicates`` decodes them.
    duplicates : pymoo DuplicateElimination
        Duplicate elimination, such as :class:`~moo_clustering.operators.CanonicalDuplicates`.
    max_tries : int, default=20
        Maximum number of populations to draw. Issues a UserWarning if they yield too few distinct genotypes.
    start : ndarray of shape (n_start, n_var), optional
        First genotypes of the population. All other genotypes are drawn.
    """

    def __init__(
        self, sampling: Sampling, duplicates: DuplicateElimination, max_tries: int = 20, start: Any = None
    ) -> None:
        super().__init__()
        what = "a pymoo DuplicateElimination"
        self.sampling = instance("sampling", sampling, Sampling, "a pymoo Sampling")
        self.duplicates = instance("duplicates", duplicates, DuplicateElimination, what)
        self.max_tries = integer("max_tries", max_tries)
        self.start = start

    def _do(
        self, problem: Any, n_samples: int, *args: Any, random_state: Generator | None = None, **kwargs: Any
    ) -> NDArray[Any]:
        pop = Population() if self.start is None else self.duplicates.do(Population.new(X=self.start))
        for _ in range(self.max_tries):
            # Each attempt draws a whole population, because some samplings depend on the number of
            # individuals.
            drawn = self.sampling(problem, n_samples, *args, random_state=random_state, **kwargs)
            pop = Population.merge(pop, self.duplicates.do(drawn, pop))
            if len(pop) >= n_samples:
                break
        else:
            warn_caller(
                f"found only {len(pop)} of {n_samples} distinct individuals in {self.max_tries} populations; "
                "the search space may be too small, or the sampling not diverse enough"
            )
        return pop[:n_samples].get("X")


class EncodingMutation(base.SeededMutation):
    """Replace genes with genes drawn by ``problem.encoding.random``; mutants can be invalid.

    Parameters
    ----------
    prob_var : float, optional
        Probability that each gene is replaced. Default: 1 / n_var.
    """

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        rate = self.get_prob_var(problem, size=(len(X), 1))
        drawn = base.encoding_of(problem).random(len(X), rng)
        return np.where(rng.random(X.shape) < rate, drawn, X)


class MutationChoice(base.DrawnMutation):
    """Apply one of several mutations, drawn at random for each individual.

    Parameters
    ----------
    mutations : sequence of pymoo Mutation
        Mutations to choose from; their ``prob`` is ignored.
    weights : array-like of shape (n_mutations,), optional
        Non-negative relative frequencies. Default: equal frequencies.
    """

    def __init__(
        self,
        mutations: Sequence[Mutation],
        weights: ArrayLike | None = None,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.mutations = tuple(mutations) if isinstance(mutations, Iterable) else (None,)
        if not all(isinstance(mutation, Mutation) for mutation in self.mutations):
            raise TypeError(f"mutations must be a list of pymoo Mutations, got {quoted(mutations)}")
        if not self.mutations:
            raise ValueError("mutations must contain at least one pymoo Mutation")
        n = len(self.mutations)
        given = checked_array([1.0] * n if weights is None else weights, "weights", np.float64)
        if given.shape != (n,) or (given < 0).any():
            raise ValueError(
                f"weights must have one non-negative number per mutation ({n}), got {quoted(weights)}"
            )
        if not given.sum() > 0:
            raise ValueError(f"weights must not all be 0, got {quoted(weights)}")
        self.weights = given / given.sum()

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        which = rng.choice(len(self.mutations), size=len(X), p=self.weights)
        mutated = X.copy()
        for number, mutation in enumerate(self.mutations):
            rows = np.flatnonzero(which == number)
            if len(rows):
                made = mutation._do(problem, X[rows], random_state=rng)
                mutated[rows] = base.children_of(mutation, made, (len(rows), X.shape[1]))
        return mutated


class EncodingRepair(base.GeneRepair):
    """Apply ``problem.encoding.repair``, which also rounds real values to integer genes."""

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        return base.encoding_of(problem).repair(X)


class _PartsCrossover(base.PairCrossover):
    """Cross the parts of a ``TupleEncoding`` separately.

    Each part is crossed by the crossover registered for its encoding. If that crossover does not produce two
    children from two parents, a uniform crossover is used instead.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        parents, children = np.arange(X.shape[1] * 2).reshape(2, -1).T, []
        for part, genes in _parts_of(problem, X):
            crossover = registered_operators(part)["crossover"]
            if (crossover.n_parents, crossover.n_offsprings) != (2, 2):
                crossover = UniformCrossover(prob=0.9)
            pop = Population.new(X=genes.reshape(-1, part.n_var))
            made = crossover.do(part, pop, parents, random_state=rng)
            children.append(made.get("X").reshape(genes.shape))
        return np.concatenate(children, axis=-1).astype(X.dtype)


class _PartsMutation(base.SeededMutation):
    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        mutants = []
        for part, genes in _parts_of(problem, X):
            mutation = registered_operators(part)["mutation"]
            mutants.append(mutation.do(part, Population.new(X=genes), random_state=rng).get("X"))
        return np.concatenate(mutants, axis=-1).astype(X.dtype)


def _parts_of(problem: Any, X: NDArray[Any]) -> list[tuple[Problem, IntArray]]:
    encoding, found = base.encoding_of(problem, TupleEncoding), []
    for part, genes in zip(encoding.parts, encoding.genes(X), strict=True):
        low, high = part.bounds()
        found.append((Problem(n_var=part.n_var, n_obj=1, xl=low, xu=high, vtype=part.dtype), genes))
        found[-1][0].encoding = part
    return found


def suited_operators(
    problem: Any, algorithm: type[Any] | None = None, *, start: Any = None
) -> dict[str, Any]:
    """Return the operators registered for a problem as keyword arguments for a pymoo algorithm.

    ``problem.operators(algorithm)`` is equivalent. To replace an operator, use
    ``NSGA2(**(problem.operators(NSGA2) | {"mutation": mine}))``. Raises a TypeError if no operators
    are registered or the algorithm cannot search genotypes, and a ValueError if it does not support the
    problem's constraints.

    Parameters
    ----------
    problem : Problem
        A problem of this package, or any problem with an ``encoding`` attribute.
    algorithm : type, optional
        Class of the pymoo algorithm. Default: return the keyword arguments for NSGA-II.
    start : array-like, Population, estimator or path, optional
        First individuals of the initial population; see :func:`start_genes`. All others are drawn.

    Returns
    -------
    dict
        ``sampling``, ``crossover``, ``mutation``, ``eliminate_duplicates`` and, if registered, ``repair``. If
        the problem has an ``encoding``, the sampling replaces duplicates, which are individuals with equal
        partitions or, if an index uses genes or decoding is slow, with equal (canonical) genes.
    """
    operators = registered_operators(problem, algorithm)
    if algorithm is not None:
        base.check_constraints(problem, algorithm)
    if start is not None:
        operators["sampling"] = begun(operators["sampling"], start_genes(problem, start))
    return operators


def begun(sampling: Sampling, genes: NDArray[Any]) -> Sampling:
    """Return a sampling that starts each population with the given genotypes."""
    if not isinstance(sampling, RefillingSampling):
        sampling = RefillingSampling(sampling, NoDuplicateElimination())
    sampling.start = genes
    return sampling


def start_genes(problem: Any, start: Any) -> NDArray[Any]:
    """Convert partitions or earlier results to genotypes from which a search can start.

    Raises a ValueError if the number of samples is wrong or there are too many clusters, and a TypeError if
    the encoding cannot encode partitions. Issues a UserWarning if it can only approximate some of them.

    Parameters
    ----------
    problem : Problem
    start : array-like, Population, Result, estimator or path
        Partitions of shape (n, n_samples) or (n_samples,), genotypes of shape (n, n_var), a run folder, or a
        fitted estimator with a front or labels. Genotypes must be a Population if n_var = n_samples. A fitted
        PESC or SRMOSC provides its population if its problem has the class of ``problem``.

    Returns
    -------
    X : ndarray of shape (n, n_var)
    """
    encoding = problem if isinstance(problem, Encoding) else getattr(problem, "encoding", problem)
    n_var = getattr(problem, "n_var", None)
    earlier: Any = getattr(start, "result_", None)
    if encoding is problem and isinstance(getattr(earlier, "problem", None), type(problem)):
        # A graph contains more information than its partition, so the genotypes of the earlier run are used.
        start = earlier if earlier.X is not None else start
    rows = start_rows(start)
    is_population = isinstance(start, Population | Result)
    if rows.shape[1:] == (n_var,) and (is_population or n_var != getattr(encoding, "n_samples", None)):
        low, high = (problem.xl, problem.xu) if hasattr(problem, "xl") else encoding.bounds()
        high = getattr(problem, "largest_gene", high)
        slack = 1e-6 * np.maximum(1.0, np.abs(high))
        if not ((rows >= low - slack) & (rows <= high + slack)).all():
            raise ValueError(
                "start has genes outside the bounds of the problem; use a population from a search on the "
                "same data with the same parameters"
            )
        return rows
    if not hasattr(encoding, "encode"):
        raise TypeError(
            f"{type(problem).__name__} cannot encode partitions; pass the Population or result_ of an "
            f"earlier search as start, with genes of shape (n, {n_var})"
        )
    labels = _start_labels(rows, encoding)
    genes: NDArray[Any] = encoding.encode(labels)
    changed = (_partitions(encoding, genes) != labels).any(axis=1)
    if changed.any():
        warn_caller(
            f"{type(encoding).__name__} can only approximate {np.count_nonzero(changed)} of "
            f"{len(labels)} partitions in start"
        )
    return genes


def _start_labels(rows: NDArray[Any], encoding: Any) -> IntArray:
    n_samples = getattr(encoding, "n_samples", None)
    if rows.shape[1:] != (n_samples,):
        raise ValueError(f"start must contain partitions of {n_samples} samples, got shape {rows.shape}")
    labels = checked_integers(rows, "start")
    if not len(labels):
        raise ValueError("start must contain at least one partition")
    if labels.min() < 0:
        raise ValueError(
            f"labels of start must be non-negative, got {labels.min()}; assign noise to clusters"
        )
    labels = relabel_by_first_appearance(labels)
    limits = [getattr(encoding, name, None) for name in ("k_max", "n_clusters")]
    k_max = next((limit for limit in limits if isinstance(limit, int)), len(labels[0]))
    if (k := int(labels.max()) + 1) > k_max:
        raise ValueError(
            f"start has {k} clusters, but the encoding supports at most {k_max}; increase k_max or n_clusters"
        )
    return labels


def start_rows(start: Any) -> NDArray[Any]:
    """Read the partitions or genotypes to start from, one per row."""
    if isinstance(start, str | PathLike):
        path = Path(start) / "labels.csv"
        if not path.is_file():
            raise ValueError(f"start must be a finished run folder, but {path} does not exist")
        # pandas is imported here, because the import is slow and few calls need it.
        from pandas import read_csv

        start = read_csv(path)["label"].to_numpy()
    if isinstance(start, Result):
        start = start.X if start.pop is None else start.pop
    given = start.get("X") if isinstance(start, Population) else start
    given = getattr(given, "pareto_labels_", getattr(given, "labels_", given))
    if hasattr(given, "fit"):
        raise ValueError(f"start must be fitted, but {type(given).__name__} is not; call its fit first")
    return np.atleast_2d(checked_array(given, "start"))


def vary(
    problem: Any,
    X: ArrayLike,
    crossover: Crossover,
    mutation: Mutation,
    random_state: int | Generator | None = None,
    *,
    n_offsprings: int | None = None,
    repair: Repair | None = None,
) -> NDArray[Any]:
    """Mate, mutate and repair a population of genotypes once, for archives and custom loops.

    Parents are drawn at random. All are drawn equally often or, if this is impossible, some are drawn once
    more. Raises a ValueError if ``X`` is empty or does not have ``problem.n_var`` columns.

    Parameters
    ----------
    problem : Problem
    X : array-like of shape (n_parents, n_var)
        Parents, which are not modified.
    crossover, mutation
        pymoo operators, applied with their ``prob``.
    random_state : int, Generator or None, default=None
    n_offsprings : int, optional
        Number of children. Default: number of parents.
    repair : pymoo Repair, optional
        Default: the ``repair`` of ``problem.operators()``, if any.

    Returns
    -------
    children : ndarray of shape (n_offsprings, n_var)

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> from moo_clustering.problems import PartitionProblem
    >>> problem = PartitionProblem([[0.0], [1.0], [10.0], [11.0]], LabelEncoding(4, k_max=2), "silhouette")
    >>> parts = problem.operators()
    >>> vary(problem, [[0, 0, 1, 1], [0, 1, 0, 1]], parts["crossover"], parts["mutation"], 0).shape
    (2, 4)
    """
    instance("crossover", crossover, Crossover, "a pymoo Crossover")
    instance("mutation", mutation, Mutation, "a pymoo Mutation")
    genes, rng = checked_array(X, "X"), np.random.default_rng(random_state)
    if genes.ndim != 2 or genes.shape[1] != problem.n_var or not len(genes):
        raise ValueError(f"X must have shape (n_parents, {problem.n_var}), got shape {genes.shape}")
    if repair is None and hasattr(problem, "operators"):
        repair = problem.operators().get("repair")
    n = integer("n_offsprings", len(genes) if n_offsprings is None else n_offsprings)
    n_matings = -(-n // crossover.n_offsprings)
    size = n_matings * crossover.n_parents
    order = np.concatenate([rng.permutation(len(genes)) for _ in range(-(-size // len(genes)))])
    parents = order[:size].reshape(n_matings, -1)
    with base.checked_operators(SimpleNamespace(operators=[crossover, mutation, repair])):
        children = crossover.do(problem, Population.new(X=genes), parents, random_state=rng)[:n]
        children = mutation.do(problem, children, random_state=rng)
        if repair is not None:
            children = repair.do(problem, children, random_state=rng)
    return np.asarray(children.get("X"))


def variation(problem: Any, perturb: Perturb, repair: Repair | None) -> Variation:
    """Return a function ``vary(X, rng) -> X`` that applies ``perturb`` to a copy of X, then ``repair``."""
    who = type(perturb).__name__ if isinstance(perturb, Mutation) else name_of(perturb)

    def vary(X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        if isinstance(perturb, Mutation):
            out = np.asarray(perturb._do(problem, X.copy(), random_state=rng))
            if (share := get(perturb.prob)) < 1:
                out = np.where((rng.random(len(X)) <= share)[:, None], out, X)
            if perturb.vtype is not None:
                out = out.astype(perturb.vtype)
        else:
            out = np.asarray(perturb(problem, X.copy(), rng))
        for each in (perturb.repair if isinstance(perturb, Mutation) else None, repair):
            out = out if each is None else np.asarray(each._do(problem, out, random_state=rng))
        if out.shape != X.shape:
            raise ValueError(
                f"perturb must return an array of the shape of X, {X.shape}, but {who} returned {out.shape}"
            )
        return out.astype(X.dtype, copy=False)

    return vary


def register_operators(
    kind: type[Any],
    *,
    sampling: Maker = EncodingSampling,
    crossover: Maker,
    mutation: Maker,
    repair: Maker | None = None,
    duplicates: Callable[[Any], DuplicateElimination] | None = None,
) -> None:
    """Register operators for problems of class ``kind``, or with an encoding of class ``kind``."""
    # Each operator argument is a factory that is called once per algorithm. By default, genotypes are
    # duplicates if they encode equal partitions. If the problem has no encoding, duplicates are not removed.

    def make(problem: Any, algorithm: type[Any] | None) -> dict[str, Any]:
        makers = {"sampling": sampling, "crossover": crossover, "mutation": mutation, "repair": repair}
        named = {name: maker() for name, maker in makers.items() if maker is not None}
        accepted = {*makers, "eliminate_duplicates"} if algorithm is None else _accepted(algorithm)
        if "perturb" in accepted:
            named["perturb"] = named.pop("mutation")
        encoding = getattr(problem, "encoding", None)
        if accepted & {"repair", "crossover", "mutation", "perturb"} == {"repair"}:
            # Algorithms such as PSO produce real values, which can lie outside the bounds.
            within = EncodingRepair if isinstance(encoding, Encoding) else ToBoundOutOfBoundsRepair
            rounding = RoundingRepair() if problem.vtype is bool else None
            named["repair"] = within(repair=named.get("repair", rounding))
        # MOEAD requires one individual per reference direction, so its duplicates must not be removed.
        if "eliminate_duplicates" in accepted or not accepted & {"crossover", "mutation"}:
            if duplicates is not None:
                elimination = duplicates(problem)
            elif encoding is None:
                elimination = NoDuplicateElimination()
            elif getattr(problem, "reads_genes", False):
                elimination = CanonicalDuplicates()
            else:
                elimination = CanonicalDuplicates(partial(_partitions, encoding))
            named["eliminate_duplicates"] = elimination
            if encoding is not None:
                named["sampling"] = RefillingSampling(named["sampling"], elimination)
        return {name: operator for name, operator in named.items() if name in accepted}

    OPERATOR_MAKERS[kind] = make


def _partitions(encoding: Encoding, X: NDArray[Any]) -> IntArray:
    return relabel_by_first_appearance(encoding.decode(X))


def _accepted(algorithm: type[Any]) -> set[str]:
    """Return the names of the arguments that an algorithm class accepts.

    If a class passes keyword arguments on, the arguments of its base class are included. Raises a TypeError
    if the algorithm cannot search genotypes.
    """
    accepted: set[str] = set()
    if not isinstance(algorithm, type):
        raise TypeError(f"algorithm must be a class such as NSGA2, got {quoted(algorithm)}")
    for kind in algorithm.__mro__:
        if kind.__name__ in _UNSUITED:
            raise TypeError(
                f"{algorithm.__name__} cannot search genotypes, because it {_UNSUITED[kind.__name__]}; use "
                "an algorithm with crossover and mutation, such as NSGA2, or with a repair, such as PSO"
            )
        if kind.__name__ in _ACCEPTED:
            return accepted.union(_ACCEPTED[kind.__name__])
        parameters = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
        accepted.update(parameters)
        if all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            break
    return accepted


register_operators(
    Encoding, crossover=partial(UniformCrossover, prob=0.9), mutation=EncodingMutation, repair=EncodingRepair
)
register_operators(
    TupleEncoding, crossover=partial(_PartsCrossover, 1.0), mutation=_PartsMutation, repair=EncodingRepair
)
register_operators(
    EnsembleSelectionProblem,
    sampling=BinaryRandomSampling,
    crossover=HUX,
    mutation=BitflipMutation,
    duplicates=lambda problem: CanonicalDuplicates(),
)
