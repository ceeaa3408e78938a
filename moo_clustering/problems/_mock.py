"""MOCK: compact and connected clusters from links between neighbours."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.encodings._locus_adjacency import Kind
from moo_clustering.encodings._tree_links import Delta
from moo_clustering.graphs import LocusGraph, locus_graph
from moo_clustering.graphs._neighbors import Ties
from moo_clustering.graphs._search import Metric
from moo_clustering.graphs._spanning_tree import Root
from moo_clustering.problems._part_scores import LinkScores, PartScores

FloatArray = NDArray[np.float64]
Objective = Literal["variance", "deviation", "connectivity", "ari", "constraint_violation"]
Weights = Literal["ranks", "published"]

MAXIMISED = "ari"


class MOCKProblem(Problem):
    """Find partitions whose clusters are compact and hold the neighbours of their samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), optional
        Not needed with ``graph``.
    encoding : {"short", "split", "locus"} or LocusAdjacencyEncoding, default="short"
    delta : float, "auto" or "sr5", default="auto"
        Percentage of the tree's links without a gene, for "short" and "split".
    n_neighbors : int, default=10
        L. Clusters of fewer than L/2 samples may be overlooked; where clusters are thin and interlocked
        the true partition may be dominated with one L and not with a smaller one.
    objectives : sequence of str, default=("variance", "connectivity")
        Of ``"variance"``, (1/N) sum_i |x_i - m_c(i)|^2; ``"deviation"``, sum_i |x_i - m_c(i)|;
        ``"connectivity"``, sum_i sum_r 1/r where the r-th neighbour of i is in another cluster; ``"ari"``,
        the adjusted Rand index of the labelled samples, maximised; and ``"constraint_violation"``, the
        violated part of the must-links plus that of the cannot-links.
    connectivity : {"ranks", "published"}, default="ranks"
        ``"published"`` does as the delta-MOCK program: neighbours 1..L-1 weigh 1/2..1/L.
    y : array-like of shape (n_samples,), optional
        Partial labels, -1 for unlabelled; for ``"ari"``.
    constraints : PairwiseConstraints, optional
        For ``"constraint_violation"``.
    metric, ties, root, rank_cap
        As for :func:`~moo_clustering.graphs.locus_graph`.
    graph : LocusGraph, optional
        In place of X and what is said of its graph.
    random_state : int, Generator or None, default=None
        Of ties and root.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    graph : LocusGraph
    encoding : LocusAdjacencyEncoding
    objective_names : tuple of str
    weights : ndarray of shape (n_neighbors,)
        Of the neighbours, by rank.

    Notes
    -----
    "short" and "split" score O(E n_features + pairs) a partition, E links with a gene and as many parts
    and pairs of parts as there are between them, without a look at the samples; "locus" and "deviation"
    O(N (n_features + L)).

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, Eqs. 5 and 6; Handl and Knowles, GECCO, 2006, for the third
    objective; Garza-Fabre, Handl and Knowles, IEEE TEVC, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = [[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]]
    >>> problem = MOCKProblem(X, encoding="split", delta=40, n_neighbors=2, root=0, ties="index")
    >>> problem.evaluate(np.array([[0, 1, 1], [1, 1, 1]])).round(4)
    array([[ 1.0556,  0.    ],
           [26.0556,  0.    ]])
    """

    def __init__(
        self,
        X: ArrayLike | None = None,
        *,
        encoding: Kind | LocusAdjacencyEncoding = "short",
        delta: Delta = "auto",
        n_neighbors: int = 10,
        objectives: Sequence[Objective] = ("variance", "connectivity"),
        connectivity: Weights = "ranks",
        y: ArrayLike | None = None,
        constraints: PairwiseConstraints | None = None,
        metric: Metric = "euclidean",
        ties: Ties = "random",
        root: Root = "random",
        rank_cap: int | None = None,
        graph: LocusGraph | None = None,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(encoding, LocusAdjacencyEncoding) and encoding.graph is not None:
            if graph is not None and graph is not encoding.graph:
                raise ValueError("encoding was made for another graph than the one given.")
            graph = encoding.graph
        if graph is None:
            if X is None:
                raise ValueError("give X or graph.")
            graph = locus_graph(
                X,
                n_neighbors=n_neighbors,
                metric=metric,
                ties=ties,
                root=root,
                rank_cap=rank_cap,
                rng=np.random.default_rng(random_state),
                n_jobs=n_jobs,
            )
        elif X is not None and np.shape(X)[:1] != (graph.n_samples,):
            raise ValueError(f"X has {len(np.asarray(X))} samples, graph {graph.n_samples}.")
        self.graph = graph
        if not isinstance(encoding, LocusAdjacencyEncoding):
            encoding = LocusAdjacencyEncoding(graph=graph, kind=encoding, delta=delta, n_jobs=n_jobs)
        elif encoding.n_samples != graph.n_samples:
            raise ValueError(f"encoding is about {encoding.n_samples} samples, the data {graph.n_samples}.")
        self.encoding = encoding
        self.objective_names = _checked_objectives(objectives, y, constraints)
        self.weights = _weights(graph.n_neighbors, connectivity)
        self.n_jobs = n_jobs
        self._signs = np.array([-1.0 if name == MAXIMISED else 1.0 for name in self.objective_names])
        scores = PartScores if encoding.links is not None else LinkScores
        self._scores = scores(encoding, graph, self.weights, y, constraints, n_jobs)
        xl, xu = encoding.bounds()
        super().__init__(
            n_var=encoding.n_var, n_obj=len(self.objective_names), xl=xl, xu=xu, vtype=encoding.dtype
        )

    @property
    def n_samples(self) -> int:
        """Number of samples that are partitioned."""
        return self.encoding.n_samples

    def decode(self, X: ArrayLike) -> NDArray[np.int32]:
        """Partitions, shape (n_individuals, n_samples), of genotypes such as ``res.X``."""
        return self.encoding.decode(np.atleast_2d(np.asarray(X)))

    def n_clusters(self, X: ArrayLike) -> NDArray[np.int64]:
        """Number of clusters of every individual."""
        return self.encoding.n_clusters(np.atleast_2d(np.asarray(X)))

    def natural(self, F: ArrayLike) -> FloatArray:
        """Objectives in natural sign, of objectives as pymoo minimises them."""
        values: FloatArray = np.asarray(F, dtype=np.float64) * self._signs
        return values

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        out["F"] = self._scores.values(genes, self.objective_names) * self._signs

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes after construction; pymoo copies problems with the algorithm's history.
        return copy.copy(self)


def _checked_objectives(
    objectives: Sequence[str], y: ArrayLike | None, constraints: PairwiseConstraints | None
) -> tuple[str, ...]:
    names = (objectives,) if isinstance(objectives, str) else tuple(objectives)
    allowed = get_args(Objective)
    if not names or len(set(names)) < len(names) or not set(names) <= set(allowed):
        raise ValueError(f"objectives must be different names of {allowed}, got {names}.")
    needs: dict[str, tuple[str, Any]] = {
        "ari": ("y", y),
        "constraint_violation": ("constraints", constraints),
    }
    for name, (what, given) in needs.items():
        if name in names and given is None:
            raise ValueError(f"the objective {name!r} needs {what}.")
    return names


def _weights(n_neighbors: int, variant: str) -> FloatArray:
    if variant not in get_args(Weights):
        raise ValueError(f"connectivity must be one of {get_args(Weights)}, got {variant!r}.")
    ranks = np.arange(1, n_neighbors + 1)
    if variant == "ranks":
        return 1.0 / ranks
    return np.where(ranks < n_neighbors, 1.0 / (ranks + 1), 0.0)
