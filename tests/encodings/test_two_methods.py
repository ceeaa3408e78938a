"""Encodings of a user's own with the two abstract methods alone."""

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering.encodings import Encoding, LabelEncoding, relabel_by_first_appearance
from moo_clustering.operators import PoolSampling
from moo_clustering.problems import PartitionProblem

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)


class Cuts(Encoding):
    """Cells between cuts: a feature and a rank per cut."""

    n_samples, n_var = 30, 4
    ranks = X.argsort(axis=0).argsort(axis=0)

    def bounds(self):
        return np.zeros(4, int), np.array([1, 28, 1, 28])

    def decode(self, X):
        above = self.ranks[:, X[:, ::2].astype(int)] > X[:, 1::2]
        return relabel_by_first_appearance((above @ [1, 2]).T)


def test_bounds_and_decode_suffice():
    problem = PartitionProblem(X, Cuts(), ["silhouette", "connectivity"])
    result = minimize(problem, NSGA2(12, **problem.operators(NSGA2)), ("n_gen", 8), seed=1)
    genes = result.pop.get("X")
    labels = problem.decode(genes)
    assert len(np.unique(labels, axis=0)) == len(genes) == 12
    assert abs(problem.natural(result.F)[:, 0]).max() > 0.6  # the three blobs need two cuts
    assert genes.dtype.kind == "i"


def test_defaults_are_valid_and_stay_as_they_are():
    encoding, rng = Cuts(), np.random.default_rng(1)
    low, high = encoding.bounds()
    drawn = encoding.random(200, rng)
    assert drawn.min(axis=0).tolist() == low.tolist()
    assert (drawn.max(axis=0) >= high - 1).all()
    np.testing.assert_array_equal(encoding.repair(drawn), drawn)
    repaired = encoding.repair(rng.normal(0, 40, size=(9, 4)))
    assert ((low <= repaired) & (repaired <= high)).all()
    np.testing.assert_array_equal(encoding.canonical(drawn), encoding.decode(drawn))


def test_an_encoding_without_encode_names_who_asked():
    problem = PartitionProblem(X, Cuts(), "silhouette")
    starts = PoolSampling(np.arange(30)[None] // 10, [1.0])
    with pytest.raises(TypeError, match=r"Cuts cannot encode partitions, which PoolSampling requires"):
        minimize(problem, NSGA2(12, **(problem.operators(NSGA2) | {"sampling": starts})), ("n_gen", 1))
    with pytest.raises(TypeError, match="which test_an_encoding_without_encode_names_who_asked requires"):
        Cuts().encode(np.zeros((1, 30), int))


class Failing(Cuts):
    """A fault in a method that a check calls."""

    def encode(self, labels):
        return labels + "1"


def test_a_fault_in_encode_is_not_hidden():
    problem = PartitionProblem(X, Failing(), "silhouette")
    with pytest.raises(TypeError, match="did not contain a loop"):
        minimize(problem, NSGA2(12, **problem.operators(NSGA2)), ("n_gen", 1), seed=1)


class Unsorted(LabelEncoding):
    """Equal partitions with different canonical forms."""

    def __init__(self):
        super().__init__(30, k_max=3)

    def canonical(self, X):
        return X


class Merged(Cuts):
    """Different partitions with equal canonical forms."""

    def canonical(self, X):
        return X[:, :1]


@pytest.mark.parametrize("kind", [Unsorted, Merged])
def test_canonical_that_is_not_the_partition_is_refused(kind):
    problem = PartitionProblem(X, kind(), ["silhouette", "connectivity"])
    with pytest.raises(ValueError, match=f"{kind.__name__}.canonical must return equal rows"):
        minimize(problem, NSGA2(40, **problem.operators(NSGA2)), ("n_gen", 1), seed=1)


class Fractions(Cuts):
    """Genes between integers, which the inherited repair rounds."""

    def random(self, n_individuals, rng):
        return rng.random((n_individuals, 4))


class Restless(Cuts):
    """A repair that changes valid genotypes."""

    def repair(self, X):
        return (super().repair(X) + 1) % 2


@pytest.mark.parametrize("kind", [Fractions, Restless])
def test_genotypes_that_repair_changes_are_refused(kind):
    problem = PartitionProblem(X, kind(), "silhouette")
    with pytest.raises(ValueError, match=f"{kind.__name__}.repair must not change valid genotypes"):
        problem.evaluate(np.zeros((3, 4), int))
