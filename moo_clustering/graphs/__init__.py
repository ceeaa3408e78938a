"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

From features to :class:`NeighborLists` (exact, with a defined order among ties), from lists to a
similarity matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling), and from any such matrix
to a partition: constraints written in, components bridged, eigenvectors of a Laplacian, k-means.
Matrices are ``scipy.sparse.csr_array`` of float64.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
