"""What every encoding of integer genes promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from contract.encodings import AROUND_MEDOIDS, ENCODINGS
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, relabel_by_first_appearance

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)
every_encoding = pytest.mark.parametrize("name", ENCODINGS)


def make(name, seed, n=None):
    rng = np.random.default_rng(seed)
    return ENCODINGS[name].make(int(rng.integers(2, 13)) if n is None else n, rng), rng


def partition(rng: np.random.Generator, encoding, p: int = 4) -> np.ndarray:
    """Random partitions into a number of clusters that every encoding here can express."""
    if isinstance(encoding, LocusAdjacencyEncoding) and encoding.links is not None:
        return encoding.decode(encoding.random(p, rng))
    low, high = getattr(encoding, "k_min", 1), getattr(encoding, "k_max", encoding.n_samples)
    rows = []
    for _ in range(p):
        k = int(rng.integers(low, high + 1))
        rows.append(
            rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, encoding.n_samples - k)]))
        )
    return np.array(rows)


def other_links(encoding: LocusAdjacencyEncoding, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Genotypes that lead to other samples of the same parts."""
    if encoding.kind == "split":
        return X.copy()
    same = encoding.base[X][..., None] == encoding.base
    return (rng.random(same.shape) * same).argmax(axis=-1).astype(X.dtype)


def assert_gap_free(labels: np.ndarray) -> None:
    for row in labels:
        assert_array_equal(np.unique(row), np.arange(row.max() + 1))


@every_encoding
@given(seed=SEEDS)
@FEW
def test_random_is_valid_and_within_bounds(name, seed):
    encoding, rng = make(name, seed)
    X = encoding.random(7, rng)
    lower, upper = encoding.bounds()
    assert X.shape == (7, encoding.n_var)
    assert X.dtype == encoding.dtype
    assert lower.shape == upper.shape == (encoding.n_var,)
    assert (lower <= X).all()
    assert (upper >= X).all()
    assert_array_equal(encoding.repair(X), X)
    n_clusters = encoding.decode(X).max(axis=1) + 1
    assert (n_clusters >= getattr(encoding, "k_min", 1)).all()
    assert (n_clusters <= getattr(encoding, "k_max", encoding.n_samples)).all()


@every_encoding
@given(seed=SEEDS)
@FEW
def test_decode(name, seed):
    encoding, rng = make(name, seed)
    X = encoding.random(6, rng)
    before = X.copy()
    labels = encoding.decode(X)
    assert labels.shape == (6, encoding.n_samples)
    assert labels.dtype == np.int32
    assert_gap_free(labels)
    assert_array_equal(X, before)
    assert_array_equal(labels, np.vstack([encoding.decode(row[None]) for row in X]))
    assert_array_equal(labels, encoding.decode(X.astype(float)))
    assert_array_equal(labels, encoding.decode(np.asfortranarray(X)))


@every_encoding
@given(seed=SEEDS)
@FEW
def test_repair_makes_anything_within_the_bounds_valid(name, seed):
    encoding, rng = make(name, seed)
    lower, upper = encoding.bounds()
    X = rng.uniform(lower, upper, size=(8, encoding.n_var))
    before = X.copy()
    repaired = encoding.repair(X)
    assert_array_equal(X, before)
    assert repaired.dtype == encoding.dtype
    assert ((lower <= repaired) & (repaired <= upper)).all()
    assert_array_equal(encoding.repair(repaired), repaired)
    labels = encoding.decode(repaired)
    assert_gap_free(labels)
    assert (labels.max(axis=1) + 1 >= getattr(encoding, "k_min", 1)).all()
    # Beyond the bounds as well.
    assert_gap_free(encoding.decode(encoding.repair(3 * X - 5)))


@every_encoding
@given(seed=SEEDS)
@FEW
def test_encode_gives_valid_genotypes(name, seed):
    encoding, rng = make(name, seed)
    labels = partition(rng, encoding)
    before = labels.copy()
    X = encoding.encode(labels)
    assert X.dtype == encoding.dtype
    assert_array_equal(encoding.repair(X), X)
    assert_array_equal(labels, before)
    if not isinstance(encoding, AROUND_MEDOIDS):
        assert_array_equal(encoding.decode(X), relabel_by_first_appearance(labels))


@every_encoding
@given(seed=SEEDS)
@FEW
def test_canonical_is_equal_for_equivalent_genotypes(name, seed):
    encoding, rng = make(name, seed)
    X = encoding.random(5, rng)
    if isinstance(encoding, LocusAdjacencyEncoding) and encoding.links is not None:
        other = other_links(encoding, X, rng)
        assert_array_equal(encoding.decode(X), encoding.decode(other))
    elif isinstance(encoding, AROUND_MEDOIDS):
        other = encoding.repair(rng.permuted(X, axis=1))
    elif isinstance(encoding, LabelEncoding):
        other = rng.permutation(encoding.k_max)[X]
    else:
        other = encoding.encode(encoding.decode(X))
    canonical = encoding.canonical(X)
    assert_array_equal(canonical, encoding.canonical(other))
    assert_array_equal(canonical, encoding.canonical(X.astype(float)))
    assert canonical.shape[0] == 5


@every_encoding
@given(seed=SEEDS)
@FEW
def test_canonical_differs_for_different_partitions(name, seed):
    encoding, rng = make(name, seed)
    X = encoding.random(8, rng)
    canonical = encoding.canonical(X)
    # The order of medoids decides ties, and canonical forgets it.
    genotypes = canonical if isinstance(encoding, AROUND_MEDOIDS) else X
    labels = relabel_by_first_appearance(encoding.decode(genotypes))
    for a in range(8):
        for b in range(a):
            if not np.array_equal(labels[a], labels[b]):
                assert not np.array_equal(canonical[a], canonical[b])
