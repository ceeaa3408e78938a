"""Subspace clustering with feature weights in each cluster, with or without partial labels.

Array functions for initialisation, predictions, entropy-weighted k-means, and the iterations (sweeps) of SISC
and SISC-ML. Without impurity and chi-square, the sweeps are those of SCAD2. Feature arrays have shape
(n_features, n_clusters) and sample arrays (n_samples, n_clusters), so that products with sparse data read
contiguous rows. Sparse data are never converted to a dense samples-by-features array.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
