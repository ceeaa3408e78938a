"""SubspaceMixture: Gaussian clusters that have their own relevant features."""

from __future__ import annotations

from numbers import Real
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr
from sklearn.utils._param_validation import Interval
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from moo_clustering import _arrays
from moo_clustering._data import numeric_features, without_duplicates
from moo_clustering._docs import documented
from moo_clustering._kernels import mixtures
from moo_clustering._kernels.partitions import icm_sweep
from moo_clustering._kernels.threads import for_parts
from moo_clustering._types import FloatArray, Int64Array
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.constraints.pairs import supervision_groups
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, NonNegativeCount, ParallelOptions, estimator
from moo_clustering.estimators.subspace import LeadingFeaturesMixin

Labels = NDArray[np.int32]
# Feature means after subtracting the offset, standard deviations (0 for constant features), and the offset.
Space = tuple[FloatArray, FloatArray, Any]
# Penalty per violated cannot-link, in nats. It exceeds any gain, but is small enough to keep precision.
_VIOLATED = 1e9
# A new cluster consists of a sample's neighbours in up to _DEPTH features. Their maximum distance, in
# standard deviations, is drawn from the range _WIDTHS. At least _FEWEST neighbours must remain, and at most
# _SEEN samples are searched.
_DEPTH, _WIDTHS, _FEWEST, _SEEN = 3, (0.2, 0.8), 4, 5000
# Swaps end after _SWAPS failures in a row per cluster. Additions of clusters end after _PATIENCE failures in
# a row.
_SWAPS, _PATIENCE = 20, 10


@estimator
class SubspaceMixture(LeadingFeaturesMixin, ParallelOptions, _base.ConstrainedClusterer):
    """Gaussian clusters with a few relevant features each, found by hard EM and cluster swaps.

    Each cluster has its own mean and variance in its relevant features; in all other features, all clusters
    share a mean and a variance. A feature is relevant if it increases the log-likelihood by more than its
    cost in the extended Bayesian information criterion. This criterion also selects the number of clusters.
    Clusters start from samples in regions that are dense in some features. The search then repeatedly
    replaces a cluster with a new one, runs EM, and keeps the result if it improves the criterion.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, from 1 to n_samples. Default: selected by the criterion.
    n_swaps, max_iter : int
        Number of swaps (default: until 20 per cluster fail in a row), and maximum EM iterations per swap.
    min_variance : float
        Minimum variance within a cluster, relative to the feature's variance over all samples.

    Attributes
    ----------
    cluster_centers_, variances_ : ndarray of shape (n_clusters_, n_features)
        Means and variances of each cluster in its relevant features, and of all samples in other features.
    shares_ : ndarray of shape (n_clusters_,)
        Share of the samples in each cluster.
    feature_weights_ : ndarray of shape (n_clusters_, n_features)
        Log-likelihood gain minus cost of each relevant feature, divided by the row sum; 0 without gains.
    objective_ : float
        Log-likelihood gain over a single cluster, minus the cost of the parameters.
    objective_history_ : ndarray
        Objective after initialisation and after each improvement, minus 1e9 per violated cannot-link.
    n_iter_ : int
        Total number of EM iterations.

    Notes
    -----
    A relevant feature costs ln(n_samples) + ln(n_features), and a cluster costs ln(n_samples) / 2. An
    iteration takes O(n_samples r + m n_features + n_clusters n_features) time, where r is the total number of
    relevant features of all clusters and m is the number of reassigned samples. For sparse data, it takes
    O(n_nonzero n_clusters) time. A fit uses O(n_samples (n_features + n_clusters)) memory. Labels and pairs
    are satisfied if there are enough clusters. Constant features are never relevant. If features are
    correlated within clusters, too many clusters are selected; set ``n_clusters`` in this case. Other methods
    are better suited to texts.

    Sources: G. Celeux, G. Govaert, "A classification EM algorithm for clustering and two stochastic
    versions", Computational Statistics & Data Analysis 14 (1992), 315-332. P. Fränti, "Efficiency of random
    swap clustering", Journal of Big Data 5 (2018). J. Chen, Z. Chen, "Extended Bayesian information criteria
    for model selection with large model spaces", Biometrika 95 (2008), 759-771. N. Shental et al., "Computing
    Gaussian mixture models with EM using equivalence constraints", NIPS 16 (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import SubspaceMixture
    >>> X = np.random.default_rng(0).normal(size=(90, 20))
    >>> X[:30, :2] = X[:30, :2] / 10 + 2
    >>> X[30:60, 5:8] = X[30:60, 5:8] / 10 - 1
    >>> model = SubspaceMixture(3, random_state=0).fit(X)
    >>> [sorted(features) for features in model.leading_features()[:2]]
    [[0, 1], [5, 6, 7]]
    """

    n_clusters: Count | None = None
    _: KW_ONLY
    n_swaps: NonNegativeCount | None = None
    max_iter: Count = 30
    min_variance: Annotated[float, Interval(Real, 0, 1, closed="neither")] = 0.01

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> None:
        X = self._checked(X, reset=True)
        if self.n_clusters is not None:
            _base.check_n_clusters(self.n_clusters, X.shape[0])
        _arrays.require_squares(X)
        groups = supervision_groups(X.shape[0], y, must_link, cannot_link)
        self._space = standardisation(X)
        (seed,) = _arrays.spawn_seeds(self.random_state, 1)
        rng = np.random.default_rng(seed)
        search = MixtureSearch(samples_of(X, self._space), self, rng, groups)
        self.objective_history_ = np.array(search.run())
        self._set(search)
        if search.pairs is not None and search.pairs.n_violated(search.best.labels):
            _arrays.warn_caller(
                "labels or cannot-links are violated, because they separate more samples than there "
                f"are clusters ({self.n_clusters_}); increase n_clusters"
            )

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster with the highest product of likelihood and share, ignoring pairs.

        Predictions for training samples can differ from ``labels_`` if labels or pairs moved these samples.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return samples_of(X, self._space).assigned(self._model, self.n_jobs)[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, reset: bool) -> Any:
        X = numeric_features(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        return without_duplicates(X)

    def _distinction(self) -> FloatArray:
        return self.feature_weights_

    def _set(self, search: MixtureSearch) -> None:
        self.labels_, kept = _arrays.number_clusters(search.best.labels)
        self.n_clusters_ = len(kept)
        reason = "X has fewer distinct rows than clusters, or more clusters do not increase the likelihood"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, reason)
        state = search.state(self.labels_, self.n_clusters_)
        self.objective_, self._model = search.model(state)
        means, scales, offset = self._space
        self.cluster_centers_ = offset + means + scales * self._model.centers
        self.variances_ = scales**2 * self._model.variances
        self.shares_ = state.sizes / len(self.labels_)
        gains = self._model.gains
        total = gains.sum(axis=1, keepdims=True)
        self.feature_weights_: FloatArray = np.divide(gains, total, out=np.zeros_like(gains), where=total > 0)
        self.n_iter_ = search.n_iter


