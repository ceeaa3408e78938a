"""Fuzzy subspace clustering from seed documents: the problem, its objectives, cache and encoding."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from moo_clustering import subspace
from moo_clustering._arrays import AnyFloatArray, IntArray, Labels, integer
from moo_clustering._data import require_same_samples
from moo_clustering._docs import documented
from moo_clustering._parallel import thread_calls
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.encodings import base
from moo_clustering.encodings.medoids import SlotGenes, occupied_slots
from moo_clustering.problems.partition import EncodedProblem, unique_names
from moo_clustering.subspace.classes import labelled_shares

# The cache contains the objectives of at least this many recent individuals, and of at most twice as many.
CAPACITY = 1 << 16


class SubspaceClusteringProblem(EncodedProblem):
    """Find seed documents from which compact and pure fuzzy clusters in subspaces grow.

    Genes are the indices of ``k_min`` to ``n_seeds`` distinct seed documents; empty slots contain -1.
    Evaluation runs ``n_sweeps`` iterations of SISC, starting from centroids halfway between the seeds and the
    mean document. Raises a TypeError or ValueError if data or options are invalid, or if ``"impurity"`` is
    used without labels. Evaluation raises an error for invalid genotypes (use ``repair=EncodingRepair()``).
    An individual with k clusters takes O(n_sweeps k (nnz + n_samples + n_features)) time, where nnz is the
    number of non-zero values, and O(k (n_samples + n_features)) memory per thread. The order of seeds has no
    effect, so use ``CanonicalDuplicates(problem.encoding)``. Source: SISC-ML, Eqs. 2 (terms as objectives),
    3, 8, 11.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or SubspaceData
    y : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Classes (-1: unlabelled), 0/1 indicators of label sets (rows of -1: unlabelled), or ``Targets``.
    n_seeds : int, default=20
        Maximum number of clusters.
    k_min : int, optional
        Minimum number of clusters. Default: ``n_seeds``, which fixes the number of clusters.
    n_sweeps : int, default=3
        Number of sweeps per evaluation, from 1 to 3. With more sweeps, similar seeds score less similarly.
    objectives : sequence of str, default=("dispersion", "impurity")
        Objectives to minimise:

        - ``"dispersion"``: sum_l w_l^f d_l for memberships w and distances d, averaged over the samples;
        - ``"impurity"``: mean impurity of clusters, relative to the impurity of all labelled samples;
        - ``"n_clusters"``: number of clusters;
        - ``"chi_square"``: sum over clusters l and m features i of (m lambda_li)^q chi_li in the last sweep,
          for feature weights lambda and chi-square statistics chi.
    options : SubspaceOptions, optional
        Sweep options.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the sweeps; ignored if X is SubspaceData.
    memory : int, default=256 MiB
        Maximum size in bytes of a cache for operators, which contains centroids and distances of recent
        individuals. An individual with k clusters takes 4 k n_features + 4 n_samples bytes.

    Attributes
    ----------
    encoding : SubspaceSeedEncoding
        Encoding that repairs, draws and compares genotypes. Its attribute ``data`` contains the SubspaceData.
    n_grown : int
        Number of individuals evaluated so far, excluding those found in the cache.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]]
    >>> problem = SubspaceClusteringProblem(X, [0, -1, 0, 1, -1, 1], n_seeds=2)
    >>> problem.decode([[5, 0]])
    array([[1, 1, 1, 0, 0, 0]], dtype=int32)
    >>> F = problem.evaluate(np.array([[5, 0], [0, 1]]))
    >>> (F[0] < F[1]).all()
    np.True_
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        n_seeds: int = 20,
        k_min: int | None = None,
        n_sweeps: int = 3,
        objectives: Sequence[str] = ("dispersion", "impurity"),
        options: subspace.SubspaceOptions | None = None,
        dtype: str = "float64",
        memory: int = 2**28,
        n_jobs: int | None = None,
    ) -> None:
        self.objective_names = unique_names(objectives, OBJECTIVES)
        self.n_sweeps = integer("n_sweeps", n_sweeps, 1, 3)
        data = X if isinstance(X, subspace.SubspaceData) else subspace.SubspaceData.of(X, dtype=dtype)
        self.targets = y if isinstance(y, Targets) else partial_targets(y, data.n)
        require_same_samples("y and X", len(self.targets.labelled), data.n)
        if "impurity" in self.objective_names and not self.targets.labelled.any():
            raise ValueError("the objective 'impurity' requires labels; label samples in y, or use others")
        self.encoding = SubspaceSeedEncoding(
            data, self.targets, n_seeds, k_min, n_sweeps=self.n_sweeps, options=options, n_jobs=n_jobs
        )
        self.options = self.encoding.options
        self.n_seeds, self.k_min = self.encoding.k_max, self.encoding.k_min
        self._signs = np.ones(len(self.objective_names))
        self.n_grown = 0
        self._memo = SeedMemo(memory)
        super().__init__()

    def fit_individual(self, x: ArrayLike) -> subspace.Sweep:
        """Run the sweeps for one genotype of shape (n_seeds,); cluster c of the Sweep grows from seed c."""
        slots = self.encoding.seeds(np.atleast_2d(np.asarray(x)))
        order = self.encoding.ranks(slots)[0]
        done = self.encoding.grow(np.sort(slots[slots >= 0]))
        by_column = {
            name: getattr(done, name)[:, order]
            for name in ("memberships", "centers", "log_weights", "distances")
        }
        by_row = {name: getattr(done, name)[order] for name in ("shares", "impurities", "chi_term")}
        return done._replace(**by_column, **by_row)

    def cluster_centers(self, X: ArrayLike) -> list[AnyFloatArray]:
        """Return the centroids after the sweeps, each of shape (n_clusters, n_features), in seed order."""
        slots = self.encoding.seeds(np.asarray(X))
        grown = zip(self._grown(slots), self.encoding.ranks(slots), strict=True)
        return [one.centers.T[order] for one, order in grown]

    def central_documents(self, X: ArrayLike) -> IntArray:
        """Replace each seed with a distinct document; the sum of memberships in their clusters is maximal."""
        # Documents with few features have small distances but are poor seeds, so distances are not minimised.
        slots = self.encoding.seeds(np.asarray(X))
        grown = zip(self._grown(slots), self.encoding.ranks(slots), strict=True)
        slots[slots >= 0] = np.concatenate([one.documents[order] for one, order in grown])
        return slots

    def center_distances(self, X: ArrayLike) -> AnyFloatArray:
        """Compute each document's distance to the nearest centroid, shape (n_individuals, n_samples)."""
        return np.stack([one.gaps for one in self._grown(self.encoding.seeds(np.asarray(X)))])

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        rows = self.encoding.canonical(self.encoding.seeds(np.asarray(X)))
        known = [self._memo.objectives(row.tobytes()) for row in rows]
        new = [i for i, values in enumerate(known) if values is None]
        for i, one in zip(new, self._compute(rows[new]), strict=True):
            known[i] = one.objectives
        out["F"] = np.array(known, dtype=np.float64).reshape(len(rows), self.n_obj)

    def _grown(self, slots: IntArray) -> list[Grown]:
        rows = self.encoding.canonical(slots)
        known = [self._memo.grown(row.tobytes()) for row in rows]
        new = [i for i, one in enumerate(known) if one is None]
        computed = iter(self._compute(rows[new]))
        return [next(computed) if one is None else one for one in known]

    def _compute(self, rows: IntArray) -> list[Grown]:
        first, inverse = base.distinct_rows(rows)
        grown = self.encoding.grow_all(rows[first], self._digest)
        for row, one in zip(rows[first], grown, strict=True):
            self._memo.add(row.tobytes(), one)
        self.n_grown += len(grown)
        return [grown[i] for i in inverse]

    def _digest(self, done: subspace.Sweep) -> Grown:
        values = [OBJECTIVES[name](done, self.targets, self.options) for name in self.objective_names]
        return Grown(
            objectives=np.array(values),
            centers=_compact(done.centers),
            documents=_most_typical(done.memberships),
            gaps=_compact(done.distances.min(axis=1)),
        )


