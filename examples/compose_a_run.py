"""
Compose an evolutionary run
===========================

Compose an evolutionary run from a custom index, encoding and constraint.

Shows: patients with three visits each, an encoding that keeps these together, an index for clusters of even
size, a minimum size as an inequality, NSGA-II and SMS-EMOA, the front, and k-means for comparison.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex
from moo_clustering.visualization import plot_front, plot_partition

centers, _ = make_blobs([30, 20, 10], centers=[[0, 0], [6, 1], [2, 6]], random_state=0)
patient = np.repeat(np.arange(60), 3)
X = centers[patient] + np.random.default_rng(0).normal(scale=1.5, size=(180, 2))


class EvenSizes(ValidityIndex):
    """Evenness of the cluster sizes: exponential of their entropy, as an effective number of clusters."""

    name, greater_is_better = "even_sizes", True

    def fit(self, data):
        return self

    def evaluate(self, labels):
        shares = [np.bincount(row) / len(row) for row in np.atleast_2d(labels)]
        return np.array([np.exp(-(p * np.log(np.where(p > 0, p, 1))).sum()) for p in shares])


class PatientEncoding(LabelEncoding):
    """Encoding with one gene per patient, so that the visits of a patient stay together."""

    def __init__(self, patient, k_max):
        _, self.first, self.patient = np.unique(patient, return_index=True, return_inverse=True)
        super().__init__(len(self.first), k_max, k_min=2)
        self.n_samples = len(patient)

    def decode(self, X):
        return super().decode(X)[:, self.patient]

    def encode(self, labels):
        return self.repair(np.atleast_2d(labels)[:, self.first])


def too_small(labels):
    """Return 18 minus the size of the smallest cluster."""
    return np.array([18 - np.bincount(row).min() for row in labels])


encoding = PatientEncoding(patient, k_max=6)
problem = PartitionProblem(X, encoding, ["silhouette", EvenSizes()], inequalities=[too_small])
starts = [KMeans(2 + seed % 5, n_init=1, random_state=seed).fit(X).labels_ for seed in range(60)]
parts = problem.operators(NSGA2) | {"sampling": encoding.encode(np.array(starts))}
for algorithm in (SMSEMOA, NSGA2):
    result = minimize(problem, algorithm(pop_size=60, **parts), ("n_gen", 60), seed=1)
    values, partitions = problem.natural(result.F), problem.decode(result.X)
    print(f"{algorithm.__name__}: {len(values)} partitions, silhouette up to {values[:, 0].max():.3f}")

# %%
# K-means may separate the visits of a patient. Along the front, more even sizes lower the silhouette.
rival, best = KMeans(3, random_state=0, n_init=10).fit_predict(X), values[:, 0].argmax()
for name, labels in (("k-means", rival), ("front", partitions[best])):
    value = problem.indices[0].evaluate(labels)[0]
    split = sum(len(set(labels[patient == p])) > 1 for p in range(60))
    print(f"{name}: silhouette {value:.3f}, sizes {np.bincount(labels)}, {split} patients in two clusters")
plot_front(values, problem.objective_names, best, path="compose_a_run.png")
# %%
plot_partition(X, partitions[best], title="Visits of a patient stay together", path="visits.png")
