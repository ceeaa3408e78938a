"""What the flagship does with samples or landmarks once there is a pool of them."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from sklearn.base import BaseEstimator, clone
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from moo_clustering.estimators._checkpoints import checkpoint_for
from moo_clustering.estimators._choice import Rule, check_rule, choose_member
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin
from moo_clustering.estimators.flagship._answers import Answer, AnswerOptions, class_of_clusters, unsupervised
from moo_clustering.estimators.flagship._findings import EvolutionOptions, Findings, find
from moo_clustering.estimators.flagship._ground import Ground
from moo_clustering.estimators.flagship._knowledge import Knowledge, take_knowledge
from moo_clustering.estimators.flagship._nearest import N_NEAREST, inverse_square_shares, weighted_means
from moo_clustering.estimators.flagship._tables import alternative_frame, front_result, score_frame
from moo_clustering.estimators.flagship._trivial import TRIVIAL
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool

FloatArray = NDArray[np.float64]

# Below this agreement partitions seldom had much to do with known classes.
LOW_CONFIDENCE = 0.6


class ParetoPoolClusterer(SemiSupervisedClusterMixin, BaseEstimator):
    """Choosing from a pool and combining it: by itself, by labels, by pairs; evolution with its controls."""

    _ground: Ground
    _found: Findings
    _answered: Answer
    _knowledge: Knowledge
    _seeds: list[np.random.SeedSequence]

    def relabel(
        self,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        n_clusters: int | Literal["same"] | None = "same",
    ) -> Self:
        """Find the result for other labels, pairs or numbers of clusters, from the pool of the last fit.

        Nothing is clustered anew (with ``n_gen > 0`` the evolution is run again), so that looking again
        with a few more labels takes a fraction of the time of a fit.

        Parameters
        ----------
        y, must_link, cannot_link
            As for ``fit``; they replace those given before.
        n_clusters : int, None or "same", default="same"
            Sets the parameter, unless ``"same"``. The pool stays that of the fit.

        Returns
        -------
        self
            As after a fit.
        """
        check_is_fitted(self)
        before = self.n_clusters
        try:
            if n_clusters != "same":
                self.set_params(n_clusters=n_clusters)
                self._validate_params()
            knowledge = self._take_knowledge(self._ground.n_samples, y, must_link, cannot_link)
            self._check_knowledge(knowledge, self._ground.n_samples)
            self._check_landmarks(self._ground.m)
        except Exception:
            # What was fitted goes on standing.
            self.set_params(n_clusters=before)
            raise
        return self._find(knowledge, y, must_link, cannot_link)

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self)
        found = self._found
        if found.candidates is None or found.alternatives is None:
            return ("auto",)
        merged = () if self.n_clusters is None else ("consensus",)
        members = (f"alternative-{i}" for i in range(len(found.alternatives)))
        return ("auto", "select", *merged, "knee", *self.objective_names_, *members, *self._controls())

    def _controls(self) -> dict[str, Answer]:
        controls = {"control": self._found.control, "random-control": self._found.random_control}
        return {name: control for name, control in controls.items() if control is not None}

    def choose(self, rule: Rule) -> Self:
        """Take another partition, without computing anything anew.

        Parameters
        ----------
        rule : str, int or callable
            ``"auto"``: the result of the fit. ``"select"``: the member of the best score, and
            ``"consensus"``: what the members with about ``n_clusters`` clusters have in common.
            ``"alternative-0"``, ``"alternative-1"``, ...: a row of ``alternatives_``. ``"control"`` and
            ``"random-control"``: the results without evolution and by random selection, if there was
            one. Of the front ``"knee"``, the best in the objective named, the row of ``pareto_front_``
            given, or ``rule(pareto_front_) -> row``.

        Returns
        -------
        self
            With ``labels_`` and ``n_clusters_`` replaced.

        Raises
        ------
        ValueError
            An unknown rule (names the nearest), or ``"consensus"`` without ``n_clusters``.
        """
        check_is_fitted(self)
        if rule == "consensus" and self.n_clusters is None:
            raise ValueError('choose("consensus") needs n_clusters; see relabel(n_clusters=...).')
        check_rule(rule, self.rules_)
        found, candidates, controls = self._found, self._found.candidates, self._controls()
        if rule == "auto" or candidates is None or found.alternatives is None:
            return self._take(found.answer)
        if isinstance(rule, str) and rule in controls:
            return self._take(controls[rule])
        if isinstance(rule, str) and rule in ("select", "consensus"):
            labels, member = unsupervised(
                candidates, self.n_clusters, rule, np.random.default_rng(self._seeds[0])
            )
            return self._take(self._named(labels, member))
        if isinstance(rule, str) and rule.startswith("alternative-"):
            member = int(found.alternatives[int(rule.removeprefix("alternative-"))])
        else:
            greater = (True,) * len(self.objective_names_)
            row = choose_member(self.pareto_front_, self.objective_names_, greater, rule)
            member = int(self._front[row])
        return self._take(self._named(candidates.labels[member], member))

    def _named(self, of_ground: NDArray[np.int32], member: int | None) -> Answer:
        """A partition, whose clusters have the class of most of their labelled samples."""
        labels = self._ground.of_samples(of_ground)
        targets = self._knowledge.targets
        named = None if targets is None else class_of_clusters(labels, targets.indicators)
        return Answer(labels, classes_of_clusters=named, member=member)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of samples: the most probable class after a fit with labels, else that of the nearest.

        Parameters
        ----------
        X
            As for ``fit``; with ``metric="precomputed"`` distances to the samples of the fit, shape
            (n, n_samples).

        Returns
        -------
        ndarray of shape (n,), int32
            Numbers as in ``labels_``.

        Notes
        -----
        O(n m n_features) for m samples, or landmarks, of the fit.
        """
        rows = self._rows_of(X)
        if self._answered.model is not None:
            return self._probabilities(rows).argmax(axis=1).astype(np.int32)
        labels = self.labels_
        if self._ground.landmark_of is not None:
            labels = np.zeros(self._ground.m, dtype=np.int32)
            labels[self._ground.landmark_of] = self.labels_
        nearest: NDArray[np.int32] = labels[self._ground.nearest(rows, 1)[0][:, 0]]
        return nearest

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, shape (n, n_classes), columns as in ``classes_``.

        Scores of the three nearest samples or landmarks, weighted by inverse squared distances.

        Raises
        ------
        ValueError
            After a fit without labels of every class.
        """
        rows = self._rows_of(X)
        if self._answered.model is None:
            raise ValueError(
                "predict_proba needs a fit with labels: fit(X, y) with y = -1 for unlabelled samples, and "
                'novel="none".'
            )
        return self._probabilities(rows)

    @property
    def pareto_labels_(self) -> NDArray[np.int32]:
        """Partitions of the front, shape (n_solutions, n_samples), rows as in ``pareto_front_``."""
        check_is_fitted(self)
        return self._labels_of_candidates(self._front)

    @property
    def alternative_labels_(self) -> NDArray[np.int32]:
        """Partitions, shape (n_alternatives, n_samples), rows as in ``alternatives_``."""
        check_is_fitted(self)
        rows = self._found.alternatives
        return self._labels_of_candidates(np.zeros(0, dtype=np.intp) if rows is None else rows)

    @property
    def transduction_(self) -> NDArray[Any]:
        """Classes of all samples after a fit with labels, shape (n_samples,); None in new classes."""
        check_is_fitted(self)
        if not hasattr(self, "classes_"):
            raise AttributeError("transduction_ needs a fit with labels: fit(X, y).")
        if self._answered.classes_of_clusters is None and self._answered.model is not None:
            classes: NDArray[Any] = self.classes_[self.labels_]
            return classes
        names = np.array([*self.classes_.tolist(), None], dtype=object)
        named: NDArray[Any] = names[self.cluster_classes_index_[self.labels_]]
        return named

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Of the classes that it gives after a fit with labels.
        tags.classifier_tags = ClassifierTags()
        return tags

    # Parts of a fit.

    def _rows_of(self, X: Any) -> Any:
        """Samples to predict, checked."""
        raise TypeError(f"{type(self).__name__} does not say how it reads samples")

    def _take_knowledge(
        self, n_samples: int, y: Any, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> Knowledge:
        return take_knowledge(n_samples, y, must_link, cannot_link, novel=self.novel, pairs=self.pairs)

    def _check_knowledge(self, knowledge: Knowledge, n_samples: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of samples, {n_samples}.")
        if self.kernel == "bags" and knowledge.kind != "labels":
            raise ValueError('kernel="bags" makes no partitions: it needs labels of every class, fit(X, y).')

    def _check_landmarks(self, m: int) -> None:
        if self._ground.landmark_of is not None and (self.n_clusters or 1) > m:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the number of landmarks, {m}, which stand for "
                f"the {self._ground.n_samples} samples; fit anew with more n_landmarks."
            )

    def _find(self, knowledge: Knowledge, *given: Any) -> Self:
        evolution = EvolutionOptions(
            self.n_gen, self.pop_size, self.engine, bool(self.verbose), self._checkpoint(*given)
        )
        options = AnswerOptions(
            self.n_clusters,
            self.method,
            self._kernel(),
            self.pairs,
            self.clamp,
            self.class_prior,
            self.merge_same_class,
        )
        self._found = find(
            self._ground,
            knowledge,
            options,
            evolution,
            criterion=self._criterion(knowledge),
            criterion_weight=self.criterion_weight,
            n_jobs=self.n_jobs,
            seeds=self._seeds,
        )
        self._knowledge = knowledge
        self._publish(knowledge)
        return self._take(self._found.answer)

    def _criterion(self, knowledge: Knowledge) -> str:
        criterion: str = self.criterion
        if criterion != "auto":
            return criterion
        nothing_known = knowledge.kind == "none" and self.n_clusters is None
        return "minimax" if nothing_known and self._ground.rows is not None else "modularity"

    def _kernel(self) -> str:
        kernel: str = self.kernel
        return {"pool+bags": "full"}.get(kernel, kernel)

    def _without_data(self) -> Any:
        """Parameters that a checkpoint is checked against; what the pool was made of is seen in the pool."""
        same = clone(self)
        data = {"views", "extra_candidates", "families", "k_range", "distances", "embeddings"}
        same.set_params(**dict.fromkeys(data & same.get_params(deep=False).keys()))
        return same

    def _checkpoint(self, *given: Any) -> Checkpoint | None:
        if not self.n_gen or self._ground.pool is None:
            return None
        return checkpoint_for(self._without_data(), self._ground.pool.labels, *given)

    def _publish(self, knowledge: Knowledge) -> None:
        """Attributes that do not change when another partition is taken."""
        for name in ("classes_", "control_labels_", "control_score_", "random_control_labels_", "history_"):
            self.__dict__.pop(name, None)
        found, ground = self._found, self._ground
        self.pool_: PartitionPool | None = ground.pool
        self.graph_, self.landmark_of_ = ground.graph, ground.landmark_of
        self.n_landmarks_ = None if ground.landmark_of is None else ground.m
        if knowledge.targets is not None:
            self.classes_ = knowledge.targets.classes
        self.scores_: pd.DataFrame = score_frame(found)
        self.alternatives_: pd.DataFrame = alternative_frame(found)
        self.confidence_ = float("nan") if found.agreement is None else self._confidence(found)
        self.result_: Result | None = front_result(found)
        self._front = np.zeros(0, dtype=np.intp) if found.front is None else found.front
        self.objective_names_ = () if found.scoring is None else found.scoring.names
        self.pareto_front_ = (
            np.zeros((0, 0)) if found.candidates is None else found.candidates.values[self._front]
        )
        self.interrupted_ = found.interrupted
        if found.evolved is not None and found.control is not None:
            assert found.scalars is not None
            self.history_ = found.evolved.history
            self.control_labels_ = found.control.labels.astype(np.int32)
            self.control_score_ = found.scalars
        if found.random_control is not None:
            self.random_control_labels_ = found.random_control.labels.astype(np.int32)
        if knowledge.kind == "none" and self.confidence_ < LOW_CONFIDENCE:
            warnings.warn(
                f"the algorithm families agree on no partition (confidence_={self.confidence_:.2f}, below "
                f"{LOW_CONFIDENCE}): there may be no clusters to find, and their number means little.",
                UserWarning,
                stacklevel=4,
            )

    def _confidence(self, found: Findings) -> float:
        assert found.agreement is not None
        assert found.candidates is not None
        if found.candidates.pool.families[0] == TRIVIAL:
            return float("nan")
        # What evolved is not asked: it was made to agree.
        return float(found.agreement[: self._ground.pool.n_partitions].max())  # type: ignore[union-attr]

    def _take(self, answer: Answer) -> Self:
        self._answered = answer
        self.labels_: NDArray[np.int32] = answer.labels.astype(np.int32)
        self.n_clusters_ = len(np.unique(self.labels_))
        for name in ("predict_proba_", "cluster_classes_index_"):
            self.__dict__.pop(name, None)
        if answer.probabilities is not None:
            self.predict_proba_ = answer.probabilities
        if answer.classes_of_clusters is not None:
            self.cluster_classes_index_ = answer.classes_of_clusters
        return self

    def _probabilities(self, rows: Any) -> FloatArray:
        model = self._answered.model
        assert model is not None
        shares = inverse_square_shares(*self._ground.nearest(rows, N_NEAREST))
        return model.probabilities(weighted_means(model.scores, *shares))

    def _labels_of_candidates(self, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        if self._found.candidates is None:
            return np.zeros((0, self._ground.n_samples), dtype=np.int32)
        labels: NDArray[np.int32] = self._ground.of_samples(self._found.candidates.labels[rows])
        return labels
