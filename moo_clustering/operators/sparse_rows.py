"""SRMOSC operators: genes are weights that reconstruct each sample from its candidate neighbours."""

from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.core.evaluator import Evaluator
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling

from moo_clustering._arrays import BoolArray, Float32Array, FloatArray, Labels, integer
from moo_clustering._kernels import least_squares
from moo_clustering._kernels.least_squares import swap_rows
from moo_clustering._kernels.threads import for_blocks, for_parts
from moo_clustering.operators import base
from moo_clustering.operators.generic import register_operators
from moo_clustering.problems.graphs import SRMOSCProblem, summed

Tables = tuple[FloatArray, Labels]
SPARSE_ROWS: tuple[str, ...] = ("SRMOSCProblem", "candidates")
TABLES = ("row_errors", "row_sizes")


class SparseRowSampling(Sampling):
    """Link each sample to its nearest candidates: to one in the first individual, and to all in the last.

    Each sample has w candidates. Individual m = 0, ..., n - 1 uses the nearest 1 + round((w - 1) m / (n - 1))
    of them. All weights start equal, and are then refitted by coordinate descent; nothing is random. Sets
    ``row_errors`` and ``row_sizes`` for :class:`~moo_clustering.algorithms.RowTableEvaluator`. Takes O(n N w
    n_features n_sweeps) time, where N is the number of samples. Reconstructed, because the original operators
    (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.

    Parameters
    ----------
    n_sweeps : int, default=3
        Number of coordinate-descent sweeps.
    """

    def __init__(self, n_sweeps: int = 3) -> None:
        super().__init__()
        self.n_sweeps = integer("n_sweeps", n_sweeps, 0)

    def do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> Population:
        """Create the population; each individual has its own array of genes."""
        return Population.create(*(self._individual(problem, m, n_samples) for m in range(n_samples)))

    def _do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> Float32Array:
        return np.stack([self._individual(problem, m, n_samples).X for m in range(n_samples)])

    def _individual(self, problem: SRMOSCProblem, member: int, n_members: int) -> Individual:
        _, candidates, admissible = base.require(problem, *SPARSE_ROWS).candidates()
        width = 1 + round((problem.width - 1) * member / max(n_members - 1, 1))
        rows, errors, sizes = problem.fitted_rows(candidates, admissible, width, self.n_sweeps)
        return Individual(X=rows.reshape(-1), row_errors=errors, row_sizes=sizes)


