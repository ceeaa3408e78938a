"""CHC among local optima: quality against the same effort spent otherwise, least sizes, its options."""

from __future__ import annotations

import numpy as np
import pytest
from genetic_bag_tools import db, overlapping, scaled
from sklearn.base import clone
from sklearn.cluster import KMeans

from moo_clustering.bags import BagGeometry, BagObjective, Bags
from moo_clustering.estimators.bags_genetic import CHCMIC, MemeticCHCMIC

# bags, clusters, features, scatter, seed
SETS = [(40, 2, 3, 1.5, 2), (60, 3, 4, 2.0, 1), (80, 4, 6, 2.0, 1)]


def set_of(n_bags, k, n_features, spread, seed):
    return overlapping(n_bags, k, n_features, seed, spread)[0]


def objective_of(bags, k, least):
    geometry = BagGeometry(Bags.from_list(scaled(bags)))
    return BagObjective(geometry, k, "db", min_cluster_size=least)


def best_descent(objective, budget, rng):
    """Least value of descents from random starts, as many as the evaluations suffice for."""
    best = np.inf
    while budget > 1:
        start = objective.repair(objective.random(1, rng))
        end = objective.descend(start, rng, max_trials=budget - 1)
        budget -= 1 + int(end.n_trials[0])
        best = min(best, float(objective.evaluate(end.labels)[0]))
    return best


