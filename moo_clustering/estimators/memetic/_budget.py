"""What a search over centres may cost."""

from __future__ import annotations

import time

from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem

# Without a limit: so many times all distances between samples and centres, and at most so many distances.
_TABLES = 2000
_DISTANCES = 500_000_000


class Budget:
    """Distances between two points, or seconds, from now on.

    Parameters
    ----------
    problem : SumOfSquaresProblem
        Counts the distances.
    max_distances : int, optional
        Default without ``max_time``: 2000 n_samples n_clusters, at most 500 million.
    max_time : float, optional
        Seconds of wall time.
    """

    def __init__(
        self, problem: SumOfSquaresProblem, max_distances: int | None, max_time: float | None
    ) -> None:
        if max_distances is None and max_time is None:
            max_distances = min(_TABLES * problem.n_samples * problem.n_clusters, _DISTANCES)
        self.max_distances, self.max_time = max_distances, max_time
        self._problem = problem
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall time used, that of an earlier part of the run included."""
        return time.monotonic() - self._since

    @seconds.setter
    def seconds(self, used: float) -> None:
        self._since = time.monotonic() - used

    @property
    def share(self) -> float:
        """Part of the budget that is used, 1 or more at the end."""
        shares = [0.0]
        if self.max_distances is not None:
            shares.append(self._problem.n_distances / self.max_distances)
        if self.max_time is not None:
            shares.append(self.seconds / self.max_time)
        return max(shares)
