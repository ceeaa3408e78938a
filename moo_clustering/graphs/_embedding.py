"""Spectral embedding of a similarity graph."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

from moo_clustering.graphs import _eigenpairs
from moo_clustering.graphs._laplacian import degrees, inverse_root
from moo_clustering.graphs._laplacian import laplacian as graph_laplacian
from moo_clustering.graphs._similarity import short_indices

Laplacian = Literal["sym", "unnormalized", "rw"]
EigenSolver = Literal["auto", "dense", "arpack", "lobpcg", "pic"]
Doubles = NDArray[np.float64]

_DENSE = 1500
# Factors of graphs with more neighbours than this fill in too much to be worth it.
_FACTOR_NEIGHBORS = 24
_FACTOR_WORK = 4e11


def spectral_embedding(
    S: Any,
    n_components: int,
    *,
    laplacian: Laplacian = "sym",
    eigen_solver: EigenSolver = "auto",
    rng: np.random.Generator,
    n_eigenvalues: int | None = None,
    parts: NDArray[Any] | None = None,
) -> tuple[Doubles, Doubles]:
    """Eigenvectors of the smallest eigenvalues of a graph Laplacian, the constant one included.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities, zero diagonal.
    n_components : int
        Number of vectors.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
        ``"sym"``: eigenvectors of I - D^(-1/2) S D^(-1/2), rows scaled to unit length (zero rows stay
        zero). ``"unnormalized"``: of D - S. ``"rw"``: D^(-1/2) times those of ``"sym"`` before scaling.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
        ``"auto"``: dense up to 1500 samples, otherwise ``"arpack"``: Lanczos, on the inverse where a
        factorisation is cheap (small or low-dimensional data). ``"lobpcg"``: block conjugate gradients,
        Jacobi preconditioner for the unnormalised Laplacian. ``"pic"``: 100 steps of block power
        iteration, quick and rough.
    rng : numpy.random.Generator
        Draws starting vectors.
    n_eigenvalues : int, optional
        Number of eigenvalues, at least ``n_components`` (the default); one more shows the eigengap.
    parts : ndarray of shape (n_samples,), optional
        Numbers 0, 1, ... of parts that are only weakly tied, for instance the components before
        bridging; default the connected components. Helps iterative solvers past the near-zero
        eigenvalues; does not change what is computed.

    Returns
    -------
    eigenvalues : ndarray of shape (n_eigenvalues,), increasing
    vectors : ndarray of shape (n_samples, n_components)
        The entry of largest magnitude of every vector is positive before rows are scaled.

    Raises
    ------
    ValueError
        More vectors or eigenvalues than samples, or fewer eigenvalues than vectors.

    Notes
    -----
    Iterative solvers: O(nnz + n_samples n_components) memory and, per step, time; residuals of 1e-4
    relative to the largest degree.

    References
    ----------
    PESC, Algorithm 1 (Eq. 7).
    """
    S = short_indices(sp.csr_array(S, dtype=np.float64))
    n_samples = S.shape[0]
    n_pairs = n_components if n_eigenvalues is None else n_eigenvalues
    if not 1 <= n_components <= n_pairs <= n_samples:
        raise ValueError(
            f"n_components={n_components} and n_eigenvalues={n_pairs} must satisfy "
            f"1 <= n_components <= n_eigenvalues <= n_samples={n_samples}."
        )
    if laplacian not in ("sym", "unnormalized", "rw"):
        raise ValueError(f"laplacian must be 'sym', 'unnormalized' or 'rw', got {laplacian!r}.")
    if eigen_solver not in ("auto", "dense", "arpack", "lobpcg", "pic"):
        raise ValueError(
            f"eigen_solver must be 'auto', 'dense', 'arpack', 'lobpcg' or 'pic', got {eigen_solver!r}."
        )
    values, vectors = _pairs(S, n_pairs, laplacian != "unnormalized", eigen_solver, parts, rng)
    vectors = _fix_signs(vectors[:, :n_components])
    if laplacian == "sym":
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    elif laplacian == "rw":
        vectors = vectors * inverse_root(degrees(S))[:, None]
    # Rounding can leave the zeros of the spectrum slightly negative.
    return np.maximum(values, 0.0), vectors


def _pairs(
    S: sp.csr_array,
    n_pairs: int,
    normalized: bool,
    solver: EigenSolver,
    parts: NDArray[Any] | None,
    rng: np.random.Generator,
) -> tuple[Doubles, Doubles]:
    n_samples = S.shape[0]
    L = graph_laplacian(S, "sym" if normalized else "unnormalized")
    if solver == "dense" or (solver == "auto" and n_samples <= _DENSE) or 2 * n_pairs > n_samples - 2:
        return _eigenpairs.dense_pairs(L, n_pairs)
    degree = degrees(S)
    scale = 1.0 if normalized else float(degree.max()) or 1.0
    strength = inverse_root(degree) if normalized else np.ones(n_samples)
    parts = _eigenpairs.weakly_tied_parts(S, strength, scale, parts)
    known = _eigenpairs.part_basis(L, parts, np.sqrt(degree) if normalized else strength, scale)
    if solver == "pic":
        return _eigenpairs.power_pairs(L, n_pairs, scale, known, rng)
    if solver == "lobpcg":
        return _eigenpairs.lobpcg_pairs(L, n_pairs, scale, known, rng, jacobi=not normalized)
    return _eigenpairs.lanczos_pairs(L, n_pairs, scale, known, rng, factorize=_factors_well(S))


def _factors_well(S: sp.csr_array) -> bool:
    """Whether a factorisation of the Laplacian fills in so little that it takes seconds at most.

    The widest level of a breadth-first search bounds the width of a band the graph can be brought to.
    """
    n_samples = S.shape[0]
    if S.nnz > _FACTOR_NEIGHBORS * n_samples:
        return False
    far = 0
    # From an end of the graph rather than from its middle.
    for _ in range(2):
        hops = csgraph.dijkstra(S, indices=far, unweighted=True)
        hops = np.where(np.isfinite(hops), hops, 0).astype(np.int64)
        far = int(hops.argmax())
    return n_samples * int(np.bincount(hops).max()) ** 2 <= _FACTOR_WORK


def _fix_signs(vectors: Doubles) -> Doubles:
    """Every column with its entry of largest magnitude positive; the first among (nearly) equal ones."""
    magnitude = np.abs(vectors)
    first = (magnitude >= (1.0 - 1e-6) * magnitude.max(axis=0)).argmax(axis=0)
    signs = np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return vectors * signs
