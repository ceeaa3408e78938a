"""Tuples of encodings: every part decodes, mates and mutates as it does alone."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.optimize import minimize

from moo_clustering.encodings import (
    LabelEncoding,
    LocusAdjacencyEncoding,
    MedoidEncoding,
    TupleEncoding,
)
from moo_clustering.estimators.composed import EvolutionaryClusterer, estimator
from moo_clustering.operators import start_genes, vary
from moo_clustering.problems import CenterEncoding, FuzzyCenterEncoding, PartitionProblem
from moo_clustering.validity import GraphModularity, ValidityIndex

ROWS, COLUMNS = np.repeat([0, 1, 2], 4), np.repeat([0, 1], 5)
TABLE = np.array([[0.0, 8.0], [4.0, 0.0], [9.0, 5.0]])[ROWS][:, COLUMNS]
TABLE = TABLE + np.random.default_rng(0).normal(scale=0.5, size=TABLE.shape)


def residue(X, rows, columns):
    """Sum of squares around the means of the blocks, cell by cell."""
    cells = 0.0
    for r in range(rows.max() + 1):
        for c in range(columns.max() + 1):
            block = X[np.ix_(rows == r, columns == c)]
            cells += ((block - block.mean()) ** 2).sum()
    return cells


def two_sided(objectives=((residue, "min"),)):
    parts = MedoidEncoding(TABLE, k_max=3, k_min=3), MedoidEncoding(TABLE.T, k_max=2, k_min=2)
    return PartitionProblem(TABLE, parts, list(objectives))


@estimator
class TwoSided(EvolutionaryClusterer):
    """An estimator whose labels would include those of the columns."""

    def make_problem(self, X, constraints):
        return two_sided()


def test_worked_numbers():
    encoding = TupleEncoding((LabelEncoding(3, k_max=2), LabelEncoding(4, k_max=3, k_min=2)))
    assert (encoding.n_samples, encoding.n_var, encoding.k_min, encoding.k_max) == (7, 7, 3, 5)
    assert_array_equal(encoding.bounds(), [[0] * 7, [1, 1, 1, 2, 2, 2, 2]])
    labels = encoding.decode([[1, 1, 0, 2, 0, 0, 2], [0, 0, 0, 1, 0, 1, 1]])
    assert_array_equal(labels, [[0, 0, 1, 2, 3, 3, 2], [0, 0, 0, 1, 2, 1, 1]])
    first, second = encoding.split(labels)
    assert_array_equal(first, [[0, 0, 1], [0, 0, 0]])
    assert_array_equal(second, [[0, 1, 1, 0], [0, 1, 0, 0]])
    assert_array_equal(encoding.split(labels[0])[1], second[0])
    assert_array_equal(encoding.decode(encoding.encode(labels)), labels)
    # A cluster with samples of both parts is split.
    assert_array_equal(encoding.decode(encoding.encode([[0, 1, 1, 1, 0, 0, 0]])), [[0, 1, 1, 2, 3, 3, 3]])


def test_parts_are_as_alone():
    neighbors = np.array([[1, 2], [0, 2], [1, 3], [2, 1]])
    parts = LocusAdjacencyEncoding(neighbors), MedoidEncoding(TABLE, k_max=4)
    both, rng = TupleEncoding(parts), np.random.default_rng(1)
    X = both.random(8, rng)
    for part, genes, labels in zip(parts, both.genes(X), both.split(both.decode(X)), strict=True):
        found = part.decode(genes)
        assert_array_equal(found[:, :, None] == found[:, None], labels[:, :, None] == labels[:, None])
    assert_array_equal(both.repair(X), X)


def test_real_genes_and_memberships_of_parts():
    """Centres are neither rounded nor refused, and fuzzy parts stay fuzzy."""
    X = TABLE[:6, :2]
    X = np.concatenate([X, [[3.0, 1.0], [9.0, 9.0]]])
    parts = FuzzyCenterEncoding(X, 3), LabelEncoding(5, k_max=3), CenterEncoding(X, 2)
    both, rng = TupleEncoding(parts), np.random.default_rng(3)
    genes = both.random(6, rng)
    genes[0, 2:4] = 1e3  # a centre without samples
    assert_array_equal(both.repair(genes), genes)
    labels, U = both.decode(genes), both.memberships(genes)
    assert_array_equal(U.argmax(axis=2), labels)
    np.testing.assert_allclose(U.sum(axis=2), 1.0)
    first = U[:, :8].max(axis=2), parts[0].memberships(both.genes(genes)[0]).max(axis=2)
    np.testing.assert_allclose(*first)
    assert first[0].min() < 0.9
    # Samples of one part have no membership in clusters of another part.
    assert not ((U[:, :8] > 0).any(axis=1) & (U[:, 8:] > 0).any(axis=1)).any()
    with pytest.raises(ValueError, match="integer genes"):
        both.decode(genes + 0.5)
    fractions = genes.copy()
    fractions[:, 6:11] += 0.4
    assert_array_equal(both.repair(fractions), genes)


def test_a_fuzzy_tuple_is_searched():
    def crisp(X, memberships):
        return np.square(memberships).sum()

    parts = FuzzyCenterEncoding(TABLE, 3), FuzzyCenterEncoding(TABLE.T, 2)
    problem = PartitionProblem(TABLE, parts, [(residue, "min"), (crisp, "max")])
    result = minimize(problem, NSGA2(12, **problem.operators(NSGA2)), ("n_gen", 5), seed=1)
    found = problem.encoding.memberships(result.pop.get("X"))
    np.testing.assert_allclose(result.pop.get("F")[:, 1], -np.square(found).sum(axis=(1, 2)))
    # Equal partitions with different memberships are not duplicates.
    assert len(np.unique(problem.decode(result.pop.get("X")), axis=0)) < len(result.pop)


def test_the_search_finds_rows_and_columns():
    problem = two_sided()
    result = minimize(problem, GA(30, **problem.operators(GA)), ("n_gen", 30), seed=1)
    rows, columns = problem.encoding.split(problem.decode(result.X)[0])
    assert_array_equal(rows, ROWS)
    assert_array_equal(columns, COLUMNS)
    np.testing.assert_allclose(result.F, residue(TABLE, ROWS, COLUMNS))


def test_functions_receive_contiguous_parts():
    seen = []

    def record(X, rows, columns):
        seen.append((rows, columns))
        return float(rows.max() - columns.max())

    problem = two_sided([("difference", record, "max"), (residue, "min")])
    X = problem.encoding.random(20, np.random.default_rng(0))
    F = problem.evaluate(X)
    rows, columns = problem.encoding.split(problem.decode(X))
    assert all(np.array_equal(np.unique(one), np.arange(one.max() + 1)) for pair in seen for one in pair)
    expected = [[-1.0, residue(TABLE, r, c)] for r, c in zip(rows, columns, strict=True)]
    np.testing.assert_allclose(F, expected)
    assert problem.objective_names == ("difference", "residue")
    twin = pickle.loads(pickle.dumps(two_sided()))
    assert_array_equal(twin.evaluate(X), two_sided().evaluate(X))


def test_children_are_valid_and_every_part_varies():
    problem = PartitionProblem(
        TABLE, (MedoidEncoding(TABLE, k_max=5), LabelEncoding(10, 3)), (residue, "min")
    )
    parents = problem.encoding.random(40, np.random.default_rng(0))
    kept, steps = parents.copy(), [problem.operators(NSGA2)[name] for name in ("crossover", "mutation")]
    children = vary(problem, parents, *steps, 1)
    assert_array_equal(parents, kept)
    assert_array_equal(children, vary(problem, parents, *steps, 1))
    assert_array_equal(problem.encoding.repair(children), children)
    for genes, before in zip(*map(problem.encoding.genes, (children, parents)), strict=True):
        new = [row for row in genes.tolist() if row not in before.tolist()]
        assert len(new) > 10


def test_whole_partitions_can_be_scored_and_start_a_run():
    links = np.block([[np.zeros((12, 12)), TABLE > 4], [(TABLE > 4).T, np.zeros((10, 10))]]).astype(float)
    parts = LabelEncoding(12, 3), LabelEncoding(10, 2)
    problem = PartitionProblem(links, parts, [GraphModularity(), ("few", lambda X, r, c: r.max(), "min")])
    start = np.append(ROWS, 3 + COLUMNS)
    genes = start_genes(problem, start)
    assert_array_equal(problem.decode(genes)[0], start)
    expected = GraphModularity().fit(links).evaluate(start[None])
    np.testing.assert_allclose(
        problem.natural(problem.evaluate(genes, return_values_of=["F"])), [[*expected, 2.0]]
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: TupleEncoding([LabelEncoding(3, 2)]), ValueError, "at least two encodings, got 1"),
        (lambda: TupleEncoding((LabelEncoding(3, 2), "labels")), TypeError, "Encodings, got 'labels'"),
        (lambda: TupleEncoding(LabelEncoding(3, 2)), ValueError, "at least two encodings"),
        (
            lambda: two_sided([(lambda X, labels: 0.0, "min")]),
            TypeError,
            "must accept the data and 2 partitions",
        ),
        (lambda: TwoSided(n_gen=1).fit(TABLE), ValueError, "with 12 samples, as X, got 22; for a tuple"),
        (lambda: two_sided(["silhouette"]), ValueError, "one partition per encoding.*index 'silhouette'"),
    ],
)
def test_bad_parts(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_data_of_another_length():
    with pytest.raises(ValueError, match="same number of samples, got 10 and 22"):
        PartitionProblem(TABLE.T, (LabelEncoding(12, 3), LabelEncoding(10, 2)), (residue, "min"))


class Ones(ValidityIndex):
    """Number of genes that are 1, which the partition does not determine."""

    name, greater_is_better = "ones", True

    def fit(self, data):
        return self

    def evaluate(self, labels, genes):
        assert len(genes) == len(labels)
        return (genes == 1).sum(axis=1)


def test_an_index_can_read_the_genes():
    problem = PartitionProblem(TABLE, LabelEncoding(12, 2), [Ones(), "deviation"])
    X = np.array([[1] * 6 + [0] * 6, [0] * 6 + [1] * 6, [0] * 11 + [1], [1] * 11 + [0], [0] * 11 + [1]])
    assert problem.reads_genes
    F = problem.natural(problem.evaluate(X, return_values_of=["F"]))
    assert_array_equal(F[:, 0], [6, 6, 1, 11, 1])
    assert F[0, 1] == F[1, 1]
    result = minimize(problem, NSGA2(20, **problem.operators(NSGA2)), ("n_gen", 10), seed=1)
    genes = result.pop.get("X")
    assert len(np.unique(genes, axis=0)) == len(genes)
    assert not PartitionProblem(TABLE, LabelEncoding(12, 2), ["deviation"]).reads_genes
