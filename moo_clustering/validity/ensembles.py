"""Agreement of partitions with ensembles of runs, pools of partitions, labels and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.special import gammaln

from moo_clustering._arrays import choice, positive, quoted
from moo_clustering._data import checked_table, require_same_samples
from moo_clustering._docs import documented
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntArray, IntpArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity import base
from moo_clustering.validity.external import CountedPartitions, ari_table, pairwise_ari

# A block of this number of samples, with 16 bytes per sample, fits in the cache.
BLOCK_OBJECTS = 1 << 15


def pairwise_nmi(labels: ArrayLike, others: ArrayLike | None = None) -> FloatArray:
    """Return the normalised mutual information between each pair of runs.

    Takes O(n_samples n_runs n_others + E^2) time and O(E^2) memory for E clusters in total. Sources: Ensemble
    NMF (:func:`~moo_clustering.validity.nmi`), Eq. 1; Strehl & Ghosh, JMLR 3, 2002.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers; -1 marks samples missing from a run. Two runs are compared on the samples in both of them.
    others : array-like of shape (n_others, n_samples), optional
        Runs with which ``labels`` are compared. Default: ``labels``.

    Returns
    -------
    ndarray of shape (n_runs, n_others)
        Values in [0, 1], normalised by the geometric mean of the entropies. 0 if a partition has a single
        cluster, otherwise 1 for identical partitions.

    Examples
    --------
    >>> from moo_clustering.validity import pairwise_nmi
    >>> pairwise_nmi([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).round(4)
    array([[1.    , 0.5295],
           [0.5295, 1.    ]])
    """
    runs = hyperedges(labels)
    rest = runs if others is None else hyperedges(others, "others")
    require_same_samples("labels and others", runs.n_samples, rest.n_samples)
    return nmi_table(runs, rest)


@documented()
def average_nmi(labels: ArrayLike, candidate: ArrayLike) -> float:
    """Return the mean normalised mutual information (ANMI) between a partition and each run of an ensemble.

    Source: Strehl & Ghosh, JMLR 3, 2002, Eq. 4.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers; -1 marks samples missing from a run.
    candidate : array-like of shape (n_samples,)
    """
    return float(pairwise_nmi(base.integer_rows(candidate, "candidate"), check_runs(labels)).mean())


def mean_agreement(table: FloatArray) -> FloatArray:
    """Return the mean of each row of a square table, without the diagonal. For a single run, return 0."""
    others = max(len(table) - 1, 1)
    return (table.sum(axis=1) - np.diag(table)) / others


def nmi_table(first: Hyperedges, second: Hyperedges) -> FloatArray:
    """Compute the NMI between each run of two sets, shape (n_runs_1, n_runs_2)."""
    shared = (first.intersections if first is second else overlaps(first, second)).astype(np.float64)
    to_first, to_second = _of_run(first), _of_run(second)
    # ``rows`` and ``columns`` count the samples that each hyperedge shares with each run of the other set.
    rows = shared @ to_second.T
    columns = to_first @ shared
    common = to_first @ rows
    expected = rows[:, second.runs] * columns[first.runs]
    ratio = np.ones_like(shared)
    np.divide(shared * common[np.ix_(first.runs, second.runs)], expected, out=ratio, where=shared > 0)
    information = to_first @ (shared * np.log(ratio)) @ to_second.T
    entropies = (to_first @ _surprise(rows, common[first.runs])) * (
        _surprise(columns, common[:, second.runs]) @ to_second.T
    )
    result = np.zeros_like(common)
    np.divide(information, np.sqrt(entropies), out=result, where=entropies > 0)
    # Two partitions are equal if both have as many clusters as their contingency table has non-zero cells.
    cells = to_first @ (shared > 0) @ to_second.T
    equal = (cells == to_first @ (rows > 0)) & (cells == (columns > 0) @ to_second.T) & (cells > 1)
    return np.where(equal, 1.0, np.clip(result, 0.0, 1.0))


def _of_run(edges: Hyperedges) -> FloatArray:
    """Return a matrix that is 1 if a hyperedge belongs to a run, and otherwise 0, shape (n_runs, n_edges)."""
    return (np.arange(edges.n_runs)[:, np.newaxis] == edges.runs).astype(np.float64)


def _surprise(counts: FloatArray, totals: FloatArray) -> FloatArray:
    ratio = np.ones_like(counts)
    np.divide(totals, counts, out=ratio, where=counts > 0)
    return counts * np.log(ratio)


def hyperedges(labels: ArrayLike, name: str = "labels") -> Hyperedges:
    """Validate partitions of shape (n_runs, n_samples), and assign a number to every cluster of every run."""
    rows = check_runs(labels, name)
    if rows.max() > 8 * rows.shape[1]:
        # Large labels are renumbered, because they would require long tables.
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape) - int(rows.min() < 0)
    unseen = rows < 0
    local = relabel_by_first_appearance(rows.astype(np.int64) + 1).astype(np.int64)
    for run in np.flatnonzero(unseen.any(axis=1)):
        # Missing samples were numbered like a cluster, so the gap in the numbers of the clusters is closed.
        local[run] -= local[run] > local[run, unseen[run].argmax()]
    local[unseen] = -1
    starts = np.concatenate([[0], np.cumsum(local.max(axis=1) + 1)])
    return Hyperedges(np.where(unseen, -1, local + starts[:-1, np.newaxis]), starts)


def check_runs(labels: ArrayLike, name: str = "labels") -> IntArray:
    """Check run labels of shape (n_runs, n_samples). A single run may be 1-d."""
    rows = base.integer_rows(labels, name)
    if rows.size == 0:
        raise ValueError(
            f"{name} must contain at least one run of at least one sample, got shape {rows.shape}"
        )
    if rows.min() < -1:
        raise ValueError(
            f"{name} must be non-negative, or -1 for samples absent from the run; got {rows.min()}"
        )
    return rows


@dataclass(frozen=True, eq=False)
class Hyperedges:
    """Clusters of all runs, numbered run by run in order of first appearance."""

    codes: Int64Array  # hyperedge of each sample in each run, or -1 if missing, shape (n_runs, n_samples)
    starts: Int64Array  # run t consists of hyperedges starts[t] to starts[t + 1] - 1, shape (n_runs + 1,)

    @property
    def n_runs(self) -> int:
        return self.codes.shape[0]

    @property
    def n_samples(self) -> int:
        return self.codes.shape[1]

    @property
    def n_edges(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def runs(self) -> IntpArray:
        """Index of each hyperedge's run, shape (n_edges,)."""
        return np.repeat(np.arange(self.n_runs), np.diff(self.starts))

    @cached_property
    def seen(self) -> BoolArray:
        """Mask of the samples that each run contains, shape (n_runs, n_samples)."""
        return self.codes >= 0

    @cached_property
    def sizes(self) -> Int64Array:
        """Number of samples in each hyperedge, shape (n_edges,)."""
        return np.bincount(self.codes[self.seen], minlength=self.n_edges)

    @cached_property
    def intersections(self) -> Int64Array:
        """Number of samples shared by each pair of hyperedges, H H^T, shape (n_edges, n_edges)."""
        return overlaps(self, self)

    def matrix(self, values: FloatArray | None = None) -> sp.csr_array:
        """Return H (n_edges, n_samples): 1 or the run's value if a sample is in a hyperedge, otherwise 0."""
        run, column = np.nonzero(self.seen)
        data = np.ones(len(run)) if values is None else values[run]
        return sp.csr_array((data, (self.codes[run, column], column)), shape=(self.n_edges, self.n_samples))

    def take(self, runs: IntArray) -> Hyperedges:
        """Select runs in the given order, and reuse the counts of shared samples."""
        widths = np.diff(self.starts)[runs]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        shift = (starts[:-1] - self.starts[runs])[:, np.newaxis]
        taken = Hyperedges(np.where(self.seen[runs], self.codes[runs] + shift, -1), starts)
        if "intersections" in vars(self):
            edges = np.arange(taken.n_edges) - np.repeat(shift[:, 0], widths)
            vars(taken)["intersections"] = self.intersections[np.ix_(edges, edges)]
        return taken


def overlaps(first: Hyperedges, second: Hyperedges) -> Int64Array:
    """Count the samples shared by the hyperedges of two sets of runs, shape (E_1, E_2)."""
    # This takes O(n_samples n_runs_1 n_runs_2 + E_1 E_2) time, and is faster than a sparse product.
    table = np.zeros((first.n_edges, second.n_edges), dtype=np.int64)
    step = max(1, BLOCK_OBJECTS // first.n_samples)
    for lo in range(0, second.n_runs, step):
        columns = slice(int(second.starts[lo]), int(second.starts[min(lo + step, second.n_runs)]))
        width = columns.stop - columns.start + 1
        # Missing samples are counted in an additional row and column, which are then dropped.
        there = np.where(second.seen[lo : lo + step], second.codes[lo : lo + step] - columns.start, width - 1)
        for run in range(first.n_runs):
            rows = slice(int(first.starts[run]), int(first.starts[run + 1]))
            height = rows.stop - rows.start + 1
            here = np.where(first.seen[run], first.codes[run] - rows.start, height - 1)
            counts = np.bincount((here * width + there).ravel(), minlength=height * width)
            table[rows, columns] = counts.reshape(height, width)[:-1, :-1]
    return table


@runtime_checkable
class LabelledPool(Protocol):
    """Partitions, each of which comes from a named family of algorithms."""

    @property
    def labels(self) -> Labels:
        """Cluster labels, shape (n_partitions, n_samples)."""

    @property
    def families(self) -> Sequence[str]:
        """Family name of each partition, length n_partitions."""


Pool = LabelledPool | tuple[ArrayLike, Sequence[str]]


@documented(pairwise_ari)
@dataclass(eq=False, repr=False)
class FamilyAgreement(base.PopulationIndex):
    """Median agreement of a partition with the algorithm families of a partition pool, maximised.

    The agreement with a family is the highest adjusted Rand index with any of its partitions. The median
    omits the family with the highest agreement, so that partitions in the pool have no advantage. With two
    families, the index is thus the lower agreement. With one family, it is 0. Takes O(q p n) time and O(q p)
    memory for q partitions and p members of n samples. Source: ParetoClustering (family agreement).

    Attributes
    ----------
    family_names_ : tuple of str
        Families in order of first appearance.

    Examples
    --------
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]]
    >>> FamilyAgreement().fit((pool, ["km", "ward", "km"])).evaluate([0, 0, 0, 1, 1, 1]).round(4)
    array([0.3243])
    """

    name, greater_is_better = "agreement", True

    _: KW_ONLY
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        """Fit to a PartitionPool, or to a tuple (labels, families) with one row of labels per partition.

        Raises a TypeError if the data are of another type, and a ValueError unless each row has a family.
        """
        labels, families = _pool_parts(data)
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(family, len(number)) for family in families], dtype=np.intp)
        self._members = CountedPartitions(labels)
        self._by_family = np.argsort(codes, kind="stable")
        self._starts = np.searchsorted(codes[self._by_family], np.arange(len(number)))
        self.family_names_ = tuple(number)
        self.n_samples_ = labels.shape[1]
        return self

    def _score(self, population: base.Population) -> FloatArray:
        best = self._by_families(population)
        if best.shape[1] == 1:
            return np.zeros(len(best))
        best.sort(axis=1)
        return np.median(best[:, :-1], axis=1)

    def by_family(self, labels: IntArray) -> FloatArray:
        """Return the highest adjusted Rand index with each family, shape (n_individuals, n_families)."""
        return self._by_families(self._population(labels))

    def _by_families(self, population: base.Population) -> FloatArray:
        members = self._members
        # The comparison of a pool with itself takes half the time.
        of_pool = np.array_equal(population.labels, members.labels)
        others = members if of_pool else CountedPartitions(population.labels)
        table = ari_table(others, members, self.n_jobs)
        return np.maximum.reduceat(table[:, self._by_family], self._starts, axis=1)


