"""Indices, inequalities, encodings, operators and rules of a user's own that return something else.

Every problem that takes them is tried with every wrong return value: the message names the function.
"""

import functools
import re
import warnings

import numpy as np
import pytest
from contract.estimators import bags, rows, words
from contract.problems import PAIRS, PARTLY_KNOWN
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.ux import UniformCrossover

from moo_clustering import controls, problems
from moo_clustering.algorithms import evolve
from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.estimators import MOCK, NSGA2Clus, ParetoClustering, SISCStacked
from moo_clustering.estimators.composed import EvolutionaryClusterer
from moo_clustering.operators import CanonicalDuplicates, EncodingRepair, EncodingSampling
from moo_clustering.operators.deap import as_mate, as_mutate
from moo_clustering.pool import extra_partitions
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

N = 24
# What a function of labels of shape (n, N) may wrongly return, by what is wrong with it.
WRONG = {
    "a scalar": lambda labels: 1.0,
    "None": lambda labels: None,
    "one value per sample": lambda labels: labels[0].astype(float),
    "one value too few": lambda labels: np.zeros(len(labels) - 1),
    "a column": lambda labels: np.zeros((len(labels), 1)),
    "rows that differ in length": lambda labels: [[1.0]] + [[1.0, 2.0]] * (len(labels) - 1),
    "NaN": lambda labels: np.where(np.arange(len(labels)) == 0, np.nan, 1.0),
    "minus infinity": lambda labels: np.full(len(labels), -np.inf),
    "text": lambda labels: np.full(len(labels), "1.0"),
    "complex numbers": lambda labels: np.full(len(labels), 1j),
    "objects": lambda labels: np.full(len(labels), None),
    "a mapping": lambda labels: {"value": 1.0},
}


def own_index(function):
    """An index of a user's that evaluates by the function."""

    class OwnIndex(ValidityIndex):
        name, greater_is_better = "own_index", False

        def fit(self, data):
            return self

        def evaluate(self, labels):
            return function(np.atleast_2d(labels))

    return OwnIndex()


# Problems that take indices of a user's, as functions of one.
BY_INDEX = {
    "PartitionProblem": lambda index: PartitionProblem(rows(), LabelEncoding(N, 5), ["silhouette", index]),
    "PartitionProblem with pairs": lambda index: PartitionProblem(
        rows(), LabelEncoding(N, 5), [index], constraints=PAIRS, constraint_handling="constraint"
    ),
    "BagPartitionProblem": lambda index: problems.BagPartitionProblem(bags(), 3, [index]),
    "BagMedoidProblem": lambda index: problems.BagMedoidProblem(bags(), 4, objectives=[index]),
    "FeatureSubsetProblem": lambda index: problems.FeatureSubsetProblem(
        np.hstack([rows(), rows() ** 2]), 3, [index], partial_y=PARTLY_KNOWN, max_features=2
    ),
    "ChunkedProblem": lambda index: problems.ChunkedProblem(
        PartitionProblem(rows(), LabelEncoding(N, 5), [index]), chunk_size=5, n_jobs=1
    ),
}


def population(problem, n=N):
    """As many individuals as samples, so that a value per sample has the shape of a value per partition."""
    return problem.encoding.random(n, np.random.default_rng(0))


@pytest.mark.parametrize("name", BY_INDEX)
def test_indices(name):
    faults = []
    for wrong, function in WRONG.items():
        problem = BY_INDEX[name](own_index(function))
        found = refusal(lambda problem=problem: problem.evaluate(population(problem, 7)))
        # Not plus infinity, which bag problems take for the worst value.
        if not re.search("own_index.* must return one finite value per partition", found):
            faults.append(f"{wrong}: {found}")
    assert not faults, "\n".join(faults)


