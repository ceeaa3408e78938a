"""Mahalanobis metrics that bring must-linked samples together and cannot-linked ones apart."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize
from sklearn.exceptions import ConvergenceWarning

from moo_clustering.estimators._pair_differences import Floats, PairDifferences, Pairs

# Below this share of the largest eigenvalue of the correlations a direction counts as constant.
_CONSTANT = 1e-12


class LearnedMetric(NamedTuple):
    """A metric and how it was found.

    Attributes
    ----------
    metric : ndarray of shape (n_features,) or (n_features, n_features)
        Weights of squared differences, or positive semi-definite matrix.
    objective : float
    n_iter : int
    """

    metric: NDArray[np.float64]
    objective: float
    n_iter: int


def diagonal_metric(
    X: Floats, must: Pairs, cannot: Pairs, *, ridge: float, max_iter: int, tol: float
) -> LearnedMetric | None:
    """Minimise sum_ML d^2 - log sum_CL d over weights of the features.

    With s_t the sum of squared must-link differences in feature t, plus ``2 ridge n_must`` times its
    variance, the solution satisfies ``s @ a == 1/2``.

    Returns
    -------
    LearnedMetric or None
        None where no cannot-linked samples differ, so that there is nothing to learn. Constant features
        get weight 0.

    Notes
    -----
    O((n_must + n_cannot) n_features) time per iteration. L-BFGS on b = a s, in which the terms of all
    features are of one scale.
    """
    variance = X.var(axis=0)
    used = _varies(X)
    X = X[:, used]
    apart = PairDifferences(X, cannot)
    if not any((block != 0).any() for block in apart):
        return None
    s = sum((block**2).sum(axis=0) for block in PairDifferences(X, must))
    s = _bounded(s + ridge * len(must) * 2 * variance[used], variance[used] * len(must))
    n_features = X.shape[1]

    start = np.full(n_features, 0.5 / n_features)
    least = 1e-10 * sum(float(np.sqrt(block**2 @ (start / s)).sum()) for block in apart) / len(cannot)

    def loss(b: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, np.zeros(n_features)
        for block in apart:
            squares = block**2
            r = np.sqrt(squares @ (b / s))
            total += float(r.sum())
            # At a distance of zero the slope is infinite; here it is only very steep.
            gradient += (0.5 / np.maximum(r, least)) @ squares
        total = max(total, least)
        return float(b.sum()) - np.log(total), 1.0 - gradient / s / total

    found = optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n_features,
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0, "maxls": 50},
    )
    if found.nit >= max_iter:
        _warn("diagonal", max_iter)
    a = np.zeros(len(used))
    a[used] = found.x / s
    return LearnedMetric(a, float(found.fun), int(found.nit))


def full_metric(
    X: Floats, must: Pairs, cannot: Pairs, *, ridge: float, max_iter: int, tol: float
) -> LearnedMetric | None:
    """Maximise sum_CL d_A subject to sum_ML d_A^2 <= 1 over positive semi-definite matrices A.

    The sum over must-links is taken with ``2 ridge n_must`` times the covariance added. In coordinates
    where that is the identity, the admissible matrices have a trace of at most 1, and the projection of
    a gradient step is exact; where the largest eigenvalue of the gradient is half the objective, no
    other matrix is better.

    Returns
    -------
    LearnedMetric or None
        None where no cannot-linked samples differ.

    Notes
    -----
    O(n_cannot n_features^2 + n_features^3) time per iteration.
    """
    varies = _varies(X)
    if not varies.any():
        return None
    unit = np.where(varies, 1.0 / np.where(varies, X.std(axis=0), 1.0), 0.0)
    standard = (X - X.mean(axis=0)) * unit
    variances, directions = linalg.eigh(standard.T @ standard / len(X))
    used = variances > _CONSTANT * variances[-1]
    basis = unit[:, None] * directions[:, used]
    Z = X @ basis
    W = sum((block.T @ block for block in PairDifferences(Z, must)), np.zeros((Z.shape[1],) * 2))
    W += np.diag(ridge * len(must) * 2 * variances[used])
    scales, axes = linalg.eigh(W)
    scales = _bounded(scales, np.full(len(scales), variances[used].min() * len(must)))
    whiten = basis @ (axes / np.sqrt(scales))
    apart = PairDifferences(X @ whiten, cannot)
    if not any((block != 0).any() for block in apart):
        return None
    B, objective, n_iter = _ascend(apart, len(scales), max_iter, tol)
    A = whiten @ B @ whiten.T
    return LearnedMetric((A + A.T) / 2, objective, n_iter)


def _ascend(apart: PairDifferences, n: int, max_iter: int, tol: float) -> tuple[Floats, float, int]:
    """Projected gradient ascent from the identity; steps grow on success and are halved on failure."""
    B = np.eye(n) / n
    value, _ = _spread(apart, B, 1.0)
    least = 1e-10 * value / apart.n_pairs
    value, gradient = _spread(apart, B, least)
    step = 1.0 / float(linalg.norm(gradient))
    values = [value]
    for n_iter in range(1, max_iter + 1):
        # Concave: no admissible matrix gains more than this.
        gap = float(linalg.eigvalsh(gradient, subset_by_index=[n - 1, n - 1])[0]) - float(
            np.sum(gradient * B)
        )
        # The bound is loose where distances all but vanish; then what ten steps gained decides.
        gained = value - values[-11] if len(values) > 10 else np.inf
        if gap <= tol * value or gained <= 1e-3 * tol * value:
            return B, value, n_iter
        while True:
            candidate = _project(B + step * gradient)
            new_value, new_gradient = _spread(apart, candidate, least)
            if new_value > value:
                break
            step /= 2
            if step * float(linalg.norm(gradient)) < 1e-14:
                return B, value, n_iter
        B, value, gradient, step = candidate, new_value, new_gradient, 1.5 * step
        values.append(value)
    _warn("full", max_iter)
    return B, value, max_iter


def _spread(apart: PairDifferences, B: Floats, least: float) -> tuple[float, Floats]:
    """Sum of the distances, and its gradient, in which no distance counts as less than ``least``."""
    value, gradient = 0.0, np.zeros_like(B)
    for block in apart:
        r = np.sqrt(np.maximum(np.einsum("ij,ij->i", block @ B, block), 0.0))
        value += float(r.sum())
        gradient += block.T @ (block * (0.5 / np.maximum(r, least))[:, None])
    return value, gradient


def _project(B: Floats) -> Floats:
    """Nearest positive semi-definite matrix of trace at most 1."""
    values, vectors = linalg.eigh(B)
    values = np.maximum(values, 0.0)
    if values.sum() > 1.0:
        falling = values[::-1]
        excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(values) + 1)
        values = np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0.0)
    return (vectors * values) @ vectors.T


def _varies(X: Floats) -> NDArray[np.bool_]:
    """Which features are not constant, rounding apart."""
    return np.ptp(X, axis=0) > 1e-14 * np.abs(X).max(axis=0)


def _bounded(s: Floats, scale: Floats) -> Floats:
    """Must-link sums kept away from zero, where the optimum would be infinite."""
    least = 1e-12 * scale
    if (s < least).any():
        warnings.warn(
            "must-linked samples do not differ at all in some directions, which with ridge=0 get nearly all "
            "the weight",
            UserWarning,
            stacklevel=6,
        )
    return np.maximum(s, least)


def _warn(metric: str, max_iter: int) -> None:
    warnings.warn(
        f"the {metric} metric was not found within metric_max_iter={max_iter} iterations; "
        "the last one is used",
        ConvergenceWarning,
        stacklevel=6,
    )
