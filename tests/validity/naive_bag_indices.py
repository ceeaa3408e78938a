"""Indices of bag partitions as their formulas read, one partition and one instance at a time."""

from __future__ import annotations

import itertools

import numpy as np


def clusters(labels):
    """Members of every occupied cluster."""
    return [np.flatnonzero(np.asarray(labels) == c) for c in sorted(set(labels))]


def centroid(bags, members, weighting):
    if weighting == "instance":
        return np.concatenate([bags[b] for b in members]).mean(axis=0)
    return np.mean([bags[b].mean(axis=0) for b in members], axis=0)


def farthest(bag, point):
    return max(np.linalg.norm(x - point) for x in bag)


def radii(bags, members, weighting):
    center = centroid(bags, members, weighting)
    return [farthest(bags[b], center) for b in members]


def twcv(bags, labels, weighting="bag"):
    return sum(r**2 for members in clusters(labels) for r in radii(bags, members, weighting))


def ftwcv(bags, labels, reading="between"):
    means = [bag.mean(axis=0) for bag in bags]
    if reading == "between":
        return sum(
            np.sum((means[b] - np.mean([means[m] for m in members], axis=0)) ** 2)
            for members in clusters(labels)
            for b in members
        )
    if reading == "printed":
        q = [np.mean([x @ x for x in bag]) for bag in bags]
    else:
        q = [m @ m for m in means]
    return sum(q) - sum(sum(q[b] for b in members) / len(members) for members in clusters(labels))


def davies_bouldin(bags, labels, weighting="bag"):
    found = clusters(labels)
    centers = [centroid(bags, members, weighting) for members in found]
    spreads = [np.mean(radii(bags, members, weighting)) for members in found]
    return worst_ratios(spreads, lambda a, c: np.linalg.norm(centers[a] - centers[c]))


def worst_ratios(spreads, distance):
    if len(spreads) < 2:
        return np.inf
    total = 0.0
    for a in range(len(spreads)):
        ratios = []
        for c in range(len(spreads)):
            if c != a:
                gap = distance(a, c)
                ratios.append((spreads[a] + spreads[c]) / gap if gap > 1e-9 else np.inf)
        total += max(ratios)
    return total / len(spreads)


def db_medoid(H, labels, medoids):
    occupied = sorted(set(labels))
    spreads = [np.mean([H[b][medoids[c]] for b in np.flatnonzero(np.equal(labels, c))]) for c in occupied]

    def distance(a, c):
        p, q = medoids[occupied[a]], medoids[occupied[c]]
        return max(H[p][q], H[q][p])

    return worst_ratios(spreads, distance)


def hausdorff(bags):
    """Directed distances, from the bag of the row to that of the column."""
    return np.array([[max(min(np.linalg.norm(a - b) for b in B) for a in A) for B in bags] for A in bags])


def silhouettes(H, labels):
    found = clusters(labels)
    values = np.zeros(len(labels))
    if len(found) < 2:
        return values
    for own, members in enumerate(found):
        for b in members:
            if len(members) == 1:
                continue
            inside = sum(H[b, j] for j in members if j != b) / (len(members) - 1)
            outside = min(np.mean(H[b, other]) for k, other in enumerate(found) if k != own)
            if max(inside, outside) > 0:
                values[b] = (outside - inside) / max(inside, outside)
    return values


def silhouette(H, labels, average="cluster"):
    values = silhouettes(H, labels)
    if average == "bag":
        return values.mean()
    return np.mean([values[members].mean() for members in clusters(labels)])


def sdbw(bags, labels, reading="density", sigma="bag", ddof=0, weighting="bag"):
    """Scat and Den."""
    found = clusters(labels)
    k = len(found)
    if k < 2:
        return np.inf, np.inf

    def spread(members):
        points = np.concatenate([bags[b] if sigma == "instance" else [bags[b].mean(axis=0)] for b in members])
        return np.linalg.norm(points.var(axis=0, ddof=ddof)) if len(points) > ddof else 0.0

    total = sum(spread(members) for members in found)
    everything = spread(range(len(bags)))
    stdev = np.sqrt(total) / k
    centers = [centroid(bags, members, weighting) for members in found]

    def near(members, point):
        distances = [farthest(bags[b], point) for b in members]
        return sum(distances) if reading == "printed" else sum(d <= stdev for d in distances)

    density = 0.0
    for i, j in itertools.permutations(range(k), 2):
        between = near([*found[i], *found[j]], (centers[i] + centers[j]) / 2)
        around = max(near(found[i], centers[i]), near(found[j], centers[j]))
        if reading == "count":
            around = max(len(found[i]), len(found[j]))
        density += between / around if around else 0.0
    return total / k / everything if everything else 0.0, density / (k * k - k)
