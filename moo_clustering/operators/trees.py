"""MOCK operators: each gene links a sample to another, initially along a minimum spanning tree."""

import warnings
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.ux import UniformCrossover
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from moo_clustering._arrays import BoolArray, IntArray, IntpArray, choice, probability, sparse_positions
from moo_clustering._parallel import one_thread
from moo_clustering.operators import base
from moo_clustering.operators.generic import register_operators
from moo_clustering.problems.graphs import MOCKProblem

TreeKind = Literal["delta", "2007"]
Replace = Literal["neighbor", "self"]
Length = Literal["genotype", "N"]
NewValue = Literal["different", "any"]
LINKS: tuple[str, ...] = ("MOCKProblem", "graph", "encoding")


class MSTInterestingnessSampling(base.SeededSampling):
    """Create individuals by removing the tree links that are most likely to join different clusters.

    Requires a ``MOCKProblem`` with any encoding. A link is interesting if neither endpoint is among the L
    nearest neighbours of the other endpoint. Takes O(n_individuals n_var) time. Kind "2007" also runs up to
    ten k-means iterations for each individual in the second half of the population. Source: Handl and
    Knowles, IEEE TEVC 11(1), 2007, section on initialisation.

    Parameters
    ----------
    kind : {"delta", "2007"}, default="delta"
        - ``"delta"``: the first individual is the whole tree. Each other individual lacks the k - 1 most
          interesting links of the tree; all k = 2, 3, ... are used in random order.
        - ``"2007"``: in up to half of the population, individual i = 0, 1, ... lacks the i most interesting
          links. The other individuals lack the links between k-means clusters; k cycles through 2, 3, ...
    replace : {"neighbor", "self"}, default="neighbor"
        Whether a sample whose tree link is removed is linked to a random neighbour or to itself. Ignored for
        "split" encodings. With "delta", ``"neighbor"`` can also select the sample itself, but not the end of
        the removed link.
    """

    _needs = LINKS

    def __init__(self, kind: TreeKind = "delta", *, replace: Replace = "neighbor") -> None:
        super().__init__()
        self.kind: TreeKind = choice("kind", kind, get_args(TreeKind))
        self.replace: Replace = choice("replace", replace, get_args(Replace))

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        removed = (_by_priority if self.kind == "delta" else _by_clusters)(problem, n_samples, rng)
        encoding = problem.encoding
        if encoding.kind == "split":
            return (~removed).astype(encoding.dtype)
        X = np.tile(problem.graph.tree.parent[encoding.relevant], (n_samples, 1))
        samples = encoding.relevant[np.nonzero(removed)[1]]
        if self.replace == "neighbor":
            current = X[removed] if self.kind == "delta" else None
            samples = draw_links(problem.graph.neighbors, samples, current, rng)
        X[removed] = samples
        return X.astype(encoding.dtype)


class GreedyFrontSampling(base.SeededSampling):
    """Take part of the population from a greedily constructed front, at even intervals from end to end.

    Requires :meth:`greedy_front <moo_clustering.problems.MOCKProblem.greedy_front>`.

    Parameters
    ----------
    share : float, default=0.5
        Maximum share of the population that comes from the constructed front.
    rest : pymoo Sampling, optional
        Sampling for the rest of the population. Default: :class:`MSTInterestingnessSampling`.

    Examples
    --------
    >>> problem = MOCKProblem([[0.0], [1.0], [9.0], [10.0]], delta=0, n_neighbors=2, random_state=0)
    >>> X = GreedyFrontSampling(share=1.0)._do(problem, 2, random_state=0)
    >>> problem.decode(X)
    array([[0, 1, 2, 3],
           [0, 0, 0, 0]], dtype=int32)
    """

    def __init__(self, share: float = 0.5, *, rest: Sampling | None = None) -> None:
        super().__init__()
        self.share = probability("share", share)
        self.rest = MSTInterestingnessSampling() if rest is None else rest

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        front = base.require(problem, "MOCKProblem", "greedy_front").greedy_front()
        n_built = min(len(front), round(self.share * n_samples))
        built = front[np.linspace(0, len(front) - 1, n_built).round().astype(np.intp)]
        if n_built == n_samples:
            return built
        return np.concatenate([built, self.rest._do(problem, n_samples - n_built, random_state=rng)])


