"""Indices of memberships: numbers worked by hand, naive loops, and labels as memberships of 0 and 1."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.metrics import silhouette_samples

from moo_clustering import validity
from moo_clustering._arrays import block_slices
from moo_clustering.validity import (
    Deviation,
    FuzzyHypervolume,
    FuzzySilhouette,
    FuzzySumOfSquares,
    FuzzyXieBeni,
    PartitionCoefficient,
    PartitionEntropy,
    Silhouette,
    XieBeni,
)

RNG = np.random.default_rng(3)
X = RNG.normal(size=(24, 3)) + 4.0 * np.eye(3)[np.arange(24) % 3]
U = RNG.dirichlet([0.5, 0.5, 0.5, 0.5], size=(5, 24))
LABELS = np.array([np.r_[np.arange(k), RNG.integers(0, k, 24 - k)] for k in (2, 3, 5)], dtype=np.int32)
ALL = {
    "sum": FuzzySumOfSquares(),
    "xie_beni": FuzzyXieBeni(1.5),
    "volume": FuzzyHypervolume(),
    "coefficient": PartitionCoefficient(),
    "normalized coefficient": PartitionCoefficient(normalized=True),
    "entropy": PartitionEntropy(),
    "normalized entropy": PartitionEntropy(normalized=True),
    "silhouette": FuzzySilhouette(),
}
every = pytest.mark.parametrize("name", ALL)


def one_hot(labels):
    return np.eye(labels.max() + 1)[labels]


def naive_means(u, m):
    return [sum(u[i, c] ** m * X[i] for i in range(24)) / sum(u[:, c] ** m) for c in range(u.shape[1])]


def naive_sum(u, m):
    means = naive_means(u, m)
    return sum(u[i, c] ** m * math.dist(X[i], means[c]) ** 2 for i in range(24) for c in range(u.shape[1]))


def naive_volume(u, m):
    total = 0.0
    for c, mean in enumerate(naive_means(u, m)):
        scatter = sum(u[i, c] ** m * np.outer(X[i] - mean, X[i] - mean) for i in range(24))
        total += math.sqrt(np.linalg.det(scatter / sum(u[:, c] ** m)))
    return total


def naive_silhouette(u, alpha):
    widths = silhouette_samples(X, u.argmax(axis=1))
    first, second = (np.sort(u, axis=1)[:, -q] for q in (1, 2))
    return np.average(widths, weights=(first - second) ** alpha)


def test_worked_numbers():
    """Samples 0, 1 and 2; the middle one belongs half to each cluster.

    With squared memberships 1, 1/4, 0, the first mean is (1/4) / (5/4) = 1/5 and the second 9/5. Each cluster
    contributes (1/5)^2 + (1/4) (4/5)^2 = 1/5, and the means are 8/5 apart.
    """
    points, u = [[0.0], [1.0], [2.0]], [[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]]
    expected = {
        FuzzySumOfSquares(): 2 / 5,
        FuzzyXieBeni(): (2 / 5) / (3 * (8 / 5) ** 2),
        # Weights 1 and 1/2: mean 1/3, variance (1/9 + (1/2) (4/9)) / (3/2) = 2/9.
        FuzzyHypervolume(): 2 * math.sqrt(2 / 9),
        PartitionCoefficient(): (1 + 1 / 2 + 1) / 3,
        PartitionCoefficient(normalized=True): 1 - 2 * (1 / 6),
        PartitionEntropy(): math.log(2) / 3,
        PartitionEntropy(normalized=True): 1 / 3,
        # The middle sample has weight 0; the first is in a pair with it: a = 1, b = 2. The last is alone.
        FuzzySilhouette(): (1 / 2 + 0) / 2,
    }
    for index, value in expected.items():
        assert_allclose(index.fit(points).evaluate(u), [value], rtol=1e-14, err_msg=type(index).__name__)


@pytest.mark.parametrize("m", [1.0, 1.7, 2.0])
def test_equal_to_naive_loops(m):
    assert_allclose(FuzzySumOfSquares(m).fit(X).evaluate(U), [naive_sum(u, m) for u in U], rtol=1e-12)
    assert_allclose(FuzzyHypervolume(m).fit(X).evaluate(U), [naive_volume(u, m) for u in U], rtol=1e-10)
    assert_allclose(FuzzySilhouette(m).fit(X).evaluate(U), [naive_silhouette(u, m) for u in U], rtol=1e-10)
    nearest = [
        min(math.dist(a, b) ** 2 for a in v for b in v if a is not b) for v in map(naive_means, U, [m] * 5)
    ]
    expected = [naive_sum(u, m) / (24 * least) for u, least in zip(U, nearest, strict=True)]
    assert_allclose(FuzzyXieBeni(m).fit(X).evaluate(U), expected, rtol=1e-10)


def test_labels_give_the_hard_indices():
    for row in LABELS:
        u = one_hot(row)[np.newaxis]
        assert_allclose(FuzzyXieBeni().fit(X).evaluate(u), XieBeni().fit(X).evaluate(row), rtol=1e-12)
        assert_allclose(FuzzySilhouette().fit(X).evaluate(u), Silhouette().fit(X).evaluate(row), rtol=1e-12)
        within = sum(((X[row == c] - X[row == c].mean(axis=0)) ** 2).sum() for c in range(row.max() + 1))
        assert_allclose(FuzzySumOfSquares().fit(X).evaluate(u), [within], rtol=1e-12)
        assert PartitionCoefficient(normalized=True).fit(X).evaluate(u) == [1.0]
        assert PartitionEntropy().fit(X).evaluate(u) == [0.0]


@every
def test_labels_and_memberships_of_zero_and_one(name):
    index = ALL[name].fit(X)
    stacked = np.zeros((3, 24, 5))
    for row, labels in enumerate(LABELS):
        stacked[row, np.arange(24), labels] = 1.0
    # Columns of zeros are not clusters.
    assert_allclose(index.evaluate(stacked), index.evaluate(LABELS), rtol=1e-12)


@every
def test_order_of_clusters_and_samples_and_an_empty_cluster(name, monkeypatch):
    expected = ALL[name].fit(X).evaluate(U)
    assert np.isfinite(expected).all()
    assert len(set(expected)) == 5
    order = RNG.permutation(24)
    wide = np.concatenate([U[:, order][:, :, ::-1], np.zeros((5, 24, 1))], axis=2)
    assert_allclose(ALL[name].fit(X[order] + 1000.0).evaluate(wide), expected, rtol=1e-9)
    alone = [ALL[name].fit(X).evaluate(u[np.newaxis])[0] for u in U]
    assert_allclose(alone, expected, rtol=1e-12)
    monkeypatch.setitem(block_slices.__globals__, "BLOCK_ITEMS", 100)
    assert_allclose(ALL[name].fit(X).evaluate(U), expected, rtol=1e-12)


@every
def test_equal_memberships_and_equal_samples(name):
    equal = {
        "coefficient": 1 / 4,
        "normalized coefficient": 0.0,
        "entropy": math.log(4),
        "normalized entropy": 1.0,
        "silhouette": -1.0,
    }
    values = ALL[name].fit(X).evaluate(np.full((1, 24, 4), 0.25))
    assert np.isfinite(values).all()
    if name in equal:
        assert_allclose(values, equal[name], atol=1e-14)
    same = ALL[name].fit(np.full((24, 3), 0.1)).evaluate(U)
    assert np.isfinite(same).all()
    if name in ("sum", "xie_beni", "volume"):
        assert_allclose(same, 0.0)


def test_a_huge_volume_stays_finite():
    wide = np.random.default_rng(0).normal(size=(40, 12)) * 1e60
    assert FuzzyHypervolume().fit(wide).evaluate(np.zeros(40, int)) == pytest.approx(1e300)


def test_deviation_is_not_the_sum_of_squares():
    # Deviation sums distances, not their squares.
    assert Deviation().fit(X).evaluate(LABELS[0]) < FuzzySumOfSquares().fit(X).evaluate(LABELS[0])


WRONG = {
    "shape": (np.full((24, 2), 0.5), "labels must"),
    "samples": (np.full((1, 23, 2), 0.5), r"shape \(n_individuals, 24, n_clusters\), got shape \(1, 23, 2\)"),
    "sum": (
        np.full((1, 24, 2), 0.4),
        "must sum to 1 .* got 0.8 for sample 0 of individual 0; divide them by",
    ),
    "negative": (np.tile([1.5, -0.5], (1, 24, 1)), "must be non-negative, got -0.5"),
    "nan": (np.full((1, 24, 2), np.nan), "must be non-negative, got nan"),
    "infinite": (np.full((1, 24, 2), np.inf), "must sum to 1"),
    "text": (np.full((1, 24, 2), "a"), "must be a numeric array"),
}


@every
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_memberships(name, wrong):
    memberships, message = WRONG[wrong]
    with pytest.raises(ValueError, match=message):
        ALL[name].fit(X).evaluate(memberships)


def test_wrong_options_and_missing_fit():
    with pytest.raises(NotFittedError):
        FuzzyXieBeni().evaluate(U)
    for index in (FuzzySumOfSquares(0.9), FuzzyXieBeni(math.nan), FuzzyHypervolume(math.inf)):
        with pytest.raises(ValueError, match="fuzziness must be a finite number of at least 1, got"):
            index.fit(X)
    with pytest.raises(TypeError, match="fuzziness must be a number of at least 1, got '2'"):
        FuzzySumOfSquares("2").fit(X)
    with pytest.raises(ValueError, match="alpha must be"):
        FuzzySilhouette(0.0).fit(X)


def test_names():
    for index in ALL.values():
        assert type(validity.get_index(index.name)) is type(index)
