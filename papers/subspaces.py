"""Clusters with different relevant features: SubspaceMixture, its controls and its rivals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from moo_clustering import SISC, EntropyWeightedKMeans, SubspaceMixture
from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering.controls import EVOLUTION, ControlComparison, paired_difference
from moo_clustering.estimators.subspace_mixture import MixtureSearch, State, samples_of, standardisation
from papers.controlled import comparisons_of
from papers.flagship_sets import load_suite
from papers.runner import Key, ResultTable, Settings, WithoutFigures

Labels = NDArray[np.int32]
# Number of sets of a kind by default; population size of the evolutionary control.
N_SETS, POPULATION = {"hidden": 40, "apart": 40, "expression": 10}, 10
# Number of documents and terms of a collection.
_DOCUMENTS, _TERMS = 600, 1000
OURS, FREE = "SubspaceMixture", "SubspaceMixture, number found"
CONTROLS = ("population with union crossover", "multi-start")
RIVALS = (
    "Gaussian mixture, diagonal, 20 starts",
    "entropy-weighted k-means",
    "SISC",
    "PROCLUS",
    "k-means",
)
_NOTES = (
    "A positive difference means that SubspaceMixture with the known number of clusters is ahead. "
    "Intervals: 95%, bootstrap over sets; p: Wilcoxon, two-sided.",
    "Both controls have the same number of EM iterations, seeding and criterion as SubspaceMixture.",
)


class Drawn(NamedTuple):
    """Samples, and the classes that score partitions."""

    X: Any
    classes: IntArray


def generated(seed: int, kind: str) -> Drawn:
    """Generate 12 to 15 clusters of 20 to 60 samples, with 3 to 5 relevant of 60 to 100 N(0, 1) features.

    Centres of ``"hidden"`` clusters are in the range of the noise, with standard deviations of .1 to .3.
    Those of ``"apart"`` clusters are three times as far from zero, with standard deviations of .3 to .6.
    """
    rng = np.random.default_rng([seed, 19])
    far, low, high = (1.0, 0.1, 0.3) if kind == "hidden" else (3.0, 0.3, 0.6)
    k, d = int(rng.integers(12, 16)), int(rng.integers(60, 101))
    classes = rng.permutation(np.repeat(np.arange(k), rng.integers(20, 61, k)))
    X = rng.normal(size=(len(classes), d))
    for c in range(k):
        members = np.flatnonzero(classes == c)
        m = int(rng.integers(3, 6))
        own = far * rng.normal(size=m) + rng.uniform(low, high, m) * rng.normal(size=(len(members), m))
        X[np.ix_(members, rng.choice(d, m, replace=False))] = own
    return Drawn(X, classes)


def expression(seed: int) -> Drawn:
    """Imitate gene expression: 4 to 6 classes of 15 to 40 samples, 1,000 genes, and 30 markers per class.

    A marker is shifted by 1.5 to 3 standard deviations. Three hidden factors, such as batches, affect all
    genes.
    """
    rng = np.random.default_rng([seed, 20])
    k, d = int(rng.integers(4, 7)), 1000
    classes = rng.permutation(np.repeat(np.arange(k), rng.integers(15, 41, k)))
    factors = rng.normal(size=(len(classes), 3)) @ rng.normal(scale=0.2, size=(3, d))
    X = factors + rng.normal(size=(len(classes), d))
    for c in range(k):
        shift = rng.choice([-1, 1], 30) * rng.uniform(1.5, 3.0, 30)
        X[np.ix_(classes == c, rng.choice(d, 30, replace=False))] += shift
    return Drawn(X * rng.lognormal(sigma=0.5, size=d), classes)


def documents(weights: Any, classes: IntArray, seed: int) -> Drawn:
    """Return some documents of known topics, with tf-idf of the most frequent terms."""
    known = np.flatnonzero(classes >= 0)
    rows = np.sort(np.random.default_rng(seed).permutation(known)[:_DOCUMENTS])
    frequent = np.sort(np.argsort(-np.bincount(weights.indices), kind="stable")[:_TERMS])
    return Drawn(sparse.csr_matrix(weights[rows][:, frequent]), classes[rows])


class Subspaces(WithoutFigures):
    """Plan of the experiment: a cell is a generated set, or a collection of texts, and a seed.

    ``sets`` are names of kinds of generated sets, and of collections.
    """

    parameters: Mapping[str, Any] = {"population": POPULATION, "documents": _DOCUMENTS, "terms": _TERMS}

    def __init__(self, settings: Settings) -> None:
        named = [name for name in settings.sets if name not in N_SETS]
        suite = load_suite(settings.data, named).sets if named or not settings.sets else []
        self._texts = {one.name: one for one in suite if one.kind == "t"}
        self.cells = [
            {"kind": kind, "set": f"{kind}/{seed}", "identity": "generated", "seed": seed}
            for kind, number in N_SETS.items()
            if kind in settings.sets or not settings.sets
            for seed in range(settings.n_sets or number)
        ]
        self.cells += [
            {"kind": "texts", "set": name, "identity": one.identity, "seed": 0}
            for name, one in self._texts.items()
        ]

    def data(self, key: Key) -> Any:
        """Return samples and classes."""
        kind, seed = str(key["kind"]), int(key["seed"])
        if kind == "texts":
            one = self._texts[str(key["set"])]
            return documents(one.table, one.classes, seed)
        return expression(seed) if kind == "expression" else generated(seed, kind)

    @staticmethod
    def compute(key: Key, data: Any) -> dict[str, Any]:
        """Return adjusted Rand index, number of clusters, objective and seconds of every method."""
        X, classes = data
        k, seed = len(np.unique(classes)), int(key["seed"])
        value: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = SubspaceMixture(k, random_state=seed)
            value[OURS] = _scored(lambda: ours.fit(X).labels_, classes)
            free = SubspaceMixture(random_state=seed)
            value[FREE] = _scored(lambda: free.fit(X).labels_, classes)
            value[OURS]["objective"], value[FREE]["objective"] = ours.objective_, free.objective_
            for name, control in zip(CONTROLS, (evolved, restarted), strict=True):
                samples = samples_of(X, standardisation(X))
                search = MixtureSearch(samples, ours, np.random.default_rng(seed))
                run = partial(control, search, ours.n_iter_)
                value[name] = _scored(run, classes) | {"objective": search.best.objective}
            dense = X.toarray() if sparse.issparse(X) else X
            means, scales, _ = standardisation(dense)
            Z = (dense - means) * np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
            for name, method in zip(RIVALS, _rivals(X, Z, k, seed), strict=True):
                value[name] = _scored(method, classes)
        return value

    def comparisons(self, values: Sequence[Any]) -> dict[str, ControlComparison]:
        """Compare with the population as the evolution, by kind of set, with minimised objectives."""

        def runs(value: Mapping[str, Any]) -> list[dict[str, Any]]:
            return [
                {
                    "method": EVOLUTION if name == CONTROLS[0] else name,
                    "ari": one["ari"],
                    "seconds": one["s"],
                    "best objective": -one["objective"] if "objective" in one else np.nan,
                }
                for name, one in value.items()
            ]

        return comparisons_of(
            (f"clusters in subspaces, {key['kind']}", key["set"], 0, {"runs": runs(value), "curves": []})
            for key, value in zip(self.cells, values, strict=True)
        )

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return all runs, then means and differences by kind of set."""
        rows = [
            [
                str(key["kind"]),
                str(key["set"]),
                name,
                one["ari"],
                one["n_clusters"],
                one.get("objective"),
                one["s"],
            ]
            for key, value in zip(self.cells, values, strict=True)
            for name, one in value.items()
        ]
        columns = ["kind", "set", "method", "ari", "clusters", "objective", "seconds"]
        tables = [ResultTable("runs", "All runs", columns, rows)]
        for kind in dict.fromkeys(str(key["kind"]) for key in self.cells):
            own = [value for key, value in zip(self.cells, values, strict=True) if key["kind"] == kind]
            tables.append(self._table(kind, own))
        return tables

    @staticmethod
    def _table(kind: str, values: Sequence[Any]) -> ResultTable:
        def column(name: str, measure: str = "ari") -> FloatArray:
            return np.array([value[name][measure] for value in values], dtype=np.float64)

        ours, rows = column(OURS), []
        for name in (OURS, FREE, *CONTROLS, *RIVALS):
            row = [name, float(column(name).mean()), float(column(name, "s").mean())]
            same = name == OURS
            rows.append([*row, *([None] * 7 if same else paired_difference(ours, column(name)).values())])
        columns = ["method", "ARI", "seconds", *paired_difference([0], [0])]
        notes = [claim(kind, ours, column(CONTROLS[0])), *_NOTES]
        title = f"{kind}, {len(values)} sets"
        return ResultTable(f"means-{kind}", title, columns, rows, notes, {"p": ".2g", "seconds": ".2f"})


