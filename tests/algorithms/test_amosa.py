"""AMOSA: every rule of it, and what it finds."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.callback import Callback
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from search_toys import Integers, IntegerToy, RealToy, Reset

from moo_clustering._kernels.partitions import amount, dominates, not_dominated, weigh
from moo_clustering.algorithms import PymooSearch, Recorder, drive, evolve
from moo_clustering.algorithms.amosa import (
    AMOSA,
    BoundedArchive,
    LaplaceNoise,
    acceptance_probability,
    anneal,
    climb,
    representatives,
)
from moo_clustering.algorithms.pymoo_search import Solution, duplicate_elimination
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import CanonicalDuplicates, EncodingSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import PartitionProblem

SMALL = {"soft_limit": 20, "hard_limit": 10, "n_moves": 20, "n_climb": 5, "t_min": 1e-2}


def naive_dominates(f, c, g, d):
    if c != d:
        return c < d
    return all(a <= b for a, b in zip(f, g, strict=True)) and any(a < b for a, b in zip(f, g, strict=True))


def naive_amount(f, c, g, d, points):
    """Amount of domination; ranges over points, which are (f, c) pairs."""
    ranges = [max(p[t] for p, _ in points) - min(p[t] for p, _ in points) for t in range(len(f))]
    if c != d:
        return abs(c - d) / (max(p for _, p in points) - min(p for _, p in points))
    return math.prod(abs(a - b) / r for a, b, r in zip(f, g, ranges, strict=True) if abs(a - b) > 0 and r > 0)


def test_amounts_of_domination():
    ranges = np.array([4.0, 5.0, 0.0])
    one = np.array([1.0, 2.0])
    assert amount(one, 0.0, np.array([3.0, 2.0]), 0.0, ranges) == 0.5
    assert amount(one, 0.0, np.array([3.0, 4.0]), 0.0, ranges) == pytest.approx(0.2, rel=1e-15)
    # an infinite objective is the whole range away
    assert amount(one, 0.0, np.array([np.inf, 4.0]), 0.0, np.array([np.inf, 5.0, 0.0])) == 0.4
    # of constraint violations, the difference relative to their range
    assert amount(one, 1.0, np.array([3.0, 2.0]), 2.0, np.array([4.0, 5.0, 4.0])) == 0.25


GRID = st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.integers(0, 1)), min_size=2, max_size=8)


@given(GRID)
@settings(max_examples=150, deadline=None)
def test_a_new_solution_is_weighed_as_defined(points):
    points = [((float(a), float(b)), float(c)) for a, b, c in points]
    (new, c), (current, d), *archive = points
    F = np.full((10, 2), np.nan)
    V = np.full(10, np.nan)
    for i, (f, v) in enumerate(archive):
        F[i], V[i] = f, v
    relation, k, total, least, nearest = weigh(F, V, len(archive), np.array(new), c, np.array(current), d)
    expected = naive_dominates(current, d, new, c) - naive_dominates(new, c, current, d)
    assert relation == expected
    above = {
        i: naive_amount(f, v, new, c, points)
        for i, (f, v) in enumerate(archive)
        if naive_dominates(f, v, new, c)
    }
    assert k == len(above)
    own = naive_amount(current, d, new, c, points) if expected == 1 else 0.0
    assert total == pytest.approx(sum(above.values()) + own, rel=1e-12)
    if above:
        assert least == pytest.approx(min(above.values()), rel=1e-12)
        assert nearest == min(above, key=lambda i: (round(above[i], 12), i))
    kept = not_dominated(F, V, len(archive), np.array(new), c)
    assert kept.tolist() == [i for i, (f, v) in enumerate(archive) if not naive_dominates(new, c, f, v)]


def test_probabilities_of_acceptance():
    values = [acceptance_probability(T, "literal", 0.1) for T in (100, 1, 1e-5)]
    np.testing.assert_allclose(values, [4.539787e-5, 0.47502081, 0.5], atol=1e-6)
    values = [acceptance_probability(T, "physical", 0.1) for T in (100, 1, 1e-5)]
    np.testing.assert_allclose(values, [0.49975, 0.47502081, 0], atol=1e-6)
    assert acceptance_probability(1e-300, "physical", 1.0) == 0.0  # no overflow


def test_thinning_worked_example():
    points = [(0, 10), (1, 9), (1.5, 8.8), (5, 5), (9, 1), (10, 0)]
    assert representatives(points, 3).tolist() == [1, 3, 4]


def test_thinning_ties_and_degenerate_points():
    # the corners of a square: three merges tie, two are done
    assert len(representatives([(0, 0), (0, 1), (1, 0), (1, 1)], 2)) == 2
    # one group of two: both are as near to each other, the first stays
    assert representatives([(0, 0), (0, 1), (10, 9)], 2).tolist() == [0, 2]
    # three points in equal steps whose distances are not equal in floating point
    assert representatives([(0.1, 0), (0.1 + 0.2, 0), (9, 0)], 2).tolist() == [0, 2]
    assert len(representatives(np.zeros((7, 2)), 3)) == 3
    assert representatives([(1, 2)], 5).tolist() == [0]
    assert len(representatives([(0, np.inf), (1, 5), (2, 4), (3, -np.inf)], 2)) == 2


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=15),
    st.integers(1, 15),
)
@settings(max_examples=100, deadline=None)
def test_thinning_leaves_exactly_so_many(points, n_groups):
    kept = representatives(points, n_groups)
    assert len(kept) == min(n_groups, len(points))
    assert (np.diff(kept) > 0).all()


def test_thinning_takes_the_middles_of_single_linkage_groups():
    rng = np.random.default_rng(0)
    P = rng.random((40, 2)) * [1.0, 50.0]
    scaled = (P - P.min(axis=0)) / np.ptp(P, axis=0)
    D = cdist(scaled, scaled)
    for threshold in np.quantile(D[D > 0], [0.01, 0.03, 0.06]):
        n_groups, groups = connected_components(threshold >= D)
        expected = [
            min(np.flatnonzero(groups == g), key=lambda i, g=g: D[i, groups == g].sum())
            for g in range(n_groups)
        ]
        assert representatives(P, n_groups).tolist() == sorted(expected)


def test_temperatures():
    algorithm = AMOSA()
    assert algorithm.n_temperatures == 73
    assert algorithm._temperature(0) == 100
    assert algorithm._temperature(72) > 1e-5 >= algorithm._temperature(73)
    assert AMOSA(t_max=1.0, t_min=0.125, cooling=0.5).n_temperatures == 3  # 1, 1/2, 1/4; 1/8 is not above
    assert AMOSA(t_max=1.0, t_min=0.9, cooling=0.5).n_temperatures == 1


def solution(*f, x=None):
    f = np.array(f, dtype=float)
    return Solution(f.copy() if x is None else np.array([x]), f, 0.0)


def archive_of(*points, soft=4, hard=2, duplicates=True):
    archive = BoundedArchive(len(points[0]), soft, hard, duplicate_elimination(duplicates))
    archive.fill([solution(*p) for p in points])
    return archive


def test_filling_keeps_the_distinct_front_within_the_hard_limit():
    archive = archive_of((3, 3), (0, 5), (5, 0), (0, 5), (4, 4), soft=9, hard=5)
    assert archive.F[: len(archive)].tolist() == [[3, 3], [0, 5], [5, 0]]
    assert len(archive_of((3, 3), (0, 5), (5, 0), (1, 4), soft=9, hard=2)) == 2


@pytest.mark.parametrize("duplicates", [True, False, DefaultDuplicateElimination(), lambda X: X])
@given(points=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=60))
@settings(max_examples=40, deadline=None)
def test_the_archive_is_nondominated_and_limited_after_every_addition(duplicates, points):
    archive = archive_of(points[0], soft=4, hard=2, duplicates=duplicates)
    for point in points[1:]:
        new, before = solution(*point), len(archive)
        if any(dominates(F, 0.0, new.f, 0.0) for F in archive.F[:before]):
            continue
        copies = [m for m in archive.members if m.f.tolist() == new.f.tolist()]
        archive.add(new)
        members = archive.members
        assert len(archive) <= 4
        assert archive.F[: len(archive)].tolist() == [m.f.tolist() for m in members]
        assert not any(naive_dominates(a.f, 0, b.f, 0) for a, b in itertools.permutations(members, 2))
        if duplicates is not False:
            assert len({tuple(m.f) for m in members}) == len(members)
            assert (new in members) <= (not copies)


class Script:
    """Random numbers that were decided before."""

    def __init__(self, *values):
        self.values = list(values)

    def random(self):
        return self.values.pop(0)


def one_move(archive, current, new, *draws, temperature=1.0, acceptance="physical"):
    """Result of one move whose perturbation gives ``new``."""
    rng = Script(*draws)

    class Free(Problem):
        def __init__(self):
            super().__init__(n_var=2, n_obj=2)

    end = anneal(
        archive,
        current,
        n_moves=1,
        problem=Free(),
        trial=lambda X: {"X": np.array([new], dtype=float), "F": np.array([new], dtype=float)},
        accept=partial(acceptance_probability, temperature, acceptance),
        rng=rng,
    )
    assert not rng.values  # as many draws as the rule asks for
    return end.f.tolist()


def test_case_1_the_new_solution_is_dominated_by_the_current_one():
    # ranges (8, 8); (2, 2) is (4, 4) / 8 away, the member (0, 4) is (6 / 8) * (2 / 8) away
    average = (0.25 + 0.1875) / 2
    p = 1 / (1 + math.exp(average / 0.5))
    for draw, end in ((p - 1e-9, [6, 6]), (p + 1e-9, [2, 2])):
        archive = archive_of((0, 4), (8, -2))
        assert one_move(archive, solution(2, 2), (6, 6), draw, temperature=0.5) == end
        assert len(archive) == 2
    p = 1 / (1 + math.exp(average * 50))
    for draw, end in ((p * 0.99, [6, 6]), (p * 1.01, [2, 2])):
        archive = archive_of((0, 4), (8, -2))
        assert one_move(archive, solution(2, 2), (6, 6), draw, temperature=50, acceptance="literal") == end


def test_case_2_neither_dominates():
    # below one archive member: (4, 4) from (0, 0), ranges (8, 4)
    p = 1 / (1 + math.exp((4 / 8) * (4 / 4)))
    for draw, end in ((p - 1e-9, [4, 4]), (p + 1e-9, [8, 0])):
        archive = archive_of((0, 0))
        assert one_move(archive, solution(8, 0), (4, 4), draw) == end
        assert archive.F[:1].tolist() == [[0, 0]]
    # not below the archive: accepted without a draw, archived, and (5, 5) goes
    archive = archive_of((5, 5), (0, 9))
    assert one_move(archive, solution(9, 0), (4, 4)) == [4, 4]
    assert archive.F[: len(archive)].tolist() == [[0, 9], [4, 4]]
    # a copy of a member becomes current and is not archived again
    archive = archive_of((4, 4))
    assert one_move(archive, solution(9, 0), (4, 4)) == [4, 4]
    assert len(archive) == 1


def test_case_3_the_new_solution_dominates_the_current_one():
    # two members dominate the new one: (0, 4) by (4/8)(2/8), (3, 0) by (1/8)(6/8); the second is nearer
    for draw, end in ((1 / (1 + math.exp(-0.09375)) - 1e-9, [3, 0]), (0.53, [4, 6])):
        archive = archive_of((0, 4), (3, 0))
        assert one_move(archive, solution(8, 8), (4, 6), draw) == end
        assert len(archive) == 2
    # none does: it is archived, and the current solution leaves the archive
    archive = archive_of((8, 8), (0, 9))
    assert one_move(archive, archive.members[0], (4, 6)) == [4, 6]
    assert archive.F[: len(archive)].tolist() == [[0, 9], [4, 6]]


def test_climbing_accepts_exactly_what_dominates():
    problem = RealToy()
    steps = iter([[[4, 4], [2, 9], [5, 5]], [[5, 3], [1, 8], [5, 5]]])
    found = climb(
        {"X": np.zeros((3, 6)), "F": np.array([[5.0, 5], [2, 9], [4, 6]])},
        n_steps=2,
        problem=problem,
        trial=lambda X: {"X": X + 1, "F": np.array(next(steps), dtype=float)},
    )
    assert [s.f.tolist() for s in found] == [[4, 4], [1, 8], [4, 6]]
    assert [s.x[0] for s in found] == [1, 1, 0]


def test_noise_moves_one_variable_within_the_bounds():
    problem = get_problem("zdt4")  # 0..1 and -5..5
    X = np.random.default_rng(1).uniform(problem.xl, problem.xu, size=(4000, 10))
    out = LaplaceNoise(0.1)._do(problem, X, random_state=np.random.default_rng(0))
    assert ((out != X).sum(axis=1) <= 1).all()
    assert ((out >= problem.xl) & (out <= problem.xu)).all()
    wide = np.abs(out - X)[:, 1:]
    centre = (np.abs(X) < 1)[:, 1:] & (wide > 0)  # where the bounds cut off almost nothing
    assert wide[centre].mean() == pytest.approx(1.0, rel=0.1)
    integers = np.full((500, 6), 5, dtype=np.int16)
    moved = LaplaceNoise(0.01)._do(IntegerToy(), integers, random_state=np.random.default_rng(0))
    assert moved.dtype == np.int16
    assert ((moved != integers).sum(axis=1) == 1).all()


class Watch(Callback):
    """Sees every archive."""

    def __init__(self):
        super().__init__()
        self.sizes = []

    def _update(self, algorithm):
        F = algorithm.pop.get("F")
        self.sizes.append(len(F))
        assert not any(dominates(a, 0.0, b, 0.0) for a, b in itertools.permutations(F, 2))
        assert algorithm.opt is algorithm.pop


def test_archive_at_every_temperature_and_the_end_of_a_run():
    watch = Watch()
    options = SMALL | {"n_moves": 60}
    result = minimize(
        get_problem("zdt1", n_var=6), AMOSA(**options, callback=watch), seed=2, copy_algorithm=False
    )
    algorithm = result.algorithm
    assert len(watch.sizes) == algorithm.n_temperatures + 1 == 43
    assert watch.sizes[0] <= 10
    assert 10 < max(watch.sizes) <= 20
    assert len(result.F) <= 10
    assert algorithm.evaluator.n_eval == 40 * (1 + 5) + 42 * 60
    np.testing.assert_array_equal(result.F, algorithm.problem.evaluate(result.X))


@pytest.mark.parametrize(
    ("termination", "n_iter"), [(("n_gen", 5), 5), (("n_eval", 300), 4), (("n_gen", 99), 43)]
)
def test_a_termination_of_pymoo_ends_it_earlier(termination, n_iter):
    result = minimize(get_problem("zdt2", n_var=6), AMOSA(**SMALL), termination, seed=1)
    assert result.algorithm.n_iter - 1 == n_iter
    assert len(result.F) <= 10


def test_same_seed_same_result_and_no_global_randomness():
    problem = get_problem("zdt1", n_var=6)
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two, other = (minimize(problem, AMOSA(**SMALL), ("n_gen", 8), seed=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(one.X, two.X)
    assert not np.array_equal(one.F, other.F)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_under_the_driver():
    problem, recorder = get_problem("zdt1", n_var=6), Recorder()
    driven = evolve(problem, AMOSA(**SMALL), n_gen=42, seed=3, recorder=recorder)
    plain = minimize(problem, AMOSA(**SMALL), seed=3)
    np.testing.assert_array_equal(driven.X, plain.X)
    assert recorder.generations == list(range(43))
    assert max(map(len, recorder.F)) <= 20
    # cut short it still ends within the hard limit
    assert len(evolve(problem, AMOSA(**SMALL), n_gen=7, seed=3).F) <= 10


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (RealToy(), {}),
        (RealToy(3), {"acceptance": "literal"}),
        (IntegerToy(), {"sampling": Integers(), "perturb": Reset()}),
        (IntegerToy(n_constr=1), {"sampling": Integers(), "perturb": Reset(), "init_factor": 1}),
    ],
    ids=["reals", "three objectives", "integers", "constraint"],
)
def test_resumed_is_as_never_stopped(problem, options, tmp_path):
    def search(seed):
        return PymooSearch(problem, AMOSA(**SMALL, **options), seed=seed)

    whole = search(3)
    drive(whole, n_gen=9)
    checkpoint = Checkpoint(tmp_path / "c.npz", every=100)
    drive(search(3), n_gen=4, checkpoint=checkpoint)
    resumed = search(99)
    drive(resumed, n_gen=9, checkpoint=checkpoint)
    for name in ("X", "F", "G", "CV", "n_gen"):
        a, b = whole.algorithm.pop.get(name), resumed.algorithm.pop.get(name)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()
    np.testing.assert_array_equal(whole.algorithm.current.X, resumed.algorithm.current.X)
    assert whole.algorithm.evaluator.n_eval == resumed.algorithm.evaluator.n_eval
    np.testing.assert_array_equal(whole.result().F, resumed.result().F)


def shift(problem, X, rng):
    """One integer up or down."""
    column = rng.integers(X.shape[1], size=len(X))
    X[np.arange(len(X)), column] += rng.choice([-1, 1], size=len(X))
    return np.clip(X, problem.xl, problem.xu)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"perturb": shift},
        {"perturb": Reset(prob=0.5), "sampling": Integers()},
        {
            "perturb": PM(vtype=float, repair=RoundingRepair(), prob_var=0.3),
            "sampling": IntegerRandomSampling(),
        },
        {"perturb": LaplaceNoise(0.2), "repair": RoundingRepair()},
    ],
    ids=["default", "function", "share of individuals", "operator with repair", "repair"],
)
def test_integers_stay_integers_and_the_front_is_found(options):
    problem = IntegerToy(n_var=3)
    size = SMALL | {"soft_limit": 40, "hard_limit": 30, "n_moves": 80}
    result = minimize(problem, AMOSA(**size, **options), seed=1)
    assert result.X.dtype.kind == "i"
    assert ((result.X >= 0) & (result.X <= 9)).all()
    everything = problem.evaluate(np.array(list(itertools.product(range(10), repeat=3))))
    volume = HV(ref_point=np.array([80.0, 80.0]))
    assert volume(result.F) > 0.98 * volume(everything)
    assert len({x.tobytes() for x in result.X}) == len(result.X)


class WritesBack(Problem):
    """Sorts its genes in place, as decoders that improve them do."""

    def __init__(self):
        super().__init__(n_var=4, n_obj=2, xl=0, xu=9, vtype=int)

    def _evaluate(self, X, out, *args, **kwargs):
        X = np.sort(np.asarray(X).astype(int), axis=1)
        out["X"] = X
        out["F"] = np.column_stack([X[:, 0] - X[:, 3] + 0.1 * X.sum(axis=1), ((X - 6) ** 2).sum(axis=1)])
        out["total"] = X.sum(axis=1)


def test_genes_that_the_problem_writes_back_are_kept():
    result = minimize(WritesBack(), AMOSA(**SMALL), seed=1)
    assert result.X.dtype.kind == "i"
    np.testing.assert_array_equal(result.X, np.sort(result.X, axis=1))
    np.testing.assert_array_equal(result.opt.get("total"), result.X.sum(axis=1))


def test_constraints_come_first():
    problem = get_problem("bnh")
    result = minimize(problem, AMOSA(**SMALL | {"soft_limit": 40, "hard_limit": 30}), seed=1)
    assert (result.G <= 0).all()
    reference = HV(ref_point=np.array([140.0, 50.0]))
    assert reference(result.F) > 0.97 * reference(problem.pareto_front())


class Impossible(Problem):
    def __init__(self):
        super().__init__(n_var=2, n_obj=2, n_ieq_constr=1, xl=0.0, xu=1.0)

    def _evaluate(self, X, out, *args, **kwargs):
        out["F"] = X
        out["G"] = 1 + X.sum(axis=1)


def test_nothing_feasible():
    result = minimize(Impossible(), AMOSA(**SMALL), seed=1)
    assert result.X is None
    assert result.pop.get("CV").max() < 1.1  # the least violation is 1
    assert len(np.unique(result.pop.get("CV"))) == 1


def test_medoids_and_the_exact_front():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
    encoding = MedoidEncoding(X, k_max=3)
    problem = PartitionProblem(X, encoding, ["xie_beni", "i_index"])
    sets = [s for k in (2, 3) for s in itertools.combinations(range(6), k)]
    genes = np.array([(*s, *[-1] * (3 - len(s))) for s in sets])
    F = problem.evaluate(genes)
    front = {tuple(f) for f in F if not any(naive_dominates(g, 0, f, 0) for g in F)}

    def change(problem, X, rng):
        for row in X:
            k = (row >= 0).sum()
            row[rng.integers(k)] = rng.choice(np.setdiff1d(np.arange(6), row))
            if rng.random() < 0.3:
                if k == 3:
                    row[2] = -1
                else:
                    row[2] = rng.choice(np.setdiff1d(np.arange(6), row))
        return X

    algorithm = AMOSA(
        **SMALL,
        sampling=EncodingSampling(),
        perturb=change,
        eliminate_duplicates=CanonicalDuplicates(encoding),
    )
    result = minimize(problem, algorithm, seed=0)
    assert {tuple(f) for f in result.F} == front
    assert len({tuple(sorted(x)) for x in result.X}) == len(result.X)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "share"), [("zdt1", 0.97), ("zdt2", 0.95), ("zdt3", 0.75)])
def test_hypervolume_beside_nsga2_with_as_many_evaluations(name, share):
    problem = get_problem(name)
    volume = HV(ref_point=np.array([1.1, 1.1]))
    mine = minimize(problem, AMOSA(), seed=0)
    n = mine.algorithm.evaluator.n_eval
    assert n == 15_700
    theirs = minimize(problem, NSGA2(pop_size=100), ("n_eval", n), seed=0)
    assert theirs.algorithm.evaluator.n_eval == n
    assert len(mine.F) <= 100
    assert volume(mine.F) > share * volume(theirs.F)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"soft_limit": 1}, ValueError, "soft_limit must be an integer of at least 2, got 1"),
        ({"soft_limit": 10, "hard_limit": 10}, ValueError, "hard_limit=10 must be less than soft_limit=10"),
        ({"hard_limit": 2.5}, TypeError, "hard_limit"),
        ({"init_factor": 0.001}, ValueError, "init_factor"),
        ({"init_factor": "2"}, TypeError, "init_factor"),
        ({"n_moves": 0}, ValueError, "n_moves"),
        ({"n_climb": -1}, ValueError, "n_climb"),
        ({"t_max": 1.0, "t_min": 2.0}, ValueError, "0 < t_min < t_max"),
        ({"t_min": 0.0}, ValueError, "t_min"),
        ({"t_max": "hot"}, TypeError, "t_max"),
        ({"cooling": 1.0}, ValueError, "cooling must be above 0 and below 1, got 1.0"),
        ({"cooling": 0}, ValueError, "cooling must be above 0 and below 1, got 0"),
        ({"cooling": 1.5}, ValueError, "cooling must be a number from 0 to 1, got 1.5"),
        ({"acceptance": "fysical"}, ValueError, "acceptance"),
        ({"eliminate_duplicates": 3}, TypeError, "eliminate_duplicates"),
        (
            {"temperature": 3},
            TypeError,
            "AMOSA does not support temperature; the supported pymoo options are archive",
        ),
    ],
    ids=str,
)
def test_bad_options_are_named(options, error, message):
    with pytest.raises(error, match=message):
        AMOSA(**options)


class NotANumber(Problem):
    def __init__(self, **options):
        super().__init__(n_var=2, n_obj=2, **options)

    def _evaluate(self, X, out, *args, **kwargs):
        out["F"] = np.where(X[:, :1] > 0.9, np.nan, X)


def test_bad_problems_are_named():
    with pytest.raises(ValueError, match=r"NaN objectives.*replace_nan_values_by"):
        minimize(NotANumber(xl=0.0, xu=1.0), AMOSA(**SMALL), seed=1)
    minimize(NotANumber(xl=0.0, xu=1.0, replace_nan_values_by=9.0), AMOSA(**SMALL), seed=1)
    with pytest.raises(ValueError, match=r"no bounds.*sampling"):
        minimize(NotANumber(), AMOSA(**SMALL), seed=1)
    with pytest.raises(ValueError, match=r"must return an array of the shape of X, \(40, 6\), but"):
        minimize(RealToy(), AMOSA(**SMALL, perturb=lambda problem, X, rng: X[:, :2]), seed=1)
    with pytest.raises(TypeError, match="perturb"):
        minimize(RealToy(), AMOSA(**SMALL, perturb="laplace"), seed=1)


def test_without_bounds():
    problem = NotANumber()
    start = np.random.default_rng(0).uniform(-3, 0.5, size=(40, 2))
    perturb = LaplaceNoise(0.01)
    result = minimize(problem, AMOSA(**SMALL, sampling=start, perturb=perturb), ("n_gen", 4), seed=1)
    assert result.F.min() < start.min()
