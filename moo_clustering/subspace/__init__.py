"""Subspace clustering in which every cluster weighs features for itself, with partial labels or none.

Functions on arrays that the estimators and the problem share: a sweep of SISC and SISC-ML (SCAD2 when
impurity and chi-square are left out), ways to start, predictions, and entropy-weighted k-means. Arrays by
feature have shape (n_features, n_clusters), arrays by sample (n_samples, n_clusters), so that products with
sparse data read whole rows. No dense array of samples by features is ever built of sparse data.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
