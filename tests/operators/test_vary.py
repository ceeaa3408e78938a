"""One round of mating, mutation and repair, genes in and genes out."""

import numpy as np
import pytest
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.operators.mutation.nom import NoMutation

from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.operators import MutationChoice, vary
from moo_clustering.problems import PartitionProblem

X = np.random.default_rng(0).normal(size=(20, 2))
LABELS = PartitionProblem(X, LabelEncoding(20, k_max=4), ["silhouette"])


class First(Crossover):
    """The parents themselves, counted."""

    def __init__(self):
        super().__init__(2, 2, prob=1.0)
        self.used = []

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        self.used += X[:, :, 0].ravel().tolist()
        return X


class Beyond(Mutation):
    """Genes outside of all bounds."""

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        return X + 100


@pytest.mark.parametrize("encoding", [LabelEncoding(20, k_max=4), MedoidEncoding(X, k_max=5)])
def test_children_are_valid_and_new_and_the_parents_stay(encoding):
    problem = PartitionProblem(X, encoding, ["silhouette", "connectivity"])
    parts, parents = problem.operators(), encoding.random(9, np.random.default_rng(1))
    before = parents.copy()
    children = vary(problem, parents, parts["crossover"], parts["mutation"], 3)
    assert children.shape == parents.shape
    np.testing.assert_array_equal(parents, before)
    np.testing.assert_array_equal(encoding.repair(children), children)
    assert (children[:, None] != parents).any(axis=2).all(axis=1).any()
    again = vary(problem, parents, parts["crossover"], parts["mutation"], np.random.default_rng(3))
    np.testing.assert_array_equal(children, again)


def test_all_parents_mate_equally_often():
    crossover, parents = First(), np.arange(4)[:, None].repeat(20, axis=1)
    children = vary(LABELS, parents, crossover, NoMutation(), 0, n_offsprings=11)
    assert len(children) == 11
    counts = np.bincount(crossover.used)
    assert counts.sum() == 12
    assert np.ptp(counts) == 0
    assert set(children[:, 0]) == {0, 1, 2, 3}


def test_repair_is_that_of_the_problem():
    children = vary(LABELS, np.zeros((4, 20), int), First(), Beyond(prob=1.0), 0)
    assert (children == 3).all()


def test_genes_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"X must have shape \(n_parents, 20\), got shape \(3, 5\)"):
        vary(LABELS, np.zeros((3, 5), int), First(), NoMutation())


@pytest.mark.parametrize("wrong", [First, NoMutation(), None])
def test_arguments_that_are_no_operators_are_refused(wrong):
    with pytest.raises(TypeError, match="crossover must be a pymoo Crossover, got "):
        vary(LABELS, np.zeros((4, 20), int), wrong, NoMutation())
    with pytest.raises(TypeError, match="mutation must be a pymoo Mutation, got "):
        vary(LABELS, np.zeros((4, 20), int), First(), First)


@pytest.mark.parametrize("wrong", [NoMutation(), [NoMutation], [NoMutation(), First()], None])
def test_a_choice_of_what_is_no_mutation_is_refused(wrong):
    with pytest.raises(TypeError, match="mutations must be a list of pymoo Mutations, got "):
        MutationChoice(wrong)


def test_a_chosen_mutation_that_returns_nothing_is_named():
    class Nothing(Mutation):
        def _do(self, problem, X, *args, random_state=None, **kwargs):
            X[:] = 0

    with pytest.raises(ValueError, match=r"Nothing must return genes, an array of shape \(4, 20\); got None"):
        MutationChoice([Nothing()])._do(LABELS, np.zeros((4, 20), int), random_state=0)
