"""BAMIC: k-medoids of bags."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from deap import tools
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._random import SeedLike
from moo_clustering.bags._distances import Kind
from moo_clustering.estimators.multi_instance._bag_base import BagClusterer, BagData
from moo_clustering.estimators.multi_instance._bag_distance_matrix import distance_matrix
from moo_clustering.estimators.multi_instance._bag_logbook import run_logbook
from moo_clustering.estimators.multi_instance._bamic_core import bamic

MAX_MEMORY = 4 * 2**30


class BAMIC(BagClusterer):
    """k-medoids of bags in the Hausdorff distance.

    A bag belongs to the nearest medoid, and the medoid of a cluster is the bag from which the sum of
    distances to the others is least.

    Parameters
    ----------
    n_clusters : int, default=2
        From 1 to n_bags.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}, default="directed"
        Distance of two bags, see :func:`moo_clustering.bags.bag_distances`. Bags are measured to
        medoids, and candidates for a medoid to the members of the cluster.
    init : "random" or array-like of shape (n_clusters,), default="random"
        Bags that are the first medoids: drawn at random, or given by number.
    n_init : int, default=1
        Runs from random medoids, of which that of the least inertia counts. Given medoids make one run.
    max_iter : int, default=100
        Updates of the medoids in a run.
    normalize : bool, default=True
        Whether features are brought to the range of all instances of all bags (Eq. 11).
    min_cluster_size : int, default=1
        Clusters with fewer bags get those that lose least by it.
    constraint_handling : {"repair", "penalty"}, default="repair"
        After every assignment, bags that belong together are put into one cluster, and apart from those
        they cannot be with; or bags in pairs move while that lowers the inertia times 1 + ``penalty``
        times the violation.
    penalty : float, default=1.0
    max_memory : int, default=4 GiB
        Largest size in bytes of the table of distances.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_bags,), int32
        Clusters 0, 1, ... in the order of their first bags.
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Bag number of every medoid.
    medoid_bags_ : Bags
        The medoids, in the units of the data.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Bags of every cluster.
    inertia_ : float
        Sum of the distances of all bags to their medoids, in the scale of the fit.
    n_clusters_ : int
        Clusters found: ``n_clusters``, or fewer where constraints leave no more.
    violation_ : float
        Violated part of the must-links plus that of the cannot-links, 0 to 2.
    n_iter_ : int
        Updates of the medoids in the run that counts.
    logbook_ : deap.tools.Logbook
        Of that run: ``iter``, ``inertia``, and ``smallest``, the bags of the smallest cluster.
    data_min_, data_range_ : ndarray of shape (n_features,)
        What is subtracted from every feature and what it is divided by; a feature of range 0 becomes 0.
        Zeros and ones without ``normalize``.
    n_features_in_, feature_names_in_

    Notes
    -----
    Must-links, cannot-links and partial labels are respected in every assignment: bags joined by
    must-links go to a cluster as a whole, groups in conflict to different ones, large groups first;
    where no cluster is left, the nearest is taken. Then small clusters are filled with bags that no
    pair binds.

    With a distance that is not symmetric, updates may raise the inertia. When medoids come back that
    were left before, the best of the cycle counts.

    O(n_instances^2 n_features) time for the distances, O(n_init n_clusters n_bags^2) for an update;
    8 n_bags^2 bytes.

    References
    ----------
    Evolutionary multi-instance clustering, BAMIC and Eqs. 1, 2 and 11. M.-L. Zhang, Z.-H. Zhou,
    "Multi-instance clustering with applications to multi-instance prediction", Applied Intelligence 31
    (2009).

    Examples
    --------
    >>> from moo_clustering.estimators import BAMIC
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> model = BAMIC(2, init=[0, 4], normalize=False).fit(bags)
    >>> model.labels_, model.medoid_indices_
    (array([0, 0, 0, 1, 1], dtype=int32), array([1, 4]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagClusterer._parameter_constraints,
        "kind": [StrOptions(set(get_args(Kind)))],
        "init": [StrOptions({"random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "constraint_handling": [StrOptions({"repair", "penalty"})],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "max_memory": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kind: Kind = "directed",
        init: Literal["random"] | ArrayLike = "random",
        n_init: int = 1,
        max_iter: int = 100,
        normalize: bool = True,
        min_cluster_size: int = 1,
        constraint_handling: Literal["repair", "penalty"] = "repair",
        penalty: float = 1.0,
        max_memory: int = MAX_MEMORY,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kind = kind
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.normalize = normalize
        self.min_cluster_size = min_cluster_size
        self.constraint_handling = constraint_handling
        self.penalty = penalty
        self.max_memory = max_memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, data: BagData) -> None:
        n_bags = data.bags.n_bags
        starts = self._starts(n_bags, np.random.default_rng(data.seed))
        H = distance_matrix(self, data.bags, self.kind)
        runs = bamic(H, starts, self.max_iter, repair=self._pair_rule(data, self.min_cluster_size))
        violations = data.violation(runs.labels)
        best = int((runs.inertia * (1.0 + self.penalty * violations)).argmin())
        self.violation_ = float(violations[best])
        if not runs.converged[best]:
            warnings.warn(
                f"medoids still change after max_iter={self.max_iter} updates",
                ConvergenceWarning,
                stacklevel=4,
            )
        order = self._set_labels(runs.labels[best])
        self._set_medoids(data, runs.medoids[best][order], self.kind)
        self.inertia_ = float(runs.inertia[best])
        self.n_iter_ = int(runs.n_iter[best])
        self.logbook_: tools.Logbook = run_logbook(runs.history[best], first=0)

    def _starts(self, n_bags: int, rng: np.random.Generator) -> NDArray[np.int64]:
        if isinstance(self.init, str):
            return np.array([rng.permutation(n_bags)[: self.n_clusters] for _ in range(self.n_init)])
        given = np.asarray(self.init)
        if given.shape != (self.n_clusters,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"init must be 'random' or {self.n_clusters} bag numbers (n_clusters), got {self.init!r}"
            )
        if given.min() < 0 or given.max() >= n_bags or len(np.unique(given)) < len(given):
            raise ValueError(
                f"init must be different bag numbers from 0 to {n_bags - 1}, got {given.tolist()}"
            )
        return given[None].astype(np.int64)
