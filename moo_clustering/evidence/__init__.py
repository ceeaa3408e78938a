"""Evidence of a few labels or pairs for the partitions of a pool, and for unlabelled samples.

Kernels of a pool turn labels into class scores. Pairs propagate over a graph to other samples, and repair
partitions. Weights and scores select among the members of the pool, or form a consensus.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