def claim(kind: str, ours: FloatArray, evolution: FloatArray) -> str:
    """Return a sentence that the comparison of the single incumbent with the population supports."""
    found = paired_difference(evolution, ours)
    change = f"{found['difference']:+.3f} [{found['low']:.3f}, {found['high']:.3f}], p = {found['p']:.2g}"
    if found["p"] >= 0.05:
        return f"{kind}: a population does not differ from a single incumbent beyond chance ({change})."
    better = "better" if found["difference"] > 0 else "worse"
    return f"{kind}: a population is {better} than a single incumbent ({change})."


def _scored(method: Callable[[], Any], classes: IntArray) -> dict[str, Any]:
    begun = process_time()
    labels = np.asarray(method())
    seconds = process_time() - begun
    ari = float(adjusted_rand_score(classes, labels))
    return {"ari": ari, "n_clusters": len(np.unique(labels)), "s": seconds}


def _rivals(X: Any, Z: FloatArray, k: int, seed: int) -> list[Callable[[], Any]]:
    """Return runs of the rivals on standardised features or, for texts, on suitable features."""
    text = sparse.issparse(X)
    given = X if text else Z
    # On generated sets, means of dispersions and gamma = 1 are the best of four settings.
    weighted = EntropyWeightedKMeans(k, gamma=1.0, dispersion="mean", n_init=10, random_state=seed)
    mixture = GaussianMixture(k, covariance_type="diag", n_init=20, random_state=seed)
    return [
        lambda: mixture.fit_predict(Z),
        lambda: weighted.fit(given).labels_,
        lambda: SISC(k, init="kmeans", binarize=text, random_state=seed).fit(given).labels_,
        lambda: proclus(Z, k, 4, np.random.default_rng(seed)),
        lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(given),
    ]


