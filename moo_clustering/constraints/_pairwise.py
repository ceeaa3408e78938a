"""Must-links and cannot-links as pairs of samples."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints._checks import (
    check_n_samples,
    check_pairs,
    check_partial_labels,
    check_weights,
)
from moo_clustering.constraints._closure import close, connected, refuse_conflicts
from moo_clustering.constraints._counting import Counts, equal_and_different, sample_major
from moo_clustering.constraints._files import read_constraints, write_constraints
from moo_clustering.constraints._groups import ConstraintGroups, constraint_groups
from moo_clustering.constraints._pairs import Pairs, sort_pairs
from moo_clustering.constraints._sampling import Scheme, pairs_among, sample_constraints

if TYPE_CHECKING:
    from numpy.random import BitGenerator, Generator, SeedSequence

# Pairs listed before the caller has to say that it is meant (160 MB).
MAX_PAIRS = 10_000_000


class PairwiseConstraints:
    """Pairs of samples that belong together (must-link) or apart (cannot-link).

    The pairs are facts about the data, not necessarily consistent ones: gold labels that overlap
    make must-links that are not transitive. Contradictions are therefore found by :meth:`closure`
    and :meth:`groups`, not here. Instances cannot be changed, and copies share their arrays.

    Parameters
    ----------
    must_link, cannot_link : array-like of shape (n_pairs, 2) or None, default=None
        Sample numbers, 0-based, in any order. A pair given twice is kept once.
    n_samples : int
        Number of samples of the data set.
    must_link_weights, cannot_link_weights : array-like of shape (n_pairs,) or None, default=None
        Positive importance of each pair; ones by default. A pair given twice keeps its greatest
        weight.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64, read-only
        Pairs i < j in lexicographic order.
    must_link_weights, cannot_link_weights : ndarray of shape (n_pairs,), float64, read-only
    n_samples : int
    is_weighted : bool
        Whether any weight differs from one.

    Raises
    ------
    ValueError
        For a wrong shape, a sample out of range or a sample paired with itself; the message names
        the pair and its row.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> constraints = PairwiseConstraints([(0, 1), (5, 3)], [(0, 3), (1, 2), (2, 4)], n_samples=6)
    >>> constraints
    PairwiseConstraints(n_samples=6, must_link=<2 pairs>, cannot_link=<3 pairs>)
    >>> must, cannot = constraints.satisfied([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    >>> must.tolist(), cannot.tolist()
    ([2, 1], [2, 2])
    """

    __slots__ = (
        "_cannot_link",
        "_cannot_link_weights",
        "_is_weighted",
        "_must_link",
        "_must_link_weights",
        "_n_samples",
    )

    def __init__(
        self,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        *,
        n_samples: int,
        must_link_weights: ArrayLike | None = None,
        cannot_link_weights: ArrayLike | None = None,
    ) -> None:
        n = check_n_samples(n_samples)
        must = check_pairs(must_link, n, "must_link")
        cannot = check_pairs(cannot_link, n, "cannot_link")
        must_weights = check_weights(must_link_weights, len(must), "must_link_weights")
        cannot_weights = check_weights(cannot_link_weights, len(cannot), "cannot_link_weights")
        must, must_weights = sort_pairs(must, must_weights, n)
        cannot, cannot_weights = sort_pairs(cannot, cannot_weights, n)
        self.__setstate__((n, must, cannot, must_weights, cannot_weights))

    @classmethod
    def from_labels(
        cls,
        y: Any,
        fraction: float,
        *,
        scheme: Scheme = "stratified",
        random_state: int | Generator | BitGenerator | SeedSequence | None = None,
        max_pairs: int = MAX_PAIRS,
    ) -> Self:
        """Draw constraints from gold labels.

        Two samples that share a label make a must-link, two that share none a cannot-link.

        Parameters
        ----------
        y : array-like of shape (n_samples,), or list of n_samples sets, or 2-d indicator
            One label per sample (any kind; every value is a class, -1 too), a set of labels per
            sample, or an array or sparse matrix of zeros and ones, samples by labels.
        fraction : float
            What part to draw, in (0, 1].
        scheme : {"stratified", "pooled", "docs"}, default="stratified"
            * ``"stratified"``: ceil(fraction * M) of the M must-links and ceil(fraction * C) of
              the C cannot-links.
            * ``"pooled"``: ceil(fraction * n(n-1)/2) of all pairs.
            * ``"docs"``: all pairs among max(2, ceil(fraction * n)) samples; the one scheme that
              leaves most samples unconstrained.
        random_state : int, Generator, ... or None, default=None
            As for :func:`numpy.random.default_rng`.
        max_pairs : int, default=10_000_000
            Refuse to list more pairs than this.

        Returns
        -------
        PairwiseConstraints

        Notes
        -----
        With single labels O(n_samples + drawn) memory: pairs are drawn by number and computed from
        it. With label sets ``"stratified"`` has to count the sharing pairs, in O(n_samples**2) time
        at worst, in blocks.

        Ten per cent of the pairs of a large data set is nearly full information (the must-links of
        a class of 50 connect it); ``"docs"`` is the honest scheme there.
        """
        rng = np.random.default_rng(random_state)
        n_samples, must, cannot = sample_constraints(y, fraction, scheme, rng, max_pairs)
        return cls(must, cannot, n_samples=n_samples)

    @classmethod
    def from_partial_labels(cls, y: ArrayLike, *, max_pairs: int = MAX_PAIRS) -> Self:
        """All pairs among the labelled samples.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Classes 0, 1, ...; -1 for unlabelled samples.
        max_pairs : int, default=10_000_000
            Refuse to list more pairs than this; :func:`constraint_groups` and
            :func:`satisfied_from_labels` work without listing them.

        Returns
        -------
        PairwiseConstraints
        """
        classes = check_partial_labels(y)
        pairs = pairs_among(np.flatnonzero(classes >= 0), max_pairs)
        together = classes[pairs[:, 0]] == classes[pairs[:, 1]]
        return cls(pairs[together], pairs[~together], n_samples=len(classes))

    @classmethod
    def from_csv(cls, path: str | PathLike[str], n_samples: int) -> Self:
        """Read what :meth:`to_csv` writes: columns i, j, kind and, if present, weight.

        Raises
        ------
        ValueError
            Naming file and line of what cannot be read.
        """
        n = check_n_samples(n_samples)
        must, must_weights, cannot, cannot_weights = read_constraints(path, n)
        return cls(
            must,
            cannot,
            n_samples=n,
            must_link_weights=must_weights,
            cannot_link_weights=cannot_weights,
        )

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write columns i, j, kind ("must_link" or "cannot_link") and weight; nothing is rounded.

        An existing file is replaced as a whole or not at all.
        """
        write_constraints(
            path,
            ("must_link", self.must_link, self.must_link_weights),
            ("cannot_link", self.cannot_link, self.cannot_link_weights),
        )

    @property
    def n_samples(self) -> int:
        """Number of samples of the data set."""
        return self._n_samples

    @property
    def must_link(self) -> Pairs:
        """Pairs that belong together, shape (n_pairs, 2)."""
        return self._must_link

    @property
    def cannot_link(self) -> Pairs:
        """Pairs that belong apart, shape (n_pairs, 2)."""
        return self._cannot_link

    @property
    def must_link_weights(self) -> NDArray[np.float64]:
        """Importance of each must-link."""
        return self._must_link_weights

    @property
    def cannot_link_weights(self) -> NDArray[np.float64]:
        """Importance of each cannot-link."""
        return self._cannot_link_weights

    @property
    def is_weighted(self) -> bool:
        """Whether any weight differs from one."""
        return self._is_weighted

    def components(self) -> NDArray[np.int64]:
        """Component of the must-link graph of every sample, shape (n_samples,).

        Components are numbered by their least sample; a sample without must-link is a component
        by itself.
        """
        return connected(self.must_link, self.n_samples)

    def closure(
        self, strict: bool = False, *, max_pairs: int = MAX_PAIRS
    ) -> tuple[PairwiseConstraints, Pairs]:
        """Everything that follows: must-links within components, cannot-links between them.

        Parameters
        ----------
        strict : bool, default=False
            Raise :class:`InconsistentConstraintsError` if there is a conflict.
        max_pairs : int, default=10_000_000
            Refuse to list more pairs than this; :meth:`groups` says the same without listing.

        Returns
        -------
        closed : PairwiseConstraints
            Given pairs keep their weights. An implied pair gets the least weight it may rest on:
            of the must-links in the components it touches and of the cannot-links between them.
        conflicts : ndarray of shape (n_conflicts, 2), int64
            Cannot-links inside a component. They are left out of ``closed``.
        """
        component = self.components()
        inside = component[self.cannot_link[:, 0]] == component[self.cannot_link[:, 1]]
        conflicts = self.cannot_link[inside]
        if strict:
            refuse_conflicts(conflicts, self.must_link, self.n_samples)
        closed = close(
            self.must_link,
            self.must_link_weights,
            self.cannot_link[~inside],
            self.cannot_link_weights[~inside],
            component,
            max_pairs,
        )
        return (
            PairwiseConstraints(
                closed.must,
                closed.cannot,
                n_samples=self.n_samples,
                must_link_weights=closed.must_weights,
                cannot_link_weights=closed.cannot_weights,
            ),
            conflicts,
        )

    def groups(self) -> ConstraintGroups:
        """The closure as groups of samples; raises InconsistentConstraintsError on a conflict."""
        return constraint_groups(self.n_samples, constraints=self)

    def satisfied(self, labels: ArrayLike) -> tuple[Counts, Counts]:
        """Satisfied must-links and cannot-links of every partition.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_samples) or (n_samples,)
            Integer partitions of a population, or one partition.

        Returns
        -------
        must, cannot : ndarray of shape (n_individuals,)
            Counts (int64), or sums of weights (float64) if the constraints are weighted.

        Notes
        -----
        O(n_individuals * (n_samples + n_pairs)) time, O(n_individuals * n_samples) memory.
        """
        must, cannot = self._equal_and_different(labels)
        return must[0], cannot[1]

    def violation(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Violated part of the must-links plus violated part of the cannot-links, in [0, 2].

        V = (M - w_m) / M + (C - w_c) / C, a part without pairs being 0; with weights, their sums.
        Exactly 0 if and only if nothing is violated.
        """
        must, cannot = self._equal_and_different(labels)
        return _ratio(must[1], self.must_link_weights) + _ratio(cannot[0], self.cannot_link_weights)

    def bonus(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Satisfied part of the must-links plus satisfied part of the cannot-links, in [0, 2].

        w_m / M + w_c / C, a part without pairs being 0: the term added to the crowding distance
        by Internal-NSGA-II-clus (its Algorithm 2).
        """
        must, cannot = self._equal_and_different(labels)
        return _ratio(must[0], self.must_link_weights) + _ratio(cannot[1], self.cannot_link_weights)

    def _equal_and_different(self, labels: ArrayLike) -> tuple[tuple[Counts, Counts], tuple[Counts, Counts]]:
        population = sample_major(labels, self.n_samples)
        must_weights = self.must_link_weights if self.is_weighted else None
        cannot_weights = self.cannot_link_weights if self.is_weighted else None
        return (
            equal_and_different(population, self.must_link, must_weights),
            equal_and_different(population, self.cannot_link, cannot_weights),
        )

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

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> tuple[int, Pairs, Pairs, NDArray[np.float64], NDArray[np.float64]]:
        return (
            self.n_samples,
            self.must_link,
            self.cannot_link,
            self.must_link_weights,
            self.cannot_link_weights,
        )

    def __setstate__(self, state: tuple[int, Pairs, Pairs, NDArray[np.float64], NDArray[np.float64]]) -> None:
        # Pickling forgets that an array is read-only.
        for array in state[1:]:
            array.setflags(write=False)
        self._n_samples, self._must_link, self._cannot_link = state[:3]
        self._must_link_weights, self._cannot_link_weights = state[3:]
        self._is_weighted = any(bool((weights != 1).any()) for weights in state[3:])


def _ratio(part: Counts, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(weights):
        return np.zeros(len(part))
    return part / weights.sum()
