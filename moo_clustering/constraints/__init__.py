"""Must-link and cannot-link constraints on samples, and limits on clusters.

:class:`PairwiseConstraints` lists pairs of samples and scores populations. :class:`ConstraintGroups`, created
by :func:`constraint_groups` from partial labels and pairs, stores all implied constraints between groups of
samples, without listing pairs of samples.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
