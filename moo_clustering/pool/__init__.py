"""Candidate partitions of a data set from algorithm families with different biases.

:func:`candidate_pool` runs k-means, Ward linkage, spectral clustering, Genie, HDBSCAN, Gaussian mixtures and
the merging of small k-means clusters for many numbers of clusters. It returns a :class:`PartitionPool`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
