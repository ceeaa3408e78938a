"""Feature subsets: an encoding of k-means partitions by the selected features, and a problem."""

import math
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import f_classif

from moo_clustering._arrays import did_you_mean, integer, quoted
from moo_clustering._distances import centred_features
from moo_clustering._docs import documented
from moo_clustering._kernels.kmeans import greedy_seeds, lloyd
from moo_clustering._targets import Targets, partial_targets
from moo_clustering._types import BoolArray, FloatArray, IntArray, IntpArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import Encoding, relabel_by_first_appearance
from moo_clustering.encodings.base import VALID_GENES, checked_labels, distinct_rows
from moo_clustering.problems.centers import MAX_PASSES, MEMO_BYTES
from moo_clustering.problems.partition import ConstraintHandling, PartitionProblem, index_list
from moo_clustering.validity import ValidityIndex
from moo_clustering.validity.base import Population, PopulationIndex
from moo_clustering.validity.external import CountedPartitions, ari_table
from moo_clustering.validity.registry import ALIASES, INDICES, Index

# The null score R0(m) of ``Separation`` is estimated from ``_NOISE`` permutations for each of several subset
# sizes m, which grow by the factor ``_STEP``.
_NOISE, _STEP = 5, 1.4
_BY_LABELS = ("labels", "held_out_labels")
_FOLDS, _PASSES = 5, 5


