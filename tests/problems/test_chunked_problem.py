"""Chunks of a population give what the population gives."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from pymoo.core.problem import ElementwiseProblem, Problem

from moo_clustering import PairwiseConstraints
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import ChunkedProblem, FuzzyModesProblem, PartitionProblem


class Sums(Problem):
    """Sums of rows, and how many rows there were at a time."""

    def __init__(self):
        super().__init__(n_var=3, n_obj=1, n_ieq_constr=2, xl=0, xu=9, vtype=int)
        self.sizes = []

    def _evaluate(self, X, out, *args, **kwargs):
        self.sizes.append(len(X))
        out["F"] = X.sum(axis=1)
        out["G"] = X[:, :2] - 5.0
        out["extra"] = X[:, ::-1]


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 20), st.integers(1, 25), st.integers(0, 99))
def test_every_individual_once_in_its_place(n, chunk_size, seed):
    X = np.random.default_rng(seed).integers(10, size=(n, 3))
    whole = Sums()
    problem = ChunkedProblem(whole, chunk_size=chunk_size, n_jobs=1)
    out = problem.evaluate(X, return_as_dictionary=True)
    assert whole.sizes == [min(chunk_size, n - lo) for lo in range(0, n, chunk_size)]
    np.testing.assert_array_equal(out["F"][:, 0], X.sum(axis=1))
    np.testing.assert_array_equal(out["G"], X[:, :2] - 5.0)
    np.testing.assert_array_equal(out["extra"], X[:, ::-1])


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_change_nothing(backend):
    X = np.random.default_rng(0).random((80, 3))
    pairs = PairwiseConstraints(must_link=[(0, 1)], cannot_link=[(2, 3)], n_samples=80)
    inner = PartitionProblem(
        X, MedoidEncoding(X, k_max=4), ["silhouette"], constraints=pairs, constraint_handling="constraint"
    )
    genes = inner.encoding.random(21, np.random.default_rng(1))
    serial = ChunkedProblem(inner, chunk_size=5, n_jobs=1).evaluate(genes)
    with parallel_config(backend=backend, n_jobs=2):
        parallel = ChunkedProblem(inner, chunk_size=5).evaluate(genes)
    for a, b, whole in zip(serial, parallel, inner.evaluate(genes), strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, whole, rtol=1e-12)


def test_what_evaluation_writes_back():
    data = np.random.default_rng(0).integers(3, size=(40, 4))
    inner = FuzzyModesProblem(data, 2, metric="hamming")
    genes = data[:6].reshape(3, 8)
    out = ChunkedProblem(inner, chunk_size=2, n_jobs=1).evaluate(genes, return_as_dictionary=True)
    np.testing.assert_array_equal(out["X"], inner.evaluate(genes, return_as_dictionary=True)["X"])


def test_stands_for_the_problem():
    inner = Sums()
    problem = ChunkedProblem(inner)
    assert problem.sizes is inner.sizes
    assert (problem.n_var, problem.n_obj, problem.n_ieq_constr, problem.vtype) == (3, 1, 2, int)
    np.testing.assert_array_equal(problem.bounds(), inner.bounds())
    with pytest.raises(AttributeError, match="no_such"):
        problem.no_such  # noqa: B018
    for again in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert again.chunk_size == problem.chunk_size
        np.testing.assert_array_equal(again.evaluate(np.ones((2, 3)))[0], [[3.0], [3.0]])


def test_copies_share_what_the_problem_shares():
    X = np.random.default_rng(0).random((20, 2))
    problem = ChunkedProblem(PartitionProblem(X, MedoidEncoding(X, k_max=3), ["silhouette"]))
    assert copy.deepcopy(problem).encoding is problem.encoding


def test_refuses_what_it_cannot_take():
    with pytest.raises(TypeError, match="must be a pymoo Problem, got 'zdt1'"):
        ChunkedProblem("zdt1")
    with pytest.raises(TypeError, match="one individual at a time"):
        ChunkedProblem(ElementwiseProblem(n_var=2, n_obj=1, xl=0, xu=1))
    for size in (0, -1, 2.0, True):
        with pytest.raises((TypeError, ValueError), match="chunk_size must be an integer of at least 1"):
            ChunkedProblem(Sums(), chunk_size=size)
