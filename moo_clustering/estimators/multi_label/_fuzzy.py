"""What the fuzzy subspace clusterers, SISC and SCAD2, share."""

from __future__ import annotations

import math
from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering import subspace
from moo_clustering._targets import Targets
from moo_clustering.estimators.multi_label._cluster_votes import Doubles
from moo_clustering.estimators.multi_label._subspace_base import Clusters, SubspaceEstimator
from moo_clustering.subspace import SubspaceData, SubspaceOptions
from moo_clustering.subspace._options import Init

_REASONS = {
    "fuzziness": (
        "1 / (fuzziness - 1) is the exponent of distances in memberships",
        "1.1 makes them nearly hard, 1.5 is usual",
    ),
    "weight_exponent": (
        "1 / (weight_exponent - 1) is the exponent of dispersions in the weights of features",
        "2 leaves most weight to few features, 5 is usual, 50 makes them nearly equal",
    ),
}


class FuzzySubspaceEstimator(SubspaceEstimator):
    """Base of the clusterers whose clusters share documents: sweeps from a start until they settle."""

    _fuzzy_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceEstimator._common_constraints,
        "fuzziness": [Real],
        "weight_exponent": [Real],
        "aggregation": [StrOptions({"normalised", "sum", "membership"})],
        "floor": [Interval(Real, 0, None, closed="neither")],
    }

    _options: SubspaceOptions

    @property
    def _start(self) -> Init:
        """How clusters start."""
        return "seeds"

    @abstractmethod
    def _make_options(self) -> SubspaceOptions:
        """Options of the sweeps."""

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        memberships = subspace.start(self._start, data, targets, self.n_clusters, self._options, rng)
        found = subspace.iterate(
            data, targets, memberships, self._options, max_iter=self.max_iter, tol=self.tol
        )
        last = found.sweep
        return Clusters(last.memberships, last.centers, last.log_weights, last.impurities, found.history)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, (reason, advice) in _REASONS.items():
            value = getattr(self, name)
            if not (value > 1 and math.isfinite(value)):
                raise ValueError(f"{name} must be a number > 1, as {reason} ({advice}); got {value!r}")
        self._options = self._make_options()

    @property
    def _exponent(self) -> float:
        return self._options.weight_exponent

    @property
    def _vote_impurities(self) -> Doubles:
        return self._impurities if self._options.impurity_in_membership else np.zeros_like(self._impurities)

    @property
    def _vote_fuzziness(self) -> float:
        return self._options.fuzziness

    def _nearest(self, distances: Doubles) -> NDArray[np.int32]:
        memberships = subspace.memberships_from_distances(distances, self._impurities, self._options)
        return memberships.argmax(axis=1).astype(np.int32)