def refusal(call):
    """The sentence of the error; its type comes first unless it is a ValueError or TypeError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except (ValueError, TypeError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.mark.parametrize("n", [7, N])
@pytest.mark.parametrize("handling", ["none", "objective", "constraint", "crowding"])
def test_inequalities(n, handling):
    faults = []
    for wrong, function in WRONG.items():

        def too_small(labels, function=function):
            return function(labels)

        pairs = {} if handling == "none" else {"constraints": PAIRS, "constraint_handling": handling}
        problem = PartitionProblem(
            rows(), LabelEncoding(N, 5), ["deviation"], inequalities=[too_small], **pairs
        )
        found = refusal(lambda problem=problem: problem.evaluate(population(problem, n)))
        if not re.search("inequality 'too_small' must return one finite value per partition", found):
            faults.append(f"{wrong}: {found}")
    assert not faults, "\n".join(faults)


def test_a_front_keeps_the_inequalities_that_are_accepted():
    def too_small(labels):
        return [5 - np.bincount(row).min() for row in labels]

    problem = PartitionProblem(rows(), LabelEncoding(N, 5), ["silhouette"], inequalities=[too_small])
    result = evolve(problem, NSGA2(pop_size=20, **problem.operators()), n_gen=8, seed=0)
    assert all(np.bincount(row).min() >= 5 for row in problem.decode(result.X))
    by_row = PartitionProblem(
        rows(),
        LabelEncoding(N, 5),
        ["silhouette"],
        inequalities=[lambda labels: [5.0 - np.bincount(row).min() for row in labels]],
    )
    X = population(problem)
    np.testing.assert_array_equal(problem.evaluate(X)[1], by_row.evaluate(X)[1])


@pytest.mark.parametrize("wrong", [len, "silhouette", [1.0], [len, "text"]], ids=repr)
def test_inequalities_are_functions(wrong):
    with pytest.raises(TypeError, match="inequalities must be a sequence of functions"):
        PartitionProblem(rows(), LabelEncoding(N, 5), ["silhouette"], inequalities=wrong)


@pytest.mark.parametrize("value", [None, "1", 1j, [1.0], np.zeros(2), np.nan, np.inf, {}], ids=repr)
def test_functions_of_one_partition(value):
    def compactness(X, labels):
        return value

    problem = PartitionProblem(rows(), LabelEncoding(N, 5), [(compactness, "max")])
    with pytest.raises(ValueError, match=r"compactness.* must (return one|give one)"):
        problem.evaluate(population(problem))


# -- encodings ------------------------------------------------------------------------------------------


class Own(LabelEncoding):
    """An encoding of a user's, which keeps all promises unless a method is replaced."""


def own_encoding(**replaced):
    """An encoding with methods replaced by functions of what they return."""

    def method(name, change):
        def changed(self, *args):
            return change(getattr(LabelEncoding, name)(self, *args))

        return changed

    return type("Own", (Own,), {name: method(name, change) for name, change in replaced.items()})(N, 5)


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("decode", lambda labels: labels[:, :-1]),
        ("decode", lambda labels: labels[:-1]),
        ("decode", lambda labels: labels.astype(float)),
        ("decode", lambda labels: labels - 1),
        ("decode", lambda labels: 2 * labels + 1),
        ("decode", lambda labels: None),
        ("decode", lambda labels: labels.astype(str)),
        ("decode", lambda labels: labels[0]),
        ("repair", lambda X: X[:, :-1]),
        ("repair", lambda X: X + 100),
        ("repair", lambda X: None),
        ("encode", lambda X: X[:, :-1]),
        ("encode", lambda X: X - 7),
        ("encode", lambda X: X[0]),
        ("bounds", lambda bounds: (bounds[0][:-1], bounds[1])),
        ("bounds", lambda bounds: bounds[0]),
        ("bounds", lambda bounds: bounds[::-1]),
        ("bounds", lambda bounds: (bounds[0], bounds[1] * np.nan)),
        ("bounds", lambda bounds: None),
    ],
)
def test_encodings(method, change):
    def first_population():
        problem = PartitionProblem(rows(), own_encoding(**{method: change}), ["silhouette"])
        problem.evaluate(LabelEncoding(N, 5).random(6, np.random.default_rng(0)))

    with pytest.raises(ValueError, match=rf"Own\.{method} must "):
        first_population()


@pytest.mark.parametrize("attribute", ["n_var", "n_samples"])
@pytest.mark.parametrize("value", [None, 0, 2.5, "24"])
def test_sizes_of_encodings(attribute, value):
    encoding = own_encoding()
    setattr(encoding, attribute, value)
    with pytest.raises((TypeError, ValueError), match=rf"Own\.{attribute} must be an integer"):
        PartitionProblem(None, encoding, [own_index(np.zeros_like)])


def test_right_encodings_are_looked_at_once_and_change_nothing():
    calls = []

    class Counting(Own):
        def repair(self, X):
            calls.append(len(X))
            return super().repair(X)

    plain, own = (
        PartitionProblem(rows(), encoding(N, 5), ["silhouette"]) for encoding in (LabelEncoding, Counting)
    )
    X = population(plain)
    np.testing.assert_array_equal(own.evaluate(X), plain.evaluate(X))
    first = len(calls)
    assert first > 0
    np.testing.assert_array_equal(own.evaluate(X), plain.evaluate(X))
    assert len(calls) == first


# -- operators ------------------------------------------------------------------------------------------


class OwnSampling(Sampling):
    """Samples by an encoding, and changes what it has."""

    def __init__(self, change=lambda X: X):
        super().__init__()
        self.change = change

    def _do(self, problem, n_samples, *args, random_state=None, **kwargs):
        return self.change(problem.encoding.random(n_samples, random_state))


