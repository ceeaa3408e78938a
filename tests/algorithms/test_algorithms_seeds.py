"""One seed, one result: all algorithms of pymoo, with or without constraints, in any process, resumed."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
import pkgutil
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pymoo.algorithms
import pytest
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.algorithm import Algorithm
from pymoo.core.problem import Problem
from pymoo.util.randomized_argsort import randomized_argsort
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.datasets import make_blobs

from moo_clustering import NSGA2Clus
from moo_clustering.algorithms import PymooSearch, drive
from moo_clustering.algorithms.search import rng_from_state
from moo_clustering.persistence import Checkpoint

N_GEN, STOP = 6, 2
# Bases of others and searches along a line, which cannot run by themselves.
PARTS = {
    "BracketSearch", "ExponentialSearch", "GeneticAlgorithm", "GoldenSectionSearch", "LineSearch",
    "LocalSearch", "MetaAlgorithm2", "QuadraticInterpolationSearch", "WolfeSearch",
}  # fmt: skip
# Their state cannot be saved.
UNSAVED = {"BIPOPCMAES", "CMAES", "EPPSO", "SimpleCMAES"}
# Those of which pymoo leaves draws without a generator, and some others.
QUICK = {"CMOPSO", "ISRES", "NSGA2", "NSGA3", "NicheGA", "PatternSearch", "SRES", "UNSGA3"}
OBJECTIVES = {
    1: "BGA BIPOPCMAES BRKGA CMAES DE DIRECT EPPSO ES G3PCX GA ISRES NRBO NelderMead NicheGA PSO "
    "PatternSearch RandomSearch SRES SimpleCMAES",
    2: "AGEMOEA AGEMOEA2 BRKGA CMOPSO CTAEA DNSGA2 GDE3 GDE32NN GDE3MNN GDE3PCD KGB MOEAD MOPSO_CD NSDE "
    "NSDER NSGA2 NSGA3 OmniOptimizer PINSGA2 ParallelMOEAD RNSGA2 RNSGA3 RVEA RandomSearch SMSEMOA SPEA2 "
    "UNSGA3",
}
UNCONSTRAINED = {"BGA", "DNSGA2", "KGB", "MOEAD", "ParallelMOEAD"}
CASES = [
    (name, n_obj, constrained)
    for n_obj, names in OBJECTIVES.items()
    for name in names.split()
    for constrained in ([False] if name in UNCONSTRAINED else [False, True])
]


class Toy(Problem):
    """Distances to one or two points, and many infeasible solutions with equal violations."""

    def __init__(self, n_obj, constrained):
        super().__init__(n_var=6, n_obj=n_obj, n_ieq_constr=int(constrained), xl=0.0, xu=1.0, vtype=float)

    def _evaluate(self, X, out, *args, **kwargs):
        out["F"] = np.stack([((X - t) ** 2).sum(axis=1) for t in (0.2, 0.8)[: self.n_obj]], axis=1)
        if self.n_ieq_constr:
            out["G"] = np.ceil(4 * (1.8 - X[:, :3].sum(axis=1)))[:, None]


@cache
def algorithms():
    """All classes of pymoo's algorithms by name."""
    found = {}
    for module in pkgutil.walk_packages(pymoo.algorithms.__path__, "pymoo.algorithms."):
        if not module.name.endswith(".optuna"):  # needs a package of that name
            content = vars(importlib.import_module(module.name))
            found |= {
                name: kind
                for name, kind in content.items()
                if inspect.isclass(kind) and issubclass(kind, Algorithm) and kind.__module__ == module.name
            }
    return found


def made(name, n_obj):
    kind = algorithms()[name]
    known = inspect.signature(kind.__init__).parameters
    if name in ("RNSGA2", "RNSGA3"):
        size = {"pop_per_ref_point": 8} if name == "RNSGA3" else {"pop_size": 16}
        return kind(ref_points=np.array([[0.2] * n_obj, [0.5] * n_obj]), **size)
    if name == "BRKGA":
        return kind(n_elites=4, n_offsprings=8, n_mutants=4)
    if "ref_dirs" in known:
        return kind(ref_dirs=get_reference_directions("das-dennis", n_obj, n_partitions=11))
    if "pop_size" in known or issubclass(kind, GeneticAlgorithm):
        try:
            return kind(pop_size=16)
        except TypeError:
            return kind()
    return kind()