@documented(base.ValidityIndex.evaluate)
def agreement(labels: IntArray, pool: Pool) -> FloatArray:
    """Return the :class:`FamilyAgreement` of partitions with a pool.

    Parameters
    ----------
    pool : PartitionPool
        Any object with the attributes ``labels`` and ``families``.
    """
    return FamilyAgreement().fit(pool).evaluate(labels)


def _pool_parts(data: Any) -> tuple[Labels, tuple[str, ...]]:
    if isinstance(data, LabelledPool):
        labels, families = data.labels, data.families
    elif isinstance(data, tuple) and len(data) == 2:
        labels, families = data
    else:
        raise TypeError(
            "agreement requires a PartitionPool or a tuple (labels, families) in fit, got "
            f"{type(data).__name__}"
        )
    rows = base.integer_rows(labels, "labels of the pool")
    if rows.size == 0:
        raise ValueError(f"the pool must contain at least one partition, got labels of shape {rows.shape}")
    names = (families,) if isinstance(families, str) else tuple(families)
    if not all(isinstance(family, str) for family in names):
        raise TypeError(f"families must be strings, got {quoted(names)}")
    if len(names) != len(rows):
        raise ValueError(f"families must have one name per partition ({len(rows)}), got {len(names)}")
    # The labels are copied, because the pool may be modified later.
    return base.check_population(rows, rows.shape[1]).labels.copy(), names


