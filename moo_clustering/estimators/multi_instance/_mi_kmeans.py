"""MIKMeans: k-means of bags."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from deap import tools
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._random import SeedLike
from moo_clustering.bags import Bags
from moo_clustering.bags._geometry import Weighting
from moo_clustering.estimators.multi_instance._bag_base import BagClusterer, BagData
from moo_clustering.estimators.multi_instance._bag_logbook import run_logbook
from moo_clustering.estimators.multi_instance._bag_scaling import Floats
from moo_clustering.estimators.multi_instance._mi_kmeans_core import mi_kmeans


class MIKMeans(BagClusterer):
    """k-means of bags: centres are vectors, and a bag is as far from one as its farthest instance (MIKM).

    Parameters
    ----------
    n_clusters : int, default=2
        From 1 to n_bags.
    init : {"instance", "bag_mean"} or array-like of shape (n_clusters, n_features), default="instance"
        First centres: an instance of each of ``n_clusters`` bags, both drawn at random; the means of bags
        drawn at random; or given, in the units of the data.
    empty : {"repair", "keep"}, default="repair"
        What becomes of a cluster without bags, which is common: a centre in the middle is nearer to the
        farthest instances of all bags. It gets the bag farthest from its own centre, or its centre
        stays, and the cluster may be missing in the end.
    weighting : {"bag", "instance"}, default="bag"
        Centres as means of the bag means (Eq. 3), or of all instances.
    n_init : int, default=1
        Runs from random centres, of which that of the least inertia counts. Given centres make one run.
    max_iter : int, default=100
        Updates of the centres in a run.
    normalize : bool, default=True
        Whether features are brought to the range of all instances of all bags (Eq. 11).
    min_cluster_size : int, default=1
        Clusters with fewer bags get those that lose least by it.
    constraint_handling : {"repair", "penalty"}, default="repair"
        After every assignment, bags that belong together are put into one cluster, and apart from those
        they cannot be with; or bags in pairs move while that lowers the inertia times 1 + ``penalty``
        times the violation.
    penalty : float, default=1.0
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_bags,), int32
        Clusters 0, 1, ... in the order of their first bags.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In the units of the data.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Bags of every cluster.
    inertia_ : float
        Sum of the squared distances of all bags to their centres, in the scale of the fit (Eq. 4).
    n_clusters_ : int
        Clusters found: ``n_clusters``, or fewer with ``empty="keep"`` or where constraints leave no more.
    violation_ : float
        Violated part of the must-links plus that of the cannot-links, 0 to 2.
    n_iter_ : int
        Updates of the centres in the run that counts.
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

    An update may raise the inertia, since the mean is not the point from which the farthest instances
    are nearest. When a partition comes back that was left before, the best of the cycle counts.

    O(n_clusters n_instances n_features) time for an iteration. With bags of one instance this is
    Lloyd's k-means.

    References
    ----------
    Evolutionary multi-instance clustering, MIKM and Eqs. 1, 3, 4 and 11.

    Examples
    --------
    >>> from moo_clustering.estimators import MIKMeans
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> model = MIKMeans(2, init=[[10, 2], [4, 10]], normalize=False).fit(bags)
    >>> model.labels_, model.cluster_centers_.round(2).tolist()
    (array([0, 1, 0, 0, 1], dtype=int32), [[5.67, 1.33], [2.0, 5.5]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagClusterer._parameter_constraints,
        "init": [StrOptions({"instance", "bag_mean"}), "array-like"],
        "empty": [StrOptions({"repair", "keep"})],
        "weighting": [StrOptions({"bag", "instance"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "constraint_handling": [StrOptions({"repair", "penalty"})],
        "penalty": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        init: Literal["instance", "bag_mean"] | ArrayLike = "instance",
        empty: Literal["repair", "keep"] = "repair",
        weighting: Weighting = "bag",
        n_init: int = 1,
        max_iter: int = 100,
        normalize: bool = True,
        min_cluster_size: int = 1,
        constraint_handling: Literal["repair", "penalty"] = "repair",
        penalty: float = 1.0,
        random_state: SeedLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.empty = empty
        self.weighting = weighting
        self.n_init = n_init
        self.max_iter = max_iter
        self.normalize = normalize
        self.min_cluster_size = min_cluster_size
        self.constraint_handling = constraint_handling
        self.penalty = penalty
        self.random_state = random_state

    def _fit(self, data: BagData) -> None:
        if self.empty == "keep" and self.min_cluster_size > 1:
            raise ValueError(
                f"empty='keep' lets clusters be empty, which min_cluster_size={self.min_cluster_size} forbids"
            )
        least = 0 if self.empty == "keep" else self.min_cluster_size
        repair = self._pair_rule(data, least, power=2)
        runs = [
            mi_kmeans(
                data.bags,
                centers,
                weighting=self.weighting,
                empty=self.empty,
                max_iter=self.max_iter,
                repair=repair,
            )
            for centers in self._starts(data.bags, np.random.default_rng(data.seed))
        ]
        violations = data.violation(np.stack([run.labels for run in runs]))
        values = np.array([run.inertia for run in runs]) * (1.0 + self.penalty * violations)
        chosen = int(values.argmin())
        best, self.violation_ = runs[chosen], float(violations[chosen])
        if not best.converged:
            warnings.warn(
                f"clusters still change after max_iter={self.max_iter} updates",
                ConvergenceWarning,
                stacklevel=4,
            )
        order = self._set_labels(best.labels)
        self._set_centers(best.centers[order])
        self.inertia_ = best.inertia
        self.n_iter_ = best.n_iter
        self.logbook_: tools.Logbook = run_logbook(best.history, first=1)

    def _starts(self, bags: Bags, rng: np.random.Generator) -> Iterator[Floats]:
        """First centres of every run, in the scale of the distances."""
        if not isinstance(self.init, str):
            given = check_array(self.init, dtype=np.float64, input_name="init")
            expected = (self.n_clusters, bags.n_features)
            if given.shape != expected:
                raise ValueError(
                    f"init must have shape (n_clusters, n_features) = {expected}, got {given.shape}"
                )
            yield self._range.scale(given)
            return
        for _ in range(self.n_init):
            chosen = rng.permutation(bags.n_bags)[: self.n_clusters]
            if self.init == "bag_mean":
                yield bags[chosen].means()
            else:
                rows = bags.offsets[chosen] + rng.integers(bags.sizes[chosen])
                yield bags.instances[rows].astype(np.float64)
