"""Small data, and what the estimators compute, written down naively."""

from math import lgamma

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

# A pool that takes a tenth of a second and still has enough families to agree.
QUICK = {
    "families": ("km", "ward", "genie", "spec"),
    "k_range": (2, 3, 4, 5),
    "criterion": "modularity",
    "random_state": 0,
}

X, CLASSES = make_blobs(90, centers=[[0, 0], [6, 0], [3, 6]], cluster_std=1.1, random_state=1)


def ari(first, second):
    return adjusted_rand_score(first, second)


def partly(classes, per_class, seed=0):
    """Labels of so many samples of every class, -1 for the others."""
    rng = np.random.default_rng(seed)
    y = np.full(len(classes), -1)
    for code in np.unique(classes):
        rows = rng.choice(np.flatnonzero(classes == code), per_class, replace=False)
        y[rows] = code
    return y


def true_pairs(classes, n_pairs, seed=0):
    """Random pairs: must-links, cannot-links."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(classes), 2, replace=False) for _ in range(n_pairs)])
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return pairs[same], pairs[~same]


def naive_agreement(labels, pool, families):
    best = {}
    for other, family in zip(pool, families, strict=True):
        best[family] = max(best.get(family, -2.0), ari(labels, other))
    return np.median(sorted(best.values())[:-1]) if len(best) > 1 else 0.0


def naive_modularity(labels, graph):
    S = graph.toarray()
    volumes = S.sum(axis=1)
    same = labels[:, None] == labels
    return ((S - np.outer(volumes, volumes) / S.sum()) * same).sum() / S.sum()


def naive_evidence(labels, y, *, unnamed=False):
    n_classes = y.max() + 1
    value = 0.0
    for cluster in np.unique(labels):
        counts = np.bincount(y[(labels == cluster) & (y >= 0)], minlength=n_classes + unnamed)
        share = 0.5 / len(counts)
        value += lgamma(0.5) - lgamma(0.5 + counts.sum())
        value += sum(lgamma(share + c) - lgamma(share) for c in counts)
    return value


def naive_scores(model):
    """Score of every member of the pool."""
    pool = model.pool_
    return np.array(
        [
            naive_agreement(row, pool.labels, pool.families) + 0.25 * naive_modularity(row, model.graph_)
            for row in pool.labels
        ]
    )


def naive_probabilities(model, y, extra=None):
    """Kernel ridge on co-association by evidence, and class shares; ``extra`` is added to the kernel."""
    labelled = np.flatnonzero(y >= 0)
    n_classes = y.max() + 1
    evidence = np.array([naive_evidence(row, y) for row in model.pool_.labels])
    weights = np.exp(0.3 * (evidence - evidence.max()))
    weights /= weights.sum()
    K = sum(w * (row[:, None] == row) for w, row in zip(weights, model.pool_.labels, strict=True))
    if extra is not None:
        K = K + extra
    K = K / np.diag(K)[labelled].mean()
    Y = np.eye(n_classes)[y[labelled]]
    system = K[np.ix_(labelled, labelled)] + 0.1 * np.eye(len(labelled))
    F = 1 / n_classes + K[:, labelled] @ np.linalg.solve(system, Y - 1 / n_classes)
    F = np.maximum(F, 1e-9)
    F /= F.sum(axis=1, keepdims=True)
    share = (Y.sum(axis=0) + 1) / (len(labelled) + n_classes)
    F *= np.sqrt(share / F.mean(axis=0))
    return F / F.sum(axis=1, keepdims=True)


def naive_support(labels, pool, families):
    """Mean over the families of the mean positive agreement with their members."""
    by_family = {}
    for other, family in zip(pool, families, strict=True):
        by_family.setdefault(family, []).append(max(0.0, ari(labels, other)))
    return np.mean([np.mean(values) for values in by_family.values()])


def naive_minimax_silhouette(labels, X):
    """Silhouette over the least greatest steps of all paths, as Floyd and Warshall find them."""
    D = cdist(X, X)
    for via in range(len(D)):
        D = np.minimum(D, np.maximum(D[:, via, None], D[via]))
    return silhouette_score(D, labels, metric="precomputed")
