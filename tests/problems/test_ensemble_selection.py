"""The problem of which runs to keep."""

import copy
import itertools

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize

from moo_clustering.problems import EnsembleSelectionProblem
from moo_clustering.validity import nmi


def runs_of(n_runs=8, n=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return np.array(
        [np.where(rng.random(n) < p, rng.integers(0, 3, n), truth) for p in rng.uniform(0.1, 0.9, n_runs)]
    )


def one_by_one(agreement, x, losses, min_runs):
    """Objectives and constraint of one subset from their definitions, given the agreement of all pairs."""
    kept = np.flatnonzero(x)
    quality = [np.mean([agreement[t, u] for u in range(len(losses)) if u != t]) for t in range(len(losses))]
    pairs = [agreement[a, b] for a, b in itertools.combinations(kept, 2)]
    loss = (losses - losses.min()) / (losses.max() - losses.min())
    F = [
        -np.mean([quality[t] for t in kept]) if len(kept) else 0.0,
        np.mean(pairs) if pairs else 1.0,
        np.mean(loss[kept]) if len(kept) else 1.0,
    ]
    return F, min_runs - len(kept)


def test_population_is_scored_as_one_by_one():
    runs, losses = runs_of(), np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    X = np.vstack([np.random.default_rng(0).random((20, 8)) < 0.5, np.eye(8)[:2], np.zeros(8), np.ones(8)])
    problem = EnsembleSelectionProblem(runs, losses=losses, min_runs=3)
    F, G = problem.evaluate(X.astype(bool))
    agreement = np.array([[nmi(one, other) for other in runs] for one in runs])
    expected = [one_by_one(agreement, x, losses, 3) for x in X]
    np.testing.assert_allclose(F, [f for f, _ in expected], atol=1e-12)
    np.testing.assert_array_equal(G[:, 0], [g for _, g in expected])
    np.testing.assert_allclose(EnsembleSelectionProblem(runs).evaluate(X)[0], F[:, :2], atol=1e-15)


def test_names_and_natural_signs():
    problem = EnsembleSelectionProblem(runs_of(), losses=np.arange(8))
    assert problem.objective_names == ("agreement", "likeness", "loss")
    assert (problem.n_var, problem.n_obj, problem.n_ieq_constr) == (8, 3, 1)
    np.testing.assert_array_equal(problem.natural([[-0.5, 0.25, 1.0]]), [[0.5, 0.25, 1.0]])
    assert EnsembleSelectionProblem(runs_of()).objective_names == ("agreement", "likeness")
    np.testing.assert_array_equal(EnsembleSelectionProblem(runs_of(), losses=np.ones(8)).losses, 0.0)


@pytest.mark.slow
def test_pymoo_finds_the_front_of_a_small_ensemble():
    runs = runs_of(6)
    problem = EnsembleSelectionProblem(runs, min_runs=2)
    every = np.array(list(itertools.product([False, True], repeat=6)))
    F, G = problem.evaluate(every)
    F = F[G[:, 0] <= 0]
    dominated = [((f >= F).all(axis=1) & (f > F).any(axis=1)).any() for f in F]
    front = np.unique(F[~np.array(dominated)].round(10), axis=0)
    algorithm = NSGA2(
        pop_size=40, sampling=BinaryRandomSampling(), crossover=UniformCrossover(), mutation=BitflipMutation()
    )
    result = minimize(problem, algorithm, ("n_gen", 25), seed=1, save_history=True)
    np.testing.assert_allclose(np.unique(result.F.round(10), axis=0), front)
    assert (result.X.sum(axis=1) >= 2).all()


def test_copies_share_the_table():
    problem = EnsembleSelectionProblem(runs_of())
    assert copy.deepcopy(problem).agreement is problem.agreement


@pytest.mark.parametrize(
    ("labels", "options", "error", "message"),
    [
        ([[0, 1, 1]], {}, ValueError, "at least two runs"),
        (
            [[0, 1], [1, 0]],
            {},
            ValueError,
            "integer from 1 to 2, the number of runs, got 5",
        ),
        ([[0, 1], [1, 0]], {"min_runs": 0}, ValueError, "min_runs"),
        ([[0, 1], [1, 0]], {"min_runs": 1.0}, TypeError, "min_runs must be an integer"),
        (
            [[0, 1], [1, 0]],
            {"min_runs": 1, "losses": [1.0]},
            ValueError,
            r"losses must have one value per run \(2\), got shape \(1,\)",
        ),
        ([[0, 1], [1, 0]], {"min_runs": 1, "losses": [1.0, np.nan]}, ValueError, "losses must be finite"),
        ([[0, 1], [1, 0]], {"min_runs": 1, "losses": ["a", "b"]}, TypeError, "losses must be real numbers"),
    ],
)
def test_bad_input_is_named(labels, options, error, message):
    with pytest.raises(error, match=message):
        EnsembleSelectionProblem(labels, **options)


def test_genes_and_objectives_are_checked():
    problem = EnsembleSelectionProblem(runs_of())
    with pytest.raises(ValueError, match="X must contain booleans, or 0 and 1"):
        problem.evaluate(np.full((1, 8), 2))
    with pytest.raises(ValueError, match="F must have 2 columns"):
        problem.natural([[1.0, 2.0, 3.0]])
