"""Pairs read from files or drawn from true labels."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from numbers import Real
from os import PathLike, fspath
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering._arrays import block_slices, choice, quoted, warn_caller
from moo_clustering._data import checked_array, checked_container, without_duplicates
from moo_clustering._messages import checked_path, did_you_mean
from moo_clustering._types import BoolArray, FloatArray, Int64Array
from moo_clustering.constraints._checks import check_affordable, distinct, n_pairs, unrank_pairs
from moo_clustering.persistence import cell_text, open_file, replacing

Path = str | PathLike[str]
Scheme = Literal["stratified", "pooled", "docs"]
_COLUMNS = ["i", "j", "kind", "weight"]
_LONGEST = 500


def read_pairs(
    path: Path,
    row_ids: Sequence[Any] | NDArray[Any] | None = None,
    n_samples: int | None = None,
    *,
    header: bool | None = None,
) -> Int64Array:
    """Read pairs of samples from a two-column file.

    If a line does not have two columns, or if a sample is unknown or paired with itself, raises a ValueError
    that names the file and line. If a detected header resembles row identifiers, issues a UserWarning.

    Parameters
    ----------
    path : str or path-like
        Text file. The first non-empty line determines the separator: tab, comma or semicolon.
    row_ids : sequence of length n_samples or None, default=None
        Sample identifiers, compared as text. If None, the file contains zero-based row indices.
    n_samples : int or None, default=None
        Number of samples. If ``n_samples`` and ``row_ids`` are None, row indices have no upper bound.
    header : bool or None, default=None
        Whether the first line is a header. If None, it is one unless it contains a number or row identifier.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), int64
        Row numbers in file order, including duplicates.
    """
    numbers: dict[str, int] | None = None
    if row_ids is not None:
        names = list(map(str, row_ids))
        numbers = {name: k for k, name in enumerate(names)}
        if n_samples is not None and len(names) != n_samples:
            raise ValueError(f"row_ids must have one value per sample ({n_samples}), got {len(names)}")
        if len(numbers) != len(names):
            twice = next(name for k, name in enumerate(names) if numbers[name] != k)
            raise ValueError(f"row_ids must be unique, but {twice!r} occurs more than once")
    # A cell denotes a row if it is a row identifier or a number, even if the number is out of range.
    is_row = lambda cell: cell in (numbers or {}) or _number(cell) is not None  # noqa: E731
    pairs = []
    for place, (line, row) in enumerate(_rows(path, None)):
        if len(row) != 2:
            _fail(path, line, f"expected two columns, got {len(row)}: {' | '.join(row)!r}")
        if not place and (header or (header is None and not any(map(is_row, row)))):
            hints = (did_you_mean(cell, numbers) for cell in row if numbers and header is None)
            if hint := next(filter(None, hints), ""):
                warn_caller(f"{fspath(path)}, line {line}: {row} is read as a header, not as a pair{hint}")
            continue
        pairs.append(_pair(path, line, row, numbers, n_samples))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _rows(path: Path, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    try:
        # Spreadsheet programs write a byte order mark, which the encoding utf-8-sig skips.
        with (
            open_file(checked_path(path)) as binary,
            io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as file,
        ):
            if delimiter is None:
                sample = next((text for text in file if text.strip()), "")
                delimiter = next((mark for mark in "\t,;" if mark in sample), ",")
                file.seek(0)
            reader = csv.reader(file, delimiter=delimiter)
            for row in reader:
                cells = [cell_text(cell.strip()) for cell in row]
                if any(cells):
                    yield reader.line_num, cells
    except UnicodeDecodeError as error:
        raise ValueError(f"{fspath(path)}: not a UTF-8 text file ({error})") from error
    except csv.Error as error:
        raise ValueError(f"{fspath(path)}: cannot be read as a table: {error}") from error


def _fail(path: Path, line: int, problem: str) -> NoReturn:
    if len(problem) > _LONGEST:
        problem = f"{problem[: _LONGEST // 2]} ... {problem[-_LONGEST // 2 :]}"
    raise ValueError(f"{fspath(path)}, line {line}: {problem}")


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _pair(
    path: Path, line: int, row: Sequence[str], numbers: dict[str, int] | None, n_samples: int | None
) -> tuple[int, int]:
    i, j = (_sample(path, line, cell, numbers, n_samples) for cell in row[:2])
    if i == j:
        _fail(path, line, f"the pair contains the same row twice: {row[0]!r} and {row[1]!r}")
    return i, j


def _sample(path: Path, line: int, cell: str, numbers: dict[str, int] | None, n_samples: int | None) -> int:
    if numbers is not None:
        if cell not in numbers:
            _fail(path, line, f"unknown row identifier {quoted(cell)}")
        return numbers[cell]
    try:
        number = int(cell)
    except ValueError:
        _fail(path, line, f"expected a row index, got {quoted(cell)}")
    if number < 0 or number >= (2**63 - 1 if n_samples is None else n_samples):
        allowed = "0 or more" if n_samples is None else f"0 to {n_samples - 1}"
        _fail(path, line, f"row index {number} is out of range; rows are numbered {allowed}")
    return number


def read_constraints(
    path: Path, n_samples: int
) -> tuple[list[tuple[int, int]], list[float], list[tuple[int, int]], list[float]]:
    rows = _rows(path, ",")
    line, header = next(rows, (1, []))
    if header not in (_COLUMNS, _COLUMNS[:3]):
        _fail(path, line, f"expected the columns {','.join(_COLUMNS)}, got {quoted(','.join(header))}")
    pairs: dict[str, list[tuple[int, int]]] = {"must_link": [], "cannot_link": []}
    weights: dict[str, list[float]] = {"must_link": [], "cannot_link": []}
    for line, row in rows:
        if len(row) != len(header):
            _fail(path, line, f"expected {len(header)} columns, got {len(row)}")
        if row[2] not in pairs:
            _fail(path, line, f"kind must be must_link or cannot_link, got {quoted(row[2])}")
        pairs[row[2]].append(_pair(path, line, row, None, n_samples))
        weight = _number(row[3]) if len(row) > 3 else 1.0
        if weight is None or not 0 < weight < math.inf:
            _fail(path, line, f"weight must be a positive number, got {quoted(row[3])}")
        weights[row[2]].append(weight)
    return pairs["must_link"], weights["must_link"], pairs["cannot_link"], weights["cannot_link"]


def write_constraints(path: Path, *kinds: tuple[str, Int64Array, FloatArray]) -> None:
    """Write the columns i, j, kind and weight for all pairs. Weights are not rounded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for kind, pairs, weights in kinds:
        columns = pairs[:, 0].tolist(), pairs[:, 1].tolist(), weights.tolist()
        writer.writerows((i, j, kind, weight) for i, j, weight in zip(*columns, strict=True))
    with replacing(checked_path(path)) as file:
        file.write(text.getvalue().encode())