@pytest.mark.slow
@pytest.mark.parametrize("chosen", SETS, ids=lambda one: f"{one[0]} bags, {one[1]} clusters")
def test_no_worse_than_descents_of_the_same_effort(chosen):
    k, bags = chosen[1], set_of(*chosen)
    objective = objective_of(bags, k, max(2, -(-len(bags) // 20)))
    ours, theirs = [], []
    for seed in range(5):
        model = MemeticCHCMIC(k, max_evals=100_000, random_state=seed).fit(bags)
        ours.append(model.fitness_)
        budget = model.n_evaluations_ + model.n_trial_evaluations_
        theirs.append(best_descent(objective, budget, np.random.default_rng(100 + seed)))
        assert model.fitness_ == pytest.approx(db(scaled(bags), model.labels_))
    assert min(ours) <= min(theirs) + 1e-9
    assert np.mean(ours) < np.mean(theirs)
    better, worse = (np.subtract.outer(one, other) < -1e-9 for one, other in ((ours, theirs), (theirs, ours)))
    assert better.sum() > worse.sum()


@pytest.mark.parametrize("chosen", SETS, ids=lambda one: f"{one[0]} bags, {one[1]} clusters")
def test_better_than_what_is_not_searched_for(chosen):
    k, bags = chosen[1], set_of(*chosen)
    model = MemeticCHCMIC(k, n_gen=10, random_state=0).fit(bags)
    least = model.cluster_sizes_.min()
    rng = np.random.default_rng(0)
    objective = objective_of(bags, k, least)
    chance = objective.evaluate(objective.repair(objective.random(500, rng)))
    assert model.fitness_ < 0.7 * chance.min()
    means = np.array([bag.mean(axis=0) for bag in scaled(bags)])
    parted = KMeans(k, n_init=5, random_state=0).fit_predict(means)
    assert model.fitness_ <= db(scaled(bags), parted) + 1e-9
    plain = CHCMIC(
        k,
        min_cluster_size=int(least),
        max_evals=model.n_evaluations_ + model.n_trial_evaluations_,
        pop_size=30,
        n_gen=400,
        random_state=0,
    ).fit(bags)
    assert model.fitness_ <= plain.fitness_ + 1e-9


def test_is_a_local_optimum():
    bags = set_of(*SETS[1])
    model = MemeticCHCMIC(3, random_state=0).fit(bags)
    moved = np.tile(model.labels_, (120, 1))
    moved[np.arange(60), np.arange(60)] = (model.labels_ + 1) % 3
    moved[np.arange(60, 120), np.arange(60)] = (model.labels_ + 2) % 3
    large = np.array([np.bincount(one, minlength=3).min() >= 3 for one in moved])
    assert objective_of(bags, 3, 3).evaluate(moved[large]).min() >= model.fitness_ * (1 - 1e-9)


@pytest.mark.parametrize(
    ("n_bags", "k", "least"),
    [(2, 2, 1), (3, 2, 1), (4, 2, 2), (5, 3, 1), (20, 2, 2), (40, 2, 2), (41, 2, 3), (60, 2, 3), (101, 2, 6)],
)
def test_default_least_size(n_bags, k, least):
    # one bag far from all others, and one more: alone they would be the best partition
    bags = [*set_of(n_bags - 1, k, 3, 1.0, 0), np.full((1, 3), 500.0)]
    model = MemeticCHCMIC(k, pop_size=8, n_gen=3, random_state=0).fit(bags)
    assert model.cluster_sizes_.min() == least
    alone = MemeticCHCMIC(k, min_cluster_size=1, pop_size=8, n_gen=3, random_state=0).fit(bags)
    assert alone.cluster_sizes_.min() == 1
    assert alone.fitness_ <= model.fitness_


def test_least_size_that_cannot_be():
    bags = set_of(9, 3, 3, 1.0, 0)
    with pytest.raises(ValueError, match="min_cluster_size=4 require at least 12 bags, got 9"):
        MemeticCHCMIC(3, min_cluster_size=4).fit(bags)
    with pytest.raises(ValueError, match="n_clusters=10 must not exceed the number of bags, n_samples=9"):
        MemeticCHCMIC(10).fit(bags)
    with pytest.raises(ValueError, match="'min_cluster_size' parameter"):
        MemeticCHCMIC(3, min_cluster_size="large").fit(bags)
    assert (
        MemeticCHCMIC(3, min_cluster_size=3, pop_size=4, n_gen=1).fit(bags).cluster_sizes_.tolist() == [3] * 3
    )


def test_share_of_local_optima_at_the_start():
    bags = set_of(30, 3, 3, 1.5, 1)
    options = {"pop_size": 20, "n_gen": 0, "random_state": 0}
    run = MemeticCHCMIC(3, **options).fit(bags)
    assert run.n_evaluations_ == run.logbook_[0]["nevals"] == 30
    assert run.n_trial_evaluations_ > 0


def test_no_partition_twice():
    bags = set_of(30, 3, 3, 1.5, 1)
    spreads = []

    class Watched(MemeticCHCMIC):
        def _step(self, toolbox, rng):
            step = super()._step(toolbox, rng)
            survivors = step._survivors

            def watched(population, children):
                pool, accepted = survivors(population, children)
                distinct, possible = (
                    len({toolbox.key(one) for one in some}) for some in (pool, [*population, *children])
                )
                spreads.append(distinct - min(possible, len(pool)))
                return pool, accepted

            step._survivors = watched
            return step

    Watched(3, pop_size=16, n_gen=20, random_state=0).fit(bags)
    assert spreads == [0] * 20


@pytest.mark.parametrize("options", [{"perturbation": 1.0}, {"perturbation": 0.05}])
def test_restarts_of_every_kind(options):
    bags = set_of(16, 2, 3, 1.5, 1)
    model = MemeticCHCMIC(pop_size=10, n_gen=60, random_state=0, **options).fit(bags)
    assert model.n_restarts_ == sum(model.logbook_.select("restart")) > 0
    best = model.logbook_.select("min")
    assert (np.diff(best) <= 0).all()
    assert len(model.logbook_) == 61


def test_every_option_counts():
    bags = set_of(*SETS[2])
    model = MemeticCHCMIC(4, pop_size=10, n_gen=5, random_state=0).fit(bags)
    for change in (
        {"weighting": "instance"},
        {"perturbation": 0.1, "n_gen": 60},
        {"normalize": False},
    ):
        other = clone(model).set_params(**change).fit(bags)
        assert other.logbook_[-1]["avg"] != model.logbook_[-1]["avg"]