class FeatureSubsetEncoding(Encoding):
    """Encoding of partitions by the features that k-means uses to find them, one bit per feature.

    Greedy k-means++ uses the same random numbers for all subsets, so decoding is deterministic. Takes
    O(n_init n_iter n_samples n_clusters m) time for m selected features. Recent results are cached.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features on a common scale.
    n_clusters : int
        Number of clusters, from 1 to n_samples.
    max_features : int, optional
        Maximum size of a subset. Default: min(50, n_features).
    n_init : int, default=3
        Number of k-means runs per subset. The partition with the lowest sum of squares is used.
    random_state : int, default=0
        Seed for the initial centres.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_features)
        X minus its mean.
    """

    dtype = np.dtype(bool)

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int,
        *,
        max_features: int | None = None,
        n_init: int = 3,
        random_state: int = 0,
    ) -> None:
        self.points = centred_features(X)
        self.n_samples, self.n_var = self.points.shape
        self.n_clusters = integer("n_clusters", n_clusters, 1, self.n_samples, ", the number of samples")
        most = min(50, self.n_var) if max_features is None else max_features
        self.max_features = integer("max_features", most, 1, self.n_var, ", the number of features")
        rng = np.random.default_rng(random_state)
        self._first = rng.integers(self.n_samples, size=integer("n_init", n_init, 1))
        self._draws = rng.random((n_init, self.n_clusters - 1, 2 + int(math.log(self.n_clusters))))
        self._order = rng.permutation(self.n_var)
        self._columns = np.ascontiguousarray(self.points.T)
        self._known: OrderedDict[bytes, tuple[Labels, float]] = OrderedDict()

    def bounds(self) -> tuple[IntArray, IntArray]:
        return np.zeros(self.n_var, dtype=int), np.ones(self.n_var, dtype=int)

    def subsets(self, X: ArrayLike) -> BoolArray:
        """Convert genes to booleans. Raises a ValueError if a gene is not 0 or 1, or if a size is invalid."""
        genes = np.atleast_2d(np.asarray(X))
        bits = genes.astype(bool)
        if genes.shape[1:] != (self.n_var,) or (genes.dtype != bool and (genes != bits).any()):
            raise ValueError(f"X must have {self.n_var} columns of 0 and 1, one per feature; {VALID_GENES}")
        sizes = bits.sum(axis=1)
        if len(sizes) and not 1 <= sizes.min() <= sizes.max() <= self.max_features:
            raise ValueError(
                f"subsets must have 1 to max_features={self.max_features} features, got {sizes.min()} to "
                f"{sizes.max()}; {VALID_GENES}"
            )
        return bits

    def clustered(self, X: ArrayLike) -> tuple[Labels, FloatArray]:
        """Run k-means on each subset; return labels and shares of variance explained (0 if variance is 0)."""
        found = [self._of(row) for row in self.subsets(X)]
        labels = np.array([one for one, _ in found], dtype=np.int32).reshape(-1, self.n_samples)
        return labels, np.array([share for _, share in found])

    def _of(self, row: BoolArray) -> tuple[Labels, float]:
        key = np.packbits(row).tobytes()
        if key not in self._known:
            self._known[key] = self.kmeans(self.points_of(row))
            if len(self._known) * (len(key) + 4 * self.n_samples) > MEMO_BYTES:
                self._known.popitem(last=False)
        return self._known[key]

    def points_of(self, row: BoolArray) -> FloatArray:
        """Return the features in a subset, shape (n_samples, m)."""
        return np.ascontiguousarray(self._columns[row].T)

    def kmeans(self, points: FloatArray) -> tuple[Labels, float]:
        """Return the best k-means partition of centred points, and the share of variance that it explains."""
        total, least = float((points**2).sum()), np.inf
        best = labels = np.zeros(self.n_samples, dtype=np.int32)
        seeds = np.empty(self.n_clusters, dtype=np.int64)
        for first, draws in zip(self._first.tolist(), self._draws, strict=True):
            greedy_seeds(points, False, first, draws, seeds)
            labels = np.empty(self.n_samples, dtype=np.int32)
            objective = lloyd(points, points[seeds], labels, MAX_PASSES, 0.0)[0]
            if objective < least:
                best, least = labels, objective
        return best, 1.0 - least / total if total > 0 else 0.0

    def explained_by_noise(self, sizes: IntArray) -> FloatArray:
        """Estimate the share of variance that k-means explains in permuted features, for each subset size."""
        if not hasattr(self, "_noise"):
            n = max(1, math.ceil(math.log(self.max_features, _STEP)))
            at = np.unique(np.geomspace(1, self.max_features, n + 1).round().astype(int))
            rng = np.random.default_rng(0)
            shares = np.empty((_NOISE, len(at)))
            for values in shares:
                for i, size in enumerate(at.tolist()):
                    columns = self.points[:, rng.choice(self.n_var, size, replace=False)]
                    values[i] = self.kmeans(np.ascontiguousarray(rng.permuted(columns, axis=0)))[1]
            self._noise = np.log(at), shares.mean(axis=0)
        return np.interp(np.log(sizes), *self._noise)

    def decode(self, X: IntArray) -> Labels:
        """Return the k-means partitions, with clusters numbered by first appearance."""
        return relabel_by_first_appearance(self.clustered(X)[0])

    def encode(self, labels: IntArray) -> BoolArray:  # type: ignore[override]
        """Select features with significantly different cluster means (ANOVA with Bonferroni correction)."""
        partitions = checked_labels(labels, self.n_samples)
        X = np.zeros((len(partitions), self.n_var), dtype=bool)
        for row, partition in zip(X, partitions, strict=True):
            if 1 < len(np.unique(partition)) < self.n_samples:
                with np.errstate(divide="ignore", invalid="ignore"):
                    p = np.nan_to_num(f_classif(self.points, partition)[1], nan=1.0)
                row[np.argsort(p, kind="stable")[: self.max_features]] = True
                row &= p * self.n_var <= 0.05  # Bonferroni correction
        return self.repair(X)

    def repair(self, X: ArrayLike) -> BoolArray:  # type: ignore[override]
        """Drop surplus features in a fixed random order, and add one feature to empty subsets."""
        bits = np.atleast_2d(np.asarray(X)) >= 0.5
        for row in bits:
            held = self._order[row[self._order]]
            row[held[self.max_features :]] = False
            row[self._order[0]] |= not len(held)
        return bits

    def canonical(self, X: ArrayLike) -> BoolArray:  # type: ignore[override]
        return self.subsets(X)

    def random(self, n_individuals: int, rng: np.random.Generator) -> BoolArray:  # type: ignore[override]
        """Draw subsets with log-uniform sizes from 1 to ``max_features``."""
        sizes = np.exp(rng.uniform(0.0, math.log(self.max_features + 1), n_individuals)).astype(int)
        ranks = rng.random((n_individuals, self.n_var)).argsort(axis=1).argsort(axis=1)
        return ranks < np.clip(sizes, 1, self.max_features)[:, np.newaxis]


