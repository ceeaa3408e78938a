"""Consensus of some of the runs."""

import numpy as np
import pytest
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.consensus import best_half, mcla, select_pareto
from moo_clustering.problems import EnsembleSelectionProblem
from moo_clustering.validity import average_nmi, i2_criterion, nmi, pairwise_nmi


def half_noise(n=60, n_runs=14, seed=0):
    """Good runs, then as many that are little better than chance."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    share = np.repeat([0.25, 0.9], n_runs // 2)
    return np.array([np.where(rng.random(n) < p, rng.integers(0, 3, n), truth) for p in share]), truth


def test_best_half_by_definition():
    runs, _ = half_noise()
    assert best_half(runs).tolist() == list(range(7))
    shuffled = np.random.default_rng(1).permutation(14)
    kept = best_half(runs[shuffled])
    assert sorted(shuffled[kept]) == list(range(7))
    assert (np.diff(kept) > 0).all()


def test_best_half_of_odd_numbers_and_equals():
    assert best_half([[0, 0, 1]]).tolist() == [0]
    assert best_half([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]]).tolist() == [0, 2]
    assert best_half([[0, 0, 1]] * 4).tolist() == [0, 1]


def small(runs, **options):
    return select_pareto(runs, 3, pop_size=16, n_gen=10, partitioner="matching", random_state=0, **options)


def test_front_holds_what_it_says():
    runs, truth = half_noise()
    chosen = small(runs)
    front = chosen.front
    problem = EnsembleSelectionProblem(runs)
    F, G = problem.evaluate(front.kept)
    np.testing.assert_allclose(front.F, F)
    assert (G <= 0).all()
    assert len(NonDominatedSorting().do(F, only_non_dominated_front=True)) == len(F)
    for kept, labels, score in zip(front.kept, front.labels, front.scores, strict=True):
        np.testing.assert_array_equal(labels, mcla(runs[kept], 3, partitioner="matching"))
        assert score == pytest.approx(average_nmi(runs, labels))
    best = front.scores.argmax()
    np.testing.assert_array_equal(chosen.runs, np.flatnonzero(front.kept[best]))
    np.testing.assert_array_equal(chosen.labels, front.labels[best])
    # Better than a run is on average, at the least.
    assert nmi(truth, chosen.labels) > pairwise_nmi([truth], runs).mean() + 0.1


def test_a_seed_fixes_the_result():
    runs, _ = half_noise()
    one, two = small(runs), small(runs)
    np.testing.assert_array_equal(one.front.kept, two.front.kept)
    np.testing.assert_array_equal(one.labels, two.labels)


def test_choice_by_i2_and_a_third_objective():
    runs, truth = half_noise()
    X = np.eye(3)[truth] + 0.1
    chosen = small(runs, select="i2", X=X, losses=np.arange(14), min_runs=2)
    assert chosen.front.F.shape[1] == 3
    expected = [i2_criterion(X, labels, normalize_rows=False) for labels in chosen.front.labels]
    np.testing.assert_allclose(chosen.front.scores, expected)
    np.testing.assert_array_equal(chosen.labels, chosen.front.labels[np.argmax(expected)])


def test_as_few_runs_as_must_be_kept():
    runs, _ = half_noise()
    chosen = small(runs[:5])
    assert chosen.runs.tolist() == [0, 1, 2, 3, 4]
    assert len(chosen.front.kept) == 1


def test_few_subsets_are_all_compared():
    """Every subset that is large enough, whatever the seed and the size of a search would be."""
    runs, _ = half_noise(n_runs=8, seed=2)
    one = select_pareto(runs, 3, min_runs=6, pop_size=2, n_gen=1, partitioner="matching", random_state=0)
    two = select_pareto(runs, 3, min_runs=6, partitioner="matching", random_state=1)
    np.testing.assert_array_equal(one.front.kept, two.front.kept)
    np.testing.assert_array_equal(one.labels, two.labels)
    subsets = (np.arange(2**8)[:, np.newaxis] >> np.arange(8)) & 1 == 1
    subsets = subsets[subsets.sum(axis=1) >= 6]
    F = np.round(EnsembleSelectionProblem(runs, min_runs=6).evaluate(subsets)[0], 12)
    best = [not ((row >= F).all(axis=1) & (row > F).any(axis=1)).any() for row in F]
    assert sorted(map(tuple, one.front.kept.tolist())) == sorted(map(tuple, subsets[best].tolist()))


def test_subsets_that_have_not_seen_all_objects_do_not_count():
    runs, _ = half_noise()
    runs[1:, 0] = -1
    chosen = small(runs, min_runs=2)
    assert chosen.front.kept[:, 0].all()


def test_metis_decides_where_asked():
    pytest.importorskip("pymetis")
    runs, _ = half_noise()
    chosen = select_pareto(
        runs, 3, pop_size=8, n_gen=3, partitioner="metis", vertex_weight="unit", random_state=0
    )
    assert chosen.labels.shape == (60,)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"select": "loss"}, ValueError, "select must be one of"),
        ({"select": "i2"}, ValueError, "select='i2' requires X"),
        ({"X": np.eye(60)}, ValueError, "X requires select='i2'"),
        ({"select": "i2", "X": np.eye(5)}, ValueError, r"one row per sample \(60\), got 5"),
        ({"pop_size": 1}, ValueError, "pop_size must be an integer of at least 2, got 1"),
        ({"n_gen": 2.5}, TypeError, "n_gen must be an integer"),
        ({"min_runs": 15}, ValueError, "min_runs"),
        ({"partitioner": "kmetis"}, ValueError, "partitioner must be one of"),
    ],
)
def test_bad_input_is_named(options, error, message):
    runs, _ = half_noise()
    with pytest.raises(error, match=message):
        select_pareto(runs, 3, **options)


def test_fronts_of_subsets_that_see_too_little_are_refused():
    # Only the last run has seen object 4, and every subset with it is dominated, that of all runs too.
    runs = [[1, 1, 1, 0, -1, 1], [-1, -1, 0, 0, -1, 1], [-1, 1, 0, -1, -1, 1], [-1, 1, 0, -1, 0, -1]]
    options = {"pop_size": 4, "n_gen": 2, "partitioner": "matching", "random_state": 0}
    with pytest.raises(ValueError, match="a sample that is missing from all its runs; increase min_runs=2"):
        select_pareto(runs, 2, min_runs=2, **options)
    chosen = select_pareto(runs, 2, min_runs=4, **options)
    assert chosen.runs.tolist() == [0, 1, 2, 3]
    assert (chosen.labels >= 0).all()
