"""Evidence from a few labels or pairs about the partitions of a pool and about unlabelled samples.

Kernels based on a pool convert labels to class scores. Pairs are propagated over a graph to other samples,
and used to repair partitions. Scores select a partition of a pool; weights form a consensus.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
