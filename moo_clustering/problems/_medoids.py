"""NSGA-II-clus: sets of medoids, improved while they are evaluated, scored by Xie-Beni and the I-index."""

from __future__ import annotations

import copy
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering._arrays import block_slices
from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.problems._medoid_components import ConstrainedAssignment
from moo_clustering.problems._medoid_decoding import Decode, MedoidDecoder
from moo_clustering.problems._medoid_encoding import SpaceMedoidEncoding
from moo_clustering.problems._medoid_forms import Form, choose_space
from moo_clustering.problems._partition import VIOLATION

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]
Supervision = Literal["none", "objective", "constraint", "crowding", "assignment"]


class MedoidProblem(Problem):
    """Medoid sets that are compact and far apart: minimise Xie-Beni, maximise the I-index.

    Genes are the sample ids of 2 to ``k_max`` medoids, padded with -1 at the end. Evaluation assigns
    every sample to its nearest medoid, replaces each medoid by that of its cluster, scores the result,
    and writes the new medoids back into the individuals (``out["X"]``, which pymoo's evaluator stores).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, or dissimilarities (n_samples, n_samples) with ``metric="precomputed"``.
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Largest number of clusters: the square root of n_samples rounded down or up, kept within
        2..n_samples-1, or a number.
    metric : str or callable, default="cosine"
        ``"cosine"`` (rows of zeros are at distance 1 from all others), ``"euclidean"``,
        ``"precomputed"``, or any metric of :func:`sklearn.metrics.pairwise_distances`.
    decode : {"reassign", "literal"}, default="reassign"
        ``"reassign"``: labels and objectives belong to the new medoids. ``"literal"``: objectives are
        those of the new medoids with the labels that the old ones gave.
    n_local : int, default=1
        Rounds of assignment and new medoids, fewer where nothing changes; 1 with ``"literal"``.
    constraints : PairwiseConstraints, optional
        Must-links and cannot-links. V, in [0, 2], is the violated part of the former plus that of the
        latter.
    supervision : {"none", "objective", "constraint", "crowding", "assignment"}, default="none"
        What constraints do during the search:

        - ``"none"``: nothing; choose by :meth:`constraint_scores` afterwards (External).
        - ``"objective"``: V is the third objective.
        - ``"constraint"``: V is an inequality constraint; see the notes of
          :class:`~moo_clustering.problems.PartitionProblem` on runs without feasible solution.
        - ``"crowding"``: the satisfied parts are stored with each individual as
          ``"constraint_bonus"`` for :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`
          (Internal).
        - ``"assignment"``: must-linked samples are assigned as one, apart from those they cannot be
          with where possible. Individuals left with one cluster get Xie-Beni 1e12 and I-index 0.
    form : {"auto", "matrix", "vector"}, default="auto"
        Whether all distances are held in memory, or made from the features when they are needed, for
        the metrics "cosine" and "sqeuclidean", with the same medoids. ``"auto"`` takes vectors for
        these two beyond 8000 samples, or where the matrix would exceed ``max_memory``.
        ``form="vector"`` is also allowed for "euclidean", where medoids then minimise *squared*
        distances.
    max_memory : int, default=4 GiB
        Bytes the distance matrix may take, 8 n_samples^2.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    encoding : MedoidEncoding
        What repairs, draws and compares genotypes; decodes without improving them.
    form : {"matrix", "vector"}
    objective_names : tuple of str
        A name for every column of ``F``.

    Raises
    ------
    TypeError, ValueError
        For unknown options, a supervision without constraints, constraints about another number of
        samples, or a distance matrix beyond ``max_memory``. Evaluation refuses genotypes that are not
        valid: give the algorithm ``repair=MedoidSetRepair()`` if its operators make such.

    Notes
    -----
    A population of p individuals with k clusters each costs O(p k n) for assignment and, for every
    cluster of n_c members that was not met before, O(n n_c) or O(n_c n_features) for its medoid.

    Individuals with the same medoids in another order are duplicates:
    ``CanonicalDuplicates(problem.encoding)``, best as ``ConstraintCrowdingSurvival(unique=...)``, since
    children often coincide only after they have been improved.

    pymoo stores genes as float64: pass ``res.X`` through :meth:`medoids` or :meth:`decode`. With
    ``decode="literal"`` and ``supervision="assignment"`` the labels that were scored are not those
    nearest to the stored medoids; :meth:`partitions` gives them, for a population. Besides, a problem
    with supervision stores ``"must"`` and ``"cannot"``, the satisfied constraints, with individuals.

    Deep copies (``save_history=True`` makes one a generation) share everything.

    References
    ----------
    NSGA-II-clus.

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
        _check_options(decode, n_local, supervision, constraints)
        self.form, self.space = choose_space(X, metric, form, max_memory, n_jobs)
        self.encoding = SpaceMedoidEncoding(self.space, k_max)
        if constraints is not None and constraints.n_samples != self.space.n_samples:
            raise ValueError(
                f"constraints are about {constraints.n_samples} samples, X has {self.space.n_samples}."
            )
        self.constraints = constraints
        self.supervision: Supervision = supervision
        apart = ConstrainedAssignment(self._given_constraints()) if supervision == "assignment" else None
        self._decoder = MedoidDecoder(self.encoding, decode, int(n_local), apart)

        third = supervision == "objective"
        self.objective_names = ("xie_beni", "i_index", VIOLATION)[: 2 + third]
        self._signs = np.array([1.0, -1.0, 1.0])[: 2 + third]
        xl, xu = self.encoding.bounds()
        super().__init__(
            n_var=self.encoding.n_var,
            n_obj=2 + third,
            n_ieq_constr=int(supervision == "constraint"),
            xl=xl,
            xu=xu,
            vtype=self.encoding.dtype,
        )

    @property
    def n_samples(self) -> int:
        """Number of samples that are partitioned."""
        return self.space.n_samples

    def medoids(self, X: ArrayLike | None) -> IntArray:
        """Genotypes such as ``res.X`` as integers, shape (n_individuals, k_max), padded with -1."""
        if X is None:
            raise ValueError("X is None: the run ended with no feasible solution, see the parameters.")
        return self.encoding.genes(np.atleast_2d(np.asarray(X)))

    def decode(self, X: ArrayLike | None) -> Labels:
        """Partitions (n_individuals, n_samples) of genotypes, which are not improved.

        One genotype of shape (k_max,) is a population of one.
        """
        return self._decoder.assign(self.medoids(X))[0]

    def partitions(self, pop: Population) -> Labels:
        """Partitions that evaluation scored, shape (n_individuals, n_samples).

        Parameters
        ----------
        pop : Population
            Evaluated individuals, such as ``res.opt``.
        """
        return self.decode(pop.get("assigned_by" if self._decoder.keeps_labels else "X"))

    def natural(self, F: ArrayLike) -> FloatArray:
        """Objectives as their indices define them, of objectives as pymoo minimises them.

        Parameters
        ----------
        F : array-like of shape (..., n_obj)
        """
        values = np.asarray(F, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != self.n_obj:
            raise ValueError(
                f"F must have {self.n_obj} columns, one per objective; got shape {values.shape}."
            )
        return values * self._signs

    def constraint_scores(self, X: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Satisfied must-links and cannot-links of the partitions of :meth:`decode`."""
        return self._given_constraints().satisfied(self.decode(X))

    def constrained_labels(self, X: ArrayLike | None, *, penalty: float | None = None) -> Labels:
        """Partitions by the assignment under constraints, whatever the supervision.

        Parameters
        ----------
        X : array-like of shape (n_individuals, k_max)
        penalty : float, optional
            Weigh a conflict against distance, instead of avoiding conflicts first.

        Returns
        -------
        labels : ndarray of shape (n_individuals, n_samples), int32
            Clusters 0..k-1 without gaps; those left empty are gone.
        """
        assignment = self._decoder.constrained or ConstrainedAssignment(self._given_constraints())
        return assignment.labels(self.space, self.medoids(X), penalty)[0]

    def _given_constraints(self) -> PairwiseConstraints:
        if self.constraints is None:
            raise ValueError("constraints were not given to this problem.")
        return self.constraints

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = self.medoids(X)
        # At least one part, so that no individual at all is no special case.
        parts = [
            self._scored(genes[part])
            for part in block_slices(max(len(genes), 1), self.n_samples + self.encoding.k_max)
        ]
        out.update({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})

    def _scored(self, genes: IntArray) -> dict[str, NDArray[Any]]:
        decoded = self._decoder.improve(genes)
        columns = list(self._decoder.objectives(decoded))
        scored: dict[str, NDArray[Any]] = {}
        if self._decoder.keeps_labels:
            scored["assigned_by"] = decoded.assigned_by
        if self.constraints is not None and self.supervision != "none":
            scored["must"], scored["cannot"] = self.constraints.satisfied(decoded.labels)
            if self.supervision == "objective":
                columns.append(self.constraints.violation(decoded.labels))
            elif self.supervision == "constraint":
                scored["G"] = self.constraints.violation(decoded.labels)[:, None]
            elif self.supervision == "crowding":
                scored["constraint_bonus"] = self.constraints.bonus(decoded.labels)
        scored["F"] = np.column_stack(columns) * self._signs
        scored["X"] = self._decoder.refill(decoded.medoids, genes)
        return scored

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes what it gives; pymoo copies problems with the algorithm's history.
        return copy.copy(self)


def _check_options(decode: Any, n_local: Any, supervision: Any, constraints: Any) -> None:
    if decode not in get_args(Decode):
        raise ValueError(f"decode must be one of {get_args(Decode)}, got {decode!r}.")
    if supervision not in get_args(Supervision):
        raise ValueError(f"supervision must be one of {get_args(Supervision)}, got {supervision!r}.")
    if not isinstance(n_local, (int, np.integer)) or isinstance(n_local, bool):
        raise TypeError(f"n_local must be an integer, got {n_local!r}.")
    if n_local < 1 or (decode == "literal" and n_local != 1):
        raise ValueError(f"n_local must be at least 1, and 1 with decode='literal'; got {n_local}.")
    if constraints is not None and not isinstance(constraints, PairwiseConstraints):
        raise TypeError(f"constraints must be PairwiseConstraints, got {type(constraints).__name__}.")
    if constraints is None and supervision != "none":
        raise ValueError(f"supervision={supervision!r} needs constraints, got None.")
