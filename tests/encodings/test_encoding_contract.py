"""What every encoding promises, for all of them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from moo_clustering.encodings import (
    Encoding,
    LabelEncoding,
    LocusAdjacencyEncoding,
    MedoidEncoding,
    relabel_by_first_appearance,
)
from moo_clustering.encodings._medoid_slots import MedoidSlotEncoding
from moo_clustering.graphs import locus_graph

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


def medoids(n: int, rng: np.random.Generator, **kwargs) -> MedoidEncoding:
    # Few distinct values: duplicates and ties are the hard part.
    return MedoidEncoding(rng.integers(0, 4, size=(n, 2)).astype(float), **kwargs)


def slots(n: int, rng: np.random.Generator, **kwargs) -> MedoidSlotEncoding:
    # Not symmetric, and with ties.
    return MedoidSlotEncoding(rng.integers(0, 4, size=(n, n)).astype(float), **kwargs)


def neighbors(n: int, rng: np.random.Generator) -> np.ndarray:
    others = np.array([np.delete(np.arange(n), i) for i in range(n)])
    return rng.permuted(others, axis=1)[:, : min(3, n - 1)]


def tree_links(n: int, rng: np.random.Generator, kind, delta: float = 0.0) -> LocusAdjacencyEncoding:
    # Duplicates and ties again.
    graph = locus_graph(rng.integers(0, 4, size=(n, 2)).astype(float), n_neighbors=3, rng=rng)
    return LocusAdjacencyEncoding(graph=graph, kind=kind, delta=delta)


MAKERS = {
    "medoids": lambda n, rng: medoids(n, rng),
    "medoids, one k": lambda n, rng: medoids(n, rng, k_min=min(3, n), k_max=min(3, n)),
    "medoids, any k": lambda n, rng: medoids(n, rng, k_min=1, k_max=n),
    "slots": lambda n, rng: slots(n, rng, k_max=min(4, n)),
    "slots, one k": lambda n, rng: slots(n, rng, k_min=min(3, n), k_max=min(3, n)),
    "slots, any k": lambda n, rng: slots(n, rng, k_min=1, k_max=n),
    "labels": lambda n, rng: LabelEncoding(n, k_max=min(4, n)),
    "labels, one k": lambda n, rng: LabelEncoding(n, k_max=min(3, n), k_min=min(3, n)),
    "links": lambda n, rng: LocusAdjacencyEncoding(n_samples=n),
    "links to neighbours": lambda n, rng: LocusAdjacencyEncoding(neighbors(n, rng)),
    "links with a graph": lambda n, rng: tree_links(n, rng, "locus"),
    "all links of a tree": lambda n, rng: tree_links(n, rng, "short"),
    "all cuts of a tree": lambda n, rng: tree_links(n, rng, "split"),
    "some links of a tree": lambda n, rng: tree_links(n, rng, "short", delta=50),
    "some cuts of a tree": lambda n, rng: tree_links(n, rng, "split", delta=50),
}


# Their partitions are those around medoids only, and the order of the medoids decides ties.
AROUND_MEDOIDS = (MedoidEncoding, MedoidSlotEncoding)

every_encoding = pytest.mark.parametrize("name", MAKERS)


def make(name: str, seed: int, n: int | None = None) -> tuple[Encoding, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return MAKERS[name](int(rng.integers(2, 13)) if n is None else n, rng), rng


def partition(rng: np.random.Generator, encoding: Encoding, p: int = 4) -> np.ndarray:
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


@every_encoding
def test_random_is_decided_by_the_seed(name):
    encoding, _ = make(name, 3, n=12)
    first, again, other = (encoding.random(20, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@every_encoding
def test_random_varies_between_individuals(name):
    encoding, rng = make(name, 4, n=12)
    assert len(np.unique(encoding.random(20, rng), axis=0)) > 10


@every_encoding
def test_empty_population(name):
    encoding, rng = make(name, 5, n=6)
    X = encoding.random(0, rng)
    assert X.shape == (0, encoding.n_var)
    assert encoding.decode(X).shape == (0, 6)
    assert encoding.repair(X).shape == (0, encoding.n_var)
    assert len(encoding.canonical(X)) == 0
    assert encoding.encode(np.empty((0, 6), dtype=int)).shape == (0, encoding.n_var)


@every_encoding
def test_wrong_populations_are_refused(name):
    encoding, rng = make(name, 6, n=6)
    X = encoding.random(2, rng)
    with pytest.raises(ValueError, match="shape"):
        encoding.decode(X[0])
    with pytest.raises(ValueError, match="shape"):
        encoding.repair(np.hstack([X, X]))
    with pytest.raises(ValueError, match="repair"):
        encoding.decode(X + 0.25)
    with pytest.raises(ValueError, match="repair"):
        encoding.decode(np.full(X.shape, encoding.n_samples))
    with pytest.raises(ValueError, match="repair"):
        encoding.decode(np.full(X.shape, -2))
    with pytest.raises(ValueError, match="NaN"):
        encoding.repair(np.full(X.shape, np.nan))
    with pytest.raises(TypeError, match="numbers"):
        encoding.decode(X.astype(str))


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([[0, 1, 0]], ValueError),
        ([[0, 1, -1, 0]], ValueError),
        ([[0, 1, 4, 0]], ValueError),
        ([[0.0] * 4], TypeError),
    ],
)
@every_encoding
def test_wrong_labels_are_refused(name, labels, error):
    encoding, _ = make(name, 7, n=4)
    with pytest.raises(error, match="labels"):
        encoding.encode(np.array(labels))


@every_encoding
def test_copies_share_and_pickles_agree(name):
    encoding, rng = make(name, 8, n=9)
    X = encoding.random(5, rng)
    for array in ("distances", "neighbors"):
        if getattr(encoding, array, None) is not None:
            assert getattr(copy.deepcopy(encoding), array) is getattr(encoding, array)
    assert_array_equal(pickle.loads(pickle.dumps(encoding)).decode(X), encoding.decode(X))
