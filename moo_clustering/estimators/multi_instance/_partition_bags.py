"""What the genetic estimators share whose genes are the clusters of the bags."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering.algorithms._counted_step import CountedStep
from moo_clustering.bags import BagGeometry, BagObjective
from moo_clustering.bags._repair import PartitionRepair
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators.multi_instance._bag_base import BagData
from moo_clustering.estimators.multi_instance._genetic_bags import Composition, GeneticBagClusterer
from moo_clustering.operators.deap import bag_toolbox

PROBABILITY = Interval(Real, 0, 1, closed="both")
PROBABILITIES: dict[str, list[Any]] = {"p_mut": [PROBABILITY], "p_gene": [PROBABILITY], "p_km": [PROBABILITY]}


class PartitionBagClusterer(GeneticBagClusterer):
    """Genes are clusters; one of the objectives of :class:`BagObjective` is minimised."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GeneticBagClusterer._parameter_constraints,
        "weighting": [StrOptions({"bag", "instance"})],
    }

    weighting: Any

    _objective_name: ClassVar[Any] = "db"
    _allows_empty: ClassVar[bool] = False

    def _compose(self, data: BagData, rng: np.random.Generator) -> Composition:
        self._objective = self._make_objective(data)
        toolbox = bag_toolbox(self._objective, rng, **self._operators())
        return Composition(toolbox, self._step(toolbox, rng), self._objective_name)

    def _make_objective(self, data: BagData) -> BagObjective:
        least = 0 if self._allows_empty else self._least(data.bags.n_bags)
        # groups that stay together can leave no bags to fill a small cluster with
        certain = data.constraints is None or self.constraint_handling == "penalty"
        geometry = BagGeometry(
            data.bags, weighting=self.weighting, min_cluster_size=max(1, least) if certain else 1
        )
        return BagObjective(
            geometry,
            self.n_clusters,
            self._objective_name,
            min_cluster_size=least,
            constraints=data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            n_jobs=self.n_jobs,
            **self._reading(),
        )

    def _reading(self) -> dict[str, Any]:
        return {}

    @abstractmethod
    def _operators(self) -> dict[str, Any]:
        """Options of :func:`bag_toolbox`."""

    @abstractmethod
    def _step(self, toolbox: Any, rng: np.random.Generator) -> CountedStep:
        """One generation."""

    def _take(self, data: BagData, best: Any) -> None:
        objective = self._objective
        labels = np.asarray(best)[None]
        if self._allows_empty:
            labels = self._filled(data, labels)
        self.labels_ = relabel_by_first_appearance(labels)[0]
        self._set_labels(self.labels_)
        self._set_centers(objective.geometry.centroids(self.labels_, self.n_clusters_))
        self._set_fitness(objective.evaluate(self.labels_)[0], self.labels_, data.constraints)
        del self._objective

    def _filled(self, data: BagData, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """One partition, in which every cluster has the bags it must have."""
        n_bags = data.bags.n_bags
        least = self._least(n_bags)
        if np.bincount(labels[0], minlength=self.n_clusters).min() >= least:
            return labels
        kept = data.constraints if self.constraint_handling == "repair" else None
        return PartitionRepair(n_bags, least, kept).apply(labels, self._objective.distances(labels))
