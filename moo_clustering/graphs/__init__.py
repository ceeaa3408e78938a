"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

Features become :class:`NeighborLists` (exact, with a defined order among ties). Lists become a similarity
matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling). A similarity matrix becomes a partition:
constraints are applied, components are bridged, and eigenvectors of a Laplacian are clustered by k-means.
Matrices are ``csr_array`` of float64.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
