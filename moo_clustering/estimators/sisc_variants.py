"""Variants of SISC: an NSGA-II search (NSGA2SISC), an ensemble (SISCEnsemble) and a stack (SISCStacked)."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, replace
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from scipy.special import expit, logit
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from moo_clustering import operators, results
from moo_clustering._arrays import array_of, knee, name_of, non_dominated, spawn_seeds, warn_caller
from moo_clustering._messages import did_you_mean, quoted
from moo_clustering._parallel import run_calls, threads_here
from moo_clustering._targets import Targets
from moo_clustering._types import FloatArray
from moo_clustering.algorithms import PymooSearch
from moo_clustering.algorithms.search import Plans
from moo_clustering.controls import RandomDraws, random_draws
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators import _options, multi_label
from moo_clustering.estimators._base import Rule, checkpoint_for, settled
from moo_clustering.estimators._fronts import FrontSearchMixin
from moo_clustering.estimators.subspace import SISC
from moo_clustering.operators.generic import MutationChoice
from moo_clustering.problems.partition import unique_names
from moo_clustering.problems.subspace import OBJECTIVES, SubspaceClusteringProblem
from moo_clustering.subspace import SubspaceData
from moo_clustering.validity import macro_auc

# Rule that selects the control, which is the best of as many random seed sets as the search evaluates.
RANDOM = "random"
# Probabilities are clipped to [_LEAST, 1 - _LEAST] to keep logits finite.
_LEAST = 1e-9
Scoring = Callable[[NDArray[np.int64], FloatArray], float]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Counts = Annotated[int | Sequence[int], Interval(Integral, 1, None, closed="left"), "array-like"]
SubspaceModel = Annotated[Any, HasMethods(["fit", "predict_proba"]), None]


@_options.estimator
class NSGA2SISC(FrontSearchMixin, SISC):
    """SISC whose clusters start from seed documents that are selected by NSGA-II.

    Each set of seeds is scored by the dispersion and impurity of the clusters that a few SISC sweeps find
    from these seeds; :class:`SISC` runs more sweeps from a single start. Only labelled documents affect the
    impurity. As a control, the fit also evaluates an equal number of random sets. The best random set is
    often almost as good as the search result (see ``control_`` and ``choose("random")``), because dispersion
    and impurity hardly conflict (:doc:`/papers/sisc_ml`). An evaluation takes O(n_sweeps (nnz(X) +
    n_documents + n_features) n_clusters) time, and each thread uses O((n_documents + n_features) n_clusters)
    memory. Source: SISC-ML, eq. 1-11. The search is not part of the paper.

    Parameters
    ----------
    n_clusters : int
        Maximum number of clusters.
    k_min : int
        Minimum number of clusters. Default: ``n_clusters``. If ``k_min`` is lower, the search favours the
        maximum number unless ``"n_clusters"`` is an objective.
    n_sweeps : int
        Number of SISC sweeps per evaluation, from 1 to 3.
    objectives : sequence of str
        ``"dispersion"``, ``"impurity"``, ``"n_clusters"`` and ``"chi_square"``, all minimised, see
        :class:`~moo_clustering.problems.SubspaceClusteringProblem`. ``"impurity"`` is omitted without labels.
    pc : float
        Crossover probability of two parents. Parents that do not cross are mutated.
    init : {"seeds", "labels"}
        Initial seeds: any documents, or labelled documents of each class in turn.
    select : {"impurity", "knee", "random"}, name of an objective, int or callable
        Selection rule: the lowest value of an objective, ``"knee"`` (nearest to the ideal point; used without
        labels), ``"random"`` (the control), a row index, or a function ``select(pareto_front_) -> row``.
    control : bool
        Whether to also evaluate as many random seed sets as the search evaluates, which doubles the time.

    Attributes
    ----------
    pareto_front_ : ndarray of shape (n_solutions, n_objectives)
        Objectives of the non-dominated solutions, sorted by the first objective.
    pareto_labels_ : ndarray of shape (n_solutions, n_documents), int32
        Cluster in which each document has its largest membership, for each solution.
    pareto_seeds_ : ndarray of shape (n_solutions, n_clusters)
        Seed documents of each solution, padded with -1.
    chosen_ : int or None
        Selected row of the front, or None for the control.
    seeds_ : ndarray of shape (n_clusters,)
        Seed documents of the selected solution.
    control_ : RandomDraws or None
        Genes ``X`` and objectives ``F`` of the non-dominated sets among ``n_draws`` random sets; row ``best``
        has the lowest impurity or, without labels, the lowest first objective.
    n_evaluations_ : int
        Number of evaluations in the search and, unless interrupted, in the control.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import NSGA2SISC
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> y = [0, -1, -1, -1, 1, -1, -1, -1]
    >>> model = NSGA2SISC(2, pop_size=6, n_gen=3, random_state=0).fit(X, y)
    >>> model.predict(X).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    n_clusters: _options.Count = 20
    _: KW_ONLY
    k_min: _options.Count | None = None
    n_sweeps: Annotated[int, Interval(Integral, 1, 3, closed="both")] = 3
    objectives: Annotated[Sequence[str], "array-like", str] = ("dispersion", "impurity")
    pop_size: _options.PopulationSize = 16
    n_gen: _options.NonNegativeCount = 12
    pc: _options.Probability = 0.6
    init: Literal["seeds", "labels"] = "seeds"
    select: Annotated[Rule, str, Integral, callable] = "impurity"
    control: bool = True

    # These parameters of SISC are not available, because the search replaces repeated starts.
    n_init: ClassVar[int] = 1  # type: ignore[misc]
    max_iter: ClassVar[int]  # type: ignore[misc]
    tol: ClassVar[float]  # type: ignore[misc]

    def _clustering_result(self) -> results.ClusteringResult:
        found, names = super()._clustering_result(), self.objective_names_
        record: dict[str, Any] = {}
        values = None
        if self.chosen_ is not None:
            record["chosen"] = dict(zip(names, self.pareto_front_[self.chosen_].tolist(), strict=True))
        if self.control_ is not None:
            values = self.result_.problem.natural(self.control_.F[[self.control_.best]])[0]
            record["control"] = dict(zip(names, values.tolist(), strict=True))
            record["n_random_starts"] = self.control_.n_draws
        return replace(found, record=record, values=values if self.chosen_ is None else None)

    @property
    def rules_(self) -> tuple[str, ...]:
        rules = super().rules_
        return rules if self.control_ is None else (*rules, RANDOM)

    def choose(self, rule: Rule) -> Self:
        """Select another solution by a rule that ``select`` accepts, or the control (``"random"``).

        Sets ``labels_`` and the other attributes of the solution. Raises a ValueError if the rule is unknown,
        if the row is outside the front, or if there is no control. Costs one evaluation.
        """
        if isinstance(rule, str) and rule == RANDOM and getattr(self, "control_", rule) is None:
            raise ValueError(
                "rule 'random' requires the control, which was not computed; fit with control=True"
            )
        return super().choose(rule)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.k_min is not None and self.k_min > self.n_clusters:
            raise ValueError(f"k_min={self.k_min} must not exceed n_clusters={self.n_clusters}")
        if self.k_min is not None and self.n_neighbors is not None and self.n_neighbors > self.k_min:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must not exceed the minimum number of clusters, "
                f"k_min={self.k_min}; use None for all"
            )
        names = unique_names(self.objectives, OBJECTIVES)
        if not isinstance(self.select, str):
            return
        if self.select == RANDOM and not self.control:
            raise ValueError("select='random' requires the control; set control=True")
        allowed = dict.fromkeys(("impurity", "knee", RANDOM, *names))
        if self.select not in allowed:
            raise ValueError(
                f"select must be one of {', '.join(map(repr, allowed))}, a row index or a callable; got "
                f"{self.select!r}{did_you_mean(self.select, allowed)}"
            )

    def _search(self, data: SubspaceData, targets: Targets) -> Plans[None]:
        (seed,) = spawn_seeds(self.random_state, 1)
        search_seed, control_seed = np.random.default_rng(seed).integers(2**32, size=2).tolist()
        parts = *data.matrix.arrays, targets.indicators, targets.labelled
        free = {"select": "knee", "control": True, "n_neighbors": None, "threshold": 0.5}
        checkpoint = checkpoint_for(self, *parts, **free, aggregation="normalised")
        problem = self._problem(data, targets)
        sampling = operators.SeedSampling(by_class=self.init == "labels" and bool(targets.labelled.any()))
        search = self._new_search(problem, sampling, search_seed)
        yield from self._drive(search, problem, self.n_gen, checkpoint)
        self.result_: Result = settled(search.result())
        self.n_evaluations_ = int(search.algorithm.evaluator.n_eval)
        self._set_front(problem)
        self.control_: RandomDraws | None = None
        if self.control:
            draws, names = self._new_search(problem, sampling, control_seed), problem.objective_names
            column = names.index("impurity") if "impurity" in names else 0
            self.control_ = random_draws(draws, self.n_evaluations_, control_seed, column, bool(self.verbose))
        self.choose(self.select)

    def _problem(self, data: SubspaceData, targets: Targets) -> SubspaceClusteringProblem:
        names = unique_names(self.objectives, OBJECTIVES)
        if not targets.labelled.any():
            names = tuple(name for name in names if name != "impurity") or names
        return SubspaceClusteringProblem(
            # Each evaluation uses one thread, because individuals are evaluated in parallel.
            SubspaceData(data.matrix, data.dtype, 1),
            targets,
            n_seeds=self.n_clusters,
            k_min=self.k_min,
            n_sweeps=self.n_sweeps,
            objectives=names,
            options=self._options,
            n_jobs=self.n_jobs,
        )

    def _new_search(
        self, problem: SubspaceClusteringProblem, sampling: operators.SeedSampling, seed: int
    ) -> PymooSearch:
        duplicates = operators.CanonicalDuplicates(problem.encoding)
        selection = TournamentSelection(func_comp=operators.batched_tournament)
        crossover = operators.AlignedSeedCrossover(prob=self.pc)
        kinds = [operators.SweepSeedMutation(), operators.DistantSeedMutation()]
        mutation = MutationChoice(kinds, [0.5, 0.5], prob=1.0)
        parts = {
            "sampling": operators.RefillingSampling(sampling, duplicates),
            "crossover": crossover,
            "mutation": mutation,
            "eliminate_duplicates": duplicates,
        }
        mating = operators.ExclusiveMating(selection, crossover, mutation, eliminate_duplicates=duplicates)
        return self._pymoo_search_for(problem, parts, seed, mating=mating)

    def _set_front(self, problem: SubspaceClusteringProblem) -> None:
        X, F = self.result_.pop.get("X", "F")
        seeds = problem.encoding.seeds(X)
        best = non_dominated(F)
        best = best[distinct_rows(problem.encoding.canonical(seeds[best]))[0]]
        self._set_objectives(problem, F[best])
        self.pareto_seeds_ = seeds[best]
        self.pareto_labels_ = relabel_by_first_appearance(problem.decode(seeds[best]))

    def _own_rules(self) -> tuple[str, ...]:
        return ("impurity",)

    def _take_by_rule(self, rule: str) -> None:
        if rule == RANDOM and self.control_ is not None:
            self._take(self.control_.X[self.control_.best], None)
        else:  # the rule is "impurity", but there are no labels
            self._take_member(knee(self.pareto_front_))

    def _take_member(self, row: int) -> None:
        self._take(self.pareto_seeds_[row], row)

    def _take(self, x: NDArray[Any], row: int | None) -> None:
        """Set the fitted attributes to those of a solution."""
        # ``x`` contains its seeds, padded with -1. ``row`` is its row of the front, or None for the control.
        problem = self.result_.problem
        done = problem.fit_individual(x)
        found = done.memberships, done.centers, done.log_weights, done.impurities
        self._set(*found, problem.encoding.data, problem.targets)
        self.chosen_, self.seeds_ = row, x[x >= 0][self._order]


