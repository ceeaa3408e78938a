"""What labels and pairs tell MOCK, and what it does with them."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.estimators._semi_supervised import supervision_pairs
from moo_clustering.estimators._supervision import supervision_groups
from moo_clustering.problems import MOCKProblem


class Knowledge(NamedTuple):
    """Labels and pairs as the search uses them.

    Attributes
    ----------
    y : ndarray of shape (n_samples,) or None
        Partial labels, if they tell anything.
    pairs : PairwiseConstraints or None
        If pairs were given: they and those that follow from labels.
    groups : ConstraintGroups or None
        Links that are forbidden and parts that are joined.
    objective : str or None
        Third objective.
    """

    y: NDArray[Any] | None = None
    pairs: PairwiseConstraints | None = None
    groups: ConstraintGroups | None = None
    objective: str | None = None

    @property
    def rule(self) -> str | None:
        """How they pick a solution."""
        if self.pairs is not None:
            return "constraints"
        return None if self.y is None else "labels"


def take_knowledge(
    n_samples: int,
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    supervision: str | None,
) -> Knowledge:
    """Check labels and pairs, and say what is done with them.

    Raises
    ------
    ValueError, TypeError
        Labels or pairs out of range.
    InconsistentConstraintsError
        They contradict each other.
    """
    if supervision is None:
        return Knowledge()
    groups = supervision_groups(n_samples, y, must_link, cannot_link)
    given = any(pairs is not None and np.size(pairs) > 0 for pairs in (must_link, cannot_link))
    pairs = supervision_pairs(n_samples, y, must_link, cannot_link).pairs if given else None
    known = None if y is None else np.asarray(y)
    if known is not None and len(np.unique(known[known >= 0])) < 2:
        known = None
        warnings.warn(
            "y has fewer than two labelled samples or only one class, which no partition agrees with more "
            "than others; the adjusted Rand index of labels is not used.",
            UserWarning,
            stacklevel=4,
        )
    knowledge = Knowledge(known, pairs)
    if supervision == "links":
        return knowledge._replace(groups=None if groups.is_empty else groups)
    if supervision == "objective" and knowledge.rule is not None:
        objective = "ari" if knowledge.rule == "labels" else "constraint_violation"
        return knowledge._replace(objective=objective)
    return knowledge


def disagreement(
    encoding: LocusAdjacencyEncoding, genes: NDArray[Any], knowledge: Knowledge, rule: str
) -> NDArray[np.float64]:
    """How little solutions agree with the labels, or what part of the pairs they violate."""
    by_labels = rule == "labels"
    judge = MOCKProblem(
        encoding=encoding,
        objectives=("ari",) if by_labels else ("constraint_violation",),
        y=knowledge.y if by_labels else None,
        constraints=None if by_labels else knowledge.pairs,
    )
    values: NDArray[np.float64] = judge.evaluate(genes).reshape(len(genes))
    # What is equal but for the order of additions is a tie.
    return values.round(12)
