"""Small bags and formulas written out, for the tests of the genetic estimators of bags."""

from __future__ import annotations

import itertools

import numpy as np

from moo_clustering.estimators.bags_genetic import CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC

PARTITIONS = [MIGKA, MIFGKA, CHCMIC, MemeticCHCMIC]
ALL = [*PARTITIONS, MIGCUK]
SMALL = {"pop_size": 12, "n_gen": 6, "random_state": 0}


def overlapping(n_bags=24, n_classes=3, n_features=3, seed=0, spread=1.5):
    """Bags around points that scatter about the corners of a simplex, and the corner of each."""
    rng = np.random.default_rng(seed)
    corners = 4 * np.eye(n_classes, n_features)
    classes = np.arange(n_bags) % n_classes
    bags = [
        corners[k] + spread * rng.standard_normal(n_features) + rng.standard_normal((m, n_features))
        for k, m in zip(classes, rng.integers(1, 6, n_bags), strict=True)
    ]
    return bags, classes


def scaled(bags):
    rows = np.concatenate(bags)
    low, span = rows.min(axis=0), np.ptp(rows, axis=0)
    return [(np.asarray(bag) - low) / np.where(span > 0, span, 1) for bag in bags]


def centroids(bags, labels, weighting):
    weights = np.array([1.0 if weighting == "bag" else len(bag) for bag in bags])
    means = np.array([bag.mean(axis=0) for bag in bags])
    return {
        int(k): np.average(means[labels == k], axis=0, weights=weights[labels == k])
        for k in np.unique(labels)
    }


def radii(bags, labels, centers):
    return np.array(
        [np.linalg.norm(bag - centers[int(k)], axis=1).max() for bag, k in zip(bags, labels, strict=True)]
    )


def db(bags, labels, weighting="bag"):
    centers = centroids(bags, labels, weighting)
    if len(centers) < 2:
        return np.inf
    r = radii(bags, labels, centers)
    spread = {k: r[labels == k].mean() for k in centers}
    return np.mean(
        [
            max((spread[k] + spread[c]) / np.linalg.norm(centers[k] - centers[c]) for c in centers if c != k)
            for k in centers
        ]
    )


def twcv(bags, labels, weighting="bag"):
    return (radii(bags, labels, centroids(bags, labels, weighting)) ** 2).sum()


def ftwcv(bags, labels, weighting="bag", reading="between"):
    if reading == "between":
        centers = centroids(bags, labels, weighting)
        return sum(
            (1.0 if weighting == "bag" else len(bag)) * ((bag.mean(axis=0) - centers[int(k)]) ** 2).sum()
            for bag, k in zip(bags, labels, strict=True)
        )
    if reading == "printed":
        terms = np.array([(bag**2).sum(axis=1).mean() for bag in bags])
    else:
        terms = np.array([(bag.mean(axis=0) ** 2).sum() for bag in bags])
    return terms.sum() - sum(terms[labels == k].mean() for k in np.unique(labels))


def hausdorff(bags):
    return np.array(
        [
            [max(min(np.linalg.norm(x - z) for z in b) for x in a) if a is not b else 0.0 for b in bags]
            for a in bags
        ]
    )


def around(H, medoids):
    labels = H[:, list(medoids)].argmin(axis=1)
    labels[list(medoids)] = np.arange(len(medoids))
    return labels


def db_of_medoids(H, labels, medoids):
    spread = [H[labels == k, m].mean() for k, m in enumerate(medoids)]
    far = [[max(H[p, q], H[q, p]) for q in medoids] for p in medoids]
    K = range(len(medoids))
    return np.mean([max((spread[k] + spread[c]) / far[k][c] for c in K if c != k) for k in K])


def partitions(n, k, least=1):
    """All partitions of n bags into exactly k clusters of at least ``least``, numbered by appearance."""
    found = []

    def extend(labels, used):
        if len(labels) == n:
            if used == k and np.bincount(labels).min() >= least:
                found.append(np.array(labels))
            return
        for one in range(min(used + 1, k)):
            extend([*labels, one], max(used, one + 1))

    extend([0], 1)
    return found


def medoid_sets(n, k):
    return itertools.combinations(range(n), k)


def records(model):
    return [dict(record) for record in model.logbook_]


def same_run(first, second):
    """Bit for bit, apart from the seconds it took."""
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_equal(records(first), records(second))
    for one, other in zip(first.hall_of_fame_, second.hall_of_fame_, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.fitness.values == other.fitness.values
    for name in (
        "fitness_",
        "violation_",
        "n_iter_",
        "n_evaluations_",
        "n_trial_evaluations_",
        "n_restarts_",
    ):
        assert getattr(first, name) == getattr(second, name), name
    ours, theirs = (
        model.history_.to_frame().drop(columns="seconds", errors="ignore") for model in (first, second)
    )
    assert ours.equals(theirs)
    if hasattr(first, "medoid_indices_"):
        np.testing.assert_array_equal(first.medoid_indices_, second.medoid_indices_)
    else:
        np.testing.assert_array_equal(first.cluster_centers_, second.cluster_centers_)
