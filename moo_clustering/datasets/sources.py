"""Bundled data sets and generators for artificial data."""

import operator

import numpy as np

from moo_clustering._arrays import did_you_mean, integer, probability, quoted
from moo_clustering._docs import documented
from moo_clustering._types import FloatArray
from moo_clustering.datasets.bags import BagTable
from moo_clustering.datasets.tables import Table

BUNDLED = ("breast_cancer", "digits", "iris", "wine")
_HALF_WIDTH = 10.0


def load_bundled(name: str) -> Table:
    """Load a bundled data set by name. Nothing is downloaded.

    Raises a ValueError if the name is unknown.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "iris", "wine"}

    Returns
    -------
    Table
        Table with known classes. Rows are often sorted by class; :meth:`Table.shuffled` shuffles them.
    """
    if name not in BUNDLED:
        known = f"bundled data sets are {', '.join(BUNDLED)}"
        raise ValueError(f"unknown data set {name!r}; {known}{did_you_mean(name, BUNDLED)}")
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Table(
        name=name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        feature_names=tuple(map(str, bunch.feature_names)),
        row_ids=np.arange(len(bunch.data)),
        y=np.asarray(bunch.target, dtype=np.int64),
        target_names=tuple(map(str, bunch.target_names)),
    )


@documented(load_bundled)
def load_wine() -> Table:
    """Load the wine data set: 178 samples, 13 features, 3 classes."""
    return load_bundled("wine")


@documented(load_bundled)
def load_iris() -> Table:
    """Load the iris data set: 150 samples, 4 features, 3 classes."""
    return load_bundled("iris")


@documented(load_bundled)
def load_digits() -> Table:
    """Load the digits data set: 1797 images of 8 x 8 pixels, 10 classes."""
    return load_bundled("digits")


@documented(load_bundled)
def load_breast_cancer() -> Table:
    """Load the breast cancer Wisconsin (diagnostic) data set: 569 samples, 30 features, 2 classes."""
    return load_bundled("breast_cancer")


def make_bags(
    n_bags: int = 100,
    n_clusters: int = 3,
    *,
    bag_size: tuple[int, int] = (2, 10),
    n_features: int = 2,
    bag_std: float = 1.0,
    instance_std: float = 1.0,
    outlying: float = 0.05,
    random_state: int | np.random.Generator | None = None,
) -> BagTable:
    """Generate clusters of bags: bag centres around cluster centres, and instances around bag centres.

    Parameters
    ----------
    n_bags : int, default=100
    n_clusters : int, default=3
        Number of clusters. Their sizes differ by at most one bag. Centres lie far apart in [-10, 10]^d.
    bag_size : (int, int), default=(2, 10)
        Minimum and maximum number of instances per bag. Sizes are uniformly distributed.
    n_features : int, default=2
    bag_std : float, default=1.0
        Standard deviation of the bag centres around the cluster centres.
    instance_std : float, default=1.0
        Standard deviation of the instances around the bag centres.
    outlying : float in [0, 1], default=0.05
        Probability that an instance, other than the first of a bag, is drawn uniformly from [-10, 10]^d.
    random_state : int, Generator or None, default=None

    Returns
    -------
    BagTable
        ``labels`` contains the cluster of each bag, and ``label_names`` is "0", "1", ...

    Examples
    --------
    >>> from moo_clustering.datasets import make_bags
    >>> table = make_bags(n_bags=20, n_clusters=2, random_state=0)
    >>> table.n_bags, table.n_classes
    (20, 2)
    """
    from moo_clustering.bags import Bags

    try:
        low, high = map(operator.index, bag_size)
    except (TypeError, ValueError) as error:
        fault = "must be a pair of integers (minimum, maximum)"
        raise TypeError(f"bag_size {fault}, got {quoted(bag_size)}") from error
    if not 1 <= low <= high:
        fault = "must be (minimum, maximum) with 1 <= minimum <= maximum"
        raise ValueError(f"bag_size {fault}, got {quoted(bag_size)}")
    k, d = integer("n_clusters", n_clusters), integer("n_features", n_features)
    if (n := integer("n_bags", n_bags)) < k:
        raise ValueError(f"n_bags must be at least n_clusters ({k}), got {n}")
    probability("outlying", outlying)
    for name, spread in (("bag_std", bag_std), ("instance_std", instance_std)):
        if not 0.0 <= spread < np.inf:
            raise ValueError(f"{name} must be a non-negative number, got {spread}")
    rng = np.random.default_rng(random_state)
    labels = rng.permutation(np.arange(n, dtype=np.int64) % k)
    centres = _spread_centres(k, d, rng)[labels] + bag_std * rng.standard_normal((n, d))
    offsets = np.concatenate([[0], np.cumsum(rng.integers(low, high + 1, size=n))])
    m = int(offsets[-1])
    X = np.repeat(centres, np.diff(offsets), axis=0) + instance_std * rng.standard_normal((m, d))
    far = rng.random(m) < outlying
    far[offsets[:-1]] = False
    X[far] = rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, size=(int(far.sum()), d))
    bags = Bags(X, offsets, feature_names=[f"x{column}" for column in range(d)])
    return BagTable(bags, labels, tuple(map(str, range(k))), "bags")


def _spread_centres(k: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Select centres by a farthest-first traversal of random candidates."""
    candidates = rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, size=(10 * k, d))
    centres = candidates[:1]
    nearest = np.full(len(candidates), np.inf)
    for _ in range(k - 1):
        nearest = np.minimum(nearest, ((candidates - centres[-1]) ** 2).sum(axis=1))
        centres = np.vstack([centres, candidates[nearest.argmax()]])
    return centres