def search(case, seed=1):
    name, n_obj, constrained = case
    return PymooSearch(Toy(n_obj, constrained), made(name, n_obj), seed=seed, n_gen=N_GEN)


def digest(run):
    parts = [people.get(key).tobytes() for people in (run.algorithm.pop, run.algorithm.opt) for key in "XFG"]
    state = json.dumps(run.algorithm.random_state.bit_generator.state).encode()
    return hashlib.sha256(b"".join([*parts, state])).hexdigest()


def whole(case, seed=1):
    run = search(case, seed)
    drive(run, n_gen=N_GEN)
    return digest(run)


undisturbed = cache(whole)


def label(case):
    return f"{case[0]}, {case[1]} objectives{', constrained' * case[2]}"


def cases(slow):
    """All cases, or those of the default tier."""
    return [case for case in CASES if slow or case[0] in QUICK]


TIERS = pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])


def test_every_class_of_pymoo_is_a_case_or_a_part_of_others():
    assert set(algorithms()) == PARTS | {name for name, _, _ in CASES}


@TIERS
def test_global_generators_change_nothing_and_no_other_is_made(slow, monkeypatch):
    make, failed = np.random.default_rng, []

    def seeded(seed=None):
        assert seed is not None, "a generator without a seed"
        return make(seed)

    monkeypatch.setattr(np.random, "default_rng", seeded)
    for case in cases(slow):
        found = set()
        for state, run in enumerate((undisturbed, whole)):
            np.random.seed(state)  # noqa: NPY002 -- what others may do
            random.seed(state)
            found.add(run(case))
        other = whole(case, seed=2)
        if len(found) > 1 or (other in found and case[0] != "DIRECT"):
            failed.append(label(case))
    assert not failed


@TIERS
def test_resumed_runs_are_those_that_never_stopped(slow, tmp_path):
    failed = []
    for number, case in enumerate(cases(slow)):
        checkpoint = Checkpoint(tmp_path / str(number), every=100)
        if case[0] in UNSAVED:
            with pytest.raises(
                ValueError, match=f"{case[0]} cannot be checkpointed, because it contains running"
            ):
                drive(search(case), n_gen=STOP, checkpoint=checkpoint)
            continue
        drive(search(case), n_gen=STOP, checkpoint=checkpoint)
        resumed = search(case, seed=99)
        drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
        if digest(resumed) != undisturbed(case):
            failed.append(label(case))
    assert not failed


@pytest.mark.slow
def test_another_process_with_another_hash_seed():
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import test_algorithms_seeds as here; "
        "print(json.dumps([here.whole(case) for case in here.CASES]))"
    )
    there = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(Path(__file__).parent)],
        capture_output=True, check=True, text=True, env=os.environ | {"PYTHONHASHSEED": "123"},
    )  # fmt: skip
    expected = json.loads(there.stdout.splitlines()[-1])
    wrong = [label(case) for case, one in zip(CASES, expected, strict=True) if undisturbed(case) != one]
    assert not wrong


@pytest.mark.parametrize("name", ["NSGA3", "UNSGA3", "RNSGA3", "CTAEA", "SMSEMOA", "SPEA2"])
def test_an_estimator_with_another_algorithm_and_constraints(name, global_random_seed):
    X, _ = make_blobs(40, centers=2, random_state=0)

    def front():
        model = NSGA2Clus(
            random_state=global_random_seed, n_gen=3, pop_size=12, algorithm=made(name, 2),
            supervision="constraint",
        )  # fmt: skip
        model.fit(X, must_link=[[0, 1], [2, 25]], cannot_link=[[0, 20], [3, 4]])
        return model.pareto_front_.tobytes()

    assert len({front() for _ in range(3)}) == 1


def test_outside_of_a_search_pymoo_draws_as_ever():
    drive(search(("NSGA3", 2, True)), n_gen=1)
    orders = {tuple(randomized_argsort(np.zeros(30))) for _ in range(5)}
    assert len(orders) == 5
    assert len({tuple(randomized_argsort(np.zeros(30), seed=1)) for _ in range(5)}) == 1


@pytest.mark.parametrize("name", ["BitGenerator", "Generator", "seed", "PCG63", 3, None])
def test_an_unknown_bit_generator_is_refused(name):
    with pytest.raises(ValueError, match=f"the saved random state is from the unknown generator {name!r}"):
        rng_from_state({"bit_generator": name})
