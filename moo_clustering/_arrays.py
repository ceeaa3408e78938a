"""Memory-bounded blocks, seeds, and checks of parameters."""

import importlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from moo_clustering._messages import did_you_mean as did_you_mean
from moo_clustering._messages import message_line, value_line
from moo_clustering._messages import quoted as quoted
from moo_clustering._types import AnyFloatArray as AnyFloatArray
from moo_clustering._types import BoolArray as BoolArray
from moo_clustering._types import Float32Array as Float32Array
from moo_clustering._types import FloatArray as FloatArray
from moo_clustering._types import Int32Array as Int32Array
from moo_clustering._types import Int64Array as Int64Array
from moo_clustering._types import IntArray as IntArray
from moo_clustering._types import IntpArray as IntpArray
from moo_clustering._types import Labels as Labels
from moo_clustering._types import SeedLike as SeedLike

# Maximum number of values in the temporary arrays of one block of individuals, which take 32 MB in float64.
BLOCK_ITEMS = 1 << 22
# Packages whose stack frames are skipped to find the line of user code that caused a warning.
_OURS = ("moo_clustering", "sklearn", "pymoo")
_CHUNK = 1 << 22


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points to the user's code, outside this package, scikit-learn and pymoo."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def block_slices(count: int, items: int) -> Iterator[slice]:
    """Split ``range(count)`` into slices that contain at most BLOCK_ITEMS values."""
    # Each index stands for ``items`` values. A slice contains at least one index.
    step = max(1, BLOCK_ITEMS // max(items, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def far_offset(X: Any) -> FloatArray:
    """Return the offset that callers subtract from each column to preserve digits."""
    # If the values of a column are far from 0 relative to their range, the offset is the first value, because
    # the column mean would lose the digits in which the rows differ. For other columns, it is 0.
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    far = np.maximum(high, -low) > 1e3 * (high - low)
    return np.where(far, X[0], 0.0)


def require_squares(X: Any, name: str = "X", dtype: Any = np.float64) -> None:
    """Raise a ValueError if squared distances between rows would overflow or underflow in ``dtype``."""
    # There are two limits. First, 10^8 times the sum of all squares must not overflow. Second, the rounding
    # error of the largest difference between rows (for sparse data, of the largest value) must have a square
    # that is not subnormal. Within both limits, scaling by a power of two changes no digits of the distances.
    values = X.data if issparse(X) else X
    if not values.size:
        return
    limits = np.finfo(dtype)
    where = "" if limits.dtype == np.float64 else f" in {limits.dtype}"
    has, them = ("have", "them") if name.endswith("s") else ("has", "it")
    low, high = values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    largest = float(max(high.max(), -low.min()))
    if not largest <= np.sqrt(float(limits.max)) / 1e4 / np.sqrt(values.size):  # this also raises for NaN
        fault = f"values so large that squared distances overflow{where}"
        raise ValueError(f"{name} {has} {fault}, up to {largest:g} in absolute value; rescale {them}")
    # Use the range of each column, because offsets that all rows share do not affect distances.
    widest = largest if issparse(X) else float((high - low).max())
    if 0 < widest < np.sqrt(float(limits.tiny)) / float(limits.eps):
        fault = f"values so small, or so close to each other, that squared distances vanish{where}"
        raise ValueError(f"{name} {has} {fault}, up to {widest:g} in absolute value; rescale {them}")


def row_sizes(X: Any) -> NDArray[Any]:
    if issparse(X):
        return np.asarray(abs(X).max(axis=1).toarray()).ravel()
    # Do not use abs, because it would copy X, and abs(int8(-128)) overflows.
    high, low = X.max(axis=1, initial=0), X.min(axis=1, initial=0)
    return np.maximum(high, -low if low.dtype.kind == "f" else -low.astype(np.float64))


def near_one(X: Any, *, together: bool = False) -> Any:
    """Multiply rows of extreme values by a power of two, so that their largest value is near 1."""
    # If ``together`` is True, the power is the same for all rows. If no row needs scaling, X itself is
    # returned. Without scaling, scikit-learn would treat rows with a norm below 2e-15 as zeros, and squares
    # of extreme values would overflow or underflow. A separate factor for each row does not change cosines.
    if issparse(X):
        X = X.tocsr()
    sizes = row_sizes(X)
    exponents = np.frexp(np.full_like(sizes, sizes.max(initial=0.0)) if together else sizes)[1]
    # If the largest value of a row is from 2^-40 to 2^40, scikit-learn can normalise the row without scaling.
    shifts = np.where(np.abs(exponents) > 40, -exponents, 0)
    if not shifts.any():
        return X
    X = X.astype(np.result_type(X.dtype, np.float32), copy=False)
    if not issparse(X):
        return np.ldexp(X, shifts[:, None])
    X = X.copy()
    X.data = np.ldexp(X.data, np.repeat(shifts, np.diff(X.indptr)))
    return X


def unit_rows(X: Any) -> Any:
    """Scale rows to length 1 without overflow. Rows of zeros do not change."""
    return normalize(near_one(X))


class QuotingError(ValueError):
    """Error whose message is safe to print, even if the message quotes the content of a file."""

    def __str__(self) -> str:
        return message_line(super().__str__())


class Seed(np.random.SeedSequence):
    """SeedSequence that skops can save, unlike NumPy's class."""

    def __init__(
        self, entropy: Any = None, spawn_key: Any = (), pool_size: int = 4, n_spawned: int = 0
    ) -> None:
        super().__init__(entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=n_spawned)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.entropy, self.spawn_key, self.pool_size, self.n_children_spawned)