def restarted(search: MixtureSearch, n_iter: int) -> Labels:
    """Return the best of many runs of EM, each from clusters that are seeded one at a time."""
    best: State | None = None
    while search.n_iter < n_iter:
        search.grow()
        if best is None or search.best.objective > best.objective:
            best = search.best
    assert best is not None
    search.best = best
    return best.labels


def evolved(search: MixtureSearch, n_iter: int) -> Labels:
    """Evolve a population: children combine clusters of both parents, and half receive a new cluster.

    Parents are selected by tournaments of two. A child replaces the worst member unless its objective is
    already present.
    """
    rng, people = search.rng, []
    for _ in range(POPULATION):
        search.grow()
        people.append(search.best)
    k = len(people[0].sizes)
    while search.n_iter < n_iter:
        couple = [
            max((people[i] for i in rng.choice(POPULATION, 2, False)), key=attrgetter("objective"))
            for _ in range(2)
        ]
        labels = union(search, couple, k)
        if rng.random() < 0.5:
            labels[search.dense_samples()] = rng.integers(k)
        # Abandoning children early, like swaps, led to worse partitions.
        found = search.converged(search.state(labels, k))
        worst = min(range(POPULATION), key=lambda i: people[i].objective)
        known = any(abs(found.objective - other.objective) < 1e-6 for other in people)
        if found.objective > people[worst].objective and not known:
            people[worst] = found
    search.best = max(people, key=attrgetter("objective"))
    return search.best.labels


def union(search: MixtureSearch, parents: Sequence[State], k: int) -> Labels:
    """Combine the k clusters with the largest gain from samples in no earlier cluster; -1 for the rest."""
    clusters, gains = [], []
    for state in parents:
        _, model = search.model(state)
        clusters += [state.labels == c for c in range(k)]
        gains += model.gains.sum(axis=1).tolist()
    labels = np.full(len(parents[0].labels), -1, dtype=np.int32)
    for c in range(k):
        free = [float((own & (labels < 0)).sum() / max(1, own.sum())) for own in clusters]
        best = int(np.argmax(np.multiply(gains, free)))
        labels[clusters[best] & (labels < 0)] = c
        gains[best] = 0.0
    return labels


