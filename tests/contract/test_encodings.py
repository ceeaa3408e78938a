"""What encodings of all kinds promise: canonical forms, rows alone, their generator, inputs left alone."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contract.copies import copied_in_deepcopy, pickled, repeated
from contract.encodings import EVERY_ENCODING
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names, public_classes
from moo_clustering.encodings import Encoding

N = 24
every_encoding = pytest.mark.parametrize("case", EVERY_ENCODING.values(), ids=EVERY_ENCODING.keys())


def encoding_of(case):
    return case.make(N, np.random.default_rng(0))


def test_every_public_encoding_is_listed():
    assert listed_names(EVERY_ENCODING) | {"Encoding"} == set(public_classes(Encoding))


@every_encoding
def test_partitions_have_no_gaps_and_canonical_genes_decode_to_the_same(case):
    encoding = encoding_of(case)
    X = encoding.random(9, np.random.default_rng(1))
    labels = encoding.decode(X)
    assert labels.shape == (9, N)
    assert labels.dtype == np.int32
    for row in labels:
        assert_array_equal(np.unique(row), np.arange(row.max() + 1))
    canonical = encoding.canonical(X)
    assert_array_equal(encoding.canonical(encoding.repair(X)), canonical)
    for one in range(9):
        for other in range(one):
            if np.array_equal(canonical[one], canonical[other]):
                assert _same(labels[one], labels[other])


def _same(one, other):
    return np.array_equal(np.equal.outer(one, one), np.equal.outer(other, other))


@every_encoding
@pytest.mark.parametrize("method", ["decode", "repair", "canonical"])
def test_rows_together_and_one_by_one_read_only(case, method):
    encoding = encoding_of(case)
    X = encoding.random(9, np.random.default_rng(1))
    kept = X.copy()
    together = getattr(encoding, method)(X)
    assert_array_equal(X, kept)
    X.flags.writeable = False
    alone = [getattr(encoding, method)(X[row : row + 1]) for row in range(9)]
    assert_array_equal(np.concatenate(alone), together)


@every_encoding
def test_only_the_generator_handed_in_decides(case):
    expected = encoding_of(case).random(9, np.random.default_rng(1))
    with seeded(1), poisoned():
        encoding = encoding_of(case)
        found = encoding.random(9, np.random.default_rng(1))
        encoding.decode(encoding.repair(found))
    assert_array_equal(found, expected)


@every_encoding
def test_copies_decode_the_same_and_share_the_data(case):
    encoding = encoding_of(case)
    X = encoding.random(9, np.random.default_rng(1))
    for twin in (copy.deepcopy(encoding), pickled(encoding)):
        assert_array_equal(twin.decode(X), encoding.decode(X))
        assert_array_equal(
            twin.random(3, np.random.default_rng(2)), encoding.random(3, np.random.default_rng(2))
        )
    assert copied_in_deepcopy(encoding, least=100) == []
    assert repeated(encoding, least=300) == []
