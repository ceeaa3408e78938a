"""MOCK: evaluations, exact spanning trees, ranks, and whole searches with their memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from _harness import Row
from _numpy_density import NumpyDBCV
from bench_bags import in_turns
from bench_end_to_end import peak_gib
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from moo_clustering.graphs import LocusGraph, euclidean_mst, locus_graph, mst_interestingness
from moo_clustering.graphs.neighbors import tie_keys
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation
from moo_clustering.problems import MOCKProblem
from moo_clustering.validity import DBCV

Floats = NDArray[np.float64]

POP, GENERATIONS = 100, 100
# Data that a whole search is measured on, and what is known of the published program of delta-MOCK there.
WHOLE = {
    "chameleon t4.8k": "published program (split, elsewhere): 30-32 s, 649 MB",
    "pendigits": "published program (split, elsewhere): 143-200 s, 1.2 GB",
    "made": "published program: several N x N tables, 80 GB each",
}


class SparseNumpy:
    """Variance and connectivity from SciPy's components and NumPy's sums."""

    def __init__(self, graph: LocusGraph) -> None:
        n, width = graph.neighbors.shape
        self.X, self.neighbors = graph.X, graph.neighbors
        self.squares = float((graph.X**2).sum())
        self.weights = 1.0 / np.arange(1, width + 1)
        self.ones, self.starts = np.ones(n, dtype=np.int8), np.arange(n + 1)

    def __call__(self, links: NDArray[Any]) -> Floats:
        n = len(links)
        graph = csr_array((self.ones, links, self.starts), shape=(n, n))
        k, labels = connected_components(graph, directed=False)
        sizes = np.bincount(labels, minlength=k)
        sums = np.stack([np.bincount(labels, weights=column, minlength=k) for column in self.X.T], axis=1)
        variance = (self.squares - ((sums**2).sum(axis=1) / sizes).sum()) / n
        apart = labels[self.neighbors] != labels[:, None]
        return np.array([variance, (apart @ self.weights).sum()])


def evaluations(n: int = 5000) -> list[Row]:
    """One partition, by all links and by the links with a gene."""
    X = make_blobs(n, centers=15, cluster_std=1.5, random_state=0)[0]
    graph = locus_graph(X, rng=np.random.default_rng(0))
    full, split, short = (MOCKProblem(graph=graph, encoding=k, n_jobs=1) for k in ("locus", "split", "short"))
    bits = MSTInterestingnessSampling().do(split, POP, random_state=np.random.default_rng(0)).get("X")
    links = split.encoding.to_full(bits)
    genes = short.encoding.from_full(links)
    rival = SparseNumpy(graph)
    expected = np.array([rival(row) for row in links])
    for problem, G in ((full, links), (split, bits), (short, genes)):
        np.testing.assert_allclose(problem.evaluate(G), expected, rtol=1e-7)
    naive, whole, by_bits, by_genes = in_turns(
        [
            lambda: [rival(row) for row in links],
            lambda: full.evaluate(links),
            lambda: split.evaluate(bits),
            lambda: short.evaluate(genes),
        ],
        repeats=9,
    )
    naive, whole, by_bits, by_genes = (1e3 * t / POP for t in (naive, whole, by_bits, by_genes))
    return [
        Row(
            f"MOCK, both objectives of a partition given by all links, N = {n:,}, L = 10, one thread",
            f"{whole:.3f} ms",
            f"SciPy's connected components, NumPy's sums: {naive:.2f} ms",
            f"{naive / whole:.1f} x",
        ),
        Row(
            f"the same by {split.n_var} bits of the tree's links",
            f"{by_bits:.4f} ms",
            f"all links: {whole:.3f} ms",
            f"{whole / by_bits:.0f} x",
        ),
        Row(
            f"the same by {split.n_var} links that may lead elsewhere",
            f"{by_genes:.4f} ms",
            f"all links: {whole:.3f} ms",
            f"{whole / by_genes:.0f} x",
        ),
    ]


def trees(n: int = 100_000) -> list[Row]:
    """Boxes against Prim without a matrix, which is run once."""
    rows = []
    for d, count, repeats in ((2, n, 3), (8, 10_000, 3), (16, 10_992, 1)):
        X = make_blobs(count, n_features=d, centers=30, random_state=0)[0]
        keys = tie_keys(count, "random", np.random.default_rng(0))
        (ours,) = in_turns(
            [lambda X=X, k=keys: euclidean_mst(X, ties=k, root=0, algorithm="boruvka")], repeats
        )
        start = time.perf_counter()
        other = euclidean_mst(X, ties=keys, root=0, algorithm="prim")
        prim = time.perf_counter() - start
        tree = euclidean_mst(X, ties=keys, root=0)
        np.testing.assert_array_equal(tree.parent, other.parent)
        (ranked,) = in_turns(
            [lambda X=X, t=tree, k=keys: mst_interestingness(t, X, keys=k, n_jobs=1)], repeats
        )
        name = f"{count:,} x {d}"
        rows.append(
            Row(
                f"exact minimum spanning tree, blobs {name}",
                f"{ours:.2f} s",
                f"Prim without a matrix, compiled, one run: {prim:.1f} s",
                f"{prim / ours:.1f} x",
            )
        )
        rows.append(Row(f"ranks of both ends of its links, {name}, one thread", f"{ranked:.2f} s", "", ""))
    return rows


def data(name: str) -> tuple[str, Floats]:
    """A stored set, or blobs of the same shape where there is none."""
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file, shape = {
        "chameleon t4.8k": ("shapes/chameleon_t4_8k.npz", (8000, 2)),
        "pendigits": ("uci/pendigits.npz", (10_992, 16)),
        "made": ("", (100_000, 2)),
    }[name]
    if file and (folder / file).exists():
        with np.load(folder / file) as arrays:
            return name, arrays["X"].astype(np.float64)
    return f"blobs {shape[0]:,} x {shape[1]}", make_blobs(*shape, centers=30, random_state=0)[0]


def whole() -> list[Row]:
    """Runs from features to a front, each in a process of its own, whose memory it is."""
    rows = []
    for name, published in WHOLE.items():
        for kind in ("short", "split"):
            command = [sys.executable, __file__, name, kind]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            got = json.loads(answer.splitlines()[-1])
            rows.append(
                Row(
                    f"whole delta-MOCK, {kind}, {POP} x {GENERATIONS}, {got['name']}, {got['n']:,} samples, "
                    "one thread",
                    f"{got['seconds']:.1f} s ({got['graph']:.1f} s of it the graph), {got['mb']:.0f} MB over "
                    f"the start, {got['whole']:.0f} MB in all",
                    published,
                    "",
                )
            )
    return rows


def measure(name: str, kind: str) -> dict[str, Any]:
    """Search in this process."""
    # Kernels are compiled or loaded before the clock starts.
    _search(make_blobs(2000, n_features=3, random_state=0)[0], kind, 2)
    label, X = data(name)
    before = peak_gib()
    start = time.perf_counter()
    graph = _search(X, kind, GENERATIONS)
    seconds = time.perf_counter() - start
    peak = peak_gib()
    return {
        "name": label,
        "n": len(X),
        "seconds": seconds,
        "graph": graph,
        "mb": 1024 * (peak - before),
        "whole": 1024 * peak,
    }


def _search(X: Floats, kind: Any, n_gen: int) -> float:
    start = time.perf_counter()
    problem = MOCKProblem(X, encoding=kind, delta="sr5", random_state=0, n_jobs=1)
    seconds = time.perf_counter() - start
    algorithm = NSGA2(
        pop_size=POP,
        sampling=MSTInterestingnessSampling(),
        crossover=UniformCrossover(prob=1.0),
        mutation=NeighborBiasedMutation(),
        eliminate_duplicates=False,
    )
    minimize(problem, algorithm, ("n_gen", n_gen), seed=0)
    return seconds


def density(n: int) -> Row:
    """DBCV of partitions that cut the spanning tree."""
    X = make_blobs(n, n_features=10, centers=5, random_state=0)[0]
    problem = MOCKProblem(X, random_state=0, n_jobs=1)
    cuts = MSTInterestingnessSampling().do(problem, POP, random_state=np.random.default_rng(0)).get("X")
    labels = problem.decode(cuts)
    ours, rival = DBCV().fit(X), NumpyDBCV(X)
    few = labels[POP // 5 :: POP // 5]
    np.testing.assert_allclose(ours.evaluate(few), [rival(row) for row in few], rtol=1e-9)
    numpy, kernel = in_turns([lambda: [rival(row) for row in few], lambda: ours.evaluate(few)], 3)
    return Row(
        f"DBCV of a cut of the spanning tree, N = {n:,}, d = 10, one thread",
        f"{1e3 * kernel / len(few):.2g} ms",
        f"NumPy and SciPy's spanning trees: {1e3 * numpy / len(few):.3g} ms",
        f"{numpy / kernel:.0f} x",
    )


def run() -> list[Row]:
    """On one thread."""
    with threadpool_limits(limits=1):
        rows = [*evaluations(), density(200), density(2000), *trees()]
    return rows + whole()


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        print(json.dumps(measure(sys.argv[1], sys.argv[2])))
