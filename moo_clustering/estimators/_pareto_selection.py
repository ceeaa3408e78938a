"""Select a partition from a pool by the agreement between algorithm families, and by labels and pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering import evidence, validity
from moo_clustering._arrays import non_dominated, number_clusters, warn_caller
from moo_clustering._parallel import one_thread
from moo_clustering._targets import Targets, partial_targets
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntArray, IntpArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints.groups import connected
from moo_clustering.constraints.pairs import supervision_groups
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators._base import warn_of_few
from moo_clustering.estimators._pareto_pool import N_NEAREST, PooledSamples, nearest_mean, nearest_weights
from moo_clustering.evidence.members import ReferenceTest
from moo_clustering.pool import PartitionPool, k_grid
from moo_clustering.pool.families import PoolData, genie_partitions, ward_partitions

# These are the default weights of the criteria, relative to the weight 1 of the family agreement.
CRITERION_WEIGHTS = {"modularity": 0.25, "minimax": 0.7, "mixture": 1.0, "directions": 2.0}
# The score has this weight when it is added to the log-likelihood of the labels or pairs.
SCORE_WEIGHT = 20.0
# There are at most _N_ALTERNATIVES alternatives. Their adjusted Rand index with the result and with each
# other is at most _MOST_ALIKE.
_N_ALTERNATIVES, _MOST_ALIKE = 4, 0.8
# A finer partition replaces the result only if its agreement is at least _AGREED and if at least the share
# _NESTED of the points is in nested clusters.
_AGREED, _NESTED = 0.99, 0.98
# A cluster is divided only if the p-value is below this. In 600 tables of two to six Gaussian clusters, 8
# divisions split a single Gaussian, all with p >= .17, and 24 separated several, 21 of them with p <= .10.
_MOST_BY_CHANCE = 0.1
# The pool is extended if the best partition has more than this share of the pool's largest n_clusters.
_NEAR_TOP = 2 / 3
# The pool is also extended if Ward and Genie agree on more clusters. They are compared for _N_COMPARED
# numbers of clusters, with at least _FEWEST_PER_GROUP samples per cluster on average. With 10 samples, their
# agreement on data without clusters is at most .76.
_N_COMPARED, _FEWEST_PER_GROUP = 20, 10
# The granularities divide the range of n_clusters in the pool into thirds on a logarithmic scale.
GRANULARITIES = ("few", "some", "many")


@dataclass(frozen=True, eq=False)
class SideInformation:
    # "labels": labelled samples of all classes. "novel": labelled samples of some classes. "pairs": no
    # labels, but must-links or cannot-links. "none": neither labels nor pairs.
    kind: Literal["none", "labels", "novel", "pairs"]
    targets: Targets | None = None  # labels of samples, propagated along must-links
    pairs: PairwiseConstraints | None = None

    def extended(self, n_new: int, *, before: int = 0) -> SideInformation:
        """Return a copy with ``before`` unlabelled samples added at the start, and ``n_new`` at the end."""
        targets, pairs, added = self.targets, self.pairs, (before, n_new)
        if targets is not None:
            indicators = np.pad(targets.indicators, (added, (0, 0)))
            targets = Targets(indicators, np.pad(targets.labelled, added), targets.classes, False)
        if pairs is not None:
            ends = pairs.must_link + before, pairs.cannot_link + before
            pairs = PairwiseConstraints(*ends, n_samples=pairs.n_samples + n_new + before)
        return replace(self, targets=targets, pairs=pairs)

    def known(self, n_samples: int) -> BoolArray:
        known = np.zeros(n_samples, dtype=bool) if self.targets is None else self.targets.labelled.copy()
        if self.pairs is not None:
            for pairs in (self.pairs.must_link, self.pairs.cannot_link):
                known[pairs.ravel()] = True
        return known

    def pairs_of_points(self, samples: PooledSamples) -> PairwiseConstraints | None:
        """Return the pairs of points. A pair of landmarks is weighted by its number of sample pairs."""
        # Drop pairs of samples with the same landmark, because no partition of the landmarks separates them.
        if self.pairs is None or samples.landmark_of is None:
            return self.pairs
        ends: list[Int64Array] = []
        weights: list[FloatArray | None] = []
        for pairs in (self.pairs.must_link, self.pairs.cannot_link):
            lifted = np.sort(samples.landmark_of[pairs].astype(np.int64), axis=1)
            lifted = lifted[lifted[:, 0] != lifted[:, 1]]
            distinct, counts = np.unique(lifted, axis=0, return_counts=True)
            ends.append(distinct)
            weights.append(counts.astype(np.float64) if len(distinct) else None)
        return PairwiseConstraints(
            *ends, n_samples=samples.n_points, must_link_weights=weights[0], cannot_link_weights=weights[1]
        )


def read_side_information(
    n_samples: int,
    y: Any,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    *,
    novel: str,
    pairs: str,
) -> SideInformation:
    if y is None and must_link is None and cannot_link is None:
        return SideInformation("none", None, None)
    targets = partial_targets(y, n_samples)
    if targets.multilabel:
        raise ValueError(
            "y must contain one class per sample, or -1 for unlabelled samples; for several labels per "
            "sample, use SISC"
        )
    given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    constraints = given if len(given) else None
    if constraints is not None:
        codes = None
        if targets.n_classes:
            codes = np.where(targets.labelled, targets.indicators.argmax(axis=1), -1)
        if pairs == "hard" or codes is not None:
            supervision_groups(n_samples, codes, constraints.must_link, constraints.cannot_link)
        if codes is not None:
            targets = _along_must_links(targets, codes, constraints)
    if not targets.n_classes:
        return SideInformation("none" if constraints is None else "pairs", None, constraints)
    if targets.n_classes == 1 and novel != "allow":
        warn_caller(
            f"all labels in y belong to one class, {targets.classes.tolist()[0]!r}, so clusters without "
            'labels become new classes, as with novel="allow"'
        )
        novel = "allow"
    return SideInformation("novel" if novel == "allow" else "labels", targets, constraints)


def _along_must_links(targets: Targets, codes: IntArray, pairs: PairwiseConstraints) -> Targets:
    """Assign the label of a sample to all samples in its must-link component."""
    component = pairs.components()
    class_of = np.full(int(component.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(class_of, component, codes)
    codes = class_of[component]
    indicators = (codes[:, None] == np.arange(targets.n_classes)).astype(np.float64)
    return Targets(indicators, codes >= 0, targets.classes, False)


@dataclass(frozen=True, eq=False)
class Objectives:
    """Fitted objectives and their weighted sums.

    The objectives are the agreement, the criterion and, with labels or pairs, their evidence. If pairs are
    given, ``boundary`` penalises partitions that separate similar points.
    """

    indices: tuple[validity.ValidityIndex, ...]
    weight: float
    pool_values: FloatArray  # agreement and criterion of the pool, shape (n_partitions, 2)
    boundary: validity.BoundaryCut | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(index.name for index in self.indices)

    def values(self, labels: Labels) -> FloatArray:
        return _values(self.indices, labels)

    def values_of_pool(self, labels: Labels) -> FloatArray:
        """Return the objectives of the pool. Its agreement and criterion have already been computed."""
        evidence_of = [index.evaluate(labels) for index in self.indices[2:]]
        return np.column_stack([self.pool_values, *evidence_of])

    def score(self, values: FloatArray) -> FloatArray:
        return evidence.selection_score(values[:, 0], values[:, 1], weight=self.weight)

    def total(self, values: FloatArray, labels: Labels) -> FloatArray:
        """Return the score or, with labels or pairs, their log-likelihood plus 20 times the score."""
        total = self.score(values)
        if values.shape[1] > 2:
            total = values[:, 2] + SCORE_WEIGHT * total
        if self.boundary is not None:
            # Without this penalty, a partition with tiny clusters around paired samples could score best.
            total = total - 0.3 * self.boundary.evaluate(labels)
        return total

    def totals(self, labels: Labels) -> FloatArray:
        return self.total(self.values(labels), labels)


def _values(indices: tuple[validity.ValidityIndex, ...], labels: Labels) -> FloatArray:
    # Use one thread, because the last digits of matrix products depend on the number of threads.
    with one_thread("blas"):
        return np.column_stack([index.evaluate(labels) for index in indices])


def automatic_criterion(samples: PooledSamples, side: SideInformation, n_clusters: int | None) -> str:
    X = samples.positions
    if X is None or side.kind == "pairs" or n_clusters is not None:
        return "modularity"
    # In up to three dimensions, clusters are often thin and curved. In more dimensions, they are closer to
    # Gaussian.
    if samples.features is not None:
        is_flat = X.shape[1] <= 3
    else:
        # Non-Euclidean distances, such as city-block, have extra principal coordinates of low variance.
        # Three coordinates therefore suffice if they explain 85% of the variance.
        variances = (X**2).sum(axis=0)
        is_flat = variances[:3].sum() >= 0.85 * variances.sum()
    if is_flat:
        return "minimax"
    return "directions" if samples.has_directions and side.kind == "none" else "mixture"


def objectives_for(
    samples: PooledSamples,
    side: SideInformation,
    pairs: PairwiseConstraints | None,
    criterion: str,
    weight: float | None,
    n_jobs: int | None,
) -> Objectives:
    """Fit agreement, criterion and evidence. If ``weight`` is None, it depends on the criterion."""
    # Agreement and criterion do not depend on labels and pairs, so they are cached with the samples.
    if criterion not in samples.scored:
        assert samples.pool is not None
        kind = validity.FamilyAgreement if criterion == "modularity" else BroadAgreement
        fitted = kind(n_jobs=n_jobs).fit(samples.pool), _criterion(samples, criterion)
        samples.scored[criterion] = fitted, _values(fitted, samples.pool.labels)
    indices, values = samples.scored[criterion]
    known: list[validity.ValidityIndex] = []
    if side.targets is not None:
        counts = samples.summed(side.targets.indicators)
        known.append(validity.LabelEvidence(unnamed=side.kind == "novel").fit(counts))
    if pairs is not None:
        known.append(validity.PairEvidence().fit(pairs))
    if known:
        indices = (*indices, known[0] if len(known) == 1 else SumOfIndices("evidence", known[0], known[1]))
    return Objectives(indices, CRITERION_WEIGHTS[criterion] if weight is None else weight, values)


def _criterion(samples: PooledSamples, name: str) -> validity.ValidityIndex:
    """Fit the named criterion, or the modularity if all distances are 0."""
    X = samples.positions
    if name == "minimax" and X is not None:
        return validity.MinimaxSilhouette().fit(X)
    modularity = validity.GraphModularity().fit(samples.graph)
    if name == "directions":
        # Without the penalty on ln(n_clusters), the selected number of clusters would grow with n_samples.
        return SumOfIndices("directions", modularity, LogClusters(), -0.1)
    if name == "mixture" and X is not None:
        return SumOfIndices("mixture", validity.LikelihoodGain().fit(X), modularity, 0.3)
    return modularity


class BroadAgreement(validity.ValidityIndex):
    """Sum of the family agreement and the broad support.

    The broad support is the mean adjusted Rand index with the partitions of all families, where negative
    indices count as 0. The family agreement is a median and therefore low for structures that few families
    find, such as spirals.
    """

    name, greater_is_better = "broad_agreement", True

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        """Fit to a PartitionPool."""
        pool: PartitionPool = data
        self._agreement = validity.FamilyAgreement(n_jobs=self.n_jobs).fit(pool)
        self._labels = pool.labels
        self._own: FloatArray | None = None
        codes = pool.family_codes
        # With these weights, a sum over the partitions is the mean of the family means.
        shares = 1.0 / np.bincount(codes)[codes]
        self._shares = shares / len(pool.family_names)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        """Return the sum of family agreement and broad support for each partition, at most 2."""
        rows = np.atleast_2d(np.asarray(labels, dtype=np.int32))
        support = np.maximum(validity.pairwise_ari(rows, self._labels), 0.0) @ self._shares
        return self.plain(rows) + support

    def plain(self, labels: IntArray) -> FloatArray:
        """Return the family agreement without the broad support. For the pool itself, it is cached."""
        if labels is not self._labels:
            return self._agreement.evaluate(labels)
        if self._own is None:
            self._own = self._agreement.evaluate(labels)
        return self._own


class SumOfIndices(validity.ValidityIndex):
    """First index plus ``weight`` times the second index. Both indices are already fitted."""

    greater_is_better = True

    def __init__(
        self, name: str, first: validity.ValidityIndex, second: validity.ValidityIndex, weight: float = 1.0
    ) -> None:
        self.first, self.second, self.weight = first, second, weight
        self.name = name  # type: ignore[misc]

    def fit(self, data: ArrayLike) -> Self:
        """Return self without fitting."""
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        return self.first.evaluate(labels) + self.weight * self.second.evaluate(labels)


class LogClusters(validity.ValidityIndex):
    """Natural logarithm of the number of clusters."""

    name, greater_is_better = "log_clusters", False

    def fit(self, data: ArrayLike) -> Self:
        """Return self, because the index does not depend on data."""
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        return np.log(np.atleast_2d(labels).max(axis=1) + 1.0)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Partitions of the points, with their objectives and scores, and restrictions on the result."""

    samples: PooledSamples
    pool: PartitionPool
    objectives: Objectives
    values: FloatArray
    least: int = 0  # minimum cluster size in the result, or 0 for no restriction
    interval: tuple[int, int] | None = None

    @cached_property
    def score(self) -> FloatArray:
        return self.objectives.score(self.values)

    @cached_property
    def total(self) -> FloatArray:
        """Score of each partition, combined with the evidence from labels and pairs."""
        return self.objectives.total(self.values, self.labels)

    @cached_property
    def eligible(self) -> BoolArray:
        """Mask of the partitions that can be the result.

        Their number of clusters is within ``interval``. Partitions that separate equal points are excluded,
        and then those with a cluster smaller than ``least``. An exclusion is skipped if it would leave no
        partition.
        """
        low, high = (1, self.pool.n_samples) if self.interval is None else self.interval
        inside: BoolArray = (self.pool.n_clusters >= low) & (self.pool.n_clusters <= high)
        equal = self.samples.equal_points
        first = np.unique(equal, return_index=True)[1]
        united = inside & (self.labels == self.labels[:, first[equal]]).all(axis=1)
        inside = united if united.any() else inside
        if self.least:
            enough, weights = inside.copy(), self.samples.sizes
            enough[inside] = [np.bincount(row, weights).min() >= self.least for row in self.labels[inside]]
            if enough.any():
                return enough
        return inside

    def within(self, interval: tuple[int, int] | None) -> Candidates:
        found = self if interval == self.interval else replace(self, interval=interval)
        if interval is not None and not found.eligible.any():
            numbers = self.pool.n_clusters.min(), self.pool.n_clusters.max()
            raise ValueError(
                f"no partition of the pool has n_clusters={interval}; its partitions have {numbers[0]} to "
                f"{numbers[1]} clusters. Change n_clusters or k_range, and fit again."
            )
        return found

    @cached_property
    def granularities(self) -> dict[str, tuple[int, int]]:
        """Minimum and maximum n_clusters of the eligible partitions of each granularity."""
        numbers = np.unique(self.pool.n_clusters[self.eligible])
        ends = numbers[0] * (numbers[-1] / numbers[0]) ** np.array([1 / 3, 2 / 3])
        codes = (numbers[:, None] > ends).sum(axis=1)
        return {
            name: (int(numbers[codes == code].min()), int(numbers[codes == code].max()))
            for code, name in enumerate(GRANULARITIES)
            if (codes == code).any()
        }

    def granularity(self, n_clusters: int) -> str:
        reached = [name for name, (low, _) in self.granularities.items() if n_clusters >= low]
        return reached[-1] if reached else next(iter(self.granularities))

    def best(self, values: FloatArray, n_clusters: int | None = None) -> Labels:
        """Return the best eligible partition, or the best of the partitions closest to ``n_clusters``."""
        if n_clusters is None:
            values = np.where(self.eligible, values, -np.inf)
        best: Labels = self.labels[evidence.best_member(values, self.pool.n_clusters, k=n_clusters)]
        if n_clusters is not None or not self.least or self.interval is not None:
            return best
        return self._without_small(best)

    def _without_small(self, labels: Labels) -> Labels:
        """Merge the smallest cluster into the most similar cluster until all clusters are large enough."""
        # The similarity of two clusters is the sum of the edge weights between them. If the smallest cluster
        # has no edges to others, it joins the largest.
        labels, weights = number_clusters(labels)[0], self.samples.sizes
        while labels.max() > 0 and (sizes := np.bincount(labels, weights)).min() < self.least:
            smallest = int(sizes.argmin())
            links = np.asarray(self.samples.graph[labels == smallest].sum(axis=0)).reshape(-1)
            ties = np.bincount(labels, links)
            ties[smallest] = sizes[smallest] = -1.0
            joined = ties.argmax() if ties.max() > 0.0 else sizes.argmax()
            labels = number_clusters(np.where(labels == smallest, joined, labels))[0]
        return labels

    def divided(self, labels: Labels) -> Labels:
        """Return the finest partition with high agreement nested in ``labels``, or ``labels`` if none is."""
        # The highest-scoring partition may join clusters that are small or close to each other. A cluster is
        # divided only if its points differ from cluster-free data.
        X = self.samples.positions
        if X is None or 2 * len(np.unique(self.samples.equal_points)) < len(labels):
            return labels
        n_clusters = int(labels.max()) + 1
        finer = np.flatnonzero(
            self.eligible & (self.pool.n_clusters > n_clusters) & (self.agreement >= _AGREED)
        )
        for member in finer[np.argsort(-self.pool.n_clusters[finer], kind="stable")]:
            row = self.labels[member]
            inside = np.zeros((int(row.max()) + 1, n_clusters))
            np.add.at(inside, (row, labels), 1.0)
            alike = validity.pairwise_ari(row[None], labels[None])[0, 0] >= _MOST_ALIKE
            if alike or inside.max(axis=1).sum() < _NESTED * len(labels):
                continue
            n_parts = np.bincount(inside.argmax(axis=1), minlength=n_clusters)
            tests = ((ReferenceTest(X[labels == c]), n_parts[c]) for c in np.flatnonzero(n_parts > 1))
            if all(test.p_value(n) < _MOST_BY_CHANCE for test, n in tests):
                return row
        return labels

    @property
    def labels(self) -> Labels:
        return self.pool.labels

    @property
    def agreement(self) -> FloatArray:
        """Family agreement of each partition, without the broad support."""
        first = self.objectives.indices[0]
        return first.plain(self.labels) if isinstance(first, BroadAgreement) else self.values[:, 0]

    def front(self) -> IntpArray:
        distinct = np.sort(distinct_rows(self.labels)[0])
        return np.sort(distinct[non_dominated(-self.values[distinct])])

    def alternatives(self, labels: Labels) -> tuple[IntpArray, FloatArray]:
        """Return up to four dissimilar alternatives with high scores, and their similarity to the result."""
        # The similarity is the adjusted Rand index. In the first pass, n_clusters of an alternative must
        # differ by a factor of at least 1.25 from that of the result and of earlier alternatives. In the
        # second pass, n_clusters does not matter.
        n_clusters = self.pool.n_clusters
        order = np.lexsort((n_clusters, -self.score))
        order = order[(np.isfinite(self.score) & self.eligible)[order]].tolist()
        to_result = validity.pairwise_ari(self.labels, labels[None])[:, 0]
        nearest = to_result.copy()
        numbers = [len(np.unique(labels))]
        members: list[int] = []
        for only_other_numbers in (True, False):
            for member in order:
                ratios = n_clusters[member] / np.array(numbers)
                if only_other_numbers and np.maximum(ratios, 1 / ratios).min() < 1.25:
                    continue
                if nearest[member] <= _MOST_ALIKE and len(members) < _N_ALTERNATIVES:
                    members.append(member)
                    numbers.append(int(n_clusters[member]))
                    to_member = validity.pairwise_ari(self.labels, self.labels[member][None])[:, 0]
                    nearest = np.maximum(nearest, to_member)
        chosen = np.array(sorted(members, key=order.index), dtype=np.intp)
        return chosen, to_result[chosen]


