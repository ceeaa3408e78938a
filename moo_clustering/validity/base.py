"""Base class of validity indices, including custom ones, and shared checks and sums over populations."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _num_samples

from moo_clustering._arrays import FloatArray, Int64Array, IntArray, Labels, block_slices, choice, quoted
from moo_clustering._data import checked_integers
from moo_clustering._kernels.caching import run
from moo_clustering._kernels.partitions import cluster_means, count_members, mean_distance_sums

# Arguments by which indices and inequalities request values that are computed once per population.
PRODUCTS = ("genes", "memberships", "centers", "medoids")
Direction = Literal["max", "min"]
# Magnitude of undefined values: finite, but worse than any other. Problems make these partitions infeasible.
UNDEFINED = 1e12


class ValidityIndex(ABC):
    """Index of partitions of one data set: call ``fit`` once, then ``evaluate`` for every population.

    Values have the signs used in the literature; problems negate maximised indices for pymoo. If the index is
    undefined (one cluster, equal samples), the value is a finite number that the subclass documents.

    Attributes
    ----------
    name : str
        Short name, used in ``PartitionProblem(objectives=[name, ...])`` and column headings.
    greater_is_better : bool
        Whether larger values are better.
    min_clusters : int, default=1
        Minimum number of clusters for which the index is defined. In problems, partitions with fewer
        clusters are infeasible and not scored.
    takes : {"labels", "memberships"}, default="labels"
        First argument of :meth:`evaluate`: labels, or memberships of shape (n_individuals, n_samples,
        n_clusters). Problems also pass genotypes as ``genes``, and the results of the encoding's methods
        ``memberships``, ``centers`` and ``medoids``, if :meth:`evaluate` has such arguments.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool]
    min_clusters: ClassVar[int] = 1
    takes: ClassVar[Literal["labels", "memberships"]] = "labels"
    n_samples_: int

    @abstractmethod
    def fit(self, data: ArrayLike) -> Self:
        """Precompute the quantities that all partitions share.

        Parameters
        ----------
        data : array-like of shape (n_samples, n_features)
            Features, or distances of shape (n_samples, n_samples) with ``metric="precomputed"``.
        """

    @abstractmethod
    def evaluate(self, labels: IntArray) -> FloatArray:
        """Score a population.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_samples)
            Contiguous clusters 0..k-1 in every row. A partition of shape (n_samples,) is a population of one.

        Returns
        -------
        values : ndarray of shape (n_individuals,)
            Values, with the signs used in the literature.
        """


class PopulationIndex(ValidityIndex):
    """Index whose ``evaluate`` checks the population before ``_score``; deep copies share fitted arrays."""

    def evaluate(self, labels: IntArray) -> FloatArray:
        return self._score(self._population(labels))

    @abstractmethod
    def _score(self, population: Population) -> FloatArray: ...

    def _population(self, labels: IntArray) -> Population:
        if not hasattr(self, "n_samples_"):
            name = type(self).__name__
            raise NotFittedError(f"this {name} is not fitted yet; call fit(data) before evaluate(labels)")
        return check_population(labels, self.n_samples_)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)


class FunctionIndex(PopulationIndex):
    """Index by a function ``(X, labels) -> float``, such as scikit-learn's ``calinski_harabasz_score``.

    The value is -1e12 ("max") or 1e12 ("min") for a single cluster, and if every cluster has one sample. In
    problems, these partitions are infeasible. The function is called once per partition. The indices of this
    package are faster, because they score whole populations.

    Parameters
    ----------
    function : callable
        Called with the data and one partition, of 2 to n_samples - 1 clusters. In problems, arguments named
        ``genes``, ``memberships``, ``centers`` and ``medoids`` receive the values of the partition.
    direction : {"max", "min"}
        Whether larger or smaller values are better.
    name : str, optional
        Name of the index. Default: the name of the function.

    Attributes
    ----------
    greater_is_better : bool
    """

    min_clusters = 2

    def __init__(
        self, function: Callable[[Any, Any], float], direction: Direction, name: str | None = None
    ) -> None:
        if not callable(function):
            raise TypeError(f"function must be a callable of X and labels, got {quoted(function)}")
        choice("direction", direction, get_args(Direction))
        self.function = function
        self._requested, self._with_labels = requested(function, 1)
        self.greater_is_better = direction == "max"  # type: ignore[misc]
        own: str = getattr(function, "__name__", type(function).__name__)
        self.name = name or own  # type: ignore[misc]

    def fit(self, data: ArrayLike) -> Self:
        self._data, self.n_samples_ = data, _num_samples(data)
        return self

    def evaluate(self, labels: IntArray, **products: NDArray[Any]) -> FloatArray:
        return self._score(self._population(labels), **products)

    def _score(self, population: Population, **products: NDArray[Any]) -> FloatArray:
        each = [{name: values[i] for name, values in products.items()} for i in range(len(population.labels))]
        return np.array(list(map(self._value, population.labels, population.n_clusters, each)))

    def _value(self, labels: Labels, n_clusters: int, products: dict[str, Any]) -> float:
        if not 1 < n_clusters < len(labels):
            return -UNDEFINED if self.greater_is_better else UNDEFINED
        value: Any = self.function(self._data, *[labels][: self._with_labels], **products)
        if np.ndim(value):
            raise ValueError(f"{self.name} must return one number, got shape {np.shape(value)}")
        if not isinstance(value, Real) and np.asarray(value).dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one real number, got {quoted(value)}")
        return float(value)


