"""SISC's clusters in subspaces, searched over the documents they grow from."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem
from scipy.optimize import linear_sum_assignment

from moo_clustering._targets import Targets, partial_targets
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.problems._seed_memo import Grown, SeedMemo
from moo_clustering.problems._subspace_objectives import OBJECTIVES, checked_objectives
from moo_clustering.problems._subspace_seeds import SubspaceSeedEncoding
from moo_clustering.subspace import SubspaceData, SubspaceOptions, Sweep

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]


class SubspaceClusteringProblem(Problem):
    """Documents to grow fuzzy clusters in subspaces from, such that these are compact and pure.

    Genes are the numbers of ``k_min`` to ``n_seeds`` distinct documents, the seeds, and -1 in the other
    slots. Evaluation starts SISC from them (centroid: half the seed, half the mean of all documents),
    sweeps ``n_sweeps`` times, and scores the outcome.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or SubspaceData
    y : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Classes with -1 for unlabelled samples; or indicators 0 and 1 of labels, with rows of -1 for
        unlabelled samples. Also a ready ``Targets``.
    n_seeds : int, default=20
        Largest number of clusters.
    k_min : int, optional
        Smallest number of clusters; default ``n_seeds``, so that the number is fixed.
    n_sweeps : int, default=3
        Of an evaluation, 1 to 3: those are what the search space is smooth in, more converge.
    objectives : sequence of str, default=("dispersion", "impurity")
        All are minimised:

        - ``"dispersion"``: mean over samples of sum_l w_l^f d_l;
        - ``"impurity"``: mean impurity of the clusters over labelled samples, 1 where clusters are as
          mixed as the labelled samples altogether; needs labels;
        - ``"n_clusters"``: number of clusters;
        - ``"chi_square"``: sum_li (m lambda_li)^q chi_li of the last sweep.
    options : SubspaceOptions, optional
        Of the sweeps.
    dtype : {"float64", "float32"}, default="float64"
        Of the sweeps; not for a ready SubspaceData.
    memory : int, default=256 MiB
        Bytes for what operators want to know of the most recent individuals.
    n_jobs : int, optional
        Threads over individuals; the result does not depend on it.

    Attributes
    ----------
    encoding : SubspaceSeedEncoding
        What repairs, draws and compares genotypes: ``CanonicalDuplicates(problem.encoding)``. Has the
        ``data``.
    targets : Targets
    options : SubspaceOptions
    objective_names : tuple of str
        A name for every column of ``F``.
    n_seeds, k_min, n_sweeps : int
    n_grown : int
        Individuals computed so far, repeated ones not counted.

    Raises
    ------
    TypeError, ValueError
        For data or options out of range, or ``"impurity"`` without labels. Evaluation refuses genotypes
        that are not valid: give the algorithm ``repair=EncodingRepair()`` if its operators make such.

    Notes
    -----
    An individual of k clusters costs O(n_sweeps k (nnz + n_samples + n_features)) for nnz non-zero
    values, and O(k (n_samples + n_features)) memory on each thread. Individuals with the same seeds in
    another order have exactly the same objectives; one met before costs nothing. The operators
    :class:`~moo_clustering.operators.DistantSeedMutation`, ``SweepSeedMutation`` and
    ``AlignedSeedCrossover`` ask for centroids and distances: of individuals evaluated recently they are
    known (``memory``; 4 k n_features + 4 n_samples bytes each), others are computed.

    Deep copies (``save_history=True`` makes one a generation) share everything.

    References
    ----------
    SISC-ML, Eqs. 2, 3, 8, 11; the objectives are the terms of Eq. 2.

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
        options: SubspaceOptions | None = None,
        dtype: str = "float64",
        memory: int = 2**28,
        n_jobs: int | None = None,
    ) -> None:
        self.objective_names = checked_objectives(objectives)
        self.n_sweeps = _checked_sweeps(n_sweeps)
        data = X if isinstance(X, SubspaceData) else SubspaceData.of(X, dtype=dtype)
        self.targets = y if isinstance(y, Targets) else partial_targets(y, data.n)
        if len(self.targets.labelled) != data.n:
            raise ValueError(
                f"y must have one row per sample: expected {data.n}, got {len(self.targets.labelled)}."
            )
        if "impurity" in self.objective_names and not self.targets.labelled.any():
            raise ValueError(
                "the objective 'impurity' needs labels: give y with some samples that are not -1, or other "
                "objectives."
            )
        self.encoding = SubspaceSeedEncoding(
            data, self.targets, n_seeds, k_min, n_sweeps=self.n_sweeps, options=options, n_jobs=n_jobs
        )
        self.options = self.encoding.options
        self.n_seeds, self.k_min = self.encoding.k_max, self.encoding.k_min
        self.n_grown = 0
        self._memo = SeedMemo(memory)
        xl, xu = self.encoding.bounds()
        super().__init__(
            n_var=self.n_seeds, n_obj=len(self.objective_names), xl=xl, xu=xu, vtype=self.encoding.dtype
        )

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.encoding.n_samples

    def natural(self, F: ArrayLike) -> FloatArray:
        """Objectives as they are: all of them are minimised.

        Parameters
        ----------
        F : array-like of shape (..., n_obj)
        """
        values = np.asarray(F, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != self.n_obj:
            raise ValueError(
                f"F must have {self.n_obj} columns, one per objective; got shape {values.shape}."
            )
        return values

    def decode(self, X: ArrayLike) -> Labels:
        """Partitions (n_individuals, n_samples) by largest memberships, see ``encoding.decode``.

        One genotype of shape (n_seeds,) is a population of one.
        """
        return self.encoding.decode(np.atleast_2d(np.asarray(X)))

    def fit_individual(self, x: ArrayLike) -> Sweep:
        """Memberships, centroids, weights and the rest of one genotype, after its sweeps.

        Parameters
        ----------
        x : array-like of shape (n_seeds,)

        Returns
        -------
        Sweep
            Cluster c is that of the c-th seed in the row.
        """
        slots = self.encoding.seeds(np.atleast_2d(np.asarray(x)))
        order = self.encoding.ranks(slots)[0]
        done = self.encoding.grow(np.sort(slots[slots >= 0]))
        return done._replace(
            memberships=done.memberships[:, order],
            centers=done.centers[:, order],
            log_weights=done.log_weights[:, order],
            shares=done.shares[order],
            impurities=done.impurities[order],
            distances=done.distances[:, order],
            chi_term=done.chi_term[order],
        )

    def cluster_centers(self, X: ArrayLike) -> list[NDArray[np.float32]]:
        """Centroids (n_clusters, n_features) after the sweeps, in the order of the seeds in each row."""
        slots = self.encoding.seeds(np.asarray(X))
        parts = zip(self._grown(slots), self.encoding.ranks(slots), strict=True)
        return [one.centers.T[order] for one, order in parts]

    def central_documents(self, X: ArrayLike) -> IntArray:
        """Genotypes in which each seed has become the document nearest to the centroid of its cluster.

        Nearest relative to the other centroids: the document that belongs to the cluster most. Where
        several clusters want the same one, memberships are largest in sum.

        Notes
        -----
        Nearest as such are documents with hardly any features, whatever the cluster; those are no good
        seeds.
        """
        slots = self.encoding.seeds(np.asarray(X))
        parts = zip(self._grown(slots), self.encoding.ranks(slots), strict=True)
        slots[slots >= 0] = np.concatenate([one.documents[order] for one, order in parts])
        return slots

    def center_distances(self, X: ArrayLike) -> NDArray[np.float32]:
        """Distance of every document to the nearest centroid, shape (n_individuals, n_samples)."""
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
        found = [self._memo.grown(row.tobytes()) for row in rows]
        new = [i for i, one in enumerate(found) if one is None]
        computed = iter(self._compute(rows[new]))
        return [next(computed) if one is None else one for one in found]

    def _compute(self, rows: IntArray) -> list[Grown]:
        first, inverse = distinct_rows(rows)
        grown = self.encoding.grow_all(rows[first], self._digest)
        for row, one in zip(rows[first], grown, strict=True):
            self._memo.add(row.tobytes(), one)
        self.n_grown += len(grown)
        return [grown[i] for i in inverse]

    def _digest(self, done: Sweep) -> Grown:
        return Grown(
            objectives=np.array(
                [OBJECTIVES[name](done, self.targets, self.options) for name in self.objective_names]
            ),
            centers=done.centers.astype(np.float32),
            documents=_most_typical(done.memberships),
            gaps=done.distances.min(axis=1).astype(np.float32),
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes what it gives; pymoo copies problems with the algorithm's history.
        return copy.copy(self)


def _most_typical(memberships: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """A document for every cluster, no two the same, of largest memberships in sum; O(n_samples k)."""
    n, k = memberships.shape
    # Among the k that belong to it most each cluster finds one that no other takes.
    candidates = np.unique(np.argpartition(-memberships, min(k, n) - 1, axis=0)[:k])
    chosen = linear_sum_assignment(memberships[candidates].T, maximize=True)[1]
    return candidates[chosen].astype(np.int64)


def _checked_sweeps(n_sweeps: Any) -> int:
    if isinstance(n_sweeps, bool) or not isinstance(n_sweeps, int | np.integer):
        raise TypeError(f"n_sweeps must be an integer, got {n_sweeps!r}.")
    if not 1 <= n_sweeps <= 3:
        raise ValueError(f"n_sweeps must be within 1..3, got {n_sweeps}.")
    return int(n_sweeps)
