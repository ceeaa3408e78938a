"""ParetoClustering and its rivals: questions about a data set, and the compared methods.

A block of :data:`BLOCKS` is a question, such as few labels of every class. :func:`run_task` runs it on one
set and scores every method. Every rival is a function, which follows the first block that uses it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import spsolve
from scipy.spatial import KDTree
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints
from moo_clustering.estimators import MOCK, PESC, EnsembleNMF, HMRFKMeans, NSGA2Clus, PCKMeans
from moo_clustering.estimators._base import feature_scaling
from moo_clustering.graphs import spectral_embedding, spectral_partition, write_constraints
from moo_clustering.validity import Silhouette, ValidityIndex
from papers.flagship_sets import (
    CONSENSUS,
    CONSTRAINED,
    CONTROL,
    EVIDENCE,
    EVOLVED,
    FLAGSHIP,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
    K_MEANS,
    KNOWN,
    LOGISTIC,
    MINIMAX,
    MIXTURE,
    MODULARITY,
    ORACLE,
    PLAIN_KNOWN,
    PLAIN_UNKNOWN,
    PLSCAN,
    RANDOM,
    RANDOM_SURVIVAL,
    SELECT,
    SPREADING,
    UNKNOWN,
    VECTORS,
    ClassedSet,
    PairDraw,
    Sheet,
    draw_labels,
    draw_pairs,
    draw_some_classes,
    made_set,
)
from papers.runner import seed_of

# Maximum number of rows with pairs, which are propagated in dense matrices.
MOST_ROWS = 800
EVOLUTION = {"pop_size": 48, "n_gen": 25}
# Number of runs in an ensemble of factorisations.
N_RUNS = 10
_last: dict[tuple[str, str, int], Fitted] = {}
FRACTIONS = {"1 %": 0.01, "2 %": 0.02, "5 %": 0.05, "10 %": 0.1}
NOVEL_FRACTIONS = {name: FRACTIONS[name] for name in ("2 %", "5 %", "10 %")}
# Weight of the selection score in its sum with the evidence.
_SCORE_WEIGHT = 20.0
_LEAST_CLUSTER = 5
_STARTS = 10
_ITERATIONS = 2000
AMOUNTS = {".1 n": 0.1, ".5 n": 0.5, "1 n": 1.0, "2 n": 2.0}
KINDS = {"right": 0.0, "10 % flipped": 0.1}
_BY_SILHOUETTE = {"Genie": "genie", K_MEANS: "km", "Ward": "ward", "GMM": "gmm", "spectral kNN": "spec"}
_AT_K = {
    "graph agglomeration": "graph_agg",
    "spectral kNN": "spec",
    "Genie": "genie",
    "GMM": "gmm",
    "Ward": "ward",
}


class Block(NamedTuple):
    """A question about every data set."""

    title: str
    run: Callable[[ClassedSet, Sheet, int], dict[str, Any]]  # ``run(found, sheet, draws) -> facts``
    has_draws: bool = False  # whether the block is repeated with other seeds, labels or pairs
    least_classes: int = 2
    most_rows: int | None = None


def unsupervised(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Cluster without any information; rivals select the number of clusters from the same grid.

    Draws differ in the seeds of all clusterers.
    """
    fits: list[Fitted] = []
    for draw in range(draws):
        fitted = shared_flagship(found) if draw == 0 else fit_flagship(found, fits[0].X, draw=draw)
        _choices(found, fitted, partial(sheet.add, UNKNOWN, draw), draw)
        sheet.add_best(UNKNOWN, draw, ORACLE, partial(_pool_labels, fitted))
        fits.append(fitted)
    pool = fits[0].model.pool_
    return {
        "confidence": float(np.mean([one.model.confidence_ for one in fits])),
        "n_clusters": [int(one.model.n_clusters_) for one in fits],
        "families": len(pool.family_names),
        "members": pool.n_partitions,
        "seconds": float(np.mean([one.seconds for one in fits])),
    }


