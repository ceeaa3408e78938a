"""Sparse matrices in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from moo_clustering.datasets import DataError, Table
from moo_clustering.datasets._npz import array_names

if TYPE_CHECKING:
    from moo_clustering.estimators._registry import Method

_PARTS = {"format", "shape", "data"}


@dataclass(frozen=True, eq=False)
class SparseSamples(Table):
    """A data set of sparse features.

    Parameters
    ----------
    X : csr_array of shape (n_samples, n_features), float64
    """

    X: Any

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])


def holds_sparse(path: Path) -> bool:
    """Whether a file is a matrix as ``scipy.sparse.save_npz`` writes it."""
    return array_names(path) >= _PARTS


def load_sparse(path: Path, method: Method, options: Mapping[str, Any]) -> SparseSamples:
    """The matrix, for methods that take one.

    Parameters
    ----------
    path : Path
    method : Method
    options : mapping
        Flags that name columns, none of which the file has, and what they were given.

    Raises
    ------
    DataError
        When the matrix is damaged or not finite, or the method takes none.
    """
    from moo_clustering.datasets._multilabel_names import default_names
    from moo_clustering.datasets._multilabel_npz import sparse_matrix
    from moo_clustering.datasets._multilabel_table import tidy_csr
    from moo_clustering.datasets._npz import load_arrays
    from moo_clustering.estimators._registry import METHODS

    if given := [flag for flag, value in options.items() if value]:
        flags = " and ".join(given)
        raise DataError(f"{flags} cannot be given, as {path} is a sparse matrix without names of columns")
    if not method.sparse:
        takers = ", ".join(known.name for known in METHODS.values() if known.sparse)
        raise DataError(
            f"{path} is a sparse matrix, and method {method.name} takes dense features only; methods that "
            f"take sparse ones are {takers}"
        )
    X = tidy_csr(sparse_matrix(load_arrays(path), str(path)))
    if not np.isfinite(X.data).all():
        raise DataError(f"{path} has NaN or infinite values; fill in or remove such cells first")
    names = default_names("x", X.shape[1], str(path))
    return SparseSamples(path.name, X, names, np.arange(X.shape[0]))
