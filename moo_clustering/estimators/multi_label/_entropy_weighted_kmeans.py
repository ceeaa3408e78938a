"""EntropyWeightedKMeans: k-means with weights of features in every cluster, spread by their entropy."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering import subspace
from moo_clustering._random import SeedLike
from moo_clustering._targets import Targets
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_label import _subspace_docs as docs
from moo_clustering.estimators.multi_label._cluster_votes import Doubles
from moo_clustering.estimators.multi_label._subspace_base import Clusters, Floats, SubspaceEstimator
from moo_clustering.subspace import SubspaceData


@fill_docs(prediction=docs.PREDICTION, common=docs.COMMON, attributes=docs.ATTRIBUTES, partial=docs.PARTIAL)
class EntropyWeightedKMeans(ClusterMixin, SubspaceEstimator):
    """k-means in which every cluster has its own weights of features.

    A document belongs to the cluster of the least weighted distance; weights fall exponentially with the
    dispersion of a feature in the cluster. Labels do not guide the clusters; where there are some, clusters
    vote on the classes of documents.

    Parameters
    ----------
    n_clusters : int
    gamma : float, default=0.5
        Dispersion at which a weight falls by e; the larger, the more features share the weight.
    dispersion : {"sum", "mean"}, default="sum"
        Of a feature over the documents of a cluster. Sums grow with the cluster and put all weight on
        features that are the same in it, mostly absent ones; means do not, and classify far better.
    %(prediction)s
    aggregation : {"normalised", "sum"}, default="normalised"
        Votes weighted by inverse distances, divided by the sum of these or, as printed, not.
    max_iter : int, default=100
        Sweeps at most.
    tol : float, default=1e-4
        Sweeps end where the objective changes by less than this part of itself.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    Memberships are 0 and 1. A cluster without documents starts again from a random one.

    %(partial)s

    O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time per sweep,
    O((n_documents + n_features) n_clusters) memory beside X; sparse data stay sparse.

    References
    ----------
    L. Jing, M. Ng, J. Huang, "An entropy weighting k-means algorithm for subspace clustering of
    high-dimensional sparse data", IEEE TKDE 19 (2007). "Multi-label ASRS dataset classification using
    semi-supervised subspace clustering", eq. 13.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import EntropyWeightedKMeans
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = EntropyWeightedKMeans(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceEstimator._common_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "dispersion": [StrOptions({"sum", "mean"})],
        "aggregation": [StrOptions({"normalised", "sum"})],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        gamma: float = 0.5,
        dispersion: Literal["sum", "mean"] = "sum",
        n_neighbors: int | None = None,
        aggregation: Literal["normalised", "sum"] = "normalised",
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        n_init: int = 1,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.dispersion = dispersion
        self.n_neighbors = n_neighbors
        self.aggregation = aggregation
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        found = subspace.entropy_weighted_kmeans(
            data,
            self.n_clusters,
            gamma=self.gamma,
            dispersion=self.dispersion,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=rng,
        )
        memberships: Floats = np.zeros((data.n, self.n_clusters), dtype=np.dtype(self.dtype))
        # The labels of the last sweep are older than its centres.
        memberships[np.arange(data.n), found.distances.argmin(axis=1)] = 1.0
        impurities = np.zeros(self.n_clusters)
        return Clusters(memberships, found.centers, found.log_weights, impurities, found.history)

    @property
    def _exponent(self) -> float:
        return 1.0

    def _distances_of(self, X: Any) -> Doubles:
        distances = super()._distances_of(X)
        n_weighted = int(np.count_nonzero(np.isfinite(self._log_weights[:, 0])))
        # The common distances have weights times their number.
        return distances / max(n_weighted, 1)