def known_k(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Cluster with the number of classes; draws differ in the seeds of all clusterers."""
    k, first = found.n_classes, shared_flagship(found)
    for draw in range(draws):
        if draw:
            fitted = fit_flagship(found, first.X, draw=draw, n_clusters=k)
        else:
            has_k = k in first.model.pool_.n_clusters
            fitted = first if has_k else fit_flagship(found, first.X, n_clusters=k)
        pool, part = fitted.model.pool_, [draw] if draw else []
        _choices_at(found, fitted, partial(sheet.add, KNOWN, draw), part)
        sheet.add_best(KNOWN, draw, ORACLE, partial(_members_at, pool, k))
    return {}


def few_labels(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Cluster with labels of some samples of every class; the other samples are scored."""
    setup = _Setup(found)
    for setting, fraction in FRACTIONS.items():
        for draw in range(draws):
            rng = setup.rng("labels", setting, draw)
            y = draw_labels(found.classes, fraction, rng)
            _of_all_classes(setup, y, partial(sheet.add, setting, draw, among=y < 0), rng)
            sheet.add_best(setting, draw, ORACLE, lambda: setup.fitted.model.pool_.labels, y < 0)
    return {}


def some_classes(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Cluster with labels of half of the classes; all samples without a label are scored."""
    setup = _Setup(found)
    for setting, fraction in NOVEL_FRACTIONS.items():
        for draw in range(draws):
            rng = setup.rng("some classes", setting, draw)
            y = draw_some_classes(found.classes, fraction, rng)
            _of_some_classes(setup, y, partial(sheet.add, setting, draw, among=y < 0), rng)
            sheet.add_best(setting, draw, ORACLE, lambda: setup.fitted.model.pool_.labels, y < 0)
    return {}


def given_pairs(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Cluster with pairs among 70% of the samples; the samples in no pair, and all samples, are scored."""
    fitted, k = shared_flagship(found), found.n_classes
    centers = k_means(fitted.X, k, fit_seed(found, K_MEANS))
    for kind, flipped in KINDS.items():
        for amount, factor in AMOUNTS.items():
            setting = f"{amount}, {kind}"
            for draw in range(draws):
                rng = np.random.default_rng(seed_of(found.name, "pairs", setting, draw))
                pairs = draw_pairs(found.classes, factor, flipped, rng)
                add = partial(sheet.add, setting, draw, among=pairs.free)
                # Pairs that may be wrong are passed as uncertain.
                how = "soft" if flipped else "hard"
                _answers(found, fitted, pairs, add, centers, rng, how)
                sheet.add_best(setting, draw, ORACLE, lambda: fitted.model.pool_.labels, pairs.free)
    return {}


def evolution(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Compare the pool without a search, with evolution, and with random survival instead of selection."""
    X = found.features()
    for setting, k in ((UNKNOWN, None), (KNOWN, found.n_classes)):
        run = _Evolved(found, X, k)
        sheet.add(setting, 0, EVOLVED, partial(run.attribute, "labels_"))
        for name, attribute in ((CONTROL, "control_labels_"), (RANDOM_SURVIVAL, "random_control_labels_")):
            sheet.add(setting, 0, name, partial(run.attribute, attribute), of_pool=True)
    return {}


def families(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Add partitions of other methods to the pool; the same score selects one."""
    fitted = shared_flagship(found)
    sheet.add(UNKNOWN, 0, FLAGSHIP, lambda: fitted.model.labels_, seconds=fitted.seconds)
    parts: dict[str, IntArray] = {}

    def added(name: str) -> IntArray:
        parts[name] = _several(ADDED[name](found, fitted, fit_seed(found, name)), fitted)
        return chosen_with(fitted, {name: parts[name]})

    for name in ADDED:
        sheet.add(UNKNOWN, 0, f"with {name}", partial(added, name))
    sheet.add(UNKNOWN, 0, "with all of these", lambda: chosen_with(fitted, parts), of_pool=True)
    return {"partitions": {name: len(labels) for name, labels in parts.items()}}


BLOCKS: Mapping[str, Block] = {
    "unsupervised": Block("nothing is known", unsupervised, has_draws=True),
    "known": Block("the number of clusters is known", known_k, has_draws=True),
    "labels": Block("few labels of every class", few_labels, has_draws=True),
    "novel": Block("half of the classes have no label", some_classes, has_draws=True, least_classes=3),
    "pairs": Block("must-links and cannot-links", given_pairs, has_draws=True, most_rows=MOST_ROWS),
    "evolution": Block("evolution and its controls", evolution),
    "families": Block("further families in the pool", families),
}


class Fitted(NamedTuple):
    """An estimator fitted without classes, and the time of the fit."""

    X: NDArray[np.float64]  # shape (n_samples, n_features): scaled features
    model: Any
    seconds: float

    def members(self, family: str) -> IntArray:
        """Return the partitions of a family, shape (q, n_samples)."""
        pool = self.model.pool_
        labels: IntArray = pool.labels[np.array(pool.families) == family]
        if not len(labels):
            raise ValueError(f"the pool has no partition of the family {family}")
        return labels

    def member_at(self, family: str, k: int) -> IntArray:
        """Return the first partition of a family that has k clusters."""
        for labels in self.members(family):
            if labels.max() + 1 == k:
                return labels
        raise ValueError(f"the family {family} has no partition into {k} clusters")

    def told(
        self,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        n_clusters: int | None = None,
        **options: Any,
    ) -> Any:
        """Return a copy of the estimator with other options, labels or pairs, without clustering again."""
        model = copy.copy(self.model).set_params(**options)
        return model.relabel(y, must_link=must_link, cannot_link=cannot_link, n_clusters=n_clusters)


def shared_flagship(found: ClassedSet) -> Fitted:
    """Return the default fit of a set; the fit of the last set is cached for its next block."""
    key = (found.name, found.identity, found.n_samples)
    if key not in _last:
        _last.clear()
        _last[key] = fit_flagship(found)
    return _last[key]


def fit_flagship(
    found: ClassedSet, X: NDArray[np.float64] | None = None, *, draw: int = 0, **options: Any
) -> Fitted:
    """Fit ParetoClustering to the features; every draw has its own seed."""
    from moo_clustering.estimators.pareto import ParetoClustering

    if X is None:
        X = found.features()
    seed = fit_seed(found, *([draw] if draw else []))
    start = perf_counter()
    model = ParetoClustering(scale="none", random_state=seed, **options).fit(X)
    return Fitted(X, model, perf_counter() - start)


def fit_seed(found: ClassedSet, *parts: str | int) -> int:
    """Return the seed of all fits to a set."""
    return int(seed_of(found.name, "fit", *parts).generate_state(1)[0] >> 1)


def _choices(found: ClassedSet, fitted: Fitted, add: Any, draw: int) -> None:
    from moo_clustering.evidence import best_member
    from moo_clustering.validity.internal import MinimaxSilhouette

    model, X, pool = fitted.model, fitted.X, fitted.model.pool_
    rng = np.random.default_rng(fit_seed(found, "rivals", *([draw] if draw else [])))
    of_pool = partial(add, of_pool=True)
    add(FLAGSHIP, lambda: model.labels_, seconds=fitted.seconds)
    for name, criterion in ((MINIMAX, "minimax"), (MIXTURE, "mixture"), (MODULARITY, "modularity")):
        of_pool(name, partial(_by_criterion, fitted, criterion))
    of_pool(
        "agreement only",
        lambda: pool.labels[best_member(model.scores_["agreement"].to_numpy(), pool.n_clusters)],
    )
    of_pool("Genie + minimax silhouette", partial(_best_of_family, MinimaxSilhouette(), fitted, "genie"))
    silhouette = Silhouette()
    for name, family in _BY_SILHOUETTE.items():
        of_pool(f"{name} + silhouette", partial(_best_of_family, silhouette, fitted, family))
    of_pool("spectral kNN + eigengap", lambda: by_eigengap(fitted, rng))
    add("HDBSCAN", lambda: hdbscan(X))
    if find_spec("fast_hdbscan"):
        add(PLSCAN, lambda: plscan(X))
    add(RANDOM, lambda: rng.integers(model.n_clusters_, size=len(X)))


def _by_criterion(fitted: Fitted, criterion: str) -> IntArray:
    labels: IntArray = fitted.told(criterion=criterion).labels_
    return labels


def _best_of_family(index: Any, fitted: Fitted, family: str) -> IntArray:
    members = fitted.members(family)
    return best_by(index if hasattr(index, "n_samples_") else index.fit(fitted.X), members)


def best_by(index: ValidityIndex, candidates: IntArray) -> IntArray:
    """Return the partition with the largest value; ties go to the fewest clusters."""
    values = index.evaluate(candidates.astype(np.int32))
    order = np.lexsort((candidates.max(axis=1), -values))
    chosen: IntArray = candidates[order[0]]
    return chosen


def by_eigengap(fitted: Fitted, rng: np.random.Generator) -> IntArray:
    """Return the spectral partition with the widest gap between the eigenvalues k and k + 1."""
    candidates = fitted.members("spec")
    k = candidates.max(axis=1) + 1
    graph = fitted.model.graph_
    n_values = min(int(k.max()) + 1, graph.shape[0])
    values, _ = spectral_embedding(graph, 1, laplacian="sym", n_eigenvalues=n_values, rng=rng)
    gaps = np.append(np.diff(values), 0.0)
    chosen: IntArray = candidates[int(np.argmax(gaps[k - 1]))]
    return chosen


def hdbscan(X: NDArray[np.float64]) -> IntArray:
    """Run HDBSCAN with clusters of at least five; noise joins the cluster of the nearest clustered sample."""
    labels: IntArray = HDBSCAN(min_cluster_size=min(_LEAST_CLUSTER, len(X)), copy=True).fit_predict(X)
    return _without_noise(X, labels)


def plscan(X: NDArray[np.float64]) -> IntArray:
    """Run PLSCAN of fast-hdbscan, the most persistent layer of HDBSCAN; noise is treated as for HDBSCAN."""
    from fast_hdbscan import PLSCAN as Layers  # type: ignore[import-not-found]

    return _without_noise(X, np.array(Layers(reproducible=True).fit(X).labels_, dtype=np.int64))


def _without_noise(X: NDArray[np.float64], labels: IntArray) -> IntArray:
    noise = labels < 0
    if noise.all():
        return np.zeros(len(X), dtype=np.int64)
    if noise.any():
        labels[noise] = labels[~noise][KDTree(X[~noise]).query(X[noise])[1]]
    return labels


def _pool_labels(fitted: Fitted) -> IntArray:
    labels: IntArray = fitted.model.pool_.labels
    return labels


def _choices_at(found: ClassedSet, fitted: Fitted, add: Any, part: list[int]) -> None:
    k = found.n_classes
    rng = np.random.default_rng(fit_seed(found, "rivals at k", *part))
    add(CONSENSUS, lambda: fitted.told(n_clusters=k, method="consensus").labels_)
    add(SELECT, lambda: fitted.told(n_clusters=k, method="select").labels_)
    for name, family in _AT_K.items():
        add(name, partial(fitted.member_at, family, k), of_pool=True)
    add(K_MEANS, lambda: k_means(fitted.X, k, fit_seed(found, K_MEANS, *part)))
    add(RANDOM, lambda: rng.integers(k, size=found.n_samples))


def k_means(X: NDArray[np.float64], k: int, seed: int) -> IntArray:
    """Run k-means with ten starts."""
    labels: IntArray = KMeans(min(k, len(X)), n_init=_STARTS, random_state=seed).fit_predict(X)
    return labels


def _members_at(pool: Any, k: int) -> IntArray:
    labels: IntArray = pool.labels[pool.n_clusters == k]
    return labels


class _Setup:
    """A set, its fit, and data that several rivals share."""

    def __init__(self, found: ClassedSet) -> None:
        self.found, self.k = found, found.n_classes
        self.fitted: Fitted = shared_flagship(found)
        self.X, self.graph = self.fitted.X, self.fitted.model.graph_
        self.seed = fit_seed(found, "label rivals")

    @cached_property
    def kernel(self) -> FloatArray:
        return spreading_kernel(self.graph)

    @cached_property
    def k_means(self) -> IntArray:
        return k_means(self.X, self.k, fit_seed(self.found, K_MEANS))

    def rng(self, *parts: str | int) -> np.random.Generator:
        return np.random.default_rng(seed_of(self.found.name, *parts))


def spreading_kernel(graph: sp.csr_array) -> FloatArray:
    """Compute (I - .9 B)^-1, where B is the symmetrically normalised graph."""
    root = 1.0 / np.sqrt(graph.sum(axis=1))
    B = graph.toarray() * root * root[:, np.newaxis]
    # .9 is the share of the neighbours' labels; the usual value .99 is worse.
    kernel: FloatArray = np.linalg.inv(np.eye(len(B)) - 0.9 * B)
    return kernel


def _of_all_classes(setup: _Setup, y: IntArray, add: Any, rng: np.random.Generator) -> None:
    X, graph, k, fitted = setup.X, setup.graph, setup.k, setup.fitted
    told = _Told(fitted, y)
    add(FLAGSHIP, told.labels)
    add("pool kernel alone", lambda: fitted.told(y, kernel="pool").labels_)
    add(EVIDENCE, told.by_evidence, of_pool=True)
    add("best partition by evidence + 20 s", partial(told.by_evidence, _SCORE_WEIGHT), of_pool=True)
    add(SPREADING, lambda: label_spreading(setup.kernel, y))
    add("label propagation", lambda: label_propagation(graph, y))
    add("1-NN", lambda: nearest_labelled(X, y))
    add(LOGISTIC, lambda: logistic_regression(X, y))
    add(VECTORS, lambda: support_vectors(X, y))
    add(CONSTRAINED, lambda: constrained_spectral(graph, X, y, k, rng))
    add("PCKMeans", lambda: pck_means(X, y, k, setup.seed))
    add("seeded k-means", lambda: seeded_k_means(X, y))
    add(K_MEANS, lambda: setup.k_means, of_pool=True)


class _Told:
    """ParetoClustering with the labels of one draw, whose scores several methods share."""

    def __init__(self, fitted: Fitted, y: IntArray, **options: Any) -> None:
        self._fitted, self._y, self._options = fitted, y, options

    @cached_property
    def model(self) -> Any:
        return self._fitted.told(self._y, **self._options)

    def labels(self) -> IntArray:
        labels: IntArray = self.model.labels_
        return labels

    def by_evidence(self, weight: float = 0.0) -> IntArray:
        """Return the partition of the pool with the largest sum of evidence and weighted score."""
        from moo_clustering.evidence import best_member

        scores, pool = self.model.scores_, self.model.pool_
        total = scores["label_evidence"].to_numpy() + weight * scores["score"].to_numpy()
        labels: IntArray = pool.labels[best_member(total, pool.n_clusters)]
        return labels


def label_spreading(kernel: FloatArray, y: IntArray) -> IntArray:
    """Return the class with the largest sum of the kernel over its labelled samples."""
    known = np.flatnonzero(y >= 0)
    labels: IntArray = (kernel[:, known] @ _one_hot(y[known])).argmax(axis=1)
    return labels


def _one_hot(y: IntArray) -> FloatArray:
    return np.eye(int(y.max()) + 1)[y]


def label_propagation(graph: sp.csr_array, y: IntArray) -> IntArray:
    """Propagate labels by harmonic functions: an unlabelled sample has the mean of its neighbours."""
    known, rest = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    laplacian = (sp.diags_array(graph.sum(axis=1)) - graph).tocsr()
    sums = graph[rest][:, known] @ _one_hot(y[known])
    # The tiny diagonal keeps the system regular if a component of the graph has no label.
    system = laplacian[rest][:, rest] + 1e-10 * sp.eye_array(len(rest))
    scores = np.asarray(spsolve(system.tocsc(), sums)).reshape(len(rest), -1)
    labels = y.copy()
    labels[rest] = scores.argmax(axis=1)
    return labels


def nearest_labelled(X: FloatArray, y: IntArray) -> IntArray:
    """Return the class of the nearest labelled sample."""
    known = y >= 0
    labels: IntArray = KNeighborsClassifier(1).fit(X[known], y[known]).predict(X)
    return labels


def logistic_regression(X: FloatArray, y: IntArray) -> IntArray:
    """Fit a logistic regression; with labels of a single class, return that class."""
    known = y >= 0
    if len(np.unique(y[known])) < 2:
        return np.full(len(y), y[known][0])
    labels: IntArray = LogisticRegression(max_iter=_ITERATIONS).fit(X[known], y[known]).predict(X)
    return labels


def support_vectors(X: FloatArray, y: IntArray) -> IntArray:
    """Fit a support vector machine with a Gaussian kernel; with a single class, return that class."""
    known = y >= 0
    if len(np.unique(y[known])) < 2:
        return np.full(len(y), y[known][0])
    labels: IntArray = SVC().fit(X[known], y[known]).predict(X)
    return labels


def constrained_spectral(
    graph: sp.csr_array, X: FloatArray, y: IntArray, k: int, rng: np.random.Generator
) -> IntArray:
    """Run spectral clustering of the graph with labels: largest weight within a class, 0 between classes."""
    n_known = int(y.max()) + 1
    apart = np.column_stack(np.triu_indices(n_known, 1))
    written = write_constraints(graph, ConstraintGroups(y.astype(np.int64), apart), must_link_edges="clique")
    return spectral_partition(written, k, X=X, rng=rng).labels


def pck_means(X: FloatArray, y: IntArray, k: int, seed: int) -> IntArray:
    """Run k-means with penalties for violated pairs of labels."""
    labels: IntArray = PCKMeans(k, random_state=seed).fit(X, y).labels_
    return labels


def seeded_k_means(X: FloatArray, y: IntArray) -> IntArray:
    """Run k-means from the means of the labelled samples of every class."""
    means = np.array([X[y == one].mean(axis=0) for one in range(int(y.max()) + 1)])
    labels: IntArray = KMeans(len(means), init=means, n_init=1).fit_predict(X)
    return labels


def _of_some_classes(setup: _Setup, y: IntArray, add: Any, rng: np.random.Generator) -> None:
    X, k, fitted = setup.X, setup.k, setup.fitted
    told = _Told(fitted, y, novel="allow")
    add(FLAGSHIP_UNKNOWN, told.labels)
    add(FLAGSHIP_KNOWN, lambda: fitted.told(y, novel="allow", n_clusters=k).labels_)
    add(PLAIN_UNKNOWN, lambda: fitted.model.labels_, of_pool=True)
    add(PLAIN_KNOWN, lambda: fitted.told(n_clusters=k).labels_, of_pool=True)
    add(CONSTRAINED, lambda: constrained_spectral(setup.graph, X, y, k, rng))
    add(K_MEANS, lambda: setup.k_means, of_pool=True)
    add(EVIDENCE, told.by_evidence, of_pool=True)
    add(SPREADING, lambda: label_spreading(setup.kernel, y))
    add(LOGISTIC, lambda: logistic_regression(X, y))
    add(VECTORS, lambda: support_vectors(X, y))


def _answers(
    found: ClassedSet,
    fitted: Fitted,
    pairs: PairDraw,
    add: Any,
    centers: IntArray,
    rng: np.random.Generator,
    how: str,
) -> None:
    X, graph, k, seed = fitted.X, fitted.model.graph_, found.n_classes, fit_seed(found, "pair rivals")
    given: dict[str, Any] = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link, "pairs": how}
    add(FLAGSHIP_UNKNOWN, lambda: fitted.told(**given).labels_)
    add(FLAGSHIP_KNOWN, lambda: fitted.told(n_clusters=k, **given).labels_)
    add(PLAIN_UNKNOWN, lambda: fitted.model.labels_, of_pool=True)
    add(
        "pairs propagated on the graph alone",
        lambda: propagated_spectral(graph, pairs, k, rng, hard=how == "hard"),
    )
    add(CONSTRAINED, lambda: written_spectral(graph, X, pairs, k, rng))
    add("PCKMeans", lambda: pairwise_k_means(PCKMeans, X, pairs, k, seed))
    add("HMRFKMeans", lambda: pairwise_k_means(HMRFKMeans, X, pairs, k, seed))
    add(K_MEANS, lambda: centers, of_pool=True)


def propagated_spectral(
    graph: sp.csr_array, pairs: PairDraw, k: int, rng: np.random.Generator, *, hard: bool
) -> IntArray:
    """Propagate pairs on the graph alone, without a pool, with the same repair as ParetoClustering."""
    from moo_clustering.evidence import propagate_pairs, repair_pairs
    from moo_clustering.graphs import spectral_cuts

    constraints = PairwiseConstraints(pairs.must_link, pairs.cannot_link, n_samples=graph.shape[0])
    propagated = propagate_pairs(graph, constraints, alpha=0.9)
    labels: IntArray = repair_pairs(spectral_cuts(propagated, [k], rng=rng)[0], graph, constraints, hard=hard)
    return labels


def written_spectral(
    graph: sp.csr_array, X: FloatArray, pairs: PairDraw, k: int, rng: np.random.Generator
) -> IntArray:
    """Run spectral clustering of the graph with similarity 1 for must-links and 0 for cannot-links."""
    similarity = graph.toarray()
    for links, value in ((pairs.must_link, 1.0), (pairs.cannot_link, 0.0)):
        similarity[links[:, 0], links[:, 1]] = similarity[links[:, 1], links[:, 0]] = value
    return spectral_partition(sp.csr_array(similarity), k, X=X, rng=rng).labels


def pairwise_k_means(
    kind: type[PCKMeans] | type[HMRFKMeans], X: FloatArray, pairs: PairDraw, k: int, seed: int
) -> IntArray:
    """Run PCKMeans or HMRFKMeans; contradictory pairs partly cancel each other."""
    model = kind(k, conflicts="keep", random_state=seed)
    labels: IntArray = model.fit(X, must_link=pairs.must_link, cannot_link=pairs.cannot_link).labels_
    return labels


class _Evolved:
    def __init__(self, found: ClassedSet, X: NDArray[np.float64], k: int | None) -> None:
        self._found, self._X, self._k = found, X, k

    @cached_property
    def model(self) -> Any:
        return fit_flagship(self._found, self._X, n_clusters=self._k, **EVOLUTION).model

    def attribute(self, name: str) -> IntArray:
        labels: IntArray = getattr(self.model, name)
        return labels


def _several(labels: IntArray, fitted: Fitted) -> IntArray:
    """Return the partitions with at least two clusters, and at most as many as in the pool."""
    labels = np.atleast_2d(labels)
    k = np.array([len(np.unique(one)) for one in labels])
    kept = labels[(k > 1) & (k <= fitted.model.pool_.n_clusters.max())]
    if not len(kept):
        raise ValueError("no partition with two or more clusters")
    return kept


def _mock(found: ClassedSet, fitted: Fitted, seed: int) -> IntArray:
    # The whole front joins the pool, so use the selection rule that needs no searches on control data.
    labels: IntArray = MOCK(select="knee", random_state=seed).fit(fitted.X).pareto_labels_
    return labels


def _pesc(found: ClassedSet, fitted: Fitted, seed: int) -> IntArray:
    labels: IntArray = PESC(fitted.model.n_clusters_, random_state=seed).fit(fitted.X).labels_
    return labels


def _nsga2_clus(found: ClassedSet, fitted: Fitted, seed: int) -> IntArray:
    metric: Any = "cosine" if found.kind == "t" else "euclidean"
    labels: IntArray = NSGA2Clus(metric=metric, random_state=seed).fit(fitted.X).pareto_labels_
    return labels


def _ensemble_nmf(found: ClassedSet, fitted: Fitted, seed: int) -> IntArray:
    table = found.table if found.kind == "t" else feature_scaling(found.table, "minmax")(found.table)
    # There cannot be more factors than features.
    k = min(fitted.model.n_clusters_, table.shape[1])
    model = EnsembleNMF(k, n_runs=N_RUNS, random_state=seed)
    labels: IntArray = model.fit(table).labels_
    return labels


ADDED: Mapping[str, Callable[[ClassedSet, Fitted, int], IntArray]] = {
    "MOCK": _mock,
    "PESC": _pesc,
    "NSGA2Clus": _nsga2_clus,
    "EnsembleNMF": _ensemble_nmf,
}


def chosen_with(fitted: Fitted, parts: Mapping[str, IntArray]) -> IntArray:
    """Return the partition that ParetoClustering selects from its pool and further families."""
    from moo_clustering.estimators._pareto_selection import (
        SideInformation,
        automatic_criterion,
        objectives_for,
    )
    from moo_clustering.evidence import best_member
    from moo_clustering.pool import PartitionPool

    more = PartitionPool.of([(name, one) for name, labels in parts.items() for one in labels])
    pool = fitted.model.pool_.joined(more)
    samples, nothing = replace(fitted.model._samples, pool=pool), SideInformation("none")
    criterion = automatic_criterion(samples, nothing, None)
    objectives = objectives_for(samples, nothing, None, criterion, None, None)
    score = objectives.score(objectives.values(pool.labels))
    labels: IntArray = pool.labels[best_member(score, pool.n_clusters)]
    return labels


class Task(NamedTuple):
    """The data of a cell."""

    found: ClassedSet
    block: str
    draws: int


def run_task(task: Task) -> dict[str, Any]:
    """Return the value of a cell: a row per method, setting and draw, facts about the fit, and total seconds.

    An error outside of the methods becomes the error of the cell.
    """
    block = BLOCKS[task.block]
    found = task.found if block.most_rows is None else task.found.head(block.most_rows)
    sheet = Sheet(found.classes)
    value: dict[str, Any] = {"facts": {}}
    # With one thread, sums are computed in the same order in all processes.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        start = perf_counter()
        try:
            warm_up()
            start = perf_counter()
            value["facts"] = block.run(found, sheet, task.draws)
        except MemoryError:
            raise
        except Exception as error:
            value["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return {**value, "rows": sheet.rows, "seconds": perf_counter() - start}


@cache
def warm_up() -> None:
    """Fit tiny data, so that the seconds of the first cell do not include compilation."""
    X = np.random.default_rng(0).random((24, 2)) + np.arange(24)[:, np.newaxis] // 12
    y = np.where(np.arange(24) % 6 == 0, np.arange(24) // 12, -1)
    fitted = fit_flagship(made_set("nothing", "o", X, np.arange(24) // 12), X)
    fitted.told(y)
    fitted.told(n_clusters=2, must_link=[(0, 1)], cannot_link=[(0, 23)])