class Model(NamedTuple):
    """Cluster parameters in the relevant features, see :mod:`moo_clustering._kernels.mixtures`."""

    features: NDArray[np.int32]
    linear: FloatArray
    curves: FloatArray
    bases: FloatArray
    counts: NDArray[np.int32]
    gains: FloatArray
    centers: FloatArray
    variances: FloatArray


class State:
    """Partition with the moments of each cluster."""

    # ``MixtureSearch.converged`` sets these attributes. ``margins`` is the difference between the scores of a
    # sample for the best cluster, ``first``, and the second-best cluster, ``second``.
    objective: float
    first: Labels
    second: Labels
    margins: FloatArray

    def __init__(self, labels: Labels, sizes: FloatArray, sums: FloatArray, squares: FloatArray) -> None:
        self.labels, self.sizes, self.sums, self.squares = labels, sizes, sums, squares


class MixtureSearch:
    """Search by hard EM and cluster swaps; ``best`` is the best partition so far."""

    best: State

    def __init__(
        self, samples: Samples, options: SubspaceMixture, rng: np.random.Generator,
        groups: ConstraintGroups | None = None,
    ) -> None:  # fmt: skip
        self.samples, self.options, self.rng = samples, options, rng
        price = np.log(float(samples.shape[0])) + np.log(max(1.0, float(samples.varying.sum())))
        self._prices = np.where(samples.varying, price, np.inf)
        self.pairs = None if groups is None or groups.is_empty else _Pairs(groups)
        self.n_iter = 0

    def run(self) -> list[float]:
        """Find clusters, and return the initial objective and the objective after each improvement."""
        self.grow()
        n_swaps = self.options.n_swaps
        history = [self.best.objective]
        done = in_vain = 0
        while in_vain < _SWAPS * len(self.best.sizes) if n_swaps is None else done < n_swaps:
            done, in_vain = done + 1, in_vain + 1
            if self.swap():
                history.append(self.best.objective)
                in_vain = 0
        self.converged(self.best)
        return history

    def grow(self) -> None:
        """Add clusters until there are ``n_clusters``, or until the criterion no longer improves."""
        n_clusters = self.options.n_clusters
        self.best = self.converged(self.state(np.zeros(self.samples.shape[0], dtype=np.int32), 1))
        largest = [] if self.pairs is None else sorted(self.pairs.members, key=len, reverse=True)
        in_vain = 0
        while in_vain < _PATIENCE if n_clusters is None else len(self.best.sizes) < n_clusters:
            k = len(self.best.sizes)
            group = largest[k - 1] if k <= len(largest) else None
            found = self.converged(self._seeded(self.best.labels, k, k + 1, group))
            in_vain += 1
            if n_clusters is not None or found.objective > self.best.objective:
                in_vain = 0
                self.best = found

    def swap(self) -> bool:
        """Replace or, without ``n_clusters``, also remove or add a cluster if this improves the objective."""
        best, k, any_number = self.best, len(self.best.sizes), self.options.n_clusters is None
        if k == 1 and not any_number:
            return False
        kind = ("swap", "add", "remove", "swap")[int(self.rng.integers(4))] if any_number else "swap"
        labels = best.labels.copy()
        if kind == "add" or k == 1:
            state = self._seeded(labels, k, k + 1)
        else:
            out = self._chosen()
            members = labels == out
            labels[members] = np.where(best.first == out, best.second, best.first)[members]
            if kind == "remove":
                labels[labels > out] -= 1
                state = self.state(labels, k - 1)
            else:
                state = self._seeded(labels, out, k)
        found = self.converged(state, best.objective)
        if found.objective <= best.objective + 1e-9 * abs(best.objective):
            return False
        self.best = found
        return True

    def state(self, labels: Labels, k: int) -> State:
        """Compute the cluster moments of a partition."""
        d = self.samples.shape[1]
        state = State(np.full_like(labels, -1), np.zeros(k), np.zeros((k, d)), np.zeros((k, d)))
        self.samples.move(state, labels)
        return state

    def model(self, state: State) -> tuple[float, Model]:
        """Return the objective of a partition (see ``objective_``) and its cluster parameters."""
        k, d = state.sums.shape
        linear, curves, gains, centers, variances = np.empty((5, k, d))
        features, bases, counts = np.empty((k, d), np.int32), np.empty(k), np.empty(k, np.int32)
        found = Model(features, linear, curves, bases, counts, gains, centers, variances)
        moments, floor = self.samples.moments(state), self.options.min_variance
        gain = mixtures.fit_clusters(*moments, floor, self._prices, *found)
        cost = 0.5 * np.log(len(state.labels)) * np.count_nonzero(state.sizes)
        return float(gain - cost), found

    def converged(self, state: State, least: float = -np.inf) -> State:
        """Run hard EM in place until convergence, or until the objective is unlikely to reach ``least``."""
        last = -np.inf
        for _ in range(self.options.max_iter):
            self.n_iter += 1
            objective, model = self.model(state)
            # Stop if five more gains like the last one would not raise the objective to ``least``.
            if objective + 5 * (objective - last) < least:
                break
            last = objective
            state.first, state.second, state.margins = self.samples.assigned(model, self.options.n_jobs)
            new = state.first.copy()
            if self.pairs is not None:
                self.pairs.assign(self.samples.scores(model, self.pairs.rows), state.labels, new)
            if not self.samples.move(state, new):
                break
        else:
            objective, _ = self.model(state)
        if self.pairs is not None:
            objective -= _VIOLATED * self.pairs.n_violated(state.labels)
        state.objective = float(objective)
        return state

    def _chosen(self) -> int:
        """Draw a cluster to remove, preferably an empty cluster, or a cluster whose removal costs little."""
        k = len(self.best.sizes)
        if not self.best.sizes.all() and self.rng.random() < 0.5:
            return int(np.argmin(self.best.sizes))
        if self.rng.random() < 0.5:
            return int(self.rng.integers(k))
        loss = np.bincount(self.best.labels, weights=self.best.margins, minlength=k)
        return int(np.argsort(loss)[min(k - 1, int(self.rng.exponential(2.0)))])

    def _seeded(self, labels: Labels, cluster: int, k: int, group: Int64Array | None = None) -> State:
        """Return a new state, in which ``cluster`` contains a random sample and its neighbours."""
        labels = labels.copy()
        labels[self.dense_samples(group)] = cluster
        best, more = self.best, ((0, k - len(self.best.sizes)), (0, 0))
        moments = np.pad(best.sizes, more[0]), np.pad(best.sums, more), np.pad(best.squares, more)
        state = State(best.labels, *moments)
        self.samples.move(state, labels)
        return state

    def dense_samples(self, group: Int64Array | None = None) -> Int64Array:
        """Return ``group`` (default: that of a random sample) and samples that are near in some features."""
        rng, (n, d) = self.rng, self.samples.shape
        if group is None:
            i = int(rng.integers(n))
            group = np.array([i]) if self.pairs is None else self.pairs.together(i)
        else:
            i = int(rng.choice(group))
        width = float(_WIDTHS[0] * (_WIDTHS[1] / _WIDTHS[0]) ** rng.random())
        x = self.samples.row(i)
        near = np.clip(ndtr(x + width) - ndtr(x - width), 1e-3, 1 - 1e-3)
        most = max(_FEWEST, min(_SEEN, _arrays.BLOCK_ITEMS // d))
        members = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))

        def excess(rows: Int64Array) -> FloatArray:
            counts = self.samples.near(rows, x, width)
            return (counts - len(rows) * near) / np.sqrt(len(rows) * near * (1 - near))

        known = excess(group) if len(group) > 1 else 0.0
        used = ~self.samples.varying
        for depth in range(min(_DEPTH, d - np.count_nonzero(used))):
            found = np.where(used, -np.inf, excess(members) + known)
            # The first feature is drawn from the eight features with the highest excess. Each further feature
            # is the feature with the highest excess.
            leading = np.argsort(-found, kind="stable")[: 1 if depth else 8]
            j = int(rng.choice(leading))
            used[j] = True
            nearer = members[np.abs(self.samples.column(members, j) - x[j]) <= width]
            if len(nearer) < _FEWEST:
                break
            members = nearer
        return np.union1d(members, group)


