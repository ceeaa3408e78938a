"""Genotype <-> partition: one class per representation, all of them for whole populations.

No encoding knows an objective, so each combines with any list of validity indices in
:class:`~moo_clustering.problems.PartitionProblem`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
