"""
A run on a cluster
==================

Run three kinds of computation on a Dask cluster. The results are the same as without the cluster.

Shows: a cluster on this machine, ``joblib.parallel_config(backend="dask")``, ensemble runs, pool families,
population chunks in pymoo's NSGA-II, and the processes that computed them. To use your own machines, replace
``LocalCluster(...)`` with the address of their scheduler.
"""

import os
from contextlib import nullcontext

import numpy as np
from dask.distributed import Client, LocalCluster
from joblib import parallel_config
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from moo_clustering import EnsembleNMF, ParetoClustering
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import CanonicalDuplicates, EncodingRepair, EncodingSampling
from moo_clustering.problems import ChunkedProblem, PartitionProblem
from moo_clustering.visualization import plot_front

X, digits = load_digits(return_X_y=True)
X, digits = X[:600], digits[:600]


def found(where):
    """Labels of an ensemble and of a pool, and the objectives of a search."""
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=12), ["deviation", "silhouette"])
    algorithm = NSGA2(
        pop_size=60,
        sampling=EncodingSampling(),
        repair=EncodingRepair(),
        eliminate_duplicates=CanonicalDuplicates(problem.encoding),
    )
    with where:
        ensemble = EnsembleNMF(10, n_runs=20, random_state=0).fit(X)
        chosen = ParetoClustering(k_range=range(8, 13), random_state=0).fit(X)
        search = minimize(ChunkedProblem(problem, chunk_size=20), algorithm, ("n_gen", 10), seed=1)
    return ensemble.labels_, chosen, search.F


# Worker processes import this file, so code that only the first process should run is in this block.
if __name__ == "__main__":
    serial = found(nullcontext())
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        workers = client.run(os.getpid).values()
        distributed = found(parallel_config(backend="dask"))
    print(f"process {os.getpid()} and its workers {', '.join(map(str, workers))}")

    same = [
        np.array_equal(distributed[0], serial[0]),
        np.array_equal(distributed[1].labels_, serial[1].labels_),
        np.array_equal(distributed[2], serial[2]),
    ]
    print("the same as without the cluster: ensemble {}, pool {}, population {}".format(*same))
    for name, labels in (("ensemble", distributed[0]), ("pool", distributed[1].labels_)):
        print(f"agreement of the {name} with the digits: {adjusted_rand_score(digits, labels):.2f}")
    chosen = distributed[1]
    plot_front(chosen.pareto_front_, chosen.objective_names_, path="distributed_run.png")
