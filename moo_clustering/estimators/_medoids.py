"""Base class for NSGA2Clus and AMOSAClus: supervision, fronts of medoid sets, and selection rules."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from scipy.sparse import csr_array, diags_array, issparse
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering import results
from moo_clustering._arrays import FloatArray, IntArray, Labels, non_dominated, spawn_seeds
from moo_clustering._data import numeric_features
from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering._docs import documented
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import PairwiseConstraints, fisher_weights
from moo_clustering.constraints.pairs import supervision_pairs
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators import _base, _fronts
from moo_clustering.estimators._options import KW_ONLY, Count, estimator
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MedoidProblem
from moo_clustering.problems.partition import VIOLATION

BY_CONSTRAINTS = ("balanced", "constraints")
SHORT_NAMES = {"xb": "xie_beni", "i": "i_index"}
RULES = {*BY_CONSTRAINTS, *SHORT_NAMES, *SHORT_NAMES.values(), "knee", VIOLATION}


@documented(MedoidProblem)
@estimator
class MedoidSetClusterer(_fronts.FrontSearchMixin, _base.ConstrainedClusterer, ABC):
    """Base class of clusterers that search for non-dominated sets of medoids.

    Parameters
    ----------
    metric : str or callable
        Metric for :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or ``"fisher"`` (Euclidean
        with :func:`feature weights <moo_clustering.constraints.fisher_weights>` from any constraints).
    supervision : {"objective", "crowding", "external", "constraint", "assignment", "none"}
        How to use constraints (the user-supplied pairs and all pairs of labelled samples):

        - ``"objective"``: the share of violated constraints is a third objective.
        - ``"crowding"``: the crowding distance includes the share of satisfied constraints (paper: Internal).
        - ``"external"``: constraints are only used to select the solution (paper: External).
        - ``"constraint"``: fewer violations take precedence over objectives (requires ``engine="pymoo"``).
        - ``"assignment"``: every assignment of samples to medoids respects the constraints.
        - ``"none"``: constraints are only used for ``constraint_scores_`` and ``metric="fisher"``.
    post_repair : bool
        Whether to reassign samples to satisfy the constraints if these are consistent. Ignored if
        ``supervision`` is ``"none"`` or ``"assignment"``.
    select : {"balanced", "constraints", "xb", "i", "knee"}, name of an objective, int or callable
        Selection rule; see :meth:`choose`. ``"balanced"``: largest sum of the shares of satisfied must-links
        and cannot-links. ``"constraints"``: most satisfied pairs. ``"xb"``, ``"i"``: best index. ``"knee"``:
        nearest to the ideal point. Without constraints, ``"balanced"`` and ``"constraints"`` select the knee.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each sample, numbered by first appearance. Equal rows without constraints share a cluster.
    medoid_indices_ : ndarray of shape (n_clusters_,)
        Row index of each cluster's medoid.
    chosen_ : int
        Selected row of the front.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Partitions of the non-dominated solutions before ``post_repair``.
    pareto_medoids_ : ndarray of shape (n_solutions, k_max)
        Row indices of the medoids of the partitions in ``pareto_labels_``, padded with -1.
    repaired_labels_, repaired_medoids_ : ndarray
        ``pareto_labels_`` and ``pareto_medoids_`` after ``post_repair``.
    constraint_scores_ : ndarray of shape (n_solutions, 2) or None
        Numbers of must-links and cannot-links satisfied by ``pareto_labels_``.
    result_ : pymoo.core.result.Result
        ``result_.F``: minimised front, or that of the least infeasible solutions if none is feasible.
    """

    _rule_aliases: ClassVar[Mapping[str, str]] = SHORT_NAMES

    _: KW_ONLY
    k_max: Annotated[
        int | str, Interval(Integral, 2, None, closed="left"), StrOptions({"sqrt", "ceil_sqrt"})
    ] = "sqrt"
    metric: Annotated[Metric, str, callable] = "cosine"
    supervision: Literal["objective", "crowding", "external", "constraint", "assignment", "none"] = (
        "objective"
    )
    post_repair: bool = True
    select: Annotated[_base.Rule, StrOptions(RULES), Integral, callable] = "balanced"
    decode: Literal["reassign", "literal"] = "reassign"
    n_local: Count = 1
    form: Literal["auto", "matrix", "vector"] = "auto"
    max_memory: Annotated[int, Interval(Real, 0, None, closed="neither")] = MAX_MEMORY
    conflicts: Literal["raise", "keep"] = "raise"

    def _cluster(
        self, X: Any, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> Plans[None]:
        features = numeric_features(self, X, accept_sparse="csr", dtype=np.float64)
        n_samples = features.shape[0]
        if not isinstance(self.k_max, str) and self.k_max > n_samples:
            raise ValueError(f"k_max={self.k_max} must not exceed n_samples={n_samples}")
        pairs = supervision_pairs(n_samples, y, must_link, cannot_link, self.conflicts)
        constraints = pairs if len(pairs) else None
        checkpoint = self._checkpoint(features, y, must_link, cannot_link)
        (seed,) = spawn_seeds(self.random_state, 1)
        self._weights = None
        if self.metric == "fisher" and constraints is not None:
            self._weights = np.sqrt(fisher_weights(features, constraints))
        weighted = self._weigh(features)
        # With ``supervision`` "none" or "external", the search does not use the constraints.
        active = constraints is not None and self.supervision not in ("none", "external")
        problem = self._problem(weighted, constraints, self.supervision if active else "none")
        population = yield from self._run(problem, int(seed.generate_state(1)[0]), checkpoint)
        self._set_front(problem, population, constraints, weighted)
        self.choose(self.select)
        if self.n_clusters_ == 1 < n_samples and _base.count_distinct_rows(weighted, 2) == 1:
            _base.warn_of_few(1, "at least 2")

    @documented(_base.NearestSampleMixin.predict)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster of the nearest medoid, using the metric of the fit and ignoring constraints.

        Training samples get their ``labels_``, unless constraints or ``decode="literal"`` affect ``labels_``.
        With cosine distances, predictions can omit clusters whose medoid is 0 or parallel to another medoid.
        """
        check_is_fitted(self, "pareto_front_")
        X = numeric_features(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if self.metric == "precomputed":
            nearest = X[:, self.medoid_indices_[self._numbers]].argmin(axis=1)
        else:
            nearest = _base.nearest_rows(self._weigh(X), self._representatives, self._plain_metric())
        return self._numbers[nearest].astype(np.int32)

    def _problem(self, X: Any, constraints: PairwiseConstraints | None, supervision: str) -> Any:
        shared = ("k_max", "decode", "n_local", "form", "max_memory", "n_jobs")
        options: dict[str, Any] = {name: getattr(self, name) for name in shared}
        options |= {"constraints": constraints, "supervision": supervision}
        return MedoidProblem(X, metric=self._plain_metric(), **options)

    @abstractmethod
    def _run(self, problem: Any, seed: int, checkpoint: Checkpoint | None) -> Plans[Population]:
        """Run the search, set ``result_`` and the history, and return the evaluated individuals."""

    def _checkpoint(self, features: Any, *supervision: Any) -> Checkpoint | None:
        # The selection rule does not affect the search, so it may change when a run is resumed.
        data = [features]
        if issparse(features):
            data = [features.data, features.indices, features.indptr, np.array(features.shape)]
        return _base.checkpoint_for(self, *data, *supervision, select="knee", post_repair=False)

    def _plain_metric(self) -> Metric:
        return "euclidean" if self.metric == "fisher" else self.metric

    def _weigh(self, X: Any) -> Any:
        if self._weights is None:
            return X
        return csr_array(X @ diags_array(self._weights)) if issparse(X) else X * self._weights

    def _set_front(
        self, problem: Any, population: Population, constraints: PairwiseConstraints | None, X: Any
    ) -> None:
        violation = population.get("CV").astype(np.float64)[:, 0]
        best = np.flatnonzero(violation == violation.min())
        front = population[best[non_dominated(population[best].get("F"))]]
        labels = problem.partitions(front)
        # If several medoids are equal, all but the first are alone in their clusters, so unite equal samples.
        equal, fixed = _base.equal_rows(X), None
        if constraints is not None:
            fixed = np.unique(np.concatenate([constraints.must_link, constraints.cannot_link]))
        labels = _base.united(labels, equal, fixed)
        keys = self._keys(problem, front.get("X"), labels)
        kept = np.sort(distinct_rows(np.concatenate([keys, front.get("F")], axis=1))[0])
        front, labels = front[kept], labels[kept]
        self._set_objectives(problem, front.get("F"))
        self.pareto_labels_ = self.repaired_labels_ = labels
        self.constraint_scores_, self._n_pairs = None, (0, 0)
        if constraints is not None:
            self.constraint_scores_ = np.column_stack(constraints.satisfied(labels))
            self._n_pairs = (len(constraints.must_link), len(constraints.cannot_link))
        if repaired := self._repairs(constraints):
            united = _base.united(self._repaired_labels(problem, front), equal, fixed)
            self.repaired_labels_ = relabel_by_first_appearance(united)
        self._keep_representatives(problem, front, X, repaired)
        self._number_clusters()

    def _keys(self, problem: Any, genes: NDArray[Any], labels: Labels) -> NDArray[Any]:
        """Return one key per individual, which is the same for equivalent individuals."""
        return problem.encoding.canonical(problem.medoids(genes))

    def _repaired_labels(self, problem: Any, front: Population) -> Labels:
        return problem.constrained_labels(front.get("X"))

    def _repairs(self, constraints: PairwiseConstraints | None) -> bool:
        if constraints is None or not self.post_repair or self.supervision in ("none", "assignment"):
            return False
        # Constraints that contradict each other cannot be used, because they have no transitive closure.
        component = constraints.components()[constraints.cannot_link]
        return not bool((component[:, 0] == component[:, 1]).any())

    def _keep_representatives(self, problem: Any, front: Population, X: Any, repaired: bool) -> None:
        """Store the medoids or centres of all solutions, for use by :meth:`_set_representatives`."""
        self.pareto_medoids_ = problem.medoids(front.get("X"))
        self.repaired_medoids_ = self.pareto_medoids_
        if repaired:
            self.repaired_medoids_ = problem.encoding.medoids_of(self.repaired_labels_)
        self._medoid_ids = np.unique(self.repaired_medoids_[self.repaired_medoids_ >= 0])
        self._medoid_rows = X[self._medoid_ids]

    def _number_clusters(self) -> None:
        """Renumber the clusters and representatives of each solution by first appearance."""
        for name in ("pareto", "repaired"):
            labels, medoids = getattr(self, f"{name}_labels_"), getattr(self, f"{name}_medoids_")
            self._orders = _base.cluster_orders(labels, medoids.shape[1])
            ordered = np.take_along_axis(medoids, self._orders, axis=1)
            own = np.arange(medoids.shape[1]) <= labels.max(axis=1, keepdims=True)
            setattr(self, f"{name}_medoids_", np.where(own, ordered, -1))
            setattr(self, f"{name}_labels_", relabel_by_first_appearance(labels))

    def _own_rules(self) -> tuple[str, ...]:
        return BY_CONSTRAINTS

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        assert found.front is not None
        final = {"repaired": self.repaired_labels_, "medoids": self.repaired_medoids_}
        return replace(found, front=replace(found.front, **final))

    def _take_by_rule(self, rule: str) -> None:
        """Select by the number or the shares of satisfied pairs, or select the knee if no pairs are used."""
        if self.constraint_scores_ is None or self.supervision == "none":
            super()._take_by_rule(rule)
        else:
            n_pairs = (1, 1) if rule == "constraints" else self._n_pairs
            self._take_member(most_satisfied(self.pareto_front_[:, 0], self.constraint_scores_, n_pairs))

    def _take_member(self, row: int) -> None:
        self.chosen_ = row
        self.labels_: Labels = self.repaired_labels_[row].copy()
        self.n_clusters_ = int(self.labels_.max()) + 1
        self._set_representatives()

    def _set_representatives(self) -> None:
        self.medoid_indices_: IntArray = self.repaired_medoids_[self.chosen_, : self.n_clusters_].copy()
        # Order the medoids as in the search, because ``predict`` breaks ties by their order.
        self._numbers = self._orders[self.chosen_, : self.n_clusters_].argsort()
        ordered = self.medoid_indices_[self._numbers]
        self._representatives = self._medoid_rows[np.searchsorted(self._medoid_ids, ordered)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        return tags


def most_satisfied(xie_beni: FloatArray, scores: NDArray[Any], n_pairs: tuple[int, int] = (1, 1)) -> int:
    """Return the row with the largest sum of ``scores / n_pairs``. The lowest Xie-Beni index breaks ties."""
    merit = scores @ np.array([1.0 / max(n, 1) for n in n_pairs])
    # Because of rounding errors, equal sums of shares can differ in the last bit.
    best = merit >= merit.max() - 1e-12 * max(1.0, float(merit.max()))
    return int(np.where(best, xie_beni, np.inf).argmin())
