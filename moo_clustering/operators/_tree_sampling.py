"""First populations from a minimum spanning tree without its most interesting links."""

from __future__ import annotations

import warnings
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

Kind = Literal["delta", "2007"]
Replace = Literal["neighbor", "self"]


class MSTInterestingnessSampling(Sampling):
    """Spanning trees from which the most interesting links, or those between k-means clusters, are taken.

    For :class:`~moo_clustering.problems.MOCKProblem` with any kind of encoding.

    Parameters
    ----------
    kind : {"delta", "2007"}, default="delta"
        ``"delta"``: the whole tree, then the tree without its k - 1 most interesting links, for k a
        random permutation of 2, 3, ... as often as it takes. ``"2007"``: the tree without its first
        0, 1, ... interesting links, up to half of the population, then the tree without its links between
        the clusters of k-means, for k = 2, 3, ...
    replace : {"neighbor", "self"}, default="neighbor"
        What a sample whose link is taken is linked to: a random neighbour (for ``"delta"`` or itself, but
        not the same as before), or always itself. A bit of the "split" kind becomes 0.

    Notes
    -----
    A link is interesting if neither end is among the L nearest neighbours of the other. For ``"2007"``, k
    begins again at 2 when there are no more samples to make clusters of. O(n_individuals n_var) time, and
    that of a run of k-means of ten iterations for each of the second half of ``"2007"``.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, section on initialisation.
    """

    def __init__(self, kind: Kind = "delta", *, replace: Replace = "neighbor") -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
        if replace not in get_args(Replace):
            raise ValueError(f"replace must be one of {get_args(Replace)}, got {replace!r}.")
        super().__init__()
        self.kind: Kind = kind
        self.replace: Replace = replace

    def _do(
        self, problem: Any, n_samples: int, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        removed = (_by_priority if self.kind == "delta" else _by_clusters)(problem, n_samples, rng)
        encoding = problem.encoding
        if encoding.kind == "split":
            return (~removed).astype(encoding.dtype)
        samples = encoding.relevant
        X = np.tile(problem.graph.tree.parent[samples], (n_samples, 1))
        rows, genes = np.nonzero(removed)
        if self.replace == "self":
            X[rows, genes] = samples[genes]
        else:
            X[rows, genes] = draw_links(
                problem.graph.neighbors,
                samples[genes],
                X[rows, genes] if self.kind == "delta" else None,
                rng,
            )
        return X.astype(encoding.dtype)


def draw_links(
    neighbors: NDArray[np.int32],
    samples: NDArray[np.integer[Any]],
    current: NDArray[np.integer[Any]] | None,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """For each sample one of its neighbours; or, with ``current``, of them and itself, but not that."""
    width = np.count_nonzero(neighbors[samples] >= 0, axis=1)
    if current is None:
        drawn: NDArray[np.int32] = neighbors[samples, rng.integers(0, width)]
        return drawn
    choices = np.column_stack([samples, neighbors[samples]])
    same = choices == np.asarray(current)[:, None]
    # One place fewer to draw from where the current link is among them; places from it on move up.
    place = np.where(same.any(axis=1), same.argmax(axis=1), width + 1)
    drawn_place = rng.integers(0, width + 1 - same.any(axis=1))
    drawn = choices[np.arange(len(samples)), drawn_place + (drawn_place >= place)]
    return drawn


def _by_priority(problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which genes lose their links, shape (n_samples, n_var)."""
    order = _by_interest(problem)
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    most = min(n_samples, len(order) + 1)
    row = 1
    while row < n_samples and most >= 2:
        for k in rng.permutation(np.arange(2, most + 1))[: n_samples - row]:
            removed[row, order[: k - 1]] = True
            row += 1
    return removed


def _by_clusters(problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    graph, samples = problem.graph, problem.encoding.relevant
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    order = _by_interest(problem)
    interesting = order[graph.interest.interesting(graph.n_neighbors)[samples[order]]]
    n_trees = min(len(interesting), max(n_samples // 2 - 1, 0))
    for n in range(min(n_trees + 1, n_samples)):
        removed[n, interesting[:n]] = True
    parent = graph.tree.parent[samples]
    # Sums by threads differ in their last digits from one run to the next.
    with threadpool_limits(limits=1):
        for row in range(n_trees + 1, n_samples):
            # Where there are no more samples to make clusters of, k begins again.
            k = 2 + (row - n_trees - 1) % max(min(n_samples - n_trees, graph.n_samples) - 1, 1)
            labels = _few_means(graph.X, min(k, graph.n_samples), rng)
            removed[row] = labels[samples] != labels[parent]
    return removed


def _by_interest(problem: Any) -> NDArray[np.intp]:
    """Genes whose samples have a parent, in the order of interest."""
    gene_of = np.full(problem.n_samples, -1, dtype=np.intp)
    gene_of[problem.encoding.relevant] = np.arange(problem.n_var)
    genes = gene_of[problem.graph.interest.order]
    return genes[genes >= 0]


def _few_means(X: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.int32]:
    model = KMeans(k, init="random", n_init=1, max_iter=10, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        # Fewer distinct samples than clusters, and no convergence, are as good as any.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: NDArray[np.int32] = model.fit(X).labels_
    return labels
