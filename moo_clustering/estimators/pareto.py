"""ParetoClustering, ParetoBagClustering and what they share."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.result import Result
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import FloatArray, SeedLike, spawn_seeds
from moo_clustering.bags import Bags
from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators._base import (
    Rule,
    SemiSupervisedClusterMixin,
    check_rule,
    checkpoint_for,
    choose_member,
)
from moo_clustering.estimators._pareto_answer import (
    Answer,
    AnswerOptions,
    EvolutionOptions,
    Findings,
    Knowledge,
    class_of_clusters,
    find,
    take_knowledge,
    unsupervised,
)
from moo_clustering.estimators._pareto_ground import (
    N_NEAREST,
    TRIVIAL,
    FeatureScaling,
    Ground,
    PoolOptions,
    distance_ground,
    ground_of_bags,
    inverse_square_shares,
    table_ground,
    weighted_means,
)
from moo_clustering.estimators.bags_base import holds_bags, read_bags
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool
from moo_clustering.problems import PartitionProblem

_SHARED = (
    "n_clusters",
    "k_range",
    "n_neighbors",
    "criterion_weight",
    "method",
    "novel",
    "clamp",
    "merge_same_class",
    "class_prior",
    "pairs",
    "n_gen",
    "pop_size",
    "engine",
    "extra_candidates",
    "random_state",
    "n_jobs",
    "verbose",
    "checkpoint",
    "checkpoint_every",
    "resume",
)
# Below this agreement partitions seldom had much to do with known classes.
LOW_CONFIDENCE = 0.6
_COUNT = Interval(Integral, 1, None, closed="left")


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


class ParetoClustering(ParetoPoolClusterer):
    """Pareto pool of cheap partitions, chosen from or combined by what algorithm families agree on.

    Eight families of clusterers with different biases make partitions over a range of numbers of clusters.
    Partitions that other families also find, and that follow a neighbour graph, are good. Without further
    knowledge the best is the result or, with ``n_clusters``, the consensus of those with about so many
    clusters. Labels of a few samples weigh the partitions, which all together are then a kernel that gives
    classes to the others; must-links and cannot-links weigh them too, and are spread over the samples.

    Parameters
    ----------
    n_clusters : int or None, default=None
        None: as many as the best partition has. Not used where ``y`` has labels of every class.
    families : "auto" or sequence of str, default="auto"
        Those of the pool, see :func:`~moo_clustering.pool.candidate_pool`.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters in the pool: up to 40, and no more than the root of the samples.
    scale : {"standard", "isotropic", "none"}, default="standard"
        Every feature to mean 0 and standard deviation 1; all features by one factor (coordinates, pixels);
        or as they are. Constant features are left out. Sparse data of more than ``n_components`` features
        are reduced by a truncated SVD to rows of unit length instead.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"``: X are distances, shape (n_samples, n_samples).
    n_neighbors : int, default=10
        Of the neighbour graph.
    criterion : {"auto", "modularity", "minimax"}, default="auto"
        What is added to agreement. ``"minimax"``: the mean agreement with all members, and the silhouette
        in minimax-path distances, which knows spirals and other thin shapes that few families see.
        ``"modularity"``: that of the neighbour graph. ``"auto"``: minimax where nothing is known, not even
        the number of clusters, and there are features; modularity else. Over 40 sets with known classes
        and three seeds minimax reached an adjusted Rand index of .605, modularity .554, when nothing was
        known.
    criterion_weight : float, optional
        Of what is added, against agreement. Default: .7 for minimax, .25 for modularity.
    method : {"consensus", "select"}, default="consensus"
        With ``n_clusters`` and without labels: spectral clustering of the weighted co-association, or the
        best member with the nearest number of clusters.
    kernel : {"auto", "pool", "full", "bags"}, default="auto"
        With labels: co-association in the pool alone; with a graph and a linear kernel (for bags, two bag
        kernels) besides; ``"auto"``: besides from four labels per class on. ``"bags"``: the bag kernels
        alone, no pool.
    novel : {"none", "allow"}, default="none"
        Whether some clusters may be classes that no label has. They are where ``y`` has one class only.
    clamp : bool, default=True
        Labelled samples keep their class.
    merge_same_class : bool, default=False
        With ``novel="allow"``: clusters of the same class become one.
    class_prior : {"smoothed", "uniform"}, default="smoothed"
        Expected class shares: those of the labels, or equal ones (where labels were not drawn at random).
    pairs : {"hard", "soft"}, default="hard"
        Whether must-links are certain. Soft pairs may contradict each other.
    n_components : int, default=50
        Of sparse data.
    n_gen : int, default=0
        Generations of an evolution over the pool. Its two controls are computed as well: the pool alone, and
        the same evolution with survival at random.
    pop_size : int, default=48
        Of the evolution.
    engine : {"pymoo", "deap"}, default="pymoo"
        Of the evolution.
    n_landmarks : int, default=2000
        More samples than this are represented by so many means of near ones.
    views : mapping of str to transformer or columns, or None, default=None
        Further representations of X that the families are run on: objects with ``fit_transform``, or
        numbers of columns.
    extra_candidates : sequence or None, default=None
        Labels and clusterers of one's own, see :func:`~moo_clustering.pool.extra_partitions`: clusterers,
        ``(family, clusterer)`` or ``(family, labels)``. Of one with ``pareto_labels_`` the whole front
        counts. They see X as given, at landmarks its means.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int or None, default=None
        Of joblib, for the families of the pool. The result does not depend on it.
    verbose : bool, default=False
        Show the progress of the evolution.
    checkpoint : path or None, default=None
        File from which an interrupted evolution goes on; needs an integer ``random_state``.
    checkpoint_every : int, default=10
    resume : bool, default=False
        Go on from ``checkpoint`` if it is there.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters; after a fit with labels of every class positions in ``classes_``.
    n_clusters_ : int
    pool_ : PartitionPool or None
        Partitions of the samples, or of the landmarks; None with ``kernel="bags"``.
    scores_ : DataFrame
        Family, number of clusters, agreement, objectives and score of every member of the pool (and of
        what evolved).
        With labels or pairs ``total``: their evidence and 20 times the score.
    confidence_ : float
        Greatest agreement of the families with a member of the pool. On 40 sets with known classes its rank
        correlation with the adjusted Rand index reached was .72: below .62 half of the sets had .1 at most
        (spirals 1), from .62 to .9 they had .21 to .85, above .9 .39 to 1, half of them .94 and more. It
        does not say that the number of clusters is that of the classes. NaN where there was nothing to
        choose from.
    alternatives_ : DataFrame
        A few members of high score, each unlike the result and each other (adjusted Rand index up to .8).
    alternative_labels_ : ndarray of shape (n_alternatives, n_samples)
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Natural sign, all to be maximised.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples)
    objective_names_ : tuple of str
    result_ : pymoo Result
        The front, objectives minimised; None with ``kernel="bags"``.
    graph_ : csr_array
        Neighbour graph of samples or landmarks.
    landmark_of_ : ndarray of shape (n_samples,) or None
    n_landmarks_ : int or None
    classes_ : ndarray of shape (n_classes,)
        After a fit with labels.
    transduction_ : ndarray of shape (n_samples,)
        After a fit with labels: classes of all samples, None in new classes.
    predict_proba_ : ndarray of shape (n_samples, n_classes)
        After a fit with labels of every class.
    cluster_classes_index_ : ndarray of shape (n_clusters,)
        With ``novel="allow"``, and of other partitions taken after a fit with labels: position in
        ``classes_`` of the class of every cluster, -1 for new ones.
    control_labels_, random_control_labels_ : ndarray of shape (n_samples,)
        With ``n_gen > 0``: results of the pool alone, and with random survival; the second only if the
        evolution was not interrupted.
    control_score_ : dict of str to float
        With ``n_gen > 0``: the greatest score of ``"result"``, ``"control"`` and ``"random_control"``; with
        labels or pairs the evidence and 20 times the score.
    history_ : Recorder
        With ``n_gen > 0``: objectives of every generation.
    interrupted_ : bool

    Notes
    -----
    Memory O(m^2), time O(m^3) with m = min(n_samples, n_landmarks), and O(n_samples m n_features) for
    landmarks; given distances and bags have no landmarks. Evolution improved its objectives on all of the
    sets it was tried on, but not the agreement with classes: see the controls.

    References
    ----------
    Pool: k-means++, Ward, spectral clustering (Ng, Jordan and Weiss 2001; self-tuning as Zelnik-Manor and
    Perona 2004), Genie (Gagolewski et al. 2016), HDBSCAN (Campello et al. 2013), Gaussian mixtures. Pairs:
    Lu and Ip 2010. The rest is this package's own.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> ParetoClustering(scale="isotropic", random_state=0).fit(X).n_clusters_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [_COUNT, None],
        "families": [StrOptions({"auto"}), list, tuple],
        "k_range": [StrOptions({"auto"}), list, tuple, range, np.ndarray],
        "scale": [StrOptions({"standard", "isotropic", "none"})],
        "metric": [StrOptions({"euclidean", "precomputed"})],
        "n_neighbors": [_COUNT],
        "criterion": [StrOptions({"auto", "modularity", "minimax"})],
        "criterion_weight": [Interval(Real, 0, None, closed="left"), None],
        "method": [StrOptions({"consensus", "select"})],
        "kernel": [StrOptions({"auto", "pool", "full", "bags"})],
        "novel": [StrOptions({"none", "allow"})],
        "clamp": ["boolean"],
        "merge_same_class": ["boolean"],
        "class_prior": [StrOptions({"smoothed", "uniform"})],
        "pairs": [StrOptions({"hard", "soft"})],
        "n_components": [_COUNT],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "engine": [StrOptions({"pymoo", "deap"})],
        "n_landmarks": [Interval(Integral, 10, None, closed="left")],
        "views": [Mapping, None],
        "extra_candidates": [list, tuple, None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [_COUNT],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        families: Literal["auto"] | Sequence[str] = "auto",
        k_range: Literal["auto"] | Sequence[int] = "auto",
        scale: Literal["standard", "isotropic", "none"] = "standard",
        metric: Literal["euclidean", "precomputed"] = "euclidean",
        n_neighbors: int = 10,
        criterion: Literal["auto", "modularity", "minimax"] = "auto",
        criterion_weight: float | None = None,
        method: Literal["consensus", "select"] = "consensus",
        kernel: Literal["auto", "pool", "full", "bags"] = "auto",
        novel: Literal["none", "allow"] = "none",
        clamp: bool = True,
        merge_same_class: bool = False,
        class_prior: Literal["smoothed", "uniform"] = "smoothed",
        pairs: Literal["hard", "soft"] = "hard",
        n_components: int = 50,
        n_gen: int = 0,
        pop_size: int = 48,
        engine: Literal["pymoo", "deap"] = "pymoo",
        n_landmarks: int = 2000,
        views: Mapping[str, Any] | None = None,
        extra_candidates: Sequence[Any] | None = None,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.families = families
        self.k_range = k_range
        self.scale = scale
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.criterion_weight = criterion_weight
        self.method = method
        self.kernel = kernel
        self.novel = novel
        self.clamp = clamp
        self.merge_same_class = merge_same_class
        self.class_prior = class_prior
        self.pairs = pairs
        self.n_components = n_components
        self.n_gen = n_gen
        self.pop_size = pop_size
        self.engine = engine
        self.n_landmarks = n_landmarks
        self.views = views
        self.extra_candidates = extra_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Bags
            Or (n_samples, n_samples) distances with ``metric="precomputed"``.
        y : array-like of shape (n_samples,), optional
            Classes of some samples, -1 for unlabelled ones (also in an object array of names).
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together. Beside ``y``, labels pass along
            must-links, and all pairs count as evidence.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other, or hard pairs do.

        Warns
        -----
        UserWarning
            Families that failed; an agreement below .6; labels of one class only; fewer distinct rows than
            clusters.
        """
        data = self._read(X, reset=True)
        n_samples = data.n_bags if isinstance(data, Bags) else data.shape[0]
        knowledge = self._take_knowledge(n_samples, y, must_link, cannot_link)
        self._check_knowledge(knowledge, n_samples)
        self._check_data(data)
        if self.checkpoint is not None or self.resume:
            checkpoint_for(self._without_data())
        *self._seeds, ground_seed = spawn_seeds(self.random_state, 4)
        needs_pool = self.kernel != "bags" or knowledge.kind != "labels"
        self._ground = self._ground_of(data, needs_pool, ground_seed)
        return self._find(knowledge, y, must_link, cannot_link)

    def _read(self, X: Any, *, reset: bool) -> Any:
        if holds_bags(X):
            return read_bags(self, X, None, None, reset=reset)
        return validate_data(
            self, X, dtype=np.float64, accept_sparse="csr", reset=reset, ensure_min_samples=2 if reset else 1
        )

    def _rows_of(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._read(X, reset=False)

    def _check_data(self, data: Any) -> None:
        bags, given = isinstance(data, Bags), self.metric == "precomputed"
        if self.kernel == "bags" and not bags:
            raise ValueError('kernel="bags" needs bags of instances, got a table of samples.')
        if given and (bags or sp.issparse(data)):
            raise ValueError('metric="precomputed" needs a dense square matrix of distances.')
        if self.criterion == "minimax" and (given or bags):
            raise ValueError('criterion="minimax" needs features; it is not offered for distances and bags.')
        if self.views and (given or bags):
            raise ValueError("views need a table of features; they are not offered for distances and bags.")
        m, k = self.n_landmarks, self.n_clusters or 1
        if not bags and not given and k > m < data.shape[0]:
            raise ValueError(
                f"n_clusters={k} is more than n_landmarks={m}, which stand for the {data.shape[0]} samples; "
                "raise n_landmarks."
            )

    def _ground_of(self, data: Any, needs_pool: bool, seed: np.random.SeedSequence) -> Ground:
        options = PoolOptions(self.families, self.k_range, self.n_clusters, self.n_neighbors, self.n_jobs)
        if isinstance(data, Bags):
            return ground_of_bags(data, options, self.extra_candidates, seed, needs_pool=needs_pool)
        reduction, *seeds = seed.spawn(5)
        if self.metric == "precomputed":
            return distance_ground(_checked_distances(data), options, self.extra_candidates, seeds)
        return table_ground(
            data,
            FeatureScaling.of(
                data,
                self.scale,
                n_components=self.n_components,
                seed=int(reduction.generate_state(1)[0] >> 1),
            ),
            options,
            n_landmarks=self.n_landmarks,
            scale=self.scale,
            n_components=self.n_components,
            views=self.views,
            extra=self.extra_candidates,
            seeds=seeds,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


class ParetoBagClustering(ParetoPoolClusterer):
    """:class:`ParetoClustering` of bags of instances.

    The pool is made in several views: four distances between bags and four tables of them. A family is an
    algorithm in a view, since the view matters more than the algorithm. With labels, co-association in the
    pool and two kernels of bags give classes to the others; the kernels alone (``kernel="bags"``) come
    within .01 of that, at a hundredth of the cost.

    Parameters
    ----------
    n_clusters : int or None, default=None
    distances : sequence of {"symmetric", "average", "energy", "sliced"}, default=all four
        Distances between bags: symmetric Hausdorff, mean of nearest instances, energy (mean map), and
        quantiles of random projections.
    embeddings : sequence of {"mean", "stats", "stats_pca", "prototypes"}, default=all four
        Tables of bags: mean of the instances; mean, minimum and maximum; main components of these;
        symmetric Hausdorff distances to all bags.
    kernel : {"pool+bags", "bags", "pool"}, default="pool+bags"
        With labels.
    normalize : bool, default=True
        Bring every feature to 0..1 over all instances.
    max_instances : int or None, default=None
        Of larger bags so many instances are drawn.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters in the pool: up to 40, and no more than the root of the bags.
    n_neighbors : int, default=10
        Of the neighbour graph.
    criterion_weight : float, optional
        Of graph modularity against agreement in the score; .25 by default.
    method : {"consensus", "select"}, default="consensus"
        With ``n_clusters`` and without labels; this and all that follow as for :class:`ParetoClustering`.
    novel : {"none", "allow"}, default="none"
        Whether some clusters may be classes that no label has.
    clamp : bool, default=True
        Labelled bags keep their class.
    merge_same_class : bool, default=False
        With ``novel="allow"``: clusters of the same class become one.
    class_prior : {"smoothed", "uniform"}, default="smoothed"
        Expected class shares.
    pairs : {"hard", "soft"}, default="hard"
        Whether must-links are certain.
    n_gen : int, default=0
        Generations of an evolution over the pool.
    pop_size : int, default=48
        Of the evolution.
    engine : {"pymoo", "deap"}, default="pymoo"
        Of the evolution.
    extra_candidates : sequence or None, default=None
        Labels and clusterers of one's own; clusterers of tables see the means of the bags.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int or None, default=None
    verbose : bool, default=False
    checkpoint : path or None, default=None
    checkpoint_every : int, default=10
    resume : bool, default=False

    Attributes
    ----------
    labels_ : ndarray of shape (n_bags,), int32
    pool_, scores_, confidence_, alternatives_, pareto_front_, ...
        As of :class:`ParetoClustering`.

    Notes
    -----
    O(n_instances^2 n_features) time for the distances, O(n_bags^2) memory, O(n_bags^3) time for the pool.
    Without labels the consensus of two clusters was the best of all methods on nine sets on average, and
    still had an adjusted Rand index of .12 only: classes of bags are hardly clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import ParetoBagClustering
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(4 * (i % 2), 1, size=(5, 2)) for i in range(24)]
    >>> labels = ParetoBagClustering(2, random_state=0).fit_predict(bags)
    >>> labels[:6].tolist()
    [0, 1, 0, 1, 0, 1]
    """

    # Neighbour paths need features.
    criterion = "modularity"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: ParetoClustering._parameter_constraints[name] for name in _SHARED},
        "distances": [list, tuple],
        "embeddings": [list, tuple],
        "kernel": [StrOptions({"pool+bags", "bags", "pool"})],
        "normalize": ["boolean"],
        "max_instances": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
        embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
        kernel: Literal["pool+bags", "bags", "pool"] = "pool+bags",
        normalize: bool = True,
        max_instances: int | None = None,
        k_range: Literal["auto"] | Sequence[int] = "auto",
        n_neighbors: int = 10,
        criterion_weight: float | None = None,
        method: Literal["consensus", "select"] = "consensus",
        novel: Literal["none", "allow"] = "none",
        clamp: bool = True,
        merge_same_class: bool = False,
        class_prior: Literal["smoothed", "uniform"] = "smoothed",
        pairs: Literal["hard", "soft"] = "hard",
        n_gen: int = 0,
        pop_size: int = 48,
        engine: Literal["pymoo", "deap"] = "pymoo",
        extra_candidates: Sequence[Any] | None = None,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.distances = distances
        self.embeddings = embeddings
        self.kernel = kernel
        self.normalize = normalize
        self.max_instances = max_instances
        self.k_range = k_range
        self.n_neighbors = n_neighbors
        self.criterion_weight = criterion_weight
        self.method = method
        self.novel = novel
        self.clamp = clamp
        self.merge_same_class = merge_same_class
        self.class_prior = class_prior
        self.pairs = pairs
        self.n_gen = n_gen
        self.pop_size = pop_size
        self.engine = engine
        self.extra_candidates = extra_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Self:
        """Cluster the bags.

        Parameters
        ----------
        X : Bags, list of arrays, 3-d array, or instances with ``groups`` or ``offsets``
            As :func:`moo_clustering.bags.as_bags` takes it.
        y, must_link, cannot_link
            As for :class:`ParetoClustering`, one class a bag and numbers of bags.
        groups, offsets : array-like, optional
            Bag of every instance, or where bags begin.

        Raises
        ------
        ValueError
            Parameters, bags, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other, or hard pairs do.
        """
        bags = read_bags(self, X, groups, offsets, reset=True)
        knowledge = self._take_knowledge(bags.n_bags, y, must_link, cannot_link)
        self._check_knowledge(knowledge, bags.n_bags)
        if self.checkpoint is not None or self.resume:
            checkpoint_for(self._without_data())
        *self._seeds, seed = spawn_seeds(self.random_state, 4)
        options = PoolOptions("auto", self.k_range, self.n_clusters, self.n_neighbors, self.n_jobs)
        self._ground = ground_of_bags(
            bags,
            options,
            self.extra_candidates,
            seed,
            needs_pool=self.kernel != "bags" or knowledge.kind != "labels",
            distances=tuple(self.distances),
            embeddings=tuple(self.embeddings),
            normalize=self.normalize,
            max_instances=self.max_instances,
        )
        return self._find(knowledge, y, must_link, cannot_link)

    def _rows_of(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_bags(self, X, None, None, reset=False)


def score_frame(found: Findings) -> pd.DataFrame:
    """A row for every candidate: family, number of clusters, agreement, objectives, score."""
    candidates = found.candidates
    if candidates is None or found.scoring is None:
        return pd.DataFrame({"family": [], "n_clusters": [], "score": []})
    frame = pd.DataFrame({"family": candidates.pool.families, "n_clusters": candidates.pool.n_clusters})
    frame["agreement"] = found.agreement
    for name, values in zip(found.scoring.names, candidates.values.T, strict=True):
        frame[name] = values
    frame["score"] = candidates.score
    if len(found.scoring.names) > 2:
        frame["total"] = candidates.scalar
    return frame


def alternative_frame(found: Findings) -> pd.DataFrame:
    """Rows of :func:`score_frame` of the alternatives, and how like the result each is."""
    rows = np.zeros(0, dtype=np.intp) if found.alternatives is None else found.alternatives
    frame = score_frame(found).iloc[rows].reset_index(drop=True)
    frame["ari_to_labels"] = np.zeros(0) if found.alternative_ari is None else found.alternative_ari
    return frame


def front_result(found: Findings) -> Result | None:
    """The front as pymoo's algorithms return it, objectives minimised; None without candidates."""
    candidates = found.candidates
    if candidates is None or found.scoring is None or found.front is None:
        return None
    if found.evolved is not None and found.evolved.result is not None:
        problem = found.evolved.result.problem
    else:
        m = candidates.labels.shape[1]
        k_max = int(candidates.pool.n_clusters.max())
        problem = PartitionProblem(None, LabelEncoding(m, k_max), list(found.scoring.indices))
    labels, values = candidates.labels[found.front], candidates.values[found.front]
    front = _population(labels, -values)
    result = Result()
    result.problem, result.X, result.F = problem, labels, -values
    result.pop, result.opt, result.success = front, front, True
    return result


def _population(X: NDArray[np.int32], F: NDArray[np.float64]) -> Population:
    population = Population.new(X=X, F=F, CV=np.zeros((len(X), 1)))
    population.apply(lambda individual: individual.evaluated.update({"F", "CV"}))
    return population


def _checked_distances(D: NDArray[np.float64]) -> NDArray[np.float64]:
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f'metric="precomputed" needs a square matrix of distances, got shape {D.shape}.')
    if D.min() < 0:
        raise ValueError(f"distances must not be negative, got {D.min():g}.")
    if not np.allclose(D, D.T, rtol=1e-9, atol=1e-12 * D.max()):
        raise ValueError("distances must be symmetric.")
    return np.maximum(D, D.T)
