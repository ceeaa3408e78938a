"""Documents whose clusters are told apart by features of their own."""

import numpy as np
from scipy import sparse


def planted(n=120, n_clusters=3, own=10, noise=20, seed=0, present=0.6, absent=0.05):
    """Presence of features; document j is of cluster j mod n_clusters, whose features are
    own * c .. own * (c + 1) - 1; the last ``noise`` ones are of no cluster.
    """
    rng = np.random.default_rng(seed)
    clusters = np.arange(n) % n_clusters
    owner = np.concatenate([np.repeat(np.arange(n_clusters), own), np.full(noise, -1)])
    probability = np.where(owner == clusters[:, None], present, np.where(owner < 0, 0.3, absent))
    return sparse.csr_array((rng.random(probability.shape) < probability).astype(float)), clusters


def indicators(classes, n_classes=None):
    """One column per class."""
    return (np.asarray(classes)[:, None] == np.arange(n_classes or max(classes) + 1)).astype(int)


def label_sets(clusters, seed=0):
    """Of four labels: that of the cluster, for some that of the next one, for few the last one."""
    rng = np.random.default_rng(seed)
    Y = indicators(clusters, 4)
    more = np.flatnonzero(rng.random(len(clusters)) < 0.3)
    Y[more, (clusters[more] + 1) % 3] = 1
    Y[rng.random(len(clusters)) < 0.15, 3] = 1
    return Y


def tight_subspaces(n=150, n_clusters=3, own=4, seed=0):
    """Numbers spread widely but for the features of the own cluster, j mod n_clusters for sample j."""
    rng = np.random.default_rng(seed)
    clusters = np.arange(n) % n_clusters
    X = rng.uniform(-4, 4, (n, n_clusters * own))
    owner = np.arange(n_clusters * own) // own
    close = clusters[:, None] == owner
    return np.where(close, rng.normal(2 * (owner - 1), 0.3, X.shape), X), clusters


def naive_distances(model, X):
    """Step 6 of a sweep, from what the fit tells."""
    weights, q = model.feature_weights_, model.weight_exponent
    n_weighted = (weights > 0).any(axis=0).sum()
    return np.array(
        [((n_weighted * weights) ** q * (model.cluster_centers_ - x) ** 2).sum(axis=1) for x in X]
    )


def in_two_parts(X):
    """The same sparse matrix with every cell stored as two halves of its value."""
    coo = sparse.coo_array(X)
    order = np.argsort(np.repeat(coo.row, 2), kind="stable")
    indptr = np.concatenate([[0], np.cumsum(2 * np.bincount(coo.row, minlength=X.shape[0]))])
    return sparse.csr_array(
        (np.repeat(coo.data / 2, 2)[order], np.repeat(coo.col, 2)[order], indptr), shape=X.shape
    )