@_options.estimator
class SISCEnsemble(multi_label.ThresholdClassifier):
    """Ensemble that averages standardised logits of SISC models with various seeds and numbers of clusters.

    Logits are standardised by their mean and standard deviation over all training documents, so the
    prediction for a document does not depend on other new documents. The average is rescaled to the average
    of the members' means and standard deviations, so the ranking of documents is preserved. A fit trains all
    members, and predicts all documents with each member. SISC-ML describes the members, not the ensemble.

    Parameters
    ----------
    sisc : estimator, optional
        Template of the members: a model that accepts partial labels, with ``predict_proba`` and the
        parameters ``n_clusters`` and ``random_state``. Default: ``SISC(fuzziness=1.4)``.
    n_clusters : int or sequence of int
        Numbers of clusters that the members use in turn. Issues a UserWarning if one exceeds n_documents.
    n_estimators : int
        Number of members.
    random_state : int, Generator, RandomState or None
        Random seed. Member i does not depend on ``n_estimators``.

    Attributes
    ----------
    estimators_ : list of fitted models
        Members. The ``classes_`` of each member are indices 0, 1, ... into the classes of the ensemble.
    scales_ : list of LogitScale(mean, spread)
        Mean and standard deviation of each member's logits, shape (n_classes,).

    Examples
    --------
    >>> from moo_clustering.estimators import SISCEnsemble
    >>> X = [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]]
    >>> y = [5, 5, 8, 8, -1, -1]
    >>> SISCEnsemble(n_clusters=2, n_estimators=3, random_state=0).fit(X, y).predict(X[4:])
    array([8, 5])
    """

    sisc: SubspaceModel = None
    _: KW_ONLY
    n_clusters: Counts = (20, 40, 60, 80, 100, 120)
    n_estimators: _options.Count = 6

    def _learn(self, X: Any, y: ArrayLike) -> None:
        sizes = np.atleast_1d(np.asarray(self.n_clusters))
        if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu" or sizes.min() < 1:
            raise ValueError(
                f"n_clusters must be one or more positive integers, got {quoted(self.n_clusters)}"
            )
        X, targets = self._training_data(X, y)
        if sizes.max() > X.shape[0]:
            warn_caller(
                f"n_clusters={self.n_clusters} exceeds n_samples={X.shape[0]}; members have at most "
                f"{X.shape[0]} clusters"
            )
        sizes = np.minimum(sizes, X.shape[0])
        template = SISC(fuzziness=1.4) if self.sisc is None else self.sisc
        labels = multi_label.label_codes(targets)
        members = run_calls(
            (
                delayed(_fit_member)(template, int(sizes[i % len(sizes)]), seed, X, labels)
                for i, seed in enumerate(spawn_seeds(self.random_state, self.n_estimators))
            ),
            n_jobs=self.n_jobs,
        )
        self.estimators_, self.scales_, warned = map(list, zip(*members, strict=True))
        for category, message in dict.fromkeys(said for each in warned for said in each):
            warn_caller(message, category)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        X = self._rows(X)
        parts = [logits(model.predict_proba(X)) for model in self.estimators_]
        mixed = mixed_logits(parts, self.scales_, [1.0 / len(parts)] * len(parts))
        return probabilities_of(mixed, self.multilabel_)


