"""Use of a few labels or pairs to score the partitions of a pool and to classify unlabelled samples.

A pool is a set of candidate partitions. Kernels computed from a pool are used to predict class scores from
labels. Pairs are propagated over a graph to further samples, and are also used to repair partitions. Scores
of the partitions are used to select one partition, or to weight the partitions in a consensus.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
