"""Smallest eigenpairs of large sparse Laplacians, also where many of them are almost zero."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, svd
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh, lobpcg, splu

Doubles = NDArray[np.float64]
Pairs = tuple[Doubles, Doubles]
Step = Callable[[Doubles], Doubles]

# Accepted |L u - lambda u| relative to the scale of L.
_RESIDUAL = 1e-4
_MAX_PASSES = 6
_MAX_RESTARTS = 100
_SPARE = 4
_WEAK = 1e-3


def dense_pairs(L: sp.csr_array, n_pairs: int) -> Pairs:
    """All-dense solution; O(n^3) time, O(n^2) memory."""
    values, vectors = eigh(L.toarray(), subset_by_index=[0, n_pairs - 1])
    return values, vectors


def lanczos_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    factorize: bool = False,
) -> Pairs:
    """Lanczos iteration, repeated on what is orthogonal to the vectors found until nothing is missing.

    One Lanczos run sees one vector of an eigenspace, so it passes over copies of eigenvalues that
    are (nearly) equal, as the zeros of a graph in (nearly) separate parts are.

    Parameters
    ----------
    L : csr_array
        Laplacian with eigenvalues in [0, 2 scale].
    n_pairs : int
    scale : float
    known : csr_array of shape (n, c)
        Orthonormal vectors, one per part of the graph, that span what is almost the null space.
    rng : numpy.random.Generator
        Draws the starting vectors.
    factorize : bool, default=False
        Iterate with (L + tiny I)^-1 instead of I - L / scale. Far fewer steps, but the memory for the
        factors grows fast with the number of neighbours of a sample.
    """
    n = L.shape[0]
    step, tolerance = _inverse(L, scale) if factorize else _forward(L, scale)
    found = _reduced_vectors(L, known, n_pairs)
    values, vectors = rayleigh_ritz(L, found, n_pairs) if found.shape[1] else (np.empty(0), found)
    for _ in range(_MAX_PASSES):
        n_missing = n_pairs - vectors.shape[1]
        operator = _Deflated(step, known, vectors)
        room = n - max(known.shape[1], vectors.shape[1])
        wanted = min(n_missing if n_missing > 0 else min(n_pairs, 3), room)
        if wanted < 1:
            break
        new = operator.largest(wanted, tolerance, rng)
        if not new.shape[1]:
            break
        quotients = np.einsum("ij,ij->j", new, L @ new)
        if n_missing <= 0 and quotients.min() >= min(0.99 * values[-1], values[-1] - 1e-6 * scale):
            break
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, new]), n_pairs)
    if vectors.shape[1] < n_pairs:
        return power_pairs(L, n_pairs, scale, known, rng, n_steps=200)
    return _refine(L, values, vectors, scale)


def _forward(L: sp.csr_array, scale: float) -> tuple[Step, float]:
    """x -> (I - L / scale) x, and the tolerance of Lanczos that leaves residuals small enough."""
    return (lambda x: x - (L @ x) / scale), _RESIDUAL


def _inverse(L: sp.csr_array, scale: float) -> tuple[Step, float]:
    """x -> (L + shift I)^-1 x by one sparse factorisation, and the tolerance for it."""
    shifted = (L + 1e-5 * scale * sp.eye_array(L.shape[0])).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return factors.solve, 1e-6


class _Deflated:
    """A symmetric operator on the orthogonal complement of vectors already known."""

    def __init__(self, step: Step, known: sp.csr_array, vectors: Doubles) -> None:
        self.step, self.known = step, known
        self.known_t = known.T.tocsr()
        beside, weight, _ = svd(vectors - known @ (self.known_t @ vectors), full_matrices=False)
        self.beside = beside[:, weight > 1e-8]

    def outside(self, x: Doubles) -> Doubles:
        residual: Doubles = x - self.known @ (self.known_t @ x) - self.beside @ (self.beside.T @ x)
        return residual

    def matvec(self, x: Doubles) -> Doubles:
        return self.outside(self.step(self.outside(x.reshape(-1))))

    def largest(self, n_pairs: int, tolerance: float, rng: np.random.Generator) -> Doubles:
        """Vectors of the largest eigenvalues, as many as converge, orthonormal."""
        n = self.known.shape[0]
        start = self.outside(rng.standard_normal(n))
        operator = LinearOperator((n, n), matvec=self.matvec, dtype=np.float64)
        try:
            _, vectors = eigsh(
                operator,
                n_pairs,
                which="LA",
                tol=tolerance,
                v0=start,
                ncv=min(n, max(2 * n_pairs + 1, 20)),
                maxiter=_MAX_RESTARTS,
            )
        except ArpackNoConvergence as partial:
            vectors = partial.eigenvectors
        except ArpackError:
            vectors = np.empty((n, 0))
        return np.asarray(vectors, dtype=np.float64)


def lobpcg_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    jacobi: bool,
) -> Pairs:
    """Block conjugate gradients with a block somewhat wider than asked; Lanczos if it breaks down."""
    block = _start_block(known, min(n_pairs + _SPARE, L.shape[0] // 5), rng)
    preconditioner = sp.diags_array(1.0 / np.maximum(L.diagonal(), 1e-12 * scale)) if jacobi else None
    if block.shape[1] < n_pairs:
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    with warnings.catch_warnings():
        # Whether it converged is checked below, by residuals.
        warnings.simplefilter("ignore")
        try:
            _, vectors = lobpcg(L, block, M=preconditioner, largest=False, tol=_RESIDUAL * scale, maxiter=200)
        except (ValueError, np.linalg.LinAlgError):
            return lanczos_pairs(L, n_pairs, scale, known, rng)
    if not np.isfinite(vectors).all():
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    values, vectors = rayleigh_ritz(L, vectors, n_pairs)
    if residuals(L, values, vectors).max() > 10.0 * _RESIDUAL * scale:
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    return values, vectors


def power_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    n_steps: int = 100,
) -> Pairs:
    """Block power iteration on I - L / (2 scale), orthogonalised, with a final Rayleigh-Ritz step."""
    block = _start_block(known, min(n_pairs + _SPARE, L.shape[0]), rng)
    for _ in range(max(1, n_steps // 5)):
        for _ in range(5):
            block = block - (L @ block) / (2.0 * scale)
        block = qr(block, mode="economic")[0]
    return rayleigh_ritz(L, block, n_pairs)


def rayleigh_ritz(L: sp.csr_array, basis: Doubles, n_pairs: int) -> Pairs:
    """Best approximations to the smallest eigenpairs within the span of some vectors."""
    # A second pass makes nearly dependent vectors orthogonal to working precision.
    basis = qr(qr(basis, mode="economic")[0], mode="economic")[0]
    reduced = basis.T @ (L @ basis)
    values, rotation = eigh((reduced + reduced.T) / 2.0)
    return values[:n_pairs], basis @ rotation[:, :n_pairs]


def _reduced_vectors(L: sp.csr_array, known: sp.csr_array, n_pairs: int) -> Doubles:
    """The best ``n_pairs`` vectors within the span of the known ones."""
    if known.shape[1] <= n_pairs:
        return known.toarray()
    reduced = (known.T @ L @ known).tocsr()
    if reduced.shape[0] <= 1500 or n_pairs >= reduced.shape[0] - 1:
        rotation = dense_pairs(reduced, n_pairs)[1]
    else:
        scale = float(reduced.diagonal().max()) or 1.0
        none, rng = sp.csr_array((reduced.shape[0], 0)), np.random.default_rng(0)
        # Parts are tied by few edges, so that the factors hardly fill in.
        rotation = lanczos_pairs(reduced, n_pairs, scale, none, rng, factorize=True)[1]
    return np.asarray(known @ rotation)


def _start_block(known: sp.csr_array, width: int, rng: np.random.Generator) -> Doubles:
    n = known.shape[0]
    sizes = np.diff(known.tocsc().indptr)
    largest = np.argsort(-sizes, kind="stable")[:width]
    block = np.column_stack([known[:, largest].toarray(), rng.standard_normal((n, width - len(largest)))])
    return qr(block, mode="economic")[0]


def residuals(L: sp.csr_array, values: Doubles, vectors: Doubles) -> Doubles:
    """|L u - lambda u| of every pair."""
    lengths: Doubles = np.sqrt(((L @ vectors - vectors * values) ** 2).sum(axis=0))
    return lengths


def _refine(L: sp.csr_array, values: Doubles, vectors: Doubles, scale: float) -> Pairs:
    """Descent steps until the residuals are small."""
    for _ in range(10):
        if residuals(L, values, vectors).max() <= _RESIDUAL * scale:
            break
        downhill = L @ vectors - vectors * values
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, downhill]), len(values))
    return values, vectors


def weakly_tied_parts(
    S: sp.csr_array, strength: Doubles, scale: float, parts: NDArray[Any] | None
) -> NDArray[np.int32]:
    """Parts of a graph that only weak edges, or edges between given parts, hold together.

    Parameters
    ----------
    S : csr_array of shape (n, n)
    strength : ndarray of shape (n,)
        An edge counts as s_ij * strength_i * strength_j.
    scale : float
        Edges below a thousandth of it are weak.
    parts : ndarray of shape (n,), optional

    Notes
    -----
    Every such part makes an eigenvalue near zero, which Lanczos tells apart from the others with
    difficulty only. With very many weak edges (more than a part per 20 samples) they say nothing.
    """
    edges = S.tocoo()
    row, column = edges.coords
    tied = edges.data * strength[row] * strength[column] >= _WEAK * scale
    inside = np.ones(len(row), dtype=np.bool_) if parts is None else parts[row] == parts[column]
    for kept in (tied & inside, inside):
        graph = sp.coo_array((np.ones(np.count_nonzero(kept)), (row[kept], column[kept])), shape=S.shape)
        n_parts, found = csgraph.connected_components(graph.tocsr(), directed=False)
        if n_parts <= len(strength) // 20:
            break
    return np.asarray(found)


def part_basis(L: sp.csr_array, parts: NDArray[Any], lengths: Doubles, scale: float) -> sp.csr_array:
    """Orthonormal vectors, one per part of a graph that is hardly tied to the rest.

    Parameters
    ----------
    L : csr_array of shape (n, n)
    parts : ndarray of shape (n,)
        Part of every sample, 0, 1, ....
    lengths : ndarray of shape (n,)
        Null vector of L for a connected graph: ones, or roots of the degrees.
    scale : float

    Notes
    -----
    A part whose vector is no near-null vector of L, as a single sample under the normalised
    Laplacian, is left out.
    """
    n, n_parts = len(parts), int(parts.max()) + 1
    lengths = np.where(lengths > 0, lengths, 1.0)
    norms = np.sqrt(np.bincount(parts, weights=lengths**2, minlength=n_parts))
    basis = sp.csr_array((lengths / norms[parts], (np.arange(n), parts)), shape=(n, n_parts))
    quotient = np.asarray((basis * (L @ basis)).sum(axis=0)).reshape(-1)
    return basis[:, np.flatnonzero(quotient <= 10.0 * _WEAK * scale)].tocsr()