def _fit_member(
    template: Any, n_clusters: int, seed: np.random.SeedSequence, X: Any, labels: NDArray[np.int64]
) -> tuple[Any, "LogitScale", tuple[tuple[type[Warning], str], ...]]:
    with warnings.catch_warnings(record=True) as caught:
        # Record warnings, so that ``fit`` issues each warning only once instead of once per member.
        warnings.simplefilter("always")
        model = multi_label.seeded(template, seed).set_params(n_clusters=n_clusters).fit(X, labels)
    scale = LogitScale.of(logits(model.predict_proba(X)))
    return model, scale, tuple((each.category, str(each.message)) for each in caught)


class LogitScale(NamedTuple):
    """Mean and standard deviation of each class's logits; a standard deviation of 0 is replaced by 1."""

    mean: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, logits: FloatArray) -> Self:
        spread = logits.std(axis=0)
        # Because of rounding errors, the standard deviation of equal values can be positive.
        return cls(logits.mean(axis=0), np.where(spread > 1e-12, spread, 1.0))


def logits(probabilities: NDArray[Any]) -> FloatArray:
    """Compute finite logits of probabilities."""
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), _LEAST, 1.0 - _LEAST)
    return np.asarray(logit(inside))


def mixed_logits(
    parts: Sequence[FloatArray], scales: Sequence[LogitScale], weights: Sequence[float]
) -> FloatArray:
    """Average the standardised logits of several models, and rescale the result to the average scale."""
    # Without rescaling, each class would have a probability above 0.5 for about half of the samples.
    mean = sum(weight * scale.mean for weight, scale in zip(weights, scales, strict=True))
    spread = sum(weight * scale.spread for weight, scale in zip(weights, scales, strict=True))
    standard = sum(
        weight * (part - scale.mean) / scale.spread
        for weight, part, scale in zip(weights, parts, scales, strict=True)
    )
    return np.asarray(standard * spread + mean)


