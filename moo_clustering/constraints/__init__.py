"""Must-link and cannot-link knowledge about samples.

:class:`PairwiseConstraints` lists pairs and scores whole populations against them;
:class:`ConstraintGroups`, made by :func:`constraint_groups` from partial labels and pairs together,
is what remains after the transitive closure: groups that belong together and pairs of groups that
belong apart, without a pair of samples being listed.
"""

from moo_clustering.constraints.groups import (
    ConstraintGroups,
    InconsistentConstraintsError,
    constraint_groups,
)
from moo_clustering.constraints.pairs import PairwiseConstraints, fisher_weights, satisfied_from_labels
from moo_clustering.constraints.sources import read_pairs

__all__ = [
    "ConstraintGroups",
    "InconsistentConstraintsError",
    "PairwiseConstraints",
    "constraint_groups",
    "fisher_weights",
    "read_pairs",
    "satisfied_from_labels",
]
