"""The gain of a second thread for every loop that is shared among threads, and what bounds the others.

Calls take turns with one and with two threads. The gain is that by processor time, which means something on a
busy machine too: the time of one thread over that of the calling thread and half of the others'. It knows the
part that is not shared, and waiting for memory while both run. Where nothing else runs, the gain by the clock
stands beside it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
from _bag_data import many_bags, musk2_shape
from _document_data import abstracts
from _harness import Row
from _subspace_forms import reports, start
from bench_mixture import planted
from bench_subspace import LARGE, OPTIONS
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from moo_clustering._targets import partial_targets
from moo_clustering.bags import BagGeometry, BagObjective, bag_distances
from moo_clustering.consensus import pareto_graph
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.encodings.medoid_spaces import MedoidMemo
from moo_clustering.estimators.subspace_mixture import (
    MixtureSearch,
    SubspaceMixture,
    samples_of,
    standardisation,
)
from moo_clustering.factorization import document_weights, nmf
from moo_clustering.fronts import srmosc_hull_front
from moo_clustering.graphs import euclidean_mst, locus_graph, mst_interestingness, neighbor_lists
from moo_clustering.graphs.neighbors import tie_keys
from moo_clustering.operators import MSTInterestingnessSampling, UniformNeighborCrossover
from moo_clustering.problems import (
    FuzzyModesProblem,
    MedoidProblem,
    MOCKProblem,
    NeighborGraphProblem,
    SRMOSCProblem,
)
from moo_clustering.subspace import SubspaceData, sweep
from moo_clustering.validity import BagSilhouette, pairwise_ari

# A name, and a call that takes a number of threads.
Case = tuple[str, Callable[[int], object]]
REPEATS = 7
# A gain from which on nothing needs to be said.
ENOUGH = 1.6
# Load of a machine on which one other process may run, which is this one.
IDLE = 1.5


def graphs() -> Iterator[Case]:
    """Neighbour lists, ranks, and loops over the genes of many samples."""
    X = make_blobs(20_000, n_features=10, centers=20, random_state=0)[0]
    yield (
        "neighbour lists in blocks, 20,000 x 10",
        lambda n_jobs: neighbor_lists(X, 14, rng=np.random.default_rng(0), n_jobs=n_jobs),
    )
    rng = np.random.default_rng(0)
    small = neighbor_lists(X, 14, rng=rng)
    yield (
        "reconstruction weights of 20 members, 20,000 x 10",
        lambda n_jobs: pareto_graph.reconstruction_graph(
            rng.integers(0, 14, (20, len(X))).astype(np.uint8), small, X, n_jobs=n_jobs
        ),
    )
    points = make_blobs(100_000, centers=30, random_state=0)[0]
    keys = tie_keys(len(points), "random", np.random.default_rng(0))
    tree = euclidean_mst(points, ties=keys, root=0)
    yield (
        "ranks of the links of a spanning tree, 100,000 x 2",
        lambda n_jobs: mst_interestingness(tree, points, keys=keys, n_jobs=n_jobs),
    )
    lists = neighbor_lists(points, 14, rng=rng)
    ranks = rng.integers(0, 14, (200, len(points))).astype(np.uint8)
    yield (
        "diversity, 200 x 100,000 genes",
        lambda n_jobs: shared_choices(ranks, locus_counts(ranks, 14, n_jobs=n_jobs), n_jobs=n_jobs),
    )
    problems = {n_jobs: NeighborGraphProblem(lists, n_jobs=n_jobs) for n_jobs in (1, 2)}
    yield "mean distances of links, 200 x 100,000 genes", lambda n_jobs: problems[n_jobs].mean_distance(ranks)
    parents = np.stack([ranks[:100], ranks[100:]])
    crossover = UniformNeighborCrossover()
    yield (
        "uniform crossover of links, 100 pairs x 100,000 genes",
        lambda n_jobs: crossover._apply(problems[n_jobs], parents, np.random.default_rng(0)),
    )


def evolution() -> Iterator[Case]:
    """Populations of MOCK, SRMOSC, medoids and modes."""
    X = make_blobs(5000, centers=15, cluster_std=1.5, random_state=0)[0]
    graph = locus_graph(X, rng=np.random.default_rng(0))
    split = MOCKProblem(graph=graph, encoding="split")
    bits = MSTInterestingnessSampling().do(split, 100, random_state=np.random.default_rng(0)).get("X")
    links = split.encoding.to_full(bits)
    yield (
        "MOCK by all links, 400 x 5,000",
        lambda n_jobs: MOCKProblem(graph=graph, encoding="locus", n_jobs=n_jobs).evaluate(
            np.repeat(links, 4, axis=0)
        ),
    )
    many = np.repeat(bits, 400, axis=0)
    yield (
        "MOCK by bits of a tree, 40,000 individuals",
        lambda n_jobs: MOCKProblem(graph=graph, encoding="split", n_jobs=n_jobs).evaluate(many),
    )
    rows = make_blobs(2000, n_features=10, centers=5, random_state=0)[0]
    yield (
        "SRMOSC, supports of all samples, 2,000 x 10",
        lambda n_jobs: srmosc_hull_front(SRMOSCProblem(rows, n_jobs=n_jobs)),
    )
    for form, n in (("matrix", 5000), ("vector", 20_000)):
        table = np.random.default_rng(0).normal(size=(n, 10))
        spaces = {
            n_jobs: MedoidProblem(table, k_max=20, metric="euclidean", form=form, n_jobs=n_jobs).space
            for n_jobs in (1, 2)
        }
        population = np.array([np.random.default_rng(q).choice(n, 20, replace=False) for q in range(200)])
        yield (
            f"nearest of 20 medoids, 200 individuals, {n:,} samples, {form}",
            lambda n_jobs, spaces=spaces, population=population: spaces[n_jobs].nearest(population),
        )
        labels = spaces[1].nearest(population)[0][:60]
        yield (
            f"new medoids of 20 clusters, 60 individuals, {n:,} samples, {form}",
            lambda n_jobs, spaces=spaces, labels=labels, n=n: spaces[n_jobs].medoids(
                labels, 20, MedoidMemo(n)
            ),
        )
    codes = np.random.default_rng(0).integers(0, 4, (5000, 20))
    modes = np.random.default_rng(1).integers(0, 4, (40, 100))
    yield (
        "fuzzy modes, 40 individuals, 5,000 x 20",
        lambda n_jobs: FuzzyModesProblem(codes, 5, n_jobs=n_jobs).evaluate(modes),
    )
    labels = np.random.default_rng(0).integers(0, 10, (300, 5000))
    yield "adjusted Rand indices of 300 x 300 partitions", lambda n_jobs: pairwise_ari(labels, n_jobs=n_jobs)


def bags() -> Iterator[Case]:
    """Sweeps and sums over clusters of few large and of many small bags, distances, silhouettes."""
    for name, data, count in (("102 bags", musk2_shape(), 40), ("5,000 bags", many_bags(), 2)):
        geometry = BagGeometry(data, n_jobs=2)
        labels = BagObjective(geometry, 2).random(count, np.random.default_rng(0))
        objectives = {n_jobs: BagObjective(geometry, 2, n_jobs=n_jobs) for n_jobs in (1, 2)}
        yield (
            f"sweep over the genes of {count} partitions of {name}",
            lambda n_jobs, objectives=objectives, labels=labels: objectives[n_jobs].improve(
                labels, np.random.default_rng(1), p_gene=1.0 if len(labels) > 2 else 0.1
            ),
        )
        several = np.repeat(labels, 20 // count + 1, axis=0)
        yield (
            f"Davies-Bouldin of {len(several)} partitions of {name}",
            lambda n_jobs, objectives=objectives, several=several: objectives[n_jobs].evaluate(several),
        )
    data = musk2_shape()
    yield "distances of 102 bags, 6,598 x 166", lambda n_jobs: bag_distances(data, n_jobs=n_jobs)
    table = np.random.default_rng(0).random((2000, 2000))
    np.fill_diagonal(table, 0.0)
    partitions = np.random.default_rng(0).integers(0, 5, (40, 2000))
    indices = {n: BagSilhouette("precomputed", n_jobs=n).fit(table) for n in (1, 2)}
    yield "silhouettes of 40 partitions of 2,000 bags", lambda n_jobs: indices[n_jobs].evaluate(partitions)


def documents() -> Iterator[Case]:
    """Sweeps of SISC, factorisations, mixtures."""
    X, Y = reports(*LARGE)
    W, targets = start(X.shape[0], 50), partial_targets(Y, X.shape[0])
    data = {n_jobs: SubspaceData.of(X, n_jobs=n_jobs) for n_jobs in (1, 2)}
    yield "sweep of SISC, 28,596 x 49,060, k = 50", lambda n_jobs: sweep(data[n_jobs], targets, W, OPTIONS)
    A = abstracts()
    yield (
        f"50 factorisations side by side, {A.shape[0]:,} x {A.shape[1]:,}, 10 steps",
        lambda n_jobs: nmf(
            A, 10, seeds=np.random.SeedSequence(0).spawn(50), max_iter=10, dtype="float32", n_jobs=n_jobs
        ),
    )
    U = np.random.default_rng(0).random((A.shape[1], 40))
    yield "weights of documents, 40 topics", lambda n_jobs: document_weights(A, U, n_jobs=n_jobs)
    table, classes = planted(50_000, 80)
    samples = samples_of(table, standardisation(table))
    search = MixtureSearch(samples, SubspaceMixture(), np.random.default_rng(0))
    _, model = search.model(search.state(classes, 15))
    yield "assignment of 50,000 x 80 to a mixture", lambda n_jobs: samples.assigned(model, n_jobs)


def measured(name: str, action: Callable[[int], object]) -> Row:
    """Least processor times, the gain by them, and what keeps it below 1.6."""
    is_idle = os.getloadavg()[0] < IDLE
    least = {1: np.full(3, np.inf), 2: np.full(3, np.inf)}
    action(1)
    action(2)
    for _ in range(REPEATS):
        for n_jobs in least:
            clocks = (time.perf_counter, time.process_time, time.thread_time)
            begun = [clock() for clock in clocks]
            action(n_jobs)
            seconds = [clock() - start for clock, start in zip(clocks, begun, strict=True)]
            least[n_jobs] = np.minimum(least[n_jobs], seconds)
    (wall, one, _), (both, two, own) = least[1], least[2]
    shared = own + (two - own) / 2
    bound = ""
    if one / shared < ENOUGH:
        bound = f"; {own / two:.0%} is sequential" if two / shared < ENOUGH else "; memory"
    return Row(
        f"two threads: {name}",
        f"{1e3 * shared:.1f} ms",
        f"one: {1e3 * one:.1f} ms; two together take {two / one:.2f} times as long{bound}",
        f"{one / shared:.2f} x" + (f", {wall / both:.2f} x by the clock" if is_idle else ""),
    )


def run() -> list[Row]:
    """BLAS on one thread throughout."""
    with threadpool_limits(limits=1):
        return [measured(*case) for part in (graphs, evolution, bags, documents) for case in part()]
