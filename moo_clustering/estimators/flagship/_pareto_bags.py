"""The recommended clusterer of bags."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators.flagship._bag_parts import ground_of_bags
from moo_clustering.estimators.flagship._ground import PoolOptions
from moo_clustering.estimators.flagship._pareto_base import ParetoPoolClusterer
from moo_clustering.estimators.flagship._pareto_clustering import ParetoClustering
from moo_clustering.estimators.multi_instance._bag_input import read_bags

_SHARED = (
    "n_clusters",
    "k_range",
    "n_neighbors",
    "criterion_weight",
    "method",
    "novel",
    "clamp",
    "merge_same_class",
    "class_prior",
    "pairs",
    "n_gen",
    "pop_size",
    "engine",
    "extra_candidates",
    "random_state",
    "n_jobs",
    "verbose",
    "checkpoint",
    "checkpoint_every",
    "resume",
)


class ParetoBagClustering(ParetoPoolClusterer):
    """:class:`ParetoClustering` of bags of instances.

    The pool is made in several views: four distances between bags and four tables of them. A family is an
    algorithm in a view, since the view matters more than the algorithm. With labels, co-association in the
    pool and two kernels of bags give classes to the others; the kernels alone (``kernel="bags"``) come
    within .01 of that, at a hundredth of the cost.

    Parameters
    ----------
    n_clusters : int or None, default=None
    distances : sequence of {"symmetric", "average", "energy", "sliced"}, default=all four
        Distances between bags: symmetric Hausdorff, mean of nearest instances, energy (mean map), and
        quantiles of random projections.
    embeddings : sequence of {"mean", "stats", "stats_pca", "prototypes"}, default=all four
        Tables of bags: mean of the instances; mean, minimum and maximum; main components of these;
        symmetric Hausdorff distances to all bags.
    kernel : {"pool+bags", "bags", "pool"}, default="pool+bags"
        With labels.
    normalize : bool, default=True
        Bring every feature to 0..1 over all instances.
    max_instances : int or None, default=None
        Of larger bags so many instances are drawn.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters in the pool: up to 40, and no more than the root of the bags.
    n_neighbors : int, default=10
        Of the neighbour graph.
    criterion_weight : float, optional
        Of graph modularity against agreement in the score; .25 by default.
    method : {"consensus", "select"}, default="consensus"
        With ``n_clusters`` and without labels; this and all that follow as for :class:`ParetoClustering`.
    novel : {"none", "allow"}, default="none"
        Whether some clusters may be classes that no label has.
    clamp : bool, default=True
        Labelled bags keep their class.
    merge_same_class : bool, default=False
        With ``novel="allow"``: clusters of the same class become one.
    class_prior : {"smoothed", "uniform"}, default="smoothed"
        Expected class shares.
    pairs : {"hard", "soft"}, default="hard"
        Whether must-links are certain.
    n_gen : int, default=0
        Generations of an evolution over the pool.
    pop_size : int, default=48
        Of the evolution.
    engine : {"pymoo", "deap"}, default="pymoo"
        Of the evolution.
    extra_candidates : sequence or None, default=None
        Labels and clusterers of one's own; clusterers of tables see the means of the bags.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int or None, default=None
    verbose : bool, default=False
    checkpoint : path or None, default=None
    checkpoint_every : int, default=10
    resume : bool, default=False

    Attributes
    ----------
    labels_ : ndarray of shape (n_bags,), int32
    pool_, scores_, confidence_, alternatives_, pareto_front_, ...
        As of :class:`ParetoClustering`.

    Notes
    -----
    O(n_instances^2 n_features) time for the distances, O(n_bags^2) memory, O(n_bags^3) time for the pool.
    Without labels the consensus of two clusters was the best of all methods on nine sets on average, and
    still had an adjusted Rand index of .12 only: classes of bags are hardly clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import ParetoBagClustering
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(4 * (i % 2), 1, size=(5, 2)) for i in range(24)]
    >>> labels = ParetoBagClustering(2, random_state=0).fit_predict(bags)
    >>> labels[:6].tolist()
    [0, 1, 0, 1, 0, 1]
    """

    # Neighbour paths need features.
    criterion = "modularity"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: ParetoClustering._parameter_constraints[name] for name in _SHARED},
        "distances": [list, tuple],
        "embeddings": [list, tuple],
        "kernel": [StrOptions({"pool+bags", "bags", "pool"})],
        "normalize": ["boolean"],
        "max_instances": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
        embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
        kernel: Literal["pool+bags", "bags", "pool"] = "pool+bags",
        normalize: bool = True,
        max_instances: int | None = None,
        k_range: Literal["auto"] | Sequence[int] = "auto",
        n_neighbors: int = 10,
        criterion_weight: float | None = None,
        method: Literal["consensus", "select"] = "consensus",
        novel: Literal["none", "allow"] = "none",
        clamp: bool = True,
        merge_same_class: bool = False,
        class_prior: Literal["smoothed", "uniform"] = "smoothed",
        pairs: Literal["hard", "soft"] = "hard",
        n_gen: int = 0,
        pop_size: int = 48,
        engine: Literal["pymoo", "deap"] = "pymoo",
        extra_candidates: Sequence[Any] | None = None,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.distances = distances
        self.embeddings = embeddings
        self.kernel = kernel
        self.normalize = normalize
        self.max_instances = max_instances
        self.k_range = k_range
        self.n_neighbors = n_neighbors
        self.criterion_weight = criterion_weight
        self.method = method
        self.novel = novel
        self.clamp = clamp
        self.merge_same_class = merge_same_class
        self.class_prior = class_prior
        self.pairs = pairs
        self.n_gen = n_gen
        self.pop_size = pop_size
        self.engine = engine
        self.extra_candidates = extra_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Self:
        """Cluster the bags.

        Parameters
        ----------
        X : Bags, list of arrays, 3-d array, or instances with ``groups`` or ``offsets``
            As :func:`moo_clustering.bags.as_bags` takes it.
        y, must_link, cannot_link
            As for :class:`ParetoClustering`, one class a bag and numbers of bags.
        groups, offsets : array-like, optional
            Bag of every instance, or where bags begin.

        Raises
        ------
        ValueError
            Parameters, bags, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other, or hard pairs do.
        """
        bags = read_bags(self, X, groups, offsets, reset=True)
        knowledge = self._take_knowledge(bags.n_bags, y, must_link, cannot_link)
        self._check_knowledge(knowledge, bags.n_bags)
        if self.checkpoint is not None or self.resume:
            checkpoint_for(self._without_data())
        *self._seeds, seed = spawn_seeds(self.random_state, 4)
        options = PoolOptions("auto", self.k_range, self.n_clusters, self.n_neighbors, self.n_jobs)
        self._ground = ground_of_bags(
            bags,
            options,
            self.extra_candidates,
            seed,
            needs_pool=self.kernel != "bags" or knowledge.kind != "labels",
            distances=tuple(self.distances),
            embeddings=tuple(self.embeddings),
            normalize=self.normalize,
            max_instances=self.max_instances,
        )
        return self._find(knowledge, y, must_link, cannot_link)

    def _rows_of(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_bags(self, X, None, None, reset=False)
