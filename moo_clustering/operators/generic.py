"""Operators for the genes of any encoding, and those that wrap others: refilling, a choice of mutations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.core.duplicate import DuplicateElimination, NoDuplicateElimination
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling

from moo_clustering._arrays import IntArray, quoted, warn_caller
from moo_clustering.encodings import Encoding
from moo_clustering.operators import base
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.ensembles import EnsembleSelectionProblem
from moo_clustering.problems.partition import OPERATOR_MAKERS, registered_operators

Maker = Callable[[], Any]


class EncodingSampling(base.SeededSampling):
    """Draw valid individuals by ``problem.encoding.random``, for any encoding."""

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> IntArray:
        return base.encoding_of(problem).random(n_samples, rng)


class RefillingSampling(Sampling):
    """Draw from another sampling until there are enough distinct individuals.

    pymoo removes duplicates from the initial population but does not replace them, so that in a small
    search space a run starts with a fraction of its population.

    Parameters
    ----------
    sampling : pymoo Sampling
        Must draw valid genotypes if ``duplicates`` decodes them.
    duplicates : pymoo DuplicateElimination
        Finds duplicates, for instance
        :class:`~moo_clustering.operators.CanonicalDuplicates`.
    max_tries : int, default=20
        Largest number of populations drawn. If they do not hold enough distinct individuals, those found
        are returned, with a UserWarning.
    """

    def __init__(self, sampling: Sampling, duplicates: DuplicateElimination, max_tries: int = 20) -> None:
        super().__init__()
        if not isinstance(sampling, Sampling):
            raise TypeError(f"sampling must be a pymoo Sampling, got {type(sampling).__name__}.")
        if not isinstance(duplicates, DuplicateElimination):
            raise TypeError(
                f"duplicates must be a pymoo DuplicateElimination, got {type(duplicates).__name__}."
            )
        if max_tries < 1:
            raise ValueError(f"max_tries must be at least 1, got {max_tries}.")
        self.sampling = sampling
        self.duplicates = duplicates
        self.max_tries = max_tries

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        pop = Population()
        for _ in range(self.max_tries):
            # Some samplings depend on the number asked for, so it is always a whole population.
            drawn = self.sampling(problem, n_samples, *args, random_state=random_state, **kwargs)
            pop = Population.merge(pop, self.duplicates.do(drawn, pop))
            if len(pop) >= n_samples:
                break
        else:
            warn_caller(
                f"found {len(pop)} distinct individuals of {n_samples} asked for in {self.max_tries} "
                "populations: the search space is small, or the sampling narrow."
            )
        return pop[:n_samples].get("X")


class EncodingMutation(base.SeededMutation):
    """Replace genes by those of random individuals of ``problem.encoding``, for any encoding.

    Children may need a repair, which :class:`~moo_clustering.operators.EncodingRepair` does.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/n_var.
    """

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        rate = self.get_prob_var(problem, size=(len(X), 1))
        drawn = base.encoding_of(problem).random(len(X), rng)
        return np.where(rng.random(X.shape) < rate, drawn, X)


class MutationChoice(base.DrawnMutation):
    """Draw one of several mutations for each individual, as pymoo's algorithms take a single one.

    Parameters
    ----------
    mutations : sequence of pymoo Mutation
        Their own ``prob`` is ignored.
    weights : array-like of shape (n_mutations,), optional
        Relative frequencies, equal by default.
    """

    def __init__(
        self,
        mutations: Sequence[Mutation],
        weights: ArrayLike | None = None,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.mutations = tuple(mutations)
        if not self.mutations:
            raise ValueError("mutations must hold at least one pymoo Mutation, got none.")
        for mutation in self.mutations:
            if not isinstance(mutation, Mutation):
                raise TypeError(f"mutations must be pymoo Mutations, got {type(mutation).__name__}.")
        given = np.ones(len(self.mutations)) if weights is None else np.asarray(weights, dtype=np.float64)
        if given.shape != (len(self.mutations),) or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError(
                f"weights must be {len(self.mutations)} numbers >= 0, one each; got {quoted(weights)}."
            )
        if not given.sum() > 0:
            raise ValueError(f"weights must not all be 0, got {quoted(weights)}.")
        self.weights = given / given.sum()

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        which = rng.choice(len(self.mutations), size=len(X), p=self.weights)
        mutated = X.copy()
        for number, mutation in enumerate(self.mutations):
            rows = np.flatnonzero(which == number)
            if len(rows):
                mutated[rows] = mutation._do(problem, X[rows], random_state=rng)
        return mutated


class EncodingRepair(base.GeneRepair):
    """Make individuals valid by ``problem.encoding.repair``.

    Fractions are rounded to integers first, so that pymoo's real-valued operators can be used with any
    encoding.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return base.encoding_of(problem).repair(X)


def suited_operators(problem: Any, algorithm: type[Any] | None = None) -> dict[str, Any]:
    """Operators that suit a problem, as keyword arguments of any pymoo algorithm.

    ``problem.operators(algorithm)`` is the same. Each value may be replaced:
    ``NSGA2(**(problem.operators() | {"mutation": mine}))``.

    Parameters
    ----------
    problem : Problem
        A problem of this package, or any with an attribute ``encoding``.
    algorithm : type, optional
        Class of the pymoo algorithm. Needed for MOEAD, which takes no ``eliminate_duplicates``.

    Returns
    -------
    dict
        ``sampling``, ``crossover``, ``mutation``, ``eliminate_duplicates``, and ``repair`` where genes may
        need one. With an ``encoding``, the initial population is refilled until it is distinct, and
        duplicates are found in canonical form.

    Raises
    ------
    TypeError
        The problem is none of this package and has no encoding.
    """
    return registered_operators(problem, algorithm)


def register_operators(
    kind: type[Any],
    *,
    sampling: Maker = EncodingSampling,
    crossover: Maker,
    mutation: Maker,
    repair: Maker | None = None,
    duplicates: Callable[[Any], DuplicateElimination] = lambda problem: NoDuplicateElimination(),
) -> None:
    """Register the operators of a class of problems, or of all problems whose encoding is of a class.

    They are made anew for each algorithm. ``duplicates(problem)`` makes the elimination of duplicates for
    problems without an encoding; with one, duplicates are found in canonical form.
    """

    def make(problem: Any, algorithm: type[Any] | None) -> dict[str, Any]:
        makers = {"sampling": sampling, "crossover": crossover, "mutation": mutation, "repair": repair}
        named = {name: maker() for name, maker in makers.items() if maker is not None}
        # MOEAD keeps duplicates, and needs as many individuals as it has directions.
        if algorithm is not None and issubclass(algorithm, MOEAD):
            return named
        encoding = getattr(problem, "encoding", None)
        if encoding is None:
            return named | {"eliminate_duplicates": duplicates(problem)}
        canonical = CanonicalDuplicates(encoding)
        named["sampling"] = RefillingSampling(named["sampling"], canonical)
        return named | {"eliminate_duplicates": canonical}

    OPERATOR_MAKERS[kind] = make


register_operators(
    Encoding,
    crossover=partial(UniformCrossover, prob=0.9),
    mutation=EncodingMutation,
    repair=EncodingRepair,
)
# Its genes are bits, for which pymoo has the operators.
register_operators(
    EnsembleSelectionProblem,
    sampling=BinaryRandomSampling,
    crossover=HUX,
    mutation=BitflipMutation,
    duplicates=lambda problem: CanonicalDuplicates(),
)
