"""Small corpora with classes."""

import numpy as np
import pytest

from moo_clustering._targets import partial_targets


def _corpus(seed=0, n=60, m=25, k=4, n_labels=5, density=0.2):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, m)) < density).astype(float)
    X[0], X[1] = 0.0, 1.0  # every feature varies
    Y = (rng.random((n, n_labels)) < 0.3).astype(int)
    Y[rng.random(n) < 0.4] = -1
    return X, partial_targets(Y, n), rng.dirichlet(np.ones(k), size=n)


@pytest.fixture
def corpus():
    """Binary X, targets of several labels, memberships."""
    return _corpus()


@pytest.fixture
def make_corpus():
    return _corpus
