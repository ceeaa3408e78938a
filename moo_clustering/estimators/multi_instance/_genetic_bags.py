"""What the genetic estimators of bags share: one search, driven, saved and resumed."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from deap import base, tools
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering.algorithms import DeapSearch, Recorder, drive, finite_statistics
from moo_clustering.algorithms._counted_step import CountedStep
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators.multi_instance._bag_base import BagClusterer, BagData


class Composition(NamedTuple):
    """What a search is made of."""

    toolbox: base.Toolbox
    step: CountedStep
    name: str


class GeneticBagClusterer(BagClusterer):
    """Bags clustered by a search for one best individual.

    A subclass says what is searched in :meth:`_compose`, and what the best individual means in
    :meth:`_take`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagClusterer._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "max_evals": [Interval(Integral, 1, None, closed="left"), None],
        "constraint_handling": [StrOptions({"penalty", "repair"})],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    min_cluster_size: Any  # a subclass may allow more than numbers
    pop_size: int
    n_gen: int
    max_evals: int | None
    constraint_handling: Any
    penalty: float
    n_jobs: int | None
    verbose: bool

    def _fit(self, data: BagData) -> None:
        checkpoint = checkpoint_for(
            self, data.raw_bags.instances, data.raw_bags.offsets, *_pairs(data.constraints)
        )
        rng = np.random.default_rng(data.seed)
        toolbox, step, name = self._compose(data, rng)
        search = DeapSearch(
            toolbox,
            step,
            rng=rng,
            pop_size=self.pop_size,
            hall_of_fame=tools.HallOfFame(1, similar=np.array_equal),
            statistics=_EligibleStatistics(step),
        )
        self.history_ = Recorder()
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description=type(self).__name__,
            objective_names=[name],
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        self.logbook_: tools.Logbook = search.logbook
        self.hall_of_fame_: tools.HallOfFame = search.hall_of_fame
        self.n_evaluations_, self.n_trial_evaluations_ = step.evaluations, step.trials
        self.n_restarts_ = int(getattr(step, "restarts", 0))
        self._take(data, self._best(search))

    @abstractmethod
    def _compose(self, data: BagData, rng: np.random.Generator) -> Composition:
        """Toolbox and generation of the search, and the name of what is minimised."""

    @abstractmethod
    def _take(self, data: BagData, best: Any) -> None:
        """Set the results from the genes of the best individual."""

    def _best(self, search: DeapSearch) -> Any:
        if search.hall_of_fame:
            return np.asarray(search.hall_of_fame[0])
        warnings.warn(
            f"{type(self).__name__} met no partition with {self.n_clusters} clusters of at least "
            f"{self.min_cluster_size} bags; the best of the others is taken, its small clusters filled as "
            "far as constraints allow",
            UserWarning,
            stacklevel=5,
        )
        return np.asarray(max(search.population, key=lambda one: one.fitness.wvalues))

    def _set_fitness(self, value: float, labels: Any, constraints: PairwiseConstraints | None) -> None:
        self.fitness_ = float(value)
        self.violation_ = 0.0 if constraints is None else float(constraints.violation(labels)[0])


class _EligibleStatistics(tools.Statistics):
    """Statistics of the individuals that may be the best: an empty cluster can come with a lower value."""

    def __init__(self, step: CountedStep) -> None:
        super().__init__()
        self._step = step
        self._finite = finite_statistics()
        self.fields = self._finite.fields

    def compile(self, data: Any) -> Any:
        return self._finite.compile(self._step.eligible(data))


def _pairs(constraints: PairwiseConstraints | None) -> tuple[Any, Any]:
    if constraints is None:
        return None, None
    return constraints.must_link, constraints.cannot_link
