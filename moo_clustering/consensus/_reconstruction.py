"""ES1: similarities that rebuild every sample from the neighbours an ensemble chose for it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._kernels.blocks import for_blocks
from moo_clustering._kernels.nnls import reconstruct

FloatArray = NDArray[np.float64]


def reconstruction_weights(
    X: NDArray[np.floating[Any]],
    edges: sp.csr_array,
    *,
    solver: Literal["nnls", "pso"] = "nnls",
    orientation: Literal["row", "column"] = "row",
    ridge: float = 0.025,
    min_weight: float = 0.0,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> sp.csr_array:
    """min ||reconstruction - X||_F^2, s_ij >= 0 on the edges and 0 elsewhere (PESC, Eq. 4).

    Separates into one small non-negative least-squares problem per sample.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    edges : csr_array of shape (n_samples, n_samples)
        Entry (i, j): some member linked i to j. Values are ignored.
    solver : {"nnls", "pso"}, default="nnls"
        Exact active-set solution, or the paper's simplified particle swarm (30 particles, 200
        iterations), which is hundreds of times slower and a little worse; it needs ``rng``.
    orientation : {"row", "column"}, default="row"
        ``"row"``: sample i from the samples i chose. ``"column"``: the literal product A S with
        samples in columns, sample j from the samples that chose j; one that nobody chose gets no
        weights.
    ridge : float, default=0.025
        Weight of ||s||^2 as a multiple of the mean feature variance. With more neighbours than
        features the minimiser is not unique without it. The swarm minimises the same sum.
    min_weight : float, default=0.0
        Edges of smaller weight get this one; with 0 edges of weight 0 are dropped.
    rng : numpy.random.Generator, optional
        For the swarm.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)

    Notes
    -----
    O(N (q^2 d + q^4)) worst case for q edges a sample; usually close to O(N q^2 (d + q)).
    """
    rho = ridge * float(X.var(axis=0, dtype=np.float64).mean())
    problem = edges if orientation == "row" else edges.T.tocsr()
    if solver == "pso":
        weights = _swarm(X, problem, rho, np.random.default_rng(rng))
    else:
        weights = _exact(X, problem, rho, n_jobs)
    np.maximum(weights, min_weight, out=weights)
    # A copy: dropping entries below must not reach the structure of the edges.
    S = sp.csr_array((weights, problem.indices, problem.indptr), shape=problem.shape, copy=True)
    S.eliminate_zeros()
    if orientation == "column":
        S = S.T.tocsr()
    S.sort_indices()
    return S


def _exact(X: NDArray[np.floating[Any]], edges: sp.csr_array, rho: float, n_jobs: int | None) -> FloatArray:
    A = np.ascontiguousarray(X)
    weights = np.zeros(edges.nnz)
    width = max(int(np.diff(edges.indptr).max(initial=0)), 1)
    for_blocks(
        lambda lo, hi: reconstruct(A, edges.indptr, edges.indices, rho, lo, hi, width, weights),
        len(A),
        width * width,
        n_jobs,
    )
    return weights


def _swarm(
    X: NDArray[np.floating[Any]],
    edges: sp.csr_array,
    rho: float,
    rng: np.random.Generator,
    n_particles: int = 30,
    n_iter: int = 200,
) -> FloatArray:
    """Velocity-free particle swarm, all samples with equally many edges at once."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.zeros(edges.nnz)
    sizes = np.diff(edges.indptr)
    for q in np.unique(sizes[sizes > 0]):
        samples = np.flatnonzero(sizes == q)
        # Bounds the (samples, particles, q) arrays of a batch to some tens of megabytes.
        for batch in np.array_split(samples, -(-len(samples) * n_particles * int(q) // 2_000_000)):
            entries = edges.indptr[batch, None] + np.arange(q)
            B = X[edges.indices[entries]]
            gram = B @ B.transpose(0, 2, 1) + rho * np.eye(q)
            target = (B @ X[batch][:, :, None])[:, :, 0]
            weights[entries] = _swarm_batch(gram, target, n_particles, n_iter, rng)
    return weights


def _swarm_batch(
    gram: FloatArray, target: FloatArray, n_particles: int, n_iter: int, rng: np.random.Generator
) -> FloatArray:
    """x <- max(0, w x + c r1 (own best - x) + c r2 (best - x)); w from 0.9 to 0.4, c = 2."""
    n, q = target.shape

    def loss(x: FloatArray) -> FloatArray:
        value: FloatArray = np.einsum("npq,npq->np", x @ gram, x) - 2.0 * (x @ target[:, :, None])[:, :, 0]
        return value

    x = rng.random((n, n_particles, q))
    own, own_loss = x.copy(), loss(x)
    rows = np.arange(n)
    for inertia in np.linspace(0.9, 0.4, n_iter):
        best = own[rows, own_loss.argmin(axis=1)][:, None, :]
        pull = 2.0 * rng.random(x.shape) * (own - x) + 2.0 * rng.random(x.shape) * (best - x)
        x = np.maximum(0.0, inertia * x + pull)
        new = loss(x)
        better = new < own_loss
        own[better], own_loss[better] = x[better], new[better]
    result: FloatArray = own[rows, own_loss.argmin(axis=1)]
    return result
