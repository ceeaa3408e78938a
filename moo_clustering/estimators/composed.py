"""`EvolutionaryClusterer`, the base class for user-defined estimators, and `Method`, which registers them."""

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.result import Result

from moo_clustering._arrays import FloatArray, quoted, spawn_seeds
from moo_clustering._data import numeric_features
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints.pairs import supervision_pairs
from moo_clustering.encodings import Encoding, relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators import _base, _fronts
from moo_clustering.estimators._methods import Method
from moo_clustering.estimators._options import Count, NonNegativeCount, estimator
from moo_clustering.estimators.fuzzy import with_memberships
from moo_clustering.problems import PartitionProblem
from moo_clustering.results import ClusteringResult

__all__ = ["EvolutionaryClusterer", "Method", "estimator"]


@estimator
class EvolutionaryClusterer(_fronts.FrontSearchMixin, _base.ConstrainedClusterer):
    """Base class for user-defined clusterers. Subclasses implement :meth:`make_problem`.

    The search uses NSGA-II or another pymoo algorithm, with the operators ``problem.operators(algorithm)``.
    Subclasses inherit ``fit`` with labels and pairs, ``choose``, ``report``, checkpoints, progress bars and
    the scikit-learn interface. The decorator ``@estimator`` turns annotated fields into parameters.

    Parameters
    ----------
    select : str, int or callable
        Rule that selects a solution from the front; see :meth:`choose`.

    Attributes
    ----------
    chosen_ : int
        Row of the selected solution in ``pareto_front_``.
    memberships_ : ndarray of shape (n_samples, n_columns)
        Cluster memberships (fuzzy encodings only). Clusters to which ``labels_`` assigns no sample come last.
    """

    pop_size: Count = 60
    n_gen: NonNegativeCount = 50
    select: Annotated[Any, str, int, callable] = "knee"

    @abstractmethod
    def make_problem(self, X: FloatArray, constraints: PairwiseConstraints | None) -> PartitionProblem:
        """Create the PartitionProblem for X, shape (n_samples, n_features), and ``constraints``, if any."""

    def _cluster(
        self, X: Any, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> Plans[None]:
        X = numeric_features(self, X, ensure_min_samples=2)
        pairs = supervision_pairs(len(X), y, must_link, cannot_link)
        problem = self.make_problem(X, pairs if len(pairs) else None)
        if not isinstance(problem, PartitionProblem):
            raise TypeError(
                f"{type(self).__name__}.make_problem must return a PartitionProblem, got {quoted(problem)}; "
                "for other problems, use evolve(problem, algorithm, n_gen=...)"
            )
        if problem.n_samples != len(X):
            raise ValueError(
                f"{type(self).__name__}.make_problem must return a problem with {len(X)} samples, as X, "
                f"got {problem.n_samples}; for a tuple of encodings, use evolve(problem, algorithm)"
            )
        seed = int(spawn_seeds(self.random_state, 1)[0].generate_state(1)[0])
        checkpoint = _base.checkpoint_for(self, X, pairs.must_link, pairs.cannot_link)
        kind = NSGA2 if self.algorithm is None else self.algorithm
        operators = problem.operators(kind if isinstance(kind, type) else type(kind))
        search = self._pymoo_search_for(problem, operators, seed, NSGA2, output=None)
        signs = problem.natural(np.ones(problem.n_obj))
        yield from self._drive(search, problem, self.n_gen, checkpoint, signs)
        self.result_: Result = _base.settled(search.result())
        labels = relabel_by_first_appearance(problem.decode(self.result_.X))
        encoding = problem.encoding
        self._soft = encoding if type(encoding).memberships is not Encoding.memberships else None
        rows = np.sort(distinct_rows(labels if self._soft is None else self.result_.X)[0])
        self.pareto_labels_, self._genes = labels[rows], self.result_.X[rows]
        self._set_objectives(problem, self.result_.F[rows])
        self._limits = problem.limits
        self.choose(self.select)

    def _clustering_result(self) -> ClusteringResult:
        found = replace(super()._clustering_result(), limits=self._limits)
        return found if self._soft is None else with_memberships(found, self.memberships_)

    def _take_member(self, row: int) -> None:
        self.chosen_, self.labels_ = row, self.pareto_labels_[row].copy()
        self.n_clusters_ = int(self.labels_.max()) + 1
        if self._soft is not None:
            genes = self._genes[row : row + 1]
            # Reorder the columns, because ``labels_`` numbers the clusters by first appearance.
            order = self._soft.decode(genes)[0][np.unique(self.labels_, return_index=True)[1]]
            memberships = self._soft.memberships(genes)[0]
            rest = np.arange(self.n_clusters_, memberships.shape[1])
            self.memberships_ = memberships[:, np.concatenate([order, rest])]
