"""Initial populations of seeds for clusters in subspaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling

from moo_clustering._targets import Targets
from moo_clustering.encodings._medoid_slots import repair_slots

IntArray = NDArray[np.integer[Any]]

_NEEDED = ("encoding", "targets", "cluster_centers", "central_documents", "center_distances")


def seed_problem(problem: Any) -> Any:
    """The problem itself; refuses any other than over seeds of clusters in subspaces."""
    if not all(hasattr(problem, name) for name in _NEEDED):
        raise TypeError(
            f"{type(problem).__name__} is no SubspaceClusteringProblem, which this operator needs."
        )
    return problem


class SeedSampling(Sampling):
    """k uniform on k_min..n_seeds, then k distinct documents in random slots.

    For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    by_class : bool, default=False
        Go through the classes in random order, over and over, and draw a labelled document of each; any
        labelled one where the class has no more; any document at all where no labelled one is left.
        Needs labels.

    References
    ----------
    SISC-ML, "seeds" and "labels" starts.
    """

    def __init__(self, by_class: bool = False) -> None:
        super().__init__()
        if not isinstance(by_class, bool | np.bool_):
            raise TypeError(f"by_class must be True or False, got {by_class!r}.")
        self.by_class = bool(by_class)

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = seed_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        slots: IntArray = encoding.random(n_samples, rng)
        if self.by_class:
            if not problem.targets.labelled.any() or not problem.targets.n_classes:
                raise ValueError("by_class=True needs labels, and no document has any.")
            for row in slots:
                row[:] = _labelled_seeds(row, problem.targets, encoding.n_samples, rng)
        return slots


def _labelled_seeds(row: IntArray, targets: Targets, n_samples: int, rng: np.random.Generator) -> IntArray:
    """The row with other documents in its slots; O(k n_labelled)."""
    documents = rng.permutation(targets.rows)
    member = targets.indicators[documents] > 0
    order = rng.permutation(targets.n_classes)
    free = np.ones(len(documents), dtype=bool)
    occupied = np.flatnonzero(row >= 0)
    row = np.full_like(row, -1)
    for number, slot in enumerate(occupied[: len(documents)]):
        of_class = free & member[:, order[number % len(order)]]
        first = np.argmax(of_class if of_class.any() else free)
        free[first] = False
        row[slot] = documents[first]
    return repair_slots(row[np.newaxis], n_samples, len(occupied), rng)[0]
