"""Evidence of a few labels or pairs about the partitions of a pool, and about the other samples.

A pool becomes a kernel or a consensus, and labels make class scores of it; pairs are carried over a graph to
other samples, and repair partitions; weights and scores choose among the members of the pool.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