class Solution(NamedTuple):
    """A partition of the samples, and the classes of its clusters."""

    labels: IntArray  # shape (n_samples,)
    # shape (n_samples, n_classes): class probabilities. None unless every class has labels.
    probabilities: FloatArray | None = None
    # shape (n_clusters,): index of each cluster's class, -1 for new classes.
    cluster_classes: IntArray | None = None
    model: ClassModel | None = None
    known: BoolArray | None = None  # shape (n_samples,): samples in answered questions
    numbered: bool = False  # whether clusters must not be renumbered

    def clusters(self, samples: PooledSamples, rows: Any) -> Labels:
        """Predict the clusters of new rows, without labelling outliers as noise."""
        if self.model is None:
            return samples.per_point(self.labels)[samples.nearest(rows, 1)[0][:, 0]]
        shares, classes = self.model.of_rows(samples, rows), self.cluster_classes
        return (shares if classes is None else shares[:, classes]).argmax(axis=1).astype(np.int32)


def choose_solution(
    samples: PooledSamples, side: SideInformation, pairs: PairwiseConstraints | None,
    candidates: Candidates | None, *, n_clusters: int | None,
    interval: Callable[[Candidates], tuple[int, int] | None], method: str, kernel: str, hard: bool,
    clamp: bool, class_prior: str, merge_same_class: bool, seed: np.random.SeedSequence,
    trusted: bool | None = None,
) -> Solution:  # fmt: skip
    """Compute the result from the candidates, labels and pairs, or from labels and bag kernels alone."""
    # If ``hard`` is True, must-links are certain. If ``trusted`` is True, the best candidate becomes the
    # result unless it contradicts the labels. If it is None, classes are always predicted from the labels.
    if side.kind == "labels":
        assert side.targets is not None
        found = None
        if trusted is not None and candidates is not None:
            found = _agreeing(candidates, side.targets, trusted, clamp)
        if found is None or int(found.max()) < side.targets.n_classes:
            return _by_labels(samples, candidates, side.targets, kernel, clamp, class_prior, found)
        classes = np.arange(int(found.max()) + 1)
        classes[side.targets.n_classes :] = -1
        labels = samples.per_sample(found)
        if clamp:
            labels = np.where(side.targets.labelled, side.targets.indicators.argmax(axis=1), labels)
        return Solution(labels.astype(np.int32), cluster_classes=classes)
    assert candidates is not None
    candidates, only = candidates.within(interval(candidates)), None
    if n_clusters is not None:
        only = _only_partition(samples, pairs if hard else None, n_clusters)
    if side.kind == "novel":
        assert side.targets is not None
        if only is None:
            only = candidates.best(candidates.total, n_clusters)
        return _with_new_classes(samples.per_sample(only), side.targets, merge_same_class)
    if only is not None:
        return Solution(samples.per_sample(only))
    rng = np.random.default_rng(seed)
    if side.kind == "pairs" and pairs is not None and len(pairs):
        return Solution(samples.per_sample(_by_pairs(candidates, pairs, n_clusters, hard, rng)))
    found = unsupervised_partition(candidates, n_clusters, method, rng)
    n_found = int(min(found.max(), samples.equal_points.max())) + 1
    if candidates.interval is not None and n_found < candidates.interval[0]:
        warn_of_few(n_found, f"n_clusters={candidates.interval}")
    elif n_clusters is not None:
        top = candidates.pool.n_clusters.max()
        why = f"the partitions of the pool have at most {top} clusters and cannot be split further; fit again"
        warn_of_few(n_found, n_clusters, why)
    return Solution(samples.per_sample(found))


