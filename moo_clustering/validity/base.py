"""Base classes for built-in and custom validity indices, with checks and sums for populations."""

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

from moo_clustering._arrays import block_slices, choice, quoted
from moo_clustering._data import checked_integers
from moo_clustering._distances import centred_features
from moo_clustering._kernels.caching import run
from moo_clustering._kernels.partitions import cluster_means, count_members, mean_distance_sums
from moo_clustering._types import FloatArray, Int64Array, IntArray, IntpArray, Labels

# If an index or inequality has arguments with these names, their values are computed once per population.
PRODUCTS = ("genes", "memberships", "centers", "medoids")
Direction = Literal["max", "min"]
# This value replaces the value of an undefined index. If the index is maximised, the negative value is used.
# The value is finite, but worse than all defined values.
UNDEFINED = 1e12


class ValidityIndex(ABC):
    """Validity index for partitions of a data set. Call ``fit`` once, then ``evaluate`` for each population.

    Values have the sign used in the literature; problems negate maximised indices for pymoo. If the index is
    undefined, such as for a single cluster, the value is a finite number, which the subclass documents.

    Attributes
    ----------
    name : str
        Short name, used in ``PartitionProblem(objectives=[name, ...])`` and in column headings.
    greater_is_better : bool
        Whether higher values are better.
    min_clusters : int, default=1
        Minimum number of clusters for which the index is defined. In problems, partitions with fewer clusters
        are infeasible and are not scored.
    takes : {"labels", "memberships"}, default="labels"
        First argument of :meth:`evaluate`: labels, or memberships (n_individuals, n_samples, n_clusters). If
        :meth:`evaluate` has arguments ``memberships``, ``centers`` or ``medoids``, problems pass the results
        of the encoding's methods with these names. For ``genes``, they pass the genotypes.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool]
    min_clusters: ClassVar[int] = 1
    takes: ClassVar[Literal["labels", "memberships"]] = "labels"
    n_samples_: int

    @abstractmethod
    def fit(self, data: ArrayLike) -> Self:
        """Precompute all quantities that do not depend on the partition.

        Parameters
        ----------
        data : array-like of shape (n_samples, n_features)
            Features or, with ``metric="precomputed"``, distances of shape (n_samples, n_samples).
        """

    @abstractmethod
    def evaluate(self, labels: IntArray) -> FloatArray:
        """Score each partition of a population.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_samples)
            Contiguous clusters 0..k-1 in each row. A single partition may have shape (n_samples,).

        Returns
        -------
        values : ndarray of shape (n_individuals,)
            Index values, with the sign used in the literature.
        """


class PopulationIndex(ValidityIndex):
    """Base of indices that define ``_score`` for checked populations. Deep copies share fitted arrays."""

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


class CentredIndex(PopulationIndex):
    """Index computed from centred features."""

    def fit(self, data: ArrayLike) -> Self:
        self._X = centred_features(data)
        self.n_samples_ = len(self._X)
        return self

    def _distances_to_means(self, population: Population, *, squared: bool) -> FloatArray:
        """Return each individual's sum of distances, squared if requested, from samples to cluster means."""
        sums = [found.sum(axis=1) for *_, found in means_by_block(self._X, population, squared=squared)]
        return np.concatenate([np.empty(0), *sums])


class FunctionIndex(PopulationIndex):
    """Index computed by a function ``(X, labels) -> float``, such as ``calinski_harabasz_score``.

    For a single cluster and for n_samples clusters, the value is -1e12 ("max") or 1e12 ("min"), and problems
    treat the partition as infeasible. The function is called once per partition. Built-in indices are faster,
    because they score all partitions of a population at once.

    Parameters
    ----------
    function : callable
        Called with the data and the labels of 2 to n_samples - 1 clusters. Problems also pass arguments
        named ``genes``, ``memberships``, ``centers`` and ``medoids``; see :class:`ValidityIndex`.
    direction : {"max", "min"}
        Whether higher or lower values are better. This determines ``greater_is_better``.
    name : str, optional
        Name of the index. Default: the function name.
    """

    min_clusters = 2

    def __init__(
        self, function: Callable[[Any, Any], float], direction: Direction, name: str | None = None
    ) -> None:
        if not callable(function):
            raise TypeError(f"function must be a function of X and labels, got {quoted(function)}")
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
    """Return the names in PRODUCTS that a function takes, and whether labels follow ``n_data`` arguments."""
    named, free = accepted(function)
    names = tuple(name for name in PRODUCTS if name in named and name not in free[:n_data])
    first = free[n_data : n_data + 1]
    return names, first[0] not in PRODUCTS if first else not names