class SubsetIndex(ValidityIndex):
    """Base class for indices of feature subsets. Subclasses override :meth:`evaluate_subsets`."""

    def fit(self, data: Any) -> Self:
        """Return the index itself, because the encoding contains the data."""
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        raise TypeError(f"{self.name!r} scores feature subsets; use it in a FeatureSubsetProblem")

    @abstractmethod
    def evaluate_subsets(self, encoding: FeatureSubsetEncoding, X: BoolArray) -> FloatArray:
        """Score subsets of shape (n_individuals, n_features)."""


class Separation(SubsetIndex):
    """Index sqrt(m) (R - R0(m)), where k-means explains the share R of the variance of m features.

    R0(m) is the share that k-means explains if the values of each feature are permuted.
    """

    name, greater_is_better = "separation", True

    def evaluate_subsets(self, encoding: FeatureSubsetEncoding, X: BoolArray) -> FloatArray:
        sizes = X.sum(axis=1)
        shares = encoding.clustered(X)[1] - encoding.explained_by_noise(sizes)
        return np.asarray(np.sqrt(sizes) * shares)


class _LabelAgreement(PopulationIndex):
    name, greater_is_better = "labels", True

    def __init__(self, targets: Targets) -> None:
        self.n_samples_, self._rows = len(targets.labelled), targets.rows
        classes = targets.indicators[self._rows].argmax(axis=1)[np.newaxis]
        self._classes = CountedPartitions(relabel_by_first_appearance(classes))

    def fit(self, data: Any) -> Self:
        return self

    def _score(self, population: Population) -> FloatArray:
        labels = relabel_by_first_appearance(population.labels[:, self._rows])
        return ari_table(CountedPartitions(labels), self._classes)[:, 0]


class _HeldOutLabels(SubsetIndex):
    """Accuracy in cross-validation of k-means that starts from the class means of the labelled samples."""

    name, greater_is_better = "held_out_labels", True

    def __init__(self, targets: Targets) -> None:
        self._rows, members = targets.rows, targets.indicators[targets.rows].T
        self._codes = members.argmax(axis=0)
        fold = ((members.cumsum(axis=1) - 1)[self._codes, np.arange(len(self._codes))]) % _FOLDS
        self._held = [np.flatnonzero(fold == one) for one in np.unique(fold)]
        kept = [members * (fold != one) for one in np.unique(fold)]
        self._means = [one / np.maximum(one.sum(axis=1, keepdims=True), 1) for one in kept]

    def evaluate_subsets(self, encoding: FeatureSubsetEncoding, X: BoolArray) -> FloatArray:
        right, labels = np.zeros(len(X), dtype=np.int64), np.empty(encoding.n_samples, dtype=np.int32)
        for i, row in enumerate(X):
            points = encoding.points_of(row)
            known = points[self._rows]
            for held, means in zip(self._held, self._means, strict=True):
                lloyd(points, means @ known, labels, _PASSES, 0.0)
                right[i] += np.count_nonzero(labels[self._rows[held]] == self._codes[held])
        return right / len(self._rows)