def _by_priority(problem: Any, n_samples: int, rng: np.random.Generator) -> BoolArray:
    """Return a mask of the tree links that kind "delta" removes, with one row per individual."""
    order = _by_interest(problem)
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    most, row = min(n_samples, len(order) + 1), 1
    while row < n_samples and most >= 2:
        for k in rng.permutation(np.arange(2, most + 1))[: n_samples - row]:
            removed[row, order[: k - 1]] = True
            row += 1
    return removed


def _by_clusters(problem: Any, n_samples: int, rng: np.random.Generator) -> BoolArray:
    """Return a mask of the tree links that kind "2007" removes, with one row per individual."""
    graph, samples = problem.graph, problem.encoding.relevant
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    order = _by_interest(problem)
    interesting = order[graph.interest.interesting(graph.n_neighbors)[samples[order]]]
    n_trees = min(len(interesting), max(n_samples // 2 - 1, 0))
    for n in range(min(n_trees + 1, n_samples)):
        removed[n, interesting[:n]] = True
    parent = graph.tree.parent[samples]
    # One thread is used, because the rounding errors of multi-threaded k-means are not reproducible.
    with one_thread():
        for row in range(n_trees + 1, n_samples):
            k = 2 + (row - n_trees - 1) % max(min(n_samples - n_trees, graph.n_samples) - 1, 1)
            labels = few_means(graph.X, min(k, graph.n_samples), rng)
            removed[row] = labels[samples] != labels[parent]
    return removed


def _by_interest(problem: Any) -> NDArray[np.intp]:
    """Return the genes of the tree links, sorted from the most to the least interesting link."""
    gene_of = np.full(problem.n_samples, -1, dtype=np.intp)
    gene_of[problem.encoding.relevant] = np.arange(problem.n_var)
    genes = gene_of[problem.graph.interest.order]
    return genes[genes >= 0]


def few_means(X: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.int32]:
    model = KMeans(k, init="random", n_init=1, max_iter=10, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        # An initial partition need not have converged and may lack clusters, so the warning is ignored.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: NDArray[np.int32] = model.fit(X).labels_
    return labels


def draw_links(
    neighbors: NDArray[np.int32], samples: IntArray, current: IntArray | None, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw a neighbour per sample or, if given ``current`` links, a different neighbour or the sample."""
    width = np.count_nonzero(neighbors[samples] >= 0, axis=1)
    if current is None:
        return neighbors[samples, rng.integers(0, width)]
    choices = np.column_stack([samples, neighbors[samples]])
    same = choices == np.asarray(current)[:, None]
    # The position of the current link is skipped, so there is one position fewer to draw from.
    place = np.where(same.any(axis=1), same.argmax(axis=1), width + 1)
    drawn = rng.integers(0, width + 1 - same.any(axis=1))
    return choices[np.arange(len(samples)), drawn + (drawn >= place)]


class NeighborBiasedMutation(base.SeededMutation):
    """Link samples to random near neighbours; links to far neighbours are more likely to change.

    Draws from the L nearest neighbours of each sample. A link to the l-th nearest neighbour changes with
    probability 1/n + (l/n)^2, at most 1. If a sample is linked to itself, l is 0. For a link that is neither
    in the tree nor leads to one of the L nearest neighbours, l is L + 1. In "split" encodings, bits are
    flipped instead, and l is 0 for bits that are 0. Requires a ``MOCKProblem``. Draws O(expected changes +
    interesting links) random numbers per individual. Source: Handl and Knowles, IEEE TEVC 11(1), 2007, Eq. 7.

    Parameters
    ----------
    length : {"genotype", "N"}, default="genotype"
        Whether n is the number of genes or the number of samples.
    new_value : {"different", "any"}, optional
        ``"different"`` draws a neighbour or the sample itself, but never the current target. ``"any"`` draws
        any neighbour. Default: ``"any"`` for "locus" encodings, otherwise ``"different"``.
    """

    _needs = LINKS

    def __init__(self, length: Length = "genotype", *, new_value: NewValue | None = None) -> None:
        super().__init__()
        self.length: Length = choice("length", length, get_args(Length))
        self.new_value: NewValue | None = choice("new_value", new_value, (*get_args(NewValue), None))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        encoding = problem.encoding
        X = np.array(X, dtype=encoding.dtype)
        if not problem.graph.n_neighbors:
            return X
        n = problem.n_var if self.length == "genotype" else problem.n_samples
        rows, genes = _mutated_genes(problem, X, n, rng)
        if encoding.kind == "split":
            X[rows, genes] ^= 1
            return X
        different = self.new_value == "different" or (self.new_value is None and encoding.kind != "locus")
        current = X[rows, genes] if different else None
        X[rows, genes] = draw_links(problem.graph.neighbors, encoding.relevant[genes], current, rng)
        return X


def _mutated_genes(
    problem: Any, X: NDArray[Any], n: int, rng: np.random.Generator
) -> tuple[IntpArray, IntpArray]:
    """Draw the genes that mutate, and return their rows and columns.

    To save random numbers, genes are first drawn with the mutation probability of rank L + 1. Genes of lower
    rank are then rejected at random, because they mutate less often. Tree links of higher rank are drawn
    separately.
    """
    graph, samples = problem.graph, problem.encoding.relevant
    width = graph.n_neighbors + 1
    far = graph.interest.rank_of_parent[samples]
    in_tree = np.ones_like(far) if problem.encoding.kind == "split" else graph.tree.parent[samples]
    hot = np.flatnonzero(far > width)
    holds = X[:, hot] == in_tree[hot]
    most = min(1.0, 1.0 / n + (width / n) ** 2)
    flat = np.concatenate([np.empty(0, dtype=np.int64), *sparse_positions(X.size, most, rng)])
    rows, genes = np.divmod(flat, X.shape[1])
    chance = 1.0 / n + (_ranks(problem, X[rows, genes], genes, width) / n) ** 2
    cold = ~((far[genes] > width) & (X[rows, genes] == in_tree[genes]))
    accepted = cold & (rng.random(len(rows)) * most < chance)
    hot_rows, hot_columns = np.nonzero(holds & (rng.random(holds.shape) < 1.0 / n + (far[hot] / n) ** 2))
    return np.concatenate([rows[accepted], hot_rows]), np.concatenate([genes[accepted], hot[hot_columns]])


def _ranks(problem: Any, values: NDArray[Any], genes: NDArray[np.intp], unlisted: int) -> NDArray[np.int64]:
    """Return the rank of each link's target among the neighbours of the link's sample.

    The rank is 0 if a sample is linked to itself or if the link is removed in a "split" encoding. The rank is
    ``unlisted`` if the target is neither a neighbour nor the parent in the tree.
    """
    graph, samples = problem.graph, problem.encoding.relevant[genes]
    far = graph.interest.rank_of_parent[samples].astype(np.int64)
    if problem.encoding.kind == "split":
        return np.where(values == 1, far, 0)
    listed = graph.neighbors[samples] == values[:, None]
    found = np.where(listed.any(axis=1), listed.argmax(axis=1) + 1, unlisted)
    found = np.where(values == graph.tree.parent[samples], far, found)
    return np.where(values == samples, 0, found)


register_operators(
    MOCKProblem,
    sampling=MSTInterestingnessSampling,
    crossover=partial(UniformCrossover, prob=1.0),
    mutation=NeighborBiasedMutation,
)
