"""What every reader of multi-label data returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class MultiLabelTable:
    """A data set whose samples have any number of labels.

    Parameters
    ----------
    name : str
        Name of the set, or of the file it came from (without its folder).
    X : csr_array of shape (n_samples, n_features), float64
        Finite features; sorted indices, no stored zeros.
    Y : ndarray of shape (n_samples, n_labels), int8
        1 where the sample has the label, 0 where it has not, a row of -1 for an unlabelled sample.
    feature_names : tuple of str
        One per column of X.
    label_names : tuple of str
        One per column of Y.
    row_ids : ndarray of shape (n_samples,)
        Identifiers as text, or the numbers 0, 1, ... where the data have none.

    Raises
    ------
    ValueError
        If the parts do not fit together, or Y holds other values.
    """

    name: str
    X: sp.csr_array
    Y: NDArray[np.int8]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    row_ids: NDArray[Any]

    def __post_init__(self) -> None:
        if getattr(self.X, "format", None) != "csr":
            raise ValueError("X must be a sparse matrix in rows, as scipy.sparse.csr_array(X)")
        n, m = self.X.shape
        if self.Y.shape != (n, len(self.label_names)):
            raise ValueError(
                f"Y must have shape {(n, len(self.label_names))}, a row per sample and a column per label "
                f"name; got {self.Y.shape}"
            )
        if len(self.feature_names) != m or len(self.row_ids) != n:
            raise ValueError(
                f"feature_names and row_ids must have one element per column and row of X, {m} and {n}; got "
                f"{len(self.feature_names)} and {len(self.row_ids)}"
            )
        problem = wrong_indicators(self.Y)
        if problem is not None:
            raise ValueError(f"Y, row {problem[0]}: {problem[1]}")

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.label_names)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which samples are labelled, maybe with no label at all; shape (n_samples,)."""
        return np.asarray((self.Y >= 0).all(axis=1))

    @property
    def cardinality(self) -> float:
        """Mean number of labels of the labelled samples; 0 where there are none."""
        labelled = self.labelled
        return float(self.Y[labelled].sum(axis=1, dtype=np.int64).mean()) if labelled.any() else 0.0

    @property
    def has_row_ids(self) -> bool:
        """Whether the rows have identifiers of their own."""
        return bool(self.row_ids.dtype.kind == "U")

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """The same rows in random order, with their identifiers and labels."""
        order = np.random.default_rng(random_state).permutation(self.n_samples)
        return replace(self, X=self.X[order], Y=self.Y[order], row_ids=self.row_ids[order])


def wrong_indicators(Y: NDArray[Any]) -> tuple[int, str] | None:
    """The first row that is neither of 0 and 1 nor of -1 only, and what is wrong with it."""
    missing = Y == -1
    odd = ~(missing | (Y == 0) | (Y == 1))
    if odd.any():
        row, column = np.argwhere(odd)[0]
        return int(row), f"indicators of labels must be 0 or 1 (or all -1: unlabelled), not {Y[row, column]}"
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        return int(np.flatnonzero(partly)[0]), (
            "some labels are missing and others are not; mark all of them as missing (an unlabelled row), "
            "fill them in, or remove the row"
        )
    return None


def tidy_csr(X: Any) -> sp.csr_array:
    """A sparse matrix as float64 rows with sorted indices, no stored zeros, 32-bit indices where possible."""
    import scipy.sparse as sp

    X = sp.csr_array(X, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    if max(X.nnz, *X.shape) < 2**31:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
