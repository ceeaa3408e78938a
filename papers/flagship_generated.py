"""Generated tables for ParetoClustering: fourteen kinds with known clusters, and nine kinds without clusters.

:func:`generated_table` generates a table of :data:`STRUCTURED` or :data:`NULLS` from its name and a seed.
Models and weights that are learned from generated tables are evaluated on left-out kinds or seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import make_circles, make_moons

from moo_clustering._arrays import FloatArray, Int64Array

Generator = np.random.Generator
Made = tuple[FloatArray, Int64Array]
_LEAST_CLUSTER = 8
# Centres are drawn again until the two nearest are at least this share of the median distance apart.
_EVENNESS, _TRIES = 0.35, 200


class GeneratedTable(NamedTuple):
    """A table, and the cluster of every row."""

    X: FloatArray  # shape (n_samples, n_features)
    classes: Int64Array  # shape (n_samples,): all 0 for tables without clusters
    scale: Literal["standard", "isotropic"]  # suitable scaling of the features


def generated_table(kind: str, seed: int) -> GeneratedTable:
    """Generate a table of :data:`STRUCTURED` or :data:`NULLS`, with rows in random order."""
    # The sum of the character codes gives every kind a separate stream, on any machine.
    rng = np.random.default_rng([seed, sum(map(ord, kind))])
    X, classes = {**STRUCTURED, **NULLS}[kind](rng)
    order = rng.permutation(len(X))
    return GeneratedTable(X[order], classes[order], "isotropic" if kind in _ISOTROPIC else "standard")


def _integer(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high))


def _one_of(rng: Generator, *values: int) -> int:
    return int(rng.choice(values))


def _standardized(X: FloatArray) -> FloatArray:
    scaled: FloatArray = (X - X.mean(axis=0)) / X.std(axis=0)
    return scaled


def _sizes(rng: Generator, n: int, k: int, unequal: bool) -> Int64Array:
    shares = rng.dirichlet(np.full(k, 1.5)) if unequal else np.full(k, 1 / k)
    return np.maximum(_LEAST_CLUSTER, (shares * n).astype(np.int64))


def _centers(rng: Generator, k: int, d: int, separation: float) -> FloatArray:
    """Draw centres whose smallest distance is ``separation``."""
    nearest = 1.0
    for _ in range(_TRIES):
        centers = rng.normal(size=(k, d))
        distances = pdist(centers)
        nearest = distances.min()
        if nearest > _EVENNESS * np.median(distances):
            break
    return np.asarray(centers * separation / nearest)


def _blobs(
    rng: Generator,
    unequal: bool = False,
    separation: float | None = None,
    k: int | None = None,
    d: int | None = None,
    *,
    spread: bool = False,
    elongated: bool = False,
) -> Made:
    """Draw normal clusters whose centres are at least ``separation`` standard deviations apart."""
    k = k or _integer(rng, 2, 13)
    d = d or _one_of(rng, 2, 3, 5, 8, 15)
    n = _one_of(rng, 120, 250, 500, 900)
    separation = separation or rng.uniform(4, 7)
    sizes, centers = _sizes(rng, n, k, unequal), _centers(rng, k, d, separation)
    rows = []
    for center, size in zip(centers, sizes, strict=True):
        part = rng.normal(size=(size, d))
        if spread:
            part *= rng.uniform(0.4, 1.3)
        if elongated:
            rotation, _ = np.linalg.qr(rng.normal(size=(d, d)))
            part = (part * np.exp(rng.uniform(-1.2, 0.6, size=d))) @ rotation
        rows.append(center + part)
    return np.vstack(rows), np.repeat(np.arange(k), sizes)


def _overlapping(rng: Generator) -> Made:
    unequal = rng.random() < 0.5
    separation = rng.uniform(2, 3.4)
    return _blobs(rng, unequal, separation, _integer(rng, 2, 8))


def _noise_columns(rng: Generator) -> Made:
    """Draw one to eight columns of noise for every column with clusters."""
    k, d = _integer(rng, 2, 8), _one_of(rng, 3, 5, 8)
    X, classes = _blobs(rng, k=k, d=d, separation=rng.uniform(5, 9))
    noise = rng.normal(size=(len(X), X.shape[1] * _one_of(rng, 1, 2, 4, 8)))
    return np.hstack([_standardized(X), noise]), classes


def _heavy_tails(rng: Generator) -> Made:
    k, d, n = _integer(rng, 2, 7), _one_of(rng, 2, 4, 8), _one_of(rng, 200, 500, 900)
    sizes, centers = _sizes(rng, n, k, True), _centers(rng, k, d, rng.uniform(6, 11))
    rows = [center + rng.standard_t(3, size=(size, d)) for center, size in zip(centers, sizes, strict=True)]
    return np.vstack(rows), np.repeat(np.arange(k), sizes)


def _shapes(rng: Generator) -> Made:
    """Draw moons, rings, spirals and triangles of blobs side by side."""
    parts: list[FloatArray] = []
    classes: list[Int64Array] = []
    n_classes = 0
    for place in range(_integer(rng, 1, 4)):
        n, shape = _one_of(rng, 150, 300), _integer(rng, 0, 4)
        if shape < 2:
            make = (make_moons, make_circles)[shape]
            more = {"noise": 0.07} if shape == 0 else {"noise": 0.05, "factor": 0.45}
            X, labels = make(n, random_state=int(rng.integers(1_000_000)), **more)
        elif shape == 2:
            labels = np.arange(n) % 2
            angle = np.sqrt(rng.uniform(0.05, 1, n)) * 2.2 * np.pi
            turned = angle + np.pi * labels
            X = np.column_stack([np.cos(turned) * angle, np.sin(turned) * angle]) / 4
            X = X + rng.normal(scale=0.04, size=(n, 2))
        else:
            labels = rng.integers(0, 3, size=n)
            corners = np.array([[0, 0], [1.6, 0], [0.8, 1.4]])
            X = corners[labels] + rng.normal(scale=0.15, size=(n, 2))
        parts.append(X + np.array([4.2 * place, 0.0]))
        classes.append(labels + n_classes)
        n_classes += int(labels.max()) + 1
    return np.vstack(parts), np.concatenate(classes)


def _nested(rng: Generator) -> Made:
    """Draw groups of groups; the classes are the inner groups."""
    outer, inner = _integer(rng, 2, 5), _integer(rng, 2, 5)
    d, n = _one_of(rng, 2, 4, 8), _one_of(rng, 30, 60, 90)
    rows = []
    for center in _centers(rng, outer, d, 18):
        rows += [part + rng.normal(size=(n, d)) for part in center + _centers(rng, inner, d, 5)]
    return np.vstack(rows), np.repeat(np.arange(outer * inner), n)


def _factors(rng: Generator) -> Made:
    """Draw many columns that depend on two to four hidden ones, with noise."""
    unequal, k, d = rng.random() < 0.5, _integer(rng, 2, 9), _one_of(rng, 2, 3, 4)
    X, classes = _blobs(rng, unequal, k=k, d=d, separation=rng.uniform(4, 7))
    columns = _one_of(rng, 10, 20, 40)
    mixed = (X / X.std(axis=0)) @ rng.normal(size=(X.shape[1], columns))
    return mixed + rng.normal(scale=rng.uniform(0.3, 1.2), size=(len(X), columns)), classes


def _categories(rng: Generator) -> Made:
    k, n, columns = _integer(rng, 2, 7), _one_of(rng, 150, 300, 600), _one_of(rng, 8, 14, 20)
    classes = np.repeat(np.arange(k), _sizes(rng, n, k, True))
    indicators = []
    for _ in range(columns):
        levels = _integer(rng, 2, 6)
        shares = rng.dirichlet(np.full(levels, 0.5), size=k)
        drawn = np.array([rng.choice(levels, p=shares[code]) for code in classes])
        coded = np.eye(levels)[drawn]
        indicators.append(coded if levels > 2 else coded[:, :1])
    return np.hstack(indicators), classes


def _counts(rng: Generator) -> Made:
    """Draw square roots of shares of terms, as in documents."""
    k, n, terms = _integer(rng, 2, 8), _one_of(rng, 200, 400), _one_of(rng, 30, 60)
    classes = np.repeat(np.arange(k), _sizes(rng, n, k, True))
    topics = rng.dirichlet(np.full(terms, 0.25), size=k) * 0.7 + 0.3 * rng.dirichlet(np.full(terms, 0.5))
    X = np.array([rng.multinomial(_integer(rng, 40, 160), topics[code]) for code in classes]).astype(float)
    return np.sqrt(X / X.sum(axis=1, keepdims=True)), classes


def _skewed(rng: Generator) -> Made:
    k, d = _integer(rng, 2, 7), _one_of(rng, 3, 5, 8)
    X, classes = _blobs(rng, True, k=k, d=d, separation=rng.uniform(4.5, 7))
    X = _standardized(X)
    chosen = rng.random(X.shape[1]) < 0.6
    X[:, chosen] = np.exp(rng.uniform(0.5, 1.1) * X[:, chosen])
    return X, classes


def _mixed_scales(rng: Generator) -> Made:
    """Draw clusters of unequal size and spread, some columns of noise, and rounded numbers."""
    k, d = _integer(rng, 3, 12), _one_of(rng, 4, 8, 16)
    X, classes = _blobs(rng, True, k=k, d=d, spread=True, separation=rng.uniform(3.2, 5))
    noise = rng.normal(size=(len(X), _integer(rng, 0, X.shape[1] + 1)))
    return np.round(np.hstack([_standardized(X), noise]) * _one_of(rng, 3, 10)) / 3.0, classes


def _class_in_mixture(rng: Generator) -> Made:
    """Draw classes that are unions of several components, as in most tables."""
    k, d = _integer(rng, 4, 10), _one_of(rng, 4, 8, 12)
    X, components = _blobs(rng, True, k=k, d=d, elongated=True, separation=rng.uniform(2.5, 4.5))
    n_classes = _integer(rng, 2, 4)
    class_of = rng.permutation(np.arange(int(components.max()) + 1) % n_classes)
    return X, class_of[components]


def _null_shape(rng: Generator) -> tuple[int, int]:
    return _one_of(rng, 50, 100, 300, 800), _one_of(rng, 1, 2, 3, 5, 10)


def _null(draw: Callable[[Generator, int, int], FloatArray]) -> Callable[[Generator], Made]:
    """Return a generator of tables without clusters from ``draw(rng, n_samples, n_features)``."""

    def make(rng: Generator) -> Made:
        n, d = _null_shape(rng)
        return draw(rng, n, d), np.zeros(n, dtype=np.int64)

    return make


def _correlated(rng: Generator, n: int, d: int) -> FloatArray:
    rows: FloatArray = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    return rows


def _binary(rng: Generator, n: int, d: int) -> FloatArray:
    d = max(d, 4)
    return (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)


def _walk(rng: Generator, n: int, d: int) -> FloatArray:
    return np.cumsum(rng.normal(size=(n, max(d, 2))), axis=0)


def _outliers(rng: Generator, n: int, d: int) -> FloatArray:
    """Draw normal rows, 1% of them moved by eight standard deviations in every feature."""
    X = rng.normal(size=(n, d))
    far = max(1, n // 100)
    X[:far] += rng.choice([-1, 1], size=(far, d)) * 8
    return X


STRUCTURED: Mapping[str, Callable[[Generator], Made]] = {
    "equal": _blobs,
    "unequal": lambda rng: _blobs(rng, True, spread=True),
    "elongated": lambda rng: _blobs(rng, True, rng.uniform(4.5, 7), elongated=True),
    "overlapping": _overlapping,
    "noise_columns": _noise_columns,
    "heavy_tails": _heavy_tails,
    "shapes": _shapes,
    "nested": _nested,
    "factors": _factors,
    "categories": _categories,
    "counts": _counts,
    "skewed": _skewed,
    "mixed_scales": _mixed_scales,
    "class_in_mixture": _class_in_mixture,
}
NULLS: Mapping[str, Callable[[Generator], Made]] = {
    "null_uniform": _null(lambda rng, n, d: rng.uniform(size=(n, d))),
    "null_normal": _null(lambda rng, n, d: rng.normal(size=(n, d))),
    "null_correlated": _null(_correlated),
    "null_tails": _null(lambda rng, n, d: rng.standard_t(3, size=(n, d))),
    "null_lognormal": _null(lambda rng, n, d: np.exp(rng.normal(size=(n, d)))),
    "null_binary": _null(_binary),
    "null_walk": _null(_walk),
    "null_outliers": _null(_outliers),
    "null_wide": _null(lambda rng, n, d: rng.normal(size=(n, _one_of(rng, 30, 100, 192)))),
}
# Scaling preserves the proportions of coordinates and shares.
_ISOTROPIC = ("shapes", "counts")
