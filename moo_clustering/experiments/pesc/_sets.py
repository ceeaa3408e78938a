"""Ordinary sets with known classes, from a data folder and from scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.datasets._npz import load_arrays
from moo_clustering.persistence import fingerprint

_VARIABLE = "MOO_CLUSTERING_DATA"
_FOLDER = "uci"
_BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer_wdbc": load_breast_cancer}
# Sets whose features are codes or yes/no rather than measurements.
_NOMINAL = ("zoo", "soybean_small", "lung_cancer")
# As large as the largest set of the paper.
MOST_SAMPLES = 5000


@dataclass(frozen=True)
class FlatSet:
    """Rows with known classes.

    Parameters
    ----------
    name : str
        Of the file without suffix.
    identity : str
        Fingerprint of rows and classes; sets of one name and identity are equal.
    X : ndarray of shape (n_samples, n_features), float64
    classes : ndarray of shape (n_samples,), int64
        0, 1, ... without gaps.
    """

    name: str
    identity: str
    X: NDArray[np.float64] = field(compare=False)
    classes: NDArray[np.int64] = field(compare=False)

    @property
    def n_clusters(self) -> int:
        """Target number of clusters: that of the classes."""
        return int(self.classes.max()) + 1

    @property
    def is_nominal(self) -> bool:
        """Whether features are codes."""
        return self.name in _NOMINAL

    @property
    def largest_share(self) -> float:
        """Accuracy of one cluster for everything."""
        return float(np.bincount(self.classes).max() / len(self.classes))


def load_flat_sets(folder: Path | None, names: Sequence[str] = ()) -> list[FlatSet]:
    """Sets of a folder and those that scikit-learn brings along, or those of them asked for.

    Parameters
    ----------
    folder : Path, optional
        Its sub-folder ``uci`` holds npz files with arrays ``X`` and ``y``; default: the folder named by
        the environment variable ``MOO_CLUSTERING_DATA``, without which there are scikit-learn's sets only.
    names : sequence of str, default=()
        Names of files without suffix; default: all with at most 5000 samples.

    Returns
    -------
    list of FlatSet
        By their numbers of samples.

    Raises
    ------
    ValueError
        For a name that there is no set of.
    DataError
        If ``folder`` has no sub-folder ``uci``, or a file of it is no set with classes.
    """
    paths = _files(folder)
    known = sorted({*paths, *_BUNDLED})
    for name in names:
        if name not in known:
            raise ValueError(
                f"sets must be among {', '.join(known)}; got {name!r}{did_you_mean(name, known)}"
            )
    found = [_read(name, paths.get(name)) for name in dict.fromkeys(names or known)]
    kept = [one for one in found if names or len(one.X) <= MOST_SAMPLES]
    return sorted(kept, key=lambda one: (len(one.X), one.name))


def _files(folder: Path | None) -> dict[str, Path]:
    given = os.environ.get(_VARIABLE) if folder is None else folder
    place = Path(given) / _FOLDER if given else None
    if folder is not None and place is not None and not place.is_dir():
        raise DataError(f"there is no folder {place}; sets with classes are looked for there")
    return {} if place is None else {path.stem: path for path in sorted(place.glob("*.npz"))}


def _read(name: str, path: Path | None) -> FlatSet:
    if path is None:
        X, y = _BUNDLED[name](return_X_y=True)
    else:
        X, y = _arrays(path)
    X = np.asarray(X, dtype=np.float64)
    classes = np.unique(y, return_inverse=True)[1].astype(np.int64)
    if X.ndim != 2 or np.shape(y) != (len(X),) or not np.isfinite(X).all() or classes.max(initial=0) < 1:
        raise DataError(
            f"{path} must have finite features 'X' of shape (n_samples, n_features) and 'y' with a class "
            "for every sample, of at least two"
        )
    return FlatSet(name, fingerprint(X, classes)[:16], X, classes)


def _arrays(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        arrays = load_arrays(path)
        X, y = arrays["X"], arrays["y"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} is no archive with arrays 'X' and 'y': {error}") from error
    if X.dtype.kind not in "iufb" or y.dtype.kind not in "iufbUS":
        raise DataError(
            f"{path} has arrays 'X' and 'y' of types {X.dtype} and {y.dtype}, not numbers and classes"
        )
    return X, y
