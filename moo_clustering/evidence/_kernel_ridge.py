"""Class scores of all samples from the classes of a few."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve

from moo_clustering.evidence._coassociation import check_columns


def kernel_ridge(
    kernel: ArrayLike,
    columns: ArrayLike,
    targets: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    noise: float = 0.1,
) -> NDArray[np.float64]:
    """Kernel ridge regression of class shares, towards equal shares where nothing is known.

    F = 1/K + k[:, I] (k[I, I] + noise / counts)^-1 (Y - 1/K), the kernel k divided by the mean of its
    labelled diagonal.

    Parameters
    ----------
    kernel : array-like of shape (n_samples, L)
        Kernel of all samples (or landmarks) with the labelled ones.
    columns : array-like of int, shape (L,)
        The labelled ones, each once.
    targets : array-like of shape (L, K)
        Their classes, one-hot; or the shares of the classes among the labelled samples of a landmark.
    counts : array-like of shape (L,), optional
        Number of labelled samples each stands for; ones by default.
    noise : float, default=0.1
        Ridge for one labelled sample, above 0.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Raises
    ------
    ValueError, TypeError
        If shapes don't fit, a column is repeated, or counts or noise are not above 0.

    Notes
    -----
    Merged repeats give what a system with a row per labelled sample gives. O(L^3 + n_samples L K) time.

    References
    ----------
    ParetoClustering: partition kernel ridge.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import kernel_ridge
    >>> kernel_ridge([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]], [0, 2], np.eye(2), noise=0.25).round(6).tolist()
    [[0.9, 0.1], [0.58, 0.42], [0.1, 0.9]]
    """
    values, shares = np.asarray(kernel, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"kernel must have a row per sample and a column per label, got {values.shape}")
    known = check_columns(columns, len(values))
    n_known = values.shape[1]
    sizes = np.ones(n_known) if counts is None else np.asarray(counts, dtype=np.float64)
    _check(known, n_known, shares, sizes, noise)
    block = values[known]
    # Weighted, so that merged repeats change nothing.
    scale = float(np.average(block.diagonal(), weights=sizes))
    # A kernel that is 0 at all labels says nothing, in any units.
    scale = scale if scale > 0 else 1.0
    uniform = 1.0 / shares.shape[1]
    system = block / scale
    system[np.diag_indices_from(system)] += noise / sizes
    coefficients = solve(system, (shares - uniform) / scale, assume_a="sym", check_finite=False)
    return uniform + values @ coefficients


def _check(
    known: NDArray[np.intp],
    n_known: int,
    shares: NDArray[np.float64],
    sizes: NDArray[np.float64],
    noise: float,
) -> None:
    if not n_known or len(known) != n_known:
        raise ValueError(
            f"columns must name a sample for each column of the kernel, at least one; got {len(known)} for "
            f"{n_known}"
        )
    if len(np.unique(known)) < n_known:
        values, times = np.unique(known, return_counts=True)
        raise ValueError(
            f"columns must be different, got {values[times.argmax()]} {times.max()} times; merge repeats and "
            "give their counts"
        )
    if shares.ndim != 2 or len(shares) != n_known or not shares.shape[1]:
        raise ValueError(f"targets must have shape ({n_known}, n_classes), got {shares.shape}")
    if sizes.shape != (n_known,) or not (sizes > 0).all():
        raise ValueError(f"counts must be {n_known} numbers above 0, got shape {sizes.shape}")
    if not noise > 0:
        raise ValueError(f"noise must be above 0, got {noise!r}")