def sample_constraints(
    y: Any, fraction: Any, scheme: Scheme, rng: Generator, max_pairs: int
) -> tuple[int, Int64Array, Int64Array]:
    """Return the number of samples, and the must-links and cannot-links drawn from true labels."""
    if not isinstance(fraction, Real):
        raise TypeError(f"fraction must be a number in (0, 1], got {quoted(fraction)}")
    fraction = float(fraction)
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction must be in (0, 1], got {fraction}")
    choice("scheme", scheme, ("stratified", "pooled", "docs"))
    gold = as_gold(y)
    n, n_must = gold.n_samples, gold.n_must
    n_cannot = n_pairs(n) - n_must
    if scheme == "stratified":
        take_must, take_cannot = share_of(fraction, n_must), share_of(fraction, n_cannot)
        check_affordable(take_must + take_cannot, max_pairs)
        must = gold.must_pairs(sample_ranks(n_must, take_must, rng))
        return n, must, gold.cannot_pairs(sample_ranks(n_cannot, take_cannot, rng))
    if scheme == "pooled":
        n_drawn = share_of(fraction, n_pairs(n))
        check_affordable(n_drawn, max_pairs)
        pairs = np.column_stack(unrank_pairs(sample_ranks(n_pairs(n), n_drawn, rng)))
    else:
        chosen = rng.choice(n, size=min(n, max(2, share_of(fraction, n))), replace=False)
        pairs = pairs_among(np.sort(chosen), max_pairs)
    together = gold.shared(pairs)
    return n, pairs[together], pairs[~together]