def more_numbers(ks: Any, candidates: Candidates, most: int | None) -> list[int]:
    """Return a ``k_range`` for a larger pool, up to ``most``, or [] if the pool need not be extended."""
    if ks is None:
        return []
    n_points = candidates.samples.n_points
    numbers: list[int] = k_grid(n_points).tolist() if isinstance(ks, str) else ks
    top = max(numbers, default=n_points)
    if most is not None:
        most = min(most, n_points - 1)
        more = [*range(most, top, -max(2, (most - top) // 20))]
    else:
        step, limit = max(2, top // 10), n_points // 5
        more = [*range(top + step, min(2 * top, limit) + 1, step)]
        # If HDBSCAN finds more than ``top`` clusters, no other family in the pool can agree with it.
        if candidates.best(candidates.score).max() + 1 <= _NEAR_TOP * top:
            agreed = agreed_number(candidates, top + 1, n_points // _FEWEST_PER_GROUP)
            last = min(math.ceil(agreed / _NEAR_TOP), limit)
            more = [*range(top + step, last + 1, step), agreed] if agreed else []
    return sorted({*numbers, *more}) if more else []


def agreed_number(candidates: Candidates, low: int, high: int) -> int:
    """Return the n_clusters for which Ward and Genie agree most, or 0 if their best agreement is too low."""
    # With two or more features, Ward's method and Genie divide overlapping groups differently, so agreement
    # suggests separate groups. Exclude data with many duplicates, because duplicates look like groups.
    X, best = candidates.samples.features, np.where(candidates.eligible, candidates.score, -np.inf).argmax()
    if X is None or X.shape[1] == 1 or low > high or 2 * len(np.unique(X, axis=0)) < len(X):
        return 0
    numbers = np.unique(np.geomspace(low, high, _N_COMPARED).round().astype(int)).tolist()
    data = PoolData(X, False)
    pairs = zip(ward_partitions(data, numbers), genie_partitions(data, numbers), strict=True)
    found = np.array([validity.pairwise_ari(ward[None], genie[None])[0, 0] for ward, genie in pairs])
    enough = found.max() > max(_MOST_ALIKE, candidates.agreement[best])
    return numbers[int(found.argmax())] if enough else 0


def _only_partition(
    samples: PooledSamples, pairs: PairwiseConstraints | None, n_clusters: int
) -> Labels | None:
    """Return the partition if only one is possible, otherwise None. Warn if it has too few clusters."""
    if n_clusters == 1:
        return np.zeros(samples.n_points, dtype=np.int32)
    groups = samples.equal_points
    if pairs is not None and len(pairs.must_link):
        first = np.unique(groups, return_index=True)[1]
        equal = np.column_stack([np.arange(samples.n_points), first[groups]])
        groups = connected(np.concatenate([pairs.must_link, equal]), samples.n_points).astype(np.int32)
    if (n_groups := int(groups.max()) + 1) > n_clusters:
        return None
    reason = "X has fewer distinct rows, or groups joined by must-links, than clusters"
    warn_of_few(n_groups, n_clusters, reason)
    return groups


def unsupervised_partition(
    candidates: Candidates, n_clusters: int | None, method: str, rng: np.random.Generator
) -> Labels:
    """Select the best partition or, with ``n_clusters``, apply ``method`` to the partitions."""
    pool, score = candidates.pool, candidates.score
    if n_clusters is None:
        return candidates.divided(candidates.best(score))
    if method == "select":
        return candidates.best(score, n_clusters)
    weights = evidence.consensus_weights(score, pool.n_clusters, n_clusters)
    return evidence.consensus_partition(pool.labels, weights, n_clusters, rng=rng)


def _by_pairs(
    candidates: Candidates,
    pairs: PairwiseConstraints,
    n_clusters: int | None,
    hard: bool,
    rng: np.random.Generator,
) -> Labels:
    """Cluster the points using propagated pairs, and repair pairs that the partition violates."""
    # If ``n_clusters`` is None, it is cross-validated. With fewer than twelve pairs, the best candidate is
    # repaired instead.
    samples = candidates.samples
    if n_clusters is None and len(pairs) < 12:
        labels = candidates.best(candidates.total)
    else:
        weights = evidence.evidence_weights(candidates.total, drop=True)
        together = evidence.consensus_affinity(candidates.labels, weights)
        affinities: list[tuple[Any, Any]] = [(together, 0.7), (samples.graph, samples.walk)]
        if n_clusters is None:
            ks, scores = _likely_numbers(candidates)
            labels = evidence.cross_validated_partition(
                affinities, ks, pairs, bonus=SCORE_WEIGHT * scores, rng=rng
            ).labels
        else:
            labels = evidence.held_out_partition(affinities, n_clusters, pairs, rng=rng).labels
    return evidence.repair_pairs(
        labels, samples.graph, pairs, hard=hard, keep_clusters=n_clusters is not None
    )


def _likely_numbers(candidates: Candidates) -> tuple[list[int], FloatArray]:
    """Return the eight values of n_clusters with the highest totals, and the highest score for each."""
    members = np.arange(len(candidates.labels)) if candidates.interval is None else candidates.eligible
    numbers, at = np.unique(candidates.pool.n_clusters[members], return_inverse=True)
    totals, scores = np.full(len(numbers), -np.inf), np.full(len(numbers), -np.inf)
    np.maximum.at(totals, at, candidates.total[members])
    np.maximum.at(scores, at, candidates.score[members])
    chosen = np.sort(np.argsort(-totals, kind="stable")[:8])
    return numbers[chosen].tolist(), scores[chosen]


def _agreeing(candidates: Candidates, targets: Targets, trusted: bool, clamp: bool) -> Labels | None:
    """Return the best candidate with clusters numbered by class, or None if it contradicts the labels."""
    # If no cluster has labels of several classes, the candidate is returned if ``trusted`` is True.
    # Otherwise, the candidate is returned only if three conditions hold. ``clamp`` is True, a cluster has no
    # labels, and at least a fifth of the labels are the only label of their class. By the Good-Turing
    # estimate, a fifth of the samples then belong to classes without labels. Clusters without labels get
    # numbers above the class numbers.
    best = candidates.best(candidates.total)
    counts = np.zeros((int(best.max()) + 1, targets.n_classes))
    np.add.at(counts, candidates.samples.per_sample(best), targets.indicators)
    new, of_class = ~counts.any(axis=1), targets.indicators.sum(axis=0)
    if ((counts > 0).sum(axis=1) > 1).any():
        trusted = clamp and bool(new.any()) and (of_class == 1).sum() >= 0.2 * of_class.sum()
    if not trusted:
        return None
    numbers = np.where(new, targets.n_classes - 1 + np.cumsum(new), counts.argmax(axis=1))
    return numbers.astype(np.int32)[best]


def _with_new_classes(labels: Labels, targets: Targets, merge_same_class: bool) -> Solution:
    classes = class_of_clusters(labels, targets.indicators)
    if not merge_same_class:
        return Solution(labels, cluster_classes=classes)
    same = (classes == classes[:, None]) & (classes >= 0)
    first = np.where(classes >= 0, same.argmax(axis=1), np.arange(len(classes)))
    remaining, merged = np.unique(first[labels], return_inverse=True)
    return Solution(merged.reshape(-1), cluster_classes=classes[remaining])


def class_of_clusters(labels: IntArray, indicators: FloatArray) -> IntpArray:
    """Return the majority class of each cluster, or -1 without labels. Ties go to the lowest class."""
    counts = np.zeros((int(labels.max()) + 1, indicators.shape[1]))
    np.add.at(counts, labels, indicators)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Class scores of the points, with factors and classifiers that convert them to probabilities."""

    scores: FloatArray  # shape (n_points, n_classes)
    # shape (n_classes,): factors that adjust the class shares to the class prior.
    factors: FloatArray
    stack: evidence.ClassifierStack | None = None  # classifiers of the features that correct the scores

    def probabilities(self, scores: FloatArray, rows: FloatArray | None) -> FloatArray:
        """Compute class probabilities from scores (n, n_classes) and scaled features (n, n_varying)."""
        found = evidence.class_probabilities(scores, factors=self.factors)
        return found if self.stack is None or rows is None else self.stack.combine(found, rows)

    def of_rows(self, samples: PooledSamples, rows: Any) -> FloatArray:
        positions, distances = samples.nearest(rows, N_NEAREST)
        scores = nearest_mean(self.scores, positions, nearest_weights(distances))
        return self.probabilities(scores, None if samples.transform is None else samples.transform(rows))


def _by_labels(
    samples: PooledSamples,
    candidates: Candidates | None,
    targets: Targets,
    kind: str,
    clamp: bool,
    class_prior: str,
    found: Labels | None = None,
) -> Solution:
    """Predict classes by kernel ridge regression on the labelled points, combined with classifiers."""
    # ``found`` contains the points' classes, if known. The kernel then affects only the probabilities, and
    # each class in ``found`` gets a probability of at least .5. ``kind="auto"`` uses classifiers if there
    # are at least four labels per class on average. Takes O(n_points^3) time.
    codes = targets.indicators[targets.labelled].argmax(axis=1)
    # With fewer labels, graph and linear kernels worsen the results for non-convex clusters.
    many = len(codes) >= 4 * targets.n_classes
    full = kind == "full" or (kind == "auto" and many)
    rows = samples.features if samples.sample_features is None else samples.sample_features
    # Use one thread, because the result must not depend on the number of threads.
    with one_thread("blas"):
        kernel = _LabelKernel(samples, candidates, samples.summed(targets.indicators), kind, full)
        scores = kernel.scores(kernel.counts)
        prior = np.full(targets.n_classes, 1.0 / targets.n_classes)
        if class_prior == "smoothed":
            of_class = targets.indicators.sum(axis=0)
            prior = (of_class + 1.0) / (of_class.sum() + targets.n_classes)
        per_sample = samples.interpolated(scores)
        shares = per_sample
        if samples.counts is not None or samples.n_points < samples.n_samples:
            # Average the class shares over points, weighted by the number of rows that each point represents.
            shares = evidence.class_probabilities(scores, factors=np.ones(targets.n_classes))
            shares = np.average(shares, axis=0, weights=samples.sizes)[None]
        model = ClassModel(scores, evidence.class_factors(shares, prior))
        if found is not None:
            scores = model.probabilities(scores, None) + np.eye(targets.n_classes)[found]
            model = ClassModel(scores, np.ones(targets.n_classes))
            per_sample = samples.interpolated(scores)
        elif kind == "auto" and many and rows is not None and targets.n_classes > 1:
            labelled = np.flatnonzero(targets.labelled)

            def first(known: BoolArray) -> FloatArray:
                indicators = np.zeros_like(targets.indicators)
                indicators[labelled[known]] = targets.indicators[labelled[known]]
                held_out = kernel.scores_of(labelled[~known], samples.summed(indicators))
                return model.probabilities(held_out, None)

            coarse = samples.landmark_of is not None
            stack = evidence.ClassifierStack.fit(
                rows[labelled], codes, targets.n_classes, first, gaussian=coarse, penalty=5 if coarse else 20
            )
            model = replace(model, stack=stack)
        probabilities = model.probabilities(per_sample, rows)
    if clamp:
        probabilities[targets.labelled] = targets.indicators[targets.labelled]
    return Solution(probabilities.argmax(axis=1), probabilities, model=model)


class _LabelKernel:
    """Kernel between all points and labelled points, which favours partitions that match the labels.

    ``counts``, shape (n_points, n_classes), contains the number of labelled samples per point and class.
    """

    def __init__(
        self, samples: PooledSamples, candidates: Candidates | None, counts: FloatArray, kind: str, full: bool
    ) -> None:
        self.counts = counts
        self._samples = samples
        self._labels = None if candidates is None or kind == "bags" else candidates.labels
        self._columns = columns = np.flatnonzero(counts.sum(axis=1) > 0)
        self._given = np.zeros((samples.n_points, len(columns)))
        if samples.kernels and kind != "pool":
            for part in samples.kernels:
                self._given += part[:, columns]
        elif full and not samples.kernels:
            self._given += samples.similarity[:, columns]
            if samples.features is not None:
                self._given += 0.3 * evidence.linear_kernel(samples.features, columns)

    def scores(self, counts: FloatArray, points: IntpArray | None = None) -> FloatArray:
        """Return class scores of all points or of ``points``, which must include all labelled points."""
        columns = np.flatnonzero(counts.sum(axis=1) > 0)
        total, labels = self._given[:, np.searchsorted(self._columns, columns)], self._labels
        at = columns
        if points is not None:
            total, counts, at = total[points], counts[points], np.searchsorted(points, columns)
            labels = None if labels is None else relabel_by_first_appearance(labels[:, points])
        if labels is not None:
            weights = evidence.evidence_weights(validity.LabelEvidence().fit(counts).evaluate(labels))
            total = total + evidence.coassociation(labels, weights, columns=at)
        n_labels = counts[at].sum(axis=1)
        return evidence.kernel_ridge(total, at, counts[at] / n_labels[:, None], n_labels)

    def scores_of(self, chosen: IntpArray, counts: FloatArray) -> FloatArray:
        """Return the class scores of samples, given the label counts of the points."""
        positions, weights = self._samples.nearest_points(chosen)
        points = np.union1d(positions, self._columns)
        scores = self.scores(counts, points)
        return nearest_mean(scores, np.searchsorted(points, positions), weights)
