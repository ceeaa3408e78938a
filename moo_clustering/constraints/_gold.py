"""Gold labels, single or multiple, as two numbered lists of pairs that are never written out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.constraints._pairs import Pairs, unrank_pairs

Ints = NDArray[np.int64]

# Cells of a block of the sample-by-sample product.
_BLOCK = 10_000_000


class Gold(Protocol):
    """Which pairs of samples share a label."""

    n_samples: int
    n_must: int

    def shared(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Whether the two samples of each pair share a label."""

    def must_pairs(self, ranks: Ints) -> Pairs:
        """The must-links with the given numbers, 0 <= rank < n_must."""

    def cannot_pairs(self, ranks: Ints) -> Pairs:
        """The cannot-links with the given numbers, 0 <= rank < n(n-1)/2 - n_must."""


class SingleLabels:
    """One label per sample: O(n_samples) memory, O(log n_classes) per pair."""

    def __init__(self, labels: NDArray[Any]) -> None:
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise ValueError(f"y must not hold NaN, got one at [{np.flatnonzero(np.isnan(labels))[0]}]")
        try:
            self._codes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        except TypeError as error:
            raise TypeError(f"the labels in y must be of one kind that can be sorted: {error}") from error
        self.n_samples = len(labels)
        sizes = np.bincount(self._codes).astype(np.int64)
        self._by_class = np.argsort(self._codes, kind="stable")
        self._end = np.cumsum(sizes)
        self._start = self._end - sizes
        self._must = np.cumsum(sizes * (sizes - 1) // 2)
        self._cannot = np.cumsum(sizes * (self.n_samples - self._end))
        self.n_must = int(self._must[-1]) if len(sizes) else 0

    def shared(self, pairs: Pairs) -> NDArray[np.bool_]:
        return self._codes[pairs[:, 0]] == self._codes[pairs[:, 1]]

    def must_pairs(self, ranks: Ints) -> Pairs:
        group, rest = _locate(ranks, self._must)
        a, b = unrank_pairs(rest)
        return self._by_class[np.column_stack([self._start[group] + a, self._start[group] + b])]

    def cannot_pairs(self, ranks: Ints) -> Pairs:
        # Of a class, every member goes with every sample of the later classes.
        group, rest = _locate(ranks, self._cannot)
        a, b = np.divmod(rest, self.n_samples - self._end[group])
        return self._by_class[np.column_stack([self._start[group] + a, self._end[group] + b])]


class LabelSets:
    """Several labels per sample: the sample-by-sample product is made in blocks of rows, twice."""

    def __init__(self, indicator: Any) -> None:
        # A product of one-byte integers would wrap at 256 common labels.
        self._indicator = sparse.csr_array(indicator, dtype=np.int32)
        self.n_samples = int(self._indicator.shape[0])
        counts = [np.diff(block.indptr) for _, block in self._blocks()]
        must = np.concatenate(counts).astype(np.int64) if counts else np.empty(0, dtype=np.int64)
        self._must = np.cumsum(must)
        self._cannot = np.cumsum(np.arange(self.n_samples - 1, -1, -1) - must)
        self.n_must = int(must.sum())

    def _blocks(self) -> Iterator[tuple[int, Any]]:
        """First row, and the later samples that share a label with each row of the block."""
        step = max(1, _BLOCK // max(1, self.n_samples))
        for first in range(0, self.n_samples, step):
            product = self._indicator[first : first + step] @ self._indicator.T
            later = sparse.csr_array(sparse.triu(product, k=first + 1))
            later.sort_indices()
            yield first, later

    def shared(self, pairs: Pairs) -> NDArray[np.bool_]:
        common = [
            (self._indicator[part[:, 0]] * self._indicator[part[:, 1]]).sum(axis=1)
            for part in np.array_split(pairs, 1 + len(pairs) // 100_000)
        ]
        return np.concatenate(common) > 0

    def must_pairs(self, ranks: Ints) -> Pairs:
        row, position = _locate(ranks, self._must)
        column = np.empty_like(row)
        for first, later in self._blocks():
            here = (row >= first) & (row < first + later.shape[0])
            column[here] = later.indices[later.indptr[row[here] - first] + position[here]]
        return np.column_stack([row, column])

    def cannot_pairs(self, ranks: Ints) -> Pairs:
        row, position = _locate(ranks, self._cannot)
        column = np.empty_like(row)
        width = self.n_samples + 1
        for first, later in self._blocks():
            here = (row >= first) & (row < first + later.shape[0])
            starts = later.indptr.astype(np.int64)
            owner = np.repeat(np.arange(later.shape[0]), np.diff(starts))
            # Gaps before the t-th partner of a row: where it stands, less the partners before it.
            gaps = later.indices - (first + owner + 1) - (np.arange(len(owner)) - starts[owner])
            local = row[here] - first
            passed = np.searchsorted(owner * width + gaps, local * width + position[here], side="right")
            column[here] = row[here] + 1 + position[here] + passed - starts[local]
        return np.column_stack([row, column])


def _locate(ranks: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Which part of a list cut at ``ends`` a rank falls in, and its place there."""
    part = np.searchsorted(ends, ranks, side="right")
    return part, ranks - np.concatenate([[0], ends])[part]


def as_gold(y: Any) -> Gold:
    """Read gold labels: 1-d labels, a list of label sets, or a 2-d indicator."""
    if sparse.issparse(y):
        return LabelSets(_check_indicator(y))
    if hasattr(y, "__array__"):
        array = np.asarray(y)
        if array.ndim == 2:
            return LabelSets(_check_indicator(sparse.csr_array(array)))
        if array.ndim != 1:
            raise ValueError(f"y must have one or two dimensions, got shape {array.shape}")
        y = array if array.dtype.kind != "O" else array.tolist()
    if isinstance(y, np.ndarray):
        return SingleLabels(y)
    y = list(y)
    several = [isinstance(item, Collection) and not isinstance(item, str | bytes) for item in y]
    if not any(several):
        return SingleLabels(np.asarray(y))
    if not all(several):
        raise TypeError(f"y mixes single labels and label sets; y[{several.index(False)}] is a single label")
    return LabelSets(_indicator_of_sets(y))


def _check_indicator(indicator: Any) -> Any:
    if indicator.dtype.kind not in "biuf" or not np.isin(indicator.data, (0, 1)).all():
        raise ValueError("a two-dimensional y must be an indicator of zeros and ones, samples by labels")
    return sparse.csr_array(indicator, dtype=np.int32)


def _indicator_of_sets(y: Sequence[Collection[Any]]) -> Any:
    lengths = {len(item) for item in y}
    if (
        len(lengths) == 1
        and not any(isinstance(item, set | frozenset) for item in y)
        and all(label in (0, 1) for item in y for label in item)
        and lengths != {1}
    ):
        raise ValueError(
            "y may be label sets or the rows of an indicator; pass a list of sets, or a 2-d array"
        )
    columns: dict[Any, int] = {}
    cells = [columns.setdefault(label, len(columns)) for item in y for label in set(item)]
    rows = np.repeat(np.arange(len(y)), [len(set(item)) for item in y])
    return sparse.csr_array(
        (np.ones(len(cells), dtype=np.int32), (rows, cells)), shape=(len(y), max(1, len(columns)))
    )
