"""Encodings, which convert populations from genotypes to partitions and back.

:class:`~moo_clustering.problems.PartitionProblem` combines any encoding with any validity indices.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
