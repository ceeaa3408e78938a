"""Initial populations of bag partitions: random, by centroids, by medoids, and local optima."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags._objective import BagObjective
from moo_clustering.encodings._medoid_slots import decode_slots, random_slots
from moo_clustering.operators._problem_objective import objective_of

Kind = Literal["random", "km", "bamic", "optima"]
Labels = NDArray[np.int32]

KINDS: tuple[Kind, ...] = get_args(Kind)


class PartitionSampling(Sampling):
    """A mix of partitions of bags, repaired to keep the least cluster size.

    For problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, and ``distances`` between bags for those
    around medoids.

    Parameters
    ----------
    kinds : str, sequence of str, or mapping of str to float, default=("random", "km", "bamic", "optima")
        What is in the mix, in equal parts unless a mapping gives the shares:

        - ``"random"``: every gene uniform over the clusters.
        - ``"km"``: random genes, then ``km_steps`` steps of k-means.
        - ``"bamic"``: bags assigned to the nearest of distinct random medoids.
        - ``"optima"``: greedy descents of the objective from the other three in turn.
    km_steps : int, default=3
    objective : BagObjective, optional
        Instead of the problem's.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        When a problem lacks ``objective`` or, for ``"bamic"`` and ``"optima"``, ``distances``.
    ValueError
        For an unknown kind, shares that are negative or all zero, or no step.

    Notes
    -----
    Numbers per kind are rounded to the largest remainders, so that the mix of a population does not
    depend on chance. Descents cost far more than the others; ``n_trials`` of evaluations are made in
    them. Several may end in the same partition: see :class:`RefillingSampling`.

    References
    ----------
    Evolutionary multi-instance clustering (initialisation, KM operator, BAMIC); descents are ours.
    """

    def __init__(
        self,
        kinds: Kind | Sequence[Kind] | Mapping[Kind, float] = KINDS,
        *,
        km_steps: int = 3,
        objective: BagObjective | None = None,
    ) -> None:
        super().__init__()
        self.kinds = kinds
        self._shares = _shares(kinds)
        if km_steps < 1:
            raise ValueError(f"km_steps must be at least 1, got {km_steps}.")
        self.km_steps = km_steps
        self.objective = objective
        self.n_trials = 0

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng = np.random.default_rng(random_state)
        objective = objective_of(problem, self.objective, "random", "reassign", "descend", "repair")
        counts = apportioned(n_samples, np.array(list(self._shares.values())))
        parts = [
            self._drawn(kind, problem, objective, count, rng)
            for kind, count in zip(self._shares, counts, strict=True)
        ]
        return objective.repair(np.concatenate(parts))

    def _drawn(
        self, kind: Kind, problem: Any, objective: BagObjective, n: int, rng: np.random.Generator
    ) -> Labels:
        if kind == "optima":
            starts = [
                self._drawn(start, problem, objective, count, rng)
                for start, count in zip(KINDS[:3], apportioned(n, np.ones(3)), strict=True)
            ]
            descended = objective.descend(objective.repair(np.concatenate(starts)), rng)
            self.n_trials += int(descended.n_trials.sum())
            return descended.labels
        if kind == "bamic":
            k, N = objective.n_clusters, objective.n_bags
            return decode_slots(random_slots(n, N, k, k, rng), _distances(problem))
        labels = objective.random(n, rng)
        if kind == "km" and n:
            for _ in range(self.km_steps):
                labels = objective.reassign(labels)
        return labels


def apportioned(n: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers that sum to n and are in proportion to the shares: largest remainders."""
    exact = n * shares / shares.sum()
    counts = np.floor(exact + 1e-9).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


def _shares(kinds: Any) -> dict[Kind, float]:
    if isinstance(kinds, str):
        kinds = [kinds]
    shares = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(kinds, 1.0)
    for kind, share in shares.items():
        if kind not in KINDS:
            allowed = ", ".join(map(repr, KINDS))
            raise ValueError(f"kinds must be of {allowed}; got {kind!r}{did_you_mean(str(kind), KINDS)}.")
        if not 0.0 <= share < np.inf:
            raise ValueError(f"shares must be numbers of at least 0, got {share!r} for {kind!r}.")
    if not sum(shares.values()) > 0.0:
        raise ValueError(f"kinds must name at least one with a share above 0, got {kinds!r}.")
    return shares


def _distances(problem: Any) -> NDArray[np.floating[Any]]:
    distances = getattr(problem, "distances", None)
    if not isinstance(distances, np.ndarray):
        raise TypeError(
            f"{type(problem).__name__} has no distances between bags, which kinds 'bamic' and 'optima' need."
        )
    return distances
