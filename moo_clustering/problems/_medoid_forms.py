"""Distance matrix or feature vectors: which form the distances of a problem take."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from moo_clustering._distances import Metric
from moo_clustering.problems._medoid_dense import DenseVectorSpace
from moo_clustering.problems._medoid_matrix import DistanceMatrixSpace
from moo_clustering.problems._medoid_space import MedoidSpace
from moo_clustering.problems._medoid_sparse import SparseVectorSpace
from moo_clustering.problems._medoid_vectors import KINDS, VectorMetric, VectorSpace

Form = Literal["auto", "matrix", "vector"]
# Metrics for which both forms give the same medoids.
_EITHER = ("cosine", "sqeuclidean")
# Beyond this many samples vectors are faster, and the matrix takes half a gigabyte.
_MANY = 8000


def choose_space(
    X: Any, metric: Metric, form: Form, max_memory: int, n_jobs: int | None
) -> tuple[Literal["matrix", "vector"], MedoidSpace]:
    """Form and space, as the options of :class:`~moo_clustering.problems.MedoidProblem` have it."""
    if form not in get_args(Form):
        raise ValueError(f"form must be one of {get_args(Form)}, got {form!r}.")
    name = metric if isinstance(metric, str) else None
    if form == "vector" and name not in KINDS:
        raise ValueError(f"form='vector' needs metric to be one of {tuple(KINDS)}, got {metric!r}.")
    if form == "auto" and name in _EITHER:
        n_samples = X.shape[0] if issparse(X) else len(np.asarray(X))
        if n_samples > _MANY or 8 * n_samples**2 > max_memory:
            form = "vector"
    if form == "vector":
        return "vector", vector_space(X, name, n_jobs)  # type: ignore[arg-type]
    return "matrix", DistanceMatrixSpace(X, metric, max_memory, n_jobs)


def vector_space(X: Any, metric: VectorMetric, n_jobs: int | None = None) -> VectorSpace:
    """Space over dense or sparse features; sparse ones stay sparse.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    metric : {"cosine", "sqeuclidean", "euclidean"}
        With ``"euclidean"`` distances are plain, but the medoid of a cluster is the member with the
        least total *squared* distance, which is another one than that of the distance matrix.
    n_jobs : int or None
    """
    X = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    return SparseVectorSpace(X, metric, n_jobs) if issparse(X) else DenseVectorSpace(X, metric, n_jobs)
