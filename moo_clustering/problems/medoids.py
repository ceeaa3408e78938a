"""Medoid sets (NSGA-II-clus): the problem, its encoding, and assignment of samples under constraints."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population

from moo_clustering._arrays import block_slices, choice, instance, integer, quoted, warn_caller
from moo_clustering._data import require_same_samples
from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering._kernels.medoids import assign_groups, group_distances
from moo_clustering._types import FloatArray, IntArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.encodings.base import checked_cluster_range, contiguous
from moo_clustering.encodings.medoid_spaces import Form, MedoidMemo, MedoidSpace, choose_space
from moo_clustering.encodings.medoids import filled, resolve_k_max, set_sizes
from moo_clustering.problems.partition import VIOLATION, EncodedProblem
from moo_clustering.validity.internal import i_index_values, xie_beni_values

Supervision = Literal["none", "objective", "constraint", "crowding", "assignment"]
Decode = Literal["reassign", "literal"]


class MedoidProblem(EncodedProblem):
    """Find medoids of compact, well-separated clusters: minimise Xie-Beni, and maximise the I-index.

    Genes are the indices of 2 to ``k_max`` medoids, padded with -1 at the end. Evaluation assigns each sample
    to the nearest medoid, replaces each medoid with the medoid of the resulting cluster, scores the result,
    and writes the new medoids to the individuals (``out["X"]``). Raises a TypeError or ValueError if an
    option is unknown, if constraints are missing or do not match X, if the distance matrix exceeds
    ``max_memory``, or if evaluated genotypes are invalid (use ``repair=MedoidSetRepair()``). Source:
    NSGA-II-clus.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, or dissimilarities of shape (n_samples, n_samples) if ``metric="precomputed"``.
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Maximum number of clusters, from 2 to n_samples. ``"sqrt"`` and ``"ceil_sqrt"`` use the square root of
        n_samples, which is rounded down and up, respectively, and limited to 2..n_samples-1.
    metric : str or callable, default="cosine"
        ``"cosine"`` (rows of zeros have distance 1 to all other rows), ``"euclidean"``, ``"precomputed"``, or
        any metric of :func:`sklearn.metrics.pairwise_distances`.
    decode : {"reassign", "literal"}, default="reassign"
        Whether new medoids are scored after samples are reassigned to them, or with the old medoids' labels.
    n_local : int, default=1
        Maximum number of rounds of assigning samples and replacing medoids. Must be 1 with ``"literal"``.
    supervision : {"none", "objective", "constraint", "crowding", "assignment"}, default="none"
        How the search uses the constraints:

        - ``"none"``: not at all; use :meth:`constraint_scores` to select a result ("External" in the paper).
        - ``"objective"``: the constraint violation V is the third objective.
        - ``"constraint"``: V is an inequality constraint.
        - ``"crowding"``: each individual stores a bonus for satisfied links, ``"constraint_bonus"``, for
          :class:`~moo_clustering.operators.ConstraintCrowdingSurvival` ("Internal" in the paper).
        - ``"assignment"``: must-linked samples are assigned to the same cluster, and cannot-linked samples to
          different clusters if possible. If only one cluster remains, Xie-Beni is 1e12 and the I-index is 0.
    form : {"auto", "matrix", "vector"}, default="auto"
        ``"matrix"`` stores all distances. ``"vector"`` computes them on demand; with "euclidean", medoids
        then minimise *squared* distances. With "cosine" and "sqeuclidean", ``"auto"`` uses ``"vector"`` for
        over 8000 samples or if the matrix exceeds ``max_memory``.

    Attributes
    ----------
    encoding : MedoidEncoding
        Encoding that repairs, draws and compares genotypes, and decodes them without improvement.
    form : {"matrix", "vector"}
        How distances are stored.

    Notes
    -----
    For P individuals with k clusters and n samples, assignment takes O(P k n) time. Finding the medoid of a
    cluster with n_c members takes O(n n_c) time with form "matrix", and O(n_c n_features) time with form
    "vector". Medoids of clusters are cached. Offspring often become equal during evaluation;
    ``ConstraintCrowdingSurvival(unique=CanonicalDuplicates(problem.encoding))`` removes such duplicates.

    pymoo stores genes as float64; convert ``res.X`` with :meth:`medoids` or :meth:`decode`. With
    ``decode="literal"`` or ``supervision="assignment"``, samples can be scored in another cluster than that
    of their nearest medoid; :meth:`partitions` returns the scored labels. With supervision, individuals store
    the numbers of satisfied must-links and cannot-links as ``"must"`` and ``"cannot"``.

    Examples
    --------
    >>> problem = MedoidProblem([[0], [1], [2], [10], [11], [13]], k_max=2, metric="euclidean")
    >>> out = problem.evaluate(np.array([[0, 2]]), return_as_dictionary=True)
    >>> out["X"], problem.natural(out["F"]).round(3)
    (array([[0., 3.]]), array([[2.50000e-02, 4.90306e+02]]))
    >>> problem.decode(out["X"])
    array([[0, 0, 0, 1, 1, 1]], dtype=int32)
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        k_max: int | str = "sqrt",
        metric: Metric = "cosine",
        decode: Decode = "reassign",
        n_local: int = 1,
        constraints: PairwiseConstraints | None = None,
        supervision: Supervision = "none",
        form: Form = "auto",
        max_memory: int = MAX_MEMORY,
        n_jobs: int | None = None,
    ) -> None:
        choice("decode", decode, get_args(Decode))
        choice("supervision", supervision, get_args(Supervision))
        if integer("n_local", n_local) > 1 and decode == "literal":
            raise ValueError(f"n_local must be 1 with decode='literal', got {n_local}")
        instance("constraints", constraints, PairwiseConstraints | None, "PairwiseConstraints")
        if constraints is None and supervision != "none":
            raise ValueError(f"supervision={supervision!r} requires constraints, got None")
        self.form, self.space = choose_space(X, metric, form, max_memory, n_jobs)
        self.encoding = SpaceMedoidEncoding(self.space, k_max)
        if constraints is not None:
            require_same_samples("constraints and X", constraints.n_samples, self.space.n_samples)
        self.constraints = constraints
        self.supervision: Supervision = supervision
        constrained = supervision == "assignment"
        self._assignment = ConstrainedAssignment(self._needed_constraints()) if constrained else None
        self._mode, self._n_local = decode, int(n_local)
        # True if the evaluated labels can differ from the nearest-medoid labels of the stored medoids.
        self._keeps_labels = decode == "literal" or constrained

        third = supervision == "objective"
        self.objective_names = ("xie_beni", "i_index", VIOLATION)[: 2 + third]
        self._signs = np.array([1.0, -1.0, 1.0])[: 2 + third]
        super().__init__(int(supervision == "constraint"))

    def medoids(self, X: ArrayLike | None) -> IntArray:
        """Convert genotypes such as ``res.X`` to integers, shape (n_individuals, k_max), padded with -1."""
        if X is None:
            raise ValueError("X is None, because the run found no feasible solution; see supervision")
        return self.encoding.genes(np.atleast_2d(np.asarray(X)))

    def decode(self, X: ArrayLike | None) -> Labels:
        """Decode one or more genotypes, without improving their medoids; shape (n_individuals, n_samples)."""
        return self._assign(self.medoids(X))[0]

    def partitions(self, pop: Population) -> Labels:
        """Return the partitions that were scored in evaluation, shape (n_individuals, n_samples)."""
        return self.decode(pop.get("assigned_by" if self._keeps_labels else "X"))

    def constraint_scores(self, X: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return how many must-links and cannot-links each partition of :meth:`decode` satisfies."""
        return self._needed_constraints().satisfied(self.decode(X))

    def constrained_labels(self, X: ArrayLike | None, *, penalty: float | None = None) -> Labels:
        """Assign samples under the constraints, for any ``supervision``; labels are contiguous.

        Each conflicting component adds ``penalty`` to the distance. By default, conflicts outweigh distances.
        """
        assignment = self._assignment or ConstrainedAssignment(self._needed_constraints())
        return assignment.labels(self.space, self.medoids(X), penalty)[0]

    def _needed_constraints(self) -> PairwiseConstraints:
        if self.constraints is None:
            raise ValueError("this problem has no constraints; pass constraints when creating it")
        return self.constraints

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = self.medoids(X)
        blocks = block_slices(max(len(genes), 1), self.n_samples + self.encoding.k_max)
        scored = [self._scored(genes[block]) for block in blocks]
        out.update({key: np.concatenate([one[key] for one in scored]) for key in scored[0]})

    def _scored(self, genes: IntArray) -> dict[str, NDArray[Any]]:
        medoids, labels, distances, assigned_by = self._improved(genes)
        columns = self._objectives(medoids, distances)
        scored: dict[str, NDArray[Any]] = {"assigned_by": assigned_by} if self._keeps_labels else {}
        if self.constraints is not None and self.supervision != "none":
            scored["must"], scored["cannot"] = self.constraints.satisfied(labels)
            if self.supervision == "objective":
                columns.append(self.constraints.violation(labels))
            elif self.supervision == "constraint":
                scored["G"] = self.constraints.violation(labels)[:, None]
            elif self.supervision == "crowding":
                scored["constraint_bonus"] = self.constraints.bonus(labels)
        scored["F"] = np.column_stack(columns) * self._signs
        scored["X"] = self._refill(medoids, genes)
        return scored

    def _assign(self, medoids: IntArray) -> tuple[Labels, IntArray]:
        """Return the labels of samples assigned to medoids, and the medoid of each label."""
        if self._assignment is not None:
            return self._assignment.labels(self.space, medoids)
        return self.encoding.decode(medoids), medoids

    def _improved(self, genes: IntArray) -> tuple[IntArray, Labels, FloatArray, IntArray]:
        """Return improved medoids, labels, distances, and the medoids to which the samples were assigned."""
        if self._keeps_labels:
            labels, assigned_by = self._assign(genes)
            for _ in range(self._n_local if self._mode == "reassign" else 0):
                labels, assigned_by = self._assign(self.encoding.medoids_of(labels))
            medoids = self.encoding.medoids_of(labels)
            return medoids, labels, self.space.own(medoids, labels), assigned_by
        medoids, active = genes.copy(), np.arange(len(genes))
        labels, distances = self.space.nearest(medoids)
        for _ in range(self._n_local):
            improved = self.encoding.medoids_of(labels[active])
            changed = (improved != medoids[active]).any(axis=1)
            active = active[changed]
            if not len(active):
                break
            medoids[active] = improved[changed]
            labels[active], distances[active] = self.space.nearest(medoids[active])
        return medoids, labels, distances, medoids

    def _objectives(self, medoids: IntArray, distances: FloatArray) -> list[FloatArray]:
        e, space, k = distances, self.space, set_sizes(medoids)
        least, greatest = space.separations(medoids)
        squares = np.einsum("ij,ij->i", e, e)
        xie_beni = xie_beni_values(squares, np.square(least), k, space.n_samples, space.mean_square)
        return [xie_beni, i_index_values(e.sum(axis=1), greatest, k, space.total_to_one, 2.0)]

    def _refill(self, medoids: IntArray, genes: IntArray) -> IntArray:
        """Add random medoids to sets with fewer than ``k_min`` medoids, using the genes as the seed."""
        k_min = self.encoding.k_min
        for q in np.flatnonzero(set_sizes(medoids) < k_min):
            rng = np.random.default_rng(genes[q][genes[q] >= 0])
            medoids[q] = filled(medoids[q : q + 1], k_min, self.space.n_samples, rng)[0]
        return medoids


class SpaceMedoidEncoding(MedoidEncoding):
    """A :class:`~moo_clustering.encodings.MedoidEncoding` with distances from a ``MedoidSpace``."""

    def __init__(self, space: MedoidSpace, k_max: int | str) -> None:
        self.space = space
        self.n_samples = space.n_samples
        self.k_min, self.k_max = checked_cluster_range(
            min(2, self.n_samples), resolve_k_max(k_max, self.n_samples), self.n_samples
        )
        self.n_var = self.k_max
        self._memo = MedoidMemo(self.n_samples)

    @property
    def distances(self) -> Any:  # type: ignore[override]
        """Distance matrix of the space. Raises an AttributeError if the space has none."""
        return self.space.distances  # type: ignore[attr-defined]

    def genes(self, X: IntArray) -> IntArray:
        """Convert genotypes to C-contiguous int64. Each row must contain distinct indices, followed by -1."""
        return np.ascontiguousarray(self._checked(X), dtype=np.int64)

    def decode(self, X: IntArray) -> Labels:
        """Label each sample with the position of its nearest medoid."""
        genes = self.genes(X)
        labels = np.empty((len(genes), self.n_samples), dtype=np.int32)
        for part in block_slices(len(genes), self.n_samples):
            labels[part] = self.space.nearest(genes[part])[0]
        return labels

    def _members(self, numbers: NDArray[np.intp], sizes: NDArray[np.intp], clusters: NDArray[np.intp]) -> Any:
        return self.medoids_of(numbers.astype(np.int32)[None, :], len(sizes))[0][clusters]

    def medoids_of(self, labels: Labels, width: int | None = None) -> IntArray:
        """Return the medoid of label c at position c. Rows are padded with -1 to ``width``, or k_max."""
        return self.space.medoids(labels, self.k_max if width is None else width, self._memo)


class ConstrainedAssignment:
    """Assign whole must-link components to clusters while avoiding conflicts with cannot-links.

    The largest components are assigned first. Each component joins the cluster with the fewest conflicting
    components or, on ties, with the smallest total distance. Other samples join their nearest medoids.
    ``n_dropped`` cannot-links within components are ignored, with a UserWarning. Takes O(k (n_constrained +
    n_components) + n_conflicts) time per individual, plus the time for distances. Source: NSGA-II-clus.
    """

    def __init__(self, constraints: PairwiseConstraints) -> None:
        component = constraints.components()
        size = np.bincount(component)
        lifted = component[constraints.cannot_link]
        inside = lifted[:, 0] == lifted[:, 1]
        self.n_dropped = int(inside.sum())
        if self.n_dropped:
            warn_caller(
                "the constrained assignment ignores cannot-links that contradict must-links "
                f"({self.n_dropped}); if must-links come from overlapping labels, use another supervision"
            )
        lifted = lifted[~inside]
        constrained = size > 1
        constrained[lifted.ravel()] = True
        groups = np.flatnonzero(constrained)
        groups = groups[np.argsort(-size[groups], kind="stable")]
        place = np.full(len(size), -1, dtype=np.int64)
        place[groups] = np.arange(len(groups))
        group = place[component]
        self.members = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
        self.bounds = np.concatenate([[0], np.cumsum(size[groups])]).astype(np.int64)
        # ``opponents`` lists the conflicting groups of each group, and ``opponent_bounds`` separates the
        # lists.
        pairs = place[lifted]
        both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        self.opponents = np.ascontiguousarray(both[:, 1])
        self.opponent_bounds = np.searchsorted(both[:, 0], np.arange(len(groups) + 1)).astype(np.int64)

    def labels(
        self, space: MedoidSpace, medoids: IntArray, penalty: float | None = None
    ) -> tuple[Labels, IntArray]:
        """Return contiguous labels and their medoids; see :meth:`MedoidProblem.constrained_labels`."""
        if penalty is not None and not penalty >= 0.0:
            raise ValueError(f"penalty must be None or a non-negative number, got {quoted(penalty)}")
        labels = np.empty((len(medoids), space.n_samples), dtype=np.int32)
        weight = -1.0 if penalty is None else float(penalty)
        groups = self.members, self.bounds, self.opponents, self.opponent_bounds
        width = max(medoids.shape[1] * (len(self.bounds) - 1), space.n_samples)
        for part in block_slices(len(medoids), width):
            some = medoids[part]
            # Medoids may leave their own clusters, because constraints can move them.
            block, _ = space.nearest(some, exception=False)
            ids = np.unique(some[some >= 0]).astype(np.int64)
            index = np.where(some < 0, -1, np.searchsorted(ids, some))
            assign_groups(self._costs(space, ids), index, *groups, weight, block)
            labels[part] = block
        return _without_gaps(labels, medoids)

    def _costs(self, space: MedoidSpace, ids: IntArray) -> FloatArray:
        costs = np.empty((len(ids), len(self.bounds) - 1))
        for part in block_slices(len(ids), space.n_samples):
            group_distances(space.rows(ids[part]), self.members, self.bounds, costs[part])
        return costs


def _without_gaps(labels: Labels, medoids: IntArray) -> tuple[Labels, IntArray]:
    used = np.zeros(medoids.shape, dtype=bool)
    np.put_along_axis(used, labels.astype(np.intp), True, axis=1)
    rest = np.take_along_axis(np.where(used, medoids, -1), np.argsort(~used, axis=1, kind="stable"), axis=1)
    return contiguous(labels), rest
