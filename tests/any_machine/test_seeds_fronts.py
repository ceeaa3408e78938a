"""Fronts, the rules that choose from them, budgets and reported objectives, whatever the seed."""

import numpy as np
import pytest
from machine_cases import CASES, fitted
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import moo_clustering as moo
from tests.registry import blobs, counts

FRONTS = [
    "AMOSAClus",
    "FuzzyModesMOGA",
    "MOCK",
    "NSGA2Clus",
    "NSGA2SISC",
    "PESC",
    "ParetoBagClustering",
    "ParetoClustering",
    "Regions",
    "SRMOSC",
]
LARGER = {
    "compactness",
    "i_index",
    "sep",
    "agreement",
    "broad_agreement",
    "modularity",
    "minimax_silhouette",
    "mixture",
}
GENETIC_BAGS = ["MIGKA", "MIFGKA", "MIGCUK", "CHCMIC", "MemeticCHCMIC"]
# Overlapping data: with clear clusters a front has a single member.
NOISE = 3.0


def minimised(model):
    return model.pareto_front_ * [-1 if name in LARGER else 1 for name in model.objective_names_]


def test_every_estimator_with_a_front_is_listed():
    assert {name for name in CASES if hasattr(fitted(name, 0, NOISE), "pareto_front_")} == set(FRONTS)


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.parametrize("noise", [1.0, NOISE])
def test_no_member_dominates_another(name, noise, global_random_seed):
    F = minimised(fitted(name, global_random_seed, noise))
    assert np.isfinite(F).all()
    assert len(F) > 0
    for i, one in enumerate(F):
        worse = (one <= F).all(axis=1) & (one < F).any(axis=1)
        assert not worse.any(), (i, np.flatnonzero(worse))


@pytest.mark.parametrize("name", FRONTS)
def test_rules_choose_members(name, global_random_seed):
    model = CASES[name].fit(global_random_seed, NOISE)
    front, F = model.pareto_front_.copy(), minimised(model)
    asked = []
    for rule in ("knee", model.objective_names_[global_random_seed % 2]):
        model.choose(rule)
        labels = model.labels_.copy()
        assert_array_equal(np.unique(labels) < model.n_clusters_, True)
        row = rule
        if rule == "knee":
            span = np.where(np.ptp(F, axis=0) > 0, np.ptp(F, axis=0), 1.0)
            row = np.linalg.norm((F - F.min(axis=0)) / span, axis=1).argmin()
        elif isinstance(rule, str):
            row = F[:, model.objective_names_.index(rule)].argmin()
        # By its number, and by a function, it is the same member.
        assert_array_equal(model.choose(int(row)).labels_, labels)
        assert_array_equal(model.choose(lambda F: asked.append(F) or int(row)).labels_, labels)  # noqa: B023
    assert_array_equal(model.pareto_front_, front)
    assert all(len(seen) == len(front) for seen in asked)
    with pytest.raises(ValueError, match="outside the front"):
        model.choose(len(front))


@pytest.mark.parametrize("name", ["AMOSAClus", "NSGA2Clus"])
def test_fronts_of_medoids_are_their_indices(name, global_random_seed):
    model = fitted(name, global_random_seed, NOISE)
    X, _, y = blobs(global_random_seed, NOISE)
    D = cdist(X, X)
    known = np.flatnonzero(y >= 0)
    pairs = [(i, j) for i in known for j in known if i < j]
    assert model.objective_names_ == ("xie_beni", "i_index", "constraint_violation")
    for values, medoids, labels in zip(
        model.pareto_front_, model.pareto_medoids_, model.pareto_labels_, strict=True
    ):
        medoids = medoids[medoids >= 0]
        own = D[np.arange(len(X)), medoids[labels]]
        apart = cdist(X[medoids], X[medoids])[np.triu_indices(len(medoids), 1)]
        xie_beni = (own**2).sum() / (len(X) * apart.min() ** 2)
        i_index = (D.sum(axis=1).min() / own.sum() * apart.max() / len(medoids)) ** 2
        assert_allclose(values[:2], [xie_beni, i_index], rtol=1e-9)
        assert 0 <= values[2] <= 2
        kept = all((y[i] == y[j]) == (labels[i] == labels[j]) for i, j in pairs)
        assert kept == (values[2] == 0)


def test_fronts_of_trees_are_their_indices(global_random_seed):
    model = CASES["MOCK"].fit(global_random_seed, NOISE)
    X = blobs(global_random_seed, NOISE)[0]
    order = cdist(X, X).argsort(axis=1)[:, 1:11]
    for row, values in enumerate(model.pareto_front_):
        labels = model.choose(row).labels_
        variance = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))
        split = labels[order] != labels[:, None]
        connectivity = (split / np.arange(1, 11)).sum()
        assert_allclose(values, [variance / len(X), connectivity], rtol=1e-9)
        assert model.pareto_K_[row] == len(set(labels))


# Not where evaluation improves the genes, as with medoids and modes: it would improve them again.
@pytest.mark.parametrize("name", ["MOCK", "NSGA2SISC", "ParetoClustering", "ParetoBagClustering"])
def test_fronts_are_what_the_problem_says_of_their_genes(name, global_random_seed):
    found = fitted(name, global_random_seed, NOISE).result_
    again = found.problem.evaluate(np.atleast_2d(found.X), return_values_of=["F"])
    assert_allclose(np.atleast_2d(again), np.atleast_2d(found.F), rtol=1e-9, atol=1e-12)


def test_reported_objectives_are_those_of_the_labels(global_random_seed):
    X = blobs(global_random_seed, NOISE)[0]
    squares = fitted("MemeticKMeans", global_random_seed, NOISE)
    parts = [X[squares.labels_ == c] for c in range(3)]
    assert_allclose(squares.inertia_, sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))
    table = counts(global_random_seed, NOISE)[0]
    unit = table / np.linalg.norm(table, axis=1)[:, None]
    cosine = fitted("SphericalKMeans", global_random_seed, NOISE)
    assert_allclose(
        cosine.i2_, sum(np.linalg.norm(unit[cosine.labels_ == c].sum(axis=0)) for c in range(3)), rtol=1e-9
    )


@pytest.mark.parametrize("name", GENETIC_BAGS)
def test_evaluations_end_at_the_budget(name, global_random_seed):
    budget = 9 + global_random_seed % 30
    model = CASES[name].fit(global_random_seed, NOISE, max_evals=budget, n_gen=50)
    assert 1 <= model.n_evaluations_ + model.n_trial_evaluations_ <= budget


@pytest.mark.parametrize("name", ["NSGA2Clus", "PESC", "MOCK", "FuzzyModesMOGA", "NSGA2SISC"])
def test_generations_end_at_the_budget(name, global_random_seed):
    model = fitted(name, global_random_seed, NOISE)
    assert model.n_iter_ == model.n_gen
    evaluations = model.result_.algorithm.evaluator.n_eval
    assert model.pop_size <= evaluations <= model.pop_size * (model.n_gen + 1)


def test_more_evaluations_are_never_worse(global_random_seed):
    X = blobs(global_random_seed, NOISE)[0]
    found = [
        moo.MemeticKMeans(6, max_distance_evaluations=n, random_state=global_random_seed).fit(X).inertia_
        for n in (5_000, 20_000, 60_000)
    ]
    assert found == sorted(found, reverse=True)
