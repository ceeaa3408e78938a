"""Controls of DEAP toolboxes."""

import numpy as np
import pytest
from deap import base, tools
from numpy.testing import assert_array_equal

from moo_clustering import CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC
from moo_clustering.algorithms import ChcStep, GkaStep
from moo_clustering.bags import BagGeometry, BagObjective
from moo_clustering.controls import compare_deap
from moo_clustering.datasets import make_bags
from moo_clustering.operators.deap import ArrayIndividual, Minimize, bag_toolbox


def one_max(rng):
    toolbox = base.Toolbox()
    toolbox.register("individual", lambda genes: ArrayIndividual(genes, Minimize))
    toolbox.register("population", lambda n: [toolbox.individual(rng.integers(0, 2, 12)) for _ in range(n)])
    toolbox.register("evaluate", lambda one: (float(12 - np.sum(one)),))
    toolbox.register("mutate", tools.mutFlipBit, indpb=0.1)
    toolbox.register(
        "select", lambda individuals, k: sorted(individuals, key=lambda one: one.fitness.values)[:k]
    )
    return toolbox


def step(population, toolbox, rng):
    children = [toolbox.mutate(toolbox.clone(one))[0] for one in population]
    for child in children:
        del child.fitness.values
    for child, values in zip(children, toolbox.map(toolbox.evaluate, children), strict=True):
        child.fitness.values = values
    return toolbox.select(population + children, len(population))


class Evaluating:
    """A step that evaluates the initial population one by one."""

    def start(self, population, toolbox, rng):
        for one in population:
            one.fitness.values = toolbox.evaluate(one)
        return population

    def __call__(self, population, toolbox, rng):
        return step(population, toolbox, rng)


def test_a_deap_toolbox_has_the_same_controls():
    found = compare_deap(one_max, Evaluating(), pop_size=6, n_evals=125, seeds=2)
    made = found.runs.set_index("method")["evaluations"]
    assert (made.drop("initial") == 125).all()
    best = found.runs.groupby("method")["best f1"].mean()
    assert best["evolution"] < best["drift"]
    assert best["climbs"] < best["initial"]


BAGS = make_bags(30, bag_std=2.5, random_state=0)
OBJECTIVE = BagObjective(BagGeometry(BAGS.bags), 3, "twcv")


def bag_toolbox_of(rng):
    return bag_toolbox(OBJECTIVE, rng)


@pytest.mark.parametrize(("step", "has_drift"), [(GkaStep(), True), (ChcStep(), False)])
def test_the_loops_of_bags_have_controls(step, has_drift):
    found = compare_deap(bag_toolbox_of, step, pop_size=8, n_evals=80, seeds=3, y=BAGS.labels)
    again = compare_deap(bag_toolbox_of, step, pop_size=8, n_evals=80, seeds=3, y=BAGS.labels)
    assert ("drift" in set(found.runs["method"])) is has_drift
    values = found.runs.drop(columns="seconds")
    assert_array_equal(values.to_numpy(), again.runs.drop(columns="seconds").to_numpy())
    assert values.loc[values["method"] != "initial", "evaluations"].eq(80).all()
    assert values["n_clusters"].eq(3).all()
    best = found.runs.groupby("method")["best f1"].mean()
    assert best["evolution"] < best["random"] < best["initial"]


def test_single_incumbents_take_steps_of_k_means_as_the_evolution_does():
    best = {}
    for share in (0.0, 0.5):
        step = GkaStep(kmpb=share)
        runs = compare_deap(bag_toolbox_of, step, pop_size=8, n_evals=400, seeds=5, controls="climbs").runs
        best[share] = runs[runs["method"] == "climbs"]["best f1"].mean()
    assert best[0.5] < 0.9 * best[0.0]


@pytest.mark.parametrize(
    ("kind", "objective", "has_drift"),
    [
        (MIGKA, "twcv", True),
        pytest.param(MIFGKA, "ftwcv", True, marks=pytest.mark.slow),
        (MIGCUK, "db", True),
        (CHCMIC, "db", False),
        pytest.param(MemeticCHCMIC, "db", False, marks=pytest.mark.slow),
    ],
)
def test_clusterers_of_bags_have_controls_with_as_many_evaluations_as_their_fit(kind, objective, has_drift):
    model = kind(3, pop_size=8, n_gen=3, random_state=0)
    found = model.controls(BAGS.bags, y=BAGS.labels, seeds=2)
    model.fit(BAGS.bags)
    again = model.controls(BAGS.bags, y=BAGS.labels, seeds=2)
    values = found.runs.drop(columns="seconds")
    assert_array_equal(values.to_numpy(), again.runs.drop(columns="seconds").to_numpy())
    assert ("drift" in set(values["method"])) is has_drift
    made = values.loc[values["method"] != "initial", "evaluations"]
    assert made.eq(model.n_evaluations_ + model.n_trial_evaluations_).all()
    best = values.groupby("method")[f"best {objective}"].mean()
    assert best["evolution"] < best["initial"]


def without_mutation(rng):
    toolbox = bag_toolbox_of(rng)
    del toolbox.mutate
    return toolbox


@pytest.mark.parametrize(
    ("toolbox", "step", "options", "message"),
    [
        (None, GkaStep(), {}, "toolbox must be a DEAP toolbox, or a function .* got NoneType"),
        (bag_toolbox_of, GkaStep(), {"pop_size": 0}, "pop_size must be"),
        (
            bag_toolbox_of,
            GkaStep(),
            {"n_evals": 7},
            "n_evals must be at least the initial population size, 8, got 7",
        ),
        (bag_toolbox_of, GkaStep(), {"y": [0, 1]}, r"one class per sample \(30\), got shape"),
        (bag_toolbox_of, ChcStep(), {"controls": "drift"}, "CHC selects survivors by itself"),
        (without_mutation, GkaStep(), {"controls": "climbs"}, "the toolbox has no 'mutate'"),
    ],
)
def test_what_cannot_be_compared_is_refused(toolbox, step, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        compare_deap(toolbox, step, **{"pop_size": 8, "n_evals": 80, **options})
