"""K-means with must-links and cannot-links, and limits on cluster sizes, weights and group shares."""

import re
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Annotated, Any, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from scipy import optimize, sparse
from scipy.spatial.distance import cdist
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from moo_clustering import results
from moo_clustering._arrays import number_clusters, quoted, spawn_seeds, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._kernels import caching
from moo_clustering._kernels.assignment import assign_within
from moo_clustering._kernels.kmeans import lloyd
from moo_clustering._parallel import run_calls
from moo_clustering._types import FloatArray, Int32Array, Int64Array
from moo_clustering.constraints import ClusterSizes, ClusterWeights, GroupShares, Limit, PairwiseConstraints
from moo_clustering.constraints.pairs import supervision_pairs
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, NonNegative, ParallelOptions, estimator
from moo_clustering.problems.centers import CenterEncoding, nearest_centers, shifted

# Minimum number of must-link groups that the first programme of an assignment can move.
_FREE = 100


@estimator
class ConstrainedKMeans(ParallelOptions, _base.TransformingClusterer):
    """K-means with pairs and limits on cluster sizes, weights and group shares (balanced, fair k-means).

    The result satisfies all limits and pairs. If only sizes are bounded, assignments are optimal and take
    O(n_samples n_clusters n_features) time, plus O(n_clusters^2) per sample outside its nearest cluster. With
    weights, groups or pairs, the solution of a linear program is rounded and repaired (tens of milliseconds
    for 1,000 samples). If the result violates cannot-links, an integer program reassigns samples (seconds for
    many cannot-links). A fit uses O(n_samples (n_clusters + n_features)) memory. Source: P. Bradley, K.
    Bennett, A. Demiriz, "Constrained k-means clustering", Microsoft Research MSR-TR-2000-65 (2000); S. Bera,
    D. Chakrabarty, N. Flores, M. Negahbani, "Fair algorithms for clustering", NeurIPS (2019).

    Parameters
    ----------
    min_cluster_size, max_cluster_size : int or array-like of shape (n_clusters,)
        Bounds on the number of samples per cluster: one value for all, or one value per label in ``labels_``.
    min_cluster_weight, max_cluster_weight : float or array-like of shape (n_clusters,)
        Bounds on a cluster's sum of ``weight`` (see ``fit``): one value for all, or one value per label.
    min_group_ratio, max_group_ratio : float
        Bounds on a group's share of a cluster, relative to its share of all samples (see ``fit``).
    n_init : int
        Number of runs with greedy k-means++ initialisation. The run with the lowest sum of squares is used.
    max_iter : int
        Maximum number of assignments in each run.
    tol : float
        A run stops when the sum of squared centre shifts is at most ``tol`` times the mean variance.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Cluster means.
    inertia_ : float
        Sum of squared distances of the samples to their centres.
    gap_ : float
        Relative excess of the cost over a lower bound that ignores cannot-links. 0 if only sizes are limited.
    violations_ : dict of str to float
        Violation of each limit. All values are 0.
    n_iter_ : int
        Number of assignments in the best run.

    Examples
    --------
    >>> from moo_clustering.estimators import ConstrainedKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]]
    >>> ConstrainedKMeans(2, min_cluster_size=3, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model = ConstrainedKMeans(2, max_cluster_weight=9, random_state=0)
    >>> model.fit_predict(X, weight=[1, 2, 3, 4, 3, 3])
    array([0, 0, 1, 0, 1, 1], dtype=int32)
    """

    n_clusters: Count
    _: KW_ONLY
    min_cluster_size: Annotated[Any, Interval(Integral, 1, None, closed="left"), "array-like"] = 1
    max_cluster_size: Annotated[Any, Interval(Integral, 1, None, closed="left"), "array-like", None] = None
    min_cluster_weight: Annotated[Any, Interval(Real, 0, None, closed="left"), "array-like", None] = None
    max_cluster_weight: Annotated[Any, Interval(Real, 0, None, closed="neither"), "array-like", None] = None
    min_group_ratio: Annotated[float, Interval(Real, 0, 1, closed="both")] = 0.8
    max_group_ratio: Annotated[float, Interval(Real, 1, None, closed="left")] = 1.25
    n_init: Count = 10
    max_iter: Count = 300
    tol: NonNegative = 1e-4

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X, of shape (n_samples, n_features), within the limits; ``y`` is ignored.

        Raises a ValueError if the limits or pairs are impossible, or if no partition that satisfies them is
        found. Issues a UserWarning if the limits separate identical rows, or if some clusters are empty.

        Parameters
        ----------
        weight : array-like of shape (n_samples,), optional
            Non-negative weights, such as demands, for weight limits. Centres are unweighted means.
        groups : array-like of shape (n_samples,), optional
            Group of each sample, for ``min_group_ratio`` and ``max_group_ratio``.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row indices that must be in the same cluster, or in different clusters.
        """
        X = numeric_features(self, X, dtype=np.float64)
        _base.check_n_clusters(self.n_clusters, len(X))
        pairs = supervision_pairs(len(X), None, must_link, cannot_link)
        bounds = self._bounds(len(X), weight, groups, pairs)
        encoding = CenterEncoding(X, self.n_clusters)
        seeds = spawn_seeds(self.random_state, self.n_init)
        # Use threads, because they share the data, and because the kernels release the interpreter lock.
        calls = (delayed(self._run)(encoding, bounds, seed) for seed in seeds)
        runs = run_calls(calls, n_jobs=self.n_jobs, prefer="threads")
        found = [each for each in runs if each is not None]
        if not found:
            raise ValueError(
                "found no partition within the limits; widen the limits, remove pairs or increase n_init"
            )
        self.inertia_, labels, centers, self.gap_, self.n_iter_ = min(found, key=lambda each: each[0])
        equal = _base.equal_rows(X)
        if equal.max() + 1 < self.n_clusters and not bounds.per_cluster:
            fixed = np.unique(np.concatenate([pairs.must_link, pairs.cannot_link]))
            united = number_clusters(_base.united(labels, equal, fixed))[0]
            if not any(limit.violations(united)[0] > 0 for limit in bounds.limits):
                labels, centers = united, _means(encoding.points, united, int(united.max()) + 1)
                self.inertia_ = float(((encoding.points - centers[labels]) ** 2).sum())
        self.labels_, order = number_clusters(labels)
        if bounds.per_cluster:
            self.labels_, order = labels, np.arange(self.n_clusters)
        self._offsets, self._centers = encoding.offsets, centers[order]
        self.cluster_centers_ = encoding.in_data(self._centers)
        self.n_clusters_ = self._n_features_out = len(order)
        self._limits = bounds.limits
        self.violations_ = {each.name: float(each.violations(self.labels_)[0]) for each in bounds.limits}
        if (_base.united(self.labels_, equal) != self.labels_).any():
            warn_caller("equal rows are in different clusters, because of the limits or pairs")
        _base.warn_of_few(self.n_clusters_, self.n_clusters)
        return self

    def _run(
        self, encoding: CenterEncoding, bounds: "_Bounds", seed: np.random.SeedSequence
    ) -> tuple[float, Int32Array, FloatArray, float, int] | None:
        """Run k-means from one initialisation."""
        # Returns the inertia, labels, centres, gap and number of assignments, or None without any assignment.
        points, n_passes = encoding.points, 5
        limit = self.tol * float(points.var(axis=0).mean())
        centers = np.array(encoding.seeds(np.random.default_rng(seed)), order="C")
        # Lloyd iterations without limits make the first assignment within the limits almost optimal.
        n_steps = n_passes * points.size * len(centers) / 2
        caching.run(lloyd, n_steps, points, centers, np.empty(len(points), np.int32), n_passes, 0.0)
        assign, found = bounds.assigner(), None
        best, n_iter, seen = None, 0, set()
        while n_iter < self.max_iter and (found := assign(cdist(points, centers, "sqeuclidean"))) is not None:
            n_iter += 1
            labels, gap = found
            means = _means(points, labels, len(centers))
            moved = float(((means - centers) ** 2).sum())
            centers = means
            inertia = float(((points - centers[labels]) ** 2).sum())
            if best is None or inertia <= best[0]:
                best = inertia, labels, centers, gap
            # The iterations can cycle, because rounding to whole samples can increase the cost.
            if (known := hash(labels.tobytes())) in seen or moved <= limit:
                break
            seen.add(known)
        return None if best is None else (*best, n_iter)

    @documented(_base.OF_PREDICT)
    def predict(
        self,
        X: Any,
        *,
        within_limits: bool = False,
        weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Int32Array:
        """Assign rows to the nearest centres or, if ``within_limits``, at the lowest cost within the limits.

        By default, the limits are ignored, so labels of training rows can differ from ``labels_``. With
        ``within_limits``, the limits apply to the rows of X alone. Raises a ValueError if no assignment
        satisfies the limits.

        Parameters
        ----------
        within_limits : bool, default=False
            Whether to assign all rows of X together, subject to the limits.
        weight, groups : array-like of shape (n,), optional
            Same as for :meth:`fit`; allowed only with ``within_limits=True``.
        """
        X = numeric_features(self, X, dtype=np.float64, reset=False)
        points = shifted(X, self._offsets)
        if not within_limits and (weight is not None or groups is not None):
            raise ValueError("weight and groups have no effect without within_limits=True")
        if not within_limits:
            return nearest_centers(points, self._centers)[0]
        _base.check_n_clusters(self.n_clusters_, len(X))
        bounds = self._bounds(len(X), weight, groups)
        found = bounds.assigner()(cdist(points, self._centers, "sqeuclidean"))
        if found is None:
            raise ValueError("found no assignment within the limits; widen the limits")
        return found[0]

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> FloatArray:
        """Compute the Euclidean distances to the centres."""
        X = numeric_features(self, X, dtype=np.float64, reset=False)
        return np.asarray(cdist(shifted(X, self._offsets), self._centers))

    def _clustering_result(self) -> results.ClusteringResult:
        record = {"inertia": self.inertia_, "gap": self.gap_, "violations": dict(self.violations_)}
        return replace(
            super()._clustering_result(),
            record={"constrained_kmeans": record},
            limits=self._limits,
            arrays=lambda: {"centers": np.asarray(self.cluster_centers_)},
        )

    def _bounds(
        self, n_samples: int, weight: Any, groups: Any, pairs: PairwiseConstraints | None = None
    ) -> "_Bounds":
        load = (self.min_cluster_weight, self.max_cluster_weight)
        if weight is None and any(bound is not None for bound in load):
            raise ValueError(
                "min_cluster_weight and max_cluster_weight require weight; pass the weights as weight=..."
            )
        if weight is not None and all(bound is None for bound in load):
            raise ValueError("weight has no effect without min_cluster_weight or max_cluster_weight")
        made: list[tuple[str, str, Callable[[], Limit]]] = [
            ("cluster_size", "", lambda: ClusterSizes(self.min_cluster_size, self.max_cluster_size))
        ]
        if weight is not None:
            made.append(("cluster_weight", "weight", lambda: ClusterWeights(weight, *load)))
        if groups is not None:
            ratio = (self.min_group_ratio, self.max_group_ratio)
            made.append(("group_ratio", "groups", lambda: GroupShares(groups, *ratio)))
        limits: list[Limit] = []
        for name, data, make in made:
            try:
                limits.append(make())
                if limits[-1].n_samples not in (None, n_samples):
                    raise ValueError(
                        f"{data} must have one value per sample ({n_samples}), got {limits[-1].n_samples}"
                    )
                limits[-1].possible(self.n_clusters, n_samples)
            except ValueError as error:
                if data and str(error).startswith(data):
                    raise
                # The message calls the bounds "low" and "high", so insert the names of the parameters.
                reason = re.sub(r"\blow\b", f"min_{name}", re.sub(r"\bhigh\b", f"max_{name}", str(error)))
                raise ValueError(f"invalid min_{name} or max_{name}: {reason}") from error
        if (np.ravel(self.min_cluster_size) < 1).any():
            raise ValueError(f"min_cluster_size must be at least 1, got {quoted(self.min_cluster_size)}")
        bounds = _Bounds(limits, n_samples, self.n_clusters, pairs)
        for (name, *_), amount, high in zip(made, bounds.amounts.T, bounds.high.max(axis=0), strict=False):
            if (most := amount.max()) > high * (1 + 1e-9):
                raise ValueError(
                    f"must_link joins samples with a {name} of {most:g}, which exceeds max_{name}={high:g}; "
                    f"increase max_{name}, or remove pairs"
                )
        return bounds


def _means(points: FloatArray, labels: Int32Array, n_clusters: int) -> FloatArray:
    indicators = np.ones(len(labels)), (labels, np.arange(len(labels)))
    sums = sparse.csr_array(indicators, shape=(n_clusters, len(labels))) @ points
    return np.asarray(sums / np.bincount(labels, minlength=n_clusters)[:, np.newaxis])


class _Bounds:
    """Limits on clusters, stored as arrays, and methods that assign samples within these limits."""

    def __init__(
        self, limits: list[Limit], n_samples: int, n_clusters: int, pairs: PairwiseConstraints | None = None
    ) -> None:
        # Must-linked samples are assigned as one group, with the sums of their costs and amounts.
        self.group = np.arange(n_samples) if pairs is None else pairs.components()
        members = np.ones(n_samples), (self.group, np.arange(n_samples))
        self._merged = sparse.csr_array(members, shape=(int(self.group.max()) + 1, n_samples))
        # Pairs of must-link groups that are cannot-linked, shape (n_pairs, 2).
        cannot = np.empty((0, 2), dtype=np.int64) if pairs is None else self.group[pairs.cannot_link]
        self.rivals = np.unique(np.sort(cannot, axis=1), axis=0)
        self.limits, self.n_samples, self.n_clusters = limits, n_samples, n_clusters
        self.groups: GroupShares | None = None
        columns, low, high = [], [], []
        for each in limits:
            if isinstance(each, ClusterSizes | ClusterWeights):
                columns.append(np.ones(n_samples) if each.weight is None else each.weight)
                low.append(np.broadcast_to(each.low, n_clusters))
                high.append(np.broadcast_to(each.high, n_clusters))
            elif isinstance(each, GroupShares):
                self.groups = each
        # ``amounts`` has a row per sample and a column per limit on sizes or weights. ``low`` and ``high``,
        # of shape (n_clusters, n_amounts), bound the sum of each column over the samples of a cluster.
        self.amounts, self.low, self.high = map(np.column_stack, (columns, low, high))
        self.per_cluster = bool((self.low != self.low[0]).any() or (self.high != self.high[0]).any())
        if self.groups is not None:
            member = np.eye(int(self.groups.codes.max()) + 1)[self.groups.codes]
            self._shares = member.mean(axis=0)
            self.amounts = np.hstack([self.amounts, member])
        # The linear programme bounds the sum of each column in each cluster by ``_least`` and ``_most``, of
        # shape (n_columns, n_clusters). The sums of columns for group shares must not be negative.
        self._columns, self._least, self._most = np.column_stack(columns), self.low.T, self.high.T
        if self.groups is not None:
            for bound, sign in ((self.groups.low, 1.0), (self.groups.high, -1.0)):
                over = sign * (member - bound * self._shares)
                zeros = np.zeros((over.shape[1], n_clusters))
                self._columns = np.hstack([self._columns, over])
                self._least = np.vstack([self._least, zeros])
                self._most = np.vstack([self._most, zeros + np.inf])
        self.amounts, self._columns = self._merged @ self.amounts, self._merged @ self._columns
        # Scale the columns, because the solver's tolerances are absolute. Scaling by powers of two is exact.
        size = -np.frexp(np.abs(self._columns).max(axis=0))[1]
        self._columns = np.ldexp(self._columns, size)
        self._least, self._most = (np.ldexp(b, size[:, np.newaxis]) for b in (self._least, self._most))
        self._scale = np.abs(self._columns).sum(axis=0)[:, np.newaxis] * np.ones(n_clusters)

    def assigner(self) -> Callable[[FloatArray], tuple[Int32Array, float] | None]:
        """Return a function that converts costs of shape (n_samples, n_clusters) to labels and a gap."""
        # The function returns None if it finds no assignment. Each call starts from its last dual values.
        if len(self.limits) > 1 or len(self.amounts) < self.n_samples or len(self.rivals):
            duals = np.zeros(self._least.shape)

            def approximate(cost: FloatArray) -> tuple[Int32Array, float] | None:
                found = self._rounded(self._merged @ cost, duals)
                return None if found is None else (found[0][self.group], found[1])

            return approximate
        low = self.low[:, 0].astype(np.int64)
        high = np.minimum(self.high[:, 0], self.n_samples).astype(np.int64)
        prices = np.zeros(self.n_clusters)

        def assign(cost: FloatArray) -> tuple[Int32Array, float]:
            labels = np.empty(len(cost), dtype=np.int32)
            caching.run(assign_within, 3 * cost.size, cost, low, high, prices, labels)
            return labels, 0.0

        return assign

    def _rounded(self, cost: FloatArray, duals: FloatArray) -> tuple[Int32Array, float] | None:
        """Solve the linear programme, round its solution, repair violations, and return labels and gap."""
        # Scale the median positive excess cost to 1, because the solver's tolerances are absolute.
        nearest = cost.min(axis=1)
        excess = cost - nearest[:, np.newaxis]
        unit = float(np.median(excess[excess > 0])) if excess.any() else 1.0
        solved = self._relaxed(excess / unit, duals)
        if solved is None:
            return None
        share, bound = solved[0], unit * solved[1] + float(nearest.sum())
        labels = self._mended(share.argmax(axis=1), cost)
        if len(self.rivals):
            is_apart = labels is not None and (labels[self.rivals[:, 0]] != labels[self.rivals[:, 1]]).all()
            labels = labels if is_apart else self._apart(share.argmax(axis=1), excess / unit)
        if labels is None:
            return None
        value = float(cost[np.arange(len(cost)), labels].sum())
        return labels.astype(np.int32), max(0.0, value - bound) / bound if bound > 0 else 0.0

    def _apart(self, labels: Int64Array, cost: FloatArray) -> Int64Array | None:
        """Separate cannot-linked groups by an integer programme, or return None if there is no solution."""
        # The programme reassigns the cannot-linked groups, and the groups whose two lowest costs differ
        # least. As long as it has no solution, it is repeated with four times as many groups.
        n = len(labels)
        margin = np.ptp(np.sort(cost, axis=1)[:, :2], axis=1)
        margin[self.rivals] = -1.0
        order = np.argsort(margin, kind="stable")
        n_free = int((margin < 0).sum()) + max(_FREE, n // 20)
        while True:
            free, fixed = order[:n_free], order[n_free:]
            spent, place = np.zeros(self._least.shape), np.empty(n, dtype=np.int64)
            np.add.at(spent.T, labels[fixed], self._columns[fixed])
            place[free] = np.arange(len(free))
            solved = self._programme(cost[free], self._columns[free], spent, place[self.rivals])
            if solved is not None:
                labels[free] = solved[0].argmax(axis=1)
                return labels
            if not len(fixed):
                return None
            n_free *= 4

    def _relaxed(self, cost: FloatArray, duals: FloatArray) -> tuple[FloatArray, float] | None:
        """Return the optimal fractional assignment and its cost, or None if there is none."""
        # To keep the linear programme small, rows are fixed if the dual values clearly favour one cluster. If
        # the new dual values favour another cluster for a fixed row, the row is freed, and the programme is
        # solved again. ``duals`` is updated in place.
        n, k = cost.shape
        reduced = cost - self._columns @ duals
        labels = reduced.argmin(axis=1)
        is_free = np.zeros(n, dtype=bool)
        n_free = max(_FREE, n // 20)
        while True:
            nearest = np.partition(reduced, 1, axis=1) if k > 1 else np.zeros((n, 2))
            margin = np.where(is_free, -1.0, nearest[:, 1] - nearest[:, 0])
            is_free[np.argsort(margin, kind="stable")[:n_free]] = True
            free, fixed = np.flatnonzero(is_free), np.flatnonzero(~is_free)
            spent = np.zeros(duals.shape)
            np.add.at(spent.T, labels[fixed], self._columns[fixed])
            solved = self._programme(cost[free], self._columns[free], spent)
            if solved is None:
                if not len(fixed):
                    return None
                n_free = 2 * len(free)
                continue
            duals[:] = solved[1]
            reduced = cost - self._columns @ duals
            better = reduced[fixed].min(axis=1) < reduced[fixed, labels[fixed]] - 1e-7
            if not better.any():
                share = np.zeros((n, k))
                share[fixed, labels[fixed]] = 1.0
                share[free] = solved[0]
                return share, float((share * cost).sum())
            labels = np.where(is_free, labels, reduced.argmin(axis=1))
            is_free[fixed[better]] = True
            n_free = int(1.5 * np.count_nonzero(is_free))

    def _programme(
        self, cost: FloatArray, columns: FloatArray, spent: FloatArray, rivals: Any = ()
    ) -> tuple[FloatArray, FloatArray] | None:
        """Assign the rows of ``cost`` by a linear programme."""
        # ``spent`` contains the amounts of all other rows in each cluster. Rows in a pair of ``rivals`` must
        # be in different clusters. Returns the shares of the rows in each cluster, and the dual values of the
        # bounds, or None without a solution. With ``rivals``, the shares are 0 or 1, and the dual values are
        # 0.
        n, k = cost.shape
        rows = sparse.kron(columns.T, sparse.eye_array(k), "csr")
        least, most = (self._least - spent).ravel(), (self._most - spent).ravel()
        below, above = np.flatnonzero(np.isfinite(most)), np.flatnonzero(np.isfinite(least))
        slack, n_pairs = 1e-9 * self._scale.ravel(), len(rivals)
        ends = np.ones(2 * n_pairs), (np.repeat(np.arange(n_pairs), 2), np.ravel(rivals).astype(np.int64))
        apart = sparse.kron(sparse.csr_array(ends, shape=(n_pairs, n)), sparse.eye_array(k), "csr")
        # If an integer programme reaches its time limit, its best solution so far is used.
        solved = optimize.linprog(
            cost.ravel(),
            A_ub=sparse.vstack([rows[below], -rows[above], apart]),
            b_ub=np.concatenate(
                [most[below] + slack[below], slack[above] - least[above], np.ones(n_pairs * k)]
            ),
            A_eq=sparse.kron(sparse.eye_array(n), np.ones((1, k)), "csr"),
            b_eq=np.ones(n),
            method="highs",
            integrality=int(n_pairs > 0),
            options={"time_limit": 30.0} if n_pairs else {},
        )
        if solved.x is None or (solved.status != 0 and not n_pairs):
            return None
        if n_pairs:
            return solved.x.reshape(n, k), np.zeros(spent.shape)
        duals = np.zeros(len(least))
        duals[below] += solved.ineqlin.marginals[: len(below)]
        duals[above] -= solved.ineqlin.marginals[len(below) :]
        return solved.x.reshape(n, k), duals.reshape(spent.shape)

    def _missed(self, totals: FloatArray, cluster: Any) -> FloatArray:
        """Return the relative violation of the limits by each cluster, given the clusters' total amounts."""
        n_bounded = self.low.shape[1]
        low, high, sums = self.low[cluster], self.high[cluster], totals[..., :n_bounded]
        lack = np.maximum(low - sums, 0.0) / np.where(low > 0, low, 1.0)
        missed: FloatArray = (lack + np.maximum(sums - high, 0.0) / high).sum(axis=-1)
        if self.groups is not None:
            counts = totals[..., n_bounded:]
            ratio = counts / (np.maximum(counts.sum(axis=-1, keepdims=True), 1.0) * self._shares)
            excess = np.maximum(self.groups.low - ratio, ratio - self.groups.high)
            missed += np.maximum(excess, 0).max(axis=-1)
        return np.where(missed > 1e-9, missed, 0.0)

    def _mended(self, labels: Int64Array, cost: FloatArray) -> Int64Array | None:
        """Move and swap groups until all limits are satisfied, or return None if violations remain."""
        totals = np.zeros((self.n_clusters, self.amounts.shape[1]))
        np.add.at(totals, labels, self.amounts)
        every = np.arange(self.n_clusters)
        least = 1e-9 * float(cost.mean())

        def best(row: Int64Array, to: Int64Array, partner: Int64Array | None = None) -> dict[int, int]:
            """Select the best of the given moves of groups or, with ``partner``, of the given swaps."""
            # The best move removes the most violation per unit of cost. Returns the new cluster of each group
            # that moves, or nothing if no move reduces the violation.
            if not len(row):
                return {}
            source = labels[row]
            change = self.amounts[row] if partner is None else self.amounts[row] - self.amounts[partner]
            price = cost[row, to] - cost[row, source]
            if partner is not None:
                price += cost[partner, source] - cost[partner, to]
            left = self._missed(totals[source] - change, source) + self._missed(totals[to] + change, to)
            gain = np.where(source == to, 0.0, broken[source] + broken[to] - left)
            i = int(np.where(gain > 1e-12, gain / np.maximum(price, least), -np.inf).argmax())
            if gain[i] <= 1e-12:
                return {}
            swapped = {} if partner is None else {int(partner[i]): int(source[i])}
            return {int(row[i]): int(to[i]), **swapped}

        for _ in range(2000):
            broken = self._missed(totals, every)
            if not broken.any():
                return labels
            worst = int(broken.argmax())
            own, other = np.flatnonzero(labels == worst), np.flatnonzero(labels != worst)
            row = np.concatenate([np.repeat(own, self.n_clusters), other])
            to = np.concatenate([np.tile(every, len(own)), np.full(len(other), worst)])
            step = best(row, to)
            if not step:
                # If no move reduces the violation, compare up to 2^22 random swaps.
                pairs = np.random.default_rng(0).permutation(len(own) * len(other))[: (1 << 22)]
                i, j = own[pairs // len(other)], other[pairs % len(other)]
                step = best(i, labels[j], j)
            if not step:
                return None
            for sample, c in step.items():
                totals[labels[sample]] -= self.amounts[sample]
                totals[c] += self.amounts[sample]
                labels[sample] = c
        return None
