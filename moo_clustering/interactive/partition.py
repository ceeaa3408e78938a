"""Infer a partition of all samples from the known groups of some samples and a pool of partitions.

A :class:`QuestionPool` holds the session data that do not depend on answers. Points are samples or landmarks,
and anchors are points with a known group. From the anchors, a :class:`Spread` infers a posterior over the
pool's partitions, the group of each point, and the probability that this group is wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaln

from moo_clustering._arrays import AnyFloatArray, Float32Array, FloatArray, Int64Array, IntpArray, Labels
from moo_clustering._distances import centred_features
from moo_clustering._kernels import pools
from moo_clustering._parallel import one_thread
from moo_clustering.evidence import best_member, class_probabilities
from moo_clustering.pool import PartitionPool

_ALPHA = 0.5  # concentration of the Dirichlet prior of the classes in a cluster, as in LabelEvidence
# Partitions are weighted by exp(_RATE * (log-likelihood + _SCORE_WEIGHT * selection score)).
_SCORE_WEIGHT, _RATE = 20.0, 0.3
# If groups have at least _FULL_KERNEL_FROM anchors on average, graph and linear kernels are also used.
_FULL_KERNEL_FROM, _LINEAR, RIDGE = 4, 0.3, 0.1
# An anchor's group is corrected only if the score of another group exceeds _SURELY. If predictions contradict
# a fraction of the anchors above _MOST_AT_ODDS times the error rate, no group is corrected.
_SURELY, _MOST_AT_ODDS = 0.5, 4.0


@dataclass(frozen=True, eq=False)
class QuestionPool:
    """A pool of partitions with a kernel and features for its points.

    Attributes
    ----------
    pool : PartitionPool
        Partitions of the points.
    score : ndarray of shape (n_partitions,)
        Unsupervised selection score of each partition.
    start : ndarray of shape (n_points,)
        Partition before any answer. It is added to the pool unless it is the partition with the best score.
    similarity : callable
        Function that returns the kernel between all points, shape (n_points, n_points): the kernel of the
        neighbour graph, or the sum of the bag kernels.
    features : ndarray of shape (n_points, n_features) or None
        Scaled features; None if the data are distances or bags.
    landmark_of : ndarray of shape (n_samples,) or None
        Landmark of each sample; None if the points are the samples.
    sample_features : ndarray of shape (n_samples, n_features) or None
        Scaled features of the samples, if the points are landmarks.
    nearest : callable or None
        Function that returns each sample's three nearest landmarks and their weights, shape (n_samples, 3).
    representatives : ndarray of shape (n_points,) or None
        Sample displayed for each point. Default: the sample nearest to the mean of the landmark's samples.
    """

    pool: PartitionPool
    score: FloatArray
    start: Labels
    similarity: Callable[[], FloatArray]
    features: FloatArray | None = None
    landmark_of: Labels | None = None
    sample_features: FloatArray | None = None
    nearest: Callable[[], tuple[IntpArray, FloatArray]] | None = None
    representatives: IntpArray | None = None

    def __post_init__(self) -> None:
        member = best_member(self.score, self.pool.n_clusters)
        if not np.array_equal(self.pool.labels[member], self.start):
            # ``start`` gets the highest score, because it is a consensus or was selected by other criteria.
            joined = self.pool.joined(PartitionPool(self.start[None], ("result",)))
            object.__setattr__(self, "pool", joined)
            object.__setattr__(self, "score", np.append(self.score, np.nextafter(self.score.max(), np.inf)))

    @property
    def n_points(self) -> int:
        """Number of samples or landmarks."""
        return self.pool.n_samples

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.n_points if self.landmark_of is None else len(self.landmark_of)

    @cached_property
    def masses(self) -> FloatArray:
        """Number of samples per point."""
        if self.landmark_of is None:
            return np.ones(self.n_points)
        return np.bincount(self.landmark_of, minlength=self.n_points).astype(np.float64)

    @cached_property
    def sample_of(self) -> IntpArray:
        """Sample displayed for each point."""
        if self.representatives is not None:
            return self.representatives
        if self.landmark_of is None:
            return np.arange(self.n_points)
        order = np.argsort(self.landmark_of, kind="stable")
        if self.sample_features is not None and self.features is not None:
            away = ((self.sample_features - self.features[self.landmark_of]) ** 2).sum(axis=1)
            order = np.lexsort((away, self.landmark_of))
        first = np.searchsorted(self.landmark_of[order], np.arange(self.n_points))
        return order[first]

    @cached_property
    def offsets(self) -> Int64Array:
        """Index of the first cluster of each partition, followed by the total number of clusters."""
        return np.concatenate([[0], np.cumsum(self.pool.n_clusters)])

    @cached_property
    def owner(self) -> IntpArray:
        """Index of the partition that contains each cluster."""
        return np.repeat(np.arange(self.pool.n_partitions), self.pool.n_clusters)

    @cached_property
    def codes(self) -> Labels:
        """Cluster of each point in each partition, numbered across the pool, (n_points, n_partitions)."""
        return np.ascontiguousarray((self.pool.labels + self.offsets[:-1, None]).T, dtype=np.int32)

    @cached_property
    def kernel(self) -> FloatArray:
        """Kernel between all points."""
        return self.similarity()

    @cached_property
    def narrow(self) -> tuple[Float32Array, Float32Array | None]:
        """``kernel`` and ``directions`` in single precision, which is sufficient for comparing candidates."""
        directions = None if self.directions is None else self.directions.astype(np.float32)
        return self.kernel.astype(np.float32), directions

    @cached_property
    def directions(self) -> FloatArray | None:
        """Centred features, scaled to a mean squared row norm of 1."""
        if self.features is None:
            return None
        Z = centred_features(self.features)
        mean_square = np.einsum("ij,ij->", Z, Z) / len(Z)
        return Z / np.sqrt(mean_square) if mean_square > 0 else Z

    def evidence(self, points: IntpArray, groups: IntpArray, n_groups: int) -> FloatArray:
        """For each partition of the pool, return the log-likelihood of the known groups of these points.

        Takes O(len(points) n_partitions) time.
        """
        # This is equivalent to LabelEvidence with ``unnamed=True``, but faster.
        if not len(points):
            return np.zeros(self.pool.n_partitions)
        cells = self.codes[points].astype(np.intp)
        n_clusters = int(self.offsets[-1])
        counts = np.bincount((cells * n_groups + groups[:, None]).ravel(), minlength=n_clusters * n_groups)
        sizes = np.bincount(cells.ravel(), minlength=n_clusters)
        numbers = np.arange(len(points) + 1)
        share = _ALPHA / (n_groups + 1)
        rise = gammaln(share + numbers) - gammaln(share)
        rise_of_all = gammaln(_ALPHA + numbers) - gammaln(_ALPHA)
        gains = rise[counts].reshape(n_clusters, n_groups).sum(axis=1) - rise_of_all[sizes]
        return np.add.reduceat(gains, self.offsets[:-1])


class Spread:
    """Groups of all points, inferred from the points with known groups (anchors).

    ``points`` are the anchors, oldest first. ``groups`` are their groups, numbered by oldest anchor.
    ``pairs`` are pairs of points with an answer that the user volunteered. At least one of the two is no
    anchor. ``signs`` is 1 for must-links and -1 for cannot-links. It is closer to 0 for uncertain pairs.
    """

    def __init__(
        self, base: QuestionPool, points: IntpArray, groups: IntpArray, pairs: Int64Array, signs: FloatArray
    ) -> None:
        self.base, self.points, self.groups = base, points, groups
        # The groups with anchors have the lowest numbers.
        self.n_real = int(groups.max(initial=-1)) + 1
        with one_thread("blas"):
            self._assign_groups(self._weigh_partitions(pairs, signs))
            self._estimate_errors()

    def _weigh_partitions(self, pairs: Int64Array, signs: FloatArray) -> int:
        """Set the posterior weights of the partitions, and return the most probable partition."""
        base, pool = self.base, self.base.pool
        total = base.evidence(self.points, self.groups, self.n_real) + _SCORE_WEIGHT * base.score
        if len(pairs):
            alike = pool.labels[:, pairs[:, 0]] == pool.labels[:, pairs[:, 1]]
            # Each violated pair reduces the log-likelihood of a partition by up to 2.9, as in PairEvidence.
            total = total - 2.9 * ((alike != (signs > 0)) * abs(signs)).sum(axis=1)
        weights = np.exp(_RATE * (total - total.max()))
        self.kept = np.flatnonzero(weights >= 1e-3)
        self.weights = weights[self.kept] / weights[self.kept].sum()
        return best_member(total, pool.n_clusters)

    def _assign_groups(self, best: int) -> None:
        """Assign each point to a group with anchors or, if its cluster has no anchors, to a new group."""
        base, points, n_real = self.base, self.points, self.n_real
        cluster = base.pool.labels[best].astype(np.intp)
        held = np.bincount(cluster[points], minlength=int(base.pool.n_clusters[best])) > 0
        # ``new_share`` is the estimated probability that a cluster without anchors is a group of its own.
        self.new_share = min(1.0, (n_real + 1) / (held.sum() + 1)) if n_real else 1.0
        if n_real >= 2 and self.new_share < 0.5:
            # Groups have several clusters on average, and probably include the clusters without anchors.
            held[:] = True
        provisional = np.flatnonzero(~held)
        number = np.full(len(held), -1)
        number[provisional] = n_real + np.arange(len(provisional))
        self.n_groups = n_real + len(provisional)
        self.group = number[cluster]
        self.medoids = self._medoids()
        self.full = n_real > 0 and len(points) >= _FULL_KERNEL_FROM * n_real
        self.probabilities = np.ones((base.n_points, n_real))
        self.scale = 1.0
        if not n_real:
            return
        kernel = self.block(points, points)
        self.scale = float(kernel.diagonal().mean()) or 1.0
        self.system = kernel / self.scale
        self.system[np.diag_indices(len(points))] += RIDGE
        if n_real > 1:
            self.probabilities = self._ridge()
        inside = self.group < 0
        self.group[inside] = self.probabilities[inside].argmax(axis=1)
        self.group[points] = self.groups

    def _medoids(self) -> IntpArray:
        """Return the member of each provisional group that most often shares a cluster with other members."""
        base, n_provisional = self.base, self.n_groups - self.n_real
        inside = np.flatnonzero(self.group >= self.n_real)
        own = self.group[inside] - self.n_real
        if not len(inside):
            return own
        labels = np.full(base.n_points, n_provisional)
        labels[inside] = own
        belonging = np.round(self.membership(inside, own, self.count(labels, n_provisional + 1)), 9)
        away = np.zeros(len(inside))
        if base.features is not None:
            rows = base.features[inside]
            sums = np.zeros((n_provisional, rows.shape[1]))
            np.add.at(sums, own, rows * base.masses[inside, None])
            means = sums / np.bincount(own, weights=base.masses[inside])[:, None]
            away = ((rows - means[own]) ** 2).sum(axis=1)
        order = np.lexsort((inside, away, -belonging, own))
        return inside[order[np.searchsorted(own[order], np.arange(n_provisional))]]

    @cached_property
    def _factor(self) -> tuple[FloatArray, bool]:
        return cho_factor(self.system, lower=True, check_finite=False)

    def _ridge(self) -> FloatArray:
        """Compute the probabilities of the groups with anchors for each point by kernel ridge regression."""
        solved = cho_solve(self._factor, np.eye(self.n_real)[self.groups] - 1.0 / self.n_real)
        scores = 1.0 / self.n_real + self.combined(self.points, solved / self.scale)
        sizes = np.bincount(self.groups, minlength=self.n_real)
        return class_probabilities(scores, (sizes + 1.0) / (len(self.points) + self.n_real))

    def _estimate_errors(self) -> None:
        base, n_real, n_groups = self.base, self.n_real, self.n_groups
        points, groups = self.representatives
        shares = np.zeros((int(base.offsets[-1]), n_groups))
        pools.add_to_clusters(
            base.codes, self.kept, np.ones(len(self.kept)), points, np.eye(n_groups)[groups], shares
        )
        weight_of = np.zeros(base.pool.n_partitions)
        weight_of[self.kept] = self.weights
        in_cluster = shares.sum(axis=1)
        shares *= (weight_of[base.owner] / np.maximum(in_cluster, 1.0))[:, None]
        # A point's vote for a group is the weighted share of partitions that put it in the group's clusters.
        self.votes = np.zeros((base.n_points, n_groups))
        pools.gather_from_clusters(base.codes, self.kept, shares, self.votes)

        rows, somewhere = np.arange(base.n_points), self.votes.sum(axis=1)
        error = np.clip(somewhere - self.votes[rows, self.group], 0.0, 1.0)
        error += 0.5 * np.clip(1.0 - somewhere, 0.0, 1.0)
        if n_real >= 2:
            real = self.group < n_real
            error[real] = 1.0 - self.probabilities[rows[real], self.group[real]]
        error[self.points] = 0.0
        self.error = error

    @cached_property
    def sizes(self) -> FloatArray:
        return np.bincount(self.group, weights=self.base.masses, minlength=self.n_groups).astype(np.float64)

    @cached_property
    def tables(self) -> FloatArray:
        """Number of samples by cluster and group, (n_clusters, n_groups). In omitted partitions, it is 0."""
        return self.count(self.group, self.n_groups)

    @property
    def expected_error(self) -> float:
        return float(np.average(self.error, weights=self.base.masses))

    @cached_property
    def representatives(self) -> tuple[IntpArray, IntpArray]:
        """Anchors, then medoids of the provisional groups, and the group that each of them represents."""
        provisional = np.arange(self.n_real, self.n_groups)
        return np.concatenate([self.points, self.medoids]), np.concatenate([self.groups, provisional])

    @cached_property
    def typical(self) -> IntpArray:
        """For each group, the anchor or medoid that shares clusters with most members of the group."""
        points, groups = self.representatives
        belonging = self.membership(points, groups, self.tables)
        order = np.lexsort((np.arange(len(points)), -np.round(belonging, 9), groups))
        return points[order[np.searchsorted(groups[order], np.arange(self.n_groups))]]

    def count(self, labels: IntpArray, n_labels: int, masses: FloatArray | None = None) -> FloatArray:
        """Sum the masses of points by cluster and label. In omitted partitions, the sums are 0."""
        table = np.zeros((int(self.base.offsets[-1]), n_labels))
        values = self.base.masses if masses is None else masses
        pools.count_in_clusters(self.base.codes, self.kept, labels, values, table)
        return table

    def membership(self, points: IntpArray, labels: IntpArray, table: FloatArray) -> FloatArray:
        """For each point, return the posterior mean number of samples that share its cluster and label."""
        out = np.empty(len(points))
        pools.weigh_membership(self.base.codes, self.kept, self.weights, points, labels, table, out)
        return out

    def together(self, left: IntpArray, right: IntpArray) -> FloatArray:
        """Return the co-association between two sets of points, shape (len(left), len(right))."""
        out = np.empty((len(left), len(right)))
        codes = self.base.codes
        others = np.ascontiguousarray(codes[right][:, self.kept].T)
        pools.weigh_together(np.ascontiguousarray(codes[left][:, self.kept]), others, self.weights, out)
        return out

    def combined(self, points: IntpArray, values: AnyFloatArray) -> AnyFloatArray:
        """Multiply the kernel between all points and ``points`` by ``values`` of shape (len(points), c)."""
        base = self.base
        values = np.ascontiguousarray(values)
        table = np.zeros((int(base.offsets[-1]), values.shape[1]), dtype=values.dtype)
        weights = self.weights.astype(values.dtype)
        pools.add_to_clusters(base.codes, self.kept, weights, points, values, table)
        out = np.zeros((base.n_points, values.shape[1]), dtype=values.dtype)
        pools.gather_from_clusters(base.codes, self.kept, table, out)
        if self.full:
            single = values.dtype == np.float32
            kernel, directions = base.narrow if single else (base.kernel, base.directions)
            out += kernel[points].T @ values
            if directions is not None:
                out += _LINEAR * (directions @ (directions[points].T @ values))
        return out

    def block(self, left: IntpArray, right: IntpArray) -> FloatArray:
        """Return the kernel between two sets of points, shape (len(left), len(right))."""
        values = self.together(left, right)
        if self.full:
            values += self.base.kernel[np.ix_(left, right)]
            if self.base.directions is not None:
                values += _LINEAR * (self.base.directions[left] @ self.base.directions[right].T)
        return values

    def reductions(self, candidates: IntpArray) -> FloatArray:
        """For each candidate, return the expected decrease in misplaced samples if it were an anchor."""
        # The variance reductions of a Gaussian process are summed over all points, weighted by the error and
        # the number of samples of each point.
        n, scale = len(self.points), self.scale
        points = np.concatenate([self.points, candidates])
        values = np.zeros((len(points), len(candidates)))
        values[n:] = np.eye(len(candidates))
        if n:
            values[:n] = -cho_solve(self._factor, self.block(self.points, candidates) / scale)
        remaining = self.combined(points, (values / scale).astype(np.float32))
        own = remaining[candidates, np.arange(len(candidates))]
        np.maximum(remaining, 0.0, out=remaining)
        remaining *= remaining
        uncertain = (self.error * self.base.masses).astype(np.float32)
        return (uncertain @ remaining / (np.maximum(own, 0.0) + RIDGE)).astype(np.float64)

    def corrected_groups(self, error_rates: FloatArray) -> IntpArray:
        """Return the groups of the anchors, replacing wrong groups by predictions from the other anchors."""
        # Kernel ridge regression on the other anchors scores all groups. An anchor's group is wrong if its
        # score is below the anchor's error rate and the score of another group is above 0.5.
        inverse, targets = np.linalg.inv(self.system), np.eye(self.n_real)[self.groups]
        # This is the closed form of leave-one-out predictions.
        left_out = targets - inverse @ (targets - 1.0 / self.n_real) / inverse.diagonal()[:, None]
        best, own = left_out.argmax(axis=1), left_out[np.arange(len(self.points)), self.groups]
        wrong = (best != self.groups) & (own < error_rates) & (left_out.max(axis=1) > _SURELY)
        wrong &= np.bincount(self.groups[~wrong], minlength=self.n_real)[self.groups] > 0
        if (best != self.groups).mean() > _MOST_AT_ODDS * float(np.median(error_rates)):
            wrong[:] = False
        return np.where(wrong, best, self.groups)

    def labels_of_samples(self) -> IntpArray:
        """Return each sample's group: its point's group, or a prediction from its three nearest landmarks."""
        base = self.base
        if base.landmark_of is None:
            return self.group
        if self.n_real < 2 or base.nearest is None:
            return self.group[base.landmark_of]
        positions, shares = base.nearest()
        # An answer about a sample also applies to the other samples of its landmark.
        settled = np.zeros(base.n_points, dtype=np.bool_)
        settled[self.points] = True
        scores = self.probabilities.copy()
        scores[self.points] = np.eye(self.n_real)[self.groups]
        groups = np.empty(base.n_samples, dtype=np.intp)
        pools.group_samples(
            base.landmark_of, self.group, settled, self.n_real, positions, shares, scores, groups
        )
        return groups