def probabilities_of(logits: FloatArray, multilabel: bool) -> FloatArray:
    """Return the sigmoids of logits. If each sample has one class, each row is divided by its sum."""
    return np.asarray(expit(logits)) if multilabel else multi_label.sigmoid_shares(logits)


@_options.estimator
class SISCStacked(multi_label.ThresholdClassifier):
    """Stacked SISC and linear model. The prediction is the weighted mean of their standardised logits.

    SISC learns from all documents, the linear model from labelled documents only. Cross-validation selects
    the weight of SISC. This weight is usually 0 if many documents are labelled. Both models are fitted
    n_folds + 1 times. Logits are standardised as in :class:`SISCEnsemble`. With weight 0 or 1, only one model
    is used. If the score is undefined in all folds, the weight closest to 0.5 is used, with a UserWarning.
    SISC-ML describes SISC, not the stack.

    Parameters
    ----------
    sisc : estimator, optional
        Model with ``predict_proba`` for partial labels. Default: ``SISC()`` with up to n_documents clusters.
    estimator : classifier, optional
        Classifier whose ``predict_proba`` or ``decision_function`` has shape (n_documents, n_classes).
        Default: one-vs-rest logistic regression on idf-weighted features of unit length.
    weights : sequence of float
        Candidate weights of SISC, from 0 to 1. A single weight requires no cross-validation.
    cv : int, splitter or iterable
        Folds of the labelled documents. A number of folds is capped at the number of labelled documents, and
        these folds are stratified if each document has one class.
    scoring : "macro_auc" or callable
        ``scoring(y_true, y_score)`` for indicators and logits of shape (n_documents, n_classes); higher is
        better. The macro AUC ignores labels that are the same for all documents of a fold.
    random_state : int, Generator, RandomState or None
        Seed of the folds and of any model whose own ``random_state`` is None.

    Attributes
    ----------
    weight_ : float
        Selected weight of SISC; ties are broken in favour of the lowest weight.
    cv_scores_ : dict of float to float
        Mean score of each weight over the folds; empty without cross-validation.
    sisc_, linear_ : fitted models
        Fitted models, or None if the weight is 0. Their classes are indices 0, 1, ... into ``classes_``.
    scales_ : tuple of LogitScale(mean, spread) or None
        Mean and standard deviation of each model's logits, shape (n_classes,).

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SISC, SISCStacked
    >>> X = np.kron(np.eye(2), np.ones((6, 3)))
    >>> y = [0, 0, 0, -1, -1, -1, 1, 1, 1, -1, -1, -1]
    >>> model = SISCStacked(SISC(2), cv=3, random_state=0).fit(X, y)
    >>> model.weight_, model.cv_scores_[0.0], model.predict(X[[3, 9]])
    (0.0, 1.0, array([0, 1]))
    """

    sisc: SubspaceModel = None
    estimator: Annotated[
        Any, HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None
    ] = None
    _: KW_ONLY
    weights: Annotated[Sequence[float], "array-like"] = tuple(round(tenth / 10, 1) for tenth in range(11))
    cv: Annotated[Any, "cv_object"] = 5
    scoring: Annotated[Literal["macro_auc"] | Scoring, StrOptions({"macro_auc"}), callable] = "macro_auc"

    def _learn(self, X: Any, y: ArrayLike) -> None:
        values = np.asarray(self.weights)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
            raise ValueError(f"weights must be a sequence of numbers from 0 to 1, got {quoted(self.weights)}")
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"weights must be from 0 to 1, got {values.tolist()}")
        weights = [float(value) for value in np.unique(values)]
        X, targets = self._training_data(X, y)
        templates = self._templates(X.shape[0])
        split_seed, cv_seed, sisc_seed, linear_seed = spawn_seeds(self.random_state, 4)
        if targets.n_classes == 1:
            weights = weights[:1]
        splits = labelled_splits(self.cv, X, targets, split_seed) if len(weights) > 1 else []
        scoring = None if self.scoring == "macro_auc" else self.scoring
        scores = run_calls(
            (
                delayed(_fold_scores)(templates, X, targets, weights, split, scoring, fold_seed)
                for split, fold_seed in zip(splits, cv_seed.spawn(len(splits)), strict=True)
            ),
            n_jobs=self.n_jobs,
        )
        self._choose(weights, np.array(scores, dtype=np.float64).reshape(len(splits), len(weights)))
        sisc = fit_subspace(templates[0], X, targets, sisc_seed) if self.weight_ > 0 else (None, None)
        linear = fit_linear(templates[1], X, targets, linear_seed) if self.weight_ < 1 else (None, None)
        (self.sisc_, self.linear_), self.scales_ = zip(sisc, linear, strict=True)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        X = self._rows(X)
        shares = self.weight_, 1 - self.weight_
        weighted = zip((self.sisc_, self.linear_), self.scales_, shares, strict=True)
        models, scales, weights = zip(*(each for each in weighted if each[0] is not None), strict=True)
        parts = [part_logits(model, X, len(self.classes_), self.multilabel_) for model in models]
        return probabilities_of(mixed_logits(parts, scales, weights), self.multilabel_)

    def _templates(self, n_samples: int) -> tuple[Any, Any]:
        sisc = self.sisc
        if sisc is None:
            sisc = SISC()
        elif isinstance(k := getattr(sisc, "n_clusters", None), Integral) and int(k) > n_samples:
            raise ValueError(f"n_clusters={k} of sisc must not exceed n_samples={n_samples}")
        if self.estimator is not None:
            return sisc, self.estimator
        one_against_rest = OneVsRestClassifier(LogisticRegression(C=1.0, max_iter=1000))
        return sisc, make_pipeline(TfidfTransformer(), one_against_rest)

    def _choose(self, weights: Sequence[float], scores: NDArray[np.float64]) -> None:
        self.cv_scores_: dict[float, float] = {}
        defined = scores[~np.isnan(scores).any(axis=1)]
        if len(defined):
            self.cv_scores_ = dict(zip(weights, defined.mean(axis=0).tolist(), strict=True))
            self.weight_ = max(self.cv_scores_, key=self.cv_scores_.__getitem__)
            return
        self.weight_ = min(weights, key=lambda weight: abs(weight - 0.5))
        if len(weights) > 1:
            warn_caller(
                "too few labelled samples to compare weights, because no fold contains samples with and "
                f"samples without some label; weight_ is set to {self.weight_}"
            )


