"""A resumed pymoo run is the run that was never stopped, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.age2 import AGEMOEA2
from pymoo.algorithms.moo.ctaea import CTAEA
from pymoo.algorithms.moo.dnsga2 import DNSGA2
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.algorithms.moo.unsga3 import UNSGA3
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.util.archive import MultiObjectiveArchive
from pymoo.util.ref_dirs import get_reference_directions
from search_toys import IntegerToy, RealToy, Reset, integer_nsga2

from moo_clustering.algorithms import PymooSearch, Recorder, drive
from moo_clustering.persistence import Checkpoint, load_checkpoint

DIRECTIONS_2 = get_reference_directions("das-dennis", 2, n_partitions=11)
DIRECTIONS_3 = get_reference_directions("das-dennis", 3, n_partitions=4)
N_GEN, STOP = 9, 4


def whole_and_resumed(path, problem, make, **options):
    """One search run in one piece, and one stopped, thrown away and resumed from its file."""
    whole = PymooSearch(problem, make(), seed=3, **options)
    drive(whole, n_gen=N_GEN)
    checkpoint = Checkpoint(path / "c.npz", every=100)
    drive(PymooSearch(problem, make(), seed=3, **options), n_gen=STOP, checkpoint=checkpoint)
    resumed = PymooSearch(problem, make(), seed=99, **options)  # the seed is that of the file
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    return whole, resumed


def assert_same(whole, resumed):
    assert whole.generation == resumed.generation == N_GEN
    for one, two in (
        (whole.algorithm.pop, resumed.algorithm.pop),
        (whole.algorithm.opt, resumed.algorithm.opt),
    ):
        for key in ("X", "F", "G", "H", "CV"):
            a, b = one.get(key), two.get(key)
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes()
    assert whole.algorithm.n_iter == resumed.algorithm.n_iter
    assert whole.algorithm.evaluator.n_eval == resumed.algorithm.evaluator.n_eval
    assert (
        whole.algorithm.random_state.bit_generator.state == resumed.algorithm.random_state.bit_generator.state
    )
    np.testing.assert_array_equal(whole.result().F, resumed.result().F)


ALGORITHMS = {
    "NSGA2": (2, lambda: NSGA2(pop_size=16)),
    "NSGA2 with pcd": (2, lambda: NSGA2(pop_size=16, survival=RankAndCrowding(crowding_func="pcd"))),
    "NSGA2 with archive": (
        2,
        lambda: NSGA2(pop_size=16, archive=MultiObjectiveArchive(max_size=999)),
    ),
    "NSGA3": (3, lambda: NSGA3(ref_dirs=DIRECTIONS_3)),
    "UNSGA3": (3, lambda: UNSGA3(ref_dirs=DIRECTIONS_3)),
    "SPEA2": (2, lambda: SPEA2(pop_size=16)),
    "SMSEMOA": (2, lambda: SMSEMOA(pop_size=16)),
    "AGEMOEA": (2, lambda: AGEMOEA(pop_size=16)),
    "AGEMOEA2": (2, lambda: AGEMOEA2(pop_size=16)),
    "RVEA": (3, lambda: RVEA(ref_dirs=DIRECTIONS_3, adapt_freq=0.2)),
    "CTAEA": (3, lambda: CTAEA(ref_dirs=DIRECTIONS_3)),
    "MOEAD": (2, lambda: MOEAD(ref_dirs=DIRECTIONS_2, n_neighbors=5)),
    "DNSGA2": (2, lambda: DNSGA2(pop_size=16)),
    "GA": (1, lambda: GA(pop_size=16)),
}


@pytest.mark.parametrize(
    "name",
    # pymoo compiles AGEMOEA anew in every process, for seconds.
    [pytest.param(name, marks=[pytest.mark.slow] * ("AGEMOEA" in name)) for name in ALGORITHMS],
)
def test_every_algorithm_that_is_claimed(name, tmp_path):
    n_obj, make = ALGORITHMS[name]
    whole, resumed = whole_and_resumed(tmp_path, RealToy(n_obj), make, n_gen=N_GEN)
    assert_same(whole, resumed)
    if "archive" in name:
        assert type(resumed.algorithm.archive) is MultiObjectiveArchive
        assert resumed.algorithm.archive.max_size == 999
        np.testing.assert_array_equal(whole.algorithm.archive.get("X"), resumed.algorithm.archive.get("X"))


@pytest.mark.parametrize("n_constr", [0, 1])
def test_integer_problem(n_constr, tmp_path):
    whole, resumed = whole_and_resumed(tmp_path, IntegerToy(n_constr=n_constr), integer_nsga2)
    assert_same(whole, resumed)
    assert resumed.algorithm.pop.get("X").dtype == np.int16
    for key in ("rank", "crowding"):
        np.testing.assert_array_equal(whole.algorithm.pop.get(key), resumed.algorithm.pop.get(key))
        assert type(whole.algorithm.pop[0].get(key)) is type(resumed.algorithm.pop[0].get(key))
    assert all(
        one.evaluated == two.evaluated
        for one, two in zip(whole.algorithm.pop, resumed.algorithm.pop, strict=True)
    )


def test_stopping_again_and_again(tmp_path):
    problem, checkpoint = IntegerToy(), Checkpoint(tmp_path / "c", every=1)
    recorder = Recorder()
    for n_gen in range(N_GEN + 1):
        resumed = PymooSearch(problem, integer_nsga2(), seed=3)
        drive(resumed, n_gen=n_gen, recorder=recorder, checkpoint=checkpoint)
    whole, expected = PymooSearch(problem, integer_nsga2(), seed=3), Recorder()
    drive(whole, n_gen=N_GEN, recorder=expected)
    assert_same(whole, resumed)
    assert recorder.generations == expected.generations
    assert recorder.seed == 3
    for one, two in zip(recorder.F, expected.F, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_other_bit_generators(kind, tmp_path):
    problem, checkpoint = IntegerToy(), Checkpoint(tmp_path / "c")

    def search(seed):
        return PymooSearch(problem, integer_nsga2(), seed=np.random.Generator(kind(seed)))

    whole, resumed = search(3), search(99)
    drive(whole, n_gen=N_GEN)
    drive(search(3), n_gen=STOP, checkpoint=checkpoint)
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    np.testing.assert_array_equal(whole.algorithm.pop.get("X"), resumed.algorithm.pop.get("X"))
    with pytest.raises(ValueError, match=f"random state is from {kind.__name__}, but the generator is PCG64"):
        drive(PymooSearch(problem, integer_nsga2(), seed=3), n_gen=N_GEN, checkpoint=checkpoint)


def test_individuals_are_shared_again_and_not_with_each_other(tmp_path):
    _, resumed = whole_and_resumed(tmp_path, IntegerToy(), integer_nsga2)
    problem, checkpoint = IntegerToy(), Checkpoint(tmp_path / "c.npz")
    restored = PymooSearch(problem, integer_nsga2(), seed=3)
    drive(restored, n_gen=N_GEN, checkpoint=checkpoint)
    members = {id(individual) for individual in restored.algorithm.pop}
    assert len(members) == 12
    assert {id(individual) for individual in restored.algorithm.opt} <= members
    np.testing.assert_array_equal(restored.algorithm.pop.get("X"), resumed.algorithm.pop.get("X"))


def test_only_what_changed_is_saved(tmp_path):
    class Tabled(Reset):
        def __init__(self):
            super().__init__()
            self.table = np.zeros(50_000)
            self.foreign = object()

    algorithm = integer_nsga2()
    algorithm.mating.mutation = Tabled()
    drive(PymooSearch(IntegerToy(), algorithm, seed=3), n_gen=2, checkpoint=Checkpoint(tmp_path / "c"))
    assert (tmp_path / "c").stat().st_size < 20_000


class Adapting(Reset):
    """Mutates less from generation to generation."""

    def __init__(self):
        super().__init__()
        self.schedule = {"rates": [1.0], "used": np.zeros(1, dtype=np.int8)}
        self.latest = (None, 1)

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        rate = self.schedule["rates"][-1]
        self.schedule["rates"].append(rate * 0.8)
        self.schedule["used"] += 1
        self.latest = (np.float32(rate), len(self.schedule["rates"]))
        return X if random_state.random() > rate else super()._do(problem, X, random_state=random_state)


def test_operators_with_state_of_their_own(tmp_path):
    def make():
        algorithm = integer_nsga2()
        algorithm.mating.mutation = Adapting()
        return algorithm

    whole, resumed = whole_and_resumed(tmp_path, IntegerToy(), make)
    assert_same(whole, resumed)
    one, two = whole.algorithm.mating.mutation, resumed.algorithm.mating.mutation
    assert one.schedule["rates"] == two.schedule["rates"]
    assert one.schedule["used"] == two.schedule["used"]
    assert two.schedule["used"].dtype == np.int8
    assert one.latest == two.latest
    assert type(two.latest[0]) is np.float32


class Elitist(RankAndCrowding):
    """Holds individuals from the outset, and others later."""

    def __init__(self):
        super().__init__()
        self.elite = [Population.new(X=np.zeros((1, 6), dtype=np.int16))]

    def _do(self, problem, pop, *args, **kwargs):
        survivors = super()._do(problem, pop, *args, **kwargs)
        self.elite = [survivors[:1]]
        return survivors


def test_individuals_that_take_the_place_of_others(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    search = PymooSearch(IntegerToy(), integer_nsga2(survival=Elitist()), seed=3)
    drive(search, n_gen=2, checkpoint=checkpoint)
    resumed = PymooSearch(IntegerToy(), integer_nsga2(survival=Elitist()), seed=3)
    drive(resumed, n_gen=2, checkpoint=checkpoint)
    assert resumed.algorithm.survival.elite[0][0] is resumed.algorithm.pop[0]
    np.testing.assert_array_equal(resumed.algorithm.pop[0].X, search.algorithm.survival.elite[0][0].X)


class Memory:
    """Plain Python object that no checkpoint knows how to store."""

    def __init__(self, total=0.0):
        self.total = total


class Remembering(RankAndCrowding):
    def __init__(self):
        super().__init__()
        self.memory = None

    def _do(self, problem, pop, *args, random_state=None, **kwargs):
        self.memory = Memory((self.memory.total if self.memory else 0.0) + pop.get("F").sum())
        if int(self.memory.total) % 2:  # the course depends on the memory
            random_state.random()
        return super()._do(problem, pop, *args, random_state=random_state, **kwargs)


class Saving(Remembering):
    def checkpoint_state(self):
        return {"total": np.array(self.memory.total)}, {"kind": "memory"}

    def restore_checkpoint_state(self, arrays, meta):
        assert meta == {"kind": "memory"}
        self.memory = Memory(float(arrays["total"]))


def test_hooks_take_precedence(tmp_path):
    whole, resumed = whole_and_resumed(tmp_path, IntegerToy(), lambda: integer_nsga2(survival=Saving()))
    assert_same(whole, resumed)
    assert whole.algorithm.survival.memory.total == resumed.algorithm.survival.memory.total


def test_without_hooks_it_is_refused_at_the_first_checkpoint(tmp_path):
    search = PymooSearch(IntegerToy(), integer_nsga2(survival=Remembering()), seed=3)
    with pytest.raises(
        ValueError, match=r"NSGA2 cannot be checkpointed, because NSGA2\.survival\.memory became a .*Memory"
    ):
        drive(search, n_gen=3, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.generation == 0
    assert not list(tmp_path.iterdir())


class HookedAlgorithm(NSGA2):
    """An algorithm that saves itself but leaves population, optimum and survival to the search."""

    def __init__(self, **options):
        super().__init__(**options)
        self.memory = Memory()

    def _advance(self, infills=None, **kwargs):
        self.memory = Memory(self.memory.total + infills.get("F").min())
        self.random_state.random(int(self.memory.total) % 3)
        super()._advance(infills=infills, **kwargs)

    def checkpoint_state(self):
        return {}, {"total": self.memory.total}

    def restore_checkpoint_state(self, arrays, meta):
        assert self.pop is not None  # restored before
        self.memory = Memory(meta["total"])


def test_algorithms_with_hooks(tmp_path):
    make = lambda: HookedAlgorithm(pop_size=10, survival=Saving())  # noqa: E731
    whole, resumed = whole_and_resumed(tmp_path, RealToy(), make)
    assert_same(whole, resumed)
    assert whole.algorithm.memory.total == resumed.algorithm.memory.total
    assert whole.algorithm.survival.memory.total == resumed.algorithm.survival.memory.total


def test_data_of_individuals_that_cannot_be_saved_is_named(tmp_path):
    class Tagging(Reset):
        def do(self, problem, pop, *args, **kwargs):
            pop = super().do(problem, pop, *args, **kwargs)
            for individual in pop:
                individual.set("tag", object())
            return pop

    algorithm = integer_nsga2()
    algorithm.mating.mutation = Tagging()
    with pytest.raises(ValueError, match=r"population in which 'data\.tag' of an individual has type object"):
        drive(
            PymooSearch(IntegerToy(), algorithm, seed=1),
            n_gen=3,
            checkpoint=Checkpoint(tmp_path / "c", every=1),
        )


def test_state_of_something_else_is_refused(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    drive(PymooSearch(RealToy(), NSGA2(pop_size=8), seed=1), n_gen=1, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="saved state is from NSGA2, but the algorithm is SPEA2"):
        drive(PymooSearch(RealToy(), SPEA2(pop_size=8), seed=1), n_gen=1, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="saved population has 2 objectives, but the problem has 3"):
        drive(PymooSearch(RealToy(3), NSGA2(pop_size=8), seed=1), n_gen=1, checkpoint=checkpoint)


def test_the_file_holds_genes_with_their_type_and_the_time_used(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    search = PymooSearch(IntegerToy(), integer_nsga2(), seed=3)
    drive(search, n_gen=2, checkpoint=checkpoint)
    arrays, meta = load_checkpoint(checkpoint)
    assert arrays["search/individuals/X"].dtype == np.int16
    assert meta["search"]["generation"] == 2
    resumed = PymooSearch(IntegerToy(), integer_nsga2(), seed=3)
    resumed.restore(
        {name.removeprefix("search/"): value for name, value in arrays.items()},
        meta["search"] | {"seconds": 1000.0},
    )
    assert resumed.result().exec_time >= 1000.0
