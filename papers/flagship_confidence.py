"""The model behind ``confidence_`` and ``verdict_`` of ParetoClustering, and its calibration.

Pools are fitted to generated tables and to the sets of a folder. Their results and random members are
described by the features of the estimator, and paired with their adjusted Rand index with the classes (0
without classes). :func:`fit_model` estimates the two parts of the model, and the tables evaluate its
predictions for left-out sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from moo_clustering._arrays import BoolArray, FloatArray, IntArray
from moo_clustering.estimators._pareto_confidence import (
    FEATURES,
    STRUCTURE_DOUBTED,
    STRUCTURE_FROM,
    ConfidenceModel,
    lie_apart,
)
from moo_clustering.validity import pairwise_ari
from papers.flagship_generated import NULLS, STRUCTURED, generated_table
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultTable, Settings, WithoutFigures

# Number of members of a pool besides its result, and their total weight relative to it.
N_MEMBERS, MEMBERS_WEIGHT = 8, 0.5
# Inverse penalty strengths of the two parts of the model.
_LOGISTIC, _FRACTIONAL = 0.1, 0.3
# Weight of the probability of structure, slope and shift before calibration, and penalty on deviations.
_DEFAULT, _NEAR_DEFAULT = np.array([1.0, 1.0, 0.5]), 0.002
N_FOLDS = 20
# Expected indices at which the interval of reached indices is estimated, each from the 24 nearest results.
EXPECTED, _NEAREST = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0), 24
WITHOUT_SPACE = FEATURES[:10]
STRUCTURE_TERMS = (*WITHOUT_SPACE, "excess", "silhouette", "log_features")
ARI_TERMS = (
    *("agreement", "support", "near_agreement", "cut", "worst_cut", "log_smallest", "log_points"),
    *("minimax_silhouette", "silhouette", "likelihood_gain", "log_features"),
)


class Described(NamedTuple):
    """Partitions of all pools."""

    features: FloatArray  # shape (n, n_features)
    ari: FloatArray  # shape (n,)
    groups: Any  # shape (n,): set, or kind and seed; the rows of a group are held out together
    kinds: Any  # shape (n,): kind of a generated table, or the set
    # shape (n,): whether the data have no classes, the partition is a result, and the data are a set of the
    # folder
    is_null: BoolArray
    is_result: BoolArray
    is_set: BoolArray


class Confidence(WithoutFigures):
    """Plan of the experiment: a cell is a data set and a seed."""

    def __init__(self, settings: Settings) -> None:
        suite = load_suite(settings.data, settings.sets)
        self._sets = {one.name: one for one in suite.sets}
        self.parameters = {"members": N_MEMBERS, "features": list(FEATURES)}
        names = [*STRUCTURED, *NULLS]
        self.cells: list[Key] = [
            {"kind": kind, "seed": seed} for kind in names for seed in range(4 * settings.seeds)
        ]
        self.cells += [
            {"set": name, "data": one.identity, "seed": seed}
            for name, one in self._sets.items()
            for seed in range(settings.seeds)
        ]

    def data(self, key: Key) -> Any:
        """Return the set, or None if it is generated."""
        return self._sets[str(key["set"])] if "set" in key else None

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Return features and adjusted Rand indices of the result and of members of the pool."""
        from moo_clustering import ParetoClustering

        seed = int(key["seed"])
        if data is None:
            X, classes, scale = generated_table(str(key["kind"]), seed)
            model = ParetoClustering(scale=scale, random_state=seed).fit(X)
        else:
            classes = data.classes
            model = ParetoClustering(scale="none", random_state=seed).fit(data.features())
        drawn = np.random.default_rng(seed).choice(
            model.pool_.n_partitions, min(N_MEMBERS, model.pool_.n_partitions), replace=False
        )
        points = model._samples.per_point(model.labels_)
        rows = np.vstack([points[None], model.pool_.labels[drawn]])
        return {
            "features": model._assessor.features(rows).tolist(),
            "ari": _with_classes(rows, classes).tolist(),
        }

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return every partition, the model, its calibration, and verdicts by kind."""
        described = _described(self.cells, values)
        everything = ResultTable(
            "partitions",
            "Partitions",
            ["group", "result", *FEATURES, "ari"],
            [
                [str(group), str(bool(result)), *map(float, row), float(ari)]
                for group, result, row, ari in zip(
                    described.groups, described.is_result, described.features, described.ari, strict=True
                )
            ],
        )
        tables = [everything]
        for name, structure, ari in (
            ("model", STRUCTURE_TERMS, ARI_TERMS),
            ("model-without-features", WITHOUT_SPACE, WITHOUT_SPACE),
        ):
            tables.append(model_table(name, fit_model(described, structure, ari)))
            tables += judged(described, name, *predicted(described, structure, ari))
        return tables


def _with_classes(rows: IntArray, classes: IntArray) -> FloatArray:
    known = classes >= 0
    if len(np.unique(classes[known])) < 2:
        return np.zeros(len(rows))
    of_rows, of_classes = rows[:, known].astype(np.int32), classes[None, known].astype(np.int32)
    index: FloatArray = pairwise_ari(of_rows, of_classes)[:, 0]
    return index


def _described(cells: Sequence[Key], values: Sequence[Mapping[str, Any]]) -> Described:
    n = [len(value["ari"]) for value in values]
    groups = [str(key["set"]) if "set" in key else f"{key['kind']} {key['seed']}" for key in cells]
    kinds = np.repeat([str(key.get("kind", key.get("set"))) for key in cells], n)
    return Described(
        np.concatenate([np.array(value["features"]) for value in values]),
        np.concatenate([np.array(value["ari"]) for value in values]),
        np.repeat(groups, n),
        kinds,
        np.isin(kinds, list(NULLS)),
        np.concatenate([np.arange(count) == 0 for count in n]),
        np.repeat(["set" in key for key in cells], n),
    )


def fit_model(
    described: Described, structure: Sequence[str], ari: Sequence[str], rows: BoolArray | None = None
) -> ConfidenceModel:
    """Estimate both parts from some rows, by default all; numbers are rounded to three digits.

    Parameters
    ----------
    structure, ari : sequence of str
        Features of the two parts. The first part compares results with those of tables without clusters. The
        second part uses all partitions of the other tables, and is then calibrated to the least absolute
        error of all results.
    """
    rows = np.ones(len(described.ari), dtype=bool) if rows is None else rows
    results, structured = rows & described.is_result, rows & ~described.is_null
    means = described.features[results].mean(axis=0)
    scales = described.features[results].std(axis=0)
    standardised = (described.features - means) / np.where(scales > 0, scales, 1.0)
    first = standardised[:, [FEATURES.index(name) for name in structure]]
    second = standardised[:, [FEATURES.index(name) for name in ari]]
    logistic = LogisticRegression(C=_LOGISTIC, class_weight="balanced", max_iter=3000)
    logistic.fit(first[results], ~described.is_null[results])
    # Every partition is a success with its index as the weight, and a failure with the remaining weight.
    weights = np.where(described.is_result, 1.0, MEMBERS_WEIGHT / N_MEMBERS)[structured]
    shares = np.clip(described.ari[structured], 0.0, 1.0)
    fractional = LogisticRegression(C=_FRACTIONAL, max_iter=3000).fit(
        np.tile(second[structured], (2, 1)),
        np.repeat([1, 0], structured.sum()),
        sample_weight=np.concatenate([weights * shares, weights * (1 - shares)]),
    )
    log_structure = np.log(np.maximum(logistic.predict_proba(first[results])[:, 1], 1e-4))
    log_odds, reached = fractional.decision_function(second[results]), described.ari[results]

    def error(given: FloatArray) -> float:
        expected = expit(given[0] * log_structure + given[1] * log_odds + given[2])
        absolute = np.sqrt((expected - reached) ** 2 + 1e-4)
        return float(absolute.mean() + _NEAR_DEFAULT * ((given - _DEFAULT) ** 2).sum())

    def rounded(value: float) -> float:
        return float(f"{value:.3g}")

    weight, slope, shift = map(rounded, minimize(error, _DEFAULT).x)
    of_structure = dict(zip(structure, logistic.coef_[0], strict=True))
    of_ari = dict(zip(ari, slope * fractional.coef_[0], strict=True))
    terms = {
        name: (
            rounded(mean),
            rounded(scale),
            rounded(of_structure.get(name, 0)),
            rounded(of_ari.get(name, 0)),
        )
        for name, mean, scale in zip(FEATURES, means, scales, strict=True)
        if name in of_structure or name in of_ari
    }
    start = round(float(slope * fractional.intercept_[0] + shift), 3)
    return ConfidenceModel(round(float(logistic.intercept_[0]), 3), start, weight, terms)


def predicted(
    described: Described, structure: Sequence[str], ari: Sequence[str], by: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Predict the probability of structure and the expected index of every row by models without its group.

    Parameters
    ----------
    by : ndarray of shape (n,), optional
        Rows with equal values are held out together; default: twentieths of the groups.
    """
    if by is None:
        names, codes = np.unique(described.groups, return_inverse=True)
        by = np.random.default_rng(0).permutation(len(names))[codes] % N_FOLDS
    found = np.empty((2, len(described.ari)))
    # As in the estimator, the result determines whether the data have structure.
    result_of = np.maximum.accumulate(np.where(described.is_result, np.arange(len(described.ari)), 0))
    for part in np.unique(by):
        left_out = by == part
        model = fit_model(described, structure, ari, ~left_out)
        of_result = model.structure_of(described.features[result_of[left_out]])
        found[:, left_out] = of_result, model.expected(described.features[left_out], of_result)
    return found[0], found[1]


