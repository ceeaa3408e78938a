"""A pool of partitions evolved, and its control."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.algorithms import ExhaustedSearchWarning
from moo_clustering.algorithms.search import complete
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._pareto_evolution import evolve_pool
from moo_clustering.persistence import Checkpoint, CheckpointMismatchError
from moo_clustering.validity.base import ValidityIndex
from moo_clustering.validity.ensembles import FamilyAgreement
from moo_clustering.validity.internal import GraphModularity

M = 40
STEP = np.abs(np.subtract.outer(np.arange(M), np.arange(M)))
GRAPH = sp.csr_array(np.where(STEP == 1, 2.0, np.where(STEP == 2, 1.0, 0.0)))
KS = (2, 3, 4, 5, 8)
POOL = relabel_by_first_appearance(
    np.array([(np.arange(M) + shift) * k // (M + 6) for k in KS for shift in (0, 3, 6)])
)
FAMILIES = ("a", "b", "c") * len(KS)
INDICES = [FamilyAgreement().fit((POOL, FAMILIES)), GraphModularity().fit(GRAPH)]


def score(values, labels):
    return values[:, 0] + 0.25 * values[:, 1]


def evolved(**options):
    given = {
        "pool": POOL,
        "graph": GRAPH,
        "indices": INDICES,
        "total": score,
        "n_gen": 6,
        "pop_size": 10,
        "seed": 1,
    }
    return complete(evolve_pool(**(given | options)))


def members(k=None):
    values = np.column_stack([index.evaluate(POOL) for index in INDICES])
    return score(values, POOL)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
@pytest.mark.parametrize("survival", ["crowding", "random"])
def test_what_comes_back(engine, survival):
    found = evolved(engine=engine, survival=survival)
    assert found.labels.dtype == np.int32
    assert_array_equal(found.labels, relabel_by_first_appearance(found.labels))
    assert len(np.unique(found.labels, axis=0)) == len(found.labels)
    natural = np.column_stack([index.evaluate(found.labels) for index in INDICES])
    assert_allclose(found.values, natural, atol=1e-12)
    # Nobody who was the best is lost, not even by chance.
    assert score(found.values, found.labels).max() >= members().max()
    assert not found.interrupted
    assert found.history.generations == list(range(7))
    assert (found.result.algorithm is None) == (engine == "deap")
    assert len(found.result.pop) == 10
    assert_array_equal(found.labels[:10], found.result.problem.decode(found.result.pop.get("X")))
    if survival == "crowding":
        assert len(found.labels) == 10
    again = evolved(engine=engine, survival=survival)
    assert_array_equal(again.labels, found.labels)
    other = evolved(engine=engine, survival=survival, seed=2)
    assert other.labels.shape != found.labels.shape or (other.labels != found.labels).any()


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_selection_raises_the_score_more_than_chance(engine):
    means = {
        survival: np.mean(
            [
                score(*(lambda e: (e.values[:10], e.labels[:10]))(
                    evolved(engine=engine, survival=survival, seed=seed, n_gen=10)
                )).mean()
                for seed in range(3)
            ]
        )
        for survival in ("crowding", "random")
    }  # fmt: skip
    assert means["crowding"] > means["random"] + 0.05


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_the_start_is_the_best_of_the_pool(engine):
    found = evolved(engine=engine, n_gen=0)
    best = POOL[np.argsort(-members(), kind="stable")]
    first = np.sort(np.unique(best, axis=0, return_index=True)[1])[:10]
    assert {row.tobytes() for row in found.labels} == {row.tobytes() for row in best[first]}


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
@pytest.mark.parametrize("k", [1, 2, 6, 30, M])
@pytest.mark.filterwarnings("ignore::moo_clustering.algorithms.ExhaustedSearchWarning")
def test_a_fixed_number_of_clusters(engine, k):
    found = evolved(engine=engine, n_clusters=k, n_gen=2)
    assert_array_equal(found.labels.max(axis=1) + 1, k)


def test_as_many_evaluations_by_chance():
    class Counted(ValidityIndex):
        name = "counted"
        greater_is_better = True

        def __init__(self):
            self.seen = 0

        def fit(self, data):
            return self

        def evaluate(self, labels):
            self.seen += len(labels)
            return labels.max(axis=1) + 1.0

    for engine in ("pymoo", "deap"):
        for survival in ("crowding", "random"):
            index = Counted()
            evolved(engine=engine, survival=survival, indices=[*INDICES, index])
            n_distinct = len(np.unique(POOL, axis=0))
            assert index.seen == n_distinct + 10 + 6 * 10


def test_pairs_are_repaired():
    # Must-links across the cuts that all members of the pool with more than two clusters make.
    pairs = PairwiseConstraints([(0, 12), (2, 14)], [(5, 30), (8, 34)], n_samples=M)

    def satisfied(values, labels):
        must, cannot = pairs.satisfied(labels)
        return must + cannot + 0.01 * values[:, 1]

    for engine in ("pymoo", "deap"):
        found = evolved(engine=engine, constraints=pairs, total=satisfied, n_gen=8)
        assert satisfied(found.values, found.labels).max() >= 4


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
@pytest.mark.parametrize("survival", ["crowding", "random"])
@pytest.mark.parametrize("k", [None, 4])
def test_going_on_is_never_having_stopped(tmp_path, engine, survival, k):
    options = {"engine": engine, "survival": survival, "n_clusters": k}
    whole = evolved(**options)
    checkpoint = Checkpoint(tmp_path / "run.npz", every=100, identity={"method": "a"})
    evolved(**options, n_gen=3, checkpoint=checkpoint)
    resumed = evolved(**options, checkpoint=checkpoint)
    assert_array_equal(resumed.labels, whole.labels)
    assert_array_equal(resumed.values, whole.values)
    assert resumed.history.generations[-1] == 6
    with pytest.raises(CheckpointMismatchError):
        evolved(**options, checkpoint=Checkpoint(checkpoint.path, identity={"method": "b"}))


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_a_single_member(engine):
    # Of two clusters: it neither cuts itself, nor may they be united, nor does any neighbour object.
    with pytest.warns(ExhaustedSearchWarning):
        found = evolved(engine=engine, pool=POOL[:1], indices=[GraphModularity().fit(GRAPH)] * 2)
    assert_array_equal(found.labels, POOL[:1])


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_a_search_space_that_is_used_up(engine):
    pool = np.array([[0, 1, 1], [0, 0, 1]])
    indices = [FamilyAgreement().fit((pool, ("a", "b"))), GraphModularity().fit(np.ones((3, 3)))]
    with pytest.warns(ExhaustedSearchWarning):
        found = evolved(engine=engine, pool=pool, graph=np.ones((3, 3)), indices=indices, n_gen=40)
    assert len(found.labels) <= 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool": POOL[:, :1]}, "at least 2 samples"),
        ({"n_clusters": M + 1}, "n_clusters"),
        ({"total": lambda values, labels: values}, "scores must have"),
    ],
)
def test_what_evolution_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        evolved(**options)