def requested(function: Any, n_data: int = 0) -> tuple[tuple[str, ...], bool]:
    """Return the names in PRODUCTS among the arguments after ``n_data``, and whether labels precede them."""
    named, free = accepted(function)
    names = tuple(name for name in PRODUCTS if name in named and name not in free[:n_data])
    first = free[n_data : n_data + 1]
    return names, first[0] not in PRODUCTS if first else not names


def accepted(function: Any) -> tuple[list[str], list[str]]:
    """Return the names of keyword and of positional arguments that a partial has not bound."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some compiled functions have no signature
        return [], ["data", "labels"]
    known = [one for one in given if not (isinstance(function, partial) and one.name in function.keywords)]
    named = [one.name for one in known if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    free = [one.name for one in known if one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY)]
    return named, [*free, *("labels" for one in known if one.kind is one.VAR_POSITIONAL for _ in range(2))]


def requests_of(index: ValidityIndex) -> tuple[str, ...]:
    """Return the names in PRODUCTS that an index requests."""
    names = index._requested if isinstance(index, FunctionIndex) else requested(index.evaluate, 1)[0]
    return ("memberships", *names) if index.takes == "memberships" else names


class Population(NamedTuple):
    """Partitions with their cluster sizes; row q has the non-empty clusters ``0..n_clusters[q]-1``."""

    labels: Labels
    sizes: Int64Array
    n_clusters: Int64Array

    def take(self, rows: slice | NDArray[np.intp]) -> Population:
        """Select individuals, and trim ``sizes`` to their largest number of clusters."""
        n_clusters = self.n_clusters[rows]
        width = int(n_clusters.max(initial=0))
        return Population(self.labels[rows], np.ascontiguousarray(self.sizes[rows, :width]), n_clusters)

    def blocks(self, items: int) -> Iterator[tuple[slice, Population]]:
        """Split into blocks of bounded memory; each individual requires ``items`` numbers."""
        for rows in block_slices(len(self.labels), items):
            yield rows, self.take(rows)


def check_population(labels: Any, n_samples: int) -> Population:
    """Check the labels of a population and count its clusters."""
    array = integer_rows(labels, "labels")
    if array.shape[1] != n_samples:
        raise ValueError(
            f"labels must have {n_samples} entries per row, the number of samples in fit; got "
            f"{array.shape[1]}"
        )
    lowest, highest = int(array.min(initial=0)), int(array.max(initial=0))
    if lowest < 0 or highest >= n_samples:
        bad = lowest if lowest < 0 else highest
        raise ValueError(f"labels must be 0..k-1 with k at most n_samples={n_samples}, got {bad}")
    rows = np.ascontiguousarray(array, dtype=np.int32)
    n_clusters = rows.max(axis=1).astype(np.int64) + 1
    sizes = np.zeros((len(rows), int(n_clusters.max(initial=0))), dtype=np.int64)
    run(count_members, rows.size, rows, sizes)
    gaps = np.argwhere((sizes == 0) & (np.arange(sizes.shape[1]) < n_clusters[:, np.newaxis]))
    if len(gaps):
        row, cluster = gaps[0]
        raise ValueError(
            f"labels must be contiguous, 0..k-1; row {row} has k={n_clusters[row]} "
            f"but no sample in cluster {cluster}"
        )
    return Population(rows, sizes, n_clusters)


def integer_rows(values: Any, name: str) -> NDArray[np.integer[Any]]:
    """Convert values, possibly floats with integer values or a single 1-d row, to a 2-d integer array."""
    array = checked_integers(values, name)
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"{name} must have 1 or 2 dimensions, got shape {array.shape}")
    return array


def means_and_sums(X: FloatArray, population: Population, *, squared: bool) -> tuple[FloatArray, FloatArray]:
    """Cluster means, shape (p, k, d), and sums of (squared) distances to them, shape (p, k)."""
    means = np.zeros((*population.sizes.shape, X.shape[1]))
    sums = np.zeros(population.sizes.shape)
    cluster_means(X, population.labels, population.sizes, means)
    mean_distance_sums(X, population.labels, means, squared, sums)
    return means, sums


def mean_square_distance(X: FloatArray) -> float:
    """Return the mean squared Euclidean distance over all n^2 pairs of rows of a centred matrix."""
    return 2.0 * float(np.einsum("ij,ij->", X, X)) / len(X)