def proclus(Z: FloatArray, k: int, n_dims: int, rng: np.random.Generator, patience: int = 20) -> Labels:
    """Run PROCLUS of Aggarwal et al. (SIGMOD 1999): medoids with ``n_dims`` features each on average.

    Bad medoids (fewer than a tenth of the average size) are replaced from five times k distant candidates
    until ``patience`` replacements have failed. The features of the last clusters are refined at the end.
    """
    n = len(Z)
    sample = rng.choice(n, min(n, 30 * k), replace=False)
    candidates = [int(rng.choice(sample))]
    gap = np.linalg.norm(Z[sample] - Z[candidates[0]], axis=1)
    for _ in range(min(len(sample), 5 * k) - 1):
        candidates.append(int(sample[int(gap.argmax())]))
        gap = np.minimum(gap, np.linalg.norm(Z[sample] - Z[candidates[-1]], axis=1))
    medoids = rng.choice(candidates, k, replace=False)
    best, cost, in_vain = np.zeros(n, dtype=np.int32), np.inf, 0
    best_medoids = medoids
    while in_vain < patience:
        localities = _localities(Z, medoids)
        dims = _dimensions(Z, medoids, localities, n_dims)
        labels = _nearest(Z, medoids, dims)
        found = _dispersion(Z, labels, dims)
        in_vain += 1
        if found < cost:
            best, cost, best_medoids, in_vain = labels, found, medoids, 0
        sizes = np.bincount(best, minlength=k)
        bad = sizes < 0.1 * n / k
        bad[int(sizes.argmin())] = True
        medoids = best_medoids.copy()
        rest = np.setdiff1d(candidates, medoids)
        medoids[bad] = rng.choice(rest, int(bad.sum()), replace=False)
    members = [np.flatnonzero(best == c) for c in range(k)]
    return _nearest(Z, best_medoids, _dimensions(Z, best_medoids, members, n_dims))


def _localities(Z: FloatArray, medoids: IntArray) -> list[IntArray]:
    """Return the samples that are nearer to each medoid than the nearest other medoid."""
    away = np.linalg.norm(Z[:, None] - Z[medoids][None], axis=2)
    between = away[medoids].copy()
    np.fill_diagonal(between, np.inf)
    return [np.flatnonzero(away[:, c] <= between[c].min()) for c in range(len(medoids))]


def _dimensions(
    Z: FloatArray, medoids: IntArray, groups: Sequence[IntArray], n_dims: int
) -> NDArray[np.bool_]:
    """Return the features in which each group is closest to its medoid, relative to its other features."""
    k, d = len(medoids), Z.shape[1]
    away = np.ones((k, d))
    for c, (group, medoid) in enumerate(zip(groups, medoids, strict=True)):
        if len(group):
            away[c] = np.abs(Z[group] - Z[medoid]).mean(axis=0)
    spread = away.std(axis=1, ddof=1, keepdims=True)
    scores = (away - away.mean(axis=1, keepdims=True)) / np.maximum(spread, 1e-12)
    chosen = np.zeros((k, d), dtype=bool)
    np.put_along_axis(chosen, np.argsort(scores, axis=1)[:, :2], True, axis=1)
    scores[chosen] = np.inf
    chosen.ravel()[np.argsort(scores, axis=None)[: k * (n_dims - 2)]] = True
    return chosen


def _nearest(Z: FloatArray, medoids: IntArray, dims: NDArray[np.bool_]) -> Labels:
    """Assign samples by the mean absolute difference in the features of the medoid."""
    away = [np.abs(Z[:, own] - Z[m, own]).mean(axis=1) for m, own in zip(medoids, dims, strict=True)]
    return np.argmin(away, axis=0).astype(np.int32)


def _dispersion(Z: FloatArray, labels: Labels, dims: NDArray[np.bool_]) -> float:
    """Return the mean absolute difference from the centres in the features of the clusters."""
    total = 0.0
    for c in np.unique(labels):
        own = Z[labels == c][:, dims[c]]
        total += len(own) * float(np.abs(own - own.mean(axis=0)).mean())
    return total / len(Z)
