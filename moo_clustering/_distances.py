"""Computation and validation of distance matrices within a memory limit."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import euclidean_distances

from moo_clustering._arrays import AnyFloatArray, block_slices, quoted, require_squares, unit_rows
from moo_clustering._data import FLOATS, checked_table
from moo_clustering._kernels.partitions import refine_squared_distances

Metric = str | Callable[..., float]
MAX_MEMORY = 4 * 2**30
_TOLERANCE = 1e-8
# Below this fraction of |x|^2 + |y|^2, squared distances from matrix products can lose six digits.
_CANCELLED = 1e-6
# Maximum number of samples for which NumPy, rather than a compiled kernel, recomputes inexact distances.
_FEW = 256
# Metrics of scikit-learn and SciPy that sum squares, which can overflow.
OF_SQUARES = (
    "euclidean", "l2", "sqeuclidean", "nan_euclidean",
    "minkowski", "seuclidean", "mahalanobis", "correlation",
)  # fmt: skip


def distance_matrix(data: Any, metric: Metric, max_memory: int, owner: str) -> NDArray[np.float64]:
    """Compute symmetric distances with a zero diagonal, shape (n, n), as C-contiguous float64."""
    # ``data`` contains features or, with ``metric="precomputed"``, distances. Distances are copied unless
    # they are float64 and exactly symmetric. Raises a ValueError if the result exceeds ``max_memory`` bytes.
    # Also raises a ValueError if distances are negative, not finite, or asymmetric by more than 1e-8 of the
    # largest distance, or if the diagonal is not 0 within the same tolerance.
    if isinstance(metric, str) and metric == "precomputed":
        return checked_distances(data, "data", dtype=np.float64, max_memory=max_memory, owner=owner)
    X = checked_table(data, "data", dtype=None, accept_sparse="csr")
    check_memory(X.shape[0], max_memory, owner)
    try:
        if isinstance(metric, str) and metric == "euclidean" and not issparse(X):
            # Matrix products are fast but inexact for close pairs, so recompute these from differences.
            X = centred_features(X)
            D, norms = euclidean_distances(X, squared=True), np.einsum("ij,ij->i", X, X)
            if len(X) > _FEW:
                refine_squared_distances(X, norms, D, _CANCELLED)
            else:
                limits = _CANCELLED * (norms[:, np.newaxis] + norms)
                i, j = np.nonzero(np.tril(limits > D, -1))
                D = np.tril(D, -1)
                D[i, j] = ((X[i] - X[j]) ** 2).sum(axis=1)
                D += D.T
            return np.sqrt(D, out=D)
        if isinstance(metric, str) and metric == "cosine":
            X = unit_rows(X.astype(np.float64, copy=False))
            D = X @ X.T
            if issparse(D):
                D = D.toarray()
            np.clip(np.subtract(1.0, D, out=D), 0.0, 2.0, out=D)
            np.fill_diagonal(D, 0.0)
            return D
        if metric in OF_SQUARES:
            require_squares(X, "data")
        D = np.ascontiguousarray(pairwise_distances(X, metric=metric), dtype=np.float64)
        return _dissimilarities(D, f"metric={metric!r}", max_memory, owner)
    except MemoryError as error:
        remedy = "use fewer samples or a method that does not require these distances"
        raise MemoryError(
            f"{_pairs_of(X.shape[0], owner)}, which exceed the free memory; {remedy}"
        ) from error


def checked_distances(
    data: Any,
    name: str = "X",
    *,
    dtype: Any = FLOATS,
    directed: bool = False,
    max_memory: int = MAX_MEMORY,
    owner: str = "",
) -> NDArray[Any]:
    """Check that distances are finite and non-negative and, unless ``directed`` is True, symmetric."""
    # Symmetric distances must have a zero diagonal. If the symmetry or the diagonal is only approximate, the
    # result is a symmetrised copy.
    D = checked_table(data, name, dtype=dtype, features=False, order="C")
    if D.shape[0] != D.shape[1]:
        what = 'a square matrix of distances between all samples for metric="precomputed"'
        raise ValueError(f"{name} must be {what}, got shape {D.shape}")
    if not directed:
        return _dissimilarities(D, name, max_memory, owner)
    _require_lengths(D, name)
    return D


def _require_lengths(D: AnyFloatArray, source: str) -> float:
    """Check that all distances are finite and non-negative, and return the largest distance."""
    largest, lowest = float(D.max()), float(D.min())
    if not np.isfinite(largest) or not np.isfinite(lowest):
        raise ValueError(f"distances of {source} must be finite")
    if lowest < 0.0:
        raise ValueError(f"distances of {source} must be non-negative, got {lowest:g}")
    return largest


def _dissimilarities(D: NDArray[Any], source: str, max_memory: int, owner: str) -> NDArray[Any]:
    """Check that distances are symmetric with a zero diagonal, up to rounding errors."""
    # If this holds exactly, ``D`` itself is returned, and otherwise a symmetrised copy.
    largest = _require_lengths(D, source)
    asymmetry = max(float(np.abs(D[s] - D[:, s].T).max()) for s in block_slices(len(D), len(D)))
    tolerance = max(_TOLERANCE, 10 * float(np.finfo(D.dtype).eps)) * largest
    if asymmetry > tolerance:
        raise ValueError(f"distances of {source} must be symmetric, but differ by up to {asymmetry:g}")
    diagonal = float(np.diagonal(D).max())
    if diagonal > tolerance:
        raise ValueError(f"distances of {source} must have a zero diagonal, got {diagonal:g}")
    if asymmetry == 0.0 and diagonal == 0.0:
        return D
    check_memory(len(D), max_memory, owner)
    D = D.dtype.type(0.5) * (D + D.T)
    np.fill_diagonal(D, 0.0)
    return D


def check_memory(n_samples: int, max_memory: int, owner: str, n_matrices: int = 1) -> None:
    """Raise a ValueError if the distance matrices would require more than ``max_memory`` bytes."""
    if isinstance(max_memory, bool) or not isinstance(max_memory, int | float | np.number):
        raise TypeError(f"max_memory must be a number of bytes, got {quoted(max_memory)}")
    if not 8 * n_matrices * n_samples**2 <= max_memory:  # also if max_memory is NaN
        raise ValueError(
            f"{_pairs_of(n_samples, owner, n_matrices)}, which exceed max_memory={max_memory} bytes "
            f"({max_memory / 2**30:.3g} GiB); increase max_memory or use a subsample"
        )


def _pairs_of(n_samples: int, owner: str, n_matrices: int = 1) -> str:
    matrices = "the " if n_matrices == 1 else f"{n_matrices} matrices of "
    needed = 8 * n_matrices * n_samples**2 / 2**30
    return f"{owner} requires {matrices}distances of all pairs of {n_samples} samples, {needed:.3g} GiB"


def centred_features(data: Any) -> NDArray[np.float64]:
    """Return a copy of the data with column means of 0."""
    # Subtract the first sample before the mean, so that a large common offset does not cause a loss of
    # digits. If all samples are identical, they thus become exactly 0.
    given: NDArray[np.float64] = checked_table(data, "data", order="C")
    with np.errstate(over="ignore", invalid="ignore"):
        X = given - given[0]
        X -= X.mean(axis=0)
    require_squares(X if np.isfinite(X).all() else given, "data")
    return X


def mean_square(D: NDArray[np.floating[Any]]) -> float:
    value = float(np.einsum("ij,ij->", D, D, dtype=np.float64)) / D.size
    if not np.isfinite(value):
        raise ValueError("data has distances so large that their squares overflow; rescale it")
    require_squares(D, "data")
    return value