@documented(FeatureSubsetEncoding)
class FeatureSubsetProblem(PartitionProblem):
    """Select features for k-means, using partial labels, constraint pairs or unsupervised validity indices.

    Raises a TypeError or ValueError if labels, constraints and ``objectives`` are all missing, if labels have
    the wrong length, if ``max_features`` exceeds n_features, or if an evaluated subset is empty or too large.

    Parameters
    ----------
    objectives : sequence of str or indices, optional
        ``"labels"``, ``"held_out_labels"``, ``"separation"`` (see Notes), or a :class:`PartitionProblem`
        index, which uses all features. Default: ``"separation"`` and, if there are labels,
        ``"held_out_labels"`` (``"labels"`` if a class has only one label). Constraints add an objective.
    partial_y : array-like of shape (n_samples,), optional
        Classes; -1 for unlabelled samples.
    weights : sequence of float, optional
        Weights of the objectives, with the weight of violated pairs last. If specified, the weighted sum
        ``"score"`` is the only objective. Default: the objectives are not combined.

    Notes
    -----
    ``"labels"`` is the adjusted Rand index for the labelled samples. ``"held_out_labels"`` is the
    cross-validated accuracy of k-means initialised with class means. ``"separation"`` is sqrt(m) (R - R0(m))
    for m features, where R is the share of the variance between clusters, and R0(m) is this share if the
    values of each feature are permuted.

    For the running time, see :class:`FeatureSubsetEncoding`; ``"held_out_labels"`` adds a k-means run for
    each fold of the cross-validation. The subset with the best score need not yield the best partition.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 200))
    >>> X[:30, :8] += 2  # two clusters in eight of the features
    >>> y = np.full(60, -1)
    >>> y[[0, 1, 58, 59]] = [0, 0, 1, 1]
    >>> problem = FeatureSubsetProblem(X, 2, partial_y=y, weights=[1, 0.5])
    >>> subsets = np.arange(200) < np.array([[8], [40]])
    >>> problem.natural(problem.evaluate(subsets)).ravel().round(2)
    array([1.5 , 1.36])
    """

    encoding: FeatureSubsetEncoding

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int,
        objectives: Sequence[Index] | Index | None = None,
        *,
        partial_y: ArrayLike | None = None,
        constraints: PairwiseConstraints | None = None,
        constraint_handling: ConstraintHandling = "objective",
        weights: Sequence[float] | None = None,
        max_features: int | None = None,
        n_init: int = 3,
        random_state: int = 0,
    ) -> None:
        encoding = FeatureSubsetEncoding(
            X, n_clusters, max_features=max_features, n_init=n_init, random_state=random_state
        )
        targets = partial_targets(partial_y, encoding.n_samples)
        fewest = int(targets.indicators.sum(axis=0).min(initial=len(encoding.points)))
        default = [_BY_LABELS[fewest > 1], "separation"][not targets.n_classes :]
        listed = index_list(default if objectives is None else objectives)
        names = [one for one in listed if isinstance(one, str)]
        for one in names:
            near = did_you_mean(one, (*_BY_LABELS, "separation"))
            if near and one not in (*_BY_LABELS, "separation", *INDICES, *ALIASES):
                raise ValueError(f"unknown objective {quoted(one)}{near}")
        by_labels = not {*names}.isdisjoint(_BY_LABELS)
        if (by_labels or (objectives is None and constraints is None)) and not targets.n_classes:
            raise ValueError(
                "no sample is labelled; pass partial_y with classes (-1 for unlabelled samples) or "
                f"constraints, or use objectives other than {_BY_LABELS}"
            )
        if fewest == 1 and _BY_LABELS[1] in names:
            raise ValueError(
                f"{_BY_LABELS[1]!r} requires at least two labelled samples per class, but some class has "
                f"only one; label more of its samples, or use {_BY_LABELS[0]!r}"
            )
        if targets.multilabel:
            raise ValueError("partial_y must have one class per sample, got label sets")
        own: dict[Any, Any] = {"separation": Separation()}
        if targets.n_classes:
            own |= zip(_BY_LABELS, (_LabelAgreement(targets), _HeldOutLabels(targets)), strict=True)
        super().__init__(
            encoding.points,
            encoding,
            [own.get(one, one) if isinstance(one, str) else one for one in listed],
            constraints=constraints,
            constraint_handling=constraint_handling,
        )
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        if self.weights is not None:
            names = list(self.objective_names)
            if self.weights.shape != (len(names),) or not np.isfinite(self.weights).all():
                raise ValueError(
                    f"weights must have one finite number per objective ({', '.join(names)}), "
                    f"got {quoted(weights)}"
                )
            # The score is maximised, so F is its negative. ``natural`` restores the sign.
            self._rewards = -self.weights * self._signs
            self.n_obj, self.objective_names, self._signs = 1, ("score",), np.array([-1.0])

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        super()._evaluate(X, out, *args, **kwargs)
        if self.weights is not None:
            out["F"] = (out["F"] @ self._rewards)[:, np.newaxis]

    def _distinct(self, X: NDArray[Any], labels: Labels) -> tuple[IntpArray, IntpArray]:
        # Subsets are compared, because the separation of partitions depends on the subset.
        return distinct_rows(X)

    def _values(self, index: ValidityIndex, labels: Labels, X: NDArray[Any], **products: Any) -> FloatArray:
        if isinstance(index, SubsetIndex):
            return index.evaluate_subsets(self.encoding, self.encoding.subsets(X))
        return super()._values(index, labels, X, **products)
