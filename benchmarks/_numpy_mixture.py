"""Hard EM of SubspaceMixture in plain NumPy, with matrix products for all features."""

import numpy as np

ROUNDS = 10


def hard_em(X, labels, n_clusters, max_iter=30, floor=0.01):
    """Labels, and the objective before every iteration and at the end."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    squares = Z**2
    objectives = []
    for _ in range(max_iter):
        means, variances, bases, objective = _fit(Z, squares, labels, n_clusters, floor)
        objectives.append(objective)
        scores = Z @ (means / variances).T - squares @ (0.5 / variances).T + bases
        new = scores.argmax(axis=1).astype(np.int32)
        if np.array_equal(new, labels):
            break
        labels = new
    else:
        objectives.append(_fit(Z, squares, labels, n_clusters, floor)[-1])
    return labels, objectives


def _fit(Z, squares, labels, n_clusters, floor):
    """Means, variances, constants of the log-densities, and the objective."""
    n, d = Z.shape
    price = np.log(n) + np.log(d)
    members = (labels == np.arange(n_clusters)[:, None]).astype(float)
    sizes = members.sum(axis=1)[:, None]
    sums, second = members @ Z, members @ squares
    means = sums / np.maximum(sizes, 1)
    spreads = np.maximum(second / np.maximum(sizes, 1) - means**2, 0)
    own = np.maximum(spreads, floor)
    center, variance, relevant = np.zeros(d), np.ones(d), np.zeros((n_clusters, d), dtype=bool)
    for _ in range(ROUNDS):
        shared = np.log(variance) + (spreads + (means - center) ** 2) / variance
        better = 0.5 * sizes * (shared - np.log(own) - spreads / own) - price
        changed = ((better > 0) != relevant).any(axis=0)
        relevant = better > 0
        if not changed.any():
            break
        left = np.where(relevant, 0.0, sizes).sum(axis=0)
        changed &= left > 0
        left = np.maximum(left, 1)
        new = np.where(relevant, 0.0, sums).sum(axis=0) / left
        rest = np.where(relevant, 0.0, second).sum(axis=0) / left - new**2
        center = np.where(changed, new, center)
        variance = np.where(changed, np.maximum(rest, floor), variance)
    gain = (0.5 * (second - sizes * shared) + np.maximum(better, 0)).sum()
    sizes = sizes[:, 0]
    used = sizes > 0
    objective = gain + (sizes[used] * np.log(sizes[used] / n)).sum() - 0.5 * np.log(n) * used.sum()
    means, variances = np.where(relevant, means, center), np.where(relevant, own, variance)
    with np.errstate(divide="ignore"):
        bases = np.log(sizes / n) - 0.5 * (np.log(variances) + means**2 / variances).sum(axis=1)
    return means, variances, bases, objective
