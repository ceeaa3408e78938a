"""Graphs, pools and partitions that tests of operators on cluster numbers share."""

import numpy as np

from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex


class Modularity(ValidityIndex):
    """Plain graph modularity of a dense matrix."""

    name = "plain_modularity"
    greater_is_better = True

    def fit(self, data):
        self.S = np.asarray(data, dtype=float)
        return self

    def evaluate(self, labels):
        values = []
        for row in np.atleast_2d(labels):
            onehot = np.eye(row.max() + 1)[row]
            W = onehot.T @ self.S @ onehot
            values.append((np.diag(W) / W.sum() - (W.sum(axis=1) / W.sum()) ** 2).sum())
        return np.array(values)


class ClusterCount(ValidityIndex):
    """Number of clusters, the fewer the better; counts the partitions it has seen."""

    name = "cluster_count"
    greater_is_better = False
    seen = 0

    def fit(self, data):
        return self

    def evaluate(self, labels):
        self.seen += len(labels)
        return np.atleast_2d(labels).max(axis=1) + 1.0


class Named(ValidityIndex):
    """Plain share of pairs of samples on which a partition agrees with a given one."""

    name = "pair_agreement"
    greater_is_better = True

    def fit(self, data):
        self.pairs = np.equal.outer(data, data)
        return self

    def evaluate(self, labels):
        return np.array([(np.equal.outer(row, row) == self.pairs).mean() for row in np.atleast_2d(labels)])


def path_graph(*weights):
    """Samples in a row, neighbours linked with these weights."""
    return np.diag(weights, 1) + np.diag(weights, -1)


def parse(*texts):
    """Partitions written as digits."""
    return np.array([[int(c) for c in text] for text in texts], dtype=np.int32)


def text(labels):
    """A partition as digits."""
    return "".join(map(str, labels))


def ring_graph(m):
    """Everybody linked to the two nearest on both sides of a ring."""
    step = np.abs(np.subtract.outer(np.arange(m), np.arange(m)))
    step = np.minimum(step, m - step)
    return np.where(step == 1, 2.0, np.where(step == 2, 1.0, 0.0))


def arcs(m, ks=(2, 3, 4, 5, 7)):
    """A pool of partitions of a ring into arcs, each once turned."""
    base = [np.arange(m) * k // m for k in ks]
    return relabel_by_first_appearance(np.array([*base, *(np.roll(row, 2) for row in base)]))


def problem_of(m, k_max=12, k_min=1, indices=None):
    """Two objectives over partitions of a ring."""
    if indices is None:
        indices = [Modularity().fit(ring_graph(m)), Named().fit(np.arange(m) * 4 // m)]
    return PartitionProblem(None, LabelEncoding(m, k_max, k_min=k_min), indices)


def random_labels(rng, q, m, k):
    """Partitions with any numbers 0..k-1, also with gaps."""
    return rng.integers(0, k, (q, m)).astype(np.int32)
