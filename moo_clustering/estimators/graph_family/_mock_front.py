"""A front of partitions, of which a rule picks one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pymoo.core.result import Result
from sklearn.utils.validation import check_is_fitted

from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.estimators._choice import Rule
from moo_clustering.estimators.graph_family._mock_choice import (
    choose_row,
    front_scores,
    possible_rules,
    resolve_rule,
)
from moo_clustering.estimators.graph_family._mock_controls import ControlFront, control_fronts
from moo_clustering.estimators.graph_family._mock_search import Front, Settings
from moo_clustering.estimators.graph_family._mock_supervision import Knowledge, disagreement
from moo_clustering.fronts import AttainmentScores
from moo_clustering.problems import MOCKProblem

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int32]


class FrontOfPartitions:
    """What :class:`~moo_clustering.MOCK` does when its search has ended."""

    n_clusters: int | None
    select: Rule
    control: str
    k_user: int
    n_jobs: int | None
    verbose: bool
    pareto_front_: FloatArray
    objective_names_: tuple[str, ...]
    result_: Result
    interrupted_: bool
    _front: Front
    _knowledge: Knowledge
    _scaled: FloatArray
    _settings: Settings
    _control_seeds: Sequence[np.random.SeedSequence]
    _steps: int

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes without searching control data anew."""
        check_is_fitted(self)
        searched = hasattr(self, "control_fronts_")
        return possible_rules(self.objective_names_, self._knowledge.rule, self.n_clusters, searched)

    def choose(self, rule: Rule = "auto", *, n_clusters: int | Literal["fitted"] | None = "fitted") -> Self:
        """Pick another solution of the front, without searching X again.

        Parameters
        ----------
        rule : as ``select``, default="auto"
            A row of ``pareto_front_`` or ``rule(pareto_front_) -> row`` whatever ``n_clusters`` is.
            ``"attainment"`` searches control data, unless that was done before.
        n_clusters : int or None, optional
            In place of that of the estimator.

        Returns
        -------
        self
            With ``chosen_``, ``labels_`` and ``n_clusters_`` replaced.

        Raises
        ------
        ValueError
            Unknown rule, or a row outside the front.

        Warns
        -----
        UserWarning
            No solution has ``n_clusters`` clusters; the nearest number is taken.
        """
        check_is_fitted(self)
        wanted = _checked_number(self.n_clusters if n_clusters == "fitted" else n_clusters)
        rule = resolve_rule(rule, self._knowledge.rule, wanted)
        self.chosen_ = choose_row(
            self._front,
            self.pareto_front_,
            self.objective_names_,
            rule,
            wanted,
            lambda by: disagreement(self._problem.encoding, self._front.genes, self._knowledge, by),
            lambda: self._attainment(wanted),
        )
        self.labels_: Labels = self._problem.decode(self._front.genes[[self.chosen_]])[0]
        self.n_clusters_ = int(self.labels_.max()) + 1
        if isinstance(rule, str) and wanted is not None and self.n_clusters_ != wanted:
            warnings.warn(
                f"no solution of the front has n_clusters={wanted} clusters; of those with the nearest "
                f"number, {self.n_clusters_}, one is chosen.",
                UserWarning,
                stacklevel=2,
            )
        return self

    @property
    def pareto_labels_(self) -> Labels:
        """Partitions of the front."""
        check_is_fitted(self)
        if not hasattr(self, "_pareto_labels"):
            self._pareto_labels = self._problem.decode(self._front.genes)
        return self._pareto_labels

    @property
    def _problem(self) -> MOCKProblem:
        problem: MOCKProblem = self.result_.problem
        return problem

    def _forget(self) -> None:
        for name in (
            "control_fronts_",
            "attainment_",
            "attainment_scores_",
            "promising_",
            "_pareto_labels",
        ):
            self.__dict__.pop(name, None)

    def _choose_at_end(self) -> Self:
        rule = resolve_rule(self.select, self._knowledge.rule, self.n_clusters)
        if rule != "attainment":
            return self.choose(rule)
        if not self.interrupted_:
            try:
                return self.choose(rule)
            except KeyboardInterrupt:
                self.interrupted_ = True
                warnings.warn(
                    'the search on control data was interrupted; choose("attainment") does it again.',
                    InterruptedSearchWarning,
                    stacklevel=3,
                )
        return self.choose("knee")

    def _attainment(self, n_clusters: int | None) -> FloatArray:
        """Attainment scores; sets all that has to do with them."""
        if not hasattr(self, "control_fronts_"):
            # A search that was interrupted is compared with ones as short.
            self.control_fronts_: list[ControlFront] = control_fronts(
                self._scaled,
                self._control_seeds,
                self._settings,
                kind=self.control,
                steps=self._steps,
                n_jobs=self.n_jobs,
                verbose=bool(self.verbose),
            )
        k_user = max(self.k_user, n_clusters or 0)
        found = front_scores(self._front, self.control_fronts_, k_user)
        if found is None:
            warnings.warn(
                f"no numbers of clusters up to k_user={k_user} are both in the front and in those of control "
                "data, so there are no attainment scores; the fewest clusters are taken. Raise k_user?",
                UserWarning,
                stacklevel=4,
            )
            return np.full(len(self.pareto_front_), np.nan)
        self.attainment_: AttainmentScores = found
        self.attainment_scores_ = found.scores
        self.promising_ = found.promising()
        return self.attainment_scores_


def _checked_number(n_clusters: Any) -> int | None:
    if n_clusters is None:
        return None
    if isinstance(n_clusters, int | np.integer) and n_clusters >= 1:
        return int(n_clusters)
    raise ValueError(f"n_clusters must be an integer from 1, None or 'fitted', got {n_clusters!r}.")
