"""Data shared by the tests of factorisations."""

import numpy as np
import pytest
from scipy import sparse


@pytest.fixture(scope="session")
def worked():
    """Four documents in tf-idf weights of five terms, and first factors."""
    counts = np.array([[2, 1, 0, 0, 1], [1, 2, 0, 0, 1], [0, 0, 3, 1, 1], [0, 1, 1, 2, 1]], dtype=float)
    A = counts * np.log(4 / (counts > 0).sum(axis=0))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    U = np.array([[1, 0.5], [0.5, 1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.3]])
    V = np.array([[1, 0.2], [0.4, 0.6], [0.3, 0.9], [0.8, 0.1]])
    return A, U, V


def documents(n_documents, n_terms, n_topics, seed, density=0.15):
    """Sparse weights of documents about one topic each, and the topics."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n_documents) % n_topics
    of_topic = rng.random((n_topics, n_terms)) < 0.3
    present = rng.random((n_documents, n_terms)) < np.where(of_topic[classes], 3 * density, density / 5)
    return sparse.csr_array(present * rng.exponential(size=present.shape)), classes


@pytest.fixture(scope="session")
def corpus():
    return documents(90, 210, 4, seed=3)[0]


@pytest.fixture(scope="session")
def make_documents():
    return documents
