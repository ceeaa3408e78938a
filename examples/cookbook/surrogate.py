"""
A surrogate of an expensive index
=================================

A forest predicts the index of each child from cheap features, and only the most promising quarter is
evaluated.

Shows: ``vary`` outside of an algorithm, two problems with one encoding; the control evaluates the same number
of children, but does not select them by a forest.

Jin, "Surrogate-assisted evolutionary computation: recent advances and future challenges", Swarm and
Evolutionary Computation 1(2), 2011. The silhouette takes the place of an expensive index. The data are
generated.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.ensemble import ExtraTreesRegressor

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import vary
from moo_clustering.problems import PartitionProblem

X, _ = make_blobs(300, n_features=4, centers=8, cluster_std=2.0, random_state=1)
encoding = MedoidEncoding(X, k_max=15)
expensive = PartitionProblem(X, encoding, "silhouette")
cheap = PartitionProblem(X, encoding, ["deviation", "connectivity"])
parts = expensive.operators()


def features(genes):
    labels = expensive.decode(genes)
    sizes = np.array([np.sort(np.bincount(row, minlength=15))[::-1] for row in labels])
    costs = cheap.evaluate(genes, return_values_of=["F"]).round(6)  # no splits due to rounding errors
    return np.column_stack([costs, labels.max(axis=1), sizes])


def run(seed, surrogate, size=20, n_gen=15):
    """Best silhouette after each generation, which evaluates one child per individual."""
    rng = np.random.default_rng(seed)
    genes = encoding.random(size, rng)
    values = -expensive.evaluate(genes, return_values_of=["F"])[:, 0]
    known, known_values, best = genes, values, []
    for _ in range(n_gen):
        n = 4 * size if surrogate else size
        children = vary(expensive, genes, parts["crossover"], parts["mutation"], rng, n_offsprings=n)
        if surrogate:
            forest = ExtraTreesRegressor(25, random_state=seed).fit(features(known), known_values.round(9))
            children = children[np.argsort(-forest.predict(features(children)))[:size]]
        scores = -expensive.evaluate(children, return_values_of=["F"])[:, 0]
        known, known_values = np.vstack([known, children]), np.append(known_values, scores)
        merged, merged_values = np.vstack([genes, children]), np.append(values, scores)
        first = np.unique(expensive.decode(merged), axis=0, return_index=True)[1]
        order = first[np.argsort(-merged_values[first])][:size]
        genes, values = merged[order], merged_values[order]
        best.append(values[0])
    return best


for name, surrogate in (("without a surrogate", False), ("with a forest", True)):
    curves = np.array([run(seed, surrogate) for seed in range(8)])
    ends = curves[:, 4], curves[:, -1]
    print(
        f"{name}: silhouette {ends[0].mean():.3f} ± {ends[0].std():.3f} after 120 evaluations, "
        f"{ends[1].mean():.3f} ± {ends[1].std():.3f} after 320"
    )
    plt.plot(np.arange(2, 17) * 20, curves.mean(axis=0), label=name)
plt.xlabel("evaluations")
plt.ylabel("silhouette")
plt.legend()
plt.savefig("surrogate.png")