def accepted(function: Any) -> tuple[list[str], list[str]]:
    """Return names of keyword and of positional arguments, except arguments that a partial sets by name."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some compiled functions have no signature
        return [], ["data", "labels"]
    known = [one for one in given if not (isinstance(function, partial) and one.name in function.keywords)]
    named = [one.name for one in known if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    free = [one.name for one in known if one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY)]
    return named, [*free, *("labels" for one in known if one.kind is one.VAR_POSITIONAL for _ in range(2))]


def requests_of(index: ValidityIndex) -> tuple[str, ...]:
    """Return the names in PRODUCTS that an index takes as arguments."""
    names = index._requested if isinstance(index, FunctionIndex) else requested(index.evaluate, 1)[0]
    return ("memberships", *names) if index.takes == "memberships" else names


class Population(NamedTuple):
    """Partitions and their cluster sizes. Clusters ``0..n_clusters[q]-1`` of partition q are non-empty."""

    labels: Labels
    sizes: Int64Array
    n_clusters: Int64Array

    def take(self, rows: slice | IntpArray) -> Population:
        """Select individuals, and drop the columns of ``sizes`` beyond their largest number of clusters."""
        n_clusters = self.n_clusters[rows]
        width = int(n_clusters.max(initial=0))
        return Population(self.labels[rows], np.ascontiguousarray(self.sizes[rows, :width]), n_clusters)

    def blocks(self, items: int) -> Iterator[tuple[slice, Population]]:
        """Yield blocks of individuals that limit memory. Scoring an individual requires ``items`` numbers."""
        for rows in block_slices(len(self.labels), items):
            yield rows, self.take(rows)

    def scores(self, items: int, score: Callable[[Population], Any]) -> FloatArray:
        """Score all individuals in :meth:`blocks`, where ``score`` computes the values of one block."""
        return np.concatenate([np.empty(0), *(score(block) for _, block in self.blocks(items))])


def check_population(labels: Any, n_samples: int) -> Population:
    """Check the labels of a population, and count its clusters."""
    array = integer_rows(labels, "labels")
    if array.shape[1] != n_samples:
        raise ValueError(
            f"each row of labels must have one entry per fitted sample ({n_samples}), got {array.shape[1]}"
        )
    lowest, highest = int(array.min(initial=0)), int(array.max(initial=0))
    if lowest < 0 or highest >= n_samples:
        bad = lowest if lowest < 0 else highest
        raise ValueError(f"labels must be 0..k-1 with k at most n_samples={n_samples}, got {bad}")
    rows = np.ascontiguousarray(array, dtype=np.int32)
    n_clusters = rows.max(axis=1).astype(np.int64) + 1
    sizes = np.zeros((len(rows), int(n_clusters.max(initial=0))), dtype=np.int64)
    run(count_members, rows.size, rows, sizes)
    if len(gaps := np.argwhere((sizes == 0) & (np.arange(sizes.shape[1]) < n_clusters[:, np.newaxis]))):
        row, cluster = gaps[0]
        raise ValueError(
            f"labels must be contiguous, 0..k-1, but row {row} has k={n_clusters[row]} "
            f"and no sample in cluster {cluster}"
        )
    return Population(rows, sizes, n_clusters)


def integer_rows(values: Any, name: str) -> IntArray:
    """Convert integers or floats with integer values to a 2-d integer array. A 1-d array becomes one row."""
    array = checked_integers(values, name)
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"{name} must have 1 or 2 dimensions, got shape {array.shape}")
    return array


def means_by_block(
    X: FloatArray, population: Population, *, squared: bool
) -> Iterator[tuple[slice, Population, FloatArray, FloatArray]]:
    """For each block, yield rows, individuals, cluster means (p, k, d) and sums of distances to these."""
    for rows, block in population.blocks(population.sizes.shape[1] * (X.shape[1] + 1)):
        means, sums = np.zeros((*block.sizes.shape, X.shape[1])), np.zeros(block.sizes.shape)
        cluster_means(X, block.labels, block.sizes, means)
        mean_distance_sums(X, block.labels, means, squared, sums)
        yield rows, block, means, sums


def mean_square_distance(X: FloatArray) -> float:
    """Return the mean squared Euclidean distance over all n^2 pairs of rows of a centred matrix."""
    return 2.0 * float(np.einsum("ij,ij->", X, X)) / len(X)
