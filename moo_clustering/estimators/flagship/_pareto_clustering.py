"""The recommended clusterer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.bags import Bags
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators.flagship._bag_parts import ground_of_bags
from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling
from moo_clustering.estimators.flagship._ground import Ground, PoolOptions, distance_ground, table_ground
from moo_clustering.estimators.flagship._pareto_base import ParetoPoolClusterer
from moo_clustering.estimators.multi_instance._bag_input import holds_bags, read_bags

_COUNT = Interval(Integral, 1, None, closed="left")


class ParetoClustering(ParetoPoolClusterer):
    """Pareto pool of cheap partitions, chosen from or combined by what algorithm families agree on.

    Eight families of clusterers with different biases make partitions over a range of numbers of clusters.
    Partitions that other families also find, and that follow a neighbour graph, are good. Without further
    knowledge the best is the result or, with ``n_clusters``, the consensus of those with about so many
    clusters. Labels of a few samples weigh the partitions, which all together are then a kernel that gives
    classes to the others; must-links and cannot-links weigh them too, and are spread over the samples.

    Parameters
    ----------
    n_clusters : int or None, default=None
        None: as many as the best partition has. Not used where ``y`` has labels of every class.
    families : "auto" or sequence of str, default="auto"
        Those of the pool, see :func:`~moo_clustering.pool.candidate_pool`.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters in the pool: up to 40, and no more than the root of the samples.
    scale : {"standard", "isotropic", "none"}, default="standard"
        Every feature to mean 0 and standard deviation 1; all features by one factor (coordinates, pixels);
        or as they are. Constant features are left out. Sparse data of more than ``n_components`` features
        are reduced by a truncated SVD to rows of unit length instead.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"``: X are distances, shape (n_samples, n_samples).
    n_neighbors : int, default=10
        Of the neighbour graph.
    criterion : {"auto", "modularity", "minimax"}, default="auto"
        What is added to agreement. ``"minimax"``: the mean agreement with all members, and the silhouette
        in minimax-path distances, which knows spirals and other thin shapes that few families see.
        ``"modularity"``: that of the neighbour graph. ``"auto"``: minimax where nothing is known, not even
        the number of clusters, and there are features; modularity else. Over 40 sets with known classes
        and three seeds minimax reached an adjusted Rand index of .605, modularity .554, when nothing was
        known.
    criterion_weight : float, optional
        Of what is added, against agreement. Default: .7 for minimax, .25 for modularity.
    method : {"consensus", "select"}, default="consensus"
        With ``n_clusters`` and without labels: spectral clustering of the weighted co-association, or the
        best member with the nearest number of clusters.
    kernel : {"auto", "pool", "full", "bags"}, default="auto"
        With labels: co-association in the pool alone; with a graph and a linear kernel (for bags, two bag
        kernels) besides; ``"auto"``: besides from four labels per class on. ``"bags"``: the bag kernels
        alone, no pool.
    novel : {"none", "allow"}, default="none"
        Whether some clusters may be classes that no label has. They are where ``y`` has one class only.
    clamp : bool, default=True
        Labelled samples keep their class.
    merge_same_class : bool, default=False
        With ``novel="allow"``: clusters of the same class become one.
    class_prior : {"smoothed", "uniform"}, default="smoothed"
        Expected class shares: those of the labels, or equal ones (where labels were not drawn at random).
    pairs : {"hard", "soft"}, default="hard"
        Whether must-links are certain. Soft pairs may contradict each other.
    n_components : int, default=50
        Of sparse data.
    n_gen : int, default=0
        Generations of an evolution over the pool. Its two controls are computed as well: the pool alone, and
        the same evolution with survival at random.
    pop_size : int, default=48
        Of the evolution.
    engine : {"pymoo", "deap"}, default="pymoo"
        Of the evolution.
    n_landmarks : int, default=2000
        More samples than this are represented by so many means of near ones.
    views : mapping of str to transformer or columns, or None, default=None
        Further representations of X that the families are run on: objects with ``fit_transform``, or
        numbers of columns.
    extra_candidates : sequence or None, default=None
        Labels and clusterers of one's own, see :func:`~moo_clustering.pool.extra_partitions`: clusterers,
        ``(family, clusterer)`` or ``(family, labels)``. Of one with ``pareto_labels_`` the whole front
        counts. They see X as given, at landmarks its means.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int or None, default=None
        Of joblib, for the families of the pool. The result does not depend on it.
    verbose : bool, default=False
        Show the progress of the evolution.
    checkpoint : path or None, default=None
        File from which an interrupted evolution goes on; needs an integer ``random_state``.
    checkpoint_every : int, default=10
    resume : bool, default=False
        Go on from ``checkpoint`` if it is there.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters; after a fit with labels of every class positions in ``classes_``.
    n_clusters_ : int
    pool_ : PartitionPool or None
        Partitions of the samples, or of the landmarks; None with ``kernel="bags"``.
    scores_ : DataFrame
        Family, number of clusters, agreement, objectives and score of every member of the pool (and of
        what evolved).
        With labels or pairs ``total``: their evidence and 20 times the score.
    confidence_ : float
        Greatest agreement of the families with a member of the pool. On 40 sets with known classes its rank
        correlation with the adjusted Rand index reached was .72: below .62 half of the sets had .1 at most
        (spirals 1), from .62 to .9 they had .21 to .85, above .9 .39 to 1, half of them .94 and more. It
        does not say that the number of clusters is that of the classes. NaN where there was nothing to
        choose from.
    alternatives_ : DataFrame
        A few members of high score, each unlike the result and each other (adjusted Rand index up to .8).
    alternative_labels_ : ndarray of shape (n_alternatives, n_samples)
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Natural sign, all to be maximised.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples)
    objective_names_ : tuple of str
    result_ : pymoo Result
        The front, objectives minimised; None with ``kernel="bags"``.
    graph_ : csr_array
        Neighbour graph of samples or landmarks.
    landmark_of_ : ndarray of shape (n_samples,) or None
    n_landmarks_ : int or None
    classes_ : ndarray of shape (n_classes,)
        After a fit with labels.
    transduction_ : ndarray of shape (n_samples,)
        After a fit with labels: classes of all samples, None in new classes.
    predict_proba_ : ndarray of shape (n_samples, n_classes)
        After a fit with labels of every class.
    cluster_classes_index_ : ndarray of shape (n_clusters,)
        With ``novel="allow"``, and of other partitions taken after a fit with labels: position in
        ``classes_`` of the class of every cluster, -1 for new ones.
    control_labels_, random_control_labels_ : ndarray of shape (n_samples,)
        With ``n_gen > 0``: results of the pool alone, and with random survival; the second only if the
        evolution was not interrupted.
    control_score_ : dict of str to float
        With ``n_gen > 0``: the greatest score of ``"result"``, ``"control"`` and ``"random_control"``; with
        labels or pairs the evidence and 20 times the score.
    history_ : Recorder
        With ``n_gen > 0``: objectives of every generation.
    interrupted_ : bool

    Notes
    -----
    Memory O(m^2), time O(m^3) with m = min(n_samples, n_landmarks), and O(n_samples m n_features) for
    landmarks; given distances and bags have no landmarks. Evolution improved its objectives on all of the
    sets it was tried on, but not the agreement with classes: see the controls.

    References
    ----------
    Pool: k-means++, Ward, spectral clustering (Ng, Jordan and Weiss 2001; self-tuning as Zelnik-Manor and
    Perona 2004), Genie (Gagolewski et al. 2016), HDBSCAN (Campello et al. 2013), Gaussian mixtures. Pairs:
    Lu and Ip 2010. The rest is this package's own.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> ParetoClustering(scale="isotropic", random_state=0).fit(X).n_clusters_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [_COUNT, None],
        "families": [StrOptions({"auto"}), list, tuple],
        "k_range": [StrOptions({"auto"}), list, tuple, range, np.ndarray],
        "scale": [StrOptions({"standard", "isotropic", "none"})],
        "metric": [StrOptions({"euclidean", "precomputed"})],
        "n_neighbors": [_COUNT],
        "criterion": [StrOptions({"auto", "modularity", "minimax"})],
        "criterion_weight": [Interval(Real, 0, None, closed="left"), None],
        "method": [StrOptions({"consensus", "select"})],
        "kernel": [StrOptions({"auto", "pool", "full", "bags"})],
        "novel": [StrOptions({"none", "allow"})],
        "clamp": ["boolean"],
        "merge_same_class": ["boolean"],
        "class_prior": [StrOptions({"smoothed", "uniform"})],
        "pairs": [StrOptions({"hard", "soft"})],
        "n_components": [_COUNT],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "engine": [StrOptions({"pymoo", "deap"})],
        "n_landmarks": [Interval(Integral, 10, None, closed="left")],
        "views": [Mapping, None],
        "extra_candidates": [list, tuple, None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [_COUNT],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        families: Literal["auto"] | Sequence[str] = "auto",
        k_range: Literal["auto"] | Sequence[int] = "auto",
        scale: Literal["standard", "isotropic", "none"] = "standard",
        metric: Literal["euclidean", "precomputed"] = "euclidean",
        n_neighbors: int = 10,
        criterion: Literal["auto", "modularity", "minimax"] = "auto",
        criterion_weight: float | None = None,
        method: Literal["consensus", "select"] = "consensus",
        kernel: Literal["auto", "pool", "full", "bags"] = "auto",
        novel: Literal["none", "allow"] = "none",
        clamp: bool = True,
        merge_same_class: bool = False,
        class_prior: Literal["smoothed", "uniform"] = "smoothed",
        pairs: Literal["hard", "soft"] = "hard",
        n_components: int = 50,
        n_gen: int = 0,
        pop_size: int = 48,
        engine: Literal["pymoo", "deap"] = "pymoo",
        n_landmarks: int = 2000,
        views: Mapping[str, Any] | None = None,
        extra_candidates: Sequence[Any] | None = None,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.families = families
        self.k_range = k_range
        self.scale = scale
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.criterion_weight = criterion_weight
        self.method = method
        self.kernel = kernel
        self.novel = novel
        self.clamp = clamp
        self.merge_same_class = merge_same_class
        self.class_prior = class_prior
        self.pairs = pairs
        self.n_components = n_components
        self.n_gen = n_gen
        self.pop_size = pop_size
        self.engine = engine
        self.n_landmarks = n_landmarks
        self.views = views
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
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Bags
            Or (n_samples, n_samples) distances with ``metric="precomputed"``.
        y : array-like of shape (n_samples,), optional
            Classes of some samples, -1 for unlabelled ones (also in an object array of names).
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together. Beside ``y``, labels pass along
            must-links, and all pairs count as evidence.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other, or hard pairs do.

        Warns
        -----
        UserWarning
            Families that failed; an agreement below .6; labels of one class only; fewer distinct rows than
            clusters.
        """
        data = self._read(X, reset=True)
        n_samples = data.n_bags if isinstance(data, Bags) else data.shape[0]
        knowledge = self._take_knowledge(n_samples, y, must_link, cannot_link)
        self._check_knowledge(knowledge, n_samples)
        self._check_data(data)
        if self.checkpoint is not None or self.resume:
            checkpoint_for(self._without_data())
        *self._seeds, ground_seed = spawn_seeds(self.random_state, 4)
        needs_pool = self.kernel != "bags" or knowledge.kind != "labels"
        self._ground = self._ground_of(data, needs_pool, ground_seed)
        return self._find(knowledge, y, must_link, cannot_link)

    def _read(self, X: Any, *, reset: bool) -> Any:
        if holds_bags(X):
            return read_bags(self, X, None, None, reset=reset)
        return validate_data(
            self, X, dtype=np.float64, accept_sparse="csr", reset=reset, ensure_min_samples=2 if reset else 1
        )

    def _rows_of(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._read(X, reset=False)

    def _check_data(self, data: Any) -> None:
        bags, given = isinstance(data, Bags), self.metric == "precomputed"
        if self.kernel == "bags" and not bags:
            raise ValueError('kernel="bags" needs bags of instances, got a table of samples.')
        if given and (bags or sp.issparse(data)):
            raise ValueError('metric="precomputed" needs a dense square matrix of distances.')
        if self.criterion == "minimax" and (given or bags):
            raise ValueError('criterion="minimax" needs features; it is not offered for distances and bags.')
        if self.views and (given or bags):
            raise ValueError("views need a table of features; they are not offered for distances and bags.")
        m, k = self.n_landmarks, self.n_clusters or 1
        if not bags and not given and k > m < data.shape[0]:
            raise ValueError(
                f"n_clusters={k} is more than n_landmarks={m}, which stand for the {data.shape[0]} samples; "
                "raise n_landmarks."
            )

    def _ground_of(self, data: Any, needs_pool: bool, seed: np.random.SeedSequence) -> Ground:
        options = PoolOptions(self.families, self.k_range, self.n_clusters, self.n_neighbors, self.n_jobs)
        if isinstance(data, Bags):
            return ground_of_bags(data, options, self.extra_candidates, seed, needs_pool=needs_pool)
        reduction, *seeds = seed.spawn(5)
        if self.metric == "precomputed":
            return distance_ground(_checked_distances(data), options, self.extra_candidates, seeds)
        return table_ground(
            data,
            FeatureScaling.of(
                data,
                self.scale,
                n_components=self.n_components,
                seed=int(reduction.generate_state(1)[0] >> 1),
            ),
            options,
            n_landmarks=self.n_landmarks,
            scale=self.scale,
            n_components=self.n_components,
            views=self.views,
            extra=self.extra_candidates,
            seeds=seeds,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _checked_distances(D: NDArray[np.float64]) -> NDArray[np.float64]:
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f'metric="precomputed" needs a square matrix of distances, got shape {D.shape}.')
    if D.min() < 0:
        raise ValueError(f"distances must not be negative, got {D.min():g}.")
    if not np.allclose(D, D.T, rtol=1e-9, atol=1e-12 * D.max()):
        raise ValueError("distances must be symmetric.")
    return np.maximum(D, D.T)
