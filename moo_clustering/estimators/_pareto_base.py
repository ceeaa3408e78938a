"""Base class for clusterers that select a partition from a pool, or combine its partitions.

A fit builds a pool (``_pareto_pool``), optionally evolves it (``_pareto_evolution``), and selects a result
from it (``_pareto_selection``). ``relabel`` repeats the last two steps, ``choose`` only the last step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import KW_ONLY, replace
from functools import partial
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import integer_seed, number_clusters, quoted, spawn_seeds, warn_caller
from moo_clustering._docs import documented
from moo_clustering._messages import Advice
from moo_clustering._types import BoolArray, FloatArray, IntArray, IntpArray, Labels
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.bags import Bags
from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators import _base, _options
from moo_clustering.estimators import _pareto_confidence as verdicts
from moo_clustering.estimators import _pareto_selection as selection
from moo_clustering.estimators._fronts import ControlsMixin, FrontMixin
from moo_clustering.estimators._pareto_evolution import EvolvedPartitions, evolve_with_controls
from moo_clustering.estimators._pareto_pool import PooledSamples, pooled_bags
from moo_clustering.evidence import best_member
from moo_clustering.interactive import AnswerSession, QuestionPool
from moo_clustering.operators import start_genes
from moo_clustering.parts import lazy_labels
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool
from moo_clustering.problems import PartitionProblem
from moo_clustering.problems.partition import evaluated_population, pymoo_result
from moo_clustering.results import carried_names

Numbers = Annotated[Literal["auto"] | Sequence[int], StrOptions({"auto"}), list, tuple, range, np.ndarray]
_LABELS_OF_ALL = "a fit with labels of every class and without new classes: fit(X, y) with novel='none'"


@_options.estimator
class ParetoPoolClusterer(
    verdicts.PoolReportMixin,
    ControlsMixin,
    FrontMixin,
    _base.SemiSupervisedClusterMixin,
    _options.SearchOptions,
    BaseEstimator,
):
    """Base class of clusterers that select a partition from a pool, or combine its partitions.

    Parameters
    ----------
    n_clusters : int, or (int, int)
        Number of clusters, or its minimum and maximum. Default: the number of clusters in the best partition.
        Ignored if ``y`` has labels of every class.
    granularity : {"few", "some", "many"}
        Alternative to ``n_clusters``: restricts the number of clusters to the lower, middle or upper third
        (on a logarithmic scale) of the range in the pool.
    k_range : "auto" or iterable of int
        Numbers of clusters in the pool, excluding ``rare_groups_``. ``"auto"``: up to the minimum of 40 and
        max(6, ceil(sqrt(n_samples))). If a fit without labels, pairs or ``n_clusters`` selects a number near
        this limit, the limit is doubled repeatedly, up to n_samples / 5. If ``n_clusters`` is larger than all
        these numbers, it is added to them.
    n_neighbors : int
        Number of neighbours per sample in the neighbour graph.
    min_cluster_size : int, optional
        Minimum cluster size of the selected partition. Ignored if ``n_clusters`` is an integer, or if there
        are labels and ``novel`` is not ``"auto"``. Default: 1% of n_samples, but at least 2 and at most 10.
    criterion_weight : float, optional
        Weight of the criterion relative to the agreement between algorithm families. Default: .7 (minimax),
        1 (mixture), .25 (modularity), 2 (directions).
    method : {"consensus", "select"}
        Used with ``n_clusters`` but no labels. ``"consensus"``: spectral clustering of the weighted
        co-association matrix. ``"select"``: the best partition with the closest number of clusters.
    novel : {"auto", "none", "allow"}
        Whether clusters without labels are new classes. ``"allow"``: always. ``"none"``: if ``y`` has a
        single class. ``"auto"``: if ``y`` has a single class or if the labels suggest new classes (see
        Notes).
    clamp : bool
        Whether labelled samples always keep their class.
    merge_same_class : bool
        Whether to merge clusters of the same class if ``novel="allow"``.
    class_prior : {"uniform", "smoothed"}
        Expected class shares: equal, or estimated from the labels (unreliable for few labels).
    pairs : {"hard", "soft"}
        ``"hard"``: must-links are certain. ``"soft"``: they are not, and pairs may contradict each other.
    n_gen, pop_size : int
        Number of generations for which the pool is evolved, and size of the population. The fit also computes
        two controls: the result without evolution, and the result of the same evolution with random survival.
    extra_candidates : sequence
        Sources of additional partitions: clusterers, ``(family, clusterer)`` or ``(family, labels)``. See
        :func:`~moo_clustering.pool.extra_partitions`. Clusterers are fitted to X, to landmarks or to bag
        means. Clusterers with ``pareto_labels_`` contribute their entire front.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each sample, -1 for noise. Clusters are numbered by first appearance or, after a fit with
        labels of every class, in the order of ``classes_``, followed by new classes.
    n_clusters_ : int
        Number of clusters, excluding noise.
    pool_ : PartitionPool or None
        Partitions of the samples or the landmarks. None with ``kernel="bags"``.
    scores_ : DataFrame
        Family, number of clusters, agreement, objectives and score of each partition, including evolved
        ones. With labels or pairs, also ``total``: the evidence from labels or pairs plus 20 times the score.
    confidence_ : float
        Expected adjusted Rand index between ``labels_`` and the classes that a user would recognise; see
        Notes. NaN if there is only one candidate or if ``kernel="bags"``.
    confidence_interval_ : ndarray of shape (2,)
        Interval for the adjusted Rand index. About 80% of such intervals contained the index in data sets
        that were not used for calibration. NaN if ``confidence_`` is NaN.
    structure_p_value_ : float
        p-value of a test that compares Ward's clustering of the data with Ward's clustering of reference
        data. The reference data have the same size and a similar distribution, but unimodal components. At
        least .001. NaN for bags.
    verdict_ : {"clear", "several good answers", "no structure beyond noise", "not known"}
        Summary of ``confidence_``, ``structure_p_value_`` and ``alternatives_``; see Notes.
    verdict_remarks_ : tuple of str
        Reasons for the verdict, and reservations about the verdict.
    alternatives_ : DataFrame
        Up to four high-scoring partitions that differ from the result and from each other (adjusted Rand
        index of at most .8), with sizes, confidence, families, and a description of the difference.
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Objectives with their original signs. All are maximised.
    scoring_ : object or None
        Object that computes objectives (``values``) and scores (``score``). None without a pool.
    graph_ : csr_array
        Neighbour graph of the samples or landmarks.
    n_landmarks_ : int or None
        Number of landmarks. None without landmarks.
    classes_ : ndarray of shape (n_classes,)
        Classes of ``y``, after a fit with labels.
    cluster_classes_index_ : ndarray of shape (n_clusters,)
        Position of each cluster's class in ``classes_``, -1 if new. Set only if clusters and classes differ.
    control_labels_, random_control_labels_ : ndarray of shape (n_samples,)
        Results without evolution and, unless interrupted, with random survival. Set if ``n_gen > 0``.
    control_score_ : dict of str to float
        Best ``total`` or score of ``"result"``, ``"control"`` and ``"random_control"``. Set if ``n_gen > 0``.
    history_ : Recorder
        Objectives of each generation. Set if ``n_gen > 0``.
    """

    n_clusters: Annotated[
        int | tuple[int, int] | None, Interval(Integral, 1, None, closed="left"), tuple, list, None
    ] = None
    _: KW_ONLY
    granularity: Literal["few", "some", "many"] | None = None
    k_range: Numbers = "auto"
    n_neighbors: _options.Count = 10
    min_cluster_size: _options.Count | None = None
    criterion_weight: _options.NonNegative | None = None
    method: Literal["consensus", "select"] = "consensus"
    novel: Literal["auto", "none", "allow"] = "auto"
    clamp: bool = True
    merge_same_class: bool = False
    class_prior: Literal["uniform", "smoothed"] = "uniform"
    pairs: Literal["hard", "soft"] = "hard"
    n_gen: _options.NonNegativeCount = 0
    pop_size: _options.PopulationSize = 48
    engine: Literal["pymoo", "deap"] = "pymoo"
    extra_candidates: Annotated[Sequence[Any] | None, list, tuple, None] = None

    def relabel(
        self,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        n_clusters: int | tuple[int, int] | Literal["same"] | None = "same",
    ) -> Self:
        """Select a new result from the existing pool, using new labels, pairs or numbers of clusters.

        Reusing the pool saves most of the time of a fit. With ``n_gen > 0``, the evolution runs again. New
        labels and pairs replace all previous ones. ``n_clusters="same"`` leaves the parameter unchanged.
        """
        check_is_fitted(self)
        before, samples = self.n_clusters, self._samples
        try:
            if n_clusters != "same":
                self.set_params(n_clusters=n_clusters)
                self._validate_params()
            if samples.counts is None:
                side = self._read_side_information(samples.n_samples, y, must_link, cannot_link)
            else:
                side = cast(Any, self)._read_known_rows(y, must_link, cannot_link)
            if samples.landmark_of is not None and (self._number or 1) > samples.n_points:
                raise ValueError(
                    f"n_clusters={self.n_clusters} must not exceed the number of landmarks, "
                    f"{samples.n_points}; fit again with a larger n_landmarks"
                )
            complete(self._select(side, y, must_link, cannot_link))
        except BaseException:
            # After an error or Ctrl-C, the previous fit must be unchanged.
            self.set_params(n_clusters=before)
            self._samples = samples
            raise
        return self

    def _with_n_clusters(self, n_clusters: Any) -> Self:
        if self._side_information.kind != "none":
            raise ValueError(
                Advice(
                    "n_clusters requires a fit without labels and pairs; ",
                    "pass n_clusters, labels and pairs to relabel.",
                    "fit again with -k",
                )
            )
        other = copy(self).set_params(granularity=None, checkpoint=None, resume=False)
        return super(ParetoPoolClusterer, other)._with_n_clusters(n_clusters)

    @documented(AnswerSession)
    def ask(
        self,
        mode: Literal["pairs", "names"] = "pairs",
        *,
        error_rate: float | Literal["auto"] = 0.03,
        random_state: int | None = None,
        path: str | PathLike[str] | None = None,
        resume: str | PathLike[str] | None = None,
        data: Any = None,
    ) -> AnswerSession:
        """Start a session that asks whether samples belong together. Each answer updates the partition.

        The session selects from the pool and does not compute new partitions. Only :meth:`take` changes the
        fit. Raises a ValueError after fits with labels or pairs and after fits without a pool. Raises a
        SessionFileError if the file cannot be read or belongs to another fit.

        Parameters
        ----------
        random_state : int, optional
            Seed for selecting the samples to ask about. Default: the seed of the fit, if it is an integer.
        resume : path, optional
            File of an earlier session of this fit. The other options are also read from this file.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from moo_clustering import ParetoClustering
        >>> X, classes = load_wine(return_X_y=True)
        >>> model = ParetoClustering(random_state=0).fit(X)
        >>> course = model.ask().simulate(classes, 30)
        >>> bool(course["ari"].iloc[30] > 0.9)
        True
        """
        base = self._question_pool()
        if resume is not None:
            return AnswerSession.resume(base, resume, data=data)
        if random_state is None:
            seed = self.random_state
            random_state = int(seed) if isinstance(seed, Integral) else integer_seed(np.random.SeedSequence())
        return AnswerSession(
            base, mode=mode, error_rate=error_rate, random_state=random_state, path=path, data=data
        )

    def _question_pool(self) -> QuestionPool:
        check_is_fitted(self)
        samples, candidates = self._samples, self._candidates
        if samples.counts is not None:
            raise ValueError(
                "ask requires rows in memory; fit a sample, or pass known rows of a partitioned table to "
                "relabel as {row index: class} or as pairs"
            )
        if candidates is None or self._side_information.kind != "none":
            raise ValueError(
                "questions require a fit without labels and pairs; call relabel() first, and then pass known "
                'pairs with session.answer("together", samples=(i, j))'
            )
        start = self._solutions.get("fit", self._solutions["auto"]).labels
        labels = number_clusters(samples.per_point(start))[0]
        nearest = None if samples.landmark_of is None else partial(getattr, samples, "nearest_landmarks")
        return QuestionPool(
            candidates.pool, candidates.score, labels, partial(getattr, samples, "similarity"),
            features=samples.features, landmark_of=samples.landmark_of,
            sample_features=samples.sample_features, nearest=nearest,
        )  # fmt: skip

    def take(self, session: AnswerSession) -> Self:
        """Set the result to the partition found in a session of this fit. ``choose("fit")`` undoes this.

        Class names in the session become cluster names, as if set by :meth:`rename`. ``predict`` also uses
        the session's ``labels_``. Raises a ValueError if the session belongs to another fit.
        """
        check_is_fitted(self)
        if not isinstance(session, AnswerSession):
            raise ValueError(f"session must be a session returned by ask(), got {session!r:.40}")
        if self._candidates is None or not session.is_about(
            self._candidates.labels, self._samples.landmark_of
        ):
            raise ValueError(
                "the session belongs to another fit; pass a session that ask() returned for this fit"
            )
        answered = np.array([entry != -1 for entry in session.partial_labels().tolist()])
        answered[np.concatenate(session.pairs()).ravel()] = True
        taken = selection.Solution(session.labels_.copy(), known=answered)
        self._solutions = {"fit": self._solutions["auto"], **self._solutions, "auto": taken}
        self._take(taken)
        if names := {k: name for k, name in enumerate(session.groups_["name"].fillna("")) if name}:
            self._cluster_names = carried_names(session.labels_, self.labels_, names)
        return self

    @property
    def rules_(self) -> tuple[str, ...]:
        check_is_fitted(self)
        if self._candidates is None:
            return ("auto",)
        merged = () if self._number is None else ("consensus",)
        levels = self._candidates.granularities if self._side_information.kind != "labels" else {}
        members = (f"alternative-{i}" for i in range(len(self._alternatives)))
        controls = (name for name in self._solutions if name != "auto")
        return ("auto", "select", *merged, *levels, "knee", *self.objective_names_, *members, *controls)

    def choose(self, rule: _base.Rule) -> Self:
        """Select another partition of the pool. Only ``"consensus"`` computes a new partition.

        Raises a ValueError if the rule is unknown, or for ``"consensus"`` without ``n_clusters``.

        Parameters
        ----------
        rule : str, int or callable
            A name in ``rules_`` (an objective, ``"knee"`` or a name from the Notes), a row of
            ``pareto_front_``, or a function ``rule(pareto_front_) -> row``.

        Notes
        -----
        ``"auto"`` is the result of the fit. After :meth:`take`, ``"auto"`` is the result of the session, and
        ``"fit"`` is the result of the fit. ``"select"`` is the partition with the highest score.
        ``"consensus"`` combines partitions. ``"few"``, ``"some"`` and ``"many"`` are the best partitions of
        these granularities. ``"alternative-0"`` is the first row of ``alternatives_``. ``"control"`` is the
        result without evolution, and ``"random-control"`` the result with random survival.
        """
        check_is_fitted(self)
        if rule == "consensus" and self._number is None:
            raise ValueError('choose("consensus") requires n_clusters; set it with relabel(n_clusters=...)')
        return super().choose(rule)

    @property
    def landmarks_(self) -> FloatArray | None:
        """Landmarks in feature units, shape (n_landmarks, n_features), or None without landmarks.

        The columns are the prepared features if ``fit`` prepared X, and the components if it reduced X.
        """
        check_is_fitted(self)
        points, scaling = self._samples.points_given, getattr(self._samples.nearest, "scaling", None)
        if self._samples.landmark_of is None or points is None or scaling is None:
            return None
        return scaling.inverse(points)

    @property
    def landmark_weights_(self) -> IntpArray | None:
        """Number of samples that each landmark represents, shape (n_landmarks,), or None."""
        check_is_fitted(self)
        return None if self._samples.landmark_of is None else self._samples.sizes.astype(np.intp)

    @property
    def landmark_of_(self) -> Any:
        """Index of each sample's landmark, shape (n_samples,), or None. Lazy for partitioned tables."""
        check_is_fitted(self)
        if self._samples.counts is None:
            return self._samples.landmark_of
        return cast(Any, self)._of_rows("landmarks")

    @property
    def outliers_(self) -> Any:
        """Mask of samples that are far from all others, shape (n_samples,). Lazy for partitioned tables.

        For distances and bags, there are no outliers. There are also none if more than 5% of the samples
        would be outliers. See the Notes of :class:`ParetoClustering`.
        """
        check_is_fitted(self)
        if self._samples.counts is None:
            return self._samples.far_samples
        return cast(Any, self)._of_rows("outliers") > 0

    def restore_samples(self, X: Any) -> Self:
        """Restore the training samples X (including samples from updates) in a model loaded from a pickle.

        Pickles of estimators fitted with landmarks do not contain the samples. ``relabel`` with labels,
        ``ask`` and ``update`` need the samples. ``predict``, ``choose``, and ``relabel`` without labels do
        not. Raises a ValueError if the number of rows, or the landmark of any row, differs from the fit.
        """
        check_is_fitted(self)
        samples = self._samples
        if samples.landmark_of is None or samples.transform is None or samples.counts is not None:
            return self
        rows = self._read(X, reset=False)
        if rows.shape[0] != samples.n_samples:
            fitted = f"the estimator was fitted on {samples.n_samples} samples"
            raise ValueError(f"X has {rows.shape[0]} rows, but {fitted}")
        points = samples.points_given
        assert points is not None
        unlike = points[samples.nearest(rows, 1)[0][:, 0]] != points[samples.landmark_of]
        other = np.flatnonzero(unlike.any(axis=1))
        if len(other):
            raise ValueError(
                f"row {other[0]} of X differs from row {other[0]} of the training data; pass the training "
                "samples in their original order"
            )
        self._samples = replace(samples, scaled=samples.transform(rows))
        return self

    def _take_by_rule(self, rule: str) -> None:
        if rule in self._solutions:
            self._take(self._solutions[rule])
            return
        candidates = self._candidates
        assert candidates is not None
        if rule in ("select", "consensus"):
            rng = np.random.default_rng(self._seeds[0])
            allowed = candidates.within(self._interval(candidates))
            self._take_points(selection.unsupervised_partition(allowed, self._number, rule, rng))
        elif rule in selection.GRANULARITIES:
            self._take_points(candidates.within(candidates.granularities[rule]).best(candidates.total))
        else:
            member = self._alternatives[int(rule.removeprefix("alternative-"))]
            self._take_points(candidates.labels[member])

    @property
    def _number(self) -> int | None:
        return None if isinstance(self.n_clusters, tuple | list) else self.n_clusters

    def _interval(self, candidates: selection.Candidates) -> tuple[int, int] | None:
        """Return the range of n_clusters set by ``granularity`` or by a pair ``n_clusters``, or None."""
        if self.granularity is None:
            ends = self.n_clusters
            return (int(ends[0]), int(ends[1])) if isinstance(ends, tuple | list) else None
        if self.granularity not in candidates.granularities:
            found = ", ".join(map(repr, candidates.granularities))
            raise ValueError(
                f"granularity must be one of {found} for this pool, got {quoted(self.granularity)}"
            )
        return candidates.granularities[self.granularity]

    def _check_number(self, n_samples: int) -> None:
        wanted: Any = self.n_clusters
        if wanted is not None and self.granularity is not None:
            raise ValueError("n_clusters and granularity are mutually exclusive; set one of them")
        if isinstance(wanted, tuple | list):
            integers = all(isinstance(end, Integral) and not isinstance(end, bool) for end in wanted)
            if len(wanted) != 2 or not integers or not 1 <= wanted[0] <= wanted[1]:
                raise ValueError(
                    "n_clusters must be a positive integer, or a pair of minimum and maximum such as (2, 5); "
                    f"got {quoted(wanted)}"
                )
            wanted = wanted[0]
        _base.check_n_clusters(int(wanted or 1), n_samples)

    def _take_member(self, row: int) -> None:
        assert self._candidates is not None
        self._take_points(self._candidates.labels[self._front[row]])

    def _greater_is_better(self) -> tuple[bool, ...]:
        return (True,) * len(self.objective_names_)

    def _take_points(self, labels: Labels) -> None:
        """Select a partition of the points. Each cluster gets the majority class of its labelled samples."""
        per_sample, classes = self._samples.per_sample(labels), None
        if self._side_information.targets is not None:
            classes = selection.class_of_clusters(per_sample, self._side_information.targets.indicators)
        self._take(selection.Solution(per_sample, cluster_classes=classes))

    def predict(self, X: Any) -> Labels:
        """Predict the most probable class or, after a fit without labels, the nearest sample's cluster.

        Training samples get their ``labels_``, with two exceptions: labelled samples that ``clamp`` retains
        in a less probable class, and equal samples that labels or pairs separate. With ``noise="label"``, new
        outliers are labelled -1. With ``metric="precomputed"``, X contains distances to the training samples,
        shape (n, n_samples). Takes O(n m n_features) time, where m is the number of training samples or
        landmarks.
        """
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        labels = self._nearest_clusters(rows)
        if self.noise == "label":
            labels[self._samples.outlying(rows) & self._has_inliers[labels]] = -1
        return labels

    def _nearest_clusters(self, rows: Any) -> Labels:
        """Predict clusters without labelling outliers as noise."""
        return self._solution.clusters(self._samples, rows)

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class probabilities, shape (n, n_classes), in the order of ``classes_``.

        Averages the class scores of the three nearest samples or landmarks, weighted by inverse squared
        distance, and combines them with the predictions of feature classifiers, if the fit uses such
        classifiers. Raises a ValueError unless the fit had labels of all classes.
        """
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        if self._solution.model is None:
            raise ValueError(f"predict_proba requires {_LABELS_OF_ALL}")
        return self._solution.model.of_rows(self._samples, rows)

    @property
    def result_(self) -> Result | None:
        """Front as a pymoo Result with minimised objectives, or None with ``kernel="bags"``."""
        check_is_fitted(self)
        found, problem = self._candidates, self._problem
        if found is None:
            return None
        labels, values = found.labels[self._front], found.values[self._front]
        if problem is None:
            encoding = LabelEncoding(labels.shape[1], int(found.pool.n_clusters.max()))
            problem = PartitionProblem(None, encoding, list(found.objectives.indices))
        pop = evaluated_population(X=labels, F=-values, CV=np.zeros((len(labels), 1)))
        return pymoo_result(problem, pop, pop)

    @property
    def pareto_labels_(self) -> Labels:
        """Partitions of the front, shape (n_solutions, n_samples), in the order of ``pareto_front_``."""
        check_is_fitted(self)
        return self._labels_of(self._front)

    @property
    def alternative_labels_(self) -> Labels:
        """Alternative partitions, shape (n_alternatives, n_samples), in the order of ``alternatives_``."""
        check_is_fitted(self)
        return self._labels_of(self._alternatives)

    def _labels_of(self, rows: IntpArray) -> Labels:
        if self._candidates is None:
            return np.zeros((0, self._samples.n_samples), dtype=np.int32)
        labels = self._with_noise(self._united(self._samples.per_sample(self._candidates.labels[rows])))
        for row in labels:
            # Renumber the clusters, except noise, by first appearance.
            found, number = row[self._row_order], np.full(row.max() + 2, -1, dtype=np.int32)
            former = number_clusters(found[found >= 0])[1]
            number[former] = np.arange(len(former))
            row[:] = number[row]
        return self._shown(labels)

    @property
    def _row_order(self) -> Any:
        """Indices that sort landmarks and known rows of a partitioned table by their first table row."""
        counts, known_rows = self._samples.counts, self._samples.known_rows
        if counts is None or known_rows is None:
            return slice(None)
        # If outliers are labelled as noise, landmarks are sorted by their first row that is not an outlier.
        noise = (self.noise == "label") & (counts.outliers < counts.rows)
        return np.argsort(np.append(np.where(noise, counts.inlier, counts.first), known_rows), kind="stable")

    def _shown(self, labels: Labels) -> Labels:
        """Return the labels of the landmarks after a fit to a partitioned table, otherwise all ``labels``."""
        return labels if self._samples.counts is None else labels[..., : self._samples.n_points]

    @property
    def _labels_of_samples(self) -> Labels:
        """Labels of the samples or, for partitioned tables, of landmarks and rows with labels or pairs."""
        return self.labels_ if self._samples.counts is None else self._marked

    @property
    def _result_labels(self) -> Labels:
        """Labels of the samples or, for partitioned tables, of the landmarks."""
        return self._shown(self._labels_of_samples)

    def _weighted(self, labels: Labels) -> tuple[Labels, IntpArray]:
        """Return labels and their weights.

        The weights of a label sum to the number of its samples or, for a partitioned table, of its rows.
        """
        labels, counts = self._shown(labels), self._samples.counts
        if counts is None:
            return labels, np.ones(len(labels), dtype=np.intp)
        # Clusters that contain only outliers are not noise.
        alone = np.bincount(labels + 1, counts.rows - counts.outliers)[labels + 1] == 0
        apart = np.where((self.noise == "label") & ~alone | (labels < 0), counts.outliers, 0)
        return np.append(labels, np.full(len(labels), -1)), np.append(counts.rows - apart, apart)

    def _united(self, labels: IntArray, known: BoolArray | None = None) -> Labels:
        """Assign identical samples to the same cluster, except samples with labels, pairs or answers."""
        equal, landmark_of = self._samples.equal_points, self._samples.landmark_of
        if landmark_of is not None:
            repeated = np.bincount(equal)[equal] > 1
            if not repeated.any():
                return labels.astype(np.int32)
            # After an update, identical samples of the first fit can have separate landmarks.
            single = len(equal) + np.arange(len(landmark_of))
            groups = np.where(repeated[landmark_of], equal[landmark_of], single)
            equal = np.unique(groups, return_inverse=True)[1].astype(np.int32)
        fixed = self._side_information.known(len(equal))
        return _base.united(labels, equal, np.flatnonzero(fixed if known is None else fixed | known))

    @property
    def _has_inliers(self) -> BoolArray:
        """Mask of the clusters with inliers. Only the outliers of these clusters can be labelled as noise."""
        labels = self._solution.labels
        return np.isin(np.arange(labels.max() + 1), labels[~self._samples.far_samples])

    def _partitions_of_points(self, labels: Labels) -> Labels:
        """Convert sample labels to point labels. A noise point gets the label of the most similar inlier."""
        of_points, far = self._samples.per_point(labels), self._samples.far
        if far is not None and far.any():
            near = np.flatnonzero(~far)
            nearest = near[self._samples.graph[far][:, near].argmax(axis=1)]
            of_points[:, far] = np.where(of_points[:, far] < 0, of_points[:, nearest], of_points[:, far])
        return of_points

    def _with_noise(self, labels: IntArray, known: BoolArray | None = None) -> Labels:
        """If ``noise="label"``, label outliers as -1, except for samples with labels, pairs or answers."""
        marked: Labels = labels.astype(np.int32)
        outliers = self._samples.far_samples
        if self.noise == "assign" or not outliers.any():
            return marked
        apart = outliers & ~self._side_information.known(len(outliers))
        marked[..., apart if known is None else apart & ~known] = -1
        # Clusters that contain only outliers are not noise.
        for row, whole in zip(np.atleast_2d(marked), np.atleast_2d(labels), strict=True):
            alone = ~np.isin(whole, whole[~outliers])
            row[alone] = whole[alone]
        return marked

    @property
    def predict_proba_(self) -> FloatArray:
        """Class probabilities, shape (n_samples, n_classes), after a fit with labels of every class.

        Raises an AttributeError if there may be new classes.
        """
        check_is_fitted(self)
        if (found := self._solution.probabilities) is None or self._samples.counts is not None:
            raise AttributeError(f"predict_proba_ requires {_LABELS_OF_ALL}")
        return found

    @property
    def transduction_(self) -> NDArray[Any]:
        """Class of each sample in the dtype of ``y``, shape (n_samples,), after a fit with labels.

        New classes and noise are -1 or, if classes are strings, "-1", which scikit-learn's scorers accept.
        """
        check_is_fitted(self)
        if not hasattr(self, "classes_"):
            raise AttributeError("transduction_ requires a fit with labels: fit(X, y)")
        labels = np.asarray(self.labels_)  # computes the lazy labels of a partitioned table
        of_clusters, noise = self._solution.cluster_classes, labels < 0
        places = np.where(noise, -1, labels if of_clusters is None else of_clusters[labels])
        if (places >= 0).all():
            return self.classes_[places]
        if (kind := self.classes_.dtype.kind) in "biuf":
            # Convert booleans and unsigned integers to a type that can represent -1.
            none = np.array([-1], dtype=np.result_type(self.classes_.dtype, np.int8))
        else:
            none = np.array([b"-1" if kind == "S" else "-1"], dtype="O" if kind == "O" else None)
        return np.append(self.classes_, none)[places]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The estimator is also a classifier, because predictions are classes after a fit with labels.
        tags.classifier_tags = ClassifierTags()
        return tags

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any:
        """Validate samples. ``reset`` is True in ``fit`` and False in ``predict``."""

    def _check_data(self, data: Any) -> None:
        """Raise an error if the parameters do not match the data."""

    def _pooled(self, data: Any, needs_pool: bool, seed: Any) -> Callable[[Any], PooledSamples]:
        """Return a function that builds the PooledSamples of ``data`` for a given ``k_range``."""
        options = self._pool_options() | {"needs_pool": needs_pool}
        return lambda ks: pooled_bags(data, k_range=ks, seed=deepcopy(seed), **options)

    def _pool_options(self) -> dict[str, Any]:
        return {
            "n_clusters": self._number, "n_neighbors": self.n_neighbors, "extra": self.extra_candidates,
            "n_jobs": self.n_jobs, "verbose": bool(self.verbose),
        }  # fmt: skip

    def _fit(self, data: Any, n_samples: int, *supervision: ArrayLike | None) -> Plans[None]:
        side = self._read_side_information(n_samples, *supervision)
        self._check_data(data)
        self._start_labels(n_samples)
        if self.checkpoint is not None or self.resume:
            # Raise an error before building the pool if the run cannot be resumed.
            self._checkpoint_for()
        *self._seeds, pool_seed = spawn_seeds(self.random_state, 4)
        if side.targets is not None and not isinstance(data, Bags):
            _base.warn_if_all_labelled(side.targets.labelled)
        pooled = self._pooled(data, self.kernel != "bags" or side.kind != "labels", pool_seed)
        ks: Any = self.k_range
        while True:
            self._samples = pooled(ks)
            for name in ("parts_", "_marked"):
                self.__dict__.pop(name, None)
            ks = yield from self._select(side, *supervision, ks=ks if self._grows(side) else None)
            if not ks:
                return

    def _grows(self, side: selection.SideInformation) -> bool:
        """Return whether the pool may be recomputed with larger numbers of clusters."""
        if self.n_gen or self._number is not None or not isinstance(self.k_range, str):
            return False
        return side.kind == "none" or (self.n_clusters is not None and side.kind != "labels")

    def _read_side_information(self, n_samples: int, *supervision: Any) -> selection.SideInformation:
        side = selection.read_side_information(n_samples, *supervision, novel=self.novel, pairs=self.pairs)
        self._check_number(n_samples)
        if self.kernel == "bags" and side.kind != "labels":
            raise ValueError(
                'kernel="bags" requires labels of every class, fit(X, y), because it creates no pool'
            )
        return side

    def _start_labels(self, n_samples: int) -> Labels | None:
        """Convert the parameter ``start`` to the initial partitions of the evolution. None remains None."""
        if self.start is None:
            return None
        if not self.n_gen:
            raise ValueError(
                "start requires evolution; set n_gen, for example to 20, or add the partitions to the pool "
                "with extra_candidates"
            )
        labels: Labels = start_genes(LabelEncoding(n_samples, n_samples), self.start)
        wrong = labels.max(axis=1) + 1 != (self._number or labels.max(axis=1) + 1)
        if wrong.any():
            number = labels[wrong].max() + 1
            raise ValueError(f"start has {number} clusters, but n_clusters={self._number}; use equal numbers")
        return labels

    def _checkpoint_for(self, *data: Any) -> Checkpoint | None:
        # Ignore parameters that only determine the pool, because the pool itself is part of the identity.
        made_of = {"views", "extra_candidates", "families", "k_range", "distances", "embeddings"}
        free: dict[str, Any] = dict.fromkeys(made_of & self.get_params(deep=False).keys())
        # Ignore ``granularity`` and a range of ``n_clusters``, because they only restrict the selection.
        return _base.checkpoint_for(self, *data, **free, n_clusters=self._number, granularity=None)

    def _select(
        self,
        side: selection.SideInformation,
        *supervision: ArrayLike | None,
        settle: Callable[[selection.Solution, selection.Candidates | None], selection.Solution] | None = None,
        ks: Any = None,
    ) -> Plans[list[int]]:
        """Score the pool, evolve it if ``n_gen > 0``, select the result, and set the fitted attributes."""
        # If the pool needs larger numbers of clusters than ``ks``, these numbers are returned, and no result
        # is selected. ``settle`` can replace the result, and is called before the previous fit is
        # overwritten.
        samples, pool, pairs = self._samples, self._samples.pool, side.pairs_of_points(self._samples)
        criterion, kernel = self.criterion, self.kernel
        if criterion == "auto":
            criterion = selection.automatic_criterion(samples, side, self._number)
        choose = partial(
            selection.choose_solution, samples, side, pairs,
            n_clusters=self._number, interval=self._interval, method=self.method, seed=self._seeds[0],
            kernel="full" if kernel == "pool+bags" else kernel, hard=self.pairs == "hard", clamp=self.clamp,
            class_prior=self.class_prior, merge_same_class=self.merge_same_class,
        )  # fmt: skip
        candidates, evolved, scores = None, None, dict[str, float]()
        if pool is None:
            solutions = {"auto": choose(None)}
        else:
            weight = self.criterion_weight
            objectives = selection.objectives_for(samples, side, pairs, criterion, weight, self.n_jobs)
            least = 0
            may_agree = self.novel == kernel == "auto" and side.kind == "labels" and not samples.kernels
            if self._number is None and (side.targets is None or may_agree):
                least = self.min_cluster_size or min(10, max(2, round(0.01 * samples.n_rows)))
            values = objectives.values_of_pool(pool.labels)
            candidates = selection.Candidates(samples, pool, objectives, values, least)
            most = self.n_clusters[1] if isinstance(self.n_clusters, tuple | list) else None
            if more := selection.more_numbers(ks, candidates, most):
                return more
            if may_agree and self._number is None and pairs is None:
                self._assessor = self._assessor_for(candidates)
                trusted = self._assess(None, candidates).verdict != verdicts.NO_STRUCTURE
                choose = partial(choose, trusted=trusted)
            if self.n_gen:
                first = self._start_labels(samples.n_samples)
                checkpoint = self._checkpoint_for(pool.labels, *supervision)
                evolved, candidates, solutions, scores = yield from evolve_with_controls(
                    candidates, pairs, choose, self._seeds[1:], checkpoint,
                    start=None if first is None else samples.per_point(first), n_clusters=self._number,
                    n_gen=self.n_gen, pop_size=self.pop_size, engine=self.engine, verbose=bool(self.verbose),
                )  # fmt: skip
            else:
                solutions = {"auto": choose(candidates)}
        if settle is not None:
            solutions["auto"] = settle(solutions["auto"], candidates)
        # The previous fit is overwritten from here on, so steps that can fail or be interrupted come before.
        self._side_information, self._candidates, self._solutions = side, candidates, solutions
        self.scoring_ = None if candidates is None else candidates.objectives
        self._publish(evolved, scores)
        self._take(solutions["auto"])
        if side.kind == "none" and self._assessor is not None and self.verdict_ == verdicts.NO_STRUCTURE:
            p_value = "" if np.isnan(self.structure_p_value_) else f", p = {self.structure_p_value_:.2f}"
            why = "the clusters are hardly clearer than those found in data without structure"
            if self.structure_p_value_ < verdicts.DOUBTFUL_P:
                why, p_value = next(iter(self.verdict_remarks_), verdicts.TIGHT), ", p < 0.05"
            warn_caller(
                f"{verdicts.NO_STRUCTURE}: {why} (confidence {self.confidence_:.2f}{p_value}); do not trust "
                "the number of clusters"
            )
        return []

    def _publish(self, evolved: EvolvedPartitions | None, scores: dict[str, float]) -> None:
        """Set the attributes that do not depend on the selected partition."""
        controls = ("control_labels_", "control_score_", "random_control_labels_")
        for name in ("classes_", "_changes", "_lead", *controls, "history_"):
            self.__dict__.pop(name, None)
        samples, candidates, side = self._samples, self._candidates, self._side_information
        self.pool_: PartitionPool | None = samples.pool
        self.graph_ = samples.graph
        self.n_landmarks_ = None if samples.landmark_of is None else samples.n_points
        if side.targets is not None:
            self.classes_ = side.targets.classes
        self.scores_ = verdicts.score_frame(candidates)
        self._alternatives, ari = np.zeros(0, dtype=np.intp), np.zeros(0)
        self._front, self.pareto_front_ = np.zeros(0, dtype=np.intp), np.zeros((0, 0))
        self.objective_names_ = ()
        if candidates is not None:
            of_points = samples.per_point(self._solutions["auto"].labels)
            if not samples.is_trivial:
                self._alternatives, ari = candidates.alternatives(of_points)
            self._front = candidates.front()
            self.pareto_front_ = candidates.values[self._front]
            self.objective_names_ = candidates.objectives.names
        self._problem = None if evolved is None else evolved.result.problem
        self._assessor = self._assessor_for(candidates)
        self.alternatives_ = self.scores_.iloc[self._alternatives].reset_index(drop=True)
        self.alternatives_["ari_to_labels"] = ari
        self._describe_alternatives()
        self.interrupted_ = evolved is not None and evolved.interrupted
        if evolved is not None:
            self.history_, self.control_score_ = evolved.history, scores
            for name in ("control", "random-control"):
                if name in self._solutions:
                    labels = self._with_noise(self._numbered(self._solutions[name]).labels)
                    setattr(self, f"{name.replace('-', '_')}_labels_", self._shown(labels))

    def _restore(self, X: Any = None) -> None:
        """Restore the arrays that pickles omit. If X contains the training samples, also restore these."""
        saved = dict(vars(self))
        if X is not None:
            self.restore_samples(X)
            saved["_samples"] = self._samples
        self._publish(None, {})
        self.__dict__.update(saved)

    if not TYPE_CHECKING:  # if mypy saw __getattr__, it would accept any attribute

        def __getattr__(self, name):
            if name.startswith("_") or "verdict_" not in vars(self):
                return object.__getattribute__(self, name)  # raises the original error
            if name in ("scores_", "alternatives_"):
                self._restore()
                return vars(self)[name]
            return super().__getattr__(name)

    def _assessor_for(self, candidates: selection.Candidates | None) -> verdicts.Assessor | None:
        """Return the Assessor of the pool, or None without a pool.

        For the same samples, the last one is reused.
        """
        samples, last = self._samples, vars(self).get("_assessor")
        if last is not None and last.samples is samples:
            return last
        if candidates is None or samples.pool is None or samples.is_trivial:
            return None
        # Exclude evolved partitions, because the evolution maximises their agreement.
        agreement = candidates.agreement[: samples.pool.n_partitions]
        return verdicts.Assessor(samples, samples.pool, float(agreement.max()))

    def _assess(self, labels: Labels | None, candidates: selection.Candidates | None) -> verdicts.Assessment:
        """Assess a partition of the points (default: the best partition in the pool)."""
        pool = self._samples.pool
        if self._assessor is None or candidates is None or pool is None:
            few = self._samples.n_samples < 3
            why = "there are fewer than three samples" if few else "all samples are identical"
            return verdicts.NOTHING_KNOWN if pool is None else verdicts.NOTHING._replace(remarks=(why,))
        best = pool.labels[best_member(candidates.score[: pool.n_partitions], pool.n_clusters)]
        return self._assessor.assess(best if labels is None else labels, best)

    def _take(self, solution: selection.Solution) -> None:
        self._solution = solution = self._numbered(solution)
        labels = self._with_noise(solution.labels, solution.known)
        self.n_clusters_ = int(labels.max()) + 1
        self.labels_: Any = labels
        if self._samples.counts is not None:
            self._marked = labels
            self.labels_ = lazy_labels(vars(self)["parts_"], cast(Any, self)._label(of_fit=True))
        assessment = self._assess(self._samples.per_point(solution.labels), self._candidates)
        expected = self.alternatives_["confidence"].to_numpy(dtype=float)
        if (expected > assessment.confidence).any():
            row = int(np.nanargmax(expected))
            assessment = assessment.beside(row, self._why_not(row, solution))
        self.confidence_, self.structure_p_value_, self.verdict_, self.verdict_remarks_ = assessment
        self.confidence_interval_ = np.array(assessment.interval)
        self.__dict__.pop("cluster_classes_index_", None)
        if solution.cluster_classes is not None:
            self.cluster_classes_index_ = solution.cluster_classes

    def _why_not(self, row: int, solution: selection.Solution) -> str:
        if self._side_information.kind != "none":
            return "the labels or pairs determine the result"
        selected = self._numbered(self._solutions["auto"]).labels
        if "fit" in self._solutions or (solution.labels != selected).any():
            return "another partition was chosen"
        assert self._candidates is not None
        interval, number = self._interval(self._candidates), self.alternatives_["n_clusters"][row]
        if self._number not in (None, number) or (interval and not interval[0] <= number <= interval[1]):
            named = "n_clusters" if self.granularity is None else "granularity"
            return f"does not satisfy {named}={getattr(self, named)!r}"
        if self._number is not None and self.method == "consensus":
            return "the result is the consensus of the pool"
        return "a lower selection score"

    def _numbered(self, solution: selection.Solution) -> selection.Solution:
        """Assign identical samples to one cluster, and number the clusters by class or first appearance."""
        side, classes = self._side_information, solution.cluster_classes
        by_class = side.kind == "labels" and any(solution is one for one in self._solutions.values())
        labels = self._united(solution.labels, solution.known)
        found = self._with_noise(labels, solution.known)[self._row_order]
        found = found[found >= 0]
        # With labels of every class, cluster numbers are class numbers.
        if by_class:
            former = np.unique(found)
            if classes is None and side.targets is not None and len(former) < side.targets.n_classes:
                classes = np.arange(side.targets.n_classes)
        else:
            former = np.unique(found) if solution.numbered else number_clusters(found)[1]
        number = np.full(int(former.max()) + 1, -1, dtype=np.int32)
        number[former] = np.arange(len(former))
        return solution._replace(
            labels=number[labels], cluster_classes=None if classes is None else classes[former]
        )
