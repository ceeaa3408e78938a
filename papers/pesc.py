"""PESC and its rivals: data sets, methods in their readings, controls, and the cells of the tables.

A :class:`Part` is a method or a search that yields one or more rows of the tables; :data:`PARTS` lists all. A
method receives only the parts of a data set in :class:`Given`, and :func:`run_task` scores its partitions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsClassifier

from moo_clustering._arrays import FloatArray, Int64Array, IntArray
from moo_clustering.consensus import SIGMA_GRID, cspa, edge_distances
from moo_clustering.datasets import DataError
from moo_clustering.estimators import MOCK, PESC, SRMOSC, FuzzyModesMOGA, SpectralGraphClustering
from moo_clustering.estimators._base import feature_scaling
from moo_clustering.estimators.pesc import GraphEnsemble
from moo_clustering.graphs import SpectralPartition, eigengap, spectral_embedding
from moo_clustering.persistence import fingerprint, read_arrays
from moo_clustering.validity import clustering_accuracy, nmi
from papers.runner import Key, check_names, folder_of_data, seed_of

# "paper": unnormalised Laplacian and other printed options; "default": the defaults of the estimators.
# Methods with a single reading have the reading "" and count for both.
READINGS = {"paper": "as in the paper", "default": "defaults"}
# Sizes of the paper. "evaluations" and "long" (maximum number of generations) are those of Fig. 2; "long" is
# also that of Fig. 4.
EFFORT = {"pop_size": 100, "n_gen": 100, "long": 300, "evaluations": 20_000}
_BOTH = tuple(READINGS)
_LEAST = dict.fromkeys(EFFORT, 4) | {"n_gen": 1, "long": 1}
KINDS = {"kNN": "knn", "mutual kNN": "mutual_knn", "epsilon": "epsilon", "full": "full"}
EPSILONS = (0.2, 0.3, 0.4, 0.5, 0.6)
# Values of the parameter of each conventional graph, by its name in the tables.
GRIDS: dict[str, tuple[str, ...]] = {
    name: tuple(f"{value:g}" for value in (EPSILONS if name == "epsilon" else SIGMA_GRID)) for name in KINDS
}
CLASSIFIER = "1-NN of the labels"
# Fig. 1: both probabilities change together, as in the paper, or one at a time.
PAIRS = (*((pc, 1 - pc) for pc in (0.5, 0.6, 0.7, 0.8, 0.9)),)
COURSE_PROBABILITIES = tuple(
    dict.fromkeys(
        f"{pc:.1f} {pm:.1f}"
        for pc, pm in (
            *PAIRS,
            *((pc, 0.1) for pc, _ in PAIRS),
            *((0.9, pm) for _, pm in PAIRS),
        )
    )
)
# Fig. 2.
COURSE_SIZES = tuple(str(size) for size in range(10, 101, 10))
# Fig. 4: initial population and operators.
STARTS = tuple(
    f"{init} {operators}" for init in ("knn", "random") for operators in ("uniform", "rank", "index")
)
PICTURES = ("PESC", "SRMOSC", *GRIDS)
# Populations are merged every 5 generations as in the paper, and on large sets less often.
STEP, LARGE_STEP, LARGE = 5, 25, 1000
ENSEMBLES = ("es1", "es2", "es3")
_FOLDER = "uci"
_BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer_wdbc": load_breast_cancer}
# Sets whose features are codes or yes/no, not measurements.
_NOMINAL = ("zoo", "soybean_small", "lung_cancer")
# Number of samples of the largest set of the paper.
MOST_SAMPLES = 5000


class Task(NamedTuple):
    """The data of a cell."""

    flat_set: FlatSet
    key: Key
    effort: Mapping[str, int]


@dataclass(frozen=True)
class FlatSet:
    """A data set with known classes."""

    name: str  # name of the file without suffix
    identity: str  # fingerprint of rows and classes; sets with equal names and identities are equal
    X: NDArray[np.float64] = field(compare=False)  # shape (n_samples, n_features)
    classes: NDArray[np.int64] = field(compare=False)  # shape (n_samples,): contiguous classes 0, 1, ...

    @property
    def n_clusters(self) -> int:
        """Target number of clusters, which is the number of classes."""
        return int(self.classes.max()) + 1

    @property
    def is_nominal(self) -> bool:
        """Whether features are codes."""
        return self.name in _NOMINAL

    @property
    def largest_share(self) -> float:
        """Accuracy of a single cluster."""
        return float(np.bincount(self.classes).max() / len(self.classes))


def run_task(task: Task) -> dict[str, Any]:
    """Return the value of a cell: scores and costs of every row.

    The order of the rows, the labelled samples and the seed of the method depend only on the set and the
    seed, so that they are equal for all methods and all values of their parameters.
    """
    key, found_set = task.key, task.flat_set
    name, reading, setting = (str(key[part]) for part in ("method", "reading", "setting"))
    order, given = given_of(found_set, key, task.effort)
    with warnings.catch_warnings():
        # Disconnected graphs and unsuccessful searches are part of the comparison.
        warnings.simplefilter("ignore")
        warm_up(name, reading, setting, given.y is not None)
        found = PARTS[name].run(given, reading, setting)
    known = np.zeros(len(order), dtype=bool) if given.y is None else given.y >= 0
    return {row: _scored(found_set.classes[order], known, one, order) for row, one in found.items()}


def given_of(found_set: FlatSet, key: Key, effort: Mapping[str, int]) -> tuple[NDArray[np.intp], Given]:
    """Return the order of the rows, and the data for a method, with the classes of labelled samples only."""
    seed, name = int(key["seed"]), found_set.name
    if key["order"] == "sorted":
        order = np.argsort(found_set.classes, kind="stable")
    else:
        order = np.random.default_rng(seed_of(seed, name, "order")).permutation(len(found_set.X))
    y = None
    if key["labels"]:
        rng = np.random.default_rng(seed_of(seed, name, "labels", key["labels"]))
        y = partial_labels(found_set.classes, int(key["labels"]), rng)[order]
    X = np.asarray(feature_scaling(found_set.X[order], "minmax")(found_set.X[order]), dtype=np.float64)
    fit_seed = int(seed_of(seed, name, "fit").generate_state(1)[0] >> 1)
    return order, Given(X, found_set.n_clusters, y, fit_seed, found_set.is_nominal, effort)


class Given(NamedTuple):
    """The data that a method receives, with only the classes in ``y``."""

    X: NDArray[np.float64]  # shape (n_samples, n_features): features scaled to [0, 1], without constants
    n_clusters: int
    y: NDArray[np.int64] | None  # shape (n_samples,): classes of the labelled samples, -1 for others
    seed: int
    is_nominal: bool  # whether features are codes
    effort: Mapping[str, int]  # value of :data:`EFFORT`

    @property
    def sizes(self) -> dict[str, Any]:
        """Return the population size and the number of generations, as options of a search."""
        return {"pop_size": self.effort["pop_size"], "n_gen": self.effort["n_gen"]}


def partial_labels(classes: Int64Array, percent: int, rng: np.random.Generator) -> Int64Array:
    """Draw labels of a percentage of every class, rounded, at least one sample; -1 for the others."""
    y = np.full(len(classes), -1, dtype=np.int64)
    for one in range(int(classes.max()) + 1):
        members = np.flatnonzero(classes == one)
        y[rng.choice(members, max(1, round(percent * len(members) / 100)), replace=False)] = one
    return y


@cache
def warm_up(name: str, reading: str, setting: str, supervised: bool) -> None:
    """Run a part on tiny data, so that the seconds of its first run do not include compilation."""
    X = np.random.default_rng(0).random((24, 3))
    y = np.where(np.arange(24) < 8, np.arange(24) % 2, -1)
    PARTS[name].run(Given(X, 2, y if supervised else None, 0, False, _LEAST), reading, setting)


def _scored(
    classes: Int64Array, known: NDArray[np.bool_], found: Found, order: NDArray[np.intp]
) -> dict[str, Any]:
    candidates = [scores(classes, known, labels) for labels in np.atleast_2d(found.labels)]
    best = int(np.argmax([one["accuracy_unlabelled"] for one in candidates]))
    value = {**candidates[best], "seconds": found.seconds, "gap": found.gap}
    return {**value, "graph": _graph(found.graphs[best], order)} if found.graphs else value


class Found(NamedTuple):
    """A partition and its costs."""

    # shape (n_samples,): of several candidates, the best by the classes is scored, as an upper bound
    labels: NDArray[np.integer[Any]]
    seconds: float  # seconds of the fit, including the selection
    gap: float | None = None  # eigengap, for a selection without classes
    graphs: Sequence[Graph] = ()  # one per candidate


@dataclass(frozen=True, eq=False)
class Graph:
    """A similarity graph and its spectrum, for figures."""

    similarity: sp.csr_array  # shape (n_samples, n_samples)
    eigenvalues: NDArray[np.float64]  # smallest eigenvalues of the Laplacian
    vectors: NDArray[np.float64]  # shape (n_samples, n_clusters)

    @classmethod
    def of(cls, model: Any, n_eigenvalues: int = 10) -> Graph:
        """Return the graph of a fitted estimator, with the eigenvalues of its Laplacian."""
        S = model.similarity_
        values, _ = spectral_embedding(
            S,
            1,
            laplacian=model.laplacian,
            n_eigenvalues=min(n_eigenvalues, S.shape[0]),
            rng=np.random.default_rng(0),
        )
        return cls(S, values, model.embedding_)


def scores(classes: Int64Array, known: NDArray[np.bool_], labels: NDArray[Any]) -> dict[str, Any]:
    """Return agreement of a partition with the classes, on all samples and on those without a label."""
    result: dict[str, Any] = {"n_clusters": len(np.unique(labels))}
    everyone = _agreement(classes, labels)
    others = _agreement(classes[~known], labels[~known]) if known.any() else everyone
    return {**result, **everyone, **{f"{name}_unlabelled": score for name, score in others.items()}}


def _agreement(classes: Int64Array, labels: NDArray[Any]) -> dict[str, float]:
    return {
        "accuracy": clustering_accuracy(classes, labels),
        "ari": float(adjusted_rand_score(classes, labels)),
        "nmi": float(nmi(classes, labels)),
    }


def _graph(graph: Graph, order: NDArray[np.intp]) -> dict[str, Any]:
    """Return the edges of a graph with the sample numbers of the file, rounded to four digits."""
    upper = sp.triu(graph.similarity, 1).tocoo()
    vectors = np.empty_like(graph.vectors)
    vectors[order] = graph.vectors
    return {
        "rows": order[upper.row].tolist(),
        "columns": order[upper.col].tolist(),
        "weights": [float(f"{weight:.4g}") for weight in upper.data],
        "eigenvalues": graph.eigenvalues.tolist(),
        "vectors": vectors.round(6).tolist(),
    }


@dataclass(frozen=True)
class Part:
    """A run that yields one or more rows of the tables."""

    name: str
    run: Run  # ``run(given, reading, setting)``
    readings: Sequence[str] = ("",)
    settings: Sequence[str] = ("",)  # values of a parameter; each value is a separate run

    def keys(self, labels: int = 0, order: str = "shuffled") -> list[Key]:
        """Return the keys of its runs on a set with one seed."""
        return [
            {
                "method": self.name,
                "reading": reading,
                "setting": setting,
                "labels": labels,
                "order": order,
            }
            for reading in self.readings
            for setting in self.settings
        ]


def pesc(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run PESC: the three ensembles of one population."""
    return _ensembles(pesc_model(given, reading), given, "")