def spawn_seeds(random_state: SeedLike, n: int) -> list[np.random.SeedSequence]:
    # If the user passes a generator, draw from it, so that a second fit uses other seeds, as in scikit-learn.
    if isinstance(random_state, np.random.Generator):
        entropy: Any = int(random_state.integers(2**63))
    elif random_state is None or isinstance(random_state, int | np.integer):
        entropy = None if random_state is None else int(random_state)
    else:
        entropy = int(check_random_state(random_state).randint(2**31 - 1))
    root: np.random.SeedSequence = Seed(entropy)
    return root.spawn(n)


def integer_seed(sequence: np.random.SeedSequence) -> int:
    """Return a seed from 0 to 2^31 - 1, the range that METIS and scikit-learn accept."""
    return int(sequence.generate_state(1)[0] >> 1)


def uniform_ranks(widths: NDArray[np.unsignedinteger[Any]], rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw one integer for each locus, uniformly from 0 to the width of the locus minus 1."""
    draws = rng.integers(0, 2**32, size=len(widths), dtype=np.uint32)
    return (draws.astype(np.uint64) * widths) >> np.uint64(32)


def sparse_positions(n_genes: int, prob: float, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Select each of ``n_genes`` positions with probability ``prob``, and yield them in sorted chunks."""
    # Draw the gaps between selected positions from a geometric distribution, in O(prob * n_genes) time.
    if prob <= 0.0:
        return
    for start in range(0, n_genes, _CHUNK):
        length = min(_CHUNK, n_genes - start)
        if prob >= 1.0:
            yield np.arange(start, start + length, dtype=np.int64)
            continue
        parts, last = [], -1
        while last < length - 1:
            expected = (length - last) * prob
            gaps = rng.geometric(prob, size=math.ceil(expected + 4.0 * math.sqrt(expected)) + 4)
            # Shorten gaps that are larger than a chunk, so that the cumulative sum does not overflow int64.
            steps = last + np.cumsum(np.minimum(gaps, length + 1))
            parts.append(steps)
            last = int(steps[-1])
        positions = np.concatenate(parts)
        yield positions[positions < length] + start


class MissingPackageError(ImportError):
    """Raised if an optional dependency is missing. The message names the extra that installs it."""


def optional_package(module: str, extra: str, purpose: str, otherwise: str = "") -> Any:
    """Import a module of an optional dependency; raise a MissingPackageError if it is missing."""
    # The error message begins with ``purpose`` and ends with ``otherwise``, which describes an alternative.
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        install = f"pip install 'moo_clustering[{extra}]'{otherwise}"
        raise MissingPackageError(
            f"{purpose} requires {package}, which is not installed: {install}"
        ) from error


def number_clusters(labels: NDArray[Any]) -> tuple[Labels, NDArray[Any]]:
    """Number clusters 0, 1, ... by first appearance, and return the original label of each cluster."""
    # Takes O(n log n) time, and accepts labels of any type that can be sorted.
    former, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(former), dtype=np.int32)
    rank[by_appearance] = np.arange(len(former), dtype=np.int32)
    return rank[inverse.reshape(-1)], former[by_appearance]


def cluster_sums(rows: IntArray, weight: FloatArray | None = None, width: int = 0) -> FloatArray:
    """Return the total weight or the size of each cluster, shape (n_partitions, n_clusters)."""
    k = max(width, int(rows.max(initial=0)) + 1)
    out = np.empty((len(rows), k))
    for part in block_slices(len(rows), rows.shape[1]):
        block = rows[part]
        flat = (block + k * np.arange(len(block))[:, None]).ravel()
        spread = None if weight is None else np.tile(weight, len(block))
        out[part] = np.bincount(flat, spread, minlength=len(block) * k).reshape(-1, k)
    return out


