"""What a factorisation takes and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from moo_clustering.factorization import factorization_loss, nmf

SEEDS = np.random.SeedSequence(3).spawn(3)


def test_any_matrix_of_numbers(corpus):
    expected = nmf(corpus, 3, seeds=SEEDS, max_iter=5)
    dense = corpus.toarray()
    read_only = sparse.csr_array(dense)
    read_only.data.setflags(write=False)
    coo = corpus.tocoo()
    order = np.random.default_rng(0).permutation(coo.nnz)
    halves = sparse.coo_array(
        (
            np.tile(coo.data[order] / 2, 2),
            (np.tile(coo.coords[0][order], 2), np.tile(coo.coords[1][order], 2)),
        ),
        shape=coo.shape,
    )
    for A in (dense, dense.tolist(), corpus.tocsc(), sparse.csr_matrix(corpus), read_only, halves):
        runs = nmf(A, 3, seeds=SEEDS, max_iter=5)
        np.testing.assert_allclose(runs.U, expected.U, rtol=1e-9, atol=1e-14)


def test_counts_and_what_is_given_stay():
    C = sparse.csr_array(np.array([[2, 0, 1], [0, 3, 0], [1, 1, 0]]))
    C.indices[:2], C.data[:2] = [2, 0], [1, 2]
    C.has_sorted_indices = C.has_canonical_format = False
    before = C.copy()
    U, V = np.ones((1, 3, 2)), np.ones((1, 3, 2))
    runs = nmf(C, 2, starts=(U, V))
    assert runs.losses[0] == pytest.approx(factorization_loss(C, runs.U[0], runs.V[0]))
    np.testing.assert_array_equal(C.data, before.data)
    np.testing.assert_array_equal(C.indices, before.indices)
    assert (U == 1).all()
    assert (V == 1).all()


def test_more_components_than_rows():
    runs = nmf([[1.0, 2.0], [3.0, 1.0]], 5, seeds=SEEDS, tol=0, max_iter=500)
    np.testing.assert_allclose(runs.losses, 0, atol=1e-6)
    assert (runs.losses >= 0).all()


def test_seeds():
    A = np.eye(4)
    assert len(nmf(A, 2).losses) == 1
    fresh = nmf(A, 2, n_runs=3, max_iter=1)
    assert len(fresh.losses) == 3
    assert len(np.unique(fresh.losses)) == 3
    assert fresh.best == np.argmin(fresh.losses)
    assert len(nmf(A, 2, n_runs=3, seeds=SEEDS).losses) == 3
    with pytest.raises(ValueError, match="seeds must contain n_runs=2 runs, got 3"):
        nmf(A, 2, n_runs=2, seeds=SEEDS)
    with pytest.raises(ValueError, match="seeds must contain at least one run, got 0"):
        nmf(A, 2, seeds=[])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": [[1.0, -1.0]]}, "Negative values"),
        ({"A": [[1.0, np.nan]]}, "NaN"),
        ({"A": [[1.0, np.inf]]}, "infinity"),
        ({"A": [1.0, 2.0]}, "2D array"),
        ({"A": [[1e200, 1.0]]}, "squares overflow float64"),
        ({"A": [[1e25, 1.0]], "dtype": "float32"}, "squares overflow float32"),
        ({"A": [[1e-200, 0.0]]}, "squares vanish in float64"),
        ({"A": [[1e-25, 0.0]], "dtype": "float32"}, "squares vanish in float32"),
        ({"A": np.zeros((3, 0))}, "0 feature"),
        ({"n_components": 0}, "n_components must be an integer of at least 1"),
        ({"n_components": 1.5}, "n_components must be an integer of at least 1"),
        ({"n_components": True}, "n_components must be an integer of at least 1, got True"),
        ({"n_runs": 0}, "n_runs must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1.0}, "tol must be non-negative"),
        ({"tol": float("nan")}, "tol must be non-negative"),
        ({"dtype": "int32"}, "dtype must be one of 'float64', 'float32'"),
        ({"solver": "hal"}, "solver must be one of .*, got 'hal'; did you mean 'hals'"),
        (
            {"starts": (np.ones((1, 2, 1)), np.ones((1, 3, 1)))},
            r"V of starts must have shape \(n_runs, 1, 1\)",
        ),
        ({"starts": (np.ones((2, 2, 1)), np.ones((1, 1, 1)))}, "the same n_runs"),
        ({"starts": (-np.ones((1, 2, 1)), np.ones((1, 1, 1)))}, "U of starts must be non-negative, got -1"),
        ({"starts": (np.ones((1, 2, 1)), np.ones((1, 1, 1))), "seeds": SEEDS}, "either seeds or starts"),
    ],
)
def test_refusals(change, message):
    arguments = {"A": [[1.0, 2.0]], "n_components": 1, **change}
    with pytest.raises((TypeError, ValueError), match=message):
        nmf(**arguments)
