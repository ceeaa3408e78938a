"""Agreement of a partition with families of clusterers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._pairwise_ari import CountedPartitions, ari_table, counted
from moo_clustering.validity._population import check_population, integer_rows, require_fitted
from moo_clustering.validity._shared_data_index import SharedDataIndex


@runtime_checkable
class LabelledPool(Protocol):
    """Partitions, each with the name of the family it comes from."""

    @property
    def labels(self) -> NDArray[np.int32]:
        """Shape (n_partitions, n_samples)."""

    @property
    def families(self) -> Sequence[str]:
        """Length n_partitions."""


Pool = LabelledPool | tuple[ArrayLike, Sequence[str]]


class FamilyAgreement(SharedDataIndex):
    """Median over the families of a pool of the best agreement with a member; maximise.

    For each family the greatest adjusted Rand index with one of its partitions counts. The greatest of
    these values is dropped, so that a member of the pool, whose own family says 1, has no advantage over
    a partition from elsewhere; the value is the median of the others.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads, as for joblib; the result doesn't depend on them.

    Attributes
    ----------
    family_names_ : tuple of str
        Families in the order of their first members.
    n_samples_ : int

    Notes
    -----
    With two families the smaller value counts, with one it's 0 for every partition. A member given twice
    in one family changes nothing. The pool stays as it was at ``fit``: evolved partitions don't enter it.

    O(q p n) time for q partitions and p members of n samples, O(q p) memory.

    References
    ----------
    ParetoClustering: agreement of algorithm families.

    Examples
    --------
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]]
    >>> FamilyAgreement().fit((pool, ["km", "ward", "km"])).evaluate([0, 0, 0, 1, 1, 1]).round(4)
    array([0.3243])
    """

    name: ClassVar[str] = "agreement"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    family_names_: tuple[str, ...]
    _members: CountedPartitions
    _by_family: NDArray[np.intp]
    _starts: NDArray[np.intp]

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        """Take the pool.

        Parameters
        ----------
        data : PartitionPool, or tuple (labels, families)
            ``labels`` of shape (n_partitions, n_samples), clusters 0..k-1 in every row; ``families`` a
            name for every row.

        Raises
        ------
        TypeError
            Something else, such as features.
        ValueError
            No partition, or not one name for each.
        """
        labels, families = _pool_parts(data)
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(family, len(number)) for family in families], dtype=np.intp)
        self._members = counted(labels)
        self._by_family = np.argsort(codes, kind="stable")
        self._starts = np.searchsorted(codes[self._by_family], np.arange(len(number)))
        self.family_names_ = tuple(number)
        self.n_samples_ = labels.shape[1]
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        best = self.by_family(labels)
        if best.shape[1] == 1:
            return np.zeros(len(best))
        best.sort(axis=1)
        values: FloatArray = np.median(best[:, :-1], axis=1)
        return values

    def by_family(self, labels: IntArray) -> FloatArray:
        """Best adjusted Rand index with a member of each family, shape (n_individuals, n_families)."""
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        members = self._members
        # The pool itself takes half of the comparisons.
        of_pool = np.array_equal(population.labels, members.labels)
        table = ari_table(members if of_pool else counted(population.labels), members, self.n_jobs)
        best: FloatArray = np.maximum.reduceat(table[:, self._by_family], self._starts, axis=1)
        return best


def agreement(labels: IntArray, pool: Pool) -> FloatArray:
    """:class:`FamilyAgreement` of partitions of shape (n_individuals, n_samples) with a pool.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples)
    pool : PartitionPool
        Or any with ``labels`` and ``families``.

    Returns
    -------
    ndarray of shape (n_individuals,)
    """
    return FamilyAgreement().fit(pool).evaluate(labels)


def _pool_parts(data: Any) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    if isinstance(data, LabelledPool):
        labels, families = data.labels, data.families
    elif isinstance(data, tuple) and len(data) == 2:
        labels, families = data
    else:
        raise TypeError(
            "agreement is scored against a pool of partitions: fit takes a PartitionPool or a tuple "
            f"(labels, families), got {type(data).__name__}"
        )
    rows = integer_rows(labels, "labels of the pool")
    if rows.size == 0:
        raise ValueError(f"the pool must hold at least one partition, got labels of shape {rows.shape}")
    names = (families,) if isinstance(families, str) else tuple(families)
    if not all(isinstance(family, str) for family in names):
        raise TypeError(f"families must be names, got {names!r}")
    if len(names) != len(rows):
        raise ValueError(
            f"families must have one name per partition: {len(rows)} partitions, {len(names)} names"
        )
    # A copy, since the owner of the pool may go on to change it.
    return check_population(rows, rows.shape[1]).labels.copy(), names
