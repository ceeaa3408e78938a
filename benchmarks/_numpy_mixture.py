"""Hard EM of SubspaceMixture in plain NumPy, with matrix products for all features."""

import numpy as np


def hard_em(X, labels, n_clusters, max_iter=30, floor=0.01):
    """Labels, and the objective before every iteration and at the end."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    n, d = Z.shape
    price, squares = np.log(n) + np.log(d), Z**2
    objectives = []
    for _ in range(max_iter):
        means, variances, bases, objective = _fit(Z, squares, labels, n_clusters, floor, price)
        objectives.append(objective)
        curves = 0.5 / variances
        scores = Z @ (2 * curves * means).T + squares @ (0.5 - curves).T + bases
        new = scores.argmax(axis=1).astype(np.int32)
        if np.array_equal(new, labels):
            break
        labels = new
    else:
        objectives.append(_fit(Z, squares, labels, n_clusters, floor, price)[-1])
    return labels, objectives


def _fit(Z, squares, labels, n_clusters, floor, price):
    n = len(Z)
    members = (labels == np.arange(n_clusters)[:, None]).astype(float)
    sizes = members.sum(axis=1)
    full = np.maximum(sizes, 1)[:, None]
    means, second = members @ Z / full, members @ squares
    spreads = second / full - means**2
    variances = np.maximum(spreads, floor)
    gains = 0.5 * (second - full * (np.log(variances) + spreads / variances)) - price
    relevant = (gains > 0) & (sizes > 0)[:, None]
    means, variances = np.where(relevant, means, 0.0), np.where(relevant, variances, 1.0)
    with np.errstate(divide="ignore"):
        bases = np.log(sizes / n)
    objective = (sizes * np.where(sizes > 0, bases, 0.0)).sum() + gains[relevant].sum()
    objective -= 0.5 * np.log(n) * np.count_nonzero(sizes)
    bases = bases - (0.5 * np.log(variances) + 0.5 * means**2 / variances).sum(axis=1)
    return means, variances, bases, objective