@dataclass(eq=False, repr=False)
class LabelEvidence(base.PopulationIndex):
    """Log marginal likelihood of the labels given the clusters, maximised.

    The probabilities of the K classes in each cluster have a symmetric Dirichlet prior with parameter alpha /
    K. With N_c labelled samples in cluster c, of which N_cg have class g,

    E = sum_c { lnG(alpha) - lnG(alpha + N_c) + sum_g [ lnG(alpha/K + N_cg) - lnG(alpha/K) ] },

    where lnG is the log-gamma function. The index rewards pure clusters and penalises needless splits.
    Clusters without labels add 0. Takes O(q L K) time for q partitions and L labelled samples. Sources:
    ParetoClustering: label evidence; Heckerman, Geiger & Chickering, Machine Learning 20, 1995 (likelihood).

    Parameters
    ----------
    alpha : float, default=0.5
        Total concentration of the prior. Small values favour pure clusters.
    unnamed : bool, default=False
        Whether K includes one additional class, which stands for all classes without labels.

    Attributes
    ----------
    n_classes_ : int

    Examples
    --------
    >>> counts = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> LabelEvidence().fit(counts).evaluate([[0, 0, 1, 1], [0, 1, 0, 1]]).round(6)
    array([-1.750937, -4.969813])
    """

    name, greater_is_better = "label_evidence", True

    alpha: float = 0.5
    unnamed: bool = False

    def fit(self, data: ArrayLike) -> Self:
        """Fit to label counts of shape (n_samples, n_classes), dense or sparse.

        The row of a labelled sample contains a single 1, and the row of an unlabelled sample only zeros. The
        row of a group of samples is the sum of their rows. Raises a ValueError if counts are negative or
        infinite, if there is no class, or if a parameter is invalid.
        """
        positive("alpha", self.alpha)
        choice("unnamed", self.unnamed, (True, False))
        counts = csr_array(checked_table(data, "counts", accept_sparse="csr"))
        if (lowest := float(counts.data.min(initial=0.0))) < 0.0:
            raise ValueError(f"counts must be non-negative, got {lowest:g}")
        self.n_samples_, self.n_classes_ = counts.shape
        self._labelled = np.flatnonzero(np.asarray(counts.sum(axis=1)) > 0.0)
        self._counts = counts[self._labelled]
        return self

    def _score(self, population: base.Population) -> FloatArray:
        n_counts = len(self._labelled) * self.n_classes_
        return population.scores(self.n_samples_ + n_counts, self._of_block)

    def _of_block(self, block: base.Population) -> FloatArray:
        n, width = block.sizes.shape
        places = block.labels[:, self._labelled] + width * np.arange(n)[:, np.newaxis]
        sample = np.broadcast_to(np.arange(places.shape[1]), places.shape)
        entries = np.ones(places.size), (places.ravel(), sample.ravel())
        members = csr_array(entries, (n * width, places.shape[1]))
        table = (members @ self._counts).tocsr()  # N_cg
        outcomes = self.n_classes_ + int(self.unnamed)
        terms = _rise(self.alpha / outcomes, table.data)
        owner = np.repeat(np.arange(n * width), np.diff(table.indptr)) // width
        gains = np.bincount(owner, weights=terms, minlength=n)
        sizes = np.asarray(table.sum(axis=1)).reshape(n, width)  # N_c
        return gains - _rise(self.alpha, sizes).sum(axis=1)