def calibration_error(expected: FloatArray, reached: FloatArray) -> float:
    """Return the mean difference of expected and reached means in five equal intervals, weighted by rows."""
    place = np.minimum((expected * 5).astype(int), 4)
    gaps = [
        (place == one).sum() * abs(expected[place == one].mean() - reached[place == one].mean())
        for one in np.unique(place)
    ]
    return float(np.sum(gaps) / len(expected))


def reached_interval(expected: FloatArray, reached: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the quantiles 1/6 and 5/6 of the indices of the results nearest to each value of ``EXPECTED``.

    The interval is widened to contain the expected index, and both ends are made increasing.
    """
    low, high = np.empty(len(EXPECTED)), np.empty(len(EXPECTED))
    for place, one in enumerate(EXPECTED):
        near = np.argsort(np.abs(expected - one), kind="stable")[:_NEAREST]
        ends = np.quantile(reached[near], [1 / 6, 5 / 6])
        low[place], high[place] = np.clip([min(ends[0], one), max(ends[1], one)], 0.0, 1.0)
    return np.maximum.accumulate(low), np.maximum.accumulate(high)


def model_table(name: str, model: ConfidenceModel) -> ResultTable:
    """Return means, scales and coefficients, as stored in ``_pareto_confidence``."""
    rows: list[list[Any]] = [
        ["intercept", None, None, model.structure, model.ari],
        ["log structure", None, None, None, model.weight],
    ]
    rows += [[feature, *term] for feature, term in model.terms.items()]
    columns = ["feature", "mean", "scale", "structure", "ARI"]
    return ResultTable(name, "Model", columns, rows, formats=dict.fromkeys(columns[1:], ".3g"))


def judged(
    described: Described, name: str, structure: FloatArray, confidence: FloatArray
) -> list[ResultTable]:
    """Return the errors of the confidence of results, and verdicts by kind of data."""
    # If the excess over the references is larger than 1.78, their p-value is below .05.
    doubted = described.features[:, FEATURES.index("excess")] < 1.78
    if name != "model":
        doubted[:] = False
    results = described.is_result
    rows: list[list[Any]] = []
    for title, chosen in (
        ("all results", results),
        ("sets", results & described.is_set),
        ("members", ~results & ~described.is_null),
    ):
        expected, reached = confidence[chosen], described.ari[chosen]
        if chosen.any():
            rows.append(
                [
                    title,
                    int(chosen.sum()),
                    float(np.abs(expected - reached).mean()),
                    calibration_error(expected, reached),
                    float(spearmanr(expected, reached)[0]),
                ]
            )
    low, high = reached_interval(confidence[results], described.ari[results])
    intervals = [[*map(float, row)] for row in zip(EXPECTED, low, high, strict=True)]
    noise = structure < np.where(doubted, STRUCTURE_DOUBTED, STRUCTURE_FROM)
    if name == "model":
        noise &= ~lie_apart(described.features)
    clear = results & ~described.is_null & (described.ari > 0.8)
    verdicts: list[list[Any]] = [
        ["clear structures (ARI above .8)", int(clear.sum()), float(noise[clear].mean())]
    ]
    kinds = described.kinds
    for kind in [*NULLS, *STRUCTURED]:
        chosen = results & (kinds == kind)
        if chosen.any():
            verdicts.append([kind, int(chosen.sum()), float(noise[chosen].mean())])
    columns = ["partitions", "number", "mean absolute error", "calibration error", "rank correlation"]
    return [
        ResultTable(f"{name}-calibration", "Confidence of held-out data", columns, rows),
        ResultTable(
            f"{name}-intervals",
            "Indices reached by two thirds of the results",
            ["expected index", "low", "high"],
            intervals,
        ),
        ResultTable(
            f"{name}-verdicts",
            "Share of results reported as noise",
            ["kind", "number", "no structure"],
            verdicts,
        ),
    ]
