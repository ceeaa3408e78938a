"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

First, compute :class:`NeighborLists` from features, and a similarity matrix from these lists, for example by
``knn_graph``. To obtain a partition from this matrix, apply constraints, connect the components by bridges,
and cluster the rows of the Laplacian eigenvectors by k-means. Matrices are ``csr_array`` objects of float64.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