@documented(base.ValidityIndex.evaluate, LabelEvidence)
def label_evidence(
    labels: IntArray, counts: ArrayLike, *, alpha: float = 0.5, unnamed: bool = False
) -> FloatArray:
    """Return the :class:`LabelEvidence` of partitions for given label counts.

    Parameters
    ----------
    counts : array-like of shape (n_samples, n_classes)
        Label counts; see :meth:`LabelEvidence.fit`.
    """
    return LabelEvidence(alpha, unnamed).fit(counts).evaluate(labels)


def _rise(concentration: float, counts: FloatArray) -> FloatArray:
    """Return the logarithm of the rising factorial of ``concentration`` with ``counts`` factors."""
    return gammaln(concentration + counts) - gammaln(concentration)


@dataclass(eq=False, repr=False)
class PairEvidence(base.PopulationIndex):
    """Negative total penalty for violated pairs, maximised.

    Pair weights multiply the penalty. Takes O(q (n + pairs)) time for q partitions. Source: ParetoClustering.

    Parameters
    ----------
    penalty : float, default=2.9
        Penalty per violated must-link or cannot-link. 2.9 is about ln(.95 / .05), for 5 % wrong pairs.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1)], [(1, 2), (0, 3)], n_samples=4)
    >>> PairEvidence().fit(pairs).evaluate([[0, 0, 1, 1], [0, 1, 1, 0]])
    array([ 0. , -8.7])
    """

    name, greater_is_better = "pair_evidence", True

    penalty: float = 2.9

    def fit(self, data: Any) -> Self:
        """Fit to PairwiseConstraints. Raises a ValueError unless the penalty is positive."""
        positive("penalty", self.penalty)
        if not isinstance(data, PairwiseConstraints):
            raise TypeError(f"pair_evidence requires PairwiseConstraints in fit, got {type(data).__name__}")
        self._constraints = data
        self.n_samples_ = data.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        pairs = self._constraints
        must, cannot = pairs.satisfied(population.labels)
        violated = (pairs.must_link_weights.sum() - must) + (pairs.cannot_link_weights.sum() - cannot)
        return 0.0 - self.penalty * violated