def non_dominated(F: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of the non-dominated rows, in lexicographic order of the rows."""
    rest = np.lexsort(F.T[::-1])
    if F.shape[1] == 2 and len(F):
        # A row is not dominated if its second objective is lower than in all previous rows, or if the row
        # equals such a row.
        ordered = F[rest]
        less = np.append(True, ordered[1:, 1] < np.minimum.accumulate(ordered[:-1, 1]))
        last = np.maximum.accumulate(np.where(less, np.arange(len(F)), 0))
        return rest[(ordered == ordered[last]).all(axis=1)]
    front: list[int] = []
    while len(rest):
        # No remaining row dominates the first row, because the rows are in lexicographic order.
        first = F[rest[0]]
        equal = (F[rest] == first).all(axis=1)
        front.extend(rest[equal].tolist())
        rest = rest[(F[rest] < first).any(axis=1)]
    return np.array(front, dtype=np.intp)


def knee(F: NDArray[np.float64]) -> int:
    """Return the index of the row nearest to the ideal point, after each objective is scaled to [0, 1]."""
    # All objectives are minimised, so the ideal point is the origin. Constant objectives are ignored. If
    # several rows are equally near, the first row is selected.
    low, spread = F.min(axis=0), np.ptp(F, axis=0)
    scaled = np.divide(F - low, spread, out=np.zeros_like(F), where=spread > 0)
    return int(np.linalg.norm(scaled, axis=1).argmin())


def integer(name: str, value: Any, least: int = 1, most: int | None = None, what: str = "") -> int:
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}{what}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer {bounds}, got {quoted(value)}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} must be an integer {bounds}, got {quoted(value)}")
    return int(value)


def _number(name: str, value: Any, what: str, is_valid: Callable[[float], bool]) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {what.replace('finite ', '')}, got {quoted(value)}")
    if not is_valid(float(value)):
        raise ValueError(f"{name} must be {what}, got {quoted(value)}")
    return float(value)


def probability(name: str, value: Any) -> float:
    return _number(name, value, "a number from 0 to 1", lambda number: 0 <= number <= 1)


def positive(name: str, value: Any) -> int | float:
    number = _number(name, value, "a positive finite number", lambda number: 0 < number < np.inf)
    return int(value) if isinstance(value, Integral) else number


def at_least_one(name: str, value: Any, *, strictly: bool = False) -> float:
    what = f"a finite number {'above' if strictly else 'of at least'} 1"
    return _number(name, value, what, lambda number: 1 <= number < np.inf and not (strictly and number == 1))


def choice(name: str, value: Any, allowed: Collection[Any]) -> Any:
    if any(value is option or (isinstance(value, str) and value == option) for option in allowed):
        return value
    near = did_you_mean(value, filter(None, allowed)) if isinstance(value, str) else ""
    raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {quoted(value)}{near}")


def instance(name: str, value: Any, kind: Any, what: str) -> Any:
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name} must be {what}, got {quoted(value)}")


def name_of(function: Any) -> str:
    function = getattr(function, "func", function)
    return str(getattr(function, "__name__", type(function).__name__))


def is_own(part: object) -> bool:
    """Return whether the user wrote the class of an object, rather than this package or pymoo."""
    return not f"{type(part).__module__}.".startswith(("moo_clustering.", "pymoo."))


def names_of(given: Any, what: str) -> tuple[str, ...]:
    """Return a sequence of names as a tuple. Raise a TypeError for a single name or path."""
    if isinstance(given, str | os.PathLike):
        shown = quoted(given)
        raise TypeError(f"{what} must be a sequence of names, such as [{shown}], got {shown}")
    return tuple(given)


def array_of(
    returned: Any, who: str, shape: tuple[int, ...], what: str, *, nan: bool = False
) -> NDArray[Any]:
    """Check the shape and type of the array that a user's function returned."""
    # Error messages call the function ``who`` and its result ``what``. ``nan`` allows NaN in the result.
    try:
        array = np.asarray(returned)
    except ValueError:
        # NumPy cannot convert rows of different lengths.
        array = np.empty(0, dtype=object)
    if array.dtype.kind == "O":
        with suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    if array.shape != shape or array.dtype.kind not in "biuf":
        got = f"dtype {array.dtype}" if array.shape == shape else f"shape {array.shape}"
        got = quoted(returned) if returned is None or array.ndim == 0 else got
        raise ValueError(f"{who} must return {what}, an array of shape {shape}; got {got}")
    if not nan and array.dtype.kind == "f" and (n_bad := np.count_nonzero(np.isnan(array))):
        bad = f"NaN for {n_bad} of {array.size} values"
        raise ValueError(f"{who} must return {what}, an array of shape {shape}; got {bad}")
    return array


def value_per_row(returned: Any, who: str, n: int) -> FloatArray:
    what = "one finite value per partition (row of labels)"
    array = array_of(returned, who, (n,), what, nan=True)
    if n_bad := np.count_nonzero(~np.isfinite(array)):
        advice = "return a large finite value where the result is undefined"
        raise ValueError(f"{who} must return {what}, but {n_bad} of {n} are not finite; {advice}")
    return array.astype(np.float64)


class Shared:
    """Base class for immutable objects. If an object that contains one is deep-copied, both share it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class ShortMessages:
    """Base class for estimators that shortens scikit-learn's error messages about invalid parameters."""

    def _validate_params(self) -> None:
        try:
            super()._validate_params()  # type: ignore[misc]
        except InvalidParameterError as error:
            allowed, got, value = str(error).partition(" Got ")
            raise InvalidParameterError(f"{allowed}{got}{value_line(value)}") from None
