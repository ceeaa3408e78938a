"""Sets with known classes of any folder, as the comparison takes them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.datasets import DataError
from moo_clustering.persistence import fingerprint

# Rows that count, of a random order.
MOST_ROWS = 1500
LEAST_ROWS = 10
# Components that texts are reduced to.
N_COMPONENTS = 50
# Two or three features with spreads this near are taken as coordinates.
_NEAR_SPREADS = 10.0
_FEW_FEATURES = 3
# Samples to a class on average, below which a column of numbers is no class.
_LEAST_OF_A_CLASS = 3

KINDS = {"s": "shapes", "u": "UCI tables", "t": "texts", "d": "digits", "o": "others"}


@dataclass(frozen=True)
class ClassedSet:
    """Rows of a set in random order, the first 1500 of them.

    Parameters
    ----------
    name : str
    identity : str
        Fingerprint of rows and classes.
    kind : {"s", "u", "t", "d", "o"}
        As in :data:`KINDS`.
    scale : {"standard", "isotropic", "none"}
        How features are brought to a common scale.
    table : ndarray or csr_array of shape (n_samples, n_features), float64
        Features, finite; term weights where it is sparse.
    classes : ndarray of shape (n_samples,), int64
        -1 for samples that are not scored and never labelled.
    note : str
        What was done to it.
    """

    name: str
    identity: str
    kind: str
    scale: str
    table: Any = field(compare=False, repr=False)
    classes: NDArray[np.int64] = field(compare=False, repr=False)
    note: str = field(default="", compare=False)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.classes)

    @property
    def n_classes(self) -> int:
        """Number of classes, noise not counted."""
        return int(self.classes.max()) + 1

    @property
    def n_noise(self) -> int:
        """Samples that are not scored."""
        return int((self.classes < 0).sum())

    def features(self) -> NDArray[np.float64]:
        """Features on a common scale; of texts 50 components, rows of unit length."""
        from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling

        scale: Any = self.scale
        return FeatureScaling.of(self.table, scale, n_components=N_COMPONENTS, seed=0).transform(self.table)

    def head(self, n_rows: int) -> ClassedSet:
        """The first rows of it, features scaled anew."""
        if self.n_samples <= n_rows:
            return self
        classes = _numbered(self.classes[:n_rows])
        return replace(self, table=self.table[:n_rows], classes=classes)


def made_set(
    name: str, kind: str, table: Any, classes: NDArray[np.integer[Any]], note: str = "", scale: str = ""
) -> ClassedSet:
    """Shuffle rows (seed 0), keep the first 1500, put medians in place of missing values.

    Parameters
    ----------
    name, kind, note : str
    table : ndarray or csr_array of shape (n_samples, n_features)
    classes : ndarray of shape (n_samples,)
        Negative ones are noise.
    scale : str, default=""
        Default: isotropic for shapes and for two or three features of similar spread, none for
        texts, standard else.

    Raises
    ------
    DataError
        If it is too small, or has no classes.
    """
    order = np.random.default_rng(0).permutation(len(classes))[:MOST_ROWS]
    notes = [note] if note else []
    rows, kept = table[order], _numbered(np.asarray(classes)[order])
    _check(kept)
    if not sp.issparse(rows):
        rows, n_missing = _filled(rows)
        if n_missing:
            notes.append(f"{n_missing} missing values are medians")
    scale = scale or _scale_of(kind, rows)
    identity = fingerprint(rows.toarray() if sp.issparse(rows) else rows, kept)[:16]
    return ClassedSet(name, identity, kind, scale, rows, kept, "; ".join(notes))


def _numbered(classes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Classes 0, 1, ... without gaps; -1 for noise."""
    result = np.full(len(classes), -1, dtype=np.int64)
    scored = classes >= 0
    result[scored] = np.unique(classes[scored], return_inverse=True)[1]
    return result


def _check(classes: NDArray[np.int64]) -> None:
    n, n_classes = int((classes >= 0).sum()), int(classes.max(initial=-1)) + 1
    if n < LEAST_ROWS:
        raise DataError(f"{n} rows with a class, fewer than {LEAST_ROWS}")
    if n_classes < 2:
        raise DataError("a single class")
    if n_classes * _LEAST_OF_A_CLASS > n:
        raise DataError(f"{n_classes} different values in {n} rows are no classes")


def _filled(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    rows = np.where(np.isfinite(rows), rows, np.nan)
    rows = rows[:, ~np.isnan(rows).all(axis=0)]
    if not rows.shape[1]:
        raise DataError("no features")
    missing = np.isnan(rows)
    if not missing.any():
        return rows, 0
    return np.where(missing, np.nanmedian(rows, axis=0), rows), int(missing.sum())


def _scale_of(kind: str, rows: Any) -> str:
    if kind == "t":
        return "none"
    if kind == "s":
        return "isotropic"
    if kind == "o" and rows.shape[1] <= _FEW_FEATURES:
        spreads = rows.std(axis=0)
        if rows.shape[1] > 1 and spreads.max() <= _NEAR_SPREADS * spreads.min():
            return "isotropic"
    return "standard"