_PESC = Part("PESC", pesc, _BOTH)


def srmosc(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run SRMOSC, evolved as in the paper or solved by row, and its consensus."""
    model, seconds = fitted(srmosc_model(given, reading, final="consensus"), given)
    found = {"SRMOSC, consensus": Found(model.labels_, seconds)}
    _, extra = timed(model.choose, "rcut")
    return {"SRMOSC": Found(model.labels_, seconds + extra), **found}


_SRMOSC = Part("SRMOSC", srmosc, _BOTH)


def mock(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run MOCK, CSPA of its front, and the best of its front by the classes."""
    model, seconds = fitted(_mock_model(given, reading), given)
    front = model.pareto_labels_
    merged, extra = timed(_consensus, front, given)
    return {
        "MOCK": Found(model.labels_, seconds),
        "CSPA of MOCK's front": Found(merged, seconds + extra),
        "MOCK, best of its front": Found(front, seconds),
    }


def moga(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run MOGA(pi, sep) and CSPA of its front, on categories or numbers, according to the set."""
    return _moga(given, given.is_nominal, "")


def moga_other(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run MOGA(pi, sep) on numbers divided into five bins, or on codes as numbers."""
    return _moga(given, not given.is_nominal, ", other kind")


def generation_0(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run PESC without evolution: ES2 of the non-dominated initial individuals, and of all of them."""
    found = {}
    for over, name in (("nondominated", ""), ("population", ", whole population")):
        model, seconds = fitted(pesc_model(given, reading, n_gen=0, ensemble_over=over), given)
        found[f"generation 0{name}"] = Found(model.labels_, seconds)
    return found


def waterfill(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run the water-filling graph, whose number of neighbours depends on the local density."""
    # Bridged in both readings, because the paper does not use this graph.
    model, seconds = fitted(graph_model(given, reading, "waterfill", bridge=True), given)
    return {"water-filling graph": Found(model.labels_, seconds)}


def _run(name: str, control: Callable[[Given], IntArray]) -> Run:
    def run(given: Given, reading: str, setting: str) -> dict[str, Found]:
        return {name: Found(*timed(control, given))}

    return run


def k_means(given: Given) -> IntArray:
    """Run k-means with ten starts."""
    labels: IntArray = KMeans(given.n_clusters, n_init=10, random_state=given.seed).fit_predict(given.X)
    return labels


def ward(given: Given) -> IntArray:
    """Run Ward's method."""
    labels: IntArray = AgglomerativeClustering(given.n_clusters, linkage="ward").fit_predict(given.X)
    return labels


def hdbscan(given: Given) -> IntArray:
    """Run HDBSCAN with clusters of at least five; noise is a further cluster."""
    labels: IntArray = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(given.X)
    return labels - labels.min()


def spectral(given: Given) -> IntArray:
    """Run spectral clustering of scikit-learn on its graph of ten neighbours."""
    model = SpectralClustering(
        given.n_clusters,
        affinity="nearest_neighbors",
        n_neighbors=min(10, len(given.X) - 1),
        random_state=given.seed,
    )
    labels: IntArray = model.fit_predict(given.X)
    return labels


CONTROLS: dict[str, Run] = {
    name: _run(name, control)
    for name, control in (
        ("k-means", k_means),
        ("Ward", ward),
        ("HDBSCAN", hdbscan),
        ("spectral (scikit-learn)", spectral),
    )
}
_CONTROLS = [
    Part("generation 0", generation_0, _BOTH),
    Part("water-filling graph", waterfill, _BOTH),
    *(Part(name, run) for name, run in CONTROLS.items()),
]
# Parts of the views.
RIVALS = [
    _PESC,
    _SRMOSC,
    Part("MOCK", mock, _BOTH),
    Part("MOGA", moga),
    Part("MOGA, other kind", moga_other),
    *_CONTROLS,
]


def graph_run(name: str) -> Run:
    """Return a run of a conventional graph, whose setting is a value of its grid."""

    def run(given: Given, reading: str, setting: str) -> dict[str, Found]:
        model, seconds = fitted(grid_model(given, reading, name, setting), given)
        return {name: Found(model.labels_, seconds, gap=gap_of(model))}

    return run


_GRAPHS = [Part(name, graph_run(name), _BOTH, values) for name, values in GRIDS.items()]
GRAPHS = [_PESC, *_GRAPHS, *_CONTROLS]


def pesc_joined(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run PESC with the labels also written into the graph, as for the other graphs."""
    return _ensembles(pesc_model(given, reading, must_link_edges="clique"), given, ", must-links")


def semi_mock(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run MOCK with labels as a third objective, and with labels that only select from the front."""
    found = {}
    for supervision, name in (("objective", "Semi-MOCK"), ("select", "MOCK, picked by labels")):
        model, seconds = fitted(_mock_model(given, reading, supervision=supervision), given)
        found[name] = Found(model.labels_, seconds)
    return found


def nearest_labelled(given: Given) -> IntArray:
    """Return the class of the nearest labelled sample."""
    if given.y is None:
        raise ValueError("1-NN requires labels")
    known = given.y >= 0
    model = KNeighborsClassifier(1).fit(given.X[known], given.y[known])
    labels: IntArray = model.predict(given.X)
    return labels


CLASSIFIERS: dict[str, Run] = {CLASSIFIER: _run(CLASSIFIER, nearest_labelled)}
SEMI_SUPERVISED = [
    _PESC,
    Part("PESC, must-links", pesc_joined, _BOTH),
    _SRMOSC,
    Part("Semi-MOCK", semi_mock, _BOTH),
    *_GRAPHS,
    *(Part(name, run) for name, run in CLASSIFIERS.items()),
    *_CONTROLS,
]


def pesc_index(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run ES2 with crossover and mutation of sample indices, as printed."""
    model, seconds = fitted(pesc_model(given, reading, operators="index"), given)
    return {"PESC_ES2, index operators": Found(model.labels_, seconds)}


_INDEX = Part("PESC, index operators", pesc_index, _BOTH)


def probabilities(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run ES2 with other probabilities of crossover and mutation."""
    pc, pm = map(float, setting.split())
    model, seconds = fitted(pesc_model(given, reading, pc=pc, pm=pm), given)
    return {"PESC_ES2": Found(model.labels_, seconds)}


PROBABILITIES = Part("probabilities", probabilities, _BOTH, COURSE_PROBABILITIES)


def sizes(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run ES2 with other population sizes; the number of generations follows from that of evaluations."""
    pop_size = int(setting)
    n_gen = min(given.effort["evaluations"] // pop_size, given.effort["long"])
    model, seconds = fitted(pesc_model(given, reading, pop_size=pop_size, n_gen=n_gen), given)
    return {"PESC_ES2": Found(model.labels_, seconds)}


SIZES = Part("population sizes", sizes, _BOTH, COURSE_SIZES)


def course(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run ES2, and merge the population after several numbers of generations."""
    return _course(pesc_model(given, reading), given, given.effort["n_gen"])


COURSE = Part("course", course, _BOTH)


def long_course(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Run ES2 for more generations, by initial population and operators, and merge several populations."""
    init, operators = setting.split()
    return _course(pesc_model(given, reading, init=init, operators=operators), given, given.effort["long"])


LONG_COURSE = Part("long course", long_course, ("paper",), STARTS)


def picture(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Return graphs for figures: one per ensemble of PESC, and the best of a conventional grid."""
    if setting == "PESC":
        model, seconds = fitted(pesc_model(given, reading), given)
        return {f"PESC_{one.upper()}": _shown([model.choose(one)], seconds) for one in ENSEMBLES}
    if setting == "SRMOSC":
        model, seconds = fitted(srmosc_model(given, reading), given)
        return {"SRMOSC": _shown([model], seconds)}
    models = [fitted(grid_model(given, reading, setting, value), given)[0] for value in GRIDS[setting]]
    return {f"{setting}, label-tuned": _shown(models, 0.0)}


PICTURE = Part("picture", picture, ("paper",), PICTURES)
PARTS = {
    part.name: part
    for part in (
        *RIVALS,
        *GRAPHS,
        *SEMI_SUPERVISED,
        _INDEX,
        PROBABILITIES,
        SIZES,
        COURSE,
        LONG_COURSE,
        PICTURE,
    )
}
Run = Callable[[Given, str, str], dict[str, Found]]


def _ensembles(model: PESC, given: Given, suffix: str) -> dict[str, Found]:
    _, total = fitted(model, given)
    merged, seconds = {}, {}
    for ensemble in ENSEMBLES:
        _, seconds[ensemble] = timed(model.choose, ensemble)
        merged[ensemble] = model.labels_
    search = total - seconds["es2"]
    return {
        f"PESC_{ensemble.upper()}{suffix}": Found(labels, search + seconds[ensemble])
        for ensemble, labels in merged.items()
    }


def fitted(model: Any, given: Given) -> tuple[Any, float]:
    """Fit an estimator of this package to the data and the known labels; return it with its seconds."""
    return timed(model.fit, given.X, given.y)


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the result of a call, and its seconds."""
    start = perf_counter()
    result = call(*arguments)
    return result, perf_counter() - start


def pesc_model(given: Given, reading: str, **options: Any) -> PESC:
    """Return PESC in a reading; further options take precedence."""
    make: Callable[..., PESC] = SwarmPESC.paper if reading == "paper" else PESC
    return make(given.n_clusters, random_state=given.seed, **{**given.sizes, **options})


class SwarmEnsemble(GraphEnsemble):
    """Graphs of PESC, with ES1 weights by a particle swarm."""

    def merge(self, ensemble: str) -> tuple[SpectralPartition, float | None]:
        if ensemble != "es1":
            return super().merge(ensemble)
        edges, _ = edge_distances(self.members(), self.lists)
        rng = np.random.default_rng(self.weight_seed)
        return self.clustered(swarm_weights(self.X, edges, rng, ridge=self.options["ridge"])), None


class SwarmPESC(PESC):
    """PESC with the particle swarm of the paper for ES1."""

    def _cluster(self, *given: Any) -> Any:
        yield from super()._cluster(*given)
        found = self.graphs_
        self.graphs_ = SwarmEnsemble(**{part.name: getattr(found, part.name) for part in fields(found)})
        if self.ensemble == "es1":
            self._take_by_rule("es1")


def swarm_weights(
    X: NDArray[np.floating[Any]],
    edges: sp.csr_array,
    rng: np.random.Generator,
    *,
    ridge: float = 0.025,
    n_particles: int = 30,
    n_iter: int = 200,
) -> sp.csr_array:
    """Compute ES1 by the swarm of the paper, for all samples with the same number of edges at once."""
    # Hundreds of times slower than the exact weights of ``reconstruction_weights``, and slightly worse.
    rho = ridge * float(X.var(axis=0, dtype=np.float64).mean())
    X = np.asarray(X, dtype=np.float64)
    weights = np.zeros(edges.nnz)
    sizes = np.diff(edges.indptr)
    for q in np.unique(sizes[sizes > 0]):
        samples = np.flatnonzero(sizes == q)
        # Batches limit arrays of shape (samples, particles, q) to tens of megabytes.
        for batch in np.array_split(samples, -(-len(samples) * n_particles * int(q) // 2_000_000)):
            entries = edges.indptr[batch, None] + np.arange(q)
            B = X[edges.indices[entries]]
            gram = B @ B.transpose(0, 2, 1) + rho * np.eye(q)
            target = (B @ X[batch][:, :, None])[:, :, 0]
            weights[entries] = _swarm_batch(gram, target, n_particles, n_iter, rng)
    S = sp.csr_array((weights, edges.indices, edges.indptr), shape=edges.shape, copy=True)
    S.eliminate_zeros()
    S.sort_indices()
    return S


def _swarm_batch(
    gram: NDArray[np.float64],
    target: NDArray[np.float64],
    n_particles: int,
    n_iter: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Iterate x <- max(0, w x + c r1 (own best - x) + c r2 (best - x)), w from 0.9 to 0.4, c = 2."""
    n, q = target.shape

    def loss(x: FloatArray) -> FloatArray:
        return np.einsum("npq,npq->np", x @ gram, x) - 2.0 * (x @ target[:, :, None])[:, :, 0]

    x = rng.random((n, n_particles, q))
    own, own_loss = x.copy(), loss(x)
    rows = np.arange(n)
    for inertia in np.linspace(0.9, 0.4, n_iter):
        best = own[rows, own_loss.argmin(axis=1)][:, None, :]
        pull = 2.0 * rng.random(x.shape) * (own - x) + 2.0 * rng.random(x.shape) * (best - x)
        x = np.maximum(0.0, inertia * x + pull)
        new = loss(x)
        better = new < own_loss
        own[better], own_loss[better] = x[better], new[better]
    return own[rows, own_loss.argmin(axis=1)]


def srmosc_model(given: Given, reading: str, **options: Any) -> SRMOSC:
    """Return SRMOSC in a reading."""
    search: Any = "nsga2" if reading == "paper" else "hull"
    return SRMOSC(given.n_clusters, search=search, random_state=given.seed, **given.sizes, **options)


def _mock_model(given: Given, reading: str, **options: Any) -> MOCK:
    make: Callable[..., MOCK] = MOCK.pesc if reading == "paper" else MOCK
    return make(given.n_clusters, random_state=given.seed, **given.sizes, **options)


def _consensus(front: Any, given: Given) -> Any:
    return cspa(front, given.n_clusters, partitioner="svd", random_state=given.seed)


def _moga(given: Given, categories: bool, suffix: str) -> dict[str, Found]:
    X = given.X
    metric: Any = "hamming" if categories else "euclidean"
    if categories and given.is_nominal:
        # Use ranks of the codes, because scaled codes are fractions, which would be divided into bins.
        X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    model = FuzzyModesMOGA(given.n_clusters, metric=metric, random_state=given.seed, **given.sizes)
    _, seconds = timed(model.fit, X)
    merged, extra = timed(_consensus, model.pareto_labels_, given)
    return {
        f"MOGA(π,sep){suffix}": Found(model.labels_, seconds),
        f"CSPA{suffix}": Found(merged, seconds + extra),
    }


def graph_model(given: Given, reading: str, graph: str, **options: Any) -> SpectralGraphClustering:
    """Return spectral clustering of a graph in a reading; without bridges in the reading of the paper."""
    literal: dict[str, Any] = {"laplacian": "unnormalized", "bridge": False} if reading == "paper" else {}
    chosen = {"graph": graph, "must_link_edges": "clique", "random_state": given.seed, **literal, **options}
    return SpectralGraphClustering(given.n_clusters, **chosen)


def grid_model(given: Given, reading: str, name: str, value: str) -> SpectralGraphClustering:
    """Return the model of a graph with one value of its grid."""
    scale = {"epsilon" if name == "epsilon" else "sigma": float(value)}
    return graph_model(given, reading, KINDS[name], **scale)


def gap_of(model: SpectralGraphClustering) -> float:
    """Return the eigengap of the clustered graph, always of the normalised Laplacian."""
    K = model.n_clusters
    if model.laplacian == "sym" and len(model.eigenvalues_) > K:
        return float(model.eigenvalues_[K] - model.eigenvalues_[K - 1])
    return eigengap(model.similarity_, K, rng=np.random.default_rng(0))


def _course(model: PESC, given: Given, n_gen: int) -> dict[str, Found]:
    """Return partitions at several generations of a search, each equal to a fit with that number."""
    found, total = {}, 0.0
    with TemporaryDirectory(prefix="pesc-") as folder:
        model.set_params(checkpoint=Path(folder) / "course.npz", checkpoint_every=max(n_gen, 1), resume=True)
        for generation in generations(len(given.X), n_gen):
            _, seconds = fitted(model.set_params(n_gen=generation), given)
            total += seconds
            found[str(generation)] = Found(model.labels_, total)
    return found


def generations(n_samples: int, n_gen: int) -> Sequence[int]:
    """Return the generations after which populations are merged, always the first, second and last."""
    step = STEP if n_samples <= LARGE else LARGE_STEP
    return sorted({0, 1, *range(step, n_gen, step), n_gen})


def _shown(models: Sequence[Any], seconds: float) -> Found:
    labels = np.stack([model.labels_ for model in models])
    return Found(labels, seconds, graphs=[Graph.of(model) for model in models])


def leakage_keys() -> list[Key]:
    """Return keys of runs on rows sorted by class, and of runs on shuffled rows that are in no table."""
    return [*_PESC.keys(order="sorted"), *_INDEX.keys(), *_INDEX.keys(order="sorted")]


def is_sorted_too(found: FlatSet) -> bool:
    """Return whether a set is small enough for runs on sorted rows."""
    # Index operators require all neighbours of all samples.
    return len(found.X) <= 1000


def load_flat_sets(folder: Path | None, names: Sequence[str] = ()) -> list[FlatSet]:
    """Load the sets of a folder and of scikit-learn, or the named ones.

    Raises a ValueError if there is no set with one of the names, and a DataError if ``folder`` has no
    subfolder ``uci``, or one of its files is not a set with classes.

    Parameters
    ----------
    folder : Path, optional
        Folder whose subfolder ``uci`` contains npz files with arrays ``X`` and ``y``. Default: the folder in
        the environment variable ``MOO_CLUSTERING_DATA`` or, if it is not set, only the sets of scikit-learn.
    names : sequence of str, default=()
        File names without suffix; default: all sets with at most 5000 samples.

    Returns
    -------
    list of FlatSet
        Sets by increasing number of samples.
    """
    paths = _files(folder)
    known = sorted({*paths, *_BUNDLED})
    check_names("sets", names, known)
    found = [_read(name, paths.get(name)) for name in dict.fromkeys(names or known)]
    kept = [one for one in found if names or len(one.X) <= MOST_SAMPLES]
    return sorted(kept, key=lambda one: (len(one.X), one.name))


def _files(folder: Path | None) -> dict[str, Path]:
    given = folder_of_data(folder)
    place = None if given is None else given / _FOLDER
    if folder is not None and place is not None and not place.is_dir():
        raise DataError(f"there is no folder {place}, which must contain the sets with classes")
    return {} if place is None else {path.stem: path for path in sorted(place.glob("*.npz"))}


def _read(name: str, path: Path | None) -> FlatSet:
    if path is None:
        X, y = _BUNDLED[name](return_X_y=True)
    else:
        X, y = _arrays(path)
    X = np.asarray(X, dtype=np.float64)
    classes = np.unique(y, return_inverse=True)[1].astype(np.int64)
    if X.ndim != 2 or np.shape(y) != (len(X),) or not np.isfinite(X).all() or classes.max(initial=0) < 1:
        raise DataError(
            f"{path} must have finite features 'X' of shape (n_samples, n_features) and at least two classes "
            "in 'y', one for every sample"
        )
    return FlatSet(name, fingerprint(X, classes)[:16], X, classes)


def _arrays(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        arrays = read_arrays(path, DataError)
        X, y = arrays["X"], arrays["y"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} is not an archive with arrays 'X' and 'y': {error}") from error
    if X.dtype.kind not in "iufb" or y.dtype.kind not in "iufbUS":
        raise DataError(
            f"{path} has arrays 'X' and 'y' of types {X.dtype} and {y.dtype}, not numbers and classes"
        )
    return X, y
