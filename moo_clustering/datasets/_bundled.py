"""scikit-learn's bundled tables."""

from __future__ import annotations

import numpy as np

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._table import Table

BUNDLED = ("breast_cancer", "digits", "iris", "wine")


def load_bundled(name: str) -> Table:
    """Load a bundled data set by name; nothing is downloaded.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "iris", "wine"}

    Returns
    -------
    Table
        With known classes. The rows are as bundled, often sorted by class: see
        :meth:`Table.shuffled`.

    Raises
    ------
    ValueError
        For another name.
    """
    if name not in BUNDLED:
        raise ValueError(
            f"unknown data set {name!r}; bundled are {', '.join(BUNDLED)}{did_you_mean(name, BUNDLED)}"
        )
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Table(
        name=name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        feature_names=tuple(str(feature) for feature in bunch.feature_names),
        row_ids=np.arange(len(bunch.data)),
        y=np.asarray(bunch.target, dtype=np.int64),
        target_names=tuple(str(target) for target in bunch.target_names),
    )


def load_wine() -> Table:
    """Wine: 178 samples, 13 features, 3 classes.

    Returns
    -------
    Table
    """
    return load_bundled("wine")


def load_iris() -> Table:
    """Iris: 150 samples, 4 features, 3 classes.

    Returns
    -------
    Table
    """
    return load_bundled("iris")


def load_digits() -> Table:
    """Digits: 1797 images of 8 x 8 pixels, 10 classes.

    Returns
    -------
    Table
    """
    return load_bundled("digits")


def load_breast_cancer() -> Table:
    """Breast cancer Wisconsin (diagnostic): 569 samples, 30 features, 2 classes.

    Returns
    -------
    Table
    """
    return load_bundled("breast_cancer")
