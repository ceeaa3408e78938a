"""Must-link and cannot-link constraints on samples, and limits on clusters.

:class:`PairwiseConstraints` stores pairs of samples, and counts how many of them partitions satisfy.
:func:`constraint_groups` computes all constraints that partial labels and pairs imply. Its result,
:class:`ConstraintGroups`, stores groups of samples instead of pairs.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
