"""SCAD2: fuzzy k-means with weights of features in every cluster."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sklearn.base import ClusterMixin

from moo_clustering._random import SeedLike
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_label import _subspace_docs as docs
from moo_clustering.estimators.multi_label._fuzzy import FuzzySubspaceEstimator
from moo_clustering.subspace import SubspaceOptions


@fill_docs(
    fuzzy=docs.FUZZY,
    prediction=docs.PREDICTION,
    aggregation=docs.AGGREGATION,
    start=docs.START,
    common=docs.COMMON,
    attributes=docs.ATTRIBUTES,
    partial=docs.PARTIAL,
)
class SCAD2(ClusterMixin, FuzzySubspaceEstimator):
    """Simultaneous clustering and attribute discrimination, second version.

    Fuzzy k-means in which every cluster has its own weights of features. Labels do not guide the clusters;
    where there are some, clusters vote on the classes of documents.

    Parameters
    ----------
    n_clusters : int
    %(fuzzy)s
    %(prediction)s
    %(aggregation)s
    %(start)s
    %(common)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    SISC : With labels and chi-square.

    Notes
    -----
    %(partial)s

    It starts from random documents, drawn halfway to the mean. Centres that meet do not part again: take
    several starts (``n_init``).

    O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time per sweep,
    O((n_documents + n_features) n_clusters) memory beside X; sparse data stay sparse.

    References
    ----------
    H. Frigui, O. Nasraoui, "Unsupervised learning of prototypes and attribute weights", Pattern Recognition
    37 (2004). "Multi-label ASRS dataset classification using semi-supervised subspace clustering", eq. 12,
    with squares as in the former.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SCAD2
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = SCAD2(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = FuzzySubspaceEstimator._fuzzy_constraints

    def __init__(
        self,
        n_clusters: int,
        *,
        fuzziness: float = 1.5,
        weight_exponent: float = 5.0,
        n_neighbors: int | None = None,
        aggregation: Literal["normalised", "sum", "membership"] = "normalised",
        max_iter: int = 15,
        tol: float = 1e-4,
        floor: float = 1e-6,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        n_init: int = 1,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.weight_exponent = weight_exponent
        self.n_neighbors = n_neighbors
        self.aggregation = aggregation
        self.max_iter = max_iter
        self.tol = tol
        self.floor = floor
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _make_options(self) -> SubspaceOptions:
        return SubspaceOptions(
            fuzziness=self.fuzziness,
            weight_exponent=self.weight_exponent,
            gamma=0.0,
            impurity=None,
            floor=self.floor,
        )
