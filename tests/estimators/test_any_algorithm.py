"""Estimators whose search is another algorithm of pymoo, watched and ended by what pymoo offers."""

import numpy as np
import pytest
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.core.callback import Callback
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.base import clone
from sklearn.datasets import make_blobs

from moo_clustering import MOCK, PESC, SRMOSC, AMOSAClus, FuzzyModesMOGA, NSGA2Clus
from moo_clustering.operators import MedoidReplaceMutation

X, Y = make_blobs(40, centers=3, random_state=0)
DIRECTIONS = get_reference_directions("uniform", 2, n_partitions=9)
FEW = {"pop_size": 10, "n_gen": 3, "random_state": 0}
ESTIMATORS = {
    "NSGA2Clus": NSGA2Clus(metric="euclidean", search="evolve", **FEW),
    "MOCK": MOCK(**FEW),
    "PESC": PESC(3, **FEW),
    "SRMOSC": SRMOSC(3, search="nsga2", **FEW),
    "FuzzyModesMOGA": FuzzyModesMOGA(3, **FEW),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", [SMSEMOA, "object"])
def test_another_algorithm_searches(name, kind):
    algorithm = NSGA3(DIRECTIONS) if kind == "object" else kind
    data = np.round(X).astype(int) if name == "FuzzyModesMOGA" else X
    model = clone(ESTIMATORS[name]).set_params(algorithm=algorithm).fit(data)
    assert type(model.result_.algorithm).__name__ == ("NSGA3" if kind == "object" else "SMSEMOA")
    assert len(model.result_.pop) <= 10
    assert np.isfinite(model.result_.pop.get("F")).all()
    assert model.labels_.shape == (40,)
    again = clone(model).fit(data)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_an_object_keeps_what_it_was_given():
    algorithm = NSGA2(pop_size=6, mutation=MedoidReplaceMutation("full", prob=1.0))
    model = NSGA2Clus(metric="euclidean", search="evolve", algorithm=algorithm, **FEW).fit(X)
    assert len(model.result_.pop) == 6
    assert model.result_.algorithm.mating.mutation.kind == "full"
    assert type(model.result_.algorithm.mating.crossover).__name__ == "PrefixUnionCrossover"


class Count(Callback):
    def _update(self, algorithm):
        self.data["n"] = self.data.get("n", 0) + 1


def test_callback_history_and_termination():
    callback = Count()
    model = NSGA2Clus(metric="euclidean", search="evolve", callback=callback, save_history=True, **FEW).fit(X)
    assert callback.data["n"] == 4
    assert [algorithm.n_gen for algorithm in model.result_.history] == [1, 2, 3, 4]
    ended = NSGA2Clus(metric="euclidean", search="evolve", termination=("n_gen", 2), **FEW).fit(X)
    assert ended.n_iter_ == 1


def test_options_that_do_not_fit_are_refused_in_a_sentence(tmp_path):
    base = NSGA2Clus(metric="euclidean", search="evolve", **FEW)
    for options, message in (
        ({"algorithm": MOEAD}, "MOEAD requires reference directions"),
        ({"algorithm": int}, "must be a pymoo GeneticAlgorithm"),
        ({"termination": (2, 1)}, "unknown termination \\(2, 1\\); use a Termination or a tuple"),
        ({"n_jobs": 0}, "'n_jobs' parameter of NSGA2Clus must be .* Got 0 instead"),
        ({"algorithm": SMSEMOA, "engine": "deap"}, "requires engine='pymoo'"),
        ({"termination": ("n_gen", 2), "checkpoint": tmp_path / "run"}, "termination cannot be checkpointed"),
        ({"save_history": True, "checkpoint": tmp_path / "run"}, "save_history=True cannot be checkpointed"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            clone(base).set_params(**options).fit(X)
    assert "algorithm" not in AMOSAClus().get_params()
