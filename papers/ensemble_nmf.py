"""Ensemble NMF, Table 2: the ensemble and its rivals on sets of 3 to 10 topics, with the published NMI."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.cluster import AgglomerativeClustering

from moo_clustering._arrays import Labels
from moo_clustering.consensus import best_half, cspa, hbgf, mcla, select_pareto
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators.documents import ensemble_runs
from moo_clustering.estimators.spherical_kmeans import bisecting_spherical_kmeans, spherical_kmeans
from moo_clustering.features import NCWTransformer, PaperTfidfTransformer, document_term_counts, prune_terms
from moo_clustering.stats import clear_differences
from moo_clustering.validity import pairwise_nmi
from papers.documents import Collection, DocumentSet, available_collections, draw_sets, load_collection
from papers.runner import Key, ResultTable, Settings, Value, WithoutFigures, seed_of

N_RUNS, N_TABLE_SETS = 50, 10
MIN_DF = 2
STEMMER: Final = "porter"
Function = partial[Labels]
SOLVER, DTYPE = "hals", "float32"
TRIALS, MAX_ITER = 10, 100
CONSENSUS: dict[str, Function] = {
    "MCLA (size)": partial(mcla, partitioner="metis"),
    "MCLA (unit)": partial(mcla, partitioner="metis", vertex_weight="unit"),
    "MCLA (matching)": partial(mcla, partitioner="matching"),
    "CSPA (METIS)": partial(cspa, partitioner="metis"),
    "CSPA (average)": partial(cspa, partitioner="average"),
    "HBGF (METIS)": partial(hbgf, partitioner="metis"),
}
BEST_HALF, PARETO, PLAIN = "Best half, MCLA", "Pareto, MCLA", "NMF, MCLA"
RANDOM = "Random labels"
# Scores of one partition with permuted cluster numbers differ by rounding.
_EQUAL = 1e-12
METHODS = (
    "Hierarchical",
    "K-means",
    "Bisecting",
    "NMF",
    "NCW-NMF",
    "Min-NCW-NMF",
    "Ensemble",
)
N_CLUSTERS = tuple(range(3, 11))
N_SETS, N_ABOVE, N_SIGNIFICANT = 80, 54, 38
# NMI, mean of ten data sets.
PUBLISHED: dict[int, tuple[float, ...]] = {
    3: (0.4670, 0.5520, 0.5735, 0.5402, 0.6372, 0.5294, 0.6294),
    4: (0.4694, 0.6870, 0.6892, 0.7002, 0.7969, 0.6399, 0.7736),
    5: (0.6013, 0.7391, 0.7384, 0.7347, 0.8331, 0.7071, 0.8123),
    6: (0.5233, 0.6991, 0.7081, 0.6744, 0.7625, 0.6623, 0.7383),
    7: (0.5427, 0.7527, 0.7705, 0.7102, 0.7866, 0.6733, 0.7818),
    8: (0.6369, 0.7837, 0.8033, 0.7253, 0.8016, 0.7191, 0.7998),
    9: (0.5514, 0.7577, 0.7720, 0.7022, 0.7956, 0.7329, 0.7632),
    10: (0.5563, 0.7463, 0.7629, 0.7064, 0.7942, 0.7302, 0.7720),
}
# Means of the columns above; the printed mean of NMF is 0.6808.
PUBLISHED_MEANS = (0.5435, 0.7147, 0.7272, 0.6867, 0.7760, 0.6743, 0.7588)
ERRATA = {
    "stand-in": "The data of the paper are the relevance judgements of TREC Genomics 2004, which are not "
    "available here. Other collections replace them: compare the order of the methods, not values.",
    "means": "The printed mean of NMF, 0.6808, is not the mean of its column, which is 0.6867, as stated in "
    "the text of the paper. For Min-NCW-NMF, the text states 0.6706, but the mean of the column is 0.6743, "
    "as printed in the table.",
    "idf": "Weights are t ln(n/df), with the number df of documents that contain the term: the paper prints "
    "log(n/idf) and describes idf as this number. n and df refer to the data set. Terms in a single "
    "document of the set are omitted, which the paper does not mention.",
    "scale": "Documents are assigned after topics are scaled to unit length. The paper prints no rule for "
    "their scale, without which the assignment is arbitrary.",
    "nmi": "NMI is Eq. 1. If it is 0/0, as for a single cluster, it is set to 0.",
    "no terms": "Documents without terms, which have no direction, are assigned to the largest cluster of "
    "every partition afterwards.",
    "trials": "Each of the 50 runs of K-means and Bisecting is a single trial. CLUTO, which the paper used, "
    "returns the best of 10 trials by its criterion I2. 'best of 10' is the expected NMI of the trial with "
    "the largest I2 among ten of the trials.",
    "z": "Z = (NMI of the ensemble - mean of the runs) / their standard deviation, with the denominator n - "
    "1; if all runs are equal, it is 0 or infinite. The paper calls a Z of at least 1.96 significant at "
    "97.5%, which is the one-sided level. For 'best of 10', mean and deviation refer to the best of ten of "
    "the trials.",
    "balance": "MCLA (size) is the original: METIS balances the documents of meta-clusters, which does not "
    "suit classes of unequal size. 'unit' balances the clusters, and 'matching' does not require METIS. "
    "CSPA and HBGF with METIS form parts of about equal size. The NMI depends on the seed of METIS.",
    "selection": "Best half: MCLA of the runs that agree most with the others. Pareto: NSGA-II selects runs "
    "by agreement, diversity and loss, and the consensus of its front that agrees most with all runs is "
    "scored. Neither uses the topics, and the gain is not reliable. NMF, MCLA: consensus of runs without "
    "the normalised-cut weighting.",
    "claims": "Counts of the data sets here, and of the eight numbers of clusters in the paper. According "
    "to the text of the paper, NCW-NMF is best except for k = 8, where Bisecting is better.",
}
# The consensus called "Ensemble" in the tables, with and without METIS.
ENSEMBLES = {True: "MCLA (size)", False: "MCLA (matching)"}
_FORMATS = dict.fromkeys(METHODS, ".4f")
SIGNIFICANT = 1.96
# Statements of the paper about its table, each as a comparison of two columns.
_CLAIMS = (
    ("NCW-NMF", "NMF"),
    ("NCW-NMF", "Bisecting"),
    ("NCW-NMF", "K-means"),
    ("Bisecting", "K-means"),
    ("Bisecting", "NMF"),
    ("NCW-NMF", "Ensemble"),
    ("Ensemble", "Bisecting"),
    ("Ensemble", "Min-NCW-NMF"),
)
BEST_OF = {name: f"{name}, best of 10" for name in ("K-means", "Bisecting")}
MIN_RUN, MAX_RUN = "Min-NCW-NMF", "Max-NCW-NMF"
# Rivals of the ensemble, and the columns of its Z values relative to them.
Z_COLUMNS = {"Bisecting": "Z", BEST_OF["Bisecting"]: "Z, best of 10"}


class Table2(WithoutFigures):
    """All methods on data sets of k topics, drawn from every collection in the data folder.

    Raises a ValueError if a collection is unknown, a k is out of range, or snowballstemmer is not installed,
    and a DataError if all collections or a requested collection are missing. Source: "Ensemble non-negative
    matrix factorization for clustering biomedical documents", Table 2.

    Parameters
    ----------
    settings : Settings
        ``n_sets`` is the number of data sets for each collection and k; there are fewer if there are fewer
        combinations of topics. ``n_clusters`` contains the values of k, by default 3 to 10, and
        ``collections`` the names, by default all that are found.
    """

    def __init__(self, settings: Settings) -> None:
        if find_spec("snowballstemmer") is None:
            raise ValueError(
                "word stems require snowballstemmer, which is not installed: pip install moo_clustering[text]"
            )
        names = settings.collections or available_collections(settings.data)
        self._collections = {name: load_collection(name, settings.data) for name in names}
        ks = settings.n_clusters or N_CLUSTERS
        largest = max(collection.n_topics for collection in self._collections.values())
        if min(ks) < 2 or min(ks) > largest:
            raise ValueError(
                f"n_clusters must be from 2 to the number of topics, here at most {largest}; "
                f"got {', '.join(map(str, ks))}"
            )
        self._n_sets = settings.n_sets or N_TABLE_SETS
        self._metis = find_spec("pymetis") is not None
        # Exclude the collections, k, sets and seeds, so that a run with more of them can use the same folder.
        self.parameters: dict[str, Any] = {
            "runs": N_RUNS,
            "solver": SOLVER,
            "dtype": DTYPE,
            "min_df": MIN_DF,
            "stemmer": STEMMER,
            "trials": TRIALS,
            "max_iter": MAX_ITER,
            "metis": self._metis,
        }
        self.cells: list[Key] = [
            {"collection": name, "data": identity, "k": k, "seed": seed, "set": number}
            for name, collection in self._collections.items()
            for identity in [_identity(collection)]
            for k in ks
            if k <= collection.n_topics
            for seed in range(settings.seeds)
            for number in range(min(self._n_sets, comb(collection.n_topics, k)))
        ]
        # The cells of a collection are adjacent, so that its words are counted only once.
        self._counts = lru_cache(maxsize=1)(self._count)
        self._sets = lru_cache(maxsize=1)(self._draw)

    def data(self, key: Key) -> Task:
        """Return the topics and the counts of the terms that occur in at least two documents of the set."""
        name, k, seed, number = str(key["collection"]), int(key["k"]), int(key["seed"]), int(key["set"])
        drawn = self._sets(name, k, seed)[number]
        counts, terms = self._counts(name)
        kept, _ = prune_terms(counts[drawn.rows], terms, min_df=MIN_DF)
        return Task(kept, drawn.y, k, N_RUNS, self._metis, (name, k, seed, number))

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Return the scores of all methods."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Return all scores, means, published means, Z values, statements of the paper, and controls."""
        stand_ins = {name: found.stand_in_for for name, found in self._collections.items()}
        return report(self.cells, values, stand_ins, metis=self._metis)

    def _count(self, name: str) -> tuple[Any, Any]:
        return document_term_counts(self._collections[name].documents, min_df=1, stemmer=STEMMER)

    def _draw(self, name: str, k: int, seed: int) -> list[DocumentSet]:
        rng = np.random.default_rng(seed_of(seed, name, k, "topics"))
        return draw_sets(self._collections[name], k, self._n_sets, rng)