def _compact(values: NDArray[np.floating[Any]]) -> AnyFloatArray:
    """Convert values to single precision unless their squares could overflow or underflow."""
    size = np.frexp(np.abs(values).max(initial=0.0))[1]
    # Squares of values between 2^-40 and 2^40 are finite and normal in single precision.
    return values.astype(np.float32 if abs(size) < 40 else np.float64)


def _most_typical(memberships: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Assign a different document to each cluster, maximising the sum of memberships."""
    n, k = memberships.shape
    # The k best documents of a cluster suffice, because the other clusters use at most k - 1 of them.
    candidates = np.unique(np.argpartition(-memberships, min(k, n) - 1, axis=0)[:k])
    chosen = linear_sum_assignment(memberships[candidates].T, maximize=True)[1]
    return candidates[chosen].astype(np.int64)


def _dispersion(done: subspace.Sweep, targets: Targets, options: subspace.SubspaceOptions) -> float:
    """Compute F1 = sum_lj w_lj^f d_jl / n, the mean distance to centroids within their subspaces."""
    terms = done.memberships**options.fuzziness * done.distances
    return float(terms.sum(dtype=np.float64)) / len(terms)


def _impurity(done: subspace.Sweep, targets: Targets, options: subspace.SubspaceOptions) -> float:
    """Compute F2 = sum_l S'_l Imp_l / n for labelled documents, relative to their overall impurity."""
    shares, sizes = labelled_shares(done.memberships, targets)
    n_labelled, overall = len(targets.rows), subspace.overall_shares(targets)
    values = subspace.impurity(shares, overall, sizes, n_labelled, targets.multilabel, "mean")
    return float(sizes @ values) / n_labelled


OBJECTIVES: dict[str, Callable[[subspace.Sweep, Targets, subspace.SubspaceOptions], float]] = {
    "dispersion": _dispersion,
    "impurity": _impurity,
    "n_clusters": lambda done, targets, options: float(done.memberships.shape[1]),  # F3
    # F3 = sum_li (m lambda_li)^q chi_li, where chi is the value in the last sweep.
    "chi_square": lambda done, targets, options: float(np.sum(done.chi_term)),
}


class Grown(NamedTuple):
    """Cached results of an individual, whose clusters are in ascending order of their seeds."""

    objectives: NDArray[np.float64]  # shape (n_obj,)
    centers: AnyFloatArray  # shape (n_features, n_clusters)
    documents: NDArray[np.int64]  # shape (n_clusters,), distinct documents with the highest memberships
    gaps: AnyFloatArray  # shape (n_samples,), distance from each document to its nearest centroid

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self)