def share_of(fraction: float, total: int) -> int:
    """Return ceil(fraction * total), and at least 1 unless ``total`` is 0."""
    # Use the decimal fraction that was meant, because the float 0.07 * 100 exceeds 7 and would become 8.
    meant = Fraction(fraction).limit_denominator(10**12)
    return max(min(1, total), math.ceil(meant * total))


def pairs_among(samples: Int64Array, max_pairs: int) -> Int64Array:
    check_affordable(n_pairs(len(samples)), max_pairs)
    return samples[np.column_stack(unrank_pairs(np.arange(n_pairs(len(samples)))))]


def sample_ranks(total: int, size: int, rng: Generator) -> Int64Array:
    """Draw ``size`` distinct integers from 0..total-1 in O(size) memory. All sets are equally likely."""
    if 2 * size >= total:
        return rng.permutation(total)[:size]
    ranks = np.empty(0, dtype=np.int64)
    while len(ranks) < size:
        # Surplus integers are drawn and then discarded at random, so that all sets are equally likely.
        drawn = rng.integers(total, size=size - len(ranks) + 16)
        ranks = distinct(np.concatenate([ranks, drawn]))
    return rng.choice(ranks, size=size, replace=False)


def as_gold(y: Any) -> SingleLabels | LabelSets:
    """Read true labels: 1-d labels, a list of label sets, or a 2-d indicator array."""
    if sparse.issparse(y):
        return LabelSets(_check_indicator(without_duplicates(y.tocsr())))
    y = checked_container(y, "y")
    if hasattr(y, "__array__"):
        array = np.asarray(y)
        if array.ndim == 2:
            return LabelSets(_check_indicator(sparse.csr_array(array)))
        if array.ndim != 1:
            raise ValueError(f"y must have one or two dimensions, got shape {array.shape}")
        y = array if array.dtype.kind != "O" else array.tolist()
    if isinstance(y, np.ndarray):
        return SingleLabels(y)
    if not isinstance(y, Iterable):
        raise TypeError(f"y must be labels or label sets, one per sample, got {quoted(y)}")
    y = list(y)
    several = [isinstance(item, Collection) and not isinstance(item, str | bytes) for item in y]
    if not any(several):
        return SingleLabels(checked_array(y, "y"))
    if not all(several):
        raise TypeError(f"y mixes single labels and label sets; y[{several.index(False)}] is a single label")
    return LabelSets(_indicator_of_sets(y))


def _check_indicator(indicator: Any) -> Any:
    if indicator.dtype.kind not in "biuf" or not np.isin(indicator.data, (0, 1)).all():
        raise ValueError("a two-dimensional y must contain only 0 and 1, with one column per label")
    return sparse.csr_array(indicator, dtype=np.int32)


def _indicator_of_sets(y: Sequence[Collection[Any]]) -> Any:
    lengths = {len(item) for item in y}
    are_sets = any(isinstance(item, set | frozenset) for item in y)
    are_bits = (label in (0, 1) for item in y for label in item)
    if len(lengths) == 1 and lengths != {1} and not are_sets and all(are_bits):
        raise ValueError(
            "y is ambiguous: it may be label sets or indicator rows; pass a list of sets, or a 2-d array"
        )
    columns: dict[Any, int] = {}
    cells = [columns.setdefault(label, len(columns)) for item in y for label in set(item)]
    rows = np.repeat(np.arange(len(y)), [len(set(item)) for item in y])
    ones, shape = np.ones(len(cells), dtype=np.int32), (len(y), max(1, len(columns)))
    return sparse.csr_array((ones, (rows, cells)), shape=shape)


