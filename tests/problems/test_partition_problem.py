"""Any encoding, any index, any algorithm, any handling of constraints."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.operators.crossover.ux import UX
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering.algorithms import evolve
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    EncodingRepair,
    EncodingSampling,
)
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import Silhouette, ValidityIndex, get_index

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(centre, 0.6, size=(10, 2)) for centre in ((0, 0), (4, 0), (0, 4))])
TRUTH = np.repeat([0, 1, 2], 10)
NEIGHBORS = np.argsort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:5]
ENCODINGS = {
    "medoids": MedoidEncoding(X),
    "labels": LabelEncoding(30, k_max=5, k_min=2),
    "links": LocusAdjacencyEncoding(NEIGHBORS),
}
ALGORITHMS = {
    "NSGA2": NSGA2,
    "NSGA3": lambda **kw: NSGA3(ref_dirs=get_reference_directions("das-dennis", 2, n_partitions=11), **kw),
    "SPEA2": SPEA2,
    "SMSEMOA": SMSEMOA,
    "AGEMOEA": AGEMOEA,
}


def operators(encoding) -> dict:
    return {
        "pop_size": 12,
        "sampling": EncodingSampling(),
        "crossover": UX(),
        "mutation": PM(prob_var=0.1),
        "repair": EncodingRepair(),
        "eliminate_duplicates": CanonicalDuplicates(encoding),
    }


def run(problem, make=NSGA2, seed=1, n_gen=3, **kwargs):
    return minimize(problem, make(**(operators(problem.encoding) | kwargs)), ("n_gen", n_gen), seed=seed)


def constraints(n_must=8, n_cannot=8) -> PairwiseConstraints:
    rng = np.random.default_rng(5)
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(400)])
    same = TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]]
    return PairwiseConstraints(pairs[same][:n_must], pairs[~same][:n_cannot], n_samples=30)


class Sizes(ValidityIndex):
    """Largest cluster; remembers how many partitions it was given."""

    name: ClassVar[str] = "sizes"
    greater_is_better: ClassVar[bool] = True

    def __init__(self) -> None:
        self.seen: list[int] = []

    def fit(self, data):
        self.n = len(data)
        return self

    def evaluate(self, labels):
        self.seen.append(len(labels))
        return np.array([np.bincount(row).max() for row in labels], dtype=float)


class Broken(Sizes):
    name: ClassVar[str] = "broken"
    value: ClassVar[float] = np.nan

    def evaluate(self, labels):
        return np.full(len(labels), self.value)


class TwoColumns(Sizes):
    def evaluate(self, labels):
        return np.zeros((len(labels), 2))


@pytest.mark.parametrize(
    "make",
    # pymoo compiles AGEMOEA anew in every process, for seconds.
    [
        pytest.param(make, id=name, marks=[pytest.mark.slow] * (name == "AGEMOEA"))
        for name, make in ALGORITHMS.items()
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_every_encoding_with_every_algorithm(encoding, make):
    problem = PartitionProblem(X, encoding, ["deviation", "silhouette"])
    result = run(problem, make)
    assert result.algorithm.n_gen - 1 == 3
    assert_array_equal(result.X, np.rint(result.X))
    labels = problem.decode(result.X)
    assert labels.shape == (len(result.X), 30)
    for row in labels:
        assert_array_equal(np.unique(row), np.arange(row.max() + 1))
    scores = np.column_stack(
        [get_index(name).fit(X).evaluate(labels) for name in ("deviation", "silhouette")]
    )
    assert_allclose(problem.natural(result.F), scores, rtol=1e-9, atol=1e-12)
    assert_array_equal(result.F, np.column_stack([result.F[:, 0], -problem.natural(result.F)[:, 1]]))
    # Every member of the final population is another partition.
    assert len(CanonicalDuplicates(encoding).do(result.pop)) == len(result.pop)


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_the_same_seed_gives_the_same_run(encoding):
    problem = PartitionProblem(X, encoding, ["deviation", "silhouette"])
    first, again, other = (run(problem, seed=seed) for seed in (1, 1, 2))
    assert_array_equal(first.pop.get("X"), again.pop.get("X"))
    assert not np.array_equal(first.pop.get("X"), other.pop.get("X"))


def test_search_finds_the_groups():
    problem = PartitionProblem(X, ENCODINGS["medoids"], ["silhouette"])
    result = run(problem, n_gen=15)
    labels = problem.decode(result.X[0])[0]
    assert len(np.unique(np.column_stack([labels, TRUTH]), axis=0)) == 3


def test_natural_is_what_the_index_says():
    problem = PartitionProblem(X, LabelEncoding(30, k_max=3, k_min=2), ["silhouette", "davies_bouldin"])
    F = problem.evaluate(TRUTH[None])
    assert problem.objective_names == ("silhouette", "davies_bouldin")
    assert F[0, 0] < 0 < problem.natural(F)[0, 0]
    assert problem.natural(F)[0, 1] == F[0, 1]
    assert_array_equal(problem.natural(F[0]), problem.natural(F)[0])
    with pytest.raises(ValueError, match="2 columns"):
        problem.natural(np.zeros((3, 3)))


def test_batch_equals_one_by_one_and_genotypes_are_left_alone():
    for encoding in ENCODINGS.values():
        problem = PartitionProblem(
            X,
            encoding,
            ["deviation", "silhouette"],
            constraints=constraints(),
            constraint_handling="constraint",
        )
        Z = encoding.random(9, np.random.default_rng(2))
        Z[4] = Z[1]
        before = Z.copy()
        F, G = problem.evaluate(Z)
        assert_array_equal(Z, before)
        single = [problem.evaluate(row) for row in Z]
        assert_allclose(F, np.vstack([f for f, _ in single]), rtol=1e-12)
        assert_allclose(G, np.vstack([g for _, g in single]), rtol=1e-12)


def test_equal_partitions_are_scored_once_and_equally():
    problem = PartitionProblem(X, LabelEncoding(30, k_max=3), [Sizes(), "deviation"])
    F = problem.evaluate(np.array([TRUTH, (TRUTH + 1) % 3, np.zeros(30), TRUTH.astype(float)]))
    assert problem.indices[0].seen == [2]
    assert_array_equal(F[0], F[1])
    assert_array_equal(F[0], F[3])
    assert_array_equal(problem.natural(F)[:, 0], [10, 10, 30, 10])


def test_medoids_in_another_order_are_scored_once_and_equally():
    problem = PartitionProblem(X, ENCODINGS["medoids"], [Sizes(), "deviation"])
    F = problem.evaluate(np.array([[3, 14, 25, -1, -1], [25, 3, 14, -1, -1]]))
    assert problem.indices[0].seen == [1]
    assert_array_equal(F[0], F[1])


def test_objects_of_the_caller_are_not_fitted():
    index = Sizes()
    problem = PartitionProblem(X, LabelEncoding(30, k_max=3), [index])
    assert not hasattr(index, "n")
    assert problem.indices[0].n == 30


def test_fitted_indices_without_data():
    fitted = get_index("deviation").fit(X * 2)
    problem = PartitionProblem(None, LabelEncoding(30, k_max=3), [fitted, Silhouette().fit(X)])
    once = PartitionProblem(X, LabelEncoding(30, k_max=3), ["deviation", "silhouette"])
    F = problem.evaluate(TRUTH[None])
    assert_allclose(F, once.evaluate(TRUTH[None]) * [2, 1])


def test_one_index_need_not_be_in_a_list():
    assert PartitionProblem(X, LabelEncoding(30, k_max=3), "deviation").n_obj == 1
    assert PartitionProblem(X, LabelEncoding(30, k_max=3), Silhouette).objective_names == ("silhouette",)


def test_violation_as_an_objective():
    problem = PartitionProblem(X, LabelEncoding(30, k_max=3), ["deviation"], constraints=constraints())
    assert problem.objective_names == ("deviation", "constraint_violation")
    Z = np.array([TRUTH, np.zeros(30, int), np.arange(30) % 3])
    F = problem.evaluate(Z)
    assert_array_equal(F[:, 1], constraints().violation(Z))
    assert F[0, 1] == 0
    assert F[1, 1] == 1  # all must-links hold, no cannot-link does
    assert F[2, 1] > 0
    assert_array_equal(problem.natural(F), F)
    result = run(problem)
    assert_allclose(result.F[:, 1], constraints().violation(problem.decode(result.X)))


def test_violation_as_a_constraint():
    problem = PartitionProblem(
        X, ENCODINGS["medoids"], ["deviation"], constraints=constraints(), constraint_handling="constraint"
    )
    assert problem.n_ieq_constr == 1
    assert problem.objective_names == ("deviation",)
    result = run(problem, n_gen=25)
    assert len(result.X) > 0
    assert not result.G.any()
    assert not constraints().violation(problem.decode(result.X)).any()
    # Those that violate are ranked below those that do not, whatever their objectives.
    violating, feasible = problem.evaluate(np.array([[0, 1, 2, 3, 4], [5, 15, 25, -1, -1]]))[1].ravel()
    assert feasible == 0 < violating


def impossible(**kwargs) -> PartitionProblem:
    contradiction = PairwiseConstraints([(0, 1)], [(0, 1)], n_samples=30)
    return PartitionProblem(
        X, ENCODINGS["medoids"], ["deviation", "silhouette"], constraints=contradiction, **kwargs
    )


def test_constraints_that_cannot_be_met_leave_no_solution_unless_asked_for():
    problem = impossible(constraint_handling="constraint")
    result = run(problem)
    assert result.X is None
    with pytest.raises(ValueError, match="F is None, because the run found no feasible solution"):
        problem.natural(result.F)
    with pytest.raises(ValueError, match="X is None, because the run found no feasible solution"):
        problem.decode(result.X)
    assert problem.decode(result.pop.get("X")).shape == (12, 30)
    least = run(problem, return_least_infeasible=True)
    assert problem.decode(least.X).shape == (1, 30)
    assert_array_equal(least.G, [[1]])


def test_constraints_that_cannot_be_met_as_an_objective():
    problem = impossible()
    result = run(problem)
    assert_array_equal(result.F[:, 2], np.ones(len(result.F)))


def test_bonus_for_the_crowding_distance():
    problem = PartitionProblem(
        X,
        ENCODINGS["labels"],
        ["deviation", "silhouette"],
        constraints=constraints(),
        constraint_handling="crowding",
    )
    assert (problem.n_obj, problem.n_ieq_constr) == (2, 0)
    result = run(problem, survival=ConstraintCrowdingSurvival(boundary="finite"))
    expected = constraints().bonus(problem.decode(result.pop.get("X")))
    assert_allclose(result.pop.get("constraint_bonus"), expected)
    assert (result.pop.get("crowding") >= expected).all()
    assert set(result.pop.get("rank")) >= {0}


def test_bonus_and_violation_of_the_worked_example():
    links = PairwiseConstraints([(0, 1), (3, 5)], [(0, 3), (1, 2), (2, 4)], n_samples=6)
    line = [[0.0], [1], [2], [10], [11], [13]]
    Z = np.array([[0, 0, 0, 1, 1, 1]])

    def evaluated(handling: str) -> dict:
        problem = PartitionProblem(
            line, LabelEncoding(6, 2), ["deviation"], constraints=links, constraint_handling=handling
        )
        return problem.evaluate(Z, return_as_dictionary=True)

    assert_allclose(evaluated("crowding")["constraint_bonus"], [5 / 3])
    assert_allclose(evaluated("constraint")["G"], [[1 / 3]])
    assert_allclose(evaluated("objective")["F"][:, 1], [1 / 3])


def test_constraints_can_be_ignored():
    plain = PartitionProblem(X, ENCODINGS["labels"], ["deviation"])
    ignoring = PartitionProblem(
        X, ENCODINGS["labels"], ["deviation"], constraints=constraints(), constraint_handling="none"
    )
    Z = plain.encoding.random(5, np.random.default_rng(0))
    assert (ignoring.n_obj, ignoring.n_ieq_constr) == (1, 0)
    assert_array_equal(plain.evaluate(Z), ignoring.evaluate(Z))
    assert set(ignoring.evaluate(Z, return_as_dictionary=True)) == {"F"}


def test_guided_search_satisfies_more_than_blind_search():
    def violation(handling: str) -> float:
        problem = PartitionProblem(
            X, ENCODINGS["labels"], ["deviation"], constraints=constraints(), constraint_handling=handling
        )
        result = run(problem, n_gen=30, return_least_infeasible=True)
        return float(constraints().violation(problem.decode(result.X)).min())

    assert violation("constraint") < violation("none")


def test_a_run_with_history_copies_no_data():
    problem = PartitionProblem(
        X, ENCODINGS["medoids"], ["deviation", "silhouette"], constraints=constraints()
    )
    result = minimize(problem, NSGA2(**operators(problem.encoding)), ("n_gen", 3), seed=1, save_history=True)
    assert len(result.history) == 3
    for past in result.history:
        assert past.problem is not problem
        assert past.problem.encoding is problem.encoding
        assert past.problem.indices is problem.indices
        assert past.eliminate_duplicates.canonical is problem.encoding


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_copies_and_pickles_score_alike(encoding):
    problem = PartitionProblem(X, encoding, ["deviation", "silhouette"], constraints=constraints())
    Z = encoding.random(6, np.random.default_rng(3))
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert_array_equal(other.evaluate(Z), problem.evaluate(Z))


def test_a_problem_knows_its_bounds():
    problem = PartitionProblem(X, ENCODINGS["medoids"], ["deviation"])
    assert (problem.n_samples, problem.n_var) == (30, 5)
    assert_array_equal(problem.xl, np.full(5, -1))
    assert_array_equal(problem.xu, np.full(5, 29))


def test_genotypes_that_are_not_valid_are_refused():
    problem = PartitionProblem(X, ENCODINGS["medoids"], ["deviation"])
    with pytest.raises(ValueError, match="Repair"):
        problem.evaluate(np.array([[0, 0, 1, 2, 3]]))
    with pytest.raises(ValueError, match="Repair"):
        problem.evaluate(np.array([[0.5, 1, 2, 3, 4]]))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_indices_must_be_finite(value, monkeypatch):
    monkeypatch.setattr(Broken, "value", value)
    with pytest.raises(ValueError, match="'broken' must return one finite value"):
        PartitionProblem(X, LabelEncoding(30, k_max=3), [Broken()]).evaluate(TRUTH[None])


def test_indices_must_give_one_value_each():
    with pytest.raises(ValueError, match="one finite value"):
        PartitionProblem(X, LabelEncoding(30, k_max=3), [TwoColumns()]).evaluate(TRUTH[None])


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"objectives": []}, ValueError, "at least one"),
        ({"objectives": ["nonsense"]}, ValueError, "nonsense"),
        ({"objectives": [3]}, TypeError, "index"),
        ({"objectives": None}, TypeError, "a validity index or a list of indices, got None"),
        ({"objectives": ["deviation", "deviation"]}, ValueError, "more than once"),
        ({"data": X[:20]}, ValueError, "encoding must have the same number of samples, got 20 and 30"),
        (
            {"data": X[:20].tolist()},
            ValueError,
            "data and encoding must have the same number of samples, got 20 and 30",
        ),
        ({"data": None}, ValueError, "with data=None"),
        ({"encoding": "medoids"}, TypeError, "Encoding"),
        ({"constraint_handling": "penalty"}, ValueError, "constraint_handling"),
        ({"constraint_handling": "constraint"}, ValueError, "requires constraints"),
        ({"constraint_handling": "crowding"}, ValueError, "requires constraints"),
        ({"constraints": [(0, 1)]}, TypeError, "PairwiseConstraints"),
        (
            {"constraints": PairwiseConstraints([(0, 1)], n_samples=29)},
            ValueError,
            "number of samples, got 29 and",
        ),
    ],
)
def test_misuse(change, error, match):
    arguments = {"data": X, "encoding": ENCODINGS["labels"], "objectives": ["deviation"]} | change
    with pytest.raises(error, match=match):
        PartitionProblem(
            arguments.pop("data"), arguments.pop("encoding"), arguments.pop("objectives"), **arguments
        )


def test_an_inequality_for_one_partition_is_explained_in_a_note():
    problem = PartitionProblem(
        X, ENCODINGS["medoids"], "silhouette", inequalities=[lambda row: 5 - np.bincount(row).min()]
    )
    genes = ENCODINGS["medoids"].random(4, np.random.default_rng(0))
    with pytest.raises(ValueError, match="object too deep") as error:
        problem.evaluate(genes)
    assert error.value.__notes__ == [
        "inequality '<lambda>' is called with labels of shape (4, 30), and returns one value per row"
    ]


@pytest.mark.parametrize(
    ("survival", "warned"), [({}, True), ({"survival": ConstraintCrowdingSurvival()}, False)]
)
def test_constraints_that_the_survival_ignores_cause_a_warning(survival, warned):
    pairs = PairwiseConstraints([(0, 1)], None, n_samples=30)
    problem = PartitionProblem(
        X, ENCODINGS["medoids"], "silhouette", constraints=pairs, constraint_handling="crowding"
    )
    algorithm = NSGA2(8, **survival, **problem.operators(NSGA2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evolve(problem, algorithm, n_gen=1, seed=1)
    found = [str(each.message) for each in caught if "ignores the constraints" in str(each.message)]
    assert len(found) == warned
    assert all("RankAndCrowding does not use them: pass survival=Constr" in each for each in found)
