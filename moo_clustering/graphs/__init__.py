"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

Features are converted to :class:`NeighborLists` (exact, with a defined tie-breaking order), and lists to a
similarity matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling). To turn a similarity matrix
into a partition, constraints are applied, components are bridged, and Laplacian eigenvectors are clustered by
k-means. Matrices are ``csr_array`` objects of float64.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