class OwnCrossover(Crossover):
    """Copies the parents, and changes them."""

    def __init__(self, change=lambda X: X):
        super().__init__(2, 2, prob=1.0)
        self.change = change

    def _do(self, problem, X, *args, **kwargs):
        return self.change(X.copy())


class OwnMutation(Mutation):
    """Shifts clusters, and changes the result."""

    def __init__(self, change=lambda X: X):
        super().__init__(prob=1.0)
        self.change = change

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        return self.change((X + random_state.integers(0, 5, X.shape)) % 5)


class OwnRepair(Repair):
    """Changes what it gets."""

    def __init__(self, change=lambda X: X):
        super().__init__()
        self.change = change

    def _do(self, problem, X, **kwargs):
        return self.change(X)


MADE_WRONG = {
    "None": lambda X: None,
    "a gene too few": lambda X: X[..., :-1],
    "an individual too few": lambda X: X[..., :-1, :],
    "text": lambda X: X.astype(str),
    "NaN": lambda X: X * np.nan,
    "complex numbers": lambda X: X * 1j,
    "beyond the bounds": lambda X: X + 50,
    "one row": lambda X: X[0],
}
OPERATORS = {
    "sampling": OwnSampling,
    "crossover": OwnCrossover,
    "mutation": OwnMutation,
    "repair": OwnRepair,
}


def algorithm(**parts):
    """NSGA-II over labels."""
    right = {"sampling": OwnSampling(), "crossover": OwnCrossover(), "mutation": OwnMutation()}
    return NSGA2(pop_size=10, **{**right, **parts})


def labels_problem():
    """Partitions by cluster numbers."""
    return PartitionProblem(rows(), LabelEncoding(N, 5), ["silhouette", "deviation"])


@pytest.mark.parametrize("part", OPERATORS)
def test_operators(part):
    faults = []
    for wrong, change in MADE_WRONG.items():
        if (part, wrong) == ("crossover", "beyond the bounds"):
            continue  # The mutation brings the children back.
        own = OPERATORS[part](change)
        for where in ("itself", "evolve", "compare"):
            if where == "itself" and part != "sampling":
                continue
            call = functools.partial(run, where, algorithm(**{part: own}))
            found = refusal(call)
            if type(own).__name__ not in found or "must " not in found:
                faults.append(f"{wrong}, {where}: {found}")
    assert not faults, "\n".join(faults)


def run(where, made):
    """Run a search, or a search beside its controls."""
    if where == "compare":
        controls.compare(labels_problem(), made, n_evals=60, seeds=1, controls=["drift"])
    else:
        evolve(labels_problem(), made, n_gen=2, seed=0)


@pytest.mark.parametrize("part", ["crossover", "mutation", "repair"])
def test_operators_as_those_of_deap(part):
    problem = labels_problem()
    individual = population(problem, 2).view(np.ndarray)
    faults = []
    for wrong, change in MADE_WRONG.items():
        if wrong == "beyond the bounds":
            continue  # DEAP's individuals know no bounds.
        parts = {"crossover": OwnCrossover(), "mutation": OwnMutation(), "repair": None}
        parts[part] = OPERATORS[part](change)
        mate = as_mate(parts["crossover"], problem, seed=0, repair=parts["repair"] or EncodingRepair())
        mutate = as_mutate(parts["mutation"], problem, seed=0, repair=parts["repair"] or EncodingRepair())
        function = functools.partial(mate, individual[0], individual[1])
        if part == "mutation":
            function = functools.partial(mutate, individual[0])
        found = refusal(function)
        if type(parts[part]).__name__ not in found:
            faults.append(f"{wrong}: {found}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (
            np.zeros((10, N - 1), dtype=int),
            "the start population must return genes, an array of shape",
        ),
        (np.full((10, N), 9), r"the start population must create genes within the bounds .* from 0 to 4"),
        (np.full((10, N), -1), "the start population must create genes within the bounds"),
        (np.full((10, N), np.nan), "the start population must return genes"),
        (np.full((10, N), "a"), "the start population must return genes"),
    ],
)
def test_start_populations(start, sentence):
    with pytest.raises(ValueError, match=sentence):
        evolve(labels_problem(), algorithm(sampling=start), n_gen=1, seed=0)


def test_right_operators_change_nothing_and_leave_no_trace():
    class PlainSampling(EncodingSampling):
        """That of the package, by another name."""

    own, plain = (
        evolve(
            labels_problem(),
            algorithm(sampling=sampling(), crossover=UniformCrossover(prob=1.0)),
            n_gen=4,
            seed=3,
        )
        for sampling in (PlainSampling, EncodingSampling)
    )
    np.testing.assert_array_equal(own.pop.get("X"), plain.pop.get("X"))
    assert "_do" not in vars(own.algorithm.mating.mutation)
    assert "_do" not in vars(own.algorithm.initialization.sampling)


