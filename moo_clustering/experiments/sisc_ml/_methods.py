"""Methods of the SISC-ML tables: what each is fitted with, and the kinds of scores it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from scipy.sparse import csr_matrix

from moo_clustering.estimators import (
    SCAD2,
    SISC,
    EntropyWeightedKMeans,
    MetaLabeler,
    PrunedSetsEnsemble,
    SISCEnsemble,
    SISCStacked,
)
from moo_clustering.experiments.sisc_ml import _rivals as rivals
from moo_clustering.experiments.sisc_ml._rivals import Predict, Scores
from moo_clustering.experiments.sisc_ml._splits import Split

# The paper gives gamma only. Of each estimator, what is not its default.
OPTIONS: dict[str, dict[str, Any]] = {
    "SISC": {"n_clusters": 60, "fuzziness": 1.5, "weight_exponent": 5.0, "gamma": 0.5, "max_iter": 15},
    "SCAD2": {"n_clusters": 60, "fuzziness": 1.5, "weight_exponent": 5.0, "max_iter": 15},
    "EntropyWeightedKMeans": {"n_clusters": 60, "gamma": 0.5},
    "SISCEnsemble": {},
    "SISCStacked": {},
}
Options = Mapping[str, Mapping[str, Any]]
SUM, ONE, ALL = "sum, kappa=5", "kappa=1", "normalised, kappa=k"
_VOTES: dict[str, tuple[int | None, str]] = {
    SUM: (5, "sum"),
    ONE: (1, "normalised"),
    ALL: (None, "normalised"),
    "kappa=5": (5, "normalised"),
}
Fit = Callable[[Split, int, Options], Mapping[str, Predict]]


class Method(NamedTuple):
    """A way to score documents.

    Parameters
    ----------
    name : str
    fit : callable
        ``fit(split, seed, options)``: for each kind of scores what gives them to documents.
    kinds : tuple of str
        The kinds; a single ``""`` where there is nothing to choose.
    limited : bool, default=False
        Whether also compared with fewer labelled documents.
    """

    name: str
    fit: Fit
    kinds: tuple[str, ...] = ("",)
    limited: bool = False


def _clusters(
    make: Any, name: str, changes: Mapping[str, Any], kinds: tuple[str, ...], split: Split, seed: int,
    options: Options,
) -> dict[str, Predict]:  # fmt: skip
    """Scores from the shares of the nearest clusters, in several ways from one fit."""
    model = make(**{**options[name], **changes}, random_state=seed).fit(split.X_train, split.y_train)

    def voted(kind: str) -> Predict:
        n_neighbors, aggregation = _VOTES[kind]

        def predict(X: csr_matrix) -> Scores:
            model.set_params(n_neighbors=n_neighbors, aggregation=aggregation)
            scores: Scores = model.decision_function(X)
            return scores

        return predict

    return {kind: voted(kind) for kind in kinds}


def _cluster_method(
    title: str, make: Any, kinds: tuple[str, ...], *, limited: bool = False, **changes: Any
) -> Method:
    return Method(title, partial(_clusters, make, make.__name__, changes, kinds), kinds, limited)


def _whole(make: Any) -> Fit:
    """An estimator's own scores, from labelled and unlabelled documents."""

    def fit(split: Split, seed: int, options: Options) -> dict[str, Predict]:
        own = options.get(make.__name__, {})
        model = make(**own, random_state=seed).fit(split.X_train, split.y_train)
        return {"": model.predict_proba}

    return fit


def _plain(make: Callable[[Split, int], Predict]) -> Fit:
    return lambda split, seed, options: {"": make(split, seed)}


def _nearest(metric: str, numbers: tuple[int, ...]) -> Fit:
    return lambda split, seed, options: rivals.neighbors(split, metric, numbers)


def _meta(split: Split, seed: int, options: Options) -> dict[str, Predict]:
    model = MetaLabeler(random_state=seed).fit(split.X_train, split.y_train)

    def uncut(X: csr_matrix) -> Scores:
        scores: Scores = model.decision_function(X)
        return scores

    return {"cut": model.predict_proba, "uncut": uncut}


METHODS = {
    method.name: method
    for method in (
        _cluster_method("SISC-ML", SISC, (SUM, ONE, ALL), limited=True),
        _cluster_method("SISC-ML without impurity", SISC, (ALL,), limited=True, impurity=None),
        _cluster_method("SISC-ML with q=15", SISC, (ALL,), limited=True, weight_exponent=15.0),
        Method("SISCEnsemble", _whole(SISCEnsemble), limited=True),
        Method("SISCStacked", _whole(SISCStacked), limited=True),
        Method("k-NN (Euclidean)", _nearest("euclidean", (5, 50)), ("kappa=5", "kappa=50")),
        Method("k-NN (cosine)", _nearest("cosine", (50,)), ("kappa=50",), limited=True),
        _cluster_method("SCAD2", SCAD2, (SUM, ALL)),
        _cluster_method("K-means entropy (sum D)", EntropyWeightedKMeans, (SUM, ONE, "kappa=5")),
        _cluster_method("K-means entropy (mean D)", EntropyWeightedKMeans, ("kappa=5",), dispersion="mean"),
        Method("MetaLabeler", _meta, ("cut", "uncut")),
        Method("pruned sets", _whole(PrunedSetsEnsemble)),
        Method("logistic regression (binary, C=0.1)", _plain(rivals.logistic_binary), limited=True),
        Method("logistic regression (tf-idf, C=1)", _plain(rivals.logistic_tfidf), limited=True),
        Method("linear SVM (tf-idf, C=1)", _plain(rivals.linear_svm), limited=True),
        Method("class shares", _plain(rivals.class_shares)),
        Method("random scores", _plain(rivals.random_scores)),
    )
}