def _identity(collection: Collection) -> str:
    """Return a hash of the documents and topics."""
    content = json.dumps([collection.documents, collection.y.tolist(), collection.topics])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


class Task(NamedTuple):
    """The data of a cell."""

    # shape (n_documents, n_terms): counts of the terms that are in at least two of these documents
    counts: csr_matrix
    y: NDArray[np.int64]  # shape (n_documents,): topics, which are only used for scores
    n_clusters: int
    n_runs: int
    metis: bool  # whether pymetis is installed
    seed: tuple[str | int | float, ...]  # parts that all seeds share

    def seeds(self, name: str) -> list[np.random.SeedSequence]:
        """Return one seed per run of a method."""
        return seed_of(*self.seed, name).spawn(self.n_runs)

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator for draws that are made once."""
        return np.random.default_rng(seed_of(*self.seed, name))


def run_task(task: Task) -> dict[str, Any]:
    """Return the value of a cell: the NMI of every run and consensus, and facts about the data set."""
    weights, seen = _weights(task.counts)
    sizes = np.bincount(task.y)
    labels, losses, best = _all_runs(task, weights)
    partitions = {"Hierarchical": hierarchical(weights, task.n_clusters)}
    partitions |= _consensus(task, labels["NCW-NMF"], losses, labels["NMF"])

    def scores(found: Labels) -> list[float]:
        return pairwise_nmi(task.y[np.newaxis], completed(found, seen, len(task.y)))[0].tolist()

    runs = {name: scores(found) for name, found in labels.items()}
    return {
        "documents": len(task.y),
        "without_terms": len(task.y) - len(seen),
        "terms": task.counts.shape[1],
        "balance": float(sizes.min() / sizes.max()),
        "runs": runs,
        "best_of": {name: best_of(runs[name], i2, min(TRIALS, task.n_runs)) for name, i2 in best.items()},
        "partitions": {name: scores(found[np.newaxis])[0] for name, found in partitions.items()},
    }


def _weights(counts: csr_matrix) -> tuple[csr_matrix, NDArray[np.intp]]:
    """Return weights in unit-length rows, and their documents; frequencies count all documents."""
    with warnings.catch_warnings():
        # Documents without terms are counted in the table.
        warnings.simplefilter("ignore", UserWarning)
        weights = PaperTfidfTransformer().fit_transform(counts)
    seen = np.flatnonzero(np.diff(weights.indptr) > 0)
    return weights[seen], seen


def _all_runs(
    task: Task, weights: csr_matrix
) -> tuple[dict[str, Labels], NDArray[np.float64], dict[str, list[float]]]:
    """Return the labels of all runs by method, the losses of NCW-NMF, and I2 of both kinds of k-means."""
    labels, i2 = {}, {}
    rows = weights.astype(np.float32)
    for name, algorithm in (("K-means", spherical_kmeans), ("Bisecting", bisecting_spherical_kmeans)):
        found = [
            algorithm(rows, task.n_clusters, max_iter=MAX_ITER, rng=np.random.default_rng(seed))
            for seed in task.seeds(name)
        ]
        labels[name] = np.stack([partition.labels for partition in found])
        i2[name] = [partition.i2 for partition in found]
    for name, matrix in (("NMF", weights), ("NCW-NMF", NCWTransformer().fit_transform(weights))):
        runs = ensemble_runs(
            matrix, task.n_clusters, task.seeds(name), unit_topics=True, solver=SOLVER, dtype=DTYPE, n_jobs=1
        )
        labels[name] = runs.labels
    rng = task.rng(RANDOM)
    labels[RANDOM] = rng.integers(task.n_clusters, size=labels["NMF"].shape, dtype=np.int32)
    return labels, runs.losses, i2


def hierarchical(weights: csr_matrix, n_clusters: int) -> Labels:
    """Compute the average linkage of cosine distances between unit-length rows."""
    distances = np.maximum(1.0 - (weights @ weights.T).toarray(), 0.0)
    np.fill_diagonal(distances, 0.0)
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    return np.asarray(model.fit_predict(distances), dtype=np.int32)


def _consensus(task: Task, weighted: Labels, losses: NDArray[np.float64], plain: Labels) -> dict[str, Labels]:
    """Return the consensus of the NCW-NMF runs by every function and selection, and of the NMF runs."""
    k = task.n_clusters
    functions = consensus_functions(task.metis)
    found = {name: function(weighted, k, random_state=task.rng(name)) for name, function in functions.items()}
    half = weighted[best_half(weighted)]
    found[BEST_HALF] = mcla(half, k, random_state=task.rng(BEST_HALF))
    found[PARETO] = select_pareto(
        weighted, k, losses=losses, min_runs=min(5, len(weighted)), random_state=task.rng(PARETO)
    ).labels
    found[PLAIN] = mcla(plain, k, random_state=task.rng(PLAIN))
    return found


def consensus_functions(metis: bool) -> dict[str, Function]:
    """Return the available consensus functions, with or without METIS."""
    return {
        name: function
        for name, function in CONSENSUS.items()
        if metis or function.keywords["partitioner"] != "metis"
    }


def completed(labels: Labels, seen: NDArray[np.intp], n_documents: int) -> Labels:
    """Complete labels of shape (n_runs, n_documents).

    Documents without terms join the largest cluster of a run (ties: the first to appear).
    """
    out = np.empty((len(labels), n_documents), dtype=np.int32)
    for row, found in zip(out, relabel_by_first_appearance(labels), strict=True):
        row[:] = np.bincount(found).argmax()
        row[seen] = found
    return out


def best_of(scores: Sequence[float], criterion: Sequence[float], n: int) -> tuple[float, float]:
    """Return mean and standard deviation of the score of the best of n runs, over all combinations of n runs.

    Parameters
    ----------
    scores : sequence of float
    criterion : sequence of float
        The run with the largest value is the best.
    n : int
        At most the number of runs.
    """
    order = np.argsort(-np.asarray(criterion), kind="stable")
    total = len(order)
    # All other runs of the combination come later in the order.
    chance = np.array([math.comb(total - 1 - place, n - 1) for place in range(total)]) / math.comb(total, n)
    ordered = np.asarray(scores)[order]
    mean = float(chance @ ordered)
    return mean, math.sqrt(float(chance @ (ordered - mean) ** 2))


def report(
    cells: Sequence[Key], values: Sequence[Any], stand_ins: Mapping[str, str], *, metis: bool
) -> list[ResultTable]:
    """Return all tables; the first has a row for every data set.

    Parameters
    ----------
    cells, values
    stand_ins : mapping
        Collection of the paper that each collection replaces.
    metis : bool
        Whether METIS partitions the ensemble, as in the paper.
    """
    scores = score_frame(cells, values, ENSEMBLES[metis])
    names = [name for name in stand_ins if name in set(scores["collection"])]
    everything = ResultTable(
        "scores", "Scores", [*map(str, scores.columns)], scores.astype(object).values.tolist()
    )
    return [
        everything,
        _means(scores, names, stand_ins, metis),
        significance(scores, names),
        claims(scores, names),
        _by_collection(
            scores,
            names,
            "consensus",
            "Consensus of the runs of NCW-NMF",
            ["NCW-NMF", MIN_RUN, MAX_RUN, *consensus_functions(metis), BEST_HALF, PARETO, PLAIN],
            errata("balance", "selection"),
        ),
        _by_collection(
            scores,
            names,
            "controls",
            "Random labels, and k-means as in CLUTO",
            [RANDOM, "K-means", BEST_OF["K-means"], "Bisecting", BEST_OF["Bisecting"], "NMF", "NCW-NMF"],
            errata("trials"),
        ),
        *(_beside_published(scores, name, stand_ins[name]) for name in names),
    ]


def score_frame(cells: Sequence[Key], values: Sequence[Any], ensemble: str) -> pd.DataFrame:
    """Return the NMI by method: mean and deviation of runs, or a single value.

    Parameters
    ----------
    cells, values
    ensemble : str
        Consensus for the column ``Ensemble`` and the Z values.
    """
    return pd.DataFrame([_row(key, value, ensemble) for key, value in zip(cells, values, strict=True)])


def _row(key: Key, value: Mapping[str, Any], ensemble: str) -> dict[str, Any]:
    row: dict[str, Any] = {name: key[name] for name in ("collection", "k", "seed", "set")}
    row |= {name: value[name] for name in ("documents", "without_terms", "terms", "balance")}
    partitions, runs = value["partitions"], value["runs"]
    score = partitions[ensemble]
    row["Hierarchical"] = partitions["Hierarchical"]
    for name, found in runs.items():
        row[name] = float(np.mean(found))
        row[f"{name}, deviation"] = float(np.std(found, ddof=1))
    row[MIN_RUN], row[MAX_RUN] = min(runs["NCW-NMF"]), max(runs["NCW-NMF"])
    row["Ensemble"] = score
    row |= {name: found for name, found in partitions.items() if name != "Hierarchical"}
    for name, (mean, deviation) in value["best_of"].items():
        row[BEST_OF[name]], row[f"{BEST_OF[name]}, deviation"] = mean, deviation
    row["Z"] = z_value(score, runs["Bisecting"])
    row["Z, best of 10"] = standardised(score, *value["best_of"]["Bisecting"])
    return row


def z_value(score: float, runs: ArrayLike) -> float:
    """Return how many standard deviations a score is above the mean of some runs.

    Source: "Ensemble non-negative matrix factorization for clustering biomedical documents", section 3.3.

    Parameters
    ----------
    score : float
    runs : array-like of shape (n_runs,)
        At least two.

    Returns
    -------
    float
        The denominator of the deviation is n_runs - 1. If all runs are equal, the value is 0 for their score,
        and infinite for any other score.
    """
    scores = np.asarray(runs, dtype=np.float64)
    if len(scores) < 2:
        raise ValueError(f"runs must contain at least two scores, got {len(scores)}")
    return standardised(score, float(scores.mean()), float(scores.std(ddof=1)))


def standardised(score: float, mean: float, deviation: float) -> float:
    """Return Z of a score; 0 or infinite if the deviation is 0."""
    distance = score - mean
    if deviation > _EQUAL:
        return distance / deviation
    return 0.0 if abs(distance) <= _EQUAL else math.copysign(math.inf, distance)


def _means(
    scores: pd.DataFrame, names: Sequence[str], stand_ins: Mapping[str, str], metis: bool
) -> ResultTable:
    rows: list[list[Value]] = [["paper, TREC Genomics 2004", N_SETS, "133-1757", *PUBLISHED_MEANS]]
    for name in names:
        part = scores[scores["collection"] == name]
        rows.append([name, len(part), _range(part["documents"]), *_column_means(part)])
    how = "" if metis else " pymetis is not installed here, so the ensemble is MCLA (matching)."
    return ResultTable(
        "means",
        f"NMI, mean over k of the means of the data sets, paper and {_sets(scores)} here",
        ["collection", "sets", "documents", *METHODS],
        rows,
        (
            errata("stand-in")[0] + how,
            *(f"{name}: replaces {stand_ins[name]}." for name in names),
            *errata("means", "idf", "scale", "nmi", "no terms", "trials"),
        ),
        _FORMATS,
    )


def _range(values: pd.Series[int]) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low}-{high}"


def _column_means(part: pd.DataFrame) -> list[Value]:
    # Every k has the same weight, as in the paper, regardless of its number of data sets.
    by_k = part.groupby("k")[list(METHODS)].mean()
    return [float(by_k[name].mean()) for name in METHODS]


def _sets(scores: pd.DataFrame) -> str:
    return f"{len(scores)} data set{'' if len(scores) == 1 else 's'}"


def errata(*names: str) -> tuple[str, ...]:
    """Errata of the paper, as sentences."""
    return tuple(ERRATA[name] for name in names)


def significance(scores: pd.DataFrame, names: Sequence[str]) -> ResultTable:
    """Return on how many data sets the ensemble is better than bisecting k-means, and by how much."""
    rows: list[list[Value]] = [["paper", "Bisecting", N_SETS, N_ABOVE, N_SIGNIFICANT, None, None]]
    for name in [*names, *(["all"] if len(names) > 1 else [])]:
        part = scores if name == "all" else scores[scores["collection"] == name]
        for rival, column in Z_COLUMNS.items():
            z = part[column]
            counts = (z > 0, z >= SIGNIFICANT, z <= -SIGNIFICANT)
            found = [int(np.count_nonzero(count)) for count in counts]
            rows.append([name, rival, len(part), *found, float(z.median())])
    return ResultTable(
        "significance",
        "Ensemble against bisecting k-means",
        ["collection", "rival", "sets", "ensemble above", "Z >= 1.96", "Z <= -1.96", "median Z"],
        rows,
        errata("z", "trials"),
        {"median Z": ".2f"},
    )


def claims(scores: pd.DataFrame, names: Sequence[str]) -> ResultTable:
    """Return the number of data sets on which the order of two methods is as in the paper."""
    printed = pd.DataFrame.from_dict(PUBLISHED, orient="index", columns=list(METHODS))
    parts = [printed, *(scores[scores["collection"] == name] for name in names)]
    rows: list[list[Value]] = [
        [f"{above} above {below}", *(_share(part[above], part[below]) for part in parts)]
        for above, below in _CLAIMS
    ]
    rest = [name for name in METHODS if name != "Hierarchical"]
    worst = [_share(part[rest].min(axis=1), part["Hierarchical"]) for part in parts]
    rows.append(["Hierarchical below all others", *worst])
    return ResultTable(
        "claims",
        "Statements of the paper about its methods",
        ["statement", "paper", *names],
        rows,
        errata("claims"),
    )


def _share(above: pd.Series[float], below: pd.Series[float]) -> str:
    away, _ = clear_differences(above, below)
    return f"{np.count_nonzero(away > 0)} of {len(away)}"


def _by_collection(
    scores: pd.DataFrame,
    names: Sequence[str],
    name: str,
    title: str,
    columns: Sequence[str],
    notes: Sequence[str],
) -> ResultTable:
    rows: list[list[Value]] = []
    for collection in names:
        part = scores[scores["collection"] == collection]
        rows.append([collection, len(part), *(float(part[column].mean()) for column in columns)])
    return ResultTable(
        name,
        f"{title}: mean NMI of the data sets",
        ["collection", "sets", *columns],
        rows,
        notes,
    )


def _beside_published(scores: pd.DataFrame, name: str, stand_in: str) -> ResultTable:
    part = scores[scores["collection"] == name]
    rows: list[list[Value]] = []
    there = [int(k) for k in sorted(set(part["k"]))]
    for k in there:
        drawn = part[part["k"] == k]
        if k in PUBLISHED:
            rows.append([str(k), "paper", 10, *PUBLISHED[k]])
        rows.append([str(k), "here", len(drawn), *(float(drawn[method].mean()) for method in METHODS)])
    rows.append(["mean", "paper, k from 3 to 10", N_SETS, *PUBLISHED_MEANS])
    both = [k for k in there if k in PUBLISHED]
    if both and both != list(N_CLUSTERS):
        same = np.mean([PUBLISHED[k] for k in both], axis=0)
        rows.append(["mean", "paper, k as here", 10 * len(both), *map(float, same)])
    rows.append(["mean", "here", len(part), *_column_means(part)])
    return ResultTable(
        f"table2-{name}",
        f"NMI: Table 2 of the paper and {name}",
        ["k", "whose", "sets", *METHODS],
        rows,
        (f"{name} replaces {stand_in}.", *errata("stand-in")),
        _FORMATS,
    )
