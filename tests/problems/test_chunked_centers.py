"""ChunkedCenterProblem: the objectives of the table in memory, whatever its cuts, and compositions."""

import numpy as np
import pytest
from parts.part_data import table
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.optimize import minimize

from moo_clustering.algorithms import evolve
from moo_clustering.constraints import ClusterCount, ClusterSizes
from moo_clustering.controls import compare
from moo_clustering.operators import EncodingSampling
from moo_clustering.parts import parts
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import CenterEncoding, ChunkedCenterProblem, PartitionProblem
from moo_clustering.validity.internal import SumOfSquares

NAMES = ["sum_of_squares", "calinski_harabasz", "xie_beni"]
INDICES = [SumOfSquares(), *NAMES[1:]]


def problem_of(X, k=4, names=NAMES, rows_per_part=1000, **options):
    return ChunkedCenterProblem(parts(X, rows_per_part=rows_per_part), k, names, sample_size=300, **options)


def test_objectives_equal_those_in_memory():
    X = table().astype(np.float64)
    problem = problem_of(X)
    genes = EncodingSampling().do(problem, 6, random_state=np.random.default_rng(0)).get("X")
    genes[5, -4:] = 1e3  # an empty cluster
    memory = CenterEncoding(X, 4)
    mine = problem.centers(genes)
    same = (mine - memory.offsets[0] - memory.offsets[1]).reshape(6, -1)
    limits = [ClusterSizes(700, 900), ClusterSizes([10, 700, 800, 900], [800, 900, 1000, 2000])]
    known = PartitionProblem(X, memory, INDICES, limits=limits)
    F, G = known.evaluate(same)
    found, violations = problem_of(X, limits=limits).evaluate(genes)
    np.testing.assert_allclose(found, F, rtol=1e-9)
    np.testing.assert_allclose(violations, G, rtol=1e-12)
    assert (G > 0).any()
    np.testing.assert_array_equal(problem.decode(genes), known.decode(same))
    np.testing.assert_allclose(problem.natural(problem.evaluate(genes)[0])[:, 1], -F[:, 1], rtol=1e-9)
    assert problem_of(X, limits=limits).constraint_names == known.constraint_names


def test_davies_bouldin_of_mean_squares():
    X = table(400).astype(np.float64)
    problem = problem_of(X, 3, ["davies_bouldin_rms"])
    genes = problem.encoding.random(3, np.random.default_rng(1))
    for labels, value in zip(problem.decode(genes), problem.evaluate(genes)[0][:, 0], strict=True):
        groups = [X[labels == k] for k in range(labels.max() + 1)]
        means = [group.mean(axis=0) for group in groups]
        spread = [
            np.sqrt(((group - mean) ** 2).sum(axis=1).mean())
            for group, mean in zip(groups, means, strict=True)
        ]
        worst = [
            max((spread[a] + spread[b]) / np.linalg.norm(means[a] - means[b]) for b in range(3) if b != a)
            for a in range(3)
        ]
        assert value == pytest.approx(np.mean(worst), rel=1e-9)


def test_one_cluster_and_equal_rows_have_the_values_of_the_indices():
    for X in (table(50).astype(np.float64), np.ones((20, 2))):
        memory = PartitionProblem(X, CenterEncoding(X, 2), INDICES)
        problem = problem_of(X, 2)
        for genes in (np.zeros((1, problem.n_var)), problem.encoding.random(1, np.random.default_rng(0))):
            same = problem.centers(genes) - memory.encoding.offsets[0] - memory.encoding.offsets[1]
            found, known = problem.evaluate(genes), memory.evaluate(same.reshape(1, -1))
            for values, expected in zip(found, known, strict=True):
                np.testing.assert_allclose(values, expected, rtol=1e-9)
            assert found[1] == (len(np.unique(problem.decode(genes))) == 1)


@pytest.mark.parametrize("algorithm", [NSGA2, SPEA2])
def test_a_search_has_the_same_bits_for_every_cut(algorithm):
    X = table(1200)
    results = []
    for rows_per_part in (5000, 250, 131):
        problem = problem_of(X, 3, NAMES, rows_per_part)
        search = algorithm(pop_size=8, **problem.operators(algorithm))
        results.append(minimize(problem, search, ("n_gen", 4), seed=0).pop)
        # The survey, the total, and a pass per generation.
        assert problem.parts.n_passes == 6
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].get("X"), other.get("X"))
        np.testing.assert_array_equal(results[0].get("F"), other.get("F"))


def test_improve_is_a_step_of_lloyd():
    X = table().astype(np.float64)
    problem = problem_of(X)
    genes = problem.encoding.random(2, np.random.default_rng(3))
    labels, moved = problem.decode(genes), problem.centers(problem.improve(genes))
    for row, centers in zip(labels, moved, strict=True):
        np.testing.assert_allclose(centers, [X[row == k].mean(axis=0) for k in range(4)], rtol=1e-9)


def test_controls_and_checkpoints(tmp_path):
    problem = problem_of(table(600), 3, NAMES[:2])
    found = compare(problem, NSGA2(6, **problem.operators(NSGA2)), n_evals=24, seeds=2, controls=["random"])
    assert set(found.runs["method"]) == {"evolution", "random"}
    again = problem_of(table(600), 3, NAMES[:2], rows_per_part=77)
    file = tmp_path / "run.npz"

    def run(problem, n_gen, checkpoint=None):
        algorithm = NSGA2(6, **problem.operators(NSGA2))
        return evolve(problem, algorithm, n_gen=n_gen, seed=1, checkpoint=checkpoint)

    whole = run(problem, 4)
    run(problem, 2, Checkpoint(file, every=1))
    resumed = run(again, 4, Checkpoint(file, resume=True))
    np.testing.assert_array_equal(whole.pop.get("F"), resumed.pop.get("F"))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"names": ["silhouette"]}, ValueError, "objectives must be .*sum_of_squares.*silhouette"),
        ({"names": []}, ValueError, "objectives must be"),
        ({"k": 301}, ValueError, "n_clusters must be .* the number of sampled rows"),
        ({"limits": [ClusterCount(2)]}, TypeError, "limits must be a sequence of ClusterSizes"),
        ({"limits": [ClusterSizes(low=2000)]}, ValueError, "4 clusters"),
    ],
    ids=["index", "none", "clusters", "limit", "impossible"],
)
def test_options_are_checked(change, error, message):
    with pytest.raises(error, match=message):
        problem_of(table(), **change)


def test_limits_of_a_generator_count_and_a_single_limit_is_refused():
    X = table(300)
    problem = problem_of(X, limits=(ClusterSizes(low) for low in (30, 40)))
    genes = problem.xl + (problem.xu - problem.xl) * np.random.default_rng(0).random((5, problem.n_var))
    sizes = np.array([np.bincount(row) for row in problem.decode(genes)], dtype=object)
    expected = [[sum(max(low - n, 0) for n in row) for low in (30, 40)] for row in sizes]
    np.testing.assert_array_equal(problem.evaluate(genes)[1][:, 1:] > 0, np.array(expected) > 0)
    with pytest.raises(TypeError, match="limits must be a sequence of ClusterSizes, got <"):
        problem_of(X, limits=ClusterSizes(30))
    with pytest.raises(ValueError, match="seed must be an integer from 0 to 9223372036854775807"):
        problem_of(X, seed=2**64)