@pytest.mark.parametrize(
    "objectives", [lambda n: np.full((n, 2), np.nan), lambda n: np.zeros((n, 3)), lambda n: np.zeros(n)]
)
def test_problems_of_ones_own(objectives):
    class Own(Problem):
        def __init__(self):
            super().__init__(n_var=4, n_obj=2, xl=0, xu=1)

        def _evaluate(self, X, out, *args, **kwargs):
            out["F"] = objectives(len(X))

    found = refusal(lambda: evolve(Own(), NSGA2(pop_size=8), n_gen=1, seed=0))
    assert "Own must return objectives of every individual" in found or "size 2" in found or "(8, 2)" in found


# -- the other places -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 1.0, "knee", True, [0], np.array([0, 1])], ids=repr)
@pytest.mark.parametrize("model", [NSGA2Clus(pop_size=6, n_gen=1, random_state=0), ParetoClustering(3)])
def test_rules(model, value):
    def my_rule(front):
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows())
    before = model.labels_.copy()
    with pytest.raises(TypeError, match="a rule must return a row index of the front; my_rule returned"):
        model.choose(my_rule)
    with pytest.raises(ValueError, match="my_far_rule returned row 999, which is outside the front"):
        model.choose(my_far_rule)
    with pytest.raises(ValueError, match="unknown rule True"):
        model.choose(True)
    np.testing.assert_array_equal(model.labels_, before)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_decision_making_of_pymoo_receives_minimised_objectives():
    from pymoo.mcdm.pseudo_weights import PseudoWeights

    class Own(EvolutionaryClusterer):
        def make_problem(self, X, constraints):
            return PartitionProblem(X, MedoidEncoding(X, 6), ["silhouette", "deviation"])

    X = np.random.default_rng(0).normal(size=(40, 3))
    model = Own(pop_size=12, n_gen=3, random_state=0).fit(X)
    assert len(model.pareto_front_) > 1
    for weights, rule in (([1, 0], "silhouette"), ([0, 1], "deviation")):
        chosen = model.choose(PseudoWeights(np.array(weights))).chosen_
        assert chosen == model.choose(rule).chosen_
    assert model.choose(lambda front: np.array([1])).chosen_ == 1


def my_far_rule(front):
    """A row that is not there."""
    return 999


@pytest.mark.parametrize("cls", [NSGA2Clus, MOCK])
def test_callbacks_take_the_algorithm(cls):
    def no_argument():
        pass

    with pytest.raises(TypeError, match=r"callback must accept one argument, .* no_argument does not"):
        cls(n_gen=2, callback=no_argument).fit(rows())


@pytest.mark.parametrize(
    "labels",
    [
        np.linspace(0, 1, N),
        np.full(N, np.nan),
        np.full(N, 1j),
        [None] * N,
        ["a", 1.5] * (N // 2),
        [np.nan, "a"] * (N // 2),
        np.zeros((2, 2, N)),
        list(range(N - 1)),
    ],
    ids=repr,
)
def test_labels_among_the_candidates(labels):
    labels = np.asarray(labels, dtype=object) if isinstance(labels, list) else labels
    with pytest.raises(ValueError, match="extra_candidates: labels of 'mine' must "):
        extra_partitions([("mine", labels)], rows(), n_samples=N, rng=np.random.default_rng(0))


@pytest.mark.parametrize("value", [None, "high", 1j, [1.0, 2.0], np.nan], ids=repr)
def test_scores_of_a_stack(value):
    def my_score(y_true, y_score):
        return value

    y = np.where(np.arange(N) % 2 == 0, np.arange(N) % 3, -1)
    model = SISCStacked(cv=2, weights=(0.0, 0.5), scoring=my_score, random_state=0)
    with pytest.raises(ValueError, match="scoring 'my_score' must return a number"):
        model.fit(words(), y)


def test_controls_of_ones_own():
    def my_control(evaluate):
        return evaluate

    with pytest.raises(TypeError, match=r"control my_control must accept the arguments \(evaluate"):
        controls.compare(labels_problem(), algorithm(), n_evals=60, seeds=1, controls=[my_control])


def test_canonical_functions_keep_the_rows():
    def my_canonical(X):
        return X[:-1]

    found = refusal(lambda: run("evolve", algorithm(eliminate_duplicates=CanonicalDuplicates(my_canonical))))
    assert re.search(r"canonical must return one row per individual \(10\); my_canonical", found)


def test_problems_that_an_estimator_makes():
    class Wrong(EvolutionaryClusterer):
        def make_problem(self, X, constraints):
            return None

    with pytest.raises(TypeError, match=r"Wrong\.make_problem must return a PartitionProblem, got None"):
        Wrong(n_gen=1).fit(rows())
