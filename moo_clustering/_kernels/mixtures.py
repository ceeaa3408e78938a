"""Diagonal Gaussian mixtures with relevant features per cluster: parameters, scores and hard-EM sums.

Cluster c has the relevant features ``features[c, :counts[c]]``; the coefficients of their log-likelihood
ratios are stored in the same positions. Only these features contribute to the scores.
"""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.threads import borrowed

ROUNDS = 10


@borrowed()
def _fit_background(sizes, sums, squares, floor, price, j, relevant):
    """Return the mean and variance of feature j's background, and the net gain in log-likelihood."""
    # The background is a Gaussian that several clusters share. Each round fits the background to these
    # clusters. A cluster then gets a Gaussian of its own if this increases its log-likelihood by more than
    # ``price``. The net
    # gain is relative to a single Gaussian with mean 0 and variance 1.
    k, center, variance, gain = sizes.shape[0], 0.0, 1.0, 0.0
    relevant[:, j] = 0.0
    for _ in range(ROUNDS):
        changed = False
        size, total, square, gain = 0.0, 0.0, 0.0, 0.0
        for c in range(k):
            if sizes[c] <= 0.0:
                continue
            mean = sums[c, j] / sizes[c]
            spread = max(squares[c, j] / sizes[c] - mean * mean, 0.0)
            own = max(spread, floor)
            shared = np.log(variance) + (spread + (mean - center) ** 2) / variance
            better = 0.5 * sizes[c] * (shared - np.log(own) - spread / own) - price
            gain += 0.5 * (squares[c, j] - sizes[c] * shared) + max(better, 0.0)
            changed |= (better > 0.0) != (relevant[c, j] > 0.0)
            relevant[c, j] = max(better, 0.0)
            if better <= 0.0:
                size += sizes[c]
                total += sums[c, j]
                square += squares[c, j]
        if not changed or size == 0.0:
            break
        center = total / size
        variance = max(square / size - center * center, floor)
    return center, variance, gain


@borrowed()
def fit_clusters(
    sizes, sums, squares, floor, prices, features, linear, curves, bases, counts, gains, centers, variances
):
    """Find relevant features and parameters, and return the gain in log-likelihood minus the prices."""
    # ``sizes``, with shape (k,), and ``sums`` and ``squares``, with shape (k, d), are moments of features
    # with mean 0 and variance 1. ``prices``, in nats, are infinite for features that cannot be relevant.
    # ``gains`` are 0 for features that are not relevant. ``counts`` contains each cluster's number of
    # relevant features. A cluster's score is the sum of a constant and of one quadratic polynomial per
    # relevant feature. The constants are in ``bases``, and are -inf for empty clusters. ``linear`` and
    # ``curves`` contain the coefficients of x and x^2, in the order of ``features``.
    total, n_samples = 0.0, sizes.sum()
    counts[:] = 0
    for c in range(sizes.shape[0]):
        bases[c] = np.log(sizes[c] / n_samples) if sizes[c] > 0.0 else -np.inf
        total += sizes[c] * bases[c] if sizes[c] > 0.0 else 0.0
    for j in range(sums.shape[1]):
        center, variance, gain = _fit_background(sizes, sums, squares, floor, prices[j], j, gains)
        total += gain
        for c in range(sizes.shape[0]):
            centers[c, j], variances[c, j] = center, variance
            if gains[c, j] <= 0.0:
                continue
            mean = sums[c, j] / sizes[c]
            own = max(squares[c, j] / sizes[c] - mean * mean, floor)
            centers[c, j], variances[c, j] = mean, own
            m = counts[c]
            counts[c] = m + 1
            # The difference between two Gaussian log-densities is a quadratic polynomial in x.
            features[c, m] = j
            linear[c, m] = mean / own - center / variance
            curves[c, m] = 0.5 / variance - 0.5 / own
            bases[c] += 0.5 * (np.log(variance / own) + center * center / variance - mean * mean / own)
    return total


@borrowed()
def assign_rows(X, features, linear, curves, bases, counts, lo, hi, first, second, margins):
    """Find each sample's best and second-best cluster, and the difference between their scores."""
    for i in range(lo, hi):
        best, rest = -np.inf, -np.inf
        first[i] = second[i] = 0
        for c in range(bases.shape[0]):
            score = bases[c]
            for m in range(counts[c]):
                x = X[i, features[c, m]]
                score += x * (linear[c, m] + x * curves[c, m])
            if score > best:
                second[i], rest = first[i], best
                first[i], best = c, score
            elif score > rest:
                second[i], rest = c, score
        margins[i] = best - rest


@borrowed()
def move_rows(X, old, new, sizes, sums, squares):
    """Update the moments after label changes, and return the number of samples that moved."""
    moved = 0
    for i in range(X.shape[0]):
        if old[i] == new[i]:
            continue
        moved += 1
        for c, sign in ((old[i], -1.0), (new[i], 1.0)):
            if c < 0:
                continue
            sizes[c] += sign
            for j in range(X.shape[1]):
                part = sign * X[i, j]
                sums[c, j] += part
                squares[c, j] += part * X[i, j]
    return moved


@njit(cache=True, nogil=True)
def count_near(X, rows, center, width):
    counts = np.zeros(X.shape[1])
    for i in rows:
        for j in range(X.shape[1]):
            if abs(X[i, j] - center[j]) <= width:
                counts[j] += 1.0
    return counts
