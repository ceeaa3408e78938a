"""The supported front of SRMOSC, row by row and without evolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._kernels import sparse_rows
from moo_clustering._kernels.blocks import for_blocks

if TYPE_CHECKING:
    from moo_clustering.problems._srmosc import SRMOSCProblem

FloatArray = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SRMOSCHull:
    """Result of :func:`srmosc_hull_front`: members from one link a sample to as many as are of use.

    Attributes
    ----------
    F : ndarray of shape (n_members, 2)
        Error, falling, and number of links, rising.
    steps : ndarray of shape (n_members - 1,), int32
        Sample whose row changes from a member to the next.
    """

    F: FloatArray
    steps: NDArray[np.int32]
    _problem: SRMOSCProblem
    _vertices: Ints
    _entries: Ints
    _columns: NDArray[np.int32]
    _values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.F)

    def graph(self, member: int) -> sp.csr_array:
        """Directed similarity matrix of a member, (n_samples, n_samples)."""
        rows, places = self._places(member)
        columns = self._problem.lists.indices[rows, self._columns[places]]
        n_samples = self._problem.n_samples
        indptr = np.searchsorted(rows, np.arange(n_samples + 1))
        values = self._values[places].astype(np.float64)
        matrix = sp.csr_array((values, columns, indptr), shape=(n_samples, n_samples))
        matrix.sort_indices()
        return matrix

    def weights(self, member: int) -> NDArray[np.float32]:
        """Weights of a member on the candidates, (n_samples, n_candidates)."""
        rows, places = self._places(member)
        weights = np.zeros(self._problem.lists.indices.shape, dtype=np.float32)
        weights[rows, self._columns[places]] = self._values[places]
        return weights

    def _places(self, member: int) -> tuple[Ints, Ints]:
        """Rows of the links of a member, and where their weights are stored."""
        if not -len(self) <= member < len(self):
            raise ValueError(f"member must be below {len(self)}, got {member}.")
        n_samples = self._problem.n_samples
        done = np.bincount(self.steps[: member % len(self)], minlength=n_samples)
        vertex = self._vertices[:-1] + done
        start, stop = self._entries[vertex], self._entries[vertex + 1]
        sizes = stop - start
        rows = np.repeat(np.arange(n_samples), sizes)
        first = np.cumsum(sizes) - sizes
        return rows, np.arange(len(rows)) + np.repeat(start - first, sizes)


def srmosc_hull_front(problem: SRMOSCProblem, *, n_jobs: int | None = None) -> SRMOSCHull:
    """Supported solutions of the two objectives of SRMOSC, both of which are sums over the samples.

    For every sample a path of supports by non-negative orthogonal matching pursuit, of which the lower
    convex hull of (links, error) is kept. The steps along all hulls, sorted by what they gain for a link,
    lead from one supported solution to the next.

    Parameters
    ----------
    problem : SRMOSCProblem
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    SRMOSCHull

    Notes
    -----
    Near-exact: the paths are greedy. O(N k (w n_features + k^2)) for supports of up to k links, and a sort
    of at most N w steps; memory O(N w) and a weight for every link of every corner of the hulls.

    Examples
    --------
    >>> from moo_clustering.problems import SRMOSCProblem
    >>> hull = srmosc_hull_front(SRMOSCProblem([[1, 1], [2, 1], [1, 2], [2, 2]], rho=0))
    >>> hull.F
    array([[1., 4.]])
    """
    X, candidates, admissible = problem.candidates()
    n_samples, width = candidates.shape
    errors = np.empty((n_samples, width))
    slots = np.full((n_samples, width), -1, dtype=np.int64)
    visits = width * X.shape[1]

    def walk(columns: NDArray[np.int32], values: NDArray[np.float32]) -> None:
        def paths(lo: int, hi: int) -> None:
            sparse_rows.support_paths(
                X, problem.norms, candidates, admissible, problem.rho, lo, hi, errors, slots, columns, values
            )

        for_blocks(paths, n_samples, visits, n_jobs)

    walk(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    kept = np.zeros((n_samples, width), dtype=np.bool_)
    sparse_rows.lower_hulls(errors, 0, n_samples, kept)
    row, place = np.nonzero(kept)
    # Weights of all steps of all paths would be many times those of the corners: walk once more.
    entries = np.concatenate([[0], np.cumsum(place + 1)])
    slots[row, place] = entries[:-1]
    corner_errors = errors[row, place]
    columns, values = np.zeros(entries[-1], dtype=np.int32), np.zeros(entries[-1], dtype=np.float32)
    walk(columns, values)
    F, steps = _sweep(row, place + 1, corner_errors)
    vertices = np.searchsorted(row, np.arange(n_samples + 1))
    return SRMOSCHull(F, steps, problem, vertices, entries, columns, values)


def _sweep(row: Ints, size: Ints, error: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
    """Objectives of all members, and the rows that change between them, greatest gain for a link first."""
    first = np.concatenate([[True], row[1:] != row[:-1]])
    step = np.flatnonzero(~first)
    gain, links = error[step - 1] - error[step], size[step] - size[step - 1]
    order = np.argsort(-gain / links, kind="stable")
    step, gain, links = step[order], gain[order], links[order]
    f1 = error[first].sum() - np.concatenate([[0.0], np.cumsum(gain)])
    f2 = size[first].sum() + np.concatenate([[0], np.cumsum(links)])
    return np.column_stack([np.maximum(f1, 0.0), f2]), row[step].astype(np.int32)
