"""Steps 1, 4 and 5 of a sweep: centroids, chi-square and weights of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.subspace_features import weigh_features
from moo_clustering._kernels.subspace_memberships import fuzzy_panel
from moo_clustering.subspace._blocks import for_blocks, n_blocks
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._options import SubspaceOptions
from moo_clustering.subspace._sparse import Floats


class Weighted(NamedTuple):
    """Centroids and log weights, both (m, k), and the sum of (m lambda)^q chi by cluster."""

    centers: Floats
    log_weights: Floats
    chi_term: NDArray[np.float64]


class _Panel(NamedTuple):
    panel: Floats
    masses: NDArray[np.float64]
    sizes: NDArray[np.float64]


def weigh(
    data: SubspaceData,
    memberships: Floats,
    impurities: NDArray[np.float64],
    options: SubspaceOptions,
    centers: Floats | None,
    chi_total: float,
) -> Weighted:
    """New centroids and weights; clusters without mass keep their old centroid, or get the mean."""
    k, n, m = memberships.shape[1], data.n, data.m
    panel, masses, sizes = _panel(data, memberships, options)
    old = np.zeros((1, k), data.dtype) if masses.all() else _kept(data, centers, k)
    spreads = np.maximum(sizes * (n - sizes), 0.0)
    frequencies, varying = data.frequencies.astype(np.float64), data.varying
    power = 1.0 / (options.weight_exponent - 1.0)
    new, logs = np.empty((m, k), data.dtype), np.empty((m, k), data.dtype)
    least, totals, chi_totals = (np.empty((n_blocks(m), k)) for _ in range(3))
    width = 2 if data.is_binary else 3

    def kernel(block: int, lo: int, hi: int) -> None:
        sums = np.empty((hi - lo, width * k))
        data.matrix.moments(panel, k, lo, hi, sums)
        weigh_features(
            sums, data.is_binary, masses, sizes, spreads, 1.0 + impurities, frequencies, varying,
            data.matrix.shift, old, n, chi_total, options.gamma, options.floor, power,
            lo, hi, new, logs, least[block], totals[block], chi_totals[block],
        )  # fmt: skip

    for_blocks(kernel, m, data.n_operations(2 * k) + 20.0 * m * k, data.n_jobs)
    if not varying.any():
        return Weighted(new, logs, np.zeros(k))
    # Each block counts relative to its least M: bring all to the least of all.
    smallest = least.min(axis=0)
    relative = np.exp(power * (np.log(smallest) - np.log(least)))
    total = (totals * relative).sum(axis=0)
    logs += (power * np.log(smallest) - np.log(total)).astype(data.dtype)
    q = options.weight_exponent
    chi_term = (chi_totals * relative**q).sum(axis=0)
    return Weighted(new, logs, np.exp(q * np.log(varying.sum() / total)) * chi_term)


def _panel(data: SubspaceData, memberships: Floats, options: SubspaceOptions) -> _Panel:
    """[W^f | W], so that both are gathered at once, and the column sums S and S' of its halves."""
    k = memberships.shape[1]
    panel = np.empty((data.n, 2 * k), data.dtype)
    masses, sizes = np.empty((n_blocks(data.n), k)), np.empty((n_blocks(data.n), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        fuzzy_panel(memberships, options.fuzziness, lo, hi, panel, masses[block], sizes[block])

    for_blocks(kernel, data.n, 20.0 * data.n * k, data.n_jobs)
    total = masses.sum(axis=0)
    # Sums of numbers too small to be held in full are no weights of a mean.
    total[total < np.finfo(data.dtype).tiny] = 0.0
    return _Panel(panel, total, sizes.sum(axis=0))


def _kept(data: SubspaceData, centers: Floats | None, k: int) -> Floats:
    given = np.repeat(data.mean()[:, None], k, axis=1) if centers is None else centers
    if np.shape(given) != (data.m, k):
        raise ValueError(f"centers must have shape ({data.m}, {k}), got {np.shape(given)}")
    return np.ascontiguousarray(given, dtype=data.dtype)