class SeedMemo:
    """Cache of objectives of many individuals, and of full results of recent ones (up to ``max_bytes``)."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._objectives: dict[bytes, NDArray[np.float64]] = {}
        self._older: dict[bytes, NDArray[np.float64]] = {}
        self._grown: OrderedDict[bytes, Grown] = OrderedDict()
        self._bytes = 0

    def objectives(self, key: bytes) -> NDArray[np.float64] | None:
        return self._objectives.get(key, self._older.get(key))

    def grown(self, key: bytes) -> Grown | None:
        if key in self._grown:
            self._grown.move_to_end(key)
        return self._grown.get(key)

    def add(self, key: bytes, one: Grown) -> None:
        """Add an individual, and remove the least recently used results if they exceed ``max_bytes``."""
        if len(self._objectives) >= CAPACITY:
            self._older, self._objectives = self._objectives, {}
        self._objectives[key] = one.objectives
        if key not in self._grown:
            self._grown[key] = one
            self._bytes += one.nbytes
        while self._bytes > self.max_bytes and len(self._grown) > 1:
            self._bytes -= self._grown.popitem(last=False)[1].nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return SeedMemo, (self.max_bytes,)


Result = TypeVar("Result")


@documented(SubspaceClusteringProblem)
class SubspaceSeedEncoding(SlotGenes):
    """Encoding of partitions by seed documents; empty slots contain -1.

    SISC starts from the similarities to the seeds. Each document is assigned to the cluster in which its
    membership is highest. Takes O(n_individuals n_sweeps (nnz + n_samples + n_features) n_seeds) time, where
    nnz is the number of non-zero values. Source: SISC-ML, "seeds" start.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
    """

    dtype = np.dtype(np.int64)

    def __init__(
        self,
        data: subspace.SubspaceData,
        targets: Targets,
        n_seeds: int,
        k_min: int | None = None,
        *,
        n_sweeps: int = 3,
        options: subspace.SubspaceOptions | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.data = data
        self.targets = targets
        self.options = subspace.SubspaceOptions() if options is None else options
        self.n_samples = data.n
        self.k_min, self.k_max = base.checked_cluster_range(
            n_seeds if k_min is None else k_min, n_seeds, self.n_samples, "n_seeds"
        )
        self.n_var = self.k_max
        self.n_sweeps = n_sweeps
        self.n_jobs = n_jobs

    def seeds(self, X: ArrayLike) -> IntArray:
        """Convert genotypes to int64. Raises a ValueError if a row is empty or a document is repeated."""
        slots = base.checked_genes(X, self.n_var).astype(self.dtype)
        occupied_slots(slots, self.n_samples, "seed")
        return slots

    def grow(self, seeds: IntArray) -> subspace.Sweep:
        """Run the sweeps from an array of seeds without -1; cluster c grows from seed c."""
        data, targets, options = self.data, self.targets, self.options
        done = subspace.sweep(data, targets, subspace.memberships_from_seeds(data, seeds, options), options)
        for _ in range(1, self.n_sweeps):
            done = subspace.sweep(data, targets, done.memberships, options, centers=done.centers)
        return done

    def grow_all(self, X: IntArray, use: Callable[[subspace.Sweep], Result]) -> list[Result]:
        """Run the sweeps for each row of :meth:`canonical`, and return ``use(sweep)`` for each result."""
        # ``use`` is called in the threads, because storing the memberships of all rows would take much
        # memory. Processes are not used, because transferring a result takes as long as computing it.
        calls = (delayed(lambda row: use(self.grow(row[row >= 0])))(row) for row in X)
        return thread_calls(calls, n_jobs=self.n_jobs)

    def decode(self, X: IntArray) -> Labels:
        """Assign documents to clusters (on ties, lowest seed); number non-empty clusters by seed position."""
        slots = self.seeds(X)
        owners = self.grow_all(self.canonical(slots), lambda done: done.memberships.argmax(axis=1))
        labels = np.empty((len(slots), self.n_samples), dtype=np.int32)
        for row, seeds, owner in zip(labels, slots, owners, strict=True):
            row[:] = np.unique(np.argsort(seeds[seeds >= 0])[owner], return_inverse=True)[1]
        return labels

    def _members(self, numbers: NDArray[np.intp], sizes: NDArray[np.intp], clusters: NDArray[np.intp]) -> Any:
        members = np.eye(len(sizes))[numbers]
        means = self.data.by_column(members) / sizes
        apart = subspace.distances(self.data, means, np.full_like(means, -np.log(self.data.m)), 1.0)
        return np.where(members > 0, apart, np.inf).argmin(axis=0)[clusters]

    def ranks(self, X: IntArray) -> list[NDArray[np.intp]]:
        """Return the position of each seed in the canonical order of the seeds in its row."""
        return [np.argsort(np.argsort(row[row >= 0])) for row in X]
