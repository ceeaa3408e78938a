"""Operators on problems of other kinds: they work, or refuse them in a sentence that names the remedy."""

import re
from dataclasses import replace

import numpy as np
import pytest
from pymoo.core.survival import Survival

from contract.operators import BAGS, CENTERS, LABELS, MEDOIDS, NEIGHBORS, OPERATORS, SLOTS
from contract.problems import PROBLEMS, evaluated, first_population, problem_of
from moo_clustering import operators

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
# Operators of individuals of any kind, or of any with an encoding, and those that are made of others.
WIDE = {
    "CanonicalDuplicates", "ConstraintCrowdingSurvival", "EliteSurvival", "EncodingMutation",
    "EncodingRepair", "EncodingSampling", "PoolSampling", "RandomSurvival", "RefillingSampling",
    "UniformNeighborCrossover", "vary",
}  # fmt: skip
APART = {"ExclusiveMating", "batched_tournament"}
REFUSALS = re.compile(
    r"this operator requires a .*; use an operator from problem\.operators\(\)"
    r"|which this operator requires; use a BagPartitionProblem"
    r"|genes must be integers, got float\d\d; use an operator from problem\.operators\(\)"
)
# Problems whose genes mean the same.
ALIKE = [
    {LABELS, "PartitionProblem, limits", "PartitionProblem, regions", BAGS, "ChunkedProblem"},
    {MEDOIDS, "PartitionProblem, medoids"},
    {SLOTS, "BagMedoidProblem"},
    {CENTERS, "ChunkedCenterProblem"},
]


def refusal(case, kind):
    """Why an operator refuses a problem of another kind; None where it works."""
    judges = isinstance(case.make(), Survival) or case.of == "CanonicalDuplicates"
    population = evaluated(kind) if judges else first_population(kind)
    try:
        replace(case, problem=kind).run(population=population)
    except TypeError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", sorted(OPERATORS.keys() - APART))
def test_a_problem_of_another_kind_works_or_is_refused_with_the_remedy(name):
    case = OPERATORS[name]
    said = {kind: refusal(case, kind) for kind in PROBLEMS}
    assert [text for text in said.values() if text and not REFUSALS.search(text)] == []
    if name not in WIDE:
        alike = next((kinds for kinds in ALIKE if case.problem in kinds), {case.problem})
        assert {kind for kind, text in said.items() if text is None} <= alike


def test_operators_that_suit_are_never_refused():
    for kind in PROBLEMS:
        problem, rng = problem_of(kind), np.random.default_rng(0)
        if hasattr(problem, "operators"):
            suited = problem.operators()
            made = suited["sampling"](problem, 4, random_state=rng)
            suited["crossover"].do(problem, made, np.array([[0, 1], [2, 3]]), random_state=rng)
            suited["mutation"].do(problem, made, inplace=False, random_state=rng)


@pytest.mark.parametrize("name", ["AlignedHUX", "CanonicalRepair"])
def test_labels_are_taken_as_such_without_a_problem_of_this_package(name):
    labels = np.array([[1, 1, 0, 2], [0, 1, 2, 2]])
    operator = getattr(operators, name)()
    rows = labels[:, None] if name == "AlignedHUX" else labels
    assert operator._do(None, rows, random_state=np.random.default_rng(0)).shape == rows.shape
    with pytest.raises(TypeError, match=r"LabelEncoding, got MedoidProblem.*problem\.operators"):
        operator._do(problem_of(MEDOIDS), rows, random_state=np.random.default_rng(0))
    with pytest.raises(TypeError, match="LabelEncoding, got NeighborGraphProblem"):
        operator._do(problem_of(NEIGHBORS), rows, random_state=np.random.default_rng(0))
