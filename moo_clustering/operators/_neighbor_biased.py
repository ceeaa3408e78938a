"""Mutation that prefers links to far neighbours, and leads them to near ones."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation

from moo_clustering._random import sparse_positions
from moo_clustering.operators._tree_sampling import draw_links

Length = Literal["genotype", "N"]
NewValue = Literal["different", "any"]


class NeighborBiasedMutation(Mutation):
    """A link to the l-th neighbour mutates with probability 1/n + (l/n)^2, to one of the L nearest.

    For :class:`~moo_clustering.problems.MOCKProblem` with any kind of encoding. A link to itself counts as
    l = 0, one that is neither in the tree nor in the lists as L + 1. Bits of the "split" kind are flipped,
    the second term being for those that are 1.

    Parameters
    ----------
    length : {"genotype", "N"}, default="genotype"
        n: number of genes, or of samples.
    new_value : {"different", "any"}, optional
        ``"different"``: the sample itself or one of its neighbours, but not the same as before;
        ``"any"``: one of its neighbours, which may be the same. Default: the latter for encodings of
        kind "locus".

    Notes
    -----
    Probabilities are capped at 1. O(n_individuals (expected changes + interesting links)) draws.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, Eq. 7.
    """

    def __init__(self, length: Length = "genotype", *, new_value: NewValue | None = None) -> None:
        if length not in get_args(Length):
            raise ValueError(f"length must be one of {get_args(Length)}, got {length!r}.")
        if new_value not in (*get_args(NewValue), None):
            raise ValueError(f"new_value must be one of {get_args(NewValue)} or None, got {new_value!r}.")
        super().__init__()
        self.length: Length = length
        self.new_value: NewValue | None = new_value

    def _do(
        self, problem: Any, X: NDArray[Any], *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        rng, encoding = np.random.default_rng(random_state), problem.encoding
        X = np.array(X, dtype=encoding.dtype)
        if not problem.graph.n_neighbors:
            return X
        n = problem.n_var if self.length == "genotype" else problem.n_samples
        rows, genes = mutated_genes(problem, X, n, rng)
        if encoding.kind == "split":
            X[rows, genes] ^= 1
            return X
        different = self.new_value == "different" or (self.new_value is None and encoding.kind != "locus")
        current = X[rows, genes] if different else None
        X[rows, genes] = draw_links(problem.graph.neighbors, encoding.relevant[genes], current, rng)
        return X


def mutated_genes(
    problem: Any, X: NDArray[Any], n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the genes that change."""
    graph, samples = problem.graph, problem.encoding.relevant
    width = graph.n_neighbors + 1
    far = graph.interest.rank_of_parent[samples]
    parent = graph.tree.parent[samples]
    hot = np.flatnonzero(far > width)
    holds = X[:, hot] == (1 if problem.encoding.kind == "split" else parent[hot])
    # Ranks within the lists are so small that few genes are looked at: a draw with the largest
    # probability that they can have, and another for those it falls on.
    most = min(1.0, 1.0 / n + (width / n) ** 2)
    places = [*sparse_positions(X.size, most, rng)]
    flat = np.concatenate(places) if places else np.empty(0, dtype=np.int64)
    rows, genes = np.divmod(flat, X.shape[1])
    chance = 1.0 / n + (_ranks(problem, X[rows, genes], genes, width) / n) ** 2
    cold = ~((far[genes] > width) & (X[rows, genes] == _held(problem, genes)))
    kept = cold & (rng.random(len(rows)) * most < chance)
    hot_rows, hot_columns = np.nonzero(holds & (rng.random(holds.shape) < 1.0 / n + (far[hot] / n) ** 2))
    return np.concatenate([rows[kept], hot_rows]), np.concatenate([genes[kept], hot[hot_columns]])


def _held(problem: Any, genes: NDArray[np.intp]) -> Any:
    """Value of genes whose links are those of the tree."""
    if problem.encoding.kind == "split":
        return 1
    return problem.graph.tree.parent[problem.encoding.relevant[genes]]


def _ranks(problem: Any, values: NDArray[Any], genes: NDArray[np.intp], unlisted: int) -> NDArray[np.int64]:
    """Rank of the sample that each gene leads to among the neighbours of its own."""
    graph, samples = problem.graph, problem.encoding.relevant[genes]
    far = graph.interest.rank_of_parent[samples].astype(np.int64)
    if problem.encoding.kind == "split":
        return np.where(values == 1, far, 0)
    listed = graph.neighbors[samples] == values[:, None]
    found = np.where(listed.any(axis=1), listed.argmax(axis=1) + 1, unlisted)
    found = np.where(values == graph.tree.parent[samples], far, found)
    return np.where(values == samples, 0, found)
