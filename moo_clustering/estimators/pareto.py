"""ParetoClustering and ParetoBagClustering: select a partition from a pool, or combine its partitions."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering import results
from moo_clustering._arrays import FloatArray
from moo_clustering._data import holds_tables, is_frame, numeric_features, refuse_frames, warn_of_lengths
from moo_clustering._distances import checked_distances
from moo_clustering._docs import documented
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.drift import ClusterChanges, Drift, Reference, matched_clusters, matched_numbers
from moo_clustering.estimators import _pareto_pool
from moo_clustering.estimators._base import scaled_features
from moo_clustering.estimators._options import KW_ONLY, Count, estimator
from moo_clustering.estimators._pareto_base import ParetoPoolClusterer
from moo_clustering.estimators._pareto_landmarks import Scale
from moo_clustering.estimators._pareto_parts import PartsMixin
from moo_clustering.estimators._pareto_selection import SCORE_WEIGHT, Candidates, Solution, class_of_clusters
from moo_clustering.estimators.bags_base import read_bags
from moo_clustering.parts import parts

if TYPE_CHECKING:
    from moo_clustering.datasets import TablePreparer


@estimator
class ParetoClustering(PartsMixin, ParetoPoolClusterer):
    """Clustering by selecting or combining partitions from a pool, based on the agreement between algorithms.

    Eight families of clusterers with different biases create partitions with various numbers of clusters. A
    partition scores high if other families also find it and if it follows the neighbour graph. The result is
    the best partition or, with ``n_clusters``, a consensus of partitions into about ``n_clusters`` clusters.

    With a few labels, the result is the best partition if it does not contradict any label (see ``novel``).
    Otherwise, a kernel based on the pool classifies the remaining samples. Its predictions are combined with
    the predictions of feature classifiers, using weights fitted to held-out labels. Must-links and
    cannot-links weight the partitions, determine the number of clusters, and are propagated to other samples.

    Parameters
    ----------
    families : "auto" or sequence of str
        Algorithm families in the pool; see :func:`~moo_clustering.pool.candidate_pool`.
    prepare : {"auto", "none"}
        ``"auto"``: ``fit`` and ``predict`` convert data frames to features with a
        :class:`~moo_clustering.datasets.TablePreparer`. ``"none"``: data frames must contain finite numbers.
    scale : {"auto", "standard", "isotropic", "none"}
        ``"standard"``: mean 0 and standard deviation 1. ``"isotropic"``: the same factor for all features.
        ``"auto"``: variances of prepared columns are proportional to their weights, and other features are
        scaled as with ``"standard"``. Constant features are dropped. Sparse data with more than
        ``n_components`` features are instead reduced by truncated SVD, with rows of unit length.
    metric : {"euclidean", "cosine", "precomputed"}
        ``"cosine"``: instead of applying ``scale``, rows (such as embeddings) are scaled to unit length and
        reduced to ``n_components``. ``"precomputed"``: X contains distances, shape (n_samples, n_samples).
    criterion : {"auto", "modularity", "minimax", "mixture", "directions"}
        Criterion added to the agreement. The Notes explain the criteria and how ``"auto"`` selects one.
    kernel : {"auto", "pool", "full", "bags"}
        Kernel used with labels. ``"pool"``: co-association. ``"full"``: co-association plus graph and linear
        kernels (two bag kernels for bags). ``"bags"``: only bag kernels. ``"auto"``: ``"full"`` with at least
        4 labels per class, otherwise ``"pool"``.
    n_components : int
        Number of components to which sparse data, and dense data with ``metric="cosine"``, are reduced.
    n_landmarks : int
        Number of landmarks (means of nearby samples) that represent the data if there are more samples than
        landmarks. Up to twelve landmarks are added for each group in ``rare_groups_``.
    noise : {"assign", "label"}
        Whether ``fit`` and ``predict`` assign outliers to the cluster of their nearest sample or label them
        -1. Samples with labels, pairs or answers are never noise.
    views : mapping of str to transformer or columns
        Additional feature sets that the families cluster: transformers of X, or column indices.

    Attributes
    ----------
    parts_ : Parts
        Partitioned training table, with the number of passes and the share of rows far from landmarks.
    preparer_ : TablePreparer or None
        Fitted data-frame preparer, with notes on converted, omitted and imputed columns.

    Notes
    -----
    The criterion is added to the family agreement. ``"modularity"`` is the modularity of the neighbour graph.
    ``"minimax"`` is the silhouette in minimax-path distances, which recognises thin shapes such as spirals.
    ``"mixture"`` is the gain in likelihood from one Gaussian per cluster
    (:class:`~moo_clustering.validity.LikelihoodGain`), plus .3 times the modularity. ``"directions"`` is the
    modularity minus .1 ln n_clusters. The last three criteria include the mean agreement with all partitions.

    ``criterion="auto"`` is the first of these criteria whose condition holds:

    - ``"modularity"`` for bags, if ``n_clusters`` is an integer, and if there are pairs but no labels;
    - ``"minimax"`` for data of up to three dimensions;
    - ``"directions"`` for reduced sparse data and ``metric="cosine"``, if there are no labels;
    - ``"mixture"`` for all other data.

    ``novel="auto"``: if a table has structure, and neither ``n_clusters`` nor pairs are given, the result is
    the partition with the highest ``total``, provided that it does not contradict the labels (see
    :doc:`/papers/flagship`). Clusters of the same class are merged, and clusters without labels are new
    classes. In all other cases, the labels are assumed to cover all classes.

    ``confidence_`` is too low after a fit with labels or pairs, and was not calibrated for bags; see
    :doc:`/papers/flagship`. The verdict on thin shapes of few samples can be that there is no structure,
    although the partition is correct. Let d be the distance to the fifth neighbour. A sample is an outlier if
    its d exceeds eight times the d of two of its neighbours, and ln d exceeds its median by more than five
    robust standard deviations.

    Takes O(m^2) memory and O(m^3) time, where m = min(n_samples, n_landmarks). Finding landmarks, which are
    not used for distances and bags, takes O(n_samples m n_features) time. Tables of more than 2^25 numbers
    are scaled in blocks and not copied. Do not modify them after the fit: ``relabel`` and ``ask`` read them.

    A partitioned table (opened with :func:`~moo_clustering.parts.parts`, a Dask collection or a Zarr array)
    may be larger than memory, and must be numeric. ``labels_``, ``outliers_`` and ``landmark_of_`` are then
    Dask arrays. Reports and all other partitions refer to the landmarks. ``ask``, ``update`` and ``views``
    require the rows in memory. See :doc:`/scale`.

    References
    ----------
    Pool: k-means++, Ward, spectral clustering (Ng, Jordan and Weiss 2001; self-tuning as in Zelnik-Manor and
    Perona 2004), Genie (Gagolewski et al. 2016), HDBSCAN (Campello et al. 2013), Gaussian mixtures. Pairs: Lu
    and Ip 2010. All other components are new.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> ParetoClustering(scale="isotropic", random_state=0).fit(X).n_clusters_
    2
    """

    _: KW_ONLY
    families: Annotated[Literal["auto"] | Sequence[str], StrOptions({"auto"}), list, tuple] = "auto"
    prepare: Literal["auto", "none"] = "auto"
    scale: Literal["auto", "standard", "isotropic", "none"] = "auto"
    metric: Literal["euclidean", "cosine", "precomputed"] = "euclidean"
    criterion: Literal["auto", "modularity", "minimax", "mixture", "directions"] = "auto"
    kernel: Literal["auto", "pool", "full", "bags"] = "auto"
    n_components: Count = 50
    n_landmarks: Annotated[int, Interval(Integral, 10, None, closed="left")] = 2000
    noise: Literal["assign", "label"] = "assign"
    views: Annotated[Mapping[str, Any] | None, Mapping, None] = None

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

        Raises a ValueError if parameters, data, labels or pairs are invalid, and an
        InconsistentConstraintsError if labels and pairs, or hard pairs, contradict each other. Issues a
        UserWarning if a family fails, if a fit without labels or pairs finds no structure, if all labels are
        of one class, if all samples are labelled, or if there are fewer distinct rows than clusters.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame, shape (n_samples, n_features), Bags or partitioned table
            With ``metric="precomputed"``, distances of shape (n_samples, n_samples). Data frames (pandas,
            polars, pyarrow, AnnData) may contain numbers, dates, text and missing values (see ``prepare``).
        y : array-like of shape (n_samples,), optional
            Classes of some samples. -1, missing values and empty strings mark unlabelled samples. For
            partitioned tables, a mapping from row indices to classes is also allowed.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of rows in the same cluster, and pairs in different clusters. Must-links propagate labels.
        """
        complete(self._plans(X, y, must_link=must_link, cannot_link=cannot_link))
        return self

    @property
    def changes_(self) -> ClusterChanges:
        """Cluster births, deaths, merges and splits, and moved samples, in the last :meth:`update`."""
        check_is_fitted(self)
        if (found := vars(self).get("_changes")) is None:
            raise AttributeError("changes_ is available only after an update; call update(X) first")
        return found

    @documented()
    def update(self, X: Any) -> Self:
        """Add new samples to the fit, and change clusters only where the new samples require it.

        Pool partitions are extended to the new samples. If significantly many new samples are unlike the
        training samples (p < .05), or if the data have grown by half since the families last ran, the
        families also partition all samples again, with about the current number of clusters. Another
        partition replaces the current one only if its score is more than .05 higher. After :meth:`choose` or
        :meth:`take`, its score must also exceed that of the fit's own result by more than .05. If every class
        had labels in the fit, an update instead predicts the classes of earlier and new samples. See
        :doc:`/data`. Raises a NotFittedError before ``fit``, and a ValueError if X does not match the fit, or
        if the fit was to distances, bags, reduced data, or a table of more than 2^25 numbers. Errors leave
        the fit unchanged. An update keeps the preparation, scaling, labels, pairs, ``extra_candidates`` and
        ``views`` of the fit, so the result can differ from that of a fit to all samples.

        New and earlier clusters are matched one to one to maximise the number of shared samples. A match must
        contain at least a fifth of the earlier cluster's samples. Matched clusters keep their numbers, and
        names are kept as in ``relabel``. Numbers of clusters that disappear are reassigned to the
        highest-numbered clusters. ``labels_`` contains the earlier samples first, and ``changes_`` describes
        the changes. With more than ``n_landmarks`` samples, an update adds at most ``n_landmarks / 10``
        landmarks, only for samples unlike the training samples. An update takes no more time or memory than a
        fit.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            New samples with the same columns as in the fit.

        Examples
        --------
        >>> import numpy as np
        >>> from moo_clustering import ParetoClustering
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(8, 1, (60, 2))])
        >>> model = ParetoClustering(random_state=0).fit(X)
        >>> model.update(rng.normal([0, 16], 1, (40, 2))).changes_.births
        (2,)
        """
        check_is_fitted(self)
        samples, before = self._samples, self.labels_
        scaling: Any = getattr(samples.nearest, "scaling", None)
        unsupported = {
            "a partitioned table": samples.counts is not None,
            "a table of more than 2^25 numbers": samples.rows is not None,
            "distances or bags": scaling is None,
            "data reduced to components": getattr(scaling, "components", None) is not None,
            "fewer than three samples": samples.is_trivial and samples.n_samples < 3,
            "samples that are all identical": samples.is_trivial,
        }
        if (kind := next((name for name, given in unsupported.items() if given), None)) is not None:
            raise ValueError(f"update does not support a fit to {kind}; fit again to all samples")
        rows = self._read(X, reset=False)
        new, predicted = scaling.transform(rows), self._nearest_clusters(rows)
        stored = self._stored_rows()
        if stored is None:
            raise ValueError("this model was loaded without its samples; call restore_samples(X) first")
        reference = Reference.of(stored[0], before)
        apart = reference.unlike(new, predicted)
        numbers = {cluster: cluster for cluster in range(self.n_clusters_)}
        prepared = None if self.preparer_ is None else self.preparer_.prepare(X)
        drift = Drift.of(predicted, apart, reference.sizes, self._shown_names(), prepared)
        earlier: ClusterChanges | None = vars(self).get("_changes")
        partitioned = vars(self).get("_n_partitioned", samples.n_points)
        n_fresh = samples.n_points + len(new) - partitioned
        needed = drift.p_value < 0.05 or n_fresh >= 0.5 * partitioned
        extension = _pareto_pool.extended(
            samples, new, apart,
            n_landmarks=self.n_landmarks, n_clusters=self._number, n_neighbors=self.n_neighbors,
            n_jobs=self.n_jobs, families=self.families, verbose=bool(self.verbose),
            k_range=range(max(2, self.n_clusters_ - 2), self.n_clusters_ + 4) if needed else None,
        )  # fmt: skip
        side = self._side_information.extended(len(new))
        current, known = np.concatenate([self._solution.labels, predicted]), self._solution.known
        lead = self._accepted_lead()

        def settle(selected: Solution, candidates: Candidates | None) -> Solution:
            """Return ``selected`` if it is clearly better, otherwise the current partition."""
            nonlocal numbers
            if side.kind == "labels":
                return selected
            assert candidates is not None
            objectives, both = candidates.objectives, np.stack([selected.labels, current])
            total = objectives.totals(extension.per_point(both))
            # The new partition replaces the current one only if its score is higher by more than this value.
            least = 0.05 * (1.0 if len(objectives.indices) == 2 else SCORE_WEIGHT)
            labels, numbers = matched_numbers(before, both[0 if total[0] > total[1] + lead + least else 1])
            targets = side.targets
            classes = None if targets is None else class_of_clusters(labels, targets.indicators)
            answered = None if known is None else np.pad(known, (0, len(new)))
            return Solution(labels, cluster_classes=classes, known=answered, numbered=True)

        given = self.cluster_names_
        try:
            self._samples = extension
            complete(self._select(side, settle=settle))
        except BaseException:
            self._samples = samples
            raise
        self._n_partitioned, self._lead = extension.n_points if needed else partitioned, lead
        if side.kind == "labels":
            numbers = matched_clusters(before, self.labels_)
        if given:
            self._cluster_names = results.carried_names(before, self.labels_[: len(before)], given)
        inactive = () if earlier is None else earlier.inactive
        names = self._shown_names()
        self._changes = ClusterChanges.of(before, self.labels_, numbers, drift, inactive, names)
        return self

    def _shown_names(self) -> list[str]:
        return results.with_user_names([f"cluster {k}" for k in range(self.n_clusters_)], self.cluster_names_)

    def _accepted_lead(self) -> float:
        """Return by how much the fit's own result scores higher than the user's selection, but at least 0."""
        lead: float = vars(self).get("_lead", 0.0)
        assert self._candidates is not None
        found = self._solutions.get("fit", self._solutions["auto"]).labels, self._solution.labels
        total = self._candidates.objectives.totals(self._samples.per_point(np.stack(found)))
        return max(0.0, lead + float(total[0] - total[1]))

    def _plans(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Plans[None]:
        self.__dict__.pop("_n_partitioned", None)
        if self._reads_parts(X):
            return self._fit_parts(parts(X), y, must_link, cannot_link)
        data = self._read(X, reset=True)
        n_samples = data.n_bags if isinstance(data, Bags) else data.shape[0]
        return self._fit(data, n_samples, y, must_link, cannot_link)

    def _read(self, X: Any, *, reset: bool) -> Any:
        if reset:
            self.preparer_: TablePreparer | None = None
        refuse_frames(X)
        if isinstance(X, Bags) or holds_tables(X):
            return read_bags(self, X, None, None, reset=reset)
        if self.preparer_ is not None:
            return np.asarray(self.preparer_.transform(X))
        if reset and self.prepare == "auto" and self.metric == "euclidean" and is_frame(X):
            return self._read_frame(X)
        # Keep float32, which is scaled in float64 by blocks, unless a step needs the whole table in float64.
        whole = sp.issparse(X) or self.metric == "precomputed" or self.views or self.extra_candidates
        dtype: Any = np.float64 if whole else [np.float64, np.float32]
        if self.metric == "cosine" and not whole:
            dtype = "numeric"  # int8 and float16 are converted by blocks
        read = numeric_features(
            self, X, dtype=dtype, accept_sparse="csr", reset=reset, ensure_min_samples=2 if reset else 1
        )
        if reset and self.metric == "cosine":
            warn_of_lengths(read)
        return read

    def _read_frame(self, frame: Any) -> FloatArray:
        from moo_clustering.datasets.prepare import prepare_table  # slow import

        # Any other scale is applied later, by the estimator, to the unscaled numbers.
        table = prepare_table(frame, scale="equal" if self.scale == "auto" else "none")
        self.preparer_ = table.preparer
        self.n_features_in_ = table.preparer.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(table.preparer, "feature_names_in_"):
            self.feature_names_in_ = table.preparer.feature_names_in_
        return table.X

    def _scale_of_features(self) -> Scale:
        if self.metric == "cosine":
            return "unit"
        if self.scale == "auto":
            return "standard" if self.preparer_ is None else "none"
        return self.scale

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        scaled = partial(scaled_features, self._scale_of_features())
        metric = "cosine" if self.metric == "cosine" else found.metric
        return replace(found, scaled=scaled, preparer=self.preparer_, metric=metric)

    def _point_features(self, names: Sequence[str] | None) -> list[str] | None:
        if names is None and self.preparer_ is not None:
            names = self.preparer_.get_feature_names_out().tolist()
        return super()._point_features(names)

    def _check_data(self, data: Any) -> None:
        bags, precomputed = isinstance(data, Bags), self.metric == "precomputed"
        if self.kernel == "bags" and not bags:
            raise ValueError('kernel="bags" requires bags of instances, got a table of samples')
        if precomputed and (bags or sp.issparse(data)):
            raise ValueError('metric="precomputed" requires a dense square matrix of distances')
        if self.criterion in ("minimax", "mixture") and bags:
            raise ValueError(f'criterion="{self.criterion}" requires features or distances, got bags')
        if self.views and (precomputed or bags):
            raise ValueError("views require a table of features; they do not support distances or bags")
        m, k = self.n_landmarks, self._number or 1
        if not bags and not precomputed and k > m < data.shape[0]:
            raise ValueError(
                f"n_clusters={k} must not exceed n_landmarks={m}, which represent the {data.shape[0]} "
                "samples; increase n_landmarks"
            )

    def _pooled(self, data: Any, needs_pool: bool, seed: Any) -> Callable[[Any], _pareto_pool.PooledSamples]:
        if isinstance(data, Bags):
            return super()._pooled(data, needs_pool, seed)
        options = self._pool_options() | {"families": self.families}
        if self.metric == "precomputed":
            D = checked_distances(data, dtype=np.float64)
            return lambda ks: _pareto_pool.pooled_distances(D, k_range=ks, seed=deepcopy(seed), **options)
        scale = self._scale_of_features()
        placing = {"scale": scale, "n_components": self.n_components, "n_landmarks": self.n_landmarks}
        options |= {"views": self.views, "min_cluster_size": self.min_cluster_size}
        return _pareto_pool.pooled_table(data, placing=placing, seed=seed, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@estimator
class ParetoBagClustering(ParetoPoolClusterer):
    """:class:`ParetoClustering` for bags of instances.

    The bags are clustered in several views: four distances and four embeddings. Each combination of algorithm
    and view is a family, as results depend more on the view than on the algorithm. With labels, the pool's
    co-association and two bag kernels classify the remaining bags. Takes O(n_instances^2 n_features) time for
    the distances, and O(n_bags^2) memory and O(n_bags^3) time for the pool. Classes of bags rarely form
    clusters, so results without labels rarely agree with the classes.

    Parameters
    ----------
    distances : sequence of {"symmetric", "average", "energy", "sliced"}, default=all four
        Symmetric Hausdorff, mean nearest-instance, energy and sliced (random-projection) distances.
    embeddings : sequence of {"mean", "stats", "stats_pca", "prototypes"}, default=all four
        Means; means and extremes; principal components of "stats"; and Hausdorff distances to all bags.
    kernel : {"pool+bags", "bags", "pool"}
        Kernel used with labels: pool co-association plus two bag kernels, or only one of these two parts.
        ``"bags"`` creates no pool, and its cost is about 1% of that with a pool.
    normalize : bool
        Whether to scale each feature to 0..1 over all instances.
    max_instances : int
        Bags with more instances are represented by this number of random instances.

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

    # Bags have no features, which the other criteria and the detection of outliers require.
    criterion: ClassVar[str] = "modularity"
    noise: ClassVar[str] = "assign"

    _: KW_ONLY
    distances: Annotated[Sequence[str], list, tuple] = ("symmetric", "average", "energy", "sliced")
    embeddings: Annotated[Sequence[str], list, tuple] = ("mean", "stats", "stats_pca", "prototypes")
    kernel: Literal["pool+bags", "bags", "pool"] = "pool+bags"
    normalize: bool = True
    max_instances: Count | None = None

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

        Raises a ValueError if parameters, bags, labels or pairs are invalid, and an
        InconsistentConstraintsError if labels and pairs, or hard pairs, contradict each other.

        Parameters
        ----------
        X : Bags, list of arrays, 3-d array, or instances with ``groups`` or ``offsets``
            Bags in any form that :func:`moo_clustering.bags.as_bags` accepts.
        y, must_link, cannot_link
            See :class:`ParetoClustering`; ``y`` contains one class per bag, and pairs contain bag indices.
        groups, offsets : array-like, optional
            ``groups``: index of each instance's bag. ``offsets``: index of each bag's first instance.
        """
        pairs = {"must_link": must_link, "cannot_link": cannot_link}
        complete(self._plans(X, y, groups=groups, offsets=offsets, **pairs))
        return self

    def _plans(
        self, X: Any, y: Any = None, *, groups: Any = None, offsets: Any = None, **pairs: Any
    ) -> Plans[None]:
        bags = read_bags(self, X, groups, offsets, reset=True)
        return self._fit(bags, bags.n_bags, y, pairs.get("must_link"), pairs.get("cannot_link"))

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        return replace(found, scaled=BagTransformer().fit_transform) if self.normalize else found

    def _read(self, X: Any, *, reset: bool) -> Bags:
        return read_bags(self, X, None, None, reset=reset)

    def _pool_options(self) -> dict[str, Any]:
        own = ("distances", "embeddings", "normalize", "max_instances")
        return super()._pool_options() | {name: getattr(self, name) for name in own}
