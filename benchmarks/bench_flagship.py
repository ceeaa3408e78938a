"""Scores of a pool of partitions against scikit-learn and NumPy, one partition at a time."""

from __future__ import annotations

import numpy as np
from _harness import Row
from bench_bags import in_turns
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

from moo_clustering.validity import FamilyAgreement, GraphModularity, LabelEvidence

SAMPLES, MEMBERS, FAMILIES, CLASSES = 1500, 195, 8, 10
SHAPE = f"{MEMBERS} partitions of {SAMPLES:,} samples"
# Partitions of the pool that the double loop compares with all of it.
FEW = 8


def pool() -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32], list[str]]:
    """Samples, their classes, and nearest-centre partitions into 2 to 40 clusters, some labels drawn anew."""
    X, y = make_blobs(SAMPLES, 5, centers=CLASSES, cluster_std=2.0, random_state=0)
    rng = np.random.default_rng(0)
    rows = []
    for k in np.resize(np.arange(2, 41), MEMBERS):
        centres = X[rng.choice(SAMPLES, k, replace=False)]
        nearest = ((X[:, np.newaxis] - centres) ** 2).sum(axis=2).argmin(axis=1)
        noisy = np.where(rng.random(SAMPLES) < 0.1, rng.integers(0, k, SAMPLES), nearest)
        rows.append(np.unique(noisy, return_inverse=True)[1])
    families = [f"family {q % FAMILIES}" for q in range(MEMBERS)]
    return X, y.astype(np.int32), np.array(rows, dtype=np.int32), families


def double_loop(labels: NDArray[np.int32], members: NDArray[np.int32], families: list[str]) -> list[float]:
    """Agreement from scikit-learn's index of every two partitions."""
    names = np.array(families)
    values = []
    for row in labels:
        ari = np.array([adjusted_rand_score(row, other) for other in members])
        values.append(np.median(np.sort([ari[names == name].max() for name in set(families)])[:-1]))
    return values


def agreements(members: NDArray[np.int32], families: list[str]) -> list[Row]:
    """Agreement of a pool with itself, and of one evolved partition with a pool."""
    index = FamilyAgreement(n_jobs=1).fit((members, families))
    evolved = np.unique(np.where(np.arange(SAMPLES) % 2, members[30], members[90]), return_inverse=True)[1]
    some = np.linspace(0, MEMBERS - 1, FEW).astype(int)
    np.testing.assert_allclose(
        index.evaluate(members)[some], double_loop(members[some], members, families), atol=1e-12
    )
    whole, loop, one, loop_of_one = in_turns(
        [
            lambda: FamilyAgreement(n_jobs=1).fit((members, families)).evaluate(members),
            lambda: double_loop(members[some], members, families),
            lambda: index.evaluate(evolved),
            lambda: double_loop(evolved[np.newaxis], members, families),
        ],
        repeats=5,
    )
    loop *= MEMBERS / FEW
    return [
        Row(
            f"agreement of {SHAPE}, {FAMILIES} families, one thread",
            f"{1e3 * whole:.0f} ms",
            f"double loop over adjusted_rand_score (from {FEW} rows): {loop:.1f} s",
            f"{loop / whole:.0f} x",
        ),
        Row(
            f"agreement of one evolved partition with {SHAPE}",
            f"{1e3 * one:.2f} ms",
            f"loop over adjusted_rand_score: {1e3 * loop_of_one:.0f} ms",
            f"{loop_of_one / one:.0f} x",
        ),
    ]


def products(labels: NDArray[np.int32], S: csr_array) -> list[float]:
    """Modularity of one partition at a time, by a product with its indicators."""
    volumes, total = S.sum(axis=1), S.sum()
    values = []
    for row in labels:
        H = csr_array((np.ones(len(row)), (np.arange(len(row)), row)))
        within = (H.T @ S @ H).diagonal().sum()
        values.append(within / total - ((volumes @ H / total) ** 2).sum())
    return values


def tables(labels: NDArray[np.int32], y: NDArray[np.int32], alpha: float = 0.5) -> list[float]:
    """Evidence of one partition at a time."""
    values = []
    for row in labels:
        N = np.zeros((row.max() + 1, CLASSES))
        np.add.at(N, (row, y), 1)
        rise = gammaln(alpha / CLASSES + N) - gammaln(alpha / CLASSES)
        values.append(rise.sum() - (gammaln(alpha + N.sum(axis=1)) - gammaln(alpha)).sum())
    return values


def others(X: NDArray[np.float64], y: NDArray[np.int32], members: NDArray[np.int32]) -> list[Row]:
    """Modularity and evidence of a pool."""
    graph = kneighbors_graph(X, 10)
    S = csr_array(graph.maximum(graph.T))
    labelled = np.random.default_rng(1).choice(SAMPLES, SAMPLES // 10, replace=False)
    counts = np.zeros((SAMPLES, CLASSES))
    counts[labelled, y[labelled]] = 1
    modularity, evidence = GraphModularity().fit(S), LabelEvidence().fit(counts)
    np.testing.assert_allclose(modularity.evaluate(members), products(members, S), atol=1e-12)
    np.testing.assert_allclose(
        evidence.evaluate(members), tables(members[:, labelled], y[labelled]), rtol=1e-10
    )
    ours, sparse, labels, loop = in_turns(
        [
            lambda: modularity.evaluate(members),
            lambda: products(members, S),
            lambda: evidence.evaluate(members),
            lambda: tables(members[:, labelled], y[labelled]),
        ],
        repeats=9,
    )
    return [
        Row(
            f"modularity of {SHAPE}, {S.nnz // 2:,} edges",
            f"{1e3 * ours:.1f} ms",
            f"sparse products, partition by partition: {1e3 * sparse:.0f} ms",
            f"{sparse / ours:.1f} x",
        ),
        Row(
            f"evidence of {len(labelled)} labels for {SHAPE}",
            f"{1e3 * labels:.1f} ms",
            f"NumPy, partition by partition: {1e3 * loop:.0f} ms",
            f"{loop / labels:.1f} x",
        ),
    ]


def run() -> list[Row]:
    """All on one thread."""
    X, y, members, families = pool()
    with threadpool_limits(limits=1):
        return [*agreements(members, families), *others(X, y, members)]
