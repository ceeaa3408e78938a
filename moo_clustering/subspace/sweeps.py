"""Subspace clustering sweeps: updates of centroids, feature weights, distances and memberships."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from moo_clustering._arrays import AnyFloatArray, FloatArray, at_least_one, choice, integer, quoted
from moo_clustering._data import require_same_samples
from moo_clustering._docs import documented
from moo_clustering._kernels import subspace as kernels
from moo_clustering._targets import Targets
from moo_clustering.subspace import classes
from moo_clustering.subspace.classes import impurity
from moo_clustering.subspace.data import SubspaceData, for_blocks, n_blocks

ChiScale = Literal["n", "n_labelled"]
_WeightPanel = tuple[AnyFloatArray, FloatArray, FloatArray, float]


@documented()
def iterate(
    data: SubspaceData,
    targets: Targets,
    memberships: AnyFloatArray,
    options: SubspaceOptions,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
) -> Iterated:
    """Repeat sweeps until no membership changes by ``tol`` or more, at most ``max_iter`` times.

    The objective can increase between sweeps, because impurities and chi-square depend on the memberships.
    Raises a ValueError if ``max_iter`` is less than 1 or ``tol`` is negative.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
    memberships : ndarray of shape (n_samples, n_clusters)
        Initial memberships; see :func:`start`.
    options : SubspaceOptions
    max_iter : int, default=15
    tol : float, default=1e-4
    """
    check_stopping(max_iter, tol)
    given, labelled = _checked(memberships, targets, data)
    centers, history = None, []
    while True:
        state, labelled = _sweep(data, targets, given, labelled, options, centers)
        history.append(state.objective)
        if state.change < tol or len(history) == max_iter:
            break
        # The rest of the old state is freed before the new one is computed.
        given, centers = state.memberships, state.centers
        del state
    return Iterated(state, np.array(history), len(history), state.change < tol)


def check_stopping(max_iter: int, tol: float) -> None:
    integer("max_iter", max_iter)
    if not tol >= 0:
        raise ValueError(f"tol must be non-negative, got {quoted(tol)}")


def _checked(
    values: Any, targets: Targets, data: SubspaceData
) -> tuple[AnyFloatArray, tuple[FloatArray, FloatArray]]:
    require_same_samples("targets and data", len(targets.labelled), data.n)
    found: AnyFloatArray = np.ascontiguousarray(values, dtype=data.dtype)
    if found.ndim != 2 or len(found) != data.n or found.shape[1] < 1:
        raise ValueError(f"memberships must have shape ({data.n}, n_clusters), got {found.shape}")
    low, high = found.min(), found.max()
    if not (low >= 0 and high < np.inf):
        raise ValueError(f"memberships must be finite and non-negative, got {low:g} to {high:g}")
    return found, classes.labelled_shares(found, targets)


def _sweep(
    data: SubspaceData,
    targets: Targets,
    memberships: AnyFloatArray,
    labelled: tuple[FloatArray, FloatArray],
    options: SubspaceOptions,
    centers: AnyFloatArray | None,
) -> tuple[Sweep, tuple[FloatArray, FloatArray]]:
    """Compute the next sweep and its ``labelled_shares``. ``labelled`` is the result for ``memberships``."""
    n_labelled, overall = len(targets.rows), classes.overall_shares(targets)
    shares, sizes = labelled
    impurities = impurity(shares, overall, sizes, n_labelled, targets.multilabel, options.impurity)
    chi_total = float(data.n if options.chi_scale == "n" else n_labelled)
    centers, logs, chi_term = _weigh(data, memberships, impurities, options, centers, chi_total)
    weights = _weight_panel(data, centers, logs, options.weight_exponent)
    new, found, loss, change = _update(data, weights, impurities, memberships, options)
    del weights  # frees as much memory as the centroids use
    after = classes.labelled_shares(new, targets)
    objective = loss + options.chi_weight * float(chi_term.sum())  # Eq. 2
    return Sweep(new, centers, logs, after[0], impurities, found, chi_term, objective, change), after


def _weigh(
    data: SubspaceData,
    memberships: AnyFloatArray,
    impurities: FloatArray,
    options: SubspaceOptions,
    centers: AnyFloatArray | None,
    chi_total: float,
) -> tuple[AnyFloatArray, AnyFloatArray, FloatArray]:
    """Compute the centroids and log weights, both of shape (m, k), and ``chi_term`` of :class:`Sweep`."""
    # Clusters without members keep their old centroids. If there are none, they get the mean of the data.
    k, n, m = memberships.shape[1], data.n, data.m
    panel, masses, sizes = _panel(data, memberships, options)
    old = np.zeros((1, k), data.dtype) if masses.all() else _kept(data, centers, k)
    spreads = np.maximum(sizes * (n - sizes), 0.0)
    frequencies, varying, order = data.frequencies.astype(np.float64), data.varying, data.matrix.order
    power = 1.0 / (options.weight_exponent - 1.0)
    new, logs = np.empty((m, k), data.dtype), np.empty((m, k), data.dtype)
    least, totals, chi_totals = (np.empty((n_blocks(m), k)) for _ in range(3))
    width = 2 if data.is_binary else 3

    def kernel(block: int, lo: int, hi: int) -> None:
        sums = np.empty((hi - lo, width * k))
        data.matrix.moments(panel, k, lo, hi, sums)
        kernels.weigh_features(
            sums, data.is_binary, masses, sizes, spreads, 1.0 + impurities, frequencies, varying,
            data.matrix.shift, old, n, chi_total, options.chi_weight, options.floor, power,
            order[lo:hi], new, logs, least[block], totals[block], chi_totals[block],
        )  # fmt: skip

    for_blocks(kernel, m, data.n_operations(2 * k) + 20.0 * m * k, data.n_jobs)
    if not varying.any():
        return new, logs, np.zeros(k)
    # The kernel has divided each block's values of M by the smallest value in the block. The sums are now
    # rescaled to the smallest value in all blocks.
    smallest = least.min(axis=0)
    relative = np.exp(power * (np.log(smallest) - np.log(least)))
    total = (totals * relative).sum(axis=0)
    logs += (power * np.log(smallest) - np.log(total)).astype(data.dtype)
    q = options.weight_exponent
    chi_term = (chi_totals * relative**q).sum(axis=0)
    return new, logs, np.exp(q * np.log(varying.sum() / total)) * chi_term


def _panel(
    data: SubspaceData, memberships: AnyFloatArray, options: SubspaceOptions
) -> tuple[AnyFloatArray, FloatArray, FloatArray]:
    """Return the array [W^f | W] for memberships W, and the column sums of W^f and of W."""
    k = memberships.shape[1]
    panel = np.empty((data.n, 2 * k), data.dtype)
    masses, sizes = np.empty((n_blocks(data.n), k)), np.empty((n_blocks(data.n), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        kernels.fuzzy_panel(memberships, options.fuzziness, lo, hi, panel, masses[block], sizes[block])

    for_blocks(kernel, data.n, 20.0 * data.n * k, data.n_jobs)
    total = masses.sum(axis=0)
    # Subnormal sums are treated as 0, because they have too few digits to compute a mean.
    total[total < np.finfo(data.dtype).tiny] = 0.0
    return panel, total, sizes.sum(axis=0)


def _kept(data: SubspaceData, centers: AnyFloatArray | None, k: int) -> AnyFloatArray:
    given = np.repeat(data.mean()[:, None], k, axis=1) if centers is None else centers
    if np.shape(given) != (data.m, k):
        raise ValueError(f"centers must have shape ({data.m}, {k}), got {np.shape(given)}")
    return np.ascontiguousarray(given, dtype=data.dtype)


def _weight_panel(
    data: SubspaceData, centers: AnyFloatArray, log_weights: AnyFloatArray, weight_exponent: float
) -> _WeightPanel:
    """Compute the terms of the distances that depend on centroids and weights, but not on samples.

    Returns ``panel``, ``constants``, ``scales`` and ``tolerance``. The distances are scales * (constants + Y
    panel). Y is X if the data are binary, and otherwise [X | X^2]. If an unscaled distance is at most
    ``tolerance`` times the constants, it is a rounding error and is set to 0.
    """
    m, k = centers.shape
    z = np.ascontiguousarray(centers, dtype=data.dtype)
    logs = np.ascontiguousarray(log_weights, dtype=data.dtype)
    tops = logs.max(axis=0).astype(np.float64)
    tops[np.isneginf(tops)] = 0.0
    panel = np.empty((m, k if data.is_binary else 2 * k), data.dtype)
    constants = np.empty((n_blocks(m), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        kernels.weight_panel(
            z, logs, tops, weight_exponent, data.matrix.shift, data.is_binary, lo, hi, panel, constants[block]
        )

    for_blocks(kernel, m, 20.0 * m * k, data.n_jobs)
    n_weighted = max(1, int(np.count_nonzero(np.isfinite(logs).any(axis=1))))
    # The power of m lambda is computed instead of lambda^q, which would underflow with many features.
    scales = np.exp(weight_exponent * (tops + np.log(n_weighted)))
    return panel, constants.sum(axis=0), scales, 16.0 * float(np.finfo(data.dtype).eps)


def _update(
    data: SubspaceData,
    weights: _WeightPanel,
    impurities: FloatArray,
    memberships: AnyFloatArray,
    options: SubspaceOptions,
) -> tuple[AnyFloatArray, FloatArray, float, float]:
    """Return new memberships, distances, the loss without chi-square, and the largest membership change."""
    n, k = memberships.shape
    blame, f = 1.0 + impurities, options.fuzziness
    factors = _factors(blame, options)
    power = 1.0 / (f - 1.0)
    found, new = np.empty((n, k)), np.empty((n, k), data.dtype)
    losses = np.empty((n_blocks(n), 2))

    def kernel(block: int, lo: int, hi: int) -> None:
        _fill(data, weights, lo, hi, found[lo:hi])
        kernels.update_rows(
            found, factors, blame, power, f, memberships, lo, hi, np.empty(k), new, losses[block]
        )

    for_blocks(kernel, n, data.n_operations(k) + 20.0 * n * k, data.n_jobs)
    return new, found, float(losses[:, 0].sum()), float(losses[:, 1].max())


def _factors(blame: FloatArray, options: SubspaceOptions) -> FloatArray:
    return blame if options.impurity_in_membership else np.ones(len(blame))


def _fill(data: SubspaceData, weights: _WeightPanel, lo: int, hi: int, out: FloatArray) -> None:
    panel, *terms = weights
    data.matrix.weighted(panel, out.shape[1], lo, hi, out)
    kernels.finish_distances(*terms, out)


class Iterated(NamedTuple):
    """Result of :func:`iterate`.

    Attributes
    ----------
    sweep : Sweep
        The last sweep.
    history : ndarray of shape (n_iter,)
        Objective after each sweep.
    n_iter : int
    converged : bool
        Whether no membership changed by ``tol`` or more in the last sweep.
    """

    sweep: Sweep
    history: FloatArray
    n_iter: int
    converged: bool


@documented(iterate)
def sweep(
    data: SubspaceData,
    targets: Targets,
    memberships: AnyFloatArray,
    options: SubspaceOptions,
    *,
    centers: AnyFloatArray | None = None,
) -> Sweep:
    """Update centroids, impurities, chi-square, weights, distances and memberships once, in that order.

    Takes O((non-zeros + samples + features) * clusters) time for two passes over the data, and O((samples +
    features) * clusters) memory. Results do not depend on the number of threads. Source: SISC-ML, Eqs. 1-11.

    Parameters
    ----------
    targets : Targets
        Classes of some, all or no samples.
    memberships : ndarray of shape (n_samples, n_clusters)
    centers : ndarray of shape (n_features, n_clusters), optional
        Centroids for clusters without members. Default: the mean of the data.
    """
    return _sweep(data, targets, *_checked(memberships, targets, data), options, centers)[0]


class Sweep(NamedTuple):
    """State after a sweep.

    Attributes
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
        New memberships; rows sum to 1.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids, and logarithms of the weights lambda, which are -inf for constant features.
    shares : ndarray of shape (n_clusters, n_classes)
        Class shares under the new memberships, used for predictions.
    impurities : ndarray of shape (n_clusters,)
        Impurities under the previous memberships, used for weights, new memberships and the objective.
    distances : ndarray of shape (n_samples, n_clusters), float64
        Squared distances, with feature weights (m lambda)^q; see :func:`distances`.
    chi_term : ndarray of shape (n_clusters,)
        Sum over features of (m lambda)^q chi.
    objective : float
        Objective (2) of SISC-ML for the new memberships, with m lambda in place of lambda.
    change : float
        Largest change in any membership.
    """

    memberships: AnyFloatArray
    centers: AnyFloatArray
    log_weights: AnyFloatArray
    shares: FloatArray
    impurities: FloatArray
    distances: FloatArray
    chi_term: FloatArray
    objective: float
    change: float


@dataclass(frozen=True)
class SubspaceOptions:
    """Sweep options. Raises a ValueError if a value is out of range.

    Parameters
    ----------
    fuzziness : float, default=1.5
        Exponent f > 1 of the memberships.
    weight_exponent : float, default=5.0
        Exponent q > 1 of the feature weights.
    chi_weight : float, default=0.5
        Non-negative weight of the chi-square term.
    impurity : {"mean", "count", "none"} or None, default="mean"
        Normalisation of impurities; see :func:`~moo_clustering.subspace.impurity`. The paper uses
        ``"count"``. None disables impurity.
    impurity_in_membership : bool, default=True
        Whether impurities increase the distances that determine memberships, as in equation (10).
    chi_scale : {"n", "n_labelled"}, default="n"
        Factor of the chi-square statistic: the number of all samples, or of the labelled samples.
    floor : float, default=1e-6
        Lower bound on the dispersion of a feature in a cluster.
    """

    fuzziness: float = 1.5
    weight_exponent: float = 5.0
    chi_weight: float = 0.5
    impurity: classes.Normalisation = "mean"
    impurity_in_membership: bool = True
    chi_scale: ChiScale = "n"
    floor: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("fuzziness", "weight_exponent"):
            at_least_one(name, getattr(self, name), strictly=True)
        for name in ("chi_weight", "floor"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and float(value) >= 0 and math.isfinite(value)):
                raise ValueError(f"{name} must be a finite non-negative number, got {quoted(value)}")
        choice("impurity", self.impurity, classes.IMPURITIES)
        choice("chi_scale", self.chi_scale, get_args(ChiScale))


def distances(
    data: SubspaceData, centers: AnyFloatArray, log_weights: AnyFloatArray, weight_exponent: float
) -> FloatArray:
    """Return the distances d = sum_i (m lambda_i)^q (z_i - x_i)^2 from samples x to centroids z.

    Takes O((non-zeros + features) * clusters) time and O(features * clusters) memory. Raises a ValueError if
    the shapes of centers, weights and data do not match. Source: SISC-ML, equation (8).

    Parameters
    ----------
    data : SubspaceData
        Training samples or new samples.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids z, and logarithms of the weights lambda; m is the number of features with non-zero weights.
    weight_exponent : float
        Exponent q of the feature weights.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Distances that are 0 up to rounding error are set to exactly 0.
    """
    if np.ndim(centers) != 2 or np.shape(centers) != np.shape(log_weights):
        raise ValueError(
            "centers and log_weights must have the same shape, (n_features, n_clusters); got "
            f"{np.shape(centers)} and {np.shape(log_weights)}"
        )
    if len(centers) != data.m:
        raise ValueError(f"centers must have {data.m} features, got {len(centers)}")
    weights = _weight_panel(data, centers, log_weights, weight_exponent)
    out = np.empty((data.n, centers.shape[1]))

    def kernel(block: int, lo: int, hi: int) -> None:
        _fill(data, weights, lo, hi, out[lo:hi])

    for_blocks(kernel, data.n, data.n_operations(out.shape[1]), data.n_jobs)
    return out


def memberships_from_distances(
    distances: FloatArray, impurities: FloatArray, options: SubspaceOptions
) -> FloatArray:
    """Compute memberships, which are proportional to (distance (1 + impurity))^(-1 / (fuzziness - 1)).

    Raises a ValueError if the distances and impurities have different numbers of clusters.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        Non-negative distances.
    impurities : ndarray of shape (n_clusters,)
    options : SubspaceOptions
        Only ``fuzziness`` and ``impurity_in_membership`` are used.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Rows sum to 1. If several clusters are at distance 0, they share the sample equally.
    """
    given = np.ascontiguousarray(distances, dtype=np.float64)
    if given.ndim != 2 or np.shape(impurities) != given.shape[1:]:
        raise ValueError(
            "distances must have one column and impurities one value per cluster, got shapes "
            f"{given.shape} and {np.shape(impurities)}"
        )
    out = np.empty(given.shape)
    factors = _factors(1.0 + np.asarray(impurities, dtype=np.float64), options)
    power = 1.0 / (options.fuzziness - 1.0)
    kernels.soften_rows(given, factors, power, 0, len(given), np.empty(given.shape[1]), out)
    return out