class _Pairs:
    """Must-link groups of samples, and cannot-links between groups."""

    def __init__(self, groups: ConstraintGroups) -> None:
        self.rows = np.flatnonzero(groups.groups >= 0)
        self._groups, self._of, self.members = groups, groups.groups[self.rows], groups.members()
        ones = np.ones(len(self.rows))
        where = np.arange(len(self.rows))
        self._sum = sparse.csr_array((ones, (self._of, where)), shape=(groups.n_groups, len(self.rows)))
        both = np.concatenate([groups.conflicts, groups.conflicts[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        self._starts = np.searchsorted(both[:, 0], np.arange(groups.n_groups + 1)).astype(np.int64)
        self._partners = np.ascontiguousarray(both[:, 1])
        self._costs = np.full(len(both), _VIOLATED)
        self._first_rows = self.rows[np.unique(self._of, return_index=True)[1]]
        self._order = np.argsort(-np.bincount(self._of), kind="stable").astype(np.int64)

    def together(self, i: int) -> Int64Array:
        """Return all samples in the must-link group of sample i, including i itself."""
        group = self._groups.groups[i]
        return np.array([i]) if group < 0 else self.rows[self._of == group]

    def assign(self, scores: FloatArray, former: Labels, labels: Labels) -> None:
        """Update ``labels`` by moving each must-link group to its best cluster, given the other groups."""
        found = former[self._first_rows]
        icm_sweep(-(self._sum @ scores), self._starts, self._partners, self._costs, self._order, found)
        labels[self.rows] = found[self._of]

    def n_violated(self, labels: Labels) -> int:
        """Count cannot-links within clusters, and must-link groups divided between clusters."""
        of_group = labels[self._first_rows]
        g, h = self._groups.conflicts.T
        split = np.unique(self._of[labels[self.rows] != of_group[self._of]])
        return int(np.count_nonzero(of_group[g] == of_group[h])) + len(split)


def standardisation(X: Any) -> Space:
    """Compute the means and standard deviations that :func:`samples_of` uses to standardise samples."""
    if sparse.issparse(X):
        offset: Any = 0.0
        means, variances = mean_variance_axis(X, axis=0)
        largest = abs(X).max(axis=0).toarray().ravel()
    else:
        offset = _arrays.far_offset(X)
        X = X - offset
        means, variances, largest = X.mean(axis=0), X.var(axis=0), np.abs(X).max(axis=0)
    scales = np.sqrt(variances)
    # Because of rounding errors, the mean of equal values can differ from these values.
    return means, np.where(scales > 1e-12 * largest, scales, 0.0), offset


def samples_of(X: Any, space: Space) -> Samples:
    """Standardise samples using the means and standard deviations of the training data."""
    return SparseSamples(X, space) if sparse.issparse(X) else Samples(X, space)


class Samples:
    """Table ``_X - _shift``, whose features have mean 0 and variance 1."""

    def __init__(self, X: Any, space: Space) -> None:
        means, scales, offset = space
        self.shape, self.varying = X.shape, scales > 0
        factors = np.divide(1.0, scales, out=np.zeros_like(scales), where=self.varying)
        self._X, self._shift = self._standardised(X, means, factors, offset)

    def _standardised(self, X: Any, means: FloatArray, factors: FloatArray, offset: Any) -> tuple[Any, Any]:
        return (X - offset - means) * factors, 0.0

    def assigned(self, model: Model, n_jobs: int | None) -> tuple[Labels, Labels, FloatArray]:
        """Return the best and second-best cluster of each sample, and the difference between their scores."""
        n = self.shape[0]
        first, second = np.empty((2, n), dtype=np.int32)
        margins = np.empty(n)

        def part(lo: int, hi: int) -> None:
            mixtures.assign_rows(self._X, *model[:5], lo, hi, first, second, margins)

        for_parts(part, n, 4.0 * n * int(model.counts.sum() + len(model.counts)), n_jobs)
        return first, second, margins

    def scores(self, model: Model, rows: Any) -> FloatArray:
        """Return the gains in log-likelihood over a single cluster, shape (n_rows, n_clusters)."""
        linear, curves = np.zeros((2, *model.linear.shape))
        for c, m in enumerate(model.counts):
            linear[c, model.features[c, :m]] = model.linear[c, :m]
            curves[c, model.features[c, :m]] = model.curves[c, :m]
        X, shift = self._X[rows], self._shift
        constants = model.bases + ((curves * shift - linear) * shift).sum(axis=1)
        found: FloatArray = X @ (linear - 2 * curves * shift).T + (X * X) @ curves.T + constants
        return found

    def move(self, state: State, labels: Labels) -> int:
        """Set the labels, update the moments, and return the number of changed labels."""
        old, state.labels = state.labels, labels
        return int(mixtures.move_rows(self._X, old, labels, state.sizes, state.sums, state.squares))

    def moments(self, state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cluster sizes, sums and sums of squares of the standardised samples."""
        sizes = state.sizes[:, None]
        squares = state.squares - self._shift * (2 * state.sums - sizes * self._shift)
        return state.sizes, state.sums - sizes * self._shift, squares

    def row(self, i: int) -> Any:
        return self._X[i]

    def column(self, rows: Int64Array, j: int) -> Any:
        return self._X[rows, j]

    def near(self, rows: Int64Array, x: FloatArray, width: float) -> FloatArray:
        """For each feature, count the samples within ``width`` of x."""
        found: FloatArray = mixtures.count_near(self._X, rows, x, width)
        return found


class SparseSamples(Samples):
    """Sparse samples. ``_shift`` is not subtracted from the data, but results take it into account."""

    def _standardised(self, X: Any, means: FloatArray, factors: FloatArray, offset: Any) -> tuple[Any, Any]:
        values = X.data * factors[X.indices]
        return sparse.csr_array((values, X.indices, X.indptr), shape=X.shape), means * factors

    def assigned(self, model: Model, n_jobs: int | None) -> tuple[Labels, Labels, FloatArray]:
        scores, rows = self.scores(model, slice(None)), np.arange(self.shape[0])
        first = scores.argmax(axis=1).astype(np.int32)
        best = scores[rows, first]
        scores[rows, first] = -np.inf
        second = scores.argmax(axis=1).astype(np.int32)
        return first, second, best - scores[rows, second]

    def move(self, state: State, labels: Labels) -> int:
        old, state.labels = state.labels, labels
        moved = np.flatnonzero(old != labels)
        X, k = self._X[moved], len(state.sizes)
        ones, where = np.ones(len(moved)), np.arange(len(moved))
        for sign, changed in ((-1.0, old[moved]), (1.0, labels[moved])):
            own = changed >= 0
            members = sparse.csr_array((ones[own], (changed[own], where[own])), shape=(k, len(moved)))
            state.sizes += sign * np.bincount(changed[own], minlength=k)
            state.sums += sign * (members @ X).toarray()
            state.squares += sign * (members @ (X * X)).toarray()
        return len(moved)

    def row(self, i: int) -> Any:
        return self._X[[i]].toarray()[0] - self._shift

    def column(self, rows: Int64Array, j: int) -> Any:
        return self._X[rows][:, [j]].toarray()[:, 0] - self._shift[j]

    def near(self, rows: Int64Array, x: FloatArray, width: float) -> FloatArray:
        seen, values = self._X[rows], x + self._shift
        stored = np.bincount(seen.indices, minlength=self.shape[1])
        close = np.abs(seen.data - values[seen.indices]) <= width
        found: FloatArray = np.bincount(seen.indices[close], minlength=self.shape[1]).astype(np.float64)
        found += (len(rows) - stored) * (np.abs(values) <= width)
        return found
