"""Partial labels and pairs, as ``fit`` receives them."""

from __future__ import annotations

from numpy.typing import ArrayLike

from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints, constraint_groups


def supervision_groups(
    n_samples: int, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
) -> ConstraintGroups:
    """Closure of labels and pairs: which samples belong together, and which groups must not meet.

    Raises
    ------
    ValueError
        Labels or pairs out of range.
    InconsistentConstraintsError
        They contradict each other.
    """
    pairs = None
    if must_link is not None or cannot_link is not None:
        pairs = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
    return constraint_groups(n_samples, y, pairs)
