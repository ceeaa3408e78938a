"""Choice between affinities by pairs kept out of the propagation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.evidence._diffusion import dense_affinity, diffusion
from moo_clustering.evidence._pair_matrix import checked_landmarks, pair_matrix
from moo_clustering.evidence._propagation import adjusted
from moo_clustering.graphs._spectral_cuts import spectral_cuts

# With fewer pairs none is kept out.
_FEWEST = 4


@dataclass(frozen=True, eq=False)
class HeldOutPartition:
    """Result of :func:`held_out_partition`.

    Attributes
    ----------
    labels : ndarray of shape (m,), int32
        Partition from the chosen affinity and all pairs, numbered by first appearance. m is the number of
        rows of the affinities.
    chosen : int
        Position of the affinity.
    violations : ndarray of shape (n_affinities,), float64
        Held-out pairs (or their weight) that the partition from the other pairs violates; NaN where none
        were held out.
    """

    labels: NDArray[np.int32]
    chosen: int
    violations: NDArray[np.float64]


def held_out_partition(
    affinities: Sequence[tuple[Any, float]],
    k: int,
    constraints: PairwiseConstraints,
    *,
    share: float = 0.75,
    landmark_of: ArrayLike | None = None,
    rng: np.random.Generator,
) -> HeldOutPartition:
    """Partition into k clusters from pairs propagated over the affinity that predicts pairs best.

    A random part of the pairs is propagated over every affinity; the one whose spectral partition violates
    the fewest of the other pairs is chosen, and its partition made from all pairs.

    Parameters
    ----------
    affinities : sequence of (W, alpha)
        Symmetric similarities of shape (m, m) from 0 to 1, and the factor of :func:`propagate_pairs`.
        Among equals the first one is chosen.
    k : int
        Number of clusters, from 1 to m.
    constraints : PairwiseConstraints
        Pairs of samples.
    share : float, default=0.75
        Part of the pairs that is propagated at first, in (0, 1).
    landmark_of : array-like of int, shape (n_samples,), optional
        Row of the affinities that stands for each sample; by default each has its own.
    rng : numpy.random.Generator

    Returns
    -------
    HeldOutPartition

    Raises
    ------
    ValueError
        If there is no affinity, or affinities, constraints, landmarks, k or share don't fit.

    Notes
    -----
    With fewer than 4 pairs there is nothing to choose by: the first affinity is taken. O(m^3) time for each
    affinity, whose inverse is shared by the two sets of pairs; O(m^2) memory, and as much again for each
    affinity.

    References
    ----------
    ParetoClustering: held-out choice between affinities.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import held_out_partition
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))
    >>> pairs = PairwiseConstraints([(0, 1), (3, 4), (1, 2)], [(0, 5), (2, 3)], n_samples=6)
    >>> found = held_out_partition([(blocks, 0.5)], 2, pairs, rng=np.random.default_rng(0))
    >>> found.labels.tolist(), found.chosen, found.violations.tolist()
    ([0, 0, 0, 1, 1, 1], 0, [0.0])
    """
    if not len(affinities):
        raise ValueError("affinities must hold at least one pair (W, alpha), got none")
    if not 0 < share < 1:
        raise ValueError(f"share must be above 0 and below 1, got {share!r}")
    lift = None if landmark_of is None else checked_landmarks(landmark_of, constraints.n_samples)
    graphs = [(dense_affinity(W), float(alpha)) for W, alpha in affinities]
    m = len(graphs[0][0])
    if any(len(W) != m for W, _ in graphs):
        raise ValueError(f"affinities must be of one size, got {[len(W) for W, _ in graphs]}")
    if not 1 <= k <= m:
        raise ValueError(f"k must be from 1 to the number of rows, {m}; got {k}")
    Z = pair_matrix(constraints, n=m, landmark_of=lift)
    violations = np.full(len(graphs), np.nan)
    if len(constraints) < _FEWEST:
        return HeldOutPartition(_cut(*_walks(graphs[0]), Z, k, rng), 0, violations)
    known, kept_out = _split(constraints, share, rng)
    Z_known = pair_matrix(known, n=m, landmark_of=lift)
    walks = [_walks(graph) for graph in graphs]
    for q, (W, R) in enumerate(walks):
        labels = _cut(W, R, Z_known, k, rng)
        violations[q] = _violated(labels if lift is None else labels[lift], kept_out)
    chosen = int(violations.argmin())
    return HeldOutPartition(_cut(*walks[chosen], Z, k, rng), chosen, violations)


def _walks(graph: tuple[NDArray[np.float64], float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    W, alpha = graph
    return W, diffusion(W, alpha, "alpha")


def _cut(
    W: NDArray[np.float64], R: NDArray[np.float64], Z: sp.csr_array, k: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    return spectral_cuts(adjusted(W, R, Z), [k], rng=rng)[0]


def _violated(labels: NDArray[np.int32], pairs: PairwiseConstraints) -> float:
    must, cannot = pairs.satisfied(labels)
    total = pairs.must_link_weights.sum() + pairs.cannot_link_weights.sum()
    return float(total - must[0] - cannot[0])


def _split(
    constraints: PairwiseConstraints, share: float, rng: np.random.Generator
) -> tuple[PairwiseConstraints, PairwiseConstraints]:
    """A random part of all pairs, and the others; at least one pair in each."""
    n_pairs, n_must = len(constraints), len(constraints.must_link)
    n_known = min(max(round(share * n_pairs), 1), n_pairs - 1)
    known = np.zeros(n_pairs, dtype=np.bool_)
    known[rng.permutation(n_pairs)[:n_known]] = True
    return _part(constraints, known, n_must), _part(constraints, ~known, n_must)


def _part(constraints: PairwiseConstraints, chosen: NDArray[np.bool_], n_must: int) -> PairwiseConstraints:
    must, cannot = chosen[:n_must], chosen[n_must:]
    return PairwiseConstraints(
        constraints.must_link[must],
        constraints.cannot_link[cannot],
        n_samples=constraints.n_samples,
        must_link_weights=constraints.must_link_weights[must],
        cannot_link_weights=constraints.cannot_link_weights[cannot],
    )
