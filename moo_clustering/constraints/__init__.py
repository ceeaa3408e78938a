"""Must-link and cannot-link knowledge about samples.

:class:`PairwiseConstraints` lists pairs and scores whole populations against them;
:class:`ConstraintGroups`, made by :func:`constraint_groups` from partial labels and pairs together,
is what remains after the transitive closure: groups that belong together and pairs of groups that
belong apart, without a pair of samples being listed.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