class RowUniformCrossover(base.PairCrossover):
    """Swap each sample's row of weights between two parents with probability one half.

    Requires an ``SRMOSCProblem``. If both parents have ``row_errors`` and ``row_sizes``, the entries of these
    arrays are swapped too. Takes O(N w) time and memory per crossed pair, where w is the number of candidates
    per sample. Reconstructed like :class:`SparseRowSampling`.

    Parameters
    ----------
    prob : float, default=0.7
        Probability that a pair is crossed; otherwise, the children share their parents' arrays.
    """

    _needs = SPARSE_ROWS

    def __init__(self, prob: float = 0.7, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def do(
        self, problem: Any, pop: Any, parents: Any = None, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> Population:
        """Cross individuals, and return all first children, then all second children."""
        base.require(problem, *self._needs)
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[pair] for pair in parents]
        crossed = rng.random(len(pairs)) < float(self.prob.value)
        made = []
        for (first, second), cross in zip(pairs, crossed, strict=True):
            swap = base.random_bits(1, problem.n_samples, rng)[0] if cross else None
            made.append(_children(problem, first, second, swap))
        return Population.create(*chain.from_iterable(zip(*made, strict=True)))

    def _apply(self, problem: SRMOSCProblem, X: NDArray[Any], rng: Generator) -> Float32Array:
        children = np.empty(X.shape, dtype=np.float32)
        for k, (first, second) in enumerate(X.swapaxes(0, 1)):
            swap = base.random_bits(1, problem.n_samples, rng)[0]
            children[:, k] = _swapped_rows(problem, first, second, swap)
        return children


def _children(
    problem: SRMOSCProblem, first: Individual, second: Individual, swap: BoolArray | None
) -> tuple[Individual, Individual]:
    genes = (first.X, second.X) if swap is None else _swapped_rows(problem, first.X, second.X, swap)
    values = [{"X": each} for each in genes]
    if all(parent.has(name) for parent in (first, second) for name in TABLES):
        for name in TABLES:
            one, other = first.get(name), second.get(name)
            if swap is not None:
                one, other = np.where(swap, other, one), np.where(swap, one, other)
            values[0][name], values[1][name] = one, other
    return Individual(**values[0]), Individual(**values[1])


def _swapped_rows(
    problem: SRMOSCProblem, first: NDArray[Any], second: NDArray[Any], swap: BoolArray
) -> tuple[Float32Array, Float32Array]:
    shape = problem.n_samples, problem.width
    one, other = (np.ascontiguousarray(x, dtype=np.float32).reshape(shape) for x in (first, second))
    child, sibling = np.empty_like(one), np.empty_like(one)

    def exchange(lo: int, hi: int) -> None:
        swap_rows(one, other, swap, lo, hi, child, sibling)

    for_blocks(exchange, problem.n_samples, 2 * problem.width, problem.n_jobs)
    return child.reshape(-1), sibling.reshape(-1)


class SupportMutation(base.DrawnMutation):
    """Drop the smallest weight in a row or add the candidate with the largest gain, then refit the weights.

    A candidate's gain is the largest error reduction that its weight alone can achieve: max(0, g)^2 / G,
    where g is minus half the derivative of the error with respect to this weight, and G is half the second
    derivative. The last weight in a row is never dropped; the weights are refitted even if none is added or
    dropped. Requires an ``SRMOSCProblem``. Takes O(row_rate N n_features (w + n_sweeps links)) time per
    individual, where ``links`` is the number of weights per row. Reconstructed like
    :class:`SparseRowSampling`.

    Parameters
    ----------
    row_rate : float, default=0.05
        Share of an individual's rows to change; at least one row is changed.
    n_sweeps : int, default=5
        Number of non-negative coordinate-descent sweeps over the links in a row.
    """

    _needs = SPARSE_ROWS

    def __init__(
        self, prob: float = 0.3, *, row_rate: float = 0.05, n_sweeps: int = 5, **kwargs: Any
    ) -> None:
        if not 0 < row_rate <= 1:
            raise ValueError(f"row_rate must be in (0, 1], got {row_rate}")
        super().__init__(prob, **kwargs)
        self.row_rate = row_rate
        self.n_sweeps = integer("n_sweeps", n_sweeps, 0)

    def _mutate(self, problem: Any, drawn: Population, *args: Any, random_state: Any, **kwargs: Any) -> None:
        base.require(problem, *self._needs)
        for individual in drawn:
            # All arrays are copied, because a parent may use the same arrays.
            genes = problem.weights(individual.X)[0]
            tables = None
            if all(individual.has(name) for name in TABLES):
                tables = individual.get("row_errors").copy(), individual.get("row_sizes").copy()
                for name, table in zip(TABLES, tables, strict=True):
                    individual.set(name, table)
            self._change(problem, genes, tables, random_state)
            individual.X = genes.reshape(-1)

    def _apply(self, problem: SRMOSCProblem, X: NDArray[Any], rng: Generator) -> Float32Array:
        mutated = problem.weights(X)
        for genes in mutated:
            self._change(problem, genes, None, rng)
        return mutated.reshape(len(mutated), -1)

    def _change(
        self, problem: SRMOSCProblem, genes: Float32Array, tables: Tables | None, rng: Generator
    ) -> None:
        X, candidates, admissible = problem.candidates()
        n_samples = len(X)
        which = rng.choice(n_samples, size=max(1, round(self.row_rate * n_samples)), replace=False)
        drop = rng.random(len(which)) < 0.5
        errors, sizes = tables or (np.empty(n_samples), np.empty(n_samples, dtype=np.int32))

        def change(lo: int, hi: int) -> None:
            least_squares.change_supports(
                X, problem.norms, candidates, admissible, problem.rho, which, drop, self.n_sweeps, lo, hi,
                genes, errors, sizes,
            )  # fmt: skip

        n_operations = (1.0 + self.n_sweeps) * problem.width * len(which) * X.shape[1]
        for_parts(change, len(which), n_operations, problem.n_jobs)


class RowTableEvaluator(Evaluator):
    """Evaluate SRMOSC individuals by summing the errors and link counts stored for their samples.

    Use ``NSGA2(..., evaluator=RowTableEvaluator())`` with operators that update the individuals' arrays
    ``row_errors`` and ``row_sizes``, such as ``SparseRowSampling``, ``RowUniformCrossover`` and
    ``SupportMutation``. Missing arrays are computed. If operators change genes but not these arrays, use
    pymoo's evaluator. Takes O(N) time per individual.
    """

    def _eval(self, problem: SRMOSCProblem, pop: Population, evaluate_values_of: Any, **kwargs: Any) -> None:
        for individual in pop:
            if not individual.has("row_errors"):
                errors, sizes = problem.row_tables(individual.X)
                individual.set("row_errors", errors[0])
                individual.set("row_sizes", sizes[0])
            F, G = summed(*(individual.get(name)[np.newaxis] for name in TABLES))
            for name, value in (("F", F[0]), ("G", G[0]), ("H", np.empty(0))):
                individual.set(name, value)
                individual.evaluated.add(name)


register_operators(
    SRMOSCProblem, sampling=SparseRowSampling, crossover=RowUniformCrossover, mutation=SupportMutation
)