class SingleLabels:
    """One true label per sample. Takes O(n_samples) memory, and O(log n_classes) time per pair."""

    def __init__(self, labels: NDArray[Any]) -> None:
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise ValueError(f"y must not contain NaN, got one at [{np.flatnonzero(np.isnan(labels))[0]}]")
        try:
            self._codes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        except TypeError as error:
            raise TypeError(f"the labels in y must be sortable: {error}") from error
        self.n_samples = len(labels)
        sizes = np.bincount(self._codes).astype(np.int64)
        self._by_class = np.argsort(self._codes, kind="stable")
        self._end = np.cumsum(sizes)
        self._start = self._end - sizes
        self._must = np.cumsum(n_pairs(sizes))
        self._cannot = np.cumsum(sizes * (self.n_samples - self._end))
        self.n_must = int(self._must[-1]) if len(sizes) else 0

    def shared(self, pairs: Int64Array) -> BoolArray:
        """Return whether the two samples of each pair share a label."""
        return self._codes[pairs[:, 0]] == self._codes[pairs[:, 1]]

    def must_pairs(self, ranks: Int64Array) -> Int64Array:
        """Return the must-links with the given ranks, 0 <= rank < n_must."""
        group, rest = _locate(ranks, self._must)
        a, b = unrank_pairs(rest)
        return self._by_class[np.column_stack([self._start[group] + a, self._start[group] + b])]

    def cannot_pairs(self, ranks: Int64Array) -> Int64Array:
        """Return the cannot-links with the given ranks, 0 <= rank < n(n-1)/2 - n_must."""
        # Each member of a class is paired with each sample of the later classes.
        group, rest = _locate(ranks, self._cannot)
        a, b = np.divmod(rest, self.n_samples - self._end[group])
        return self._by_class[np.column_stack([self._start[group] + a, self._end[group] + b])]


def _locate(ranks: Int64Array, ends: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the segment of each rank, and the position in the segment. Segment i ends before ``ends[i]``."""
    part = np.searchsorted(ends, ranks, side="right")
    return part, ranks - np.concatenate([[0], ends])[part]


class LabelSets:
    """True label sets. To save memory, pairs with common labels are computed for each call, not stored."""

    def __init__(self, indicator: Any) -> None:
        # One-byte integers would overflow if two samples had 256 common labels.
        self._indicator = sparse.csr_array(indicator, dtype=np.int32)
        self.n_samples = int(self._indicator.shape[0])
        counts = [np.diff(block.indptr) for _, block in self._blocks()]
        must = np.concatenate(counts).astype(np.int64) if counts else np.empty(0, dtype=np.int64)
        self._must = np.cumsum(must)
        self._cannot = np.cumsum(np.arange(self.n_samples - 1, -1, -1) - must)
        self.n_must = int(must.sum())

    def _blocks(self) -> Iterator[tuple[int, Any]]:
        """For each block of rows, yield the first row and the numbers of labels shared with later samples."""
        for part in block_slices(self.n_samples, self.n_samples):
            product = self._indicator[part] @ self._indicator.T
            later = sparse.csr_array(sparse.triu(product, k=part.start + 1))
            later.sort_indices()
            yield part.start, later

    def shared(self, pairs: Int64Array) -> BoolArray:
        common = [
            (self._indicator[part[:, 0]] * self._indicator[part[:, 1]]).sum(axis=1)
            for part in np.array_split(pairs, 1 + len(pairs) // 100_000)
        ]
        return np.concatenate(common) > 0

    def must_pairs(self, ranks: Int64Array) -> Int64Array:
        row, position = _locate(ranks, self._must)
        column = np.empty_like(row)
        for first, later in self._blocks():
            here = (row >= first) & (row < first + later.shape[0])
            column[here] = later.indices[later.indptr[row[here] - first] + position[here]]
        return np.column_stack([row, column])

    def cannot_pairs(self, ranks: Int64Array) -> Int64Array:
        row, position = _locate(ranks, self._cannot)
        column = np.empty_like(row)
        width = self.n_samples + 1
        for first, later in self._blocks():
            here = (row >= first) & (row < first + later.shape[0])
            starts = later.indptr.astype(np.int64)
            owner = np.repeat(np.arange(later.shape[0]), np.diff(starts))
            # For each later sample with a common label, count the samples in between without a common label.
            gaps = later.indices - (first + owner + 1) - (np.arange(len(owner)) - starts[owner])
            local = row[here] - first
            passed = np.searchsorted(owner * width + gaps, local * width + position[here], side="right")
            column[here] = row[here] + 1 + position[here] + passed - starts[local]
        return np.column_stack([row, column])
