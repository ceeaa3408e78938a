"""What every encoding of integer genes refuses, and what it draws."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contract.copies import pickled
from contract.encodings import ENCODINGS

every_encoding = pytest.mark.parametrize("name", ENCODINGS)


def make(name, seed, n=None):
    rng = np.random.default_rng(seed)
    return ENCODINGS[name].make(int(rng.integers(2, 13)) if n is None else n, rng), rng


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
    with pytest.raises(ValueError, match="Repair"):
        encoding.decode(X + 0.25)
    with pytest.raises(ValueError, match="Repair"):
        encoding.decode(np.full(X.shape, encoding.n_samples))
    with pytest.raises(ValueError, match="Repair"):
        encoding.decode(np.full(X.shape, -2))
    with pytest.raises(ValueError, match="NaN"):
        encoding.repair(np.full(X.shape, np.nan))
    with pytest.raises(TypeError, match="numeric"):
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
    assert_array_equal(pickled(encoding).decode(X), encoding.decode(X))
