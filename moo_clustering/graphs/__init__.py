"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

Features are converted to :class:`NeighborLists` (exact, with a defined tie-breaking order), and lists to a
similarity matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling). To obtain a partition from this
matrix, apply constraints, bridge the components, and cluster the Laplacian eigenvectors by k-means. Matrices
are ``csr_array`` objects of float64.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
