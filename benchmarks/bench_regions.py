"""Regions: boundary proposals and recombinations per second, and fits of a large map, in CPU time."""

from __future__ import annotations

from time import process_time

import numpy as np
from scipy.sparse import csr_array

from moo_clustering import Regions
from moo_clustering._kernels.regions import climb_boundaries
from moo_clustering.encodings import RegionEncoding

PROPOSALS, RECOMBINATIONS = 1_000_000, 1_000


def lattice(rows: int, columns: int) -> csr_array:
    """Neighbours on a grid."""
    place = np.arange(rows * columns).reshape(rows, columns)
    i = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    j = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    return csr_array((np.ones(len(ends[0])), ends), shape=(rows * columns,) * 2)


def seconds(call) -> float:
    """CPU seconds of a call."""
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    graph = lattice(56, 56)  # 3,136 areas, about as many as the counties of 48 states
    n = graph.shape[0]
    X, weight = rng.normal(size=(n, 3)), rng.lognormal(sigma=0.5, size=n)
    mean = weight.sum() / 40
    encoding = RegionEncoding(graph, 40, weight=weight, low=0.85 * mean, high=1.15 * mean)
    plan = encoding.random(1, rng)[0]
    parts = (
        encoding.indptr,
        encoding.indices,
        weight,
        X,
        0.85 * mean,
        1.15 * mean,
        np.array([1.0, 1, 1, 0, 0]),
    )
    rest = plan.copy(), np.zeros((n, 2)), np.zeros(graph.nnz), 0.3

    def climb(n_proposals: int) -> None:
        climb_boundaries(plan.copy(), *parts, *rest, n_proposals, rng)

    climb(100)
    encoding.recombine(plan.copy(), 2, rng)
    print(f"{PROPOSALS:,} boundary proposals: {seconds(lambda: climb(PROPOSALS)):.3f} s")
    spent = seconds(lambda: encoding.recombine(plan.copy(), RECOMBINATIONS, rng))
    print(f"a recombination: {1000 * spent / RECOMBINATIONS:.3f} ms")
    Regions(4, n_gen=1, random_state=0).fit(X[:16], graph=lattice(4, 4))
    for n_gen in (1, 100):
        model = Regions(40, n_gen=n_gen, random_state=0)
        spent = seconds(lambda model=model: model.fit(X, graph=graph, weight=weight))
        print(
            f"{n:,} areas, 40 regions, {n_gen} generations: {spent:.2f} s, front {len(model.pareto_front_)}"
        )


if __name__ == "__main__":
    main()
