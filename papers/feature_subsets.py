"""Feature subsets in heavy noise: a genetic algorithm, its controls, and methods without a search."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pymoo.algorithms.soo.nonconvex.ga import GA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.metrics import adjusted_rand_score
from sklearn.semi_supervised import LabelSpreading

from moo_clustering._arrays import BoolArray, FloatArray
from moo_clustering.controls import ControlComparison, paired_difference
from moo_clustering.problems import FeatureSubsetEncoding, FeatureSubsetProblem
from papers.controlled import comparisons_of, searched
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultTable, Settings, seed_of

N_EVALS, POP_SIZE = 2_000, 50
N_SAMPLES, N_CLUSTERS, N_LABELS = 240, 3, 3
# Deviation of the class means in a relevant feature; within classes, the deviation is 1.
SPREAD = 1.0
# Score of a subset: agreement with the labels, plus half of its separation.
WEIGHTS = (1.0, 0.5)
MAX_FEATURES, N_INIT = 50, 1
# Number of features that forward selection tries per step; sizes of subsets that filters try.
_TRIED, _SIZES = 100, (1, 2, 3, 5, 8, 12, 20, 30, 50)
# Number of generated sets by number of features, and of draws of rows and labels of sets with many features.
GENERATED = {100: 5, 300: 5, 400: 120, 600: 5, 1000: 5}
REAL, DRAWS = ("optdigits", "sonar", "waveform"), 5
_MEASURES = ("hypervolume", "best score", "ari", "evaluations", "seconds")
# Bounds and reference draws of sparse k-means.
_BOUNDS, _PERMUTATIONS, _ROUNDS = (1.5, 2.0, 3.0, 4.5, 7.0, 11.0), 3, 8


class FeatureSubsets:
    """Plan of the experiment: a cell is a generated set, or a draw of rows and labels of a data set.

    ``sets`` are ``"d=400"`` or names of files, and ``seeds`` multiplies the number of cells of each.
    """

    parameters: Mapping[str, Any] = {"n_evals": N_EVALS, "n_labels": N_LABELS}

    def __init__(self, settings: Settings) -> None:
        sizes = {f"d={d}": n for d, n in GENERATED.items()} | dict.fromkeys(REAL, DRAWS)
        wanted = [name for name in sizes if name in (settings.sets or sizes)]
        real = [name for name in wanted if name in REAL]
        # A folder may lack tables that were not requested by name.
        suite = load_suite(settings.data, real if settings.sets else ()).sets if real else []
        self._sets = {one.name: one for one in suite if one.name in real}
        # The most important number of features is first, so that its cells finish first.
        self.cells: list[Key] = [
            {"set": name, "seed": seed}
            for name in sorted(wanted, key=lambda name: -sizes[name])
            if name not in REAL or name in self._sets
            for seed in range(settings.seeds * sizes[name])
        ]

    def data(self, key: Key) -> Any:
        """Return the data set, or the number of features of a generated one."""
        name = str(key["set"])
        return self._sets[name] if name in self._sets else int(name.removeprefix("d="))

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Return runs and curves of the searches, and the methods without a search as further runs."""
        seed = int(key["seed"])
        found = generated(data, seed) if isinstance(data, int) else _drawn(data, seed)
        # Agreement is measured on the samples without a given label.
        y = np.where(found.partial_y < 0, found.classes, -1)
        problems = {"labels": problem_of(found), HELD_OUT: problem_of(found, held_out=True)}
        value: dict[str, Any] = {}
        for evidence, problem in problems.items():
            algorithm, controls = GA(pop_size=POP_SIZE, **problem.operators(GA)), SEARCHES[evidence]
            options: dict[str, Any] = {"n_evals": N_EVALS, "y": y, "controls": controls}
            value[evidence] = searched(problem, algorithm, seed=seed, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            others = rivals(found, problems, seed)
        value["rivals"] = {
            name: {"ari": float(adjusted_rand_score(y[y >= 0], labels[y >= 0])), "seconds": seconds}
            for name, (labels, seconds) in others.items()
        }
        if found.true is not None:
            value["scores of the true features"] = {
                evidence: float(one.evaluate(_subset(one, found.true))[0, 0])
                for evidence, one in problems.items()
            }
        return value

    def comparisons(self, values: Sequence[Any]) -> dict[str, ControlComparison]:
        """Return comparisons by set and evidence; methods without a search are further controls."""
        cells = []
        for key, value in zip(self.cells, values, strict=True):
            others = [{"method": rival} | measured for rival, measured in value["rivals"].items()]
            for evidence in SEARCHES:
                own, setting = value[evidence], f"feature subsets, {key['set']}, by {evidence}"
                cells.append((setting, key["seed"], 0, own | {"runs": own["runs"] + others}))
        columns = ["problem", "seed", "method", *_MEASURES]
        return {
            setting: one._replace(runs=one.runs[columns]) for setting, one in comparisons_of(cells).items()
        }

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Compare scores by labels and by held-out labels, for every search that used both."""
        rows: list[list[Any]] = []
        for name in dict.fromkeys(str(key["set"]) for key in self.cells):
            pairs = zip(self.cells, values, strict=True)
            own = [value for key, value in pairs if key["set"] == name]
            by = {
                evidence: pd.DataFrame(
                    [{run["method"]: run["ari"] for run in one[evidence]["runs"]} for one in own]
                )
                for evidence in SEARCHES
            }
            for method in by[HELD_OUT]:
                plain, held_out = by["labels"][method], by[HELD_OUT][method]
                rows.append(
                    [
                        name,
                        method,
                        plain.mean(),
                        held_out.mean(),
                        *paired_difference(held_out, plain).values(),
                    ]
                )
            scores = [
                one["scores of the true features"] for one in own if "scores of the true features" in one
            ]
            better = [
                one["labels"]["runs"][0]["best score"] < score["labels"]
                for one, score in zip(own, scores, strict=False)
            ]
            if better:
                rows.append([name, "share of sets scored above the true features", float(np.mean(better))])
        width = 4 + len(paired_difference([0], [0]))
        return [
            ResultTable(
                "evidence",
                "Feature subsets: agreement by evidence of the score",
                ["set", "search", "labels", "held-out labels", *paired_difference([0], [0])],
                [[*row, *[None] * (width - len(row))] for row in rows],
                ["A positive difference means that the score by held-out labels leads to better clusters."],
                {"p": ".2g"},
            )
        ]


def _drawn(data: Any, seed: int) -> Sample:
    """Draw rows of a data set, and labels of some of them."""
    rng = np.random.default_rng(seed_of("feature subsets", data.name, seed))
    known = np.flatnonzero(data.classes >= 0)
    rows = rng.choice(known, min(N_SAMPLES, len(known)), replace=False)
    classes = np.unique(data.classes[rows], return_inverse=True)[1]
    return Sample(scaled(data.features()[rows]), classes, some_labels(classes, rng), None)


class Sample(NamedTuple):
    """A data set, with the classes of some samples."""

    X: FloatArray
    classes: Any
    partial_y: Any
    true: Any  # numbers of the relevant features, None if unknown


def generated(d: int, *seed: str | int) -> Sample:
    """Generate classes in 8 to 10 of d features, an irrelevant clustering in 8 to 10 others, and noise."""
    rng = np.random.default_rng(seed_of("feature subsets", d, *seed))
    X = rng.normal(size=(N_SAMPLES, d))
    columns, at = rng.permutation(d), 0
    classes, nuisance = (rng.permutation(np.arange(N_SAMPLES) % N_CLUSTERS) for _ in range(2))
    sizes = rng.integers(8, 11, 2).tolist()
    for labels, size in zip((classes, nuisance), sizes, strict=True):
        X[:, columns[at : at + size]] += SPREAD * rng.normal(size=(N_CLUSTERS, size))[labels]
        at += size
    return Sample(scaled(X), classes, some_labels(classes, rng), columns[: sizes[0]])


def scaled(X: FloatArray) -> FloatArray:
    """Return features with mean 0 and variance 1, without constant features."""
    X = X[:, np.ptp(X, axis=0) > 0]
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def some_labels(classes: Any, rng: np.random.Generator) -> Any:
    """Return the classes of ``N_LABELS`` random samples of each class, -1 for the others."""
    y = np.full(len(classes), -1)
    for c in np.unique(classes):
        y[rng.choice(np.flatnonzero(classes == c), N_LABELS, replace=False)] = c
    return y


def halving(evaluate: Any, sample: Any, vary: Any, rng: np.random.Generator) -> None:
    """Keep the half of the features whose subsets have higher scores, until eight remain."""
    d = sample().shape[1]
    kept, rounds = np.arange(d), max(1, int(np.log2(d / 8)) + 1)
    for step in range(rounds):
        X = np.zeros((N_EVALS // rounds if step < rounds - 1 else N_EVALS, d), dtype=bool)
        sizes = np.exp(rng.uniform(np.log(2), np.log(min(len(kept), 2 * MAX_FEATURES) + 1), len(X)))
        for row, size in zip(X, np.clip(sizes.astype(int), 1, MAX_FEATURES), strict=True):
            row[rng.choice(kept, min(size, len(kept)), replace=False)] = True
        F = np.concatenate([evaluate(X[i : i + POP_SIZE]) for i in range(0, len(X), POP_SIZE)])[:, 0]
        shares = X[:, kept].astype(float)
        means = (F @ shares) / np.maximum(shares.sum(axis=0), 1)
        kept = kept[np.argsort(means)[: max(8, len(kept) // 2)]]


def forward_backward(evaluate: Any, sample: Any, vary: Any, rng: np.random.Generator) -> None:
    """Add the best of 100 random features and drop the worst while the score improves, then restart."""
    d = sample().shape[1]
    while True:
        row, least, stalled = np.zeros(d, dtype=bool), np.inf, 0
        while stalled < 3:
            absent = np.flatnonzero(~row)
            tried = rng.choice(absent, min(_TRIED, len(absent)), replace=False)
            changed = False
            for columns in (tried, np.flatnonzero(row)):
                if (columns is tried and row.sum() >= MAX_FEATURES) or (
                    columns is not tried and row.sum() < 2
                ):
                    continue
                X = np.repeat(row[None], len(columns), axis=0)
                X[np.arange(len(columns)), columns] ^= True
                F = evaluate(X)[:, 0]
                if F.min() < least:
                    row, least, changed = X[F.argmin()], F.min(), True
            stalled = 0 if changed else stalled + 1


# Searches besides the evolution, by the evidence of the score.
HELD_OUT = "held-out labels"
SEARCHES: dict[str, Sequence[Any]] = {
    "labels": (
        "initial",
        "random",
        "drift",
        "climbs",
        "local search",
        "annealing",
        halving,
        forward_backward,
    ),
    HELD_OUT: ("drift", "climbs", "local search", "annealing", halving, forward_backward),
}


def problem_of(data: Sample, *, held_out: bool = False) -> FeatureSubsetProblem:
    """Return the problem of a data set, scored by agreement with labels or with held-out labels."""
    return FeatureSubsetProblem(
        data.X,
        len(np.unique(data.classes)),
        ["held_out_labels" if held_out else "labels", "separation"],
        partial_y=data.partial_y,
        weights=WEIGHTS,
        max_features=min(MAX_FEATURES, data.X.shape[1]),
        n_init=N_INIT,
    )


def rivals(
    data: Sample, problems: Mapping[str, FeatureSubsetProblem], seed: int
) -> dict[str, tuple[Any, float]]:
    """Return partitions and processor seconds of methods that do not search for subsets."""
    found, problem = {}, problems["labels"]
    known = data.partial_y >= 0
    ratios = np.nan_to_num(f_classif(data.X[known], data.partial_y[known])[0])
    spreading = LabelSpreading(kernel="knn", n_neighbors=10)
    methods: dict[str, Callable[[], Any]] = {
        "F-filter": lambda: _filtered(problem, ratios),
        f"F-filter by {HELD_OUT}": lambda: _filtered(problems[HELD_OUT], ratios),
        "forest weights": lambda: _weighted(problem, _importances(data, seed)),
        "sparse k-means": lambda: _weighted(problem, sparse_kmeans_weights(problem.encoding, seed)),
        "label spreading": lambda: spreading.fit(data.X, data.partial_y).transduction_,
        "all features": lambda: problem.encoding.kmeans(problem.encoding.points)[0],
    }
    if data.true is not None:
        methods["true features"] = lambda: problem.decode(_subset(problem, data.true))[0]
    for name, method in methods.items():
        begun = process_time()
        found[name] = method(), process_time() - begun
    return found


def _subset(problem: FeatureSubsetProblem, columns: Any) -> BoolArray:
    row = np.zeros((1, problem.n_var), dtype=bool)
    row[0, columns] = True
    return row


def _filtered(problem: FeatureSubsetProblem, values: FloatArray) -> Any:
    """Partition by the best-scored subset among the features with the largest values."""
    order = np.argsort(-values, kind="stable")
    X = np.concatenate([_subset(problem, order[:m]) for m in _SIZES if m <= problem.encoding.max_features])
    return problem.decode(X[[int(problem.evaluate(X)[:, 0].argmin())]])[0]


def _importances(data: Sample, seed: int) -> FloatArray:
    known = data.partial_y >= 0
    forest = RandomForestClassifier(200, random_state=seed).fit(data.X[known], data.partial_y[known])
    return np.asarray(forest.feature_importances_)


def _weighted(problem: FeatureSubsetProblem, weights: FloatArray) -> Any:
    """Partition by k-means with weighted squared differences."""
    some = weights > 0
    return problem.encoding.kmeans(
        np.ascontiguousarray(problem.encoding.points[:, some] * np.sqrt(weights[some]))
    )[0]


def sparse_kmeans_weights(encoding: FeatureSubsetEncoding, seed: int) -> FloatArray:
    """Return feature weights of sparse k-means, with the bound of their sum selected by the gap statistic.

    Source: D. M. Witten and R. Tibshirani: A framework for feature selection in clustering. JASA 105, 2010,
    sections 3.1 and 3.2.
    """
    rng = np.random.default_rng(seed)
    noise = [rng.permuted(encoding.points, axis=0) for _ in range(_PERMUTATIONS)]
    best, most = np.ones(encoding.n_var), -np.inf
    for bound in _BOUNDS:
        if bound**2 >= encoding.n_var:
            break
        weights, objective = _sparse_kmeans(encoding, encoding.points, bound)
        gap = np.log(objective) - np.mean([np.log(_sparse_kmeans(encoding, one, bound)[1]) for one in noise])
        if gap > most:
            best, most = weights, gap
    return best


def _sparse_kmeans(encoding: FeatureSubsetEncoding, X: FloatArray, bound: float) -> tuple[FloatArray, float]:
    """Return weights, and the weighted sum of squares between clusters."""
    d = X.shape[1]
    weights, between = np.full(d, d**-0.5), np.ones(d)
    for _ in range(_ROUNDS):
        some = weights > 0
        labels = encoding.kmeans(np.ascontiguousarray(X[:, some] * np.sqrt(weights[some])))[0]
        members = np.eye(labels.max() + 1)[labels]
        sums = members.T @ X
        between = (sums**2 / np.maximum(members.sum(axis=0), 1)[:, None]).sum(axis=0)
        before, weights = weights, _soft_weights(between, bound)
        if np.abs(weights - before).sum() < 1e-4 * np.abs(before).sum():
            break
    return weights, max(float(weights @ between), 1e-12)


def _soft_weights(between: FloatArray, bound: float) -> FloatArray:
    """Return unit-length weights with sum at most ``bound``, by soft thresholding and bisection (Eq. 8)."""
    low, high = 0.0, float(between.max())
    weights = between / np.linalg.norm(between)
    for _ in range(50 if weights.sum() > bound else 0):
        middle = (low + high) / 2
        soft = np.maximum(between - middle, 0.0)
        weights = soft / max(float(np.linalg.norm(soft)), 1e-300)
        low, high = (middle, high) if weights.sum() > bound else (low, middle)
    return weights