def labelled_splits(cv: Any, X: Any, targets: Targets, seed: np.random.SeedSequence) -> list[Split]:
    """Return folds of positions among labelled samples, or an empty list if only one sample is labelled."""
    labels = targets.indicators[targets.rows].astype(np.int64)
    codes = labels if targets.multilabel else labels.argmax(axis=1)
    cv = 5 if cv is None else cv
    if isinstance(cv, int | np.integer):
        n_splits = min(int(cv), len(labels))
        if n_splits < 2:
            return []
        strata = not targets.multilabel and labels.sum(axis=0).max() >= n_splits
        kind = StratifiedKFold if strata else KFold
        splitter = kind(n_splits, shuffle=True, random_state=int(seed.generate_state(1)[0]))
    else:
        splitter = check_cv(cv, codes, classifier=True)
    with warnings.catch_warnings():
        # Ignore the warning that a class has fewer samples than there are folds.
        warnings.filterwarnings("ignore", message="The least populated class in y")
        return list(splitter.split(X[targets.rows], codes))


def _fold_scores(
    templates: tuple[Any, Any],
    X: Any,
    targets: Targets,
    weights: Sequence[float],
    split: Split,
    scoring: Scoring | None,
    seed: np.random.SeedSequence,
) -> list[float]:
    """Return the scores on one fold for all weights of SISC, or NaN if the macro AUC is undefined."""
    train, test = (targets.rows[positions] for positions in split)
    truth = targets.indicators[test].astype(np.int64)
    if scoring is None and not (truth.any(axis=0) & ~truth.all(axis=0)).any():
        return [np.nan] * len(weights)
    learnt = np.sort(np.concatenate([np.flatnonzero(~targets.labelled), train]))
    seen, known = X[learnt], targets.subset(learnt)
    sisc_seed, linear_seed = seed.spawn(2)
    with warnings.catch_warnings():
        # Ignore warnings, because a fold may lack labels, and the final fit issues all other warnings.
        warnings.simplefilter("ignore", UserWarning)
        sisc = fit_subspace(templates[0], seen, known, sisc_seed)
        linear = fit_linear(templates[1], seen, known, linear_seed)
    models, scales = zip(sisc, linear, strict=True)
    found = [part_logits(model, X[test], targets.n_classes, targets.multilabel) for model in models]
    score = macro_auc if scoring is None else scoring
    scored = [score(truth, mixed_logits(found, scales, (weight, 1 - weight))) for weight in weights]
    return array_of(
        scored, f"scoring {name_of(score)!r}", (len(weights),), "a number for each weight"
    ).tolist()


