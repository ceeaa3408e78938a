"""Features on a common scale, for the samples of the fit and for later ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

FloatArray = NDArray[np.float64]
Scale = Literal["standard", "isotropic", "none"]


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """Offset and scale of every feature that is not constant; of sparse data their main components.

    Attributes
    ----------
    offset, spread : ndarray of shape (n_kept,)
    kept : ndarray of shape (n_kept,)
        Features that vary.
    components : TruncatedSVD or None
        For sparse data: what rows are reduced with before they are scaled to unit length.
    """

    offset: FloatArray
    spread: FloatArray
    kept: NDArray[np.intp]
    components: TruncatedSVD | None = None

    @classmethod
    def of(cls, X: Any, scale: Scale, *, n_components: int, seed: int) -> Self:
        """Learn it from ndarray or sparse matrix of shape (n_samples, n_features).

        Notes
        -----
        Sparse data of more than ``n_components`` features are reduced, and ``scale`` is not used.
        """
        if sp.issparse(X) and min(X.shape) > n_components:
            # Where nothing varies there is no share of the variance to explain.
            with np.errstate(invalid="ignore"):
                svd = TruncatedSVD(n_components, random_state=seed).fit(X)
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        rows = _dense(X)
        low, high = rows.min(axis=0), rows.max(axis=0)
        kept = np.flatnonzero(high > low)
        rows = rows[:, kept]
        if scale == "none":
            return cls(np.zeros(len(kept)), np.ones(len(kept)), kept)
        # Halves of the range first, so that squares of tiny and huge numbers stay within bounds.
        half = high[kept] / 2 - low[kept] / 2
        middle = low[kept] / 2 + high[kept] / 2
        if scale == "isotropic":
            half = np.full(len(kept), half.max(initial=0.0))
        unit = (rows / 2 - middle / 2) / (half / 2)
        mean = unit.mean(axis=0)
        spread = unit.std(axis=0)
        if scale == "isotropic" and len(kept):
            # One for all features, that of all numbers around the mean of their feature.
            spread = np.full(len(kept), np.sqrt((spread**2).mean()))
        return cls(middle + mean * half, spread * half, kept)

    def transform(self, X: Any) -> FloatArray:
        """Rows on the common scale, shape (n, n_kept); one column of zeros if no feature varies."""
        if self.components is not None:
            rows: FloatArray = normalize(self.components.transform(X))
            return np.ascontiguousarray(rows, dtype=np.float64)
        if not len(self.kept):
            return np.zeros((X.shape[0], 1))
        rows = _dense(X)[:, self.kept]
        scaled: FloatArray = (rows / 2 - self.offset / 2) / (self.spread / 2)
        return np.ascontiguousarray(scaled)


def _dense(X: Any) -> FloatArray:
    dense: FloatArray = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    return dense
