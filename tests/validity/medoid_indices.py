"""Xie-Beni and I of medoids with their labels, one individual at a time, by their definitions."""

import numpy as np


def _parts(D, medoids, labels):
    medoids = [int(medoid) for medoid in medoids if medoid >= 0]
    own = [float(D[sample, medoids[label]]) for sample, label in enumerate(labels)]
    between = [float(D[a, b]) for place, a in enumerate(medoids) for b in medoids[:place]]
    return own, between


def _each(D, medoids, labels, index):
    rows = zip(np.atleast_2d(medoids), np.atleast_2d(labels), strict=True)
    return np.array([index(np.asarray(D, dtype=float), *_parts(D, *row)) for row in rows])


def xie_beni(D, medoids, labels):
    """Shape (n_individuals,); rows of medoids may be padded with -1."""

    def index(D, own, between):
        if not between:
            return 1e12
        least = max(min(between) ** 2, 1e-12 * np.mean(D**2))
        return sum(distance**2 for distance in own) / (len(D) * least)

    return _each(D, medoids, labels, index)


def i_index(D, medoids, labels):
    """Shape (n_individuals,); rows of medoids may be padded with -1."""

    def index(D, own, between):
        if not between:
            return 0.0
        e1 = D.sum(axis=0).min()
        k = (1 + np.sqrt(1 + 8 * len(between))) / 2
        return (e1 / max(sum(own), 1e-12 * e1) * max(between) / k) ** 2

    return _each(D, medoids, labels, index)