def fit_subspace(
    template: Any, X: Any, targets: Targets, seed: np.random.SeedSequence
) -> tuple[Any, LogitScale]:
    """Fit a copy of ``template`` with at most n_samples clusters; return the model and its logit scale."""
    model = multi_label.seeded(template, seed, unset_only=True)
    n_clusters = model.get_params().get("n_clusters")
    if isinstance(n_clusters, Integral) and n_clusters > X.shape[0]:
        model.set_params(n_clusters=X.shape[0])
    return _with_scale(model.fit(X, multi_label.label_codes(targets)), X, targets)


def fit_linear(
    template: Any, X: Any, targets: Targets, seed: np.random.SeedSequence
) -> tuple[Any, LogitScale]:
    """Fit a copy of ``template`` to labelled samples; return it and its logit scale over all samples."""
    model = multi_label.seeded(template, seed, unset_only=True)
    labels = multi_label.label_codes(targets)[targets.rows]
    with threads_here(), warnings.catch_warnings():
        # Ignore the warning about labels that no sample has, which would be issued for each fold.
        warnings.filterwarnings("ignore", message="Label .* is present in all training examples")
        if targets.multilabel:
            model.fit(X[targets.rows], labels)
        else:
            model = multi_label.fit_classes(model, X[targets.rows], labels)
    return _with_scale(model, X, targets)


def part_logits(model: Any, X: Any, n_classes: int, multilabel: bool) -> FloatArray:
    """Return logits of all classes, even unseen classes; decision values if there is no ``predict_proba``."""
    if hasattr(model, "predict_proba"):
        found = model.predict_proba(X)
        scores = logits(found) if isinstance(found, np.ndarray) else None
    else:
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    columns = np.arange(n_classes) if multilabel else model.classes_
    if scores is None or scores.shape != (X.shape[0], len(columns)):
        raise ValueError(
            f"{type(model).__name__} must return an array with one score per label ({len(columns)}); wrap "
            "the classifier in OneVsRestClassifier"
        )
    if len(columns) == n_classes:
        return scores
    every = np.full((len(scores), n_classes), logits(np.zeros(1))[0])
    every[:, columns] = scores
    return every


def _with_scale(model: Any, X: Any, targets: Targets) -> tuple[Any, LogitScale]:
    return model, LogitScale.of(part_logits(model, X, targets.n_classes, targets.multilabel))
