"""Must-links and cannot-links between samples, and measures of how well partitions satisfy them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from moo_clustering._arrays import Shared, block_slices, integer, probability
from moo_clustering._data import checked_integers, checked_table, require_same_samples
from moo_clustering._docs import documented
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntpArray
from moo_clustering.constraints import _checks, sources
from moo_clustering.constraints._checks import n_pairs
from moo_clustering.constraints.groups import ConstraintGroups, connected, refuse_contradictions

if TYPE_CHECKING:
    from numpy.random import BitGenerator, Generator, SeedSequence

Counts = Int64Array | FloatArray
# By default, at most this number of pairs is listed, which takes 160 MB.
MAX_PAIRS = 10_000_000
# Lower bound on differences over pairs. Without this bound, the weight of a feature would be infinite if its
# values are equal in all must-links, and 0 if they are equal in all cannot-links.
_BETWEEN_FLOOR = 1e-12


class PairwiseConstraints(Shared):
    """Pairs of samples that belong to the same cluster (must-link) or to different clusters (cannot-link).

    Pairs may contradict each other; :meth:`closure` and :meth:`groups` find contradictions. Instances are
    immutable, and copies share arrays with the original. If a sample is out of range or paired with itself,
    raises a ValueError that names the row of the pair.

    Parameters
    ----------
    must_link, cannot_link : array-like of shape (n_pairs, 2) or None, default=None
        Zero-based sample indices, in any order. Duplicates are removed.
    n_samples : int
        Number of samples in the data set.
    must_link_weights, cannot_link_weights : array-like of shape (n_pairs,) or None, default=None
        Positive weight of each pair. Default: 1. Duplicate pairs get the largest of their weights.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64, read-only
        Pairs i < j in lexicographic order.
    must_link_weights, cannot_link_weights : ndarray of shape (n_pairs,), float64, read-only
    is_weighted : bool
        Whether any weight differs from 1.

    Examples
    --------
    >>> constraints = PairwiseConstraints([(0, 1), (5, 3)], [(0, 3), (1, 2), (2, 4)], n_samples=6)
    >>> constraints
    PairwiseConstraints(n_samples=6, must_link=<2 pairs>, cannot_link=<3 pairs>)
    >>> must, cannot = constraints.satisfied([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    >>> must.tolist(), cannot.tolist()
    ([2, 1], [2, 2])
    """

    n_samples: int
    must_link: Int64Array
    cannot_link: Int64Array
    must_link_weights: FloatArray
    cannot_link_weights: FloatArray
    is_weighted: bool
    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        *,
        n_samples: int,
        must_link_weights: ArrayLike | None = None,
        cannot_link_weights: ArrayLike | None = None,
    ) -> None:
        n = integer("n_samples", n_samples)
        must = _checks.check_pairs(must_link, n, "must_link")
        cannot = _checks.check_pairs(cannot_link, n, "cannot_link")
        must_weights = _checks.check_weights(must_link_weights, len(must), "must_link_weights")
        cannot_weights = _checks.check_weights(cannot_link_weights, len(cannot), "cannot_link_weights")
        must, must_weights = _checks.sort_pairs(must, must_weights, n)
        cannot, cannot_weights = _checks.sort_pairs(cannot, cannot_weights, n)
        self.__setstate__((n, must, cannot, must_weights, cannot_weights))

    @classmethod
    def from_labels(
        cls,
        y: Any,
        fraction: float,
        *,
        scheme: sources.Scheme = "stratified",
        random_state: int | Generator | BitGenerator | SeedSequence | None = None,
        max_pairs: int = MAX_PAIRS,
    ) -> Self:
        """Draw must-links between samples with a common label, and cannot-links between samples without one.

        With one label per sample, takes O(n_samples + n_drawn) memory for n_drawn pairs. With label sets,
        ``"stratified"`` takes up to O(n_samples**2) time. In large data sets, 10 % of the pairs connect the
        samples of each class that has at least 50 samples. Such pairs reveal nearly all labels; ``"docs"`` is
        more realistic.

        Parameters
        ----------
        y : array-like of shape (n_samples,), or list of n_samples sets, or 2-d indicator
            One label per sample (any type; every value is a class, including -1), a set of labels per sample,
            or an indicator array or sparse matrix of zeros and ones (samples by labels).
        fraction : float
            Share of the pairs (or samples) to draw, in (0, 1].
        scheme : {"stratified", "pooled", "docs"}, default="stratified"
            ``"stratified"`` draws ceil(fraction * M) of the M must-links and ceil(fraction * C) of the C
            cannot-links. ``"pooled"`` draws ceil(fraction * n(n-1)/2) of all pairs. ``"docs"`` draws max(2,
            ceil(fraction * n)) samples and uses all pairs of them; most samples are in no pair.
        random_state : int, Generator, ... or None, default=None
        max_pairs : int, default=10_000_000
            Maximum number of pairs, above which a ValueError is raised.
        """
        rng = np.random.default_rng(random_state)
        n_samples, must, cannot = sources.sample_constraints(y, fraction, scheme, rng, max_pairs)
        return cls(must, cannot, n_samples=n_samples)

    @classmethod
    def from_partial_labels(cls, y: ArrayLike, *, max_pairs: int = MAX_PAIRS) -> Self:
        """Constrain all pairs of labelled samples; ``y`` contains classes 0, 1, ..., or -1 if unlabelled.

        Raises a ValueError for more than ``max_pairs`` pairs. :func:`constraint_groups` has no limit.
        """
        classes = _checks.check_partial_labels(y)
        pairs = sources.pairs_among(np.flatnonzero(classes >= 0), max_pairs)
        together = classes[pairs[:, 0]] == classes[pairs[:, 1]]
        return cls(pairs[together], pairs[~together], n_samples=len(classes))

    @classmethod
    def from_csv(cls, path: str | PathLike[str], n_samples: int) -> Self:
        """Read a file with the columns i, j, kind and optionally weight, such as from :meth:`to_csv`.

        If an entry is invalid, raises a ValueError that names the file and line.
        """
        n = integer("n_samples", n_samples)
        must, must_weights, cannot, cannot_weights = sources.read_constraints(path, n)
        return cls(
            must, cannot, n_samples=n, must_link_weights=must_weights, cannot_link_weights=cannot_weights
        )

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write columns i, j, kind ("must_link" or "cannot_link") and weight (not rounded), atomically."""
        sources.write_constraints(
            path,
            ("must_link", self.must_link, self.must_link_weights),
            ("cannot_link", self.cannot_link, self.cannot_link_weights),
        )

    def components(self) -> Int64Array:
        """Return the must-link component of each sample. Components are numbered by first appearance."""
        return connected(self.must_link, self.n_samples)

    def closure(
        self, strict: bool = False, *, max_pairs: int = MAX_PAIRS
    ) -> tuple[PairwiseConstraints, Int64Array]:
        """Compute the transitive closure: must-links within components and cannot-links between components.

        Parameters
        ----------
        strict : bool, default=False
            Whether to raise :class:`InconsistentConstraintsError` if there is a conflict.
        max_pairs : int, default=10_000_000
            Maximum number of pairs, above which a ValueError is raised. :meth:`groups` has no limit.

        Returns
        -------
        closed : PairwiseConstraints
            Given pairs keep their weights. An implied must-link gets the lowest must-link weight in its
            component. An implied cannot-link gets the lowest weight among the must-links in its two
            components and the cannot-links between them.
        conflicts : ndarray of shape (n_conflicts, 2), int64
            Cannot-links between samples of the same component. ``closed`` omits them.
        """
        component = self.components()
        inside = component[self.cannot_link[:, 0]] == component[self.cannot_link[:, 1]]
        conflicts = self.cannot_link[inside]
        if strict:
            unlabelled = np.full(self.n_samples, -1)
            refuse_contradictions(component, unlabelled[:0], conflicts, self.must_link, unlabelled)
        return self._closed(component, ~inside, max_pairs), conflicts

    def _closed(self, component: Int64Array, kept: BoolArray, max_pairs: int) -> PairwiseConstraints:
        """Return the closure without conflicts.

        The closure contains all must-links within components, and all cannot-links that the cannot-links in
        the mask ``kept`` imply.
        """
        must, must_weights = self.must_link, self.must_link_weights
        cannot, cannot_weights = self.cannot_link[kept], self.cannot_link_weights[kept]
        n_components = int(component.max()) + 1
        size = np.bincount(component).astype(np.int64)
        member, start = np.argsort(component, kind="stable"), np.cumsum(size) - size
        weakest = np.full(n_components, np.inf)
        np.minimum.at(weakest, component[must[:, 0]], must_weights)

        lifted, apart = np.unique(_checks.pair_keys(component[cannot], n_components), return_inverse=True)
        left, right = _checks.keys_to_pairs(lifted, n_components).T
        between = np.minimum(weakest[left], weakest[right])
        np.minimum.at(between, apart, cannot_weights)

        n_within, n_across = n_pairs(size), size[left] * size[right]
        _checks.check_affordable(int(n_within.sum() + n_across.sum()), max_pairs)
        owner, rank = expand(n_within)
        a, b = _checks.unrank_pairs(rank)
        within = member[np.column_stack([start[owner] + a, start[owner] + b])]
        within_weights = _with_listed(within, weakest[owner], must, must_weights, self.n_samples)
        owner, rank = expand(n_across)
        a, b = np.divmod(rank, size[right[owner]])
        across = member[np.column_stack([start[left[owner]] + a, start[right[owner]] + b])]
        across_weights = _with_listed(across, between[owner], cannot, cannot_weights, self.n_samples)
        weights = {"must_link_weights": within_weights, "cannot_link_weights": across_weights}
        return PairwiseConstraints(within, across, n_samples=self.n_samples, **weights)

    def groups(self) -> ConstraintGroups:
        """Return the closure as groups of samples. Conflicts raise an InconsistentConstraintsError."""
        return constraint_groups(self.n_samples, constraints=self)

    def satisfied(self, labels: ArrayLike) -> tuple[Counts, Counts]:
        """Count the must-links and cannot-links that each partition satisfies.

        Takes O(n_individuals * (n_samples + n_pairs)) time and O(n_individuals * n_samples) memory.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_samples) or (n_samples,)
            Integer labels of a population of partitions, or of a single partition.

        Returns
        -------
        must, cannot : ndarray of shape (n_individuals,)
            Counts (int64), or total weights (float64) if the constraints are weighted.
        """
        must, cannot = self._counted(labels)
        return must[0], cannot[1]

    def violation(self, labels: ArrayLike) -> FloatArray:
        """Return the violated share of must-links plus the violated share of cannot-links, in [0, 2].

        V = (M - w_m) / M + (C - w_c) / C, where M and C are the total weights of all must-links and
        cannot-links, and w_m and w_c are those of the satisfied ones. A term is 0 if its denominator is 0.
        """
        must, cannot = self._counted(labels)
        return _ratio(must[1], self.must_link_weights) + _ratio(cannot[0], self.cannot_link_weights)

    def bonus(self, labels: ArrayLike) -> FloatArray:
        """Return the satisfied share of must-links plus the satisfied share of cannot-links, in [0, 2].

        B = w_m / M + w_c / C, with symbols as in :meth:`violation`. A term is 0 if its denominator is 0.
        Internal-NSGA-II-clus (Algorithm 2) adds B to the crowding distance.
        """
        must, cannot = self._counted(labels)
        return _ratio(must[0], self.must_link_weights) + _ratio(cannot[1], self.cannot_link_weights)

    def _counted(self, labels: ArrayLike) -> list[tuple[Counts, Counts]]:
        """Count the pairs with equal labels and the pairs with different labels, or sum their weights.

        Returns one tuple for the must-links and one tuple for the cannot-links.
        """
        # Import lazily, because numba is slow to import and not required to read, save or close constraints.
        from moo_clustering._kernels.partitions import count_equal, weigh_equal

        population = np.ascontiguousarray(_narrow(_checks.check_partitions(labels, self.n_samples)).T)
        kinds = (self.must_link, self.must_link_weights), (self.cannot_link, self.cannot_link_weights)
        found = []
        for pairs, weights in kinds:
            counts: Any = np.zeros((2, population.shape[1]), np.float64 if self.is_weighted else np.int64)
            if self.is_weighted:
                weigh_equal(population, pairs, weights, *counts)
            else:
                count_equal(population, pairs, counts[0])
                counts[1] = len(pairs) - counts[0]
            found.append((counts[0], counts[1]))
        return found

    def __len__(self) -> int:
        return len(self.must_link) + len(self.cannot_link)

    def __repr__(self) -> str:
        weighted = ", weighted" if self.is_weighted else ""
        return (
            f"PairwiseConstraints(n_samples={self.n_samples}, must_link=<{len(self.must_link)} pairs>, "
            f"cannot_link=<{len(self.cannot_link)} pairs>{weighted})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairwiseConstraints):
            return NotImplemented
        mine, theirs = self.__getstate__()[1:], other.__getstate__()[1:]
        same_pairs = all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))
        return self.n_samples == other.n_samples and same_pairs

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __getstate__(self) -> tuple[int, Int64Array, Int64Array, FloatArray, FloatArray]:
        weights = self.must_link_weights, self.cannot_link_weights
        return self.n_samples, self.must_link, self.cannot_link, *weights

    def __setstate__(self, state: tuple[int, Int64Array, Int64Array, FloatArray, FloatArray]) -> None:
        # Pickling does not preserve the read-only flag of arrays.
        for array in state[1:]:
            array.setflags(write=False)
        is_weighted = any(bool((weights != 1).any()) for weights in state[3:])
        for name, value in zip(self.__slots__, (*state, is_weighted), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"constraints are immutable; create new ones instead of setting {name}")


def _ratio(part: Counts, weights: FloatArray) -> FloatArray:
    return part / weights.sum() if len(weights) else np.zeros(len(part))


def _narrow(labels: NDArray[Any]) -> NDArray[Any]:
    if not labels.size:
        return labels.astype(np.uint8)
    least, greatest = int(labels.min()), int(labels.max())
    if least < 0:
        labels, greatest = labels.astype(np.int64) - least, greatest - least
    return labels.astype(np.min_scalar_type(greatest), copy=False)


def expand(counts: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Expand counts such as (2, 3) to owners (0, 0, 1, 1, 1) and positions (0, 1, 0, 1, 2)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - first[owner]


def _with_listed(
    pairs: Int64Array, weights: FloatArray, listed: Int64Array, listed_weights: FloatArray, n: int
) -> FloatArray:
    """Return the weights of ``pairs``. Pairs in the sorted array ``listed`` get their ``listed_weights``."""
    if not len(listed):
        return weights
    keys, listed_keys = _checks.pair_keys(pairs, n), _checks.pair_keys(listed, n)
    place = np.minimum(np.searchsorted(listed_keys, keys), len(listed_keys) - 1)
    return np.where(listed_keys[place] == keys, listed_weights[place], weights)


@documented(PairwiseConstraints.satisfied)
def satisfied_from_labels(labels: ArrayLike, y_partial: ArrayLike) -> tuple[Int64Array, Int64Array]:
    """Count the satisfied must-links and cannot-links among all pairs of labelled samples.

    Returns the result of ``PairwiseConstraints.from_partial_labels(y_partial).satisfied(labels)`` without
    listing the pairs. Takes O(n_individuals * n_labelled) time and memory.

    Parameters
    ----------
    y_partial : array-like of shape (n_samples,)
        Classes 0, 1, ...; unlabelled samples have -1 or a missing value.

    Returns
    -------
    must : ndarray of shape (n_individuals,), int64
        Number of pairs in the same class and the same cluster: the sum of binom(N_gc, 2) over classes g and
        clusters c, where N_gc is the number of labelled samples of class g in cluster c.
    cannot : ndarray of shape (n_individuals,), int64
        Number of pairs in different classes and different clusters.
    """
    from moo_clustering._kernels.partitions import count_equal_by_class

    y = _checks.check_partial_labels(y_partial)
    population = _checks.check_partitions(labels, len(y))
    labelled = np.flatnonzero(y >= 0)
    classes = y[labelled]
    size = np.unique(classes, return_counts=True)[1]
    # As unsigned integers, negative labels become large and are therefore renumbered.
    greatest = population.view(f"u{population.itemsize}").max(initial=0)
    if greatest >= 1 << 16:
        # Large labels are renumbered, because every number up to the largest label needs a counter.
        population = np.unique(population, return_inverse=True)[1].reshape(population.shape)
        greatest = population.max()
    within, together = np.zeros((2, len(population)), dtype=np.int64)
    # Only a few classes are counted at a time, so that the counters fit in the cache (64 KiB).
    n_labels = int(greatest) + 1
    group, place = np.divmod(classes, max(1, 4096 // n_labels))
    by_group = np.argsort(group, kind="stable")
    boundaries = np.append(np.flatnonzero(np.diff(group[by_group], prepend=-1)), len(group))
    order, shifts = labelled[by_group].astype(np.uint64), (n_labels * place[by_group]).astype(np.uint64)
    count_equal_by_class(population, order, shifts, boundaries, n_labels, within, together)
    n_cannot = n_pairs(len(labelled)) - int(n_pairs(size).sum())
    return within, n_cannot - (together - within)


def satisfied_shares(partitions: ArrayLike, supervision: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return each partition's shares of satisfied must-links and cannot-links. Omit a kind without pairs."""
    must, cannot = satisfied_pairs(partitions, supervision)
    kinds = {"must_link_satisfied": must, "cannot_link_satisfied": cannot}
    return {kind: satisfied / n for kind, (satisfied, n) in kinds.items() if n}


def satisfied_pairs(
    partitions: ArrayLike, supervision: Mapping[str, Any]
) -> tuple[tuple[Int64Array, int], tuple[Int64Array, int]]:
    """Count the must-links and cannot-links that each partition satisfies, and the pairs of each kind.

    The pairs include those that the partial labels ``y`` imply.
    """
    labels = checked_integers(partitions, "partitions")
    y = np.asarray(-1 if supervision.get("y") is None else supervision["y"])
    if y.ndim != 1:
        y = np.full(labels.shape[1], -1)
    pairs = PairwiseConstraints(
        _not_in_labels(supervision.get("must_link"), y, same=True),
        _not_in_labels(supervision.get("cannot_link"), y, same=False),
        n_samples=labels.shape[1],
    )
    n_must, n_cannot = len(pairs.must_link), len(pairs.cannot_link)
    must, cannot = (count.astype(np.int64) for count in pairs.satisfied(labels))
    if len(sizes := np.bincount(y[y >= 0])):
        together = int(n_pairs(sizes).sum())
        n_must, n_cannot = n_must + together, n_cannot + n_pairs(int(sizes.sum())) - together
        must_by_labels, cannot_by_labels = satisfied_from_labels(labels, y)
        must, cannot = must + must_by_labels, cannot + cannot_by_labels
    return (must, n_must), (cannot, n_cannot)


def _not_in_labels(pairs: ArrayLike | None, y: NDArray[Any], *, same: bool) -> Int64Array | None:
    if pairs is None:
        return None
    given = checked_integers(pairs, "pairs").reshape(-1, 2)
    i, j = y[given].T
    return given[~((i >= 0) & (j >= 0) & ((i == j) == same))]


def constraint_groups(
    n_samples: int, y: ArrayLike | None = None, constraints: PairwiseConstraints | None = None
) -> ConstraintGroups:
    """Compute the closure of partial labels and pairwise constraints.

    The samples of each class form a group, and any two classes conflict. Must-links merge groups;
    cannot-links make groups conflict. Takes O(n_samples + n_pairs + n_classes**2) time and memory. Raises an
    InconsistentConstraintsError if must-links join two classes or a cannot-link lies within a group. Raises a
    ValueError or TypeError if ``y`` is invalid or does not have ``n_samples`` entries.

    Parameters
    ----------
    n_samples : int
    y : array-like of shape (n_samples,) or None, default=None
        Classes 0, 1, ...; unlabelled samples have -1 or a missing value.
    constraints : PairwiseConstraints or None, default=None

    Returns
    -------
    ConstraintGroups
        The closure, with groups numbered by their lowest sample index.
    """
    n = integer("n_samples", n_samples)
    classes = np.full(n, -1, dtype=np.int64) if y is None else _checks.check_partial_labels(y, n)
    must = cannot = np.empty((0, 2), dtype=np.int64)
    if constraints is not None:
        if constraints.n_samples != n:
            raise ValueError(f"constraints must have n_samples={n}, got n_samples={constraints.n_samples}")
        must, cannot = constraints.must_link, constraints.cannot_link
    # If each sample is linked to the first of its class, n links suffice instead of all pairs of a class.
    labelled = np.flatnonzero(classes >= 0)
    _, first, which = np.unique(classes[labelled], return_index=True, return_inverse=True)
    hubs = labelled[first]
    links = np.concatenate([must, np.column_stack([hubs[which], labelled])])
    component = connected(links, n)
    refuse_contradictions(component, hubs, cannot, links, classes)

    constrained = _checks.distinct(np.concatenate([must.ravel(), cannot.ravel(), labelled]))
    groups = np.full(n, -1, dtype=np.int64)
    groups[constrained] = np.unique(component[constrained], return_inverse=True)[1]
    # All pairs of classes conflict. The maximum number of conflicts allows 4472 classes.
    if n_pairs(len(hubs)) > 10_000_000:
        raise ValueError(
            f"y must have at most 4472 classes, because all pairs of classes conflict; got {len(hubs)}"
        )
    g, h = _checks.unrank_pairs(np.arange(n_pairs(len(hubs))))
    apart = np.concatenate([groups[cannot], groups[np.column_stack([hubs[g], hubs[h]])]])
    return ConstraintGroups(groups, apart)


def fisher_weights(X: ArrayLike, constraints: PairwiseConstraints, shrinkage: float = 0.2) -> FloatArray:
    """Return feature weights a_t, high if a feature separates cannot-linked but not must-linked samples.

    a_t = b_t / (((1 - shrinkage) s_t + shrinkage v_t) v_t), where v_t is the variance of feature t. Half the
    mean squared difference of feature t is s_t for must-links, and b_t for cannot-links. Use Euclidean
    distances between rows of ``X * sqrt(a)``. Takes O((n_samples + n_pairs) n_features) time, and
    O(n_features) memory plus blocks of bounded size. Raises a TypeError or ValueError if ``constraints`` has
    the wrong type or number of samples, or if ``shrinkage`` is out of range. Source: NSGA-II-clus.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    constraints : PairwiseConstraints
        Must-links and cannot-links. If they have weights, means over pairs are weighted.
    shrinkage : float, default=0.2
        Shrinkage of s_t towards v_t, in [0, 1]. Use a higher value if there are few pairs.

    Returns
    -------
    weights : ndarray of shape (n_features,)
        All weights are 1 if there are no must-links or no cannot-links. Otherwise, a feature has weight 0 if
        its variance is at most 1e-6 times the largest variance.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
    >>> fisher_weights([[0, 0], [1, 9], [10, 0], [11, 9]], pairs).round(3)
    array([0.363, 0.   ])
    """
    if not isinstance(constraints, PairwiseConstraints):
        raise TypeError(f"constraints must be PairwiseConstraints, got {type(constraints).__name__}")
    probability("shrinkage", shrinkage)
    data = checked_table(X, accept_sparse="csr")
    require_same_samples("constraints and X", constraints.n_samples, data.shape[0])
    if not len(constraints.must_link) or not len(constraints.cannot_link):
        return np.ones(data.shape[1])
    variance = _variance(data)
    within = _half_mean_square(data, constraints.must_link, constraints.must_link_weights)
    between = _half_mean_square(data, constraints.cannot_link, constraints.cannot_link_weights)
    varies = variance > 1e-6 * variance.max()
    spread = (1.0 - shrinkage) * within + shrinkage * variance
    scale = np.maximum(spread, _BETWEEN_FLOOR * variance) * variance
    weights = np.zeros(data.shape[1])
    np.divide(np.maximum(between, _BETWEEN_FLOOR), scale, out=weights, where=varies)
    return weights


def _variance(X: Any) -> FloatArray:
    if not issparse(X):
        return np.asarray(X.var(axis=0))
    mean = np.asarray(X.mean(axis=0)).ravel()
    stored = X.tocsc()
    count = np.diff(stored.indptr)
    column = np.repeat(np.arange(X.shape[1]), count)
    squares = np.bincount(column, weights=(stored.data - mean[column]) ** 2, minlength=X.shape[1])
    return (squares + (X.shape[0] - count) * mean**2) / X.shape[0]


def _half_mean_square(X: Any, pairs: Int64Array, weights: FloatArray) -> FloatArray:
    total = np.zeros(X.shape[1])
    for part in block_slices(len(pairs), X.shape[1]):
        difference = X[pairs[part, 0]] - X[pairs[part, 1]]
        square = difference.multiply(difference) if issparse(difference) else difference**2
        total += np.asarray(square.T @ weights[part]).ravel()
    return total / (2.0 * weights.sum())


def supervision_pairs(
    n_samples: int,
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    conflicts: str = "raise",
) -> PairwiseConstraints:
    """Add the pairs implied by ``y`` to the given pairs; ``conflicts="raise"`` rejects contradictions."""
    given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    if conflicts == "raise":
        supervision_groups(n_samples, y, given.must_link, given.cannot_link)
    if y is not None:
        known = PairwiseConstraints.from_partial_labels(y)
        if known.n_samples != n_samples:
            raise ValueError(f"y must have one value per sample ({n_samples}), got {known.n_samples}")
        given = PairwiseConstraints(
            np.concatenate([given.must_link, known.must_link]),
            np.concatenate([given.cannot_link, known.cannot_link]),
            n_samples=n_samples,
        )
    return given


def must_link_groups(pairs: PairwiseConstraints, y: ArrayLike | None) -> list[IntpArray]:
    """Return the samples of each must-link component, ordered by their lowest sample.

    Single samples are omitted, except if they have a label in ``y``.
    """
    component, labelled = pairs.components(), np.zeros(pairs.n_samples, dtype=bool)
    if y is not None:
        labelled = _checks.check_partial_labels(y) >= 0
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    return [m for m in members if len(m) > 1 or labelled[m[0]]]


def supervision_groups(
    n_samples: int, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
) -> ConstraintGroups:
    """Compute the closure of labels and pairs. Contradictions raise an InconsistentConstraintsError."""
    pairs = None
    if must_link is not None or cannot_link is not None:
        pairs = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    return constraint_groups(n_samples, y, pairs)
