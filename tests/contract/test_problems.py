"""What every problem promises: whole populations, copies that share the data, pickles that hold it once."""

import copy
import pickle

import numpy as np
import pytest
from pymoo.core.problem import Problem

from contract.copies import arrays_of, copied_in_deepcopy, pickled, repeated
from contract.problems import PROBLEMS, first_population, problem_of
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names, public_classes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
every_problem = pytest.mark.parametrize("name", PROBLEMS)


def values(problem, genes):
    """Objectives and constraints."""
    out = problem.evaluate(genes, return_as_dictionary=True)
    return [out[key] for key in ("F", "G") if out.get(key) is not None]


def assert_same_values(one, other, rtol=0.0):
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first, second, rtol=rtol, atol=rtol)


def test_every_public_problem_is_listed():
    assert listed_names(PROBLEMS) == set(public_classes(Problem))


@every_problem
def test_a_population_equals_its_individuals(name):
    if name == "NeighborGraphProblem":
        pytest.skip("diversity is of an individual among the others")
    problem, genes = problem_of(name), first_population(name).get("X")
    together, alone = values(problem, genes), [values(problem, row[None]) for row in genes]
    assert_same_values(together, [np.concatenate(parts) for parts in zip(*alone, strict=True)], 1e-12)


@every_problem
def test_no_global_generator_decides(name):
    with seeded(1), poisoned():
        problem = PROBLEMS[name].make()
        genes = PROBLEMS[name].sampling().do(problem, 8, random_state=np.random.default_rng(0)).get("X")
        found = values(problem, genes)
    np.testing.assert_array_equal(genes, first_population(name).get("X"))
    assert_same_values(found, values(problem_of(name), genes))


# An individual of EnsembleSelectionProblem is a set of runs, which is not decoded.
@pytest.mark.parametrize("name", sorted(set(PROBLEMS) - {"EnsembleSelectionProblem"}))
def test_wrong_genes_are_rejected(name):
    problem, genes = problem_of(name), first_population(name).get("X")
    for wrong in (genes[:, 1:], genes[0, 1:], np.zeros(problem.n_var + 1, dtype=genes.dtype)):
        with pytest.raises((TypeError, ValueError), match=rf"X must .*\b{problem.n_var}\b"):
            problem.decode(wrong)
    with pytest.raises((TypeError, ValueError), match="X must "):
        problem.decode(np.full(genes.shape, "a"))
    with pytest.raises(ValueError, match=r"X must |genes must |X contains "):
        problem.decode(np.where(np.arange(problem.n_var) == 1, np.nan, genes))


@every_problem
def test_genes_are_only_read(name):
    problem, genes = problem_of(name), first_population(name).get("X").copy()
    kept = genes.copy()
    expected = values(problem, genes)
    np.testing.assert_array_equal(genes, kept)
    genes.flags.writeable = False
    assert_same_values(values(problem, genes), expected)


@every_problem
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_copies_give_the_same_values(name, copied):
    problem, genes = problem_of(name), first_population(name).get("X")
    assert_same_values(values(copied(problem), genes), values(problem, genes))


@every_problem
def test_deep_copies_share_the_data(name):
    problem = problem_of(name)
    assert copied_in_deepcopy(problem, least=192) == []
    own, others = arrays_of(problem), arrays_of(copy.deepcopy(problem))
    large = [path for path, array in own.items() if array.nbytes >= 300]
    assert all(np.shares_memory(own[path], others[path]) for path in large), large


@every_problem
def test_data_are_pickled_once(name):
    problem = problem_of(name)
    sizes = repeated(problem, least=300)
    assert bool(sizes) == bool(PROBLEMS[name].ships_again), sizes
    assert len(pickle.dumps(problem)) < PROBLEMS[name].most


def invalid_genes(problem, genes):
    """Populations with one gene that no problem can read, or that is out of range for integer genes."""
    wrong = [np.nan, np.inf, -np.inf]
    if not np.issubdtype(np.dtype(problem.vtype or float), np.floating):
        wrong += [float(np.max(problem.xu)) + 1, 1e6, float(np.min(problem.xl)) - 1]
    for value in wrong:
        changed = np.array(genes, dtype=np.float64)
        changed[1, 2] = value
        yield changed


@every_problem
def test_invalid_genes_are_refused(name):
    problem, genes = problem_of(name), first_population(name).get("X")
    for wrong in invalid_genes(problem, genes):
        for method in {"evaluate", "decode"} & set(dir(problem)):
            with pytest.raises((ValueError, TypeError), match=r"X|gene"):
                getattr(problem, method)(wrong)


@pytest.mark.parametrize("value", [23, 24])
def test_links_that_are_not_admissible_are_refused(value):
    from moo_clustering.graphs import neighbor_lists
    from moo_clustering.problems import NeighborGraphProblem

    X = np.random.default_rng(0).normal(size=(24, 2))
    lists = neighbor_lists(X, 23, rng=np.random.default_rng(0))
    problem = NeighborGraphProblem(lists, gene="index")
    genes = lists.indices[:, 0][None].repeat(3, axis=0)
    genes[1, 23] = value
    with pytest.raises(ValueError, match=r"link samples to themselves|from 0 to 23, got 0 to 24"):
        problem.evaluate(genes)
